r"""What one round does to a point, shared by whole sequences, by learners that are stepped, and by domains and
regularisers of one's own.

A domain of one's own is an object with `project(x)`, the point of $\Theta$ nearest to x in $\|\cdot\|_2$; `diameter`, a
number, is asked for where a certificate needs it. A regulariser of one's own has `value(x)`, `gradient(x)` and
`mirror_step(domain, phi, g)` $= \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \langle g, \theta\rangle$.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np

from arubatheory.arithmetic import Array, exact, is_exact
from arubatheory.kernel import borrowing, kernel, on
from arubatheory.problems import domains, regularizers
from arubatheory.problems.domains import SPACE, Domain, contains
from arubatheory.problems.losses import numbers
from arubatheory.problems.numbers import as_items, as_vector, real
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer, check_pair

NEAR = 1e-9  # how far a projection of one's own may move a point that is to lie in the domain, of its size


@runtime_checkable
class OwnDomain(Protocol):
    r"""A closed convex set of $\mathbb R^d$ that can be projected onto."""

    def project(self, x: Array) -> Any:
        r"""$\arg\min_{y\in\Theta}\|y - x\|_2$ (d,)."""


@runtime_checkable
class OwnRegularizer(Protocol):
    """A convex R with its gradient and its mirror step."""

    def value(self, x: Array) -> Any:
        r"""$R(x)$, a number."""

    def gradient(self, x: Array) -> Any:
        r"""$\nabla R(x)$ (d,)."""

    def mirror_step(self, domain: Any, phi: Array, g: Array) -> Any:
        r"""$\arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \langle g, \theta\rangle$ (d,)."""


AnyDomain = Domain | OwnDomain
AnyRegularizer = Regularizer | OwnRegularizer


# kernels -------------------------------------------------------------------------------------------------------------
@borrowing
def ahead_into(x: Array, rate: Any, g: Array, y: Array) -> None:
    r"""[exact] y = x - rate g, where y may be either."""
    for j in range(x.shape[0]):
        y[j] = x[j] - rate * g[j]


@borrowing
def shortened_into(x: Array, g: Array, total: Any, y: Array) -> None:
    r"""[exact] y = x - g / total, where y may be either."""
    for j in range(x.shape[0]):
        y[j] = x[j] - g[j] / total


@borrowing
def partway_into(x: Array, target: Array, h: Any, y: Array) -> None:
    r"""[exact] y = x + h (target - x), where y may be either."""
    for j in range(x.shape[0]):
        # x + 1 * (target - x) is not always target in floats, and may leave the domain by a rounding
        y[j] = target[j] if h == 1 else x[j] + h * (target[j] - x[j])


@kernel
def ahead(x: Array, rate: Any, g: Array) -> Array:
    r"""[exact] x - rate g, a new array."""
    y = np.empty_like(x)
    ahead_into(x, rate, g, y)
    return y


@kernel
def shortened(x: Array, g: Array, total: Any) -> Array:
    r"""[exact] x - g / total, a new array."""
    y = np.empty_like(x)
    shortened_into(x, g, total, y)
    return y


@kernel
def partway(x: Array, target: Array, h: Any) -> Array:
    r"""[exact] x + h (target - x), a new array."""
    y = np.empty_like(x)
    partway_into(x, target, h, y)
    return y


# any domain, any regulariser -----------------------------------------------------------------------------------------
def onto(domain: AnyDomain, x: Array) -> Array:
    r"""$\mathrm{Proj}_\Theta(x)$ (d,). ValueError or TypeError for what a domain of one's own should not answer."""
    if isinstance(domain, Domain):
        return np.asarray(on(domains.project, x)(domain, x))
    return answer("domain.project(x)", domain.project(x.copy()), x)


