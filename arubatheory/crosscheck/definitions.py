r"""What both sides of a claim may share, against definitions written a second time, on `Plain` numbers.

Losses and their subgradients (link by link; slopes as difference quotients from either side), sums, norms and their
duals, regularisers and divergences, projections and mirror steps (optimal by the variational inequality: no direction
of the domain descends), what online mirror descent plays, and the certified minimum in hindsight. Whatever is checked
here is a mistake that no comparison of two sides, and no second arithmetic on the same kernels, would show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, precision
from arubatheory.convex.hindsight import hindsight
from arubatheory.crosscheck.plain_numbers import Plain, mapped, plain
from arubatheory.engines.units import derived_seed
from arubatheory.kernel import pure
from arubatheory.learners.mirror_descent import play_greedy_ogd, play_omd
from arubatheory.problems import curves, domains, losses, norms, regularizers
from arubatheory.problems.curves import INVERSE, QUADRATIC, Curves, random_curves
from arubatheory.problems.domains import BALL, BOX, KINDS, SIMPLEX, SPACE, Domain
from arubatheory.problems.draw import Draw, RandomDraw, TapeDraw
from arubatheory.problems.losses import DISTANCE, LINKS, Losses, random_losses
from arubatheory.problems.norms import L1, L2, LINF, MATRIX, Norm, random_norm
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import ENTROPY, MAHALANOBIS, Regularizer, random_regularizer, random_start

BITS = 512  # of the few steps that only flint takes, as a multiplier between two certain signs
STEP = Plain(Fraction(1, 10**40))  # of a difference quotient
CLOSE = Plain(Fraction(1, 10**30))  # of the magnitudes: far below any mistake, far above what quotients leave out
ZERO = Plain(Fraction(0))
PROBLEMS = 8  # each kind of domain twice, the second time where the entropy is defined
ROUNDS = 3
AT = (-2, -1, Fraction(-1, 2), 0, Fraction(1, 2), 1, 2)  # arguments of a link, its kinks among them
Checked = Iterator[tuple[str, bool]]


class Case(NamedTuple):
    """What the kernels are tried on: one drawn problem."""

    losses: Losses
    domain: Domain
    R: Regularizer
    phi: Array
    points: tuple[Array, ...]
    g: Array
    eta: Any
    norms: tuple[Norm, ...]
    curves: Curves


def broken_definitions(seed: int, seen: Counter[str]) -> Iterator[str]:
    """The kernels that do not compute what they are defined as, a line each; `seen` counts what was compared."""
    for k in range(PROBLEMS):
        exact = _problem(seed, k)
        for name, holds in _run(exact, mapped(exact, plain)):
            seen["definitions"] += 1
            if not holds:
                yield f"{name}: not as it is defined (seed {seed}, problem {k})"


def _problem(seed: int, k: int) -> Case:
    read = RandomDraw(np.random.default_rng(derived_seed(seed, "definitions", k)))
    _drawn(read, k)
    return _drawn(TapeDraw(read.tape, exact=True), k)


def _drawn(draw: Draw, k: int) -> Case:
    kind, positive = KINDS[k % len(KINDS)], k >= len(KINDS)
    d = draw.integer(2, 3)
    domain = random_domain(draw, d, (BALL if positive and kind == SPACE else kind,), positive)
    R = random_regularizer(draw, d, domain)
    points = tuple(random_point(domain, draw) for _ in range(3))
    interval = (draw.number(1), draw.number(3))
    return Case(
        random_losses(draw, len(LINKS), d, domain),
        domain,
        R,
        random_start(R, domain, draw),
        points,
        draw.real(-2, 2, d),
        draw.positive(-2, 2),
        (random_norm(draw, d), random_norm(draw, d)),
        random_curves(draw, 4, *interval),
    )


def _run(exact: Case, again: Case) -> Checked:
    """Every check on one problem; an exception is a kernel that fails."""
    for check in (_losses, _sums, _curves, _norms, _regularizers, _steps, _learners, _hindsight):
        try:
            with precision(BITS), np.errstate(all="ignore"):
                yield from check(exact if check is _hindsight else again)
        except Exception as error:
            yield f"{check.__name__.strip('_')}: {type(error).__name__}: {error}", False


def _near(one: Any, other: Any, scale: Any = ZERO) -> bool:
    return bool(abs(one - other) <= CLOSE * max(abs(one + ZERO), abs(other + ZERO), scale + ZERO))


def _all_near(one: Array, other: Array, scale: Any = ZERO) -> bool:
    size = max(*map(abs, one), *map(abs, other), scale + ZERO)
    return all(_near(x, y, size) for x, y in zip(one, other, strict=True))


def _inner(x: Any, y: Any) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), ZERO)


# losses ---------------------------------------------------------------------------------------------------------
LINK: dict[str, Callable[[Any], Any]] = {
    "linear": lambda z: z,
    "square": lambda z: z * z / 2,
    "logistic": lambda z: (1 + (-z).exp()).log(),
    "hinge": lambda z: max(1 - z, ZERO),
    "absolute": abs,
    "huber": lambda z: z * z / 2 if -1 <= z <= 1 else abs(z) - Fraction(1, 2),
}


def _loss(L: Losses, i: int, x: Array) -> Any:
    away = _inner(x - L.c[i], x - L.c[i])
    if L.link[i] == DISTANCE:
        return L.weight[i] * away.sqrt() + L.ridge[i] / 2 * away
    return L.weight[i] * LINK[LINKS[L.link[i]]](_inner(L.a[i], x) - L.b[i]) + L.ridge[i] / 2 * away


def _gradient(L: Losses, i: int, x: Array) -> Array:
    """The subgradient that the kink picks, from the slopes of the link on either side."""
    away, w, kink = x - L.c[i], L.weight[i], L.kink[i]
    ridge = L.ridge[i] * away
    if L.link[i] == DISTANCE:
        far = _inner(away, away).sqrt()
        return w * kink * L.a[i] + ridge if far == 0 else away * (w / far) + ridge
    link, z = LINK[LINKS[L.link[i]]], _inner(L.a[i], x) - L.b[i]
    slope = ((1 - kink) * (link(z) - link(z - STEP)) + kink * (link(z + STEP) - link(z))) / STEP
    return w * slope * L.a[i] + ridge


def _losses(p: Case) -> Checked:
    """Each link at its kinks and between them, and the distance at its centre."""
    x, L = p.phi, p.losses._replace(link=np.arange(len(LINKS)))
    for z in AT:
        M = L._replace(b=np.array([_inner(a, x) - z for a in L.a], dtype=object))
        for i, link in enumerate(LINKS):
            yield f"losses.value of {link} at {z}", _near(pure(losses.value)(M, i, x), _loss(M, i, x))
            slopes = _all_near(pure(losses.subgradient)(M, i, x), _gradient(M, i, x), M.weight[i] * max(abs(M.a[i])))
            yield f"losses.subgradient of {link} at {z}", slopes
    M = L._replace(c=np.array([x] * len(LINKS)))
    centre = _all_near(pure(losses.subgradient)(M, DISTANCE, x), M.weight[DISTANCE] * M.kink[DISTANCE] * M.a[DISTANCE])
    yield "losses.subgradient of distance at its centre", centre


def _sums(p: Case) -> Checked:
    """Sums and rows of losses."""
    L, x = p.losses, p.points[0]
    each = [_loss(L, i, x) for i in range(len(LINKS))]
    for n in (1, 2, len(each)):
        yield f"losses.total of {n}", _near(pure(losses.total)(L, n, x), sum(each[:n], ZERO), max(map(abs, each)))
    rows = np.array([p.points[i % 3] for i in range(len(each))])
    own = [_loss(L, i, row) for i, row in enumerate(rows)]
    yield "losses.values", all(map(_near, pure(losses.values)(L, rows), own))
    part = losses.rows(L, 2, 5)
    yield "losses.rows", all(_near(pure(losses.value)(part, i, x), each[2 + i]) for i in range(3)) and len(part.a) == 3


def _curve(c: Curves, i: int, x: Any) -> Any:
    if c.code[i] == INVERSE:
        return c.p[i] / x + c.q[i] * x
    if c.code[i] == QUADRATIC:
        return c.p[i] / 2 * (x - c.q[i]) ** 2
    return -(c.p[i] * (c.q[i] * x + c.r[i]).log())


def _curves(p: Case) -> Checked:
    """Exp-concave losses, their slopes and differences."""
    x, y = Plain(Fraction(5, 4)), Plain(Fraction(7, 3))
    for i in range(len(p.curves.code)):
        at, there = _curve(p.curves, i, x), _curve(p.curves, i, y)
        slope, size = (_curve(p.curves, i, x + STEP) - at) / STEP, abs(at) + abs(there) + p.curves.p[i]
        yield "curves.value", _near(pure(curves.value)(p.curves, i, x), at)
        yield "curves.slope", _near(pure(curves.slope)(p.curves, i, x), slope, size)
        yield "curves.rise", _near(pure(curves.rise)(p.curves, i, x, y), there - at, size)
    both = [_curve(p.curves, 1, z) + _curve(p.curves, 2, z) for z in (x, y)]
    yield "curves.sums", all(map(_near, pure(curves.sums)(p.curves, 1, 3, np.array([x, y])), both))


# norms and regularisers -------------------------------------------------------------------------------------------
def _square(norm: Norm, x: Array) -> Any:
    if norm.kind == MATRIX:
        return _inner(x, [_inner(row, x) for row in norm.matrix])
    sizes = {L2: _inner(x, x), L1: sum(map(abs, x), ZERO) ** 2, LINF: max(map(abs, x)) ** 2}
    return norm.matrix[0, 0] * sizes[norm.kind]


def _dual(norm: Norm, g: Array) -> Any:
    if norm.kind == MATRIX:
        return _inner(g, _solved([[*row, b] for row, b in zip(norm.matrix, g, strict=True)]))
    sizes = {L2: _inner(g, g), LINF: sum(map(abs, g), ZERO) ** 2, L1: max(map(abs, g)) ** 2}
    return sizes[norm.kind] / norm.matrix[0, 0]


def _solved(rows: list[list[Any]]) -> list[Any]:
    """The solution of a system with positive pivots, by Gauss and Jordan."""
    for k, pivot in enumerate(rows):
        rows[k] = [x / pivot[k] for x in pivot]
        for i, row in enumerate(rows):
            if i != k:
                rows[i] = [x - row[k] * y for x, y in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows]


def _norms(p: Case) -> Checked:
    """Squares of norms and of dual norms, and the constants between two of them."""
    for norm in p.norms:
        name = norms.NORMS[norm.kind]
        yield f"norms.norm_square of {name}", _near(pure(norms.norm_square)(norm, p.g), _square(norm, p.g))
        yield f"norms.dual_square of {name}", _near(pure(norms.dual_square)(norm, p.g), _dual(norm, p.g))
    A, B = p.norms
    bound = pure(norms.squared_constant)(A, B) * (1 + CLOSE)
    holds = all(_square(A, x) <= bound * _square(B, x) for x in (p.g, *np.eye(p.g.size, dtype=int) * p.g))
    yield "norms.squared_constant", holds


def _potential(R: Regularizer, x: Array) -> Any:
    if R.kind == ENTROPY:
        return sum((t * t.log() for t in x if t != 0), ZERO)
    return _inner(x, [_inner(row, x) for row in R.matrix] if R.kind == MAHALANOBIS else x) / 2


def _steepest(R: Regularizer, x: Array) -> Array:
    if R.kind == ENTROPY:
        return np.array([1 + t.log() for t in x])
    return np.array([_inner(row, x) for row in R.matrix]) if R.kind == MAHALANOBIS else x


def _regularizers(p: Case) -> Checked:
    """Regularisers, gradients, divergences, and the norm in which each is strongly convex."""
    R, x, y = p.R, p.points[0], p.phi
    yield f"regularizers.value of kind {R.kind}", _near(pure(regularizers.value)(R, x), _potential(R, x))
    yield f"regularizers.gradient of kind {R.kind}", _all_near(pure(regularizers.gradient)(R, y), _steepest(R, y))
    size = abs(_potential(R, x)) + abs(_potential(R, y))
    own = _potential(R, x) - _potential(R, y) - _inner(_steepest(R, y), x - y)
    yield f"regularizers.bregman of kind {R.kind}", _near(pure(regularizers.bregman)(R, x, y), own, size)
    norm = pure(norms.norm_of)(R, p.domain)
    yield f"norms.norm_of kind {R.kind}", own * 2 >= _square(norm, x - y) - CLOSE * size


# domains and steps ------------------------------------------------------------------------------------------------
def _least(domain: Domain, v: Array) -> Any:
    """The least of a linear function on a bounded domain."""
    if domain.kind == BALL:
        return _inner(v, domain.center) - domain.radius[0] * _inner(v, v).sqrt()
    if domain.kind == SIMPLEX:
        return _inner(v, domain.low) + (1 - sum(domain.low)) * min(v)
    return sum((min(t * a, t * b) for t, a, b in zip(v, domain.low, domain.high, strict=True)), ZERO)


def _belongs(domain: Domain, x: Array, slack: Any) -> bool:
    if domain.kind == BALL:
        return bool(_inner(x - domain.center, x - domain.center).sqrt() <= domain.radius[0] + slack)
    above = domain.kind == SPACE or all(t >= low - slack for t, low in zip(x, domain.low, strict=True))
    below = domain.kind != BOX or all(t <= high + slack for t, high in zip(x, domain.high, strict=True))
    return above and below and (domain.kind != SIMPLEX or abs(sum(x) - 1) <= slack)


def _is_optimal(domain: Domain, x: Array, *parts: Array) -> bool:
    """Whether x is in the domain, and no direction into it descends along the sum of the parts, a gradient at x."""
    v: Array = np.sum(parts, axis=0)
    sizes: Array = np.sum([abs(part) for part in parts], axis=0)
    if domain.kind == SPACE:
        return all(abs(t) <= CLOSE * size for t, size in zip(v, sizes, strict=True))
    reach = max(*map(abs, x), *map(abs, domain.center), *map(abs, domain.low), *map(abs, domain.high))
    reach += domain.radius[0]
    return _belongs(domain, x, CLOSE * reach) and bool(_inner(v, x) - _least(domain, v) <= CLOSE * reach * sum(sizes))


def _is_step(p: Case, theta: Array, g: Array) -> bool:
    """Whether theta is the mirror step from phi along g; on a face the entropy has no gradient."""
    if p.R.kind == ENTROPY and min(theta) <= 0:
        return True
    return _is_optimal(p.domain, theta, _steepest(p.R, theta), -_steepest(p.R, p.phi), g)


def _steps(p: Case) -> Checked:
    """Projections, linear minimisers, membership and mirror steps, short and long."""
    kind = domains.NAMES[p.domain.kind]
    for x in (p.phi, *(p.phi + p.g * scale for scale in (Fraction(1, 64), 1, 64))):
        y = pure(domains.project)(p.domain, x)
        yield f"domains.project onto a {kind}", _is_optimal(p.domain, y, y, -x)
        yield f"domains.inside of a {kind}", (pure(domains.inside)(p.domain, x) >= 0) == _belongs(p.domain, x, ZERO)
    for g in (p.g * scale for scale in (Fraction(1, 64), 1, -8)):
        theta = pure(regularizers.mirror_step)(p.R, p.domain, p.phi, g)
        yield f"regularizers.mirror_step of kind {p.R.kind} on a {kind}", _is_step(p, theta, g)
        if p.domain.kind != SPACE:
            x = pure(domains.linear_minimizer)(p.domain, g)
            yield f"domains.linear_minimizer on a {kind}", _is_optimal(p.domain, x, g)


# what is played ---------------------------------------------------------------------------------------------------
def _learners(p: Case) -> Checked:
    """Online mirror descent, lazy and greedy, on mixed losses and on linear ones."""
    some = losses.rows(p.losses, 0, ROUNDS)
    linear = some._replace(link=np.zeros(ROUNDS, np.int64), ridge=some.ridge * 0)
    euclidean = p._replace(R=Regularizer(0, p.R.matrix * 0))
    for L, name in ((some, "mixed"), (linear, "linear")):
        for q in (p, euclidean):
            played, past = pure(play_omd)(L, p.domain, q.R, p.phi, p.eta), p.g * 0
            for i, theta in enumerate(played.actions):
                fits = _is_step(q, theta, p.eta * past) and _near(played.values[i], _loss(L, i, theta))
                yield f"play_omd, {name} losses, round {i}", fits
                past = past + _gradient(L, i, theta)
        played, after = pure(play_greedy_ogd)(L, p.domain, p.phi, p.eta), p.phi
        for i, theta in enumerate(played.actions):
            fits = _is_optimal(p.domain, theta, theta, -after) and _near(played.values[i], _loss(L, i, theta))
            yield f"play_greedy_ogd, {name} losses, round {i}", fits
            after = theta - p.eta * _gradient(L, i, theta)


def _hindsight(p: Case) -> Checked:
    """The certified minimum: at most every sum, and next to one of them."""
    if p.domain.kind == SPACE:
        return
    found = hindsight(p.losses, p.domain)
    L, action, points = mapped((p.losses, found.action, p.points), plain)
    sums = [sum((_loss(L, i, x) for i in range(len(LINKS))), ZERO) for x in (action, *points)]
    size = max(map(abs, sums)) + sum(L.weight)
    low, value = plain(found.lower), plain(found.value)
    yield "hindsight.value", _near(value, sums[0], size)
    yield "hindsight.lower", low <= min(sums) + CLOSE * size
    yield "hindsight.action", sums[0] - low <= Fraction(1, 10**6) * size
