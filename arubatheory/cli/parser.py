r"""The command line as data: verbs, their options, and help that says what to type.

Nothing here imports more than the standard library: `--help` answers at once, and completion scripts are made from the
same parser.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

from arubatheory.cli.codes import MEANINGS, USAGE
from arubatheory.statements.effort import BUDGETS, ENGINES

PAGE = Path("out") / "index.html"
SHELLS = ("bash", "zsh", "fish")
COLUMNS = [(e, max(len(f"{n:,}") for n in e.budgets.values())) for e in ENGINES.values()]
ROWS = [f"  {b:<10}" + ", ".join(f"{e.name} {e.budgets[b]:>{width},}" for e, width in COLUMNS) for b in BUDGETS]
COUNTED = ", ".join(f"{e.counts} for {e.name}" for e in ENGINES.values() if e.counts != "evaluations")
SELECTION = f"""\
budgets, in evaluations of each engine ({COUNTED}):
{chr(10).join(ROWS)}

A pattern is a label or a shell pattern such as 'thm:*'; a label also selects its parts.
The ledger is verification/ledger.csv under --root; a run weaker than a row is not compared with it.
"""
CODES = "exit codes: see `arubatheory --help`\n"
MORE = {
    "verify": f"{SELECTION}\n{MEANINGS}",
    "replay": MEANINGS,
    "figures": f"`python -m figures --help` names the figures.\n\n{CODES}",
}


class Verb(NamedTuple):
    """One verb: the heading it stands under, what it does in a line, and commands to copy."""

    heading: str
    text: str
    examples: tuple[str, ...]


VERBS = {
    "list": Verb(
        "look",
        "list the items of the paper and their statements",
        ("arubatheory list", "arubatheory list 'thm:*'", "arubatheory list --json"),
    ),
    "show": Verb(
        "look",
        "show a statement: formula, assumptions, relations, last verdict, ledger row",
        ("arubatheory show thm:ftrlomd", "arubatheory show thm:ftrlomd --json"),
    ),
    "verify": Verb(
        "try",
        "put statements on trial",
        (
            "arubatheory verify thm:ftrlomd --budget quick",
            "arubatheory verify --file my_bounds.py",
            "arubatheory verify 'clm:*' --jobs 2 --seed 7 --page out/clm.html",
        ),
    ),
    "replay": Verb(
        "try",
        "look at a witness again: its instance, and whether both sides are what the file says",
        (
            "arubatheory replay verification/witnesses/clm-mean-simplest.json --exact",
            "arubatheory replay .cache/witnesses/my-square-simplest.json --exact --file my_bounds.py",
        ),
    ),
    "report": Verb("tell", "write the page of the stored verdicts; runs nothing", ("arubatheory report",)),
    "figures": Verb("tell", "draw the figures (python -m figures under --root)", ("arubatheory figures",)),
    "doctor": Verb("set up", "say what works here, what does not, and what to do about it", ("arubatheory doctor",)),
    "completion": Verb(
        "set up",
        "print a script that completes commands, options and labels in your shell",
        (
            "arubatheory completion bash > ~/.local/share/bash-completion/completions/arubatheory",
            "arubatheory completion zsh > ~/.zfunc/_arubatheory   # ~/.zfunc in $fpath before compinit",
            "arubatheory completion fish > ~/.config/fish/completions/arubatheory.fish",
        ),
    ),
}


class Parser(argparse.ArgumentParser):
    """argparse with our exit code for usage errors."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and stop."""
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
    return _with_verbs()[0]


def verb_parsers() -> dict[str, Parser]:
    """The parser of each verb."""
    return _with_verbs()[1]


def _with_verbs() -> tuple[Parser, dict[str, Parser]]:
    top = Parser(
        prog="arubatheory",
        usage="arubatheory VERB ...",
        epilog=_overview() + "\n" + MEANINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Put the theorems of the ARUBA paper, or a bound of your own, on trial.",
    )
    top.add_argument("--version", action="store_true", help="print the version and stop")
    subparsers = top.add_subparsers(dest="verb", prog="arubatheory", help=argparse.SUPPRESS, parser_class=Parser)
    verbs = {name: _verb(subparsers.add_parser, name) for name in VERBS}
    _add_options(verbs)
    return top, verbs


