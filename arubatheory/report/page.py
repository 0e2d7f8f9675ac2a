r"""One self-contained HTML page of a campaign: it needs no network and no script, and may be mailed as it is.

It is written as well-formed XML too, which is how the tests know that everything was escaped.
"""

from __future__ import annotations

import base64
import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from arubatheory.engines.trial import BINS
from arubatheory.engines.verdict import SENTENCES, Status, Verdict, Witness
from arubatheory.report import worst_cases
from arubatheory.report.formula import formula, prose
from arubatheory.report.outcome import Outcome, counts, ratio_text, replay_line
from arubatheory.report.readable import instance, number
from arubatheory.report.style import STYLE
from arubatheory.report.table import coverage_line
from arubatheory.statements.items import ITEMS, Covered, Item, coverage, item_of

TITLE = "ARUBA on trial"
PAPER = "Khodak, Balcan and Talwalkar, “Adaptive Gradient-Based Meta-Learning Methods”, NeurIPS 2019"
JUDGED = {
    "violated": "violated: lhs > rhs, decided without rounding",
    "holds": "holds: lhs ≤ rhs, decided without rounding",
    "tie": "an exact tie: lhs = rhs",
    "undecided": "undecided: the enclosures of both sides still overlap",
    "undefined": "a side is not a real number here, although every assumption holds",
    "float": "not asked: floating point only",
}


def page(
    outcomes: Sequence[Outcome],
    figures: Path | None = None,
    file: Path | None = None,
    worst: Mapping[str, Sequence[worst_cases.Row]] | None = None,
) -> str:
    """The page of these outcomes; `figures` is a folder of svg files to embed, `file` the user's file of statements,
    `worst` the recorded worst cases by label."""
    shown = {o.statement.label for o in outcomes}
    back = _backlinks(outcomes)
    articles = "".join(
        _article(o, shown, back.get(o.statement.label, []), file, (worst or {}).get(o.statement.label, []))
        for o in outcomes
    )
    body = [_top(outcomes), "<main>", _tally(outcomes), _map(outcomes), _words(), _verdicts(outcomes)]
    body += ["<h2>Statements</h2>", articles, _figures(figures), "</main>", _footer(outcomes)]
    return _document("".join(body))


