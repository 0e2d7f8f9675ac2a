r"""search: an adversary makes lhs/rhs as large as it can.

A part of the budget draws instances at random, until one refutes the claim; an archive keeps the best tapes of each
class of sizes. Unless the claim is refuted, games of sizes alone are listed, and long games are spelled with few
letters (`words`). Moves that know games (`moves`) and climbs (`climb`: CMA-ES, and L-BFGS where the sides have a
gradient) go on from what is there, and to longer games: a good short one is stretched and climbed again, rung by rung
where games get worse with their size.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from arubatheory.arithmetic import FIRST_BITS
from arubatheory.engines.archive import CLASSES, Archive, Class, class_of, is_near
from arubatheory.engines.climb import NoGradient, ascend, climb
from arubatheory.engines.evaluation import TIE_HANDICAP, rank
from arubatheory.engines.exact import certify
from arubatheory.engines.moves import chosen, doubled, rearranged, replaced, resized, summed, work_of
from arubatheory.engines.polish import stretched
from arubatheory.engines.reach import RUNGS
from arubatheory.engines.shrink import simplest
from arubatheory.engines.spell import Speller
from arubatheory.engines.trial import STRUCTURES, Climber, Enough, Record, check_run
from arubatheory.engines.verdict import Verdict
from arubatheory.engines.witness import encode_instance
from arubatheory.engines.words import periodic
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import Draw, RandomDraw, Tape
from arubatheory.problems.rows import LADDER, Question, questions
from arubatheory.statements.core import Instance, NotAnInstance, Statement

RANDOM, WORDS = 4, 3  # sixteenths of a budget, for random instances, and then for words
FAR, NEAREST, FARTHEST = 400, 2, 18  # how many times as long as usual games words may be: for so many evaluations once
USUAL = 8  # rows of a game, where no size says so
# of moves, ascents and climbs: where they end, in 24ths of what is left after the words; how many tapes climb, with
# which first step
ROUNDS = ((4, 7, 8, 4, 0.1), (12, 15, 16, 2, 0.1), (20, 23, 24, 1, 0.03))
OPERATIONS = 48  # with gradients, for each evaluation of a budget: a microsecond each
WORSE = 4  # of a budget, the part that goes into worse witnesses once random instances have refuted the claim
FURTHER = 18  # of these 24ths, where games that get worse with their size stop growing: before the last moves
CEILING = 1e6  # a ratio this large needs no climbing
EACH = 2  # of one class of sizes, the most that climb
GAIN = 0.01  # of a ratio: a class whose climb gained less waits behind the others
OCTAVES = 3, 6  # how far beyond usual sizes random games go, and where they have one size that is hardly any work
LISTED, POWERS = 22_000, 3  # sizes are listed up to the cube root of so many budgets, and next to so many powers of two
PARENTS, LITTER, KNOWN = 12, 32, 24  # of moves: tapes that are changed, and how often before others may be
SUM = 8  # times as many numbers as usual games have, a direct sum of games may have
HUGE = 1 << 16  # numbers of a game from which on moves leave it as it is: a matrix has the square of a size
LONGEST = 4096  # numbers, or rounds that are as much work, of a game that a move may make


def search(statement: Statement, budget: int, seed: int, first: bool = False) -> Verdict:
    """Spend `budget` >= 1 evaluations on making lhs/rhs as large as possible; with `first`, end at the first certified
    violation. Raises TypeError for no `Statement` and a `first` that is no bool, ValueError for a budget or a `seed`
    that is none."""
    check_run(statement, budget, seed)
    if not isinstance(first, bool):
        raise TypeError(f"first must be True or False, got {first!r}")
    record = Record(statement, "search", seed, first)
    with np.errstate(all="ignore"), contextlib.suppress(Enough):
        _fails_at_once(statement)
        _Adversary(record, budget, np.random.default_rng([seed, 0x5EA])).spend()
    record.settle()
    return record.verdict(budget, simplest(statement, record.violated))


def _fails_at_once(statement: Statement) -> None:
    """Raises what the code raises in exact arithmetic on the simplest instance, or what no witness of it could hold,
    before a search is waited for."""
    draw = LenientDraw(Tape([], []))
    with contextlib.suppress(NotAnInstance):
        statement.instance(draw)
        encode_instance(certify(statement, draw.tape, FIRST_BITS).instance or Instance())


def _weight(tape: Tape, sizes: Iterable[int]) -> int:
    """How much work a game is taken for, in numbers drawn."""
    return len(tape.units) + len(tape.integers) + work_of(sizes)


class _Adversary:
    """One search; `usual` and `beyond` add the weights of games of usual and of larger sizes, `settled` has the
    badness that a class must pass to climb before others again."""

    def __init__(self, record: Record, budget: int, rng: np.random.Generator) -> None:
        self.record, self.budget, self.rng, self.archive = record, budget, rng, Archive()
        self.words: list[int] = []
        self.settled: dict[Class, float] = {}
        self.sizes: dict[str, int] = {}
        self.octaves, self.usual, self.beyond, self.longest = OCTAVES[0], 0, 0, 0
        self._asked = functools.lru_cache(KNOWN)(lambda *tape: questions(record.statement.instance, Tape(*tape)))

    def spend(self) -> None:
        """All phases in turn; once random instances have refuted the claim, in a part of the budget."""
        record, budget = self.record, self.budget
        self._scatter((budget * RANDOM + 15) // 16, goes_on=False)
        if not record.violated:
            self._spell(record.evaluations + budget * WORDS // 16)
        start = record.evaluations
        rest = min(budget - start, budget // WORSE if record.violated else budget)
        for number, (*parts, count, sigma) in enumerate(ROUNDS, 1):
            moves, ascents, climbs = (start + rest * part // 24 for part in parts)
            if number == len(ROUNDS):
                self._further(start + rest * FURTHER // 24, record.operations + OPERATIONS * budget // 4)
            self._move(moves)
            self._ascend(ascents, OPERATIONS * budget * number // len(ROUNDS))
            self._move(ascents)  # where there is no gradient, or not for so many operations
            self._climb(climbs, count, sigma)
            self._move(climbs)  # where there are integers only
        self._scatter(start + rest, goes_on=True)

    # random instances ------------------------------------------------------------------------------------------
    def _scatter(self, until: int, goes_on: bool) -> None:
        """Random instances, none after a certified violation unless it `goes_on`."""
        draws = self._random()
        while self.record.evaluations < until and (goes_on or not self.record.violated):
            self._tried(next(draws))

    def _random(self) -> Iterator[RandomDraw]:
        """Games of usual sizes, and now and then larger ones."""
        for k in itertools.count():
            far = k % 4 == 3 and 2 * self.beyond <= self.usual
            yield RandomDraw(self.rng, self.words, 2 << k // 4 % self.octaves if far else 1)

    def _noted(self, draw: Draw) -> float:
        badness = rank(self.record.evaluate(draw))
        self.archive.add(class_of(draw.sizes, draw.tape), badness, draw.tape)
        return badness

    def _tried(self, draw: Draw) -> tuple[Class, Climber]:
        badness, tape = self._noted(draw), draw.tape
        n = _weight(tape, draw.sizes.values())
        if isinstance(draw, RandomDraw) and draw.reach == 1:
            self.longest = max(self.longest, n)
            self.sizes |= {name: max(size, self.sizes.get(name, 0)) for name, size in draw.sizes.items()}
        elif isinstance(draw, RandomDraw) and len(draw.sizes) == 1 and n <= 2 * self.longest:
            far = max(draw.sizes.values()) // max((1, *self.sizes.values()))
            self.octaves = max(self.octaves, min(OCTAVES[0] - 1 + far.bit_length(), OCTAVES[1]))
        if n > self.longest:
            self.beyond += n
        else:
            self.usual += n
        return class_of(draw.sizes, draw.tape), (badness, tape)

    # words -----------------------------------------------------------------------------------------------------
    def _spell(self, until: int) -> None:
        """Games that are told by their sizes, and brackets of words, of some 2,000 evaluations each."""
        for tape in self._listed()[: max(until - self.record.evaluations, 0)]:
            self._noted(LenientDraw(tape))
        speller = Speller(self.record, self.rng, self._noted, self._far, self._games())
        start = self.record.evaluations
        count = max(round((until - start) / 2000), 1)
        for k in range(1, count + 1):
            speller.bracket(start + (until - start) * k // count)

    def _listed(self) -> list[Tape]:
        """Games that their sizes tell, the smaller ones first."""
        instance, known = self.record.statement.instance, self.archive.best(1, 1)
        asked = [q for _, (_, tape) in known for q in questions(instance, tape)]
        most = int((LISTED * self.budget) ** (1 / 3 / max(len(asked), 1)))
        powers = (2 ** (most.bit_length() + k) + j for k in range(POWERS * (len(asked) == 1)) for j in (-1, 0, 1))
        sizes = itertools.product([*range(1, most + 1), *powers], repeat=len(asked))
        return [Tape([*each], []) for each in sorted(sizes, key=sum)] if all(q.is_size for q in asked) else []

    def _far(self, name: str) -> int:
        """How many rows a word may have, by the name of their number."""
        return self.sizes.get(name, USUAL) * min(max(self.budget // FAR, NEAREST), FARTHEST)

    def _games(self) -> Iterator[Tape | None]:
        """Random games, None in the place of what does not count, and the best ones of all classes in turn."""
        for draw in self._random():
            badness, tape = self._tried(draw)[1]
            yield tape if badness > -math.inf else None
            if known := self.archive.best(PARENTS, 1):
                yield known[self.rng.integers(len(known))][1][1]

    # from what is there ----------------------------------------------------------------------------------------
    def _move(self, until: int) -> None:
        """Changes of the best tapes of each class, in turn and of the best twice as often."""
        while self.record.evaluations < until:
            parents = [tape for c, (_, tape) in self.archive.best(PARENTS, STRUCTURES) if self._affords(c, tape)]
            if not parents:
                return
            asked = functools.cache(lambda k, parents=parents: self._asked(*map(tuple, parents[k])))
            for place in range(min(LITTER, until - self.record.evaluations)):
                k, mate = (int(word) for word in self.rng.integers(len(parents), size=2))
                k = k if self.rng.integers(2) else 0
                draw = self._aside(asked(k), place == 1) if place < 2 else None
                draw = draw or self._moved(parents[k], parents[mate], functools.partial(asked, k))
                self._tried(draw or next(self._random()))

    def _affords(self, where: Class, tape: Tape) -> bool:
        """Whether a game of a class may be changed: it is not huge, and once larger ones than usual have had their part
        of the work, its rounds are few."""
        return len(tape.units) <= HUGE and (2 * self.beyond <= self.usual or work_of(where) <= SUM * self.longest)

    def _aside(self, asked: Sequence[Question], again: bool) -> Draw | None:
        """Copies of a game side by side, or two that one more round tells apart."""
        with contextlib.suppress(NotAnInstance):
            if again:
                return doubled(self.rng, self.record.statement.instance, asked)
        return summed(self.rng, asked, SUM * self.longest)

    def _moved(self, tape: Tape, mate: Tape, asked: Callable[[], Sequence[Question]]) -> Draw | None:
        """A move of a tape: of its size, its rows, its integers or its units, of these as many as there are of each."""
        kind, draw = self.rng.integers(8), None
        if kind < 2:
            draw = resized(self.rng, asked(), LONGEST if 2 * self.beyond <= self.usual else self.longest)
        elif kind < 4:
            draw = rearranged(self.rng, asked())
        elif kind == 4 or self.rng.random() * (len(tape.integers) + len(tape.units)) < len(tape.integers):
            draw = chosen(self.rng, asked(), mate)
        return draw or replaced(self.rng, tape, mate) or chosen(self.rng, asked(), mate)

    def _climb(self, until: int, count: int, sigma: float) -> None:
        """Equal shares of what is left for the best tapes."""
        best = [pair for pair in self._rising(EACH) if pair[1][0] < CEILING and pair[1][1].units][:count]
        share = max(until - self.record.evaluations, 0) // max(len(best), 1)
        for where, climber in best:
            long = _weight(climber[1], where) // (SUM * max(self.longest, 1))
            after = climb(self.record, climber, sigma, share // max(long, 1), int(self.rng.integers(2**31)))
            self._ended(where, climber[0], after)

    def _further(self, until: int, most: int) -> None:
        """Where the worst ratio rises with a size, the worst game longer by a rung climbs, as long as that is worse: in
        so many evaluations and operations with gradients, and a quarter of the work of all games of usual sizes."""
        enough = self.beyond + self.usual * 5 // 4
        for name, curve in self.record.by_size.items():
            while self.record.evaluations < until and self.beyond + self.usual < enough and not self.record.violated:
                best = max(curve, key=lambda k: curve[k])
                longer = LADDER[min(LADDER.index(best) + 1, len(LADDER) - 1)]
                known = sorted(curve[k] for k in curve if k <= best)
                if len(known) < RUNGS or known[-1] == known[-2]:
                    break
                self._grown(name, self.record.of_size[best, name], longer, until, most)
                if not curve.get(longer, -math.inf) > curve[best]:
                    break

    def _grown(self, name: str, tape: Tape, size: int, until: int, most: int) -> None:
        """The worst game of another size that a tape is stretched to, and where it climbs to."""
        ways = itertools.islice(stretched(self.record.statement.instance, tape, name, size), 4 if tape.units else 1)
        games = [self._tried(draw) for draw in ways]
        left = max(until - self.record.evaluations, 2)
        for where, climber in sorted(games, key=lambda pair: -pair[1][0])[:1]:
            with contextlib.suppress(NoGradient):
                self._ended(where, climber[0], ascend(self.record, climber, left, most))

    def _rising(self, each: int) -> list[tuple[Class, Climber]]:
        """The most promising tapes, those last whose class is where its last climb has left it."""
        return sorted(self.archive.best(CLASSES * each, each), key=lambda pair: not self._gains(*pair))

    def _gains(self, where: Class, climber: Climber) -> bool:
        return where not in self.settled or climber[0] > self.settled[where]

    def _ended(self, where: Class, before: float, climber: Climber) -> None:
        if climber[0] > 1 - TIE_HANDICAP:  # not where it met ties only
            self.record.climbs.append(climber[0])
        if climber[0] - before <= GAIN * abs(before) or is_near(climber[0]):
            self.settled[where] = max(climber[0] + GAIN * abs(climber[0]), self.settled.get(where, -math.inf))
        self.archive.add(where, *climber)

    def _periodic(self) -> Draw:
        """A game of nearly repeated rows, for which longer ones than usual have room. The game that lends the rows
        counts as an evaluation."""
        badness, tape = self._tried(RandomDraw(self.rng, self.words, 1 << int(self.rng.integers(OCTAVES[0] + 1))))[1]
        asked = questions(self.record.statement.instance, tape) if badness > -math.inf else []
        return LenientDraw(periodic(self.rng, asked) or tape)

    def _ascend(self, until: int, most: int) -> None:
        """Along gradients, up to `most` operations of all ascents: from the best tape, while it gains, from a random
        one, from a game with other rows, from one of another size and from a nearly periodic one in turn."""
        draws = self._random()
        with contextlib.suppress(NoGradient):
            for k in itertools.count():
                left = until - self.record.evaluations
                if left < 2 or self.record.operations > most:
                    return
                best = [pair for pair in self._rising(1) if self._affords(pair[0], pair[1][1])]
                if k % 5 == 0 and best and self._gains(*best[0]):
                    where, climber = best[0]
                elif k % 5 in (2, 3) and best:
                    tape = best[self.rng.integers(len(best), size=2).min()][1][1]  # the better ones more often
                    asked = questions(self.record.statement.instance, tape)
                    draw = rearranged(self.rng, asked) if k % 5 == 2 else resized(self.rng, asked, LONGEST)
                    where, climber = self._tried(draw or next(draws))
                else:
                    where, climber = self._tried(next(draws) if k % 5 == 1 else self._periodic())
                self._ended(where, climber[0], ascend(self.record, climber, left - 1, most))
