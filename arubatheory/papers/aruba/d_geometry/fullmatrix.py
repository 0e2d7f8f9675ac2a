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

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.d_geometry.fullmatrix_rates import RATES
from arubatheory.papers.aruba.games.matrices import (
    geometric,
    invert,
    least_of,
    magnified,
    play,
    root_of_squares,
    sums,
    trace_of,
)
from arubatheory.problems.domains import BALL, Domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.linear import dot, solve
from arubatheory.problems.matrices import gram, psd_margin
from arubatheory.problems.regularizers import MAHALANOBIS, Regularizer, mirror_step
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import in_domain, magnitude, root

NAMED = 100
MOST_TASKS, MOST_DOUBLINGS = 3, 256


# games -------------------------------------------------------------------------------------------------------------


def _tasks(draw: Draw, most: int = 16, most_rounds: int = 64) -> Instance:
    r"""Tasks on a ball of diameter D: $\theta_t^\ast$, and gradients of length at most G, one or two directions a task,
    each repeated; up to three tasks, or two that alternate; $\varepsilon, \zeta$ as printed or any."""
    d = draw.integer(1, 2)
    radius, G = draw.positive(-8, 8, 2)
    zero = draw.zeros(d)
    domain = Domain(BALL, zero, zero, zero, draw.array([radius]))
    free = draw.boolean()
    n = draw.integer(1, MOST_TASKS) if free else 2
    points = np.array([random_point(domain, draw) for _ in range(n)])
    each = draw.integer(1, 2)
    gradients = draw.spheres(n * each, d) * draw.unit(n * each)[:, None] * G
    repeated = draw.integer(1, most_rounds)
    order = np.arange(n) if free else np.arange(2 ** draw.integer(0, most.bit_length() - 1)) % 2
    i = Instance(
        domain=domain, D=2 * radius, G=G, m=draw.number(each * repeated), repeated=repeated,
        points=points[order], gradients=gradients.reshape(n, each, d)[order], first=random_point(domain, draw),
        eps=draw.positive(-8, 8), zeta=draw.positive(-8, 8), printed=not draw.boolean(),
    )  # fmt: skip
    return _with_comparator(draw, i)


def _with_comparator(draw: Draw, i: Instance) -> Instance:
    r"""Adds $\phi$, the mean of the optima or any point, and H, of the leader's shape or any."""
    d, i.centred, i.shaped = len(i.first), not draw.boolean(), not draw.boolean()
    i.phi, i.H = random_point(i.domain, draw), draw.spd(d) * draw.positive(-16, 16)
    i.size = draw.positive(-4, 4)
    return i


def _eighth(T: Any) -> Any:
    r"""$T^{-1/4}$, the square of $T^{-1/8}$."""
    return root(root(1 / T))


def _squares(i: Instance) -> tuple[Any, Any]:
    r"""$\varepsilon^2$ and $\zeta^2$."""
    if i.printed:
        e = _eighth(i.D * 0 + len(i.points))
        return e, e * i.m
    return i.eps * i.eps, i.zeta * i.zeta


def _starts(i: Instance) -> Array:
    r"""$\phi_1, \dots, \phi_T$: any first one, then the means of the optima before."""
    starts = np.empty_like(i.points)
    starts[0], total = i.first, 0 * i.first
    for t in range(1, len(i.points)):
        total = total + i.points[t - 1]
        starts[t] = total / t
    return starts


def _deviations(points: Array, starts: Array) -> Array:
    r"""$\frac12(\theta_t^\ast - \phi_t)(\theta_t^\ast - \phi_t)^\top$ (T, d, d)."""
    away = points - starts
    return away[:, :, None] * away[:, None, :] / 2


def _outer(i: Instance) -> Array:
    r"""$\sum_i \nabla_{t,i}\nabla_{t,i}^\top$ (T, d, d)."""
    return np.array([on(gram, g)(g) * i.repeated for g in i.gradients])


