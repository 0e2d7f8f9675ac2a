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

from arubatheory.papers.aruba.d_geometry.matrixftl_chain import CHAIN
from arubatheory.papers.aruba.d_geometry.matrixftl_proof import PROOF
from arubatheory.papers.aruba.games.matrices import (
    GAME,
    MOST,
    NAMED,
    SIZES,
    TASKS,
    UNIT,
    coupled,
    isotropic_game,
    largest,
    least_of,
    matrix_game,
    printed_log,
    small_sizes,
    summed,
    unit_sizes,
    with_rounds,
)
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root


def regret(i: Instance) -> tuple[Any, Any]:
    r"""$\sum_t\ell_t(X_t) - \inf_X\sum_t\ell_t(X)$ and the magnitudes added."""
    played, _, B, G = summed(i)
    best = least_of(B, G)
    return played - best, played + best


def linear(i: Instance, rounds: Any) -> Any:
    r"""$2(\sigma_G\varepsilon\sqrt m + \sigma_B\zeta)T$ for T `rounds`."""
    return 2 * (i.sigma_G * i.eps * root(i.m) + i.sigma_B * i.zeta) * rounds


def printed_bound(i: Instance, constant: Any, rounds: Any) -> Any:
    r"""`printed_log` plus $((1 + \sigma_G^2)\varepsilon\sqrt m + (1 + \sigma_B^2)\zeta)T$."""
    B, G = 1 + i.sigma_B * i.sigma_B, 1 + i.sigma_G * i.sigma_G
    return printed_log(i, constant, rounds) + (G * i.eps * root(i.m) + B * i.zeta) * rounds


# readings ----------------------------------------------------------------------------------------------------------


def _small_isotropic(draw: Draw) -> Instance:
    return isotropic_game(draw, lambda draw: unit_sizes(draw, 0))


def _scalar(draw: Draw) -> Instance:
    i = with_rounds(draw, unit_sizes(draw), 1)
    i.copies = draw.number(1)
    return i


def _named(i: Instance) -> Sides:
    found, scale = regret(i)
    rhs = printed_bound(i, NAMED, i.eps * 0 + len(i.B2))
    return Sides(found * i.copies, rhs, scale * i.copies + rhs)


def _constant_rounds(draw: Draw) -> Instance:
    r"""$B_t = 0$, $G_t^2 = mI_d$ in all of $2^k$ rounds, $\varepsilon \le 1$, $\zeta \le \sqrt m$, d <= 8."""
    n = 2 ** draw.integer(0, 16)
    eps, zeta, one = draw.positive(-16, 0), n * draw.positive(-16, 0), draw.number(1)
    T, copies = draw.number(2 ** draw.integer(0, MOST)), draw.number(draw.integer(1, 8))
    return Instance(sigma_B=one, sigma_G=one, eps=eps, zeta=zeta, m=draw.number(n * n), T=T, copies=copies)


def _below_the_regret(i: Instance) -> Sides:
    r"""$X_t = \varepsilon\sqrt{t/(t\zeta^2 + (t-1)m)}I_d \succeq \varepsilon(m + \zeta^2)^{-1/2}I_d$, and the best X
    is 0 in the limit."""
    lhs = i.copies * i.T * i.m * i.eps / root(largest(i)[1])
    rhs = printed_bound(i, NAMED, i.T)
    return Sides(lhs, rhs, lhs + rhs)


def _with_first(draw: Draw) -> Instance:
    """A scalar game with any first action."""
    i = _scalar(draw)
    i.first = draw.positive()
    return i


def _any_first(i: Instance) -> Sides:
    found = _named(i)
    moved = i.B2[0, 0, 0] / i.first + i.G2[0, 0, 0] * i.first
    started = i.B2[0, 0, 0] / i.eps * i.zeta + i.G2[0, 0, 0] * i.eps / i.zeta
    return Sides(found.lhs + moved - started, found.rhs, found.scale + moved + started)


def _small_scalar(draw: Draw) -> Instance:
    return with_rounds(draw, small_sizes(draw), 1)


def _scalar_bound(i: Instance) -> Sides:
    found, scale = regret(i)
    sigma_B, sigma_G = i.sigma_B * i.sigma_B, i.sigma_G * i.sigma_G
    constant = ((1 + sigma_B) * (1 + sigma_G)) ** 2 / 4 + i.sigma_B + i.sigma_G
    rhs = printed_bound(i, constant, i.eps * 0 + len(i.B2))
    return Sides(found, rhs, scale + rhs)


def _corrected(i: Instance) -> Sides:
    found, scale = regret(i)
    T = i.eps * 0 + len(i.B2)
    rhs = coupled(i) + i.B2.shape[1] * linear(i, root(T * (T + 1)))
    return Sides(found, rhs, scale + rhs)


# statements --------------------------------------------------------------------------------------------------------

REGRET = r"\sum_{t=1}^T\ell_t(X_t)-\inf_{X\succ0}\sum_{t=1}^T\ell_t(X)\le"
LINEAR = r"((1+\sigma_G^2)\varepsilon\sqrt m+(1+\sigma_B^2)\zeta)T"
PRINTED = REGRET + r"\frac{10^6m^2}{\varepsilon^4\zeta^3}(1+\log T)+" + LINEAR
COUPLED = r"\frac d2\left(\frac{S^2\sqrt K}{\varepsilon^3}+\frac{K^2\sqrt S}{\zeta^3}\right)(1+\log T)"
SHORT = r"\quad\text{for}\quad S=\sigma_B^2+\varepsilon^2,\ K=m\sigma_G^2+\zeta^2"
FIRST = r"$X_1=(\varepsilon/\zeta)I_d$. "
SMALL = Assumption(r"\varepsilon\le1,\ \zeta\le\sqrt m", lambda i: min(1 - i.eps, i.m - i.zeta * i.zeta, i.zeta, i.eps))


