r"""Appendix F: approximate meta-updates at a fixed task-similarity (asu:general, thm:fixed).

The inequality for $\kappa$ holds "for some $\alpha_t \ge 0$": to the letter (`/literal`) any weights will do, zeros
included, and it says nothing; the proof of thm:fixed needs $\alpha_t = \sigma_t$, which the other statements have. The
average update is printed without a subscript, $\hat\phi = \frac1{\sigma_{1:T}}\sum_t\sigma_t\hat\theta$, and read with
it; $D^\ast$ is not defined and left out of D, which only makes the claims stronger.

For FTL in the general case C' compares norms of points of $\Theta$ where the proof needs their differences, as in
thm:coupling. For AOGD the Nice case is that of a general norm, while def:aogd steps in $\|\cdot\|_2$.

Of the bound only the term with C is left on the right of the sides: the others make ties that hide it. All of it is
multiplied by T.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.f_growth import learning_proof, learning_similarity
from arubatheory.papers.aruba.f_growth import oracle as approximate_iterates
from arubatheory.papers.aruba.games.adaptive import harmonic
from arubatheory.papers.aruba.games.approximate import (
    AOGD,
    ENTROPY,
    FTL,
    GAME,
    QUADRATIC,
    QUARTIC,
    Constants,
    Curve,
    Measured,
    against,
    breg,
    constants,
    diameter_squared,
    divergences,
    game,
    mean,
    measure,
    steepness,
    yardstick,
)
from arubatheory.problems.domains import BOX, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import in_domain

SidesOf = Callable[[Instance], Any]


# instances ---------------------------------------------------------------------------------------------------------
def _with_eps(x: Instance) -> Instance:
    r"""$\varepsilon$ a drawn multiple of a number of the size of D."""
    D = 1 if x.R.kind == ENTROPY else diameter_squared(x)
    x.eps = x.ratio * (D if D > 0 else 1)
    return x


def _any(draw: Draw) -> Instance:
    return _with_eps(game(draw))


def _stretched(draw: Draw) -> Instance:
    """The general case, every other game on a box away from the origin, where C' over the points is small."""
    return _with_eps(game(draw, (QUARTIC,), away=True) if draw.boolean() else game(draw, (QUARTIC, ENTROPY)))


def _nice(draw: Draw) -> Instance:
    return _with_eps(game(draw, (QUADRATIC,)))


def _euclidean(draw: Draw) -> Instance:
    return _with_eps(game(draw, (QUADRATIC,), own=False))


def _any_weights(draw: Draw) -> Instance:
    r"""$\alpha_t \ge 0$ drawn, 0 among them."""
    x = _any(draw)
    x.alpha = draw.unit(len(x.sigma)) * draw.integer(0, 1)
    return x


# thm:fixed ---------------------------------------------------------------------------------------------------------
def _terms(x: Instance, dyn: int, on_points: bool, alpha: Array) -> tuple[Measured, Constants, Any, Any]:
    r"""What is measured, the constants, $\kappa C\sum_t\sigma_t^2/\sigma_{1:t}$ and $(\kappa D^2+\varepsilon^2)\iota
    \sigma_1$, the last two times $1/\varepsilon$."""
    m = measure(x, dyn)
    c = constants(x, m, alpha)
    steep = c.kappa / x.eps * steepness(x, dyn, on_points) * on(harmonic, x.first)(x.sigma)
    first = x.sigma[0] * 0
    if dyn == FTL:
        first = (c.kappa / x.eps * diameter_squared(x) + x.eps) * x.sigma[0]
    return m, c, steep, first


def _scale(x: Instance, m: Measured, c: Constants, parts: Any) -> Any:
    mass = sum(x.sigma)
    return parts + (c.kappa * (1 + c.nu) * m.rough / x.eps + x.eps) * mass * len(x.sigma)


def _fixed(dyn: int, on_points: bool = False) -> SidesOf:
    def sides(x: Instance) -> Sides:
        m, c, steep, first = _terms(x, dyn, on_points, getattr(x, "alpha", x.sigma))
        upper, V = sum(m.star * x.sigma) / x.eps, c.kappa * c.nu / x.eps * sum(m.reference * x.sigma)
        gaps = (c.drift + c.kappa * c.gap) / x.eps
        scale = _scale(x, m, c, upper + first + gaps + V + steep)
        if on_points and not steep > 0:  # C' has no part in it: a game of the corrected theorem
            return Sides(steep, steep, scale)
        return against(upper - gaps - V, first, steep, scale)

    return sides


