r"""Appendix A.4, Dynamic Regret Guarantees: online gradient descent on strongly convex and smooth losses.

The theorem quotes Mokhtari, Shahrampour, Jadbabaie and Ribeiro (CDC 2016) with three changes, each fatal on its own:
$h\alpha/\eta$ for $h\alpha\eta$ (the source divides by $\gamma = 1/\eta$), any reference sequence for that of the
minimisers, and $D$ as a factor of the path length. `thm:mokhtari` has all three, three readings have one of them each,
and `/corrected` and `/source` have none.

The bound holds because a step brings $\theta_t$ closer to the minimiser $\psi_t$: with $\hat\theta$ the projected
point, smoothness, strong convexity and the projection's inequality give
$0 \le \ell_t(\hat\theta) - \ell_t(\psi_t) \le \frac1{2\eta}(\|\theta_t - \psi_t\|^2 - \|\hat\theta - \psi_t\|^2) -
\frac\alpha2\|\theta_t - \psi_t\|^2$, so that $\|\hat\theta - \psi_t\|^2 \le (1 - \alpha\eta)\|\theta_t - \psi_t\|^2$,
and convexity of the square turns a share h of the way into $1 - h\alpha\eta = \rho^2$. (A projected step is even
$(1 - \alpha\eta)$-Lipschitz with the fixed point $\psi_t$, so that $\rho^2$ could stand where the bound has $\rho$.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.learners.ogd import play_dynamic_ogd
from arubatheory.papers.aruba.claim import claim
from arubatheory.problems import domains
from arubatheory.problems.constants import lipschitz_squared, smoothness, strong_convexity
from arubatheory.problems.domains import BALL, BOUNDED, BOX, Domain, project
from arubatheory.problems.draw import Draw
from arubatheory.problems.losses import HUBER, LINEAR, SQUARE, Losses, link_slope, subgradient, value
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import largest, least, normality, root, within
from arubatheory.statements.games import CONVEX, MOST_D, MOST_T, START

DYNAMIC = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\psi_t)\le"
PATH = r"\sum_{t=2}^T\|\psi_t-\psi_{t-1}\|_2"
TIMES, PLUS = rf"\frac{{GD}}{{1-\rho}}\left(1+{PATH}\right)", rf"\frac G{{1-\rho}}\left(D+{PATH}\right)"
PRINTED_RHO, RHO = r",\quad\rho=\sqrt{1-\frac{h\alpha}\eta}", r",\quad\rho=\sqrt{1-h\alpha\eta}"
MINIMISERS = r",\quad\psi_t\in\argmin_{\theta\in\Theta}\ell_t(\theta)"
TRUE_PATH = rf"\frac G{{1-\rho}}\left(\|\theta_1-\psi_1\|_2-\rho\|\theta_T-\psi_T\|_2+{PATH}\right)"
USES = ("def:dynamic", "def:convex", "def:smooth")


def _targets(draw: Draw, n: int, domain: Domain) -> Array:
    """Points of the domain, or points around it whose projections are rational: far away, near, or in turn on two
    sides."""
    place, d = draw.integer(0, 3), domain.low.size
    if place == 0:
        return np.array([random_point(domain, draw) for _ in range(n)])
    size: Any = domain.radius[0] if domain.kind == BALL else domain.high - domain.low if domain.kind == BOX else 1
    far = size * (draw.positive(-2, 2) if place == 2 else draw.positive(0, 10))
    if place < 3:
        return domains.center(domain) + far * draw.spheres(n, d)
    sides = draw.array([1 - 2 * (t % 2) for t in range(n)])
    return domains.center(domain) + far * (sides[:, None] * draw.sphere(d))


def _strongly_convex(draw: Draw, n: int, domain: Domain) -> tuple[Losses, Array]:
    """n losses with rational constants, and their minimisers over the domain."""
    d = domain.low.size
    kind = draw.integer(0, 3)
    link = np.array([(LINEAR, SQUARE, HUBER)[kind if kind < 3 else draw.integer(0, 2)] for _ in range(n)], np.int64)
    base = draw.positive() if draw.boolean() else draw.number(1)
    ridge = base * (draw.positive(-4, 4, n) if draw.boolean() else draw.array([draw.number(1)] * n))
    a, z, weight, kink = draw.zeros((n, d)), draw.zeros(n), draw.zeros(n), draw.zeros(n)
    if kind > 0:
        a, z = draw.real(-1, 1, (n, d)), draw.real(-2, 2, n)
        weight = ridge * draw.positive(-4, 8)
        weight[link == LINEAR] = draw.number(0)
    targets = _targets(draw, n, domain)
    minimisers = np.array([on(project, t)(domain, t) for t in targets])
    # A target's projection is the minimiser over the domain if the loss is isotropic or d = 1; else the target moves.
    targets = targets if d == 1 else np.where((link == LINEAR)[:, None], targets, minimisers)
    pull = weight * np.array([on(link_slope, y)(k, y, 0 * y) for k, y in zip(link, z, strict=True)]) / ridge
    b = sum((a[:, j] * targets[:, j] for j in range(d)), -z)
    return Losses(link, a, b, weight, ridge, targets + pull[:, None] * a, kink), minimisers


def _repeated(draw: Draw, T: int) -> Array:
    """Which of a few things serves in which round: all the same, two or three in turn, or one for each round."""
    return np.arange(T) % min(draw.choice((1, 2, 3, T)), T)


def _dynamic_game(draw: Draw) -> Instance:
    r"""At most twelve losses on a bounded domain (on $\mathbb R^d$ the bound is infinite), the reference sequence of
    their minimisers, $\eta \le 1/\beta$ and h."""
    d, T = draw.size("d", 2, MOST_D), draw.size("T", 12, MOST_T)
    domain = random_domain(draw, d, BOUNDED)
    turn = _repeated(draw, T)
    few, minimisers = _strongly_convex(draw, max(turn) + 1, domain)
    losses = Losses(*(field[turn] for field in few))
    share, h = (draw.positive(-8, 0) if draw.boolean() else draw.number(1) for _ in range(2))
    phi, eta = random_point(domain, draw), share * (1 / smoothness(losses, domain).max())
    return Instance(losses=losses, domain=domain, phi=phi, psi=minimisers[turn], eta=eta, h=h)


def _any_reference_game(draw: Draw) -> Instance:
    x = _dynamic_game(draw)
    if draw.boolean():
        turn = _repeated(draw, len(x.psi))
        x.psi = np.array([random_point(x.domain, draw) for _ in range(max(turn) + 1)])[turn]
    return x


def _optimality(x: Instance) -> Any:
    r"""$\min_t \min_{y\in\Theta} \langle\nabla\ell_t(\psi_t), y - \psi_t\rangle$, 0 if all $\psi_t$ are minimisers."""
    slopes = [on(subgradient, p)(x.losses, t, p) for t, p in enumerate(x.psi)]
    return least(normality(x.domain, p, -g) for p, g in zip(x.psi, slopes, strict=True))


OPTIMAL = Assumption(r"\psi_t\in\argmin_{\theta\in\Theta}\ell_t(\theta)", _optimality)
GAME = (
    CONVEX,
    START,
    Assumption(r"\alpha>0", lambda x: x.losses.ridge.min()),
    Assumption(r"h\in(0,1]", lambda x: min(x.h, 1 - x.h)),
    Assumption(r"0<\eta\le\frac1\beta", lambda x: min(x.eta, 1 / smoothness(x.losses, x.domain).max() - x.eta)),
    within(r"\psi_t\in\Theta", "psi"),
)


SLIPS = ("thm:mokhtari/printed-rate", "thm:mokhtari/any-reference", "thm:mokhtari/path-times-diameter")
AT_MINIMISERS: dict[str, Any] = {"game": _dynamic_game, "given": (*GAME, OPTIMAL), "uses": USES}


def _rate(x: Instance) -> Any:
    r"""$h\alpha\eta \le \alpha/\beta \le 1$, which floats may exceed by a rounding."""
    found = x.h * strong_convexity(x.losses, x.domain).min() * x.eta
    return found if found < 1 else found / found


def _printed_rate(x: Instance) -> Any:
    r"""$h\alpha/\eta$."""
    return x.h * strong_convexity(x.losses, x.domain).min() / x.eta


class Run(NamedTuple):
    r"""Dynamic regret of OGD, $\rho$, $G/(1-\rho)$, the path length, D, and $\theta_T$."""

    regret: Any
    rho: Any
    factor: Any
    path: Any
    D: Any
    last: Array


def run(x: Instance, rate: Any, h: Any) -> Run:
    r"""OGD with step sizes $\eta$ and h, and $\rho = \sqrt{1 - rate}$, $1/(1-\rho) = (1+\rho)/rate$."""
    played = on(play_dynamic_ogd, x.phi)(x.losses, x.domain, x.phi, x.eta, h)
    regret = sum(v - on(value, p)(x.losses, t, p) for t, (v, p) in enumerate(zip(played.values, x.psi, strict=True)))
    G = root(largest(lipschitz_squared(x.losses, x.domain)))
    rho, path = root(1 - rate), sum(root((np.diff(x.psi, axis=0) ** 2).sum(axis=1)))
    return Run(regret, rho, G * (1 + rho) / rate, path, domains.diameter(x.domain), played.actions[-1])


def _summed(x: Instance, rate: Any) -> Sides:
    r"""The regret, and $\frac G{1-\rho}(D + P)$."""
    ogd = run(x, rate, x.h)
    return Sides(ogd.regret, ogd.factor * (ogd.D + ogd.path))


@claim("thm:mokhtari", DYNAMIC + TIMES + PRINTED_RHO, _any_reference_game, GAME, uses=USES)
def printed(x: Instance) -> Sides:
    r"""Dynamic regret of OGD.

    As printed. $h\alpha/\eta$ may exceed 1, and then $\rho$ is not real: $\alpha=\beta=2$, $\eta=1/2$, $h=1$. Where
    it is real, each of the three slips is still fatal, as three readings show one by one. For an unbounded $\Theta$ the
    bound is infinite.
    """
    ogd = run(x, _printed_rate(x), x.h / x.h)
    return Sides(ogd.regret, ogd.factor * ogd.D * (1 + ogd.path))


def _most(x: Instance) -> Any:
    r"""$\min(1, \eta/\alpha)$: beyond it the printed $\rho$ is not real."""
    return min(1, x.eta / strong_convexity(x.losses, x.domain).min())


def _printed_rate_game(draw: Draw) -> Instance:
    x = _dynamic_game(draw)
    x.h = x.h * _most(x)
    return x


@claim(
    "thm:mokhtari/printed-rate",
    DYNAMIC + PLUS + PRINTED_RHO + MINIMISERS,
    _printed_rate_game,
    (*GAME, OPTIMAL, Assumption(r"h\le\frac\eta\alpha", lambda x: _most(x) - x.h)),
    uses=USES,
)
def printed_rate(x: Instance) -> Sides:
    r"""Dynamic regret of OGD, with the printed $\rho$.

    The printed $\rho=\sqrt{1-h\alpha/\eta}$, where it is real, and all else as corrected. The source divides by
    $\gamma=1/\eta\ge\beta$: small steps $\eta$ make $\rho$ large, not small.
    """
    return _summed(x, _printed_rate(x))


@claim("thm:mokhtari/any-reference", DYNAMIC + PLUS + RHO, _any_reference_game, GAME, uses=USES)
def any_reference(x: Instance) -> Sides:
    r"""Dynamic regret of OGD against any reference sequence.

    Any $\psi_t\in\Theta$, as printed, and all else as corrected. OGD runs after the minimisers; a reference that
    stays where they are on average has no path length.
    """
    return _summed(x, _rate(x))


@claim("thm:mokhtari/path-times-diameter", DYNAMIC + TIMES + RHO + MINIMISERS, **AT_MINIMISERS)
def path_times_diameter(x: Instance) -> Sides:
    """Dynamic regret of OGD, with the diameter as a factor of the path length.

    $GD(1+P)$, as printed, for $G(D+P)$, and all else as corrected. A length cannot be added to 1: for $D<1$ the
    bound is too small.
    """
    ogd = run(x, _rate(x), x.h)
    return Sides(ogd.regret, ogd.factor * ogd.D * (1 + ogd.path))


@claim("thm:mokhtari/corrected", DYNAMIC + PLUS + RHO + MINIMISERS, **AT_MINIMISERS, corrects=("thm:mokhtari", *SLIPS))
def corrected(x: Instance) -> Sides:
    r"""Dynamic regret of OGD, corrected.

    OGD as in the source, $\theta_{t+1}=\theta_t+h(\Proj_\Theta(\theta_t-\eta\nabla\ell_t(\theta_t))-\theta_t)$; the
    paper's is $h=1$, for which a smaller $h$ in $\rho$ only makes the bound weaker. For an unbounded $\Theta$ it is
    infinite.
    """
    return _summed(x, _rate(x))


@claim("thm:mokhtari/source", DYNAMIC + TRUE_PATH + RHO + MINIMISERS, **AT_MINIMISERS)
def source(x: Instance) -> Sides:
    r"""Dynamic regret of OGD, as the source has it.

    The bound of Mokhtari et al. (2016), with $1/\gamma=\eta$; it implies the corrected one because $\theta_1$ and
    $\psi_1$ are at most $D$ apart.
    """
    ogd = run(x, _rate(x), x.h)
    first, last = (root(away @ away) for away in (x.phi - x.psi[0], ogd.last - x.psi[-1]))
    return Sides(ogd.regret, ogd.factor * (first - ogd.rho * last + ogd.path))
