r"""Appendix A: bounds that depend on what was paid, for self-bounding losses (thm:o2bsb, cor:o2bsb).

Let the losses (or their excess over those of $\theta^\ast$) be $\rho$-self-bounding with values in [-1, 1]. Write
$S = \sum\ell_t(\theta_t)$ and $M = \sum_tE\ell(\theta_t) \ge TE\ell(\bar\theta)$, which is not negative, as variances
are not. By Bernstein's inequality, for $\lambda\in(0,\frac32)$ and any learner,
$$E\exp(\lambda(M(1-\kappa)-S))\le1,\qquad\kappa=\frac{\rho\lambda}{2(1-2\lambda/3)}.$$

*A fixed level.* For $R \ge 0$ and $l > 0$ let $M^\ast$ be the root of $M - R = \sqrt{2\rho Ml} + \frac23l$, which is at
most $R + \sqrt{2\rho Rl} + (2\rho + \frac43)l$. With the best $\lambda$ for the variance $\rho M^\ast$, w.p.
$1-e^{-l}$, $S \le R$ implies $M(1-\kappa) \le R + l/\lambda = M^\ast(1-\kappa)$. That is all that cor:o2bsb needs where
$R_T$ is a constant: then $S \le R_T$ always.

*What was paid.* In thm:o2bsb the level is S itself, and that is random: $\lambda$ would have to follow it. A learner
that stops (`stopping`) has T chances to be past the bound; for it $P(\text{violation})\to1$ for every $\delta$.

*All levels at once.* Let $l = \log\frac{T+1}\delta$ and take the levels $R = 0, 1, \dots, T$. For $S > 0$ and
$R = \lceil S\rceil$, $M \le S + 1 + \sqrt{2\rho Sl} + \sqrt{2\rho l} + (2\rho + \frac43)l$, where
$1 + \sqrt{2\rho l} \le \frac32 + \rho l \le (\rho + \frac83)l$, as $l \ge \log2$. For $S \le 0$ the level 0 has
$\kappa = \frac12$, $\lambda = 1/(\rho + \frac23)$: $M \le 2S + (2\rho + \frac43)l \le S + (2\rho + \frac43)l$. So w.p.
$1-\delta$
$$M \le S + \sqrt{2\rho\max\{0,S\}l} + (3\rho + 4)l.$$
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arubatheory.kernel import on
from arubatheory.papers.aruba.a_background.online_to_batch import RISK, WHP, excess
from arubatheory.papers.aruba.claim import claim
from arubatheory.papers.aruba.games import samples, stopping
from arubatheory.papers.aruba.games.samples import GAME, Listed, Tail, nonnegative, risk, tail_sides
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import loss_at, minimiser
from arubatheory.statements.core import Assumption, Instance, Several, Sides
from arubatheory.statements.games import MOST_T

MEAN = r"\E_{\ell\sim\mathcal D}"


# def:selfbounding --------------------------------------------------------------------------------------------------
def _values(draw: Draw) -> Instance:
    count = draw.size("n", 4, MOST_T)
    return Instance(values=draw.unit(count), chances=draw.simplex(count))


def _regression(draw: Draw) -> Instance:
    r"""$\ell_k(\theta) = (\theta z_k - y_k)^2$ for $\theta, z_k, y_k \in [0, 1]$, and the best $\theta^\ast$."""
    count = draw.size("n", 4, MOST_T)
    z, y, chances, theta = draw.unit(count), draw.unit(count), draw.simplex(count), draw.unit()
    moment, square = sum(chances * z * y), sum(chances * z * z)
    star = theta if not square > 0 else moment / square if moment < square else 1 + 0 * square
    return Instance(z=z, y=y, chances=chances, star=star, theta=theta)


def _scaled_regression(draw: Draw) -> Instance:
    x = _regression(draw)
    size = draw.positive()
    return Instance(**{**vars(x), "z": size * x.z, "y": size * x.y})


def _variance(values: Any, chances: Any, rho: Any) -> Sides:
    r"""$E(\ell - E\ell)^2 \le \rho E\ell$."""
    mean = sum(chances * values)
    return Sides(sum(chances * (values - mean) * (values - mean)), rho * mean)


VALUES = (Assumption(r"\ell(\theta)\in[0,1]", lambda x: samples.in_unit(x.values)),)
OF_VALUES = rf"1\,{MEAN}\ell(\theta)\ge{MEAN}\left(\ell(\theta)-{MEAN}\ell(\theta)\right)^2"
OF_SQUARES = rf"4\,{MEAN}\Delta\ell(\theta)\ge{MEAN}\left(\Delta\ell(\theta)-{MEAN}\Delta\ell(\theta)\right)^2"


@claim("def:selfbounding/bounded-convex", OF_VALUES, _values, VALUES, number="")
def bounded_values(x: Instance) -> Sides:
    """Losses in [0, 1] are 1-self-bounding.

    Any loss with values in $[0,1]$ is $1$-self-bounding; it need not be convex."""
    return _variance(x.values, x.chances, 1)


def _of_squares(x: Instance) -> Sides:
    """The excess of least squares with rho = 4."""
    return _variance((x.theta * x.z - x.y) ** 2 - (x.star * x.z - x.y) ** 2, x.chances, 4)


@claim("def:selfbounding/least-squares", OF_SQUARES, _regression, number="")
def least_squares(x: Instance) -> Sides:
    r"""The excess of bounded least squares is 4-self-bounding.

    $\Delta\ell(\theta)=(\theta z-y)^2-(\theta^\ast z-y)^2$ with $\theta,z,y\in[0,1]$ and $\theta^\ast$ the best of
    $[0,1]$: then $|\theta z+\theta^\ast z-2y|\le2$ and $\E\Delta\ell\ge\E(\theta-\theta^\ast)^2z^2$."""
    return _of_squares(x)


ANY_SIZE = ("text:least-squares-rho/any-size",)


@claim("text:least-squares-rho", OF_SQUARES, _regression, corrects=ANY_SIZE, note=least_squares.note)
def bounded_data(x: Instance) -> Sides:
    """Least squares with rho = 4 where losses are at most 1."""
    return _of_squares(x)


@claim("text:least-squares-rho/any-size", OF_SQUARES, _scaled_regression)
def any_data(x: Instance) -> Sides:
    r"""Least squares with rho = 4 for data of any size.

    For data up to $B$ in size $\rho=4B^2$ is needed."""
    return _of_squares(x)


# games -------------------------------------------------------------------------------------------------------------
def _self_bounding_game(draw: Draw) -> Instance:
    r"""A coin and a learner that stops; $\rho$ times losses in [0, 1], $\rho \le 1$; or the excess $\ell -
    \ell(\theta^\ast)$ of squares, $\rho = 4$."""
    if draw.boolean():
        return stopping.coin_game(draw)
    if draw.boolean():
        x = _squares_game(draw)
        away = x.star - x.M.z
        x.M = x.M._replace(base=-away * away)
        return x
    x = stopping.still(draw)
    x.rho = draw.positive(-16, 0)
    x.M = x.M._replace(**{part: x.rho * getattr(x.M, part) for part in ("base", "slope", "bend", "corner")})
    return x


def _game_with_level(draw: Draw) -> Instance:
    """The same and a level r in [0, 1]."""
    x = _self_bounding_game(draw)
    x.r = draw.unit() * draw.unit()
    return x


def _excess_game(draw: Draw) -> Instance:
    r"""A coin and a learner that stops; squares; or $X_k|\theta - \theta^\ast|$ with $X_k \in [0, 1]$, where
    $\rho = \mathrm{Var}X/EX$ times the largest distance from $\theta^\ast$ is enough."""
    return draw.choice((lambda draw: stopping.coin_game(draw, in_unit=True), _squares_game, _distances_game))(draw)


def _squares_game(draw: Draw) -> Instance:
    r"""Losses $(\theta - z_k)^2$ on [0, 1] and their best $\theta^\ast$: their excess is 4-self-bounded."""
    x = stopping.still(draw)
    x.M = samples.squares(x.M)
    x.star, x.rho = on(minimiser, x.star)(x.M, x.M.p), draw.number(4)
    return x


def _distances_game(draw: Draw) -> Instance:
    x = stopping.still(draw)
    none, size = draw.zeros(len(x.M.p)), x.M.z
    mean = sum(x.M.p * size)
    spread = sum(x.M.p * (size - mean) * (size - mean))
    x.rho = stopping.at_least(draw, spread / mean * max(x.star, 1 - x.star)) if mean > 0 else draw.positive(-16, 2)
    x.M = x.M._replace(base=none, slope=none, bend=none, corner=size, z=none + x.star)
    return x


def _range(x: Instance) -> Any:
    r"""How far the losses are from leaving [-1, 1]: they are convex, so largest at an end."""
    losses, ends = range(len(x.M.p)), (0 * x.star, 0 * x.star + 1)
    largest = max(on(loss_at, x.star)(x.M, k, end) for k in losses for end in ends)
    return min(1 - largest, *(1 + samples.least_loss(x.M, k) for k in losses))


BEST = rf"\theta^\ast\in\argmin_{{\theta\in\Theta}}{RISK}(\theta)"
VARIES = rf"\rho{MEAN}f\ge{MEAN}(f-{MEAN}f)^2,\ f=\ell(\theta)"
OWN = (
    *GAME,
    Assumption(r"\ell(\theta)\in[-1,1]", _range),
    Assumption(r"\rho>0", lambda x: x.rho),
    Assumption(VARIES, lambda x: samples.self_bounding_margin(x.M, x.M.p, x.rho)),
)
AGAINST_BEST = (
    *GAME,
    Assumption(BEST, lambda x: risk(x, on(minimiser, x.star)(x.M, x.M.p)) - risk(x, x.star)),
    Assumption(VARIES + r"-\ell(\theta^\ast)", lambda x: samples.self_bounding_margin(x.M, x.M.p, x.rho, x.star)),
)
ONE, ALL = r"\log\frac1\delta", r"\log\frac{T+1}\delta"


# thm:o2bsb ---------------------------------------------------------------------------------------------------------
def self_bounded(x: Instance, p: Listed) -> Tail:
    r"""T times the bound: $\sqrt{2\rho\max\{0,\sum\ell_t(\theta_t)\} L} + (3\rho + 2)L$."""
    return Tail(x.T * p.average - p.paid, 2 * x.rho * nonnegative(p.paid), 3 * x.rho + 2)


def at_every_level(x: Instance, tail: Tail) -> Tail:
    r"""The same with $\log\frac{T+1}\delta$ and $3\rho + 4$."""
    return tail._replace(linear=3 * x.rho + 4, shift=np.log(0 * x.rho + x.T + 1))


def at_fixed_level(x: Instance, p: Listed) -> Tail:
    r"""T times the bound at level $R = rT$, where no more than R was paid; other sequences do not violate."""
    R = x.r * x.T
    return Tail(np.where(p.paid <= R, x.T * p.average - R, 0 * p.paid - 1), 2 * x.rho * R, 3 * x.rho + 2)


def of_play(x: Instance, tail: Callable[[Instance, Listed], Tail]) -> Several:
    r"""What a tail of the game says w.p. $1-\delta$."""
    p = stopping.play(x)
    return tail_sides(tail(x, p), p.prob)


SELF = rf"{RISK}(\bar\theta)\le\bar L_T+\sqrt{{\frac{{2\rho\max\{{0,\bar L_T\}}}}T%s}}+\frac{{3\rho+%d}}T%s{WHP}"
PAID: dict[str, Any] = {"game": _self_bounding_game, "given": OWN, "uses": ("def:selfbounding",)}


@claim("thm:o2bsb", SELF % (ONE, 2, ONE), **PAID)
def by_what_was_paid(x: Instance) -> Several:
    r"""Online to batch for self-bounding losses.

    What was paid is random, and the bound shrinks with it. For $\ell=X\theta$ with $X$ in $\{0,1\}$, $\rho=P(X=0)$, let
    the learner play 1 until it is past the bound, then 0, which costs nothing: by the law of the iterated logarithm the
    bound fails with probability $\to1$ as $T\to\infty$, for every $\delta$ ($P(X=1)=0.3$, $T=305$, $\delta=0.93$:
    0.93014). That the learner has a regret bound $\R_T$ excludes nothing: every learner has one, and it is not in the
    claim. Coins $X\theta$ with $\rho\ge\mathrm{Var}X/\E X$ and a learner that stops; $\rho$ times losses in $[0,1]$,
    $\rho\le1$; the excess of squared losses, $\rho=4$."""
    return of_play(x, self_bounded)


AT_FIXED = (
    rf"\text{{if }}\bar L_T\le r:\quad{RISK}(\bar\theta)\le r+\sqrt{{\frac{{2\rho r}}T{ONE}}}"
    rf"+\frac{{3\rho+2}}T{ONE}{WHP}"
)


@claim("thm:o2bsb/fixed-level", AT_FIXED, corrects=("thm:o2bsb",), **PAID | {"game": _game_with_level})
def fixed_level(x: Instance) -> Several:
    r"""Online to batch for self-bounding losses that cost no more than r.

    For every $r\ge0$ that does not depend on the sample; where $\bar L_T>r$ nothing is claimed. By Bernstein's
    inequality. It is all that cor:o2bsb needs of thm:o2bsb where $\R_T$ is a constant. Coins $X\theta$ with
    $\rho\ge\mathrm{Var}X/\E X$ and a learner that stops; $\rho$ times losses in $[0,1]$, $\rho\le1$; the excess of
    squared losses, $\rho=4$."""
    return of_play(x, at_fixed_level)


@claim("thm:o2bsb/corrected", SELF % (ALL, 4, ALL), **PAID)
def every_level(x: Instance) -> Several:
    r"""Online to batch for self-bounding losses, all levels at once.

    A union over the levels $r=0,\frac1T,\dots,1$ of thm:o2bsb/fixed-level, which hold with $2\rho+\frac43$ for
    $3\rho+2$. Rounding $\bar L_T$ up to a level costs $\frac1T(1+\sqrt{2\rho l})\le\frac1T(\rho+\frac83)l$,
    $l=\log\frac{T+1}\delta\ge\log2$; for $\bar L_T<0$ the level 0 is enough. Coins $X\theta$ with
    $\rho\ge\mathrm{Var}X/\E X$ and a learner that stops; $\rho$ times losses in $[0,1]$, $\rho\le1$; the excess of
    squared losses, $\rho=4$."""
    return of_play(x, lambda x, p: at_every_level(x, self_bounded(x, p)))


# cor:o2bsb ---------------------------------------------------------------------------------------------------------
def excess_self_bounded(x: Instance, p: Listed, regret: Any, under_root: Any) -> Tail:
    r"""T times the bound: $\sqrt{2\rho R_T L} + (3\rho + 2)L$ beyond $TE\ell(\theta^\ast) + R_T$."""
    return Tail(excess(x, p) - regret, 2 * x.rho * under_root, 3 * x.rho + 2)


def nonnegative_regret(x: Instance, p: Listed) -> Tail:
    r"""T times the bound with $\max\{R_T, 0\}$ of the sequence itself under the root."""
    regret = p.paid - p.compared
    return excess_self_bounded(x, p, regret, nonnegative(regret))


EXCESS = rf"{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\frac1T\sqrt{{2\rho%s%s}}+\frac{{3\rho+%d}}T%s{WHP}"
PRINTED = EXCESS % (r"\R_T", ONE, 2, ONE)
POSITIVE = r"\max\{\R_T,0\}"
OF_THEOREM = ("thm:o2bsb", "def:regret", "def:selfbounding")
AGAINST: dict[str, Any] = {"game": _excess_game, "given": AGAINST_BEST, "uses": OF_THEOREM}
REALISED = ("cor:o2bsb/realised", "cor:o2bsb/realised/nonnegative")


@claim("cor:o2bsb", PRINTED, corrects=REALISED, **AGAINST)
def against_best(x: Instance) -> Several:
    r"""The same against the best action.

    $\R_T$ is the smallest bound of the learner's regret that holds on every sequence. Then thm:o2bsb/fixed-level at
    $r=\R_T/T$ is enough. Coins, $\ell(\theta)-\ell(0)=X\theta$, and a learner that stops; squared losses, $\rho=4$
    (text:least-squares-rho); $X|\theta-\theta^\ast|$."""
    p = stopping.play(x)
    R = samples.worst_regret(p)
    return tail_sides(excess_self_bounded(x, p, R, R), p.prob)


@claim("cor:o2bsb/realised", PRINTED, **AGAINST)
def against_best_realised(x: Instance) -> Several:
    r"""The same against the best action.

    $\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed. It may be
    negative, and then the root does not exist. Coins, $\ell(\theta)-\ell(0)=X\theta$, and a learner that stops; squared
    losses, $\rho=4$ (text:least-squares-rho); $X|\theta-\theta^\ast|$."""
    return of_play(x, lambda x, p: excess_self_bounded(x, p, p.paid - p.compared, p.paid - p.compared))


@claim("cor:o2bsb/realised/nonnegative", EXCESS % (POSITIVE, ONE, 2, ONE), **AGAINST)
def against_best_nonnegative(x: Instance) -> Several:
    r"""The same against the best action.

    $\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed. Under the root
    it is $\max\{\R_T,0\}$. For $\ell=X\theta$ with $X$ in $\{0,1\}$, $\rho=P(X=0)$, let the learner play 1 until it is
    past the bound, then 0, which costs nothing: by the law of the iterated logarithm the bound fails with probability
    $\to1$ as $T\to\infty$, for every $\delta$ ($P(X=1)=0.3$, $T=305$, $\delta=0.93$: 0.93014). Coins,
    $\ell(\theta)-\ell(0)=X\theta$, and a learner that stops; squared losses, $\rho=4$ (text:least-squares-rho);
    $X|\theta-\theta^\ast|$."""
    return of_play(x, nonnegative_regret)


@claim("cor:o2bsb/realised/corrected", EXCESS % (POSITIVE, ALL, 4, ALL), corrects=REALISED, **AGAINST)
def against_best_every_level(x: Instance) -> Several:
    r"""The same against the best action.

    $\R_T$ is the regret of the sequence itself against $\theta^\ast$: this claims more than is printed. Under the root
    it is $\max\{\R_T,0\}$; thm:o2bsb/corrected for the excess. Coins, $\ell(\theta)-\ell(0)=X\theta$, and a learner
    that stops; squared losses, $\rho=4$ (text:least-squares-rho); $X|\theta-\theta^\ast|$."""
    return of_play(x, lambda x, p: at_every_level(x, nonnegative_regret(x, p)))