def write_page(path: Path, text: str) -> Path:
    """Write the page in one step, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, encoding="utf-8")
    return draft.replace(path)


def _document(body: str) -> str:
    head = (
        f'<meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f'<meta name="color-scheme" content="light dark"/><title>{TITLE}</title>'
        f"<style>/*<![CDATA[*/{STYLE}/*]]>*/</style>"
    )
    opening = '<!DOCTYPE html>\n<html lang="en" xmlns="http://www.w3.org/1999/xhtml">'
    return f"{opening}<head>{head}</head>\n<body>{body}</body></html>\n"


def anchor(label: str) -> str:
    """The id of a statement on the page: its label, with every other character as its code."""
    return "s-" + re.sub(r"[^A-Za-z0-9-]", lambda m: f"_{ord(m[0]):x}", label)


def badge(status: str) -> str:
    """A status as a coloured word."""
    return f'<span class="badge {status}">{status if status != "NONE" else "no verdict"}</span>'


# head --------------------------------------------------------------------------------------------------------------


def _top(outcomes: Sequence[Outcome]) -> str:
    verdicts = [o.verdict for o in outcomes if o.verdict]
    facts = [f"{sum(v.trials for v in verdicts):,} trials"]
    for name, values in (("seed", {str(v.seed) for v in verdicts}), ("sources", {v.digest for v in verdicts})):
        if values:
            facts.append(f"{name} {html.escape(', '.join(sorted(values)))}")
    return (
        f'<div class="top"><h1>{TITLE}</h1><p class="lead">Every claim is an inequality lhs ≤ rhs over drawn '
        f"instances; engines try to break it, and exact arithmetic has the last word.</p>"
        f'<p class="meta">The paper: {PAPER}.<br/>{" · ".join(facts)}</p></div>'
    )


def _tally(outcomes: Sequence[Outcome]) -> str:
    tiles = "".join(
        f'<li class="{status} {"" if n else "zero"}"><b>{n}</b><span>{status}</span></li>'
        for status, n in counts(outcomes).items()
    )
    return f'<ul class="tally">{tiles}</ul>'


def _map(outcomes: Sequence[Outcome]) -> str:
    """The whole paper as one cell for each item, section by section."""
    worst: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found = item_of(outcome.statement.label)
        if found and outcome.verdict:
            worst.setdefault(found.slug, []).append(outcome)
    state = coverage([o.statement for o in outcomes]).by_slug
    rows = []
    by_section = sorted(ITEMS, key=lambda item: [i.file for i in ITEMS].index(item.file))
    for section, items in groupby(by_section, key=lambda item: item.file):
        cells = "".join(_cell(item, worst.get(item.slug, []), state[item.slug]) for item in items)
        rows.append(f"<dt>{html.escape(section.removesuffix('.tex'))}</dt><dd>{cells}</dd>")
    key = (
        '<span><i class="cell tried SURVIVED"></i>survived</span><span><i class="cell tried REFUTED"></i>'
        "refuted in at least one reading or line of proof</span>"
        '<span><i class="cell tried SUSPECT"></i>suspect</span><span><i class="cell tried IDLE"></i>idle</span>'
        '<span><i class="cell tried ERROR"></i>error</span>'
        '<span><i class="cell used"></i>a definition that others exercise</span>'
        '<span><i class="cell"></i>to come</span>'
    )
    sentence = f"<p>{coverage_line(outcomes)}; each cell is one item, in the order of its section.</p>"
    return f'<h2>The paper, item by item</h2>{sentence}<dl class="map">{"".join(rows)}</dl><p class="key">{key}</p>'


def _cell(item: Item, outcomes: list[Outcome], covered: Covered) -> str:
    name = f"{item.slug}{f' ({item.kind} {item.number})' if item.number else ''}"
    if not outcomes:
        kind = "used" if covered is Covered.EXERCISED else "open"
        return f'<i class="cell {kind}" title="{html.escape(f"{name}: {covered}", quote=True)}"></i>'
    statuses = [o.verdict.status for o in outcomes if o.verdict]
    order = (Status.ERROR, Status.REFUTED, Status.SUSPECT, Status.IDLE, Status.SURVIVED)
    status = next(s for s in order if s in statuses)
    title = html.escape(f"{name}: {', '.join(statuses)}", quote=True)
    target = anchor(outcomes[0].statement.label)
    return f'<a class="cell tried {status}" href="#{target}" title="{title}" aria-label="{title}"></a>'


def _words() -> str:
    rows = "".join(f"<dt>{badge(status)}</dt><dd>{html.escape(text)}</dd>" for status, text in SENTENCES.items())
    ratio = (
        "A ratio is lhs/rhs where rhs &gt; 0, so above 1 the claim is broken; elsewhere it is (lhs − rhs)/scale, "
        "marked Δ, and broken above 0. A ratio is never rounded across 1."
    )
    return f'<h2>What the words mean</h2><dl class="words">{rows}</dl><p>{ratio}</p>'


def _verdicts(outcomes: Sequence[Outcome]) -> str:
    names = ("statement", "number", "kind", "status")
    numbers = ("worst ratio", "trials", "ties")
    head = "".join(f"<th>{n}</th>" for n in names) + "".join(f'<th class="n">{n}</th>' for n in numbers)
    head += '<th>found by</th><th class="n">seconds</th>'
    rows = "".join(_verdict_row(o) for o in outcomes)
    table = f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<h2>Verdicts</h2><div class="scroll">{table}</div>'


def _verdict_row(outcome: Outcome) -> str:
    s, v = outcome.statement, outcome.verdict
    link = f'<a href="#{anchor(s.label)}">{html.escape(s.label)}</a>'
    cells = f"<td>{link}</td><td>{html.escape(s.number)}</td><td>{html.escape(s.kind)}</td>"
    if v is None:
        return f"<tr>{cells}<td>{badge('NONE')}</td>{'<td></td>' * 5}</tr>"
    figures = (ratio_text(v.worst_ratio, v.measure), f"{v.trials:,}", f"{v.ties:,}")
    cells += f"<td>{badge(v.status)}</td>" + "".join(f'<td class="n">{x}</td>' for x in figures)
    return f'<tr>{cells}<td>{html.escape(v.found_by)}</td><td class="n">{v.seconds:.1f}</td></tr>'


# one statement -----------------------------------------------------------------------------------------------------


def _article(
    outcome: Outcome,
    shown: set[str],
    back: list[tuple[str, str]],
    file: Path | None,
    worst: Sequence[worst_cases.Row],
) -> str:
    s, v = outcome.statement, outcome.verdict
    status = v.status.value if v else "NONE"
    name = f"{s.kind.capitalize()} {s.number}".strip()
    title = f": {prose(s.title)}" if s.title else ""
    parts = [
        f'<article class="{status}" id="{anchor(s.label)}">',
        f"<header><h3>{html.escape(name)}{title}</h3>{badge(status)}</header>",
        f'<p class="tag"><code>{html.escape(s.label)}</code></p>',
        f'<div class="formula">{formula(s.latex)}</div>',
        _assumptions(outcome),
        f'<p class="note">{prose(s.note)}</p>' if s.note else "",
        _finding(outcome) if v else "<p>No verdict is stored for this statement.</p>",
        _worst_cases(worst),
        _links(outcome, shown, back),
        _witnesses(outcome, file) if v else "",
        "</article>",
    ]
    return "".join(parts)


def _assumptions(outcome: Outcome) -> str:
    given = outcome.statement.assumptions
    items = "".join(f"<li>{formula(a.latex, display=False)}</li>" for a in given)
    return f'<p class="small">Assumptions</p><ul class="given">{items}</ul>' if items else ""


def _finding(outcome: Outcome) -> str:
    verdict = outcome.verdict
    assert verdict is not None
    said = [html.escape(verdict.sentence)]
    if verdict.measured:
        said.append(html.escape(verdict.measured[0].upper() + verdict.measured[1:] + "."))
    if verdict.error:
        said.append(f"<code>{html.escape(verdict.error)}</code>")
    counted = f"{verdict.trials:,} of {verdict.evaluations:,} evaluations counted, {verdict.ties:,} ties"
    if verdict.overruled:
        counted += f", {verdict.overruled:,} apparent violations overruled by exact arithmetic"
    said.append(f'<span class="small">{counted}.</span>')
    if outcome.comparison.word not in ("off", "same"):
        style = "differs" if outcome.comparison.differs else "small"
        said.append(f'<span class="{style}">{html.escape(outcome.comparison.sentence)}.</span>')
    if not outcome.current:
        said.append('<span class="small">Computed with other sources than the present ones.</span>')
    return f'<div class="finding"><p>{"<br/>".join(said)}</p>{_spread(verdict)}</div>'


def _spread(verdict: Verdict) -> str:
    """Counted trials by ratio: bars on a logarithmic scale, the last one for exact ties and more."""
    bins = verdict.histogram
    if len(bins) != BINS + 1 or not any(bins):
        return ""
    top = math.log1p(max(bins))
    bars = []
    for i, n in enumerate(bins):
        height = 40 * math.log1p(n) / top
        place = f'x="{i * 10 + (6 if i == BINS else 0)}" y="{44 - height:.1f}" width="8" height="{height:.1f}"'
        title = f"<title>{_bin_name(i)}: {n:,}</title>"
        bars.append(f'<rect {place} rx="1" fill="currentColor">{title}</rect>' if n else "")
    axis = '<path d="M0 44.5H198M206 44.5H214" stroke="currentColor" stroke-opacity=".35"/>'
    label = f"Histogram of the ratios of {sum(bins):,} counted trials"
    drawing = f'<svg class="spread" viewBox="0 0 216 46" role="img" aria-label="{label}">{axis}{"".join(bars)}</svg>'
    return f"<figure>{drawing}<figcaption>counted trials by ratio: 0 to 1, then 1 and above (log)</figcaption></figure>"


def _worst_cases(rows: Sequence[worst_cases.Row]) -> str:
    """What is claimed, what a semidefinite program says and what search found, for each game of the statement."""
    tables = []
    for heading, game in worst_cases.blocks(rows):
        names = ("n", "claimed", "SDP worst case", "worst found", "gap")
        head = "".join(f'<th class="n">{name}</th>' for name in names)
        cells = (
            (str(r.n), f"{r.claimed:g}", worst_cases.computed(r), worst_cases.ratio(r.found), worst_cases.gap(r))
            for r in game
        )
        body = "".join("<tr>" + "".join(f'<td class="n">{html.escape(c)}</td>' for c in row) + "</tr>" for row in cells)
        table = f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        tables.append(f'<p class="small">{html.escape(heading)}</p><div class="scroll">{table}</div>')
    title = "<summary>Worst ratio regret/bound in n rounds</summary>"
    return f"<details>{title}{''.join(tables)}</details>" if tables else ""


def _bin_name(i: int) -> str:
    return "1 and above" if i == BINS else f"{i / BINS:.2f} to {(i + 1) / BINS:.2f}"


def _backlinks(outcomes: Iterable[Outcome]) -> dict[str, list[tuple[str, str]]]:
    """For each label, who says something about it: (relation, label)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for o in outcomes:
        s = o.statement
        relations = [("corrected by", c) for c in s.corrects]
        relations += [("has the part", s.part_of or ""), ("has the proof step", s.step_of or "")]
        relations += [("used by", u) for u in s.uses]
        for relation, target in relations:
            if target:
                found.setdefault(target, []).append((relation, s.label))
    return found


