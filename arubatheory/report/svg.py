r"""An svg of matplotlib in fewer bytes, and as the address of an image: what is drawn moves by less than 0.1 points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote
from xml.etree import ElementTree

PLAIN = " !$'()*+,-./:;=>?@[]^_`{|}~"  # besides letters and digits: what may stand as it is in a quoted data address
SPACE = "{http://www.w3.org/2000/svg}"
GLYPH = "scale(0.015625)"  # outlines of letters have 64 units where their text has one
MOVED = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")
TEXT = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\) scale\(([\d.]+) -\3\)")
NUMBER = re.compile(r"-?\d*\.\d+")
PIECE = re.compile(r"([A-Za-z])([^A-Za-z]*)")
MANY = 9  # markers of a kind that take more than a line with the marker at its points
PAIRS = {"M": 1, "L": 1, "Q": 2, "C": 3, "z": 0, "Z": 0}  # points of each command
ElementTree.register_namespace("", SPACE[1:-1])


def address(svg: str) -> str:
    """A drawing as the address of an image, to stand in double quotes."""
    return "data:image/svg+xml," + quote(svg if "'" in svg else svg.replace('"', "'"), safe=PLAIN)


def compact(svg: str) -> str:
    """A drawing in fewer bytes; what is no svg, or not as matplotlib draws, stays as it is."""
    joined = re.sub(r"\s*\n\s*", " ", svg)
    try:
        return _compacted(ElementTree.fromstring(joined.replace("xlink:href", "href")))
    except (ElementTree.ParseError, ValueError, OverflowError, LookupError, RecursionError):
        return joined


def _compacted(root: ElementTree.Element) -> str:
    classes = {f"#{e.get('id')}": e.get("class") for e in root.iter() if e.get("id")}
    for element in root.iter():
        if element.tag == f"{SPACE}g":
            _share(element)
        elif element.tag == f"{SPACE}use":
            _place(element, classes.get(element.get("href", "")))
        elif element.tag == f"{SPACE}path":
            _draw(element)
    for i, group in enumerate(root.iter(f"{SPACE}g")):
        _mark(group, f"k{i}")
    _ungroup(root)
    text = ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")
    return re.sub(r'(id="|href="#|url\(#)i(?=\w)', r"\1", text)


def _share(group: ElementTree.Element) -> None:
    """A group of markers has their class; a text stands where it stood, to a tenth."""
    classes = {e.get("class") if e.tag == f"{SPACE}use" else None for e in group}
    if len(classes) == 1 < len(group) and None not in classes and "class" not in group.attrib:
        group.set("class", str(*classes))
        for use in group:
            del use.attrib["class"]
    if "transform" in group.attrib:
        group.set("transform", TEXT.sub(_near, group.attrib["transform"]))


def _near(found: re.Match[str]) -> str:
    x, y = (_text(round(10 * float(part))) for part in found.groups()[:2])
    size = found[3].lstrip("0")
    return f"translate({x} {y})scale({size}-{size})"


def _place(use: ElementTree.Element, drawn: str | None) -> None:
    """A letter or a marker where it stands; the class of what is used need not be said again."""
    if moved := MOVED.fullmatch(use.get("transform", "")):  # hundredths of the size of a text
        del use.attrib["transform"]
        use.attrib |= {"x": f"{float(moved[1]):.0f}", "y": f"{float(moved[2]) / 2:.0f}"}
    for name, value in list(use.attrib.items()):
        use.set(name, NUMBER.sub(lambda found: _text(round(10 * float(found[0]))), value))
        if (name in "xy" and float(use.get(name, "1")) == 0) or (name == "class" and value == drawn):
            del use.attrib[name]


def _mark(group: ElementTree.Element, name: str) -> None:
    """A group of many equal markers as a line that is not drawn, with the marker of this name at its points."""
    places = [f"{use.get('x', 0)} {use.get('y', 0)}" for use in group]
    same = {(use.tag, use.get("href"), *sorted({*use.attrib} - {"x", "y"})) for use in group}
    if len(places) <= MANY or same != {(f"{SPACE}use", group[0].get("href"), "href")}:
        return
    own = {"id": name, "markerUnits": "userSpaceOnUse", "overflow": "visible"}
    own |= {"class": group.attrib.pop("class")} if "class" in group.attrib else {}
    marker, line = ElementTree.Element(f"{SPACE}marker", own), ElementTree.Element(f"{SPACE}path")
    ElementTree.SubElement(marker, f"{SPACE}use", {"href": group[0].get("href", "")})
    line.attrib |= {"style": f"fill:none;marker:url(#{name})", "d": stepwise(f"M{'L'.join(places)}")}
    group[:] = [marker, line]


def _draw(path: ElementTree.Element) -> None:
    """A path by the way from point to point."""
    outline = path.get("transform") == GLYPH
    if outline:
        del path.attrib["transform"]
    path.set("d", stepwise(path.get("d", ""), 1 / 64 if outline else 10.0, 10 if outline else 1))


def stepwise(way: str, scale: float = 10.0, grain: int = 1) -> str:
    """The way of a path from point to point, `scale` times as long in steps of `grain` tenths; as it is where it has
    other pieces than lines and curves."""
    pieces = [(letter, [float(x) for x in points.split()]) for letter, points in PIECE.findall(way)]
    known = all(len(points) == 2 * PAIRS.get(letter, -1) for letter, points in pieces)
    return _joined(_steps(pieces, scale, grain)) if known else way


def _steps(pieces: list[tuple[str, list[float]]], scale: float, grain: int) -> Iterator[tuple[str, list[int]]]:
    """Each piece relative to where the one before it ends, in tenths."""
    x = y = 0
    start = (0, 0)
    for letter, points in pieces:
        ends = [grain * round(scale * p) for p in points]
        way = [p - (y if i % 2 else x) for i, p in enumerate(ends)]
        if letter == "L" and 0 in way:
            yield ("h", way[:1]) if way[1] == 0 else ("v", way[1:])
        else:
            yield letter.lower(), way
        x, y = ends[-2:] if ends else start
        start = (x, y) if letter == "M" else start


def _joined(steps: Iterator[tuple[str, list[int]]]) -> str:
    """The steps as text: a letter is said once for all that follow it, and a line after a move needs none."""
    out, last = "", ""
    for letter, way in steps:
        said = "" if letter == last or (letter, last) == ("l", "m") else letter
        for number in map(_text, way):
            out += said + ("" if said or number[0] == "-" else " ") + number
            said = ""
        out += "z" if letter == "z" else ""
        last = "" if letter in "mz" and letter != "m" else letter
    return out


def _text(tenths: int) -> str:
    sign, whole, part = "-" if tenths < 0 else "", *divmod(abs(tenths), 10)
    return f"{sign}{whole}" if not part else f"{sign}{whole or ''}.{part}"


def _ungroup(element: ElementTree.Element) -> None:
    """Groups that say nothing give way to what they hold."""
    for child in element:
        _ungroup(child)
    held = [[*e] if e.tag == f"{SPACE}g" and not e.attrib else [e] for e in element]
    element[:] = [e for some in held for e in some]
