"""The package as others get it (`python -m tests.distribution`, `make dist`): built as an sdist and, from that, as a
wheel; what is in them; the wheel installed into an empty environment without extras, and every verb of it run from an
empty folder, where nothing else can be written and no compiler is found."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "arubatheory"
BESIDE = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml")  # the package, in the sdist
ADDED = (".gitignore", "PKG-INFO")  # by the build
KINDS = {
    ".py",
    ".tsv",
    ".css",
    ".js",
    ".html",
    ".md",
    ".txt",
    ".yml",
    ".yaml",
    "",
}  # of files: each kind is written by the authors
NOTICES = ("copyright", "@license", "spdx-license", "licensed under", "@font-face", "sourcemappingurl")
COMPILERS = ("cc", "gcc", "clang", "c++", "cl")
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")  # root as any owner of files
BOUND = """
from arubatheory import Sides, Statement
from types import SimpleNamespace

def instance(draw):
    return SimpleNamespace(x=draw.real(-1, 1, 3), y=draw.real(-1, 1, 3))

def sides(i):
    return Sides((i.x + i.y) @ (i.x + i.y), i.x @ i.x + i.y @ i.y)

SQUARE = Statement(label="my:square", kind="claim", instance=instance, sides=sides, latex="x")
"""
WITHOUT_PEPIT = "from arubatheory.engines.worst_case import worst_case; worst_case('FTRL', 'convex', 2)"
IN_A_SUITE = "from my_bounds import SQUARE; from arubatheory.testing import assert_survives; assert_survives(SQUARE)"


# what is built -----------------------------------------------------------------------------------------------------


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel made from it."""
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def sources() -> dict[str, bytes]:
    """The files of the package by their names in the wheel."""
    files = (path for path in (ROOT / PACKAGE).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files}


def declared() -> dict[str, object]:
    """What pyproject.toml says of the project."""
    project: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def in_wheel(path: Path) -> dict[str, bytes]:
    """The files of a wheel."""
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def in_sdist(path: Path) -> dict[str, bytes]:
    """The files of an sdist, without the name of its folder."""
    with tarfile.open(path) as sdist:
        found = {m.name.partition("/")[2]: sdist.extractfile(m) for m in sdist.getmembers() if m.isfile()}
        return {name: file.read() for name, file in found.items() if file is not None}


