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

from arubatheory.kernel import on
from arubatheory.papers.aruba.games.quadratic_worlds import (
    CREASES,
    Compared,
    bent_crease,
    compare,
    compare_bent,
    compare_flats,
    compare_turning,
    flat_world,
    turning_crease,
    unique_world,
)
from arubatheory.problems.draw import Draw
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Assumption, Instance, Sides, Statement
from arubatheory.statements.functions import root

# sides: multiplied by powers of alpha, which is 0 where an average has two minimisers -----------------------------


def _noise(c: Compared) -> Any:
    r"""$16 G^2/m$."""
    return 16 * c.G2 / c.m


def _true_by_empirical(c: Compared) -> Sides:
    square = c.alpha * c.alpha
    rhs = 2 * square * c.Vh2 + _noise(c)
    return Sides(square * c.V2, rhs, square * c.reach2 + rhs)


def _empirical_by_true(c: Compared) -> Sides:
    square = c.alpha * c.alpha
    rhs = 2 * square * c.V2 + _noise(c)
    return Sides(square * c.Vh2, rhs, square * c.reach2 + rhs)


def _sharper_true(c: Compared) -> Sides:
    return _sharper(c.V2, c.Vh2, c)


def _sharper_empirical(c: Compared) -> Sides:
    return _sharper(c.Vh2, c.V2, c)


def _sharper(one: Any, other: Any, c: Compared) -> Sides:
    r"""$\alpha^2 V^2 \le (\alpha\hat V_m + \sqrt2 G/\sqrt m)^2$, or with V and $\hat V_m$ exchanged."""
    square = c.alpha * c.alpha
    cross = square * c.G2 * 8 / c.m * other
    rhs = square * other + root(cross) + 2 * c.G2 / c.m
    return Sides(square * one, rhs, square * c.reach2 + rhs)


def _unique(sides: Callable[[Compared], Sides]) -> Callable[[Instance], Sides]:
    return lambda i: sides(compare(i))


def _any_minimisers(sides: Callable[[Compared], Sides]) -> Callable[[Instance], Sides]:
    return lambda i: sides(compare_flats(i, False))


def _nearest_minimisers(sides: Callable[[Compared], Sides], crease: Any) -> Callable[[Instance], Sides]:
    return lambda i: sides(crease(i) if i.world == CREASES else compare_flats(i, True))


def _flat_or(crease: Callable[[Draw], Instance]) -> Callable[[Draw], Instance]:
    return lambda draw: crease(draw) if draw.boolean() else flat_world(draw)


# the proof -------------------------------------------------------------------------------------------------------


def _two_minimisers(draw: Draw) -> Instance:
    r"""$F(x) = \frac\alpha2\mathrm{dist}(x, [low, low + width])^2$, a minimiser of it, and any other point."""
    low, width = draw.real(-2, 2), draw.unit() * draw.positive(-4, 4)
    return Instance(alpha=draw.positive(), low=low, width=width, pick=draw.unit(), x=low + draw.real(-4, 4))


def _equation_8(i: Instance) -> Sides:
    high, zero = i.low + i.width, i.x - i.x
    beyond = on(larger, zero)(on(larger, zero)(i.low - i.x, i.x - high), zero)
    away = i.x - (i.low + i.pick * i.width)
    grown = i.alpha / 2 * beyond * beyond
    reach = abs(i.low) + i.width + abs(i.x)
    return Sides(i.alpha / 2 * away * away, grown, i.alpha * reach * reach)


def _excess(c: Compared) -> Sides:
    return Sides(c.alpha * c.excess, 4 * c.G2 / c.m, c.alpha * c.size + 4 * c.G2 / c.m)


def _other_point(c: Compared) -> Sides:
    return Sides(c.Vh2, c.at_true, c.reach2)


def _other_point_reversed(c: Compared) -> Sides:
    return Sides(c.V2, c.at_empirical, c.reach2)


def _triangle(c: Compared) -> Sides:
    return Sides(c.at_true, 2 * (c.apart + c.V2), c.reach2)


def _triangle_reversed(c: Compared) -> Sides:
    return Sides(c.at_empirical, 2 * (c.apart + c.Vh2), c.reach2)


def _growth(c: Compared) -> Sides:
    r"""Without $2V^2$, which is on both sides."""
    return Sides(2 * c.alpha * c.apart, 4 * c.excess, c.alpha * c.reach2 + c.size)


