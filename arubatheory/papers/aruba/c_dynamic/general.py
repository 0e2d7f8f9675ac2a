r"""Section 2 and the head of appendix C: from regret within tasks to average regret over tasks (thm:general).

The theorem holds for every INIT and SIM whose regret is bounded by $U^{init}(\Psi)$ and $U^{sim}(v)$, so both are put
on trial as tightly as they can be: $U^{init}(\Psi)$ is the realised dynamic regret against the drawn $\Psi$, and
$U^{sim}$ the least non-increasing function above the realised regret against every v (`smallest_sim_bound`). Where
$U^{init}(\Psi) < 0$ its root does not exist, where $V_\Psi = 0$ the quotient does not, and where $G_t = 0$ there is no
$\eta_t$: `/literal` keeps all three, the others take $\max\{U^{init}(\Psi), 0\}$, read the minimum as its second term
and play any $\eta_t$.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.potentials import divergence as potential_divergence
from arubatheory.papers.aruba.games.potentials import random_pair, reach_of, squared_norm, widths
from arubatheory.papers.aruba.games.tasks import (
    CONVEX,
    GAME,
    OPTIMA,
    RATES,
    START,
    Played,
    deviation,
    meta_game,
    play,
    sim_loss,
    smallest_sim_bound,
)
from arubatheory.problems.domains import BALL, BOX, SIMPLEX, diameter, inside, radius, random_domain, random_point
from arubatheory.problems.draw import Draw
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer
from arubatheory.problems.scalar import larger, smaller
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import magnitude, root

# thm:general -------------------------------------------------------------------------------------------------------


def _played(sides: Callable[[Played, Instance], Any]) -> Callable[[Instance], Any]:
    r"""Sides of the game as it was played; nothing to compare where no loss of any task has a gradient."""

    def of(x: Instance) -> Any:
        p = play(x)
        nothing = 0 * p.sigma[0]
        return sides(p, x) if sum(p.sigma) > 0 else Sides(nothing, nothing, nothing)

    return of


def _upper(p: Played, x: Instance) -> Any:
    r"""$T \bar U_T = \sum_t (B_t^2/v_t + v_t)\sigma_t$."""
    return sum(sim_loss(p.at_phi, x.v, p.sigma))


def _init_regret(p: Played) -> Any:
    r"""$\sum_t (B_R(\theta_t^\ast\|\phi_t) - B_R(\theta_t^\ast\|\psi_t))\sigma_t$."""
    return sum((p.at_phi - p.at_psi) * p.sigma)


def _tar(p: Played, x: Instance) -> Sides:
    upper = _upper(p, x)
    return Sides(sum(p.regret), upper, sum(p.added) + upper * len(x.losses.b))


def _bound(p: Played, x: Instance, sim: Any, init: Any, literal: bool) -> Any:
    r"""T times the right side of thm:general."""
    V, mass = deviation(p), sum(p.sigma)
    second = 2 * root(init * mass)
    if not literal and V == 0:
        return sim + second
    return sim + on(smaller, V)(init / V, second) + 2 * V * mass


def _sizes(p: Played, x: Instance) -> Any:
    spread, mass = sum((p.at_phi + p.at_psi) * p.sigma), sum(p.sigma)
    V = deviation(p)
    least = min(x.v) if V == 0 else on(smaller, V)(V, min(x.v))
    return _upper(p, x) + spread / least + V * mass + root(spread * mass)


def _general(p: Played, x: Instance) -> tuple[Sides, Sides]:
    upper = _upper(p, x)
    init = _init_regret(p)
    rhs = _bound(p, x, smallest_sim_bound(p, upper, deviation(p)), on(larger, init)(init, 0 * init), False)
    return _tar(p, x), Sides(upper, rhs, _sizes(p, x))


def _literal(p: Played, x: Instance) -> Sides:
    upper = _upper(p, x) + 0 * sum(x.v / p.sigma)  # the step sizes must have values
    return Sides(upper, _bound(p, x, smallest_sim_bound(p, upper, deviation(p)), _init_regret(p), True), _sizes(p, x))


def _with_rate(draw: Draw) -> Instance:
    x = meta_game(draw)
    x.rate = draw.positive()
    return x


def _compared(divergence: Any, p: Played, rate: Any) -> Any:
    return sum(sim_loss(divergence, rate, p.sigma))


def _first_line(p: Played, x: Instance) -> Sides:
    upper = _upper(p, x)
    rhs = smallest_sim_bound(p, upper, x.rate) + _compared(p.at_phi, p, x.rate)
    return Sides(upper, rhs, upper + _compared(p.at_phi, p, x.rate))


def _second_line(p: Played, x: Instance) -> Sides:
    at_phi, at_psi = _compared(p.at_phi, p, x.rate), _compared(p.at_psi, p, x.rate)
    return Sides(at_phi, _init_regret(p) / x.rate + at_psi, at_phi + at_psi)


def _third_line(p: Played, x: Instance) -> Sides:
    r"""The line at $v = \max\{V_\Psi, (U^{init}/\sigma_{1:T})^{1/2}\}$ against the theorem's right side."""
    upper, V, mass, init = _upper(p, x), deviation(p), sum(p.sigma), _init_regret(p)
    init = on(larger, init)(init, 0 * init)
    v = on(larger, V)(V, root(init / mass))
    scale = _sizes(p, x)
    if v == 0:  # phi_t = psi_t = theta_t^*: every v is allowed and the line's infimum is that at 0
        return Sides(v, v, scale)
    lhs = smallest_sim_bound(p, upper, v) + init / v + _compared(p.at_psi, p, v)
    return Sides(lhs, _bound(p, x, smallest_sim_bound(p, upper, V), init, False), scale)


