r"""Claims proved by branch and bound: a path's gap rhs - lhs is >= 0 on every box that its steps leave.

A box is closed when no point of it can be on the path, or when the gap is >= 0 on it: by interval arithmetic, or by the
mean value form $f(c) + \nabla f(X)\cdot(X - c)$, both again where a variable in which the gap is monotone is put at the
end where the gap is least. Other boxes are halved. What the steps say of a node's range is used by clipping the node:
that changes nothing on the path, and is Lipschitz off it, where the centre and the points between may lie.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel
from arubatheory.prove.check_boxes import ONE, Box, roots, zeros
from arubatheory.prove.check_cells import ANY
from arubatheory.prove.intervals import OPERATIONS, added, differentiate, down, evaluate, misses, multiplied
from arubatheory.prove.program import Path, Program, masks_of
from arubatheory.prove.reductions import affine, scaled, shifts
from arubatheory.prove.symmetries import with_symmetries

BATCH = 4096
SMALLEST = 2.0**-30  # of a side, relative to the root's: a box that has become so thin remains
TINY = 2.0**-200
FAINT = 2.0**-20  # how much a variable that moves no gap counts in the choice of a side: steps may ask of it
MOST_CORNERS = 4
ROUNDS = 3  # in which variables are put at their ends
NEAR = 2  # sides that move the gap by more than one in so many of the most are tried ahead
STEEP = 256.0  # a slope beyond this counts as this in the choice of a side


class Search(NamedTuple):
    """What branch and bound left: of each root the halvings in preorder (-1: closed), how many boxes, what remains, and
    the least bound of the gap there."""

    splits: list[list[int]] | None
    boxes: int
    remains: list[list[list[float]]]
    bound: float


class Target(NamedTuple):
    """One path for the machine: its nodes (operation, operands, signs of the divisor), the ends of what is a number,
    the ends that steps give, the steps (node, mask), the gaps, and the nodes that are halved as variables are."""

    code: Array
    low: Array
    high: Array
    ends: Array
    steps: Array
    gaps: Array
    halved: Array


@kernel
def bounded(target: Target, gap: int, box: Array, work: Array, moves: Array) -> float:
    """A lower bound of a gap on a box whose intervals are in work[0] and work[1], and how much variables move it."""
    code, low, high, ends, variables = target.code, target.low, target.high, work[5], len(box) - target.halved.size
    slopes, put, bound = np.zeros_like(box), box, work[1, gap, 0]
    for round_ in range(ROUNDS):
        if bound >= 0:
            return bound
        differentiate(code, gap, ends, work, slopes)
        if round_ == 0:  # where all variables still move: steps may ask of those that are put at an end
            moves[:] = np.maximum(moves, np.maximum(np.abs(slopes[:, 0]), np.abs(slopes[:, 1])))
        put = pinned(put, slopes, variables)
        bound = max(bound, centred(target, gap, put, slopes, work))
        evaluate(code[: gap + 1], low, high, ends, put, work[0], work[1])
        bound = max(bound, work[1, gap, 0])
    for j in range(target.halved.size):
        n = target.halved[j]
        moves[variables + j] = max(moves[variables + j], -work[2, n, 0], work[2, n, 1])
    return bound


@kernel
def centred(target: Target, gap: int, box: Array, slopes: Array, work: Array) -> float:
    """A lower bound of a gap on a box: its value in the middle, and slopes times how far the box reaches."""
    middle = box.copy()
    for k in range(len(box) - target.halved.size):
        middle[k] = (box[k, 0] + box[k, 1]) / 2
    evaluate(target.code[: gap + 1], target.low, target.high, work[5], middle, work[3], work[4])
    bound = work[4, gap, 0]
    for k in range(len(box) - target.halved.size):
        if box[k, 0] < box[k, 1]:
            p, q = added(box[k, 0], box[k, 1], -middle[k, 0], -middle[k, 0])
            bound = down(bound + multiplied(slopes[k, 0], slopes[k, 1], p, q)[0])
    return bound


@kernel
def pinned(box: Array, slopes: Array, variables: int) -> Array:
    """The box with every variable in which the gap is monotone at the end where it is least: none where a slope is
    unknown, as the gap may have a pole there."""
    out = box.copy()
    for k in range(variables):
        if box[k, 0] < box[k, 1] and not (slopes[k, 0] > -np.inf and slopes[k, 1] < np.inf):
            return box
        if slopes[k, 0] >= 0:
            out[k, 1] = box[k, 0]
        elif slopes[k, 1] <= 0:
            out[k, 0] = box[k, 1]
    return out


@kernel
def judged(target: Target, box: Array, work: Array, moves: Array) -> float:
    """A lower bound of the gaps on a box, inf where no point of it is on the path; how much variables move them."""
    code, low, high, ends, variables = target.code, target.low, target.high, work[5], len(box) - target.halved.size
    ends[:] = target.ends
    for j in range(target.halved.size):
        ends[target.halved[j]] = box[variables + j]
    evaluate(code, low, high, ends, box, work[0], work[1])
    if excluded(target, ends, work[0]):
        return np.inf
    least = np.inf if target.gaps.size else -np.inf
    for k in range(target.gaps.size):
        if k:
            evaluate(code, low, high, ends, box, work[0], work[1])
        least = min(least, bounded(target, target.gaps[k], box, work, moves))
    return least


@kernel
def excluded(target: Target, ends: Array, raw: Array) -> bool:
    """Whether no point of a box is on the path, or has its nodes between the ends."""
    for k in range(target.steps.shape[0]):
        n = target.steps[k, 0]
        if misses(raw[n, 0], raw[n, 1], target.steps[k, 1]):
            return True
    for n in target.halved:
        if raw[n, 0] > ends[n, 1] or raw[n, 1] < ends[n, 0]:
            return True
    return False


@kernel
def judge_all(target: Target, boxes: Array, least: Array, moves: Array) -> None:
    """`judged` for each of the boxes (N, n, 2)."""
    work = np.empty((6, target.code.shape[0], 2))
    for i in range(boxes.shape[0]):
        least[i] = judged(target, boxes[i], work, moves[i])


@kernel
def look_ahead(target: Target, boxes: Array, sides: Array, least: Array) -> None:
    """How near to closed both halves of each box are together, by the sides that are tried; 0 where they are."""
    work, half, moves = np.empty((6, target.code.shape[0], 2)), np.empty_like(boxes[0]), np.empty(boxes.shape[1])
    for place in np.argwhere(sides):
        i, k = place[0], place[1]
        least[i, k] = 0.0
        for end in range(2):
            half[:] = boxes[i]
            half[k, end] = (half[k, 0] + half[k, 1]) / 2
            least[i, k] -= np.sqrt(max(-judged(target, half, work, moves), 0.0))


def target_of(program: Program, path: Path) -> tuple[Target, dict[int, int]]:
    """The path for the machine, and the mask of each node that a step asks of."""
    masks = masks_of(path)
    gaps = [program.binary("sub", right, left) for left, right in path.sides]
    order = program.below([*gaps, *masks])
    place = {n: k for k, n in enumerate(order)}
    code, numbers = np.zeros((len(order), 4), np.int64), np.zeros((2, len(order)))
    for k, n in enumerate(order):
        op, *at = program.nodes[n]
        if op == "const":
            numbers[:, k] = _around(at[0])
        else:
            operands = at if op == "var" else [place[m] for m in at]
            code[k, 1 : 1 + len(operands)] = operands
        code[k, 0], code[k, 3] = OPERATIONS.index(op), masks.get(at[-1], ANY) if op == "div" else ANY
    ends = np.tile(np.array([-np.inf, np.inf]), (len(order), 1))
    judge = Box(program, masks, [])
    for n, (low, high) in judge.ends.items():
        if n in place:
            ends[place[n]] = low if low == -np.inf else _float(low)[0], high if high == np.inf else _float(high)[1]
    steps = np.array([[place[n], mask] for n, mask in masks.items()], np.int64).reshape(-1, 2)
    halved = np.array([place[n] for n in judge.column if n in place], np.int64)
    tops = np.array([place[n] for n in gaps], np.int64)
    return Target(code, numbers[0], numbers[1], ends, steps, tops, halved), masks


def _around(q: Fraction) -> tuple[float, float]:
    """The floats around a rational number."""
    x = float(q)
    return x if x <= q else np.nextafter(x, -np.inf), x if x >= q else np.nextafter(x, np.inf)


def _float(k: int) -> tuple[float, float]:
    return _around(Fraction(k, ONE))


def search(target: Target, whole: list[Any], most: int, until: float) -> Search:
    """Halve the roots until all boxes are closed, `most` have been looked at, or the clock says `until`."""
    ends = [[[_float(low)[0], _float(high)[1]] for low, high in root] for root in whole]
    boxes = np.array(ends, dtype=float).reshape(len(whole), len(whole[0]), 2)
    boxes = np.concatenate((boxes, np.repeat(target.ends[None, target.halved], len(whole), axis=0)), axis=1)
    numbers, seen = np.arange(len(boxes)), len(boxes)
    widths = np.maximum(boxes[:, :, 1].max(axis=0) - boxes[:, :, 0].min(axis=0), TINY)
    splits: dict[int, int] = {}
    children: dict[int, int] = {}
    while len(numbers):
        part = slice(max(len(numbers) - BATCH, 0), None)
        own, taken, numbers, boxes = numbers[part], boxes[part], numbers[: part.start], boxes[: part.start]
        least, moves = np.empty(len(own)), np.zeros(taken.shape[:2])
        with np.errstate(all="ignore"):
            judge_all(target, taken, least, moves)
        open_ = ~(least >= 0)
        splits.update(dict.fromkeys(own[~open_].tolist(), -1))
        own, taken = own[open_], taken[open_]
        if not len(own):
            continue
        axis, thin = _axis(target, taken, moves[open_], widths)
        if thin or seen > most or time.process_time() > until:
            return Search(None, seen, taken[:4].tolist(), float(least[open_].min()))
        splits.update(zip(own.tolist(), axis.tolist(), strict=True))
        children.update(zip(own.tolist(), range(seen, seen + 2 * len(own), 2), strict=True))
        first, seen = seen + 2 * np.arange(len(own)), seen + 2 * len(own)
        numbers = np.concatenate((numbers, first, first + 1))
        boxes = np.concatenate((boxes, *_halves(taken, axis)))
    return Search([_preorder(splits, children, k) for k in range(len(whole))], seen, [], 0.0)


def _axis(target: Target, boxes: Array, moves: Array, widths: Array) -> tuple[Array, bool]:
    """The side that each box is halved along, and whether some box is too thin: of those that move the gap about as
    much as any, that after which least is open."""
    if not boxes.shape[1]:
        return np.zeros(len(boxes), np.int64), True
    sides = boxes[:, :, 1] - boxes[:, :, 0]
    thick, least = sides / widths > SMALLEST, np.full_like(sides, -np.inf)
    with np.errstate(all="ignore"):
        pull = np.where(thick, (np.minimum(np.nan_to_num(moves, nan=STEEP), STEEP) + FAINT) * sides, 0.0)
        near = thick & (pull >= pull.max(axis=1, keepdims=True) / NEAR)
        look_ahead(target, boxes, near, least)
    near &= least >= least.max(axis=1, keepdims=True)
    return np.argmax(np.where(near, pull, -1.0), axis=1), bool((~thick.any(axis=1)).any())


def _halves(boxes: Array, axis: Array) -> tuple[Array, Array]:
    rows, lower, upper = np.arange(len(boxes)), boxes.copy(), boxes.copy()
    middle = (boxes[rows, axis, 0] + boxes[rows, axis, 1]) / 2
    lower[rows, axis, 1], upper[rows, axis, 0] = middle, middle
    return lower, upper


def _preorder(splits: dict[int, int], children: dict[int, int], root: int) -> list[int]:
    found, waiting = [], [root]
    while waiting:
        number = waiting.pop()
        found.append(splits[number])
        if splits[number] >= 0:
            waiting += [children[number] + 1, children[number]]
    return found


def closed(program: Program, path: Path, most: int, until: float) -> tuple[dict[str, Any] | None, Search]:
    """The data of a proof that the gaps of a path are >= 0, or that nothing runs along it; None, and what remains."""
    path, used = with_symmetries(program, path)
    target, masks = target_of(program, path)
    gaps = [program.binary("sub", right, left) for left, right in path.sides]
    none = zeros(program, masks)
    scale = scaled(program, program.below([*gaps, *masks]), none)
    corners = [i for i in affine(program, gaps, list(masks)) if i not in none and i not in scale][:MOST_CORNERS]
    above = {one[0][0] for one in used if one[0][0] == one[0][2]}
    others = [i for i in program.variables([*gaps, *masks]) if i not in none and i not in scale and i not in corners]
    moved = shifts(program, [*gaps, *masks], others)
    found = search(target, roots(program, none, scale, corners, above, moved), most, until)
    if found.splits is None:
        return None, found
    return {"boxes": found.splits, "scale": scale, "corners": corners, "symmetries": used, "shifts": moved}, found
