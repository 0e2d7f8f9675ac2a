r"""Learners of sums as state: EWOO and $\varepsilon$-EWOO, $\varepsilon$-FTL, and the leader of Bregman divergences.

| class | `see` takes | whole sequence |
|---|---|---|
| `EWOO` | a function of points of the interval, or a `Losses` or `Curves` of one | `ewoo` |
| `EpsEWOO` | $B_t$ and $\alpha_t$ | `eps_ewoo` |
| `EpsFTL` | $B_t$ and $\alpha_t$ | `eps_ftl` |
| `BregmanFTL` | $\theta_t$ and $\alpha_t$ | `bregman_ftl` |

All but `EWOO` are $O(d)$ a round. Actions are (d,), those on an interval (1,).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, exact, is_exact
from arubatheory.kernel import on
from arubatheory.learners.eps_ftl import within
from arubatheory.learners.ewoo import action_after, add_size, mean_of_sums, scalar_game
from arubatheory.learners.running_means import mean_after, scaling, summed
from arubatheory.learners.stepped import Learner
from arubatheory.problems.curves import Curves
from arubatheory.problems.domains import interval, space
from arubatheory.problems.losses import Losses, numbers, rows, stack
from arubatheory.problems.numbers import as_vector, real, zeros_like
from arubatheory.problems.own.rounds import AnyLosses, Rounds


class EWOO(Learner):
    r"""`ewoo` as state, on [low, high] for $\gamma$-exp-concave losses; errors as there."""

    def __init__(self, gamma: float, low: float, high: float) -> None:
        self.gamma, low, high = real("gamma", gamma, above=0), real("low", low), real("high", high)
        if low > high:
            raise ValueError(f"high must be >= low, got low={low!r}, high={high!r}")
        super().__init__(interval(low, high), [low + (high - low) / 2])
        self._reset()

    def see(self, seen: Any) -> None:
        """The loss of the round that was played: a function that maps points (k,) to values (k,), or a `Losses` of
        dimension 1 or `Curves` of one. TypeError for another kind than before."""
        past = self._after(seen)
        low, high = (float(end[0]) for end in (self.domain.low, self.domain.high))
        try:
            action = action_after(past, self.gamma, low, high)
        except (TypeError, ValueError) as error:
            raise ValueError(f"seen must map points (k,) to numbers (k,), got {seen!r}: {error}") from error
        self._move((np.array([action]), past))

    def _after(self, seen: Any) -> Any:
        if not callable(seen) and not (isinstance(seen, Losses | Curves) and len(seen[1]) == 1):
            raise TypeError(f"seen must be a function, or a Losses or Curves of one round, got {seen!r}")
        kind = tuple if callable(seen) else type(seen)
        if self.round and type(self.memory) is not kind:
            raise TypeError(f"seen must be of one kind in all rounds, got {seen!r}")
        if callable(seen):
            return (*self.memory, seen)
        if not self.round:
            return seen
        if isinstance(seen, Losses):
            return stack([self.memory, seen])
        return Curves(*map(np.concatenate, zip(self.memory, seen, strict=True)))

    def _play(self, losses: AnyLosses, t: int, g: Array) -> None:
        if isinstance(losses, Rounds):
            raise TypeError(f"losses must be a Losses for EWOO, or be shown to it one by one, got {losses!r}")
        self.see(rows(losses, t, t + 1))


class _Means(Learner):
    """What is remembered: block sums of weighted points (3, d + 1), and the scale of the weights."""

    def _blank(self) -> tuple[Array, Any]:
        return zeros_like((3, self.phi.size + 1), self.phi), None

    def _mean(self, point: Array, weight: Any) -> tuple[Array, tuple[Array, Any]]:
        sums, scale = self.memory
        sums, means, weights = sums.copy(), zeros_like((2, self.phi.size), self.phi), zeros_like(1, self.phi)
        weights[0] = weight
        if scale is None:
            scale = on(scaling, self.phi)(weight)
        scale = on(mean_after, self.phi)(sums, scale, point.reshape(1, -1), weights, 0, self.round, means)
        return means[1], (sums, scale)


class BregmanFTL(_Means):
    r"""`bregman_ftl` as state: $\phi_{t+1} = \sum_{s\le t}\alpha_s\theta_s/\alpha_{1:t}$ from $\phi_1$ = `first` (d,),
    in whose arithmetic it computes."""

    def __init__(self, first: Any) -> None:
        start = as_vector("first", first)
        over = space(start.size)
        super().__init__(exact(over) if is_exact(start) else over, start)
        self._reset()

    def see(self, point: Any, alpha: Any = 1) -> None:
        r"""$\theta_t$ (d,) and $\alpha_t > 0$; errors as of `bregman_ftl`."""
        theta = numbers("point", point, is_exact(self.phi))
        if theta.shape != self.phi.shape:
            raise ValueError(f"point must have shape {self.phi.shape}, got {theta.shape}: {point!r}")
        with np.errstate(all="ignore"):
            self._move(self._mean(theta, self._real("alpha", alpha, above=0)))


class EpsFTL(_Means):
    r"""`eps_ftl` as state, on $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$ from $x_1$ = `first`, by default the upper
    end; errors as there."""

    def __init__(self, D: float, eps: float, first: float | None = None) -> None:
        _, _, self.D, self.eps, hi = scalar_game(0.0, 1.0, D, eps)
        start = hi if first is None else real("first", first, above=0)
        if not self.eps <= start <= hi:
            raise ValueError(f"first must lie in [eps, sqrt(D^2 + eps^2)] = [{self.eps!r}, {hi!r}], got {first!r}")
        super().__init__(interval(self.eps, hi), [start])
        self._reset()

    def see(self, B: float, alpha: float = 1.0) -> None:
        r"""$B_t \in [0, D]$ and $\alpha_t > 0$ of the round that was played."""
        hi = float(self.domain.high[0])
        size = real("B", B, least=0, most=self.D) / hi
        mean, memory = self._mean(np.array([size * size]), real("alpha", alpha, above=0))
        floor = (self.eps / hi) * (self.eps / hi)
        self._move((np.array([within(hi * math.sqrt(mean[0] + floor), self.eps, hi)]), memory))


class EpsEWOO(Learner):
    r"""`eps_ewoo` as state, for a `gamma` that is given, over $[\varepsilon, \sqrt{D^2 + \varepsilon^2}]$ (`domain=
    "appendix"`) or from 0 on ("main"); errors as there."""

    def __init__(self, D: float, eps: float, gamma: float, domain: str = "appendix") -> None:
        if not isinstance(domain, str) or domain not in ("appendix", "main"):
            raise ValueError(f"domain must be 'appendix' or 'main', got {domain!r}")
        _, _, self.D, self.eps, hi = scalar_game(0.0, 1.0, D, eps)
        self.gamma, low = real("gamma", gamma, above=0), self.eps if domain == "appendix" else 0.0
        super().__init__(interval(low, hi), [low + (hi - low) / 2])
        self._reset()

    def _blank(self) -> Array:
        return np.zeros((3, 2))

    def _first(self) -> Array:
        return self._at(self.memory)

    def _at(self, sums: Array) -> Array:
        return np.array([mean_of_sums(sums, float(self.domain.low[0]), float(self.domain.high[0]))])

    def see(self, B: float, alpha: float = 1.0) -> None:
        r"""$B_t \in [0, D]$ and $\alpha_t > 0$ of the round that was played."""
        size, weight, hi = real("B", B, least=0, most=self.D), real("alpha", alpha, above=0), float(self.domain.high[0])
        sums, unit = self.memory.copy(), (self.eps / hi) * (self.eps / hi)
        with np.errstate(all="ignore"):
            add_size(sums, size / hi, self.gamma * hi * weight, unit, self.round)
        if not summed(sums, 1) < math.inf:
            raise OverflowError(f"EpsEWOO left the range of float64 in round {self.round}: gamma or alpha is too large")
        self._move((self._at(sums), sums))
