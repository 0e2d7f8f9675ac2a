r"""Appendix A.1, Convex Functions: strong convexity and smoothness of the losses we draw (def:convex, def:smooth), what
def:bregman:app says of Bregman divergences, and clm:mean about their means.

A function f on S is a regulariser or a sum of losses with a ridge; the norms are the regulariser's own and l2. clm:mean
allows weights of either sign with a positive sum: the mean may then leave S, so that the claim is put on trial as
printed and, as `/corrected`, for nonnegative weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import on
from arubatheory.problems.constants import smoothness, strong_convexity
from arubatheory.problems.domains import SPACE, inside, project, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import HUBER, LINEAR, LOGISTIC, SQUARE, random_losses, subgradient
from arubatheory.problems.regularizers import ENTROPY, random_regularizer, random_start
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import (
    divergence,
    in_domain,
    magnitude,
    slope,
    squared_norm_of,
    strictly_convex,
    yardstick,
)
from arubatheory.statements.games import ALL_LINKS, round_sides

SMOOTH_LINKS = (LINEAR, SQUARE, LOGISTIC, HUBER)

# strong convexity and smoothness -----------------------------------------------------------------------------------


def _loss_and_points(draw: Draw, links: Sequence[int] = ALL_LINKS) -> Instance:
    """One loss, two points and a norm; its argument at x takes a value of [-2, 2], often that of a kink."""
    d = draw.integer(1, 3)
    domain = random_domain(draw, d)
    L = random_losses(draw, 1, d, domain, links)
    x = L.c[0] if draw.boolean() else random_point(domain, draw)
    at = draw.integer(0, 3)
    if at > 0:
        L.b[0] = L.a[0] @ x - (at - 2)
    R = random_regularizer(draw, d, domain)
    return Instance(losses=L, domain=domain, R=R, x=x, y=random_point(domain, draw))


def _smooth_loss_and_points(draw: Draw) -> Instance:
    """The same, seldom with a link that has a kink: those losses are smooth only where the domain avoids it."""
    return _loss_and_points(draw, SMOOTH_LINKS if draw.integer(0, 7) < 7 else ALL_LINKS)


def _curvature(i: Instance) -> tuple[Any, Any, Any]:
    r"""$f(y) - f(x) - \langle\nabla f(x), y - x\rangle$, $\|y - x\|^2/2$ in the norm of R, and the magnitudes added."""
    shift = i.y - i.x
    difference, scale = on(round_sides, i.x)(i.losses, 0, i.y, i.x)
    linear = on(subgradient, i.x)(i.losses, 0, i.x) * shift
    return difference - sum(linear), squared_norm_of(i.R, i.domain, shift) / 2, scale + magnitude(linear)


def _strongly_convex(i: Instance) -> Sides:
    above, square, scale = _curvature(i)
    grown = strong_convexity(i.losses, i.domain, i.R)[0] * square
    return Sides(grown, above, scale + grown)


def _strongly_smooth(i: Instance) -> Sides:
    above, square, scale = _curvature(i)
    beta = smoothness(i.losses, i.domain, i.R)[0]
    if isinstance(beta, float) and math.isinf(beta):  # in exact arrays too: nothing is claimed, so nothing counts
        return Sides(above - above, above - above, above - above)
    return Sides(above, beta * square, scale + beta * square)


CONSTANTS_NOTE = (
    r"On trial are the constants that the package computes from a loss's arrays: all links, domains and norms of R, "
    r"and at kinks any subgradient."
)
CONSTANTS = tuple(
    Statement(
        label=f"def:{name}", kind="definition", number=number, title=title, latex=latex, instance=instance,
        sides=sides, assumptions=(Assumption(r"x\in S", in_domain("x")), Assumption(r"y\in S", in_domain("y"))),
        note=CONSTANTS_NOTE,
    )
    for name, number, title, latex, instance, sides in (
        ("convex", "A.1", "Strong convexity",
         r"f(y)\ge f(x)+\langle\nabla f(x),y-x\rangle+\frac\alpha2\|y-x\|^2\quad\forall\ x,y\in S",
         _loss_and_points, _strongly_convex),
        ("smooth", "A.2", "Strong smoothness",
         r"f(y)\le f(x)+\langle\nabla f(x),y-x\rangle+\frac\beta2\|y-x\|^2\quad\forall\ x,y\in S",
         _smooth_loss_and_points, _strongly_smooth),
    )
)  # fmt: skip

# Bregman divergences -----------------------------------------------------------------------------------------------


def _two_points(draw: Draw) -> Instance:
    d = draw.integer(1, 3)
    domain = random_domain(draw, d)
    R = random_regularizer(draw, d, domain)
    f = strictly_convex(draw, d, domain, R)
    y = random_start(R, domain, draw) if f.is_regularizer else random_point(domain, draw)
    return Instance(domain=domain, f=f, x=random_point(domain, draw), y=y, z=random_point(domain, draw))


def _nonnegative(i: Instance) -> Sides:
    b, scale = divergence(i.f, i.x, i.y)
    return Sides(b - b, b, scale)


def _square(i: Instance, shift: Array) -> Any:
    """The squared norm in which alpha and beta are taken: R's own for R, l2 for a sum of losses."""
    return squared_norm_of(i.f.R, i.domain, shift) if i.f.is_regularizer else shift @ shift


