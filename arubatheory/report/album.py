r"""The illustrations that `python -m figures` left in a folder with an index, embedded as far as the page may grow.

A figure is embedded as an image in a data address (an image runs no script and reaches no network) or, where it would
make the page too large, linked where it lies. The page never imports figures/.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from arubatheory.report.formula import prose
from arubatheory.report.ledger import LedgerError

INDEX = "index.json"
FIGURE, WITNESS = "figure", "witness"
MANY = 12  # labels of a picture that is about everything, and linked from nowhere
PLAIN = " !$'()*+,-./:;=>?@[]^_`{|}~"  # besides letters and digits: what may stand as it is in a quoted data address
# A letter of matplotlib's text, in hundredths of its size: most of a figure with many labels, in half the characters.
GLYPH = re.compile(r'<use xlink:href="(#\w+)" transform="translate\((-?[\d.]+) (-?[\d.]+)\)"/>')
MARK = re.compile(r"<!--figure (\d+)-->")


class AlbumError(LedgerError):
    """The index of figures cannot be read; the message names the file and what is wrong."""


class Picture(NamedTuple):
    """One illustration: a "figure" for the page or a "witness" for the article of its label; `files` by suffix."""

    name: str
    kind: str
    title: str
    labels: tuple[str, ...]
    caption: str
    files: dict[str, Path]


def album(folder: Path) -> list[Picture]:
    """The pictures with an svg that the folder's index lists; without an index, every svg that is no witness's.

    Raises AlbumError for an index that cannot be read.
    """
    listed = folder / INDEX
    if not listed.is_file():
        lone = [p for p in sorted(folder.glob("*.svg")) if not p.stem.startswith("witness")]
        return [Picture(p.stem, FIGURE, p.stem.replace("_", " "), (), "", {"svg": p}) for p in lone]
    try:
        entries = json.loads(listed.read_text(encoding="utf-8"))
        pictures = [_picture(folder, entry) for entry in entries]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise AlbumError(f"cannot read the index of figures {listed}: {error!r}") from error
    return [p for p in pictures if p.kind in (FIGURE, WITNESS) and "svg" in p.files and p.files["svg"].is_file()]


def _picture(folder: Path, entry: dict[str, object]) -> Picture:
    name, kind, title, caption = (str(entry[key]) for key in ("name", "kind", "title", "caption"))
    labels, files = entry["labels"], entry["files"]
    if not isinstance(labels, list) or not isinstance(files, dict):
        raise ValueError(f"labels must be a list and files an object in the entry {name!r}")
    # Only names of files in this folder: an index is data, and may not point anywhere else.
    paths = {str(suffix): folder / Path(str(file)).name for suffix, file in files.items()}
    return Picture(name, kind, title, tuple(map(str, labels)), caption, paths)


def mark(i: int) -> str:
    """Where picture number i is to stand; `embed` puts it there. What comes from files is escaped, so that no text of
    theirs can look like this."""
    return f"<!--figure {i}-->"


def embed(text: str, pictures: Sequence[Picture], budget: int, base: str) -> str:
    """The page with its pictures: those for the page first, then the smallest, as long as it has at most `budget`
    bytes; `base` is the address of the folder, for the links to the files."""
    marked = [int(i) for i in MARK.findall(text)]
    left = budget - len(_placed(text, pictures, {}, base).encode())
    shown: dict[int, str] = {}
    images = {i: _image(pictures[i]) for i in marked}
    for i in sorted(images, key=lambda i: (pictures[i].kind != FIGURE, len(images[i]))):
        more = (len(_figure(pictures[i], image, base).encode()) for image in (images[i], ""))
        size = (next(more) - next(more)) * marked.count(i)
        if size <= left:
            left -= size
            shown[i] = images[i]
    return _placed(text, pictures, shown, base)


def _placed(text: str, pictures: Sequence[Picture], shown: Mapping[int, str], base: str) -> str:
    """The page with a figure at each mark, and in it the image if it is shown."""
    return MARK.sub(lambda found: _figure(pictures[int(found[1])], shown.get(int(found[1]), ""), base), text)


def _figure(picture: Picture, image: str, base: str) -> str:
    if picture.kind == WITNESS and not image:
        return f'<p class="small">What breaks it, as a picture {_link(picture, base)}</p>'
    said = ""
    if picture.kind == FIGURE:  # the article of a witness says all that its caption could
        said = (f"<b>{prose(picture.title)}</b> " if picture.title else "") + prose(picture.caption) + " "
    caption = f"<figcaption>{said}{_link(picture, base)}</figcaption>"
    name = f' id="{anchor(picture)}"' if picture.kind == FIGURE else ""
    return f'<figure class="picture"{name}>{image}{caption}</figure>'


def anchor(picture: Picture) -> str:
    """The id of a picture on the page."""
    return "f-" + re.sub(r"[^A-Za-z0-9-]", lambda m: f"_{ord(m[0]):x}", picture.name)


def _image(picture: Picture) -> str:
    svg = re.sub(r"\s*\n\s*", " ", picture.files["svg"].read_text(encoding="utf-8"))
    svg = GLYPH.sub(lambda g: f'<use href="{g[1]}" x="{float(g[2]):.0f}" y="{float(g[3]):.0f}"/>', svg)
    svg = svg.replace(' y="0"/>', "/>").replace("xlink:href=", "href=")
    if "'" not in svg:
        svg = svg.replace('"', "'")  # which needs no escape in the address
    # A title with formulas stands below the image, drawn as mathematics.
    alt = html.escape(picture.name if "$" in picture.title else picture.title or picture.name, quote=True)
    return f'<img loading="lazy" alt="{alt}" src="data:image/svg+xml,{quote(svg, safe=PLAIN)}"/>'


def _link(picture: Picture, base: str) -> str:
    files = [
        f'<a href="{_address(base, path.name)}">{html.escape(suffix)}</a>'
        for suffix, path in picture.files.items()
        if picture.kind == FIGURE or suffix == "svg"
    ]
    return f'<span class="small">({", ".join(files)})</span>'


def _address(base: str, name: str) -> str:
    return html.escape(quote(f"{base}/{name}"), quote=True)