def _paid(i: Instance) -> tuple[Any, Array, Array]:
    r"""$\sum_t \U_t(\phi_t, H_t)$, $\frac12\sum_t(\theta_t^\ast - \phi_t)(\theta_t^\ast - \phi_t)^\top$ and the sum of
    the gradients' squares."""
    B2, G2 = _deviations(i.points, _starts(i)), _outer(i)
    paid, _, B, G = on(sums, B2)(B2, G2, *_squares(i))
    return paid, B, G


def _linear(i: Instance) -> Any:
    r"""$2\sqrt{dT(T+1)}(\varepsilon G\sqrt m + \zeta D/\sqrt2)$."""
    e, z = _squares(i)
    T = i.D * 0 + len(i.points)
    return 2 * root(len(i.first) * T * (T + 1)) * (i.G * root(e * i.m) + i.D * root(z / 2))


def _excess(i: Instance) -> Any:
    r"""What the potential of prp:matrixftl/corrected allows when $\operatorname{Tr}B_t^2 \le D^2/2$ and
    $\operatorname{Tr}G_t^2 \le mG^2$."""
    e, z = _squares(i)
    T, more = i.D * 0 + len(i.points), len(i.first) - 1
    S, K = i.D * i.D / 2 + e, i.m * i.G * i.G + z
    terms = (S * S + more * e * e) * root(K) / e / root(e) + (K * K + more * z * z) * root(S) / z / root(z)
    return terms / 2 * (1 + np.log(T)) + _linear(i)


def _comparator(i: Instance) -> tuple[Array, Array]:
    r"""$\phi$ and H."""
    phi = sum(i.points) / len(i.points) if i.centred else i.phi
    if not i.shaped:
        return phi, i.H
    e, z = _squares(i)
    B2, G2 = _deviations(i.points, phi), _outer(i)
    one = np.eye(len(i.first)).astype(np.int64)
    return phi, on(geometric, B2)(sum(B2) + e * one, sum(G2) + z * one) * i.size


def _extreme_eigenvalues(H: Array) -> tuple[Any, Any]:
    r"""$\lambda_1(H)$ and $\lambda_d(H)$, d <= 2; the least by the determinant."""
    if len(H) == 1:
        return H[0, 0], H[0, 0]
    half, off = (H[0, 0] - H[1, 1]) / 2, H[0, 1]
    top = (H[0, 0] + H[1, 1]) / 2 + on(root_of_squares, half)(half * half + off * off)
    return top, (H[0, 0] * H[1, 1] - off * off) / top


def _at(i: Instance, phi: Array, H: Array) -> Any:
    r"""$\sum_t \U_t(\phi, H)$."""
    return trace_of(invert(H), sum(_deviations(i.points, phi))) + trace_of(H, sum(_outer(i)))


# thm:fullmatrix ----------------------------------------------------------------------------------------------------


def _bound(i: Instance) -> Sides:
    paid, _, _ = _paid(i)
    phi, H = _comparator(i)
    T = i.D * 0 + len(i.points)
    mean_price = i.D * i.D / (2 * _extreme_eigenvalues(H)[1]) * (1 + np.log(T))
    rhs = _excess(i) + mean_price + _at(i, phi, H)
    return Sides(paid, rhs, (paid + rhs) * magnified(H))


def _undefined(i: Instance) -> Sides:
    r"""$\phi_1 = \frac10\theta_{1:0}^\ast$."""
    none = 0 * i.first
    first = none / none[0]
    return Sides(sum(first), sum(first), 1)


def _small_tasks(draw: Draw) -> Instance:
    return _tasks(draw, 2, 1)


def _below_the_upper_bound(i: Instance) -> Sides:
    starts, (e, z) = _starts(i), _squares(i)
    B2, G2 = _deviations(i.points, starts), _outer(i)
    X, Y = on(play, B2)(B2, G2, e, z)
    regret, rhs, scale = 0 * e, 0 * e, 0 * e
    for t, (phi, best) in enumerate(zip(starts, i.points, strict=True)):
        R, summed = Regularizer(MAHALANOBIS, Y[t]), 0 * phi
        for g in np.repeat(i.gradients[t], i.repeated, axis=0):
            theta = on(mirror_step, phi)(R, i.domain, phi, summed)
            summed = summed + g
            regret = regret + on(dot, g)(g, theta - best)
            scale = scale + magnitude(g) * (magnitude(theta) + magnitude(best) + i.D)
        rhs = rhs + trace_of(Y[t], B2[t]) + trace_of(X[t], G2[t])
    return Sides(regret, rhs, scale + rhs)