def _alpha(i: Instance) -> Any:
    """R is 1-strongly convex in its norm; the ridges of a sum of losses make it strongly convex in l2."""
    return 1 if i.f.is_regularizer else sum(i.f.losses.ridge)


def _strong(i: Instance) -> Sides:
    b, scale = divergence(i.f, i.x, i.y)
    grown = _alpha(i) * _square(i, i.x - i.y) / 2
    return Sides(grown, b, scale + grown + _reach(i))


def _reach(i: Instance) -> Any:
    """The magnitudes behind a squared distance: points far out leave few digits to their difference."""
    size = magnitude(i.x) + magnitude(i.y)
    return (sum(abs(i.f.R.matrix).ravel()) + _alpha(i)) * size * size


def _smooth_points(draw: Draw) -> Instance:
    """As for strong convexity, but f is smooth: square, logistic and Huber links, or a quadratic R (not the
    entropy)."""
    d = draw.integer(1, 3)
    domain = random_domain(draw, d)
    f = strictly_convex(draw, d, domain, random_regularizer(draw, d, domain))
    smooth = np.array([(1, 2, 5)[k % 3] for k in f.losses.link], dtype=np.int64)
    f = f._replace(is_regularizer=f.is_regularizer and f.R.kind != ENTROPY, losses=f.losses._replace(link=smooth))
    return Instance(domain=domain, f=f, x=random_point(domain, draw), y=random_point(domain, draw))


def _beta(i: Instance) -> Any:
    r"""$\sum_k w_k \|a_k\|_2^2 \sup\psi_k'' + r_k$, with $\sup\psi'' = 1$ (square, Huber) and 1/4 (logistic)."""
    if i.f.is_regularizer:
        return 1
    L = i.f.losses
    curvatures = [L.weight[k] * (L.a[k] @ L.a[k]) / (4 if L.link[k] == 2 else 1) + L.ridge[k] for k in range(len(L.b))]
    return sum(curvatures)


def _smooth(i: Instance) -> Sides:
    b, scale = divergence(i.f, i.x, i.y)
    bound = _beta(i) * _square(i, i.x - i.y) / 2
    size = magnitude(i.x) + magnitude(i.y)
    matrix = sum(abs(i.f.R.matrix).ravel())
    return Sides(b, bound, scale + bound + (matrix + _beta(i)) * size * size)


def _preserved(i: Instance) -> Sides:
    r"""$B(z\|y) \ge B(x\|y) + \langle\nabla f(x) - \nabla f(y), z - x\rangle + \frac\alpha2\|z - x\|^2$."""
    far, far_scale = divergence(i.f, i.z, i.y)
    near, near_scale = divergence(i.f, i.x, i.y)
    linear = (slope(i.f, i.x) - slope(i.f, i.y)) * (i.z - i.x)
    grown = _alpha(i) * _square(i, i.z - i.x) / 2
    size = magnitude(i.x) + magnitude(i.z) + magnitude(i.y)
    reach = (sum(abs(i.f.R.matrix).ravel()) + _alpha(i)) * size * size
    return Sides(near + sum(linear) + grown, far, far_scale + near_scale + magnitude(linear) + grown + reach)


def _preserving_points(draw: Draw) -> Instance:
    i = _two_points(draw)
    # The middle point carries a gradient too, which the entropy has at positive points only.
    i.x = random_start(i.f.R, i.domain, draw) if i.f.is_regularizer else i.x
    return i


BREGMAN_POINTS = (
    Assumption(r"x\in S", in_domain("x")),
    Assumption(r"y\in S", in_domain("y")),
)