def _proposition(suffix: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"prp:matrixftl{suffix}", kind="proposition", number="D.2", title=title, latex=latex, instance=instance,
        sides=sides, uses=("def:ftl", "def:regret"), part_of="prp:matrixftl" if suffix else None, **more,
    )  # fmt: skip


PROPOSITION = (
    _proposition(
        "", "Regret of matrix FTL, in any dimension", PRINTED, isotropic_game, _named, assumptions=(*GAME, UNIT),
        note=FIRST + r"With $10^6$ for $C_\sigma$ where $\sigma_B=\sigma_G=1$. The games are d copies of a scalar one. "
        r"The parts say what fails.",
    ),
    _proposition(
        "/dimension-free", r"Matrix FTL for $\varepsilon\le1$, $\zeta\le\sqrt m$, in any dimension", PRINTED,
        _small_isotropic, _named, assumptions=(*GAME, UNIT, SMALL),
        note=FIRST + r"$C_\sigma$ may not depend on d. At $T=m=\varepsilon=\zeta=1$, $B_1=0$, $G_1=I_d$ the regret is "
        r"d, and the right side $10^6+4$.",
    ),
    _proposition(
        "/literal", "Follow-the-leader, whose first action may be any", PRINTED, _with_first, _any_first,
        assumptions=(*GAME, UNIT, Assumption(r"X_1>0", lambda i: i.first)),
        note=r"On the empty sum every X is a leader: $d=1$, and $X_1$ is drawn. With $10^6$ for $C_\sigma$.",
    ),
    _proposition(
        "/one-dimensional", "Regret of matrix FTL in one dimension", PRINTED, _scalar, _named,
        assumptions=(*GAME, UNIT),
        note=FIRST + r"$d=1$, with $10^6$ for $C_\sigma$. At $T=m=1$, $b_1=0$, $g_1=1$, $\varepsilon=1/\zeta$ the "
        r"regret is $\zeta^{-2}$, and the right side $10^6\zeta+2\zeta+2/\zeta$: the proof takes $\varepsilon\le1$ for "
        r"granted.",
    ),
    _proposition(
        "/small-parameters", r"Matrix FTL for $\varepsilon\le1$, $\zeta\le\sqrt m$ and d $\le8$", PRINTED,
        _constant_rounds, _below_the_regret, assumptions=(SIZES, TASKS, UNIT, SMALL),
        note=FIRST + r"With $10^6$ for a constant that may depend on d too. At $B_t=0$, $G_t^2=mI_d$ all actions are "
        r"at least $\varepsilon(m+\zeta^2)^{-1/2}I_d$, which under-states the left side: it grows like $d\varepsilon"
        r"\sqrt mT$, the right side like $2\varepsilon\sqrt mT$.",
    ),
    _proposition(
        "/one-dimensional/corrected", r"Matrix FTL in one dimension for $\varepsilon\le1$, $\zeta\le\sqrt m$",
        REGRET + r"\frac{C_\sigma m^2}{\varepsilon^4\zeta^3}(1+\log T)+" + LINEAR
        + r"\quad\text{for}\quad C_\sigma=\frac14(1+\sigma_B^2)^2(1+\sigma_G^2)^2+\sigma_B+\sigma_G",
        _small_scalar, _scalar_bound, assumptions=(*GAME, SMALL), corrects=("prp:matrixftl/one-dimensional",),
        note=FIRST + r"In one dimension the regret of round t on $\tilde\ell_t$ is $\sqrt{BG}(\sqrt{1+\tilde b_t^2/B}"
        r"-\sqrt{1+\tilde g_t^2/G})^2$ for the sums B and G before it, and $2\sigma\le1+\sigma^2$.",
    ),
    _proposition(
        "/corrected", "Regret of matrix FTL, with constants",
        REGRET + COUPLED + r"+2d(\sigma_G\varepsilon\sqrt m+\sigma_B\zeta)\sqrt{T(T+1)}" + SHORT,
        matrix_game, _corrected, assumptions=GAME,
        corrects=(
            "prp:matrixftl", "prp:matrixftl/literal", "prp:matrixftl/dimension-free", "prp:matrixftl/small-parameters",
        ),
        note=FIRST + r"For all $\varepsilon,\zeta>0$. By the potential $\min_X\sum\tilde\ell(X)$, whose second order "
        r"part is a Bures distance, and Rotfel'd's inequality. The exponents of $\varepsilon$ and $\zeta$ are 3 where "
        r"the paper has 4 and 3: at $\varepsilon=T^{-1/4}$, $\zeta=\sqrt mT^{-1/4}$ regret is of order "
        r"$\sqrt mT^{3/4}\log T$. Tried for d up to 2 and for diagonal matrices in three dimensions.",
    ),
)  # fmt: skip

STATEMENTS = (*PROPOSITION, *PROOF, *CHAIN)
