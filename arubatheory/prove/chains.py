r"""Claims of many variables, proved stage by stage: what `check_chains` verifies, found by dynamic programming.

A game of many rounds has too many variables for boxes, but what a round knows of those before it may be a number, a
scale and the sum of what was paid. The variables are put in the order in which they are used; where the nodes that are
used later are a number y with ends and $N\ge0$ at most, the path is cut. On samples of each stage, from the first to
the last, the least of what the terms add up to is seen as a function of y, and bounded from below by pieces that are
affine. Boxes then prove each stage. Stages that are the same claim are one, on whatever path they are.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import arubatheory.prove.boxes as boxes
from arubatheory.arithmetic import Array
from arubatheory.prove.check_boxes import ONE, check_scale, roots, zeros
from arubatheory.prove.check_cells import NEGATIVE, Rejected
from arubatheory.prove.check_chains import FROM, NOWHERE, TO, Chain, Row, Stage, Y, ends_of, placed
from arubatheory.prove.check_slopes import Builder
from arubatheory.prove.program import Path, Program, Turn, floats, masks_of
from arubatheory.prove.reductions import affine, scaled

MANY = 5  # variables, which are too many for boxes
ROWS = 16  # of a table
SAMPLES = 14  # binary digits of the number of samples of a face
ENDS = 0.15  # of these have a variable at an end
FINE = 1 << 30  # what numbers of a table are whole multiples of, in parts
MOST_BOXES = 200_000  # of a stage
NEVER = Fraction(-1000)  # claimed of where no sample leads
PARTS = 8  # of a row, whose largest values give its slope
EDGE = 1 / 64  # of a row, by which samples beside it count
FEW, RADII = 32, (1 / 8, 1 / 64)  # samples near another one, and how near
NOTHING = np.array([0, 0, -np.inf, np.inf])  # a row that claims nothing
NEAR = 1 / 512  # of 0 is what counts as 0, so that boxes on a step's edge need not be thin


class Leg(NamedTuple):
    """A stage between two cuts, by their numbers; -1 before the first and after the last."""

    before: int
    after: int
    stage: Stage


class Legs:
    """The cuts and stages of all paths of a cell, each once."""

    def __init__(self) -> None:
        self.cuts: dict[Any, int] = {}
        self.left: list[int] = []
        self.ends: list[Any] = []
        self.legs: dict[Any, int] = {}
        self.found: list[Leg] = []

    def add(self, chain: Chain, choice: int) -> list[int]:
        """The numbers of a path's stages."""
        stages, at, numbers = [chain.stage(k) for k in range(len(chain.stages))], -1, []
        for k, stage in enumerate(stages):
            after = -1 if k == len(chain.cuts) else self._cut(chain, k, choice)
            key = at, after, stage.key
            if key not in self.legs:
                self.legs[key] = len(self.found)
                self.found.append(Leg(at, after, stage))
            numbers.append(self.legs[key])
            at = after
        return numbers

    def _cut(self, chain: Chain, k: int, choice: int) -> int:
        """Paths share a cut where as many variables lie behind it, y has the same ends and what is paid next is one."""
        ends, left = ends_of(chain, k), sum(map(len, chain.stages[k + 1 :]))
        plan = {**chain.plan, "cuts": chain.cuts[: k + 1]}
        ahead = Chain(chain.cell, chain.sides, {}, plan, chain.fixed).stage(k + 1)
        key = choice, left, ends, chain.cut(k)[0] >= 0, tuple(ahead.lines.nodes)
        if key not in self.cuts:
            self.cuts[key] = len(self.cuts)
            self.left.append(left)
            self.ends.append(ends)
        return self.cuts[key]


