r"""One small picture for each refuted statement: the instance that breaks it, both sides, and how they grow.

The simplest witness of the ledger, as its file holds it. Left the instance: its losses or sequences, or its numbers
where there is nothing else. Then both sides with their certified values. Right, where the witness has a length or a
scale that can be drawn differently, both sides as it varies (see `witness_parts`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from arubatheory.engines.verdict import Status, Witness
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.outcome import ratio_text
from figures import captions
from figures.house import Series
from figures.witness_panels import draw_row, pair
from figures.witness_parts import LENGTHS, broken_by, curves, floats, growing, number, parts, slices

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@functools.cache
def refuted() -> tuple[str, ...]:
    """The refuted statements of the ledger that have a witness of this version's statements, in its order."""
    return tuple(
        label
        for label, row in captions.recorded().items()
        if row.status == Status.REFUTED and row.witness and (captions.ROOT / ARUBA.witnesses / row.witness).is_file()
    )


def name(label: str) -> str:
    """The name of a statement's figure."""
    return f"witness-{file_stem(label)}"


def title(label: str) -> str:
    """The title of a statement's figure."""
    return f"What breaks {label}"


def labels(label: str) -> tuple[str, ...]:
    """The statement itself."""
    return (label,)


def witness(label: str) -> Witness:
    """The simplest witness on record. Raises ValueError for a statement that is not refuted."""
    if label not in refuted():
        raise ValueError(f"label must be that of a refuted statement of the ledger, got {label!r}")
    return read_witness(captions.ROOT / ARUBA.witnesses / captions.recorded()[label].witness)


@functools.cache
def compute(label: str) -> Series:
    """Certified sides (none where they are undefined), what there is of the instance, and sides as something grows."""
    of, found = captions.statement(label), witness(label)
    series: Series = {}
    if found.certified != "undefined":
        series["lhs"] = (np.zeros(1), np.array([number(found.lhs)]))
        series["rhs"] = (np.zeros(1), np.array([number(found.rhs)]))
    instance = floats(found, of)
    series |= slices(instance) | parts(instance)
    if "lhs" in series:
        broken = broken_by(of, instance)
        other = growing(of, found, broken)
        series |= {} if other is None else curves(of, *other, broken)
    return series


def caption(series: Series, label: str) -> str:
    """The statement, and what its witness says."""
    found = witness(label)
    sides = (
        "a side is no real number on an instance on which every assumption holds"
        if found.certified == "undefined"
        else "lhs = {} > rhs = {} ".format(*pair(float(series["lhs"][1][0]), float(series["rhs"][1][0])))
        + f"({found.measure} {ratio_text(found.ratio, found.measure)}, certified)"
    )
    more = f" {_growth(grown(series))}" if "lhs" in series else ""
    return f"{captions.quoted(label)} The simplest witness: {sides}.{more}"


def grown(series: Series) -> str | None:
    """Along what the sides of a witness are shown to vary; None where they are not shown to."""
    return next((name.split()[2] for name in series if name.startswith("lhs as ")), None)


def _growth(along: str | None) -> str:
    if along in LENGTHS:
        return f"Right: both sides as {'the length of the instance' if along == 'length' else along} varies."
    fixed = "no length of the instance can be drawn differently by itself"
    return f"Right: both sides as {along} varies; {fixed}." if along else f"{fixed.capitalize()}."


def draw(fig: Figure, series: Series) -> None:
    """The instance, both sides, and how they grow, in one row."""
    fig.set_size_inches(6.4, 1.75)
    draw_row(fig, series)
