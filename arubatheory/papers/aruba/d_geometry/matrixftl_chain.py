r"""Appendix D: the second half of the proof of prp:matrixftl, from strong convexity to the last chain of displays."""

from __future__ import annotations

from typing import Any

from arubatheory.kernel import on
from arubatheory.papers.aruba.d_geometry.matrixftl_proof import POINT, SHORT, played_point, step, with_point
from arubatheory.papers.aruba.games.matrices import (
    GAME,
    NAMED,
    UNIT,
    coupled,
    invert,
    isotropic_game,
    largest,
    least_of,
    magnified,
    matrix_game,
    plane_game,
    printed_log,
    regularised_sums,
    rounds_of,
    shift,
    spectral,
    squares_of,
    summed,
    trace_of,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.matrices import log_det, psd_margin
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

# strong convexity and coupling -------------------------------------------------------------------------------------


def _two_points(draw: Draw) -> Instance:
    r"""$X/\varrho$, $Y/\varrho$ with spectra in (0, 1] for $\varrho = \sqrt{\sigma_B^2 + \varepsilon^2}/\zeta$."""
    d = draw.integer(1, 2)
    low = draw.choice((-1, -8))
    X = draw.spd(d, low, 0)
    return Instance(X=X, Y=draw.spd(d, low, 0) if draw.boolean() else X * draw.positive(-1, 0))


def _convexity(i: Instance) -> Sides:
    inverted, away = invert(i.X), i.Y - i.X
    size = spectral(away)
    square = size * size
    at_x, at_y, linear = on(log_det, i.X)(i.X), on(log_det, i.X)(i.Y), trace_of(inverted, away)
    scale = abs(at_x) + abs(at_y) + square + magnified(i.X) + magnified(i.Y)
    return Sides(square / 2 - linear, at_x - at_y, scale)


def _confined(i: Instance) -> Sides:
    X, _ = played_point(i)
    lhs, rhs = spectral(X) * i.zeta, root(largest(i)[0])
    return Sides(lhs, rhs, lhs + rhs)


def _regularised_play(i: Instance, more: int) -> tuple[Any, Any]:
    r"""$\sum_t\tilde\ell_t(X_t)$ and $\min_X\sum_t\tilde\ell_t(X)$ with so many times $\tilde\ell_0$ more."""
    played, extra, _, _ = summed(i)
    return played + extra, least_of(*regularised_sums(i, more))


def _coupling(i: Instance) -> Sides:
    played, best = _regularised_play(i, 0)
    rhs = printed_log(i, NAMED, rounds_of(i))
    return Sides((played - best) * i.copies, rhs, (played + best) * i.copies + rhs)


def _coupling_corrected(i: Instance) -> Sides:
    played, best = _regularised_play(i, 1)
    first = 2 * i.B2.shape[1] * i.eps * i.zeta
    rhs = coupled(i)
    return Sides(played - (best - first), rhs, played + best + rhs)


# the chain ---------------------------------------------------------------------------------------------------------


def _dropping(i: Instance) -> Sides:
    played, extra, _, _ = summed(i)
    return Sides(played, played + extra, played + extra)


def _splitting(i: Instance) -> tuple[Sides, Sides]:
    (B, G), inverted = regularised_sums(i), invert(i.X)
    e, z = squares_of(i)
    whole = trace_of(inverted, B) + trace_of(i.X, G)
    extra = (e * trace_of(inverted) + z * trace_of(i.X)) * len(i.B2)
    parts = extra + trace_of(inverted, sum(i.B2)) + trace_of(i.X, sum(i.G2))
    scale = (whole + parts) * magnified(i.X)
    return Sides(whole, parts, scale), Sides(parts, whole, scale)


def _without_eps(i: Instance, price: Any) -> Sides:
    (B, G), data = regularised_sums(i), sum(i.B2)
    lhs, rhs = least_of(B, G), least_of(data, G)
    return Sides(lhs - rhs, price * len(i.B2), lhs + rhs + price)


def _without_eps_printed(i: Instance) -> Sides:
    return _without_eps(i, (1 + i.sigma_G * i.sigma_G) * i.eps * root(i.m))


def _without_eps_corrected(i: Instance) -> Sides:
    return _without_eps(i, 2 * i.B2.shape[1] * i.eps * root(largest(i)[1]))


def _without_zeta(i: Instance, price: Any) -> Sides:
    _, G = regularised_sums(i)
    data, other = sum(i.B2), sum(i.G2)
    lhs, rhs = least_of(data, G), least_of(data, other)
    return Sides(lhs - rhs, price * len(i.B2), lhs + rhs + price)


def _without_zeta_printed(i: Instance) -> Sides:
    return _without_zeta(i, (1 + i.sigma_B * i.sigma_B) * i.zeta)


def _without_zeta_corrected(i: Instance) -> Sides:
    return _without_zeta(i, 2 * i.B2.shape[1] * i.sigma_B * i.zeta)


# statements --------------------------------------------------------------------------------------------------------


BOUND = r"\|X\|_2,\|Y\|_2\le\sqrt{\sigma_B^2+\varepsilon^2}/\zeta"
BEST = r"\min_{X\succ0}\sum_{t=1}^T\tilde\ell_t(X)"
EXTRA = r"\varepsilon^2T\Tr(X^{-1})+\zeta^2T\Tr(X)"
WITHOUT = r"\le\min_{X\succ0}\left(\zeta^2T\Tr(X)+\sum_{t=1}^T\ell_t(X)\right)+"
CONFINED = Assumption(BOUND, lambda i: min(psd_margin(shift(-i.X, 1)), psd_margin(shift(-i.Y, 1))))

COUPLED = (
    step("9", r"Strong convexity of $-\log\det$",
          BOUND + r"\implies\log\det X-\log\det Y\ge-\Tr(X^{-1}(Y-X))+\frac{\zeta^2}{2(\sigma_B^2+\varepsilon^2)}"
          r"\|Y-X\|_2^2", _two_points, _convexity, CONFINED,
          uses=("clm:logdetsc",),
          note=r"Scaled by the bound, on which nothing else depends. The dual of the spectral norm, which "
          r"thm:coupling asks for, is the trace norm, and the gradients are bounded in the spectral one: that is where "
          r"the dimension is lost."),
    step("10", "The played points are where that holds",
          r"\|X_t\|_2\le\sqrt{\sigma_B^2+\varepsilon^2}/\zeta", plane_game, _confined,
          note="Used without being displayed."),
    step("11", "The regret on the regularised losses",
          r"\sum_{t=1}^T\tilde\ell_t(X_t)-" + BEST + r"\le\frac{10^6m^2}{\varepsilon^4\zeta^3}(1+\log T)",
          isotropic_game, _coupling, *GAME, UNIT, uses=("thm:coupling/convex",),
          note=r"With $10^6$ for $C_\sigma$ at $\sigma_B=\sigma_G=1$, on d copies of a scalar game."),
    step("11/corrected", "The regret on the regularised losses",
          r"\sum_{t=1}^T\tilde\ell_t(X_t)-\min_{X\succ0}\sum_{t=0}^T\tilde\ell_t(X)+2d\varepsilon\zeta\le\frac d2"
          r"\left(\frac{S^2\sqrt K}{\varepsilon^3}+\frac{K^2\sqrt S}{\zeta^3}\right)(1+\log T)" + SHORT,
          matrix_game, _coupling_corrected, corrects=("prp:matrixftl/proof-11",),
          note=r"$\tilde\ell_0$ is the loss without data, $2d\varepsilon\zeta$ its value at $X_1$. The sum of Bures "
          r"distances of prp:matrixftl/corrected."),
)  # fmt: skip

LAST = (
    step("12", "Dropping the regularisation lowers the losses",
          r"\sum_{t=1}^T\ell_t(X_t)\le\sum_{t=1}^T\tilde\ell_t(X_t)", matrix_game, _dropping,
          note=r"By at least $2d\varepsilon\zeta T$, which the proof gives away and prp:matrixftl/corrected needs."),
    step("13", "What the regularisation adds",
          r"\sum_{t=1}^T\tilde\ell_t(X)=" + EXTRA + r"+\sum_{t=1}^T\ell_t(X)", with_point, _splitting, *GAME, POINT),
    step("14", r"The price of $\varepsilon$",
          BEST + WITHOUT + r"(1+\sigma_G^2)\varepsilon T\sqrt m", matrix_game, _without_eps_printed,
          note=r"In one dimension at $B_t=G_t=0$: $2\varepsilon\zeta\le(1+\sigma_G^2)\varepsilon\sqrt m$. At "
          r"$\sigma_G=1$, $B_t=0$, $G_t^2=m$ it says $2\varepsilon\sqrt{m+\zeta^2}\le2\varepsilon\sqrt m$, false for "
          r"every $\zeta$."),
    step("14/corrected", r"The price of $\varepsilon$", BEST + WITHOUT
          + r"2d\varepsilon T\sqrt{m\sigma_G^2+\zeta^2}", matrix_game, _without_eps_corrected,
          corrects=("prp:matrixftl/proof-14",),
          note=r"The minimum is $2\Tr\sqrt{G^{1/2}BG^{1/2}}$ for the sums, subadditive in each by Rotfel'd's "
          r"inequality."),
    step("15", r"The price of $\zeta$",
          r"\min_{X\succ0}\left(\zeta^2T\Tr(X)+\sum_{t=1}^T\ell_t(X)\right)\le\inf_{X\succ0}\sum_{t=1}^T\ell_t(X)"
          r"+(1+\sigma_B^2)\zeta T", matrix_game, _without_zeta_printed,
          note=r"At $\sigma_B=1$, $B_t=I_d$, $G_t=0$ it says $2d\zeta\le2\zeta$. In one dimension it holds."),
    step("15/corrected", r"The price of $\zeta$",
          r"\min_{X\succ0}\left(\zeta^2T\Tr(X)+\sum_{t=1}^T\ell_t(X)\right)\le\inf_{X\succ0}\sum_{t=1}^T\ell_t(X)"
          r"+2d\sigma_B\zeta T", matrix_game, _without_zeta_corrected, corrects=("prp:matrixftl/proof-15",)),
)  # fmt: skip

CHAIN = (*COUPLED, *LAST)
