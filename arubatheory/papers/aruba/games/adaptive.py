r"""Algorithm 1 as appendix C sees it: the games on which its explicit guarantees are tried.

The regret-upper-bound depends on the tasks only through $\theta_t^\ast$ and $\sigma_t = G_t\sqrt{m_t}$, and any
$\sigma_t > 0$ is that of some task, so both are data. INIT is FTL (the weighted mean; AOGD for the Euclidean R plays
the same points) or OGD with the step $1/\sigma_{\max}$, SIM is $\varepsilon$-FTL or $\varepsilon$-EWOO. INIT does not
look at $v_t$: first come all $B_R(\theta_t^\ast\|\phi_t)$, then the $v_t$ from them.

D is a parameter of SIM: any bound of the l2 diameter and of the root of $B_R$, which the corollaries give one letter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners import meta
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.games.diagonal import MOST, length
from arubatheory.papers.aruba.games.similarity_losses import ewoo_rule, play_sim, sim_loss
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import ENTROPY, EUCLIDEAN, MAHALANOBIS, Regularizer, bregman
from arubatheory.problems.scalar import point, twin
from arubatheory.statements.core import Assumption, Instance
from arubatheory.statements.functions import largest, root, within
from arubatheory.statements.games import MOST_D

FTL, OGD = range(2)
EPS_FTL, EPS_EWOO = meta.FTL, meta.EWOO
SINGLE, IN_TURN, HALVES, OUTLIER, DRIFT, FREE = range(6)
PATTERNS = (SINGLE, IN_TURN, HALVES, OUTLIER, DRIFT, IN_TURN, SINGLE, IN_TURN)


def _thin(x: Any, t: Any) -> Any:
    return point(x) if t >= MOST and x.is_rational else x


@twin(_thin)
def rounded(x: Any, t: Any) -> Any:
    r"""x; a long rational as a thin ball from round `MOST` on, since products of weights double in length each time."""
    return x


@kernel
def descended(hat: Array, sigma: Array, phi: Array) -> Array:
    r"""[exact] $\phi_1, \dots, \phi_T$ (T, d) of OGD with the step $1/\sigma_{\max}$ on
    $\frac{\sigma_t}2\|\hat\theta_t - \phi\|^2$, with which it never needs to be projected."""
    starts, top = np.zeros_like(hat), np.max(sigma)
    starts[0] = phi
    for t in range(1, hat.shape[0]):
        share = sigma[t - 1] / top
        for j in range(phi.shape[0]):
            starts[t, j] = rounded((1 - share) * starts[t - 1, j] + share * hat[t - 1, j], t - 1)
    return starts


@kernel
def divergences(star: Array, R: Regularizer, points: Array) -> Array:
    r"""[exact] $B_R(\theta_t^\ast\|p_t)$ (T,)."""
    out = np.zeros_like(points[:, 0])
    for t in range(star.shape[0]):
        out[t] = bregman(R, star[t], points[t])
    return out


def divergences_of_init(x: Instance, init: int, hat: Array | None = None, star: Array | None = None) -> Array:
    r"""$B_R(\theta_t^\ast\|\phi_t)$ (T,), INIT learning from $\hat\theta_t$, as a rule $\theta_t^\ast$ again."""
    seen, learn = x.star if hat is None else hat, running_means if init == FTL else descended
    starts = on(learn, x.phi)(seen, x.sigma, x.phi)[: len(seen)]
    return on(divergences, x.phi)(x.star if star is None else star, x.R, starts)


def rates_of(x: Instance, divergence: Array, sim: int) -> Array:
    r"""SIM's $v_t$ after the divergences of INIT, gamma as cor:ewoo has it."""
    first = x.eps + x.first * (root(x.D * x.D + x.eps * x.eps) - x.eps)
    rule = ewoo_rule(x.D, x.eps, max(x.sigma), x.eps)._replace(code=sim, first=first)
    return play_sim(rule, x.sigma, divergence + x.eps * x.eps)


