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
from arubatheory.kernel import apart, borrowing, kernel, on, prefetch
from arubatheory.learners.descents import OMD, GreedyOGD
from arubatheory.learners.ogd import dynamic_ogd_into
from arubatheory.learners.runs import ABREAST, each_of, played
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

NEAR = 1 << 14  # numbers that two caches hold twice


@borrowing
def _all_linear(L: Losses) -> Any:
    bent = 0  # counted to the end: a loop that may stop earlier is not made of vector instructions
    for i in range(L.link.shape[0]):
        bent += (L.link[i] != LINEAR) * 1 + (L.ridge[i] > 0) * 1
    return bent == 0


@apart
def _round(g: Array, center: Array, k: Any, kept: Any, step: Any, zero: Any, s: Array, x: Array) -> Any:
    r"""$x = c + k s$ and $s \leftarrow k' s - h g$ in one loop; $\langle g, x\rangle$ and the square of the new s."""
    dot, square = zero, zero
    for j in range(s.shape[0]):
        y, z = center[j] + k * s[j], kept * s[j] - step * g[j]
        x[j], s[j] = y, z
        dot, square = dot + g[j] * y, square + z * z
    return dot, square


def _rounds_on_ball(lazy: bool) -> Any:
    @borrowing
    def rounds(L: Losses, center: Array, radius: Any, eta: Any, s: Array, actions: Array, values: Array) -> int:
        """How many rounds it has played: all, or those before the square of s overflows."""
        zero = 0 * eta
        one, whole, k = 1 + zero, radius * radius, _share(radius, s)
        for i in range(values.shape[0]):
            x, step = actions[i if actions.shape[0] > 1 else 0], eta * L.weight[i]
            dot, square = _round(L.a[i], center, k, one if lazy else k, step, zero, s, x)
            values[i], k = L.weight[i] * (dot - L.b[i]), one
            if exceeds(square, whole):
                if overflows(square):  # no call is made from here: what the loop needs stays in registers
                    return i + 1
                k = radius / np.sqrt(larger(square, whole))
        return values.shape[0]

    return rounds


def _linear_on_ball(lazy: bool) -> Any:
    r"""Euclidean steps on a ball under linear losses: every gradient is read from memory once.

    With $s_i$ the unprojected point minus the centre, $\theta_i = c + k_i s_i$ with $k_i = \min(1, r/\|s_i\|)$, and
    $s_{i+1} = k_i s_i - \eta w_i a_i$ (greedy) or $s_i - \eta w_i a_i$ (lazy).
    """
    rounds = _rounds_on_ball(lazy)

    @borrowing
    def play(L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array) -> None:
        i, s = 0, work[0]
        for j in range(s.shape[0]):
            s[j] = phi[j] - domain.center[j]
        while i < values.shape[0]:
            left = Losses(L.link, L.a[i:], L.b[i:], L.weight[i:], L.ridge, L.c, L.kink)
            x = actions[i if actions.shape[0] > 1 else 0 :]
            i += rounds(left, domain.center, domain.radius[0], rates[0], s, x, values[i:])

    return play


def _block_abreast(lazy: bool) -> Any:
    @borrowing
    def block(L: Losses, S: Array, centers: Array, scale: Array, actions: Array, values: Array) -> None:
        square, eta, own = scale[1], scale[3], L.b.shape[0] > 1
        zero = 0 * eta[0]
        for i in range(values.shape[1]):
            _shares(scale[0], square, scale[2], S)
            for q in range(values.shape[0]):
                _read_ahead(L, i, q, actions, values)
                u, x, k = q if own else 0, actions[q, i if actions.shape[1] > 1 else 0], scale[0, q]
                kept, step = 1 + zero if lazy else k, eta[q] * L.weight[u, i]
                dot, square[q] = _round(L.a[u, i], centers[q], k, kept, step, zero, S[q], x)
                values[q, i] = L.weight[u, i] * (dot - L.b[u, i])

    return block


