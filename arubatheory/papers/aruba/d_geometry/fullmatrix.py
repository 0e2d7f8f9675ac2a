r"""Section 4 and appendix D: learning a full matrix (thm:fullmatrix, thm:app:fullmatrix and its proof).

The twins differ: the main text has $\frac12$ in $B_t^2$ and $\zeta$ in $G_t^2$, as the regret-upper-bound and
prp:matrixftl need; the appendix has neither (`/literal-half`, `/literal-zeta`). Both lack the factor $1/T$ of the last
two sums, which thm:diagonal has and which is put in here (without it the right side is larger). In both the first
$\phi = \frac1{t-1}\theta_{1:t-1}^\ast$ is 0/0 (`/literal`); elsewhere $\phi_1$ is any point of $\Theta$.

`thm:fullmatrix/corrected` is proved like prp:matrixftl/corrected at $\sigma_B^2 = D^2/2$, $\sigma_G = G$, where now
traces are bounded and not only norms: $\operatorname{Tr}\tilde B_t^4 \le S^2 + (d-1)\varepsilon^4$, and
$\operatorname{Tr}\sqrt{\sum G_t^2} \le \sqrt{dTm}\,G$ makes a $\sqrt d$ of the d. To that comes what the means $\phi_t$
cost: FTL on $\frac12\|\theta_t^\ast - \phi\|_{H^{-1}}^2$ has the regret
$\sum_t \|\theta_t^\ast - \phi_t\|_{H^{-1}}^2/(2t) \le \frac{D^2}{2\lambda_d(H)}(1 + \log T)$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, is_exact
from arubatheory.kernel import on
from arubatheory.learners.geometry_ftl import MatrixFTL
from arubatheory.learners.preconditioned import metric, metric_of_inverse, step
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games.diagonal import LENGTH, means
from arubatheory.papers.aruba.games.matrices import invert, leader, least_of, played, shift, sums, trace_of
from arubatheory.problems.domains import BALL, Domain
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, solve
from arubatheory.problems.matrices import gram, largest_eigenvalue, psd_margin
from arubatheory.problems.random_domains import random_point
from arubatheory.statements.core import Assumption, Instance, Sides, equality
from arubatheory.statements.functions import enclosed_root, root, within
from arubatheory.statements.games import MOST_D, MOST_T

NAMED = 100
USES = ("eq:matrix", "prp:matrixftl", "prp:bregman")
SPD = Assumption(r"H\succ0", lambda x: psd_margin(x.H))
GAME = (
    Assumption(r"D,G,\varepsilon,\zeta>0,\ m\ge1", lambda x: min(x.D, x.G, x.eps, x.zeta, x.m - 1)),
    Assumption(r"\|\nabla_{t,i}\|_2\le G", lambda x: min(x.G * x.G - g @ g for task in x.gradients for g in task)),
    within(r"\theta_t^\ast,\phi_1,\phi\in\Theta", "points", "first", "phi"),
    SPD,
)
FAMILY = (LENGTH, Assumption(r"H\succ0", lambda x: x.h))
LITERAL = (
    r"\phi_t=\frac1{t-1}\theta_{1:t-1}^\ast\implies\RUB_T=\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\phi_t\|_{H_t^{-1}}^2"
    r"+\sum_{i=1}^m\|\nabla_{t,i}\|_{H_t}^2<\infty"
)
HIDDEN = (
    r"\RUB_T\le\frac{100\sqrt m}{\sqrt[8]T}(1+\log T)+\min_{\phi\in\Theta,H\succ0}\frac{2\lambda_1^2(H)}{\lambda_d(H)}"
    r"\frac{1+\log T}T+\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2"
)
EXCESS = (
    r"\frac12\left(\frac{S^2+(d-1)\varepsilon^4}{\varepsilon^3}\sqrt K+\frac{K^2+(d-1)\zeta^4}{\zeta^3}\sqrt S\right)"
    r"(1+\log T)+2\sqrt{dT(T+1)}\left(\varepsilon G\sqrt m+\frac{\zeta D}{\sqrt2}\right)"
)
SHORT = r"\quad\text{for}\quad S=\frac{D^2}2+\varepsilon^2,\ K=mG^2+\zeta^2"
SUMMED = r"\sum_{t=1}^T\U_t(\phi_t,H_t)\le"
START = r"\min_{H\succ0}\sum_{t=1}^T\U_t(\phi_t,H)\le\min_{\phi\in\Theta,H\succ0}"


def _tasks(draw: Draw, most: int = 16, most_rounds: int = 64) -> Instance:
    r"""Tasks on a ball of diameter D: $\theta_t^\ast$, and gradients of length at most G, some directions a task,
    each repeated; free tasks, or two that alternate; $\varepsilon, \zeta$ as printed or any; and $\phi$, the
    mean of the optima or any point, and H, of the leader's shape or any."""
    d = draw.size("d", 2, MOST_D)
    radius, G = draw.positive(-8, 8, 2)
    zero = draw.zeros(d)
    domain = Domain(BALL, zero, zero, zero, draw.array([radius]))
    free = draw.boolean()
    n = draw.size("T", 3, MOST_T) if free else 2
    points = np.array([random_point(domain, draw) for _ in range(n)])
    each = draw.size("directions", 2, MOST_D)
    gradients = draw.spheres(n * each, d) * draw.unit(n * each)[:, None] * G
    x = Instance(domain=domain, D=2 * radius, G=G, repeated=draw.integer(1, most_rounds))
    order = np.arange(n) if free else np.arange(2 ** draw.integer(0, most.bit_length() - 1)) % 2
    x.m, x.points, x.gradients = draw.number(each * x.repeated), points[order], gradients.reshape(n, each, d)[order]
    x.first, x.eps, x.zeta = random_point(domain, draw), draw.positive(-8, 8), draw.positive(-8, 8)
    x.printed, x.centred, x.shaped = not draw.boolean(), not draw.boolean(), not draw.boolean()
    x.phi, x.H, x.size = random_point(domain, draw), draw.spd(d) * draw.positive(-16, 16), draw.positive(-4, 4)
    return x


