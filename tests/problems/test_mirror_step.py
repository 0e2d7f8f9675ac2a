"""The mirror step over every defined pair of regulariser and domain: optimality, independent routes, exactness."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import lambertw

from arubatheory.arithmetic import Exact, approximate, exact, precision
from arubatheory.kernel import on
from arubatheory.problems.domains import (
    BALL,
    BOX,
    KINDS,
    NAMES,
    SIMPLEX,
    SPACE,
    Domain,
    ball,
    box,
    contains,
    extreme_points,
    linear_minimizer,
    simplex,
    space,
)
from arubatheory.problems.draw import Draw, RandomDraw, TapeDraw
from arubatheory.problems.norms import norm_of, norm_square
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import (
    ENTROPY,
    EUCLIDEAN,
    MAHALANOBIS,
    Regularizer,
    bregman,
    entropy,
    euclidean,
    gradient,
    mahalanobis,
    mirror_step,
    random_start,
)

EPS = float(np.finfo(np.float64).eps)
REGULARIZERS = {"euclidean": EUCLIDEAN, "entropy": ENTROPY, "mahalanobis": MAHALANOBIS}
PAIRS = [(r, k) for r in REGULARIZERS.values() for k in KINDS if not (r == ENTROPY and k == SPACE)]
IDS = [f"{list(REGULARIZERS)[r]}-{NAMES[k]}" for r, k in PAIRS]


class Step(NamedTuple):
    R: Regularizer
    domain: Domain
    phi: Any
    g: Any


def drawn(draw: Draw, regularizer: int, kind: int, widest: int = 6) -> Step:
    """One instance of a pair; boundary starts, point domains and scales from 2^-40 to 2^40 come with the draws."""
    d = draw.integer(1, widest)
    domain = random_domain(draw, d, (kind,), positive=regularizer == ENTROPY)
    matrix = draw.spd(d) if regularizer == MAHALANOBIS else draw.zeros((d, d))
    R = Regularizer(regularizer, matrix)
    phi = random_point(domain, draw) if draw.boolean() else random_start(R, domain, draw)
    return Step(R, domain, phi, draw.real(-2, 2, d) * (draw.positive(-40, 8) if draw.boolean() else 1))


def steps(n: int, regularizer: int, kind: int, widest: int = 6):
    """Pairs (float instance, the same tape read exactly)."""
    for k in range(n):
        draw = RandomDraw(np.random.default_rng([17, regularizer, kind, k]))
        step = drawn(draw, regularizer, kind, widest)
        yield step, drawn(TapeDraw(draw.tape, exact=True), regularizer, kind, widest)


def lifted(step: Step) -> Step:
    """The very float instance in rationals. A float simplex point need not sum to 1; no step asks it to."""
    return Step(exact(step.R), exact(step.domain), exact(step.phi), exact(step.g))


def objective(step: Step, theta: Any) -> Any:
    return on(bregman, theta)(step.R, theta, step.phi) + step.g @ theta


def tolerance(step: Step, ulps: int = 8) -> float:
    r"""Rounding of the data moves the argmin by at most $\|\Delta g\|_*/1$ in R's norm: the step is 1-Lipschitz.

    A backward stable route perturbs g by a few (d + 2) eps of each magnitude that enters the gradient.
    """
    domain, d = step.domain, step.phi.size
    reach = 1.0 * (domain.kind == SIMPLEX) + max(float(np.abs(f).max()) for f in (*domain[1:], step.phi))
    push = float(np.abs(step.g).max())
    if step.R.kind == EUCLIDEAN:
        return ulps * (d + 2) * EPS * (reach + push)
    if step.R.kind == MAHALANOBIS:
        spectrum = np.linalg.eigvalsh(step.R.matrix)
        return ulps * (d + 2) * EPS * (spectrum[-1] * reach + push) / spectrum[0] * (spectrum[-1] / spectrum[0])
    positive = step.phi[step.phi > 0]
    exponent = push + (float(np.abs(np.log(positive)).max()) if positive.size else 0.0)
    total = 1.0 if domain.kind == SIMPLEX else d * 2 * reach
    return ulps * (d + 2) * EPS * total * (1 + exponent + abs(np.log(total)))


@pytest.mark.parametrize(("regularizer", "kind"), PAIRS, ids=IDS)
def test_float_and_exact_steps_agree(regularizer, kind):
    for step, _ in steps(25, regularizer, kind):
        theta = mirror_step(*step)
        with precision(256):
            truth = on(mirror_step, exact(step.phi))(*lifted(step))
        assert np.abs(theta - approximate(truth)).max() <= tolerance(step)
        assert contains(step.domain, theta)


def optimality_gap(step: Step, theta: Any) -> Any:
    r"""$\max_x \langle v, \theta - x\rangle$, $v = \nabla R(\theta) - \nabla R(\phi) + g$: 0 only at the argmin."""
    v = on(gradient, theta)(step.R, theta) - on(gradient, step.phi)(step.R, step.phi) + step.g
    if step.domain.kind == SPACE:
        return v @ v
    return v @ (theta - on(linear_minimizer, v)(step.domain, v))


def is_rational(v: Any) -> bool:
    return all(x.is_rational for x in v)


@pytest.mark.parametrize(("regularizer", "kind"), [p for p in PAIRS if p[0] != ENTROPY and p[1] != BALL])
def test_quadratic_programs_are_rational_and_optimal(regularizer, kind):
    for _, step in steps(25, regularizer, kind):
        theta = on(mirror_step, step.phi)(*step)
        assert is_rational(theta)
        assert contains(step.domain, theta)
        assert optimality_gap(step, theta) == 0


@pytest.mark.parametrize("kind", [BALL, BOX, SIMPLEX], ids=lambda k: NAMES[k])
@pytest.mark.parametrize("regularizer", [ENTROPY, MAHALANOBIS], ids=["entropy", "mahalanobis"])
def test_enclosed_steps_satisfy_the_variational_inequality(regularizer, kind):
    """No point of the domain may certainly improve, to first order, on what the enclosure holds."""
    for k, (rough, step) in enumerate(steps(16, regularizer, kind, 4)):
        with precision(256):
            theta = on(mirror_step, step.phi)(*step)
            if step.R.kind == ENTROPY and not all(x > 0 for x in step.phi):
                assert all(t == 0 for t, x, low in zip(theta, step.phi, step.domain.low, strict=True) if x == 0 == low)
                continue
            v = on(gradient, theta)(step.R, theta) - on(gradient, step.phi)(step.R, step.phi) + step.g
            for x in [*extreme_points(step.domain), *exact_points(rough.domain, step.domain, k)]:
                assert not _certainly_negative(v @ (x - theta))


def exact_points(rough: Domain, domain: Domain, seed: int) -> list[Any]:
    draw = RandomDraw(np.random.default_rng([19, seed]))
    for _ in range(8):
        random_point(rough, draw)
    tape = TapeDraw(draw.tape, exact=True)
    return [random_point(domain, tape) for _ in range(8)]


def _certainly_negative(x: Exact) -> bool:
    try:
        return x < 0
    except ArithmeticError:
        return False


@pytest.mark.parametrize(("regularizer", "kind"), [p for p in PAIRS if BALL in p[1:]] + [(ENTROPY, SIMPLEX)])
def test_enclosures_are_thin_and_nested_in_precision(regularizer, kind):
    for _, step in steps(12, regularizer, kind, 4):
        answers = []
        for bits in (128, 512):
            with precision(bits):
                answers.append(on(mirror_step, step.phi)(*step))
        for coarse, fine in zip(*answers, strict=True):
            with precision(1024):
                gap = abs(coarse - fine)
                assert not _certainly_negative(-gap)  # the balls overlap: both hold the same real number
            assert gap.is_rational or abs(approximate(gap)) <= 2.0**-60 * (1 + abs(approximate(fine)))


# independent routes --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("regularizer", "kind"), PAIRS, ids=IDS)
def test_step_beats_a_general_purpose_solver(regularizer, kind):
    solved = 0
    for k in range(12):
        draw = RandomDraw(np.random.default_rng([23, regularizer, kind, k]))
        step = _tame(draw, regularizer, kind)
        theta = mirror_step(*step)
        rival = _slsqp(step)
        excess = objective(step, rival) - objective(step, theta)
        # SLSQP's points may be infeasible by about 1e-9, and the objective's slope is below 100 here
        slack = 1e-7
        assert excess >= -slack
        # strong convexity: a feasible point is no further from the argmin than its excess allows
        assert norm_square(norm_of(step.R, step.domain), rival - theta) / 2 <= excess + slack
        solved += excess <= 1e-6
    assert solved >= 10  # the comparison means something: the solver did get there


def _tame(draw: Draw, regularizer: int, kind: int) -> Step:
    d = draw.integer(2, 4)
    domains = {
        SPACE: space(d),
        BOX: box(0.25 * draw.unit(d), 0.5 + draw.unit(d)),
        BALL: ball(1.5 + draw.unit(d), 0.5 + draw.unit()),
        SIMPLEX: simplex(d, 0.5 / d * draw.integer(0, 1)),
    }
    R = (euclidean(d), entropy(d), mahalanobis(draw.spd(d, -2, 2)) if regularizer == MAHALANOBIS else None)[regularizer]
    return Step(R, domains[kind], random_start(R, domains[kind], draw), draw.real(-2, 2, d))


def _slsqp(step: Step) -> Any:
    domain, d = step.domain, step.phi.size
    small = 1e-12 if step.R.kind == ENTROPY else None
    bounds, constraints = [(small, None)] * d, []
    if domain.kind == BOX:
        bounds = list(zip(np.maximum(domain.low, small or -np.inf), domain.high, strict=True))
    elif domain.kind == SIMPLEX:
        bounds = [(max(low, 1e-12), None) for low in domain.low]
        constraints = [{"type": "eq", "fun": lambda x: x.sum() - 1}]
    elif domain.kind == BALL:
        constraints = [{"type": "ineq", "fun": lambda x: domain.radius[0] ** 2 - np.sum((x - domain.center) ** 2)}]

    def slope(x):
        return gradient(step.R, x) - gradient(step.R, step.phi) + step.g

    start = np.maximum(step.phi, 1e-6)
    options = {"ftol": 1e-14, "maxiter": 500}
    return minimize(
        lambda x: objective(step, x), start, jac=slope, bounds=bounds, constraints=constraints, options=options
    ).x


def _enumerated(step: Step) -> Any:
    """The quadratic program by trying every set of held bounds (box) or zeros (simplex) and keeping the best."""
    A, domain, phi, g = step.R.matrix, step.domain, step.phi, step.g
    d, best, value = phi.size, None, np.inf
    for held in itertools.product((0, -1, 1) if domain.kind == BOX else (0, -1), repeat=d):
        side = np.array(held)
        theta = np.where(side < 0, domain.low, domain.high)
        free = np.nonzero(side == 0)[0]
        plane = domain.kind == SIMPLEX
        if plane and free.size == 0:
            continue
        fixed = np.nonzero(side)[0]
        n = free.size + plane
        system, right = np.zeros((n, n)), np.zeros(n)
        system[: free.size, : free.size] = A[np.ix_(free, free)]
        right[: free.size] = A[free] @ phi - g[free] - A[np.ix_(free, fixed)] @ theta[fixed]
        if plane:
            system[-1, : free.size] = system[: free.size, -1] = 1
            right[-1] = 1 - theta[fixed].sum()
        if n:
            theta[free] = np.linalg.solve(system, right)[: free.size]
        high = domain.high if domain.kind == BOX else np.full(d, np.inf)
        if np.all(theta >= domain.low - 1e-12) and np.all(theta <= high + 1e-12) and objective(step, theta) < value:
            best, value = theta, objective(step, theta)
    return best


@pytest.mark.parametrize("kind", [BOX, SIMPLEX], ids=lambda k: NAMES[k])
def test_active_set_matches_enumeration(kind):
    for k in range(40):
        draw = RandomDraw(np.random.default_rng([29, kind, k]))
        step = _tame(draw, MAHALANOBIS, kind)
        # the enumeration accepts points 1e-12 outside, so it may differ by that much times the conditioning
        assert np.abs(mirror_step(*step) - _enumerated(step)).max() <= 1e-12 * np.linalg.cond(step.R.matrix) ** 2


def test_ball_steps_match_their_secular_equations():
    for k in range(40):
        draw = RandomDraw(np.random.default_rng([31, k]))
        for regularizer in (ENTROPY, MAHALANOBIS):
            step = _tame(draw, regularizer, BALL)
            c, r = step.domain.center, step.domain.radius[0]
            follow = _lambert(step) if regularizer == ENTROPY else _resolvent(step)
            if np.linalg.norm(follow(0.0) - c) <= r:
                expected = follow(0.0)
            else:
                root = brentq(lambda s, f=follow, c=c, r=r: np.linalg.norm(f(s) - c) - r, 0, 1e6, xtol=1e-15)
                expected = follow(root)
            assert mirror_step(*step) == pytest.approx(expected, abs=1e-10)


def _lambert(step: Step) -> Any:
    w = step.phi * np.exp(-step.g)
    c = step.domain.center
    return lambda s: (
        w if s == 0 else np.where(s * c < 500, lambertw(s * w * np.exp(np.minimum(s * c, 500))).real / s, c)
    )


def _resolvent(step: Step) -> Any:
    spectrum, Q = np.linalg.eigh(step.R.matrix)
    b = Q.T @ (step.R.matrix @ (step.phi - step.domain.center) - step.g)
    return lambda s: step.domain.center + Q @ (b / (spectrum + s))


def test_multiplicative_weights():
    phi, g = np.array([0.5, 0.25, 0.25, 0.0]), np.array([1.0, -2.0, 0.5, -9.0])
    weights = phi * np.exp(-g)
    assert mirror_step(entropy(4), simplex(4), phi, g) == pytest.approx(weights / weights.sum(), rel=8 * EPS)


# edges ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("g", [[1e4, -1e4], [-1e4, 1e4], [1e300, -1e300], [-1e300, 1e300], [-1e300, -1e300]])
def test_extreme_gradients_stay_finite_and_feasible(g):
    g = np.array(g)
    domains = (simplex(2), simplex(2, 0.1), box([0.0, 0.5], [1.0, 2.0]), ball([1.0, 1.5], 1.0), ball([1.0, 1.5], 0.25))
    for domain in domains:
        for R in (entropy(2), euclidean(2), mahalanobis([[2.0, 0.5], [0.5, 1.0]])):
            with np.errstate(over="ignore", invalid="ignore"):
                theta = mirror_step(R, domain, np.array([0.5, 0.5]), g)
            assert np.isfinite(theta).all() and contains(domain, theta)
            if domain.kind == BALL and R.kind != ENTROPY and abs(g).max() > 1e200:
                assert theta == pytest.approx(domain.center - domain.radius * np.sign(g) / np.sqrt(2), rel=8 * EPS)
    theta = mirror_step(entropy(2), simplex(2), np.array([0.5, 0.5]), np.array([1e4, -1e4]))
    assert theta.tolist() == [0.0, 1.0]


def test_zero_gradient_returns_the_start():
    for k in range(60):
        draw = RandomDraw(np.random.default_rng([37, k]))
        for regularizer, kind in PAIRS:
            step = drawn(draw, regularizer, kind, 4)._replace(g=None)
            step = step._replace(g=np.zeros(step.phi.size))
            assert np.abs(mirror_step(*step) - step.phi).max() <= tolerance(step)


def test_point_domains_leave_no_choice():
    g = np.array([3.0, -1.0])
    for domain, point in (
        (box([1, 2], [1, 2]), [1, 2]),
        (ball([1, 2], 0), [1, 2]),
        (simplex(2, [0.25, 0.75]), [0.25, 0.75]),
    ):
        for R in (euclidean(2), entropy(2), mahalanobis([[2.0, 0.5], [0.5, 1.0]])):
            assert mirror_step(R, domain, np.array(point, dtype=float), g).tolist() == point


def test_a_coordinate_at_zero_stays_there():
    phi, g = np.array([0.0, 0.5, 0.5]), np.array([-50.0, 1.0, 0.0])
    assert mirror_step(entropy(3), simplex(3), phi, g)[0] == 0
    assert mirror_step(entropy(3), box(np.zeros(3), np.ones(3)), phi, g)[0] == 0
    touching = np.array([0.0, 1.0])
    assert mirror_step(entropy(2), ball([1.0, 1.0], 1.0), touching, np.array([-5.0, 1.0])).tolist() == [0.0, 1.0]


def test_water_filling_holds_floors():
    theta = mirror_step(entropy(3), simplex(3, [0.2, 0.1, 0.0]), np.array([0.25, 0.25, 0.5]), np.array([9.0, 9.0, 0.0]))
    assert theta.tolist()[:2] == [0.2, 0.1] and theta[2] == pytest.approx(0.7, rel=4 * EPS)


def test_clipping_is_not_the_quadratic_step():
    """The unconstrained minimiser clipped to the box is feasible, and is not the argmin."""
    R, domain = mahalanobis([[1.0, 0.9], [0.9, 1.0]]), box([0.0, 0.0], [1.0, 1.0])
    step = Step(R, domain, np.zeros(2), np.array([-1.0, 0.0]))
    clipped = np.clip(-np.linalg.solve(R.matrix, step.g), 0, 1)
    theta = mirror_step(*step)
    assert theta == pytest.approx([1.0, 0.0], abs=4 * EPS)
    tilted = Step(R, domain, np.array([0.5, 0.5]), np.array([-1.0, 0.0]))
    clipped = np.clip(tilted.phi - np.linalg.solve(R.matrix, tilted.g), 0, 1)
    # the argmin is (1, 0.05), clipping gives (1, 0): worse by 0.05^2/2
    better = objective(tilted, clipped) - objective(tilted, mirror_step(*tilted))
    assert better == pytest.approx(0.05**2 / 2, abs=16 * EPS)


def test_a_degenerate_quadratic_program_ends():
    """Multipliers that are exactly 0, for which rounding may fake either sign."""
    for d in range(1, 9):
        A = np.full((d, d), 0.5) + np.eye(d)
        step = Step(mahalanobis(A), box(np.zeros(d), np.ones(d)), np.zeros(d), np.zeros(d))
        assert mirror_step(*step).tolist() == [0.0] * d
        even = Step(mahalanobis(A), simplex(d), np.full(d, 1 / d), np.full(d, 1e6))
        assert mirror_step(*even) == pytest.approx(np.full(d, 1 / d), abs=tolerance(even))


def test_entropy_on_the_whole_space_is_an_error():
    with pytest.raises(ValueError, match="entropy is not defined on the whole space"):
        mirror_step(entropy(2), space(2), np.ones(2), np.ones(2))


@pytest.mark.parametrize(("regularizer", "kind"), [p for p in PAIRS if p != (ENTROPY, SIMPLEX)])
def test_an_enclosed_point_is_a_start_too(regularizer, kind):
    """A second step from an enclosure, with no gradient: the branch at the boundary is a tie, and yet decided."""
    for rough, step in steps(12, regularizer, kind, 4):
        with precision(256):
            theta = on(mirror_step, step.phi)(*step)
            again = on(mirror_step, step.phi)(step.R, step.domain, theta, step.g * 0)
            assert np.abs(approximate(again - theta)).max() <= tolerance(rough)
