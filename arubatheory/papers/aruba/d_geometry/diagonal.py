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
from arubatheory.kernel import kernel, on
from arubatheory.papers.aruba.d_geometry import diagonal_rates
from arubatheory.papers.aruba.games.diagonal import (
    compared,
    leaders,
    length,
    mixed,
    order,
    pattern,
    played,
    power,
    power_of,
    priced,
    quartic,
    regularised,
    weights,
)
from arubatheory.problems.domains import BALL, BOX, Domain, inside, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

ASTRONOMICAL = 128


# the game ----------------------------------------------------------------------------------------------------------
@kernel
def running_means(star: Array, first: Array) -> Array:
    r"""[exact] $\phi_1$ = `first`, $\phi_t = \theta_{1:t-1}^\ast/(t-1)$ (T, d)."""
    means = np.empty_like(star)
    for j in range(star.shape[1]):
        total = 0 * star[0, j]
        means[0, j] = first[j]
        for t in range(1, star.shape[0]):
            total = total + star[t - 1, j]
            means[t, j] = total / t
    return means


def _widths(domain: Domain) -> tuple[Any, Any]:
    """A rational at least as large as the l2 diameter (equal to it for balls and intervals), and the diameter in the
    maximum norm."""
    if domain.kind == BALL:
        return 2 * domain.radius[0], 2 * domain.radius[0]
    return sum(domain.high - domain.low), max(domain.high - domain.low)


def diagonal_tasks(draw: Draw) -> Instance:
    r"""$\theta_t^\ast$ (T, d), $\phi_1$, gradients $\nabla_{t,i}$, equal within a task (T, d), their bound G, m, and
    the comparators $\phi$ and $\eta$."""
    d, T = draw.integer(1, 2), length(draw)
    domain = random_domain(draw, d, (BOX, BALL))
    n, shown = order(draw, T)
    star = np.stack([random_point(domain, draw) for _ in range(n)])[shown]
    G, m = draw.positive(), 1 << draw.integer(0, 12)
    return Instance(
        domain=domain, star=star, first=random_point(domain, draw), gradients=G * pattern(draw, T, d), G=G, m=m,
        phi=random_point(domain, draw), eta=draw.positive(shape=d) if draw.boolean() else draw.positive(-8, 8, d),
    )  # fmt: skip


def _own_constants(draw: Draw) -> Instance:
    r"""The same with any $\varepsilon$, $\zeta$ and p."""
    i = diagonal_tasks(draw)
    i.eps, i.zeta, i.p = draw.positive(), draw.positive(), power_of(draw)
    return i


def _in(name: str) -> Any:
    return lambda i: min(on(inside, x)(i.domain, x) for x in np.atleast_2d(getattr(i, name)))


TASKS = (
    Assumption(r"\theta_t^\ast\in\Theta", _in("star")),
    Assumption(r"\phi_1\in\Theta", _in("first")),
    Assumption(r"\phi\in\Theta", _in("phi")),
    Assumption(r"\eta_j>0", lambda i: min(i.eta)),
    Assumption(r"\|\nabla_{t,i}\|_2\le G", lambda i: i.G * i.G - max(g @ g for g in i.gradients)),
)


def _scalars(i: Instance) -> tuple[Any, Any, Any]:
    r"""$\varepsilon$, $\zeta$ and p: as drawn, or those of the theorem."""
    if hasattr(i, "p"):
        return i.eps, i.zeta, i.p
    one = 1 + 0 * i.G
    return one, np.sqrt(one * i.m), 2 * one / 5


def _game(i: Instance) -> Instance:
    r"""The game of prp:diagftl, with $\sqrt2\,b_t = \theta_t^\ast - \phi_t$, $\sqrt2\,D$ the diameter, $G\sqrt m$."""
    eps, zeta, p = _scalars(i)
    two, m = np.sqrt(2 + 0 * i.G), np.sqrt(i.m + 0 * i.G)
    phi = on(running_means, i.star)(i.star, i.first)
    return Instance(
        b=(i.star - phi) / two, g=i.gradients * m, D=_widths(i.domain)[0] / two, G=i.G * m, eps=eps, zeta=zeta, p=p,
        comparator=i.eta,
    )  # fmt: skip


def _rates(game: Instance) -> Array:
    r"""$\eta_1, \dots, \eta_T$ (T, d) of eq:percoord."""
    w = on(weights, game.b)(game.b, game.p)
    beta, gamma = (on(regularised, w)(x, scale, w) for x, scale in ((game.b, game.eps), (game.g, game.zeta)))
    rates: Array = on(leaders, w)(beta, gamma)[:-1]
    return rates


