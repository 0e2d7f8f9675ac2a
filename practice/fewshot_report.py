"""What is told of `fewshot`: accuracy by method, what was chosen, zeta, rates by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from figures.house import LOOKS, Series, panel_title
from practice.convnet import layout
from practice.pictures import Picture
from practice.reptile import WAYS
from practice.runs import Arrays, Results
from practice.statistics import Interval, interval, paired
from practice.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Seeds = dict[str, list[Arrays]]
FACTORS = (10.0, 1e3, 1e5)  # the c that ARUBA++ chooses from: two of them are the paper's, one is beyond
SHOTS = ("1 shot", "5 shots")
MODES = ("regular", "transductive")
CASES = [(i, j) for i in range(len(SHOTS)) for j in range(len(MODES))]
HEADS = tuple(f"{SHOTS[i]}, {MODES[j]}" for i, j in CASES)
LEADING = "adam-trained"  # what Reptile uses, and the others are compared with
TITLES = {
    "sgd-untrained": "untrained, SGD",
    "adam-untrained": "untrained, Adam",
    "sgd-trained": "Reptile, SGD",
    "adam-trained": "Reptile, Adam",
}


def seeds_of(results: Results) -> Seeds:
    """Each variant's results, in the order of the seeds."""
    out: Seeds = {}
    for unit in sorted(results, key=lambda u: u.seed):
        out.setdefault(unit.name, []).append(results[unit])
    return out


def rows_of(found: Seeds) -> dict[str, tuple[str, str]]:
    """Title of a row -> (variant, prefix of its arrays): ARUBA++ has the training of ARUBA."""
    out: dict[str, tuple[str, str]] = {}
    most = max(map(len, found.values()))
    for name, runs in found.items():
        kind, _, zeta = name.partition("-zeta")
        title = TITLES.get(name, f"{'ARUBA' if kind == 'aruba' else 'Isotropic'}, zeta = {zeta}")
        title += "" if len(runs) == most else f" ({len(runs)} of {most} seeds)"
        out[title] = (name, "")
        if "plus_test" in runs[0]:
            out[title.replace("ARUBA", "ARUBA++")] = (name, "plus_")
    return dict(sorted(out.items(), key=lambda item: _place(*item[1])))


def _place(name: str, prefix: str) -> tuple[int, int]:
    order = (*TITLES, "aruba", "isotropic")
    return next(k for k, part in enumerate(order) if name.startswith(part)), len(prefix)


def accuracy(runs: list[Arrays], prefix: str, shots: int, mode: int) -> list[float]:
    """The share recognised of each seed."""
    return [float(a[f"{prefix}test"][shots, :, mode].mean()) / WAYS for a in runs]


def tables(results: Results) -> list[Table]:
    """Accuracy, differences, what was chosen."""
    found = seeds_of(results)
    return [accuracies(found), differences(found), rounds_table(found), choices(found), layers(found)]


def accuracies(found: Seeds) -> Table:
    """The table of the paper's appendix, at our sizes."""
    first = next(iter(found.values()))
    rows = tuple(
        (title, *(_shown(interval(accuracy(found[name], prefix, *case))) for case in CASES))
        for title, (name, prefix) in rows_of(found).items()
    )
    n = first[0]["test"].shape[1]
    return Table(
        "fewshot/accuracy",
        f"Drawings of unseen characters recognised, in per cent, in {n:,} test tasks for each number of shots and each "
        f"seed: mean and 95% interval of {len(first)} seeds. Chance is 20.",
        ("method", *HEADS),
        rows,
    )


def _shown(x: Interval) -> str:
    return x.shown(1, 100) if x.n > 1 else f"{100 * x.mean:.1f}"


def differences(found: Seeds) -> Table:
    """Against Reptile with Adam, seed by seed."""
    rows = []
    for title, (name, prefix) in rows_of(found).items():
        if name == LEADING or LEADING not in found:
            continue
        cells = []
        for case in CASES:
            cells.append(_difference(found[name], prefix, found[LEADING], *case))
        rows.append((title, *cells))
    return Table(
        "fewshot/difference",
        "Per cent recognised more than by Reptile with Adam on the same test tasks: the mean, the 95% interval over "
        "seeds, training and choosing included, and ± that of the test tasks, with these trainings.",
        ("method", *HEADS),
        tuple(rows),
    )


