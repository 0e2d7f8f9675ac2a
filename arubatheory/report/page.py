r"""One self-contained HTML page of a campaign: it needs no network and no script, and may be mailed as it is.

It is written as well-formed XML too, which is how the tests know that everything was escaped.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arubatheory.engines.source import Source
from arubatheory.engines.verdict import SENTENCES, Status, Verdict, Witness
from arubatheory.engines.witness_files import read_witness
from arubatheory.report import album, article, downloads, formula, power, sharp, simplicity, worst_cases
from arubatheory.report.article import SIGNS, Around, Beside, status_of
from arubatheory.report.changes import sentence
from arubatheory.report.files import replace_text
from arubatheory.report.graph import absence, graph, slugs_of
from arubatheory.report.lean import lean
from arubatheory.report.markup import asset, environment
from arubatheory.report.outcome import Outcome, counts, ratio_text, replay_line, worst_text
from arubatheory.report.plain import instance_lines
from arubatheory.report.plots import AXIS, curve, sizes, spread
from arubatheory.report.standing import Stand, Standing, by_section, item_of, role_of, standings
from arubatheory.report.table import coverage_line
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import visible

BUDGET = 2_195_000  # bytes that the page may have with its pictures
READ = re.compile(r"[\d.]+(e-\d+)?")  # a ratio that the script reads as it stands


def write_page(path: Path, outcomes: Sequence[Outcome], root: Path, source: Source, blind: bool = False) -> Path:
    """Write the page of these outcomes in one step, with its folder; what stands beside is read under `root`."""
    text = lean(page([_near(o, root, source.paper) for o in outcomes], beside_of(path, root, source, blind)))
    if len(text.encode()) > BUDGET:
        size = f"the page {path} has {len(text.encode()):,} bytes without a picture"
        warnings.warn(f"{size}; it should have at most {BUDGET:,}", stacklevel=2)
    return replace_text(path, text)


def beside_of(path: Path, root: Path, source: Source, blind: bool = False) -> Beside:
    """What the page in the file `path` shows beside the verdicts. Raises RecordError for what cannot be read."""
    file, paper = source.file, source.paper
    if file and file.is_absolute():
        file = Path(os.path.relpath(file, root))
    if paper is None:
        return Beside(None, file, blind=blind)
    folder = root / "out" / paper.shelf / "figures"
    base, sources = (Path(os.path.relpath(p, path.parent)).as_posix() for p in (folder, root))
    worst, powers, sharps, simple = (t.TABLE.of(paper, root) for t in (worst_cases, power, sharp, simplicity))
    return Beside(paper, None, album.album(folder), base, worst, powers, sources, blind, sharps, simple)


def _near(outcome: Outcome, root: Path, paper: Paper | None) -> Outcome:
    """The outcome with the files of its witnesses as seen from `root`."""
    v = outcome.verdict
    if v is None:
        return outcome
    pairs = ((outcome.simplest, v.simplest), (outcome.worst, v.worst))
    simplest, worst = (_kept(path, witness, root, paper) for path, witness in pairs)
    proofs = tuple(_recorded(path, root, paper) for path in outcome.certificates)
    return outcome._replace(simplest=simplest, worst=worst, certificates=proofs)


def _recorded(path: Path, root: Path, paper: Paper | None) -> Path:
    """The file of a certificate as seen from `root`: the one on record if it is the same."""
    kept = root / paper.certificates / path.name if paper else path
    return Path(os.path.relpath(kept if kept.is_file() and kept.read_bytes() == path.read_bytes() else path, root))


def _kept(path: Path | None, witness: Witness | None, root: Path, paper: Paper | None) -> Path | None:
    """The file of a witness as seen from `root`: the one on record if it holds the same instance."""
    if path is None or witness is None:
        return path
    kept = root / paper.witnesses / path.name if paper else path
    same = kept.is_file() and read_witness(kept).tape == witness.tape
    return Path(os.path.relpath(kept if same else path, root))


def page(outcomes: Sequence[Outcome], beside: Beside = Beside()) -> str:  # noqa: B008  (an immutable default)
    """The page of these outcomes as well-formed text; its pictures are as many as a lean page has room for."""
    paper = beside.paper
    statuses = {o.statement.label: o.verdict.status for o in outcomes if o.verdict}
    proved = {o.statement.label: o.verdict.proved for o in outcomes if o.verdict}
    standing = standings([o.statement for o in outcomes], statuses, paper, proved)
    around = Around(outcomes, beside)
    made = environment(
        paper,
        **_of_articles(around, beside),
        **_of_outcomes(outcomes, around, standing),
        **(_of_paper(paper, around, standing) if paper else {}),
        paper=paper,
        subject=beside.subject,
        blind=beside.blind,
        script=Markup(asset("page.js")),
        style=Markup(asset("page.css")),
        policy=policy(asset("page.js")),
    )
    text = visible(made.get_template("page.html").render())
    return album.embed(text, beside.pictures, BUDGET, beside.base, paper)


def policy(script: str) -> str:
    """What the page may do: run exactly this script, show its own images, fetch nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    none = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{none}; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"


