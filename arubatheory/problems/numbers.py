"""Numbers from outside: finite floats or exact numbers, single or in arrays, or one clear error naming the argument."""

from __future__ import annotations

import math
from fractions import Fraction
from reprlib import Repr
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, exact, is_exact

NUMBERS = (int, float, np.integer, np.floating, Fraction, Exact)
MANY = 12  # numbers or entries that an error prints
MOST = 1 << 27  # numbers that an array may hold: 1 GiB of floats
_SHORT = Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = MANY
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 200


def shown(value: Any) -> str:
    """A value as an error names it, however large it is."""
    with np.printoptions(threshold=MANY):
        return _SHORT.repr(value.item() if isinstance(value, np.generic) else value)


# single numbers ----------------------------------------------------------------------------------------------------
def real(
    name: str, value: Any, *, above: Any = None, least: Any = None, most: Any = None, in_exact: bool = False
) -> Any:
    r"""`value` as one finite float64, or as an `Exact` with `in_exact`: > `above`, >= `least` and <= `most`, if given.

    A float stands for the dyadic rational that it is. Raises TypeError for what is not a real number, and for an
    `Exact` where floats are meant; ValueError for NaN, infinities, what float64 cannot hold, and outside the bounds.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, NUMBERS):
        raise TypeError(f"{name} must be a real number, got {shown(value)}")
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    number = _as_exact_number(value) if in_exact else _as_float(name, value)
    if above is not None and not number > above:
        raise ValueError(f"{name} must be > {above:g}, got {shown(value)}")
    if least is not None and not number >= least:
        raise ValueError(f"{name} must be >= {least:g}, got {shown(value)}")
    if most is not None and not number <= most:
        raise ValueError(f"{name} must be <= {most:g}, got {shown(value)}")
    return number


def _as_exact_number(value: Any) -> Any:
    return Exact(int(value)) if isinstance(value, int | np.integer) else exact(value)


def _as_float(name: str, value: Any) -> float:
    if isinstance(value, Exact):
        raise TypeError(f"{name} must be in floats, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or (number == 0 and value != 0):
        raise ValueError(f"{name} must be in the range of float64, got {value!r}")
    return number


def check_count(name: str, n: Any) -> None:
    """ValueError unless n is an integer of at least 1, and no more than an array holds."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"{name} must be an integer >= 1, got {n!r}")
    if n > MOST:
        raise ValueError(f"{name} must be at most {MOST}, got {n!r}")


def as_dimension(d: Any, most: int = MOST) -> int:
    """A positive int of which a vector can be made, or TypeError/ValueError naming `d`."""
    if type(d) is not int and (isinstance(d, bool | np.bool_) or not isinstance(d, int | np.integer)):
        raise TypeError(f"d must be an integer, got {d!r}")
    if d < 1:
        raise ValueError(f"d must be >= 1, got {d!r}")
    if d > most:
        raise ValueError(f"d must be at most {most}, got {d!r}")
    return int(d)


def as_order(d: Any) -> int:
    """`as_dimension` for a matrix (d, d)."""
    return as_dimension(d, math.isqrt(MOST))


