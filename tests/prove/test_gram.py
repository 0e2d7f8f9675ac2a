"""Gram certificates: true games are proved exactly, false ones are not, and a number changed is seen."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arubatheory import Instance, Sides
from arubatheory.cli import main
from arubatheory.cli.codes import USAGE
from arubatheory.engines.verdict import PART, WHOLE
from arubatheory.papers.aruba import ARUBA, provable
from arubatheory.prove import check_certificate, games
from arubatheory.prove.certificate import Proof, Unproved, proof_of, read
from arubatheory.prove.check_cells import Rejected
from arubatheory.prove.games import GAMES, game_of
from arubatheory.prove.gram import Clock, NotProved, proved_exactly
from arubatheory.prove.rationals import echelon, is_semidefinite, simplest, simplest_between
from arubatheory.prove.replay import is_certificate, objections
from arubatheory.prove.statement import prove_gram
from arubatheory.statements.core import Gram, Statement
from arubatheory.statements.untrusted import RecordError
from tests.house import PACKAGE, ROOT
from tests.power.siblings import siblings
from verification import false_proofs

TIGHT = ("FTL", "AOGD", "be the leader", "fall of the last loss", "slope", "growth", "half square", "one of two")


def statement(label: str) -> Statement:
    found = ARUBA.statement(label)
    assert found is not None
    return found


def proof(label: str, rounds: int = 2) -> Proof:
    found = prove_gram(statement(label), rounds=rounds)
    assert isinstance(found, Proof), found
    return found


# rationals -----------------------------------------------------------------------------------------------------------
def test_a_float_is_read_as_the_simplest_rational_near_it() -> None:
    assert [simplest(v) for v in (0.1, 1 / 3, -2.5, 0.0, 7.0)] == [
        Fraction(1, 10),
        Fraction(1, 3),
        Fraction(-5, 2),
        Fraction(0),
        Fraction(7),
    ]
    assert simplest_between(Fraction(7, 10), Fraction(8, 10)) == Fraction(3, 4)
    with pytest.raises(ValueError, match="only a finite number has a rational near it, got nan"):
        simplest(float("nan"))


def test_equations_are_solved_for_the_first_columns_in_order() -> None:
    one = Fraction(1)
    rows = [{0: one, 1: 2 * one, -1: 3 * one}, {0: one, 1: one, 2: one, -1: one}]
    assert echelon(rows, [2, 1, 0]) == {2: {0: one / 2, -1: -one / 2}, 1: {0: one / 2, -1: 3 * one / 2}}
    with pytest.raises(ValueError, match="the equations contradict each other"):
        echelon([{0: one, -1: one}, {0: one, -1: 2 * one}], [0])


def test_semidefinite_is_decided_exactly() -> None:
    rng = np.random.default_rng(0)
    for rank in (1, 2, 3):
        root = rng.integers(-3, 4, (4, rank))
        matrix = [[Fraction(int(v)) for v in row] for row in root @ root.T]
        assert is_semidefinite(copy.deepcopy(matrix))
        matrix[3][3] -= Fraction(1, 10**30) + (matrix[3][3] if rank == 3 else 0)
        assert is_semidefinite(copy.deepcopy(matrix)) == bool(np.linalg.eigvalsh(np.array(matrix, float))[0] > 1e-3)
    assert not is_semidefinite([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(5)]])


# statements ----------------------------------------------------------------------------------------------------------
def test_the_games_that_statements_name_exist() -> None:
    named = {s.label: s.game for s in ARUBA.statements if s.game}
    assert named == provable.GAMES
    assert all(map(game_of, named.values()))


@pytest.mark.parametrize("label", provable.GAMES)
def test_two_rounds_are_proved_as_they_stand(label: str) -> None:
    found = proof(label)
    assert found.slack == 0
    assert found.shape["rounds"] == min(2, game_of(statement(label).game).rounds[-1])
    assert objections(found, statement(label)) == []


@pytest.mark.parametrize("name", TIGHT)
@pytest.mark.parametrize("share", [Fraction(999, 1000), Fraction(1, 2)])
def test_a_bound_that_is_attained_is_not_proved_any_smaller(name: str, share: Fraction) -> None:
    game = GAMES[name]
    with pytest.raises(NotProved):
        for world, left, right in game.build(min(2, game.rounds[-1])):
            proved_exactly(world.problem(left, right * share), Fraction(0))


def test_one_round_of_be_the_leader_is_proved_for_one_round_only() -> None:
    found = proof("lem:btl", 1)
    assert found.scope == "every dimension; n <= 1; any losses on any set"
    assert found.shape["rounds"] == 1


def test_a_refuted_statement_names_no_game() -> None:
    found = prove_gram(statement("thm:ftrlomd/omd/literal"))
    assert found == Unproved("the statement names no game of convex analysis")


def test_a_statement_with_other_sides_is_no_game() -> None:
    true = statement("lem:btl")
    assert true.game == "be the leader"
    false = replace(true, sides=lambda x: true.sides(x))
    assert prove_gram(false) == Unproved("the statement names no game of convex analysis")
    assert objections(proof(true.label), false) == ["lem:btl names no game of convex analysis"]
    assert replace(true, instance=lambda draw: true.instance(draw)).game == ""


@pytest.mark.parametrize(("name", "rounds"), [("= greedy OGD", 2), ("= half square", 1), ("half square", 1)])
def test_what_its_author_alone_says_is_a_game_is_not_proved_in_full(name: str, rounds: int) -> None:
    """The claim is false in the twelfth round, or for some x; a paper's game of several rounds is not proved either."""
    instance = lambda draw: Instance(n=draw.integer(1, 12), x=draw.real(0, 1))  # noqa: E731
    sides = lambda i: Sides(i.x + (3 if i.n == 12 or 7 * i.x == Fraction(133, 256) else 0), 2)  # noqa: E731
    mine = Statement("my:game", "claim", "x", instance, sides, gram=Gram(name, sides, instance))
    found = prove_gram(mine, 20, rounds=2)
    assert isinstance(found, Proof) and found.extent == PART and found.shape["rounds"] == rounds
    assert found.scope.endswith("; as the author says that it is this game")
    assert objections(found, mine) == []
    assert objections(found._replace(shape={**found.shape, "whole": True}), mine)
    assert objections(found._replace(scope=found.scope.removesuffix("; as the author says that it is this game")), mine)


