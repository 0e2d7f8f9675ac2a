r"""The geometric mean H of $B^2 = H G^2 H$ by every route that was considered: time, accuracy, definiteness.

    python benchmarks/matrix_mean.py [--repetitions N] [--accuracy-only | --time-only]

Accuracy is Thompson's distance from a mean computed with 500 bits from the same float factors, beside the problem's own
condition, $\varepsilon(\kappa(K_1) + \kappa(L_1))$ with rows scaled to norm 1. Routes that take matrices are given
$K K^\top$ and $L L^\top$, rounded: what that loses is part of their result. Time is on one thread, in milliseconds, in
units of one d x d matrix product of the same run, and against pyriemann's `geodesic_riemann` (with the inverse of
$G^2$ that it needs). "-" is an exception, "inf" a result that is not positive definite.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy reads it when it is first imported
os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import scipy.linalg as sl
from _reference import exact_mean, thompson
from _rows import agree, contest, row
from _timing import measure
from pyriemann.geometry.geodesic import geodesic_riemann
from scipy.linalg import lapack

from arubatheory.arithmetic import Array
from arubatheory.learners.matrix_mean import matrix_mean, matrix_mean_from_factors

module = import_module("arubatheory.learners.matrix_mean")  # the package has a function of that name
Route = Callable[[Array, Array], Array]
SIZES = {2: 200, 10: 200, 100: 15, 300: 5, 1000: 1}  # d -> calls in one timing
CONDITIONS = (1.0, 1e2, 1e4, 1e7, 1e10, 1e14)


# routes from matrices --------------------------------------------------------------------------------------------
def square_roots(B2: Array, G2: Array) -> Array:
    """G^-1 (G B^2 G)^(1/2) G^-1 with scipy's square root of a matrix."""
    G = sl.sqrtm(G2)
    inverse = np.linalg.inv(G)
    return inverse @ sl.sqrtm(G @ B2 @ G) @ inverse


def three_eigh(B2: Array, G2: Array) -> Array:
    """The same by eigendecompositions."""
    g, U = np.linalg.eigh(G2)
    G, inverse = U * np.sqrt(g) @ U.T, U / np.sqrt(g) @ U.T
    s, V = np.linalg.eigh(G @ B2 @ G)
    X = inverse @ V * s**0.25
    return X @ X.T


def generalized_eigh(B2: Array, G2: Array) -> Array:
    """B^2 G^2 V = V S, V' G^2 V = I, H = V S^(1/2) V'."""
    s, V = sl.eigh(B2, G2, type=2)
    X = V * s**0.25
    return X @ X.T


def cholesky_eigh(B2: Array, G2: Array) -> Array:
    """L' B^2 L = U S^2 U', H = L^-T U S U' L^-1, without the correction."""
    L = np.linalg.cholesky(G2)
    s, U = np.linalg.eigh(L.T @ B2 @ L)
    X = sl.solve_triangular(L, U * s**0.25, lower=True, trans=1)
    return X @ X.T


def plain_numpy(B2: Array, G2: Array) -> Array:
    """The same in numpy alone."""
    L = np.linalg.cholesky(G2)
    s, U = np.linalg.eigh(L.T @ B2 @ L)
    X = np.linalg.solve(L.T, U * s**0.25)
    return X @ X.T


def riccati(B2: Array, G2: Array) -> Array:
    """scipy's solver of X G^2 X = B^2."""
    d = len(B2)
    X = sl.solve_continuous_are(np.zeros((d, d)), np.linalg.cholesky(G2), B2, np.eye(d))
    return (X + X.T) / 2


def pyriemann(B2: Array, G2: Array) -> Array:
    """The midpoint of pyriemann's geodesic from G^-2 to B^2."""
    return geodesic_riemann(np.linalg.inv(G2), B2)


# routes from lower triangles -------------------------------------------------------------------------------------
def svd(K: Array, L: Array) -> Array:
    """L' K = U S V', H = K V S^-1 V' K'."""
    _, s, Vt = np.linalg.svd(L.T @ K)
    X = K @ Vt.T / np.sqrt(s)
    return X @ X.T


def polar(K: Array, L: Array) -> Array:
    """H = L^-T Q K' for the orthogonal polar factor Q of L' K, by Newton's iteration with Higham's scaling."""
    Q = L.T @ K
    for _ in range(60):
        inverse = np.linalg.inv(Q)
        scale = np.sqrt(np.linalg.norm(inverse) / np.linalg.norm(Q))
        after = (scale * Q + inverse.T / scale) / 2
        if np.linalg.norm(after - Q) <= 1e-15 * len(Q) * np.linalg.norm(after):
            break
        Q = after
    H = sl.solve_triangular(L, after @ K.T, lower=True, trans=1)
    return (H + H.T) / 2


