r"""Regret, its upper bound and the guarantee against T, for every family of tasks of `problems/tasks.py`.

Algorithm 1 with FTL for $\phi_t$ and $\varepsilon$-EWOO for $v_t$, $\varepsilon = DT^{-1/4}$: quadratic losses, m = 10,
d = 2, V = 0.3, on the least ball about 0 that holds the optimal actions. Every T is a game of its own. All values are
divided by $\sigma_{1:T}$. The guarantee is cor:epsewoo/explicit/corrected, evaluated by the statement; no pair
$(\phi, v)$ has an average upper bound below $2V$.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory.problems.tasks import FAMILIES
from figures.games import STATIC, deviation, guarantee, similar_run
from figures.house import BOUND, GREEN, LOOKS, Series, panel_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LENGTHS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
ROUNDS = 10
LINES = ("guarantee", "average U", "average regret", "2V")


def labels() -> tuple[str, ...]:
    """The theorem, and the explicit form that is drawn."""
    return ("thm:similarity/rate", STATIC, "eq:regret")


def compute(lengths: tuple[int, ...] = LENGTHS) -> Series:
    """For each family and line of `LINES` its value by T."""
    series: Series = {}
    T = np.array(lengths, dtype=np.float64)
    for name, family in FAMILIES.items():
        found = np.array([_values(family, length) for length in lengths])
        for line, values in zip(LINES, found.T, strict=True):
            series[f"{name}: {line}"] = (T, values)
    return series


def _values(family: object, T: int) -> tuple[float, ...]:
    made = family(np.random.default_rng(0), T, ROUNDS, 2, V=0.3, center=[0.5, 0.0])  # type: ignore[operator]
    run = similar_run(made, made.optima)
    total = float(run.sigma.sum())
    return guarantee(run), float(run.upper.sum()) / total, float(run.regret.sum()) / total, 2 * deviation(run)


def caption(series: Series) -> str:
    """The setting, and how far the lines are apart at the end."""
    last = {name: float(y[-1]) for name, (_, y) in series.items()}
    slack = [last[f"{f}: guarantee"] / last[f"{f}: average U"] for f in FAMILIES]
    unused = [last[f"{f}: average U"] / last[f"{f}: average regret"] for f in FAMILIES]
    T = int(series["similar: 2V"][0][-1])
    return (
        r"Average regret, average upper bound $\bar U_T$ and the explicit guarantee of Corollary C.3, corrected, "
        r"against the number of tasks, in units of $G\sqrt m$, for every family of tasks (quadratic losses, $m=10$, "
        rf"$d=2$, $V=0.3$). After {T} tasks the guarantee is {min(slack):.1f} to {max(slack):.1f} times the average "
        rf"upper bound, and that {min(unused):.0f} to {max(unused):.0f} times the regret: these losses are no "
        "adversary."
    )


def draw(fig: Figure, series: Series) -> None:
    """One panel for each family, on common axes."""
    fig.set_size_inches(9.6, 4.4)
    grid = fig.subplots(2, 5, sharex=True, sharey=True)
    looks = (BOUND.line, LOOKS[1].both, LOOKS[0].both, {"color": GREEN, "linestyle": ":"})
    names = ("guarantee (cor. C.3, corrected)", r"average $U_t$", "average regret", "$2V$")
    for ax, family in zip(grid.flat, FAMILIES, strict=True):
        for line, look, name in zip(LINES, looks, names, strict=True):
            T, y = series[f"{family}: {line}"]
            ax.plot(T, np.where(y > 0, y, np.nan), label=name, markersize=3.5, **look)
        ax.set(xscale="log", yscale="log")
        ax.set_xticks([16, 256, 4096], ["16", "256", "4096"], minor=False)
        ax.minorticks_off()
        ax.tick_params(labelsize=8)
        ax.set_ylim(3e-3, 60)
        panel_title(ax, family.replace("_", " "))
    for ax in grid[1]:
        ax.set_xlabel("tasks $T$")
    for ax in grid[:, 0]:
        ax.set_ylabel(r"in units of $G\sqrt{m}$")
    fig.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
