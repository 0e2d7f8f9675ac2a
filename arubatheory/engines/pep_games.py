r"""Online games as performance estimation problems: the one module that imports PEPit and cvxpy.

A game is a closed convex $\Theta$, a comparator $u \in \Theta$, n losses and a learner that starts in the origin with
step size 1. Its unknowns are vectors, of which only the Gram matrix matters, and values; nature chooses both. The
regret is maximised subject to (bound) <= 1. Both scale with the square of the vectors, so the optimum is the largest
ratio regret/bound. No rank is prescribed: it is the worst case over all dimensions.

What may be asked of finitely many points (Taylor, Hendrickx and Glineur, SIAM J. Optim. 27, 2017):

* $\Theta$: points $x_i$ with normal vectors $\nu_i$ are those of some closed convex set if and only if
  $\langle \nu_i, x_j - x_i\rangle \le 0$; the hull of the points will do.
* convex and G-Lipschitz: values $f_i$ and subgradients $g_i$ are those of some such function if and only if
  $f_j \ge f_i + \langle g_i, x_j - x_i\rangle$ and $\|g_i\| \le G$; the largest of the affine minorants will do. A
  G-Lipschitz convex function on $\Theta$ extends to all of $\mathbb R^d$ as such, so $\Theta$ makes no difference.
* $\alpha$-strongly convex and G-Lipschitz on $\Theta$: $f_j \ge f_i + \langle g_i, x_j - x_i\rangle +
  \frac\alpha2\|x_j - x_i\|^2$ and $\|g_i\| \le G$ are necessary and not sufficient: the largest of the quadratic
  minorants may be steeper than G elsewhere in $\Theta$.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PEPit's docstrings hold escapes that Python deprecates
    import cvxpy
    from PEPit import PEP, Expression, Function, Point

SOLVER = "CLARABEL"
TOLERANCES = (1e-7, 1e-6)  # asked of the solver, in turn: without strict complementarity 1e-8 may be out of reach
ACCURACY = 1e-6  # demanded of the solution: its primal residual and its duality gap


class SolverError(RuntimeError):
    """The semidefinite program has no solution that can be trusted."""


class Solution(NamedTuple):
    """The optimum, how good it is, and the vectors of the game: actions and gradients (n, N), comparator (N,)."""

    value: float
    residual: float
    gap: float
    status: str
    actions: Array
    gradients: Array
    comparator: Array


def _nothing() -> Any:
    """The zero vector; also the origin, a start in every game."""
    return Point(is_leaf=False, decomposition_dict={})


class Area(Function):  # type: ignore[misc]
    r"""A closed convex set, known by some of its points and a normal vector at each."""

    def add(self, point: Any, normal: Any) -> Any:
        """Declare a point and a vector that is normal to the set there."""
        self.add_point((point, normal, Expression(is_leaf=False, decomposition_dict={})))
        return point

    def project(self, point: Any) -> Any:
        """The nearest point of the set: what is left of `point` is normal there."""
        nearest = Point()
        return self.add(nearest, point - nearest)

    def points(self) -> list[Any]:
        """All points declared."""
        return [point for point, _, _ in self.list_of_points]

    def add_class_constraints(self) -> None:
        """The inequalities between a point with a normal vector other than zero and any other point."""
        bent = [triple for triple in self.list_of_points if triple[1].decomposition_dict]
        self.add_constraints_from_two_lists_of_points(
            self.list_of_points, bent, "normal", lambda xi, ni, fi, xj, nj, fj: nj * (xi - xj) <= 0
        )


# losses: oracle(x) -> (subgradient, value); square, of the Lipschitz constant; close(points) -> constraints -----------


class Linear:
    r"""$\langle g, \cdot\rangle$, $\|g\|$-Lipschitz."""

    def __init__(self, pep: Any) -> None:
        self.slope = Point()
        self.square = self.slope**2

    def oracle(self, x: Any) -> tuple[Any, Any]:
        """The slope, and the value at x."""
        return self.slope, self.slope * x

    def close(self, points: Sequence[Any]) -> list[Any]:
        """No constraint is left to state."""
        return []


class Quadratic:
    r"""$\frac12\|\cdot - c\|^2$: its Lipschitz constant is the distance from c of the farthest point of $\Theta$."""

    def __init__(self, pep: Any) -> None:
        self.center = Point()
        self.square = Expression()

    def oracle(self, x: Any) -> tuple[Any, Any]:
        """The gradient and the value at x."""
        return x - self.center, (x - self.center) ** 2 / 2

    def close(self, points: Sequence[Any]) -> list[Any]:
        """The farthest point of a hull is one of the points that span it."""
        return [(x - self.center) ** 2 <= self.square for x in points]


class _Convex(Function):  # type: ignore[misc]
    alpha = 0

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "reuse_gradient": True})
        self.square = Expression()

    def close(self, points: Sequence[Any]) -> list[Any]:
        """PEPit states the constraints of the class itself."""
        return []

    def add_class_constraints(self) -> None:
        """Those of the module's docstring, between any two points where the loss was asked for."""
        seen = self.list_of_points
        self.add_constraints_from_one_list_of_points(seen, "Lipschitz", lambda x, g, f: g**2 <= self.square)
        self.add_constraints_from_two_lists_of_points(seen, seen, "convex", self._above)

    def _above(self, xi: Any, gi: Any, fi: Any, xj: Any, gj: Any, fj: Any) -> Any:
        minorant = fj + gj * (xi - xj)
        return fi >= (minorant + (xi - xj) ** 2 * (self.alpha / 2) if self.alpha else minorant)


