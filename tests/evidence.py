"""What the engines say of a few statements, and exact arithmetic of the witnesses on record, as data (`python -m
tests.evidence`): the same wherever it is computed, as far as docs/howto/campaign.md promises."""

from __future__ import annotations

import argparse
import json
import random
from importlib import metadata
from pathlib import Path
from typing import Any

from arubatheory.engines.pool import finished
from arubatheory.engines.source import Source
from arubatheory.engines.units import units_of
from arubatheory.engines.witness import replay
from arubatheory.engines.witness_files import read_witness
from arubatheory.statements.effort import Effort

ROOT = Path(__file__).resolve().parents[1]
TOYS = ROOT / "tests" / "engines" / "toy_statements.py"
CHEAP = ("cor:epsftl/rate/kink", "prp:expconcave/proof-3", "rem:oracle/average", "text:fsim-shape/not-smooth")
MORE = (
    *("alg:aruba/fedavg/corrected", "clm:chernoff/proof-2", "cor:batch/proof-3/literal", "eq:ewoo/square-root"),
    *("cor:epsewoo/explicit/literal", "cor:o2bwhp/random-iterate", "prp:ftl/proof-2", "prp:matrixftl/proof-3"),
    *(
        "prp:o2bexp/expected-regret",
        "text:tie-break/convex",
        "text:upper-bound-bounded/any-step",
        "thm:app:diagonal/proof-4",
    ),
    *("thm:general/proof-3", "thm:learning/ftl/points", "thm:o2bwhp/tar/corrected"),
)
TIE = 2.0**-40  # what floats cannot tell apart, in the engines' own rule


def said(labels: tuple[str, ...], budget: int, shuffled: int | None = None, toys: bool = True) -> dict[str, Any]:
    """What check and search say of statements of the paper, and of the toys: by label and engine, without seconds.

    `shuffled` is the seed of another order of the units.
    """
    found: dict[str, Any] = {}
    for source in (Source(), *([Source(TOYS)] if toys else [])):
        known = source.statements()
        chosen = known if source.file else {label: known[label] for label in labels}
        effort = Effort(("check", "search"), str(budget), 0)
        units = [unit for s in chosen.values() for unit in units_of(s, effort)]
        if shuffled is not None:
            random.Random(shuffled).shuffle(units)
        for unit, verdict, _ in finished(units, chosen, source, 1):
            found[f"{unit.label} {unit.engine}"] = verdict.to_json()
    return _undigested(dict(sorted(json.loads(json.dumps(found)).items())))


def _undigested(data: Any) -> Any:
    """The data without seconds, and without what names the sources and libraries that it was computed with."""
    if not isinstance(data, dict):
        return data
    return {k: _undigested(v) for k, v in data.items() if k not in ("digest", "seconds")}


def certified(folder: Path = ROOT / "verification" / "witnesses", every: int = 1) -> dict[str, Any]:
    """What exact arithmetic says of the witnesses on record, or of every n-th of them, and whether that is what their
    files say: by file."""
    known = Source().statements()
    found = {}
    for path in sorted(folder.glob("*.json"))[::every]:
        witness = read_witness(path)
        if witness.certified != "float":
            found[path.name] = replay(witness, known[witness.label])._asdict()
    return json.loads(json.dumps(found))


def differences(one: dict[str, Any], other: dict[str, Any], floats: bool = False) -> list[str]:
    """What two bodies of evidence say differently: any field or, with `floats`, what rounding cannot account for."""
    wrong = sorted(set(one) ^ set(other))
    for name in sorted(set(one) & set(other)):
        a, b = one[name], other[name]
        if floats and "status" in a:
            b = _rounded_alike(a, b)
        wrong += [f"{name}: {field} {a.get(field)!r} and {b.get(field)!r}" for field in a if a[field] != b.get(field)]
    return wrong


def _rounded_alike(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """The verdict b with what rounding may change as a has it: the histogram, a worst ratio and ratios by size within
    ties of a's, where climbs end, and where the worst witness refutes nothing, that witness: of evaluations that tie,
    other floats keep another."""
    alike = {"histogram": a["histogram"]}
    alike |= {
        field: a[field] for field in ("worst_ratio", "reach") if _near(_endless(a.get(field)), _endless(b.get(field)))
    }
    judged = {v["worst"]["certified"] for v in (a, b) if v["worst"]}
    if a["worst"] and b["worst"] and judged <= {"holds", "tie", "undecided"}:
        alike["worst"] = a["worst"]
    return {**b, **alike}


def _endless(found: Any) -> Any:
    """What was found, without where climbs ended: their steps follow differences of sides, in which the last place is
    large."""
    return {k: v for k, v in found.items() if k not in ("closest", "climbs")} if isinstance(found, dict) else found


def _near(a: Any, b: Any) -> bool:
    """Whether two numbers tie, or all those of two structures that are alike do."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_near, a, b))
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return abs(a - b) <= TIE * max(abs(a), abs(b)) if numbers else bool(a == b)


def main() -> None:
    """Print the evidence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--shuffled", type=int)
    parser.add_argument("--more", action="store_true", help="more statements of the paper")
    parser.add_argument("--every", type=int, default=0, help="every n-th of the witnesses on record too")
    args = parser.parse_args()
    found = {
        "drawn with": {"check": "raw words alone", "search": metadata.version("cmaes")},
        "said": said(CHEAP + MORE * args.more, args.budget, args.shuffled),
        "certified": certified(every=args.every) if args.every else {},
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
