r"""Appendix C: the explicit guarantees of Algorithm 1 (cor:epsftl, cor:epsewoo, cor:dynamic).

The regret-upper-bound depends on the tasks only through $\theta_t^\ast$ and $\sigma_t = G_t\sqrt{m_t}$, and any
$\sigma_t > 0$ is that of some task, so both are data. INIT is FTL (the weighted mean; AOGD for the Euclidean R plays
the same points) or OGD, SIM is $\varepsilon$-FTL or $\varepsilon$-EWOO. D is a bound both of the l2 diameter and of the
root of $B_R$, since the corollaries use one letter for the two.

The printed $V^2 = \min_\phi \sum_t \sigma_t B_R(\theta_t^\ast\|\phi)$ lacks the factor $1/\sigma_{1:T}$ that
thm:general has, and that is read into it. The first term of the right sides is moved to the left:
equal tasks at $v_t = \varepsilon$ would else make a tie that hides the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import kernel, on
from arubatheory.learners.ewoo_curves import inverse_mean
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain, inside, project, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer, bregman
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

Array = np.ndarray
FTL, OGD = range(2)
EPS_FTL, EPS_EWOO = range(2)
MOST = 5  # rounds that are free; patterns of points are repeated up to a power of 2


# the algorithm -----------------------------------------------------------------------------------------------------
@kernel
def adapt(star: Array, sigma: Array, domain: Domain, R: Regularizer, phi: Array, init: int, sim: int, gamma: Any,
          eps: Any, hi: Any, first: Any) -> Any:  # fmt: skip
    r"""[exact] $B_R(\theta_t^\ast\|\phi_t)$ and $v_t$ (T,) of Algorithm 1; OGD's step is $1/\sigma_{\max}$."""
    divergence, v = np.zeros_like(sigma), np.zeros_like(sigma)
    moment, point, top = 0 * phi, phi.copy(), sigma[0]
    for t in range(sigma.shape[0]):
        top = larger(top, sigma[t])
    mass, spread = sigma[0] - sigma[0], sigma[0] - sigma[0]
    for t in range(sigma.shape[0]):
        divergence[t] = bregman(R, star[t], point)
        if sim == EPS_EWOO:
            v[t] = inverse_mean(gamma * spread, gamma * mass, eps, hi)
        elif t == 0:
            v[t] = first
        else:
            v[t] = np.sqrt(spread / mass)
        mass = mass + sigma[t]
        spread = spread + sigma[t] * (divergence[t] + eps * eps)
        for j in range(phi.shape[0]):
            moment[j] = moment[j] + sigma[t] * star[t, j]
            if init == FTL:
                point[j] = moment[j] / mass
            else:
                point[j] = point[j] - (sigma[t] / top) * (point[j] - star[t, j])
        if init == OGD:
            point = project(domain, point)
    return divergence, v


@kernel
def upper_sum(divergence: Array, v: Array, sigma: Array) -> Any:
    r"""[exact] $\sum_t (B_t^2/v_t + v_t)\sigma_t$."""
    s = sigma[0] - sigma[0]
    for t in range(sigma.shape[0]):
        s = s + (divergence[t] / v[t] + v[t]) * sigma[t]
    return s


@kernel
def harmonic(sigma: Array) -> Any:
    r"""[exact] $\sum_t \sigma_t^2/\sigma_{1:t}$."""
    s, mass = sigma[0] - sigma[0], sigma[0] - sigma[0]
    for t in range(sigma.shape[0]):
        mass = mass + sigma[t]
        s = s + sigma[t] * (sigma[t] / mass)
    return s


@kernel
def spread_about(star: Array, sigma: Array, R: Regularizer, points: Array) -> Any:
    r"""[exact] $\sum_t \sigma_t B_R(\theta_t^\ast\|p_t)$."""
    s = sigma[0] - sigma[0]
    for t in range(sigma.shape[0]):
        s = s + sigma[t] * bregman(R, star[t], points[t])
    return s


