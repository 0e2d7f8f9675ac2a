r"""Where a sequence of sharp constants goes, and what its members may be. Guesses, and called so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

Curve = Sequence[tuple[int, float]]
LARGEST = 12  # coefficient of a relation
NEARLY = 3e-7  # relative: by how much a supremum may be missed
WHOLE = 1e-5  # how near to integers a solution must be
EXACT = 1e-7  # relative: how well a guess must fit


def limit(curve: Curve) -> tuple[float, float] | None:
    r"""An interval for $\lim_n x_n$: the hull of the last value and of what $x_n = x + a/n$ and $x_n = x + a/\sqrt n$
    through the last two say; None for fewer than three values, and where the last three rise and fall."""
    steps = np.diff([x for _, x in curve[-3:]])
    if len(curve) < 3 or min(max(steps), -min(steps)) > NEARLY * abs(curve[-1][1]):
        return None
    (m, before), (n, last) = curve[-2:]
    ends = [last, *(last + (last - before) / ((n / m) ** power - 1) for power in (1.0, 0.5))]
    return min(ends), max(ends)


def relation(curve: Curve) -> str:
    r"""Integers with $\sum_{i \le 1, j \le 2} a_{ij} n^i x_n^j = 0$ along the whole curve, as text; empty without any.
    As many values as there are unknowns but one leave one solution: that it consists of small integers, to more digits
    than chance would give, is what speaks for it."""
    for rows in ((0,), (0, 1)):
        powers = [(i, j) for j in (2, 1, 0) for i in rows[::-1]]
        if len(curve) < len(powers) - 1:
            continue
        matrix = np.array([[float(n) ** i * x**j for i, j in powers] for n, x in curve])
        scale = np.abs(matrix).max(axis=0)
        _, singular, vectors = np.linalg.svd(matrix / scale)
        if len(singular) < len(powers) or singular[-1] < EXACT * singular[0]:
            found = _integers(vectors[-1] / scale)
            if found is not None and _fits(matrix, found):
                return _polynomial(found, powers)
    return ""


def _integers(vector: np.ndarray) -> list[int] | None:
    """The vector as small integers, up to a factor; None where it is none."""
    least = min(abs(x) for x in vector if abs(x) > 1e-4 * max(abs(vector)))
    for k in range(1, LARGEST + 1):
        scaled = vector / least * k
        if max(abs(scaled)) < LARGEST + 0.5 and max(abs(scaled - np.rint(scaled))) < WHOLE:
            sign = 1 if next(x for x in np.rint(scaled) if x) > 0 else -1
            return [sign * int(x) for x in np.rint(scaled)]
    return None


def _fits(matrix: np.ndarray, integers: list[int]) -> bool:
    return bool((np.abs(matrix @ integers) <= EXACT * (np.abs(matrix) @ np.abs(integers))).all())


def _polynomial(integers: list[int], powers: list[tuple[int, int]]) -> str:
    """As "2 x^2 + n x - x - n = 0"."""
    text = ""
    for a, (i, j) in zip(integers, powers, strict=True):
        if a:
            letters = "".join(f" {letter}^{k}" if k > 1 else f" {letter}" for letter, k in (("n", i), ("x", j)) if k)
            size = "" if abs(a) == 1 and letters else str(abs(a))
            text += f" {'-' if a < 0 else '+'} {(size + letters).strip()}"
    return f"{text.strip().removeprefix('+ ')} = 0"


def closed_form(value: float) -> str:
    """A simple expression that has this value: a small fraction, its root or its logarithm, or what mpmath's `pslq`
    finds with a well-known number; a very simple one that is a little larger, as a supremum is that a grid of numbers
    does not meet; empty without any."""
    exact = 1e-3 * EXACT * value
    return _of_fraction(value, 64, exact) or _with_constant(value, exact) or _of_fraction(value, 16, NEARLY * value)


def _of_fraction(value: float, largest: int, more: float) -> str:
    for q, p in itertools.product(range(1, largest // 4 + 1), range(1, largest + 1)):
        if math.gcd(p, q) == 1:
            part = f"{p}/{q}" if q > 1 else str(p)
            for form, x in ((part, p / q), (f"sqrt({part})", math.sqrt(p / q)), (f"log({part})", math.log(p / q))):
                if -1e-3 * EXACT * value <= x - value <= more:
                    return form
    return ""


def _with_constant(value: float, exact: float) -> str:
    """(a + b c)/q with small integers for a well-known number c; empty without any."""
    import mpmath

    roots = [(f"sqrt({k})", math.sqrt(k)) for k in (2, 3, 5)]
    for name, c in (*roots, ("log(2)", math.log(2)), ("log(3)", math.log(3)), ("pi", math.pi)):
        q, a, b = mpmath.pslq([value, 1, c], maxcoeff=LARGEST, maxsteps=1000, tol=exact) or (0, 0, 0)
        if q and b and abs(q * value + a + b * c) <= abs(q) * exact:
            a, b = (-a, -b) if q > 0 else (a, b)
            part = f"{abs(b)} {name}" if abs(b) > 1 else name
            return f"({a} {'-' if b < 0 else '+'} {part})/{abs(q)}"
    return ""
