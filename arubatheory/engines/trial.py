r"""One trial and the record of many: what check and search share.

A float trial only nominates. It is a *tie* when |lhs - rhs| is within $4 n \varepsilon \cdot$ scale, where n is the
number of rounded operations that the exact run of the same code counts; it is an *apparent violation* beyond that.
Exact arithmetic then decides, so no tolerance ever decides a verdict; a sample of the ties goes to it as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import FIRST_BITS, LAST_BITS
from arubatheory.engines.exact import Certificate, certify
from arubatheory.engines.shrink import cost
from arubatheory.engines.verdict import COUNTED_MINIMUM, Status, Verdict, Witness
from arubatheory.engines.witness import make_witness
from arubatheory.kernel import source_digest
from arubatheory.problems.draw import Draw, Tape
from arubatheory.statements.core import Instance, Sides, Statement, all_sides

EPSILON = float(np.finfo(np.float64).eps)
NEAR = 2.0**-34  # a difference above NEAR * scale is no tie for any kernel of fewer than 2**16 operations
RESOLVED = 16  # a tie's ratio is trusted to 1/16 where the right side is so many times its rounding
TIE_BITS = 256
BINS = 20


class Trial(NamedTuple):
    r"""One float evaluation. `badness` orders instances: lhs/rhs where rhs > 0, else 1 + (lhs - rhs)/scale; above 1
    it is an apparent violation. A tie has at most 1, and `UNRESOLVED` where the right side itself drowns in the
    rounding. `counted`: both sides are finite and scale > 0."""

    badness: float
    measure: str
    counted: bool
    apparent: bool
    tie: bool


UNRESOLVED = -1.0
UNCOUNTED = Trial(-np.inf, "uncounted", False, False, False)


class Record:
    """Counts and best witnesses of one engine's run over one statement."""

    def __init__(self, statement: Statement, engine: str, seed: int) -> None:
        self.statement, self.engine, self.seed = statement, engine, seed
        self.evaluations = self.trials = self.ties = self.overruled = self.checked = self.nonfinite = 0
        self.margins_checked = 0
        self.worst: tuple[float, str, Tape] | None = None
        self.violated: list[tuple[Tape, Certificate]] = []  # certified, in the order found
        self.suspect: tuple[Tape, Certificate] | None = None
        self.histogram = [0] * (BINS + 1)
        self.unsettled = 0  # apparent violations that exact arithmetic was not asked about
        self._operations: dict[tuple[int, ...], int] = {}

    # evaluation ------------------------------------------------------------------------------------------------
    def evaluate(self, draw: Draw) -> Trial:
        """Draw an instance, check its margins, compare its sides in floats, and count it."""
        instance = self.statement.instance(draw)
        self.evaluations += 1
        for assumption in self.statement.assumptions:
            if not assumption.margin(instance) >= 0:
                self._settle_margins(draw.tape)
        trial = self._trial(all_sides(self.statement, instance), draw.tape)
        self._count(trial, draw.tape)
        return trial

    def _settle_margins(self, tape: Tape) -> None:
        """A margin looks negative in floats: exact arithmetic says whether it is (the first 16, then every 256th)."""
        self.margins_checked += 1
        if self.margins_checked <= 16 or self.margins_checked % 256 == 0:
            certify(self.statement, tape, TIE_BITS)

    def _trial(self, sides: tuple[Sides, ...], tape: Tape) -> Trial:
        worst, counted, finite = UNCOUNTED, False, True
        for s in sides:
            if not (math.isfinite(s.lhs) and math.isfinite(s.rhs)):
                finite = False
                continue
            trial = self._compare(s, tape)
            counted = counted or trial.counted
            if trial.badness > worst.badness:
                worst = trial
        if not finite:
            self._settle_nonfinite(tape)
        counted = counted and finite
        return worst if worst.counted == counted else worst._replace(counted=counted)

    def _compare(self, s: Sides, tape: Tape) -> Trial:
        lhs, rhs, scale = float(s.lhs), float(s.rhs), float(s.scale)
        gap = lhs - rhs
        if abs(gap) <= NEAR * scale:
            rounding = self._rounding(tape) * scale
            if abs(gap) <= rounding:
                badness = min(lhs / rhs, 1.0) if rhs > RESOLVED * rounding else UNRESOLVED
                return Trial(badness, "lhs/rhs", scale > 0, False, True)
        if rhs > 0:
            return Trial(lhs / rhs, "lhs/rhs", scale > 0, gap > 0, False)
        return Trial(1 + gap / scale if scale > 0 else 1.0, "(lhs-rhs)/scale", scale > 0, gap > 0, False)

    def _rounding(self, tape: Tape) -> float:
        r"""$4 n \varepsilon$, n the operations of the exact run of the first instance of this structure."""
        # check may meet the same instance again and must treat it alike; search sees too many structures to count each.
        structure = tuple(tape.integers) if self.engine == "check" else (len(tape.integers), len(tape.units))
        if structure not in self._operations:
            self._operations[structure] = certify(self.statement, tape, FIRST_BITS).operations
        return 4 * EPSILON * self._operations[structure]

    def _settle_nonfinite(self, tape: Tape) -> None:
        """A side overflowed or is undefined: exact arithmetic says which (always in check, else 16 and a sample)."""
        self.nonfinite += 1
        if self.engine == "check" or self.nonfinite <= 16 or _sampled(tape):
            self._keep_refutation(tape, certify(self.statement, tape))

    def _keep_refutation(self, tape: Tape, certificate: Certificate) -> bool:
        if certificate.outcome in ("violated", "undefined"):
            self.violated.append((copied(tape), certificate))
            return True
        return False

    def _keep(self, tape: Tape, certificate: Certificate) -> bool:
        if certificate.outcome == "undecided":
            self.suspect = (copied(tape), certificate)
        return self._keep_refutation(tape, certificate)

    def _count(self, trial: Trial, tape: Tape) -> None:
        if not trial.counted:
            return
        self.trials += 1
        # The last bin is for ratios of 1 and above: ties and violations.
        self.histogram[int(min(max(trial.badness, 0.0), 1.0) * BINS)] += 1
        if trial.tie:
            self.ties += 1
            if _sampled(tape):
                self._settle_tie(tape)
        if self.worst is None or trial.badness > self.worst[0]:
            self.worst = (trial.badness, trial.measure, copied(tape))

    # exact arithmetic ------------------------------------------------------------------------------------------
    def settle(self, tape: Tape) -> bool:
        """Ask exact arithmetic about an apparent violation and keep its answer; True when it refutes the claim."""
        certificate = certify(self.statement, tape)
        self.checked += 1
        self.overruled += certificate.outcome in ("holds", "tie")
        return self._keep(tape, certificate)

    def _settle_tie(self, tape: Tape) -> None:
        """A tie is never suspect: balls may well be unable to tell it from equality."""
        self._keep_refutation(tape, certify(self.statement, tape, TIE_BITS))

    # outcome ---------------------------------------------------------------------------------------------------
    def verdict(self, budget: int, simplest: tuple[Tape, Certificate] | None = None) -> Verdict:
        """The verdict of this record; `simplest` is a shrunk certified violation when the engine has one."""
        worst = self._worst_witness()
        status = self._status()
        kept = None
        if self.violated:
            kept = self._witness(*(simplest or min(self.violated, key=lambda found: cost(*found))))
        histogram = tuple(self.histogram)
        return Verdict(
            label=self.statement.label,
            status=status,
            engine=self.engine,
            seed=self.seed,
            budget=budget,
            digest=source_digest(),
            trials=self.trials,
            evaluations=self.evaluations,
            ties=self.ties,
            overruled=self.overruled,
            worst_ratio=None if worst is None else worst.ratio,
            measure="lhs/rhs" if worst is None else worst.measure,
            found_by=self.engine if worst else "",
            kind=self._kind(),
            simplest=kept,
            worst=worst,
            histogram=histogram,
        )

    def _status(self) -> Status:
        if self.violated:
            return Status.REFUTED
        if self.suspect is not None or self.unsettled:
            return Status.SUSPECT
        return Status.SURVIVED if self.trials >= COUNTED_MINIMUM else Status.IDLE

    def _kind(self) -> str:
        outcomes = {certificate.outcome for _, certificate in self.violated}
        return "violation" if "violated" in outcomes else "undefined" if outcomes else ""

    def _worst_witness(self) -> Witness | None:
        """The worst trial, certified; if that does not refute while others do, the worst of those."""
        if self.worst is not None:
            last_bits = TIE_BITS if self.worst[0] <= 1 else LAST_BITS
            certificate = certify(self.statement, self.worst[2], last_bits)
            if certificate.outcome in ("violated", "undefined") or self.worst[0] > 1:
                self._keep(self.worst[2], certificate)
            if certificate.outcome == "violated" or not self.violated:
                return self._witness(self.worst[2], certificate)
        candidates = [(tape, c) for tape, c in self.violated if c.sides is not None]
        if candidates:
            witnesses = [self._witness(*found) for found in candidates]
            return max(witnesses, key=lambda w: (w.measure == "lhs/rhs", w.ratio or 0.0))
        return self._witness(*self.violated[0]) if self.violated else None

    def _witness(self, tape: Tape, certificate: Certificate) -> Witness:
        return make_witness(self.statement, tape, certificate, self.engine, self.seed)