class _StronglyConvex(_Convex):
    alpha = 1


LOSSES: dict[str, Callable[[Any], Any]] = {
    "linear": Linear,
    "convex": lambda pep: pep.declare_function(_Convex),
    "quadratic": Quadratic,
    "strongly convex": lambda pep: pep.declare_function(_StronglyConvex),
}

# learners: (losses, area) -> actions ---------------------------------------------------------------------------------


def _lazy(losses: Sequence[Any], area: Area) -> list[Any]:
    r"""$\theta_{t+1} = \mathrm{Proj}_\Theta(-\nabla_{1:t})$."""
    actions, y = [_nothing()], _nothing()
    for loss in losses[:-1]:
        y = y - loss.oracle(actions[-1])[0]
        actions.append(area.project(y))
    return actions


def _greedy(losses: Sequence[Any], area: Area, weight: Callable[[int], int] = lambda t: 1) -> list[Any]:
    r"""$\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \nabla_t / w_t)$: greedy OGD where all $w_t = 1$, AOGD for
    $w_t = t$ where all $\alpha_t = 1$."""
    actions = [_nothing()]
    for t, loss in enumerate(losses[:-1], 1):
        actions.append(area.project(actions[-1] - loss.oracle(actions[-1])[0] / weight(t)))
    return actions


def _minimizers(losses: Sequence[Any], area: Area, pull: Callable[[Any], Any]) -> list[Any]:
    r"""FTL: $-\sum_{s<t} \nabla\ell_s(\theta_t)$ is normal to $\Theta$ at $\theta_t$, where nothing pulls; FTRL
    where $-\theta_t$ does."""
    actions = [_nothing()]
    for t in range(1, len(losses)):
        x = Point()
        normal = pull(x)
        for loss in losses[:t]:
            normal = normal - loss.oracle(x)[0]
        actions.append(area.add(x, normal))
    return actions


LEARNERS: dict[str, Callable[[Sequence[Any], Area], list[Any]]] = {
    "lazy OGD": _lazy,
    "greedy OGD": _greedy,
    "FTRL": lambda losses, area: _minimizers(losses, area, lambda x: _nothing() - x),
    "FTL": lambda losses, area: _minimizers(losses, area, lambda x: _nothing()),
    "AOGD": lambda losses, area: _greedy(losses, area, lambda t: t),
}


