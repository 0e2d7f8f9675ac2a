"""The package as it is installed: light to import, complete, one version."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import arubatheory
from arubatheory.cli.parser import SHELLS

ROOT = Path(__file__).resolve().parents[1]


def test_one_version() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert arubatheory.__version__ == declared == metadata.version("arubatheory")
    assert f"version: {declared}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{declared}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", arubatheory.__all__)
def test_public_names_are_there(name: str) -> None:
    assert getattr(arubatheory, name) is not None
    assert name in dir(arubatheory)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'arubatheory' has no attribute 'nothing'"):
        arubatheory.nothing  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, arubatheory; print(*sorted({'numpy', 'numba', 'flint', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_package_data_is_beside_the_code() -> None:
    package = Path(arubatheory.__file__).parent
    assert (package / "py.typed").is_file() and (package / "papers" / "aruba" / "items.tsv").is_file()
    assert (package / "report" / "page.css").is_file() and (package / "report" / "templates" / "page.html").is_file()
    assert all((package / "cli" / "completions" / shell).is_file() for shell in SHELLS)
