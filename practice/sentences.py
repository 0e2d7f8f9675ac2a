r"""The paper's sentences about its experiments, from section 6 and its captions, each as statistics with intervals.

What is asked of each number was set after a look at one seed and before five were run: to match is to be no more than
half a point of percent behind; to need no tuning is to match the step that the tuning roles chose; to need it is to
lose half a point by a step picked blindly; to stay fixed is to stay within 5%. These are statements about the runs at
hand, not verdicts of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from arubatheory.learners.algorithm2 import Isotropic
from practice import datasets, federated, fewshot, fewshot_sentences
from practice.charnet import CharNet
from practice.federated import at_rate, best_way, grid, of, splits, tuned, way
from practice.nodes import BATCH, NUMBERS, Node, fixed, learn, node
from practice.personal import NEXT, NOT
from practice.pictures import Picture
from practice.runs import Arrays, Options, Results, Unit
from practice.statistics import interval, judged
from practice.tables import Table

SOURCES = (
    *("practice/charnet.py", "practice/datasets.py", "practice/nodes.py", "practice/sentences.py"),
    "arubatheory/learners/algorithm2.py",
)
MATCH, POINT = 0.005, 0.01  # accuracies: what counts as matching, and the width beyond which the data are too few
FEDAVG, DECAYED, ARUBA, ISOTROPIC = ((rule, "nodes") for rule in ("constant", "decayed", "ARUBA", "isotropic"))


class Sentence(NamedTuple):
    """A quotation, where it stands, and what is measured: a number for each seed, which should be at least `least`."""

    quote: str
    place: str
    measured: str
    values: Callable[[Results, str], np.ndarray]
    least: float = 0.0
    resolution: float = POINT
    scale: float = 100.0


def needs_no_tuning(variant: federated.Variant) -> Callable[[Results, str], np.ndarray]:
    """Learned rates minus the fixed step that the tuning roles chose, on one model."""
    return lambda results, by: way(of(results, variant, by), NEXT) - best_way(of(results, variant, by), "fixed")


def helps(results: Results, by: str) -> np.ndarray:
    """Personalised by learned rates, minus not personalised."""
    return way(of(results, ARUBA, by), NEXT) - way(of(results, ARUBA, by), NOT)


def needs_tuning(variant: federated.Variant) -> Callable[[Results, str], np.ndarray]:
    """The fixed step that the tuning roles chose, minus the mean over all steps, on one model."""

    def values(results: Results, by: str) -> np.ndarray:
        runs = of(results, variant, by)
        names = [str(name) for name in runs[0]["ways"] if str(name).startswith("fixed")]
        return best_way(runs, "fixed") - np.mean([way(runs, name) for name in names], axis=0)

    return values


def over_rates(results: Results, variant: federated.Variant, by: str) -> np.ndarray:
    """The mean accuracy over all first rates: of one picked blindly."""
    runs = of(results, variant, by)
    return np.mean([at_rate(runs, rate, decay) for rate, decay in grid(runs)], axis=0)


def over_untuned(results: Results, by: str) -> np.ndarray:
    """ARUBA minus FedAvg, both from the same first rate, over all first rates."""
    return over_rates(results, ARUBA, by) - over_rates(results, FEDAVG, by)


def over_schedule(results: Results, by: str) -> np.ndarray:
    """ARUBA from a first rate picked blindly, minus the tuned schedule."""
    return over_rates(results, ARUBA, by) - tuned(of(results, DECAYED, by))


def tuned_over_schedule(results: Results, by: str) -> np.ndarray:
    """ARUBA from its tuned first rate, minus the tuned schedule."""
    return tuned(of(results, ARUBA, by)) - tuned(of(results, DECAYED, by))


def deeper(layer: str, above: str = "output weights") -> Callable[[Results, str], np.ndarray]:
    r"""The mean of $\log_{10}\eta$ of one layer's rates minus that of a lower one."""
    names = list(CharNet().layers)

    def values(results: Results, by: str) -> np.ndarray:
        last = [run["by_layer"][int(run["chosen"]), -1] for run in of(results, ARUBA, by)]
        return np.array([x[names.index(above)] - x[names.index(layer)] for x in last])

    return values


TUNING = "the two ARUBA methods require no learning rate tuning when personalizing the model (refine), "
TUNING += "unlike both FedAvg methods"
SCHEDULE = "and matches the performance of FedAvg with a tuned learning rate schedule"
REFINING = "Unlike both baselines we also do not require step-size tuning when refining the global model"
LAYERS = "ARUBA assigns a faster rate to deeper layers than to lower-level feature extractors"
SENTENCES = (
    Sentence(TUNING, "caption", "ARUBA: learned - tuned fixed step, >= -0.5", needs_no_tuning(ARUBA), -MATCH),
    Sentence("", "", "Isotropic: learned - tuned fixed step, >= -0.5", needs_no_tuning(ISOTROPIC), -MATCH),
    Sentence("", "", "ARUBA: learned - not personalised, >= 0", helps),
    Sentence("", "", "FedAvg: tuned fixed step - mean of all steps, >= 0.5", needs_tuning(FEDAVG), MATCH),
    Sentence("", "", "FedAvg, decayed: the same, >= 0.5", needs_tuning(DECAYED), MATCH),
    Sentence("ARUBA significantly improves over non-tuned FedAvg", "text", "mean over first rates, >= 0", over_untuned),
    Sentence(SCHEDULE, "text", "ARUBA, mean over first rates - tuned schedule, >= -0.5", over_schedule, -MATCH),
    Sentence("", "", "ARUBA, tuned first rate - tuned schedule, >= -0.5", tuned_over_schedule, -MATCH),
    Sentence(REFINING, "text", "ARUBA: learned - tuned fixed step, >= -0.5, as above", needs_no_tuning(ARUBA), -MATCH),
    Sentence(LAYERS, "text", "log10 of the rates, output - embedding, >= 0", deeper("embedding"), 0.0, 0.5, 1.0),
    Sentence("", "", "log10 of the rates, output - hidden weights, >= 0", deeper("hidden weights"), 0.0, 0.5, 1.0),
)
STEPS = "by only taking one step the distance traveled will be proportional to the gradient, so η will stay fixed"
SCALARS = "isotropic ARUBA has negligible overhead by only communicating scalars"
ZETAS, TASKS, FIRST = (1.0, 0.1, 0.01), 500, 0.3


