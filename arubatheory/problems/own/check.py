r"""Whether losses are convex, and their gradients are what they say.

Both is one inequality at all pairs of points, $\ell(y) \ge \ell(x) + \langle\nabla\ell(x), y - x\rangle$.
It is tried at random pairs, far and near, and along the gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.problems.domains import SPACE, Domain
from arubatheory.problems.losses import Losses
from arubatheory.problems.numbers import check_count
from arubatheory.problems.own.least import middle
from arubatheory.problems.own.rounds import AnyLosses, count, observe
from arubatheory.problems.own.steps import AnyDomain, diameter_of, onto, start_in
from arubatheory.problems.signatures import typed

SLACK = 1e-10  # of the magnitudes: beyond it no rounding of a function is to blame


@typed
def check_losses(losses: AnyLosses, domain: AnyDomain, phi: Any = None, *, pairs: int = 16, seed: int = 0) -> None:
    """Raises ValueError with the losing pair of points where a loss is not convex over the domain, or its gradient no
    subgradient; and the errors of values that are no numbers, gradients of another shape, NaN.

    TypeError for exact numbers. `pairs` pairs are tried in each round, around `phi` (d,), by default the middle of the
    domain. What passes is not proved.
    """
    check_count("pairs", pairs)
    start, rng = start_in(domain, middle(domain) if phi is None else phi), np.random.default_rng(abs(seed))
    if is_exact(start) or (isinstance(losses, Losses) and is_exact(losses.a)):
        raise TypeError(f"losses, domain and phi must be in floats, got phi={start!r}")
    if isinstance(losses, Losses) and losses.a.shape[1:] != start.shape:
        raise ValueError(f"losses must have shape (m, {start.size}), got {losses.a.shape}")
    for t in range(count(losses)):
        for x, y in _pairs(losses, domain, start, t, rng, pairs):
            _compare(losses, t, x, y)


def _pairs(
    losses: AnyLosses, domain: AnyDomain, start: Array, t: int, rng: Any, pairs: int
) -> Iterator[tuple[Array, Array]]:
    width = min(diameter_of(domain), 4.0 * (1 + float(np.abs(start).max())))
    free = isinstance(domain, Domain) and domain.kind == SPACE
    for k in range(pairs):
        x, step = start + width / 2 * rng.standard_normal(start.size), width * 10.0 ** rng.uniform(-3, 0)
        x = x if free else onto(domain, x)
        way = rng.standard_normal(start.size)
        if k % 4 == 3:
            g = observe(losses, t, x)[1]
            way = (1.0 if k % 8 == 3 else -1.0) * g if g.any() else way
        y = x + step * way / max(float(np.linalg.norm(way)), 1e-300)
        yield x, y if free else onto(domain, y)


def _compare(losses: AnyLosses, t: int, x: Array, y: Array) -> None:
    (at_x, g), (at_y, _) = observe(losses, t, x), observe(losses, t, y)
    rise, pair = float(g @ (y - x)), f"x={x.tolist()}, y={y.tolist()}"
    if not np.isfinite(at_x + at_y + rise):
        raise ValueError(f"losses must be finite, got f(x) = {at_x} and f(y) = {at_y} in round {t} with {pair}")
    slack = SLACK * (abs(at_x) + abs(at_y) + float(np.abs(g) @ np.abs(y - x)))
    if at_y >= at_x + rise - slack:
        return
    half = observe(losses, t, (x + y) / 2)[0]
    if half > (at_x + at_y) / 2 + slack:
        told = f"f((x + y)/2) = {half:.17g} > (f(x) + f(y))/2 = {(at_x + at_y) / 2:.17g}"
        raise ValueError(f"losses must be convex, got in round {t} {told} with {pair}")
    told = f"f(y) = {at_y:.17g} < f(x) + <gradient(x), y - x> = {at_x + rise:.17g}"
    raise ValueError(f"gradient must be a subgradient, got in round {t} {told} with {pair}, gradient(x)={g.tolist()}")