# its proof ---------------------------------------------------------------------------------------------------------
def _both(lhs: Any, rhs: Any, scale: Any) -> tuple[Sides, Sides]:
    return Sides(lhs, rhs, scale), Sides(rhs, lhs, scale)


def _substituted(equal: bool) -> SidesOf:
    def sides(x: Instance) -> Any:
        m, c, _, _ = _terms(x, FTL, False, x.sigma)
        eta = x.eps / x.sigma
        upper = sum(m.star / eta + eta * x.sigma * x.sigma)
        rhs = c.drift / x.eps + sum((c.kappa * m.hat / x.eps + x.eps) * x.sigma)
        s = _both(upper, rhs, _scale(x, m, c, upper + rhs))
        return s if equal else s[0]

    return sides


def _cheated(x: Instance) -> Sides:
    r"""Without the sum that both sides have in common."""
    m, c, _, first = _terms(x, FTL, False, x.sigma)
    lhs = sum((m.hat - m.cheat) * x.sigma) * c.kappa / x.eps
    return Sides(lhs, first, _scale(x, m, c, lhs + first))


def _split(x: Instance) -> tuple[Sides, Sides]:
    m, c, _, _ = _terms(x, FTL, False, x.sigma)
    lhs = sum((c.kappa * m.cheat / x.eps + x.eps) * x.sigma)
    moved = c.kappa / x.eps * sum((m.cheat - m.spread) * x.sigma)
    rest = sum((c.kappa * m.spread / x.eps + x.eps) * x.sigma)
    return _both(lhs, moved + rest, _scale(x, m, c, lhs + rest))


def _regretted(on_points: bool) -> SidesOf:
    def sides(x: Instance) -> Sides:
        m, c, steep, _ = _terms(x, FTL, on_points, x.sigma)
        regret = c.kappa / x.eps * sum((m.cheat - m.spread) * x.sigma)
        spread = c.kappa / x.eps * sum(m.spread * x.sigma)
        rest = c.kappa / x.eps * (c.gap + c.nu * sum(m.reference * x.sigma))
        return against(regret + spread, rest, steep, _scale(x, m, c, abs(regret) + spread + rest + steep))

    return sides


def _averaged(x: Instance) -> tuple[Sides, Sides]:
    m, c, _, _ = _terms(x, FTL, False, x.sigma)
    mass = sum(x.sigma)
    lhs = sum((c.kappa * c.nu * m.reference / x.eps + x.eps) * x.sigma)
    V2 = sum(m.reference * x.sigma) / mass
    return _both(lhs, (c.kappa * c.nu * V2 / x.eps + x.eps) * mass, _scale(x, m, c, lhs))


# asu:general -------------------------------------------------------------------------------------------------------
def _compared(draw: Draw) -> Instance:
    x = _any(draw)
    x.comparator = random_point(x.domain, draw)
    return x


def _least_deviation(x: Instance) -> Sides:
    r"""$V^2\sigma_{1:T} \le \sum_t\sigma_tB_R(\theta_t'\|\phi)$ for every $\phi$."""
    B, T = on(divergences, x.first), len(x.sigma)
    at_mean = sum(x.sigma * B(x.R, x.reference, np.stack([mean(x, x.reference)] * T)))
    elsewhere = sum(x.sigma * B(x.R, x.reference, np.stack([x.comparator] * T)))
    return Sides(at_mean, elsewhere, at_mean + elsewhere + yardstick(x) * sum(x.sigma))


def _smooth(draw: Draw) -> Instance:
    r"""R with $I \le \nabla^2R \le \beta I$ on a box: a quadratic, or $\frac12\|x\|^2 + q\sum_jx_j^4$; and s > 0, on
    which $\kappa$ and $\nu$ may depend."""
    x = game(draw, (QUADRATIC, QUARTIC), own=False)
    d = len(x.first)
    size = max(max(abs(x.domain.low)), max(abs(x.domain.high)))
    bend = draw.unit() * (draw.positive(-8, 4) / (size * size) if size > 0 else 1) * draw.integer(0, 1)
    spectrum = 1 + draw.integer(0, 1) * draw.positive(-8, 4, d)
    matrix = draw.eye(d) * spectrum
    x.R = Curve(QUARTIC, matrix, draw.array([bend]), draw.eye(d))
    x.beta, x.s = max(spectrum) + 12 * bend * size * size, draw.positive(-8, 8)
    return x


def _half_squares(x: Instance, a: Array, b: Array) -> Array:
    return np.array([(p - q) @ (p - q) / 2 for p, q in zip(a, b, strict=True)])


