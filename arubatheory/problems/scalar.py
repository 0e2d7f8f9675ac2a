r"""Scalar steps for which floats, rationals and balls need different words.

A kernel is one source for all three. Six steps cannot be: the larger of two overlapping balls has no branch to take but
does have an enclosure, $\max(a, b) = (a + b + |a - b|)/2$; a unit of rounding exists only in floats; $+\infty$ is a
float and no real number; an exponential is a polynomial where a loop has to become vector instructions; the logarithm
of 1 + x has digits that 1 + x forgets in floats; and the root of a monotone function is iterated to the last bit in
floats, yet has to be bracketed by certain signs to become a ball.
`twin` ties such a pair of versions to one name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from arubatheory.arithmetic import Exact, Undecided, Undefined, approximate, ball, exact, is_exact, midpoint, sure
from arubatheory.kernel import compiled, kernel, pure

F = TypeVar("F", bound=Callable[..., Any])
EPSILON = float(np.finfo(np.float64).eps)
# ln 2 = LN2_HIGH + LN2_LOW; the high part has 40 bits, so that its products with small integers are exact.
LN2_HIGH, LN2_LOW, PER_LN2 = 0.6931471805592082, 7.371002565167799e-13, 1.4426950408889634


def twin(exact_version: Callable[..., Any]) -> Callable[[F], F]:
    """A kernel for floats that hands over to `exact_version` (same signature) as soon as an argument is exact.

    `pure` rebuilds a kernel from its `py_func`, so that is where the choice is put.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def either(*args: Any) -> Any:
            return pure(exact_version if any(map(is_exact, args)) else function)(*args)

        if not compiled():
            return either  # type: ignore[return-value]
        result = kernel(function)
        result.py_func = either  # type: ignore[attr-defined]
        return result

    return decorate


def _larger(a: Any, b: Any) -> Any:
    try:
        return a if a >= b else b
    except Undecided:
        return (a + b + abs(a - b)) / 2


def _smaller(a: Any, b: Any) -> Any:
    try:
        return a if a <= b else b
    except Undecided:
        return (a + b - abs(a - b)) / 2


def _exceeds(a: Any, b: Any) -> bool:
    return bool(sure(lambda: a > b, True))


def _infinite(x: Any) -> Any:
    raise Undefined(f"an infinite value at {x!r}")


@twin(_larger)
def larger(a: Any, b: Any) -> Any:
    r"""$\max(a, b)$; for overlapping balls the enclosure $(a + b + |a - b|)/2$ instead of a refusal."""
    return a if a >= b else b


@twin(_smaller)
def smaller(a: Any, b: Any) -> Any:
    r"""$\min(a, b)$; for overlapping balls the enclosure $(a + b - |a - b|)/2$ instead of a refusal."""
    return a if a <= b else b


@twin(_exceeds)
def exceeds(a: Any, b: Any) -> Any:
    r"""Whether $a > b$, or may be: False only if $a \le b$ for certain. For branches that agree at a tie."""
    return a > b


@twin(lambda square, whole: np.sqrt(_larger(square, whole)))
def root_above(square: Any, whole: Any) -> Any:
    r"""$\sqrt{square}$ where it `exceeds` whole: a ball that may be below is taken for $\max(square, whole)$."""
    return np.sqrt(square)


@twin(lambda x: 0)
def rounding(x: Any) -> Any:
    r"""The relative error of a rounded operation in the arithmetic of `x`: $2^{-52}$ in floats, 0 exactly."""
    return EPSILON


@twin(_infinite)
def infinite(x: Any) -> Any:
    r"""$+\infty$ in floats; in exact numbers it is no real number and raises `Undefined`. `x` tells the arithmetic."""
    return np.inf


@twin(lambda x: isinstance(x, float))
def overflows(x: Any) -> Any:
    """Whether a float has left, or is about to leave, the range of float64; exact numbers never do, and a float among
    them is a NaN that says so."""
    return not abs(x) < 1e300


@twin(lambda x: (1 + x).log())
def log1p(x: Any) -> Any:
    r"""$\log(1 + x)$; in floats 1 + x would forget a small x."""
    return np.log1p(x)


