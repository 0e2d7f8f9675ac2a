"""Files and words that mean harm: what every verb must answer with one line and an exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

WORDS = "\x1b[31mred\x07\x00 \u202edrow\u2066 \ud800 \ufffe [red]x[/red] :smile: <b>&amp;</b> $(id) `id` |"
"""Steers a terminal, reorders a line, is no character, no XML, is mark-up of rich, of HTML, of a shell, of Markdown."""

SOURCE = """
from typing import NamedTuple
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

class Box(NamedTuple):
    low: object
    count: int

def draw_all(draw):
    n = draw.integer(1, 3)
    parts = dict(x=draw.real(-1, 1), a=draw.real(-1, 1, (n, 2)), codes=draw.integers(0, 2, n), n=n)
    return Instance(**parts, flag=draw.boolean(), box=Box(draw.positive(-2, 2), n), pair=(draw.real(0, 1), "word"))

def sides(i):
    codes = sum(i.a[k % i.n, code % 2] ** 2 for k, code in enumerate(i.codes))
    return Sides(i.x * i.x + i.box.low, codes + i.pair[0] - i.box.count - int(i.flag))

GIVEN = (Assumption("x\\\\le 1", lambda i: 1 - i.x),)
S = Statement("my:all", "claim", "x^2\\\\le 0", draw_all, sides, assumptions=GIVEN)
"""
LABEL = "my:all"

RAW: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n",
    "nul": b"\0",
    "open object": b"{",
    "open string": b'{"label',
    "escaped quotes": b'"' + b'\\"' * 200_000,
    "many quotes": b'"a' * 200_001,
    "null": b"null",
    "true": b"true",
    "number": b"1",
    "nan": b"NaN",
    "string": b'"x"',
    "array": b"[]",
    "array of arrays": b"[[]]",
    "empty object": b"{}",
    "one field": b'{"label": "my:all"}',
    "no UTF-8": b'{"label": "\xff"}',
    "UTF-16": '{"label": "my:all"}'.encode("utf-16"),
    "half a pair": b'{"label": "\\ud800"}',
    "comment": b"// {}",
    "two values": b"{} {}",
    "python": b"{'label': 'my:all'}",
    "integer of 5000 digits": b'{"seed": ' + b"9" * 5000 + b"}",
    "deep arrays": b"[" * 100_000 + b"]" * 100_000,
    "deep open arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a little too deep": b"[" * 33 + b"]" * 33,
    "brackets after a string": b'["' + b"]" * 50 + b'",' + b"[" * 50 + b"]" * 50 + b"]",
    "long": b'"' + b"x" * (1 << 23) + b'"',
    "large": b" " * ((1 << 26) + 1),
}
KINDS: dict[str, Any] = {
    "null": None,
    "true": True,
    "float": 1.5,
    "integer": 7,
    "string": "x",
    "array": [1],
    "object": {"a": 1},
}
RIGHT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("label", "found_by", "digest", "lhs", "rhs", "measure", "certified", "note"), ("string",)),
    **dict.fromkeys(("seed", "bits"), ("integer",)),
    "ratio": ("null", "float", "integer"),
    **dict.fromkeys(("tape", "instance", "margins", "curve"), ()),
}
"""The fields of a witness, and which of the kinds above are right there."""

NUMBERS: tuple[Any, ...] = (
    *("1e99999999", "1e999999", "1E5", "nan", "inf", "-inf", "1/0", "0/0", "1/00", "0x10", "1_0", " 1", "1 ", "", "-"),
    *("--1", "+1", "1/-2", "1/2/3", "1.5", "\u0661", "9" * 1001, "1/" + "9" * 1001, "9" * 100_000, "1\n", "[1 +/- 2]"),
    *(5, 1.5, True, None, [], {}, ["1"], {"number": "1"}, 2**70),
)
SHAPES: tuple[Any, ...] = (
    [],
    [1],
    [-1],
    [2, 2],
    [2, -1],
    [2**70, 1],
    [1.0, 2],
    ["1", 2],
    "12",
    None,
    2,
    [1, 2, 1],
    [True, 2],
    [[1], 2],
)


def each(key: str, values: list[Any], **more: Any) -> list[Any]:
    """An object for each value of a key."""
    return [{key: value, **more} for value in values]


PARTS: dict[str, list[Any]] = {
    "x": [0, "1", None, [], {}, {"ball": "1 +/- 2"}, {"array": ["1"], "shape": [1]}, {"number": "1", "more": 1}],
    "a": [
        *each("array", ["12", ["1"], ["1", 2], ["1", None], [["1"], ["2"]], {}, None, 5], shape=[1, 2]),
        *({"integers": [1, 2], "shape": [1, 2]}, {"array": ["1", "2"]}, {"number": "1"}, [1, 2], "x"),
    ],
    "codes": [
        *each("integers", ["1", [2**70], [1.0], [True], ["1"], [None], [[1]], [], [7], None], shape=[1]),
        *({"array": ["1"], "shape": [1]}, {"integers": [1]}, 1),
    ],
    "n": [0, -1, 2, 10**9, 2**70, 1.0, True, "1", None, [], {"number": "1"}],
    "flag": [0, 1, None, "true", {}],
    "box": [
        *each("type", ["Box", "os.system", "Instance", "", None, [], {}, 1], fields={}),
        {"type": "Box", "fields": {"low": {"number": "1"}}},
        {"type": "Box", "fields": {"low": {"number": "1"}, "count": 1, "more": 1}},
        {"type": "Box", "fields": {"low": 1.0, "count": 1}},
        {"type": "Box", "fields": {"low": {"number": "1"}, "count": 2**70}},
        {"type": "Box", "fields": [1, 1]},
        {"type": "Box", "fields": {"low": {"items": []}, "count": {"items": "ab"}}},
        {"type": "Box"},
        {"fields": {}},
    ],
    "pair": each("items", ["ab", {}, None, 1, [], [{"number": "0"}], [{"number": "0"}, "other"], [[[]], "word"]]),
}
TAPES: list[Any] = [
    *({"integers": []}, {"units": []}, {}, {"integers": [], "units": [], "more": []}),
    *each("integers", ["1", [1.5], [True], [None], [[1]], {}, None], units=[]),
]
DRAWN: list[Any] = [
    *each("integers", [[], [2**70, 1, 1], [-1, 1, 1], [10**9, 1, 1], [1], [2, 0, 0, 0]], units=[0] * 5),
    *each("units", [[], [0], [-1] * 5, [2**24 + 1] * 5, [2**70] * 5, [0, 0, 0, 0, True]], integers=[1, 1, 1]),
]


def witnesses(good: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Name and content of hostile witness files, most of them a good one with one thing changed."""
    yield from RAW.items()
    for name, changed in edits(good):
        yield name, json.dumps(changed).encode()


