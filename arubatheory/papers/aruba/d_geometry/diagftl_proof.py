r"""Appendix D: the displays of the proof of prp:diagftl, numbered in the order in which they are printed.

The coupling starts at round 1, although the actions are those of FTL from round 0 on: the first display (5) lacks
$\tilde\ell_0(x^\ast) - \tilde\ell_0(x_1)$, and so does the bound of the regularised regret that is drawn from it (15),
for every constant. Displays 6 to 13 go from one line to the next, and hold as printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arubatheory.arithmetic import Array
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.d_geometry.powersum import lower_constant, power
from arubatheory.papers.aruba.games import diagonal as games
from arubatheory.papers.aruba.games.diagonal import coordinate_game, diagonal_game, gentle_game, paid
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides, equality

ASTRONOMICAL = 256
GAME = {"game": diagonal_game, "given": games.GAME}
LEADS = GAME | {"uses": ("def:ftl",)}
COORDINATE = {"game": coordinate_game, "given": games.GAME}
LEADER = r"\quad\text{for}\quad x_{T+1}^2=\frac{\tilde b_{0:T}^2}{\tilde g_{0:T}^2}"
MODIFIED = r"\sum_{t=0}^T\tilde\ell_t'(x_{T+1})\le\sum_{t=0}^T\tilde\ell_t'(x)" + LEADER + r",\quad"


@claim("prp:diagftl/proof-1", r"\sum_{t=0}^T\tilde\ell_t(x_{T+1})\le\sum_{t=0}^T\tilde\ell_t(x)" + LEADER, **LEADS)
def leads(x: Instance) -> Sides:
    """FTL on the regularised losses.

    In every coordinate, and for every x > 0.
    """
    _, beta, gamma, actions = games.play(x)
    return Sides(paid(beta, gamma, actions[-1]), paid(beta, gamma, x.comparator))


def modified(x: Instance, unit: Any) -> tuple[Array, Array]:
    r"""$\gamma_{tj} x_j^2/2 - \beta_{tj}\log(x_j/unit)$ at the leader of all rounds and at $x^\ast$."""
    _, beta, gamma, actions = games.play(x)
    best, other = (gamma * (y * y / 2) - beta * np.log(y / unit) for y in (actions[-1], x.comparator))
    return best, other


@claim(
    "prp:diagftl/proof-2",
    MODIFIED + r" \tilde\ell_t'(x)=\frac{\tilde g_t^2x^2}2-\tilde b_t^2\log x",
    **LEADS,
    corrects=("prp:diagftl/proof-2/literal",),
)
def leads_modified(x: Instance) -> Sides:
    r"""FTL on the modified losses plays the same.

    Summed over coordinates. The logarithm is that of $x\zeta/\varepsilon$: the unit adds a constant.
    """
    best, other = modified(x, x.eps / x.zeta)
    return Sides(best.sum(), other.sum())


@claim(
    "prp:diagftl/proof-2/literal",
    MODIFIED + r"\tilde\ell_t'(x)=\left\|\frac{\tilde g_t^2\odot x^2}2-\tilde b_t^2\odot\log x\right\|_1",
    **LEADS,
)
def leads_in_norm(x: Instance) -> Sides:
    r"""With the norm that is printed around the modified losses.

    The entries may be negative, and where $\tilde b_t^2>e\,\tilde g_t^2$ they have zeros, which the norm makes its
    minima. A sum of the entries is meant.
    """
    best, other = modified(x, 1 + 0 * x.eps)
    return Sides(abs(best).sum(), abs(other).sum())


def one_round(draw: Draw) -> Instance:
    r"""$\tilde b^2$, $\tilde g^2$ and a point x > 0, anywhere or near the zero of the gradients."""
    beta, gamma = draw.positive(), draw.positive()
    return Instance(beta=beta, gamma=gamma, x=draw.positive() if draw.boolean() else beta * draw.positive(-4, 4))


POSITIVE = (
    Assumption(r"\tilde b_t^2>0", lambda x: x.beta),
    Assumption(r"\tilde g_t^2>0", lambda x: x.gamma),
    Assumption(r"x>0", lambda x: x.x),
)
ROUND = {"game": one_round, "given": POSITIVE}


@claim(
    "prp:diagftl/proof-3",
    r"\left|\tilde g_t^2-\frac{\tilde b_t^2}{x^2}\right|=\frac{|\tilde g_t^2x^2-\tilde b_t^2|}{x^2},\quad "
    r"\left|\tilde g_t^2x-\frac{\tilde b_t^2}x\right|=\frac{|\tilde g_t^2x^2-\tilde b_t^2|}x",
    **ROUND,
)
def gradients(x: Instance) -> tuple[Sides, ...]:
    """Both gradients.

    For all x > 0.
    """
    beta, gamma, y = x.beta, x.gamma, x.x
    both = abs(gamma * y * y - beta)
    return *equality(abs(gamma - beta / (y * y)), both / (y * y)), *equality(abs(gamma * y - beta / y), both / y)


@claim(
    "prp:diagftl/proof-4",
    r"\tilde g_t^2\le\partial_{xx}\tilde\ell_t'=\tilde g_t^2+\frac{\tilde b_t^2}{x^2}",
    **ROUND,
    uses=("def:convex",),
)
def curvature(x: Instance) -> Sides:
    """The modified losses are strongly convex.

    For all x > 0.
    """
    return Sides(x.gamma, x.gamma + x.beta / (x.x * x.x))


# the chain of a coordinate
COORDINATES = r"\quad\text{in one coordinate}"
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


def regularised_regret(x: Instance) -> Any:
    r"""$\sum_{t\ge1} \tilde\ell_t(x_t) - \tilde\ell_t(x^\ast)$."""
    _, beta, gamma, actions = games.play(x)
    return paid(beta[1:], gamma[1:], actions[:-1]) - paid(beta[1:], gamma[1:], x.comparator)


def missing(x: Instance) -> Any:
    r"""$\tilde\ell_0(x^\ast) - \tilde\ell_0(x_1)$."""
    return sum(x.eps / x.comparator * x.eps + x.zeta * x.zeta * x.comparator) - 2 * x.eps * x.zeta * x.b.shape[1]


def chain(x: Instance) -> tuple[Any, ...]:
    r"""`LINES`, summed over coordinates."""
    _, beta, gamma, actions = games.play(x)
    b, g, y, mass = beta[1:], gamma[1:], actions[:-1], np.cumsum(gamma[1:], axis=0)
    above, below, cube = np.cumsum(beta, axis=0)[:-1], np.cumsum(gamma, axis=0)[:-1], y * y * y
    ratio, far = above / below, above * np.sqrt(above)
    first, drop = g * g * np.sqrt(above) / (mass * np.sqrt(below)), g * (y * y) - b
    lines = (
        abs(g - b / (y * y)) * abs(g * y - b / y) / mass,
        drop * drop / (cube * mass),
        g * g * y / mass + b * b / (cube * mass),
        first + b * b / (mass * ratio * np.sqrt(ratio)),
        first + b * b * (np.sqrt(2 * mass) + gamma[0] * np.sqrt(2 * gamma[0]) / mass) / far,
    )
    return tuple(2 * line.sum() for line in lines)


def constant(draw: Draw) -> Instance:
    r"""$b_t = D$, $g_t = 0$, $\varepsilon = \zeta = 1$, p = 5/8; T a power of two."""
    T, D = 1 << draw.integer(0, games.LONGEST + 1), draw.positive(-4, 0)
    return Instance(T=T, D=D, p=draw.number(5, 8), comparator=draw.positive(-1, 1))


@claim(
    "prp:diagftl/proof-5",
    REGRET + r"\le" + LINES[0] + COORDINATES,
    constant,
    (games.LENGTH, Assumption(r"D>0", lambda x: x.D), Assumption(r"x^\ast>0", lambda x: x.comparator)),
    uses=("thm:coupling/convex", "def:ftl"),
)
def coupled(x: Instance) -> Sides:
    r"""Coupling.

    The games $b_t=D$, $g_t=0$, $\varepsilon=\zeta=1$, $p=\frac58$. FTL starts with round 0, which the left side
    does not count: $\tilde\ell_0(x^\ast)-\tilde\ell_0(x_1)$ is missing.
    """
    one, b, star = 1 + 0 * x.D, np.full((x.T, 1), x.D), np.full(1, x.comparator)
    game = Instance(b=b, g=0 * b, eps=one, zeta=one, p=x.p, comparator=star)
    return Sides(regularised_regret(game), chain(game)[0])


@claim(
    "prp:diagftl/proof-5/corrected",
    REGRET + r"\le\ \tilde\ell_0(x^\ast)-\tilde\ell_0(x_1)+" + LINES[0] + COORDINATES,
    gentle_game,
    games.GAME,
    uses=("thm:coupling/convex", "def:ftl"),
)
def coupled_from_zero(x: Instance) -> Sides:
    r"""Coupling, with round 0.

    thm:coupling for the rounds 0, ..., T with $x_0=x_1$; $\tilde\ell_0(x_1)=2\varepsilon\zeta$.
    """
    return Sides(regularised_regret(x), chain(x)[0] + missing(x))


@claim("prp:diagftl/proof-6", LINES[0] + "=" + LINES[1], **COORDINATE)
def with_gradients(x: Instance) -> tuple[Sides, ...]:
    """The gradients of display 3."""
    return equality(*chain(x)[:2])


@claim("prp:diagftl/proof-7", LINES[1] + r"\le" + LINES[2], **COORDINATE)
def difference(x: Instance) -> Sides:
    """A difference of nonnegative numbers."""
    return Sides(*chain(x)[1:3])


@claim("prp:diagftl/proof-8", LINES[2] + "=" + LINES[3], **COORDINATE)
def with_actions(x: Instance) -> tuple[Sides, ...]:
    """The action of FTL."""
    return equality(*chain(x)[2:4])


@claim("prp:diagftl/proof-9", LINES[3] + r"\le" + LINES[4], **COORDINATE)
def round_zero_apart(x: Instance) -> Sides:
    """Round 0 apart."""
    return Sides(*chain(x)[3:])


# the sum over coordinates
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


def total(x: Instance, slope: Any, depth: Any, cross: Any) -> Any:
    r"""$4\sum_t \sqrt{2t}\,((D+\varepsilon)\zeta s_t + (G+\zeta)\varepsilon d_t + \varepsilon\zeta c_t)$."""
    long = np.sqrt(2 * np.arange(1, len(x.b) + 1) * (1 + 0 * x.p))
    each = (x.D + x.eps) * x.zeta * slope + (x.G + x.zeta) * x.eps * depth + x.eps * x.zeta * cross
    return 4 * sum(long * each)


def summed_lines(x: Instance) -> tuple[Any, Any, Any]:
    r"""The first three of `SUMS`, with $b_t$, D in units of $\varepsilon$ and $g_t$, G in those of $\zeta$ where they
    stand to the fourth power."""
    w, t, p, one = games.play(x).w, np.arange(1, len(x.b) + 1), x.p, 1 + 0 * x.p
    before, later, squares = np.cumsum(w)[:-1], np.cumsum(w)[1:] - w[0], w[1:] * w[1:] * x.b.shape[1]
    slope, depth = (((y * y) ** 2).sum(axis=1) + squares for y in (x.g / x.zeta, x.b / x.eps))
    half = before * np.sqrt(before)
    first = total(x, slope / (later * np.sqrt(2 * before)), depth / half, depth / (before * half))
    c = lower_constant(p)
    mass = c * power(t, 1 - p)
    slope, depth, half = (x.G / x.zeta) ** 4 + squares, (x.D / x.eps) ** 4 + squares, mass * np.sqrt(mass)
    second = total(x, slope / (half * np.sqrt(2 * one)), depth / half, depth / (mass * half))
    merged = games.quartic(x) * power(t, 3 * p / 2 - 1) + games.mixed(x, 2) * power(t, -1 - p / 2)
    return first, second, 4 * np.sqrt(2 * one) * (1 + 1 / c) / (c * np.sqrt(c)) * sum(merged)


@claim("prp:diagftl/proof-10", r"\sum_{j=1}^d" + LINES[4] + r"\le" + SUMS[0], **GAME)
def over_coordinates(x: Instance) -> Sides:
    r"""The sum over coordinates.

    Also with the tildes that are printed on $\zeta$ and $\varepsilon$ in the third term left out.
    """
    return Sides(chain(x)[4], summed_lines(x)[0])


@claim("prp:diagftl/proof-11", SUMS[0] + r"\le" + SUMS[1], **GAME, uses=("clm:powersum", "clm:fourthpower"))
def by_bounds(x: Instance) -> Sides:
    r"""The bounds D and G, and sums of powers.

    Also with the tildes that are printed on $\zeta$ and $\varepsilon$ in the third term left out.
    """
    return Sides(*summed_lines(x)[:2])


@claim("prp:diagftl/proof-12", SUMS[1] + r"\le" + SUMS[2] + QUARTIC, **GAME)
def merged(x: Instance) -> Sides:
    """Terms that are alike."""
    return Sides(*summed_lines(x)[1:])


@claim("prp:diagftl/proof-13", SUMS[2] + r"\le" + SUMS[3] + QUARTIC, **GAME, uses=("clm:powersum",))
def over_time(x: Instance) -> Sides:
    """The sum over t."""
    return Sides(summed_lines(x)[2], games.learned(x, *games.proof_constants(x.p)))


# the conclusion
@claim("prp:diagftl/proof-14", r"\sum_{t=1}^T\ell_t(x_t)\le\sum_{t=1}^T\tilde\ell_t(x_t)", **GAME)
def dropping(x: Instance) -> Sides:
    """Dropping the regularisers."""
    _, beta, gamma, actions = games.play(x)
    return Sides(paid(x.b * x.b, x.g * x.g, actions[:-1]), paid(beta[1:], gamma[1:], actions[:-1]))


def slow_growth(draw: Draw) -> Instance:
    r"""$b_t = D = uT^{-p/3}$, $g_t = G = 0$, $\varepsilon = \zeta = 1$, p = 5/8 in one coordinate; T a power of two."""
    return Instance(T=draw.number(2 ** draw.integer(0, ASTRONOMICAL)), u=draw.positive(-8, 8))


@claim("prp:diagftl/proof-15", REGRET + r"\le" + SUMS[3] + QUARTIC, slow_growth, (games.LENGTH,), uses=("eq:percoord",))
def concluded(x: Instance) -> Sides:
    r"""Regret of the regularised game.

    The family $d=1$, $p=\frac58$, $\varepsilon=\zeta=1$, $g_t=G=0$, $b_t=D=uT^{-p/3}$, T a power of two.
    $\tilde\ell_t(x_t)\ge\min\sum_{s\le t}\tilde\ell_s-\min\sum_{s<t}\tilde\ell_s$, so that regret against $x_{T+1}=r$
    is at least $\tilde\ell_0(r)-\tilde\ell_0(x_1)=r+\frac1r-2$. It grows like $uT^{p/6}$, the right side like
    $C_{p,1}u^4T^{p/6}$: for small u no constants do.
    """
    p = (5 + 0 * x.T) / 8
    D = x.u * power(x.T, -p / 3)
    r = np.sqrt(1 + D * D * x.T * (1 - p) / power(x.T + 1, 1 - p))
    first, second = games.proof_constants(p)
    return Sides(r + 1 / r - 2, first * D**4 * power(x.T, 3 * p / 2) + second * (D + 2))


@claim(
    "prp:diagftl/proof-15/corrected",
    REGRET + r"\le\sum_{j=1}^d\left(\tilde\ell_{0,j}(x_j^\ast)-2\varepsilon\zeta\right)+" + SUMS[3] + QUARTIC,
    **GAME,
    uses=("thm:coupling/convex",),
)
def concluded_from_zero(x: Instance) -> Sides:
    """Regret of the regularised game, with round 0.

    As display 5, in every coordinate.
    """
    return Sides(regularised_regret(x), games.learned(x, *games.proof_constants(x.p)) + missing(x))


REGULARISED = r"\sum_{t=1}^T\frac{\tilde b_t^2}{x^\ast}+\tilde g_t^2x^\ast\le\ \overline c_pT^{1-p}"
ADDED = r"\frac{\varepsilon^2}{x^\ast}+\zeta^2x^\ast"
AT_STAR = COORDINATE | {"uses": ("clm:powersum",)}


def regularisers(x: Instance, in_parentheses: bool) -> Sides:
    r"""What $\varepsilon_t$ and $\zeta_t$ add at $x^\ast$; $\sum_t \ell_t(x^\ast)$ stands on both sides and is left
    out of both."""
    near, far = sum(x.eps / x.comparator * x.eps), sum(x.zeta * x.zeta * x.comparator)
    bound = power(len(x.b), 1 - x.p) / (1 - x.p)
    return Sides((near + far) * sum(games.play(x).w[1:]), near * bound + far * (bound if in_parentheses else 1))


@claim(
    "prp:diagftl/proof-16",
    REGULARISED + r"\left(" + ADDED + r"\right)+\sum_{t=1}^T\ell_t(x^\ast)",
    **AT_STAR,
    corrects=("prp:diagftl/proof-16/literal",),
)
def in_parentheses(x: Instance) -> Sides:
    r"""What the regularisers add.

    $\sum_t\ell_t(x^\ast)$ is on both sides, and left out of both.
    """
    return regularisers(x, True)


@claim("prp:diagftl/proof-16/literal", REGULARISED + ADDED + r"+\sum_{t=1}^T\ell_t(x^\ast)", **AT_STAR)
def without_parentheses(x: Instance) -> Sides:
    r"""What the regularisers add, without parentheses.

    As the last display but one is printed: $\zeta^2x^\ast$ without its factor.
    """
    return regularisers(x, False)


BEST = r"\sum_{t=1}^T\tilde\ell_t(x^\ast)\le2\sqrt{\tilde b_{1:T}^2\tilde g_{1:T}^2}\quad\text{for}\quad "


def substituted(x: Instance, squared: bool) -> Sides:
    r"""At $\sqrt{\tilde b_{1:T}^2/\tilde g_{1:T}^2}$, or with the sum of the $\tilde g_t$ below."""
    _, beta, gamma, _ = games.play(x)
    above, gamma = sum(beta[1:, 0]), gamma[1:, 0]
    below = sum(gamma)
    y = np.sqrt(above / (below if squared else sum(np.sqrt(gamma))))
    return Sides(above / y + below * y, 2 * np.sqrt(above) * np.sqrt(below))


@claim(
    "prp:diagftl/proof-17",
    BEST + r"x^\ast=\sqrt{\tilde b_{1:T}^2/\tilde g_{1:T}^2}",
    **COORDINATE,
    corrects=("prp:diagftl/proof-17/literal",),
)
def substituted_squares(x: Instance) -> Sides:
    """The best action of the regularised game."""
    return substituted(x, True)


@claim("prp:diagftl/proof-17/literal", BEST + r"x^\ast=\sqrt{\tilde b_{1:T}^2/\tilde g_{1:T}}", **COORDINATE)
def substituted_roots(x: Instance) -> Sides:
    """The action that is printed.

    A square is missing.
    """
    return substituted(x, False)


@claim(
    "prp:diagftl/proof-18",
    r"2\sqrt{\tilde b_{1:T}^2\tilde g_{1:T}^2}\le2\sqrt{\overline c_p(\zeta^2b_{1:T}^2+\varepsilon^2g_{1:T}^2)}"
    r"T^{\frac{1-p}2}+2\overline c_p\varepsilon\zeta T^{1-p}+\min_{x>0}\sum_{t=1}^T\ell_t(x)",
    **COORDINATE,
    uses=("clm:powersum",),
)
def split_root(x: Instance) -> Sides:
    r"""The root of a product of sums.

    The minimum is $2\sqrt{b_{1:T}^2g_{1:T}^2}$.
    """
    b, g, bound = sum(x.b[:, 0] ** 2), sum(x.g[:, 0] ** 2), power(len(x.b), 1 - x.p) / (1 - x.p)
    _, beta, gamma, _ = games.play(x)
    middle = 2 * np.sqrt(bound * (x.zeta * x.zeta * b + x.eps * x.eps * g))
    least = 2 * np.sqrt(b) * np.sqrt(g)
    whole = 2 * np.sqrt(sum(beta[1:, 0])) * np.sqrt(sum(gamma[1:, 0]))
    return Sides(whole, middle + 2 * bound * x.eps * x.zeta + least)
