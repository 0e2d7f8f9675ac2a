r"""One self-contained HTML page of a campaign: it needs no network and no script, and may be mailed as it is.

It is written as well-formed XML too, which is how the tests know that everything was escaped.
"""

from __future__ import annotations

import html
import os
import warnings
from collections.abc import Container, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from arubatheory import statements
from arubatheory.engines.campaign import read_witness
from arubatheory.engines.verdict import SENTENCES, Status, Witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import album, downloads, ledger, power, source, worst_cases
from arubatheory.report.article import (
    SIGNS,
    Around,
    anchor,
    article,
    backlinks,
    badge,
    first_corrected,
    same_assumptions,
    status_of,
)
from arubatheory.report.files import replace_text
from arubatheory.report.graph import MARKS, absence, graph, slugs_of
from arubatheory.report.outcome import Outcome, counts, worst_text
from arubatheory.report.plain import count
from arubatheory.report.plots import AXIS
from arubatheory.report.script import SCRIPT, digest
from arubatheory.report.standing import STANDS, Stand, Standing, role_of, standings
from arubatheory.report.style import STYLE
from arubatheory.report.table import coverage_line
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item

PAPER = "Khodak, Balcan and Talwalkar, “Adaptive Gradient-Based Meta-Learning Methods”, NeurIPS 2019"
BUDGET = 2_999_000  # bytes that the page may have with its pictures
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:; "
    f"script-src '{digest()}'"
)
BADGES = {
    Stand.HOLDS: "not refuted",
    Stand.PROOF: "not refuted, but its proof is",
    Stand.PARTLY: "refuted in part",
    Stand.FAILS: "refuted",
    Stand.SUSPECT: "suspect",
    Stand.IDLE: "idle",
    Stand.ERROR: "error",
    Stand.OPEN: "without a verdict",
}


class Beside(NamedTuple):
    """What the page may show beside the verdicts: the user's file of statements (None: the paper's), pictures and the
    address of their folder, the recorded worst cases and power by label, the address of the folder with the sources;
    `blind`: the run did without stored witnesses."""

    file: Path | None = None
    pictures: Sequence[album.Picture] = ()
    base: str = "figures"
    worst: Mapping[str, Sequence[worst_cases.Row]] = {}
    power: Mapping[str, Sequence[power.Row]] = {}
    root: str = ".."
    blind: bool = False

    @property
    def subject(self) -> str:
        """What is on trial."""
        return self.file.name if self.file else "ARUBA"


class Section(NamedTuple):
    """One section of the page: its id, its name in the table of contents, its heading and what stands below."""

    name: str
    short: str
    heading: str
    body: str


def write_page(
    path: Path, outcomes: Sequence[Outcome], root: Path, file: Path | None = None, blind: bool = False
) -> Path:
    """Write the page of these outcomes in one step, with its folder; what stands beside is read under `root`."""
    folder = root / "out" / "figures"
    if file and file.is_absolute():
        file = Path(os.path.relpath(file, root))
    relative = [Path(os.path.relpath(p, path.parent)).as_posix() for p in (folder, root)]
    beside = Beside(file, blind=blind)
    if not file:
        found = worst_cases.find(root), power.find(root)
        beside = Beside(None, album.album(folder), relative[0], *found, relative[1], blind)
    text = page([_near(o, root) for o in outcomes], beside)
    if len(text.encode()) > BUDGET:
        warnings.warn(
            f"the page {path} has {len(text.encode()):,} bytes without a picture; it should have at most {BUDGET:,}",
            stacklevel=2,
        )
    return replace_text(path, text)


def _near(outcome: Outcome, root: Path) -> Outcome:
    """The outcome with the files of its witnesses as seen from `root`."""
    v = outcome.verdict
    if v is None:
        return outcome
    simplest, worst = _kept(outcome.simplest, v.simplest, root), _kept(outcome.worst, v.worst, root)
    return outcome._replace(simplest=simplest, worst=worst)


def _kept(path: Path | None, witness: Witness | None, root: Path) -> Path | None:
    """The file of a witness as seen from `root`: the one on record if it holds the same instance."""
    if path is None or witness is None:
        return path
    kept = root / ledger.WITNESSES / path.name
    if kept.is_file() and read_witness(kept).tape == witness.tape:
        path = kept
    return Path(os.path.relpath(path, root))


