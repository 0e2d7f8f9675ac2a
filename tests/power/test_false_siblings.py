"""Every statement has a false sibling that check and search must refute, with exact confirmation.

A check that has never failed is decoration: here each one is made to fail, by a smaller constant, a dropped term, a
dropped assumption or a flipped sign, within a budget that is stated.
"""

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from arubatheory import PAPER
from arubatheory.arithmetic import FIRST_BITS, precision
from arubatheory.engines.check import check
from arubatheory.engines.exact import certify
from arubatheory.engines.search import search
from arubatheory.engines.simulate import simulate
from arubatheory.engines.verdict import Status
from arubatheory.kernel import compiled
from arubatheory.problems.domains import SPACE
from arubatheory.problems.draw import Tape
from arubatheory.problems.regularizers import EUCLIDEAN
from tests.made import is_suspect
from tests.power.siblings import BY_LABEL, SIBLINGS, siblings
from tests.power.siblings.changes import squared_mean_of_lipschitz_constants, with_rhs
from verification.power import BUDGETS, EARLY, SLOWER, unshrunk

ROOT = Path(__file__).parents[2]
CHECK_BUDGET, SEARCH_BUDGET, RATE_BUDGET, SAMPLES = (BUDGETS[e] for e in ("check", "search", "rate", "simulate"))


FIRST = partial(search, first=True)  # as `check` it ends where it has found one


@pytest.fixture(name="unshrunk")
def without_shrinking():
    """As in the recorded table of power."""
    with unshrunk():
        yield


# The siblings that an engine misses, as verification/power.csv says; one that it finds must go from here.
MISSED = {("cor:scbatch/sharp/false-1", check): "where the excess is positive is one draw in 1,600"}
SEEDS = {("cor:scbatch/sharp/false-1", FIRST): 2}  # of the seeds 0 to 7 search finds it with all but 1


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("engine, budget", [(check, CHECK_BUDGET), (FIRST, SEARCH_BUDGET)], ids=["check", "search"])
@pytest.mark.parametrize("statement", [s for s in siblings() if s.chance is None], ids=lambda s: s.label)
def test_false_sibling_is_refuted(request, statement, engine, budget):
    if reason := MISSED.get((statement.label, engine)):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    seed = SEEDS.get((statement.label, engine), 1)
    verdict = engine(statement, budget // EARLY, seed)
    if verdict.status != Status.REFUTED:  # most fall at once
        verdict = engine(statement, budget, seed)
    assert verdict.status == Status.REFUTED, (verdict.status, verdict.worst_ratio)
    assert verdict.simplest is not None and verdict.worst is not None
    certificate = certify(statement, Tape(**verdict.simplest.tape))
    assert certificate.outcome == "violated"
    with precision(certificate.bits or FIRST_BITS):
        assert certificate.sides.lhs > certificate.sides.rhs


# What is claimed of hundreds of tasks a replicate is tried compiled only.
@pytest.mark.skipif(not compiled(), reason="a matter of millions of rounds")
@pytest.mark.parametrize("statement", [s for s in siblings() if s.chance is not None], ids=lambda s: s.label)
def test_a_false_sibling_of_a_claim_tried_on_replicates_is_suspect(statement):
    verdict = simulate(statement, SAMPLES, 1)
    assert verdict.status == Status.SUSPECT, (verdict.status, verdict.error, verdict.measured)
    assert "error 0.01 for all intervals of the run" in verdict.simplest.note


def test_a_false_sibling_that_needs_four_unequal_rounds_is_found_by_search():
    """(mean G_t)^2 in place of the mean of G_t^2: the two sides only part when Lipschitz constants differ much."""
    true = BY_LABEL["eq:regret"]
    false = replace(true, label="eq:regret/false-2", sides=with_rhs(squared_mean_of_lipschitz_constants)(true.sides))
    assert FIRST(false, 2 * SEARCH_BUDGET, 1).status == Status.REFUTED


def test_the_minimal_witness_of_a_false_sibling_is_this_one():
    """alpha in place of alpha / 2: f(y) = y^2 / 2 on all reals at x = 0, y = 1 says 1 <= 1/2."""
    false = next(s for s in siblings() if s.label == "def:bregman:app/strongly-convex/false-1")
    witness = check(false, CHECK_BUDGET, 1).simplest
    f, R = witness.instance["f"]["fields"], witness.instance["f"]["fields"]["R"]["fields"]
    assert (witness.lhs, witness.rhs, witness.bits) == ("1", "1/2", 0)
    assert witness.instance["domain"]["fields"]["kind"] == SPACE
    assert f["is_regularizer"] and (R["kind"], R["matrix"]["array"]) == (EUCLIDEAN, ["0"])
    assert (witness.instance["x"]["array"], witness.instance["y"]["array"]) == (["0"], ["1"])


def test_the_papers_own_slip_has_a_witness_that_one_can_check_by_hand():
    """clm:mean allows weights of either sign: the mean of 6 and 2 with the weights 1 and -1/2 is 10, outside [2, 6]."""
    witness = check(BY_LABEL["clm:mean"], CHECK_BUDGET, 10).simplest
    assert (witness.lhs, witness.rhs, witness.bits) == ("4", "0", 0)
    assert (witness.instance["alpha"]["array"], witness.instance["x"]["array"]) == (["1", "-1/2"], ["6", "2"])


def test_every_statement_that_stands_has_a_false_sibling():
    """What is not REFUTED in the ledger must have been seen to fail in a slightly stronger form."""
    with (ROOT / "verification" / "ledger.csv").open(newline="") as file:
        fallen = {row["label"] for row in csv.DictReader(file) if row["status"] == "REFUTED"}
    assert {s.label for s in PAPER if s.growth is None} - set(SIBLINGS) - fallen == set()


# Of these a smaller error is found, and asked for: papers/aruba/test_matrix_claims.py.
CLOSER = ("thm:fullmatrix/rate", "thm:fullmatrix/rate/quarter", "thm:app:fullmatrix/rate")
# What is claimed to be of order d is bounded where lengths are shared by the coordinates: d^(1/4) holds, too.
BOUNDED = dict.fromkeys(("thm:diagonal/rate/coordinates", "thm:app:diagonal/rate/coordinates"), 1.25)
GROWING = [s for s in PAPER if s.growth is not None and s.label not in CLOSER]


@pytest.mark.parametrize("statement", GROWING, ids=lambda s: s.label)
def test_a_rate_that_is_claimed_too_small_is_suspect(statement):
    """T^(p - 3/4) in place of T^p: no drawn family may be so slow that the claim could not fail."""
    growth, less = statement.growth, BOUNDED.get(statement.label, SLOWER)
    false = replace(statement, growth=growth._replace(exponent=growth.exponent - less))
    assert is_suspect(false, RATE_BUDGET)


@pytest.mark.parametrize("label", [s for s in SIBLINGS if compiled() or BY_LABEL[s].chance is None])
def test_the_true_statement_survives_where_its_sibling_falls(label):
    true = BY_LABEL[label]
    verdict = check(true, 150, 2) if true.chance is None else simulate(true, SAMPLES, 2)
    assert verdict.status == Status.SURVIVED, (verdict.status, verdict.error)
    assert verdict.worst_ratio is not None and np.isfinite(verdict.worst_ratio)
