r"""What a search remembers: the best tapes of each class of sizes, so that no long game, and no trivial tie of a short
one, takes the place of another."""

from __future__ import annotations

import math
from collections.abc import Mapping

from arubatheory.engines.trial import Best, Climber, keep
from arubatheory.problems.draw import Tape
from arubatheory.problems.rows import rung

CLASSES = 24  # of sizes that are remembered
Class = tuple[int, ...]


def class_of(sizes: Mapping[str, int]) -> Class:
    """The class of a game: its sizes on the ladder."""
    return tuple([rung(k) for k in sizes.values()])


class Archive:
    """The best structures (the integers of a tape) of each class of sizes; the least promising class is forgotten."""

    def __init__(self) -> None:
        self._classes: dict[Class, Best] = {}

    def add(self, where: Class, badness: float, tape: Tape) -> None:
        """Enter a tape, if it is among the best of its class."""
        if badness > -math.inf:
            keep(self._classes.setdefault(where, {}), badness, tape)
        if len(self._classes) > CLASSES:
            worst = min(self._classes, key=lambda c: max(found[0] for found in self._classes[c].values()))
            del self._classes[worst]

    def best(self, n: int, each: int) -> list[tuple[Class, Climber]]:
        """The n most promising tapes, at most so many of each class, each with its class."""
        found = [
            (where, climber)
            for where, best in self._classes.items()
            for climber in sorted(best.values(), key=lambda found: -found[0])[:each]
        ]
        return sorted(found, key=lambda pair: -pair[1][0])[:n]
