r"""Appendix F: what asu:general quantifies over, drawn, and the quantities that it defines, computed.

The regret-upper-bound depends on $\theta_t^\ast, \hat\theta_t, \theta_t', \sigma_t$, $\phi_1$ and SIM's $D_t$ only, so
these are data. R is a quadratic on a box (the Nice case), a quadratic with a quartic on a box that holds 0 and points
above it, where $\nabla^2 B_R(\theta\|\cdot) < P$ for $0 < \phi_j < 2\theta_j/3$, or the entropy on a floored simplex,
which at $\theta = (3/4, 1/4)$, $\phi = (.59, .41)$ is not 1-strongly convex in l1 either (the general case).

$\kappa$ and $\Delta^\ast_{1:T}$, $\nu$ and $\Delta'$ are the least that the two inequalities of the assumption allow:
at a drawn $\kappa \ge 1$ the least $\Delta^\ast_{1:T}$, or at $\Delta^\ast_{1:T} = 0$ the least $\kappa$, plus a drawn
slack. The diameter is read without the undefined $D^\ast$, which makes the claims stronger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.games.adaptive import harmonic
from arubatheory.papers.aruba.games.means import weights
from arubatheory.papers.aruba.games.potentials import ENTROPY, QUADRATIC, QUARTIC, divergence_of, matrix_of, slope_of
from arubatheory.problems import domains
from arubatheory.problems.domains import BOX, SIMPLEX, Domain, project
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, solve, times
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root, within
from arubatheory.statements.games import MOST_T

FTL, AOGD = range(2)


class Curve(NamedTuple):
    r"""R by its kind: $\frac12 x^\top P x + q\sum_j x_j^4$ in the norm $\sqrt{x^\top N x}$, or the entropy in l1."""

    kind: int
    matrix: Array  # P (d, d), diagonal where q > 0
    bend: Array  # q (1,)
    norm: Array  # N (d, d): P or the identity


class Measured(NamedTuple):
    r"""Of each task, (T,): $B_R(\theta_t^\ast\|\phi_t)$, $B_R(\hat\theta_t\|\phi_t)$, the same at the cheating sequence
    $\tilde\phi_t$, $B_R(\hat\theta_t\|\hat\phi)$ and $B_R(\theta_t'\|\phi')$."""

    star: Array
    hat: Array
    cheat: Array
    spread: Array
    reference: Array


class Factors(NamedTuple):
    r"""$\kappa, \Delta^\ast_{1:T}, \nu, \Delta'$."""

    kappa: Any
    drift: Any
    nu: Any
    gap: Any


@kernel
def breg(R: Curve, x: Array, y: Array) -> Any:
    r"""[exact] $B_R(x\|y)$."""
    return divergence_of(R.kind, R.matrix, R.bend[0], x, y)


@kernel
def descended(R: Curve, domain: Domain, hat: Array, sigma: Array, first: Array) -> Array:
    r"""[exact] AOGD on $\sigma_tB_R(\hat\theta_t\|\cdot)$ with $\alpha_t = \sigma_t$: $\phi_1, \dots, \phi_T$."""
    phi, mass = np.empty_like(hat), sigma[0] - sigma[0]
    phi[0] = first
    for t in range(hat.shape[0] - 1):
        mass = mass + sigma[t]
        step = slope_of(R.matrix, R.bend[0], hat[t], phi[t])
        phi[t + 1] = project(domain, phi[t] - (sigma[t] / mass) * step)
    return phi


@kernel
def divergences(R: Curve, points: Array, at: Array) -> Array:
    r"""[exact] $B_R(p_t\|a_t)$ (T,), or all of them at one row a."""
    out = np.empty_like(points[:, 0])
    for t in range(points.shape[0]):
        out[t] = breg(R, points[t], at[min(t, at.shape[0] - 1)])
    return out


@kernel
def widest(R: Curve, points: Array, at: Array) -> Any:
    r"""[exact] $\max_{s,t} B_R(p_s\|a_t)$."""
    top = points[0, 0] - points[0, 0]
    for s in range(points.shape[0]):
        for t in range(at.shape[0]):
            top = larger(top, breg(R, points[s], at[t]))
    return top


