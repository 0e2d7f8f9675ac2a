r"""Losses as functions: the value and the gradient of each round, from Python, numba or scipy-style callables.

Round t is $\ell_t(x) = value(x, *data_t)$ with the t-th entry of each array of `data`: arguments after the point, as
`scipy.optimize` hands over `args`. With no data of their own, rounds are told apart by their number:

>>> import numpy as np
>>> rounds = Rounds(lambda x, t: float(np.sum((x - t) ** 2)), lambda x, t: 2 * (x - t), np.arange(3))
>>> count(rounds), rounds.value(np.array([1.0]), 2)
(3, 1.0)

Sequences of functions of the point alone are one for each round. With `gradient=True` the value comes with its
gradient, a pair, as scipy's `jac=True` has it; with `gradient=None` there is none: such losses can be summed and
minimised, not played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import is_kernel, on
from arubatheory.problems import losses as problem
from arubatheory.problems.losses import Losses
from arubatheory.problems.numbers import as_dimension, as_numbers, spread
from arubatheory.problems.own.steps import answer, number


class Rounds:
    r"""m losses on $\mathbb R^d$ by functions `value(x, *data)` and `gradient(x, *data)`, or sequences of m of each.

    `data` are arrays or sequences of length m. `lipschitz` is $G$, in the dual of the norm that a learner's R is
    1-strongly convex in, and `curvature` the $\alpha$ of strong convexity, numbers or (m,); nothing checks either.
    With a `dimension` d, points of another are refused.

    Raises TypeError for what cannot be called, ValueError for no rounds, lengths that differ and bad numbers.
    """

    def __init__(
        self,
        value: Callable[..., Any] | Sequence[Callable[..., Any]],
        gradient: Callable[..., Any] | Sequence[Callable[..., Any]] | bool | None,
        *data: Any,
        lipschitz: Any = None,
        curvature: Any = None,
        dimension: int | None = None,
    ) -> None:
        if not data and isinstance(value, Sequence):
            value, gradient, data = _by_number(value, gradient)
        for name, function in (("value", value), ("gradient", gradient)):
            if not callable(function) and not (name == "gradient" and (function is None or function is True)):
                raise TypeError(f"{name} must be a function, or a sequence of one for each round, got {function!r}")
        self._value, self._gradient, self.data = value, gradient, tuple(map(_column, data))
        lengths = [len(column) for column in self.data]
        if not lengths or min(lengths) < 1 or max(lengths) > min(lengths):
            raise ValueError(
                f"data must hold one entry for each of at least one round, got arrays of lengths {lengths}"
            )
        self.dimension = None if dimension is None else as_dimension(dimension)
        self.lipschitz = _constants("lipschitz", lipschitz, lengths[0])
        self.curvature = _constants("curvature", curvature, lengths[0])

    def __len__(self) -> int:
        return len(self.data[0])

    def __repr__(self) -> str:
        return f"Rounds({self._value!r}, {self._gradient!r}) of {len(self)} rounds"

    @property
    def is_compiled(self) -> bool:
        """Whether value and gradient are compiled functions."""
        return is_kernel(self._value) and is_kernel(self._gradient)

    def row(self, t: int) -> tuple[Any, ...]:
        """The data of round t."""
        return tuple(column[t] for column in self.data)

    def _told(self, function: Any, x: Array, t: int) -> Any:
        if self.dimension not in (None, x.size):
            raise ValueError(f"x must have {self.dimension} entries for these losses, got {x.size}: {x!r}")
        return function(x.copy(), *self.row(t))

    def value(self, x: Array, t: int) -> Any:
        r"""$\ell_t(x)$; ValueError or TypeError naming the round where the answer is not one finite number."""
        if self._gradient is True:
            return self.observe(x, t)[0]
        return number(f"value in round {t}", self._told(self._value, x, t), is_exact(x))

    def observe(self, x: Array, t: int) -> tuple[Any, Array]:
        r"""$\ell_t(x)$ and $\nabla\ell_t(x)$ (d,); as `value`, and ValueError where there is no gradient."""
        if self._gradient is None:
            raise ValueError(f"losses must have a gradient to be played, got {self!r}")
        if self._gradient is not True:
            slope = self._told(self._gradient, x, t)
            return self.value(x, t), answer(f"gradient in round {t}", slope, x)
        told = self._told(self._value, x, t)
        if not isinstance(told, tuple) or len(told) != 2:
            raise ValueError(f"value in round {t} must be a pair (value, gradient), got {told!r}")
        return number(f"value in round {t}", told[0], is_exact(x)), answer(f"gradient in round {t}", told[1], x)

    def part(self, start: int, stop: int) -> Rounds:
        """Rounds start, ..., stop - 1."""
        kept = [None if x is None else x[start:stop] for x in (self.lipschitz, self.curvature)]
        data = [column[start:stop] for column in self.data]
        return self._like(data, *kept)

    def _like(self, data: Sequence[Any], lipschitz: Any, curvature: Any) -> Rounds:
        """Other rounds of the same functions."""
        named = {"lipschitz": lipschitz, "curvature": curvature, "dimension": self.dimension}
        return Rounds(self._value, self._gradient, *data, **named)


class _Numbered:
    """Functions of the point alone, told apart by the number of their round; pickles where they do."""

    def __init__(self, functions: Sequence[Callable[..., Any]]) -> None:
        self.functions = tuple(functions)

    def __call__(self, x: Array, t: Any) -> Any:
        return self.functions[int(t)](x)


def _by_number(value: Sequence[Callable[..., Any]], gradient: Any) -> tuple[Any, Any, tuple[Array]]:
    for name, given in (("value", value), ("gradient", gradient)):
        if isinstance(given, Sequence) and not all(map(callable, given)):
            raise TypeError(f"{name} must hold functions, got {given!r}")
    if isinstance(gradient, Sequence):
        if len(gradient) != len(value):
            raise ValueError(f"gradient must hold {len(value)} functions, as value does, got {len(gradient)}")
        gradient = _Numbered(gradient)
    return _Numbered(value), gradient, (np.arange(len(value)),)


def _column(values: Any) -> Any:
    """An array with a leading axis, or a list where entries differ in shape or are no numbers."""
    if not hasattr(values, "__len__") or isinstance(values, str | dict):
        raise TypeError(f"data must be arrays or sequences with one entry for each round, got {values!r}")
    try:
        array = np.ascontiguousarray(values)
    except (TypeError, ValueError):
        return list(values)
    return list(values) if array.dtype == object else array


def _constants(name: str, value: Any, m: int) -> Array | None:
    """Numbers >= 0, one for each round."""
    if value is None:
        return None
    given = as_numbers(name, value)
    if not np.all(given >= 0):
        raise ValueError(f"{name} must be >= 0, got {value!r}")
    return spread(name, given, (m,))


AnyLosses = Losses | Rounds


# losses of either kind -----------------------------------------------------------------------------------------------
def count(losses: AnyLosses) -> int:
    """The number m of rounds."""
    return len(losses) if isinstance(losses, Rounds) else len(losses.b)


def observe(losses: AnyLosses, t: int, x: Array) -> tuple[Any, Array]:
    r"""$\ell_t(x)$ and the subgradient that is played there (d,)."""
    if isinstance(losses, Rounds):
        return losses.observe(x, t)
    g = np.empty_like(x)
    return on(problem.observe, x)(losses, t, x, g), g


def total(losses: Rounds, x: Array) -> Any:
    r"""$\sum_t \ell_t(x)$."""
    return sum((losses.value(x, t) for t in range(len(losses))), 0 * x[0])


def stack(parts: Sequence[Rounds]) -> Rounds:
    """The rounds of `parts` in a row; constants that only some have are nobody's. TypeError for others."""
    for part in parts:
        if not isinstance(part, Rounds):
            raise TypeError(f"parts must be all Rounds or all Losses, got {part!r}")
    shared = {(part._value, part._gradient, len(part.data), part.dimension) for part in parts}
    kept = [_joined([getattr(part, name) for part in parts]) for name in ("lipschitz", "curvature")]
    if len(shared) == 1:
        data = [
            [entry for column in columns for entry in column] for columns in zip(*(p.data for p in parts), strict=True)
        ]
        return parts[0]._like(data, *kept)
    places = [(k, t) for k, part in enumerate(parts) for t in range(len(part))]
    with_gradient = all(part._gradient is not None for part in parts)
    told = _Parts(parts, with_gradient), True if with_gradient else None
    d = max((part.dimension for part in parts if part.dimension), default=None)
    return Rounds(*told, *zip(*places, strict=True), lipschitz=kept[0], curvature=kept[1], dimension=d)


class _Parts:
    """What round t of part k tells."""

    def __init__(self, parts: Sequence[Rounds], with_gradient: bool) -> None:
        self.parts, self.with_gradient = tuple(parts), with_gradient

    def __call__(self, x: Array, k: Any, t: Any) -> Any:
        part = self.parts[int(k)]
        return part.observe(x, int(t)) if self.with_gradient else part.value(x, int(t))


def _joined(columns: Sequence[Array | None]) -> Array | None:
    held = [column for column in columns if column is not None]
    return np.concatenate(held) if len(held) == len(columns) else None
