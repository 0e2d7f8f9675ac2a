r"""Intervals of floats with outward rounding, and the value and the gradient of a program on a box.

An interval is a pair (low, high), an end that is unknown infinite. Sums, products, quotients and roots of floats are
rounded to nearest, so that a float further outward encloses them; what is exactly 0 stays 0, because a sign is what a
proof ends with. A product of 0 and an unknown end is 0: what is enclosed is finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel

OPERATIONS = ("const", "var", "add", "sub", "mul", "div", "sqrt", "exp", "log")
CONST, VAR, ADD, SUB, MUL, DIV, SQRT, EXP, LOG = range(9)
LEAST = 5e-324
ULP = 2.0**-53 * (1 + 2.0**-52)  # what it is of a float reaches the next one (Rump, Zimmermann, Boldo, Melquiond 2009)
ULPS = 2.0**-50  # relative error that a library's exponential or logarithm may have; the checker computes its own


@kernel
def down(x: Any) -> Any:
    """A float below, but for 0; -inf for NaN."""
    if x - x != 0:
        return -np.inf if x != x else np.nextafter(x, -np.inf)
    return x if x == 0 else x - (abs(x) * ULP + LEAST)


@kernel
def up(x: Any) -> Any:
    """A float above, but for 0; inf for NaN."""
    return -down(-x)


@kernel
def _sum(x: Any, y: Any) -> Any:
    """A float below x + y, or what that is where it has no rounding error (Knuth's two sums)."""
    s = x + y
    part = s - x
    return s if (x - (s - part)) + (y - part) == 0 else down(s)


@kernel
def added(al: Any, ah: Any, bl: Any, bh: Any) -> Any:
    """a + b."""
    return _sum(al, bl), -_sum(-ah, -bh)


@kernel
def _product(x: Any, y: Any) -> Any:
    """x y to nearest, but not 0 where it is not."""
    p = x * y
    if x == 0 or y == 0:
        return 0.0
    return p if p != 0 else LEAST if (x > 0) == (y > 0) else -LEAST


@kernel
def multiplied(al: Any, ah: Any, bl: Any, bh: Any) -> Any:
    """a b."""
    p, q, r, s = _product(al, bl), _product(al, bh), _product(ah, bl), _product(ah, bh)
    return down(min(p, q, r, s)), up(max(p, q, r, s))


@kernel
def squared(al: Any, ah: Any) -> Any:
    """a a."""
    p, q = max(-ah, al, 0.0), max(-al, ah)
    return max(down(_product(p, p)), 0.0), up(_product(q, q))


@kernel
def inverted(bl: Any, bh: Any, mask: int) -> Any:
    """1/b, where b is not 0 and its sign lies in a mask (1, 2, 4: negative, 0, positive)."""
    if bl > 0 or (bl >= 0 and not mask & 2) or not mask & 3:
        return max(down(1 / bh), 0.0) if bh > 0 else 0.0, up(1 / bl) if bl > 0 else np.inf
    if bh < 0 or (bh <= 0 and not mask & 2) or not mask & 6:
        return down(1 / bh) if bh < 0 else -np.inf, min(up(1 / bl), 0.0) if bl < 0 else 0.0
    return -np.inf, np.inf


@kernel
def divided(al: Any, ah: Any, bl: Any, bh: Any, mask: int) -> Any:
    """a/b."""
    low, high = inverted(bl, bh, mask)
    return multiplied(al, ah, low, high)


@kernel
def rooted(al: Any, ah: Any) -> Any:
    """The root of a >= 0."""
    return max(down(np.sqrt(max(al, 0.0))), 0.0), up(np.sqrt(max(ah, 0.0)))


@kernel
def transcendental(op: int, al: Any, ah: Any) -> Any:
    """The exponential of a, or the logarithm of a > 0; those of 0 and of 1 are exact."""
    if op == EXP:
        low = max(np.exp(al) * (1 - ULPS) - LEAST, 0.0) if al != 0 else 1.0
        return low, np.exp(ah) * (1 + ULPS) + LEAST if ah != 0 else 1.0
    low = np.log(al) if al > 0 else -np.inf
    high = np.log(ah) if ah > 0 else -np.inf
    return low - (abs(low) + ULPS) * ULPS * (al != 1), high + (abs(high) + ULPS) * ULPS * (ah != 1)


@kernel
def value(op: int, same: bool, al: Any, ah: Any, bl: Any, bh: Any, mask: int) -> Any:
    """The interval of one operation; `mask` has the signs of b."""
    if op == ADD:
        return added(al, ah, bl, bh)
    if op == SUB:
        return added(al, ah, -bh, -bl)
    if op == MUL:
        return squared(al, ah) if same else multiplied(al, ah, bl, bh)
    if op == DIV:
        return divided(al, ah, bl, bh, mask)
    return rooted(al, ah) if op == SQRT else transcendental(op, al, ah)


@kernel
def evaluate(code: Array, low: Array, high: Array, ends: Array, box: Array, raw: Array, values: Array) -> None:
    """The interval of each node on a box (n, 2), as computed and then clipped to its ends."""
    for n in range(code.shape[0]):
        op, a, b, mask = code[n, 0], code[n, 1], code[n, 2], code[n, 3]
        if op == CONST:
            raw[n, 0], raw[n, 1] = low[n], high[n]
        elif op == VAR:
            raw[n, 0], raw[n, 1] = box[a, 0], box[a, 1]
        else:
            p, q = value(op, a == b, values[a, 0], values[a, 1], values[b, 0], values[b, 1], mask)
            raw[n, 0], raw[n, 1] = p, q
        values[n, 0] = min(max(raw[n, 0], ends[n, 0]), ends[n, 1])
        values[n, 1] = min(max(raw[n, 1], ends[n, 0]), ends[n, 1])


@kernel
def factors(code: Array, n: int, values: Array) -> Any:
    """The derivatives of a node in its operands, as intervals."""
    op, a, b, mask = code[n, 0], code[n, 1], code[n, 2], code[n, 3]
    if op == ADD:
        return 1.0, 1.0, 1.0, 1.0
    if op == SUB:
        return 1.0, 1.0, -1.0, -1.0
    if op == MUL:
        return values[b, 0], values[b, 1], values[a, 0], values[a, 1]
    if op == DIV:
        low, high = inverted(values[b, 0], values[b, 1], mask)
        p, q = multiplied(-values[n, 1], -values[n, 0], low, high)
        return low, high, p, q
    if op == SQRT:
        low, high = inverted(2 * values[n, 0], 2 * values[n, 1], 4)
        return low, high, 0.0, 0.0
    if op == EXP:
        return values[n, 0], values[n, 1], 0.0, 0.0
    low, high = inverted(values[a, 0], values[a, 1], 4)
    return low, high, 0.0, 0.0


@kernel
def differentiate(code: Array, top: int, ends: Array, work: Array, slopes: Array) -> None:
    """The gradient of the node `top` over the box of the intervals work[0] and, clipped, work[1], backwards through the
    program; slopes (n, 2). Clipping has the derivative 0 or 1, or where both are possible [0, 1]."""
    raw, values, adjoint = work[0], work[1], work[2]
    adjoint[: top + 1] = 0.0
    slopes[:] = 0.0
    adjoint[top] = 1.0
    for n in range(top, -1, -1):
        low, high, op = adjoint[n, 0], adjoint[n, 1], code[n, 0]
        if (low == 0 and high == 0) or op == CONST:
            continue
        if raw[n, 0] < ends[n, 0] or raw[n, 1] > ends[n, 1]:
            low, high = min(low, 0.0), max(high, 0.0)
        a, b = code[n, 1], code[n, 2]
        if op == VAR:
            slopes[a, 0], slopes[a, 1] = added(slopes[a, 0], slopes[a, 1], low, high)
            continue
        al, ah, bl, bh = factors(code, n, values)
        p, q = multiplied(low, high, al, ah)
        adjoint[a, 0], adjoint[a, 1] = added(adjoint[a, 0], adjoint[a, 1], p, q)
        if op <= DIV:
            p, q = multiplied(low, high, bl, bh)
            adjoint[b, 0], adjoint[b, 1] = added(adjoint[b, 0], adjoint[b, 1], p, q)


@kernel
def misses(low: Any, high: Any, mask: int) -> bool:
    """Whether no number of an interval has a sign of a mask."""
    return not ((low < 0 and mask & 1) or (low <= 0 and high >= 0 and mask & 2) or (high > 0 and mask & 4))
