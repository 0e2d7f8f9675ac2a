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
that stops (`stopping_games`) has T chances to be past the bound; for it $P(\text{violation})\to1$ for every $\delta$.

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

from arubatheory.arithmetic import Array
from arubatheory.kernel import on, pure
from arubatheory.papers.aruba.a_background.online_to_batch import (
    REALISED,
    RISK,
    SMALLEST,
    WHP,
    Tails,
    bounded,
    likely,
    nonnegative,
    realised,
)
from arubatheory.papers.aruba.games.samples import GAME, Listed, Tail, sampled_game
from arubatheory.papers.aruba.games.stopping import at_least, coin_game, play, still
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import loss_at, minimiser, weighted_loss
from arubatheory.problems.scalar import rounding
from arubatheory.statements.core import Assumption, Instance, Sides, Statement


# self-bounding losses ------------------------------------------------------------------------------------------------
def _variance_sides(values: Any, chances: Any, rho: Any) -> Sides:
    r"""$E(\ell - E\ell)^2 \le \rho E\ell$."""
    mean = sum(chances * values)
    spread = sum(chances * (values - mean) * (values - mean))
    return Sides(spread, rho * mean, sum(chances * values * values) + rho * sum(chances * abs(values)))


def _values(draw: Draw) -> Instance:
    count = draw.integer(1, 4)
    return Instance(values=draw.unit(count), chances=draw.simplex(count))


def _regression(draw: Draw) -> Instance:
    r"""$\ell_k(\theta) = (\theta z_k - y_k)^2$ for $\theta, z_k, y_k \in [0, 1]$, and the best $\theta^\ast$."""
    count = draw.integer(1, 4)
    z, y, chances, theta = draw.unit(count), draw.unit(count), draw.simplex(count), draw.unit()
    moment, square = sum(chances * z * y), sum(chances * z * z)
    star = theta if not square > 0 else moment / square if moment < square else 1 + 0 * square
    return Instance(z=z, y=y, chances=chances, star=star, theta=theta)


def _scaled_regression(draw: Draw) -> Instance:
    x = _regression(draw)
    size = draw.positive()
    return Instance(**{**vars(x), "z": size * x.z, "y": size * x.y})


def _excess_variance(x: Instance) -> Sides:
    return _variance_sides((x.theta * x.z - x.y) ** 2 - (x.star * x.z - x.y) ** 2, x.chances, 4)


def _risk(x: Instance, at: Any) -> Any:
    return on(weighted_loss, x.star)(x.M, x.M.p, at)


# thm:o2bsb -----------------------------------------------------------------------------------------------------------
def _self_bounding_game(draw: Draw) -> Instance:
    r"""A coin and a learner that stops; $\rho$ times losses in [0, 1], $\rho \le 1$; or the excess $\ell -
    \ell(\theta^\ast)$ of squares, $\rho = 4$."""
    if draw.boolean():
        return coin_game(draw)
    if draw.boolean():
        x = _squares_game(draw)
        away = x.star - x.M.z
        x.M = x.M._replace(base=-away * away)
        return x
    x, rho = still(sampled_game(draw)), draw.positive(-16, 0)
    M = x.M
    x.M = M._replace(base=rho * M.base, slope=rho * M.slope, bend=rho * M.bend, corner=rho * M.corner)
    x.rho = rho
    return x


def _game_with_level(draw: Draw) -> Instance:
    """The same and a level r in [0, 1]."""
    x = _self_bounding_game(draw)
    x.r = draw.unit() * draw.unit()
    return x


def _self_bounded(x: Instance, p: Listed) -> Tail:
    r"""T times the bound: $\sqrt{2\rho\max\{0,\sum\ell_t(\theta_t)\} L} + (3\rho + 2)L$."""
    return Tail(x.T * p.average - p.paid, 2 * x.rho * nonnegative(p.paid), 3 * x.rho + 2, 0)


def _at_every_level(x: Instance, p: Listed) -> Tail:
    r"""The same with $\log\frac{T+1}\delta$ and $3\rho + 4$."""
    return _self_bounded(x, p)._replace(linear=3 * x.rho + 4, shift=np.log(0 * x.rho + x.T + 1))


