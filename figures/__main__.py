"""`python -m figures [NAME...]`: draw the named figures, or all of them."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # sums in another order would be other bytes

import argparse  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from figures import FIGURES, catalogue, index, make  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Draw figures and print the files written; 0 on success, 4 for a figure that does not exist."""
    parser = argparse.ArgumentParser(
        prog="python -m figures",
        description="Draw figures as svg, pdf, png and csv, with an index of which shows which statement.",
        epilog="figures: "
        + "; ".join(f"{name} ({title})" for name, title in FIGURES.items())
        + "; one witness-LABEL for each refuted statement of the ledger; one witnesses_SECTION for each section",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a figure's name (default: all)")
    parser.add_argument("--out", type=Path, default=Path("out/figures"), help="folder to write (default: %(default)s)")
    options = parser.parse_args(argv)
    try:
        names = options.names or list(catalogue())
        for name in names:
            for path in make(name, options.out):
                print(path)
        if not options.names:
            index.prune(options.out, names)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