def _links(outcome: Outcome, shown: set[str], back: list[tuple[str, str]]) -> str:
    s = outcome.statement
    relations = [("part of", s.part_of), ("proof step of", s.step_of)]
    relations += [("corrects", c) for c in s.corrects] + [("uses", u) for u in s.uses]
    relations += back
    by_name: dict[str, list[str]] = {}
    for relation, target in relations:
        if target:
            by_name.setdefault(relation, []).append(_link(target, shown))
    sentences = [f"{name} {', '.join(targets)}" for name, targets in by_name.items()]
    return f'<p class="links">{" · ".join(sentences)}</p>' if sentences else ""


def _link(label: str, shown: set[str]) -> str:
    text = html.escape(label)
    return f'<a href="#{anchor(label)}">{text}</a>' if label in shown else f"<code>{text}</code>"


# witnesses ---------------------------------------------------------------------------------------------------------


def _witnesses(outcome: Outcome, file: Path | None) -> str:
    verdict = outcome.verdict
    assert verdict is not None
    simplest = ("Simplest witness", verdict.simplest, outcome.simplest)
    pairs = (simplest, ("Worst instance found", verdict.worst, outcome.worst))
    cards = "".join(_witness(name, w, path, file) for name, w, path in pairs if w)
    return f'<div class="witnesses">{cards}</div>' if cards else ""


