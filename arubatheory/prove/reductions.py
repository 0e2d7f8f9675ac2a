r"""What makes a path's box smaller before it is halved; a checker verifies each from the program alone.

* *zeros*: a step that says that a sum of squares is 0 says that each of them is;
* *scale*: where multiplying some variables by any $\lambda > 0$ multiplies every node by a power of $\lambda$, the
  claim needs proof only where the largest of them, relative to its range, is at an end, and where all of them are 0;
* *corners*: a gap that is affine in each of some variables, of which no step asks, is least at an end of their
  ranges.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Sequence
from fractions import Fraction

from arubatheory.prove.program import NEGATIVE, POSITIVE, ZERO, Program, Range, opposite
from arubatheory.prove.rationals import echelon


def bounds(program: Program, masks: dict[int, int]) -> dict[int, tuple[Fraction | None, Fraction | None]]:
    """The ends that the steps give to nodes: that a - c has a sign bounds a, for a number c."""
    found: dict[int, tuple[Fraction | None, Fraction | None]] = {}
    for n, mask in masks.items():
        op, *at = program.nodes[n]
        ends = [(n, Fraction(0), mask)]
        if op == "sub" and (c := program.constant(at[1])) is not None:
            ends.append((at[0], c, mask))
        if op == "sub" and (c := program.constant(at[0])) is not None:
            ends.append((at[1], c, opposite(mask)))
        for k, end, signs in ends:
            low, high = found.get(k, (None, None))
            low = low if signs & NEGATIVE else end if low is None else max(low, end)
            found[k] = low, (high if signs & POSITIVE else end if high is None else min(high, end))
    return found


def turned(program: Program, masks: dict[int, int]) -> list[int]:
    """The nodes that have two ends by the steps: a box is halved by where their values are, too, as that of a ratio of
    two variables near 0 no halving of these tells."""
    between = [n for n, ends in bounds(program, masks).items() if None not in ends and ends[0] != ends[1]]
    return sorted(n for n in between if program.nodes[n][0] not in ("var", "const"))


def zeros(program: Program, masks: dict[int, int]) -> set[int]:
    """The variables that the steps say are 0."""
    found, waiting = set[int](), [n for n, mask in masks.items() if mask == ZERO]
    while waiting:
        op, *at = program.nodes[waiting.pop()]
        if op == "var":
            found.add(at[0])
        elif op == "sqrt" or (op == "mul" and at[0] == at[1]):
            waiting.append(at[0])
        elif op in ("mul", "div"):
            waiting += [at[0]] if op == "div" or not program.signs(at[1], masks, {}) & ZERO else []
            waiting += [at[1]] if op == "mul" and not program.signs(at[0], masks, {}) & ZERO else []
        elif op == "add" and not any(program.signs(n, masks, {}) & NEGATIVE for n in at):
            waiting += at
    return found


Form = dict[int, Fraction]


def scaled(program: Program, order: Sequence[int], none: set[int]) -> list[int]:
    """Variables, with ranges around or from 0, that a common factor may scale: the powers of the factor in the nodes
    are linear in those of the variables, and sums ask that some are equal."""
    variables = [program.nodes[n][1] for n in order if program.nodes[n][0] == "var"]
    around = [i for i in variables if i not in none and program.ranges[i][0] in (0, -program.ranges[i][1])]
    asked = _asked(program, order, set(around), none)
    tied = {} if asked is None else echelon(asked, around)
    free = [] if asked is None else [i for i in around if i not in tied]
    for ones in [{i} for i in free] + [set(free)]:
        powers = {i: -sum(form.get(k, Fraction(0)) for k in ones) for i, form in tied.items()}
        if ones and set(powers.values()) <= {0, 1}:
            return sorted(ones | {i for i, power in powers.items() if power})
    return []


def _asked(program: Program, order: Sequence[int], around: set[int], none: set[int]) -> list[Form] | None:
    """Forms of the variables' powers that have to be 0; None where nothing may be scaled."""
    power: dict[int, Form | None] = {}  # None: of 0
    equations: list[Form] = []
    for n in order:
        op, *at = program.nodes[n]
        known = [power[k] for k in program.operands(n)]
        if op in ("const", "var"):
            nothing = not at[0] if op == "const" else at[0] in none
            power[n] = None if nothing else {at[0]: Fraction(1)} if op == "var" and at[0] in around else {}
        elif op in ("add", "sub"):
            a, b = known
            if a is not None and b is not None:
                equations.append(_sum(a, b, -1))
            power[n] = b if a is None else a
        elif op in ("exp", "log") or (op == "div" and known[1] is None):
            if known[-1] is None:
                return None
            equations.append(known[0] or {})
            power[n] = {}
        else:
            power[n] = _power(op, known)
    return [form for form in equations if form]


def _power(op: str, known: list[Form | None]) -> Form | None:
    a, b = known[0], known[-1]
    if a is None or b is None:
        return None
    return _sum(a, b, 1 if op == "mul" else -1) if op != "sqrt" else {i: c / 2 for i, c in a.items()}


def _sum(a: Form, b: Form, sign: int) -> Form:
    out = {i: a.get(i, Fraction(0)) + sign * b.get(i, Fraction(0)) for i in {**a, **b}}
    return {i: c for i, c in out.items() if c}


def affine(program: Program, gaps: Sequence[int], asked: Sequence[int]) -> list[int]:
    """The variables of which no step asks and in each of which every gap is affine."""
    inner = {program.nodes[n][1] for n in program.needed(asked) if program.nodes[n][0] == "var"}
    order = program.needed(gaps)
    outer = {program.nodes[n][1] for n in order if program.nodes[n][0] == "var"}
    return [i for i in sorted(outer - inner) if _is_affine(program, order, i)]


def _is_affine(program: Program, order: Sequence[int], i: int) -> bool:
    power: dict[int, int] = {}
    for n in order:
        op, *at = program.nodes[n]
        known = [power[k] for k in at] if op not in ("var", "const") else []
        if op == "var":
            power[n] = int(at[0] == i)
        elif op in ("add", "sub"):
            power[n] = max(known)
        elif op == "mul":
            power[n] = sum(known)
        else:
            power[n] = (known[0] if known else 0) if op == "div" and known[1] == 0 else 2 * max(known, default=0)
        if power[n] > 1:
            return False
    return True


def roots(
    ranges: Sequence[Range], none: set[int], scale: Sequence[int], corners: Sequence[int], above: Container[int] = ()
) -> list[list[Range]]:
    """The boxes that are left to prove, in the order of a certificate; the variables `above` are not negative."""
    ranges = [(max(low, Fraction(0)), high) if i in above else (low, high) for i, (low, high) in enumerate(ranges)]
    whole = [(Fraction(0), Fraction(0)) if i in none else r for i, r in enumerate(ranges)]
    faces = [whole] if not scale else [_with(whole, {i: Fraction(0) for i in scale})]
    for i in scale:
        faces += [_with(whole, {i: end}) for end in whole[i] if end]
    ends = [[{i: end} for end in dict.fromkeys(whole[i])] for i in corners]
    choices = [{k: v for part in pick for k, v in part.items()} for pick in itertools.product(*ends)]
    return [_with(face, choice) for face in faces for choice in choices]


def _with(box: Sequence[Range], ends: dict[int, Fraction]) -> list[Range]:
    return [(ends[i], ends[i]) if i in ends else r for i, r in enumerate(box)]
