"""The page: well formed, escaped, self-contained."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from toy import FAILING, FALSE, PART, TRUE, outcomes, verdict, witness

from arubatheory.engines.source import Source
from arubatheory.engines.verdict import SENTENCES, Status
from arubatheory.engines.witness_files import read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import power
from arubatheory.report.ledger import Comparison
from arubatheory.report.markup import anchor, asset
from arubatheory.report.outcome import Outcome
from arubatheory.report.page import Beside, page, write_page
from arubatheory.report.sharp import SharpRow

SCRIPT, STYLE = asset("page.js"), asset("page.css")
EVIL = "<script>alert('x')</script> & \"quoted\" ]]> <!--figure 0-->"
XHTML = "{http://www.w3.org/1999/xhtml}"


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def articles(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The article of each statement by its label."""
    return {e.findtext(f"{XHTML}p/{XHTML}code", ""): e for e in root.iter(f"{XHTML}article")}


def evil_outcome() -> Outcome:
    statement = replace(
        TRUE,
        label="clm:cdual/<i>",
        title=EVIL,
        note=EVIL,
        kind="<b>claim",
        number="<9>",
        latex=EVIL,
        uses=(EVIL,),
        part_of=EVIL,
        step_of=EVIL,
        corrects=(EVIL,),
        assumptions=(TRUE.assumptions[0]._replace(latex=EVIL),),
    )
    bad = witness(
        lhs=EVIL,
        rhs=EVIL,
        certified=EVIL,
        found_by=EVIL,
        note=EVIL,
        margins={EVIL: EVIL},
        measure=EVIL,
        instance={EVIL: {"type": EVIL, "fields": {EVIL: EVIL}}},
    )
    found = verdict(statement.label, Status.REFUTED, error=EVIL, found_by=EVIL, simplest=bad, worst=bad, digest=EVIL)
    return Outcome(statement, found, Comparison("differs", EVIL), Path(EVIL), Path(EVIL))


def evil_user_outcome() -> Outcome:
    """A statement of a user's file: its label is not from the paper's list."""
    outcome = evil_outcome()
    return outcome._replace(statement=replace(outcome.statement, label=re.sub(r"\s", "-", EVIL)))


def test_it_is_well_formed_and_has_every_statement() -> None:
    root = parsed(page(outcomes(), Beside(ARUBA)))
    assert list(articles(root)) == [o.statement.label for o in outcomes()]
    ids = [e.get("id") for e in root.iter(f"{XHTML}article")]
    assert ids == [str(i) for i in range(1, len(ids) + 1)]
    text = "".join(root.itertext())
    for o in outcomes():
        assert o.statement.label in text
    assert all(sentence in text for sentence in SENTENCES.values())
    assert "5 of 97 items of the paper have a verdict" in text


@pytest.mark.parametrize("outcome", [evil_outcome(), evil_user_outcome()], ids=["paper", "user"])
def test_everything_is_escaped(outcome: Outcome) -> None:
    text = page([outcome], Beside(file=Path(EVIL)))
    root = parsed(text)
    assert [e.text for e in root.iter(f"{XHTML}script")] == [SCRIPT]
    assert text.count("<script") == 1
    assert not [name for e in root.iter() for name in e.attrib if name.startswith("on")]
    assert EVIL in "".join(root.itertext())
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))


def test_only_this_script_may_run_and_nothing_may_be_fetched() -> None:
    policy = next(
        e.get("content") or "" for e in parsed(page([], Beside(ARUBA))).iter(f"{XHTML}meta") if e.get("http-equiv")
    )
    for none in ("default-src", "base-uri", "form-action"):
        assert f"{none} 'none';" in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='$", policy)
    assert not re.search(r"[<&]", SCRIPT)  # HTML and XML read the same text


def test_it_asks_nothing_of_the_network() -> None:
    text = page(outcomes(), Beside(ARUBA))
    for element in parsed(text).iter():
        for name, value in element.attrib.items():
            if name.rpartition("}")[2] in ("src", "href", "action", "data", "srcset"):
                assert value.startswith(("#", "data:application/gzip", "../arubatheory/"))
    assert not re.search(r"@import|url\(", text)
    assert "http" not in re.sub(r'xmlns="http://www\.w3\.org/[\w/]+"|http-equiv', "", text)


