r"""The actions of EWOO as balls: means of log-concave densities on an interval, enclosed.

The density is $e^{-V}$ with V convex, which sums of exp-concave losses are. With m near the mode,
$$\bar x = m + \frac{\int (x - m)e^{-(V(x) - V(m))}\,dx}{\int e^{-(V(x) - V(m))}\,dx}.$$
Both integrals are taken over panels that double in width away from m, starting at the width at which V has risen by
about 1. They end at the interval's end, or at a point c where V has risen by h, so far that the rest does not matter.
What is left out beyond c is bounded by hand: V being convex, $V(x) - V(m) \ge h(x - m)/(c - m)$ there, so with
$u = |c - m|$
$$\int_c e^{-(V - V(m))} \le \min\{u/h, \ell\}\,e^{-h}, \qquad \int_c |x - m|e^{-(V - V(m))} \le
    \min\{u^2/h + u^2/h^2, \ell\,L\}\,e^{-h},$$
$\ell$ the length of what is left out and L the distance of its far end from m. This holds for every m: that it is near
the mode matters for the width of the ball only. It also covers $e^{-p/x}$ at x = 0, where no panel may reach.

Where the ends of the interval are known as balls, panels end at their midpoints, and the strip between is a rectangle
whose height is the density on the whole ball.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from arubatheory.arithmetic import Exact, Undecided, at_real, ball, enclosure, integral, midpoint, sure
from arubatheory.problems.curves import INVERSE, LOGLINEAR, QUADRATIC, Curves
from arubatheory.problems.scalar import working_bits

MOST = 600  # halvings and doublings: scales of 2^-300 and 2^300 have 600 octaves between them


class Exponent(NamedTuple):
    r"""$V(z) - V(m)$ on complex balls (`analytic` as `integral` asks), and the singular points beside the interval."""

    rise: Callable[[Any, bool], Any]
    below: Any
    above: Any


# the two kinds of exponent --------------------------------------------------------------------------------------
def enclosed_mean(p: Exact, q: Exact, lo: Exact, hi: Exact) -> Exact:
    r"""The mean of $e^{-(p/x + qx)}$ on [lo, hi], $p, q \ge 0$, $0 \le lo \le hi$: what `truncated_mean` computes."""
    p, q, lo, hi = (x if isinstance(x, Exact) else Exact(x) for x in (p, q, lo, hi))
    if p == 0 and q == 0:
        return lo + (hi - lo) / 2
    if not _separate(lo, hi):
        return _hull(lo, hi)
    mode = min(max(midpoint((p / q).sqrt()), _short(lo)), _short(hi)) if q > 0 else midpoint(hi)
    a, b, m = enclosure(p), enclosure(q), enclosure(mode)
    if p == 0:
        return _mean(Exponent(lambda z, analytic: (z - m) * b, None, None), lo, hi, mode)
    return _mean(Exponent(lambda z, analytic: (z - m) * (b - a / (z * m)), Exact(0), None), lo, hi, mode)


def enclosed_curve_mean(c: Curves, n: int, gamma: Exact, low: Exact, high: Exact) -> Exact:
    r"""The mean of $e^{-\gamma(f_0 + \dots + f_{n-1})}$ on [low, high], which lies where the curves are defined."""
    if n == 0:
        return low + (high - low) / 2
    if not _separate(low, high):
        return _hull(low, high)
    mode = _mode(c, n, low, high)
    parts = [_curve_rise(c, i, mode) for i in range(n)]
    factor = enclosure(gamma)

    def rise(z: Any, analytic: bool) -> Any:
        return factor * sum((part(z, analytic) for part in parts[1:]), parts[0](z, analytic))

    return _mean(Exponent(rise, *_singular(c, n)), low, high, mode)


def _curve_rise(c: Curves, i: int, mode: Exact) -> Callable[[Any, bool], Any]:
    p, q, r, m = (enclosure(x) for x in (c.p[i], c.q[i], c.r[i], mode))
    if c.code[i] == INVERSE:
        return lambda z, analytic: (z - m) * (q - p / (z * m))
    if c.code[i] == QUADRATIC:
        return lambda z, analytic: p * (z - m) * ((z - q) + (m - q)) / 2
    at_mode = q * m + r
    return lambda z, analytic: -p * ((q * z + r) / at_mode).log(analytic)


def _singular(c: Curves, n: int) -> tuple[Exact | None, Exact | None]:
    """The nearest singular points below and above an interval on which the curves are defined."""
    below = [Exact(0)] if any(c.code[:n] == INVERSE) else []
    above: list[Exact] = []
    for i in range(n):
        if c.code[i] == LOGLINEAR and c.q[i] != 0:
            (below if c.q[i] > 0 else above).append(-c.r[i] / c.q[i])
    return max(below, default=None), min(above, default=None)


def _mode(c: Curves, n: int, low: Exact, high: Exact) -> Exact:
    """A rational near the minimum of the sum, by bisection of its slope; what is decided is only the quality."""
    left, right = midpoint(low), midpoint(high)
    p, q, r = ([enclosure(x) for x in part[:n]] for part in (c.p, c.q, c.r))

    def falls(y: Exact) -> bool:
        x, total = enclosure(y), 0
        for i in range(n):
            if c.code[i] == INVERSE:
                total = total + (q[i] - p[i] / (x * x))
            elif c.code[i] == QUADRATIC:
                total = total + p[i] * (x - q[i])
            else:
                total = total - p[i] * q[i] / (q[i] * x + r[i])
        return bool(total < 0)

    if not falls(left):
        return left
    if falls(right):
        return right
    thinnest = (right - left) / Exact(2) ** (working_bits() // 2)
    for _ in range(MOST):
        if not right - left > thinnest:
            break
        # Far from 0 in proportion, the geometric mean of two positive ends takes octaves off, not halves.
        middle = midpoint((left * right).sqrt()) if left > 0 and right > 16 * left else midpoint((left + right) / 2)
        left, right = (middle, right) if falls(middle) else (left, middle)
    return left


# the mean --------------------------------------------------------------------------------------------------------
def _mean(V: Exponent, lo: Exact, hi: Exact, mode: Exact) -> Exact:
    # Half of the digits are aimed at, for half of the time: who cannot decide with those doubles the precision.
    left, right, bits = _short(lo), _short(hi), working_bits() // 2
    m, deep = enclosure(mode), Exact(7 * (bits + 16)) / 10  # ln 2 = 0.69...: e^-deep is below 2^-bits

    def density(z: Any, analytic: bool) -> Any:
        return (-V.rise(z, analytic)).exp()

    def moment(z: Any, analytic: bool) -> Any:
        return (z - m) * density(z, analytic)

    mass, above = Exact(0), Exact(0)
    widths = {end: _width(V, mode, end) for end in (left, right) if end != mode}
    scale, small = max(widths.values()), 1 / Exact(2) ** bits
    fine = scale * small
    for end, width in widths.items():
        edge, sign = mode, 1 if end > mode else -1
        for following in _edges(V, mode, end, width, deep, fine):
            mass = mass + sign * integral(density, edge, following, fine, small)
            above = above + sign * integral(moment, edge, following, fine * scale, small)
            edge = following
        if edge != end:
            rest = _rest(V, mode, edge, end)
            mass, above = mass + rest[0], above + sign * rest[1]
    for end, middle, sign in ((hi, right, 1), (lo, left, -1)):
        if not (end.is_rational and end == middle):
            strip = ball(middle, _largest(end - middle))
            length = sign * (end - middle) * at_real(density, strip)
            mass, above = mass + length, above + length * (strip - mode)
    return mode + above / mass


def _edges(V: Exponent, mode: Exact, end: Exact, width: Exact, deep: Exact, fine: Exact) -> Iterator[Exact]:
    r"""Panel ends from the mode outward: doubling, no panel more than 3/4 of the way to a singular point, until V is
    deep or what is left is a sliver."""
    sign, singular = (1, V.above) if end > mode else (-1, V.below)
    edge, step = mode, width
    for _ in range(MOST):
        reach = step if singular is None else min(step, abs(edge - singular) * 3 / 4)
        if abs(end - edge) <= reach * 5 / 4:
            yield end
            return
        edge = _short(edge + sign * reach)
        yield edge
        if abs(end - edge) <= fine or _is_deep(V, edge, deep):
            return
        step = 2 * step
    raise Undecided(f"more than {MOST} panels between {mode} and {end}")


def _is_deep(V: Exponent, x: Exact, deep: Exact) -> bool:
    return bool(sure(lambda: at_real(V.rise, x) > deep))


def _width(V: Exponent, mode: Exact, end: Exact) -> Exact:
    """About the distance from the mode at which V has risen by 1, or that of the end if it rises less."""
    width = end - mode
    for _ in range(MOST):
        # At a singular end there is no value, hence neither is it deep nor shallow; half-way there is one.
        if not (width == end - mode and end in (V.below, V.above)) and not _is_deep(V, mode + width, Exact(2)):
            break
        width = width / 2
    return _short(abs(width))


def _rest(V: Exponent, mode: Exact, edge: Exact, end: Exact) -> tuple[Exact, Exact]:
    """Balls from 0 to the bounds of what the panels left out of the two integrals."""
    h, u = at_real(V.rise, edge), abs(edge - mode)
    length, far = abs(end - edge), abs(end - mode)
    bounds = [(length, length * far)]
    if h > 1:
        bounds.append((u / h, u * u / h + u * u / (h * h)))
    weight = (-h).exp()
    mass, moment = (min(_largest(b[k] * weight) for b in bounds) / 2 for k in (0, 1))
    return ball(mass, mass), ball(moment, moment)


def _short(x: Exact) -> Exact:
    """A dyadic rational within the rounding of x: the ends of panels do not grow."""
    return midpoint(Exact(enclosure(x)))


def _largest(x: Exact) -> Exact:
    """A rational that is at least |x| for every number in the ball."""
    return midpoint(Exact(enclosure(x).abs_upper()))


def _separate(lo: Exact, hi: Exact) -> bool:
    """Whether lo < hi for certain, also after both are rounded."""
    return bool(sure(lambda: lo < hi and _short(lo) < _short(hi)))


def _hull(lo: Exact, hi: Exact) -> Exact:
    """A ball that contains the interval: it contains the mean too."""
    return lo if lo.is_rational and hi.is_rational and lo == hi else ball(lo, _largest(hi - lo))
