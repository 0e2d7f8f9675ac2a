r"""The learned $v_t$ and $\eta_t = v_t/\sigma_t$ over the tasks.

Four families, quadratic losses, tasks of 5 to 50 rounds: $v_t$ by $\varepsilon$-EWOO (thm:similarity) and by
$\varepsilon$-FTL (cor:epsftl) goes to $\sqrt{V^2 + \varepsilon^2}$, which is best in hindsight for the regularised
losses $\sigma_t((B_t^2 + \varepsilon^2)/v + v)$ that are played, and not to the deviation V itself; $\eta_t$ goes up
and down with the number of rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arubatheory.learners.meta import Sim, eps_ewoo_rate, eps_ftl_rate, mean, meta_learn
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import FAMILIES
from figures.games import deviation, enclosing, paper_eps
from figures.house import BLACK, LOOKS, Series, panel_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = {"similar": 0.3, "alternating": 0.3, "drifting": 0.1, "equal_tasks": 0.0}
SIMS = ("eps-EWOO", "eps-FTL")
DOTS = 70
THIN: dict[str, dict[str, Any]] = {"limit": {"linewidth": 0.7}, "V": {"linewidth": 0.7, "linestyle": (0, (1, 4))}}
NAMES = {"limit": r"limit $\sqrt{V^2+\varepsilon^2}$", "V": "$V$"}


def labels() -> tuple[str, ...]:
    """The theorem and the corollary whose SIMs are shown."""
    return ("thm:similarity/rate", "cor:epsftl/rate", "eq:ewoo/regret")


def compute(T: int = 2000) -> Series:
    r"""For each family and SIM: $v_t$ on a logarithmic grid of t, $\eta_t$ of every so many tasks, V and the limit."""
    series: Series = {}
    steps = np.unique(np.geomspace(1, T, 60).round().astype(np.int64)) - 1
    every = np.unique(np.geomspace(1, T, DOTS).round().astype(np.int64)) - 1
    for family, V in SHOWN.items():
        rng = np.random.default_rng(3)
        made = FAMILIES[family](rng, T, rng.integers(5, 51, T), 2, V=V, center=[0.4, 0.0])
        domain = enclosing(made.optima)
        D = float(2 * domain.radius[0])
        small = (paper_eps(domain, T), D * T**-0.2)
        sims: tuple[Sim, ...] = (eps_ewoo_rate(D, small[0]), eps_ftl_rate(D, small[1]))
        for name, sim, eps in zip(SIMS, sims, small, strict=True):
            run = meta_learn(made.tasks, domain, euclidean(2), mean(np.zeros(2)), sim, optima=made.optima)
            series[f"{name}: {family}: v"] = (steps + 1.0, run.v[steps])
            series[f"{name}: {family}: eta"] = (every + 1.0, run.eta[every])
            ends, away = np.array([1.0, T]), deviation(run)
            series[f"{name}: {family}: V"] = (ends, np.full(2, away))
            series[f"{name}: {family}: limit"] = (ends, np.full(2, np.hypot(away, eps)))
    return series


def caption(series: Series) -> str:
    """What is learned, and where it ends."""
    last = {name: f"{y[-1]:.2f}" for name, (_, y) in series.items()}
    ends = [
        f"{family.replace('_', ' ')} ($V={last[f'{SIMS[0]}: {family}: V']}$) "
        + " and ".join(f"{last[f'{sim}: {family}: v']} ({last[f'{sim}: {family}: limit']})" for sim in SIMS)
        for family in SHOWN
    ]
    T = int(series["eps-EWOO: similar: V"][0][-1])
    return (
        rf"The learned $v_t$ (above) and step sizes $\eta_t=v_t/(G_t\sqrt{{m_t}})$ (below) over {T} tasks of 5 to 50 "
        rf"rounds, by $\varepsilon$-EWOO and by $\varepsilon$-FTL. Thin lines are the limits "
        r"$\sqrt{V^2+\varepsilon^2}$, best in hindsight for the regularised losses that are played, each with the "
        r"$\varepsilon$ of its learner; thin dots are the deviations V (0 for equal tasks, not on the axis). At the "
        rf"end $v$ is, by the one and by the other, with the limit in brackets: {'; '.join(ends)}."
    )


def draw(fig: Figure, series: Series) -> None:
    """Above $v_t$, below $\\eta_t$; one column for each SIM."""
    fig.set_size_inches(9.0, 5.2)
    grid = fig.subplots(2, 2, sharex=True, sharey="row")
    for column, sim in enumerate(SIMS):
        _draw_v(grid[0, column], series, sim)
        _draw_eta(grid[1, column], series, sim)
        panel_title(grid[0, column], sim.replace("eps", r"$\varepsilon$"), 9.5)
        grid[1, column].set_xlabel("task $t$")
    grid[0, 0].set_ylabel("$v_t$")
    grid[1, 0].set_ylabel(r"$\eta_t$")
    fig.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=6)


def _draw_v(ax: Axes, series: Series, sim: str) -> None:
    for family, look in zip(SHOWN, LOOKS, strict=False):
        ax.plot(*series[f"{sim}: {family}: v"], label=family.replace("_", " "), **look.line)
        for name, thin in THIN.items():
            x, y = series[f"{sim}: {family}: {name}"]
            ax.plot(x, np.where(y > 1e-9, y, np.nan), color=look.color, **thin)
    for name, thin in THIN.items():
        ax.plot([], [], color=BLACK, label=f"its {NAMES[name]}", **thin)
    ax.set(xscale="log", yscale="log")
    ax.set_yticks([0.1, 0.2, 0.5, 1, 2], ["0.1", "0.2", "0.5", "1", "2"])
    ax.minorticks_off()


def _draw_eta(ax: Axes, series: Series, sim: str) -> None:
    for family, look in zip(SHOWN, LOOKS, strict=False):
        ax.plot(*series[f"{sim}: {family}: eta"], markersize=2.8, **look.dots)
    ax.set(yscale="log")
    ax.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    ax.minorticks_off()
