r"""What there is to see of one witness: the parts of its instance, slices of its losses, and other draws of it.

Losses are shown along the line through two points that the claim is about, the start $\phi$ at s = 0 and the comparator
at s = 1, in any dimension; arrays by their index; numbers by name.

**As a parameter grows.** No instance is made by hand. The generator is asked again with one draw of the witness's tape
changed, and a redraw counts where a single number of the instance has moved, or where every part that has changed has
become longer or shorter: so the assumptions hold by construction, and all else is the witness.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, approximate
from arubatheory.engines.exact import ratio_of
from arubatheory.engines.verdict import Witness
from arubatheory.engines.witness import decode_instance
from arubatheory.problems.domains import BALL, BOX, Domain, inside
from arubatheory.problems.draw import GRID, Tape, TapeDraw
from arubatheory.problems.losses import Losses, value
from arubatheory.problems.regularizers import Regularizer
from arubatheory.problems.tasks import Tasks
from arubatheory.statements.core import Instance, Sides, Statement, all_sides
from figures.house import Series

Grid = list[tuple[float, Instance]]
LENGTHS = ("T", "n", "m", "copies", "length")
STARTS, ENDS = ("phi", "first", "start", "x"), ("comparator", "best", "star", "psi", "optimum", "y")
MATRICES = {"Q", "P", "X", "Y", "H", "A", "matrix", "inverse"}
HIDDEN = {"link", "kink", "kind", "offsets", "norm"}
LARGEST_INTEGER, SHARES, SLICE, FEWEST, LEAST_SPREAD = 64, 24, 41, 5, 0.1
LONG = 36  # draws of a kind; in longer tapes lengths are looked for, and no single number


def number(text: str) -> float:
    """The float nearest to a number as witness files hold it: p/q, or a decimal +/- a radius."""
    ball = re.match(r"(-?[\d.]+)(?:[eE]([-+]?\d+))? \+/-", text)
    exact = Fraction(ball[1]) * Fraction(10) ** int(ball[2] or 0) if ball else Fraction(text)
    try:
        return float(exact)
    except OverflowError:
        largest = float(np.finfo(np.float64).max)
        return largest if exact > 0 else -largest


def floats(witness: Witness, statement: Statement) -> Instance:
    """The stored instance in floats."""
    exact = decode_instance(witness.instance, statement)
    return Instance(**{name: approximate(part) for name, part in vars(exact).items()})


# parts -------------------------------------------------------------------------------------------------------------
def parts(instance: Instance) -> Series:
    """`number NAME` and `part NAME`, what can be drawn of the instance but its losses."""
    series: Series = {}
    for name, part in _leaves(vars(instance)):
        if isinstance(part, np.ndarray) and part.size > 1:
            lines = _rows(part)
            for k, row in enumerate(lines):
                label = f"part {name}" + (f"[{k + 1}]" if len(lines) > 1 else "")
                series[label] = (np.arange(1.0, len(row) + 1), row)
        elif np.size(part) == 1 and not isinstance(part, str):
            series[f"number {name}"] = (np.zeros(1), np.asarray(part, dtype=np.float64).reshape(1))
    return {name: xy for name, xy in series.items() if np.isfinite(xy[1]).all()}


def _leaves(named: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, part in named.items():
        if isinstance(part, Domain):
            yield from _domain(part)
        elif isinstance(part, Losses | Regularizer | Tasks) or name in HIDDEN | MATRICES or isinstance(part, bool):
            continue
        elif isinstance(part, tuple):
            fields = getattr(part, "_fields", tuple(map(str, range(len(part)))))
            yield from _leaves(dict(zip(fields, part, strict=True)))
        elif isinstance(part, np.ndarray | int | float | np.integer):
            yield name, part


def _domain(domain: Domain) -> Iterator[tuple[str, Any]]:
    if domain.kind == BOX and len(domain.low) == 1:
        yield from (("Θ from", domain.low), ("Θ to", domain.high))
    elif domain.kind == BALL:
        yield "radius of Θ", domain.radius


def _rows(part: Array) -> list[Array]:
    """The lines of an array (n,), (n, d) or (n, m, d): at most two coordinates, of matrices the traces."""
    x = np.asarray(part, dtype=np.float64)
    if x.ndim == 3 and x.shape[1] == x.shape[2]:
        x = np.trace(x, axis1=1, axis2=2)[:, None]
    if x.ndim == 1 or len(x) == 1:
        return [x.ravel()]
    return list(x.reshape(-1, x.shape[-1]).T[:2])


# losses ------------------------------------------------------------------------------------------------------------
def slices(instance: Instance, most: int = 4) -> Series:
    """`loss i` along the line of the claim, `point NAME` on it, and `domain`, the part of it inside the domain."""
    L, domain = getattr(instance, "losses", None), getattr(instance, "domain", None)
    if not isinstance(L, Losses) or not isinstance(domain, Domain):
        return {}
    base, target = _reference(instance, STARTS, L), _reference(instance, ENDS, L)
    if base is None:
        return {}
    away = np.zeros_like(base[1]) if target is None else target[1] - base[1]
    if not away.any():
        away[0] = max(1.0, abs(base[1][0]))
        target = None
    s = np.linspace(-0.5, 1.5, SLICE)
    series: Series = {}
    for i in range(min(most, len(L.b))):
        y = np.array([float(value(L, i, base[1] + u * away)) for u in s])
        if np.isfinite(y).all():
            series[f"loss {i + 1}"] = (s, y)
    within = s[[bool(inside(domain, base[1] + u * away) >= 0) for u in s]]
    if 0 < len(within) < len(s):
        series["domain"] = (np.array([within[0], within[-1]]), np.zeros(2))
    for at, point in ((0.0, base), (1.0, target)):
        if point is not None:
            series[f"point {point[0]}"] = (np.array([at]), np.zeros(1))
    return series


def _reference(instance: Instance, names: tuple[str, ...], L: Losses) -> tuple[str, Array] | None:
    for name in names:
        point = getattr(instance, name, None)
        if isinstance(point, np.ndarray) and point.shape[-1:] == L.a.shape[1:] and point.ndim <= 2 and point.size:
            return name, np.array(point if point.ndim == 1 else point[0], dtype=np.float64)
    return None


# other draws -------------------------------------------------------------------------------------------------------
def growing(statement: Statement, witness: Witness, broken: Broken) -> tuple[str, Grid] | None:
    """A parameter of the instance and the redraws that have other values of it: a length if there is one, else the
    number along which the ratio of the sides varies most. None where no draw moves one thing alone."""
    tape = Tape(list(witness.tape["integers"]), list(witness.tape["units"]))
    try:
        base = statement.instance(TapeDraw(tape))
    except ValueError:
        return None
    found: dict[str, dict[float, Instance]] = {}
    for other in _redraws(statement, tape):
        moved = _moved(base, other)
        if moved is not None:
            found.setdefault(moved[0], {moved[1]: base})[moved[2]] = other
    grids = {name: sorted(grid.items()) for name, grid in found.items() if len(grid) >= FEWEST}
    spread = {name: _varies(statement, grid, broken) for name, grid in grids.items()}
    lengths = [name for name in LENGTHS if spread.get(name, 0.0) > 0]
    best = lengths[0] if lengths else max(spread, key=lambda name: spread[name], default="")
    return (best, grids[best]) if lengths or spread.get(best, 0.0) > LEAST_SPREAD else None


def _redraws(statement: Statement, tape: Tape) -> Iterator[Instance]:
    """The instances of all tapes that differ in one draw, and that fit."""
    choices = (range(LARGEST_INTEGER + 1), [k * GRID // SHARES for k in range(SHARES + 1)])
    for kind, options in enumerate(choices):
        if len(tape[kind]) > LONG:
            continue
        for i in range(len(tape[kind])):
            for option in options:
                changed = Tape(list(tape.integers), list(tape.units))
                changed[kind][i] = option
                draw = TapeDraw(changed)
                try:
                    other = statement.instance(draw)
                except (ValueError, ArithmeticError):
                    continue
                if draw.tape == changed and option != tape[kind][i]:
                    yield other


def _moved(base: Instance, other: Instance) -> tuple[str, float, float] | None:
    """The one number that differs, before and after; or ("length", n, n') where only lengths do."""
    changed = [name for name in vars(base) if not _same(getattr(base, name), getattr(other, name, None))]
    if len(changed) == 1 and _is_number(getattr(base, changed[0])) and _is_number(getattr(other, changed[0])):
        return changed[0], float(getattr(base, changed[0])), float(getattr(other, changed[0]))
    sizes = [(_length(getattr(base, name)), _length(getattr(other, name, None))) for name in changed]
    if sizes and all(a and b and a != b for a, b in sizes) and len(set(sizes)) == 1:
        return "length", float(sizes[0][0]), float(sizes[0][1])
    return None


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | np.integer | np.floating) and not isinstance(x, bool) and math.isfinite(x)


