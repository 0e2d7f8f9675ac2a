r"""Appendix D: the displays of the proof of prp:diagftl, numbered in the order in which they are printed.

The coupling starts at round 1, although the actions are those of FTL from round 0 on: the first display (5) lacks
$\tilde\ell_0(x^\ast) - \tilde\ell_0(x_1)$, and so does the bound of the regularised regret that is drawn from it (15),
for every constant. Displays 6 to 13 go from one line to the next, and hold as printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.papers.aruba.games.diagonal import (
    GAME,
    LONGEST,
    compared,
    coordinate_game,
    diagonal_game,
    gentle_game,
    lower_constant,
    mixed,
    played,
    power,
    proof_constants,
    quartic,
    run,
)
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, Statement

ASTRONOMICAL = 256


# FTL on both sequences ---------------------------------------------------------------------------------------------
@kernel
def modified(beta: Array, gamma: Array, x: Array, unit: Any) -> Any:
    r"""[exact] $\sum_{t,j} \gamma_{tj} x_j^2/2 - \beta_{tj}\log(x_j/unit)$, the sum of its absolute values, and the
    magnitudes added."""
    s = 0 * unit
    folded, scale = s, s
    for j in range(beta.shape[1]):
        square, logarithm = x[j] * x[j] / 2, np.log(x[j] / unit)
        for t in range(beta.shape[0]):
            value = gamma[t, j] * square - beta[t, j] * logarithm
            s, folded = s + value, folded + abs(value)
            scale = scale + (gamma[t, j] * square + beta[t, j] * (1 + abs(logarithm)))
    return s, folded, scale


def _leads(i: Instance) -> Sides:
    r = run(i)
    best, other = compared(r.beta, r.gamma, r.x[-1]), compared(r.beta, r.gamma, i.comparator)
    return Sides(best, other, best + other)


def _modified_at(i: Instance, unit: Any) -> tuple[Any, Any]:
    r = run(i)
    at = on(modified, i.b)
    return at(r.beta, r.gamma, r.x[-1], unit), at(r.beta, r.gamma, i.comparator, unit)


def _leads_modified(i: Instance) -> Sides:
    best, other = _modified_at(i, i.eps / i.zeta)
    return Sides(best[0], other[0], best[2] + other[2])


def _leads_in_norm(i: Instance) -> Sides:
    best, other = _modified_at(i, 1 + 0 * i.eps)
    return Sides(best[1], other[1], best[2] + other[2])


def _one_round(draw: Draw) -> Instance:
    r"""$\tilde b^2$, $\tilde g^2$ and a point x > 0, anywhere or near the zero of the gradients."""
    beta, gamma = draw.positive(), draw.positive()
    return Instance(beta=beta, gamma=gamma, x=draw.positive() if draw.boolean() else beta * draw.positive(-4, 4))


def _gradients(i: Instance) -> tuple[Sides, ...]:
    beta, gamma, x = i.beta, i.gamma, i.x
    both = abs(gamma * x * x - beta)
    pairs = ((abs(gamma - beta / (x * x)), both / (x * x)), (abs(gamma * x - beta / x), both / x))
    scales = (gamma + beta / (x * x), gamma * x + beta / x)
    return tuple(
        Sides(one, other, scale)
        for (a, b), scale in zip(pairs, scales, strict=True)
        for one, other in ((a, b), (b, a))
    )  # fmt: skip


def _curvature(i: Instance) -> Sides:
    second = i.gamma + i.beta / (i.x * i.x)
    return Sides(i.gamma, second, i.gamma + second)


# the chain of a coordinate -----------------------------------------------------------------------------------------
@kernel
def coupling_lines(beta: Array, gamma: Array, x: Array) -> Any:
    r"""[exact] The five lines of the coupling, summed over t and coordinates, from squares (T + 1, d) and
    $x_1, x_2, \dots$ (T + 1, d)."""
    zero = 0 * beta[0, 0]
    slopes, squares, split, substituted, last = zero, zero, zero, zero, zero
    for j in range(beta.shape[1]):
        above, below, mass = beta[0, j], gamma[0, j], zero
        for t in range(1, beta.shape[0]):
            b, g, y = beta[t, j], gamma[t, j], x[t - 1, j]
            mass, cube, ratio = mass + g, y * y * y, above / below
            slopes = slopes + abs(g - b / (y * y)) * abs(g * y - b / y) / mass
            squares = squares + (g * (y * y) - b) * (g * (y * y) - b) / (cube * mass)
            split = split + (g * g * y / mass + b * b / (cube * mass))
            first = g * g * np.sqrt(above) / (mass * np.sqrt(below))
            substituted = substituted + (first + b * b / (mass * ratio * np.sqrt(ratio)))
            power = above * np.sqrt(above)
            second = b * b * (np.sqrt(2 * mass) + gamma[0, j] * np.sqrt(2 * gamma[0, j]) / mass) / power
            last = last + (first + second)
            above, below = above + b, below + g
    return 2 * slopes, 2 * squares, 2 * split, 2 * substituted, 2 * last


def _lines(i: Instance) -> Any:
    r = run(i)
    return on(coupling_lines, i.b)(r.beta, r.gamma, r.x)


def _regularised_regret(i: Instance) -> tuple[Any, Any]:
    r"""$\sum_{t\ge1} \tilde\ell_t(x_t)$ and $\sum_{t\ge1} \tilde\ell_t(x^\ast)$."""
    r = run(i)
    own = on(played, i.b)(r.beta[1:], r.gamma[1:], r.x[:-1])
    return own, compared(r.beta[1:], r.gamma[1:], i.comparator)


def _round_zero(i: Instance) -> Any:
    r"""$\tilde\ell_0(x^\ast)$."""
    return sum(i.eps / i.comparator * i.eps + i.zeta * i.zeta * i.comparator)


def _missing(i: Instance) -> tuple[Any, Any]:
    r"""$\tilde\ell_0(x^\ast) - \tilde\ell_0(x_1)$, and the magnitudes added."""
    first, least = _round_zero(i), 2 * i.eps * i.zeta * i.b.shape[1]
    return first - least, first + least


@kernel
def coupled(beta: Array, gamma: Array, x: Array, other: Array) -> Any:
    r"""[exact] $\sum_{t\ge1} \tilde\ell_t(x_t)$, $\sum_{t\ge1} \tilde\ell_t(x)$ at one x (d,), the first of
    `coupling_lines`, and the magnitudes added to it."""
    zero = 0 * beta[0, 0]
    own, fixed, slopes, added = zero, zero, zero, zero
    for j in range(beta.shape[1]):
        mass = zero
        for t in range(1, beta.shape[0]):
            y, mass = x[t - 1, j], mass + gamma[t, j]
            rise, fall, share = gamma[t, j] * y, beta[t, j] / y, y * mass
            own, fixed = own + (fall + rise), fixed + (beta[t, j] / other[j] + gamma[t, j] * other[j])
            slopes = slopes + (rise - fall) * (rise - fall) / share
            added = added + (rise + fall) * (rise + fall) / share
    return own, fixed, 2 * slopes, 2 * added


def _coupling(i: Instance) -> tuple[Any, Any, Any, Any]:
    """Regret of the regularised game, the coupling sum, what is missing, and the magnitudes added."""
    r, (missing, added) = run(i), _missing(i)
    own, other, slopes, sizes = on(coupled, i.b)(r.beta, r.gamma, r.x, i.comparator)
    return own - other, slopes, missing, own + other + sizes + added


def _constant(draw: Draw) -> Instance:
    r"""$b_t = D$, $g_t = 0$, $\varepsilon = \zeta = 1$, p = 5/8; T a power of two."""
    T, D = 1 << draw.integer(0, LONGEST + 1), draw.positive(-4, 0)
    return Instance(T=T, D=D, p=draw.number(5, 8), comparator=draw.positive(-1, 1))


def _coupled(x: Instance) -> Sides:
    one, b = 1 + 0 * x.D, np.full((x.T, 1), x.D)
    star = np.full(1, x.comparator)
    i = Instance(b=b, g=0 * b, D=x.D, G=0 * one, eps=one, zeta=one, p=x.p, comparator=star)
    regret, bound, _, scale = _coupling(i)
    return Sides(regret, bound, scale)


def _coupled_from_zero(i: Instance) -> Sides:
    regret, bound, missing, scale = _coupling(i)
    return Sides(regret, bound + missing, scale)


def _next(at: int, identity: bool = False) -> Any:
    """Line `at` of the chain against the next, both ways for an identity; the split line is the yardstick."""

    def sides(i: Instance) -> Any:
        lines = _lines(i)
        scale = lines[2] + lines[at] + lines[at + 1]
        forth = Sides(lines[at], lines[at + 1], scale)
        return (forth, Sides(lines[at + 1], lines[at], scale)) if identity else forth

    return sides


# the sum over coordinates ------------------------------------------------------------------------------------------
def _total(i: Instance, long: Any, slope: Any, depth: Any, cross: Any) -> Any:
    r"""$4\sum_t \sqrt{2t}\,((D+\varepsilon)\zeta s_t + (G+\zeta)\varepsilon d_t + \varepsilon\zeta c_t)$."""
    return 4 * sum(long * ((i.D + i.eps) * i.zeta * slope + (i.G + i.zeta) * i.eps * depth + i.eps * i.zeta * cross))


def _summed_lines(i: Instance) -> tuple[Any, Any, Any]:
    r"""The three lines after the summation over coordinates, with $b_t$, D in units of $\varepsilon$ and $g_t$, G in
    those of $\zeta$ where they stand to the fourth power."""
    w, t, p, one = run(i).w, np.arange(1, len(i.b) + 1), i.p, 1 + 0 * i.p
    before, later = np.cumsum(w)[:-1], np.cumsum(w)[1:] - w[0]
    squares = w[1:] * w[1:] * i.b.shape[1]
    slope, depth = _fourth(i.g / i.zeta).sum(axis=1) + squares, _fourth(i.b / i.eps).sum(axis=1) + squares
    long, half = np.sqrt(2 * t * one), before * np.sqrt(before)
    first = _total(i, long, slope / (later * np.sqrt(2 * before)), depth / half, depth / (before * half))
    c = lower_constant(p)
    mass = c * power(t, 1 - p)
    slope, depth, half = _fourth(i.G / i.zeta) + squares, _fourth(i.D / i.eps) + squares, mass * np.sqrt(mass)
    second = _total(i, long, slope / (half * np.sqrt(2 * one)), depth / half, depth / (mass * half))
    merged = quartic(i) * power(t, 3 * p / 2 - 1) + mixed(i, 2) * power(t, -1 - p / 2)
    return first, second, 4 * np.sqrt(2 * one) * (1 + 1 / c) / (c * np.sqrt(c)) * sum(merged)


def _fourth(x: Any) -> Any:
    return (x * x) * (x * x)


def _over_coordinates(i: Instance) -> Sides:
    lhs, rhs = _lines(i)[4], _summed_lines(i)[0]
    return Sides(lhs, rhs, lhs + rhs)


def _next_sum(at: int) -> Any:
    def sides(i: Instance) -> Sides:
        lines = _summed_lines(i)
        return Sides(lines[at], lines[at + 1], lines[at] + lines[at + 1])

    return sides


def _learned(i: Instance) -> Any:
    r"""$C_{p,1}(\dots)T^{3p/2} + C_{p,2}(\dots)d$."""
    first, second = proof_constants(i.p)
    return first * quartic(i) * power(len(i.b), 3 * i.p / 2) + second * mixed(i, 2)


def _summed(i: Instance) -> Sides:
    lhs, rhs = _summed_lines(i)[2], _learned(i)
    return Sides(lhs, rhs, lhs + rhs)


# the conclusion ----------------------------------------------------------------------------------------------------
def _dropping(i: Instance) -> Sides:
    r = run(i)
    plain = on(played, i.b)(i.b * i.b, i.g * i.g, r.x[:-1])
    regularised = _regularised_regret(i)[0]
    return Sides(plain, regularised, regularised)


def _slow_growth(draw: Draw) -> Instance:
    r"""$b_t = D = uT^{-p/3}$, $g_t = G = 0$, $\varepsilon = \zeta = 1$, p = 5/8 in one coordinate; T a power of two."""
    return Instance(T=draw.number(2 ** draw.integer(0, ASTRONOMICAL)), u=draw.positive(-8, 8))


def _concluded(i: Instance) -> Sides:
    r"""$r + 1/r - 2$ for $r^2 = 1 + D^2T(1-p)/(T+1)^{1-p}$ against the proof's bound."""
    p = (5 + 0 * i.T) / 8
    D = i.u * power(i.T, -p / 3)
    r = np.sqrt(1 + D * D * i.T * (1 - p) / power(i.T + 1, 1 - p))
    first, second = proof_constants(p)
    rhs = first * _fourth(D) * power(i.T, 3 * p / 2) + second * (D + 2)
    return Sides(r + 1 / r - 2, rhs, r + 1 / r + 2 + rhs)


