r"""Follow the leader and follow the regularised leader as state: they remember the losses, and solve a problem of all.

A round costs O(d) while all losses are linear, with or without ridges, and where sums can hold them (`carried`) as much
as in a whole sequence; elsewhere it is a pass over all that is remembered.

Losses that are data, over a domain and with an R of the package, go to the solvers of `ftl` and `ftrl`, and to balls in
exact numbers. Losses as functions, domains and regularisers of one's own go to the search of `problems.own.least`, in
floats: whatever convexity certifies there is the gap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ball, is_exact, precision
from arubatheory.convex.enclosure import bits, enclosed_minimiser
from arubatheory.convex.problem import Problem
from arubatheory.learners.carried import Carried, Curvature, bending, carried_from, carried_minimisers, led
from arubatheory.learners.descents import OMD
from arubatheory.learners.ftl import checked_curvature, found_leaders
from arubatheory.learners.stepped import Learner
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import LINEAR, Losses, rows, stack
from arubatheory.problems.own import rounds
from arubatheory.problems.own.least import Pull, least_of
from arubatheory.problems.own.rounds import AnyLosses, Rounds, count
from arubatheory.problems.own.steps import AnyDomain, AnyRegularizer
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, Regularizer
from arubatheory.problems.signatures import typed

Parts = tuple[Losses, ...]


class Leading(Learner):
    """A learner that remembers losses, as one sequence, in the place of gradients; see `with_one_more`. `gap` bounds
    by how much the action misses the least value."""

    eta: Any
    _kept: Carried | None  # the sums of quadratic losses that are not all linear

    def _reset(self) -> None:
        self.gap, self._kept = 0 * self.phi[0], None
        super()._reset()
        self.memory = None

    def _after(self, seen: Any) -> Any:
        """All losses up to the one that is seen, as `with_one_more` has them; TypeError for what is none, or of another
        kind than before."""
        if not isinstance(seen, AnyLosses) or count(seen) != 1:
            raise TypeError(f"seen must be a Losses of one round, or a Rounds of one, got {seen!r}")
        self._gradient(seen)  # for its errors
        past = self.memory
        if past is not None and isinstance(past, tuple) != isinstance(seen, Losses):
            raise TypeError(
                f"seen must be {'Losses' if isinstance(past, tuple) else 'Rounds'}, as before, got {seen!r}"
            )
        if isinstance(seen, Losses):
            return with_one_more(past or (), seen)
        return seen if past is None else rounds.stack([past, seen])

    def _play(self, losses: AnyLosses, t: int, g: Array) -> None:
        self.see(losses.part(t, t + 1) if isinstance(losses, Rounds) else rows(losses, t, t + 1))

    def see(self, seen: Any) -> None:
        """The loss of the round that was played, a `Losses` or a `Rounds` of one; errors as in `Learner.see`, and those
        of the solvers: ValueError where the losses have no unique leader on R^d."""
        past = self._after(seen)
        kept, found = self._carried(past, seen) if isinstance(past, tuple) else (None, None)
        action, gap = found or self._leader(_in_one(past))
        self._move((action, past))
        self.gap, self._kept = gap, kept

    def _leader(self, past: AnyLosses) -> tuple[Array, Any]:
        """The action after these losses, and its gap."""
        raise NotImplementedError

    def _carried(self, past: Parts, seen: Losses) -> tuple[Carried | None, tuple[Array, Any] | None]:
        """Sums with one more loss, where they can hold all and not all are linear; their minimiser and its gap, where
        that is small."""
        R, mass, kept, is_linear = self.R, 1 / self.eta, self._kept, len(past) == 1 and past[0].link[0] == LINEAR
        if is_linear or is_exact(self.phi) or not (isinstance(self.domain, Domain) and isinstance(R, Regularizer)):
            return None, None
        L, base = seen if kept else _in_one(past), self.phi if mass > 0 else past[0].c[0]  # as in whole sequences
        if bending(L, R, 0) < len(L.b):
            return None, None
        m, actions, gap = len(L.b), np.empty((len(L.b) + 1, base.size)), np.empty(len(L.b) + 1)
        with np.errstate(all="ignore"):
            kept = Carried(*map(np.copy, kept)) if kept else carried_from(mass, R, base)
            carried_minimisers(L, Curvature(R, 0 * L.b, L.c), kept, m, m, self.domain, actions, gap)
        return kept, (actions[m], gap[m] / (mass or 1)) if gap[m] < np.inf else None


def _in_one(past: Any) -> Any:
    return past if isinstance(past, Rounds) else past[0] if len(past) == 1 else stack(past)


def with_one_more(past: Parts, seen: Losses) -> Parts:
    r"""[exact] Parts of losses whose sum is that of `past` and the one that is seen, up to a constant: where the first
    was linear all linear ones are in it, with their ridges, since $\frac r2\|x - c\|^2$ is $\frac r2\|x\|^2 - \langle
    r c, x\rangle$ and a constant. Other parts are shorter than those before them, so that few losses are copied."""
    w, r, none = seen.weight[0], seen.ridge[0], 0 * seen.b
    if LINEAR not in seen.link or (past and past[0].link[0] != LINEAR):
        past = (*past, seen)
        while len(past) > 2 and len(past[-1].b) >= len(past[-2].b):
            past = (*past[:-2], stack(past[-2:]))
        return past
    first = past[0] if past else Losses(seen.link, 0 * seen.a, none, none + 1, none, 0 * seen.c, none)
    a, ridge = first.a.copy(), first.ridge.copy()
    a[0], ridge[0] = a[0] + w * seen.a[0] - r * seen.c[0], ridge[0] + r
    return (first._replace(a=a, ridge=ridge), *past[1:])


class FTRL(Leading, OMD):
    r"""`ftrl` as state: $\arg\min_\Theta B_R(\theta\|\phi) + \eta\,\ell_{1:t}(\theta)$.

    `see` takes a `Losses` or a `Rounds` of one; gradients are not enough. `gap` bounds the suboptimality of the action.
    Arguments and errors are those of `ftrl`.
    """

    @typed
    def __init__(self, domain: AnyDomain, R: AnyRegularizer, phi: Any, eta: Any) -> None:
        super().__init__(domain, R, phi, eta)

    def _compiled(self, losses: Rounds) -> None:
        return None

    def _leader(self, past: AnyLosses) -> tuple[Array, Any]:
        if not (isinstance(past, Losses) and isinstance(self.domain, Domain) and isinstance(self.R, Regularizer)):
            return self._searched(past)
        if not is_exact(self.phi):
            actions, slacks = led(past, len(past.b), len(past.b) + 1, self.domain, self.R, self.phi, self.eta)
            return actions[-1], slacks[-1]
        problem = Problem(past, len(past.b), self.domain, self.R, self.phi, self.eta, 0 * self.eta + 1)
        with precision(bits()):
            x, radius, gap = enclosed_minimiser(problem)
            return np.array([middle + ball(0, r) for middle, r in zip(x, radius, strict=True)], dtype=object), gap

    def _searched(self, past: AnyLosses) -> tuple[Array, Any]:
        if isinstance(self.R, Regularizer) and self.R.kind == ENTROPY:
            raise ValueError(
                f"R must not be the entropy for losses as functions, whose slope is infinite, got {self.R!r}"
            )
        found = least_of(past, self.domain, self.phi, Pull(self.R, self.phi, 1 / self.eta))
        return found.action, self.eta * (found.value - found.lower)


class FTL(Leading):
    r"""`ftl` as state: $\arg\min_\Theta \ell_{1:t}(\theta)$. What makes the losses strongly convex are their ridges, or
    the functions themselves; of several leaders of functions any is played. Errors are those of `ftl`.
    """

    @typed
    def __init__(self, domain: AnyDomain, phi: Any) -> None:
        super().__init__(domain, phi)
        # FTRL without its regulariser
        self.R, self.eta = Regularizer(EUCLIDEAN, np.zeros((self.phi.size, self.phi.size))), np.inf
        self._reset()

    def _leader(self, past: AnyLosses) -> tuple[Array, Any]:
        if isinstance(past, Losses) and isinstance(self.domain, Domain):
            m, curve = len(past.b), checked_curvature(None, past, self.domain)
            found = found_leaders(past, self.domain, self.phi, curve, m + 1, m, self.round + 1 - m)
            return found.actions[m], found.gap[m]
        least = least_of(past, self.domain, self.phi)
        return least.action, least.value - least.lower
