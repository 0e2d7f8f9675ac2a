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

from arubatheory.arithmetic import Array, approximate, is_exact
from arubatheory.convex.hindsight import grows, hindsight
from arubatheory.convex.problem import Problem, closed_form
from arubatheory.convex.quadratic import nearest_least
from arubatheory.kernel import on
from arubatheory.problems.domains import SPACE, Domain
from arubatheory.problems.linear import is_definite
from arubatheory.problems.losses import LINEAR, SQUARE, Losses
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer


def flat_leader(past: Losses, domain: Domain, phi: Array, rounds: int) -> tuple[Array, Any]:
    r"""A minimiser of losses without ridges, and its gap.

    Raises ValueError, naming the round after so many, where there is no unique one on $\mathbb R^d$ or none can be
    enclosed.
    """
    active = past.weight > 0
    links = set(past.link[active].tolist())
    if links <= {LINEAR, SQUARE}:
        bent = active & (past.link == SQUARE)
        hessian = (past.a[bent].T * past.weight[bent]) @ past.a[bent]
        if bent.any() and is_definite((hessian + hessian.T) / 2):
            R = Regularizer(MAHALANOBIS, 0 * hessian)
            return closed_form(Problem(past, len(past.b), domain, R, phi, 1, 1)), 0 * phi[0]
        if links <= {LINEAR} and domain.kind != SPACE:
            return on(nearest_least, phi)(domain, phi, (past.weight[:, None] * past.a).sum(axis=0)), 0 * phi[0]
    if domain.kind == SPACE and not grows(approximate(past)):
        raise ValueError(f"losses must have a unique leader on R^d: those before round {rounds + 1} have none")
    if is_exact(phi):
        raise ValueError(
            f"losses must be curved to enclose their leader exactly: those before round {rounds + 1} are not"
        )
    best = hindsight(past, domain, phi=phi)
    return best.action, max(approximate(best.value - best.lower), 0.0)
