"""Algorithm 2, isotropic ARUBA and ARUBA++ against the paper's lines written out, in any structure and dtype."""

from __future__ import annotations

import copy
import doctest
import pickle
import tracemalloc
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arubatheory.kernel import compiled
from arubatheory.learners import algorithm2
from arubatheory.learners.algorithm2 import Aruba, Isotropic
from arubatheory.problems.coarse import HypothesisDraw

Layer = namedtuple("Layer", "weight bias")
TREES = {
    "vector": lambda f: f(5),
    "matrix": lambda f: f((2, 3)),
    "number": lambda f: f(()),
    "list": lambda f: [f(3), f((2, 2))],
    "dict": lambda f: {"w": f((3, 2)), "deep": {"b": (f(2), f(1))}},
    "named tuple": lambda f: Layer(f((2, 2)), f(0)),
}
KINDS = {"aruba": Aruba, "isotropic": Isotropic, "scalar": lambda *a, **k: Isotropic(*a, **k, summed=False)}


def flat(tree):
    return [x for _, x in algorithm2.Shapes(tree).check("tree", tree)]


def drawn(tree, seed, scale=1.0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return TREES[tree](lambda shape: (scale * rng.normal(size=shape)).astype(dtype))


def play(rates, tree, tasks=4, dtype=np.float64):
    """Some tasks of which one goes nowhere and one has no gradient: initial, final, gradients of each."""
    data = []
    for t in range(tasks):
        initial = drawn(tree, t, dtype=dtype)
        final = initial if t == 1 else drawn(tree, 100 + t, 3.0, dtype)
        gradients = [drawn(tree, 1000 * t + i, 2.0, dtype) for i in range(t % 3)]
        rates.start()
        for gradient in gradients:
            rates.see(gradient)
        rates.end(initial, final)
        data.append((initial, final, gradients))
    return data


def joined(tree):
    return np.concatenate(flat(tree)).astype(np.float64)


def literal(data, size, eps, zeta, p, kind):
    """Lines 1, 6 and 7 of Algorithm 2."""
    count = {"aruba": np.ones(size), "isotropic": float(size), "scalar": 1.0}[kind]
    fold = np.asarray if kind == "aruba" else np.sum
    b, g = eps**2 * count, zeta**2 * count
    for t, (initial, final, gradients) in enumerate(data, start=1):
        b = b + eps**2 * count / (t + 1) ** p + fold((joined(initial) - joined(final)) ** 2) / 2
        g = g + zeta**2 * count / (t + 1) ** p + sum(fold(joined(x) ** 2) for x in gradients)
    return b, g


def test_the_example_of_the_module_runs():
    found = doctest.testmod(algorithm2)
    assert found.attempted > 4 and found.failed == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_algorithm_2(kind, tree, dtype):
    eps, zeta, p = 0.3, 2.0, 0.4
    like = drawn(tree, 0, dtype=dtype)
    rates = KINDS[kind](like, eps=eps, zeta=zeta, p=p)
    data = play(rates, tree, dtype=dtype)
    b, g = literal(data, joined(like).size, eps, zeta, p, kind)
    found = rates.rates()
    tolerance = 20 * float(np.finfo(dtype).eps)
    if kind == "aruba":
        assert [x.dtype for x in flat(found)] == [dtype] * len(flat(found))
        np.testing.assert_allclose(joined(rates.b), b, rtol=tolerance)
        np.testing.assert_allclose(joined(found), np.sqrt(b / g), rtol=tolerance)
        assert isinstance(found, type(like) if tree != "number" else np.ndarray) and rates.task == 5
    else:
        assert isinstance(found, float)
        assert (rates.b, rates.g, found) == pytest.approx((b, g, np.sqrt(b / g)), rel=tolerance)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_go_into_the_callers_buffers(kind):
    rates = KINDS[kind](drawn("dict", 0), eps=0.5)
    play(rates, "dict")
    out = drawn("dict", 1)
    kept = out["deep"]["b"][0]
    assert rates.start(out=out) is out and out["deep"]["b"][0] is kept
    rates.end(drawn("dict", 0), drawn("dict", 0))
    again = copy.deepcopy(out)
    rates.rates(out=out)
    assert not np.array_equal(joined(again), joined(out))
    expected = rates.rates()
    assert np.array_equal(joined(out), np.full(9, expected) if isinstance(expected, float) else joined(expected))


@pytest.mark.skipif(not compiled(), reason="a quarter of a million numbers, one by one")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_size_of_the_parameters_is_allocated(kind):
    d = 1 << 18
    rng = np.random.default_rng(0)
    x, y, out = (rng.normal(size=d).astype(np.float32) for _ in range(3))
    rates = KINDS[kind](x)
    tracemalloc.start()
    try:
        for _ in range(2):  # the first compiles, and numba allocates
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            rates.start(out=out)
            rates.see(x)
            rates.end(x, y)
            squares = 1.0 if rates.scalar else np.abs(out, out=out)
            rates.absorb(x, y, squares)
            peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < d


def test_state_is_two_arrays():
    d = 1 << 20
    x = np.zeros(d, np.float32)
    tracemalloc.start()
    try:
        rates = Aruba(x)
        held = tracemalloc.get_traced_memory()[0]
        fine = rates.refine()
        more = tracemalloc.get_traced_memory()[0] - held
    finally:
        tracemalloc.stop()
    assert 8 * d <= held < 8.1 * d and 8 * d <= more < 8.1 * d and fine.c == 1.0


def test_keys_may_come_in_any_order_and_arrays_in_any_layout():
    like = {"a": np.zeros((2, 3)), "b": np.zeros((2, 3))}
    one, two = Aruba(like), Aruba(like)
    gradient = {"a": np.arange(6.0).reshape(2, 3), "b": np.ones((2, 3))}
    one.start()
    one.see(gradient)
    two.start()
    two.see({"b": gradient["b"], "a": np.asfortranarray(gradient["a"])})
    assert np.array_equal(one.g["a"], two.g["a"]) and np.array_equal(one.g["b"], two.g["b"])
    assert one.g["a"][1, 2] == 26.0


class Tensor:
    """What another framework hands over: an object that numpy can look into."""

    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self.values[:]


def test_arrays_of_another_framework_are_read_and_written():
    rates, out = Aruba([Tensor([1.0, 2.0])], eps=0.5), [Tensor([0.0, 0.0])]
    rates.start(out=out)
    assert np.array_equal(out[0].values, [0.5, 0.5])
    rates.see([Tensor([1.0, 0.0])])
    rates.end([Tensor([1.0, 2.0])], [Tensor([1.0, 2.0])])
    assert np.array_equal(rates.g[0], [2.5, 1.5])


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_at_once_is_a_task_step_by_step(kind):
    one, two = KINDS[kind](drawn("list", 0), p=0.5), KINDS[kind](drawn("list", 0), p=0.5)
    for initial, final, gradients in play(one, "list"):
        squares = [sum(x[i] ** 2 for x in gradients) + np.zeros_like(initial[i]) for i in range(2)]
        two.absorb(initial, final, sum(x.sum() for x in squares) if two.scalar else squares)
    assert one.task == two.task
    for name in ("b", "g"):
        left, right = getattr(one, name), getattr(two, name)
        np.testing.assert_allclose(*((left, right) if one.scalar else (joined(left), joined(right))), rtol=1e-15)


@pytest.mark.parametrize(("dtype", "p"), [(np.float32, 0.4), (np.float64, np.inf)])
@pytest.mark.parametrize("kind", KINDS)
def test_state_goes_through_a_file(kind, dtype, p, tmp_path):
    like = drawn("dict", 0, dtype=dtype)
    one, two = KINDS[kind](like, eps=0.3, zeta=2.0, p=p), KINDS[kind](like)
    play(one, "dict", dtype=dtype)
    kept = one.state()
    np.savez(tmp_path / "rates.npz", **kept)
    with np.load(tmp_path / "rates.npz") as held:
        two.restore(held)
    assert (two.task, two.eps, two.zeta, two.p) == (5, 0.3, 2.0, p)
    for rates in (one, two):  # and it goes on as if nothing had been
        play(rates, "dict", dtype=dtype)
    left, right = one.state(), two.state()
    assert left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)
    assert not np.array_equal(left["b0"], kept["b0"])  # what was given is a copy


