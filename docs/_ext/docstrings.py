r"""Docstrings of this project as reStructuredText, which is all that autodoc reads.

They are plain text with mathematics between dollar signs, names between single backticks, lists with `*`, and code that
is indented by four.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

PIECES = re.compile(r"(?P<block>\$\$.+?\$\$)|(?P<math>\$.+?\$)|(?P<code>`[^`]+`)", re.S)
ITEM = re.compile(r"^\* ")


def rst(text: str) -> str:
    """A docstring as reStructuredText."""
    return "\n\n".join(_paragraph(p) for p in re.split(r"\n\s*\n", text.strip("\n")))


def _paragraph(text: str) -> str:
    lines = text.split("\n")
    if all(line.startswith("    ") for line in lines):
        return f"::\n\n{text}"
    if ITEM.match(lines[0]):
        return "\n".join("* " + _inline(line[2:]) if ITEM.match(line) else _inline(line) for line in _joined(lines))
    return _inline(text)


def _joined(lines: list[str]) -> list[str]:
    """The items of a list, each in one line: a piece may not end in the next line."""
    items: list[str] = []
    for line in lines:
        if ITEM.match(line):
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    return items


def _inline(text: str) -> str:
    out, at = "", 0
    for match in PIECES.finditer(text):
        out += _escaped(text[at : match.start()])
        out += _separated(out, _piece(match), text[match.end() :])
        at = match.end()
    return out + _escaped(text[at:])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_|`])", r"\\\1", text)


def _piece(match: re.Match[str]) -> str:
    text = " ".join(match[0].strip("$`").split())
    return f"``{text}``" if match["code"] else f":math:`{text}`"


def _separated(before: str, piece: str, after: str) -> str:
    r"""Markup must stand free; `\ ` is a space that is not there."""
    left = "" if not before or before[-1].isspace() or before[-1] in "([{-/'\"" else "\\ "
    right = "\\ " if after[:1].isalnum() else ""
    return left + piece + right


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """What autodoc calls for every docstring."""
    if _made_by_namedtuple(lines):
        lines[:] = []
    lines[:] = rst("\n".join(lines)).split("\n")


def _made_by_namedtuple(lines: list[str]) -> bool:
    return bool(lines) and lines[0].startswith("Alias for field number")


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to autodoc."""
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
