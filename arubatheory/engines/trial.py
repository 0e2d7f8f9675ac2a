r"""One evaluation and the record of many: what check and search share.

A float evaluation only nominates. It is a *tie* when |lhs - rhs| is at most $2^{-40}$ of the larger of both, a
*nomination* when lhs is larger by more. One run at `FIRST_BITS` judges a nomination: it is overruled where lhs - rhs is
for certain less than a sixteenth of what the floats claim, or a branch of a kernel is undecided, and ranks as a tie
then. What still admits such a gap is decided by doubling the precision, so no tolerance ever decides a verdict; a
sample of the ties goes to exact arithmetic as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from arubatheory.arithmetic import COUNT, FIRST_BITS, LAST_BITS
from arubatheory.engines.addends import left_out, needed
from arubatheory.engines.evaluation import UNCOUNTED, UNRESOLVED, Evaluation, evaluated, moved, nearness, repeats
from arubatheory.engines.exact import PERSISTS, Certificate, certify, certify_margins, disowns, excludes, ratio_of
from arubatheory.engines.reach import Reach, joined
from arubatheory.engines.shrink import cost
from arubatheory.engines.verdict import Status, Verdict, Witness, decided, reached
from arubatheory.engines.witness import check_again, make_witness
from arubatheory.problems.draw import Draw, Tape, TapeDraw
from arubatheory.problems.rows import rung
from arubatheory.statements.core import Instance, NotAnInstance, Sides, Statement
from arubatheory.statements.effort import possible

TIE_BITS = 256
MOST_UNDECIDED = 256  # nominations that no precision decides or overrules: one more is not asked about
PATIENCE = 16  # nominations of a search that exact arithmetic overrules before floats have to repeat themselves
FEW, MANY = 3, 16  # runs in floats, with inputs an ulp off: before exact arithmetic is asked, before it is asked twice
MUCH_WORSE = 1.5  # than the worst evaluation: then search asks again although it has a refutation
CLOSEST = 6  # instances beside the worst whose terms are looked at: those of the smallest sizes, records
BACK = 16  # records that are looked at for one that is no rounding
BINS = 20
# exact ones of a search: after so many no tie is certified; after so many in vain, a sample of nominations is judged;
# after so many no other instance is looked at for terms
TIE_OPERATIONS, VAIN_OPERATIONS, TERM_OPERATIONS = 200_000, 200_000, 4_000_000
MARGINS, ONE_IN = 64, 16  # evaluations of a search whose margins are looked at: the first, and one in so many


STRUCTURES = 4  # whose best tapes are kept
Climber = tuple[float, Tape]  # how promising a tape is
Best = dict[tuple[int, ...], Climber]  # by the integers of the tape


def keep(best: Best, badness: float, tape: Tape) -> None:
    """Enter a tape into the table of the best structures; of equal ones the later is kept."""
    key = tuple(tape.integers)
    if key not in best or badness > best[key][0]:
        best[key] = (badness, copied(tape))
    if len(best) > STRUCTURES:
        del best[min(best, key=lambda k: best[k][0])]


class Enough(Exception):
    """A certified violation is found, and the run was to end at its first."""


class Record:
    """Counts and best witnesses of one engine's run over one statement; `first`: it ends at its first violation."""

    def __init__(self, statement: Statement, engine: str, seed: int, first: bool = False) -> None:
        self.statement, self.engine, self.seed, self.first = statement, engine, seed, first
        self.evaluations = self.trials = self.ties = self.nonfinite = self.margins_checked = 0
        self.nominated = self.overruled = self.undecided = 0
        self.records: list[tuple[float, Tape]] = []  # badness, each worse than the one before
        self.violated: list[tuple[Tape, Certificate]] = []  # certified, in the order found
        self.settled: tuple[Tape, Certificate] | None = None  # the worst, as exact arithmetic has it
        self.histogram = [0] * (BINS + 1)
        self.by_size: dict[str, dict[int, float]] = {}  # the worst badness by the name of a size and its rung
        self.of_size: dict[tuple[int, str], Tape] = {}  # where that was
        self.positive = False  # whether a left side was
        self.closest = -math.inf  # the worst badness that is no tie
        self.climbs: list[float] = []  # where climbs ended
        self.operations = 0  # of numbers with gradients
        self.tie_operations = self.vain_operations = 0  # of exact numbers, for ties and for nominations in vain
        self.vain = 0.0  # the most that floats claimed in vain, as badness above 1
        self.uncounted = dict[str, int]()  # why evaluations were no trials

    @property
    def worst(self) -> float:
        """The worst badness up to now."""
        return self.records[-1][0] if self.records else -math.inf

    # evaluation ------------------------------------------------------------------------------------------------
    def evaluate(self, draw: Draw) -> Evaluation:
        """Draw an instance, check its margins (in search: of the first, of one in 16 later, and of each that is worse
        than all before), compare its sides in floats, have a nomination judged, and count it.

        Raises Enough after the first certified violation, if the run ends there.
        """
        self.evaluations += 1
        with leaving_out(self.uncounted):
            return self._evaluated(draw)
        return UNCOUNTED

    def _evaluated(self, draw: Draw) -> Evaluation:
        instance = self.statement.instance(draw)
        asked = self.engine == "check" or self.evaluations <= MARGINS or self.evaluations % ONE_IN == 0
        if asked:
            self._settle_margins(instance, draw.tape)
        seen = evaluated(self.statement, instance)
        self.positive |= seen.badness > 0
        if not self.positive and seen.counted:  # lhs/rhs is 0 throughout, or rises where rhs does
            seen = seen._replace(nearness=nearness(self.statement, instance))
        if not asked and (seen.apparent or self._is_record(seen)):
            self._settle_margins(instance, draw.tape)
        self.nominated += seen.apparent
        if not seen.counted:
            leave_out(self.uncounted, "a side is not finite")
            self._settle_nonfinite(draw.tape)
        if seen.apparent and self._asks(seen):
            seen = self._judged(seen, instance, draw.tape)
        elif self.engine != "check" and self._is_record(seen) and not self._is_firm(instance, seen):
            seen = self._resolved(seen, draw.tape)
        if seen.counted:
            self._count(seen, draw)
        if self.first and self.violated:
            raise Enough
        return seen

    def _count(self, seen: Evaluation, draw: Draw) -> None:
        self.trials += 1
        tape = draw.tape
        for name, k in draw.sizes.items():
            rungs, here = self.by_size.setdefault(name, {}), rung(k)
            if seen.badness > rungs.get(here, -math.inf):
                rungs[here] = seen.badness
                self.of_size[here, name] = copied(tape)
        # The last bin is for ratios of 1 and above: ties and violations.
        self.histogram[int(min(max(seen.badness, 0.0), 1.0) * BINS)] += 1
        if not seen.tie:
            self.closest = max(self.closest, seen.badness)
        else:
            self.ties += 1
            if _sampled(tape) and (self.engine == "check" or self.tie_operations < TIE_OPERATIONS):
                before = COUNT.operations  # balls may well be unable to tell it from equality: it is never suspect
                self._refutes(tape, certify(self.statement, tape, TIE_BITS, first_bits=TIE_BITS))
                self.tie_operations += COUNT.operations - before
        if self._is_record(seen):
            self.records.append((seen.badness, copied(tape)))

    # exact arithmetic ------------------------------------------------------------------------------------------
    def _settle_margins(self, instance: Instance, tape: Tape) -> None:
        """Where a margin looks negative in floats, exact arithmetic says whether it is (16 times, then each 256th)."""
        if all([assumption.margin(instance) >= 0 for assumption in self.statement.assumptions]):
            return
        self.margins_checked += 1
        if self.margins_checked <= 16 or self.margins_checked % 256 == 0:
            certify_margins(self.statement, tape)

    def _settle_nonfinite(self, tape: Tape) -> None:
        """A side overflowed or is undefined: exact arithmetic says which (always in check, else 16 and a sample)."""
        self.nonfinite += 1
        if self.engine == "check" or self.nonfinite <= 16 or _sampled(tape):
            self._refutes(tape, certify(self.statement, tape))

    def _asks(self, seen: Evaluation) -> bool:
        """check asks about every nomination; search until one refutes the claim, then about each that is much worse.
        Neither asks about more than `MOST_UNDECIDED` that stay open."""
        if self.engine == "check" or not self.violated:
            return self.undecided < MOST_UNDECIDED
        return seen.badness > MUCH_WORSE * max(self.worst, 1.0)

    def _judged(self, seen: Evaluation, instance: Instance, tape: Tape) -> Evaluation:
        """A nomination as exact arithmetic has it: overruled, it is a tie. In search, after `PATIENCE` in vain, floats
        that do not repeat it when inputs are an ulp off save the run; after `VAIN_OPERATIONS` there is one for a sample
        alone, and for those that claim twice as much as any in vain."""
        if self.engine != "check" and self.overruled >= PATIENCE:
            if not repeats(self.statement, instance, seen.claims, FEW, PERSISTS):
                return self._overruled(seen)
            if self._spent(tape) and seen.badness - 1 < 2 * self.vain:
                leave_out(self.uncounted, "floats break it, and exact arithmetic was not asked")
                return UNCOUNTED
        before, claims = COUNT.operations, seen.claims
        certificate = certify(self.statement, tape, FIRST_BITS)
        doubtful = certificate.outcome == "undecided" and not excludes(certificate, claims)
        if doubtful and (self.engine == "check" or repeats(self.statement, instance, claims, MANY, 1 / 2, 2)):
            certificate = certify(self.statement, tape, claims=claims, first_bits=2 * FIRST_BITS)
            if certificate.outcome == "undecided" and not disowns(certificate, claims):
                self.undecided += 1
                self.vain_operations += COUNT.operations - before
                return seen
        return self._as_certified(seen, tape, certificate, before)

    def _spent(self, tape: Tape) -> bool:
        return self.vain_operations > VAIN_OPERATIONS and not _sampled(tape)

    def _as_certified(self, seen: Evaluation, tape: Tape, certificate: Certificate, before: int) -> Evaluation:
        """An evaluation as its certificate has it: overruled where that neither refutes the claim nor has the badness
        of the floats. What they had wrong was in vain."""
        refutes, (ratio, measure) = self._refutes(tape, certificate), ratio_of(certificate.sides)
        agrees = _agree(certificate, seen.badness)
        if (agrees and not seen.apparent) or (refutes and (agrees or measure != "lhs/rhs")):
            return seen
        self.vain_operations += COUNT.operations - before
        self.vain = max(self.vain, seen.badness - 1)
        return seen._replace(badness=ratio) if refutes else self._overruled(seen, certificate)

    def _is_record(self, seen: Evaluation) -> bool:
        return seen.counted and seen.badness > self.worst

    def _is_firm(self, instance: Instance, seen: Evaluation) -> bool:
        """Whether inputs that are an ulp off leave the badness where it is."""
        again = [moved(self.statement, instance, k) for k in range(FEW)]
        return all(x is not None and abs(x.badness - seen.badness) <= PERSISTS * abs(seen.badness) for x in again)

    def _resolved(self, seen: Evaluation, tape: Tape) -> Evaluation:
        """A ratio that may be nothing but rounding, as 0/0 is in floats: a tie unless exact arithmetic has the same."""
        if self._spent(tape):
            return self._overruled(seen)
        before = COUNT.operations
        return self._as_certified(seen, tape, certify(self.statement, tape, FIRST_BITS), before)

    def _overruled(self, seen: Evaluation, certificate: Certificate | None = None) -> Evaluation:
        self.overruled += seen.apparent
        ratio, measure = ratio_of(certificate.sides if certificate else None)
        badness = min(ratio, 1.0 if measure == "lhs/rhs" else 0.0) if measure else UNRESOLVED
        return seen._replace(badness=badness, tie=True, claims=(), overruled=True, nearness=None)

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
            with leaving_out(self.uncounted):
                certificate = certify(self.statement, tape, TIE_BITS if badness <= 1 else LAST_BITS)
                agree = self._refutes(tape, certificate) or _agree(certificate, badness)
                if self.settled is None or agree:
                    self.settled = (tape, certificate)
                if agree:
                    return

    def verdict(self, budget: int, simplest: tuple[Tape, Certificate] | None = None) -> Verdict:
        """The verdict of this record; `simplest` is a shrunk certified violation when the engine has one."""
        broken = Status.REFUTED if self.violated else Status.SUSPECT if self.undecided else None
        kept = simplest or min(self.violated, key=lambda found: cost(found[0], found[1].instance), default=None)
        short = self._witness(*kept) if kept else None
        counted = {name: getattr(self, name) for name in ("trials", "evaluations", "ties", "overruled", "uncounted")}
        decision = broken or decided(self.trials)
        said = (decision, self.statement.label, self.engine, self.seed, budget, _worse(self._worst_witness(), short))
        return reached(
            *said, **counted, kind=self._kind(), simplest=short, histogram=tuple(self.histogram), reach=self._reach()
        )

    def _reach(self) -> Reach:
        curves = {name: [[k, rungs[k]] for k in sorted(rungs)] for name, rungs in self.by_size.items()}
        closest = self.closest if math.isfinite(self.closest) else None
        return joined([Reach(curves, closest, tuple(filter(math.isfinite, self.climbs)), self._terms())])

    def _terms(self) -> tuple[float, ...]:
        """Of a claim that nothing broke, how many terms of the right side the closest instances need."""
        if self.violated or not self.records:
            return ()
        small, most = [self.of_size[key] for key in sorted(self.of_size)[:CLOSEST]], COUNT.operations + TERM_OPERATIONS
        closest = [self.records[-1][1], *small, *(tape for _, tape in self.records[-2 : -CLOSEST - 1 : -1])]
        unlike = {(tuple(tape.integers), tuple(tape.units)): tape for tape in closest[: CLOSEST + 1]}
        draws = (TapeDraw(tape, exact=True) for tape in unlike.values() if COUNT.operations < most)
        terms, seen = needed(left_out(self.statement, draw) for draw in draws)
        return (self.worst, terms, seen) if terms else ()

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
        found = make_witness(self.statement, tape, certificate, self.engine, self.seed)
        if found.certified in ("violated", "undefined"):
            with np.errstate(all="ignore"):
                check_again(found, self.statement, certificate)
        return found


