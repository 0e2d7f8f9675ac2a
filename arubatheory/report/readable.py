r"""Numbers of a witness for the eye: in few digits, the exact ones in a hover or one file away."""

from __future__ import annotations

import html
import re
from fractions import Fraction

LENGTH = 16  # a rational of at most this many characters is shown as it is
SHOWN = 24  # entries of an array that are shown


def number(text: str) -> str:
    """HTML of a rational or a ball as `show` writes it: itself if short, else 10 digits, exact in `title`."""
    value = approximation(text)
    if value is None:
        return html.escape(text)
    if len(text) > LENGTH:
        return f'<span title="{html.escape(_cut(text), quote=True)}">≈ {value}</span>'
    return html.escape(text) + (f' <span class="small">≈ {value}</span>' if _long_division(text) else "")


def _cut(text: str) -> str:
    return text if len(text) <= 120 else text[:120] + " …"


def _long_division(text: str) -> bool:
    """Whether a decimal helps: 1/2 speaks for itself, 4093/3127 does not."""
    bottom = text.partition("/")[2]
    return len(bottom) > 1


def approximation(text: str) -> str | None:
    """A rational or a ball in ten digits, a power of ten where a double has none; None for any other text."""
    try:
        return _digits(Fraction(text))
    except (ValueError, ZeroDivisionError):
        ball = re.match(r"(-?[\d.]+)(?:[eE]([-+]?\d+))? \+/-", text)
        return _scientific(ball[1], int(ball[2] or 0)) if ball else None


def _scientific(digits: str, exponent: int) -> str:
    """digits * 10^exponent; the power alone where a double has none."""
    if abs(exponent) > 300:
        sign, places = "-" if digits.startswith("-") else "", len(digits.lstrip("-").partition(".")[0])
        return f"{sign}10^{exponent + places - 1}"
    return _digits(Fraction(digits) * Fraction(10) ** exponent)


def _digits(value: Fraction) -> str:
    try:
        return f"{float(value):.10g}"
    except OverflowError:
        # log10(2) = 0.30103: the number of binary digits says how many decimal ones there are, but for the last
        octaves = abs(value.numerator).bit_length() - value.denominator.bit_length()
        return f"{'-' if value < 0 else ''}10^{int(octaves * 0.30103)}"
