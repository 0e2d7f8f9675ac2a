"""The gap of a leader in floats is that of rounding, also where one loss pulls far harder than others."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.convex.problem import Problem
from arubatheory.convex.solver import solve
from arubatheory.learners.ftrl import ftrl
from arubatheory.problems.domains import ball, box, space
from arubatheory.problems.losses import SQUARE, losses
from arubatheory.problems.regularizers import euclidean


def led(rows, domain, phi):
    """The leader of losses with these links, a, b and weights, and its gap."""
    link, a, b, weight = zip(*rows, ("linear", 0 * np.atleast_1d(rows[0][1]), 0.0, 0.0), strict=True)
    seen = losses(link, np.array([np.atleast_1d(x) for x in a]), b, weight=weight)
    found = ftrl(seen, domain, euclidean(len(phi)), np.array(phi), 1.0)
    return found.actions[-1], found.gap[-1]


STEEP = ("logistic", 3623945419.0839844, -7033354316.36918, 2.0**-32)  # a kink to all other losses


@pytest.mark.parametrize(
    ("a", "links", "leader"),
    [
        # The dual of the logistic loss comes back from 1e-29 by steps that are no part of a number near 1.
        (0.0, ["hinge", "hinge"], -2.9778),
        # For some twenty steps nothing else changes, and none has a better gap.
        (1e-9, ["linear", "hinge", "hinge"], -3.4747),
    ],
)
def test_a_logistic_loss_with_a_steep_slope_is_led(a, links, leader):
    weights = [2.0**32, 3798040576.0, 14.876068115234375][-len(links) :]
    rows = [(link, a, -0.000797271728515625, weight) for link, weight in zip(links, weights, strict=True)]
    action, gap = led([*rows, STEEP], ball(np.zeros(1), 3.827156), [-3.82157428969140])
    assert gap < 1e-9
    assert abs(action[0] - leader) < 1e-4


def test_products_wait_for_a_loss_that_has_none():
    """They were down to 1e-19, and Newton's matrix singular, when the logistic loss was half-way."""
    rows = ("logistic", [-489.0, 489.0], -78.0, 315.0), ("absolute", [-489.0, -489.0], 0.0, 0.04)
    action, gap = led(rows, space(2), [-0.15, 0.5])
    assert gap < 1e-9
    assert action @ action > 0.2


def test_a_gap_that_is_no_rounding_is_not_the_last_word():
    """After eight steps without a better one it was 1e5, and the leader at the boundary."""
    rows = [("logistic", [-210.0, 62.0], 0.0, 220.0), ("logistic", [292.0, 40.4], 0.035, 0.086)]
    action, gap = led([*rows, ("logistic", [17.4, -0.62], -112.2, 348.0)], ball(np.zeros(2), 2.0), [-0.25, -0.44])
    assert gap < 1e-9
    assert action @ action < 0.02


def random_losses(rng, d):
    """Some losses of a few kinds over and over, with numbers of all sizes, one in six of them zero."""
    kinds, n = int(rng.integers(1, 7)), int(rng.integers(1, 13))

    def size(*shape):
        return 2.0 ** rng.uniform(-16, 16, shape) * rng.choice([-1, 0, 1], shape, p=[0.42, 0.16, 0.42])

    rows = rng.integers(0, kinds, n)
    a, b, weight, c = size(kinds, d), size(kinds), abs(size(kinds)), size(kinds, d)
    link = rng.choice(["linear", "square", "logistic", "logistic", "hinge", "absolute", "huber"], kinds)
    link[rows[0]], weight[rows[0]] = "logistic", 1 + weight[rows[0]]  # the solver is for others than quadratic ones
    return losses(list(link[rows]), a[rows], b[rows], weight=weight[rows], c=c[rows])


@pytest.mark.parametrize("d", [1, 2, 3])
def test_gaps_are_of_the_size_of_rounding(d):
    rng, domains = np.random.default_rng(d), (ball(np.zeros(d), 2.0), box([-2.0] * d, [2.0] * d), space(d))
    for k in range(100):
        L, phi = random_losses(rng, d), rng.uniform(-1, 1, d)
        with np.errstate(all="ignore"):  # uncompiled, numpy would warn
            x, gap, _ = solve(Problem(L, len(L.b), domains[k % 3], euclidean(d), phi, 1.0, 1.0))
        z = abs(L.a) @ abs(x) + abs(L.b)
        rounding = 1e-15 * ((x - phi) @ (x - phi) + (L.weight * z * np.where(L.link == SQUARE, z, 1.0)).sum())
        assert gap <= 1e8 * rounding + 1e-25, (k, gap, rounding)
