"""The explicit guarantees of Algorithm 1 on every structured family of tasks, up to 10^5 of them."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory import PAPER
from arubatheory.kernel import compiled
from arubatheory.problems.domains import ball
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import FAMILIES, _actions

BY_LABEL = {s.label: s for s in PAPER}
STATIC = ("cor:epsftl/explicit", "cor:epsewoo/explicit/corrected")
DYNAMIC = ("cor:dynamic/explicit/corrected", "cor:dynamic/explicit/minimisers/corrected")
d = 2
LONG = 100_000 if compiled() else 2000


def references(star: np.ndarray) -> list[np.ndarray]:
    """The mean, the optimal actions, and means over about T^(1/2) blocks."""
    T = len(star)
    block = np.arange(T) * int(np.sqrt(T)) // T
    means = np.stack([np.bincount(block, star[:, j]) / np.bincount(block) for j in range(d)], axis=1)
    return [np.tile(star.mean(axis=0), (T, 1)), star, means[block]]


def game(family: str, T: int, weights: str, seed: int = 0) -> SimpleNamespace:
    """Optimal actions of a family in the least ball about 0, and sigma_t over many scales."""
    rng = np.random.default_rng(seed)
    star = _actions(family, rng, T, d, 0.3, None)
    radius = float(np.linalg.norm(star, axis=1).max()) * (1 + 1e-12)
    sigma = {"equal": np.ones(T), "scales": 2.0 ** rng.uniform(-12, 12, T), "growing": 2.0 ** (20 * np.arange(T) / T)}
    D = 2 * radius
    return SimpleNamespace(
        domain=ball(np.zeros(d), radius),
        R=euclidean(d),
        D=D,
        C=D,
        star=star,
        psi=star,
        phi=np.zeros(d),
        sigma=sigma[weights],
        eps=D * T**-0.25,
        first=1.0,
    )


@pytest.mark.parametrize("weights", ["equal", "scales", "growing"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_bounds_hold_on_every_family_up_to_a_hundred_thousand_tasks(family, weights):
    longest = LONG if weights == "scales" else LONG // 10  # the others are played by the same kernels
    for T in (1, 2, 30, LONG // 100, longest):
        x = game(family, T, weights)
        for label in STATIC:
            sides = BY_LABEL[label].sides(x)
            assert sides.lhs <= sides.rhs, (label, T, sides)
        for psi in references(x.star):
            x.psi = psi
            for label in DYNAMIC if psi is x.star else DYNAMIC[:1]:
                sides = BY_LABEL[label].sides(x)
                assert sides.lhs <= sides.rhs, (label, T, sides)


@pytest.mark.skipif(not compiled(), reason="a hundred thousand tasks, one by one")
def test_the_average_upper_bound_comes_down_to_twice_the_deviation():
    """thm:similarity at work: within 2V and the explicit bound, and closer to 2V with every tenfold T."""
    excess = []
    for T in (LONG // 1000, LONG // 100, LONG // 10, LONG):
        x = game("similar", T, "equal")
        V = np.sqrt(np.mean(np.sum((x.star - x.star.mean(axis=0)) ** 2, axis=1)) / 2)
        sides = BY_LABEL["cor:epsewoo/explicit/corrected"].sides(x)
        first = min(x.eps**2 / V, 2 * x.eps)
        excess.append((sides.lhs / T + first) - 2 * V)
    assert all(b < a for a, b in pairwise(excess))
    assert 0 < excess[-1] < excess[0] / 5
