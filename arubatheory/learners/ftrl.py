r"""Follow the regularised leader (def:ftrl), with a certificate of every inner minimum.

$$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \ell_s(\theta).$$

* All past losses linear: FTRL is OMD (text:ftrl-is-omd), one `mirror_step`, gap 0.
* Linear, squared and ridge terms with a quadratic R: one `mirror_step` again; its gap is computed, since the quadratic
  form may be ill-conditioned.
* Anything else: the solver of `convex` and its duality gap. The objective is 1-strongly convex in the norm of R, so
  $\|\theta - \theta_t\|^2 \le 2\,$gap.

In exact arithmetic the actions of the third case are balls: they enclose the true minimiser.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, ArrayLike, Exact, Number, ball, is_exact, precision
from arubatheory.convex.enclosure import BITS, enclosed_minimiser, enclosed_value
from arubatheory.convex.problem import Problem
from arubatheory.convex.solver import minimiser
from arubatheory.kernel import kernel
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import check_regularizer, checked
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses, values
from arubatheory.problems.regularizers import Regularizer


@kernel
def play_ftrl(L: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Any) -> Trajectory:
    """The trajectory of `ftrl`, unvalidated; in floats only (exactly: `enclosed_ftrl`)."""
    actions, gap = np.empty_like(L.a), 0 * L.b
    for n in range(L.a.shape[0]):
        actions[n], gap[n] = minimiser(Problem(L, n, domain, R, phi, eta, 1.0))
    return Trajectory(actions, values(L, actions), gap)


def enclosed_ftrl(losses: Losses, domain: Domain, R: Regularizer, phi: Array, eta: Exact) -> Trajectory:
    """`ftrl` on exact losses (arguments already checked)."""
    m, d = losses.a.shape
    actions, found, gap = (np.empty(shape, dtype=object) for shape in ((m, d), m, m))
    with precision(BITS):
        for n in range(m):
            x, radius, gap[n] = enclosed_minimiser(Problem(losses, n, domain, R, phi, eta, Exact(1)))
            found[n] = enclosed_value(losses, n, x, radius)
            actions[n] = [middle + ball(0, r) for middle, r in zip(x, radius, strict=True)]
    return Trajectory(actions, found, gap)


def ftrl(losses: Losses, domain: Domain, R: Regularizer, phi: ArrayLike, eta: Number) -> Trajectory:
    r"""Follow the regularised leader (def:ftrl) on m losses, from $\phi \in \Theta$ with step size $\eta > 0$:
    $$\theta_t = \arg\min_{\theta\in\Theta} B_R(\theta\|\phi) + \eta\sum_{s<t} \ell_s(\theta).$$

    `phi` has shape (d,); actions of the result (m, d), and `gap` (m,) a certified bound of each inner suboptimality,
    0 after linear losses. For exact losses the actions are balls that contain $\theta_t$, and the values contain
    $\ell_t(\theta_t)$.

    Raises ValueError for a start outside the domain, eta <= 0, NaN or infinities, shapes that do not fit, no losses,
    or a regulariser that is not defined on the domain; OverflowError when a number leaves the range of float64.
    """
    losses, start, step = checked(losses, domain, phi, eta)
    check_regularizer(R, domain, losses)
    if is_exact(start):
        return enclosed_ftrl(losses, domain, R, start, step)
    with np.errstate(all="ignore"):
        return finite("ftrl", play_ftrl(losses, domain, R, start, step))
