r"""Illustrations of the paper's statements: `python -m figures [NAME...]`.

One module per figure:

* `labels() -> tuple[str, ...]`: the statements it illustrates;
* `compute(...) -> Series`: numbers, from the package's own learners, statements and ledger. The defaults are the
  figure's; tests give smaller sizes. What is drawn is what is in the csv beside it;
* `draw(fig, series)`: the picture;
* `caption(series) -> str`: what is seen, in words and numbers; the statements' own formulas are added to it.

A new figure is a module and one line of `FIGURES`. The module `witnesses` makes one figure for each refuted statement
of the ledger, and its functions take that label first; `witness_sheets` puts those of a section on pages.

`index.json` beside the files says which figure shows which statements.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from figures.house import AS_TEXT, STYLE, settle, write

FIGURES = {
    "similarity": "Figure 1: average deviation against maximal deviation, and a drifting comparator",
    "families": "Regret, its upper bound and the guarantee against the number of tasks",
    "learned_rates": r"The learned $v_t$ and $\eta_t$ over the tasks",
    "posterior": "EWOO's density over v as it concentrates",
    "growth": "Rates on a log-log scale, with the fitted and the claimed slope",
    "exponents": "All measured exponents against the claimed ones",
    "blocks": "Figure 2: learning rates by block of coordinates",
    "ellipses": "The full matrix H against the covariance of the tasks",
    "diagonal_rates": "The rate of learning a diagonal, for regularisers that fade like a power of t, or enter once",
    "matrix_rates": "The rate of learning a full matrix, in T and in d",
    "tightness": "How close statements come to their bounds: worst ratios on record",
    "bound_at_work": "Theorem A.1 at work: the regret of lazy OGD, its bound, and how close the two can come",
}
FORMATS = ("svg", "pdf", "png", "csv")


class Plate(NamedTuple):
    """One figure to be made: the module, what its functions are asked for, and the formats to write."""

    name: str
    title: str
    kind: str
    module: str
    arguments: tuple[str, ...] = ()
    formats: tuple[str, ...] = FORMATS


def catalogue() -> dict[str, Plate]:
    """Every figure by name, in the order in which they are shown: `FIGURES`, then the witnesses and their sheets."""
    from figures import witness_sheets, witnesses  # they read the ledger and the statements

    plates = [Plate(name, title, "figure", name) for name, title in FIGURES.items()]
    plates += [
        Plate(witnesses.name(label), witnesses.title(label), "witness", "witnesses", (label,), ("svg", "csv"))
        for label in witnesses.refuted()
    ]
    plates += [
        Plate(
            f"witnesses_{page}",
            f"What breaks the refuted statements of section {page.replace('_', ', page ')}",
            "sheet",
            "witness_sheets",
            (page,),
        )
        for page in witness_sheets.pages()
    ]
    return {plate.name: plate for plate in plates}


def make(name: str, out: Path, **sizes: Any) -> list[Path]:
    """Compute and draw one figure into the folder `out`; the files written, one for each of its formats.

    `sizes` are those of the module's `compute`. Raises ValueError for a name that is in no catalogue.
    """
    import numpy as np
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from figures import index

    plate = Plate(name, FIGURES[name], "figure", name) if name in FIGURES else catalogue().get(name)
    if plate is None:
        raise ValueError(f"name must be one of {', '.join(FIGURES)} or that of a witness, got {name!r}")
    module = importlib.import_module(f"figures.{plate.module}")
    series = module.compute(*plate.arguments, **sizes)
    out.mkdir(parents=True, exist_ok=True)
    style = STYLE | (AS_TEXT if plate.kind == "witness" else {})
    with rc_context(style), np.errstate(over="ignore"):  # a tick beyond all floats, which no axis reaches
        fig = Figure(layout="constrained")
        module.draw(fig, series)
        settle(fig)
        paths = [write(fig, series, out / f"{name}.{suffix}") for suffix in plate.formats]
    index.record(out, plate, module.labels(*plate.arguments), module.caption(series, *plate.arguments))
    return paths
