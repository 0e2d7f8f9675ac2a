r"""Figure 1 of the paper, from actual runs, with the guarantees' values beside the picture.

Left: tasks in a cluster and a few far away. The average deviation $V$ of the optimal actions is small, the largest
distance $D^\ast$ between two of them is not; $V$ is what thm:similarity pays in the long run, $2V$ in units of
$G\sqrt m$. Who knows only $D^\ast$ has to take $v = D^\ast/\sqrt2$, at which no task costs more than
$(B_R/v + v) \le \sqrt2 D^\ast$.

Right: optimal actions that follow a path. $V$ is large, but the deviation $V_\Psi$ from the path is small and so is
its length per task, which is what thm:dynamic asks for: INIT is OGD here.

All values are averages over tasks in units of $\sigma = G\sqrt m$. The losses are distances, so that G = 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import MetaTrajectory, descent
from arubatheory.problems.tasks import path_length
from figures.games import DYNAMIC, STATIC, around, deviation, guarantee, similar_run
from figures.house import BLACK, BLUE, SKY, VERMILION, Series, panel_title, print_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROUNDS, SHOWN = 16, 250
OUTLIERS = np.array([[0.9, -0.75], [-1.05, -0.25], [-0.3, 1.1], [1.15, 0.55]])


def labels() -> tuple[str, ...]:
    """Both theorems that the paper's Figure 1 illustrates, and their explicit twins, which are evaluated."""
    return ("thm:similarity/rate", "thm:dynamic/rate", STATIC, DYNAMIC, "text:v-below-dstar/outlier")


def cluster(T: int) -> Array:
    """T optimal actions: a cluster about (0.15, 0.1) and one in a hundred far away."""
    rng = np.random.default_rng(1)
    points = np.array([0.15, 0.1]) + 0.06 * rng.standard_normal((T, 2))
    far = np.arange(50, T, 100)
    points[far] = OUTLIERS[np.arange(len(far)) % len(OUTLIERS)] + 0.04 * rng.standard_normal((len(far), 2))
    return points


def drift(T: int) -> tuple[Array, Array]:
    r"""T optimal actions near a path, and the path $\psi_t$: one slow turn of a spiral."""
    rng, s = np.random.default_rng(2), np.linspace(0, 1, T)
    angle = 0.3 + 1.6 * np.pi * s
    psi = (0.5 + 0.55 * s)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return psi + 0.03 * rng.standard_normal((T, 2)), psi


def largest_distance(points: Array) -> tuple[Array, float]:
    r"""The two points (2, d) that are $D^\ast$ apart, among those on the outside."""
    out = points[np.argsort(-np.linalg.norm(points - points.mean(axis=0), axis=1))[:200]]
    gaps = np.linalg.norm(out[:, None] - out[None], axis=2)
    i, j = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    return out[[i, j]], float(gaps[i, j])


