r"""What runs on the nodes: one pass over a role's text from $\phi$, and the roles themselves, split into three sets.

Nodes that start together run side by side (`charnet`); each has an order of its own, given by the seed, the occasion
and the role alone, so that methods are compared on the same batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from practice.charnet import CharNet, correct, gradients, windows
from practice.datasets import Roles

BATCH = 10
TRAINED = 0.8  # the share of a role's text that it learns from; it is tried on the rest
NUMBERS = np.float32


class Node(NamedTuple):
    """A role: its number, what it learns from and what it is tried on."""

    role: int
    X: np.ndarray
    Y: np.ndarray
    tried_X: np.ndarray
    tried_Y: np.ndarray

    @property
    def batches(self) -> int:
        """Full batches of what it learns from; the remainder is left out."""
        return self.Y.size // BATCH


class Groups(NamedTuple):
    """Three sets of roles without a common one: to train on, to choose by, and held out; `skipped` have no batch."""

    training: tuple[Node, ...]
    tuning: tuple[Node, ...]
    held_out: tuple[Node, ...]
    skipped: int


def node(role: int, text: np.ndarray, context: int) -> Node:
    """A role of which the first 80% are learned from, the rest predicted, each with its own beginning."""
    cut = int(TRAINED * text.size)
    return Node(role, *windows(text[:cut], context), *windows(text[cut:], context))


def groups(found: Roles, by: str, seed: int, context: int, shares: tuple[float, float] = (0.6, 0.8)) -> Groups:
    """The roles shuffled and cut at these shares, `by` "role" or by whole plays ("play").

    Raises ValueError for another `by`, for fewer than three roles or plays, and for a set without a role to use.
    """
    if by not in ("role", "play"):
        raise ValueError(f"by must be 'role' or 'play', got {by!r}")
    keys = found.names if by == "role" else found.plays
    order = np.random.default_rng([seed, 1]).permutation(sorted(set(keys)))
    if order.size < 3:
        raise ValueError(f"found must hold at least three {by}s, got {order.size}")
    cuts = np.clip([int(share * order.size) for share in shares], [1, 2], [order.size - 2, order.size - 1])
    place = {str(key): int(np.searchsorted(cuts, k, side="right")) for k, key in enumerate(order)}
    sets: tuple[list[Node], ...] = ([], [], [])
    made = [node(role, text, context) for role, text in enumerate(found.texts)]
    usable = [one for one in made if one.batches and one.tried_Y.size]
    for one in usable:
        sets[place[keys[one.role]]].append(one)
    if not all(sets):
        raise ValueError(f"each set must hold a role with a batch, got {[len(part) for part in sets]} of {len(made)}")
    return Groups(tuple(sets[0]), tuple(sets[1]), tuple(sets[2]), found.skipped + len(made) - len(usable))


Step = Callable[[int, np.ndarray, np.ndarray], np.ndarray]
"""What is subtracted from the first n nodes, after step i, of their gradients (n, P); it may write to the buffer."""


def fixed(eta: Any) -> Step:
    """The same rates at every step: a number, or one for each parameter."""
    rates = np.asarray(eta, NUMBERS)
    return lambda i, gradient, out: np.multiply(gradient, rates, out=out)


class Passed(NamedTuple):
    """Where nodes ended (K, P), and their summed squared gradients (K, P)."""

    theta: np.ndarray
    squares: np.ndarray


def ordered(nodes: Sequence[Node]) -> list[Node]:
    """Those with most batches first, as `learn` wants them: who is done is left behind."""
    return sorted(nodes, key=lambda one: -one.batches)


def learn(net: CharNet, phi: np.ndarray, nodes: Sequence[Node], step: Step, occasion: Sequence[int]) -> Passed:
    r"""One pass of SGD over each node's own text, from $\phi$ (P,), side by side, nodes in the order of `ordered`.

    The `occasion` (integers: seed, round, ...) and the role decide the order of its batches.
    """
    K, counts = len(nodes), np.array([one.batches for one in nodes])
    X = np.zeros((counts[0], K, BATCH, net.context), np.intp)
    Y = np.zeros((counts[0], K, BATCH), np.intp)
    for k, one in enumerate(nodes):
        order = np.random.default_rng([*occasion, one.role]).permutation(one.Y.size)[: one.batches * BATCH]
        X[: one.batches, k] = one.X[order].reshape(-1, BATCH, net.context)
        Y[: one.batches, k] = one.Y[order].reshape(-1, BATCH)
    theta = np.tile(phi.astype(NUMBERS), (K, 1))
    squares, gradient, buffer = np.zeros_like(theta), np.empty_like(theta), np.empty_like(theta)
    for i in range(counts[0]):
        n = int(np.searchsorted(-counts, -i, side="left"))  # nodes with more than i batches
        g, out = gradient[:n], buffer[:n]
        gradients(net, theta[:n], X[i, :n], Y[i, :n], g)
        squares[:n] += np.multiply(g, g, out=out)
        theta[:n] -= step(i, g, out)
    return Passed(theta, squares)


def hits(net: CharNet, theta: np.ndarray, nodes: Sequence[Node]) -> np.ndarray:
    """How many characters each node gets right in what it is tried on, with its own row of theta, or with one (P,)."""
    rows = np.broadcast_to(theta, (len(nodes), net.size))
    pairs = zip(rows, nodes, strict=True)
    return np.array([np.count_nonzero(correct(net, row, one.tried_X, one.tried_Y)) for row, one in pairs])


def tried(nodes: Sequence[Node]) -> np.ndarray:
    """How many characters each node is tried on."""
    return np.array([one.tried_Y.size for one in nodes])
