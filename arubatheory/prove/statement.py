r"""Statements whose claim is a finite game of convex analysis, proved in every dimension: `prove_gram`.

A statement names its game (`Statement.gram`). Its inequalities are proved for n = 1, 2, ... rounds, as they stand where
exact multipliers are found, else with the constant 1 + s; the scope ends where the first one is not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from arubatheory.prove.certificate import GRAM, Proof
from arubatheory.prove.check_certificate import check
from arubatheory.prove.games import GAMES, GramGame
from arubatheory.prove.gram import NotProved, Unproved, data_of, named, proved_exactly, slack_words
from arubatheory.prove.problem import GramProblem
from arubatheory.sources import source_digest
from arubatheory.statements.core import Statement

SECONDS = 30.0  # for one statement
SLACKS = (Fraction(0), Fraction(1, 10**6), Fraction(1, 10**4), Fraction(1, 10**2))


def prove_gram(statement: Statement, seconds: float = SECONDS, rounds: int | None = None) -> Proof | Unproved:
    """A Gram certificate of a statement for as many rounds (at most `rounds`) as the time allows, or why there is none.

    Its scope is in words and in `shape`; a statement may claim more than that.
    """
    if statement.gram not in GAMES:
        return Unproved("the statement names no game of convex analysis")
    return prove_game(GAMES[statement.gram], statement.label, statement.gram, seconds, rounds)


def prove_game(game: GramGame, label: str, name: str, seconds: float, rounds: int | None = None) -> Proof | Unproved:
    """The same for a game and the label of a claim."""
    end, slack, reached = time.monotonic() + seconds, Fraction(0), 0
    parts: list[dict[str, Any]] = []
    for n in game.rounds[:rounds]:
        if parts and time.monotonic() > end:
            break
        found = _rounds(game, n, slack)
        if isinstance(found, Unproved):
            if not parts:
                return found
            break
        slack, more = found
        parts, reached = [*parts, *more], n
    scope = f"every dimension; {_count(game, reached)}{game.words}{slack_words(slack)}"
    shape = {"dimension": "every", "rounds": reached, "game": name}
    proof = Proof(label, source_digest(), GRAM, scope, shape, slack, {"parts": parts})
    check(proof.to_json())
    return proof


def _count(game: GramGame, n: int) -> str:
    return "" if game.rounds == (1,) else f"n <= {n}; "


def _rounds(game: GramGame, n: int, least: Fraction) -> tuple[Fraction, list[dict[str, Any]]] | Unproved:
    """The certificates of n rounds, and the slack that they need, which is at least that of fewer rounds."""
    reason = ""
    for slack in (s for s in SLACKS if s >= least):
        try:
            return slack, [_part(problem, n) for problem in game.problems(n, slack)]
        except NotProved as error:
            reason = reason or str(error)
    return Unproved(reason)


def _part(problem: GramProblem, n: int) -> dict[str, Any]:
    return {"rounds": n, **data_of(problem, proved_exactly(problem, Fraction(0)), Fraction(0))}


# a second look -------------------------------------------------------------------------------------------------------
def differences(proof: Proof, statement: Statement) -> Iterator[str]:
    """Where a Gram certificate is not about the game that a statement names, term by term; nothing where it is.

    The game is built anew: an inequality of the certificate must be that of its number of rounds, and every row that
    it uses must be one of that game.
    """
    if proof.label != statement.label:
        yield f"the certificate belongs to {proof.label!r}, not to {statement.label!r}"
    elif statement.gram not in GAMES:
        yield f"{statement.label} names no game of convex analysis"
    else:
        game, parts = GAMES[statement.gram], list(proof.data["parts"])
        reached = int(proof.shape["rounds"])
        wanted = [(n, p) for n in game.rounds if n <= reached for p in game.problems(n, proof.slack)]
        if reached not in game.rounds or len(parts) != len(wanted):
            yield f"it has {len(parts)} inequalities, the game of {reached} rounds has {len(wanted)}"
        for part, (n, problem) in zip(parts, wanted, strict=False):
            yield from (f"in {n} rounds: {found}" for found in _differences(part, problem, n))
        scope = f"every dimension; {_count(game, reached)}{game.words}{slack_words(proof.slack)}"
        if proof.scope != scope:
            yield f"its scope must be {scope!r}, got {proof.scope!r}"


def _differences(part: dict[str, Any], problem: GramProblem, n: int) -> Iterator[str]:
    if part["rounds"] != n:
        yield f"it says {part['rounds']} rounds"
    if part["points"] != problem.points or part["matrices"]:
        yield f"the game has {problem.points} vectors and no matrices"
    objective = {key: Fraction(value) for key, value in part["objective"].items()}
    if Fraction(part["claimed"]) != 0 or objective != _fractions(problem.objective):
        yield "the difference of the two sides is not the objective"
    known = {(row.name, frozenset(_fractions(row.terms).items())) for row in problem.rows}
    for row in part["rows"]:
        terms = {k: Fraction(v) for k, v in row["terms"].items()}
        if row["sign"] != "<= 0" or (row["name"], frozenset(terms.items())) not in known:
            yield f"the row {row['name']!r} is none of the game"


def _fractions(terms: Any) -> dict[str, Fraction]:
    return {key: Fraction(value) for key, value in named(terms).items()}
