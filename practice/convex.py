r"""The theory's own setting on real tasks: Algorithm 1 and learned geometries on convex losses (`convex_tasks`).

Tasks arrive in an order drawn anew for each repetition, and so do the losses of a task. Every learner pays its losses
against $\theta_t^\ast$, the best action in hindsight; bounds hold against any action, so none is spared by an optimum
that is a little off. $U_t$ is $(B_t^2/v_t+v_t)G_t\sqrt{m_t}$ with Lipschitz constants over all of $\Theta$ for
the first four and the oracle, and $\frac12\|\theta_t^\ast-\phi_t\|_{H_t^{-1}}^2+\sum_i\|\nabla_{t,i}\|_{H_t}^2$, with
the gradients that were met, for learned geometries.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory import PAPER
from arubatheory.arithmetic import Array
from arubatheory.learners.matrix_mean import matrix_mean
from arubatheory.learners.meta import (
    MetaTrajectory,
    best_actions,
    constant_rate,
    eps_ewoo_rate,
    eps_ftl_rate,
    mean,
    meta_learn,
)
from arubatheory.papers.aruba.d_geometry import diagonal, fullmatrix
from arubatheory.papers.aruba.games.adaptive import EPS_EWOO, EPS_FTL, FTL, upper_bound
from arubatheory.papers.aruba.sharper import diagonal as sharp
from arubatheory.papers.aruba.sharper import full_matrix as sharp_matrix
from arubatheory.problems.domains import Domain, ball
from arubatheory.problems.losses import Losses
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import Tasks, count, each, tasks
from arubatheory.statements.core import Instance
from arubatheory.untried.geometry_meta import Rule, full_matrix, geometry_learn, per_coordinate
from practice.convex_report import figures as figures
from practice.convex_report import tables as tables_of
from practice.convex_tasks import MULTILEVEL, families
from practice.runs import Arrays, Options, Results, Unit
from practice.tables import Table

SOURCES = (
    *(f"practice/{name}.py" for name in ("convex", "convex_tasks", "datasets")),
    *(
        f"arubatheory/learners/{name}.py"
        for name in ("meta", "meta_rules", "algorithm2", "geometry_ftl", "matrix_mean")
    ),
    *(f"arubatheory/papers/aruba/{name}.py" for name in ("d_geometry/fullmatrix", "sharper/full_matrix")),
    *(f"arubatheory/{name}.py" for name in ("convex/hindsight", "untried/geometry_meta")),
)
ORDERS, MOST = 5, 500  # tasks of a data set, in its order
SCALAR = ("alone", "learned start", "+ eps-EWOO", "+ eps-FTL", "oracle")
GEOMETRIES = (
    *("per coordinate", "per coordinate, sharp"),
    *("full matrix", "full matrix, T^(-1/4)", "full matrix, sharp"),
)
GUARANTEES = {
    "cor:epsewoo/explicit": EPS_EWOO,
    "cor:epsewoo/explicit/corrected": EPS_EWOO,
    "cor:epsftl/explicit": EPS_FTL,
}
DIAGONAL = {"thm:diagonal/corrected": "per coordinate", "thm:diagonal/sharp": "per coordinate, sharp"}
MATRIX = {"thm:fullmatrix/corrected": "full matrix", "thm:fullmatrix/sharp": "full matrix, sharp"}
SHOWN = 200  # tasks at which v is kept for the figure


class Sequence(NamedTuple):
    r"""Tasks in one order: with $\theta_t^\ast$ (T, d), $\Theta$, its diameter D, and the largest $m_t$ and $G_t$."""

    tasks: Tasks
    optima: Array
    domain: Domain
    D: float
    m: float
    G: float


def units(options: Options) -> list[Unit]:
    """One for each data set; quick: a few roles, which need no other package."""
    names = ("roles",) if options.quick else (*MULTILEVEL, "roles", "digits")
    return [Unit("convex", name, 0, (("quick", options.quick), ("shakespeare", options.shakespeare))) for name in names]


def compute(unit: Unit) -> Arrays:
    """Every learner on every order of the tasks of one data set."""
    asked = dict(unit.settings)
    family = families(12 if asked["quick"] else MOST, asked["shakespeare"])[unit.name]()
    d, domain = family.parts[0].a.shape[1], ball(np.zeros(family.parts[0].a.shape[1]), family.radius)
    optima = best_actions(tasks(family.parts), domain, euclidean(d), None)
    runs = [
        played(ordered(np.random.default_rng(k), family.parts, optima, domain))
        for k in range(2 if asked["quick"] else ORDERS)
    ]
    facts = {"d": np.array(d), "skipped": np.array(family.skipped)}
    return facts | {name: np.stack([run[name] for run in runs]) for name in runs[0]}


def ordered(rng: np.random.Generator, parts: tuple[Losses, ...], optima: Array, domain: Domain) -> Sequence:
    """Tasks and their losses in an order of their own."""
    order = rng.permutation(len(parts))
    mixed = [Losses(*(part[own] for part in parts[t])) for t in order for own in [rng.permutation(len(parts[t].link))]]
    made, D = tasks(mixed), 2 * float(domain.radius[0])
    run = meta_learn(
        made, domain, euclidean(optima.shape[1]), mean(domain.center), constant_rate(D), optima=optima[order]
    )
    sizes = np.diff(made.offsets)
    return Sequence(made, optima[order], domain, D, float(sizes.max()), float((run.sigma / np.sqrt(sizes)).max()))


def played(seq: Sequence) -> Arrays:
    """The regrets and bounds of all learners on one order, and what the guarantees allow."""
    runs, d = scalar_runs(seq), seq.optima.shape[1]
    regret = np.stack([runs[name].regret for name in SCALAR])
    upper = np.stack([runs[name].upper for name in SCALAR])
    rules = {name: rule(seq, d) for name, rule in RULES.items()}
    squares: dict[str, list[Array]] = {name: [] for name in GEOMETRIES}
    found = {
        name: geometry_learn(seq.tasks, seq.domain, recorded(rules[name], met), np.zeros(d), optima=seq.optima)
        for name, met in squares.items()
    }
    regret, upper = (
        np.concatenate([first, [getattr(one, name) for one in found.values()]])
        for first, name in ((regret, "regret"), (upper, "upper"))
    )
    ewoo, ftl = runs["+ eps-EWOO"], runs["+ eps-FTL"]
    mass, kept = ewoo.sigma.sum(), np.unique(np.geomspace(1, count(seq.tasks), SHOWN).astype(int)) - 1
    return {
        "regret": regret.sum(axis=1) / (seq.D * mass),
        "upper": upper.sum(axis=1) / (seq.D * mass),
        "closest": np.divide(regret, upper, out=np.zeros_like(upper), where=upper > 0).max(axis=1),
        "violations": (regret > upper).sum(axis=1),
        "V": np.array(deviation(seq, ewoo.sigma)),
        "D": np.array(seq.D),
        "sizes": np.diff(seq.tasks.offsets),
        "last": np.array([ewoo.v[-1], ftl.v[-1]]),
        "eps": np.array(small(seq)),
        "shown": kept + 1,
        "v": np.stack([ewoo.v[kept], ftl.v[kept]]),
        "guarantees": np.array(
            [allowed(seq, ewoo.sigma, label) for label in GUARANTEES]
            + [allowed_diagonal(seq, np.array(squares[name]), label) for label, name in DIAGONAL.items()]
            + [
                allowed_matrix(seq, found[name].upper.sum(), np.array(squares[name]), label)
                for label, name in MATRIX.items()
            ]
        ),
    }


def small(seq: Sequence) -> tuple[float, float]:
    r"""The $\varepsilon$ of the corollaries: $DT^{-1/4}$ for eps-EWOO, $DT^{-1/5}$ for eps-FTL."""
    T = count(seq.tasks)
    return seq.D * T**-0.25, seq.D * T**-0.2


def scalar_runs(seq: Sequence) -> dict[str, Any]:
    r"""Those with one step size for a task. Alone: from the centre of $\Theta$, $v^2=\frac12(D/2)^2$, which is best for
    the farthest optimum; the oracle starts at the mean of the optima with $v=V$."""
    eps, far = small(seq), seq.D / np.sqrt(8)
    learn = {
        "learned start": constant_rate(far),
        "+ eps-EWOO": eps_ewoo_rate(seq.D, eps[0]),
        "+ eps-FTL": eps_ftl_rate(seq.D, eps[1]),
    }
    R, start = euclidean(seq.optima.shape[1]), mean(seq.domain.center)
    runs: dict[str, Any] = {
        name: meta_learn(seq.tasks, seq.domain, R, start, sim, optima=seq.optima) for name, sim in learn.items()
    }
    sigma = runs["learned start"].sigma
    runs["alone"] = apart(seq, seq.domain.center, far)
    runs["oracle"] = apart(seq, sigma @ seq.optima / sigma.sum(), deviation(seq, sigma))
    return runs


class Apart(NamedTuple):
    """Regrets and bounds of tasks that learn nothing from each other, (T,)."""

    regret: Array
    upper: Array


def apart(seq: Sequence, phi: Array, v: float) -> Apart:
    """Every task as a sequence of its own, from one start with one v."""
    R, sim = euclidean(phi.size), constant_rate(v)
    runs: list[MetaTrajectory] = [
        meta_learn(tasks([part]), seq.domain, R, mean(phi), sim, optima=best[None])
        for part, best in zip(each(seq.tasks), seq.optima, strict=True)
    ]
    return Apart(*(np.concatenate([getattr(run, name) for run in runs]) for name in Apart._fields))


def deviation(seq: Sequence, sigma: Array) -> float:
    r"""$V^2=\min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t\frac12\|\theta_t^\ast-\phi\|_2^2$."""
    away = seq.optima - sigma @ seq.optima / sigma.sum()
    return float(np.sqrt(sigma @ (away * away).sum(axis=1) / 2 / sigma.sum()))


# learned geometries: as printed, with m the largest number of losses, and as sharper analyses have them -------------
def _printed_diagonal(seq: Sequence, d: int) -> Rule:
    return per_coordinate(d, 1.0, float(np.sqrt(seq.m)), 0.4)


def _sharp_diagonal(seq: Sequence, d: int) -> Rule:
    return per_coordinate(d, seq.D / 2, seq.G * float(np.sqrt(seq.m / 2)), math.inf)


def _matrix(seq: Sequence, d: int, power: float) -> Rule:
    small = count(seq.tasks) ** -power
    return full_matrix(d, small, float(np.sqrt(seq.m)) * small)


def _sharp_matrix(seq: Sequence, d: int) -> Rule:
    return full_matrix(d, seq.D / 2, seq.G * float(np.sqrt(seq.m / 2)), p=math.inf)


RULES: dict[str, Callable[[Sequence, int], Rule]] = {
    "per coordinate": _printed_diagonal,
    "per coordinate, sharp": _sharp_diagonal,
    "full matrix": lambda seq, d: _matrix(seq, d, 1 / 8),
    "full matrix, T^(-1/4)": lambda seq, d: _matrix(seq, d, 1 / 4),
    "full matrix, sharp": _sharp_matrix,
}


def recorded(rule: Rule, squares: list[Array]) -> Rule:
    r"""The same rule; $\sum_i\nabla_{t,i}\nabla_{t,i}^\top$ of each task is kept in a list."""

    def learn(away: Array, gradients: Array) -> float:
        squares.append(gradients.T @ gradients)
        return rule.learn(away, gradients)

    return Rule(rule.preconditioner, learn)


# guarantees ----------------------------------------------------------------------------------------------------------
def allowed(seq: Sequence, sigma: Array, label: str) -> Array:
    r"""$\sum_tU_t$ and what the statement allows it to be, both over $D\sigma_{1:T}$.

    The statement itself plays INIT and SIM on the $\theta_t^\ast$ and $\sigma_t$, and has its first term on the left.
    """
    sim = GUARANTEES[label]
    x = Instance(domain=seq.domain, R=euclidean(seq.optima.shape[1]), D=seq.D, C=seq.D, star=seq.optima, sigma=sigma)
    x.eps, x.phi, x.first = small(seq)[sim == EPS_FTL], seq.domain.center, 1.0 if sim == EPS_FTL else 0.5
    paid: Any = upper_bound(x, FTL, sim)
    sides = sides_of(label, x)
    return np.array([paid, paid + sides.rhs - sides.lhs]) / (seq.D * sigma.sum())


def sides_of(label: str, x: Instance) -> Any:
    """Both sides of a statement of the paper."""
    return next(s for s in PAPER if s.label == label).sides(x)


def allowed_diagonal(seq: Sequence, grams: Array, label: str) -> Array:
    r"""The same of the learners by coordinates, from $\sum_i\nabla_{t,i}\nabla_{t,i}^\top$ (T, d, d): the statement
    has m equal gradients in a task, here such that their squares are the diagonals. The comparator is the best in
    hindsight, but for a millionth of D and G, without which coordinates that nothing moves would have none."""
    x = Instance(domain=seq.domain, star=seq.optima, first=seq.domain.center, m=seq.m, G=seq.G)
    squares = np.diagonal(grams, axis1=1, axis2=2)
    x.gradients, x.phi = np.sqrt(squares / seq.m), seq.optima.mean(axis=0)
    moved = ((seq.optima - x.phi) ** 2).sum(axis=0) / 2
    x.eta = np.sqrt((moved + 1e-6 * seq.D**2) / (squares.sum(axis=0) + 1e-6 * seq.G**2 * seq.m))
    paid: Any = (diagonal if label == "thm:diagonal/corrected" else sharp).upper(x)
    sides = sides_of(label, x)
    return np.array([paid, paid + sides.rhs - sides.lhs])


def allowed_matrix(seq: Sequence, paid: float, grams: Array, label: str) -> Array:
    r"""The same of the learners of a full matrix, which paid $\sum_tU_t$, against the mean of the optima. Statements
    are tried for $d\le2$, as exact numbers have them; what a fixed H pays is found here, for any d. The H of
    thm:fullmatrix/corrected may be any: it is the best one but that $\frac{D^2}2(1+\log T)\operatorname{Tr}H^{-1}$
    stands for the price of the means, and a millionth of $G^2m$ is there for coordinates that nothing moves."""
    T, d = seq.optima.shape
    x = Instance(points=seq.optima, first=seq.domain.center, D=seq.D, G=seq.G, m=seq.m, printed=False)
    x.eps, x.zeta = T**-0.125, float(np.sqrt(seq.m)) * T**-0.125
    B, G = fullmatrix.deviations(seq.optima, seq.optima.mean(axis=0)).sum(axis=0), grams.sum(axis=0)
    if label == "thm:fullmatrix/sharp":
        return np.array([paid, sharp_matrix.excess(x) + least(B, G)])
    price = seq.D**2 / 2 * (1 + np.log(T))
    H = matrix_mean(B + price * np.eye(d), G + 1e-6 * seq.G**2 * seq.m * np.eye(d))
    inverse = np.linalg.inv(H)
    best = np.trace(inverse @ B) + np.trace(H @ G) + price * np.linalg.norm(inverse, 2)
    return np.array([paid, fullmatrix.excess(x) + best])


def least(B: Array, G: Array) -> float:
    r"""$\inf_{H\succ0}\operatorname{Tr}(H^{-1}B)+\operatorname{Tr}(HG)=2\|B^{1/2}G^{1/2}\|_1$, any d."""
    roots = []
    for A in (B, G):
        values, vectors = np.linalg.eigh(A)
        roots.append(vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T)
    return 2 * float(np.linalg.svd(roots[0] @ roots[1], compute_uv=False).sum())


def tables(results: Results) -> list[Table]:
    """The tables of docs/practice.md."""
    return tables_of(results, (*SCALAR, *GEOMETRIES), (*GUARANTEES, *DIAGONAL, *MATRIX))