def _kappa_of_smooth(x: Instance) -> tuple[Sides, ...]:
    r"""$B(\theta_t^\ast\|\phi_t) \le \Delta_t^\ast + \kappa B(\hat\theta_t\|\phi_t)$ for every t, and the sum."""
    m = measure(x, FTL)
    drift = x.beta * (1 + 1 / x.s) * _half_squares(x, x.star, x.hat)
    kappa, sides = x.beta * (1 + x.s), []
    for t in range(len(x.sigma)):
        rhs = drift[t] + kappa * m.hat[t]
        sides.append(Sides(m.star[t], rhs, m.star[t] + rhs + (1 + kappa) * (2 + 1 / x.s) * m.rough))
    return tuple(sides)


def _nu_of_smooth(x: Instance) -> Sides:
    m = measure(x, FTL)
    gap = x.beta * (1 + 1 / x.s) * sum(x.sigma * _half_squares(x, x.hat, x.reference))
    nu = x.beta * (1 + x.s)
    lhs, rhs = sum(x.sigma * m.spread), gap + nu * sum(x.sigma * m.reference)
    return Sides(lhs, rhs, lhs + rhs + (1 + nu) * (2 + 1 / x.s) * m.rough * sum(x.sigma))


def _triangle(draw: Draw) -> Instance:
    """Three points of a box."""
    domain = random_domain(draw, draw.integer(1, 2), (BOX,))
    d = len(domain.low)
    R = Curve(QUADRATIC, draw.spd(d), draw.zeros(1), draw.eye(d))
    star, hat, phi = (random_point(domain, draw) for _ in range(3))
    return Instance(domain=domain, R=R, star=star, hat=hat, phi=phi, s=draw.positive(-8, 8))


def _squared_triangle(x: Instance) -> Sides:
    B = on(breg, x.phi)
    lhs, near, far = B(x.R, x.star, x.phi), B(x.R, x.hat, x.phi), B(x.R, x.star, x.hat)
    rhs = (1 + x.s) * near + (1 + 1 / x.s) * far
    size = sum(abs(x.star) + abs(x.hat) + abs(x.phi))
    return Sides(lhs, rhs, lhs + rhs + (1 + x.s + 1 / x.s) * sum(abs(x.R.matrix).ravel()) * size * size)


# statements --------------------------------------------------------------------------------------------------------
EPS = Assumption(r"\varepsilon>0", lambda x: x.eps)
ALPHA = Assumption(r"\alpha_t\ge0", lambda x: min(x.alpha))
COMPARATOR = Assumption(r"\phi\in\Theta", in_domain("comparator"))
S = Assumption("s>0", lambda x: x.s)
FIRST = r"\left(\frac{\kappa D^2}\varepsilon+\varepsilon\right)\iota\sigma_1"
STEEP = r"\frac{\kappa C}\varepsilon\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}"
DRIFT = r"\frac{\Delta_{1:T}^\ast}\varepsilon"
BOUND = (
    r"\RUB_TT\le" + FIRST + "+" + STEEP + r"+\left(\frac{\kappa\nu V^2}\varepsilon+\varepsilon\right)\sigma_{1:T}+"
    + DRIFT + r"+\frac{\kappa\Delta'}\varepsilon"
)  # fmt: skip
USES = ("asu:general", "alg:fmrl", "clm:mean")
FTL_USES = (*USES, "thm:ftlaogd", "prp:bregman/bound")
AOGD_USES = (*USES, "thm:ftlaogd")


def _theorem(part: str, title: str, instance: Any, sides: SidesOf, note: str, **more: Any) -> Statement:
    extra = more.pop("assume", ())
    return Statement(
        label=f"thm:fixed/{part}", kind="theorem", number="F.1", title=title, latex=BOUND, instance=instance,
        sides=sides, assumptions=(*GAME, EPS, *extra), part_of="thm:fixed", note=note,
        uses=AOGD_USES if part.startswith("aogd") else FTL_USES, **more,
    )  # fmt: skip


