"""The readers of one generator: what they draw, how it shrinks, and that a tape says it all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from arubatheory.arithmetic import Exact, approximate
from arubatheory.problems.coarse import HypothesisDraw, LenientDraw, unit_of_rank
from arubatheory.problems.draw import BITS, GRID, Draw, RandomDraw, Tape, TapeDraw, on_grid

EPS = float(np.finfo(np.float64).eps)


def everything(draw: Draw, d: int = 3) -> dict[str, np.ndarray]:
    """One of each kind of question, as named float or exact arrays."""
    return {
        "integer": np.array([draw.integer(-3, 5), draw.integer(2, 2), draw.choice((7, 8, 9))]),
        "integers": draw.integers(0, 4, 3),
        "boolean": np.array([int(draw.boolean())]),
        "unit": draw.array([draw.unit()]),
        "units": draw.unit((2, d)),
        "real": draw.array([draw.real(-2, 3)]),
        "reals": draw.real(-1, 1, d),
        "positive": draw.array([draw.positive()]),
        "positives": draw.positive(-3, 5, (2, 2)),
        "simplex": draw.simplex(d),
        "sphere": draw.sphere(d),
        "rotation": draw.rotation(d),
        "spd": draw.spd(d),
        "array": draw.array([draw.number(1, 3), 2]),
        "zeros": draw.zeros((2, d)),
        "eye": draw.eye(d),
    }


def cube(point, integers=()) -> LenientDraw:
    return LenientDraw(Tape(list(integers), on_grid(point)))


def readers(seed: int) -> list[Draw]:
    rng = np.random.default_rng(seed)
    return [RandomDraw(rng), cube(rng.random(200)), cube(rng.integers(0, 2, 200)), cube([])]


# the tape --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(10))
def test_a_tape_replays_every_reader(seed):
    for draw in readers(seed):
        drawn = everything(draw)
        replay = TapeDraw(draw.tape)
        again = everything(replay)
        assert replay.tape == draw.tape
        for name, array in drawn.items():
            assert np.array_equal(array, again[name]), name


@given(st.data())
@settings(max_examples=25)
def test_a_tape_replays_hypothesis(data):
    draw = HypothesisDraw(data)
    drawn = everything(draw, 2)
    again = everything(TapeDraw(draw.tape), 2)
    assert all(np.array_equal(array, again[name]) for name, array in drawn.items())


@pytest.mark.parametrize("seed", range(5))
def test_exact_and_float_readings_agree(seed):
    """Every answer takes fewer than 60 roundings of numbers of its own size."""
    for draw in readers(seed):
        drawn = everything(draw)
        exactly = everything(TapeDraw(draw.tape, exact=True))
        for name, array in drawn.items():
            truth = approximate(exactly[name]) if exactly[name].dtype == object else exactly[name]
            assert truth.shape == array.shape
            assert np.abs(truth - array).max() <= 60 * EPS * max(1.0, np.abs(truth).max()), name


def test_exact_readings_are_exact_numbers():
    draw = RandomDraw(np.random.default_rng(0))
    everything(draw)
    for name, array in everything(TapeDraw(draw.tape, exact=True)).items():
        if name not in ("integer", "integers", "boolean"):
            assert array.dtype == object and all(isinstance(x, Exact) and x.is_rational for x in array.flat), name


def test_scalars_are_exact_numbers_too():
    tape = Tape([], [GRID // 4, GRID // 2, GRID])
    draw = TapeDraw(tape, exact=True)
    assert draw.unit() == Fraction(1, 4)
    assert draw.real(-1, 1) == 0
    assert draw.positive(-2, 3) == 8


def test_tapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="ran out of integers"):
        TapeDraw(Tape([], [])).integer(0, 1)
    with pytest.raises(ValueError, match="ran out of units"):
        TapeDraw(Tape([], [1])).unit(2)
    with pytest.raises(ValueError, match=r"holds 7 where an integer of \[0, 1\]"):
        TapeDraw(Tape([7], [])).integer(0, 1)
    for unit in (-1, GRID + 1):
        with pytest.raises(ValueError, match=r"unit outside \[0, 2\*\*24\]"):
            TapeDraw(Tape([], [unit])).unit()


def test_a_tape_is_read_without_being_consumed():
    tape = Tape([1], [5])
    for _ in range(2):
        draw = TapeDraw(tape)
        assert (draw.integer(0, 1), draw.unit()) == (1, 5 / GRID)
    assert tape == Tape([1], [5])


# ranges ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_answers_lie_in_their_ranges(seed):
    for draw in readers(seed):
        x = everything(draw)
        assert -3 <= x["integer"][0] <= 5 and x["integer"][1] == 2 and x["integer"][2] in (7, 8, 9)
        assert (x["integers"] >= 0).all() and (x["integers"] <= 4).all() and x["integers"].dtype == np.int64
        assert (x["units"] >= 0).all() and (x["units"] <= 1).all()
        assert -2 <= x["real"][0] <= 3 and (np.abs(x["reals"]) <= 1).all()
        assert 2.0**-32 <= x["positive"][0] <= 2.0**32
        assert (x["positives"] >= 2.0**-3).all() and (x["positives"] <= 2.0**5).all()


@pytest.mark.parametrize("exact", [False, True])
def test_both_ends_and_the_middle_are_reached(exact):
    draw = TapeDraw(Tape([], [0, GRID // 2, GRID] * 3), exact)
    assert list(draw.unit(3)) == [0, draw.number(1, 2), 1]
    assert list(draw.real(-1, 3, 3)) == [-1, 1, 3]
    assert list(draw.positive(-2, 2, 3)) == [draw.number(1, 4), 1, 4]


def test_positive_is_piecewise_linear_between_powers_of_two():
    draw = TapeDraw(Tape([], [GRID * 3 // 8, GRID * 5 // 8]), exact=True)
    assert list(draw.positive(0, 4, 2)) == [3, 6]


def test_random_draws_meet_edges_and_the_whole_range():
    draw = RandomDraw(np.random.default_rng(1))
    arrays = [draw.unit(8) for _ in range(400)]
    edges = sum(bool(np.isin(x, (0, 0.5, 1)).all()) for x in arrays)
    assert 20 <= edges <= 90  # one in eight of 400: mean 50, standard deviation 6.6
    generic = np.concatenate([x for x in arrays if not np.isin(x, (0, 0.5, 1)).all()])
    assert np.histogram(generic, 10, (0, 1))[0].min() > len(generic) / 10 * 0.8
    counts = np.bincount([draw.integer(0, 4) for _ in range(5000)], minlength=5)
    assert counts.min() > 850  # mean 1000, standard deviation 28


def test_scales_are_comparable_in_some_instances_and_wild_in_others():
    """Tame: an eighth of the range around its middle, so 2**-5 to 2**5 out of 2**-40 to 2**40."""
    spreads = []
    for seed in range(200):
        draw = RandomDraw(np.random.default_rng(seed))
        spreads.append(np.abs(np.log2(np.concatenate([draw.positive(shape=30) for _ in range(4)]))).max())
    tame = sum(spread <= 5 for spread in spreads)
    assert 65 <= tame <= 135  # mean 100, standard deviation 7
    assert all(spread <= 5 or spread > 20 for spread in spreads)


def test_random_draws_are_reproducible():
    first, second = (RandomDraw(np.random.default_rng(3)) for _ in range(2))
    everything(first), everything(second)
    assert first.tape == second.tape


# constrained things are exact ------------------------------------------------------------------------------------
@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_constraints_hold_exactly(seed, d):
    for source in readers(seed):
        tape = _tape_of(source, d)
        draw = TapeDraw(tape, exact=True)
        simplex, sphere, rotation, spd = _constrained(draw, d)
        assert sum(simplex) == 1 and all(x >= 0 for x in simplex)
        assert sphere @ sphere == 1
        assert (rotation @ rotation.T == draw.eye(d)).all() and (rotation.T @ rotation == draw.eye(d)).all()
        assert (spd == spd.T).all() and all(pivot > 0 for pivot in _pivots(spd))


def _constrained(draw: Draw, d: int) -> tuple[np.ndarray, ...]:
    return draw.simplex(d), draw.sphere(d), draw.rotation(d), draw.spd(d)


def _tape_of(draw: Draw, d: int) -> Tape:
    _constrained(draw, d)
    return draw.tape


def _pivots(matrix: np.ndarray) -> list[Exact]:
    matrix, pivots = matrix.copy(), []
    for k in range(len(matrix)):
        pivots.append(matrix[k, k])
        for i in range(k + 1, len(matrix)):
            matrix[i] = matrix[i] - matrix[k] * (matrix[i, k] / matrix[k, k])
    return pivots


def test_spd_has_the_spectrum_it_is_drawn_with():
    draw = RandomDraw(np.random.default_rng(5))
    for _ in range(50):
        eigenvalues = np.linalg.eigvalsh(draw.spd(3, -2, 2))
        assert eigenvalues[0] >= 0.25 * (1 - 1e3 * EPS) and eigenvalues[-1] <= 4 * (1 + 1e3 * EPS)


def test_faces_and_vertices_of_the_simplex_are_reached():
    draw = RandomDraw(np.random.default_rng(7))
    points = np.array([draw.simplex(3) for _ in range(500)])
    zeros = (points == 0).sum(axis=1)
    assert {0, 1, 2} <= set(zeros)
    assert (TapeDraw(Tape([], [0, 0, 0])).simplex(3) == 1 / 3).all()


def test_the_sphere_reaches_all_orthants():
    draw = RandomDraw(np.random.default_rng(9))
    signs = {tuple(np.sign(draw.sphere(2))) for _ in range(300)}
    assert {(1, 1), (1, -1), (-1, 1), (-1, -1)} <= signs
    assert {float(draw.sphere(1)[0]) for _ in range(50)} == {1.0, -1.0}


# the cube --------------------------------------------------------------------------------------------------------
def test_fixed_integers_leave_the_whole_point_to_the_units():
    draw = cube([0.25, 0.75], integers=[3, 2, 1])
    assert (draw.integer(0, 9), draw.integer(2, 2), draw.integer(0, 1)) == (3, 2, 1)
    assert draw.unit(2).tolist() == [0.25, 0.75]


def test_fixed_integers_of_a_tape_replay_its_structure():
    source = RandomDraw(np.random.default_rng(11))
    everything(source)
    point = np.array(source.tape.units) / GRID
    again = cube(point, source.tape.integers)
    everything(again)
    assert again.tape == source.tape


def test_fixed_integers_are_clipped_and_padded():
    draw = cube([], integers=[9, -4])
    assert [draw.integer(0, 3), draw.integer(0, 3), draw.integer(1, 3)] == [3, 0, 1]


def test_points_outside_the_cube_are_clipped():
    assert cube([-0.5, 1.5]).unit(2).tolist() == [0, 1]


# Hypothesis ------------------------------------------------------------------------------------------------------
def shrunk(question, condition):
    """The simplest answer that Hypothesis finds to `question` under `condition`."""

    def ask(data):
        return question(HypothesisDraw(data))

    best: list = []

    def keeps(data):
        answer = ask(data)
        if condition(answer):
            best.append(answer)
            return True
        return False

    find(st.data(), keeps, settings=settings(max_examples=2000, database=None, phases=(Phase.generate, Phase.shrink)))
    return best[-1]


@pytest.mark.parametrize(
    "question,condition,simplest",
    [
        (lambda d: d.unit(), lambda x: True, 0),
        (lambda d: d.unit(), lambda x: x > 0, 1),
        (lambda d: d.unit(), lambda x: 0 < x < 1, 0.5),
        (lambda d: d.unit(), lambda x: 0.5 < x < 1, 0.75),
        (lambda d: d.real(), lambda x: True, 0),
        (lambda d: d.real(), lambda x: x != 0, 1),
        (lambda d: d.real(), lambda x: x < 0, -1),
        (lambda d: d.real(), lambda x: -1 < x < 0, -0.5),
        (lambda d: d.positive(), lambda x: True, 1),
        (lambda d: d.integer(-5, 5), lambda x: x > 0, 1),
        (lambda d: d.choice("abc"), lambda x: x != "a", "b"),
        (lambda d: d.boolean(), lambda x: True, False),
    ],
)
def test_answers_shrink_to_simple_values(question, condition, simplest):
    assert shrunk(question, condition) == simplest


def test_arrays_shrink_coordinate_by_coordinate():
    assert shrunk(lambda d: d.real(-1, 1, 3), lambda x: x[1] != 0).tolist() == [0, 1, 0]
    assert shrunk(lambda d: d.sphere(2), lambda x: True).tolist() == [0, 1]
    assert (shrunk(lambda d: d.rotation(2), lambda x: True) == np.eye(2)).all()
    assert (shrunk(lambda d: d.spd(2), lambda x: True) == np.eye(2)).all()


def test_ranks_enumerate_the_grid_from_coarse_to_fine():
    quarters = [0, GRID // 4, GRID // 2, GRID * 3 // 4, GRID]
    assert [unit_of_rank(k, False) for k in range(5)] == [quarters[i] for i in (0, 4, 2, 1, 3)]
    assert [unit_of_rank(k, True) for k in range(5)] == [quarters[i] for i in (2, 4, 0, 1, 3)]
    for centred in (False, True):
        assert sorted(unit_of_rank(k, centred) for k in range((1 << 10) + 1)) == list(range(0, GRID + 1, GRID >> 10))


@given(st.integers(0, GRID), st.booleans())
def test_ranks_stay_on_the_grid(rank, centred):
    unit = unit_of_rank(rank, centred)
    assert 0 <= unit <= GRID
    level = max(rank - 1, 1).bit_length()
    assert unit % (1 << (BITS - level)) == 0


# bad input -------------------------------------------------------------------------------------------------------
def test_bad_questions_are_refused():
    draw = RandomDraw(np.random.default_rng(0))
    with pytest.raises(ValueError, match="low must not exceed high, got low=2, high=1"):
        draw.integer(2, 1)
    with pytest.raises(ValueError, match=r"options must be a sequence that is not empty, got \(\)"):
        draw.choice(())
    for question in (lambda d: d.integer(0, 1), lambda d: d.unit()):
        with pytest.raises(TypeError, match="Draw is not a reader"):
            question(Draw())


def test_a_size_is_an_integer_of_the_tape_and_only_its_limit_binds():
    drawn = [RandomDraw(np.random.default_rng(seed)).size("rounds", 4, least=2) for seed in range(64)]
    assert set(drawn) == {2, 3, 4}
    beyond = Tape([90], [])
    for draw in (TapeDraw(beyond), TapeDraw(beyond, exact=True), LenientDraw(beyond)):
        assert draw.size("rounds", 4) == 90
        assert draw.sizes == {"rounds": 90}
        assert draw.tape == beyond
    assert LenientDraw(beyond).size("rounds", 4, limit=5) == 5
    with pytest.raises(ValueError, match=r"the tape holds 90 where an integer of \[1, 5\] is drawn"):
        TapeDraw(beyond).size("rounds", 4, limit=5)


@pytest.mark.parametrize(
    "wrong, error, message",
    [
        (dict(name=3, usual=4), TypeError, "name must be a string that is not empty, got 3"),
        (dict(name="rounds", usual=0), ValueError, "usual must be >= 1 and at most .*, got 0"),
        (dict(name="rounds", usual=2.5), TypeError, "usual must be an integer, got 2.5"),
        (dict(name="rounds", usual=4, limit=3), ValueError, "limit must be >= 4 and at most .*, got 3"),
        (dict(name="rounds", usual=4, least=5), ValueError, "usual must be >= 5"),
        (dict(name="rounds", usual=4, least=-1), ValueError, "least must be >= 0"),
    ],
    ids=["name", "usual", "fraction", "limit", "least", "negative"],
)
def test_a_size_that_is_none_is_named(wrong, error, message):
    with pytest.raises(error, match=message):
        LenientDraw(Tape([], [])).size(**wrong)


@pytest.mark.parametrize("n", [3, 300])
@pytest.mark.parametrize("low, high", [(-3, 7), (-0.1, 0.7), (Fraction(1, 3), 2), (np.float64(-1), 1), (2**60, 2**61)])
def test_many_numbers_are_what_few_are(n, low, high):
    """Bit by bit, and of the same type: long arrays are made at once."""
    units = np.random.default_rng(n).integers(0, GRID + 1, n).tolist()
    found = TapeDraw(Tape([], units)).real(low, high, n)
    assert found.dtype == np.float64 and found.shape == (n,)
    assert found.tolist() == [float(low + (high - low) * (k / GRID)) for k in units]
    lenient = LenientDraw(Tape([], units))
    parts = [lenient.unit(n - 2).tolist(), lenient.unit(4).tolist(), lenient.unit(2).tolist()]
    assert parts == [[k / GRID for k in units[:-2]], [k / GRID for k in units[-2:]] + [0, 0], [0, 0]]
