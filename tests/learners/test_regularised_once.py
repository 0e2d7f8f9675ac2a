"""Regularisers that enter once (p = inf), and lazy matrices that compute seldom."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arubatheory.arithmetic import approximate, exact
from arubatheory.kernel import on
from arubatheory.learners.algorithm2 import Aruba, Isotropic
from arubatheory.learners.geometry_ftl import MatrixFTL, lateness, play_leaders

RNG = np.random.default_rng(0)
B, G = RNG.normal(size=(12, 2)), RNG.normal(size=(12, 2))


@pytest.mark.parametrize("kind, d", [(Aruba, 1), (Isotropic, 2)])
def test_algorithm_2_may_be_regularised_once(kind: type[Aruba], d: int) -> None:
    state = kind(np.zeros(2), 0.5, 0.25, math.inf)
    for b, g in zip(B, G, strict=True):
        state.absorb(np.zeros(2), b, g @ g if state.scalar else g * g)
    squares = ((X * X).sum(axis=0) for X in (B, G))
    half, seen = (X.sum() if state.scalar else X for X in squares)
    np.testing.assert_allclose(state.rates() ** 2, (d * 0.25 + half / 2) / (d * 0.0625 + seen), rtol=1e-13)


def test_matrices_may_be_regularised_once() -> None:
    ftl, outer = MatrixFTL(2, 0.5, 0.25, p=math.inf), [np.einsum("ti,tj->tij", X, X) for X in (B, G)]
    first = np.array([0.25, 0.0625])[:, None, None] * np.eye(2)
    wanted, _ = play_leaders(*first, *outer)
    certain, _ = on(play_leaders, exact(first))(*exact(first), *(exact(X[:3]) for X in outer))
    np.testing.assert_allclose(approximate(certain), wanted[:4], rtol=1e-12, atol=1e-14)
    for b, g, H in zip(B, G, wanted, strict=False):
        np.testing.assert_allclose(ftl.preconditioner().matrix(), H, rtol=1e-9, atol=1e-12)
        ftl.learn(b, g)


@pytest.mark.parametrize("p", [0.0, 0.4, 1.0, math.inf])
def test_regularisers_fade_as_they_are_told(p: float) -> None:
    ftl = MatrixFTL(1, 2.0, 0.5, p=p)
    for _ in range(5):
        ftl.learn([[3.0]], [[1.0]])
    share = sum(k**-p for k in range(2, 7)) + 1
    wanted = math.sqrt((4 * share + 45) / (share / 4 + 5))
    assert ftl.preconditioner().matrix()[0, 0] == pytest.approx(wanted, rel=1e-12)


def test_what_is_no_power_is_refused() -> None:
    for make in (lambda p: Aruba(np.zeros(2), 1.0, 1.0, p), lambda p: MatrixFTL(2, 1.0, 1.0, p=p)):
        with pytest.raises(ValueError, match="p must be finite, got -inf"):
            make(-math.inf)
        with pytest.raises(ValueError, match="p must be >"):
            make(-1.0)


def test_lazy_matrices_keep_the_rate_and_compute_seldom() -> None:
    """Every loss within sqrt(1 + delta) of the leader's, and no more solves than ours:g6 allows."""
    d, T = 3, 300
    lazy, eager, rng = MatrixFTL(d, 0.5, 0.5, lateness(T), p=math.inf), MatrixFTL(d, 0.5, 0.5, p=math.inf), RNG
    for _ in range(T):
        b, g = rng.normal(size=(2, d))
        late, H = (ftl.preconditioner().matrix() for ftl in (lazy, eager))
        paid, best = (b @ np.linalg.solve(X, b) + g @ X @ g for X in (late, H))
        assert paid <= best * math.sqrt(1 + T**-0.5) * (1 + 1e-9)
        lazy.learn(b, g)
        eager.learn(b, g)
    grown = sum(np.linalg.slogdet(f.triangle(0.25) / 0.5)[1] * 2 for f in (eager._B, eager._G))
    assert lazy.solved <= 1 + d + grown / (2 * lateness(T)) and lazy.solved < T < eager.solved + 1


def test_lateness_is_a_half_logarithm() -> None:
    assert lateness(4) == pytest.approx(math.log(1.5) / 2)
    with pytest.raises(ValueError, match="rounds must be >= 1"):
        lateness(0)
