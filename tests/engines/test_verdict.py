"""What a verdict says of itself: its sentence, and what a measurement said."""

from __future__ import annotations

from arubatheory.engines.verdict import MEASURED, SENTENCES, Status, Verdict, Witness


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
