"""The arguments of learners and solvers, checked: losses, a domain, a start, a step size, and a regulariser."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import kernel, on, pure
from arubatheory.problems.domains import SPACE, Domain, contains, inside
from arubatheory.problems.losses import Losses, numbers
from arubatheory.problems.numbers import real, shown
from arubatheory.problems.regularizers import ENTROPY, MAHALANOBIS, Regularizer, check_pair
from arubatheory.problems.signatures import typed

FEW = 1000  # numbers that are looked at in a millisecond by no kernel, which would have to be compiled or loaded


@typed
def checked(losses: Losses, domain: Domain, phi: Any, eta: Any) -> tuple[Losses, Array, Any]:
    """The losses in C order, `phi` and `eta` in their arithmetic, or the error that names what is wrong."""
    check_domain(domain, losses)
    runs = checked_runs(losses, domain, phi)
    if len(runs.shape) > 2:
        raise ValueError(f"phi must have shape {losses.a.shape[1:]}, got {np.shape(phi)}")
    return runs.losses.one(0), runs.phi[0], real("eta", eta, above=0, in_exact=is_exact(runs.phi))


class Runs(NamedTuple):
    """What n runs are played on, each with a leading axis of length n or 1; `shape` is (n, m, d), or (m, d) for one run
    that was given without a leading axis."""

    losses: Losses
    domain: Domain
    phi: Array
    shape: tuple[int, ...]

    def one(self, k: int) -> tuple[Losses, Domain, Array]:
        """Losses, domain and start of run k (views)."""
        return self.losses.one(k), self.domain.one(k), self.phi[k % len(self.phi)]


def checked_rates(name: str, value: Any, losses: Losses) -> Array:
    """A number > 0 for all runs as (1,), an array (n,) of one for each as (n, 1), in the arithmetic of the losses."""
    in_exact = is_exact(losses.a)
    if not (isinstance(value, np.ndarray) and value.ndim > 0):
        return np.array([real(name, value, above=0, in_exact=in_exact)], dtype=object if in_exact else np.float64)
    rates = numbers(name, value, in_exact)
    if rates.ndim > 1:
        raise ValueError(f"{name} must be a number, or of shape (n,) for n runs, got shape {rates.shape}")
    for k in np.flatnonzero([not x > 0 for x in rates]):
        raise ValueError(f"{name} must be > 0, got {rates[k]} (run {k})")
    return rates[:, None]


def checked_runs(losses: Losses, domain: Domain, phi: Any, **more: tuple[Array, int]) -> Runs:
    """The runs of a batch, checked, where losses, domain, phi and arrays in `more`, each with its number of axes in one
    run, may have a leading axis; or the ValueError that names what does not fit, and its shape."""
    if losses.a.ndim not in (2, 3) or losses.a.shape[-2] == 0:
        raise ValueError(f"losses must hold at least one loss, as (m, d) or (n, m, d), got shape {losses.a.shape}")
    _check_dimension(domain, losses)
    start, d = numbers("phi", phi, is_exact(losses.a)), losses.a.shape[-1]
    if start.shape[-1:] != (d,) or start.ndim > 2:
        raise ValueError(f"phi must have shape {(d,)}, got {start.shape} (n runs: (n, {d}))")
    given = {"losses": (losses.a, 2), "domain": (domain.low, 1), "phi": (start, 1), **more}
    lengths = {name: x.shape[0] for name, (x, axes) in given.items() if x.ndim > axes}
    n = max(lengths.values(), default=0)
    for name, length in lengths.items():
        if n == 0 or length not in (1, n):
            raise ValueError(f"{name} must have a leading axis of {n} (or 1) runs, got shape {given[name][0].shape}")
    parts = [np.ascontiguousarray(x) if losses.a.ndim == 3 else np.ascontiguousarray(x)[None] for x in losses]
    over = domain if domain.low.ndim == 2 else Domain(domain.kind, *(x[None] for x in domain[1:]))
    runs = Runs(Losses(*parts), over, np.atleast_2d(start), (*((n,) if lengths else ()), *losses.a.shape[-2:]))
    _check_starts(runs, phi)
    return runs


@typed
def several(losses: Losses, domain: Domain, phi: Any) -> Runs | None:
    """`checked_runs` where losses, domain or phi have a leading axis, else None."""
    plain = losses.a.ndim < 3 and domain.low.ndim < 2 and numbers("phi", phi, is_exact(losses.a)).ndim < 2
    return None if plain else checked_runs(losses, domain, phi)


def _check_starts(runs: Runs, phi: Any) -> None:
    domain, n = runs.domain, max(len(runs.phi), len(runs.domain.low))
    if domain.kind == SPACE:
        return
    find = pure(margins) if n * runs.phi.shape[1] <= FEW else on(margins, runs.phi)
    found = find(domain, runs.phi, np.empty(n, runs.phi.dtype))
    for k in np.flatnonzero([not x >= 0 for x in found] if is_exact(found) else ~(found >= 0)):
        if not contains(domain.one(int(k)), runs.phi[k % len(runs.phi)]):
            raise ValueError(f"phi must lie in the domain, got {shown(phi)}" + (f" (run {k})" if n > 1 else ""))


@kernel
def margins(domain: Domain, phi: Array, out: Array) -> Array:
    """`inside` for each run."""
    for k in range(out.shape[0]):
        j = k % domain.low.shape[0]
        over = Domain(domain.kind, domain.low[j], domain.high[j], domain.center[j], domain.radius[j])
        out[k] = inside(over, phi[k % phi.shape[0]])
    return out


@typed
def check_domain(domain: Domain, losses: Losses) -> None:
    """ValueError for another dimension than the losses', or a batch of either; TypeError for another arithmetic."""
    for name, array, axes in (("losses", losses.a, 2), ("domain", domain.low, 1)):
        if array.ndim != axes:
            raise ValueError(f"{name} must be those of one run here, got an array of shape {array.shape}")
    _check_dimension(domain, losses)


def _check_dimension(domain: Domain, losses: Losses) -> None:
    d = losses.a.shape[-1]
    if domain.low.shape[-1] != d:
        raise ValueError(f"domain must have dimension {d} as the losses do, got {domain.low.shape[-1]}")
    if domain.kind != SPACE or not is_exact(losses.a):
        _check_arithmetic("domain", domain.low, losses)


@typed
def check_regularizer(R: Regularizer, domain: Domain, losses: Losses) -> None:
    """`check_pair`, and TypeError for a matrix in another arithmetic than the losses."""
    check_pair(R, domain)
    if R.kind == MAHALANOBIS:
        _check_arithmetic("R", R.matrix, losses)


def check_regularizers(R: Regularizer, runs: Runs) -> None:
    """`check_regularizer` for each domain of a batch."""
    for k in range(len(runs.domain.low) if R.kind == ENTROPY else 1):  # the others ask for the dimension only
        check_regularizer(R, runs.domain.one(k), runs.losses)


def _check_arithmetic(name: str, array: Array, losses: Losses) -> None:
    if is_exact(array) and not is_exact(losses.a):
        raise TypeError(f"{name} is exact and the losses are floats: convert the losses with exact()")
    if is_exact(losses.a) and not is_exact(array):
        raise TypeError(f"{name} is in floats and the losses are exact: convert {name} with exact()")
