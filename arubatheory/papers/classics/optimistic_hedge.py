r"""Syrgkanis, Agarwal, Luo and Schapire, Fast convergence of regularized learning in games, NIPS 2015, proposition 7.

Optimistic Hedge: $w_t\propto\exp(\eta(u_1+\dots+u_{t-1}+u_{t-1}))$, $u_0=0$, $w_0=w_1$ uniform.

On trial: SURVIVED at quick and standard (0.5 s, 8.3 s).
"""

import numpy as np

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.problems.scalar import larger


def game(draw: Draw) -> Instance:
    """Payoffs of N actions in T rounds, an action to compare with, and a step size."""
    T, N = draw.size("T", 8), draw.size("N", 3)
    payoffs, best = draw.unit((T, N)), draw.integer(0, N - 1)
    return Instance(payoffs=payoffs, N=draw.number(N), best=best, rate=draw.positive(-6, 2))


@kernel
def played(payoffs, rate, best):  # type: ignore[no-untyped-def]
    r"""[exact] The regret, $\sum_t\|u_t - u_{t-1}\|_\infty^2$ and $\sum_t\|w_t - w_{t-1}\|_1^2$."""
    regret, drift, moves = 0 * rate, 0 * rate, 0 * rate
    summed, last, w = 0 * payoffs[0], 0 * payoffs[0], 0 * payoffs[0]
    for t in range(payoffs.shape[0]):
        whole, paid, move, most = 0 * rate, 0 * rate, 0 * rate, 0 * rate
        for i in range(w.shape[0]):
            whole = whole + np.exp(rate * (summed[i] + last[i] - summed[best] - last[best]))
        base = summed[best] + last[best]
        for i in range(w.shape[0]):
            fresh = np.exp(rate * (summed[i] + last[i] - base)) / whole
            paid = paid + fresh * payoffs[t, i]
            move = move + (abs(fresh - w[i]) if t > 0 else 0 * fresh)
            most = larger(most, abs(payoffs[t, i] - last[i]))
            w[i] = fresh
        for i in range(w.shape[0]):
            summed[i], last[i] = summed[i] + payoffs[t, i], payoffs[t, i]
        regret, drift, moves = regret + payoffs[t, best] - paid, drift + most * most, moves + move * move
    return regret, drift, moves


@claim(
    "thm:optimistic-hedge",
    r"\sum_tu_{t,i}-\langle w_t,u_t\rangle\le\frac{\log N}\eta+\eta\sum_t\|u_t-u_{t-1}\|_\infty^2"
    r"-\frac1{4\eta}\sum_t\|w_t-w_{t-1}\|_1^2",
    game,
)
def sides(x: Instance) -> Sides:
    r"""Optimistic Hedge: regret bounded by variation in utilities.

    True."""
    regret, drift, moves = on(played, x.payoffs)(x.payoffs, x.rate, x.best)
    return Sides(regret + moves / (4 * x.rate), np.log(x.N) / x.rate + x.rate * drift)