def test_a_game_of_several_rounds_is_never_proved_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "WHOLE", "")
    assert [proof(label).extent for label in ("lem:btl", "clm:scmin")] == [PART, WHOLE]


def test_no_false_sibling_is_a_game() -> None:
    found = list(siblings())
    assert [s.label for s in found if s.game] == []
    assert sum(s.gram is not None for s in found) > 20  # made of statements that are games


def test_time_that_is_over_is_a_reason() -> None:
    problem = GAMES["FTL"].problems(2)[0]
    with pytest.raises(NotProved, match="-1 seconds are over"):
        proved_exactly(problem, Fraction(0), Clock(-1))


# files ---------------------------------------------------------------------------------------------------------------
def test_a_certificate_of_another_statement_is_rejected(tmp_path: Path) -> None:
    found = proof("lem:stability/proof-3")
    other = found._replace(label="lem:stability/proof-2")
    assert "the difference of the two sides is not the objective" in objections(other, statement(other.label))[0]
    assert objections(found, statement("lem:btl"))[0].startswith("the certificate belongs to")
    wider = found._replace(scope=found.scope.replace("n <= 2", "n <= 12"))
    assert objections(wider, statement(found.label))[0].startswith("its scope must be")
    longer = found._replace(shape={**found.shape, "rounds": 3})
    assert "the game of 3 rounds has 3" in objections(longer, statement(found.label))[0]
    for shape in ({"dimension": "none"}, {"more": 1}, {"whole": not found.shape["whole"]}, {"rounds": "2"}):
        said = objections(found._replace(shape={**found.shape, **shape}), statement(found.label))
        assert "as data, got" in said[0]


def test_replay_takes_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(proof("clm:cdual").text())
    assert read(good) == proof("clm:cdual")
    assert is_certificate(good)
    assert main(["replay", str(good)]) == 0
    assert "clm:cdual: proved: every dimension" in capsys.readouterr().out
    bad.write_text(good.read_text().replace('"multiplier":"', '"multiplier":"-'))
    assert main(["replay", str(bad)]) == 1
    assert "REJECTED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "thm:none"}, "the certificate belongs to 'thm:none', not to a known statement"),
        ({"slack": "x"}, "corrupt certificate file"),
        ({"shape": {}}, "corrupt certificate: KeyError: 'rounds'"),
    ],
)
def test_a_replay_refuses_what_is_no_certificate(
    change: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps({**proof("clm:cdual").to_json(), **change}))
    assert main(["replay", str(file)]) == USAGE
    assert message in " ".join(capsys.readouterr().err.split())


