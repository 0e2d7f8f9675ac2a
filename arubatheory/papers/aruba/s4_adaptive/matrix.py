r"""Section 4: mirror descent with a matrix step size H (eq:matrix).

eq:matrix is lazy OMD with $R = \frac12\|\cdot\|_{H^{-1}}^2$ and step size 1, which is 1-strongly convex in
$\|\cdot\|_{H^{-1}}$, whose dual norm is $\|\cdot\|_H$. The bound holds for any subgradients of the losses as functions
on $\Theta$, normal vectors of $\Theta$ included, because it is in terms of those that are played.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, SPACE, Domain, project
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, solve
from arubatheory.problems.losses import LINEAR, Losses, subgradient
from arubatheory.problems.matrices import inverse, product, psd_margin
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, bregman, mirror_step
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import magnitude, normal, normality
from arubatheory.statements.games import COMPARATOR, CONVEX, START, online_game, regret_sides

Step = Callable[[Instance, Array, Array, Array], Array]


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
    losses = Losses(np.full(2, LINEAR), a, zero, zero + 1, zero, 0 * a, zero)
    return Instance(
        losses=losses, domain=Domain(BALL, zero, zero, zero, zero[:1] + 1), R=Regularizer(MAHALANOBIS, matrix),
        phi=phi, comparator=phi, outward=0 * a,
    )  # fmt: skip


def _lazy(x: Instance, theta: Array, g: Array, summed: Array) -> Array:
    return on(mirror_step, theta)(x.R, x.domain, x.phi, summed)


def _greedy(x: Instance, theta: Array, g: Array, summed: Array) -> Array:
    return on(mirror_step, theta)(x.R, x.domain, theta, g)


def _euclidean(x: Instance, theta: Array, g: Array, summed: Array) -> Array:
    return on(project, theta)(x.domain, theta - on(solve, g)(x.R.matrix, g))


def _play(x: Instance, step: Step) -> tuple[Array, Array, Array]:
    r"""$\theta_1, \dots, \theta_{m+1}$, the subgradients that were played, and their normal vectors."""
    m, d = x.losses.a.shape
    actions, played, normals = (np.empty((m + 1, d), x.phi.dtype) for _ in range(3))
    actions[0], summed = x.phi, 0 * x.phi
    for i in range(m):
        theta = actions[i]
        with_normal = x.domain.kind in (BOX, SIMPLEX)  # elsewhere `outward` is 0
        normals[i] = normal(x.domain, theta, x.outward[i]) if with_normal else 0 * theta
        played[i] = on(subgradient, theta)(x.losses, i, theta) + normals[i]
        summed = summed + played[i]
        actions[i + 1] = step(x, theta, played[i], summed)
    return actions, played[:m], normals[:m]


def _dual_square(x: Instance, g: Array) -> Any:
    r"""$\|g\|_H^2$."""
    return on(dot, g)(g, on(solve, g)(x.R.matrix, g))


def _bound(x: Instance, step: Step) -> Sides:
    actions, played, _ = _play(x, step)
    lhs, scale = on(regret_sides, x.phi)(x.losses, actions[:-1], x.comparator)
    rhs = on(bregman, x.phi)(x.R, x.comparator, x.phi) + sum(_dual_square(x, g) for g in played)
    moved = sum(magnitude(theta) * magnitude(g) for theta, g in zip(actions, played, strict=False))
    return Sides(lhs, rhs, scale + (rhs + moved) * len(played))


def _lazy_bound(x: Instance) -> Sides:
    return _bound(x, _lazy)


def _greedy_bound(x: Instance) -> Sides:
    return _bound(x, _greedy)


def _euclidean_bound(x: Instance) -> Sides:
    return _bound(x, _euclidean)


def _normality(x: Instance) -> Any:
    actions, _, normals = _play(x, _lazy)
    return min(normality(x.domain, theta, n) for theta, n in zip(actions, normals, strict=False))


# the remark --------------------------------------------------------------------------------------------------------


def _free_game(draw: Draw) -> Instance:
    return _game(draw, kinds=(SPACE,))


def _moves(x: Instance) -> tuple[Sides, ...]:
    r"""Every coordinate of $\theta_{i+1} = \theta_i - H\nabla_i$, as two inequalities."""
    actions, played, _ = _play(x, _lazy)
    sides = []
    moved = magnitude(x.phi)
    for i, g in enumerate(played):
        step = on(solve, g)(x.R.matrix, g)
        moved = moved + magnitude(step)
        for after, expected in zip(actions[i + 1], actions[i] - step, strict=True):
            sides += [Sides(after, expected, moved * _condition(x)), Sides(expected, after, moved * _condition(x))]
    return tuple(sides)


def _condition(x: Instance) -> Any:
    r"""$\operatorname{Tr}(H)\operatorname{Tr}(H^{-1})$: what solving magnifies."""
    H = on(inverse, x.R.matrix)(x.R.matrix)
    return sum(np.diagonal(H)) * sum(np.diagonal(x.R.matrix))


# the dual norm -----------------------------------------------------------------------------------------------------


def _pair(draw: Draw) -> Instance:
    r"""H, a vector x and a functional g, half of the time at an angle from the g that x attains its norm with."""
    d = draw.integer(1, 3)
    matrix, x, g = draw.spd(d, -8, 8) * draw.positive(), draw.sphere(d), draw.real(-1, 1, d)
    return Instance(matrix=matrix, x=x, g=g, near=not draw.boolean(), size=draw.positive())


def _duality(i: Instance) -> Sides:
    g = (on(product, i.x)(i.matrix, i.x[:, None])[:, 0] + i.g / 4 if i.near else i.g) * i.size
    paired = on(dot, g)(g, i.x)
    primal = on(dot, g)(i.x, on(product, g)(i.matrix, i.x[:, None])[:, 0])
    dual = on(dot, g)(g, on(solve, g)(i.matrix, g))
    sizes = magnitude(g) * magnitude(i.x)
    return Sides(paired * paired, primal * dual, primal * dual + sizes * sizes)


# statements --------------------------------------------------------------------------------------------------------

SPD = Assumption(r"H\succ0", lambda x: psd_margin(x.R.matrix))
BOUND = (
    r"\sum_{i=1}^m\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)\le\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2"
    r"+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2"
)
MOVE = r"\theta_{t,i+1}=\theta_{t,i}-H\nabla_{t,i}"
GAME = (CONVEX, START, COMPARATOR, SPD)


def _statement(suffix: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"eq:matrix/{suffix}", kind=more.pop("kind", "equation"), title=title, latex=latex, instance=instance,
        sides=sides, assumptions=more.pop("assumptions", GAME), uses=("def:omd", "def:regret", "thm:ftrlomd/omd"),
        part_of="eq:matrix", **more,
    )  # fmt: skip


STATEMENTS = (
    _statement("bound", "Regret-upper-bound with a matrix step size", BOUND, _game, _lazy_bound,
               assumptions=(*GAME, Assumption(r"n_i\in N_\Theta(\theta_{t,i})", _normality)),
               note=r"eq:matrix as printed, lazy, over any $\Theta$, and $\theta_t^\ast$ any point of it. "
               r"$\nabla_{t,i}$ is any subgradient on $\Theta$: a normal vector $n_i$ may be added. Half the sum "
               r"would do."),
    _statement("bound/dual-norm", "The norm of the gradients is the dual one",
               r"\langle g,x\rangle^2\le\|x\|_{H^{-1}}^2\|g\|_H^2", _pair, _duality, kind="proof step",
               assumptions=(Assumption(r"H\succ0", lambda i: psd_margin(i.matrix)),),
               note=r"Equality at $x=Hg$."),
    _statement("remark", r"On $\Theta=\mathbb R^d$ the iteration is a preconditioned gradient step", MOVE, _free_game,
               _moves, assumptions=(CONVEX, SPD), corrects=("eq:matrix/remark/literal",)),
    _statement("remark/literal", r"The iteration is a preconditioned gradient step on any $\Theta$", MOVE, _game,
               _moves, assumptions=(CONVEX, START, SPD),
               note=r"eq:matrix has $\theta\in\Theta$; on $\Theta=[-1,1]$ a step of length 2 from 0 ends at an end."),
    _statement("remark/greedy", r"The step, projected in $\|\cdot\|_{H^{-1}}$, has the bound too", BOUND, _game,
               _greedy_bound, corrects=("eq:matrix/remark/euclidean",),
               note=r"$\theta_{t,i+1}=\argmin_{\theta\in\Theta}\|\theta_{t,i}-H\nabla_{t,i}-\theta\|_{H^{-1}}$: "
               r"another algorithm than eq:matrix on a bounded $\Theta$."),
    _statement("remark/euclidean", "The step, projected in the Euclidean norm, has the bound", BOUND, _narrow_game,
               _euclidean_bound,
               note=r"$\theta_{t,i+1}=\Proj_\Theta(\theta_{t,i}-H\nabla_{t,i})$: not a contraction in the norm of the "
               r"bound. On the unit disc with $H=\Diag(1,h^2)$, from $\phi=(0,-\frac12)$ and against it, after the "
               r"gradient $(2,0)$ a quarter of the second coordinate is lost, and the gradient $(0,1/h)$ makes that a "
               r"regret of $1/(4h)$, where the right side is 5."),
)  # fmt: skip
