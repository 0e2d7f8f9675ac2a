r"""The squared p-norm as a regulariser: 1-strongly convex in $\|\cdot\|_p$ for $1 < p \le 2$."""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.problems.domains import SPACE, Domain
from arubatheory.problems.numbers import real
from arubatheory.problems.own.sets import PBall, p_norm, point


class PNorm:
    r"""$R(x) = \frac1{2(p-1)}\|x\|_p^2$, $1 < p \le 2$ (Grove, Littlestone and Schuurmans 2001; Gentile 2003).

    Its steps go over $\mathbb R^d$ and over balls $\|x\|_p \le r$ of the same p around the origin. ValueError for other
    p and domains, OverflowError beyond the range of float64. Floats only.
    """

    def __init__(self, p: float) -> None:
        self.p = real("p", p, above=1, most=2)

    def value(self, x: Array) -> float:
        """R(x); ValueError or TypeError for what is no vector, OverflowError beyond the range of float64."""
        return p_norm(point("x", x), self.p) ** 2 / (2 * (self.p - 1))

    def gradient(self, x: Array) -> Array:
        r"""$\nabla R(x)$ (d,); errors as of `value`."""
        return _dual(point("x", x), self.p) / (self.p - 1)

    def mirror_step(self, domain: Any, phi: Array, g: Array) -> Array:
        r"""$\nabla R^{-1}(\nabla R(\phi) - g)$ (d,); scaled onto a ball, which is the nearest point in $B_R$. Errors as
        of `value`."""
        start = point("phi", phi)
        dual = self.gradient(start) - point("g", g, start.size)
        theta = _dual((self.p - 1) * dual, self.p / (self.p - 1))
        if isinstance(domain, Domain) and domain.kind == SPACE:
            return theta
        if isinstance(domain, PBall) and domain.p == self.p and not domain.center.any():
            return theta * min(1.0, domain.radius / max(p_norm(theta, self.p), 1e-300))
        raise ValueError(f"domain must be the whole space or a PBall around 0 with p={self.p}, got {domain!r}")


def _dual(x: Array, p: float) -> Array:
    r"""$\nabla\frac12\|x\|_p^2 = \mathrm{sign}(x)|x|^{p-1}\|x\|_p^{2-p}$; the inverse has the dual exponent."""
    size = p_norm(x, p)
    if not np.isfinite(size):
        raise OverflowError(f"a p-norm left the range of float64, got {x!r}")
    return np.sign(x) * (np.abs(x) / size) ** (p - 1) * size if size > 0 else 0 * x
