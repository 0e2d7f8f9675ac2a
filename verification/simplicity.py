r"""How simple are the counterexamples? Which numbers of each simplest witness on record matter.

    python -m verification.simplicity [--again [PATTERN...] [--seeds N] [--changes N]]

A number matters unless other values of it leave both sides as they are, in exact arithmetic; choices and sizes are not
counted. Of those that matter, not each is one of its own: the generator makes some of others (the corners of a box, an
inverse, a leader chosen among points, the last probability), and who has those has them; some could be nothing else
(the probability of an only state). Fewer still have to be told: what repeats in an array is told once
(`engines.told`). Writes verification/simplicity.csv and prints the median and the 95 % quantile of the three counts
over all refuted statements.

Beside them it prints how many numbers that matter are left where what repeats is told once, whatever they are made of,
and how many of the numbers that are drawn matter: those of the tape of which another value (an end, a half, a third, or
next to it) changes a side, in exact arithmetic, or leaves no instance.

How many are made of others is a rank: of how far they move, exactly, if one draw does. A number that moves only as
those before it do, in the order in which the instance has them, is made of them. A number that moves with no draw may
be what an integer chooses, and is one of its own; unless all games drawn at random have the same one there, of which at
least 16 have an array of that shape.

With --again the simplest witnesses (of the statements that the patterns select) are looked for anew. From the lightest
of many goes a descent by the three counts together, and from where that ends smaller games, climbed to where they
refute the claim: of both witnesses on record, simplified, of what check and search find at N seeds, of games of few and
simple numbers drawn at random, and of those on record for statements of the same game. A few numbers of the simplest
one are changed at a time as long as it weighs no more, and the one with least in the three counts together is recorded
in the place of the old one if that is less and no more of them matter; with no seed, nothing is run, and nothing
descends. It breaks the claim as the old one did, and exact arithmetic certifies it.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from arubatheory.cli.codes import NothingSelected, Refused, fail
from arubatheory.cli.selection import select
from arubatheory.engines.climb import climb
from arubatheory.engines.evaluation import evaluated, rank
from arubatheory.engines.exact import certify, show
from arubatheory.engines.free import UNREADABLE, Parts, parts_of
from arubatheory.engines.shrink import SHRINK_BITS, altered, cost, shrink, words_of
from arubatheory.engines.told import Place, arrays_of, at, told, written
from arubatheory.engines.trial import Enough, Record, copied
from arubatheory.engines.units import engine_of
from arubatheory.engines.verdict import Status, Witness, reached
from arubatheory.engines.witness import encode_instance, make_witness
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.coarse import CoarseDraw, LenientDraw
from arubatheory.problems.draw import GRID, RandomDraw, Tape, TapeDraw
from arubatheory.problems.rows import RowsDraw, questions
from arubatheory.report import ledger
from arubatheory.report.outcome import write_witnesses
from arubatheory.report.simplicity import TABLE, SimplicityRow
from arubatheory.report.simplicity import told as digest
from arubatheory.statements.core import NotAnInstance, Statement
from arubatheory.statements.untrusted import rational

HOME = Path(__file__).resolve().parents[1]
EFFORT = 4  # times as much as an engine puts into a simple witness
NEAR = 1.25  # times the least weight: descents begin there
CLIMB = 240  # evaluations, of a smaller game
GAMES, STARTS = 500, 8  # at random, for each seed; of those that refute the claim, how many are simplified
DESCENTS = 3  # from the lightest of all that is found
RANDOM, ALIKE = 128, 16  # games in which a number is looked at, and how many must have an array of its shape
RANK = 1e-6  # relative: what moves are linearly dependent
BUDGETS = {"check": 800, "search": 1500}  # of each seed
COUNTS = ("to be told", "of their own", "that matter")
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
        own, least = own_and_told(witness, STATEMENTS[label], parts)
        made.append(
            SimplicityRow(label, digest(witness), parts.numbers, parts.matter, own, least, " ".join(parts.free))
        )
    return made


def own_and_told(witness: Witness, statement: Statement, parts: Parts) -> tuple[int, int]:
    """How many numbers of a witness are of their own, of those that matter: what the generator makes of others is not,
    nor what could be nothing else; and how many of those have to be told, what repeats once."""
    places = [p for array, _ in arrays_of(witness.instance) for p in array if p not in parts.idle]
    made = {*_made(witness, statement, places), *_constant(witness, statement, places)}
    return parts.matter - len(made), told(witness.instance, parts.idle | made)


def _made(witness: Witness, statement: Statement, places: Sequence[Place]) -> Iterator[Place]:
    """The places of numbers that move with the draws, each changed a little alone, only as those before them do."""
    moves = [*_moves(witness, statement, places)]
    moved = np.array(moves).reshape(len(moves), len(places))
    moved /= np.maximum(np.abs(moved).max(axis=0, initial=0), np.finfo(float).tiny)
    known = moved[:, :0]
    for place, column in zip(places, moved.T, strict=True):
        both = np.column_stack([known, column])
        if column.any() and np.linalg.matrix_rank(both, RANK) == known.shape[1]:
            yield place
        elif column.any():
            known = both


def _constant(witness: Witness, statement: Statement, places: Sequence[Place]) -> Iterator[Place]:
    """The places of numbers that are the same in all games in which their array has the same shape."""
    for place in places:
        others: list[str] = []
        for data in _random_games(statement):
            with contextlib.suppress(LookupError, TypeError):
                others += [at(data, place)] * (_shape(data, place) == _shape(witness.instance, place))
        if len(others) >= ALIKE and {*others} == {at(witness.instance, place)}:
            yield place


def _shape(data: Any, place: Place) -> Any:
    """Of the array that has the place; of a number by itself none."""
    return at(data, place[:-2]).get("shape") if place[-1] != "number" else None


@functools.lru_cache(maxsize=8)
def _random_games(statement: Statement) -> list[dict[str, Any]]:
    """The encoded instances of games drawn at random."""
    rng, made = np.random.default_rng(0), list[dict[str, Any]]()
    for _ in range(RANDOM):
        draw = RandomDraw(rng)
        with contextlib.suppress(NotAnInstance, *UNREADABLE):
            statement.instance(draw)
            made.append(encode_instance(statement.instance(TapeDraw(draw.tape, exact=True))))
    return made


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


def drawn(witness: Witness, statement: Statement) -> int:
    """How many of the numbers on the tape matter."""
    tape = Tape(**witness.tape)
    before = _sides(statement, tape)

    def matters(k: int, unit: int) -> bool:
        others = {0, GRID, GRID // 2, GRID // 3, max(unit - 1, 0), min(unit + 1, GRID)} - {unit}
        tapes = (Tape(tape.integers, [*tape.units[:k], other, *tape.units[k + 1 :]]) for other in sorted(others))
        return any(_sides(statement, other) != before for other in tapes)

    return sum(matters(k, unit) for k, unit in enumerate(tape.units))


def _sides(statement: Statement, tape: Tape) -> tuple[str, ...]:
    """What exact arithmetic says of a tape, and its sides where it has them, as text; empty where it is no instance."""
    with contextlib.suppress(NotAnInstance, *UNREADABLE):
        seen = certify(statement, tape, SHRINK_BITS)
        return (seen.outcome, show(seen.sides.lhs), show(seen.sides.rhs)) if seen.sides else (seen.outcome,)
    return ()


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
            self.known[key] = (weight, made) if weight and weight[3] <= self.most else (NONE, None)
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
    starts = chain(_kin(root, statement, old), _others(root, statement, seeds) if seeds else ())
    unlike = {str(w.tape): w for w in starts if _alike(w, old)}
    for witness in sorted(unlike.values(), key=lambda w: _weight(w, statement))[:DESCENTS]:
        made = Scales(statement, witness).lightest(witness) if seeds else witness
        weight = _weight(made, statement)
        least, best = (weight, made) if weight < least and weight[3] <= least[3] else (least, best)
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
    """The three counts together, each, all numbers, and the characters that it takes to write them."""
    parts = parts_of(witness, statement, most)
    own, least = own_and_told(witness, statement, parts)
    return least + own + parts.matter, least, own, parts.matter, *written(0, witness.instance)[1:]


def _kin(root: Path, statement: Statement, like: Witness) -> Iterator[Witness]:
    """What refutes a statement of those that are on record for statements with parts of the same names."""
    for other in (read_witness(_file(root, label)) for label in refuted(root)):
        made = set(other.instance) == set(like.instance) and _refuting(statement, Tape(**other.tape), like)
        if made:
            yield made


def _others(root: Path, statement: Statement, seeds: int) -> Iterator[Witness]:
    """The witnesses on record, simplified, games drawn at random, simplified, and those of new runs."""
    for which in ("simplest", "worst"):
        witness = read_witness(_file(root, statement.label, which))
        yield from _simplified(statement, Tape(**witness.tape), witness)
    for tape in games(statement, seeds * GAMES):
        yield from _simplified(statement, tape, witness)
    for seed in range(1, seeds + 1):
        for engine in [e for e in statement.engines if e in BUDGETS]:
            verdict = engine_of(engine)(statement, BUDGETS[engine], seed)
            if verdict.simplest:
                yield verdict.simplest


def _simplified(statement: Statement, tape: Tape, like: Witness) -> Iterator[Witness]:
    certificate = certify(statement, tape)
    if certificate.outcome in ("violated", "undefined"):
        made = make_witness(statement, *shrink(statement, tape, certificate, EFFORT), like.found_by, like.seed)
        yield replace(made, note=like.note) if made.certified == "violated" else made


def games(statement: Statement, count: int) -> list[Tape]:
    """Of so many games of few and simple numbers, those that floats see refute the claim and that take least to write
    down, of each structure one."""
    rng, found = np.random.default_rng(0), dict[str, tuple[tuple[int, ...], Tape]]()
    for _ in range(count):
        draw = CoarseDraw(rng)
        with contextlib.suppress(NotAnInstance, *UNREADABLE), np.errstate(all="ignore"):
            if evaluated(statement, statement.instance(draw)).apparent:
                weight = cost(draw.tape, statement.instance(TapeDraw(draw.tape, exact=True)))
                key = str(draw.tape.integers)
                found[key] = min(found.get(key, (weight, draw.tape)), (weight, draw.tape), key=lambda one: one[0])
    return [tape for _, tape in sorted(found.values(), key=lambda one: one[0])[:STARTS]]


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
        said = [f"{what} {a} -> {b}" for what, a, b in zip(COUNTS, before[1:], after[1:], strict=False)]
        print(f"{label}: {', '.join(said)}", flush=True)


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
    TABLE.write(HOME / TABLE.location(ARUBA), made)
    numbers = sum(row.numbers for row in made)
    print(
        f"{len(made)} witnesses with {numbers} numbers, of which {numbers - sum(r.matter for r in made)} do not matter"
    )
    counted = [r.told for r in made], [r.own for r in made], [r.matter for r in made]
    seen = [(read_witness(_file(HOME, row.label)), STATEMENTS[row.label]) for row in made]
    once = [told(witness.instance, parts_of(witness, statement).idle) for witness, statement in seen]
    more = ("that matter, once where they repeat", once), ("drawn, that matter", [drawn(*both) for both in seen])
    for what, counts in (*reversed([*zip(COUNTS, counted, strict=True)]), *more):
        print(f"{what}: median {quantile(counts, 0.5)}, 95 % {quantile(counts, 0.95)}, most {max(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
