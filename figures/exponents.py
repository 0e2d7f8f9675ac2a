r"""All measured exponents against the claimed ones: one line for each claim of growth in the paper.

Each claim is fitted on a few drawn instances; shown are the fitted slopes, with the claimed power of $\log T$ divided
out, and the claimed exponent. A claim is broken to the right of its own mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory import PAPER
from figures.captions import counts, recorded
from figures.growth import measured
from figures.house import BLACK, LOOKS, Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONG = {"text:approx-o1/rate": "more than a minute of computing for each instance"}
SEEDS = 3
BROKEN = 0.02  # a fitted exponent so far above the claimed one is called to the right of it


def labels() -> tuple[str, ...]:
    """Every claim of growth but those of `LONG`."""
    return tuple(s.label for s in PAPER if s.growth is not None and s.label not in LONG)


def compute(seeds: int = SEEDS, longest: int | None = None, shown: tuple[str, ...] | None = None) -> Series:
    """For each claim its claimed exponent and the fitted ones; ordinates count the claims."""
    series: Series = {}
    for k, label in enumerate(labels() if shown is None else shown):
        fits = [measured(label, seed, longest) for seed in range(seeds)]
        slopes = np.array([found.claimed.value for _, found in fits if found.claimed is not None])
        series[f"{label}: claimed"] = (np.array([fits[0][0].exponent]), np.array([float(k)]))
        series[f"{label}: fitted"] = (slopes, np.full(len(slopes), float(k)))
    return series


def caption(series: Series) -> str:
    """What is on record, which claims lie to the right, which are nearest and furthest, and what is left out."""
    names = _names(series)
    by_excess = sorted((name for name in names if len(series[f"{name}: fitted"][0])), key=lambda n: _excess(series, n))
    broken = [name for name in by_excess if _excess(series, name) > BROKEN]
    kept = [name for name in by_excess if name not in broken]
    ends = (("Nearest to its claim", kept[-1:]), ("furthest below", kept[:1])) if kept else ()
    extremes = "; ".join(f"{words} {_told(series, name)}" for words, found in ends for name in found)
    return (
        f"Fitted exponents of {len(names)} claims of growth ({counts(names)}), a few drawn instances each, against the "
        "claimed ones. A claim of growth is an upper bound, so marks to the left of it agree with it. To the right: "
        f"{', '.join(_told(series, name) for name in broken) or 'none'}. {extremes}{'. ' if extremes else ''}"
        f"Left out: {', '.join(f'{label} ({why})' for label, why in LONG.items())}."
    )


def _told(series: Series, label: str) -> str:
    """A claim with its largest fitted exponent and the claimed one."""
    (claimed,), _ = series[f"{label}: claimed"]
    return f"{label} ({series[f'{label}: fitted'][0].max():.2f} for {claimed:.3g})"


def _names(series: Series) -> list[str]:
    return [name.removesuffix(": claimed") for name in series if name.endswith(": claimed")]


def _excess(series: Series, label: str) -> float:
    fitted = series[f"{label}: fitted"][0]
    return float(fitted.max() - series[f"{label}: claimed"][0][0]) if len(fitted) else -np.inf


def draw(fig: Figure, series: Series) -> None:
    """One row for each claim."""
    names = _names(series)
    fig.set_size_inches(6.8, 0.165 * len(names) + 1.0)
    ax = fig.subplots()
    for k, label in enumerate(names):
        ax.plot(*series[f"{label}: fitted"], label="fitted" if k == 0 else None, markersize=4, **LOOKS[0].dots)
        ax.plot(
            *series[f"{label}: claimed"],
            label="claimed" if k == 0 else None,
            color=BLACK,
            marker="|",
            linestyle="none",
            markersize=9,
            markeredgewidth=1.8,
        )
    status = {label: recorded()[label].status if label in recorded() else "" for label in names}
    words = [
        f"{label}  ({status[label]})" if status[label] not in ("", "SURVIVED", "PROVED") else label for label in names
    ]
    ax.set_yticks(range(len(names)), words, fontsize=7)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel("exponent of $T$ (of $m$ or $d$ in rate/rounds and rate/coordinates)")
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
