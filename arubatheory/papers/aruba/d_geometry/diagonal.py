r"""Section 4 and appendix D: the learner of eq:percoord with the mean for its start (thm:diagonal, thm:app:diagonal).

Its regret-upper-bound depends on the tasks only through $\theta_t^\ast \in \Theta$ and $g_t^2 = \sum_i \nabla_{t,i}^2$.
Any of these belong to some task, with losses $\sum_j |\nabla_{t,i,j}||\theta_j - \theta_{t,j}^\ast|$ for instance, so
both are data. With $b_t^2 = (\theta_t^\ast - \phi_t)^2/2$ it is the game of prp:diagftl at $\varepsilon = 1$,
$\zeta = \sqrt m$, $p = 2/5$. There the price of a comparator is $(1/\eta + m\eta)T^{3/5}$, and not the printed
$(1/\eta + \eta)\sqrt m\,T^{3/5}$: the two agree where $\eta$ is of order $1/\sqrt m$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.powersum import power
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.problems.domains import BALL, BOX, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.random_domains import random_domain, random_point
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import within
from arubatheory.statements.games import MOST_D, MOST_T

ASTRONOMICAL = 128


def diagonal_tasks(draw: Draw, dimensions: int = 2) -> Instance:
    r"""$\theta_t^\ast$ (T, d), $\phi_1$, gradients $\nabla_{t,i}$, equal within a task (T, d), their bound G, m, and
    the comparators $\phi$ and $\eta$."""
    d, T = draw.size("d", dimensions, MOST_D), games.length(draw)
    domain = random_domain(draw, d, (BOX, BALL))
    n, shown = games.order(draw, T)
    star = np.stack([random_point(domain, draw) for _ in range(n)])[shown]
    G, m = draw.positive(), 1 << draw.integer(0, 12)
    x = Instance(domain=domain, star=star, first=random_point(domain, draw), G=G, m=m)
    x.gradients, x.phi = G * games.pattern(draw, T, d), random_point(domain, draw)
    x.eta = draw.positive(shape=d) if draw.boolean() else draw.positive(-8, 8, d)
    return x


def own_constants(draw: Draw) -> Instance:
    r"""The same with any $\varepsilon$, $\zeta$ and p."""
    x = diagonal_tasks(draw)
    x.eps, x.zeta, x.p = draw.positive(), draw.positive(), games.power_of(draw)
    return x


TASKS = (
    within(r"\theta_t^\ast\in\Theta", "star"),
    within(r"\phi_1\in\Theta", "first"),
    within(r"\phi\in\Theta", "phi"),
    Assumption(r"\eta_j>0", lambda x: min(x.eta)),
    Assumption(r"\|\nabla_{t,i}\|_2\le G", lambda x: games.spare(x.gradients, x.G)),
)


def widths(domain: Domain) -> tuple[Any, Any]:
    """A rational at least as large as the l2 diameter (equal to it for balls and intervals), and the diameter in the
    maximum norm."""
    if domain.kind == BALL:
        return 2 * domain.radius[0], 2 * domain.radius[0]
    return sum(domain.high - domain.low), max(domain.high - domain.low)


def scalars(x: Instance) -> tuple[Any, Any, Any]:
    r"""$\varepsilon$, $\zeta$ and p: as drawn, or those of the theorem."""
    if hasattr(x, "p"):
        return x.eps, x.zeta, x.p
    one = 1 + 0 * x.G
    return one, np.sqrt(one * x.m), 2 * one / 5


def game(x: Instance) -> Instance:
    r"""The game of prp:diagftl, with $\sqrt2\,b_t = \theta_t^\ast - \phi_t$, $\sqrt2\,D$ the diameter, $G\sqrt m$."""
    (eps, zeta, p), two, m = scalars(x), np.sqrt(2 + 0 * x.G), np.sqrt(x.m + 0 * x.G)
    b, D = (x.star - games.means(x.star, x.first)) / two, widths(x.domain)[0] / two
    return Instance(b=b, g=x.gradients * m, D=D, G=x.G * m, eps=eps, zeta=zeta, p=p, comparator=x.eta)


def squares(x: Instance, phi: Array) -> tuple[Array, Array]:
    r"""$(\theta_t^\ast - \phi_t)^2/2$ and $\sum_i \nabla_{t,i}^2$ (T, d)."""
    return (x.star - phi) * (x.star - phi) / 2, x.gradients * x.gradients * x.m


def upper(x: Instance) -> Any:
    r"""$T \bar U_T$."""
    moved, seen = squares(x, games.means(x.star, x.first))
    return games.paid(moved, seen, games.played(moved, seen, *scalars(x)).actions[:-1])


def fixed(x: Instance, phi: Array) -> Any:
    r"""$\sum_t \|\theta_t^\ast - \phi\|_{\eta^{-1}}^2/2 + \sum_i \|\nabla_{t,i}\|_\eta^2$."""
    return games.paid(*squares(x, phi), x.eta)


def starting(x: Instance) -> Any:
    r"""$\frac{D_\infty^2}2\|\eta^{-1}\|_1(1 + \log T)$."""
    width = widths(x.domain)[1]
    return sum(width / x.eta * width) / 2 * (1 + np.log(0 * x.G + len(x.star)))


AVERAGE = r"\frac1T\sum_{t=1}^T\left(\frac{\|\theta_t^\ast-\phi\|_{H^{-1}}^2}2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2\right)"
PRINTED = r"\sqrt m\sum_{j=1}^d\min\left\{\frac{\frac1{H_{jj}}+H_{jj}}{T^{2/5}},\frac1{T^{1/5}}\right\}+"
NEEDED = r"\sqrt m\sum_{j=1}^d\min\left\{\frac{\frac1{\sqrt mH_{jj}}+\sqrt mH_{jj}}{T^{2/5}},\frac1{T^{1/5}}\right\}+"
CONSTANT = r"\left(30(1+D+G)+4(D+1)G^4+4(G+1)D^4+\frac{D^2}2\log T\right)"
USES = ("prp:diagftl", "eq:percoord", "eq:matrix")


def family(draw: Draw) -> Instance:
    r"""$\theta_t^\ast = (-1)^{t-1}$ on $[-1, 1]$, $\phi_1 = \phi = 0$, losses $|\theta - \theta_t^\ast|/m$."""
    T, m = draw.number(2 ** draw.integer(0, ASTRONOMICAL)), draw.number(4 ** draw.integer(0, ASTRONOMICAL // 2))
    return Instance(T=T, m=m, H=draw.positive())


FAMILY = (games.LENGTH, games.ROUNDS, Assumption(r"H\succ0", lambda x: x.H))
AS_PRINTED = {"latex": r"\RUB_T\le100(1+\log T)" + PRINTED + AVERAGE, "game": family, "given": FAMILY, "uses": USES}


def as_printed(x: Instance) -> Sides:
    r"""Average regret-upper-bound of the diagonal learner.

    The family $d=1$, $\Theta=[-1,1]$, $\theta_t^\ast=(-1)^{t-1}$, $\phi_1=\phi=0$, losses
    $|\theta-\theta_t^\ast|/m$, T and m powers of two, with 100 for the constant and $1+\log T$ for the logarithms. All
    $\eta_t^2\le(2T^{2/5}+1)/m$, so that $\RUB_T\ge\sqrt m/(2\sqrt{2T^{2/5}+1})$. At H = 1 and m of the order $T^{2/5}$
    that leaves a constant, while the right side vanishes: what $\zeta^2=m$ costs is $mH_{jj}$ and not
    $\sqrt mH_{jj}$.
    """
    p, m = (2 + 0 * x.T) / 5, np.sqrt(x.m)
    price = on(smaller, x.T)((1 / x.H + x.H) / power(x.T, p), 1 / power(x.T, p / 2))
    lowest, best = m / (2 * np.sqrt(2 * power(x.T, p) + 1)), 1 / (2 * x.H) + x.H / x.m
    return Sides(lowest - best, 100 * (1 + np.log(x.T)) * m * price)


MAIN = claim("thm:diagonal", **AS_PRINTED)(as_printed)
APPENDIX = claim("thm:app:diagonal", **AS_PRINTED)(as_printed)
WITH_CONSTANTS = r"\RUB_T\le" + CONSTANT + NEEDED + AVERAGE
PLAYED = {"game": diagonal_tasks, "given": TASKS, "uses": USES}
CORRECTED = PLAYED | {"latex": WITH_CONSTANTS}


def with_constants(x: Instance) -> Sides:
    r"""With the price that its proof gives, and constants.

    D bounds the diameter of $\Theta$, G the gradients; for all $\phi$ and $H=\Diag(\eta)$. By
    prp:diagftl/smaller-constants at $H+1/\sqrt{mT}$, where $\sum_j\min\{\dots\}\ge dT^{-2/5}$ takes up the terms
    without $\eta$. $\phi_1$ is any point. Multiplied by T, and the average moved to the left.
    """
    T, D, m, p = len(x.star), widths(x.domain)[0], np.sqrt(0 * x.G + x.m), 2 * (1 + 0 * x.G) / 5
    near, far, fourth = power(T, 1 - p), power(T, 2 * p), (D + 1) * x.G**4 + (x.G + 1) * D**4
    price = sum(on(smaller, m)((1 / (m * eta) + m * eta) * near, far) for eta in x.eta)
    constant = 30 * (1 + D + x.G) + 4 * fourth + D * D * np.log(0 * x.G + T) / 2
    return Sides(upper(x) - fixed(x, x.phi), constant * m * price)


MAIN_CORRECTED = claim(
    "thm:diagonal/corrected",
    **CORRECTED,
    corrects=("thm:diagonal", "thm:diagonal/literal", "thm:diagonal/rate/long-tasks"),
)(with_constants)
APPENDIX_CORRECTED = claim(
    "thm:app:diagonal/corrected",
    **CORRECTED,
    corrects=("thm:app:diagonal", "thm:app:diagonal/literal", "thm:app:diagonal/rate/long-tasks"),
)(with_constants)
LITERAL = PLAYED | {"latex": r"\phi_t=\frac1{t-1}\theta_{1:t-1}^\ast\implies" + WITH_CONSTANTS}


def undefined(x: Instance) -> Sides:
    """With the start of the first task as printed.

    For t = 1 the mean of no points is 0/0.
    """
    return with_constants(Instance(**vars(x) | {"first": 0 * x.star[0] / (1 - 1)}))


MAIN_LITERAL = claim("thm:diagonal/literal", **LITERAL)(undefined)
APPENDIX_LITERAL = claim("thm:app:diagonal/literal", **LITERAL)(undefined)


UPPER = r"\sum_{t=1}^T\frac{\|\theta_t^\ast-\phi_t\|_{\eta_t^{-1}}^2}2+\sum_{i=1}^m\|\nabla_{t,i}\|_{\eta_t}^2"
NORM = r"\sum_{t=1}^T\left\|\frac{(\theta_t^\ast-\phi_t)^2}{2\eta_t}+\eta_t\odot\nabla_{t,1:m}^2\right\|_1"
FIXED = NORM.replace(r"\eta_t", r"\eta")
LEARNING = (
    r"C_p\sum_{j=1}^d\min\left\{\left(\frac{\varepsilon^2}{\eta_j}+\zeta^2\eta_j\right)T^{1-p},\sqrt{\zeta^2b_{j,1:T}^2"
    r"+\varepsilon^2g_{j,1:T}^2}T^{\frac{1-p}2}+2\varepsilon\zeta T^{1-p}\right\}"
    r"+C_p\left(\frac{D+\varepsilon}{\zeta^3}G^4m^2+\frac{G\sqrt m+\zeta}{\varepsilon^3}D^4\right)T^{\frac32p}"
    r"+C_p(D\zeta+G\sqrt m\varepsilon+\varepsilon\zeta)d"
)
STARTING = r"\frac{D_\infty^2}2\|\eta^{-1}\|_1(1+\log T)"
BEST = r"\sum_{t=1}^T\frac{\|\theta_t^\ast-\phi\|_{\eta^{-1}}^2}2+\sum_{i=1}^m\|\nabla_{t,i}\|_\eta^2+"


@claim("thm:app:diagonal/explicit", r"\RUB_TT\le" + BEST + STARTING + "+" + LEARNING, **PLAYED)
def explicit(x: Instance) -> Sides:
    r"""The last line of the proof, with its constants.

    At $\varepsilon=1$, $\zeta=\sqrt m$, $p=\frac25$, with $C_p=24$; for any $\phi$, $\eta$ on the right. The first
    two sums are moved to the left.
    """
    return Sides(upper(x) - fixed(x, x.phi), starting(x) + games.bound(game(x)))


def few_gradients(draw: Draw) -> Instance:
    r"""$\theta_t^\ast - \phi_t$ (T, d), $\nabla_{t,i}$ (T, m, d) and $\eta_t > 0$ (T, d), all of them free."""
    d, T, m = draw.size("d", 2, MOST_D), draw.size("T", 3, MOST_T), draw.size("m", 3, MOST_T)
    shift, gradients = draw.positive() * draw.real(-1, 1, (T, d)), draw.positive() * draw.real(-1, 1, (T, m, d))
    return Instance(shift=shift, gradients=gradients, eta=draw.positive(-8, 8, (T, d)))


FREE = {"game": few_gradients, "given": (Assumption(r"\eta_t>0", lambda x: min(x.eta.ravel())),)}


def weighted(x: Instance) -> Any:
    r"""$\sum_t \frac12\|\theta_t^\ast - \phi_t\|_{\eta_t^{-1}}^2 + \sum_i \|\nabla_{t,i}\|_{\eta_t}^2$."""
    start = sum(shift @ (shift / (2 * eta)) for shift, eta in zip(x.shift, x.eta, strict=True))
    return start + sum(g @ (g * eta) for rows, eta in zip(x.gradients, x.eta, strict=True) for g in rows)


@claim("thm:app:diagonal/proof-1", r"\RUB_TT=" + UPPER, **FREE, uses=("eq:matrix", "text:weighted-norm"))
def definition(x: Instance) -> tuple[Sides, ...]:
    r"""The upper bound with weighted norms.

    $\sum_t\U_t(\phi_t,H_t)$ of eq:matrix with matrices $H_t=\Diag(\eta_t)$, for any $\eta_t$.
    """
    total = 0 * x.eta[0, 0]
    for shift, rows, eta in zip(x.shift, x.gradients, x.eta, strict=True):
        H, inverse = np.diag(eta) + 0 * eta, np.diag(1 / eta) + 0 * eta
        total = total + shift @ (inverse @ shift) / 2 + sum(g @ (H @ g) for g in rows)
    return equality(total, weighted(x))


def per_coordinate(x: Instance, seen: Array) -> tuple[Sides, ...]:
    r"""`weighted` against the norm, with `seen` for $\nabla_{t,1:m}^2$."""
    return equality(weighted(x), games.paid(x.shift * x.shift / 2, seen, x.eta))


@claim("thm:app:diagonal/proof-2", UPPER + "=" + NORM, **FREE, corrects=("thm:app:diagonal/proof-2/literal",))
def sum_of_squares(x: Instance) -> tuple[Sides, ...]:
    r"""The upper bound per coordinate.

    $\nabla_{t,1:m}^2$ is the sum of the squares.
    """
    return per_coordinate(x, (x.gradients * x.gradients).sum(axis=1))


@claim("thm:app:diagonal/proof-2/literal", UPPER + "=" + NORM, **FREE)
def square_of_sum(x: Instance) -> tuple[Sides, ...]:
    r"""With the sum $\nabla_{t,1:m}$ of eq:matrix squared.

    eq:matrix writes $\nabla_{t,1:i-1}$ for the sum of gradients; the square of that is another number.
    """
    return per_coordinate(x, x.gradients.sum(axis=1) ** 2)


@claim(
    "thm:app:diagonal/proof-3",
    NORM + r"\le" + FIXED + "+" + LEARNING,
    own_constants,
    (*TASKS, *games.PARAMETERS),
    uses=("prp:diagftl",),
)
def learning(x: Instance) -> Sides:
    r"""Regret of the learning rates.

    $C_p=4+\frac8p$, as in prp:diagftl; $D$ bounds the diameter over $\sqrt2$. For any $\eta$ on the right. The
    first sum is moved to the left.
    """
    return Sides(upper(x) - fixed(x, games.means(x.star, x.first)), games.bound(game(x)))


@claim("thm:app:diagonal/proof-4", FIXED + r"\le" + BEST + STARTING, diagonal_tasks, TASKS, uses=("thm:ftlaogd/ftl",))
def starts(x: Instance) -> Sides:
    r"""Regret of the starts.

    $D_\infty$ is the diameter in the maximum norm. $C_p(\dots)$ stands on both sides and is left out; the first sum
    of the right side is moved to the left.
    """
    return Sides(fixed(x, games.means(x.star, x.first)) - fixed(x, x.phi), starting(x))
