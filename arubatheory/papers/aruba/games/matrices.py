r"""The game of matrix FTL, shared by prp:matrixftl and thm:fullmatrix, with closed forms in all three arithmetics.

FTL on $\operatorname{Tr}(X^{-1}\tilde B_t^2) + \operatorname{Tr}(X\tilde G_t^2)$ plays the solution of
$\tilde B^2 = X\tilde G^2X$ for the sums before it. In two dimensions, with $\beta = \sqrt{\det B}$ and
$\gamma = \sqrt{\det G}$ for the sums B, G,
$$X = \frac{B + (\beta/\gamma)\operatorname{adj} G}{\sqrt{\operatorname{Tr}(BG) + 2\beta\gamma}}, \qquad
  \min_{X \succ 0}\operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG) = 2\sqrt{\operatorname{Tr}(BG) + 2\beta\gamma},$$
and diagonal matrices of any dimension decouple. Games are drawn in one and two dimensions (any matrices) and in three
(diagonal ones): everything here is the same for all rotations of a sequence, so those stand for all that commute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undecided, ball, enclosure
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import SCALE, Draw
from arubatheory.problems.linear import shifted
from arubatheory.problems.matrices import conjugate, inverse, quadratic_trace, trace, trace_product
from arubatheory.problems.scalar import larger, twin
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import root

DIAGONAL = 3  # the dimension in which matrices are drawn diagonal
ONE, TWO, FREE = range(3)
MOST_FREE, DOUBLINGS = 4, 8
NAMED = 10**6  # where a constant is claimed to exist
MOST = 40  # doublings of the dimension and of T in closed families


# closed forms ------------------------------------------------------------------------------------------------------


def _enclosed_root(x: Any) -> Any:
    try:
        return np.sqrt(x)
    except Undecided:
        half = Exact(enclosure(x).abs_upper()).sqrt() / 2
        return ball(half, half)


@twin(_enclosed_root)
def root_of_squares(x: Any) -> Any:
    r"""$\sqrt x$ of a sum of squares, which is not negative even where its ball looks so."""
    return np.sqrt(x)


@kernel
def _root_det(a: Array) -> Any:
    r"""$\sqrt{\det A}$ of a positive semidefinite A (2, 2); rounding may take a singular one below 0."""
    det = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    return np.sqrt(larger(det, det * 0))


@kernel
def geometric(B: Array, G: Array) -> Array:
    r"""[exact] The X with $B = XGX$ for positive definite B, G (d, d), d <= 2 or diagonal. `geometric(G, B)` is
    $X^{-1}$."""
    X = B.copy()
    if B.shape[0] == 2:
        beta, gamma = _root_det(B), _root_det(G)
        size = np.sqrt(trace_product(B, G) + 2 * beta * gamma)
        X[0, 0], X[1, 1] = (B[0, 0] + beta / gamma * G[1, 1]) / size, (B[1, 1] + beta / gamma * G[0, 0]) / size
        X[0, 1] = X[1, 0] = (B[0, 1] - beta / gamma * G[0, 1]) / size
        return X
    for j in range(B.shape[0]):
        X[j, j] = np.sqrt(B[j, j] / G[j, j])
    return X


@kernel
def least(B: Array, G: Array) -> Any:
    r"""[exact] $\inf_{X \succ 0}\operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG)$ for positive semidefinite B, G
    (d, d), d <= 2 or diagonal."""
    if B.shape[0] == 2:
        overlap = trace_product(B, G)
        return 2 * np.sqrt(larger(overlap, overlap * 0) + 2 * _root_det(B) * _root_det(G))
    s = 2 * np.sqrt(B[0, 0] * G[0, 0])
    for j in range(1, B.shape[0]):
        s = s + 2 * np.sqrt(B[j, j] * G[j, j])
    return s


@kernel
def norm(a: Array) -> Any:
    r"""[exact] $\|A\|_2$ of any A (d, d), d <= 2: half the sum of the norms of its conformal and its other part."""
    if a.shape[0] == 1:
        return abs(a[0, 0])
    stretch, turn = a[0, 0] + a[1, 1], a[1, 0] - a[0, 1]
    shear, flip = a[0, 0] - a[1, 1], a[0, 1] + a[1, 0]
    one, other = stretch * stretch + turn * turn, shear * shear + flip * flip
    return (root_of_squares(one) + root_of_squares(other)) / 2


@kernel
def play(B2: Array, G2: Array, e: Any, z: Any) -> Any:
    r"""[exact] $X_1, \dots, X_{T+1}$ and their inverses (T + 1, d, d): $X_t$ solves
    $teI + \sum_{s<t}B_s^2 = X(tzI + \sum_{s<t}G_s^2)X$."""
    X, Y = np.empty((B2.shape[0] + 1, *B2.shape[1:]), B2.dtype), np.empty((B2.shape[0] + 1, *B2.shape[1:]), B2.dtype)
    B, G = shifted(B2[0] * 0, e), shifted(G2[0] * 0, z)
    for t in range(B2.shape[0] + 1):
        X[t], Y[t] = geometric(B, G), geometric(G, B)
        if t < B2.shape[0]:
            B, G = shifted(B + B2[t], e), shifted(G + G2[t], z)
    return X, Y


@kernel
def sums(B2: Array, G2: Array, e: Any, z: Any) -> Any:
    r"""[exact] $\sum_t\ell_t(X_t)$, $\sum_t\varepsilon^2\operatorname{Tr}X_t^{-1} + \zeta^2\operatorname{Tr}X_t$,
    $\sum_tB_t^2$ and $\sum_tG_t^2$ for the actions of `play`."""
    X, Y = play(B2, G2, e, z)
    B, G = B2[0] * 0, G2[0] * 0
    played, extra = e * 0, e * 0
    for t in range(B2.shape[0]):
        B, G = B + B2[t], G + G2[t]
        played = played + trace_product(Y[t], B2[t]) + trace_product(X[t], G2[t])
        extra = extra + e * trace(Y[t]) + z * trace(X[t])
    return played, extra, B, G


# either arithmetic -------------------------------------------------------------------------------------------------


def shift(matrix: Array, by: Any) -> Array:
    r"""$A + \lambda I$."""
    return on(shifted, matrix)(matrix, by)


def invert(matrix: Array) -> Array:
    r"""$A^{-1}$ of a positive definite A."""
    return on(inverse, matrix)(matrix)


def spectral(matrix: Array) -> Any:
    r"""$\|A\|_2$ for d <= 2."""
    return on(norm, matrix)(matrix)


def trace_of(*factors: Array) -> Any:
    r"""The trace of A, of AB, or of ABCD."""
    one = factors[0]
    if len(factors) == 1:
        return on(trace, one)(one)
    return on(trace_product if len(factors) == 2 else quadratic_trace, one)(*factors)


def least_of(B: Array, G: Array) -> Any:
    r"""$\inf_X\operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG)$."""
    return on(least, B)(B, G)


def magnified(X: Array) -> Any:
    r"""$\operatorname{Tr}(X)\operatorname{Tr}(X^{-1})$: by how much inverting X magnifies rounding."""
    return trace_of(X) * trace_of(invert(X))


# drawn games -------------------------------------------------------------------------------------------------------


def sizes(draw: Draw) -> Instance:
    r"""$\sigma_B, \sigma_G, \varepsilon, \zeta > 0$ and m: half of the time $\varepsilon \approx \sigma_B$ and
    $\zeta \approx \sigma_G\sqrt m$, where all terms count, else any."""
    if draw.boolean():
        sigma_B, sigma_G, eps, zeta = draw.positive(shape=4)
        return Instance(sigma_B=sigma_B, sigma_G=sigma_G, eps=eps, zeta=zeta, m=draw.number(draw.integer(1, 1000)))
    n = 2 ** draw.integer(0, 8)
    eps, zeta = draw.positive(-4, 2, 2)
    sigma_B, sigma_G = draw.positive(shape=2)
    return Instance(sigma_B=sigma_B, sigma_G=sigma_G, eps=eps * sigma_B, zeta=zeta * sigma_G * n, m=draw.number(n * n))


def small_sizes(draw: Draw) -> Instance:
    r"""The same with $\varepsilon \le 1$ and $\zeta \le \sqrt m$ (m is a power of four)."""
    n, low = 2 ** draw.integer(0, 8), draw.choice((-2, -16))
    eps, zeta = draw.positive(low, 0, 2)
    sigma_B, sigma_G = draw.positive(low, -low, 2)
    return Instance(sigma_B=sigma_B, sigma_G=sigma_G, eps=eps, zeta=n * zeta, m=draw.number(n * n))


def _squares(draw: Draw, spectra: Array, most: Any, turned: bool) -> Array:
    r"""$\sigma^2 Q\operatorname{diag}(\lambda)Q^\top$ for every row $\lambda$ of the spectra, Q = I if not `turned`."""
    d = spectra.shape[1]
    out = np.empty((len(spectra), d, d), spectra.dtype)
    for k, spectrum in enumerate(spectra):
        square = draw.eye(d) * (spectrum * most)
        out[k] = on(conjugate, square)(draw.rotation(d), square) if turned else square
    return out


def with_rounds(draw: Draw, i: Instance, d: int) -> Instance:
    r"""Adds $B_t^2, G_t^2$ (T, d, d) to `sizes`: one round, or two, repeated up to 256 times, in phases or alternating;
    or up to four free ones."""
    kind = draw.choice((ONE, TWO, FREE))
    n = draw.integer(1, MOST_FREE) if kind == FREE else 1 + kind
    i.b, i.g = np.asarray(draw.unit((n, d))), np.asarray(draw.unit((n, d)))
    turned = d == 2 and draw.boolean()
    order = np.arange(n)
    if kind != FREE:
        T = 2 ** draw.integer(0, DOUBLINGS)
        order = np.zeros(T, np.int64)
    if kind == TWO:
        change, alternating = draw.integer(0, 8) * T // 8, draw.boolean()
        order = np.array([t % 2 if alternating else int(t >= change) for t in range(T)])
    i.B2 = _squares(draw, i.b, i.sigma_B * i.sigma_B, turned)[order]
    i.G2 = _squares(draw, i.g, i.sigma_G * i.sigma_G * i.m, turned)[order]
    return i


def matrix_game(draw: Draw) -> Instance:
    """Any game in one or two dimensions, or a diagonal one in three."""
    return with_rounds(draw, sizes(draw), draw.integer(1, DIAGONAL))


def plane_game(draw: Draw) -> Instance:
    """Any game in one or two dimensions."""
    return with_rounds(draw, sizes(draw), draw.integer(1, 2))


def squares_of(i: Instance) -> tuple[Any, Any]:
    r"""$\varepsilon^2$ and $\zeta^2$."""
    return i.eps * i.eps, i.zeta * i.zeta


def summed(i: Instance) -> Any:
    """`sums` of the game."""
    return on(sums, i.B2)(i.B2, i.G2, *squares_of(i))


def largest(i: Instance) -> tuple[Any, Any]:
    r"""$S = \sigma_B^2 + \varepsilon^2$ and $K = m\sigma_G^2 + \zeta^2$: bounds of $\|\tilde B_t^2\|_2$,
    $\|\tilde G_t^2\|_2$."""
    e, z = squares_of(i)
    return i.sigma_B * i.sigma_B + e, i.m * i.sigma_G * i.sigma_G + z


def logarithm(i: Instance) -> Any:
    r"""$1 + \log T$."""
    return 1 + np.log(rounds_of(i))


def rounds_of(i: Instance) -> Any:
    r"""T, in the arithmetic of the game."""
    return i.eps * 0 + len(i.B2)


def regularised_sums(i: Instance, more: int = 0) -> tuple[Array, Array]:
    r"""$\sum_t\tilde B_t^2$ and $\sum_t\tilde G_t^2$, with so many rounds without data more."""
    e, z = squares_of(i)
    n = len(i.B2) + more
    return shift(sum(i.B2), e * n), shift(sum(i.G2), z * n)


def coupled(i: Instance) -> Any:
    r"""$\frac d2\left(\frac{S^2\sqrt K}{\varepsilon^3} + \frac{K^2\sqrt S}{\zeta^3}\right)(1 + \log T)$."""
    S, K = largest(i)
    terms = S * S / i.eps**3 * root(K) + K * K / i.zeta**3 * root(S)
    return i.B2.shape[1] * terms / 2 * logarithm(i)


def printed_log(i: Instance, constant: Any, rounds: Any) -> Any:
    r"""$\frac{Cm^2}{\varepsilon^4\zeta^3}(1 + \log T)$."""
    return constant * (i.m / i.eps**2) ** 2 / i.zeta**3 * (1 + np.log(rounds))


def unit_sizes(draw: Draw, most: int = SCALE) -> Instance:
    r"""$\sigma_B = \sigma_G = 1$, and $\varepsilon, \zeta/\sqrt m > 0$ at most $2^{most}$, m a power of four."""
    n, one = 2 ** draw.integer(0, 16), draw.number(1)
    eps, zeta = draw.positive(-SCALE, most, 2)
    return Instance(sigma_B=one, sigma_G=one, eps=eps, zeta=n * zeta, m=draw.number(n * n))


def isotropic_game(draw: Draw, drawn: Callable[[Draw], Instance] = unit_sizes) -> Instance:
    r"""$B_t^2 = b_t^2I_d$, $G_t^2 = mg_t^2I_d$ in $d = 2^k$ dimensions: d copies of a scalar game."""
    i = with_rounds(draw, drawn(draw), 1)
    i.copies = draw.number(2 ** draw.integer(0, MOST))
    return i


SIZES = Assumption(r"\sigma_B,\sigma_G,\varepsilon,\zeta>0", lambda i: min(i.sigma_B, i.sigma_G, i.eps, i.zeta))
TASKS = Assumption(r"m\ge1", lambda i: i.m - 1)
BOUNDS = Assumption(
    r"0\preceq B_t^2\preceq\sigma_B^2I_d,\ 0\preceq G_t^2\preceq m\sigma_G^2I_d",
    lambda i: min(i.b.min(), (1 - i.b).min(), i.g.min(), (1 - i.g).min()),
)
GAME = (SIZES, TASKS, BOUNDS)
UNIT = Assumption(r"\sigma_B=\sigma_G=1", lambda i: min(1 - i.sigma_B, 1 - i.sigma_G, i.sigma_B - 1, i.sigma_G - 1))