def test_a_state_that_does_not_fit_is_refused_and_changes_nothing():
    rates = Aruba([np.zeros(2), np.zeros(3)])
    good = rates.state()
    cases = (
        ({"b0": np.ones(2)}, r"state must hold 'b1', got \['b0'\]"),
        (good | {"b0": np.ones(3)}, r"state\['b0'\] must have shape \(2,\) in float64, got \(3,\) in float64"),
        (good | {"g1": np.ones(3, np.float32)}, r"state\['g1'\] must have shape \(3,\) in float64"),
        (good | {"g1": np.zeros(3)}, r"state\['g1'\] must be positive and finite"),
        (good | {"b1": np.full(3, np.nan)}, r"state\['b1'\] must be positive and finite"),
        (good | {"eps": np.array(-1.0)}, r"state\['eps'\] must be positive and finite"),
        (good | {"task": np.array(1.0)}, r"state\['task'\] must have shape \(\) in int64"),
    )
    for state, message in cases:
        with pytest.raises(ValueError, match=message):
            rates.restore(state)
    with pytest.raises(TypeError, match="state must be a mapping of names to arrays, got list"):
        rates.restore([1])
    assert all(np.array_equal(rates.state()[name], x) for name, x in good.items())
    rates.start()
    for call in (rates.state, lambda: rates.restore(good)):
        with pytest.raises(RuntimeError, match="task 1 is running: end it first"):
            call()


