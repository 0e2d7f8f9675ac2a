"""FTL over matrices against the printed sums, its lazy solutions, its memory, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from arubatheory.arithmetic import approximate, exact, precision
from arubatheory.kernel import on
from arubatheory.learners import geometry_ftl
from arubatheory.learners.geometry_ftl import MatrixFTL, play_matrices
from arubatheory.learners.matrix_mean import matrix_mean


def sums(ftl):
    """What it holds of B_t^2 and G_t^2, the regularisers included."""
    factors = ((ftl._B.columns(), ftl.eps), (ftl._G.columns(), ftl.zeta))
    return [F @ F.T + ftl.t * eps**2 * np.eye(ftl.d) for F, eps in factors]


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


@pytest.mark.parametrize(("d", "m", "T"), [(1, 1, 4), (2, 3, 6), (12, 2, 9), (5, 20, 8), (40, 1, 5)])
def test_matrices_are_the_printed_ones(d, m, T):
    B, G = game(d, T, d, m)
    ftl, wanted = MatrixFTL(d, 0.5, 0.25), printed_matrices(B, G, 0.5, 0.25)
    for t in range(T + 1):
        H = ftl.preconditioner()
        assert distance(wanted[t], H.matrix()) < 1e-9
        np.testing.assert_allclose(H.inverse().matrix() @ H.matrix(), np.eye(d), atol=1e-8)
        if t < T:
            ftl.learn(B[t], G[t])
    assert ftl.solved == T + 1
    H, (B, G) = ftl.preconditioner().matrix(), sums(ftl)
    np.testing.assert_allclose(H @ G @ H, B, rtol=1e-6)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_twin_in_closed_form_plays_the_same_matrices(d):
    B, G = game(d, 12, d, 2)
    if d == 3:  # there it knows diagonal matrices only
        B, G = ([np.diag(X[:, 0]) for X in columns] for columns in (B, G))
    ftl, (B2, G2) = MatrixFTL(d, 0.5, 0.25), (np.array([X @ X.T for X in columns]) for columns in (B, G))
    H, inverse = play_matrices(B2, G2, 0.25, 0.0625)
    with precision(128):
        parts = exact((B2, G2, 0.25, 0.0625))
        exactly = approximate(on(play_matrices, parts[0])(*parts))
    for t in range(13):
        wanted = ftl.preconditioner()
        np.testing.assert_allclose(H[t], wanted.matrix(), rtol=1e-9, atol=1e-9 * np.trace(H[t]))
        np.testing.assert_allclose(inverse[t], wanted.inverse().matrix(), rtol=1e-9, atol=1e-9 * np.trace(inverse[t]))
        np.testing.assert_allclose(H[t], exactly[0][t], rtol=1e-9, atol=1e-11 * np.trace(H[t]))
        np.testing.assert_allclose(inverse[t], exactly[1][t], rtol=1e-9, atol=1e-11 * np.trace(inverse[t]))
        if t < 12:
            ftl.learn(B[t], G[t])


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


def test_the_range_holds_the_eigenvalues_of_what_was_added():
    (_, G), (W, _) = game(3, 9, 5, 3), np.linalg.qr(np.random.default_rng(0).standard_normal((5, 5)))
    S = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
    growth, R, wanted = geometry_ftl._Added(W, S), W / np.sqrt(S), np.zeros((5, 5))
    for X in G:
        growth.add(X.T @ W, 0.125)
        wanted += R.T @ (X @ X.T + 0.125 * np.eye(5)) @ R
        np.testing.assert_allclose(growth.E, np.tril(wanted), rtol=1e-12, atol=1e-12)
        values = np.linalg.eigvalsh(wanted)
        assert growth.range()[0] <= values[0] and values[-1] <= growth.range()[1] <= wanted.trace()
        assert (growth.trace, growth.square) == pytest.approx((wanted.trace(), (wanted**2).sum()), rel=1e-12)


def test_learning_says_what_the_matrix_given_last_has_lost():
    B, G = game(4, 12, 6, 2)
    ftl = MatrixFTL(6, 0.5, 0.25, 0.2)
    H = 2 * np.eye(6)
    for x, y in zip(B, G, strict=True):
        lost = ftl.learn(x, y)
        assert lost == pytest.approx(np.trace(np.linalg.solve(H, x @ x.T)) + np.trace(H @ y @ y.T), rel=1e-9)
        H = ftl.preconditioner().matrix()
    far = MatrixFTL(1, 1e150, 1e-10)
    with pytest.raises(OverflowError, match="B and G must have a loss in the range of float64, got inf"):
        far.learn([0.0], [2.0**479])
    assert far.t == 1


def test_sums_that_grow_alike_in_all_directions_are_solved_once():
    ftl = MatrixFTL(3, 0.5, 0.5, 0.01)
    for _ in range(20):
        ftl.learn(np.eye(3), np.eye(3))
        np.testing.assert_allclose(ftl.preconditioner().matrix(), np.eye(3), atol=1e-12)
    assert ftl.solved == 1


def test_being_late_costs_at_most_its_factor_in_every_loss():
    T, d, late = 300, 4, 0.3
    B, G = game(9, T, d, 3)
    lazy, eager = MatrixFTL(d, 0.5, 0.5, late), MatrixFTL(d, 0.5, 0.5)
    for t in range(T):
        H, K = lazy.preconditioner(), eager.preconditioner()
        paid = H.inverse().squares(B[t].T).sum() + H.squares(G[t].T).sum()
        due = K.inverse().squares(B[t].T).sum() + K.squares(G[t].T).sum()
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
        assert all(F.columns().size <= 2 * d * d and F.rows.size == d * d for F in (ftl._B, ftl._G))
    np.testing.assert_allclose(sums(ftl)[1], total + 201 * np.eye(d), rtol=1e-12)


def test_zero_gradients_and_equal_tasks_leave_a_multiple_of_the_identity():
    ftl = MatrixFTL(3, 0.5, 2.0)
    for _ in range(10):
        ftl.learn(np.zeros(3), np.zeros((3, 2)))
    np.testing.assert_allclose(ftl.preconditioner().matrix(), 0.25 * np.eye(3), atol=1e-15)


# bad input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"d": 0}, ValueError, "d must be >= 1, got 0"),
        ({"d": 1.5}, TypeError, "d must be an integer, got 1.5"),
        ({"eps": 0.0}, ValueError, "eps must be > 0, got 0.0"),
        ({"eps": 1e-200}, ValueError, "eps must have a square in the range of float64, got 1e-200"),
        ({"zeta": np.nan}, ValueError, "zeta must be finite, got nan"),
        ({"zeta": True}, TypeError, "zeta must be a real number, got True"),
        ({"late": -1.0}, ValueError, "late must be >= 0, got -1.0"),
        ({"late": "fast"}, TypeError, "late must be a real number, got 'fast'"),
    ],
)
def test_bad_parameters_are_named(change, error, message):
    with pytest.raises(error, match=message):
        MatrixFTL(**({"d": 2, "eps": 1.0, "zeta": 1.0} | change))


@pytest.mark.parametrize(
    ("B", "G", "error", "message"),
    [
        ([1.0], [1.0, 1.0], ValueError, r"B must have shape \(2,\) or \(2, k\), got \(1, 1\)"),
        ([1.0, 1.0], np.ones((3, 2)), ValueError, r"G must have shape \(2,\) or \(2, k\), got \(3, 2\)"),
        ([1.0, 1.0], np.ones((2, 1, 1)), ValueError, "G must have shape"),
        ([np.nan, 1.0], [1.0, 1.0], ValueError, "B must be finite, got .*nan"),
        ([1.0, 1.0], [np.inf, 1.0], ValueError, "G must be finite"),
        ([1.0, 1.0], "none", TypeError, "G must hold real numbers"),
        ([1.0, 1.0], np.broadcast_to(1.0, (2, 2**30)), ValueError, "G must hold at most"),
        ([1.0, 1.0], np.ma.array([1.0, 1.0], mask=[0, 1]), TypeError, "G must not be masked"),
        ([1.0, 1.0], [1e200, 1.0], OverflowError, r"G must not exceed 2\^480, got 1.0e\+200"),
    ],
)
def test_matrices_keep_their_state_from_bad_input(B, G, error, message):
    ftl = MatrixFTL(2, 1.0, 1.0, 0.1)
    for _ in range(4):
        ftl.learn([1.0, 2.0], [[1.0, 0.0], [0.0, 3.0]])
    before, t = sums(ftl), ftl.t
    H = ftl.preconditioner()
    with pytest.raises(error, match=message):
        ftl.learn(B, G)
    assert ftl.t == t and ftl.preconditioner() is H
    assert all(np.array_equal(x, y) for x, y in zip(sums(ftl), before, strict=True))


def test_a_state_that_floats_cannot_solve_says_so():
    ftl = MatrixFTL(2, 1e-20, 1.0)
    ftl.learn([1.0, 1.0], [1.0, 0.0])
    ftl.learn([1.0, 1.0], [1.0, 0.0])
    with pytest.raises(
        ValueError, match=r"(?s)eps=1e-20, zeta=1.0 are too small beside the columns seen: K must have rank 2"
    ):
        ftl.preconditioner()
