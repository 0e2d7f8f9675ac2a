"""The computations of the federated experiment: a rule at every first rate, and its tuned model personalised.

A unit is one rule on one split with one seed. Its first rate (and decay) is chosen by the tuning roles; the held-out
roles choose nothing. What it holds:

* `settings` (n, 2): first rate, decay; `rounds` (R,); `tuning`, `held_out` (n, R): accuracies; `by_layer` (n, R, 5);
* `chosen`: which of the n is best on the tuning roles at the end; its model `phi` (P,) is the one that is personalised;
* `ways` (w,): how; `tuning_hits`, `held_hits` (w, roles), `tuning_tried`, `held_tried` (roles,): characters;
* `skipped`: roles without a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from practice import datasets
from practice.charnet import CharNet
from practice.fedavg import Rule, Trained, train
from practice.nodes import Groups, groups, tried
from practice.personal import NOT, personalised, ways
from practice.runs import Arrays, Options, Unit

SOURCES = (
    *("practice/charnet.py", "practice/datasets.py", "practice/fedavg.py", "practice/federation.py"),
    *("practice/nodes.py", "practice/personal.py", "arubatheory/learners/algorithm2.py"),
)
SPLITS = ("role", "play")
LEARNED = tuple((rule, movement) for rule in ("ARUBA", "isotropic") for movement in ("nodes", "server"))
VARIANTS = (("constant", "nodes"), ("decayed", "nodes"), *LEARNED)


class Sizes(NamedTuple):
    """How much is computed."""

    seeds: int = 5
    rounds: int = 40
    rates: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0)
    decays: tuple[float, ...] = (0.95,)
    steps: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    coefficients: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0)
    splits: tuple[str, ...] = SPLITS
    roles: int = 10**6  # at most so many, and of each so many characters
    characters: int = 2000
    hidden: int = 64


QUICK = Sizes(2, 3, (0.3, 1.0), (0.9,), (0.03, 0.3), (1.0,), ("role",), 40)


def units(options: Options) -> list[Unit]:
    """Every variant on every split with every seed; the server's movement on the split by role only."""
    sizes = QUICK if options.quick else Sizes()
    return [
        Unit("federated", f"{rule}-{movement}-by-{by}", seed, settings(sizes, rule, movement, by, options.shakespeare))
        for seed in range(sizes.seeds)
        for by in sizes.splits
        for rule, movement in VARIANTS
        if (by, movement) != ("play", "server")
    ]


def settings(sizes: Sizes, rule: str, movement: str, by: str, folder: str | None) -> tuple[tuple[str, object], ...]:
    """What a unit depends on."""
    own = {"rule": rule, "movement": movement, "by": by, "folder": folder, **sizes._asdict()}
    return tuple((name, value) for name, value in own.items() if name not in ("seeds", "splits"))


def compute(unit: Unit) -> Arrays:
    """Train at every first rate, choose by the tuning roles, personalise what was chosen."""
    found = datasets.roles(unit.get("folder"))
    most, length = unit.get("roles"), unit.get("characters")
    found = found._replace(names=found.names[:most], texts=tuple(text[:length] for text in found.texts[:most]))
    net = CharNet(hidden=unit.get("hidden"))
    sets = groups(found, unit.get("by"), unit.seed, net.context)
    decays = unit.get("decays") if unit.get("rule") == "decayed" else (1.0,)
    rules = [
        Rule(unit.get("rule"), rate, decay, unit.get("movement")) for rate in unit.get("rates") for decay in decays
    ]
    models = [train(net, sets, rule, unit.seed, unit.get("rounds")) for rule in rules]
    chosen = int(np.argmax([model.tuning[-1] for model in models]))
    curves = {
        "settings": np.array([(rule.rate, rule.decay) for rule in rules]),
        "rounds": models[0].rounds,
        **{name: np.array([getattr(m, name) for m in models]) for name in ("tuning", "held_out", "by_layer")},
        "chosen": np.array(chosen),
        "skipped": np.array(sets.skipped),
        "phi": models[chosen].phi,
    }
    coefficients = unit.get("coefficients") if (unit.get("rule"), unit.get("movement")) == ("ARUBA", "nodes") else ()
    return curves | refined(net, sets, models[chosen], unit.get("steps"), coefficients, unit.seed)


def refined(
    net: CharNet, sets: Groups, model: Trained, steps: Sequence[float], coefficients: Sequence[float], seed: int
) -> Arrays:
    """What personalising a model does on the tuning and on the held-out roles, in every way."""
    how = {NOT: None} | ways(model.state, model.last, steps, coefficients)
    out: Arrays = {"ways": np.array(list(how))}
    for name, nodes in (("tuning", sets.tuning), ("held", sets.held_out)):
        out[f"{name}_hits"] = np.array([personalised(net, model.phi, nodes, way, seed) for way in how.values()])
        out[f"{name}_tried"] = tried(nodes)
    return out
