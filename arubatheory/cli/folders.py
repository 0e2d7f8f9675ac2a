r"""The verbs of a paper of one's own: a folder made from its source, two versions compared, its witnesses replayed."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from arubatheory.cli.codes import AS_RECORDED, DIFFERS, NothingSelected, UsageError, usage
from arubatheory.cli.selection import name_of, paper_of, select, selected, source_of, statements_of
from arubatheory.statements.untrusted import RecordError, line

if TYPE_CHECKING:
    from arubatheory.engines.source import Source
    from arubatheory.report.ledger import LedgerRow
    from arubatheory.statements.core import Statement


def run_new(args: argparse.Namespace) -> int:
    """Make the folder of a paper from its LaTeX source."""
    from arubatheory.scaffold.contents import contents
    from arubatheory.scaffold.folder import write

    folder = args.folder or Path(args.source.stem)
    with usage((ValueError, OSError)):  # a LatexError, or a name that no folder may have
        found = contents(args.source)
        made = write(found, folder)
    for section in found.sections:
        print(line(f"{section.number or '-':<4} {section.title}: {len(section.items)}"))
    items, unlabelled = len(found.items), sum(not item.labelled for item in found.items)
    print(f"\n{items} items, {unlabelled} of them without a label in the source: {len(made)} files in {folder}")
    if found.left_out:
        print(line(f"macros with arguments are left to you: {', '.join(found.left_out)}"))
    print(f"next: write a claim in the place of a stub, then arubatheory verify --paper {folder.as_posix()}")
    return AS_RECORDED


def run_compare(args: argparse.Namespace) -> int:
    """Say which verdicts changed between two versions of a paper, by their ledgers."""
    from arubatheory.report.versions import compared

    old, new = (_rows(name, args.root) for name in (args.old, args.new))
    found = [c for c in compared(old, new) if selected(args.patterns, [c.label], args.only)]
    for change in found:
        print(json.dumps(change._asdict()) if args.json else line(change.sentence))
    if not args.json:
        both = sum(label in new and selected(args.patterns, [label], args.only) for label in old)
        print(f"{len(found)} changed, {both - sum(bool(c.before and c.after) for c in found)} as before")
    return DIFFERS if found else AS_RECORDED


def _rows(name: str, root: Path) -> dict[str, LedgerRow]:
    """The ledger in a file, or that of a paper by its name or folder."""
    from arubatheory.engines.source import Source
    from arubatheory.report import ledger

    path = Path(name) if os.path.isfile(name) else root / paper_of(Source(name=name)).ledger
    if not path.exists():
        raise UsageError(f"there is no ledger {path}: record one by arubatheory verify --record")
    with usage(RecordError):
        return ledger.read(path)


def is_of_several(place: Path) -> bool:
    """Whether a path stands for several files: a folder, or a pattern with * of names in one."""
    return os.path.isdir(place) or ("*" in place.name and os.path.isdir(place.parent))


def replay_all(args: argparse.Namespace) -> int:
    """Replay every witness in a folder, and check every certificate, in a line each."""
    from arubatheory.prove.replay import is_certificate

    source, wrong = source_of(args), 0
    files = _selected_files(args, source)
    proofs = {path for path in files if is_certificate(path)}
    if not files and os.path.isdir(args.witness):  # a pattern may select none, as that of a hook does at first
        raise NothingSelected(f"no witness and no certificate lies in {args.witness}")
    for path in files:
        try:
            fine, said = _checked(path, source) if path in proofs else _replayed(path, source, args.exact)
        except ValueError as error:
            fine, said = False, str(error)
        wrong += not fine
        print(line(f"{'ok  ' if fine else 'FAIL'}  {path.name}: {said}"))
    kinds = ["witnesses"] * (len(proofs) < len(files)) + ["certificates"] * bool(proofs)
    print(f"{len(files) - wrong} of {len(files)} {' and '.join(kinds)} say what their files say")
    return DIFFERS if wrong else AS_RECORDED


def _selected_files(args: argparse.Namespace, source: Source) -> list[Path]:
    """The files of a folder or a pattern, of the labels that are selected."""
    from arubatheory.engines.witness_files import file_stem

    place = args.witness
    if not is_of_several(place):
        raise UsageError(f"patterns select among several witnesses, got {place}, which is one")
    files = sorted(place.glob("*.json") if os.path.isdir(place) else place.parent.glob(place.name))
    if not args.patterns:
        return files
    stems = {file_stem(label) for label in select(args.patterns, statements_of(source), source, args.only)}
    return [path for path in files if path.stem.rpartition("-")[0] in stems]


def _replayed(path: Path, source: Source, exact: bool) -> tuple[bool, str]:
    from arubatheory.engines.witness import replay
    from arubatheory.engines.witness_files import read_witness

    witness = read_witness(path)
    seen = replay(witness, _statement(source, witness.label), exact=exact)
    return seen.agrees is not False, seen.outcome


def _checked(path: Path, source: Source) -> tuple[bool, str]:
    from arubatheory.prove.certificate import read
    from arubatheory.prove.replay import objections

    proof = read(path)
    wrong = objections(proof, _statement(source, proof.label))
    return not wrong, f"rejected: {wrong[0]}" if wrong else f"proved {proof.extent}"


def _statement(source: Source, label: str) -> Statement:
    known = statements_of(source, label)
    if label not in known:
        raise ValueError(f"it belongs to {label!r}, which {name_of(source)} has not")
    return known[label]
