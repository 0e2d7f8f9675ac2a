r"""Your own theorems in your own pytest suite.

`assert_survives(statement)` puts a statement on trial in one line and fails with the witness and the command that looks
at it again. `instances` and `drawn` are the Hypothesis strategies behind `Draw`, for properties of your own:

    @given(instances(MY_BOUND))
    def test_the_learner_stays_in_its_domain(i): ...

Budgets count evaluations, never seconds, and seeds are fixed: a test passes or fails alike on every machine and under
pytest-xdist.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, TypeVar

from hypothesis import reject
from hypothesis import strategies as st

from arubatheory.engines.trial import check_run
from arubatheory.engines.units import engine_of, units_of
from arubatheory.engines.verdict import COUNTED_MINIMUM, Status, Verdict, Witness, combine
from arubatheory.problems.coarse import HypothesisDraw
from arubatheory.problems.draw import Draw
from arubatheory.problems.signatures import typed
from arubatheory.report.outcome import WITNESS_FOLDER, counting, ratio_text, replay_line, write_witnesses
from arubatheory.report.plain import instance_lines, number
from arubatheory.statements.blame import said
from arubatheory.statements.core import Instance, NotAnInstance, Statement
from arubatheory.statements.effort import Effort, fits

__all__ = ["assert_survives", "drawn", "instances"]

X = TypeVar("X")


def assert_survives(
    statement: Statement,
    budget: str | int = "quick",
    engines: Sequence[str] | None = None,
    seed: int = 0,
    folder: str | Path = WITNESS_FOLDER,
) -> Verdict:
    r"""Put a statement on trial; its verdict if it is SURVIVED or PROVED, else an AssertionError that shows why not.

    `budget` is "quick", "standard", "deep" or a number of evaluations for each engine; `engines` are names (None: all
    that fit the statement). The message of a refutation has both sides, the simplest witness's instance, the file in
    `folder` that the witness was written to, and the command that looks at it again. SUSPECT, IDLE and ERROR fail too:
    none of them says that the claim has survived anything; an exception of the statement's own code is the error's
    cause.

    Raises TypeError if `statement` is no `Statement`, ValueError for an unknown budget or engine, for engines that do
    not fit the statement, or for a negative seed.
    """
    __tracebackhide__ = True
    if not isinstance(folder, str | Path):
        raise TypeError(f"folder must be a path, got {folder!r}")
    verdict = _verdict(statement, budget, engines, seed)
    if verdict.status not in (Status.SURVIVED, Status.PROVED):
        path = next((p for p in write_witnesses(Path(folder), verdict) if p), None)
        raise AssertionError("\n".join([f"{statement.label} is {verdict.status}", *_reasons(statement, verdict, path)]))
    return verdict


def _verdict(statement: Statement, budget: str | int, engines: Sequence[str] | None, seed: int) -> Verdict:
    """The verdict that the command line would reach with the same budget and seed."""
    check_run(statement, 1, seed)
    names = (engines,) if isinstance(engines, str) else statement.engines if engines is None else engines
    if not isinstance(names, Sequence):
        raise TypeError(f"engines must be a sequence of names, got {engines!r}")
    units = units_of(statement, Effort(tuple(names), budget, seed))
    if not any(fits(name, statement.engines) for name in names):
        raise ValueError(f"engines must include one of {', '.join(statement.engines)}, got {engines!r}")
    try:
        verdicts = [engine_of(unit.engine)(statement, unit.budget, unit.seed) for unit in units]
    except Exception as error:
        raise AssertionError(f"{statement.label} is ERROR\n  the code failed, not the claim: {said(error)}") from error
    return combine(statement.label, verdicts, seed)


# the message -------------------------------------------------------------------------------------------------------
def _reasons(statement: Statement, verdict: Verdict, path: Path | None) -> list[str]:
    """What stands below the first line of the message."""
    if verdict.status is Status.ERROR:
        return [f"  the code failed, not the claim: {verdict.error}"]
    if verdict.status is Status.IDLE:
        return [
            f"  {counting(verdict)}; {COUNTED_MINIMUM} are needed: a trial counts when both sides are finite; "
            "is the budget too small?"
        ]
    witness = verdict.simplest or verdict.worst
    shown = [] if witness is None else _witness(witness, verdict)
    return [f"  {verdict.sentence}", f"  claim     {statement.latex}", *shown, *_again(statement, path)]


def _witness(witness: Witness, verdict: Verdict) -> list[str]:
    sides = [f"  lhs       {number(witness.lhs)}", f"  rhs       {number(witness.rhs)}"]
    measured = [f"  measured  {verdict.measured}"] if verdict.measured else sides
    ratio = [] if verdict.measured else [f"  ratio     {ratio_text(witness.ratio, witness.measure)}"]
    worst = verdict.worst_ratio
    if verdict.status is Status.REFUTED and worst is not None and worst != witness.ratio:
        ratio.append(f"  worst     {ratio_text(worst, verdict.measure)}, the largest ratio that was found")
    reason = [f"  note      {witness.note}"] if witness.note and not verdict.measured else []
    found = f"  on the simplest instance that {witness.found_by} found (seed {verdict.seed}):"
    return [*measured, *ratio, *reason, found, *instance_lines(witness.instance, "    ")]


def _again(statement: Statement, path: Path | None) -> list[str]:
    """The witness's file and the command that evaluates it again."""
    if path is None:
        return []
    if _is_the_papers(statement):
        return [f"  witness   {path}", f"  again     {replay_line(path)}"]
    file = _file_of(statement)
    if file is None:
        return [f"  witness   {path}", "  to replay it, give the statement a name at the top level of a Python file"]
    return [f"  witness   {path}", f"  again     {replay_line(path, _near(file))}"]


