"""doctor: every finding names what was found, what fails comes with advice, and what only may be there never fails."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import TapeDraw
from arubatheory.report import doctor
from arubatheory.report.doctor import Finding, examine, requirements, summary


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {f.name: f for f in findings}


def test_the_requirements_are_those_of_the_installation() -> None:
    found = requirements()
    assert {r.name.lower() for r in found[""]} >= {"numpy", "numba", "python-flint", "hypothesis"}
    assert {"worst-case", "test", "docs"} <= set(found)
    assert all(r.specifier for asked in found.values() for r in asked)
    assert sum(map(len, found.values())) == len(metadata.requires("arubatheory") or [])


def test_here_everything_needed_works(tmp_path: Path) -> None:
    findings = examine(tmp_path, ARUBA)
    assert summary(findings) == "everything that is needed works"
    seen = by_name(findings)
    assert seen["ledger"].mark == seen["witnesses"].mark == seen["figures"].mark == "none"
    assert all(f.advice for f in findings if not f.fine)


@pytest.mark.parametrize(
    ("version", "text"),
    [(None, "not installed, needs >=2.2"), ("2.1.9", "2.1.9 does not do, needs >=2.2"), ("2.10rc1", "2.10rc1")],
)
def test_versions(version: str | None, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = {"": [Requirement("numpy>=2.2")], "docs": [Requirement("x>=1")]}
    monkeypatch.setattr(doctor, "requirements", lambda: asked)
    monkeypatch.setattr(doctor, "_version", lambda name: version if name == "numpy" else None)
    seen = by_name(examine(tmp_path, ARUBA))
    assert (seen["numpy"].text, seen["numpy"].fine) == (text, version == "2.10rc1")
    assert seen["numpy"].advice == "python -m pip install 'numpy>=2.2'"
    assert (seen["extra docs"].mark, seen["extra docs"].text) == ("none", "x not installed, needs >=1")
    assert "pip install 'arubatheory[docs]'" in seen["extra docs"].advice


def test_without_a_distribution(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", missing)
    monkeypatch.setattr(metadata, "version", missing)
    assert summary(examine(tmp_path, ARUBA)) == "does not work: arubatheory"


def test_floats_and_rationals_that_disagree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = TapeDraw.spd
    monkeypatch.setattr(TapeDraw, "spd", lambda self, d: real(self, d) if self.exact else real(self, d) * (1 + 1e-9))
    kernels = by_name(examine(tmp_path, ARUBA))["kernels"]
    assert kernels.mark == "FAIL"
    assert kernels.text.startswith("ArithmeticError: floats and rationals disagree: ")


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARUBATHEORY_CACHE", str(tmp_path / "file" / "below"))
    cache = by_name(examine(tmp_path, ARUBA))["kernel cache"]
    assert cache.mark == "none"
    assert cache.text.startswith("none, kernels are compiled in memory by every process ([Errno 20] Not a directory")
    assert cache.advice == "set ARUBATHEORY_CACHE to a folder that you can write to"


def test_a_ledger_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / ARUBA.ledger).parent.mkdir()
    (tmp_path / ARUBA.ledger).write_text("label\n")
    found = by_name(examine(tmp_path, ARUBA))["ledger"]
    assert (found.mark, found.advice) == ("FAIL", "get the file again from the source tree")


def test_a_browser_is_not_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "BROWSER", "no-such-browser")
    assert by_name(examine(tmp_path, ARUBA))["browser"].mark == "none"


# the deep check ---------------------------------------------------------------------------------------------------
def deep(found: list[str], monkeypatch: pytest.MonkeyPatch, root: Path) -> list[Finding]:
    def disagreements(root: Path, paper: Any, seen: Any) -> list[str]:
        seen["definitions"] += 1234
        return found

    monkeypatch.setattr("arubatheory.crosscheck.agreement.disagreements", disagreements)
    return doctor.examine_deep(root, ARUBA)


def test_an_instrument_that_agrees_with_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (found,) = deep([], monkeypatch, tmp_path)
    assert (found.mark, found.text) == ("ok", "1,234 definitions: all agree")


def test_what_disagrees_is_shown_up_to_a_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    findings = deep([f"kernel {k}" for k in range(23)], monkeypatch, tmp_path)
    assert [f.text for f in findings[-2:]] == ["kernel 19", "3 more like these"] and len(findings) == 21
    assert {f.mark for f in findings} == {"FAIL"} and summary(findings) == "does not work: deep check"
    assert all("trust no verdict" in f.advice for f in findings)
