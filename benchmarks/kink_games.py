r"""The attack on the remainder of S4: the largest $\sum_tB_t(\theta_t^\ast)-(d+1)V^2T$ over all R with $B_t\le1$.

    python benchmarks/kink_games.py     # docs/theorems/similarity.md, S4

$\Theta$ is a simplex with d + 1 corners. For given $\theta_t^\ast$ and $\phi_1$ the largest value over all convex R
and all subgradients is a linear program: values and subgradients at all points, each above the others' tangents. Climbs
over sequences, most of whose points are corners; prints the largest values found, in units of $D^2$.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, vstack

from arubatheory.arithmetic import Array

SIZES = {1: (2, 4, 8, 16, 32), 2: (2, 4, 8, 12)}
CALLS, STALL = 400, 40


def worst(theta: Array, start: Array) -> float:
    r"""The largest $\sum_tB_t(\theta_t)-(d+1)V^2T$ for `theta` (T, d) and $\phi_1$."""
    T, d = theta.shape
    phi = np.concatenate([start[None], np.cumsum(theta, axis=0) / np.arange(1, T + 1)[:, None]])
    points = np.concatenate([phi, theta, np.zeros((1, d)), np.eye(d)])
    n = len(points)
    slopes = n + np.arange(n * d).reshape(n, d)
    gain = np.zeros(n * (d + 1))
    gain[:T], gain[T], gain[T + 1 : 2 * T + 1] = -1, (d + 1) * T, -d
    gain[slopes[:T]] = phi[:T] - theta
    i, j = (index.ravel() for index in np.indices((n, n)))
    parts = np.concatenate([np.tile([1.0, -1.0], (n * n, 1)), points[j] - points[i]], axis=1)
    columns = np.concatenate([i[:, None], j[:, None], slopes[i]], axis=1)
    rows = np.tile(np.arange(n * n)[:, None], d + 2)
    below = coo_matrix((parts.ravel(), (rows.ravel(), columns.ravel()))).tocsr()  # minus the divergences
    bounded = (i <= T) & (j > 2 * T)
    normed = [(0, 0) if k == 0 or k in slopes[0] else (None, None) for k in range(n * (d + 1))]
    limits = np.concatenate([np.zeros(n * n), np.ones(bounded.sum())])
    return -float(linprog(-gain, vstack([below, -below[bounded]]), limits, bounds=normed).fun)


def points(rng: np.random.Generator, count: int, d: int) -> Array:
    """Points of the simplex, three of four at its corners."""
    corners = np.concatenate([np.zeros((1, d)), np.eye(d)])[rng.integers(0, d + 1, count)]
    within = rng.dirichlet(np.ones(d + 1), count)[:, 1:]
    return np.where(rng.random((count, 1)) < 3 / 4, corners, within)


def search(d: int, T: int, calls: int = CALLS, seed: int = 0) -> float:
    """The largest value of `calls` sequences."""
    rng, best, called = np.random.default_rng(seed), 0.0, 0
    while called < calls:
        start, theta = points(rng, 1, d)[0], points(rng, T, d)
        size, called, stall = worst(theta, start), called + 1, 0
        while stall < STALL and called < calls:
            other, k = theta.copy(), rng.integers(0, T, 2)
            other[k] = theta[k[::-1]] if rng.random() < 1 / 2 else points(rng, 2, d)
            value, called = worst(other, start), called + 1
            stall = 0 if value > size + 1e-9 else stall + 1
            if value >= size:
                size, theta = value, other
        best = max(best, size)
    return best


def main() -> None:
    """Print the table in Markdown."""
    print("| d | T | remainder |\n|---|---|---|")
    for d, sizes in SIZES.items():
        for T in sizes:
            print(f"| {d} | {T} | {search(d, T):.4f} |", flush=True)


if __name__ == "__main__":
    main()
