r"""What a trial costs: the engines that may try a statement, their budgets, and what a run puts into one statement.

Nothing here needs the mathematics: the command's help and its completion read the same table.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

MOST = 10**9  # of a budget, in what the engine counts: weeks for the cheapest statement


class Engine(NamedTuple):
    """One engine, a function of its name in `engines.<name>`; `budgets` and `shard` are in what it `counts`.

    A `shard` is the most of one unit, which a process does at a stretch, but for the first, which takes half of a
    budget, at most `longest`: only long climbs find long games. `least` is the smallest budget, `most` what a larger
    number comes to; `goes_on`: a certified violation does not end its run, unless it is asked to; `asked`: it tries any
    statement with sides, but only where a run names it.
    """

    name: str
    budgets: dict[str, int]
    shard: int
    least: int = 1
    counts: str = "evaluations"
    goes_on: bool = False
    most: int = MOST
    asked: bool = False
    longest: int = 0


ENGINES = {
    engine.name: engine
    for engine in (
        Engine("check", {"quick": 120, "standard": 1000, "deep": 5000}, 1000),
        Engine("search", {"quick": 2500, "standard": 30_000, "deep": 300_000}, 15_000, goes_on=True, longest=200_000),
        Engine("rate", {"quick": 20, "standard": 100, "deep": 500}, 10, counts="families"),
        # The error of simulate is that of one whole run.
        Engine("simulate", {"quick": 20_000, "standard": 200_000, "deep": 2_000_000}, 2_000_000, 32, "replicates"),
        Engine("prove", {"quick": 10, "standard": 30, "deep": 120}, 120, counts="seconds", most=120, asked=True),
    )
}
USUAL = tuple(name for name, engine in ENGINES.items() if not engine.asked)
# of processes each takes two of the files that a process may open, which are often 1024
LARGEST = {"jobs": 256, "seed": 2**63 - 1}
BUDGETS = tuple(ENGINES["check"].budgets)


def budget_of(budget: str | int, engine: str) -> int:
    """What a budget, a name or a number (in digits too), gives an engine; raises ValueError for anything else."""
    check_engines((engine,))
    if isinstance(budget, str) and budget in BUDGETS:
        return ENGINES[engine].budgets[budget]
    number = int(Decimal(budget)) if isinstance(budget, str) and budget.isdecimal() else budget
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ValueError(f"budget must be one of {', '.join(BUDGETS)} or a positive integer, got {number!r}")
    if number < ENGINES[engine].least:
        raise ValueError(f"budget must be at least {ENGINES[engine].least} for the engine {engine}, got {number!r}")
    return min(possible(number), ENGINES[engine].most)


def fits(engine: str, engines: tuple[str, ...]) -> bool:
    """Whether an engine may try a statement that allows these: one that is asked for, if no other way to try it than
    by its sides is among them."""
    check_engines((engine,))
    check_engines(engines)
    return engine in engines or (ENGINES[engine].asked and set(engines) <= {"check", "search"})


def possible(budget: int) -> int:
    """A budget that may be spent; raises ValueError for more than `MOST`."""
    if budget > MOST:
        raise ValueError(f"budget must be at most {MOST:,}, got {Decimal(budget):.30g}")
    return budget


def starts(budget: str | int, engine: str) -> range:
    """Where the units begin that a budget is split into; the first has what is before its start, too."""
    number, of = budget_of(budget, engine), ENGINES[engine]
    return range(max(min(number // 2, of.longest) - of.shard, 0), number, of.shard)


def check_engines(engines: tuple[str, ...]) -> None:
    """Raises ValueError for an engine that there is not."""
    if not isinstance(engines, tuple | list):
        raise TypeError(f"engines must be a tuple, got {engines!r}")
    for engine in engines:
        if not isinstance(engine, str) or engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")


class Effort(NamedTuple):
    """What a run puts into a statement: its engines, each with this budget, from this seed; `blind`: without the
    witnesses on record; `first`: no more once it is refuted."""

    engines: tuple[str, ...]
    budget: str | int = "standard"
    seed: int = 0
    blind: bool = False
    first: bool = False

    def weaker_than(self, engines: tuple[str, ...], budget: str) -> bool:
        """Whether one of these engines is missing or has less than this budget, or stored witnesses were ignored."""
        if self.blind or not set(engines) <= set(self.engines):
            return True
        return any(budget_of(self.budget, e) < budget_of(budget, e) for e in engines)
