r"""The displays of the proof of thm:learning, see `learning_similarity`."""

from __future__ import annotations

from typing import Any

from arubatheory.kernel import on
from arubatheory.papers.aruba.f_growth.learning_similarity import (
    ASSUMED,
    DRIFT,
    EPS,
    PLACE,
    PRINTED,
    STEEP,
    SidesOf,
    against_best,
    any_game,
    cheating,
    learned,
    scale_of,
    sigma_weights,
    sim_sum,
    weights_needed,
)
from arubatheory.papers.aruba.games.adaptive import harmonic
from arubatheory.papers.aruba.games.approximate import FTL, diameter_squared, steepness
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root


# its proof ---------------------------------------------------------------------------------------------------------
def _both(lhs: Any, rhs: Any, scale: Any) -> tuple[Sides, Sides]:
    return Sides(lhs, rhs, scale), Sides(rhs, lhs, scale)


def _substituted(equal: bool, weights: Any) -> SidesOf:
    def sides(x: Instance) -> Any:
        k = learned(x, FTL, weights)
        paid = sum((k.c.kappa * k.m.hat / k.D + k.D) * x.sigma)
        lhs, rhs = k.upper - k.c.drift / x.eps, paid
        s = _both(lhs, rhs, scale_of(x, k, k.V) + k.c.drift / x.eps)
        return s if equal else s[0]

    return sides


def _cheated(x: Instance) -> Sides:
    r"""Without the sum that both sides have in common."""
    k = learned(x, FTL, weights_needed)
    lhs = k.c.kappa * (k.m.hat[0] - k.m.cheat[0]) / k.D[0] * x.sigma[0]
    return Sides(lhs, lhs + k.D[0] * x.sigma[0], scale_of(x, k, k.V))


def _third(regret: Any, half: bool) -> SidesOf:
    r"""The third display, its first term with $\kappa + 1$ or with $2\kappa + \frac12$."""

    def sides(x: Instance) -> Sides:
        k = learned(x, FTL, weights_needed)
        start = (k.c.kappa * k.m.hat[0] / k.D[0] + k.D[0]) * x.sigma[0]
        lhs = start + sum((k.c.kappa * k.m.cheat / k.D + k.D) * x.sigma)
        factor = (4 * k.c.kappa + 1) / 2 if half else k.c.kappa + 1
        first = (factor * root(diameter_squared(x)) + x.eps) * x.sigma[0]
        compared = k.c.kappa * (regret(x, k) + sim_sum(k.m.cheat, k.V, x.sigma))
        return Sides(lhs - compared, first, scale_of(x, k, k.V) + first)

    return sides


def _scalars(draw: Draw) -> Instance:
    r"""$B_1 \le \max B = D^2$ by its root, $\kappa \ge 1$, and $D_1$ in its interval."""
    D, eps = draw.positive(), draw.positive()
    return Instance(
        D=D, B=(D * draw.unit()) ** 2, eps=eps if draw.boolean() else D * draw.positive(-8, 8), place=draw.unit(),
        kappa=1 + draw.integer(0, 1) * draw.positive(-8, 4),
    )  # fmt: skip


def _first_round(half: bool) -> SidesOf:
    def sides(x: Instance) -> Sides:
        D1 = (x.D + x.eps) / 2 * (1 + x.place)
        factor = (4 * x.kappa + 1) / 2 if half else x.kappa + 1
        lhs, rhs = x.kappa * x.B / D1 + D1, factor * x.D + x.eps
        return Sides(lhs, rhs, lhs + rhs)

    return sides


def _regretted(on_points: bool) -> SidesOf:
    r"""$((\kappa+1)D + \varepsilon)\iota\sigma_1 \le (2\kappa D + \varepsilon)\iota\sigma_1$, and the regret of DYN."""

    def sides(x: Instance) -> tuple[Sides, Sides]:
        k = learned(x, FTL, weights_needed)
        steep = k.c.kappa * steepness(x, FTL, on_points) / k.V * on(harmonic, x.first)(x.sigma)
        lhs = k.c.kappa / k.V * sum((k.m.cheat - k.m.spread) * x.sigma)
        D = root(diameter_squared(x))
        first = (k.c.kappa + 1) * D, 2 * k.c.kappa * D
        return Sides(lhs, steep, scale_of(x, k, k.V) + steep), Sides(*first, sum(first))

    return sides


def _approximated(x: Instance) -> Sides:
    k = learned(x, FTL, weights_needed)
    lhs = sum(k.m.spread * x.sigma) * k.c.kappa / k.V
    rhs = (k.c.gap + k.c.nu * k.deviation) * k.c.kappa / k.V
    return Sides(lhs, rhs, scale_of(x, k, k.V))


def _averaged(x: Instance) -> tuple[Sides, Sides]:
    k = learned(x, FTL, weights_needed)
    lhs = k.c.kappa * sum((k.c.nu * k.m.reference / k.V + k.V) * x.sigma)
    return _both(lhs, k.c.kappa * (k.c.nu + 1) * k.V * sum(x.sigma), scale_of(x, k, k.V))


HAT, CHEAT = r"\Breg_R(\hat\theta_t||\phi_t)", r"\Breg_R(\hat\theta_t||\tilde\phi_t)"


def _paid(B: str) -> str:
    return r"\sum_{t=1}^T\left(\frac{\kappa" + B + r"}{D_t}+D_t\right)\sigma_t"


def _at_V(B: str) -> str:
    return r"\kappa\sum_{t=1}^T\left(\frac{" + B + r"}V+V\right)\sigma_t"


