r"""LaTeX source as nodes, file by file; what cannot be read is said with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory.statements.untrusted import RecordError, read_text

EXTRA = "reading LaTeX needs the extra latex: python -m pip install 'arubatheory[latex]'"
MACROS = {  # what their arguments are, for those that the parser does not know or knows otherwise
    **dict.fromkeys(("newtheorem", "spnewtheorem"), "*{[{["),
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand"), "*{[[{"),
    **dict.fromkeys(("label", "input", "include", "author"), "{"),
    **dict.fromkeys(("chapter", "section", "subsection"), "*[{"),
    **{"DeclareMathOperator": "*{{", "declaretheorem": "[{", "numberwithin": "{{", "title": "[{", "let": "{{"},
}
SILENT = re.compile(r"\\begin\{comment\}.*?\\end\{comment\}|\\iffalse\b.*?\\fi\b", re.S)  # what TeX passes over
DEEPEST = 20  # files within files


class LatexError(ValueError):
    """A source that cannot be read; the message has the file and the line."""


class Place(NamedTuple):
    """A node of a source, in a file (its path from the main one) and on a line of it."""

    file: str
    line: int
    node: Any

    @property
    def name(self) -> str:
        """Of a macro or an environment; empty for any other node."""
        return getattr(self.node, "macroname", None) or getattr(self.node, "environmentname", None) or ""

    @property
    def source(self) -> str:
        """The node as it is written."""
        return str(self.node.latex_verbatim())

    @property
    def arguments(self) -> list[str]:
        """What a macro is given, without brackets; "" for what is left out."""
        given = self.node.nodeargd.argnlist if getattr(self.node, "nodeargd", None) else ()
        return [inside(argument) for argument in given or ()]


def inside(argument: Any) -> str:
    """The source of an argument without its brackets, in one line; empty for none."""
    written = argument.latex_verbatim() if argument is not None else ""
    text = " ".join(re.sub(r"(?<!\\)%.*", "", written).split())
    return text[1:-1].strip() if text[:1] in ("{", "[") else text


def nodes(main: Path) -> Iterator[Place]:
    """The macros and environments of a source in the order in which TeX reads them, files that it names included; what
    stands in an environment comes after it. Raises LatexError for what cannot be read."""
    yield from _nodes_of(main, main.parent, ())


def _nodes_of(file: Path, home: Path, above: tuple[Path, ...]) -> Iterator[Place]:
    name = file.relative_to(home).as_posix() if file.is_relative_to(home) else file.name
    if file in above or len(above) > DEEPEST:
        raise LatexError(f"{above[-1].name}: it reads {name} again, which reads it")
    walker, top = _parsed(file, name)
    waiting = list(reversed(top))
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        place = Place(name, walker.pos_to_lineno_colno(node.pos)[0], node)
        if place.name:
            yield place
        if place.name in ("input", "include") and place.arguments:
            yield from _nodes_of(_named(place, home), home, (*above, file))
        waiting += reversed(_parts(node))


def _parts(node: Any) -> list[Any]:
    """The nodes that stand in a node: arguments first, then its body."""
    given = getattr(node, "nodeargd", None)
    return [*((given.argnlist or ()) if given else ()), *(getattr(node, "nodelist", None) or ())]


def _named(place: Place, home: Path) -> Path:
    """The file that an \\input names. Raises LatexError where there is none."""
    said = place.arguments[0]
    found = [home / said, home / f"{said}.tex"]
    file = next((path for path in reversed(found) if path.is_file()), None)
    if file is None:
        raise LatexError(f"{place.file}, line {place.line}: there is no file {said!r} to read")
    return file


def _parsed(file: Path, name: str) -> tuple[Any, list[Any]]:
    try:
        from pylatexenc import latexwalker, macrospec
    except ImportError as error:
        raise LatexError(EXTRA) from error
    known = latexwalker.get_default_latex_context_db()
    macros = [macrospec.std_macro(macro, spec) for macro, spec in MACROS.items()]
    known.add_context_category("arubatheory", prepend=True, macros=macros)
    try:
        text = SILENT.sub(lambda found: "\n" * found[0].count("\n"), read_text(file))
        walker = latexwalker.LatexWalker(text, latex_context=known, tolerant_parsing=False)
        return walker, walker.get_latex_nodes()[0]
    except FileNotFoundError as error:
        raise LatexError(f"there is no file {str(file)!r}") from error
    except RecordError as error:
        raise LatexError(str(error)) from error
    except latexwalker.LatexWalkerParseError as error:
        line = walker.pos_to_lineno_colno(min(error.pos or 0, len(text)))[0]
        raise LatexError(f"{name}, line {line}: {_reason(error)}") from error
    except RecursionError as error:
        raise LatexError(f"{name}: its braces and environments are nested too deep") from error


def _reason(error: Any) -> str:
    """What the parser says, in one line without its own places."""
    return (
        re.sub(r"\s*@?\(?(?:line|pos)[ =:]*\d+.*$", "", " ".join(str(error.msg).split())).rstrip(" ,.:;")
        or "a syntax error"
    )


def plain(latex: str) -> str:
    """LaTeX as text in one line: accents are signs, formulas stay as they are."""
    from pylatexenc.latex2text import LatexNodes2Text

    text = LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text(latex)
    return " ".join(str(text).split())
