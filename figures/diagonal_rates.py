r"""The rate of learning a diagonal against its upper and lower bound, for regularisers that fade like $t^{-p}$.

One coordinate, losses $b_t^2/x + g_t^2x$ that do not depend on T, played by the learner of eq:percoord with
$\varepsilon = \zeta = 1$; shown is the average regret against the best x. *Gradients only*: $b = 0$, $g = 1$, where
regularisers are all that x is learned from. *Fading*: $\theta_t^\ast = 4(-1)^tt^{-1/5}$ from $\phi_1 = 0$, $g_t^2 =
1.6\,t^{-2/5}$, where both sums grow as the regularisers of p = 2/5 do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.algorithm2 import coordinate_ftl, fading_weights
from figures.house import BOUND, LOOKS, Series, panel_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POWERS = {"2/5": 2 / 5, "2/3": 2 / 3, "1": 1.0, "2": 2.0, "inf": math.inf}
GRADIENTS, FADING = "gradients only", "fading"
OCTAVES, FITTED = 20, 8  # T = 2^4 .. 2^OCTAVES, slopes over the last so many octaves


def labels() -> tuple[str, ...]:
    """The theorem, its bounds and what it replaces."""
    return ("prp:diagftl/sharp", "prp:diagftl/sharp/lower", "thm:diagonal/sharp", "thm:diagonal")


def squares(family: str, T: int) -> tuple[Array, Array]:
    r"""$b_t^2$ and $g_t^2$ (T,)."""
    t = np.arange(1.0, T + 1)
    if family == GRADIENTS:
        return 0 * t, t**0
    star = 4 * (-1) ** t * t**-0.2
    phi = np.concatenate([[0.0], np.cumsum(star)[:-1] / t[:-1]])
    return (star - phi) ** 2 / 2, 1.6 * t**-0.4


def gaps(family: str, p: float, T: int) -> Array:
    r"""$\frac1t\left(\sum_{s\le t}\ell_s(x_s) - \inf_x\sum_{s\le t}\ell_s(x)\right)$ (T,)."""
    (b, g), w = squares(family, T), fading_weights(p, T + 1)
    beta, gamma = (np.concatenate([[0.0], square]) + w for square in (b, g))
    x = coordinate_ftl(beta[:, None], gamma[:, None])[:-1, 0]
    paid, best = np.cumsum(b / x + g * x), 2 * np.sqrt(np.cumsum(b) * np.cumsum(g))
    gap: Array = (paid - best) / np.arange(1, T + 1)
    return gap


def compute(octaves: int = OCTAVES) -> Series:
    """The average regret at powers of two, and the lower bound for any learner."""
    at, series = 2 ** np.arange(4, octaves + 1), {}
    for family in (GRADIENTS, FADING):
        for name, p in POWERS.items():
            series[f"{family}: p = {name}"] = (at.astype(float), gaps(family, p, 2**octaves)[at - 1])
    series["lower bound"] = (at.astype(float), 0.5 / np.sqrt(at))
    return series


def slope(line: tuple[Array, Array]) -> float:
    """The exponent of a line over its last octaves."""
    x, y = (values[-FITTED - 1 :] for values in line)
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def caption(series: Series) -> str:
    """The exponents."""
    told = {
        family: ", ".join(f"{slope(series[f'{family}: p = {name}']):.2f} for p = {name}" for name in POWERS)
        for family in (GRADIENTS, FADING)
    }
    return (
        f"Exponents over the last octaves, gradients only: {told[GRADIENTS]}; the theorem says "
        f"-min(p, 1)/2. Fading: {told[FADING]}; thm:diagonal says -2/5 for p = 2/5. No learner has less than "
        r"$\frac12T^{-1/2}$ on all sequences."
    )


def draw(fig: Figure, series: Series) -> None:
    """One panel for each family."""
    fig.set_size_inches(7.6, 3.6)
    axes = fig.subplots(1, 2)
    for ax, family in zip(axes, (GRADIENTS, FADING), strict=True):
        told = set[str]()
        for look, name in zip(LOOKS, POWERS, strict=False):
            line = series[f"{family}: p = {name}"]
            word, exponent = (r"$\infty$" if name == "inf" else name), f"{slope(line):.2f}"
            ax.plot(*line, label=f"p = {word}", markersize=3, **look.both)
            if exponent not in told:
                ax.annotate(exponent, (line[0][-1], line[1][-1]), xytext=(4, 0), textcoords="offset points", fontsize=7)
            told.add(exponent)
        ax.set(xscale="log", yscale="log", xlabel="tasks $T$")
        ax.margins(x=0.12)
        panel_title(ax, family)
    axes[0].plot(*series["lower bound"], label="any learner", **BOUND.line)
    axes[0].set_ylabel("average regret against the best $x$")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=6)
