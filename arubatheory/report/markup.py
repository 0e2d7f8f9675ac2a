r"""HTML and Markdown by templates, which escape whatever they are given unless it is markup already.

The lines of a template are for its reader: a line break next to a tag or a brace is not sent, any other one is a blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension

from arubatheory.report import formula
from arubatheory.report.plain import count
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import visible

HERE = Path(__file__).parent
LOADER = FileSystemLoader(HERE / "templates")


class Joined(Extension):
    """The lines of an HTML template as one."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """What jinja reads in the place of the file."""
        return re.sub(r"\s*\n\s*", " ", re.sub(r"(?<=[>}])\s*\n\s*|\s*\n\s*(?=[<{])", "", source.strip()))


def environment(paper: Paper | None, /, **names: Any) -> Environment:
    """The templates of a page, with filters for the formulas of a paper, and these names."""
    made = Environment(loader=LOADER, autoescape=True, undefined=StrictUndefined, extensions=[Joined])
    macros = paper.macros if paper else {}
    formulas = {name: partial(getattr(formula, name), macros=macros) for name in ("formula", "prose")}
    made.filters |= {**formulas, "count": count}
    made.globals |= {"anchor": anchor, **names}
    return made


def text(shown: Callable[[str], str] = visible, /, **names: Any) -> Environment:
    """The templates of plain text or Markdown, line by line, with these names; each text that they are given is as
    `shown` makes it."""
    made = Environment(loader=LOADER, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.finalize = lambda value: shown(value) if isinstance(value, str) else value
    made.filters["count"] = count
    made.globals |= names
    return made


def anchor(name: str, prefix: str) -> str:
    """The id of what has this name: characters that an address may not have are there as their codes."""
    return f"{prefix}-" + re.sub(r"[^A-Za-z0-9:/-]", lambda m: f"_{ord(m[0]):x}", name)


def asset(name: str) -> str:
    """The text of a file beside this one."""
    return (HERE / name).read_text(encoding="utf-8")
