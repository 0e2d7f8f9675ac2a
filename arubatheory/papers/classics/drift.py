r"""Cheung, Simchi-Levi and Zhu, Learning to optimize under non-stationarity, AISTATS 2019, in the proof of lemma 1.

Also Russac, Vernade and Cappe (2019) and others: the step on which the rate $T^{2/3}$ of non-stationary linear bandits
rests. Refuted by Zhao, Zhang, Jiang and Zhou (A simple approach for non-stationary linear bandits, arXiv 2103.05324),
who get $T^{3/4}$.

On trial: REFUTED at quick and standard (0.2 s, 1.7 s); /corrected SURVIVED at quick and standard (0.4 s, 4.2 s).
"""

from typing import Any

import numpy as np

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.arithmetic import Array
from arubatheory.papers.classics.claim import claim

MOVED = r"\left\|V^{-1}\sum_{s\le p}x_sx_s^\top v\right\|\le"
MATRIX = r"\|v\|,\quad V=\lambda I+\sum_{s\le n}x_sx_s^\top"
REGULAR = (
    Assumption(r"\lambda>0", lambda x: x.ridge),
    Assumption(r"\|x_s\|\le L", lambda x: x.L2 - (x.actions * x.actions).sum(axis=1).max()),
)


def game(draw: Draw) -> Instance:
    r"""Actions in the plane, those of them up to p, a ridge, and a change v of the parameter."""
    actions = draw.real(-1, 1, (draw.size("n", 8), 2))
    p = draw.integer(1, len(actions))
    return Instance(actions=actions, p=p, ridge=draw.positive(-16, 8), v=draw.real(-1, 1, 2), L2=draw.number(2))


def square(x: Array) -> Any:
    r"""$\|x\|^2$."""
    return x @ x


def moved(x: Instance) -> Array:
    r"""$V^{-1}\sum_{s\le p}x_sx_s^\top v$, by Cramer's rule."""
    early, X = x.actions[: x.p], x.actions
    w = (early * (early @ x.v)[:, None]).sum(axis=0)
    a, b, c = x.ridge + square(X[:, 0]), X[:, 0] @ X[:, 1], x.ridge + square(X[:, 1])
    out: Array = np.stack([c * w[0] - b * w[1], a * w[1] - b * w[0]]) / (a * c - b * b)
    return out


@claim("lem:drift", MOVED + MATRIX, game, REGULAR)
def as_printed(x: Instance) -> Sides:
    r"""A change of the parameter moves the estimate by no more than itself.

    False: a product of two positive semidefinite matrices is not symmetric, and its norm may exceed 1."""
    return Sides(square(moved(x)), square(x.v))


@claim("lem:drift/corrected", MOVED + r"L\sqrt{\frac{2n}\lambda}" + MATRIX, game, REGULAR)
def corrected(x: Instance) -> Sides:
    r"""The same, as it is corrected.

    True (the same paper; $d=2$). It costs the factor $\sqrt n$, and the rate."""
    return Sides(square(moved(x)) * x.ridge, 2 * x.L2 * len(x.actions) * square(x.v))
