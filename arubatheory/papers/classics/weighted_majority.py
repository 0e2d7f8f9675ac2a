r"""Littlestone and Warmuth, The weighted majority algorithm, 1994, with $\beta=\frac12$.

On trial: SURVIVED at quick and standard (0.7 s, 43.7 s); /twice SURVIVED at quick and standard (1.1 s, 122.3 s).
"""

import numpy as np

from arubatheory import Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim


def game(draw: Draw) -> Instance:
    """Which of N experts err in which of T rounds, and one of them."""
    T, N = draw.size("T", 12), draw.size("N", 4)
    wrong = draw.integers(0, 1, T * N).reshape(T, N)
    return Instance(wrong=wrong, N=draw.number(N), expert=draw.integer(0, N - 1))


@kernel
def mistakes(wrong, one):  # type: ignore[no-untyped-def]
    r"""[exact] How often those who err have half of the weight or more."""
    weights, count = np.full(wrong.shape[1], one), 0
    for t in range(wrong.shape[0]):
        lost, whole = 0 * one, 0 * one
        for i in range(wrong.shape[1]):
            lost, whole = lost + wrong[t, i] * weights[i], whole + weights[i]
            weights[i] = weights[i] / (1 + wrong[t, i])
        count = count + (2 * lost >= whole) * 1
    return count


@claim("thm:weighted-majority", r"M\le2.41\,(m_i+\log_2N)", game)
def sides(x: Instance) -> Sides:
    r"""Weighted majority halves the weights of who errs.

    True; $2.41>\log2/\log\frac43$. Ties are mistakes."""
    count = on(mistakes, x.N)(x.wrong, 0 * x.N + 1)
    bits = np.log(x.N) / np.log(0 * x.N + 2)
    return Sides(0 * x.N + count, 241 * (int(x.wrong[:, x.expert].sum()) + bits) / 100)


@claim("thm:weighted-majority/twice", r"M\le2\,(m_i+\log_2N)", game)
def twice(x: Instance) -> Sides:
    r"""The same with the factor 2, which no deterministic learner can beat.

    False for weights that are halved; the factor 2 is approached as $\beta\to1$, at a price in the other term."""
    count = on(mistakes, x.N)(x.wrong, 0 * x.N + 1)
    return Sides(0 * x.N + count, 2 * (int(x.wrong[:, x.expert].sum()) + np.log(x.N) / np.log(0 * x.N + 2)))
