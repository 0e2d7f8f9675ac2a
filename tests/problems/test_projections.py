"""Projections of many points at once: those of each point alone, checked as it is."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.arithmetic import approximate, exact
from arubatheory.kernel import on
from arubatheory.problems.domains import NAMES, ball, box, project, simplex, space
from arubatheory.problems.projections import BLOCK, projected

PLACES = [
    *(ball([0.5, -1.0, 2.0], 1.5), ball([0.5, -1.0, 2.0], 0.0), box([-1.0, -1.0, 0.0], [0.5, 1.0, 0.0])),
    *(simplex(3), simplex(3, [0.2, 0.0, 0.3]), simplex(3, [0.5, 0.25, 0.25]), space(3)),
]
POINTS = np.random.default_rng(3).normal(size=(4 * BLOCK + 5, 3)) * 2.0 ** np.arange(-3, 4).repeat(19)[:, None]
SHARP = {"rtol": 4e-15, "atol": 4e-15}


@pytest.mark.parametrize("domain", PLACES, ids=lambda domain: NAMES[domain.kind])
def test_many_points_are_projected_like_each(domain):
    each = np.array([project(domain, x) for x in POINTS])
    found = projected(domain, POINTS)
    np.testing.assert_allclose(found, each, **SHARP)
    inside = (each == POINTS).all(axis=1)
    assert (found[inside] == POINTS[inside]).all(), "a point of the domain stays where it is, to the last bit"
    again = POINTS.copy()
    assert projected(domain, again, out=again) is again and (again == found).all()
    assert projected(domain, POINTS[:0]).shape == (0, 3)
    assert (project(domain, POINTS) == each).all(), "the kernel takes many, too"


@pytest.mark.parametrize("domain", PLACES, ids=lambda domain: NAMES[domain.kind])
def test_many_exact_points_are_projected_like_each(domain):
    points, over = exact(POINTS[:9]), exact(domain)
    found = projected(over, points)
    np.testing.assert_allclose(approximate(found), projected(domain, POINTS[:9]), **SHARP)
    for x, y in zip(points, found, strict=True):
        alone = on(project, x)(over, x)
        assert all(a == b for a, b in zip(alone, y, strict=True) if a.is_rational)


def test_far_points_of_a_ball_are_projected_beside_near_ones():
    far = np.array([[3e200, -4e200, 0.0], [0.0, 0.25, 0.0], [1e308, 1e308, 0.0]])
    for points in (far, far.copy()):
        found = projected(ball(np.zeros(3), 1.0), points, out=points)
        np.testing.assert_allclose(found[[0, 2]], [[0.6, -0.8, 0.0], [0.5**0.5, 0.5**0.5, 0.0]], rtol=1e-15)
        assert found[1].tolist() == [0.0, 0.25, 0.0]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("domain", PLACES, ids=lambda domain: NAMES[domain.kind])
def test_one_number_that_is_none_is_found_among_many_points(domain, wrong):
    for row in (0, BLOCK - 1, BLOCK, len(POINTS) - 1):
        points = POINTS.copy()
        points[row, 1] = wrong
        with pytest.raises(ValueError, match=r"^points must be finite"):
            projected(domain, points)
    with pytest.raises(TypeError, match=r"^points must not be masked"):
        projected(domain, np.ma.masked_array(POINTS, POINTS > 1))


def test_the_sum_of_what_was_read_may_overflow():
    points = np.full((3, 2), 1e308)
    assert projected(box([0.0, 0.0], [1.0, 1.0]), points).tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize("domain", PLACES, ids=lambda domain: NAMES[domain.kind])
def test_an_output_over_a_part_of_what_is_read_is_refused(domain):
    both = np.concatenate([POINTS, POINTS])
    with pytest.raises(ValueError, match=r"^out must not share memory with points or the domain, got .* \(4, 3\)"):
        projected(domain, both[:4], out=both[1:5])
    with pytest.raises(ValueError, match=r"^out must not share memory"):
        projected(domain, POINTS[0], out=domain.center)
    found = projected(domain, both[:4], out=both[4:8])  # side by side is apart
    np.testing.assert_array_equal(found, projected(domain, POINTS[:4]))
