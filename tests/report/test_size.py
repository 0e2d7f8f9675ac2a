"""The page of the paper is light: with its verdicts on record, and room for its figures."""

from __future__ import annotations

from pathlib import Path

from nesting import same_document
from toy import verdict, witness

from arubatheory import PAPER
from arubatheory.engines.reach import Reach
from arubatheory.engines.source import Source
from arubatheory.engines.verdict import Status
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.lean import lean
from arubatheory.report.outcome import Outcome
from arubatheory.report.page import BUDGET, Beside, beside_of, page
from arubatheory.statements.core import Statement

ROOT = Path(__file__).parents[2]


def recorded() -> list[Outcome]:
    """The paper with the verdicts of its ledger, the witnesses on record, and bars, notes and a closest instance for
    all, as long as those of a campaign."""
    rows = ledger.find(ROOT, ARUBA)
    assert rows is not None
    return [of_ledger(s, rows[s.label], len(PAPER)) for s in PAPER]


def of_ledger(s: Statement, row: ledger.LedgerRow, n: int) -> Outcome:
    paths = [ARUBA.witnesses / f"{file_stem(s.label)}-{which}.json" for which in ("simplest", "worst")]
    simplest, worst = (read_witness(ROOT / path) if (ROOT / path).is_file() else None for path in paths)
    reach = Reach({"T": [[k, 1 / k] for k in (1, 2, 3, 5, 8)]}, 0.9, tuple(n / (n + k) for k in range(20)), (0.9, 2, 2))
    found = verdict(
        s.label,
        Status(row.status),
        trials=int(row.trials),
        evaluations=int(row.trials) + n,
        overruled=3,
        worst_ratio=float(row.worst_ratio) if row.worst_ratio else None,
        found_by=row.found_by,
        histogram=tuple(k * k for k in range(21)),
        simplest=simplest,
        worst=worst or witness(s.label, certified="holds"),
        reach=reach,
    )
    said = "an error of the factor 1.1 (closest ratio known: 0.93231) would have been found, 1.01 not"
    cached = Path(".cache/witnesses") / paths[1].name
    return Outcome(s, found, simplest=paths[0] if simplest else None, worst=paths[1] if worst else cached, power=said)


PICTURES = 153_000  # bytes of six figures on the page, and of the six smallest pictures of witnesses
TAKEN = 92_000  # and of the frames, captions and links of all, and of what certificates prove
LIMIT = 2_200_000  # bytes that CI allows


def test_the_page_of_the_paper_leaves_room_for_pictures() -> None:
    beside = beside_of(ROOT / "out" / "index.html", ROOT, Source())._replace(pictures=())
    whole = page(recorded(), beside)
    same_document(whole)
    text = lean(whole)
    assert len(text.encode()) + PICTURES + TAKEN < BUDGET < LIMIT
    assert f'" -lt {LIMIT} ' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_an_item_links_a_source_once() -> None:
    text = page([Outcome(s) for s in PAPER[:2]], Beside(ARUBA))
    assert text.count("regret_upper_bound.py#L") == 1 and text.count("regret_upper_bound.py:") == 2
