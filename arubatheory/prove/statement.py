r"""Statements whose claim is a finite game of convex analysis, proved in every dimension: `prove_gram`.

A statement names its game (`Statement.game`). Its inequalities are proved for n = 1, 2, ... rounds, as they stand where
exact multipliers are found, else with the constant 1 + s; the scope ends where the first one is not.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from arubatheory.prove.certificate import GRAM, SECONDS, Proof, Unproved
from arubatheory.prove.games import GramGame, game_of
from arubatheory.prove.gram import Clock, NotProved, data_of, proved_exactly
from arubatheory.sources import source_digest
from arubatheory.statements.core import Statement

ZERO = Fraction(0)
SLACKS = (ZERO, Fraction(1, 10**6), Fraction(1, 10**4), Fraction(1, 10**2))


def prove_gram(statement: Statement, seconds: float = SECONDS, rounds: int | None = None) -> Proof | Unproved:
    """A Gram certificate of a statement for as many rounds (at most `rounds`) as the time allows, or why there is none.

    Its scope is in words and in `shape`; a statement may claim more than that.
    """
    if (game := game_of(statement.game)) is None:
        return Unproved("the statement names no game of convex analysis")
    clock, slack, reached, parts = Clock(seconds), ZERO, 0, list[dict[str, Any]]()
    for n in game.rounds[:rounds]:
        found = _rounds(game, n, slack, clock)
        if isinstance(found, Unproved):
            if not parts:
                return found
            break
        slack, more = found
        parts, reached = [*parts, *more], n
    shape, scope = game.said(statement, reached, slack)
    return Proof(statement.label, source_digest(), GRAM, scope, shape, slack, {"parts": parts})


def _rounds(game: GramGame, n: int, least: Fraction, clock: Clock) -> tuple[Fraction, list[dict[str, Any]]] | Unproved:
    """The certificates of n rounds, and the slack that they need, which is at least that of fewer rounds."""
    reason = ""
    for slack in (s for s in SLACKS if s >= least):
        try:
            found = ((p, proved_exactly(p, ZERO, clock)) for p in game.problems(n, slack))
            return slack, [{"rounds": n, **data_of(p, multipliers, ZERO)} for p, multipliers in found]
        except NotProved as error:
            reason = reason or str(error)
    return Unproved(reason)