def _overview() -> str:
    lines = []
    for heading in dict.fromkeys(verb.heading for verb in VERBS.values()):
        lines.append(f"{heading}:")
        lines += [f"  {name:<12}{verb.text}" for name, verb in VERBS.items() if verb.heading == heading]
    first = [VERBS[name].examples[i] for name, i in (("list", 1), ("show", 0), ("verify", 0), ("verify", 1))]
    return "\n".join(
        [
            *lines,
            "",
            "examples:",
            *(f"  {line}" for line in first),
            "",
            "`arubatheory VERB --help` says more of one verb.",
            "",
        ]
    )


def _verb(add: Callable[..., Parser], name: str) -> Parser:
    verb = VERBS[name]
    examples = "\n".join(["examples:", *(f"  {line}" for line in verb.examples), ""])
    more = MORE.get(name, CODES)
    return add(
        name,
        description=f"{verb.text[0].upper()}{verb.text[1:].rstrip('?')}.",
        epilog=f"{examples}\n{more}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_options(verbs: dict[str, Parser]) -> None:
    for name in ("list", "verify"):
        verbs[name].add_argument("patterns", nargs="*", metavar="PATTERN", help="which statements (default: all)")
    verbs["show"].add_argument("label", metavar="LABEL", help="a label of the paper, such as thm:ftrlomd")
    for name in ("list", "show"):
        verbs[name].add_argument("--json", action="store_true", help="JSON: one object for each item")
    _add_to_verify(verbs["verify"])
    replay = verbs["replay"]
    replay.add_argument("witness", type=Path, metavar="WITNESS.json")
    replay.add_argument("--exact", action="store_true", help="in exact arithmetic (default: floats)")
    replay.add_argument("--file", type=Path, metavar="FILE", help="the Python file that holds the statement")
    verbs["report"].add_argument("--output", type=Path, metavar="FILE", help=f"where (default: {PAGE} under --root)")
    verbs["figures"].add_argument("names", nargs="*", metavar="NAME", help="which figures (default: all)")
    verbs["completion"].add_argument("shell", choices=SHELLS, help="the shell that the script is for")
    for name in ("list", "show", "verify", "replay", "report"):
        verbs[name].add_argument(
            "--paper", default="aruba", metavar="NAME|DIR", help="which paper: its name, or its folder (default: aruba)"
        )
    for name, sub in verbs.items():
        if name not in ("completion", "list", "replay"):
            sub.add_argument(
                "--root",
                type=_folder,
                default=Path("."),
                metavar="DIR",
                help="folder with verification/, figures/ and .cache/ (default: here)",
            )


def _add_to_verify(sub: Parser) -> None:
    sub.add_argument("--file", type=Path, metavar="FILE", help="a Python file with your own Statement values")
    sub.add_argument("--budget", default="standard", metavar="B", help=f"{', '.join(BUDGETS)}, or a number")
    sub.add_argument(
        "--engine", action="append", metavar="NAME", help=f"{', '.join(ENGINES)} (default: those that fit); repeatable"
    )
    sub.add_argument("--jobs", type=_positive, default=_processors(), metavar="N", help="processes (default: cores)")
    sub.add_argument("--seed", type=_seed, default=0, metavar="S", help="same seed, same verdicts (default: 0)")
    sub.add_argument("--fresh", action="store_true", help="do again what is stored")
    sub.add_argument("--blind", action="store_true", help="ignore stored witnesses: what do the engines find alone?")
    sub.add_argument("--json", action="store_true", help="JSON Lines on stdout, one object per statement")
    sub.add_argument("--page", type=Path, metavar="FILE", help="write the page of this run too")
    sub.add_argument("--record", action="store_true", help="write verification/ledger.csv and witnesses/")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
