"""A sample of `python -m tests.fuzz`, and the fuzz itself: what it must notice, and that nothing is left out unsaid."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

from arubatheory.kernel import compiled
from tests.fuzz import calls, targets, verbs
from tests.fuzz.calls import Failure, Fuzz, report
from tests.fuzz.targets import KEPT, LEFT_OUT, Target


@pytest.mark.skipif(compiled(), reason="every type of argument compiles a kernel: python -m tests.fuzz says how long")
def test_hostile_calls_end_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failures = Fuzz(seed=1).run(range(2000))
    assert not failures, report(failures)


def test_hostile_commands_end_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failures = verbs.run(range(24), seed=1)
    assert not failures, report(failures)


@pytest.mark.skipif(compiled(), reason="as above")
def test_every_function_is_met_where_it_does_its_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fuzz = Fuzz(hostile=False)
    fuzz.run(range(12 * len(fuzz.targets)))
    assert [t.name for t in fuzz.targets if not fuzz.succeeded[t.name]] == []


def test_what_is_left_out_is_there() -> None:
    found = {name for module in targets.all_modules() for name in targets.names_of(module)}
    assert [name for name in (*LEFT_OUT, *KEPT) if name not in found] == []
    assert all(LEFT_OUT.values())


def mutated(x: np.ndarray) -> float:
    """Changes its argument."""
    x[...] = 7
    return 1.0


def endless(x: np.ndarray) -> float:
    """Never returns."""
    while True:
        time.process_time()


def unnamed(x: np.ndarray) -> float:
    """Refuses."""
    raise ValueError("no")


def broken(x: np.ndarray) -> float:
    """Fails."""
    return x.missing  # type: ignore[attr-defined]


def undefined(x: np.ndarray) -> float:
    """Is NaN."""
    return math.nan


def documented(x: np.ndarray) -> float:
    """Raises OverflowError at times."""
    raise OverflowError("left")


def fine(x: np.ndarray) -> float:
    """Refuses as it should."""
    raise TypeError(f"x must be something else, got {x!r}")


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (mutated, "changed x"),
        (endless, "took longer than 0.2 s"),
        (unnamed, "ValueError without the argument's name"),
        (broken, "AttributeError"),
        (undefined, "NaN"),
        (documented, None),
        (fine, None),
    ],
)
def test_the_fuzz_notices(function, kind, monkeypatch) -> None:
    monkeypatch.setattr(calls, "SECONDS", 0.2)
    fuzz = Fuzz(hostile=False)
    fuzz.targets = [Target("made.up", function)]
    assert [f.kind for f in fuzz.run([1])] == ([] if kind is None else [kind])


def test_a_call_is_made_again_by_its_number() -> None:
    first, again = (Fuzz(seed=3).prepared(1234) for _ in range(2))
    assert first[0] == again[0] and first[3] == again[3] and calls.shown(first[2]) == calls.shown(again[2])
    assert report([Failure(5, "f", "NaN", "nan <- x=1")]).splitlines()[1].strip() == "call 5: nan <- x=1"
