"""The package as it is installed: light to import, complete, one version."""

from __future__ import annotations

import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from toy import printed_by

import arubatheory
from arubatheory.cli.parser import SHELLS, VERBS
from tests import distribution

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
    assert not printed_by(code)


def test_package_data_is_beside_the_code() -> None:
    package = Path(arubatheory.__file__).parent
    assert (package / "py.typed").is_file() and (package / "papers" / "aruba" / "items.tsv").is_file()
    assert (package / "report" / "page.css").is_file() and (package / "report" / "templates" / "page.html").is_file()
    assert all((package / "cli" / "completions" / shell).is_file() for shell in SHELLS)


# what `python -m tests.distribution` holds against an sdist and a wheel ----------------------------------------------


@pytest.fixture
def built() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """An sdist and a wheel as they should be."""
    project, package = distribution.declared(), distribution.sources()
    about = f"arubatheory-{project['version']}.dist-info"
    files = {name: (ROOT / name).read_bytes() for name in distribution.BESIDE}
    lines = ["Name: arubatheory", f"Version: {project['version']}", f"License-Expression: {project['license']}"]
    lines += ["License-File: LICENSE", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {line}" for line in project["classifiers"]]  # type: ignore[attr-defined]
    lines += [f"Requires-Dist: {line}" for line in project["dependencies"]]  # type: ignore[attr-defined]
    lines += ["Requires-Dist: pytest>=8; extra == 'test'"]
    made = {f"{about}/{name}": b"" for name in ("WHEEL", "RECORD", "entry_points.txt")}
    made |= {f"{about}/METADATA": "\n".join(lines).encode(), f"{about}/licenses/LICENSE": files["LICENSE"]}
    return {**package, **files, "PKG-INFO": b"", ".gitignore": b""}, {**package, **made}


def test_what_is_built_as_it_should_be_has_no_faults(built: tuple[dict[str, bytes], dict[str, bytes]]) -> None:
    assert distribution.faults(*built) == []


def test_files_too_many_missing_or_changed_are_faults(built: tuple[dict[str, bytes], dict[str, bytes]]) -> None:
    sdist, wheel = built
    wheel["tests/toy.py"] = sdist["README.md"] = b""
    del wheel["arubatheory/py.typed"]
    licence = next(name for name in wheel if name.endswith("LICENSE"))
    wheel[licence] = b"another"
    assert distribution.faults(sdist, wheel) == [
        "the wheel has tests/toy.py",
        "the wheel lacks arubatheory/py.typed",
        f"the wheel has another {licence}",
        "the sdist has another README.md",
    ]


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("License-File: LICENSE", "License-File: COPYING"),
        ("Requires-Python: >=3.11", "Requires-Python: >=3.8"),
        ("Classifier: Typing :: Typed", "Classifier: Typing :: Stubs Only"),
        ("Requires-Dist: rich", "Requires-Dist: poor"),
    ],
)
def test_other_metadata_is_a_fault(built: tuple[dict[str, bytes], dict[str, bytes]], line: str, instead: str) -> None:
    sdist, wheel = built
    name = next(name for name in wheel if name.endswith("METADATA"))
    assert line.encode() in wheel[name]
    wheel[name] = wheel[name].replace(line.encode(), instead.encode())
    (fault,) = distribution.faults(sdist, wheel)
    assert fault.startswith(f"the metadata has {line.partition(':')[0]} ")


def test_what_others_wrote_is_a_fault(
    built: tuple[dict[str, bytes], dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sdist, wheel = built
    added = {"arubatheory/report/a.woff2": b"font", "arubatheory/report/b.js": b"/*! @license MIT */"}
    package = {**distribution.sources(), **added}
    monkeypatch.setattr(distribution, "sources", lambda: package)
    found = distribution.faults({**sdist, **added}, {**wheel, **added})
    assert [fault.split()[0] for fault in found] == list(added)


def test_every_verb_is_used_as_packaged() -> None:
    used = {use.command.split()[1] for use in distribution.USES if use.command.startswith("arubatheory ")}
    assert used == {*VERBS, "--version"}


def test_a_command_that_ends_or_speaks_otherwise_is_a_misuse(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    place = distribution.Place(tmp_path, tmp_path, tmp_path)

    def misuses(code: str, use: distribution.Use) -> int:
        return len(list(distribution._misuse(place, ["python", "-c", code], use)))

    assert misuses("print('fine')", distribution.Use("it", 0, "fine")) == 0
    assert misuses("print('fine'); exit(3)", distribution.Use("it", 0, "fine")) == 1
    assert misuses("print('else')", distribution.Use("it", 0, "fine")) == 1
    assert misuses("print('fine, with a RuntimeWarning')", distribution.Use("it", 0, "fine")) == 1
