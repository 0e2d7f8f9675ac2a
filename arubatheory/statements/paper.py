r"""A paper on trial, as a value: its items, the modules of its sections, and where its record is kept.

Making one imports no mathematics, so that a paper is listed at once; its statements are imported when they are first
asked for, or those of one module when a single label is.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from arubatheory.statements import items as contents

if TYPE_CHECKING:
    from arubatheory.statements.core import Statement

SHIPPED = Path(__file__).resolve().parents[1] / "papers"
STUBBED = re.compile(r"""\bstub\(\s*["']([^"']+)["']""")
CLAIMED = re.compile(r"""\bclaim\(\s*["']([^"']+)["']""")


@dataclass(frozen=True)
class Paper:
    r"""A paper whose statements are on trial.

    `sections` names each file of the paper's source, in its order: (section, title). `modules` are the import names of
    the modules that hold the statements, in the paper's order. `home` is the folder of its package. `folder` holds its
    record, under the root of a run unless it is absolute: the ledger, the witnesses and the errata. `macros` expands
    the LaTeX commands of its formulas. `own` are items that the paper does not have, with labels of their own: they
    have statements and sections as the others, and do not count as items of the paper.

    A paper of one's own is a folder DIR, named by `--paper DIR`. Its `__init__.py` may say no more than

        HOME = Path(__file__).parent
        MINE = Paper(
            name="mine",
            title="Bounds of mine",
            reference="A. Author, 2026",
            items=read_items(HOME / "items.tsv"),
            sections={"one.tex": ("Section 1", "what it is about")},
            modules=tuple(f"{__name__}.{module}" for module in ("one", "two")),
            home=HOME,
            folder=HOME / "verification",
        )
        claim = claims(MINE.items)

    and `one.py` begins with `from . import claim`: the package gets a name of its own where it is loaded, so modules
    are listed by `__name__` and import each other relatively.
    """

    name: str
    title: str
    reference: str
    items: tuple[contents.Item, ...]
    sections: Mapping[str, tuple[str, str]]
    modules: tuple[str, ...]
    home: Path
    folder: Path
    macros: Mapping[str, str] = field(default_factory=dict)
    own: tuple[contents.Item, ...] = ()

    def __post_init__(self) -> None:
        for item in self.everything:
            if item.file not in self.sections:
                raise ValueError(f"sections must name the file of {item.slug!r}, got none for {item.file!r}")

    @property
    def everything(self) -> tuple[contents.Item, ...]:
        """The items of the paper, then those of its own."""
        return (*self.items, *self.own)

    @property
    def is_shipped(self) -> bool:
        """Whether it comes with the package."""
        return self.home.resolve().parent == SHIPPED

    @property
    def shelf(self) -> Path:
        """What it has to itself of .cache and of out, so that equal labels of two papers never meet: all of it for the
        paper whose record has `verification` to itself."""
        if self.is_shipped:
            return Path(*self.folder.parts[1:])
        return Path(f"{self.home.name[:60]}-{hashlib.sha256(os.fsencode(self.home.resolve())).hexdigest()[:8]}")

    @property
    def ledger(self) -> Path:
        """The verdicts on record."""
        return self.folder / "ledger.csv"

    @property
    def witnesses(self) -> Path:
        """The folder of the witnesses on record."""
        return self.folder / "witnesses"

    @property
    def certificates(self) -> Path:
        """The folder of the certificates on record."""
        return self.folder / "certificates"

    @property
    def cache(self) -> Path:
        """What runs leave behind, under their root: the store of verdicts and the witnesses."""
        return Path(".cache") / self.shelf

    @property
    def errata(self) -> Path:
        """What is refuted as printed, statement by statement."""
        return self.folder / "ERRATA.md"

    def item(self, slug: str) -> contents.Item:
        """The item with this slug. Raises ValueError for a slug that the paper does not have."""
        found = self.item_of(slug)
        if found is None or found.slug != slug:
            raise ValueError(f"slug must be an item of the paper, got {slug!r}")
        return found

    def item_of(self, label: str) -> contents.Item | None:
        """The item that a label belongs to; None for a label outside the paper."""
        return contents.item_of(self.everything, label)

    def coverage(self, statements: Iterable[contents.Labelled] | None = None) -> contents.Coverage:
        """What has been done about each item, by these statements (default: all of the paper's)."""
        return contents.coverage(self.items, self.statements if statements is None else statements)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Every statement, in the order of the items, and within one in that of the modules.

        Raises ValueError for a label that stands twice, or belongs to no item.
        """
        return self._of(self.modules)

    def _of(self, modules: Iterable[str]) -> tuple[Statement, ...]:
        found: dict[str, Statement] = {}
        for module in modules:
            for statement in _statements_of(module):
                if found.setdefault(statement.label, statement) is not statement:
                    raise ValueError(f"label must be given once, got {statement.label!r} again in {module}")
        return tuple(sorted(found.values(), key=lambda s: self._place(s.label)))

    def statement(self, label: str) -> Statement | None:
        """The statement with this label; None where there is none."""
        return next((s for s in self.related(label) if s.label == label), None)

    def related(self, label: str) -> tuple[Statement, ...]:
        """The statements of the modules that write this label, or that of a part: only these are imported, and all that
        is related to the label is among them."""
        if "statements" in vars(self):
            return self.statements
        written = re.compile(rf"""["']{re.escape(label)}["'/]""")
        return self._of(module for module in self.modules if written.search(_source_of(module)))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the statements, in their order, as they are written: no module is imported."""
        return tuple(sorted(self.places, key=self._place))

    @cached_property
    def places(self) -> dict[str, tuple[str, int]]:
        """The module and the line where each label is written, as the first argument of `claim(`."""
        return self._written(CLAIMED)

    @cached_property
    def stubs(self) -> dict[str, tuple[str, int]]:
        """The same of what is not written yet: the first argument of `stub(`."""
        return self._written(STUBBED)

    def _written(self, pattern: re.Pattern[str]) -> dict[str, tuple[str, int]]:
        found: dict[str, tuple[str, int]] = {}
        for module in self.modules:
            text = _source_of(module)
            for match in pattern.finditer(text):
                found.setdefault(match[1], (module, text.count("\n", 0, match.start(1)) + 1))
        return found

    def _place(self, label: str) -> int:
        item = self.item_of(label)
        if item is None:
            raise ValueError(f"label must begin with the slug of an item of the paper, got {label!r}")
        return self.everything.index(item)


def _statements_of(module: str) -> list[Statement]:
    from arubatheory.statements.core import statements_in

    names = vars(importlib.import_module(module))
    return statements_in({"STATEMENTS": names["STATEMENTS"]} if "STATEMENTS" in names else names)


def _source_of(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"modules must name Python modules, got {module!r}")
    return Path(spec.origin).read_text(encoding="utf-8")
