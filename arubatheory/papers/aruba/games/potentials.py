r"""Functions R for prp:bregman that are 1-strongly convex in a norm, beyond the regularisers that a learner runs with.

| kind | $R(x)$ | norms |
|---|---|---|
| `QUADRATIC` | $x^TAx/2$, such as $\frac K2\|x\|_2^2$ | $\sqrt{x^TAx}$; if $A \ge I$ also the three below |
| `QUARTIC` | $\sum_i x_i^2/2 + \kappa x_i^4/12$ | $\|x\|_2$, $\|x\|_1/\sqrt d$, $\|x\|_\infty$ |
| `ENTROPY` | $\sum_i x_i\log x_i$, floored | $\|x\|_1/\sqrt S$, $S \ge \|x\|_1$ on $\Theta$; $\|x\|_2$ on a simplex |

The gradient of $\phi \mapsto B_R(\theta\|\phi)$ is $\nabla^2R(\phi)(\phi - \theta)$. For the quartic
$B_R(\theta\|\cdot)$ is not convex if $\kappa\theta^2 > 3$; the other two are convex in $\phi$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain, extent, mass, random_domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import ENTROPY as ENTROPY_KIND
from arubatheory.problems.regularizers import Regularizer, bregman
from arubatheory.problems.scalar import larger, smaller

QUADRATIC, QUARTIC, ENTROPY = range(3)
MATRIX, L2, L1, LINF = range(4)
BOUNDED = (BALL, BOX, SIMPLEX)


class Potential(NamedTuple):
    r"""R by its kind: A (d, d), $\kappa$ (1,); the norm, the largest eigenvalue of A (1,) and S (1,), which is d where
    the norm $\|x\|_1/\sqrt S$ is not the entropy's. All of them rational."""

    kind: int
    norm: int
    matrix: Array
    bend: Array
    largest: Array
    mass: Array


@kernel
def divergence(R: Potential, x: Array, y: Array) -> Any:
    r"""[exact] $B_R(x\|y) \ge 0$. Quartic: $(x - y)^2 (1/2 + \kappa (x^2 + 2xy + 3y^2)/12)$, without cancellation."""
    if R.kind == ENTROPY:
        return bregman(Regularizer(ENTROPY_KIND, R.matrix), x, y)
    s = x[0] - x[0]
    for i in range(x.size):
        if R.kind == QUARTIC:
            bent = R.bend[0] * (x[i] * x[i] + 2 * x[i] * y[i] + 3 * y[i] * y[i])
            s = s + (x[i] - y[i]) * (x[i] - y[i]) * (6 + bent) / 12
        else:
            for j in range(x.size):
                s = s + (x[i] - y[i]) * R.matrix[i, j] * (x[j] - y[j]) / 2
    return s


@kernel
def squared_norm(R: Potential, x: Array) -> Any:
    r"""[exact] $\|x\|^2$ in the norm of R, rational for a rational x."""
    s = x[0] - x[0]
    for i in range(x.size):
        if R.norm == L2:
            s = s + x[i] * x[i]
        elif R.norm == L1:
            s = s + abs(x[i])
        elif R.norm == LINF:
            s = larger(s, abs(x[i]))
        else:
            for j in range(x.size):
                s = s + x[i] * R.matrix[i, j] * x[j]
    if R.norm == L1:
        return s * s / R.mass[0]
    return s * s if R.norm == LINF else s


@kernel
def dual(R: Potential, g: Array) -> Any:
    r"""[exact] $\|g\|_\ast^2$ for the norms that do not depend on A."""
    s = g[0] - g[0]
    for i in range(g.size):
        if R.norm == L2:
            s = s + g[i] * g[i]
        elif R.norm == L1:
            s = larger(s, abs(g[i]))
        else:
            s = s + abs(g[i])
    if R.norm == L1:
        return s * s * R.mass[0]
    return s * s if R.norm == LINF else s


@kernel
def _pull(R: Potential, shift: Array) -> Any:
    r"""[exact] $\|A\,shift\|_\ast^2$."""
    if R.norm == MATRIX:
        return squared_norm(R, shift)
    g = shift.copy()
    for i in range(g.size):
        g[i] = shift[0] - shift[0]
        for j in range(g.size):
            g[i] = g[i] + R.matrix[i, j] * shift[j]
    return dual(R, g)