@kernel
def path_of(points: Array) -> Any:
    r"""[exact] $\sum_{t\ge2}\|p_t - p_{t-1}\|_2$."""
    s = points[0, 0] - points[0, 0]
    for t in range(1, points.shape[0]):
        square = s - s
        for j in range(points.shape[1]):
            square = square + (points[t, j] - points[t - 1, j]) * (points[t, j] - points[t - 1, j])
        if square > 0:
            s = s + np.sqrt(square)
    return s


# the game ----------------------------------------------------------------------------------------------------------
def _geometry(draw: Draw, euclidean: bool) -> tuple[Domain, Regularizer, Any, Any]:
    r"""A domain, R, a bound D of the l2 diameter and of $\sqrt{B_R}$, and the C of the corollaries: prp:bregman's
    $\sup\|\theta\|/\|\theta\|_2$ times a bound of the dual norm of $\nabla_\phi B_R(\theta\|\phi)$.

    Mahalanobis: $\lambda_{\max} \le \operatorname{tr} A$. Entropy on a simplex with floors at least f:
    $KL(x\|y) \le \sum(x_i-y_i)^2/y_i$, $\|\cdot\|_1 \le \sqrt d\|\cdot\|_2$, $|\phi_i-\theta_i|/\phi_i \le (1-f)/f$.
    """
    d = draw.integer(1, 2)
    kind = EUCLIDEAN if euclidean else draw.choice((EUCLIDEAN, MAHALANOBIS, ENTROPY))
    if kind == ENTROPY:
        domain = Domain(SIMPLEX, (1 + draw.unit(d)) / (4 * d), draw.zeros(d), draw.zeros(d), draw.zeros(1))
    else:
        domain = random_domain(draw, d, (BOX, BALL))
    width, spare = _width(domain), draw.positive()
    width = width if width > 0 else spare  # of a point any D > 0 is a bound
    if kind == MAHALANOBIS:
        R = Regularizer(MAHALANOBIS, draw.spd(d))
        trace = sum(R.matrix[j, j] for j in range(d))
        return domain, R, width * max(trace, draw.number(1)), trace * width
    R = Regularizer(kind, draw.zeros((d, d)))
    if kind == ENTROPY:
        floor = min(domain.low)
        return domain, R, width / floor, d * (1 - floor) / floor
    return domain, R, width, width


def _width(domain: Domain) -> Any:
    """A rational at least as large as the l2 diameter: equal to it for balls and intervals."""
    if domain.kind == BALL:
        return 2 * domain.radius[0]
    if domain.kind == BOX:
        return sum(domain.high - domain.low)
    return 2 * (1 - sum(domain.low))


