r"""Appendix D: matrix FTL (prp:matrixftl).

Follow-the-leader has no first action: on an empty sum every X is a minimiser. That is the `/literal` reading; the
others start at $X_1 = (\varepsilon/\zeta)I_d$, as thm:fullmatrix does, whose sums hold $\varepsilon^2I_d$ and
$\zeta^2I_d$ once more than there are tasks. "$C_\sigma$ depending only on $\sigma_B, \sigma_G$" is tried with a named
constant at $\sigma_B = \sigma_G = 1$ on families in the dimension, in the scale of $\varepsilon, \zeta$, and in T.

What holds is proved by the potential $\Phi(B, G) = \min_X \operatorname{Tr}(X^{-1}B) + \operatorname{Tr}(XG)$, whose
gradients are $X^{-1}$ and X. With B, G the sums before round t, $X = X_t$, and $M = X^{-1/2}BX^{-1/2} =
X^{1/2}GX^{1/2}$, the regret of round t is the squared Bures distance of $P = M + X^{-1/2}\tilde B_t^2X^{-1/2}$ and
$Q = M + X^{1/2}\tilde G_t^2X^{1/2}$, at most $\|\sqrt P - \sqrt Q\|_F^2 \le
\frac14\operatorname{Tr}((P - Q)M^{-1}(P - Q)) \le
\frac12\operatorname{Tr}(X^{-1}\tilde B_t^2B^{-1}\tilde B_t^2 + X\tilde G_t^2G^{-1}\tilde G_t^2)$. Adding
$\varepsilon^2, \zeta^2$ costs $\Phi$, by Rotfel'd's inequality, at most
$2d\sqrt{T(T+1)}(\sigma_G\varepsilon\sqrt m + \sigma_B\zeta) + 2d(T+1)\varepsilon\zeta$, and the last term is what the
played $\varepsilon^2\operatorname{Tr}X_t^{-1} + \zeta^2\operatorname{Tr}X_t \ge 2d\varepsilon\zeta$ give back.
"""

from __future__ import annotations

from typing import Any

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.matrixftl_proof import SHORT
from arubatheory.papers.aruba.games import matrices
from arubatheory.papers.aruba.games.matrices import GAME, UNIT
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

REGRET = r"\sum_{t=1}^T\ell_t(X_t)-\inf_{X\succ0}\sum_{t=1}^T\ell_t(X)\le"
LINEAR = r"((1+\sigma_G^2)\varepsilon\sqrt m+(1+\sigma_B^2)\zeta)T"
PRINTED = REGRET + r"\frac{10^6m^2}{\varepsilon^4\zeta^3}(1+\log T)+" + LINEAR
COUPLED = r"\frac d2\left(\frac{S^2\sqrt K}{\varepsilon^3}+\frac{K^2\sqrt S}{\zeta^3}\right)(1+\log T)"
SMALL = Assumption(r"\varepsilon\le1,\ \zeta\le\sqrt m", lambda x: min(1 - x.eps, x.m - x.zeta * x.zeta, x.zeta, x.eps))
USES = ("def:ftl", "def:regret")
UNITS = {"given": (*GAME, UNIT), "uses": USES}


def regret(x: Instance) -> Any:
    r"""$\sum_t\ell_t(X_t) - \inf_X\sum_t\ell_t(X)$."""
    played, _, B, G = matrices.summed(x)
    return played - matrices.least_of(B, G)


def linear(x: Instance, rounds: Any) -> Any:
    r"""$2(\sigma_G\varepsilon\sqrt m + \sigma_B\zeta)T$ for T `rounds`."""
    return 2 * (x.sigma_G * x.eps * root(x.m) + x.sigma_B * x.zeta) * rounds


def printed_bound(x: Instance, constant: Any, rounds: Any) -> Any:
    r"""`printed_log` plus $((1 + \sigma_G^2)\varepsilon\sqrt m + (1 + \sigma_B^2)\zeta)T$."""
    B, G = 1 + x.sigma_B * x.sigma_B, 1 + x.sigma_G * x.sigma_G
    return matrices.printed_log(x, constant, rounds) + (G * x.eps * root(x.m) + B * x.zeta) * rounds


def printed(x: Instance) -> Sides:
    r"""What is printed, with $10^6$ for $C_\sigma$, on d copies of a scalar game."""
    return Sides(regret(x) * x.copies, printed_bound(x, matrices.NAMED, matrices.rounds_of(x)))


def _scalar(draw: Draw) -> Instance:
    x = matrices.with_rounds(draw, matrices.unit_sizes(draw), 1)
    x.copies = draw.number(1)
    return x


def _with_first(draw: Draw) -> Instance:
    """A scalar game with any first action."""
    x = _scalar(draw)
    x.first = draw.positive()
    return x


@claim("prp:matrixftl", PRINTED, matrices.isotropic_game, **UNITS)
def in_any_dimension(x: Instance) -> Sides:
    r"""Regret of matrix FTL, in any dimension.

    $X_1=(\varepsilon/\zeta)I_d$. With $10^6$ for $C_\sigma$ where $\sigma_B=\sigma_G=1$. The games are d copies of a
    scalar one. The parts say what fails.
    """
    return printed(x)


@claim(
    "prp:matrixftl/dimension-free",
    PRINTED,
    lambda draw: matrices.isotropic_game(draw, lambda draw: matrices.unit_sizes(draw, 0)),
    (*GAME, UNIT, SMALL),
    uses=USES,
)
def dimension_free(x: Instance) -> Sides:
    r"""Matrix FTL for $\varepsilon\le1$, $\zeta\le\sqrt m$, in any dimension.

    $X_1=(\varepsilon/\zeta)I_d$. $C_\sigma$ may not depend on d. At $T=m=\varepsilon=\zeta=1$, $B_1=0$, $G_1=I_d$ the
    regret is d, and the right side $10^6+4$.
    """
    return printed(x)


