r"""Text files that are never half written, and the error for a file of the record that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path


class RecordError(ValueError):
    """A file on record (a table, the index of figures) cannot be read; the message names it and what is wrong."""


def replace_text(path: Path, text: str) -> Path:
    """Write a text file, with its folder, in one step: whoever reads it finds the old text or the new one.

    Lines end as they do in `text`, on every system.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")  # two processes may write the same file
    draft.write_text(text, encoding="utf-8", newline="")
    return draft.replace(path)
