"""The page: well formed, escaped, self-contained."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from toy import TRUE, outcomes, verdict, witness

from arubatheory.engines.verdict import SENTENCES, Status
from arubatheory.report.ledger import Comparison
from arubatheory.report.outcome import Outcome
from arubatheory.report.page import anchor, page, write_page
from arubatheory.report.readable import instance, number

EVIL = "<script>alert('x')</script> & \"quoted\" ]]>"
XHTML = "{http://www.w3.org/1999/xhtml}"


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def evil_outcome() -> Outcome:
    statement = replace(TRUE, label="clm:cdual/<i>", title=EVIL, note=EVIL, kind="<b>claim", number="<9>", latex=EVIL)
    bad = witness(lhs=EVIL, rhs=EVIL, certified=EVIL, found_by=EVIL, note=EVIL, margins={EVIL: EVIL},
                  instance={EVIL: {"type": EVIL, "fields": {EVIL: EVIL}}})  # fmt: skip
    found = verdict(statement.label, Status.REFUTED, error=EVIL, found_by=EVIL, simplest=bad, worst=bad, digest=EVIL)
    return Outcome(statement, found, Comparison("differs", EVIL), Path(EVIL), Path(EVIL))


def test_it_is_well_formed_and_has_every_statement() -> None:
    root = parsed(page(outcomes()))
    ids = {e.get("id") for e in root.iter(f"{XHTML}article")}
    assert ids == {anchor(o.statement.label) for o in outcomes()}
    text = "".join(root.itertext())
    for o in outcomes():
        assert o.statement.label in text
    assert all(sentence in text for sentence in SENTENCES.values())
    assert "5 of 97 items of the paper have a verdict" in text


def test_everything_is_escaped() -> None:
    text = page([evil_outcome()])
    root = parsed(text)
    assert "<script" not in text
    assert not list(root.iter(f"{XHTML}script"))
    assert not [name for e in root.iter() for name in e.attrib if name.startswith("on")]
    assert EVIL in "".join(root.itertext())


def test_it_asks_nothing_of_the_network(tmp_path: Path) -> None:
    (tmp_path / "bound_at_work.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    text = page(outcomes(), figures=tmp_path)
    for element in parsed(text).iter():
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("src", "href", "action", "data", "srcset"):
                assert value.startswith(("#", "data:image/svg+xml;base64,"))
    assert not re.search(r"@import|url\(", text)
    assert "http" not in re.sub(r'xmlns="http://www\.w3\.org/[\w/]+"', "", text)


def test_links_lead_somewhere() -> None:
    root = parsed(page(outcomes()))
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    targets = {(e.get("href") or "")[1:] for e in root.iter(f"{XHTML}a")}
    assert targets <= ids
    assert anchor("clm:cdual") in targets
    assert "used by" in "".join(root.itertext())


def test_no_latex_is_left() -> None:
    body = parsed(page(outcomes())).find(f"{XHTML}body")
    assert body is not None
    assert not re.search(r"\\[A-Za-z]", "".join(body.itertext()))
    assert len(list(body.iter("{http://www.w3.org/1998/Math/MathML}math"))) >= len(outcomes())


def test_both_witnesses_with_a_line_to_copy() -> None:
    refuted = outcomes()[1]._replace(simplest=Path("a-simplest.json"), worst=Path("a-worst.json"))
    text = "".join(parsed(page([refuted], file=Path("my_bounds.py"))).itertext())
    assert "arubatheory replay a-simplest.json --exact --file my_bounds.py" in text
    assert "arubatheory replay a-worst.json --exact --file my_bounds.py" in text
    assert "violated: lhs > rhs, decided without rounding" in text
    assert "balls of 128 bits" in text


def test_an_empty_page_and_a_missing_figures_folder_are_fine(tmp_path: Path) -> None:
    assert "0 of 97 items" in page([], figures=tmp_path / "none")


def test_writing_makes_the_folder(tmp_path: Path) -> None:
    path = write_page(tmp_path / "a" / "b.html", page(outcomes()))
    assert path.read_text(encoding="utf-8") == page(outcomes())
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("3/4", "3/4"),
        ("4093/3127", '4093/3127 <span class="small">≈ 1.30892229</span>'),
        ("1267650600228229401496703205376", '<span title="1267650600228229401496703205376">≈ 1.2676506e+30</span>'),
        ("1.41421356237309504 +/- 6e-31", '<span title="1.41421356237309504 +/- 6e-31">≈ 1.414213562</span>'),
        ("undefined", "undefined"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_numbers_for_the_eye(exact: str, shown: str) -> None:
    assert number(exact) == shown


def test_huge_numbers_do_not_break_the_page() -> None:
    assert "≈" in number("7" * 400)
    assert number("1" + "0" * 5000)


def test_instances_for_the_eye() -> None:
    parts = {
        "losses": {"type": "Losses", "fields": {"a": {"array": ["1", "2", "3", "4"], "shape": [2, 2]}}},
        "phi": {"array": ["1/2", "0"], "shape": [2]},
        "long": {"integers": list(range(100)), "shape": [100]},
        "both": {"items": [1, True]},
        "eta": {"ball": "1.5 +/- 1e-9"},
        "none": {"array": [], "shape": [0]},
    }
    text = "".join(ElementTree.fromstring(instance(parts)).itertext())
    assert "Losses" in text
    assert "(1/2, 0)" in text
    assert "… 52 more" in text
    assert "()" in text


def test_numbers_far_outside_the_range_of_a_double_are_powers_of_ten():
    assert "≈ 10^5001<" in number("12.5e+5000 +/- 1.0e+4000") + "<"
    assert "≈ -10^-5000<" in number("-1.5e-5000 +/- 1.0e-6000") + "<"
    assert "≈ 10^3010<" in number(f"{2**10000}")
