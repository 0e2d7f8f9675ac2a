"""The graph of the items: every edge leads to the right, nothing overlaps, everything is named."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

from toy import TRUE

from arubatheory import PAPER
from arubatheory.engines.verdict import Status
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.graph import TALL, WIDE, columns, edges_of, graph
from arubatheory.report.markup import asset
from arubatheory.report.standing import standings

SLUGS = [item.slug for item in ARUBA.everything]


def test_edges_join_items_not_statements() -> None:
    made = [
        replace(TRUE, label="prp:ftl/literal", uses=("thm:coupling/convex", "prp:ftl/proof-1", "unknown", "def:ftl")),
        replace(TRUE, label="prp:ftl", uses=("def:ftl",)),
    ]
    assert edges_of(made, ARUBA) == {("thm:coupling", "prp:ftl"), ("def:ftl", "prp:ftl")}


def test_every_edge_leads_to_the_right() -> None:
    edges = edges_of(PAPER, ARUBA)
    layers = columns(SLUGS, edges)
    place = {slug: k for k, layer in enumerate(layers) for slug in layer}
    assert len(place) == sum(map(len, layers))
    assert all(place[a] < place[b] for a, b in edges)
    assert set(place) == {slug for edge in edges for slug in edge}


def test_cycles_are_drawn_and_do_not_hang() -> None:
    edges = {("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}
    layers = columns(["a", "b", "c", "d", "e"], edges)
    assert layers == [["a"], ["b"], ["c"], ["d"]]


def test_neighbours_stand_side_by_side() -> None:
    """Two chains that would cross if columns kept the order of the paper."""
    assert columns(["a", "b", "c", "d"], {("a", "d"), ("b", "c")}) in (
        [["a", "b"], ["d", "c"]],
        [["b", "a"], ["c", "d"]],
    )


def test_all_items_are_drawn_apart_inside_the_frame() -> None:
    root = ElementTree.fromstring(graph(ARUBA, {}, {}))
    places = [(float(r.get("x") or 0), float(r.get("y") or 0)) for r in root.iter("rect")]
    assert len(places) == len(ARUBA.everything)
    width, height = (float(x) for x in (root.get("viewBox") or "").split()[2:])
    assert all(0 <= x <= width - WIDE and 0 <= y <= height - TALL for x, y in places)
    assert f"#graph rect {{ width: {WIDE}px; height: {TALL}px;" in asset("page.css")
    by_column: dict[float, list[float]] = {}
    for x, y in places:
        by_column.setdefault(x, []).append(y)
    for ys in by_column.values():
        assert all(b - a >= TALL for a, b in pairwise(sorted(ys)))


def test_an_item_that_was_not_tried_is_told_from_one_without_a_statement() -> None:
    titles = [e.text for e in ElementTree.fromstring(graph(ARUBA, {}, {})).iter("title")]
    assert "thm:general, theorem 3.1: not in this run" in titles
    assert "alg:general, algorithm: no statement of its own" in titles


def test_nodes_are_named_linked_and_coloured() -> None:
    standing = standings(PAPER, {s.label: Status.SURVIVED for s in PAPER} | {"clm:mean": Status.REFUTED}, ARUBA)
    root = ElementTree.fromstring(graph(ARUBA, standing, {slug: f"i-{k}" for k, slug in enumerate(standing)}))
    links = list(root.iter("a"))
    assert len(links) == len(standing)
    assert {a.get("href") for a in links} == {f"#i-{k}" for k in range(len(standing))}
    assert Counter(a.get("class") for a in links)["node fails"] == 1
    (mean,) = (a for a in links if a.get("class") == "node fails")
    assert "clm:mean, claim A.1: refuted" in "".join(mean.itertext())
    assert "✗ Claim A.1" in "".join(mean.itertext())
