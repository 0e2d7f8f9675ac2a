r"""Do algebra and boxes prove what is false?

    python -m verification.false_paths [--seconds S] [--perturbed N] [--seed S]

*Refuted*: every statement that the ledger has as REFUTED. *Siblings*: those of `tests/power/siblings`. *Perturbed*: N
true statements with a smaller right side, a larger left side or sides changed for one another, each refuted by a
witness. *Planted*: true statements that are false where one of their reals is within 2^-10 of an end or of a middle.
None may be proved where a witness is: the certificate's cells are searched, and no refutation on record, nor one found
at random, may lie in them. What is proved of them all the same, in a scope where they are true, is printed, and
whether it differs from where the claim is broken in the integers or in the reals. The exit code is 1 otherwise.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from arubatheory.engines.exact import certify, certify_instance
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import RandomDraw
from arubatheory.prove.certificate import Proof
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.second_look import Follower
from arubatheory.prove.tracing import Cell, Untraceable
from arubatheory.report import ledger
from arubatheory.statements.core import Instance, Sides, Statement, all_sides

ROOT = Path(__file__).resolve().parents[1]
LOOKS, BITS = 200, 256
NEAR = Fraction(1, 1 << 10)


def refuted(_given: argparse.Namespace) -> Iterator[Statement]:
    """The statements that the ledger has as refuted."""
    rows = ledger.find(ROOT, ARUBA) or {}
    for statement in ARUBA.statements:
        if statement.label in rows and rows[statement.label].status == "REFUTED":
            yield statement


def siblings(_given: argparse.Namespace) -> Iterator[Statement]:
    """The false siblings, but those of claims about growth and chance."""
    planted: Any = importlib.import_module("tests.power.siblings")
    return (s for s in planted.siblings() if s.chance is None and s.growth is None)


def _survivors() -> list[Statement]:
    rows = ledger.find(ROOT, ARUBA) or {}
    kept = [s for s in ARUBA.statements if s.label in rows and rows[s.label].status in ("SURVIVED", "PROVED")]
    return [s for s in kept if set(s.engines) == {"check", "search"}]


def perturbed(given: argparse.Namespace) -> Iterator[Statement]:
    """True statements made false, each with a witness at a drawn instance."""
    rng, made, statements = random.Random(given.seed), 0, _survivors()
    for n in itertools.count():
        if made == given.perturbed or n > 40 * given.perturbed:
            return
        true = rng.choice(statements)
        p, kind = rng.choice((1, 2, 3, 5, 7)), rng.randrange(3)
        false = replace(true, label=f"{true.label}/perturbed-{n}", sides=_perturbed(true, p, kind))
        if _is_refuted(false, rng.getrandbits(32)):
            made += 1
            yield false


def _perturbed(true: Statement, p: int, kind: int) -> Any:
    def sides(instance: Instance) -> list[Sides]:
        found = all_sides(true, instance)
        if kind == 0:
            return [Sides(s.lhs, s.rhs * p / 8) for s in found]
        return [Sides(s.lhs * (8 + p) / 8, s.rhs) if kind == 1 else Sides(s.rhs, s.lhs) for s in found]

    return sides


def planted(given: argparse.Namespace) -> Iterator[Statement]:
    """True statements with a falsehood inside a cell: where a drawn real is near one that is drawn in advance."""
    for true in _survivors()[:: max(1, 400 // max(given.perturbed, 1))]:
        for end in (-1, 0, 1):
            yield replace(true, label=f"{true.label}/planted-{end}", **_planted(true, end))


def _planted(true: Statement, end: int) -> dict[str, Any]:
    def instance(draw: Any) -> Instance:
        x = true.instance(draw)
        x.planted = draw.real(-1, 1)
        return x

    def sides(x: Instance) -> list[Sides]:
        found = list(all_sides(true, Instance(**{k: v for k, v in vars(x).items() if k != "planted"})))
        z = x.planted - x.planted
        near = abs(x.planted - end) * NEAR.denominator < 1
        return [*found, Sides(1 + z, z) if near else Sides(z, 1 + z)]

    return {"instance": instance, "sides": sides}


def _is_refuted(statement: Statement, seed: int) -> bool:
    return next(violations(statement, seed, 12), None) is not None


def violations(statement: Statement, seed: int, tries: int) -> Iterator[dict[str, Any]]:
    """The tapes of instances drawn at random that break a statement, in exact numbers too."""
    rng = np.random.default_rng(seed)
    for draw in (RandomDraw(rng) for _ in range(tries)):
        if _is_broken(statement, draw):
            yield {"integers": draw.tape.integers, "units": draw.tape.units}


def _is_broken(statement: Statement, draw: RandomDraw) -> bool:
    with suppress(ArithmeticError, TypeError, ValueError), np.errstate(all="ignore"):
        if any(s.lhs > s.rhs for s in all_sides(statement, statement.instance(draw))):
            return certify(statement, draw.tape, BITS).outcome == "violated"
    return False


class Recorded(Follower):
    """Reads the units of a tape, where the ranges of the variables are whole."""

    def __init__(self, tape: dict[str, Any], ranges: Sequence[tuple[Fraction, Fraction]]) -> None:
        super().__init__(tape["integers"], ranges, 0)
        self._left = list(tape["units"])[::-1]

    def _unit(self) -> int:
        return self._left.pop()


def lies_in(statement: Statement, tape: dict[str, Any], cell: dict[str, Any]) -> bool:
    """Whether a recorded instance is in a cell of a certificate."""
    if list(tape["integers"]) != cell["integers"]:
        return False
    whole = Cell(statement, cell["integers"])
    with suppress(Untraceable):
        whole.paths(1)  # the ranges are those of any path
    draw = Recorded(tape, whole.program.ranges)
    statement.instance(draw)
    ends = [(Fraction(low), Fraction(high)) for low, high in cell["ranges"]]
    return all(low <= x <= high for (low, high), x in zip(ends, draw.values, strict=True))


def elsewhere(statement: Statement) -> list[dict[str, Any]]:
    """Some violations that are found at random."""
    return list(itertools.islice(violations(statement, 0, 60), 12))


def kind_of(statement: Statement, proof: Proof) -> str:
    """In what a scope differs from where the claim is broken."""
    cells = [cell["integers"] for cell in proof.data["cells"]]
    same = sum(list(tape["integers"]) in cells for tape in elsewhere(statement))
    return f"broken at its integers by other reals ({same} found)" if same else "broken at other integers only"


def witnesses_inside(statement: Statement, proof: Proof) -> list[str]:
    """Where a certificate is wrong: a refutation on record, or a point of one of its cells."""
    found = []
    for path in (ROOT / "verification" / "witnesses").glob(f"{file_stem(statement.label)}-*.json"):
        if any(lies_in(statement, read_witness(path).tape, cell) for cell in proof.data["cells"]):
            found.append(f"the witness {path.name} lies in it")
    for tape in elsewhere(statement):
        if any(lies_in(statement, tape, cell) for cell in proof.data["cells"]):
            found.append(f"a violation lies in it, with the integers {tape['integers']}")
    for cell in proof.data["cells"][:20]:
        ranges = [(Fraction(low), Fraction(high)) for low, high in cell["ranges"]]
        for seed in range(LOOKS // min(len(proof.data["cells"]), 20)):
            draw = Follower(cell["integers"], ranges, seed)
            if certify_instance(statement, statement.instance(draw), BITS).outcome in ("violated", "undefined"):
                found.append(f"violated at {draw.values[:8]} for {cell['integers']}")
                break
    return found


KINDS = {"refuted": refuted, "siblings": siblings, "perturbed": perturbed, "planted": planted}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.false_paths", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), choices=[[], *KINDS])
    parser.add_argument("--seconds", type=float, default=3.0, help="of each")
    parser.add_argument("--perturbed", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    wrong = 0
    for kind in given.kinds or KINDS:
        tried = proved = 0
        for statement in KINDS[kind](given):
            tried += 1
            proof = prove_paths(statement, given.seconds)
            if isinstance(proof, Proof):
                proved += 1
                objections = witnesses_inside(statement, proof) + ["the whole of it"] * bool(proof.shape["whole"])
                wrong += bool(objections)
                said = f"{proof.scope} - {kind_of(statement, proof)}" + "".join(f" - WRONG: {o}" for o in objections)
                print(f"{statement.label}: {said}", flush=True)
        print(f"{kind}: {tried} tried, {proved} proved in a scope, {wrong} wrong up to now", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