FIXED = (
    _theorem("ftl", "Regret-upper-bound with FTL at a fixed rate, in the general case", _stretched, _fixed(FTL, True),
             r"With $\alpha_t=\sigma_t$. C' is taken where it is printed, on the points of $\Theta$; on "
             r"$\{a\}\times[-h,h]$ a norm that stretches the second axis is hardly seen by them."),
    _theorem("ftl/nice", "The same in the Nice case", _nice, _fixed(FTL),
             r"With $\alpha_t=\sigma_t$ and $C=\frac{{G'}^2}2$, in any norm: $\sigma_t\Breg_R(\hat\theta_t||\cdot)$ is "
             r"$\sigma_t$-strongly-convex and $\sigma_tG'$-Lipschitz over $\hat\Theta$, which holds all that the "
             r"cheating leader plays; its first round costs nothing."),
    _theorem("ftl/corrected", "The same, C' for differences of points", _any, _fixed(FTL),
             r"With $\alpha_t=\sigma_t$ and $\|\theta-\phi\|\le C'\|\theta-\phi\|_2$ for $\theta,\phi\in\Theta$: "
             r"$\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi_t)\le\Delta_{1:T}^\ast+\kappa D^2\iota\sigma_1"
             r"+\kappa\sum_t\sigma_t\Breg_R(\hat\theta_t||\tilde\phi_t)$, prp:bregman with "
             r"$\sigma_t+2\sigma_{1:t-1}\ge\sigma_{1:t}$ bounds the last sum by that at $\hat\phi$, and the inequality "
             r"for $\nu$ that one.", corrects=("thm:fixed/ftl", "thm:fixed/ftl/literal")),
    _theorem("ftl/literal", r"The same for some weights $\alpha_t\ge0$", _any_weights, _fixed(FTL),
             r"“For some $\alpha_t\ge0$” to the letter: at $\alpha_t=0$ the inequality holds with $\kappa=1$, "
             r"$\Delta^\ast=0$, however far $\hat\theta_t$ is from $\theta_t^\ast$.", assume=(ALPHA,)),
    _theorem("aogd", "Regret-upper-bound with AOGD at a fixed rate, in any norm", _nice, _fixed(AOGD),
             r"$\sigma_t\Breg_R(\hat\theta_t||\cdot)$ is $\sigma_t$-strongly-convex in the norm of R, and AOGD steps "
             r"in $\|\cdot\|_2$ with these constants: for $R=\frac K2\|\cdot\|_2^2$ in its own norm, $K\ge2$, it jumps "
             r"to and fro over the optimum."),
    _theorem("aogd/corrected", r"Regret-upper-bound with AOGD at a fixed rate, in $\|\cdot\|_2$", _euclidean,
             _fixed(AOGD), r"thm:ftlaogd for AOGD holds in $\|\cdot\|_2$; the comparator is $\hat\phi$.",
             corrects=("thm:fixed/aogd",)),
)  # fmt: skip

HAT, CHEAT = r"\Breg_R(\hat\theta_t||\phi_t)", r"\Breg_R(\hat\theta_t||\tilde\phi_t)"
SPREAD, REFERENCE = r"\Breg_R(\hat\theta_t||\hat\phi)", r"\Breg_R(\theta_t'||\phi')"


def _paid(B: str, factor: str = r"\kappa") -> str:
    return r"\sum_{t=1}^T\left(\frac{" + factor + B + r"}\varepsilon+\varepsilon\right)\sigma_t"


def _proof(n: str, title: str, latex: str, sides: SidesOf, **more: Any) -> Statement:
    return Statement(
        label=f"thm:fixed/ftl/proof-{n}", kind="proof step", number="F.1", title=title, latex=latex,
        instance=more.pop("instance", _any), sides=sides, assumptions=(*GAME, EPS), step_of="thm:fixed/ftl", **more,
    )  # fmt: skip


PAID = r"\sum_{t=1}^T\frac{\Breg_R(\theta_t^\ast||\phi_t)}{\eta_t}+\eta_tG_t^2m_t"
REGRET = r"\frac\kappa\varepsilon\sum_{t=1}^T\left(" + CHEAT + "-" + SPREAD + r"\right)\sigma_t+" + _paid(SPREAD)
REGRETTED = REGRET + r"\le" + STEEP + r"+\frac{\kappa\Delta'}\varepsilon+" + _paid(REFERENCE, r"\kappa\nu")
STEPS = (
    _proof("1", "Approximate updates, as an equation", PAID + "=" + DRIFT + "+" + _paid(HAT), _substituted(True),
           uses=("asu:general",), note=r"Printed with $=$; the assumption gives $\le$."),
    _proof("1/corrected", "Approximate updates", PAID + r"\le" + DRIFT + "+" + _paid(HAT), _substituted(False),
           uses=("asu:general",), corrects=("thm:fixed/ftl/proof-1",),
           note=r"$\eta_t=\varepsilon/\sigma_t$; at the least $\Delta_{1:T}^\ast$ with equality."),
    _proof("2", "The cheating sequence", _paid(HAT) + r"\le" + FIRST + "+" + _paid(CHEAT), _cheated,
           note=r"“$\SIM$ is FTL” is read $\DYN$ is FTL; $\tilde\phi_1=\hat\theta_1$, else $\tilde\phi_t=\phi_t$."),
    _proof("3", "A comparator subtracted and added", _paid(CHEAT) + "=" + REGRET, _split),
    _proof("4", "Regret of the meta-updates", REGRETTED, _regretted(True), instance=_stretched,
           uses=("thm:ftlaogd", "prp:bregman/bound"),
           note=r"C' on the points of $\Theta$, as in the theorem."),
    _proof("4/corrected", "Regret of the meta-updates, C' for differences", REGRETTED, _regretted(False),
           uses=("thm:ftlaogd", "prp:bregman/bound/corrected"), corrects=("thm:fixed/ftl/proof-4",)),
    _proof("5", "The deviation inserted", _paid(REFERENCE, r"\kappa\nu")
           + r"=\left(\frac{\kappa\nu V^2}\varepsilon+\varepsilon\right)\sigma_{1:T}", _averaged),
)  # fmt: skip


