r"""One statement on the page: formula, assumptions, verdict with its drawing, witnesses, and what it relates to."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arubatheory.engines.verdict import Status, Verdict, Witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import power, worst_cases
from arubatheory.report.formula import formula, prose
from arubatheory.report.graph import MARKS
from arubatheory.report.outcome import Outcome, ratio_text, replay_line
from arubatheory.report.plain import count, instance_lines
from arubatheory.report.plain import number as plain_number
from arubatheory.report.plots import curve, spread
from arubatheory.report.readable import number
from arubatheory.report.standing import Role, Stand, role_of
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item

JUDGED = {
    "violated": "violated: lhs > rhs, decided without rounding",
    "holds": "holds: lhs ≤ rhs, decided without rounding",
    "tie": "an exact tie: lhs = rhs",
    "undecided": "undecided: the enclosures of both sides still overlap",
    "undefined": "a side is not a real number here, although every assumption holds",
    "float": "not asked: floating point only",
}
LARGE = {True: 2500, False: 250}  # characters of an instance that is left to its file, if it refutes and if not
SIGNS = {Status.REFUTED: MARKS[Stand.FAILS], Status.SUSPECT: MARKS[Stand.SUSPECT], Status.ERROR: MARKS[Stand.ERROR]}
FAILED = (Status.REFUTED, Status.SUSPECT)
BREAKING = ("violated", "undefined")  # how a witness is judged that breaks its claim
MANY = 6  # links of one kind that are shown at once


class Around(NamedTuple):
    """What an article may refer to: outcomes by label, items on the page, who says what about whom, recorded tables.

    `back` has (relation, label) pairs by label, `same` who has the same assumptions, `instead` where an item shows the
    formula of a corrected form, `code` the link to the source of a statement, `pictures` the marks where its pictures
    will stand.
    """

    outcomes: Mapping[str, Outcome]
    items: frozenset[str]
    back: Mapping[str, list[tuple[str, str]]]
    same: Mapping[str, str]
    instead: Mapping[tuple[Item | None, str], str]
    worst: Mapping[str, Sequence[worst_cases.Row]]
    power: Mapping[str, Sequence[power.Row]]
    code: Callable[[Statement], str]
    pictures: Callable[[str], str]
    file: Path | None


def anchor(label: str, prefix: str = "s") -> str:
    """The id of a statement on the page: its label, with every other character as its code."""
    return f"{prefix}-" + re.sub(r"[^A-Za-z0-9-]", lambda m: f"_{ord(m[0]):x}", label)


def badge(status: str) -> str:
    """A status as a coloured word."""
    return f'<span class="badge {status}">{status if status != "NONE" else "no verdict"}</span>'


def status_of(outcome: Outcome | None) -> str:
    """The status of an outcome, NONE where there is no verdict."""
    return outcome.verdict.status.value if outcome and outcome.verdict else "NONE"


def backlinks(outcomes: Iterable[Outcome]) -> dict[str, list[tuple[str, str]]]:
    """For each label, who says something about it: (relation, label)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for o in outcomes:
        s = o.statement
        relations = [("corrected by", c) for c in s.corrects] + [("used by", u) for u in s.uses]
        relations += [("has the part", s.part_of or ""), ("lines of its proof", s.step_of or "")]
        for relation, target in relations:
            found.setdefault(target, []).append((relation, s.label))
    return found


def article(outcome: Outcome, around: Around) -> str:
    """The HTML of one statement."""
    s, v = outcome.statement, outcome.verdict
    status = status_of(outcome)
    parts = [
        f'<article class="{status}" id="{anchor(s.label)}">',
        f"<header><h4>{_name(s)}</h4>{badge(status)}</header>",
        f'<p class="tag"><code>{html.escape(s.label)}</code>{around.code(s)}</p>',
        f'<div class="formula">{formula(s.latex)}</div>',
        _assumptions(s, around),
        f'<p class="note">{prose(s.note)}</p>' if s.note else "",
        _finding(outcome) if v else "<p>No verdict is stored for this statement.</p>",
        _corrected(s, around) if status in FAILED else "",
        "".join(f'<p class="small">{html.escape(row.sentence)}</p>' for row in around.power.get(s.label, ())),
        _worst_cases(around.worst.get(s.label, [])),
        around.pictures(s.label),
        _witnesses(outcome, around.file) if v else "",
        _links(outcome, around),
        "</article>",
    ]
    return "".join(parts)


