r"""What each verb does. Every verb imports what it needs when it runs."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arubatheory import papers
from arubatheory.cli.codes import AS_RECORDED, DIFFERS, INTERNAL, INTERRUPTED, NothingSelected, UsageError, fail, usage
from arubatheory.cli.folders import is_of_several, replay_all, run_compare, run_new
from arubatheory.cli.parser import PAGE
from arubatheory.cli.selection import chosen, paper_of, select, selected, source_of, statements_of, unknown
from arubatheory.cli.sharpen import run_sharpen
from arubatheory.statements.effort import USUAL
from arubatheory.statements.items import Covered
from arubatheory.statements.untrusted import line, visible

if TYPE_CHECKING:
    from arubatheory.engines.source import Source
    from arubatheory.engines.verdict import Witness
    from arubatheory.engines.witness import Replay
    from arubatheory.report.endless import Seed
    from arubatheory.report.outcome import Outcome
    from arubatheory.report.session import Settings
    from arubatheory.statements.core import Statement
    from arubatheory.statements.paper import Paper

TAKEN = ("root", "budget", "seed", "jobs", "executor", "timeout", "fresh", "blind", "first")  # by a run
NAMED = 20  # labels that a remark names, before it counts the rest


# list and show -----------------------------------------------------------------------------------------------------


def run_list(args: argparse.Namespace) -> int:
    """Print the items of the paper, with their statements and how far they are covered."""
    source = source_of(args)
    if source.file:
        return _list_file(args, source)
    paper, everything = paper_of(source), statements_of(source)
    homes = [(paper.item_of(label), label) for label in everything]
    labels = {item.slug: [label for home, label in homes if home is item] for item in paper.everything}
    shown = (*paper.items, *(i for i in paper.own if labels[i.slug]))
    rows = [i for i in shown if selected(args.patterns, [i.slug, *labels[i.slug]], args.only)]
    if not rows:  # what selects no item selects no statement either
        select(args.patterns, everything, source, args.only)
    cover = paper.coverage()
    for i in rows:
        covered = str(cover.by_slug.get(i.slug, Covered.STATEMENT))
        if args.json:
            entry = {"label": i.slug, "kind": i.kind, "number": i.number, "file": i.file, "parts": list(i.parts)}
            print(json.dumps({**entry, "coverage": covered, "statements": labels[i.slug]}))
        else:
            state = ", ".join(labels[i.slug]) or _absent(i.slug, paper, covered)
            print(line(f"{i.slug:<32} {i.number:<5} {i.kind:<14} {state}"))
    if not args.json:
        print(f"\n{cover.sentence()}")
    return AS_RECORDED


def _absent(slug: str, paper: Paper, covered: str) -> str:
    """What is said of an item without a statement: where its stub is, or what it is for others."""
    if slug not in paper.stubs:
        return covered
    module, number = paper.stubs[slug]
    return f"no statement: a stub in {module.rpartition('.')[2]}.py, line {number}"


def _list_file(args: argparse.Namespace, source: Source) -> int:
    """Print the statements of a file: what each is, and its title or its formula."""
    for s in chosen(args, source):
        if args.json:
            print(json.dumps({"label": s.label, "kind": s.kind, "title": s.title, "latex": s.latex}))
        else:
            print(line(f"{s.label:<32} {s.kind:<14} {s.title or s.latex}"))
    return AS_RECORDED


def run_show(args: argparse.Namespace) -> int:
    """Print what is known of a label; of the paper's sections, only those that name it are imported."""
    source = source_of(args)
    paper = None if source.file else paper_of(source)
    statements = statements_of(source, args.label)
    chosen = [s for s in statements.values() if selected([args.label], [s.label], args.only)]
    item = next((i for i in paper.everything if i.slug == args.label), None) if paper else None
    if not chosen and item is None:
        raise unknown(args.label, [*(i.slug for i in paper.everything), *paper.places] if paper else statements, source)
    from arubatheory.report.describe import describe, description
    from arubatheory.report.session import stored

    data = describe(args.label, item, stored(chosen, args.root, source), [*statements.values()], args.root, paper)
    print(json.dumps(data) if args.json else description(data))
    return AS_RECORDED


# verify ------------------------------------------------------------------------------------------------------------


