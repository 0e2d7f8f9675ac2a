r"""Exact certificates for problems that PEPit states: `certify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from arubatheory.prove.certificate import GRAM, SECONDS, Proof, Unproved
from arubatheory.prove.gram import BoundSearch, Clock, Multipliers, NotProved, data_of, proved_exactly
from arubatheory.prove.pep import problem_of
from arubatheory.prove.problem import GramProblem, slack_words
from arubatheory.prove.rationals import simplest
from arubatheory.sources import source_digest

LADDER = tuple(Fraction(1, 10**k) for k in range(6, 1, -1))
NOTHING = 1e-7  # a least bound below this is taken for 0, the one that a homogeneous problem can have
SHORT = 10**6  # a denominator beyond this is that of a float: no bound that could be attained exactly
CANNOT = "cannot: the optimum is 0 or infinite, and numbers are irrational, rounded by at most {:.1e} of each"
ATTAINED = Fraction(1, 10**6)  # nearer to the least bound than this, relatively, a claim may be attained


def certify(
    problem: Any,
    bound: float | Fraction | None = None,
    slack: float | Fraction = 1e-6,
    label: str = "performance",
    seconds: float = SECONDS,
) -> Proof | Unproved:
    r"""A certificate that a performance is at most `bound` in every dimension, or why there is none.

    `problem` is a function that builds a PEP and solves it (or returns it), or a PEP. A function is better: its floats
    are then read as the rationals they stand for where they enter, 0.1 as 1/10; in a PEP they have been multiplied.
    Without a bound the least one is proved, up to a relative `slack` >= 0. A bound that is attained is proved as it
    stands where exact multipliers are found, else as bound (1 + s) with the least s <= slack of 1e-6, 1e-5, ... at
    which they are, which the scope says. So it does of data that had to be rounded; where the optimum is then hardly 0
    any more, as with steps that are roots, the reason says that it cannot. `seconds` end the search.

    Raises ValueError for a slack or a bound that is no finite number, or a function that solves no problem or several.
    """
    given = None if bound is None else _reading(bound, "bound")
    if (limit := _reading(slack, "slack")) < 0:
        raise ValueError(f"slack must be >= 0, got {slack!r}")
    found = problem_of(problem)
    proof = proved(found, given, limit, Clock(seconds))
    if isinstance(proof, Unproved):
        return proof._replace(reason=f"{CANNOT.format(found.moved)}: {proof.reason}") if is_irrational(found) else proof
    multipliers, extra = proof
    claimed = multipliers.tau if given is None else given
    data = f"as rounded, by at most {found.moved:.1e} of each number" if found.moved else "as given"
    scope = f"every dimension; data {data}{slack_words(extra)}"
    shape = {"points": found.points, "rows": len(found.rows), "matrices": len(found.matrices)}
    return Proof(label, source_digest(), GRAM, scope, shape, extra, {"parts": [data_of(found, multipliers, claimed)]})


def _reading(value: float | Fraction, name: str) -> Fraction:
    try:
        near = value if isinstance(value, Fraction) else simplest(float(value))
        return near if float(near) == value or isinstance(value, Fraction) else Fraction(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a finite number, got {value!r}") from None


def is_irrational(problem: GramProblem) -> bool:
    """Whether the optimum is 0 or infinite, as no number stands on any side, and for rounded data hardly 0."""
    sides = [problem.objective, *(row.terms for row in problem.rows)]
    sides += [entry for matrix in problem.matrices for entry in matrix.entries.values()]
    return problem.moved > 0 and not any(() in terms for terms in sides)


def proved(
    problem: GramProblem, bound: Fraction | None, slack: Fraction, clock: Clock
) -> tuple[Multipliers, Fraction] | Unproved:
    """Multipliers for a bound (None: the least), and the slack that they take, or why there are none."""
    try:
        search = BoundSearch(problem, clock)
    except NotProved as error:
        return Unproved(str(error))
    least = simplest(search.least) if abs(search.least) > NOTHING else Fraction(0)
    if bound is not None and least > bound + max(slack, ATTAINED) * abs(bound):
        return Unproved(f"the least bound is {search.least:.9g}, more than the {float(bound):.9g} claimed")
    reasons = []
    for extra, attempt in _attempts(search, problem, least, bound, slack):
        try:
            found = attempt()
        except NotProved as error:
            reasons.append(str(error))
            continue
        return Unproved(reasons[0], extra) if extra > slack else (found, _extra(found.tau, bound))
    return Unproved(reasons[0])


Attempt = Callable[[], Multipliers]


def _attempts(
    search: BoundSearch, problem: GramProblem, least: Fraction, bound: Fraction | None, slack: Fraction
) -> Iterator[tuple[Fraction, Attempt]]:
    """Ways to a proof, each with the slack that it allows: as it stands, attained, or with more and more slack."""
    target = least if bound is None else bound
    if least < target:
        yield Fraction(0), partial(search.at_most, target)
    short = target.denominator <= SHORT and (bound is not None or not target)
    if short and least >= target - ATTAINED * abs(target):
        yield Fraction(0), partial(proved_exactly, problem, target, search.clock)
    for extra in sorted({slack, *LADDER} - {Fraction(0)}):
        yield extra, partial(search.at_most, target + extra * abs(target))


def _extra(tau: Fraction, bound: Fraction | None) -> Fraction:
    return max(Fraction(0), (tau - bound) / abs(bound)) if bound else Fraction(0)
