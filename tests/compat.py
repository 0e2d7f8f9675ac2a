"""The same verdicts with other Pythons, and with the lowest and the newest versions of what is needed (`python -m
tests.compat`, `make compat`).

Each environment is built anew. There the evidence of `tests/evidence.py`, compiled and not, must be what it is here, as
far as docs/howto/campaign.md promises, and a quick campaign must end as recorded in the ledger. `--suite` runs the test
suite there too, uncompiled. Interpreters that are not found are named."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.evidence import CHEAP, MORE, ROOT, differences

LOWEST = "3.11 lowest"  # the lowest versions belong to the lowest Python: later ones need later versions
ENVIRONMENTS = (LOWEST, "3.11", "3.12", "3.13")
EVERY = 5  # of the witnesses on record, one in so many
OTHERS = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")  # of one library by another


def interpreter(version: str) -> str | None:
    """A Python of this version: on PATH, or pyenv's."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *map(str, sorted(kept.glob(f"{version}.*/bin/python{version}")))]
    return next((path for path in found if path and _is_python(path, version)), None)


def _is_python(path: str, version: str) -> bool:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.startswith(f"Python {version}.")


def lowest() -> list[str]:
    """What a user and the test suite need, in the lowest versions that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [line.replace(">=", "==") for line in (*project["dependencies"], *project["optional-dependencies"]["test"])]


class Environment:
    """One Python with its packages, in a folder of its own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.python = name, folder, str(folder / "bin" / "python")
        self.env = {**os.environ, "ARUBATHEORY_CACHE": str(folder / "kernels"), "PYTHONPATH": str(ROOT)}

    def build(self, python: str) -> None:
        """Install the package and what its tests need."""
        self._run([python, "-m", "venv", str(self.folder)])
        pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        self._run([*pip, f"{ROOT}[test]", *(lowest() if self.name == LOWEST else ())])
        self._run([self.python, "-m", "pip", "check"])

    def evidence(self, compiled: bool) -> Any:
        """The evidence as computed here."""
        flag = {"NUMBA_DISABLE_JIT": "0" if compiled else "1"}
        command = [self.python, *OTHERS, "-m", "tests.evidence", "--more", "--every", str(EVERY)]
        return json.loads(self._run(command, **flag))

    def campaign(self, root: Path) -> None:
        """A quick campaign, which ends with exit code 0 where every verdict is as recorded."""
        shutil.copytree(ROOT / "verification", root / "verification")
        command = [self.python, "-m", "arubatheory", "verify", "--budget", "quick", "--jobs", "1", "--root", str(root)]
        self._run([*command, *CHEAP, *MORE])

    def suite(self) -> str:
        """The closing line of the test suite, uncompiled."""
        command = [self.python, "-m", "pytest", "-q", *OTHERS, "-p", "no:cacheprovider"]
        command += ["--ignore=tests/power/test_false_siblings.py"]
        return self._run(command, NUMBA_DISABLE_JIT="1").splitlines()[-1]

    def _run(self, command: list[str], **env: str) -> str:
        done = subprocess.run(command, cwd=ROOT, env=self.env | env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout


def disagreements(here: Any, there: Any) -> list[str]:
    """What two environments may not say differently: anything of witnesses on record and, where an engine draws with
    the same version of its library, what it says of statements, up to rounding."""
    alike = [engine for engine, version in here["drawn with"].items() if there["drawn with"][engine] == version]
    one, other = ({k: v for k, v in x["said"].items() if k.split()[-1] in alike} for x in (here, there))
    return differences(one, other, floats=True) + differences(here["certified"], there["certified"])


def tried(name: str, scratch: Path, here: Any, suite: bool) -> Iterator[str]:
    """What is wrong in an environment."""
    python = interpreter(name.split()[0])
    if python is None:
        print(f"{name}: no such Python was found, so nothing is said of it", flush=True)
        return
    start, place = time.monotonic(), Environment(name, scratch / name.replace(" ", "-"))
    try:
        place.build(python)
        for compiled in (False, True):
            yield from (f"{name}: {line}" for line in disagreements(here, place.evidence(compiled)))
        place.campaign(scratch / f"root {name}")
        closing = place.suite() if suite else "without the suite"
    except RuntimeError as error:
        yield f"{name}: {error}"
        return
    print(f"{name}: {time.monotonic() - start:.0f} s, {closing}", flush=True)


def main() -> None:
    """Try the environments, two at a time; exit code 1 and a list where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.compat", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(map(repr, ENVIRONMENTS))} (all)")
    parser.add_argument("--suite", action="store_true", help="the test suite too, uncompiled")
    args = parser.parse_args()
    if unknown := set(args.names) - set(ENVIRONMENTS):
        parser.error(f"NAME must be one of {', '.join(map(repr, ENVIRONMENTS))}, got {sorted(unknown)}")
    ours = Environment("here", Path(sys.prefix))
    ours.env.pop("ARUBATHEORY_CACHE")
    here, compiled = (ours.evidence(compiled) for compiled in (False, True))
    wrong = [f"here, compiled: {line}" for line in disagreements(here, compiled)]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as two:
        names = args.names or ENVIRONMENTS
        for found in two.map(lambda name: list(tried(name, Path(scratch), here, args.suite)), names):
            wrong += found
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