@twin(np.exp)
def decay(x: Any) -> Any:
    r"""$e^x$ for $x \le 0$; in floats $e^{-700}$ below -700, and a relative error of at most $2.5\cdot10^{-16}$.

    Written out so that it becomes vector instructions in the loop that calls it: libm's exp is called once a node, and
    a mean of EWOO takes more than twice as long. The polynomial is the Chebyshev interpolation of $(e^r - 1 - r)/r^2$
    on $|r| \le \frac12\log 2$.
    """
    x = x if x > -700.0 else -700.0
    k = np.int32(x * PER_LN2 - 0.5)
    r = x - k * LN2_HIGH
    # Always true. It stops the compiler, free to reassociate, from adding the two parts of ln 2 up again.
    r = r if r < 1.0 else 1.0
    r = r - k * LN2_LOW
    s = (2.5100424157005067e-08 * r + 2.7620138719733994e-07) * r + 2.7557268378684192e-06
    s = ((s * r + 2.480152119021773e-05) * r + 0.00019841269863105968) * r + 0.0013888888917281794
    s = ((s * r + 0.008333333333330051) * r + 0.04166666666662399) * r + 0.16666666666666669
    s = s * r + 0.5000000000000001
    power = float(np.int64((np.int64(k) + 1023) << 52).view(np.float64))
    return (1.0 + (r + s * (r * r))) * power


def working_bits() -> int:
    """About how many bits balls carry now (a power of two), read off what a square root leaves behind."""
    two = Exact(2).sqrt()
    left, bits = abs(two * two - 2), 16
    while bits < 1 << 16 and not _exceeds(left, Exact(1) / Exact(2) ** (2 * bits - 16)):
        bits *= 2
    return bits


def point(x: Exact) -> Exact:
    """A rational as a ball far thinner than the precision: keeps long rationals from growing in what follows."""
    return ball(x, abs(x) / Exact(2) ** (4 * working_bits()))


def enclose_root(f: Callable[[Exact], tuple[Exact, Exact]], seed: float, unit: Exact, floor: Any = None) -> Exact:
    r"""A ball that contains the root of a decreasing function, from a float guess of it.

    `f(x)` encloses the value and the slope. The guess is polished by Newton steps in midpoints; then a bracket
    $[x - \delta, x + \delta]$ is widened, from the working precision relative to $\max(|x|, \text{unit})$ up to
    $2^{-12}$ of it, until both signs are certain. With `floor`, what is enclosed is $\max(\text{floor},
    \text{root})$: the left sign is not asked for where the bracket reaches the floor.

    Raises `Undecided` when no such bracket is certain at this precision.
    """
    if not np.isfinite(seed):
        raise Undecided(f"no finite guess of the root, got {seed!r}")
    bits = working_bits()
    x = _polish(f, _above(exact(float(seed)), floor), floor, bits.bit_length() - 4)
    unit = _larger(abs(x), midpoint(unit))
    for power in range(28 - bits, -12, 12):
        delta = unit * Exact(2) ** power
        low, high = _above(x - delta, floor), x + delta
        if _certain(f, high, -1) and ((floor is not None and low <= floor) or _certain(f, low, 1)):
            return ball((low + high) / 2, (high - low) / 2)
    raise Undecided(f"no certain bracket of the root near {approximate(x)!r} with {bits} bits")


def _polish(f: Callable[[Exact], tuple[Exact, Exact]], x: Exact, floor: Any, steps: int) -> Exact:
    for _ in range(steps):
        value, slope = f(point(x))
        if midpoint(slope) == 0:
            break
        x = _above(x - midpoint(point(midpoint(value) / midpoint(slope))), floor)
    return x


def _above(x: Exact, floor: Any) -> Exact:
    return x if floor is None or x >= floor else Exact(0) + floor


def _certain(f: Callable[[Exact], tuple[Exact, Exact]], x: Exact, sign: int) -> bool:
    return bool(sure(lambda: f(point(x))[0] * sign > 0))
