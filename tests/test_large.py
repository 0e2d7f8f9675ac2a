"""Many units and many verdicts: memory and operations at a small size; the full size is `python -m tests.large`."""

from __future__ import annotations

import gc
import random
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toy import FAILING, TRUE, user_file, verdict

from arubatheory import sources
from arubatheory.cli import main
from arubatheory.cli.codes import USAGE
from arubatheory.engines import units
from arubatheory.engines.pool import finished
from arubatheory.engines.search import search
from arubatheory.engines.source import Source
from arubatheory.engines.units import Unit, units_of
from arubatheory.engines.verdict import ERRORS, Status, Tally, Verdict, combine
from arubatheory.report import store as store_module
from arubatheory.report.session import Event, Interrupted, Settings, run
from arubatheory.report.store import Store, StoreError
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import ENGINES, MOST, Effort, budget_of
from arubatheory.testing import assert_survives
from tests import large

ABSURD = 10**20
SPARE = 100_000  # bytes by which memory may vary: two thirds of what 800 bare units take


def collect(event: Event) -> None:
    """Free what is kept for tuples to come, up to 2,000 of each length, from time to time."""
    if event.done % 50 == 0:
        gc.collect()


def peak(work: Callable[[], object]) -> int:
    """The most bytes that Python held at once on behalf of some work."""
    gc.collect()
    gc.freeze()  # what was there before is not looked through again
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.unfreeze()


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An engine that says at once what would have to be kept, were it kept; an error of its own for every third unit
    of one statement."""

    def engine(statement: Statement, budget: int, seed: int) -> Verdict:
        if statement.label == "my:s00001" and seed % 3 == 0:
            raise RuntimeError(f"{seed}: {'x' * 1000}")
        return large.heavy(statement.label, seed)

    monkeypatch.setattr(units, "engine_of", lambda name: engine)
    monkeypatch.setattr(sources.Snapshot, "edited", None)  # else each unit asks it of hundreds of files
    monkeypatch.setitem(ENGINES, "search", ENGINES["search"])  # a campaign makes its shards small
    yield


# units ---------------------------------------------------------------------------------------------------------------
def test_the_memory_of_the_parent_does_not_grow_with_the_units(tmp_path: Path, stub: None) -> None:
    def bytes_of(shards: int, attempt: int) -> tuple[int, int]:
        """Of a campaign, and of the same again, when all its units are stored."""
        folder = tmp_path / f"{shards}-{attempt}"
        first, again = (peak(lambda: large.campaign(folder, 4, shards, 1, collect)) for _ in range(2))
        return first, again

    def steady(attempt: int) -> bool:
        few, many = bytes_of(50, attempt), bytes_of(250, attempt)
        return many[0] < few[0] + SPARE and many[1] < few[1] + SPARE

    bytes_of(2, 0)  # imports, caches
    assert any(
        map(steady, range(3))
    )  # what grows does so each time; other threads of the process hold now more, now less


def test_a_large_budget_is_planned_as_it_is_worked_on(tmp_path: Path, stub: None) -> None:
    file = tmp_path / "bounds.py"
    file.write_text(user_file({"my:a": 2}))
    settings = Settings(tmp_path, budget=str(MOST // 100), source=Source(file))
    trials = [settings.trial(s) for s in settings.source.statements().values()]

    def stop(event: Event) -> None:
        if event.done == 3:
            raise KeyboardInterrupt

    def stopped() -> None:
        with pytest.raises(Interrupted, match="interrupted: 3 of 10655 units are finished and kept"):
            run(trials, settings, stop)

    stopped()
    assert peak(stopped) < 10 * SPARE


def test_few_units_are_handed_out_at_a_time(tmp_path: Path) -> None:
    file, jobs, taken = tmp_path / "bounds.py", 2, 0
    file.write_text(user_file({"my:a": 2}))

    def counted() -> Iterator[Unit]:
        nonlocal taken
        for taken in range(1, 101):
            yield Unit("my:a", "search", 2, taken)

    found = []
    for k, (unit, seen, _) in enumerate(finished(counted(), {}, Source(file), jobs)):
        assert taken - k <= jobs
        assert seen == search(Source(file).statements()["my:a"], 2, unit.seed)
        found.append(unit.seed)
    assert sorted(found) == list(range(1, 101))


@pytest.mark.parametrize("budget", [ABSURD, str(ABSURD), MOST + 1])
def test_an_absurd_budget_is_refused_with_its_number(budget: int | str) -> None:
    with pytest.raises(ValueError, match=rf"budget must be at most 1,000,000,000, got {budget}$"):
        budget_of(budget, "search")
    with pytest.raises(ValueError, match=f"got {budget}$"):
        units_of(TRUE, Effort(("search",), budget))
    with pytest.raises(ValueError, match=f"got {budget}$"):
        assert_survives(FAILING, budget)
    with pytest.raises(ValueError, match=f"got {budget}$"):
        search(FAILING, int(budget), 0)
    assert budget_of(MOST, "search") == MOST


@pytest.mark.parametrize("budget", [10**5000, "9" * 5000], ids=["number", "text"])
def test_one_of_thousands_of_digits_too(budget: int | str) -> None:
    with pytest.raises(ValueError, match=r"^budget must be at most 1,000,000,000, got 1\.0{29}e\+5000$"):
        budget_of(budget, "search")


def test_the_command_refuses_it_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arubatheory.report.session.run", None)
    assert main(["verify", "clm:mean", "--budget", str(ABSURD), "--root", str(tmp_path)]) == USAGE
    said = capsys.readouterr().err.splitlines()
    assert said == [f"arubatheory: error: budget must be at most 1,000,000,000, got {ABSURD}"]
    assert not list(tmp_path.iterdir())


# what is kept of them ------------------------------------------------------------------------------------------------
def mixed(rng: random.Random) -> list[Verdict]:
    """Verdicts among which much ties; of few statuses as often as of many, since the grave ones hide the others."""
    statuses = rng.sample(list(Status), rng.randint(1, len(Status)))

    def one(k: int) -> Verdict:
        worst = large.heavy("my:a", rng.randrange(3)).worst if rng.random() < 0.7 else None
        status = rng.choice(statuses)
        return verdict(
            "my:a",
            status,
            engine=rng.choice(("check", "search", "rate")),
            trials=rng.randrange(40),
            kind=rng.choice(("", "violation", "undefined")),
            worst=worst,
            simplest=worst if rng.random() < 0.5 else None,
            error=f"e{rng.randrange(3)}" if status is Status.ERROR else "",
            digest=f"{k}",
        )

    return [one(k) for k in range(rng.randrange(1, 9))]


def test_verdicts_are_folded_in_any_order() -> None:
    rng, statuses = random.Random(0), set()
    for _ in range(500):
        verdicts = mixed(rng)
        places = list(enumerate(verdicts))
        rng.shuffle(places)
        tally = Tally("my:a", 3)
        for place, v in places:
            tally.add((place // 3, place % 3), v, 0.5)
        whole = combine("my:a", verdicts, 3)
        assert tally.verdict() == whole.with_seconds(len(verdicts) / 2)
        statuses.add(whole.status)
        assert whole.engine == "+".join(dict.fromkeys(v.engine for v in verdicts))
        assert whole.digest == "0" and whole.trials == sum(v.trials for v in verdicts)
        first = next((v for v in verdicts if v.status is whole.status), verdicts[0])
        assert whole.kind == ("violation" if any(v.kind == "violation" for v in verdicts) else first.kind)
        simplest = [v.simplest for v in verdicts if v.simplest]
        assert (whole.simplest in simplest) if simplest else whole.simplest is None
    assert statuses == set(Status)


def test_of_many_different_errors_the_first_are_told() -> None:
    places = list(range(10 * ERRORS))
    random.Random(0).shuffle(places)
    tally = Tally("my:a", 0)
    for place in places:
        tally.add((place,), verdict("my:a", Status.ERROR, error=f"e{place // 2}"))
    assert tally.verdict().error == "; ".join(f"e{k}" for k in range(ERRORS))


# the store -----------------------------------------------------------------------------------------------------------
LABELS = [f"my:s{k}" for k in range(20)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of 2,000 units."""
    with Store(tmp_path / "store.sqlite", "a") as store:
        large.fill(store, LABELS, 2000)
    return tmp_path / "store.sqlite"


