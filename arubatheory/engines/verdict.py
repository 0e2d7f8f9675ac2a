r"""The closed set of outcomes, and what is kept of a trial.

Every status is a sentence that a reader can act on (`SENTENCES`). REFUTED is said only after exact arithmetic, PROVED
only of a certificate for all that a claim quantifies over; SURVIVED is evidence, not proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from arubatheory.engines.reach import NOWHERE, Reach, joined
from arubatheory.engines.told import written
from arubatheory.sources import source_digest
from arubatheory.statements.blame import said

COUNTED_MINIMUM = 100
SUMMED = ("budget", "trials", "evaluations", "ties", "overruled")
REASONS = 8  # why evaluations were no trials
ERRORS = 20  # different ones that a verdict of many tells


class Status(StrEnum):
    """How a trial ended."""

    REFUTED = "REFUTED"
    SUSPECT = "SUSPECT"
    PROVED = "PROVED"
    SURVIVED = "SURVIVED"
    IDLE = "IDLE"
    ERROR = "ERROR"


SENTENCES = {
    Status.REFUTED: "A witness breaks the claim, and exact or ball arithmetic agrees.",
    Status.SUSPECT: "It breaks by more than rounding, but exact arithmetic has not confirmed it.",
    Status.PROVED: "A certificate proves it, for all that it quantifies over, and anyone can check it.",
    Status.SURVIVED: f"At least {COUNTED_MINIMUM} counted trials, and nothing broke it: evidence, not proof.",
    Status.IDLE: f"Fewer than {COUNTED_MINIMUM} trials counted: nothing is said.",
    Status.ERROR: "The code failed, not the claim.",
}
UNDEFINED = "At a witness a side is not a real number, as 0/0 or log 0 are none, and exact arithmetic agrees."
MEASURED = "An interval at a stated error level says that it breaks; sampling and slopes cannot refute."
CONTRADICTION = "a witness refutes it and a certificate proves it: one of them is wrong, which is a defect of ours"
WHOLE, PART, SMALL = EXTENTS = ("in full", "in part", "for small sizes")
UNFINISHED = "It was not tried to the end: nothing is said."


@dataclass(frozen=True)
class Witness:
    """One instance worth keeping: the raw draws, the built instance (rationals as strings) and both sides on it.

    `certified` is how exact arithmetic judged it: "violated", "holds", "tie", "undecided", "undefined" or "float" (not
    asked). `bits` is the ball precision used (0: rational arithmetic throughout). `ratio` is lhs/rhs where rhs > 0,
    else lhs - rhs, and `measure` says which ("lhs/rhs" or "lhs-rhs"; "undefined": there is none).
    `curve` has the measured values [T, y] of a claim about growth.
    """

    label: str
    found_by: str
    seed: int
    digest: str
    tape: dict[str, list[int]]
    instance: dict[str, Any]
    lhs: str
    rhs: str
    ratio: float | None
    measure: str
    certified: str
    bits: int = 0
    margins: dict[str, str] = field(default_factory=dict)
    note: str = ""
    curve: list[list[float]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """As a dictionary of what JSON can hold."""
        return asdict(self)


@dataclass(frozen=True)
class Scope:
    """What a certificate proves of a claim: all of it, a part with sizes of 2 and more, or small sizes only (`extent`).

    `words` say the scope, `shape` is the same as data. With a `slack` s > 0 the right side is multiplied by 1 + s.
    `packed` is the certificate (`prove.certificate.unpacked`).
    """

    method: str
    extent: str
    words: str
    shape: dict[str, Any]
    slack: str = "0"
    packed: str = ""

    @property
    def rank(self) -> tuple[int, bool, int]:
        """The more is proved, the less."""
        return EXTENTS.index(self.extent), self.slack != "0", -len(self.packed)


@dataclass(frozen=True)
class Verdict:
    """What the engines found out about one statement.

    `trials` are the evaluations that counted (both sides finite), `evaluations` all of them, `ties` those within
    rounding of equality, `overruled` apparent violations that exact arithmetic (or floats, an ulp off) rejected.
    `uncounted` says why evaluations were no trials, and how many.
    `proofs` are what certificates prove, one for each method; `unproved` says why a prover found none.
    """

    label: str
    status: Status
    engine: str
    seed: int
    budget: int
    digest: str
    trials: int = 0
    evaluations: int = 0
    ties: int = 0
    overruled: int = 0
    worst_ratio: float | None = None
    measure: str = "lhs/rhs"
    found_by: str = ""
    kind: str = ""  # of a refutation: "violation" or "undefined"
    simplest: Witness | None = None
    worst: Witness | None = None
    seconds: float = 0.0
    error: str = ""
    histogram: tuple[int, ...] = ()  # counted trials by ratio, 20 bins of [0, 1] and one for more
    proofs: tuple[Scope, ...] = ()
    unproved: str = ""
    reach: Reach = NOWHERE
    uncounted: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As a dictionary of what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Verdict:
        """What `to_json` made, as a verdict again."""
        witnesses = {k: Witness(**data[k]) if data.get(k) else None for k in ("simplest", "worst")}
        proofs = tuple(Scope(**proof) for proof in data.get("proofs", ()))
        more = dict[str, Any](status=Status(data["status"]), histogram=tuple(data["histogram"]), proofs=proofs)
        more["reach"] = Reach.from_json(data.get("reach") or {})
        return cls(**{**data, **witnesses, **more})

    def with_seconds(self, seconds: float) -> Verdict:
        """The same verdict with its running time."""
        return replace(self, seconds=seconds)

    @property
    def measured(self) -> str:
        """What a slope or a sample said, where the verdict rests on that; else empty."""
        return self.worst.note if self.worst is not None and self.worst.certified == "float" else ""

    @property
    def unfinished(self) -> bool:
        """Whether a unit was ended before its budget was spent: its `error` says why."""
        return self.status is Status.IDLE and bool(self.error)

    @property
    def notes(self) -> list[str]:
        """What a reader of a claim that nothing broke should know of the search."""
        unbroken = self.status in (Status.SURVIVED, Status.PROVED)
        return self.reach.notes(self.worst_ratio, self.measure) if unbroken else []

    @property
    def proved(self) -> str:
        """How far certificates go: in full, in part, for small sizes, or not at all (empty)."""
        return min(self.proofs, key=lambda proof: proof.rank).extent if self.proofs else ""

    @property
    def proved_for(self) -> str:
        """In words, what certificates prove."""
        return f"Proved for {'; and for '.join(proof.words for proof in self.proofs)}"

    @property
    def sentence(self) -> str:
        """The status in words."""
        if self.unfinished:
            return UNFINISHED
        if self.status is Status.SURVIVED and self.proofs:
            tried = f"nothing broke it in {self.trials:,} counted trials: evidence, not proof"
            beyond = tried if self.trials >= COUNTED_MINIMUM else "nothing is said"
            return f"{self.proved_for}. Beyond that {beyond}."
        words = UNDEFINED if self.kind == "undefined" else SENTENCES[self.status]
        return MEASURED if self.status is Status.SUSPECT and self.measured else words


def reached(
    status: Status, label: str, engine: str, seed: int, budget: int, worst: Witness | None = None, **more: Any
) -> Verdict:
    """A verdict of the present sources, with what its worst witness says; `more` are other fields."""
    seen = {"worst_ratio": worst.ratio, "measure": worst.measure, "found_by": engine} if worst else {}
    return Verdict(label, status, engine, seed, budget, worst=worst, **{"digest": source_digest()} | seen | more)


def failure(label: str, engine: str, seed: int, budget: int, error: BaseException) -> Verdict:
    """The ERROR verdict: the code failed, not the claim."""
    return reached(Status.ERROR, label, engine, seed, budget, error=said(error))


def decided(trials: int) -> Status:
    """The status of a claim that nothing broke in so many counted trials."""
    return Status.SURVIVED if trials >= COUNTED_MINIMUM else Status.IDLE


def combine(label: str, verdicts: Iterable[Verdict], seed: int) -> Verdict:
    """One verdict from several: the gravest status, all trials, the simplest and the worst witness."""
    tally = Tally(label, seed)
    for place, verdict in enumerate(verdicts):
        tally.add((place,), verdict)
    return tally.verdict()


class Tally:
    """What `combine` makes of verdicts, added in any order, each with its place among them; it keeps only those that
    decide, however many there are. The `seconds` of all are those of the verdict."""

    def __init__(self, label: str, seed: int) -> None:
        self.label, self.seed, self.seconds = label, seed, 0.0
        self._sums = dict.fromkeys(SUMMED, 0)
        self._histogram: tuple[int, ...] = ()
        self._reach = Reach()
        self._uncounted = dict[str, int]()
        self._kept: dict[tuple[str, str], tuple[Any, Verdict]] = {}

    def add(self, place: tuple[float, ...], verdict: Verdict, seconds: float = 0.0) -> None:
        """Count a verdict, and keep it if it stands first in one of its roles."""
        self.seconds += seconds
        for name in SUMMED:
            self._sums[name] += getattr(verdict, name)
        self._reach = joined([self._reach, verdict.reach])
        for reason, n in verdict.uncounted.items():
            if reason in self._uncounted or len(self._uncounted) < REASONS:
                self._uncounted[reason] = self._uncounted.get(reason, 0) + n
        if verdict.histogram:
            before = self._histogram or (0,) * len(verdict.histogram)
            self._histogram = tuple(map(sum, zip(before, verdict.histogram, strict=True)))
        for role, rank in _roles(verdict):
            if role not in self._kept or (rank, place) < self._kept[role][0]:
                self._kept[role] = (rank, place), verdict
        errors = [role for role in self._kept if role[0] == "error"]
        if len(errors) > ERRORS:
            del self._kept[max(errors, key=lambda role: self._kept[role][0])]

    def verdict(self) -> Verdict:
        """One verdict for all that were added."""
        kept = [v for _, v in sorted({place: v for (_, place), v in self._kept.values()}.items())]
        if not kept:
            return reached(Status.IDLE, self.label, "", self.seed, 0)
        proofs = _best(proof for v in kept for proof in v.proofs)
        status = self._status(kept, proofs)
        worst = min((v for v in kept if v.worst), key=_gravity, default=None)
        grave = next((v for v in kept if v.status == status), kept[0])
        errors = [v.error for v in kept if v.error] + [CONTRADICTION] * _contradict(kept, proofs)
        errors += ["a witness refutes it all the same"] * ({Status.ERROR, Status.REFUTED} <= {v.status for v in kept})
        return reached(
            status,
            self.label,
            "+".join(dict.fromkeys(v.engine for v in kept)),
            self.seed,
            worst=worst.worst if worst else None,
            digest=kept[0].digest,
            **self._sums,
            found_by=_finder(grave, worst, status),
            kind=next((v.kind for v in kept if v.kind == "violation"), grave.kind),
            simplest=min((v.simplest for v in kept if v.simplest), key=_length, default=None),
            error="; ".join(dict.fromkeys(errors)),
            histogram=self._histogram,
            reach=self._reach,
            seconds=self.seconds,
            proofs=proofs,
            uncounted=self._uncounted,
            unproved="" if proofs else "; ".join(dict.fromkeys(v.unproved for v in kept if v.unproved)),
        )

    def _status(self, kept: list[Verdict], proofs: tuple[Scope, ...]) -> Status:
        statuses = {v.status for v in kept}
        if _contradict(kept, proofs):
            return Status.ERROR
        for status in (Status.ERROR, Status.REFUTED, Status.SUSPECT, Status.PROVED):
            if status in statuses:
                return status
        if any(v.unfinished for v in kept):
            return Status.IDLE
        return Status.SURVIVED if proofs else decided(self._sums["trials"])


class UntilRefuted:
    """A tally of the verdicts up to the first place that refutes: those beyond it are not asked for, and do not count,
    however early they come."""

    def __init__(self, label: str, seed: int) -> None:
        self.label, self.seed, self.last = label, seed, tuple[float, ...]((math.inf,))
        self._added: dict[tuple[float, ...], tuple[Verdict, float]] = {}

    def add(self, place: tuple[float, ...], verdict: Verdict, seconds: float = 0.0) -> None:
        """Hold a verdict until it is known whether it counts."""
        self._added[place] = verdict, seconds
        if verdict.status is Status.REFUTED:
            self.last = min(self.last, place)

    @property
    def is_refuted(self) -> bool:
        """Whether one of the verdicts refutes."""
        return self.last < (math.inf,)

    def is_over(self, place: tuple[float, ...]) -> bool:
        """Whether a verdict before this place refutes."""
        return place > self.last

    def verdict(self) -> Verdict:
        """One verdict for all that count."""
        counted = Tally(self.label, self.seed)
        for place in sorted(place for place in self._added if not self.is_over(place)):
            counted.add(place, *self._added[place])
        return counted.verdict()


def _roles(verdict: Verdict) -> Iterator[tuple[tuple[str, str], Any]]:
    """What a verdict may be kept for, and its rank among others kept for the same: the least is kept."""
    yield ("status", verdict.status), ()
    yield ("engine", verdict.engine), ()
    if verdict.error:
        yield ("error", verdict.error), ()
    for proof in verdict.proofs:
        yield ("proof", proof.method), proof.rank
    if verdict.kind == "violation":
        yield ("kind", verdict.kind), ()
    if verdict.worst:
        yield ("worst", ""), _gravity(verdict)
    if verdict.simplest:
        yield ("simplest", ""), _length(verdict.simplest)


def _best(proofs: Iterable[Scope]) -> tuple[Scope, ...]:
    """Of each method the proof that goes furthest."""
    found: dict[str, Scope] = {}
    for proof in proofs:
        if proof.method not in found or proof.rank < found[proof.method].rank:
            found[proof.method] = proof
    return tuple(sorted(found.values(), key=lambda proof: proof.rank))


def _contradict(kept: list[Verdict], proofs: Iterable[Scope]) -> bool:
    """Whether a claim is refuted and proved in full: both cannot be."""
    return any(v.status is Status.REFUTED for v in kept) and any(proof.extent == WHOLE for proof in proofs)


def _finder(grave: Verdict, worst: Verdict | None, status: Status) -> str:
    if status == Status.REFUTED and grave.simplest is not None:
        return grave.simplest.found_by
    return worst.found_by if worst is not None else ""


def _gravity(verdict: Verdict) -> tuple[bool, bool, float]:
    """The graver, the less."""
    assert verdict.worst is not None
    ratio = verdict.worst.ratio
    return verdict.status != Status.REFUTED, verdict.measure != "lhs/rhs", math.inf if ratio is None else -ratio


def _length(witness: Witness) -> tuple[int, int, int]:
    return written(len(witness.tape["integers"]) + len(witness.tape["units"]), witness.instance)
