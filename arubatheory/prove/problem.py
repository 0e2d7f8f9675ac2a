r"""The problem that a Gram certificate is about: maximise a number over vectors and values that obey constraints."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

Key = tuple[int, ...]  # (): the number 1; (i,): value number i; (i, j) with i <= j: inner product of points i and j
Terms = dict[Key, Fraction]


class Row(NamedTuple):
    """A constraint `terms` <= 0, or = 0 for an `equality`."""

    name: str
    terms: Terms
    equality: bool = False


class Matrix(NamedTuple):
    """A matrix that must be positive semidefinite, by its entries (i, j), i <= j."""

    name: str
    size: int
    entries: dict[tuple[int, int], Terms]


class GramProblem(NamedTuple):
    r"""Maximise `objective` over all vectors and values that obey `rows` and `matrices`, in every dimension.

    `moved` is how far, relatively, a number of the data was moved to the rational that stands for it: 0 where all are
    the floats nearest to their rationals.
    """

    points: int
    objective: Terms
    rows: tuple[Row, ...]
    matrices: tuple[Matrix, ...] = ()
    moved: float = 0.0


def named(terms: Terms) -> dict[str, str]:
    """Terms as a certificate has them."""
    return {_name(key): str(value) for key, value in sorted(terms.items())}


def _name(key: Key) -> str:
    return "1" if not key else f"f{key[0]}" if len(key) == 1 else f"g{key[0]}.{key[1]}"


def slack_words(slack: Fraction) -> str:
    """What a slack does to the claim."""
    return f"; with the constant 1 + s, s = {float(slack):.1e}" if slack else ""
