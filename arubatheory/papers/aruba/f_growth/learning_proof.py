r"""The displays of the proof of thm:learning, see `learning`."""

from __future__ import annotations

from typing import Any

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.f_growth import learning
from arubatheory.papers.aruba.f_growth.learning import ASSUMED, DRIFT, PRINTED, STEEP, learned, sim_sum
from arubatheory.papers.aruba.games.approximate import FTL, diameter_squared, steepness
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root

HAT, CHEAT = r"\Breg_R(\hat\theta_t||\phi_t)", r"\Breg_R(\hat\theta_t||\tilde\phi_t)"
SPREAD, REFERENCE = r"\Breg_R(\hat\theta_t||\hat\phi)", r"\nu\Breg_R(\theta_t'||\phi')"
STEP: dict[str, Any] = {"game": learning.any_game, "given": ASSUMED}


def _paid(B: str) -> str:
    return r"\sum_{t=1}^T\left(\frac{\kappa" + B + r"}{D_t}+D_t\right)\sigma_t"


def _at_V(B: str) -> str:
    return r"\kappa\sum_{t=1}^T\left(\frac{" + B + r"}V+V\right)\sigma_t"


PAID = r"\sum_{t=1}^T\frac{\Breg_R(\theta_t^\ast||\phi_t)}{\eta_t}+\eta_tG_t^2m_t"
LOWER = PAID + r"\le" + DRIFT + "+" + _paid(HAT)


def _substituted(x: Instance, weights: learning.Weights) -> tuple[Sides, Sides]:
    k = learned(x, FTL, weights)
    return equality(k.upper - k.c.drift / x.eps, sum((k.c.kappa * k.m.hat / k.D + k.D) * x.sigma))


@claim("thm:learning/ftl/proof-1", PAID + "=" + DRIFT + "+" + _paid(HAT), **STEP, uses=("asu:general",))
def as_an_equation(x: Instance) -> tuple[Sides, Sides]:
    r"""Approximate updates, as an equation.

    Printed with $=$; at best it is $\le$.
    """
    return _substituted(x, learning.weights_needed)


@claim("thm:learning/ftl/proof-1/sigma-weights", LOWER, **STEP, uses=("asu:general",))
def at_sigma_weights(x: Instance) -> Sides:
    r"""Approximate updates with $\alpha_t=\sigma_t$.

    “Substitute $D_t\ge\varepsilon$” needs the inequality for each t.
    """
    return _substituted(x, learning.sigma_weights)[0]


@claim(
    "thm:learning/ftl/proof-1/corrected",
    LOWER,
    **STEP,
    uses=("asu:general",),
    corrects=("thm:learning/ftl/proof-1", "thm:learning/ftl/proof-1/sigma-weights"),
)
def as_an_inequality(x: Instance) -> Sides:
    r"""Approximate updates with $\alpha_t=\varepsilon\sigma_t/D_t$.

    $\alpha_t\Breg_R(\theta_t^\ast||\phi_t)\le\Delta_t^\ast+\kappa\alpha_t\Breg_R(\hat\theta_t||\phi_t)$ for each t
    with $\alpha_t=\sigma_t$ is enough.
    """
    return _substituted(x, learning.weights_needed)[0]


FIRST = r"\left(\frac{\kappa\Breg_R(\hat\theta_1||\phi_1)}{D_1}+D_1\right)\iota\sigma_1"


@claim("thm:learning/ftl/proof-2", _paid(HAT) + r"\le" + FIRST + "+" + _paid(CHEAT), **STEP)
def cheated(x: Instance) -> Sides:
    r"""The cheating sequence.

    $D_1\sigma_1$ is counted twice, where once is enough.
    """
    k = learned(x)
    lhs = k.c.kappa * (k.m.hat[0] - k.m.cheat[0]) / k.D[0] * x.sigma[0]
    return Sides(lhs, lhs + k.D[0] * x.sigma[0])  # without the sum that both sides have in common


THIRD = FIRST + "+" + _paid(CHEAT) + r"\le(%sD+\varepsilon)\iota\sigma_1+\kappa\R_T+" + _at_V(CHEAT)
ONE_ROUND = r"\frac{\kappa\Breg_R(\hat\theta_1||\phi_1)}{D_1}+D_1\le"
HALF = r"\left(2\kappa+\frac12\right)"


def _third(x: Instance, k: learning.Learned, regret: Any, factor: Any) -> Sides:
    r"""The third display, `factor` the coefficient of D in its first term."""
    start = (k.c.kappa * k.m.hat[0] / k.D[0] + k.D[0]) * x.sigma[0]
    lhs = start + sum((k.c.kappa * k.m.cheat / k.D + k.D) * x.sigma)
    first = (factor * root(diameter_squared(x)) + x.eps) * x.sigma[0]
    return Sides(lhs - k.c.kappa * (regret + sim_sum(k.m.cheat, k.V, x.sigma)), first)


@claim("thm:learning/ftl/proof-3", THIRD % r"(\kappa+1)", **STEP, uses=("def:regret",))
def third(x: Instance) -> Sides:
    r"""SIM's regret and the first round.

    Two slips: $\R_T$ is that of other losses, and the first round may cost $(2\kappa+\frac12)D$.
    """
    k = learned(x)
    return _third(x, k, learning.regret(x, k, k.m.hat), k.c.kappa + 1)