def _difference(runs: list[Arrays], prefix: str, leading: list[Arrays], shots: int, mode: int) -> str:
    n = min(len(runs), len(leading))
    over = paired(accuracy(runs[:n], prefix, shots, mode), accuracy(leading[:n], "", shots, mode))
    apart = [(a[f"{prefix}test"] - b["test"])[shots, :, mode] / WAYS for a, b in zip(runs, leading, strict=False)]
    error = np.sqrt(sum(float(x.var(ddof=1)) / x.size for x in apart)) / n
    return f"{_shown(over)} ± {196 * error:.1f}"


def curves(found: Seeds, shots: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Title -> rounds and the regular share recognised, the mean over seeds, of what was trained."""
    return {
        title: (found[name][0]["looks"].astype(float), np.mean([a["curves"][shots, :, 0] for a in found[name]], axis=0))
        for title, (name, prefix) in rows_of(found).items()
        if not prefix and "curves" in found[name][0]
    }


def rounds_table(found: Seeds) -> Table:
    """Accuracy by round."""
    both = [curves(found, i) for i in range(len(SHOTS))]
    rows = [
        (title, *(f"{100 * x:.1f} / {100 * y:.1f}" for x, y in zip(*(one[title][1] for one in both), strict=True)))
        for title in both[0]
    ]
    rounds = next(iter(both[0].values()))[0]
    tasks = max(int(a["look_tasks"]) for runs in found.values() for a in runs if "looks" in a)
    return Table(
        "fewshot/rounds",
        "Accuracy by round: per cent recognised, regular, at one shot and after the stroke at five, from the start "
        f"and by the rates of that round; mean over seeds, in the first {tasks} of the test tasks, with the first rate "
        "that was chosen after all rounds.",
        ("method", *(f"round {k:.0f}" for k in rounds)),
        tuple(rows),
        "They choose nothing. In round 0 nothing is trained.",
    )


def choices(found: Seeds) -> Table:
    """What the tuning characters chose."""
    rows = []
    for title, (name, prefix) in rows_of(found).items():
        runs = found[name]
        cells = []
        for i in range(len(SHOTS)):
            candidates = FACTORS if prefix else runs[0]["rates"]
            cells.append(", ".join(f"{candidates[a[f'{prefix}best'][i]]:g}" for a in runs))
            best = [float(a[f"{prefix}tune"][i, :, 0].max()) for a in runs]
            cells.append(f"{100 * float(np.mean(best)):.1f}")
        rows.append((title, "c" if prefix else "rate", *cells))
    header = ("method", "chosen", *(f"{s}: {what}" for s in SHOTS for what in ("by each seed", "accuracy on tuning")))
    note = "The rate is $\\varepsilon/\\zeta$ for ARUBA and Isotropic. ARUBA++ keeps the rate that ARUBA chose."
    return Table("fewshot/chosen", "What each seed chose on the tuning characters.", header, tuple(rows), note)


def layers(found: Seeds) -> Table:
    """Learned rates by layer, relative to the first rate."""
    parts = list(layout().parts)
    columns = {name: runs for name, runs in found.items() if name.startswith("aruba")}
    rows = []
    for k, part in enumerate(parts):
        cells = [
            " / ".join(f"{np.median([_relative(a, q)[k] for a in runs]):.2f}" for q in range(3))
            for runs in columns.values()
        ]
        rows.append((part, *cells))
    return Table(
        "fewshot/layers",
        "Learned rates by layer over the first rate $\\varepsilon/\\zeta$, at the rate chosen for five shots: 5%, 50% "
        "and 95% quantiles of the coordinates, median over the seeds.",
        ("layer", *(f"zeta = {name.partition('-zeta')[2]}" for name in columns)),
        tuple(rows),
        "1 is a rate that has not moved. Layers near the input stand first.",
    )


def _relative(a: Arrays, q: int) -> np.ndarray:
    best = int(a["best"][1])
    return np.asarray(a["layers"][best][:, q] / a["rates"][best])


def figures(results: Results) -> dict[str, Picture]:
    """Accuracy by round, losses by round, rates by layer."""
    found = seeds_of(results)
    return {"fewshot_rounds": rounds(found), "fewshot_losses": losses(found), "fewshot_layers": by_layer(found)}


def rounds(found: Seeds) -> Picture:
    """Accuracy by round, one panel for each number of shots."""
    series: Series = {}
    for i, shots in enumerate(SHOTS):
        series |= {f"{shots}: {title}": (x, 100 * y) for title, (x, y) in curves(found, i).items() if _is_shown(title)}
    ends = "; ".join(f"{name} {y[-1]:.1f}" for name, (_, y) in series.items())
    words = "Drawings of unseen characters recognised by round, in per cent (regular, zeta = 1). At the end:"
    return Picture(series, draw_rounds, f"{words} {ends}.")


def _is_shown(title: str) -> bool:
    return "zeta" not in title or title.endswith("zeta = 1")


def draw_rounds(fig: Figure, series: Series) -> None:
    """One line for each method."""
    fig.set_size_inches(8.0, 3.6)
    for ax, shots in zip(fig.subplots(1, len(SHOTS), sharey=True), SHOTS, strict=True):
        mine = [(name, xy) for name, xy in series.items() if name.startswith(shots)]
        for (name, xy), look in zip(mine, LOOKS[: len(mine)], strict=True):
            ax.plot(*xy, label=name.partition(": ")[2], markersize=3.5, **look.both)
        panel_title(ax, shots)
        ax.set_xlabel("round (five tasks)")
    fig.axes[0].set_ylabel("recognised, %")
    fig.axes[1].legend()


def losses(found: Seeds) -> Picture:
    """The loss of the last step by round, at the rate chosen for one shot."""
    series: Series = {}
    for title, (name, prefix) in rows_of(found).items():
        if prefix or name.endswith("-untrained"):
            continue
        curves = np.stack([a["losses"][a["best"][0]] for a in found[name]]).mean(axis=0)
        width = max(1, curves.size // 40)
        blocks = curves[: curves.size // width * width].reshape(-1, width)
        series[title] = (width * (np.arange(len(blocks)) + 0.5), blocks.mean(axis=1))
    ends = "; ".join(f"{name} {y[-1]:.2f}" for name, (_, y) in series.items())
    return Picture(
        series, draw_losses, f"Loss of the last of five steps of training tasks by round. At the end: {ends}."
    )


def draw_losses(fig: Figure, series: Series) -> None:
    """One line for each method; one rate for all in a panel of its own, beside Reptile's."""
    fig.set_size_inches(9.0, 3.6)
    for ax, other in zip(fig.subplots(1, 2, sharey=True), ("Isotropic", "ARUBA"), strict=True):
        mine = {name: xy for name, xy in series.items() if not name.startswith(other)}
        for (name, xy), look in zip(mine.items(), LOOKS[: len(mine)], strict=True):
            ax.plot(*xy, label=name, **look.line)
        ax.set_xlabel("round (five tasks)")
        ax.legend()
    fig.axes[0].set_ylabel("loss of the last step")


def by_layer(found: Seeds) -> Picture:
    """Quantiles of the learned rates of each layer over the first rate."""
    series: Series = {}
    for name, runs in found.items():
        if name.startswith("aruba"):
            for q, quantile in enumerate(("5%", "50%", "95%")):
                y = np.median([_relative(a, q) for a in runs], axis=0)
                series[f"zeta = {name.partition('-zeta')[2]}: {quantile}"] = (np.arange(y.size) + 1.0, y)
    words = "Learned rates by layer over the first rate: 5%, 50% and 95% quantiles of the coordinates. Medians of the"
    ends = [f"{name.partition(':')[0]} {y[0]:.2f} and {y[-2]:.2f}" for name, (_, y) in series.items() if "50%" in name]
    return Picture(series, draw_layers, f"{words} first convolution and of the linear layer: {'; '.join(ends)}.")


def draw_layers(fig: Figure, series: Series) -> None:
    """One panel for each zeta."""
    names, parts = list(dict.fromkeys(key.partition(":")[0] for key in series)), list(layout().parts)
    fig.set_size_inches(2.6 * len(names) + 1.0, 3.4)
    grid = fig.subplots(1, len(names), squeeze=False, sharey=True)[0]
    for ax, name in zip(grid, names, strict=True):
        for quantile, look in zip(("5%", "50%", "95%"), LOOKS, strict=False):
            ax.plot(*series[f"{name}: {quantile}"], label=quantile, **look.both)
        ax.set_xticks(np.arange(len(parts)) + 1.0, parts, rotation=70, fontsize=7)
        ax.set_yscale("log")
        panel_title(ax, name)
    grid[0].set_ylabel("rate / first rate")
    grid[0].legend()
