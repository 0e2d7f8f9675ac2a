r"""Norms on $\mathbb R^d$ and their duals: l2, l1, the maximum norm, and $\sqrt{x^\top A x}$.

Squares of norms are rational for rational vectors, so that exact arithmetic takes roots last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.problems.draw import Draw

Array = np.ndarray
NORMS = ("l2", "l1", "linf", "matrix")


class Norm(NamedTuple):
    r"""$\|x\|_2$, $\|x\|_1$, $\|x\|_\infty$ or $\sqrt{x^T A x}$ with the inverse of A at hand; `kind` indexes
    `NORMS`."""

    kind: int
    matrix: Array
    inverse: Array


def random_norm(draw: Draw, d: int) -> Norm:
    r"""One of `NORMS`; the matrix is $Q \operatorname{diag}(\lambda) Q^T$ for a drawn rotation and spectrum."""
    kind = draw.integer(0, 3)
    if kind < 3:
        return Norm(kind, draw.eye(d), draw.eye(d))
    rotation, spectrum = draw.rotation(d), draw.positive(-8, 8, d)
    return Norm(kind, (rotation * spectrum) @ rotation.T, (rotation / spectrum) @ rotation.T)


def squared_norm(norm: Norm, x: Array) -> Any:
    r"""$\|x\|^2$."""
    return _square(norm.kind, norm.matrix, x)


def squared_dual_norm(norm: Norm, g: Array) -> Any:
    r"""$\|g\|_\ast^2$: l2 is its own dual, l1 and the maximum norm are each other's, A's dual is its inverse."""
    return _square((0, 2, 1, 3)[norm.kind], norm.inverse, g)


def _square(kind: int, matrix: Array, x: Array) -> Any:
    if kind == 1:
        return sum(abs(x)) ** 2
    if kind == 2:
        return max(abs(x)) ** 2
    return x @ (matrix @ x) if kind == 3 else x @ x
