"""What one coordinate of eq:percoord pays: the compiled loop against the definition, and the growth that is claimed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arubatheory.engines.rate import rate
from arubatheory.engines.verdict import Status
from arubatheory.kernel import compiled
from arubatheory.papers.aruba.s6_empirical import adagrad
from arubatheory.papers.aruba.s6_empirical.adagrad import excess
from arubatheory.statements.core import statements_in
from tests.made import is_suspect

GROWING = [s for s in statements_in(vars(adagrad)) if s.growth is not None]
SMALLER = {"text:adagrad-like": -0.4, "text:adagrad-like/non-degenerate": -0.5, "text:adagrad-like/degenerate": -0.3}
ORDERS = {
    0: lambda t, T: t % 2,
    1: lambda t, T: int(t >= T / 2),
    2: lambda t, T: int((t * (np.sqrt(5) - 1) / 2) % 1 < 0.5),
}


@pytest.mark.parametrize("pattern", ORDERS)
def test_the_excess_is_that_of_the_definition(pattern):
    movement, gradient, T = np.array([0.5, 2.0]), np.array([3.0, 0.0]), 37
    levels = [ORDERS[pattern](t, T) for t in range(T)]
    B, G = movement[levels], gradient[levels]
    weights = np.arange(1, T + 1) ** -0.4
    paid = 0.0
    for t in range(T):
        eta = np.sqrt((weights[: t + 1].sum() + B[:t].sum()) / (weights[: t + 1].sum() + G[:t].sum()))
        paid += B[t] / eta + eta * G[t]
    best = min((B / eta + eta * G).sum() for eta in np.geomspace(0.01, 100, 20_001))
    assert excess(pattern, movement, gradient, T) == pytest.approx((paid - best) / T, rel=1e-6)


@pytest.mark.skipif(not compiled(), reason="millions of tasks, one by one")
@pytest.mark.parametrize("statement", GROWING, ids=lambda s: s.label)
def test_growth_as_claimed_survives_and_slower_growth_does_not(statement):
    assert rate(statement, 20, 3).status == Status.SURVIVED
    growth = statement.growth._replace(exponent=SMALLER[statement.label])
    assert is_suspect(replace(statement, growth=growth), 20, 3)