def run_verify(args: argparse.Namespace) -> int:
    """Put statements on trial and print the table."""
    for option in ("file", "blind", "first", "forever"):
        if args.record and getattr(args, option):
            raise UsageError(f"--record does not go with --{option}: the ledger has what a whole run says of the paper")
    if args.first and args.forever:
        raise UsageError("--first does not go with --forever, which looks for worse than the first")
    source = source_of(args)
    trials = _trials(chosen(args, source), settings := _settings(args, source))
    _check_places(args, settings)
    from arubatheory.kernel import announce_compiling
    from arubatheory.report.session import Interrupted, record, run
    from arubatheory.report.table import Watch

    start = time.perf_counter()
    announce_compiling()
    if args.forever:
        return _forever(trials, settings, args)
    try:
        with Watch() as watch:
            outcomes = run(trials, settings, watch, lambda seen: _write_early(seen, args, source, watch.console))
    except Interrupted as stop:
        return fail(INTERRUPTED, f"{stop}; the same command goes on from there")
    if args.record:
        outcomes = record(outcomes, settings, paper_of(source), list(statements_of(source)))
    _print_outcomes(outcomes, args, source, time.perf_counter() - start, watch.evaluations)
    if args.traceback:
        _print_tracebacks(outcomes)
    return exit_code(outcomes, user=args.file is not None)


def _print_tracebacks(outcomes: Sequence[Outcome]) -> None:
    """Run the units of each ERROR here again, up to the one that raises, and print its traceback on stderr."""
    from arubatheory.engines.units import engine_of, units_of
    from arubatheory.engines.verdict import Status
    from arubatheory.statements.blame import trace

    for o in outcomes:
        if o.verdict and o.verdict.status is Status.ERROR:
            try:
                for unit in units_of(o.statement, o.effort):
                    engine_of(unit.engine)(o.statement, unit.budget, unit.seed)
            except (Exception, SystemExit) as error:
                print(f"{o.statement.label}:\n{visible(trace(error))}", file=sys.stderr, end="")


def _forever(trials: Sequence[Outcome], settings: Settings, args: argparse.Namespace) -> int:
    """Try seed after seed and tell what is new, until interrupted; then all that is known, and what it took."""
    from arubatheory.report.endless import effort_in_words, forever
    from arubatheory.report.session import Interrupted
    from arubatheory.report.table import Watch

    known: dict[str, Outcome] = {}
    start, seeds = time.perf_counter(), 0
    try:
        with Watch() as watch:
            for over in forever(trials, settings, watch):
                known |= {o.statement.label: o for o in over.outcomes}
                seeds = over.seed - settings.seed + 1
                _print_news(over, args)
                if args.page:
                    _write_page(list(known.values()), args.page, args, settings.source, watch.console)
    except Interrupted as stop:
        reason = f"{stop} at the seed {settings.seed + seeds}"
    args.page = None
    if known:
        _print_outcomes(list(known.values()), args, settings.source, time.perf_counter() - start, watch.evaluations)
        print(effort_in_words(seeds, trials, settings), file=sys.stderr if args.json else sys.stdout)
    return fail(INTERRUPTED, f"{reason}; the same command goes on from there")


def _print_news(over: Seed, args: argparse.Namespace) -> None:
    """What a seed has found: a line for each statement that it says something new of, or its JSON object."""
    from arubatheory.report.outcome import record
    from arubatheory.report.plain import count

    for outcome, words in over.news:
        print(json.dumps(record(outcome)) if args.json else line(f"{outcome.statement.label}: {words}"))
    new = "before" if over.earlier else f"{len(over.news)} with something new"
    said = f"seed {over.seed}: {count(len(over.outcomes), 'statement')}, {new}"
    print(said, file=sys.stderr if args.json else sys.stdout, flush=True)


def _check_places(args: argparse.Namespace, settings: Settings) -> None:
    """Before any work: what it will be written to can be written, and what the page shows beside it can be read."""
    from arubatheory.report import ledger
    from arubatheory.report.session import STORE

    paper = settings.source.paper
    ledger.find(args.root, paper)
    places = [settings.cache / STORE.name, settings.witnesses() / "label.json"]
    if paper and args.record:
        places += [args.root / paper.ledger, args.root / paper.witnesses / "label.json"]
    for path in places:
        _check_place(path)
    if args.page:
        from arubatheory.report.page import beside_of

        _check_place(args.page)
        beside_of(args.page, args.root, settings.source)


