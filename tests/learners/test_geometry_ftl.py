"""FTL over diagonal and full matrices against the printed sums, its lazy solutions, its memory, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.learners.geometry_ftl import CoordinateFTL, MatrixFTL
from arubatheory.learners.matrix_mean import matrix_mean


def printed_rates(b2, g2, eps, zeta, p):
    """eta_t, t = 1, ..., T + 1, by the sums of prp:diagftl from s = 0 with b_0 = g_0 = 0."""
    T, d = b2.shape
    fading = (np.arange(T + 1) + 1.0) ** -p
    rows = []
    for t in range(1, T + 2):
        top = sum(eps**2 * fading[s] + (b2[s - 1] if s else np.zeros(d)) for s in range(t))
        bottom = sum(zeta**2 * fading[s] + (g2[s - 1] if s else np.zeros(d)) for s in range(t))
        rows.append(np.sqrt(top / bottom))
    return np.array(rows)


def printed_matrices(B, G, eps, zeta):
    """H_t, t = 1, ..., T + 1, from the matrices of thm:fullmatrix."""
    d = B[0].shape[0]
    return [
        matrix_mean(
            t * eps**2 * np.eye(d) + sum((X @ X.T for X in B[: t - 1]), np.zeros((d, d))),
            t * zeta**2 * np.eye(d) + sum((X @ X.T for X in G[: t - 1]), np.zeros((d, d))),
        )
        for t in range(1, len(B) + 2)
    ]


def distance(H, K):
    """Thompson's distance."""
    L = np.linalg.inv(np.linalg.cholesky(H))
    return np.abs(np.log(np.linalg.eigvalsh(L @ K @ L.T))).max()


def game(seed, T, d, m):
    """B_t (d, 1) of very different sizes and G_t (d, m), zeros and repetitions among them."""
    rng = np.random.default_rng(seed)
    B = [rng.standard_normal((d, 1)) * 2.0 ** rng.integers(-4, 5) * (t % 5 != 2) for t in range(T)]
    G = [rng.standard_normal((d, m)) * 2.0 ** rng.integers(-4, 5) * (t % 7 != 3) for t in range(T)]
    return B, G


@pytest.mark.parametrize("p", [0.1, 0.4, 2.0])
def test_rates_are_the_printed_ones(p):
    rng = np.random.default_rng(0)
    b2, g2 = rng.random((9, 3)) ** 4, rng.random((9, 3)) ** 4 * [[1.0, 0.0, 100.0]]
    b2[4] = g2[4] = 0
    ftl, played = CoordinateFTL(3, 0.5, 2.0, p), []
    for t in range(9):
        played.append(ftl.preconditioner().eta)
        ftl.learn(b2[t], g2[t])
    played.append(ftl.preconditioner().eta)
    np.testing.assert_allclose(played, printed_rates(b2, g2, 0.5, 2.0, p), rtol=1e-14)
    assert played[0].tolist() == [0.25] * 3


def test_rates_lead_on_the_regularised_losses():
    rng = np.random.default_rng(1)
    b2, g2, eps, zeta, p = rng.random(20), rng.random(20), 0.3, 0.7, 0.4
    ftl = CoordinateFTL(1, eps, zeta, p)
    for t in range(20):
        ftl.learn([b2[t]], [g2[t]])
    fading = (np.arange(21) + 1.0) ** -p

    def past(x):
        return ((np.append(0, b2) + eps**2 * fading) / x + (np.append(0, g2) + zeta**2 * fading) * x).sum()

    x = ftl.preconditioner().eta[0]
    assert past(x) < min(past(x * 0.999), past(x * 1.001))


