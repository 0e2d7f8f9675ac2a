r"""Meta-learners against independent tasks, with every probability computed.

A distribution Q over tasks is J mixtures with K losses each, task j with probability $q_j$. A task brings m losses, so
that what happens in it is one of $A = JK^m$ outcomes (its j and its losses), and T tasks one of $A^T$ training
sequences. All are listed with their probabilities, and so are all outcomes of a fresh task: the transfer risk is a
finite sum, and "with probability $1-\delta$" an inequality between two numbers (`samples`).

A meta-learner is a map from histories to states in [0, 1], hence a tree with one state for each of the
$1 + A + \dots + A^{T-1}$ histories, all of them free (it may see which task was drawn: that can only help it). A
within-task method maps its state s and the losses of the task seen so far to an action; it is one of the codes

* `STAY`: it plays s always; $U(s) = \sum_i\ell_i(s) - \min_\theta\sum_i\ell_i(\theta)$;
* `OGD`: projected gradient descent from s with steps $\eta$; $U(s) = (\theta^\ast - s)^2/(2\eta) + \eta G^2m/2$, where
  $\theta^\ast$ is the leftmost best action of the task and G bounds every slope on [0, 1];
* `TABLE`: free actions, one for each prefix of the losses, whatever s is; U is the regret where that is positive;
* `FREE`: free actions for each history and prefix. There U need not be convex in any state.

To each U a constant slack is added. For long games the state stays where it is and A = 2: then only the number of
times that the second outcome came matters, and the probabilities are binomial.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.papers.aruba.games.samples import CONVEX, binomial, in_unit, path_of, probable, slope_bound
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, loss_at, minimiser, random_mixture, weighted_loss
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.games import MOST_T

METHODS = STAY, OGD, TABLE, FREE = tuple(range(4))
SHAPES = tuple((J, K, m) for J in (1, 2, 3) for K, longest in ((1, 2), (2, 3), (3, 2)) for m in range(1, longest + 1))
LONG_SHAPES = (*((2, 1, 1 << k) for k in range(7)), (1, 2, 1))
LISTED = 512  # training sequences times outcomes of a fresh task, at most


class Outcomes(NamedTuple):
    r"""Of each outcome (A,) of one task: its probability, the number of its task, its leftmost best action, the sum of
    its losses there, and the least risk of its task, $\min_\theta\ell_P(\theta)$."""

    chance: Array
    task: Array
    star: Array
    least: Array
    best: Array


class Plays(NamedTuple):
    r"""Of each state and outcome (N, A): $\ell_P(\bar\theta)$, the regret, and the upper bound U of it."""

    risk: Array
    regret: Array
    upper: Array


class Training(NamedTuple):
    r"""Of each training sequence (n,): its probability; the averages over its tasks of the realised regret and of the
    realised U; $\bar s$; and the histories it runs through, (n, T) indices of states (one column where they stay)."""

    prob: Array
    regret: Array
    upper: Array
    state: Array
    visited: Array


class Listing(NamedTuple):
    """A game, listed: what a task can bring, every play of it from every history, and the training sequences."""

    outcomes: Outcomes
    plays: Plays
    training: Training


# kernels -----------------------------------------------------------------------------------------------------------
@kernel
def list_outcomes(q: Array, M: Mixture, m: int) -> Outcomes:
    r"""[exact] The $JK^m$ outcomes of a task; the losses of task j are the numbers $jK, \dots, jK + K - 1$ of M, with
    their probabilities in it."""
    J = q.shape[0]
    K = M.p.shape[0] // J
    each = K**m
    out, task = np.zeros((4, J * each), q.dtype), np.zeros(J * each, np.int64)
    chance, star, least, best = out[0], out[1], out[2], out[3]
    for j in range(J):
        weights = task_weights(M, j, K)
        lowest = task_risk(M, j, K, minimiser(M, weights))
        for code in range(each):
            a, counts = j * each + code, 0 * M.p
            chance[a] = q[j]
            for k in j * K + path_of(code, K, m)[0]:
                chance[a] = chance[a] * M.p[k]
                counts[k] = counts[k] + 1
            star[a], task[a], best[a] = minimiser(M, counts), j, lowest
            least[a] = weighted_loss(M, counts, star[a])
    return Outcomes(chance, task, star, least, best)


@kernel
def task_weights(M: Mixture, j: int, K: int) -> Array:
    """[exact] The probabilities (JK,) of the losses in task j: 0 for those of other tasks."""
    weights = 0 * M.p
    for k in range(j * K, j * K + K):
        weights[k] = weights[k] + M.p[k]
    return weights


@kernel
def task_risk(M: Mixture, j: int, K: int, x: Any) -> Any:
    r"""[exact] $\ell_P(x)$ of task j."""
    s = M.p[j * K] * loss_at(M, j * K, x)
    for k in range(j * K + 1, j * K + K):
        s = s + M.p[k] * loss_at(M, k, x)
    return s


@kernel
def slope_at(M: Mixture, k: int, x: Any) -> Any:
    r"""[exact] A subgradient of $\ell_k$ at x (at a kink the one of the other parts)."""
    slope = M.slope[k] + 2 * M.bend[k] * (x - M.z[k])
    if x > M.z[k]:
        return slope + M.corner[k]
    if x < M.z[k]:
        return slope - M.corner[k]
    return slope


@kernel
def _descend(x: Any, step: Any) -> Any:
    r"""$x - step$, projected onto [0, 1]."""
    moved, zero = x - step, x - x
    return zero if moved < 0 else zero + 1 if moved > 1 else moved


@kernel
def list_plays(
    M: Mixture, o: Outcomes, m: int, method: int, states: Array, table: Array, eta: Any, slack: Any, G: Any
) -> Plays:
    r"""[exact] The method on every outcome, from every state; `table` (1 or N, prefixes) holds its free actions."""
    N, A = states.shape[0], o.chance.shape[0]
    J = o.task[A - 1] + 1
    K, each = M.p.shape[0] // J, A // J
    out = np.zeros((3, N, A), M.p.dtype)
    risk, regret, upper = out[0], out[1], out[2]
    for a in range(A):
        j = o.task[a]
        came, nodes = path_of(a % each, K, m)
        for i in range(N):
            x = states[i]
            paid, middle = x - x, x - x
            for t in range(m):
                k = j * K + came[t]
                if method >= TABLE:
                    x = table[i % table.shape[0], nodes[t]]
                paid, middle = paid + loss_at(M, k, x), middle + x
                if method == OGD:
                    x = _descend(x, eta * slope_at(M, k, x))
            risk[i, a] = task_risk(M, j, K, middle / m)
            regret[i, a] = paid - o.least[a]
            upper[i, a] = slack
            if method == OGD:
                away = o.star[a] - states[i]
                upper[i, a] = slack + away * away / (2 * eta) + eta * G * G * m / 2
            elif regret[i, a] > 0:
                upper[i, a] = slack + regret[i, a]
    return Plays(risk, regret, upper)


@kernel
def list_training(chance: Array, states: Array, plays: Plays, T: int) -> Training:
    r"""[exact] All $A^T$ training sequences of the meta-learner with these states, one for each history."""
    A = chance.shape[0]
    n = A**T
    out, visited = np.zeros((4, n), chance.dtype), np.zeros((n, T), np.int64)
    prob, regret, upper, state = out[0], out[1], out[2], out[3]
    for o in range(n):
        prob[o] = chance[0] - chance[0] + 1
        came, visited[o] = path_of(o, A, T)
        for t in range(T):
            a, node = came[t], visited[o, t]
            prob[o] = prob[o] * chance[a]
            regret[o], upper[o] = regret[o] + plays.regret[node, a], upper[o] + plays.upper[node, a]
            state[o] = state[o] + states[node]
    return Training(prob, regret / T, upper / T, state / T, visited)


# a game ------------------------------------------------------------------------------------------------------------
def outcomes_of(x: Instance) -> Outcomes:
    """What one task of the game can bring."""
    return on(list_outcomes, x.q)(x.q, x.M, x.m)


def plays_from(x: Instance, outcomes: Outcomes, states: Array) -> Plays:
    r"""The within-task method of the game from any states (N,); a `FREE` one is known at its own only."""
    G = slope_bound(x.M)
    return on(list_plays, x.q)(x.M, outcomes, x.m, x.method, states, x.table, x.eta, x.slack, G)


def plays_from_average(x: Instance, p: Listing) -> Plays:
    r"""Fresh plays from the $\bar s$ of every training sequence (n, A)."""
    if x.long:  # it is the one state of the game
        return Plays(*(values[p.training.visited[:, 0]] for values in p.plays))
    return plays_from(x, p.outcomes, p.training.state)


def trained(x: Instance, chance: Array, plays: Plays) -> Training:
    r"""All training sequences of the game; of a meta-learner that never moves, against A = 2 outcomes, by how often the
    second one came."""
    if not x.long:
        return on(list_training, x.q)(chance, x.states, plays, x.T)
    c, visited = np.arange(x.T + 1), np.zeros((x.T + 1, 1), np.int64)
    regret, upper = (((x.T - c) * paid[0, 0] + c * paid[0, 1]) / x.T for paid in (plays.regret, plays.upper))
    return Training(on(binomial, x.q)(chance, x.T), regret, upper, x.states[visited[:, 0]], visited)


def listing(x: Instance) -> Listing:
    """The game, listed."""
    outcomes = outcomes_of(x)
    plays = plays_from(x, outcomes, x.states)
    return Listing(outcomes, plays, trained(x, outcomes.chance, plays))


def expected(outcomes: Outcomes, values: Array) -> Array:
    r"""$E_{P\sim Q}E_{P^m}$ of values (N, A): one number for each state."""
    return (values * outcomes.chance).sum(axis=1)


def over_tasks(training: Training, values: Array) -> Array:
    r"""$E_{t\sim\mathcal U[T]}$ of values (N,) of the states: one number for each training sequence."""
    return values[training.visited].sum(axis=1) / training.visited.shape[1]


def risk_at(x: Instance, theta: Any) -> Any:
    r"""$E_{P\sim Q}\ell_P(\theta)$ of one action."""
    return on(weighted_loss, x.q)(x.M, _joint(x), theta)


def least_risk(x: Instance) -> Any:
    r"""$\min_{\theta\in[0,1]}E_{P\sim Q}\ell_P(\theta)$."""
    return risk_at(x, on(minimiser, x.q)(x.M, _joint(x)))


def _joint(x: Instance) -> Array:
    """The probabilities of the losses (JK,) when the task is drawn as well."""
    return np.repeat(x.q, len(x.M.p) // len(x.q)) * x.M.p


def range_of(x: Listing) -> Any:
    r"""The least $B\sqrt m$: the largest U of a state and an outcome that can happen. U is convex, so on the
    hull of the states it is no larger."""
    return max(x.plays.upper[:, x.outcomes.chance > 0].ravel())


def longest(shape: tuple[int, int, int]) -> int:
    """How many tasks of this shape (J, K, m) a listed game may have."""
    J, K, m = shape
    T = 1
    while T < MOST_T and (J * K**m) ** (T + 2) <= LISTED:
        T += 1
    return T


def transfer_game(draw: Draw, methods: tuple[int, ...] = (STAY, OGD, TABLE)) -> Instance:
    r"""Q, a meta-learner and a within-task method: few tasks with every history free, or T up to $2^7$ and m up to
    $2^6$, whose frequencies are listed, for a meta-learner that stays where it is."""
    long = draw.boolean()
    shape = J, K, m = draw.choice(LONG_SHAPES if long else SHAPES)
    T = 1 << draw.integer(0, 7) if long else draw.size("T", min(6, longest(shape)), longest(shape))
    method = draw.choice(methods)
    nodes = 1 if long else sum((J * K**m) ** t for t in range(T))
    prefixes = sum(K**i for i in range(m))
    rows = (0, 0, 1, nodes)[method]
    x = Instance(q=draw.simplex(J), M=_tasks(draw, J, K), m=m, T=T, method=method, long=long)
    x.states = draw.zeros(nodes) if rows else draw.unit(nodes)
    x.table = draw.unit((rows, prefixes)) if rows else draw.zeros((1, prefixes))
    x.eta = draw.positive(-8, 8) if method == OGD else draw.number(1)
    x.slack = draw.unit() if draw.boolean() else draw.number(0)
    return x


def _tasks(draw: Draw, J: int, K: int) -> Mixture:
    """J mixtures of K losses; in half of all worlds the first task costs nothing, as where a bound is tight."""
    tasks = [random_mixture(draw, K) for _ in range(J)]
    if draw.boolean():
        none = draw.zeros(K)
        tasks[0] = tasks[0]._replace(base=none, slope=none, bend=none, corner=none)
    return joined(tasks)


def joined(tasks: list[Mixture]) -> Mixture:
    """The losses of all tasks, with their probabilities within them."""
    return Mixture(*(np.concatenate(parts) for parts in zip(*tasks, strict=True)))


TASKS = Assumption(r"q_j\ge0,\ \sum_jq_j=1", lambda x: probable(x.q))
SAMPLES = Assumption(r"p_{jk}\ge0,\ \sum_kp_{jk}=1", lambda x: min(probable(p) for p in x.M.p.reshape(len(x.q), -1)))
STATES = Assumption(r"s_t,\theta_{t,i}\in[0,1]", lambda x: min(in_unit(x.states), in_unit(x.table.ravel())))
BOUNDS = Assumption(r"\eta>0,\ \text{slack}\ge0", lambda x: min(x.eta, x.slack))
TRANSFER = (TASKS, SAMPLES, CONVEX, STATES, BOUNDS)
