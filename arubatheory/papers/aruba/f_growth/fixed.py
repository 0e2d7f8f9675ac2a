r"""Appendix F: approximate meta-updates at a fixed task-similarity (thm:fixed).

The inequality of asu:general for $\kappa$ holds "for some $\alpha_t \ge 0$": to the letter (`/literal`) any weights
will do, zeros included, and it says nothing; the proof of thm:fixed needs $\alpha_t = \sigma_t$, which the other
statements have. The average update is printed without a subscript,
$\hat\phi = \frac1{\sigma_{1:T}}\sum_t\sigma_t\hat\theta$, and read with it; $D^\ast$ is not defined and left out of D,
which only makes the claims stronger.

For FTL in the general case C' compares norms of points of $\Theta$ where the proof needs their differences, as in
thm:coupling. For AOGD the Nice case is that of a general norm, while def:aogd steps in $\|\cdot\|_2$.

Of the bound only the term with C is left on the right of the sides: the others make ties that hide it. All of it is
multiplied by T.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import approximate
from arubatheory.papers.aruba.games.approximate import AOGD, EUCLIDEAN, FTL, GAME, MODULUS, eps_game
from arubatheory.papers.aruba.games.potentials import ENTROPY, QUADRATIC, QUARTIC
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality

EPS = Assumption(r"\varepsilon>0", lambda x: x.eps)
ALPHA = Assumption(r"\alpha_t\ge0", lambda x: min(x.alpha))
GIVEN = (*GAME, EPS)
FIRST = r"\left(\frac{\kappa D^2}\varepsilon+\varepsilon\right)\iota\sigma_1"
STEEP = r"\frac{\kappa C}\varepsilon\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}"
DRIFT = r"\frac{\Delta_{1:T}^\ast}\varepsilon"
DEVIATION = r"\left(\frac{\kappa\nu V^2}\varepsilon+\varepsilon\right)\sigma_{1:T}"
BOUND = r"\RUB_TT\le" + FIRST + "+" + STEEP + "+" + DEVIATION + "+" + DRIFT + r"+\frac{\kappa\Delta'}\varepsilon"
AOGD_USES = ("asu:general", "alg:fmrl", "clm:mean", "thm:ftlaogd")
FTL_USES = (*AOGD_USES, "prp:bregman/bound")
WITH_FTL: dict[str, Any] = {"given": GIVEN, "uses": FTL_USES}
WITH_AOGD: dict[str, Any] = {"uses": (*AOGD_USES, "def:aogd")}
STEP: dict[str, Any] = {"game": eps_game, "given": GIVEN}


def _stretched(draw: Draw) -> Instance:
    """The general case, every other game on a box away from the origin, where C' over the points is small."""
    away = draw.boolean()
    return eps_game(draw, kinds=(QUARTIC,), away=True) if away else eps_game(draw, kinds=(QUARTIC, ENTROPY))


_nice = partial(eps_game, kinds=(QUADRATIC,))


def _any_weights(draw: Draw) -> Instance:
    r"""$\alpha_t \ge 0$ drawn, 0 among them."""
    x = eps_game(draw)
    x.alpha = draw.unit(len(x.sigma)) * draw.integer(0, 1)
    return x


class Fixed(NamedTuple):
    r"""What is measured, $\kappa, \Delta^\ast, \nu, \Delta'$, $\kappa C\sum_t\sigma_t^2/\sigma_{1:t}$ and
    $(\kappa D^2+\varepsilon^2)\iota\sigma_1$, the last two times $1/\varepsilon$."""

    m: approximate.Measured
    c: approximate.Factors
    steep: Any
    first: Any


def terms(x: Instance, dyn: int = FTL, on_points: bool = False) -> Fixed:
    r"""The terms of the bound at the rate $\varepsilon$, with the weights $\alpha_t$ if they are drawn."""
    m = approximate.measure(x, dyn)
    c = approximate.factors(x, m, getattr(x, "alpha", x.sigma))
    steep = c.kappa / x.eps * approximate.steepness(x, dyn, on_points)
    if dyn != FTL:
        return Fixed(m, c, steep, x.sigma[0] * 0)
    return Fixed(m, c, steep, (c.kappa / x.eps * approximate.diameter_squared(x) + x.eps) * x.sigma[0])


