r"""What makes a path's box smaller before it is halved; a checker verifies each from the program alone.

* *zeros*: a step that says that a sum of squares is 0 says that each of them is;
* *scale*: where multiplying some variables by any $\lambda > 0$ multiplies every node by a power of $\lambda$, the
  claim needs proof only where the largest of them, relative to its range, is at an end, and where all of them are 0;
* *shifts*: where adding t to some variables, or t to some and -t to others, leaves the sign of every gap and of
  what the steps ask of, the claim needs proof only where one of them is at the end that it moves to;
* *corners*: a gap that is affine in each of some variables, of which no step asks, is least at an end of their
  ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from arubatheory.prove.check_boxes import degrees
from arubatheory.prove.check_cells import plus
from arubatheory.prove.program import Program
from arubatheory.prove.rationals import echelon

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
                equations.append(plus(a, b, -1))
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
    return plus(a, b, 1 if op == "mul" else -1) if op != "sqrt" else {i: c / 2 for i, c in a.items()}


def shifts(program: Program, wanted: Sequence[int], used: Sequence[int]) -> list[list[list[int]]]:
    """Disjoint sets of some variables, to each of which t or -t may be added: what that does to nodes is linear in what
    is added."""
    tied = echelon(_changes(program, wanted, set(used)), list(used))
    found, taken = list[list[list[int]]](), set[int]()
    for k in used:
        group = {k: Fraction(1)} | {i: -form[k] for i, form in tied.items() if k in form}
        if k not in tied and set(group.values()) <= {-1, 1} and not taken & set(group):
            taken |= set(group)
            found.append([[i, int(sign)] for i, sign in sorted(group.items())])
    return found


def _changes(program: Program, wanted: Sequence[int], used: set[int]) -> list[Form]:
    """Forms of what is added to variables that are 0 where some nodes keep their signs."""
    found: dict[int, tuple[Form, Form]] = {}  # the power of e by which a node is multiplied, and what is added to it
    zero: list[Form] = []
    for n in program.below(wanted):
        op, *at = program.nodes[n]
        known = [found[k] for k in program.operands(n)] or [({}, {at[0]: Fraction(1)} if op == "var" else {})]
        (p, c), (q, d) = known[0], known[-1]
        if op in ("add", "sub"):
            zero.append(plus(p, q, -1))
            found[n] = p, plus(c, d, 1 if op == "add" else -1)
        elif op in ("mul", "div"):
            x, y = (program.constant(k) for k in at)
            zero += [c] * (y is None) + [d] * (x is None or op == "div")
            y = y if y is None or op == "mul" else 1 / y
            both = _times(c, y or Fraction(0)), _times(d, x or Fraction(0))
            found[n] = plus(p, q, 1 if op == "mul" else -1), plus(*both, 1)
        elif op in ("exp", "log", "sqrt"):
            zero.append(p if op == "exp" else c)
            found[n] = (c, {}) if op == "exp" else ({}, p) if op == "log" else (_times(p, Fraction(1, 2)), {})
        else:
            found[n] = p, {i: one for i, one in c.items() if i in used}
    return [form for form in [*zero, *(found[n][1] for n in wanted)] if form]


def _times(a: Form, factor: Fraction) -> Form:
    return {i: c * factor for i, c in a.items() if c * factor}


def affine(program: Program, gaps: Sequence[int], asked: Sequence[int]) -> list[int]:
    """The variables of which no step asks and in each of which every gap is affine."""
    inner, outer = (set(program.variables(some)) for some in (asked, gaps))
    return [i for i in sorted(outer - inner) if max(degrees(program, gaps, i).values()) < 2]