def test_links_lead_somewhere() -> None:
    root = parsed(page(outcomes(), Beside(ARUBA)))
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    hrefs = [e.get("href") or "" for e in root.iter(f"{XHTML}a")]
    assert {h[1:] for h in hrefs if h.startswith("#")} <= ids
    assert f"#{anchor('clm:cdual', 'i')}" in hrefs
    assert f"#{place_of(root, 'clm:cdual')}" in hrefs
    assert "used by" in "".join(root.itertext())


def place_of(root: ElementTree.Element, label: str) -> str:
    """Where links to a statement lead: its article."""
    return articles(root)[label].get("id") or ""


def test_no_latex_is_left() -> None:
    body = parsed(page(outcomes(), Beside(ARUBA))).find(f"{XHTML}body")
    assert body is not None
    script = body.find(f"{XHTML}script")
    assert script is not None
    body.remove(script)
    assert not re.search(r"\\[A-Za-z]", "".join(body.itertext()))
    assert len(list(body.iter(f"{XHTML}math"))) >= len(outcomes())


def test_both_witnesses_with_a_line_to_copy() -> None:
    refuted = outcomes()[1]._replace(simplest=Path("a-simplest.json"), worst=Path("a-worst.json"))
    assert refuted.verdict and refuted.verdict.simplest != refuted.verdict.worst
    text = "".join(parsed(page([refuted], Beside(None, Path("my_bounds.py")))).itertext())
    assert "arubatheory replay a-simplest.json --exact --file my_bounds.py" in text
    assert "arubatheory replay a-worst.json --exact --file my_bounds.py" in text
    assert "violated: lhs > rhs, rational arithmetic" in text
    assert text.count("The instance") == 1  # the worst one is left to its file
    assert "x = 1\ny = 1" in text


def test_a_witness_that_is_simplest_and_worst_is_shown_once() -> None:
    found = verdict("clm:scmin", Status.REFUTED, simplest=witness(), worst=witness())
    text = page([Outcome(FALSE, found, simplest=Path("a.json"), worst=Path("b.json"))], Beside(ARUBA))
    assert text.count("<section><h5>") == 1
    assert "Simplest and worst witness" in text and "replay a.json" in text


def test_a_long_instance_is_left_to_its_file() -> None:
    array = {"array": ["1/3"] * 20, "shape": [20]}
    large = witness(instance={f"x{i}": array for i in range(60)})
    found = verdict("clm:scmin", Status.REFUTED, simplest=large)
    text = "".join(parsed(page([Outcome(FALSE, found)], Beside(ARUBA))).itertext())
    assert "The instance stands in the file." in text
    assert "x0 = " not in text


def test_a_refuted_statement_shows_what_holds_instead() -> None:
    mended = replace(TRUE, label="clm:scmin/corrected", latex=r"\sup_x x\le 7", corrects=("clm:scmin",), title="")
    found = [outcomes()[1], Outcome(mended, verdict(mended.label, Status.SURVIVED))]
    article = articles(parsed(page(found, Beside(ARUBA))))["clm:scmin"]
    instead = next(e for e in article.iter(f"{XHTML}div") if e.get("class") == "instead")
    text = "".join(instead.itertext())
    assert "clm:scmin/corrected" in text and "SURVIVED" in text and "x≤7" in text.replace(" ", "")


def test_what_stands_above_is_not_said_again_below() -> None:
    """What corrects a refuted statement, and the item under whose heading a line of proof stands."""
    mended = replace(TRUE, label="clm:scmin/corrected", corrects=("clm:scmin",), uses=())
    step = replace(TRUE, label="clm:scmin/proof-1", step_of="clm:scmin", uses=("clm:cdual",))
    found = [outcomes()[0], outcomes()[1], Outcome(mended), Outcome(step)]
    root = parsed(page(found, Beside(ARUBA)))
    footers = {label: "".join(e.find(f"{XHTML}footer").itertext()) for label, e in articles(root).items()}  # type: ignore[union-attr]
    assert "corrected by" not in footers["clm:scmin"]
    assert "corrects ✗\u00a0clm:scmin" in footers["clm:scmin/corrected"]
    assert footers["clm:scmin/proof-1"] == "uses clm:cdual"


def instead_of(labels: tuple[str, ...], latex: str = FALSE.latex, where: str = "") -> dict[str, str]:
    """What the page says instead of refuted statements that one form corrects, by their label."""
    form = replace(FALSE, label="clm:scmin/corrected", latex=latex, where=where, corrects=labels, title="")
    found = [Outcome(replace(FALSE, label=label), verdict(label, Status.REFUTED)) for label in labels]
    root = parsed(page([*found, Outcome(form, verdict(form.label, Status.SURVIVED))], Beside(ARUBA)))
    elements = {
        label: e.find(f"{XHTML}div[@class='instead']") for label, e in articles(root).items() if label in labels
    }
    return {label: "".join(e.itertext()) for label, e in elements.items() if e is not None}


