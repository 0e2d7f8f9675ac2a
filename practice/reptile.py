r"""Reptile on few-shot tasks, with SGD, Adam, ARUBA, ARUBA++ or Isotropic within tasks.

Training and testing are those of the authors' scripts for five ways, but for the sizes: tasks of five characters with
ten drawings of each, five steps with batches of ten; five tasks from one start $\phi$, which then moves to the mean of
their ends by a share that falls from 1 to 0. Each of the five is a task of Algorithm 2. At test time a task has one or
five drawings of each of five unseen characters and makes twenty steps (the authors: fifty) with batches of five; then
one more drawing of each character is to be recognised. Batches are normalised by their own mean and variance at test
time, too, and so it matters what a drawing is classified with: with the examples alone (*regular*), or with the four
others that are asked for at the same time (*transductive*).
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners import Aruba, Isotropic
from practice.convnet import Layout, forward, gradients, initial, layout
from practice.descents import Adam, Rates, Refined
from practice.episodes import batches, episodes

WAYS, TOGETHER = 5, 50  # test tasks side by side: their weights fit the cache


class Method(NamedTuple):
    r"""What runs within tasks: `kind` is sgd, adam, aruba or isotropic; `rate` is that of sgd and adam, and
    $\varepsilon/\zeta$ of the others; c > 0 goes on learning at test time (ARUBA++), `doubled` with the learned rates
    beside those that go on (what the authors' evaluation does)."""

    kind: str
    rate: float
    zeta: float = 1.0
    c: float = 0.0
    doubled: bool = False


class Sizes(NamedTuple):
    """Of training: rounds of `together` tasks, `shots`, `steps` and `batch` of each; of testing: the same of a task,
    and how many tasks, for the tables and for choosing."""

    rounds: int = 600
    together: int = 5
    shots: int = 10
    steps: int = 5
    batch: int = 10
    test_tasks: int = 1000
    tune_tasks: int = 100
    test_steps: int = 20
    test_batch: int = 5
    channels: int = 16
    look_every: int = 100  # rounds between two looks, each at so many test tasks, which choose nothing
    look_tasks: int = 200


class Trained(NamedTuple):
    r"""The start $\phi$ (d,), what the descent has learned, the loss of the last step by round, and `looks`: start and
    descent of rounds 0, `look_every`, ..."""

    phi: Array
    learned: Any
    losses: Array
    looks: tuple[tuple[Array, Any], ...] = ()


def begun(method: Method, d: int) -> Any:
    """What a method learns, before the first task: `Adam`, `Aruba`, `Isotropic`, or nothing (None) for sgd."""
    eps, like = method.rate * method.zeta, np.zeros(d, np.float32)
    if method.kind == "sgd":
        return None
    if method.kind == "adam":
        return Adam(method.rate, d)
    return {"aruba": Aruba, "isotropic": Isotropic}[method.kind](like, eps, method.zeta)


def untrained(method: Method, seed: int, sizes: Sizes) -> Trained:
    """The weights that training begins with."""
    net = layout(sizes.channels, WAYS)
    return Trained(initial(net, np.random.default_rng(seed)), begun(method, net.size), np.zeros(0))


def descent(method: Method, learned: Any, testing: bool) -> Any:
    """The descent of a task with what is learned so far."""
    if isinstance(learned, Aruba):
        also = learned.rates() if method.doubled else 0.0
        return Refined(learned, method.c, also) if testing and method.c > 0 else Rates(learned.rates())
    return learned or Rates(method.rate)


def train(method: Method, pool: Array, seed: int, sizes: Sizes) -> Trained:
    """Reptile with this method on the characters of `pool`. OverflowError where weights leave the range of floats."""
    net, rng = layout(sizes.channels, WAYS), np.random.default_rng([seed, 0])
    (phi, learned, *_), losses = untrained(method, seed, sizes), np.zeros(sizes.rounds)
    looks: list[tuple[Array, Any]] = []
    for k in range(sizes.rounds):
        if k % sizes.look_every == 0:
            looks.append((phi, copy.deepcopy(learned)))
        images = episodes(rng, pool, sizes.together, WAYS, sizes.shots)
        order = batches(rng, sizes.together, WAYS * sizes.shots, sizes.batch, sizes.steps)
        ends, squares, losses[k] = run(net, phi, descent(method, learned, False), images, order)
        if not np.isfinite(ends).all():
            raise OverflowError(f"round {k} left the range of floats, with {method!r}")
        if isinstance(learned, Aruba):
            for end, square in zip(ends, squares, strict=True):
                learned.absorb(phi, end, float(square.sum()) if learned.scalar else square)
        elif isinstance(learned, Adam):
            learned.end()
        phi = phi + np.float32(1 - k / sizes.rounds) * (ends.mean(axis=0) - phi)
    return Trained(phi, learned, losses, (*looks, (phi, learned)))


def run(net: Layout, phi: Array, rule: Any, images: Array, order: Array) -> tuple[Array, Array, float]:
    """Tasks (n, ways, shots, side, side) from phi with batches `order` (n, steps, batch): their ends (n, d), their sums
    of squared gradients (n, d), and the mean loss of their last step."""
    n, steps, _ = order.shape
    flat, labels = images.reshape(n, -1, *images.shape[3:]), np.repeat(np.arange(WAYS), images.shape[2])
    w, rows, step = np.tile(phi, (n, 1)), np.arange(n)[:, None], rule.start(n)
    squares, paid = np.zeros_like(w), np.zeros(n)
    for i in range(steps):
        seen = order[:, i]
        paid, slopes = gradients(net, w, flat[rows, seen], labels[seen])
        step(w, slopes)
        squares += slopes * slopes
    return w, squares, float(paid.mean())


def evaluate(method: Method, trained: Trained, pool: Array, shots: int, seed: int, sizes: Sizes, tasks: int) -> Array:
    """How many of the five drawings are recognised in each test task, (tasks, 2): regular, transductive."""
    net, rng, found = layout(sizes.channels, WAYS), np.random.default_rng([seed, shots]), []
    for start in range(0, tasks, TOGETHER):
        n = min(TOGETHER, tasks - start)
        images = episodes(rng, pool, n, WAYS, shots + 1)
        order = batches(rng, n, WAYS * shots, sizes.test_batch, sizes.test_steps)
        examples, asked = images[:, :, :shots], images[:, :, shots]
        w, _, _ = run(net, trained.phi, descent(method, trained.learned, True), examples, order)
        found.append(np.stack([regular(net, w, examples, asked), transductive(net, w, asked)], axis=1))
    return np.concatenate(found)


def regular(net: Layout, w: Array, examples: Array, asked: Array) -> Array:
    """How many drawings `asked` (n, ways, side, side) are recognised, each beside the examples alone: (n,)."""
    n, right = len(w), np.zeros(len(w), int)
    flat = examples.reshape(n, -1, *examples.shape[3:])
    for k in range(WAYS):
        scores, _ = forward(net, w, np.concatenate([flat, asked[:, k : k + 1]], axis=1))
        right += scores[:, -1].argmax(axis=-1) == k
    return right


def transductive(net: Layout, w: Array, asked: Array) -> Array:
    """How many are recognised when all are seen at once: (n,)."""
    scores, _ = forward(net, w, asked)
    return np.asarray((scores.argmax(axis=-1) == np.arange(WAYS)).sum(axis=1))
