"""Curves and environments with their losses, as several tests make them, and growth that is claimed too small."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np

from arubatheory.engines.rate import rate
from arubatheory.engines.verdict import Status
from arubatheory.problems.curves import Curves
from arubatheory.problems.draw import RandomDraw
from arubatheory.problems.environments import atoms, random_environment
from arubatheory.problems.losses import losses

CURVES = ("inverse", "quadratic", "loglinear")


def curves(code, p, q, r=0.0):
    """Curves by name and parameters; single ones are repeated."""
    names = [code] if isinstance(code, str) else code
    parts = np.broadcast_arrays([CURVES.index(name) for name in names], p, q, r)
    return Curves(*(np.array(part) for part in (parts[0], *(x + 0.0 for x in parts[1:]))))


def drawn_environment(seed, link, J=2, d=2):
    return random_environment(RandomDraw(np.random.default_rng(seed)), link, J, d)


def as_losses(E, j):
    """The 2d losses of task j as data of `losses`, loss 2i + k with label k at input i."""
    A, d = atoms(E), E.inputs.size
    a = np.zeros((2 * d, d))
    a[np.arange(2 * d), np.repeat(np.arange(d), 2)] = A.a[j].ravel()
    kink = np.tile([1.0, 0.0], d)
    return losses(E.link, a, A.b[j].ravel(), weight=np.repeat(A.weight[j], 2), kink=kink)


def remembering(statement):
    """The same claim about growth: what is claimed of an instance and a length is computed once."""
    excess, seen = statement.growth.excess, {}

    def remembered(instance, n):
        key = pickle.dumps((vars(instance), n))
        if key not in seen:
            seen[key] = excess(instance, n)
        return seen[key]

    return replace(statement, growth=statement.growth._replace(excess=remembered))


def is_suspect(statement, budget, seed=1):
    """Whether `rate` suspects a claim about growth, carried to twice its longest games; most are by a quarter of
    the families."""
    claim = remembering(statement)
    claim = replace(claim, growth=claim.growth._replace(limit=2 * claim.growth.longest))
    return any(rate(claim, families, seed).status == Status.SUSPECT for families in (budget // 4, budget))
