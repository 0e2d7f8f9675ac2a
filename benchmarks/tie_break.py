r"""The attack on E5 in two dimensions: $m\alpha^2E\|\hat\theta_m-\theta_P^\ast\|^2/G^2$ with several minimisers.

    python benchmarks/tie_break.py     # docs/theorems/statistics.md, E5

Two losses, each the largest of three affine functions on an interval (d = 1) or a rectangle (d = 2), their
probabilities, and $\phi_R$, to which the nearest minimiser is taken. G, $\alpha$ and the expectation are those of all
averages that occur, exactly up to rounding: between kinks $F-\min F$ is linear and the distance to the minimisers
convex, so that the growth is least at a corner. Restarts and climbs over random changes; prints the largest quotients.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import Array

CALLS, RESTART, STALL, NEAR = 20_000, 100, 400, 1e-9
PIECES, SIZES = 3, (1, 2, 4, 8)


class World(NamedTuple):
    """Slopes (2, pieces, 2) and heights (2, pieces) of the losses, half the sides of the domain, start and odds."""

    slopes: Array
    heights: Array
    box: Array
    phi: Array
    odds: float


def corners(w: World) -> Array:
    """Where two lines of kinks or sides meet, within the domain (n, 2)."""
    i, j = np.triu_indices(w.slopes.shape[1], 1)
    A = np.concatenate([(w.slopes[:, i] - w.slopes[:, j]).reshape(-1, 2), np.repeat(np.eye(2), 2, axis=0)])
    c = np.concatenate([(w.heights[:, j] - w.heights[:, i]).ravel(), np.outer(w.box, (1, -1)).ravel()])
    i, j = np.triu_indices(len(A), 1)
    det = A[i, 0] * A[j, 1] - A[i, 1] * A[j, 0]
    i, j, det = i[abs(det) > NEAR], j[abs(det) > NEAR], det[abs(det) > NEAR]
    met = np.stack([c[i] * A[j, 1] - c[j] * A[i, 1], A[i, 0] * c[j] - A[j, 0] * c[i]], axis=1) / det[:, None]
    return np.asarray(met[(abs(met) <= w.box + NEAR).all(axis=1)])


def nearest(points: Array, to: Array) -> Array:
    """The nearest points (k, 2) of all segments between `points` to the rows of `to`, outside of their hull."""
    points = np.unique(points.round(9), axis=0)
    i, j = np.triu_indices(len(points), 1 if len(points) > 1 else 0)
    along = points[j] - points[i]
    length = np.maximum((along * along).sum(axis=1), NEAR**2)
    place = np.clip(((to[:, None] - points[i]) * along).sum(axis=2) / length, 0, 1)
    found = points[i] + place[..., None] * along
    return np.asarray(found[np.arange(len(to)), ((to[:, None] - found) ** 2).sum(axis=2).argmin(axis=1)])


def quotient(w: World, m: int) -> float:
    r"""$m\alpha^2E\|\hat\theta_m-\theta_P^\ast\|^2/G^2$."""
    places = np.concatenate([corners(w), w.phi[None]])
    pieces = np.einsum("kjc,vc->kjv", w.slopes, places) + w.heights[:, :, None]
    losses = pieces.max(axis=1)
    steep = ((pieces >= losses[:, None] - NEAR).any(axis=2) * (w.slopes**2).sum(axis=2)).max()
    counts = np.arange(m + 1)
    chances = np.array([math.comb(m, k) for k in counts]) * w.odds**counts * (1 - w.odds) ** (m - counts)
    alpha, at = math.inf, []
    for share in (w.odds, *(counts / m)):
        F = share * losses[0] + (1 - share) * losses[1]
        least = F <= F.min() + NEAR
        at.append(w.phi if least[-1] else nearest(places[least], w.phi[None])[0])
        if not least.all():
            away = ((places[~least] - nearest(places[least], places[~least])) ** 2).sum(axis=1)
            alpha = min(alpha, (2 * (F[~least] - F.min()) / np.maximum(away, NEAR)).min())
    apart = ((np.array(at[1:]) - at[0]) ** 2).sum(axis=1)
    return 0.0 if math.isinf(alpha) or steep == 0 else float(m * alpha**2 * (chances @ apart) / steep)


def tidy(w: World, d: int) -> World:
    """The same in d dimensions, the start within the domain."""
    flat = np.array([1.0, d - 1.0])
    return w._replace(slopes=w.slopes * flat, box=w.box * flat, phi=np.clip(w.phi, -w.box, w.box) * flat)


def start(rng: np.random.Generator, d: int) -> World:
    """Integers, so that minimisers are often several; half of the time only the first coordinate counts."""
    box = rng.integers(1, 5, 2).astype(float)
    slopes, heights = rng.integers(-3, 4, (2, PIECES, 2)), rng.integers(-3, 4, (2, PIECES))
    phi = np.round(rng.uniform(-2, 2, 2) * box) / 2
    slopes = slopes * np.array([1.0, rng.integers(0, 2)])
    return tidy(World(slopes, heights.astype(float), box, phi, rng.integers(1, 8) / 8), d)


def changed(w: World, rng: np.random.Generator, d: int) -> World:
    """One to three of its numbers moved by a power of two, or slopes made parallel."""
    slopes, heights, box, phi, odds = (np.copy(part) for part in w)
    for _ in range(rng.integers(1, 4)):
        step, (k, n) = 2.0 ** -rng.integers(0, 7) * rng.choice([-1, 1]), rng.integers(0, (2, PIECES))
        match rng.integers(0, 7):
            case 0 | 1:
                slopes[k, n, rng.integers(0, 2)] += step
            case 2:
                heights[k, n] += step
            case 3:
                box[rng.integers(0, 2)] *= 2 ** (step / 2)
            case 4:
                phi = phi + step * rng.normal(size=2)
            case 5:
                odds = 1 / (1 + (1 / odds - 1) * np.exp(step))
            case _:
                slopes[k, n] = rng.choice([-1, 1]) * slopes[rng.integers(0, 2), rng.integers(0, PIECES)]
    return tidy(World(slopes, heights, box, phi, float(odds)), d)


def search(d: int, m: int, calls: int = CALLS, seed: int = 0) -> float:
    """The largest quotient of `calls` worlds."""
    rng, best, called = np.random.default_rng(seed), 0.0, 0
    while called < calls:
        size, here = max(((quotient(w, m), w) for w in (start(rng, d) for _ in range(RESTART))), key=lambda at: at[0])
        called, stall = called + RESTART, 0
        while stall < STALL and called < calls:
            other = changed(here, rng, d)
            value, called = quotient(other, m), called + 1
            stall = 0 if value > size + NEAR else stall + 1
            if value >= size:
                size, here = value, other
        best = max(best, size)
    return best


def main() -> None:
    """Print the table in Markdown."""
    print("| m | d = 1 | d = 2 |\n|---|---|---|")
    for m in SIZES:
        print(f"| {m} | {search(1, m):.4f} | {search(2, m):.4f} |", flush=True)


if __name__ == "__main__":
    main()