def _growth_with_true(c: Compared) -> Sides:
    lhs = 2 * c.alpha * (c.apart + c.Vh2)
    return Sides(lhs, 4 * c.excess + 2 * c.alpha * c.V2, c.alpha * c.reach2 + c.size)


# statements --------------------------------------------------------------------------------------------------------

SLUG = "prp:quadraticgrowth"
CONSTANTS = (
    Assumption(r"m\ge1", lambda i: i.m - 1),
    Assumption(r"\mathcal P\sim\Q\ \text{with probabilities}\ \ge0", lambda i: i.q.min()),
)
NOISE = r"\frac{16G^2}{\alpha^2m}"
FIRST, SECOND = r"V^2\le2\hat V_m^2+" + NOISE, r"\hat V_m^2\le2V^2+" + NOISE
BOTH = r"\E_{\mathcal P\sim\Q}\E_{\mathcal P^m}"
EXCESS = BOTH + r"(\ell_{\mathcal P}(\hat\theta_m)-\ell_{\mathcal P}(\theta_{\mathcal P}^\ast))"
APART = r"\|\hat\theta_m-\theta_{\mathcal P}^\ast\|_2^2"
MOVED = BOTH + r"\|\theta_{\mathcal P}^\ast-\phi_m^\ast\|_2^2"
TRUE_CENTRE, EMPIRICAL_CENTRE = r"\|\theta_{\mathcal P}^\ast-\phi^\ast\|_2^2", r"\|\hat\theta_m-\phi_m^\ast\|_2^2"
SUPPORT = (
    r"$\mathcal P\sim\mathcal Q$ is a distribution over tasks, and the losses are drawn from $\mathcal P$: the paper "
    r"writes one for both. "
)


def _proposition(part: str, reading: str, title: str, latex: str, instance: Any, sides: Any, **more: Any) -> Statement:
    return Statement(
        label=f"{SLUG}/{part}{reading}", kind="proposition", number="F.1", title=title, latex=latex, instance=instance,
        sides=sides, assumptions=CONSTANTS, part_of=None if not reading else f"{SLUG}/{part}", **more,
    )  # fmt: skip


def _readings(part: str, latex: str, sides: Any, crease: Any, measured: Any, sharper: str, sharp: Any) -> Any:
    what = "V by its estimate" if part == "true-by-empirical" else "The estimate of V by V"
    return (
        _proposition(
            part, "", f"{what}, with unique minimisers", latex, unique_world, _unique(sides),
            note=SUPPORT + r"Averages of one atom occur with positive probability, so single losses are G-Lipschitz "
            r"and $\alpha$-QG too, which the proof needs. Multiplied by $\alpha^2$ on both sides.",
        ),
        _proposition(
            part, "/literal", f"{what}, for any minimisers", latex, flat_world, _any_minimisers(sides),
            note=r"QG is growth away from the set of minimisers and does not see which of them is chosen: with losses "
            r"that are constant on $[0,1]$, $\theta_{\mathcal P}^\ast$ and $\hat\theta_m$ may be anything, for every "
            r"G and $\alpha$.",
        ),
        _proposition(
            part, "/tie-break", f"{what}, for convex losses and the tie-break of appendix C", latex, _flat_or(crease),
            _nearest_minimisers(sides, measured), uses=("text:tie-break",),
            note=r"A closed family in $\mathbb R^3$ (quadratic_worlds.py, creases): the minimisers of an "
            r"average are a segment or triangle of size about $m^{-1/4}$ which turns with the sample by as much, and "
            r"their point nearest to $\phi_R$ jumps from corner to corner: squares of order $G^2/(\alpha^2\sqrt m)$, "
            r"not $G^2/(\alpha^2m)$. Of V and $\hat V_m$ a bound in closed form is taken, on the safe side.",
        ),
        _proposition(
            part, "/corrected", f"{what}, with unique minimisers and the constant that the argument gives", sharper,
            unique_world, _unique(sharp), corrects=(f"{SLUG}/{part}/literal",),
            note=r"$\E\|\hat\theta_m-\theta_{\mathcal P}^\ast\|_2^2\le\frac{2G^2}{\alpha^2m}$, from QG of both "
            r"functions at once; then the triangle inequality in $L_2$. On trial squared, times $\alpha^2$.",
        ),
        _proposition(
            part, "/tie-break/corrected", f"{what}, for convex losses on an interval and the tie-break", latex,
            flat_world, _nearest_minimisers(sides, None), uses=("text:tie-break",),
            corrects=(f"{SLUG}/{part}/tie-break",),
            note=r"On the line, of the projections of $\phi_R$ onto two intervals one is as far from the other "
            r"interval as from the other projection, so that QG controls their distance.",
        ),
    )  # fmt: skip


