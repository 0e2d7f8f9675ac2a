r"""Follow the leader over matrices H, on losses $\mathrm{Tr}(H^{-1} B_t^2) + \mathrm{Tr}(H G_t^2)$.

* `MatrixFTL`, the $(\varepsilon, \zeta)$-FTL of prp:matrixftl: H solves $\tilde B_t^2 = H \tilde G_t^2 H$ with
  $$\tilde B_t^2 = t\varepsilon^2 I + \sum_{s<t} B_s^2, \quad \tilde G_t^2 = t\zeta^2 I + \sum_{s<t} G_s^2$$
  as thm:fullmatrix has it: one $\varepsilon^2 I$ more than tasks seen, so that the first task has
  $H_1 = \frac\varepsilon\zeta I$. FTL on the proposition's $\tilde\ell_1, \dots, \tilde\ell_{t-1}$ alone would have no
  leader at t = 1.
* The same with $\varepsilon^2\sum_{k\le t}k^{-p}I$ and $\zeta^2\sum_{k\le t}k^{-p}I$ for the first terms: p = 0 is the
  paper's, and $p = \infty$ regularises once, before the first task (prp:matrixftl/sharp/once).

What it remembers does not grow with t: two factors of at most (d, 2d), a triangle and the last columns, which the QR
decomposition of a triangle above rows takes in, d at a time. Diagonal H are those of `algorithm2`.

The statements play `play_matrices`, the same learner in closed form and in any arithmetic, and `MatrixFTL` itself.

**Lazy matrices.** If $(1 + l)\,\tilde B^2 \preceq \tilde B_t^2 \preceq (1 + u)\,\tilde B^2$ since H was computed, and
$\tilde G_t^2$ likewise with l' and u', then
$$\sqrt{(1 + l)/(1 + u')}\,H \preceq H_t \preceq \sqrt{(1 + u)/(1 + l')}\,H.$$
When both factors are within $e^{\pm\tau}$, every loss of H is at most $e^\tau$ times that of the leader $H_t$: that is
what being late costs at most. With $\tau = \frac12\log(1 + T^{-1/2})$ (`lateness`) no rate of T tasks suffers, and
once d columns have been seen H is computed at most once for each $\log(1 + T^{-1/2})$ by which
$\log(\det\tilde B^2\det\tilde G^2)$ grows (ours:g6). The growth E in $\tilde B_t^2 = K (I + E) K^\top$ is summed, and
its eigenvalues are in $\mu \pm \sigma\sqrt{d - 1}$ for their mean $\mu = \mathrm{Tr}E/d$ and variance $\sigma^2 =
\|E\|_F^2/d - \mu^2$ (Wolkowicz and Styan, Bounds for eigenvalues using traces, 1980): $O(d^2)$ a vector, no more than
playing with H costs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike
from arubatheory.kernel import kernel
from arubatheory.learners.algorithm2 import as_power, fading
from arubatheory.learners.matrix_mean import EMPTY, closed_mean_into, low_rank_mean, mean_of_triangles
from arubatheory.learners.preconditioner import Factored, lapack
from arubatheory.problems.linear import shifted
from arubatheory.problems.numbers import as_floats, as_items, as_order, real

PANEL = 8  # columns that LAPACK takes at once


@kernel
def play_matrices(B2: Array, G2: Array, e: Any, z: Any) -> Any:
    r"""[exact] $H_1, \dots, H_{T+1}$ and their inverses (T + 1, d, d): what `MatrixFTL` plays against $B_t^2, G_t^2$
    (T, d, d), $\varepsilon^2$ = e, $\zeta^2$ = z, by `closed_mean`: for d <= 2 and diagonal matrices."""
    beta, gamma = B2.copy(), G2.copy()
    for i in range(B2.shape[1]):
        beta[:, i, i] += e
        gamma[:, i, i] += z
    return play_leaders(shifted(B2[0] * 0, e), shifted(G2[0] * 0, z), beta, gamma)


@kernel
def play_leaders(B: Array, G: Array, beta: Array, gamma: Array) -> Any:
    r"""[exact] The same for sums that begin as the positive definite B and G and grow by $\beta_t, \gamma_t$ (T, d, d),
    positive semidefinite; what regularises is in either."""
    H = np.empty((beta.shape[0] + 1, B.shape[0], B.shape[0]), B.dtype)
    inverse = np.empty_like(H)
    B, G = B.copy(), G.copy()
    for t in range(len(H)):
        if t > 0:
            B += beta[t - 1]
            G += gamma[t - 1]
        closed_mean_into(H[t], B, G)
        closed_mean_into(inverse[t], G, B)
    return H, inverse


def lateness(rounds: int) -> float:
    r"""The $\tau$ with which lazy matrices keep the rate of T = `rounds` tasks: $\frac12\log(1 + T^{-1/2})$."""
    return math.log1p(float(real("rounds", rounds, least=1)) ** -0.5) / 2


class MatrixFTL:
    r"""$(\varepsilon, \zeta)$-FTL over positive definite matrices (d, d) (see the module).

    H is computed anew when it might be over a factor $e^\tau$ from the leader, $\tau$ = `late` >= 0; with 0 always.
    While the columns seen are fewer than d, H is computed at every task, in their span: new directions change it a lot.
    The regularisers of task t are $t^{-p}$ times those of the first, $p = \infty$ (`math.inf`): none.

    Raises ValueError or TypeError unless d >= 1 is an integer, eps and zeta are positive and finite, late, p >= 0; and
    `preconditioner` ValueError where eps or zeta is so small that a sum is singular in floats.
    """

    def __init__(self, d: int, eps: float, zeta: float, late: float = 0.0, *, p: float = 0.0) -> None:
        self.eps, self.zeta = _squarable("eps", eps), _squarable("zeta", zeta)
        self.d, self.late = as_order(d), real("late", late, least=0) and _squarable("late", late)
        self.p, self.t, self.solved, self._shares = as_power("p", p, least=0), 1, 0, 1.0
        self._B, self._G = _Factor(d), _Factor(d)
        self._made = Factored(self.eps / self.zeta, np.empty((self.d, 0)), EMPTY, EMPTY)
        self._growth: tuple[_Added, ...] = ()

    def preconditioner(self) -> Factored:
        r"""H for the next task, within a factor $e^\tau$ of the leader $H_t$; `solved` counts what was computed."""
        if not self._is_near():
            try:
                self._made = self._solve()
            except ValueError as error:
                small = f"eps={self.eps!r}, zeta={self.zeta!r}"
                raise ValueError(f"{small} are too small beside the columns seen: {error}") from error
            self.solved += 1
        return self._made

    def learn(self, B: ArrayLike, G: ArrayLike) -> float:
        r"""Takes $B_t^2 = B B^\top$ and $G_t^2 = G G^\top$ by their columns, B (d, j) or (d,), G (d, k) or (d,), and
        says the loss $\mathrm{Tr}(H^{-1} B_t^2) + \mathrm{Tr}(H G_t^2)$ of the H given last, $\frac\varepsilon\zeta I$
        before any.

        Raises ValueError for NaN, infinities and other shapes, OverflowError where squares or the loss would leave the
        range of float64; the state is then unchanged.
        """
        rows = _rows("B", B, self.d), _rows("G", G, self.d)
        roots = self._made.inverse().roots(rows[0]), self._made.roots(rows[1])
        loss = sum(float(np.vdot(Y, Y)) for Y in roots)
        if not loss < math.inf:
            raise OverflowError(f"B and G must have a loss in the range of float64, got {loss!r}")
        for factor, X in zip((self._B, self._G), rows, strict=True):
            factor.add(X)
        self.t += 1
        share = fading(self.t, self.p)
        self._shares += share
        for growth, Y, each in zip(self._growth, roots, (self.eps**2, self.zeta**2), strict=False):
            growth.add(Y, each * share)
        return loss

    def _is_near(self) -> bool:
        if not self._growth:
            return False
        (low, high), (other_low, other_high) = (growth.range() for growth in self._growth)
        return math.log(max((1 + high) / (1 + other_low), (1 + other_high) / (1 + low))) / 2 <= self.late

    def _solve(self) -> Factored:
        b, g = self._shares * self.eps**2, self._shares * self.zeta**2
        if not (self._B.full or self._G.full) and self._B.count + self._G.count < self.d:
            return low_rank_mean(b, self._B.columns(), g, self._G.columns())
        mean = mean_of_triangles(self._B.triangle(b), self._G.triangle(g))
        if self.late > 0:
            self._growth = _Added(mean.Z, mean.S), _Added(mean.W, mean.S)
        return mean


class _Factor:
    r"""A factor of the sum of $X X^\top$ with at most 2d columns: a triangle (d, d), and the last up to d of them."""

    def __init__(self, d: int) -> None:
        self.upper, self.full = np.zeros((d, d), order="F"), False
        self.rows, self.count = np.empty((d, d), order="F"), 0

    def columns(self) -> Array:
        """The factor."""
        last = self.rows[: self.count].T
        return np.hstack([self.upper.T, last]) if self.full else last

    def triangle(self, c: float) -> Array:
        """A lower triangle that is a factor of the sum and c I."""
        upper = self.upper.copy(order="F")
        if self.count:
            upper = _triangle_above(upper, self.rows[: self.count].copy(order="F"))
        return _triangle_above(upper, math.sqrt(c) * np.eye(len(upper)), len(upper)).T

    def add(self, X: Array) -> None:
        """Takes in the rows of X (k, d)."""
        d = len(self.rows)
        for start in range(0, len(X), d):
            part, room = X[start : start + d], d - self.count
            self.rows[self.count : self.count + len(part)] = part[:room]
            self.count += min(len(part), room)
            if len(part) > room:
                self.upper, self.full = _triangle_above(self.upper, self.rows), True
                self.rows[: len(part) - room], self.count = part[room:], len(part) - room


def _triangle_above(upper: Array, rows: Array, last: int = 0) -> Array:
    """The R of the QR decomposition of an upper triangle above rows, of which the last so many are one, too; F-ordered
    arguments are overwritten."""
    return np.asarray(lapack.dtpqrt(last, min(PANEL, len(upper)), upper, rows, overwrite_a=1, overwrite_b=1)[0])


class _Added:
    r"""The lower triangle of $E = R^\top (\sum x x^\top + c I) R$ for $R = W\,\mathrm{Diag}(S)^{-1/2}$, $R R^\top$ the
    inverse of what was there, and bounds of its eigenvalues."""

    def __init__(self, W: Array, S: Array) -> None:
        self.root = np.sqrt(S)
        self.U = (W.T @ W) / (self.root * self.root[:, None])
        self.E = np.zeros_like(self.U)
        self.trace = self.square = 0.0

    def add(self, Y: Array, c: float) -> None:
        r"""Takes in the x of which Y (k, d) has the $W^\top x$."""
        self.trace, self.square = _grow(self.E, self.U, c, Y / self.root)

    def range(self) -> tuple[float, float]:
        """Bounds of the smallest and the largest eigenvalue."""
        mean, freedom = self.trace / len(self.E), 1 - 1 / len(self.E)
        spread = math.sqrt(max(self.square - self.trace * mean, 0.0) * freedom)
        return max(mean - spread, 0.0), min(mean + spread, self.trace)


@kernel
def _grow(E: Array, U: Array, c: float, Y: Array) -> Any:
    r"""Adds $c\,U + Y^\top Y$ to E, of both the lower triangles (d, d); the trace of the sum and $\|E\|_F^2$."""
    trace = square = 0.0
    for i in range(E.shape[0]):
        for j in range(i + 1):
            E[i, j] += c * U[i, j]
        for k in range(Y.shape[0]):
            y = Y[k, i]
            for j in range(i + 1):
                E[i, j] += y * Y[k, j]
        beside = 0.0
        for j in range(i):
            beside += E[i, j] * E[i, j]
        trace += E[i, i]
        square += 2 * beside + E[i, i] * E[i, i]
    return trace, square


def _squarable(name: str, value: float) -> float:
    """A positive finite float whose square is one as well, or the error."""
    number: float = real(name, value, above=0)
    if not 0 < number * number < math.inf:
        raise ValueError(f"{name} must have a square in the range of float64, got {value!r}")
    return number


def _rows(name: str, value: ArrayLike, d: int) -> Array:
    """The columns of an argument (d, k) or (d,), one a row."""
    X = as_items(name, value)
    X = np.atleast_2d((X if X.dtype == np.float64 else as_floats(name, value)).T)
    if X.ndim != 2 or X.shape[1] != d:
        raise ValueError(f"{name} must have shape {(d,)} or ({d}, k), got {X.T.shape}")
    if not np.vdot(X, X) < 2.0**960 and not np.abs(as_floats(name, X)).max() < 2.0**480:
        raise OverflowError(f"{name} must not exceed 2^480, got {np.abs(X).max():.1e}")
    return X