def _concluded_from_zero(i: Instance) -> Sides:
    (own, other), (missing, added) = _regularised_regret(i), _missing(i)
    rhs = _learned(i)
    return Sides(own - other, rhs + missing, own + other + added + rhs)


def _regularisers(i: Instance, factor: Any) -> Sides:
    r"""What $\varepsilon_t$ and $\zeta_t$ add at $x^\ast$; $\sum_t \ell_t(x^\ast)$ stands on both sides and is left
    out of both."""
    near, far = sum(i.eps / i.comparator * i.eps), sum(i.zeta * i.zeta * i.comparator)
    own, bound = sum(run(i).w[1:]), power(len(i.b), 1 - i.p) / (1 - i.p)
    lhs, rhs = (near + far) * own, near * bound + far * (1 if factor is None else bound)
    return Sides(lhs, rhs, lhs + rhs)


def _in_parentheses(i: Instance) -> Sides:
    return _regularisers(i, 1)


def _without_parentheses(i: Instance) -> Sides:
    return _regularisers(i, None)


def _substituted(i: Instance, squared: bool) -> Sides:
    r = run(i)
    above, below = sum(r.beta[1:, 0]), sum(r.gamma[1:, 0])
    printed = below if squared else sum(np.sqrt(r.gamma[1:, 0]))
    x = np.sqrt(above / printed)
    total, bound = above / x + below * x, 2 * np.sqrt(above) * np.sqrt(below)
    return Sides(total, bound, total + bound)


