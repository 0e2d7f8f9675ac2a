r"""What a search remembers: the best tapes of each class of sizes, so that no long game, and no trivial tie of a short
one, takes the place of another."""

from __future__ import annotations

import math
from collections.abc import Mapping

from arubatheory.engines.evaluation import TIE_HANDICAP
from arubatheory.engines.trial import Best, Climber, keep
from arubatheory.problems.draw import Tape
from arubatheory.problems.rows import rung

CLASSES = 24  # of sizes that are remembered
NEAR = 1e-4  # below 1: whose climbs go to a tie
Class = tuple[int, ...]


def class_of(sizes: Mapping[str, int], tape: Tape) -> Class:
    """The class of a game: its sizes on the ladder, or how many units are drawn where none has a name."""
    return tuple([rung(k) for k in sizes.values()]) or (rung(len(tape.units)),)


def is_near(badness: float) -> bool:
    """Whether a ratio is that of a tie or hardly less."""
    return 1 - NEAR <= badness <= 1


class Archive:
    """The best structures (the integers of a tape) of each class of sizes; the least promising class is forgotten."""

    def __init__(self) -> None:
        self._classes: dict[Class, Best] = {}

    def add(self, where: Class, badness: float, tape: Tape) -> None:
        """Enter a tape, if it is among the best of its class; what is near to a tie promises no more than one."""
        if badness > -math.inf:
            keep(self._classes.setdefault(where, {}), badness - TIE_HANDICAP * is_near(badness), tape)
        if len(self._classes) > CLASSES:
            del self._classes[min(self._classes, key=lambda c: max(one[0] for one in self._classes[c].values()))]

    def best(self, n: int, each: int) -> list[tuple[Class, Climber]]:
        """The n most promising tapes, at most so many of each class, each with its class."""
        kept = self._classes.items()
        found = [(c, one) for c, best in kept for one in sorted(best.values(), key=lambda one: -one[0])[:each]]
        return sorted(found, key=lambda pair: -pair[1][0])[:n]
