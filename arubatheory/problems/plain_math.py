r"""Mathematics for the sides of a claim: floats while engines search, exact numbers when they judge, from one source.

`np.sqrt(t)` of a Python integer t is a float in either arithmetic, and numpy's linear algebra knows floats only. The
functions here are what stands in for them: an integer counts as exact wherever exact arithmetic is at work.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undefined, exact, is_exact, is_exact_here, midpoint
from arubatheory.kernel import on
from arubatheory.problems.matrices import gram, largest_eigenvalue, psd_margin
from arubatheory.problems.numbers import MOST, as_items, as_numbers, as_order
from arubatheory.problems.scalar import smaller

__all__ = ["exp", "identity", "inverse", "largest_eigenvalue", "log", "norm_at_most", "solve", "sqrt", "zeros"]

LARGE = 1e150  # a number whose square is far from the end of the range of floats
NUMBERS: Any = (Exact, float, int, Fraction, np.integer, np.floating)


# scalars, and arrays entry by entry ---------------------------------------------------------------------------------
def sqrt(x: Any) -> Any:
    r"""$\sqrt x$ of a number or of each entry of an array: rational where it is, else a ball; NaN in floats and
    `Undefined` in exact numbers below 0. Raises TypeError for what is no number, OverflowError in floats for an integer
    beyond their range."""
    return _of_each(np.sqrt, "x", x)


def log(x: Any) -> Any:
    r"""$\ln x$ of a number or of each entry of an array: a ball, but 0 at 1; not finite in floats and `Undefined` in
    exact numbers at 0 and below. Errors as of `sqrt`."""
    return _of_each(np.log, "x", x)


def exp(x: Any) -> Any:
    r"""$e^x$ of a number or of each entry of an array: a ball, but 1 at 0. Errors as of `sqrt`."""
    return _of_each(np.exp, "x", x)


def _of_each(function: Callable[[Any], Any], name: str, x: Any) -> Any:
    if isinstance(x, Exact | float):
        return function(x)
    if isinstance(x, np.ndarray | list | tuple):
        return function(_computed(name, x))
    if isinstance(x, int | np.integer | Fraction) and not isinstance(x, bool):
        number = Fraction(int(x)) if isinstance(x, int | np.integer) else x
        return function(Exact.here(number) if is_exact_here() else np.float64(number))
    raise TypeError(f"{name} must be a number or an array of numbers, got {x!r}")


def _computed(name: str, value: Any) -> Array:
    """An array of what a statement has computed: of exact numbers where one is, or where integers have to be."""
    items = as_items(name, value)
    if items.dtype.kind == "f":
        return items.astype(np.float64, copy=False)
    if is_exact_here() and items.dtype.kind in "iuO":
        items = np.array(items, dtype=object, order="C")
        items.ravel()[:] = [Fraction(x) if type(x) is int else x for x in items.ravel().tolist()]
    return as_numbers(name, items)


# arrays to begin with -----------------------------------------------------------------------------------------------
def zeros(shape: int | tuple[int, ...], like: Any) -> Array:
    r"""Zeros in the arithmetic of `like`, a number or an array: what a sum or a matrix begins with. Raises TypeError
    for what is no shape, ValueError for one that is too large."""
    sides = shape if isinstance(shape, tuple) else (shape,)
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in sides):
        raise TypeError(f"shape must be an integer or a tuple of integers, got {shape!r}")
    if not all(0 <= n <= MOST for n in sides) or math.prod(map(int, sides)) > MOST:
        raise ValueError(f"shape must hold at most {MOST} numbers, got {shape!r}")
    found = np.zeros(shape)
    return exact(found) if is_exact(like) else found


def identity(d: int, like: Any) -> Array:
    r"""The identity matrix (d, d) in the arithmetic of `like`, a number or an array."""
    found = np.eye(as_order(d))
    return exact(found) if is_exact(like) else found


# matrices ----------------------------------------------------------------------------------------------------------
def solve(A: Any, b: Any) -> Array:
    r"""$A^{-1}b$ for a square A (d, d), symmetric or not, and b (d,) or (d, n): by elimination, so that rationals stay
    rational. A singular matrix gives NaN in floats and is `Undefined` in exact numbers. Raises ValueError for shapes
    that do not fit, and beside exact numbers for NaN and infinities."""
    A, b = _computed("A", A), _computed("b", b)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or b.ndim not in (1, 2) or b.shape[0] != A.shape[0]:
        raise ValueError(f"A must be (d, d) and b (d,) or (d, n), got the shapes {A.shape} and {b.shape}")
    if not is_exact(A) and not is_exact(b):
        return _solved_in_floats(A, b)
    columns = exact(as_numbers("b", b if b.ndim == 2 else b[:, None]))
    found = _eliminated(np.hstack([exact(as_numbers("A", A)), columns]))
    return found if b.ndim == 2 else found[:, 0]


def inverse(A: Any) -> Array:
    r"""$A^{-1}$ of a square A (d, d), symmetric or not: as `solve` for the identity."""
    A = _computed("A", A)
    return solve(A, identity(max(len(A), 1) if A.ndim else 1, A))


def norm_at_most(A: Any, c: Any) -> Any:
    r"""A number that is >= 0 exactly when $\|A\|_2\le c$, for any A (n, d): a margin, decided without a root.

    It is the smaller of c and the margin of $c^2I-A^\top A$ being positive semidefinite. Raises ValueError for what is
    not a matrix, and for NaN and infinities beside exact numbers; TypeError for a c that is no number, or is a float
    beside an exact A; OverflowError for a rational c beyond the range of floats.
    """
    A = _computed("A", A)
    if A.ndim != 2 or A.size == 0:
        raise ValueError(f"A must be an array (n, d) with n, d >= 1, got shape {A.shape}")
    if not isinstance(c, NUMBERS) or isinstance(c, bool):
        raise TypeError(f"c must be a number, got {c!r}")
    if is_exact(A) and isinstance(c, float | np.floating):
        raise TypeError(f"c must be exact where A is, got {c!r}: write x / 2, not 0.5 * x")
    if not is_exact(A) and is_exact(c):
        A = exact(as_numbers("A", A))
    c = float(c) if isinstance(c, Fraction) and not is_exact(A) else c
    if A.dtype == np.float64 and LARGE < (size := max(float(np.abs(A).max()), abs(c))) < math.inf:
        return norm_at_most(A / size, c / size)  # the sign is the same
    margin = psd_margin(c * c * identity(A.shape[1], A) - on(gram, A)(A))
    return on(smaller, margin)(c, margin)


def _solved_in_floats(A: Array, b: Array) -> Array:
    try:
        return np.linalg.solve(A, b) if np.isfinite(A).all() and np.isfinite(b).all() else np.full(b.shape, np.nan)
    except np.linalg.LinAlgError:
        return np.full(b.shape, np.nan)


def _eliminated(rows: Array) -> Array:
    """The solution of (d, d + n), by Gauss and Jordan; the pivot of a column is its largest entry."""
    d = rows.shape[0]
    for j in range(d):
        k = max(range(j, d), key=lambda i: abs(midpoint(rows[i, j]) if type(rows[i, j]) is Exact else rows[i, j]))
        rows[[j, k]] = rows[[k, j]]
        if rows[j, j].is_rational and rows[j, j] == 0:
            raise Undefined(f"the inverse of a singular matrix ({d}, {d})")
        rows[j] = rows[j] / rows[j, j]
        for i in range(d):
            if i != j:
                rows[i] = rows[i] - rows[i, j] * rows[j]
    return rows[:, d:]
