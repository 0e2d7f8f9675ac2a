r"""The examples that ship in PEPit, unchanged: how many of their worst cases have an exact certificate?

    python -m verification.pepit_examples [WORD...] [--output FOLDER]

Each script runs as it is. PEPit and Clarabel solve its problem at two tolerances, and the smaller dual value is what a
certificate is measured against: its bound may be larger by 1e-6 or 1e-4 of that (by nothing where the value is 0).
Every certificate is checked by `arubatheory.prove.check_certificate`. Those that are not certified are listed with the
reason, and so is what a script prints and a certificate contradicts: a primal value of its docstring above the bound,
or a theoretical value, called tight, above it. The exit code is 1 if fewer are certified than `TARGETS` say.

Needs the extra `worst-case`. WORDs choose examples whose path contains one of them.
"""

from __future__ import annotations

import argparse
import io
import math
import re
import runpy
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory.prove import Proof, Unproved, certify
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.pep import solved_by_pepit
from arubatheory.report.files import replace_text

SLACKS = (1e-6, 1e-4)
SECONDS = 60.0  # for a certificate
NEGLIGIBLE = 1e-12  # relative: a value that is not above a bound
TARGETS = {1e-6: 75, 1e-4: 88}
HOMOGENEOUS = 1e-6  # an optimum below this is that of a homogeneous problem, 0
TIGHT = re.compile(r"Theoretical guarantee\*\*((?!References)(.|\n))*\btight\b")
PRIMAL = re.compile(r"primal example\): (\S+)|optimal value: (\S+)")


class Example(NamedTuple):
    """What came of one script: PEPit's dual value, the slack reached, the certificate or why none, its seconds."""

    name: str
    dual: float
    slack: float | None
    proof: Proof | Unproved
    seconds: float
    contradictions: tuple[str, ...] = ()


def scripts(words: Sequence[str] = ()) -> list[Path]:
    """The examples of the PEPit that is installed."""
    import PEPit

    root = Path(PEPit.__file__).parent / "examples"
    found = [p for p in sorted(root.rglob("*.py")) if p.stem not in ("__init__", "example_template")]
    return [p for p in found if not words or any(word in p.as_posix() for word in words)]


def example(path: Path) -> Example:
    """One script: solved by PEPit, certified and compared with what it prints."""
    dual, names = solved_by_pepit(_script(path))
    if not math.isfinite(dual):
        return Example(path.stem, dual, None, Unproved("PEPit's solver finds no optimum"), 0.0)
    start = time.perf_counter()
    bound = Fraction(0) if abs(dual) < HOMOGENEOUS else Fraction(dual)
    proof = certify(_script(path), bound, SLACKS[-1], path.stem, SECONDS)
    seconds = time.perf_counter() - start
    if isinstance(proof, Proof):
        check(proof.to_json())
    slack = next(s for s in SLACKS if proof.slack <= Fraction(s)) if isinstance(proof, Proof) else None
    return Example(path.stem, dual, slack, proof, seconds, tuple(_contradictions(path, names, proof)))


def _script(path: Path) -> Callable[[], dict[str, Any]]:
    def run() -> dict[str, Any]:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return runpy.run_path(str(path), run_name="__main__")

    return run


def _contradictions(path: Path, names: dict[str, Any], proof: Proof | Unproved) -> Iterator[str]:
    """What the script says and the certificate excludes."""
    if isinstance(proof, Unproved):
        return
    text, bound = path.read_text(encoding="utf-8"), float(Fraction(proof.data["parts"][0]["bound"]))
    for value in dict.fromkeys(float(found[1] or found[2]) for found in PRIMAL.finditer(text)):
        if value > bound:
            yield f"prints the primal value {value}, {value - bound:.1e} above the bound {bound}"
    theory = names.get("theoretical_tau")
    if isinstance(theory, float) and theory > bound + NEGLIGIBLE * abs(bound) and TIGHT.search(text):
        yield f"calls {theory} tight, {theory - bound:.1e} above the bound {bound}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.pepit_examples", description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--output", type=Path, help="a folder for the certificates")
    given = parser.parse_args(arguments)
    seen = []
    for path in scripts(given.words):
        try:
            seen.append(found := example(path))
        except Rejected as error:
            print(f"{path.stem}: the certificate is REJECTED: {error}", file=sys.stderr)
            return 1
        print(_line(found), flush=True)
        if given.output and isinstance(found.proof, Proof):
            given.output.mkdir(parents=True, exist_ok=True)
            replace_text(given.output / f"{path.parent.name}-{path.stem}.json", found.proof.text())
    return _summary(seen, not given.words)


def _line(found: Example) -> str:
    head = f"{found.name:48s}{found.dual:14.8f}{found.seconds:7.2f} s  "
    if isinstance(found.proof, Unproved):
        return f"{head}not proved: {found.proof.reason}"
    shown = [f"{found.slack:.0e}  {found.proof.scope.partition('; ')[2]}", *found.contradictions]
    return head + "\n    ".join(shown)


def _summary(seen: list[Example], whole: bool) -> int:
    """Print the counts; the exit code."""
    reached = {s: sum(e.slack is not None and e.slack <= s for e in seen) for s in SLACKS}
    for slack, count in reached.items():
        print(f"{count} of {len(seen)} certified at slack {slack:.0e}")
    seconds = sorted(e.seconds for e in seen)
    print(f"seconds: median {seconds[len(seen) // 2]:.2f}, most {seconds[-1]:.2f}")
    return int(whole and any(reached[s] < target for s, target in TARGETS.items()))


if __name__ == "__main__":
    sys.exit(main())