@pytest.mark.parametrize(("d", "m", "T"), [(1, 1, 4), (2, 3, 6), (12, 2, 9), (5, 20, 8), (40, 1, 5)])
def test_matrices_are_the_printed_ones(d, m, T):
    B, G = game(d, T, d, m)
    ftl, wanted = MatrixFTL(d, 0.5, 0.25), printed_matrices(B, G, 0.5, 0.25)
    for t in range(T + 1):
        H = ftl.preconditioner()
        assert distance(wanted[t], H.matrix()) < 1e-9
        np.testing.assert_allclose(H.inverse() @ H.matrix(), np.eye(d), atol=1e-8)
        if t < T:
            ftl.learn(B[t], G[t])
    assert ftl.solved == T + 1
    np.testing.assert_allclose(
        ftl.preconditioner().matrix() @ ftl.sums()[1] @ ftl.preconditioner().matrix(), ftl.sums()[0], rtol=1e-6
    )


def test_the_span_is_used_while_the_columns_are_fewer_than_d():
    B, G = game(3, 6, 30, 5)
    ftl = MatrixFTL(30, 1.0, 1.0)
    ranks = []
    for t in range(6):
        ranks.append(len(ftl.preconditioner().W))
        ftl.learn(B[t], G[t])
    assert ranks == [0, 6, 12, 18, 24, 30]


@pytest.mark.parametrize("late", [0.02, 0.25, 1.0])
@pytest.mark.parametrize("d", [1, 3, 8])
def test_lazy_matrices_are_as_near_the_leader_as_they_promise(late, d):
    T = 200
    B, G = game(d, T, d, 4)
    B, G = B + [X / 64 for X in B], G + [np.eye(d)[:, :1] * 30.0 for _ in G]  # stationary, then another world
    ftl, wanted = MatrixFTL(d, 0.5, 0.25, late), printed_matrices(B, G, 0.5, 0.25)
    worst, last = 0.0, None
    for t in range(2 * T):
        H = ftl.preconditioner()
        if H is last:
            worst = max(worst, distance(wanted[t], H.matrix()))
        last = H
        ftl.learn(B[t], G[t])
    assert worst <= late + 1e-9
    assert ftl.solved < T and worst > late / 20


def test_being_late_costs_at_most_its_factor_in_every_loss():
    T, d, late = 300, 4, 0.3
    B, G = game(9, T, d, 3)
    lazy, eager = MatrixFTL(d, 0.5, 0.5, late), MatrixFTL(d, 0.5, 0.5)
    for t in range(T):
        H, K = lazy.preconditioner(), eager.preconditioner()
        paid = H.dual_squares(B[t].T).sum() + H.squares(G[t].T).sum()
        due = K.dual_squares(B[t].T).sum() + K.squares(G[t].T).sum()
        assert paid <= np.exp(late) * due * (1 + 1e-12)
        lazy.learn(B[t], G[t])
        eager.learn(B[t], G[t])
    assert lazy.solved < T / 3 and eager.solved == T


def test_memory_does_not_grow_with_the_tasks():
    d = 6
    ftl, rng = MatrixFTL(d, 1.0, 1.0, 0.5), np.random.default_rng(0)
    total = 0
    for _ in range(200):
        X = rng.standard_normal((d, 17))  # more columns than d at once
        total = total + X @ X.T
        ftl.learn(X[:, 0], X)
        assert ftl._B.store.size <= 2 * d * d and ftl._G.store.size <= 2 * d * d
    np.testing.assert_allclose(ftl.sums()[1], total + 201 * np.eye(d), rtol=1e-12)


def test_zero_gradients_and_equal_tasks_leave_a_multiple_of_the_identity():
    ftl, rates = MatrixFTL(3, 0.5, 2.0), CoordinateFTL(3, 0.5, 2.0, 0.4)
    for _ in range(10):
        ftl.learn(np.zeros(3), np.zeros((3, 2)))
        rates.learn(np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(ftl.preconditioner().matrix(), 0.25 * np.eye(3), atol=1e-15)
    np.testing.assert_allclose(rates.preconditioner().eta, 0.25, rtol=1e-14)


# bad input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "make", [lambda **a: CoordinateFTL(**a), lambda **a: MatrixFTL(a["d"], a["eps"], a["zeta"], a["p"])]
)
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"d": 0}, ValueError, "d must be >= 1, got 0"),
        ({"d": 1.5}, TypeError, "d must be an integer, got 1.5"),
        ({"eps": 0.0}, ValueError, "eps must be > 0, got 0.0"),
        ({"eps": 1e-200}, ValueError, "eps must have a square in the range of float64, got 1e-200"),
        ({"zeta": np.nan}, ValueError, "zeta must be finite, got nan"),
        ({"zeta": True}, TypeError, "zeta must be a real number, got True"),
        ({"p": -1.0}, ValueError, "(p|late) must be > 0, got -1.0"),
        ({"p": "fast"}, TypeError, "(p|late) must be a real number, got 'fast'"),
    ],
)
def test_bad_parameters_are_named(make, change, error, message):
    with pytest.raises(error, match=message):
        make(**({"d": 2, "eps": 1.0, "zeta": 1.0, "p": 0.4} | change))