def upper_bound(x: Instance, init: int, sim: int) -> Any:
    r"""$T\bar U_T$."""
    divergence = divergences_of_init(x, init)
    return sum(sim_loss(divergence, rates_of(x, divergence, sim), x.sigma))


def harmonic(sigma: Array) -> Any:
    r"""$\sum_t \sigma_t^2/\sigma_{1:t}$."""
    return sum(sigma * (sigma / np.cumsum(sigma)))


def spread_about(x: Instance, points: Array) -> Any:
    r"""$\sum_t \sigma_t B_R(\theta_t^\ast\|p_t)$."""
    return sum(x.sigma * on(divergences, x.phi)(x.star, x.R, points))


def spread_of(x: Instance) -> Any:
    r"""$\min_\phi\sum_t\sigma_tB_R(\theta_t^\ast\|\phi)$, at the weighted mean (clm:mean)."""
    mean = (x.sigma @ x.star) / sum(x.sigma)
    return spread_about(x, np.stack([mean] * len(x.sigma)))


def path_of(points: Array) -> Any:
    r"""$\sum_{t\ge2}\|p_t - p_{t-1}\|_2$."""
    return sum((root(step @ step) for step in points[1:] - points[:-1]), 0 * points[0, 0])


def widest_square(points: Array) -> Any:
    r"""$\max_{s,t}\|x_s - x_t\|_2^2$ of points (n, d), n >= 1."""
    return largest(largest((away * away).sum(axis=1)) for away in (points - p for p in points))


# the game
def _geometry(draw: Draw, euclidean: bool) -> tuple[Domain, Regularizer, Any, Any]:
    r"""A domain, R, the least D that we know, and the C of the corollaries: prp:bregman's $\sup\|\theta\|/\|\theta\|_2$
    times a bound of the dual norm of $\nabla_\phi B_R(\theta\|\phi)$.

    Mahalanobis: $\lambda_{\max} \le \operatorname{tr} A$. Entropy on a simplex with floors at least f:
    $KL(x\|y) \le \sum(x_i-y_i)^2/y_i$, $\|\cdot\|_1 \le \sqrt d\|\cdot\|_2$, $|\phi_i-\theta_i|/\phi_i \le (1-f)/f$.
    """
    d = draw.size("d", 2, MOST_D)
    kind = EUCLIDEAN if euclidean else draw.choice((EUCLIDEAN, MAHALANOBIS, ENTROPY))
    if kind == ENTROPY:
        domain = Domain(SIMPLEX, (1 + draw.unit(d)) / (4 * d), draw.zeros(d), draw.zeros(d), draw.zeros(1))
    else:
        domain = random_domain(draw, d, (BOX, BALL))
    width, spare = _width(domain), draw.positive()
    if kind == MAHALANOBIS:
        R = Regularizer(MAHALANOBIS, draw.spd(d, -16, 4))
        trace = sum(R.matrix[j, j] for j in range(d))
        return domain, R, (width if width > 0 else spare) * max(trace, draw.number(1)), trace * width
    R = Regularizer(kind, draw.zeros((d, d)))
    if kind == ENTROPY:
        floor = min(domain.low)
        return domain, R, width / floor, d * (1 - floor) / floor
    return domain, R, width if width > 0 else spare, width  # of a point any D > 0 is a bound


def _width(domain: Domain) -> Any:
    """A rational at least as large as the l2 diameter: equal to it for balls and intervals."""
    if domain.kind == BALL:
        return 2 * domain.radius[0]
    if domain.kind == BOX:
        return sum(domain.high - domain.low)
    return 2 * (1 - sum(domain.low))


