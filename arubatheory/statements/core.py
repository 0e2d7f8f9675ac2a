r"""What a claim is: an instance generator, assumptions with margins, and two sides that must compare.

A statement is a value, not a subclass. Its claim is one or more inequalities lhs <= rhs over all instances; an identity
is both directions. Quantifiers live in the instance: "for all theta*" is a drawn comparator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, Undecided
from arubatheory.problems.draw import Draw
from arubatheory.problems.signatures import typed
from arubatheory.statements.blame import home
from arubatheory.statements.effort import ENGINES

Instance = SimpleNamespace
"""Named parts of one drawn problem: numbers, arrays, and named tuples of arrays (losses, domains, regularisers)."""


class Sides(NamedTuple):
    r"""Both sides of lhs <= rhs. A third member, once a yardstick for rounding, is accepted and ignored."""

    lhs: Any
    rhs: Any
    scale: Any = None


class Columns(Sequence[Sides]):
    """Many inequalities in floats, in two arrays (n,), n >= 1, which `engines.evaluation` compares at once. Raises
    ValueError for other shapes."""

    def __init__(self, lhs: Array, rhs: Array) -> None:
        if np.ndim(lhs) != 1 or np.shape(lhs) != np.shape(rhs) or not len(lhs):
            raise ValueError(f"lhs and rhs must be vectors (n,), n >= 1, got {np.shape(lhs)} and {np.shape(rhs)}")
        self.lhs, self.rhs = lhs, rhs

    def __len__(self) -> int:
        return len(self.lhs)

    def __getitem__(self, k: Any) -> Any:
        return Sides(self.lhs[k], self.rhs[k])


Several = Sequence[Sides]


def equality(left: Any, right: Any) -> tuple[Sides, Sides]:
    r"""left = right: both inequalities."""
    return Sides(left, right), Sides(right, left)


def each_equal(left: Iterable[Any], right: Iterable[Any]) -> tuple[Sides, ...]:
    r"""left = right, entry by entry."""
    return tuple(s for pair in zip(left, right, strict=True) for s in equality(*pair))


class NotAnInstance(ValueError):
    """What is drawn is no instance of the claim: raised by an author's `instance` or `sides`, or by its growth or its
    sample, with the reason. Engines leave it out, count it and report it; a claim with fewer than 100 counted trials is
    IDLE."""


class Assumption(NamedTuple):
    r"""A printed assumption (LaTeX) and its margin, a number that is >= 0 exactly when the assumption holds."""

    latex: str
    margin: Callable[[Instance], Any]


def _is_assumption(value: Any) -> bool:
    return isinstance(value, Assumption) and isinstance(value.latex, str) and callable(value.margin)


def estimated(instance: Instance) -> Sides:
    """The sides of a claim that is only measured: it has none."""
    raise Undecided("a slope or the mean of a sample is estimated, it has no exact value")


class Constant(NamedTuple):
    """A free constant of a claim: its printed value, and the claim with another one in its place (an exact fraction).
    It is looked for between two `ends`; with `largest` the claim holds for constants up to one, else from one on."""

    name: str
    printed: Any
    at: Callable[[Fraction], Any]
    ends: tuple[Fraction, Fraction] = (Fraction(0), Fraction(4))
    largest: bool = False


class Gram(NamedTuple):
    """That these sides of these instances are a game of `prove.games` in a part of their scope, or, if its name follows
    "= ", in all of it. A statement that was given other sides is none."""

    game: str
    sides: Callable[[Instance], Any]
    instance: Callable[[Draw], Instance]


@dataclass(frozen=True)
class Statement:
    r"""A claim on trial.

    `label` is the slug of the paper's item, then `/part`, `/reading`, `/proof-<n>` or `/corrected`. `sides(instance)`
    returns one `Sides` or a sequence of them, in the arithmetic of the instance. `part_of`, `step_of` and `corrects`
    name other labels; `uses` names the statements that its proof relies on. `where` says what a symbol of the formula
    stands for, where another statement with the same formula means another thing. `gram` says which game of
    `prove.games` it is. A claim about growth (see `growth`) has the engine "rate" and no sides; one about a random
    sample (see `chance`) the engine "simulate", and exact sides where the sample space can be listed, else none.
    """

    label: str
    kind: str
    latex: str
    instance: Callable[[Draw], Instance]
    sides: Callable[[Instance], Sides | Iterable[Sides]] = estimated
    assumptions: tuple[Assumption, ...] = ()
    number: str = ""
    title: str = ""
    uses: tuple[str, ...] = ()
    part_of: str | None = None
    step_of: str | None = None
    corrects: tuple[str, ...] = ()
    note: str = ""
    where: str = ""
    engines: tuple[str, ...] = field(default=("check", "search"))
    growth: Any = None
    chance: Any = None
    gram: Gram | None = None
    constants: tuple[Constant, ...] = ()

    @property
    def game(self) -> str:
        """The name of the game that it is; empty where its sides or instances are not those of which that was said."""
        said = self.gram
        return said.game if said and said.sides is self.sides and said.instance is self.instance else ""

    def __post_init__(self) -> None:
        for name in ("label", "kind", "latex"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ValueError(f"{name} must be a non-empty string, got {value!r}")
        if " " in self.label or not self.label.isprintable():  # nor control characters, nor marks that reorder a line
            raise ValueError(f"label must not contain white space or what cannot be seen, got {self.label!r}")
        for name in ("number", "title", "note", "where"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be a string, got {getattr(self, name)!r}")
        for name in ("part_of", "step_of"):
            if not isinstance(getattr(self, name), str | None):
                raise TypeError(f"{name} must be a label or None, got {getattr(self, name)!r}")
        for name in ("instance", "sides"):
            if not callable(getattr(self, name)):
                raise TypeError(f"{name} must be callable, got {getattr(self, name)!r}")
        for name in ("uses", "corrects", "engines"):
            names = getattr(self, name)
            if not isinstance(names, tuple) or not all(isinstance(n, str) for n in names):
                raise TypeError(f"{name} must be a tuple of strings, got {names!r}")
        if not isinstance(self.assumptions, tuple) or not all(map(_is_assumption, self.assumptions)):
            raise TypeError(f"assumptions must be a tuple of Assumption values, got {self.assumptions!r}")
        self._check_engines()

    def _check_engines(self) -> None:
        unknown = set(self.engines) - set(ENGINES)
        if unknown or not self.engines:
            raise ValueError(f"engines must be some of {', '.join(ENGINES)}, got {self.engines!r}")
        given = {"check": self.sides is not estimated, "search": self.sides is not estimated}
        given |= {"rate": self.growth is not None, "simulate": self.chance is not None}
        for engine in self.engines:
            if not given[engine]:
                needed = {"rate": "growth", "simulate": "chance"}.get(engine, "sides")
                raise ValueError(f"{needed} must be given for the engine {engine}, got None")


@typed
def all_sides(statement: Statement, instance: Instance) -> Several:
    """The inequalities of a statement on an instance, always as a sequence."""
    sides = statement.sides(instance)
    if isinstance(sides, Sides) or type(sides) is Columns:
        return (sides,) if isinstance(sides, Sides) else sides
    several = tuple(sides) if isinstance(sides, tuple | Iterable) else ()  # to ask an abstract class takes long
    if not several or not all(isinstance(s, Sides) for s in several):
        said = f"must return a Sides or a sequence of them, got {sides!r}: write Sides(lhs, rhs)"
        raise TypeError(f"sides{home(statement.sides)} {said}")
    return several


def check_numbers(statement: Statement, instance: Any) -> None:
    """What is wrong where an instance or its sides could not be used: raises TypeError for an instance without named
    parts, and for a side that is no number."""
    if not isinstance(instance, SimpleNamespace):
        said = f"must return an Instance, got {type(instance).__name__} {instance!r}: write Instance(x=..., y=...)"
        raise TypeError(f"instance{home(statement.instance)} {said}")
    for side in (x for s in all_sides(statement, instance) for x in (s.lhs, s.rhs)):
        if isinstance(side, np.ndarray | list | tuple) or not hasattr(side, "__float__"):
            said = f"must be numbers, got {side!r}: a claim about each entry returns a Sides for each"
            raise TypeError(f"both sides{home(statement.sides)} {said}")


def statements_in(names: Mapping[str, Any]) -> list[Statement]:
    """The `Statement` values of a module, in the order of its names; those in tuples and lists too, each once."""
    found: dict[int, Statement] = {}
    for value in list(names.values()):
        for s in value if isinstance(value, tuple | list) else (value,):
            if isinstance(s, Statement):
                found.setdefault(id(s), s)
    return list(found.values())
