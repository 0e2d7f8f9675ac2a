r"""One evaluation and the record of many: what check and search share.

A float evaluation only nominates. It is a *tie* when |lhs - rhs| is at most $2^{-40}$ of the larger of both, a
*nomination* when lhs is larger by more. One run at `FIRST_BITS` judges a nomination: it is overruled where lhs - rhs is
for certain less than a sixteenth of what the floats claim, or a branch of a kernel is undecided, and ranks as a tie
then. What still admits such a gap is decided by doubling the precision, so no tolerance ever decides a verdict; a
sample of the ties goes to exact arithmetic as well.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import FIRST_BITS, LAST_BITS
from arubatheory.engines.exact import PERSISTS, Certificate, certify, disowns, excludes, ratio_of
from arubatheory.engines.shrink import cost
from arubatheory.engines.verdict import Status, Verdict, Witness, decided, reached
from arubatheory.engines.witness import make_witness
from arubatheory.problems.draw import Draw, Tape
from arubatheory.statements.core import Instance, Sides, Statement, all_sides

EPSILON = float(np.finfo(np.float64).eps)
TIE = 2.0**-40
TIE_BITS = 256
MOST_UNDECIDED = 256  # nominations that no precision decides or overrules: one more is not asked about
PATIENCE = 16  # nominations of a search that exact arithmetic overrules before floats have to repeat themselves
FEW, MANY = 3, 16  # runs in floats, with inputs an ulp off: before exact arithmetic is asked, before it is asked twice
MUCH_WORSE = 1.5  # than the worst evaluation: then search asks again although it has a refutation
BACK = 16  # records that are looked at for one that is no rounding
BINS = 20


class Evaluation(NamedTuple):
    r"""One instance in floats. `badness` orders instances: lhs/rhs where rhs > 0, else lhs - rhs, and 1 more where that
    is positive. A tie has at most 1, and `UNRESOLVED` where rhs <= 0: 0 <= 0 is no close call. `counted`: all sides are
    finite. `claims`: by how much each inequality looks broken, 0 for one that does not. `overruled`: none is."""

    badness: float
    counted: bool
    tie: bool
    claims: tuple[float, ...]
    overruled: bool = False

    @property
    def apparent(self) -> bool:
        """Whether an inequality looks broken."""
        return any(self.claims)


UNRESOLVED = -1.0


def compared(sides: Sides) -> Evaluation:
    """One inequality in floats."""
    lhs, rhs = float(sides.lhs), float(sides.rhs)
    gap = lhs - rhs
    if not math.isfinite(gap):
        return Evaluation(-math.inf, False, False, (0.0,))
    tie = abs(gap) <= TIE * max(abs(lhs), abs(rhs))
    if tie:
        return Evaluation(min(lhs / rhs, 1.0) if rhs > 0 else UNRESOLVED, True, True, (0.0,))
    badness = lhs / rhs if rhs > 0 else gap + (gap > 0)
    return Evaluation(badness, True, False, (max(gap, 0.0),))


def evaluated(statement: Statement, instance: Instance) -> Evaluation:
    """The worst of the inequalities of a statement on an instance in floats."""
    seen = [compared(s) for s in all_sides(statement, instance)]
    worst = max(seen, key=lambda one: one.badness)
    return worst._replace(counted=all(one.counted for one in seen), claims=tuple(one.claims[0] for one in seen))


class Worst(NamedTuple):
    """The worst evaluation of a run, and how it was drawn."""

    badness: float
    tape: Tape


class Record:
    """Counts and best witnesses of one engine's run over one statement."""

    def __init__(self, statement: Statement, engine: str, seed: int) -> None:
        self.statement, self.engine, self.seed = statement, engine, seed
        self.evaluations = self.trials = self.ties = self.nonfinite = self.margins_checked = 0
        self.nominated = self.overruled = self.undecided = 0
        self.records: list[Worst] = []  # each worse than the one before
        self.violated: list[tuple[Tape, Certificate]] = []  # certified, in the order found
        self.settled: tuple[Tape, Certificate] | None = None  # the worst, as exact arithmetic has it
        self.histogram = [0] * (BINS + 1)

    @property
    def worst(self) -> Worst | None:
        """The worst evaluation up to now."""
        return self.records[-1] if self.records else None

    # evaluation ------------------------------------------------------------------------------------------------
    def evaluate(self, draw: Draw) -> Evaluation:
        """Draw an instance, check its margins, compare its sides in floats, have a nomination judged, and count it."""
        instance = self.statement.instance(draw)
        self.evaluations += 1
        for assumption in self.statement.assumptions:
            if not assumption.margin(instance) >= 0:
                self._settle_margins(draw.tape)
        seen = evaluated(self.statement, instance)
        self.nominated += seen.apparent
        if not seen.counted:
            self._settle_nonfinite(draw.tape)
        if seen.apparent and self._asks(seen):
            seen = self._judged(seen, instance, draw.tape)
        elif self.engine != "check" and self._is_record(seen) and not self._is_firm(instance, seen):
            seen = self._resolved(seen, draw.tape)
        if seen.counted:
            self._count(seen, draw.tape)
        return seen

    def _count(self, seen: Evaluation, tape: Tape) -> None:
        self.trials += 1
        # The last bin is for ratios of 1 and above: ties and violations.
        self.histogram[int(min(max(seen.badness, 0.0), 1.0) * BINS)] += 1
        if seen.tie:
            self.ties += 1
            if _sampled(tape):  # a tie is never suspect: balls may well be unable to tell it from equality
                self._refutes(tape, certify(self.statement, tape, TIE_BITS))
        if self._is_record(seen):
            self.records.append(Worst(seen.badness, copied(tape)))

    # exact arithmetic ------------------------------------------------------------------------------------------
    def _settle_margins(self, tape: Tape) -> None:
        """A margin looks negative in floats: exact arithmetic says whether it is (the first 16, then every 256th)."""
        self.margins_checked += 1
        if self.margins_checked <= 16 or self.margins_checked % 256 == 0:
            certify(self.statement, tape, TIE_BITS)

    def _settle_nonfinite(self, tape: Tape) -> None:
        """A side overflowed or is undefined: exact arithmetic says which (always in check, else 16 and a sample)."""
        self.nonfinite += 1
        if self.engine == "check" or self.nonfinite <= 16 or _sampled(tape):
            self._refutes(tape, certify(self.statement, tape))

    def _asks(self, seen: Evaluation) -> bool:
        """check asks about every nomination; search until one refutes the claim, then about each that is much worse."""
        if self.engine == "check" or not self.violated:
            return True
        return self.worst is None or seen.badness > MUCH_WORSE * max(self.worst.badness, 1.0)

    def _judged(self, seen: Evaluation, instance: Instance, tape: Tape) -> Evaluation:
        """A nomination as exact arithmetic has it: overruled, it is a tie. In search, floats that do not repeat it when
        inputs are an ulp off save a run, after `PATIENCE` in vain, and the doubling of precision."""
        if self.undecided >= MOST_UNDECIDED:
            return seen
        again = _Again(self.statement, instance, seen.claims)
        if self.engine != "check" and self.overruled >= PATIENCE and not again.persists():
            return self._overruled(seen)
        certificate = certify(self.statement, tape, FIRST_BITS)
        if certificate.outcome == "undecided" and not excludes(certificate, seen.claims):
            if self.engine != "check" and not again.is_steady():
                return self._overruled(seen, certificate)
            certificate = certify(self.statement, tape, claims=seen.claims)
            if certificate.outcome == "undecided" and not disowns(certificate, seen.claims):
                self.undecided += 1
                return seen
        return seen if self._refutes(tape, certificate) else self._overruled(seen, certificate)

    def _is_record(self, seen: Evaluation) -> bool:
        return seen.counted and (self.worst is None or seen.badness > self.worst.badness)

    def _is_firm(self, instance: Instance, seen: Evaluation) -> bool:
        """Whether inputs that are an ulp off leave the badness where it is."""
        again = [moved(self.statement, instance, k) for k in range(FEW)]
        return all(x is not None and abs(x.badness - seen.badness) <= PERSISTS * abs(seen.badness) for x in again)

    def _resolved(self, seen: Evaluation, tape: Tape) -> Evaluation:
        """A ratio that may be nothing but rounding, as 0/0 is in floats: a tie unless exact arithmetic has the same."""
        certificate = certify(self.statement, tape, FIRST_BITS)
        if _agree(certificate, seen.badness) or self._refutes(tape, certificate):
            return seen
        return self._overruled(seen, certificate)

    def _overruled(self, seen: Evaluation, certificate: Certificate | None = None) -> Evaluation:
        self.overruled += seen.apparent
        badness = UNRESOLVED
        if certificate is not None and certificate.sides is not None:
            ratio, measure = ratio_of(certificate.sides)
            badness = min(ratio, 1.0 if measure == "lhs/rhs" else 0.0)
        return seen._replace(badness=badness, tie=True, claims=(), overruled=True)

    def _refutes(self, tape: Tape, certificate: Certificate) -> bool:
        """Whether a certificate refutes the claim; it is kept then."""
        if certificate.outcome in ("violated", "undefined"):
            self.violated.append((copied(tape), certificate))
            return True
        return False

    # outcome ---------------------------------------------------------------------------------------------------
    def settle(self) -> None:
        """Have exact arithmetic judge the worst evaluation, which may be a tie or, once the claim is refuted, unasked
        about; where it is nothing but rounding, one of those before."""
        for badness, tape in self.records[: -BACK - 1 : -1]:
            certificate = certify(self.statement, tape, TIE_BITS if badness <= 1 else LAST_BITS)
            agree = self._refutes(tape, certificate) or _agree(certificate, badness)
            if self.settled is None or agree:
                self.settled = (tape, certificate)
            if agree:
                return

    def verdict(self, budget: int, simplest: tuple[Tape, Certificate] | None = None) -> Verdict:
        """The verdict of this record; `simplest` is a shrunk certified violation when the engine has one."""
        broken = Status.REFUTED if self.violated else Status.SUSPECT if self.undecided else None
        kept = simplest or min(self.violated, key=lambda found: cost(*found), default=None)
        return reached(
            broken or decided(self.trials),
            self.statement.label,
            self.engine,
            self.seed,
            budget,
            self._worst_witness(),
            trials=self.trials,
            evaluations=self.evaluations,
            ties=self.ties,
            overruled=self.overruled,
            kind=self._kind(),
            simplest=self._witness(*kept) if kept else None,
            histogram=tuple(self.histogram),
        )

    def _kind(self) -> str:
        outcomes = {certificate.outcome for _, certificate in self.violated}
        return "violation" if "violated" in outcomes else "undefined" if outcomes else ""

    def _worst_witness(self) -> Witness | None:
        """The worst evaluation; if that does not refute while others do, the worst of those."""
        if self.settled and (self.settled[1].outcome == "violated" or not self.violated):
            return self._witness(*self.settled)
        witnesses = [self._witness(tape, c) for tape, c in self.violated if c.sides is not None]
        if witnesses:
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