def _substituted_squares(i: Instance) -> Sides:
    return _substituted(i, True)


def _substituted_roots(i: Instance) -> Sides:
    return _substituted(i, False)


def _split_root(i: Instance) -> Sides:
    r = run(i)
    bs, gs, bound = sum(i.b[:, 0] ** 2), sum(i.g[:, 0] ** 2), power(len(i.b), 1 - i.p) / (1 - i.p)
    whole = 2 * np.sqrt(sum(r.beta[1:, 0])) * np.sqrt(sum(r.gamma[1:, 0]))
    least = 2 * np.sqrt(bs) * np.sqrt(gs)
    middle = 2 * np.sqrt(bound * (i.zeta * i.zeta * bs + i.eps * i.eps * gs))
    return Sides(whole, middle + 2 * bound * i.eps * i.zeta + least, whole + middle + least)


# statements --------------------------------------------------------------------------------------------------------
COORDINATES = r"\quad\text{in one coordinate}"
LOSS = r"\tilde\ell_t'(x)=\frac{\tilde g_t^2x^2}2-\tilde b_t^2\log x"
LEADER = r"\quad\text{for}\quad x_{T+1}^2=\frac{\tilde b_{0:T}^2}{\tilde g_{0:T}^2}"
REGRET = r"\sum_{t=1}^T\tilde\ell_t(x_t)-\tilde\ell_t(x^\ast)"
LINES = (
    r"2\sum_{t=1}^T\frac{|\nabla_t||\nabla_t'|}{\tilde g_{1:t}^2}",
    r"2\sum_{t=1}^T\frac{|\tilde g_t^2x_t^2-\tilde b_t^2|^2}{x_t^3\tilde g_{1:t}^2}",
    r"2\sum_{t=1}^T\frac{\tilde g_t^4x_t}{\tilde g_{1:t}^2}+\frac{\tilde b_t^4}{x_t^3\tilde g_{1:t}^2}",
    r"2\sum_{t=1}^T\frac{\tilde g_t^4\sqrt{\tilde b_{0:t-1}^2}}{\tilde g_{1:t}^2\sqrt{\tilde g_{0:t-1}^2}}"
    r"+\frac{\tilde b_t^4}{\tilde g_{1:t}^2(\tilde b_{0:t-1}^2/\tilde g_{0:t-1}^2)^{3/2}}",
    r"2\sum_{t=1}^T\frac{\tilde g_t^4\sqrt{\tilde b_{0:t-1}^2}}{\tilde g_{1:t}^2\sqrt{\tilde g_{0:t-1}^2}}"
    r"+\frac{\tilde b_t^4\sqrt{2\tilde g_{1:t}^2}}{(\tilde b_{0:t-1}^2)^{3/2}}"
    r"+\frac{\tilde b_t^4\tilde g_0^3\sqrt2}{\tilde g_{1:t}^2(\tilde b_{0:t-1}^2)^{3/2}}",
)
SUMS = (
    r"4\sum_{t=1}^T\left(\frac{(D+\varepsilon)(\|g_t^2\|_2^2+\zeta_t^4d)}{\zeta_{1:t}^2\sqrt{2\zeta_{0:t-1}^2}}"
    r"+\frac{(G+\zeta)(\|b_t^2\|_2^2+\varepsilon_t^4d)}{(\varepsilon_{0:t-1}^2)^{3/2}}"
    r"+\frac{(\|b_t^2\|_2^2+\varepsilon_t^4d)\zeta^3}{\zeta_{0:t-1}^2(\varepsilon_{0:t-1}^2)^{3/2}}\right)\sqrt{2t}",
    r"4\sum_{t=1}^T\left(\frac{(D+\varepsilon)(G^4+\zeta_t^4d)}{(\underline c_p\zeta^2t^{1-p})^{3/2}\sqrt2}"
    r"+\frac{(G+\zeta)(D^4+\varepsilon_t^4d)}{(\underline c_p\varepsilon^2t^{1-p})^{3/2}}"
    r"+\frac{(D^4+\varepsilon_t^4d)\zeta}{\varepsilon^3(\underline c_pt^{1-p})^{5/2}}\right)\sqrt{2t}",
    r"4\sqrt2\frac{1+1/\underline c_p}{\underline c_p^{3/2}}\sum_{t=1}^TQt^{\frac32p-1}"
    r"+\frac{D\zeta+G\varepsilon+2\varepsilon\zeta}{t^{1+p/2}}d",
    r"\ C_{p,1}QT^{\frac32p}+C_{p,2}(D\zeta+G\varepsilon+2\varepsilon\zeta)d",
)
QUARTIC = r",\quad Q=\frac{D+\varepsilon}{\zeta^3}G^4+\frac{G+\zeta}{\varepsilon^3}D^4"
ADDED = r"\frac{\varepsilon^2}{x^\ast}+\zeta^2x^\ast"
STRAY = r"Also with the tildes that are printed on $\zeta$ and $\varepsilon$ in the third term left out."
LENGTH = Assumption(r"T\ge1", lambda i: i.T - 1)
FAMILY = (
    LENGTH, Assumption(r"D>0", lambda i: i.D), Assumption(r"x^\ast>0", lambda i: i.comparator)
)  # fmt: skip
POSITIVE = (
    Assumption(r"\tilde b_t^2>0", lambda i: i.beta), Assumption(r"\tilde g_t^2>0", lambda i: i.gamma),
    Assumption(r"x>0", lambda i: i.x),
)  # fmt: skip


