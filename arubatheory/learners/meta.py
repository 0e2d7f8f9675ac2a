r"""Learning to learn: mirror descent within tasks, meta-updates of its start and step size between them.

Task t is a sequence of $m_t$ losses with Lipschitz constants $G_{t,i}$ in the norm of R;
$\sigma_t = G_t\sqrt{m_t} = (\sum_i G_{t,i}^2)^{1/2}$. Algorithm 1 (alg:general) plays OMD or FTRL with regulariser R
from $\phi_t$ with step size $\eta_t = v_t/\sigma_t$, and pays at most
$$U_t = \frac{B_R(\theta_t^\ast\|\phi_t)}{\eta_t} + \eta_t G_t^2 m_t
      = \Big(\frac{B_R(\theta_t^\ast\|\phi_t)}{v_t} + v_t\Big)\sigma_t .$$

* INIT learns $\phi_t$ from $f_t^{init}(\phi) = \sigma_t B_R(\hat\theta_t\|\phi)$: the weighted mean of the past
  (`mean`, which is FTL by clm:mean), AOGD (`adaptive_descent`) or OGD (`descent`) on them.
* SIM learns $v_t$ from $f_t^{sim}(v) = (B_t^2/v + v)\sigma_t$, $B_t^2 = B_R(\hat\theta_t\|\phi_t)$: $\varepsilon$-EWOO,
  $\varepsilon$-FTL, a constant (`rate_after`, which the statements about SIM play), or the rule printed after eq:ewoo.
* $\hat\theta_t$ is the best action in hindsight, or in Algorithm 3 (alg:fmrl) the last or the average iterate.

All state is a few vectors, so that tasks may come in chunks (`stream`) and memory stays flat in T. A
task whose losses are constant ($\sigma_t = 0$) has no weight: it is played at $\phi_t$ with $\eta_t = \infty$ on paper
(0 here), at no regret, and it leaves INIT and SIM where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, is_exact
from arubatheory.convex.hindsight import hindsight
from arubatheory.convex.problem import LINEAR_ONLY, shape_of
from arubatheory.kernel import kernel
from arubatheory.learners.algorithm1 import learn_functions
from arubatheory.learners.ftrl import play_ftrl
from arubatheory.learners.linear_tasks import is_linear, learn_linear
from arubatheory.learners.many_runs import Part, in_a_row, runs_in
from arubatheory.learners.meta_rules import AOGD as AOGD
from arubatheory.learners.meta_rules import CONSTANT as CONSTANT
from arubatheory.learners.meta_rules import EWOO as EWOO
from arubatheory.learners.meta_rules import FTL as FTL
from arubatheory.learners.meta_rules import MEAN as MEAN
from arubatheory.learners.meta_rules import OGD as OGD
from arubatheory.learners.meta_rules import PRINTED as PRINTED
from arubatheory.learners.meta_rules import Init as Init
from arubatheory.learners.meta_rules import MetaTrajectory as MetaTrajectory
from arubatheory.learners.meta_rules import Sim as Sim
from arubatheory.learners.meta_rules import State as State
from arubatheory.learners.meta_rules import adaptive_descent as adaptive_descent
from arubatheory.learners.meta_rules import begin as begin
from arubatheory.learners.meta_rules import constant_rate as constant_rate
from arubatheory.learners.meta_rules import current_rate, learn, with_gamma
from arubatheory.learners.meta_rules import descent as descent
from arubatheory.learners.meta_rules import eps_ewoo_rate as eps_ewoo_rate
from arubatheory.learners.meta_rules import eps_ftl_rate as eps_ftl_rate
from arubatheory.learners.meta_rules import mean as mean
from arubatheory.learners.meta_rules import printed_rate as printed_rate
from arubatheory.learners.meta_rules import rate_after as rate_after
from arubatheory.learners.meta_rules import rates_after as rates_after
from arubatheory.learners.mirror_descent import play_omd
from arubatheory.problems.arguments import margins
from arubatheory.problems.constants import dot_rounding, lipschitz_squares
from arubatheory.problems.domains import Domain, contains, dimension
from arubatheory.problems.losses import LINEAR, Losses, total
from arubatheory.problems.numbers import as_floats, shown
from arubatheory.problems.own.rounds import Rounds
from arubatheory.problems.own.steps import AnyDomain, AnyRegularizer
from arubatheory.problems.regularizers import Regularizer, bregman, check_pair
from arubatheory.problems.signatures import typed
from arubatheory.problems.tasks import Tasks, as_data, count, each

WITHIN = ("omd", "ftrl")
UPDATES = ("optimal", "last", "average")


@kernel
def _part(L: Losses, start: int, stop: int) -> Any:
    i = slice(start, stop)
    return Losses(L.link[i], L.a[i], L.b[i], L.weight[i], L.ridge[i], L.c[i], L.kink[i])


@kernel
def _with_nothing_after(L: Losses) -> Any:
    """The losses and one that is 0: what is played on it is what would be played after the last round."""
    zero = np.zeros((1, L.a.shape[1]))
    link, a, c = np.append(L.link, LINEAR), np.concatenate((L.a, zero)), np.concatenate((L.c, zero))
    b, weight = np.append(L.b, 0.0), np.append(L.weight, 0.0)
    ridge, kink = np.append(L.ridge, 0.0), np.append(L.kink, 0.0)
    return Losses(link, a, b, weight, ridge, c, kink)


@kernel
def _play_task(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any, ftrl: Any, update: int) -> Any:
    r"""The sum of the losses of one task, and its last or average iterate (or the first, if neither is asked for).

    `ftrl` is True, or None for OMD: a type of its own, so that a play of OMD does not compile the solver of FTRL.
    """
    m, last = L.b.shape[0], update == 1
    longer = _with_nothing_after(L) if last else L
    if ftrl is not None and shape_of(L, m, R) != LINEAR_ONLY:  # on linear losses FTRL is OMD (text:ftrl-is-omd)
        played = play_ftrl(longer, domain, R, phi, eta)
    else:
        played = play_omd(longer, domain, R, phi, eta)
    paid, middle = 0.0, 0 * phi
    for i in range(m):
        paid += played.values[i]
        middle += played.actions[i]
    return paid, (played.actions[m] if last else middle / m)


@kernel
def play_meta(
    tasks: Tasks, domain: Domain, R: Regularizer, best: Array, sigma: Array, init: Init, sim: Sim, how: Any, now: State
) -> Any:
    """All tasks, unvalidated, in floats; `how` is `ftrl` and `update` of `_play_task`, `now` is changed in place."""
    (L, offsets), (ftrl, update), (T, d) = tasks, how, best.shape
    phis, updates = np.empty((T, d)), np.empty((T, d))
    v, eta, regret, upper = np.empty(T), np.zeros(T), np.zeros(T), np.zeros(T)
    for t in range(T):
        part = _part(L, offsets[t], offsets[t + 1])
        phis[t], updates[t], v[t] = now.phi, best[t], current_rate(sim, now)
        if not sigma[t] > 0:
            continue
        eta[t] = v[t] / sigma[t]
        paid, iterate = _play_task(part, domain, R, phis[t], eta[t], ftrl, update)
        if update > 0:
            updates[t] = iterate
        regret[t] = paid - total(part, part.b.shape[0], best[t])
        upper[t] = (bregman(R, best[t], phis[t]) / v[t] + v[t]) * sigma[t]
        learn(domain, R, init, sim, now, updates[t], sigma[t])
    return phis, v, eta, updates, regret, upper


@typed
def meta_learn(
    tasks: Tasks,
    domain: AnyDomain,
    R: AnyRegularizer,
    init: Init,
    sim: Sim,
    *,
    optima: ArrayLike | None = None,
    within: str = "omd",
    update: str = "optimal",
    state: State | None = None,
) -> MetaTrajectory:
    r"""Algorithm 1 (`update="optimal"`) or Algorithm 3 (`"last"`, `"average"`) on a sequence of T tasks.

    `optima` (T, d) are the $\theta_t^\ast$, points of the domain; without them each is computed by `hindsight` with the
    tie-break of appendix C. `within` is "omd" or "ftrl". `state` goes on from a former trajectory (it is not changed).

    **Functions.** Tasks of `Rounds` with their `lipschitz`, domains and regularisers of one's own (`own`) are played by
    OMD round by round; `state` may then be that of an `Algorithm1`.

    **Many runs.** Losses (`tasks.together`), the arrays of the domain, the start of `init`, `optima` and `state` may
    have an axis of n runs in front, and then the result has it; what has none is the same for all runs. Linear losses
    on balls in the Euclidean geometry under `mean` are played by `linear_tasks`, all else one run after the other.

    Raises ValueError for a start or an optimum outside the domain, Lipschitz constants that are infinite on it, an
    entropy whose gradient does not exist at $\phi_t$, shapes that do not fit; TypeError for exact numbers and other
    types; OverflowError when a number leaves the range of float64.
    """
    if isinstance(tasks.losses, Rounds) or not (isinstance(domain, Domain) and isinstance(R, Regularizer)):
        _check_words(within, update, WITHIN[:1])
        return learn_functions(tasks, domain, R, init, sim, optima, update, state)
    best = None if optima is None else as_floats("optima", optima)
    parts = _parts(tasks, domain, init, best, state)
    n = runs_in(parts)
    _check_first(_given(parts, 0, tasks, init), R, within, update)
    played = None
    if is_linear(tasks.losses, domain, R, init, sim):
        with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what is looked for in the results
            played = learn_linear(n, tasks, domain, init, sim, best, UPDATES.index(update), state)
    if played is None and n is None:
        played = _learn_any(tasks, domain, R, init, sim, best, within, update, state)
    if played is None:
        how: dict[str, Any] = {"within": within, "update": update}
        runs = (_given(parts, k, tasks, init) for k in range(n or 1))
        played = in_a_row([meta_learn(p, o, R, i, sim, optima=b, state=s, **how) for p, o, i, b, s in runs])
    return played


def _parts(tasks: Tasks, domain: Domain, init: Init, optima: Array | None, state: State | None) -> list[Part]:
    """What may differ from run to run."""
    many = [("tasks", tasks.losses, (1, 2, 1, 1, 1, 2, 1)), ("domain", domain, (1, 1, 1, 1)), ("phi", init.phi, (1,))]
    return [Part(*part) for part in (*many, ("optima", optima, (2,)), ("state", state, (1, 2, 1)))]


def _given(parts: list[Part], k: int, tasks: Tasks, init: Init) -> tuple[Any, ...]:
    """Tasks, domain, init, optima and state of run k."""
    L, domain, phi, optima, state = (part.run(k) for part in parts)
    return tasks._replace(losses=L), domain, init._replace(phi=phi), optima, state


def _learn_any(
    tasks: Tasks, domain: Domain, R: Regularizer, init: Init, sim: Sim, best: Any, within: str, update: str, state: Any
) -> MetaTrajectory:
    """`meta_learn` on one run of any losses, once its arguments are checked."""
    now = begin(init) if state is None else State(*(np.array(part, dtype=np.float64) for part in state))
    best = best_actions(tasks, domain, R, best)
    tasks = tasks._replace(losses=Losses(*map(np.ascontiguousarray, tasks.losses)))
    sigma = _sigmas(tasks.losses, tasks.offsets, R, domain)
    sim = with_gamma(sim, sigma.max())
    how = True if within == "ftrl" else None, UPDATES.index(update)
    with np.errstate(all="ignore"):
        phis, v, eta, updates, regret, upper = play_meta(tasks, domain, R, best, sigma, init, sim, how, now)
    if not (np.isfinite(upper).all() and np.isfinite(regret).all()):
        t = int(np.argmin(np.isfinite(upper) & np.isfinite(regret)))
        raise OverflowError(f"meta_learn left the range of float64 in task {t} (phi={phis[t]}, v={v[t]})")
    return MetaTrajectory(phis, v, eta, sigma, best, updates, regret, upper, now)


def _sigmas(L: Losses, offsets: Array, R: Regularizer, domain: Domain) -> Array:
    r"""$\sigma_t$ (T,); the Lipschitz constants must be finite."""
    squares = lipschitz_squares(L, R, domain, dot_rounding(L))
    if not np.isfinite(squares).all():
        i = int(np.argmin(np.isfinite(squares)))
        raise ValueError(f"tasks must hold losses that are Lipschitz on the domain, got one that is not: loss {i}")
    return np.asarray(np.sqrt(np.add.reduceat(squares, offsets[:-1])))


@typed
def stream(
    chunks: Iterable[tuple[Tasks, ArrayLike | None]], domain: Domain, R: Regularizer, init: Init, sim: Sim, **how: Any
) -> Iterator[MetaTrajectory]:
    r"""`meta_learn` on chunks (tasks, optima) one after the other, each from where the last one ended.

    Nothing is kept but the state. Raises ValueError for $\varepsilon$-EWOO without gamma: the largest $\sigma_t$ of a
    stream is not known in advance.
    """
    if sim.code == EWOO and sim.gamma == 0:
        raise ValueError(f"gamma must be given for a stream, got {sim!r}")
    state = None
    for tasks, optima in (pair("chunks", chunk) for chunk in chunks):
        if not isinstance(tasks, Tasks):
            raise TypeError(f"chunks must hold pairs of a Tasks and optima, got {tasks!r}")
        played = meta_learn(tasks, domain, R, init, sim, optima=optima, state=state, **how)
        state = played.state
        yield played


def pair(name: str, item: Any) -> tuple[Any, Any]:
    """The two parts of an item of `name`, or the TypeError that says what it is."""
    if not isinstance(item, tuple) or len(item) != 2:
        raise TypeError(f"{name} must hold pairs, got {item!r}")
    return item


@typed
def check_play(tasks: Tasks, domain: Domain, R: Regularizer, init: Init, within: str, update: str) -> None:
    """The errors of `meta_learn` about its arguments, but for sim, the optima and the losses."""
    if is_exact(as_data("tasks", tasks).losses.a) or is_exact(domain.low) or is_exact(init.phi):
        raise TypeError("tasks, domain and phi must be in floats, got exact numbers")
    if count(tasks) < 1:
        raise ValueError(f"tasks must hold at least one task, got offsets {shown(tasks.offsets)}")
    sizes = np.diff(tasks.offsets)
    if tasks.offsets[0] != 0 or tasks.offsets[-1] != len(tasks.losses.b) or (sizes < 1).any():
        raise ValueError(f"tasks must have offsets rising from 0 to {len(tasks.losses.b)}, got {shown(tasks.offsets)}")
    m, d = tasks.losses.a.shape
    shapes = [part.shape for part in tasks.losses]
    if shapes != [(m,), (m, d), (m,), (m,), (m,), (m, d), (m,)]:
        raise ValueError(f"tasks must hold losses of one number and dimension, got arrays of shapes {shapes}")
    if dimension(domain) != d or init.phi.size != d:
        raise ValueError(f"domain and phi must have dimension {d}, got {dimension(domain)} and {init.phi.size}")
    check_pair(R, domain)
    if not contains(domain, init.phi):
        raise ValueError(f"phi must lie in the domain, got {shown(init.phi)}")
    _check_words(within, update)


def _check_words(within: str, update: str, learners: tuple[str, ...] = WITHIN) -> None:
    for name, value, known in (("within", within, learners), ("update", update, UPDATES)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


def _check_first(run: tuple[Any, ...], R: Regularizer, within: str, update: str) -> None:
    """`check_play` for the first of many runs, whose state must be one of its dimension."""
    tasks, domain, init, _, state = run
    check_play(tasks, domain, R, init, within, update)
    d = init.phi.shape[-1]
    if state is not None and [np.shape(part) for part in state] != [(d,), (3, 2 * d + 3), (2,)]:
        raise ValueError(f"state must belong to dimension {d}, got phi of shape {np.shape(state[0])}")


@typed
def best_actions(tasks: Tasks, domain: Domain, R: Regularizer, optima: ArrayLike | None) -> Array:
    r"""The $\theta_t^\ast$ (T, d): those given, which must lie in the domain, or the best in hindsight for None."""
    if optima is None:
        return np.stack([hindsight(part, domain, R).action for part in each(tasks)])
    best = as_floats("optima", optima)
    if best.shape != (count(tasks), dimension(domain)):
        raise ValueError(f"optima must have shape {(count(tasks), dimension(domain))}, got {best.shape}")
    over = Domain(domain.kind, *(x[None] for x in domain[1:]))
    for t in np.flatnonzero(
        ~(margins(over, best, np.empty(len(best))) >= 0)
    ):  # outside, or by a rounding that `contains` allows for
        if not (np.isfinite(best[t]).all() and contains(domain, best[t])):
            raise ValueError(f"optima must lie in the domain, got {shown(best[t])} in task {t}")
    return best
