"""`python -m verification` and its scripts: settings, sections, the page as the last word."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from toy import TOYS

import verification
from arubatheory.cli.codes import AS_RECORDED, INTERNAL, NOTHING, USAGE
from arubatheory.papers.aruba import ARUBA
from arubatheory.statements.effort import BUDGETS, ENGINES
from verification import SETTINGS, arguments, section, settings

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = sorted({Path(item.file).stem for item in ARUBA.items})
QUICK = ["--budget", "110", "--jobs", "1"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in the place of the project's, and the toys in the place of the paper."""
    monkeypatch.setattr(verification, "HOME", tmp_path / "verification")
    monkeypatch.setitem(vars(ARUBA), "statements", tuple(TOYS.values()))
    return tmp_path


def test_the_settings_are_known_engines_and_budgets() -> None:
    found = settings()
    assert set(found["engines"]) <= set(ENGINES)
    assert found["budget"] in BUDGETS
    assert arguments(found, Path("."))[:3] == ["verify", "--root", "."]
    assert arguments({"timeout": 2.5, "executor": "a:b"}, Path("."))[3:] == ["--executor", "a:b", "--timeout", "2.5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed = 3", "unknown setting 'speed'; known are engines, budget, seed, jobs, executor, timeout, page"),
        ("seed = 'x'", "the setting seed has a wrong type, got 'x'"),
        ("jobs = true", "the setting jobs has a wrong type, got True"),
        ("seed =", "campaign.toml: "),
        ("seed = '\udcff'", "campaign.toml: cannot read .*can't decode byte 0xff"),
        (f"seed = {'[' * 10**5}", "campaign.toml: "),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "campaign.toml"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(ValueError, match=message):
        settings(path)


def test_bad_settings_are_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "campaign.toml"
    path.write_text("speed = 3")
    monkeypatch.setattr(verification, "settings", lambda: settings(path))
    assert verification.campaign() == USAGE
    assert "unknown setting 'speed'" in capsys.readouterr().err


def test_the_campaign_ends_with_the_location_of_the_page(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verification.campaign([*QUICK, "clm:cdual", "clm:scmin"]) == AS_RECORDED
    out = capsys.readouterr().out
    page = home / "out" / "index.html"
    assert out.splitlines()[-1] == f"page: {page}"
    assert page.is_file()
    assert verification.campaign([*QUICK, "clm:mean"]) == INTERNAL


def test_every_section_has_its_script_and_no_other() -> None:
    scripts = {path.stem for path in SETTINGS.parent.glob("*.py")} - {
        "__init__",
        "__main__",
        "errata",
        "false_alarms",
        "false_paths",
        "false_proofs",
        "gallery",
        "pepit_examples",
        "power",
        "proofs",
        "random_claims",
        "sharp",
        "simplicity",
        "violations",
        "worst_case",
    }
    assert scripts == set(SECTIONS)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_runs_its_statements_or_says_that_there_are_none(
    name: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = section(f"{name}.py", QUICK)
    out = capsys.readouterr().out
    if name == "coupling":
        assert code == AS_RECORDED
        assert "2 statements: 1 REFUTED, 1 SURVIVED" in out
    elif name == "background":
        assert code == INTERNAL
    else:
        assert code == NOTHING
        assert "nothing to run yet; to come: " in out


def test_a_script_that_is_no_section_is_an_error() -> None:
    with pytest.raises(ValueError, match="script must be named after a section of the paper, got 'nonsense'"):
        section("nonsense.py")


@pytest.mark.parametrize("module", ["verification.details", "verification"])
def test_scripts_and_the_whole_can_be_started(module: str) -> None:
    args = [sys.executable, "-m", module, "--help"]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == AS_RECORDED, done.stderr
    assert "--budget" in done.stdout