def _step(n: str, title: str, latex: str, sides: Any, instance: Any = coordinate_game, **more: Any) -> Statement:
    return Statement(
        label=f"prp:diagftl/proof-{n}", kind="proof step", number="D.1", title=title, latex=latex, sides=sides,
        instance=instance, assumptions=more.pop("assumptions", GAME), step_of="prp:diagftl", **more,
    )  # fmt: skip


STATEMENTS = (
    _step("1", "FTL on the regularised losses",
          r"\sum_{t=0}^T\tilde\ell_t(x_{T+1})\le\sum_{t=0}^T\tilde\ell_t(x)" + LEADER,
          _leads, diagonal_game, uses=("def:ftl",), note="In every coordinate, and for every x > 0."),
    _step("2", "FTL on the modified losses plays the same",
          r"\sum_{t=0}^T\tilde\ell_t'(x_{T+1})\le\sum_{t=0}^T\tilde\ell_t'(x)" + LEADER + r",\quad " + LOSS,
          _leads_modified, diagonal_game, uses=("def:ftl",), corrects=("prp:diagftl/proof-2/literal",),
          note=r"Summed over coordinates. The logarithm is that of $x\zeta/\varepsilon$: the unit adds a constant."),
    _step("2/literal", "With the norm that is printed around the modified losses",
          r"\sum_{t=0}^T\tilde\ell_t'(x_{T+1})\le\sum_{t=0}^T\tilde\ell_t'(x)" + LEADER
          + r",\quad\tilde\ell_t'(x)=\left\|\frac{\tilde g_t^2\odot x^2}2-\tilde b_t^2\odot\log x\right\|_1",
          _leads_in_norm, diagonal_game, uses=("def:ftl",),
          note=r"The entries may be negative, and where $\tilde b_t^2>e\,\tilde g_t^2$ they have zeros, which the "
          r"norm makes its minima. A sum of the entries is meant."),
    _step("3", "Both gradients",
          r"\left|\tilde g_t^2-\frac{\tilde b_t^2}{x^2}\right|=\frac{|\tilde g_t^2x^2-\tilde b_t^2|}{x^2},\quad "
          r"\left|\tilde g_t^2x-\frac{\tilde b_t^2}x\right|=\frac{|\tilde g_t^2x^2-\tilde b_t^2|}x",
          _gradients, _one_round, assumptions=POSITIVE, note="For all x > 0."),
    _step("4", "The modified losses are strongly convex",
          r"\tilde g_t^2\le\partial_{xx}\tilde\ell_t'=\tilde g_t^2+\frac{\tilde b_t^2}{x^2}",
          _curvature, _one_round, assumptions=POSITIVE, uses=("def:convex",), note="For all x > 0."),
    _step("5", "Coupling", REGRET + r"\le" + LINES[0] + COORDINATES, _coupled, _constant,
          assumptions=FAMILY, uses=("thm:coupling/convex", "def:ftl"),
          note=r"The games $b_t=D$, $g_t=0$, $\varepsilon=\zeta=1$, $p=\frac58$. FTL starts with round 0, which the "
          r"left side does not count: $\tilde\ell_0(x^\ast)-\tilde\ell_0(x_1)$ is missing."),
    _step("5/corrected", "Coupling, with round 0",
          REGRET + r"\le\ \tilde\ell_0(x^\ast)-\tilde\ell_0(x_1)+" + LINES[0] + COORDINATES, _coupled_from_zero,
          gentle_game, uses=("thm:coupling/convex", "def:ftl"), corrects=("prp:diagftl/proof-5",),
          note=r"thm:coupling for the rounds 0, ..., T with $x_0=x_1$; $\tilde\ell_0(x_1)=2\varepsilon\zeta$."),
    _step("6", "The gradients of display 3", LINES[0] + "=" + LINES[1], _next(0, True)),
    _step("7", "A difference of nonnegative numbers", LINES[1] + r"\le" + LINES[2], _next(1)),
    _step("8", "The action of FTL", LINES[2] + "=" + LINES[3], _next(2, True)),
    _step("9", "Round 0 apart", LINES[3] + r"\le" + LINES[4], _next(3)),
    _step("10", "The sum over coordinates", r"\sum_{j=1}^d" + LINES[4] + r"\le" + SUMS[0], _over_coordinates,
          diagonal_game, note=STRAY),
    _step("11", "The bounds D and G, and sums of powers", SUMS[0] + r"\le" + SUMS[1], _next_sum(0), diagonal_game,
          uses=("clm:powersum", "clm:fourthpower"), note=STRAY),
    _step("12", "Terms that are alike", SUMS[1] + r"\le" + SUMS[2] + QUARTIC, _next_sum(1), diagonal_game),
    _step("13", "The sum over t", SUMS[2] + r"\le" + SUMS[3] + QUARTIC, _summed, diagonal_game, uses=("clm:powersum",)),
    _step("14", "Dropping the regularisers", r"\sum_{t=1}^T\ell_t(x_t)\le\sum_{t=1}^T\tilde\ell_t(x_t)", _dropping,
          diagonal_game),
    _step("15", "Regret of the regularised game", REGRET + r"\le" + SUMS[3] + QUARTIC, _concluded, _slow_growth,
          assumptions=(LENGTH,), uses=("eq:percoord",),
          note=r"The family $d=1$, $p=\frac58$, $\varepsilon=\zeta=1$, $g_t=G=0$, $b_t=D=uT^{-p/3}$, T a power of two. "
          r"$\tilde\ell_t(x_t)\ge\min\sum_{s\le t}\tilde\ell_s-\min\sum_{s<t}\tilde\ell_s$, so that regret against "
          r"$x_{T+1}=r$ is at least $\tilde\ell_0(r)-\tilde\ell_0(x_1)=r+\frac1r-2$. It grows like $uT^{p/6}$, the "
          r"right side like $C_{p,1}u^4T^{p/6}$: for small u no constants do."),
    _step("15/corrected", "Regret of the regularised game, with round 0",
          REGRET + r"\le\sum_{j=1}^d\left(\tilde\ell_{0,j}(x_j^\ast)-2\varepsilon\zeta\right)+" + SUMS[3] + QUARTIC,
          _concluded_from_zero, diagonal_game, corrects=("prp:diagftl/proof-15",), uses=("thm:coupling/convex",),
          note="As display 5, in every coordinate."),
    _step("16", "What the regularisers add",
          r"\sum_{t=1}^T\frac{\tilde b_t^2}{x^\ast}+\tilde g_t^2x^\ast\le\ \overline c_pT^{1-p}\left(" + ADDED
          + r"\right)+\sum_{t=1}^T\ell_t(x^\ast)",
          _in_parentheses, uses=("clm:powersum",), corrects=("prp:diagftl/proof-16/literal",),
          note=r"$\sum_t\ell_t(x^\ast)$ is on both sides, and left out of both."),
    _step("16/literal", "What the regularisers add, without parentheses",
          r"\sum_{t=1}^T\frac{\tilde b_t^2}{x^\ast}+\tilde g_t^2x^\ast\le\ \overline c_pT^{1-p}" + ADDED
          + r"+\sum_{t=1}^T\ell_t(x^\ast)",
          _without_parentheses, uses=("clm:powersum",),
          note=r"As the last display but one is printed: $\zeta^2x^\ast$ without its factor."),
    _step("17", "The best action of the regularised game",
          r"\sum_{t=1}^T\tilde\ell_t(x^\ast)\le2\sqrt{\tilde b_{1:T}^2\tilde g_{1:T}^2}\quad\text{for}\quad "
          r"x^\ast=\sqrt{\tilde b_{1:T}^2/\tilde g_{1:T}^2}", _substituted_squares,
          corrects=("prp:diagftl/proof-17/literal",)),
    _step("17/literal", "The action that is printed",
          r"\sum_{t=1}^T\tilde\ell_t(x^\ast)\le2\sqrt{\tilde b_{1:T}^2\tilde g_{1:T}^2}\quad\text{for}\quad "
          r"x^\ast=\sqrt{\tilde b_{1:T}^2/\tilde g_{1:T}}", _substituted_roots, note="A square is missing."),
    _step("18", "The root of a product of sums",
          r"2\sqrt{\tilde b_{1:T}^2\tilde g_{1:T}^2}\le2\sqrt{\overline c_p(\zeta^2b_{1:T}^2+\varepsilon^2g_{1:T}^2)}"
          r"T^{\frac{1-p}2}+2\overline c_p\varepsilon\zeta T^{1-p}+\min_{x>0}\sum_{t=1}^T\ell_t(x)",
          _split_root, uses=("clm:powersum",), note=r"The minimum is $2\sqrt{b_{1:T}^2g_{1:T}^2}$."),
)  # fmt: skip
