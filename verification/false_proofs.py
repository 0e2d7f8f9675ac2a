r"""Does the Gram prover prove what is false, and is what proves nothing accepted as a certificate?

    python -m verification.false_proofs [--games N] [--changes N] [--seed S]

*Games.* In N games the right side is made smaller: below 1 where the constant is attained, below the supremum that is
known on paper for OGD (verification/README.md). Every one of them is false, and none may be proved. *Changes.* In N
certificates, of games, of those on record by algebra and boxes, of one by slopes and of one that is closed stage by
stage, one number is changed, of any kind of number in them: each must be rejected, or prove what it says still.
Multipliers are then checked again in floats; of paths, both sides are compared in exact numbers at points of the scope,
and what the stages claim is computed at points of their own. The exit code is 1 otherwise.
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import numpy as np

from arubatheory.engines.exact import certify_instance
from arubatheory.engines.witness_files import file_stem
from arubatheory.papers.aruba import ARUBA
from arubatheory.prove.certificate import ALGEBRA, BOXES, GRAM, Proof, proof_of, read
from arubatheory.prove.chains import valued
from arubatheory.prove.check_boxes import ONE, roots
from arubatheory.prove.check_cells import NUMBER, Rejected, need
from arubatheory.prove.check_chains import Staged, check_chain, placed
from arubatheory.prove.games import GAMES
from arubatheory.prove.gram import NotProved, proved_exactly
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.replay import objections
from arubatheory.prove.second_look import Follower
from arubatheory.prove.statement import prove_gram
from arubatheory.statements.core import Instance, Sides, Statement

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 4
LARGEST = 20_000  # bytes of a certificate that is changed
CHAINS = 5  # of so many changes one is of the certificate that is closed stage by stage, at least
CELLS, POINTS, BITS, LOOKS = 4, 6, 256, 40  # that an accepted one is looked at
ATTAINED = {  # games whose constant is attained, and from how many rounds on
    **dict.fromkeys(("FTL", "AOGD", "be the leader", "fall of the last loss", "growth at the leader"), 1),
    **dict.fromkeys(("slope", "growth", "divergence above", "divergence below", "divergence convex", "half square"), 1),
    **{"one of two": 1, "mean": 2, "growth before": 2},
}
LABELS = (
    *("lem:stability", "lem:btl", "clm:cdual", "text:tie-break", "thm:ftlaogd/aogd", "clm:mean/corrected"),
    *("thm:ftrlomd/omd", "text:v-below-dstar/at-most"),
)


# false games ---------------------------------------------------------------------------------------------------------
def false_game(rng: random.Random) -> tuple[str, int, Fraction]:
    """A game, its number of rounds, and a factor below the least true one."""
    name = rng.choice([*ATTAINED, "lazy OGD", "greedy OGD"])
    rounds = [n for n in GAMES[name].rounds if ATTAINED.get(name, 1) <= n <= ROUNDS]
    n = rng.choice(rounds)
    least = 1.0 if name in ATTAINED else (1 - n + math.sqrt(n * n + 6 * n + 1)) / 4
    share = 1 - 10 ** rng.uniform(-3, -0.3)
    return name, n, Fraction(least * share).limit_denominator(10**5)


def is_proved(name: str, n: int, factor: Fraction) -> bool:
    """Whether all inequalities of a game are proved with their right sides multiplied by a factor."""
    try:
        for world, left, right in GAMES[name].build(n):
            proved_exactly(world.problem(left, right * factor), Fraction(0))
    except NotProved:
        return False
    return True


def _on_record() -> Iterator[tuple[Statement, Path]]:
    folder = ROOT / ARUBA.certificates
    for known in ARUBA.statements:
        for method in (ALGEBRA, BOXES):
            if (path := folder / f"{file_stem(known.label)}-{method}.json").is_file():
                yield known, path


# changed certificates ------------------------------------------------------------------------------------------------
def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the numbers of a JSON value are."""
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(entry, (*path, key))
    elif type(value) is int or (isinstance(value, str) and NUMBER.fullmatch(value)):
        yield path


def changed(data: Any, rng: random.Random) -> Any:
    """A certificate with one number another: of each kind, as a multiplier or a halving, as often."""
    data, kinds = copy.deepcopy(data), dict[tuple[str, ...], list[tuple[Any, ...]]]()
    for place in numbers(data):
        kinds.setdefault(tuple(key for key in place if isinstance(key, str)), []).append(place)
    *path, last = rng.choice(kinds[rng.choice(list(kinds))])
    within = data
    for key in path:
        within = within[key]
    old = Fraction(within[last])
    new = rng.choice([old + 1, old - 1, -old or Fraction(1), old * Fraction(1001, 1000) or Fraction(1, 1000)])
    within[last] = int(new) if type(within[last]) is int and new.denominator == 1 else str(new)
    return data


def is_seen(data: Any, statement: Statement) -> bool:
    """Whether a changed certificate is rejected, or proves the game of its statement all the same."""
    try:
        found = proof_of(data)
        wrong = objections(found, statement)
    except ValueError:
        return True
    if wrong:
        return True
    return all(map(holds_in_floats, found.data["parts"])) if found.method == GRAM else holds_at_points(found, statement)


def holds_at_points(proof: Proof, statement: Statement) -> bool:
    """Whether a statement holds, or is undecided, at some points of each of the first cells of a certificate."""
    for cell in proof.data["cells"][:CELLS]:
        ranges = [(Fraction(low), Fraction(high)) for low, high in cell["ranges"]]
        for seed in range(POINTS):
            instance = statement.instance(Follower(cell["integers"], ranges, seed))
            if certify_instance(statement, instance, BITS).outcome in ("violated", "undefined"):
                return False
        if not holds_in_stages(cell):
            return False
    return True


