r"""Convex losses as data: a link code and arrays, so that one compiled kernel plays any mixture of them.

Loss $i$ of a sequence is
$$f_i(x) = w_i\, \psi_i(\langle a_i, x\rangle - b_i) + \tfrac{r_i}2 \|x - c_i\|_2^2, \qquad w_i, r_i \ge 0,$$
with a link $\psi$ among $z$ (linear), $z^2/2$ (square), $\log(1 + e^{-z})$ (logistic), $\max(0, 1 - z)$ (hinge), $|z|$
(absolute) and the Huber function ($z^2/2$ for $|z| \le 1$, else $|z| - 1/2$); for the link *distance* the first term is
$w_i \|x - c_i\|_2$ instead.

"For any subgradient" is a quantifier of the paper, so the subgradient played at a kink is a datum of the loss:
`kink` $\kappa_i \in [0, 1]$ gives $\psi' = \psi'_- + \kappa_i (\psi'_+ - \psi'_-)$, and at the centre of a distance the
subgradient is $w_i \kappa_i a_i$ with $\|a_i\|_2 \le 1$. Values and subgradients are computed from the same source in
floating point, in rationals and in balls. The constants $G, L, \alpha, \beta$ are in `constants`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.problems.domains import Domain, check_dimension
from arubatheory.problems.draw import Draw
from arubatheory.problems.numbers import as_items, as_numbers, check_count, floats, real, spread
from arubatheory.problems.random_domains import random_point
from arubatheory.problems.scalar import larger, log1p, smaller, twin
from arubatheory.problems.signatures import typed

LINKS = ("linear", "square", "logistic", "hinge", "absolute", "huber", "distance")
LINEAR, SQUARE, LOGISTIC, HINGE, ABSOLUTE, HUBER, DISTANCE = range(7)


class Losses(NamedTuple):
    r"""m losses on $\mathbb R^d$: link codes (m,), a (m, d), b (m,), weight (m,), ridge (m,), c (m, d), kink (m,).

    All have a leading axis more for n sequences side by side, a batch.
    """

    link: Array
    a: Array
    b: Array
    weight: Array
    ridge: Array
    c: Array
    kink: Array

    def one(self, k: int) -> Losses:
        """The losses of run k, of a batch (views)."""
        return Losses(*(x[k % len(x)] for x in self))


# kernels ---------------------------------------------------------------------------------------------------------
@borrowing
def argument(L: Losses, i: int, x: Array) -> Any:
    r"""$z = \langle a_i, x\rangle - b_i$."""
    z = -L.b[i]
    for j in range(x.shape[0]):
        z = z + L.a[i, j] * x[j]
    return z


@borrowing
def squared_distance(L: Losses, i: int, x: Array) -> Any:
    r"""$\|x - c_i\|_2^2$."""
    s = L.b[i] - L.b[i]  # x - x would not be 0 for a ball
    for j in range(x.shape[0]):
        s = s + (x[j] - L.c[i, j]) * (x[j] - L.c[i, j])
    return s


def _huber_without_branch(z: Any) -> Any:
    excess = abs(z) - 1
    excess = (excess + abs(excess)) / 2
    return (z * z - excess * excess) / 2


@twin(_huber_without_branch)
def _huber(z: Any) -> Any:
    size = abs(z)
    return z * z / 2 if size <= 1 else (2 * size - 1) / 2


@twin(lambda z: -np.exp(-(abs(z) + z) / 2) / (1 + np.exp(-abs(z))))
def _logistic_slope(z: Any) -> Any:
    u = np.exp(-abs(z))
    return -(u if z > 0 else 1.0) / (1.0 + u)


@borrowing
def link_value(link: int, z: Any) -> Any:
    r"""$\psi(z)$, without overflow, and without comparisons that balls could not decide."""
    if link == LINEAR:
        return z
    if link == SQUARE:
        return z * z / 2
    size = abs(z)
    if link == LOGISTIC:
        return (size - z) / 2 + log1p(np.exp(-size))
    if link == HINGE:
        return larger(1 - z, 0)
    if link == HUBER:
        return _huber(z)
    return size


@borrowing
def link_slope(link: int, z: Any, kink: Any) -> Any:
    r"""$\psi'(z)$, at a kink $\psi'_- + \kappa(\psi'_+ - \psi'_-)$."""
    zero = kink - kink  # z - z would not be 0 for a ball
    if link == LINEAR:
        return zero + 1
    if link == SQUARE:
        return zero + z
    if link == LOGISTIC:
        return _logistic_slope(z)
    if link == HINGE:
        return zero - 1 if z < 1 else (zero if z > 1 else kink - 1)
    if link == HUBER and z > -1 and z < 1:
        return zero + z
    return zero - 1 if z < 0 else (zero + 1 if z > 0 else 2 * kink - 1)


@borrowing
def _bell(z: Any) -> Any:
    r"""The curvature $e^{-z}/(1+e^{-z})^2$ of the logistic link at z >= 0."""
    u = np.exp(-z)
    return u / ((1 + u) * (1 + u))


@borrowing
def link_bounds(link: int, low: Any, high: Any, slack: Any, zero: Any) -> Any:
    r"""Bounds of $\psi'$ over [low, high], one-sided slopes at kinks included, of $\psi''$, and whether a kink lies in
    it."""
    one = zero + 1
    if link == SQUARE:
        return zero + low, zero + high, one, one, False
    if link == LOGISTIC:
        flat, steep = _bell(larger(abs(low), abs(high))), _bell(larger(larger(low, -high), zero))
        return link_slope(link, low, zero), link_slope(link, high, zero), flat, steep, False
    if link == HUBER:
        inner = low >= slack - 1 and high <= 1 - slack
        outer = low > 1 + slack or high < -1 - slack
        least, largest = smaller(larger(low, -one), one), smaller(larger(high, -one), one)
        return least, largest, (one if inner else zero), (zero if outer else one), False
    if link == LINEAR:
        return one, one, zero, zero, False
    corner, right = (one, zero) if link == HINGE else (zero, one)
    left, beyond = low <= corner + slack, high >= corner - slack
    return (-one if left else right), (right if beyond else -one), zero, zero, left and beyond


@borrowing
def seen(L: Losses, i: int, x: Array) -> Any:
    r"""What loss i takes in of x: $z$, or for a distance $\|x - c_i\|_2^2$."""
    return squared_distance(L, i, x) if L.link[i] == DISTANCE else argument(L, i, x)


@borrowing
def value(L: Losses, i: int, x: Array) -> Any:
    r"""$f_i(x)$."""
    return value_at(L, i, x, seen(L, i, x))


@borrowing
def value_at(L: Losses, i: int, x: Array, z: Any) -> Any:
    r"""$f_i(x)$ for z = `seen` of x: whoever needs the subgradient as well computes it once."""
    if L.link[i] == DISTANCE:
        return L.weight[i] * np.sqrt(z) + L.ridge[i] * z / 2
    f = L.weight[i] * link_value(L.link[i], z)
    if L.ridge[i] > 0:
        f = f + L.ridge[i] * squared_distance(L, i, x) / 2
    return f


@borrowing
def subgradient_into(L: Losses, i: int, x: Array, g: Array) -> None:
    r"""Write the subgradient of $f_i$ at x that `kink` picks into g."""
    subgradient_at(L, i, x, seen(L, i, x) if L.link[i] != LINEAR else L.b[i], g)


@borrowing
def subgradient_at(L: Losses, i: int, x: Array, z: Any, g: Array) -> None:
    r"""The same for z = `seen` of x, which a linear loss does not look at."""
    d = x.shape[0]
    if L.link[i] == DISTANCE:
        if z == 0:
            for j in range(d):
                g[j] = L.weight[i] * L.kink[i] * L.a[i, j]
        else:
            factor = L.weight[i] / np.sqrt(z) + L.ridge[i]
            for j in range(d):
                g[j] = factor * (x[j] - L.c[i, j])
        return
    slope = L.weight[i] * link_slope(L.link[i], z, L.kink[i])
    for j in range(d):
        g[j] = slope * L.a[i, j]
    if L.ridge[i] > 0:
        for j in range(d):
            g[j] = g[j] + L.ridge[i] * (x[j] - L.c[i, j])


@borrowing
def observe(L: Losses, i: int, x: Array, g: Array) -> Any:
    r"""$f_i(x)$, and `subgradient_into` g: what a round tells the learner."""
    z = seen(L, i, x)
    subgradient_at(L, i, x, z, g)
    return value_at(L, i, x, z)


@kernel
def subgradient(L: Losses, i: int, x: Array) -> Array:
    r"""The subgradient of $f_i$ at x that `kink` picks, (d,)."""
    g = np.empty_like(x)
    subgradient_into(L, i, x, g)
    return g


@borrowing
def total(L: Losses, n: int, x: Array) -> Any:
    r"""$\sum_{i < n} f_i(x)$."""
    s = L.weight[0] - L.weight[0]
    for i in range(n):
        s = s + value(L, i, x)
    return s


@kernel
def values(L: Losses, X: Array) -> Array:
    r"""$(f_i(X_i))_i$: loss i at row i of X."""
    out = np.empty(X.shape[0], X.dtype)
    values_into(L, X, out)
    return out


@borrowing
def values_into(L: Losses, X: Array, out: Array) -> None:
    """`values`, written into `out`."""
    for i in range(X.shape[0]):
        out[i] = value(L, i, X[i])


@typed
def evaluate(losses: Losses, x: Array) -> Array:
    r"""$(f_i(x))_{i \in [m]}$ at one point x of shape (d,), in the arithmetic of the losses. ValueError for others."""
    x = numbers("x", x, is_exact(losses.a))
    if x.shape != losses.a.shape[1:]:
        raise ValueError(f"x must have shape {losses.a.shape[1:]}, got {x.shape}")
    return np.asarray(on(values, losses.a)(losses, np.ascontiguousarray(np.broadcast_to(x, losses.a.shape))))


# construction ----------------------------------------------------------------------------------------------------
def numbers(name: str, value: Any, in_exact: bool) -> Array:
    """`value` as an array of finite float64, or of Exact where the losses are; ValueError or TypeError names it."""
    if in_exact:
        items = as_items(name, value)
        array = np.empty(items.shape, dtype=object)
        for k, x in np.ndenumerate(items):
            array[k] = real(name, x, in_exact=True)
        return array
    array = as_numbers(name, value)
    if is_exact(array):
        raise TypeError(f"{name} is exact and the losses are floats: convert the losses with exact(), got {value!r}")
    return array


def _codes(link: Any, shape: tuple[int, ...]) -> Array:
    m = shape[-1]
    if isinstance(link, str | int | np.integer):
        return np.zeros(shape, np.int64) if _code(link) == 0 else np.full(shape, _code(link), dtype=np.int64)
    if isinstance(link, np.ndarray) and link.shape == shape and len(shape) == 2:
        return np.array([_codes(row, shape[1:]) for row in link])
    many = isinstance(link, Sequence) or (isinstance(link, np.ndarray) and link.ndim == 1)
    if not many or len(link) != m:
        raise ValueError(f"link must name one link or {m}, one for each loss, got {link!r}")
    return np.array(np.broadcast_to(np.array([_code(name) for name in link], dtype=np.int64), shape))


def _code(link: Any) -> int:
    if isinstance(link, str) and link in LINKS:
        return LINKS.index(link)
    if isinstance(link, int | np.integer) and not isinstance(link, bool) and 0 <= link < len(LINKS):
        return int(link)
    raise ValueError(f"link must be one of {', '.join(LINKS)} or its code, got {link!r}")


def losses(
    link: str | int | Sequence[str | int] | Array,
    a: Any,
    b: Any = 0,
    *,
    weight: Any = 1,
    ridge: Any = 0,
    c: Any = 0,
    kink: Any = 0.5,
) -> Losses:
    r"""Validated losses $w_i \psi_i(\langle a_i, x\rangle - b_i) + \frac{r_i}2\|x - c_i\|_2^2$, $i \in [m]$.

    One of `a` and `c` has shape (m, d), or (n, m, d) for a batch of n sequences; the rest broadcasts to it, or to (m,),
    or (n, m), for `b`, `weight`, `ridge` and `kink`. `link` is a name of `LINKS`, its code, or a sequence of m of them.
    If any argument holds exact numbers, all do; a float then stands for the dyadic rational that it is. An array of
    float64 that has its shape already is taken as it is, not copied.

    Raises ValueError for an empty sequence, NaN, infinities, shapes that do not fit, `weight` or `ridge` < 0, `kink`
    outside [0, 1], a distance with $\|a_i\|_2 > 1$; TypeError for what is not a real number.
    """
    given = {"a": a, "b": b, "weight": weight, "ridge": ridge, "c": c, "kink": kink}
    in_exact = any(_holds_exact(x) for x in given.values())
    parts = {name: numbers(name, x, True) if in_exact else floats(name, x) for name, x in given.items()}
    shape = _shape(parts["a"], parts["c"])
    for name, array in parts.items():
        parts[name] = _filled(name, array, shape if name in ("a", "c") else shape[:-1])
    result = Losses(_codes(link, shape[:-1]), **parts)
    _check(result)
    return result


def _holds_exact(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(_holds_exact(y) for y in x)
    return isinstance(x, Fraction) or is_exact(x)


def _filled(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    """`spread`, but what has the shape is not copied, and zeros take no memory until they are written."""
    if array.shape == shape:
        return array
    zero = array.ndim == 0 and not is_exact(array) and array == 0
    return np.zeros(shape) if zero else spread(name, array, shape)


def _shape(a: Array, c: Array) -> tuple[int, ...]:
    shape = a.shape if a.ndim >= max(2, c.ndim) else c.shape
    if len(shape) not in (2, 3):
        raise ValueError(f"a (or c) must have shape (m, d), got {a.shape} (and {c.shape}); (n, m, d) for a batch")
    if 0 in shape:
        raise ValueError(f"a must hold at least one loss and one coordinate, got shape {shape}")
    return shape


def _check(L: Losses) -> None:
    for name, given in (("weight", L.weight), ("ridge", L.ridge)):
        for x in given[(given < 0).astype(bool)]:
            raise ValueError(f"{name} must be >= 0, got {x!r}")
    for x in L.kink[((L.kink < 0) | (L.kink > 1)).astype(bool)]:
        raise ValueError(f"kink must lie in [0, 1], got {x}")
    # A float vector normalised by its norm may exceed 1 by a rounding of each of d squares, of the sum and of the root.
    slack = 0 if is_exact(L.a) else (L.a.shape[-1] + 4) * np.finfo(np.float64).eps
    for row in L.a[L.link == DISTANCE]:
        if row @ row > 1 + slack:
            raise ValueError(f"a must have rows of l2 norm at most 1 for the link distance, got {row!r}")


@typed
def batch(parts: Sequence[Losses]) -> Losses:
    """Sequences of equal length side by side, as n runs play them (see `learners.runs`): a leading axis of length n.

    ValueError for none or several shapes, TypeError for two arithmetics.
    """
    if len(shapes := {part.a.shape for part in parts}) > 1:
        raise ValueError(f"parts must have one shape (m, d) to be a batch, got {sorted(shapes)}")
    return _joined(np.stack, parts)


@typed
def stack(parts: Sequence[Losses]) -> Losses:
    """The losses of `parts` in a row. ValueError for none or several dimensions, TypeError for two arithmetics."""
    if len(dimensions := {part.a.shape[1] for part in parts}) > 1:
        raise ValueError(f"parts must have the same dimension, got {sorted(dimensions)}")
    return _joined(np.concatenate, parts)


def _joined(join: Callable[[Sequence[Array]], Array], parts: Sequence[Losses]) -> Losses:
    if not parts:
        raise ValueError(f"parts must hold at least one Losses, got {parts!r}")
    if len({is_exact(part.a) for part in parts}) > 1:
        raise TypeError("parts must be all in floats or all exact, got both")
    return Losses(*(join(field) for field in zip(*parts, strict=True)))


@typed
def rows(losses: Losses, start: int, stop: int) -> Losses:
    """Losses start, ..., stop - 1, of each sequence of a batch (views, not copies)."""
    runs = (slice(None),) * (losses.b.ndim - 1)
    return Losses(*(field[(*runs, slice(start, stop))] for field in losses))


# drawing ---------------------------------------------------------------------------------------------------------
@typed
def random_losses(
    draw: Draw, m: int, d: int, domain: Domain, links: Sequence[int] = range(7), ridge: bool | None = None
) -> Losses:
    r"""m drawn losses: mixed or equal links out of `links`, zero gradients and many scales, kinks within reach.

    Each link's argument takes a drawn value of [-2, 2] at a drawn point of the domain, so that kinks and curved pieces
    are met. `ridge` says whether the quadratic term is present (None: drawn).
    """
    check_count("m", m)
    check_dimension(d, domain)
    if not len(links) or not all(k in range(len(LINKS)) for k in links):
        raise ValueError(f"links must be codes from 0 to {len(LINKS) - 1}, and not empty, got {links!r}")
    link = [draw.choice(links) for _ in range(m)] if draw.boolean() else [draw.choice(links)] * m
    anchors = _draw_anchors(draw, m, domain)
    a = draw.real(-1, 1, (m, d))
    b = on(_scaled, a)(a, _draw_scales(draw, m), anchors, draw.real(-2, 2, m))
    distances = [i for i in range(m) if link[i] == DISTANCE]
    if distances:
        a[distances] = draw.spheres(len(distances), d)
    weight = _draw_scales(draw, m)
    with_ridge = draw.boolean() if ridge is None else ridge
    curvature = _draw_scales(draw, m) if with_ridge else draw.zeros(m)
    return Losses(np.array(link, np.int64), a, b, weight, curvature, anchors, draw.unit(m))


@kernel
def _scaled(a: Array, scales: Array, anchors: Array, z: Array) -> Array:
    r"""[exact] Scales the rows of a in place; the b for which the argument of loss i is $z_i$ at its anchor."""
    b = np.empty_like(z)
    for i in range(z.size):
        b[i] = -z[i]
        for j in range(a.shape[1]):
            a[i, j] *= scales[i]
            b[i] += a[i, j] * anchors[i, j]
    return b


def _draw_anchors(draw: Draw, m: int, domain: Domain) -> Array:
    if draw.integer(0, 3) == 3:
        return np.array([random_point(domain, draw) for _ in range(m)])
    point = random_point(domain, draw)
    anchors = np.empty((m, point.size), point.dtype)
    anchors[:] = point
    return anchors


def _draw_scales(draw: Draw, m: int) -> Array:
    """All ones, one scale for all, m scales, or m numbers of [0, 1] among which 0 is common."""
    kind = draw.integer(0, 3)
    if kind == 3:
        return np.asarray(draw.unit(m))
    if kind == 2:
        return np.asarray(draw.positive(shape=m))
    return draw.array([draw.positive() if kind == 1 else draw.number(1)] * m)
