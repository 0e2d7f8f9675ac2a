r"""A second kind of exact number, on Python's own arithmetic: what `Exact` computes is computed again without it.

A `Plain` is a fraction while the arithmetic stays rational and short, and a decimal number of `DIGITS` digits after
that. It stands wherever an `Exact` may, so that the same pure kernels run on it, and shares no operation with it: not
one of flint's numbers is added, compared or rooted here. It encloses nothing: it carries so many digits that it lies in
every ball that is right.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, Undefined, enclosure

DIGITS = 120
LONGEST = 1 << 13  # bits of a fraction that stays one
CONTEXT = decimal.Context(prec=DIGITS, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


def ends(x: Any) -> tuple[Fraction, Fraction]:
    """The least and the largest number of an integer, a fraction or an `Exact`, read off flint's digits."""
    if isinstance(x, Plain):
        x = Fraction(x.number)
    if not isinstance(x, Exact):
        return Fraction(x), Fraction(x)
    if x.is_rational:
        value = Fraction(int(x.v.p), int(x.v.q))
        return value, value
    ball = enclosure(x)
    middle, reach = (_dyadic(*part.man_exp()) for part in (ball.mid(), ball.rad()))
    return middle - reach, middle + reach


def mapped(value: Any, f: Callable[[Exact], Any]) -> Any:
    """A part of an exact instance with f applied to its exact numbers."""
    if isinstance(value, Exact):
        return f(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        out: Array = np.empty_like(value)
        out.ravel()[:] = [mapped(x, f) for x in value.ravel().tolist()]
        return out
    if isinstance(value, tuple):
        items = [mapped(x, f) for x in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def plain(x: Any) -> Plain:
    """A number as a `Plain`: the middle of a ball."""
    low, high = ends(x)
    return x if isinstance(x, Plain) else Plain((low + high) / 2)


def meet(x: Any, y: Any) -> bool:
    """Whether two numbers may be one: they are equal, a ball holds the other or both overlap; what is no fraction, up
    to half of its digits."""
    (low, high), (least, most) = ends(x), ends(y)
    decimal_ones = any(isinstance(z, Plain) and not z.is_rational for z in (x, y))
    slack = max(map(abs, (low, high, least, most))) / 10 ** (DIGITS // 2) if decimal_ones else 0
    return low - slack <= most and least - slack <= high


def _dyadic(mantissa: Any, exponent: Any) -> Fraction:
    return int(mantissa) * Fraction(2) ** int(exponent)


def _number(value: Any) -> Fraction | Decimal:
    if isinstance(value, Plain):
        return value.number
    if isinstance(value, Exact):  # a constant that a kernel has made by itself
        low, high = ends(value)
        return low if value.is_rational else _decimal((low + high) / 2)
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer | Fraction):
        raise TypeError(f"a Plain does not mix with {type(value).__name__} {value!r}")
    return value if isinstance(value, Fraction) else Fraction(int(value))


def _decimal(x: Fraction | Decimal) -> Decimal:
    return x if isinstance(x, Decimal) else CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))


def _operator(fractions: Callable[[Any, Any], Any], decimals: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator from that of fractions and that of decimals; arrays are left to numpy."""

    def operate(self: Plain, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        a, b = self.number, _number(other)
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return Plain(fractions(a, b))
        return Plain(decimals(_decimal(a), _decimal(b)))

    return operate


def _comparison(holds: Callable[[int], bool]) -> Callable[[Any, Any], Any]:
    """A comparison from what it says of the sign of the difference; arrays are left to numpy."""

    def compare(self: Plain, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        a, b = Fraction(self.number), Fraction(_number(other))
        return holds((a > b) - (a < b))

    return compare


def _over(divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def quotient(a: Any, b: Any) -> Any:
        if b == 0:
            raise Undefined(f"division of {a} by zero")
        return divide(a, b)

    return quotient


class Plain(Exact):
    """A fraction, or a decimal number of `DIGITS` digits, in the place of an `Exact`."""

    __slots__ = ("number",)

    def __init__(self, number: Fraction | Decimal) -> None:
        if isinstance(number, Fraction) and max(number.numerator, number.denominator).bit_length() > LONGEST:
            number = _decimal(number)
        self.number = number

    @property
    def v(self) -> Any:
        """As flint has it, for what only flint computes."""
        value = Exact(Fraction(self.number))
        return value.v if self.is_rational else enclosure(value)

    @property
    def is_rational(self) -> bool:
        """Whether it is known exactly."""
        return isinstance(self.number, Fraction)

    __add__ = __radd__ = _operator(lambda a, b: a + b, CONTEXT.add)
    __mul__ = __rmul__ = _operator(lambda a, b: a * b, CONTEXT.multiply)
    __sub__ = _operator(lambda a, b: a - b, CONTEXT.subtract)
    __rsub__ = _operator(lambda a, b: b - a, lambda a, b: CONTEXT.subtract(b, a))
    __truediv__ = _operator(_over(lambda a, b: a / b), _over(CONTEXT.divide))
    __rtruediv__ = _operator(lambda a, b: _over(lambda p, q: p / q)(b, a), lambda a, b: _over(CONTEXT.divide)(b, a))
    __lt__ = _comparison(lambda sign: sign < 0)
    __le__ = _comparison(lambda sign: sign <= 0)
    __gt__ = _comparison(lambda sign: sign > 0)
    __ge__ = _comparison(lambda sign: sign >= 0)
    __eq__ = _comparison(lambda sign: sign == 0)
    __ne__ = _comparison(lambda sign: sign != 0)

    def __hash__(self) -> int:
        return hash(self.number)

    def __bool__(self) -> bool:
        return self.number != 0

    def __neg__(self) -> Plain:
        return Plain(self.number.copy_negate() if isinstance(self.number, Decimal) else -self.number)

    def __abs__(self) -> Plain:
        return -self if self.number < 0 else self

    def _whole_power(self, power: int) -> Plain:
        result = Plain(Fraction(1))
        for _ in range(abs(power)):
            result = result * self
        return result if power >= 0 else 1 / result

    def sqrt(self) -> Plain:
        """The root; Undefined below 0."""
        if self.number < 0:
            raise Undefined(f"square root of {self.number}")
        if isinstance(self.number, Fraction):
            p, q = math.isqrt(self.number.numerator), math.isqrt(self.number.denominator)
            if Fraction(p * p, q * q) == self.number:
                return Plain(Fraction(p, q))
        return Plain(CONTEXT.sqrt(_decimal(self.number)))

    def exp(self) -> Plain:
        """The exponential."""
        return Plain(Fraction(1) if self.number == 0 else CONTEXT.exp(_decimal(self.number)))

    def log(self) -> Plain:
        """The natural logarithm; Undefined at 0 and below."""
        if self.number <= 0:
            raise Undefined(f"logarithm of {self.number}")
        return Plain(Fraction(0) if self.number == 1 else CONTEXT.ln(_decimal(self.number)))

    def __repr__(self) -> str:
        return f"Plain({self.number})"
