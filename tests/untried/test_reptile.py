"""Reptile and FedAvg against their lines written out, and what learned rates are for: tasks that differ somewhere."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from arubatheory.arithmetic import exact
from arubatheory.learners.algorithm2 import Aruba, Isotropic
from arubatheory.problems.losses import subgradient, value
from arubatheory.problems.tasks import FAMILIES, each
from arubatheory.untried.reptile import fedavg, reptile

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


def literal(tasks, phi, rates, batch, weight, by_size, server):
    """Batches of tasks, and Algorithm 2 told of each through start, see and end."""
    parts, starts, ends, etas = list(each(tasks)), [], [], []
    for first in range(0, len(parts), batch):
        group = parts[first : first + batch]
        eta = rates.rates() if isinstance(rates, Aruba) else rates
        played = [within(losses, phi, eta) for losses in group]
        sizes = [len(losses.b) if by_size else 1 for losses in group]
        mean = sum(k * theta for k, (theta, _, _) in zip(sizes, played, strict=True)) / sum(sizes)
        after = phi + weight * (mean - phi)
        told = [(after, sum(s for _, s, _ in played))] if server else [(theta, s) for theta, s, _ in played]
        for theta, squares in told if isinstance(rates, Aruba) else ():
            rates.start()
            rates.see(np.sqrt(squares))
            rates.end(phi, theta)
        starts += [phi] * len(group)
        etas += [eta] * len(group)
        ends += [theta for theta, _, _ in played]
        phi = after
    return np.array(starts), np.array(ends), etas, phi


def makers():
    return [lambda: Aruba(PHI, 0.2, 0.5, 0.4), lambda: Isotropic(PHI, 0.2, 0.5), lambda: 0.1, lambda: PHI**2]


@pytest.mark.parametrize("make", makers())
@pytest.mark.parametrize("batch", [1, 4, 20])
def test_reptile_is_what_is_printed(make, batch):
    tasks = family(losses="distance", m=[1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1])
    got = reptile(tasks, PHI, make(), weight=0.25, batch=batch)
    starts, ends, etas, last = literal(tasks, PHI, make(), batch, 0.25, False, False)
    np.testing.assert_allclose(got.phi, starts, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.theta, ends, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.eta, [np.broadcast_to(eta, 3) for eta in etas], rtol=1e-12)
    np.testing.assert_allclose(got.initialization, last, rtol=1e-12, atol=1e-12)
    paid = [within(losses, phi, eta)[2] for losses, phi, eta in zip(each(tasks), got.phi, got.eta, strict=True)]
    np.testing.assert_allclose(got.paid, paid, rtol=1e-12)


@pytest.mark.parametrize("make", makers())
@pytest.mark.parametrize("movement", ["nodes", "server"])
def test_fedavg_is_what_is_printed(make, movement):
    tasks = family(losses="distance", m=[1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1])
    got = fedavg(tasks, PHI, make(), nodes=3, movement=movement)
    starts, ends, etas, last = literal(tasks, PHI, make(), 3, 1.0, True, movement == "server")
    np.testing.assert_allclose(got.phi, starts, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.theta, ends, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.eta, [np.broadcast_to(eta, 3) for eta in etas], rtol=1e-12)
    np.testing.assert_allclose(got.initialization, last, rtol=1e-12, atol=1e-12)


def test_serial_reptile_with_all_the_weight_goes_on_where_the_task_ended():
    got = reptile(family(), PHI, 0.1, weight=1.0)
    assert np.array_equal(got.phi[1:], got.theta[:-1]) and np.array_equal(got.initialization, got.theta[-1])


def test_the_order_within_a_round_does_not_matter_to_what_follows():
    one, two = Aruba(PHI), Aruba(PHI)
    tasks = family(T=6)
    turned = FAMILIES["similar"](np.random.default_rng(2), 6, 4, 3).tasks
    order = np.concatenate([np.arange(4 * t, 4 * t + 4) for t in (2, 0, 1, 5, 3, 4)])
    turned = turned._replace(losses=type(tasks.losses)(*(x[order] for x in tasks.losses)))
    first, second = fedavg(tasks, PHI, one, nodes=3), fedavg(turned, PHI, two, nodes=3)
    np.testing.assert_allclose(first.initialization, second.initialization, rtol=1e-14)
    assert one.task == two.task == 7


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
    fixed = [reptile(sample.tasks, phi, eta, weight=0.1).paid[200:].mean() for eta in 2.0 ** -np.arange(8)]
    assert learned.paid[200:].mean() < 0.95 * min(fixed)


def test_the_server_is_blind_to_nodes_that_move_apart():
    """alg:aruba/fedavg: two nodes that go to phi -+ 1 leave the global model; only their own movement is seen."""
    sample = FAMILIES["alternating"](np.random.default_rng(0), 400, 20, 1, V=1.0, noise=0.0, center=[0.0])
    ends = {}
    for movement in ("nodes", "server"):
        rates = Aruba(np.zeros(1), 0.3, 0.3)
        fedavg(sample.tasks, np.zeros(1), rates, nodes=2, movement=movement)
        ends[movement] = float(rates.rates()[0])
    assert ends["nodes"] > 10 * ends["server"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: reptile(t, PHI[:2], 0.1), ValueError, "phi must have dimension 3, got 2"),
        (lambda t: reptile(t, [0.0, np.nan, 0.0], 0.1), ValueError, "phi must be finite"),
        (lambda t: reptile(t, exact(PHI), 0.1), TypeError, "phi must be in floats"),
        (lambda t: reptile(t, PHI, -0.1), ValueError, "rates must be >= 0, got -0.1"),
        (lambda t: reptile(t, PHI, [0.1, 0.2]), ValueError, "rates must have 3 entries"),
        (lambda t: reptile(t, PHI, exact(PHI)), TypeError, "rates must be in floats"),
        (lambda t: reptile(t, PHI, Aruba(np.zeros(2))), ValueError, "rates must be for 3 parameters in float64"),
        (lambda t: reptile(t, PHI, Aruba(np.zeros(3, np.float32))), ValueError, "rates must be for 3 parameters"),
        (lambda t: reptile(t, PHI, 0.1, weight=0), ValueError, "weight must be > 0, got 0"),
        (lambda t: reptile(t, PHI, 0.1, weight=1.5), ValueError, "weight must be <= 1, got 1.5"),
        (lambda t: reptile(t, PHI, 0.1, batch=0), ValueError, "batch must be an integer >= 1, got 0"),
        (lambda t: fedavg(t, PHI, 0.1, nodes=2.0), ValueError, "nodes must be an integer >= 1, got 2.0"),
        (lambda t: fedavg(t, PHI, 0.1, movement="both"), ValueError, "movement must be one of nodes, server, got 'bo"),
        (lambda t: reptile(t, PHI, 1e200), OverflowError, "task 0 left the range of float64"),
        (lambda t: reptile(t, PHI, 0.1, weight=True), TypeError, "weight must be a real number, got True"),
        (lambda t: reptile(t.losses, PHI, 0.1), TypeError, "tasks must be a Tasks, got Losses"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(family())


def test_a_share_may_be_any_real_number():
    for w in (np.float32(0.5), Fraction(1, 2)):
        assert np.array_equal(
            reptile(family(), PHI, 0.1, weight=w).theta, reptile(family(), PHI, 0.1, weight=0.5).theta
        )
