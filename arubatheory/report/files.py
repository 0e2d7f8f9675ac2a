r"""Text files that are never half written, and that can be written at all."""

from __future__ import annotations

import os
from pathlib import Path


def replace_text(path: Path, text: str) -> Path:
    """Write a text file, with its folder, in one step: whoever reads it finds the old text or the new one.

    Lines end as they do in `text`, on every system. Half of a pair of characters, which UTF-8 lacks, is its code.
    """
    draft = _draft(path)
    draft.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    return draft.replace(path)


def check_place(path: Path) -> None:
    """Raises OSError where `replace_text` could not put a file; nothing is left but the folder."""
    draft = _draft(path)
    draft.touch()
    draft.unlink()


def _draft(path: Path) -> Path:
    if path.exists() and not path.is_file():  # a device would be replaced, too
        raise OSError(f"{path} is not a regular file")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f"{path.name}.{os.getpid()}.new")  # two processes may write the same file