def compute(T: int = 20000) -> Series:
    """Some of the optimal actions of both pictures, what is drawn through them, and the numbers printed beside them."""
    series: Series = {}
    star = cluster(T)
    run = similar_run(around(star, ROUNDS), star)
    pair, far = largest_distance(star)
    shown = np.unique(np.concatenate([np.arange(0, T, max(T // SHOWN, 1)), np.arange(50, T, 100)[:24]]))
    series["left: optimal actions"] = _xy(star[shown])
    series["left: mean"] = _xy(star.mean(axis=0)[None])
    series["left: largest distance"] = _xy(pair)
    _values(
        series,
        "left",
        run,
        {"sqrt2 D*": np.sqrt(2) * far, "D*": far, "2V": 2 * deviation(run), "guarantee": guarantee(run, STATIC)},
    )
    star, psi = drift(T)
    shown = np.arange(0, T, max(T // SHOWN, 1))
    run = similar_run(around(star, ROUNDS, noise=0.2), star)
    moving = similar_run(around(star, ROUNDS, noise=0.2), star, descent(np.zeros(2), 1 / np.sqrt(ROUNDS)))
    series["right: optimal actions"], series["right: path"] = _xy(star[shown]), _xy(psi[shown])
    series["right: mean"] = _xy(star.mean(axis=0)[None])
    _values(
        series,
        "right",
        moving,
        {
            "2V": 2 * deviation(run),
            "4V_Psi": 4 * deviation(moving, psi),
            "P_Psi": path_length(psi),
            "static guarantee": guarantee(run, STATIC),
            "dynamic guarantee": guarantee(moving, DYNAMIC, psi),
            "average U, FTL": run.upper.sum() / run.sigma.sum(),
        },
    )
    return series


def _xy(points: Array) -> tuple[Array, Array]:
    return points[:, 0], points[:, 1]


def _values(series: Series, side: str, run: MetaTrajectory, values: dict[str, float]) -> None:
    total = run.sigma.sum()
    values = {**values, "average U": run.upper.sum() / total, "average regret": run.regret.sum() / total}
    for name, value in values.items():
        series[f"{side}: {name}"] = (np.zeros(1), np.array([float(value)]))


def _value(series: Series, name: str) -> float:
    return float(series[name][1][0])


def caption(series: Series) -> str:
    """Both pictures and the guarantees that they are about."""
    v = {name: f"{_value(series, name):.2f}" for name in series if len(series[name][1]) == 1}
    return (
        r"Figure 1 of the paper from actual runs of Algorithm 1; values are averages over tasks in units of "
        r"$G\sqrt m$. Left: optimal actions in a cluster and a few far away; the average deviation gives "
        rf"$2V={v['left: 2V']}$, the largest distance $\sqrt2D^*={v['left: sqrt2 D*']}$; the run paid an upper bound "
        rf"of {v['left: average U']}, the explicit guarantee of Corollary C.3, corrected, is "
        rf"{v['left: guarantee']}. Right: optimal actions along a "
        rf"path; $2V={v['right: 2V']}$, but $4V_\Psi={v['right: 4V_Psi']}$ at length $P_\Psi={v['right: P_Psi']}$; the "
        rf"dynamic guarantee (Corollary C.4, corrected) is {v['right: dynamic guarantee']}, the static one (C.3, "
        rf"corrected) {v['right: static guarantee']}."
    )


def draw(fig: Figure, series: Series) -> None:
    """Two pictures, each with its numbers to the right."""
    fig.set_size_inches(9.6, 3.7)
    axes = fig.subplots(1, 4, width_ratios=[1.0, 0.88, 1.0, 0.88])
    _draw_left(axes[0], series)
    _draw_right(axes[2], series)
    for ax in axes[1::2]:
        ax.text(0.0, -0.09, "averages over tasks, in units of $G\\sqrt{m}$", transform=ax.transAxes, fontsize=8)
    print_values(axes[1], _table(series, "left", LEFT_ROWS))
    print_values(axes[3], _table(series, "right", RIGHT_ROWS))


LEFT_ROWS = (
    ("In the long run", ""),
    ("  by deviation, $2V$", "2V"),
    ("  by distance, $\\sqrt{2}\\,D^*$", "sqrt2 D*"),
    ("Cor. C.3, corrected", ""),
    ("  explicit, by $V$", "guarantee"),
    ("What was paid", ""),
    ("  average $U_t$", "average U"),
    ("  average regret", "average regret"),
)
RIGHT_ROWS = (
    ("In the long run", ""),
    ("  static, $2V$", "2V"),
    ("  dynamic, $4V_\\Psi$", "4V_Psi"),
    ("Cor. C.3, C.4, corrected", ""),
    ("  static (FTL)", "static guarantee"),
    ("  dynamic (OGD)", "dynamic guarantee"),
    ("What was paid", ""),
    ("  average $U_t$, FTL", "average U, FTL"),
    ("  average $U_t$, OGD", "average U"),
    ("  regret, OGD", "average regret"),
)


def _table(series: Series, side: str, lines: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(name, f"{_value(series, f'{side}: {key}'):.2f}" if key else "") for name, key in lines]


def _circle(ax: Axes, series: Series, side: str, radius: float) -> None:
    angle = np.linspace(0, 2 * np.pi, 100)
    (x,), (y,) = series[f"{side}: mean"]
    ax.plot(
        x + radius * np.cos(angle),
        y + radius * np.sin(angle),
        color=BLUE,
        linestyle="--",
        label=r"rms distance $\sqrt{2}\,V$",
    )
    ax.plot([x], [y], color=BLUE, marker="+", linestyle="none", markersize=8, label="mean")


def _square(ax: Axes) -> None:
    ax.set_aspect("equal", adjustable="datalim")
    ax.tick_params(labelbottom=False, labelleft=False, length=0)
    ax.grid(False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, fontsize=7.5, columnspacing=1.0)


def _draw_left(ax: Axes, series: Series) -> None:
    x, y = series["left: optimal actions"]
    ax.plot(x, y, color=SKY, marker="o", linestyle="none", markersize=2.0, label=r"$\theta_t^*$")
    _circle(ax, series, "left", _value(series, "left: 2V") / np.sqrt(2))
    ax.plot(*series["left: largest distance"], color=VERMILION, marker="|", label="largest distance $D^*$")
    panel_title(ax, "Similar tasks with outliers", 9.5)
    _square(ax)


def _draw_right(ax: Axes, series: Series) -> None:
    x, y = series["right: optimal actions"]
    ax.plot(x, y, color=SKY, marker="o", linestyle="none", markersize=2.0, label=r"$\theta_t^*$")
    _circle(ax, series, "right", _value(series, "right: 2V") / np.sqrt(2))
    ax.plot(*series["right: path"], color=BLACK, label=r"path $\psi_t$")
    tip, before = ((series["right: path"][0][k], series["right: path"][1][k]) for k in (-1, -8))
    ax.annotate("", tip, before, arrowprops={"arrowstyle": "-|>", "color": BLACK})
    panel_title(ax, "Tasks along a path", 9.5)
    _square(ax)
