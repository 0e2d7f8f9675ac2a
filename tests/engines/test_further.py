"""Games that get worse with their size grow beyond the sizes that a search tries: a false constant may need them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from arubatheory import sqrt
from arubatheory.engines import search as engine
from arubatheory.engines.search import search
from arubatheory.engines.trial import Record
from arubatheory.engines.verdict import Status
from arubatheory.problems.draw import Tape
from arubatheory.statements.core import Instance, Sides, Statement


def steps(c, limit=None):
    """The sum of a_t over the root of a_1 + ... + a_t, at most c roots of the whole sum: true for c = 2 and no less,
    but a constant of 1.95 falls to a hundred slowly growing numbers only."""

    def sides(x):
        total, left = 0, 0
        for a in x.a:
            total = total + a
            left = left + (a / sqrt(total) if total > 0 else 0)
        return Sides(left, c * sqrt(total))

    return Statement("steps", "claim", "s", lambda draw: Instance(a=draw.unit(draw.size("T", 8, limit=limit))), sides)


def test_a_game_that_gets_worse_with_its_size_grows_until_it_refutes(monkeypatch):
    found = [search(steps(Fraction(195, 100)), 2000, seed) for seed in range(3)]
    assert [v.status for v in found] == [Status.REFUTED] * 3
    monkeypatch.setattr(engine._Adversary, "_further", lambda *given: None)
    assert search(steps(Fraction(195, 100)), 2000, 0).status is Status.SURVIVED


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


def test_no_move_goes_on_from_a_huge_game():
    adversary = engine._Adversary(Record(steps(2), "search", 0), 100, np.random.default_rng(0))
    assert adversary._affords((8,), Tape([8], [0] * engine.HUGE))
    assert not adversary._affords((8,), Tape([8], [0] * (engine.HUGE + 1)))


def test_sides_of_thousands_of_digits_are_told():
    long = Fraction(10**5000 + 1, 10**5000)
    found = search(Statement("digits", "claim", "d", lambda draw: Instance(), lambda x: Sides(long, 2)), 150, 0)
    assert found.worst.lhs.startswith("1.000") and found.worst.rhs == "2"
