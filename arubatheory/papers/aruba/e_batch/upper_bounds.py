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
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch.batch_bounds import SIZES, batch_epsilon
from arubatheory.papers.aruba.games.samples import CONVEX, in_unit
from arubatheory.problems.domains import BALL, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import loss_at, random_mixture
from arubatheory.problems.random_domains import random_point
from arubatheory.problems.regularizers import ENTROPY, Regularizer, bregman
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root, within
from arubatheory.statements.games import MOST_D, MOST_T, STEP

LARGEST_POWER = 64  # of m and T


# games -------------------------------------------------------------------------------------------------------------
def _task(draw: Draw) -> Instance:
    r"""$\theta^\ast$ and two starts in the ball; G, and m and T, powers of two or small."""
    d, D = draw.size("d", 3, MOST_D), draw.positive(-8, 8)
    domain = Domain(BALL, draw.zeros(d), draw.zeros(d), draw.zeros(d), draw.array([D / 2]))
    x = Instance(**{name: random_point(domain, draw) for name in ("star", "phi", "other")}, domain=domain, D=D)
    x.G, x.m, x.T, x.share = draw.positive(-8, 8), _count(draw), _count(draw), draw.unit()
    x.v, x.eps, x.V = draw.positive(), draw.positive(), D * draw.unit()
    return x


def _count(draw: Draw) -> Any:
    return draw.number(draw.size("count", 9) if draw.boolean() else 2 ** draw.integer(0, LARGEST_POWER))


def _free_learner(draw: Draw) -> Instance:
    """Any actions on any losses in [0, 1], and any comparator."""
    count, m = draw.size("losses", 3, MOST_D), draw.size("m", 6, MOST_T)
    M, losses = random_mixture(draw, count), draw.integers(0, count - 1, m)
    return Instance(M=M, losses=losses, points=draw.unit(m), star=draw.unit())


def _simplex(draw: Draw) -> Instance:
    r"""$\theta^\ast$ anywhere on the simplex, and two starts off its faces."""
    d = draw.size("d", 3, MOST_D, least=2)
    starts = {name: (draw.simplex(d) + draw.array([1] * d) / d) / 2 for name in ("phi", "other")}
    return Instance(star=draw.simplex(d), **starts, share=draw.unit(), eta=draw.positive(-8, 8))


TASK = (
    within(r"\theta^\ast,\phi,\phi'\in\Theta", "star", "phi", "other"),
    Assumption("G,D>0", lambda x: min(x.G, x.D)),
    SIZES,
    Assumption(r"V_\Q\ge0", lambda x: x.V),
)
OF_OMD = ("eq:omdregret", "def:omd")
OGD: dict[str, Any] = {"game": _task, "given": TASK, "uses": OF_OMD}


def upper(x: Instance, eta: Any, phi: Array) -> Any:
    r"""$U(\phi, \eta)$."""
    away = x.star - phi
    return (away @ away) / (2 * eta) + eta * (x.G * x.G) * x.m


def upper_sides(x: Instance, v: Any, bound: Any) -> Sides:
    r"""U at $\eta = v/(G\sqrt m)$ against `bound` times $G\sqrt m$."""
    steep = x.G * root(x.m)
    return Sides(upper(x, v / steep, x.phi), bound * steep)


def from_epsilon(x: Instance, eps: Any) -> Any:
    r"""A v of $[\varepsilon, \sqrt{D^2+\varepsilon^2}]$."""
    return eps + x.share * (root(x.D * x.D + eps * eps) - eps)


# text:upper-bound-bounded ------------------------------------------------------------------------------------------
U = r"\U_m\left(\phi,\frac v{G\sqrt m}\right)\le"
INTERVAL = r"\quad\text{for}\quad v\in\left[\varepsilon,\sqrt{D^2+\varepsilon^2}\right]"
EPSILON = r",\ \varepsilon=\frac1{\sqrt[4]{mT}}+\frac1{\sqrt m}"
ANY_STEP = ("text:upper-bound-bounded/any-step",)


@claim("text:upper-bound-bounded", U + r"\frac32DG\sqrt m\quad\text{at}\quad v=D", corrects=ANY_STEP, **OGD)
def _at_diameter(x: Instance) -> Sides:
    r"""The regret-upper-bound is $O(\sqrt m)$-bounded at the step size for D.

    $D$ is the diameter; for the radius the constant is 3. Attained where $\phi$ is opposite $\theta^\ast$."""
    return upper_sides(x, x.D, 3 * x.D / 2)


POINTS = Assumption(r"\theta_i,\theta^\ast\in[0,1]", lambda x: in_unit([*x.points, x.star]))
REGRET = r"\sum_{i=1}^m\ell_i(\theta_i)-\ell_i(\theta^\ast)\le m\quad\text{for}\quad\ell_i:\Theta\mapsto[0,1]"


