"""A page as Python's parser of HTML reads it, with the ends that the standard lets a page leave out, and no others."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple
from xml.etree import ElementTree

from arubatheory.report.lean import lean

VOID = {*("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")}
BLOCK = {
    *(
        "address",
        "article",
        "aside",
        "blockquote",
        "details",
        "div",
        "dl",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
    ),
    *("form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "main", "menu", "nav", "ol", "p", "pre"),
    *("search", "section", "table", "ul"),
}
SCOPES = {"ul", "ol", "dl", "table", "select"}  # in which all begins anew
NAMES, ROWS = {"dt", "dd"}, {"tbody", "tfoot"}
CELLS = {"td", "th", "tr", *ROWS}
CLOSED_BY = {  # what, right behind an element without its end, says that it ended
    **{"p": BLOCK, "li": {"li"}, "dt": NAMES, "dd": NAMES, "td": CELLS, "th": CELLS, "tr": {"tr", *ROWS}},
    **{"thead": ROWS, "tbody": ROWS, "tfoot": ROWS, "option": {"option"}},
}


class Element(NamedTuple):
    """An element by what it stands in."""

    way: tuple[str, ...]
    attributes: dict[str, str]


class Nesting(HTMLParser):
    """Every element in order; AssertionError where one does not end where it must."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[Element] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.open and tag in CLOSED_BY.get(self.open[-1], ()):
            self.open.pop()
        inner = self.open[max((i for i, e in enumerate(self.open) if e in SCOPES), default=0) :]
        assert not any(tag in CLOSED_BY.get(e, ()) for e in inner), f"<{tag}> in {self.open}, at {self.getpos()}"
        self.elements.append(Element((*self.open, tag), {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID or {"math", "svg"} & {*self.open}, f"<{tag}/> is not empty, at {self.getpos()}"
        self.handle_starttag(tag, attrs)
        del self.open[len(self.elements[-1].way) - 1 :]

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in CLOSED_BY:
            self.open.pop()
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}, at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":  # which XML reads otherwise
            self.text.append(data)


def read(page: str) -> Nesting:
    """The page with all that it holds; AssertionError for what is no HTML."""
    nesting = Nesting()
    nesting.feed(page)
    nesting.close()
    assert nesting.open == []
    return nesting


def elements(root: ElementTree.Element, way: tuple[str, ...] = ()) -> list[Element]:
    """The elements of a page that is well-formed XML, as a parser of HTML names them."""
    here = (*way, root.tag.rpartition("}")[2].lower())
    own = Element(here, {name.lower(): value for name, value in root.attrib.items()})
    return [own, *(e for child in root for e in elements(child, here))]


def same_document(whole: str) -> None:
    """A lean page has the elements, the attributes and the text of the well-formed one."""
    root = ElementTree.fromstring(whole)
    found, expected = read(lean(whole)), elements(root)
    for e in found.elements + expected:
        e.attributes.pop("xmlns", None)
    assert found.elements == expected
    style = next(e.text or "" for e in root.iter() if e.tag.endswith("style"))
    assert "".join(found.text).strip() == "".join(root.itertext()).replace(style, "", 1).strip()