def _check_place(path: Path) -> None:
    from arubatheory.report.files import check_place

    with usage(OSError, f"cannot write {path}: "):
        check_place(path)


def _trials(statements: Sequence[Statement], settings: Settings) -> list[Outcome]:
    """The statements that one of the run's engines can try, within its budget; those left out are named on stderr."""
    with usage():
        trials = [settings.trial(s) for s in statements]
    engines = ", ".join(settings.engines)
    tried = [t for t in trials if t.effort.engines]
    if not tried:
        raise NothingSelected(f"no selected statement uses the engine {engines}")
    left = [t.statement.label for t in trials if not t.effort.engines]
    if left:
        more = [f"{len(left) - NAMED} more"] if len(left) > NAMED else []
        print(f"arubatheory: left out, as not for {engines}: {', '.join([*left[:NAMED], *more])}", file=sys.stderr)
    return tried


def _settings(args: argparse.Namespace, source: Source) -> Settings:
    from arubatheory.report.session import Settings

    engines = dict.fromkeys(e for text in args.engine or USUAL for e in text.split(","))
    with usage():
        return Settings(**{name: getattr(args, name) for name in TAKEN}, engines=tuple(engines), source=source)


def _print_outcomes(
    outcomes: Sequence[Outcome], args: argparse.Namespace, source: Source, seconds: float, evaluations: int
) -> None:
    from arubatheory.report.ledger import OFF
    from arubatheory.report.outcome import record
    from arubatheory.report.table import console, coverage_line, remarks, summary, table

    notes = console(sys.stderr if args.json else sys.stdout)
    if args.json:
        for outcome in outcomes:
            print(json.dumps(record(outcome)), flush=True)
    else:
        notes.print(table(outcomes))
    for remark in remarks(outcomes, args.file, source.paper):
        notes.print(remark, soft_wrap=True)
    if source.paper and outcomes[0].comparison == OFF:
        notes.print(f"no {args.root / source.paper.ledger}: the ledger rule is off", soft_wrap=True)
    notes.print(summary(outcomes, seconds, evaluations), soft_wrap=True)
    if source.paper:
        notes.print(coverage_line(outcomes, source.paper), soft_wrap=True)
    if args.page:
        _write_page(outcomes, args.page, args, source, notes)


def _write_page(outcomes: Sequence[Outcome], path: Path, args: argparse.Namespace, source: Source, notes: Any) -> None:
    from arubatheory.report.page import write_page

    page = write_page(path, outcomes, args.root, source, getattr(args, "blind", False))
    notes.print(f"page: {page.resolve()}", soft_wrap=True)


def _write_early(outcomes: Sequence[Outcome], args: argparse.Namespace, source: Source, notes: Any) -> None:
    """The page of the main readings, where others are still to come."""
    if args.page and any(o.verdict is None for o in outcomes):
        _write_page(outcomes, args.page, args, source, notes)


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
    """Evaluate a witness again, and show its instance; or check a certificate."""
    from arubatheory.engines.exact import BrokenAssumption
    from arubatheory.engines.free import parts_of
    from arubatheory.engines.witness import replay
    from arubatheory.engines.witness_files import read_witness
    from arubatheory.prove.replay import is_certificate

    if is_of_several(args.witness) or args.patterns:
        return replay_all(args)
    if is_certificate(args.witness):
        return _replay_certificate(args)
    with usage():
        witness = read_witness(args.witness)
    statement = statements_of(source_of(args), witness.label).get(witness.label)
    if statement is None:
        missing = "is --file or --paper missing?"
        raise UsageError(f"the witness belongs to {witness.label!r}, not to a known statement; {missing}")
    try:
        seen = replay(witness, statement, exact=args.exact)
    except BrokenAssumption as error:
        return fail(DIFFERS, str(error))
    except ValueError as error:
        raise UsageError(f"{args.witness}: {error}") from error
    _print_replay(witness, seen, parts_of(witness, statement).free if args.exact and seen.agrees else ())
    return DIFFERS if seen.agrees is False else AS_RECORDED


