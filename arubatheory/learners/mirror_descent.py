r"""Online mirror descent, lazy and linearised as the paper defines it, and greedy projected gradient descent.

Setting: losses $\ell_1, \ell_2, \dots$ on a convex $\Theta \subset \mathbb R^d$, a regulariser $R$, a start
$\phi \in \Theta$, a step size $\eta > 0$, and $\nabla_s \in \partial\ell_s(\theta_s)$.

* `omd` (def:omd):
  $\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t}\langle\nabla_s, \theta\rangle$.
* `greedy_ogd`: $\theta_1 = \phi$, $\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \eta\nabla_t)$, Zinkevich's
  algorithm.

With $R = \frac12\|\cdot\|_2^2$ both are called online gradient descent. They agree on $\mathbb R^d$ and differ on
bounded domains: the lazy one projects the sum of all gradients from $\phi$, the greedy one forgets what was projected
away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Number
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.learners.descents import OMD, GreedyOGD
from arubatheory.learners.ogd import dynamic_ogd_into
from arubatheory.learners.runs import each_of, played
from arubatheory.learners.stepped import played_as_functions
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.arguments import Runs, check_regularizers, checked_rates, checked_runs
from arubatheory.problems.domains import BALL, Domain, project_into
from arubatheory.problems.losses import LINEAR, Losses, observe
from arubatheory.problems.own.rounds import Rounds
from arubatheory.problems.own.steps import OwnDomain, OwnRegularizer, ahead_into
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer, mirror_step
from arubatheory.problems.scalar import exceeds, larger, overflows
from arubatheory.problems.signatures import typed


@borrowing
def _all_linear(L: Losses) -> Any:
    bent = 0  # counted to the end: a loop that may stop earlier is not made of vector instructions
    for i in range(L.link.shape[0]):
        bent += (L.link[i] != LINEAR) * 1 + (L.ridge[i] > 0) * 1
    return bent == 0


@borrowing
def _far(radius: Any, s: Array) -> Any:
    r"""$r/\|s\|_2$ where the square of the norm overflows."""
    largest, square = abs(s[0]), 0 * s[0]
    for j in range(1, s.shape[0]):
        largest = larger(largest, abs(s[j]))
    for j in range(s.shape[0]):
        square = square + (s[j] / largest) * (s[j] / largest)
    return radius / largest / np.sqrt(square)


def _linear_on_ball(lazy: bool) -> Any:
    r"""Euclidean steps on a ball under linear losses: every gradient is read from memory once.

    With $s_i$ the unprojected point minus the centre, $\theta_i = c + k_i s_i$ with $k_i = \min(1, r/\|s_i\|)$, and
    $s_{i+1} = k_i s_i - \eta w_i a_i$ (greedy) or $s_i - \eta w_i a_i$ (lazy). One loop, nothing called in it: a call
    or an array reached through a tuple inside the loop costs as much as the round itself when d is small.
    """

    @borrowing
    def play(L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array) -> None:
        a, b, weight, center, radius, (m, d) = L.a, L.b, L.weight, domain.center, domain.radius[0], L.a.shape
        s, eta = work[0], rates[0]
        zero, whole = 0 * eta, radius * radius
        square, one = zero, 1 + zero
        for j in range(d):
            s[j] = phi[j] - center[j]
            square = square + s[j] * s[j]
        for i in range(m):
            k = one
            if exceeds(square, whole):
                k = _far(radius, s) if overflows(square) else radius / np.sqrt(larger(square, whole))
            kept = one if lazy else k
            step, dot, square, row = eta * weight[i], zero, zero, i if actions.shape[0] > 1 else 0
            for j in range(d):
                g, t = a[i, j], s[j]
                x, y = center[j] + k * t, kept * t - step * g
                actions[row, j], s[j] = x, y
                dot = dot + g * x
                square = square + y * y
            values[i] = weight[i] * (dot - b[i])

    return play


_lazy, _greedy = _linear_on_ball(True), _linear_on_ball(False)


@kernel
def play_omd(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `omd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    omd_into(L, domain, R, phi, eta, actions, values)
    return Trajectory(actions, values, 0 * L.b)


@kernel
def omd_into(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any, actions: Array, values: Array) -> None:
    r"""[exact] Write the actions and values of `omd` into arrays (m, d) and (m,), unvalidated."""
    work = np.empty((2, phi.size), phi.dtype)
    if R.kind == EUCLIDEAN:
        _omd_in_l2(L, domain, phi, np.zeros(1, phi.dtype) + eta, work, actions, values)
        return
    total, g = 0 * phi, 0 * phi
    for i in range(L.a.shape[0]):
        theta = mirror_step(R, domain, phi, eta * total)
        values[i] = observe(L, i, theta, g)
        row = i if actions.shape[0] > 1 else 0
        for j in range(phi.size):
            actions[row, j], total[j] = theta[j], total[j] + g[j]


@borrowing
def _omd_in_l2(L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array) -> None:
    total, g = work[0], work[1]
    if domain.kind == BALL and _all_linear(L):
        _lazy(L, domain, phi, rates, work, actions, values)
        return
    for j in range(phi.size):
        total[j] = 0 * phi[j]
    for i in range(L.a.shape[0]):
        theta = actions[i if actions.shape[0] > 1 else 0]
        ahead_into(phi, rates[0], total, theta)
        project_into(domain, theta, theta)
        values[i] = observe(L, i, theta, g)
        for j in range(phi.size):
            total[j] = total[j] + g[j]


@borrowing
def _greedy_run(
    L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array
) -> None:
    if domain.kind == BALL and _all_linear(L):
        _greedy(L, domain, phi, rates, work, actions, values)
    else:
        dynamic_ogd_into(L, domain, phi, rates[0], 1, work, actions, values)


_omd_runs, _greedy_runs = each_of(_omd_in_l2), each_of(_greedy_run)
_lazy_runs, _greedy_on_ball = each_of(_lazy), each_of(_greedy)


def _is_plain(runs: Runs) -> bool:
    """Whether losses are linear and the domain a ball: they have kernels of their own, compiled in half the time."""
    return runs.domain.kind == BALL and not (runs.losses.link.any() or runs.losses.ridge.any())


@kernel
def play_greedy_ogd(L: Losses, domain: Domain, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `greedy_ogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    work = np.empty((2, phi.size), phi.dtype)
    rates = np.zeros(1, L.a.dtype) + eta
    _greedy_run(L, domain, phi, rates, work, actions, values)
    return Trajectory(actions, values, 0 * L.b)


@typed
def omd(
    losses: Losses | Rounds,
    domain: Domain | OwnDomain,
    R: Regularizer | OwnRegularizer,
    phi: ArrayLike,
    eta: ArrayLike | Number,
    *,
    actions: bool = True,
    out: Trajectory | None = None,
) -> Trajectory:
    r"""Lazy linearised online mirror descent (def:omd) on m losses, from $\phi \in \Theta$ with step size $\eta > 0$:
    $$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \langle\nabla_s, \theta\rangle.$$

    `phi` has shape (d,); actions of the result have shape (m, d). In exact numbers when the losses are. Without
    `actions` only the values are kept, and the actions of the result have shape (0, d). `out`, the result of an earlier
    call, is written again, and returned.

    Of n runs at once, losses, domain, `phi` and `eta` may each have a leading axis (see `learners.runs`); all arrays of
    the result have it.

    Raises ValueError for a start outside the domain, eta <= 0, NaN or infinities, shapes that do not fit, no losses,
    or a regulariser that is not defined on the domain; TypeError for two arithmetics and for other types;
    OverflowError when a number leaves the range of float64.
    """
    if not (isinstance(losses, Losses) and isinstance(domain, Domain) and isinstance(R, Regularizer)):
        return played_as_functions(OMD(domain, R, phi, eta), losses, actions, out)
    rates = checked_rates("eta", eta, losses)
    runs = checked_runs(losses, domain, phi, eta=(rates, 1))
    check_regularizers(R, runs)
    if R.kind == EUCLIDEAN:
        return played("omd", _lazy_runs if _is_plain(runs) else _omd_runs, runs, np.atleast_2d(rates), actions, out)

    def one_by_one(L: Losses, over: Domain, phi: Array, rates: Array, start: int, rows: Array, values: Array) -> None:
        for k in range(start, start + len(values)):
            run = L.one(k), over.one(k), R, phi[k % len(phi)], rates[k % len(rates), 0]
            on(omd_into, phi)(*run, rows[k - start], values[k - start])

    return played("omd", one_by_one, runs, np.atleast_2d(rates), actions, out)


@typed
def greedy_ogd(
    losses: Losses | Rounds,
    domain: Domain | OwnDomain,
    phi: ArrayLike,
    eta: ArrayLike | Number,
    *,
    actions: bool = True,
    out: Trajectory | None = None,
) -> Trajectory:
    r"""Greedy projected online gradient descent: $\theta_1 = \phi$,
    $\theta_{t+1} = \mathrm{Proj}_\Theta(\theta_t - \eta\nabla_t)$.

    Arguments, result and errors are those of `omd` with $R = \frac12\|\cdot\|_2^2$ (Zinkevich, ICML 2003).
    """
    if not (isinstance(losses, Losses) and isinstance(domain, Domain)):
        return played_as_functions(GreedyOGD(domain, phi, eta), losses, actions, out)
    rates = checked_rates("eta", eta, losses)
    runs = checked_runs(losses, domain, phi, eta=(rates, 1))
    play = _greedy_on_ball if _is_plain(runs) else _greedy_runs
    return played("greedy_ogd", play, runs, np.atleast_2d(rates), actions, out)
