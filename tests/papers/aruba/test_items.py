"""The paper's contents: complete, addressable, and honest about what has been tried."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pytest
from toy import printed_by

from arubatheory import PAPER
from arubatheory.papers.aruba import ARUBA
from arubatheory.statements.items import Covered, Item


class Claim(NamedTuple):
    label: str
    uses: tuple[str, ...] = ()


def test_counts_of_the_paper() -> None:
    assert len(ARUBA.items) == 97
    assert Counter(row.kind for row in ARUBA.items) == {
        "claim in text": 22,
        "theorem": 21,
        "definition": 13,
        "corollary": 11,
        "claim": 9,
        "proposition": 8,
        "equation": 6,
        "algorithm": 3,
        "lemma": 2,
        "remark": 1,
        "assumption": 1,
    }


def test_slugs_are_distinct_and_text_claims_are_named_so() -> None:
    assert len({row.slug for row in ARUBA.items}) == len(ARUBA.items)
    assert all(row.slug.startswith("text:") == (row.kind == "claim in text") for row in ARUBA.items)


def test_what_is_ours_does_not_count_as_the_papers() -> None:
    assert {row.file for row in ARUBA.own} == {"ours"} and not set(ARUBA.own) & set(ARUBA.items)
    assert ARUBA.coverage([Claim("ours:g1")]).count(Covered.TO_COME) == len(ARUBA.items)
    assert ARUBA.item_of("ours:g1/proof-1") in ARUBA.own


def test_parts_are_split() -> None:
    assert ARUBA.item("thm:ftrlomd").parts == ("ftrl", "omd")
    assert ARUBA.item("thm:statistical").parts == ("1", "2", "3", "3-in-2")
    assert ARUBA.item("clm:cdual") == Item("coupling.tex", "claim", "B.1", "clm:cdual", (), "", is_defining=False)


def test_printed_numbers_are_unique_within_a_kind() -> None:
    numbers = Counter((row.kind, row.number) for row in ARUBA.items if row.number)
    assert max(numbers.values()) == 1


def test_every_label_finds_its_item() -> None:
    for row in ARUBA.items:
        labels = [row.slug, *(f"{row.slug}/{part}" for part in row.parts), f"{row.slug}/literal/proof-2"]
        assert [ARUBA.item_of(label) for label in labels] == [row] * len(labels)


@pytest.mark.parametrize("label", ["thm:general2", "thm:gener", "thm:generalx/omd", "my:bound/omd", "/thm:general", ""])
def test_a_label_outside_the_paper_has_no_item(label: str) -> None:
    assert ARUBA.item_of(label) is None


def test_an_unknown_slug_is_named() -> None:
    with pytest.raises(ValueError, match="slug must be an item of the paper, got 'thm:nothing'"):
        ARUBA.item("thm:nothing")


def test_coverage_tells_the_three_apart() -> None:
    omd = Claim("thm:ftrlomd/omd", uses=("def:omd", "thm:general", "clm:cdual"))
    claims = [omd, Claim("clm:cdual"), Claim("my:own")]
    covered = ARUBA.coverage(claims)
    assert covered.slugs(Covered.STATEMENT) == ("thm:ftrlomd", "clm:cdual")
    assert covered.slugs(Covered.EXERCISED) == ("def:omd",)
    assert covered.by_slug["thm:general"] is Covered.TO_COME  # used in a proof, never tried
    assert covered.sentence() == (
        "2 of 97 items of the paper have a statement, 1 definitions are exercised by others, 94 are to come"
    )


def test_coverage_of_nothing_is_all_to_come() -> None:
    assert ARUBA.coverage([]).count(Covered.TO_COME) == 97


def test_listing_the_paper_imports_nothing_heavy() -> None:
    code = "import sys, arubatheory.statements.items; print(*sorted({'numpy', 'numba', 'flint'} & set(sys.modules)))"
    assert not printed_by(code)


def test_what_has_been_tried_so_far() -> None:
    covered = ARUBA.coverage(PAPER)
    assert set(covered.slugs(Covered.STATEMENT)) >= {
        "clm:mean",
        "eq:omdregret",
        "eq:regret",
        "thm:ftrlomd",
        "text:ftrl-is-omd",
        "text:multiplicative-weights",
        "def:bregman:app",
        "clm:cdual",
        "clm:scmin",
    }
    assert sum(map(covered.count, Covered)) == len(ARUBA.items)
    assert all(ARUBA.item(slug).is_defining for slug in covered.slugs(Covered.EXERCISED))


def test_every_name_in_a_statement_exists() -> None:
    known = {s.label for s in PAPER} | {row.slug for row in ARUBA.everything}
    for s in PAPER:
        named = {*s.uses, *s.corrects, *(name for name in (s.part_of, s.step_of) if name is not None)}
        assert named <= known, s.label
        row = ARUBA.item_of(s.label)
        assert row is not None and s.number in ("", row.number), s.label


def test_statements_come_in_the_order_of_the_paper_under_labels_of_their_own() -> None:
    labels = [s.label for s in PAPER]
    assert len(set(labels)) == len(labels)
    slugs = [row.slug for row in ARUBA.everything]
    places = [slugs.index(found.slug) for found in map(ARUBA.item_of, labels) if found]
    assert places == sorted(places) and len(places) == len(labels)
