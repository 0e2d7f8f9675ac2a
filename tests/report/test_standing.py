"""How an item stands: the main reading decides, other readings and lines of proof are counted apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy import TRUE

from arubatheory.engines.verdict import PART, SMALL, Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.standing import Role, Stand, role_of, standings
from arubatheory.statements.claim import NOT_PRINTED
from arubatheory.statements.core import Statement

LOST, KEPT, ODD, NONE, BAD = Status.REFUTED, Status.SURVIVED, Status.SUSPECT, Status.IDLE, Status.ERROR


def statement(label: str, **other: object) -> Statement:
    return replace(TRUE, label=label, **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("label", "other", "role"),
    [
        ("prp:ftl", {}, Role.MAIN),
        ("prp:ftl", {"corrects": ("prp:ftl/literal",)}, Role.MAIN),
        ("thm:ftrlomd/omd", {}, Role.MAIN),
        ("thm:o2bexp/tar", {"corrects": ("thm:o2bexp/proof-7",)}, Role.MAIN),
        ("thm:ftrlomd/omd/any-subgradient", {}, Role.READING),
        ("eq:ewoo/regret", {"corrects": ("eq:ewoo/regret/literal-epsilon",)}, Role.READING),
        ("cor:ewoo/literal-min", {}, Role.LITERAL),
        ("thm:ftrlomd/omd/literal", {}, Role.LITERAL),
        ("clm:mean/corrected", {"corrects": ("clm:mean",)}, Role.CORRECTED),
        ("clm:mean/corrected/two", {}, Role.CORRECTED),
        ("rem:oracle/last/ftrl", {"corrects": ("rem:oracle/last",)}, Role.CORRECTED),
        ("prp:expconcave/exp-concave", {"corrects": ("eq:ewoo/exp-concave",)}, Role.MAIN),
        ("prp:ftl/proof-3", {"step_of": "prp:ftl"}, Role.STEP),
        ("prp:ftl/proof-3/corrected", {"step_of": "prp:ftl", "corrects": ("prp:ftl/proof-3",)}, Role.STEP),
        ("eq:matrix/bound/dual-norm", {"kind": "proof step"}, Role.STEP),
        ("my:bound", {}, Role.MAIN),
        ("prp:ftl/literal", {"kind": NOT_PRINTED}, Role.OURS),
    ],
)
def test_roles(label: str, other: dict[str, object], role: Role) -> None:
    assert role_of(statement(label, **other), ARUBA) is role


@pytest.mark.parametrize(
    ("statuses", "stand"),
    [
        ({"prp:ftl": KEPT}, Stand.HOLDS),
        ({"prp:ftl": KEPT, "prp:ftl/proof-1": KEPT}, Stand.HOLDS),
        ({"prp:ftl": KEPT, "prp:ftl/proof-1": LOST}, Stand.PROOF),
        ({"prp:ftl": KEPT, "prp:ftl/literal": LOST, "prp:ftl/proof-1": LOST}, Stand.READ),
        ({"prp:ftl": LOST, "prp:ftl/easier": KEPT}, Stand.FAILS),
        ({"prp:ftl": LOST, "prp:ftl/corrected": KEPT}, Stand.FAILS),
        ({"prp:ftl": KEPT, "prp:ftl/corrected": LOST}, Stand.HOLDS),
        ({"thm:ftrlomd/omd": LOST, "thm:ftrlomd/ftrl": KEPT}, Stand.PARTLY),
        ({"thm:diagonal": LOST, "thm:diagonal/rate": KEPT}, Stand.FAILS),
        ({"thm:diagonal": KEPT, "thm:diagonal/rate": LOST}, Stand.PARTLY),
        ({"rem:oracle/last": LOST, "rem:oracle/average": LOST}, Stand.FAILS),
        ({"rem:oracle/last": LOST, "rem:oracle/average": KEPT}, Stand.PARTLY),
        ({"rem:oracle/last": KEPT, "rem:oracle/literal": LOST}, Stand.READ),
        ({"rem:oracle/literal": LOST}, Stand.FAILS),
        ({"prp:ftl": ODD, "prp:ftl/proof-1": LOST}, Stand.SUSPECT),
        ({"prp:ftl": ODD, "prp:ftl/literal": LOST}, Stand.SUSPECT),
        ({"prp:ftl": LOST, "prp:ftl/rate": ODD}, Stand.FAILS),
        ({"prp:ftl": NONE}, Stand.IDLE),
        ({"prp:ftl": NONE, "prp:ftl/proof-1": KEPT}, Stand.IDLE),
        ({"prp:ftl": BAD, "prp:ftl/literal": LOST}, Stand.ERROR),
        ({"prp:ftl": None}, Stand.OPEN),
    ],
)
def test_stands(statuses: dict[str, Status | None], stand: Stand) -> None:
    made = [
        statement(
            label, step_of="prp:ftl" if "proof" in label else None, corrects=("prp:ftl",) if "corr" in label else ()
        )
        for label in statuses
    ]
    (found,) = standings(made, {k: v for k, v in statuses.items() if v}, ARUBA).values()
    assert found.stand is stand


def test_what_the_paper_does_not_claim_is_not_counted() -> None:
    made = [statement("prp:ftl"), statement("prp:ftl/far", kind=NOT_PRINTED)]
    (found,) = standings(made, {"prp:ftl": KEPT, "prp:ftl/far": LOST}, ARUBA).values()
    assert found.stand is Stand.HOLDS
    assert found.sentence == "Nothing that was tried refutes it: 1 reading, none refuted."


def test_what_is_suspect_is_counted_beside_what_is_refuted() -> None:
    labels = ("prp:ftl", "prp:ftl/literal", "prp:ftl/rate", "prp:ftl/proof-1")
    made = [statement(label, step_of="prp:ftl" if "proof" in label else None) for label in labels]
    (found,) = standings(made, dict(zip(labels, (ODD, LOST, KEPT, ODD), strict=True)), ARUBA).values()
    assert found.sentence == (
        "What it says is not refuted, but a reading of it is suspect: "
        "1 of 3 readings refuted, 1 suspect; 1 line of proof, none refuted, 1 suspect."
    )


def test_what_is_proved_of_few_cells_proves_no_part_of_an_item() -> None:
    for proved, stand in ((SMALL, Stand.HOLDS), (PART, Stand.PART)):
        (found,) = standings([statement("prp:ftl")], {"prp:ftl": KEPT}, ARUBA, {"prp:ftl": proved}).values()
        assert found.stand is stand


def test_mended_means_that_each_refuted_reading_has_a_corrected_form_that_survived() -> None:
    made = [
        statement("prp:ftl"),
        statement("prp:ftl/literal"),
        statement("prp:ftl/proof-1", step_of="prp:ftl"),
        statement("prp:ftl/corrected", corrects=("prp:ftl", "prp:ftl/literal")),
    ]
    labels = [s.label for s in made]
    found = standings(made, dict(zip(labels, (LOST, LOST, LOST, KEPT), strict=True)), ARUBA)["prp:ftl"]
    assert found.mended
    assert found.sentence == (
        "What it says is refuted: 2 of 2 readings refuted; 1 of 1 line of proof refuted; corrected forms survived."
    )
    assert not standings(made, dict(zip(labels, (LOST, LOST, LOST, LOST), strict=True)), ARUBA)["prp:ftl"].mended
    assert not standings(made[:3], dict(zip(labels, (LOST, LOST, LOST), strict=False)), ARUBA)["prp:ftl"].mended
    assert not standings(made, dict(zip(labels, (KEPT, KEPT, LOST, KEPT), strict=True)), ARUBA)["prp:ftl"].mended


def test_the_papers_own_items() -> None:
    """With the verdicts on record: prp:ftl survives in its main reading and falls word for word; clm:mean falls."""
    made = [
        statement("prp:ftl", corrects=("prp:ftl/literal",)),
        statement("prp:ftl/literal", part_of="prp:ftl"),
        statement("clm:mean"),
    ]
    found = standings(made, {"prp:ftl": KEPT, "prp:ftl/literal": LOST, "clm:mean": LOST}, ARUBA)
    assert {slug: (s.stand, s.mended) for slug, s in found.items()} == {
        "prp:ftl": (Stand.READ, True),
        "clm:mean": (Stand.FAILS, False),
    }
