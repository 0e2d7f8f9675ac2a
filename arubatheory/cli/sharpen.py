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


def run_sharpen(args: argparse.Namespace) -> int:
    """Print the interval of a constant for each size and for all, the limit of the curve, and guesses."""
    source = source_of(args)
    statements = statements_of(source, args.label)
    statement = statements.get(args.label)
    if statement is None:
        raise unknown(args.label, statements, source)
    from arubatheory.engines.sharpen import SIZES, constant_of, first_size, sharpen
    from arubatheory.kernel import announce_compiling
    from arubatheory.statements.effort import budget_of

    try:
        constant = constant_of(statement, args.constant)
        sizes = [int(k) for k in args.sizes.split(",")] if args.sizes else SIZES
        budget = budget_of(args.budget, "search")
        announce_compiling()
        found = sharpen(statement, args.constant, sizes, budget, args.seed)
    except ValueError as error:
        raise UsageError(str(error)) from error
    name = first_size(statement) or ""
    if args.json:
        print(
            json.dumps(
                {
                    "label": args.label,
                    "constant": constant.name,
                    "printed": str(constant.printed),
                    "size": name,
                    "intervals": [_data(s) for s in found],
                    **_guesses(found),
                }
            )
        )
    else:
        print(f"{args.label}: the constant {constant.name}, printed as {constant.printed}")
        print(_table(found, name))
        for what, said in _guesses(found).items():
            if said:
                print(f"{what.replace('_', ' ')}: {said}")
    return AS_RECORDED


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
