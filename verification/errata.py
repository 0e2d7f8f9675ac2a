r"""What a reader of the paper should know: `python -m verification.errata` writes ERRATA.md.

A test compares the committed file with what this makes, so it is written again whenever a verdict is recorded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from arubatheory.papers.aruba import ARUBA
from arubatheory.report.errata import present
from arubatheory.report.files import replace_text

HOME = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.errata", description=__doc__)
    parser.add_argument("--output", type=Path, default=HOME / ARUBA.errata)
    given = parser.parse_args(arguments)
    print(replace_text(given.output, present(ARUBA, HOME)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