def _proof(n: str, title: str, latex: str, sides: SidesOf, **more: Any) -> Statement:
    return Statement(
        label=f"thm:learning/ftl/proof-{n}", kind="proof step", number="F.2", title=title, latex=latex,
        instance=more.pop("instance", any_game), sides=sides, assumptions=more.pop("assumptions", ASSUMED),
        step_of="thm:learning/ftl", **more,
    )  # fmt: skip


PAID = r"\sum_{t=1}^T\frac{\Breg_R(\theta_t^\ast||\phi_t)}{\eta_t}+\eta_tG_t^2m_t"
FIRST = r"\left(\frac{\kappa\Breg_R(\hat\theta_1||\phi_1)}{D_1}+D_1\right)\iota\sigma_1"
SCALARS = (
    Assumption(r"0\le\Breg_R(\hat\theta_1||\phi_1)\le D^2", lambda x: min(x.B, x.D * x.D - x.B)), EPS, PLACE,
    Assumption(r"\kappa\ge1", lambda x: x.kappa - 1),
)  # fmt: skip
ONE_ROUND = r"\frac{\kappa\Breg_R(\hat\theta_1||\phi_1)}{D_1}+D_1\le"
THIRD = FIRST + "+" + _paid(CHEAT) + r"\le(%sD+\varepsilon)\iota\sigma_1+\kappa\R_T+" + _at_V(CHEAT)
HALF = r"\left(2\kappa+\frac12\right)"
FOURTH = (
    r"((\kappa+1)D+\varepsilon)\iota\sigma_1+" + _at_V(CHEAT) + r"\le" + PRINTED + "+" + STEEP % "V" + "+"
    + _at_V(r"\Breg_R(\hat\theta_t||\hat\phi)")
)  # fmt: skip
REFERENCE = r"\Breg_R(\theta_t'||\phi')"
LOWER = r"\le" + DRIFT + "+" + _paid(HAT)
STEPS = (
    _proof("1", "Approximate updates, as an equation", PAID + "=" + DRIFT + "+" + _paid(HAT),
           _substituted(True, weights_needed), uses=("asu:general",), note=r"Printed with $=$; at best it is $\le$."),
    _proof("1/sigma-weights", r"Approximate updates with $\alpha_t=\sigma_t$", PAID + LOWER,
           _substituted(False, sigma_weights), uses=("asu:general",), 
           note=r"“Substitute $D_t\ge\varepsilon$” needs the inequality for each t."),
    _proof("1/corrected", r"Approximate updates with $\alpha_t=\varepsilon\sigma_t/D_t$", PAID + LOWER,
           _substituted(False, weights_needed), uses=("asu:general",),
           corrects=("thm:learning/ftl/proof-1", "thm:learning/ftl/proof-1/sigma-weights"),
           note=r"$\alpha_t\Breg_R(\theta_t^\ast||\phi_t)\le\Delta_t^\ast+\kappa\alpha_t\Breg_R(\hat\theta_t||\phi_t)$ "
           r"for each t with $\alpha_t=\sigma_t$ is enough."),
    _proof("2", "The cheating sequence", _paid(HAT) + r"\le" + FIRST + "+" + _paid(CHEAT), _cheated,
           note=r"$D_1\sigma_1$ is counted twice, where once is enough."),
    _proof("3", "SIM's regret and the first round", THIRD % r"(\kappa+1)", _third(against_best, False),
           uses=("def:regret",), note=r"Two slips: $\R_T$ is that of other losses, and the first round may cost "
           r"$(2\kappa+\frac12)D$."),
    _proof("3/one-round", "The first round alone", ONE_ROUND + r"(\kappa+1)D+\varepsilon", _first_round(False),
           instance=_scalars, assumptions=SCALARS,
           note=r"At $\Breg_R=D^2$, $D_1=\frac12(D+\varepsilon)$ and small $\varepsilon$ it is about "
           r"$(2\kappa+\frac12)D$."),
    _proof("3/one-round/corrected", "The first round alone, with its constant", ONE_ROUND + HALF + r"D+\varepsilon",
           _first_round(True), instance=_scalars, assumptions=SCALARS,
           corrects=("thm:learning/ftl/proof-3/one-round",),
           note=r"It is convex in $D_1$; at the ends it is at most $2\kappa D+\frac12(D+\varepsilon)$ and "
           r"$\kappa D+D+\varepsilon$."),
    _proof("3/corrected", "SIM's regret on the cheating losses", THIRD % HALF, _third(cheating, True),
           uses=("def:regret",), corrects=("thm:learning/ftl/proof-3",),
           note=r"With $D_1$ counted once, $2\kappa$ would do."),
    _proof("4", "Regret of the meta-updates", FOURTH, _regretted(True), uses=("thm:ftlaogd", "prp:bregman/bound"),
           note=r"C' on the points of $\Theta$, as in the theorem."),
    _proof("4/corrected", "Regret of the meta-updates, C' for differences", FOURTH, _regretted(False),
           uses=("thm:ftlaogd", "prp:bregman/bound/corrected"), corrects=("thm:learning/ftl/proof-4",)),
    _proof("5", "Reference parameters", _at_V(r"\Breg_R(\hat\theta_t||\hat\phi)") + r"\le\frac{\kappa\Delta'}V+"
           + _at_V(r"\nu" + REFERENCE), _approximated, uses=("asu:general",)),
    _proof("6", "The deviation inserted", _at_V(r"\nu" + REFERENCE) + r"\le\kappa(\nu+1)V\sigma_{1:T}", _averaged,
           note="With equality."),
)  # fmt: skip

STATEMENTS = STEPS