def check_run(statement: Statement, budget: int, seed: int, least: int = 1) -> None:
    """What every engine is given: raises TypeError for no `Statement`, ValueError for a budget below `least` or a
    negative seed."""
    if not isinstance(statement, Statement):
        raise TypeError(f"statement must be a Statement, got {statement!r}")
    for name, value, low in (("budget", budget, least), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"{name} must be an integer >= {low}, got {value!r}")


def copied(tape: Tape) -> Tape:
    """The tape as it is now (a draw goes on writing to its own)."""
    return Tape(list(tape.integers), list(tape.units))


def drawn(statement: Statement, draw: Draw) -> Instance:
    """An instance whose margins hold in floats; a ValueError names the assumption that the generator broke."""
    instance = statement.instance(draw)
    for assumption in statement.assumptions:
        if not assumption.margin(instance) >= 0:
            raise ValueError(f"{statement.label}: the generator broke the assumption {assumption.latex!r}")
    return instance


def _sampled(tape: Tape) -> bool:
    """One instance in 64, chosen by what it is and not by when it came: the same instance is treated alike twice."""
    return (sum(tape.integers) * 31 + sum(tape.units)) % 64 == 0


def failure(statement: Statement, engine: str, seed: int, budget: int, error: BaseException) -> Verdict:
    """The ERROR verdict: the code failed, not the claim."""
    return Verdict(
        label=statement.label,
        status=Status.ERROR,
        engine=engine,
        seed=seed,
        budget=budget,
        digest=source_digest(),
        error=f"{type(error).__name__}: {error}",
    )