def test_no_query_reads_the_whole_store(path: Path) -> None:
    asked: dict[str, Any] = {}
    with Store(path, "a") as store:
        store._db.set_trace_callback(lambda text: asked.setdefault(text.split(" WHERE ")[0], text))
        assert store.done(Unit(LABELS[3], "search", large.SHARD, 3)) and store.latest(LABELS[3])
        assert store.finished() == 2000
        store._db.set_trace_callback(None)
        plans = {q: store._db.execute(f"EXPLAIN QUERY PLAN {text}").fetchall() for q, text in asked.items()}
    assert len(plans) == 3
    for query, plan in plans.items():
        steps = " ".join(row[3] for row in plan)
        used = "COVERING INDEX unit_status" if "count" in query else "INDEX sqlite_autoindex_"
        assert used in steps and ("count" in query or "SCAN" not in steps), (query, steps)


def test_a_large_store_is_not_read_through_and_damage_is_found_when_it_is_met(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray(path.read_bytes())
    page = next(n for n in range(2, 500) if _holds_units(content[n * 4096 :][:4096]))
    content[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"store\.sqlite cannot be used: it is damaged"):
        Store(path, "a")
    monkeypatch.setattr(store_module, "WHOLE", path.stat().st_size - 1)
    with Store(path, "a") as store:
        assert store.latest(LABELS[0]) is not None
        with pytest.raises(StoreError, match=r"store\.sqlite cannot be used: .*malformed"):
            for k in range(2000):
                store.done(Unit(LABELS[k % len(LABELS)], "search", large.SHARD, k))


def _holds_units(page: bytes) -> bool:
    """Whether a page is a leaf of the table of units."""
    return page[:1] == b"\x0d" and b'"engine": "search"' in page


def test_a_damaged_outcome_is_found_in_a_large_store_before_it_is_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = sqlite3.connect(path)
    (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'outcome'").fetchone()
    db.close()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    monkeypatch.setattr(store_module, "WHOLE", 0)
    with pytest.raises(StoreError, match=r"store\.sqlite cannot be used"):
        Store(path, "a")
    assert path.read_bytes() == content


def test_a_large_database_of_another_program_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = sqlite3.connect(tmp_path / "other.sqlite")
    db.execute("CREATE TABLE mine (x)")
    db.close()
    monkeypatch.setattr(store_module, "WHOLE", 0)
    with pytest.raises(StoreError, match="it is a database of another program"):
        Store(tmp_path / "other.sqlite")
