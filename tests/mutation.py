r"""Mutants of the package's own source, each against the tests of its module, uncompiled (`python -m tests.mutation`).

A mutant is one small change of a function: a comparison, an operation, a sign, a constant, a branch, a statement, a
returned value. It is killed when a test fails, or when the tests take longer than `PATIENCE` times what they take
without it. Mutants are known by what they change and where, not by lines: the sample of a seed stays what it is while
other functions are edited, and survivors that are accepted (mutants.toml: no test can tell them from the source, and
why) stay accepted. Everything happens in a temporary copy of the source tree.

    python -m tests.mutation [--seed S] [--mutants N] [--only GLOB] [--jobs N] [--doctor] [--name ID]...

With `--doctor`, `arubatheory doctor --deep` takes the place of the tests. Exit 1 if a survivor is not accepted.
"""

from __future__ import annotations

import argparse
import compileall
import hashlib
import json
import math
import os
import py_compile
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "arubatheory"
COPIED = ("arubatheory", "tests", "verification", "figures", "practice", "benchmarks", "docs")
COPIED += ("pyproject.toml", "README.md")
ACCEPTED = Path(__file__).with_suffix("").parent / "mutants.toml"
PATIENCE, LEAST = 3, 20  # times what the tests take without a mutant, and seconds on top
MEMORY = 6 << 30
ROOMS = ("arithmetic.py", "kernel/*.py", "sources.py", "engines/*.py", "learners/*.py")
TESTS = {  # by module; the files that end soonest first
    "arithmetic.py": "test_arithmetic.py engines/test_engines.py learners/test_mirror_descent.py",
    "kernel/__init__.py": "test_kernel.py test_kernel_cache.py",
    "kernel/digest.py": "test_kernel_cache.py test_kernel.py",
    "sources.py": "test_sources.py",
    "engines/addends.py": "engines/test_addends.py",
    "engines/archive.py": "engines/test_archive.py",
    "engines/check.py": "engines/test_engines.py engines/test_growing.py",
    "engines/climb.py": "engines/test_growing.py engines/test_sharpen.py",
    "engines/evaluation.py": "engines/test_engines.py",
    "engines/exact.py": "engines/test_verdict.py engines/test_engines.py engines/test_witness.py",
    "engines/executors.py": "test_executors.py",
    "engines/free.py": "engines/test_free.py",
    "engines/limits.py": "engines/test_sharpen.py",
    "engines/moves.py": "engines/test_growing.py",
    "engines/parcel.py": "test_executors.py",
    "engines/pep_games.py": "engines/test_worst_case.py",
    "engines/polish.py": "engines/test_sharpen.py",
    "engines/pool.py": "engines/test_campaign.py test_resume.py test_ends.py",
    "engines/rate.py": "engines/test_rate.py",
    "engines/reach.py": "engines/test_verdict.py engines/test_growing.py",
    "engines/search.py": "engines/test_engines.py engines/test_growing.py "
    "engines/test_words.py engines/test_further.py",
    "engines/sharpen.py": "engines/test_sharpen.py",
    "engines/shrink.py": "engines/test_engines.py engines/test_growing.py engines/test_shrink.py",
    "engines/simulate.py": "engines/test_simulate.py",
    "engines/source.py": "engines/test_campaign.py test_cli_papers.py",
    "engines/spell.py": "engines/test_words.py",
    "engines/statistics.py": "engines/test_rate.py engines/test_simulate.py",
    "engines/told.py": "engines/test_free.py",
    "engines/trial.py": "engines/test_engines.py engines/test_growing.py",
    "engines/units.py": "engines/test_campaign.py engines/test_engines.py test_endless.py",
    "engines/verdict.py": "engines/test_verdict.py engines/test_engines.py engines/test_campaign.py test_endless.py",
    "engines/witness.py": "engines/test_witness.py engines/test_rate.py engines/test_simulate.py",
    "engines/witness_files.py": "engines/test_witness.py test_cli_replay.py",
    "engines/words.py": "engines/test_words.py",
    "engines/worst_case.py": "engines/test_worst_case.py",
    "learners/__init__.py": "learners/test_learners.py",
    "learners/algorithm1.py": "learners/test_algorithm1.py learners/test_stepped.py",
    "learners/algorithm2.py": "learners/test_algorithm2_state.py learners/test_algorithm2_errors.py",
    "learners/carried.py": "learners/test_ftrl.py learners/test_ftl.py",
    "learners/compiled_rounds.py": "learners/test_stepped.py",
    "learners/descents.py": "learners/test_stepped.py learners/test_mirror_descent.py learners/test_learners.py",
    "learners/eps_ftl.py": "learners/test_eps_ftl.py",
    "learners/ewoo.py": "learners/test_ewoo.py",
    "learners/ewoo_curves.py": "learners/test_ewoo.py learners/test_ewoo_exact.py",
    "learners/ewoo_exact.py": "learners/test_small_parts.py learners/test_ewoo_exact.py",
    "learners/flat_leaders.py": "learners/test_ftl.py learners/test_meta.py",
    "learners/ftl.py": "learners/test_ftl.py",
    "learners/ftrl.py": "learners/test_ftrl.py learners/test_learners.py",
    "learners/geometry_ftl.py": "learners/test_geometry_ftl.py",
    "learners/interval_steps.py": "learners/test_interval_steps.py",
    "learners/leader_steps.py": "learners/test_leader_steps.py",
    "learners/linear_tasks.py": "learners/test_linear_tasks.py",
    "learners/many_runs.py": "learners/test_linear_tasks.py",
    "learners/matrix_mean.py": "learners/test_small_parts.py learners/test_matrix_mean.py",
    "learners/matrix_steps.py": "learners/test_stepped.py",
    "learners/meta.py": "learners/test_small_parts.py learners/test_meta.py",
    "learners/meta_rules.py": "learners/test_small_parts.py learners/test_meta.py learners/test_ewoo_exact.py",
    "learners/mirror_descent.py": "learners/test_mirror_descent.py learners/test_learners.py learners/test_runs.py",
    "learners/ogd.py": "learners/test_ogd.py learners/test_learners.py",
    "learners/preconditioned.py": "learners/test_preconditioned.py learners/test_stepped.py",
    "learners/preconditioner.py": "learners/test_preconditioned.py learners/test_geometry_ftl.py",
    "learners/running_means.py": "learners/test_running_means.py",
    "learners/runs.py": "learners/test_runs.py",
    "learners/stepped.py": "learners/test_stepped.py",
    "learners/trajectory.py": "learners/test_learners.py learners/test_mirror_descent.py problems/test_own.py",
    "learners/transfer.py": "learners/test_transfer.py",
    "learners/trees.py": "learners/test_small_parts.py learners/test_algorithm2_errors.py",
    "problems/curves.py": "problems/test_curves.py",
    "problems/domains.py": "problems/test_domains.py",
    "problems/linear.py": "problems/test_mirror_step.py problems/test_matrices.py",
    "problems/losses.py": "problems/test_losses.py",
    "problems/matrices.py": "problems/test_matrices.py",
    "problems/mirror.py": "problems/test_mirror_step.py",
    "problems/norms.py": "problems/test_norms.py",
    "problems/regularizers.py": "problems/test_regularizers.py problems/test_mirror_step.py",
    "problems/scalar.py": "problems/test_mirror_step.py problems/test_losses.py",
}
COMPILED = ("kernel/__init__.py", "kernel/digest.py")  # what these do is to compile


