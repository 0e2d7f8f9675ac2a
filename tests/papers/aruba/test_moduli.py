r"""def:aogd asks for $\alpha_t$-strong convexity in the Euclidean norm, whatever the norm of the theorem is: no witness
on record has less."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arubatheory.engines.witness import decode_instance
from arubatheory.engines.witness_files import read_witness
from arubatheory.papers.aruba import ARUBA
from arubatheory.papers.aruba.a_background.ftlaogd import aogd_both_norms
from arubatheory.papers.aruba.games.approximate import MODULUS
from arubatheory.statements.core import Instance

FOLDER = Path(__file__).resolve().parents[3] / ARUBA.witnesses


def recorded(label: str, which: str) -> Instance:
    statement = ARUBA.statement(label)
    assert statement is not None
    return decode_instance(
        read_witness(FOLDER / f"{label.replace('/', '--').replace(':', '-')}-{which}.json").instance, statement
    )


@pytest.mark.parametrize("which", ["simplest", "worst"])
@pytest.mark.parametrize("label", ["thm:fixed/aogd", "thm:learning/aogd"])
def test_sigma_is_a_modulus_in_l2_and_in_the_norm(label: str, which: str) -> None:
    R = recorded(label, which).R
    a, b, c = R.matrix[0, 0] - 1, R.matrix[0, 1], R.matrix[1, 1] - 1
    assert a + c >= 0 and a * c - b * b >= 0  # exactly: P - I is positive semidefinite
    assert (R.matrix == R.norm).all()


@pytest.mark.parametrize("which", ["simplest", "worst"])
def test_a_quadratic_is_alpha_strongly_convex_in_both_norms(which: str) -> None:
    x = recorded("thm:ftlaogd/aogd/both-norms", which)
    margin = {a.latex: a.margin for a in aogd_both_norms.assumptions}
    [both] = [m for latex, m in margin.items() if r"w.r.t. $\|\cdot\|$ and" in latex]
    assert both(x) >= 0


def test_a_modulus_below_one_is_told_from_one_that_is_not() -> None:
    def margin(*diagonal: float) -> float:
        R = Instance(matrix=np.diag(diagonal))
        return float(MODULUS.margin(Instance(R=R)))

    assert margin(1 / 64) < 0 and margin(1 / 64, 9) < 0 and margin(0.5, 0.5) < 0
    assert margin(1) == 0 and margin(1, 9) == 0 and margin(2, 9) > 0
