r"""Appendix D: the second half of the proof of prp:matrixftl, from strong convexity to the last chain of displays."""

from __future__ import annotations

from typing import Any

from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.matrixftl_proof import SHORT, played_point, with_point
from arubatheory.papers.aruba.games import matrices
from arubatheory.papers.aruba.games.matrices import GAME, UNIT, invert, least_of, regularised_sums, spectral, trace_of
from arubatheory.problems.draw import Draw
from arubatheory.problems.matrices import log_det, psd_margin
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import root
from arubatheory.statements.games import MOST_D

BOUND = r"\|X\|_2,\|Y\|_2\le\sqrt{\sigma_B^2+\varepsilon^2}/\zeta"
BEST = r"\min_{X\succ0}\sum_{t=1}^T\tilde\ell_t(X)"
WITHOUT = r"\le\min_{X\succ0}\left(\zeta^2T\Tr(X)+\sum_{t=1}^T\ell_t(X)\right)+"
LAST = r"\min_{X\succ0}\left(\zeta^2T\Tr(X)+\sum_{t=1}^T\ell_t(X)\right)\le\inf_{X\succ0}\sum_{t=1}^T\ell_t(X)+"
MATRICES = {"game": matrices.matrix_game, "given": GAME}
CONFINED = Assumption(BOUND, lambda x: min(psd_margin(matrices.shift(-x.X, 1)), psd_margin(matrices.shift(-x.Y, 1))))


def _two_points(draw: Draw) -> Instance:
    r"""$X/\varrho$, $Y/\varrho$ with spectra in (0, 1] for $\varrho = \sqrt{\sigma_B^2 + \varepsilon^2}/\zeta$."""
    d = draw.size("d", 2, MOST_D)
    low = draw.choice((-1, -8))
    X = draw.spd(d, low, 0)
    return Instance(X=X, Y=draw.spd(d, low, 0) if draw.boolean() else X * draw.positive(-1, 0))


@claim(
    "prp:matrixftl/proof-9",
    BOUND + r"\implies\log\det X-\log\det Y\ge-\Tr(X^{-1}(Y-X))+\frac{\zeta^2}{2(\sigma_B^2+\varepsilon^2)}"
    r"\|Y-X\|_2^2",
    _two_points,
    (CONFINED,),
    uses=("clm:logdetsc",),
)
def convexity(x: Instance) -> Sides:
    r"""Strong convexity of $-\log\det$.

    Scaled by the bound, on which nothing else depends. The dual of the spectral norm, which thm:coupling asks for,
    is the trace norm, and the gradients are bounded in the spectral one: that is where the dimension is lost.
    """
    away = x.Y - x.X
    size, linear = spectral(away), trace_of(invert(x.X), away)
    return Sides(size * size / 2 - linear, on(log_det, x.X)(x.X) - on(log_det, x.X)(x.Y))


@claim("prp:matrixftl/proof-10", r"\|X_t\|_2\le\sqrt{\sigma_B^2+\varepsilon^2}/\zeta", matrices.plane_game, GAME)
def confined(x: Instance) -> Sides:
    """The played points are where that holds.

    Used without being displayed.
    """
    return Sides(spectral(played_point(x)[0]) * x.zeta, root(matrices.largest(x)[0]))


def _regularised_regret(x: Instance, more: int) -> Any:
    r"""$\sum_t\tilde\ell_t(X_t) - \min_X\sum_t\tilde\ell_t(X)$ with so many times $\tilde\ell_0$ more in the second."""
    played, extra, _, _ = matrices.summed(x)
    return played + extra - least_of(*regularised_sums(x, more))


@claim(
    "prp:matrixftl/proof-11",
    r"\sum_{t=1}^T\tilde\ell_t(X_t)-" + BEST + r"\le\frac{10^6m^2}{\varepsilon^4\zeta^3}(1+\log T)",
    matrices.isotropic_game,
    (*GAME, UNIT),
    uses=("thm:coupling/convex",),
)
def coupling(x: Instance) -> Sides:
    r"""The regret on the regularised losses.

    With $10^6$ for $C_\sigma$ at $\sigma_B=\sigma_G=1$, on d copies of a scalar game.
    """
    log = matrices.printed_log(x, matrices.NAMED, matrices.rounds_of(x))
    return Sides(_regularised_regret(x, 0) * x.copies, log)