BOUND = (
    r"\frac{\Rsim_T(V_\Psi)}T+\frac1T\min\left\{\frac{\Rinit_T(\Psi)}{V_\Psi},"
    r"2\sqrt{\Rinit_T(\Psi)\sigma_{1:T}}\right\}+\frac{2V_\Psi}T\sigma_{1:T}"
)
GENERAL_USES = ("eq:regret", "eq:auxregret", "alg:general", "def:dynamic")


def _theorem(slug: str, number: str, reading: str, title: str, sides: Any, note: str, **more: Any) -> Statement:
    return Statement(
        label=slug + reading, kind="theorem", number=number, title=title, latex=r"\TAR_T\le\RUB_T\le" + BOUND,
        instance=meta_game, sides=_played(sides), assumptions=GAME, uses=GENERAL_USES, note=note, **more,
    )  # fmt: skip


def _readings(slug: str, number: str) -> tuple[Statement, ...]:
    return (
        _theorem(slug, number, "", "From bounds of INIT and SIM to the average regret", _general,
                 r"$\Rsim_T$ is the least non-increasing bound of SIM's realised regret, $\Rinit_T(\Psi)$ the realised "
                 r"one, or 0 if that is negative; the minimum is its second term where $V_\Psi=0$, and $\eta_t$ is "
                 r"arbitrary where $G_t=0$. The norm of $G_t$ is the one in which R is 1-strongly convex. It is needed "
                 r"that $\Rsim_T$ does not increase: for one task, $G\sqrt m=1$, $\Breg_R(\theta_1^\ast||\phi_1)=10$ "
                 r"and $\Breg_R(\theta_1^\ast||\psi_1)=1$, SIM's regret against $V_\Psi=1$ itself leaves 3 too little "
                 r"on the right, whatever $v_1$ is.",
                 corrects=(f"{slug}/literal",)),
        _theorem(slug, number, "/literal", r"The same where $\Rinit_T(\Psi)<0$, $V_\Psi=0$ or $G_t=0$", _literal,
                 r"A dynamic regret may be negative, and its root does not exist; $V_\Psi=0$ when $\Psi$ holds the "
                 r"optimal actions, and the quotient has no value; nor has $\eta_t=v_t/(G_t\sqrt{m_t})$ where all "
                 r"losses of a task are constant.", part_of=slug),
    )  # fmt: skip


