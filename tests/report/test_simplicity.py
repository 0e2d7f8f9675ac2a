"""Numbers that matter: counted over the record, and "any" on the page and in the errata for the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arubatheory.cli import USAGE, main
from arubatheory.engines.exact import certify
from arubatheory.engines.free import parts_of
from arubatheory.engines.shrink import shrink
from arubatheory.engines.verdict import Status, reached
from arubatheory.engines.witness import make_witness, replay
from arubatheory.engines.witness_files import read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import GRID, Draw, Tape
from arubatheory.report import ledger
from arubatheory.report.errata import present
from arubatheory.report.outcome import write_witnesses
from arubatheory.report.plain import instance_lines
from arubatheory.report.simplicity import TABLE, SimplicityRow, free_of, location, told
from arubatheory.statements.core import Instance, Sides, Statement
from arubatheory.statements.untrusted import RecordError
from verification import simplicity as command

ROOT = Path(__file__).resolve().parents[2]
MEAN = ROOT / ARUBA.witnesses / "clm-mean-simplest.json"


def test_what_is_recorded_is_said_of_this_instance_only(tmp_path: Path) -> None:
    witness = read_witness(MEAN)
    row = SimplicityRow("clm:mean", told(witness), 16, 14, 9, "y domain.center")
    TABLE.write(tmp_path / "simplicity.csv", [row])
    rows = TABLE.by_label(tmp_path / "simplicity.csv")
    assert rows == {"clm:mean": [row]} and free_of(rows, witness) == ("y", "domain.center")
    other = replace(witness, instance={**witness.instance, "y": {"number": "1"}})
    assert free_of(rows, other) == free_of({}, witness) == ()


def test_a_row_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    for row, message in (
        ((3, 4, 0), "matter must be >= 0 and <= 3, got 4"),
        ((3, 2, 3), "told must be >= 0 and <= 2, got 3"),
    ):
        TABLE.write(tmp_path / "simplicity.csv", [SimplicityRow("a", "b", *row, "")])
        with pytest.raises(RecordError, match=message):
            TABLE.read(tmp_path / "simplicity.csv")


def test_the_command_counts_what_the_record_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = ("clm:mean", "clm:chernoff/proof-2", "clm:cdual")
    kept = [row for label, row in (ledger.find(ROOT, ARUBA) or {}).items() if label in labels]
    (tmp_path / ARUBA.witnesses).mkdir(parents=True)
    for name in (MEAN.name, "clm-chernoff--proof-2-simplest.json"):
        (tmp_path / ARUBA.witnesses / name).write_bytes((MEAN.parent / name).read_bytes())
    ledger.write(tmp_path / ARUBA.ledger, kept)
    before = present(ARUBA, tmp_path)
    monkeypatch.setattr(command, "HOME", tmp_path)
    assert command.main([]) == 0
    found = {row.label: (row.numbers, row.matter, row.free.split()) for row in TABLE.read(tmp_path / location(ARUBA))}
    assert found["clm:mean"][:2] == (16, 5) and "y" in found["clm:mean"][2]
    assert found["clm:chernoff/proof-2"] == (4, 1, ["points", "D", "delta"]) and len(found) == 2
    assert capsys.readouterr().out == (
        "2 witnesses with 20 numbers, of which 14 do not matter\nthat matter: median 1, 95 % 5, most 5\n"
        "to be told: median 1, 95 % 5, most 5\n"
    )
    assert "delta = any" in present(ARUBA, tmp_path) and "delta = any" not in before


def test_a_simpler_witness_is_recorded_in_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label, stem = "clm:mean", "clm-mean"
    monkeypatch.setattr(command, "HOME", tmp_path)
    (tmp_path / ARUBA.witnesses).mkdir(parents=True)
    worst = read_witness(MEAN.parent / f"{stem}-worst.json")
    write_witnesses(tmp_path / ARUBA.witnesses, reached(Status.REFUTED, label, "x", 0, 0, worst, simplest=worst))
    ledger.write(tmp_path / ARUBA.ledger, [(ledger.find(ROOT, ARUBA) or {})[label]])
    changed = ["--seeds", "0", "--changes", "100"]
    assert command.main(["--again", "clm:*", *changed]) == 0
    found = read_witness(tmp_path / ARUBA.witnesses / MEAN.name)
    assert replay(found, command.STATEMENTS[label])[:1] == ("violated",) and found.found_by == worst.found_by
    assert read_witness(tmp_path / ARUBA.witnesses / f"{stem}-worst.json").ratio >= worst.ratio
    mine = command.STATEMENTS[label]
    before, after = (command.to_tell(w, mine, parts_of(w, mine)) for w in (worst, found))
    assert after < before and capsys.readouterr().out.startswith(f"clm:mean: told {before} -> {after}, ")
    assert command.main(["--again", "clm:mean", *changed]) == 0, "what is as simple as can be found stays"
    assert read_witness(tmp_path / ARUBA.witnesses / MEAN.name) == found
    assert command.main(["--again", "thm:none"]) == USAGE and "thm:none" in capsys.readouterr().err


def test_what_the_generator_makes_of_other_numbers_is_not_told() -> None:
    def boxed(draw: Draw) -> Instance:
        low, width = draw.unit(2), draw.unit()
        return Instance(low=low, width=width, high=low + width, spare=draw.unit(), one=draw.eye(1))

    box = Statement("box", "claim", "x", boxed, lambda i: Sides(1 + sum(i.high) + sum(i.low) * i.one[0, 0], i.width))
    tape = Tape([], [GRID // 2, GRID, GRID // 4, 0])
    witness = make_witness(box, tape, certify(box, tape), "check", 0)
    parts = parts_of(witness, box)
    assert (parts.numbers, parts.matter, parts.free) == (7, 6, ("spare",))
    assert command.to_tell(witness, box, parts) == 4, (
        "high is low + width, and one is a choice of the generator that is told"
    )
    moved = replace(witness, tape={"integers": [], "units": []})
    assert command.to_tell(moved, box, parts) == 6, "of draws that make no instance nothing is known"


def refuted(instance, sides, tape: Tape):
    """A statement, and the witness of a tape that refutes it."""
    statement = Statement("toy", "claim", "x", instance, sides)
    return statement, make_witness(statement, tape, certify(statement, tape), "check", 0)


def test_a_descent_by_weight_takes_a_longer_way_to_say_less() -> None:
    """The second choice is no simpler for an engine, but two numbers of three do not matter there."""

    def game(draw: Draw) -> Instance:
        return Instance(kind=draw.integer(0, 1), x=draw.real(1, 2, 3))

    toy, witness = refuted(game, lambda i: Sides(sum(i.x) if i.kind == 0 else i.x[0], 0), Tape([0], [GRID // 3] * 3))
    assert parts_of(witness, toy).matter == 3
    by_cost = shrink(toy, Tape(**witness.tape), certify(toy, Tape(**witness.tape)))[0]
    assert by_cost.integers == [0]
    lightest = command.Scales(toy, witness).lightest(witness)
    assert lightest.tape["integers"] == [1] and parts_of(lightest, toy).matter == 1


def test_a_smaller_game_is_climbed_to_where_it_refutes() -> None:
    """Two rounds break the claim near z = 0.3 alone, three everywhere."""

    def game(draw: Draw) -> Instance:
        T = draw.size("T", 8)
        return Instance(z=draw.unit(T), T=T)

    def sides(i: Instance) -> Sides:
        away = 10 * i.z[0] - 3
        return Sides(1 + 0 * away, away * away * 4 if i.T == 2 else 0 * away + (0 if i.T == 3 else 2))

    toy, witness = refuted(game, sides, Tape([3], [GRID] * 3))
    found = [*command.smaller(toy, Tape(**witness.tape))]
    assert [tape.integers for tape in found] == [[2]] and certify(toy, found[0]).outcome == "violated"


def test_quantiles_are_values() -> None:
    assert [command.quantile([3, 1, 2, 9], share) for share in (0.5, 0.75, 0.95)] == [2, 3, 9]


def test_the_table_on_record_is_about_the_present_witnesses() -> None:
    for row in TABLE.read(ROOT / location(ARUBA)):
        name = row.label.replace(":", "-").replace("/", "--")
        assert told(read_witness(ROOT / ARUBA.witnesses / f"{name}-simplest.json")) == row.instance, row.label


def test_replay_says_any_in_exact_arithmetic_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(MEAN), "--exact"]) == 0
    said = capsys.readouterr().out
    assert "  y = any\n" in said and "  alpha = (2, -1)\n" in said and said.rstrip().endswith("both sides as they are")
    assert main(["replay", str(MEAN)]) == 0
    assert "any" not in capsys.readouterr().out


def test_any_stands_in_the_place_of_a_number_of_an_array() -> None:
    data = {"a": {"items": [{"array": ["1", "2", "3", "4"], "shape": [2, 2]}, {"number": "5"}]}}
    assert instance_lines(data, "", ("a[0][3]", "a[1]")) == ["a:", "  0 = (1, 2; 3, any)", "  1 = any"]
