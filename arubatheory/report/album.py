r"""The illustrations that `python -m figures` left in a folder with an index, embedded as far as the page may grow.

A figure is embedded as an image in a data address (an image runs no script and reaches no network) or, where it would
make the page too large, linked where it lies. The page never imports figures/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from arubatheory.report.lean import lean
from arubatheory.report.markup import environment
from arubatheory.report.svg import address, compact
from arubatheory.statements.paper import Paper
from arubatheory.statements.untrusted import RecordError, check, parse_json, read_text, visible

INDEX = "index.json"
FIGURE, WITNESS = "figure", "witness"
MANY = 12  # labels of a picture that is about everything, and linked from nowhere
KINDS = {**dict.fromkeys(("name", "kind", "title", "caption"), str), "labels": list[str], "files": dict[str, str]}
MARK = re.compile(r"<!--figure (\d+)-->")


class Picture(NamedTuple):
    """One illustration: a "figure" for the page or a "witness" for the article of its label; `files` by suffix."""

    name: str
    kind: str
    title: str
    labels: tuple[str, ...]
    caption: str
    files: dict[str, Path]

    @property
    def alt(self) -> str:
        """What the image shows, in words; a title with formulas stands below the image, drawn as mathematics."""
        return self.name if "$" in self.title else self.title or self.name


def album(folder: Path) -> list[Picture]:
    """The pictures with an svg that the folder's index lists; without an index, every svg that is no witness's.

    Raises RecordError for an index that cannot be read.
    """
    listed = folder / INDEX
    if not listed.is_file():
        lone = [p for p in sorted(folder.glob("*.svg")) if not p.stem.startswith("witness")]
        return [Picture(p.stem, FIGURE, p.stem.replace("_", " "), (), "", {"svg": p}) for p in lone]
    try:
        entries = parse_json(read_text(listed))
        check(entries, list[Any], "it")
        pictures = [_picture(folder, entry) for entry in entries]
    except (ValueError, RecursionError) as error:
        raise RecordError(f"cannot read the index of figures {listed}: {error}") from error
    return [p for p in pictures if p.kind in (FIGURE, WITNESS) and "svg" in p.files and p.files["svg"].is_file()]


def _picture(folder: Path, entry: Any) -> Picture:
    check(entry, dict[str, Any], "an entry")
    for name, kind in KINDS.items():
        check(entry.get(name), kind, name)
    # Only names of files in this folder: an index is data, and may not point anywhere else.
    paths = {suffix: folder / Path(file).name for suffix, file in entry["files"].items()}
    return Picture(**{name: entry[name] for name in KINDS} | {"labels": tuple(entry["labels"]), "files": paths})


def mark(i: int) -> Markup:
    """Where picture number i is to stand; `embed` puts it there. What comes from files is escaped, so that no text of
    theirs can look like this."""
    return Markup(f"<!--figure {i}-->")


def embed(text: str, pictures: Sequence[Picture], budget: int, base: str, paper: Paper | None = None) -> str:
    """The page with its pictures: those for the page first, then the smallest, as long as it has at most `budget`
    bytes when it is `lean`; `base` is the address of the folder, for the links to the files."""
    template = environment(paper).get_template("picture.html")

    def drawn(i: int, image: str) -> str:
        return visible(template.render(picture=pictures[i], image=Markup(image), base=base))

    images = {i: address(compact(read_text(pictures[i].files["svg"]))) for i in _marked(text)}
    figures = {i: drawn(i, "") for i in images}
    left = budget - _size(_placed(text, figures))
    for i in sorted(images, key=lambda i: (pictures[i].kind != FIGURE, len(images[i]))):
        shown = drawn(i, images[i])
        size = (_size(f"{shown}<p>") - _size(f"{figures[i]}<p>")) * _marked(text).count(i)  # a block follows
        if size <= left:
            left -= size
            figures[i] = shown
    return _placed(text, figures)


def _size(text: str) -> int:
    return len(lean(text).encode())


def _marked(text: str) -> list[int]:
    return [int(i) for i in MARK.findall(text)]


def _placed(text: str, figures: Mapping[int, str]) -> str:
    """The page with a figure at each mark."""
    return MARK.sub(lambda found: figures[int(found[1])], text)
