"""PROVED as a verdict: what the engine says, how it combines with others, what stays of certificates on record."""

from __future__ import annotations

import itertools
import os
import signal
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from toy import verdict

from arubatheory.cli import main
from arubatheory.cli.codes import DIFFERS, INTERNAL
from arubatheory.cli.verbs import exit_code
from arubatheory.engines.units import Unit, run_unit
from arubatheory.engines.verdict import CONTRADICTION, PART, WHOLE, Scope, Status, Verdict, combine
from arubatheory.engines.witness_files import file_stem, verdict_of
from arubatheory.papers.aruba import ARUBA
from arubatheory.prove import Proof, Unproved, provers
from arubatheory.prove.certificate import proof_of, unpacked
from arubatheory.prove.engine import prove, proved_again
from arubatheory.prove.limits import Ended, within
from arubatheory.prove.paths import prove_paths
from arubatheory.prove.statement import prove_gram
from arubatheory.report import ledger
from arubatheory.report.errata import OnRecord
from arubatheory.report.outcome import Outcome, record
from arubatheory.report.page import page
from arubatheory.report.standing import Stand, standings
from arubatheory.statements.core import Sides, Statement
from arubatheory.statements.effort import Effort, budget_of
from arubatheory.statements.untrusted import parse_json

FULL, SOME = "prp:expconcave/proof-2", "clm:cdual"
ALL = Scope("algebra", WHOLE, "the whole claim", {"whole": True})
ODD = Scope("gram", PART, "every dimension; n <= 3", {"whole": False})


def statement(label: str) -> Statement:
    found = ARUBA.statement(label)
    assert found is not None
    return found


def said(status: Status, *proofs: Scope, **other: object) -> Verdict:
    return verdict(FULL, status, proofs=proofs, **other)


@pytest.fixture
def on_file(tmp_path: Path) -> Path:
    """A folder with a ledger without proofs, and the certificates of two statements."""
    folder = tmp_path / ARUBA.certificates
    folder.mkdir(parents=True)
    for label, found in ((FULL, prove_paths(statement(FULL), 5)), (SOME, prove_gram(statement(SOME)))):
        assert isinstance(found, Proof)
        (folder / f"{file_stem(label)}-{found.method}.json").write_text(found.text())
    row = ledger.LedgerRow(FULL, "proof step", "SURVIVED", "", "2500", "", "", "", "check search", "quick", "0")
    ledger.write(tmp_path / ARUBA.ledger, [row, row._replace(label=SOME)])
    return tmp_path


# verdicts ------------------------------------------------------------------------------------------------------------
def test_a_claim_proved_in_full_is_proved_and_one_in_part_survives() -> None:
    whole = prove(statement(FULL), 5, 0)
    assert (whole.status, whole.proved, whole.engine) == (Status.PROVED, WHOLE, "prove")
    assert unpacked(whole.proofs[0]).startswith('{"label":"prp:expconcave/proof-2"')
    assert verdict_of(parse_json(Outcome(statement(FULL), whole).verdict and _json(whole)), FULL) == whole


def _json(found: Verdict) -> str:
    import json

    return json.dumps(found.to_json())


def test_what_is_proved_in_part_says_for_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(provers.PROVERS, "paths", lambda statement, seconds: Unproved("no", None))
    part = prove(statement(SOME), 5, 0)
    assert (part.status, part.proved) == (Status.SURVIVED, PART)
    assert part.sentence.startswith("Proved for every dimension; any inner product norm")
    assert part.sentence.endswith("Beyond that nothing is said.")
    assert part.unproved == "paths: no"
    tried = combine(SOME, [part, verdict(SOME, Status.SURVIVED)], 0)
    assert tried.sentence.endswith("Beyond that nothing broke it in 120 counted trials: evidence, not proof.")


