r"""Where a sequence of sharp constants goes, and what its members may be. Guesses, and called so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

Curve = Sequence[tuple[int, float]]
LARGEST = 12  # coefficient of a relation
EXACT = 1e-7  # relative: how well a guess must fit


def limit(curve: Curve) -> tuple[float, float] | None:
    r"""An interval for $\lim_n x_n$: the hull of the last value and of what $x_n = x + a/n$ and $x_n = x + a/\sqrt n$
    through the last two say; None for fewer than three values."""
    if len(curve) < 3:
        return None
    (m, before), (n, last) = curve[-2:]
    ends = [last]
    for power in (1.0, 0.5):
        p, q = m**-power, n**-power
        ends.append(last + (last - before) * q / (p - q))
    return min(ends), max(ends)


def relation(curve: Curve) -> str:
    r"""Integers with $\sum_{i \le 1, j \le 2} a_{ij} n^i x_n^j = 0$ along the whole curve, as text; empty without any.
    There must be two more values than unknowns."""
    for rows in ((0,), (0, 1)):
        powers = [(i, j) for j in (2, 1, 0) for i in rows[::-1]]
        if len(curve) < len(powers) + 2:
            continue
        matrix = np.array([[float(n) ** i * x**j for i, j in powers] for n, x in curve])
        scale = np.abs(matrix).max(axis=0)
        _, singular, vectors = np.linalg.svd(matrix / scale)
        if singular[-1] < EXACT * singular[0]:
            found = _integers(vectors[-1] / scale)
            if found is not None and _fits(matrix, found):
                return _polynomial(found, powers)
    return ""


def _integers(vector: np.ndarray) -> list[int] | None:
    """The vector as small integers, up to a factor; None where it is none."""
    least = min(abs(x) for x in vector if abs(x) > 1e-4 * max(abs(vector)))
    for k in range(1, LARGEST + 1):
        scaled = vector / least * k
        if max(abs(scaled)) < LARGEST + 0.5 and max(abs(scaled - np.rint(scaled))) < 1e-3:
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
    """A simple expression that has this value: a root of small rationals, or what mpmath's `identify` finds; empty
    without any."""
    for q, p in itertools.product(range(1, 17), range(1, 65)):
        if math.gcd(p, q) == 1:
            for form, x in ((f"{p}/{q}", p / q), (f"sqrt({p}/{q})", math.sqrt(p / q))):
                if abs(value - x) <= 1e-3 * EXACT * x:
                    return form.replace("/1", "") if q == 1 else form
    import mpmath

    return str(mpmath.identify(value, ["sqrt(2)", "sqrt(3)", "log(2)"], tol=1e-3 * EXACT) or "")