def _line(n: int, latex: str, sides: Any) -> Statement:
    return Statement(
        label=f"thm:general/proof-{n}", kind="proof step", number="3.1", title=f"Line {n} of the proof",
        latex=latex, instance=_with_rate, sides=_played(sides), step_of="thm:general", uses=GENERAL_USES,
        assumptions=(*GAME, Assumption("v>0", lambda x: x.rate)),
    )  # fmt: skip


SUM = r"\sum_{t=1}^T\left(\frac{\Breg_R(\theta_t^\ast||%s)}%s+%s\right)\sigma_t"
PROOF = (
    _line(1, SUM % (r"\phi_t", "{v_t}", "v_t") + r"\le\Rsim_T(v)+" + SUM % (r"\phi_t", "v", "v"), _first_line),
    _line(2, SUM % (r"\phi_t", "v", "v") + r"\le\frac{\Rinit_T(\Psi)}v+" + SUM % (r"\psi_t", "v", "v"), _second_line),
    _line(3, r"\Rsim_T(v)+\frac{\Rinit_T(\Psi)}v+" + SUM % (r"\psi_t", "v", "v") + r"\le\Rsim_T(V_\Psi)+"
          r"\min\left\{\frac{\Rinit_T(\Psi)}{V_\Psi},2\sqrt{\Rinit_T(\Psi)\sigma_{1:T}}\right\}+2V_\Psi\sigma_{1:T}"
          r"\quad\text{at}\quad v=\max\left\{V_\Psi,\sqrt{\Rinit_T(\Psi)/\sigma_{1:T}}\right\}", _third_line),
)  # fmt: skip

# eq:auxregret and the text around it ---------------------------------------------------------------------------------


def _tar_below_rub(p: Played, x: Instance) -> tuple[Sides, ...]:
    r"""$R_t \le U_t$ for every task, and the averages."""
    each = [
        Sides(r, sim_loss(b, v, s), a + sim_loss(b, v, s) * len(x.losses.b))
        for r, a, b, v, s in zip(p.regret, p.added, p.at_phi, x.v, p.sigma, strict=True)
    ]
    return (*each, _tar(p, x))


def _both(lhs: Any, rhs: Any, scale: Any) -> tuple[Sides, Sides]:
    return Sides(lhs, rhs, scale), Sides(rhs, lhs, scale)


def _aux_identities(p: Played, x: Instance) -> tuple[Sides, ...]:
    r"""$f_t^{sim}(v) = U_t(\phi_t, v/\sigma_t)$ with $U_t = B/\eta + \eta\sigma_t^2$, and
    $f_t^{sim}(v) = f_t^{init}(\phi_t)/v + v\sigma_t$, both at the drawn v."""
    sides: list[Sides] = []
    for b, s in zip(p.at_phi, p.sigma, strict=True):
        if not s > 0:
            continue
        eta, f = x.rate / s, sim_loss(b, x.rate, s)
        sides += _both(f, b / eta + eta * s * s, f)
        sides += _both(f, b * s / x.rate + x.rate * s, f)
    return tuple(sides)


def _average_minimum(x: Instance) -> tuple[Sides, Sides]:
    r"""$\min_v \sum_t f_t^{sim}$ at a fixed $\phi$ is $2 V \sigma_{1:T}$: no v does better, and the root does it."""
    sigma, B = x.sigma, x.B
    mass, spread = sum(sigma), sum(B * sigma)
    value = sum(sim_loss(B, x.rate, sigma))
    least = 2 * root(spread * mass)
    V = root(spread / mass)
    at_V = sum(sim_loss(B, V, sigma)) if V > 0 else least
    return Sides(least, value, value + least), Sides(at_V, least, at_V + least)


def _weighted_divergences(draw: Draw) -> Instance:
    T = draw.integer(1, 5)
    return Instance(
        B=draw.unit(T) * draw.positive(), sigma=draw.positive(shape=T) if draw.boolean() else draw.array([1] * T),
        rate=draw.positive(),
    )  # fmt: skip


BOUNDED = (BOX, BALL, SIMPLEX)


