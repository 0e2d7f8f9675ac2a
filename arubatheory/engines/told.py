r"""How many numbers of an encoded instance have to be told.

What repeats is told once: an array of equal numbers is one number, and so is a row of them; of rows (or numbers) that
repeat with a period of at most `PERIOD`, twice or more, those of a period count; of a diagonal matrix its diagonal; an
array that has stood there before (a comparator at the start) is one. Sizes, choices and integers are no numbers.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from typing import Any

PERIOD = 3  # rows, after which an array may repeat
Place = tuple[str | int, ...]  # the keys that lead to a number


def arrays_of(data: Any, path: Place = ()) -> Iterator[tuple[list[Place], Sequence[int]]]:
    """The places of the rational numbers of each array with its shape, and of each number by itself with none."""
    if isinstance(data, dict) and "number" in data:
        yield [(*path, "number")], ()
    elif isinstance(data, dict) and "array" in data:
        if data["array"] and not any("[" in x or "+/-" in x for x in data["array"]):
            yield [(*path, "array", k) for k in range(len(data["array"]))], data.get("shape", [len(data["array"])])
    elif isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from arrays_of(value, (*path, key))


def at(data: Any, place: Place) -> Any:
    """What stands at a place."""
    for key in place:
        data = data[key]
    return data


def told(data: Any, free: Container[Place] = ()) -> int:
    """How many numbers of the encoded instance have to be told, besides those that are `free`."""
    count, seen = 0, set[tuple[str | None, ...]]()
    for places, shape in arrays_of(data):
        entries = tuple(None if place in free else str(at(data, place)) for place in places)
        count += min(_told(entries, shape), 1 if len(entries) > 1 and entries in seen else len(entries))
        seen.add(entries)
    return count


def _told(entries: Sequence[str | None], shape: Sequence[int]) -> int:
    known = [x for x in entries if x is not None]
    if len(set(known)) <= 1:
        return len(set(known))
    n, width = shape[0], len(entries) // shape[0]
    if len(shape) == 2 and n == width and all(x in ("0", None) for k, x in enumerate(entries) if k % (n + 1)):
        return _told(entries[:: n + 1], (n,))
    rows = [entries[i * width : (i + 1) * width] for i in range(n)]
    return sum(_told(row, shape[1:] or (1,)) for row in rows[: period(rows)])


def period(rows: Sequence[Any]) -> int:
    """After how many rows they repeat; all of them where they do not, twice or more."""
    n = len(rows)
    return next((p for p in range(1, PERIOD + 1) if 2 * p <= n and rows[p:] == rows[:-p]), n)


def written(draws: int, data: Any) -> tuple[int, int, int]:
    """How much it takes to write an encoded instance of so many draws down: draws and numbers that have to be told,
    numbers, characters."""
    return draws + told(data), sum(len(places) for places, _ in arrays_of(data)), len(json.dumps(data))
