r"""The contents of a paper as its source has them: sections, and theorem environments with their printed numbers.

Numbered are what `\newtheorem` and `\declaretheorem` name, with shared counters and counters within sections; labelled
equations and algorithms are items too, without a number. What has no label gets one from its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory.scaffold.latex import MACROS, LatexError, Place, nodes, plain

LEVELS = ("chapter", "section", "subsection")
PREFIXES = {"theorem": "thm", "claim": "clm", "proposition": "prp", "assumption": "asu", "definition": "def"}
USUAL = "theorem lemma corollary proposition claim definition remark assumption conjecture fact observation"
EQUATIONS = {"equation", "align", "gather", "multline", "eqnarray", "alignat", "flalign", "subequations"}
EQUATIONS |= {f"{name}*" for name in EQUATIONS}
ALGORITHMS = {"algorithm", "algorithm*", "algorithm2e"}
DISPLAYS = re.compile(
    r"\\begin\{(equation|align|gather|multline|eqnarray)\*?\}(.*?)\\end\{\1\*?\}|\\\[(.*?)\\\]|\$\$(.*?)\$\$", re.S
)
LAYOUT = re.compile(r"\\[vh]space\*?\{[^{}]*\}|\\(?:nonumber|notag|displaystyle)\b")
EXPANSIONS = 1000  # of macros in one formula
RELATION = re.compile(r"\\(?:le|ge|leq|geq|lesssim|preceq|succeq)\b|[<>=]")
INEQUALITY = re.compile(r"\\[lg]eq?\b")


class SourceItem(NamedTuple):
    """One item: where it is, what it is called, its title, its own text and what it displays."""

    file: str
    line: int
    kind: str
    number: str
    slug: str
    labelled: bool
    title: str
    source: str
    formula: str


@dataclass
class Section:
    """A numbered section, chapter or, before the first of them, what stands ahead, with its items."""

    number: str
    title: str
    file: str
    items: list[SourceItem] = field(default_factory=list)


class Contents(NamedTuple):
    """What a source says of its paper."""

    title: str
    authors: str
    macros: dict[str, str]
    left_out: list[str]
    sections: list[Section]

    @property
    def items(self) -> list[SourceItem]:
        """All items, in the order of the paper."""
        return [item for section in self.sections for item in section.items]


class Kind(NamedTuple):
    """A theorem environment: what it is called, the counter that it steps (none: unnumbered) and within what."""

    title: str
    counter: str | None
    within: str


def contents(main: Path) -> Contents:
    """The contents of the paper whose main file this is. Raises LatexError, with file and line, for what cannot be
    read, a label given twice, and a source without any item."""
    reader = _Reader(main.name)
    for place in nodes(main):
        reader.see(place)
    if not any(section.items for section in reader.sections):
        raise LatexError(f"{main.name}: it has no theorem environment, and no labelled equation or algorithm")
    return Contents(
        reader.title, reader.authors, reader.macros, reader.left_out, [s for s in reader.sections if s.items]
    )


class _Reader:
    """What has been read up to now: sections and their items, and the counters."""

    def __init__(self, file: str) -> None:
        self.title, self.authors, self.macros, self.left_out = "", "", dict[str, str](), list[str]()
        self.sections = [Section("", "Front matter", file)]
        self.templates = dict[str, tuple[int, str]]()
        self.kinds, self.counts, self.places = dict[str, Kind](), dict[str, int](), dict[str, str]()
        self.appendix = False

    def see(self, place: Place) -> None:
        """One macro or environment."""
        name = place.name
        if name in MACROS and not place.arguments:  # only named, as by \let
            return
        if name in LEVELS:
            self._open(name, place)
        elif name.endswith("newtheorem") or name in ("declaretheorem", "numberwithin"):
            self._declare(name, place.arguments)
        elif name in ("newcommand", "renewcommand", "providecommand", "DeclareMathOperator"):
            self._define(name, place.arguments)
        elif name == "appendix":
            self.appendix, self.counts["chapter"], self.counts["section"] = True, 0, 0
        elif name in ("title", "author") and place.arguments:
            self.title, self.authors = self._headed(name, place.arguments[-1])
        elif place.node.__class__.__name__ == "LatexEnvironmentNode":
            self._environment(place)

    def _headed(self, name: str, said: str) -> tuple[str, str]:
        words = re.split(r"\\(?:thanks|footnote)\b", said)[0]
        first = plain(re.split(r"\\\\", words)[0] if name == "author" else words.replace("\\\\", " "))
        return (first, self.authors) if name == "title" else (self.title, first)

    # sections and counters -------------------------------------------------------------------------------------
    def _open(self, level: str, place: Place) -> None:
        star, _, title = place.arguments
        if star:
            return
        self._step(level)
        if level != "subsection":
            self.sections.append(Section(self._position(level), plain(title), place.file))

    def _step(self, counter: str) -> int:
        """Step a counter; those that count within it begin anew."""
        self.counts[counter] = self.counts.get(counter, 0) + 1
        inner = LEVELS[LEVELS.index(counter) + 1 :] if counter in LEVELS else ()
        for below in (*inner, *(k.counter for k in self.kinds.values() if k.counter and k.within in (counter, *inner))):
            self.counts[below] = 0
        return self.counts[counter]

    def _position(self, level: str) -> str:
        """The number of a section: that of its chapter first, where there are chapters; letters in an appendix."""
        used = [x for x in LEVELS[: LEVELS.index(level) + 1] if self.counts.get(x) or x == level]
        numbers = [str(self.counts.get(x, 0)) for x in used]
        if self.appendix and self.counts.get(used[0]):
            numbers[0] = chr(ord("A") + self.counts[used[0]] - 1)
        return ".".join(numbers)

    def _declare(self, name: str, arguments: list[str]) -> None:
        r"""A \newtheorem or its like: a name, a title, a counter of its own or another's, within a section or not."""
        if name == "numberwithin":
            environment, within = arguments
            if environment in self.kinds:
                self.kinds[environment] = self.kinds[environment]._replace(within=within)
            return
        if name == "declaretheorem":
            keys: dict[str, str] = dict(re.findall(r"(\w+)\s*=\s*\{?([^,{}]*)", arguments[0]))
            environment, title = arguments[1], keys.get("name", keys.get("title", arguments[1].title()))
            shared = next((keys[k] for k in ("sibling", "numberlike", "sharenumber") if k in keys), "")
            star, within = (
                keys.get("numbered") == "no",
                keys.get("numberwithin", keys.get("within", keys.get("parent", ""))),
            )
        else:
            mark, environment, shared, title, within = arguments
            star = bool(mark)
        other = self.kinds.get(shared)
        counter = None if star else other.counter if other else environment
        self.kinds[environment] = Kind(plain(title), counter, other.within if other else within)

    def _define(self, name: str, arguments: list[str]) -> None:
        r"""A macro: without arguments the paper's page expands it, with some it is expanded here."""
        macro = arguments[1].strip("{} ").removeprefix("\\")
        if name == "DeclareMathOperator":
            self.macros[macro] = rf"\operatorname{{{arguments[-1]}}}"
        elif arguments[2].isdecimal() and not arguments[3]:
            self.templates[macro] = int(arguments[2]), arguments[-1]
        elif any(arguments[2:4]):
            self.left_out.append(macro)
        elif macro.isalpha() and arguments[-1]:
            self.macros[macro] = arguments[-1]

    # items -----------------------------------------------------------------------------------------------------
    def _environment(self, place: Place) -> None:
        name = place.name
        if name in self.kinds or name.rstrip("*") in USUAL.split():
            self._theorem(place, self.kinds.get(name) or Kind(name.rstrip("*").title(), name, ""))
        elif name in EQUATIONS:
            for label in _labels(place.node):
                self._add(place, "equation", "", label, "", place.source)
        elif name in ALGORITHMS:
            label = next(_labels(place.node), "")
            self._add(place, "algorithm", "", label or f"alg:{self._step('algorithm')}", "", place.source, bool(label))

    def _theorem(self, place: Place, kind: Kind) -> None:
        number = ""
        if kind.counter:
            count = self._step(kind.counter)
            number = f"{self._position(kind.within)}.{count}" if kind.within in LEVELS else str(count)
        body = re.sub(r"^\\begin\{[^}]*\}|\\end\{[^}]*\}$", "", place.source).strip()
        named = re.match(r"\[((?:[^][{}]|\{[^{}]*\})*)\]", body)
        label = next(_labels(place.node, EQUATIONS), "")
        word = kind.title.lower()
        slug = label or f"{PREFIXES.get(word, word[:3])}:{number or self._step(word)}"
        self._add(
            place,
            word,
            number,
            slug,
            plain(named[1]) if named else "",
            body[named.end() if named else 0 :],
            bool(label),
        )

    def _add(
        self, place: Place, kind: str, number: str, slug: str, title: str, source: str, labelled: bool = True
    ) -> None:
        slug, here = re.sub(r"\s+", "-", slug), f"{place.file}, line {place.line}"
        if slug in self.places:
            raise LatexError(f"{here}: the label {slug!r} is given twice, first in {self.places[slug]}")
        self.places[slug] = here
        text = re.sub(r"\\label\s*\{[^}]*\}", "", source)
        item = SourceItem(
            place.file,
            place.line,
            kind,
            number,
            slug,
            labelled,
            title,
            text.strip(),
            expanded(formula(text), self.templates),
        )
        self.sections[-1].items.append(item)