def test_a_long_formula_is_written_once_in_an_item() -> None:
    """At the first statement that has it, or has it as what holds instead; from then on it is referred to."""
    long = r"x\le 7+\frac{1}{2}+\frac{1}{3}+\frac{1}{4}+\frac{1}{5}+\frac{1}{6}+\frac{1}{7}+\frac{1}{8}"
    first, second = ("clm:scmin/a", "clm:scmin/b")
    said = instead_of((first, second), latex=long)
    assert "x≤7" in said[first].replace(" ", "")
    assert "x≤7" not in said[second].replace(" ", "")
    assert f"Formula: under “Instead” at ✗\u00a0{first}." in said[second]
    twins = [Outcome(replace(TRUE, label=f"clm:scmin/{k}", latex=long), None) for k in "ab"]
    text = "".join(parsed(page(twins, Beside(ARUBA))).itertext())
    assert text.replace(" ", "").count("x≤7") == 1 and "Formula: that of clm:scmin/a." in text


def test_a_short_formula_is_written_again() -> None:
    said = instead_of(("clm:scmin/a", "clm:scmin/b"), latex=r"x\le 7")
    assert all("x≤7" in text.replace(" ", "") for text in said.values())


@pytest.mark.parametrize(
    ("latex", "where", "words"),
    [
        (FALSE.latex, "$x>0$", "What changes: it says that “x>0”."),
        (FALSE.latex.replace("4", "3"), "", "What changes: 4 becomes 3."),
        (FALSE.latex, "", "What changes: nothing that is written."),
    ],
)
def test_a_corrected_form_says_what_changes(latex: str, where: str, words: str) -> None:
    (said,) = instead_of(("clm:scmin/a",), latex=latex, where=where).values()
    assert words in said


def test_a_link_to_what_fails_has_a_sign_and_a_title() -> None:
    """Colour alone says nothing to who cannot see it."""
    labels = [o.statement.label for o in outcomes()]
    last = replace(PART, label="cor:matrix", uses=tuple(labels))
    root = parsed(page([*outcomes(), Outcome(last, None)], Beside(ARUBA)))
    links = {
        e.get("href"): (e.get("title"), "".join(e.itertext()))
        for p in root.iter(f"{XHTML}footer")
        for e in p.iter(f"{XHTML}a")
    }
    signs = {Status.REFUTED: "✗", Status.SUSPECT: "?", Status.ERROR: "!"}
    for o in outcomes():
        status = o.verdict.status if o.verdict else None
        sign = f"{signs[status]}\u00a0" if status in signs else ""
        expected = (status.value if sign and status else None, f"{sign}{o.statement.label}")
        assert links[f"#{place_of(root, o.statement.label)}"] == expected


def undefined_outcome() -> Outcome:
    """A claim that is refuted where a side does not exist, and holds wherever both do."""
    nowhere = witness(certified="undefined", lhs="undefined", rhs="undefined", ratio=None, measure="undefined")
    holds = witness(certified="holds", lhs="14", rhs="100", ratio=0.14)
    found = verdict("clm:scmin", Status.REFUTED, kind="undefined", simplest=nowhere, worst=holds, worst_ratio=0.14)
    return Outcome(FALSE, found, simplest=Path("a.json"), worst=Path("b.json"))


def test_what_is_undefined_has_no_worst_ratio_and_no_witness_that_holds() -> None:
    text = "".join(parsed(page([undefined_outcome()], Beside(ARUBA))).itertext())
    assert text.count("undefined") == 3  # both sides of the witness, and the worst ratio in the table
    assert "0.14" not in text
    assert "Simplest witness" in text and "Worst instance found" not in text
    survivor = verdict("clm:scmin", Status.SURVIVED, worst=witness(certified="holds", ratio=0.14))
    assert "Worst instance found" in page([Outcome(FALSE, survivor)], Beside(ARUBA))


def test_margins_on_record_are_those_of_the_assumptions() -> None:
    from arubatheory import PAPER

    assumed = {s.label: {a.latex for a in s.assumptions} for s in PAPER}
    paths = sorted((Path(__file__).parents[2] / ARUBA.witnesses).glob("*.json"))
    found = [(path.name, read_witness(path)) for path in paths]
    assert [name for name, w in found if not set(w.margins) <= assumed.get(w.label, set())] == []


