r"""The scalar game of SIM (eq:auxregret, prp:ftl, cor:ewoo): $\ell_t(x) = (B_t^2/x + x)\alpha_t$ on $x > 0$.

An instance has $B_t \in [0, D]$ (T,), weights $\alpha_t > 0$ (T,) over many scales, $D > 0$, $\varepsilon > 0$, a
comparator $x^\ast > 0$, and `first` $\in [0, 1]$, the place of an arbitrary first action in
$[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$. The regularised losses are
$\tilde\ell_t(x) = ((B_t^2 + \varepsilon^2)/x + x)\alpha_t$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners import meta
from arubatheory.learners.ewoo import exp_concavity_of
from arubatheory.papers.aruba.games.means import weights
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.games import MAX_ROUNDS, MOST_T


def similarity_game(draw: Draw, rounds: int = MAX_ROUNDS, point: bool = False) -> Instance:
    r"""At most `rounds` losses; $B_t$ free, all equal, or only 0 and D; $\alpha_t$ free, equal or 1.

    The comparator lies anywhere on $(0, \infty)$: in the interval of the algorithm, or at a drawn multiple of it. With
    `point` D may be 0 as well: then all $B_t$ are 0 and the interval is the point $\varepsilon$.
    """
    T = draw.size("T", rounds, MOST_T)
    D, eps = draw.positive(), draw.positive()
    if draw.boolean():
        eps = D * draw.positive(-8, 8)
    comparator = draw.positive() if draw.boolean() else eps * draw.positive(-8, 8)
    if point and draw.integer(0, 7) == 7:
        D = draw.number(0)
    return Instance(
        B=D * _shares(draw, T), alpha=weights(draw, T), D=D, eps=eps, comparator=comparator, first=draw.unit()
    )


def _shares(draw: Draw, T: int) -> Array:
    r"""$B_t/D$."""
    kind = draw.integer(0, 2)
    if kind == 0:
        return draw.array([draw.unit()] * T)
    return draw.array([draw.integer(0, 1) for _ in range(T)]) if kind == 1 else np.asarray(draw.unit(T))


def regularised(x: Instance) -> Any:
    r"""$\tilde B_t^2$."""
    return x.B * x.B + x.eps * x.eps


def total_loss(B: Array, alpha: Array, x: Any) -> Any:
    r"""$\sum_t (B_t^2/x + x)\alpha_t$ at one x > 0."""
    return ((B / x * B + x) * alpha).sum()


def whole(T: Any) -> int:
    """A number of rounds that was drawn as a number, as an int."""
    return int(T) if isinstance(T, float) else int(T.v.p)


def first_term(eps: Any, v: Any, mass: Any, times: int = 1) -> Any:
    r"""$\min\{\varepsilon^2/v, k\varepsilon\}\alpha_{1:T}$ with the sum of weights in `mass`; at v = 0 its limit."""
    if v == 0:
        return times * eps * mass
    return on(smaller, v)(eps / v * eps, times * eps) * mass


def ewoo_price(alpha: Array, D: Any, eps: Any) -> Any:
    r"""$\frac{D\alpha_{\max}}2\max\{D^2/\varepsilon^2, 1\}(1 + \log(T + 1))$: thm:ewoo's bound for the $\gamma$ of
    prp:expconcave at the largest weight."""
    ratio = D / eps
    logarithm = np.log(D * 0 + len(alpha) + 1)
    return D * max(alpha) / 2 * (ratio**2 if ratio > 1 else 1) * (1 + logarithm)


def sim_loss(size: Any, x: Any, alpha: Any) -> Any:
    r"""$(S/x + x)\alpha$, also for arrays; S is $B^2$, a divergence, or $\tilde B^2$."""
    return (size / x + x) * alpha


def sim_regret(size: Array, alpha: Array, played: Array, u: Any) -> Any:
    r"""$\sum_t(S_t/x_t + x_t - S_t/u - u)\alpha_t$."""
    return sum(alpha * (played - u) * (1 - size / u / played))


def past(values: Array) -> Array:
    r"""$\sum_{s<t}x_s$ (T,)."""
    return np.concatenate([0 * values[:1], np.cumsum(values)[:-1]])


def ewoo_rule(D: Any, eps: Any, top: Any, low: Any) -> meta.Sim:
    r"""EWOO over $[low, \sqrt{D^2 + \varepsilon^2}]$ with the $\gamma$ of prp:expconcave, `top` the largest weight."""
    return meta.Sim(meta.EWOO, D, eps, on(exp_concavity_of, D)(top, D, eps), D, low)


def play_sim(rule: meta.Sim, alpha: Array, size: Array) -> Array:
    r"""What SIM plays on the losses $(S_t/x + x)\alpha_t$, the regulariser in $S_t$."""
    return on(meta.rates_after, size)(rule, past(alpha), past(alpha * size))


SIZES = Assumption(r"B_t\in[0,D]", lambda x: min(x.B.min(), (x.D - x.B).min()))
WEIGHTS = Assumption(r"\alpha_t>0", lambda x: x.alpha.min())
EPSILON_POSITIVE = Assumption(r"\varepsilon>0", lambda x: x.eps)
COMPARATOR_POSITIVE = Assumption(r"x^\ast>0", lambda x: x.comparator)
GAME = (SIZES, WEIGHTS, EPSILON_POSITIVE, COMPARATOR_POSITIVE)
