r"""The rate of learning a full matrix: regularisers in every round, with a scale that falls with T, or once.

*In T*: two dimensions, gradients along $(\cos t, \sin t)$ and no movement in most tasks: every eighth has a movement of
length $t^{-1/2}$ across. The sequence does not depend on T; the learner of the first three knows T. *In d*: T = 4096
tasks with gradients along the axes in turn and no movement, regularised once with $\varepsilon = \zeta = 1$:
there the leader is diagonal, and is played coordinate by coordinate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.algorithm2 import coordinate_ftl
from arubatheory.learners.geometry_ftl import play_leaders, play_matrices
from arubatheory.papers.aruba.games.matrices import least_of
from figures.diagonal_rates import slope
from figures.house import BOUND, LOOKS, Series, panel_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPONENTS = {"T^{-1/8}": 1 / 8, "T^{-1/4}": 1 / 4, "T^{-1/2}": 1 / 2}
ONCE = "once"
OCTAVES, DOUBLINGS = 16, 8
MANY = 4096


def labels() -> tuple[str, ...]:
    """The theorems and what they replace."""
    return ("prp:matrixftl/sharp", "prp:matrixftl/sharp/once", "thm:fullmatrix/sharp", "thm:fullmatrix/corrected")


def sequence(T: int) -> tuple[Array, Array]:
    r"""$\beta_t$ and $\gamma_t$ (T, 2, 2)."""
    t = np.arange(1.0, T + 1)
    along, across = np.stack([np.cos(t), np.sin(t)], 1), np.stack([-np.sin(t), np.cos(t)], 1)
    size = np.where(np.arange(T) % 8 == 7, 1 / t, 0.0)
    return size[:, None, None] * across[:, :, None] * across[:, None, :], along[:, :, None] * along[:, None, :]


def average_regret(beta: Array, gamma: Array, X: Array, Y: Array) -> float:
    r"""$\frac1T\left(\sum_t\ell_t(X_t) - \inf_X\sum_t\ell_t(X)\right)$, Y the inverses."""
    T = len(beta)
    paid = np.einsum("tij,tji->", Y[:T], beta) + np.einsum("tij,tji->", X[:T], gamma)
    return float(paid - least_of(beta.sum(axis=0), gamma.sum(axis=0))) / T


def in_turn(d: int, T: int = MANY) -> float:
    """The average regret with gradients along the axes in turn."""
    gamma = np.concatenate([np.ones((1, d)), np.eye(d)[np.arange(T) % d]])
    beta = np.concatenate([np.ones((1, d)), np.zeros((T, d))])
    return float((gamma[1:] * coordinate_ftl(beta, gamma)[:-1]).sum()) / T


def compute(octaves: int = OCTAVES, doublings: int = DOUBLINGS) -> Series:
    """Average regret in T and in d, and the lower bound for any learner."""
    sizes = 2.0 ** np.arange(4, octaves + 1)
    beta, gamma = sequence(2**octaves)
    one = np.eye(2)
    X, Y = play_leaders(one, one, beta, gamma)
    found: dict[str, list[float]] = {name: [] for name in (*EXPONENTS, ONCE)}
    for T in sizes.astype(int):
        for name, power in EXPONENTS.items():
            e = float(T) ** (-2 * power)
            found[name].append(average_regret(beta[:T], gamma[:T], *play_matrices(beta[:T], gamma[:T], e, e)))
        found[ONCE].append(average_regret(beta[:T], gamma[:T], X, Y))
    series = {f"in T: {name}": (sizes, np.array(values)) for name, values in found.items()}
    d = 2.0 ** np.arange(doublings + 1)
    series["in d: once"] = (d, np.array([in_turn(int(k)) for k in d]))
    series["in d: any learner"] = (d, np.sqrt(d / MANY) / (2 * np.sqrt(2)))
    return series


def caption(series: Series) -> str:
    """The exponents."""
    told = ", ".join(f"{slope(series[f'in T: {name}']):.2f} for ${name}$" for name in EXPONENTS)
    wide = f"{slope(series['in d: once']):.2f}"
    return (
        rf"Exponents in T over the last octaves: {told}, and {slope(series[f'in T: {ONCE}']):.2f} once. In d: {wide}, "
        r"where the lower bound for any learner has 0.5, at T = 4096."
    )


def draw(fig: Figure, series: Series) -> None:
    """One panel in T, one in d."""
    fig.set_size_inches(7.6, 3.6)
    left, right = fig.subplots(1, 2)
    for look, name in zip(LOOKS, (*EXPONENTS, ONCE), strict=False):
        line = series[f"in T: {name}"]
        word = "once" if name == ONCE else rf"$\varepsilon = {name}$"
        left.plot(*line, label=f"{word} ({slope(line):.2f})", markersize=3, **look.both)
    line = series["in d: once"]
    right.plot(*line, label=rf"$\varepsilon = 1$ ({slope(line):.2f})", markersize=3, **LOOKS[0].both)
    right.plot(*series["in d: any learner"], label="any learner (0.50)", **BOUND.line)
    for ax, words in ((left, "tasks $T$"), (right, "dimensions $d$")):
        ax.set(xscale="log", yscale="log", xlabel=words)
        ax.legend(fontsize=7)
    panel_title(left, "in two dimensions")
    panel_title(right, "regularised once, T = 4096")
    left.set_ylabel("average regret against the best $X$")
