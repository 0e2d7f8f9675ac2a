r"""Actual runs of Algorithm 1, and what the statements guarantee for them.

The explicit guarantees of appendix C are those of the statements `cor:epsewoo/explicit/corrected` and
`cor:dynamic/explicit/corrected`, evaluated by the statements themselves. These move one term of the right side to the
left, so that rhs - lhs is the guarantee less $\sum_t U_t$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import Init, MetaTrajectory, eps_ewoo_rate, mean, meta_learn
from arubatheory.papers.aruba.games.adaptive import EPS_EWOO, FTL, OGD, upper_bound
from arubatheory.problems.domains import Domain, ball
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import AROUND, Synthetic, Tasks, tasks
from arubatheory.statements.core import Instance
from figures.captions import statement

STATIC, DYNAMIC = "cor:epsewoo/explicit/corrected", "cor:dynamic/explicit/corrected"


def enclosing(optima: Array) -> Domain:
    """The least ball about 0 that holds the optimal actions, but for a hundredth."""
    return ball(np.zeros(optima.shape[1]), 1.01 * float(np.linalg.norm(optima, axis=1).max()))


def around(optima: Array, m: int, kind: str = "distance", noise: float = 0.5, seed: int = 0) -> Tasks:
    """Tasks of m losses around given optimal actions."""
    rng = np.random.default_rng(seed)
    return tasks([AROUND[kind](rng, m, x, noise) for x in optima])


def paper_eps(domain: Domain, T: int) -> float:
    r"""$\varepsilon = D T^{-1/4}$, D the diameter."""
    return float(2 * domain.radius[0] * T**-0.25)


def similar_run(made: Tasks | Synthetic, optima: Array, init: Init | None = None) -> MetaTrajectory:
    r"""Algorithm 1 with $\varepsilon$-EWOO at the paper's $\varepsilon$; INIT is FTL from 0 unless given."""
    played = made.tasks if isinstance(made, Synthetic) else made
    domain, T, d = enclosing(optima), len(optima), optima.shape[1]
    sim = eps_ewoo_rate(float(2 * domain.radius[0]), paper_eps(domain, T))
    return meta_learn(played, domain, euclidean(d), mean(np.zeros(d)) if init is None else init, sim, optima=optima)


def game(run: MetaTrajectory, psi: Array | None = None) -> Instance:
    """What the explicit guarantees look at: the instance of their statements that a run has played."""
    domain, (T, d) = enclosing(run.optima), run.optima.shape
    width = float(2 * domain.radius[0])
    return Instance(
        domain=domain,
        R=euclidean(d),
        D=width,
        C=width,
        star=run.optima,
        psi=run.optima if psi is None else psi,
        sigma=run.sigma,
        eps=paper_eps(domain, T),
        phi=run.phi[0],
        first=0.5,
    )


def guarantee(run: MetaTrajectory, label: str = STATIC, psi: Array | None = None) -> float:
    r"""The right side of an explicit guarantee over $\sigma_{1:T}$: what it allows the average $U_t$ in units of
    $\sigma$. `psi` (T, d) is the comparator of the dynamic one."""
    played = game(run, psi)
    upper: Any = upper_bound(played, OGD if label == DYNAMIC else FTL, EPS_EWOO)
    sides: Any = statement(label).sides(played)
    return float((upper + sides.rhs - sides.lhs) / run.sigma.sum())


def deviation(run: MetaTrajectory, psi: Array | None = None) -> float:
    r"""$V_\Psi^2 = \frac1{\sigma_{1:T}}\sum_t\sigma_t\frac12\|\theta_t^\ast - \psi_t\|^2$; for None about the mean."""
    sigma = run.sigma / run.sigma.sum()
    away = run.optima - (sigma @ run.optima if psi is None else psi)
    return float(np.sqrt(sigma @ (away * away).sum(axis=1) / 2))
