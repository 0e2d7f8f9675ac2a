"""Documents that run: the code blocks of a Markdown file, in order, as a reader would type them.

A `python` block runs in the namespace of its document; one whose first line is `# name.py` is saved under that name
instead (`# name.py, continued`: added to it). A `console` block has commands after `$`, and below each the lines that
its output must show, in that order; `...` stands for anything. What a search finds differs in digits from processor to
processor, so numbers are compared as numbers-or-not, but for exit codes and counts of tests and verdicts.
`<!-- not run: reason -->` before a block says why it is not.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arubatheory.cli import main

FENCE = re.compile(r"(<!-- not run: [^\n]+ -->\n)?^```(python|console)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"# (\w+\.py)(, continued)?\n")
DIGITS = r"\d(?:[\d,]*\d)?(?:\.\d+)?(?:[eE/+-]+\d[\d.]*)*"  # a comma after a number is none of its own
NUMBER = re.compile(rf"(?>≈?[-+]?{DIGITS})(?! (?:passed|failed|statement|[A-Z]{{4}}))")


# No deadline and no health check of speed, as a first example may compile; and asserts as Python has them: to rewrite
# those of the package takes longer than the tests.
OPTIONS = ["--hypothesis-profile=ci", "--assert=plain"]


class Block(NamedTuple):
    """One block of code; `skipped` if the document says that it is not run."""

    language: str
    text: str
    skipped: bool


def blocks(text: str) -> list[Block]:
    """The blocks of a document that hold Python or a console session."""
    return [Block(m[2], m[3], bool(m[1])) for m in FENCE.finditer(text)]


class Session:
    """A reader at work in the current folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.names: dict[str, Any] = {"__name__": "document"}
        self.capsys, self.code = capsys, 0

    def run(self, block: Block) -> None:
        """Do what a block says."""
        if block.skipped:
            return
        if block.language == "console":
            self.console(block.text)
        elif file := FILE.match(block.text):
            with Path(file[1]).open("a" if file[2] else "w", encoding="utf-8") as out:
                out.write(block.text[file.end() :])
        else:
            exec(compile(block.text, "a block of the document", "exec"), self.names)

    def console(self, text: str) -> None:
        """Run each command and compare what it prints with what the document shows."""
        for command, shown in commands(text):
            words = shlex.split(command, comments=True)
            if words == ["echo", "$?"]:
                assert shown == [str(self.code)], f"the exit code is {self.code}, the document says {shown}"
                continue
            output = self.output(words)
            missing = first_missing(shown, output.splitlines())
            assert missing is None, f"{command} (exit code {self.code}) does not print {missing!r} but\n{output}"

    def output(self, words: list[str]) -> str:
        """What a command prints on both streams; its exit code is kept for `echo $?`."""
        run: dict[str, Callable[[list[str]], tuple[int, str]]] = {"arubatheory": self.ours, "pytest": pytests}
        self.code, output = run[words[0]](words[1:])
        return output

    def ours(self, words: list[str]) -> tuple[int, str]:
        """Our own command, in this process (the verdicts are the same for any number of jobs)."""
        self.capsys.readouterr()
        code = main([*words, "--jobs", "1"] if words[0] == "verify" else words)
        seen = self.capsys.readouterr()
        return code, seen.out + seen.err


def pytests(words: list[str]) -> tuple[int, str]:
    """A pytest of its own, as it is without this project's settings."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", "/dev/null", *words]
    done = subprocess.run([*command, "--rootdir", ".", *OPTIONS], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a session with the lines shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        yield command, [line for line in shown if line.strip()]


def masked(line: str) -> str:
    """A line with every number, every vector of numbers and either engine made one; white space does not count."""
    line = re.sub("(?<=found by )(check|search)", "*", " ".join(line.split()))
    line = NUMBER.sub("#", line)
    return re.sub(r"#(?:, #)+", "#", line)


def first_missing(shown: list[str], output: list[str]) -> str | None:
    """The first line shown that the output does not have, after the lines shown before it; None if it has all."""
    lines = iter([masked(line) for line in output])
    for line in shown:
        pattern = ".*".join(re.escape(masked(piece).strip()) for piece in line.split("..."))
        if not any(re.fullmatch(pattern, seen) for seen in lines):
            return line
    return None
