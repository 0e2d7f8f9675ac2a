r"""The command line as data: verbs, their options, and help that says what to type.

Nothing here imports more than the standard library: `--help` answers at once, and completion scripts are made from the
same parser.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from arubatheory import papers
from arubatheory.cli.codes import MEANINGS, USAGE, told
from arubatheory.statements.effort import BUDGETS, ENGINES, LARGEST

PAGE = Path("out") / "index.html"
SHELLS = ("bash", "zsh", "fish")
COLUMNS = [(e, max(len(f"{n:,}") for n in e.budgets.values())) for e in ENGINES.values()]
ROWS = [f"  {b:<10}" + ", ".join(f"{e.name} {e.budgets[b]:>{width},}" for e, width in COLUMNS) for b in BUDGETS]
COUNTED = ", ".join(f"{e.counts} for {e.name}" for e in ENGINES.values() if e.counts != "evaluations")
SELECTION = f"""\
budgets, in evaluations of each engine ({COUNTED}):
{chr(10).join(ROWS)}

A pattern is a label or a shell pattern such as 'thm:*'; a label also selects its parts, unless --only is given.
The ledger is the paper's, verification/ledger.csv under --root; a run weaker than a row is not compared with it.
"""
CODES = "exit codes: see `arubatheory --help`\n"
MORE = {
    "verify": f"{SELECTION}\n{MEANINGS}",
    "replay": MEANINGS,
    "figures": f"`python -m figures --help` names the figures.\n\n{CODES}",
}


class Verb(NamedTuple):
    """One verb: the heading it stands under, what it does in a line, what it takes, and commands to copy."""

    heading: str
    text: str
    takes: str
    examples: tuple[str, ...]


VERBS = {
    "list": Verb(
        "look",
        "list the items of the paper and their statements, or the statements of a file",
        "patterns --only --file --json --paper",
        ("arubatheory list", "arubatheory list 'thm:*'", "arubatheory list --file my_bounds.py"),
    ),
    "show": Verb(
        "look",
        "show a statement: formula, assumptions, relations, last verdict, ledger row",
        "label --only --file --json --paper --root",
        ("arubatheory show thm:ftrlomd", "arubatheory show my:square --file my_bounds.py"),
    ),
    "verify": Verb(
        "try",
        "put statements on trial",
        "patterns --only --file --budget --engine --jobs --executor --seed --timeout "
        "--first --forever --fresh --blind --traceback --json --page --record --paper --root",
        (
            "arubatheory verify thm:ftrlomd --budget quick",
            "arubatheory verify --file my_bounds.py",
            "arubatheory verify 'clm:*' --jobs 2 --seed 7 --page out/clm.html",
        ),
    ),
    "sharpen": Verb(
        "try",
        "how large must a constant be? an interval for each size and for all",
        "label --only --constant --size --sizes --budget --seed --file --json --paper",
        (
            "arubatheory sharpen thm:ftrlomd/omd --only --size m --sizes 1,2,3,4,5",
            "arubatheory sharpen my:square --file my_bounds.py --sizes 1,2,3,4",
        ),
    ),
    "replay": Verb(
        "try",
        "look at a witness again: is it what the file says of it? or check a certificate",
        "witness patterns --only --exact --file --paper",
        (
            "arubatheory replay verification/witnesses/clm-mean-simplest.json --exact",
            "arubatheory replay .cache/witnesses/my-square-simplest.json --exact --file my_bounds.py",
            "arubatheory replay 'verification/witnesses/*-simplest.json' 'thm:*' --exact",
        ),
    ),
    "report": Verb(
        "tell",
        "write the page of the stored verdicts, or the errata; runs nothing",
        "patterns --only --output --errata --file --paper --root",
        ("arubatheory report", "arubatheory report --paper paper --errata"),
    ),
    "compare": Verb(
        "tell",
        "say which verdicts changed between two versions of a paper, by their ledgers",
        "old new patterns --only --json --root",
        ("arubatheory compare v1 v2", "arubatheory compare old/ledger.csv verification/ledger.csv"),
    ),
    "figures": Verb(
        "tell", "draw the figures (python -m figures under --root)", "names --root", ("arubatheory figures",)
    ),
    "new": Verb(
        "set up",
        "make the folder of a paper of your own from its LaTeX source",
        "source folder",
        ("arubatheory new paper.tex", "arubatheory new draft/main.tex bounds"),
    ),
    "doctor": Verb(
        "set up",
        "say what works here, what does not, and what to do about it",
        "patterns --only --deep --file --paper --root",
        ("arubatheory doctor", "arubatheory doctor --deep", "arubatheory doctor --file my_bounds.py"),
    ),
    "completion": Verb(
        "set up",
        "print a script that completes commands, options and labels in your shell",
        "shell",
        (
            "arubatheory completion bash > ~/.local/share/bash-completion/completions/arubatheory",
            "arubatheory completion zsh > ~/.zfunc/_arubatheory   # ~/.zfunc in $fpath before compinit",
            "arubatheory completion fish > ~/.config/fish/completions/arubatheory.fish",
        ),
    ),
}


class Parser(argparse.ArgumentParser):
    """argparse with our exit code for usage errors; `verbs` are the parsers of a command line's verbs."""

    verbs: dict[str, Parser]

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and stop."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {told(message)}\n")


def _integer(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text) if text.isdecimal() and len(text) <= len(str(high)) else -1
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be an integer >= {low} and <= {high}, got {text!r}")
        return number

    return read


