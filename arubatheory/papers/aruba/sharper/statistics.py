r"""Section 5 and appendices A.3, E, F: the constants that the arguments give, and no larger ones.

The proofs stand in docs/theorems/statistics.md.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.papers.aruba.a_background import selfbounding
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.e_batch import batch_bounds, chernoff, o2bwhp
from arubatheory.papers.aruba.f_growth import quadraticgrowth
from arubatheory.papers.aruba.games import stopping
from arubatheory.papers.aruba.games.quadratic_worlds import compare
from arubatheory.papers.aruba.games.samples import nonnegative, tail_sides
from arubatheory.papers.aruba.games.trigger import RUB, VALID
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Several, Sides
from arubatheory.statements.functions import root

MOST_COINS = 256  # chances are rationals over 4^n
CHERNOFF = 795906, 10**6  # a little more than 1 / log q for q = 1 + 2 log q > 1


@claim(
    "clm:chernoff/sharp",
    chernoff.CLAIM % "k" + r",\ k=\max_q\frac{q-2}{q\log q-q+1}=0.7959\dots",
    **chernoff.TASKS,
    uses=("clm:chernoff/proof-1",),
)
def deviation(x: Instance) -> Several:
    r"""The variance of the tasks seen, with the best constant.

    D is the diameter of $\Theta$, the hull of the points; k is rounded up by less than $10^{-6}$. No smaller k serves
    two points and many tasks. Proved in docs/theorems/statistics.md.
    """
    return chernoff.at_most(x, chernoff.diameter_square(x) * CHERNOFF[0] / CHERNOFF[1])


@claim(
    "clm:chernoff/sharp/proof-1",
    r"q-2\le k(q\log q-q+1)\quad\forall\ q>1",
    lambda draw: Instance(q=1 + draw.positive(-16, 8)),
    (),
)
def chernoff_factor(x: Instance) -> Sides:
    r"""What multiplies $D^2\log\frac1\delta$, at any level $qTV_Q^2$.

    Attained at $q=1+2\log q=3.5128\dots$, where $k=1/\log q$.
    """
    return Sides(x.q - 2, (x.q * np.log(x.q) - x.q + 1) * CHERNOFF[0] / CHERNOFF[1])


@claim(
    "thm:o2bexp/constant-2/sharper/proof-1",
    r"pe^{(1-p)s}+(1-p)e^{-ps}\le e^{s^2/8}",
    lambda draw: Instance(p=draw.unit(), s=draw.real(-16, 16)),
    (),
)
def hoeffding(x: Instance) -> Sides:
    r"""Hoeffding's lemma for the costs of a task.

    $s=\lambda B\sqrt m$; convexity reduces all costs in an interval to its two ends.
    """
    return Sides(x.p * np.exp((1 - x.p) * x.s) + (1 - x.p) * np.exp(-x.p * x.s), np.exp(x.s * x.s / 8))


def _coins(draw: Draw) -> Instance:
    n = draw.integer(1, 8) if draw.boolean() else draw.integer(1, MOST_COINS)
    s = draw.integer(0, n)
    count = sum(math.comb(2 * n, n + j) for j in range(s, n + 1))
    return Instance(n=draw.number(n), s=draw.number(s), chance=draw.number(count, 4**n))


@claim(
    "thm:o2bexp/sharp/lower",
    r"\frac1{2\sqrt n}e^{-s^2/(n-s+1)}\le\Pr\left[X_1+\dots+X_{2n}\ge n+s\right]\quad\text{for fair }X_t\in\{0,1\}"
    r",\ s\in\{0,\dots,n\}",
    _coins,
    (),
)
def coins(x: Instance) -> Sides:
    r"""Why no constant below 1/2 serves all T.

    Tasks cost $B\sqrt m$ or nothing, T = 2n: the constant is at least $\frac{s^2}{2n}\big/\log\frac1\delta$ for every
    $\delta$ below that chance, which tends to $\frac12$ at $s=n^{3/4}$.
    """
    return Sides(np.exp(-x.s * x.s / (x.n - x.s + 1)) / (2 * root(x.n)), x.chance)


def high_probability(params: tuple[Any, ...], L: Any) -> Any:
    r"""$r + \sqrt{2\rho rl} + (2\rho + \frac43)l$, $r = R + b\sqrt{l/(2T)}$, $l = \log\frac2\delta$."""
    bound, reach, T, rho = params
    L = L + np.log(0 * L + 2)
    r = bound + reach * root(L / (2 * T))
    return r + root(2 * rho * r * L) + (2 * rho + (4 + 0 * rho) / 3) * L


@claim(
    "thm:o2bwhp/sharp",
    r"\E_{\mathcal P\sim\Q}\E_{\ell\sim\mathcal P}\ell(\bar\theta)\le\E_{\mathcal P\sim\Q}\E_{\ell\sim\mathcal P}"
    r"\ell(\theta^\ast)+\mathcal L+\sqrt{\frac{2\rho\mathcal L}m\log\frac2\delta}+\frac{2\rho+\frac43}m\log\frac2\delta"
    r"\qquad\text{w.p. }1-\delta,\qquad\mathcal L=\frac{\RUB_T}m+B\sqrt{\frac1{2mT}\log\frac2\delta}",
    **(o2bwhp.GAME | {"uses": ("cor:o2bsb", "prp:o2b/upper", "def:selfbounding", "eq:regret")}),
)
def transferred(x: Instance) -> Several:
    r"""Transfer with high probability for self-bounded losses.

    The bound of a task is deterministic, holds on every sample of it, and may depend on the task; $\theta^\ast$ is the
    best action of each task. $\frac12$ for 8 and $2\rho+\frac43$ for $3\rho+2$. Proved in docs/theorems/statistics.md.
    """
    return o2bwhp.transferred(x, RUB, VALID, high_probability)


POSITIVE = (Assumption(r"\rho,l,u>0", lambda x: min(x.rho, x.l, x.u)),)


def _numbers(draw: Draw) -> Instance:
    rho, l, u = draw.positive(-16, 16, 3)
    return Instance(rho=rho, l=l, u=u)


@claim(
    "thm:o2bwhp/sharp/proof-1",
    r"\mu=u+\sqrt{2\rho\mu l}+\tfrac23l\implies\mu\le u+\sqrt{2\rho ul}+\left(2\rho+\tfrac43\right)l",
    _numbers,
    POSITIVE,
)
def level_reached(x: Instance) -> Sides:
    """The root of Bernstein's inequality."""
    half = root(x.rho * x.l / 2)
    mu = (half + root(half * half + x.u + 2 * x.l / 3)) ** 2
    return Sides(mu, x.u + root(2 * x.rho * x.u * x.l) + (2 * x.rho + 4 / (3 + 0 * x.u)) * x.l)