def _scalars(draw: Draw) -> Instance:
    r"""$B_1 \le \max B = D^2$ by its root, $\kappa \ge 1$, and $D_1$ in its interval."""
    D, eps = draw.positive(), draw.positive()
    square, small = (D * draw.unit()) ** 2, not draw.boolean()
    eps = D * draw.positive(-8, 8) if small else eps
    return Instance(D=D, B=square, eps=eps, place=draw.unit(), kappa=1 + draw.integer(0, 1) * draw.positive(-8, 4))


SCALARS = (
    Assumption(r"0\le\Breg_R(\hat\theta_1||\phi_1)\le D^2", lambda x: min(x.B, x.D * x.D - x.B)),
    learning.EPS,
    learning.PLACE,
    Assumption(r"\kappa\ge1", lambda x: x.kappa - 1),
)


def _first_round(x: Instance, factor: Any) -> Sides:
    D1 = (x.D + x.eps) / 2 * (1 + x.place)
    return Sides(x.kappa * x.B / D1 + D1, factor * x.D + x.eps)


@claim("thm:learning/ftl/proof-3/one-round", ONE_ROUND + r"(\kappa+1)D+\varepsilon", _scalars, SCALARS)
def one_round(x: Instance) -> Sides:
    r"""The first round alone.

    At $\Breg_R=D^2$, $D_1=\frac12(D+\varepsilon)$ and small $\varepsilon$ it is about $(2\kappa+\frac12)D$.
    """
    return _first_round(x, x.kappa + 1)


@claim("thm:learning/ftl/proof-3/one-round/corrected", ONE_ROUND + HALF + r"D+\varepsilon", _scalars, SCALARS)
def one_round_with_its_constant(x: Instance) -> Sides:
    r"""The first round alone, with its constant.

    It is convex in $D_1$; at the ends it is at most $2\kappa D+\frac12(D+\varepsilon)$ and
    $\kappa D+D+\varepsilon$.
    """
    return _first_round(x, (4 * x.kappa + 1) / 2)


@claim("thm:learning/ftl/proof-3/corrected", THIRD % HALF, **STEP, uses=("def:regret",))
def third_of_cheating(x: Instance) -> Sides:
    r"""SIM's regret on the cheating losses.

    With $D_1$ counted once, $2\kappa$ would do.
    """
    k = learned(x)
    return _third(x, k, learning.regret(x, k, k.m.cheat), (4 * k.c.kappa + 1) / 2)


MOVED = STEEP % "V" + "+" + _at_V(SPREAD)
FOURTH = r"((\kappa+1)D+\varepsilon)\iota\sigma_1+" + _at_V(CHEAT) + r"\le" + PRINTED + r"\iota\sigma_1+" + MOVED


def _regretted(x: Instance, on_points: bool) -> tuple[Sides, Sides]:
    r"""$((\kappa+1)D + \varepsilon)\iota\sigma_1 \le (2\kappa D + \varepsilon)\iota\sigma_1$, and the regret of DYN."""
    k = learned(x)
    steep = k.c.kappa * steepness(x, FTL, on_points) / k.V
    D = root(diameter_squared(x))
    moved = k.c.kappa / k.V * sum((k.m.cheat - k.m.spread) * x.sigma)
    return Sides(moved, steep), Sides((k.c.kappa + 1) * D, 2 * k.c.kappa * D)


@claim("thm:learning/ftl/proof-4", FOURTH, **STEP, uses=("thm:ftlaogd", "prp:bregman/bound"))
def regretted(x: Instance) -> tuple[Sides, Sides]:
    r"""Regret of the meta-updates.

    C' on the points of $\Theta$, as in the theorem.
    """
    return _regretted(x, True)


@claim("thm:learning/ftl/proof-4/corrected", FOURTH, **STEP, uses=("thm:ftlaogd", "prp:bregman/bound/corrected"))
def regretted_for_differences(x: Instance) -> tuple[Sides, Sides]:
    """Regret of the meta-updates, C' for differences."""
    return _regretted(x, False)


@claim(
    "thm:learning/ftl/proof-5",
    _at_V(SPREAD) + r"\le\frac{\kappa\Delta'}V+" + _at_V(REFERENCE),
    **STEP,
    uses=("asu:general",),
)
def approximated(x: Instance) -> Sides:
    """Reference parameters."""
    k = learned(x)
    rhs = (k.c.gap + k.c.nu * k.deviation) * k.c.kappa / k.V
    return Sides(sum(k.m.spread * x.sigma) * k.c.kappa / k.V, rhs)


@claim("thm:learning/ftl/proof-6", _at_V(REFERENCE) + r"\le\kappa(\nu+1)V\sigma_{1:T}", **STEP)
def averaged(x: Instance) -> tuple[Sides, Sides]:
    """The deviation inserted.

    With equality.
    """
    k = learned(x)
    lhs = k.c.kappa * sum((k.c.nu * k.m.reference / k.V + k.V) * x.sigma)
    return equality(lhs, k.c.kappa * (k.c.nu + 1) * k.V * sum(x.sigma))