def test_isotropic_is_per_coordinate_in_one_dimension():
    one, two, three = (make(np.zeros(1), eps=0.2, zeta=3.0, p=0.7) for make in KINDS.values())
    for rates in (one, two, three):
        play_vector(rates)
    np.testing.assert_allclose([two.rates(), three.rates()], np.repeat(one.rates(), 2), rtol=1e-15)


def play_vector(rates, d=1):
    rng = np.random.default_rng(7)
    for _ in range(5):
        initial, final, gradient = rng.normal(size=(3, d))
        rates.start()
        rates.see(gradient)
        rates.end(initial, final)


def test_summed_and_scalar_beginnings_differ_by_the_root_of_the_dimension():
    d = 4
    summed = Isotropic(np.zeros(d), eps=0.3, zeta=0.7)
    scalar = Isotropic(np.zeros(d), eps=0.6, zeta=1.4, summed=False)
    for rates in (summed, scalar):
        play_vector(rates, d)
    assert summed.rates() == pytest.approx(scalar.rates(), rel=1e-15)
    other = Isotropic(np.zeros(d), eps=0.3, zeta=0.7, summed=False)
    play_vector(other, d)
    assert abs(other.rates() - summed.rates()) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_given_is_1(kind):
    one, other = KINDS[kind](np.zeros(2)), KINDS[kind](np.zeros(2), 1.0, 1.0, 1.0)
    for _ in range(2):
        assert np.array_equal(one.rates(), other.rates())
        play_vector(one, 2)
        play_vector(other, 2)
    assert np.array_equal(one.b, other.b) and np.array_equal(one.g, other.g)


def test_rescaling_a_coordinate_rescales_its_rate_by_the_square():
    """Parameters times c, gradients over c; the rates of eps c and zeta/c are c^2 times as large, to the last bit."""
    c = 8.0
    one, two = Aruba(np.zeros(3), 0.3, 0.7), Aruba(np.zeros(3), 0.3 * c, 0.7 / c)
    rng = np.random.default_rng(3)
    for _ in range(6):
        initial, final, gradient = rng.normal(size=(3, 3))
        one.start()
        two.start()
        one.see(gradient)
        two.see(gradient / c)
        one.end(initial, final)
        two.end(initial * c, final * c)
    assert np.array_equal(two.rates(), one.rates() * c * c)


