"""A witness as plain text: short rationals as they are, long ones about so much, vectors and matrices in brackets."""

from __future__ import annotations

from arubatheory.report.plain import instance_lines, number

LONG = "-12345678901/5000000000"


def test_numbers() -> None:
    assert number("3/4") == "3/4"
    assert number(LONG) == "≈-2.46913578"
    assert number("2.41421356237309505 +/- 4.21e-19") == "≈2.414213562"
    assert number("undefined and long enough") == "undefined and long enough"


def test_parts() -> None:
    parts = {
        "n": 3,
        "x": {"number": LONG},
        "g": {"array": ["1", "-1/2"], "shape": [2]},
        "k": {"integers": [0, 2], "shape": [2]},
        "A": {"array": ["1", "0", "0", "1/2"], "shape": [2, 2]},
        "B": {"array": ["1"] * 8, "shape": [2, 2, 2]},
        "empty": {"array": [], "shape": [0]},
        "domain": {"type": "Domain", "fields": {"low": {"array": ["0"], "shape": [1]}}},
        "two": {"items": [{"number": "1"}, "text"]},
    }
    assert instance_lines(parts, "  ") == [
        "  n = 3",
        "  x = ≈-2.46913578",
        "  g = (1, -1/2)",
        "  k = (0, 2)",
        "  A = (1, 0; 0, 1/2)",
        "  B = (1, 1, 1, 1, 1, 1, 1, 1) of shape 2 × 2 × 2",
        "  empty = ()",
        "  domain: Domain",
        "    low = (0)",
        "  two:",
        "    0 = 1",
        "    1 = text",
    ]


def test_long_arrays_are_cut() -> None:
    (line,) = instance_lines({"g": {"array": ["1"] * 100, "shape": [100]}})
    assert line.endswith(" more)") and len(line) < 120
    (line,) = instance_lines({"G": {"array": ["1"] * 100, "shape": [10, 10]}})
    assert line.endswith(" more) of shape 10 × 10")
