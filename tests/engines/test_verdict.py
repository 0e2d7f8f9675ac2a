"""What a verdict says of itself: its sentence, and what a measurement said."""

from __future__ import annotations

import math
from dataclasses import replace

from arubatheory.arithmetic import Exact
from arubatheory.engines.exact import ratio_of
from arubatheory.engines.verdict import (
    MEASURED,
    REASONS,
    SENTENCES,
    UNDEFINED,
    Status,
    Tally,
    Verdict,
    Witness,
    combine,
)
from arubatheory.statements.core import Sides


def verdict(status: Status, certified: str = "", note: str = "") -> Verdict:
    """A verdict whose worst witness was certified so; none without."""
    worst = Witness("clm:made", "rate", 0, "", {}, {}, "1", "2", 0.5, "lhs/rhs", certified, note=note)
    return Verdict("clm:made", status, "rate", 0, 1, "", worst=worst if certified else None)


def test_what_a_measurement_said():
    assert verdict(Status.SUSPECT, "float", "a slope of 1.2").measured == "a slope of 1.2"
    assert verdict(Status.SUSPECT, "violated", "a slope of 1.2").measured == ""
    assert verdict(Status.SUSPECT).measured == ""


def test_only_a_suspect_that_was_measured_has_the_sentence_of_measurements():
    assert verdict(Status.SUSPECT, "float", "a slope").sentence == MEASURED
    assert verdict(Status.SUSPECT).sentence == SENTENCES[Status.SUSPECT]
    assert verdict(Status.SURVIVED, "float", "a slope").sentence == SENTENCES[Status.SURVIVED]


def test_a_side_that_is_no_number_is_said_to_be_none():
    broken = replace(verdict(Status.REFUTED, "undefined"), kind="undefined")
    assert broken.sentence == UNDEFINED
    assert replace(broken, kind="violation").sentence == SENTENCES[Status.REFUTED]
    both = combine("clm:made", [broken, replace(broken, kind="violation")], 0)
    assert both.sentence == SENTENCES[Status.REFUTED]  # a violation is more


def test_the_worst_of_several_verdicts_is_the_one_that_is_kept():
    def found(ratio: float) -> Verdict:
        worst = Witness("clm:made", "search", 0, "", {}, {}, "1", "2", ratio, "lhs/rhs", "holds")
        return Verdict("clm:made", Status.SURVIVED, "search", 0, 1, "", trials=200, worst=worst)

    for pair in ((0.25, 0.75), (0.75, 0.25)):
        assert combine("clm:made", [found(ratio) for ratio in pair], 0).worst_ratio == 0.75


def test_several_verdicts_have_the_sum_of_their_histograms():
    parts = [replace(verdict(Status.SURVIVED), histogram=bins) for bins in ((1, 0, 2), (), (0, 4, 1))]
    assert combine("clm:made", parts, 0).histogram == (1, 4, 3)


def test_a_ratio_beyond_floats_is_infinite_with_its_sign():
    huge = Exact(10) ** 400
    assert ratio_of(Sides(huge, Exact(-1)))[0] == math.inf
    assert ratio_of(Sides(-huge, Exact(-1)))[0] == -math.inf


def test_a_tally_names_what_found_the_violation():
    found = replace(verdict(Status.REFUTED, "violated").worst, found_by="check", tape={"integers": [], "units": []})
    refuted = replace(verdict(Status.REFUTED, "violated"), engine="check", simplest=found)
    tally = Tally("clm:made", 0)
    tally.add((0,), verdict(Status.SURVIVED, "holds"))
    tally.add((1,), refuted)
    assert tally.verdict().found_by == "check"


def test_a_tally_counts_what_did_not_count_by_its_reasons_and_keeps_the_first_few():
    tally = Tally("clm:made", 0)
    tally.add((0,), replace(verdict(Status.SURVIVED, "holds"), uncounted={"too long": 2}))
    tally.add((1,), replace(verdict(Status.SURVIVED, "holds"), uncounted={"too long": 3, "too wide": 1}))
    assert tally.verdict().uncounted == {"too long": 5, "too wide": 1}
    tally.add((2,), replace(verdict(Status.SURVIVED, "holds"), uncounted={f"reason {k}": 1 for k in range(20)}))
    assert len(tally.verdict().uncounted) == REASONS
