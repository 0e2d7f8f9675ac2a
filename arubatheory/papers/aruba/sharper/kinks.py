r"""What a regulariser with d + 1 kinks costs where only $B_R\le D^2$ is assumed of it (thm:similarity/sharp/lower).

$R(x) = \frac12\|x\|_2^2 + \kappa\max_i\langle a_i, x\rangle$ for the corners $a_i$ of a regular simplex of unit
vectors, and $\theta_t^\ast = -ca_i$ in turn. Points are kept by their coefficients of the corners, whose products are 1
and $-\frac1d$, so that everything is rational. The proof stands in docs/theorems/similarity.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.s3_similarity.kink_rates import ewoo_rate
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_T

NAMED = 100
USES = ("alg:general", "eq:auxregret", "clm:mean", "thm:similarity")


def _cycles(draw: Draw) -> Instance:
    r"""d, whole cycles of tasks, c, $\kappa$, and what SIM plays: any v, or near what is best."""
    d = draw.size("d", 4)
    T, c, kappa = (d + 1) * draw.size("n", 4, MOST_T), draw.positive(-8, 0), draw.positive(-8, 8)
    v = draw.positive(-8, 8, T)
    near = draw.integer(0, 1)
    return Instance(d=d, c=c, kappa=kappa, v=draw.positive(-1, 1) + 0 * v if near else v, near=near)


def played(x: Instance) -> Array:
    """What SIM plays: v, or v times what is best."""
    v: Array = x.v * root(least_cost(x.d, x.c, x.kappa)) if x.near else x.v
    return v


def least_cost(d: Any, c: Any, kappa: Any) -> Any:
    r"""$\frac{c^2}2 + \kappa c(1 + \frac1d)$."""
    return c * c / 2 + kappa * c * (d + 1) / d


def products(x: Instance, p: Array) -> Array:
    r"""$\langle a_i, p\rangle$ for all i."""
    found: Array = p + (p - p.sum()) / x.d
    return found


def value(x: Instance, p: Array) -> Any:
    r"""$R(p)$."""
    inner = products(x, p)
    return p @ inner / 2 + x.kappa * max(inner)


@claim(
    "thm:similarity/sharp/lower",
    r"\RUB_T\ge2G\sqrt m\sqrt{\frac{c^2}2+\kappa c\left(1+\frac1d\right)},\quad V^2=\frac{c^2}2+\frac{\kappa c}d",
    _cycles,
    (Assumption(r"c\in(0,1],\ \kappa,v_t>0", lambda x: min(x.c, 1 - x.c, x.kappa, *x.v)),),
    uses=USES,
)
def lower(x: Instance) -> tuple[Sides, ...]:
    r"""Similar tasks that cost $2\sqrt{d+1}\,V$.

    $\Theta$ is the unit ball, $\phi_1=0$, $\phi_t$ the means, T whole cycles. Of the subgradients of R at $\phi_t$ that
    of the coming corner is played, which is one: the last inequality. The quotient tends to $\sqrt{d+1}$ as
    $\kappa/c\to\infty$. Divided by $G\sqrt m/T$.
    """
    n, T, v = x.d + 1, len(x.v), played(x)
    star = np.array([[-x.c if k == t % n else 0 * x.c for k in range(n)] for t in range(T)])
    starts = on(running_means, star)(star, 1 + 0 * x.v, 0 * star[0])
    paid, excess = 0 * x.c, 0 * x.c
    for t, (theta, phi) in enumerate(zip(star, starts, strict=False)):
        slopes = products(x, phi)
        excess = excess + max(slopes) - slopes[t % n]
        step = theta - phi
        slope = step @ slopes + x.kappa * products(x, step)[t % n]
        paid = paid + (value(x, theta) - value(x, phi) - slope) / v[t] + v[t]
    spread = sum(value(x, theta) for theta in star) - T * value(x, starts[T])
    return (
        Sides(2 * T * root(least_cost(x.d, x.c, x.kappa)), paid),
        *equality(spread, T * (x.c * x.c / 2 + x.kappa * x.c / x.d)),
        Sides(1 + excess, 1 + 0 * excess),
    )


def quotient(d: Any) -> Any:
    r"""The lower bound over $V + \rho(T, V)$ at $\kappa = 1$, $c = \frac2d$, $T = d^4$."""
    V = 2 / d
    return 2 * root(least_cost(d, 2 / d, 1 + 0 * d)) / (V + ewoo_rate(d**4, V))


@claim(
    "thm:similarity/sharp/dimension-free",
    r"\Breg_R\le4\ \text{over}\ \Theta\implies\frac{\RUB_T}{G\sqrt m}\le400(1+\log T)\left(V+\min\left\{"
    r"\frac{1+\frac1V}{\sqrt T},\frac1{\sqrt[4]T}\right\}\right)",
    lambda draw: Instance(d=draw.number(2 ** draw.integer(1, 96))),
    (Assumption(r"d\ge2", lambda x: x.d - 2),),
    uses=USES,
)
def dimension_free(x: Instance) -> Sides:
    r"""thm:similarity with a constant that does not depend on the dimension.

    The game of thm:similarity/sharp/lower at $\kappa=1$, $c=\frac2d$, $T=d^4$, where $V=\frac2d$ and $\Breg_R\le4$: the
    quotient of the sides grows like $\sqrt d/\log d$. With 100 for the constant; the left side is under-stated.
    """
    return Sides(quotient(x.d), 4 * NAMED * (1 + 4 * np.log(x.d)))