@claim("text:upper-bound-bounded/regret", REGRET, _free_learner, (CONVEX, POINTS), uses=OF_OMD)
def _regret(x: Instance) -> Sides:
    """Regret is m-bounded.

    Any actions, any comparator."""
    at = on(loss_at, x.star)
    regrets = [at(x.M, int(k), p) - at(x.M, int(k), x.star) for k, p in zip(x.losses, x.points, strict=True)]
    return Sides(sum(regrets), 0 * x.star + len(regrets))


@claim("text:upper-bound-bounded/any-step", U + r"3DG\sqrt m\quad\text{for all}\quad v>0", **OGD)
def _any_step(x: Instance) -> Sides:
    r"""The regret-upper-bound is $O(\sqrt m)$-bounded at every step size.

    With the named constant 3: as $v\to0$ or $\infty$ no constant does."""
    return upper_sides(x, x.v, 3 * x.D)


@claim("text:upper-bound-bounded/learned", U + r"3(1+D)^2G\sqrt m" + INTERVAL + EPSILON, **OGD)
def _learned(x: Instance) -> Sides:
    r"""The regret-upper-bound is $O(\sqrt m)$-bounded where cor:batch learns the step size.

    With a named constant; at $v=\varepsilon$ it is of the order $\sqrt m/\varepsilon$, at most $m$ up to a constant.
    cor:batch takes that into account, not with thm:statistical's $1/\sqrt{mT}$."""
    return upper_sides(x, from_epsilon(x, batch_epsilon(x.m, x.T)), 3 * (1 + x.D) * (1 + x.D))


# text:ewoo-bounded -------------------------------------------------------------------------------------------------
OVER_EPSILON = r"3(1+D)^2\frac{G\sqrt m}\varepsilon"
COROLLARY = U + r"\left(D^2+2\sqrt{D^2+4}\right)\frac{G\sqrt m}\varepsilon" + INTERVAL + EPSILON
FOR_COROLLARY = ("text:upper-bound-bounded/learned", "text:ewoo-bounded/from-zero")


@claim("text:ewoo-bounded", COROLLARY, corrects=FOR_COROLLARY, **OGD)
def _ewoo(x: Instance) -> Sides:
    r"""With $\varepsilon$-EWOO the upper bounds are $O(\sqrt m/\varepsilon)$-bounded.

    A named constant, for $\varepsilon\le2$ as in cor:batch."""
    eps = batch_epsilon(x.m, x.T)
    return upper_sides(x, from_epsilon(x, eps), (x.D * x.D + 2 * root(x.D * x.D + 4)) / eps)


@claim("text:ewoo-bounded/any-epsilon", U + OVER_EPSILON + INTERVAL + r",\ \varepsilon>0", **OGD)
def _any_epsilon(x: Instance) -> Sides:
    r"""The same for every $\varepsilon$.

    With a named constant; for large $\varepsilon$ it is of the order $\varepsilon\sqrt m$."""
    return upper_sides(x, from_epsilon(x, x.eps), 3 * (1 + x.D) * (1 + x.D) / x.eps)


FROM_ZERO = U + OVER_EPSILON + r"\quad\text{for}\quad v\in\left(0,\sqrt{D^2+\varepsilon^2}\right]" + EPSILON


@claim("text:ewoo-bounded/from-zero", FROM_ZERO, **OGD)
def _from_zero(x: Instance) -> Sides:
    r"""The same on the interval of eq:ewoo, from 0.

    cor:batch refers to thm:similarity, where eq:ewoo integrates from 0. With a named constant; the bound has none on
    that interval."""
    eps = batch_epsilon(x.m, x.T)
    v = root(x.D * x.D + eps * eps) * x.v / (1 + x.v)
    return upper_sides(x, v, 3 * (1 + x.D) * (1 + x.D) / eps)


EVERY_EPSILON = U + r"\left(\frac{D^2}\varepsilon+\sqrt{D^2+\varepsilon^2}\right)G\sqrt m" + INTERVAL
ANY_EPSILON = ("text:ewoo-bounded/any-epsilon",)


@claim("text:ewoo-bounded/corrected", EVERY_EPSILON + r",\ \varepsilon>0", corrects=ANY_EPSILON, **OGD)
def _every_epsilon(x: Instance) -> Sides:
    r"""The bound for every $\varepsilon$.

    $\mathcal O((1/\varepsilon+\varepsilon)\sqrt m)$."""
    return upper_sides(x, from_epsilon(x, x.eps), x.D * x.D / x.eps + root(x.D * x.D + x.eps * x.eps))


