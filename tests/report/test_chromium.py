"""The page in a real browser: quiet, self-contained, readable on any screen; run by `pytest -m chromium`."""

from __future__ import annotations

import csv
import gzip
import math
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from devtools import Page, browser
from toy import outcomes, verdict, witness

from arubatheory import PAPER
from arubatheory.engines.statistics import grid
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import power
from arubatheory.report.album import FIGURE, WITNESS, Picture
from arubatheory.report.downloads import COLUMNS
from arubatheory.report.lean import lean
from arubatheory.report.outcome import Outcome
from arubatheory.report.page import Beside, page
from arubatheory.statements.core import Statement

pytestmark = pytest.mark.chromium
WIDTHS = (320, 390, 768, 1280, 1920)
SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 400 200' width='400'><path d='M0 0L400 200'/></svg>"
LAID_OUT = "document.querySelectorAll('.item').forEach(e => { e.style.contentVisibility = 'visible' });"
OPENED = "document.querySelectorAll('details').forEach(e => { e.open = true });"
# The contrast of two colours by WCAG 2; `background` goes up to the first element that is painted.
CONTRAST = """
(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const over = (top, below) => [0, 1, 2].map(k => top[k] * top[3] / 255 + below[k] * (1 - top[3] / 255)).concat(255);
  const background = e => {
    const own = rgba(getComputedStyle(e).backgroundColor);
    return own[3] === 255 || !e.parentElement ? own : over(own, background(e.parentElement));
  };
  const light = c => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => {
    const x = c[k] / 255;
    return sum + weight * (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  }, 0);
  const contrast = e => {
    const below = background(e), text = over(rgba(getComputedStyle(e).color), below);
    const [a, b] = [light(text), light(below)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const texts = document.querySelectorAll('p, h1, h2, h3, h4, h5, a, td, th, dt, dd, b, .badge, .cell, summary, code');
  const solid = [...texts].filter(e => e.textContent.trim() && !/partly|proof|read$/.test(e.className));
  const faint = solid.filter(e => contrast(e) < 4.5).slice(0, 5);
  return faint.map(e => `${e.tagName} ${e.className} ${contrast(e).toFixed(2)} ${e.textContent.slice(0, 30)}`);
})()
"""


def tried() -> list[Outcome]:
    """The whole paper with made-up verdicts of every kind, and witnesses where something fails."""
    return [made_up(k, s) for k, s in enumerate(PAPER)]


