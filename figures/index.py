r"""`index.json`: which figure shows which statements, and its caption.

A list of objects with `name`, `kind` (figure, witness, sheet), `title`, `labels`, `caption` and `files` (format to file
name). A run that makes some of the figures keeps the entries of the others as long as their files are there.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arubatheory.report.files import replace_text
from figures.captions import caption

if TYPE_CHECKING:
    from figures import Plate

FILE = "index.json"
ORDER = ("figure", "witness", "sheet")


def read(out: Path) -> list[dict[str, Any]]:
    """The entries of the figures in a folder; none where there is no index."""
    path = out / FILE
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return [entry for entry in entries if all((out / file).is_file() for file in entry["files"].values())]


def record(out: Path, plate: Plate, labels: tuple[str, ...], words: str) -> None:
    """Put one figure into the index: in the place it had, or at the end of its kind."""
    entries = read(out)
    entry = {
        "name": plate.name,
        "kind": plate.kind,
        "title": plate.title,
        "labels": list(labels),
        "caption": caption(words, labels if plate.kind == "figure" else ()),
        "files": {suffix: f"{plate.name}.{suffix}" for suffix in plate.formats},
    }
    places = [i for i, old in enumerate(entries) if old["name"] == plate.name]
    if places:
        entries[places[0]] = entry
    else:
        entries.append(entry)
    entries.sort(key=lambda old: ORDER.index(old["kind"]))
    _write(out, entries)


def prune(out: Path, names: Collection[str]) -> None:
    """Forget all figures but these: after a run that has made all there are."""
    _write(out, [entry for entry in read(out) if entry["name"] in names])


def _write(out: Path, entries: list[dict[str, Any]]) -> None:
    replace_text(out / FILE, json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
