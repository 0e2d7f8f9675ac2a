r"""The verb `sharpen`: how large a constant must be, printed as a table over sizes."""

from __future__ import annotations

import argparse
import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING

from arubatheory.cli.codes import AS_RECORDED, Broken, UsageError
from arubatheory.cli.selection import select, source_of, statements_of

if TYPE_CHECKING:
    from arubatheory.engines.sharpen import Sharp
    from arubatheory.statements.core import Statement


def run_sharpen(args: argparse.Namespace) -> int:
    """Print the interval of a constant for each size and for all, the limit of the curve, and guesses: of a statement
    and, unless `only` it is meant, of its parts."""
    from arubatheory.kernel import announce_compiling

    source = source_of(args)
    statements = statements_of(source, None if set(args.label) & set("*?[") else args.label)
    announce_compiling()
    for label in select([args.label], statements, source, args.only):
        _tell(statements[label], args)
    return AS_RECORDED


def _tell(statement: Statement, args: argparse.Namespace) -> None:
    """One statement. What it has none of, a constant or a positive right side, is a UsageError, and code that fails is
    Broken."""
    from arubatheory.engines.sharpen import constant_of, sharpen, size_of
    from arubatheory.statements.blame import said as blamed
    from arubatheory.statements.effort import budget_of

    try:
        constant, size = constant_of(statement, args.constant), size_of(statement, args.size) or ""
        sizes = _sizes(args.sizes) if args.sizes else None
        found = sharpen(statement, args.constant, sizes, budget_of(args.budget, "search"), args.seed, args.size)
    except ValueError as error:
        raise UsageError(str(error)) from error
    except Exception as error:
        raise Broken(f"{statement.label}: the code failed, not the claim. {blamed(error)}") from error
    guesses = _guesses(found)
    if args.json:
        said = {"label": statement.label, "constant": constant.name, "printed": str(constant.printed), "size": size}
        intervals = [{**s._asdict(), "witness": s.witness.to_json() if s.witness else None} for s in found]
        print(json.dumps({**said, "intervals": intervals, **guesses}))
        return
    print(f"{statement.label}: the constant {constant.name}, printed as {constant.printed}")
    print(_table(found, size, constant.largest))
    for what, guess in guesses.items():
        if guess:
            print(f"{what.replace('_', ' ')}: {guess}")


def _sizes(text: str) -> list[int]:
    """Sizes with commas; a ValueError for what is none."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise ValueError(f"sizes must be integers >= 1 with commas, got {text!r}")
    return [int(part) for part in text.split(",")]


def _table(found: list[Sharp], name: str, largest: bool) -> str:
    low, high = ("refuted from", "survived up to") if largest else ("refuted below", "survived from")
    lines = [f"{name or 'size':>10}  {low:>14}  {high:>14}  {'trials':>8}  climbs that agree"]
    for s in found:
        low, high = (f"{x:.9g}" if x is not None else "-" for x in (s.refuted, s.survived))
        agree = f"{s.agree} of {s.climbs}" if s.climbs else "-"
        lines.append(f"{s.size or 'all':>10}  {low:>14}  {high:>14}  {s.trials:>8,}  {agree}")
    return "\n".join(lines)


def _guesses(found: list[Sharp]) -> dict[str, str]:
    """Where the curve goes, and closed forms; guesses."""
    from arubatheory.engines.limits import closed_form, limit, relation
    from arubatheory.prove.rationals import simplest_between

    curve = [(s.size, s.refuted * (1 + 1e-9)) for s in found if s.size and s.refuted and s.climbs]
    interval, whole = limit(curve), found[-1]
    forms = [f"{closed_form(x)} at {n}" for n, x in curve if closed_form(x)]
    if not whole.climbs and whole.refuted is not None and whole.survived is not None:  # halved
        forms = [str(simplest_between(*map(Fraction, sorted((whole.refuted, whole.survived)))))]
    ends = "" if interval is None or not all(map(math.isfinite, interval)) else "[{:.6g}, {:.6g}]".format(*interval)
    return {"extrapolated_limit": ends, "guess_along_the_sizes_n": relation(curve), "guess": ", ".join(forms)}