def pivoted(driver: str) -> Route:
    """Drmac's scaling and pivoting, then LAPACK's `driver` in place of Jacobi."""

    def route(K: Array, L: Array) -> Array:
        norms = np.linalg.norm(L, axis=1, keepdims=True)
        packed, order, _, _, _ = lapack.dgeqp3((K * norms).T)
        T = np.triu(packed).T
        _, s, Vt = sl.svd((L / norms)[order - 1].T @ T, lapack_driver=driver, check_finite=False)
        X = np.empty_like(K)
        X[order - 1] = T @ (Vt.T / np.sqrt(s))
        X /= norms
        return X @ X.T

    return route


def corrected_eigh(K: Array, L: Array) -> Array:
    """The package's fast route, also where the package would leave it."""
    usual, module.STEEP = module.STEEP, np.inf
    try:
        W = module._mean(K, L, False)[0]
    finally:
        module.STEEP = usual
    return W @ W.T


def jacobi(K: Array, L: Array) -> Array:
    """The package's careful route."""
    W = module._product(K, L)[0]
    return W @ W.T


MATRICES: dict[str, Route] = {
    "square roots": square_roots,
    "three eigh": three_eigh,
    "generalized eigh": generalized_eigh,
    "Cholesky, eigh": cholesky_eigh,
    "Riccati (CARE)": riccati,
    "pyriemann": pyriemann,
    "matrix_mean": matrix_mean,
}
TRIANGLES: dict[str, Route] = {
    "Newton polar": polar,
    "SVD": svd,
    "pivoted QR, gesdd": pivoted("gesdd"),
    "pivoted QR, gesvd": pivoted("gesvd"),
    "corrected eigh": corrected_eigh,
    "pivoted QR, Jacobi": jacobi,
    "..._from_factors": matrix_mean_from_factors,
}


# instances -------------------------------------------------------------------------------------------------------
def orthogonal(rng: np.random.Generator, d: int) -> Array:
    """A random rotation."""
    return np.linalg.qr(rng.standard_normal((d, d)))[0]