def test_the_same_assumptions_are_written_once() -> None:
    twin = replace(TRUE, label="clm:cdual/twin", uses=())
    text = page([outcomes()[0], Outcome(twin, verdict(twin.label, Status.SURVIVED))], Beside(ARUBA))
    assert text.count('class="given"') == 1
    assert "Assumptions: those of " in text


def test_power_stands_in_the_table_and_at_the_statement() -> None:
    rows = [
        power.PowerRow("clm:cdual", power.SIBLINGS, 3, 3, 2, None, None),
        power.PowerRow("clm:cdual", power.BLIND, 1, 0, 1, None, None),
    ]
    text = "".join(parsed(page(outcomes(), Beside(ARUBA, power={"clm:cdual": rows}))).itertext())
    assert "2 of 3" in text
    assert "Power: of 3 false siblings, found by check 3, by search 2." in text
    assert "Found again blind by search." in text
    whole = page(outcomes(), Beside(ARUBA, power={"clm:cdual": [rows[0]._replace(search=3)]}))
    assert "3 of 3" in whole and "Power: of 3" not in whole


@pytest.mark.parametrize(
    "tried, told",
    [
        ({"trials": 120, "evaluations": 125}, "120 of 125 counted"),
        ({"trials": 340, "evaluations": 20}, "340 values on 20 grids counted"),
    ],
    ids=["sides", "growth"],
)
def test_what_was_counted_is_told(tried: dict[str, int], told: str) -> None:
    """A family of a claim about growth is one evaluation and a whole grid of values."""
    assert told in page([Outcome(TRUE, verdict(TRUE.label, Status.SURVIVED, **tried))], Beside(ARUBA))


def test_sharp_constants_and_what_error_would_have_been_found_stand_at_the_statement() -> None:
    row = SharpRow("clm:cdual", "factor", "1", "", 0, "0.249999999", "0.250001", 9, 4, 4)
    said = "an error of the factor 1.1 would have been found"
    first, *others = outcomes()
    shown = [first._replace(power=said), *others]
    text = "".join(parsed(page(shown, Beside(ARUBA, sharp={first.statement.label: [row]}))).itertext())
    assert (
        "Sharp factor in [0.249999, 0.250001] (printed: 1); a guess: 1/4." in text
        and f"{said[0].upper()}{said[1:]}." in text
    )
    assert "Sharp factor" not in page(shown, Beside(ARUBA))


@pytest.mark.parametrize(
    ("current", "head", "articles"), [((True, True), 0, 0), ((False, True), 0, 1), ((False,) * 2, 1, 0)]
)
def test_other_sources_are_told_once_where_all_verdicts_are_of_them(
    current: tuple[bool, ...], head: int, articles: int
) -> None:
    found = [o._replace(current=now) for o, now in zip(outcomes(), current, strict=False)]
    text = page(found, Beside(ARUBA))
    assert text.count("computed with other sources") == head
    assert text.count("Computed with other sources") == articles


def test_the_page_of_a_users_file_is_not_the_papers() -> None:
    """Its name is the title, and nothing of the paper is on it."""
    own = replace(TRUE, label="user:own", title="")
    text = page([Outcome(own, verdict("user:own", Status.SURVIVED, ties=1, trials=1))], Beside(None, Path("a/<my>.py")))
    root = parsed(text)
    shown = "".join(root.itertext())
    assert [e.text for e in root.iter() if e.tag in (f"{XHTML}title", f"{XHTML}h1")] == ["<my>.py on trial"] * 2
    assert not re.search("paper|ARUBA|make figures", shown.replace(STYLE, ""))
    assert not {e.get("id") for e in root.iter()} & {"graph", "items", "rests", "figures"}
    assert not re.search(r"\b1 (statements|ties|trials|evaluations)\b", shown)
    assert "1 statement, by status" in shown and "1 tie." in shown and "Claim" in shown


def test_a_page_of_a_part_tells_what_was_not_tried_from_what_has_no_statement() -> None:
    root = parsed(page([Outcome(FAILING, verdict("clm:mean", Status.SURVIVED))], Beside(ARUBA)))
    titles = [e.get("title") or "" for e in root.iter(f"{XHTML}i") if e.get("class", "").startswith("cell")]
    assert sum("not in this run" in t for t in titles) > 80
    absent = [t for t in titles if "no statement of its own" in t]
    assert any(t.startswith("def:omd") for t in absent) and not any(t.startswith("thm:general") for t in absent)