def _length(x: Any) -> int:
    if isinstance(x, Losses):
        return len(x.b)
    return len(x) if isinstance(x, np.ndarray) and x.ndim > 0 else 0


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.shape == b.shape and bool(np.array_equal(a, b))
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


# sides -------------------------------------------------------------------------------------------------------------
class Broken(NamedTuple):
    """Which of so many inequalities of a statement a witness breaks worst."""

    place: int
    among: int


def broken_by(statement: Statement, instance: Instance) -> Broken:
    """The gravest inequality on a witness, in floats."""
    with np.errstate(all="ignore"):
        ratios = [ratio_of(sides)[0] for sides in all_sides(statement, instance)]
    return Broken(int(np.argmax(ratios)), len(ratios))


def sides_at(statement: Statement, instance: Instance, broken: Broken) -> Sides | None:
    """The same inequality on another instance (the gravest where there are more or fewer); None where a side is no
    number or an assumption fails."""
    with np.errstate(all="ignore"):
        try:
            if any(float(a.margin(instance)) < 0 for a in statement.assumptions):
                return None
            sides = all_sides(statement, instance)
            same = len(sides) == broken.among
            worst = sides[broken.place] if same else max(sides, key=lambda s: ratio_of(s)[0])
        except (ArithmeticError, ValueError):
            return None
    values = [float(worst.lhs), float(worst.rhs)]
    return Sides(*values) if all(map(math.isfinite, values)) else None


def curves(statement: Statement, name: str, grid: Grid, broken: Broken) -> Series:
    """`lhs as NAME varies` and `rhs as NAME varies`, where both are positive."""
    seen = [(x, sides_at(statement, instance, broken)) for x, instance in grid]
    kept = [(x, s.lhs, s.rhs) for x, s in seen if s is not None and s.lhs > 0 and s.rhs > 0]
    if len(kept) < FEWEST:
        return {}
    x, lhs, rhs = (np.array(column) for column in zip(*kept, strict=True))
    return {f"lhs as {name} varies": (x, lhs), f"rhs as {name} varies": (x, rhs)}


def _varies(statement: Statement, grid: Grid, broken: Broken) -> float:
    """By how many factors of e the ratio of the sides varies along a grid."""
    found = list(curves(statement, "", grid[:: max(len(grid) // 8, 1)], broken).values())
    if not found:
        return 0.0
    with np.errstate(all="ignore"):
        spread = float(np.ptp(np.log(found[0][1]) - np.log(found[1][1])))
    return min(spread, 50.0) if math.isfinite(spread) else 0.0
