"""Reptile on few-shot tasks: the network against finite differences and a plain convolution; known answers."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from arubatheory.learners import Aruba
from practice import convnet, fewshot, fewshot_report, reptile
from practice.descents import Adam, Rates, Refined
from practice.episodes import batches, episodes, pools
from practice.runs import Options

SMALL = reptile.Sizes(rounds=3, together=2, shots=3, steps=2, batch=4, test_tasks=3, test_steps=3, channels=2)


def network(seed=0, tasks=2, channels=2, classes=3):
    rng, net = np.random.default_rng(seed), convnet.layout(channels, classes)
    w = np.stack([convnet.initial(net, rng, np.float64) for _ in range(tasks)])
    images, labels = rng.random((tasks, 4, 14, 14)), rng.integers(0, classes, (tasks, 4))
    return net, w + 0.1 * rng.normal(size=w.shape), images, labels, rng


def test_gradients_are_those_of_finite_differences():
    net, w, images, labels, rng = network()

    def loss(at):
        return convnet.losses_and_slopes(convnet.forward(net, at, images)[0], labels)[0]

    paid, slopes = convnet.gradients(net, w, images, labels)
    assert np.array_equal(paid, loss(w))
    for part, _ in net.parts.values():  # every layer, along a random direction
        step = np.zeros_like(w)
        step[:, part] = rng.normal(size=(len(w), part.stop - part.start))
        expected = (loss(w + 1e-6 * step) - loss(w - 1e-6 * step)) / 2e-6
        np.testing.assert_allclose((slopes * step).sum(axis=1), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("side", convnet.SIDES[:-1])
def test_columns_are_a_convolution_of_stride_2(side):
    rng = np.random.default_rng(side)
    h, kernel = rng.normal(size=(1, 2, side, side, 3)), rng.normal(size=(3, 3, 3))
    found = convnet.columns(h) @ kernel.reshape(27)
    half, before = -(-side // 2), 1 if side % 2 else 0
    padded = np.pad(h[0], ((0, 0), (before, 2), (before, 2), (0, 0)))
    for i in range(half):
        for j in range(half):
            window = padded[:, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
            np.testing.assert_allclose(found[0, :, i, j], (window * kernel).sum(axis=(1, 2, 3)), rtol=1e-12)
    slopes = rng.normal(size=convnet.columns(h).shape)
    back = convnet.added_back(slopes, side)
    np.testing.assert_allclose((back * h).sum(), (slopes * convnet.columns(h)).sum(), rtol=1e-12)


def test_tasks_side_by_side_are_tasks_one_by_one():
    net, w, images, labels, _ = network(tasks=3)
    paid, slopes = convnet.gradients(net, w, images, labels)
    for k in range(3):
        own = slice(k, k + 1)
        one, slope = convnet.gradients(net, w[own], images[own], labels[own])
        np.testing.assert_allclose(paid[own], one, rtol=1e-12)
        np.testing.assert_allclose(slopes[own], slope, rtol=1e-9, atol=1e-12)


def test_adam_without_momentum_is_its_definition():
    rng = np.random.default_rng(0)
    adam, w, slopes = Adam(0.1, 3), np.zeros((2, 3)), rng.normal(size=(4, 2, 3))
    v, expected = np.zeros((2, 3)), np.zeros((2, 3))
    step = adam.start(2)
    for k, slope in enumerate(slopes, start=1):
        step(w, slope)
        v = 0.999 * v + 0.001 * slope**2
        expected -= 0.1 * slope / (np.sqrt(v / (1 - 0.999**k)) + 1e-8)
    np.testing.assert_allclose(w, expected, rtol=1e-4)
    adam.end()
    assert adam.k == 4
    np.testing.assert_allclose(adam.v, v.mean(axis=0), rtol=1e-4)


def test_a_refined_task_lowers_its_rates_and_leaves_what_was_learned():
    learned, slopes = Aruba(np.zeros(2), eps=0.5), np.array([[[3.0, 0.0], [0.0, 1.0]], [[4.0, 0.0], [0.0, 0.0]]])
    w = np.zeros((2, 2))
    step = Refined(learned, 1.0).start(2)
    for slope in slopes:
        step(w, slope)
    np.testing.assert_allclose(w, [[-1.5 - 2 / np.sqrt(10), 0.0], [0.0, -0.5]], rtol=1e-12)
    assert np.array_equal(learned.rates(), [0.5, 0.5])


def made(characters):
    """Characters of twenty equal drawings each."""
    return np.repeat(characters[:, None], 20, axis=1).astype(np.float32)


def right(pool, method, steps=20):
    sizes = SMALL._replace(test_steps=steps, channels=8)
    return reptile.evaluate(method, reptile.untrained(method, 0, sizes), pool, 1, 0, sizes, 6)


def test_bars_in_places_of_their_own_are_all_recognised():
    bars = np.zeros((7, 14, 14))
    for k in range(7):
        bars[k, 2 * k : 2 * k + 2] = 1
    assert (right(made(bars), reptile.Method("sgd", 0.3)) == reptile.WAYS).all()


def test_characters_that_are_all_the_same_are_recognised_by_chance():
    same = np.tile(np.eye(14), (5, 1, 1))
    assert (right(made(same), reptile.Method("sgd", 0.1), 2) == 1).all()  # one class for all five


@pytest.mark.parametrize("kind", ["sgd", "adam", "aruba", "isotropic"])
def test_the_same_seed_trains_the_same_weights(kind):
    pool = (np.random.default_rng(0).random((8, 6, 14, 14)) < 0.2).astype(np.float32)
    method = reptile.Method(kind, 0.1, 0.1, 1.0)
    one, two, other = (reptile.train(method, pool, seed, SMALL) for seed in (1, 1, 2))
    assert np.array_equal(one.phi, two.phi) and np.array_equal(one.losses, two.losses)
    assert not np.array_equal(one.phi, other.phi)
    found = [reptile.evaluate(method, trained, pool, 1, 3, SMALL, 3) for trained in (one, two)]
    assert np.array_equal(*found) and found[0].shape == (3, 2)


def test_learned_rates_are_those_of_algorithm_2():
    net, pool = convnet.layout(2, reptile.WAYS), np.random.default_rng(0).random((8, 6, 14, 14)).astype(np.float32)
    trained = reptile.train(reptile.Method("aruba", 0.1, 0.1), pool, 0, SMALL)
    assert trained.learned.task == 1 + SMALL.rounds * SMALL.together  # each of the tasks side by side is one
    assert fewshot.by_layer(trained, SMALL).shape == (len(net.parts), 3)


def test_doubled_updates_are_both_updates():
    learned, w = Aruba(np.zeros(2), eps=0.5), np.zeros((1, 2))
    step = Refined(learned, 1.0, learned.rates()).start(1)
    for slope in (np.array([[3.0, 0.0]]), np.array([[4.0, 0.0]])):
        step(w, slope)
    np.testing.assert_allclose(w, [[-2 * 1.5 - 2 - 2 / np.sqrt(10), 0.0]], rtol=1e-12)
    method = reptile.Method("aruba", 0.5, c=1.0, doubled=True)
    assert np.array_equal(reptile.descent(method, learned, True).also, learned.rates())
    assert isinstance(reptile.descent(method, learned, False), Rates)


@pytest.mark.parametrize("kind", ["sgd", "adam", "aruba", "isotropic"])
def test_looks_are_trainings_that_ended_there(kind):
    pool = (np.random.default_rng(0).random((8, 6, 14, 14)) < 0.2).astype(np.float32)
    method, sizes = reptile.Method(kind, 0.1, 0.1), SMALL._replace(look_every=2, look_tasks=3)
    trained = reptile.train(method, pool, 1, sizes)
    found = fewshot.by_round([(method, trained)] * 2, pool, 4, sizes)
    assert found["looks"].tolist() == [0, 2, 3] and found["curves"].shape == (2, 3, 2)
    for k, one in ((0, reptile.untrained(method, 1, sizes)), (2, trained)):
        seen = [reptile.evaluate(method, one, pool, shots, 4, sizes, 3).mean(axis=0) / 5 for shots in fewshot.SHOTS]
        assert np.array_equal(found["curves"][:, k], seen)
    if kind in ("aruba", "isotropic"):  # what was learned in three rounds of two tasks, and before the third
        assert [look[1].task for look in trained.looks] == [1, 5, 7]
    longer = reptile.train(method, pool, 1, sizes._replace(look_every=1))
    assert np.array_equal(longer.looks[2][0], trained.looks[1][0]) and np.array_equal(longer.phi, trained.phi)


def test_a_rate_beyond_floats_is_never_chosen():
    pool = (np.random.default_rng(0).random((8, 6, 14, 14)) < 0.2).astype(np.float32)
    with np.errstate(all="ignore"):
        lost = fewshot._made(reptile.Method("sgd", 1e38), pool, 0, SMALL, True)
    assert np.isnan(lost.losses).all() and fewshot._accuracy(
        (reptile.Method("sgd", 1e38), lost), pool, 1, 0, SMALL
    ) == (0.0, 0.0)


def test_a_quick_unit_gives_the_same_numbers_twice():
    unit = next(u for u in fewshot.units(Options(quick=True)) if u.name == "adam-trained")
    one, two = fewshot.compute(unit), fewshot.compute(unit)
    assert one.keys() == two.keys() and all(np.array_equal(one[name], two[name], equal_nan=True) for name in one)
    found = {unit: one}
    assert [t.name for t in fewshot.tables(found)] == [
        f"fewshot/{n}" for n in ("accuracy", "difference", "rounds", "chosen", "layers")
    ]


@pytest.mark.parametrize("figure", [fewshot_report.losses, fewshot_report.rounds])
def test_every_line_is_drawn(figure):
    names = ("sgd-trained", "adam-trained", *(f"{k}-zeta{z:g}" for k in ("aruba", "isotropic") for z in fewshot.ZETAS))
    run = {"losses": np.ones((3, 80)), "best": np.array([0, 1]), "looks": np.arange(3), "curves": np.ones((2, 3, 2))}
    picture, fig = figure({name: [run] for name in names}), Figure()
    picture.draw(fig, picture.series)
    drawn = {str(line.get_label()) for ax in fig.axes for line in ax.get_lines()}
    assert drawn == {name.partition("shot: ")[2] or name.partition("shots: ")[2] or name for name in picture.series}


def test_differences_are_paired_by_seed_and_by_task():
    other = np.zeros((2, 4, 2), int)
    runs = [{"test": other + np.array([0, 5, 0, 5])[None, :, None]}, {"test": other + 5}]
    leading = [{"test": other}, {"test": other + 4}, {"test": other}]  # 50 and 20 more, 35 on average
    half = 1.96 * np.sqrt(10000 / 3 / 4) / 2  # the first alone varies from task to task
    shown = fewshot_report._difference(runs, "", leading, 1, 0)
    assert shown == f"35.0 [-155.6, 225.6] ± {half:.1f}"


def test_pools_are_apart_and_turned():
    drawings = np.zeros((6, 2, 14, 14))
    drawings[np.arange(6), :, 0, np.arange(6)] = 1
    found = pools(drawings, (3, 1))
    assert [len(pool) for pool in found] == [12, 1, 2]
    assert np.array_equal(np.rot90(found.train[:3], 1, axes=(2, 3)), found.train[3:6])
    seen = np.concatenate([found.train[:3], found.tune, found.test])[:, 0, 0, :6]
    assert np.array_equal(seen.sum(axis=0), np.ones(6))


def test_tasks_are_of_different_characters_and_batches_pass_over_all():
    rng, pool = np.random.default_rng(0), np.arange(6 * 4).reshape(6, 4, 1, 1).astype(np.float32)
    found = episodes(rng, pool, 20, 5, 3)[..., 0, 0]
    assert all(len({x // 4 for x in task[:, 0]}) == 5 and np.unique(task).size == 15 for task in found)
    order = batches(rng, 3, 5, 2, 5)
    assert order.shape == (3, 5, 2)
    assert all(np.array_equal(np.bincount(task.ravel()), np.full(5, 2)) for task in order)


def test_bad_input():
    good = np.zeros((5, 2, 14, 14))
    cases = (
        (lambda: pools(good[0]), r"drawings must have shape \(characters, drawings, side, side\), got \(2, 14, 14\)"),
        (lambda: pools(good + 0.5), "drawings must hold zeros and ones, got numbers up to 0.5"),
        (lambda: pools(good, (4, 1)), "drawings must hold more than 5 characters, got 5"),
        (lambda: episodes(np.random.default_rng(0), good, 1, 6, 1), r"pool must hold 6 characters of 1 drawings"),
        (lambda: convnet.layout(0), "channels must be an integer >= 1, got 0"),
        (lambda: convnet.layout(2, 2.5), "classes must be an integer >= 1, got 2.5"),
    )
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()


def test_one_rate_for_all_or_one_for_each():
    w, slopes = np.zeros((2, 2), np.float32), np.ones((2, 2), np.float32)
    Rates(0.5).start(2)(w, slopes)
    Rates(np.array([1.0, 0.0])).start(2)(w, slopes)
    assert np.array_equal(w, [[-1.5, -0.5]] * 2) and w.dtype == np.float32