def test_what_is_not_proved_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "PROVERS", {"gram": lambda statement, seconds: Unproved("no face", Fraction(1, 8))})
    monkeypatch.setattr(provers.prove, "__defaults__", (30.0, ("gram",)))
    found = prove(statement(SOME), 5, 0)
    assert found.status is Status.IDLE
    assert found.unproved == "gram: no face; there is a proof with the constant 1 + 1.2e-01"


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        ([said(Status.PROVED, ALL), said(Status.SURVIVED)], Status.PROVED),
        ([said(Status.SURVIVED), said(Status.PROVED, ALL)], Status.PROVED),
        ([said(Status.PROVED, ALL), said(Status.IDLE, trials=0, error="ended")], Status.PROVED),
        ([said(Status.SURVIVED, ODD, trials=0)], Status.SURVIVED),
        ([said(Status.SURVIVED, ODD, trials=0), said(Status.IDLE, trials=3)], Status.SURVIVED),
        ([said(Status.SURVIVED, ODD, trials=0), said(Status.REFUTED, kind="violation")], Status.REFUTED),
        ([said(Status.PROVED, ALL), said(Status.SUSPECT)], Status.SUSPECT),
        ([said(Status.PROVED, ALL), said(Status.ERROR, error="x")], Status.ERROR),
        ([said(Status.PROVED, ALL), said(Status.REFUTED, kind="violation")], Status.ERROR),
    ],
)
def test_verdicts_with_proofs_combine(verdicts: list[Verdict], status: Status) -> None:
    found = combine(FULL, verdicts, 0)
    assert found.status is status
    assert found.proofs == next(v.proofs for v in verdicts if v.proofs)


def test_refuted_and_proved_is_a_defect_of_ours() -> None:
    both = combine(FULL, [said(Status.PROVED, ALL), said(Status.REFUTED, kind="violation")], 0)
    assert both.error == CONTRADICTION
    assert exit_code([Outcome(statement(FULL), both)], user=False) == INTERNAL


def test_of_each_method_the_proof_that_goes_furthest_is_kept() -> None:
    more = replace(ODD, extent=WHOLE, words="all")
    assert combine(FULL, [said(Status.SURVIVED, ODD), said(Status.PROVED, more, ALL)], 0).proofs == (more, ALL)


# time ----------------------------------------------------------------------------------------------------------------
def test_what_hangs_is_ended() -> None:
    with pytest.raises(Ended, match=r"it was ended after 0\.2 s"):
        within(0.2, lambda seconds: time.sleep(600))
    with pytest.raises(Ended, match=r"it was ended after 0\.3 s"):
        within(0.3, lambda seconds: sum(itertools.repeat(0)))  # which looks at no clock and at no signal of Python's


def test_seconds_are_of_processor_time() -> None:
    assert within(0.2, lambda seconds: time.sleep(0.4)) is None


