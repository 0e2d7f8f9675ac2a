"""No true statement is called false where it is nearly, or exactly, an equality: a small run of the million."""

import pytest

from verification.false_alarms import LEAST_TIES, NONE, SHARES, hunt, main, run, shards

EVALUATIONS = 20_000


@pytest.fixture(scope="module")
def found():
    return run(EVALUATIONS, seed=1, jobs=1)


def test_nothing_true_is_refuted_on_tight_games(found):
    assert set(found) == set(SHARES)
    assert all(counts.refuted == 0 and counts.apparent == counts.overruled for counts in found.values())
    assert sum(counts.evaluations for counts in found.values()) == EVALUATIONS


def test_at_least_a_tenth_are_exact_ties_and_most_ties_are_not_of_two_zeros(found):
    total = NONE
    for counts in found.values():
        total = total.plus(counts)
    assert total.sampled >= 20
    assert total.exact_share() >= LEAST_TIES
    assert total.resolved >= total.ties / 2


def test_shards_add_up_and_each_has_its_own_seed():
    plan = shards(250_000, 1)
    assert sum(n for _, n, _ in plan) == 250_000
    assert len({seed for _, _, seed in plan}) == len(plan)


def test_a_shard_is_reproducible():
    assert hunt("clm:cdual", 300, 5) == hunt("clm:cdual", 300, 5)
    assert hunt("clm:cdual", 300, 5).evaluations == 300


@pytest.mark.parametrize(
    "arguments, message",
    [(["--evaluations", "99"], "evaluations must be >= 100, got 99"), (["--jobs", "0"], "jobs must be >= 1, got 0")],
)
def test_bad_arguments_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
