r"""How simple are the counterexamples? Which numbers of each simplest witness on record matter.

    python -m verification.simplicity [--again [PATTERN...] [--seeds N] [--changes N]]

A number matters unless other values of it leave both sides as they are, in exact arithmetic; choices and sizes are not
counted. Of those that matter, fewer have to be told: what repeats in an array is told once (`engines.told`), and what
the generator makes of others (the corners of a box, an inverse) not at all. Writes verification/simplicity.csv and
prints the median and the 95 % quantile of both counts over all refuted statements.

With --again the simplest witnesses (of the statements that the patterns select) are looked for anew. Both witnesses on
record and what check and search find at N seeds are simplified: from each a descent by both counts together, and from
where that ends smaller games, climbed to where they refute the claim. A few numbers of the simplest one are changed at
a time as long as it tells no more, and the one with least in both counts together is recorded in the place of the old
one if that is less; with no seed, only the one on record is changed. It breaks the claim as the old one did, and exact
arithmetic certifies it.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.cli import NothingSelected, Refused, fail, select
from arubatheory.engines.climb import climb
from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import certify
from arubatheory.engines.free import UNREADABLE, Parts, parts_of
from arubatheory.engines.shrink import SHRINK_BITS, altered, shrink, words_of
from arubatheory.engines.told import Place, arrays_of, at, told, written
from arubatheory.engines.trial import Enough, Record, copied, rank
from arubatheory.engines.units import engine_of
from arubatheory.engines.verdict import Status, Witness, reached
from arubatheory.engines.witness import encode_instance, make_witness
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, Tape, TapeDraw
from arubatheory.problems.rows import RowsDraw, questions
from arubatheory.report import ledger
from arubatheory.report.outcome import write_witnesses
from arubatheory.report.simplicity import TABLE, SimplicityRow, location
from arubatheory.report.simplicity import told as digest
from arubatheory.statements.core import NotAnInstance, Statement
from arubatheory.statements.untrusted import rational

HOME = Path(__file__).resolve().parents[1]
EFFORT = 4  # times as much as an engine puts into a simple witness
NEAR = 1.25  # times the least weight: descents begin there
CLIMB = 240  # evaluations, of a smaller game
RANK = 1e-6  # relative: what moves are linearly dependent
BUDGETS = {"check": 800, "search": 1500}  # of each seed
STATEMENTS = {s.label: s for s in ARUBA.statements}


def refuted(root: Path) -> list[str]:
    """The labels whose refutation the ledger has with a simplest witness, in its order."""
    rows = (ledger.find(root, ARUBA) or {}).items()
    broken = [label for label, row in rows if row.status == Status.REFUTED and label in STATEMENTS]
    return [label for label in broken if _file(root, label).is_file()]


def _file(root: Path, label: str, which: str = "simplest") -> Path:
    return root / ARUBA.witnesses / f"{file_stem(label)}-{which}.json"


def rows(root: Path) -> list[SimplicityRow]:
    """The numbers of each simplest witness on record, in the order of the ledger."""
    made = []
    for label in refuted(root):
        witness = read_witness(_file(root, label))
        parts = parts_of(witness, STATEMENTS[label])
        least = to_tell(witness, STATEMENTS[label], parts)
        made.append(SimplicityRow(label, digest(witness), parts.numbers, parts.matter, least, " ".join(parts.free)))
    return made


def to_tell(witness: Witness, statement: Statement, parts: Parts) -> int:
    """How many numbers of a witness have to be told: of those that matter, what repeats once, and what the generator
    makes of others not at all."""
    arrays = [[p for p in array if p not in parts.idle] for array, _ in arrays_of(witness.instance)]
    return told(witness.instance, parts.idle | {*_derived(witness, statement, arrays)})


def _derived(witness: Witness, statement: Statement, arrays: Sequence[Sequence[Place]]) -> Iterator[Place]:
    """The places of arrays that move with the draws, each changed a little alone, only as those before them do."""
    places = [*chain(*arrays)]
    moves = [*_moves(witness, statement, places)]
    moved, known, at_ = np.array(moves).reshape(len(moves), len(places)), np.zeros((len(moves), 0)), 0
    moved /= np.maximum(np.abs(moved).max(axis=0, initial=0), np.finfo(float).tiny)
    for array in arrays:
        columns, at_ = moved[:, at_ : at_ + len(array)], at_ + len(array)
        both = np.hstack([known, columns])
        if columns.any() and _rank(both) == _rank(known):
            yield from array
        elif columns.any():
            known = both


def _rank(columns: Array) -> int:
    return int(np.linalg.matrix_rank(columns, RANK)) if columns.size else 0


def _moves(witness: Witness, statement: Statement, places: Sequence[Place]) -> Iterator[list[float]]:
    """By how much each number moves if one draw does, for each draw that leaves the parts of the instance as they
    are."""
    units = witness.tape["units"]
    for k, unit in enumerate(units):
        near = [*units[:k], unit + (1 if unit < GRID else -1), *units[k + 1 :]]
        with contextlib.suppress(*UNREADABLE, KeyError):
            draw = TapeDraw(Tape(list(witness.tape["integers"]), near), exact=True)
            data = encode_instance(statement.instance(draw))
            pairs = [(rational(at(data, place)), rational(at(witness.instance, place))) for place in places]
            yield [float(now - before) for now, before in pairs]


# simpler ones ------------------------------------------------------------------------------------------------------
Weight = tuple[float, ...]
NONE: Weight = (math.inf,)


class Scales:
    """How much the tapes of a statement weigh that refute it as a witness does, each weighed once; inf for others."""

    def __init__(self, statement: Statement, like: Witness) -> None:
        self.statement, self.like, self.most = statement, like, parts_of(like, statement).matter
        self.known: dict[str, tuple[Weight, Witness | None]] = {}

    def __call__(self, tape: Tape, _: object = None) -> Weight:
        return self.weighed(tape)[0]

    def weighed(self, tape: Tape) -> tuple[Weight, Witness | None]:
        """The weight of a tape, and its witness."""
        if (key := str(tape)) not in self.known:
            made = _refuting(self.statement, tape, self.like)
            alike = made is not None and _alike(made, self.like)
            weight = _weight(made, self.statement, self.most) if made and alike else None
            self.known[key] = (weight, made) if weight and weight[2] <= self.most else (NONE, None)
        return self.known[key]

    def lightest(self, witness: Witness) -> Witness:
        """Where a descent by weight ends, from a witness and from the smaller games that are climbed to from it."""
        best, before = Tape(**witness.tape), NONE
        while self(best) < before:
            before = self(best)
            best = self._descended(best, best)
            for tape in smaller(self.statement, best):
                best = self._descended(shrink(self.statement, tape, certify(self.statement, tape))[0], best)
        return self.weighed(best)[1] or witness

    def _descended(self, tape: Tape, best: Tape) -> Tape:
        """The end of a descent from a tape that is not far from the best, if it is better than that."""
        if self(tape)[0] > NEAR * self(best)[0]:
            return best
        return min(best, shrink(self.statement, tape, certify(self.statement, tape), 1, self)[0], key=self)


def smaller(statement: Statement, tape: Tape) -> Iterator[Tape]:
    """Games in which a size or an integer is smaller, climbed to where they refute the claim as well."""
    asked = questions(statement.instance, tape)
    for k, question in enumerate(asked):
        old = 0 if isinstance(question.kind, tuple) else question.answer[0]
        for new in sorted({n for n in (0, 1, 2, 3, old // 2, old - 1) if 0 <= n < old}):
            record, best = Record(statement, "search", 0, first=True), (-math.inf, tape)
            with contextlib.suppress(Enough, *UNREADABLE), np.errstate(all="ignore"):
                for rows in (np.arange(new), np.arange(old - new, old)):
                    draw = RowsDraw(asked, {k: new}, {(old, new): rows})
                    badness = rank(record.evaluate(draw))
                    best = max(best, (badness, copied(draw.tape)), key=lambda climber: climber[0])
                if best[1].units and best[0] > -math.inf:
                    climb(record, best, 0.2, CLIMB, 0)
            yield from (found for found, _ in record.violated)


def simpler(root: Path, label: str, seeds: int, changes: int) -> Witness | None:
    """A witness that is simpler than the one on record; None if none was found."""
    statement, old = STATEMENTS[label], read_witness(_file(root, label))
    least, best = _weight(old, statement), old
    for witness in _others(root, statement, seeds) if seeds else ():
        if _alike(witness, old):
            made = Scales(statement, witness).lightest(witness)
            weight = _weight(made, statement)
            least, best = (weight, made) if weight < least else (least, best)
    best = _changed(statement, best, least, changes)
    return best if _weight(best, statement)[:-1] < _weight(old, statement)[:-1] else None


def _alike(witness: Witness, other: Witness) -> bool:
    return (witness.certified, witness.measure) == (other.certified, other.measure)


def _changed(statement: Statement, best: Witness, least: tuple[int, ...], changes: int) -> Witness:
    """The simplest after so many changes of a few numbers at a time, each kept that weighs no more."""
    rng, tape, seen = np.random.default_rng(0), Tape(**best.tape), set[str]()
    for _ in range(changes):
        made = _refuting(statement, altered(tape, words_of(rng)), best)
        if made and _alike(made, best) and str(made.tape) not in seen:
            seen.add(str(made.tape))
            weight = _weight(made, statement)
            if weight <= least:
                best, least, tape = made if weight < least else best, weight, Tape(**made.tape)
    return best


def _refuting(statement: Statement, tape: Tape, like: Witness) -> Witness | None:
    """The witness of a tape that may not fit; None where floats see no violation, or an assumption does not hold."""
    draw, note = LenientDraw(tape), like.note if like.certified == "violated" else ""
    with contextlib.suppress(NotAnInstance, *UNREADABLE), np.errstate(all="ignore"):
        instance = statement.instance(draw)
        if like.certified == "undefined" or evaluated(statement, instance).apparent:
            found = certify(statement, draw.tape, SHRINK_BITS)
            return make_witness(statement, draw.tape, found, like.found_by, like.seed, note)
    return None


def _weight(witness: Witness, statement: Statement, most: float = math.inf) -> tuple[int, ...]:
    """Both counts together, each, all numbers, and the characters that it takes to write them."""
    parts = parts_of(witness, statement, most)
    least = to_tell(witness, statement, parts)
    return least + parts.matter, least, parts.matter, *written(0, witness.instance)[1:]


def _others(root: Path, statement: Statement, seeds: int) -> Iterator[Witness]:
    """The witnesses on record, simplified, and those of new runs."""
    for which in ("simplest", "worst"):
        witness = read_witness(_file(root, statement.label, which))
        tape = Tape(**witness.tape)
        certificate = certify(statement, tape)
        if certificate.outcome in ("violated", "undefined"):
            made = make_witness(
                statement, *shrink(statement, tape, certificate, EFFORT), witness.found_by, witness.seed
            )
            yield replace(made, note=witness.note) if made.certified == "violated" else made
    for seed in range(1, seeds + 1):
        for engine in [e for e in statement.engines if e in BUDGETS]:
            verdict = engine_of(engine)(statement, BUDGETS[engine], seed)
            if verdict.simplest:
                yield verdict.simplest


def record(root: Path, label: str, witness: Witness) -> None:
    """Put a simplest witness into the place of the one on record; it is the worst, too, if its ratio is larger."""
    worst = read_witness(_file(root, label, "worst"))
    if witness.measure == worst.measure == "lhs/rhs" and (witness.ratio or 0.0) > (worst.ratio or math.inf):
        worst, kept = witness, ledger.read(root / ARUBA.ledger)
        kept[label] = kept[label]._replace(worst_ratio=f"{witness.ratio:.12g}")
        ledger.write(root / ARUBA.ledger, list(kept.values()))
    verdict = reached(Status.REFUTED, label, "witness", witness.seed, 0, worst, simplest=witness)
    write_witnesses(root / ARUBA.witnesses, verdict)


def again(root: Path, patterns: Sequence[str], seeds: int, changes: int) -> None:
    """Look for simpler witnesses and record them."""
    known = refuted(root)
    for label in known if not patterns else select(patterns, known):
        witness = simpler(root, label, seeds, changes)
        before = _weight(read_witness(_file(root, label)), STATEMENTS[label])
        if witness is not None:
            record(root, label, witness)
        after = before if witness is None else _weight(witness, STATEMENTS[label])
        print(f"{label}: told {before[1]} -> {after[1]}, that matter {before[2]} -> {after[2]}", flush=True)


def quantile(values: list[int], share: float) -> int:
    """The least value that at least this share of them does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the table; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.simplicity", description=__doc__)
    parser.add_argument("--again", nargs="*", metavar="PATTERN")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--changes", type=int, default=400)
    given = parser.parse_args(arguments)
    try:
        if given.again is not None:
            again(HOME, given.again, given.seeds, given.changes)
    except (Refused, NothingSelected) as error:
        return fail(error.code, str(error))
    made = rows(HOME)
    TABLE.write(HOME / location(ARUBA), made)
    numbers = sum(row.numbers for row in made)
    print(
        f"{len(made)} witnesses with {numbers} numbers, of which {numbers - sum(r.matter for r in made)} do not matter"
    )
    for what, counts in (("that matter", [r.matter for r in made]), ("to be told", [r.told for r in made])):
        print(f"{what}: median {quantile(counts, 0.5)}, 95 % {quantile(counts, 0.95)}, most {max(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
