r"""What slipped in a paper, item by item, and what its table of verdicts says of each.

`slips.tsv` beside a paper's items has one row for each item of which something fails: the gravest kind of the slip, and
one sentence. It is about as serious as its kind: a *wording* slip is a quantifier, a case or a symbol, and what was
meant stands; after a slip of a *constant* the claim has another one; of a *rate*, another order in T, m, d or $\delta$;
after one of *substance* it needs another hypothesis or another algorithm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from arubatheory.engines.verdict import Status
from arubatheory.report.ledger import LedgerRow
from arubatheory.report.standing import Stand, Standing, standings
from arubatheory.statements.items import Covered, Item
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import read_rows

COLUMNS = ("slug", "slip", "words")
FAILING = (Stand.FAILS, Stand.PARTLY, Stand.SUSPECT, Stand.READ, Stand.PROOF)


class Slip(StrEnum):
    """What slipped, from harmless to grave."""

    WORDING = "wording"
    CONSTANT = "constant"
    RATE = "rate"
    SUBSTANCE = "substance"


class Line(NamedTuple):
    """What the table says of an item: how it stands (None: it has no statement), a sentence, and the slip if any."""

    item: Item
    standing: Standing | None
    words: str
    slip: Slip | None


def read_slips(paper: Paper) -> dict[str, tuple[Slip, str]]:
    """The slips of a paper by slug; none without a table. Raises ValueError for one that cannot be read."""
    path = paper.home / "slips.tsv"
    if not path.exists():
        return {}
    return {paper.item(slug).slug: (Slip(slip), words) for _, (slug, slip, words) in read_rows(path, COLUMNS)}


def table(paper: Paper, rows: Mapping[str, LedgerRow]) -> list[Line]:
    """A line for each item of a paper, in its order, by the verdicts on record."""
    statements = [s for s in paper.statements if s.label in rows]
    statuses = {label: Status(row.status) for label, row in rows.items()}
    found = standings(statements, statuses, paper, {label: row.proved for label, row in rows.items()})
    slips, covered = read_slips(paper), paper.coverage().by_slug
    return [_line(item, found.get(item.slug), slips.get(item.slug), covered[item.slug]) for item in paper.items]


def _line(item: Item, standing: Standing | None, slip: tuple[Slip, str] | None, covered: Covered) -> Line:
    words = standing.sentence if standing else f"It has no statement of its own: {covered}."
    return Line(item, standing, slip[1] if slip else words, slip[0] if slip else None)


def fails(line: Line) -> bool:
    """Whether a reading of an item or a line of its proof is refuted."""
    return line.standing is not None and line.standing.stand in FAILING


def counted(lines: list[Line]) -> dict[Slip, int]:
    """How many items have each slip, from harmless to grave."""
    count = Counter(line.slip for line in lines)
    return {slip: count[slip] for slip in Slip}
