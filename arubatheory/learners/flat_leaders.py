r"""Leaders of losses without curvature: where one exists, and which one is played when there are several.

Without a ridge a sum of losses may have no minimum on $\mathbb R^d$, and everywhere it may have many. Played is the
minimiser that is next to $\phi$ in l2 (what `hindsight` does, for a reference point of one's own):

* squared losses whose $a_s$ span $\mathbb R^d$: the only minimiser, a quadratic program;
* linear losses on a bounded domain: the projection of $\phi$ onto the face of minimisers;
* anything else: the limit of small Euclidean regularisation, as far as `hindsight` goes to it, in floats only.

On $\mathbb R^d$ a convex function has a bounded set of minimisers exactly if it grows along every direction, that is if
its recession function $\lim_{t\to\infty} f(tv)/t$ is positive off 0 (Rockafellar, Convex Analysis, theorem 27.1); if
not, there is no leader, or no only one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, approximate, is_exact
from arubatheory.convex.hindsight import hindsight
from arubatheory.kernel import kernel, on
from arubatheory.problems.domains import BOX, SIMPLEX, SPACE, Domain, box, linear_minimizer, mass, project_simplex
from arubatheory.problems.linear import is_positive_definite
from arubatheory.problems.losses import ABSOLUTE, DISTANCE, HINGE, LINEAR, SQUARE, Losses, rows, subgradient
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, mirror_step
from arubatheory.problems.scalar import smaller

LIMITS = np.array([LINEAR, ABSOLUTE, HINGE, HINGE, ABSOLUTE, ABSOLUTE, DISTANCE])  # of each of the links, far out
STEEP = 2.0**20


def flat_leader(losses: Losses, n: int, domain: Domain, phi: Array) -> tuple[Array, Any]:
    r"""A minimiser of the first n losses, which have no ridge, and its gap.

    Raises ValueError, naming round n + 1, where there is no unique one on $\mathbb R^d$, or none can be enclosed.
    """
    past = rows(losses, 0, n)
    active = past.weight > 0
    links = set(past.link[active].tolist())
    if links <= {LINEAR, SQUARE}:
        bent = active & (past.link == SQUARE)
        hessian = _symmetric(past.a[bent], past.weight[bent])
        if bent.any() and is_positive_definite(hessian):
            return _vertex_of(past, hessian, domain, phi), 0 * phi[0]
        if links <= {LINEAR} and domain.kind != SPACE:
            g = (past.weight[:, None] * past.a).sum(axis=0)
            return on(linear_leader, phi)(domain, phi, g), 0 * phi[0]
    if domain.kind == SPACE and not _grows(approximate(past)):
        raise ValueError(f"losses must have a unique leader on R^d: those before round {n + 1} have none")
    if is_exact(phi):
        raise ValueError(f"losses must be curved to enclose their leader exactly: those before round {n + 1} are not")
    best = hindsight(past, domain, phi=phi)
    return best.action, max(approximate(best.value - best.lower), 0.0)


def _grows(past: Losses) -> bool:
    r"""Whether the recession function of the sum is certainly positive on every face $v_j = \pm 1$ of the unit cube.

    It is $\langle a, v\rangle$ for a linear loss, $|\langle a, v\rangle|$ for absolute and Huber, $\max(0, -\langle a,
    v\rangle)$ for hinge and logistic, $\|v\|_2$ for a distance, and infinite for a square unless $\langle a, v\rangle =
    0$: there a large multiple of the absolute value bounds it below.
    """
    limit = LIMITS[past.link]
    weight = np.where(past.link == SQUARE, STEEP * past.weight.max(), past.weight) * (past.weight > 0)
    b = np.where(limit == HINGE, -1.0, 0.0)
    recession = past._replace(link=limit, b=b, weight=weight, c=0 * past.c)
    for j in range(past.a.shape[1]):
        for side in (-1.0, 1.0):
            low, high = np.full(past.a.shape[1], -1.0), np.ones(past.a.shape[1])
            low[j] = high[j] = side
            if not hindsight(recession, box(low, high)).lower > 0:
                return False
    return True


def _symmetric(a: Array, weight: Array) -> Array:
    r"""$\sum_s w_s a_s a_s^\top$, symmetric to the last bit."""
    out = (a.T * weight) @ a
    return np.asarray((out + out.T) / 2)


def _vertex_of(past: Losses, matrix: Array, domain: Domain, phi: Array) -> Array:
    g = np.sum([on(subgradient, phi)(past, i, phi) for i in range(len(past.b))], axis=0)
    x: Array = on(mirror_step, phi)(Regularizer(MAHALANOBIS, matrix), domain, phi, g)
    return x


@kernel
def linear_leader(domain: Domain, phi: Array, g: Array) -> Array:
    r"""[exact] The point of $\arg\min_{x\in\Theta} \langle g, x\rangle$ next to $\phi$, on a bounded domain."""
    x = phi.copy()
    if domain.kind == BOX:
        for j in range(g.size):
            if g[j] != 0:
                x[j] = domain.low[j] if g[j] > 0 else domain.high[j]
        return x
    if domain.kind != SIMPLEX:
        return x if np.all(g == 0) else linear_minimizer(domain, g)
    least, count, rest = g[0], 0, mass(domain.low)
    for j in range(1, g.size):
        least = smaller(least, g[j])
    for j in range(g.size):
        count += g[j] == least
    # The face is a simplex of its own: scaled to mass 1, with no floor, it is projected onto and scaled back.
    face = np.empty_like(phi[:count])
    k = 0
    for j in range(g.size):
        x[j] = domain.low[j]
        if g[j] == least:
            face[k] = (phi[j] - domain.low[j]) / rest if rest > 0 else 0 * rest
            k += 1
    face = project_simplex(0 * face, face)
    k = 0
    for j in range(g.size):
        if g[j] == least:
            x[j] = x[j] + rest * face[k]
            k += 1
    return x