def _squares(i: Instance, phi: Any) -> tuple[Array, Array]:
    r"""$(\theta_t^\ast - \phi_t)^2/2$ and $\sum_i \nabla_{t,i}^2$ (T, d)."""
    return (i.star - phi) * (i.star - phi) / 2, i.gradients * i.gradients * i.m


def _upper(i: Instance) -> Any:
    r"""$T \bar U_T$."""
    rates = _rates(_game(i))
    b, g = _squares(i, on(running_means, i.star)(i.star, i.first))
    return on(played, rates)(b, g, rates)


def _fixed(i: Instance, phi: Any) -> Any:
    r"""$\sum_t \|\theta_t^\ast - \phi\|_{\eta^{-1}}^2/2 + \sum_i \|\nabla_{t,i}\|_\eta^2$."""
    return compared(*_squares(i, phi), i.eta)


# the theorem -------------------------------------------------------------------------------------------------------
def _logarithm(i: Instance) -> Any:
    return 1 + np.log(0 * i.G + len(i.star))


def _starting(i: Instance) -> Any:
    r"""$\frac{D_\infty^2}2\|\eta^{-1}\|_1(1 + \log T)$."""
    width = _widths(i.domain)[1]
    return sum(width / i.eta * width) / 2 * _logarithm(i)


def _learning(i: Instance) -> Any:
    """The two lines of the proof with $C_p = 4 + 8/p$."""
    game, T = _game(i), len(i.star)
    long, C = power(T, 1 - game.p), 4 + 8 / game.p
    price = priced(game, long, power(T, (1 - game.p) / 2), long)
    return C * (price + quartic(game) * power(T, 3 * game.p / 2) + mixed(game, 1))


def _excess(i: Instance, rhs: Any) -> Sides:
    r"""$T \bar U_T$ less what $\phi$, $\eta$ pay: that is on the left, or equal tasks would be a tie."""
    upper, fixed = _upper(i), _fixed(i, i.phi)
    return Sides(upper - fixed, rhs, upper + fixed + rhs)


def _explicit(i: Instance) -> Sides:
    return _excess(i, _starting(i) + _learning(i))


def _corrected(i: Instance) -> Sides:
    r"""$(30(1 + D + G) + 4(D + 1)G^4 + 4(G + 1)D^4 + \frac12D^2\log T)\sqrt m\sum_j \min\{\dots\}$ times T."""
    T, D, m, p = len(i.star), _widths(i.domain)[0], np.sqrt(0 * i.G + i.m), 2 * (1 + 0 * i.G) / 5
    near, far, fourth = power(T, 1 - p), power(T, 2 * p), (D + 1) * i.G**4 + (i.G + 1) * D**4
    price = sum(on(smaller, m)((1 / (m * x) + m * x) * near, far) for x in i.eta)
    constant = 30 * (1 + D + i.G) + 4 * fourth + D * D * np.log(0 * i.G + T) / 2
    return _excess(i, constant * m * price)


