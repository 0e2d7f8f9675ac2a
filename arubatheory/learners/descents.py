r"""Mirror descent and projected gradient descent as state; optimism and Hedge, which are made of them.

| class | $\theta_{t+1}$ | whole sequence |
|---|---|---|
| `OMD` | $\arg\min B_R(\theta\|\phi) + \eta\langle\nabla_{1:t}, \theta\rangle$ | `omd` |
| `GreedyOGD` | $\mathrm{Proj}(\theta_t - \eta\nabla_t)$ | `greedy_ogd` |
| `DynamicOGD` | $\theta_t + h(\mathrm{Proj}(\theta_t - \eta\nabla_t) - \theta_t)$ | `dynamic_ogd` |
| `AdaptiveOGD` | $\mathrm{Proj}(\theta_t - \nabla_t/\alpha_{1:t})$ | `aogd` |
| `OptimisticOMD` | a step of hint $M_{t+1}$ from a point that has seen $\nabla_{1:t}$ | `play` |
| `Hedge` | $\propto \phi_i\exp(-\eta\nabla_{1:t,i})$, which is `OMD` in the entropy on the simplex | `play` |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, exact, is_exact
from arubatheory.kernel import on
from arubatheory.learners.compiled_rounds import adapt, descend, mirror
from arubatheory.learners.stepped import Learner
from arubatheory.problems.constants import strong_convexity
from arubatheory.problems.domains import Domain, simplex, space
from arubatheory.problems.losses import Losses, numbers, rows
from arubatheory.problems.numbers import as_vector, check_count
from arubatheory.problems.own.rounds import AnyLosses, Rounds
from arubatheory.problems.own.steps import (
    AnyDomain,
    AnyRegularizer,
    ahead,
    check_regularizer,
    number,
    onto,
    partway,
    shortened,
    stepped,
)
from arubatheory.problems.regularizers import Regularizer, entropy
from arubatheory.problems.signatures import typed


class OMD(Learner):
    r"""Lazy linearised online mirror descent (def:omd) in R, from `phi` with step size $\eta > 0$.

    Under the Euclidean R the domain may be of one's own, and so may R (see `problems.own.steps`). Errors are those of
    `omd`.
    """

    def __init__(self, domain: AnyDomain, R: AnyRegularizer, phi: Any, eta: Any) -> None:
        super().__init__(domain, phi)
        check_regularizer(R, domain, self.phi)
        self.R, self.eta = R, self._real("eta", eta, above=0)
        self._reset()

    def _blank(self) -> Array:
        return 0 * self.phi

    def _first(self) -> Array:
        return self._at(self.memory)

    def _at(self, summed: Array) -> Array:
        return stepped(self.R, self.domain, self.phi, self.eta, summed)

    def _next(self, g: Array) -> tuple[Array, Array]:
        return self._at(self.memory + g), self.memory + g

    def _compiled(self, losses: Rounds) -> tuple[Any, Any, Array] | None:
        return (mirror, self.R, np.array([self.eta])) if isinstance(self.R, Regularizer) else None


class Hedge(OMD):
    r"""Exponential weights over d experts (Littlestone and Warmuth 1994, Freund and Schapire 1997): `see` takes the
    vector of their losses, and the action is $\theta_{t+1,i} \propto \phi_i\exp(-\eta\,\ell_{1:t,i})$.

    `phi` are the first weights (d,), >= 0 and of sum 1; an integer d stands for equal ones. In exact numbers where phi
    is. For losses in [0, 1] the regret is at most $\frac{\log d}\eta + \frac{\eta T}8$.
    """

    def __init__(self, phi: Any, eta: Any) -> None:
        if isinstance(phi, int | np.integer) and not isinstance(phi, bool):
            check_count("phi", phi)
            phi = np.full(phi, 1 / phi)
        start = as_vector("phi", phi)
        domain = simplex(start.size)
        super().__init__(exact(domain) if is_exact(start) else domain, entropy(start.size), start, eta)


class OptimisticOMD(Learner):
    r"""Optimistic mirror descent (Rakhlin and Sridharan, NeurIPS 2013) with hints $M_t$, by default the last gradient:
    $$z_{t+1} = \arg\min_\Theta \eta\langle\nabla_t, z\rangle + B_R(z\|z_t),\qquad
      \theta_{t+1} = \arg\min_\Theta \eta\langle M_{t+1}, \theta\rangle + B_R(\theta\|z_{t+1}),\qquad z_1 = \phi.$$

    With `lazy`, $\theta_{t+1} = \arg\min B_R(\theta\|\phi) + \eta\langle\nabla_{1:t} + M_{t+1}, \theta\rangle$ instead,
    optimistic FTRL. `expect` gives the hint of the round that comes next. Arguments and errors are those of `OMD`.
    """

    @typed
    def __init__(self, domain: AnyDomain, R: AnyRegularizer, phi: Any, eta: Any, *, lazy: bool = False) -> None:
        super().__init__(domain, phi)
        check_regularizer(R, domain, self.phi)
        self.R, self.eta, self.lazy = R, self._real("eta", eta, above=0), lazy
        self._reset()

    def _blank(self) -> tuple[Array, Array]:
        return self.phi, 0 * self.phi

    def expect(self, hint: Any) -> None:
        """The hint M (d,) of the round that comes next; errors as in `see`, naming `hint`."""
        g = numbers("hint", hint, is_exact(self.phi))
        if g.shape != self.phi.shape:
            raise ValueError(f"hint must have shape {self.phi.shape}, got {g.shape}: {hint!r}")
        base, summed = self.memory
        self._action = self._finite(self._hinted(base, summed, g))

    def _hinted(self, base: Array, summed: Array, hint: Array) -> Array:
        return stepped(self.R, self.domain, base, self.eta, summed + hint)

    def _next(self, g: Array) -> tuple[Array, tuple[Array, Array]]:
        base, summed = self.memory
        if self.lazy:
            summed = summed + g
        else:
            base = stepped(self.R, self.domain, base, self.eta, g)
        return self._hinted(base, summed, g), (base, summed)


class DynamicOGD(Learner):
    r"""Projected gradient descent with step size $\eta > 0$ that goes the share $h \in (0, 1]$ of each step; arguments
    and errors are those of `dynamic_ogd`."""

    def __init__(self, domain: AnyDomain, phi: Any, eta: Any, h: Any = 1) -> None:
        super().__init__(domain, phi)
        self.eta, self.h = self._real("eta", eta, above=0), self._real("h", h, above=0, most=1)
        self._reset()

    def _next(self, g: Array) -> tuple[Array, Any]:
        target = onto(self.domain, on(ahead, g)(self._action, self.eta, g))
        return on(partway, g)(self._action, target, self.h), ()

    def _compiled(self, losses: Rounds) -> tuple[Any, Any, Array] | None:
        return descend, 0, np.array([self.eta, self.h])


class GreedyOGD(DynamicOGD):
    r"""Zinkevich's projected gradient descent with step size $\eta > 0$, as `greedy_ogd`."""

    def __init__(self, domain: AnyDomain, phi: Any, eta: Any) -> None:
        super().__init__(domain, phi, eta)