@pytest.mark.parametrize(
    ("b2", "g2", "error", "message"),
    [
        ([1.0], [1.0, 1.0], ValueError, r"b2 must have shape \(2,\), got \(1,\)"),
        ([1.0, 1.0], [1.0, -1.0], ValueError, r"g2 must be >= 0, got \[1.0, -1.0\]"),
        ([np.nan, 1.0], [1.0, 1.0], ValueError, "b2 must be finite, got .*nan"),
        ([1.0, 1.0], [np.inf, 1.0], ValueError, "g2 must be finite"),
        ("much", [1.0, 1.0], TypeError, "b2 must hold real numbers"),
        ([1.0, 1.0], [1.7e308, 1.0], OverflowError, "the sums of squares left the range of float64"),
    ],
)
def test_coordinates_keep_their_state_from_bad_input(b2, g2, error, message):
    ftl = CoordinateFTL(2, 1.0, 1.0, 0.4)
    ftl.learn([1.0, 2.0], [1.7e308, 4.0])
    before = ftl.t, ftl.b.tolist(), ftl.g.tolist()
    with pytest.raises(error, match=message):
        ftl.learn(b2, g2)
    assert (ftl.t, ftl.b.tolist(), ftl.g.tolist()) == before


@pytest.mark.parametrize(
    ("B", "G", "error", "message"),
    [
        ([1.0], [1.0, 1.0], ValueError, r"B must have shape \(2,\) or \(2, k\), got \(1, 1\)"),
        ([1.0, 1.0], np.ones((3, 2)), ValueError, r"G must have shape \(2,\) or \(2, k\), got \(3, 2\)"),
        ([1.0, 1.0], np.ones((2, 1, 1)), ValueError, "G must have shape"),
        ([np.nan, 1.0], [1.0, 1.0], ValueError, "B must be finite, got .*nan"),
        ([1.0, 1.0], [np.inf, 1.0], ValueError, "G must be finite"),
        ([1.0, 1.0], "none", TypeError, "G must hold real numbers"),
        ([1.0, 1.0], [1e200, 1.0], OverflowError, r"G must not exceed 2\^480, got 1.0e\+200"),
    ],
)
def test_matrices_keep_their_state_from_bad_input(B, G, error, message):
    ftl = MatrixFTL(2, 1.0, 1.0, 0.1)
    for _ in range(4):
        ftl.learn([1.0, 2.0], [[1.0, 0.0], [0.0, 3.0]])
    before, t = ftl.sums(), ftl.t
    H = ftl.preconditioner()
    with pytest.raises(error, match=message):
        ftl.learn(B, G)
    assert ftl.t == t and ftl.preconditioner() is H
    assert all(np.array_equal(x, y) for x, y in zip(ftl.sums(), before, strict=True))


def test_a_state_that_floats_cannot_solve_says_so():
    ftl = MatrixFTL(2, 1e-20, 1.0)
    ftl.learn([1.0, 1.0], [1.0, 0.0])
    ftl.learn([1.0, 1.0], [1.0, 0.0])
    with pytest.raises(
        ValueError, match=r"(?s)eps=1e-20, zeta=1.0 are too small beside the columns seen: K must have rank 2"
    ):
        ftl.preconditioner()
