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
from arubatheory.learners.compiled_rounds import descend
from arubatheory.learners.descents import OMD, GreedyOGD
from arubatheory.learners.runs import ABREAST, Quick, each_of, played, rounds_of
from arubatheory.learners.stepped import played_as_functions
from arubatheory.learners.trajectory import Trajectory
from arubatheory.problems.arguments import Runs, check_regularizers, checked_rates, checked_runs
from arubatheory.problems.domains import BALL, Domain, project_into
from arubatheory.problems.linear import dot as dot_of
from arubatheory.problems.losses import LINEAR, Losses, observe
from arubatheory.problems.own.rounds import AnyLosses
from arubatheory.problems.own.steps import AnyDomain, AnyRegularizer, ahead_into
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer, mirror_step
from arubatheory.problems.scalar import exceeds, larger, overflows, root_above, rounding
from arubatheory.problems.signatures import typed

NEAR = 1 << 14  # numbers that two caches hold twice
NARROW = 2  # rows that are less work than what runs abreast need besides
SHORT, AHEAD = 16, 320  # of rows that are shorter the processor does not see where they go on; how far ahead to ask


@apart
def step_along(g: Array, center: Array, kept: Any, step: Any, s: Array) -> Any:
    r"""$s \leftarrow k' s - h g$; $\langle g, c\rangle$, $\langle g, s\rangle$ with the old s, the square of the new
    one, and that of g."""
    flat, along, square, steep = 0, 0, 0, 0
    for j in range(s.shape[0]):
        old, z = s[j], kept * s[j] - step * g[j]
        s[j], flat, along = z, flat + g[j] * center[j], along + g[j] * old
        square, steep = square + z * z, steep + g[j] * g[j]
    return flat, along, square, steep


def _round_about(centred: bool) -> Any:
    """`step_along`, and $x = c + k s$ before it, in one loop; of a c that is 0 nothing is read."""

    @apart
    def one_round(g: Array, center: Array, k: Any, kept: Any, step: Any, s: Array, x: Array) -> Any:
        flat, along, square, steep = 0, 0, 0, 0
        for j in range(s.shape[0]):
            old, y, z = s[j], k * s[j], kept * s[j] - step * g[j]
            if not centred:
                y, flat = center[j] + y, flat + g[j] * center[j]
            x[j], s[j], along = y, z, along + g[j] * old
            square, steep = square + z * z, steep + g[j] * g[j]
        return flat, along, square, steep

    return one_round


_around_center, _around_zero = _round_about(False), _round_about(True)


@borrowing
def _round(off: int, g: Array, center: Array, k: Any, kept: Any, step: Any, s: Array, x: Array) -> Any:
    """The one or the other, by how many coordinates of c are not 0."""
    if off == 0:
        return _around_zero(g, center, k, kept, step, s, x)
    return _around_center(g, center, k, kept, step, s, x)


@borrowing
def _nonzeros(center: Array) -> int:
    """How many coordinates are not 0."""
    off = 0
    for j in range(center.shape[0]):
        off += (center[j] != 0) * 1
    return off


@borrowing
def _ask_ahead(a: Array, i: int, actions: Array, row: int) -> None:
    """Ask memory for what comes after these rows, where they are short."""
    if a.shape[1] < SHORT:
        prefetch(a, i * a.shape[1] + AHEAD)
        prefetch(actions, row * a.shape[1] + AHEAD)


def _linear_on_ball(lazy: bool) -> Any:
    r"""Euclidean steps on a ball under linear losses `parts` (link, a, b, weight, ridge): all is read from memory once.

    With $s_i$ the unprojected point minus the centre, $\theta_i = c + k_i s_i$ with $k_i = \min(1, r/\|s_i\|)$, and
    $s_{i+1} = k_i s_i - \eta w_i a_i$ (greedy) or $s_i - \eta w_i a_i$ (lazy). `rates` are r twice, and $\eta$; s is
    written on, and the gaps are, which may be the values. Returns the sum of the values, or what is not finite where a
    value or a square left the range of floats, and NaN at a loss that is not linear: what was played is worth nothing.
    """

    @borrowing
    def play(parts: Any, center: Array, rates: Any, s: Array, gap: Array, actions: Array, values: Array) -> Any:
        # The share of s that is kept is made of a radius of its own: a compiler that sees one number twice multiplies s
        # by it once, and then waits for the product before it subtracts. Greedy, a round waits for the root of the one
        # before: in floats the next square is made of terms that are known before the root is. Where the square is
        # above the whole, and so is used, no term is more than some times as large: few digits cancel.
        (link, a, b, weight, ridge), (radius, same, eta) = parts, rates
        total, far, square, whole, off = 0, 0, dot_of(s, s), radius * radius, _nonzeros(center)
        zero, row, ahead, soon = 0 * square, 0, 1 if actions.shape[0] > 1 else 0, square
        for i in range(values.shape[0]):
            if link[i] != LINEAR or ridge[i] > 0:
                return np.nan
            _ask_ahead(a, i, actions, row)
            k, kept, w, step = 1, 1, weight[i], eta * weight[i]
            if exceeds(soon, whole):
                root = root_above(soon, whole)
                kept, k = same / root, radius / root
            if not (ahead or i + 1 == values.shape[0]):
                flat, along, after, steep = step_along(a[i], center, 1 if lazy else kept, step, s)
            else:
                flat, along, after, steep = _round(off, a[i], center, k, 1 if lazy else kept, step, s, actions[row])
            value, turn = w * (flat + k * along - b[i]), 2 * step * along
            soon = after if lazy or not rounding(after) > 0 else (kept * square - turn) * kept + step * step * steep
            gap[i], values[i], total, far, row, square = zero, value, total + value, far + soon, row + ahead, after
        return total + 0 * far

    return play


