"""Small statements that stand in for the paper's where a test is about reporting, not about mathematics."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from arubatheory.cli import main
from arubatheory.engines.verdict import Status, Verdict, Witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import Draw
from arubatheory.report.outcome import Outcome
from arubatheory.statements.core import Assumption, Instance, Sides, Statement


def pair(draw: Draw) -> Instance:
    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))


def squares(factor: int, i: Instance) -> Sides:
    return Sides(factor * i.x * i.y, i.x * i.x + i.y * i.y)


def broken(i: Instance) -> Sides:
    raise RuntimeError("the planted failure")


TRUE = Statement(
    "clm:cdual",
    "claim",
    r"2xy\le x^2+y^2",
    pair,
    lambda i: squares(2, i),
    number="B.1",
    title="a true claim",
    assumptions=(Assumption(r"x\in[-2,2]", lambda i: 2 - abs(i.x)),),
)
FALSE = Statement(
    "clm:scmin", "claim", r"4xy\le x^2+y^2", pair, lambda i: squares(4, i), number="B.2", uses=("clm:cdual",)
)
PART = Statement("thm:ftrlomd/omd", "theorem", r"\R_T\le 0", pair, lambda i: squares(2, i), number="A.1")
FAILING = Statement("clm:mean", "claim", r"x=x", pair, broken, number="A.1")
TOYS = {s.label: s for s in (TRUE, FALSE, PART, FAILING)}


def instead_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toys in the place of the paper's statements."""
    monkeypatch.setattr("arubatheory.PAPER", tuple(TOYS.values()))  # first: the paper's own are kept as they were
    monkeypatch.setitem(vars(ARUBA), "statements", tuple(TOYS.values()))
    monkeypatch.setitem(vars(ARUBA), "places", dict.fromkeys(TOYS, ("", 0)))


def printed_by(code: str) -> list[str]:
    """What a program prints in a Python of its own, word by word."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def run(*args: str) -> int:
    """The command, and its exit code."""
    return main([*args])


def verify(*args: str) -> int:
    """`arubatheory verify` at a small budget, in this process."""
    return run("verify", "--budget", "150", "--jobs", "1", *args)


# The same, as a user would write it: a file of their own, with an entry in a log for every instance drawn.
USER = """
import os, time
from arubatheory.statements.core import Instance, Sides, Statement

def instance(draw):
    return Instance(x=draw.real(-2, 2), y=draw.real(-2, 2))

def logged(label):
    def slow(draw):
        if "TOY_LOG" in os.environ:
            with open(os.environ["TOY_LOG"], "a") as log:
                print(label, file=log)
            time.sleep(float(os.environ["TOY_SLEEP"]))
        return instance(draw)
    return slow

def sides(factor):
    def compare(i):
        lhs, rhs = factor * i.x * i.y, i.x * i.x + i.y * i.y
        return Sides(lhs, rhs)
    return compare

"""


def user_file(factors: dict[str, int]) -> str:
    """The source of a user's file: 2xy <= x^2 + y^2 with these factors in place of 2, by label."""
    lines = [
        f"S{k} = Statement({label!r}, 'claim', r'{factor}xy\\le x^2+y^2', logged({label!r}), sides({factor}))"
        for k, (label, factor) in enumerate(factors.items())
    ]
    return USER + "\n".join(lines) + "\n"


def witness(label: str = "clm:scmin", **other: Any) -> Witness:
    values: dict[str, Any] = dict(
        label=label,
        found_by="check",
        seed=7,
        digest="d" * 16,
        tape={"integers": [], "units": [1 << 23, 1 << 23]},
        instance={"x": {"number": "1"}, "y": {"number": "1"}},
        lhs="4",
        rhs="2",
        ratio=2.0,
        measure="lhs/rhs",
        certified="violated",
    )
    return Witness(**{**values, **other})


def verdict(label: str, status: Status, **other: Any) -> Verdict:
    values: dict[str, Any] = dict(
        label=label,
        status=status,
        engine="check",
        seed=0,
        budget=150,
        digest="d" * 16,
        trials=120,
        evaluations=125,
        worst_ratio=0.5,
        found_by="check",
        seconds=1.5,
        histogram=(120, *[0] * 20),
    )
    return Verdict(**{**values, **other})


def outcomes() -> list[Outcome]:
    """One outcome of every status, and one without a verdict."""
    refuted = verdict("clm:scmin", Status.REFUTED, simplest=witness(), worst=witness(bits=128), worst_ratio=2.0)
    return [
        Outcome(TRUE, verdict("clm:cdual", Status.SURVIVED)),
        Outcome(FALSE, refuted),
        Outcome(PART, verdict("thm:ftrlomd/omd", Status.SUSPECT)),
        Outcome(FAILING, verdict("clm:mean", Status.ERROR, error="RuntimeError: <boom> & more")),
        Outcome(
            TRUE.__class__("eq:regret", "equation", r"\R_t\le\U_t", pair, broken), verdict("eq:regret", Status.IDLE)
        ),
        Outcome(TRUE.__class__("eq:omdregret", "equation", r"\R_t\le\U_t", pair, broken), None),
    ]
