r"""Gradient steps in the norm of a matrix as state: a given one, AdaGrad's, and the online Newton step's.

A step is $\theta_{t+1} = \arg\min_\Theta \frac12\|\theta - \theta_t\|_{A_t}^2 + \langle\nabla_t, \theta\rangle$.

| class | $A_t$ | source |
|---|---|---|
| `AdaGrad`, scalar | $\frac1\eta(\delta + (\sum_s\|\nabla_s\|_2^2)^{1/2})\,I$ | Streeter and McMahan 2010 |
| `AdaGrad`, diagonal | $\frac1\eta(\delta I + \mathrm{Diag}(\sum_s\nabla_s^2)^{1/2})$ | Duchi, Hazan and Singer 2011 |
| `AdaGrad`, full | $\frac1\eta(\delta I + (\sum_s\nabla_s\nabla_s^\top)^{1/2})$ | the same |
| `OnlineNewton` | $\gamma(\varepsilon I + \sum_s\nabla_s\nabla_s^\top)$ | Hazan, Agarwal and Kale 2007 |

`learners.preconditioned.PreconditionedOMD` has one H for all rounds. All but the scalar AdaGrad need a `Domain`: one of
one's own knows only $\|\cdot\|_2$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import on
from arubatheory.learners.preconditioned import diagonal_step
from arubatheory.learners.stepped import Learner
from arubatheory.problems.domains import BOX, SPACE, Domain
from arubatheory.problems.numbers import zeros_like
from arubatheory.problems.own.steps import AnyDomain, ahead, onto
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, mirror_step
from arubatheory.problems.signatures import typed

FORMS = ("scalar", "diagonal", "full")


def in_norm(A: Array, domain: Domain, theta: Array, g: Array) -> Array:
    r"""$\arg\min_\Theta \frac12\|y - \theta\|_A^2 + \langle g, y\rangle$ (d,) for A (d, d)."""
    return np.asarray(on(mirror_step, g)(Regularizer(MAHALANOBIS, A), domain, theta, g))


def diagonal(entries: Array) -> Array:
    """Diag(entries) (d, d), in their arithmetic."""
    A = zeros_like((entries.size, entries.size), entries)
    np.fill_diagonal(A, entries)
    return A


class AdaGrad(Learner):
    r"""AdaGrad with step size $\eta > 0$ and $\delta$ = `delta` >= 0, in one of three forms (see the module).

    With $\delta = 0$ a direction without any gradient so far has no step; then the diagonal form needs a box or
    $\mathbb R^d$ and the full form $\mathbb R^d$. The full form is in floats. Raises ValueError for other forms and
    domains, and as `GreedyOGD`.
    """

    @typed
    def __init__(self, domain: AnyDomain, phi: Any, eta: Any, form: str = "diagonal", *, delta: Any = 0) -> None:
        if form not in FORMS:
            raise ValueError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
        self.form = form
        super().__init__(domain, phi)
        self.eta, self.delta = self._real("eta", eta, above=0), self._real("delta", delta, least=0)
        if form == "full" and is_exact(self.phi):
            raise TypeError(f"phi must be in floats for the full form, got {phi!r}")
        if form != "scalar":
            _check_domain(domain, form, {"diagonal": (BOX, SPACE), "full": (SPACE,)}[form], self.delta > 0)
        self._reset()

    def _blank(self) -> Array:
        shape = {"scalar": (1,), "diagonal": self.phi.shape, "full": (self.phi.size, self.phi.size)}[self.form]
        return zeros_like(shape, self.phi)

    def _next(self, g: Array) -> tuple[Array, Array]:
        if self.form == "full":
            seen = self.memory + np.outer(g, g)
            return self._along(seen, g), seen
        seen = self.memory + (g @ g if self.form == "scalar" else g * g)
        size = self.delta + np.sqrt(seen)
        rates, moved = 0 * size, (size > 0).astype(bool)
        rates[moved] = self.eta / size[moved]
        free = on(ahead, g)(self._action, 1, rates * g)
        if self.form == "scalar" or self.domain.kind in (BOX, SPACE):  # clipping is nearest in every diagonal norm
            return onto(self.domain, free), seen
        if is_exact(g):
            return in_norm(diagonal(size / self.eta), self.domain, self._action, g), seen
        return diagonal_step(rates, self.domain, free), seen

    def _along(self, seen: Array, g: Array) -> Array:
        squares, V = np.linalg.eigh(seen)
        size = self.delta + np.sqrt(np.maximum(squares, 0.0))
        if self.domain.kind != SPACE:
            A = (V * size) @ V.T / self.eta
            return in_norm((A + A.T) / 2, self.domain, self._action, g)
        held = size > 1e-12 * size.max()  # beyond, eigenvalues of the sum are rounding
        rates = np.divide(self.eta, size, out=np.zeros_like(size), where=held)
        return ahead(self._action, 1.0, V @ (rates * (V.T @ g)))


class OnlineNewton(Learner):
    r"""The online Newton step with $\gamma$ = `gamma` > 0 and $\varepsilon$ = `eps` > 0:
    $$A_t = \varepsilon I + \sum_{s\le t}\nabla_s\nabla_s^\top,\qquad
      \theta_{t+1} = \mathrm{Proj}_\Theta^{A_t}(\theta_t - \tfrac1\gamma A_t^{-1}\nabla_t).$$

    For $\alpha$-exp-concave losses with gradients of at most G over a domain of diameter D, Hazan, Agarwal and Kale
    take $\gamma = \frac12\min\{\frac1{4GD}, \alpha\}$ and $\varepsilon = \frac1{\gamma^2D^2}$. Rational in exact
    numbers, but for balls. Errors as in `GreedyOGD`.
    """

    def __init__(self, domain: Domain, phi: Any, gamma: Any, eps: Any) -> None:
        super().__init__(domain, phi)
        self.gamma, self.eps = self._real("gamma", gamma, above=0), self._real("eps", eps, above=0)
        _check_domain(domain, "online Newton", (), True)
        self._reset()

    def _blank(self) -> Array:
        return diagonal(0 * self.phi + self.eps)

    def _next(self, g: Array) -> tuple[Array, Array]:
        seen = self.memory + np.outer(g, g)
        return in_norm(self.gamma * seen, self.domain, self._action, g), seen


def _check_domain(domain: Any, form: str, flat: tuple[int, ...], definite: bool) -> None:
    if not isinstance(domain, Domain):
        raise ValueError(f"domain must be a Domain for the {form} form, got {domain!r}")
    if not definite and domain.kind not in flat:
        raise ValueError(f"delta must be > 0 for the {form} form over this domain, got 0 over {domain!r}")