def page(outcomes: Sequence[Outcome], beside: Beside = Beside()) -> str:  # noqa: B008  (an immutable default)
    """The page of these outcomes as text."""
    statuses = {o.statement.label: o.verdict.status for o in outcomes if o.verdict}
    standing = standings([o.statement for o in outcomes], statuses)
    sections = [
        Section("words", "Words", "What the words mean", _words()),
        Section("verdicts", "Verdicts", "Verdicts", _verdicts(outcomes, beside)),
        Section("statements", "Statements", "Statements", _statements(outcomes, standing, beside)),
    ]
    if not beside.file:
        sections = [
            Section("items", "Items", "The paper, item by item", _map(standing)),
            Section("rests", "What rests on what", "What rests on what", _graph(standing)),
            *sections,
            Section("figures", "Figures", "Figures", _figures(beside)),
        ]
    nav = " · ".join(f'<a href="#{s.name}">{s.short}</a>' for s in sections)
    main = "".join(f'<h2 id="{s.name}">{s.heading}</h2>{s.body}' for s in sections)
    head = f'{_top(outcomes, beside)}<main>{_tally(outcomes, standing, beside)}<nav class="small">{nav}</nav>'
    text = _document(f"{head}{main}</main>{_footer(outcomes)}", html.escape(f"{beside.subject} on trial"))
    return album.embed(text, beside.pictures, BUDGET, beside.base)


def _document(body: str, title: str) -> str:
    head = (
        f'<meta charset="utf-8"/><meta http-equiv="Content-Security-Policy" content="{POLICY}"/>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f'<meta name="color-scheme" content="light dark"/><title>{title}</title>'
        f"<style>/*<![CDATA[*/{STYLE}/*]]>*/</style>"
    )
    opening = '<!DOCTYPE html>\n<html lang="en" xmlns="http://www.w3.org/1999/xhtml">'
    return f"{opening}<head>{head}</head>\n<body>{body}<script>{SCRIPT}</script></body></html>\n"


# head --------------------------------------------------------------------------------------------------------------


def _top(outcomes: Sequence[Outcome], beside: Beside) -> str:
    verdicts = [o.verdict for o in outcomes if o.verdict]
    facts = [count(sum(v.trials for v in verdicts), "trial")]
    for name, values in (("seed", {str(v.seed) for v in verdicts}), ("sources", {v.digest for v in verdicts})):
        if values:
            facts.append(f"{name} {html.escape(', '.join(sorted(values)))}")
    if beside.blind:
        facts.append("a blind run: stored witnesses were ignored")
    paper = "" if beside.file else f"The paper: {PAPER}.<br/>"
    return (
        f'<div class="top"><h1>{html.escape(beside.subject)} on trial</h1><p class="lead">Every claim is an inequality '
        f"lhs ≤ rhs over drawn instances; engines try to break it, and exact arithmetic has the last word.</p>"
        f'<p class="meta">{paper}{" · ".join(facts)}</p></div>'
    )


def _tally(outcomes: Sequence[Outcome], standing: Mapping[str, Standing], beside: Beside) -> str:
    """The summary of the paper's items in one line, and the statements by status."""
    by_stand = [(stand, sum(s.stand is stand for s in standing.values())) for stand in Stand]
    items = ", ".join(f"{n} {BADGES[stand]}" for stand, n in reversed(by_stand) if n)
    tiles = "".join(
        f'<li class="{status} {"" if n else "zero"}"><b>{n}</b><span>{status}</span></li>'
        for status, n in counts(outcomes).items()
    )
    summary = "" if beside.file else f"<p><b>{coverage_line(outcomes)}</b>{': ' + items if items else ''}.</p>"
    tried = count(len(outcomes), "statement")
    return f'{summary}<p class="small">{tried}, by status:</p><ul class="tally">{tiles}</ul>'


def _map(standing: Mapping[str, Standing]) -> str:
    """The whole paper as one cell for each item, section by section."""
    rows, listed = [], slugs_of(statements.PAPER)
    by_section = sorted(ARUBA.items, key=lambda item: [i.file for i in ARUBA.items].index(item.file))
    for section, items in groupby(by_section, key=lambda item: item.file):
        cells = "".join(_cell(item, standing.get(item.slug), listed) for item in items)
        rows.append(
            f'<dt title="{html.escape(ARUBA.sections[section][1])}">{ARUBA.sections[section][0]}</dt><dd>{cells}</dd>'
        )
    key = "".join(
        f'<span><i class="cell {stand}">{MARKS[stand]}</i>{html.escape(text[0].lower() + text[1:])}</span>'
        for stand, text in STANDS.items()
    )
    key += '<span><i class="cell"></i>no statement of its own</span>'
    sentence = (
        "<p>Each cell is one item, in the order of its section. One refuted reading does not make a false theorem: "
        "what decides is the main reading; other readings and the lines of the proof are counted apart.</p>"
    )
    return f'{sentence}<dl class="map">{"".join(rows)}</dl><p class="key">{key}</p>'