def points_in(draw: Draw, T: int, domain: Domain) -> Array:
    r"""T points of the domain: one for all, two in turn, a first half and a second, all alike but one, from one to
    another in equal steps, or free (up to `MOST`)."""
    kind = draw.choice((*PATTERNS, FREE, FREE, FREE) if T <= MOST else PATTERNS)
    if kind == FREE:
        return np.stack([random_point(domain, draw) for _ in range(T)])
    first = random_point(domain, draw)
    if kind == SINGLE:
        return np.stack([first] * T)
    second = random_point(domain, draw)
    if kind == DRIFT:
        return np.stack([first + (second - first) * draw.number(k, T) for k in range(T)])
    return np.stack([first, second])[_which(draw, kind, T)]


def _which(draw: Draw, kind: int, T: int) -> Array:
    r"""Which of two each round has: in turn, a first half and a second, all alike but one."""
    t, place = np.arange(T), draw.integer(0, 8) * (T - 1) // 8 if kind == OUTLIER else 0
    return {IN_TURN: t % 2, HALVES: 2 * t // T, OUTLIER: (t == place) * 1}[kind]


def _weights(draw: Draw, T: int) -> Array:
    r"""T numbers $\sigma_t > 0$ of any scale: equal, two in turn, a first half and a second, all alike but one, or free
    (up to `MOST`)."""
    if draw.boolean():
        return draw.array([draw.positive()] * T)
    kind = draw.choice((IN_TURN, HALVES, OUTLIER, FREE) if T <= MOST else (IN_TURN, HALVES, OUTLIER))
    if kind == FREE:
        return np.asarray(draw.positive(shape=T))
    few = draw.positive(shape=2)
    return np.asarray(few[_which(draw, kind, T)])


def adaptive_game(draw: Draw, longest: int = 6, euclidean: bool = False) -> Instance:
    r"""$\theta_t^\ast$, $\sigma_t > 0$, R, $\Theta$, D, $\phi_1$, $\varepsilon$, the place of $v_1$, and $\Psi$."""
    domain, R, D, C = _geometry(draw, euclidean)
    T = length(draw, longest)  # in short games the cost of learning hides everything else
    D = D * draw.positive(0, 8) if draw.integer(0, 3) == 3 else D
    eps = D * draw.positive(-3, 3) if draw.boolean() else draw.positive()
    star = points_in(draw, T, domain)
    psi, sigma = points_in(draw, T, domain), _weights(draw, T)
    phi = star[0].copy() if draw.boolean() else random_point(domain, draw)
    return Instance(domain=domain, R=R, D=D, C=C, star=star, psi=psi, sigma=sigma, eps=eps, phi=phi, first=draw.unit())


def euclidean_game(draw: Draw) -> Instance:
    r"""The same with $R = \frac12\|\cdot\|_2^2$; every other one long, with two optimal actions in turn, a fixed $\Psi$
    between them, and equal weights."""
    x = adaptive_game(draw, euclidean=True)
    if draw.boolean():
        return x
    t, share = np.arange(1 << draw.integer(3, 7)), draw.unit()  # exact rates have ever more digits
    pair = np.stack([random_point(x.domain, draw) for _ in range(2)])
    x.star, x.psi = pair[t % 2], np.stack([pair[0] + share * (pair[1] - pair[0])] * len(t))
    x.sigma = draw.array([draw.positive()] * len(t))
    return x


IN_THETA = (
    within(r"\theta_t^\ast\in\Theta", "star"),
    within(r"\phi_1\in\Theta", "phi"),
    Assumption(r"\sigma_t>0", lambda x: min(x.sigma)),
    Assumption(r"\varepsilon>0", lambda x: x.eps),
    Assumption(r"\Breg_R\le D^2", lambda x: x.D * x.D - max(on(bregman, p)(x.R, p, x.phi) for p in x.star)),
    Assumption(r"\|\theta-\phi\|_2\le D\ \forall\ \theta,\phi\in\Theta", lambda x: x.D - _width(x.domain)),
)
REFERENCE = within(r"\psi_t\in\Theta", "psi")

EWOO_PRICE = r"\frac{D\sigma_{\max}}2\max\left\{\frac{D^2}{\varepsilon^2},1\right\}(1+\log(T+1))"
