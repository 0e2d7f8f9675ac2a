"""The creases of prp:quadraticgrowth/tie-break: what is claimed of them, computed in another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from arubatheory.papers.aruba.games.quadratic_worlds import compare_bent, compare_turning
from arubatheory.statements.core import Instance

PHI = np.array([0.0, -1.25])


def turning(s):
    """u and v of the segment that turns."""
    return np.array([[s, 0.0], [-s, 0.0]]), np.array([[0.0, 0.5], [0.0, -0.5]])


def bent(s):
    """u and v of the triangle whose nearest corner changes."""
    w = 0.8 * s * s
    return np.array([[0.0, w], [s, 0.0], [0.0, w]]), np.array([[0.0, 0.5], [0.0, 0.0], [0.0, -0.5]])


def nearest(corners):
    """The point of the convex hull of two or three points next to PHI."""
    pairs = [(a, b) for i, a in enumerate(corners) for b in corners[:i]]
    found = [a + np.clip((PHI - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0, 1) * (b - a) for a, b in pairs]
    return min(found, key=lambda x: float((x - PHI) @ (x - PHI)))


def binomial(m):
    """The means of m signs and their probabilities."""
    k = np.arange(m + 1)
    return list(zip((2 * k - m) / m, stats.binom.pmf(k, m, 0.5), strict=True))


@pytest.mark.parametrize("m", [16, 64, 256, 1024])
def test_the_bound_of_the_turning_segment_is_below_what_enumeration_gives(m):
    s = (8 * math.sqrt(m)) ** -0.5
    points = [(weight, np.append(p, nearest(turning(s)[0] + p * turning(s)[1]))) for p, weight in binomial(m)]
    mean = sum(w * x for w, x in points)
    measured = sum(w * (x - mean) @ (x - mean) for w, x in points)
    assert compare_turning(Instance(s=s, m=m)).Vh2 <= measured
    assert sum(w * x[1] ** 2 for w, x in points) >= s * s / 4


@pytest.mark.parametrize("m", [16, 256, 16384])
def test_the_bounds_of_the_triangle_enclose_what_enumeration_gives(m):
    s = (16 * math.sqrt(m)) ** -0.5
    u, v = bent(s)
    p_other = 1.6 * s * s
    star = [np.append(0.0, nearest(u)), np.append(p_other, nearest(u + p_other * v))]
    V2 = float((star[0] - star[1]) @ (star[0] - star[1])) / 4
    points = [(weight / 2, np.append(p, nearest(u + p * v))) for p, weight in binomial(m)] + [(0.5, star[1])]
    mean = sum(w * x for w, x in points)
    measured = sum(w * (x - mean) @ (x - mean) for w, x in points)
    claimed = compare_bent(Instance(s=s, m=m))
    assert abs(claimed.V2 - V2) <= 1e-12 * V2 and measured <= claimed.Vh2


def conjugate(z, u, v):
    r"""g(z), the maximum of <z, (p, q)> - g*(p, q): the dual of a program with one linear piece for each corner."""
    n = len(u)

    def best(weights):  # of a mixture of the pieces, which is a quadratic
        a, b = weights @ u, weights @ v
        H = np.eye(3)
        H[0, 1:] = H[1:, 0] = b
        return np.linalg.solve(H, z - np.append(0.0, a))

    def value(weights):
        a, b = weights @ u, weights @ v
        x = best(weights)
        q = x[1:]
        return z @ x - (x @ x) / 2 - (a + x[0] * b) @ q

    # g* is a maximum of strongly convex pieces, so g is the minimum over their mixtures
    grid = (
        np.array([[t, 1 - t] for t in np.linspace(0, 1, 41)])
        if n == 2
        else np.array([[i, j, 20 - i - j] for i in range(21) for j in range(21 - i)]) / 20
    )
    start = min(grid, key=value)
    found = optimize.minimize(
        value,
        start,
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 200},
    )
    return min(float(found.fun), value(start)), best(found.x)


@pytest.mark.parametrize("make", [turning, bent])
def test_averages_are_lipschitz_and_grow_quadratically(make):
    """On the ball of radius 5/4: gradients of g at most 21/8, and g - px at least (1/3) dist^2 above its minimum."""
    rng = np.random.default_rng(0)
    u, v = make(1 / 16)
    for _ in range(60):
        z = rng.normal(size=3)
        z *= 1.25 * rng.random() ** (1 / 3) / np.linalg.norm(z)
        g, gradient = conjugate(z, u, v)
        assert np.linalg.norm(gradient) <= 21 / 8
        p = rng.choice([-1.0, -0.25, -0.01, 0.0, 0.02, 0.5, 1.0])
        corners = u + p * v
        inside = project(corners, z[1:])
        square = (z[0] - p) ** 2 + (z[1:] - inside) @ (z[1:] - inside)
        assert g - p * z[0] + p * p / 2 >= square / 3 - 1e-7


def project(corners, y):
    """The projection onto a segment or a triangle of the plane, by a fine grid and a descent."""
    n = len(corners)
    found = optimize.minimize(
        lambda w: float((w @ corners - y) @ (w @ corners - y)),
        np.full(n, 1 / n),
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15},
    )
    return found.x @ corners