@claim(
    "cor:scbatch/sharp",
    batch_bounds.TRANSFER + r"\frac G{\sqrt m}\left(V_\Q+\frac{1+\log\frac1\delta}{\sqrt T}\right)" + batch_bounds.WHP,
    **batch_bounds.LISTED,
)
def known_variance(x: Instance) -> Several:
    r"""Transfer at a known variance.

    $\Theta=[0,1]$, D = 1, for every $\delta\in(0,1)$; $\eta=(V_\Q+1/\sqrt T)/(G\sqrt m)$. No $\frac1T$, no logarithm
    of T, 1 for $\frac32$. Proved in docs/theorems/statistics.md.
    """
    o, found = batch_bounds.train_fixed(x)
    one = 1 + 0 * x.start
    unit = batch_bounds.steep(x) / root(one * x.m)
    risk = batch_bounds.excess_risk(x, o, found.phi, batch_bounds.fixed_rate(x, o))
    gap = risk - unit * root(batch_bounds.variance(o))
    return batch_bounds.tail(gap, 0 * gap, unit / root(one * x.T), found, one)


@claim(
    "cor:scbatch/sharp/proof-1",
    r"1+a^2\le2(1+\nu)(1+L)\quad\text{for}\quad a=\sqrt L+\sqrt{\frac{1+2\nu^2}T},\ T\ge2,\ 2\nu^2\le T",
    lambda draw: Instance(root=draw.positive(-8, 4), T=2 + draw.positive(-16, 8), share=draw.unit()),
    (),
)
def last_inequality(x: Instance) -> Sides:
    r"""The last inequality, $\nu=V_Q\sqrt T/D$.

    As a square in $\sqrt L$. At T = 2, $\nu=0$, $L=\frac12$ both sides are 3.
    """
    nu = root(x.T / 2) * x.share
    a = x.root + root((1 + 2 * nu * nu) / x.T)
    return Sides(1 + a * a, 2 * (1 + nu) * (1 + x.root * x.root))


def _two_tasks(draw: Draw) -> Instance:
    x = Instance(q=(1 + 2 * draw.unit()) / 4, phi=draw.unit(), m=1 << draw.integer(3, 10))
    x.T = draw.number(1 << draw.integer(0, 40))
    return x


def _step(x: Instance) -> Any:
    return (root(x.q * (1 - x.q)) + 1 / root(x.T)) / root(0 * x.q + x.m)