# text:fixed-rate-strongly-convex and text:ogd-constants ------------------------------------------------------------
def chord(x: Instance, f: Callable[[Array], Any], square: Any, alpha: Any) -> Sides:
    r"""$f((1-\lambda)\phi+\lambda\phi') + \frac\alpha2\lambda(1-\lambda)\|\phi-\phi'\|^2$ against the chord."""
    kept, other = 1 - x.share, x.share
    bent = alpha * kept * other * square / 2
    return Sides(f(kept * x.phi + other * x.other) + bent, kept * f(x.phi) + other * f(x.other))


def euclidean_chord(x: Instance, eta: Any) -> Sides:
    r"""That of U at the rate $\eta$."""
    step = x.phi - x.other
    return chord(x, lambda phi: upper(x, eta, phi), step @ step, 1 / eta)


BENT = r"\U((1-\lambda)\phi+\lambda\phi')+\frac1{2\eta}\lambda(1-\lambda)\|\phi-\phi'\|"
CHORD = r"(1-\lambda)\U(\phi)+\lambda\U(\phi')"
FIXED = BENT + "_2^2=" + CHORD + r"\quad\text{for}\quad\U(\phi)=\frac{\|\theta^\ast-\phi\|_2^2}{2\eta}+\eta G^2m"


@claim("text:fixed-rate-strongly-convex", FIXED, corrects=("text:fixed-rate-strongly-convex/entropy",), **OGD)
def _identity(x: Instance) -> tuple[Sides, Sides]:
    r"""At a fixed rate the upper bound of OGD is $\frac1\eta$-strongly convex.

    An identity: $\frac1\eta$ is the best constant."""
    s = euclidean_chord(x, x.v)
    return equality(s.lhs, s.rhs)


OMD = (
    BENT + r"_1^2\le" + CHORD + r"\quad\text{for}\quad\U(\phi)=\frac{\Breg_R(\theta^\ast||\phi)}\eta+\eta G^2m,"
    r"\ R(\theta)=\sum_j\theta_j\log\theta_j"
)
POSITIVE = Assumption(r"\phi,\phi'>0", lambda x: min(min(x.phi), min(x.other)))


@claim("text:fixed-rate-strongly-convex/entropy", OMD, _simplex, (POSITIVE, STEP), uses=OF_OMD)
def entropic(x: Instance) -> Sides:
    r"""The same for OMD with the entropy.

    The text says OGD. The divergence is convex in $\phi$, but not strongly: coordinates where $\theta^\ast$ is 0 do not
    appear in it. The constant $\eta G^2m$ is left out on both sides."""
    R, distance = Regularizer(ENTROPY, np.zeros_like(np.outer(x.star, x.star))), sum(abs(x.phi - x.other))
    return chord(x, lambda phi: on(bregman, phi)(R, x.star, phi) / x.eta, distance * distance, 1 / x.eta)


def _fixed(x: Instance) -> Any:
    r"""$\varepsilon = V_Q + 1/\sqrt T$."""
    return x.V + 1 / root(x.T)


STAYS = (
    r"\U_m(\phi)\le\max\left\{\frac{D^2}2,1\right\}\left(\frac1\varepsilon+\varepsilon\right)G\sqrt m\quad"
    r"\text{for}\quad\eta=\frac\varepsilon{G\sqrt m},\ \varepsilon=V_\Q+\frac1{\sqrt T}"
)


@claim("text:ogd-constants/bounded", STAYS, **OGD)
def _bounded(x: Instance) -> Sides:
    r"""With $\eta=\varepsilon/(G\sqrt m)$ the upper bound is bounded.

    $D$ is the diameter; for the radius, $2D^2$ in the place of $D^2/2$."""
    half, eps = x.D * x.D / 2, _fixed(x)
    return upper_sides(x, eps, (half if half > 1 else half / half) * (1 / eps + eps))


LIPSCHITZ = r"|\U_m(\phi)-\U_m(\phi')|\le\frac{DG\sqrt m}\varepsilon\|\phi-\phi'\|_2"


@claim("text:ogd-constants/lipschitz", LIPSCHITZ, **OGD)
def _lipschitz(x: Instance) -> Sides:
    r"""... and Lipschitz.

    Both sides squared and without $G\sqrt m/\varepsilon$; twice that if $D$ is the radius."""
    a, b, step = x.star - x.phi, x.star - x.other, x.phi - x.other
    gap = (a @ a - b @ b) / 2
    return Sides(gap * gap, x.D * x.D * (step @ step))


STRONGLY = BENT + r"_2^2\le" + CHORD + r"\quad\text{for}\quad\frac1\eta=\frac{G\sqrt m}\varepsilon"


@claim("text:ogd-constants/strongly-convex", STRONGLY, **OGD)
def _strongly_convex(x: Instance) -> Sides:
    r"""... and strongly convex.

    $\frac{G\sqrt m}\varepsilon$-strongly convex, exactly."""
    return euclidean_chord(x, _fixed(x) / (x.G * root(x.m)))
