r"""What each verb does. Every verb imports what it needs when it runs."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, INTERRUPTED, NothingSelected, UsageError, fail
from arubatheory.cli.parser import PAGE
from arubatheory.cli.selection import explain_nothing, load_statements, select, selects, unknown

if TYPE_CHECKING:
    from arubatheory.report.outcome import Outcome
    from arubatheory.report.session import Settings
    from arubatheory.statements.core import Statement

NAMED = 20  # labels that a remark names, before it counts the rest

# list and show -----------------------------------------------------------------------------------------------------


def run_list(args: argparse.Namespace) -> int:
    """Print the items of the paper, with their statements and how far they are covered."""
    from arubatheory import PAPER
    from arubatheory.papers.aruba import ARUBA

    cover = ARUBA.coverage(PAPER)
    labels: dict[str, list[str]] = {item.slug: [] for item in ARUBA.items}
    for statement in PAPER:
        found = ARUBA.item_of(statement.label)
        if found:
            labels[found.slug].append(statement.label)
    rows = [i for i in ARUBA.items if not args.patterns or _lists(args.patterns, i.slug, labels[i.slug])]
    if not rows:
        for pattern in args.patterns:
            explain_nothing(pattern, [s.label for s in PAPER])
        raise NothingSelected(f"nothing selected by {' '.join(args.patterns)}")
    for i in rows:
        if args.json:
            entry = {"label": i.slug, "kind": i.kind, "number": i.number, "file": i.file, "parts": list(i.parts)}
            print(json.dumps({**entry, "coverage": str(cover.by_slug[i.slug]), "statements": labels[i.slug]}))
        else:
            state = ", ".join(labels[i.slug]) or str(cover.by_slug[i.slug])
            print(f"{i.slug:<32} {i.number:<5} {i.kind:<14} {state}")
    if not args.json:
        print(f"\n{cover.sentence()}")
    return AS_RECORDED


def _lists(patterns: Sequence[str], slug: str, labels: Sequence[str]) -> bool:
    return any(selects(p, x) for p in patterns for x in (slug, *labels))


def run_show(args: argparse.Namespace) -> int:
    """Print what is known of a label."""
    from arubatheory.papers.aruba import ARUBA
    from arubatheory.report.describe import describe, description

    statements = load_statements(None)
    chosen = [s for s in statements.values() if s.label == args.label or s.label.startswith(args.label + "/")]
    item = next((i for i in ARUBA.items if i.slug == args.label), None)
    if not chosen and item is None:
        raise unknown(args.label, dict.fromkeys([*(i.slug for i in ARUBA.items), *statements]))
    data = describe(args.label, item, chosen, list(statements.values()), args.root, ARUBA)
    print(json.dumps(data) if args.json else description(data))
    return AS_RECORDED


# verify ------------------------------------------------------------------------------------------------------------


def run_verify(args: argparse.Namespace) -> int:
    """Put statements on trial and print the table."""
    if args.record and (args.file or args.blind):
        raise UsageError(f"--record does not go with {'--file' if args.file else '--blind'}: the ledger is the paper's")
    everything = load_statements(args.file)
    settings = _settings(args)
    statements = _tried([everything[label] for label in select(args.patterns, everything, args.file)], settings)
    from arubatheory.engines.campaign import Interrupted

    start = time.perf_counter()
    try:
        outcomes = _run(statements, settings)
    except Interrupted as stop:
        return fail(INTERRUPTED, f"{stop}; the same command goes on from there")
    if args.record:
        from arubatheory.papers.aruba import ARUBA
        from arubatheory.report.session import record

        outcomes = record(outcomes, settings, ARUBA, list(everything))
    _print_outcomes(outcomes, args, time.perf_counter() - start)
    return exit_code(outcomes, user=args.file is not None)


def _tried(statements: Sequence[Statement], settings: Settings) -> list[Statement]:
    """The statements that one of the run's engines can try, within its budget; those left out are named on stderr."""
    try:
        tried = [s for s in statements if settings.effort(s).engines]
    except ValueError as error:
        raise UsageError(str(error)) from error
    engines = ", ".join(settings.engines)
    if not tried:
        raise NothingSelected(f"no selected statement uses the engine {engines}")
    left = [s.label for s in statements if s not in tried]
    if left:
        more = [f"{len(left) - NAMED} more"] if len(left) > NAMED else []
        print(f"arubatheory: left out, as not for {engines}: {', '.join([*left[:NAMED], *more])}", file=sys.stderr)
    return tried