def _fresh_directions(draw: Draw) -> Instance:
    r"""$T = d = 2^k$; in task t all losses are $|\theta_t|$ on the unit ball, $\theta_t^\ast = \phi_t = 0$."""
    n = 2 ** draw.integer(0, 8)
    T = draw.number(2 ** draw.integer(0, MOST_DOUBLINGS))
    return Instance(T=T, root_m=draw.number(n), h=draw.positive(-32, 0) / n)


def _rate(i: Instance) -> Any:
    r"""$100\,T^{-1/8}(1 + \log T)\sqrt m$."""
    return NAMED * root(_eighth(i.T)) * (1 + np.log(i.T)) * i.root_m


def _dimension(i: Instance) -> Sides:
    r"""$H_t e_t = (\varepsilon/\zeta)e_t = e_t/\sqrt m$ in every task, against $\phi = 0$, $H = hI_d$."""
    m = i.root_m * i.root_m
    rhs = _rate(i) + 2 * i.h * (1 + np.log(i.T)) / i.T + m * i.h
    return Sides(i.root_m, rhs, i.root_m + rhs)


# thm:app:fullmatrix ------------------------------------------------------------------------------------------------


def _returning(draw: Draw) -> Instance:
    r"""$T = 2^k$ tasks on [-1, 1] with $|\theta_t^\ast - \phi_t| = 1$ and gradients of size 1."""
    n = 2 ** draw.integer(0, 8)
    T = draw.number(2 ** draw.integer(0, MOST_DOUBLINGS))
    return Instance(T=T, root_m=draw.number(n), h=draw.positive(-2, 2) / n)


def _without_half(i: Instance) -> Sides:
    r"""$G_t^2 = mB_t^2$ in all tasks, so that $H_t = 1/\sqrt m$; $\sum(\theta_t^\ast - \phi)^2 \le T$ for the mean."""
    m = i.root_m * i.root_m
    lhs = i.root_m / 2 + i.root_m
    rhs = _rate(i) + 2 * i.h * (1 + np.log(i.T)) / i.T + 1 / (2 * i.h) + m * i.h
    return Sides(lhs, rhs, lhs + rhs)


def _steep(draw: Draw) -> Instance:
    r"""Up to eight tasks on [-1, 1] with the losses $|\theta|$ and $\theta_t^\ast = \phi_t = 0$, and any m."""
    n, rounds = 2 ** draw.integer(0, 32), draw.integer(1, 8)
    return Instance(T=draw.number(rounds), rounds=rounds, root_m=draw.number(n), h=draw.positive(-32, 0) / (n * n))


def _without_zeta(i: Instance) -> Sides:
    r"""$H_t = \sqrt{t\varepsilon^2/(t\varepsilon^2 + (t-1)m)}$."""
    m, e = i.root_m * i.root_m, _eighth(i.T)
    lhs = m * sum(root(t * e / (t * e + (t - 1) * m)) for t in range(1, i.rounds + 1)) / i.T
    rhs = _rate(i) + 2 * i.h * (1 + np.log(i.T)) / i.T + m * i.h
    return Sides(lhs, rhs, lhs + rhs)


# its proof ---------------------------------------------------------------------------------------------------------


def _traces(i: Instance) -> tuple[Sides, Sides]:
    gradients = np.repeat(i.gradients[0], i.repeated, axis=0)
    away = i.points[0] - i.first
    norms = on(dot, away)(away, on(solve, away)(i.H, away)) / 2
    norms = norms + sum(trace_of(i.H, np.outer(g, g)) for g in gradients)
    traces = trace_of(invert(i.H), _deviations(i.points[:1], i.first)[0]) + trace_of(i.H, _outer(i)[0])
    scale = (norms + traces) * magnified(i.H)
    return Sides(norms, traces, scale), Sides(traces, norms, scale)


