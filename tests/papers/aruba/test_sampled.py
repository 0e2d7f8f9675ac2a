"""The bounds that are tried on replicates: as printed, term by term; the worlds they are tried in."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arubatheory.papers.aruba.s5_statistical import sampled
from arubatheory.papers.aruba.s5_statistical.sampled import (
    FIXED,
    LEARNED,
    MOST_LOSSES,
    MOST_TASKS,
    STAYING,
    general_bound,
    largest_upper,
    self_bounded_bound,
    strongly_convex,
    strongly_convex_bound,
)
from arubatheory.problems.draw import RandomDraw, TapeDraw
from arubatheory.problems.environments import atoms, bernoulli_tasks, self_bounding, squared_deviation
from arubatheory.problems.losses import LINKS
from arubatheory.statements.core import Instance, statements_in

STATEMENTS = tuple(statements_in(vars(sampled)))
BY_LABEL = {s.label: s for s in STATEMENTS}
UPPER = np.array([2.0, 3.0])


def test_the_bounds_are_the_printed_ones():
    assert general_bound(UPPER, 1.5, 50, 4, 0.1) == pytest.approx(UPPER / 4 + 1.5 * math.sqrt(8 / 200 * math.log(10)))
    first = np.array([0.3, 0.5])
    root = np.sqrt(2 * 4 * first / 6 * math.log(20))
    assert self_bounded_bound(first, 4.0, 6, 0.1) == pytest.approx(first + root + 14 / 6 * math.log(20))
    logarithm = math.log(8 * math.log(50) / 0.1)
    for G, alpha in ((3.0, 2.0), (0.1, 2.0)):
        linear = max(16 * G**2, 6 * alpha * 5.0) / (alpha * 4 * 50) * logarithm
        fast = (UPPER + 0.7) / 4 + 4 * G / 50 * np.sqrt(UPPER / (alpha * 4) * logarithm) + linear
        assert strongly_convex_bound(UPPER, 0.7, G, alpha, 5.0, 50, 4, 0.1) == pytest.approx(fast)


def test_the_constants_of_ogd_are_those_of_its_upper_bound():
    r"""$U(\phi) = |\theta^\ast-\phi|^2/(2\eta) + \eta m$ on [0, 1], for Bernoulli tasks (G = 1)."""
    x = Instance(E=bernoulli_tasks([0.5, 0.5], [0.2, 0.9]), T=50, m=9, rule=FIXED, v=0.25, delta=0.1)
    eta = 0.25 / 3
    top = 1 / (2 * eta) + eta * 9
    assert largest_upper(x) == pytest.approx(top)
    least = squared_deviation(x.E, 9) / (2 * eta) + eta * 9
    found = strongly_convex_bound(UPPER, least, 1 / eta, 1 / eta, top, 50, 9, 0.1)
    assert strongly_convex(x, UPPER) == pytest.approx(found)
    assert largest_upper(Instance(**{**vars(x), "rule": STAYING})) == 9
    learned = Instance(**{**vars(x), "rule": LEARNED, "v": 0.01})
    assert largest_upper(learned) == pytest.approx(3 * (1 / 0.02 + 0.01))


def test_the_worlds_are_large_and_of_every_kind():
    for statement in STATEMENTS:
        seen = [statement.instance(RandomDraw(np.random.default_rng(seed))) for seed in range(200)]
        assert {LINKS[x.E.link] for x in seen} == {"absolute", "square", "hinge", "logistic"}
        assert max(x.T for x in seen) > 0.9 * MOST_TASKS
        if statement.label.startswith("thm"):
            assert max(x.m for x in seen) > 0.9 * MOST_LOSSES and min(x.m for x in seen) <= 2
            assert min(x.T for x in seen) >= (2 if statement.label == "thm:statistical/3/sampled" else 1)
        for x in seen:
            assert all(assumption.margin(x) >= -1e-15 for assumption in statement.assumptions)


def test_a_rho_exists_wherever_part_2_is_tried():
    statement = BY_LABEL["thm:statistical/2/sampled"]
    for seed in range(300):
        E = statement.instance(RandomDraw(np.random.default_rng(seed))).E
        assert 0 < self_bounding(E, atoms(E)) < math.inf


def test_margins_hold_exactly():
    for statement in STATEMENTS:
        draw = RandomDraw(np.random.default_rng(3))
        statement.instance(draw)
        exactly = statement.instance(TapeDraw(draw.tape, exact=True))
        assert all(assumption.margin(exactly) >= 0 for assumption in statement.assumptions)
