r"""Hart and Mas-Colell, A simple adaptive procedure, 2000, with the rate of Zinkevich et al. 2007: regret matching.

On trial: SURVIVED at quick and standard (0.4 s, 16.0 s); /plus SURVIVED at quick and standard (0.5 s, 26.5 s).
"""

import numpy as np

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim
from arubatheory.problems.scalar import larger


def game(draw: Draw) -> Instance:
    """Payoffs of N actions in T rounds."""
    T, N = draw.size("T", 12), draw.size("N", 3)
    return Instance(size=draw.number(T * N), payoffs=draw.unit((T, N)))


@kernel
def regret(payoffs, plus):  # type: ignore[no-untyped-def]
    r"""[exact] The largest regret of who plays in proportion to positive regrets, cut at 0 (`plus`) or not."""
    R, true = 0 * payoffs[0], 0 * payoffs[0]
    for t in range(payoffs.shape[0]):
        whole, paid = 0 * R[0], 0 * R[0]
        for i in range(R.shape[0]):
            whole = whole + larger(R[i], 0 * R[i])
        for i in range(R.shape[0]):
            share = larger(R[i], 0 * R[i]) / whole if whole > 0 else (0 * R[i] + 1) / R.shape[0]
            paid = paid + share * payoffs[t, i]
        for i in range(R.shape[0]):
            gain = payoffs[t, i] - paid
            true[i] = true[i] + gain
            R[i] = larger(R[i] + gain, 0 * gain) if plus else R[i] + gain
    most = true[0]
    for i in range(R.shape[0]):
        most = larger(most, true[i])
    return most


@claim("thm:regret-matching", r"\max_i\sum_tu_{t,i}-\langle p_t,u_t\rangle\le\sqrt{NT}", game)
def matching(x: Instance) -> Sides:
    r"""Regret matching, payoffs in $[0,1]$.

    True."""
    return Sides(on(regret, x.payoffs)(x.payoffs, False), np.sqrt(x.size))


@claim("thm:regret-matching/plus", r"\max_i\sum_tu_{t,i}-\langle p_t,u_t\rangle\le\sqrt{NT}", game)
def matching_plus(x: Instance) -> Sides:
    r"""Regret matching plus.

    True (Tammelin 2014)."""
    return Sides(on(regret, x.payoffs)(x.payoffs, True), np.sqrt(x.size))
