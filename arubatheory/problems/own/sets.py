r"""Domains that are no `Domain`: intersections, polytopes and balls of p-norms, by their Euclidean projections.

They are what any object with `project(x)` may be (see `problems.own.steps`); `diameter` and `center` serve where a
certificate or a first point is asked for. Floats only.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.problems import domains
from arubatheory.problems.numbers import as_floats, as_vector, in_floats, real
from arubatheory.problems.own.steps import AnyDomain, diameter_of, onto

SWEEPS, HALVINGS = 20_000, 64
CLOSE, FAR = 1e-13, 1e100


class PBall:
    r"""$\{x : \|x - c\|_p \le r\}$ for a `center` c (d,), a `radius` r >= 0 and $p \in [1, \infty]$.

    Raises ValueError for other p and radii, NaN and infinities, TypeError for exact numbers.
    """

    def __init__(self, center: Any, radius: float, p: float) -> None:
        self.center = in_floats("center", as_vector("center", center))
        self.radius = real("radius", radius, least=0)
        self.p = math.inf if isinstance(p, float) and p == math.inf else real("p", p, least=1)

    @property
    def diameter(self) -> float:
        r"""$2r\,d^{\max(0, 1/2 - 1/p)}$."""
        return float(2 * self.radius * self.center.size ** max(0.0, 0.5 - 1 / self.p))

    def project(self, x: Array) -> Array:
        r"""The nearest point: clipped, scaled, or for other p by $z_i + \lambda p z_i^{p-1} = |x_i - c_i|$.

        ValueError or TypeError for other points, OverflowError for one that is too far away."""
        y = point("x", x, self.center.size) - self.center
        size = np.abs(y)
        if not size.sum() / max(self.radius, 1e-300) < FAR and self.p not in (1, math.inf) and self.radius > 0:
            raise OverflowError(f"x must be at most {FAR:g} radii away, got {x!r}")
        if self.p == math.inf:
            return self.center + np.clip(y, -self.radius, self.radius)
        if self.radius == 0 or p_norm(y, self.p) <= self.radius:
            return self.center + (y if self.radius > 0 else 0 * y)
        if self.p == 1:
            z = on(domains.project_simplex, size)(0 * size, size / self.radius)
        elif self.p == 2:
            z = size / np.linalg.norm(size)
        else:
            z = self._onto_sphere(size / self.radius)
        return self.center + np.sign(y) * z * self.radius

    def _onto_sphere(self, size: Array) -> Array:
        """By halving: of the multiplier, on a scale of logarithms, and within it of each coordinate."""
        low, high = -700.0, 700.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            z = self._at(size, math.exp(middle))
            low, high = (middle, high) if p_norm(z, self.p) > 1 else (low, middle)
        return z / p_norm(z, self.p)

    def _at(self, size: Array, multiplier: float) -> Array:
        low, high = 0 * size, size.copy()
        for _ in range(HALVINGS):
            z = (low + high) / 2
            with np.errstate(over="ignore"):
                above = z + multiplier * self.p * z ** (self.p - 1) > size
            low, high = np.where(above, low, z), np.where(above, z, high)
        return high


def point(name: str, x: Any, d: int | None = None) -> Array:
    """A vector (d,) of floats, or the ValueError or TypeError that names it."""
    read = in_floats(name, as_vector(name, x))
    if d not in (None, read.size):
        raise ValueError(f"{name} must have {d} entries, got {read.size}: {x!r}")
    return read


def p_norm(x: Array, p: float) -> float:
    r"""$\|x\|_p$, without overflow."""
    top = float(np.abs(x).max())
    return top * float(np.sum((np.abs(x) / top) ** p)) ** (1 / p) if top > 0 else 0.0


class Polytope:
    r"""$\{x : Ax \le b\}$ for `A` (k, d) and `b` (k,), which must leave a point.

    `center` is the centre of a largest ball inside (of radius at most 1), `diameter` the diagonal of the least box
    around it. Raises ValueError for other shapes, NaN, infinities, a row of zeros, and inequalities without a solution.
    """

    def __init__(self, A: Any, b: Any) -> None:
        rows, bounds = as_floats("A", A), in_floats("b", as_vector("b", b))
        if rows.ndim != 2 or rows.size == 0 or bounds.shape != rows.shape[:1]:
            raise ValueError(f"A must have shape (k, d) and b (k,), got {rows.shape} and {bounds.shape}")
        sizes = np.linalg.norm(rows, axis=1)
        if not sizes.all():
            raise ValueError(f"A must have no row of zeros, got {A!r}")
        self.A, self.b = rows / sizes[:, None], bounds / sizes
        inner = self._solved(np.append(np.zeros(rows.shape[1]), -1.0), np.column_stack([self.A, np.ones(len(sizes))]))
        if inner is None:
            raise ValueError(f"A and b must leave a point, got A={A!r}, b={b!r}")
        self.center = inner[:-1]

    def _solved(self, c: Array, A: Array) -> Array | None:
        """Where a linear function is least, or None."""
        from scipy.optimize import linprog  # at first use: half a second that no other learner needs

        bounds = [*[(None, None)] * (self.A.shape[1]), *[(0, 1)] * (len(c) - self.A.shape[1])]
        found = linprog(c, A_ub=A, b_ub=self.b, bounds=bounds)
        return found.x if found.status == 0 else None

    @cached_property
    def diameter(self) -> float:
        """An upper bound of it."""
        d = self.A.shape[1]
        ends = [[self._solved(sign * e, self.A) for sign in (1.0, -1.0)] for e in np.eye(d)]
        widths = [math.inf if x is None or y is None else float(y[k] - x[k]) for k, (x, y) in enumerate(ends)]
        return float(np.linalg.norm(widths)) if np.isfinite(widths).all() else math.inf

    def project(self, x: Array) -> Array:
        r"""By nonnegative least squares on the duals (Lawson and Hanson, Solving least squares problems, ch. 23), and
        then once more on the inequalities that are tight."""
        from scipy.optimize import nnls  # at first use

        start = point("x", x, self.center.size)
        excess = self.A @ start - self.b
        scale = float(excess.max())
        if not scale > 0:
            return start
        goal = np.append(np.zeros(start.size), 1.0)
        duals, _ = nnls(np.vstack([-self.A.T, excess / scale]), goal)
        left = goal - np.vstack([-self.A.T, excess / scale]) @ duals
        moved = start - scale * left[:-1] / left[-1]
        tight = duals > 0
        exactly = start - np.linalg.lstsq(self.A[tight], excess[tight], rcond=None)[0]
        return min(moved, exactly, key=lambda y: float((self.A @ y - self.b).max()))


class Intersection:
    r"""The points that several domains, of one's own or not, have in common, by Dykstra's projections.

    `sweeps` is how often each part may be projected onto. TypeError for no parts; ValueError of `project` where no
    point is found that is common to all.
    """

    def __init__(self, *parts: AnyDomain, sweeps: int = SWEEPS) -> None:
        for part in parts or (None,):
            if not isinstance(part, AnyDomain):
                raise TypeError(f"parts must be Domains or have a method project(x), got {part!r}")
        self.parts, self.sweeps = parts, sweeps

    @property
    def diameter(self) -> float:
        """That of its smallest part, which bounds it."""
        return min(map(diameter_of, self.parts))

    def project(self, x: Array) -> Array:
        """Dykstra's algorithm (Boyle and Dykstra 1986), until its corrections stand still."""
        y = point("x", x)
        scale, corrections = 1 + float(np.abs(y).max()), [0 * y for _ in self.parts]
        for _ in range(self.sweeps):
            moved = 0.0
            for k, part in enumerate(self.parts):
                before = y + corrections[k]
                y = onto(part, before)
                moved = max(moved, float(np.abs(corrections[k] - (before - y)).max()))
                corrections[k] = before - y
            if moved <= CLOSE * scale:
                break
        away = max(float(np.abs(onto(part, y) - y).max()) for part in self.parts)
        if away > 1e-9 * scale:
            told = f"after {self.sweeps} sweeps from {x.tolist()} one is {away:g} away"
            raise ValueError(f"parts must have a point in common, got {self.parts!r}: {told}")
        return y
