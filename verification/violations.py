r"""How likely is a violation? The claims "with probability $1-\delta$", with their violation probability computed.

    python -m verification.violations [--draws N] [--search N] [--replicates N] [--seed S] [PATTERN...]

Prints a table in markdown, a row for each statement: the largest violation probability met at several $\delta$ (exact
sums or binomial tails in floats; of replicates, the interval at its error level; a ! where it is above $\delta$), the
median over drawn problems of the slack rhs/lhs at the worst $\delta$ of each, and the problem in which the claim is
tightest. A claim for $\delta\le1/e$ only is left blank above that; steps of proofs that hold with probability
$1-\delta/2$ are not listed. Problems: N draws of the statement's own generator, what search finds, and the witnesses on
record. It decides nothing: verdicts are the campaign's.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arubatheory import PAPER
from arubatheory.arithmetic import approximate
from arubatheory.cli.codes import AS_RECORDED, NothingSelected, Refused, fail
from arubatheory.cli.selection import select
from arubatheory.engines.search import search
from arubatheory.engines.simulate import simulate
from arubatheory.engines.verdict import Witness
from arubatheory.engines.witness import decode_instance
from arubatheory.engines.witness_files import read_witness, witness_files
from arubatheory.papers.aruba.a_background import online_to_batch
from arubatheory.papers.aruba.a_background import selfbounding as data_dependent
from arubatheory.papers.aruba.e_batch import batch_bounds as transfer_bounds
from arubatheory.papers.aruba.e_batch import chernoff as task_variance
from arubatheory.papers.aruba.e_batch import o2b as fast_transfer
from arubatheory.papers.aruba.e_batch import o2bexp as transfer
from arubatheory.papers.aruba.e_batch import o2bwhp as self_bounded
from arubatheory.problems.draw import RandomDraw
from arubatheory.statements.core import Instance, Sides, Statement, all_sides, statements_in

# The sides of these come from `samples`, and those of the others from `chance.at_worst`.
LEVELLED = (
    *statements_in(vars(online_to_batch)),
    *statements_in(vars(data_dependent)),
    *statements_in(vars(transfer)),
    *statements_in(vars(self_bounded)),
    *statements_in(vars(transfer_bounds)),
)
AT_WORST = (*statements_in(vars(fast_transfer)), *statements_in(vars(task_variance)))
DELTAS = (0.5, 0.1, 0.01, 0.001)
WITNESSES = Path(__file__).resolve().parent / "witnesses"


class Row(NamedTuple):
    """What is printed of one statement; `at` holds a probability, or an interval in words, for each of `DELTAS`."""

    label: str
    at: tuple[str, ...]
    slack: str
    tightest: str


def likely(statement: Statement) -> bool:
    r"""Whether the claim is one of "with probability $1-\delta$" with exact sides, $L \le -\log P(\ldots)$."""
    return r"1-\delta" in statement.latex and statement in LEVELLED


def at_worst(statement: Statement) -> bool:
    r"""Whether the claim is one of "with probability $1-\delta$" that is compared at $\delta = P$ alone."""
    return r"1-\delta" in statement.latex and statement in AT_WORST


def claimed(statement: Statement, delta: float) -> bool:
    r"""Whether the claim is made at this $\delta$: some are for $\delta\le1/e$ only."""
    return delta <= math.exp(-1) or transfer_bounds.SMALL not in statement.latex


def violation(sides: Sequence[Sides], delta: float) -> float:
    r"""$P(\text{violation at }\delta)$ of a problem whose sides are $L_o \le -\log P(L \ge L_o)$: a sequence violates
    where $L_o > \log\frac1\delta$. Of a claim for $\delta\le1/e$ it is $\min\{P, 1/e\}$, for such $\delta$."""
    beyond = [math.exp(-float(s.rhs)) for s in sides if s.lhs > math.log(1 / delta)]
    return max(beyond, default=0.0)


def slack(sides: Sequence[Sides]) -> float | None:
    """The least rhs/lhs of a problem, None where no sequence violates at any delta."""
    return min((float(s.rhs) / float(s.lhs) for s in sides if s.lhs > 0), default=None)


def row(statement: Statement, draws: int, budget: int, seed: int) -> Row:
    """One row of the table."""
    rng, seen, slacks = np.random.default_rng(seed), [0.0] * len(DELTAS), []
    tightest = search(statement, budget, seed).worst
    problems = [
        *(_floats(w, statement) for w in (tightest, *_recorded(statement)) if w),
        *_drawn(statement, rng, draws),
    ]
    for place, problem in enumerate(problems):
        sides = _finite(statement, problem)
        seen = [max(p, violation(sides, delta)) for p, delta in zip(seen, DELTAS, strict=True)]
        if place >= len(problems) - draws:
            slacks.append(slack(sides))
    found = [s for s in slacks if s is not None]
    return Row(
        statement.label,
        tuple(_entry(p, delta) if claimed(statement, delta) else "" for p, delta in zip(seen, DELTAS, strict=True)),
        f"{np.median(found):.3g}" if found else "none violates",
        words(_floats(tightest, statement)) if tightest else "",
    )


def _entry(p: float, delta: float) -> str:
    return f"{p:.3g}{' !' if p > delta else ''}"


def at_worst_row(statement: Statement, budget: int, seed: int) -> Row:
    r"""The row of a claim that is compared at $\delta = P$ alone: by how much it is exceeded, or how near it is."""
    worst = search(statement, budget, seed).worst
    seen = [w.ratio for w in (worst, *_recorded(statement)) if w and w.ratio is not None and w.measure == "lhs/rhs"]
    said = f"at $\\delta=P$: lhs/rhs up to {max(seen):.3g}" if seen else ""
    return Row(
        statement.label, (said, *[""] * (len(DELTAS) - 1)), "", words(_floats(worst, statement)) if worst else ""
    )


def sampled_row(statement: Statement, budget: int, seed: int) -> Row:
    """The row of a claim that only replicates can try: the interval of its verdict."""
    verdict = simulate(statement, budget, seed)
    worst = verdict.worst
    said = (verdict.error or (worst.note if worst else ""), *[""] * (len(DELTAS) - 1))
    return Row(statement.label, said, "", words(_floats(worst, statement)) if worst else "")


def words(problem: Instance) -> str:
    """A problem in a few words: its numbers, and the shapes of its arrays."""
    return ", ".join(f"{name} = {_brief(value)}" for name, value in vars(problem).items())


def _brief(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{type(value).__name__} of {np.shape(value[0])}"
    if isinstance(value, np.ndarray):
        return f"({', '.join(f'{x:.3g}' for x in value)})" if value.ndim == 1 and value.size <= 4 else f"{value.shape}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _finite(statement: Statement, problem: Instance) -> list[Sides]:
    with np.errstate(all="ignore"):  # an undefined side is a finding of the campaign, not of this table
        sides = all_sides(statement, problem)
    return [s for s in sides if math.isfinite(s.lhs) and math.isfinite(s.rhs)]


def _drawn(statement: Statement, rng: np.random.Generator, draws: int) -> Iterator[Instance]:
    return (statement.instance(RandomDraw(rng)) for _ in range(draws))


def _floats(witness: Witness, statement: Statement) -> Instance:
    exact = decode_instance(witness.instance, statement)
    return Instance(**{name: approximate(value) for name, value in vars(exact).items()})


def _recorded(statement: Statement) -> list[Witness]:
    found = map(read_witness, witness_files([statement.label], WITNESSES)[statement.label])
    return [w for w in found if w.label == statement.label and w.instance]  # a part's files begin with its whole's name


def main(arguments: Sequence[str] | None = None) -> int:
    """The table on standard output; returns the exit code, one of the command's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="which statements (default: all)")
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--search", type=int, default=2000, help="evaluations of search for the tightest problem")
    parser.add_argument("--replicates", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    try:
        chosen = with_chance(asked.patterns)
    except Refused as error:
        return fail(error.code, str(error))
    print("| statement | " + " | ".join(f"delta = {delta:g}" for delta in DELTAS) + " | median slack | tightest |")
    print("|---|" + "---|" * (len(DELTAS) + 2))
    for statement in chosen:
        if likely(statement):
            _print(row(statement, asked.draws, asked.search, asked.seed))
        elif at_worst(statement):
            _print(at_worst_row(statement, asked.search, asked.seed))
        else:
            _print(sampled_row(statement, asked.replicates, asked.seed))
    return AS_RECORDED


def with_chance(patterns: Sequence[str]) -> list[Statement]:
    """The selected statements that have a row. Raises Refused where there are none."""
    labels = set(select(patterns, [s.label for s in PAPER]))
    chosen = [s for s in PAPER if s.label in labels and (likely(s) or at_worst(s) or s.chance is not None)]
    if not chosen:
        raise NothingSelected(f"no claim with probability 1 - delta is selected by {' '.join(patterns)}")
    return chosen


def _print(r: Row) -> None:
    print(f"| `{r.label}` | " + " | ".join(r.at) + f" | {r.slack} | {r.tightest} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
