r"""A learner as state: it has an `action`, and is told the gradient or the loss of each round by `see`.

>>> import numpy as np
>>> from arubatheory.learners import OMD
>>> from arubatheory.problems.domains import ball
>>> from arubatheory.problems.regularizers import euclidean
>>> learner = OMD(ball(np.zeros(2), 1.0), euclidean(2), np.zeros(2), eta=0.5).start()
>>> for target in ([1.0, 0.0], [0.0, 1.0]):
...     learner.see(learner.action - target)
>>> learner.action.tolist(), learner.round
([0.25, 0.5], 2)

`play` is the same round by round on a whole sequence, for losses, domains and regularisers of any kind.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.learners.compiled_rounds import played_compiled
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses, numbers
from arubatheory.problems.numbers import real, zeros_like
from arubatheory.problems.own.rounds import AnyLosses, Rounds, count, observe
from arubatheory.problems.own.steps import AnyDomain, start_in
from arubatheory.problems.signatures import typed


class Learner:
    r"""What every learner has: `domain`, `phi` (where it starts, in whose arithmetic it computes), `round` (how many it
    has seen), and what it remembers in `memory`. It pickles and copies, and no call that raises has changed it."""

    round: int
    domain: Any
    R: Any
    memory: Any
    gap: Any = 0  # by how much the action may miss the least value, of learners that look for one
    _action: Array

    def __init__(self, domain: AnyDomain, phi: Any) -> None:
        self.domain, self.phi = domain, start_in(domain, phi)

    def _real(self, name: str, value: Any, **bounds: Any) -> Any:
        """A number in the arithmetic of phi."""
        return real(name, value, in_exact=is_exact(self.phi), **bounds)

    def _reset(self) -> None:
        self.round, self.memory = 0, self._blank()
        self._action = self._first()

    def _blank(self) -> Any:
        """What is remembered before the first round."""
        return ()

    def _first(self) -> Array:
        """The action of the first round."""
        return self.phi

    def _next(self, g: Array) -> tuple[Array, Any]:
        """The action after a gradient (d,), and what is remembered then."""
        raise NotImplementedError

    def start(self) -> Self:
        """A learner of the same parameters before its first round."""
        fresh = copy.copy(self)
        fresh._reset()
        return fresh

    @property
    def action(self) -> Array:
        r"""$\theta_t$ (d,), of the round that comes next; an array of its own."""
        return self._action.copy()

    def see(self, seen: Any) -> None:
        r"""The round that was played: its gradient $\nabla_t$ at the action (d,), or its loss, a `Losses` or a `Rounds`
        of one.

        Raises ValueError or TypeError naming `seen` for another shape, NaN, infinities and another arithmetic;
        OverflowError where the action leaves the range of float64.
        """
        self._move(self._next(self._gradient(seen)))

    def _gradient(self, seen: Any) -> Array:
        if isinstance(seen, AnyLosses):
            if count(seen) != 1:
                raise ValueError(f"seen must be the loss of one round, got {count(seen)} of them")
            if isinstance(seen, Losses) and (seen.a.shape[1:], is_exact(seen.a)) != (
                self.phi.shape,
                is_exact(self.phi),
            ):
                raise ValueError(f"seen must have dimension {self.phi.size} in the arithmetic of phi, got {seen!r}")
            return observe(seen, 0, self._action)[1]
        g = numbers("seen", seen, is_exact(self.phi))
        if g.shape != self.phi.shape:
            raise ValueError(f"seen must have shape {self.phi.shape}, got {g.shape}: {seen!r}")
        return g

    def _compiled(self, losses: Rounds) -> tuple[Any, Any, Array] | None:
        """The kernel of its update, R and the rates, where it has one (see `compiled_rounds`)."""
        return None

    def _play(self, losses: AnyLosses, t: int, g: Array) -> None:
        """After round t of a sequence, in which the gradient was g."""
        self._move(self._next(g))

    def _move(self, moved: tuple[Array, Any]) -> None:
        self._action, self.memory, self.round = self._finite(moved[0]), moved[1], self.round + 1

    def _finite(self, action: Array) -> Array:
        if not is_exact(action) and not np.isfinite(action).all():
            raise OverflowError(f"{type(self).__name__} left the range of float64 in round {self.round}: {action!r}")
        return action


@typed
def play(learner: Learner, losses: AnyLosses, *, actions: bool = True) -> Trajectory:
    """What a learner plays on a whole sequence from its first round on; it is not changed. Without `actions` only the
    values are kept.

    Raises ValueError for losses of another dimension or arithmetic, and what the learner and the functions raise.
    """
    state, m, phi = learner.start(), count(losses), learner.phi
    if isinstance(losses, Losses) and (
        losses.a.shape != (m, phi.size) or m == 0 or is_exact(losses.a) != is_exact(phi)
    ):
        raise ValueError(f"losses must be of shape (m, {phi.size}) in the arithmetic of phi, got {losses.a.shape}")
    if (quick := played_quickly(state, losses, actions)) is not None:
        return quick
    rows, values, gaps = zeros_like((m if actions else 0, phi.size), phi), zeros_like(m, phi), zeros_like(m, phi)
    with np.errstate(all="ignore"):  # what overflows is looked for in the results
        for t in range(m):
            gaps[t] = gaps[t] + state.gap
            values[t], g = observe(losses, t, state._action)
            if actions:
                rows[t] = state._action
            if t + 1 < m:
                state._play(losses, t, g)
    return finite(type(learner).__name__, Trajectory(rows, values, gaps))


def played_quickly(learner: Learner, losses: AnyLosses, actions: bool, ask: bool = True) -> Trajectory | None:
    """`play` in one compiled loop, where functions and learner allow it (`ask` whether the functions are compiled)."""
    if not isinstance(losses, Rounds) or (ask and not losses.is_compiled) or is_exact(learner.phi):
        return None
    fast = learner._compiled(losses) if isinstance(learner.domain, Domain) else None
    if fast is None or losses.dimension not in (None, learner.phi.size):
        return None
    m, start = len(losses), learner._first()
    found = played_compiled(fast[0], losses, learner.domain, *fast[1:], learner.phi, start, m if actions else 0)
    return None if found is None else Trajectory(*found, np.zeros(m))


def played_as_functions(learner: Learner, losses: AnyLosses, actions: bool, out: Any) -> Trajectory:
    """`play` for the whole-sequence forms, which write to arrays of a caller's only where kernels do."""
    if out is not None:
        raise ValueError(f"out must be None for losses or domains of one's own, got {out!r}")
    return play(learner, losses, actions=actions)