@claim("prp:matrixftl/literal", PRINTED, _with_first, (*GAME, UNIT, Assumption(r"X_1>0", lambda x: x.first)), uses=USES)
def literal(x: Instance) -> Sides:
    r"""Follow-the-leader, whose first action may be any.

    On the empty sum every X is a leader: $d=1$, and $X_1$ is drawn. With $10^6$ for $C_\sigma$.
    """
    B, G = x.B2[0, 0, 0], x.G2[0, 0, 0]
    moved = B / x.first + G * x.first - (B / x.eps * x.zeta + G * x.eps / x.zeta)
    usual = printed(x)
    return usual._replace(lhs=usual.lhs + moved)


@claim("prp:matrixftl/one-dimensional", PRINTED, _scalar, **UNITS)
def one_dimensional(x: Instance) -> Sides:
    r"""Regret of matrix FTL in one dimension.

    $X_1=(\varepsilon/\zeta)I_d$. $d=1$, with $10^6$ for $C_\sigma$. At $T=m=1$, $b_1=0$, $g_1=1$,
    $\varepsilon=1/\zeta$ the regret is $\zeta^{-2}$, and the right side $10^6\zeta+2\zeta+2/\zeta$: the proof takes
    $\varepsilon\le1$ for granted.
    """
    return printed(x)


def _constant_rounds(draw: Draw) -> Instance:
    r"""$B_t = 0$, $G_t^2 = mI_d$ in all of $2^k$ rounds, $\varepsilon \le 1$, $\zeta \le \sqrt m$."""
    n = 2 ** draw.integer(0, 16)
    eps, zeta, one = draw.positive(-16, 0), n * draw.positive(-16, 0), draw.number(1)
    T, copies = draw.number(2 ** draw.integer(0, matrices.MOST)), draw.number(draw.size("d", 8))
    return Instance(sigma_B=one, sigma_G=one, eps=eps, zeta=zeta, m=draw.number(n * n), T=T, copies=copies)


@claim("prp:matrixftl/small-parameters", PRINTED, _constant_rounds, (*matrices.SIZES, UNIT, SMALL), uses=USES)
def small_parameters(x: Instance) -> Sides:
    r"""Matrix FTL for $\varepsilon\le1$, $\zeta\le\sqrt m$ and d $\le8$.

    $X_1=(\varepsilon/\zeta)I_d$. With $10^6$ for a constant that may depend on d too. At $B_t=0$, $G_t^2=mI_d$ all
    actions are at least $\varepsilon(m+\zeta^2)^{-1/2}I_d$, which under-states the left side: it grows like
    $d\varepsilon\sqrt mT$, the right side like $2\varepsilon\sqrt mT$.
    """
    at_least = x.eps / root(matrices.largest(x)[1])  # and the best X is 0 in the limit
    return Sides(x.copies * x.T * x.m * at_least, printed_bound(x, matrices.NAMED, x.T))


@claim(
    "prp:matrixftl/one-dimensional/corrected",
    REGRET + r"\frac{C_\sigma m^2}{\varepsilon^4\zeta^3}(1+\log T)+" + LINEAR + r"\quad\text{for}\quad "
    r"C_\sigma=\frac14(1+\sigma_B^2)^2(1+\sigma_G^2)^2+\sigma_B+\sigma_G",
    lambda draw: matrices.with_rounds(draw, matrices.small_sizes(draw), 1),
    (*GAME, SMALL),
    uses=USES,
)
def one_dimensional_corrected(x: Instance) -> Sides:
    r"""Matrix FTL in one dimension for $\varepsilon\le1$, $\zeta\le\sqrt m$.

    $X_1=(\varepsilon/\zeta)I_d$. In one dimension the regret of round t on $\tilde\ell_t$ is
    $\sqrt{BG}(\sqrt{1+\tilde b_t^2/B}-\sqrt{1+\tilde g_t^2/G})^2$ for the sums B and G before it, and
    $2\sigma\le1+\sigma^2$.
    """
    sigma_B, sigma_G = x.sigma_B * x.sigma_B, x.sigma_G * x.sigma_G
    constant = ((1 + sigma_B) * (1 + sigma_G)) ** 2 / 4 + x.sigma_B + x.sigma_G
    return Sides(regret(x), printed_bound(x, constant, matrices.rounds_of(x)))


@claim(
    "prp:matrixftl/corrected",
    REGRET + COUPLED + r"+2d(\sigma_G\varepsilon\sqrt m+\sigma_B\zeta)\sqrt{T(T+1)}" + SHORT,
    matrices.matrix_game,
    GAME,
    corrects=(
        "prp:matrixftl",
        "prp:matrixftl/literal",
        "prp:matrixftl/dimension-free",
        "prp:matrixftl/small-parameters",
    ),
    uses=USES,
)
def corrected(x: Instance) -> Sides:
    r"""Regret of matrix FTL, with constants.

    $X_1=(\varepsilon/\zeta)I_d$. For all $\varepsilon,\zeta>0$. By the potential $\min_X\sum\tilde\ell(X)$, whose
    second order part is a Bures distance, and Rotfel'd's inequality. The exponents of $\varepsilon$ and $\zeta$ are 3
    where the paper has 4 and 3: at $\varepsilon=T^{-1/4}$, $\zeta=\sqrt mT^{-1/4}$ regret is of order
    $\sqrt mT^{3/4}\log T$.
    """
    T = matrices.rounds_of(x)
    return Sides(regret(x), matrices.coupled(x) + x.B2.shape[1] * linear(x, root(T * (T + 1))))