def _print_replay(witness: Witness, seen: Replay, free: tuple[str, ...]) -> None:
    """What a replay says, and the instance with what of it may be any number."""
    from arubatheory.report.describe import replayed
    from arubatheory.report.plain import instance_lines

    print("\n".join([replayed(witness, seen), "", "the instance:", *instance_lines(witness.instance, "  ", free)]))
    if free:
        print("any: other values were tried there, exactly, and leave both sides as they are")


def _replay_certificate(args: argparse.Namespace) -> int:
    from arubatheory.prove.certificate import read
    from arubatheory.prove.replay import objections

    with usage():
        proof = read(args.witness)
        statement = statements_of(source_of(args), proof.label).get(proof.label)
        if statement is None:
            raise ValueError(f"the certificate belongs to {proof.label!r}, not to a known statement")
        wrong = objections(proof, statement)
    print(line(f"{proof.label}: {'REJECTED' if wrong else 'proved'}: {proof.scope}"))
    print("\n".join(f"  {line(reason)}" for reason in wrong) or "  checked, and compared with the statement's game")
    return DIFFERS if wrong else AS_RECORDED


def run_report(args: argparse.Namespace) -> int:
    """Write the page of the stored verdicts."""
    from arubatheory.report.session import stored
    from arubatheory.report.table import console

    source = source_of(args)
    if args.errata:
        return _write_errata(args, source)
    outcomes = stored(chosen(args, source), args.root, source)
    if not any(o.verdict for o in outcomes):
        given = ["--file", str(source.file)] if source.file else papers.option(source.paper)
        command = shlex.join(["arubatheory", "verify", *given])
        raise NothingSelected(f"no verdict is stored under {args.root}; run `{command}` first")
    shelf = source.file.stem if source.file else paper_of(source).shelf
    page = args.output or args.root / PAGE.parent / shelf / PAGE.name
    _check_place(page)
    _write_page(outcomes, page, args, source, console())
    return AS_RECORDED


def _write_errata(args: argparse.Namespace, source: Source) -> int:
    """Write what is refuted as printed, by the ledger."""
    from arubatheory.report.errata import present
    from arubatheory.report.files import replace_text

    if source.file or args.patterns:
        raise UsageError("--errata is of a whole paper: a file has no ledger, and no pattern selects from one")
    path = args.output or args.root / paper_of(source).errata
    _check_place(path)
    print(f"errata: {replace_text(path, present(paper_of(source), args.root)).resolve()}")
    return AS_RECORDED


def run_figures(args: argparse.Namespace) -> int:
    """Draw the figures of the source tree under --root."""
    if not (args.root / "figures" / "__main__.py").is_file():
        raise UsageError(f"there is no figures/ under {args.root}; give its parent by --root")
    return subprocess.run([sys.executable, "-m", "figures", *args.names], cwd=args.root, check=False).returncode


def run_doctor(args: argparse.Namespace) -> int:
    """Print one line for each thing that was looked at, and under it what to do where something is wrong."""
    from arubatheory.report.doctor import examine, examine_deep, examine_statements, summary

    source = source_of(args)
    paper = paper_of() if source.file else paper_of(source)
    findings = examine(args.root, paper)
    if source.file or args.patterns:
        findings += examine_statements(chosen(args, source))
    findings += examine_deep(args.root, paper) if args.deep and not source.file else []
    for finding in findings:
        print(line(f"{finding.mark:<4}  {finding.name:<18} {finding.text}"))
        if not finding.fine:
            print(f"{'':<6}{'':<18} -> {finding.advice}")
    print(f"\n{summary(findings)}")
    return INTERNAL if any(f.mark == "FAIL" for f in findings) else AS_RECORDED


def run_completion(args: argparse.Namespace) -> int:
    """Print the completion script of a shell."""
    from arubatheory.cli.completion import script

    paper = paper_of()
    print(script(args.shell, [*dict.fromkeys([*(item.slug for item in paper.items), *paper.labels])]), end="")
    return AS_RECORDED


VERBS: tuple[Callable[[argparse.Namespace], int], ...] = (
    *(run_list, run_show, run_verify, run_sharpen, run_replay),
    *(run_report, run_compare, run_figures, run_new, run_doctor, run_completion),
)
RUN = {run.__name__.removeprefix("run_"): run for run in VERBS}