# where a path is cut -------------------------------------------------------------------------------------------------
def plan_of(program: Program, cell: Builder, path: Path) -> dict[str, Any] | None:
    """The stages of a path, its cuts, and what is fixed or scaled; None where it has no cut."""
    masks = masks_of(path)
    (left, right), none = path.sides[0], zeros(program, masks)
    order = program.below([program.binary("sub", right, left), *masks])
    scale = scaled(program, order, none)
    corners = [i for i in affine(program, [left, right], list(masks)) if i not in none and i not in scale]
    try:
        powers = check_scale(program, order, scale, none)
    except Rejected:
        return None
    plan: dict[str, Any] = {"corners": corners[: boxes.MOST_CORNERS], "scale": scale}
    plan["power"] = _whole(powers.get(right, 0)) or 0
    free = [i for i in _first_used(program, order) if i not in none and i not in plan["corners"]]
    if len(free) < MANY:
        return None
    fixed = dict.fromkeys([*none, *plan["corners"]], Fraction(0))
    fine = Chain(cell, path.sides, masks, {**plan, "stages": [[i] for i in free], "cuts": []}, fixed)
    stages, cuts = list[list[int]]([[]]), list[list[int]]()
    for k, i in enumerate(free):
        stages[-1].append(i)
        if k < len(free) - 1 and (cut := _cut_after(fine, masks, k, powers)):
            cuts.append(cut)
            stages.append([])
    return {**plan, "stages": stages, "cuts": cuts} if cuts else None


def _whole(power: Any) -> int | None:
    return int(power) if power is not None and power in (0, 1, 2) else None


def _first_used(program: Program, order: Sequence[int]) -> list[int]:
    """The variables, in the order in which they are used."""
    found = dict[int, int]()
    for n in order:
        for m in program.operands(n):
            if program.nodes[m][0] == "var":
                found.setdefault(program.nodes[m][1], n)
    return list(found)


def _cut_after(fine: Chain, masks: dict[int, int], k: int, powers: dict[int, Any]) -> list[int] | None:
    """[y, N, p] where all that later nodes ask of the variables before a cut is y and N."""
    late, wanted = fine.late, [*masks, *(n for _, n in fine.terms)]
    used = {m for n in fine.cell.below(wanted) if late[n] > k for m in fine.cell.operands(n) if 0 <= late[m] <= k}
    used = {_bare(fine, n) for n in used}
    scales = [n for n in used if powers.get(n, 0)]
    numbers = [n for n in used if n not in scales]
    if len(scales) > 1 or len(numbers) > 1 or (fine.power and not scales):
        return None
    y, scale = (numbers or [-1])[0], (scales or [-1])[0]
    power = _whole(powers[scale]) if scale >= 0 else 1
    if not power or (scale >= 0 and fine.cell.signs([scale], masks)[scale] & NEGATIVE):
        return None
    plan = {"stages": fine.stages, "cuts": [[y, scale, power]], "power": 0, "scale": fine.scale}
    low, high = ends_of(Chain(fine.cell, fine.sides, masks, plan, fine.fixed), 0)
    return [y, scale, power] if -np.inf < low <= high < np.inf else None


def _bare(fine: Chain, n: int) -> int:
    """What a node is computed from, where beside that there are numbers only."""
    while len(rest := [m for m in fine.cell.operands(n) if fine.late[m] >= 0]) == 1:
        n = rest[0]
    return n


# tables --------------------------------------------------------------------------------------------------------------
def sampled(stage: Stage, before: Sequence[Row]) -> tuple[Array, Array, Array]:
    """Points of a stage (variables, points) after rows of the table before it, and the ends between which each may be
    moved; nothing is claimed after the stage."""
    found = list[tuple[Array, Array, Array]]()
    rows = np.array([row for row in before if row[2] > NEVER] or before, dtype=float)
    for face in roots(stage.lines, set(), stage.scale, [])[bool(stage.scale) :]:
        some = _spread(len(face) + 1)
        t, row = np.clip(some[1:] * (1 + 2 * ENDS) - ENDS, 0, 1), rows[(some[0] * len(rows)).astype(int)]
        ends = (np.array(end, dtype=float)[:, None] / ONE for end in zip(*face, strict=True))
        low, high = (np.repeat(end, t.shape[1], axis=1) for end in ends)
        for end, column in ((low, 0), (high, 1)):
            end[Y], end[FROM, :], end[TO, :] = row[:, column], row[:, 2:].T, NOTHING[:, None]
        found.append((low + np.where(low < high, high - low, 0) * t, low, high))
    points, low, high = (np.concatenate(part, axis=1) for part in zip(*found, strict=True))
    return points, low, high


