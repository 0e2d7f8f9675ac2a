"""Reptile against its lines written out, and what learned rates are for: tasks that differ somewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.learners.algorithm2 import Aruba, Isotropic
from arubatheory.problems.losses import subgradient, value
from arubatheory.problems.tasks import FAMILIES, each
from arubatheory.untried.reptile import reptile

PHI = np.array([0.3, -0.2, 0.1])


def family(name="similar", T=11, m=4, d=3, **options):
    return FAMILIES[name](np.random.default_rng(2), T, m, d, **options).tasks


def within(losses, phi, eta):
    """One step for each loss."""
    theta, squares, paid = phi.copy(), np.zeros_like(phi), 0.0
    for i in range(len(losses.b)):
        paid += value(losses, i, theta)
        gradient = subgradient(losses, i, theta)
        theta = theta - eta * gradient
        squares = squares + gradient**2
    return theta, squares, paid


def literal(tasks, phi, rates, weight):
    """Task after task, and Algorithm 2 told of each through start, see and end; or with fixed rates."""
    starts, ends, etas, paid = [], [], [], []
    for losses in each(tasks):
        eta = rates.start() if isinstance(rates, Aruba) else rates
        theta, squares, spent = within(losses, phi, eta)
        if isinstance(rates, Aruba):
            rates.see(np.sqrt(squares))
            rates.end(phi, theta)
        starts.append(phi)
        ends.append(theta)
        etas.append(np.broadcast_to(eta, phi.shape))
        paid.append(spent)
        phi = phi + weight * (theta - phi)
    return np.array(starts), np.array(ends), np.array(etas), np.array(paid), phi


@pytest.mark.parametrize("make", [lambda: Aruba(PHI, 0.2, 0.5, 0.4), lambda: Isotropic(PHI, 0.2, 0.5)])
@pytest.mark.parametrize("weight", [0.25, 1.0])
def test_reptile_is_what_is_printed(make, weight):
    tasks = family(losses="distance", m=[1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1])
    for got, expected in zip(
        reptile(tasks, PHI, make(), weight=weight), literal(tasks, PHI, make(), weight), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_reptile_with_all_the_weight_goes_on_where_the_task_ended():
    got = reptile(family(), PHI, Aruba(PHI, 0.1, 1.0), weight=1.0)
    assert np.array_equal(got.phi[1:], got.theta[:-1]) and np.array_equal(got.initialization, got.theta[-1])


def test_equal_tasks_at_their_optimum_leave_everything_where_it_is():
    tasks = FAMILIES["equal_tasks"](np.random.default_rng(0), 5, 3, 3, noise=0.0, center=PHI).tasks
    rates = Aruba(PHI, eps=0.5)
    got = reptile(tasks, PHI, rates)
    assert np.array_equal(got.theta, np.tile(PHI, (5, 1))) and np.allclose(rates.rates(), 0.5, rtol=1e-15)


def test_the_rate_grows_along_the_direction_in_which_tasks_differ():
    """Tasks differ in one coordinate of five and gradients are noisy in all: that coordinate gets by far the largest
    rate, and the losses are lower than with any of a grid of fixed rates."""
    sample = FAMILIES["sparse_direction"](np.random.default_rng(0), 400, 20, 5, V=2.0, noise=2.0)
    moving, phi = int(np.argmax(sample.optima.std(axis=0))), np.zeros(5)
    learned = reptile(sample.tasks, phi, Aruba(phi, 0.1, 0.1), weight=0.1)
    rates = learned.eta[-1]
    assert rates[moving] > 10 * np.delete(rates, moving).max()
    fixed = [literal(sample.tasks, phi, eta, 0.1)[3][200:].mean() for eta in 2.0 ** -np.arange(8)]
    assert learned.paid[200:].mean() < 0.95 * min(fixed)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: reptile(t, PHI[:2], Aruba(PHI)), ValueError, "phi must have dimension 3, got 2"),
        (lambda t: reptile(t, [0.0, np.nan, 0.0], Aruba(PHI)), ValueError, "phi must be finite"),
        (lambda t: reptile(t, exact(PHI), Aruba(PHI)), TypeError, "phi must be in floats"),
        (lambda t: reptile(t, PHI, 0.1), ValueError, "rates must be an Aruba for 3 parameters in float64, got 0.1"),
        (lambda t: reptile(t, PHI, Aruba(np.zeros(2))), ValueError, "rates must be an Aruba for 3 parameters"),
        (lambda t: reptile(t, PHI, Aruba(PHI.astype(np.float32))), ValueError, "rates must be an Aruba for 3"),
        (lambda t: reptile(t, PHI, Aruba(PHI), weight=0), ValueError, "weight must be > 0, got 0"),
        (lambda t: reptile(t, PHI, Aruba(PHI), weight=1.5), ValueError, "weight must be <= 1, got 1.5"),
        (lambda t: reptile(t, PHI, Aruba(PHI), weight=True), TypeError, "weight must be a real number, got True"),
        (lambda t: reptile(t, PHI, Aruba(PHI, 1e150, 1e-150)), OverflowError, "task 0 left the range of float64"),
        (lambda t: reptile(t.losses, PHI, Aruba(PHI)), TypeError, "tasks must be a Tasks, got Losses"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(family())


def test_a_share_may_be_any_real_number():
    expected = reptile(family(), PHI, Aruba(PHI), weight=0.5).theta
    for w in (np.float32(0.5), Fraction(1, 2)):
        assert np.array_equal(reptile(family(), PHI, Aruba(PHI), weight=w).theta, expected)
