r"""Learning rates by block of coordinates, in the style of the paper's Figure 2.

The paper shows what Algorithm 2 learns for the layers of a convolutional net: shared feature extractors are updated
much less than the layers above them. Here the "layers" are blocks of coordinates whose optimal values differ from task
to task by a deviation that grows from block to block, in gradients that are equally noisy everywhere. Serial Reptile
with the rates of Algorithm 2 finds that out by itself: it is told neither the optimal actions nor the blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory.learners.algorithm2 import Aruba
from arubatheory.problems.tasks import quadratics, tasks
from arubatheory.untried.reptile import reptile
from figures.house import BLACK, LOOKS, Series, panel_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPREADS = (0.0, 0.1, 0.3, 0.6, 1.0)  # of the optimal values of a block, from task to task
WIDTH, ROUNDS, NOISE = 12, 10, 1.0  # coordinates of a block, rounds, the noise of one coordinate


def labels() -> tuple[str, ...]:
    """The rates of Algorithm 2 are those of eq:percoord; where they begin."""
    return ("eq:percoord", "text:initial-rate")


def compute(T: int = 600) -> Series:
    """The last rates, coordinate by coordinate for each block, and the mean rate of a block over the tasks."""
    rng, d = np.random.default_rng(5), WIDTH * len(SPREADS)
    optima = np.repeat(SPREADS, WIDTH) * rng.standard_normal((T, d))
    made = tasks([quadratics(rng, ROUNDS, x, NOISE * np.sqrt(d)) for x in optima])
    run = reptile(made, np.zeros(d), Aruba(np.zeros(d), 0.3, np.sqrt(ROUNDS)), weight=0.1)
    steps = np.unique(np.geomspace(1, T, 60).round().astype(np.int64)) - 1
    series: Series = {}
    for k, spread in enumerate(SPREADS):
        block = run.eta[:, k * WIDTH : (k + 1) * WIDTH]
        series[f"block {k + 1} (deviation {spread:g})"] = (np.arange(1.0, WIDTH + 1), block[-1])
        series[f"block {k + 1} over tasks"] = (steps + 1.0, block[steps].mean(axis=1))
    return series


def caption(series: Series) -> str:
    """How far the blocks are apart."""
    means = [f"{y.mean():.3f}" for name, (_, y) in series.items() if "deviation" in name]
    return (
        r"Figure 2 of the paper on synthetic blocks in place of layers: the learning rates $\eta_{T,j}$ that Algorithm "
        f"2 ends with under Reptile, coordinate by coordinate (left), and their means over the tasks (right). Blocks "
        f"whose optimal values differ by {', '.join(f'{s:g}' for s in SPREADS)} from task to task end at mean rates "
        f"{', '.join(means)}: what is shared is not updated much, what differs is."
    )


def draw(fig: Figure, series: Series) -> None:
    """Left the last rates as shades, right the means over the tasks."""
    fig.set_size_inches(8.4, 3.3)
    left, right = fig.subplots(1, 2, width_ratios=[1.15, 1])
    _draw_shades(fig, left, series)
    for k, look in zip(range(len(SPREADS)), LOOKS, strict=False):
        right.plot(*series[f"block {k + 1} over tasks"], label=f"block {k + 1}", **look.line)
    right.set(xscale="log", yscale="log", xlabel="task $t$", ylabel=r"mean $\eta_{t,j}$ of a block")
    right.set_yticks([0.03, 0.05, 0.1, 0.2], ["0.03", "0.05", "0.1", "0.2"])
    right.minorticks_off()
    right.legend(loc="lower left", ncols=2)
    panel_title(right, "Learning the rates", 9.5)


def _draw_shades(fig: Figure, ax: Axes, series: Series) -> None:
    names = [name for name in series if "deviation" in name]
    eta = np.array([series[name][1] for name in names])
    shades = ax.pcolormesh(eta, cmap="cividis", edgecolors="white", linewidth=0.5)
    for k, row in enumerate(eta):
        ax.text(WIDTH + 0.2, k + 0.5, f"{row.mean():.3f}", va="center", fontsize=8, color=BLACK)
    words = [f"block {k + 1}\n±{spread:g}" for k, spread in enumerate(SPREADS)]
    ax.set_yticks(np.arange(len(names)) + 0.5, words, fontsize=8)
    ax.set_xticks([])
    ax.set_xlim(0, WIDTH + 2)
    ax.set_xlabel("coordinates of a block, and their mean")
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    fig.colorbar(shades, ax=ax, label=r"$\eta_{T,j}$", pad=0.01, fraction=0.05)
    panel_title(ax, "Rates at the end, by block and coordinate", 9.5)
