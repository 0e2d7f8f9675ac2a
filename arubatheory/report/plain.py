r"""Numbers and witnesses for the eye: an instance in a few lines, each number in a short form that misleads nobody."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from fractions import Fraction
from typing import Any

from arubatheory.engines.told import period
from arubatheory.statements.untrusted import line

LENGTH = 16  # a rational of at most this many characters is shown as it is
ANY = "any"  # of a number that does not matter
FEW = 6  # rows that are shown even if they repeat
SHOWN = 24  # entries of an array that are shown


def count(n: int, noun: str) -> str:
    """So many of something: "1 tie", "2,000 ties"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def number(text: str) -> str:
    """A rational or a ball as `show` writes it: itself if short, else about so much."""
    value = approximation(text)
    return text if len(text) <= LENGTH or value is None else f"≈{value}"


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


def needs_decimals(text: str) -> bool:
    """Whether a decimal helps: 1/2 speaks for itself, 4093/3127 does not."""
    return len(text.partition("/")[2]) > 1


def instance_lines(parts: dict[str, Any], indent: str = "", free: Container[str] = (), path: str = "") -> list[str]:
    """One line for each named part of an encoded instance; the parts of a part stand below it, further right. Of the
    numbers named in `free`, as `engines.free` names them, it says "any"."""
    return [line for name, value in parts.items() for line in _part(name, value, indent, free, f"{path}{name}")]


def _part(name: str, value: Any, indent: str, free: Container[str], path: str) -> Iterator[str]:
    if isinstance(value, dict) and "fields" in value:
        yield line(f"{indent}{name}: {value.get('type', '')}")
        yield from instance_lines(value["fields"], indent + "  ", free, f"{path}.")
    elif isinstance(value, dict) and not all(map(_is_number, value.get("items", []))):
        yield line(f"{indent}{name}:")
        for i, v in enumerate(value["items"]):
            yield from _part(str(i), v, indent + "  ", free, f"{path}[{i}]")
    else:
        yield line(f"{indent}{name} = {ANY if path in free else _value(value, free, path)}")


def _is_number(value: Any) -> bool:
    return not isinstance(value, dict) or "number" in value or "ball" in value


def _text(value: Any) -> str:
    return str(value.get("number", value.get("ball"))) if isinstance(value, dict) else str(value)


def _value(value: Any, free: Container[str], path: str) -> str:
    if _is_number(value):
        return number(_text(value)) if isinstance(value, dict) else str(value)
    numbers = value.get("array") or value.get("integers") or value.get("items") or []
    entries = [ANY if f"{path}[{k}]" in free else _text(x) for k, x in enumerate(numbers)]
    return _array(entries, value.get("shape", [len(numbers)]))


def _array(entries: list[str], shape: list[int]) -> str:
    """The rows of a matrix, the entries of any other array; of many that repeat those of a period."""
    width, mark = (shape[1], "; ") if len(shape) == 2 and min(shape) > 0 else (1, ", ")
    rows = [entries[i : i + width] for i in range(0, len(entries), width)]
    first = period(rows) if len(rows) > FEW and len(shape) < 3 else len(rows)
    if first < len(rows) or (mark == "; " and len(entries) <= SHOWN):
        shown = [", ".join(map(number, row)) for row in rows[:first]]
        return f"({mark.join(shown + [f'… {len(rows)} in turn'] * (first < len(rows)))})"
    more = f", … {len(entries) - SHOWN} more" if len(entries) > SHOWN else ""
    size = f" of shape {' × '.join(map(str, shape))}" if len(shape) > 1 else ""
    return f"({', '.join(map(number, entries[:SHOWN]))}{more}){size}"
