r"""Few-shot tasks from drawings of characters: so many ways, so many shots, batches without replacement.

Characters are split once, by a fixed permutation: those of training are turned by 0, 90, 180 and 270 degrees, which
makes four characters of each (as in the authors' code); those of tuning and of testing are as they were drawn. Whatever
is chosen is chosen on the second set; the third is for the tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arubatheory.arithmetic import Array

SHARES = (160, 36)  # characters for training and for tuning of 242; the rest is for testing
ORDER = 20  # the seed of the permutation


class Pools(NamedTuple):
    """Drawings (characters, drawings, side, side) in float32."""

    train: Array
    tune: Array
    test: Array


def pools(drawings: Array, shares: tuple[int, int] = SHARES) -> Pools:
    """The three sets of characters from (K, drawings, side, side) of zeros and ones.

    ValueError for another shape, other numbers, or too few characters.
    """
    if drawings.ndim != 4 or drawings.shape[2] != drawings.shape[3]:
        raise ValueError(f"drawings must have shape (characters, drawings, side, side), got {drawings.shape}")
    if not np.isin(drawings, (0, 1)).all():
        raise ValueError(f"drawings must hold zeros and ones, got numbers up to {float(drawings.max())!r}")
    if sum(shares) >= len(drawings):
        raise ValueError(f"drawings must hold more than {sum(shares)} characters, got {len(drawings)}")
    mixed = drawings[np.random.default_rng(ORDER).permutation(len(drawings))].astype(np.float32)
    train, tune, test = np.split(mixed, np.cumsum(shares))
    return Pools(np.concatenate([np.rot90(train, k, axes=(2, 3)) for k in range(4)]), tune, test)


def episodes(rng: np.random.Generator, pool: Array, n: int, ways: int, shots: int) -> Array:
    """n tasks of `ways` different characters with `shots` different drawings of each, (n, ways, shots, side, side)."""
    if ways > pool.shape[0] or shots > pool.shape[1]:
        raise ValueError(f"pool must hold {ways} characters of {shots} drawings, got {pool.shape[:2]}")
    characters = rng.random((n, pool.shape[0])).argsort(axis=1)[:, :ways]
    chosen = rng.random((n, ways, pool.shape[1])).argsort(axis=2)[:, :, :shots]
    return pool[characters[..., None], chosen]


def batches(rng: np.random.Generator, n: int, size: int, batch: int, steps: int) -> Array:
    """Which of `size` examples each step of n tasks sees, (n, steps, batch): one shuffled pass after another."""
    passes = -(-batch * steps // size)
    order = rng.random((n, passes, size)).argsort(axis=2).reshape(n, -1)
    return order[:, : batch * steps].reshape(n, steps, batch)