def _name(s: Statement) -> str:
    role = role_of(s)
    step = re.search(r"proof-(\d+)", s.label)
    name = (
        f"line {step[1]} of the proof"
        if role is Role.STEP and step
        else role.value
        if ARUBA.item_of(s.label)
        else s.kind
    )
    name += ", corrected" if role is Role.STEP and "corrected" in s.label.split("/") else ""
    return html.escape(name[0].upper() + name[1:]) + (f": {prose(s.title)}" if s.title else "")


def _assumptions(s: Statement, around: Around) -> str:
    """The numbered assumptions; a name where the article of another statement of the item has the same."""
    same = around.same.get(s.label, s.label)
    if same != s.label:
        return f'<p class="small">Assumptions: those of {_link(same, around)}.</p>'
    items = "".join(f"<li>{formula(a.latex, display=False)}</li>" for a in s.assumptions)
    return f'<p class="small">Assumptions</p><ol class="given">{items}</ol>' if items else ""


def same_assumptions(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """For each statement with assumptions, the first one of its item that has the same."""
    first: dict[tuple[object, ...], str] = {}
    found = {}
    for o in outcomes:
        s = o.statement
        if s.assumptions:
            found[s.label] = first.setdefault((ARUBA.item_of(s.label), *(a.latex for a in s.assumptions)), s.label)
    return found


def _finding(outcome: Outcome) -> str:
    verdict = outcome.verdict
    assert verdict is not None
    said = [html.escape(verdict.sentence)]
    if verdict.measured:
        said.append(html.escape(verdict.measured[0].upper() + verdict.measured[1:] + "."))
    if verdict.error:
        said.append(f"<code>{html.escape(verdict.error)}</code>")
    counted = f"{verdict.trials:,} of {count(verdict.evaluations, 'evaluation')} counted, {count(verdict.ties, 'tie')}"
    if verdict.overruled:
        counted += f", {count(verdict.overruled, 'apparent violation')} overruled by exact arithmetic"
    said.append(f'<span class="small">{counted}.</span>')
    if outcome.comparison.word not in ("off", "same"):
        style = "differs" if outcome.comparison.differs else "small"
        said.append(f'<span class="{style}">{html.escape(outcome.comparison.sentence)}.</span>')
    if not outcome.current:
        said.append('<span class="small">Computed with other sources than the present ones.</span>')
    return f'<div class="finding"><p>{"<br/>".join(said)}</p>{_drawing(outcome.statement, verdict)}</div>'


def _drawing(s: Statement, verdict: Verdict) -> str:
    return curve(verdict.worst, s.growth) or spread(verdict)


def _corrected(s: Statement, around: Around) -> str:
    """What holds instead; its formula stands at the first statement of the item that it corrects."""
    blocks = []
    for form in _forms(s.label, around.back):
        link, first = _link(form, around), around.instead[ARUBA.item_of(s.label), form]
        where = "" if first == s.label else f'<span class="small">, written out at {_link(first, around)}</span>'
        blocks.append(f"<p><b>Instead:</b> {link} {badge(status_of(around.outcomes[form]))}{where}</p>")
        if not where:
            blocks.append(_difference(s, around.outcomes[form].statement))
    return f'<div class="instead">{"".join(blocks)}</div>' if blocks else ""


def _difference(s: Statement, form: Statement) -> str:
    """The formula of a corrected form, or its note where only the reading or the assumptions are other ones."""
    if form.latex != s.latex:
        return f'<div class="formula">{formula(form.latex)}</div>'
    return f'<p class="note">The same formula. {prose(form.note) or "Its assumptions are others."}</p>'


def _forms(label: str, back: Mapping[str, list[tuple[str, str]]]) -> list[str]:
    """The corrected forms of a statement."""
    return [by for relation, by in back.get(label, ()) if relation == "corrected by"]


def first_corrected(
    outcomes: Iterable[Outcome], back: Mapping[str, list[tuple[str, str]]]
) -> dict[tuple[Item | None, str], str]:
    """For each item and each corrected form of a failed statement of it, the first such statement."""
    found: dict[tuple[Item | None, str], str] = {}
    for o in outcomes:
        for form in _forms(o.statement.label, back) if status_of(o) in FAILED else ():
            found.setdefault((ARUBA.item_of(o.statement.label), form), o.statement.label)
    return found


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


# relations ---------------------------------------------------------------------------------------------------------


def _links(outcome: Outcome, around: Around) -> str:
    s = outcome.statement
    relations = [("part of", s.part_of), ("proof step of", s.step_of)]
    relations += [("corrects", c) for c in s.corrects] + [("uses", u) for u in s.uses]
    relations += around.back.get(s.label, ())
    by_name: dict[str, list[str]] = {}
    for relation, target in relations:
        if target:
            by_name.setdefault(relation, []).append(_link(target, around, short=relation == "lines of its proof"))
    sentences = [_sentence(name, targets) for name, targets in by_name.items()]
    return f'<div class="links">{"".join(sentences)}</div>' if sentences else ""


def _sentence(name: str, targets: list[str]) -> str:
    if len(targets) <= MANY or name == "lines of its proof":
        return f"<p>{name} {', '.join(targets)}</p>"
    return f"<details><summary>{name} {len(targets)} statements</summary><p>{', '.join(targets)}</p></details>"


def _link(label: str, around: Around, short: bool = False) -> str:
    """A link, with a sign, a title and a colour where its target fails; the label alone where the target is not on the
    page."""
    text = html.escape(re.sub(r".*proof-", "", label) if short else label)
    if label not in around.outcomes:
        return f'<a href="#{anchor(label, "i")}">{text}</a>' if label in around.items else f"<code>{text}</code>"
    verdict = around.outcomes[label].verdict
    if verdict is None or verdict.status not in SIGNS:
        return f'<a href="#{anchor(label)}">{text}</a>'
    status = verdict.status
    return f'<a class="{status}" title="{status}" href="#{anchor(label)}">{SIGNS[status]}\u00a0{text}</a>'


# witnesses ---------------------------------------------------------------------------------------------------------


def _witnesses(outcome: Outcome, file: Path | None) -> str:
    verdict, latex = outcome.verdict, [a.latex for a in outcome.statement.assumptions]
    assert verdict is not None
    simplest, worst = verdict.simplest, verdict.worst
    if simplest == worst:
        pairs = [("Simplest and worst witness", simplest, outcome.simplest)]
    else:
        pairs = [("Simplest witness", simplest, outcome.simplest)]
        if verdict.status is not Status.REFUTED or (worst and worst.certified in BREAKING):
            pairs.append(("Worst instance found", worst, outcome.worst))
    cards = "".join(_witness(name, w, path, file, latex, w is simplest) for name, w, path in pairs if w)
    return f'<div class="witnesses">{cards}</div>' if cards else ""


def _witness(name: str, w: Witness, path: Path | None, file: Path | None, latex: list[str], full: bool) -> str:
    """A witness: both sides and the line that computes them again, and (`full`) its instance and how it was judged."""
    shown = number if full else lambda side: html.escape(plain_number(side))
    rows = [("lhs", shown(w.lhs)), ("rhs", shown(w.rhs))]
    if w.ratio is not None:
        rows.append((html.escape(w.measure), ratio_text(w.ratio, w.measure)))
    instance = ""
    if full:
        rows += _judgement(w, latex)
        instance = _instance(w)
    values = "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in rows)
    line = f'<code class="replay">{html.escape(replay_line(path, file))}</code>' if path else ""
    return f'<section class="witness"><h5>{name}</h5><dl class="values">{values}</dl>{instance}{line}</section>'


def _judgement(w: Witness, latex: list[str]) -> list[tuple[str, str]]:
    bits = f", balls of {w.bits} bits" if w.bits else ", rational arithmetic" if w.certified != "float" else ""
    rows = [
        ("exactly", f"{html.escape(JUDGED.get(w.certified, w.certified))}{bits}"),
        ("found by", f"{html.escape(w.found_by)}, seed {w.seed}"),
    ]
    if w.note and w.certified != "float":  # what was measured stands above already
        rows.append(("note", prose(w.note)))
    if w.margins:
        rows.append(("margins", _margins(w, latex)))
    return rows


def _instance(w: Witness) -> str:
    if not w.instance:
        return ""
    drawn = "\n".join(instance_lines(w.instance))
    if len(drawn) > LARGE[w.certified in BREAKING]:
        return '<p class="small">The instance stands in the file.</p>'
    return f"<details><summary>The instance</summary><pre>{html.escape(drawn)}</pre></details>"


def _margins(w: Witness, latex: list[str]) -> str:
    """The margins of the assumptions by their number."""
    named = ((f"({latex.index(k) + 1})" if k in latex else formula(k, display=False), v) for k, v in w.margins.items())
    return ", ".join(f"{name} {html.escape(plain_number(margin))}" for name, margin in named)