def stepped(R: AnyRegularizer, domain: Any, phi: Array, rate: Any, g: Array) -> Array:
    r"""$\arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + rate \langle g, \theta\rangle$ (d,)."""
    if not isinstance(R, Regularizer):
        return answer("R.mirror_step(domain, phi, g)", R.mirror_step(domain, phi.copy(), rate * g), phi)
    if R.kind == EUCLIDEAN:
        return onto(domain, on(ahead, phi)(phi, rate, g))
    return np.asarray(on(regularizers.mirror_step, phi)(R, domain, phi, rate * g))


def bregman(R: AnyRegularizer, x: Array, y: Array) -> Any:
    r"""$B_R(x\|y)$."""
    if isinstance(R, Regularizer):
        return on(regularizers.bregman, x)(R, x, y)
    values = [number(f"R.value({name})", R.value(z.copy())) for name, z in (("x", x), ("y", y))]
    return max(values[0] - values[1] - slope_of(R, y) @ (x - y), 0.0)


def slope_of(R: AnyRegularizer, x: Array) -> Array:
    r"""$\nabla R(x)$ (d,)."""
    if isinstance(R, Regularizer):
        return np.asarray(on(regularizers.gradient, x)(R, x))
    return answer("R.gradient(x)", R.gradient(x.copy()), x)


def answer(name: str, value: Any, like: Array) -> Array:
    """What a function of the user's has answered, as an array like the one it was given; or the error that names it."""
    if as_items(name, value).shape != like.shape:
        raise ValueError(f"{name} must have shape {like.shape}, got {np.shape(value)}: {value!r}")
    return numbers(name, value, is_exact(like))


def number(name: str, value: Any, in_exact: bool = False) -> Any:
    """What a function of the user's has answered, as one finite number; or the error that names it."""
    plain = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    return real(name, plain, in_exact=in_exact)


# arguments -----------------------------------------------------------------------------------------------------------
def start_in(domain: AnyDomain, phi: Any) -> Array:
    """`phi` (d,) in the arithmetic of the domain, of which it must be a point; or the error that names it."""
    start = as_vector("phi", phi)
    if not isinstance(domain, Domain):
        if not isinstance(domain, OwnDomain):
            raise TypeError(f"domain must be a Domain or have a method project(x), got {domain!r}")
        start = numbers("phi", phi, in_exact=False).reshape(-1)
        found = onto(domain, start)
        if not np.abs(found - start).max() <= NEAR * (1 + np.abs(start).max()):
            raise ValueError(f"phi must lie in the domain, got {phi!r}, which it projects to {found!r}")
        return found
    if domain.low.shape != start.shape:
        raise ValueError(f"phi must have shape {domain.low.shape}, got {start.shape}")
    if domain.kind != SPACE and is_exact(domain.low) != is_exact(start):
        if is_exact(start):
            raise TypeError(f"phi is exact and the domain is in floats: convert the domain with exact(), got {phi!r}")
        start = exact(start)
    if not contains(domain, start):
        raise ValueError(f"phi must lie in the domain, got {phi!r}")
    return start


def check_regularizer(R: Any, domain: AnyDomain, phi: Array) -> None:
    """TypeError or ValueError where steps of R over this domain cannot be made."""
    if isinstance(R, Regularizer):
        if isinstance(domain, Domain):
            check_pair(R, domain)
        elif R.kind != EUCLIDEAN or R.matrix.shape != (phi.size, phi.size):
            needed = f"euclidean({phi.size}), or have a mirror_step of its own, over a domain of one's own"
            raise ValueError(f"R must be {needed}, got {R!r}")
        return
    if not isinstance(R, OwnRegularizer):
        raise TypeError(f"R must be a Regularizer or have value, gradient and mirror_step, got {R!r}")


def diameter_of(domain: AnyDomain) -> float:
    r"""$\sup\|x - y\|_2$ over the domain, or what its `diameter` says; $\infty$ where it says nothing."""
    if isinstance(domain, Domain):
        return float(domains.diameter(domain))
    said = getattr(domain, "diameter", math.inf)
    said = said() if callable(said) else said
    return math.inf if said == math.inf else real("domain.diameter", said, least=0)