class AdaptiveOGD(Learner):
    r"""Adaptive gradient descent (def:aogd), whose step in round t is $1/\alpha_{1:t}$.

    `alpha` is a number >= 0 for all rounds, or one for each; None: the strong convexity of the loss that is seen (of a
    `Rounds` its `curvature`), or the `alpha` of `see`. No round has a step before $\alpha_{1:t} > 0$.
    """

    def __init__(self, domain: AnyDomain, phi: Any, alpha: Any = None) -> None:
        super().__init__(domain, phi)
        self.alpha = None if alpha is None else numbers("alpha", alpha, is_exact(self.phi))
        if self.alpha is not None and (self.alpha.ndim > 1 or not np.all(self.alpha >= 0)):
            raise ValueError(f"alpha must be numbers >= 0, got {alpha!r}")
        self._reset()

    def _blank(self) -> Any:
        return 0 * self.phi[0]

    def see(self, seen: Any, alpha: Any = None) -> None:
        r"""As `Learner.see`; `alpha` is $\alpha_t$ where the learner was given none, >= 0."""
        g = self._gradient(seen)
        self._advance(g, seen if isinstance(seen, AnyLosses) else None, alpha)

    def _play(self, losses: AnyLosses, t: int, g: Array) -> None:
        self._advance(g, losses.part(t, t + 1) if isinstance(losses, Rounds) else rows(losses, t, t + 1), None)

    def _advance(self, g: Array, loss: AnyLosses | None, alpha: Any) -> None:
        total = self.memory + self._curvature(loss, alpha)
        if not total > 0:
            raise ValueError(f"alpha must be > 0 in the first round, whose step is 1/alpha, got a sum of {total}")
        self._move((onto(self.domain, on(shortened, g)(self._action, g, total)), total))

    def _compiled(self, losses: Rounds) -> tuple[Any, Any, Array] | None:
        given = losses.curvature if self.alpha is None else self.alpha
        if given is None or given.shape not in ((), (len(losses),)) or not given.ravel()[0] > 0:
            return None
        return adapt, 0, np.ascontiguousarray(np.broadcast_to(given, len(losses)))

    def _curvature(self, loss: AnyLosses | None, alpha: Any) -> Any:
        r"""$\alpha_t$."""
        if alpha is not None:
            return self._real("alpha", alpha, least=0)
        if self.alpha is not None:
            if self.alpha.ndim == 1 and self.round >= len(self.alpha):
                raise ValueError(f"alpha must have an entry for round {self.round}, got {len(self.alpha)} of them")
            return self.alpha[self.round] if self.alpha.ndim else self.alpha[()]
        if isinstance(loss, Losses):
            over = self.domain if isinstance(self.domain, Domain) else space(self.phi.size)
            return strong_convexity(loss, over)[0]
        if loss is not None and loss.curvature is not None:
            return number("curvature", loss.curvature[0], is_exact(self.phi))
        raise ValueError("alpha must be given where the loss does not say how curved it is, got None")
