"""`python -m practice NAME|all [--quick]`: compute an experiment, print its tables, draw its figures."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # one core for each process, and sums in one order

import argparse  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

from practice import EXPERIMENTS, runs, tables  # noqa: E402
from practice.datasets import DataError  # noqa: E402
from practice.pictures import save  # noqa: E402

PAGE = runs.ROOT / "docs" / "practice.md"
DRAWN = runs.ROOT / "docs" / "practice"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    out = argparse.ArgumentParser(
        prog="python -m practice",
        description="The paper's algorithms on real tasks: tables in Markdown, figures as svg, png and csv.",
        epilog="experiments: " + "; ".join(f"{name} ({title})" for name, title in EXPERIMENTS.items()),
    )
    out.add_argument("name", choices=[*EXPERIMENTS, "all"], help="an experiment, or all of them")
    out.add_argument("--quick", action="store_true", help="small sizes, in seconds: says nothing about the paper")
    out.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    out.add_argument("--table", metavar="TABLE", help="print this table only, and draw nothing")
    out.add_argument("--record", action="store_true", help="write tables and figures into docs/practice")
    out.add_argument("--out", type=Path, default=Path("out/practice"), help="folder of figures (default: %(default)s)")
    out.add_argument("--cache", type=Path, default=Path(".cache/practice"), help="kept results (default: %(default)s)")
    out.add_argument("--shakespeare", metavar="DIR", help="LEAF's by_play_and_character, instead of the packed roles")
    out.add_argument("--omniglot", metavar="DIR", help="Omniglot's images_background, instead of the packed drawings")
    return out


def main(argv: list[str] | None = None) -> int:
    """Run what the command line asks for; 0 on success, 4 for data or a table that cannot be had."""
    options = parser().parse_args(argv)
    try:
        if options.record and options.quick:
            raise ValueError("--record writes what full sizes give, and not that of --quick")
        names = list(EXPERIMENTS) if options.name == "all" else [options.name]
        wanted = runs.Options(options.quick, options.shakespeare, options.omniglot)
        units = {name: runs.experiment(name).units(wanted) for name in names}
        results = runs.run(list(dict.fromkeys(u for own in units.values() for u in own)), options.cache, options.jobs)
        for name in names:
            show(name, {unit: results[unit] for unit in units[name]}, options)
    except (DataError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    return 0


def show(name: str, results: runs.Results, options: argparse.Namespace) -> None:
    """Print the tables of an experiment and draw its figures."""
    made = runs.experiment(name).tables(results)
    chosen = [table for table in made if options.table in (None, table.name)]
    if not chosen and options.name != "all":
        raise ValueError(f"--table must be one of {', '.join(t.name for t in made)}, got {options.table!r}")
    print("\n\n".join(table.markdown() for table in chosen) + "\n")
    if options.record:
        tables.record(PAGE, chosen)
    for title, picture in {} if options.table else runs.experiment(name).figures(results).items():
        files = save(title, picture, options.out)
        files += save(title, picture, DRAWN, ("svg", "csv")) if options.record else []
        print(*files, picture.caption, sep="\n", end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
