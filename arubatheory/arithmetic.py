r"""Numbers that refuse to guess: rationals while the arithmetic stays rational, balls after that.

A kernel of this project is plain numpy-flavoured Python. Run on arrays of `Exact` instead of floats it computes
either the exact rational result or, once a root, a logarithm or an exponential has been taken, a ball that contains
it. Three rules make the outcome a certificate:

* an operation with a float is a `TypeError`: nothing leaks in from floating point;
* a comparison that overlapping balls cannot decide raises `Undecided` (plain `flint.arb` answers False both ways);
* an operation that has no real value, as $\log 0$ or $1/0$, raises `Undefined`.

A rational may have three times the digits after each step of a kernel. One that has grown beyond `LONGEST`, or beyond
what is left of `MOST_LONG`, becomes a ball too: it encloses as any other, and costs no more.

`COUNT.operations` counts the operations performed: the number of roundings that the same kernel commits in float64.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from operator import add, mul, not_, sub
from typing import Any

import flint
import numpy as np
from numpy.typing import ArrayLike as ArrayLike

Array = np.ndarray
"""Floats, integers, or (dtype object) exact numbers."""
FIRST_BITS = 128
LAST_BITS = 4096
LARGEST_EXPONENT = 1 << 18  # bits of the largest rational that a ball's midpoint is turned into
LONG = 1 << 16  # bits of a rational from which on its operations take milliseconds
LONGEST = 1 << 22  # bits of a rational: a power of 2^14 in the paper has most of them, a gcd of two takes a second
MOST_LONG = 1 << 27  # bits of all long rationals that are computed inside one context of `precision`


class Undecided(ArithmeticError):
    """Two balls overlap, so a comparison has no certain answer at this precision."""


class Undefined(ArithmeticError):
    """An operation on real numbers has no real value."""


class Counter:
    """What operations are counted in: if each wrote into the class of numbers, Python would look up its methods anew
    after each."""

    operations = 0


COUNT, _NEW = Counter(), object.__new__


def _make(value: flint.fmpq | flint.arb) -> Exact:
    COUNT.operations += 1
    if isinstance(value, flint.fmpq):
        if (bits := value.height_bits()) > LONG:
            Exact.long_bits += bits
            value = flint.arb(value) if bits > LONGEST or Exact.long_bits > MOST_LONG else value
    elif not value.is_finite() and not Exact.forgives:
        raise Undecided(f"the ball blew up: {value}")
    result = _NEW(Exact.made)
    result.v = value
    return result


def _binary(how: Callable[[Any, Any], Any], then: Callable[[Any], Any] = _make) -> Callable[[Exact, Any], Any]:
    """An operator on the `v` of numbers, and what is made `then` of its result; arrays are left to numpy, which applies
    it elementwise."""

    def operator(self: Exact, other: Any) -> Any:
        if isinstance(other, Exact):
            return then(how(self.v, other.v))
        if isinstance(other, np.ndarray):
            return NotImplemented
        return then(how(self.v, _operand(other)))

    return operator


def _quotient(a: flint.fmpq | flint.arb, b: flint.fmpq | flint.arb) -> flint.fmpq | flint.arb:
    if isinstance(b, flint.fmpq):
        if b == 0:
            return _no_number(f"division of {_text(a)} by zero")
    elif b.contains(0) or not b.is_finite():
        raise Undecided(f"division by {b}, which may be zero or infinite")
    return a / b


def _no_number(words: str) -> flint.arb:
    """Raises Undefined; where that is forgiven, what makes no number of all that is computed with it."""
    if Exact.forgives:
        return flint.arb.nan()
    raise Undefined(words)


def _less(a: flint.fmpq | flint.arb, b: flint.fmpq | flint.arb) -> bool:
    """Whether a < b, or `Undecided`."""
    if a < b:
        return True
    if a >= b:
        return False
    raise Undecided(f"{_text(a)} < {_text(b)}")


class Exact:
    r"""A real number known exactly (a rational) or enclosed by a ball at the current precision."""

    __slots__ = ("v",)
    forgives = False  # what is undefined, until it is compared
    long_bits = -math.inf  # those of the long rationals of this context; nothing is counted outside

    made: type[Exact]  # what operations make: Exact, or numbers that know more (`engines.addends`)
    here: Any  # what makes an exact number of a rational one: Exact, or what knows how it is used (`prove.tracing`)
    v: Any  # a flint.fmpq or a flint.arb

    def __init__(self, value: Any) -> None:
        if isinstance(value, Fraction):
            value = flint.fmpq(value.numerator, value.denominator)
        elif isinstance(value, int):
            value = flint.fmpq(value)
        if not isinstance(value, flint.fmpq | flint.arb):
            raise TypeError(f"value must be an integer, a fraction, a flint.fmpq or a flint.arb, got {value!r}")
        self.v = value

    @property
    def is_rational(self) -> bool:
        """Whether it is known exactly."""
        return isinstance(self.v, flint.fmpq)

    # arithmetic ------------------------------------------------------------------------------------------------
    __add__ = __radd__ = _binary(add)
    __sub__, __rsub__ = _binary(sub), _binary(lambda a, b: b - a)
    __mul__ = __rmul__ = _binary(mul)
    __truediv__, __rtruediv__ = _binary(_quotient), _binary(lambda a, b: _quotient(b, a))

    def __pow__(self, power: Any) -> Any:
        r"""$x^p$ for an integer p; by roots where p is a multiple of 1/16; else, for x > 0, $e^{p\log x}$."""
        if isinstance(power, Exact | np.ndarray):
            return self._raised(power) if isinstance(power, Exact) else NotImplemented
        p, root = _power(power), self
        for _ in range(p.denominator.bit_length() - 1):
            root = root.sqrt()
        return root._whole_power(p.numerator)

    def _whole_power(self, power: int) -> Exact:
        if power < 0:
            return 1 / self._whole_power(-power)
        if power == 2:  # flint takes powers by logarithms, which a ball around 0 has not
            return _make(self.v * self.v)
        large = self.is_rational and (self.v.height_bits() - 1) * power > LONGEST
        return _make((flint.arb(self.v) if large else self.v) ** power)

    def _raised(self, power: Exact) -> Any:
        if power.is_rational and power.v.q == 1:
            return self ** int(power.v.p)
        if self == 0:
            return 0 * self if power > 0 else 1 / self
        if self < 0 and not power.is_rational and power.v.contains_integer():
            raise Undecided(f"whether the power {power.v} of {_text(self.v)} is an integer")
        return (power * self.log()).exp()

    def __rpow__(self, base: Any) -> Any:
        return (0 * self + base) ** self

    def __neg__(self) -> Exact:
        return Exact(-self.v)

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return Exact(abs(self.v))

    def sqrt(self) -> Exact:
        """The root: a rational where it is one, else a ball; Undefined below 0."""
        if self.is_rational:
            if self.v < 0:
                return _make(_no_number(f"square root of {_text(self.v)}"))
            p, q = self.v.p, self.v.q
            if p.is_square() and q.is_square():
                return _make(flint.fmpq(p.isqrt(), q.isqrt()))
        elif not self.v >= 0:
            if not self.v < 0:
                raise Undecided(f"sign of {self.v}")
            return _make(_no_number(f"square root of {_text(self.v)}"))
        return _make(flint.arb(self.v).sqrt())

    def exp(self) -> Exact:
        """The exponential: a ball, but 1 at 0."""
        return Exact(1) if self.is_rational and self.v == 0 else _make(flint.arb(self.v).exp())

    def log(self) -> Exact:
        """The natural logarithm: a ball, but 0 at 1; Undefined at 0 and below."""
        if self.is_rational and self.v == 1:
            return Exact(0)
        if not self.v > 0:
            if not self.v <= 0:
                raise Undecided(f"sign of {self.v}")
            return _make(_no_number(f"logarithm of {_text(self.v)}"))
        return _make(flint.arb(self.v).log())

    # comparisons -----------------------------------------------------------------------------------------------
    __lt__, __gt__ = _binary(_less, bool), _binary(lambda a, b: _less(b, a), bool)
    __ge__, __le__ = _binary(_less, not_), _binary(lambda a, b: _less(b, a), not_)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exact | Fraction | int | np.integer | float):
            return NotImplemented
        value = _operand(other)
        if self.is_rational and isinstance(value, flint.fmpq):
            return bool(self.v == value)
        if self.v < value or self.v > value:
            return False
        if self.v <= value and self.v >= value:  # two balls of radius 0
            return True
        raise Undecided(f"{_text(self.v)} == {_text(value)}")

    def __ne__(self, other: object) -> bool:
        return equal if (equal := self.__eq__(other)) is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(Fraction(int(self.v.p), int(self.v.q))) if self.is_rational else hash(str(self.v))

    def __bool__(self) -> bool:
        return self != 0

    def __float__(self) -> float:
        raise TypeError("an Exact never turns into a float by itself; use approximate()")

    def __repr__(self) -> str:
        return f"Exact({_text(self.v)})"

    def __reduce__(self) -> Any:
        """Pickled, and copied: a ball comes back with the same midpoint and radius."""
        if self.is_rational:
            return Exact, (self.v,)
        parts = (part.man_exp() for part in (self.v.mid(), self.v.rad()))
        return _restored, tuple((int(mantissa), int(exponent)) for mantissa, exponent in parts)


Exact.made = Exact.here = Exact
_ASKED: dict[str, Callable[[Any], Any]] = {  # what numpy asks of its entries, made of the above
    "conjugate": lambda x: x,
    "log1p": lambda x: (1 + x).log(),
    "log2": lambda x: x.log() / (0 * x + 2).log(),
    "expm1": lambda x: x.exp() - 1,
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
}
for _name, _function in _ASKED.items():
    setattr(Exact, _name, _function)
Number = float | Fraction | Exact
"""One number from outside."""


def _restored(middle: tuple[int, int], radius: tuple[int, int]) -> Exact:
    """The ball with this midpoint and radius, mantissa and exponent each. flint rounds a radius up to 30 bits, and some
    that need no rounding too: it is handed a quarter of the last bit less."""
    mantissa, exponent = radius
    shift = 32 - mantissa.bit_length()
    less = ((mantissa << shift) - 1, exponent - shift)
    return Exact(flint.arb(middle, less) if mantissa else flint.arb(middle))


def _operand(value: Any) -> flint.fmpq | flint.arb:
    if type(value) is int or (isinstance(value, (int, np.integer)) and not isinstance(value, bool)):
        return flint.fmpq(int(value))
    if isinstance(value, Exact):
        return value.v
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"an Exact does not mix with the truth value {value!r}")
    if isinstance(value, Fraction):
        return flint.fmpq(value.numerator, value.denominator)
    if isinstance(value, float) and not math.isfinite(value):  # to be compared with: nothing is computed with it
        return flint.arb(value)
    raise TypeError(f"an Exact does not mix with {type(value).__name__} {value!r}: write x / 2, not 0.5 * x")


def _power(value: Any) -> Any:
    """A power that products and roots reach, as a fraction or an integer."""
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, Fraction | float) and math.isfinite(value) and 16 % Fraction(value).denominator == 0:
        return Fraction(value)
    raise TypeError(f"an Exact takes integers and multiples of 1/16 as powers, got {value!r}: write exp(p * log(x))")


def _text(value: flint.fmpq | flint.arb) -> str:
    """A number as messages have it: a rational longer than anyone reads as a ball."""
    return str(flint.arb(value) if isinstance(value, flint.fmpq) and value.height_bits() > LONG else value)


def exact(value: Any) -> Any:
    r"""The same value in exact numbers; a float stands for the dyadic rational that it is.

    Scalars become `Exact`, float arrays become object arrays of `Exact`; integers, booleans, strings and integer
    arrays (counts, codes, indices) are left alone; tuples and named tuples are walked through.

    Raises ValueError for NaN and infinities.
    """
    if isinstance(value, float | np.floating):
        if not np.isfinite(value):
            raise ValueError(f"only a finite number has an exact value, got {value!r}")
        return Exact(Fraction(float(value)))
    if isinstance(value, Fraction):
        return Exact(value)
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"value must not be masked, got {value!r}")
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return _each(exact, value, object) if floats or isinstance(value, tuple) else value


def approximate(value: Any) -> Any:
    """The nearest float64 picture of an exact value (arrays and tuples are walked through)."""
    if isinstance(value, Exact):
        return int(v.p) / int(v.q) if isinstance(v := value.v, flint.fmpq) else float(v.mid())
    if isinstance(value, Fraction):
        return float(value)
    objects = isinstance(value, np.ndarray) and value.dtype == object
    return _each(approximate, value, np.float64) if objects or isinstance(value, tuple) else value


def _each(how: Callable[[Any], Any], value: Any, dtype: Any) -> Any:
    """An array or a tuple, entry by entry."""
    if isinstance(value, np.ndarray):
        out = np.empty(value.shape, dtype)
        out.ravel()[:] = [how(x) for x in value.ravel().tolist()]
        return out
    items = [how(x) for x in value]
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def ball(centre: Any, radius: Any) -> Exact:
    r"""The ball $[c - r, c + r]$ as an Exact, for exact `centre` and `radius` >= 0 (ValueError below)."""
    c, r = _operand(centre), _operand(radius)
    if r < 0:
        raise ValueError(f"radius must be >= 0, got {radius!r}")
    if isinstance(r, flint.fmpq) and r == 0:
        return Exact(c)
    c, r = flint.arb(c), flint.arb(r)
    return Exact((c - r).union(c + r))


def midpoint(value: Exact) -> Exact:
    """A rational inside the ball `value` (the value itself when it is rational)."""
    if value.is_rational:
        return value
    mantissa, exponent = value.v.mid().man_exp()
    if abs(int(exponent)) > LARGEST_EXPONENT:
        raise Undecided(f"the ball {value.v} is too large or too small to be written down as a rational")
    power = flint.fmpq(2) ** int(exponent) if exponent >= 0 else 1 / flint.fmpq(2) ** int(-exponent)
    return Exact(flint.fmpq(mantissa) * power)


def enclosure(value: Exact) -> Any:
    """The number as a real ball (a `flint.arb`) of the current precision: what an integrand is built from."""
    return flint.arb(value.v)


def at_real(f: Callable[[Any, bool], Any], x: Exact) -> Exact:
    """The real part of f, as `integral` takes it, on the real ball x."""
    return _make(f(flint.acb(enclosure(x)), False).real)


def integral(f: Callable[[Any, bool], Any], low: Exact, high: Exact, absolute: Exact, relative: Exact) -> Exact:
    r"""A ball that contains $\int_{low}^{high} f$, by Gauss-Legendre quadrature with a bound of its error.

    `f(z, analytic)` maps a complex ball to one, and to what is not finite if `analytic` is set and f is not analytic
    on z. The radius is aimed at `absolute`, or at `relative` times the value.
    """
    tolerances = {"abs_tol": enclosure(absolute), "rel_tol": enclosure(relative)}
    return _make(flint.acb.integral(f, enclosure(low), enclosure(high), **tolerances).real)


def regularized_beta(x: Exact, a: int, b: int) -> Exact:
    r"""A ball that contains $I_x(a, b) = \int_0^x t^{a-1}(1-t)^{b-1}dt / \int_0^1 t^{a-1}(1-t)^{b-1}dt$, $a, b \ge 1$,
    $0 \le x \le 1$."""
    return _make(enclosure(x).beta_lower(a, b, regularized=1))


def wrapped(values: Iterable[Any]) -> list[Exact]:
    """What was computed from the `v` of exact numbers, as such: many with little ado, of which COUNT.operations does
    not know."""
    return [_make(value) for value in values]


def is_exact(x: Any) -> bool:
    """Whether `x` (a number or an array) belongs to exact arithmetic rather than to floating point."""
    return isinstance(x, Exact) or (isinstance(x, np.ndarray) and x.dtype == object)


def sure(test: Callable[[], Any], otherwise: Any = False) -> Any:
    """What a test says, or `otherwise` where balls overlap and decide nothing."""
    try:
        return test()
    except Undecided:
        return otherwise


def is_exact_here() -> bool:
    """Whether this runs inside `precision`, where whatever is computed has to be exact: plain integers go by it."""
    return Exact.long_bits >= 0


@contextlib.contextmanager
def precision(bits: int) -> Iterator[None]:
    """Balls are computed with `bits` bits inside this context."""
    before, counted = flint.ctx.prec, Exact.long_bits
    flint.ctx.prec, Exact.long_bits = bits, max(counted, 0)
    try:
        yield
    finally:
        flint.ctx.prec = before
        if counted < 0:  # the outermost context
            Exact.long_bits = counted
