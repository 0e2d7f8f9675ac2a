r"""Claims proved by branch and bound: a path's gap rhs - lhs is >= 0 on every box that its steps leave.

A box is closed when no point of it can be on the path, or when the gap is >= 0 on it: by interval arithmetic, or by the
mean value form $f(c) + \nabla f(X)\cdot(X - c)$, both again where a variable in which the gap is monotone is put at the
end where the gap is least. Other boxes are halved.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.prove.intervals import Boxed, Interval, add, down, misses, mul, sub, up
from arubatheory.prove.program import ANY, Path, Program

BATCH = 2048
SMALLEST = 2.0**-30  # of a side, relative to the root's: a box that has become so thin remains


class Search(NamedTuple):
    """What branch and bound left: the halvings in preorder (-1: closed), how many boxes, what remains, its bound."""

    splits: list[int] | None
    boxes: int
    remains: list[list[tuple[float, float]]]
    bound: float


class Target:
    """One path, its gaps, and a root box."""

    def __init__(self, program: Program, path: Path) -> None:
        self.program, self.path = program, path
        self.gaps = [program.binary("sub", r, l) for l, r in path.sides]
        self.masks: dict[int, int] = {}
        for step in path.steps:
            self.masks[step.node] = self.masks.get(step.node, ANY) & step.mask
        self.order = program.needed([*self.gaps, *self.masks])
        self.outer = program.needed(self.gaps)

    def _excluded(self, seen: Boxed) -> Array:
        gone = np.zeros(len(seen.box[0]), dtype=bool)
        for n, mask in self.masks.items():
            gone |= misses(seen.raw[n], mask)
        return gone

    def judged(self, box: Interval) -> tuple[Array, Array, Array]:
        """Of each box: whether it is closed, a lower bound of the gap, and how much each variable moves the gap."""
        seen = Boxed(self.program, self.order, self.masks, box, slopes=True)
        with np.errstate(all="ignore"):
            closed = self._excluded(seen)
            least = np.full(len(closed), np.inf)
            moves = np.zeros(box[0].shape)
            for gap in self.gaps:
                bound, slopes = self._bound(seen, gap, box)
                pinned = pinned_at(box, slopes)
                again = Boxed(self.program, self.order, self.masks, pinned, slopes=True)
                bound = np.fmax(bound, self._bound(again, gap, pinned)[0])
                least = np.minimum(least, bound)
                if slopes is not None:
                    moves = np.maximum(moves, np.nan_to_num(np.maximum(abs(slopes[0]), abs(slopes[1])), posinf=1e9))
        return closed | ((least >= 0) if self.gaps else False), least, moves

    def _bound(self, seen: Boxed, gap: int, box: Interval) -> tuple[Array, Interval | None]:
        natural, slopes = seen.values[gap][0], seen.gradients[gap]
        if slopes is None:
            return natural, None
        middle = (box[0] + box[1]) / 2
        centre = Boxed(self.program, self.outer, {}, (middle, middle), slopes=False).values[gap]
        change = mul(slopes, sub(box, (middle, middle)))
        bound = centre[0]
        for k in range(box[0].shape[1]):
            bound = down(bound + change[0][:, k])
        return np.fmax(natural, bound), slopes


def pinned_at(box: Interval, slopes: Interval | None) -> Interval:
    """The box with every variable in which the gap rises at its low end, and in which it falls at its high one."""
    if slopes is None:
        return box
    rises, falls = slopes[0] >= 0, slopes[1] <= 0
    return np.where(falls & ~rises, box[1], box[0]), np.where(rises, box[0], box[1])


def search(target: Target, root: list[tuple[float, float]], most: int, until: float) -> Search:
    """Halve boxes until all are closed, `most` have been looked at, or the clock says `until`."""
    low, high = (np.array([[end[k] for end in root]], dtype=float) for k in (0, 1))
    width = np.where(high[0] > low[0], high[0] - low[0], 1.0)
    numbers, waiting = np.array([0]), [(np.array([0]), low, high)]
    splits: dict[int, int] = {}
    seen, worst = 1, np.inf
    children: dict[int, int] = {}
    while waiting:
        numbers, low, high = waiting.pop()
        if len(numbers) > BATCH:
            waiting.append((numbers[BATCH:], low[BATCH:], high[BATCH:]))
            numbers, low, high = numbers[:BATCH], low[:BATCH], high[:BATCH]
        closed, least, moves = target.judged((low, high))
        splits.update(dict.fromkeys(numbers[closed].tolist(), -1))
        low, high, numbers, least = low[~closed], high[~closed], numbers[~closed], least[~closed]
        if not len(numbers):
            continue
        part = (high - low) / width
        axis = np.argmax(np.where(part > SMALLEST, (moves[~closed] + 1e-6) * (high - low), -1.0), axis=1)
        thin = part.max(axis=1) <= SMALLEST
        if thin.any() or seen > most or time.monotonic() > until:
            left = [list(zip(a.tolist(), b.tolist(), strict=True)) for a, b in zip(low[:4], high[:4], strict=True)]
            return Search(None, seen, left, float(np.min(least)))
        rows = np.arange(len(numbers))
        middle = (low[rows, axis] + high[rows, axis]) / 2
        upper, lower = low.copy(), high.copy()
        upper[rows, axis], lower[rows, axis] = middle, middle
        for number, k, child in zip(numbers.tolist(), axis.tolist(), range(seen, seen + 2 * len(rows), 2), strict=True):
            splits[number], children[number] = k, child
        first = seen + 2 * rows
        seen += 2 * len(rows)
        waiting.append((np.concatenate([first, first + 1]), np.concatenate([low, upper]), np.concatenate([lower, high])))
    return Search(_preorder(splits, children), seen, [], 0.0)


def _preorder(splits: dict[int, int], children: dict[int, int]) -> list[int]:
    found, waiting = [], [0]
    while waiting:
        number = waiting.pop()
        found.append(splits[number])
        if splits[number] >= 0:
            waiting += [children[number] + 1, children[number]]
    return found
