"""The word or symbol that changes from a claim to its corrected form, as pieces that are formulas by themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from toy import TRUE

from arubatheory import PAPER
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.changes import Change, changed, sentence
from arubatheory.report.formula import mathml
from arubatheory.report.standing import UNBROKEN
from arubatheory.statements.core import Assumption, Statement

ROOT = Path(__file__).resolve().parents[2]
LEDGER = ledger.find(ROOT, ARUBA) or {}
PAIRS = [
    (s, form)
    for form in PAPER
    for label in form.corrects
    if (s := ARUBA.statement(label)) is not None
    and LEDGER[label].status == Status.REFUTED
    and LEDGER[form.label].status in UNBROKEN
]


def of(old: str, new: str) -> Change:
    return changed(replace(TRUE, latex=old), replace(TRUE, latex=new), ARUBA.macros)


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        (r"a+b\le\frac12c", r"a+b\le\frac14c", (("2", "4"),)),
        (r"x\le\sqrt{aT}+y+z", r"x\le\sqrt{aT^2}+y+z", (("T", "T^2"),)),
        (r"x\le\min\{a,b\}+c+d", r"x\le\min\{a,2b\}+c+d", (("b", "2b"),)),
        (r"x_1\le y\left(1+H\right)+u+v", r"x_1\le y\left(1+mH\right)+u+v", (("H", "mH"),)),
        (r"a+b+c\le d_{t,j}", r"a+b+c\le d_{t,j}^2", (("d_{t,j}", "d_{t,j}^2"),)),
        (r"a+b+c\le12d", r"a+b+c\le 120d", (("12", "120"),)),
        (r"\sum_{t=1}^Ta_t+b+c\le d", r"\sum_{t=0}^Ta_t+b+c\le d", (("1", "0"),)),
        (r"a+b+c+d\le e+f", r"a+b+c+d\le e+f+g", (("f", "f+g"),)),
        (r"a\ +\,b", "a+b", ()),
        (r"a+b+c\in[0,D)", r"a+b+c\in[0,2D)", (("D", "2D"),)),
        (r"a+b+c+d\le x+y\quad z>0", r"a+b+c+d\le x\quad z>0", (("x+y", "x"),)),
    ],
)
def test_the_least_piece_is_named(old: str, new: str, pieces: tuple[tuple[str, str], ...]) -> None:
    assert of(old, new).pieces == pieces
    assert of(old, old) == Change((), (), (), ("", ""), False)


def test_formulas_without_much_in_common_are_other_ones() -> None:
    assert of(r"a+b\le c", r"\frac{x}{y}=z").is_other and not of(r"a+b\le c", r"\frac{x}{y}=z").pieces


def test_hypotheses_and_meanings_change_too() -> None:
    more = Assumption("z>0", lambda i: 1)
    asked, read = replace(TRUE, assumptions=(*TRUE.assumptions, more)), replace(TRUE, where="x is large")
    words = {"inline": str, "prose": str}
    assert sentence(changed(TRUE, asked, {}), **words) == "it asks for z>0"
    assert sentence(changed(asked, TRUE, {}), **words) == "it does without z>0"
    assert sentence(changed(TRUE, read, {}), **words) == "it says that “x is large”"
    assert sentence(changed(replace(read, where="y"), read, {}), **words) == "“y” becomes “x is large”"
    family = replace(asked, latex=r"a+b+c\le 2d", assumptions=(more,))
    assert sentence(changed(family, replace(TRUE, latex=r"a+b+c\le 3d"), {}), **words) == "2 becomes 3"


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=[f"{a.label} {b.label}" for a, b in PAIRS])
def test_a_reader_sees_what_a_correction_changes(before: Statement, after: Statement) -> None:
    change = changed(before, after, ARUBA.macros)
    assert change
    for piece in (p for pair in change.pieces for p in pair):
        assert piece.count("{") == piece.count("}") and not re.search(r"\\(left|right)$", piece)
        mathml(piece, macros=ARUBA.macros)
