"""Units are computed once, in processes or not; intervals; tables in their places."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from practice import EXPERIMENTS, pictures, runs, statistics
from practice.__main__ import PAGE, main
from practice.statistics import CONFIRMED, CONTRADICTED, NOT_CONFIRMED, TOO_LITTLE, Interval, interval, judged, paired
from practice.tables import Table, record, recorded

UNITS = [runs.Unit("federated", "made", seed, (("k", 3),)) for seed in range(3)]


class Counted:
    """An experiment that counts how often it is asked."""

    SOURCES = ("practice/runs.py",)

    def __init__(self) -> None:
        self.asked: list[int] = []

    def compute(self, unit: runs.Unit) -> runs.Arrays:
        """The seed and a setting."""
        self.asked.append(unit.seed)
        return {"seed": np.array(unit.seed), "k": np.array(unit.get("k"))}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    made = Counted()
    monkeypatch.setattr(runs, "experiment", lambda name: made)
    monkeypatch.setattr(runs, "digest", runs.digest.__wrapped__)
    return made


def test_what_is_kept_is_not_computed_again(
    counted: Counted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [int(run["seed"]) for run in runs.run(UNITS[:2], tmp_path).values()] == [0, 1]
    found = runs.run(UNITS, tmp_path)
    assert counted.asked == [0, 1, 2] and [int(run["k"]) for run in found.values()] == [3, 3, 3]
    assert "1/1    0.0 min left  federated made seed 2" in capsys.readouterr().err
    kept = sorted((tmp_path / "federated").iterdir())
    assert len(kept) == 3
    kept[1].write_bytes(kept[1].read_bytes()[:100])
    runs.run(UNITS, tmp_path)
    assert counted.asked == [0, 1, 2, 1]


def test_other_sources_or_settings_are_other_files(counted: Counted, tmp_path: Path) -> None:
    place = runs.place(UNITS[0], tmp_path)
    assert runs.place(UNITS[0]._replace(settings=(("k", 4),)), tmp_path) != place
    counted.SOURCES = ("practice/tables.py",)  # type: ignore[misc]
    assert runs.place(UNITS[0], tmp_path) != place
    with pytest.raises(KeyError):
        UNITS[0].get("rate")


def test_intervals_are_students() -> None:
    assert interval([1.0, 2.0, 3.0]) == pytest.approx((2.0, 2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5, 3), rel=1e-5)
    assert paired([2.0, 3.0], [1.0, 2.0]) == (1.0, 1.0, 1.0, 2)
    assert interval([0.5]) == (0.5, -np.inf, np.inf, 1)
    assert interval([0.012, 0.018]).shown(1, 100) == "1.5 [-2.3, 5.3]"
    with pytest.raises(ValueError, match=r"values must be finite numbers, at least one, got \[\]"):
        interval([])
    with pytest.raises(ValueError, match="values must be finite"):
        interval([1.0, np.nan])


def test_what_an_interval_says() -> None:
    ends = {(0.1, 0.3): CONFIRMED, (-0.3, -0.1): CONTRADICTED, (-0.1, 0.1): NOT_CONFIRMED, (-1.0, 1.0): TOO_LITTLE}
    assert {pair: judged(Interval(0.0, *pair, 5), 0.0, 0.5) for pair in ends} == ends
    assert judged(Interval(0.0, 0.0, 9.0, 5), 0.0, 0.5) == CONFIRMED
    assert statistics.LEVEL == 0.95


def test_tables_stand_below_their_commands(tmp_path: Path) -> None:
    table = Table("convex/schools", "**Schools.**", ("a", "b"), (("1|2", "3"),), "A note.")
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- table convex/schools -->\nold\n<!-- end -->\nAfter.\n")
    text = record(page, [table]).read_text()
    assert text.startswith(
        "Before.\n<!-- table convex/schools -->\n```sh\npython -m practice convex --table convex/schools"
    )
    assert "**Schools.**\n\n| a | b |\n| --- | --- |\n| 1/2 | 3 |\n\nA note.\n<!-- end -->\nAfter." in text
    assert recorded(text, [table]) == text
    with pytest.raises(ValueError, match="the page has no place for the table convex/pupils"):
        recorded(text, [table._replace(name="convex/pupils")])


def test_the_tables_on_the_page_stand_below_the_commands_that_print_them() -> None:
    places = re.findall(r"<!-- table (.*?) -->\n(.*?)<!-- end -->", PAGE.read_text(encoding="utf-8"), re.S)
    assert places and {name.partition("/")[0] for name, _ in places} <= set(EXPERIMENTS)
    commands = {name: held.splitlines()[1] for name, held in places if held}
    assert commands == {name: f"python -m practice {name.partition('/')[0]} --table {name}" for name in commands}


def test_a_picture_is_what_stands_in_its_csv(tmp_path: Path) -> None:
    series = {"one": (np.array([1.0, 2.0]), np.array([0.5, 0.25]))}
    picture = pictures.Picture(series, lambda fig, series: fig.subplots().plot(*series["one"]), "Falls.")
    paths = pictures.save("one", picture, tmp_path, ("svg", "csv"))
    assert [path.name for path in paths] == ["one.svg", "one.csv"]
    assert paths[1].read_text() == "series,x,y\none,1,0.5\none,2,0.25\n"


def test_bad_data_and_unknown_tables_end_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--cache", str(tmp_path), "--jobs", "1", "--quick"]
    assert main(["federated", "--shakespeare", str(tmp_path / "nowhere"), *place]) == 4
    assert "holds no roles: expected a folder of files PLAY_CHARACTER.txt" in capsys.readouterr().err
    assert main(["federated", "--record", *place]) == 4
    assert capsys.readouterr().err == "error: --record writes what full sizes give, and not that of --quick\n"
