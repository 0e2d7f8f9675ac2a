r"""Minimisers of linear and quadratic losses, round after round, from sums that are carried: no pass over the past.

The sum of the losses so far, terms $\alpha_t B_R(\cdot\|c_t)$ of a quadratic R among them, is
$v + \langle g, y\rangle + \frac12 y^\top H y$ with $y = x - \phi$. A loss adds to g, a square a rank-one matrix to H
and to $V \approx H^{-1}$ by the formula of Sherman and Morrison. Where the minimiser of $\mathbb R^d$ is in the domain,
a round costs $O(d^2)$: a step of refinement with V from that of the last round. Outside it is one `quadratic_step`,
$O(d^3)$ as is a new V: after a ridge or curvature, and where the trace of V was halved or two steps were not enough,
for V forgets digits.

The gap is that of `gap.certify` for the curvature $1/(2\,\mathrm{tr} V)$, half of what is at most the least eigenvalue
of H. The rounding of the sums counts in it (see `quadratic`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.convex.gap import slip_of
from arubatheory.convex.problem import Problem
from arubatheory.convex.quadratic import add_block, beside
from arubatheory.convex.solver import solve
from arubatheory.kernel import borrowing, kernel, standing
from arubatheory.problems.domains import SPACE, Domain, inside, project
from arubatheory.problems.linear import dot, shifted, times
from arubatheory.problems.losses import LINEAR, SQUARE, Losses
from arubatheory.problems.matrices import inverse
from arubatheory.problems.mirror import quadratic_step
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer, mirror_step
from arubatheory.problems.scalar import EPSILON

ENOUGH = 1e-13  # of the magnitudes: a larger gap is infinite, for a solver to look at


class Curvature(NamedTuple):
    r"""Terms $\alpha_t B_R(\cdot\|c_t)$ to add to m losses: `alpha` (m,) >= 0 and `center` (m, d), the $c_t$.

    Where $\alpha_t > 0$, $\nabla R(c_t)$ must exist: for the entropy $c_t$ has positive coordinates.
    """

    R: Regularizer
    alpha: Array
    center: Array


class Carried(NamedTuple):
    r"""The sum of losses, as above: $\phi$ (d,), the matrix A of R, H, g and the `size` of what was added to it, V, and
    the last minimiser on $\mathbb R^d$; of these matrices are (d, d) and the others (d,). `numbers` (3,): how many
    losses, the magnitudes behind v, and the trace of V when it was new."""

    phi: Array
    A: Array
    H: Array
    g: Array
    size: Array
    V: Array
    free: Array
    numbers: Array


@borrowing
def bending(L: Losses, R: Regularizer, start: int) -> int:
    r"""How many losses come before the first, not before `start`, that is not quadratic where R is."""
    for i in range(start, L.b.shape[0]):
        if R.kind == ENTROPY or (L.weight[i] > 0 and L.link[i] != LINEAR and L.link[i] != SQUARE):
            return i
    return L.b.shape[0]


@borrowing
def _fold(V: Array, w: Any, a: Array, s: Array) -> None:
    r"""$(A + w a a^\top)^{-1}$ from $V = A^{-1}$, in place; s is room for $V a$."""
    d = a.shape[0]
    for j in range(d):
        s[j] = dot(V[j], a)
    part = w / (1 + w * dot(a, s))
    for j in range(d):
        for e in range(d):
            V[j, e] -= part * s[j] * s[e]


@borrowing
def _curve(A: Array, share: Any, phi: Array, center: Array, H: Array, g: Array, size: Array) -> None:
    r"""Adds $\frac\alpha2 (x - c)^\top A (x - c)$ to H, g and size."""
    for j in range(phi.shape[0]):
        for e in range(phi.shape[0]):
            part = share * A[j, e]
            H[j, e] += part
            g[j] += part * (phi[e] - center[e])
            size[j] += abs(part) * (abs(phi[e]) + abs(center[e]))


@kernel
def carried_from(mass: Any, R: Regularizer, phi: Array) -> Any:
    r"""The sum of no losses and $mass\,B_R(\cdot\|\phi)$, of a quadratic R."""
    A = R.matrix if R.kind == MAHALANOBIS else shifted(0 * R.matrix, 1.0)
    V = inverse(mass * A)
    return Carried(phi, A, mass * A, 0 * phi, 0 * phi, V, phi.copy(), np.array([0.0, 0.0, np.trace(V)]))


@standing
def carried_minimisers(
    L: Losses, C: Curvature, kept: Carried, first: int, last: int, domain: Domain, actions: Array, gap: Array
) -> None:
    r"""Writes the minimiser of what is `kept` and $\ell_{1:n}$, and its gap, into row n of actions and of gap, for
    first <= n <= last, with R and $\alpha_t B_R(\cdot\|c_t)$ of C in $\ell_t$; then all of them are kept. The losses up
    to the last are quadratic, and so is R. A gap is infinite where it is not small.
    """
    phi, A, H, g, size, V, free, numbers = kept
    turned, room = np.empty((phi.size, 2)), np.empty((4, phi.size))
    for n in range(last + 1):
        if n > 0:
            i = n - 1
            numbers[0] += 1
            numbers[1] += add_block(L, i, n, phi, 1.0, turned, room, H, g, size)[1]
            if C.alpha[i] > 0:
                _curve(A, C.alpha[i], phi, C.center[i], H, g, size)
            if L.link[i] == SQUARE:
                _fold(V, L.weight[i], L.a[i], room[0])
            if L.ridge[i] + C.alpha[i] > 0 or not 2 * np.trace(V) > numbers[2]:
                V[:] = inverse(H)
                numbers[2] = np.trace(V)
        if n < first:
            continue
        gap[n] = np.inf
        for k in range(4):
            free[:] = free - times(V, g + times(H, free - phi))
            x = free
            if domain.kind != SPACE and not inside(domain, free) >= 0:
                x = quadratic_step(H, domain, phi, g)
            y, bend = x - phi, 1 / (2 * np.trace(V))
            (bent, rough), count = beside(H, y), numbers[0] + phi.size + 12
            other, noise = project(domain, x - (g + bent) / bend), count * EPSILON * (size + rough)
            slip, excess = slip_of(Regularizer(EUCLIDEAN, H), domain, bend, x, other, g + bent, noise)
            actions[n] = x
            if 0 <= slip + excess <= ENOUGH * (numbers[1] + dot(size + rough, np.abs(y))):
                gap[n] = slip + excess
                break
            if k == 1 or not np.isfinite(free.sum()):
                V[:], free[:] = inverse(H), phi


@borrowing
def folding(L: Losses, R: Regularizer) -> int:
    r"""How many losses come before the first that sums cannot hold."""
    for i in range(L.b.shape[0]):
        if (L.link[i] != LINEAR and L.weight[i] > 0) or (L.ridge[i] > 0 and R.kind != EUCLIDEAN):
            return i
    return L.b.shape[0]


@borrowing
def add_slope(L: Losses, i: int, phi: Array, total: Array) -> None:
    r"""Adds $\nabla\ell_i(\phi)$ of a linear loss with a ridge."""
    w, r = L.weight[i], L.ridge[i]
    if w > 0:
        for j in range(phi.shape[0]):
            total[j] = total[j] + w * L.a[i, j]
    if r > 0:
        for j in range(phi.shape[0]):
            total[j] = total[j] + r * (phi[j] - L.c[i, j])


@standing
def carry(L: Losses, first: int, domain: Domain, R: Regularizer, phi: Array, eta: Any, theta: Array, gap: Array) -> Any:
    r"""Writes the actions of `ftrl`, from that of round `first` on, into theta, and their gaps, as far as sums can hold
    the losses before; returns the last of these rounds. A gap is infinite where a solver has to look."""
    total, mass, stop, rounds = 0 * phi, 0 * eta, folding(L, R), gap.shape[0]
    for n in range(min(stop + 1, rounds)):
        if n >= first:
            theta[n], gap[n] = mirror_step(R, domain, phi, eta / (1 + eta * mass) * total), 0.0
        if n < stop:
            mass += L.ridge[n]
            add_slope(L, n, phi, total)
    last = min(bending(L, R, stop), rounds - 1)
    if last > stop:
        none, kept = Curvature(R, 0 * L.b, L.c), carried_from(1 / eta, R, phi)
        carried_minimisers(L, none, kept, max(first, stop + 1), last, domain, theta, gap)
        gap[max(first, stop + 1) : last + 1] *= eta
    return last


@kernel
def finish(
    L: Losses, last: int, domain: Domain, R: Regularizer, phi: Array, eta: Any, theta: Array, gap: Array
) -> None:
    """Solves for the actions of `ftrl` after that of round `last`, and where `carry` has left an infinite gap."""
    for n in range(gap.shape[0]):
        if n > last or not gap[n] < np.inf:
            theta[n], gap[n], _state = solve(Problem(L, n, domain, R, phi, eta, 1.0))


def led(L: Losses, first: int, rounds: int, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    """The actions of `ftrl` and their gaps, unvalidated, from that of round `first` on: the rows before say nothing.

    What `play_ftrl` does, in pieces, so that sums compile no solver.
    """
    actions, gap = np.empty((rounds, phi.size)), np.zeros(rounds)
    with np.errstate(all="ignore"):
        last = max(carry(L, first, domain, R, phi, eta, actions, gap), first - 1)
        if last < rounds - 1 or not (gap < np.inf).all():
            finish(L, last, domain, R, phi, eta, actions, gap)
    return actions, gap
