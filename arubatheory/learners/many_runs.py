r"""Many runs at once: an axis in front of arrays, one entry for each run.

What has that axis differs from run to run; what does not, or has one entry, is the same for all; results have it. A
NamedTuple has it in all of its arrays or in none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Part(NamedTuple):
    """An argument by its name: an array, a NamedTuple of arrays or None, and how many axes each has in one run."""

    name: str
    value: Any
    axes: tuple[int, ...]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Those of its arrays."""
        arrays = [self.value] if isinstance(self.value, np.ndarray) else self.value or ()
        return [x.shape for x in arrays if isinstance(x, np.ndarray)]

    @property
    def has_runs(self) -> bool:
        """Whether it differs from run to run."""
        return any(len(shape) > n for shape, n in zip(self.shapes, self.axes, strict=False))

    def run(self, k: int) -> Any:
        """What run k has."""
        return _map(lambda x: x[k % len(x)], self.value) if self.has_runs else self.value


def runs_in(parts: list[Part]) -> int | None:
    """How many runs the arguments have; None where there is no axis of runs.

    Raises ValueError naming the argument and its shapes where axes or numbers of runs differ, and for no runs.
    """
    many = [part for part in parts if part.has_runs]
    for part in many:
        if [len(shape) for shape in part.shapes] != [n + 1 for n in part.axes]:
            raise ValueError(f"{part.name} must have one axis of runs in all of its arrays, got shapes {part.shapes}")
    sizes = {shape[0] for part in many for shape in part.shapes}
    if len(sizes - {1}) > 1 or 0 in sizes:
        names, found = " and ".join(part.name for part in many), [part.shapes for part in many]
        raise ValueError(f"{names} must have the same number of runs in front, at least one, got shapes {found}")
    return max(sizes, default=None)


def in_a_row(values: list[Any]) -> Any:
    """The results of single runs, NamedTuples of arrays, with an axis of runs."""
    if isinstance(values[0], np.ndarray):
        return np.stack(values)
    return type(values[0])(*(in_a_row(list(parts)) for parts in zip(*values, strict=True)))


def only(value: Any) -> Any:
    """The only run of results with an axis of runs."""
    return _map(lambda x: x[0], value)


def _map(function: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return function(value)
    return type(value)(*(_map(function, x) for x in value)) if isinstance(value, tuple) else value
