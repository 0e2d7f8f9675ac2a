r"""Where the authors' public code (mkhodak/ARUBA) departs from Algorithm 2, and by how much it changes a number here.

Read there: `fedavg/aruba.py`, `fedavg/train.py`, `reptile/supervised_reptile/aruba.py`, `models.py`, `eval.py`. What
can change a number is run both ways on the federated experiment; the rest is listed in docs/practice.md.
"""

from __future__ import annotations

import numpy as np

from practice import datasets, federated, federation, fewshot, fewshot_sentences
from practice.charnet import CharNet, correct
from practice.datasets import BEFORE
from practice.fedavg import Rule, Trained, train
from practice.federated import at_rate, best_way, of, tuned, way
from practice.nodes import Groups, groups, hits, tried
from practice.personal import LAST, NEXT, personalised, ways
from practice.pictures import Picture
from practice.runs import Arrays, Options, Results, Unit
from practice.statistics import paired
from practice.tables import Table

SOURCES = (*federation.SOURCES, "practice/departures.py")
ARUBA, FEDAVG = ("ARUBA", "nodes"), ("constant", "nodes")
LARGER = (1.0, 100.0, 1e3, 1e4, 1e5)  # the c of ARUBA++; the authors' sweep ends at 1,000
Pair = tuple[str, np.ndarray, np.ndarray]
THEIRS = 80  # characters that their network reads; its batches hold 10


def units(options: Options) -> list[Unit]:
    """Those of the federated experiment, and ARUBA with other zeta and with larger c."""
    shared = [unit for unit in federated.units(options) if unit.get("by") == "role"]
    base = {unit.seed: unit for unit in shared if (unit.get("rule"), unit.get("movement")) == ARUBA}
    drawn = [unit for unit in fewshot.units(options) if (unit.get("kind"), unit.get("zeta")) == ("aruba", 1.0)]
    return [*shared, *drawn, *(unit._replace(experiment="departures", name="zeta-and-mask") for unit in base.values())]


def compute(unit: Unit) -> Arrays:
    """Held-out accuracies of ARUBA by zeta, what the padding mask costs, and ARUBA++ with larger c, all from the last
    first rate but one."""
    net, sets = CharNet(hidden=unit.get("hidden")), sets_of(unit)
    rate = unit.get("rates")[-2]
    found = {z: train(net, sets, Rule("ARUBA", rate, zeta=z), unit.seed, unit.get("rounds")) for z in (0.1, 1.0, 10.0)}
    total = tried(sets.held_out).sum()
    right, masked = (read(net, found[1.0].phi, sets).sum() / total for read in (whole, with_mask))
    return {
        "zeta": np.array([found[z].held_out[-1] for z in (0.1, 1.0, 10.0)]),
        "mask": np.array([right, masked]),
        "larger": np.array([hit.sum() / total for hit in adapted(net, sets, found[1.0], unit.seed)]),
        "hidden_by_theirs": np.array(sum(map(hidden_state, tried(sets.held_out))) / total),
    }


def adapted(net: CharNet, sets: Groups, model: Trained, seed: int) -> list[np.ndarray]:
    """Right characters of held-out roles: not personalised, by learned rates, by ARUBA++ with each c."""
    how = ways(model.state, model.last, (), LARGER)
    names = (NEXT, *(f"ARUBA++ {c:g}" for c in LARGER))
    return [personalised(net, model.phi, sets.held_out, way, seed) for way in (None, *map(how.__getitem__, names))]


def sets_of(unit: Unit) -> Groups:
    """The roles of a unit."""
    found, most, length = datasets.roles(unit.get("folder")), unit.get("roles"), unit.get("characters")
    found = found._replace(names=found.names[:most], texts=tuple(text[:length] for text in found.texts[:most]))
    return groups(found, unit.get("by"), unit.seed, CharNet().context)


def whole(net: CharNet, phi: np.ndarray, sets: Groups) -> np.ndarray:
    """Right characters of each held-out role."""
    return hits(net, phi, sets.held_out)


def with_mask(net: CharNet, phi: np.ndarray, sets: Groups) -> np.ndarray:
    """The same where a context shorter than the longest of its batch leaves the output biases alone to decide, as a
    state read at the last place of a padded batch does."""
    guess = net.views(phi)[4].argmax()
    out = []
    for one in sets.held_out:
        short = (one.tried_X == BEFORE).any(axis=1)
        right = np.where(short, one.tried_Y == guess, correct(net, phi, one.tried_X, one.tried_Y))
        out.append(np.count_nonzero(right))
    return np.array(out)