def _optima(draw: Draw) -> Instance:
    d, T = draw.integer(1, 3), draw.integer(1, 6)
    domain = random_domain(draw, d)
    cluster = random_point(domain, draw)
    points = [random_point(domain, draw) if draw.boolean() else cluster for _ in range(T)]
    return Instance(domain=domain, star=np.stack(points))


def _average_below_maximum(x: Instance) -> Sides:
    r"""$V^2 = \frac1T\sum_t\frac12\|\theta_t^\ast - \bar\theta^\ast\|^2 \le {D^\ast}^2 = \max\frac12\|\cdot\|^2$."""
    centre = sum(x.star) / len(x.star)
    shifts = [p - centre for p in x.star]
    V = sum(s @ s for s in shifts) / (2 * len(x.star))
    largest = V - V
    for p in x.star:
        for q in x.star:
            largest = on(larger, largest)(largest, (p - q) @ (p - q) / 2)
    size = sum(magnitude(p) for p in x.star)
    return Sides(V, largest, largest + size * size)


def _optima_of_any(draw: Draw) -> Instance:
    r"""Optimal actions for any R, half of the time two of them."""
    d = draw.integer(1, 3)
    R, domain = random_pair(draw, d)
    points = [random_point(domain, draw) for _ in range(2 if draw.boolean() else draw.integer(1, 6))]
    return Instance(R=R, domain=domain, star=np.stack(points))


def _average_divergence(x: Instance) -> tuple[Any, Any]:
    r"""$V^2$, attained at the mean (clm:mean), and the yardstick of a divergence."""
    mean = sum(x.star) / len(x.star)
    flat, _ = on(widths, mean)(x.R, on(reach_of, mean)(x.domain))
    return sum(on(potential_divergence, mean)(x.R, p, mean) for p in x.star) / len(x.star), flat


def _largest_of_pairs(x: Instance, size: Any) -> Any:
    return functools.reduce(on(larger, x.star), (size(p, q) for p in x.star for q in x.star))


def _below_distance(x: Instance) -> Sides:
    V, flat = _average_divergence(x)
    largest = _largest_of_pairs(x, lambda p, q: on(squared_norm, p)(x.R, p - q))
    return Sides(V, largest, V + largest + flat)


def _below_divergence(x: Instance) -> Sides:
    V, flat = _average_divergence(x)
    largest = _largest_of_pairs(x, lambda p, q: on(potential_divergence, p)(x.R, p, q))
    return Sides(V, largest, V + largest + flat)


def _outlier(draw: Draw) -> Instance:
    d, T = draw.integer(1, 3), draw.integer(1, 12)
    domain = random_domain(draw, d)
    star = np.stack([random_point(domain, draw)] * T)
    star[draw.integer(0, T - 1)] = random_point(domain, draw)
    return Instance(domain=domain, star=star)


def _outlier_gap(x: Instance) -> Sides:
    r"""All tasks equal but one: the largest squared distance over T in place of the largest squared distance."""
    s = _average_below_maximum(x)
    return s._replace(rhs=s.rhs / len(x.star))


def _quadratic(draw: Draw) -> Instance:
    d = draw.integer(1, 3)
    domain = random_domain(draw, d, BOUNDED)
    R = Regularizer(EUCLIDEAN, draw.zeros((d, d)))
    return Instance(
        domain=domain, R=R, star=random_point(domain, draw), first=random_point(domain, draw),
        second=random_point(domain, draw), G=draw.positive(), m=draw.integer(1, 100),
    )  # fmt: skip


def _lipschitz_quadratics(x: Instance) -> Sides:
    r"""$|f(\phi) - f(\phi')| \le DG\sqrt m\|\phi - \phi'\|$ for $f(\phi) = \frac12\|\theta^\ast - \phi\|^2 G\sqrt m$,
    squared, with $D^2 \ge \|\theta - \phi\|^2$ from the three points: the diameter of the domain is at least that."""
    a, b, step = x.star - x.first, x.star - x.second, x.first - x.second
    widest = step @ step
    for s in (a @ a, b @ b):
        widest = on(larger, widest)(widest, s)
    return _quadratic_slope(x, widest)