def _of_articles(around: Around, beside: Beside) -> dict[str, Any]:
    """What the template of an article calls."""
    pictures: dict[str, list[int]] = {}
    for i, picture in enumerate(beside.pictures):
        for label in picture.labels if len(picture.labels) <= album.MANY else ():
            pictures.setdefault(label, []).append(i)
    macros = around.paper.macros if around.paper else {}
    inline, prose = partial(formula.formula, display=False, macros=macros), partial(formula.prose, macros=macros)
    drawn, told = (curve, sizes, spread, worst_cases.games), (status_of, instance_lines, ratio_text, replay_line)
    return {
        **{f.__name__: f for f in (article.number, album.mark, *drawn, *told)},
        **{"LINES": article.LINES, "MANY": article.MANY, "HEAD": worst_cases.HEAD},
        "around": around,
        "changes": lambda change: Markup(sentence(change, inline, prose)),
        "album": beside.pictures,
        "pictures_of": {label: pictures.get(label, []) for label in around.outcomes},
        "root": beside.root,
    }


def _of_outcomes(outcomes: Sequence[Outcome], around: Around, standing: Mapping[str, Standing]) -> dict[str, Any]:
    """The verdicts as tiles, table and files, and the articles by item."""
    paper = around.paper
    grouped = groupby(outcomes, key=lambda o: item_of(paper, o.statement.label))
    return {
        "outcomes": outcomes,
        "tally": counts(outcomes),
        "in_part": sum(bool(o.verdict and o.verdict.status is Status.SURVIVED and o.verdict.proofs) for o in outcomes),
        **{f.__name__: f for f in (item_of, role_of, worst_text, sorted_by)},
        "choices": {
            "status": dict.fromkeys("no verdict" if o.verdict is None else o.verdict.status for o in outcomes),
            "role": dict.fromkeys(role_of(o.statement, paper).value for o in outcomes),
        },
        "as_csv": downloads.address(downloads.as_table(outcomes, paper)),
        "as_json": downloads.address(downloads.as_json(outcomes, paper)),
        "sentences": SENTENCES,
        "signs": SIGNS,
        "axis": AXIS,
        "by_item": [(item, list(group)) for item, group in grouped],
        "standing": standing,
        "verdicts": [o.verdict for o in outcomes if o.verdict],
        "stale": bool(outcomes) and not any(o.current for o in outcomes),
    }


def sorted_by(verdict: Verdict) -> str:
    """What the script sorts a worst ratio by where that is not its text."""
    text = worst_text(verdict)
    if verdict.worst_ratio is None or text in ("-", "undefined") or READ.fullmatch(text):
        return ""
    return f"{verdict.worst_ratio:.6g}".replace("inf", "Infinity")


def _of_paper(paper: Paper, around: Around, standing: Mapping[str, Standing]) -> dict[str, Any]:
    """The summary of the items, the map of all of them, and the graph."""
    by_stand = [(stand, sum(s.stand is stand for s in standing.values())) for stand in Stand]
    return {
        "coverage": coverage_line(around.outcomes.values(), paper),
        "counted": ", ".join(f"{n} {stand.badge}" for stand, n in reversed(by_stand) if n),
        "by_section": by_section(paper),
        "listed": slugs_of(paper.statements, paper),
        "absence": absence,
        "Stand": Stand,
        "graph": graph(paper, standing, around.items),
    }