def hidden_state(characters: int, batch: int = 10) -> int:
    """How many of a role's characters their evaluation predicts from a zero state: batches of 10 in the order of the
    text, contexts of 1, 2, ..., 80, 80, ..., the state read at the place of the longest."""
    lengths = np.minimum(1 + np.arange(characters), THEIRS)
    parts = np.split(lengths, range(batch, characters, batch))
    return sum(int(np.count_nonzero(part < part.max())) for part in parts if part.size)


# the table -------------------------------------------------------------------------------------------------------
def tables(results: Results) -> list[Table]:
    """Differences of held-out accuracies, code minus paper."""
    aruba, fedavg, server = (of(results, v, "role") for v in (ARUBA, FEDAVG, ("ARUBA", "server")))
    own = [arrays for unit, arrays in results.items() if unit.experiment == "departures"]
    zeta, mask = np.array([run["zeta"] for run in own]), np.array([run["mask"] for run in own])
    rates = [float(rate) for rate, _ in aruba[0]["settings"]]
    low = rates[-3] if len(rates) > 2 else rates[0]
    pairs: tuple[Pair, ...] = (
        (f"eps is lr times zeta (`--lr {low:g}`), not 1", at_rate(aruba, low), at_rate(aruba, 1.0)),
        ("the same, with `--zeta 0.1` instead of 1: eps follows", zeta[:, 0], zeta[:, 1]),
        ("the same, with `--zeta 10`", zeta[:, 2], zeta[:, 1]),
        ("each node's movement, not the server's", tuned(aruba), tuned(server)),
        ("the rates after the last task, not of it", way(aruba, NEXT), way(aruba, LAST)),
        ("a zero state for short contexts (here: of 8)", mask[:, 1], mask[:, 0]),
        ("doubled updates where ARUBA++ is off", way(aruba, "doubled"), way(aruba, NEXT)),
        (
            "fixed steps chosen on the roles that are reported",
            best_way(fedavg, "fixed", "held"),
            best_way(fedavg, "fixed"),
        ),
    )
    pairs += doubled(results)
    rows = [
        (name, f"{100 * a.mean():.2f}", f"{100 * b.mean():.2f}", paired(a, b).shown(2, 100)) for name, a, b in pairs
    ]
    theirs = 100 * float(np.mean([run["hidden_by_theirs"] for run in own]))
    note = (
        "Percent of characters of held-out roles, split by role, or of drawings of test characters, regular; and the "
        "difference in points, paired by seed, with 95% intervals. With the contexts of 80 of their network, "
        f"{theirs:.1f}% of these predictions would be made from a zero state."
    )
    header = ("the code does", "as the code", "as the paper", "difference")
    title = "**The authors' code and Algorithm 2.**"
    return [Table("departures/measured", title, header, tuple(rows), note), larger(own, rates[-2])]


def doubled(results: Results) -> tuple[Pair, ...]:
    """Of each number of shots: doubled updates, with the c of ARUBA++, and the learned rates alone."""
    runs = fewshot_sentences.of(results, "aruba")
    right = fewshot_sentences.accuracy
    return tuple(
        (f"doubled updates on drawings, {n}-shot", right(runs, n, "doubled"), right(runs, n)) for n in fewshot.SHOTS
    )


def larger(own: list[Arrays], rate: float) -> Table:
    """ARUBA++ on one model with larger and larger c."""
    found = np.array([run["larger"] for run in own])
    names = ("not personalised", "learned rates", *(f"ARUBA++, c = {c:g}" for c in LARGER))
    rows = [
        (name, f"{100 * found[:, k].mean():.2f}", paired(found[:, k], found[:, 0]).shown(2, 100))
        for k, name in enumerate(names)
    ]
    note = f"Percent of characters of held-out roles, split by role; the model of ARUBA from the first rate {rate:g}."
    header = ("personalised by", "accuracy", "minus not personalised")
    return Table("departures/larger-c", "**ARUBA++ beyond the authors' sweep.**", header, tuple(rows), note)


def figures(results: Results) -> dict[str, Picture]:
    """None."""
    return {}