def _in_turn(play: Any) -> Any:
    """One run after the other. A row of `starts` (n or 1, 2d + 3) has c, $s_1$ and `rates`."""

    @borrowing
    def play_each(parts: Any, starts: Array, gap: Array, work: Array, start: int, actions: Array, values: Array) -> Any:
        (link, a, b, weight, ridge), d, total = parts, parts[1].shape[2], 0
        s = work[:d]
        for k in range(values.shape[0]):
            n = start + k
            i, row = n % b.shape[0], starts[n % starts.shape[0]]
            run, rates = (link[i], a[i], b[i], weight[i], ridge[i]), (row[2 * d], row[2 * d + 1], row[2 * d + 2])
            for j in range(d):
                s[j] = row[d + j]
            total += play(run, row[:d], rates, s, gap[n], actions[k], values[k])
        return total

    return play_each


@borrowing
def _block_abreast(parts: Any, starts: Array, S: Array, scale: Array, actions: Array, values: Array) -> Any:
    (a, b, weight), square, eta, d, total, far = parts, scale[1], scale[3], S.shape[1], 0, 0
    for i in range(values.shape[1]):
        _shares(values.shape[0], scale[0], square, scale[2])
        for q in range(values.shape[0]):
            _read_ahead(a, b, weight, i, q, actions, values)
            u, x = q if b.shape[0] > 1 else 0, actions[q, i if actions.shape[1] > 1 else 0]
            k, w, center = scale[0, q], weight[u, i], starts[q if starts.shape[0] > 1 else 0, :d]
            flat, along, square[q], _ = _around_center(a[u, i], center, k, k, eta[q] * w, S[q], x)
            value = w * (flat + k * along - b[u, i])
            values[q, i], total, far = value, total + value, far + square[q]
    return total + 0 * far


@borrowing
def _abreast(parts: Any, starts: Array, gap: Array, work: Array, start: int, actions: Array, values: Array) -> Any:
    """Many greedy runs, `ABREAST` of them in turn: none waits for its own square root and division."""
    (link, a, b, weight, ridge), size, total = parts, ABREAST * parts[1].shape[2], 0
    rows, scale = work[:size].reshape(ABREAST, a.shape[2]), work[size : size + 4 * ABREAST].reshape(4, ABREAST)
    for k in range(0, values.shape[0], ABREAST):
        n, to = start + k, min(ABREAST, values.shape[0] - k)
        u, p, S = n if b.shape[0] > 1 else 0, n if starts.shape[0] > 1 else 0, rows[:to]
        _begin(starts[p:], S, scale)
        for q in range(to):
            if _is_bent(link[u + q if b.shape[0] > 1 else 0], ridge[u + q if b.shape[0] > 1 else 0], gap[n + q]):
                return np.nan
        own = a[u:], b[u:], weight[u:]
        total += _block_abreast(own, starts[p:], S, scale, actions[k : k + to], values[k : k + to])
    return total


@borrowing
def _is_bent(link: Array, ridge: Array, gap: Array) -> Any:
    """Whether a loss of the run is not linear; its gaps are written, too."""
    bent = 0  # counted to the end: a loop that may stop earlier is not made of vector instructions
    for i in range(gap.shape[0]):
        bent += (link[i] != LINEAR) * 1 + (ridge[i] > 0) * 1
        gap[i] = 0 * ridge[i]
    return bent > 0


@borrowing
def _begin(starts: Array, S: Array, scale: Array) -> None:
    """Write phi - c of each run, its square, its radius and its step size."""
    d = S.shape[1]
    for q in range(S.shape[0]):
        row = starts[q if starts.shape[0] > 1 else 0]
        scale[1, q], scale[2, q], scale[3, q] = 0 * row[-1], row[-3], row[-1]
        for j in range(d):
            S[q, j] = row[d + j]
            scale[1, q] += S[q, j] * S[q, j]