# one step a task -------------------------------------------------------------------------------------------------
def units(options: Options) -> list[Unit]:
    """Those of the experiments, and tasks of one step."""
    shared = federated.units(options) + fewshot.units(options)
    seeds = sorted({unit.seed for unit in shared if unit.experiment == "federated"})
    settings = (("folder", options.shakespeare),)
    return [*shared, *(Unit("sentences", "one-step", seed, settings) for seed in seeds)]


def compute(unit: Unit) -> Arrays:
    r"""Isotropic rates over tasks of one step each: $\eta$ after all of them over the first, for several $\zeta$."""
    net, rng = CharNet(), np.random.default_rng([unit.seed, 5])
    made = [node(k, text[:2000], net.context) for k, text in enumerate(datasets.roles(unit.get("folder")).texts)]
    tasks = [one for one in made if one.batches]
    return {"ratios": np.array([one_step(net, tasks, zeta, int(rng.integers(2**31))) for zeta in ZETAS])}


def one_step(net: CharNet, tasks: Sequence[Node], zeta: float, seed: int, many: int = TASKS) -> float:
    """The last rate over the first; the start moves a fifth of the way after each task, as in Reptile."""
    rng = np.random.default_rng(seed)
    phi = net.start(rng).astype(NUMBERS)
    state = Isotropic(phi, eps=FIRST * zeta, zeta=zeta)
    for t in range(many):
        one = tasks[int(rng.integers(len(tasks)))]
        single = one._replace(X=one.X[-BATCH:], Y=one.Y[-BATCH:])
        found = learn(net, phi, [single], fixed(state.rates()), (seed, t))
        state.absorb(phi, found.theta[0], float(found.squares.sum(dtype=np.float64)))
        phi = phi + NUMBERS(0.2) * (found.theta[0] - phi)
    return float(state.rates() / FIRST)


# tables ----------------------------------------------------------------------------------------------------------
def tables(results: Results) -> list[Table]:
    """The sentences on federated learning, and on few-shot learning."""
    return [federated_table(results), fewshot_sentences.table(results)]


def said(sentence: Sentence, values: np.ndarray) -> tuple[str, str]:
    """The interval of the values, and what it says."""
    found = interval(values)
    return found.shown(2, sentence.scale), judged(found, sentence.least, sentence.resolution)


def federated_table(results: Results) -> Table:
    """Every sentence on every split."""
    rows = []
    for sentence in SENTENCES:
        cells = [cell for by in splits(results) for cell in said(sentence, sentence.values(results, by))]
        rows.append((sentence.quote and f"“{sentence.quote}” ({sentence.place})", sentence.measured, *cells))
    blanks = ("",) * (2 * len(splits(results)) - 2)
    rows += [(*row, *blanks) for row in counted(results)]
    header = ("sentence", "measured", *(cell for by in splits(results) for cell in (f"by {by}", "")))
    note = (
        "Held-out accuracies in points of percent, paired by seed, with 95% intervals; rates as differences of decimal "
        "logarithms of geometric means. *Confirmed*: the whole interval is where the sentence says; *contradicted*: "
        "none of it; *too little data*: neither, and the interval is wider than a point (of logarithms: than a half)."
    )
    return Table("sentences/federated", "**Federated learning, section 6 and Figure 3.**", header, tuple(rows), note)


def counted(results: Results) -> list[tuple[str, ...]]:
    """What is counted exactly, and the rates of tasks of one step."""
    size = next(run["phi"].size for unit, run in results.items() if unit.experiment == "federated")
    mark = "confirmed" if 1 / size <= 0.01 else "contradicted"
    rows: list[tuple[str, ...]] = [
        (f"“{SCALARS}” (caption)", "numbers sent beside the model, <= 1%", f"1 of {size:,}", mark)
    ]
    ratios = np.array([run["ratios"] for unit, run in results.items() if unit.experiment == "sentences"])
    for k, zeta in enumerate(ZETAS):
        found = interval(ratios[:, k])
        inside = min(judged(found, 0.95, 0.1), judged(interval(-ratios[:, k]), -1.05, 0.1), key=ORDER.index)
        quote = "" if k else f"“{STEPS}” (text, on MAML)"
        rows.append((quote, f"Isotropic, ζ = {zeta:g}: last rate / first, 0.95 to 1.05", found.shown(3), inside))
    return rows


ORDER = ("contradicted", "too little data", "not confirmed", "confirmed")


def figures(results: Results) -> dict[str, Picture]:
    """None: those of the experiments show what the sentences are about."""
    return {}