def edits(good: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A good witness with one thing changed: a field, the draws, or the instance."""
    yield from fields(good)
    for tape in DRAWN:
        yield f"tape {tape}", {**good, "tape": tape}
    for name, instance in instances(good["instance"]):
        yield name, {**good, "instance": instance}


def fields(good: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A good witness with a field that has another kind, is missing or is one too many."""
    yield "one field more", {**good, "more": 1}
    for name in good:
        yield f"no {name}", {k: v for k, v in good.items() if k != name}
        for kind, value in KINDS.items():
            if kind not in RIGHT[name]:
                yield f"{name} {kind}", {**good, name: value}
    for curve in ([[1]], [[1, 2, 3]], [["1", 2]], [1, 2]):
        yield f"curve {curve}", {**good, "curve": curve}
    for tape in TAPES:
        yield f"tape {tape}", {**good, "tape": tape}


def instances(good: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The instance of a witness with one thing changed."""
    yield "another part", {**good, "y": 1}
    for name in good:
        yield f"no part {name}", {k: v for k, v in good.items() if k != name}
    for text in NUMBERS:
        yield f"number {str(text)[:20]}", {**good, "x": {"number": text}}
        yield f"entry {str(text)[:20]}", {**good, "a": {"array": [text, "1"], "shape": [1, 2]}}
    for shape in SHAPES:
        yield f"shape {shape}", {**good, "a": {"array": ["1", "2"], "shape": shape}}
    for name, values in PARTS.items():
        for value in values:
            yield f"{name} {str(value)[:40]}", {**good, name: value}


GOOD: dict[str, Any] = {
    "label": LABEL,
    "found_by": "check",
    "seed": 1,
    "digest": "d" * 16,
    "tape": {"integers": [1, 1, 1], "units": [0, 0, 0, 0, 0]},
    "instance": {
        "x": {"number": "-1"},
        "a": {"array": ["-1", "-1"], "shape": [1, 2]},
        "codes": {"integers": [1], "shape": [1]},
        "n": 1,
        "flag": True,
        "box": {"type": "Box", "fields": {"low": {"number": "1/4"}, "count": 1}},
        "pair": {"items": [{"number": "0"}, "word"]},
    },
    "lhs": "5/4",
    "rhs": "-1",
    "ratio": 2.25,
    "measure": "lhs-rhs",
    "certified": "violated",
    "bits": 0,
    "margins": {"x\\le 1": "2"},
    "note": "",
    "curve": [],
}
"""A witness of the statement above."""


def verdicts(good: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Name and content of hostile columns of a store: the text of a verdict, most of them a good one with one thing
    changed."""
    yield from ((name, data.decode("latin-1")) for name, data in RAW.items() if name not in ("large", "nul"))
    yield from {"blob": b"{}", "integer": 5, "bytes that are no text": "cast(x'ff' as text)"}.items()
    yield "another label", json.dumps({**good, "label": "clm:cdual"})
    yield "one field more", json.dumps({**good, "more": 1})
    right = {"string": ("label", "engine", "digest", "measure", "found_by", "kind", "error"), "integer": COUNTED}
    right |= {"null": ("worst_ratio", "simplest", "worst"), "float": ("worst_ratio", "seconds")}
    right["string"] += ("unproved",)
    right["object"] = ("uncounted",)
    for name in good:
        if name not in LATE:
            yield f"no {name}", json.dumps({k: v for k, v in good.items() if k != name})
        for kind, value in KINDS.items():
            number = kind == "integer" and name in right["float"]
            if name not in right.get(kind, ()) and not number and (name, kind) != ("histogram", "array"):
                yield f"{name} {kind}", json.dumps({**good, name: value})
    for name, changed in fields(GOOD):
        if name != "instance object":  # which may hold any part
            yield f"its {name}", json.dumps({**good, "worst": changed})


LATE = ("proofs", "unproved", "uncounted", "reach")  # fields that a verdict of earlier sources has not
COUNTED = ("seed", "budget", "trials", "evaluations", "ties", "overruled")

HEAD = "label,kind,status,worst_ratio,trials,found_by,witness,note,engines,budget,seed"
ROW = "clm:scmin,claim,{},{},{},check,{},{},{},{},{}"


def row(*cells: str) -> str:
    """A row of a ledger; what is not given is in order."""
    right = ["SURVIVED", "0.5", "120", "", "a note", "check search", "quick", "0"]
    return ROW.format(*cells, *right[len(cells) :])


LEDGERS: dict[str, tuple[bytes, str]] = {
    name: (text if isinstance(text, bytes) else f"{HEAD}\n{text}\n".encode(), said)
    for name, text, said in (
        ("empty", b"", "has no column label, kind"),
        ("no column", b"label,status\n", "has no column kind"),
        ("binary", bytes(range(256)), "can't decode"),
        ("no UTF-8", f"{HEAD}\n{row()}".encode() + b"\xff\n", "can't decode byte 0xff"),
        ("UTF-16", HEAD.encode("utf-16"), "can't decode"),
        ("nul", b"\0" * 10, "has no column label"),
        ("field of 200 kB", row("SURVIVED", "0.5", "120", "", "x" * 200_000), "row 1: field larger than field limit"),
        ("open quote", row("SURVIVED", "0.5", "120", "", '"x') + "\n" + "x" * 200_000, "row 1: field larger than"),
        ("status", row("DOUBTED"), "row 1: clm:scmin has the unknown status 'DOUBTED'"),
        ("proved by nobody", row("PROVED"), "row 1: clm:scmin is PROVED and proved ''"),
        ("no status", row(""), "unknown status ''"),
        ("ratio", row("REFUTED", "x"), "row 1: could not convert string to float: 'x'"),
        ("trials", row("REFUTED", "2", "-1"), "row 1: trials must be an integer >= 0, got '-1'"),
        ("trials of words", row("REFUTED", "2", "many"), "trials must be an integer >= 0, got 'many'"),
        ("a path", row("REFUTED", "2", "1", "../../x"), "witness must be the name of a file, got '../../x'"),
        ("an absolute path", row("REFUTED", "2", "1", "/etc/passwd"), "got '/etc/passwd'"),
        ("engine", row("REFUTED", "2", "1", "", "", "prayer"), "engine must be one of check, search, rate, simulate, "),
        ("one engine of two", row("REFUTED", "2", "1", "", "", "check prayer"), "got 'prayer'"),
        (
            "budget",
            row("REFUTED", "2", "1", "", "", "check", "enormous"),
            "budget must be one of quick, standard, deep",
        ),
        ("no budget", row("REFUTED", "2", "1", "", "", "check", ""), "or a positive integer, got ''"),
        ("budget 0", row("REFUTED", "2", "1", "", "", "check", "0"), "or a positive integer, got 0"),
        ("budget of no engine", row("REFUTED", "2", "1", "", "", "", "x"), "or a positive integer, got 'x'"),
        ("budget of 5000 digits", row("REFUTED", "2", "1", "", "", "check", "9" * 5000), "row 1: "),
        ("seed", row("REFUTED", "2", "1", "", "", "check", "quick", "x"), "seed must be an integer >= 0, got 'x'"),
        ("seed below 0", row("REFUTED", "2", "1", "", "", "check", "quick", "-1"), "seed must be an integer >= 0"),
        ("too few cells", "clm:scmin,claim,REFUTED", "row 1: a row must have as many cells as the head"),
        ("too many cells", row() + ",more", "row 1: a row must have as many cells as the head"),
        ("twice", f"{row()}\n{row()}", "clm:scmin has two rows"),
        ("the second row", f"{row()}\nclm:cdual", "row 2: a row must have as many cells as the head"),
        ("control characters", row("\x1b[31m\u202e"), "unknown status"),
    )
}