def made_up(k: int, s: Statement) -> Outcome:
    """The k-th of them: long numbers, a long instance, a curve where growth is claimed."""
    status = list(Status)[k % len(Status)]
    broken = status in (Status.REFUTED, Status.SUSPECT)
    instance = {"x": {"array": [f"{10**i}/3" for i in range(40)], "shape": [40]}}
    curve = [[float(T), T**0.5] for T in grid(s.growth)] if s.growth else []
    margins = {a.latex: "1/3" for a in s.assumptions}
    seen = witness(s.label, lhs="1" * 300, instance=instance, curve=curve, margins=margins)
    ratio = math.inf if k == 7 else (k * 37 % 101) / 50
    found = verdict(
        s.label,
        status,
        worst_ratio=ratio,
        trials=1000 + k * 7919 % 3001,
        histogram=tuple(range(21)),
        worst=seen,
        simplest=seen if broken else None,
        error="E" * 200 if status is Status.ERROR else "",
    )
    path = Path(f".cache/witnesses/{s.label.replace('/', '--')}-simplest.json")
    return Outcome(s, found, simplest=path if broken else None)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "a.svg").write_text(SVG, encoding="utf-8")
    pictures = [
        Picture("figure", FIGURE, "A figure of $x^2$", (PAPER[0].label,), "What $\\R_T$ is", {"svg": folder / "a.svg"}),
        Picture("witness", WITNESS, "A witness", (PAPER[1].label,), "", {"svg": folder / "a.svg"}),
    ]
    tables = {s.label: [power.PowerRow(s.label, power.SIBLINGS, 2, 2, 1, None, None)] for s in PAPER}
    path = folder / "index.html"
    whole = page(tried(), Beside(ARUBA, pictures=pictures, power=tables))
    (folder / "whole.html").write_text(whole, encoding="utf-8")
    path.write_text(lean(whole), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


def shown(chromium: Page, path: Path) -> Page:
    chromium.resize(1280)
    chromium.prefer("light")
    chromium.open(path)
    return chromium


@pytest.fixture
def opened(chromium: Page, written: Path) -> Page:
    return shown(chromium, written)


@pytest.fixture(scope="module")
def any_page(request: pytest.FixtureRequest) -> Path:
    """The page that ARUBATHEORY_PAGE names, such as that of a campaign with its figures; else the made-up one."""
    named = os.environ.get("ARUBATHEORY_PAGE")
    return Path(named) if named else request.getfixturevalue("written")


def column(page: Page, k: int) -> list[str]:
    """The visible cells of a column of the table, from top to bottom."""
    return list(
        page.value(
            f"[...document.getElementById('table').tBodies[0].rows].filter(r => r.getClientRects().length)"
            f".map(r => r.cells[{k}].textContent)"
        )
    )


def click(page: Page, k: int) -> str | None:
    """Click on the head of a column; how the table is sorted then."""
    head = f"document.querySelectorAll('#table th')[{k}]"
    page.value(f"{head}.querySelector('button').click()")
    sorting = page.value(f"{head}.getAttribute('aria-sort')")
    return None if sorting is None else str(sorting)


def test_a_lean_page_is_the_same_document(chromium: Page, written: Path) -> None:
    found = []
    for path in (written, written.with_name("whole.html")):
        chromium.open(path)
        found.append(chromium.value("document.head.innerHTML + document.body.innerHTML"))
    assert found[0] == found[1] and len(found[0]) > 10**6 and written.stat().st_size < 0.97 * len(found[1])


def test_any_page_opens_without_a_word_and_asks_for_nothing(chromium: Page, any_page: Path) -> None:
    opened = shown(chromium, any_page)
    opened.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))")
    assert opened.complaints() == []
    asked = [e["request"]["url"] for e in opened.seen("Network.requestWillBeSent")]
    assert [url for url in asked if not url.startswith("data:image/svg+xml,")] == [any_page.resolve().as_uri()]
    assert opened.value("[...document.images].every(i => { i.loading = 'eager'; return i.src.startsWith('data:') })")
    assert opened.value("Promise.all([...document.images].map(i => i.decode())).then(() => document.images.length)") > 1
    painted = opened.value("performance.getEntriesByType('paint').map(e => e.startTime)")
    print(f"first paint after {min(painted):.0f} ms, {any_page.stat().st_size:,} bytes")


def test_no_formula_of_any_page_is_left_as_latex(chromium: Page, any_page: Path) -> None:
    opened = shown(chromium, any_page)
    opened.value(LAID_OUT + OPENED)
    text = opened.value("document.body.innerText")
    assert "\\" not in text and "$" not in text
    assert opened.value("document.querySelectorAll('code.source, merror').length") == 0
    assert opened.value("document.querySelectorAll('math').length") > 2 * len(PAPER)
    flat = "e => { const r = e.getBoundingClientRect(); return r.width < 1 || r.height < 4 }"
    assert opened.value(f"[...document.querySelectorAll('math')].filter({flat}).map(e => e.outerHTML)") == []


def test_formulas_are_drawn_as_mathematics(opened: Page) -> None:
    """A numerator stands above its denominator, an exponent above its base: the browser knows MathML."""
    opened.value(LAID_OUT)
    boxes = "[...e.children].map(c => c.getBoundingClientRect())"
    fractions = (
        f"[...document.querySelectorAll('mfrac')].map(e => {boxes}).filter(([a, b]) => a.bottom > b.top + 1).length"
    )
    powers = f"[...document.querySelectorAll('msup')].map(e => {boxes}).filter(([a, b]) => b.top > a.top + 2).length"
    assert opened.value("document.querySelectorAll('mfrac').length") > 100
    assert opened.value(fractions) == 0
    assert opened.value(powers) == 0