TASKS: dict[str, Any] = {"game": _tasks, "given": GAME}


def _eighth(T: Any) -> Any:
    r"""$T^{-1/4}$, the square of $T^{-1/8}$."""
    return root(root(1 / T))


def _squares(x: Instance) -> tuple[Any, Any]:
    r"""$\varepsilon^2$ and $\zeta^2$."""
    e = _eighth(_number(x))
    return (e, e * x.m) if x.printed else (x.eps * x.eps, x.zeta * x.zeta)


def _number(x: Instance) -> Any:
    """T, in the arithmetic of the game."""
    return x.m * 0 + len(x.points)


def deviations(points: Array, starts: Array) -> Array:
    r"""$\frac12(\theta_t^\ast - \phi_t)(\theta_t^\ast - \phi_t)^\top$ (T, d, d)."""
    away = points - starts
    return away[:, :, None] * away[:, None, :] / 2


def _outer(x: Instance) -> Array:
    r"""$\sum_i \nabla_{t,i}\nabla_{t,i}^\top$ (T, d, d)."""
    return np.array([on(gram, g)(g) * x.repeated for g in x.gradients])


def _paid(x: Instance) -> tuple[Any, Array, Array]:
    r"""$\sum_t \U_t(\phi_t, H_t)$, $\frac12\sum_t(\theta_t^\ast - \phi_t)(\theta_t^\ast - \phi_t)^\top$ and the sum of
    the gradients' squares."""
    B2 = deviations(x.points, means(x.points, x.first))
    paid, _, B, G = sums(B2, _outer(x), *_squares(x))
    return paid, B, G


def excess(x: Instance) -> Any:
    r"""What the potential of prp:matrixftl/corrected allows when $\operatorname{Tr}B_t^2 \le D^2/2$ and
    $\operatorname{Tr}G_t^2 \le mG^2$."""
    (e, z), T, d = _squares(x), _number(x), len(x.first)
    S, K = x.D * x.D / 2 + e, x.m * x.G * x.G + z
    terms = (S * S + (d - 1) * e * e) * root(K) / e / root(e) + (K * K + (d - 1) * z * z) * root(S) / z / root(z)
    linear = 2 * root(d * T * (T + 1)) * (x.G * root(e * x.m) + x.D * root(z / 2))
    return terms / 2 * (1 + np.log(T)) + linear


def comparator(x: Instance) -> tuple[Array, Array]:
    r"""$\phi$ and H."""
    phi = sum(x.points) / len(x.points) if x.centred else x.phi
    if not x.shaped:
        return phi, x.H
    e, z = _squares(x)
    B, G = shift(sum(deviations(x.points, phi)), e), shift(sum(_outer(x)), z)
    return phi, leader(B, G)[0] * x.size


