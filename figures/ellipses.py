r"""The full matrix H against the covariance of the tasks.

thm:fullmatrix's learner solves $B^2 = HG^2H$, with $B^2$ from the movements $\theta_t^\ast - \phi_t$ and $G^2$ from the
gradients. With gradients alike in all directions H has the shape of the root of the optimal actions' covariance
$\Sigma$: a step goes far where tasks differ. An ellipse is the image of the unit circle under a matrix, $H$ scaled to
the trace of $\Sigma^{1/2}$.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.domains import ball
from arubatheory.problems.tasks import quadratics
from arubatheory.untried.geometry_meta import Rule, full_matrix, geometry_steps, per_coordinate
from figures.house import BLACK, LOOKS, SKY, Series, panel_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AFTER = (5, 30, 1000)
ROUNDS, NOISE, SIZE, CORNERS, SHOWN = 10, 1.5, 0.05, 60, 150
SPREADS = {
    "along an axis": (0.0, (1.5, 0.2)),
    "along a direction": (0.65, (1.5, 0.2)),
    "in all directions": (0.0, (1.0, 1.0)),
}


def labels() -> tuple[str, ...]:
    """The theorem, its proposition, and the diagonal learner that is drawn beside it."""
    return ("thm:fullmatrix/corrected", "eq:percoord")


def turned(angle: float, spread: tuple[float, float]) -> Array:
    r"""The root $\Sigma^{1/2}$ of the covariance."""
    c, s = np.cos(angle), np.sin(angle)
    axes = np.array([[c, -s], [s, c]])
    return np.asarray(axes @ np.diag(spread) @ axes.T)


def learned(root: Array, rule: Rule, after: tuple[int, ...]) -> tuple[Array, dict[int, Array]]:
    """The optimal actions of a world and the matrices H after so many tasks."""
    rng = np.random.default_rng(11)
    optima = rng.standard_normal((after[-1] + 1, 2)) @ root
    domain = ball(np.zeros(2), 1.01 * float(np.linalg.norm(optima, axis=1).max()) + 1)
    parts = ((quadratics(rng, ROUNDS, x, NOISE), x) for x in optima)
    found: dict[int, Array] = {}
    for t, step in enumerate(geometry_steps(parts, domain, rule, np.zeros(2))):
        if t in after:
            found[t] = step.H.matrix()
    return optima, found


def outline(matrix: Array) -> tuple[Array, Array]:
    """The image of the unit circle under a matrix."""
    angle = np.linspace(0, 2 * np.pi, CORNERS + 1)
    x, y = matrix @ np.stack([np.cos(angle), np.sin(angle)])
    return x, y


def compute(after: tuple[int, ...] = AFTER) -> Series:
    r"""For each world some optimal actions, the ellipse of $\Sigma^{1/2}$, and those of H, full and diagonal."""
    series: Series = {}
    small, zeta = SIZE, SIZE * np.sqrt(ROUNDS)
    for world, (angle, spread) in SPREADS.items():
        root = turned(angle, spread)
        optima, full = learned(root, full_matrix(2, small, zeta), after)
        _, diagonal = learned(root, per_coordinate(2, small, zeta, 0.4), after)
        series[f"{world}: optimal actions"] = (optima[:SHOWN, 0], optima[:SHOWN, 1])
        series[f"{world}: covariance"] = outline(root)
        for t in after:
            series[f"{world}: full after {t}"] = outline(full[t] * (np.trace(root) / np.trace(full[t])))
        last = diagonal[after[-1]]
        series[f"{world}: diagonal after {after[-1]}"] = outline(last * (np.trace(root) / np.trace(last)))
        series[f"{world}: elongation"] = (_elongation(root), _elongation(full[after[-1]]))
    return series


def _elongation(matrix: Array) -> Array:
    low, high = np.linalg.eigvalsh(matrix)
    return np.array([high / low])


def caption(series: Series) -> str:
    """How elongated the tasks and H are."""
    found = {world: series[f"{world}: elongation"] for world in SPREADS}
    words = "; ".join(f"{w}: {float(x[0]):.1f} and {float(y[0]):.1f}" for w, (x, y) in found.items())
    return (
        r"The matrix H learned by FTL (thm:fullmatrix) against the root of the covariance of the optimal actions, as "
        r"images of the unit circle, H scaled to the same trace; dash-dotted: the learner of eq:percoord, whose "
        f"ellipse has its axes along the coordinates. Ratios of the axes, of the tasks and of H at the end: {words}."
    )


def draw(fig: Figure, series: Series) -> None:
    """One panel for each world."""
    fig.set_size_inches(9.4, 3.5)
    axes = fig.subplots(1, 3, sharex=True, sharey=True)
    for ax, world in zip(axes, SPREADS, strict=True):
        _draw_world(ax, series, world)
        panel_title(ax, f"Tasks differ {world}", 9.5)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, columnspacing=1.2)


def _draw_world(ax: Axes, series: Series, world: str) -> None:
    dots: dict[str, Any] = {"color": SKY, "marker": "o", "linestyle": "none", "markersize": 1.8, "alpha": 0.6}
    ax.plot(*series[f"{world}: optimal actions"], label=r"$\theta_t^*$", **dots)
    ax.plot(*series[f"{world}: covariance"], label=r"$\Sigma^{1/2}$", color=BLACK, linewidth=2.2, alpha=0.35)
    prefix = f"{world}: full after "
    for name, look in zip([n for n in series if n.startswith(prefix)], (LOOKS[3], LOOKS[1], LOOKS[0]), strict=False):
        ax.plot(*series[name], label=f"$H$ after {name.removeprefix(prefix)} tasks", **look.line)
    name = next(n for n in series if n.startswith(f"{world}: diagonal after "))
    ax.plot(*series[name], label="diagonal $H$", **LOOKS[2].line)
    ax.set_aspect("equal")
    ax.set_xlim(-3.0, 3.0)
    ax.set_ylim(-2.4, 2.4)