@kernel
def lipschitz(R: Potential, domain: Domain, theta: Array) -> Any:
    r"""[exact] The Lipschitz constant over $\Theta$ of $B_R(\theta\|\cdot)$ in the norm of R, or an upper bound of it.

    It is exact for quadratics on boxes and simplices (the supremum of a convex function is at a vertex) and, in l2 and
    A's norm, for multiples of the Euclidean one on balls; for the quartic on boxes; for the entropy's own norm on boxes
    and simplices.
    """
    if R.kind == QUADRATIC:
        return _quadratic_lipschitz(R, domain, theta)
    if R.kind == ENTROPY and R.norm == L1 and domain.kind == SIMPLEX:
        return _tangent_lipschitz(domain, theta)
    g = theta.copy()
    for i in range(g.size):
        low, high = extent(domain, i)
        g[i] = _steepest(R, theta[i], low, high)
    return np.sqrt(dual(R, g))


@kernel
def _quadratic_lipschitz(R: Potential, domain: Domain, theta: Array) -> Any:
    d = theta.size
    if domain.kind == BALL:
        reach = R.largest[0] if R.norm == MATRIX else R.largest[0] * R.largest[0]
        if R.norm == LINF:
            reach = reach * d
        elif R.norm == L1:
            reach = reach * R.mass[0]
        return np.sqrt(_pull(R, domain.center - theta)) + domain.radius[0] * np.sqrt(reach)
    top = theta[0] - theta[0]
    for k in range(d if domain.kind == SIMPLEX else 1 << d):
        corner = domain.low.copy()
        for i in range(d):
            if domain.kind == SIMPLEX:
                corner[i] = corner[i] + (mass(domain.low) if i == k else mass(domain.low) * 0)
            elif (k >> i) & 1:
                corner[i] = domain.high[i]
        top = larger(top, _pull(R, corner - theta))
    return np.sqrt(top)


@kernel
def _tangent_lipschitz(domain: Domain, theta: Array) -> Any:
    r"""[exact] On a simplex differences sum to 0: of the gradient $1 - \theta_i/\phi_i$ counts half the spread, at most
    where $\phi_j$ is at its floor and $\phi_i$ has all the mass (the norm is l1: S = 1)."""
    top = theta[0] - theta[0]
    for j in range(theta.size):
        for i in range(theta.size):
            if i != j:
                spread = theta[j] / domain.low[j] - theta[i] / (domain.low[i] + mass(domain.low))
                top = larger(top, spread / 2)
    return top


@kernel
def _steepest(R: Potential, theta: Any, low: Any, high: Any) -> Any:
    r"""[exact] The supremum over $p \in [low, high]$ of $|h(p)|$: $h = 1 - \theta/p$ (entropy) is monotone,
    $h = (1 + \kappa p^2)(p - \theta)$ (quartic) is so between the zeros of $h' = 1 + 3\kappa p^2 - 2\kappa\theta p$."""
    if R.kind == ENTROPY:
        return larger(abs(1 - theta / low), abs(1 - theta / high))
    kappa = R.bend[0]
    top = larger(abs((1 + kappa * low * low) * (low - theta)), abs((1 + kappa * high * high) * (high - theta)))
    if kappa * theta * theta > 3:
        root = np.sqrt(theta * theta - 3 / kappa)
        for sign in (-1, 1):
            p = smaller(larger((theta + sign * root) / 3, low), high)
            top = larger(top, abs((1 + kappa * p * p) * (p - theta)))
    return top


@kernel
def largest_norm(R: Potential, domain: Domain) -> Any:
    r"""[exact] $\max \|\theta\|^2$ over a box or a simplex, at a vertex."""
    d = domain.low.size
    top = domain.low[0] * 0
    for k in range(d if domain.kind == SIMPLEX else 1 << d):
        corner = domain.low.copy()
        for i in range(d):
            high = extent(domain, i)[1]
            if (domain.kind == SIMPLEX and i == k) or (domain.kind == BOX and (k >> i) & 1):
                corner[i] = high
        top = larger(top, squared_norm(R, corner))
    return top


@kernel
def least_growth(R: Potential, points: Array, x: Array) -> Any:
    r"""[exact] $\min_t 2 B_R(\theta_t\|x) - \|\theta_t - x\|^2$."""
    least = 2 * divergence(R, points[0], x) - squared_norm(R, points[0] - x)
    for t in range(1, points.shape[0]):
        least = smaller(least, 2 * divergence(R, points[t], x) - squared_norm(R, points[t] - x))
    return least


