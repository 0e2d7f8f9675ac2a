"""FedAvg on Shakespeare's roles, with given and with learned rates: the tables, and the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from figures.house import LOOKS, Series, log_ticks, panel_title
from practice import federation
from practice.charnet import CharNet
from practice.federation import SOURCES, VARIANTS, compute, units
from practice.personal import LAST, NEXT, NOT
from practice.pictures import Picture
from practice.runs import Arrays, Results
from practice.statistics import interval, paired
from practice.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SOURCES", "compute", "figures", "tables", "units"]

NAMES = {
    ("constant", "nodes"): "FedAvg",
    ("decayed", "nodes"): "FedAvg, decayed",
    ("ARUBA", "nodes"): "ARUBA",
    ("ARUBA", "server"): "ARUBA, server's movement",
    ("isotropic", "nodes"): "Isotropic",
    ("isotropic", "server"): "Isotropic, server's movement",
}
Variant = tuple[str, str]


# reading results -------------------------------------------------------------------------------------------------
def splits(results: Results) -> list[str]:
    """The splits that were computed, "role" first."""
    found = {unit.get("by") for unit in results if unit.experiment == "federated"}
    return [by for by in federation.SPLITS if by in found]


def of(results: Results, variant: Variant, by: str) -> list[Arrays]:
    """What one variant gave on one split, in the order of seeds."""
    chosen = [unit for unit in results if unit.experiment == "federated" and unit.get("by") == by]
    mine = [unit for unit in chosen if (unit.get("rule"), unit.get("movement")) == variant]
    return [results[unit] for unit in sorted(mine, key=lambda unit: unit.seed)]


def variants(results: Results, by: str) -> list[Variant]:
    """The variants that were computed on a split."""
    return [variant for variant in VARIANTS if of(results, variant, by)]


def tuned(runs: list[Arrays]) -> np.ndarray:
    """The final accuracy on held-out roles of the model that the tuning roles chose, by seed."""
    return np.array([run["held_out"][int(run["chosen"]), -1] for run in runs])


def at_rate(runs: list[Arrays], rate: float, decay: float = 1.0) -> np.ndarray:
    """The final accuracy on held-out roles with this first rate, by seed."""
    k = [int(np.flatnonzero((run["settings"] == (rate, decay)).all(axis=1))[0]) for run in runs]
    return np.array([run["held_out"][i, -1] for run, i in zip(runs, k, strict=True)])


def shares(run: Arrays, group: str) -> dict[str, float]:
    """The share of characters that is right after each way of personalising: of "held" or of "tuning" roles."""
    total = run[f"{group}_tried"].sum()
    return {str(way): float(hits.sum() / total) for way, hits in zip(run["ways"], run[f"{group}_hits"], strict=True)}


def way(runs: list[Arrays], name: str) -> np.ndarray:
    """The accuracy on held-out roles of one way of personalising, by seed."""
    return np.array([shares(run, "held")[name] for run in runs])


def best_way(runs: list[Arrays], kind: str, by: str = "tuning") -> np.ndarray:
    """The accuracy on held-out roles of the way that begins with `kind` and is best on the `by` roles, by seed."""
    out = []
    for run in runs:
        choice = {name: share for name, share in shares(run, by).items() if name.startswith(kind)}
        out.append(shares(run, "held")[max(choice, key=lambda name: choice[name])])
    return np.array(out)


def grid(runs: list[Arrays]) -> list[tuple[float, float]]:
    """First rates and decays, by decay."""
    pairs = [(float(rate), float(decay)) for rate, decay in runs[0]["settings"]]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


# tables ----------------------------------------------------------------------------------------------------------
def percent(values: Any) -> str:
    """A mean in percent."""
    return f"{100 * float(np.mean(values)):.2f}"


def tables(results: Results) -> list[Table]:
    """Training and personalisation on each split, and the readings side by side."""
    made = [training(results, by) for by in splits(results)] + [personal(results, by) for by in splits(results)]
    return [*made, readings(results), cost(results)]


def training(results: Results, by: str) -> Table:
    """The accuracy on held-out roles without personalisation, over first rates."""
    rates = sorted({rate for rate, _ in grid(of(results, VARIANTS[0], by))})
    base, rows = tuned(of(results, VARIANTS[0], by)), []
    for variant in variants(results, by):
        runs = of(results, variant, by)
        for k, decay in enumerate(sorted({decay for _, decay in grid(runs)}, reverse=True)):
            name = NAMES[variant] + (f" x {decay:g} a round" if decay < 1 else "")
            ends = (
                (interval(tuned(runs)).shown(2, 100), paired(tuned(runs), base).shown(2, 100)) if k == 0 else ("", "")
            )
            rows.append((name, *(percent(at_rate(runs, rate, decay)) for rate in rates), *ends))
    header = ("rates in training", *(f"first {rate:g}" for rate in rates), "tuned", "tuned, minus tuned FedAvg")
    roles = [len(run["held_tried"]) for run in of(results, VARIANTS[0], by)]
    held = " to ".join(dict.fromkeys(map(str, (min(roles), max(roles)))))
    note = (
        f"Percent of the characters of held-out {by}s ({held} roles) that the global model "
        f"predicts, means over {len(roles)} seeds. `tuned`: the first rate (and the decay) that is best on the tuning "
        "roles. Brackets: 95% intervals, Student's over seeds; differences are paired by seed."
    )
    return Table(f"federated/training-by-{by}", f"**The global model, split by {by}.**", header, tuple(rows), note)


def personal(results: Results, by: str) -> Table:
    """The accuracy on held-out roles after one pass over their own text."""
    steps = [str(name) for name in of(results, VARIANTS[0], by)[0]["ways"] if str(name).startswith("fixed")]
    adaptive = of(results, ("ARUBA", "nodes"), by)[0]["ways"]
    going_on, rows = [str(name) for name in adaptive if str(name).startswith("ARUBA++")], []
    for variant in variants(results, by):
        runs = of(results, variant, by)
        learned = [percent(way(runs, name)) if name in runs[0]["ways"] else "" for name in (NEXT, LAST)]
        more = [percent(way(runs, name)) if name in runs[0]["ways"] else "" for name in going_on]
        more.append(percent(best_way(runs, "ARUBA++")) if "doubled" in runs[0]["ways"] else "")
        own = (percent(way(runs, NOT)), *(percent(way(runs, step)) for step in steps), percent(best_way(runs, "fixed")))
        rows.append((NAMES[variant], *own, *learned, *more))
    header = ("trained by", NOT, *steps, "fixed, tuned", NEXT, LAST, *going_on, "ARUBA++, tuned c")
    note = (
        "Percent of the characters of held-out roles after one pass over the first 80% of their own text, in batches "
        "of 10; the model is the tuned one of each row. `fixed, tuned` and `tuned c`: chosen by the tuning roles."
    )
    return Table(f"federated/personal-by-{by}", f"**Personalised, split by {by}.**", header, tuple(rows), note)


def readings(results: Results) -> Table:
    """Differences between readings, paired by seed."""
    rows = []
    for rule in ("ARUBA", "isotropic"):
        nodes, server = of(results, (rule, "nodes"), "role"), of(results, (rule, "server"), "role")
        told = paired(tuned(nodes), tuned(server)), paired(way(nodes, NEXT), way(server, NEXT))
        last = paired(way(nodes, NEXT), way(nodes, LAST))
        rows.append((NAMES[rule, "nodes"], *(one.shown(2, 100) for one in (*told, last))))
    header = ("rates", "movement: nodes - server, global", "the same, personalised", "eta_T+1 - eta_T")
    note = "Differences of accuracies on held-out roles, split by role, in points; paired by seed, 95% intervals."
    return Table(
        "federated/readings", "**Two readings of the movement, two of the result.**", header, tuple(rows), note
    )


def cost(results: Results) -> Table:
    """Numbers sent by a node in a round, seconds, and roles that were left out."""
    rows, P = [], next(iter(results.values()))["phi"].size
    sent = {"constant": P, "decayed": P, "ARUBA": 2 * P, "isotropic": P + 1}
    for variant in VARIANTS:
        runs = [run for by in splits(results) for run in of(results, variant, by)]
        seconds = sum(float(run["cpu_seconds"]) for run in runs)
        skipped = max(int(run["skipped"]) for run in runs)
        rows.append((NAMES[variant], f"{sent[variant[0]]:,}", f"{seconds:.0f}", str(skipped)))
    header = ("rates in training", "numbers sent by a node in a round", "seconds of a processor", "roles left out")
    return Table("federated/cost", "**What it costs.**", header, tuple(rows))


# figures ---------------------------------------------------------------------------------------------------------
def figures(results: Results) -> dict[str, Picture]:
    """Accuracy by round, rates by layer, personalisation against the fixed step."""
    by = splits(results)[0]
    parts = {"rounds": rounds(results, by), "layers": layer_rates(results, by), "steps": steps(results, by)}
    draw = {"rounds": draw_rounds, "layers": draw_layers, "steps": draw_steps}
    words = {
        "rounds": f"The global model's accuracy on held-out roles by round, split by {by}; at the end, in percent: ",
        "layers": "Geometric means of ARUBA's rates by layer; in the last round: ",
        "steps": "Accuracy on held-out roles after one pass over their own text; in percent, at the largest step: ",
    }
    return {
        f"federated_{name}": Picture(series, draw[name], words[name] + ends(series)) for name, series in parts.items()
    }


def ends(series: Series) -> str:
    """The last ordinate of each series, in words."""
    return "; ".join(f"{name} {y[-1]:.3g}" for name, (_, y) in series.items()) + "."


def rounds(results: Results, by: str) -> Series:
    """The mean accuracy on held-out roles by round: of the tuned first rate, and of the smallest and the largest."""
    series: Series = {}
    for variant in variants(results, by):
        runs = of(results, variant, by)
        ends = {f"{runs[0]['settings'][k][0]:g}": k for k in (0, -1)}
        for kind, end in {"tuned": None, **ends}.items():
            curve = np.mean([run["held_out"][run["chosen"] if end is None else end] for run in runs], axis=0)
            series[f"{kind}: {NAMES[variant]}"] = (runs[0]["rounds"].astype(float), 100 * curve)
    return series


def draw_rounds(fig: Figure, series: Series) -> None:
    """One panel for the tuned first rate, one for each end of the grid."""
    kinds = list(dict.fromkeys(name.partition(": ")[0] for name in series))
    fig.set_size_inches(9.4, 3.4)
    for ax, kind in zip(fig.subplots(1, len(kinds), sharey=True), kinds, strict=True):
        draw_lines(ax, series, kind)
        panel_title(ax, "first rate tuned" if kind == "tuned" else f"first rate {kind}")
        ax.set_xlabel("round")
    fig.axes[0].set_ylabel("held-out accuracy, %")
    fig.legend(*fig.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


def draw_lines(ax: Axes, series: Series, kind: str) -> None:
    """The series whose names begin with `kind`."""
    mine = {name.partition(": ")[2]: xy for name, xy in series.items() if name.startswith(f"{kind}: ")}
    for (name, (x, y)), look in zip(mine.items(), LOOKS, strict=False):
        ax.plot(x, y, label=name, markersize=3.5, **look.both)


def layer_rates(results: Results, by: str) -> Series:
    """The geometric mean of the rates of each layer by round, over seeds: the tuned ARUBA, both movements."""
    series: Series = {}
    for movement in ("nodes", "server"):
        runs = of(results, ("ARUBA", movement), by)
        curves = np.mean([run["by_layer"][int(run["chosen"])] for run in runs], axis=0)
        for k, layer in enumerate(CharNet().layers):
            series[f"{movement}: {layer}"] = (runs[0]["rounds"].astype(float), 10.0 ** curves[:, k])
    return series


def draw_layers(fig: Figure, series: Series) -> None:
    """A panel for each reading of the movement."""
    fig.set_size_inches(8.0, 3.4)
    for ax, movement in zip(fig.subplots(1, 2, sharey=True), ("nodes", "server"), strict=True):
        draw_lines(ax, series, movement)
        ax.set(xlabel="round", yscale="log")
        log_ticks(ax.yaxis)
        panel_title(ax, f"movement: {movement}")
    fig.axes[0].set_ylabel(r"rate $\eta$, geometric mean")
    fig.legend(*fig.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=5)


def steps(results: Results, by: str) -> Series:
    """The mean accuracy on held-out roles after a fixed step, and, as levels, without and with learned rates."""
    series: Series = {}
    for variant in (("constant", "nodes"), ("ARUBA", "nodes"), ("isotropic", "nodes")):
        runs = of(results, variant, by)
        names = [str(name) for name in runs[0]["ways"] if str(name).startswith("fixed")]
        x = np.array([float(name.split()[1]) for name in names])
        series[f"{NAMES[variant]}: fixed step"] = (x, np.array([100 * way(runs, name).mean() for name in names]))
        level = {"not personalised": way(runs, NOT)}
        level |= {"learned rates": way(runs, NEXT)} if NEXT in runs[0]["ways"] else {}
        level |= {"ARUBA++, tuned c": best_way(runs, "ARUBA++")} if "doubled" in runs[0]["ways"] else {}
        for name, values in level.items():
            series[f"{NAMES[variant]}: {name}"] = (x[[0, -1]], np.full(2, 100 * values.mean()))
    return series


def draw_steps(fig: Figure, series: Series) -> None:
    """A panel for each way of training."""
    kinds = list(dict.fromkeys(name.partition(": ")[0] for name in series))
    fig.set_size_inches(9.4, 3.4)
    for ax, kind in zip(fig.subplots(1, len(kinds), sharey=True), kinds, strict=True):
        draw_lines(ax, series, kind)
        ax.set(xlabel="fixed step", xscale="log")
        log_ticks(ax.xaxis)
        panel_title(ax, f"trained by {kind}")
    fig.axes[0].set_ylabel("held-out accuracy, %")
    fig.legend(*fig.axes[1].get_legend_handles_labels(), loc="outside upper center", ncols=4)
