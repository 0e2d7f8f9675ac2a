"""Numbers from outside: finite floats or exact numbers as arrays, or one clear error that names the argument."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from arubatheory.arithmetic import Exact, exact, is_exact

Array = np.ndarray


def as_vector(name: str, value: Any) -> Array:
    r"""`value` as a new vector (d,) of finite floats or of exact numbers.

    A sequence that holds an `Exact` or a `Fraction` is exact; a number is a vector with $d = 1$. Raises TypeError for
    what is not made of real numbers, ValueError for NaN, infinities, an empty vector or more than one axis.
    """
    items = as_items(name, value)
    if items.ndim > 1:
        raise ValueError(f"{name} must be a vector, got an array of shape {items.shape}")
    items = items.reshape(-1)
    if items.size == 0:
        raise ValueError(f"{name} must not be empty, got {value!r}")
    return as_numbers(name, items, value)


def as_items(name: str, value: Any) -> Array:
    """`value` as an array of whatever it holds; ValueError when its rows differ in length."""
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} must be a regular array, got {value!r}") from error


def as_numbers(name: str, items: Array, value: Any) -> Array:
    """An array of real numbers, any shape, as finite float64 or as exact numbers (a new C-ordered array)."""
    if items.dtype == object:
        if any(isinstance(x, (Exact, Fraction)) for x in items.ravel().tolist()):
            return _as_exact(name, items, value)
        items = _as_floats(name, items, value)
    if items.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got {value!r}")
    numbers = np.array(items, dtype=np.float64, order="C")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite, got {value!r}")
    return numbers


def _as_exact(name: str, items: Array, value: Any) -> Array:
    out = np.empty(items.shape, dtype=object)
    for i, x in enumerate(items.ravel().tolist()):
        if isinstance(x, bool) or not isinstance(x, (Exact, Fraction, int)):
            raise TypeError(f"{name} must hold real numbers, floats or exact ones but not both, got {value!r}")
        out.ravel()[i] = x if isinstance(x, Exact) else Exact(x)
    return out


def _as_floats(name: str, items: Array, value: Any) -> Array:
    """Integers too long for int64 arrive as objects; they are floats like the short ones."""
    if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in items.ravel().tolist()):
        raise TypeError(f"{name} must hold real numbers, got {value!r}")
    try:
        return items.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} must be finite, got {value!r}") from error


def as_dimension(d: Any) -> int:
    """A positive int, or TypeError/ValueError naming `d`."""
    if isinstance(d, (bool, np.bool_)) or not isinstance(d, (int, np.integer)):
        raise TypeError(f"d must be an integer, got {d!r}")
    if d < 1:
        raise ValueError(f"d must be >= 1, got {d!r}")
    return int(d)


def zeros_like(shape: int | tuple[int, ...], x: Array) -> Array:
    """Zeros in the arithmetic of `x`, exact ones being `Exact(0)`."""
    return np.full(shape, Exact(0), dtype=object) if is_exact(x) else np.zeros(shape)


def in_common(a: Array, b: Array) -> tuple[Array, Array]:
    """Two vectors in one arithmetic; of floats, only whole numbers are lifted to exact ones silently."""
    if is_exact(a) == is_exact(b):
        return a, b
    floats = b if is_exact(a) else a
    if not np.all(floats == np.round(floats)):
        raise TypeError(f"floats and exact numbers do not mix, got {a!r} and {b!r}")
    return (a, exact(b)) if is_exact(a) else (exact(a), b)


def shaped(name: str, value: Any, d: int) -> Array:
    """A vector (d,), or a scalar broadcast to one."""
    v = as_vector(name, value)
    if v.size == 1 and np.ndim(value) == 0:
        v = np.repeat(v, d)
    if v.size != d:
        raise ValueError(f"{name} must have {d} entries, got {v.size}: {value!r}")
    return v
