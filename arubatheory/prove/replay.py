r"""A certificate on file, looked at again: its algebra, and whether the problem it solves is the statement's."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import arubatheory.prove.second_look as second_look
from arubatheory.prove.certificate import GRAM, METHODS, Proof
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.check_certificate import check
from arubatheory.prove.games import game_of
from arubatheory.prove.limits import deep_recursion
from arubatheory.prove.problem import GramProblem, named
from arubatheory.statements.core import Statement
from arubatheory.statements.untrusted import RecordError, parse_json, read_text


def is_certificate(path: Path) -> bool:
    """Whether a file claims to be a certificate, not a witness; a file that cannot be read claims nothing."""
    try:
        data = parse_json(read_text(path))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "method" in data


@deep_recursion()
def objections(proof: Proof, statement: Statement) -> list[str]:
    """What is wrong with a certificate of a statement; nothing where it proves it within its scope.

    The problem is built anew from what the statement says it is, and compared with that of the certificate.
    """
    if proof.method not in METHODS:
        return [f"a certificate by {proof.method} is not checked here"]
    try:
        check(proof.to_json())
        return list((differences if proof.method == GRAM else second_look.differences)(proof, statement))
    except Rejected as error:
        return [str(error)]
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
        raise RecordError(f"corrupt certificate: {type(error).__name__}: {error}") from error


def differences(proof: Proof, statement: Statement) -> Iterator[str]:
    """Where a Gram certificate is not about the game that a statement names, term by term; nothing where it is.

    The game is built anew: an inequality of the certificate must be that of its number of rounds, and every row that
    it uses must be one of that game.
    """
    if proof.label != statement.label:
        yield f"the certificate belongs to {proof.label!r}, not to {statement.label!r}"
    elif (game := game_of(statement.game)) is None:
        yield f"{statement.label} names no game of convex analysis"
    else:
        parts = list(proof.data["parts"])
        reached = int(proof.shape["rounds"])
        wanted = [(n, p) for n in game.rounds if n <= reached for p in game.problems(n, proof.slack)]
        if reached not in game.rounds or len(parts) != len(wanted):
            yield f"it has {len(parts)} inequalities, the game of {reached} rounds has {len(wanted)}"
        for part, (n, problem) in zip(parts, wanted, strict=False):
            yield from (f"in {n} rounds: {found}" for found in _differences(part, problem, n))
        shape, scope = game.said(statement, reached, proof.slack)
        if proof.shape != shape:
            yield f"its scope must be {shape} as data, got {proof.shape}"
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
