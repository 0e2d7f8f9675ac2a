"""`python -m figures [NAME...]`: draw the named figures, or all of them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from figures import FIGURES, make


def main(argv: list[str] | None = None) -> int:
    """Draw figures and print the files written; 0 on success, 4 for a figure that does not exist."""
    parser = argparse.ArgumentParser(
        prog="python -m figures",
        description="Draw figures as svg, pdf, png and csv.",
        epilog="figures: " + "; ".join(f"{name} ({title})" for name, title in FIGURES.items()),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a figure's name (default: all)")
    parser.add_argument("--out", type=Path, default=Path("out/figures"), help="folder to write (default: %(default)s)")
    options = parser.parse_args(argv)
    try:
        for name in options.names or FIGURES:
            for path in make(name, options.out):
                print(path)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