def _applied(i: Instance) -> Sides:
    r"""The family of `_dimension`, times T, with 100 for $C_\sigma$ and D = 2."""
    eps = root(_eighth(i.T))
    m = i.root_m * i.root_m
    log = NAMED * i.root_m / eps**7 * (1 + np.log(i.T))
    rhs = log + (2 * eps + 5 * eps) * i.root_m * i.T + m * i.h * i.T
    return Sides(i.root_m * i.T, rhs, i.root_m * i.T + rhs)


def _applied_corrected(i: Instance) -> Sides:
    paid, B, G = _paid(i)
    best, rhs = least_of(B, G), _excess(i)
    return Sides(paid - best, rhs, paid + best + rhs)


def _one_start(i: Instance, price: Any) -> Sides:
    _, B, G = _paid(i)
    phi, H = _comparator(i)
    harmonic = sum(1 / (i.D * 0 + t) for t in range(1, len(i.points) + 1))
    lhs, rhs = least_of(B, G), price(*_extreme_eigenvalues(H)) * harmonic + _at(i, phi, H)
    return Sides(lhs, rhs, (lhs + rhs) * magnified(H))


def _one_start_printed(i: Instance) -> Sides:
    return _one_start(i, lambda top, low: 2 * top * top / low)


def _one_start_corrected(i: Instance) -> Sides:
    return _one_start(i, lambda top, low: i.D * i.D / (2 * low))


# statements --------------------------------------------------------------------------------------------------------

SIZES = Assumption(r"D,G,\varepsilon,\zeta>0,\ m\ge1", lambda i: min(i.D, i.G, i.eps, i.zeta, i.m - 1))
GRADIENTS = Assumption(
    r"\|\nabla_{t,i}\|_2\le G", lambda i: min(i.G * i.G - g @ g for task in i.gradients for g in task)
)
POINTS = Assumption(
    r"\theta_t^\ast,\phi_1,\phi\in\Theta",
    lambda i: min(in_domain(name)(Instance(domain=i.domain, **{name: x})) for name, x in _named_points(i)),
)
SPD = Assumption(r"H\succ0", lambda i: psd_margin(i.H))
GAME = (SIZES, GRADIENTS, POINTS, SPD)
FAMILY = (Assumption(r"T\ge1", lambda i: i.T - 1), Assumption(r"H\succ0", lambda i: i.h))


def _named_points(i: Instance) -> list[tuple[str, Array]]:
    return [("x", x) for x in (*i.points, i.first, i.phi)]


UPPER = r"\RUB_T=\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\phi_t\|_{H_t^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_{H_t}^2"
BEST = r"\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2"
HIDDEN = (
    r"\RUB_T\le\frac{100\sqrt m}{\sqrt[8]T}(1+\log T)+\min_{\phi\in\Theta,H\succ0}\frac{2\lambda_1^2(H)}{\lambda_d(H)}"
    r"\frac{1+\log T}T+" + BEST
)
EXCESS = (
    r"\frac12\left(\frac{S^2+(d-1)\varepsilon^4}{\varepsilon^3}\sqrt K+\frac{K^2+(d-1)\zeta^4}{\zeta^3}\sqrt S\right)"
    r"(1+\log T)+2\sqrt{dT(T+1)}\left(\varepsilon G\sqrt m+\frac{\zeta D}{\sqrt2}\right)"
)
SHORT = r"\quad\text{for}\quad S=\frac{D^2}2+\varepsilon^2,\ K=mG^2+\zeta^2"
SUMMED = r"\sum_{t=1}^T\U_t(\phi_t,H_t)\le"
START = r"\min_{H\succ0}\sum_{t=1}^T\U_t(\phi_t,H)\le\min_{\phi\in\Theta,H\succ0}"
DEFINED = r"$\U_t(\phi,H)=\frac12\|\theta_t^\ast-\phi\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2$. "
LARGER = r"Any $\phi$, H in place of the best over-state the right side. "