def _bound(losses: Sequence[Any], comparator: Any, logarithmic: bool) -> Any:
    r"""The logarithmic bound $\frac12\sum_t G_t^2/t$, or $\frac12\|u\|^2 + \sum_t G_t^2$ for $\phi = 0$ and
    $\eta = 1$."""
    if logarithmic:
        return sum((loss.square / (2 * t) for t, loss in enumerate(losses[1:], 2)), losses[0].square / 2)
    return sum((loss.square for loss in losses), comparator**2 / 2)


def solve(learner: str, losses: str, n: int, logarithmic: bool) -> Solution:
    """The worst ratio of a learner in n rounds against losses of a class; `logarithmic` is the second bound.

    Raises SolverError unless the solver says "optimal" and the solution's residual and gap are below `ACCURACY`.
    """
    pep = PEP()
    area, comparator = pep.declare_function(Area), Point()
    area.add(_nothing(), _nothing())
    area.add(comparator, _nothing())
    nature = [LOSSES[losses](pep) for _ in range(n)]
    actions = LEARNERS[learner](nature, area)
    played = [loss.oracle(x) for loss, x in zip(nature, actions, strict=True)]
    regret = sum((value for _, value in played[1:]), played[0][1])
    for loss in nature:
        regret = regret - loss.oracle(comparator)[1]
        for constraint in loss.close(area.points()):
            pep.add_constraint(constraint)
    size = n if logarithmic else 1  # the worst gradients then grow with t: more room is easier on the solver
    pep.add_constraint(_bound(nature, comparator, logarithmic) <= size)
    pep.set_performance_metric(regret / size)
    value = _optimum(pep, f"{learner} on {losses} losses, n = {n}")
    vectors = [np.array([x.eval() for x in row]) for row in (actions, [g for g, _ in played], [comparator])]
    return Solution(*value, vectors[0], vectors[1], vectors[2][0])


def _optimum(pep: Any, name: str) -> tuple[float, float, float, str]:
    """The optimum (the dual value), its residual and gap, and the solver's status."""
    value, status = _run(pep, TOLERANCES[0])
    for tolerance in TOLERANCES[1:]:
        if status != "optimal":
            value, status = _run(pep, tolerance)
    if status != "optimal":
        raise SolverError(f"{SOLVER} says {status!r} of {name}: no worst case is reported")
    residual, gap = _residual(pep), value - float(pep.objective.eval())
    if not (residual <= ACCURACY and abs(gap) <= ACCURACY):
        off = f"{residual:.1e}, its gap is {gap:.1e}"
        raise SolverError(f"{SOLVER}'s solution of {name} is off by {off}: more than {ACCURACY}")
    return value, residual, gap, status


def _run(pep: Any, tolerance: float) -> tuple[float, str]:
    asked = {"tol_gap_abs": tolerance, "tol_gap_rel": tolerance, "tol_feas": tolerance}
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):  # PEPit prints some warnings whatever one asks
            warnings.simplefilter("ignore")  # an inaccurate solution is no warning here: its status is judged
            value = pep.solve(wrapper="cvxpy", solver=SOLVER, verbose=0, **asked)
    except cvxpy.error.SolverError as error:
        return float("nan"), str(error)
    return float("nan") if value is None else float(value), str(pep.wrapper.prob.status)


def _residual(pep: Any) -> float:
    """The largest violation of a constraint, the Gram matrix being positive semidefinite one of them."""
    worst = max(0.0, -float(np.linalg.eigvalsh(pep.G_value)[0]))
    for constraint in pep._list_of_constraints_sent_to_wrapper:
        error = float(constraint.eval())
        worst = max(worst, abs(error) if constraint.equality_or_inequality == "equality" else error)
    return worst
