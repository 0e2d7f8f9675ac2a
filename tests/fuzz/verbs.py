"""The command line with words that nobody should type: an exit code that is documented, and never a traceback."""

from __future__ import annotations

import contextlib
import io
import random
import signal
from collections.abc import Iterable
from pathlib import Path

from arubatheory.cli import main
from arubatheory.cli.parser import VERBS
from tests.fuzz.calls import SECONDS, Failure, Hang, limited

USER = """
from arubatheory import Instance, Sides, Statement

def pair(draw):
    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))

S = Statement("my:squares", "claim", "2xy", pair, lambda i: Sides(2 * i.x * i.y, i.x * i.x + i.y * i.y))
"""
BAD = (
    *(
        "",
        " ",
        "-",
        "--",
        "x",
        "*",
        "[",
        "[!",
        "clm:",
        "my:squares",
        "my:*",
        "clm:mean",
        "nowhere/here.py",
        ".",
        "/",
        "~",
    ),
    *("/dev/null", "/proc/self/mem", "\x00", "\x1b[31m", "\ud800", "\u202e", "é" * 300, "a" * 5000, "../" * 50, "%s%n"),
    *(
        "0",
        "-1",
        "1",
        "1e9",
        "nan",
        "inf",
        "10" * 40,
        "0x10",
        "²",
        "１",
        "quick",
        "check",
        "check,search",
        "check,",
        ",",
    ),
    *("broken.py", "mine.py", "mine.json", "--json", "--help", "--version", "--nope", "-h", "--paper", "bash", "zsh"),
)
NEEDED = {
    "verify": ["--file", "mine.py", "--budget", "40", "--jobs", "1"],
    "replay": ["mine.json"],
    "figures": ["--root", "nowhere"],
    "compare": ["mine.csv"],
    "new": ["mine.tex"],
}
UNSAID = ("--deep", "--jobs", "--executor", "--forever", "--record")
"""Minutes of work, processes, code by its name, no end, the paper's own record."""
CODES = (0, 1, 2, 4, 5)


def words(k: int, seed: int = 0) -> list[str]:
    """The words of command k: a verb, what it needs, and some of its options with bad values."""
    choose = random.Random(f"verbs {seed} {k}")
    verb = tuple(VERBS)[k % len(VERBS)]
    options = [o for o in VERBS[verb].takes.split() if o.startswith("--") and o not in UNSAID]
    found = [verb, *(NEEDED.get(verb, []) if verb != "replay" or choose.random() < 0.5 else [])]
    for _ in range(choose.randint(0, 3)):
        found += [choose.choice(options)] if options and choose.random() < 0.6 else []
        word = choose.choice(BAD)
        # To sharpen all of the paper takes hours, and is no mistake.
        found += [word] if choose.random() < 0.8 and (verb, word) != ("sharpen", "*") else []
    return found + (NEEDED["verify"] if verb == "verify" else [])  # last: a budget of days would be obeyed


def command(k: int, seed: int = 0) -> Failure | None:
    """Run command k in this process, in the present folder."""
    given, out, err = words(k, seed), io.StringIO(), io.StringIO()
    signal.setitimer(signal.ITIMER_PROF, 4 * SECONDS, 1)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(given)
        said = err.getvalue().strip()
        if code not in CODES or "Traceback" in said:
            return Failure(k, f"arubatheory {given[0]}", f"exit code {code}", f"{said[-300:]!r} <- {given}")
    except Hang:
        return Failure(k, f"arubatheory {given[0]}", "hangs", f"{given}")
    except BaseException as error:
        return Failure(k, f"arubatheory {given[0]}", type(error).__name__, f"{error} <- {given}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def run(commands: Iterable[int], seed: int = 0) -> list[Failure]:
    """Run these commands in the present folder, which gets the files that they are about."""
    Path("mine.py").write_text(USER, encoding="utf-8")
    Path("broken.py").write_text("def (", encoding="utf-8")
    Path("mine.csv").write_text("label,status\n", encoding="utf-8")
    Path("mine.tex").write_text("\\begin{theorem}", encoding="utf-8")
    Path("mine.json").write_text('{"label": "my:squares"}', encoding="utf-8")
    with limited():
        return [failure for k in commands if (failure := command(k, seed)) is not None]
