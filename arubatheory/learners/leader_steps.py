r"""Follow the regularised leader as state: it remembers the losses, and solves a problem of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ball, is_exact, precision
from arubatheory.convex.enclosure import BITS, enclosed_minimiser
from arubatheory.convex.problem import Problem
from arubatheory.convex.solver import minimiser
from arubatheory.learners.descents import OMD
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses, rows, stack
from arubatheory.problems.own.rounds import Rounds, count
from arubatheory.problems.regularizers import Regularizer
from arubatheory.problems.signatures import typed


class FTRL(OMD):
    r"""`ftrl` as state: $\arg\min_\Theta B_R(\theta\|\phi) + \eta\,\ell_{1:t}(\theta)$, for losses that are data.

    `see` takes a `Losses` of one; gradients are not enough. `gap` bounds the suboptimality of the action. Arguments and
    errors are those of `ftrl`.
    """

    gap: Any

    @typed
    def __init__(self, domain: Domain, R: Regularizer, phi: Any, eta: Any) -> None:
        super().__init__(domain, R, phi, eta)

    def _reset(self) -> None:
        self.gap = 0 * self.eta
        super()._reset()
        self.memory = None  # what was seen, as one sequence

    def _compiled(self, losses: Rounds) -> None:
        return None

    def see(self, seen: Any) -> None:
        """The loss of the round that was played, a `Losses` of one; errors as in `Learner.see`."""
        if not isinstance(seen, Losses) or count(seen) != 1:
            raise TypeError(f"seen must be a Losses of one round, got {seen!r}")
        self._gradient(seen)  # for its errors
        past = seen if self.memory is None else stack([self.memory, seen])
        action, gap = self._leader(
            Problem(past, len(past.b), self.domain, self.R, self.phi, self.eta, 0 * self.eta + 1)
        )
        self._move((action, past))
        self.gap = gap

    def _play(self, losses: Losses | Rounds, t: int, g: Array) -> None:
        self.see(rows(losses, t, t + 1) if isinstance(losses, Losses) else losses)

    def _leader(self, problem: Problem) -> tuple[Array, Any]:
        if not is_exact(self.phi):
            with np.errstate(all="ignore"):
                return minimiser(problem)
        with precision(BITS):
            x, radius, gap = enclosed_minimiser(problem)
            return np.array([middle + ball(0, r) for middle, r in zip(x, radius, strict=True)], dtype=object), gap
