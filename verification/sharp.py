r"""How sharp are the bounds? The factor that each needs on its right side, size by size.

    python -m verification.sharp [PATTERN...] [--budget B] [--seed S] [--sizes N,N] [--resume | --add]

Bounds are the claims of the paper, its corrected and its sharper forms that no engine has broken, without the steps of
proofs, identities and claims about growth or chance; those on which the ledger has equality come last, their constant
is sharp. Writes verification/sharp.csv, after each bound, and the table of docs/sharp.md; with patterns of labels, only
their rows are made again, and with `--resume` only those that are not on file. With `--add`, for statements that are as
they were, another run adds to what is on file: a row stays where it refutes more. Where the run in the ledger met a
worse ratio than all searches here, that one stands in the row for all sizes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from arubatheory.cli.codes import Refused, fail  # noqa: E402  (numpy reads the variables when imported)
from arubatheory.cli.selection import select  # noqa: E402  (numpy reads the variables when imported)
from arubatheory.engines.sharpen import FACTOR, Sharp, above, admits, constant_of, sharpen, size_of  # noqa: E402
from arubatheory.engines.verdict import Status  # noqa: E402
from arubatheory.papers.aruba import ARUBA  # noqa: E402
from arubatheory.report import ledger  # noqa: E402
from arubatheory.report.files import replace_text  # noqa: E402
from arubatheory.report.sharp import TABLE, SharpRow, guesses, interval, worst  # noqa: E402
from arubatheory.statements.core import Statement  # noqa: E402

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "sharp.md"
MARK = "<!-- the table: python -m verification.sharp -->"
STATEMENTS = {s.label: s for s in ARUBA.statements}


def bounds(root: Path) -> list[Statement]:
    """The inequalities that the ledger has as unbroken, with a right side that a factor makes larger; those that are
    not attained first."""
    rows = ledger.find(root, ARUBA) or {}
    unbroken = {label for label, row in rows.items() if row.status in (Status.SURVIVED, Status.PROVED)}
    mine = [s for s in ARUBA.statements if s.label in unbroken and s.step_of is None and "search" in s.engines]
    mine = [s for s in mine if rows[s.label].worst_ratio not in ("", "0")]
    return sorted(mine, key=lambda s: rows[s.label].worst_ratio == "1")


def rows_of(label: str, constant: str, printed: object, size: str, found: Iterable[Sharp]) -> list[SharpRow]:
    """What `sharpen` found, as rows; none of what nothing refutes."""
    head = (label, constant, str(printed), size)
    ends = [(s, f"{s.refuted:.12g}", f"{s.survived:.12g}") for s in found if s.refuted is not None]
    return [SharpRow(*head, s.size or 0, low, high, s.trials, s.climbs, s.agree) for s, low, high in ends]


def sharpened(label: str, sizes: Sequence[int], budget: int, seed: int) -> list[SharpRow]:
    """The rows of one bound; none where its right side is not positive."""
    statement = STATEMENTS[label]
    constant, size = constant_of(statement, None), size_of(statement) or ""
    try:
        found = sharpen(statement, None, [k for k in sizes if not size or admits(statement, size, k)], budget, seed)
    except ValueError as error:
        print(f"{label}: {error}", file=sys.stderr)
        return []
    return rows_of(label, constant.name, constant.printed, size, found)


def better(found: Sequence[SharpRow], known: Sequence[SharpRow]) -> list[SharpRow]:
    """What was found of one bound and, in the place of rows that refute less of the same factor, those that were known:
    what a witness refuted stays refuted."""
    before = {row[:5]: row for row in known if row.constant == FACTOR}
    return [max(row, before.get(row[:5], row), key=lambda each: float(each.refuted)) for row in found]


def with_run(rows: Sequence[SharpRow], ratio: float, trials: int) -> list[SharpRow]:
    """The rows of a bound, the last, for all sizes, with the worst ratio of another run where that is larger."""
    *others, whole = rows
    if whole.value or whole.constant != FACTOR or ratio * (1 - 2e-9) <= float(whole.refuted):
        return list(rows)
    ends = f"{ratio * (1 - 1e-9):.12g}", f"{above(ratio):.12g}"
    return [*others, whole._replace(refuted=ends[0], survived=ends[1], trials=whole.trials + trials, climbs=0, agree=0)]


def with_record(made: Mapping[str, list[SharpRow]], root: Path) -> dict[str, list[SharpRow]]:
    """The rows with what the run in the ledger met where that is worse."""
    known = ledger.find(root, ARUBA) or {}
    pairs = {label: (rows, known[label]) for label, rows in made.items() if rows and label in known}
    return {label: with_run(rows, float(row.worst_ratio), int(row.trials)) for label, (rows, row) in pairs.items()}


def lines(rows: Sequence[SharpRow]) -> list[str]:
    """The table in Markdown, a line for each bound: the interval over all sizes, where it was attained, and guesses."""
    made = ["| bound | printed | sharp | the worst size | limit (extrapolated) | guess |", "|---|---|---|---|---|---|"]
    for label in dict.fromkeys(row.label for row in rows):
        mine = [row for row in rows if row.label == label]
        whole = worst(mine)
        where = f"{whole.size} = {whole.value}" if whole.value else f"any {whole.size}" if whole.size else "no size"
        cells = (f"`{label}`", whole.printed, interval(whole), where, *guesses(mine))
        made.append(f"| {' | '.join(cells)} |")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Make the table."""
    parser = argparse.ArgumentParser(prog="python -m verification.sharp", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--budget", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", default="1,2,3,4,5")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--add", action="store_true")
    args = parser.parse_args(argv)
    labels, path = [s.label for s in bounds(HOME)], HOME / TABLE.location(ARUBA)
    try:
        chosen = select(args.patterns, labels, only=True) if args.patterns else labels
    except Refused as error:
        return fail(error.code, str(error))
    made, sizes = TABLE.by_label(path), [int(k) for k in args.sizes.split(",")]
    for n, label in enumerate(chosen, 1):
        if args.resume and label in made:
            continue
        start = time.perf_counter()
        found = sharpened(label, sizes, args.budget, args.seed)
        made[label] = better(found, made.get(label, [])) if args.add else found
        TABLE.write(path, [row for each in labels for row in made.get(each, [])])
        print(f"[{n}/{len(chosen)}] {label} {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    known = with_record(made, HOME)
    rows = [row for each in labels for row in known.get(each, [])]
    TABLE.write(path, rows)
    head = PAGE.read_text().partition(MARK)[0]
    replace_text(PAGE, f"{head}{MARK}\n\n" + "\n".join(lines(rows)) + "\n")
    print(f"wrote {path.relative_to(HOME)} and {PAGE.relative_to(HOME)}: {len({row.label for row in rows})} bounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
