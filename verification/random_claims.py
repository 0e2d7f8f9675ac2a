r"""Is what the provers say of random claims true, and accepted by the checker?

    python -m verification.random_claims [--claims N] [--seconds S] [--seed S]

A claim bounds a random expression in the coordinates of two vectors by a number near the largest value in a sample: a
little below it, at it or above; a third of them where another expression is small, there being no instance elsewhere.
All provers try each for so many seconds of processor time. A claim that is false at a point of the sample, by more than
floats may be wrong, must not be proved; and every certificate must be accepted, as `replay` accepts it. Where one is
not, the claim is printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.prove.provers import REJECTED, prove
from arubatheory.statements.core import Instance, NotAnInstance, Sides, Statement

Function = Callable[[Any, Any], Any]  # of two vectors (d,)
Condition = Callable[[Any, Any, float], bool]
SAMPLE, ENDS = 3000, 0.15  # points, and the share of their coordinates at either end
CONDITIONAL, QUANTILES = 1 / 3, (0.1, 0.5, 0.9)  # the share of claims with a condition, and of the points that meet it
LEAST = 1e-9  # relative gap that a float tells
RANGES = [(Fraction(low), Fraction(high)) for low, high in (("-1", "1"), ("0", "1"), ("-2", "2"), ("1/2", "2"))]
NEAR = [Fraction(k) for k in ("-1/10", "-1/1000", "0", "1/1000", "1/10")]  # of the largest value that is seen
DIGITS = (10, 1000, 10**6)  # of the denominator of that value


class Claim(NamedTuple):
    """A claim, its expression in words, and whether a point is known where it is false."""

    statement: Statement
    text: str
    false: bool


def played(x: Any, y: Any) -> Any:
    """What online gradient descent from 0 in [-1, 1] with step 1/2 pays against x + y."""
    action = total = 0 * x[0]
    for slope in x + y:
        total = total + slope * action
        action = clipped(action - slope / 2)
    return total


def scaled(x: Any, y: Any) -> Any:
    """The sum of squares, each over the root of those up to it."""
    seen = total = 0 * x[0]
    for a in x - y:
        seen = seen + a * a
        total = total + a * a / np.sqrt(1 + seen)
    return total


def clipped(a: Any) -> Any:
    """The nearest number of [-1, 1]."""
    return min(max(a, -1 + 0 * a), 1 + 0 * a)


VECTORS: dict[str, Function] = {
    "x": lambda x, y: x,
    "y": lambda x, y: y,
    "x - y": lambda x, y: x - y,
    "x + y": lambda x, y: x + y,
    "x y": lambda x, y: x * y,
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda a: a.sum(),
    "squares": lambda a: (a * a).sum(),
    "length": lambda a: np.sqrt((a * a).sum()),
    "largest": lambda a: max(a),
    "first": lambda a: a[0],
    "sizes": lambda a: abs(a).sum(),
    "log-sum-exp": lambda a: np.log(np.exp(a).sum()),
    "entropy": lambda a: (abs(a) * np.log(1 + abs(a))).sum(),
    "inverse": lambda a: 1 / (1 + (a * a).sum()),
}
JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "times": lambda a, b: a * b,
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
    "hypot": lambda a, b: np.sqrt(a * a + b * b),
    "over": lambda a, b: a / (1 + abs(b)),
    "if positive": lambda a, b: a if b > 0 else -a * b,
    "clipped, plus": lambda a, b: clipped(a) + b,
    "exp of min": lambda a, b: np.exp(min(a, clipped(b))),
}
GAMES: dict[str, Function] = {"played": played, "scaled": scaled}


def expression(rng: random.Random, depth: int) -> tuple[str, Function]:
    """A random expression in words, and as a function."""
    if depth == 0 and rng.random() < 0.15:
        return rng.choice(list(GAMES.items()))
    if depth == 0:
        (vector, of), (number, f) = rng.choice(list(VECTORS.items())), rng.choice(list(NUMBERS.items()))
        return f"{number}({vector})", lambda x, y: f(of(x, y))
    (first, a), (second, b) = expression(rng, depth - 1), expression(rng, rng.randrange(depth))
    name, join = rng.choice(list(JOINED.items()))
    return f"{name}[{first}, {second}]", lambda x, y: join(a(x, y), b(x, y))


def sampled(low: Fraction, high: Fraction, d: int, rng: np.random.Generator) -> Array:
    """Random points, some coordinates of which are at ends."""
    inner, at = rng.random((SAMPLE, 2, d)), rng.random((SAMPLE, 2, d))
    return float(low) + float(high - low) * np.where(at < ENDS, 0.0, np.where(at > 1 - ENDS, 1.0, inner))


def largest(values: Array) -> float:
    """The largest of some values; NaN where they are not finite, or all the same."""
    return float(values.max()) if np.isfinite(values).all() and np.ptp(values) > 0 else float("nan")


def claims(seed: int) -> Iterator[Claim]:
    """Random claims without end."""
    rng = random.Random(seed)
    while True:
        text, f = expression(rng, rng.choice((0, 1, 1, 2, 2)))
        d, (low, high) = rng.choice((1, 1, 2, 2, 3)), rng.choice(RANGES)
        points = sampled(low, high, d, np.random.default_rng(rng.getrandbits(32)))
        near, digits = rng.choice(NEAR), rng.choice(DIGITS)
        holds, said = condition(rng, points) if rng.random() < CONDITIONAL else (None, "")
        top = largest(np.array([float(f(x, y)) for x, y in points if holds is None or holds(x, y, LEAST)] or [0.0]))
        if top == top:
            bound = Fraction(top).limit_denominator(digits)
            bound += near * max(Fraction(1), abs(bound))
            false = top - float(bound) > LEAST * max(1.0, abs(top))
            statement = _claim(text, f, bound, (low, high, d), holds)
            yield Claim(statement, f"{text} <= {bound} on [{low}, {high}]^{d}{said}", false)


def condition(rng: random.Random, points: Array) -> tuple[Condition, str]:
    """What some of the points meet, by how much at least, and in words."""
    text, g = expression(rng, rng.randrange(2))
    values = [float(g(x, y)) for x, y in points]
    limit = Fraction(float(np.quantile(np.nan_to_num(values), rng.choice(QUANTILES)))).limit_denominator(10)
    return lambda x, y, more: g(x, y) + more <= limit, f" where {text} <= {limit}"


def _claim(
    text: str, f: Function, bound: Fraction, where: tuple[Fraction, Fraction, int], holds: Condition | None
) -> Statement:
    def draw(draw: Any) -> Instance:
        x, y = draw.real(*where), draw.real(*where)
        if holds is not None and not holds(x, y, 0):
            raise NotAnInstance("the condition does not hold")
        return Instance(x=x, y=y)

    def sides(i: Instance) -> Sides:
        return Sides(f(i.x, i.y), bound + 0 * i.x[0])

    return Statement("random:claim", text, "x", draw, sides)


def wrong(claim: Claim, seconds: float) -> tuple[str, bool]:
    """What is wrong with what the provers say of a claim, and whether it is proved."""
    found, reasons = prove(claim.statement, seconds)
    against = [reason for reason in reasons if REJECTED in reason]
    proved = [proof.scope for proof in found if claim.false]
    return "; ".join([f"false, and proved: {scope}" for scope in proved] + against), bool(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try claims, and print what is wrong; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.random_claims", description=__doc__)
    parser.add_argument("--claims", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3.0, help="of all provers, on one claim")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    faults = proved = false = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _, claim in zip(range(given.claims), claims(given.seed), strict=False):
            fault, is_proved = wrong(claim, given.seconds)
            proved, false = proved + is_proved, false + claim.false
            if fault:
                faults += 1
                print(f"{claim.text}: {fault}", flush=True)
    print(f"{given.claims} claims, {false} of them false: {proved} proved, {faults} wrongly or as the checker rejects")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
