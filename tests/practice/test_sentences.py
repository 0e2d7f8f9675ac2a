"""Sentences are judged by what the runs say; departures are counted and run both ways."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from practice import departures, federation, runs, sentences
from practice.charnet import CharNet, windows
from practice.convnet import layout
from practice.departures import hidden_state, with_mask
from practice.federated import VARIANTS
from practice.nodes import Groups, node
from practice.personal import LAST, NEXT, NOT
from practice.sentences import TUNING, one_step

NET = CharNet(context=2, width=3, hidden=5, classes=6)
HITS = {NOT: 40, "fixed 0.1": 50, "fixed 1": 10, NEXT: 60, LAST: 55, "ARUBA++ 1": 61, "doubled": 20}
LEARNED = (NEXT, LAST, "ARUBA++ 1", "doubled")


def made(variant: tuple[str, str], seed: int) -> runs.Arrays:
    """What a unit would hold in which ARUBA is better than FedAvg, and learned rates are best, by a little more or
    less from seed to seed."""
    ways = [name for name in HITS if variant[0] == "ARUBA" or name not in LEARNED[2:]]
    ways = [name for name in ways if variant[0] in ("ARUBA", "isotropic") or name not in LEARNED]
    hits = np.array([[1000 + 10 * HITS[name] + seed] for name in ways])
    ends = np.array([[0.30], [0.32]]) + 0.02 * (variant[0] == "ARUBA") + 0.001 * seed
    return {
        "settings": np.array([(0.1, 1.0), (1.0, 1.0)]),
        "chosen": np.array(1),
        "held_out": ends,
        "by_layer": np.tile(np.array([-3.0, -2.0, -2.0, -1.0 + 0.01 * seed, -1.0]), (2, 1, 1)),
        "ways": np.array(ways),
        **{f"{group}_hits": hits for group in ("tuning", "held")},
        **{f"{group}_tried": np.array([10_000]) for group in ("tuning", "held")},
        "phi": np.zeros(7),
    }


@pytest.fixture(scope="module")
def results() -> runs.Results:
    found = {
        runs.Unit("federated", rule, seed, federation.settings(federation.QUICK, rule, movement, "role", None)): made(
            (rule, movement), seed
        )
        for seed in range(3)
        for rule, movement in VARIANTS
    }
    for seed, (kind, right) in itertools.product(range(3), {"adam": 4, "aruba": 3}.items()):
        settings = (("kind", kind), ("zeta", 1.0), ("trained", True))
        test = np.full((2, 10, 2), right)
        rates = np.tile(10.0 ** np.arange(-len(layout().parts), 0)[:, None], (2, 1, 3))
        run = {"test": test, "plus_test": test + 1, "doubled": test - 2, "layers": rates, "best": np.array([1, 0])}
        found[runs.Unit("fewshot", kind, seed, settings)] = run
    for seed in range(3):
        found[runs.Unit("sentences", "one-step", seed)] = {"ratios": np.array([1.0, 0.7, 0.2]) + 0.001 * seed}
        zeta, mask = np.array([0.3, 0.31, 0.32]), np.array([0.3, 0.29])
        found[runs.Unit("departures", "zeta", seed)] = {"zeta": zeta, "mask": mask, "hidden_by_theirs": np.array(0.2)}
        found[runs.Unit("departures", "zeta", seed)]["larger"] = np.linspace(0.3, 0.36, 7) + 0.01 * seed
    return found


def test_sentences_are_judged_by_what_the_runs_say(results: runs.Results) -> None:
    table = sentences.tables(results)[0]
    assert table.rows[0][0] == f"“{TUNING}” (caption)"
    said = {row[1]: row[2:] for row in table.rows}
    assert said["ARUBA: learned - tuned fixed step, >= -0.5"] == ("1.00 [1.00, 1.00]", "confirmed")
    assert said["FedAvg: tuned fixed step - mean of all steps, >= 0.5"] == ("2.00 [2.00, 2.00]", "confirmed")
    assert said["mean over first rates, >= 0"] == ("2.00 [2.00, 2.00]", "confirmed")
    assert said["ARUBA, mean over first rates - tuned schedule, >= -0.5"] == ("1.00 [1.00, 1.00]", "confirmed")
    assert said["log10 of the rates, output - embedding, >= 0"] == ("2.01 [1.99, 2.03]", "confirmed")
    assert said["numbers sent beside the model, <= 1%"] == ("1 of 7", "contradicted")
    ends = [row[-1] for row in table.rows[-3:]]
    assert ends == ["confirmed", "contradicted", "contradicted"]


def test_sentences_on_few_shots_are_judged_by_what_the_runs_say(results: runs.Results) -> None:
    table = sentences.tables(results)[1]
    assert table.rows[0][0].startswith("“on Omniglot it requires the additional")
    said = {row[1]: row[2:] for row in table.rows}
    assert said["1-shot: Adam - ARUBA, >= 0"] == ("20.00 [20.00, 20.00]", "confirmed")
    assert said["here, on Omniglot, 1-shot: ARUBA - Adam, >= -0.5"] == ("-20.00 [-20.00, -20.00]", "contradicted")
    assert table.rows[4][0] == "“ARUBA matches or exceeds this baseline on Mini-ImageNet” (text)"
    assert said["5-shot: ARUBA++ - Adam, >= 0"] == ("0.00 [0.00, 0.00]", "confirmed")
    assert said["log10 of the median rates, linear - first convolution, >= 0"] == ("9.00 [9.00, 9.00]", "confirmed")
    assert said["linear - convolutions, >= log10 3"][1] == "confirmed" and "(3 seeds)" in table.note


def test_sentences_can_be_contradicted(results: runs.Results) -> None:
    worse = {unit: dict(run) for unit, run in results.items()}
    for run in worse.values():
        if NEXT in run.get("ways", ()):
            run["held_hits"] = np.where(run["ways"][:, None] == NEXT, 0, run["held_hits"])
    said = {row[1]: row[3] for row in sentences.tables(worse)[0].rows}
    assert said["ARUBA: learned - tuned fixed step, >= -0.5"] == said["ARUBA: learned - not personalised, >= 0"]
    assert said["ARUBA: learned - not personalised, >= 0"] == "contradicted"


def test_departures_are_code_minus_paper(results: runs.Results) -> None:
    table, larger = departures.tables(results)
    assert [row[1:] for row in larger.rows[:2]] == [("31.00", "0.00 [0.00, 0.00]"), ("32.00", "1.00 [1.00, 1.00]")]
    differences = {row[0]: row[3] for row in table.rows}
    assert differences["the rates after the last task, not of it"] == "0.50 [0.50, 0.50]"
    assert differences["doubled updates where ARUBA++ is off"] == "-4.00 [-4.00, -4.00]"
    assert differences["doubled updates on drawings, 5-shot"] == "-40.00 [-40.00, -40.00]"
    assert differences["the same, with `--zeta 10`"] == "1.00 [1.00, 1.00]"
    assert differences["a zero state for short contexts (here: of 8)"] == "-1.00 [-1.00, -1.00]"


def test_the_zero_states_of_padded_batches_are_counted() -> None:
    assert [hidden_state(n) for n in (0, 1, 5, 10, 12, 80, 400)] == [0, 0, 4, 9, 10, 72, 72]


def test_a_zero_state_leaves_the_output_biases_to_decide() -> None:
    theta = np.zeros(NET.size, np.float32)
    net = NET.views(theta)
    net[0][...], net[4][...] = np.eye(6, 3), [0, 0, 0, 1, 0, 0]
    one = node(0, np.array([3] * 100), 2)
    sets = Groups((), (), (one,), 0)
    assert with_mask(NET, theta, sets).tolist() == [19]
    net[1][...], net[3][...] = 1, -1
    net[3][:, 2] = 9  # what is read says 2, the biases alone say 3: only the first character has a short context
    one = one._replace(tried_X=windows(np.array([1, 2, 1, 2]), 2)[0], tried_Y=np.array([3, 3, 2]))
    assert with_mask(NET, theta, sets._replace(held_out=(one,))).tolist() == [2]


def test_rates_of_one_step_fall_unless_zeta_holds_them() -> None:
    tasks = [node(k, np.tile([1, 2, 3 + k % 3], 20), 2) for k in range(4)]
    held, falling = (one_step(NET, tasks, zeta, 0, 40) for zeta in (100.0, 0.01))
    assert abs(held - 1) < 1e-3 and falling < 0.6