def around(points: Array, low: Array, high: Array, radius: float) -> tuple[Array, Array, Array]:
    """Points near some, within their ends."""
    shift = np.where(low < high, high - low, 0)[:, :, None] * radius * (_spread(len(points))[:, None, :FEW] - 0.5)
    low, high = (np.repeat(end, FEW, axis=1) for end in (low, high))
    return np.clip((points[:, :, None] + shift).reshape(len(points), -1), low, high), low, high


def _spread(d: int) -> Array:
    """Points that fill the unit cube evenly: multiples of powers of the root of x^(d + 1) = x + 1, modulo 1."""
    x = 2.0
    for _ in range(60):
        x = (1 + x) ** (1 / (d + 1))
    return np.outer(x ** -np.arange(1.0, d + 1), np.arange(1 << SAMPLES)) % 1


def valued(stage: Stage, points: Array, near: float = NEAR) -> Array:
    """The gap of a stage at points; NaN further off the path than `near`."""
    values = floats(stage.lines, [stage.gap, *stage.facts], points)
    out = values[stage.gap].copy()
    for n, mask in stage.facts.items():
        x = values[n]
        low, high = (-np.inf if mask & 1 else -near), (np.inf if mask & 4 else near)
        out[~((low <= x) & (x <= high))] = np.nan
    return out


def paid(stage: Stage, points: Array) -> tuple[Array, Array]:
    """What a table after a stage must claim at points: numbers y, and the least values of a + b y; after the last stage
    0 and how far the gap is below 0. NaN off the path."""
    gap, slopes = valued(stage, points), list[Array]()
    for k in TO[:2]:
        points[k] = 1
        slopes.append(valued(stage, points) - gap)
        points[k] = 0
    if not np.nanmax(slopes[0], initial=0.0):
        return np.zeros_like(gap), -gap
    slopes[0][slopes[0] <= 0] = np.nan
    return slopes[1] / slopes[0], -gap / slopes[0]


def needed_after(stage: Stage, before: Sequence[Row]) -> tuple[Array, Array]:
    """What a table after a stage must claim, at samples, and then at more near those where that is most."""
    parts, found = sampled(stage, before), list[tuple[Array, Array]]()
    for radius in (*RADII, 0.0):
        y, value = paid(stage, parts[0])
        kept = np.isfinite(y) & np.isfinite(value)
        y, value, parts = y[kept], value[kept], (parts[0][:, kept], parts[1][:, kept], parts[2][:, kept])
        found.append((y, value))
        if not radius or not len(y):
            break
        best = np.union1d(_best(y, value), _best(parts[0][Y], value))
        parts = around(parts[0][:, best], parts[1][:, best], parts[2][:, best], radius)
    y, value = (np.concatenate(part) for part in zip(*found, strict=True))
    return y, value


def _best(x: Array, value: Array) -> Array:
    """Of each of some parts of the range of x the place of the largest value."""
    part = np.floor((x - x.min()) / (np.ptp(x) or 1.0) * ROWS * PARTS)
    order = np.lexsort((value, part))
    return order[np.append(np.diff(part[order]) > 0, True)]


def rows_of(y: Array, value: Array, ends: tuple[Fraction, Fraction], more: float) -> list[Row]:
    """A table above all values, by `more`."""
    if ends[0] == ends[1]:
        return [(*ends, _up(value.max() + more) if len(value) else NEVER, Fraction(0))]
    knots = [ends[0] + (ends[1] - ends[0]) * Fraction(k, ROWS) for k in range(ROWS + 1)]
    return [(low, high, *_line(y, value, low, high, more)) for low, high in itertools.pairwise(knots)]