def test_the_checker_stands_alone(tmp_path: Path) -> None:
    """Copied to another folder, without the package and without what is installed: the standard library alone."""
    for path in PACKAGE.glob("prove/check_*.py"):
        shutil.copy(path, tmp_path)
    kept, file = ROOT / ARUBA.certificates, tmp_path / "one.json"
    file.write_text(proof("clm:scmin").text())
    run = [sys.executable, "-I", "-S", str(tmp_path / "check_certificate.py"), str(file)]
    more = [str(kept / f"{name}.json") for name in ("clm-chernoff--proof-1-algebra", "cor-batch--proof-2-boxes")]
    told = subprocess.run([*run, *more], capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split(": ")[1] for line in told] == ["proved"] * 3
    file.write_text("{}")
    assert subprocess.run(run, capture_output=True, check=False).returncode == 1


def test_three_files_check_games_and_algebra(tmp_path: Path) -> None:
    """Those whose lines are counted for them; what needs more says so."""
    for name in ("certificate", "cells", "paths"):
        shutil.copy(PACKAGE / f"prove/check_{name}.py", tmp_path)
    run = [sys.executable, "-I", "-S", str(tmp_path / "check_certificate.py")]
    kept = ROOT / ARUBA.certificates
    names = ("clm-cdual-gram", "clm-chernoff--proof-1-algebra", "thm-o2bexp--sharp--lower-algebra")
    told = subprocess.run([*run, *(str(kept / f"{n}.json") for n in names)], capture_output=True, text=True, check=True)
    assert [line.split(": ")[1] for line in told.stdout.splitlines()] == ["proved"] * 3
    boxes = str(kept / "cor-batch--proof-2-boxes.json")
    other = subprocess.run([*run, boxes], capture_output=True, text=True, check=False)
    assert (other.returncode, "check_others" in other.stdout, other.stderr) == (2, True, "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "prose"}, "method must be one of gram, algebra, boxes"),
        ({"slack": "-1"}, "slack must be >= 0"),
        ({"slack": "a"}, "is not a rational number"),
        ({"scope": 3}, "scope must be a string"),
        ({"more": 1}, "more is no field of it"),
    ],
)
def test_a_corrupt_certificate_is_named(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    data = {**proof("clm:cdual").to_json(), **change}
    with pytest.raises(ValueError, match=message):
        proof_of(data)
    file = tmp_path / "one.json"
    file.write_text(json.dumps(data))
    with pytest.raises(RecordError, match="corrupt certificate file"):
        read(file)


# what is false, and what proves nothing ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def certificates() -> list[tuple[Statement, Any]]:
    return false_proofs.certificates(largest=3_000)


@pytest.mark.parametrize("seed", range(40))
def test_one_number_changed_is_seen(seed: int, certificates: list[tuple[Statement, Any]]) -> None:
    rng = random.Random(seed)
    known, data = rng.choice(certificates)
    assert false_proofs.is_seen(false_proofs.changed(data, rng), known)


def test_a_certificate_is_accepted_as_it_is(certificates: list[tuple[Statement, Any]]) -> None:
    for known, data in certificates:
        assert objections(proof_of(data), known) == []
        assert data["method"] != "gram" or all(map(false_proofs.holds_in_floats, data["data"]["parts"]))


def test_false_games_are_not_proved() -> None:
    rng = random.Random(0)
    assert [game for game in (false_proofs.false_game(rng) for _ in range(20)) if false_proofs.is_proved(*game)] == []


def test_a_product_under_two_names_is_one() -> None:
    """That a square is at most 0, with one more name of the square whose coefficient is 0."""
    part = {"bound": "0", "claimed": "0", "points": 1, "matrices": [], "objective": {"g0.0": "1"}}
    part["rows"] = [{"name": "none", "sign": "= 0", "terms": {"g00.0": "0"}, "multiplier": "1"}]
    data = {"label": "my:forged", "digest": "", "method": "gram", "scope": "", "shape": {}, "slack": "0"}
    with pytest.raises(Rejected, match="semidefinite"):
        check_certificate.check({**data, "data": {"parts": [part]}})


def test_the_checker_names_what_is_wrong() -> None:
    data = proof("clm:cdual").to_json()
    row = data["data"]["parts"][0]["rows"][0]
    for change, message in (
        ({"sign": "< 0"}, "neither"),
        ({"multiplier": "-1"}, "negative"),
        ({"terms": {"h": "1"}}, "'h'"),
    ):
        broken = copy.deepcopy(data)
        broken["data"]["parts"][0]["rows"][0] = {**row, **change}
        with pytest.raises(Rejected, match=message):
            check_certificate.check(broken)