def _bound(x: Instance, dyn: int, on_points: bool = False) -> Sides:
    m, c, steep, first = terms(x, dyn, on_points)
    upper, V = sum(m.star * x.sigma) / x.eps, c.kappa * c.nu / x.eps * sum(m.reference * x.sigma)
    if on_points and not steep > 0:  # C' has no part in it: a game of the corrected theorem
        return Sides(steep, steep)
    return approximate.against(upper - (c.drift + c.kappa * c.gap) / x.eps - V, first, steep)


@claim("thm:fixed/ftl", BOUND, _stretched, **WITH_FTL)
def ftl(x: Instance) -> Sides:
    r"""Regret-upper-bound with FTL at a fixed rate, in the general case.

    With $\alpha_t=\sigma_t$. C' is taken where it is printed, on the points of $\Theta$; on $\{a\}\times[-h,h]$ a
    norm that stretches the second axis is hardly seen by them.
    """
    return _bound(x, FTL, on_points=True)


@claim("thm:fixed/ftl/nice", BOUND, _nice, **WITH_FTL)
def nice(x: Instance) -> Sides:
    r"""The same in the Nice case.

    With $\alpha_t=\sigma_t$ and $C=\frac{{G'}^2}2$, in any norm: $\sigma_t\Breg_R(\hat\theta_t||\cdot)$ is
    $\sigma_t$-strongly-convex and $\sigma_tG'$-Lipschitz over $\hat\Theta$, which holds all that the cheating leader
    plays; its first round costs nothing.
    """
    return _bound(x, FTL)


@claim("thm:fixed/ftl/corrected", BOUND, eps_game, **WITH_FTL, corrects=("thm:fixed/ftl", "thm:fixed/ftl/literal"))
def differences(x: Instance) -> Sides:
    r"""The same, C' for differences of points.

    With $\alpha_t=\sigma_t$ and $\|\theta-\phi\|\le C'\|\theta-\phi\|_2$ for $\theta,\phi\in\Theta$:
    $\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi_t)\le\Delta_{1:T}^\ast+\kappa D^2\iota\sigma_1
    +\kappa\sum_t\sigma_t\Breg_R(\hat\theta_t||\tilde\phi_t)$, prp:bregman with
    $\sigma_t+2\sigma_{1:t-1}\ge\sigma_{1:t}$ bounds the last sum by that at $\hat\phi$, and the inequality for $\nu$
    that one.
    """
    return _bound(x, FTL)


@claim("thm:fixed/ftl/literal", BOUND, _any_weights, (*GIVEN, ALPHA), uses=FTL_USES)
def some_weights(x: Instance) -> Sides:
    r"""The same for some weights $\alpha_t\ge0$.

    “For some $\alpha_t\ge0$” to the letter: at $\alpha_t=0$ the inequality holds with $\kappa=1$,
    $\Delta^\ast=0$, however far $\hat\theta_t$ is from $\theta_t^\ast$.
    """
    return _bound(x, FTL)


@claim("thm:fixed/aogd", BOUND, partial(_nice, unit=True), (*GIVEN, MODULUS), **WITH_AOGD)
def aogd(x: Instance) -> Sides:
    r"""Regret-upper-bound with AOGD at a fixed rate, in any norm.

    $\sigma_t\Breg_R(\hat\theta_t||\cdot)$ is $\sigma_t$-strongly-convex in the norm of R, and no more than that in
    $\|\cdot\|_2$, where def:aogd asks for it: $R=\frac12x^2+\frac K2y^2$. Gradients along y are $\sqrt K$ times shorter
    in the dual norm, and AOGD jumps to and fro over the optimum.
    """
    return _bound(x, AOGD)


@claim("thm:fixed/aogd/corrected", BOUND, partial(_nice, own=False), (*GIVEN, MODULUS, EUCLIDEAN), **WITH_AOGD)
def aogd_in_l2(x: Instance) -> Sides:
    r"""Regret-upper-bound with AOGD at a fixed rate, in $\|\cdot\|_2$.

    thm:ftlaogd for AOGD holds in $\|\cdot\|_2$; the comparator is $\hat\phi$.
    """
    return _bound(x, AOGD)


HAT, CHEAT = r"\Breg_R(\hat\theta_t||\phi_t)", r"\Breg_R(\hat\theta_t||\tilde\phi_t)"
SPREAD, REFERENCE = r"\Breg_R(\hat\theta_t||\hat\phi)", r"\Breg_R(\theta_t'||\phi')"


def _paid(B: str, factor: str = r"\kappa") -> str:
    return r"\sum_{t=1}^T\left(\frac{" + factor + B + r"}\varepsilon+\varepsilon\right)\sigma_t"


