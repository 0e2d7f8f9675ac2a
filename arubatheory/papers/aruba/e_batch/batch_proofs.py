r"""Appendix E: the lines of the proofs of cor:batch and cor:scbatch, with D = G = 1, and cor:batch for every $\delta$.

* cor:scbatch applies thm:app:general with $R^{init} = \tilde O(\hat V\sqrt m + 1/\sqrt T)$. For equal tasks and any
  other $\phi_1$ it is of the order $\sqrt m$ (`proof-1`); $\tilde O(\sqrt m)$ is enough (`proof-2`).
* thm:o2b's second term, $\frac{4G}T\sqrt{\frac{RUB}{\alpha m}\log}$, lacks a factor $\sqrt{T/m}$. With it the term is
  of the order $1/\sqrt{mT}$ in the place of $1/T$, so that the corollary holds, and without its $1/T$ (`proof-3`).
* cor:batch ends with clm:chernoff, which bounds $\hat V$ from above only: in $\min\{\varepsilon^2/V, \varepsilon\}$ it
  is needed from below (`proof-3/literal`). But $\varepsilon \le \min\{\varepsilon^2/V, \varepsilon\} + V$: beside a
  constant times V the minimum says no more than $\varepsilon$, whichever V stands in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch.batch_bounds import LEARNING, SIZES, TRANSFER, WHP, batch_epsilon, learning
from arubatheory.papers.aruba.games.samples import in_unit
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_T

LARGEST_POWER = 48  # of m
SUREST = 50  # 1 - delta is at least 2**-50, so that log(1/delta) is a float
BATCH, SCBATCH = 32, 64  # named constants


def _sequence(draw: Draw) -> Instance:
    r"""$\theta_t^\ast$ and $\phi_1$ in [0, 1], m and $\varepsilon$."""
    T = draw.size("T", 8, MOST_T)
    star = draw.unit(T) if draw.boolean() else draw.array([draw.unit()] * T)
    return Instance(star=star, start=draw.unit(), m=_power(draw), eps=draw.positive(-8, 8))


def _sizes(draw: Draw) -> Instance:
    r"""T, m, $V_Q$, $L = \log\frac1\delta \ge 1$, and where $\hat V^2$ lies below what clm:chernoff has."""
    x = Instance(T=_power(draw), m=_power(draw), V=draw.positive(-24, 0) if draw.boolean() else draw.number(0))
    x.L, x.share, x.eps = draw.positive(0, 10), draw.unit(), draw.positive(-24, 4)
    return x


def _more_than_one(draw: Draw) -> Instance:
    r"""The same with T of 2 and more, for $\log\log T$."""
    x = _sizes(draw)
    x.T = 2 * x.T
    return x


def _power(draw: Draw, most: int = LARGEST_POWER) -> Any:
    return draw.number(2 ** draw.integer(0, most))


def _sure(draw: Draw) -> Instance:
    r"""T and m, powers of two, and $1 - \delta = 2^{-l}$."""
    return Instance(T=_power(draw, 8), m=_power(draw), gap=draw.number(1, 2 ** draw.integer(1, SUREST)))


def _divergences(x: Instance) -> list[Any]:
    r"""$\frac12(\theta_t^\ast - \phi_t)^2$."""
    phi, out = x.start, []
    for t, star in enumerate(x.star):
        out.append((star - phi) * (star - phi) / 2)
        phi = (t * phi + star) / (t + 1)
    return out


def _spread(x: Instance) -> Any:
    r"""$\hat V^2$."""
    away = x.star - sum(x.star) / len(x.star)
    return sum(away * away) / len(x.star)


def _logarithm(T: Any) -> Any:
    r"""$1 + \log T$."""
    return 1 + np.log(T)


EPSILON = Assumption(r"\varepsilon>0", lambda x: x.eps)
UNIT = (
    Assumption(r"\theta_t^\ast,\phi_1\in[0,1]", lambda x: in_unit([*x.star, x.start])),
    Assumption(r"m\ge1", lambda x: x.m - 1),
    EPSILON,
)
LIKELY = (
    SIZES,
    Assumption(r"0\le V_\Q\le1", lambda x: min(x.V, 1 - x.V)),
    Assumption(r"\log\frac1\delta\ge1", lambda x: x.L - 1),
    EPSILON,
)
SURE = (SIZES, Assumption(r"0<\delta<1", lambda x: min(x.gap, 1 - x.gap)))
FROM_TWO = (Assumption(r"T\ge2", lambda x: x.T - 2), *LIKELY)
GAME: dict[str, Any] = {"game": _sequence, "given": UNIT}
RATES: dict[str, Any] = {"game": _sizes, "given": LIKELY}
SUBSTITUTED: dict[str, Any] = {"game": _more_than_one, "given": FROM_TWO}
INIT = r"\sum_{t=1}^T\frac{\sqrt m}2\left(\|\theta_t^\ast-\phi_t\|_2^2-\|\theta_t^\ast-\bar\theta^\ast\|_2^2\right)\le"
BRACKETS = r"32(1+\log T)\left(\frac{V_\Q}{\sqrt m}+" + LEARNING + r"+\sqrt{\frac1T\log\frac1\delta}\right)"
CHERNOFF = r"\quad\text{for}\quad\hat V^2\le2V_\Q^2+X"
LEAST, SAMPLE = (rf"\min\left\{{\frac{{\varepsilon^2}}{{{V}}},\varepsilon\right\}}" for V in (r"V_\Q", r"\hat V"))
TERMS = (
    r"\frac{\U^\ast+\RUB}m+\frac{4G_U}{%s}\sqrt{\frac\RUB{\alpha m}\lambda}+\frac{\max\{16G_U^2,6\alpha B\sqrt m\}}"
    r"{\alpha mT}\lambda\le64(1+\log T)\left(\frac{V_\Q}{\sqrt m}+%s\log\frac1\delta\right)"
)


@claim("cor:batch/literal", TRANSFER + BRACKETS + WHP, _sure, SURE, uses=("alg:general", "thm:statistical"))
def all_equal(x: Instance) -> Sides:
    r"""Transfer with a learned rate.

    For every $\delta\in(0,1)$, with a named constant, in closed form: $\Theta=[0,1]$, all losses are $1-x$, T and m
    powers of two, $\phi_1=0$, so that $V_\Q=0$ and nothing is left to chance. As $\delta\to1$ the last term is 0, and
    the left side is at least of the order $1/(T^2\sqrt m)$: no constant is enough for all m.
    """
    # phi-bar = 1 - 1/T, and m actions that rise to 1 by eta <= sqrt((1 + eps^2)/m) have an average of at most
    # 1 - 1/(2 m T^2 eta), or 1 - 1/(2T) where m T eta < 1
    eps = batch_epsilon(x.m, x.T)
    steps = x.T * root((1 + eps * eps) * x.m)
    lhs = 1 / (2 * x.T * (steps if steps > 1 else steps / steps))
    return Sides(lhs, BATCH * _logarithm(x.T) * (learning(0 * x.gap, x.m, x.T) + root(-np.log(1 - x.gap) / x.T)))


def _init(x: Instance) -> Any:
    r"""$R^{init}$."""
    return root(x.m) * (sum(_divergences(x)) - (x.start * 0 + len(x.star)) * _spread(x) / 2)


@claim("cor:scbatch/proof-1", INIT + r"8(1+\log T)\left(\hat V\sqrt m+\frac1{\sqrt T}\right)", **GAME)
def printed_init(x: Instance) -> Sides:
    r"""The regret of INIT at a fixed rate, as printed.

    With a named constant; $T\le8$, m a power of two. Equal tasks and another $\phi_1$: the left side is of the order
    $\sqrt m$.
    """
    T = x.start * 0 + len(x.star)
    return Sides(_init(x), 8 * _logarithm(T) * (root(_spread(x) * x.m) + 1 / root(T)))


@claim("cor:scbatch/proof-1/corrected", INIT + r"\frac{\sqrt m}2(1+\log T)", **GAME)
def mended_init(x: Instance) -> Sides:
    r"""The regret of INIT at a fixed rate.

    $D=G=1$, $T\le8$, m a power of two.
    """
    return Sides(_init(x), root(x.m) * _logarithm(x.start * 0 + len(x.star)) / 2)


AVERAGE = (
    r"\frac\RUB{\sqrt m}\le\frac{1+\log T}{2\varepsilon T}+\frac{\hat V^2}{2\varepsilon}+\varepsilon"
    r"\quad\text{at}\quad\eta=\frac\varepsilon{G\sqrt m}"
)


@claim("cor:scbatch/proof-2", AVERAGE, uses=("thm:app:general",), **GAME)
def upper_average(x: Instance) -> Sides:
    r"""The average upper bound at a fixed rate.

    thm:app:general with $\Rsim=0$; $D=G=1$, $T\le8$, m a power of two.
    """
    T = x.start * 0 + len(x.star)
    rhs = _logarithm(T) / (2 * x.eps * T) + _spread(x) / (2 * x.eps) + x.eps
    return Sides(sum(_divergences(x)) / (T * x.eps) + x.eps, rhs)


def _substituted(x: Instance, corrected: bool) -> Sides:
    r"""$L_T$ of thm:o2b, with or without the factor $\sqrt{T/m}$, against the brackets, without $1/T$ if corrected."""
    T, m, eps = x.T, x.m, x.V + 1 / root(x.T)
    V = x.V * x.V
    seen = x.share * (2 * V + 3 * x.L / T)
    average = _logarithm(T) / (2 * eps * T) + seen / (2 * eps) + eps  # RUB / sqrt(m)
    best = V / (2 * eps) + eps  # U^* / sqrt(m)
    level = x.L + np.log(8 * np.log(T))
    second = 4 / T * root(average * level / eps) * (root(T / m) if corrected else 1)
    slopes, range_ = 16 / eps, 6 * (1 / (2 * eps) + eps)
    third = (slopes if slopes > range_ else range_) * level / (root(m) * T)
    rates = 1 / root(m * T) + (0 if corrected else 1 / T)
    rhs = SCBATCH * _logarithm(T) * (x.V / root(m) + rates * x.L)
    return Sides((average + best) / root(m) + second + third, rhs)


PRINTED = TERMS % ("T", r"\left(\frac1{\sqrt{mT}}+\frac1T\right)")


@claim("cor:scbatch/proof-3", PRINTED, uses=("thm:o2b", "text:ogd-constants/bounded"), **SUBSTITUTED)
def substituted(x: Instance) -> Sides:
    r"""thm:o2b at the constants of text:ogd-constants, as printed.

    $D=G=1$, $\delta\le1/e$, $T\ge2$, a named constant, T and m powers of two; $\alpha=\sqrt m/\varepsilon=G_U$,
    $B=\frac1{2\varepsilon}+\varepsilon$, $\lambda=\log\frac{8\log T}\delta$, $\RUB$ as in proof-2 with
    $\hat V^2\le2V_\Q^2+\frac3T\log\frac1\delta$."""
    return _substituted(x, False)


RIGHT = TERMS % (r"\sqrt{mT}", r"\frac1{\sqrt{mT}}")


@claim(
    "cor:scbatch/proof-3/corrected", RIGHT, uses=("thm:o2bsc", "text:ogd-constants/bounded"), corrects=(), **SUBSTITUTED
)
def substituted_by_o2bsc(x: Instance) -> Sides:
    r"""The same with the second term that thm:o2bsc gives.

    $D=G=1$, $\delta\le1/e$, $T\ge2$, a named constant, T and m powers of two; $\alpha=\sqrt m/\varepsilon=G_U$,
    $B=\frac1{2\varepsilon}+\varepsilon$, $\lambda=\log\frac{8\log T}\delta$, $\RUB$ as in proof-2 with
    $\hat V^2\le2V_\Q^2+\frac3T\log\frac1\delta$. The right term is larger by $\sqrt{T/m}$, and there is no $1/T$ on the
    right."""
    return _substituted(x, True)


def _least(V: Any, eps: Any, times: int = 1) -> Any:
    r"""$\min\{\varepsilon^2/V, times\,\varepsilon\}$."""
    return times * eps if not eps < times * V else eps * eps / V


JOINT = (
    r"\U\left(\frac{\phi+\phi'}2,\frac{v+v'}2\right)\le\frac{\U(\phi,v)+\U(\phi',v')}2\quad\text{for}\quad"
    r"\U(\phi,v)=\frac{\Breg_R(\theta^\ast||\phi)}v+v,\ R="
)
LEARNED = Assumption("v,v'>0", lambda x: min(x.v))
STARTS = Assumption(r"\phi,\phi'\in\Theta,\ \phi_1,\phi_1'>0", lambda x: min(min(x.phi), 1 - max(x.phi)))


def _two_states(draw: Draw) -> Instance:
    return Instance(v=draw.positive(-8, 8, 2), phi=(1 + 254 * draw.unit(2)) / 256)


@claim("cor:batch/proof-1/state", JOINT + r"\frac12\|\cdot\|_2^2", _two_states, (LEARNED, STARTS), uses=("thm:o2bexp",))
def euclidean_state(x: Instance) -> Sides:
    r"""The upper bound is jointly convex in the state.

    thm:o2bexp asks for it where the average state is played, and the state is $(\phi,v)$ where $\eta$ is learned too:
    $\frac{x^2}v$ is jointly convex. In one dimension, $\theta^\ast=0$; v alone is on both sides.
    """
    a, b = x.phi * x.phi / 2 / x.v
    mean = sum(x.phi) / 2
    return Sides(mean * mean / sum(x.v), (a + b) / 2)


@claim("cor:batch/proof-1/state/entropy", JOINT + r"\sum_j\theta_j\log\theta_j", _two_states, (LEARNED, STARTS))
def entropic_state(x: Instance) -> Sides:
    r"""The upper bound is jointly convex in the state, R the entropy.

    On the simplex at $\theta^\ast=e_1$, where $\Breg_R(\theta^\ast||\phi)=-\log\phi_1$: $-\frac{\log\phi_1}v$ is not
    jointly convex for $\phi_1>e^{-1/2}$, so that the proof does not reach OMD with the entropy. v alone is on both
    sides.
    """
    a, b = -np.log(x.phi) / x.v
    return Sides(-2 * np.log(sum(x.phi) / 2) / sum(x.v), (a + b) / 2)


@claim(
    "cor:batch/proof-1/state/entropy/corrected",
    JOINT + r"\sum_j\theta_j\log\theta_j",
    lambda draw: _near_uniform(_two_states(draw)),
    (LEARNED, STARTS, Assumption(r"\phi_1,\phi_1'\le\frac35", lambda x: 3 - 5 * max(x.phi))),
)
def entropic_state_inside(x: Instance) -> Sides:
    r"""The same where no coordinate of the starts exceeds 3/5.

    $-2\log\phi\ge1$ for $\phi\le e^{-1/2}\approx0.607$, which is what the second derivatives ask for.
    """
    return entropic_state.sides(x)  # type: ignore[return-value]


def _one_apart(draw: Draw) -> Instance:
    r"""$1 - \phi_{t,1}$ of T - 1 states at the least v, near the vertex, and of one at v = 1; T, m powers of two."""
    T, m = _power(draw), _power(draw, 4 * LARGEST_POWER)
    return Instance(T=T, m=m, near=draw.positive(-8, -1) / m, far=draw.positive(-8, -1))


@claim(
    "cor:batch/proof-1/entropy",
    r"\U(\bar\phi,\bar v)\le\frac{100}T\sum_{t=1}^T\U(\phi_t,v_t)\quad\text{for}\quad"
    r"\U(\phi,v)=\frac{\Breg_R(\theta^\ast||\phi)}v+v,\ v_t\ge\varepsilon,\ R=\sum_j\theta_j\log\theta_j",
    _one_apart,
    (SIZES, Assumption(r"\phi_{t,1}\in(0,1)", lambda x: min(x.near, x.far, 1 - x.near, 1 - x.far))),
    uses=("thm:o2bexp",),
)
def entropic_average(x: Instance) -> Sides:
    r"""The average state is no worse than the average, R the entropy, up to the factor 100.

    $\theta^\ast=e_1$, $\varepsilon=(mT)^{-\frac14}+m^{-\frac12}$: of T states all but one are near $\theta^\ast$ with
    $v_t=\varepsilon$, the last has $v=1$. What joint convexity would give is off by a factor of order T for
    $m\ge T^3$.
    """
    eps, rest = batch_epsilon(x.m, x.T), x.T - 1
    away, v = (rest * x.near + x.far) / x.T, (rest * eps + 1) / x.T
    average = (rest * (eps - np.log(1 - x.near) / eps) + 1 - np.log(1 - x.far)) / x.T
    return Sides(v - np.log(1 - away) / v, 100 * average)


def _near_uniform(x: Instance) -> Instance:
    x.phi = 3 * x.phi / 5
    return x


SUBSTITUTION = (
    r"\frac1{\sqrt m}\left(\min\left\{\frac{\varepsilon^2}{\hat V},2\varepsilon\right\}"
    r"+\frac{\max\{\varepsilon^{-2},1\}}{2T}(1+\log(T+1))+\sqrt{\frac{8(1+\log T)}T}+2\hat V"
    r"+B\sqrt{\frac8T\log\frac2\delta}\right)\le" + BRACKETS
)
OF_SUBSTITUTION = ("cor:epsewoo/explicit/corrected", "thm:o2bexp/rub", "text:ewoo-bounded")


@claim("cor:batch/proof-2", SUBSTITUTION, uses=OF_SUBSTITUTION, **RATES)
def batch_substituted(x: Instance) -> Sides:
    r"""cor:epsewoo and the bound of the upper bounds in thm:o2bexp.

    $D=G=1$, $\delta\le1/e$, a named constant, T and m powers of two; $\varepsilon=(mT)^{-1/4}+m^{-1/2}$,
    $B=\frac1\varepsilon+\sqrt{1+\varepsilon^2}$, $\hat V^2\le V_\Q^2+\frac3{2T}\log\frac2\delta$ (half squares).
    """
    T, m, eps = x.T, x.m, batch_epsilon(x.m, x.T)
    level = x.L + np.log(x.L * 0 + 2)
    V, ratio = root(x.share * (x.V * x.V + 3 * level / (2 * T))), 1 / (eps * eps)
    price = (ratio if ratio > 1 else ratio / ratio) * _logarithm(T + 1) / (2 * T)
    average = _least(V, eps, 2) + price + root(8 * _logarithm(T) / T) + 2 * V
    B = 1 / eps + root(1 + eps * eps)
    rhs = BATCH * _logarithm(T) * (x.V / root(m) + learning(x.V, m, T) + root(x.L / T))
    return Sides((average + B * root(8 * level / T)) / root(m), rhs)


def _sampled(x: Instance) -> tuple[Any, Any]:
    r"""$\hat V$ with $\hat V^2 \le 2V_Q^2 + X$, and $X = L/T$."""
    X = x.L / x.T
    return root(x.share * (2 * x.V * x.V + X)), X


BESIDE = SAMPLE + r"+2\hat V\le" + LEAST + r"+(1+\sqrt8)V_\Q+2\sqrt X" + CHERNOFF


@claim("cor:batch/proof-3", BESIDE, uses=("clm:chernoff",), corrects=("cor:batch/proof-3/literal",), **RATES)
def minimum(x: Instance) -> Sides:
    r"""The variance of the sample in the minimum.

    $\varepsilon\le\min\{\varepsilon^2/V,\varepsilon\}+V$ for every V. T is a power of two.
    """
    V, X = _sampled(x)
    return Sides(_least(V, x.eps) + 2 * V, _least(x.V, x.eps) + (1 + root(x.eps * 0 + 8)) * x.V + 2 * root(X))


@claim("cor:batch/proof-3/literal", SAMPLE + r"\le100" + LEAST + CHERNOFF, uses=("clm:chernoff",), **RATES)
def minimum_alone(x: Instance) -> Sides:
    r"""The same without the leading term.

    clm:chernoff bounds $\hat V$ from above, here it is needed from below. With a named constant; T is a power of two.
    """
    return Sides(_least(_sampled(x)[0], x.eps), 100 * _least(x.V, x.eps))