def factors(kind: str, d: int, condition: float) -> tuple[Array, Array]:
    """K and L of about this condition."""
    rng = np.random.default_rng(d)
    s = np.logspace(0, -np.log10(condition), d)
    near = [np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d) for _ in range(2)]
    order, Q = rng.permutation(d), orthogonal(rng, d)
    if kind == "generic":
        return orthogonal(rng, d) * s @ orthogonal(rng, d), orthogonal(rng, d) * s @ orthogonal(rng, d)
    if kind == "commuting":
        return Q * s @ orthogonal(rng, d), Q * s @ orthogonal(rng, d)
    if kind == "graded rows":
        return s[order, None] * near[0], s[order, None] * near[1]
    if kind == "graded columns":
        return near[0] * s, near[1] * s
    k = max(d // 8, 1)
    eps = np.eye(d) / np.sqrt(condition)
    return np.hstack([eps, rng.standard_normal((d, k))]), np.hstack([eps, rng.standard_normal((d, 2 * k))])


KINDS = ("generic", "commuting", "graded rows", "graded columns", "low rank + eps I")


def triangle(K: Array) -> Array:
    """A lower triangle with the same square."""
    return np.linalg.qr(K.T, mode="r").T


def attempt(route: Route, a: Array, b: Array) -> Any:
    """The route's answer, None if it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return route(a, b)
        except (ValueError, np.linalg.LinAlgError):
            return None


# tables ----------------------------------------------------------------------------------------------------------
def accuracy(d: int) -> None:
    """One table a kind: a line for each route, a column for each condition."""
    for kind in KINDS:
        print(f"\nThompson's distance from 500 bits, d = {d}, {kind}; condition of the factors")
        print(f"{'':20s}" + "".join(f"{c:>9.0e}" for c in CONDITIONS))
        lines: dict[str, list[str]] = {name: [] for name in ("own condition", *MATRICES, *TRIANGLES)}
        for condition in CONDITIONS:
            K, L = factors(kind, d, condition)
            exactly = exact_mean(K, L)
            own = sum(np.linalg.cond(F / np.linalg.norm(F, axis=1, keepdims=True)) for F in (K, L))
            lines["own condition"].append(f"{own * np.finfo(float).eps:9.0e}")
            inputs = (K @ K.T, L @ L.T), (triangle(K), triangle(L))
            for routes, pair in zip((MATRICES, TRIANGLES), inputs, strict=True):
                for name, route in routes.items():
                    H = attempt(route, *((K, L) if name.startswith("...") else pair))
                    lines[name].append(f"{'-':>9s}" if H is None else f"{thompson(H, exactly):9.0e}")
        for name, cells in lines.items():
            print(f"{name:20s}" + "".join(cells))


def residual(H: Array, K: Array, L: Array) -> float:
    """|H G^2 H - B^2| for B^2 = K K' and G^2 = L L', in parts of |B^2| + |H|^2 |G^2|."""
    B2, G2 = K @ K.T, L @ L.T
    b, g, h = (np.linalg.norm(A, 2) for A in (B2, G2, H))
    return float(np.linalg.norm(H @ G2 @ H - B2, 2) / (b + h * h * g))


def residuals(d: int) -> None:
    """What is asked of the package: the residual and definiteness."""
    for kind in KINDS:
        worst, indefinite, refused = 0.0, 0, 0
        for condition in CONDITIONS:
            K, L = factors(kind, d, condition)
            H = attempt(matrix_mean_from_factors, K, L)
            if H is None:
                refused += 1
                continue
            worst = max(worst, residual(H, K, L))
            indefinite += attempt(lambda A, _: np.linalg.cholesky(A), H, H) is None
        print(
            f"d = {d:4d} {kind:18s} worst residual {worst:.1e} of |B^2| + |H|^2 |G^2|, indefinite {indefinite}, "
            f"refused {refused} of {len(CONDITIONS)}"
        )


def times(d: int, calls: int, repetitions: int, condition: float) -> None:
    """Milliseconds, in matrix products, and against pyriemann."""
    K, L = (triangle(F) for F in factors("generic", d, condition))
    B2, G2 = K @ K.T, L @ L.T

    def repeated(route: Route, a: Array, b: Array) -> Callable[[], None]:
        return lambda: [attempt(route, a, b) for _ in range(calls)] and None

    peers = {"product": repeated(lambda a, b: a @ b, B2, G2)}
    slow = {"square roots", "Riccati (CARE)"} if d >= 300 else set()
    peers |= {name: repeated(route, B2, G2) for name, route in MATRICES.items() if name not in slow}
    peers |= {name: repeated(route, K, L) for name, route in TRIANGLES.items()}
    seconds = measure(peers, repetitions)
    print(
        f"\nd = {d}, condition of B^2 and G^2 {condition**2:.0e}: one product {seconds['product'] / calls * 1e3:.4f} ms"
    )
    for name, time in seconds.items():
        if name != "product":
            print(
                f"{name:20s} {time / calls * 1e3:10.4f} ms {time / seconds['product']:8.1f} products "
                f"{seconds['pyriemann'] / time:6.2f} x pyriemann's speed"
            )


def rows(sweeps: int) -> None:
    """The rows against plain numpy where all is well conditioned, and the residual where nothing is."""
    for d, calls, reach in ((10, 2000, 1.2), (100, 60, 1.1)):
        B2, G2 = (F @ F.T for F in factors("generic", d, 3.0))
        agree("numpy", [matrix_mean(B2, G2)], [plain_numpy(B2, G2)])
        peers = {
            name: (lambda route=route, n=calls, b=B2, g=G2: [route(b, g) for _ in range(n)])
            for name, route in {"matrix_mean()": matrix_mean, "Cholesky + eigh": plain_numpy}.items()
        }
        row(f"d = {d}, condition 9", "matrix_mean()", ["Cholesky + eigh"], contest(peers, sweeps), reach)
    worst = 0.0
    for kind in KINDS:
        K, L = factors(kind, 20, 1e13)
        H = attempt(matrix_mean_from_factors, K, L)
        if H is not None:
            worst = max(worst, residual(H, K, L))
    verdict = "reached" if worst <= 1e-12 else "MISSED"
    print(f"d = 20, factors of condition 1e13: worst residual {worst:.1e}, reach <= 1e-12: {verdict}")


def main() -> None:
    """Print the rows and the tables."""
    parser = argparse.ArgumentParser(description="the geometric mean by every route: time, accuracy, definiteness")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--accuracy-only", action="store_true")
    parser.add_argument("--time-only", action="store_true")
    options = parser.parse_args()
    rows(max(options.repetitions, 5))
    if not options.time_only:
        accuracy(12)
        accuracy(40)
        print()
        for d in (2, 10, 100, 1000):
            residuals(d)
    if not options.accuracy_only:
        for d, calls in SIZES.items():
            for condition in (3.0, 30.0, 1e5):
                times(d, calls, max(options.repetitions, 1) if d < 1000 else 3, condition)


if __name__ == "__main__":
    main()
