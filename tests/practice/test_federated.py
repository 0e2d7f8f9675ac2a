"""FedAvg and personalisation where the answer is known, against Algorithm 2 written out, and again with one seed."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from practice import federated, federation, runs
from practice.charnet import CharNet
from practice.datasets import Roles
from practice.fedavg import Rule, state_of, tell, train
from practice.nodes import BATCH, Passed, fixed, groups, hits, learn, node, ordered, tried
from practice.personal import NEXT, NOT, adapting, personalised, ways

NET = CharNet(context=2, width=3, hidden=5, classes=6)


def made(texts: list[list[int]], plays: int = 3) -> Roles:
    """Roles of a few plays."""
    names = tuple(f"KING_JOHN_{k}" if k % plays == 0 else f"PLAY{k % plays}_{k}" for k in range(len(texts)))
    return Roles(names, tuple(map(np.array, texts)), 1)


ALL_ALIKE = made([[1, 2, 3] * 30 for _ in range(12)])
EACH_ITS_OWN = made([[1 + k % 4] * 120 for k in range(12)])


def test_what_all_roles_share_is_learned_by_all() -> None:
    sets = groups(ALL_ALIKE, "role", 0, NET.context)
    for rule in (Rule("constant", 0.5), Rule("ARUBA", 0.5), Rule("isotropic", 0.5, movement="server")):
        model = train(NET, sets, rule, 0, 12)
        assert model.held_out[-1] == 1.0 and model.rounds.tolist() == [5, 10, 12]
        assert personalised(NET, model.phi, sets.held_out, None, 0).tolist() == tried(sets.held_out).tolist()


def test_what_each_role_has_of_its_own_is_learned_by_personalising() -> None:
    sets = groups(EACH_ITS_OWN, "role", 0, NET.context)
    model = train(NET, sets, Rule("ARUBA", 0.5), 0, 4)
    found = {NOT: None} | ways(model.state, model.last, (1e-9, 0.5), (1.0,))
    shares = {
        name: personalised(NET, model.phi, sets.held_out, way, 0) / tried(sets.held_out) for name, way in found.items()
    }
    assert shares[NOT].tolist() == shares["fixed 1e-09"].tolist() and shares[NOT].mean() < 0.7
    assert all(shares[name].tolist() == [1.0] * len(sets.held_out) for name in ("fixed 0.5", NEXT, "ARUBA++ 1"))


def test_sets_have_no_role_and_no_play_in_common() -> None:
    found = made([[1, 2] * 20] * 30 + [[1, 2, 1]], plays=5)
    for by in ("role", "play"):
        sets = groups(found, by, 3, 2)
        parts = [{found.plays[one.role] if by == "play" else one.role for one in part} for part in sets[:3]]
        assert all(parts) and not any(a & b for a, b in itertools.combinations(parts, 2))
        assert sum(map(len, sets[:3])) == 30 and sets.skipped == 2  # one of the data, one without a batch
    with pytest.raises(ValueError, match="by must be 'role' or 'play', got 'act'"):
        groups(found, "act", 0, 2)
    with pytest.raises(ValueError, match="found must hold at least three plays, got 2"):
        groups(made([[1, 2] * 20] * 4, plays=2), "play", 0, 2)
    with pytest.raises(ValueError, match="each set must hold a role with a batch"):
        groups(made([[1, 2, 3]] * 4), "role", 0, 2)


def test_nodes_side_by_side_are_nodes_one_by_one() -> None:
    rng = np.random.default_rng(0)
    nodes = ordered([node(k, rng.integers(0, 6, n), 2) for k, n in enumerate((40, 90, 57))])
    assert [one.batches for one in nodes] == [71 // BATCH, 44 // BATCH, 31 // BATCH]
    phi = NET.start(rng)
    together = learn(NET, phi, nodes, fixed(0.3), (0, 1))
    for k, one in enumerate(nodes):
        alone = learn(NET, phi, [one], fixed(np.full(NET.size, 0.3)), (0, 1))
        assert together.theta[k] == pytest.approx(alone.theta[0], abs=1e-6)
        assert together.squares[k] == pytest.approx(alone.squares[0], abs=1e-6)
    assert hits(NET, together.theta, nodes).sum() <= tried(nodes).sum()


@pytest.mark.parametrize("movement", ["nodes", "server"])
def test_the_state_is_told_what_algorithm_2_says(movement: str) -> None:
    rng = np.random.default_rng(1)
    phi, average = rng.normal(size=(2, 4)).astype(np.float32)
    found = Passed(rng.normal(size=(3, 4)).astype(np.float32), rng.random((3, 4)).astype(np.float32))
    tasks = [(average, found.squares.sum(axis=0))] if movement == "server" else list(zip(*found, strict=True))
    b, g = np.full(4, 0.04), np.ones(4)
    for t, (theta, squares) in enumerate(tasks):
        b += 0.04 / (t + 2) + (phi - theta) ** 2 / 2
        g += 1 / (t + 2) + squares
    state, scalars = state_of(Rule("ARUBA", 0.2), phi), state_of(Rule("isotropic", 0.2), phi)
    assert state is not None and scalars is not None and state_of(Rule("constant", 0.2), phi) is None
    for one in (state, scalars):
        tell(one, movement, phi, average, found)
    assert state.rates() == pytest.approx(np.sqrt(b / g), rel=1e-5)
    assert scalars.rates() == pytest.approx(np.sqrt(b.sum() / g.sum()), rel=1e-5)


def test_adapting_rates_are_those_of_the_paper() -> None:
    rng = np.random.default_rng(2)
    state = state_of(Rule("ARUBA", 0.2), np.zeros(4, np.float32))
    assert state is not None
    step, twice = adapting(state, 2.0, 3), adapting(state, 2.0, 1, also=np.float32(0.5))
    g = np.ones((3, 4))
    for i in range(3):
        gradient = rng.normal(size=(3 - i, 4)).astype(np.float32)
        out = step(i, gradient, np.empty_like(gradient))
        assert out == pytest.approx(np.sqrt(0.04 / g[: 3 - i]) * gradient, rel=1e-5)
        doubled = twice(i, gradient[:1], np.empty((1, 4), np.float32))
        assert doubled == pytest.approx(out[:1] + 0.5 * gradient[:1], rel=1e-5)
        g[: 3 - i] += 2 * gradient.astype(float) ** 2


TINY = federation.Sizes(2, 2, (0.3, 1.0), (0.5,), (0.03,), (1.0,), ("role",), 10, 200, 3)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> runs.Results:
    """The smallest run there is, on real roles."""
    folder = tmp_path_factory.mktemp("cache")
    units = [
        runs.Unit("federated", "-".join(v), seed, federation.settings(TINY, *v, "role", None))
        for seed in range(TINY.seeds)
        for v in federation.VARIANTS
    ]
    return runs.run(units, folder)


def test_a_seed_gives_the_same_numbers(results: runs.Results) -> None:
    unit = next(unit for unit in results if unit.get("rule") == "ARUBA" and unit.seed == 1)
    again = federation.compute(unit)
    assert all((again[name] == held).all() for name, held in results[unit].items() if name != runs.CPU)
    other = next(one for one in results if one.settings == unit.settings and one.seed == 0)
    assert (results[other]["phi"] != results[unit]["phi"]).any()


def test_the_chosen_rate_is_that_of_the_tuning_roles(results: runs.Results) -> None:
    for unit, run in results.items():
        assert run["chosen"] == run["tuning"][:, -1].argmax()
        assert run["tuning"].shape == run["held_out"].shape == (len(run["settings"]), 1)
        assert len(run["settings"]) == 2 and (unit.get("rule") == "decayed") == bool((run["settings"][:, 1] < 1).all())


def test_tables_and_figures_hold_the_numbers_of_the_units(results: runs.Results, tmp_path: Path) -> None:
    tables = {table.name: table for table in federated.tables(results)}
    assert set(tables) == {f"federated/{name}" for name in ("training-by-role", "personal-by-role", "readings", "cost")}
    row = next(row for row in tables["federated/training-by-role"].rows if row[0] == "ARUBA")
    ours = [run for unit, run in results.items() if (unit.get("rule"), unit.get("movement")) == ("ARUBA", "nodes")]
    assert row[1] == f"{100 * np.mean([run['held_out'][0, -1] for run in ours]):.2f}"
    shown = [run["held_out"][int(run["chosen"]), -1] for run in ours]
    assert row[3].startswith(f"{100 * np.mean(shown):.2f} [")
    for picture in federated.figures(results).values():
        assert picture.series and picture.caption
