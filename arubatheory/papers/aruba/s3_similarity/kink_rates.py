r"""The rates of thm:similarity, cor:epsftl and cor:epsewoo where $B_R$ is bounded and R has a kink.

The game is that of `bregman_kinks`, $\theta_t^\ast = \frac12, -1, 1, -1, \dots$ From the second task on $B_t =
\frac12(1 + |\phi_t|)^2 + 2\kappa$, so that $\bar U_T/\sigma = \frac1T\sum_t B_t/v_t + v_t \ge
\frac{T-1}T2\sqrt{\frac12 + 2\kappa}$ whatever SIM plays, while $V^2$, which clm:mean puts at the mean of the optimal
actions, is at most $\frac12 + \kappa$: the excess over 2V does not vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.papers.aruba.b_coupling.bregman_kinks import KINK, largest
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.s3_similarity.rates import EWOO_MINIMUM, FTL_MINIMUM
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root


def _family(draw: Draw) -> Instance:
    return Instance(T=draw.number(2 ** draw.integer(1, 96)), kappa=draw.positive(-4, 4))


def deviation(T: Any, kappa: Any) -> Any:
    r"""V, $V^2 = \frac1T\sum_t R(\theta_t^\ast) - R(\bar\theta^\ast)$, for an even T: $\bar\theta^\ast =
    -\frac1{2T}$."""
    end, mean = (1 + 2 * kappa) / 2, 1 / T / 2
    return root(end - (3 + 4 * kappa) / T / 8 - mean * mean / 2 - kappa * mean)


def ewoo_rate(T: Any, V: Any) -> Any:
    r"""$\rho(T, V)$ of $\varepsilon$-EWOO as printed, without logarithms."""
    short = root(1 / T)
    return on(smaller, V)((1 + 1 / V) * short, root(short))


def ftl_rate(T: Any, V: Any) -> Any:
    r"""$\rho(T, V)$ of $\varepsilon$-FTL as printed, without logarithms."""
    fifth = np.exp(-np.log(T) / 5)
    return on(smaller, V)(fifth * fifth / V + root(1 / T), fifth)


def _excess(rate: Callable[[Any, Any], Any]) -> Callable[[Instance], Sides]:
    def sides(x: Instance) -> Sides:
        r"""The excess over 2V where $\Breg_R$ is bounded and R has a kink.

        The game of text:bregman-log-regret/bounded with $\theta_1^\ast=\frac12$, T a power of two, 100 for the
        constant, and $2\sqrt{\Breg_R(\theta_t^\ast||\phi_t)}$ for the loss of SIM, which under-states the left
        side: it tends to $2\sqrt{\frac12+2\kappa}-2\sqrt{\frac12+\kappa}$. What fails is the leading term of the
        explicit form, whose constant C holds a bound on the gradients of $\Breg_R$; a $\tilde{\mathcal O}$ around
        $V$ too, as printed, hides it: here a factor below $\sqrt2$.
        """
        V = deviation(x.T, x.kappa)
        upper = 2 * root((1 + 4 * x.kappa) / 2) * (1 - 1 / x.T)
        return Sides(upper - 2 * V, 100 * largest(x.kappa) * (1 + np.log(x.T)) * rate(x.T, V))

    return sides


BOUNDED = r"\Breg_R\le D^2\ \text{over}\ \Theta\implies\frac{\RUB_T}{G\sqrt m}-2V\le100D^2(1+\log T)"
KINKED: dict[str, Any] = {
    "game": _family,
    "given": (Assumption(r"T\ge2", lambda x: x.T - 2), KINK),
    "uses": ("alg:general", "eq:auxregret", "clm:mean"),
}
MAIN = claim("thm:similarity/rate/kink", BOUNDED + EWOO_MINIMUM, **KINKED)(_excess(ewoo_rate))
EPSFTL = claim("cor:epsftl/rate/kink", BOUNDED + FTL_MINIMUM, **KINKED)(_excess(ftl_rate))
EPSEWOO = claim("cor:epsewoo/rate/kink", BOUNDED + EWOO_MINIMUM, **KINKED)(_excess(ewoo_rate))
