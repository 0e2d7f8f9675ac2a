r"""Three convolutions and a linear layer in plain numpy, for many tasks at once: every task has weights of its own.

An image of 14 x 14 pixels goes through three times {convolution of 3 x 3 with stride 2, normalisation over the batch,
ReLU}, which leaves 7 x 7, 4 x 4 and 2 x 2 places, and a linear layer gives the classes: the network of Reptile on
Omniglot with one convolution less, as the images have half the side. A convolution is a product of matrices: the nine
neighbours of each place are gathered side by side, and gradients are added back the same way.

Weights of n tasks are an array (n, d), one row for each; `Layout` says which entries are which layer's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array

SIDE = 14
SIDES = (14, 7, 4, 2)
TINY = 1e-3  # in the variance, as in the normalisation of the authors' library


class Layout(NamedTuple):
    """How many channels and classes there are, and name -> (slice of the d weights, shape)."""

    channels: int
    classes: int
    parts: dict[str, tuple[slice, tuple[int, ...]]]

    @property
    def size(self) -> int:
        """The number d of weights."""
        return max(part.stop for part, _ in self.parts.values())


class Tape(NamedTuple):
    """What the way back needs: of each convolution (columns, normalised output, 1/deviation, what passed the ReLU),
    and the input of the linear layer."""

    layers: list[tuple[Array, Array, Array, Array]]
    last: Array


def layout(channels: int = 16, classes: int = 5) -> Layout:
    """The weights in the order of the layers. ValueError unless both are integers >= 1."""
    for name, value in (("channels", channels), ("classes", classes)):
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be an integer >= 1, got {value!r}")
    shapes: dict[str, tuple[int, ...]] = {}
    for k in range(1, len(SIDES)):
        shapes[f"conv{k}"] = (9 * (1 if k == 1 else channels), channels)
        shapes[f"scale{k}"] = shapes[f"shift{k}"] = (channels,)
    shapes["linear"], shapes["bias"] = (SIDES[-1] ** 2 * channels, classes), (classes,)
    ends = np.cumsum([0] + [int(np.prod(shape)) for shape in shapes.values()]).tolist()
    parts = {
        name: (slice(a, b), shape) for (name, shape), a, b in zip(shapes.items(), ends[:-1], ends[1:], strict=True)
    }
    return Layout(channels, classes, parts)


def initial(net: Layout, rng: np.random.Generator, dtype: Any = np.float32) -> Array:
    """Weights (d,) at the start: uniform by Glorot's rule, scales 1, shifts and biases 0."""
    w = np.zeros(net.size)
    for name, (part, shape) in net.parts.items():
        if len(shape) == 2:
            outgoing = shape[1] * (9 if name.startswith("conv") else 1)
            w[part] = rng.uniform(-1, 1, w[part].shape) * np.sqrt(6 / (shape[0] + outgoing))
        elif name.startswith("scale"):
            w[part] = 1
    return w.astype(dtype)


def weight(net: Layout, w: Array, name: str) -> Array:
    """One layer's weights of all tasks, (n, *shape): a view."""
    part, shape = net.parts[name]
    return w[:, part].reshape(len(w), *shape)


# gathering and adding back -----------------------------------------------------------------------------------------
def _before(side: int) -> int:
    """Zeros in front of each row and column, so that stride 2 halves the side, rounded up ("same")."""
    return 1 if side % 2 else 0