def _family(draw: Draw) -> Instance:
    r"""$\theta_t^\ast = (-1)^{t-1}$ on $[-1, 1]$, $\phi_1 = \phi = 0$, losses $|\theta - \theta_t^\ast|/m$."""
    return Instance(
        T=draw.number(2 ** draw.integer(0, ASTRONOMICAL)), m=draw.number(4 ** draw.integer(0, ASTRONOMICAL // 2)),
        H=draw.positive(),
    )  # fmt: skip


def _printed(i: Instance) -> Sides:
    r"""$\sqrt m/(2\sqrt{2T^{2/5} + 1})$ less the average at $\phi = 0$ and H, against 100 times what is printed."""
    p = (2 + 0 * i.T) / 5
    m = np.sqrt(i.m)
    upper, fixed = m / (2 * np.sqrt(2 * power(i.T, p) + 1)), 1 / (2 * i.H) + i.H / i.m
    price = on(smaller, i.T)((1 / i.H + i.H) / power(i.T, p), 1 / power(i.T, p / 2))
    rhs = 100 * (1 + np.log(i.T)) * m * price
    return Sides(upper - fixed, rhs, upper + fixed + rhs)


def _undefined(i: Instance) -> Sides:
    r"""The upper bound of the first task at $\phi_1 = \theta_{1:0}^\ast/0$."""
    return _corrected(Instance(**{**vars(i), "first": 0 * i.star[0] / (1 - 1)}))


# the proof ---------------------------------------------------------------------------------------------------------
def _few_gradients(draw: Draw) -> Instance:
    r"""$\theta_t^\ast - \phi_t$ (T, d), $\nabla_{t,i}$ (T, m, d) and $\eta_t > 0$ (T, d), all of them free."""
    d, T, m = draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 3)
    return Instance(
        shift=draw.positive() * draw.real(-1, 1, (T, d)), gradients=draw.positive() * draw.real(-1, 1, (T, m, d)),
        eta=draw.positive(-8, 8, (T, d)),
    )  # fmt: skip


def _both(a: Any, b: Any, scale: Any) -> tuple[Sides, Sides]:
    return Sides(a, b, scale), Sides(b, a, scale)


def _weighted(i: Instance) -> Any:
    r"""$\sum_t \frac12\|\theta_t^\ast - \phi_t\|_{\eta_t^{-1}}^2 + \sum_i \|\nabla_{t,i}\|_{\eta_t}^2$."""
    start = sum(x @ (x / (2 * eta)) for x, eta in zip(i.shift, i.eta, strict=True))
    return start + sum(g @ (g * eta) for rows, eta in zip(i.gradients, i.eta, strict=True) for g in rows)


def _matrices(i: Instance) -> Any:
    r"""The same with $H_t = \operatorname{Diag}(\eta_t)$ as a matrix, $U_t(\phi_t, H_t)$ of eq:matrix."""
    total = 0 * i.eta[0, 0]
    for shift, rows, eta in zip(i.shift, i.gradients, i.eta, strict=True):
        H, inverse = np.diag(eta) + 0 * eta, np.diag(1 / eta) + 0 * eta
        total = total + shift @ (inverse @ shift) / 2 + sum(g @ (H @ g) for g in rows)
    return total


def _definition(i: Instance) -> Any:
    matrices, weighted = _matrices(i), _weighted(i)
    return _both(matrices, weighted, weighted)


def _per_coordinate(i: Instance, squares: Array) -> Any:
    total = sum((i.shift * i.shift / (2 * i.eta) + i.eta * squares).ravel())
    weighted = _weighted(i)
    return _both(weighted, total, weighted + total)


def _sum_of_squares(i: Instance) -> Any:
    return _per_coordinate(i, (i.gradients * i.gradients).sum(axis=1))


def _square_of_sum(i: Instance) -> Any:
    total = i.gradients.sum(axis=1)
    return _per_coordinate(i, total * total)


def _learned(i: Instance) -> Sides:
    upper, fixed = _upper(i), _fixed(i, on(running_means, i.star)(i.star, i.first))
    rhs = _learning(i)
    return Sides(upper - fixed, rhs, upper + fixed + rhs)


def _started(i: Instance) -> Sides:
    means, fixed = _fixed(i, on(running_means, i.star)(i.star, i.first)), _fixed(i, i.phi)
    rhs = _starting(i)
    return Sides(means - fixed, rhs, means + fixed + rhs)


# statements --------------------------------------------------------------------------------------------------------
AVERAGE = r"\frac1T\sum_{t=1}^T\left(\frac{\|\theta_t^\ast-\phi\|_{H^{-1}}^2}2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2\right)"
PRINTED = r"\sqrt m\sum_{j=1}^d\min\left\{\frac{\frac1{H_{jj}}+H_{jj}}{T^{2/5}},\frac1{T^{1/5}}\right\}+"
NEEDED = r"\sqrt m\sum_{j=1}^d\min\left\{\frac{\frac1{\sqrt mH_{jj}}+\sqrt mH_{jj}}{T^{2/5}},\frac1{T^{1/5}}\right\}+"
MEANS = r"\phi_t=\frac1{t-1}\theta_{1:t-1}^\ast"
USES = ("prp:diagftl", "eq:percoord", "eq:matrix")
POSITIVE = (
    Assumption(r"T\ge1", lambda i: i.T - 1), Assumption(r"m\ge1", lambda i: i.m - 1),
    Assumption(r"H\succ0", lambda i: i.H),
)  # fmt: skip


CONSTANT = r"\left(30(1+D+G)+4(D+1)G^4+4(G+1)D^4+\frac{D^2}2\log T\right)"


def _theorem(slug: str, number: str) -> tuple[Statement, ...]:
    return (
        Statement(
            label=slug, kind="theorem", number=number, title="Average regret-upper-bound of the diagonal learner",
            latex=r"\RUB_T\le100(1+\log T)" + PRINTED + AVERAGE, instance=_family, sides=_printed,
            assumptions=POSITIVE, uses=USES,
            note=r"The family $d=1$, $\Theta=[-1,1]$, $\theta_t^\ast=(-1)^{t-1}$, $\phi_1=\phi=0$, losses "
            r"$|\theta-\theta_t^\ast|/m$, T and m powers of two, with 100 for the constant and $1+\log T$ for the "
            r"logarithms. All $\eta_t^2\le(2T^{2/5}+1)/m$, so that $\RUB_T\ge\sqrt m/(2\sqrt{2T^{2/5}+1})$. At H = 1 "
            r"and m of the order $T^{2/5}$ that leaves a constant, while the right side vanishes: what $\zeta^2=m$ "
            r"costs is $mH_{jj}$ and not $\sqrt mH_{jj}$.",
        ),
        Statement(
            label=f"{slug}/corrected", kind="theorem", number=number, part_of=slug,
            title="With the price that its proof gives, and constants",
            latex=r"\RUB_T\le" + CONSTANT + NEEDED + AVERAGE, instance=diagonal_tasks, sides=_corrected,
            assumptions=TASKS, corrects=(slug, f"{slug}/literal", f"{slug}/rate/long-tasks"),
            uses=USES,
            note=r"D bounds the diameter of $\Theta$, G the gradients; for all $\phi$ and $H=\Diag(\eta)$. By "
            r"prp:diagftl/smaller-constants at $H+1/\sqrt{mT}$, where $\sum_j\min\{\dots\}\ge dT^{-2/5}$ takes up the "
            r"terms without $\eta$. $\phi_1$ is any point. Multiplied by T, and the average moved to the left.",
        ),
        Statement(
            label=f"{slug}/literal", kind="theorem", number=number, part_of=slug,
            title="With the start of the first task as printed",
            latex=MEANS + r"\implies\RUB_T\le" + CONSTANT + NEEDED + AVERAGE, instance=diagonal_tasks,
            sides=_undefined, assumptions=TASKS, uses=USES, note=r"For t = 1 the mean of no points is 0/0.",
        ),
    )  # fmt: skip


def _step(n: str, title: str, latex: str, sides: Any, instance: Any, **more: Any) -> Statement:
    return Statement(
        label=f"thm:app:diagonal/proof-{n}", kind="proof step", number="D.1", title=title, latex=latex, sides=sides,
        instance=instance, step_of="thm:app:diagonal", **more,
    )  # fmt: skip


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
SCALES = (
    Assumption(r"\varepsilon>0", lambda i: i.eps), Assumption(r"\zeta>0", lambda i: i.zeta),
    Assumption(r"0<p<\frac23", lambda i: min(i.p, 2 - 3 * i.p)),
)  # fmt: skip
REMARK = r"$C_p=4+\frac8p$, as in prp:diagftl; $D$ bounds the diameter over $\sqrt2$. For any $\eta$ on the right."
ETA = (Assumption(r"\eta_t>0", lambda i: min(i.eta.ravel())),)

APPENDIX = (
    Statement(
        label="thm:app:diagonal/explicit", kind="theorem", number="D.1", part_of="thm:app:diagonal",
        title="The last line of the proof, with its constants",
        latex=r"\RUB_TT\le" + BEST + STARTING + "+" + LEARNING, instance=diagonal_tasks, sides=_explicit,
        assumptions=TASKS, uses=USES,
        note=r"At $\varepsilon=1$, $\zeta=\sqrt m$, $p=\frac25$, with $C_p=24$; for any $\phi$, $\eta$ on the right. "
        r"The first two sums are moved to the left.",
    ),
    _step("1", "The upper bound with weighted norms", r"\RUB_TT=" + UPPER, _definition, _few_gradients,
          assumptions=ETA, uses=("eq:matrix", "text:weighted-norm"),
          note=r"$\sum_t\U_t(\phi_t,H_t)$ of eq:matrix with matrices $H_t=\Diag(\eta_t)$, for any $\eta_t$."),
    _step("2", "The upper bound per coordinate", UPPER + "=" + NORM, _sum_of_squares, _few_gradients, assumptions=ETA,
          corrects=("thm:app:diagonal/proof-2/literal",), note=r"$\nabla_{t,1:m}^2$ is the sum of the squares."),
    _step("2/literal", r"With the sum $\nabla_{t,1:m}$ of eq:matrix squared", UPPER + "=" + NORM, _square_of_sum,
          _few_gradients, assumptions=ETA,
          note=r"eq:matrix writes $\nabla_{t,1:i-1}$ for the sum of gradients; the square of that is another number."),
    _step("3", "Regret of the learning rates", NORM + r"\le" + FIXED + "+" + LEARNING, _learned, _own_constants,
          assumptions=(*TASKS, *SCALES), uses=("prp:diagftl",), note=REMARK + " The first sum is moved to the left."),
    _step("4", "Regret of the starts", FIXED + r"\le" + BEST + STARTING, _started, diagonal_tasks, assumptions=TASKS,
          uses=("thm:ftlaogd/ftl",), note=r"$D_\infty$ is the diameter in the maximum norm. $C_p(\dots)$ stands on "
          r"both sides and is left out; the first sum of the right side is moved to the left."),
)  # fmt: skip

STATEMENTS = (
    *_theorem("thm:diagonal", "4.1"),
    *_theorem("thm:app:diagonal", "D.1"),
    *APPENDIX,
    *diagonal_rates.STATEMENTS,
)