def _labels(node: Any, without: set[str] = frozenset()) -> Iterator[str]:  # type: ignore[assignment]
    """The labels that stand in a node, outside of these environments."""
    for part in [*(getattr(node, "nodelist", None) or ()), *_given(node)]:
        if part is None or getattr(part, "environmentname", None) in without:
            continue
        if getattr(part, "macroname", None) == "label" and part.nodeargd.argnlist:
            yield part.nodeargd.argnlist[0].latex_verbatim().strip("{} ")
        else:
            yield from _labels(part, without)


def _given(node: Any) -> tuple[Any, ...]:
    given = getattr(node, "nodeargd", None)
    return tuple(given.argnlist or ()) if given else ()


def expanded(latex: str, templates: Mapping[str, tuple[int, str]]) -> str:
    """A formula without the macros that take so many arguments and stand for a text with #1, #2, ..."""
    if not templates:
        return latex
    names = re.compile(rf"\\({'|'.join(map(re.escape, templates))})(?![A-Za-z])")
    for _ in range(EXPANSIONS):
        found = names.search(latex)
        if found is None:
            break
        count, text = templates[found[1]]
        rest = latex[found.end() :]
        for k in range(count):
            argument, rest = _taken(rest)
            text = text.replace(f"#{k + 1}", argument)
        latex = latex[: found.start()] + text + (" " if text[-1:].isalpha() and rest[:1].isalpha() else "") + rest
    return latex


def _taken(latex: str) -> tuple[str, str]:
    """The first argument in a text, a group or one sign, and what follows it."""
    latex = latex.lstrip()
    token = re.match(r"\\[A-Za-z]+|\\?.", latex, re.S)
    if token is None or not latex.startswith("{"):
        return (token[0], latex[token.end() :]) if token else ("", "")
    depth = 0
    for k, sign in enumerate(latex):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return latex[1:k], latex[k + 1 :]
    return latex[1:], ""


def formula(source: str) -> str:
    """What an item displays, or its longest formula with a relation where it displays none: a draft of its claim."""
    source = LAYOUT.sub("", re.sub(r"(?<!\\)%.*", "", source))
    found = DISPLAYS.findall(source)
    shown = [next(filter(None, parts[1:]), "") for parts in found]
    if not shown:
        inline = [f for f in re.findall(r"\$([^$]+)\$", source) if RELATION.search(f)]
        shown = sorted(inline, key=lambda f: (bool(INEQUALITY.search(f)), len(f)))[-1:]
    lines = " ".join(" ".join(shown).split()).strip(" .,")
    aligned = rf"\begin{{aligned}}{lines}\end{{aligned}}"
    return aligned if "&" in lines or r"\\" in lines else lines
