r"""Which statements are proved, by certificates that anyone can check, and in what scope?

    python -m verification.proofs [PATTERN...] [--provers NAME...] [--seconds S] [--output FOLDER] [--record]

Every prover tries every statement; each certificate is checked by itself and compared with its statement. With
--output the certificates are written, with --record the table verification/proofs.csv, which `arubatheory show` prints.
The exit code is 1 if a certificate is rejected, or a REFUTED statement is proved.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from arubatheory.engines.witness_files import file_stem
from arubatheory.papers.aruba import ARUBA
from arubatheory.prove.certificate import ALGEBRA, BOXES, GRAM, SECONDS, Proof
from arubatheory.prove.provers import PROVERS, prove
from arubatheory.prove.replay import objections
from arubatheory.report import ledger, proofs
from arubatheory.report.files import replace_text
from arubatheory.statements.core import Statement

ROOT = Path(__file__).resolve().parents[1]


def chosen(patterns: Sequence[str]) -> list[Statement]:
    """The statements whose labels match."""
    return [s for s in ARUBA.statements if not patterns or any(fnmatchcase(s.label, p) for p in patterns)]


def objected(proof: Proof, statement: Statement, refuted: bool) -> list[str]:
    """What is wrong with a certificate."""
    return objections(proof, statement) + ["the statement is REFUTED"] * (refuted and proof.shape["whole"])


def merged(rows: Sequence[proofs.Proved], tried: set[str], methods: set[str]) -> list[proofs.Proved]:
    """The rows on record, those of the statements and methods that were tried now being these."""
    path = ROOT / proofs.location(ARUBA)
    before = proofs.TABLE.read(path) if path.exists() else []
    kept = [row for row in before if row.label not in tried or row.method not in methods]
    return sorted([*kept, *rows], key=lambda row: (row.label, row.method))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.proofs", description=__doc__)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--provers", nargs="+", default=list(PROVERS), choices=list(PROVERS))
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args(arguments)
    rows, wrong = [], 0
    recorded = ledger.find(ROOT, ARUBA) or {}
    for statement in (statements := chosen(given.patterns)):
        start, row = time.perf_counter(), recorded.get(statement.label)
        for proof in prove(statement, given.seconds, given.provers)[0]:
            seconds = time.perf_counter() - start
            reasons = objected(proof, statement, row is not None and row.status == "REFUTED")
            wrong += bool(reasons)
            rows.append(proofs.row_of(proof))
            print(f"{statement.label:44s}{proof.method:9s}{seconds:6.1f} s  {proof.scope}", flush=True)
            print("".join(f"    REJECTED: {reason}\n" for reason in reasons), end="")
            if given.output:
                given.output.mkdir(parents=True, exist_ok=True)
                replace_text(given.output / f"{file_stem(proof.label)}-{proof.method}.json", proof.text())
    print(_counts(rows))
    if given.record and not wrong:
        methods = {GRAM} & set(given.provers) | ({ALGEBRA, BOXES} if "paths" in given.provers else set())
        table = merged(rows, {s.label for s in statements}, methods)
        proofs.TABLE.write(ROOT / proofs.location(ARUBA), table)
    return int(wrong > 0)


def _counts(rows: Sequence[proofs.Proved]) -> str:
    labels = len({row.label for row in rows})
    kinds = Counter(f"{row.method} {row.extent}" for row in rows)
    return "\n".join([f"{labels} statements proved", *(f"  {kind}: {n}" for kind, n in sorted(kinds.items()))])


if __name__ == "__main__":
    sys.exit(main())
