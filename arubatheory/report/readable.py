r"""A witness for the eye: its numbers in few digits (the exact ones one hover or one file away), its arrays as rows."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from typing import Any

LENGTH = 16  # a rational of at most this many characters is shown as it is
SHOWN = 48  # entries of an array that are shown


def number(text: str) -> str:
    """HTML of a rational or a ball as `show` writes it: itself if short, else 10 digits, exact in `title`."""
    value = _approximate(text)
    if value is None:
        return html.escape(text)
    if len(text) > LENGTH:
        return f'<span title="{html.escape(_cut(text), quote=True)}">≈ {value}</span>'
    return html.escape(text) + (f' <span class="small">≈ {value}</span>' if _long_division(text) else "")


def _cut(text: str) -> str:
    return text if len(text) <= 400 else text[:400] + " …"


def _long_division(text: str) -> bool:
    """Whether a decimal helps: 1/2 speaks for itself, 4093/3127 does not."""
    bottom = text.partition("/")[2]
    return len(bottom) > 1


def _approximate(text: str) -> str | None:
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


def instance(parts: dict[str, Any]) -> str:
    """HTML of an encoded instance: a list of named parts."""
    rows = "".join(f"<dt>{html.escape(str(name))}</dt>{_part(value)}" for name, value in parts.items())
    return f'<dl class="values">{rows}</dl>'


def _part(value: Any) -> str:
    if isinstance(value, dict) and "fields" in value:
        head = f'<span class="small">{html.escape(str(value.get("type", "")))}</span>'
        return f'<dd class="plain">{head}<div class="inner">{instance(value["fields"])}</div></dd>'
    if isinstance(value, dict) and "items" in value:
        named = {str(i): v for i, v in enumerate(value["items"])}
        return f'<dd class="plain"><div class="inner">{instance(named)}</div></dd>'
    return f"<dd>{_value(value)}</dd>"


def _value(value: Any) -> str:
    if not isinstance(value, dict):
        return html.escape(str(value))
    if "number" in value or "ball" in value:
        return number(str(value.get("number", value.get("ball"))))
    if "array" in value or "integers" in value:
        return _array([str(x) for x in value.get("array") or value.get("integers") or []], value.get("shape", []))
    return html.escape(str(value))


def _array(entries: list[str], shape: list[int]) -> str:
    if len(shape) == 2 and len(entries) <= SHOWN and min(shape) > 0:
        rows = [entries[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])]
        cells = "".join("<tr>" + "".join(f"<td>{_short(x)}</td>" for x in row) + "</tr>" for row in rows)
        return f'<table class="matrix"><tbody>{cells}</tbody></table>'
    size = "" if len(shape) <= 1 else f" of shape {' × '.join(map(str, shape))}"
    more = f", … {len(entries) - SHOWN} more" if len(entries) > SHOWN else ""
    return f"({', '.join(_short(x) for x in entries[:SHOWN])}{more}){size}"


def _short(text: str) -> str:
    value = _approximate(text)
    if len(text) <= LENGTH or value is None:
        return html.escape(text)
    return f'<span title="{html.escape(_cut(text), quote=True)}">{value}</span>'
