r"""The command `arubatheory`. Asking for help imports nothing heavy; every verb imports what it needs."""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from arubatheory.report.outcome import Outcome
    from arubatheory.report.session import Settings
    from arubatheory.statements.core import Statement

AS_RECORDED, DIFFERS, INTERRUPTED, INTERNAL, USAGE, NOTHING = range(6)
CODES = """\
exit codes:
  0  every verdict is as in the ledger (or there is no ledger); a replay agrees with its file
  1  a verdict differs from the ledger; with --file, a statement is REFUTED; a replay disagrees
  2  interrupted; what is finished is kept, the same command goes on from there
  3  internal error: the code failed (status ERROR too), or the store or the ledger cannot be read
  4  usage: an unknown label, option or value
  5  nothing selected

A pattern is a label or a shell pattern such as 'thm:*'; a label also selects its parts.
The ledger is verification/ledger.csv under --root; a run weaker than a row is not compared with it.
"""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
PAGE = Path("out") / "index.html"


class UsageError(Exception):
    """A request that makes no sense; the message says what was given."""


class NothingSelected(Exception):
    """A request that makes sense but selects no statement."""


class Parser(argparse.ArgumentParser):
    """argparse with our exit code for usage errors."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer >= 1, got {text!r}")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be an integer >= 0, got {text!r}")
    return int(text)


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"must be an existing folder, got {text!r}")
    return Path(text)


def parser() -> Parser:
    """The command line."""
    top = Parser(
        prog="arubatheory", epilog=CODES, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Put the statements of the ARUBA paper, or your own bounds, on trial.",
    )  # fmt: skip
    top.add_argument("--version", action="store_true", help="print the version and stop")
    verbs = top.add_subparsers(dest="verb", metavar="VERB")
    _add_reading_verbs(verbs)
    _add_verify(verbs)
    _add_other_verbs(verbs)
    return top


def _verb(verbs: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> Parser:
    sub: Parser = verbs.add_parser(
        name, help=text, description=text, epilog=CODES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sub.set_defaults(run=run)
    sub.add_argument("--root", type=_folder, default=Path("."), metavar="DIR",
                     help="folder with verification/, figures/ and .cache/ (default: here)")  # fmt: skip
    return sub


def _add_reading_verbs(verbs: Any) -> None:
    sub = _verb(verbs, "list", _list, "list the items of the paper and their statements")
    sub.add_argument("patterns", nargs="*", metavar="PATTERN")
    sub.add_argument("--json", action="store_true", help="one JSON object per item")
    sub = _verb(verbs, "show", _show, "show a statement: formula, assumptions, relations, last verdict, ledger row")
    sub.add_argument("label", metavar="LABEL")
    sub.add_argument("--json", action="store_true", help="one JSON object")


def _add_verify(verbs: Any) -> None:
    sub = _verb(verbs, "verify", _verify, "put statements on trial")
    sub.add_argument("patterns", nargs="*", metavar="PATTERN", help="which statements (default: all)")
    sub.add_argument("--engine", action="append", metavar="NAME", help="check or search (default: all); repeatable")
    sub.add_argument("--budget", default="standard", metavar="B", help="quick, standard, deep, or a number")
    sub.add_argument("--jobs", type=_positive, default=_processors(), metavar="N", help="processes (default: cores)")
    sub.add_argument("--seed", type=_seed, default=0, metavar="S", help="same seed, same verdicts (default: 0)")
    sub.add_argument("--fresh", action="store_true", help="do again what is stored")
    sub.add_argument("--blind", action="store_true", help="ignore stored witnesses: what do the engines find alone?")
    sub.add_argument("--json", action="store_true", help="JSON Lines on stdout, one object per statement")
    sub.add_argument("--file", type=Path, metavar="FILE", help="a Python file with your own Statement values")
    sub.add_argument("--page", type=Path, metavar="FILE", help="write the page of this run too")
    sub.add_argument("--record", action="store_true", help="write verification/ledger.csv and witnesses/")


def _add_other_verbs(verbs: Any) -> None:
    sub = _verb(verbs, "replay", _replay, "look at a witness again: are both sides what the file says?")
    sub.add_argument("witness", type=Path, metavar="WITNESS.json")
    sub.add_argument("--exact", action="store_true", help="in exact arithmetic (default: floats)")
    sub.add_argument("--file", type=Path, metavar="FILE", help="the Python file that holds the statement")
    sub = _verb(verbs, "report", _report, "write the page of the stored verdicts; runs nothing")
    sub.add_argument("--output", type=Path, metavar="FILE", help=f"where (default: {PAGE} under --root)")
    sub = _verb(verbs, "figures", _figures, "draw the figures (python -m figures under --root)")
    sub.add_argument("names", nargs="*", metavar="NAME")
    _verb(verbs, "doctor", _doctor, "say whether everything that is needed works here")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it ended (see `--help`)."""
    for name in THREADS:  # before numpy is imported: the parallelism is ours, one process a core
        os.environ.setdefault(name, "1")
    try:
        args = parser().parse_args(argv)
        if args.version:
            from arubatheory import __version__

            print(f"arubatheory {__version__}")
            return AS_RECORDED
        if args.verb is None:
            parser().error("which verb? one of list, show, verify, replay, report, figures, doctor")
        return int(args.run(args))
    except SystemExit as stop:
        return int(stop.code or 0)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return AS_RECORDED
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, "interrupted")
    except UsageError as error:
        return _fail(USAGE, str(error))
    except NothingSelected as error:
        return _fail(NOTHING, str(error))
    except Exception as error:
        return _internal(error)


