"""Campaigns: the same verdicts for any number of jobs, resumed runs, and the rules of combination."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from toy_statements import CRASHES, FALSE, MEANS, NEVER_COUNTS, TRUE

from arubatheory.engines.campaign import (
    BUDGETS,
    ENGINES,
    Interrupted,
    budget_of,
    combine,
    derived_seed,
    digest_of,
    file_stem,
    load,
    run_campaign,
    units_of,
)
from arubatheory.engines.check import check
from arubatheory.engines.search import search
from arubatheory.engines.verdict import Status

TOYS = Path(__file__).with_name("toy_statements.py")
STATEMENTS = (TRUE, FALSE, MEANS)


def timeless(verdicts):
    return {label: replace(v, seconds=0.0) for label, v in verdicts.items()}


def test_any_number_of_jobs_gives_the_same_verdicts():
    chosen = [load(TOYS)[s.label] for s in STATEMENTS]
    one = run_campaign(chosen, list(ENGINES), 300, 5, jobs=1, file=TOYS)
    two = run_campaign(chosen, list(ENGINES), 300, 5, jobs=2, file=TOYS)
    assert timeless(one) == timeless(two)
    assert list(one) == [s.label for s in STATEMENTS]


def test_the_order_and_company_of_statements_do_not_matter():
    alone = run_campaign([FALSE], ["check"], 200, 5)
    among = run_campaign([MEANS, FALSE, TRUE], ["check"], 200, 5)
    assert timeless(alone)[FALSE.label] == timeless(among)[FALSE.label]


def test_finished_units_are_not_run_again():
    kept = {}
    first = run_campaign(STATEMENTS, ["check"], 200, 1, keep=lambda u, v, s: kept.__setitem__(u, (v, s)))
    ran = []
    second = run_campaign(STATEMENTS, ["check"], 200, 1, done=kept.get, keep=lambda u, v, s: ran.append(u))
    assert ran == [] and timeless(first) == timeless(second)


def test_an_interrupted_campaign_says_how_far_it_came():
    kept = {}

    def stop_after_two(event):
        if event.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="2 of 3 units are finished and kept") as caught:
        run_campaign(
            STATEMENTS, ["check"], 150, 1, keep=lambda u, v, s: kept.__setitem__(u, (v, s)), progress=stop_after_two
        )
    assert (caught.value.done, caught.value.of) == (2, 3) and len(kept) == 2
    resumed = run_campaign(STATEMENTS, ["check"], 150, 1, done=kept.get)
    assert timeless(resumed) == timeless(run_campaign(STATEMENTS, ["check"], 150, 1))


def test_large_budgets_are_split_into_independent_shards():
    units = units_of(TRUE, ["search"], 25_000, 1)
    assert [u.budget for u in units] == [10_000, 10_000, 5000]
    assert len({u.seed for u in units}) == 3


def test_errors_are_reported_beside_good_verdicts():
    verdicts = run_campaign([CRASHES, TRUE], ["check"], 150, 1)
    assert verdicts[CRASHES.label].status == Status.ERROR and "ZeroDivisionError" in verdicts[CRASHES.label].error
    assert verdicts[TRUE.label].status == Status.SURVIVED


def test_combination_takes_the_gravest_status_and_all_trials():
    good, bad, idle = check(TRUE, 150, 1), search(FALSE, 500, 1), search(NEVER_COUNTS, 50, 1)
    assert combine("x", [good, bad, idle], 0).status == Status.REFUTED
    assert combine("x", [good, idle], 0).status == Status.SURVIVED
    assert combine("x", [idle], 0).status == Status.IDLE
    assert combine("x", [], 0).status == Status.IDLE
    merged = combine("x", [good, bad], 0)
    assert merged.trials == good.trials + bad.trials and merged.found_by == "search"


def test_two_idle_runs_may_make_one_that_counts():
    halves = [search(TRUE, 80, 1), search(TRUE, 80, 2)]
    assert {v.status for v in halves} == {Status.IDLE}
    assert combine(TRUE.label, halves, 0).status == Status.SURVIVED


def test_blind_runs_ignore_stored_witnesses(tmp_path):
    witness = check(FALSE, 200, 1).simplest
    (tmp_path / f"{file_stem(FALSE.label)}-simplest.json").write_text(json.dumps(witness.to_json()))

    def run(seed, blind):
        return run_campaign([FALSE], ["search"], 1, seed, witnesses=tmp_path, blind=blind)[FALSE.label]

    # a seed whose only evaluation does not refute by itself
    seed = next(seed for seed in range(100) if run(seed, True).status == Status.IDLE)
    assert (run(seed, False).status, run(seed, False).found_by) == (Status.REFUTED, "check")


@pytest.mark.parametrize("budget", [0, -1, "huge", 1.5, True])
def test_bad_budget(budget):
    with pytest.raises(ValueError, match="budget must be one of quick, standard, deep or a positive integer"):
        budget_of(budget, "check")


def test_a_budget_too_small_for_an_engine():
    with pytest.raises(ValueError, match="budget must be at least 32 for the engine simulate, got 10"):
        budget_of(10, "simulate")
    assert budget_of(10, "check") == 10


def test_bad_engine_and_jobs():
    with pytest.raises(ValueError, match="engine must be one of check, search, rate, simulate, got 'guess'"):
        units_of(TRUE, ["guess"], 10, 1)
    with pytest.raises(ValueError, match="jobs must be >= 1, got 0"):
        run_campaign([TRUE], ["check"], 10, 1, jobs=0)


def test_budgets_name_every_engine():
    assert all(set(budgets) == set(ENGINES) for budgets in BUDGETS.values())


def test_statements_of_a_users_file(tmp_path):
    assert {s.label for s in STATEMENTS} <= set(load(TOYS))
    assert digest_of(TOYS) != digest_of(None) and digest_of(TOYS).startswith(digest_of(None))
    with pytest.raises(ValueError, match="file must be a Python file"):
        load(tmp_path / "none.py")


def test_two_statements_of_one_label_are_an_error(tmp_path):
    path = tmp_path / "twice.py"
    path.write_text(
        "from arubatheory.statements.core import Instance, Sides, Statement\n"
        "def make():\n"
        "    return Statement('a:b', 'claim', 'x', lambda d: Instance(), lambda i: Sides(0, 1, 1))\n"
        "ONE, TWO = make(), make()\n"
    )
    with pytest.raises(ValueError, match="two statements with the label 'a:b'"):
        load(path)


def test_derived_seeds_differ():
    assert len({derived_seed(s, e, k) for s in (1, 2) for e in ("check", "search") for k in range(9)}) == 36
