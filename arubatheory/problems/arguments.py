"""The arguments of learners and solvers, checked: losses, a domain, a start, a step size, and a regulariser."""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import on
from arubatheory.problems.domains import SPACE, Domain, contains, inside
from arubatheory.problems.losses import Losses, numbers
from arubatheory.problems.numbers import real
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, check_pair
from arubatheory.problems.signatures import typed


@typed
def checked(losses: Losses, domain: Domain, phi: Any, eta: Any) -> tuple[Losses, Array, Any]:
    """The losses in C order, `phi` and `eta` in their arithmetic, or the error that names what is wrong."""
    m, d = losses.a.shape
    if m == 0:
        raise ValueError("losses must hold at least one loss, got none")
    check_domain(domain, losses)
    start = numbers("phi", phi, is_exact(losses.a))
    if start.shape != (d,):
        raise ValueError(f"phi must have shape {(d,)}, got {start.shape}")
    step = real("eta", eta, above=0, in_exact=is_exact(start))
    if domain.kind != SPACE and not on(inside, start)(domain, start) >= 0 and not contains(domain, start):
        raise ValueError(f"phi must lie in the domain, got {phi!r}")
    if not (losses.a.flags.c_contiguous and losses.c.flags.c_contiguous):  # a kernel compiles anew for each layout
        losses = Losses(*map(np.ascontiguousarray, losses))
    return losses, start, step


@typed
def check_domain(domain: Domain, losses: Losses) -> None:
    """ValueError for another dimension than the losses', TypeError for another arithmetic."""
    if domain.low.size != losses.a.shape[1]:
        raise ValueError(f"domain must have dimension {losses.a.shape[1]} as the losses do, got {domain.low.size}")
    if domain.kind != SPACE or not is_exact(losses.a):
        _check_arithmetic("domain", domain.low, losses)


@typed
def check_regularizer(R: Regularizer, domain: Domain, losses: Losses) -> None:
    """`check_pair`, and TypeError for a matrix in another arithmetic than the losses."""
    check_pair(R, domain)
    if R.kind == MAHALANOBIS:
        _check_arithmetic("R", R.matrix, losses)


def _check_arithmetic(name: str, array: Array, losses: Losses) -> None:
    if is_exact(array) and not is_exact(losses.a):
        raise TypeError(f"{name} is exact and the losses are floats: convert the losses with exact()")
    if is_exact(losses.a) and not is_exact(array):
        raise TypeError(f"{name} is in floats and the losses are exact: convert {name} with exact()")
