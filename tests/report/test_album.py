"""Pictures on the page: embedded while there is room, linked beyond, and never trusted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from nesting import same_document
from toy import outcomes

from arubatheory.papers.aruba import ARUBA
from arubatheory.report import album
from arubatheory.report.lean import lean
from arubatheory.report.page import Beside, page
from arubatheory.report.svg import address, compact
from arubatheory.statements.untrusted import RecordError

EVIL = "<script>alert('x')</script> & \"quoted\" ]]>"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><path d='M0 0H1' stroke='#0072B2'/></svg>"


def folder(tmp_path: Path, entries: object, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.svg").write_text(text, encoding="utf-8")
    (tmp_path / album.INDEX).write_text(json.dumps(entries), encoding="utf-8")
    return tmp_path


def entry(name: str, kind: str = "figure", **other: object) -> dict[str, object]:
    made = {
        "name": name,
        "kind": kind,
        "title": f"Title of {name}",
        "labels": ["clm:cdual"],
        "caption": "of $x^2$",
        "files": {"svg": f"{name}.svg"},
    }
    return {**made, **other}


def test_the_index_gives_the_order_and_sheets_are_left_out(tmp_path: Path) -> None:
    entries = [
        entry("b"),
        entry("a", "witness"),
        entry("s", "sheet"),
        entry("missing"),
        entry("p", files={"pdf": "p.pdf"}),
    ]
    found = album.album(folder(tmp_path, entries, a=SVG, b=SVG, s=SVG))
    assert [(p.name, p.kind, p.labels) for p in found] == [
        ("b", "figure", ("clm:cdual",)),
        ("a", "witness", ("clm:cdual",)),
    ]


def test_without_an_index_the_figures_are_shown_by_their_names(tmp_path: Path) -> None:
    for name in ("bound_at_work", "witness-clm-mean"):
        (tmp_path / f"{name}.svg").write_text(SVG)
    assert [p.title for p in album.album(tmp_path)] == ["bound at work"]
    assert album.album(tmp_path / "none") == []


@pytest.mark.parametrize(
    "entries", [{"name": 1}, ["x"], [{"name": "x"}], [entry("a", labels="x")], [entry("a", files=[])]]
)
def test_an_index_that_cannot_be_read_is_named(tmp_path: Path, entries: object) -> None:
    with pytest.raises(RecordError, match=r"cannot read the index of figures .*index\.json"):
        album.album(folder(tmp_path, entries))


def test_files_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.svg").write_text("<svg/>")
    inner = tmp_path / "figures"
    inner.mkdir()
    assert album.album(folder(inner, [entry("a", files={"svg": "../secret.svg"})])) == []


def test_pictures_stand_at_their_place_and_show_what_the_file_holds(tmp_path: Path) -> None:
    found = album.album(folder(tmp_path, [entry("fig"), entry("wit", "witness")], fig=SVG, wit=SVG))
    whole = page(outcomes(), Beside(ARUBA, pictures=found))
    same_document(whole)
    root = ElementTree.fromstring(whole)
    xhtml = "{http://www.w3.org/1999/xhtml}"
    images = list(root.iter(f"{xhtml}img"))
    assert [i.get("alt") for i in images] == ["Title of wit", "Title of fig"]
    assert unquote((images[0].get("src") or "").removeprefix("data:image/svg+xml,")) == SVG
    article = next(e for e in root.iter(f"{xhtml}article") if e.findtext(f"{xhtml}p/{xhtml}code") == "clm:cdual")
    assert len(list(article.iter(f"{xhtml}img"))) == 1
    assert any(a.get("href") == "#f-fig" for a in article.iter(f"{xhtml}a"))


def test_a_picture_of_everything_is_linked_from_nowhere(tmp_path: Path) -> None:
    labels = [o.statement.label for o in outcomes()] * 3
    found = album.album(folder(tmp_path, [entry("fig", labels=labels)], fig=SVG))
    text = page(outcomes(), Beside(ARUBA, pictures=found))
    assert 'href="#f-fig"' not in text and 'id="f-fig"' in text


def shown_svg(svg: str) -> str:
    """What a browser draws of a picture on the page."""
    return unquote(address(compact(svg)).removeprefix("data:image/svg+xml,"))


def test_quotes_become_the_cheaper_ones_unless_the_picture_has_both() -> None:
    assert shown_svg(SVG.replace("'", '"')) == shown_svg(SVG) == SVG.replace("M0 0H1", "M0 0H1")
    both = '<svg xmlns="http://www.w3.org/2000/svg"><text>it\'s</text></svg>'
    assert shown_svg(both) == both


def inside(drawing: str) -> str:
    head = "<svg xmlns='http://www.w3.org/2000/svg'>"
    return shown_svg(f"<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='x'>{drawing}</svg>")[len(head) : -6]


def test_letters_of_a_text_take_less() -> None:
    letter = '<use xlink:href="#i1" transform="translate(83.8 0.015625)"/><use xlink:href="#i0" x="1.55" y="0.5"/>'
    assert inside(letter) == "<use href='#1' x='84'/><use href='#0' x='1.6' y='.5'/>"
    outline = '<path id="i1" d="M64 0L128 64Q0 0 6.4 0z" transform="scale(0.015625)"/>'
    assert inside(outline) == "<path id='1' d='m1 0 1 1q-2-1-2-1z'/>"


def test_a_path_goes_from_point_to_point_and_groups_that_say_nothing_are_left_out() -> None:
    path = '<g><g><path d="M10 20.04L30 20.04L30 0L0 0zM1 1C1 1 2 2 -3 .5" class="c"/></g></g>'
    assert inside(path) == "<path d='m10 20h20v-20h-30zm-9-19c0 0 1 1-4-.5' class='c'/>"
    assert inside('<path d="M0 0A1 1 0 0 0 2 2"/>') == "<path d='M0 0A1 1 0 0 0 2 2'/>"


def test_a_text_stays_where_it_is() -> None:
    text = '<g transform="translate(310.48 20.04) scale(0.07 -0.07)"><path d="M0 0"/></g>'
    assert "transform='translate(310.5 20)scale(.07-.07)'" in inside(text)


def test_the_class_of_a_marker_is_said_once() -> None:
    marker = '<path id="i0" d="M0 0L0 3.5" class="c0"/><use xlink:href="#i0" x="1" y="0" class="c0"/>'
    other = '<use xlink:href="#i0" x="1" y="0" class="c1"/>'
    assert inside(marker + other).endswith("<use href='#0' x='1'/><use href='#0' x='1' class='c1'/>")
    both = "<use href='#0' x='1'/><use href='#0' x='1'/>"
    assert inside(f'<g clip-path="url(#i2)">{other * 2}</g>') == f"<g clip-path='url(#2)' class='c1'>{both}</g>"


def test_many_equal_markers_are_a_line_with_the_marker_at_its_points() -> None:
    marker = '<defs><path id="i0" d="M0 0L0 3.5" class="c0"/></defs>'
    uses = "".join(f'<use xlink:href="#i0" x="{2 * k}" y="{k}" class="c1"/>' for k in range(10))
    own = "<marker id='k0' markerUnits='userSpaceOnUse' overflow='visible' class='c1'><use href='#0'/></marker>"
    line = f"<path style='fill:none;marker:url(#k0)' d='m0 0{' 2 1' * 9}'/>"
    assert inside(f'{marker}<g clip-path="url(#i2)">{uses}</g>').endswith(f"<g clip-path='url(#2)'>{own}{line}</g>")
    few = inside(f'{marker}<g clip-path="url(#i2)">{uses[: uses.rfind("<use")]}</g>')
    other = inside(f'{marker}<g clip-path="url(#i2)">{uses}<use xlink:href="#i3" x="1" y="1" class="c1"/></g>')
    assert "marker" not in few + other


def test_what_does_not_fit_is_linked_figures_first_then_the_smallest(tmp_path: Path) -> None:
    large = SVG.replace("<path", f"<path id='{'x' * 3000}'")
    entries = [entry("large", "witness"), entry("small", "witness"), entry("fig")]
    found = album.album(folder(tmp_path, entries, large=large, small=SVG, fig=SVG))
    text = "".join(album.mark(i) for i in range(3))
    shown = album.embed(text, found, 2500 + len(text), "figures")
    assert shown.count("<img") == 2
    assert 'alt="Title of large"' not in shown
    assert len(shown.encode()) <= 2500 + len(text)
    whole = album.embed(text, found, 100_000, "figures")  # to the byte, with frames and captions
    assert album.embed(text, found, len(lean(whole).encode()), "figures") == whole
    assert album.embed(text, found, len(lean(whole).encode()) - 1, "figures").count("<img") == 2
    assert all(f'href="figures/{name}.svg"' in shown for name in ("large", "small", "fig"))
    assert "<img" not in album.embed(text, found, 0, "figures")
    assert album.embed(text, found, 100_000, "figures").count("<img") == 3


def test_the_words_for_an_image_hold_no_latex(tmp_path: Path) -> None:
    found = album.album(folder(tmp_path, [entry("a", title="The $v_t$"), entry("b", title="What & why")], a=SVG, b=SVG))
    shown = album.embed(album.mark(0) + album.mark(1), found, 9999, "")
    assert re.findall(r'alt="([^"]*)"', shown) == ["a", "What &amp; why"]


def test_everything_of_an_index_is_escaped(tmp_path: Path) -> None:
    evil = {**entry("fig", title=EVIL, caption=EVIL, files={"svg": "fig.svg", EVIL: EVIL}), "name": EVIL}
    found = album.album(folder(tmp_path, [evil], fig=f"<svg><script>{EVIL}</script></svg>"))
    text = page(outcomes(), Beside(ARUBA, pictures=found, base=EVIL))
    root = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert text.count("<script") == 1
    assert EVIL in "".join(root.itertext())