def _extreme_eigenvalues(H: Array) -> tuple[Any, Any]:
    r"""$\lambda_1(H)$ and $\lambda_d(H)$; for d = 2 the least by the determinant."""
    if len(H) != 2:
        return largest_eigenvalue(H), -largest_eigenvalue(-H)
    half, off = (H[0, 0] - H[1, 1]) / 2, H[0, 1]
    top = (H[0, 0] + H[1, 1]) / 2 + enclosed_root(half * half + off * off)
    return top, (H[0, 0] * H[1, 1] - off * off) / top


def at(x: Instance, phi: Array, H: Array) -> Any:
    r"""$\sum_t \U_t(\phi, H)$."""
    return trace_of(invert(H), sum(deviations(x.points, phi))) + trace_of(H, sum(_outer(x)))


@claim("thm:fullmatrix/literal", LITERAL, **TASKS, uses=USES)
def literal(x: Instance) -> Sides:
    r"""The initialisation as printed, from the first task on.

    At $t=1$ this is $\frac10$ times the empty sum.
    """
    none = 0 * x.first
    first = sum(none / none[0])
    return Sides(first, first)


literal_of_the_appendix = claim("thm:app:fullmatrix/literal", LITERAL, **TASKS, uses=USES)(literal.sides)


def _learner(x: Instance, phis: Array) -> list[Any]:
    r"""$H_1, \dots, H_T$ as steps read them: of `MatrixFTL` in floats, of `games.matrices` in exact numbers."""
    e, z = _squares(x)
    if is_exact(phis):
        inverses = played(deviations(x.points, phis), _outer(x), e, z)[1]
        return [metric_of_inverse(Y, x.domain) for Y in inverses[:-1]]
    ftl, metrics = MatrixFTL(len(x.first), root(e), root(z)), []
    for away, gradients in zip(x.points - phis, x.gradients, strict=True):
        metrics.append(metric(ftl.preconditioner(), x.domain))
        ftl.learn(away / root(2.0), np.repeat(gradients, x.repeated, axis=0).T)
    return metrics


@claim(
    "thm:fullmatrix/tar",
    r"\sum_{t=1}^T\sum_{i=1}^m\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)\le\sum_{t=1}^T\U_t(\phi_t,H_t)",
    lambda draw: _tasks(draw, 2, 1),
    GAME,
    uses=("eq:matrix/bound",),
)
def below_the_upper_bound(x: Instance) -> Sides:
    r"""The regret-upper-bound is one.

    $\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$. The learner itself, on
    linear losses over a disc or an interval, for up to three tasks.
    """
    phis, regret = means(x.points, x.first), x.D * 0
    for H, phi, best, gradients in zip(_learner(x, phis), phis, x.points, x.gradients, strict=True):
        summed = 0 * phi
        for g in np.repeat(gradients, x.repeated, axis=0):
            theta, summed = on(step, phi)(H, x.domain, phi, summed), summed + g
            regret = regret + on(dot, g)(g, theta - best)
    return Sides(regret, _paid(x)[0])


def _long(draw: Draw, low: int, high: int) -> Instance:
    r"""$T = 2^k$ and $H = hI$ for h from $2^{low}/\sqrt m$ to $2^{high}/\sqrt m$."""
    n = 2 ** draw.integer(0, 8)
    T = draw.number(2 ** draw.integer(0, 256))
    return Instance(T=T, root_m=draw.number(n), h=draw.positive(low, high) / n)


FRESH = {"game": lambda draw: _long(draw, -32, 0), "given": FAMILY}


def _rate(x: Instance) -> Any:
    r"""$100\,T^{-1/8}(1 + \log T)\sqrt m + 2h(1 + \log T)/T + mh$: without the distances, at $H = hI_d$."""
    log = 1 + np.log(x.T)
    return NAMED * root(_eighth(x.T)) * log * x.root_m + 2 * x.h * log / x.T + x.root_m * x.root_m * x.h


@claim("thm:fullmatrix/dimension-free", HIDDEN, **FRESH, uses=USES)
def dimension_free(x: Instance) -> Sides:
    r"""The rate, with a constant that does not depend on the dimension.

    With 100 for the constant at $G=1$ and $\Theta$ the unit ball, a logarithm granted, and the factor $\frac1T$. In
    task t all losses are $|\theta_t|$, so that $d=T$: every gradient is new, $\RUB_T=\sqrt m$ for all T, and the
    minimum is 0. Any $\phi$, H in place of the best over-state the right side.
    """
    return Sides(x.root_m, _rate(x))  # H_t e_t = e_t / sqrt m in every task, against phi = 0


