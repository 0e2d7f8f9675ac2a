r"""What others wrote: files, JSON and numbers, refused before they cost anything, and shown as nothing but text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from enum import EnumMeta
from fractions import Fraction
from functools import cache
from itertools import accumulate
from pathlib import Path
from reprlib import Repr
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

LARGEST = 1 << 26  # bytes of a file
LONGEST = 1 << 23  # characters of a JSON text
DEEPEST = 32  # brackets within brackets of one
DIGITS = 1000  # of the numerator, and of the denominator, of a number
WORDS = {str: "a string", int: "an integer", float: "a number", dict: "an object", list: "an array", tuple: "an array"}
short = Repr().repr  # a value as an error names it, however large it is
RATIONAL = re.compile(rf"-?[0-9]{{1,{DIGITS}}}(/[0-9]{{1,{DIGITS}}})?")
STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.S)  # an open one ends with the text: nothing is looked at twice
# Control characters, marks that reorder a line or hide in it, halves of a pair, and what XML may not hold.
UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


class RecordError(ValueError):
    """A file on record (a witness, a table, the index of figures) cannot be read; the message names it and says why."""


def read_text(path: Path) -> str:
    """The text of a file. Raises RecordError for one that is too large, no file or not UTF-8, FileNotFoundError for
    none."""
    try:
        if path.exists() and not path.is_file():  # a pipe would wait for its writer
            raise ValueError("it is not a regular file")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot read {path}: {error}") from error


def read_rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Where each row of a table with tabs stands, and its cells. Raises ValueError, naming the file and the line, for
    other columns, cells that are too many or too few, or control characters."""
    head, *lines = read_text(path).replace("\r\n", "\n").rstrip("\n").split("\n")
    if tuple(head.split("\t")) != columns:
        raise ValueError(f"{path.name} must have the columns {columns}, got {tuple(head.split(chr(9)))}")
    for number, line in enumerate(lines, start=2):
        at, cells = f"{path.name}, line {number}", line.split("\t")
        if visible(line) != line:
            raise ValueError(f"{at}: a row must hold no control characters, got {line!r}")
        if len(cells) != len(columns):
            raise ValueError(f"{at}: a row must have {len(columns)} cells, got {len(cells)}")
        yield at, cells


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError for one that is too long, too deep or none."""
    if len(text) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} characters")
    if text.count("[") + text.count("{") > DEEPEST:
        brackets = re.sub(r"[^][{}]+", "", STRING.sub("", text))
        if max(accumulate((1 if c in "[{" else -1 for c in brackets), initial=0)) > DEEPEST:
            raise ValueError(f"its brackets are nested more than {DEEPEST} deep")
    return json.loads(text)


def check(value: Any, kind: Any, name: str, otherwise: str = "") -> None:
    """Raises ValueError, naming the place, where a value of a JSON text is not of a kind: a string, a number, lists and
    objects of kinds, a member of an enumeration, a dataclass by its fields, one of two."""
    if _test(kind)(value):
        return
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if isinstance(origin, EnumMeta):
        raise ValueError(f"{name} must be one of {', '.join(origin)}, got {short(value)}")
    if origin is UnionType:
        return check(value, inner[0], name, " or null")
    if is_dataclass(origin):
        return _check_fields(value, _fields_of(kind), name)
    if origin is dict and isinstance(value, dict):
        for key, entry in value.items():
            check(entry, inner[1], f"{name}.{key}")
    elif origin in (list, tuple) and isinstance(value, list):
        for i, entry in enumerate(value):
            check(entry, _entry(inner), f"{name}[{i}]")
    raise ValueError(f"{name} must be {WORDS[origin]}{otherwise}, got {short(value)}")


def _check_fields(value: Any, kinds: dict[str, Any], name: str) -> None:
    check(value, dict[str, Any], name or "it")
    inside = f"{name}." if name else ""
    for key in [*value, *kinds]:
        if key not in kinds:
            raise ValueError(f"{inside}{key} is no field of it")
        if key not in value:
            raise ValueError(f"{inside}{key} is missing")
        check(value[key], kinds[key], inside + key)


def _entry(inner: tuple[Any, ...]) -> Any:
    """The kind of what a list holds: null is a number that is not finite."""
    return float | None if inner[0] is float else inner[0]


@cache
def _fields_of(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _test(kind: Any) -> Callable[[Any], bool]:
    """Whether a value of a JSON text is of a kind, and nothing about where it is not."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is Any:
        return lambda value: True
    if isinstance(origin, EnumMeta):
        members = frozenset(map(str, origin))
        return lambda value: type(value) is str and value in members
    if is_dataclass(origin):
        tests = {name: _test(one) for name, one in _fields_of(kind).items()}
        return lambda value: (
            type(value) is dict
            and value.keys() == tests.keys()
            and all(test(value[name]) for name, test in tests.items())
        )
    if origin is UnionType:
        test = _test(inner[0])
        return lambda value: value is None or test(value)
    if origin is dict:
        test = _test(inner[1])
        return lambda value: type(value) is dict and all(map(test, value.values()))
    if origin in (list, tuple):
        test = _test(_entry(inner))
        return lambda value: type(value) is list and all(map(test, value))
    return lambda value: type(value) is origin or (origin is float and type(value) is int)


def rational(text: Any) -> Fraction:
    """The number that a text p or p/q says. Raises ValueError for any other text, and for more than `DIGITS` digits."""
    if not isinstance(text, str) or not RATIONAL.fullmatch(text) or re.search(r"/0+$", text):
        raise ValueError(f"{short(text)} is not a rational number p/q of at most {DIGITS} digits each")
    return Fraction(text)


def visible(text: str) -> str:
    """A text with what cannot be seen as its code, line breaks and tabs apart."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def line(text: str) -> str:
    """The same in one line."""
    return visible(text).replace("\n", " ").replace("\t", " ")
