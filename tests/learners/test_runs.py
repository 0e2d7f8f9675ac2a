"""Many runs at once, outputs that are written again, and values without actions."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arubatheory.arithmetic import approximate, exact, is_exact
from arubatheory.convex.hindsight import Hindsight, hindsight
from arubatheory.kernel import on
from arubatheory.learners import (
    Trajectory,
    aogd,
    dynamic_ogd,
    ftl,
    ftrl,
    greedy_ogd,
    omd,
    preconditioned_descent,
    preconditioned_omd,
    regret,
    runs,
)
from arubatheory.learners.mirror_descent import SHORT
from arubatheory.problems import domains, losses
from arubatheory.problems.domains import ball, box, center, project, simplex
from arubatheory.problems.losses import Losses, subgradient
from arubatheory.problems.losses import losses as make
from arubatheory.problems.regularizers import entropy, euclidean

N, M, D = 5, 4, 3
DOMAINS = {
    "ball": [domains.ball([0.1 * k, 0, 0], 0.5) for k in range(N)],
    "box": [domains.box([-0.5] * D, [0.1 + k] * D) for k in range(N)],
    "simplex": [domains.simplex(D, 0.1 * (k % 3)) for k in range(N)],
    "space": [domains.space(D)] * N,
}
LINKS = ["linear", "square", "logistic", "hinge"]


def sequences(links: Any) -> list[Losses]:
    rng = np.random.default_rng(7)
    return [make(links, rng.normal(size=(M, D)), rng.normal(size=M), ridge=0.3) for _ in range(N)]


def starts(over: Any) -> Any:
    return np.array([domains.center(x) for x in over])


def learner(name: str, R: Any = None) -> Any:
    alpha = np.linspace(1.0, 2.0, M)
    return {
        "omd": lambda L, over, phi, eta, **more: omd(L, over, R or euclidean(L.a.shape[-1]), phi, eta, **more),
        "greedy_ogd": greedy_ogd,
        "dynamic_ogd": lambda L, over, phi, eta, **more: dynamic_ogd(L, over, phi, eta, 0.5, **more),
        "aogd": lambda L, over, phi, eta, **more: aogd(L, over, phi, alpha, **more),
    }[name]


NAMES = ["omd", "greedy_ogd", "dynamic_ogd", "aogd"]


@pytest.mark.parametrize("kind", DOMAINS)
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_its_runs(name: Any, kind: Any) -> None:
    over, play, eta = DOMAINS[kind], learner(name), np.linspace(0.1, 1.0, N)
    many, phi = sequences(LINKS), starts(DOMAINS[kind])
    found = play(losses.batch(many), domains.batch(over), phi, eta)
    assert found.actions.shape == (N, M, D) and found.values.shape == found.gap.shape == (N, M)
    for k in range(N):
        alone = play(many[k], over[k], phi[k], float(eta[k]))
        assert all(np.array_equal(x[k], y) for x, y in zip(found, alone, strict=True))


@pytest.mark.parametrize("shared", ["losses", "domain", "phi", "eta", None])
@pytest.mark.parametrize("name", ["omd", "greedy_ogd"])
@pytest.mark.parametrize("number", [float, exact], ids=["floats", "exact"])
@pytest.mark.parametrize("d", [D, SHORT])
def test_runs_abreast_are_their_runs(name: Any, shared: Any, number: Any, d: int) -> None:
    """Linear losses on balls: eight runs abreast and three that are left, or long rows, run by run; one run overflows,
    in floats."""
    n, rng, turn = 11, np.random.default_rng(3), (lambda x: x) if number is float else exact
    a, eta = np.round(rng.normal(size=(n, M, d)) * 8) / 8, rng.integers(1, 9, size=n) / 8
    if number is float:
        a[4] *= 1e160
    balls = [ball(np.arange(d) / 4 - k / 8, k % 3 / 2) for k in range(n)]
    many = [turn(make("linear", a[k], b=k, weight=1 + k % 2)) for k in range(n)]
    one = {"losses": many[4], "domain": turn(balls[1]), "phi": turn(balls[1].center), "eta": turn(eta[2])}
    all_ = {"losses": losses.batch(many), "domain": turn(domains.batch(balls)), "phi": [x.center for x in balls]}
    all_ |= {"eta": turn(eta), "phi": turn(np.array(all_["phi"]))}
    if shared in ("domain", "phi"):  # a start has to lie in its ball
        all_ |= {"domain": one["domain"], "phi": turn(np.tile(balls[1].center, (n, 1)))}
    given = {**all_, **({shared: one[shared]} if shared else {})}
    found, play = learner(name)(*given.values()), learner(name)
    for k in range(n):
        alone = play(
            many[4 if shared == "losses" else k],
            turn(balls[1 if shared in ("domain", "phi") else k]),
            turn(balls[1 if shared in ("domain", "phi") else k].center),
            turn(eta[2 if shared == "eta" else k]),
        )
        for x, y in zip(found, alone, strict=True):
            if number is float:
                np.testing.assert_allclose(x[k], y, rtol=1e-13, atol=1e-14)
            else:
                assert all(bool(abs(p - q) <= exact(1e-9)) for p, q in zip(x[k].flat, y.flat, strict=True))


@pytest.mark.parametrize("bend", ["link", "ridge"])
@pytest.mark.parametrize("name", ["omd", "greedy_ogd"])
@pytest.mark.parametrize("number", [float, exact], ids=["floats", "exact"])
def test_a_bent_loss_that_comes_late_is_played_like_any_other(name: Any, bend: str, number: Any) -> None:
    """The kernels of linear losses stop at it; an `out` is filled all the same, gaps too."""
    turn, rng = (lambda x: x) if number is float else exact, np.random.default_rng(5)
    a, over, phi = np.round(rng.normal(size=(9, M, D)) * 8) / 8, turn(ball(np.zeros(D), 0.5)), turn(np.zeros(D))

    L = turn(losses.batch([make(["linear"] * (M - 1) + ["square" if bend == "link" else "linear"], x) for x in a]))
    if bend == "ridge":
        L = L._replace(ridge=turn(np.tile(np.eye(M)[-1], (9, 1))))
    out = Trajectory(*(np.full(s, turn(np.array([7.0]))[0], L.a.dtype) for s in ((9, M, D), (9, M), (9, M))))
    found, eta = learner(name)(L, over, phi, turn(0.25), out=out), turn(0.25)
    assert found is out and not np.any(out.gap != 0)
    for k in range(9):
        theta, summed = phi, 0 * phi
        alone = learner(name)(L.one(k), over, phi, eta)
        for i in range(M):
            for given in (found.actions[k, i], alone.actions[i]):
                assert all(abs(p - q) <= turn(1e-12) for p, q in zip(given, theta, strict=True))
            assert abs(found.values[k, i] - alone.values[i]) <= turn(1e-12)
            g = on(subgradient, phi)(L.one(k), i, theta)
            summed = summed + g
            theta = on(project, phi)(over, (phi - eta * summed) if name == "omd" else theta - eta * g)
        last = a[k, -1] @ approximate(found.actions[k, -1])
        bent = last**2 / 2 if bend == "link" else last + (approximate(found.actions[k, -1]) ** 2).sum() / 2
        assert float(approximate(found.values[k, -1])) == pytest.approx(bent, abs=1e-12)


def test_an_output_may_hold_the_start_of_the_next_play() -> None:
    L, over = sequences(["linear"] * M)[0], DOMAINS["ball"][0]
    first = greedy_ogd(L, over, np.zeros(D), 0.5)
    expected = greedy_ogd(L, over, first.actions[-1].copy(), 0.5)
    found = greedy_ogd(L, over, first.actions[-1], 0.5, out=first)
    assert np.array_equal(found.actions, expected.actions)


@pytest.mark.parametrize("name", ["omd", "greedy_ogd", "dynamic_ogd"])
@pytest.mark.parametrize("links", [["linear"] * M, LINKS])
def test_an_output_may_lie_over_starts_and_step_sizes(name: Any, links: Any) -> None:
    """Both are read before anything is written: no kernel is told that memory is apart which is not."""
    L, over, play = losses.batch(sequences(links)), DOMAINS["ball"][0], learner(name)
    eta, phi = np.linspace(0.1, 1.0, N), np.tile(over.center, (N, 1))
    expected = play(L, over, phi.copy(), eta.copy())
    room = Trajectory(*(np.zeros_like(x) for x in expected))
    for array, given in ((room.values.reshape(-1)[:N], eta), (room.actions.reshape(-1, D)[:N], phi)):
        array[:] = given
    found = play(L, over, room.actions.reshape(-1, D)[:N], room.values.reshape(-1)[:N], out=room)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_what_has_no_leading_axis_serves_all_runs(name: Any) -> None:
    over, L, play = DOMAINS["ball"][0], sequences(["linear"] * M), learner(name)
    found = play(losses.batch(L), over, np.zeros(D), 0.5)
    assert np.array_equal(found.values[3], play(L[3], over, np.zeros(D), 0.5).values)
    found = play(L[0], over, np.zeros((2, D)), 0.5)
    assert found.actions.shape == (2, M, D) and np.array_equal(found.values[0], found.values[1])


def test_a_batch_with_another_regulariser_is_its_runs() -> None:
    over, phi = domains.simplex(D), np.full(D, 1 / D)
    found = omd(losses.batch(sequences(LINKS)), over, entropy(D), phi, 0.5)
    alone = omd(sequences(LINKS)[2], over, entropy(D), phi, 0.5)
    assert all(np.array_equal(x[2], y) for x, y in zip(found, alone, strict=True))


@pytest.mark.parametrize("kind", ["box", "simplex"])
def test_an_exact_batch_is_its_runs(kind: Any) -> None:
    over, play = exact(DOMAINS[kind][0]), learner("greedy_ogd")
    many = [exact(L) for L in sequences(["linear", "square"] * 2)]
    phi = exact(np.array([0.0, 0.0, 1.0])) if kind == "simplex" else over.low
    found = play(losses.batch(many), over, phi, 0.5)
    alone = play(many[1], over, phi, 0.5)
    assert all(np.array_equal(x[1], y) for x, y in zip(found, alone, strict=True))


@pytest.mark.parametrize("links", [["linear"] * M, LINKS])
@pytest.mark.parametrize("name", NAMES)
def test_values_are_the_same_without_actions_and_in_arrays_used_again(name: Any, links: Any) -> None:
    L, over, play = sequences(links)[0], DOMAINS["ball"][0], learner(name)
    fresh, bare = play(L, over, np.zeros(D), 0.5), play(L, over, np.zeros(D), 0.5, actions=False)
    assert bare.actions.shape == (0, D) and np.array_equal(bare.values, fresh.values)
    room = Trajectory(*(np.full_like(x, 7.0) for x in fresh))
    again = play(L, over, np.zeros(D), 0.5, out=room)
    assert again is room and all(np.array_equal(x, y) for x, y in zip(again, fresh, strict=True))


@pytest.mark.parametrize("n", [0, 11])
@pytest.mark.parametrize("name", ["omd", "greedy_ogd"])
def test_gaps_of_linear_losses_are_written_again(name: Any, n: int) -> None:
    a = np.random.default_rng(1).normal(size=(n, M, D) if n else (M, D))
    fresh = learner(name)(make("linear", a), DOMAINS["ball"][0], np.zeros(D), 0.5)
    room = Trajectory(*(np.full_like(x, 7.0) for x in fresh))
    learner(name)(make("linear", a), DOMAINS["ball"][0], np.zeros(D), 0.5, out=room)
    assert np.all(room.gap == 0) and all(np.array_equal(x, y) for x, y in zip(room, fresh, strict=True))


SOLVED: Any = {
    "ftl": lambda L, over, phi: ftl(L, over, phi),
    "ftrl": lambda L, over, phi: ftrl(L, over, euclidean(D), phi, exact(0.5) if is_exact(phi) else 0.5),
    "preconditioned_omd": lambda L, over, phi: preconditioned_omd(L, over, np.array([1.0, 2.0, 0.5]), phi),
    "preconditioned_descent": lambda L, over, phi: preconditioned_descent(L, 0.5, phi),
}


@pytest.mark.parametrize("name", SOLVED)
def test_a_batch_of_what_is_solved_is_its_runs(name: Any) -> None:
    over, play, many = DOMAINS["ball"], SOLVED[name], sequences(LINKS)
    phi = starts(over)
    found = play(losses.batch(many), domains.batch(over), phi)
    assert found.actions.shape == (N, M, D) and found.values.shape == found.gap.shape == (N, M)
    for k in range(N):
        assert all(np.array_equal(x[k], y) for x, y in zip(found, play(many[k], over[k], phi[k]), strict=True))
    shared = play(many[0], over[0], phi[:1])
    assert all(np.array_equal(x[0], y) for x, y in zip(shared, play(many[0], over[0], phi[0]), strict=True))
    exactly = [exact(L) for L in sequences(["linear", "square"] * 2)[:2]]
    found, box_ = play(losses.batch(exactly), exact(DOMAINS["box"][0]), exact(np.zeros(D))), exact(DOMAINS["box"][0])
    alone = play(exactly[1], box_, exact(np.zeros(D)))
    assert found.actions.shape == (2, M, D) and found.actions.dtype == object
    assert all(repr(x) == repr(y) for x, y in zip(found.actions[1].flat, alone.actions.flat, strict=True))


@pytest.mark.parametrize("name", SOLVED)
def test_batches_of_what_is_solved_have_their_shapes_looked_at(name: Any) -> None:
    over, play, many = DOMAINS["ball"], SOLVED[name], sequences(LINKS)
    with pytest.raises(ValueError, match=r"phi must have a leading axis of 5 \(or 1\) runs, got shape \(2, 3\)"):
        play(losses.batch(many), over[0], np.zeros((2, D)))
    with pytest.raises(ValueError, match=r"phi must have shape \(3,\), got \(5, 2\)"):
        play(losses.batch(many), over[0], np.zeros((5, 2)))


@pytest.fixture
def two_threads(monkeypatch: Any) -> Any:
    monkeypatch.setattr(runs, "PART", 1)
    monkeypatch.setattr(runs, "_spare", lambda: True)
    yield
    runs._other().shutdown()
    runs._other.cache_clear()


@pytest.mark.filterwarnings("ignore:This process")  # of Python 3.12, that it has threads and forks
def test_a_process_that_is_forked_has_a_second_thread_of_its_own(two_threads: None) -> None:
    L, over = losses.batch(sequences(LINKS)), DOMAINS["ball"][0]
    values = greedy_ogd(L, over, np.zeros(D), 0.5).values
    child, code = os.fork(), 1
    if child == 0:
        try:
            same = np.array_equal(greedy_ogd(L, over, np.zeros(D), 0.5).values, values)
            code = 0 if same and runs._other().submit(int).result(10) == 0 else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_play_what_one_plays(two_threads: None, monkeypatch: Any) -> None:
    L, over = losses.batch(sequences(LINKS)), DOMAINS["ball"][0]
    with monkeypatch.context() as patch:
        patch.setattr(runs, "_spare", lambda: False)
        alone = greedy_ogd(L, over, np.zeros(D), 0.5)
    for _ in range(3):
        assert np.array_equal(greedy_ogd(L, over, np.zeros(D), 0.5).actions, alone.actions)
    left = threading.Event()
    runs._other().submit(left.wait)  # what the second thread cannot begin, the first does
    assert np.array_equal(greedy_ogd(L, over, np.zeros(D), 0.5).actions, alone.actions)
    left.set()
    with pytest.raises(OverflowError, match="greedy_ogd left the range of float64 at round 0 of run 0"):
        greedy_ogd(losses.batch([make("square", [[1e200] * D] * M)] * 2), domains.space(D), np.ones(D), 1.0)


WRONG: list[Any] = [
    ({"out": Trajectory(np.empty((M, 2)), np.empty(M), np.empty(M))}, r"out.actions must be .* \(4, 3\), got \(4, 2\)"),
    ({"out": Trajectory(np.empty((M, D)), np.empty(M, np.float32), np.empty(M))}, "out.values must have dtype float64"),
    ({"out": Trajectory(np.empty((D, M)).T, np.empty(M), np.empty(M))}, "out.actions must be C-ordered and writeable"),
    ({"out": Trajectory(np.empty((M, D)), np.empty(M), np.empty(3))}, r"out.gap must be an array of shape \(4,\), got"),
    ({"phi": np.zeros((2, 2))}, r"phi must have shape \(3,\), got \(2, 2\)"),
    ({"eta": np.ones((2, 2))}, r"eta must be a number, or of shape \(n,\) for n runs, got shape \(2, 2\)"),
    ({"eta": np.array([1.0, -1.0])}, r"eta must be > 0, got .*-1.0.* \(run 1\)"),
    (
        {"eta": np.ones(2), "phi": np.zeros((3, D))},
        r"eta must have a leading axis of 3 \(or 1\) runs, got shape \(2, 1\)",
    ),
    ({"eta": np.ones(0)}, r"eta must have a leading axis of 0"),
    ({"phi": np.full((2, D), 9.0)}, r"(?s)phi must lie in the domain, got .* \(run 0\)"),
    ({"losses": Losses(*(x[None, None] for x in sequences(LINKS)[0]))}, r"losses must .* got shape \(1, 1, 4, 3\)"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_what_does_not_fit_is_named(change: Any, message: Any) -> None:
    good = {"losses": sequences(LINKS)[0], "domain": DOMAINS["ball"][0], "phi": np.zeros(D), "eta": 1.0}
    with pytest.raises(ValueError, match=message):
        greedy_ogd(**{**good, **change})


def test_outputs_over_the_losses_are_refused() -> None:
    L = make("linear", np.ones((M, D)))
    with pytest.raises(ValueError, match=r"out\.actions must not share memory with the losses, got shape \(4, 3\)"):
        greedy_ogd(L, DOMAINS["ball"][0], np.zeros(D), 1.0, out=Trajectory(L.a, np.empty(M), np.empty(M)))
    room = np.zeros((M, D))
    with pytest.raises(ValueError, match=r"out\.actions must not share memory with the domain"):
        greedy_ogd(
            L,
            DOMAINS["ball"][0]._replace(center=room[1]),
            np.zeros(D),
            1.0,
            out=Trajectory(room, np.empty(M), np.empty(M)),
        )
    both = np.zeros(M)
    with pytest.raises(ValueError, match=r"out\.gap must not share memory with out\.values"):
        greedy_ogd(L, DOMAINS["ball"][0], np.zeros(D), 1.0, out=Trajectory(room, both, both))


def test_ragged_batches_are_named() -> None:
    long, short = make("linear", np.ones((3, 2))), make("linear", np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"parts must have one shape .* got \[\(2, 2\), \(3, 2\)\]"):
        losses.batch([long, short])
    with pytest.raises(ValueError, match="parts must be domains of one kind and dimension"):
        domains.batch([domains.space(2), domains.space(3)])
    with pytest.raises(ValueError, match="a must be a regular array"):
        make("linear", [[[1.0], [1.0, 2.0]]])


def test_losses_of_a_batch_are_those_of_its_parts() -> None:
    a = np.arange(24.0).reshape(2, 4, 3)
    L = make(LINKS, a, b=np.arange(4.0), weight=np.ones((2, 4)), c=1.0)
    parts = losses.batch([make(LINKS, a[k], b=np.arange(4.0), c=1.0) for k in range(2)])
    assert all(np.array_equal(x, y) for x, y in zip(L, parts, strict=True))


def test_a_second_thread_plays_where_a_core_that_the_process_may_use_is_idle(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2}, raising=False)
    monkeypatch.setattr(runs, "LOAD", tmp_path / "loadavg")
    assert runs._spare()  # where nothing is said of others
    for running, spare in ((1, True), (3, True), (4, False), (9, False)):
        runs.LOAD.write_text(f"1.37 1.36 1.40 {running}/79 28067\n")
        assert runs._spare() is spare
    runs.LOAD.write_text("nothing of the kind")
    assert runs._spare()
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2}, raising=False)
    assert not runs._spare()
    monkeypatch.delattr(os, "sched_getaffinity")
    assert runs._spare()


DOMAINS_OF_TWO = {"ball": ball([0.0, 0.0], 1.0), "box": box([-1.0, 0.0], [1.0, 2.0]), "simplex": simplex(2)}


@pytest.mark.parametrize("kind", ["ball", "box", "simplex"])
@pytest.mark.parametrize("number", [float, exact], ids=["floats", "exact"])
def test_regrets_of_many_runs_are_one_after_the_other(kind: str, number: Any) -> None:
    rng, n, d = np.random.default_rng(7), 4, 2
    one, a = DOMAINS_OF_TWO[kind], rng.integers(-4, 5, (n, 3, d)) / 4
    parts = [make("linear", a[k] if number is float else exact(a[k])) for k in range(n)]
    L, domain = losses.batch(parts), one if number is float else exact(one)
    played = greedy_ogd(L, domain, center(domain), 0.25 if number is float else exact(0.25))
    best = hindsight(L, domain)
    expected = [hindsight(part, domain) for part in parts]
    for name in best._fields:
        assert np.array_equal(getattr(best, name), np.array([getattr(x, name) for x in expected]))
    alone = [Trajectory(*(x[k] for x in played)) for k in range(n)]
    for given, each in ((best, expected), (best.action, best.action), (best.action[0], [best.action[0]] * n)):
        assert list(regret(played, L, given)) == [regret(t, p, x) for t, p, x in zip(alone, parts, each, strict=True)]
    wider = {"ball": ball([2.0, 0.0], 3.0), "box": box([-3.0, 1.0], [1.0, 5.0]), "simplex": simplex(2)}[kind]
    each_its_own = [domain, wider if number is float else exact(wider)] * 2
    found = hindsight(L, domains.batch(each_its_own)).action
    assert np.array_equal(found, [hindsight(p, own).action for p, own in zip(parts, each_its_own, strict=True)])
    shared = greedy_ogd(
        parts[0],
        domain,
        center(domain),
        rates := np.array([0.1, 0.2]) if number is float else exact(np.array([0.5, 0.25])),
    )
    assert regret(shared, parts[0], best.action[0]).shape == rates.shape


def test_regrets_that_do_not_fit_are_named() -> None:
    L = make("linear", np.ones((4, 3, 2)))
    played = greedy_ogd(L, domains.ball([0.0, 0.0], 1.0), np.zeros(2), 0.1)
    with pytest.raises(ValueError, match=r"comparator must have shape \(2,\) or \(4, 2\), got \(3, 2\)"):
        regret(played, L, np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"losses must have shape \(3, 2\) or \(4, 3, 2\), got \(5, 2\)"):
        regret(played, make("linear", np.ones((5, 2))), np.zeros(2))
    with pytest.raises(ValueError, match=r"comparator must be the best of one run or of 4, got \(5,\)"):
        regret(played, L, Hindsight(np.zeros((5, 2)), np.zeros(5), np.zeros(5)))


def test_a_start_that_is_ragged_is_named() -> None:
    with pytest.raises(ValueError, match="phi must be a regular array"):
        hindsight(make("linear", np.ones((3, 2))), domains.ball([0.0, 0.0], 1.0), None, [[1.0], [1.0, 2.0]])
