r"""What rests on what: the items of the paper as inline SVG, in columns from left to right, coloured by how they stand.

An edge leads from an item to one whose statements name it in `uses`. Every item stands one column before the first
that needs it, and the order within a column follows the neighbours (barycentres); items without an edge stand below.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from markupsafe import Markup

from arubatheory.report.markup import environment
from arubatheory.report.standing import Stand, Standing
from arubatheory.report.svg import stepwise
from arubatheory.statements.core import Statement
from arubatheory.statements.items import Item
from arubatheory.statements.paper import Paper

Edges = set[tuple[str, str]]
PITCH_X, PITCH_Y, WIDE, TALL = 156, 25, 120, 19
SWEEPS = 8
LONGEST = 16  # letters of a name
SHORT = {"theorem": "Thm", "proposition": "Prop", "corollary": "Cor", "definition": "Def", "assumption": "Assm"}


def edges_of(statements: Iterable[Statement], paper: Paper) -> Edges:
    """The pairs (item, item that uses it), by slug."""
    found = {(paper.item_of(u), paper.item_of(s.label)) for s in statements for u in s.uses}
    return {(a.slug, b.slug) for a, b in found if a and b and a is not b}


def slugs_of(statements: Iterable[Statement], paper: Paper) -> set[str]:
    """The items that have a statement among these, by slug."""
    return {found.slug for s in statements if (found := paper.item_of(s.label))}


def absence(slug: str, listed: Container[str]) -> str:
    """Why an item of the paper has no verdict to show: `listed` are the items that have a statement."""
    return "not in this run" if slug in listed else "no statement of its own"


def name_of(item: Item) -> str:
    """A short name: the printed number where there is one, else the slug."""
    kind = SHORT.get(item.kind, item.kind.capitalize())
    name = f"{kind} {item.number}" if item.number else item.slug.removeprefix("text:")
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def columns(slugs: Sequence[str], edges: Edges) -> list[list[str]]:
    """The connected items in columns such that every edge of a tree without cycles leads to the right; the edges that
    close a cycle are left out of account."""
    order, forward = _without_cycles(slugs, edges)
    depth: dict[str, int] = {}  # how many columns from the right end
    for s in reversed(order):
        depth[s] = 1 + max((depth[b] for a, b in forward if a == s), default=-1)
    connected = [s for s in slugs if s in depth]
    last = max(depth.values(), default=-1)
    place = {s: last - depth[s] for s in connected}
    # What nothing rests on stands right after the last thing it rests on, not at the right end.
    for s in set(connected) - {a for a, _ in forward}:
        place[s] = 1 + max((place[a] for a, b in forward if b == s), default=-1)
    return _ordered([[s for s in connected if place[s] == k] for k in range(last + 1)], forward)


def _without_cycles(slugs: Sequence[str], edges: Edges) -> tuple[list[str], Edges]:
    """The connected items, each after what it rests on, and the edges without those that lead back in a cycle."""
    rank = {s: i for i, s in enumerate(slugs)}
    forward = set(edges)
    while True:
        sorter = TopologicalSorter({s: () for s in slugs if any(s in edge for edge in edges)})
        for a, b in sorted(forward):
            sorter.add(b, a)
        try:
            return list(sorter.static_order()), forward
        except CycleError as found:
            forward.remove(max(pairwise(found.args[1]), key=lambda edge: rank[edge[0]] - rank[edge[1]]))


def _ordered(layers: list[list[str]], edges: Edges) -> list[list[str]]:
    """Each column sorted by the mean height of its neighbours, back and forth."""
    height = {s: (i + 0.5) / len(layer) for layer in layers for i, s in enumerate(layer)}
    neighbours: dict[str, list[str]] = {s: [] for s in height}
    for a, b in sorted(edges):
        neighbours[a].append(b)
        neighbours[b].append(a)
    for _ in range(SWEEPS):
        for layer in layers:
            mean = {s: sum(height[n] for n in neighbours[s]) / max(1, len(neighbours[s])) for s in layer}
            layer.sort(key=lambda s: mean[s])
            height |= {s: (i + 0.5) / len(layer) for i, s in enumerate(layer)}
    return layers


def graph(paper: Paper, standing: Mapping[str, Standing], anchors: Mapping[str, str]) -> Markup:
    """The drawing: `standing` says how the items stand that were tried, and `anchors` are
    their ids on the page by slug."""
    slugs = [item.slug for item in paper.everything]
    edges = edges_of(paper.statements, paper)
    layers = columns(slugs, edges)
    tallest = max((len(layer) for layer in layers), default=0)
    place = {
        s: (k * PITCH_X + 4, round((i + 0.5) * tallest / len(layer) * PITCH_Y - TALL / 2 + 4))
        for k, layer in enumerate(layers)
        for i, s in enumerate(layer)
    }
    alone = [s for s in slugs if s not in place]
    wide = max(len(layers), 1)
    place |= {s: (i % wide * PITCH_X + 4, (tallest + 1 + i // wide) * PITCH_Y + 4) for i, s in enumerate(alone)}
    size = (wide * PITCH_X - PITCH_X + WIDE + 8, max((y for _, y in place.values()), default=0) + TALL + 6)
    number = {s: i for i, s in enumerate(slugs)}
    made = environment(
        paper,
        **{f.__name__: f for f in (absence, name_of)},
        items=paper.everything,
        listed=slugs_of(paper.statements, paper),
        lines=[(number[a], number[b], _line(place[a], place[b])) for a, b in sorted(edges)],
        **{"place": place, "size": size, "standing": standing, "anchors": anchors},
        OPEN=Stand.OPEN,
    )
    return Markup(made.get_template("graph.html").render())


def _line(a: tuple[int, int], b: tuple[int, int]) -> str:
    x, y, u, v = a[0] + WIDE, a[1] + TALL / 2, b[0], b[1] + TALL / 2
    bend = max(20, (u - x) / 2)
    return stepwise(f"M{x} {y:g}C{x + bend:g} {y:g} {u - bend:g} {v:g} {u} {v:g}")
