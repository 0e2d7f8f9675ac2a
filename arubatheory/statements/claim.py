r"""How a section of a paper is written: a formula over the function that computes its two sides.

    @claim("lem:btl", r"\sum_t\ell_t(\theta_t)-\ell_t(\theta^\ast)\le\dots", game, GIVEN)
    def be_the_leader(x: Instance) -> Sides:
        r'''Be the leader.

        What a reader should know: this becomes the statement's note.
        '''
        return Sides(...)

The name is then the `Statement`. What the label and the paper's table of items say is not said again. Over a `Growth`
(see `growth.grows`) it makes a claim for the engine "rate", over a `Chance` one for the engine "simulate".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from arubatheory.problems.draw import Draw
from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Assumption, Gram, Instance, Statement
from arubatheory.statements.growth import Growth
from arubatheory.statements.items import Item, item_of
from arubatheory.statements.readings import Meaning

PROOF_STEP = "proof step"
NOT_PRINTED = "not printed"  # the paper does not claim it
SHARPER = "sharp"  # the part of a label that says so of a sharper form and what belongs to it
Over = Callable[[Any], Statement]


def claims(
    items: tuple[Item, ...],
    games: Mapping[str, str] = MappingProxyType({}),
    readings: Mapping[str, Meaning] = MappingProxyType({}),
) -> Callable[..., Over]:
    """The decorator `claim` of a paper with these items; `games` names the games that claims are, by their labels, and
    `readings` says what their formulas leave open."""

    def claim(
        label: str, latex: str, game: Callable[[Draw], Instance], given: tuple[Assumption, ...] = (), **more: Any
    ) -> Over:
        r"""The statement of what it stands over: a function of an instance, a `Growth` or a `Chance`.

        `game` draws instances and `given` are its assumptions. The function's docstring is the title and, after an
        empty line, the note. `kind` and `number` come from the item, `step_of` from what precedes "/proof-", `part_of`
        is the item of a longer label, and `corrects` what precedes "/corrected"; each may be given (`part_of=None`: no
        part), as may `title`, `note`, `uses`, `engines` and `chance`. Raises ValueError for a label of no item.
        """
        derived = _derived(items, label) | _read(readings.get(label))

        def over(sides: Any) -> Statement:
            title, note = _said(sides)
            gram = Gram(games[label], sides, game) if label in games else None
            said = {"title": title, "note": note, "gram": gram} | derived | _played(sides) | more
            return Statement(label=label, latex=latex, instance=game, assumptions=given, **said)

        return over

    return claim


def stubs(items: tuple[Item, ...]) -> Callable[..., Callable[[Any], None]]:
    """The decorator `stub` of a paper with these items: it holds the place of a claim that is not written yet."""

    def stub(label: str, latex: str) -> Callable[[Any], None]:
        """No statement: the item is listed, and nothing of it is tried. Raises ValueError for a label of no item."""
        _derived(items, label)
        return lambda function: None

    return stub


def _derived(items: tuple[Item, ...], label: str) -> dict[str, Any]:
    """What the label says: the kind and number of its item, and what it corrects, is a part or a proof step of."""
    item = item_of(items, label)
    if item is None:
        raise ValueError(f"label must begin with the slug of an item of the paper, got {label!r}")
    proved, proof, _ = label.partition("/proof-")
    refuted = label.removesuffix("/corrected")
    corrects = (refuted,) if refuted != label else ()
    if proof:
        return {"kind": PROOF_STEP, "number": item.number, "corrects": corrects, "step_of": proved}
    part_of = item.slug if label != item.slug else None
    kind = NOT_PRINTED if SHARPER in label.split("/") else item.kind
    return {"kind": kind, "number": item.number, "corrects": corrects, "part_of": part_of}


def _read(reading: Meaning | None) -> dict[str, Any]:
    """The fields that a reading gives."""
    if reading is None:
        return {}
    return {"where": reading.where} | ({} if reading.is_printed else {"kind": NOT_PRINTED})


def _played(sides: Any) -> dict[str, Any]:
    """The fields of a statement that depend on what is claimed: two numbers, a growth, or a chance."""
    if isinstance(sides, Growth):
        return {"engines": ("rate",), "growth": sides}
    if isinstance(sides, Chance):
        return {"engines": ("simulate",), "chance": sides}
    return {"sides": sides}


def _said(sides: Any) -> tuple[str, str]:
    """The title and the note of a docstring: its first paragraph without the full stop, and the rest as one."""
    source = sides.excess if isinstance(sides, Growth | Chance) else sides
    title, _, note = inspect.cleandoc(source.__doc__ or "").partition("\n\n")
    return _prose(title).removesuffix("."), _prose(note)


def _prose(text: str) -> str:
    """One paragraph: a line break is a space, and nothing inside a formula."""
    out = ""
    for line in text.split("\n"):
        out += line.strip() if out.count("$") % 2 or not out else f" {line.strip()}"
    return out