def columns(h: Array) -> Array:
    """(n, B, s, s, C) -> (n, B, s', s', 9 C): the neighbours of every second place."""
    n, B, s, _, C = h.shape
    half, before = -(-s // 2), _before(s)
    padded = np.zeros((n, B, 2 * half + 1, 2 * half + 1, C), h.dtype)
    padded[:, :, before : before + s, before : before + s] = h
    out = np.empty((n, B, half, half, 9, C), h.dtype)
    for k in range(9):
        i, j = divmod(k, 3)
        out[..., k, :] = padded[:, :, i : i + 2 * half : 2, j : j + 2 * half : 2]
    return out.reshape(n, B, half, half, 9 * C)


def added_back(slopes: Array, side: int) -> Array:
    """The transpose of `columns`: (n, B, s', s', 9 C) -> (n, B, s, s, C)."""
    n, B, half, _, width = slopes.shape
    parts, before = slopes.reshape(n, B, half, half, 9, width // 9), _before(side)
    padded = np.zeros((n, B, 2 * half + 1, 2 * half + 1, width // 9), slopes.dtype)
    for k in range(9):
        i, j = divmod(k, 3)
        padded[:, :, i : i + 2 * half : 2, j : j + 2 * half : 2] += parts[..., k, :]
    return padded[:, :, before : before + side, before : before + side]


# forward and back --------------------------------------------------------------------------------------------------
def forward(net: Layout, w: Array, images: Array) -> tuple[Array, Tape]:
    """Scores (n, B, classes) of images (n, B, 14, 14), normalised over the B images and all places."""
    h, layers = images[..., None], []
    n, B = h.shape[:2]
    for k in range(1, len(SIDES)):
        seen, s = columns(h).reshape(n, -1, 9 * h.shape[-1]), SIDES[k]
        z = seen @ weight(net, w, f"conv{k}")
        z -= z.mean(axis=1, keepdims=True)
        inverse = 1 / np.sqrt(np.einsum("nbc,nbc->nc", z, z)[:, None] / z.shape[1] + z.dtype.type(TINY))
        z *= inverse
        y = z * weight(net, w, f"scale{k}")[:, None] + weight(net, w, f"shift{k}")[:, None]
        passed = y > 0
        layers.append((seen, z, inverse, passed))
        h = (y * passed).reshape(n, B, s, s, net.channels)
    last = h.reshape(n, B, -1)
    return last @ weight(net, w, "linear") + weight(net, w, "bias")[:, None], Tape(layers, last)


def losses_and_slopes(scores: Array, labels: Array) -> tuple[Array, Array]:
    """The mean cross-entropy of each task (n,), and its gradient in the scores (n, B, classes)."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    p = np.exp(shifted)
    total = p.sum(axis=-1, keepdims=True)
    paid = np.log(total[..., 0]) - np.take_along_axis(shifted, labels[..., None], axis=-1)[..., 0]
    slopes = p / total
    slopes[np.arange(len(labels))[:, None], np.arange(labels.shape[1]), labels] -= 1
    return paid.mean(axis=1), slopes / labels.shape[1]


def gradients(net: Layout, w: Array, images: Array, labels: Array) -> tuple[Array, Array]:
    """The mean cross-entropy of each task (n,) and its gradient (n, d), for labels (n, B)."""
    scores, tape = forward(net, w, images)
    paid, slopes = losses_and_slopes(scores, labels)
    out = np.empty_like(w)
    weight(net, out, "linear")[:] = tape.last.swapaxes(1, 2) @ slopes
    weight(net, out, "bias")[:] = slopes.sum(axis=1)
    back = slopes @ weight(net, w, "linear").swapaxes(1, 2)
    for k in range(len(SIDES) - 1, 0, -1):
        back = _through_layer(net, w, out, k, tape.layers[k - 1], back)
    return paid, out


def _through_layer(net: Layout, w: Array, out: Array, k: int, layer: tuple[Array, ...], back: Array) -> Array:
    """The gradient in the input of convolution k from that in its output; writes those of its weights."""
    seen, z, inverse, passed = layer
    n, places = len(w), SIDES[k] ** 2
    y = back.reshape(n, -1, net.channels) * passed
    scale_slope, shift_slope = np.einsum("nbc,nbc->nc", y, z), y.sum(axis=1)
    weight(net, out, f"scale{k}")[:], weight(net, out, f"shift{k}")[:] = scale_slope, shift_slope
    y -= (shift_slope[:, None] + z * scale_slope[:, None]) / z.dtype.type(z.shape[1])
    y *= weight(net, w, f"scale{k}")[:, None] * inverse
    weight(net, out, f"conv{k}")[:] = seen.swapaxes(1, 2) @ y
    if k == 1:
        return y
    slopes = y @ weight(net, w, f"conv{k}").swapaxes(1, 2)
    side, width = SIDES[k], slopes.shape[-1]
    return added_back(slopes.reshape(n, z.shape[1] // places, side, side, width), SIDES[k - 1])
