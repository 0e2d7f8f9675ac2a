r"""Rates on a log-log scale: what grows or falls, the slope that is fitted and the slope that is claimed.

For claims of growth (`statements.growth`) the quantity is drawn over the grid of the claim for one instance of the
generator; the slope is fitted on the upper half of the grid with the claimed power of $\log T$ divided out. What is
drawn, and what is printed below each panel, has that power in it. A claim is an upper bound: a fitted slope below the
claimed one is no contradiction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arubatheory.engines.statistics import Fit, fit
from arubatheory.problems.draw import RandomDraw
from arubatheory.statements.growth import Growth
from figures.captions import statement, verdict
from figures.house import BLACK, LOOKS, Series, log_ticks, panel_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 22  # at most so many markers in a panel
SHOWN = (
    "thm:similarity/rate/fixed",
    "thm:similarity/rate/vanishing",
    "thm:dynamic/rate/fixed",
    "thm:dynamic/rate/vanishing",
    "cor:epsftl/rate/fixed",
    "cor:epsftl/rate/vanishing",
    "thm:diagonal/rate",
    "thm:diagonal/rate/degenerate",
    "thm:diagonal/rate/long-tasks",
    "thm:diagonal/rate/rounds",
    "thm:fullmatrix/rate",
    "thm:fullmatrix/rate/quarter",
    "thm:fullmatrix/rate/rounds",
    "text:adagrad-like/non-degenerate",
    "text:adagrad-like/degenerate",
)


def labels() -> tuple[str, ...]:
    """The claims that are drawn."""
    return SHOWN


def measured(label: str, seed: int = 0, longest: int | None = None) -> tuple[Growth, Fit]:
    """A claim and its fit on one drawn instance; `longest` may cut the grid short."""
    of = statement(label)
    growth: Growth = of.growth
    if longest is not None:
        growth = growth._replace(longest=min(growth.longest, max(longest, 8 * growth.shortest)))
    return growth, fit(growth, of.instance(RandomDraw(np.random.default_rng(seed))))


def compute(shown: tuple[str, ...] = SHOWN, longest: int | None = None) -> Series:
    """Of each claim the values, the fitted line on the upper half of the grid and a line of the claimed slope."""
    series: Series = {}
    for label in shown:
        growth, found = measured(label, longest=longest)
        T, y = np.array(found.T, dtype=np.float64), np.array(found.y)
        series[label] = (T[y > 0], y[y > 0])
        if found.claimed is not None:
            series[f"{label}: fitted"] = _line(T, y, found.claimed.value, growth.power)
            series[f"{label}: claimed"] = _line(T, y, growth.exponent, growth.power)
            series[f"{label}: slopes"] = (np.array([growth.exponent]), np.array([found.claimed.value]))
    return series


def _line(T: np.ndarray, y: np.ndarray, exponent: float, power: float) -> tuple[np.ndarray, np.ndarray]:
    r"""$cT^{exponent}\log^{power}T$ on the upper half of the grid, through the geometric mean of the values there."""
    upper = np.arange(len(T)) >= len(T) // 2
    kept = upper & (y > 0)
    shape = T[upper] ** exponent * np.log(T[upper]) ** power
    within = T[kept] ** exponent * np.log(T[kept]) ** power
    return T[upper], shape * math.exp(float(np.mean(np.log(y[kept]) - np.log(within))))


def power_law(growth: Growth, exponent: float) -> str:
    r"""$T^{exponent}\log^{power}T$ in the variable of the claim, with its own exponent or a fitted one."""
    x = growth.variable
    log = "" if growth.power == 0 else r"\log " + x if growth.power == 1 else rf"\log^{{{growth.power:g}}}{x}"
    return f"${x}^{{{exponent:.3g}}}{log}$"


def caption(series: Series) -> str:
    """The claimed rates, and how many slopes are at most the claimed ones."""
    shown = [name for name in series if ": " not in name]
    rates = [f"{label} {power_law(g, g.exponent)}{verdict(label)}" for label in shown if (g := statement(label).growth)]
    slopes = [v for name, v in series.items() if name.endswith(": slopes")]
    below = sum(float(fitted[0]) <= float(claimed[0]) + 0.005 for claimed, fitted in slopes)
    return (
        "Growth of what the rates are about against tasks $T$ or rounds $m$, each on one drawn instance: values, the "
        "fitted slope and the claimed one, both with the claimed power of the logarithm, so that values may rise where "
        f"the slope is negative. Claimed: {'; '.join(rates)}. "
        f"Of {len(slopes)} fitted slopes {below} are at most the claimed ones."
    )


def draw(fig: Figure, series: Series) -> None:
    """One panel for each claim."""
    shown = [name for name in series if ": " not in name]
    columns = min(5, len(shown))
    fig.set_size_inches(2.0 * columns, 1.9 * math.ceil(len(shown) / columns) + 0.4)
    grid = fig.subplots(math.ceil(len(shown) / columns), columns, squeeze=False)
    for ax, label in zip(grid.flat, shown, strict=False):
        _panel(ax, series, label)
    for ax in list(grid.flat)[len(shown) :]:
        ax.set_axis_off()
    fig.supylabel("what the claim bounds", fontsize=8.5)
    fig.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


def _panel(ax: Axes, series: Series, label: str) -> None:
    every = -(-len(series[label][0]) // POINTS)
    ax.plot(*series[label], label="measured", markersize=2.6, markevery=every, **LOOKS[0].dots)
    if f"{label}: fitted" in series:
        ax.plot(*series[f"{label}: fitted"], label="fitted slope", **LOOKS[1].line)
        ax.plot(*series[f"{label}: claimed"], label="claimed slope", color=BLACK, linestyle="-", linewidth=1.0)
    ax.set_xlabel(_below(series, label), fontsize=7.5, labelpad=2)
    ax.set(xscale="log", yscale="log")
    ax.tick_params(labelsize=7, pad=1.5)
    log_ticks(ax.xaxis)
    log_ticks(ax.yaxis)
    panel_title(ax, label, 7)


def _below(series: Series, label: str) -> str:
    """The axis, and both slopes with the power of the logarithm that is in them."""
    growth: Growth = statement(label).growth
    axis = f"${growth.variable}$"
    if f"{label}: slopes" not in series:
        return axis
    (claimed,), (fitted,) = series[f"{label}: slopes"]
    return f"{axis}: fitted {power_law(growth, round(fitted, 2))},\nclaimed {power_law(growth, claimed)}"