def _is_the_papers(statement: Statement) -> bool:
    from arubatheory import PAPER

    return any(s is statement for s in PAPER)


def _file_of(statement: Statement) -> Path | None:
    """The user's file that holds a statement, as itself or in a tuple or list: the one that defines its `instance` if
    several import it; None if no module does."""
    home = getattr(statement.instance, "__module__", None)
    modules = [m for m in list(sys.modules.values()) if type(m) is ModuleType and getattr(m, "__file__", None)]
    for module in sorted(modules, key=lambda m: m.__name__ != home):
        if _holds(module, statement):
            return Path(str(module.__file__))
    return None


def _holds(module: ModuleType, statement: Statement) -> bool:
    groups = (value if isinstance(value, tuple | list) else (value,) for value in list(vars(module).values()))
    return any(s is statement for group in groups for s in group)


def _near(file: Path) -> Path:
    """A path as one would type it here."""
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


# strategies --------------------------------------------------------------------------------------------------------
@typed
def drawn(build: Callable[[Draw], X]) -> st.SearchStrategy[X]:
    r"""The Hypothesis strategy of what `build(draw)` makes: `drawn(lambda draw: draw.spd(3))`.

    `draw` is a `Draw`: integers, choices, reals, positive numbers over many scales, points of the simplex and the
    sphere, rotations, positive definite matrices. Edge cases come first, and it shrinks towards simple fractions.
    """
    if not callable(build):
        raise TypeError(f"build must be a function of a draw, got {build!r}")

    @st.composite
    def strategy(draw: Any) -> X:
        try:
            return build(HypothesisDraw(SimpleNamespace(draw=draw)))  # type: ignore[arg-type]  # only `draw` is asked of it
        except NotAnInstance:
            reject()

    return strategy()


@typed
def instances(statement: Statement) -> st.SearchStrategy[Instance]:
    r"""The Hypothesis strategy of a statement's instances: problems that satisfy its assumptions, in floats.

    Raises TypeError if `statement` is no `Statement`.
    """
    check_run(statement, 1, 0)
    return drawn(statement.instance)
