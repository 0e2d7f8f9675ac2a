r"""Do the provers prove what is false?

    python -m verification.false_paths [--seconds S] [--perturbed N] [--seed S]

*Refuted*: every statement that the ledger has as REFUTED. *Siblings*: those of `tests/power/siblings`. *Perturbed*: N
true statements with a smaller right side, a larger left side or sides changed for one another, each refuted by a
witness. *Planted*: true statements that algebra or boxes prove, made false where one more real is within 2^-10 of an
end or of a middle. All provers try each, in at most so many seconds of processor time. None may be proved where a
witness is: the certificate's cells are searched, and no refutation may lie in them, of those on record and found at
random, or, without these, by `check`. What is proved of them all the same, in a scope where they are true, is printed,
and how many refutations have other integers than the scope, or the same and other reals. The exit code is 1 otherwise.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import itertools
import os
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from arubatheory.engines.check import check
from arubatheory.engines.exact import certify, certify_instance
from arubatheory.engines.verdict import Status
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import RandomDraw
from arubatheory.prove.certificate import ALGEBRA, BOXES, Proof
from arubatheory.prove.provers import prove
from arubatheory.prove.second_look import Follower
from arubatheory.prove.tracing import Cell, Untraceable
from arubatheory.report import ledger
from arubatheory.statements.core import Instance, Sides, Statement, all_sides

ROOT = Path(__file__).resolve().parents[1]
LOOKS, BITS, CHECKED = 200, 256, 2000
NEAR = Fraction(1, 1 << 10)
EVERY = 25  # statements, between two lines that tell how many were tried


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
    with (ROOT / "verification" / "proofs.csv").open(encoding="utf-8") as file:
        proved = {row["label"] for row in csv.DictReader(file) if row["method"] in (ALGEBRA, BOXES)}
    for true in (s for s in _survivors() if s.label in proved):
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


def refutations(statement: Statement) -> list[tuple[str, dict[str, Any]]]:
    """Tapes that break a statement in exact numbers: on record, found at random, or, without these, by `check`."""
    files = sorted((ROOT / "verification" / "witnesses").glob(f"{file_stem(statement.label)}-*.json"))
    found = [(path.name, read_witness(path).tape) for path in files]
    found += [("at random", tape) for tape in itertools.islice(violations(statement, 0, 60), 12)]
    if not found:
        verdict = check(statement, CHECKED, 1)
        broken = (verdict.simplest, verdict.worst) if verdict.status is Status.REFUTED else ()
        found = [("by check", one.tape) for one in broken if one is not None]
    return found


def said_of(statement: Statement, proof: Proof) -> tuple[str, list[str]]:
    """In what the scope of a certificate differs from where the claim is broken, and objections to it."""
    found = refutations(statement)
    inside = [name for name, tape in found if any(lies_in(statement, tape, cell) for cell in proof.data["cells"])]
    cells = [cell["integers"] for cell in proof.data["cells"]]
    same = sum(list(tape["integers"]) in cells for _, tape in found)
    wrong = [f"a refutation lies in it, {name}" for name in inside] + ["no refutation is known"] * (not found)
    return f"{len(found)} refutations, {len(found) - same} with other integers and {same} with other reals", wrong


def violated_at(statement: Statement, proof: Proof) -> Iterator[str]:
    """Points of the cells of a certificate at which its claim is broken or undefined."""
    for cell in proof.data["cells"][:20]:
        ranges = [(Fraction(low), Fraction(high)) for low, high in cell["ranges"]]
        for seed in range(LOOKS // min(len(proof.data["cells"]), 20)):
            draw = Follower(cell["integers"], ranges, seed)
            if certify_instance(statement, statement.instance(draw), BITS).outcome in ("violated", "undefined"):
                yield f"violated at {draw.values[:8]} for {cell['integers']}"
                break


def judged(statement: Statement, proof: Proof) -> tuple[str, bool]:
    """What is said of a certificate of a false claim, and whether it is wrong."""
    if "cells" not in proof.data:
        return f"{statement.label}: {proof.scope} - to be read: a game, and no integers and reals", False
    said, wrong = said_of(statement, proof)
    wrong += [*violated_at(statement, proof), *["the whole of it"] * bool(proof.shape["whole"])]
    return f"{statement.label}: {proof.scope} - {said}" + "".join(f" - WRONG: {one}" for one in wrong), bool(wrong)


KINDS = {"refuted": refuted, "siblings": siblings, "perturbed": perturbed, "planted": planted}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.false_paths", description=__doc__)
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each")
    parser.add_argument("--perturbed", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    wrong = 0
    for kind in given.kinds or KINDS:
        tried = scopes = 0
        for statement in KINDS[kind](given):
            tried += 1
            for proof in prove(statement, given.seconds)[0]:
                said, is_wrong = judged(statement, proof)
                scopes, wrong = scopes + 1, wrong + is_wrong
                print(said, flush=True)
            if tried % EVERY == 0:
                print(f"{kind}: {_counts(tried, scopes, wrong)} so far", flush=True)
        print(f"{kind}: {_counts(tried, scopes, wrong)}", flush=True)
    return int(wrong > 0)


def _counts(tried: int, scopes: int, wrong: int) -> str:
    spent = sum(os.times()[:4])
    return f"{tried} tried, {scopes} proved in a scope, {wrong} wrong up to now, {spent:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
