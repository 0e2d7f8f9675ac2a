r"""What changes from one claim to another: the pieces of the formula, the hypotheses, and what the symbols stand for.

A formula is read as units, a unit being a symbol or a command with its arguments, and a pair of brackets with what is
between, each with its scripts. Units are compared as a sequence; where one unit takes the place of another one of the
same shape, their arguments are compared instead. So every piece is a formula by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from arubatheory.report.formula import expand, is_prose
from arubatheory.statements.core import Statement

TOKEN = re.compile(r"\\(?:text|operatorname|begin|end|mathb[bf]|mathcal)\{[^{}]*\}|\\sqrt\[\d\]|\\[A-Za-z]+|\\.|\S")
ARGUMENTS = {r"\frac": 2} | dict.fromkeys((r"\sqrt", r"\bar", r"\hat", r"\tilde", r"\overline"), 1)
OPEN = {"(": (")", "]"), "[": (")", "]"), "{": ("}",), r"\{": (r"\}",)}  # and what may close them
SPACES = {r"\,", r"\ ", r"\;", r"\!"}  # a wide one sets words apart
WIDE = {r"\quad", r"\qquad"}
MOST, LONGEST = 4, 0.75  # pieces that are named, and the share of a formula that they may have


class Piece(NamedTuple):
    """One unit: its text, what stands before its parts, and the parts, each with what follows it."""

    text: str
    head: str = ""
    parts: tuple[tuple[tuple[Piece, ...], str], ...] = ()


class Change(NamedTuple):
    """What changes: pairs of formulas, hypotheses that go and that come, and meanings before and after ("" where they
    are the same). `is_other`: the formulas have too little in common for pairs."""

    pieces: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...]
    added: tuple[str, ...]
    meanings: tuple[str, str]
    is_other: bool

    def __bool__(self) -> bool:
        return bool(self.pieces or self.dropped or self.added or any(self.meanings) or self.is_other)


def sentence(c: Change, inline: Callable[[str], str], prose: Callable[[str], str]) -> str:
    """A change in words; `inline` and `prose` show its formulas and its words."""
    old, new = (f"“{prose(m)}”" for m in c.meanings)
    said = [
        "the formula as a whole" if c.is_other else "",
        ", ".join(f"{inline(a)} becomes {inline(b)}" for a, b in c.pieces),
        f"{old} becomes {new}" if all(c.meanings) else f"it says that {new}" if c.meanings[1] else "",
        "it asks for " + ", ".join(map(inline, c.added)) if c.added else "",
        "it does without " + ", ".join(map(inline, c.dropped)) if c.dropped else "",
    ]
    return "; ".join(filter(None, said)) or "nothing that is written"


def changed(before: Statement, after: Statement, macros: Mapping[str, str]) -> Change:
    """What changes from `before` to `after`, with these macros expanded."""
    old, new = (_plain(s.latex, macros) for s in (before, after))
    pieces = tuple(dict.fromkeys(_pairs(_read(old), _read(new))))
    is_other = bool(pieces) and (len(pieces) > MOST or _is_long(pieces, old, new))
    given, asked = ([a.latex for a in s.assumptions] for s in (before, after))
    if pieces and given and not set(given) & set(asked):  # a family of its own: its range is no hypothesis
        given = asked
    dropped, added = tuple(a for a in given if a not in asked), tuple(a for a in asked if a not in given)
    meanings = (before.where, after.where) if after.where and before.where != after.where else ("", "")
    return Change(() if is_other else pieces, dropped, added, meanings, is_other)


def _is_long(pieces: Sequence[tuple[str, str]], old: str, new: str) -> bool:
    """Whether the pieces are most of what there is, or of words or rows of formulas."""
    share = max(sum(len(a) for a, _ in pieces) / len(old), sum(len(b) for _, b in pieces) / len(new))
    return share > LONGEST or any(is_prose(text) or r"\begin" in text for text in (old, new))


def _plain(latex: str, macros: Mapping[str, str]) -> str:
    bare = latex.strip().strip("$")
    return re.sub(r"\s+", " ", bare if is_prose(bare) else expand(bare, macros))


def _read(latex: str) -> tuple[Piece, ...]:
    """The units of a formula, without its spaces."""
    units, _ = _row(TOKEN.findall(latex), 0, ())
    return units


def _row(tokens: Sequence[str], i: int, ends: tuple[str, ...]) -> tuple[tuple[Piece, ...], int]:
    """The units from i up to one of the tokens `ends`, and where that stands."""
    found: list[Piece] = []
    while i < len(tokens) and tokens[i] not in ends:
        unit, i = _scripted(tokens, i)
        if unit.text not in SPACES:
            found.append(unit)
    return tuple(found), i


def _scripted(tokens: Sequence[str], i: int) -> tuple[Piece, int]:
    """A unit with its scripts and primes."""
    unit, i = _bare(tokens, i)
    while unit.text.isdigit() and i < len(tokens) and tokens[i].isdigit():
        unit, i = Piece(unit.text + tokens[i]), i + 1
    while i < len(tokens) and tokens[i] in ("^", "_", "'"):
        if tokens[i] == "'" or i + 1 == len(tokens):
            unit, i = _joined(unit, Piece(tokens[i])), i + 1
        else:
            script, j = _bare(tokens, i + 1)
            unit, i = _joined(unit, Piece(tokens[i] + script.text, tokens[i] + script.head, script.parts)), j
    return unit, i


def _joined(a: Piece, b: Piece) -> Piece:
    parts = (*a.parts, (((), b.head or b.text) if a.parts or b.parts else ((), "")))
    return Piece(a.text + b.text, a.head or a.text, (*parts, *b.parts) if a.parts or b.parts else ())


def _bare(tokens: Sequence[str], i: int) -> tuple[Piece, int]:
    """A symbol, a command with its arguments, or brackets with what is between."""
    token = tokens[i]
    if token == r"\left" and i + 1 < len(tokens):
        row, j = _row(tokens, i + 2, (r"\right",))
        return _enclosed(token + tokens[i + 1], row, "".join(tokens[j : j + 2])), j + 2
    if token in OPEN:
        row, j = _row(tokens, i + 1, OPEN[token])
        return _enclosed(token, row, "".join(tokens[j : j + 1])), j + 1
    if token not in ARGUMENTS and not token.startswith(r"\sqrt"):
        return Piece(token + " " if re.fullmatch(r"\\[A-Za-z]+", token) else token), i + 1
    j, parts, text = i + 1, [], token
    for k in range(n := ARGUMENTS.get(token, 1)):
        if j < len(tokens):
            argument, j = _bare(tokens, j)
            row = argument.parts[0][0] if argument.head == "{" else (argument,)
            parts.append((row, "}{" if k + 1 < n else "}"))
            text += "{" + "".join(u.text for u in row) + "}"
    return Piece(text, token + "{", tuple(parts)), j


def _enclosed(before: str, row: tuple[Piece, ...], after: str) -> Piece:
    return Piece(before + "".join(u.text for u in row) + after, before, ((row, after),))


def _pairs(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[tuple[str, str]]:
    """The pieces of two rows that differ."""
    match = SequenceMatcher(None, [u.text for u in old], [u.text for u in new], autojunk=False)
    for tag, a, b, c, d in match.get_opcodes():
        if tag == "equal":
            continue
        if b - a == 1 == d - c and _shape(old[a]) == _shape(new[c]):
            for (left, _), (right, _) in zip(old[a].parts, new[c].parts, strict=True):
                yield from _pairs(left, right)
            continue
        if tag != "replace":  # a neighbour says where, the next if there is one that can be seen
            last = b == len(old) or d == len(new) or old[b].text.strip() in WIDE
            a, b, c, d = (max(a - 1, 0), b, max(c - 1, 0), d) if last else (a, b + 1, c, d + 1)
        yield _text(old[a:b]), _text(new[c:d])


def _shape(unit: Piece) -> tuple[str, ...] | str:
    return (unit.head, *(after for _, after in unit.parts)) if unit.parts else unit.text


def _text(units: Sequence[Piece]) -> str:
    return "".join(u.text for u in units).strip()
