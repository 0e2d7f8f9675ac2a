r"""The paper's sentences on few-shot learning, by what `fewshot` holds: on Omniglot, five ways, one and five shots."""

from __future__ import annotations

import numpy as np

from practice.convnet import layout
from practice.fewshot import QUANTILES, SHOTS
from practice.reptile import WAYS
from practice.runs import Arrays, Results
from practice.statistics import interval, judged
from practice.tables import Table

MATCHES = "ARUBA matches or exceeds this baseline on Mini-ImageNet"
OMNIGLOT = "on Omniglot it requires the additional within-task updating of ARUBA++ to show improvement"
DEEPER = "ARUBA assigns a faster rate to deeper layers than to lower-level feature extractors"
SHARED = "shared feature extractors are not updated much if at all compared to higher layers"
POINT, THIRD, MATCH = 0.01, float(np.log10(3)), 0.005


def of(results: Results, kind: str) -> list[Arrays]:
    """What one kind of descent, trained, with the zeta of the paper, gave by seed."""
    own = [unit for unit in results if unit.experiment == "fewshot" and unit.get("kind") == kind]
    mine = [unit for unit in own if unit.get("trained") and unit.get("zeta") == 1.0]
    return [results[unit] for unit in sorted(mine, key=lambda unit: unit.seed)]


def accuracy(runs: list[Arrays], shots: int, name: str = "test") -> np.ndarray:
    """The regular accuracy on test tasks, by seed."""
    return np.array([run[name][SHOTS.index(shots), :, 0].mean() / WAYS for run in runs])


def rates(run: Arrays) -> dict[str, float]:
    """The decimal logarithm of the median rate of each layer, of the first rate that is best at one shot."""
    medians = run["layers"][int(run["best"][0]), :, QUANTILES.index(0.5)]
    return dict(zip(layout().parts, np.log10(medians).tolist(), strict=True))


def measured(results: Results) -> list[tuple[str, str, np.ndarray, float, float, float]]:
    """Quotation, what is measured, its values by seed, the least that is claimed, the resolution, the scale."""
    adam, aruba, out, matched = of(results, "adam"), of(results, "aruba"), [], []
    for shots in SHOTS:
        base = accuracy(adam, shots)
        plain, more = base - accuracy(aruba, shots), accuracy(aruba, shots, "plus_test") - base
        quote, other = (f"“{q}” (text)" if shots == SHOTS[0] else "" for q in (OMNIGLOT, MATCHES))
        matched.append((other, f"here, on Omniglot, {shots}-shot: ARUBA - Adam, >= -0.5", -plain, -MATCH, POINT, 100.0))
        out.append((quote, f"{shots}-shot: Adam - ARUBA, >= 0", plain, 0.0, POINT, 100.0))
        out.append(("", f"{shots}-shot: ARUBA++ - Adam, >= 0", more, 0.0, POINT, 100.0))
    logs = [rates(run) for run in aruba]
    first = np.array([one["linear"] - one["conv1"] for one in logs])
    shared = np.array([one["linear"] - np.mean([one[f"conv{k}"] for k in (1, 2, 3)]) for one in logs])
    out.append((f"“{DEEPER}” (text)", "log10 of the median rates, linear - first convolution, >= 0", first, 0, 0.5, 1))
    out.append((f"“{SHARED}” (caption)", "linear - convolutions, >= log10 3", shared, THIRD, 0.5, 1))
    return out[:4] + matched + out[4:]


def table(results: Results) -> Table:
    """Every sentence with its interval and what it says."""
    rows = []
    for quote, what, values, least, resolution, scale in measured(results):
        found = interval(values)
        rows.append((quote, what, found.shown(2, scale), judged(found, least, resolution)))
    seeds = len(of(results, "aruba"))
    note = (
        f"Regular accuracies in points of percent, paired by seed ({seeds} seeds), 95% intervals; the words as above. "
        "Mini-ImageNet is not here, and what the paper says of it is asked of Omniglot."
    )
    header = ("sentence", "measured", "difference", "")
    return Table(
        "sentences/fewshot", "**Few-shot learning, section 6, Table 1 and Figure 2.**", header, tuple(rows), note
    )
