"""The geometric mean with 500 bits, and how far a matrix of floats is from it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from arubatheory.arithmetic import Array


@contextlib.contextmanager
def bits(n: int) -> Iterator[None]:
    """Ball arithmetic with a precision of n bits."""
    before, ctx.prec = ctx.prec, n
    try:
        yield
    finally:
        ctx.prec = before


def lifted(A: Any) -> Any:
    """A float matrix, exactly."""
    return arb_mat([[arb(float(x)) for x in row] for row in A])


def middle(M: Any) -> Any:
    """The midpoints: radii would only tell how often one has rounded."""
    return arb_mat([[M[i, j].mid() for j in range(M.ncols())] for i in range(M.nrows())])


def reference(B2: Any, G2: Any) -> Any:
    r"""H with $B^2 = H G^2 H$, by arithmetic and harmonic means of $X = G^{-2}$ and $Y = B^2$, which keep X # Y.

    X and Y are scaled so that the traces of $X^{-1} Y$ and of its inverse agree.
    """
    d, X, Y = B2.nrows(), middle(G2.inv()), B2
    for _ in range(200):
        t, u = (X.inv() * Y).trace(), (Y.inv() * X).trace()
        scale = (t / u).sqrt().sqrt().mid()
        X, Y = middle(X * scale), middle(Y * (1 / scale))
        if abs(t * u / d**2 - 1) < arb(2) ** -480:
            return X
        X, Y = middle((X + Y) * arb(0.5)), middle(middle(X.inv() + Y.inv()).inv() * 2)
    raise RuntimeError("the means did not meet")


def exact_mean(K: Any, L: Any) -> Any:
    r"""The reference for $B^2 = K K^\top$, $G^2 = L L^\top$ of two float factors, multiplied exactly."""
    with bits(700):
        left, right = lifted(K), lifted(L)
        return reference(left * left.transpose(), right * right.transpose())


def thompson(H: Array, exactly: Any) -> float:
    r"""$\max|\log\lambda|$ over the eigenvalues of the exact $H^{-1}$ times H; infinite if one is not positive."""
    d = len(H)
    if np.iscomplexobj(H) or not np.isfinite(H).all():
        return float("inf")
    with bits(700):
        ratio = middle(exactly.inv()) * lifted(H)
        gap = np.array([[float((ratio[i, j] - int(i == j)).mid()) for j in range(d)] for i in range(d)])
    found = np.linalg.eigvals(gap).real
    return float(np.abs(np.log1p(found)).max()) if found.min() > -1 else float("inf")