def _fail(code: int, message: str) -> int:
    print(f"arubatheory: error: {message}", file=sys.stderr)
    return code


def _internal(error: Exception) -> int:
    from arubatheory.report.ledger import LedgerError
    from arubatheory.report.store import StoreError

    if not isinstance(error, LedgerError | StoreError):
        import traceback

        traceback.print_exception(error)
    return _fail(INTERNAL, f"{error}" if isinstance(error, LedgerError | StoreError) else f"internal error: {error!r}")


# selection ---------------------------------------------------------------------------------------------------------


def selects(pattern: str, label: str) -> bool:
    """Whether a pattern selects a label: as a shell pattern, or as the label of a whole that it is a part of."""
    return fnmatch.fnmatchcase(label, pattern) or label.startswith(pattern + "/")


def select(patterns: Sequence[str], labels: Iterable[str]) -> list[str]:
    """The selected labels, in their own order; no pattern selects all.

    A pattern without wildcards that is neither a label nor an item of the paper is a UsageError; selecting nothing is
    NothingSelected.
    """
    labels = list(labels)
    chosen = [x for x in labels if not patterns or any(selects(p, x) for p in patterns)]
    for pattern in patterns:
        if not any(selects(pattern, x) for x in labels):
            _explain_nothing(pattern)
    if not chosen:
        raise NothingSelected(f"nothing selected by {' '.join(patterns) or 'no pattern'}")
    return chosen


def _explain_nothing(pattern: str) -> None:
    from arubatheory.statements.items import ITEMS

    if any(selects(pattern, item.slug) for item in ITEMS):
        print(f"arubatheory: {pattern} has no statement yet", file=sys.stderr)
    elif not any(c in pattern for c in "*?["):
        raise UsageError(f"unknown label {pattern!r}; `arubatheory list` shows all")


def _load(file: Path | None) -> dict[str, Statement]:
    """The statements of the paper, or of a user's file; what goes wrong in the latter is the user's to mend."""
    from arubatheory.engines.campaign import load

    if file is None:
        return load(None)
    try:
        found = load(file.resolve())
    except Exception as error:
        raise UsageError(f"cannot use the file {file}: {type(error).__name__}: {error}") from error
    if not found:
        raise NothingSelected(f"the file {file} holds no Statement")
    return found


# list and show -----------------------------------------------------------------------------------------------------


def _list(args: argparse.Namespace) -> int:
    from arubatheory.statements import PAPER
    from arubatheory.statements.items import ITEMS, coverage, item_of

    cover = coverage(PAPER)
    labels: dict[str, list[str]] = {item.slug: [] for item in ITEMS}
    for statement in PAPER:
        found = item_of(statement.label)
        if found:
            labels[found.slug].append(statement.label)
    rows = [i for i in ITEMS if not args.patterns or _lists(args.patterns, i.slug, labels[i.slug])]
    if not rows:
        for pattern in args.patterns:
            _explain_nothing(pattern)
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


def _show(args: argparse.Namespace) -> int:
    from arubatheory.report.describe import describe, description
    from arubatheory.statements.items import ITEMS

    statements = _load(None)
    chosen = [s for s in statements.values() if s.label == args.label or s.label.startswith(args.label + "/")]
    item = next((i for i in ITEMS if i.slug == args.label), None)
    if not chosen and item is None:
        raise UsageError(f"unknown label {args.label!r}; `arubatheory list` shows all")
    data = describe(args.label, item, chosen, list(statements.values()), args.root)
    print(json.dumps(data) if args.json else description(data))
    return AS_RECORDED


