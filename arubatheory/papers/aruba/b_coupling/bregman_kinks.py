r"""What the main text makes of text:bregman-log-regret: bounded divergences, R with a kink.

thm:similarity assumes that $B_R$ is bounded over $\Theta$, and nothing of its gradients. Let $\Theta = [-1, 1]$ and
$R(x) = \frac12x^2 + \kappa|x|$, which is 1-strongly convex and sub-differentiable, with $B_R \le 2 + 2\kappa$; at
$y \ne 0$, s the sign of y,
$$B_R(x\|y) = \frac12(x - y)^2 + \kappa(|x| - sx),$$
and at 0 the same with any $s \in [-1, 1]$. After $\theta_1 \in (0, 1)$ play $-1, 1, -1, \dots$: the mean of the past is
always on the other side of the kink, where $\theta_t$ costs $2\kappa$, and the point 0 costs $\kappa$ on average.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import kernel, on
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides

LARGEST_POWER = 11  # rounds are played one by one, exactly too


@kernel
def kinked(kappa: Any, at_zero: Any, x: Any, y: Any) -> Any:
    r"""[exact] $B_R(x\|y)$ for $R(x) = \frac12x^2 + \kappa|x|$, with the subgradient $\kappa$ `at_zero` at y = 0."""
    zero = at_zero * 0
    s = zero + 1 if y > 0 else zero - 1 if y < 0 else at_zero
    return (x - y) * (x - y) / 2 + kappa * (abs(x) - s * x)


@kernel
def regret(T: int, kappa: Any, at_zero: Any, opening: Any, first: Any, u: Any) -> Any:
    r"""[exact] $\sum_t B_R(\theta_t\|\phi_t) - B_R(\theta_t\|u)$ for $\theta_t$ = `opening`, -1, 1, -1, ...
    and $\phi_1$ = `first`, then the means of the past."""
    one = np.exp(kappa - kappa)  # exactly a ball: as rationals the sums would have thousands of digits
    played = one * kinked(kappa, at_zero, opening, first)
    past, theta = opening, opening * 0 - 1
    for t in range(1, T):
        played = played + kinked(kappa, at_zero, theta, past / t)
        past, theta = past + theta, -theta
    ends = T // 2 * kinked(kappa, at_zero, -one, u) + (T - 1) // 2 * kinked(kappa, at_zero, one, u)
    compared = kinked(kappa, at_zero, opening, u) + ends
    return played - compared


def _family(draw: Draw) -> Instance:
    T, kappa = 2 ** draw.integer(0, LARGEST_POWER), draw.positive(-4, 8)
    opening = draw.real(draw.number(1, 4), draw.number(3, 4))
    first, comparator, at_zero = (draw.real(-1, 1) for _ in range(3))
    return Instance(T=T, kappa=kappa, opening=opening, first=first, comparator=comparator, at_zero=at_zero)


def largest(kappa: Any) -> Any:
    r"""$\max_{x,y\in\Theta} B_R(x\|y) = 2 + 2\kappa$, at opposite ends."""
    return 2 + 2 * kappa


def _within(latex: str, name: str) -> Assumption:
    return Assumption(latex, lambda x: 1 - abs(getattr(x, name)))


KINK = Assumption(r"\kappa>0", lambda x: x.kappa)
GIVEN = (
    Assumption(r"T\ge1", lambda x: x.T - 1),
    KINK,
    _within(r"\theta_1^\ast\in[-1,1]", "opening"),
    _within(r"\phi_1\in[-1,1]", "first"),
    _within(r"\phi^\ast\in[-1,1]", "comparator"),
    _within(r"\nabla R(0)\in[-\kappa,\kappa]", "at_zero"),
)


@claim(
    "text:bregman-log-regret/bounded",
    r"\phi_{t+1}=\frac1t\theta_{1:t}^\ast,\ \Breg_R\le D^2\ \text{over}\ \Theta\implies\sum_{t=1}^T"
    r"\Breg_R(\theta_t^\ast||\phi_t)-\Breg_R(\theta_t^\ast||\phi^\ast)\le20D^2(1+\log T)",
    _family,
    GIVEN,
    uses=("def:regret", "def:convex", "def:bregman:app"),
)
def logarithmic(x: Instance) -> Sides:
    r"""FTL has logarithmic regret on bounded Bregman divergences.

    The assumption of thm:similarity, and the family $R=\frac12x^2+\kappa|x|$ on $[-1,1]$, $D^2=2+2\kappa$,
    $\theta_t^\ast=\theta_1^\ast,-1,1,-1,\dots$, T a power of two, with 20 for the constant. Every mean lies on the
    other side of the kink than the next $\theta_t^\ast$: regret is linear in T, whichever subgradient is taken at 0.
    With $R=\frac12x^2+|x|^{\frac54}$, differentiable everywhere, it is of order $T^{\frac34}$. Bounded $\Breg_R$ is not
    enough, a bounded gradient of $\Breg_R(\theta||\cdot)$ is (the plain label); the appendix has it in its constant C
    only.
    """
    paid = on(regret, x.kappa)(x.T, x.kappa, x.at_zero, x.opening, x.first, x.comparator)
    return Sides(paid, 20 * largest(x.kappa) * (1 + np.log(0 * x.kappa + x.T)))
