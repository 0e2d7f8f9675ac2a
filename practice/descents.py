r"""How a task is run from a start: steps on the weights of n tasks at once, one row (n, d) for each.

A descent is asked to `start(n)` and gives a function (weights, gradients) -> None, which makes one step in place. Rates
that are learned come from `Aruba` and `Isotropic`; those that go on learning within a task are `Refinement`s of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners import Aruba

Step = Callable[[Array, Array], None]


class Rates:
    """Descent with one rate, or one for each coordinate."""

    def __init__(self, eta: Any) -> None:
        self.eta = eta

    def start(self, n: int) -> Step:
        """Steps of plain descent."""

        def step(w: Array, gradients: Array) -> None:
            w -= np.asarray(self.eta, w.dtype) * gradients

        return step


class Adam:
    r"""Adam without momentum ($\beta_1 = 0$, as in Reptile): $v \leftarrow \beta v + (1-\beta)\nabla^2$ for each
    coordinate, steps $-\eta\nabla/(\sqrt{v/(1-\beta^k)} + \delta)$.

    v and the number k of steps so far go on from task to task; of tasks side by side v is the mean at their `end`.
    """

    beta, delta = 0.999, 1e-8

    def __init__(self, rate: float, d: int) -> None:
        self.rate, self.k, self.v = rate, 0, np.zeros(d, np.float32)

    def start(self, n: int) -> Step:
        """Steps on rows that each have a v of their own."""
        self._rows, self._steps = np.tile(self.v, (n, 1)), self.k

        def step(w: Array, gradients: Array) -> None:
            self._steps += 1
            self._rows *= np.float32(self.beta)
            self._rows += np.float32(1 - self.beta) * gradients * gradients
            unbiased = self._rows / np.float32(1 - self.beta**self._steps)
            w -= np.float32(self.rate) * gradients / (np.sqrt(unbiased) + np.float32(self.delta))

        return step

    def end(self) -> None:
        """Keep what the tasks since `start` have learned."""
        self.v, self.k = self._rows.mean(axis=0), self._steps


class Refined:
    """ARUBA++: each task goes on from the learned state, on a copy of its own; `also` is added to its rates."""

    def __init__(self, rates: Aruba, c: float, also: Any = 0.0) -> None:
        self.rates, self.c, self.also = rates, c, also

    def start(self, n: int) -> Step:
        """Steps with the rates of now; each gradient enters those of the next."""
        tasks = [self.rates.refine(self.c) for _ in range(n)]

        def step(w: Array, gradients: Array) -> None:
            for k, task in enumerate(tasks):
                w[k] -= np.asarray(task.rates() + self.also, w.dtype) * gradients[k]
                task.see(gradients[k])

        return step
