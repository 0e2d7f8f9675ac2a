"""Matrix FTL: refutations with numbers that one can check by hand, and the corrected bounds beyond two dimensions."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from arubatheory.arithmetic import Undecided, exact, precision
from arubatheory.engines.exact import certify_instance
from arubatheory.engines.rate import rate
from arubatheory.engines.verdict import Status
from arubatheory.kernel import compiled, on
from arubatheory.learners.matrix_mean import closed_mean, matrix_mean
from arubatheory.papers.aruba.d_geometry import fullmatrix as full_matrix
from arubatheory.papers.aruba.d_geometry import fullmatrix_rates as full_matrix_rates
from arubatheory.papers.aruba.d_geometry import matrixftl as matrix_ftl
from arubatheory.papers.aruba.d_geometry import matrixftl_proof
from arubatheory.papers.aruba.games import matrices as games
from arubatheory.papers.aruba.s4_adaptive import matrix as preconditioned
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import mahalanobis
from arubatheory.statements.core import statements_in
from tests.made import is_suspect, remembering

SECTIONS = (preconditioned, matrix_ftl, matrixftl_proof, full_matrix, full_matrix_rates)
BY_LABEL = {s.label: s for section in SECTIONS for s in statements_in(vars(section))}


def exactly(**parts):
    return SimpleNamespace(**{name: exact(value) for name, value in parts.items()})


def judged(label, instance):
    return certify_instance(BY_LABEL[label], instance)


# refuted ---------------------------------------------------------------------------------------------------------


def one_round(copies, eps, zeta):
    """T = m = 1, b = 0, g = 1 in so many dimensions."""
    one = np.array([[1.0]])
    return exactly(
        sigma_B=1.0,
        sigma_G=1.0,
        eps=eps,
        zeta=zeta,
        m=1.0,
        b=0 * one,
        g=one,
        B2=0 * one[None],
        G2=one[None],
        copies=copies,
    )


def test_the_constant_of_prp_matrixftl_depends_on_the_dimension():
    found = judged("prp:matrixftl/dimension-free", one_round(2.0**20, 1.0, 1.0))
    assert found.outcome == "violated" and found.bits == 0
    assert (found.sides.lhs, found.sides.rhs) == (2**20, 10**6 + 4)
    assert judged("prp:matrixftl/dimension-free", one_round(2.0**19, 1.0, 1.0)).outcome == "holds"


def test_the_constant_of_prp_matrixftl_depends_on_epsilon_and_zeta():
    found = judged("prp:matrixftl/one-dimensional", one_round(1.0, 2.0**10, 2.0**-10))
    assert found.outcome == "violated"
    assert found.sides.lhs == 2**20
    assert found.sides.rhs == exact(10**6 / 2**10 + 2 * 2**10 + 2 / 2**10)
    assert judged("prp:matrixftl/one-dimensional", one_round(1.0, 1.0, 2.0**-10)).outcome == "holds"


def test_the_modified_functions_of_the_proof_have_another_leader():
    """B~^2 = 1, 4 and G~^2 = 1, 1: the leader is the root of 5/2, that of the modified functions the root of 8/5."""
    B2, one = np.array([[[0.5]], [[3.5]]]), np.ones((2, 1, 1)) / 2
    for square, outcome in ((8 / 5, "violated"), (5 / 2, "holds"), (4.0, "holds")):
        i = SimpleNamespace(
            sigma_B=2.0,
            sigma_G=1.0,
            eps=np.sqrt(0.5),
            zeta=np.sqrt(0.5),
            m=1.0,
            b=B2[:, 0] / 4,
            g=one[:, 0],
            B2=B2,
            G2=one,
            X=np.array([[np.sqrt(square)]]),
            near=False,
        )
        sides = BY_LABEL["prp:matrixftl/proof-2"].sides(i)
        assert ("violated" if sides.lhs > sides.rhs + 1e-12 else "holds") == outcome


def test_a_euclidean_projection_loses_the_bound():
    """phi = (0, -1/2), gradients (2, 0) and (0, 32), H = Diag(1, 32^-2): regret above 8, bound 5."""
    point = np.array([0.0, -0.5])
    x = SimpleNamespace(
        losses=exact(losses("linear", np.array([[2.0, 0.0], [0.0, 32.0]]))),
        domain=exact(ball(np.zeros(2), 1.0)),
        R=exact(mahalanobis(np.diag([1.0, 1024.0]))),
        phi=exact(point),
        comparator=exact(point),
        outward=exact(np.zeros((2, 2))),
    )
    found = judged("eq:matrix/remark/euclidean", x)
    assert found.outcome == "violated" and found.sides.rhs == 5 and found.sides.lhs > 8
    assert judged("eq:matrix/remark/greedy", x).outcome == "holds"


@pytest.mark.parametrize(
    "label, h, fails, holds",
    [
        ("thm:fullmatrix/dimension-free", 2.0**-32, 128, 96),
        ("thm:app:fullmatrix/literal-half", 45 / 64, 144, 112),
        ("thm:app:fullmatrix/proof-2", 2.0**-32, 128, 96),
    ],
)
def test_closed_families_pass_the_named_constant(label, h, fails, holds):
    for power, outcome in ((fails, "violated"), (holds, "holds")):
        assert judged(label, exactly(T=2.0**power, root_m=1.0, h=h)).outcome == outcome


def test_the_means_cost_a_diameter():
    """T = m = 1 on [-1, 1], phi_1 = -1, theta* = 1 = phi, gradient 1: 2 sqrt 2 against 2 H + H."""
    one, h = np.array([1.0]), 2.0**-4
    i = exactly(
        domain=ball(np.zeros(1), 1.0),
        D=2.0,
        G=1.0,
        m=1.0,
        points=one[None],
        gradients=one[None, None],
        first=-one,
        phi=one,
        H=np.array([[h]]),
        eps=1.0,
        zeta=1.0,
        size=1.0,
    )
    i.repeated, i.printed, i.centred, i.shaped = 1, False, False, False
    found = judged("thm:app:fullmatrix/proof-3", i)
    assert found.outcome == "violated" and found.sides.rhs == exact(3 * h)
    with precision(64):
        assert abs(found.sides.lhs * found.sides.lhs - 8) < exact(1e-12)
    assert judged("thm:app:fullmatrix/proof-3/corrected", i).outcome == "holds"


# closed forms ----------------------------------------------------------------------------------------------------


def spd(rng, d, rank=None):
    a = rng.standard_normal((d, rank or d))
    square = a @ a.T
    return (square + square.T) / 2


def test_the_closed_form_solves_the_matrix_equation():
    rng = np.random.default_rng(0)
    for d in (1, 2):
        B, G = spd(rng, d), spd(rng, d)
        X = closed_mean(B, G)
        np.testing.assert_allclose(X @ G @ X, B, rtol=1e-12)
        np.testing.assert_allclose(X, matrix_mean(B, G), rtol=1e-10)
        np.testing.assert_allclose(X @ closed_mean(G, B), np.eye(d), atol=1e-12)
        assert games.least(B, G) == pytest.approx(np.trace(np.linalg.inv(X) @ B + X @ G), rel=1e-12)
        with precision(256):
            enclosed = on(closed_mean, exact(B))(exact(B), exact(G))
            assert all(abs(x) < exact(1e-60) for x in (enclosed @ exact(G) @ enclosed - exact(B)).ravel())
    for norm in (np.array([[1.0, 2.0], [-3.0, 0.5]]), np.array([[0.0, 1.0], [0.0, 0.0]])):
        assert games.spectral(norm) == pytest.approx(np.linalg.norm(norm, 2))


# beyond two dimensions -------------------------------------------------------------------------------------------


def root(a):
    values, vectors = np.linalg.eigh(a)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def fidelity(B, G):
    """Tr (B^1/2 G B^1/2)^1/2, half of the least total."""
    return float(np.linalg.svd(root(B) @ root(G), compute_uv=False).sum())


def matrix_game(rng, d, T):
    """B_t^2 and G_t^2 of norm at most 1, of any rank, in one or two phases."""
    B2 = np.array([spd(rng, d, rng.integers(1, d + 1)) for _ in range(T)])
    G2 = np.array([spd(rng, d, rng.integers(1, d + 1)) for _ in range(T)])
    B2, G2 = (x / np.linalg.norm(x, 2, axis=(1, 2), keepdims=True) for x in (B2, G2))
    if rng.random() < 0.5:
        G2[: T // 2] = 0
        B2[T // 2 :] = 0
    return B2, G2


@pytest.mark.parametrize("d", [3, 8])
def test_leaders_that_do_not_commute_are_enclosed(d):
    rng = np.random.default_rng(d)
    B, G = spd(rng, d), spd(rng, d)
    X, Y = games.leader(B, G)
    np.testing.assert_allclose(X, matrix_mean(B, G), rtol=1e-7)
    np.testing.assert_allclose(X @ Y, np.eye(d), atol=1e-7)
    with precision(256):
        B_, G_ = exact(B), exact(G)
        X_, Y_ = games.leader(B_, G_)
        for gap in (X_ @ G_ @ X_ - B_, Y_ @ B_ @ Y_ - G_, X_ @ Y_ - np.eye(d, dtype=int)):
            assert all(abs(x) < exact(1e-30) for x in gap.ravel())
    with precision(64), pytest.raises(Undecided):
        games.leader(exact(np.ones((d, d))) + exact(2.0**-200) * np.eye(d, dtype=int), exact(G))


@pytest.mark.parametrize("d", [3, 8])
@pytest.mark.parametrize("rank", [1, 2, 8])
def test_the_least_total_is_twice_the_fidelity(d, rank):
    rng = np.random.default_rng(10 * d + rank)
    root = rng.integers(-3, 4, (d, min(rank, d))).astype(float)  # no rounding: of that rank in exact numbers too
    B, G = root @ root.T, spd(rng, d)
    wanted = 2 * fidelity(B, G)
    assert games.least_of(B, G) == pytest.approx(wanted, rel=1e-7)
    with precision(256):
        found = games.least_of(exact(B), exact(G))
        assert abs(found - exact(wanted)) < exact(1e-7 * wanted)  # with its radius
    assert games.spectral(spd(rng, d) @ G) > 0


@pytest.mark.parametrize("d", [3, 8])
def test_what_commutes_is_played_as_its_diagonal(d):
    """One rotation for all matrices: the totals of the turned game are those of the diagonal one."""
    rng = np.random.default_rng(d)
    turn, b, g = np.linalg.qr(rng.standard_normal((d, d)))[0], rng.random((3, d)), rng.random((3, d))
    stacks = [np.array([np.diag(row) for row in rows]) for rows in (b, g)]
    plain = games.sums(*stacks, 0.25, 0.5)
    turned = games.sums(*(turn @ stack @ turn.T for stack in stacks), 0.25, 0.5)
    assert games.is_closed(*stacks) and not games.is_closed(turned[2])
    np.testing.assert_allclose(turned[:2], plain[:2], rtol=1e-9)
    np.testing.assert_allclose(games.spectral(turned[3]), games.spectral(plain[3]), rtol=1e-9)


@pytest.mark.parametrize("d", [3, 5])
def test_the_corrected_bound_holds_without_commuting_in_higher_dimensions(d):
    rng = np.random.default_rng(d)
    worst = 0.0
    for _ in range(20):
        T, (eps, zeta) = int(rng.integers(1, 60)), 2.0 ** rng.uniform(-2, 1, 2)
        B2, G2 = matrix_game(rng, d, T)
        B, G = eps**2 * np.eye(d), zeta**2 * np.eye(d)
        played, gaps = 0.0, 0.0
        for b, g in zip(B2, G2, strict=True):
            X = matrix_mean(B, G)
            inverse, b_more, g_more = np.linalg.inv(X), b + eps**2 * np.eye(d), g + zeta**2 * np.eye(d)
            played += np.trace(inverse @ b + X @ g)
            # the regret of a round is a squared Bures distance, at most half of two traces
            gap = np.trace(inverse @ b_more + X @ g_more) + 2 * fidelity(B, G) - 2 * fidelity(B + b_more, G + g_more)
            traces = inverse @ b_more @ np.linalg.solve(B, b_more) + X @ g_more @ np.linalg.solve(G, g_more)
            assert -1e-9 <= gap <= np.trace(traces) / 2 + 1e-9
            gaps += gap
            B, G = B + b_more, G + g_more
        i = SimpleNamespace(sigma_B=1.0, sigma_G=1.0, eps=eps, zeta=zeta, m=1.0, B2=B2)
        regret = played - 2 * fidelity(B2.sum(axis=0), G2.sum(axis=0))
        linear = d * matrix_ftl.linear(i, np.sqrt(T * (T + 1)))
        assert regret <= gaps + linear + 1e-9
        worst = max(worst, regret / (games.coupled(i) + linear))
    assert 0.01 < worst < 1


@pytest.mark.parametrize("d", [3, 8])
def test_the_corrected_theorem_holds_in_higher_dimensions(d):
    """D = G = 2, optima and gradients of any directions or of a new axis in every task."""
    rng, worst = np.random.default_rng(d), 0.0
    for trial in range(20):
        T, m = int(rng.integers(1, 40)), int(rng.integers(1, 4))
        points, gradients = rng.standard_normal((T, d)), rng.standard_normal((T, m, d))
        if trial % 2:
            points, gradients = 0 * points, np.repeat(np.eye(d)[np.arange(T) % d][:, None], m, axis=1)
        points /= np.maximum(1, np.linalg.norm(points, axis=-1, keepdims=True))
        gradients *= 2 / np.linalg.norm(gradients, axis=-1, keepdims=True)
        i = SimpleNamespace(
            D=2.0,
            G=2.0,
            m=float(m),
            points=points,
            first=points[-1],
            printed=False,
            eps=2.0 ** rng.uniform(-2, 1),
            zeta=2.0 ** rng.uniform(-1, 2),
        )
        B2, G2 = (
            full_matrix.deviations(points, full_matrix.means(points, i.first)),
            np.einsum("tij,tik->tjk", gradients, gradients),
        )
        paid, B, G = 0.0, i.eps**2 * np.eye(d), i.zeta**2 * np.eye(d)
        for b, g in zip(B2, G2, strict=True):
            X = matrix_mean(B, G)
            paid += np.trace(np.linalg.solve(X, b)) + np.trace(X @ g)
            B, G = B + b + i.eps**2 * np.eye(d), G + g + i.zeta**2 * np.eye(d)
        worst = max(worst, (paid - 2 * fidelity(B2.sum(axis=0), G2.sum(axis=0))) / full_matrix.excess(i))
    assert 0.01 < worst < 1


# rates -----------------------------------------------------------------------------------------------------------
SLOW = pytest.mark.skipif(not compiled(), reason="a quarter of a million tasks, one by one")


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("tasks", full_matrix_rates.TASKS)
def test_what_grows_is_the_excess_of_the_upper_bound(d, tasks):
    """The compiled sums against thm:fullmatrix written out with `matrix_mean`."""
    i = SimpleNamespace(tasks=tasks, d=d, seed=7, size=1.5, slope=2.0, first=0.25)
    T, eps = 12, 12 ** (-1 / 8)
    points, gradients = (x[..., :d] for x in full_matrix_rates.sequence(i, T))
    paid, start = 0.0, np.full(d, 0.25 * 1.5)
    B, G = np.zeros((d, d)), np.zeros((d, d))
    for t in range(T):
        H = matrix_mean(B + (t + 1) * eps**2 * np.eye(d), G + (t + 1) * 4 * eps**2 * np.eye(d))
        away = points[t] - start
        paid += away @ np.linalg.solve(H, away) / 2 + sum(g @ H @ g for g in gradients[t])
        B, G = B + np.outer(away, away) / 2, G + gradients[t].T @ gradients[t]
        start = points[: t + 1].mean(axis=0)
    spread = points - points.mean(axis=0)
    best = 2 * fidelity(spread.T @ spread / 2, G)
    assert full_matrix_rates.excess(i, T, 1 / 8) == pytest.approx((paid - best) / T, rel=1e-7, abs=1e-7)


@SLOW
@pytest.mark.parametrize("label, smaller", [("thm:fullmatrix/rate", -0.25), ("thm:fullmatrix/rate/quarter", -0.375)])
def test_a_smaller_exponent_is_suspect(label, smaller):
    true = remembering(BY_LABEL[label])
    assert rate(true, 8, 1).status == Status.SURVIVED
    assert is_suspect(replace(true, growth=true.growth._replace(exponent=smaller)), 8)


@SLOW
def test_the_matrices_of_the_appendix_have_another_rate():
    assert is_suspect(BY_LABEL["thm:app:fullmatrix/rate"], 8)
