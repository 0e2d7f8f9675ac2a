r"""$\varepsilon$-EWOO, sharper: $\varepsilon$ and a root in the place of $2\varepsilon$ (cor:ewoo/sharp).

The proof stands in docs/theorems/similarity.md. $\pi$ is 355/113, a little more: $2/\pi$ and $1/\pi$ are under-stated
by less than one in $10^7$.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.learners import meta
from arubatheory.papers.aruba.c_dynamic import ewoo
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import similarity_losses
from arubatheory.papers.aruba.games.similarity_losses import ewoo_price, ewoo_rule, first_term, play_sim, regularised
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import largest, root

PI = 355, 113


def pi(zero: Any) -> Any:
    r"""$\pi$ in the numbers of `zero`."""
    return (zero + PI[0]) / PI[1]


def _long_game(draw: Draw) -> Instance:
    x = similarity_losses.similarity_game(draw, 6)
    if draw.boolean():  # where cor:ewoo falls
        T = 1 << draw.integer(1, 6)  # each with an integral of EWOO
        x.B, x.alpha = 0 * x.D + draw.zeros(T), draw.array([1] * T)
        x.eps, x.comparator = x.D * draw.positive(-2, 4), x.D * draw.positive(-16, 2)
    return x


PLAYED: dict[str, Any] = {"game": _long_game, "given": ewoo.ASSUMED}


def _regret(x: Instance, size: Any, at: Any) -> Any:
    played = play_sim(ewoo_rule(x.D, x.eps, max(x.alpha), x.eps), x.alpha, regularised(x))
    return similarity_losses.sim_regret(size, x.alpha, played, at)


def most_of(x: Instance) -> Any:
    r"""$\mu=\max\{D^2/\varepsilon^2,1\}$."""
    return largest(((x.D / x.eps) ** 2, 1 + 0 * x.D))


@claim(
    "cor:ewoo/sharp",
    ewoo.REGRET
    + ewoo.FIRST
    + r"+\sqrt{\frac2\pi D\varepsilon\max\left\{\frac{D^2}{\varepsilon^2},1\right\}\alpha_{\max}\alpha_{1:T}}+"
    + ewoo.PRICE,
    **PLAYED,
    uses=("def:ewoo", "cor:ewoo/corrected", "prp:ftl/sharp/proof-2"),
)
def with_a_root(x: Instance) -> Sides:
    r"""Regret of $\varepsilon$-EWOO.

    Any weights. The root is what half a Gaussian at the left end costs where all $B_t=0$, and $\frac2\pi$ is least. The
    first term is taken to the left side. Proved in docs/theorems/similarity.md.
    """
    spread = root(2 / pi(0 * x.D) * x.D * x.eps * most_of(x) * max(x.alpha) * sum(x.alpha))
    regret = _regret(x, x.B * x.B, x.comparator) - first_term(x.eps, x.comparator, sum(x.alpha))
    return Sides(regret, spread + ewoo_price(x.alpha, x.D, x.eps))


@claim(
    "cor:ewoo/sharp/proof-1",
    r"\sum_{t=1}^T\tilde\ell_t(x_t)-\tilde\ell_t(\varepsilon)\le\frac{D\alpha_{\max}}4\max\left\{\frac{D^2}"
    r"{\varepsilon^2},1\right\}\log\left(1+\frac T2\right)",
    **PLAYED,
    uses=("def:ewoo",),
)
def against_the_left_end(x: Instance) -> Sides:
    """Regret against the left end: half of the logarithm."""
    half = np.log(1 + (0 * x.D + len(x.B)) / 2)
    return Sides(_regret(x, regularised(x), x.eps), x.D * max(x.alpha) / 4 * most_of(x) * half)


# how far the mean of the density is from its mode
def _density(draw: Draw) -> Instance:
    s, y = draw.number(16, 9) * (1 + draw.positive(-16, 8)), draw.positive()
    return Instance(y=y, a=s * s / y, D=y * draw.positive(-8, 8))


@claim(
    "cor:ewoo/sharp/proof-2",
    r"x-y\le\sqrt{\frac y{\pi a}}+\frac1{2a}+\frac1{3a\sqrt{ay}}\quad\text{for the mean }x\text{ of }e^{-a(z-y)^2/z}"
    r"\text{ over }z\in[y,\sqrt{D^2+y^2}],\ ay\ge\pi",
    _density,
    (Assumption(r"ay>\pi", lambda x: x.a * x.y - pi(0 * x.y)), Assumption("D,y>0", lambda x: min(x.D, x.y))),
)
def mean_and_mode(x: Instance) -> Sides:
    """How far EWOO is from FTL."""
    one = 1 + 0 * x.y
    rule = meta.Sim(meta.EWOO, x.D, x.y, one, x.D, x.y)
    past = np.array([x.a, x.a * x.y * x.y])
    mean = on(meta.rates_after, past)(rule, past[:1], past[1:])[0]
    return Sides(mean - x.y, root(x.y / (pi(0 * one) * x.a)) + (one / 2 + 1 / (3 * root(x.a * x.y))) / x.a)


@claim(
    "cor:ewoo/sharp/proof-3",
    r"\frac\pi2hE^2+2(1-h^2)E\ge\frac2{\sqrt\pi}e^{-u}+2h\quad\text{for}\quad E=\frac1{\sqrt\pi}+\frac h2+\frac{h^2}3,"
    r"\ u=\frac{h/\sqrt\pi}{1+\frac34\sqrt\pi h},\ 0<h\le\frac1{\sqrt\pi}",
    lambda draw: Instance(h=draw.number(9, 16) * draw.positive(-16, 0)),
    (Assumption(r"0<h<\frac1{\sqrt\pi}", lambda x: min(x.h, 1 - pi(0 * x.h) * x.h * x.h)),),
)
def moments(x: Instance) -> Sides:
    r"""What bounds the mean of $e^{-w^2/(1+hw)}$, $w\ge0$.

    Less $\frac2{\sqrt\pi}$ on both sides, and divided by h; $\frac\pi2$ is $\frac{333}{212}$, which is less.
    """
    h, q = x.h, 1 / root(pi(0 * x.h))
    E = q + h / 2 + h * h / 3
    u = q * h / (1 + 3 * h / (4 * q))
    return Sides(1 + 2 * h * E, 333 * E * E / 212 + 2 * q * (1 - np.exp(-u)) / h + 2 * h / 3)


@claim(
    "cor:ewoo/sharp/proof-4",
    r"(\lambda+2)\tau p+\sqrt{\frac\tau{\pi\lambda}}+\frac1{2\lambda}+\frac13\left(\frac2{\sqrt{\tau\lambda}}+"
    r"\frac1{\lambda\sqrt{\tau\lambda}}\right)\le1+2\sqrt{\frac{\lambda\tau}\pi}+\frac12\log2\lambda\quad\text{for}\quad"
    r"\tau=\frac2{\max\{\kappa,\kappa^3\}},\ \lambda=\pi\max\left\{\frac1\tau,\frac\tau4\right\},\ p=1-\frac1"
    r"{\sqrt{1+\kappa^2}},\ \kappa>0",
    lambda draw: Instance(kappa=draw.positive(-16, 16)),
    (Assumption(r"\kappa>0", lambda x: x.kappa),),
)
def what_is_left(x: Instance) -> Sides:
    r"""The last inequality, $\kappa=D/\varepsilon$.

    At $\kappa=1$ the sides differ by 0.03, which is least.
    """
    k, P = x.kappa, pi(0 * x.kappa)
    tau = 2 / (k * on(larger, k)(k * k, 1 + 0 * k))
    lam = P * on(larger, tau)(1 / tau, tau / 4)
    r = root(1 + k * k)
    p, both = k / r * (k / (1 + r)), root(tau * lam)
    left = (lam + 2) * tau * p + root(tau / (P * lam)) + 1 / (2 * lam) + (2 + 1 / lam) / (3 * both)
    return Sides(left, 1 + 2 * both / root(P) + np.log(2 * lam) / 2)