def _abreast(lazy: bool) -> Any:
    """The same for many runs, `ABREAST` of them in turn: none waits for its own square root and division."""
    block = _block_abreast(lazy)

    @borrowing
    def play(
        L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, start: int, actions: Array, values: Array
    ) -> None:
        size = ABREAST * phi.shape[1]
        rows, scale = work[: 2 * size].reshape(2, ABREAST, phi.shape[1]), work[2 * size :].reshape(4, ABREAST)
        for k in range(0, values.shape[0], ABREAST):
            n, to = start + k, min(ABREAST, values.shape[0] - k)
            u = n if L.b.shape[0] > 1 else 0
            part = Losses(L.link, L.a[u:], L.b[u:], L.weight[u:], L.ridge, L.c, L.kink)
            S, centers = rows[0, :to], rows[1, :to]
            _begin(domain, phi, rates, n, S, centers, scale)
            block(part, S, centers, scale, actions[k : k + to], values[k : k + to])

    return play


@borrowing
def _begin(domain: Domain, phi: Array, rates: Array, start: int, S: Array, centers: Array, scale: Array) -> None:
    """Write phi - c of each run, its square, its centre, its radius and its step size."""
    for q in range(S.shape[0]):
        n = start + q
        p, c = n % phi.shape[0], n % domain.center.shape[0]
        scale[2, q], scale[3, q] = domain.radius[c, 0], rates[n % rates.shape[0], 0]
        scale[1, q] = 0 * rates[0, 0]
        for j in range(S.shape[1]):
            centers[q, j], S[q, j] = domain.center[c, j], phi[p, j] - domain.center[c, j]
            scale[1, q] += S[q, j] * S[q, j]


@borrowing
def _shares(k: Array, square: Array, radius: Array, S: Array) -> None:
    """`_share` of each run, in vector instructions."""
    far = 0
    for q in range(S.shape[0]):
        whole = radius[q] * radius[q]
        k[q] = radius[q] / np.sqrt(larger(square[q], whole)) if exceeds(square[q], whole) else 1 + 0 * whole
        far += 1 if overflows(square[q]) else 0
    if far > 0:
        for q in range(S.shape[0]):
            k[q] = _share(radius[q], S[q])


@borrowing
def _read_ahead(L: Losses, i: int, q: int, actions: Array, values: Array) -> None:
    """Ask memory for what the next runs need, where it does not drive this out of a cache: a short run is over before
    the processor has noticed where it goes on."""
    (n, m), d = values.shape, L.a.shape[2]
    if n * m * d <= NEAR:
        if q == 0:
            prefetch(L.b, (m + i) * n)
            prefetch(L.weight, (m + i) * n)
            prefetch(values, (m + i) * n)
        prefetch(L.a, (n * m + i * n + q) * d)
        prefetch(actions, (n * m + i * n + q) * d)


@borrowing
def _share(radius: Any, s: Array) -> Any:
    r"""$\min(1, r/\|s\|_2)$, also where the square overflows."""
    square, scale = 0 * radius, 1 + 0 * radius
    for j in range(s.shape[0]):
        square = square + s[j] * s[j]
    if not exceeds(square, radius * radius):
        return scale
    if overflows(square):
        scale, square = abs(s[0]), 0 * radius
        for j in range(1, s.shape[0]):
            scale = larger(scale, abs(s[j]))
        for j in range(s.shape[0]):
            square = square + (s[j] / scale) * (s[j] / scale)
        return radius / scale / np.sqrt(square)
    return radius / np.sqrt(larger(square, radius * radius))


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
_lazy_abreast, _greedy_abreast = _abreast(True), _abreast(False)


def _quickest(runs: Runs, usual: Any, alone: Any, abreast: Any) -> Any:
    """Where losses are linear and the domain a ball: kernels of their own, compiled in half the time, for one run and
    for many."""
    if runs.domain.kind != BALL or runs.losses.link.any() or runs.losses.ridge.any():
        return usual
    return abreast if len(runs.shape) > 2 and runs.shape[0] > 1 else alone


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
        play = _quickest(runs, _omd_runs, _lazy_runs, _lazy_abreast)
        return played("omd", play, runs, np.atleast_2d(rates), actions, out)

    def one_by_one(
        L: Losses, over: Domain, phi: Array, rates: Array, work: Array, start: int, rows: Array, values: Array
    ) -> None:
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
    play = _quickest(runs, _greedy_runs, _greedy_on_ball, _greedy_abreast)
    return played("greedy_ogd", play, runs, np.atleast_2d(rates), actions, out)