def numbers(draw):
    T, d = draw.integer(1, 4), draw.integer(1, 3)
    eps, zeta, p = draw.positive(-16, 16), draw.positive(-16, 16), draw.positive(-3, 3)
    moves = draw.real(-1, 1, (T, d)) * draw.positive(-16, 16)
    return eps, zeta, p, moves, draw.real(-1, 1, (T, d)) * draw.positive(-16, 16)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_rates_lie_between_the_first_and_what_the_data_say(data):
    eps, zeta, p, moves, gradients = numbers(HypothesisDraw(data))
    rates, one = Aruba(moves[0], eps, zeta, p), Isotropic(moves[0], eps, zeta, p)
    for move, gradient in zip(moves, gradients, strict=True):
        for state in (rates, one):
            state.start()
            state.see(gradient)
            state.end(0 * move, move)
    moved, seen = (moves**2).sum(axis=0) / 2, (gradients**2).sum(axis=0)
    said = np.sqrt(moved) / np.sqrt(np.maximum(seen, 1e-300))
    first, found = eps / zeta, rates.rates()
    assert (found >= np.minimum(first, said) * (1 - 1e-13)).all()
    assert (found <= np.maximum(first, said) * (1 + 1e-13)).all()
    assert found.min() * (1 - 1e-13) <= one.rates() <= found.max() * (1 + 1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_without_data_the_rates_stay_at_eps_over_zeta(kind):
    x = drawn("vector", 0)
    rates = KINDS[kind](x, eps=0.5, zeta=2.0)
    for _ in range(50):
        assert np.allclose(rates.start(), 0.25, rtol=1e-14, atol=0)
        rates.see(np.zeros(5))
        rates.end(x, x)


def test_the_rates_of_a_task_do_not_know_it():
    one, two = Aruba(np.zeros(2)), Aruba(np.zeros(2))
    for gradient, rates in ((1.0, one), (9.0, two)):
        rates.start()
        rates.see(np.full(2, gradient))
        rates.end(np.zeros(2), np.full(2, gradient))
        rates.start()
    assert not np.array_equal(one.b, two.b)
    fresh = Aruba(np.zeros(2))
    assert np.array_equal(fresh.start(), np.ones(2)) and np.array_equal(fresh.b, np.ones(2))


def test_one_gradient_step_per_task_moves_the_rate():
    """text:one-step-maml: eps = zeta = p = 1 and a gradient of 1 give eta_2^2 = 4/5, although the move is eta times it;
    eq:percoord summed over the tasks alone would give 1/3 after a task that did not move, where Algorithm 2 has 3/5."""
    for moved, expected in ((-1.0, 4 / 5), (0.0, 3 / 5)):
        rates = Aruba(np.zeros(1))
        eta = rates.start()
        rates.see(np.ones(1))
        rates.end(np.zeros(1), moved * eta)
        assert rates.rates()[0] ** 2 == pytest.approx(expected, rel=1e-15)


def printed_rates(b2, g2, eps, zeta, p):
    """eta_t, t = 1, ..., T + 1, by the sums of prp:diagftl from s = 0 with b_0 = g_0 = 0."""
    T, d = b2.shape
    fading = (np.arange(T + 1) + 1.0) ** -p
    rows = []
    for t in range(1, T + 2):
        top = sum(eps**2 * fading[s] + (b2[s - 1] if s else np.zeros(d)) for s in range(t))
        bottom = sum(zeta**2 * fading[s] + (g2[s - 1] if s else np.zeros(d)) for s in range(t))
        rows.append(np.sqrt(top / bottom))
    return np.array(rows)


@pytest.mark.parametrize("p", [0.1, 0.4, 2.0])
def test_rates_are_the_leaders_of_the_printed_sums(p):
    """The state that is shipped, the kernel that the statements play, and prp:diagftl written out."""
    rng = np.random.default_rng(0)
    b2, g2 = rng.random((9, 3)) ** 4, rng.random((9, 3)) ** 4 * [[1.0, 0.0, 100.0]]
    b2[4] = g2[4] = 0
    state, played = Aruba(np.zeros(3), 0.5, 2.0, p), []
    for t in range(9):
        played.append(state.rates())
        state.absorb(np.zeros(3), np.sqrt(2 * b2[t]), g2[t])
    played.append(state.rates())
    expected, w = printed_rates(b2, g2, 0.5, 2.0, p), algorithm2.fading_weights(p, 10)[:, None]
    np.testing.assert_allclose(played, expected, rtol=1e-14)
    beta, gamma = np.vstack([np.zeros(3), b2]) + 0.25 * w, np.vstack([np.zeros(3), g2]) + 4 * w
    np.testing.assert_allclose(algorithm2.coordinate_ftl(beta, gamma), expected, rtol=1e-14)
    assert played[0].tolist() == [0.25] * 3
    for t, x in enumerate(expected):
        led = [(beta[: t + 1] / y + gamma[: t + 1] * y).sum() for y in (x, x * 0.999, x * 1.001)]
        assert led[0] < min(led[1:])


# ARUBA++ ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("c", [0.01, 1.0, 1000.0])
def test_aruba_plus_plus_is_what_is_printed(kind, c):
    rates = KINDS[kind](np.zeros(3), eps=0.4)
    play_vector(rates, 3)
    before = (np.copy(rates.b), np.copy(rates.g))
    fine = rates.refine(c)
    b, g = np.array(rates.b), np.array(rates.g)
    rng, last = np.random.default_rng(5), np.inf
    for _ in range(4):
        eta = fine.rates()
        np.testing.assert_allclose(eta, np.sqrt(b / g), rtol=1e-14)
        assert np.all(eta <= last)
        gradient, last = rng.normal(size=3), eta
        fine.see(gradient)
        g = g + c * (gradient**2 if kind == "aruba" else (gradient**2).sum())
    assert np.array_equal(before[0], rates.b) and np.array_equal(before[1], rates.g)


def test_zero_gradients_leave_the_refined_rates():
    fine = Aruba(np.zeros(3), eps=0.5).refine()
    fine.see(np.zeros(3))
    assert np.array_equal(fine.rates(), np.full(3, 0.5))


# arithmetic ------------------------------------------------------------------------------------------------------
def test_float32_follows_float64():
    one, two = Aruba(np.zeros(4, np.float32), 0.1, 0.1), Aruba(np.zeros(4), 0.1, 0.1)
    rng = np.random.default_rng(11)
    for _ in range(1000):
        initial, final, *gradients = rng.normal(size=(5, 4)).astype(np.float32)
        for rates, dtype in ((one, np.float32), (two, np.float64)):
            rates.start()
            for gradient in gradients:
                rates.see(gradient.astype(dtype))
            rates.end(initial.astype(dtype), final.astype(dtype))
    # 4000 additions, each with a relative rounding of 2^-24
    np.testing.assert_allclose(one.rates(), two.rates(), rtol=4000 * 2.0**-24)
    assert one.rates().dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rates_stay_finite_and_positive_at_both_ends_of_the_range(dtype):
    large, small = np.finfo(dtype).max ** 0.5 / 4, np.finfo(dtype).tiny ** 0.5 * 2
    for eps, zeta in ((float(large), float(small)), (float(small), float(large))):
        found = Aruba(np.zeros(1, dtype), eps, zeta).start()
        assert np.isfinite(found[0]) and found[0] == pytest.approx(eps / zeta, rel=1e-5)


def test_state_travels():
    rates = Aruba(drawn("dict", 0))
    play(rates, "dict")
    for other in (pickle.loads(pickle.dumps(rates)), copy.deepcopy(rates)):
        assert np.array_equal(joined(other.rates()), joined(rates.rates())) and other.task == rates.task
