"""What Algorithm 2 refuses: each error names the argument and its value, and leaves no trace in the state."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from arubatheory.learners.algorithm2 import Aruba, Isotropic

KINDS = {"aruba": Aruba, "isotropic": Isotropic, "scalar": lambda *a, **k: Isotropic(*a, **k, summed=False)}


def running():
    rates = Aruba({"w": np.zeros((2, 2)), "b": np.zeros(3)}, eps=0.3)
    point = {"w": np.ones((2, 2)), "b": np.ones(3)}
    rates.start()
    rates.see(point)
    rates.end(point, {"w": np.zeros((2, 2)), "b": np.zeros(3)})
    rates.start()
    rates.see(point)
    return rates


def waiting():
    rates = running()
    rates.end({"w": np.ones((2, 2)), "b": np.ones(3)}, {"w": np.ones((2, 2)), "b": np.ones(3)})
    return rates


def point(**change):
    return {"w": np.ones((2, 2)), "b": np.ones(3)} | change


NAN = np.array([[0.0, 1.0], [np.nan, 2.0]])
BAD_POINTS = [
    (point(w=NAN), ValueError, r"\['w'\]\[1\]\[0\] must be finite, got nan"),
    (point(b=np.array([1.0, -np.inf, 2.0])), ValueError, r"\['b'\]\[1\] must be finite, got -inf"),
    (point(b=np.full(3, 1e160)), OverflowError, r"must keep sums of squares below 4\.49e"),
    (point(b=np.ones(4)), ValueError, r"\['b'\] must have shape \(3,\), got \(4,\)"),
    (point(b=np.ones((3, 1))), ValueError, r"\['b'\] must have shape \(3,\), got \(3, 1\)"),
    (point(b=np.ones(3, np.float32)), TypeError, r"\['b'\] must be in float64, got dtype float32"),
    (point(b=np.ones(3, int)), TypeError, r"\['b'\] must be in float64, got dtype int64"),
    (point(b=[np.ones(3)]), ValueError, r"\['b'\] must be an array, got a list of 1"),
    (
        {"w": np.ones((2, 2))},
        ValueError,
        r"must be a dict with the keys \['w', 'b'\], got a dict with the keys \['w'\]",
    ),
    (np.ones(7), ValueError, r"must be a dict with the keys \['w', 'b'\], got a ndarray"),
]


def frozen(rates):
    return pickle.dumps((rates.b, rates.g, rates.task, rates._running, rates._most_b, rates._most_g))


def refused(rates, call, error, message):
    before = frozen(rates)
    with pytest.raises(error, match=message):
        call(rates)
    assert frozen(rates) == before


@pytest.mark.parametrize(("bad", "error", "message"), BAD_POINTS)
def test_bad_gradients_and_points_are_named_and_change_nothing(bad, error, message):
    refused(running(), lambda r: r.see(bad), error, f"gradients.*{message}")
    refused(running(), lambda r: r.end(bad, point()), error, f"initial.*{message}")
    refused(running(), lambda r: r.end(point(), bad), error, f"(final|initial - final).*{message}")
    fine = waiting().refine()
    before = pickle.dumps((fine.b, fine.g))
    with pytest.raises(error, match=message):
        fine.see(bad)
    assert pickle.dumps((fine.b, fine.g)) == before


@pytest.mark.parametrize(
    ("squares", "error", "message"),
    [
        (point(w=NAN), ValueError, r"squares\['w'\]\[1\]\[0\] must be finite, got nan"),
        (point(b=np.array([1.0, -np.inf, 2.0])), ValueError, r"squares\['b'\] must not be negative, got -inf"),
        (point(b=np.array([1.0, 1.0, 1e308])), OverflowError, "squares must keep sums of squares below"),
        (point(b=np.full(3, 1e308)), OverflowError, "squares must keep sums of squares below"),
        (point(b=np.ones(4)), ValueError, r"squares\['b'\] must have shape"),
        (point(b=np.ones(3, int)), TypeError, r"squares\['b'\] must be in float64"),
    ],
)
def test_bad_squares_are_named_and_change_nothing(squares, error, message):
    refused(waiting(), lambda r: r.absorb(point(), point(), squares), error, message)


@pytest.mark.parametrize(
    ("make", "call", "message"),
    [
        (running, lambda r: r.start(), "start came at the wrong time: task 2 is running"),
        (running, lambda r: r.rates(), "rates came at the wrong time: task 2 is running"),
        (running, lambda r: r.refine(), "refine came at the wrong time: task 2 is running"),
        (running, lambda r: r.absorb(point(), point(), point()), "absorb came at the wrong time: task 2 is running"),
        (waiting, lambda r: r.see(point()), "see came at the wrong time: task 3 has not been started"),
        (waiting, lambda r: r.end(point(), point()), "end came at the wrong time: task 3 has not been started"),
    ],
)
def test_calls_out_of_order_are_named_and_change_nothing(make, call, message):
    refused(make(), call, RuntimeError, message)


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (point(b=np.ones(2)), ValueError, r"out\['b'\] must have shape \(3,\), got \(2,\)"),
        (point(w=np.ones((2, 2), np.float32)), TypeError, r"out\['w'\] must be in float64"),
        (point(w=np.ones((2, 4))[:, ::2]), ValueError, r"out\['w'\] must be C-contiguous and writable, got strides"),
        (np.ones(7), ValueError, "out must be a dict"),
    ],
)
def test_bad_buffers_are_named_and_no_task_starts(out, error, message):
    refused(waiting(), lambda r: r.start(out=out), error, message)


def test_a_buffer_that_cannot_be_written_to_is_named():
    rates = Aruba(np.zeros(()))
    with pytest.raises(TypeError, match="out must be an array that can be written to, got a float"):
        rates.start(out=0.0)
    assert rates.start(out=np.zeros(())) == 1.0


def test_negative_squares_are_named():
    refused(
        waiting(),
        lambda r: r.absorb(point(), point(), point(b=np.array([0.0, -2.0, 1.0]))),
        ValueError,
        r"squares\['b'\] must not be negative, got -2.0",
    )
    rates = Isotropic(np.zeros(2))
    for squares, error in ((-1.0, ValueError), (np.nan, ValueError), (np.ones(2), TypeError), (True, TypeError)):
        refused(rates, lambda r, s=squares: r.absorb(np.zeros(2), np.ones(2), s), error, "squares must be")


BAD_SETTINGS = [
    (0.0, ValueError),
    (-1.0, ValueError),
    (np.nan, ValueError),
    ("1", TypeError),
    (True, TypeError),
    (None, TypeError),
]


@pytest.mark.parametrize("make", KINDS.values())
@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        *((name, *bad) for name in ("eps", "zeta", "p") for bad in BAD_SETTINGS),
        *((name, np.inf, ValueError) for name in ("eps", "zeta")),  # p = inf regularises once
    ],
)
def test_bad_settings_are_named(make, name, value, error):
    with pytest.raises(error, match=f"{name} must be .*, got {value!r}"):
        make(np.zeros(2), **{name: value})


@pytest.mark.parametrize("c", [0, -1.0, np.nan, "2"])
def test_a_bad_c_is_named(c):
    with pytest.raises((ValueError, TypeError), match=f"c must be .*, got {c!r}"):
        Aruba(np.zeros(2)).refine(c)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        (np.zeros(2, int), TypeError, "params must be in float32 or float64, got dtype int64"),
        ([np.zeros(2), "x"], TypeError, r"params\[1\] must be in float32 or float64, got dtype <U1"),
        ({"a": np.zeros(2, np.float16)}, TypeError, r"params\['a'\] must be in float32 or float64, got dtype float16"),
        (np.zeros(0), ValueError, "params must hold at least one number"),
        ({}, ValueError, "params must hold at least one number"),
    ],
)
def test_bad_parameters_are_named(params, error, message):
    with pytest.raises(error, match=message):
        Aruba(params)


def test_settings_whose_squares_leave_the_range_are_named():
    with pytest.raises(ValueError, match="eps must have a square in the range of params, got 1e-25"):
        Aruba(np.zeros(2, np.float32), eps=1e-25)
    with pytest.raises(ValueError, match=r"zeta must have a square in the range of params, got 1e\+200"):
        Aruba(np.zeros(2), zeta=1e200)


def test_sums_that_would_overflow_are_refused_before_they_do():
    rates = Aruba(np.zeros(1, np.float32))
    rates.start()
    gradient = np.full(1, 5e18, np.float32)
    with pytest.raises(OverflowError, match=r"gradients must keep sums of squares below 8\.51e"):
        for _ in range(10):
            rates.see(gradient)
    assert np.isfinite(rates.g).all()


def test_state_is_shown_read_only():
    rates = Aruba(np.zeros(2))
    with pytest.raises(ValueError, match="read-only"):
        rates.b[0] = 3.0
    with pytest.raises(ValueError, match="out must be C-contiguous and writable"):
        rates.start(out=rates.b)
