r"""FTL on weighted Bregman divergences: prp:bregman with its remark and its proof, and text:bregman-log-regret.

The domain is bounded, for D to exist; the functions R and their norms are those of `potentials`. The constant C of the
printed claim compares norms on $\Theta$, while the proof compares them on differences of points of $\Theta$: C over
$\Theta$ is the literal reading, C over all vectors the corrected one. The entropy on a simplex without a floor has no
finite $G_t$, so that prp:bregman says nothing of it; text:bregman-log-regret does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.learners.running_means import running_means
from arubatheory.papers.aruba.games.potentials import (
    BOUNDED,
    L1,
    L2,
    LINF,
    MATRIX,
    QUADRATIC,
    Potential,
    divergence,
    largest_coordinate,
    largest_norm,
    least_growth,
    least_room,
    lipschitz,
    random_pair,
    reach_of,
    squared_norm,
    widths,
)
from arubatheory.problems.domains import (
    BALL,
    BOX,
    Domain,
    diameter,
    inside,
    project,
    random_domain,
    random_point,
    simplex,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import ENTROPY as ENTROPY_KIND
from arubatheory.problems.regularizers import Regularizer, bregman, random_start
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import in_domain, root

MAX_T, MAX_D, LONG = 5, 3, 6


@kernel
def cumulative(R: Potential, points: Array, alpha: Array, u: Array) -> Any:
    r"""[exact] $\sum_t \alpha_t B_R(\theta_t\|u)$."""
    s = alpha[0] - alpha[0]
    for t in range(points.shape[0]):
        s = s + alpha[t] * divergence(R, points[t], u)
    return s


# instances ---------------------------------------------------------------------------------------------------------
def _rounds(draw: Draw, domain: Domain, weighted: bool, long: bool) -> dict[str, Any]:
    r"""$\theta_t$ free or of a pair, $\alpha_t$ free, equal or 1, $\phi_1$ and a comparator, which in every other
    instance is the best action by clm:mean."""
    point = lambda: random_point(domain, draw)  # noqa: E731
    pairs = draw.boolean()
    T = 2 ** draw.integer(0, LONG) if pairs and long else draw.integer(1, MAX_T)
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


def game(draw: Draw, weighted: bool = True, long: bool = False, norms: Any = (MATRIX, L2, L1, LINF)) -> Instance:
    r"""Everything prp:bregman quantifies over; `C2` is the square of C over all vectors."""
    d = draw.integer(1, MAX_D)
    R, domain = random_pair(draw, d, norms)
    return Instance(R=R, domain=domain, C2=_over_vectors(R, d), **_rounds(draw, domain, weighted, long))


def _literal_game(draw: Draw) -> Instance:
    """The same with C over the domain, where that is smaller; half of the games are on a box away from the origin."""
    if draw.boolean():
        i = game(draw)
    else:
        d = draw.integer(2, MAX_D)
        spectrum, one = draw.positive(-8, 8, d), draw.array([d])
        R = Potential(QUADRATIC, MATRIX, draw.eye(d) * spectrum, draw.zeros(1), draw.array([max(spectrum)]), one)
        domain, away = random_domain(draw, d, (BOX,)), draw.zeros(d)
        away[0] = draw.positive()
        domain = domain._replace(low=domain.low + away, high=domain.high + away)
        i = Instance(R=R, domain=domain, C2=R.largest[0], **_rounds(draw, domain, True, False))
    i.C2 = _over_domain(i.R, i.domain, i.C2)
    return i


def _equal_weights(draw: Draw) -> Instance:
    return game(draw, weighted=False, long=True)


def _over_vectors(R: Potential, d: int) -> Any:
    r"""$\sup \|x\|^2/\|x\|_2^2$ over all vectors."""
    if R.norm == MATRIX:
        return R.largest[0]
    return d / R.mass[0] if R.norm == L1 else R.largest[0] * 0 + 1


def _over_domain(R: Potential, domain: Domain, most: Any) -> Any:
    r"""A bound of $\sup_{\theta\in\Theta} \|\theta\|^2/\|\theta\|_2^2$: the largest norm over the least, or `most`."""
    if domain.kind == BALL:
        return most
    nearest = on(project, domain.low)(domain, domain.low * 0)
    least = nearest @ nearest
    if not least > 0:
        return most
    return min(on(largest_norm, domain.low)(R, domain) / least, most)


# the bound ---------------------------------------------------------------------------------------------------------
@kernel
def regret(R: Potential, points: Array, alpha: Array, actions: Array, u: Array) -> Any:
    r"""[exact] $\sum_t \alpha_t (B_R(\theta_t\|\phi_t) - B_R(\theta_t\|u))$ and the sum of the divergences."""
    lhs = alpha[0] - alpha[0]
    scale = lhs
    for t in range(points.shape[0]):
        played, compared = divergence(R, points[t], actions[t]), divergence(R, points[t], u)
        lhs, scale = lhs + alpha[t] * (played - compared), scale + alpha[t] * (played + compared)
    return lhs, scale


@kernel
def weighted_bound(R: Potential, domain: Domain, points: Array, alpha: Array) -> Any:
    r"""[exact] $\sum_t \alpha_t^2 G_t/(\alpha_t + 2\alpha_{1:t-1})$, the same sum of the yardsticks of $G_t$, the one
    of the divergences times $\alpha_{1:T}$, and $\max_t G_t$."""
    flat, steep = widths(R, reach_of(domain))
    before = alpha[0] - alpha[0]
    bound, wide, top = before, before, before
    for t in range(points.shape[0]):
        G = lipschitz(R, domain, points[t])
        share = alpha[t] / (alpha[t] + 2 * before) * alpha[t]
        bound, wide, top = bound + share * G, wide + share * (G + steep), larger(top, G)
        before = before + alpha[t]
    return bound, wide, flat * before, top, top + steep


def _bound(i: Instance) -> Sides:
    actions = on(running_means, i.points)(i.points, i.alpha, i.first)
    lhs, scale = on(regret, i.points)(i.R, i.points, i.alpha, actions, i.comparator)
    bound, wide, flat, _, _ = on(weighted_bound, i.points)(i.R, i.domain, i.points, i.alpha)
    twice, D = 2 * root(i.C2), diameter(i.domain)
    size = D + largest_coordinate(i.domain)
    return Sides(lhs, twice * D * bound, scale + flat + twice * size * wide)


def _logarithmic(i: Instance) -> Sides:
    actions = on(running_means, i.points)(i.points, i.alpha, i.first)
    lhs, scale = on(regret, i.points)(i.R, i.points, i.alpha, actions, i.comparator)
    _, _, flat, G, wide = on(weighted_bound, i.points)(i.R, i.domain, i.points, i.alpha)
    growth = 2 * root(i.C2) * (1 + np.log(G * 0 + 2 * len(i.alpha) - 1) / 2)
    D = diameter(i.domain)
    size = D + largest_coordinate(i.domain)
    return Sides(lhs, growth * D * G, scale + flat + growth * size * wide)


# the remark and the proof ------------------------------------------------------------------------------------------
def _two_actions(draw: Draw, norms: Any = (MATRIX, L2, L1, LINF)) -> Instance:
    r"""One $\theta$, a weight, and two actions."""
    d = draw.integer(1, MAX_D)
    R, domain = random_pair(draw, d, norms)
    return Instance(
        R=R, domain=domain, alpha=draw.positive(), theta=random_point(domain, draw), phi=random_point(domain, draw),
        psi=random_point(domain, draw),
    )  # fmt: skip


def _two_actions_in_l2(draw: Draw) -> Instance:
    return _two_actions(draw, (L2,))


def _euclidean_pair(draw: Draw) -> Instance:
    d = draw.integer(1, MAX_D)
    domain = random_domain(draw, d, BOUNDED)
    return Instance(
        R=_euclidean(draw, d), domain=domain, alpha=draw.positive(), theta=random_point(domain, draw),
        phi=random_point(domain, draw), psi=random_point(domain, draw),
    )  # fmt: skip


def _euclidean(draw: Draw, d: int) -> Potential:
    one = draw.array([1])
    return Potential(QUADRATIC, L2, draw.eye(d), draw.zeros(1), one, draw.array([d]))


def _difference(i: Instance) -> tuple[Any, Any]:
    r"""$|B_R(\theta\|\phi) - B_R(\theta\|\psi)|$ and its yardstick."""
    at_phi, at_psi = (on(divergence, i.phi)(i.R, i.theta, x) for x in (i.phi, i.psi))
    flat, _ = on(widths, i.phi)(i.R, on(reach_of, i.phi)(i.domain))
    return abs(at_phi - at_psi), at_phi + at_psi + flat


def _apart(i: Instance) -> tuple[Any, Any]:
    r"""$\|\phi - \psi\|_2$, and D."""
    step = i.phi - i.psi
    return root(step @ step), diameter(i.domain)


def _remark(i: Instance) -> Sides:
    (lhs, scale), (apart, D) = _difference(i), _apart(i)
    size = largest_coordinate(i.domain)
    return Sides(lhs, D * apart, scale + (D + size) * (apart + size))


def _weighted_remark(i: Instance, factor: Any) -> Sides:
    s = _remark(i)
    return Sides(i.alpha * s.lhs, factor * s.rhs, (i.alpha + factor) * s.scale)


def _printed_lipschitz(i: Instance) -> Sides:
    return _weighted_remark(i, 1)


def _mended_lipschitz(i: Instance) -> Sides:
    return _weighted_remark(i, i.alpha)


def _lipschitz_step(i: Instance) -> Sides:
    lhs, scale = _difference(i)
    G = on(lipschitz, i.theta)(i.R, i.domain, i.theta)
    _, steep = on(widths, i.phi)(i.R, on(reach_of, i.phi)(i.domain))
    apart = root(on(squared_norm, i.phi)(i.R, i.phi - i.psi))
    coarse = root(on(squared_norm, i.phi)(i.R, abs(i.phi) + abs(i.psi)))
    return Sides(i.alpha * lhs, i.alpha * (G * apart), i.alpha * (scale + (G + steep) * (apart + coarse)))


def _strongly_convex_step(i: Instance) -> Sides:
    r"""$f(\psi) \ge f(\phi) + \langle\nabla f(\phi), \psi - \phi\rangle + \frac\alpha2\|\psi - \phi\|_2^2$."""
    near, far, step = i.phi - i.theta, i.psi - i.theta, i.psi - i.phi
    lhs, rhs = i.alpha * ((near @ near) / 2 + near @ step + (step @ step) / 2), i.alpha * ((far @ far) / 2)
    sizes = abs(i.phi) + abs(i.psi) + abs(i.theta)
    return Sides(lhs, rhs, i.alpha * 2 * (sizes @ sizes))


def _same_actions(i: Instance) -> tuple[Sides, Sides]:
    r"""The mean minimises $\sum_t \alpha_t B(\theta_t\|\cdot)$ for R and for $\frac12\|\cdot\|_2^2$."""
    mean = on(running_means, i.points)(i.points, i.alpha, i.first)[-1]
    sides, d = [], i.points.shape[1]
    eye = np.empty_like(i.R.matrix)
    for j in range(d):
        for k in range(d):
            eye[j, k] = i.R.bend[0] * 0 + int(j == k)
    for R in (i.R, Potential(QUADRATIC, L2, eye, i.R.bend, i.R.largest, i.R.mass)):
        lhs, rhs = (on(cumulative, u)(R, i.points, i.alpha, u) for u in (mean, i.comparator))
        flat, _ = on(widths, i.points)(R, on(reach_of, i.points)(i.domain))
        sides.append(Sides(lhs, rhs, lhs + rhs + flat * sum(i.alpha)))
    return sides[0], sides[1]


# text:bregman-log-regret -------------------------------------------------------------------------------------------
def _unfloored(draw: Draw) -> Instance:
    r"""The entropy on the whole simplex, $\phi_1$ in its interior."""
    d = draw.integer(1, MAX_D)
    domain, R = simplex(d, draw.zeros(d)), Regularizer(ENTROPY_KIND, draw.zeros((d, d)))
    first = random_start(R, domain, draw)
    return Instance(domain=domain, R=R, **(_rounds(draw, domain, False, False) | {"first": first}))


def _anything(i: Instance) -> Sides:
    actions = on(running_means, i.points)(i.points, i.alpha, i.first)
    played = [on(bregman, x)(i.R, x, y) for x, y in zip(i.points, actions, strict=False)]
    compared = [on(bregman, x)(i.R, x, i.comparator) for x in i.points]
    growth = 100 * (1 + np.log(i.first[0] * 0 + len(i.points)))
    return Sides(sum(played) - sum(compared), growth, sum(played) + sum(compared) + growth + len(played))


def _euclidean_game(draw: Draw) -> Instance:
    d = draw.integer(1, MAX_D)
    domain = random_domain(draw, d, BOUNDED)
    return Instance(R=_euclidean(draw, d), domain=domain, **_rounds(draw, domain, False, True))


def _harmonic(i: Instance) -> Sides:
    actions = on(running_means, i.points)(i.points, i.alpha, i.first)
    lhs, scale = on(regret, i.points)(i.R, i.points, i.alpha, actions, i.comparator)
    D, rounds = diameter(i.domain), len(i.alpha)
    growth = (1 + np.log(i.alpha[0] * 0 + rounds)) / 2
    size = D + largest_coordinate(i.domain)
    return Sides(lhs, growth * D * D, scale + (growth + rounds) * size * size * len(i.first))


# margins -----------------------------------------------------------------------------------------------------------
@kernel
def _all_inside(domain: Domain, points: Array) -> Any:
    r"""[exact] The least margin of $\theta_t \in \Theta$."""
    least = inside(domain, points[0])
    for t in range(1, points.shape[0]):
        least = smaller(least, inside(domain, points[t]))
    return least


POINTS = Assumption(r"\theta_1,\dots,\theta_T\in\Theta", lambda i: on(_all_inside, i.points)(i.domain, i.points))
WEIGHTS = Assumption(r"\alpha_t>0", lambda i: i.alpha.min())
START = Assumption(r"\phi_1\in\Theta", in_domain("first"))
COMPARATOR = Assumption(r"\phi^\ast\in\Theta", in_domain("comparator"))
STRONG = Assumption(
    r"\Breg_R(\theta_t||\phi_1)\ge\frac12\|\theta_t-\phi_1\|^2",
    lambda i: on(least_growth, i.points)(i.R, i.points, i.first),
)
CONSTANT = Assumption(
    r"\|\theta_t\|\le C\|\theta_t\|_2", lambda i: on(least_room, i.points)(i.R, i.C2, i.points, i.first * 0)
)
EVERYWHERE = Assumption(
    r"\|\theta_t-\phi_1\|\le C\|\theta_t-\phi_1\|_2",
    lambda i: on(least_room, i.points)(i.R, i.C2, i.points, i.first),
)
THETA = Assumption(r"\theta\in\Theta", in_domain("theta"))
PHI = Assumption(r"\phi\in\Theta", in_domain("phi"))
PSI = Assumption(r"\psi\in\Theta", in_domain("psi"))
WEIGHT = Assumption(r"\alpha>0", lambda i: i.alpha)
STRONG_PAIR = Assumption(
    r"\Breg_R(\theta||\phi)\ge\frac12\|\theta-\phi\|^2",
    lambda i: 2 * on(divergence, i.phi)(i.R, i.theta, i.phi) - on(squared_norm, i.phi)(i.R, i.theta - i.phi),
)

# statements --------------------------------------------------------------------------------------------------------
REGRET = r"\sum_{t=1}^T\alpha_t\Breg_R(\theta_t||\phi_t)-\alpha_t\Breg_R(\theta_t||\phi^\ast)"
BOUND = REGRET + r"\le2CD\sum_{t=1}^T\frac{\alpha_t^2G_t}{\alpha_t+2\alpha_{1:t-1}}"
STEEP = r"|\Breg_R(\theta||\phi)-\Breg_R(\theta||\psi)|\le D\|\phi-\psi\|_2\quad\forall\ \phi,\psi\in\Theta"
FLAT = r"\alpha|\Breg_{R'}(\theta||\phi)-\Breg_{R'}(\theta||\psi)|\le"
GAME = (POINTS, WEIGHTS, START, COMPARATOR, STRONG)
PAIR = (WEIGHT, THETA, PHI, PSI)
FTL_USES = ("def:ftl", "def:regret", "clm:mean", "thm:coupling")
BOUND_LABEL = "prp:bregman/bound"


def _proposition(part: str, title: str, latex: str, instance: Any, sides: Any, assumptions: Any, **more: Any) -> Any:
    label = f"prp:bregman/{part}"
    step = "/proof-" in label
    return Statement(
        label=label, kind="proof step" if step else "proposition", number="B.1", title=title, latex=latex,
        instance=instance, sides=sides, assumptions=assumptions, step_of=BOUND_LABEL if step else None,
        part_of=None if step else more.pop("part_of", "prp:bregman"), **more,
    )  # fmt: skip


PROPOSITION = (
    _proposition("bound", "Regret of FTL on Bregman divergences", BOUND, _literal_game, _bound, (*GAME, CONSTANT),
                 uses=FTL_USES,
                 note=r"C as printed compares the norms on $\Theta$. The proof needs differences of its points: "
                 r"on $\{1\}\times[-h,h]$ a norm that stretches the second axis is hardly seen by $\Theta$."),
    _proposition("bound/corrected", r"Regret of FTL on Bregman divergences, C for all vectors",
                 BOUND + r"\quad\text{for}\quad\|x\|\le C\|x\|_2\ \forall\ x\in\mathbb R^d", game, _bound,
                 (*GAME, EVERYWHERE), uses=FTL_USES, corrects=(BOUND_LABEL,), part_of=BOUND_LABEL,
                 note=r"R is quadratic, quartic or the entropy (away from 0, where $G_t$ is finite), in several norms; "
                 r"the quartic's divergences need not be convex in $\phi$. $G_t$ is the supremum over $\Theta$ of the "
                 r"dual norm of the gradient, or an upper bound of it."),
    _proposition("remark", r"In l2 the divergences are D-Lipschitz", STEEP, _two_actions_in_l2, _remark,
                 (*PAIR, STRONG_PAIR), uses=("def:convex",),
                 note=r"That C = 1 is plain; $G_t\le D$ needs $\nabla^2R\le I$, while strong convexity is "
                 r"$\nabla^2R\ge I$: it fails for $R=\frac K2\|\cdot\|_2^2$."),
    _proposition("remark/corrected", "The Euclidean divergence is D-Lipschitz",
                 STEEP + r"\quad\text{for}\quad R=\frac12\|\cdot\|_2^2", _euclidean_pair, _remark, PAIR,
                 corrects=("prp:bregman/remark",), part_of="prp:bregman/remark",
                 note=r"In general $G_t\le\beta D$ for R that is $\beta$-strongly-smooth in l2."),
    _proposition("proof-1", "The weighted divergences are Lipschitz",
                 r"\alpha|\Breg_R(\theta||\phi)-\Breg_R(\theta||\psi)|\le\alpha G\|\phi-\psi\|", _two_actions,
                 _lipschitz_step, PAIR, note="A definition; on trial is how G is computed here."),
    _proposition("proof-2", "The weighted Euclidean divergences are strongly convex",
                 r"\alpha\Breg_{R'}(\theta||\psi)\ge\alpha\Breg_{R'}(\theta||\phi)"
                 r"+\alpha\langle\phi-\theta,\psi-\phi\rangle+\frac\alpha2\|\psi-\phi\|_2^2",
                 _euclidean_pair, _strongly_convex_step, PAIR, uses=("def:convex",), note="With equality."),
    _proposition("proof-3", "The weighted Euclidean divergences are D-Lipschitz", FLAT + r" D\|\phi-\psi\|_2",
                 _euclidean_pair, _printed_lipschitz, PAIR,
                 note=r"It lacks the factor $\alpha_t$, which the $\alpha_t^2$ of the proposition contains."),
    _proposition("proof-3/corrected", r"The weighted Euclidean divergences are $\alpha_tD$-Lipschitz",
                 FLAT + r"\alpha D\|\phi-\psi\|_2", _euclidean_pair, _mended_lipschitz, PAIR,
                 corrects=("prp:bregman/proof-3",)),
    _proposition("proof-4", "FTL plays the same on both sequences",
                 r"\sum_{t=1}^T\alpha_t\Breg_S(\theta_t||\phi_{T+1})\le\sum_{t=1}^T\alpha_t\Breg_S(\theta_t||\phi^\ast)"
                 r"\quad\text{for}\quad\phi_{T+1}=\frac1{\alpha_{1:T}}\sum_{t=1}^T\alpha_t\theta_t,\quad S\in\{R,R'\}",
                 game, _same_actions, GAME, uses=("clm:mean", "def:ftl")),
)  # fmt: skip

LOGARITHMIC = (
    Statement(
        label="text:bregman-log-regret", kind="claim in text",
        title="FTL has logarithmic regret on Bregman divergences with bounded gradients",
        latex=r"\phi_{t+1}=\frac1t\theta_{1:t}^\ast\implies\sum_{t=1}^T\Breg_R(\theta_t^\ast||\phi_t)"
        r"-\Breg_R(\theta_t^\ast||\phi^\ast)\le2CDG\left(1+\frac12\log(2T-1)\right)",
        instance=_equal_weights, sides=_logarithmic, assumptions=(*GAME, EVERYWHERE), uses=("prp:bregman",),
        corrects=("text:bregman-log-regret/bounded", "text:bregman-log-regret/literal"),
        note=r"prp:bregman with equal weights, $G=\max_tG_t$ and $\sum_{t\le T}\frac1{2t-1}\le1+\frac12\log(2T-1)$; "
        r"the text names no constant.",
    ),
    Statement(
        label="text:bregman-log-regret/literal", kind="claim in text", part_of="text:bregman-log-regret",
        title="FTL has logarithmic regret on any Bregman divergences",
        latex=r"\phi_{t+1}=\frac1t\theta_{1:t}^\ast\implies\sum_{t=1}^T\Breg_R(\theta_t^\ast||\phi_t)"
        r"-\Breg_R(\theta_t^\ast||\phi^\ast)\le100(1+\log T)",
        instance=_unfloored, sides=_anything, assumptions=(POINTS, START, COMPARATOR), uses=("def:regret",),
        note=r"The negative entropy on the whole simplex is 1-strongly convex, and the mean of past vertices may have "
        r"a coordinate 0 that $\theta_t^\ast$ does not have: the loss is infinite there, for any constant. Where "
        r"$\Breg_R$ is bounded see text:bregman-log-regret/bounded.",
    ),
    Statement(
        label="text:bregman-log-regret/euclidean", kind="claim in text", part_of="text:bregman-log-regret",
        title="FTL has logarithmic regret on squared distances",
        latex=r"\phi_{t+1}=\frac1t\theta_{1:t}^\ast\implies\sum_{t=1}^T\frac12\|\theta_t^\ast-\phi_t\|_2^2"
        r"-\frac12\|\theta_t^\ast-\phi^\ast\|_2^2\le\frac{D^2}2(1+\log T)",
        instance=_euclidean_game, sides=_harmonic, assumptions=(POINTS, START, COMPARATOR), uses=("def:regret",),
        note=r"Regret is $\sum_t\frac1{2t}\|\theta_t^\ast-\phi_t\|_2^2$ against the best action.",
    ),
)  # fmt: skip

STATEMENTS = (*PROPOSITION, *LOGARITHMIC)