def unlisted() -> list[str]:
    """The modules of the rooms, with code, that no test file is named for."""
    files = {path.relative_to(ROOT / PACKAGE).as_posix(): path for path in (ROOT / PACKAGE).rglob("*.py")}
    rooms = {name for name in files if any(fnmatch(name, room) for room in ROOMS)}
    return sorted(name for name in rooms - set(TESTS) if "def " in files[name].read_text(encoding="utf-8"))


def sample(pattern: str, seed: int, number: int) -> list[Mutant]:
    """So many mutants of the modules that fit, by a hash of their names: edits elsewhere leave the choice alone."""
    rooms = (pattern,) if pattern else ROOMS
    paths = [path for path in TESTS if any(fnmatch(path, room) for room in rooms)]
    files = {path: ROOT_COPY / PACKAGE / path for path in paths}
    sources = {path: file.read_bytes() for path, file in files.items() if file.is_file() and tests_of(path)}
    everything = [m for path, source in sources.items() for m in mutants(path, source)]
    return sorted(everything, key=lambda m: hashlib.sha256(f"{seed} {m.name}".encode()).digest())[:number]


# their trials -----------------------------------------------------------------------------------------------------
def tests_of(path: str) -> list[str]:
    """The test files of a module that exist."""
    return [f"tests/{name}" for name in TESTS[path].split() if (ROOT_COPY / "tests" / name).is_file()]


