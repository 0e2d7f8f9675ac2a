r"""What a search no longer asks exact arithmetic about, and what it still does."""

from fractions import Fraction

from arubatheory import Instance, Statement
from arubatheory.arithmetic import Exact, ball
from arubatheory.engines import trial
from arubatheory.engines.check import check
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status
from arubatheory.statements.core import Sides


def test_a_search_asks_about_a_sample_once_much_was_in_vain(monkeypatch):
    """The middle of a wide ball disowns what floats claim, again and again; check asks about all of it."""
    monkeypatch.setattr(trial, "VAIN_OPERATIONS", 1000)
    asked = []

    def sides(i):
        if not isinstance(i.x, Exact):
            return Sides(1.0, 0.5)
        asked.append(i.x)
        return Sides(sum([i.x * 0] * 50) + ball(0, 1), Exact(0))

    statement = Statement("toy:vain", "claim", "x", lambda d: Instance(x=d.unit()), sides)
    verdict = search(statement, 2000, 1)
    unasked = verdict.uncounted["floats break it, and exact arithmetic was not asked"]
    assert verdict.overruled == verdict.trials and unasked > 3 * verdict.trials
    assert len(asked) < 2000  # of three for each: search comes back to what is sampled
    asked.clear()
    assert check(statement, 150, 1).overruled == 150 and len(asked) >= 3 * 150


def test_a_search_that_asked_in_vain_still_asks_about_what_claims_much_more(monkeypatch):
    """Floats break it everywhere by a part in a million, exact arithmetic near x = 7/17 alone, by four of them."""
    monkeypatch.setattr(trial, "VAIN_OPERATIONS", 100)
    asked = []

    def sides(i):
        exact = isinstance(i.x, Exact)
        asked.extend([i.x] * exact)
        broken = 4 if abs(17 * i.x - 7) < Fraction(1, 20) else 1 - exact
        return Sides(1 + broken / (Exact(10**6) if exact else 1e6), 1 + 0 * i.x)

    statement = Statement("toy:more", "claim", "x", lambda d: Instance(x=d.unit()), sides)
    verdict = search(statement, 2000, 1, first=True)
    assert verdict.status == Status.REFUTED
    assert verdict.overruled < 150 < verdict.uncounted["floats break it, and exact arithmetic was not asked"]
    assert len(asked) < 500


def test_a_search_climbs_what_exact_arithmetic_has_of_a_refuted_claim():
    """The ratio is 3 at x = 21/50 and 2 or a little more elsewhere, and floats make noise of it: about 1e9."""

    def sides(i):
        off = 50 * i.x - 21
        exactly = 1 / (2 + 1 / (1 + off * off))
        return Sides(1 + 0 * i.x, exactly if isinstance(i.x, Exact) else 1e-9 * (1 + 1e15 * i.x % 1))

    verdict = search(Statement("toy:noise", "claim", "x", lambda d: Instance(x=d.unit()), sides), 600, 1)
    assert verdict.status == Status.REFUTED and verdict.worst_ratio > 2.9