@claim(
    "cor:scbatch/sharp/lower",
    r"\frac G{\sqrt m}\frac{V_\Q^2+(\phi-q)^2}{2(V_\Q+1/\sqrt T)}\le\E_{\mathcal P\sim\Q}\ell_{\mathcal P}(\bar\theta)"
    r"\quad\text{for}\quad\ell_{\mathcal P}\in\{G|\theta|,G|\theta-1|\}\text{ on }[0,1],\ V_\Q^2=q(1-q),\ \tfrac14\le q"
    r"\le\tfrac34,\ m\ge8",
    _two_tasks,
    (Assumption(r"\eta Gm\ge1", lambda x: _step(x) * x.m - 1),),
)
def half_of_it(x: Instance) -> Sides:
    r"""What OGD from $\phi$ pays whatever has been learned.

    A task has one loss, the second with probability q. OGD goes straight to the end: the 1 of cor:scbatch/sharp cannot
    be less than $\frac12$. Divided by G.
    """
    ways, step = ((x.q, 1 - x.phi), (1 - x.q, x.phi)), _step(x)
    paid = sum(p * sum(on(larger, x.q)(way - k * step, 0 * x.q) for k in range(x.m)) for p, way in ways)
    return Sides(sum(p * way * way for p, way in ways) / (2 * step * x.m), paid / x.m)


@claim(
    "thm:o2bsb/sharp",
    r"\E_{\ell\sim\mathcal D}\ell(\bar\theta)\le\bar L_T+2\sqrt{\frac{\rho\max\{0,\bar L_T\}l}T}"
    r"+\max\{4\rho,6\}\frac lT"
    r"\qquad\text{w.p. }1-\delta,\qquad l=\log\frac{4\log\max\{T,2\}}\delta",
    **selfbounding.PAID,
)
def self_bounding(x: Instance) -> Several:
    r"""Online to batch for self-bounding losses, by peeling.

    $\log\log T$ where thm:o2bsb/corrected has $\log T$. Proved in docs/theorems/statistics.md.
    """
    p, one = stopping.play(x), 1 + 0 * x.rho
    plain = selfbounding.self_bounded(x, p)
    shift = np.log(4 * np.log(one * max(x.T, 2)))
    most = 4 * x.rho if 4 * x.rho > 6 else 6 * one
    return tail_sides(plain._replace(square=4 * x.rho * nonnegative(p.paid), linear=most, shift=shift), p.prob)


@claim(
    "thm:o2bsb/sharp/proof-1",
    r"u=S+\frac32\sqrt{\rho l\max\{u,8l\}}+\frac23l\implies u\le S+2\sqrt{\rho\max\{0,S\}l}+\max\{4\rho,6\}l",
    _numbers,
    POSITIVE,
)
def bracket(x: Instance) -> Sides:
    r"""What the sum of the risks is beyond S, which was paid.

    u is M; the right side grows with S, so that the least S that is left is enough. At $\rho=\frac32$, $u\le8l$, $S=0$
    the sides differ by two percent.
    """
    gap = 3 * root(x.rho * x.l * max(x.u, 8 * x.l)) / 2 + 2 * x.l / 3
    return Sides(gap, 2 * root(x.rho * max(x.u - gap, 0 * gap) * x.l) + max(4 * x.rho, 6 + 0 * gap) * x.l)


def _with_ratio(draw: Draw) -> Instance:
    x = selfbounding.PAID["game"](draw)
    x.eta = draw.positive(-6, 0)
    return x


@claim(
    "thm:o2bsb/sharp/near",
    r"\E_{\ell\sim\mathcal D}\ell(\bar\theta)\le\bar L_T+\left(1+\frac{\eta^2}7\right)\sqrt{\frac{2\rho\max\{0,"
    r"\bar L_T\}l}T}+4(\rho+1)\frac lT\qquad\text{w.p. }1-\delta,\qquad l=\log\frac{1+\frac1\eta\log\max\{T,2\}}\delta"
    r",\ 0<\eta\le1",
    **(selfbounding.PAID | {"game": _with_ratio}),
)
def near(x: Instance) -> Several:
    r"""Online to batch for self-bounding losses, by fine peeling.

    The factor tends to $\sqrt2$, and no less serves every learner. Proved in docs/theorems/statistics.md.
    """
    p, one = stopping.play(x), 1 + 0 * x.rho
    factor, plain = one + x.eta * x.eta / 7, selfbounding.self_bounded(x, p)
    shift = np.log(one + np.log(one * max(x.T, 2)) / x.eta)
    square = 2 * factor * factor * x.rho * nonnegative(p.paid)
    return tail_sides(plain._replace(square=square, linear=4 * (x.rho + 1), shift=shift), p.prob)