def _line(y: Array, value: Array, low: Fraction, high: Fraction, more: float) -> tuple[Fraction, Fraction]:
    """A line above the values between two numbers, with the slope of the largest values of its parts."""
    edge = float(high - low) * EDGE
    kept = (y >= float(low) - edge) & (y <= float(high) + edge)
    if not kept.any():
        return NEVER, Fraction(0)
    y, value = y[kept], value[kept]
    part, top = np.clip((y - float(low)) / float(high - low) * PARTS, 0, PARTS - 1).astype(int), np.full(PARTS, -np.inf)
    np.maximum.at(top, part, value)
    best = np.flatnonzero(value == top[part])
    slope = np.polyfit(y[best], value[best], 1)[0] if np.ptp(y[best]) > edge else 0.0
    b = Fraction(round(slope * FINE), FINE)
    return _up((value - float(b) * y).max() + more), b


def _up(x: Any) -> Fraction:
    return Fraction(math.ceil(float(x) * FINE), FINE)


def tables_of(legs: Legs, until: float) -> list[list[Row]] | None:
    """Tables that samples agree with, with half of the room that is left shared out; None without room or time."""
    _, room = _tables(legs, 0.0, until)
    tables, room = _tables(legs, room / 2 / (len(set(legs.left)) + 1), until) if room > 0 else ([], 0.0)
    return tables if room > 0 else None


def _tables(legs: Legs, more: float, until: float) -> tuple[list[list[Row]], float]:
    tables: dict[int, list[Row]] = {-1: NOWHERE}
    for cut in sorted(range(len(legs.left)), key=lambda cut: -legs.left[cut]):
        if time.process_time() > until:
            return [], 0.0
        into = [needed_after(leg.stage, tables[leg.before]) for leg in legs.found if leg.after == cut]
        y, value = (np.concatenate(part) for part in zip(*into, strict=True))
        tables[cut] = rows_of(y, value, legs.ends[cut], more)
    last = [needed_after(leg.stage, tables[leg.before])[1] for leg in legs.found if leg.after < 0]
    room = -max((float(values.max()) for values in last if len(values)), default=0.0)
    return [tables[cut] for cut in range(len(legs.left))], room


# proofs --------------------------------------------------------------------------------------------------------------
def halvings(leg: Leg, tables: list[list[Row]], until: float) -> list[list[int]] | None:
    """The halvings that close a stage; None where it stays open."""
    stage, program = leg.stage, Program()
    program.nodes, program.ranges = list(stage.lines.nodes), list(stage.lines.ranges)
    turns = tuple(Turn(n, mask, False) for n, mask in stage.facts.items())
    path = Path(turns, ((program.number(Fraction(0)), stage.gap),), "")
    before, after = (NOWHERE if k < 0 else tables[k] for k in (leg.before, leg.after))
    given = placed(roots(stage.lines, set(), stage.scale, []), before, after)
    return boxes.search(boxes.target_of(program, path)[0], given, MOST_BOXES, until).splits


def proved(program: Program, paths: Sequence[Path], until: float) -> tuple[dict[int, Any], dict[str, Any]]:
    """Proofs of those paths, by their places, that are closed stage by stage, and what they share."""
    cell, legs, plans = program.lines(), Legs(), dict[int, Any]()
    for place, path in enumerate(paths):
        if len(path.sides) == 1 and (plan := plan_of(program, cell, path)) is not None:
            plans[place] = {**plan, "moves": list(_moves(program, cell, path, plan, legs))}
    with np.errstate(all="ignore"):
        tables = tables_of(legs, until) if plans else None
    if tables is None:
        return {}, {}
    closed = [halvings(leg, tables, until) for leg in legs.found]
    moves = [{"before": k.before, "after": k.after, "boxes": b} for k, b in zip(legs.found, closed, strict=True)]
    whole = {k: {"chain": p} for k, p in plans.items() if all(closed[m] is not None for one in p["moves"] for m in one)}
    return whole, {"tables": [[[str(x) for x in row] for row in rows] for rows in tables], "moves": moves}


def _moves(program: Program, cell: Builder, path: Path, plan: Any, legs: Legs) -> Iterator[list[int]]:
    masks = masks_of(path)
    none = zeros(program, masks)
    for choice, ends in enumerate(itertools.product(*(dict.fromkeys(program.ranges[i]) for i in plan["corners"]))):
        fixed = {**dict.fromkeys(none, Fraction(0)), **dict(zip(plan["corners"], ends, strict=True))}
        yield legs.add(Chain(cell, path.sides, masks, plan, fixed), choice)
