r"""What is reported of one statement: its verdict, how that stands to the ledger, and the files of its witnesses."""

from __future__ import annotations

import json
import math
import shlex
import textwrap
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory import papers
from arubatheory.engines.rate import NO_GROWTH
from arubatheory.engines.verdict import Status, Verdict, Witness
from arubatheory.engines.witness_files import file_stem
from arubatheory.prove.certificate import unpacked
from arubatheory.report.files import replace_text
from arubatheory.report.ledger import OFF, Comparison
from arubatheory.report.plain import instance_lines
from arubatheory.statements.core import Statement
from arubatheory.statements.effort import Effort
from arubatheory.statements.paper import Paper

LINE = 240  # characters of a line on an instance
WITNESS_FOLDER = Path(".cache") / "witnesses"
RECORDED = (  # what a JSON object says of a verdict, in this order
    *("status", "sentence", "proved", "proofs", "unproved"),
    *("trials", "evaluations", "ties", "overruled", "worst_ratio", "measure", "found_by", "refutation"),
    *("notes", "reach", "certificates", "simplest", "worst", "engine", "budget", "seconds", "evaluations_per_second"),
    *("seed", "digest", "error", "uncounted", "measured", "ledger"),
)


class Outcome(NamedTuple):
    """One statement on trial: the `effort` that a run puts into it and what came of it; `verdict` is None before the
    run, and where nothing is stored."""

    statement: Statement
    verdict: Verdict | None = None
    comparison: Comparison = OFF
    simplest: Path | None = None
    worst: Path | None = None
    current: bool = True  # False: the verdict was computed with other sources than the present ones
    effort: Effort = Effort(())
    certificates: tuple[Path, ...] = ()  # the files of the verdict's proofs
    power: str = ""  # what error the run would have found

    @property
    def notes(self) -> list[str]:
        """What a reader of a claim that nothing broke should know of the search."""
        return [*(self.verdict.notes if self.verdict else ()), *([self.power] if self.power else ())]


def counts(outcomes: Iterable[Outcome]) -> dict[Status, int]:
    """How many statements ended in each status, in the order of the closed list."""
    seen = [o.verdict.status for o in outcomes if o.verdict]
    return {status: seen.count(status) for status in Status}


def finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null, inside lists and dictionaries too."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    return [finite(v) for v in value] if isinstance(value, list | tuple) else value


def record(outcome: Outcome) -> dict[str, Any]:
    """The JSON object of one statement, as `verify --json` prints it."""
    statement, verdict = outcome.statement, outcome.verdict
    head = {"label": statement.label, "number": statement.number, "kind": statement.kind}
    if verdict is None:
        return {**head, "status": None}
    made = {
        "notes": outcome.notes,
        "proofs": [
            {"method": p.method, "extent": p.extent, "slack": p.slack, "scope": p.words, "shape": p.shape}
            for p in verdict.proofs
        ],
        "certificates": [path.as_posix() for path in outcome.certificates],
        "simplest": outcome.simplest and outcome.simplest.as_posix(),
        "worst": outcome.worst and outcome.worst.as_posix(),
        "refutation": verdict.kind,
        "reach": asdict(verdict.reach),
        "seconds": round(verdict.seconds, 3),
        "evaluations_per_second": round(verdict.evaluations / verdict.seconds, 1) if verdict.seconds else None,
        "ledger": outcome.comparison.word,
    }
    return {**head, **finite({name: made[name] if name in made else getattr(verdict, name) for name in RECORDED})}


def write_witnesses(folder: Path, verdict: Verdict) -> tuple[Path | None, Path | None]:
    """Write the witnesses of a verdict; a file left by an earlier verdict of the same label is removed."""
    return _write(folder, verdict.simplest, verdict, "simplest"), _write(folder, verdict.worst, verdict, "worst")


def _write(folder: Path, witness: Witness | None, verdict: Verdict, which: str) -> Path | None:
    path = folder / f"{file_stem(verdict.label)}-{which}.json"
    if witness is None:
        path.unlink(missing_ok=True)
        return None
    return replace_text(path, json.dumps(finite(witness.to_json()), indent=1, ensure_ascii=False) + "\n")


def certificate_paths(folder: Path, verdict: Verdict) -> list[Path]:
    """The files of what a verdict proves."""
    return [folder / f"{file_stem(verdict.label)}-{proof.method}.json" for proof in verdict.proofs]


def write_certificates(folder: Path, verdict: Verdict) -> tuple[Path, ...]:
    """Write what a verdict proves; what an earlier one of the same label has left stays."""
    pairs = zip(certificate_paths(folder, verdict), verdict.proofs, strict=True)
    return tuple(replace_text(path, unpacked(proof)) for path, proof in pairs)


def replay_line(path: Path, file: Path | None = None, paper: Paper | None = None, exact: bool = True) -> str:
    """The command that looks at a witness again in exact arithmetic, or checks a certificate, as a shell reads it."""
    source = ["--file", file.as_posix()] if file else papers.option(paper)
    return shlex.join(["arubatheory", "replay", path.as_posix(), *["--exact"] * exact, *source])


def closest_line(verdict: Verdict) -> str:
    """The instance that came closest to breaking a claim, in one line that ends where it is long; empty without any."""
    worst = verdict.worst
    if worst is None:
        return ""
    parts = ", ".join(part.strip() for part in instance_lines(worst.instance))
    return textwrap.shorten(f"closest: {worst_text(verdict)} at {parts}", LINE, placeholder=" ...")


def counting(verdict: Verdict) -> str:
    """How many evaluations counted, and why others did not: "0 of 2,620 counted: a side is not finite in 2,620"."""
    reasons = [f"{reason} in {n:,}" for reason, n in sorted(verdict.uncounted.items(), key=lambda found: -found[1])]
    return f"{verdict.trials:,} of {verdict.evaluations:,} counted{': ' if reasons else ''}{'; '.join(reasons)}"


def worst_text(verdict: Verdict) -> str:
    """The worst ratio of a verdict; "undefined" where what refutes is a side that is not a real number."""
    return "undefined" if verdict.kind == "undefined" else ratio_text(verdict.worst_ratio, verdict.measure)


def ratio_text(ratio: float | None, measure: str = "lhs/rhs") -> str:
    r"""A ratio in a few digits that never rounds across 1. A delta marks lhs - rhs."""
    if ratio is None or math.isnan(ratio) or ratio <= NO_GROWTH:
        return "-"
    if measure != "lhs/rhs":
        return f"Δ {ratio:.3g}"
    return f"1{ratio - 1:+.1e}" if ratio != 1 and abs(ratio - 1) < 5e-5 else f"{ratio:.5g}"