def test_an_empty_page_is_fine() -> None:
    assert "0 of 97 items" in page([], Beside(ARUBA))


def test_writing_makes_the_folder_and_reads_what_lies_beside(tmp_path: Path) -> None:
    figures = tmp_path / "out" / "figures"
    figures.mkdir(parents=True)
    (figures / "bound_at_work.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (tmp_path / "verification").mkdir()
    power.TABLE.write(
        tmp_path / power.TABLE.location(ARUBA), [power.PowerRow("clm:cdual", power.SIBLINGS, 3, 3, 2, None, None)]
    )
    path = write_page(tmp_path / "a" / "b.html", outcomes(), tmp_path, Source())
    text = path.read_text(encoding="utf-8")
    assert "Power: of 3 false siblings" in text
    assert "href=../out/figures/bound_at_work.svg" in text
    assert 'src="data:image/svg+xml,%3Csvg' in text
    assert list(path.parent.iterdir()) == [path]
    users = write_page(tmp_path / "a" / "c.html", outcomes(), tmp_path, Source(Path("my_bounds.py")))
    assert "figures" not in users.read_text(encoding="utf-8")
    assert "Power: of" not in users.read_text(encoding="utf-8")


@pytest.mark.parametrize("stored", [True, False])
def test_make_figures_asks_for_verdicts_before_it_draws(tmp_path: Path, stored: bool) -> None:
    """Without verdicts there is no page to put the figures on: it says so at once, not after minutes of drawing."""
    log, stamp = tmp_path / "log", tmp_path / "stamp"
    for name, status in (("arubatheory", 0 if stored else 5), ("python", 0)):
        stub = tmp_path / name
        stub.write_text(f"#!/bin/sh\necho {name} $* >>{log}\nexit {status}\n")
        stub.chmod(0o755)
    stamp.touch()
    command = ["make", "figures", f"BIN={tmp_path}", f"LABORATORY={stamp}"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    calls = ["arubatheory report", "python -m figures", "arubatheory report"]
    assert log.read_text().splitlines() == (calls if stored else calls[:1]), done.stderr
    assert (done.returncode == 0) == stored


def test_replay_lines_name_what_is_kept_and_no_place_on_this_machine(tmp_path: Path) -> None:
    """The same instance on record is named; another one is not; names are quoted for the shell."""
    refuted = outcomes()[1]
    assert refuted.verdict and refuted.verdict.simplest
    kept = tmp_path / "verification" / "witnesses"
    kept.mkdir(parents=True)
    (kept / "a.json").write_text(json.dumps(refuted.verdict.simplest.to_json()))
    (kept / "b.json").write_text(json.dumps(witness(tape={"integers": [1], "units": []}).to_json()))
    cache = tmp_path / ".cache" / "witnesses"
    found = [refuted._replace(simplest=cache / "a.json", worst=cache / "b.json")]
    for source, lines in (
        (Source(), ("verification/witnesses/a.json --exact", ".cache/witnesses/b.json --exact")),
        (Source(tmp_path / "my bounds.py"), (".cache/witnesses/a.json --exact --file 'my bounds.py'",)),
    ):
        text = write_page(tmp_path / "p.html", found, tmp_path, source).read_text(encoding="utf-8")
        shown = unescape(re.sub(r"<[^>]*>", "", text))
        assert all(f"arubatheory replay {line}" in shown for line in lines)
        assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("ratio", "cell"),
    [
        (float("inf"), 'data-v="Infinity">inf'),
        (float("-inf"), "<td>-</td>"),
        (-1e300, "<td>-</td>"),
        (2.5, "<td>2.5</td>"),
        (1 + 1e-7, '<td data-v="1">1+1.0e-07</td>'),
        (2.5e11, '<td data-v="2.5e+11">2.5e+11</td>'),
    ],
)
def test_ratios_that_are_no_finite_numbers(ratio: float, cell: str) -> None:
    assert cell in page([Outcome(FALSE, verdict("clm:scmin", Status.REFUTED, worst_ratio=ratio))], Beside(ARUBA))


def test_a_page_that_is_too_large_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arubatheory.report.page.BUDGET", 1000)
    with pytest.warns(UserWarning, match=r"the page .*p\.html has [\d,]+ bytes without a picture.* at most 1,000"):
        write_page(tmp_path / "p.html", outcomes(), tmp_path, Source())
