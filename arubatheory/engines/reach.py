r"""How far an engine looked: the worst ratio by size, the worst that is no tie, where its climbs ended, and which terms
of the right side matter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

RISES = 1e-3  # relative: what a curve must gain at its largest size to be called rising
AGREES = 1e-6  # of climbs that ended at the same ratio
CLIMBS = 64  # that are told
RUNGS = 3  # of a curve that may be called rising


@dataclass(frozen=True)
class Reach:
    r"""`by_size`: for each name of a size the pairs (size, worst ratio), sizes as the ladder has them (1, 2, 3, 5, 8,
    13, ...), each for those up to it. `closest`: the worst ratio that is no tie, None without any. `climbs`: the
    ratios at which climbs ended, the worst first. `terms`: how bad the closest instance is, how many terms the right
    side has, and without how many of them, one at a time, the claim breaks at one of the closest (empty: no sum)."""

    by_size: dict[str, list[list[float]]] = field(default_factory=dict)
    closest: float | None = None
    climbs: tuple[float, ...] = ()
    terms: tuple[float, ...] = ()

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Reach:
        """What JSON holds, as a value again."""
        return cls(**data | {name: tuple(data.get(name, ())) for name in ("climbs", "terms")})

    @property
    def rising(self) -> str:
        """The sizes at whose largest value the worst ratio still rises, as "rounds = 64"; empty without any."""
        return ", ".join(f"{name} = {int(curve[-1][0])}" for name, curve in self.by_size.items() if _rises(curve))

    @property
    def curves(self) -> str:
        """The curves in one line, as "rounds 1:0.5 2:0.7; tasks 1:0.5"."""
        lines = (f"{name} {' '.join(f'{int(k)}:{r:.5g}' for k, r in curve)}" for name, curve in self.by_size.items())
        return "; ".join(lines)

    def notes(self, worst: float | None, measure: str) -> list[str]:
        """What a reader of a survivor should know: a curve that rises, a 1 that only ties reach, climbs that agree."""
        found = [f"rising at {self.rising}"] if self.rising else []
        if measure == "lhs/rhs" and worst == 1 and (self.closest is None or self.closest < 1 - RISES):
            found.append("1 only at ties" + (f", else at most {self.closest:.5g}" if self.closest is not None else ""))
        if len(self.climbs) > 1:
            best, least = self.climbs[0], self.climbs[-1]
            agree = sum(best - end <= AGREES * abs(best) for end in self.climbs)
            found.append(f"{agree} of {len(self.climbs)} climbs end at {best:.6g}, the others down to {least:.4g}")
        if self.terms:
            terms, seen = map(int, self.terms[1:])
            found.append(f"of {terms} terms on the right, {seen} are needed where it was closest")
        return found


def _rises(curve: list[list[float]]) -> bool:
    *before, (_, last) = curve
    top = max((ratio for _, ratio in before), default=math.inf)
    return len(curve) >= RUNGS and last > top + RISES * abs(top)


def joined(found: Iterable[Reach]) -> Reach:
    """What several engines saw, as one."""
    reaches = list(found)
    curves: dict[str, dict[float, float]] = {}
    for reach in reaches:
        for name, curve in reach.by_size.items():
            mine = curves.setdefault(name, {})
            for size, ratio in curve:
                mine[size] = max(ratio, mine.get(size, -math.inf))
    return Reach(
        {name: [[k, curve[k]] for k in sorted(curve)] for name, curve in curves.items()},
        max((reach.closest for reach in reaches if reach.closest is not None), default=None),
        tuple(sorted((end for reach in reaches for end in reach.climbs), reverse=True)[:CLIMBS]),
        max((reach.terms for reach in reaches if reach.terms), default=()),
    )


NOWHERE = Reach()
