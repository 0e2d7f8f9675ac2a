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
        "both": {"items": [{"array": ["1"], "shape": [1]}, 2]},
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
        "  two = (1, text)",
        "  both:",
        "    0 = (1)",
        "    1 = 2",
    ]


def test_numbers_of_a_list_that_do_not_matter_say_so() -> None:
    assert instance_lines({"y": {"items": [1, {"number": "1/2"}]}}, free={"y[1]"}) == ["y = (1, any)"]


def test_long_arrays_are_cut() -> None:
    numbers = [str(k) for k in range(100)]
    (line,) = instance_lines({"g": {"array": numbers, "shape": [100]}})
    assert line.endswith(" more)") and len(line) < 120
    (line,) = instance_lines({"G": {"array": numbers, "shape": [10, 10]}})
    assert line.endswith(" more) of shape 10 × 10")


def test_of_many_rows_that_repeat_those_of_a_period_are_shown() -> None:
    """Never of those that only look alike in ten digits."""
    long = [f"{10**20 + k}/{3 * 10**20}" for k in range(9)]
    parts = {
        "g": {"array": ["1/2"] * 7, "shape": [7]},
        "few": {"array": ["1/2"] * 6, "shape": [6]},
        "h": {"integers": [1, -1] * 4 + [1], "shape": [9]},
        "A": {"array": ["1", "0", "0", "1"] * 20, "shape": [40, 2]},
        "alike": {"array": long, "shape": [9]},
    }
    g, few, h, A, alike = instance_lines(parts)
    assert [g, few] == ["g = (1/2, … 7 in turn)", "few = (1/2, 1/2, 1/2, 1/2, 1/2, 1/2)"]
    assert [h, A] == ["h = (1, -1, … 9 in turn)", "A = (1, 0; 0, 1; … 40 in turn)"]
    assert alike == f"alike = ({', '.join(['≈0.3333333333'] * 9)})"
