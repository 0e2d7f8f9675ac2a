"""Completion scripts: made from the parser, accepted by each shell, and right where a real bash is asked."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from arubatheory.cli import main
from arubatheory.cli.codes import AS_RECORDED, USAGE
from arubatheory.cli.completion import FILES, LABELS, VALUES, choices, script
from arubatheory.cli.parser import SHELLS, VERBS
from arubatheory.statements.effort import BUDGETS, ENGINES

NAMES = ["thm:general", "thm:ftrlomd", "thm:ftrlomd/omd", "clm:mean"]
CHECK = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


def test_the_words_are_those_of_the_engines() -> None:
    assert VALUES["engine"].split() == list(ENGINES)
    assert VALUES["budget"].split() == list(BUDGETS)


def test_every_verb_and_option_has_its_choice() -> None:
    found = choices()
    assert list(found) == list(VERBS)
    takes = {c.flag: c.takes for c in found["verify"]}
    assert (takes[""], takes["--file"], takes["--blind"], takes["--seed"]) == (LABELS, FILES, None, "")
    assert [c.takes for c in found["completion"] if not c.flag] == [" ".join(SHELLS)]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_everything(shell: str) -> None:
    text = script(shell, NAMES)
    for name in (*VERBS, *NAMES, *(c.flag[2:] for options in choices().values() for c in options if c.flag)):
        assert name in text


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_the_shell_can_read_its_script(shell: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(script(shell, NAMES))
    done = subprocess.run([*CHECK[shell], "script"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def completed(line: str, folder: Path) -> list[str]:
    """What bash offers at the end of a line."""
    (folder / "script").write_text(script("bash", NAMES))
    ask = 'source ./script; COMP_LINE=$1; COMP_POINT=${#1}; _arubatheory; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", ask, "_", line], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [word for word in done.stdout.splitlines() if word]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("arubatheory ", [*VERBS, "--help", "--version"]),
        ("arubatheory ver", ["verify"]),
        ("arubatheory show --", ["--help", "--only", "--file", "--json", "--paper", "--root"]),
        ("arubatheory verify --engine s", ["search", "simulate"]),
        ("arubatheory verify thm:general --budget ", ["quick", "standard", "deep"]),
        ("arubatheory verify --seed ", []),
        ("arubatheory show cl", ["clm:mean"]),
        ("arubatheory show thm:ft", ["ftrlomd", "ftrlomd/omd"]),
        ("arubatheory verify clm:mean thm:g", ["general"]),
        ("arubatheory replay wit", ["witness.json"]),
        ("arubatheory completion ", [*SHELLS]),
        ("arubatheory doctor thm:g", ["general"]),
        ("arubatheory new --", ["--help"]),
    ],
)
def test_bash_offers_what_may_stand_there(line: str, offered: list[str], tmp_path: Path) -> None:
    (tmp_path / "witness.json").touch()
    assert completed(line, tmp_path) == offered


def test_the_command_prints_the_script_with_the_paper_s_labels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fish"]) == AS_RECORDED
    out = capsys.readouterr().out
    assert "'thm:ftrlomd/omd'" in out and "'thm:general'" in out
    assert main(["completion", "tcsh"]) == USAGE
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err


def test_an_unknown_shell_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="shell must be one of bash, zsh, fish, got 'tcsh'"):
        script("tcsh", NAMES)
