r"""How sharp are the bounds? The factor that each needs on its right side, size by size.

    python -m verification.sharp [PATTERN...] [--budget B] [--jobs N] [--seed S] [--sizes N,N]

Bounds are the claims of the paper, its corrected and its sharper forms that no engine has broken, without the steps of
proofs, identities and claims about growth or chance. Writes verification/sharp.csv and the table of docs/sharp.md; with
patterns of labels, only their rows are made again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from arubatheory.cli import NothingSelected, fail, select  # noqa: E402  (numpy reads the variables when imported)
from arubatheory.engines.sharpen import constant_of, first_size, sharpen  # noqa: E402
from arubatheory.engines.verdict import Status  # noqa: E402
from arubatheory.papers.aruba import ARUBA  # noqa: E402
from arubatheory.report import ledger  # noqa: E402
from arubatheory.report.files import replace_text  # noqa: E402
from arubatheory.report.sharp import TABLE, SharpRow, lines, location, rows_of  # noqa: E402
from arubatheory.statements.core import Statement  # noqa: E402

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "sharp.md"
MARK = "<!-- the table: python -m verification.sharp -->"
STATEMENTS = {s.label: s for s in ARUBA.statements}


def bounds(root: Path) -> list[Statement]:
    """The inequalities that the ledger has as unbroken, with a right side that a factor makes larger."""
    rows = ledger.find(root, ARUBA) or {}
    unbroken = {label for label, row in rows.items() if row.status in (Status.SURVIVED, Status.PROVED)}
    mine = [s for s in ARUBA.statements if s.label in unbroken and s.step_of is None and "search" in s.engines]
    return [s for s in mine if rows[s.label].worst_ratio not in ("", "0")]


def sharpened(label: str, sizes: Sequence[int], budget: int, seed: int) -> list[SharpRow]:
    """The rows of one bound; none where its right side is not positive."""
    statement = STATEMENTS[label]
    constant, size = constant_of(statement, None), first_size(statement) or ""
    try:
        found = sharpen(statement, None, sizes, budget, seed)
    except ValueError as error:
        print(f"{label}: {error}", file=sys.stderr)
        return []
    return [row for row in rows_of(label, constant.name, constant.printed, size, found) if row.refuted is not None]


def main(argv: Sequence[str] | None = None) -> int:
    """Make the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", default="1,2,4,8")
    args = parser.parse_args(argv)
    labels = [s.label for s in bounds(HOME)]
    try:
        chosen = select(args.patterns, labels) if args.patterns else labels
    except NothingSelected as error:
        return fail(2, str(error))
    sizes = [int(k) for k in args.sizes.split(",")]
    made: dict[str, list[SharpRow]] = {}
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as pool:
        waiting = {label: pool.submit(sharpened, label, sizes, args.budget, args.seed) for label in chosen}
        for n, (label, future) in enumerate(waiting.items(), 1):
            made[label] = future.result()
            print(f"[{n}/{len(waiting)}] {label}", file=sys.stderr)
    _write(made, labels)
    return 0


def _write(made: dict[str, list[SharpRow]], order: Iterable[str]) -> None:
    path = HOME / location(ARUBA)
    kept = TABLE.by_label(path) if path.exists() else {}
    rows = [row for label in order for row in made.get(label, kept.get(label, []))]
    TABLE.write(path, rows)
    head = PAGE.read_text().partition(MARK)[0]
    replace_text(PAGE, f"{head}{MARK}\n\n" + "\n".join(lines(rows)) + "\n")
    print(f"wrote {path.relative_to(HOME)} and {PAGE.relative_to(HOME)}: {len({row.label for row in rows})} bounds")


if __name__ == "__main__":
    sys.exit(main())