PAID = r"\sum_{t=1}^T\frac{\Breg_R(\theta_t^\ast||\phi_t)}{\eta_t}+\eta_tG_t^2m_t"
REGRET = r"\frac\kappa\varepsilon\sum_{t=1}^T\left(" + CHEAT + "-" + SPREAD + r"\right)\sigma_t+" + _paid(SPREAD)
REGRETTED = REGRET + r"\le" + STEEP + r"+\frac{\kappa\Delta'}\varepsilon+" + _paid(REFERENCE, r"\kappa\nu")


def _substituted(x: Instance) -> tuple[Sides, Sides]:
    m, c, _, _ = terms(x)
    eta = x.eps / x.sigma
    upper = sum(m.star / eta + eta * x.sigma * x.sigma)
    return equality(upper, c.drift / x.eps + sum((c.kappa * m.hat / x.eps + x.eps) * x.sigma))


@claim("thm:fixed/ftl/proof-1", PAID + "=" + DRIFT + "+" + _paid(HAT), **STEP, uses=("asu:general",))
def as_an_equation(x: Instance) -> tuple[Sides, Sides]:
    r"""Approximate updates, as an equation.

    Printed with $=$; the assumption gives $\le$.
    """
    return _substituted(x)


@claim("thm:fixed/ftl/proof-1/corrected", PAID + r"\le" + DRIFT + "+" + _paid(HAT), **STEP, uses=("asu:general",))
def as_an_inequality(x: Instance) -> Sides:
    r"""Approximate updates.

    $\eta_t=\varepsilon/\sigma_t$; at the least $\Delta_{1:T}^\ast$ with equality.
    """
    return _substituted(x)[0]


@claim("thm:fixed/ftl/proof-2", _paid(HAT) + r"\le" + FIRST + "+" + _paid(CHEAT), **STEP)
def cheated(x: Instance) -> Sides:
    r"""The cheating sequence.

    “$\SIM$ is FTL” is read $\DYN$ is FTL; $\tilde\phi_1=\hat\theta_1$, else $\tilde\phi_t=\phi_t$.
    """
    m, c, _, first = terms(x)
    return Sides(sum((m.hat - m.cheat) * x.sigma) * c.kappa / x.eps, first)  # without the sum that both have


@claim("thm:fixed/ftl/proof-3", _paid(CHEAT) + "=" + REGRET, **STEP)
def split(x: Instance) -> tuple[Sides, Sides]:
    """A comparator subtracted and added."""
    m, c, _, _ = terms(x)
    moved = c.kappa / x.eps * sum((m.cheat - m.spread) * x.sigma)
    rest = sum((c.kappa * m.spread / x.eps + x.eps) * x.sigma)
    return equality(sum((c.kappa * m.cheat / x.eps + x.eps) * x.sigma), moved + rest)


def _regretted(x: Instance, on_points: bool) -> Sides:
    m, c, steep, _ = terms(x, FTL, on_points)
    regret = c.kappa / x.eps * sum((m.cheat - m.spread) * x.sigma)
    spread = c.kappa / x.eps * sum(m.spread * x.sigma)
    rest = c.kappa / x.eps * (c.gap + c.nu * sum(m.reference * x.sigma))
    return approximate.against(regret + spread, rest, steep)


@claim("thm:fixed/ftl/proof-4", REGRETTED, _stretched, GIVEN, uses=("thm:ftlaogd", "prp:bregman/bound"))
def regretted(x: Instance) -> Sides:
    r"""Regret of the meta-updates.

    C' on the points of $\Theta$, as in the theorem.
    """
    return _regretted(x, True)


@claim("thm:fixed/ftl/proof-4/corrected", REGRETTED, **STEP, uses=("thm:ftlaogd", "prp:bregman/bound/corrected"))
def regretted_for_differences(x: Instance) -> Sides:
    """Regret of the meta-updates, C' for differences."""
    return _regretted(x, False)


@claim("thm:fixed/ftl/proof-5", _paid(REFERENCE, r"\kappa\nu") + "=" + DEVIATION, **STEP)
def averaged(x: Instance) -> tuple[Sides, Sides]:
    """The deviation inserted."""
    m, c, _, _ = terms(x)
    mass = sum(x.sigma)
    V2 = sum(m.reference * x.sigma) / mass
    lhs = sum((c.kappa * c.nu * m.reference / x.eps + x.eps) * x.sigma)
    return equality(lhs, (c.kappa * c.nu * V2 / x.eps + x.eps) * mass)
