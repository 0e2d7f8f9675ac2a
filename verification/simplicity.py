r"""How simple are the counterexamples? Which numbers of each simplest witness on record matter.

    python -m verification.simplicity

A number matters unless other values of it leave both sides as they are, in exact arithmetic; choices and sizes are not
counted. Writes verification/simplicity.csv and prints the median and the 95 % quantile over all refuted statements.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from arubatheory.engines.free import parts_of
from arubatheory.engines.verdict import Status
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import ledger
from arubatheory.report.simplicity import TABLE, SimplicityRow, location, told

HOME = Path(__file__).resolve().parents[1]


def rows(root: Path) -> list[SimplicityRow]:
    """The numbers of each simplest witness on record, in the order of the ledger."""
    statements, made = {s.label: s for s in ARUBA.statements}, []
    for label, row in (ledger.find(root, ARUBA) or {}).items():
        path = root / ARUBA.witnesses / f"{file_stem(label)}-simplest.json"
        if row.status == Status.REFUTED and label in statements and path.is_file():
            witness = read_witness(path)
            numbers, matter, free = parts_of(witness, statements[label])
            made.append(SimplicityRow(label, told(witness), numbers, matter, " ".join(free)))
    return made


def quantile(values: list[int], share: float) -> int:
    """The least value that at least this share of them does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def main() -> int:
    """Make the table."""
    made = rows(HOME)
    TABLE.write(HOME / location(ARUBA), made)
    matter = [row.matter for row in made]
    free = sum(row.numbers - row.matter for row in made)
    print(f"{len(made)} witnesses with {sum(matter) + free} numbers, of which {free} do not matter")
    print(f"that matter: median {quantile(matter, 0.5)}, 95 % {quantile(matter, 0.95)}, most {max(matter)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
