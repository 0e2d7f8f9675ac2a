r"""FTL on weighted Bregman divergences: prp:bregman with its remark and its proof, and text:bregman-log-regret.

The domain is bounded, for D to exist; the functions R and their norms are those of `potentials`. The constant C of the
printed claim compares norms on $\Theta$, while the proof compares them on differences of points of $\Theta$: C over
$\Theta$ is the literal reading, C over all vectors the corrected one. The entropy on a simplex without a floor has no
finite $G_t$, so that prp:bregman says nothing of it; text:bregman-log-regret does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import potentials
from arubatheory.papers.aruba.games.potentials import L1, L2, MATRIX, QUADRATIC, Potential, divergence, lipschitz
from arubatheory.problems import domains
from arubatheory.problems.domains import BALL, BOUNDED, BOX, Domain, diameter
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.regularizers import ENTROPY, Regularizer, bregman, random_start
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import largest, least, root, within
from arubatheory.statements.games import MOST_D, MOST_T

MAX_T, MAX_D, LONG = 5, 3, 6  # usual ones; 2**LONG rounds as MOST_T


def _rounds(draw: Draw, domain: Domain, weighted: bool, long: bool) -> dict[str, Any]:
    r"""$\theta_t$ free or of a pair, $\alpha_t$ free, equal or 1, $\phi_1$ and a comparator, which in every other
    instance is the best action by clm:mean."""

    def point() -> Array:
        return random_point(domain, draw)

    pairs = draw.boolean()
    T = 2 ** draw.integer(0, LONG) if pairs and long else draw.size("T", MAX_T, MOST_T)
    if pairs:
        pair, change = (point(), point()), draw.integer(0, min(T, MAX_T))
        alternating = draw.boolean()
        points = np.stack([pair[t % 2 if alternating else int(t >= change)] for t in range(T)])
    else:
        points = np.stack([point() for _ in range(T)])
    if not weighted:
        alpha = draw.array([1] * T)
    elif draw.boolean():
        alpha = np.asarray(draw.positive(shape=T))
    else:
        alpha = draw.array([draw.positive()] * T)
    comparator = point() if draw.boolean() else (alpha @ points) / sum(alpha)
    return {"points": points, "alpha": alpha, "first": point(), "comparator": comparator}


def game(draw: Draw, weighted: bool = True, long: bool = False) -> Instance:
    r"""Everything prp:bregman quantifies over; `C2` is the square of C over all vectors."""
    d = draw.size("d", MAX_D, MOST_D)
    R, domain = potentials.random_pair(draw, d)
    return Instance(R=R, domain=domain, C2=_over_vectors(R, d), **_rounds(draw, domain, weighted, long))


def _literal_game(draw: Draw) -> Instance:
    """The same with C over the domain, where that is smaller; half of the games are on a box away from the origin."""
    if draw.boolean():
        x = game(draw)
    else:
        d = draw.size("d", MAX_D, MOST_D, least=2)
        spectrum = draw.positive(-8, 8, d)
        R = potentials.quadratic(draw, MATRIX, draw.eye(d) * spectrum, spectrum)
        domain, away = random_domain(draw, d, (BOX,)), draw.zeros(d)
        away[0] = draw.positive()
        domain = domain._replace(low=domain.low + away, high=domain.high + away)
        x = Instance(R=R, domain=domain, C2=R.largest[0], **_rounds(draw, domain, True, False))
    x.C2 = _over_domain(x.R, x.domain, x.C2)
    return x


def _over_vectors(R: Potential, d: int) -> Any:
    r"""$\sup \|x\|^2/\|x\|_2^2$ over all vectors."""
    if R.norm == MATRIX:
        return R.largest[0]
    return d / R.mass[0] if R.norm == L1 else R.largest[0] * 0 + 1


def _over_domain(R: Potential, domain: Domain, most: Any) -> Any:
    r"""A bound of $\sup_{\theta\in\Theta} \|\theta\|^2/\|\theta\|_2^2$: the largest norm over the least, or `most`."""
    nearest = on(domains.project, domain.low)(domain, domain.low * 0)
    square = nearest @ nearest
    if domain.kind == BALL or not square > 0:
        return most
    corners = on(domains.vertices, nearest)(domain)
    return min(max(on(potentials.squared_norm, p)(R, p) for p in corners) / square, most)


@kernel
def regret(R: Potential, points: Array, alpha: Array, actions: Array, u: Array) -> Any:
    r"""[exact] $\sum_t \alpha_t (B_R(\theta_t\|\phi_t) - B_R(\theta_t\|u))$."""
    s = alpha[0] - alpha[0]
    for t in range(points.shape[0]):
        s = s + alpha[t] * (divergence(R, points[t], actions[t]) - divergence(R, points[t], u))
    return s


@kernel
def steepness(R: Potential, domain: Domain, points: Array) -> Array:
    r"""[exact] $G_t$ (T,)."""
    G = np.empty_like(points[:, 0])
    for t in range(points.shape[0]):
        G[t] = lipschitz(R, domain, points[t])
    return G


def cumulative(x: Instance, R: Potential, u: Array) -> Any:
    r"""$\sum_t \alpha_t B_R(\theta_t\|u)$."""
    return sum(w * on(divergence, u)(R, p, u) for w, p in zip(x.alpha, x.points, strict=True))


def _paid(x: Instance) -> Any:
    """The regret of FTL, which plays the means of the past."""
    actions = running_means(x.points, x.alpha, x.first)
    return on(regret, x.points)(x.R, x.points, x.alpha, actions, x.comparator)


def _growth(x: Instance, theta: Array, phi: Array) -> Any:
    r"""$2B_R(\theta\|\phi) - \|\theta - \phi\|^2$."""
    return 2 * on(divergence, phi)(x.R, theta, phi) - on(potentials.squared_norm, phi)(x.R, theta - phi)


def _room(x: Instance, shifts: Array) -> Any:
    r"""The least $C^2\|v\|_2^2 - \|v\|^2$."""
    return least(x.C2 * (v @ v) - on(potentials.squared_norm, v)(x.R, v) for v in shifts)


POINTS = within(r"\theta_1,\dots,\theta_T\in\Theta", "points")
START, COMPARATOR = within(r"\phi_1\in\Theta", "first"), within(r"\phi^\ast\in\Theta", "comparator")
STRONG = Assumption(
    r"\Breg_R(\theta_t||\phi_1)\ge\frac12\|\theta_t-\phi_1\|^2",
    lambda x: least(_growth(x, p, x.first) for p in x.points),
)
GAME = (POINTS, Assumption(r"\alpha_t>0", lambda x: x.alpha.min()), START, COMPARATOR, STRONG)
ON_THETA = Assumption(r"\|\theta_t\|\le C\|\theta_t\|_2", lambda x: _room(x, x.points))
EVERYWHERE = Assumption(r"\|\theta_t-\phi_1\|\le C\|\theta_t-\phi_1\|_2", lambda x: _room(x, x.points - x.first))
BOUND = (
    r"\sum_{t=1}^T\alpha_t\Breg_R(\theta_t||\phi_t)-\alpha_t\Breg_R(\theta_t||\phi^\ast)"
    r"\le2CD\sum_{t=1}^T\frac{\alpha_t^2G_t}{\alpha_t+2\alpha_{1:t-1}}"
)
FTL_USES = ("def:ftl", "def:regret", "clm:mean", "thm:coupling")


def _bound(x: Instance) -> Sides:
    G = on(steepness, x.points)(x.R, x.domain, x.points)
    steep = sum(x.alpha * x.alpha * G / (2 * np.cumsum(x.alpha) - x.alpha))
    return Sides(_paid(x), 2 * root(x.C2) * diameter(x.domain) * steep)


@claim("prp:bregman/bound", BOUND, _literal_game, (*GAME, ON_THETA), uses=FTL_USES)
def bound(x: Instance) -> Sides:
    r"""Regret of FTL on Bregman divergences.

    C as printed compares the norms on $\Theta$. The proof needs differences of its points: on $\{1\}\times[-h,h]$ a
    norm that stretches the second axis is hardly seen by $\Theta$.
    """
    return _bound(x)


@claim(
    "prp:bregman/bound/corrected",
    BOUND + r"\quad\text{for}\quad\|x\|\le C\|x\|_2\ \forall\ x\in\mathbb R^d",
    game,
    (*GAME, EVERYWHERE),
    uses=FTL_USES,
    part_of="prp:bregman/bound",
)
def bound_for_vectors(x: Instance) -> Sides:
    r"""Regret of FTL on Bregman divergences, C for all vectors.

    R is quadratic, quartic or the entropy (away from 0, where $G_t$ is finite), in several norms; the quartic's
    divergences need not be convex in $\phi$. $G_t$ is the supremum over $\Theta$ of the dual norm of the gradient, or
    an upper bound of it.
    """
    return _bound(x)


def _two_actions(draw: Draw, allowed: Sequence[int] = potentials.NORMS) -> Instance:
    r"""One $\theta$, a weight, and two actions."""
    return _pair(draw, *potentials.random_pair(draw, draw.size("d", MAX_D, MOST_D), allowed))


def _euclidean(draw: Draw) -> tuple[Potential, Domain]:
    r"""$\frac12\|\cdot\|_2^2$ on a bounded domain."""
    d = draw.size("d", MAX_D, MOST_D)
    return potentials.quadratic(draw, L2, draw.eye(d), draw.array([1])), random_domain(draw, d, BOUNDED)


def _pair(draw: Draw, R: Potential, domain: Domain) -> Instance:
    alpha = draw.positive()
    theta, phi, psi = (random_point(domain, draw) for _ in range(3))
    return Instance(R=R, domain=domain, alpha=alpha, theta=theta, phi=phi, psi=psi)


def _apart(x: Instance) -> Sides:
    r"""$|B_R(\theta\|\phi) - B_R(\theta\|\psi)|$ and $D\|\phi - \psi\|_2$."""
    at_phi, at_psi = (on(divergence, x.phi)(x.R, x.theta, at) for at in (x.phi, x.psi))
    step = x.phi - x.psi
    return Sides(abs(at_phi - at_psi), diameter(x.domain) * root(step @ step))


PAIR = (
    Assumption(r"\alpha>0", lambda x: x.alpha),
    within(r"\theta\in\Theta", "theta"),
    within(r"\phi\in\Theta", "phi"),
    within(r"\psi\in\Theta", "psi"),
)
STRONG_PAIR = Assumption(r"\Breg_R(\theta||\phi)\ge\frac12\|\theta-\phi\|^2", lambda x: _growth(x, x.theta, x.phi))
STEEP = r"|\Breg_R(\theta||\phi)-\Breg_R(\theta||\psi)|\le D\|\phi-\psi\|_2\quad\forall\ \phi,\psi\in\Theta"
FLAT = r"\alpha|\Breg_{R'}(\theta||\phi)-\Breg_{R'}(\theta||\psi)|\le"
EUCLIDEAN: dict[str, Any] = {"game": lambda draw: _pair(draw, *_euclidean(draw)), "given": PAIR}


@claim("prp:bregman/remark", STEEP, partial(_two_actions, allowed=(L2,)), (*PAIR, STRONG_PAIR), uses=("def:convex",))
def remark(x: Instance) -> Sides:
    r"""In l2 the divergences are D-Lipschitz.

    That C = 1 is plain; $G_t\le D$ needs $\nabla^2R\le I$, while strong convexity is $\nabla^2R\ge I$: it fails for
    $R=\frac K2\|\cdot\|_2^2$.
    """
    return _apart(x)


@claim(
    "prp:bregman/remark/corrected",
    STEEP + r"\quad\text{for}\quad R=\frac12\|\cdot\|_2^2",
    **EUCLIDEAN,
    part_of="prp:bregman/remark",
)
def euclidean_remark(x: Instance) -> Sides:
    r"""The Euclidean divergence is D-Lipschitz.

    In general $G_t\le\beta D$ for R that is $\beta$-strongly-smooth in l2.
    """
    return _apart(x)


@claim(
    "prp:bregman/proof-1",
    r"\alpha|\Breg_R(\theta||\phi)-\Breg_R(\theta||\psi)|\le\alpha G\|\phi-\psi\|",
    _two_actions,
    PAIR,
    step_of="prp:bregman/bound",
)
def weighted_lipschitz(x: Instance) -> Sides:
    r"""The weighted divergences are Lipschitz.

    A definition; on trial is how G is computed here.
    """
    apart = root(on(potentials.squared_norm, x.phi)(x.R, x.phi - x.psi))
    return Sides(x.alpha * _apart(x).lhs, x.alpha * (on(lipschitz, x.theta)(x.R, x.domain, x.theta) * apart))


@claim(
    "prp:bregman/proof-2",
    r"\alpha\Breg_{R'}(\theta||\psi)\ge\alpha\Breg_{R'}(\theta||\phi)"
    r"+\alpha\langle\phi-\theta,\psi-\phi\rangle+\frac\alpha2\|\psi-\phi\|_2^2",
    **EUCLIDEAN,
    step_of="prp:bregman/bound",
    uses=("def:convex",),
)
def strongly_convex(x: Instance) -> Sides:
    r"""The weighted Euclidean divergences are strongly convex.

    With equality.
    """
    near, far, step = x.phi - x.theta, x.psi - x.theta, x.psi - x.phi
    return Sides(x.alpha * ((near @ near) / 2 + near @ step + (step @ step) / 2), x.alpha * ((far @ far) / 2))


@claim("prp:bregman/proof-3", FLAT + r" D\|\phi-\psi\|_2", **EUCLIDEAN, step_of="prp:bregman/bound")
def printed_lipschitz(x: Instance) -> Sides:
    r"""The weighted Euclidean divergences are D-Lipschitz.

    It lacks the factor $\alpha_t$, which the $\alpha_t^2$ of the proposition contains.
    """
    s = _apart(x)
    return Sides(x.alpha * s.lhs, s.rhs)


@claim("prp:bregman/proof-3/corrected", FLAT + r"\alpha D\|\phi-\psi\|_2", **EUCLIDEAN, step_of="prp:bregman/bound")
def mended_lipschitz(x: Instance) -> Sides:
    r"""The weighted Euclidean divergences are $\alpha_tD$-Lipschitz."""
    s = _apart(x)
    return Sides(x.alpha * s.lhs, x.alpha * s.rhs)


@claim(
    "prp:bregman/proof-4",
    r"\sum_{t=1}^T\alpha_t\Breg_S(\theta_t||\phi_{T+1})\le\sum_{t=1}^T\alpha_t\Breg_S(\theta_t||\phi^\ast)"
    r"\quad\text{for}\quad\phi_{T+1}=\frac1{\alpha_{1:T}}\sum_{t=1}^T\alpha_t\theta_t,\quad S\in\{R,R'\}",
    game,
    GAME,
    step_of="prp:bregman/bound",
    uses=("clm:mean", "def:ftl"),
)
def same_actions(x: Instance) -> tuple[Sides, ...]:
    """FTL plays the same on both sequences."""
    mean = running_means(x.points, x.alpha, x.first)[-1]
    unit = np.eye(len(mean), dtype=int) + 0 * x.R.matrix
    half_square = x.R._replace(kind=QUADRATIC, matrix=unit, bend=0 * x.R.bend)
    return tuple(Sides(cumulative(x, R, mean), cumulative(x, R, x.comparator)) for R in (x.R, half_square))


BEST = r"\phi_{t+1}=\frac1t\theta_{1:t}^\ast\implies\sum_{t=1}^T"
DIVERGED = BEST + r"\Breg_R(\theta_t^\ast||\phi_t)-\Breg_R(\theta_t^\ast||\phi^\ast)\le"


@claim(
    "text:bregman-log-regret",
    DIVERGED + r"2CDG\left(1+\frac12\log(2T-1)\right)",
    partial(game, weighted=False, long=True),
    (*GAME, EVERYWHERE),
    uses=("prp:bregman",),
    corrects=("text:bregman-log-regret/bounded", "text:bregman-log-regret/literal"),
)
def logarithmic(x: Instance) -> Sides:
    r"""FTL has logarithmic regret on Bregman divergences with bounded gradients.

    prp:bregman with equal weights, $G=\max_tG_t$ and $\sum_{t\le T}\frac1{2t-1}\le1+\frac12\log(2T-1)$; the text names
    no constant.
    """
    G = largest(on(steepness, x.points)(x.R, x.domain, x.points))
    growth = 2 * root(x.C2) * (1 + np.log(G * 0 + 2 * len(x.alpha) - 1) / 2)
    return Sides(_paid(x), growth * diameter(x.domain) * G)


def _unfloored(draw: Draw) -> Instance:
    r"""The entropy on the whole simplex, $\phi_1$ in its interior."""
    d = draw.size("d", MAX_D, MOST_D)
    domain, R = domains.simplex(d, draw.zeros(d)), Regularizer(ENTROPY, draw.zeros((d, d)))
    first = random_start(R, domain, draw)
    return Instance(domain=domain, R=R, **(_rounds(draw, domain, False, False) | {"first": first}))


@claim(
    "text:bregman-log-regret/literal",
    DIVERGED + r"100(1+\log T)",
    _unfloored,
    (POINTS, START, COMPARATOR),
    uses=("def:regret",),
)
def any_divergence(x: Instance) -> Sides:
    r"""FTL has logarithmic regret on any Bregman divergences.

    The negative entropy on the whole simplex is 1-strongly convex, and the mean of past vertices may have a coordinate
    0 that $\theta_t^\ast$ does not have: the loss is infinite there, for any constant. Where $\Breg_R$ is bounded see
    text:bregman-log-regret/bounded.
    """
    actions, B = running_means(x.points, x.alpha, x.first), on(bregman, x.points)
    played = sum(B(x.R, theta, phi) for theta, phi in zip(x.points, actions, strict=False))
    compared = sum(B(x.R, theta, x.comparator) for theta in x.points)
    return Sides(played - compared, 100 * (1 + np.log(x.first[0] * 0 + len(x.points))))


def _euclidean_game(draw: Draw) -> Instance:
    R, domain = _euclidean(draw)
    return Instance(R=R, domain=domain, **_rounds(draw, domain, False, True))


@claim(
    "text:bregman-log-regret/euclidean",
    BEST + r"\frac12\|\theta_t^\ast-\phi_t\|_2^2-\frac12\|\theta_t^\ast-\phi^\ast\|_2^2\le\frac{D^2}2(1+\log T)",
    _euclidean_game,
    (POINTS, START, COMPARATOR),
    uses=("def:regret",),
)
def euclidean(x: Instance) -> Sides:
    r"""FTL has logarithmic regret on squared distances.

    Regret is $\sum_t\frac1{2t}\|\theta_t^\ast-\phi_t\|_2^2$ against the best action.
    """
    D = diameter(x.domain)
    return Sides(_paid(x), (1 + np.log(x.alpha[0] * 0 + len(x.alpha))) / 2 * D * D)
