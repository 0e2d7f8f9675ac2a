r"""EWOO's density over v as it concentrates (eq:ewoo).

After t tasks $\varepsilon$-EWOO weighs $v \in [\varepsilon, \sqrt{D^2 + \varepsilon^2}]$ by
$e^{-\gamma(a_t/v + b_tv)}$, $a_t = \sum_{s\le t}\sigma_s(B_s^2 + \varepsilon^2)$, $b_t = \sigma_{1:t}$, and plays the
mean. One run of tasks in turn; the prescribed $\gamma = \frac2{D\sigma_{\max}}\min\{\varepsilon^2/D^2, 1\}$ is small,
so that it takes hundreds of tasks to tell values of v apart. The mean goes to $\sqrt{V^2 + \varepsilon^2}$, where
$a_t/v + b_tv$ is least, and not to the deviation V itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import MetaTrajectory
from arubatheory.problems.tasks import FAMILIES
from figures.games import deviation, enclosing, paper_eps, similar_run
from figures.house import BLACK, LOOKS, Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AFTER = (10, 100, 1000, 10000)
POINTS = 241


def labels() -> tuple[str, ...]:
    """The regret of what eq:ewoo plays, and the theorem that uses it."""
    return ("eq:ewoo/regret", "thm:similarity/rate")


def density(run: MetaTrajectory, t: int, v: Array) -> Array:
    """The density after t tasks at points v of the interval."""
    domain, sigma = enclosing(run.optima), run.sigma
    D, eps = float(2 * domain.radius[0]), paper_eps(domain, len(sigma))
    gamma = 2 / (D * sigma.max()) * min(eps / D, 1.0) ** 2
    divergence = ((run.optima - run.phi)[:t] ** 2).sum(axis=1) / 2
    exponent = -gamma * (sigma[:t] @ (divergence + eps * eps) / v + sigma[:t].sum() * v)
    weight = np.exp(exponent - exponent.max())
    return np.asarray(weight / np.trapezoid(weight, v))


def interval(run: MetaTrajectory) -> tuple[float, float]:
    r"""$\varepsilon$ and $\sqrt{D^2 + \varepsilon^2}$."""
    domain = enclosing(run.optima)
    eps = paper_eps(domain, len(run.sigma))
    return eps, float(np.hypot(2 * domain.radius[0], eps))


def play(T: int) -> MetaTrajectory:
    """T tasks, two optimal actions in turn."""
    made = FAMILIES["alternating"](np.random.default_rng(0), T, 10, 2, V=0.6, center=[0.2, 0.0])
    return similar_run(made, made.optima)


def compute(after: tuple[int, ...] = AFTER) -> Series:
    """The density after so many tasks (the last: nearly all), the v that is played then, the limit and V."""
    run = play(after[-1] + 1)
    low, high = interval(run)
    v = np.geomspace(low, high, POINTS)
    series: Series = {}
    for t in (0, *after):
        y = density(run, t, v)
        series[f"after {t}"] = (v, y)
        series[f"played after {t}"] = (run.v[t : t + 1], np.interp(run.v[t : t + 1], v, y))
    V = deviation(run)
    series["V"], series["limit"] = ((np.full(1, x), np.zeros(1)) for x in (V, np.hypot(V, low)))
    return series


def caption(series: Series) -> str:
    """Where the mean is, and where it goes."""
    steps = [name.removeprefix("after ") for name in series if name.startswith("after ")]
    means = ", ".join(f"{float(series[f'played after {t}'][0][0]):.2f}" for t in steps)
    return (
        r"The density that $\varepsilon$-EWOO has left over v after "
        f"{', '.join(steps)} tasks (two optimal actions in turn), and its mean, which is played next: {means}. "
        r"Best in hindsight for the regularised losses that are played is $\sqrt{V^2+\varepsilon^2}="
        rf"{float(series['limit'][0][0]):.2f}$, above $V={float(series['V'][0][0]):.2f}$; the interval begins at "
        r"$\varepsilon$."
    )


def draw(fig: Figure, series: Series) -> None:
    """One curve for each time, the played mean as a marker on it."""
    fig.set_size_inches(6.6, 3.6)
    ax = fig.subplots()
    times = [name for name in series if name.startswith("after ")]
    for name, look in zip(times, LOOKS, strict=False):
        t = int(name.removeprefix("after "))
        ax.plot(*series[name], **look.line)
        ax.plot(*series[f"played {name}"], color=look.color, marker=look.marker, linestyle="none", markersize=6)
        ax.plot([], [], label=f"after {t} task{'s' * (t != 1)}", **look.both)
    for name, text, dash, (side, place) in (
        ("limit", r"$\sqrt{V^2+\varepsilon^2}$", "-", ("left", 3)),
        ("V", "$V$", ":", ("right", -3)),
    ):
        x = float(series[name][0][0])
        ax.axvline(x, color=BLACK, linewidth=0.9, linestyle=dash)
        ax.annotate(
            text, (x, 1), xycoords=("data", "axes fraction"), xytext=(place, -11), ha=side, textcoords="offset points"
        )
    ax.set(xscale="log", xlabel="$v$", ylabel="density", yscale="log")
    peaks = [float(series[name][1].max()) for name in times]
    ax.set_ylim(min(peaks) / 30, max(peaks) * 2)
    ax.set_xticks([0.2, 0.3, 0.5, 1, 2], ["0.2", "0.3", "0.5", "1", "2"])
    ax.minorticks_off()
    ax.legend(loc="upper right", title="marker: mean, played next", title_fontsize=8)
