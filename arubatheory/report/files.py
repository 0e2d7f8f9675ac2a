r"""Text files that are never half written."""

from __future__ import annotations

import os
from pathlib import Path


def replace_text(path: Path, text: str) -> Path:
    """Write a text file, with its folder, in one step: whoever reads it finds the old text or the new one.

    Lines end as they do in `text`, on every system.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")  # two processes may write the same file
    draft.write_text(text, encoding="utf-8", newline="")
    return draft.replace(path)