def _peels(draw: Draw) -> Instance:
    r"""$\eta$, $l\ge\frac12$, T, and a place in $[8l,T]$."""
    x = Instance(
        eta=draw.positive(-6, 0), l=draw.positive(-1, 4), T=draw.number(1 << draw.integer(1, 40)), at=draw.unit()
    )
    x.M = 8 * x.l + x.at * x.at * (x.T - 8 * x.l) if x.T > 8 * x.l else 8 * x.l
    return x


def steps(x: Instance, end: Any) -> int:
    r"""The least k with $8l(1+\eta)^{2k}\ge$ `end`."""
    k, reached, ratio = 0, 8 * x.l, (1 + x.eta) * (1 + x.eta)
    while reached < end:
        k, reached = k + 1, reached * ratio
    return k


@claim(
    "thm:o2bsb/sharp/near/proof-1",
    r"\min_{j<K}\frac12\left(\frac{w_j}w+\frac w{w_j}\right)\le1+\frac{\eta^2}7,\quad K\le1+\frac{\log T}\eta\quad"
    r"\text{for}\quad w=\sqrt{l/M},\ w_j=8^{-\frac12}(1+\eta)^{-j-\frac12},K=\max\left\{1,\left\lceil\frac{\log(T/8l)}"
    r"{2\log(1+\eta)}\right\rceil\right\},\ M\in[8l,\max\{T,8l\}]",
    _peels,
    (
        Assumption(r"0<\eta\le1", lambda x: min(x.eta, 1 - x.eta)),
        Assumption(r"l\ge\frac12,\ T\ge2", lambda x: min(2 * x.l - 1, x.T - 2)),
    ),
)
def peeling(x: Instance) -> tuple[Sides, Sides]:
    r"""How many values of w serve all sums of risks, and how well."""
    K, q = max(1, steps(x, x.T)), 1 + x.eta
    centres = [8 * x.l * q ** (2 * j + 1) for j in range(max(0, steps(x, x.M) - 1), K)][:2]
    factors = [(root(c / x.M) + root(x.M / c)) / 2 for c in centres]
    return Sides(min(factors), 1 + x.eta * x.eta / 7), Sides(0 * x.eta + K, 1 + np.log(x.T) / x.eta)


@claim(
    "thm:o2bsb/sharp/proof-2",
    r"\left(1+\frac\varepsilon{16}\right)^2\left(1-\frac\varepsilon2\right)\le\left(1-\frac\varepsilon5\right)\left(1-\frac\varepsilon8"
    r"\right)\left(1-\frac1b\right)\quad\text{for}\quad b\ge\frac{40}\varepsilon,\ 0<\varepsilon<1",
    lambda draw: Instance(eps=draw.unit(), above=draw.unit()),
    (),
)
def room(x: Instance) -> Sides:
    r"""What is left for the exponent of a block, $\frac1b\le\frac\varepsilon{40}$."""
    e = x.eps
    left = (1 + e / 16) * (1 + e / 16) * (1 - e / 2)
    return Sides(left, (1 - e / 5) * (1 - e / 8) * (1 - x.above * e / 40))


@claim(
    "prp:quadraticgrowth/sharp",
    quadraticgrowth.FIRST.replace("16", "4") + r",\quad" + quadraticgrowth.SECOND.replace("16", "4"),
    **quadraticgrowth.UNIQUE,
)
def growth(x: Instance) -> tuple[Sides, Sides]:
    r"""V and its estimate, with 4 for 16.

    Unique minimisers; $\E\|\hat\theta_m-\theta_{\mathcal P}^\ast\|_2^2\le\frac{2G^2}{\alpha^2m}$. Multiplied by
    $\alpha^2$. Proved in docs/theorems/statistics.md.
    """
    c = compare(x)
    return quadraticgrowth.bounded(c, 4), quadraticgrowth.bounded(quadraticgrowth.exchanged(c), 4)


@claim(
    "prp:quadraticgrowth/sharp/proof-1",
    r"\E\|\hat\theta_m-\theta_{\mathcal P}^\ast\|_2^2\le\frac{2G^2}{\alpha^2m}",
    **quadraticgrowth.UNIQUE,
)
def apart(x: Instance) -> Sides:
    r"""How far the empirical minimiser is, by growth of both functions. Multiplied by $\alpha^2$."""
    c = compare(x)
    return Sides(c.alpha * c.alpha * c.apart, 2 * c.G2 / c.m)
