r"""Few-shot classification of characters: which of Reptile's descents recognises most (`reptile`).

Every seed chooses its first rate, and ARUBA++ its c, by the regular accuracy on the tuning characters, for one and for
five shots apart; the test characters are then seen once. So an interval over seeds has the choice in it, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from practice.convnet import layout
from practice.datasets import drawings
from practice.episodes import Pools, pools
from practice.fewshot_report import figures as figures
from practice.fewshot_report import tables as tables
from practice.reptile import WAYS, Method, Sizes, Trained, evaluate, train, untrained
from practice.runs import Arrays, Options, Unit

SOURCES = (
    *(f"practice/{name}.py" for name in ("convnet", "descents", "episodes", "reptile", "fewshot", "datasets")),
    *(f"arubatheory/learners/{name}.py" for name in ("algorithm2", "trees")),
)
SHOTS = (1, 5)
RATES = {"sgd": (0.1, 0.3, 1.0), "adam": (0.003, 0.01, 0.03)}
FACTORS = (10.0, 1e3, 1e5)  # the c of ARUBA++: two of them are the paper's, one beyond
ZETAS = (1.0, 0.1, 0.01)  # the paper's is 1
SEEDS, QUICK_SIZES = (
    3,
    Sizes(rounds=10, test_tasks=8, tune_tasks=4, test_steps=10, channels=4, look_every=5, look_tasks=4),
)
QUANTILES = (0.05, 0.5, 0.95)


def units(options: Options) -> list[Unit]:
    """One for each method, zeta and seed."""
    kinds = [(kind, 1.0, trained) for kind in ("sgd", "adam") for trained in (True, False)]
    kinds += [(kind, zeta, True) for kind in ("aruba", "isotropic") for zeta in ZETAS]
    if options.quick:
        kinds = [("sgd", 1.0, False), ("adam", 1.0, True), ("aruba", 1.0, True), ("isotropic", 0.1, True)]
    return [
        Unit(
            "fewshot",
            f"{kind}-zeta{zeta:g}" if kind in ("aruba", "isotropic") else f"{kind}-{'' if trained else 'un'}trained",
            seed,
            (
                *(("kind", kind), ("zeta", zeta), ("trained", trained)),
                *(("quick", options.quick), ("omniglot", options.omniglot)),
            ),
        )
        for seed in range(1 if options.quick else SEEDS)
        for kind, zeta, trained in kinds
    ]


def compute(unit: Unit) -> Arrays:
    """Train with every first rate, choose by the tuning characters, and test what is chosen."""
    asked = dict(unit.settings)
    sizes = QUICK_SIZES if asked["quick"] else Sizes()
    found = pools(drawings(asked["omniglot"]).images)
    rates = RATES.get(asked["kind"], RATES["sgd"])[:: 2 if asked["quick"] else 1]
    methods = [Method(asked["kind"], rate, asked["zeta"]) for rate in rates]
    made = [_made(method, found.train, unit.seed, sizes, asked["trained"]) for method in methods]
    arrays, chosen = _chosen(list(zip(methods, made, strict=True)), found, unit.seed, sizes)
    arrays |= {"rates": np.array(rates), "losses": np.stack([one.losses for one in made])}
    arrays |= {"layers": np.stack([by_layer(one, sizes) for one in made])}
    if asked["trained"]:
        arrays |= by_round(chosen, found.test, unit.seed, sizes)
    if asked["kind"] == "aruba":
        refined = [[(method._replace(c=c), one) for c in FACTORS] for method, one in chosen]
        more, best = _chosen(refined, found, unit.seed, sizes)
        arrays |= {f"plus_{name}": values for name, values in more.items()}
        if asked["zeta"] == 1.0:
            arrays["doubled"] = np.stack(
                [
                    evaluate(method._replace(doubled=True), one, found.test, shots, unit.seed, sizes, sizes.test_tasks)
                    for shots, (method, one) in zip(SHOTS, best, strict=True)
                ]
            )
    return arrays


def by_round(chosen: list[tuple[Method, Trained]], pool: Array, seed: int, sizes: Sizes) -> Arrays:
    """What the chosen method of each number of shots recognises in the first test tasks, during its training: the
    rounds (looks,), and shares (shots, looks, 2), regular and transductive. It chooses nothing."""
    curves = [
        [
            evaluate(method, Trained(*look, one.losses), pool, shots, seed, sizes, sizes.look_tasks).mean(axis=0) / WAYS
            for look in one.looks
        ]
        for shots, (method, one) in zip(SHOTS, chosen, strict=True)
    ]
    rounds = np.append(np.arange(0, sizes.rounds, sizes.look_every), sizes.rounds)
    return {"looks": rounds, "look_tasks": np.array(sizes.look_tasks), "curves": np.array(curves)}


def _made(method: Method, pool: Array, seed: int, sizes: Sizes, trained: bool) -> Trained:
    """Trained or not; with a rate so large that weights leave the range of floats: no start, and no losses."""
    if not trained:
        return untrained(method, seed, sizes)
    try:
        return train(method, pool, seed, sizes)
    except OverflowError:
        return Trained(np.zeros(0), None, np.full(sizes.rounds, np.nan))


def _chosen(candidates: Any, found: Pools, seed: int, sizes: Sizes) -> tuple[Arrays, list[tuple[Method, Trained]]]:
    """For each number of shots the best of the candidates (a list for all, or one for each) on the tuning characters,
    and what it recognises of the test characters."""
    lists = candidates if isinstance(candidates[0], list) else [candidates] * len(SHOTS)
    tune, test, best = [], [], []
    own: Any
    for shots, own in zip(SHOTS, lists, strict=True):
        seen = [_accuracy(one, found.tune, shots, seed, sizes) for one in own]
        best.append(int(np.argmax([regular for regular, _ in seen])))
        tune.append(seen)
        method, trained = own[best[-1]]
        test.append(evaluate(method, trained, found.test, shots, seed, sizes, sizes.test_tasks))
    held = {"tune": np.array(tune), "best": np.array(best), "test": np.stack(test)}
    return held, [own[k] for own, k in zip(lists, best, strict=True)]


def _accuracy(one: tuple[Method, Trained], pool: Array, shots: int, seed: int, sizes: Sizes) -> tuple[float, float]:
    """Of a candidate, regular and transductive; 0 for one that has no start."""
    if one[1].phi.size == 0:
        return 0.0, 0.0
    regular, transductive = evaluate(one[0], one[1], pool, shots, seed, sizes, sizes.tune_tasks).mean(axis=0) / WAYS
    return float(regular), float(transductive)


def by_layer(trained: Trained, sizes: Sizes) -> Array:
    """Quantiles of the learned rates of each layer, (layers, quantiles); NaN where there are none."""
    parts = layout(sizes.channels, WAYS).parts
    eta = getattr(trained.learned, "rates", lambda: np.nan)()
    rates = np.broadcast_to(eta, (layout(sizes.channels, WAYS).size,))
    return np.stack([np.quantile(rates[part], QUANTILES) for part, _ in parts.values()])