def _quadratic_slope(x: Instance, square: Any) -> Sides:
    r"""The same with the given $D^2$."""
    a, b, step = x.star - x.first, x.star - x.second, x.first - x.second
    gap, weight = (a @ a - b @ b) / 2, x.G * x.G * x.m
    size = magnitude(x.star) + magnitude(x.first) + magnitude(x.second)
    return Sides(gap * gap * weight, square * (step @ step) * weight, weight * size**4 + square * weight * size**2)


def _radius_quadratics(x: Instance) -> Sides:
    return _quadratic_slope(x, radius(x.domain) ** 2)


def _bregman_quadratics(x: Instance) -> Sides:
    return _quadratic_slope(x, diameter(x.domain) ** 2 / 2)


FINIT = (
    r"|\finit_t(\phi)-\finit_t(\phi')|\le DG\sqrt m\|\phi-\phi'\|_2\quad\text{for}\quad R=\frac12\|\cdot\|_2^2,\ "
    r"\finit_t(\phi)=\frac12\|\theta_t^\ast-\phi\|_2^2G\sqrt m"
)
ANY_V = r"V^2=\min_{\phi\in\Theta}\frac1T\sum_{t=1}^T\Breg_R(\theta_t^\ast||\phi)\le"
TEXT = (
    Statement(
        label="eq:auxregret", kind="equation", title="The losses of SIM and INIT are the regret-upper-bound",
        latex=r"\fsim_t(v)=\U_t\left(\phi_t,\frac v{G_t\sqrt{m_t}}\right)=\frac{\finit_t(\phi_t)}v+vG_t\sqrt{m_t}",
        instance=_with_rate, sides=_played(_aux_identities), assumptions=(*GAME, Assumption("v>0", lambda x: x.rate)),
        uses=("eq:regret",),
        note=r"Both relations that section 2 states after the display: the losses of SIM are regret-upper-bounds, "
        r"and for fixed $v$ an affine function of those of INIT.",
    ),
    Statement(
        label="text:tar-below-rub", kind="claim in text", title="Regret is at most its upper bound, task by task",
        latex=r"\R_t\le\U_t(\phi_t,\eta_t)\ \forall\ t\quad\text{and}\quad\TAR_T\le\RUB_T",
        instance=meta_game, sides=_played(_tar_below_rub), assumptions=(CONVEX, START, OPTIMA, RATES),
        uses=("eq:regret", "alg:general"),
    ),
    Statement(
        label="text:min-average", kind="claim in text", title="The least average upper bound, with its constant",
        latex=r"\min_{v>0}\frac1T\sum_{t=1}^T\U_t\left(\phi,\frac v{\sigma_t}\right)=\frac{2V\sigma_{1:T}}T"
        r"\quad\text{for}\quad V^2=\frac1{\sigma_{1:T}}\sum_{t=1}^T\sigma_t\Breg_R(\theta_t^\ast||\phi)",
        instance=_weighted_divergences, sides=_average_minimum, uses=("eq:regret",),
        assumptions=(
            Assumption(r"\Breg_R(\theta_t^\ast||\phi)\ge0", lambda x: x.B.min()),
            Assumption(r"\sigma_t>0", lambda x: x.sigma.min()),
            Assumption("v>0", lambda x: x.rate),
        ),
        note=r"The paper says $\mathcal O(GV\sqrt m)$; the constant is 2 for any $\phi$, with $V$ taken at that "
        r"$\phi$, and $\eta_t=V/\sigma_t$ attains it.",
    ),
    Statement(
        label="text:v-below-dstar/at-most", kind="claim in text", title="The average deviation is at most the largest",
        latex=r"V^2=\frac1T\sum_{t=1}^T\frac12\|\theta_t^\ast-\bar\theta^\ast\|_2^2\le"
        r"\max_{s,t}\frac12\|\theta_s^\ast-\theta_t^\ast\|_2^2",
        instance=_optima, sides=_average_below_maximum, part_of="text:v-below-dstar",
        assumptions=(OPTIMA,),
        note=r"$R=\frac12\|\cdot\|_2^2$ and ${D^\ast}^2$ its largest divergence: the largest distance is divided by "
        r"$\sqrt2$.",
    ),
    Statement(
        label="text:v-below-dstar/at-most/literal", kind="claim in text", part_of="text:v-below-dstar/at-most",
        title="The same for any R and the largest distance",
        latex=ANY_V + r"\max_{s,t}\|\theta_s^\ast-\theta_t^\ast\|^2",
        instance=_optima_of_any, sides=_below_distance, assumptions=(OPTIMA,), uses=("clm:mean",),
        note=r"V is that of thm:similarity, and the norm one in which R is 1-strongly convex, which bounds divergences "
        r"from below only: for $R=50x^2$ and $\theta_t^\ast=\pm1$ it is $V^2=50$, $D^\ast=2$.",
    ),
    Statement(
        label="text:v-below-dstar/at-most/divergence", kind="claim in text", part_of="text:v-below-dstar/at-most",
        title="The same for any R and the largest divergence",
        latex=ANY_V + r"\max_{s,t}\Breg_R(\theta_s^\ast||\theta_t^\ast)",
        instance=_optima_of_any, sides=_below_divergence, assumptions=(OPTIMA,), uses=("clm:mean",),
        corrects=("text:v-below-dstar/at-most/literal",),
        note=r"The minimum is at most the average at any $\theta_s^\ast$.",
    ),
    Statement(
        label="text:v-below-dstar/outlier", kind="claim in text", title="With one outlier it is much smaller",
        latex=r"\theta_1^\ast=\dots=\theta_{T-1}^\ast\ \implies\ V^2\le\frac{{D^\ast}^2}T",
        instance=_outlier, sides=_outlier_gap, part_of="text:v-below-dstar",
        assumptions=(OPTIMA,),
        note=r"$V^2=\frac{T-1}{T^2}{D^\ast}^2$ in closed form.",
    ),
    *(
        Statement(
            label=f"text:finit-lipschitz{reading}", kind="claim in text", title="The losses of INIT are Lipschitz "
            f"quadratics{title}", latex=FINIT + latex, instance=_quadratic, sides=sides, uses=("eq:auxregret",),
            assumptions=(
                Assumption(r"G>0", lambda x: x.G),
                Assumption(r"\theta_t^\ast\in\Theta", lambda x: _inside(x, x.star)),
                Assumption(r"\phi,\phi'\in\Theta", lambda x: min(_inside(x, x.first), _inside(x, x.second))),
            ),
            part_of="text:finit-lipschitz" if reading else None, note="Both sides squared. " + note,
            corrects=() if reading else ("text:finit-lipschitz/literal", "text:finit-lipschitz/literal-bregman"),
        )
        for reading, title, latex, sides, note in (
            ("", "", r",\ D=\max_{\theta,\phi\in\Theta}\|\theta-\phi\|_2", _lipschitz_quadratics,
             r"$D$ is the diameter, as in the appendix; the largest distance between the three points is at most that. "
             r"In the main text it is the radius first, then the root of a bound of $\Breg_R$."),
            ("/literal", ", with the radius", r",\ D=\min_c\max_{\theta\in\Theta}\|\theta-c\|_2", _radius_quadratics,
             r"Section 2 has D for the radius of $\Theta$. On $[-1,1]$ with $\theta_t^\ast=1$ the slope at $-1$ is 2."),
            ("/literal-bregman", r", with the root of the largest $\Breg_R$",
             r",\ D^2=\max_{\theta,\phi\in\Theta}\frac12\|\theta-\phi\|_2^2", _bregman_quadratics,
             r"Section 3 has $D^2$ for the bound of $\Breg_R$ before eq:ewoo. On $[-1,1]$ that is 2, and with "
             r"$\theta_t^\ast=1$ the slope at $-1$ is 2."),
        )
    ),
)  # fmt: skip


def _inside(x: Instance, p: Array) -> Any:
    return on(inside, p)(x.domain, p)


STATEMENTS = (*_readings("thm:general", "3.1"), *_readings("thm:app:general", "C.1"), *PROOF, *TEXT)
