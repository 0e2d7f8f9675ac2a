r"""Changing environments and average deviation: cor:dynamic and text:v-below-dstar, sharper.

The proofs stand in docs/theorems/similarity.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import adaptive
from arubatheory.papers.aruba.games.adaptive import IN_THETA, OGD, REFERENCE, path_of, spread_about, widest_square
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_T

AGAINST: dict[str, Any] = {"given": (*IN_THETA, REFERENCE), "uses": ("cor:dynamic/explicit/corrected",)}


@claim(
    "cor:dynamic/sharp",
    r"\sum_{t=1}^Tf_t(\phi_t)\le4\sum_{t=1}^Tf_t(\psi_t)+\frac{\sigma_{\max}}2D(D+2P_\Psi)"
    r"\quad\text{for}\quad f_t(\phi)=\frac{\sigma_t}2\|\theta_t^\ast-\phi\|_2^2,\ "
    r"P_\Psi=\sum_{t=2}^T\|\psi_t-\psi_{t-1}\|_2",
    adaptive.euclidean_game,
    **AGAINST,
)
def dynamic(x: Instance) -> Sides:
    r"""OGD of starts against any reference sequence, with half of what is printed.

    Any weights, the step $1/\sigma_{\max}$. Proved in docs/theorems/similarity.md; $\frac12$ and 4 are attained.
    """
    paid = sum(x.sigma * adaptive.divergences_of_init(x, OGD))
    return Sides(paid - 4 * spread_about(x, x.psi), max(x.sigma) * x.D * (x.D + 2 * path_of(x.psi)) / 2)


def height(rho: Any, D: Any) -> Any:
    r"""$h(\rho)$: $2\rho^2$ up to D/2, $D^2 - 2(D-\rho)^2$ beyond."""
    low = on(smaller, rho)(rho, D / 2)
    over = rho - low
    return 2 * (low * low + D * over - over * over)


HEIGHT = r"h(\rho)=2\rho^2\ \left(\rho\le\tfrac D2\right),\ D^2-2(D-\rho)^2\ \left(\rho\ge\tfrac D2\right)"


@claim(
    "cor:dynamic/sharp/proof-1",
    r"\min\{D,r+\rho\}^2+h(r)\le4r^2+h(\rho)\quad\forall\ r,\rho\in[0,D],\quad " + HEIGHT,
    lambda draw: Instance(D=draw.positive(), shares=draw.unit(2)),
    (Assumption(r"D>0", lambda x: x.D),),
)
def one_step(x: Instance) -> Sides:
    """What one task costs that replaces the start; lengths are cut off at the diameter."""
    r, rho = x.D * x.shares
    cut = on(smaller, r)(x.D, r + rho)
    return Sides(cut * cut + height(r, x.D), 4 * r * r + height(rho, x.D))


def potentials(x: Instance, at: Array) -> list[Any]:
    r"""$H_1(p), \dots, H_{T+1}(p)$ at a point: $\sum_iw_{t,i}h(\|z_i-p\|_2)$ over the points of which $\phi_t$ is the
    mean."""
    points, top = (x.phi, *x.star), max(x.sigma)
    heights = [height(root((z - at) @ (z - at)), x.D) for z in points]
    found = heights[:1]
    for sigma, value in zip(x.sigma, heights[1:], strict=True):
        found.append(found[-1] + sigma / top * (value - found[-1]))
    return found


@claim(
    "cor:dynamic/sharp/proof-2",
    r"\lambda_t\|\theta_t^\ast-\phi_t\|_2^2+H_{t+1}(\psi_t)\le4\lambda_t\|\theta_t^\ast-\psi_t\|_2^2+H_t(\psi_t)"
    r"\quad\text{for}\quad H_1(p)=h(\|\phi_1-p\|_2),\ H_{t+1}(p)=(1-\lambda_t)H_t(p)"
    r"+\lambda_th(\|\theta_t^\ast-p\|_2),\ \lambda_t=\frac{\sigma_t}{\sigma_{\max}}",
    lambda draw: adaptive.adaptive_game(draw, euclidean=True),
    **AGAINST,
)
def every_step(x: Instance) -> tuple[Sides, ...]:
    """What any task costs: a mean of what tasks cost that replace the start."""
    paid, top = 2 * adaptive.divergences_of_init(x, OGD), max(x.sigma)
    sides = []
    for t, psi in enumerate(x.psi):
        H, away, share = potentials(x, psi), x.star[t] - psi, x.sigma[t] / top
        sides.append(Sides(share * paid[t] + H[t + 1], 4 * share * (away @ away) + H[t]))
    return tuple(sides)


# Jung
def _simplices(draw: Draw) -> Instance:
    r"""Optimal actions: free, or the corners of a regular simplex, some of them moved."""
    d, T = draw.size("d", 3), draw.size("T", 6, MOST_T)
    if draw.boolean():
        return Instance(star=draw.positive() * draw.real(-1, 1, (T, d)), d=d)
    corners = draw.eye(d + 1) * draw.positive()  # in the plane of coordinates of one sum
    moved = draw.positive(-24, 0) * draw.integer(0, 1) * draw.real(-1, 1, (d + 1, d + 1))
    moved = moved - moved.sum(axis=1, keepdims=True) / (d + 1)
    return Instance(star=(corners + moved)[np.arange(T) % (d + 1)], d=d)


@claim(
    "text:v-below-dstar/sharp",
    r"V^2=\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\bar\theta^\ast\|_2^2\le\frac k{4(k+1)}\max_{s,t}"
    r"\|\theta_s^\ast-\theta_t^\ast\|_2^2\quad\text{for}\quad k=\min\{d,T-1\}",
    _simplices,
    (),
)
def jung(x: Instance) -> Sides:
    r"""The average deviation against the largest distance.

    By Jung's theorem, attained by the corners of a regular simplex. $\frac12$ in text:v-below-dstar/at-most. Proved in
    docs/theorems/similarity.md.
    """
    away = x.star - sum(x.star) / len(x.star)
    k = min(x.d, len(x.star) - 1)
    return Sides((away * away).sum() / (2 * len(x.star)), widest_square(x.star) * k / (4 * (k + 1)))
