r"""Appendix F: statistical task-similarity under quadratic growth (prp:quadraticgrowth).

QG is growth away from the *set* of minimisers (Karimi, Nutini and Schmidt, 2016), while the proposition measures the
distance between two minimisers. The readings are: unique minimisers (the plain label, as $\theta_P^\ast = \argmin$
says), any minimisers (`/literal`), and those of appendix C's tie-break (`/tie-break`).

What the argument proves for unique minimisers. Let S and S' be samples that differ in one loss, $F_S$ the average.
QG of both gives $\alpha\|\hat\theta_S - \hat\theta_{S'}\|^2 \le (F_S - F_{S'})(\hat\theta_{S'}) - (F_S -
F_{S'})(\hat\theta_S) \le \frac{2G}m\|\hat\theta_S - \hat\theta_{S'}\|$, whence $E(\ell_P - F_S)(\hat\theta_S) \le
\frac{2G^2}{\alpha m}$; and QG of $\ell_P$ and of $F_S$ together $\alpha E\|\hat\theta_m - \theta_P^\ast\|^2 \le
E(\ell_P - F_S)(\hat\theta_m)$. So $E\|\hat\theta_m - \theta_P^\ast\|^2 \le \frac{2G^2}{\alpha^2m}$, and V and
$\hat V_m$ differ by at most $\sqrt2G/(\alpha\sqrt m)$. Convexity is not needed.

On an interval, with convex losses and the tie-break, the distance of two projections of $\phi_R$ is the distance of one
of them to the other set, so the same two sums hold with $\frac\alpha2$: $\frac{8G^2}{\alpha^2m}$, and the printed
inequalities follow. In three dimensions they do not: the projection onto a segment that turns a little may jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import quadratic_worlds as worlds
from arubatheory.papers.aruba.games.quadratic_worlds import Compared, compare, compare_flats, flat_world, unique_world
from arubatheory.problems.draw import Draw
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

CONSTANTS = (
    Assumption(r"m\ge1", lambda x: x.m - 1),
    Assumption(r"\mathcal P\sim\Q\ \text{with probabilities}\ \ge0", lambda x: x.q.min()),
)
UNIQUE: dict[str, Any] = {"game": unique_world, "given": CONSTANTS}
OF_TRUE: dict[str, Any] = {"given": CONSTANTS, "part_of": "prp:quadraticgrowth/true-by-empirical"}
OF_EMPIRICAL: dict[str, Any] = {"given": CONSTANTS, "part_of": "prp:quadraticgrowth/empirical-by-true"}
TIED = ("text:tie-break",)
NOISE = r"\frac{16G^2}{\alpha^2m}"
FIRST, SECOND = r"V^2\le2\hat V_m^2+" + NOISE, r"\hat V_m^2\le2V^2+" + NOISE


def exchanged(c: Compared) -> Compared:
    r"""V and $\hat V_m$ in each other's place."""
    return c._replace(V2=c.Vh2, Vh2=c.V2)


def bounded(c: Compared, k: int = 16) -> Sides:
    r"""$\alpha^2V^2 \le 2\alpha^2\hat V_m^2 + kG^2/m$, as $\alpha$ is 0 where an average has two minimisers."""
    square = c.alpha * c.alpha
    return Sides(square * c.V2, 2 * square * c.Vh2 + k * c.G2 / c.m)


def sharper(c: Compared) -> Sides:
    r"""$\alpha^2 V^2 \le (\alpha\hat V_m + \sqrt2 G/\sqrt m)^2$."""
    square = c.alpha * c.alpha
    cross = square * c.G2 * 8 / c.m * c.Vh2
    return Sides(square * c.V2, square * c.Vh2 + root(cross) + 2 * c.G2 / c.m)


def _flat_or(crease: Callable[[Draw], Instance]) -> Callable[[Draw], Instance]:
    return lambda draw: crease(draw) if draw.boolean() else flat_world(draw)


@claim("prp:quadraticgrowth/true-by-empirical", FIRST, **UNIQUE, part_of=None)
def true_by_empirical(x: Instance) -> Sides:
    r"""V by its estimate, with unique minimisers.

    $\mathcal P\sim\mathcal Q$ is a distribution over tasks, and the losses are drawn from $\mathcal P$: the paper
    writes one for both. Averages of one atom occur with positive probability, so single losses are G-Lipschitz and
    $\alpha$-QG too, which the proof needs. Multiplied by $\alpha^2$ on both sides.
    """
    return bounded(compare(x))


@claim("prp:quadraticgrowth/true-by-empirical/literal", FIRST, flat_world, **OF_TRUE)
def true_by_empirical_for_any(x: Instance) -> Sides:
    r"""V by its estimate, for any minimisers.

    QG is growth away from the set of minimisers and does not see which of them is chosen: with losses that are constant
    on $[0,1]$, $\theta_{\mathcal P}^\ast$ and $\hat\theta_m$ may be anything, for every G and $\alpha$.
    """
    return bounded(compare_flats(x, False))