def _at_fixed_level(x: Instance, p: Listed) -> Tail:
    r"""T times the bound at level $R = rT$, where no more than R was paid; other sequences do not violate."""
    R = x.r * x.T
    gap = np.where(p.paid <= R, x.T * p.average - R, 0 * p.paid - 1)
    return Tail(gap, 0 * gap + 2 * x.rho * R, 3 * x.rho + 2, 0)


# cor:o2bsb -----------------------------------------------------------------------------------------------------------
def _excess_game(draw: Draw) -> Instance:
    r"""A coin and a learner that stops; squares; or $X_k|\theta - \theta^\ast|$ with $X_k \in [0, 1]$, where
    $\rho = \mathrm{Var}X/EX$ times the largest distance from $\theta^\ast$ is enough."""
    kind = draw.integer(0, 2)
    return (_coin_in_unit, _squares_game, _distances_game)[kind](draw)


def _coin_in_unit(draw: Draw) -> Instance:
    return coin_game(draw, in_unit=True)


def _squares_game(draw: Draw) -> Instance:
    r"""Losses $(\theta - z_k)^2$ on [0, 1] and their best $\theta^\ast$: their excess is 4-self-bounded."""
    x = still(sampled_game(draw))
    count = len(x.M.p)
    none = draw.zeros(count)
    M = x.M._replace(base=none, slope=none, bend=draw.array([1] * count), corner=none)
    return Instance(**{**vars(x), "M": M, "star": on(minimiser, x.star)(M, M.p), "rho": draw.number(4)})


def _distances_game(draw: Draw) -> Instance:
    x = still(sampled_game(draw))
    none, size = draw.zeros(len(x.M.p)), x.M.z
    mean = sum(x.M.p * size)
    spread = sum(x.M.p * (size - mean) * (size - mean))
    rho = at_least(draw, spread / mean * max(x.star, 1 - x.star)) if mean > 0 else draw.positive(-16, 2)
    M = x.M._replace(base=none, slope=none, bend=none, corner=size, z=none + x.star)
    return Instance(**{**vars(x), "M": M, "rho": rho})


def _excess_self_bounded(regret: Callable[[Listed], Array], under_root: Callable[[Listed], Array]) -> Tails:
    r"""T times the bound: $\sqrt{2\rho R_T L} + (3\rho + 2)L$ beyond $TE\ell(\theta^\ast) + R_T$."""
    return lambda x, p: Tail(
        x.T * (p.average - _risk(x, x.star)) - regret(p),
        2 * x.rho * under_root(p), 3 * x.rho + 2, 0,
    )  # fmt: skip


def _nonnegative_realised(p: Listed) -> Array:
    return nonnegative(realised(p))


def _excess_at_every_level(x: Instance, p: Listed) -> Tail:
    r"""The same with $\log\frac{T+1}\delta$ and $3\rho + 4$."""
    tail = _excess_self_bounded(realised, _nonnegative_realised)(x, p)
    return tail._replace(linear=3 * x.rho + 4, shift=np.log(0 * x.rho + x.T + 1))


# assumptions ---------------------------------------------------------------------------------------------------------
def _range_margin(x: Instance) -> Any:
    r"""How far the losses are from leaving [-1, 1]: they are convex, so largest at an end."""
    margins = []
    for k in range(len(x.M.p)):
        alone = 0 * x.M.p
        alone[k] = alone[k] + 1
        least, *ends = (
            on(weighted_loss, x.star)(x.M, alone, at)
            for at in (on(minimiser, x.star)(x.M, alone), 0 * x.star, 0 * x.star + 1)
        )
        margins += [1 + least, 1 - max(ends)]
    return min(margins)


def _self_bounding(excess: bool) -> Callable[[Instance], Any]:
    r"""The least $\rho E\ell(\theta) - \mathrm{Var}\ell(\theta)$ (or the same of $\ell - \ell(\theta^\ast)$) at
    $\theta = 0, \frac12, 1$, up to the rounding of floats: at other $\theta$ the generators answer for it."""

    def margin(x: Instance) -> Any:
        every, margins = np.arange(len(x.M.p)), []
        for twice in range(3):
            values = pure(loss_at)(x.M, every, (0 * x.star + twice) / 2)
            if excess:
                values = values - pure(loss_at)(x.M, every, x.star)
            mean = x.M.p @ values
            added = x.rho * (x.M.p @ abs(values)) + x.M.p @ (values * values)
            margins.append(x.rho * mean - x.M.p @ (values - mean) ** 2 + 64 * on(rounding, x.rho)(x.rho) * added)
        return min(margins)

    return margin


