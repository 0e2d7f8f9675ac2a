r"""Follow the regularised leader (def:ftrl), with a certificate of every inner minimum.

$$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \ell_s(\theta).$$

* All past losses linear: FTRL is OMD (text:ftrl-is-omd), one `mirror_step`, gap 0. Linear with ridges and the Euclidean
  R: one projection, gap 0. Sums are carried from round to round, O(d) each.
* Linear, squared and ridge terms with a quadratic R: sums are carried too (`carried`), $O(d^2)$ a round where the
  domain does not bind, else $O(d^3)$. The gap is computed, since the quadratic form may be ill-conditioned.
* Anything else: the solver of `convex` and its duality gap. The objective is 1-strongly convex in the norm of R, so
  $\|\theta - \theta_t\|^2 \le 2\,$gap.

The last case goes over all past losses in every round, $O(T^2)$ in all, and so does a round of the second last whose
gap is not below $10^{-13}$ of the magnitudes. In exact arithmetic the actions of the last case are balls: they enclose
the true minimiser.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Exact, Number, ball, is_exact, precision
from arubatheory.convex.enclosure import bits, enclosed_minimiser, enclosed_value
from arubatheory.convex.problem import Problem
from arubatheory.kernel import borrowing, standing
from arubatheory.learners.carried import add_slope, carry, finish, led
from arubatheory.learners.leader_steps import FTRL
from arubatheory.learners.many_runs import in_a_row
from arubatheory.learners.runs import each_of, played
from arubatheory.learners.stepped import played_as_functions
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import check_regularizers, checked_rates, checked_runs
from arubatheory.problems.domains import Domain, project_into
from arubatheory.problems.losses import LINEAR, Losses, value, values
from arubatheory.problems.own.rounds import AnyLosses
from arubatheory.problems.own.steps import AnyDomain, AnyRegularizer
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.signatures import typed


@borrowing
def _ftrl_run(L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, actions: Array, values: Array) -> None:
    r"""The Euclidean FTRL on losses that sums can hold: $\mathrm{Proj}(\phi - \eta\sum_s\nabla\ell_s(\phi)/(1 + \eta
    \sum_s r_s))$."""
    total, eta, mass = work[0], rates[0], 0 * rates[0]
    for j in range(phi.shape[0]):
        total[j] = 0 * phi[j]
    for i in range(L.b.shape[0]):
        theta, step = actions[i if actions.shape[0] > 1 else 0], eta / (1 + eta * mass)
        for j in range(phi.shape[0]):
            theta[j] = phi[j] - step * total[j]
        project_into(domain, theta, theta)
        values[i] = value(L, i, theta)
        mass = mass + L.ridge[i]
        add_slope(L, i, phi, total)


_ftrl_runs = each_of(_ftrl_run)


@standing
def play_ftrl(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Trajectory:
    """The trajectory of `ftrl`, unvalidated; in floats only (exactly: `enclosed_ftrl`)."""
    actions, gap = np.empty_like(L.a), 0 * L.b
    finish(L, carry(L, 0, domain, R, phi, eta, actions, gap), domain, R, phi, eta, actions, gap)
    return Trajectory(actions, values(L, actions), gap)


def enclosed_ftrl(losses: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Exact) -> Trajectory:
    """`ftrl` on exact losses (arguments already checked)."""
    m, d = losses.a.shape
    actions, found, gap = (np.empty(shape, dtype=object) for shape in ((m, d), m, m))
    with precision(bits()):
        for n in range(m):
            x, radius, gap[n] = enclosed_minimiser(Problem(losses, n, domain, R, phi, eta, Exact(1)))
            found[n] = enclosed_value(losses, n, x, radius)
            actions[n] = [middle + ball(0, r) for middle, r in zip(x, radius, strict=True)]
    return Trajectory(actions, found, gap)


@typed
def ftrl(
    losses: AnyLosses,
    domain: AnyDomain,
    R: AnyRegularizer,
    phi: ArrayLike,
    eta: ArrayLike | Number,
    *,
    actions: bool = True,
    out: Trajectory | None = None,
) -> Trajectory:
    r"""Follow the regularised leader (def:ftrl) on m losses, from $\phi \in \Theta$ with step size $\eta > 0$:
    $$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \ell_s(\theta).$$

    `phi` has shape (d,); actions of the result (m, d), and `gap` (m,) a certified bound of each inner suboptimality,
    0 after linear losses. For exact losses the actions are balls that contain $\theta_t$, and the values contain
    $\ell_t(\theta_t)$. Linear losses, with or without ridges, and the Euclidean R take `actions` and `out` as `omd`
    does; for others ValueError refuses them. Batches are those of `omd`; what needs a solver is played run by run.

    Losses as functions are minimised in every round by the search of `problems.own.least`, as are all over a domain or
    with an R of one's own: $O(T^2)$ calls of the functions, and `gap` is what convexity certifies, which may be
    infinite where neither the domain is bounded nor R known to be curved. The entropy is not among their regularisers.

    Raises ValueError for a start outside the domain, eta <= 0, NaN or infinities, shapes that do not fit, no losses,
    or a regulariser that is not defined on the domain; OverflowError when a number leaves the range of float64.
    """
    if not (isinstance(losses, Losses) and isinstance(domain, Domain) and isinstance(R, Regularizer)):
        return played_as_functions(FTRL(domain, R, phi, eta), losses, actions, out)
    rates = checked_rates("eta", eta, losses)
    runs = checked_runs(losses, domain, phi, eta=(rates, 1))
    check_regularizers(R, runs)
    if R.kind == EUCLIDEAN and not is_exact(losses.a) and not ((losses.link != LINEAR) & (losses.weight > 0)).any():
        return played("ftrl", _ftrl_runs, runs, rates, actions, out)
    if out is not None or not actions:
        raise ValueError(f"out and actions are for linear losses and the Euclidean R, got {out!r}, actions={actions!r}")
    many = len(runs.shape) > 2
    found = [_solved(*runs.one(k), R, rates.flat[k % len(rates)]) for k in range(runs.shape[0] if many else 1)]
    return in_a_row(found) if many else found[0]


def _solved(losses: Losses, domain: Domain, phi: Array, R: Regularizer, eta: Any) -> Trajectory:
    """One run on losses that need a solver (arguments already checked)."""
    if is_exact(phi):
        return enclosed_ftrl(losses, domain, R, phi, eta)
    with np.errstate(all="ignore"):
        actions, gap = led(losses, 0, len(losses.a), domain, R, phi, eta)
        return finite("ftrl", Trajectory(actions, values(losses, actions), gap))
