"""What a function's annotations promise, checked where it is called: `typed` over the functions that users call."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import itertools
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from arubatheory.arithmetic import ArrayLike
from arubatheory.problems.numbers import shown

F = TypeVar("F", bound=Callable[..., Any])
Classes = tuple[type, ...]
CLASSES: dict[Any, Classes] = {int: (int, np.integer), bool: (bool, np.bool_)}
WORDS = {int: "an integer", bool: "True or False", str: "a string", type(None): "None"}
NUMBERS = (Any, float, complex, np.ndarray, ArrayLike)  # the readers of `numbers` look at these


class Reader(NamedTuple):
    """What looks at the argument of one parameter: the classes that it may have, and those of what a sequence holds."""

    name: str
    hint: Any
    classes: tuple[type, ...]
    held: tuple[type, ...]

    def by_class(self) -> bool:
        """Whether the class of a value tells whether it fits."""
        return not self.held and not any(getattr(kind, "_is_protocol", False) for kind in self.classes)

    def read(self, value: Any) -> Any:
        """The value itself, an integer of numpy as an int; or the TypeError that names both."""
        fits = isinstance(value, self.classes) and not isinstance(value, np.ndarray)
        fits = fits and (bool in self.classes or not isinstance(value, bool))
        if not fits or (self.held and not all(isinstance(x, self.held) for x in value)):
            raise TypeError(f"{self.name} must be {_in_words(self.hint)}, got {shown(value)}")
        return int(value) if isinstance(value, np.integer) else value


def typed(function: F) -> F:
    """`function`, which refuses an argument that is not what its annotation names: a TypeError has the name and the
    value.

    Classes, text, integers, truth values, functions, and what sequences of one class hold are checked. Numbers and
    arrays are not, which the readers of `numbers` do. An integer of numpy becomes an int: its products do not overflow.
    """

    fine = set[tuple[Any, ...]]()  # what the arguments of calls were that had nothing to be read one by one

    @functools.wraps(function)
    def checked(*args: Any, **named: Any) -> Any:
        met = (*map(type, args), *named, *map(type, named.values())) if named else tuple(map(type, args))
        if met in fine:
            return function(*args, **named)
        given, clean = list(args), True
        for place, reader in _readers(function):
            held: Any = given if place < len(args) else named
            key = place if held is given else reader.name
            if held is given or key in named:
                value, held[key] = held[key], reader.read(held[key])
                clean = clean and reader.by_class() and held[key] is value
        if clean:
            fine.add(met)
        return function(*given, **named)

    return checked  # type: ignore[return-value]


@functools.cache
def _readers(function: Callable[..., Any]) -> list[tuple[int, Reader]]:
    """The parameters whose arguments are looked at, with their places."""
    hints = typing.get_type_hints(function)
    names = inspect.signature(function).parameters
    found = [Reader(name, hints.get(name, Any), *_classes(hints.get(name, Any))) for name in names]
    return [(place, reader) for place, reader in enumerate(found) if reader.classes]


def _classes(hint: Any) -> tuple[Classes, Classes]:
    """The classes that an annotation names, () for whatever, and those of what a sequence holds."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in NUMBERS or isinstance(hint, TypeVar):
        return (), ()
    if origin in (types.UnionType, typing.Union):
        parts = [_classes(part)[0] for part in inner]
        return (tuple(itertools.chain(*parts)) if all(parts) else ()), ()
    if origin is None:
        return CLASSES.get(hint, (hint,)), ()
    return (origin,), (_classes(inner[0])[0] if origin is collections.abc.Sequence else ())


def _in_words(hint: Any) -> str:
    """What an annotation asks for."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(map(_in_words, inner))
    if getattr(hint, "_is_protocol", False):
        return f"an object with {', '.join(name for name in vars(hint) if not name.startswith('_'))}"
    name = getattr(origin or hint, "__name__", str(hint))
    held = typing.get_args(inner[0]) or inner[:1] if origin is collections.abc.Sequence else ()
    if held and all(isinstance(kind, type) for kind in held):
        return f"a sequence of {' or '.join(kind.__name__ for kind in held)}"
    return WORDS.get(hint) or f"a{'n' * (name[0] in 'AEIO')} {name}"