RANGE = Assumption(r"\ell(\theta)\in[-1,1]", _range_margin)
BEST = Assumption(
    r"\theta^\ast\in\argmin_{\theta\in\Theta}\E_{\ell\sim\mathcal D}\ell(\theta)",
    lambda x: _risk(x, on(minimiser, x.star)(x.M, x.M.p)) - _risk(x, x.star),
)

SELF_BOUNDED = r"\rho\E_{\ell\sim\mathcal D}f\ge\E_{\ell\sim\mathcal D}(f-\E_{\ell\sim\mathcal D}f)^2"
OWN = (
    *GAME,
    RANGE,
    Assumption(r"\rho>0", lambda x: x.rho),
    Assumption(SELF_BOUNDED + r",\ f=\ell(\theta)", _self_bounding(False)),
)
AGAINST_BEST = (*GAME, BEST, Assumption(SELF_BOUNDED + r",\ f=\ell(\theta)-\ell(\theta^\ast)", _self_bounding(True)))

# statements ----------------------------------------------------------------------------------------------------------
ONE, ALL = r"\log\frac1\delta", r"\log\frac{T+1}\delta"
SELF = rf"{RISK}(\bar\theta)\le\bar L_T+\sqrt{{\frac{{2\rho\max\{{0,\bar L_T\}}}}T%s}}+\frac{{3\rho+%d}}T%s{WHP}"
EXCESS = rf"{RISK}(\bar\theta)\le{RISK}(\theta^\ast)+\frac{{\R_T}}T+\frac1T\sqrt{{2\rho%s%s}}+\frac{{3\rho+%d}}T%s{WHP}"
NONNEGATIVE = r"\max\{\R_T,0\}"
GAMES = (
    r"Coins $X\theta$ with $\rho\ge\mathrm{Var}X/\E X$ and a learner that stops; $\rho$ times losses in $[0,1]$, "
    r"$\rho\le1$; the excess of squared losses, $\rho=4$. "
)
EXCESS_GAMES = (
    r"Coins, $\ell(\theta)-\ell(0)=X\theta$, and a learner that stops; squared losses, $\rho=4$ "
    r"(text:least-squares-rho); $X|\theta-\theta^\ast|$. "
)
STOPS = (
    r"For $\ell=X\theta$ with $X$ in $\{0,1\}$, $\rho=P(X=0)$, let the learner play 1 until it is past the bound, then "
    r"0, which costs nothing: by the law of the iterated logarithm the bound fails with probability $\to1$ as "
    r"$T\to\infty$, for every $\delta$ ($P(X=1)=0.3$, $T=305$, $\delta=0.93$: 0.93014). "
)
NO_PREMISE = (
    r"That the learner has a regret bound $\R_T$ excludes nothing: every learner has one, and it is not in the claim. "
)


def _own(reading: str, title: str, latex: str, game: Any, tails: Tails, note: str, **more: Any) -> Statement:
    return Statement(
        label="thm:o2bsb" + reading, kind="theorem", number="A.5", title=title, latex=latex, instance=game,
        sides=likely(tails, play), uses=("def:selfbounding",), assumptions=OWN, note=note + GAMES,
        part_of="thm:o2bsb" if reading else None, **more,
    )  # fmt: skip


def _excess(
    reading: str, tails: Tails, note: str, under: str = r"\R_T", log: str = ONE, add: int = 2, **more: Any
) -> Statement:
    return Statement(
        label="cor:o2bsb" + reading, kind="corollary", number="A.2", title="The same against the best action",
        latex=EXCESS % (under, log, add, log), instance=_excess_game, sides=likely(tails, play),
        assumptions=AGAINST_BEST, uses=("thm:o2bsb", "def:regret", "def:selfbounding"), note=note + EXCESS_GAMES,
        part_of="cor:o2bsb" if reading else None, **more,
    )  # fmt: skip


def _variance(label: str, title: str, game: Any, sides: Any, rho: int, what: str, note: str, **more: Any) -> Statement:
    return Statement(
        label=label, kind="claim in text" if label.startswith("text:") else "definition", title=title,
        latex=rf"{rho}\,\E_{{\ell\sim\mathcal D}}{what}\ge\E_{{\ell\sim\mathcal D}}\left({what}-"
        rf"\E_{{\ell\sim\mathcal D}}{what}\right)^2",
        instance=game, sides=sides, note=note, part_of=label.partition("/")[0], **more,
    )  # fmt: skip