# verify ------------------------------------------------------------------------------------------------------------


def _verify(args: argparse.Namespace) -> int:
    if args.record and (args.file or args.blind):
        raise UsageError(f"--record does not go with {'--file' if args.file else '--blind'}: the ledger is the paper's")
    everything = _load(args.file)
    statements = [everything[label] for label in select(args.patterns, everything)]
    settings = _settings(args)
    statements = [s for s in statements if settings.effort(s).engines]
    if not statements:
        raise NothingSelected(f"no selected statement uses the engine {', '.join(settings.engines)}")
    from arubatheory.engines.campaign import Interrupted

    start = time.perf_counter()
    try:
        outcomes = _run(statements, settings)
    except Interrupted as stop:
        return _fail(INTERRUPTED, f"{stop}; the same command goes on from there")
    if args.record:
        from arubatheory.report.session import record

        outcomes = record(outcomes, settings, list(everything))
    _print_outcomes(outcomes, args, time.perf_counter() - start)
    return exit_code(outcomes, user=args.file is not None)


def _settings(args: argparse.Namespace) -> Settings:
    from arubatheory.engines.campaign import ENGINES
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
        notes.print(coverage_line(outcomes), soft_wrap=True)
    if args.page:
        _write_page(outcomes, args.page, args, notes)


def _write_page(outcomes: Sequence[Outcome], path: Path, args: argparse.Namespace, notes: Any) -> None:
    from arubatheory.report.page import page, write_page
    from arubatheory.report.worst_cases import find

    file = getattr(args, "file", None)
    text = page(outcomes, args.root / "out" / "figures", file, None if file else find(args.root))
    notes.print(f"page: {write_page(path, text).resolve()}", soft_wrap=True)


def exit_code(outcomes: Sequence[Outcome], user: bool) -> int:
    """What the shell is told: an ERROR is graver than a difference; a user's file is judged without a ledger."""
    from arubatheory.engines.verdict import Status

    statuses = [o.verdict.status for o in outcomes if o.verdict]
    if Status.ERROR in statuses:
        return INTERNAL
    if user:
        return DIFFERS if Status.REFUTED in statuses else AS_RECORDED
    return DIFFERS if any(o.comparison.differs for o in outcomes) else AS_RECORDED


# replay, report, figures, doctor -------------------------------------------------------------------------------------


def _replay(args: argparse.Namespace) -> int:
    from arubatheory.engines.campaign import read_witness
    from arubatheory.engines.exact import BrokenAssumption
    from arubatheory.engines.witness import replay

    try:
        witness = read_witness(args.witness)
    except ValueError as error:
        raise UsageError(str(error)) from error
    statements = _load(args.file)
    if witness.label not in statements:
        raise UsageError(f"the witness belongs to {witness.label!r}, not to a known statement; is --file missing?")
    try:
        seen = replay(witness, statements[witness.label], exact=args.exact)
    except BrokenAssumption as error:
        return _fail(DIFFERS, str(error))
    except ValueError as error:
        raise UsageError(f"{args.witness}: {error}") from error
    from arubatheory.report.describe import replayed

    print(replayed(witness, seen))
    return AS_RECORDED if seen.agrees else DIFFERS


def _report(args: argparse.Namespace) -> int:
    from arubatheory.report.session import stored
    from arubatheory.report.table import console

    outcomes = stored(list(_load(None).values()), args.root)
    if not any(o.verdict for o in outcomes):
        raise NothingSelected(f"no verdict is stored under {args.root}; run `arubatheory verify` first")
    _write_page(outcomes, args.output or args.root / PAGE, args, console())
    return AS_RECORDED


def _figures(args: argparse.Namespace) -> int:
    if not (args.root / "figures" / "__main__.py").is_file():
        raise UsageError(f"there is no figures/ under {args.root}; give its parent by --root")
    return subprocess.run([sys.executable, "-m", "figures", *args.names], cwd=args.root, check=False).returncode


def _doctor(args: argparse.Namespace) -> int:
    from arubatheory.report.doctor import examine

    findings = examine(args.root)
    for finding in findings:
        print(f"{'ok  ' if finding.fine else 'FAIL' if finding.needed else 'none'}  {finding.name:<16} {finding.text}")
    return INTERNAL if any(f.needed and not f.fine for f in findings) else AS_RECORDED