@kernel
def steepest(R: Curve, hat: Array, at: Array) -> Any:
    r"""[exact] The square of an upper bound G' of the Lipschitz constants of $B_R(\hat\theta_t\|\cdot)$ over the convex
    hull of `at`. Quadratics: the gradient $P(\phi - \theta)$ is longest at one of `at`, exactly in P's norm. Entropy,
    d = 2: of the gradient $1 - \theta_i/\phi_i$ counts half the spread, which is monotone in $\phi$."""
    top, d = hat[0, 0] - hat[0, 0], hat.shape[1]
    if R.kind == QUARTIC:
        for j in range(d):
            size, width = top - top, top - top
            for s in range(hat.shape[0]):
                for t in range(at.shape[0]):
                    size = larger(size, abs(at[t, j]))
                    width = larger(width, abs(at[t, j] - hat[s, j]))
            longest = (R.matrix[j, j] + 12 * R.bend[0] * size * size) * width
            top = top + longest * longest / R.norm[j, j]
        return top
    for s in range(hat.shape[0]):
        for t in range(at.shape[0]):
            if R.kind == ENTROPY:
                spread = (hat[s, 1] / at[t, 1] - hat[s, 0] / at[t, 0]) / 2
                top = larger(top, spread * spread)
            else:
                g = times(R.matrix, at[t] - hat[s])
                top = larger(top, dot(g, solve(R.norm, g)))
    return top


def _wide_box(draw: Draw, d: int) -> Domain:
    """A box; of a point one of width 1, so that there are two different points."""
    domain = random_domain(draw, d, (BOX,))
    high = [h if h > low else low + 1 for low, h in zip(domain.low, domain.high, strict=True)]
    return domain._replace(high=draw.array(high))


def _quadratic(draw: Draw, d: int, wide: bool, own: bool, unit: bool) -> tuple[Curve, Domain]:
    """Isotropic, diagonal or rotated; in its own norm (`own`), or in l2 with all eigenvalues at least 1; with `unit` in
    its own norm, where the modulus is 1, and with the least eigenvalue 1, which is the modulus in l2."""
    domain = _wide_box(draw, d) if wide else random_domain(draw, d, (BOX,))
    euclidean = not own or (not unit and draw.boolean())
    matrix, spectrum = matrix_of(draw, d, 0 if euclidean else -8)
    matrix = matrix / min(spectrum) if unit else matrix
    return Curve(QUADRATIC, matrix, draw.zeros(1), draw.eye(d) if euclidean else matrix), domain


def _quartic(draw: Draw, d: int, away: bool) -> tuple[Curve, Domain]:
    """On a box around 0; in two dimensions the first coordinate may (`away`: must) be far away from 0 instead."""
    high = draw.positive(-8, 8, d)
    low = -high * draw.unit(d)
    if away or (d == 2 and draw.boolean()):
        low[0] = draw.positive(-8, 8)
        high[0] = low[0] * (1 + draw.unit() * draw.integer(0, 1))
    matrix = draw.eye(d) * draw.positive(-8, 16, d)
    bend = draw.positive(-8, 4) * matrix[-1, -1] / (high[-1] * high[-1])
    return Curve(QUARTIC, matrix, draw.array([bend]), matrix), Domain(BOX, low, high, draw.zeros(d), draw.zeros(1))