def test_how_a_prover_fails_is_said() -> None:
    assert within(5, lambda seconds: seconds) == 4.5
    with pytest.raises(Ended, match="its process died"):
        within(5, lambda seconds: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(Ended, match="it failed: ZeroDivisionError"):
        within(5, lambda seconds: 1 // 0)


def test_a_prover_that_hangs_proves_nothing_and_the_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(provers.PROVERS, "paths", lambda statement, seconds: time.sleep(600))
    found, reasons = provers.prove(statement(SOME), 1.5)
    assert [proof.method for proof in found] == ["gram"]
    assert len(reasons) == 1 and reasons[0].startswith("paths: it was ended after")
    with pytest.raises(ValueError, match="seconds must be a positive number, got nan"):
        provers.prove(statement(SOME), float("nan"))


def test_a_number_of_evaluations_is_no_number_of_hours() -> None:
    assert [budget_of(b, "prove") for b in ("standard", "7", 100_000)] == [30, 7, 120]


# on record -----------------------------------------------------------------------------------------------------------
def test_certificates_on_record_are_checked_again(on_file: Path) -> None:
    files = tuple(sorted((on_file / ARUBA.certificates).iterdir()))
    again, _ = run_unit(statement(FULL), Unit(FULL, "witness", 0, 0, files=files))
    assert (again.status, again.engine) == (Status.PROVED, "certificate")
    other, _ = run_unit(statement("lem:btl"), Unit("lem:btl", "witness", 0, 0, files=files))
    assert other.engine == ""  # of other statements


def test_a_certificate_that_does_not_fit_proves_nothing(on_file: Path) -> None:
    (file,) = (on_file / ARUBA.certificates).glob("prp*")
    found = proved_again(replace(statement(FULL), sides=lambda x: Sides(0, 1)), [file])
    assert found.status is Status.IDLE
    assert found.unproved.startswith(f"{file.name} is rejected, record it again: ")
    file.write_text("{}")
    assert "corrupt certificate file" in proved_again(statement(FULL), [file]).unproved


def test_a_run_says_what_is_proved(on_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["verify", FULL, SOME, "--engine", "check", "--budget", "10", "--jobs", "1", "--root", str(on_file)]
    assert main([*run, "--page", str(on_file / "out" / "index.html")]) == DIFFERS
    seen = capsys.readouterr()
    assert f"{FULL}: the ledger says SURVIVED, this run says PROVED" in seen.out
    assert "2 proofs on record certified again" in seen.err
    assert (on_file / ".cache" / "certificates" / "prp-expconcave--proof-2-algebra.json").is_file()
    text = (on_file / "out" / "index.html").read_text()
    assert "href=../verification/certificates/clm-cdual-gram.json" in text
    assert "SURVIVED, proved in part" in text and "Proved in full by algebra" in text
    assert main([*run, "--record"]) == 0
    rows = ledger.find(on_file, ARUBA)
    assert rows is not None
    assert [(rows[k].status, rows[k].proved) for k in (FULL, SOME)] == [("PROVED", WHOLE), ("SURVIVED", PART)]
    assert main([*run, "--blind"]) == 0
    assert main(["show", FULL, "--root", str(on_file)]) == 0
    assert "verdict: PROVED. A certificate proves it" in capsys.readouterr().out


# reports -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("seen", "recorded", "word"),
    [("PROVED", "SURVIVED", "differs"), ("SURVIVED", "PROVED", "differs"), ("REFUTED", "PROVED", "differs")],
)
def test_a_proof_is_a_change_until_it_is_recorded(seen: str, recorded: str, word: str) -> None:
    row = ledger.LedgerRow(FULL, "claim", recorded, "", "", "", "", "", "check search", "quick", "0")
    assert ledger.compare(said(Status(seen)), row, Effort(("check", "search"), "quick")).word == word
    weak = ledger.compare(said(Status(seen)), row, Effort(("prove",), "quick")).word
    assert weak == ("weaker" if seen == "SURVIVED" else "differs")


def test_an_item_is_proved_by_its_main_readings_alone() -> None:
    tried = [statement("thm:ftrlomd/omd"), statement("thm:ftrlomd/ftrl")]
    for proved, stand in (("in part", Stand.PART), ("for small sizes", Stand.HOLDS), ("", Stand.HOLDS)):
        statuses = {s.label: Status.SURVIVED for s in tried}
        assert standings(tried, statuses, ARUBA, {"thm:ftrlomd/omd": proved})["thm:ftrlomd"].stand is stand
    assert standings(tried, {s.label: Status.PROVED for s in tried}, ARUBA)["thm:ftrlomd"].stand is Stand.PROVED
    steps = [s for s in ARUBA.statements if s.label.startswith("prp:expconcave/proof-")]
    found = standings(steps, {s.label: Status.PROVED for s in steps}, ARUBA)["prp:expconcave"]
    assert found.stand is Stand.HOLDS


def test_errata_say_how_far_a_corrected_form_is_proved() -> None:
    row = ledger.LedgerRow(SOME, "claim", "SURVIVED", "", "", "", "", "", "check", "quick", "0", PART, "n <= 3")
    mends = replace(statement(SOME), label="clm:cdual/corrected", corrects=(SOME,))
    for status, proved, words in (("SURVIVED", PART, "; proved for n <= 3"), ("PROVED", WHOLE, "; proved in full")):
        rows = {SOME: row, mends.label: row._replace(label=mends.label, status=status, proved=proved)}
        made = OnRecord([mends], rows, Path(), Path())
        assert made.instead(SOME) == [mends]
        assert made.proved(mends.label) == words


def test_objects_and_pages_carry_proofs() -> None:
    outcome = Outcome(statement(FULL), said(Status.PROVED, ALL), certificates=(Path("a/x-algebra.json"),))
    data = record(outcome)
    assert (data["status"], data["proved"], data["certificates"]) == ("PROVED", WHOLE, ["a/x-algebra.json"])
    assert data["proofs"][0] == {
        **{"method": "algebra", "extent": WHOLE, "slack": "0"},
        **{"scope": "the whole claim", "shape": {"whole": True}},
    }
    assert '<a download="" href="../a/x-algebra.json">' in page([outcome])


def test_a_slack_is_no_whole_proof() -> None:
    found = prove_gram(statement("prp:bregman/proof-2"))
    assert isinstance(found, Proof) and found.extent == WHOLE
    assert proof_of({**found.to_json(), "slack": "1/1000"}).extent == PART


def test_a_folder_of_certificates_is_replayed(on_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = on_file / ARUBA.certificates
    assert main(["replay", str(folder)]) == 0
    assert "2 of 2 certificates say what their files say" in capsys.readouterr().out
    text = (folder / "clm-cdual-gram.json").read_text()
    (folder / "other.json").write_text(text.replace('"label":"clm:cdual"', '"label":"clm:scmin"'))
    assert main(["replay", str(folder)]) == DIFFERS
    assert "FAIL  other.json: rejected: " in capsys.readouterr().out
