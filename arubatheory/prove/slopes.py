r"""Claims that are met to second order: found by looking where a gap is least, in one variable after the other.

Boxes cannot close a claim around a point where both sides and their slopes agree. There the gap is least in some
variable x where $x = c$, and it remains to prove that its slope has the sign of $x - c$: a claim of the same kind,
whose zero is a simple one, or proved in the same way again. Which x and c, is seen on samples, of each variable with
the ends of its range and what is computed without it. Where no variable does, one on lines from 0 or from others may.
Where a gap is 0 and falls again farther away, its range is cut. Nothing of that is believed: `check_slopes` says what
is to be proved then.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

import arubatheory.prove.boxes as boxes
from arubatheory.arithmetic import Array
from arubatheory.prove.algebra import closed
from arubatheory.prove.check_boxes import ONE, degrees
from arubatheory.prove.check_cells import ANY, NEGATIVE, POSITIVE, ZERO, Rejected, need
from arubatheory.prove.check_paths import check_claim
from arubatheory.prove.check_slopes import Claim, Sides, between, interval, simpler, slope, terms
from arubatheory.prove.functions import TooLarge
from arubatheory.prove.program import Path, Program, Turn, floats, masks_of, obeyed
from arubatheory.prove.rationals import simplest, simplest_between

SAMPLES, LEAST = 512, 8  # points, and how many of them have to be on a path
NOISE = 1e-9  # relative: of what is computed in floats
DEPTH, WIDTH = 7, 3  # claims that follow from each other, and ways from one of them that are tried
LEFT = 0.25  # of the time, for the ways after one
SHARE, MOST_BOXES = 0.5, 20_000  # seconds of boxes on one claim, and how many
MOST_VARIABLES, CENTRES, ZOOMS = 8, 24, 2
HALF = Fraction(1, 2)  # relative: of what is a positive number
WIDE = 16  # the ratio of ends from which a range is one of scales
Way = list[Any]


class Slopes:
    """The search for a proof of one path from simpler claims, with so many seconds of algebra on each."""

    def __init__(self, program: Program, brief: float) -> None:
        self.program, self.brief, self.reals = program, brief, len(program.ranges)

    def reduced(self, path: Path, until: float, depth: int = DEPTH) -> dict[str, Any] | None:
        """The data of a proof, each way to one being tried for a part of the time that is left; None where none is
        found."""
        facts, sides = masks_of(path), list(path.sides)
        program, ranges = self.program, list(self.program.ranges)
        for way in self._ways(facts, sides) if depth else ():
            length, parts = len(program.nodes), None
            with suppress(Rejected, ArithmeticError):
                claims = simpler(program, facts, sides, *way)
                end = until - (until - time.process_time()) * LEFT
                same = (facts, sides) in claims and program.ranges == ranges
                parts = None if same else self._all(claims, end, depth - 1 if way[0] not in ("absurd", "powers") else 0)
            program.ranges[:] = ranges
            if parts is not None:
                return {"by": way, "parts": parts}
            program.forget(length)
            if time.process_time() > until:
                break
        return None

    def _all(self, claims: list[Claim], until: float, depth: int) -> list[Any] | None:
        found = list(itertools.takewhile(bool, (self._proved(claim, until, depth) for claim in claims)))
        return found if len(found) == len(claims) else None

    def _proved(self, claim: Claim, until: float, depth: int) -> dict[str, Any] | None:
        """A proof of a claim: by algebra, from simpler ones, by few boxes."""
        path = Path(tuple(Turn(n, mask, False) for n, mask in claim[0].items()), tuple(claim[1]), "")
        if time.process_time() > until or Sampled(self.program, *claim).fails:
            return None
        length = len(self.program.nodes)
        with suppress(TooLarge, Rejected):
            if found := closed(self.program, path, self.brief if depth else self.brief / 4, until):
                check_claim(self.program.lines(), *claim, found, {})
                return found
        self.program.forget(length)
        ways: list[Callable[[], Any]] = [
            lambda: self.reduced(path, until, depth),
            lambda: boxes.closed(self.program, path, MOST_BOXES, min(until, time.process_time() + SHARE))[0],
        ]
        return next(filter(None, (way() for way in ways[:: 1 if path.sides else -1])), None) if depth else None

    def _ways(self, facts: dict[int, int], sides: Sides) -> Iterator[Way]:
        """What a claim may follow from, the likeliest first."""
        program = self.program
        if not sides:
            yield from itertools.islice(self._opposites(facts), WIDTH)
            return
        if len(sides) > 1:
            yield ["each"]
            return
        yield from [["absurd"]] * (program.constant(sides[0][1]) != 0)
        kinds = {program.nodes[n][0] for n in sides[0]}
        exps = [n for n in program.below(sides[0]) if program.nodes[n][0] == "exp" and program.variables([n])]
        yield from [["roots"]] * ("sqrt" in kinds)
        yield from [["logs"]] * ("exp" in kinds and len(exps) > 1)
        with suppress(Rejected):
            yield from self._exponentials(sides[0])
        found = Sampled(program, facts, sides)
        yield from itertools.islice(found.slopes(), WIDTH)
        yield from [["cut", i, str(q)] for _, i, q in sorted(found.cuts)[:WIDTH]]
        yield from [["logs"]] * ("exp" in kinds and len(exps) == 1)
        if len(program.ranges) == self.reals:
            yield from itertools.islice(found.lines(), WIDTH)

    def _exponentials(self, sides: tuple[int, int]) -> Iterator[Way]:
        """Where all terms are numbers, variables and logarithms, and where exponentials are more than their terms."""
        nodes = self.program.nodes
        kinds = {nodes[n][0] for n in terms(self.program, self.program.binary("sub", *sides))}
        if "log" in kinds and kinds <= {"log", "const", "var"}:
            yield ["products"]
        yield from self._moved(sides)
        exponents = [nodes[n][1] for n in self.program.below(sides) if nodes[n][0] == "exp"]
        if len(exponents) > len({k for n in exponents for k in terms(self.program, n)}):
            yield ["powers"]

    def _moved(self, sides: tuple[int, int]) -> Iterator[Way]:
        """The claim with an exponential alone on a side."""
        program, parts = self.program, terms(self.program, self.program.binary("sub", *sides[::-1]))
        for n, c in parts.items():
            if program.nodes[n][0] == "exp" and n not in sides and abs(c) == 1:
                rest = program.number(Fraction(0))
                for k, d in ((k, d) for k, d in parts.items() if k != n):
                    rest = program.binary("add", rest, program.binary("mul", program.number(-d * c), k))
                yield ["sides", *((rest, n) if c > 0 else (n, rest))]

    def _opposites(self, facts: dict[int, int]) -> Iterator[Way]:
        """Steps that nothing obeys which obeys the others."""
        program, zero = self.program, self.program.number(Fraction(0))
        for n, mask in reversed(facts.items()):
            rest = {k: m for k, m in facts.items() if k != n}
            side = -1 if not mask & NEGATIVE else 1
            if mask in (ANY, NEGATIVE | POSITIVE) or (found := Sampled(program, rest, [(zero, zero)])).few:
                continue
            least = float((side * found.at([n])[n]).min())
            if not mask & ZERO and least >= -NOISE:
                yield ["never", n, "0"]
            elif NOISE < least < math.inf:
                yield ["never", n, str(simplest(least / 2, HALF))]


class Sampled:
    """A claim of one pair of sides at points of its path."""

    def __init__(self, program: Program, facts: dict[int, int], sides: Sides) -> None:
        self.program, self.facts, self.sides = program, facts, sides
        self.gaps = [program.binary("sub", right, left) for left, right in sides]
        self.used = program.variables([*self.gaps, *facts])
        points, self.cuts = self._points(), list[tuple[float, int, Fraction]]()
        self.points = points[:, obeyed(program, facts, points)]

    def _points(self) -> Array:
        """Points of the ranges, a third of them with some variables at ends."""
        rng, found = np.random.default_rng(0), []
        for low, high in ((float(low), float(high)) for low, high in self.program.ranges):
            t, wide = rng.random(SAMPLES), 0 < low and low * WIDE <= high
            x = low * (high / low) ** t if wide else low + (high - low) * t
            ends = np.where(rng.random(SAMPLES) < 0.5, low, high)
            found.append(np.where((rng.random(SAMPLES) < 0.3) & (np.arange(SAMPLES) % 3 == 0), ends, x))
        return np.array(found).reshape(len(found), SAMPLES)

    @property
    def few(self) -> bool:
        """Whether points are too few to tell anything."""
        return self.points.shape[1] < LEAST

    def at(self, wanted: list[int]) -> dict[int, Array]:
        """The values of nodes at the points."""
        return floats(self.program, wanted, self.points)

    @property
    def fails(self) -> bool:
        """Whether the claim is false at some point: without sides, that there is one."""
        if not self.sides:
            return self.points.shape[1] > 0
        x = self.at([n for pair in self.sides for n in pair])
        return any(bool((x[r] - x[l] < -NOISE * (1 + abs(x[l]) + abs(x[r]))).any()) for l, r in self.sides)

    def slopes(self) -> Iterator[Way]:
        """Variables, and where the gap is least in them: first where it is 0 there, and the slope is short."""
        found, gap = list[tuple[bool, bool, int, int, int]](), self.gaps[0]
        for i in () if self.few else self.used:
            rise = self.at([n := slope(self.program, gap, i)])[n]
            for inside, c, at in self._centres(i):
                away, least = np.where(self.points[i] < at, -rise, rise), self._least(i, at)
                away[self.points[i] == at] = 0
                falls = away < -NOISE * (1 + abs(rise))
                if inside and falls.any() and abs(least).max() <= NOISE and self.program.constant(c) is not None:
                    self._cut(i, at, self.points[i, falls])
                elif not falls.any() and (least >= -NOISE).all():
                    above, size = bool((least > NOISE).any()), len(self.program.below([n]))
                    found.append((not inside, above, size, i, c))
        for outside, *_, i, c in sorted(found):
            with suppress(Rejected):
                kept = {} if outside else between(self.program, self.facts, i, c)
                yield self._wider(i, c) if outside else ["slopes", i, c, *self._needed(gap, kept)]

    def _cut(self, i: int, at: Array, falls: Array) -> None:
        """A simple number half way from where the gap is 0 to where its slope has another sign than there."""
        x = falls[np.argmin(abs(falls - at[0]))]
        low, high = sorted(Fraction(at[0] + (x - at[0]) * part) for part in (0.4, 0.6))
        self.cuts.append((-abs(x - at[0]), i, simplest_between(low, high)))

    def _wider(self, i: int, c: int) -> Way:
        """The range of a variable with that of a node."""
        (least, most), (low, high) = self.program.ranges[i], interval(self.program, c, self.facts)
        need(math.isfinite(low) and math.isfinite(high), "a node without bounds")
        return ["wider", i, str(min(least, Fraction(low, ONE))), str(max(most, Fraction(high, ONE)))]

    def _least(self, i: int, at: Array) -> Array:
        """The gap where a variable has other values, relative to its sides."""
        points, (left, right) = self.points.copy(), self.sides[0]
        points[i] = at
        values = floats(self.program, self.sides[0], points)
        with np.errstate(all="ignore"):
            return np.asarray((values[right] - values[left]) / (1 + abs(values[left]) + abs(values[right])))

    def _needed(self, gap: int, kept: dict[int, int]) -> list[int]:
        """What has to be positive, or not 0, on the way to where a gap is least, and is by no step that holds there."""
        nodes = (self.program.nodes[n] for n in self.program.below([gap]))
        asked = {node[-1] for node in nodes if node[0] in ("div", "sqrt", "log")}
        return [n for n in self.facts if n in asked and n not in kept]

    def _centres(self, i: int) -> Iterator[tuple[bool, int, Array]]:
        """Whether nodes without a variable are within its range, and their values."""
        program, (low, high) = self.program, self.program.ranges[i]
        ends = [program.number(q) for q in (Fraction(0), low, high, *self._lowest(i))]
        others = [program.node("var", j) for j in self.used if j != i]
        degree = degrees(program, [*self.gaps, *self.facts], i)
        inner = [n for n in degree if not degree[n] and program.constant(n) is None][:CENTRES]
        values = self.at([*ends, *others, *inner])
        for n in dict.fromkeys([*ends, *others, *inner]):
            yield bool(((float(low) - NOISE <= values[n]) & (values[n] <= float(high) + NOISE)).all()), n, values[n]

    def _lowest(self, i: int) -> Iterator[Fraction]:
        """Simple numbers about where the gap is least in a variable, each nearer than the one before; others are as at
        the point where it is least."""
        (low, high), points = map(float, self.program.ranges[i]), self.points
        for _ in range(1 + ZOOMS):
            gap = floats(self.program, self.gaps, points)[self.gaps[0]]
            k = int(np.argmin(np.where(obeyed(self.program, self.facts, points) & ~np.isnan(gap), gap, np.inf)))
            if points is not self.points:
                low, high = points[i, max(k - 1, 0)], points[i, min(k + 1, SAMPLES - 1)]
                yield simplest_between(Fraction(low), Fraction(high))
            points = np.repeat(points[:, k, None], SAMPLES, axis=1)
            points[i] = np.linspace(low, high, SAMPLES)

    def lines(self) -> Iterator[Way]:
        """Variables that are drawn one after the other, on lines from 0 or from those before or after them, along which
        the gap rises from 0."""
        program, count = self.program, len(self.program.ranges)
        for line in self._blocks():
            rises = False
            with suppress(Rejected):
                on = Sampled(program, *simpler(program, self.facts, self.sides, "line", *line)[0])
                rises = ["slopes", count, program.number(Fraction(0))] in list(on.slopes())
            del program.ranges[count:]
            if rises:
                yield ["line", *line]

    def _blocks(self) -> Iterator[list[list[int]]]:
        used, program = sorted(self.used), self.program
        for size in range(2, len(used) + 1 if len(used) <= MOST_VARIABLES else 0):
            for k in range(len(used) - size + 1):
                block = used[k : k + size]
                for start in (k - size, k + size):
                    if 0 <= start and start + size <= len(used):
                        yield [[i, program.node("var", j)] for i, j in zip(block, used[start:], strict=False)]
                if all(low <= 0 <= high for low, high in (program.ranges[i] for i in block)):
                    yield [[i, program.number(Fraction(0))] for i in block]
