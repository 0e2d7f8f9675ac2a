"""Games that get worse with their size grow beyond the sizes that a search tries: a false constant may need them."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from arubatheory import exp, sqrt
from arubatheory.engines import search as engine
from arubatheory.engines.search import search
from arubatheory.engines.trial import Record
from arubatheory.engines.verdict import Status
from arubatheory.problems.draw import Tape
from arubatheory.statements.core import Instance, Sides, Statement


def steps(c, limit=None):
    """The sum of a_t over the root of a_1 + ... + a_t, at most c roots of the whole sum: true for c = 2 and no less,
    but a constant of 1.97 falls to hundreds of slowly growing numbers only."""

    def sides(x):
        total, left = 0, 0
        for a in x.a:
            total = total + a
            left = left + (a / sqrt(total) if total > 0 else 0)
        return Sides(left, c * sqrt(total))

    return Statement("steps", "claim", "s", lambda draw: Instance(a=draw.unit(draw.size("T", 8, limit=limit))), sides)


def test_a_game_that_gets_worse_with_its_size_grows_until_it_refutes(monkeypatch):
    found = [search(steps(Fraction(197, 100)), 2000, seed) for seed in range(3)]
    assert [v.status for v in found] == [Status.REFUTED] * 3
    monkeypatch.setattr(engine._Adversary, "_further", lambda *given: None)
    assert search(steps(Fraction(197, 100)), 2000, 0).status is Status.SURVIVED


def test_no_game_grows_beyond_a_printed_limit_or_where_its_size_does_not_make_it_worse(monkeypatch):
    grown = []

    def noted(self, name, tape, size, *left):
        grown.append(size)
        return kept(self, name, tape, size, *left)

    kept = engine._Adversary._grown
    monkeypatch.setattr(engine._Adversary, "_grown", noted)
    found = search(steps(2, limit=30), 2000, 0)
    assert grown == [55]  # the ladder's next, of which a printed limit leaves 30 again
    assert max(size for size, _ in found.reach.by_size["T"]) == 34
    grown.clear()
    search(Statement("flat", "claim", "f", steps(2).instance, lambda x: Sides(x.a[0], 2)), 1000, 0)
    assert not grown


def test_rounds_for_which_no_number_is_drawn_are_work():
    seen = []

    def sides(x):
        seen.append(x.T)
        return Sides(x.T, x.T + 1)

    search(Statement("long", "claim", "l", lambda draw: Instance(T=draw.size("T", 8)), sides), 2000, 0)
    assert max(seen) <= 10_946  # of a hundred thousand rounds each costs more than all others together
    assert sum(T > 1000 for T in seen) < 400


def tails(n, p, k):
    """P(X >= k) for X of n coins."""
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def test_random_games_go_far_where_that_is_hardly_more_work():
    """P(X - n p >= t) <= exp(-2.2 t^2 / n) is false of some hundreds of coins, and of usual ones nearly so at a limit
    only, to which every climb goes."""

    def coins(draw):
        n = draw.size("n", 10)
        return Instance(n=n, p=draw.unit(), k=draw.integer(0, n))

    def sides(x):
        t = x.k - x.n * x.p
        return Sides(tails(x.n, x.p, x.k), exp(-22 * t * t / (10 * x.n))) if t > 0 else Sides(0 * t, 1 + 0 * t)

    statement = Statement("coins", "claim", "c", coins, sides)
    found = [search(statement, 2500, seed, first=True).status for seed in range(8)]
    assert found.count(Status.REFUTED) >= 5  # 7; none where they go eight times as far only


def test_random_games_do_not_go_far_where_each_round_draws_numbers():
    adversary = engine._Adversary(Record(steps(2), "search", 0), 100, np.random.default_rng(0))
    adversary._scatter(400, goes_on=True)
    assert adversary.octaves < engine.OCTAVES[1] and max(adversary.record.by_size["T"]) <= 89


def test_random_games_of_several_sizes_do_not_go_far():
    """Each of two sizes by itself is hardly any work, but a matrix of both may be."""

    def table(draw):
        return Instance(d=draw.size("d", 8), n=draw.size("n", 8), x=draw.unit())

    adversary = engine._Adversary(
        Record(Statement("table", "claim", "t", table, lambda x: Sides(x.x, 1)), "search", 0),
        100,
        np.random.default_rng(0),
    )
    adversary._scatter(400, goes_on=True)
    assert adversary.octaves == engine.OCTAVES[0] and max(adversary.record.by_size["d"]) <= 89


def test_no_move_goes_on_from_a_huge_game():
    adversary = engine._Adversary(Record(steps(2), "search", 0), 100, np.random.default_rng(0))
    assert adversary._affords((8,), Tape([8], [0] * engine.HUGE))
    assert not adversary._affords((8,), Tape([8], [0] * (engine.HUGE + 1)))


def test_sides_of_thousands_of_digits_are_told():
    long = Fraction(10**5000 + 1, 10**5000)
    found = search(Statement("digits", "claim", "d", lambda draw: Instance(), lambda x: Sides(long, 2)), 150, 0)
    assert found.worst.lhs.startswith("1.000") and found.worst.rhs == "2"