def snapshot(folder: Path) -> Path:
    """A copy of the source tree, its bytecode checked by content: two versions of a file may share size and second."""
    folder.mkdir()
    left = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=left)
        elif (ROOT / name).is_file():
            shutil.copy(ROOT / name, folder / name)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(str(folder), quiet=2, invalidation_mode=mode)
    return folder


def forked(folder: Path, action: Callable[[], int]) -> int:
    """The process that takes an action in a copy of the tree, in a session of its own and with limited memory."""
    process = os.fork()
    if process:
        return process
    code = 99
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        null = os.open(os.devnull, os.O_RDONLY)
        for target, number in ((null, 0), (log, 1), (log, 2)):
            os.dup2(target, number)
        os.chdir(folder)
        os.environ["PYTHONPATH"] = str(folder)
        sys.path[:] = [str(folder), *(p for p in sys.path if Path(p or ".").resolve() != ROOT)]
        for name in [n for n in sys.modules if n.split(".")[0] in ("tests", PACKAGE)]:
            del sys.modules[name]
        code = action()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


class Shortest:
    """A pytest plugin: tests by the seconds they took without a mutant, so that most mutants die at once."""

    def __init__(self, known: Path) -> None:
        self.known = known
        self.seconds: dict[str, float] = json.loads(known.read_text()) if known.exists() else {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Put the shortest first."""
        items.sort(key=lambda item: self.seconds.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what a test took."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def keep(self) -> None:
        """Write it down for the trials to come."""
        self.known.write_text(json.dumps(self.seconds))


def run_tests(tests: list[str], compiled: bool, is_mutant: bool) -> int:
    """pytest's exit code in the present folder."""
    import pytest

    if compiled:
        import numba

        del os.environ["NUMBA_DISABLE_JIT"]
        numba.core.config.reload_config()
    order = Shortest(ROOT_COPY / "seconds.json")
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header"]
    code = int(pytest.main([*options, *tests], plugins=[order]))
    if not is_mutant:
        order.keep()
    return code


def run_doctor() -> int:
    """1 where the deep check of the present folder's package finds something, else 0."""
    from arubatheory.crosscheck.agreement import disagreements
    from arubatheory.papers.aruba import ARUBA

    for finding in disagreements(Path("."), ARUBA):
        print(finding)
        return 1
    return 0


class Slot:
    """One copy of the tree, in which one mutant is tried at a time."""

    def __init__(self, folder: Path, doctor: bool) -> None:
        self.folder, self.doctor = snapshot(folder), doctor
        self.process, self.began, self.limit = 0, 0.0, 0.0
        self.mutant: Mutant | None = None

    def start(self, mutant: Mutant | None, tests: list[str], compiled: bool = False) -> None:
        """Begin a trial of a mutant, or (None) of the source as it is."""
        self.mutant = mutant
        if mutant:
            target = self.folder / PACKAGE / mutant.path
            source = (ROOT_COPY / PACKAGE / mutant.path).read_bytes()
            target.write_bytes(source[: mutant.start] + mutant.new.encode() + source[mutant.end :])
        self.began = time.monotonic()
        self.process = forked(
            self.folder, run_doctor if self.doctor else lambda: run_tests(tests, compiled, bool(mutant))
        )

    def ended(self, limit: float) -> str:
        """How the trial ended, "" while it has not."""
        process, status = os.waitpid(self.process, os.WNOHANG)
        seconds = time.monotonic() - self.began
        if not process and seconds < limit:
            return ""
        if not process:
            os.killpg(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        if self.mutant:
            target = Path(PACKAGE) / self.mutant.path
            shutil.copy(ROOT_COPY / target, self.folder / target)
        if not process:
            return f"killed (no end in {limit:.0f} s)"
        code = os.waitstatus_to_exitcode(status)
        return (
            "survived" if code == 0 else f"killed ({seconds:.0f} s)" if code in (1, 2, 3) else f"killed (exit {code})"
        )


ROOT_COPY = ROOT  # the copy that stays as it is, once there is one


def measured(slot: Slot, path: str, known: dict[str, float]) -> float:
    """The seconds that the tests of a module take on the source as it is; infinite if they fail."""
    parts = [""] if slot.doctor else tests_of(path)
    for test in (part for part in parts if part not in known):
        slot.start(None, [test], path in COMPILED)
        while not (end := slot.ended(1800)):
            time.sleep(0.05)
        known[test] = time.monotonic() - slot.began
        if end != "survived":
            known[test] = math.inf
            print(f"without a mutant, {test or 'doctor --deep'} ends so: {end}\n{(slot.folder / 'log').read_text()}")
    return sum(known[part] for part in parts)


def trials(chosen: list[Mutant], slots: list[Slot]) -> Iterator[tuple[Mutant, str]]:
    """Each mutant and how its trial ended, as they end."""
    known: dict[str, float] = {}
    waiting, busy = chosen[::-1], set[int]()
    while waiting or busy:
        for k, slot in enumerate(slots):
            if k in busy and slot.mutant and (end := slot.ended(slot.limit)):
                busy.discard(k)
                yield slot.mutant, end
            if k not in busy and waiting:
                mutant = waiting.pop()
                slot.limit = PATIENCE * measured(slot, mutant.path, known) + LEAST
                if slot.limit == math.inf:
                    yield mutant, "not tried: its tests fail without it"
                    continue
                slot.start(mutant, tests_of(mutant.path), mutant.path in COMPILED)
                busy.add(k)
        time.sleep(0.02)


def accepted() -> dict[str, str]:
    """The survivors that no test can tell from the source, by name, with the reason."""
    return {entry["name"]: entry["reason"] for entry in tomllib.loads(ACCEPTED.read_text())["mutant"]}


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants, print how each ends, and the share killed."""
    global ROOT_COPY
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="mutants against tests")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave out the first N of the sample")
    parser.add_argument("--only", default="", metavar="GLOB", help="modules, as 'learners/*.py'")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--doctor", action="store_true", help="doctor --deep instead of the tests")
    parser.add_argument("--name", action="append", help="mutants by name, as they are printed")
    parser.add_argument("--list", action="store_true", help="name the mutants and stop")
    args = parser.parse_args(arguments)
    known, survivors, killed = accepted(), [], 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        ROOT_COPY = ROOT if args.list else snapshot(Path(scratch) / "as-it-is")
        chosen = sample(args.only, args.seed, 10**9 if args.name else args.mutants)[args.skip :]
        chosen = [m for m in chosen if not args.name or m.name in args.name]
        if args.list:
            print("\n".join(map(str, chosen)))
            return 0
        slots = [Slot(Path(scratch) / str(k), args.doctor) for k in range(args.jobs)]
        for number, (mutant, end) in enumerate(trials(chosen, slots), 1):
            alive = not end.startswith("killed")
            killed += not alive
            survivors += [mutant] if alive else []
            reason = f" (accepted: {known[mutant.name]})" if alive and mutant.name in known else ""
            print(f"{number}/{len(chosen)} {end}{reason}: {mutant}", flush=True)
    return report(chosen, survivors, known, killed, time.monotonic() - began, args.doctor)


def report(
    chosen: list[Mutant], survivors: list[Mutant], known: dict[str, str], killed: int, seconds: float, doctor: bool
) -> int:
    """Print the survivors and the share killed; 1 if one of them is not accepted."""
    new = [m for m in survivors if m.name not in known]
    count = len(chosen) - (len(survivors) - len(new))
    print("\nsurvivors that are not accepted:" if new else "\nno survivor that is not accepted", *new, sep="\n")
    share = f"{killed} of {count} killed ({killed / max(count, 1):.1%})"
    print(f"\n{share} in {seconds / 60:.0f} min, {len(survivors) - len(new)} more survive and are accepted")
    return 1 if new and not doctor else 0


if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    import numba
    import numpy
    import pytest
    import scipy.optimize
    import scipy.special

    # Imported once, and inherited by every trial; pytest wants to import Hypothesis itself.
    assert numba and numpy and pytest and scipy
    sys.exit(main())