def _assumption(part: str, title: str, latex: str, instance: Any, sides: SidesOf, note: str, **more: Any) -> Statement:
    return Statement(
        label=f"asu:general/{part}", kind="assumption", number="F.1", title=title, latex=latex, instance=instance,
        sides=sides, part_of="asu:general", note=note, **more,
    )  # fmt: skip


SMOOTH = Assumption(r"\beta\ge1", lambda x: x.beta - 1)
ASSUMPTION = (
    _assumption("deviation", "V is the least average deviation", r"V^2\le\frac1{\sigma_{1:T}}\sum_{t=1}^T\sigma_t"
                r"\Breg_R(\theta_t'||\phi)\quad\forall\ \phi\in\Theta", _compared, _least_deviation,
                r"So V is that of thm:app:general in the Exact case, where $\kappa=\nu=1$, $\Delta=0$ will do.",
                assumptions=(*GAME, COMPARATOR), uses=("clm:mean",)),
    _assumption("kappa", r"$\kappa$ and $\Delta^\ast$ for smooth R", r"\Breg_R(\theta_t^\ast||\phi_t)\le\frac{\beta}2"
                r"\left(1+\frac1s\right)\|\theta_t^\ast-\hat\theta_t\|^2+\beta(1+s)\Breg_R(\hat\theta_t||\phi_t)"
                r"\quad\forall\ s>0", _smooth, _kappa_of_smooth,
                r"That is $\kappa=\beta(1+s)$, $\Delta_t^\ast=\frac{\alpha_t\beta}2(1+\frac1s)\|\theta_t^\ast-"
                r"\hat\theta_t\|^2$ for any $\alpha_t\ge0$, task by task: $\Breg_R\le\frac\beta2\|\cdot\|^2$, "
                r"$\|a+b\|^2\le(1+s)\|a\|^2+(1+\frac1s)\|b\|^2$ and strong convexity.",
                assumptions=(*GAME, SMOOTH, S), uses=("def:smooth", "def:convex")),
    _assumption("nu", r"$\nu$ and $\Delta'$ for smooth R", r"\sum_{t=1}^T\sigma_t\Breg_R(\hat\theta_t||\hat\phi)\le"
                r"\frac\beta2\left(1+\frac1s\right)\sum_{t=1}^T\sigma_t\|\hat\theta_t-\theta_t'\|^2"
                r"+\beta(1+s)\sum_{t=1}^T\sigma_t\Breg_R(\theta_t'||\phi')\quad\forall\ s>0", _smooth, _nu_of_smooth,
                r"$\hat\phi$ minimises the left side (clm:mean), so $\phi'$ may replace it; then as for $\kappa$.",
                assumptions=(*GAME, SMOOTH, S), uses=("clm:mean", "def:smooth", "def:convex")),
    _assumption("squares", r"$\kappa$ and $\Delta^\ast$ for squared norms", r"\Breg_R(\theta^\ast||\phi)\le(1+s)"
                r"\Breg_R(\hat\theta||\phi)+\left(1+\frac1s\right)\Breg_R(\theta^\ast||\hat\theta)\quad\text{for}\quad "
                r"R=\frac12\|\cdot\|_A^2", _triangle, _squared_triangle,
                r"Without $\beta$: $\kappa=1+s$ is as near to 1 as one likes.",
                assumptions=(
                    S, Assumption(r"\theta^\ast,\hat\theta,\phi\in\Theta", lambda x: on(smaller, x.phi)(
                        in_domain("star")(x), on(smaller, x.phi)(in_domain("hat")(x), in_domain("phi")(x)))),
                ), uses=("def:bregman:app",)),
)  # fmt: skip

STATEMENTS = (
    *ASSUMPTION, *FIXED, *STEPS, *learning_similarity.STATEMENTS, *learning_proof.STATEMENTS,
    *approximate_iterates.STATEMENTS,
)  # fmt: skip
