"""What the provers say of random claims is true, and accepted by the checker: a few of `verification.random_claims`."""

import itertools
import warnings

import numpy as np
import pytest

from arubatheory import Instance, Sides, Statement
from arubatheory.prove import provers
from arubatheory.prove.provers import PROVERS, prove
from verification.random_claims import claims, main, wrong

SECONDS = 1.0


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("seed", range(6))
def test_nothing_false_is_proved_and_what_is_proved_is_accepted(seed):
    for claim in itertools.islice(claims(seed), 3):
        assert wrong(claim, SECONDS / 2)[0] == "", claim.text


def test_what_is_proved_of_another_claim_is_rejected_and_what_is_false_is_seen(monkeypatch, capsys):
    """Were every claim proved by the certificate of one."""
    true = next(claim for claim in claims(0) if not claim.false and prove(claim.statement, SECONDS)[0])
    proofs, _ = prove(true.statement, SECONDS)
    monkeypatch.setitem(PROVERS, "paths", lambda *_: proofs[0])
    assert wrong(true, SECONDS) == ("", True)
    other = next(claim for claim in claims(2) if not claim.false)
    assert wrong(other, SECONDS)[0].startswith("paths: its certificate is rejected: ")
    monkeypatch.setattr(provers, "objections", lambda *_: [])
    false = next(claim for claim in claims(1) if claim.false)
    assert wrong(false, SECONDS)[0].startswith("false, and proved: ")
    assert main(["--claims", "3", "--seed", "1"]) == 1
    assert "2 of them false: 2 proved, 2 wrongly or as the checker rejects" in capsys.readouterr().out


def test_a_proof_of_a_long_sum_is_looked_at():
    """Terms as deep as a run is long: also where a certificate is looked at."""

    def sides(i):
        return Sides(sum((i.x / k for k in range(2, 1100)), i.x), 9 * i.x + 1)

    claim = Statement("toy:long", "claim", "x", lambda draw: Instance(x=draw.real(0, 1)), sides)
    assert [proof.extent for proof in prove(claim, 20)[0]] == ["in full"]


def test_what_cannot_be_looked_at_is_not_proved(monkeypatch):
    true = next(claim for claim in claims(0) if not claim.false and prove(claim.statement, SECONDS)[0])
    (proof,) = prove(true.statement, SECONDS)[0]
    monkeypatch.setitem(PROVERS, "paths", lambda *_: proof._replace(shape={}))
    found, reasons = prove(true.statement, SECONDS)
    assert not found and any("corrupt certificate" in reason for reason in reasons)