def check_generator(rng: Any) -> None:
    """TypeError unless rng is a numpy Generator, from which numbers are drawn."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy Generator, got {rng!r}")


# arrays ------------------------------------------------------------------------------------------------------------
def as_vector(name: str, value: Any) -> Array:
    r"""`value` as a new vector (d,) of finite floats or of exact numbers.

    A sequence that holds an `Exact` or a `Fraction` is exact; a number is a vector with $d = 1$. Raises TypeError for
    what is not made of real numbers, ValueError for NaN, infinities, an empty vector or more than one axis.
    """
    numbers = as_numbers(name, value)
    if numbers.ndim > 1:
        raise ValueError(f"{name} must be a vector, got an array of shape {numbers.shape}")
    if numbers.size == 0:
        raise ValueError(f"{name} must not be empty, got {shown(value)}")
    return numbers.reshape(-1)


def as_items(name: str, value: Any) -> Array:
    """`value` as an array of whatever it holds; ValueError when its rows differ in length or there is no room for it,
    TypeError where entries are masked."""
    if _is_masked(value):
        raise TypeError(f"{name} must not be masked, as the masked entries would count; got {shown(value)}")
    try:
        items = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} must be a regular array, got {shown(value)}") from error
    if items.size > MOST:
        raise ValueError(f"{name} must hold at most {MOST} numbers, got {items.size}")
    return items


def _is_masked(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return not set(map(type, value)) <= {int, float} and any(map(_is_masked, value))
    return isinstance(value, np.ma.MaskedArray)


def as_numbers(name: str, value: Any) -> Array:
    """`value`, of any shape, as a new C-ordered array of finite float64 or of exact numbers."""
    items = as_items(name, value)
    if items.dtype == object:
        if any(isinstance(x, (Exact, Fraction)) for x in items.ravel().tolist()):
            return _as_exact(name, items, value)
        items = _as_floats(name, items, value)
    if items.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, got {shown(value)}")
    numbers = np.array(items, dtype=np.float64, order="C")
    _check_finite(name, numbers, value)
    return numbers


def _check_finite(name: str, x: Array, value: Any) -> None:
    """ValueError unless all of x is finite, which says where the first number is that is not, in a large array."""
    fine = np.isfinite(x)
    if not fine.all():
        at = tuple(map(int, np.argwhere(~fine)[0]))
        where = f"{x[at]!s} at {list(at)} of shape {x.shape}" if x.size > MANY else shown(value)
        raise ValueError(f"{name} must be finite, got {where}")


def _as_exact(name: str, items: Array, value: Any) -> Array:
    out = np.empty(items.shape, dtype=object)
    for i, x in enumerate(items.ravel().tolist()):
        if isinstance(x, bool) or not isinstance(x, (Exact, Fraction, int)):
            raise TypeError(f"{name} must hold real numbers, floats or exact ones but not both, got {shown(value)}")
        out.ravel()[i] = x if isinstance(x, Exact) else Exact(x)
    return out


def _as_floats(name: str, items: Array, value: Any) -> Array:
    """Integers too long for int64 arrive as objects; they are floats like the short ones."""
    if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in items.ravel().tolist()):
        raise TypeError(f"{name} must hold real numbers, got {shown(value)}")
    try:
        return items.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} must be finite, got {shown(value)}") from error


def floats(name: str, value: Any) -> Array:
    """`value` as a C-ordered array of finite float64, the given array itself where it is one; else `as_numbers`."""
    if not (type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous):
        return as_numbers(name, value)
    if value.size > MOST:
        raise ValueError(f"{name} must hold at most {MOST} numbers, got {value.size}")
    with np.errstate(all="ignore"):
        # a sum is finite where all are, but for an overflow; an array of truth values would be an eighth of the data
        if not math.isfinite(value.sum()):
            _check_finite(name, value, value)
    return value


def as_floats(name: str, value: Any) -> Array:
    """`as_numbers` in floats only; TypeError for exact numbers."""
    return in_floats(name, as_numbers(name, value))


def in_floats(name: str, array: Array) -> Array:
    """The array itself, or TypeError where it is exact."""
    if is_exact(array):
        raise TypeError(f"{name} must be in floats, got exact numbers")
    return array


def probabilities(name: str, value: Any) -> Array:
    """Floats (n,) that are >= 0 and sum to 1 up to rounding; else the error that names them."""
    p = in_floats(name, as_vector(name, value))
    if not (p >= 0).all() or abs(p.sum() - 1) > 1e-12:
        raise ValueError(f"{name} must be probabilities that sum to 1, got {shown(value)}")
    return p


def spread(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    """A new array of this shape that the given one is broadcast to, or ValueError."""
    try:
        return np.array(np.broadcast_to(array, shape))
    except ValueError:
        raise ValueError(f"{name} must have a shape that broadcasts to {shape}, got {array.shape}") from None


def zeros_like(shape: int | tuple[int, ...], x: Array) -> Array:
    """Zeros in the arithmetic of `x`, exact ones being `Exact(0)`."""
    return np.full(shape, Exact(0), dtype=object) if is_exact(x) else np.zeros(shape)


def in_common(a: Array, b: Array, names: str) -> tuple[Array, Array]:
    """Two vectors in one arithmetic; of floats, only whole numbers are lifted to exact ones silently."""
    if is_exact(a) == is_exact(b):
        return a, b
    floats = b if is_exact(a) else a
    if not np.all(floats == np.round(floats)):
        raise TypeError(f"{names} must not mix floats and exact numbers, got {shown(a)} and {shown(b)}")
    return (a, exact(b)) if is_exact(a) else (exact(a), b)


def shaped(name: str, value: Any, d: int) -> Array:
    """A vector (d,), or a scalar broadcast to one."""
    v = as_vector(name, value)
    if v.size == 1 and np.ndim(value) == 0:
        v = np.repeat(v, d)
    if v.size != d:
        raise ValueError(f"{name} must have {d} entries, got {v.size}: {shown(value)}")
    return v