def _agree(certificate: Certificate, badness: float) -> bool:
    """Whether exact arithmetic has the badness that floats have, up to `PERSISTS`."""
    sides = certificate.sides
    return sides is not None and abs(ratio_of(sides)[0] - badness) <= PERSISTS * abs(badness)


class _Again:
    """An instance in floats again, every input an ulp off in one way after the other."""

    def __init__(self, statement: Statement, instance: Instance, claims: tuple[float, ...]) -> None:
        self.statement, self.instance, self.claims = statement, instance, claims

    def persists(self) -> bool:
        """Whether a few runs claim at least `PERSISTS` as much: rounding seldom does."""
        return all(self._claims(k, PERSISTS, math.inf) for k in range(FEW))

    def is_steady(self) -> bool:
        """Whether many runs claim as much, up to a factor of 2: rounding hardly does."""
        return all(self._claims(k, 1 / 2, 2) for k in range(MANY))

    def _claims(self, k: int, least: float, most: float) -> bool:
        again = moved(self.statement, self.instance, k)
        if again is None or len(again.claims) != len(self.claims):  # nothing is known: exact arithmetic is asked
            return True
        pairs = zip(self.claims, again.claims, strict=True)
        return any(before > 0 and least * before <= now <= most * before for before, now in pairs)


def moved(statement: Statement, instance: Instance, k: int) -> Evaluation | None:
    """The evaluation of an instance whose floats are an ulp off, in the k-th way; None if it has none."""
    try:
        return evaluated(statement, Instance(**{name: _nudged(value, k) for name, value in vars(instance).items()}))
    except Exception:
        return None


def _nudged(value: Any, k: int) -> Any:
    """A part of an instance with its floats an ulp off; what was equal stays so, as a point and the bound it is at."""
    if isinstance(value, float):
        return value * (1 + (EPSILON if hash((k, value)) & 64 else -EPSILON))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        out = np.empty_like(value)
        out.flat = [_nudged(x, k) for x in value.flat]
        return out
    if isinstance(value, tuple):
        parts = [_nudged(part, k) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


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


def measured(witness: Witness, budget: int, breaks: bool, trials: int, evaluations: int) -> Verdict:
    """The verdict of an engine that measures: its `witness` is the worst that it met, and at most suspect."""
    status = Status.SUSPECT if breaks else decided(trials)
    said = (status, witness.label, witness.found_by, witness.seed, budget, witness)
    return reached(*said, trials=trials, evaluations=evaluations, simplest=witness if breaks else None)
