"""Numbers of a witness, as its article shows them."""

from __future__ import annotations

import pytest

from arubatheory.report.article import number


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("3/4", "3/4"),
        ("4093/3127", '4093/3127 <span class="small">≈ 1.30892229</span>'),
        ("1267650600228229401496703205376", '<span title="1267650600228229401496703205376">≈ 1.2676506e+30</span>'),
        ("1.41421356237309504 +/- 6e-31", '<span title="1.41421356237309504 +/- 6e-31">≈ 1.414213562</span>'),
        ("undefined", "undefined"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_numbers_for_the_eye(exact: str, shown: str) -> None:
    assert number(exact) == shown


def test_huge_numbers_do_not_break_the_page() -> None:
    assert "≈" in number("7" * 400)
    assert number("1" + "0" * 5000)


def test_numbers_far_outside_the_range_of_a_double_are_powers_of_ten() -> None:
    assert "≈ 10^5001<" in number("12.5e+5000 +/- 1.0e+4000") + "<"
    assert "≈ -10^-5000<" in number("-1.5e-5000 +/- 1.0e-6000") + "<"
    assert "≈ 10^3010<" in number(f"{2**10000}")
