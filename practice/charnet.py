r"""A next-character network for many nodes at once: 8 characters, embeddings of 8, tanh 64, softmax.

Every node has all its parameters in one row of an array (K, P); a layer is a view of columns. $x$ are the classes of
the characters before, $h = \tanh(W^\top E(x) + a)$, logits $U^\top h + c$; the loss is a batch's mean cross-entropy.
Gradients are written out by hand, for all nodes in one batched product each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from practice.datasets import BEFORE, CLASSES


class CharNet(NamedTuple):
    """The sizes of the network; `size` numbers in all, in the order of `layers`."""

    context: int = 8
    width: int = 8
    hidden: int = 64
    classes: int = CLASSES

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """The shape of each layer, from the input to the output."""
        return {
            "embedding": (self.classes, self.width),
            "hidden weights": (self.context * self.width, self.hidden),
            "hidden biases": (self.hidden,),
            "output weights": (self.hidden, self.classes),
            "output biases": (self.classes,),
        }

    @property
    def size(self) -> int:
        """The number of parameters."""
        return sum(map(math.prod, self.layers.values()))

    def views(self, theta: np.ndarray) -> list[np.ndarray]:
        """The layers of parameters (..., P), each (..., its shape), without a copy."""
        ends = np.cumsum([math.prod(shape) for shape in self.layers.values()])
        parts = np.split(theta, ends[:-1], axis=-1)
        return [
            part.reshape(*theta.shape[:-1], *shape) for part, shape in zip(parts, self.layers.values(), strict=True)
        ]

    def start(self, rng: np.random.Generator) -> np.ndarray:
        r"""First parameters (P,): weights normal with variance 1/fan-in, embeddings with variance 1, biases 0."""
        theta = np.zeros(self.size)
        E, W, _, U, _ = self.views(theta)
        for part, fan in ((E, 1), (W, W.shape[0]), (U, U.shape[0])):
            part[...] = rng.normal(size=part.shape) / math.sqrt(fan)
        return theta


class Pass(NamedTuple):
    """What a forward pass leaves: embeddings (K, B, CE), hidden units (K, B, H), probabilities (K, B, V)."""

    inputs: np.ndarray
    hidden: np.ndarray
    chances: np.ndarray


def forward(net: CharNet, theta: np.ndarray, X: np.ndarray) -> Pass:
    """The network of each node (K, P) on its own contexts X (K, B, context)."""
    E, W, a, U, c = net.views(theta)
    K, B, _ = X.shape
    inputs = E[np.arange(K)[:, None, None], X].reshape(K, B, -1)
    hidden = np.tanh(np.matmul(inputs, W) + a[:, None])
    z = np.matmul(hidden, U)
    z += c[:, None]
    z -= z.max(axis=-1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(axis=-1, keepdims=True)
    return Pass(inputs, hidden, z)


def gradients(net: CharNet, theta: np.ndarray, X: np.ndarray, Y: np.ndarray, out: np.ndarray) -> np.ndarray:
    """The gradients of each node's mean loss on its batch X (K, B, context), Y (K, B), into `out` (K, P)."""
    E, W, _, U, _ = net.views(theta)
    gE, gW, ga, gU, gc = net.views(out)
    K, B, C = X.shape
    inputs, h, z = forward(net, theta, X)
    z[np.arange(K)[:, None], np.arange(B), Y] -= 1
    z /= B
    np.matmul(h.transpose(0, 2, 1), z, out=gU)
    np.sum(z, axis=1, out=gc)
    dh = np.matmul(z, U.transpose(0, 2, 1))
    dh *= 1 - h * h
    np.matmul(inputs.transpose(0, 2, 1), dh, out=gW)
    np.sum(dh, axis=1, out=ga)
    seen = np.zeros((K, B * C, E.shape[1]), theta.dtype)  # which row of the embedding each place took
    seen[np.arange(K)[:, None], np.arange(B * C), X.reshape(K, -1)] = 1
    np.matmul(seen.transpose(0, 2, 1), np.matmul(dh, W.transpose(0, 2, 1)).reshape(K, B * C, -1), out=gE)
    return out


def loss(net: CharNet, theta: np.ndarray, X: np.ndarray, Y: np.ndarray) -> float:
    """The mean cross-entropy of one network (P,) on X (B, context), Y (B,)."""
    chances = forward(net, theta[None], X[None]).chances[0]
    return float(-np.log(chances[np.arange(Y.size), Y]).mean())


def correct(net: CharNet, theta: np.ndarray, X: np.ndarray, Y: np.ndarray, block: int = 4096) -> np.ndarray:
    """Which characters one network (P,) predicts, X (n, context), Y (n,): bool (n,)."""
    parts = [forward(net, theta[None], X[None, k : k + block]).chances[0].argmax(-1) for k in range(0, len(Y), block)]
    return np.concatenate([*parts, np.empty(0, np.int64)]) == Y


def windows(text: np.ndarray, context: int) -> tuple[np.ndarray, np.ndarray]:
    """Every character of a text but the first, Y (n - 1,), after what stands before it, X (n - 1, context)."""
    padded = np.concatenate([np.full(context - 1, BEFORE), text])
    return np.lib.stride_tricks.sliding_window_view(padded, context)[: text.size - 1], text[1:]