@kernel
def least_room(R: Potential, C2: Any, points: Array, x: Array) -> Any:
    r"""[exact] $\min_t C^2\|\theta_t - x\|_2^2 - \|\theta_t - x\|^2$."""
    least = x[0] - x[0]
    for t in range(points.shape[0]):
        square = x[0] - x[0]
        for j in range(x.size):
            square = square + (points[t, j] - x[j]) * (points[t, j] - x[j])
        room = C2 * square - squared_norm(R, points[t] - x)
        least = room if t == 0 else smaller(least, room)
    return least


def random_pair(draw: Draw, d: int, norms: tuple[int, ...] = (MATRIX, L2, L1, LINF)) -> tuple[Potential, Domain]:
    r"""A bounded domain, points included, and an R that is 1-strongly convex over it in one of `norms`."""
    kinds = (QUADRATIC, QUARTIC, ENTROPY) if norms != (MATRIX,) else (QUADRATIC,)
    kind = draw.choice(kinds)
    if kind == ENTROPY:
        return _entropy(draw, d, norms)
    domain, one = random_domain(draw, d, BOUNDED), draw.array([1])
    choices = tuple(n for n in norms if n != MATRIX or kind == QUADRATIC)
    norm, mass_ = draw.choice(choices), draw.array([d])
    if kind == QUARTIC:
        size = largest_coordinate(domain)
        bend = draw.positive(-4, 12) / (size * size if size > 0 else size + 1)
        return Potential(QUARTIC, norm, draw.eye(d), draw.array([bend]), one, mass_), domain
    low = -8 if norm == MATRIX else 0
    shape = draw.integer(0, 2)
    spectrum = draw.array([draw.positive(low, 8)] * d) if shape == 0 else draw.positive(low, 8, d)
    matrix = draw.eye(d) * spectrum
    if shape == 2:
        t = draw.rotation(d)
        matrix = t @ matrix @ t.T
        matrix = (matrix + matrix.T) / 2
    return Potential(QUADRATIC, norm, matrix, draw.zeros(1), draw.array([max(spectrum)]), mass_), domain


def euclidean(draw: Draw, d: int) -> Potential:
    r"""$\frac12\|\cdot\|_2^2$."""
    return Potential(QUADRATIC, L2, draw.eye(d), draw.zeros(1), draw.array([1]), draw.array([d]))


def largest_coordinate(domain: Domain) -> Any:
    r"""$\sup_{x\in\Theta} \|x\|_\infty$ of a bounded domain, or the bound 1 on a simplex."""
    if domain.kind == SIMPLEX:
        return domain.low[0] * 0 + 1
    if domain.kind == BALL:
        return max(abs(domain.center)) + domain.radius[0]
    return max(max(abs(domain.low)), max(abs(domain.high)))


def _entropy(draw: Draw, d: int, norms: tuple[int, ...]) -> tuple[Potential, Domain]:
    r"""The entropy on a domain whose coordinates stay away from 0, where the gradients of $B_R(\theta\|\cdot)$ are
    bounded; in l2 it is 1-strongly convex where they are at most 1, which is asked of simplices only."""
    zero, one = draw.zeros(d), draw.array([1])
    norm = draw.choice(tuple(n for n in (L1, L2) if n in norms))
    kind = SIMPLEX if norm == L2 else draw.choice((SIMPLEX, BOX, BALL))
    floor = draw.positive(-12, 0, d)
    if kind == SIMPLEX:
        domain = Domain(SIMPLEX, floor / d, zero, zero, draw.zeros(1))
        return Potential(ENTROPY, norm, draw.zeros((d, d)), zero[:1], one, one), domain
    high = draw.positive() * draw.positive(-2, 2, d)
    if kind == BOX:
        domain = Domain(BOX, high * floor, high, zero, draw.zeros(1))
        total = sum(high)
    else:
        radius = min(high) * (1 - floor[0] / 2)
        domain = Domain(BALL, zero, zero, high, draw.array([radius]))
        total = sum(high) + radius * d
    return Potential(ENTROPY, norm, draw.zeros((d, d)), zero[:1], one, draw.array([total])), domain
