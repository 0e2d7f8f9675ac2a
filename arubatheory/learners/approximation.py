r"""How far Algorithm 3 is from Algorithm 1: the quantities of asu:general, computed on a run.

With $\theta_t^\ast$ the optimal actions, $\hat\theta_t$ the update parameters, $\theta_t'$ a reference sequence and
$\sigma_t = G_t\sqrt{m_t}$, the assumption asks for $\kappa, \nu \ge 1$, $\Delta_t^\ast, \Delta' \ge 0$ with
$$\sum_t\alpha_tB_R(\theta_t^\ast\|\phi_t) \le \Delta^\ast_{1:T} + \kappa\sum_t\alpha_tB_R(\hat\theta_t\|\phi_t),
\qquad \sum_t\sigma_tB_R(\hat\theta_t\|\hat\phi) \le \Delta' + \nu\sum_t\sigma_tB_R(\theta_t'\|\phi').$$

Each is a half plane, so what is least is a line: `Trade.slack(factor)` $= \max\{0, lhs - factor \cdot rhs\}$ and
`Trade.factor()`, the least factor at slack 0.

The weights are printed as "for some $\alpha_t \ge 0$". The proof of thm:fixed needs $\alpha_t = \sigma_t$, that of
thm:learning $\alpha_t = \varepsilon\sigma_t/D_t$ with $\varepsilon \le \min_t D_t$: then its bound has
$\Delta^\ast_{1:T}/\varepsilon$. `each` holds what a single task needs, $\max\{0, \alpha_t(B_R(\theta_t^\ast\|\phi_t) -
\kappa B_R(\hat\theta_t\|\phi_t))\}$: with $\alpha_t = \sigma_t$ that serves both proofs.

Tasks without gradients ($\sigma_t = 0$) have no weight.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.learners.meta import MetaTrajectory
from arubatheory.problems.domains import BALL, BOX, SPACE, Domain, contains, diameter, dimension, extreme_points
from arubatheory.problems.numbers import as_vector, in_floats, real
from arubatheory.problems.regularizers import (
    ENTROPY,
    EUCLIDEAN,
    MAHALANOBIS,
    Regularizer,
    bregman,
    check_pair,
    mass_bound,
)

WEIGHTS = ("fixed", "learning")
INITS = ("ftl", "aogd")
CORNERS = 12  # a Mahalanobis divergence on a box of more dimensions is bounded by its largest eigenvalue


class Trade(NamedTuple):
    r"""One inequality $lhs \le \Delta + c \cdot rhs$ of asu:general: what c and $\Delta$ have to make up for."""

    lhs: float
    rhs: float

    def slack(self, factor: float = 1.0) -> float:
        r"""The least $\Delta \ge 0$ at the factor c >= 1. ValueError for a smaller one."""
        return max(0.0, self.lhs - real("factor", factor, least=1) * self.rhs)

    def factor(self) -> float:
        r"""The least $c \ge 1$ at $\Delta = 0$: $\infty$ where the right sum is 0 and the left one is not."""
        if self.lhs <= self.rhs:
            return 1.0
        return self.lhs / self.rhs if self.rhs > 0 else math.inf


class Approximation(NamedTuple):
    r"""asu:general on a run: `updates` is the inequality of $\kappa$ and $\Delta^\ast$, `spread` that of $\nu$ and
    $\Delta'$; `kappa`, `drift` $= \Delta^\ast_{1:T}$, `each` (T,) $= \Delta_t^\ast$ for single tasks, `nu`, `gap`
    $= \Delta'$; V, D, the norm's `stretch` C', the l2 `diameter` D' and the `lipschitz` G' (upper bounds), and
    `constant` $= C = 2C'D'G'$, or $G'^2/2$ in the Nice case."""

    alpha: Array
    updates: Trade
    spread: Trade
    kappa: float
    drift: float
    each: Array
    nu: float
    gap: float
    V: float
    D: float
    stretch: float
    diameter: float
    lipschitz: float
    constant: float


def approximation(
    trajectory: MetaTrajectory,
    R: Regularizer,
    domain: Domain,
    *,
    weights: str = "fixed",
    kappa: float = 1.0,
    nu: float = 1.0,
    references: Any = None,
    init: str = "ftl",
) -> Approximation:
    r"""The quantities of asu:general on the realised sequence: at the given $\kappa$ and $\nu$ the least
    $\Delta^\ast_{1:T}$ and $\Delta'$.

    `weights` "fixed" takes $\alpha_t = \sigma_t$, "learning" $\alpha_t = \varepsilon\sigma_t/D_t$ with
    $\varepsilon = \min_t D_t$ and $D_t = v_t$. `references` (T, d) are the $\theta_t'$, by default the
    $\theta_t^\ast$. `init` says where G' is taken: over $\mathrm{Conv}\{\hat\theta_t\}$ ("ftl") or over $\Theta$
    ("aogd").

    D is $\max_{\theta}B_R(\theta\|\phi_1)^{1/2}$ where $\hat\theta_t = \theta_t' = \theta_t^\ast$ for all t, else
    $\max_{\theta,\phi}B_R(\theta\|\phi)^{1/2}$, or an upper bound of it on balls; C' compares norms on all vectors,
    since the proof needs it for differences of points. All are $\infty$ where they do not exist.

    Raises ValueError for kappa or nu below 1, weights or init of another name, a run without weights, or shapes and
    points that do not fit the domain; TypeError for factors that are no numbers.
    """
    _check(trajectory, R, domain, weights, init)
    kappa, nu = real("kappa", kappa, least=1), real("nu", nu, least=1)
    kept = trajectory.sigma > 0
    sigma, star, hat, phi = (x[kept] for x in (trajectory.sigma, trajectory.optima, trajectory.updates, trajectory.phi))
    reference = _references(references, trajectory, domain)[kept]
    v = trajectory.v[kept]
    alpha = sigma if weights == "fixed" else v.min() / v * sigma
    optimal, approximate = _divergences(R, star, phi), _divergences(R, hat, phi)
    updates = Trade(float(alpha @ optimal), float(alpha @ approximate))
    about = float(sigma @ _divergences(R, reference, _mean(reference, sigma)))
    spread = Trade(float(sigma @ _divergences(R, hat, _mean(hat, sigma))), about)
    each = np.zeros(kept.size)
    each[kept] = np.maximum(0.0, alpha * (optimal - kappa * approximate))
    exact_case = bool((hat == star).all() and (reference == star).all())
    stretch, length = _stretch(R, domain), float(diameter(domain))
    steep = lipschitz_over(R, domain, hat, init == "aogd")
    constant = steep * steep / 2 if R.kind != ENTROPY else 2 * stretch * length * steep
    return Approximation(
        alpha,
        updates,
        spread,
        kappa,
        updates.slack(kappa),
        each,
        nu,
        spread.slack(nu),
        math.sqrt(about / sigma.sum()),
        math.sqrt(_largest(R, domain, trajectory.phi[0] if exact_case else None)),
        stretch,
        length,
        steep,
        constant,
    )


def fixed_bound(found: Approximation, sigma: Any, eps: float, init: str = "ftl") -> float:
    r"""The bound of thm:fixed on $\sum_t U_t = T\bar U$ at $D_t = \varepsilon$, for weights "fixed":
    $(\kappa D^2/\varepsilon + \varepsilon)\iota\sigma_1 + \frac{\kappa C}\varepsilon\sum_t\sigma_t^2/\sigma_{1:t}
    + (\kappa\nu V^2/\varepsilon + \varepsilon)\sigma_{1:T} + (\Delta^\ast_{1:T} + \kappa\Delta')/\varepsilon$.

    `sigma` (T,) are the $\sigma_t$ of the run. It holds for FTL, and for AOGD with the Euclidean R (in other norms see
    thm:fixed/aogd). Raises ValueError for eps <= 0, another init, $\sigma_t < 0$, NaN, infinities, or no
    $\sigma_t > 0$; TypeError for what is not in floats.
    """
    eps = real("eps", eps, above=0)
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}")
    weight = in_floats("sigma", as_vector("sigma", sigma))
    if not (weight >= 0).all() or not weight.any():
        raise ValueError(f"sigma must be >= 0 and not 0 for all tasks, got {sigma!r}")
    weight = weight[weight > 0]
    first = (found.kappa * found.D**2 / eps + eps) * weight[0] if init == "ftl" else 0.0
    learning = found.kappa * found.constant / eps * float((weight**2 / np.cumsum(weight)).sum())
    spread = (found.kappa * found.nu * found.V**2 / eps + eps) * float(weight.sum())
    return float(first + learning + spread + (found.drift + found.kappa * found.gap) / eps)


# the constants -----------------------------------------------------------------------------------------------------
def lipschitz_over(R: Regularizer, domain: Domain, hat: Array, everywhere: bool) -> float:
    r"""An upper bound G' of the Lipschitz constants of $B_R(\hat\theta_t\|\cdot)$ for `hat` (T, d), in the norm of R
    over the domain: over all of it, or over $\mathrm{Conv}\{\hat\theta_t\}$.

    The gradient is $\nabla^2R(\phi)(\phi - \theta)$. For a quadratic R its dual norm is $\|\phi - \theta\|$, largest at
    an extreme point; for the entropy the box around the points is taken, and $\infty$ where a coordinate may be 0.
    """
    if everywhere and domain.kind == SPACE:
        return math.inf
    if R.kind == ENTROPY:
        low, high = _box_around(domain) if everywhere else (hat.min(axis=0), hat.max(axis=0))
        return math.sqrt(float(mass_bound(domain))) * float(max(_relative(x, low, high) for x in hat))
    if everywhere:
        return math.sqrt(2 * max(_largest(R, domain, x) for x in hat))
    return math.sqrt(2 * max(bregman(R, x, y) for x in hat for y in hat))


def _relative(theta: Array, low: Array, high: Array) -> float:
    r"""$\max|1 - \theta_i/\phi_i|$ over the box: $\infty$ where $\phi_i$ may be 0 and $\theta_i$ is not."""
    ends = np.stack([low, high])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(ends > 0, theta / ends, np.where(theta > 0, np.inf, 1.0))
    return float(np.abs(1 - ratios).max())


def _top(R: Regularizer) -> float:
    r"""The largest eigenvalue of $\nabla^2R$ of a quadratic R."""
    return 1.0 if R.kind == EUCLIDEAN else float(np.linalg.eigvalsh(R.matrix)[-1])


def _stretch(R: Regularizer, domain: Domain) -> float:
    r"""$\sup\|x\|/\|x\|_2$ over all vectors."""
    if R.kind == ENTROPY:
        return math.sqrt(dimension(domain) / float(mass_bound(domain)))
    return math.sqrt(_top(R))


def _vertices(domain: Domain) -> Array:
    """Those of a simplex."""
    return np.stack(extreme_points(domain, dimension(domain)))


def _box_around(domain: Domain) -> tuple[Array, Array]:
    """The least and the largest coordinates of a bounded domain."""
    if domain.kind == BOX:
        return domain.low, domain.high
    if domain.kind == BALL:
        return domain.center - domain.radius[0], domain.center + domain.radius[0]
    vertices = _vertices(domain)
    return vertices.min(axis=0), vertices.max(axis=0)


def _largest(R: Regularizer, domain: Domain, phi: Array | None) -> float:
    r"""$\max_\theta B_R(\theta\|\phi)$, over $\phi$ as well where it is None: at extreme points, since $B_R$ is convex
    in each argument for these R."""
    if domain.kind == SPACE:
        return math.inf
    if domain.kind == BALL:
        return _largest_on_ball(R, domain, phi)
    if domain.kind == BOX:
        by = _largest_on_box if R.kind == MAHALANOBIS else _largest_by_coordinate
        return by(R, domain, phi)
    points = _vertices(domain)
    return max(float(bregman(R, x, y)) for x in points for y in (points if phi is None else [phi]))


def _largest_on_box(R: Regularizer, domain: Domain, phi: Array | None) -> float:
    r"""Of a Mahalanobis divergence: over $\theta - \phi$ at all corners of a box, or by the largest eigenvalue."""
    d = dimension(domain)
    if d > CORNERS:
        plain = Regularizer(EUCLIDEAN, np.zeros_like(R.matrix))
        return _top(R) * _largest_by_coordinate(plain, domain, phi)
    low = domain.low - (domain.high if phi is None else phi)
    high = domain.high - (domain.low if phi is None else phi)
    away = np.where(np.arange(1 << d)[:, None] >> np.arange(d) & 1, high, low)
    return float(((away @ R.matrix) * away).sum(axis=1).max() / 2)


def _largest_on_ball(R: Regularizer, domain: Domain, phi: Array | None) -> float:
    if R.kind == ENTROPY:  # over the box around the ball
        low, high = _box_around(domain)
        return _largest_by_coordinate(R, domain._replace(kind=BOX, low=low, high=high), phi)
    radius = float(domain.radius[0]) * math.sqrt(_top(R))
    away = radius if phi is None else math.sqrt(2 * bregman(R, domain.center, phi))
    return (away + radius) ** 2 / 2


def _largest_by_coordinate(R: Regularizer, domain: Domain, phi: Array | None) -> float:
    one, total = Regularizer(R.kind, np.zeros((1, 1))), 0.0
    for j in range(dimension(domain)):
        ends = [domain.low[j : j + 1], domain.high[j : j + 1]]
        total += max(float(bregman(one, x, y)) for x in ends for y in (ends if phi is None else [phi[j : j + 1]]))
    return total


# helpers -----------------------------------------------------------------------------------------------------------
def _mean(points: Array, sigma: Array) -> Array:
    """The weighted mean, once for every point."""
    return np.tile(sigma @ points / sigma.sum(), (len(points), 1))


def _divergences(R: Regularizer, points: Array, at: Array) -> Array:
    return np.array([bregman(R, x, y) for x, y in zip(points, at, strict=True)])


def _references(references: Any, trajectory: MetaTrajectory, domain: Domain) -> Array:
    if references is None:
        return trajectory.optima
    points = np.asarray(references, dtype=np.float64)
    if points.shape != trajectory.optima.shape:
        raise ValueError(f"references must have shape {trajectory.optima.shape}, got {points.shape}")
    for t, x in enumerate(points):
        if not (np.isfinite(x).all() and contains(domain, x)):
            raise ValueError(f"references must lie in the domain, task {t} has {x!r}")
    return points


def _check(trajectory: MetaTrajectory, R: Regularizer, domain: Domain, weights: str, init: str) -> None:
    for name, value, known in (("weights", weights, WEIGHTS), ("init", init, INITS)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    if trajectory.optima.shape[1] != dimension(domain):
        raise ValueError(
            f"trajectory and domain must agree in dimension, got {trajectory.optima.shape[1]} and {dimension(domain)}"
        )
    check_pair(R, domain)
    if not (trajectory.sigma > 0).any():
        raise ValueError(f"trajectory must hold a task with a gradient, got sigma={trajectory.sigma!r}")