def _settings(args: argparse.Namespace) -> Settings:
    from arubatheory.engines.campaign import ENGINES
    from arubatheory.papers.aruba import ARUBA
    from arubatheory.report.session import Settings

    engines = [e for text in args.engine or ENGINES for e in text.split(",")]
    try:
        return Settings(
            args.root,
            tuple(dict.fromkeys(engines)),
            args.budget,
            args.seed,
            args.jobs,
            args.fresh,
            args.blind,
            args.file,
            None if args.file else ARUBA,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _run(statements: Sequence[Statement], settings: Settings) -> list[Outcome]:
    from arubatheory.kernel import cache_folder, compiled
    from arubatheory.report.session import run
    from arubatheory.report.table import Watch
    from arubatheory.statements import games

    if compiled() and not cache_folder(games.__file__).exists():
        print("compiling kernels (once)", file=sys.stderr)
    with Watch() as watch:
        return run(statements, settings, watch)


def _print_outcomes(outcomes: Sequence[Outcome], args: argparse.Namespace, seconds: float) -> None:
    from arubatheory.papers.aruba import ARUBA
    from arubatheory.report.ledger import OFF
    from arubatheory.report.outcome import record
    from arubatheory.report.table import console, coverage_line, remarks, summary, table

    notes = console(sys.stderr if args.json else sys.stdout)
    if args.json:
        for outcome in outcomes:
            print(json.dumps(record(outcome)), flush=True)
    else:
        notes.print(table(outcomes))
    for line in remarks(outcomes, args.file):
        notes.print(line, soft_wrap=True)
    if not args.file and outcomes[0].comparison == OFF:
        notes.print(f"no {args.root / 'verification' / 'ledger.csv'}: the ledger rule is off", soft_wrap=True)
    notes.print(summary(outcomes, seconds), soft_wrap=True)
    if not args.file:
        notes.print(coverage_line(outcomes, ARUBA), soft_wrap=True)
    if args.page:
        _write_page(outcomes, args.page, args, notes)


def _write_page(outcomes: Sequence[Outcome], path: Path, args: argparse.Namespace, notes: Any) -> None:
    from arubatheory.papers.aruba import ARUBA
    from arubatheory.report.page import write_page

    file, blind = getattr(args, "file", None), getattr(args, "blind", False)
    page = write_page(path, outcomes, args.root, None if file else ARUBA, file, blind)
    notes.print(f"page: {page.resolve()}", soft_wrap=True)


def exit_code(outcomes: Sequence[Outcome], user: bool) -> int:
    """What the shell is told: an ERROR is graver than a difference; a user's file is judged without a ledger."""
    from arubatheory.engines.verdict import Status

    statuses = [o.verdict.status for o in outcomes if o.verdict]
    if Status.ERROR in statuses:
        return INTERNAL
    if user:
        return DIFFERS if Status.REFUTED in statuses else AS_RECORDED
    return DIFFERS if any(o.comparison.differs for o in outcomes) else AS_RECORDED


# replay, report, figures, doctor, completion -------------------------------------------------------------------------


def run_replay(args: argparse.Namespace) -> int:
    """Evaluate a witness again, and show its instance."""
    from arubatheory.engines.campaign import read_witness
    from arubatheory.engines.exact import BrokenAssumption
    from arubatheory.engines.witness import replay

    try:
        witness = read_witness(args.witness)
    except ValueError as error:
        raise UsageError(str(error)) from error
    statements = load_statements(args.file)
    if witness.label not in statements:
        raise UsageError(f"the witness belongs to {witness.label!r}, not to a known statement; is --file missing?")
    try:
        seen = replay(witness, statements[witness.label], exact=args.exact)
    except BrokenAssumption as error:
        return fail(DIFFERS, str(error))
    except ValueError as error:
        raise UsageError(f"{args.witness}: {error}") from error
    from arubatheory.report.describe import replayed
    from arubatheory.report.plain import instance_lines

    print("\n".join([replayed(witness, seen), "", "the instance:", *instance_lines(witness.instance, "  ")]))
    return DIFFERS if seen.agrees is False else AS_RECORDED


def run_report(args: argparse.Namespace) -> int:
    """Write the page of the stored verdicts."""
    from arubatheory.report.session import stored
    from arubatheory.report.table import console

    outcomes = stored(list(load_statements(None).values()), args.root)
    if not any(o.verdict for o in outcomes):
        raise NothingSelected(f"no verdict is stored under {args.root}; run `arubatheory verify` first")
    _write_page(outcomes, args.output or args.root / PAGE, args, console())
    return AS_RECORDED


def run_figures(args: argparse.Namespace) -> int:
    """Draw the figures of the source tree under --root."""
    if not (args.root / "figures" / "__main__.py").is_file():
        raise UsageError(f"there is no figures/ under {args.root}; give its parent by --root")
    return subprocess.run([sys.executable, "-m", "figures", *args.names], cwd=args.root, check=False).returncode


def run_doctor(args: argparse.Namespace) -> int:
    """Print one line for each thing that was looked at, and under it what to do where something is wrong."""
    from arubatheory.papers.aruba import ARUBA
    from arubatheory.report.doctor import examine, summary

    findings = examine(args.root, ARUBA)
    for finding in findings:
        print(f"{finding.mark:<4}  {finding.name:<18} {finding.text}")
        if not finding.fine:
            print(f"{'':<6}{'':<18} -> {finding.advice}")
    print(f"\n{summary(findings)}")
    return INTERNAL if any(f.mark == "FAIL" for f in findings) else AS_RECORDED


def run_completion(args: argparse.Namespace) -> int:
    """Print the completion script of a shell."""
    from arubatheory.cli.completion import script
    from arubatheory.papers.aruba import ARUBA

    labels = dict.fromkeys([*(item.slug for item in ARUBA.items), *load_statements(None)])
    print(script(args.shell, list(labels)), end="")
    return AS_RECORDED


RUN: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": run_list,
    "show": run_show,
    "verify": run_verify,
    "replay": run_replay,
    "report": run_report,
    "figures": run_figures,
    "doctor": run_doctor,
    "completion": run_completion,
}
