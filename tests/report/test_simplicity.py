"""Numbers that matter: counted over the record, and "any" on the page and in the errata for the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arubatheory.cli import main
from arubatheory.cli.codes import USAGE
from arubatheory.engines.exact import certify
from arubatheory.engines.free import parts_of
from arubatheory.engines.shrink import shrink
from arubatheory.engines.verdict import Status, Witness, reached
from arubatheory.engines.witness import make_witness, replay
from arubatheory.engines.witness_files import file_stem, read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.problems.draw import GRID, Draw, Tape
from arubatheory.report import ledger
from arubatheory.report.errata import present
from arubatheory.report.outcome import write_witnesses
from arubatheory.report.plain import instance_lines
from arubatheory.report.simplicity import TABLE, SimplicityRow, free_of, told
from arubatheory.statements.core import Instance, NotAnInstance, Sides, Statement
from arubatheory.statements.untrusted import RecordError
from verification import simplicity as command

ROOT = Path(__file__).resolve().parents[2]
MEAN = ROOT / ARUBA.witnesses / "clm-mean-simplest.json"


def test_what_is_recorded_is_said_of_this_instance_only(tmp_path: Path) -> None:
    witness = read_witness(MEAN)
    row = SimplicityRow("clm:mean", told(witness), 16, 14, 12, 9, "y domain.center")
    TABLE.write(tmp_path / "simplicity.csv", [row])
    rows = TABLE.by_label(tmp_path / "simplicity.csv")
    assert rows == {"clm:mean": [row]} and free_of(rows, witness) == ("y", "domain.center")
    other = replace(witness, instance={**witness.instance, "y": {"number": "1"}})
    assert free_of(rows, other) == free_of({}, witness) == ()


def test_a_row_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    for row, message in (
        ((3, 4, 0, 0), "matter must be >= 0 and <= 3, got 4"),
        ((3, 2, 3, 0), "own must be >= 0 and <= 2, got 3"),
        ((3, 2, 1, 2), "told must be >= 0 and <= 1, got 2"),
    ):
        TABLE.write(tmp_path / "simplicity.csv", [SimplicityRow("a", "b", *row, "")])
        with pytest.raises(RecordError, match=message):
            TABLE.read(tmp_path / "simplicity.csv")


def test_the_command_counts_what_the_record_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = ("clm:mean", "clm:chernoff/proof-2", "clm:cdual", "thm:app:diagonal/proof-2/literal")
    kept = [row for label, row in (ledger.find(ROOT, ARUBA) or {}).items() if label in labels]
    (tmp_path / ARUBA.witnesses).mkdir(parents=True)
    for name in (MEAN.name, "clm-chernoff--proof-2-simplest.json", "thm-app-diagonal--proof-2--literal-simplest.json"):
        (tmp_path / ARUBA.witnesses / name).write_bytes((MEAN.parent / name).read_bytes())
    ledger.write(tmp_path / ARUBA.ledger, kept)
    before = present(ARUBA, tmp_path)
    monkeypatch.setattr(command, "HOME", tmp_path)
    assert command.main([]) == 0
    found = {
        row.label: (row.numbers, row.matter, row.free.split()) for row in TABLE.read(tmp_path / TABLE.location(ARUBA))
    }
    assert found["clm:mean"][:2] == (16, 5) and "y" in found["clm:mean"][2]
    assert found["clm:chernoff/proof-2"] == (4, 1, ["points", "D", "delta"]) and len(found) == 3
    assert capsys.readouterr().out == (
        "3 witnesses with 24 numbers, of which 14 do not matter\nthat matter: median 4, 95 % 5, most 5\n"
        "of their own: median 4, 95 % 4, most 4\nto be told: median 3, 95 % 4, most 4\n"
        "that matter, once where they repeat: median 3, 95 % 5, most 5\n"
        "drawn, that matter: median 4, 95 % 5, most 5\n"
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
    before, after = (command.own_and_told(w, mine, parts_of(w, mine))[1] for w in (worst, found))
    assert after < before and capsys.readouterr().out.startswith(f"clm:mean: to be told {before} -> {after}, ")
    assert command.main(["--again", "clm:mean", "--seeds", "0", "--changes", "0"]) == 0, (
        "nothing simpler was looked for"
    )
    assert read_witness(tmp_path / ARUBA.witnesses / MEAN.name) == found
    assert command.main(["--again", "thm:none"]) == USAGE and "thm:none" in capsys.readouterr().err


def counted(witness: Witness, statement: Statement) -> tuple[int, ...]:
    """How many numbers matter, are of their own, have to be told."""
    parts = parts_of(witness, statement)
    return parts.matter, *command.own_and_told(witness, statement, parts)


def test_what_the_generator_makes_of_other_numbers_is_not_of_its_own() -> None:
    def boxed(draw: Draw) -> Instance:
        low, width = draw.unit(2), draw.unit()
        return Instance(low=low, width=width, high=low + width, spare=draw.unit(), one=draw.eye(1))

    box, witness = refuted(
        boxed,
        lambda i: Sides(1 + sum(i.high) + sum(i.low) * i.one[0, 0], i.width),
        Tape([], [GRID // 2, GRID, GRID // 4, 0]),
    )
    assert parts_of(witness, box)[:3] == (7, 6, ("spare",))
    assert counted(witness, box) == (6, 3, 3), "high is low + width, and one could be nothing else"
    assert command.drawn(witness, box) == 3, "of the four that are drawn, spare is any"
    moved = replace(witness, tape={"integers": [], "units": []})
    assert counted(moved, box) == (6, 5, 5), "of draws that make no instance no moves are known"


def test_a_drawn_number_matters_where_others_leave_no_instance_also_if_sides_are_undefined() -> None:
    def only_small(draw: Draw) -> Instance:
        x, y = draw.unit(), draw.unit()
        if y > 0:
            raise NotAnInstance
        return Instance(x=x, y=y)

    statement, witness = refuted(only_small, lambda i: Sides(i.y / i.x, 1 + i.x), Tape([], [0, 0]))
    assert witness.certified == "undefined" and command.drawn(witness, statement) == 2


def test_a_number_is_made_of_others_by_itself_and_not_only_with_its_array() -> None:
    """The last of two probabilities is what the first one leaves; of what was drawn and not shown, one number is of its
    own, and what an integer chooses is, too."""

    def game(draw: Draw) -> Instance:
        p, hidden, chosen = draw.unit(), draw.real(1, 2), draw.integer(1, 3)
        return Instance(p=draw.array([p, 1 - p]), seen=draw.array([hidden, 2 * hidden, chosen]))

    units = [GRID // 4, GRID // 8]
    toy, witness = refuted(game, lambda i: Sides(i.p[0] + 2 * i.p[1] + sum(i.seen), 0), Tape([3], units))
    assert counted(witness, toy) == (5, 3, 3)


def test_what_could_be_nothing_else_is_not_of_its_own_where_enough_games_show_it() -> None:
    """An array of ones is one, a number that is drawn in other games is not, nor an array that few games have."""

    def game(draw: Draw) -> Instance:
        n = draw.integer(1, 2)
        rare = [draw.number(1)] * (10 if draw.integer(0, 29) == 15 else 1)
        return Instance(p=draw.array([draw.unit()] if n == 2 else [1]), rare=draw.array(rare), q=draw.array([1] * n))

    def sides(i: Instance) -> Sides:
        return Sides(sum(i.p) + 2 * sum(i.rare) + 3 * sum(i.q), 0)

    toy, witness = refuted(game, sides, Tape([1, 0], []))
    assert counted(witness, toy) == (3, 1, 1), "p is drawn in other games, and the two others are 1 in all"
    toy, witness = refuted(game, sides, Tape([2, 15], [GRID // 2]))
    assert counted(witness, toy)[:2] == (13, 11), "too few games have ten numbers there"


def test_equal_numbers_of_their_own_are_told_once() -> None:
    toy, witness = refuted(
        lambda draw: Instance(x=draw.real(1, 2, 4)), lambda i: Sides(sum(i.x), 0), Tape([], [GRID // 4] * 4)
    )
    assert counted(witness, toy) == (4, 4, 1)


def test_what_refutes_another_statement_of_the_same_game_is_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label, kin = "thm:statistical/2", "thm:o2bwhp/tar/every-sequence"
    (tmp_path / ARUBA.witnesses).mkdir(parents=True)
    for name, kind in ((label, "worst"), (kin, "simplest")):
        witness = read_witness(ROOT / ARUBA.witnesses / f"{file_stem(name)}-{kind}.json")
        write_witnesses(tmp_path / ARUBA.witnesses, reached(Status.REFUTED, name, "x", 0, 0, witness, simplest=witness))
    kept = ledger.find(ROOT, ARUBA) or {}
    ledger.write(tmp_path / ARUBA.ledger, [kept[label], kept[kin]])
    monkeypatch.setattr(command, "HOME", tmp_path)
    assert command.main(["--again", label, "--seeds", "0", "--changes", "0"]) == 0
    found, other = (read_witness(tmp_path / ARUBA.witnesses / f"{file_stem(x)}-simplest.json") for x in (label, kin))
    assert found.tape == other.tape and replay(found, command.STATEMENTS[label])[0] == "violated"
    assert capsys.readouterr().out.startswith(f"{label}: ")


def test_games_drawn_at_random_are_simple_and_break_the_claim() -> None:
    def game(draw: Draw) -> Instance:
        n = draw.size("n", 3)
        return Instance(x=draw.real(-1, 1, n))

    toy = Statement("toy", "claim", "x", game, lambda i: Sides(sum(i.x), 0))
    found = command.games(toy, 60)
    assert 1 < len(found) <= command.STARTS and len({tuple(tape.integers) for tape in found}) == len(found)
    assert all(certify(toy, tape).outcome == "violated" for tape in found)
    assert found[0].integers == [1], "one number takes least to write down"
    never = Statement("toy", "claim", "x", game, lambda i: Sides(0 * i.x[0], 0 * i.x[0]))
    assert command.games(never, 60) == []


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
    for row in TABLE.read(ROOT / TABLE.location(ARUBA)):
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
