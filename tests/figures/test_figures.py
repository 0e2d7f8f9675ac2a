"""Figures show what they say, in files that never change by themselves."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from figures import FIGURES, FORMATS, make
from figures.__main__ import main
from figures.bound_at_work import GAMES, ROUNDS, compute, extremal_ratio, supremum


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every figure."""
    out = tmp_path_factory.mktemp("figures")
    for name in FIGURES:
        make(name, out)
    return out


@pytest.mark.parametrize("name", FIGURES)
def test_every_format_is_written_and_stable(name: str, drawn: Path, tmp_path: Path) -> None:
    paths = make(name, tmp_path)
    assert [path.name for path in paths] == [f"{name}.{suffix}" for suffix in FORMATS]
    for path in paths:
        assert path.read_bytes() == (drawn / path.name).read_bytes()


@pytest.mark.parametrize("name", FIGURES)
def test_files_are_well_formed(name: str, drawn: Path) -> None:
    ElementTree.parse(drawn / f"{name}.svg")
    assert (drawn / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert (drawn / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    with (drawn / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and all(np.isfinite([float(row["x"]), float(row["y"])]).all() for row in rows)


def test_no_regret_exceeds_the_bound() -> None:
    series = compute()
    horizons, bound = series["bound"]
    for game in GAMES:
        # The classical bound has eta G^2 T / 2: at this eta three quarters of the paper's, far beyond rounding.
        assert (series[game][1] < 0.76 * bound).all()
    assert (series["equal gradients"][1] > 0).all()
    assert bound**2 == pytest.approx(2 * horizons)


def test_the_supremum_solves_its_equation() -> None:
    m = ROUNDS.astype(float)
    r = supremum(m)
    # Both sides are sums of terms below 2m, each with a few roundings.
    assert (abs(2 * r * r + (m - 1) * r - m) <= 16 * np.finfo(float).eps * m).all()
    assert (abs(r - (1 - m + np.sqrt(m * m + 6 * m + 1)) / 4) <= 16 * np.finfo(float).eps * m).all()


@pytest.mark.parametrize("m", ROUNDS.tolist())
def test_the_supremum_is_reached_and_not_exceeded(m: int) -> None:
    r = float(supremum(m))
    rounding = 8 * m * np.finfo(float).eps  # m additions on each side, of terms whose sum is a few times the result
    assert extremal_ratio(m) == pytest.approx(r, rel=rounding)
    rng = np.random.default_rng(m)
    for _ in range(200):
        g = rng.standard_normal((m, 2))
        shift = -g.sum(axis=0) / r  # the comparator that helps the left side most
        before = np.vstack([np.zeros(2), np.cumsum(g, axis=0)[:-1]])
        lhs = float((g * -before).sum() - g.sum(axis=0) @ shift)
        assert lhs <= r * float(shift @ shift / 2 + (g * g).sum()) * (1 + rounding)


def test_the_command_draws_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound_at_work", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / f"bound_at_work.{suffix}") for suffix in FORMATS]


def test_an_unknown_figure_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing", "--out", str(tmp_path)]) == 4
    assert "name must be one of bound_at_work, got 'nothing'" in capsys.readouterr().err