def _points(draw: Draw, T: int, domain: Domain) -> Array:
    r"""T points of the domain: one for all, two in turn, a first half and a second, or free."""
    kind = draw.integer(0, 3)
    few = np.stack([random_point(domain, draw) for _ in range((1, 2, 2, T)[kind])])
    t = np.arange(T)
    return few[(t * 0, t % len(few), len(few) * t // T, t)[kind]]


def _curve(draw: Draw, kinds: Sequence[int], apart: bool, own: bool, away: bool, unit: bool) -> tuple[Curve, Domain]:
    """R of one of the kinds, and its domain, in at most two dimensions: with two more, whose corners all count in every
    round, a search of 2,500 evaluations refutes thm:fixed/ftl at 15 seeds of 20 in the place of 18."""
    kind, d = draw.choice(kinds), 2 if away or unit else draw.integer(1, 2)
    if kind != ENTROPY:
        return _quartic(draw, d, away) if kind == QUARTIC else _quadratic(draw, d, apart, own, unit)
    domain = Domain(SIMPLEX, (1 + 3 * draw.unit(2)) / 16, draw.zeros(2), draw.zeros(2), draw.zeros(1))
    return Curve(ENTROPY, draw.zeros((2, 2)), draw.zeros(1), draw.eye(2)), domain


def game(
    draw: Draw,
    kinds: Sequence[int] = (QUADRATIC, QUARTIC, ENTROPY),
    apart: bool = False,
    own: bool = True,
    away: bool = False,
    unit: bool = False,
) -> Instance:
    r"""Everything that asu:general quantifies over; with `apart` the deviation V is positive, with `away` a quartic's
    box lies away from 0, in two dimensions. With `unit` the matrix of a quadratic is 2 x 2 with the
    least eigenvalue 1."""
    R, domain = _curve(draw, kinds, apart, own, away, unit)
    T = draw.size("T", 5, MOST_T, least=2 if apart else 1)
    corners = np.stack(domains.extreme_points(domain))
    reference = _points(draw, T, domain)
    if apart and (reference == reference[0]).all():
        reference = reference.copy()
        reference[0], reference[-1] = corners[0], corners[-1]
    exact_case = draw.boolean()
    hat = reference if exact_case or draw.boolean() else _points(draw, T, domain)
    star = hat if exact_case or draw.boolean() else _points(draw, T, domain)
    sigma = weights(draw, T)
    ratio = draw.positive(-8, 8) if draw.boolean() else draw.positive()
    x = Instance(R=R, domain=domain, corners=corners, star=star, hat=hat, reference=reference)
    x.exact_case, x.first, x.sigma, x.ratio = int(exact_case), random_point(domain, draw), sigma, ratio
    x.kappa, x.nu = _factor(draw), _factor(draw)
    x.spare, x.least = draw.integer(0, 1) * draw.unit(2), draw.integers(0, 1, 2)
    return x


def eps_game(draw: Draw, **options: Any) -> Instance:
    r"""The game with $\varepsilon$ a drawn multiple of a number of the size of D."""
    x = game(draw, **options)
    D = 1 if x.R.kind == ENTROPY else diameter_squared(x)
    x.eps = x.ratio * (D if D > 0 else 1)
    return x


def _factor(draw: Draw) -> Any:
    return draw.number(1) + draw.integer(0, 1) * draw.positive(-8, 4)


def mean(x: Instance, points: Array) -> Array:
    r"""$\frac1{\sigma_{1:T}}\sum_t\sigma_tp_t$ as the one row (1, d)."""
    means: Array = running_means(points, x.sigma, x.first)
    return means[len(points) :]


def about_mean(x: Instance, points: Array) -> Array:
    r"""$B_R(p_t\|\bar p)$ (T,), $\bar p$ the mean."""
    return on(divergences, x.first)(x.R, points, mean(x, points))


def measure(x: Instance, dyn: int) -> Measured:
    """The divergences of asu:general for the starts that DYN plays."""
    B, first = on(divergences, x.first), x.first
    if dyn == FTL:
        phi = running_means(x.hat, x.sigma, first)
    else:
        phi = on(descended, first)(x.R, x.domain, x.hat, x.sigma, first)
    hat = B(x.R, x.hat, phi)
    cheat = hat.copy()
    if dyn == FTL:
        cheat[0] = hat[0] - hat[0]
    return Measured(B(x.R, x.star, phi), hat, cheat, about_mean(x, x.hat), about_mean(x, x.reference))


def factors(x: Instance, m: Measured, alpha: Array) -> Factors:
    r"""$\kappa, \Delta^\ast_{1:T}$ for the weights $\alpha_t$ and $\nu, \Delta'$ for $\sigma_t$, as drawn."""
    kappa, drift = _least(x, 0, x.kappa, sum(alpha * m.star), sum(alpha * m.hat))
    nu, gap = _least(x, 1, x.nu, sum(x.sigma * m.spread), sum(x.sigma * m.reference))
    return Factors(kappa, drift, nu, gap)


def _least(x: Instance, n: int, factor: Any, lhs: Any, rhs: Any) -> tuple[Any, Any]:
    r"""The least c and $\Delta$ with $lhs \le \Delta + c\,rhs$, and the drawn slack."""
    zero, spare = lhs - lhs, x.spare[n] * (lhs + rhs)
    if x.least[n] == 1 and rhs > 0:
        return on(larger, lhs)(lhs / rhs, zero + 1), spare
    return factor, on(larger, lhs)(lhs - factor * rhs, zero) + spare


def steepness(x: Instance, dyn: int, on_points: bool = False) -> Any:
    r"""$C\sum_t\sigma_t^2/\sigma_{1:t}$; C is $G'^2/2$ for the quadratics, else $2C'D'G'$ with C' for differences of
    points, or for the points."""
    square = on(steepest, x.first)(x.R, x.hat, x.hat if dyn == FTL else x.corners)
    if x.R.kind == QUADRATIC:
        C = square / 2
    else:
        D = domains.diameter(x.domain)
        C = 2 * root(_stretch(x, on_points) * D * D * square)
    return C * harmonic(x.sigma)


def _stretch(x: Instance, on_points: bool) -> Any:
    r"""$C'^2 = \sup\|\theta\|^2/\|\theta\|_2^2$ over all vectors, or over the points of a box in two dimensions, where
    $(n_1x^2 + n_2y^2)/(x^2 + y^2)$ is monotone in $y^2/x^2$."""
    if x.R.kind == ENTROPY:  # the uniform distribution is a point of the domain too
        return x.first[0] * 0 + 2
    N = x.R.norm.diagonal()
    top = max(N)
    if not on_points or len(N) == 1:
        return top
    k = 0 if N[0] > N[1] else 1
    far = max(abs(x.domain.low[k]), abs(x.domain.high[k]))
    near = max(x.domain.low[1 - k], -x.domain.high[1 - k], 0 * top)
    square = far * far + near * near
    return (N[k] * far * far + N[1 - k] * near * near) / square if square > 0 else top


def diameter_squared(x: Instance) -> Any:
    r"""$D^2$: $\max_\theta B_R(\theta\|\phi_1)$ in the Exact case, else $\max_{\theta,\phi} B_R(\theta\|\phi)$; both
    are attained at extreme points, since $B_R(\theta\|\cdot)$ grows away from $\theta$ in every coordinate, or is
    jointly convex."""
    return from_start(x) if x.exact_case else on(widest, x.first)(x.R, x.corners, x.corners)


def from_start(x: Instance) -> Any:
    r"""$\max_\theta B_R(\theta\|\phi_1)$."""
    return on(widest, x.first)(x.R, x.corners, x.first.reshape(1, -1))


def against(lhs: Any, start: Any, steep: Any) -> Sides:
    r"""lhs - start <= steep; where there is no steepness, as for one task, lhs <= start: a right side of 0 has no
    ratio."""
    return Sides(lhs - start, steep) if steep > 0 else Sides(lhs, start)


def _over_identity(x: Instance) -> Any:
    r"""$\min\{\operatorname{tr}(P - I), \det(P - I)\}$, for d <= 2, which is >= 0 exactly if $P \ge I$."""
    P = x.R.matrix - np.eye(len(x.R.matrix), dtype=np.int64)
    trace = P.trace()
    return trace if len(P) == 1 else min(trace, P[0, 0] * P[1, 1] - P[0, 1] * P[1, 0])


MODULUS = Assumption(
    r"\sigma_t\Breg_R(\hat\theta_t||\cdot)\ \text{$\sigma_t$-strongly convex w.r.t. $\|\cdot\|_2$}", _over_identity
)
EUCLIDEAN = Assumption(r"\|\cdot\|=\|\cdot\|_2", lambda x: -abs(x.R.norm - np.eye(len(x.R.norm), dtype=np.int64)).max())
GAME = (
    within(r"\theta_t^\ast\in\Theta", "star"),
    within(r"\hat\theta_t\in\Theta", "hat"),
    within(r"\theta_t'\in\Theta", "reference"),
    within(r"\phi_1\in\Theta", "first"),
    Assumption(r"\sigma_t>0", lambda x: min(x.sigma)),
    Assumption(r"\kappa,\nu\ge1", lambda x: min(x.kappa, x.nu) - 1),
    Assumption(r"\Delta_{1:T}^\ast,\Delta'\ge\text{their least}", lambda x: min(x.spare)),
)