class Sampled(Staged):
    """Stages that are not proved, but looked at in floats, at random points of each of their boxes."""

    def _check_move(self, stage: Any, move: Any) -> None:
        rng, faces = np.random.default_rng(0), roots(stage.lines, set(), stage.scale, [])
        boxes = placed(faces, self.table(move["before"]), self.table(move["after"]))
        low, high = (np.repeat(end.T / ONE, LOOKS, axis=1) for end in np.moveaxis(np.array(boxes, dtype=float), 2, 0))
        gap = valued(stage, low + (high - low) * rng.random(low.shape), 0.0)
        need(not np.any(gap < -1e-9), "a stage fails at a point")


def holds_in_stages(data: Any) -> bool:
    """Whether what the stages of a cell claim, holds at points; True where it has none."""
    cell = Sampled(data)
    try:
        for path in (path for path in data["paths"] if "chain" in path["proof"]):
            steps = path["steps"]
            facts = {n: reduce(and_, [mask for k, mask in steps if k == n]) for n, _ in steps}
            with np.errstate(all="ignore"):
                check_chain(cell, facts, path["sides"], [], path["proof"])
    except Rejected:
        return False
    return True


def holds_in_floats(part: dict[str, Any]) -> bool:
    """Whether multipliers prove their part, by numpy: rows and objective are those of the game."""
    total = {key: float(Fraction(v)) for key, v in part["objective"].items()}
    for row in part["rows"]:
        for key, value in row["terms"].items():
            total[key] = total.get(key, 0.0) - float(Fraction(row["multiplier"])) * float(Fraction(value))
    gram = np.zeros((part["points"], part["points"]))
    for key, value in total.items():
        if key[0] == "g":
            i, j = map(int, key[1:].split("."))
            gram[i, j] -= value / 2
            gram[j, i] -= value / 2
    rest = max((abs(v) for key, v in total.items() if key[0] != "g"), default=0.0)
    signs = all(Fraction(row["multiplier"]) >= 0 for row in part["rows"])
    return signs and rest < 1e-9 and (len(gram) == 0 or float(np.linalg.eigvalsh(gram)[0]) > -1e-9)


def game(rounds: int, p: int, q: int) -> Statement:
    r"""The tutorial's: AdaGrad with one step size on [-1, 1], regret at most $2 p/q\sqrt{\sum_t g_t^2}$."""

    def instance(draw: Any) -> Instance:
        return Instance(g=draw.real(-1, 1, rounds), start=draw.real(-1, 1), u=draw.real(-1, 1))

    def sides(i: Instance) -> Sides:
        x, squares, regret = i.start, 0, 0
        for g in i.g:
            regret = regret + g * (x - i.u)
            squares = squares + g * g
            if squares > 0:
                x = min(max(x - 2 * g / np.sqrt(squares), -1), 1)
        return Sides(regret, p * 2 * np.sqrt(sum(g * g for g in i.g)) / q)

    return Statement(label="toy:game", kind="claim", latex="x", instance=instance, sides=sides)


def closed_by_stages() -> tuple[Statement, Any]:
    """The game of four rounds with a factor that leaves room, and its certificate."""
    proof = prove_paths(statement := game(4, 3, 1), 120)
    assert isinstance(proof, Proof) and "moves" in proof.data["cells"][0]
    return statement, proof.to_json()


def met_twice() -> tuple[Statement, Any]:
    """A claim that is met to second order, and its certificate by slopes."""
    statement = Statement(
        label="toy:twice",
        kind="claim",
        latex="x",
        instance=lambda draw: Instance(x=draw.real(-2, 2), y=draw.real(-2, 2)),
        sides=lambda i: Sides(np.exp(i.y) * (1 + i.x - i.y), np.exp(i.x) - (i.x - i.y) * (i.x - i.y) / 64),
    )
    proof = prove_paths(statement, 60)
    assert isinstance(proof, Proof) and "by" in proof.data["cells"][0]["paths"][0]["proof"]
    return statement, proof.to_json()


def certificates(rounds: int = 2, largest: int = LARGEST) -> list[tuple[Statement, Any]]:
    """Certificates of `LABELS`, and those on record by algebra and boxes in files of at most so many bytes, as JSON
    holds them."""
    found = [(known, read(path).to_json()) for known, path in _on_record() if path.stat().st_size <= largest]
    for statement in (s for s in ARUBA.statements if s.label in LABELS):
        proof = prove_gram(statement, rounds=rounds)
        assert isinstance(proof, Proof)
        found.append((statement, proof.to_json()))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.false_proofs", description=__doc__)
    for name, default in (("games", 1000), ("changes", 1000), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args(arguments)
    known, rng, wrong, slowest = [*certificates(), met_twice(), closed_by_stages()], random.Random(given.seed), 0, 0.0
    for _ in range(given.games):
        if is_proved(*(game := false_game(rng))):
            wrong += 1
            print(f"PROVED although it is false: {game}")
    print(f"{given.games} false games: {wrong} proved")
    unseen = 0
    for _ in range(given.changes):
        statement, data = known[-1] if rng.randrange(CHAINS) == 0 else rng.choice(known)
        start = time.process_time()
        unseen += not is_seen(changed(data, rng), statement)
        slowest = max(slowest, time.process_time() - start)
    said = f"{unseen} accepted that prove nothing; most {slowest:.2f} s of processor time"
    print(f"{given.changes} certificates with one number changed: {said}")
    return int(wrong + unseen > 0)


if __name__ == "__main__":
    sys.exit(main())