def _theorem(label: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    main = label.startswith("thm:fullmatrix")
    return Statement(
        label=label, kind="theorem", number="4.2" if main else "D.2", title=title, latex=latex, instance=instance,
        sides=sides, assumptions=more.pop("assumptions", GAME), part_of=label.split("/")[0],
        uses=more.pop("uses", ("eq:matrix", "prp:matrixftl", "prp:bregman")), **more,
    )  # fmt: skip


def _step(n: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"thm:app:fullmatrix/proof-{n}", kind="proof step", number="D.2", title=title, latex=latex,
        instance=instance, sides=sides, assumptions=more.pop("assumptions", GAME), step_of="thm:app:fullmatrix", **more,
    )  # fmt: skip


FIRST_NOTE = r"At $t=1$ this is $\frac10$ times the empty sum."
THEOREM = (
    _theorem("thm:fullmatrix/literal", r"The initialisation as printed, from the first task on",
             r"\phi_t=\frac1{t-1}\theta_{1:t-1}^\ast\implies" + UPPER + r"<\infty", _tasks, _undefined,
             note=FIRST_NOTE),
    _theorem("thm:fullmatrix/tar", "The regret-upper-bound is one",
             r"\sum_{t=1}^T\sum_{i=1}^m\ell_{t,i}(\theta_{t,i})-\ell_{t,i}(\theta_t^\ast)\le\sum_{t=1}^T\U_t(\phi_t,H_t)",
             _small_tasks, _below_the_upper_bound, uses=("eq:matrix/bound",),
             note=DEFINED + r"The learner itself, on linear losses over a disc or an interval, for up to three tasks."),
    _theorem("thm:fullmatrix/dimension-free", "The rate, with a constant that does not depend on the dimension", HIDDEN,
             _fresh_directions, _dimension, assumptions=FAMILY,
             note=r"With 100 for the constant at $G=1$ and $\Theta$ the unit ball, a logarithm granted, and the factor "
             r"$\frac1T$. In task t all losses are $|\theta_t|$, so that $d=T$: every gradient is new, "
             r"$\RUB_T=\sqrt m$ for all T, and the minimum is 0. " + LARGER),
    _theorem("thm:fullmatrix/corrected", "Learning a full matrix, with constants",
             SUMMED + EXCESS + r"+\frac{D^2}{2\lambda_d(H)}(1+\log T)+\sum_{t=1}^T\U_t(\phi,H)"
             r"\quad\forall\ \phi\in\Theta,H\succ0" + SHORT,
             _tasks, _bound, corrects=(
                 "thm:fullmatrix/literal", "thm:fullmatrix/dimension-free", "thm:app:fullmatrix/literal",
                 "thm:app:fullmatrix/literal-half", "thm:app:fullmatrix/literal-zeta",
             ),
             note=DEFINED + r"For the $B_t$, $G_t$ of the main text, any $\phi_1\in\Theta$ and any "
             r"$\varepsilon,\zeta>0$. At the printed ones it is $\tilde{\mathcal O}(T^{-1/8})\sqrt{dm}$ on average for "
             r"$d\le T$, and $\tilde{\mathcal O}(T^{-1/4})\sqrt{dm}$ at $\varepsilon=T^{-1/4}$, "
             r"$\zeta=\sqrt mT^{-1/4}$. Tried for $d\le2$."),
)  # fmt: skip

APPENDIX = (
    _theorem("thm:app:fullmatrix/literal", r"The initialisation as printed, from the first task on",
             r"\phi_t=\frac1{t-1}\theta_{1:t-1}^\ast\implies" + UPPER + r"<\infty", _tasks, _undefined,
             note=FIRST_NOTE),
    _theorem("thm:app:fullmatrix/literal-half", r"$B_t^2$ without the factor $\frac12$",
             r"B_t^2=t\varepsilon^2I_d+\sum_{s<t}(\theta_s^\ast-\phi_s)(\theta_s^\ast-\phi_s)^T\implies" + HIDDEN,
             _returning, _without_half, assumptions=FAMILY,
             note=r"With 100 for the constant, a logarithm granted, and the factor $\frac1T$. On $[-1,1]$ with "
             r"$\theta_t^\ast=\phi_t\pm1$ and gradients of size 1 it plays $H_t=1/\sqrt m$, the best is $1/\sqrt{2m}$, "
             r"and $\frac32\sqrt m$ exceeds $\sqrt{2m}$ in every task. " + LARGER),
    _theorem("thm:app:fullmatrix/literal-zeta", r"$G_t^2$ with $\varepsilon$ in place of $\zeta$",
             r"G_t^2=t\varepsilon^2I_d+\sum_{s<t}\sum_{i=1}^m\nabla_{s,i}\nabla_{s,i}^T\implies" + HIDDEN,
             _steep, _without_zeta, assumptions=FAMILY,
             note=r"With 100 for the constant and the factor $\frac1T$. In the first task $H_1=I_d$ is too large by "
             r"$\sqrt m$: for $T=1$ and losses $|\theta|$ it says $m\le100\sqrt m$. " + LARGER),
    _step("1", "Norms as traces",
          r"\frac12\|\theta_t^\ast-\phi_t\|_{H^{-1}}^2+\sum_{i=1}^m\|\nabla_{t,i}\|_H^2=\frac12\Tr\left(H^{-1}"
          r"(\theta_t^\ast-\phi_t)(\theta_t^\ast-\phi_t)^T\right)+\Tr\left(H\sum_{i=1}^m\nabla_{t,i}\nabla_{t,i}^T\right)",
          _tasks, _traces, note="For any H, the first task; the fourth line of the display reads it backwards."),
    _step("2", "prp:matrixftl applied",
          SUMMED + r"\min_{H\succ0}\sum_{t=1}^T\U_t(\phi_t,H)+\frac{100m^2}{\varepsilon^4\zeta^3}(1+\log T)"
          r"+((1+G^2)\varepsilon\sqrt m+(1+D^2)\zeta)T", _fresh_directions, _applied, assumptions=FAMILY,
          uses=("prp:matrixftl",),
          note=DEFINED + r"With 100 for $C_\sigma$, at $\varepsilon=T^{-1/8}$, $\zeta=\sqrt mT^{-1/8}$, on the games "
          r"of thm:fullmatrix/dimension-free: the left side is $\sqrt mT$, the right side of order "
          r"$\sqrt mT^{7/8}\log T$. " + LARGER),
    _step("2/corrected", "The proof of prp:matrixftl/corrected applied",
          SUMMED + r"\inf_{H\succ0}\sum_{t=1}^T\U_t(\phi_t,H)+" + EXCESS + SHORT, _tasks, _applied_corrected,
          uses=("prp:matrixftl/corrected",), corrects=("thm:app:fullmatrix/proof-2",), note=DEFINED),
    _step("3", "From the means to one initialisation",
          START + r"\frac{2\lambda_1^2(H)}{\lambda_d(H)}\sum_{t=1}^T\frac1t+\sum_{t=1}^T\U_t(\phi,H)", _tasks,
          _one_start_printed, uses=("prp:bregman",),
          note=DEFINED + r"The units do not fit, and the diameter is missing: for $T=m=1$, $\phi=\theta_1^\ast"
          r"\ne\phi_1$ and $\nabla_{1,1}\ne0$ the right side vanishes with H. " + LARGER),
    _step("3/corrected", "From the means to one initialisation",
          START + r"\frac{D^2}{2\lambda_d(H)}\sum_{t=1}^T\frac1t+\sum_{t=1}^T\U_t(\phi,H)", _tasks,
          _one_start_corrected, corrects=("thm:app:fullmatrix/proof-3",),
          note=DEFINED + r"The means cost $\sum_t\|\theta_t^\ast-\phi_t\|_{H^{-1}}^2/(2t)$, as for thm:diagonal."),
)  # fmt: skip

STATEMENTS = (*THEOREM, *APPENDIX, *RATES)