def _step(part: str, n: str, title: str, latex: str, sides: Any, **more: Any) -> Statement:
    values: dict[str, Any] = {"instance": unique_world, "assumptions": CONSTANTS} | more
    return Statement(
        label=f"{SLUG}/{part}/proof-{n}", kind="proof step", number="F.1", title=title, latex=latex, sides=sides,
        step_of=f"{SLUG}/{part}", **values,
    )  # fmt: skip


E, T = "empirical-by-true", "true-by-empirical"
STATEMENTS = (
    *_readings(T, FIRST, _true_by_empirical, bent_crease, compare_bent,
               r"V\le\hat V_m+\frac{\sqrt2G}{\alpha\sqrt m}", _sharper_true),
    *_readings(E, SECOND, _empirical_by_true, turning_crease, compare_turning,
               r"\hat V_m\le V+\frac{\sqrt2G}{\alpha\sqrt m}", _sharper_empirical),
    _step(E, "1", "Equation 8 of the cited proof, by QG instead of strong convexity",
          r"\frac\alpha2\|\theta-\hat\theta\|_2^2\le F(\theta)-F(\hat\theta)\quad\forall\ \theta\in\Theta,\ "
          r"\hat\theta\in\argmin_\Theta F",
          _equation_8, instance=_two_minimisers,
          assumptions=(Assumption(r"\alpha>0", lambda i: i.alpha), Assumption(r"\text{width}\ge0", lambda i: i.width)),
          note=r"Said to hold by definition of QG. It does if $\hat\theta$ is the only minimiser; otherwise the "
          r"definition has the distance to the set on the left."),
    _step(E, "2", "The expected excess of the empirical minimiser",
          r"\E_{\mathcal P^m}(\ell_{\mathcal P}(\hat\theta_m)-\ell_{\mathcal P}(\theta_{\mathcal P}^\ast))"
          r"\le\frac{4G^2}{\alpha m}", _unique(_excess),
          note=r"With unique minimisers; in the mean over $\mathcal Q$. It is also the last line of both chains."),
    _step(E, "3", r"Another point in place of $\phi_m^\ast$",
          r"\hat V_m^2\le" + BOTH + r"\|\hat\theta_m-\phi^\ast\|_2^2", _unique(_other_point)),
    _step(E, "4", "Triangle inequality and Jensen's",
          BOTH + r"\|\hat\theta_m-\phi^\ast\|_2^2\le2" + BOTH + "(" + APART + "+" + TRUE_CENTRE + ")",
          _unique(_triangle)),
    _step(E, "5", "Quadratic growth",
          "2" + BOTH + "(" + APART + "+" + TRUE_CENTRE + r")\le\frac4\alpha" + EXCESS + "+2V^2", _unique(_growth),
          note=r"By QG of $\ell_{\mathcal P}$: the printed reason, QG of the empirical average, bounds the distance by "
          r"the excess of $\theta_{\mathcal P}^\ast$ in the average. $2V^2$ is taken off both sides."),
    _step(T, "1", r"Another point in place of $\phi^\ast$",
          r"V^2\le" + MOVED, _unique(_other_point_reversed)),
    _step(T, "2", "Triangle inequality and Jensen's",
          MOVED + r"\le2" + BOTH + "(" + APART + "+" + EMPIRICAL_CENTRE + ")",
          _unique(_triangle_reversed)),
    _step(T, "3", "Quadratic growth, as printed",
          "2" + BOTH + "(" + APART + "+" + EMPIRICAL_CENTRE + r")\le\frac4\alpha" + EXCESS + "+2V^2",
          _unique(_growth_with_true),
          note=r"The chain bounds $V^2$ and must end in $2\hat V_m^2$; printed is $2V^2$ in its last two lines, with "
          r"which it would say nothing ($V^2\le2V^2+\dots$)."),
    _step(T, "3/corrected", r"Quadratic growth, with $\hat V_m$",
          "2" + BOTH + "(" + APART + "+" + EMPIRICAL_CENTRE + r")\le\frac4\alpha" + EXCESS + r"+2\hat V_m^2",
          _unique(_growth), corrects=(f"{SLUG}/{T}/proof-3",), note=r"$2\hat V_m^2$ is taken off both sides."),
)  # fmt: skip
