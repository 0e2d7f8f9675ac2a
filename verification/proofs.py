r"""Which statements are proved, by certificates that anyone can check, and in what scope?

    python -m verification.proofs [PATTERN...] [--provers NAME...] [--seconds S] [--output FOLDER] [--record]
                                  [--again | --counts]

Every prover tries every statement; each certificate is checked by itself and compared with its statement. With --again
no prover runs: those in verification/certificates are looked at; with --counts they are only counted. With --output the
certificates are written to a folder, with --record to verification/certificates, where what is accepted still stays
unless one by the same method says as much; and with them the table verification/proofs.csv and the ledger's columns,
status PROVED included. The last lines count statements: those proved in full, for a shape with sizes of 2 and more, by
Gram in every dimension, by identities (rhs - lhs is 0 on every path), by boxes, and for small sizes only; and claims
with single paths proved, which proves nothing. The exit code is 1 if a certificate is rejected, or a REFUTED statement
is proved.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from arubatheory.engines.verdict import EXTENTS, PART, WHOLE
from arubatheory.engines.witness_files import file_stem
from arubatheory.papers.aruba import ARUBA
from arubatheory.prove.certificate import ALGEBRA, BOXES, GRAM, SECONDS, Proof, read
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


def kept(statement: Statement, methods: set[str]) -> list[Proof]:
    """The certificates of a statement on record."""
    folder = ROOT / ARUBA.certificates
    files = [folder / f"{file_stem(statement.label)}-{method}.json" for method in sorted(methods)]
    return [read(file) for file in files if file.exists()]


def larger(found: Sequence[Proof], statement: Statement, refuted: bool, methods: set[str]) -> list[Proof]:
    """What was found for a statement, and what is on record, accepted still and says more, or by another method."""
    best = {proof.method: proof for proof in found}
    for old in kept(statement, methods):
        if (new := best.get(old.method)) is None or _size(new) < _size(old):
            best.update({} if objected(old, statement, refuted) else {old.method: old})
    return list(best.values())


def _size(proof: Proof) -> tuple[Any, ...]:
    return -EXTENTS.index(proof.extent), -proof.slack, len(proof.data.get("cells", ()))


def merged(rows: Sequence[proofs.Proved], tried: set[str], methods: set[str]) -> list[proofs.Proved]:
    """The rows on record, those of the statements and methods that were tried now being these."""
    path = ROOT / proofs.TABLE.location(ARUBA)
    before = proofs.TABLE.read(path) if path.exists() else []
    others = [row for row in before if row.label not in tried or row.method not in methods]
    return sorted([*others, *rows], key=lambda row: (row.label, row.method))


def recorded(found: Sequence[Proof], tried: set[str], methods: set[str]) -> None:
    """Write certificates, their table and what the ledger says of them; what was tried and not found goes."""
    folder = ROOT / ARUBA.certificates
    for label in tried:
        for method in methods:
            (folder / f"{file_stem(label)}-{method}.json").unlink(missing_ok=True)
    written(found, folder)
    table = merged([row_of(proof) for proof in found], tried, methods)
    proofs.TABLE.write(ROOT / proofs.TABLE.location(ARUBA), table)
    if rows := ledger.find(ROOT, ARUBA):
        by_label: dict[str, list[proofs.Proved]] = {}
        for one in table:
            by_label.setdefault(one.label, []).append(one)
        ledger.write(ROOT / ARUBA.ledger, [_with_proofs(row, by_label.get(row.label, [])) for row in rows.values()])


def _with_proofs(row: ledger.LedgerRow, found: Sequence[proofs.Proved]) -> ledger.LedgerRow:
    """A row of the ledger that says how far its statement is proved."""
    found = sorted(found, key=lambda one: EXTENTS.index(one.extent))
    extent = found[0].extent if found else ""
    status = "SURVIVED" if row.status == "PROVED" else row.status
    status = "PROVED" if extent == WHOLE and status == "SURVIVED" else status
    return row._replace(status=status, proved=extent, scope="; and for ".join(one.scope for one in found))


def written(found: Sequence[Proof], folder: Path) -> None:
    """Write certificates to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for proof in found:
        replace_text(folder / f"{file_stem(proof.label)}-{proof.method}.json", proof.text())


def row_of(proof: Proof) -> proofs.Proved:
    """A certificate as a row."""
    return proofs.Proved(proof.label, proof.method, proof.extent, str(proof.slack), proof.digest, proof.scope)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.proofs", description=__doc__)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--provers", nargs="+", default=list(PROVERS), choices=list(PROVERS))
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--counts", action="store_true")
    given = parser.parse_args(arguments)
    methods = {GRAM} & set(given.provers) | ({ALGEBRA, BOXES} if "paths" in given.provers else set())
    found, wrong, single = list[Proof](), 0, 0
    rows, statements = ledger.find(ROOT, ARUBA) or {}, chosen(given.patterns)
    if given.counts:
        print(_counts([proof for statement in statements for proof in kept(statement, methods)], 0))
        return 0
    for statement in statements:
        start, row, reasons = time.perf_counter(), rows.get(statement.label), list[str]()
        if given.again:
            new = kept(statement, methods)
        else:
            new, reasons = prove(statement, given.seconds, given.provers)
        single += not new and any("of the paths of a cell are proved" in reason for reason in reasons)
        for proof in new:
            against = objected(proof, statement, row is not None and row.status == "REFUTED")
            wrong += bool(against)
            seconds = time.perf_counter() - start
            print(f"{statement.label:44s}{proof.method:9s}{seconds:6.1f} s  {proof.scope}", flush=True)
            print("".join(f"    REJECTED: {reason}\n" for reason in against), end="")
        found += new
    if given.output:
        written(found, given.output)
    print(_counts(found, single))
    if given.record and not wrong:
        labels = {label for label, row in rows.items() if row.status == "REFUTED"}
        best = [larger([p for p in found if p.label == s.label], s, s.label in labels, methods) for s in statements]
        recorded(list(itertools.chain(*best)), {s.label for s in statements}, methods)
    return int(wrong > 0)


def is_identity(proof: Proof) -> bool:
    """Whether rhs - lhs is shown to be 0 on every path that something runs along."""
    return proof.method == ALGEBRA and all(
        "against" in path["proof"] or all(cell["nodes"][e] == ["const", "0"] for _, e in path["proof"]["sums"])
        for cell in proof.data["cells"]
        for path in cell["paths"]
    )


def _counts(found: Sequence[Proof], single: int) -> str:
    beyond = [proof for proof in found if proof.extent in (WHOLE, PART)]
    kinds = {
        "in full": [proof for proof in found if proof.extent == WHOLE],
        "for a shape with sizes of 2 and more, or in full": beyond,
        "- by Gram, in every dimension": [proof for proof in beyond if proof.method == GRAM],
        "- by identities": [proof for proof in beyond if is_identity(proof)],
        "- by sums of what is >= 0": [p for p in beyond if p.method == ALGEBRA and not is_identity(p)],
        "- by boxes": [proof for proof in beyond if proof.method == BOXES],
    }
    labels = {kind: {proof.label for proof in proofs} for kind, proofs in kinds.items()}
    every = {proof.label for proof in found}
    lines = [f"{len(every)} statements proved", *(f"  {kind}: {len(names)}" for kind, names in labels.items())]
    lines.append(f"  for small sizes only: {len(every - {proof.label for proof in beyond})}")
    return "\n".join([*lines, f"  single paths only, which proves nothing: {single}"] if single else lines)


if __name__ == "__main__":
    sys.exit(main())