BREGMAN = tuple(
    Statement(
        label=f"def:bregman:app/{part}",
        kind="definition",
        number="A.4",
        title=title,
        latex=latex,
        instance=instance,
        sides=sides,
        assumptions=assumptions,
        part_of="def:bregman:app",
        uses=uses,
    )
    for part, title, latex, instance, sides, assumptions, uses in (
        ("nonnegative", "Bregman divergences are nonnegative", r"\Breg_f(x||y)\ge0", _two_points, _nonnegative,
         BREGMAN_POINTS, ()),
        ("strongly-convex", "Lower quadratic bound", r"\Breg_f(x||y)\ge\frac\alpha2\|x-y\|^2", _two_points, _strong,
         BREGMAN_POINTS, ("def:convex",)),
        ("strongly-smooth", "Upper quadratic bound", r"\Breg_f(x||y)\le\frac\beta2\|x-y\|^2", _smooth_points, _smooth,
         BREGMAN_POINTS, ("def:smooth",)),
        ("convexity", "A Bregman divergence is as strongly convex as its function",
         r"\Breg_f(z||y)\ge\Breg_f(x||y)+\langle\nabla f(x)-\nabla f(y),z-x\rangle+\frac\alpha2\|z-x\|^2",
         _preserving_points, _preserved, (*BREGMAN_POINTS, Assumption(r"z\in S", in_domain("z"))),
         ("def:convex",)),
    )
)  # fmt: skip

# clm:mean ----------------------------------------------------------------------------------------------------------


def _weighted_points(draw: Draw, nonnegative: bool, everywhere: bool = False) -> Instance:
    d = draw.integer(1, 2)
    domain = random_domain(draw, d, (SPACE,)) if everywhere else random_domain(draw, d)
    R = random_regularizer(draw, d, domain)
    f = strictly_convex(draw, d, domain, R)
    n = draw.integer(1, 4)
    point = (lambda: random_start(R, domain, draw)) if f.is_regularizer else (lambda: random_point(domain, draw))
    return Instance(
        domain=domain, f=f, alpha=_weights(draw, n, nonnegative), x=np.stack([point() for _ in range(n)]), y=point()
    )


def _weights(draw: Draw, n: int, nonnegative: bool) -> Array:
    """Weights with a positive sum: of either sign, or none of them negative, over many scales."""
    signs = draw.unit(n) if nonnegative else draw.real(-1, 1, n)
    alpha = signs * (draw.positive(shape=n) if draw.boolean() else draw.positive())
    total = sum(alpha)
    if total < 0:
        return np.asarray(-alpha)
    if total == 0:
        alpha[0] = alpha[0] + 1
    return np.asarray(alpha)


def _any_weights(draw: Draw) -> Instance:
    return _weighted_points(draw, nonnegative=False)


def _nonnegative_weights(draw: Draw) -> Instance:
    return _weighted_points(draw, nonnegative=True)


def _weights_on_space(draw: Draw) -> Instance:
    return _weighted_points(draw, nonnegative=False, everywhere=True)


def _mean(i: Instance) -> tuple[Array, Any]:
    total_weight = sum(i.alpha)
    return (i.alpha @ i.x) / total_weight, total_weight


def _spread(i: Instance) -> Any:
    """The magnitudes behind the mean: weights that nearly cancel leave few digits to it."""
    return sum(abs(i.alpha) * [magnitude(p) for p in i.x]) / sum(i.alpha)


def _mean_is_feasible(i: Instance) -> Sides:
    mean, _ = _mean(i)
    outside = -on(inside, mean)(i.domain, mean)
    corners = sum(abs(part).max() for part in (i.domain.low, i.domain.high, i.domain.center, i.domain.radius))
    size = _spread(i) + corners
    return Sides(outside, outside - outside, size + size * size)


def _weighted_divergence(i: Instance, y: Array) -> tuple[Any, Any]:
    parts = [divergence(i.f, p, y) for p in i.x]
    value = sum(w * b for w, (b, _) in zip(i.alpha, parts, strict=True))
    return value, sum(abs(w) * s for w, (_, s) in zip(i.alpha, parts, strict=True))


def _mean_minimises(i: Instance) -> Sides:
    mean, total_weight = _mean(i)
    if not is_exact(mean):  # a rounding outside S would leave f without a value
        mean = on(project, mean)(i.domain, mean)
    at_mean, scale = _weighted_divergence(i, mean)
    at_y, other = _weighted_divergence(i, i.y)
    # An error e of the mean costs total * |grad f(mean) - grad f(x_i)| * e: f's yardstick at the spread of the points.
    conditioning = abs(total_weight) * _growth_yardstick(i)
    return Sides(at_mean, at_y, scale + other + conditioning)