def _witness(name: str, w: Witness, path: Path | None, file: Path | None) -> str:
    bits = f", balls of {w.bits} bits" if w.bits else ", rational arithmetic" if w.certified != "float" else ""
    rows = [
        ("lhs", number(w.lhs)),
        ("rhs", number(w.rhs)),
        (html.escape(w.measure), ratio_text(w.ratio, w.measure)),
        ("exactly", f'<span class="plain">{html.escape(JUDGED.get(w.certified, w.certified))}{bits}</span>'),
        ("found by", f"{html.escape(w.found_by)}, seed {w.seed}"),
    ]
    if w.note:
        rows.append(("note", f'<span class="plain">{prose(w.note)}</span>'))
    values = "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in rows)
    line = f'<code class="replay">{html.escape(replay_line(path, file))}</code>' if path else ""
    drawn = f"<details><summary>The instance</summary>{instance(w.instance)}</details>" if w.instance else ""
    body = f'<dl class="values">{values}</dl>{drawn}{_margins(w)}{line}'
    return f'<section class="witness"><h4>{name}</h4>{body}</section>'


def _margins(w: Witness) -> str:
    if not w.margins:
        return ""
    named = ((formula(latex, display=False), number(margin)) for latex, margin in w.margins.items())
    rows = "".join(f'<dt class="plain">{k}</dt><dd>{v}</dd>' for k, v in named)
    return f'<details><summary>Margins of the assumptions</summary><dl class="values">{rows}</dl></details>'


# end ---------------------------------------------------------------------------------------------------------------


def _figures(folder: Path | None) -> str:
    """The svg files of a folder, embedded as images (an image runs no script)."""
    if folder is None or not folder.is_dir():
        return ""
    images = []
    for path in sorted(folder.glob("*.svg")):
        name = html.escape(path.stem.replace("_", " "), quote=True)
        data = base64.b64encode(path.read_bytes()).decode()
        image = f'<div class="figure"><img alt="{name}" src="data:image/svg+xml;base64,{data}"/></div>'
        images.append(f'<figure>{image}<figcaption class="small">{name}</figcaption></figure>')
    return f"<h2>Figures</h2>{''.join(images)}" if images else ""


def _footer(outcomes: Sequence[Outcome]) -> str:
    seconds = sum(o.verdict.seconds for o in outcomes if o.verdict)
    return (
        f"<footer><p>Survived is not proved: it says that nothing was found. {len(outcomes)} statements, "
        f"{seconds:,.1f} seconds of computing. Written by <code>arubatheory</code>.</p></footer>"
    )
