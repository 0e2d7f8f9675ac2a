"""Drawn problems for the learners' tests, in floats or, from the same tape, in exact numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Exact
from arubatheory.learners import Trajectory
from arubatheory.problems import domains
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain
from arubatheory.problems.draw import Draw, RandomDraw, TapeDraw
from arubatheory.problems.losses import DISTANCE, LINKS, Losses, losses
from arubatheory.problems.random_domains import random_point
from arubatheory.problems.regularizers import (
    ENTROPY,
    EUCLIDEAN,
    MAHALANOBIS,
    Regularizer,
    check_pair,
    entropy,
    euclidean,
    mahalanobis,
    random_start,
)

KINDS = (SPACE, BOX, BALL, SIMPLEX)
REGULARIZERS = (EUCLIDEAN, ENTROPY, MAHALANOBIS)
PAIRS = [(k, r) for k in KINDS for r in REGULARIZERS if not (k == SPACE and r == ENTROPY)]


class Problem(NamedTuple):
    """The arguments of a learner."""

    losses: Losses
    domain: Domain
    R: Regularizer
    phi: Any
    eta: Any


def draw_domain(draw: Draw, kind: int, d: int) -> Domain:
    """A domain of this kind inside the positive orthant, so that every regulariser is defined on it."""
    if kind == SPACE:
        return domains.space(d)
    if kind == SIMPLEX:
        return domains.simplex(d, draw.simplex(d) * draw.choice([0, 1]) / 4)
    if kind == BOX:
        low = draw.unit(d)
        return domains.box(low, low + (1 + draw.unit(d)) / 2)
    radius = draw.number(1, 2) + draw.unit() / 4
    return domains.ball(radius + draw.unit(d) + draw.number(1, 4), radius)


def draw_regularizer(draw: Draw, kind: int, d: int) -> Regularizer:
    """A regulariser of this kind."""
    if kind == MAHALANOBIS:
        return mahalanobis(draw.spd(d, -2, 2))
    return entropy(d) if kind == ENTROPY else euclidean(d)


def draw_point(draw: Draw, domain: Domain) -> Any:
    """A point of the domain, of unit scale on the whole space."""
    return draw.real(-1, 1, domain.low.size) if domain.kind == SPACE else random_point(domain, draw)


def draw_losses(draw: Draw, domain: Domain, m: int, link: int | None, ridge: bool) -> Losses:
    """Losses with kinks at points of the domain half of the time; `link` None mixes all of them."""
    d = domain.low.size
    links = [draw.integer(0, len(LINKS) - 1) if link is None else link for _ in range(m)]
    anchors = np.array([draw_point(draw, domain) for _ in range(m)])
    a = draw.real(-1, 1, (m, d))
    offset = draw.real(-1, 1, m) * np.array([draw.integer(0, 1) for _ in range(m)])
    b = (a * anchors).sum(axis=1) - offset
    for i in range(m):
        if links[i] == DISTANCE:
            a[i] = draw.sphere(d)
    bend = draw.unit(m) / 4 if ridge else 0
    return losses(links, a, b, weight=draw.unit(m) * 2, ridge=bend, c=anchors, kink=draw.unit(m))


def draw_problem(
    draw: Draw, domain_kind: int, regularizer_kind: int, link: int | None = None, m: int = 4, d: int = 2
) -> Problem:
    """A problem of unit scale."""
    domain = draw_domain(draw, domain_kind, d)
    R = draw_regularizer(draw, regularizer_kind, d)
    check_pair(R, domain)
    L = draw_losses(draw, domain, m, link, draw.boolean())
    phi = draw_point(draw, domain) if domain.kind == SPACE else random_start(R, domain, draw)
    return Problem(L, domain, R, phi, draw.positive(-2, 3))


def both(seed: int, domain_kind: int, regularizer_kind: int, **shape: Any) -> tuple[Problem, Problem]:
    """The same problem in floats and in exact numbers."""
    draw = RandomDraw(np.random.default_rng([seed, domain_kind, regularizer_kind]))
    floats = draw_problem(draw, domain_kind, regularizer_kind, **shape)
    return floats, draw_problem(TapeDraw(draw.tape, exact=True), domain_kind, regularizer_kind, **shape)


def problem(seed: int, domain_kind: int, regularizer_kind: int, **shape: Any) -> Problem:
    """A problem in floats."""
    draw = RandomDraw(np.random.default_rng([seed, domain_kind, regularizer_kind]))
    return draw_problem(draw, domain_kind, regularizer_kind, **shape)


def spliced(first: Any, second: Any, t: int) -> Any:
    """A tuple of arrays with the rows of `first` up to round t, then those of `second`."""
    return type(first)(*(np.concatenate([x[:t], y[t:]]) for x, y in zip(first, second, strict=True)))


def assert_same_up_to(before: Trajectory, after: Trajectory, t: int) -> None:
    """What is played before the losses of round t are seen does not depend on them."""
    assert np.array_equal(before.actions[: t + 1], after.actions[: t + 1])
    assert np.array_equal(before.values[:t], after.values[:t])


def constraints(domain: Domain) -> tuple[list[Any], list[Any]]:
    """What scipy needs to know about a domain: bounds, and constraints on the first d numbers."""
    d = domain.low.size
    bounds, extra = [(None, None)] * d, []
    if domain.kind == BOX:
        bounds = list(zip(domain.low, domain.high, strict=True))
    if domain.kind == SIMPLEX:
        bounds = [(low, 1.0) for low in domain.low]
        extra = [{"type": "eq", "fun": lambda x: x[:d].sum() - 1.0}]
    if domain.kind == BALL:
        extra = [{"type": "ineq", "fun": lambda x: domain.radius[0] ** 2 - ((x[:d] - domain.center) ** 2).sum()}]
    return bounds, extra


def of_all_bent_links(m: int, d: int, **more: Any) -> Losses:
    """m losses of every link that is not linear, in turn."""
    rng = np.random.default_rng(0)
    links = ["absolute", "hinge", "huber", "logistic", "distance", "square"] * (m // 6)
    return losses(links, rng.normal(size=(m, d)) / 9, rng.normal(size=m), c=rng.normal(size=(m, d)), **more)


MISFITS = [  # of two dimensions, each with its error, in the place of an argument that fits
    ({"phi": [2.0, 0.0]}, ValueError, r"phi must lie in the domain, got \[2.0, 0.0\]"),
    ({"phi": [0.0]}, ValueError, r"phi must have shape \(2,\), got \(1,\)"),
    ({"phi": [np.nan, 0.0]}, ValueError, "phi must be finite"),
    ({"phi": "origin"}, TypeError, "phi must hold real numbers"),
    ({"phi": [Exact(0), Exact(0)]}, TypeError, "phi is exact and the losses are floats"),
    ({"domain": domains.interval(0.0, 1.0)}, ValueError, "domain must have dimension 2 as the losses do, got 1"),
    ({"losses": np.zeros((1, 2))}, TypeError, "losses must be a Losses( or a Rounds)?, got array"),
    ({"losses": Losses(*(x[:0] for x in losses("linear", [[1.0, 0.0]])))}, ValueError, "at least one loss"),
]


def contains_point(enclosure: Exact, x: float, slack: float) -> bool:
    """Whether a ball, widened by `slack`, contains a float."""
    from arubatheory.arithmetic import approximate, midpoint

    middle = approximate(midpoint(enclosure))
    radius = approximate(abs(enclosure - midpoint(enclosure)))
    return abs(middle - x) <= radius + slack
