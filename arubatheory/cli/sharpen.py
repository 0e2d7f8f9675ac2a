r"""The verb `sharpen`: how large a constant must be, printed as a table over sizes."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING

from arubatheory.cli.codes import AS_RECORDED, UsageError
from arubatheory.cli.selection import source_of, statements_of, unknown

if TYPE_CHECKING:
    from arubatheory.engines.sharpen import Sharp
    from arubatheory.statements.core import Statement


def run_sharpen(args: argparse.Namespace) -> int:
    """Print the interval of a constant for each size and for all, the limit of the curve, and guesses."""
    source = source_of(args)
    statements = statements_of(source, args.label)
    statement = statements.get(args.label)
    if statement is None:
        raise unknown(args.label, statements, source)
    from arubatheory.engines.sharpen import constant_of, first_size

    try:
        constant, found = constant_of(statement, args.constant), _found(statement, args)
    except ValueError as error:
        raise UsageError(str(error)) from error
    size, guesses = first_size(statement) or "", _guesses(found)
    if args.json:
        said = {"label": args.label, "constant": constant.name, "printed": str(constant.printed), "size": size}
        print(json.dumps({**said, "intervals": [_data(s) for s in found], **guesses}))
        return AS_RECORDED
    print(f"{args.label}: the constant {constant.name}, printed as {constant.printed}\n{_table(found, size)}")
    for what, guess in guesses.items():
        if guess:
            print(f"{what.replace('_', ' ')}: {guess}")
    return AS_RECORDED


def _found(statement: Statement, args: argparse.Namespace) -> list[Sharp]:
    from arubatheory.engines.sharpen import SIZES, sharpen
    from arubatheory.kernel import announce_compiling
    from arubatheory.statements.effort import budget_of

    announce_compiling()
    sizes = _sizes(args.sizes) if args.sizes else SIZES
    return sharpen(statement, args.constant, sizes, budget_of(args.budget, "search"), args.seed)


def _sizes(text: str) -> list[int]:
    """Sizes with commas; a ValueError for what is none."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise ValueError(f"sizes must be integers >= 1 with commas, got {text!r}")
    return [int(part) for part in text.split(",")]


def _data(sharp: Sharp) -> dict[str, object]:
    return {**sharp._asdict(), "witness": sharp.witness.to_json() if sharp.witness else None}


def _table(found: list[Sharp], name: str) -> str:
    lines = [f"{name or 'size':>10}  {'refuted below':>14}  {'survived from':>14}  {'trials':>8}  climbs that agree"]
    for s in found:
        low, high = (f"{x:.9g}" if x is not None else "-" for x in (s.refuted, s.survived))
        agree = f"{s.agree} of {s.climbs}" if s.climbs else "-"
        lines.append(f"{s.size or 'all':>10}  {low:>14}  {high:>14}  {s.trials:>8,}  {agree}")
    return "\n".join(lines)


def _guesses(found: list[Sharp]) -> dict[str, str]:
    """Where the curve goes, and closed forms; guesses."""
    from arubatheory.engines.limits import closed_form, limit, relation

    curve = [(s.size, s.refuted * (1 + 1e-9)) for s in found if s.size and s.refuted]
    interval = limit(curve)
    forms = [f"{closed_form(x)} at {n}" for n, x in curve if closed_form(x)]
    ends = "" if interval is None or not all(map(math.isfinite, interval)) else "[{:.6g}, {:.6g}]".format(*interval)
    return {"extrapolated_limit": ends, "guess_along_the_sizes_n": relation(curve), "guess": ", ".join(forms)}
