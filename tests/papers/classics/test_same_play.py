"""The gallery's own loops play what the package's learners play, round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arubatheory.learners import AdaGrad, GreedyOGD, Hedge, OnlineNewton
from arubatheory.papers.classics import CLASSICS, adagrad, hedge, intervals, ons
from arubatheory.problems.domains import box
from arubatheory.problems.draw import RandomDraw
from arubatheory.statements.core import Instance

SEEDS = range(5)


def drawn(label: str, seed: int) -> Instance:
    """An instance of a statement."""
    statement = CLASSICS.statement(label)
    assert statement is not None
    return statement.instance(RandomDraw(np.random.default_rng(seed)))


def actions(learner: Any, gradient: Any, rounds: int) -> list[np.ndarray]:
    """What the learner plays where `gradient(t, action)` comes back."""
    found, state = [], learner.start()
    for t in range(rounds):
        found.append(np.array(state.action))
        state.see(gradient(t, state.action))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_hedge(seed: int) -> None:
    x = drawn("thm:hedge", seed)
    eta = float(np.sqrt(8 * np.log(x.N) / x.T)) if x.N > 1 else 1.0
    played = actions(Hedge(int(x.N), eta), lambda t, p: x.losses[t], len(x.losses))
    paid = sum(p @ row - row[x.best] for p, row in zip(played, x.losses, strict=True))
    assert hedge.at_fixed_rate(x) == pytest.approx(paid, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_descent_and_adagrad(seed: int) -> None:
    x = drawn("thm:adagrad", seed)
    interval, start = box(np.zeros(1), np.array([x.D])), np.array([x.start])
    rate = x.D / x.G
    greedy = actions(GreedyOGD(interval, start, rate), lambda t, p: x.g[t : t + 1], len(x.g))
    assert intervals.descend(x.g, 0 * x.g + rate, x.start, x.D) == pytest.approx(np.concatenate(greedy), rel=1e-9)
    scaled = actions(AdaGrad(interval, start, x.D), lambda t, p: x.g[t : t + 1], len(x.g))
    assert adagrad.with_step(x, x.D)[0] == pytest.approx(
        float(sum(g * (p[0] - x.u) for g, p in zip(x.g, scaled, strict=True))), rel=1e-9, abs=1e-9 * x.D * x.G
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_online_newton_step(seed: int) -> None:
    x = drawn("thm:ons", seed)
    regret, G = ons.played(x.a, x.b, x.start, x.u)
    beta = min(1.0, 1 / (4 * G) if G else 1.0) / 2
    learner = OnlineNewton(box(np.zeros(1), np.ones(1)), np.array([x.start]), beta, 1 / beta**2)
    wealth = [lambda p, a=a, b=b: (1 - p) * a + p * b for a, b in zip(x.a, x.b, strict=True)]
    played = actions(learner, lambda t, p: (x.a[t] - x.b[t]) / wealth[t](p), len(x.a))
    assert regret == pytest.approx(
        float(sum(np.log(w(x.u) / w(p[0])) for w, p in zip(wealth, played, strict=True))), abs=1e-9
    )
