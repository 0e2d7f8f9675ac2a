r"""Appendix D: per-coordinate FTL, prp:diagftl and what is claimed of its constant.

The proposition holds with $C_p = 4 + 8/p$. Write $\beta = \tilde b^2$, $\gamma = \tilde g^2$ in one coordinate, and
couple over the rounds 0, ..., T with $x_0 = x_1$. By $(\gamma x^2 - \beta)^2 \le \gamma^2 x^4 + \beta^2$ the regret of
the regularised game is at most
$$\tilde\ell_0(x^\ast) - \tilde\ell_0(x_1) + \sum_{t\ge1} \gamma_t^2\beta_{0:t-1}^{1/2}/\gamma_{0:t-1}^{3/2}
  + \beta_t^2\gamma_{0:t-1}^{1/2}/\beta_{0:t-1}^{3/2}.$$
Over the coordinates $\gamma_t^2$ sums to at most $2G^4 + 2\zeta^4 w_t^2 d$, while $\gamma_{0:t-1} \ge \zeta^2t^{1-p}$
and $\beta_{0:t-1} \le (D+\varepsilon)^2t$; $\sum t^{3p/2-1} \le \frac2{3p}T^{3p/2}$ and $\sum t^{-1-p/2} \le 1 + 2/p$.
What is regularised costs $\sum_{t=0}^T w_t \le S = (T+1)^{1-p}/(1-p)$ times $\varepsilon^2/x + \zeta^2x$ at $x^\ast$ or
at the leader of all rounds. The printed proof forgets round 0 (`proof-5`, `proof-15`), but its claim stands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.powersum import power
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import smaller
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

ASTRONOMICAL = 128
PRICE = r"\left(\frac{\varepsilon^2}{x_j^\ast}+\zeta^2x_j^\ast\right)"
SQUARES = r"\zeta^2b_{j,1:T}^2+\varepsilon^2g_{j,1:T}^2"
QUARTIC = r"\left(\frac{D+\varepsilon}{\zeta^3}G^4+\frac{G+\zeta}{\varepsilon^3}D^4\right)T^{\frac32p}"
PRINTED = (
    r"\sum_{j=1}^d\min\left\{" + PRICE + r"T^{1-p},\sqrt{" + SQUARES + r"}T^{\frac{1-p}2}+2\varepsilon\zeta T^{1-p}"
    r"\right\}+" + QUARTIC + r"+(D\zeta+G\varepsilon+\varepsilon\zeta)d"
)
REGRET = r"\sum_{t=1}^T\ell_t(x_t)-\ell_t(x^\ast)\le"
USES = ("thm:coupling/convex", "clm:powersum", "clm:fourthpower", "eq:percoord", "def:ftl", "def:regret")
GAME = {"game": games.diagonal_game, "given": games.GAME, "uses": USES}


@claim(
    "prp:diagftl",
    REGRET + r"\ C_p\left(" + PRINTED + r"\right),\quad C_p=4+\frac8p",
    **GAME,
    corrects=("prp:diagftl/literal", "prp:diagftl/square-of-the-sum"),
)
def one_constant(x: Instance) -> Sides:
    r"""Regret of $(\varepsilon,\zeta,p)$-FTL.

    Regret against the $x^\ast$ of the right side, and $b_{j,1:T}^2$ is the sum of the squares. That some $C_p$ does
    is claimed; this one can be proven as in the paper, with the round 0 that it omits.
    """
    return Sides(games.regret(x), games.bound(x))


def no_gradients(draw: Draw) -> Instance:
    r"""$b_t = \pm D$, $g_t = 0$, $D = G = \varepsilon = \zeta = 1$, p = 2/5 in one coordinate; T a power of two."""
    return Instance(T=draw.number(2 ** draw.integer(0, ASTRONOMICAL)), far=draw.positive(0, 16))


def compared_elsewhere(draw: Draw) -> Instance:
    r"""The same with any $x^\ast$."""
    x = no_gradients(draw)
    x.comparator = draw.positive(-8, 8)
    return x


def closed(x: Instance, squares: Any, star: Any = None) -> Sides:
    r"""$T/\sqrt{1 + T^p} - T/y$ for y = `far` $T^p$ against 100 times the bound's form, with `squares` for $b_{1:T}^2$
    and $x^\ast$ = `star`, or y."""
    p = (2 + 0 * x.T) / 5
    long, far = power(x.T, 1 - p), x.far * power(x.T, p)
    star = far if star is None else star
    price = on(smaller, x.T)((1 / star + star) * long, root(squares * long) + 2 * long)
    return Sides(x.T / np.sqrt(1 + power(x.T, p)) - x.T / far, 100 * (price + 4 * power(x.T, 3 * p / 2) + 3))


@claim(
    "prp:diagftl/literal",
    r"\sum_{t=1}^T\ell_t(x_t)-\min_{x>0}\sum_{t=1}^T\ell_t(x)\le100\left("
    + PRINTED
    + r"\right)\quad\text{for any}\quad x^\ast>0",
    compared_elsewhere,
    (games.LENGTH, Assumption(r"x^\ast>0", lambda x: x.comparator)),
    uses=("eq:percoord", "def:regret"),
)
def any_comparator(x: Instance) -> Sides:
    r"""The regret of def:regret, and any comparator on the right.

    The family $d=1$, $p=\frac25$, $\varepsilon=\zeta=D=G=1$, $b_t=\pm1$, $g_t=0$, T a power of two, with 100 for $C_p$.
    All $x_t\le\sqrt{1+T^p}$, so that the losses sum to at least $T/\sqrt{1+T^p}$, of order $T^{4/5}$. The minimum is
    0, as $x\to\infty$ (x is `far` times $T^p$); with a fixed $x^\ast$ the right side is of order $T^{3/5}$.
    """
    return closed(x, x.T, x.comparator)


@claim(
    "prp:diagftl/square-of-the-sum",
    REGRET + r"100\left(" + PRINTED + r"\right),\quad b_{j,1:T}^2=\left(\sum_{t=1}^Tb_{t,j}\right)^2",
    no_gradients,
    (games.LENGTH,),
    uses=("eq:percoord",),
)
def square_of_the_sum(x: Instance) -> Sides:
    r"""With $b_{j,1:T}^2$ read as the square of the sum.

    The family $d=1$, $p=\frac25$, $\varepsilon=\zeta=D=G=1$, $b_t=\pm1$, $g_t=0$, T a power of two, with 100 for $C_p$.
    All $x_t\le\sqrt{1+T^p}$, so that the losses sum to at least $T/\sqrt{1+T^p}$, of order $T^{4/5}$. Signs in turn
    leave $b_{1:T}=0$ for even T; $x^\ast$ is `far` times $T^p$. Nothing is said about signs; of nonnegative $b_t$ the
    square of the sum is the larger.
    """
    return closed(x, (0 if x.T > 1 else 1) + 0 * x.T)  # signs in turn


def in_full(S: str, one: str, two: str) -> str:
    """The bound with S rounds' weight and two constants, in print."""
    return (
        REGRET + r"\sum_{j=1}^d\min\left\{S" + PRICE + r",2\sqrt{S(" + SQUARES + r")}+2\varepsilon\zeta S"
        r"\right\}+" + one + QUARTIC + "+" + two + r"(D\zeta+G\varepsilon+2\varepsilon\zeta)d,\quad S=" + S
    )