@claim(
    "thm:fullmatrix/corrected",
    SUMMED + EXCESS + r"+\frac{D^2}{2\lambda_d(H)}(1+\log T)+\sum_{t=1}^T\U_t(\phi,H)"
    r"\quad\forall\ \phi\in\Theta,H\succ0" + SHORT,
    **TASKS,
    uses=USES,
    corrects=(
        "thm:fullmatrix/literal",
        "thm:fullmatrix/dimension-free",
        "thm:app:fullmatrix/literal",
        "thm:app:fullmatrix/literal-half",
        "thm:app:fullmatrix/literal-zeta",
    ),
)
def corrected(x: Instance) -> Sides:
    r"""Learning a full matrix, with constants.

    $\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$. For the $B_t$, $G_t$
    of the main text, any $\phi_1\in\Theta$ and any $\varepsilon,\zeta>0$. At the printed ones it is
    $\tilde{\mathcal O}(T^{-1/8})\sqrt{dm}$ on average for $d\le T$, and $\tilde{\mathcal O}(T^{-1/4})\sqrt{dm}$ at
    $\varepsilon=T^{-1/4}$, $\zeta=\sqrt mT^{-1/4}$.
    """
    phi, H = comparator(x)
    mean_price = x.D * x.D / (2 * _extreme_eigenvalues(H)[1]) * (1 + np.log(_number(x)))
    return Sides(_paid(x)[0], excess(x) + mean_price + at(x, phi, H))


@claim(
    "thm:app:fullmatrix/literal-half",
    r"B_t^2=t\varepsilon^2I_d+\sum_{s<t}(\theta_s^\ast-\phi_s)(\theta_s^\ast-\phi_s)^T\implies" + HIDDEN,
    lambda draw: _long(draw, -2, 2),
    FAMILY,
    uses=USES,
)
def without_half(x: Instance) -> Sides:
    r"""$B_t^2$ without the factor $\frac12$.

    With 100 for the constant, a logarithm granted, and the factor $\frac1T$. On $[-1,1]$ with
    $\theta_t^\ast=\phi_t\pm1$ and gradients of size 1 it plays $H_t=1/\sqrt m$, the best is $1/\sqrt{2m}$, and
    $\frac32\sqrt m$ exceeds $\sqrt{2m}$ in every task. Any $\phi$, H in place of the best over-state the right
    side.
    """
    return Sides(x.root_m / 2 + x.root_m, _rate(x) + 1 / (2 * x.h))  # at the mean the squared distances sum to <= T


def _steep(draw: Draw) -> Instance:
    r"""Tasks on [-1, 1] with the losses $|\theta|$ and $\theta_t^\ast = \phi_t = 0$, and any m."""
    n, rounds = 2 ** draw.integer(0, 32), draw.size("T", 8, MOST_T)
    return Instance(T=draw.number(rounds), rounds=rounds, root_m=draw.number(n), h=draw.positive(-32, 0) / (n * n))


@claim(
    "thm:app:fullmatrix/literal-zeta",
    r"G_t^2=t\varepsilon^2I_d+\sum_{s<t}\sum_{i=1}^m\nabla_{s,i}\nabla_{s,i}^T\implies" + HIDDEN,
    _steep,
    FAMILY,
    uses=USES,
)
def without_zeta(x: Instance) -> Sides:
    r"""$G_t^2$ with $\varepsilon$ in place of $\zeta$.

    With 100 for the constant and the factor $\frac1T$. In the first task $H_1=I_d$ is too large by $\sqrt m$: for
    $T=1$ and losses $|\theta|$ it says $m\le100\sqrt m$. Any $\phi$, H in place of the best over-state the right
    side.
    """
    m, e = x.root_m * x.root_m, _eighth(x.T)
    rates = sum(root(t * e / (t * e + (t - 1) * m)) for t in range(1, x.rounds + 1))
    return Sides(m * rates / x.T, _rate(x))