@claim("prp:quadraticgrowth/true-by-empirical/tie-break", FIRST, _flat_or(worlds.bent_crease), **OF_TRUE, uses=TIED)
def true_by_empirical_with_tie_break(x: Instance) -> Sides:
    r"""V by its estimate, for convex losses and the tie-break of appendix C.

    A closed family in $\mathbb R^3$ (quadratic_worlds.py, creases): the minimisers of an average are a segment or
    triangle of size about $m^{-1/4}$ which turns with the sample by as much, and their point nearest to $\phi_R$
    jumps from corner to corner: squares of order $G^2/(\alpha^2\sqrt m)$, not $G^2/(\alpha^2m)$. Of V and $\hat V_m$ a
    bound in closed form is taken, on the safe side.
    """
    return bounded(worlds.compare_bent(x) if x.world == worlds.CREASES else compare_flats(x, True))


@claim(
    "prp:quadraticgrowth/true-by-empirical/corrected",
    r"V\le\hat V_m+\frac{\sqrt2G}{\alpha\sqrt m}",
    unique_world,
    **OF_TRUE,
    corrects=("prp:quadraticgrowth/true-by-empirical/literal",),
)
def true_by_empirical_sharper(x: Instance) -> Sides:
    r"""V by its estimate, with unique minimisers and the constant that the argument gives.

    $\E\|\hat\theta_m-\theta_{\mathcal P}^\ast\|_2^2\le\frac{2G^2}{\alpha^2m}$, from QG of both functions at once; then
    the triangle inequality in $L_2$. On trial squared, times $\alpha^2$.
    """
    return sharper(compare(x))


@claim("prp:quadraticgrowth/true-by-empirical/tie-break/corrected", FIRST, flat_world, **OF_TRUE, uses=TIED)
def true_by_empirical_on_an_interval(x: Instance) -> Sides:
    r"""V by its estimate, for convex losses on an interval and the tie-break.

    On the line, of the projections of $\phi_R$ onto two intervals one is as far from the other interval as from the
    other projection, so that QG controls their distance.
    """
    return bounded(compare_flats(x, True))


# The other direction: V and its estimate exchanged, the same notes.
@claim("prp:quadraticgrowth/empirical-by-true", SECOND, **UNIQUE, part_of=None, note=true_by_empirical.note)
def empirical_by_true(x: Instance) -> Sides:
    """The estimate of V by V, with unique minimisers."""
    return bounded(exchanged(compare(x)))


@claim(
    "prp:quadraticgrowth/empirical-by-true/literal",
    SECOND,
    flat_world,
    **OF_EMPIRICAL,
    note=true_by_empirical_for_any.note,
)
def empirical_by_true_for_any(x: Instance) -> Sides:
    """The estimate of V by V, for any minimisers."""
    return bounded(exchanged(compare_flats(x, False)))


@claim(
    "prp:quadraticgrowth/empirical-by-true/tie-break",
    SECOND,
    _flat_or(worlds.turning_crease),
    **OF_EMPIRICAL,
    uses=TIED,
    note=true_by_empirical_with_tie_break.note,
)
def empirical_by_true_with_tie_break(x: Instance) -> Sides:
    """The estimate of V by V, for convex losses and the tie-break of appendix C."""
    return bounded(exchanged(worlds.compare_turning(x) if x.world == worlds.CREASES else compare_flats(x, True)))


@claim(
    "prp:quadraticgrowth/empirical-by-true/corrected",
    r"\hat V_m\le V+\frac{\sqrt2G}{\alpha\sqrt m}",
    unique_world,
    **OF_EMPIRICAL,
    corrects=("prp:quadraticgrowth/empirical-by-true/literal",),
    note=true_by_empirical_sharper.note,
)
def empirical_by_true_sharper(x: Instance) -> Sides:
    """The estimate of V by V, with unique minimisers and the constant that the argument gives."""
    return sharper(exchanged(compare(x)))


@claim(
    "prp:quadraticgrowth/empirical-by-true/tie-break/corrected",
    SECOND,
    flat_world,
    **OF_EMPIRICAL,
    uses=TIED,
    note=true_by_empirical_on_an_interval.note,
)
def empirical_by_true_on_an_interval(x: Instance) -> Sides:
    """The estimate of V by V, for convex losses on an interval and the tie-break."""
    return bounded(exchanged(compare_flats(x, True)))


def _two_minimisers(draw: Draw) -> Instance:
    r"""$F(x) = \frac\alpha2\mathrm{dist}(x, [low, low + width])^2$, a minimiser of it, and any other point."""
    low, width = draw.real(-2, 2), draw.unit() * draw.positive(-4, 4)
    return Instance(alpha=draw.positive(), low=low, width=width, pick=draw.unit(), x=low + draw.real(-4, 4))