def faults(sdist: dict[str, bytes], wheel: dict[str, bytes]) -> list[str]:
    """What is wrong with the contents of both: files too many, missing or changed, metadata, licences."""
    package = sources()
    about = f"{PACKAGE}-{declared()['version']}.dist-info"
    licence = f"{about}/licenses/LICENSE"
    made = {f"{about}/{name}": b"" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    beside = {name: (ROOT / name).read_bytes() for name in BESIDE}
    return [
        *_unlike("the wheel", wheel, {**package, **made, licence: beside["LICENSE"]}, set(made)),
        *_unlike("the sdist", sdist, {**package, **beside, **dict.fromkeys(ADDED, b"")}, set(ADDED)),
        *_metadata(wheel.get(f"{about}/METADATA", b"")),
        *_foreign(package),
    ]


def _unlike(where: str, found: dict[str, bytes], wanted: dict[str, bytes], free: set[str]) -> Iterator[str]:
    yield from (f"{where} has {name}" for name in sorted(set(found) - set(wanted)))
    yield from (f"{where} lacks {name}" for name in sorted(set(wanted) - set(found)))
    same = set(found) & set(wanted) - free
    yield from (f"{where} has another {name}" for name in sorted(same) if found[name] != wanted[name])


def _metadata(text: bytes) -> Iterator[str]:
    said, project = message_from_bytes(text), declared()
    dependencies, classifiers = project["dependencies"], project["classifiers"]
    assert isinstance(dependencies, list) and isinstance(classifiers, list)
    asked = {_plain(line) for line in said.get_all("Requires-Dist", []) if "extra ==" not in line}
    wanted = {
        "Name": ([PACKAGE], said.get_all("Name", [])),
        "Version": ([project["version"]], said.get_all("Version", [])),
        "License-Expression": ([project["license"]], said.get_all("License-Expression", [])),
        "License-File": (["LICENSE"], said.get_all("License-File", [])),
        "Requires-Python": ([project["requires-python"]], said.get_all("Requires-Python", [])),
        "Classifier": (classifiers, said.get_all("Classifier", [])),
        "Requires-Dist": (sorted(map(_plain, dependencies)), sorted(asked)),
    }
    yield from (f"the metadata has {name} {b}, not {a}" for name, (a, b) in wanted.items() if a != b)


def _plain(requirement: str) -> str:
    return requirement.lower().replace(" ", "")


def _foreign(package: dict[str, bytes]) -> Iterator[str]:
    """What others may have written, and would have to come with their licence."""
    for name, content in package.items():
        text = content.decode("utf-8", "replace").lower()
        yield from (f"{name} says {word!r}: whose is it?" for word in NOTICES if word in text)
        if content and Path(name).suffix not in KINDS:
            yield f"{name} is of a kind that the authors do not write: whose is it?"


# how it is used ----------------------------------------------------------------------------------------------------


class Use(NamedTuple):
    """A command, the exit code it must end with, and what it must say."""

    command: str
    code: int
    says: str


USES = (
    Use("arubatheory --version", 0, "arubatheory {version}"),
    Use("python -m arubatheory --help", 0, "usage: arubatheory VERB"),
    Use("arubatheory list", 0, "items of the paper"),
    Use("arubatheory list clm:c* --json", 0, '"label": "clm:cdual"'),
    Use("arubatheory show clm:cdual", 0, "clm:cdual"),
    Use("arubatheory show clm:cdual --json", 0, '"label": "clm:cdual"'),
    Use("arubatheory doctor", 0, "compiled in memory"),
    Use("arubatheory verify rem:oracle/average --budget 100 --jobs 1 --page out/one.html", 0, "REFUTED"),
    Use("arubatheory verify prp:expconcave/proof-3 clm:cdual --budget 100 --engine check --jobs 2", 0, "SURVIVED"),
    Use("arubatheory verify --file my_bounds.py --budget 100 --json", 1, '"status": "REFUTED"'),
    Use("arubatheory replay .cache/witnesses/rem-oracle--average-simplest.json --exact", 0, "violated"),
    Use("arubatheory replay .cache/witnesses/rem-oracle--average-simplest.json", 0, "the instance:"),
    Use("arubatheory replay .cache/witnesses/my-square-worst.json --exact --file my_bounds.py", 0, "violated"),
    Use("arubatheory sharpen my:square --file my_bounds.py --budget 200", 0, "the constant factor, printed as 1"),
    Use("arubatheory report", 0, "page:"),
    Use("arubatheory compare aruba aruba", 4, "there is no ledger"),
    Use("arubatheory new my_paper.tex", 4, "arubatheory[latex]"),
    Use("arubatheory figures", 4, "there is no figures/ under ."),
    *(Use(f"arubatheory completion {shell}", 0, "thm:ftrlomd") for shell in ("bash", "zsh", "fish")),
)


class Place(NamedTuple):
    """An environment that cannot be written to, a home neither, and the folder that can."""

    environment: Path
    home: Path
    folder: Path

    def run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run a command here, as one who owns files but has no power beyond that."""
        env = {"PATH": str(self.environment / "bin"), "HOME": str(self.home), "LANG": "C.UTF-8", "COLUMNS": "200"}
        prefix = [str(shutil.which(POWERLESS[0])), *POWERLESS[1:]] if os.geteuid() == 0 else []
        program = str(self.environment / "bin" / command[0])
        done = [*prefix, program, *command[1:]]
        return subprocess.run(done, cwd=self.folder, env=env, capture_output=True, text=True, check=False)


def install(wheel: Path, scratch: Path) -> Place:
    """The wheel in an environment of its own; then neither that nor the home can be written to."""
    place = Place(scratch / "environment", scratch / "home", scratch / "empty folder")
    place.home.mkdir()
    place.folder.mkdir()
    run([sys.executable, "-m", "venv", str(place.environment)])
    python = str(place.environment / "bin" / "python")
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", str(wheel)])
    run([python, "-m", "pip", "check"])
    for folder in (place.environment, place.home):
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)
    return place


def hindrances(place: Place) -> list[str]:
    """What should be out of reach there and is not."""
    found = [f"{name} is on PATH" for name in COMPILERS if shutil.which(name, path=place.environment / "bin")]
    code = "import arubatheory, os, sys; open(os.path.join(sys.argv[1] or arubatheory.__path__[0], 'x'), 'w')"
    for where in ("", str(place.home)):
        if "PermissionError" not in place.run(["python", "-c", code, where]).stderr:
            found.append(f"{where or 'site-packages'} can be written to")
    if place.run(["python", "-c", "import PEPit"]).returncode == 0:
        found.append("PEPit is there")
    return found


def misuses(place: Place) -> Iterator[str]:
    """What goes wrong with every verb, with the engine that needs an extra, and in a suite of one's own."""
    (place.folder / "my_bounds.py").write_text(BOUND, encoding="utf-8")
    version = str(declared()["version"])
    for use in USES:
        yield from _misuse(place, use.command.split(), use._replace(says=use.says.format(version=version)))
    yield from _misuse(place, ["python", "-c", WITHOUT_PEPIT], Use("worst_case", 1, "arubatheory[worst-case]"))
    yield from _misuse(place, ["python", "-c", IN_A_SUITE], Use("assert_survives", 1, "my:square"))


def _misuse(place: Place, command: list[str], use: Use) -> Iterator[str]:
    done = place.run(command)
    said = done.stdout + done.stderr
    print(f"{done.returncode}  {use.command}", flush=True)
    crashed = "Traceback" in said and command[0] != "python"
    if (done.returncode, crashed) != (use.code, False) or use.says not in said or "Warning" in said:
        yield f"{use.command}: exit code {done.returncode}, not {use.code} with {use.says!r}:\n{said}"


def run(command: Sequence[str]) -> None:
    """Run a command; what it says is shown where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def tried(scratch: Path, output: Path | None) -> list[str]:
    """What is wrong; both files are kept where nothing is."""
    sdist, wheel = build(scratch / "dist")
    found = faults(in_sdist(sdist), in_wheel(wheel))
    if not found:
        place = install(wheel, scratch)
        found = hindrances(place) or list(misuses(place))
    if output and not found:
        output.mkdir(parents=True, exist_ok=True)
        print(*(shutil.copy(path, output) for path in (sdist, wheel)), sep="\n")
    return found


def main() -> None:
    """Build, look inside, install, use; exit code 1 and a list where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="keep the sdist and the wheel here")
    output = parser.parse_args().output
    if os.geteuid() == 0 and shutil.which(POWERLESS[0]) is None:
        sys.exit("as root, who may write anywhere, this needs the program setpriv (util-linux)")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = tried(Path(scratch), output)
        finally:
            subprocess.run(["chmod", "-R", "u+w", scratch], check=True)
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