@claim(
    "prp:matrixftl/proof-11/corrected",
    r"\sum_{t=1}^T\tilde\ell_t(X_t)-\min_{X\succ0}\sum_{t=0}^T\tilde\ell_t(X)+2d\varepsilon\zeta\le\frac d2"
    r"\left(\frac{S^2\sqrt K}{\varepsilon^3}+\frac{K^2\sqrt S}{\zeta^3}\right)(1+\log T)" + SHORT,
    **MATRICES,
)
def coupling_corrected(x: Instance) -> Sides:
    r"""The regret on the regularised losses.

    $\tilde\ell_0$ is the loss without data, $2d\varepsilon\zeta$ its value at $X_1$. The sum of Bures distances of
    prp:matrixftl/corrected.
    """
    return Sides(_regularised_regret(x, 1) + 2 * x.B2.shape[1] * x.eps * x.zeta, matrices.coupled(x))


@claim("prp:matrixftl/proof-12", r"\sum_{t=1}^T\ell_t(X_t)\le\sum_{t=1}^T\tilde\ell_t(X_t)", **MATRICES)
def dropping(x: Instance) -> Sides:
    r"""Dropping the regularisation lowers the losses.

    By at least $2d\varepsilon\zeta T$, which the proof gives away and prp:matrixftl/corrected needs.
    """
    played, extra, _, _ = matrices.summed(x)
    return Sides(played, played + extra)


@claim(
    "prp:matrixftl/proof-13",
    r"\sum_{t=1}^T\tilde\ell_t(X)=\varepsilon^2T\Tr(X^{-1})+\zeta^2T\Tr(X)+\sum_{t=1}^T\ell_t(X)",
    with_point,
    (*GAME, Assumption(r"X\succ0", lambda x: psd_margin(x.X))),
)
def splitting(x: Instance) -> tuple[Sides, Sides]:
    """What the regularisation adds."""
    (B, G), inverted, (e, z) = regularised_sums(x), invert(x.X), matrices.squares_of(x)
    extra = (e * trace_of(inverted) + z * trace_of(x.X)) * len(x.B2)
    parts = extra + trace_of(inverted, sum(x.B2)) + trace_of(x.X, sum(x.G2))
    return equality(trace_of(inverted, B) + trace_of(x.X, G), parts)


def _without_eps(x: Instance) -> Any:
    r"""What $\varepsilon$ adds to the least sum."""
    B, G = regularised_sums(x)
    return least_of(B, G) - least_of(sum(x.B2), G)


@claim("prp:matrixftl/proof-14", BEST + WITHOUT + r"(1+\sigma_G^2)\varepsilon T\sqrt m", **MATRICES)
def price_of_eps(x: Instance) -> Sides:
    r"""The price of $\varepsilon$.

    In one dimension at $B_t=G_t=0$: $2\varepsilon\zeta\le(1+\sigma_G^2)\varepsilon\sqrt m$. At $\sigma_G=1$,
    $B_t=0$, $G_t^2=m$ it says $2\varepsilon\sqrt{m+\zeta^2}\le2\varepsilon\sqrt m$, false for every $\zeta$.
    """
    return Sides(_without_eps(x), (1 + x.sigma_G * x.sigma_G) * x.eps * root(x.m) * len(x.B2))


@claim("prp:matrixftl/proof-14/corrected", BEST + WITHOUT + r"2d\varepsilon T\sqrt{m\sigma_G^2+\zeta^2}", **MATRICES)
def price_of_eps_corrected(x: Instance) -> Sides:
    r"""The price of $\varepsilon$.

    The minimum is $2\Tr\sqrt{G^{1/2}BG^{1/2}}$ for the sums, subadditive in each by Rotfel'd's inequality.
    """
    return Sides(_without_eps(x), 2 * x.B2.shape[1] * x.eps * root(matrices.largest(x)[1]) * len(x.B2))


def _without_zeta(x: Instance) -> Any:
    r"""What $\zeta$ adds to the least sum without $\varepsilon$."""
    B, (_, G) = sum(x.B2), regularised_sums(x)
    return least_of(B, G) - least_of(B, sum(x.G2))


@claim("prp:matrixftl/proof-15", LAST + r"(1+\sigma_B^2)\zeta T", matrices.matrix_game, GAME)
def price_of_zeta(x: Instance) -> Sides:
    r"""The price of $\zeta$.

    At $\sigma_B=1$, $B_t=I_d$, $G_t=0$ it says $2d\zeta\le2\zeta$. In one dimension it holds.
    """
    return Sides(_without_zeta(x), (1 + x.sigma_B * x.sigma_B) * x.zeta * len(x.B2))


@claim("prp:matrixftl/proof-15/corrected", LAST + r"2d\sigma_B\zeta T", **MATRICES)
def price_of_zeta_corrected(x: Instance) -> Sides:
    r"""The price of $\zeta$."""
    return Sides(_without_zeta(x), 2 * x.B2.shape[1] * x.sigma_B * x.zeta * len(x.B2))
