r"""Transfer games with so many tasks that only a binomial tail is listed.

There are two tasks of m equal rounds, loss 0 or loss 1 all along; task 1 comes with probability p. The within-task
method plays its state s in every round, so that $U_k(s) = m(\ell_k(s) - \min_\theta\ell_k(\theta)) + \text{slack}$ is a
regret upper bound, as convex as the loss. The meta-learner stays at `away` until more than `budget` tasks 1 have come,
and then goes `home` for good: its total upper bound is bounded on every sequence, and with the probability that a
binomial variable is at most `budget`, $\bar s$ is `away`.

A *trigger* is another reading of the same numbers: there is one distribution over two losses of the same slope c,
$c\theta$ and $c\theta + \text{const}$; the method plays 0, but s once the first loss of a task was the second one, of
probability p. The excess of any action does not vary, so it is $\rho$-self-bounded for every $\rho > 0$; $U_1$ bounds
the regret of those tasks and $U_0$ that of the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.samples import least_loss
from arubatheory.papers.aruba.games.transfer import STAY
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, loss_at, random_mixture
from arubatheory.statements.chance import binomial_tail
from arubatheory.statements.core import Instance

SHARES = 16  # the budget is a multiple of T/SHARES
OFF = 2  # octaves of standard deviations that p may lie off


class Budgeted(NamedTuple):
    r"""The training sequences with at most `budget` tasks 1: their probability, the largest average of U on them, and
    the largest on any sequence."""

    prob: Any
    realised: Any
    bound: Any


def uppers(x: Instance, s: Any) -> Array:
    r"""$U_0(s), U_1(s)$."""
    out = 0 * x.M.base
    for k in range(2):
        out[k] = x.m * (on(loss_at, s)(x.M, k, s) - least_loss(x.M, k)) + x.slack
    return out


def budgeted(x: Instance) -> Budgeted:
    r"""U is paid at `away` n times for task 1, $0 \le n \le$ budget; or the budget is passed in task
    $\tau \le T$, and the rest is paid at home. Both are linear in n and $\tau$."""
    away, home = uppers(x, x.states[0]), max(uppers(x, x.states[1]))
    within = max((x.T - n) * away[0] + n * away[1] for n in (0, x.budget))
    worst, past = within, x.budget + 1
    if x.budget < x.T:
        worst = max(within, *((t - past) * away[0] + past * away[1] + (x.T - t) * home for t in (past, x.T)))
    return Budgeted(binomial_tail(x.budget, x.T, x.q[1]), within / x.T, worst / x.T)


def _near(draw: Draw, T: int) -> tuple[int, Any]:
    r"""A budget and a p that exceeds budget/T by up to some $2^{OFF}$ standard deviations: exact in floats, too."""
    budget = T * draw.integer(0, SHARES) // SHARES
    octave = (min(budget, T - budget) + 1).bit_length()
    p = draw.number(budget, T) + draw.unit() * (1 << ((octave + 1) // 2 + OFF)) / T
    return budget, p if p < 1 else draw.number(1)


def steep(draw: Draw) -> Mixture:
    r"""The losses $\alpha\theta^2/2$ and $\alpha\theta^2/2 + (1 - \alpha)\theta$, times the factor that makes the
    second one `size` at 1."""
    alpha, size = draw.positive(-2, 0), draw.positive(-8, 0)
    scale = size / (1 - alpha / 2)
    none = draw.zeros(2)
    return Mixture(none, none, draw.array([0, scale * (1 - alpha)]), draw.array([scale * alpha / 2] * 2), none, none)


def tall_game(draw: Draw, shortest: int, longest: int, widest: int, step: int) -> Instance:
    r"""$T = 2^{step \cdot k}$ tasks, $shortest \le k \le longest$, of $m = 2^{step \cdot k}$ rounds, $k \le widest$.
    The two losses are `steep` (with `trigger` or not): they share their minimiser, 0, and part at 1; or they are any
    two with a quadratic part."""
    T = 1 << step * draw.integer(shortest, longest)
    m = 1 << step * draw.integer(0, widest)
    budget, p = _near(draw, T)
    kind = draw.integer(0, 2)
    M = random_mixture(draw, 2, bend=True) if kind == 2 else steep(draw)
    points = draw.unit(4) if kind == 2 else draw.array([1, 0, 0, 0])
    x = Instance(q=draw.array([1 - p, p]), M=M._replace(p=draw.array([1, 1])), m=m, T=T, method=STAY, long=True)
    x.states, x.star, x.anchor = points[:2], points[2], points[3]
    x.table, x.eta, x.slack = draw.zeros((1, 1)), draw.number(1), draw.unit() if kind == 2 else draw.number(0)
    x.rho, x.budget, x.trigger = draw.positive(-16, 0), budget, kind == 1
    return x