def explicit(x: Instance, S: Any, first: Any, second: Any) -> Sides:
    """Regret against that bound."""
    return Sides(games.regret(x), games.priced(x, S, 2 * np.sqrt(S), S) + games.learned(x, first, second))


@claim("prp:diagftl/explicit", in_full(r"\overline c_pT^{1-p}", "C_{p,1}", "C_{p,2}"), **GAME)
def proofs_own(x: Instance) -> Sides:
    r"""The same with the constants of its proof.

    What the last lines of the proof come to. The sum of the series is rounded up, by less than one in 5000:
    $C_{p,1}=\frac{4\sqrt2\,\overline c_{1-\frac32p}}{\underline c_p^{3/2}}\left(1+\frac1{\underline c_p}\right),
    \quad C_{p,2}=\frac{4\sqrt2}{\underline c_p^{3/2}}\left(1+\frac1{\underline c_p}\right)
    \sum_{t=1}^\infty\frac1{t^{1+p/2}}$.
    """
    return explicit(x, power(len(x.b), 1 - x.p) / (1 - x.p), *games.proof_constants(x.p))


@claim(
    "prp:diagftl/smaller-constants",
    in_full(r"\frac{(T+1)^{1-p}}{1-p}", r"\frac4{3p}", r"\left(2+\frac4p\right)"),
    **GAME,
)
def smaller_constants(x: Instance) -> Sides:
    """The same with smaller constants.

    Round 0 counted: $T+1$ for T in the regularisers' sum.
    """
    return explicit(x, power(len(x.b) + 1, 1 - x.p) / (1 - x.p), 4 / (3 * x.p), 2 + 4 / x.p)