def _folder(text: str) -> Path:
    if not os.path.isdir(text):  # of a name that is too long too
        raise argparse.ArgumentTypeError(f"must be an existing folder, got {text!r}")
    return Path(text)


def _path(text: str) -> Path:
    with contextlib.suppress(UnicodeEncodeError):
        if b"\0" not in os.fsencode(text):
            return Path(text)
    raise argparse.ArgumentTypeError(f"must be a path, got {text!r}")


def _processors() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, LARGEST["jobs"])


def _said(text: str, metavar: str | None = None, **more: Any) -> dict[str, Any]:
    """An option with a value, or an argument."""
    return {"metavar": metavar, "help": text, **more}


def _flag(text: str) -> dict[str, Any]:
    return {"action": "store_true", "help": text}


TAKEN = {
    "patterns": _said("which statements (default: all)", "PATTERN", nargs="*"),
    "label": _said("a label of the paper, such as thm:ftrlomd", "LABEL"),
    "witness": _said("a witness, a certificate, or those of a folder or a pattern", "WITNESS.json|DIR", type=Path),
    "source": _said("the main file of the paper's source", "PAPER.tex", type=Path),
    "folder": _said("the folder to make (default: named as the source is)", "DIR", nargs="?", type=Path),
    "old": _said("a ledger, or the name or the folder of a paper", "OLD"),
    "new": _said("the same of the newer version", "NEW"),
    "names": _said("which figures (default: all)", "NAME", nargs="*"),
    "shell": _said("the shell that the script is for", choices=SHELLS),
    "--paper": _said("another paper: its name, or the folder of one of your own", "NAME|DIR", default=papers.DEFAULT),
    "--only": _flag("a label selects itself, without its parts"),
    "--traceback": _flag("of a statement that ends in ERROR, all of Python's traceback from your code on"),
    "--constant": _said("one of those that the statement declares (default: its first, a factor on the right)", "NAME"),
    "--size": _said("the size along which (default: that which usually is the largest)", "NAME"),
    "--sizes": _said("its values, with commas (default: those of 1,2,3,5,8,13 that its limit admits)", "N,N"),
    "--file": _said("a Python file with your own Statement values", "FILE", type=_path),
    "--budget": _said(f"{', '.join(BUDGETS)}, or a number", "B", default="standard"),
    "--engine": _said(f"{', '.join(ENGINES)} (default: those that fit); repeatable", "NAME", action="append"),
    "--jobs": _said("processes (default: cores)", "N", type=_integer(1, LARGEST["jobs"]), default=_processors()),
    "--executor": _said(
        "where: processes (default), dask:tcp://HOST:8786, or a MODULE:CALLABLE that returns an Executor",
        "WHERE",
        default="processes",
    ),
    "--seed": _said("same seed, same verdicts (default: 0)", "S", type=_integer(0, LARGEST["seed"]), default=0),
    "--timeout": _said("end a unit of work after so many seconds: IDLE (default: none)", "SECONDS", type=float),
    "--first": _flag("a statement that is refuted is not tried any more"),
    "--forever": _flag("one seed after another, keeping only what is new, until it is interrupted"),
    "--fresh": _flag("do again what is stored"),
    "--blind": _flag("ignore stored witnesses: what do the engines find alone?"),
    "--json": _flag("JSON Lines on stdout: one object for each item or statement"),
    "--page": _said("write the page of this run too", "FILE", type=Path),
    "--record": _flag("write the ledger, verification/ledger.csv, and witnesses/ beside it"),
    "--deep": _flag("try the instrument itself: instances in every arithmetic, the record, definitions (a minute)"),
    "--exact": _flag("in exact arithmetic (default: floats)"),
    "--errata": _flag("what is refuted as printed, as ERRATA.md beside the ledger, in the place of the page"),
    "--output": _said(f"where (default: {PAGE} under --root)", "FILE", type=Path),
    "--root": _said("with verification/, figures/ and .cache/ (default: here)", "DIR", type=_folder, default=Path(".")),
}


def parser() -> Parser:
    """The command line."""
    top = Parser(
        prog="arubatheory",
        usage="arubatheory VERB ...",
        epilog=f"{_overview()}\n{MEANINGS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Put the theorems of the ARUBA paper, of another one, or a bound of your own, on trial.",
    )
    top.add_argument("--version", action="store_true", help="print the version and stop")
    subparsers = top.add_subparsers(dest="verb", prog="arubatheory", help=argparse.SUPPRESS, parser_class=Parser)
    top.verbs = {name: _verb(subparsers.add_parser, name) for name in VERBS}
    return top


def _overview() -> str:
    lines = []
    for heading in dict.fromkeys(verb.heading for verb in VERBS.values()):
        lines.append(f"{heading}:")
        lines += [f"  {name:<12}{verb.text}" for name, verb in VERBS.items() if verb.heading == heading]
    first = [VERBS[name].examples[i] for name, i in (("list", 1), ("show", 0), ("verify", 0), ("verify", 1))]
    return "\n".join([*lines, "", *_listed(first), "`arubatheory VERB --help` says more of one verb.", ""])


def _listed(examples: Sequence[str]) -> list[str]:
    return ["examples:", *(f"  {line}" for line in examples), ""]


def _verb(add: Callable[..., Parser], name: str) -> Parser:
    verb = VERBS[name]
    made = add(
        name,
        description=f"{verb.text[0].upper()}{verb.text[1:]}.",
        epilog="\n".join([*_listed(verb.examples), MORE.get(name, CODES)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option in verb.takes.split():
        made.add_argument(option, **TAKEN[option])
    return made
