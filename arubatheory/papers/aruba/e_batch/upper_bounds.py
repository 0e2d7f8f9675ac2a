r"""Section 5 and appendix E: what the text says of the regret upper bounds of OGD.

The task has m losses with slopes of at most G, $\Theta$ is a ball of diameter D, and with $\eta = v/(G\sqrt m)$
$$U(\phi, \eta) = \frac{\|\theta^\ast - \phi\|_2^2}{2\eta} + \eta G^2 m
  = \Big(\frac{\|\theta^\ast - \phi\|_2^2}{2v} + v\Big) G\sqrt m .$$
"The OMD regret-upper-bound is $O(\sqrt m)$-bounded" depends on v: it is at $v = D$, it is not at any v, nor at those
that cor:batch learns, where the least v is its $\varepsilon = (mT)^{-1/4} + m^{-1/2}$. There the bound is of the order
$\sqrt m/\varepsilon$ (text:ewoo-bounded), which may be m; the corollary has $\sqrt{1/T}$ for it, not $1/\sqrt{mT}$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.e_batch.batch_bounds import batch_epsilon
from arubatheory.papers.aruba.games.samples import CONVEX, in_unit
from arubatheory.problems.domains import BALL, Domain, inside, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import loss_at, random_mixture
from arubatheory.problems.regularizers import ENTROPY, Regularizer, bregman
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import magnitude, root

LARGEST_POWER = 64  # of m and T


# games -------------------------------------------------------------------------------------------------------------
def _ball(draw: Draw, d: int, D: Any) -> Domain:
    return Domain(BALL, draw.zeros(d), draw.zeros(d), draw.zeros(d), draw.array([D / 2]))


def _task(draw: Draw) -> Instance:
    r"""$\theta^\ast$ and two starts in the ball; G, and m and T, powers of two or small."""
    d, D = draw.integer(1, 3), draw.positive(-8, 8)
    domain = _ball(draw, d, D)
    points = {name: random_point(domain, draw) for name in ("star", "phi", "other")}
    return Instance(
        **points, domain=domain, D=D, G=draw.positive(-8, 8), m=_count(draw), T=_count(draw), share=draw.unit(),
        v=draw.positive(), eps=draw.positive(), V=D * draw.unit(),
    )  # fmt: skip


def _count(draw: Draw) -> Any:
    if draw.boolean():
        return draw.number(draw.integer(1, 9))
    return draw.number(2 ** draw.integer(0, LARGEST_POWER))


def _free_learner(draw: Draw) -> Instance:
    """Any actions on any losses in [0, 1], and any comparator."""
    count, m = draw.integer(1, 3), draw.integer(1, 6)
    return Instance(
        M=random_mixture(draw, count), losses=draw.integers(0, count - 1, m), points=draw.unit(m), star=draw.unit()
    )


def _simplex(draw: Draw) -> Instance:
    r"""$\theta^\ast$ anywhere on the simplex, and two starts off its faces."""
    d = draw.integer(2, 3)
    starts = {name: (draw.simplex(d) + draw.array([1] * d) / d) / 2 for name in ("phi", "other")}
    return Instance(star=draw.simplex(d), **starts, share=draw.unit(), eta=draw.positive(-8, 8))


# sides -------------------------------------------------------------------------------------------------------------
def _upper(x: Instance, eta: Any, phi: Array) -> Any:
    away = x.star - phi
    return (away @ away) / (2 * eta) + eta * (x.G * x.G) * x.m


def _within(x: Instance, eps: Any) -> Any:
    r"""A v of $[\varepsilon, \sqrt{D^2+\varepsilon^2}]$."""
    return eps + x.share * (root(x.D * x.D + eps * eps) - eps)


def _at(v: Callable[[Instance], Any], bound: Callable[[Instance], Any]) -> Callable[[Instance], Sides]:
    r"""U at $\eta = v/(G\sqrt m)$ against `bound` times $G\sqrt m$."""

    def sides(x: Instance) -> Sides:
        steep = x.G * root(x.m)
        eta = v(x) / steep
        rhs, reach = bound(x) * steep, magnitude(x.star) + magnitude(x.phi)
        return Sides(_upper(x, eta, x.phi), rhs, rhs + reach * reach / eta + eta * x.G * x.G * x.m)

    return sides


def _regret(x: Instance) -> Sides:
    rounds = list(zip(x.losses, x.points, strict=True))
    paid = sum(on(loss_at, x.star)(x.M, int(k), p) for k, p in rounds)
    compared = sum(on(loss_at, x.star)(x.M, int(k), x.star) for k, _ in rounds)
    return Sides(paid - compared, paid - paid + len(rounds), 8 * (paid - paid + len(rounds)))


def _learned_epsilon(x: Instance) -> Any:
    return _within(x, batch_epsilon(x.m, x.T))


def _from_zero(x: Instance) -> Any:
    r"""A v of $(0, \sqrt{D^2+\varepsilon^2})$."""
    eps = batch_epsilon(x.m, x.T)
    return root(x.D * x.D + eps * eps) * x.v / (1 + x.v)


def _below_corollary(x: Instance) -> Any:
    r"""$(D^2 + 2\sqrt{D^2+4})/\varepsilon$, for $\varepsilon\le2$."""
    return (x.D * x.D + 2 * root(x.D * x.D + 4)) / batch_epsilon(x.m, x.T)


def _fixed(x: Instance) -> Any:
    r"""$\varepsilon = V_Q + 1/\sqrt T$."""
    return x.V + 1 / root(x.T)


def _and_its_inverse(x: Instance) -> Any:
    half, eps = x.D * x.D / 2, _fixed(x)
    return (half if half > 1 else half / half) * (1 / eps + eps)


def _chord(x: Instance, upper: Callable[[Array], Any], square: Any, alpha: Any, size: Any) -> Sides:
    r"""$U((1-\lambda)\phi+\lambda\phi') + \frac\alpha2\lambda(1-\lambda)\|\phi-\phi'\|^2$ against the chord."""
    kept, other = 1 - x.share, x.share
    bent = alpha * kept * other * square / 2
    chord = kept * upper(x.phi) + other * upper(x.other)
    return Sides(upper(kept * x.phi + other * x.other) + bent, chord, chord + bent + size)


def _euclidean_chord(x: Instance, eta: Any) -> Sides:
    step = x.phi - x.other
    reach = magnitude(x.star) + magnitude(x.phi) + magnitude(x.other)
    return _chord(x, lambda phi: _upper(x, eta, phi), step @ step, 1 / eta, reach * reach / eta)


def _identity(x: Instance) -> tuple[Sides, Sides]:
    s = _euclidean_chord(x, x.v)
    return s, Sides(s.rhs, s.lhs, s.scale)


def _entropic(x: Instance) -> Sides:
    R = Regularizer(ENTROPY, np.zeros_like(np.outer(x.star, x.star)))
    distance = magnitude(x.phi - x.other)
    return _chord(
        x, lambda phi: on(bregman, phi)(R, x.star, phi) / x.eta, distance * distance, 1 / x.eta, 4 / x.eta
    )  # fmt: skip


def _step_of(x: Instance) -> Any:
    r"""$\eta = (V_Q + 1/\sqrt T)/(G\sqrt m)$."""
    return _fixed(x) / (x.G * root(x.m))


def _lipschitz(x: Instance) -> Sides:
    r"""Both sides squared, and divided by $(G\sqrt m/\varepsilon)^2$."""
    a, b, step = x.star - x.phi, x.star - x.other, x.phi - x.other
    gap, square = (a @ a - b @ b) / 2, x.D * x.D * (step @ step)
    reach = magnitude(x.star) + magnitude(x.phi) + magnitude(x.other)
    return Sides(gap * gap, square, square + reach**4)


# statements --------------------------------------------------------------------------------------------------------
def _in_ball(x: Instance) -> Any:
    return min(on(inside, x.D)(x.domain, p) for p in (x.star, x.phi, x.other))


TASK = (
    Assumption(r"\theta^\ast,\phi,\phi'\in\Theta", _in_ball),
    Assumption("G,D>0", lambda x: min(x.G, x.D)),
    Assumption(r"m,T\ge1", lambda x: min(x.m, x.T) - 1),
    Assumption(r"V_\Q\ge0", lambda x: x.V),
)
FREE = (CONVEX, Assumption(r"\theta_i,\theta^\ast\in[0,1]", lambda x: min(in_unit(x.points), x.star, 1 - x.star)))
ENTROPIC = (
    Assumption(r"\phi,\phi'>0", lambda x: min(min(x.phi), min(x.other))),
    Assumption(r"\eta>0", lambda x: x.eta),
)
U = r"\U_m\left(\phi,\frac v{G\sqrt m}\right)\le"
INTERVAL = r"\quad\text{for}\quad v\in\left[\varepsilon,\sqrt{D^2+\varepsilon^2}\right]"
EPSILON = r",\ \varepsilon=\frac1{\sqrt[4]{mT}}+\frac1{\sqrt m}"
BATCH = r"$\varepsilon=(mT)^{-1/4}+m^{-1/2}$"


def _text(
    label: str, title: str, latex: str, sides: Any, note: str, instance: Any = _task, assumptions: Any = TASK,
    **more: Any,
) -> Statement:  # fmt: skip
    slug = label.partition("/")[0]
    return Statement(
        label=label, kind="claim in text", title=title, latex=latex, instance=instance, sides=sides, note=note,
        assumptions=assumptions, part_of=None if label == slug else slug, uses=("eq:omdregret", "def:omd"), **more,
    )  # fmt: skip


BOUNDED = (
    _text("text:upper-bound-bounded", r"The regret-upper-bound is $O(\sqrt m)$-bounded at the step size for D",
          U + r"\frac32DG\sqrt m\quad\text{at}\quad v=D", _at(lambda x: x.D, lambda x: 3 * x.D / 2),
          r"$D$ is the diameter; for the radius the constant is 3. Attained where $\phi$ is opposite $\theta^\ast$.",
          corrects=("text:upper-bound-bounded/any-step",)),
    _text("text:upper-bound-bounded/regret", "Regret is m-bounded",
          r"\sum_{i=1}^m\ell_i(\theta_i)-\ell_i(\theta^\ast)\le m\quad\text{for}\quad\ell_i:\Theta\mapsto[0,1]",
          _regret, r"Any actions, any comparator.", _free_learner, FREE),
    _text("text:upper-bound-bounded/any-step", r"The regret-upper-bound is $O(\sqrt m)$-bounded at every step size",
          U + r"3DG\sqrt m\quad\text{for all}\quad v>0", _at(lambda x: x.v, lambda x: 3 * x.D),
          r"With the named constant 3: as $v\to0$ or $\infty$ no constant does."),
    _text("text:upper-bound-bounded/learned", r"The regret-upper-bound is $O(\sqrt m)$-bounded where cor:batch learns "
          r"the step size", U + r"3(1+D)^2G\sqrt m" + INTERVAL + EPSILON,
          _at(_learned_epsilon, lambda x: 3 * (1 + x.D) * (1 + x.D)),
          r"With a named constant; at $v=\varepsilon$ it is of the order $\sqrt m/\varepsilon$, at most $m$ up to a "
          r"constant. cor:batch takes that into account, not with thm:statistical's $1/\sqrt{mT}$."),
)  # fmt: skip

EWOO = (
    _text("text:ewoo-bounded", r"With $\varepsilon$-EWOO the upper bounds are $O(\sqrt m/\varepsilon)$-bounded",
          U + r"\left(D^2+2\sqrt{D^2+4}\right)\frac{G\sqrt m}\varepsilon" + INTERVAL + EPSILON,
          _at(_learned_epsilon, _below_corollary), r"A named constant, for $\varepsilon\le2$ as in cor:batch.",
          corrects=("text:upper-bound-bounded/learned", "text:ewoo-bounded/from-zero")),
    _text("text:ewoo-bounded/any-epsilon", r"The same for every $\varepsilon$",
          U + r"3(1+D)^2\frac{G\sqrt m}\varepsilon" + INTERVAL + r",\ \varepsilon>0",
          _at(lambda x: _within(x, x.eps), lambda x: 3 * (1 + x.D) * (1 + x.D) / x.eps),
          r"With a named constant; for large $\varepsilon$ it is of the order $\varepsilon\sqrt m$."),
    _text("text:ewoo-bounded/from-zero", "The same on the interval of eq:ewoo, from 0",
          U + r"3(1+D)^2\frac{G\sqrt m}\varepsilon\quad\text{for}\quad v\in\left(0,\sqrt{D^2+\varepsilon^2}\right]"
          + EPSILON, _at(_from_zero, lambda x: 3 * (1 + x.D) * (1 + x.D) / batch_epsilon(x.m, x.T)),
          r"cor:batch refers to thm:similarity, where eq:ewoo integrates from 0. With a named constant; the "
          r"bound has none on that interval."),
    _text("text:ewoo-bounded/corrected", r"The bound for every $\varepsilon$",
          U + r"\left(\frac{D^2}\varepsilon+\sqrt{D^2+\varepsilon^2}\right)G\sqrt m" + INTERVAL + r",\ \varepsilon>0",
          _at(lambda x: _within(x, x.eps), lambda x: x.D * x.D / x.eps + root(x.D * x.D + x.eps * x.eps)),
          r"$\mathcal O((1/\varepsilon+\varepsilon)\sqrt m)$.", corrects=("text:ewoo-bounded/any-epsilon",)),
)  # fmt: skip

BENT = r"\U((1-\lambda)\phi+\lambda\phi')+\frac1{2\eta}\lambda(1-\lambda)\|\phi-\phi'\|"
CHORD = r"(1-\lambda)\U(\phi)+\lambda\U(\phi')"
CURVED = (
    _text("text:fixed-rate-strongly-convex", r"At a fixed rate the upper bound of OGD is $\frac1\eta$-strongly convex",
          BENT + "_2^2=" + CHORD + r"\quad\text{for}\quad\U(\phi)=\frac{\|\theta^\ast-\phi\|_2^2}{2\eta}+\eta G^2m",
          _identity, r"An identity: $\frac1\eta$ is the best constant.",
          corrects=("text:fixed-rate-strongly-convex/entropy",)),
    _text("text:fixed-rate-strongly-convex/entropy", "The same for OMD with the entropy",
          BENT + r"_1^2\le" + CHORD + r"\quad\text{for}\quad\U(\phi)=\frac{\Breg_R(\theta^\ast||\phi)}\eta+\eta G^2m,"
          r"\ R(\theta)=\sum_j\theta_j\log\theta_j", _entropic,
          r"The text says OGD. The divergence is convex in $\phi$, but not strongly: coordinates where $\theta^\ast$ "
          r"is 0 do not appear in it. The constant $\eta G^2m$ is left out on both sides.", _simplex, ENTROPIC),
    _text("text:ogd-constants/bounded", r"With $\eta=\varepsilon/(G\sqrt m)$ the upper bound is bounded",
          r"\U_m(\phi)\le\max\left\{\frac{D^2}2,1\right\}\left(\frac1\varepsilon+\varepsilon\right)G\sqrt m\quad"
          r"\text{for}\quad\eta=\frac\varepsilon{G\sqrt m},\ \varepsilon=V_\Q+\frac1{\sqrt T}",
          _at(_fixed, _and_its_inverse), r"$D$ is the diameter; for the radius, $2D^2$ in the place of $D^2/2$."),
    _text("text:ogd-constants/lipschitz", "... and Lipschitz",
          r"|\U_m(\phi)-\U_m(\phi')|\le\frac{DG\sqrt m}\varepsilon\|\phi-\phi'\|_2", _lipschitz,
          r"Both sides squared and without $G\sqrt m/\varepsilon$; twice that if $D$ is the radius."),
    _text("text:ogd-constants/strongly-convex", "... and strongly convex",
          BENT + r"_2^2\le" + CHORD + r"\quad\text{for}\quad\frac1\eta=\frac{G\sqrt m}\varepsilon",
          lambda x: _euclidean_chord(x, _step_of(x)), r"$\frac{G\sqrt m}\varepsilon$-strongly convex, exactly."),
)  # fmt: skip

STATEMENTS: tuple[Statement, ...] = (*BOUNDED, *EWOO, *CURVED)