def _points(draw: Draw, T: int, domain: Domain) -> Array:
    r"""T points of the domain: one for all, two in turn, a first half and a second, or free (up to `MOST`)."""
    kind = draw.integer(0, 3) if T <= MOST else draw.integer(0, 2)
    points = np.stack([random_point(domain, draw) for _ in range((1, 2, 2, T)[kind])])
    t = np.arange(T)
    return points[(t * 0, t % 2, 2 * t // T, t)[kind]]


def _length(draw: Draw, longest: int) -> int:
    """1 to `MOST`, or a power of 2 up to 2**longest: in short games the cost of learning hides everything else."""
    return 1 << draw.integer(3, longest) if draw.boolean() else draw.integer(1, MOST)


def adaptive_game(draw: Draw, longest: int, euclidean: bool = False) -> Instance:
    r"""$\theta_t^\ast$, $\sigma_t > 0$, R, $\Theta$, $\phi_1$, $\varepsilon$, the place of $v_1$, and $\Psi$."""
    domain, R, D, C = _geometry(draw, euclidean)
    T = _length(draw, longest)
    eps = D * draw.positive(-3, 3) if draw.boolean() else draw.positive()
    free = T <= MOST and draw.boolean()
    return Instance(
        domain=domain, R=R, D=D, C=C, star=_points(draw, T, domain), psi=_points(draw, T, domain),
        phi=random_point(domain, draw), eps=eps, first=draw.unit(),
        sigma=draw.positive(shape=T) if free else draw.array([draw.positive()] * T),
    )  # fmt: skip


def _euclidean_game(draw: Draw) -> Instance:
    return adaptive_game(draw, 7, euclidean=True)


def _static_game(draw: Draw) -> Instance:
    return adaptive_game(draw, 7)


# sides -------------------------------------------------------------------------------------------------------------
def _run(x: Instance, init: int, sim: int) -> tuple[Any, Any]:
    r"""$T\bar U_T$ and $\sigma_{\max}$; gamma as cor:ewoo has it."""
    hi = np.sqrt(x.D * x.D + x.eps * x.eps)
    ratio, top = (x.eps / x.D) * (x.eps / x.D), max(x.sigma)
    gamma = 2 / (x.D * top) * (ratio if ratio < 1 else 1)
    start = x.eps + x.first * (hi - x.eps)
    divergence, v = on(adapt, x.phi)(x.star, x.sigma, x.domain, x.R, x.phi, init, sim, gamma, x.eps, hi, start)
    return on(upper_sum, x.phi)(divergence, v, x.sigma), top


def _minimum(x: Instance, V: Any, mass: Any) -> Any:
    r"""$\min\{\varepsilon^2/V, \varepsilon\}\sigma_{1:T}$, which is $\varepsilon\sigma_{1:T}$ at V = 0."""
    if V == 0:
        return x.eps * mass
    return on(smaller, V)(x.eps * x.eps / V, x.eps + 0 * V) * mass


def _static_deviation(x: Instance) -> Any:
    r"""V at the weighted mean of the $\theta_t^\ast$ (clm:mean)."""
    mass = sum(x.sigma)
    mean = (x.sigma @ x.star) / mass
    square = on(spread_about, mean)(x.star, x.sigma, x.R, np.stack([mean] * len(x.sigma)))
    return np.sqrt(square / mass)


def _ftl_terms(x: Instance) -> Any:
    ratio = x.D / x.eps
    return 2 * x.D * (ratio**3 if ratio > 1 else 1) * on(harmonic, x.phi)(x.sigma)


def _ewoo_terms(x: Instance, top: Any) -> Any:
    ratio = x.D / x.eps
    logarithm = np.log(x.D * 0 + len(x.sigma) + 1)
    return x.D * top / 2 * (ratio**2 if ratio > 1 else 1) * (1 + logarithm)


def _static(x: Instance, sim: int) -> Sides:
    upper, top = _run(x, FTL, sim)
    V, mass = _static_deviation(x), sum(x.sigma)
    learning = _ftl_terms(x) if sim == EPS_FTL else _ewoo_terms(x, top)
    starting = np.sqrt(8 * x.C * x.D * mass * on(harmonic, x.phi)(x.sigma))
    least, rhs = _minimum(x, V, mass), learning + starting + 2 * V * mass
    return Sides(upper - least, rhs, (upper + least + rhs) * len(x.sigma))


def _dynamic(x: Instance, corrected: bool) -> Sides:
    r"""cor:dynamic as printed, with $V_\Psi$ of thm:app:general."""
    upper, top = _run(x, OGD, EPS_EWOO)
    mass, psi = sum(x.sigma), x.star if corrected else x.psi
    V = np.sqrt(on(spread_about, x.phi)(x.star, x.sigma, x.R, psi) / mass)
    path = 1 + on(path_of, x.phi)(psi)
    second = np.sqrt(2 * top * mass * path)
    switching = second if V == 0 else on(smaller, V)(x.D * top / V * path, second)
    least, rhs = _minimum(x, V, mass), _ewoo_terms(x, top) + 2 * x.D * switching + 2 * V * mass
    return Sides(upper - least, rhs, (upper + least + rhs) * len(x.sigma))


IN_THETA = (
    Assumption(r"\theta_t^\ast\in\Theta", lambda x: min(_in(x, p) for p in x.star)),
    Assumption(r"\phi_1\in\Theta", lambda x: _in(x, x.phi)),
    Assumption(r"\sigma_t>0", lambda x: min(x.sigma)),
    Assumption(r"\varepsilon>0", lambda x: x.eps),
    Assumption(r"\Breg_R\le D^2", lambda x: x.D * x.D - max(_divergence(x, p) for p in x.star)),
)
REFERENCE = Assumption(r"\psi_t\in\Theta", lambda x: min(_in(x, p) for p in x.psi))


def _in(x: Instance, p: Array) -> Any:
    return on(inside, p)(x.domain, p)


def _divergence(x: Instance, p: Array) -> Any:
    return on(bregman, p)(x.R, p, x.phi)


MINIMUM = r"\min\left\{\frac{\varepsilon^2}V,\varepsilon\right\}\sigma_{1:T}"
STARTING = r"\sqrt{8CD\sigma_{1:T}\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}}+2V\sigma_{1:T}"
LEARNING = {
    EPS_FTL: r"2D\max\left\{\frac{D^3}{\varepsilon^3},1\right\}\sum_{t=1}^T\frac{\sigma_t^2}{\sigma_{1:t}}",
    EPS_EWOO: r"\frac{D\sigma_{\max}}2\max\left\{\frac{D^2}{\varepsilon^2},1\right\}(1+\log(T+1))",
}


def _explicit(label: str, number: str, title: str, sim: int) -> Statement:
    return Statement(
        label=label, kind="corollary", number=number, title=title,
        latex=rf"\RUB_TT\le{MINIMUM}+{LEARNING[sim]}+{STARTING}",
        instance=_static_game, sides=lambda x: _static(x, sim), assumptions=IN_THETA, part_of=label.partition("/")[0],
        uses=("alg:general", "prp:bregman/bound", "prp:ftl" if sim == EPS_FTL else "cor:ewoo", "thm:app:general"),
        note=r"$V^2=\min_\phi\frac1{\sigma_{1:T}}\sum_t\sigma_t\Breg_R(\theta_t^\ast||\phi)$, as thm:app:general has "
        r"it: the $V$ that is printed lacks the factor. $D$ bounds the diameter and $\sqrt{\Breg_R}$.",
    )  # fmt: skip


STATIC = (
    _explicit("cor:epsftl/explicit", "C.1", "Algorithm 1 with FTL and eps-FTL, explicitly", EPS_FTL),
    _explicit("cor:epsewoo/explicit", "C.3", "Algorithm 1 with FTL and eps-EWOO, explicitly", EPS_EWOO),
)

DYNAMIC_LATEX = (
    r"\RUB_TT\le\min\left\{\frac{\varepsilon^2}{V_\Psi},\varepsilon\right\}\sigma_{1:T}+" + LEARNING[EPS_EWOO] + r"+2D"
    r"\min\left\{\frac{D\sigma_{\max}}{V_\Psi}(1+P_\Psi),\sqrt{2\sigma_{\max}\sigma_{1:T}(1+P_\Psi)}\right\}"
    r"+2V_\Psi\sigma_{1:T}"
)
DYNAMIC = (
    Statement(
        label="cor:dynamic/explicit", kind="corollary", number="C.4", part_of="cor:dynamic",
        title="Algorithm 1 with OGD and eps-EWOO against any reference sequence", latex=DYNAMIC_LATEX,
        instance=_euclidean_game, sides=lambda x: _dynamic(x, False), assumptions=(*IN_THETA, REFERENCE),
        uses=("alg:general", "thm:mokhtari", "cor:ewoo", "thm:app:general"),
        note=r"The dynamic regret bound that it rests on holds against the minimisers only, and multiplies a length "
        r"by a length.",
    ),
    Statement(
        label="cor:dynamic/explicit/minimisers", kind="corollary", number="C.4", part_of="cor:dynamic",
        title="The same against the optimal actions themselves", latex=DYNAMIC_LATEX + r"\quad\text{for}\quad"
        r"\psi_t=\theta_t^\ast", instance=_euclidean_game, sides=lambda x: _dynamic(x, True), assumptions=IN_THETA,
        uses=("alg:general", "thm:mokhtari", "cor:ewoo", "thm:app:general"),
        note=r"$\psi_t=\theta_t^\ast$ gives $V_\Psi=0$.",
    ),
)  # fmt: skip

STATEMENTS = (*STATIC, *DYNAMIC)
