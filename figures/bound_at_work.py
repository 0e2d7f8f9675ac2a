r"""Theorem A.1 (thm:ftrlomd) at work: $R_T \le B_R(\theta^*\|\phi)/\eta + \eta G^2 T$ for lazy OGD.

Left: linear losses with $\|g_t\|_2 = 1$ on the unit ball of $\mathbb R^3$, $\phi = 0$, $\theta^*$ the best fixed action
and $\eta = 1/\sqrt{2T}$, which makes the bound $\sqrt{2T}$. Each horizon is a game of its own.

Right: how close the two sides can come at a fixed number $m$ of rounds, for linear losses on $\mathbb R^d$ with the
Euclidean regulariser and free $\eta$, $\theta^*$. Without projections
$$\text{lhs} = \langle S, \phi - \theta^* \rangle - \tfrac\eta2 (\|S\|^2 - Q), \qquad
\text{rhs} = \tfrac1{2\eta} \|\theta^* - \phi\|^2 + \eta Q, \qquad S = \sum_t g_t,\ Q = \sum_t \|g_t\|^2 .$$
The best comparator for a ratio $r$ is $\theta^* = \phi - \eta S / r$, and then lhs - r rhs is
$\eta \|S\|^2 (1/r - 1)/2 + \eta Q (1/2 - r)$. For $r \ge 1/2$ it is largest when $Q$ is least, $Q = \|S\|^2/m$: all
gradients equal. It vanishes at $2 r^2 + (m - 1) r - m = 0$, so the supremum is
$$r_m = \frac{1 - m + \sqrt{m^2 + 6m + 1}}4,$$
which grows from $1/\sqrt2$ at $m = 1$ towards 1: no constant in front of the bound could be dropped for all $m$.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.mirror_descent import omd
from arubatheory.learners.trajectory import regret
from arubatheory.problems.domains import ball, linear_minimizer, space
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean
from figures.house import BLACK, BLUE, GREEN, VERMILION, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GAMES = ("equal gradients", "random gradients", "alternating gradients")


def labels() -> tuple[str, ...]:
    """The OMD part of the theorem."""
    return ("thm:ftrlomd/omd",)


def supremum(m: Array | int) -> Array:
    r"""$r_m = (1 - m + \sqrt{m^2 + 6m + 1})/4$, the supremum of lhs/rhs over m linear losses on $\mathbb R^d$.

    The numerator is rationalised, so that nothing cancels for large m.
    """
    m = np.asarray(m, dtype=np.float64)
    return np.asarray(2 * m / (np.sqrt(m * m + 6 * m + 1) + m - 1))


def gradients(game: str, horizon: int) -> Array:
    """The unit gradients (horizon, 3) of a named game."""
    first = np.eye(3)[:1]
    if game == "equal gradients":
        return np.repeat(first, horizon, axis=0)
    if game == "alternating gradients":
        return first * (-1.0) ** np.arange(horizon)[:, None]
    directions = np.random.default_rng(horizon).standard_normal((horizon, 3))
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


def ball_regret(game: str, horizon: int) -> float:
    r"""The regret of lazy OGD with $\eta = 1/\sqrt{2T}$ on a game over the unit ball."""
    g, domain = gradients(game, horizon), ball(np.zeros(3), 1.0)
    task = losses("linear", g)
    play = omd(task, domain, euclidean(3), np.zeros(3), 1 / np.sqrt(2 * horizon))
    return float(regret(play, task, linear_minimizer(domain, g.sum(axis=0))))


def extremal_ratio(m: int, eta: float = 0.5) -> float:
    r"""lhs/rhs of lazy OGD in $\mathbb R^1$ with all gradients 1, $\phi = 0$ and $\theta^* = -\eta m / r_m$."""
    comparator = np.array([-eta * m / supremum(m)])
    task = losses("linear", np.ones((m, 1)))
    play = omd(task, space(1), euclidean(1), np.zeros(1), eta)
    return float(regret(play, task, comparator) / (comparator @ comparator / (2 * eta) + eta * m))


def compute(octaves: int = 12, rounds: int = 16) -> Series:
    """Regrets and the bound by horizon; the supremum and the ratio reached by the number of rounds."""
    horizons, numbers = 2.0 ** np.arange(octaves + 1), np.arange(1.0, rounds + 1)
    series: Series = {"bound": (horizons, np.sqrt(2 * horizons))}
    for game in GAMES:
        series[game] = (horizons, np.array([ball_regret(game, int(t)) for t in horizons]))
    series["supremum"] = (numbers, supremum(numbers))
    series["reached"] = (numbers, np.array([extremal_ratio(int(m)) for m in numbers]))
    return series


def caption(series: Series) -> str:
    """What the two panels say."""
    T, bound = (float(values[-1]) for values in series["bound"])
    most = max(float(series[game][1][-1]) for game in GAMES) / bound
    rounds, reached = (float(values[-1]) for values in series["reached"])
    return (
        r"Left: the regret of lazy OGD on the unit ball with $\eta=1/\sqrt{2T}$, linear losses with unit gradients, "
        rf"and the bound $\sqrt{{2T}}$; at $T={T:.0f}$ the largest regret is {most:.2f} of it. Right: the supremum of "
        rf"regret over bound in $m$ rounds, and what equal gradients reach: {reached:.3f} at $m={rounds:.0f}$."
    )


def draw(fig: Figure, series: Series) -> None:
    """Two panels: regret against its bound, and the supremum of their ratio."""
    fig.set_size_inches(8.4, 3.5)
    left, right = fig.subplots(1, 2)
    _draw_regret(left, series)
    _draw_ratio(right, series)


def _draw_regret(ax: Axes, series: Series) -> None:
    ax.plot(*series["bound"], color=BLACK, label=r"bound $\sqrt{2T}$")
    looks = zip(GAMES, (VERMILION, BLUE, GREEN), ("o", "s", "^"), strict=True)
    for game, color, marker in looks:
        ax.plot(*series[game], color=color, marker=marker, linestyle="--", label=game)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xlabel(r"horizon $T$")
    ax.set_ylabel("regret")
    ax.set_title("Lazy OGD on the unit ball", loc="left")
    ax.legend()


def _draw_ratio(ax: Axes, series: Series) -> None:
    ax.plot(*series["supremum"], color=BLACK, label=r"supremum $r_m$")
    ax.plot(*series["reached"], color=VERMILION, marker="o", linestyle="none", label="reached by equal gradients")
    ax.axhline(1, color=BLACK, linewidth=0.8, linestyle=":")
    ax.set_xlabel(r"rounds $m$")
    ax.set_ylabel("regret / bound")
    ax.set_ylim(0.68, 1.02)
    ax.set_title("How much of the bound can be used", loc="left")
    ax.legend(loc="lower right")