def test_the_table_is_sorted_by_a_click_up_down_and_back(opened: Page) -> None:
    before = column(opened, 0)
    for k, key in ((5, lambda x: int(x.replace(",", ""))), (4, lambda x: float(x)), (3, str)):
        values = column(opened, k)
        assert click(opened, k) == "ascending"
        assert column(opened, k) == sorted(values, key=key)
        assert click(opened, k) == "descending"
        assert column(opened, k) == sorted(values, key=key, reverse=True)
        assert click(opened, k) is None
        assert column(opened, 0) == before
    click(opened, 0)
    assert column(opened, 0) != before
    numbered = [x for x in column(opened, 0) if x.startswith("prp:ftl/proof-") and x.count("/") == 1]
    assert numbered == sorted(numbered, key=lambda x: int(x.rpartition("-")[2]))


def test_the_table_is_filtered_by_words_status_and_role(opened: Page) -> None:
    everything = column(opened, 0)

    def filtered(**fields: str) -> list[str]:
        for name, value in fields.items():
            opened.value(f"document.forms.filter.elements.{name}.value = '{value}'")
        opened.value("document.forms.filter.dispatchEvent(new Event('input', {bubbles: true}))")
        return column(opened, 0)

    refuted = [o.statement.label for o in tried() if o.verdict and o.verdict.status is Status.REFUTED]
    assert filtered(status="REFUTED") == refuted
    assert (
        opened.value("document.forms.filter.elements.count.value") == f"{len(refuted)} of {len(everything)} statements"
    )
    steps = filtered(role="proof step")
    assert 0 < len(steps) < len(refuted) and all("proof" in x or "norm" in x for x in steps)
    both = [x for x in everything if "prp:ftl" in x and "proof" in x]
    assert filtered(status="", role="", words="PRP:FTL proof") == both
    assert filtered(words="no such words") == []
    opened.value("document.querySelector('#filter [type=reset]').click()")
    opened.value("new Promise(done => setTimeout(done, 50))")
    assert column(opened, 0) == everything


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_any_page_sticks_out_of_the_screen(chromium: Page, any_page: Path, width: int) -> None:
    opened = shown(chromium, any_page)
    opened.resize(width)
    opened.value(LAID_OUT + OPENED)
    assert opened.value("document.scrollingElement.scrollWidth") <= width
    wide = (
        "[...document.querySelectorAll('.scroll, .formula')].filter(e => e.getBoundingClientRect().right > innerWidth)"
    )
    assert opened.value(f"{wide}.length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(opened: Page, scheme: str) -> None:
    opened.prefer(scheme)
    opened.value(LAID_OUT + OPENED)
    lightness = opened.value("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (lightness > 200) == (scheme == "light")
    assert opened.value(CONTRAST) == []


def test_names_fit_into_their_nodes_and_a_node_lights_its_edges(opened: Page) -> None:
    sticking = (
        "[...document.querySelectorAll('.node')].filter(n => n.querySelector('text').getBBox().width > "
        "n.querySelector('rect').getBBox().width - 6).map(n => n.textContent)"
    )
    assert opened.value(sticking) == []
    assert opened.value("document.querySelectorAll('.edges .lit').length") == 0
    expected = opened.value(
        "(() => { const nodes = [...document.querySelectorAll('a.node')];"
        "const n = nodes.find(n => n.textContent.includes('thm:coupling,'));"
        "n.focus(); return document.querySelectorAll(`.edges [data-e*=' ${n.dataset.i} ']`).length })()"
    )
    assert expected > 3
    assert opened.value("document.querySelectorAll('.edges .lit').length") == expected
    opened.value("document.activeElement.blur()")
    assert opened.value("document.querySelectorAll('.edges .lit').length") == 0


@pytest.mark.parametrize("clipboard", [True, False], ids=["clipboard", "without"])
def test_a_line_is_copied_by_click_and_by_key(opened: Page, clipboard: bool) -> None:
    """The line goes to the clipboard (headless browsers deny it: written down here), or the selection is copied."""
    if not clipboard:
        opened.value("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    opened.value(LAID_OUT)
    opened.send("Page.bringToFront")
    opened.value("window.copied = []; document.addEventListener('copy', () => copied.push(`${getSelection()}`))")
    if clipboard:
        opened.value("navigator.clipboard.writeText = text => { copied.push(text); return Promise.resolve() }")
    line = "document.querySelector('article section > code')"
    marked = f"marks += {line}.classList.contains('copied')"  # kept, as the mark itself goes after 1.5 seconds
    opened.value(f"window.marks = 0; new MutationObserver(() => {marked}).observe({line}, {{attributes: true}})")
    for number, event in enumerate(("click", "key"), 1):
        if event == "click":
            opened.send("Runtime.evaluate", expression=f"{line}.click()", userGesture=True)
        else:
            opened.value(f"{line}.focus()")
            for kind in ("keyDown", "keyUp"):
                opened.send("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)
        soon(opened, f"marks === {number}")
        assert opened.value(f"document.activeElement === {line}") == (event == "key")
        assert opened.value("marks") == number
        assert opened.value(f"copied.splice(0).map(t => t.trim() === {line}.textContent)") == [True]
        soon(opened, f"!{line}.classList.contains('copied')")
        assert not opened.value(f"{line}.classList.contains('copied')")


def soon(opened: Page, condition: str) -> None:
    """Wait until it holds, ten seconds at most: the machine may be busy."""
    again = "setTimeout(look, 50, n + 1)"
    opened.value(f"new Promise(done => {{ (function look(n) {{ n > 200 || {condition} ? done() : {again} }})(0) }})")


def test_a_link_leads_to_its_statement(opened: Page) -> None:
    opened.value("document.querySelector('#table tbody tr:nth-child(300) a').click()")
    top = "document.querySelector(':target')?.getBoundingClientRect().top"
    soon(opened, f"({top} >= 0 && {top} < 300)")
    assert 0 <= opened.value(top) < 300


def test_the_verdicts_can_be_saved(opened: Page, tmp_path: Path) -> None:
    opened.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    opened.value("document.querySelector('a[download*=csv]').click()")
    path = tmp_path / "verdicts.csv.gz"
    for _ in range(100):
        if path.exists():
            break
        time.sleep(0.1)
    with gzip.open(path, "rt", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert tuple(rows[0]) == COLUMNS
    assert [row["label"] for row in rows] == [s.label for s in PAPER]
    assert opened.complaints() == []


def test_without_script_everything_is_there_and_nothing_that_needs_it(chromium: Page, written: Path) -> None:
    chromium.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chromium.open(written)
        assert chromium.value("getComputedStyle(document.getElementById('filter')).display") == "none"
        assert chromium.value("document.querySelectorAll('#table button').length") == 0
        assert len(column(chromium, 0)) == len(PAPER)
        assert chromium.complaints() == []
    finally:
        chromium.send("Emulation.setScriptExecutionDisabled", value=False)


def test_a_planted_script_does_not_run(chromium: Page, tmp_path: Path) -> None:
    """Should escaping ever fail, the content security policy still allows no other script and no request."""
    evil = '<script>window.evil = 1</script><img src="https://example.org/x.png" onerror="window.evil = 2"/></body>'
    path = tmp_path / "evil.html"
    path.write_text(page(outcomes(), Beside(ARUBA)).replace("</body>", evil), encoding="utf-8")
    chromium.open(path)
    assert chromium.value("window.evil === undefined")
    assert len(chromium.complaints()) >= 2
    assert not [e for e in chromium.seen("Network.responseReceived") if "example.org" in e["response"]["url"]]


def test_hostile_texts_stay_texts(chromium: Page, tmp_path: Path) -> None:
    evil = "<script>window.evil = 1</script><img src=x onerror='window.evil = 2'>\"' ]]> --> </style>"
    first = outcomes()[1]
    statement = replace(
        first.statement, label="clm:scmin/<img/onerror=x>", title=evil, note=evil, latex=evil, number=evil
    )
    bad = witness(lhs=evil, certified=evil, found_by=evil, note=evil, margins={evil: evil}, instance={evil: evil})
    found = verdict(statement.label, Status.REFUTED, simplest=bad, worst=bad, error=evil, digest=evil, found_by=evil)
    path = tmp_path / "hostile.html"
    path.write_text(page([Outcome(statement, found, simplest=Path(evil))], Beside(ARUBA)), encoding="utf-8")
    chromium.open(path)
    assert chromium.complaints() == []
    assert chromium.value("window.evil === undefined")
    assert chromium.value("document.images.length") == 0
    assert evil in chromium.value("document.body.textContent")