def _worse(worst: Witness | None, simplest: Witness | None) -> Witness | None:
    """The larger of both: what is simpler may be worse, too. Only ratios are compared."""
    if worst is None or simplest is None or {worst.measure, simplest.measure} != {"lhs/rhs"}:
        return worst
    return simplest if (simplest.ratio or 0.0) > (worst.ratio or 0.0) else worst


def check_run(statement: Statement, budget: int, seed: int, least: int = 1) -> None:
    """What every engine is given: raises TypeError for no `Statement`, ValueError for a budget below `least` or above
    `MOST`, or a negative seed."""
    if not isinstance(statement, Statement):
        raise TypeError(f"statement must be a Statement, got {statement!r}")
    for name, value, low in (("budget", budget, least), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"{name} must be an integer >= {low}, got {value!r}")
    possible(budget)


def _agree(certificate: Certificate, badness: float) -> bool:
    """Whether exact arithmetic has the badness that floats have, up to `PERSISTS`."""
    return abs(ratio_of(certificate.sides)[0] - badness) <= PERSISTS * abs(badness)


def copied(tape: Tape) -> Tape:
    """The tape as it is now (a draw goes on writing to its own)."""
    return Tape(list(tape.integers), list(tape.units))


def drawn(statement: Statement, draw: Draw) -> Instance:
    """An instance whose margins hold, exactly where one looks negative in floats; BrokenAssumption names one that the
    generator broke."""
    instance = statement.instance(draw)
    if not all(assumption.margin(instance) >= 0 for assumption in statement.assumptions):
        certify_margins(statement, draw.tape)
    return instance


