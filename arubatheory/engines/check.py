r"""check: Hypothesis looks for a violation, edge cases first, and shrinks it to the simplest witness."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.internal.conjecture import providers

from arubatheory.engines.exact import Certificate, certify
from arubatheory.engines.shrink import SHRINK_BITS, shrink
from arubatheory.engines.trial import Record, check_run, copied
from arubatheory.engines.verdict import Verdict
from arubatheory.problems.draw import Draw, HypothesisDraw, Tape
from arubatheory.statements.core import Statement


class _Broken(Exception):
    """A certified violation, raised to tell Hypothesis that the example is interesting."""


def check(statement: Statement, budget: int, seed: int) -> Verdict:
    """Try `budget` >= 1 examples of a statement; a certified violation is shrunk. Raises TypeError for no `Statement`,
    ValueError for a budget or a `seed` that is none."""
    check_run(statement, budget, seed)
    record = Record(statement, "check", seed)
    smallest: list[tuple[Tape, Certificate]] = []

    def example(data: st.DataObject) -> None:
        draw = HypothesisDraw(data)
        found = _again(statement, draw) if smallest else _first(record, draw)
        if found is not None:
            smallest[:] = [(copied(draw.tape), found)]
            raise _Broken

    with _reproducible(), np.errstate(all="ignore"), contextlib.suppress(_Broken, Flaky):
        _runner(example, budget, seed)()
    record.settle()
    # Hypothesis shrinks what it drew, in the order it drew it; the tape can often be read more easily still.
    return record.verdict(budget, shrink(statement, *smallest[0]) if smallest else None)


def _first(record: Record, draw: Draw) -> Certificate | None:
    """A counted trial; its certificate if it refutes."""
    before = len(record.violated)
    record.evaluate(draw)
    return record.violated[-1][1] if len(record.violated) > before else None


def _again(statement: Statement, draw: Draw) -> Certificate | None:
    """What Hypothesis tries while it shrinks is beyond the budget: it is judged exactly, and not counted."""
    statement.instance(draw)
    certificate = certify(statement, draw.tape, SHRINK_BITS)
    return certificate if certificate.outcome in ("violated", "undefined") else None


def _runner(example: Any, budget: int, seed: int) -> Any:
    # Every setting is given: the caller's own Hypothesis profile must not change a verdict.
    configured = settings(
        derandomize=False,
        backend="hypothesis",
        max_examples=budget,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    return hypothesis.seed(seed)(configured(given(st.data())(example)))


@contextlib.contextmanager
def _reproducible() -> Iterator[None]:
    """Hypothesis mixes constants of the imported modules into its draws: after one more import, the same seed would
    give other examples. Inside this context it draws none."""
    provider: Any = providers.HypothesisProvider
    before = getattr(provider, "_maybe_draw_constant", None)
    if before is None:
        raise RuntimeError(
            f"hypothesis {hypothesis.__version__} draws constants in an unknown way: see constraints.txt"
        )
    provider._maybe_draw_constant = lambda *args, **kwargs: None
    try:
        yield
    finally:
        provider._maybe_draw_constant = before