def _cell(item: Item, standing: Standing | None, listed: Container[str]) -> str:
    name = f"{item.slug}{f' ({item.kind} {item.number})' if item.number else ''}"
    if standing is None:
        title = html.escape(f"{name}: {absence(item.slug, listed)}", quote=True)
        stand, mark = (f" {Stand.OPEN}", MARKS[Stand.OPEN]) if item.slug in listed else ("", "")
        return f'<i class="cell{stand}" title="{title}">{mark}</i>'
    title = html.escape(f"{name}. {standing.sentence}", quote=True)
    target, mark = anchor(item.slug, "i"), MARKS[standing.stand]
    return f'<a class="cell {standing.stand}" href="#{target}" title="{title}" aria-label="{title}">{mark}</a>'


def _graph(standing: Mapping[str, Standing]) -> str:
    anchors = {slug: anchor(slug, "i") for slug in standing}
    drawing = graph(statements.PAPER, standing, anchors)
    return (
        "<p>An edge leads from an item to one that uses it: what stands on the "
        "left supports what stands on the right. Below: items without an edge.</p>"
        f'<div class="scroll wide">{drawing}</div>'
    )


def _words() -> str:
    rows = "".join(f"<dt>{badge(status)}</dt><dd>{html.escape(text)}</dd>" for status, text in SENTENCES.items())
    ratio = (
        "A ratio is lhs/rhs where rhs &gt; 0, so above 1 the claim is broken; elsewhere it is (lhs − rhs)/scale, "
        "marked Δ, and broken above 0. A ratio is never rounded across 1. The bars beside a verdict count trials by "
        "ratio, on a logarithmic scale: from 0 to 1, and apart from them 1 and above. "
        f"A link with {SIGNS[Status.REFUTED]} leads to a refuted statement, with {SIGNS[Status.SUSPECT]} to a suspect "
        f"one, with {SIGNS[Status.ERROR]} to one whose code failed."
    )
    return f'<dl class="words">{rows}</dl><p>{ratio}</p>'


# table -------------------------------------------------------------------------------------------------------------


def _verdicts(outcomes: Sequence[Outcome], beside: Beside) -> str:
    names = ("statement", "item", "role", "status")
    head = "".join(f"<th>{n}</th>" for n in names)
    head += "".join(f'<th class="n">{n}</th>' for n in ("worst ratio", "trials", "power"))
    rows = "".join(_verdict_row(o, beside.power.get(o.statement.label, ())) for o in outcomes)
    body = f"<thead><tr>{head}<th>found by</th></tr></thead><tbody>{rows}</tbody>"
    table = f'<table class="verdicts" id="table">{body}</table>'
    power_text = "Power: the false siblings that each engine refutes, of those tried." if beside.power else ""
    return (
        f'{_filter(outcomes)}<div class="scroll">{table}</div><p class="small">{power_text}</p>'
        f"{downloads.links(outcomes)}"
    )


def _filter(outcomes: Sequence[Outcome]) -> str:
    """Fields for the script; without it they stay hidden."""
    statuses = dict.fromkeys("no verdict" if o.verdict is None else o.verdict.status.value for o in outcomes)
    roles = dict.fromkeys(role_of(o.statement).value for o in outcomes)
    chosen = "".join(
        f'<label>{name} <select name="{name}"><option value="">all</option>'
        + "".join(f"<option>{html.escape(value)}</option>" for value in values)
        + "</select></label>"
        for name, values in (("status", statuses), ("role", roles))
    )
    words = '<label>words <input type="search" name="words" size="18"/></label>'
    closing = '<button type="reset">clear</button><output name="count"></output>'
    return f'<form id="filter" hidden="hidden">{words}{chosen}{closing}</form>'


