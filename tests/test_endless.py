"""Runs that end at a first refutation, runs without an end, and the record that is certified again before both."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy import FALSE, TRUE, user_file, verify

from arubatheory.cli.codes import AS_RECORDED, INTERRUPTED, USAGE
from arubatheory.engines.search import search
from arubatheory.engines.source import Source
from arubatheory.engines.units import derived_seed
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.engines.witness_files import file_stem
from arubatheory.papers.aruba import ARUBA
from arubatheory.report import endless, power, session
from arubatheory.report.endless import forever, novelty
from arubatheory.report.outcome import worst_text
from arubatheory.report.power import PowerRow, planted
from arubatheory.report.session import Event, Interrupted, Settings
from arubatheory.report.session import run as tried
from arubatheory.report.standing import Role
from arubatheory.report.store import Store
from arubatheory.report.table import Watch
from arubatheory.statements.effort import ENGINES

BOUNDS = {"my:true": 2, "my:false": 3}


@pytest.fixture
def settings(tmp_path: Path) -> Callable[..., Settings]:
    path = tmp_path / "bounds.py"
    path.write_text(user_file(BOUNDS))
    return lambda **more: Settings(tmp_path, **{"budget": "60", "source": Source(path), **more})


def trials(settings: Settings) -> list[Any]:
    return [settings.trial(s) for s in settings.source.statements().values()]


def verdicts(settings: Settings, progress: Any = lambda event: None) -> dict[str, Verdict]:
    outcomes = tried(trials(settings), settings, progress)
    return {o.statement.label: replace(o.verdict, seconds=0.0) for o in outcomes if o.verdict}


# the first refutation ----------------------------------------------------------------------------------------------
def test_a_statement_that_is_refuted_is_not_tried_any_more(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "search", ENGINES["search"]._replace(shard=20))
    events: list[Event] = []
    alone = verdicts(settings(first=True, fresh=True), events.append)
    assert [(e.unit.label, e.unit.engine) for e in events] == [
        *(("my:true", "check"), ("my:false", "check")),
        *(("my:true", "search"),) * 3,
    ]
    assert (events[-1].done, events[-1].of) == (5, 5)
    assert alone["my:false"].status is Status.REFUTED and alone["my:false"].engine == "check"
    backwards = settings(first=True, fresh=True, executor="test_executors:Backwards")
    assert verdicts(backwards) == alone, "units beyond, run or not, do not count"
    whole = verdicts(settings())
    assert whole["my:true"] == alone["my:true"] and whole["my:false"].trials > alone["my:false"].trials


def test_main_readings_are_told_of_once_also_by_a_run_that_goes_on(settings: Any, monkeypatch: Any) -> None:
    """The page of an interrupted run was left out where all main readings were stored."""
    monkeypatch.setattr(session, "role_of", lambda s, paper: Role.MAIN if s.label == "my:true" else Role.STEP)

    def stop(outcomes: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        tried(trials(settings()), settings(), partway=stop)
    seen: list[list[bool]] = []
    tried(trials(settings()), settings(), partway=lambda known: seen.append([o.verdict is not None for o in known]))
    assert len(seen) == 1 and seen[0][0]


def test_a_search_that_ended_early_is_stored_apart(settings: Any) -> None:
    early = verdicts(settings(first=True, engines=("search",)))
    assert early["my:false"].evaluations < 20
    assert early["my:false"].evaluations < verdicts(settings(engines=("search",)))["my:false"].evaluations <= 60
    events: list[Event] = []
    assert verdicts(settings(first=True, engines=("search",)), events.append) == early
    assert all(event.stored for event in events)


# the record --------------------------------------------------------------------------------------------------------
@pytest.fixture
def record(root: Path) -> Path:
    """A witness of the false toy, on record."""
    folder = root / ARUBA.witnesses
    folder.mkdir(parents=True)
    found = search(FALSE, 200, 1).simplest
    assert found is not None
    (folder / f"{file_stem(FALSE.label)}-simplest.json").write_text(json.dumps(found.to_json()))
    return root


def test_witnesses_on_record_come_first_and_what_they_refute_last(record: Path, capsys: Any) -> None:
    assert verify("--engine", "check", "clm:cdual", "clm:scmin", "thm:ftrlomd/omd") == AS_RECORDED
    said = capsys.readouterr()
    assert said.err.splitlines()[-5:] == [
        "[1/1] clm:scmin on record REFUTED",
        *[line for line in said.err.splitlines() if "on record certified" in line],
        "[1/3] clm:cdual check SURVIVED",
        "[2/3] thm:ftrlomd/omd check SURVIVED",
        "[3/3] clm:scmin check REFUTED",
    ]
    assert said.err.splitlines()[-4].startswith("1 refutation on record certified again, ")
    assert " evaluations a second\n" in said.out
    assert verify("--engine", "check", "--blind", "clm:scmin") == AS_RECORDED
    assert "on record" not in capsys.readouterr().err


def test_other_readings_come_after_main_ones(root: Path) -> None:
    other, events = replace(TRUE, label="clm:cdual/other"), list[Event]()
    made = Settings(root, ("check", "search"), "20")
    tried([made.trial(s) for s in (other, TRUE)], made, events.append)
    expected = [(label, engine) for label in ("clm:cdual", "clm:cdual/other") for engine in ("check", "search")]
    assert [(event.unit.label, event.unit.engine) for event in events] == expected


def test_certificates_on_record_come_after_main_readings(record: Path, capsys: Any) -> None:
    other, events, seen = replace(TRUE, label="clm:cdual/other"), list[Event](), list[Any]()
    proofs = record / ARUBA.certificates
    proofs.mkdir(parents=True)
    (proofs / f"{file_stem(other.label)}-boxes.json").write_text("{}")
    made = Settings(record, ("check",), "120")
    done = tried([made.trial(s) for s in (other, FALSE, TRUE)], made, events.append, seen.append)
    assert [(event.unit.label, event.unit.engine, event.done, event.of) for event in events] == [
        ("clm:scmin", "witness", 1, 1),
        ("clm:cdual", "check", 1, 3),
        *(("clm:cdual/other", "witness", 1, 2), ("clm:cdual", "witness", 2, 2)),  # whose part has the file
        *(("clm:cdual/other", "check", 2, 3), ("clm:scmin", "check", 3, 3)),
    ]
    assert done[0].verdict is not None and "is rejected" in done[0].verdict.unproved
    assert [[o.verdict and o.verdict.status for o in outcomes] for outcomes in seen] == [
        [None, Status.REFUTED, Status.SURVIVED]
    ]


def test_the_page_is_there_when_the_main_readings_are_done(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, without = record / "p.html", list[int | None]()

    def watched(*_: Any) -> None:
        without.append(page.read_text(encoding="utf-8").count("<b>no verdict</b>") if page.exists() else None)

    monkeypatch.setattr(Watch, "__call__", watched)
    monkeypatch.setattr(session, "role_of", lambda s, paper: Role.STEP if s.label == "clm:cdual" else Role.MAIN)
    assert verify("--engine", "check", "thm:ftrlomd", "clm:cdual", "--page", "p.html") == AS_RECORDED
    watched()
    assert without == [None, 2, 0], "in the table, and over the article"


def test_what_the_record_refutes_is_not_tried_where_the_first_is_enough(record: Path, capsys: Any) -> None:
    assert verify("--first", "--json", "clm:cdual", "clm:scmin") == AS_RECORDED
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(r["status"], r["engine"], r["evaluations"] > 0) for r in rows] == [
        ("SURVIVED", "check+search", True),
        ("REFUTED", "witness", False),
    ]
    assert rows[0]["evaluations_per_second"] > 0


# seed after seed ---------------------------------------------------------------------------------------------------
def test_seeds_go_on_where_they_were_and_only_what_is_new_is_kept(settings: Any, tmp_path: Path) -> None:
    one = settings()

    def impatient(event: Event) -> None:
        if event.done == 3 and next(stops):
            raise KeyboardInterrupt

    stops = iter([False, True])
    seen = forever(trials(one), one, impatient)
    first = next(seen)
    with pytest.raises(Interrupted, match="3 of 4 units are finished and kept"):
        next(seen)
    assert (first.seed, len(first.outcomes), first.news, first.earlier) == (0, 2, [], False)
    again = forever(trials(one), one, lambda event: events.append(event))
    events: list[Event] = []
    before, second, third = next(again), next(again), next(again)
    again.close()  # type: ignore[attr-defined]
    assert (before.seed, before.earlier, before.outcomes) == (0, True, first.outcomes)
    assert [event.stored for event in events] == [True] * 3 + [False] * 5
    straight = forever(trials(settings(fresh=True)), settings(fresh=True), lambda event: None)
    expected = [next(straight) for _ in range(3)][-1]
    assert [untimed(o) for o in third.outcomes] == [untimed(o) for o in expected.outcomes]
    assert [words for _, words in third.news] == [words for _, words in expected.news]
    assert second.seed == 1 and untimed(third.outcomes[0]).evaluations >= 300
    with Store(tmp_path / ".cache" / "arubatheory.sqlite") as store:
        assert store.finished() == 4  # the units of the first seed, which a run with an end has, too


def untimed(outcome: Any) -> Verdict:
    return replace(outcome.verdict, seconds=0.0)


def test_what_is_new_is_said(settings: Any) -> None:
    made = search(FALSE, 50, 1)
    worse = replace(made.worst, lhs="9") if made.worst else None
    assert novelty(made, made) == ""
    assert novelty(made, replace(made, worst=worse, worst_ratio=7.0)) == f"a worse witness: {worst_text(made)} -> 7"
    assert novelty(made, replace(made, simplest=worse)) == "a simpler witness"
    survivor = search(TRUE, 150, 1)
    assert novelty(survivor, replace(survivor, worst=worse)) == f"a closer instance: {worst_text(survivor)}"
    assert novelty(survivor, made) == "SURVIVED -> REFUTED"
    lost = replace(made, status=Status.ERROR, error="ZeroDivisionError: 1/0", seed=7)
    assert endless._together(survivor, lost) == (survivor, "ERROR at the seed 7: ZeroDivisionError: 1/0")
    assert endless._together(None, lost) == (lost, "")


def test_without_an_end_the_command_is_interrupted_and_says_what_it_took(
    root: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [PowerRow(label, "siblings", 2, 2, 1, None, None) for label in ("clm:cdual", "clm:other")]
    power.TABLE.write(root / power.TABLE.location(ARUBA), rows)

    def stopped(self: Watch, event: Event) -> None:
        if event.unit.seed == derived_seed(3, "clm:cdual", "check", 0):
            raise KeyboardInterrupt

    monkeypatch.setattr(Watch, "__call__", stopped)
    assert verify("--forever", "--engine", "check", "--budget", "300", "clm:cdual") == INTERRUPTED
    seen = capsys.readouterr()
    said = seen.out.splitlines()
    assert said[:3] == [f"seed {k}: 1 statement, 0 with something new" for k in range(3)]
    assert said[-1].startswith(
        "3 seeds tried (0 to 2); of 2 siblings planted beside these statements, so much is known to find 2"
    )
    assert seen.err.endswith("1 of 1 units are finished and kept at the seed 3; the same command goes on from there\n")
    assert "900" in next(line for line in said if "SURVIVED" in line), "the trials of all seeds"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--first", "--forever"], "--first does not go with --forever"),
        (["--record", "--first"], "--record does not go with --first"),
        (["--record", "--forever"], "--record does not go with --forever"),
        (["--executor", "mpi"], "executor must be processes, dask:ADDRESS or MODULE:CALLABLE, got 'mpi'"),
    ],
)
def test_what_makes_no_sense_is_refused(root: Path, capsys: Any, words: list[str], message: str) -> None:
    assert verify(*words) == USAGE
    assert message in capsys.readouterr().err


def test_what_an_effort_is_known_to_find() -> None:
    rows = [
        PowerRow("a", "siblings", 2, 2, 1, None, None),
        PowerRow("b", "siblings", 3, None, None, 3, None),
        PowerRow("a", "blind", 1, 1, 1, None, None),
    ]
    for spent, found in (
        ({"check": 399}, 0),
        ({"check": 800}, 2),
        ({"search": 6000}, 1),
        ({"check": 800, "rate": 20}, 5),
    ):
        said = planted(rows, spent)
        assert said.startswith(f"of 5 siblings planted beside these statements, so much is known to find {found} (")
    assert planted(rows[2:], {"check": 400}) == ""
