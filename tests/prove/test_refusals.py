"""What the checkers of boxes, chains and slopes refuse, rule by rule."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

import pytest

from arubatheory.prove.check_boxes import by_symmetries, check_affine, check_scale, invert, zeros
from arubatheory.prove.check_cells import NEGATIVE, POSITIVE, ZERO, Rejected
from arubatheory.prove.check_chains import NOWHERE, Chain, Staged, check_chain, check_cut
from arubatheory.prove.check_slopes import Builder, simpler

CELL: dict[str, Any] = {
    "ranges": [["-1", "1"], ["0", "1"]],
    "nodes": [["var", 0], ["var", 1], ["add", 0, 1], ["const", "0"]],
}


def cut(y: int, scale: int) -> Chain:
    plan = {"stages": [[0], [1]], "cuts": [[y, scale, 1]], "power": 0, "scale": []}
    return Chain(Staged(CELL), [(3, 2)], {}, plan, {})


@pytest.mark.parametrize(
    ("y", "scale", "rows", "said"),
    [
        (-1, 0, NOWHERE, "a scale may be negative"),
        (0, -1, [(F(-1), F(0), F(0), F(0)), (F(1, 2), F(1), F(0), F(0))], "rows leave a gap"),
        (0, -1, [(F(0), F(1), F(0), F(0))], "rows do not cover"),
    ],
)
def test_a_cut(y: int, scale: int, rows: Any, said: str) -> None:
    with pytest.raises(Rejected, match=said):
        check_cut(cut(y, scale), 0, rows, (F(-1), F(1)))


def test_a_cut_that_is_fine() -> None:
    check_cut(cut(0, -1), 0, [(F(-1), F(1, 2), F(0), F(0)), (F(1, 2), F(1), F(0), F(0))], (F(-1), F(1)))
    check_cut(cut(-1, 1), 0, NOWHERE, (F(0), F(0)))


NODES: tuple[list[Any], ...] = (["var", 0], ["var", 1], ["add", 0, 1], ["mul", 0, 0])


def lines(*ranges: tuple[int, int], nodes: Sequence[list[Any]] = NODES) -> Builder:
    return Builder({"ranges": [list(map(str, r)) for r in ranges], "nodes": list(nodes)})


def test_a_sum_that_is_0_has_terms_that_are_0_only_where_none_is_negative() -> None:
    assert zeros(lines((0, 1), (0, 1)), {2: ZERO}) == {0, 1}
    assert zeros(lines((-1, 1), (0, 1)), {2: ZERO}) == set()
    assert zeros(lines((0, 1), (-1, 1)), {2: ZERO}) == set()


def test_a_corner_is_affine_and_not_asked_of() -> None:
    cell = lines((-1, 1), (0, 1))
    check_affine(cell, [2], [1], 0)
    with pytest.raises(Rejected, match="not affine"):
        check_affine(cell, [3], [1], 0)
    with pytest.raises(Rejected, match="asks of a corner"):
        check_affine(cell, [2], [2], 0)


def test_what_is_scaled_has_a_range_around_or_from_0() -> None:
    assert check_scale(lines((-1, 1), (0, 1)), [0, 1], [0, 1], set())
    with pytest.raises(Rejected, match="another range"):
        check_scale(lines((-1, 2), (0, 1)), [0, 1], [0], set())


def test_a_symmetry_says_once_what_is_put_for_a_variable() -> None:
    with pytest.raises(Rejected, match="no permutation"):
        by_symmetries(lines((-1, 1), (0, 1)), {}, [0], [[[0, -1, 0], [0, 1, 0]]])


def test_what_is_not_0_is_inverted_up_to_0() -> None:
    assert invert((0, 1 << 97), NEGATIVE | POSITIVE)[0] == 1 << 95


def test_a_slope_is_defined() -> None:
    cell = lines((-1, 1), nodes=[["var", 0], ["mul", 0, 0], ["sqrt", 1], ["const", "1"], ["sub", 3, 2]])
    with pytest.raises(Rejected, match="may be undefined"):
        simpler(cell, {}, [(cell.number(F(0)), 4)], "slopes", 0, cell.number(F(-1)))


def test_a_chain_has_one_pair_of_sides() -> None:
    with pytest.raises(Rejected, match="more than two sides"):
        check_chain(Staged(CELL), {}, [(3, 2), (3, 2)], [], {"chain": {"corners": []}})