@borrowing
def _shares(n: int, k: Array, square: Array, radius: Array) -> None:
    r"""$\min(1, r/\|s\|)$ of each of n runs, in vector instructions."""
    for q in range(n):
        whole = radius[q] * radius[q]
        k[q] = radius[q] / np.sqrt(larger(square[q], whole)) if exceeds(square[q], whole) else 1 + 0 * whole


@borrowing
def _read_ahead(a: Array, b: Array, weight: Array, i: int, q: int, actions: Array, values: Array) -> None:
    """Ask memory for what the next runs need, where it does not drive this out of a cache: a short run is over before
    the processor has noticed where it goes on."""
    (n, m), d = values.shape, a.shape[2]
    if n * m * d <= NEAR:
        if q == 0:
            prefetch(b, (m + i) * n)
            prefetch(weight, (m + i) * n)
            prefetch(values, (m + i) * n)
        prefetch(a, (n * m + i * n + q) * d)
        prefetch(actions, (n * m + i * n + q) * d)


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


def _tried(play: Any) -> Any:
    """Whether a run could be played by a kernel of `_linear_on_ball`, s being written on: then it is."""

    @borrowing
    def tried(L: Losses, domain: Domain, phi: Array, rates: Array, s: Array, actions: Array, values: Array) -> Any:
        if domain.kind != BALL:
            return False
        for j in range(phi.shape[0]):
            s[j] = phi[j] - domain.center[j]
        given, parts = (domain.radius[0], domain.radius[0], rates[0]), (L.link, L.a, L.b, L.weight, L.ridge)
        return not overflows(play(parts, domain.center, given, s, values, actions, values))

    return tried


_lazy, _greedy = _linear_on_ball(True), _linear_on_ball(False)
_lazy_tried, _greedy_tried = _tried(_lazy), _tried(_greedy)


@borrowing
def _omd_in_l2(L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array) -> None:
    total, g = work[0], work[1]
    if _lazy_tried(L, domain, phi, rates, total, actions, values):
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


_greedy_run = rounds_of(descend)


@borrowing
def _greedy_l2(L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array) -> None:
    if _greedy_tried(L, domain, phi, rates, work[0], actions, values):
        return
    _greedy_run(L, domain, phi, (rates[0], 1), work, actions, values)


_omd_runs, _greedy_runs = each_of(_omd_in_l2), each_of(_greedy_l2)
_lazy_in_turn, _greedy_in_turn = _in_turn(_lazy), _in_turn(_greedy)


def _on_ball(runs: Runs, rates: Array, in_turn: Any, abreast: Any = None) -> Quick | None:
    """Where the first loss is linear and the domain a ball: kernels of their own, compiled in half the time as they are
    given few arrays, one run after the other, or abreast where rows are short; and those arrays. None elsewhere."""
    L, domain = runs.losses, runs.domain
    if domain.kind != BALL or L.link.flat[0] != LINEAR or L.ridge.flat[0] > 0:
        return None
    n, d = max(len(runs.phi), len(domain.low), len(rates)), runs.shape[-1]
    starts = np.empty((n, 2 * d + 3), runs.phi.dtype)
    starts[:, :d], starts[:, d : 2 * d], starts[:, 2 * d : -1] = domain.center, runs.phi - domain.center, domain.radius
    starts[:, -1:] = rates
    many = len(runs.shape) > 2 and runs.shape[0] > 1 and NARROW < d < SHORT
    return abreast if abreast and many else in_turn, ((L.link, L.a, L.b, L.weight, L.ridge), starts)


@kernel
def play_greedy_ogd(L: Losses, domain: Domain, phi: Array, eta: Any) -> Any:
    """[exact] The trajectory of `greedy_ogd`, unvalidated."""
    actions, values = np.empty_like(L.a), np.empty_like(L.b)
    work = np.empty((3, phi.size), phi.dtype)
    _greedy_l2(L, domain, phi, np.zeros(1, L.a.dtype) + eta, work, actions, values)
    return Trajectory(actions, values, 0 * L.b)


@typed
def omd(
    losses: AnyLosses,
    domain: AnyDomain,
    R: AnyRegularizer,
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
        quick = _on_ball(runs, rates, _lazy_in_turn)
        return played("omd", _omd_runs, runs, rates, actions, out, quick)

    def one_by_one(
        L: Losses, over: Domain, phi: Array, rates: Array, _: Any, start: int, x: Array, values: Array
    ) -> None:
        for k in range(start, start + len(values)):
            run = L.one(k), over.one(k), R, phi[k % len(phi)], rates[k % len(rates), 0]
            on(omd_into, phi)(*run, x[k - start], values[k - start])

    return played("omd", one_by_one, runs, rates, actions, out)


@typed
def greedy_ogd(
    losses: AnyLosses,
    domain: AnyDomain,
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
    quick = _on_ball(runs, rates, _greedy_in_turn, _abreast)
    return played("greedy_ogd", _greedy_runs, runs, rates, actions, out, quick)
