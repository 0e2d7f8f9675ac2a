r"""FTL over full matrices: sharper forms with regularisers in every round, and with regularisers in none but the first.

In the first, $\tilde B_t^2 = B_t^2 + \varepsilon^2I$ for all t, as in prp:matrixftl. In the second the sums begin as
$\varepsilon^2I$ and $\zeta^2I$, and nothing is added to $B_t^2$, $G_t^2$. The proofs are in docs/theorems/geometry.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry import fullmatrix, matrixftl
from arubatheory.papers.aruba.games import matrices
from arubatheory.papers.aruba.games.diagonal import means
from arubatheory.papers.aruba.games.matrices import least_of, shift, trace_of
from arubatheory.papers.aruba.sharper import diagonal
from arubatheory.papers.aruba.sharper.potential import largest_of
from arubatheory.problems.matrices import gram
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Instance, Sides
from arubatheory.statements.functions import enclosed_root, largest, root

USES = ("def:ftl", "def:regret", "ours:g1", "ours:g2/length")
GAME = matrices.GAME
PLAYED: dict[str, Any] = {"game": matrices.matrix_game, "given": GAME, "uses": USES}


def root_trace(A: Array) -> Any:
    r"""$\operatorname{Tr}A^{1/2}=F(A,I)$ of a positive semidefinite A."""
    return least_of(A, shift(0 * A, 1)) / 2


def linear(x: Instance, rounds: Any) -> Any:
    r"""$2\sqrt n(\varepsilon\operatorname{Tr}\sqrt{\sum G_t^2} + \zeta\operatorname{Tr}\sqrt{\sum B_t^2})$ for n
    `rounds`."""
    return 2 * root(rounds) * (x.eps * root_trace(sum(x.G2)) + x.zeta * root_trace(sum(x.B2)))


LINEAR = r"\varepsilon\operatorname{Tr}\sqrt{G_{1:T}^2}+\zeta\operatorname{Tr}\sqrt{B_{1:T}^2}"


@claim(
    "prp:matrixftl/sharp",
    matrixftl.REGRET
    + r"\frac d4\left(\frac{S\sqrt K}\varepsilon\log\left((T+1)\left(1+\frac{\sigma_B^2}{\varepsilon^2}\right)\right)+"
    r"\frac{K\sqrt S}\zeta\log\left((T+1)\left(1+\frac{m\sigma_G^2}{\zeta^2}\right)\right)\right)+2\sqrt{T+1}\left("
    + LINEAR
    + r"\right)\quad\text{for}\quad S=\sigma_B^2+\varepsilon^2,\ K=m\sigma_G^2+\zeta^2",
    **PLAYED,
)
def sharp(x: Instance) -> Sides:
    r"""Regret of matrix FTL.

    $X_1=(\varepsilon/\zeta)I_d$, any $\varepsilon,\zeta>0$. At $\varepsilon=T^{-1/2}$, $\zeta=\sqrt{m/T}$ the average
    is $\tilde O(d\sqrt{m/T})$. Proved in docs/theorems/geometry.md.
    """
    (S, K), T = matrices.largest(x), matrices.rounds_of(x)
    terms = S * root(K) / x.eps * np.log((T + 1) * (S / x.eps**2)) + K * root(S) / x.zeta * np.log(
        (T + 1) * K / x.zeta**2
    )
    return Sides(matrixftl.regret(x), x.B2.shape[1] * terms / 4 + linear(x, T + 1))


@claim(
    "prp:matrixftl/sharp/proof-1",
    r"\sum_{t=1}^T\ell_t(X_t)-\inf_{X\succ0}\sum_{t=1}^T\ell_t(X)\le\sum_{t=1}^TD_t+2\sqrt{T+1}\left("
    + LINEAR
    + r"\right)",
    **PLAYED,
)
def without_regularisers(x: Instance) -> Sides:
    r"""What the regularisers cost.

    $\sum_tD_t=\sum_t\tilde\ell_t(X_t)-2F(\tilde B_T,\tilde G_T)+2d\varepsilon\zeta$ by ours:g1; by Rotfel'd's
    inequality.
    """
    played, extra, _, _ = matrices.summed(x)
    B, G = matrices.regularised_sums(x, 1)
    departures = played + extra - least_of(B, G) + 2 * x.B2.shape[1] * x.eps * x.zeta
    return Sides(matrixftl.regret(x), departures + linear(x, matrices.rounds_of(x) + 1))


# regularised once
def play_once(x: Instance) -> tuple[Any, Any]:
    r"""$\sum_t\ell_t(X_t)$ and $\sum_tD_t$ when the regularisers enter once."""
    e, z = matrices.squares_of(x)
    B, G = (shift(0 * x.B2[0], c) for c in (e, z))
    X, Y = matrices.play(B, G, x.B2, x.G2)
    paid = (Y[:-1] * x.B2).sum() + (X[:-1] * x.G2).sum()
    best = least_of(B + sum(x.B2), G + sum(x.G2)) - least_of(B, G)
    return paid, paid - best


def telescoped(x: Instance, beta: Any, gamma: Any) -> Any:
    r"""$\frac\beta\varepsilon\operatorname{Tr}\sqrt{\zeta^2I + \sum G_t^2} + \frac\gamma\zeta\operatorname{Tr}
    \sqrt{\varepsilon^2I + \sum B_t^2}$."""
    e, z = matrices.squares_of(x)
    B, G = shift(sum(x.B2), e), shift(sum(x.G2), z)
    return beta / x.eps * root_trace(G) + gamma / x.zeta * root_trace(B)


def norms(x: Instance) -> tuple[Any, Any]:
    r"""The largest $\|B_t^2\|_2$ and $\|G_t^2\|_2$."""
    return largest(map(largest_of, x.B2)), largest(map(largest_of, x.G2))


SUMS = (
    r"\frac{%s}\varepsilon\operatorname{Tr}\sqrt{\zeta^2I+G_{1:T}^2}+"
    r"\frac{%s}\zeta\operatorname{Tr}\sqrt{\varepsilon^2I+B_{1:T}^2}"
)


@claim(
    "prp:matrixftl/sharp/once",
    matrixftl.REGRET + SUMS % (r"\sigma_B^2", r"m\sigma_G^2") + "+2" + LINEAR.replace(r"+\zeta", r"+2\zeta"),
    **PLAYED,
)
def once(x: Instance) -> Sides:
    r"""Regret of matrix FTL that is regularised once.

    The sums begin as $\varepsilon^2I$ and $\zeta^2I$, and nothing else is added: with $\varepsilon$, $\zeta$ that do
    not depend on T the average is $O(d\sqrt{m/T})$ for every T. Proved in docs/theorems/geometry.md.
    """
    regret = play_once(x)[0] - least_of(sum(x.B2), sum(x.G2))
    price = telescoped(x, x.sigma_B**2, x.m * x.sigma_G**2)
    return Sides(regret, price + linear(x, 1 + 0 * x.eps))


@claim(
    "prp:matrixftl/sharp/proof-2", r"\sum_{t=1}^TD_t\le" + SUMS % (r"\max_t\|B_t^2\|_2", r"\max_t\|G_t^2\|_2"), **PLAYED
)
def no_logarithm(x: Instance) -> Sides:
    r"""The steps, when the regularisers enter once.

    By ours:g2/order and ours:g2/proof-2.
    """
    return Sides(play_once(x)[1], telescoped(x, *norms(x)))


# thm:fullmatrix
def excess(x: Instance) -> Any:
    r"""What thm:fullmatrix/sharp allows beyond the infimum."""
    return diagonal.excess(x.D * x.G * root(x.m), 0 * x.D + len(x.points), 0 * x.D + len(x.first))


def _paid(x: Instance) -> tuple[Any, Array, Array]:
    r"""$\sum_t\U_t(\phi_t,H_t)$ at $\varepsilon = D/2$, $\zeta = G\sqrt{m/2}$, and the last sums at the best $\phi$."""
    B2 = fullmatrix.deviations(x.points, means(x.points, x.first))
    G2 = np.array([on(gram, g)(g) * x.repeated for g in x.gradients])
    game = Instance(B2=B2, G2=G2, eps=x.D / 2, zeta=root(x.m / 2) * x.G)
    best = fullmatrix.deviations(x.points, sum(x.points) / len(x.points))
    return play_once(game)[0], sum(best), sum(G2)


@claim(
    "thm:fullmatrix/sharp",
    r"\sum_{t=1}^T\U_t(\phi_t,H_t)\le\inf_{\phi,H\succ0}\sum_{t=1}^T\U_t(\phi,H)"
    r"+2DG\sqrt{dm}\left(\sqrt T+\sqrt{T+\frac d2}\right)+\sqrt2DG\sqrt{mT(1+\log T)}"
    r"\quad\text{for}\quad\varepsilon=\frac D2,\ \zeta=G\sqrt{\frac m2},\ p=\infty",
    fullmatrix.TASKS["game"],
    fullmatrix.GAME,
    uses=("eq:matrix", "prp:matrixftl/sharp/once", "thm:diagonal/sharp/proof-1"),
)
def tasks(x: Instance) -> Sides:
    r"""The rate of learning a full matrix.

    $O(\sqrt{dm/T})$ on average, as for a diagonal, where thm:fullmatrix has $T^{-1/8}$; by thm:diagonal/sharp/lower no
    learner has a better rate. The infimum is exact. Proved in docs/theorems/geometry.md.
    """
    paid, B, G = _paid(x)
    return Sides(paid - least_of(B, G), excess(x))


@claim(
    "thm:fullmatrix/sharp/proof-1",
    r"F(B+\Delta,G)\le F(B,G)+\sqrt{\operatorname{Tr}\Delta\operatorname{Tr}G}\quad\text{for}\quad "
    r"B=B_1^2,\ \Delta=B_{2:T}^2,\ G=G_{1:T}^2",
    **PLAYED,
)
def price_of_means(x: Instance) -> Sides:
    r"""What means cost.

    By Rotfel'd's inequality and $F(\Delta,G)=\|\Delta^{1/2}G^{1/2}\|_1$.
    """
    B, G = sum(x.B2), sum(x.G2)
    rest = trace_of(B - x.B2[0]) * trace_of(G)
    return Sides(least_of(B, G) / 2, least_of(x.B2[0], G) / 2 + enclosed_root(on(larger, rest)(rest, 0 * rest)))