@claim(
    "prp:quadraticgrowth/empirical-by-true/proof-1",
    r"\frac\alpha2\|\theta-\hat\theta\|_2^2\le F(\theta)-F(\hat\theta)\quad\forall\ \theta\in\Theta,\ "
    r"\hat\theta\in\argmin_\Theta F",
    _two_minimisers,
    (Assumption(r"\alpha>0", lambda x: x.alpha), Assumption(r"\text{width}\ge0", lambda x: x.width)),
)
def equation_8(x: Instance) -> Sides:
    r"""Equation 8 of the cited proof, by QG instead of strong convexity.

    Said to hold by definition of QG. It does if $\hat\theta$ is the only minimiser; otherwise the definition has the
    distance to the set on the left.
    """
    beyond = max(x.low - x.x, x.x - (x.low + x.width), 0 * x.x)
    away = x.x - (x.low + x.pick * x.width)
    return Sides(x.alpha / 2 * away * away, x.alpha / 2 * beyond * beyond)


BOTH = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}"
EXCESS = BOTH + r"(\ell_{\mathcal P}(\hat\theta_m)-\ell_{\mathcal P}(\theta_{\mathcal P}^\ast))"
APART = r"\|\hat\theta_m-\theta_{\mathcal P}^\ast\|_2^2"
AWAY, MOVED = BOTH + r"\|\hat\theta_m-\phi^\ast\|_2^2", BOTH + r"\|\theta_{\mathcal P}^\ast-\phi_m^\ast\|_2^2"
SPLIT_TRUE = rf"2{BOTH}({APART}+\|\theta_{{\mathcal P}}^\ast-\phi^\ast\|_2^2)"
SPLIT_EMPIRICAL = rf"2{BOTH}({APART}+\|\hat\theta_m-\phi_m^\ast\|_2^2)"
GROWN = r"\le\frac4\alpha" + EXCESS + "+2"


@claim(
    "prp:quadraticgrowth/empirical-by-true/proof-2",
    r"\E_{\mathcal P^m}(\ell_{\mathcal P}(\hat\theta_m)-\ell_{\mathcal P}(\theta_{\mathcal P}^\ast))"
    r"\le\frac{4G^2}{\alpha m}",
    **UNIQUE,
)
def excess(x: Instance) -> Sides:
    r"""The expected excess of the empirical minimiser.

    With unique minimisers; in the mean over $\mathcal Q$. It is also the last line of both chains.
    """
    c = compare(x)
    return Sides(c.alpha * c.excess, 4 * c.G2 / c.m)


@claim("prp:quadraticgrowth/empirical-by-true/proof-3", r"\hat V_m^2\le" + AWAY, **UNIQUE)
def other_point(x: Instance) -> Sides:
    r"""Another point in place of $\phi_m^\ast$."""
    c = compare(x)
    return Sides(c.Vh2, c.at_true)


@claim("prp:quadraticgrowth/empirical-by-true/proof-4", AWAY + r"\le" + SPLIT_TRUE, **UNIQUE)
def triangle(x: Instance) -> Sides:
    r"""Triangle inequality and Jensen's."""
    c = compare(x)
    return Sides(c.at_true, 2 * (c.apart + c.V2))


def _growth(x: Instance) -> Sides:
    r"""Without $2V^2$, which is on both sides."""
    c = compare(x)
    return Sides(2 * c.alpha * c.apart, 4 * c.excess)


@claim("prp:quadraticgrowth/empirical-by-true/proof-5", SPLIT_TRUE + GROWN + "V^2", **UNIQUE)
def growth(x: Instance) -> Sides:
    r"""Quadratic growth.

    By QG of $\ell_{\mathcal P}$: the printed reason, QG of the empirical average, bounds the distance by the excess of
    $\theta_{\mathcal P}^\ast$ in the average. $2V^2$ is taken off both sides.
    """
    return _growth(x)


@claim("prp:quadraticgrowth/true-by-empirical/proof-1", r"V^2\le" + MOVED, **UNIQUE)
def other_point_reversed(x: Instance) -> Sides:
    r"""Another point in place of $\phi^\ast$."""
    c = compare(x)
    return Sides(c.V2, c.at_empirical)


@claim("prp:quadraticgrowth/true-by-empirical/proof-2", MOVED + r"\le" + SPLIT_EMPIRICAL, **UNIQUE)
def triangle_reversed(x: Instance) -> Sides:
    r"""Triangle inequality and Jensen's."""
    c = compare(x)
    return Sides(c.at_empirical, 2 * (c.apart + c.Vh2))


@claim("prp:quadraticgrowth/true-by-empirical/proof-3", SPLIT_EMPIRICAL + GROWN + "V^2", **UNIQUE)
def growth_with_true(x: Instance) -> Sides:
    r"""Quadratic growth, as printed.

    The chain bounds $V^2$ and must end in $2\hat V_m^2$; printed is $2V^2$ in its last two lines, with which it would
    say nothing ($V^2\le2V^2+\dots$).
    """
    c = compare(x)
    return Sides(2 * c.alpha * (c.apart + c.Vh2), 4 * c.excess + 2 * c.alpha * c.V2)


@claim("prp:quadraticgrowth/true-by-empirical/proof-3/corrected", SPLIT_EMPIRICAL + GROWN + r"\hat V_m^2", **UNIQUE)
def growth_with_empirical(x: Instance) -> Sides:
    r"""Quadratic growth, with $\hat V_m$.

    $2\hat V_m^2$ is taken off both sides.
    """
    return _growth(x)
