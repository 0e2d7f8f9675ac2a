"""What a caller may hand over by mistake: wrong containers, numbers at the ends of their range, arrays of all kinds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from arubatheory.arithmetic import Exact

TINY, HUGE = 5e-324, 1e308
CONTAINERS: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: "x",
    lambda: "",
    lambda: "nan",
    lambda: b"x",
    lambda: {},
    lambda: {"a": 1.0},
    lambda: [],
    lambda: [[]],
    lambda: [[1.0, 2.0], [3.0]],
    lambda: [[1.0, 2.0], [3.0, 4.0]],
    lambda: (1, "x"),
    lambda: [None],
    lambda: [[[[1.0]]]],
    lambda: {1.0},
    lambda: object(),
    lambda: SimpleNamespace(low=1, kind=0),
    lambda: len,
    lambda: int,
    lambda: iter([1.0]),
    lambda: ...,
    lambda: np.random.default_rng(0),
    lambda: np.ma.masked,
    lambda: np.datetime64("2020-01-01"),
)
NUMBERS: tuple[Callable[[], Any], ...] = (
    lambda: 0,
    lambda: -1,
    lambda: 1,
    lambda: 2,
    lambda: 10**9,
    lambda: 10**12,
    lambda: 2**70,
    lambda: -(2**70),
    lambda: 10**400,
    lambda: -0.0,
    lambda: 0.5,
    lambda: -2.5,
    lambda: math.nan,
    lambda: math.inf,
    lambda: -math.inf,
    lambda: HUGE,
    lambda: -HUGE,
    lambda: TINY,
    lambda: -TINY,
    lambda: 1e-308,
    lambda: 1e150,
    lambda: 1e-200,
    lambda: True,
    lambda: np.False_,
    lambda: 1j,
    lambda: np.int8(-1),
    lambda: np.int8(12),
    lambda: np.uint8(17),
    lambda: np.int64(2),
    lambda: np.uint64(2**63),
    lambda: np.float16(3e4),
    lambda: np.float32(0.1),
    lambda: np.longdouble("1e4000"),
    lambda: Fraction(1, 3),
    lambda: Fraction(10**400, 3),
    lambda: Exact(2),
    lambda: Exact(1) / 3,
    lambda: np.array(1.0),
    lambda: np.array(2),
)
ARRAYS: tuple[Callable[[], Any], ...] = (
    lambda: np.zeros(0),
    lambda: np.zeros((0, 2)),
    lambda: np.zeros((2, 0)),
    lambda: np.zeros((1, 1, 1)),
    lambda: np.eye(2),
    lambda: -np.eye(2),
    lambda: np.ones(2),
    lambda: np.ones(1),
    lambda: np.ones(5),
    lambda: np.array(["a", "b"]),
    lambda: np.array([1, 2], dtype=object),
    lambda: np.array([None, 1.0], dtype=object),
    lambda: np.array([np.ones(2), None], dtype=object),
    lambda: np.array([Exact(1), Exact(2)], dtype=object),
    lambda: np.array([Exact(1), 0.5], dtype=object),
    lambda: np.array([1 + 1j, 2]),
    lambda: np.array([True, False]),
    lambda: np.array([1, 127], dtype=np.int8),
    lambda: np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    lambda: np.ma.array([1.0, 2.0], mask=[False, True]),
    lambda: np.ma.array([[1.0, 2.0], [2.0, 5.0]], mask=[[False, True], [False, False]]),
    lambda: [np.ma.array([1.0, 2.0], mask=[False, True]), np.ones(2)],
    lambda: [1.0, np.ma.masked],
    lambda: np.broadcast_to(1.0, 10**12),
    lambda: np.broadcast_to(1.0, (10**6, 10**6)),
    lambda: np.broadcast_to(1.0, (2, 10**9)),
    lambda: np.array([math.nan, 1.0]),
    lambda: np.array([math.inf, 1.0]),
    lambda: np.array([HUGE, HUGE]),
    lambda: np.array([TINY, -TINY]),
)


def _set(value: float, where: int) -> Callable[[np.ndarray], Any]:
    def change(x: np.ndarray) -> Any:
        y = x.astype(float)
        y.reshape(-1)[where : where + 1] = value
        return y

    return change


def _read_only(x: np.ndarray) -> Any:
    y = x.copy()
    y.flags.writeable = False
    return y


def _masked(x: np.ndarray) -> Any:
    return np.ma.array(x, mask=np.arange(x.size).reshape(x.shape) == x.size - 1)


CHANGES: tuple[Callable[[np.ndarray], Any], ...] = (
    *(
        _set(value, where)
        for value in (math.nan, math.inf, -math.inf, HUGE, -HUGE, TINY, 0.0, -1.0)
        for where in (0, -1)
    ),
    _masked,
    _read_only,
    lambda x: np.asfortranarray(x),
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    lambda x: x[::-1] if x.ndim else x,
    lambda x: x.T,
    lambda x: x.tolist(),
    lambda x: tuple(x.tolist()) if x.ndim else x.item(),
    lambda x: x.astype(object),
    lambda x: x.astype(complex),
    lambda x: x.astype(bool),
    lambda x: x.astype(str),
    lambda x: x.astype(np.float16),
    lambda x: x.astype(np.float32),
    lambda x: (100 * x).astype(np.int8),
    lambda x: x.astype(">f8"),
    lambda x: x[None],
    lambda x: x.ravel()[:1],
    lambda x: x[..., :0] if x.ndim else x,
    lambda x: np.concatenate([x, x]) if x.ndim else x,
    lambda x: np.full(x.shape, HUGE),
    lambda x: np.full(x.shape, TINY),
    lambda x: x * 1e-308,
    lambda x: x * 1e300,
    lambda x: -x,
    lambda x: np.matrix(x) if x.ndim == 2 else x,
    lambda x: np.broadcast_to(x.ravel()[:1], (10**9,)),
)


def changed(value: Any, choose: random.Random) -> Any:
    """A hostile value in the place of a good one: often one that resembles it."""
    kind = choose.random()
    if isinstance(value, np.ndarray) and value.dtype == float and kind < 0.6:
        return choose.choice(CHANGES)(value)
    if isinstance(value, tuple) and hasattr(value, "_fields") and kind < 0.3:
        return choose.choice((tuple, list, lambda v: v._asdict(), lambda v: (v, v), lambda v: [v], repr))(value)
    if isinstance(value, list | tuple) and value and kind < 0.4:
        return choose.choice((lambda v: v[:-1], lambda v: [*v, None], lambda v: [changed(v[0], choose), *v[1:]]))(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and kind < 0.8:
        return choose.choice(NUMBERS)()
    return choose.choice(choose.choice((CONTAINERS, NUMBERS, ARRAYS)))()
