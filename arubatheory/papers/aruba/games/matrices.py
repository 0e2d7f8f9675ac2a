r"""The game of matrix FTL, shared by prp:matrixftl and thm:fullmatrix, with closed forms in all three arithmetics.

FTL on $\operatorname{Tr}(X^{-1}\tilde B_t^2) + \operatorname{Tr}(X\tilde G_t^2)$ plays the solution of
$\tilde B^2 = X\tilde G^2X$ for the sums before it (`learners.geometry_ftl.play_matrices`). In two dimensions, with
$\beta = \sqrt{\det B}$ and $\gamma = \sqrt{\det G}$ for the sums B, G,
$$\min_{X \succ 0}\operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG) = 2\sqrt{\operatorname{Tr}(BG) + 2\beta\gamma},$$
and diagonal matrices of any dimension decouple. All others are played by an iteration (`leader`), whose limit exact
numbers enclose. Games are drawn in up to eight dimensions: those in more than two are diagonal, which stands for all
that commute, since everything here is the same for all rotations of a sequence, or have up to four rounds of any
matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undecided, approximate, ball, enclosure, exact, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.learners.geometry_ftl import play_leaders
from arubatheory.learners.matrix_mean import closed_mean, root_det
from arubatheory.problems.draw import SCALE, Draw
from arubatheory.problems.linear import has_positive_pivots
from arubatheory.problems.matrices import conjugate, inverse, largest_eigenvalue, quadratic_trace, trace, trace_product
from arubatheory.problems.scalar import larger, working_bits
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import enclosed_root, root
from arubatheory.statements.games import MOST_D, MOST_T

ONE, TWO, FREE, TURNED = range(4)
NAMED = 10**6  # where a constant is claimed to exist
MOST = 40  # doublings of the dimension and of T in closed families
STEPS = 24  # of the iteration for a leader: half of them bring the eigenvalues together, half double the digits


@kernel
def least(B: Array, G: Array) -> Any:
    r"""[exact] $\inf_{X \succ 0}\operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG)$ for positive semidefinite B, G
    (d, d), d <= 2 or diagonal."""
    if B.shape[0] == 2:
        overlap = trace_product(B, G)
        return 2 * np.sqrt(larger(overlap, overlap * 0) + 2 * root_det(B) * root_det(G))
    s = B[0, 0] * 0
    for j in range(B.shape[0]):
        s = s + 2 * np.sqrt(B[j, j] * G[j, j])
    return s


def shift(matrices: Array, by: Any) -> Array:
    r"""$A + \lambda I$ for each A of (..., d, d)."""
    return matrices + by * np.eye(matrices.shape[-1], dtype=np.int64)


def invert(matrix: Array) -> Array:
    r"""$A^{-1}$ of a positive definite A."""
    return on(inverse, matrix)(matrix)


def spectral(a: Array) -> Any:
    r"""$\|A\|_2$ of any A (d, d): for d = 2 half the sum of the norms of its conformal and its other part."""
    if len(a) != 2:
        return max(abs(a.diagonal())) if is_closed(a) else enclosed_root(largest_eigenvalue(_balls(a.T) @ _balls(a)))
    stretch, turn = a[0, 0] + a[1, 1], a[1, 0] - a[0, 1]
    shear, flip = a[0, 0] - a[1, 1], a[0, 1] + a[1, 0]
    return (enclosed_root(stretch * stretch + turn * turn) + enclosed_root(shear * shear + flip * flip)) / 2


def trace_of(*factors: Array) -> Any:
    r"""The trace of A, of AB, or of ABCD."""
    one = factors[0]
    if len(factors) == 1:
        return on(trace, one)(one)
    return on(trace_product if len(factors) == 2 else quadratic_trace, one)(*factors)


def is_closed(*stacks: Array) -> bool:
    r"""Whether matrices (..., d, d) have the closed forms: d <= 2, or diagonal."""
    d = stacks[0].shape[-1]
    return d < 3 or not any((stack * (1 - np.eye(d, dtype=np.int64))).any() for stack in stacks)


def leader(B: Array, G: Array) -> tuple[Array, Array]:
    r"""The X with $B = XGX$ and $X^{-1}$, for positive definite B, G (d, d): in closed form, or the limits of
    $P \leftarrow \frac12(P + Q^{-1})$ and $Q \leftarrow \frac12(Q + P^{-1})$ from B and G on (Denman and Beavers).

    In exact numbers the limit is enclosed. If $(1-\delta)\hat XG\hat X \preceq B \preceq (1+\delta)\hat XG\hat X$,
    $\delta \le \frac12$, then $(1-\delta)\hat X \preceq X \preceq (1+\delta)\hat X$, the mean being monotone, and
    likewise for the inverses. Raises `Undecided` where no such $\delta$ is certain at this precision.
    """
    if is_closed(B, G):
        return on(closed_mean, B)(B, G), on(closed_mean, B)(G, B)
    P, Q = _balls(B, True), _balls(G, True)
    for _ in range(STEPS):
        p, q = invert(P), invert(Q)
        size = approximate(trace_of(p) * trace_of(q) / (trace_of(P) * trace_of(Q)))  # scaling leaves the limit
        c = 2.0 ** np.rint(np.log2(size) / 4) if 0 < size < np.inf else 1.0
        c = exact(c) if is_exact(P) else c
        P, Q = _balls((c * P + q / c) / 2, True), _balls((c * Q + p / c) / 2, True)
    if not is_exact(P):
        return P, Q
    near, bits = on(conjugate, P)(P, G), working_bits()
    for delta in (Exact(1) / Exact(2) ** (bits * k // 4) for k in (3, 2, 1)):
        if _is_below((1 - delta) * near, B) and _is_below(B, (1 + delta) * near):
            return _widened(P, delta), _widened(invert(P), delta)
    raise Undecided(f"no certain bounds of the mean of two matrices with {bits} bits")


def _balls(A: Array, thin: bool = False) -> Array:
    """Balls, which are short, in the place of rationals; their middles alone if `thin`. Floats stay."""
    each = (enclosure(a).mid() if thin else enclosure(a) for a in A.ravel().tolist())
    return np.array([Exact(a) for a in each]).reshape(A.shape) if is_exact(A) else A


def _is_below(A: Array, B: Array) -> bool:
    r"""Whether $A \prec B$ for certain."""
    try:
        return has_positive_pivots(B - A)
    except Undecided:
        return False


def _widened(A: Array, delta: Exact) -> Array:
    r"""Balls around the entries of all C with $-\delta A \preceq C - A \preceq \delta A$."""
    size = delta * (A.diagonal()[:, None] + A.diagonal()) / 2
    return A + np.array([[ball(0, r) for r in row] for row in size.tolist()])


def play(B: Array, G: Array, beta: Array, gamma: Array) -> tuple[Array, Array]:
    """`play_leaders` in any dimension."""
    if is_closed(B, G, beta, gamma):
        X, Y = on(play_leaders, B)(B, G, beta, gamma)
        return X, Y
    sums = (np.cumsum(np.concatenate([first[None], rest]), axis=0) for first, rest in ((B, beta), (G, gamma)))
    X, Y = (np.array(found) for found in zip(*map(leader, *sums), strict=True))
    return X, Y


def played(B2: Array, G2: Array, e: Any, z: Any) -> tuple[Array, Array]:
    r"""$X_1, \dots, X_{T+1}$ and their inverses for $B_t^2$, $G_t^2$ (T, d, d), $\varepsilon^2$ = e, $\zeta^2$ = z."""
    return play(shift(0 * B2[0], e), shift(0 * G2[0], z), shift(B2, e), shift(G2, z))


def sums(B2: Array, G2: Array, e: Any, z: Any) -> tuple[Any, Any, Array, Array]:
    r"""$\sum_t\ell_t(X_t)$, $\sum_t\varepsilon^2\operatorname{Tr}X_t^{-1} + \zeta^2\operatorname{Tr}X_t$,
    $\sum_tB_t^2$ and $\sum_tG_t^2$."""
    X, Y = (stack[:-1] for stack in played(B2, G2, e, z))
    return (Y * B2).sum() + (X * G2).sum(), e * trace_of(sum(Y)) + z * trace_of(sum(X)), sum(B2), sum(G2)


def least_of(B: Array, G: Array) -> Any:
    r"""$\inf_X\operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG)$ for positive semidefinite B, G. In exact numbers
    $bI$ and $gI$ are added, which costs at most $2\sqrt{bd\operatorname{Tr}G} + 2\sqrt{gd\operatorname{Tr}B}$
    (Rotfel'd)."""
    if is_closed(B, G):
        return on(least, B)(B, G)
    if not is_exact(B):
        K, L = (V * np.sqrt(np.maximum(values, 0)) for values, V in map(np.linalg.eigh, (B, G)))
        return 2 * np.linalg.svd(K.T @ L, compute_uv=False).sum()
    tiny = Exact(1) / Exact(2) ** (working_bits() // 3)
    b, g = (tiny * trace_of(A) or tiny for A in (B, G))
    B, G = shift(B, b), shift(G, g)
    X, Y = leader(B, G)
    half = root(len(B) * b * trace_of(G)) + root(len(B) * g * trace_of(B))
    return trace_of(Y, B) + trace_of(X, G) - half + ball(0, half)


def sizes(draw: Draw) -> Instance:
    r"""$\sigma_B, \sigma_G, \varepsilon, \zeta > 0$ and m: half of the time $\varepsilon \approx \sigma_B$ and
    $\zeta \approx \sigma_G\sqrt m$, where all terms count, else any."""
    if draw.boolean():
        sigma_B, sigma_G, eps, zeta = draw.positive(shape=4)
        return Instance(sigma_B=sigma_B, sigma_G=sigma_G, eps=eps, zeta=zeta, m=draw.number(draw.size("m", 1000)))
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


def unit_sizes(draw: Draw, most: int = SCALE) -> Instance:
    r"""$\sigma_B = \sigma_G = 1$, and $\varepsilon, \zeta/\sqrt m > 0$ at most $2^{most}$, m a power of four."""
    n, one = 2 ** draw.integer(0, 16), draw.number(1)
    eps, zeta = draw.positive(-SCALE, most, 2)
    return Instance(sigma_B=one, sigma_G=one, eps=eps, zeta=n * zeta, m=draw.number(n * n))


def _squares(draw: Draw, spectra: Array, most: Any, turned: bool) -> Array:
    r"""$\sigma^2 Q\operatorname{diag}(\lambda)Q^\top$ for every row $\lambda$ of the spectra, Q = I if not `turned`."""
    d = spectra.shape[1]
    out = np.empty((len(spectra), d, d), spectra.dtype)
    for k, spectrum in enumerate(spectra):
        square = draw.eye(d) * (spectrum * most)
        out[k] = on(conjugate, square)(draw.rotation(d), square) if turned else square
    return out


def with_rounds(draw: Draw, x: Instance, d: int) -> Instance:
    r"""Adds $B_t^2, G_t^2$ (T, d, d) to `sizes`: one round, or two, repeated up to 256 times, in phases or alternating;
    or free ones, which in more than two dimensions may be turned."""
    kind = draw.choice((ONE, TWO, FREE, TURNED))
    n = draw.size("T", 4, MOST_T) if kind >= FREE else 1 + kind
    x.b, x.g = np.asarray(draw.unit((n, d))), np.asarray(draw.unit((n, d)))
    turned = kind == TURNED if d > 2 else d == 2 and draw.boolean()
    order = np.arange(n)
    if kind < FREE:
        T = 2 ** draw.integer(0, 8)  # with a leader after each
        order = np.zeros(T, np.int64)
    if kind == TWO:
        change, alternating = draw.integer(0, 8) * T // 8, draw.boolean()
        order = np.array([t % 2 if alternating else int(t >= change) for t in range(T)])
    x.B2 = _squares(draw, x.b, x.sigma_B * x.sigma_B, turned)[order]
    x.G2 = _squares(draw, x.g, x.sigma_G * x.sigma_G * x.m, turned)[order]
    return x


def matrix_game(draw: Draw) -> Instance:
    """Any game, mostly in up to three dimensions."""
    return with_rounds(draw, sizes(draw), draw.size("d", 3, MOST_D))


def plane_game(draw: Draw) -> Instance:
    """Any game, mostly in one or two dimensions."""
    return with_rounds(draw, sizes(draw), draw.size("d", 2, MOST_D))


def isotropic_game(draw: Draw, drawn: Callable[[Draw], Instance] = unit_sizes) -> Instance:
    r"""$B_t^2 = b_t^2I_d$, $G_t^2 = mg_t^2I_d$ in $d = 2^k$ dimensions: d copies of a scalar game."""
    x = with_rounds(draw, drawn(draw), 1)
    x.copies = draw.number(2 ** draw.integer(0, MOST))
    return x


SIZES = (
    Assumption(r"\sigma_B,\sigma_G,\varepsilon,\zeta>0", lambda x: min(x.sigma_B, x.sigma_G, x.eps, x.zeta)),
    Assumption(r"m\ge1", lambda x: x.m - 1),
)
BOUNDS = Assumption(
    r"0\preceq B_t^2\preceq\sigma_B^2I_d,\ 0\preceq G_t^2\preceq m\sigma_G^2I_d",
    lambda x: min(x.b.min(), (1 - x.b).min(), x.g.min(), (1 - x.g).min()),
)
GAME = (*SIZES, BOUNDS)
UNIT = Assumption(r"\sigma_B=\sigma_G=1", lambda x: min(1 - x.sigma_B, 1 - x.sigma_G, x.sigma_B - 1, x.sigma_G - 1))


def squares_of(x: Instance) -> tuple[Any, Any]:
    r"""$\varepsilon^2$ and $\zeta^2$."""
    return x.eps * x.eps, x.zeta * x.zeta


def summed(x: Instance) -> tuple[Any, Any, Array, Array]:
    """`sums` of the game."""
    return sums(x.B2, x.G2, *squares_of(x))


def largest(x: Instance) -> tuple[Any, Any]:
    r"""$S = \sigma_B^2 + \varepsilon^2$ and $K = m\sigma_G^2 + \zeta^2$: bounds of $\|\tilde B_t^2\|_2$,
    $\|\tilde G_t^2\|_2$."""
    e, z = squares_of(x)
    return x.sigma_B * x.sigma_B + e, x.m * x.sigma_G * x.sigma_G + z


def rounds_of(x: Instance) -> Any:
    r"""T, in the arithmetic of the game."""
    return x.eps * 0 + len(x.B2)


def regularised_sums(x: Instance, more: int = 0) -> tuple[Array, Array]:
    r"""$\sum_t\tilde B_t^2$ and $\sum_t\tilde G_t^2$, with so many rounds without data more."""
    e, z = squares_of(x)
    n = len(x.B2) + more
    return shift(sum(x.B2), e * n), shift(sum(x.G2), z * n)


def coupled(x: Instance) -> Any:
    r"""$\frac d2\left(\frac{S^2\sqrt K}{\varepsilon^3} + \frac{K^2\sqrt S}{\zeta^3}\right)(1 + \log T)$."""
    S, K = largest(x)
    terms = S * S / x.eps**3 * root(K) + K * K / x.zeta**3 * root(S)
    return x.B2.shape[1] * terms / 2 * (1 + np.log(rounds_of(x)))


def printed_log(x: Instance, constant: Any, rounds: Any) -> Any:
    r"""$\frac{Cm^2}{\varepsilon^4\zeta^3}(1 + \log T)$."""
    return constant * (x.m / x.eps**2) ** 2 / x.zeta**3 * (1 + np.log(rounds))
