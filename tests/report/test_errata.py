"""ERRATA.md is what the ledger and the witnesses give, and GitHub can draw it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from toy import FALSE, TRUE, witness

from arubatheory import PAPER
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.errata import Words, errata, present
from arubatheory.report.ledger import LedgerRow
from arubatheory.statements.core import Statement
from verification.errata import main

ROOT = Path(__file__).resolve().parents[2]
WORDS = Words(ARUBA.macros)
# What GitHub's MathJax has been told to refuse, and the paper's own macros.
REFUSED = (
    r"\\(operatorname|mbox|phantom|def|newcommand|R|U|TAR|RUB|Breg|E|Rinit|Rsim|finit|fsim|argmin|FTRL|OMD)(?![A-Za-z])"
)


def row(label: str, status: Status, name: str = "") -> LedgerRow:
    return LedgerRow(label, "claim", status.value, "2", "120", "check", name, "", "check", "quick", "0")


def kept(tmp_path: Path) -> Path:
    folder = tmp_path / ARUBA.witnesses
    folder.mkdir(parents=True)
    return folder / "w.json"


def text(tmp_path: Path, *rows: LedgerRow, statements: tuple[object, ...] = ()) -> str:
    return errata(ARUBA, statements, {r.label: r for r in rows}, tmp_path)  # type: ignore[arg-type]


def test_the_committed_file_is_what_the_ledger_gives() -> None:
    assert (ROOT / ARUBA.errata).read_text(encoding="utf-8") == present(ARUBA, ROOT), (
        "run: python -m verification.errata"
    )


def test_a_failure_is_told_with_its_witness_and_what_holds_instead(tmp_path: Path) -> None:
    kept(tmp_path).write_text(json.dumps(witness(bits=128).to_json()))
    mended = replace(TRUE, label="clm:scmin/corrected", title="with 2", corrects=("clm:scmin",))
    step = replace(TRUE, label="clm:scmin/proof-3", step_of="clm:scmin", title="a line")
    made = text(
        tmp_path,
        row("clm:cdual", Status.SURVIVED),
        row("clm:scmin", Status.REFUTED, "w.json"),
        row(mended.label, Status.SURVIVED),
        row(step.label, Status.REFUTED),
        statements=(TRUE, FALSE, mended, step),
    )
    for piece in (
        "## Appendix B\n\n### Claim B.2 (`clm:scmin`)",
        "What it says is refuted: 1 of 1 reading refuted; 1 of 1 line of proof refuted; a corrected form survived.",
        "**Main reading (`clm:scmin`)**\n\n$$\n4xy\\le x^2+y^2\n$$",
        "the left side is 4, the right side 2 (lhs/rhs = 2), in balls of 128 bits.\n\n```\nx = 1\ny = 1\n```",
        "`arubatheory replay verification/witnesses/w.json --exact`",
        "*What holds instead* (`clm:scmin/corrected`): with 2\n\n"
        "*What changes*: $4$ becomes $2$; it asks for $x\\in[-2,2]$.\n\n"
        "$$\n2xy\\le x^2+y^2\n$$\n\nassuming $x\\in[-2,2]$.",
        "#### In the proof\n\n**Line 3 of the proof (`clm:scmin/proof-3`)**: a line",
        "*No corrected form is known here.*",
        "Of the 2 items of the paper with a recorded verdict, 1 are refuted, 0 in part,",
    ):
        assert piece in made
    assert "clm:cdual" not in made


def test_the_table_says_what_fails_in_words(tmp_path: Path) -> None:
    step = replace(FALSE, label="clm:scmin/proof-3", step_of="clm:scmin", title="a line")
    other = replace(FALSE, label="clm:scmin/other", title="The same", note=r"Where $\|x\|>0$. And more.")
    main = replace(FALSE, title="Strong convexity")

    def cell(*statements: Statement) -> str:
        made = text(tmp_path, *(row(s.label, Status.REFUTED) for s in statements), statements=statements)
        line = next(line for line in made.splitlines() if line.startswith("| [Claim B.2 (`clm:scmin`)]"))
        assert re.search(r" \| [^|]*refuted[^|]*\. \|$", line)
        return line.split(" | ")[1]

    assert cell(step, other, main) == "Strong convexity"
    assert cell(step, other) == r"The same: Where $\Vert x\Vert \gt 0$"
    assert cell(step) == "a line"
    many = [replace(FALSE, label=f"clm:scmin/{k}", title=f"Reading {k}") for k in range(4)]
    assert cell(*many) == "Reading 0; Reading 1; and 2 more"


def test_every_row_of_the_table_has_words() -> None:
    cells = [line.split(" | ") for line in present(ARUBA, ROOT).splitlines() if line.startswith("| [")]
    assert cells and all(len(row) == 3 and row[1].strip() for row in cells)


def test_what_is_measured_is_suspect_and_says_so(tmp_path: Path) -> None:
    seen = witness(certified="float", note="exponent 0.9 on T = 64..4096; claimed 0.5")
    kept(tmp_path).write_text(json.dumps(seen.to_json()))
    made = text(tmp_path, row("clm:scmin", Status.SUSPECT, "w.json"), statements=(FALSE,))
    assert "*Suspect*: exponent 0.9 on T = 64..4096; claimed 0.5." in made
    assert "Fails" not in made


def test_a_correction_that_did_not_survive_is_none(tmp_path: Path) -> None:
    mended = replace(TRUE, label="clm:scmin/corrected", corrects=("clm:scmin",))
    made = text(tmp_path, row("clm:scmin", Status.REFUTED), row(mended.label, Status.IDLE), statements=(FALSE, mended))
    assert "*No corrected form is known here.*" in made and "What holds instead*" not in made


def test_a_missing_witness_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no witness file .*gone\.json"):
        text(tmp_path, row("clm:scmin", Status.REFUTED, "gone.json"), statements=(FALSE,))


def test_formulas_for_github() -> None:
    assert WORDS.display(r"\R_T<\FTRL(x)") == "$$\n\\mathbf{R}_T\\lt \\mathrm{FTRL}(x)\n$$"
    assert WORDS.inline("$x>0$") == r"$x\gt 0$"
    assert WORDS.inline("any $x$ & <b>") == r"any $x$ & \<b>"
    assert WORDS.prose(r"*f_t* costs [5] and $\Tr A_1$") == r"\*f\_t\* costs \[5\] and $\mathrm{Tr} A_1$"
    assert WORDS.prose("costs 5 $") == "costs 5 $"


def test_every_formula_of_the_paper_can_be_drawn() -> None:
    for s in PAPER:
        pieces = [WORDS.display(s.latex), WORDS.prose(s.title), WORDS.prose(s.note)]
        for piece in [*pieces, *(WORDS.inline(a.latex) for a in s.assumptions)]:
            assert not re.search(REFUSED, piece), s.label
            assert piece.replace("$$", "").count("$") % 2 == 0, s.label
            for formula in re.findall(r"\$\$?([^$]+)\$", piece):
                assert not re.search(r"[<>]", formula), s.label


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "E.md"
    assert main(["--output", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert path.read_text(encoding="utf-8") == present(ARUBA, ROOT)
