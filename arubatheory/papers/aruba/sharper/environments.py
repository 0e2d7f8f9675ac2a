r"""Changing environments and average deviation: cor:dynamic, text:v-below-dstar and cor:ewoo, sharper or conjectured.

The proofs, and what is known of the conjectures, stand in docs/theorems/similarity.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.papers.aruba.c_dynamic import ewoo
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import adaptive, similarity_losses
from arubatheory.papers.aruba.games.adaptive import IN_THETA, OGD, REFERENCE, path_of, spread_about
from arubatheory.papers.aruba.games.similarity_losses import ewoo_price, ewoo_rule, first_term, play_sim
from arubatheory.papers.aruba.sharper.similarity import equalised, harmonic
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import largest, root
from arubatheory.statements.games import MOST_T

PI = 355, 113  # a little more than pi: 2/pi is under-stated by less than one in 10^7
DYNAMIC = (
    r"\sum_{t=1}^Tf_t(\phi_t)\le4\sum_{t=1}^Tf_t(\psi_t)+\frac{\sigma_{\max}}2D(D+2P_\Psi)"
    r"\quad\text{for}\quad f_t(\phi)=\frac{\sigma_t}2\|\theta_t^\ast-\phi\|_2^2,\ "
    r"P_\Psi=\sum_{t=2}^T\|\psi_t-\psi_{t-1}\|_2"
)
AGAINST: dict[str, Any] = {"given": (*IN_THETA, REFERENCE), "uses": ("cor:dynamic/explicit/corrected",)}


def _dynamic(x: Instance) -> Sides:
    paid = sum(x.sigma * adaptive.divergences_of_init(x, OGD))
    return Sides(paid - 4 * spread_about(x, x.psi), max(x.sigma) * x.D * (x.D + 2 * path_of(x.psi)) / 2)


@claim("cor:dynamic/sharp/conjecture", DYNAMIC, adaptive.euclidean_game, **AGAINST)
def any_weights(x: Instance) -> Sides:
    r"""Conjecture: OGD of starts against any reference sequence, with half of what is proved.

    Step $1/\sigma_{\max}$. Proved for equal weights (cor:dynamic/sharp), and for steps of at most
    $\frac3{4\sigma_{\max}}$.
    """
    return _dynamic(x)


@claim(
    "cor:dynamic/sharp",
    DYNAMIC + r",\ \sigma_t=\sigma",
    lambda draw: equalised(adaptive.euclidean_game(draw)),
    **AGAINST,
)
def equal_weights(x: Instance) -> Sides:
    r"""The start where the last task ended, against any reference sequence.

    Equal weights: $\phi_{t+1}=\theta_t^\ast$. Proved in docs/theorems/similarity.md; $\frac12$ and 4 are attained.
    """
    return _dynamic(x)


@claim(
    "cor:dynamic/sharp/proof-1",
    r"\min\{D,u+p\}^2\le u^2+2Dp\quad\text{for}\quad u,p\ge0",
    lambda draw: Instance(u=draw.positive(-8, 2), p=draw.positive(-8, 2), D=draw.positive(-4, 4)),
    (Assumption(r"u,p,D\ge0", lambda x: min(x.u, x.p, x.D)),),
)
def cut_off(x: Instance) -> Sides:
    """A length that is cut off at the diameter."""
    cut = x.u + x.p if x.u + x.p < x.D else x.D
    return Sides(cut * cut, x.u * x.u + 2 * x.D * x.p)


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
    widest = largest((p - q) @ (p - q) for p in x.star for q in x.star)
    return Sides((away * away).sum() / (2 * len(x.star)), widest * k / (4 * (k + 1)))


# eps-EWOO
def _long_game(draw: Draw) -> Instance:
    x = similarity_losses.similarity_game(draw, 6)
    if draw.boolean():  # where cor:ewoo falls
        T = 1 << draw.integer(1, 6)
        x.B, x.alpha = 0 * x.D + draw.zeros(T), draw.array([1] * T)
        x.eps, x.comparator = x.D * draw.positive(-2, 4), x.D * draw.positive(-16, 2)
    return x


def _between(x: Instance, square: Any, price: Any) -> Sides:
    r"""Regret beyond the first term against $\sqrt{sD\varepsilon\mu\alpha_{\max}\alpha_{1:T}}$ and a price."""
    size = x.B * x.B + x.eps * x.eps
    played = play_sim(ewoo_rule(x.D, x.eps, max(x.alpha), x.eps), x.alpha, size)
    regret = similarity_losses.sim_regret(x.B * x.B, x.alpha, played, x.comparator)
    spread = root(square * x.D * x.eps * most_of(x) * max(x.alpha) * sum(x.alpha))
    return Sides(regret - first_term(x.eps, x.comparator, sum(x.alpha)), spread + price)


def most_of(x: Instance) -> Any:
    r"""$\mu=\max\{D^2/\varepsilon^2,1\}$."""
    return largest(((x.D / x.eps) ** 2, 1 + 0 * x.D))


SPREAD = r"+\sqrt{%s D\varepsilon\max\left\{\frac{D^2}{\varepsilon^2},1\right\}\alpha_{\max}\alpha_{1:T}}+"


@claim(
    "cor:ewoo/sharp",
    ewoo.REGRET
    + ewoo.FIRST
    + SPREAD % "2.885"
    + ewoo.PRICE.replace("1+", "2+")
    + r"+\frac{D^2}{2\varepsilon}\sum_{t=1}^T\frac{\alpha_t^2}{\alpha_{1:t}}\quad\text{for}\quad\alpha_t=\alpha",
    lambda draw: equalised(_long_game(draw), "alpha"),
    ewoo.ASSUMED,
    uses=("def:ewoo", "thm:ewoo", "prp:ftl/sharp/proof-2"),
)
def ewoo_with_equal_weights(x: Instance) -> Sides:
    r"""Regret of $\varepsilon$-EWOO with $\varepsilon$ and a root in the place of $2\varepsilon$.

    Equal weights. The first term is taken to the left side. Proved in docs/theorems/similarity.md.
    """
    price = x.D * max(x.alpha) / 2 * most_of(x) + x.D * (x.D / x.eps) / 2 * harmonic(x)
    return _between(x, (0 * x.D + 2885) / 1000, price + ewoo_price(x.alpha, x.D, x.eps))


@claim(
    "cor:ewoo/sharp/conjecture",
    ewoo.REGRET + ewoo.FIRST + SPREAD % r"\frac2\pi" + ewoo.PRICE,
    _long_game,
    ewoo.ASSUMED,
    uses=("def:ewoo", "cor:ewoo/corrected"),
)
def ewoo_between(x: Instance) -> Sides:
    r"""Conjecture: $\varepsilon$ and a root in the place of $2\varepsilon$.

    The root is what half a Gaussian at the left end costs where all $B_t=0$. The first term is taken to the left side.
    """
    return _between(x, (0 * x.D + PI[1]) * 2 / PI[0], ewoo_price(x.alpha, x.D, x.eps))