@claim(
    "thm:app:fullmatrix/proof-1",
    r"\frac12\|\theta_t^\ast-\phi_t\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2=\frac12\Tr\left(H^{-1}"
    r"(\theta_t^\ast-\phi_t)(\theta_t^\ast-\phi_t)^T\right)+\Tr\left(H\sum_{i=1}^m\nabla_{t,i}\nabla_{t,i}^T\right)",
    **TASKS,
)
def norms_as_traces(x: Instance) -> tuple[Sides, Sides]:
    """Norms as traces.

    For any H, the first task; the fourth line of the display reads it backwards.
    """
    away = x.points[0] - x.first
    norms = on(dot, away)(away, on(solve, away)(x.H, away)) / 2
    norms = norms + sum(trace_of(x.H, np.outer(g, g)) for g in np.repeat(x.gradients[0], x.repeated, axis=0))
    traces = trace_of(invert(x.H), deviations(x.points[:1], x.first)[0]) + trace_of(x.H, _outer(x)[0])
    return equality(norms, traces)


@claim(
    "thm:app:fullmatrix/proof-2",
    SUMMED + r"\min_{H\succ0}\sum_{t=1}^T\U_t(\phi_t,H)+\frac{100m^2}{\varepsilon^4\zeta^3}(1+\log T)"
    r"+((1+G^2)\varepsilon\sqrt m+(1+D^2)\zeta)T",
    **FRESH,
    uses=("prp:matrixftl",),
)
def applied(x: Instance) -> Sides:
    r"""prp:matrixftl applied.

    $\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$. With 100 for
    $C_\sigma$, at $\varepsilon=T^{-1/8}$, $\zeta=\sqrt mT^{-1/8}$, on the games of thm:fullmatrix/dimension-free: the
    left side is $\sqrt mT$, the right side of order $\sqrt mT^{7/8}\log T$. Any $\phi$, H in place of the best
    over-state the right side.
    """
    eps = root(_eighth(x.T))
    log, linear = NAMED * x.root_m / eps**7 * (1 + np.log(x.T)), (2 + 5) * eps * x.root_m * x.T  # D = 2, G = 1
    return Sides(x.root_m * x.T, log + linear + x.root_m * x.root_m * x.h * x.T)


@claim(
    "thm:app:fullmatrix/proof-2/corrected",
    SUMMED + r"\inf_{H\succ0}\sum_{t=1}^T\U_t(\phi_t,H)+" + EXCESS + SHORT,
    **TASKS,
    uses=("prp:matrixftl/corrected",),
)
def applied_corrected(x: Instance) -> Sides:
    r"""The proof of prp:matrixftl/corrected applied.

    $\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$.
    """
    paid, B, G = _paid(x)
    return Sides(paid - least_of(B, G), excess(x))


def _one_start(x: Instance, price: Any) -> Sides:
    r"""The best H for the means, and any $\phi$, H at `price` $(\lambda_1(H), \lambda_d(H))\sum_t1/t$."""
    _, B, G = _paid(x)
    phi, H = comparator(x)
    harmonic = sum(1 / (x.D * 0 + t) for t in range(1, len(x.points) + 1))
    return Sides(least_of(B, G), price(*_extreme_eigenvalues(H)) * harmonic + at(x, phi, H))


@claim(
    "thm:app:fullmatrix/proof-3",
    START + r"\frac{2\lambda_1^2(H)}{\lambda_d(H)}\sum_{t=1}^T\frac1t+\sum_{t=1}^T\U_t(\phi,H)",
    **TASKS,
    uses=("prp:bregman",),
)
def one_start(x: Instance) -> Sides:
    r"""From the means to one initialisation.

    $\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$. The units do not fit,
    and the diameter is missing: for $T=m=1$, $\phi=\theta_1^\ast\ne\phi_1$ and $\nabla_{1,1}\ne0$ the right side
    vanishes with H. Any $\phi$, H in place of the best over-state the right side.
    """
    return _one_start(x, lambda top, low: 2 * top * top / low)


@claim(
    "thm:app:fullmatrix/proof-3/corrected",
    START + r"\frac{D^2}{2\lambda_d(H)}\sum_{t=1}^T\frac1t+\sum_{t=1}^T\U_t(\phi,H)",
    **TASKS,
)
def one_start_corrected(x: Instance) -> Sides:
    r"""From the means to one initialisation.

    $\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$. The means cost
    $\sum_t\|\theta_t^\ast-\phi_t\|_{H^{-1}}^2/(2t)$, as for thm:diagonal.
    """
    return _one_start(x, lambda top, low: x.D * x.D / (2 * low))