def _verdict_row(outcome: Outcome, rows: Sequence[power.Row]) -> str:
    s, v = outcome.statement, outcome.verdict
    item, role, status = ARUBA.item_of(s.label), role_of(s), status_of(outcome)
    name = f"{item.kind} {item.number}".strip() if item else s.kind
    cells = f'<td><a href="#{anchor(s.label)}">{html.escape(s.label)}</a></td><td>{html.escape(name)}</td>'
    cells += f"<td>{role.value}</td><td>{badge(status)}</td>"
    if v is None:
        return f"<tr>{cells}{'<td></td>' * 4}</tr>"
    worst = worst_text(v)
    ratio = "" if worst in ("-", "undefined") else f' data-v="{v.worst_ratio:.6g}"'.replace("inf", "Infinity")
    cells += f'<td class="n"{ratio}>{worst}</td><td class="n">{v.trials:,}</td>'
    return f'<tr>{cells}<td class="n">{_power(rows)}</td><td>{html.escape(v.found_by)}</td></tr>'


def _power(rows: Sequence[power.Row]) -> str:
    """How many false siblings every engine refutes, of how many."""
    found = [(min(row.found.values()), row.tried) for row in rows if row.what == power.SIBLINGS]
    return f"{found[0][0]} of {found[0][1]}" if found else ""


# statements ----------------------------------------------------------------------------------------------------------


def _statements(outcomes: Sequence[Outcome], standing: Mapping[str, Standing], beside: Beside) -> str:
    """The articles, those of one item of the paper under one heading."""
    listed = source.sources()
    by_label: dict[str, list[int]] = {}
    for i, picture in enumerate(beside.pictures):
        for label in picture.labels if len(picture.labels) <= album.MANY else ():
            by_label.setdefault(label, []).append(i)

    def code(s: Statement) -> str:
        return _code(s, listed.get(id(s), ""), beside)

    def pictures(label: str) -> str:
        return _pictures(by_label.get(label, ()), beside)

    back = backlinks(outcomes)
    around = Around(
        {o.statement.label: o for o in outcomes},
        frozenset(standing),
        back,
        same_assumptions(outcomes),
        first_corrected(outcomes, back),
        beside.worst,
        beside.power,
        code,
        pictures,
        beside.file,
    )
    blocks = []
    for item, group in groupby(outcomes, key=lambda o: ARUBA.item_of(o.statement.label)):
        articles = "".join(article(o, around) for o in group)
        blocks.append(f"{_item(item, standing[item.slug])}{articles}</section>" if item else articles)
    return AXIS + "".join(blocks)


def _item(item: Item, standing: Standing) -> str:
    name = f"{item.kind.capitalize()} {item.number}".strip()
    where = f"{html.escape(item.slug)}, in {html.escape(item.file)}"
    word = f'<span class="badge {standing.stand}">{BADGES[standing.stand]}</span>'
    return (
        f'<section class="item" id="{anchor(item.slug, "i")}"><header><h3>{html.escape(name)}</h3>{word}'
        f'<p class="tag"><code>{where}</code></p></header><p>{html.escape(standing.sentence)}</p>'
    )


def _code(s: Statement, file: str, beside: Beside) -> str:
    """Where the two sides are computed."""
    if not file:
        return ""
    line = source.line_of(s, file)
    place = f"{Path(file).name}{f':{line}' if line else ''}"
    address = quote(f"{beside.root}/{file}") + (f"#L{line}" if line else "")
    return f' · <a href="{html.escape(address, quote=True)}">{html.escape(place)}</a>'


def _pictures(numbers: Sequence[int], beside: Beside) -> str:
    """The pictures of one statement: its witness here, figures by a link to where they stand."""
    found = []
    for i in numbers:
        picture = beside.pictures[i]
        link = f'<p class="small">Figure: <a href="#{album.anchor(picture)}">{html.escape(picture.name)}</a></p>'
        found.append(album.mark(i) if picture.kind == album.WITNESS else link)
    return "".join(found)


# end ---------------------------------------------------------------------------------------------------------------


def _figures(beside: Beside) -> str:
    marks = [album.mark(i) for i, picture in enumerate(beside.pictures) if picture.kind == album.FIGURE]
    none = "<p>None drawn yet: <code>make figures</code> draws them and writes this page again.</p>"
    return "".join(marks) or none


def _footer(outcomes: Sequence[Outcome]) -> str:
    seconds = sum(o.verdict.seconds for o in outcomes if o.verdict)
    return (
        f"<footer><p>Survived is not proved: it says that nothing was found. {count(len(outcomes), 'statement')}, "
        f"{seconds:,.1f} seconds of computing. Written by <code>arubatheory</code>.</p></footer>"
    )
