"""Words: where rows stand in a tape, long games spelled with few letters, their changes, and brackets of them."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest

from arubatheory.engines.evaluation import rank
from arubatheory.engines.search import _Adversary, search
from arubatheory.engines.spell import Speller
from arubatheory.engines.trial import STRUCTURES, Record
from arubatheory.engines.verdict import Status
from arubatheory.engines.words import Repeat, Spelling, Word, any_word, spellings, varied
from arubatheory.problems.coarse import LenientDraw
from arubatheory.problems.draw import GRID, RandomDraw, Tape
from arubatheory.problems.rows import answered, questions
from arubatheory.statements.core import Instance, NotAnInstance, Sides, Statement


def mixed(draw):
    """Two sizes, an array of rows and one of columns, signs by round, pairs by round, and what has no rows."""
    T, d = draw.size("T", 4), draw.size("d", 2, limit=2, least=2)
    x = Instance(T=T, a=draw.unit((T, d)), b=draw.unit((d, T)), signs=[draw.integer(0, 9) for _ in range(T)])
    x.u = draw.unit(d)
    x.pairs = [(draw.integer(0, 9), draw.unit()) for _ in range(T)]
    x.best = draw.integer(0, 9)
    return x


def tape_of(T):
    """Every number is of its own, and those of row t are t modulo 10 (the pairs' units, 50 more)."""
    a = [100 * t + k for t in range(T) for k in range(2)]
    b = [1000 + 100 * t for t in range(T)] + [2000 + 100 * t for t in range(T)]
    pairs = [k for t in range(T) for k in (t,)]
    return Tape([T, 2, *range(T), *pairs, 7], [*a, *b, 5, 6, *(3000 + 100 * t for t in range(T))])


def word(asked, place, blocks):
    """A word of the rows of a game."""
    tape, n = answered(asked), asked[0 if place is None else place].answer[0]
    return Word(Spelling(asked, place, n), tape.integers, np.array(tape.units), tuple(Repeat(*b) for b in blocks))


def test_the_rows_of_a_game_are_found_wherever_they_stand():
    asked = questions(mixed, tape_of(3))
    assert answered(asked) == tape_of(3) and spellings(asked) == [(0, 3), (1, 2)]
    integers, units = Spelling(asked, 0, 3).spelled([2, 0])
    tape = tape_of(3)
    assert [tape.integers[k] for k in integers] == [3, 2, 2, 0, 2, 0, 7]
    assert [tape.units[k] for k in units] == [200, 201, 0, 1, 1200, 1000, 2200, 2000, 5, 6, 3200, 3000]


def test_a_word_is_a_game_of_its_length():
    asked = questions(mixed, tape_of(4))
    long = word(asked, 0, [(0, 2, 5), (3, 1, 2)])
    tape, index = long.written()
    assert long.rows == [0, 1, 0, 1, 0, 3, 3] and [long.units[k] for k in index] == tape.units
    draw = LenientDraw(tape)
    x = mixed(draw)
    assert (
        draw.tape == tape and x.T == 7 and x.signs == [0, 1, 0, 1, 0, 3, 3] == [k for k, _ in x.pairs] and x.best == 7
    )
    assert (np.array(x.a)[:, 0] * GRID).round().tolist() == [0, 100, 0, 100, 0, 300, 300]


def matrix(draw):
    """Rows of integers, and one of their columns."""
    T, N = draw.size("T", 3), draw.size("N", 3)
    return Instance(wrong=draw.integers(0, 9, T * N), expert=draw.integer(0, N - 1))


def test_integers_that_come_in_rows_and_one_after_them():
    asked = questions(matrix, Tape([3, 2, 0, 1, 10, 11, 20, 21, 1], []))
    tape = word(asked, 0, [(2, 2, 3)]).written()[0]
    assert tape.integers == [3, 2, 9, 9, 0, 1, 9, 9, 1]  # 20 and 21 are clipped to 9 by the generator
    columns = word(asked, 1, [(1, 1, 3)])
    assert columns.spelling.spelled([1])[0] == [0, 1, 3, 5, 7, 8]  # the second of each row, and the expert


def test_without_a_size_the_length_of_an_array_counts():
    drawn = questions(lambda draw: Instance(x=draw.unit(draw.integer(2, 6))), Tape([3], [1, 2, 3]))
    assert spellings(drawn) == [(0, 3)] and word(drawn, 0, [(1, 1, 4)]).written()[0] == Tape([4], [2, 2, 2, 2])
    given = questions(
        lambda draw: Instance(x=draw.unit(4), k=draw.integer(0, 3), y=draw.unit()), Tape([2], [1, 2, 3, 4, 9])
    )
    assert spellings(given) == [(None, 4)]
    fixed = Word(Spelling(given, None, 4), [2], np.array([1, 2, 3, 4, 9]), (Repeat(1, 1, 1), Repeat(3, 2, 2)))
    assert fixed.rows == [1, 3, 0, 1] and fixed.written()[0] == Tape([2], [2, 4, 1, 2, 9])
    assert spellings(questions(lambda draw: Instance(x=draw.unit()), Tape([], [1]))) == []


@pytest.mark.parametrize("game", [mixed, matrix])
def test_words_and_their_changes_are_games_that_the_generator_draws(game):
    lengths, blocks, periods = set(), set(), set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        draw = RandomDraw(rng)
        draw.held = {"T": 4}
        game(draw)
        asked = questions(game, draw.tape)
        some = any_word(rng, Spelling(asked, 0, asked[0].answer[0]), answered(asked), 20)
        for _ in range(20):
            tape = some.written()[0]
            assert 1 <= tape.integers[0] == len(some.rows) <= 20 and all(0 <= k <= GRID for k in tape.units)
            assert all(b.length > 0 for b in some.blocks)
            periods |= {b.period for b in some.blocks}
            lengths.add(tape.integers[0])
            blocks.add(len(some.blocks))
            some = varied(rng, some, 20)
            again = LenientDraw(some.written()[0])
            game(again)
            if game is mixed:  # a change of N leaves another matrix than the one that was spelled
                assert len(again.tape.units) == len(some.written()[0].units)
    assert lengths == set(range(1, 21)) and {1, 2, 3, 5} <= blocks
    assert periods == ({1, 2, 3} if game is mixed else {1, 2, 3, 4, 5, 6})  # of integers alone a cycle may have more


def test_a_change_of_letters_is_one_of_those_in_use():
    asked = questions(lambda draw: Instance(x=draw.real(-1, 1, draw.size("T", 9))), Tape([9], [GRID // 3] * 9))
    start = word(asked, 0, [(2, 2, 10)])
    changes = [varied(np.random.default_rng(seed), start, 50) for seed in range(400)]
    touched = {k for w in changes for k in np.flatnonzero(w.units != start.units).tolist()}
    assert touched == {2, 3}
    assert {0, GRID, GRID // 2, GRID - GRID // 3} <= {int(w.units[2]) for w in changes}
    assert {len(w.rows) for w in changes} >= {7, 8, 9, 10, 11, 12, 13} and {w.integers[0] for w in changes} > {9}


def test_the_rows_of_words_come_from_games_of_all_classes():
    """However many structures of few classes are better than all others."""
    claim = Statement(
        "half", "claim", "x", lambda draw: Instance(one=draw.number(1)), lambda i: Sides(i.one, 2 * i.one)
    )
    adversary = _Adversary(Record(claim, "search", 0), 100, np.random.default_rng(0))
    for rung, structure in itertools.product(range(2, 9), range(STRUCTURES)):
        adversary.archive.add((rung,), 1 / rung, Tape([rung, structure], []))
    lent = {tape.integers[0] for tape in itertools.islice(adversary._games(), 400) if tape and tape.integers}
    assert lent == set(range(2, 9))


def test_a_word_of_a_seed_is_what_it_was():
    """As the moves: a change is seen here, and recorded with its reason."""
    made = []
    for seed in range(100):
        rng, asked = np.random.default_rng(seed), questions(mixed, tape_of(4))
        some = any_word(rng, Spelling(asked, 0, 4), tape_of(4), 30)
        made += [some.written(), varied(rng, some, 30).written()]
    assert hashlib.sha256(repr(made).encode()).hexdigest()[:16] == "dac3877ac9bfc136"


def speller(statement, tapes, most=100):
    """One that takes its rows from these tapes."""
    record, rng = Record(statement, "search", 0), np.random.default_rng(0)
    return record, Speller(record, rng, lambda draw: rank(record.evaluate(draw)), lambda name: most, iter(tapes))


def up_then_down(i):
    """Only a long game of two blocks passes: ups pay while they last, and at the end all of the last must be down."""
    ups = sum(1 for g in i.g if g > 0)
    downs = next((k for k, g in enumerate(reversed(i.g)) if g > 0), len(i.g))
    return Sides(min(ups, 2 * downs), 40)


TWO_BLOCKS = Statement("two", "claim", "n", lambda draw: Instance(g=draw.real(-1, 1, draw.size("T", 8))), up_then_down)


def test_a_bracket_finds_the_word_and_keeps_to_its_budget():
    record, words = speller(TWO_BLOCKS, [Tape([2], [0, GRID])] * 8)
    words.bracket(900)
    assert record.violated and 800 < record.evaluations <= 900
    assert max(tape.integers[0] for tape, _ in record.violated) <= 100


def test_games_that_have_no_rows_or_are_none_give_no_words():
    record, words = speller(
        Statement("u", "claim", "u", lambda draw: Instance(x=draw.unit()), lambda i: Sides(i.x, 2)), [Tape([], [5])] * 8
    )
    words.bracket(200)
    assert record.evaluations == 0

    def refused(i):
        if len(i.g) > 3:
            raise NotAnInstance("it is too long")
        return Sides(0 * i.g[0], 1)

    record, words = speller(Statement("r", "claim", "r", TWO_BLOCKS.instance, refused), [Tape([2], [0, GRID])] * 8)
    words.bracket(200)
    assert record.evaluations == 3 and sum(record.uncounted.values()) == 3


def test_search_spells_long_games_and_never_passes_a_printed_limit():
    verdict = search(TWO_BLOCKS, 2500, 0)
    assert verdict.status is Status.REFUTED
    limited = Statement(
        "limited",
        "claim",
        "n",
        lambda draw: Instance(g=draw.unit(draw.size("T", 5, 9))),
        lambda i: Sides(sum(i.g), 20 + 0 * i.g[0]),
    )
    verdict = search(limited, 2500, 0)
    assert verdict.worst_ratio == pytest.approx(9 / 20) and verdict.evaluations == 2500
