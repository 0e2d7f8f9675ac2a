"""What is told of `convex`: its tables, and the learned v beside the V of the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from figures.house import BLACK, LOOKS, Series, panel_title
from practice.pictures import Picture
from practice.runs import Arrays, Results
from practice.statistics import Interval, interval
from practice.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIMS = ("eps-EWOO", "eps-FTL")


def tables(results: Results, learners: tuple[str, ...], guarantees: tuple[str, ...]) -> list[Table]:
    """The data, what is paid, the learned rates, the bounds."""
    found = {unit.name: arrays for unit, arrays in results.items()}
    return [
        data(found),
        Table(
            "convex/regret",
            r"Regret, and after the stroke its upper bound, in thousandths of $DG_t\sqrt{m_t}$, averaged over tasks "
            r"with these weights: mean over orders, ± half of its 95% interval for the regret.",
            ("data", *learners),
            tuple((name, *_paid(a, len(learners))) for name, a in found.items()),
            r"Bounds of learned geometries have the gradients that were met, all others Lipschitz constants over "
            r"$\Theta$: compare them within each kind.",
        ),
        rates(found),
        bounds(found, learners, guarantees),
    ]


def _paid(a: Arrays, learners: int) -> list[str]:
    regrets = [interval(a["regret"][:, k]) for k in range(learners)]
    uppers = 1000 * a["upper"].mean(axis=0)
    return [f"{1000 * x.mean:.1f} ± {1000 * half(x):.1f} / {u:.0f}" for x, u in zip(regrets, uppers, strict=True)]


def half(x: Interval) -> float:
    """Half of an interval's width."""
    return x.high - x.mean


def data(found: dict[str, Arrays]) -> Table:
    """What the tasks are."""
    rows = []
    for name, a in found.items():
        m = a["sizes"][0]
        sizes = f"{m.min()}, {m.mean():.0f}, {m.max()}"
        rows.append((name, f"{m.size}", f"{a['skipped']} short", sizes, f"{a['d']}", f"{a['V'][0] / a['D'][0]:.3f}"))
    header = ("data", "tasks T", "left out", "losses a task: least, mean, most", "d", "V/D")
    note = "Left out are tasks with fewer than 5 losses, and what comes after the first 500. D is the diameter."
    return Table(
        "convex/data",
        r"The tasks, and how alike they are: V is the deviation of their optima.",
        header,
        tuple(rows),
        note,
    )


def rates(found: dict[str, Arrays]) -> Table:
    """How far the learned v is from V."""
    rows = []
    for name, a in found.items():
        V = a["V"]
        cells = []
        for k in range(len(SIMS)):
            limit = np.hypot(V, a["eps"][:, k]) / V
            cells += [f"{(a['last'][:, k] / V).mean():.2f}", f"{limit.mean():.2f}"]
        rows.append((name, f"{(V / a['D']).mean():.3f}", *cells))
    header = ["data", "V/D"]
    for sim in SIMS:
        header += [f"{sim}: last v/V", r"$\sqrt{V^2+\varepsilon^2}/V$"]
    return Table(
        "convex/rates",
        r"The v learned after all tasks in units of V, and what it goes to, with the $\varepsilon$ of the corollaries.",
        tuple(header),
        tuple(rows),
    )


def bounds(found: dict[str, Arrays], learners: tuple[str, ...], guarantees: tuple[str, ...]) -> Table:
    """Every bound on every sequence."""
    rows = []
    for name, a in found.items():
        closest = a["closest"].max(axis=0)
        worst = int(closest.argmax())
        share = (a["guarantees"][:, :, 0] / a["guarantees"][:, :, 1]).max(axis=0)
        plays = a["sizes"].size * len(learners)
        rows.append(
            (
                *(name, f"{plays:,}", f"{a['violations'].sum()}", f"{closest[worst]:.3f} ({learners[worst]})"),
                *(f"{x:.2g}" for x in share),
            )
        )
    return Table(
        "convex/bounds",
        r"The bounds on every real sequence: $R_t\le U_t$ in every task by every learner, and how much of a guarantee "
        r"$\sum_tU_t$ uses up, at most over the orders. Beyond 1 it would be violated.",
        ("data", "tasks played", r"$R_t>U_t$", r"largest $R_t/U_t$", *guarantees),
        tuple(rows),
    )


def figures(results: Results) -> dict[str, Picture]:
    """The learned v over the tasks."""
    series: Series = {}
    for unit, a in results.items():
        t = a["shown"][0].astype(float)
        for k, sim in enumerate(SIMS):
            series[f"{unit.name}: {sim}"] = (t, (a["v"][:, k] / a["D"][:, None]).mean(axis=0))
        series[f"{unit.name}: V"] = (t[[0, -1]], np.repeat(a["V"].mean() / a["D"].mean(), 2))
    return {"convex_rates": Picture(series, draw, caption(series))}


def caption(series: Series) -> str:
    """What is seen."""
    ends = [
        f"{name}: V {series[f'{name}: V'][1][0]:.3f}, "
        + ", ".join(f"{sim} {series[f'{name}: {sim}'][1][-1]:.3f}" for sim in SIMS)
        for name in _names(series)
    ]
    return (
        "The learned v over the tasks in units of D, mean over the orders, and the deviation V of the optima (line). "
        f"At the end: {'; '.join(ends)}."
    )


def _names(series: Series) -> list[str]:
    return list(dict.fromkeys(key.partition(":")[0] for key in series))


def draw(fig: Figure, series: Series) -> None:
    """One panel for each data set."""
    names = _names(series)
    columns = min(4, len(names))
    lines = -(-len(names) // columns)
    fig.set_size_inches(2.4 * columns + 0.6, 2.3 * lines + 0.5)
    grid = fig.subplots(lines, columns, squeeze=False, sharey=True)
    for ax, name in zip(grid.flat, names, strict=False):
        for sim, look in zip(SIMS, LOOKS, strict=False):
            ax.plot(*series[f"{name}: {sim}"], label=sim, **look.line)
        ax.plot(*series[f"{name}: V"], color=BLACK, linewidth=0.8, label="V")
        ax.set_xscale("log")
        ax.set_yscale("log")
        panel_title(ax, name)
    for ax in grid.flat[len(names) :]:
        ax.set_axis_off()
    for ax in grid[-1]:
        ax.set_xlabel("task t")
    for ax in grid[:, 0]:
        ax.set_ylabel("v / D")
    grid.flat[0].legend()
