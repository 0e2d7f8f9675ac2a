r"""Parameters as people keep them: one array, or nested lists, tuples and dicts of arrays, in float32 or float64."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.numbers import as_items

Leaves = list[tuple[str, Array]]
LISTS = (list, tuple)  # as a union it would be made anew in every call, for every leaf
NESTED = (dict, *LISTS)


def leaves(name: str, tree: Any, like: Any) -> list[tuple[str, Any]]:
    """What a tree holds in the order of `like`, each with what it is called; ValueError if the structures differ."""
    if isinstance(like, dict):
        if not isinstance(tree, dict) or set(tree) != set(like):
            raise ValueError(f"{name} must be a dict with the keys {list(like)}, got {_described(tree)}")
        parts = [(f"{name}[{key!r}]", tree[key], part) for key, part in like.items()]
    elif isinstance(like, LISTS):
        if not isinstance(tree, LISTS) or len(tree) != len(like):
            raise ValueError(f"{name} must be a list or tuple of {len(like)}, got {_described(tree)}")
        parts = [(f"{name}[{i}]", tree[i], part) for i, part in enumerate(like)]
    elif isinstance(tree, NESTED):
        raise ValueError(f"{name} must be an array, got {_described(tree)}")
    else:
        return [(name, tree)]
    return [leaf for part in parts for leaf in leaves(*part)]


def rebuilt(like: Any, arrays: Iterator[Any]) -> Any:
    """The structure of `like` with other arrays, in the order of `leaves`."""
    if isinstance(like, dict):
        return {key: rebuilt(part, arrays) for key, part in like.items()}
    if isinstance(like, list | tuple):
        parts = [rebuilt(part, arrays) for part in like]
        return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)
    return next(arrays)


def _described(tree: Any) -> str:
    """A few words instead of all the numbers of a network."""
    if isinstance(tree, dict):
        return f"a dict with the keys {list(tree)}"
    return f"a {type(tree).__name__} of {len(tree)}" if isinstance(tree, list | tuple) else f"a {type(tree).__name__}"


class Shapes:
    """What every call must bring: the structure, shapes and dtypes of the parameters."""

    def __init__(self, params: Any) -> None:
        found = [(name, as_items(name, x)) for name, x in leaves("params", params, params)]
        for name, x in found:
            if x.dtype not in (np.float32, np.float64):
                raise TypeError(f"{name} must be in float32 or float64, got dtype {x.dtype}")
        self.like = [(x.shape, x.dtype) for _, x in found]
        self.size = sum(x.size for _, x in found)
        if self.size == 0:
            raise ValueError(f"params must hold at least one number, got {params!r}")
        self.tree = rebuilt(params, itertools.repeat(None))
        self.limit = min(float(np.finfo(dtype).max) for _, dtype in self.like) / 4
        self.tiny = max(float(np.finfo(dtype).tiny) for _, dtype in self.like)

    def check(self, name: str, tree: Any, writable: bool = False) -> Leaves:
        """The arrays of `tree`, flat; TypeError or ValueError if they are not like the parameters."""
        given = leaves(name, tree, self.tree)
        found = []
        for (leaf, original), (shape, dtype) in zip(given, self.like, strict=True):
            x = original if type(original) is np.ndarray else as_items(leaf, original)
            if x.shape != shape:
                raise ValueError(f"{leaf} must have shape {shape}, got {x.shape}")
            if x.dtype != dtype:
                raise TypeError(f"{leaf} must be in {dtype}, got dtype {x.dtype}")
            found.append((leaf, x))
        for (leaf, x), (_, original) in zip(found, given, strict=True) if writable else ():
            if not (x.flags.c_contiguous and x.flags.writeable):
                raise ValueError(f"{leaf} must be C-contiguous and writable, got strides {x.strides}")
            if x is not original and x.flags.owndata:
                raise TypeError(f"{leaf} must be an array that can be written to, got a {type(original).__name__}")
        return [(leaf, x.reshape(-1)) for leaf, x in found]

    def check_finite(self, found: Leaves) -> None:
        """ValueError that names the first number of `check`ed arrays which is not finite, if there is one."""
        for (leaf, x), (shape, _) in zip(found, itertools.cycle(self.like), strict=False):
            bad = ~np.isfinite(x)
            if bad.any():
                at = int(np.argmax(bad))
                where = "".join(f"[{i}]" for i in np.unravel_index(at, shape))
                raise ValueError(f"{leaf}{where} must be finite, got {float(x[at])!r}")

    def rebuilt(self, flat: list[Array]) -> Any:
        """Flat arrays in the structure and shapes of the parameters."""
        return rebuilt(self.tree, (x.reshape(shape) for x, (shape, _) in zip(flat, self.like, strict=True)))
