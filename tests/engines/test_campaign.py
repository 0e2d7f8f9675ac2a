"""Campaigns: the same verdicts for any number of jobs, resumed runs, and the rules of combination."""

import json
from pathlib import Path

import pytest
from toy_statements import CRASHES, FALSE, MEANS, NEVER_COUNTS, TRUE
from tried import stop_after_two, tried

from arubatheory.engines import pool
from arubatheory.engines.check import check
from arubatheory.engines.search import search
from arubatheory.engines.source import Source
from arubatheory.engines.units import derived_seed, units_of
from arubatheory.engines.verdict import Status, combine, failure
from arubatheory.engines.witness_files import file_stem
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.session import Interrupted
from arubatheory.statements.effort import BUDGETS, ENGINES, USUAL, Effort, budget_of

TOYS = Path(__file__).with_name("toy_statements.py")
STATEMENTS = (TRUE, FALSE, MEANS)


def test_any_number_of_jobs_gives_the_same_verdicts(tmp_path):
    chosen = [Source(TOYS).statements()[s.label] for s in STATEMENTS]
    one, two = (tried(tmp_path / str(jobs), chosen, USUAL, 300, 5, file=TOYS, jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert list(one) == [s.label for s in STATEMENTS]


def test_the_order_and_company_of_statements_do_not_matter(tmp_path):
    alone = tried(tmp_path / "1", [FALSE], ["check"], 200, 5, file=TOYS)
    among = tried(tmp_path / "2", [MEANS, FALSE, TRUE], ["check"], 200, 5, file=TOYS)
    assert alone[FALSE.label] == among[FALSE.label]


def test_finished_units_are_not_run_again(tmp_path, monkeypatch):
    first = tried(tmp_path, STATEMENTS, ["check"], 200, 1, file=TOYS)
    monkeypatch.setattr(pool, "run_unit", None)
    assert tried(tmp_path, STATEMENTS, ["check"], 200, 1, file=TOYS) == first


def test_an_interrupted_run_says_how_far_it_came_and_goes_on_from_there(tmp_path):
    with pytest.raises(Interrupted, match="2 of 3 units are finished and kept") as caught:
        tried(tmp_path / "1", STATEMENTS, ["check"], 150, 1, stop_after_two, file=TOYS)
    assert (caught.value.done, caught.value.of) == (2, 3)
    resumed = tried(tmp_path / "1", STATEMENTS, ["check"], 150, 1, file=TOYS)
    assert resumed == tried(tmp_path / "2", STATEMENTS, ["check"], 150, 1, file=TOYS)


@pytest.mark.parametrize(
    "budget, parts",
    [
        (15_000, [15_000]),
        (30_000, [15_000, 15_000]),
        (35_000, [17_500, 15_000, 2500]),
        ("deep", [150_000] + [15_000] * 10),
        (10**6, [200_000] + [15_000] * 53 + [5000]),
    ],
)
def test_large_budgets_are_split_into_independent_parts(budget, parts):
    units = list(units_of(TRUE, Effort(("search",), budget, 1)))
    assert [u.budget for u in units] == parts
    assert len({u.seed for u in units}) == len(parts)


def test_errors_are_reported_beside_good_verdicts(tmp_path):
    verdicts = tried(tmp_path, [CRASHES, TRUE], ["check"], 150, 1, file=TOYS)
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


def test_an_error_does_not_hide_that_a_claim_is_refuted():
    both = combine("x", [check(FALSE, 200, 1), failure("x", "search", 1, 1, ValueError("no such game"))], 0)
    assert both.status == Status.ERROR and both.simplest is not None
    assert both.error == "ValueError: no such game; a witness refutes it all the same"


def test_two_idle_runs_may_make_one_that_counts():
    halves = [search(TRUE, 95, 1), search(TRUE, 95, 2)]
    assert {v.status for v in halves} == {Status.IDLE}
    assert combine(TRUE.label, halves, 0).status == Status.SURVIVED


def test_blind_runs_ignore_stored_witnesses(tmp_path):
    witness = check(FALSE, 200, 1).simplest
    folder = tmp_path / ARUBA.witnesses
    folder.mkdir(parents=True)
    (folder / f"{file_stem(FALSE.label)}-simplest.json").write_text(json.dumps(witness.to_json()))

    def seen(seed, blind):
        return tried(tmp_path, [FALSE], ["search"], 1, seed, source=Source(), blind=blind)[FALSE.label]

    # a seed whose only evaluation does not refute by itself
    seed = next(seed for seed in range(100) if seen(seed, True).status == Status.IDLE)
    assert (seen(seed, False).status, seen(seed, False).found_by) == (Status.REFUTED, "check")


@pytest.mark.parametrize("budget", [0, -1, "huge", 1.5, True])
def test_bad_budget(budget):
    with pytest.raises(ValueError, match="budget must be one of quick, standard, deep or a positive integer"):
        budget_of(budget, "check")


def test_a_budget_too_small_for_an_engine():
    with pytest.raises(ValueError, match="budget must be at least 32 for the engine simulate, got 10"):
        budget_of(10, "simulate")
    assert budget_of(10, "check") == 10


def test_bad_engine_and_jobs(tmp_path):
    with pytest.raises(ValueError, match="engine must be one of check, search, rate, simulate, prove, got 'guess'"):
        units_of(TRUE, Effort(("guess",), 10, 1))
    with pytest.raises(ValueError, match="jobs must be an integer >= 1 and <= 256, got 0"):
        tried(tmp_path, [TRUE], ["check"], 10, 1, file=TOYS, jobs=0)


def test_every_engine_has_every_budget():
    assert all(tuple(engine.budgets) == BUDGETS for engine in ENGINES.values())


def test_statements_of_a_users_file(tmp_path):
    assert {s.label for s in STATEMENTS} <= set(Source(TOYS).statements())
    assert Source(TOYS).digest() != Source().digest() and Source(TOYS).digest().startswith(Source().digest())
    with pytest.raises(ValueError, match="file must be a Python file"):
        Source(tmp_path / "none.py").statements()


def test_two_statements_of_one_label_are_an_error(tmp_path):
    path = tmp_path / "twice.py"
    path.write_text(
        "from arubatheory.statements.core import Instance, Sides, Statement\n"
        "def make():\n"
        "    return Statement('a:b', 'claim', 'x', lambda d: Instance(), lambda i: Sides(0, 1))\n"
        "ONE, TWO = make(), make()\n"
    )
    with pytest.raises(ValueError, match="two statements with the label 'a:b'"):
        Source(path).statements()


def test_derived_seeds_differ():
    assert len({derived_seed(s, e, k) for s in (1, 2) for e in ("check", "search") for k in range(9)}) == 36
