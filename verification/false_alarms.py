r"""False alarms: how often do the engines call a true statement false where it is nearly, or exactly, an equality?

    python -m verification.false_alarms [--evaluations N] [--jobs N] [--seed S]

A million evaluations by default, divided among the statements of `SHARES`. In each shard the statement's own generator
draws a tenth of the instances; the tightest of them (ties, and the largest lhs/rhs) then walk: a unit or two of the
tape move, by anything from 2**-24 to the whole range, and the walk goes on from what is at least as tight. Every
apparent violation goes to exact arithmetic, and so does a sample of the ties. Prints the counts; the exit code is 1 if
exact arithmetic refuted anything, and also if fewer than `LEAST_TIES` of the evaluations were exact ties.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402  (it reads the variables when it is first imported)

from arubatheory import PAPER  # noqa: E402
from arubatheory.engines.evaluation import UNRESOLVED, Evaluation  # noqa: E402
from arubatheory.engines.exact import certify  # noqa: E402
from arubatheory.engines.trial import TIE_BITS, Record, copied  # noqa: E402
from arubatheory.engines.units import derived_seed  # noqa: E402
from arubatheory.problems.coarse import LenientDraw  # noqa: E402
from arubatheory.problems.draw import BITS, GRID, Draw, RandomDraw, Tape  # noqa: E402
from verification import shared  # noqa: E402

SHARES = {"clm:cdual": 0.40, "clm:scmin": 0.39, "thm:ftrlomd/omd": 0.20, "thm:ftrlomd/ftrl": 0.01}
EVALUATIONS, SHARD = 1_000_000, 10_000
WALKS, IDLE_WALKS = 64, 8
SAMPLE = 256  # one tie in so many is judged exactly, besides those that the record itself settles
LEAST_TIES = 0.10


class Counts(NamedTuple):
    """What happened in a number of evaluations. `resolved` are the ties of sides that are not 0 up to rounding.
    `sampled` ties were judged exactly, `exact` of them are ties in
    rationals; the others hold strictly or their balls overlap. `apparent` violations are either `overruled` by exact
    arithmetic, undecided, or `refuted`."""

    evaluations: int
    ties: int
    resolved: int
    sampled: int
    exact: int
    apparent: int
    overruled: int
    refuted: int

    def plus(self, other: Counts) -> Counts:
        """The counts of both."""
        return Counts(*map(sum, zip(self, other, strict=True)))

    def exact_share(self) -> float:
        """The share of exact ties among all evaluations, estimated from the sample."""
        return self.ties / self.evaluations * self.exact / self.sampled if self.sampled else 0.0


NONE = Counts(*[0] * len(Counts._fields))


class _Hunt:
    """One shard: a record, and what it does not count."""

    def __init__(self, label: str, seed: int) -> None:
        self.statement = next(s for s in PAPER if s.label == label)
        self.record = Record(self.statement, "search", seed)
        self.resolved = self.sampled = self.exact = 0

    def evaluate(self, draw: Draw) -> Evaluation:
        trial = self.record.evaluate(draw)
        self.resolved += trial.tie and trial.badness > UNRESOLVED
        if trial.tie and not trial.overruled and self.record.ties % SAMPLE == 1:
            self.sampled += 1
            self.exact += certify(self.statement, draw.tape, TIE_BITS).outcome == "tie"
        return trial

    def counts(self) -> Counts:
        record = self.record
        return Counts(
            record.evaluations,
            record.ties,
            self.resolved,
            self.sampled,
            self.exact,
            record.nominated,
            record.overruled,
            len(record.violated),
        )


def tightness(trial: Evaluation) -> float:
    """1 for a tie, lhs/rhs otherwise; nothing for what does not count."""
    return 1.0 if trial.tie else trial.badness if trial.counted else -np.inf


def hunt(label: str, evaluations: int, seed: int) -> Counts:
    """One shard of `evaluations` on one statement."""
    rng = np.random.default_rng([seed, 0xA1A])
    found = _Hunt(label, seed)
    with np.errstate(all="ignore"):
        walks = _tightest(found, rng, max(evaluations // 10, 1))
        for k in range(evaluations - found.record.evaluations):
            least, tape = walks[k % len(walks)]
            moved = LenientDraw(tape._replace(units=_moved(rng, tape.units)))
            reached = tightness(found.evaluate(moved))
            if reached >= least:
                walks[k % len(walks)] = (reached, copied(moved.tape))
    return found.counts()


def _tightest(found: _Hunt, rng: np.random.Generator, n: int) -> list[tuple[float, Tape]]:
    """n random instances, and the tightest of them; at most `IDLE_WALKS` are ties of sides that are 0 up to
    rounding."""
    zero: list[tuple[float, Tape]] = []
    other: list[tuple[float, Tape]] = []
    words: list[int] = []
    for _ in range(n):
        draw = RandomDraw(rng, words)
        trial = found.evaluate(draw)
        (zero if trial.tie and trial.badness == UNRESOLVED else other).append((tightness(trial), copied(draw.tape)))
    other.sort(key=lambda walk: -walk[0])
    return zero[:IDLE_WALKS] + other[: WALKS - min(len(zero), IDLE_WALKS)]


def _moved(rng: np.random.Generator, units: list[int]) -> list[int]:
    """Units of which one or two have moved: by a power of two, to a coarse fraction, or anywhere."""
    moved = list(units)
    if not moved:
        return moved
    for _ in range(1 + int(rng.integers(2))):
        i, kind = int(rng.integers(len(moved))), int(rng.integers(4))
        if kind < 2:
            step = 1 << int(rng.integers(BITS))
            moved[i] = min(max(moved[i] + (step if kind else -step), 0), GRID)
        else:
            moved[i] = int(rng.integers(9)) * (GRID // 8) if kind == 2 else int(rng.integers(GRID + 1))
    return moved


def shards(evaluations: int, seed: int) -> list[tuple[str, int, int]]:
    """(label, evaluations, seed) of every shard: the same for any number of processes."""
    plan = []
    for label, share in SHARES.items():
        total = round(evaluations * share)
        for k, start in enumerate(range(0, total, SHARD)):
            plan.append((label, min(SHARD, total - start), derived_seed(seed, label, k)))
    return plan


def run(evaluations: int = EVALUATIONS, seed: int = 1, jobs: int = 2) -> dict[str, Counts]:
    """The counts of every statement. Raises ValueError for evaluations < 100 or jobs < 1."""
    if evaluations < 100:
        raise ValueError(f"evaluations must be >= 100, got {evaluations}")
    plan = shards(evaluations, seed)
    parts = list(shared(hunt, plan, jobs))
    found = dict.fromkeys(SHARES, NONE)
    for (label, _, _), counts in zip(plan, parts, strict=True):
        found[label] = found[label].plus(counts)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.false_alarms", description=__doc__)
    parser.add_argument("--evaluations", type=int, default=EVALUATIONS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        found = run(given.evaluations, given.seed, given.jobs)
    except ValueError as error:
        parser.error(str(error))
    total = NONE
    print(f"{'statement':18s}" + "".join(f"{name:>13s}" for name in Counts._fields) + "   exact ties")
    for label, counts in found.items():
        print(_line(label, counts))
        total = total.plus(counts)
    print(_line("all", total))
    return int(total.refuted > 0 or total.exact_share() < LEAST_TIES)


def _line(label: str, counts: Counts) -> str:
    return f"{label:18s}" + "".join(f"{n:13,d}" for n in counts) + f"{counts.exact_share():12.1%}"


if __name__ == "__main__":
    sys.exit(main())