def _sampled(tape: Tape) -> bool:
    """One instance in 64, chosen by what it is and not by when it came: the same instance is treated alike twice."""
    return (sum(tape.integers) * 31 + sum(tape.units)) % 64 == 0


def leave_out(uncounted: dict[str, int], reason: str) -> None:
    """Count an evaluation that does not count as a trial, by its reason."""
    uncounted[reason] = uncounted.get(reason, 0) + 1


@contextmanager
def leaving_out(uncounted: dict[str, int]) -> Iterator[None]:
    """What its author says is no instance of the claim ends the block, and is counted."""
    try:
        yield
    except NotAnInstance as reason:
        leave_out(uncounted, f"it is no instance of the claim: {reason}")


def measured(
    statement: Statement, tape: Tape, excess: float, note: str, breaks: bool, curve: list[list[float]], **said: Any
) -> Verdict:
    """The verdict of an engine that measures: of a tape on which the claim fails by so much, at most suspect."""
    instance = statement.instance(TapeDraw(tape, exact=True))
    certificate = Certificate("float", Sides(excess, 0.0), 0, instance, {})
    worst = replace(make_witness(statement, tape, certificate, said["engine"], said["seed"], note), curve=curve)
    status = Status.SUSPECT if breaks else decided(said["trials"])
    return reached(status, statement.label, worst=worst, simplest=worst if breaks else None, **said)
