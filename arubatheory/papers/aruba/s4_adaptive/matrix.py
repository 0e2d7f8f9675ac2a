r"""Section 4: mirror descent with a matrix step size H (eq:matrix).

eq:matrix is lazy OMD with $R = \frac12\|\cdot\|_{H^{-1}}^2$ and step size 1, which is 1-strongly convex in
$\|\cdot\|_{H^{-1}}$, whose dual norm is $\|\cdot\|_H$. The bound holds for any subgradients of the losses as functions
on $\Theta$, normal vectors of $\Theta$ included, because it is in terms of those that are played. Steps are those of
`learners.preconditioned`: in floats by H's spectrum or diagonal, in exact numbers by their twin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.preconditioned import Metric, metric_of_inverse, step
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, project
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, solve, times
from arubatheory.problems.losses import LINEAR, Losses, subgradient
from arubatheory.problems.matrices import psd_margin
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, bregman
from arubatheory.statements.core import Assumption, Instance, Sides, each_equal
from arubatheory.statements.functions import normal, normality
from arubatheory.statements.games import COMPARATOR, CONVEX, MOST_D, START, online_game, regret_of

Step = Callable[[Instance, Metric, Array, Array, Array], Array]
SPD = Assumption(r"H\succ0", lambda x: psd_margin(x.R.matrix))
BOUND = (
    r"\sum_{i=1}^m\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)\le\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2"
    r"+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2"
)
MOVE = r"\theta_{t,i+1}=\theta_{t,i}-H\nabla_{t,i}"
GAME = (CONVEX, START, COMPARATOR, SPD)
USES = ("def:omd", "def:regret", "thm:ftrlomd/omd")


def _mahalanobis(draw: Draw, d: int, domain: Any) -> Regularizer:
    return Regularizer(MAHALANOBIS, draw.spd(d, -8, 8) * draw.positive())


def _game(draw: Draw, **limits: Any) -> Instance:
    r"""An online game; $H^{-1}$ is the matrix of R, and normal vectors of a box or simplex join half of the games."""
    x = online_game(draw, rounds=4, regularizer=_mahalanobis, **limits)
    del x.eta  # H is the step size
    x.outward = draw.zeros(x.losses.a.shape)
    if x.domain.kind in (BOX, SIMPLEX) and draw.boolean():
        x.outward = draw.positive(shape=x.losses.a.shape) * draw.positive()
    return x


def lazy(x: Instance, H: Metric, theta: Array, g: Array, summed: Array) -> Array:
    """The step of eq:matrix, from the start."""
    return on(step, theta)(H, x.domain, x.phi, summed)


def greedy(x: Instance, H: Metric, theta: Array, g: Array, summed: Array) -> Array:
    """The same from where one is."""
    return on(step, theta)(H, x.domain, theta, g)


def _euclidean(x: Instance, H: Metric, theta: Array, g: Array, summed: Array) -> Array:
    return on(project, theta)(x.domain, theta - on(solve, g)(x.R.matrix, g))


def play(x: Instance, take: Step) -> tuple[Array, Array, Array]:
    r"""$\theta_1, \dots, \theta_{m+1}$, the subgradients that were played, and their normal vectors."""
    m, d = x.losses.a.shape
    H = metric_of_inverse(x.R.matrix, x.domain)
    actions, played, normals = (np.empty((n, d), x.phi.dtype) for n in (m + 1, m, m))
    actions[0], summed = x.phi, 0 * x.phi
    for i, theta in enumerate(actions[:-1]):
        with_normal = x.domain.kind in (BOX, SIMPLEX)  # elsewhere `outward` is 0
        normals[i] = normal(x.domain, theta, x.outward[i]) if with_normal else 0 * theta
        played[i] = on(subgradient, theta)(x.losses, i, theta) + normals[i]
        summed = summed + played[i]
        actions[i + 1] = take(x, H, theta, played[i], summed)
    return actions, played, normals


def dual_square(x: Instance, g: Array) -> Any:
    r"""$\|g\|_H^2$."""
    return on(dot, g)(g, on(solve, g)(x.R.matrix, g))


def _bound(x: Instance, take: Step) -> Sides:
    actions, played, _ = play(x, take)
    rhs = on(bregman, x.phi)(x.R, x.comparator, x.phi) + sum(dual_square(x, g) for g in played)
    return Sides(on(regret_of, x.phi)(x.losses, actions[:-1], x.comparator), rhs)


def _normality(x: Instance) -> Any:
    actions, _, normals = play(x, lazy)
    return min(normality(x.domain, theta, n) for theta, n in zip(actions, normals, strict=False))


@claim("eq:matrix/bound", BOUND, _game, (*GAME, Assumption(r"n_i\in N_\Theta(\theta_{t,i})", _normality)), uses=USES)
def lazy_bound(x: Instance) -> Sides:
    r"""Regret-upper-bound with a matrix step size.

    eq:matrix as printed, lazy, over any $\Theta$, and $\theta_t^\ast$ any point of it. $\nabla_{t,i}$ is any
    subgradient on $\Theta$: a normal vector $n_i$ may be added. Half the sum would do.
    """
    return _bound(x, lazy)


def _pair(draw: Draw) -> Instance:
    r"""H, a vector x and a functional g, half of the time at an angle from the g that x attains its norm with."""
    d = draw.size("d", 3, MOST_D)
    matrix, x, g = draw.spd(d, -8, 8) * draw.positive(), draw.sphere(d), draw.real(-1, 1, d)
    return Instance(matrix=matrix, x=x, g=g, near=not draw.boolean(), size=draw.positive())


@claim(
    "eq:matrix/bound/dual-norm",
    r"\langle g,x\rangle^2\le\|x\|_{H^{-1}}^2\|g\|_H^2",
    _pair,
    (Assumption(r"H\succ0", lambda x: psd_margin(x.matrix)),),
    kind="proof step",
    uses=USES,
)
def duality(x: Instance) -> Sides:
    """The norm of the gradients is the dual one.

    Equality at $x=Hg$.
    """
    attained, inner = on(times, x.x)(x.matrix, x.x), on(dot, x.x)
    g = (attained + x.g / 4 if x.near else x.g) * x.size
    return Sides(inner(g, x.x) ** 2, inner(x.x, attained) * inner(g, on(solve, g)(x.matrix, g)))


def gradient_steps(x: Instance) -> tuple[Sides, ...]:
    r"""$\theta_{i+1}$ and $\theta_i - H\nabla_i$."""
    actions, played, _ = play(x, lazy)
    moved = np.array([theta - on(solve, g)(x.R.matrix, g) for theta, g in zip(actions[:-1], played, strict=True)])
    return each_equal(actions[1:].ravel(), moved.ravel())


@claim(
    "eq:matrix/remark",
    MOVE,
    lambda draw: _game(draw, kinds=(SPACE,)),
    (CONVEX, SPD),
    uses=USES,
    corrects=("eq:matrix/remark/literal",),
)
def moves(x: Instance) -> tuple[Sides, ...]:
    r"""On $\Theta=\mathbb R^d$ the iteration is a preconditioned gradient step."""
    return gradient_steps(x)


@claim("eq:matrix/remark/literal", MOVE, _game, (CONVEX, START, SPD), uses=USES)
def literal_moves(x: Instance) -> tuple[Sides, ...]:
    r"""The iteration is a preconditioned gradient step on any $\Theta$.

    eq:matrix has $\theta\in\Theta$; on $\Theta=[-1,1]$ a step of length 2 from 0 ends at an end.
    """
    return gradient_steps(x)


@claim("eq:matrix/remark/greedy", BOUND, _game, GAME, uses=USES, corrects=("eq:matrix/remark/euclidean",))
def greedy_bound(x: Instance) -> Sides:
    r"""The step, projected in $\|\cdot\|_{H^{-1}}$, has the bound too.

    $\theta_{t,i+1}=\argmin_{\theta\in\Theta}\|\theta_{t,i}-H\nabla_{t,i}-\theta\|_{H^{-1}}$: another algorithm than
    eq:matrix on a bounded $\Theta$.
    """
    return _bound(x, greedy)


def _narrow_game(draw: Draw) -> Instance:
    r"""Any game, or two linear losses on the unit disc with $H = \operatorname{Diag}(1, h^2)$: a first gradient along
    the first axis, and a second along the other one, of length about 1/h."""
    if not draw.boolean():
        return _game(draw)
    h, zero = draw.positive(-16, 0), draw.zeros(2)
    matrix, a = draw.eye(2), draw.zeros((2, 2))
    matrix[1, 1] = 1 / (h * h)
    a[0, 0], a[1, 1] = draw.positive(-2, 4), draw.positive(-4, 4) / h
    phi = zero.copy()
    phi[1] = -draw.unit()
    x = Instance(losses=Losses(np.full(2, LINEAR), a, zero, zero + 1, zero, 0 * a, zero), phi=phi, comparator=phi)
    x.domain, x.outward = Domain(BALL, zero, zero, zero, zero[:1] + 1), 0 * a
    x.R = Regularizer(MAHALANOBIS, matrix)
    return x


@claim("eq:matrix/remark/euclidean", BOUND, _narrow_game, GAME, uses=USES)
def euclidean_bound(x: Instance) -> Sides:
    r"""The step, projected in the Euclidean norm, has the bound.

    $\theta_{t,i+1}=\Proj_\Theta(\theta_{t,i}-H\nabla_{t,i})$: not a contraction in the norm of the bound. On the
    unit disc with $H=\Diag(1,h^2)$, from $\phi=(0,-\frac12)$ and against it, after the gradient $(2,0)$ a quarter of
    the second coordinate is lost, and the gradient $(0,1/h)$ makes that a regret of $1/(4h)$, where the right side is
    5.
    """
    return _bound(x, _euclidean)