LEAST = r"\Delta\ell(\theta)"
BOUNDED_NOTE = r"Any loss with values in $[0,1]$ is $1$-self-bounding; it need not be convex."
LEAST_NOTE = (
    r"$\Delta\ell(\theta)=(\theta z-y)^2-(\theta^\ast z-y)^2$ with $\theta,z,y\in[0,1]$ and $\theta^\ast$ the best of "
    r"$[0,1]$: then $|\theta z+\theta^\ast z-2y|\le2$ and $\E\Delta\ell\ge\E(\theta-\theta^\ast)^2z^2$."
)
STATEMENTS = (
    _variance("def:selfbounding/bounded-convex", "Losses in [0, 1] are 1-self-bounding", _values,
              lambda x: _variance_sides(x.values, x.chances, 1), 1, r"\ell(\theta)", BOUNDED_NOTE,
              assumptions=(Assumption(r"\ell(\theta)\in[0,1]", lambda x: min(min(x.values), 1 - max(x.values))),)),
    _variance("def:selfbounding/least-squares", "The excess of bounded least squares is 4-self-bounding", _regression,
              _excess_variance, 4, LEAST, LEAST_NOTE),
    _variance("text:least-squares-rho/bounded", "Least squares with rho = 4 where losses are at most 1", _regression,
              _excess_variance, 4, LEAST, LEAST_NOTE, corrects=("text:least-squares-rho/literal",)),
    _variance("text:least-squares-rho/literal", "Least squares with rho = 4 for data of any size", _scaled_regression,
              _excess_variance, 4, LEAST, r"For data up to $B$ in size $\rho=4B^2$ is needed."),
    _own("", "Online to batch for self-bounding losses", SELF % (ONE, 2, ONE), _self_bounding_game, _self_bounded,
         r"What was paid is random, and the bound shrinks with it. " + STOPS + NO_PREMISE),
    _own("/fixed-level", "Online to batch for self-bounding losses that cost no more than r",
         rf"\text{{if }}\bar L_T\le r:\quad{RISK}(\bar\theta)\le r+\sqrt{{\frac{{2\rho r}}T{ONE}}}"
         rf"+\frac{{3\rho+2}}T{ONE}{WHP}", _game_with_level, _at_fixed_level,
         r"For every $r\ge0$ that does not depend on the sample; where $\bar L_T>r$ nothing is claimed. By Bernstein's "
         r"inequality. It is all that cor:o2bsb needs of thm:o2bsb where $\R_T$ is a constant. ",
         corrects=("thm:o2bsb",)),
    _own("/corrected", "Online to batch for self-bounding losses, all levels at once", SELF % (ALL, 4, ALL),
         _self_bounding_game, _at_every_level,
         r"A union over the levels $r=0,\frac1T,\dots,1$ of thm:o2bsb/fixed-level, which hold with $2\rho+\frac43$ for "
         r"$3\rho+2$. Rounding $\bar L_T$ up to a level costs $\frac1T(1+\sqrt{2\rho l})\le\frac1T(\rho+\frac83)l$, "
         r"$l=\log\frac{T+1}\delta\ge\log2$; for $\bar L_T<0$ the level 0 is enough. ", corrects=("thm:o2bsb",)),
    _excess("", _excess_self_bounded(bounded, bounded),
            SMALLEST + r" Then thm:o2bsb/fixed-level at $r=\R_T/T$ is enough. ",
            corrects=("cor:o2bsb/realised", "cor:o2bsb/realised/nonnegative")),
    _excess("/realised", _excess_self_bounded(realised, realised),
            REALISED + r" It may be negative, and then the root does not exist. "),
    _excess("/realised/nonnegative", _excess_self_bounded(realised, _nonnegative_realised),
            REALISED + r" Under the root it is $\max\{\R_T,0\}$. " + STOPS, NONNEGATIVE),
    _excess("/realised/corrected", _excess_at_every_level,
            REALISED + r" Under the root it is $\max\{\R_T,0\}$; thm:o2bsb/corrected for the excess. ",
            NONNEGATIVE, ALL, 4, corrects=("cor:o2bsb/realised", "cor:o2bsb/realised/nonnegative")),
)  # fmt: skip
