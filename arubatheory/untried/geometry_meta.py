r"""Learning to learn with a learned geometry: eq:matrix within tasks, its start and its H learned between them.

Task t is played by preconditioned OMD from $\phi_t = \frac1{t-1}\sum_{s<t}\theta_s^\ast$ ($\phi_1$ is given) with
$H_t$, and pays at most
$$R_t \le U_t = \tfrac12\|\theta_t^\ast - \phi_t\|_{H_t^{-1}}^2 + \sum_i \|\nabla_{t,i}\|_{H_t}^2.$$
A `Rule` learns $H_t$; each is a running state, so take a new one for each run:

| rule | $H_t$ | source |
|---|---|---|
| `fixed(H, d)` | always the same: a number, a vector (d,) or a matrix (d, d) | |
| `isotropic(d, eps, zeta, p)` | $\eta_t I$, numerator and denominator of eq:percoord summed over the coordinates | |
| `per_coordinate(d, eps, zeta, p)` | $\mathrm{Diag}(\eta_t)$ | eq:percoord, thm:diagonal |
| `full_matrix(d, eps, zeta, late)` | full, at most a factor $e^{late}$ from FTL's | thm:fullmatrix |

    tasks, optima, V = FAMILIES["sparse_direction"](np.random.default_rng(0), 200, 10, 5)
    domain, phi, m = ball(np.zeros(5), 4.0), np.zeros(5), 10
    for rule in (
        fixed(0.1, 5),
        isotropic(5, eps=1.0, zeta=np.sqrt(m), p=0.4),
        per_coordinate(5, eps=1.0, zeta=np.sqrt(m), p=0.4),
        full_matrix(5, eps=200**-0.125, zeta=np.sqrt(m) * 200**-0.125),
    ):
        played = geometry_learn(tasks, domain, rule, phi, optima=optima)
        print(played.average_regret, played.average_upper)

`geometry_steps` yields task after task with $H_t$ and the actions, from any iterable of (losses, optimum), and keeps
nothing: memory is that of the rule, flat in T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.learners.algorithm2 import Aruba, Isotropic
from arubatheory.learners.geometry_ftl import MatrixFTL
from arubatheory.learners.meta import best_actions, check_play, mean, pair
from arubatheory.learners.preconditioned import play_preconditioned
from arubatheory.learners.preconditioner import Diagonal, Preconditioner, preconditioner
from arubatheory.problems.domains import SPACE, Domain, contains, dimension, inside
from arubatheory.problems.losses import Losses, total
from arubatheory.problems.numbers import as_dimension, as_floats, as_vector
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.signatures import typed
from arubatheory.problems.tasks import Tasks, each


class Rule(NamedTuple):
    r"""`preconditioner()` is $H_t$; `learn` takes $\theta_t^\ast - \phi_t$ (d,) and the $\nabla_{t,i}$ (m, d), and says
    $U_t$: OverflowError where that leaves the range of float64, and nothing is learned."""

    preconditioner: Callable[[], Preconditioner]
    learn: Callable[[Array, Array], float]


class Step(NamedTuple):
    r"""One task: $\phi_t$ (d,), $H_t$, $\theta_t^\ast$ (d,), the actions (m, d), the regret $R_t$, its bound $U_t$."""

    phi: Array
    H: Preconditioner
    optimum: Array
    actions: Array
    regret: float
    upper: float


class GeometryTrajectory(NamedTuple):
    r"""Of each task: $R_t$ and $U_t$ (T,); and the preconditioner H of the last."""

    regret: Array
    upper: Array
    H: Preconditioner

    @property
    def average_regret(self) -> float:
        r"""TAR, $\frac1T\sum_t R_t$."""
        return float(self.regret.mean())

    @property
    def average_upper(self) -> float:
        r"""The average regret-upper-bound, $\frac1T\sum_t U_t$."""
        return float(self.upper.mean())


def fixed(H: Any, d: int) -> Rule:
    """The same H for every task: a positive number, a vector (d,) or a matrix (d, d); errors of `preconditioner`."""
    chosen = preconditioner(H, as_dimension(d))
    return Rule(lambda: chosen, lambda deviation, gradients: _upper(chosen, deviation, gradients))


def per_coordinate(d: int, eps: float, zeta: float, p: float) -> Rule:
    r"""eq:percoord by `Aruba`, whose errors it raises; thm:diagonal: eps = 1, zeta = $\sqrt m$, p = 2/5;
    thm:diagonal/sharp: D/2, $G\sqrt{m/2}$, `math.inf`."""
    return _by_algorithm2(Aruba(np.zeros(as_dimension(d)), eps, zeta, p))


def isotropic(d: int, eps: float, zeta: float, p: float) -> Rule:
    r"""One learned step size for all coordinates, by `Isotropic`: the leader among the multiples of I."""
    return _by_algorithm2(Isotropic(np.zeros(as_dimension(d)), eps, zeta, p))


def _by_algorithm2(state: Aruba) -> Rule:
    origin = np.zeros(state.shapes.size)

    def learn(deviation: Array, gradients: Array) -> float:
        upper, squares = _upper(rule.preconditioner(), deviation, gradients), (gradients * gradients).sum(axis=0)
        state.absorb(origin, deviation, float(squares.sum()) if state.scalar else squares)
        return upper

    rule = Rule(lambda: Diagonal(state.rates(np.empty_like(origin))), learn)
    return rule


def _upper(H: Preconditioner, deviation: Array, gradients: Array) -> float:
    r"""$U_t$, or the error."""
    upper = float(H.inverse().squares(deviation[None])[0] / 2 + H.squares(gradients).sum())
    if not np.isfinite(upper):
        raise OverflowError(f"a task left the range of float64 (deviation={deviation!r}, upper={upper!r})")
    return upper


def full_matrix(d: int, eps: float, zeta: float, late: float = 0.0, *, p: float = 0.0) -> Rule:
    r"""thm:fullmatrix by `MatrixFTL`, whose errors it raises; the theorem takes eps = $T^{-1/8}$, zeta =
    $\sqrt m\,T^{-1/8}$; thm:fullmatrix/sharp $p = \infty$, $D/2$ and $G\sqrt{m/2}$."""
    ftl = MatrixFTL(d, eps, zeta, late, p=p)
    return Rule(ftl.preconditioner, lambda x, g: ftl.learn(x / np.sqrt(2), g.T))


@typed
def geometry_steps(parts: Iterable[tuple[Losses, Any]], domain: Domain, rule: Rule, phi: Any) -> Iterator[Step]:
    r"""Plays tasks given as (losses, $\theta_t^\ast$), one after the other, from $\phi_1$ = `phi` (d,) in the domain.

    Raises ValueError for a start or an optimum outside the domain and shapes that do not fit; OverflowError when a
    number leaves the range of float64. The rule has then not learned from that task.
    """
    start, d = as_vector("phi", phi), dimension(domain)
    if is_exact(start) or is_exact(domain.low):
        raise TypeError(f"domain and phi must be in floats, got exact numbers: {phi!r}")
    if start.size != d or not contains(domain, start):
        raise ValueError(f"phi must lie in the domain, got {phi!r}")
    summed = np.zeros(d)
    for t, (part, best) in enumerate(pair("parts", item) for item in parts):
        if not isinstance(part, Losses):
            raise TypeError(f"parts must hold a Losses first, got {part!r}")
        optimum = as_floats("optimum in parts", best).reshape(-1)
        if is_exact(part.a) or part.a.shape[1] != d or optimum.size != d or not _contains(domain, optimum):
            raise ValueError(
                f"parts: task {t} must be in floats, have dimension {d} and its optimum in the domain, got {best!r}"
            )
        yield _step(Losses(*map(np.ascontiguousarray, part)), domain, rule, summed / t if t else start, optimum)
        summed = summed + optimum


@typed
def geometry_learn(tasks: Tasks, domain: Domain, rule: Rule, phi: Any, *, optima: Any = None) -> GeometryTrajectory:
    r"""`geometry_steps` on a task sequence, collected; `optima` (T, d): the $\theta_t^\ast$, by default `hindsight`'s.

    The errors are those of `geometry_steps` and of `meta_learn` for tasks and optima.
    """
    R = euclidean(dimension(domain))
    check_play(tasks, domain, R, mean(as_vector("phi", phi)), "omd", "optimal")
    steps = geometry_steps(zip(each(tasks), best_actions(tasks, domain, R, optima), strict=True), domain, rule, phi)
    regret, upper, H = zip(*((step.regret, step.upper, step.H) for step in steps), strict=True)
    return GeometryTrajectory(np.array(regret), np.array(upper), H[-1])


def _contains(domain: Domain, point: Array) -> bool:
    return domain.kind == SPACE or bool(inside(domain, point) >= 0) or contains(domain, point)


def _step(L: Losses, domain: Domain, rule: Rule, phi: Array, optimum: Array) -> Step:
    H = rule.preconditioner()
    with np.errstate(all="ignore"):
        actions, values, gradients = play_preconditioned(L, domain, H, phi)
        regret = float(values.sum() - total(L, len(values), optimum))
        if not np.isfinite(regret):
            raise OverflowError(f"a task left the range of float64 (phi={phi!r}, regret={regret!r})")
        return Step(phi, H, optimum, actions, regret, rule.learn(optimum - phi, gradients))