def _growth_yardstick(i: Instance) -> Any:
    size = _spread(i)
    if i.f.is_regularizer:
        return (1 + sum(abs(i.f.R.matrix).ravel())) * (1 + size) * size
    L = i.f.losses
    slopes = sum(L.weight[k] * (1 + magnitude(L.a[k])) * (1 + magnitude(L.a[k])) + L.ridge[k] for k in range(len(L.b)))
    return yardstick(L, i.x[0]) + slopes * (1 + size) * size


def _mean_claim(i: Instance) -> tuple[Sides, ...]:
    feasible = _mean_is_feasible(i)
    # Outside S, f has no value: the claim is then false without one.
    if is_exact(i.alpha) and feasible.lhs > 0:
        return (feasible,)
    return (feasible, _mean_minimises(i)) if feasible.lhs > 0 else (_mean_minimises(i),)


def _mean_identity(i: Instance) -> tuple[Sides, Sides]:
    mean, total_weight = _mean(i)
    at_y, scale_y = _weighted_divergence(i, i.y)
    at_mean, scale_mean = _weighted_divergence(i, mean)
    b, scale_b = divergence(i.f, mean, i.y)
    scale = scale_y + scale_mean + total_weight * (scale_b + _growth_yardstick(i))
    return Sides(at_y - at_mean, total_weight * b, scale), Sides(total_weight * b, at_y - at_mean, scale)


SUM_POSITIVE = Assumption(r"\alpha_{1:n}>0", lambda i: sum(i.alpha))
POINTS_IN_S = Assumption(r"x_1,\dots,x_n\in S", lambda i: min(on(inside, p)(i.domain, p) for p in i.x))
Y_IN_S = Assumption(r"y\in S", in_domain("y"))
MEAN_LATEX = r"\bar x=\frac1{\alpha_{1:n}}\sum_{i=1}^n\alpha_ix_i=\argmin_{y\in S}\sum_{i=1}^n\alpha_i\Breg_f(x_i||y)"

MEAN = (
    Statement(
        label="clm:mean",
        kind="claim",
        number="A.1",
        title="The weighted mean minimises the weighted sum of Bregman divergences",
        latex=MEAN_LATEX,
        instance=_any_weights,
        sides=_mean_claim,
        assumptions=(SUM_POSITIVE, POINTS_IN_S, Y_IN_S),
        uses=("def:bregman:app/nonnegative",),
        note=r"The paper allows negative weights as long as their sum is positive; then the mean may leave $S$, "
        r"where $f$ has no value. The inequalities are: $\bar x$ lies in $S$, and no $y\in S$ has a smaller sum.",
    ),
    Statement(
        label="clm:mean/corrected",
        kind="claim",
        number="A.1",
        title="The weighted mean, for nonnegative weights",
        latex=MEAN_LATEX + r"\quad\text{for}\quad\alpha_1,\dots,\alpha_n\ge0,\ \alpha_{1:n}>0",
        instance=_nonnegative_weights,
        sides=_mean_claim,
        assumptions=(Assumption(r"\alpha_i\ge0", lambda i: i.alpha.min()), SUM_POSITIVE, POINTS_IN_S, Y_IN_S),
        uses=("def:bregman:app/nonnegative",),
        corrects=("clm:mean",),
        note=r"Nonnegative weights keep the mean in the convex set $S$; for weights of any sign the claim holds if "
        r"$\bar x\in S$.",
    ),
    Statement(
        label="clm:mean/proof-1",
        kind="proof step",
        number="A.1",
        title="The identity behind clm:mean",
        latex=r"\sum_{i=1}^n\alpha_i\left(\Breg_f(x_i||y)-\Breg_f(x_i||\bar x)\right)=\alpha_{1:n}\Breg_f(\bar x||y)",
        instance=_weights_on_space,
        sides=_mean_identity,
        assumptions=(SUM_POSITIVE, POINTS_IN_S, Y_IN_S),
        step_of="clm:mean",
        note=r"On $S=\mathbb R^d$, where the mean stays in $S$ whatever the signs of the weights.",
    ),
)

STATEMENTS = (*CONSTANTS, *BREGMAN, *MEAN)
