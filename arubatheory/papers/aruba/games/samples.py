r"""Online learners against independent losses, with every probability computed.

The T losses are drawn from a distribution with K losses. An online learner is a map from histories to actions, so it is
a tree: one action for each of the $1 + K + \dots + K^{T-1}$ histories, all of them free. Every one of the $K^T$
sequences is listed with its probability, and "with probability $1-\delta$" becomes an inequality between two numbers.
For long games the learner stays where it is and K = 2: then only the number of times that the second loss came matters,
and the probabilities are binomial. Long games in which it looks at what it has paid are those of `stopping`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, approximate, exact, is_exact
from arubatheory.kernel import kernel, on, pure
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, loss_at, minimiser, random_mixture, weighted_loss
from arubatheory.problems.scalar import rounding
from arubatheory.statements.core import Assumption, Columns, Instance, Several, Sides
from arubatheory.statements.functions import root

DIGITS = 26  # binary ones of a level
LOW, HIGH = -60, 20  # binary orders of log(1/delta) between which levels are sought
Threshold = Callable[[tuple[Any, ...], Any], Any]
FEW = 512  # sequences whose levels are all compared with each other in exact numbers


class Listed(NamedTuple):
    r"""Of each sequence of losses: its probability, $\sum\ell_t(\theta_t)$, $\sum_t E\ell(\theta_t)$,
    $\sum\ell_t(\theta^\ast)$, $\min_\theta\sum\ell_t(\theta)$, and $E\ell(\bar\theta)$."""

    prob: Array
    paid: Array
    risk: Array
    compared: Array
    least: Array
    average: Array


# kernels -----------------------------------------------------------------------------------------------------------
@kernel
def unplayed(n: int, like: Array) -> Listed:
    """[exact] So many sequences, all of it 0."""
    z = np.zeros((6, n), like.dtype)
    return Listed(z[0], z[1], z[2], z[3], z[4], z[5])


@kernel
def path_of(o: int, K: int, T: int) -> tuple[Array, Array]:
    """[exact] Which of K things comes in each round (T,) of sequence o, and the number of the history that it meets."""
    came, nodes = np.zeros(T, np.int64), np.zeros(T, np.int64)
    first, width, code, rest = 0, 1, 0, K**T
    for t in range(T):
        rest //= K
        came[t], nodes[t] = (o // rest) % K, first + code
        first, width, code = first + width, width * K, code * K + came[t]
    return came, nodes


@kernel
def binomial(p: Array, T: int) -> Array:
    """[exact] The probabilities (T + 1,) of how often the second of two things comes in T rounds."""
    one = p[0] - p[0] + 1
    prob, first, second = np.zeros(T + 1, p.dtype), np.zeros(T + 1, p.dtype), np.zeros(T + 1, p.dtype)
    first[0], second[0], ways = one, one, one
    for c in range(T):
        first[c + 1], second[c + 1] = first[c] * p[0], second[c] * p[1]
    for c in range(T + 1):
        prob[c] = ways * first[T - c] * second[c]
        ways = ways * (T - c) / (c + 1)
    return prob


@kernel
def list_table(table: Array, star: Array, chances: Array, T: int) -> Listed:
    r"""[exact] Losses with any values (nodes, K) on the tree of a learner, and (K,) at $\theta^\ast$. Nothing is known
    of $\bar\theta$ or other actions: `least` and `average` stay 0."""
    K = chances.shape[0]
    l = unplayed(K**T, chances)
    for o in range(K**T):
        came, nodes = path_of(o, K, T)
        l.prob[o] = star[0] - star[0] + 1
        for t in range(T):
            k, node = came[t], nodes[t]
            l.prob[o] = l.prob[o] * chances[k]
            l.paid[o], l.compared[o] = l.paid[o] + table[node, k], l.compared[o] + star[k]
            for j in range(K):
                l.risk[o] = l.risk[o] + chances[j] * table[node, j]
    return l


@kernel
def list_tree(M: Mixture, points: Array, star: Any, T: int) -> Listed:
    r"""[exact] All sequences against the learner with these actions, one for each history."""
    K, n = M.p.shape[0], points.shape[0]
    table, at_star = np.zeros((n, K), M.p.dtype), np.zeros(K, M.p.dtype)
    for k in range(K):
        at_star[k] = loss_at(M, k, star)
        for i in range(n):
            table[i, k] = loss_at(M, k, points[i])
    l = list_table(table, at_star, M.p, T)
    for o in range(K**T):
        came, nodes = path_of(o, K, T)
        counts, middle = 0 * M.p, star - star
        for t in range(T):
            counts[came[t]] = counts[came[t]] + 1
            middle = middle + points[nodes[t]]
        l.least[o] = weighted_loss(M, counts, minimiser(M, counts))
        l.average[o] = weighted_loss(M, M.p, middle / T)
    return l


@kernel
def list_counts(M: Mixture, x: Any, star: Any, T: int) -> Listed:
    r"""[exact] The learner that plays x always, against K = 2 losses: sequences by how often the second one came."""
    l = unplayed(T + 1, M.p)
    l.prob[:] = binomial(M.p, T)
    for c in range(T + 1):
        counts = 0 * M.p
        counts[0], counts[1] = counts[0] + (T - c), counts[1] + c
        l.paid[c], l.compared[c] = weighted_loss(M, counts, x), weighted_loss(M, counts, star)
        l.risk[c], l.average[c] = T * weighted_loss(M, M.p, x), weighted_loss(M, M.p, x)
        l.least[c] = weighted_loss(M, counts, minimiser(M, counts))
    return l


# what happens ------------------------------------------------------------------------------------------------------
def listed(x: Instance) -> Listed:
    """The sequences of losses of a game, with what the learner pays on them."""
    if x.long:
        return on(list_counts, x.star)(x.M, x.points[0], x.star, x.T)
    return on(list_tree, x.star)(x.M, x.points, x.star, x.T)


def risk(x: Instance, theta: Any) -> Any:
    r"""$E\ell(\theta)$."""
    return on(weighted_loss, x.star)(x.M, x.M.p, theta)


def worst_regret(p: Listed) -> Any:
    """The largest regret of any sequence that can happen."""
    return max((p.paid - p.least)[p.prob > 0])


def nonnegative(values: Array) -> Array:
    r"""$\max\{v, 0\}$ of each."""
    return np.where(values > 0, values, 0 * values)


def where(mask: Array, *parts: Any) -> tuple[Any, ...]:
    """Arrays at the places of the mask; numbers as they are."""
    return tuple(part[mask] if isinstance(part, np.ndarray) else part for part in parts)


# with probability 1 - delta ----------------------------------------------------------------------------------------
class Tail(NamedTuple):
    r"""Of each sequence: it violates the claim at $\delta$ exactly when $gap > \sqrt{square \cdot L} + linear \cdot L$,
    $L = shift + \log\frac1\delta$. `square` is an array or one number for all; no gap exceeds `most`, where given."""

    gap: Array
    square: Any
    linear: Any = 0
    shift: Any = 0
    most: Any = 0


def tail_sides(tail: Tail, prob: Array) -> Several:
    r"""$P(\text{violation at }\delta) \le \delta$ for all $\delta\in(0,1)$ at once.

    Sequence o violates exactly where $\log\frac1\delta < L_o$. Just above $\delta = e^{-L_o}$ all sequences with
    $L \ge L_o$ violate, so that the claim is $L_o \le -\log P(L \ge L_o)$ for every $L_o > 0$. In exact arithmetic
    many sequences are left to `rising_sides`.
    """
    unreal = tail.square + tail.shift < -np.inf  # of what is no number exact arithmetic cannot say it
    violates = (prob > 0) & (tail.gap > 0) & np.logical_not(unreal)
    if not violates.any():
        return (_short_of(tail.gap[prob > 0], tail.most),)
    if is_exact(prob) and violates.sum() > FEW:
        return rising_sides(tail.gap, prob, (tail.square, tail.linear, tail.shift), _threshold, tail.most)
    prob, gap, square = where(violates, prob, tail.gap, 0 * tail.gap + tail.square)
    levels = _levels(gap, square, tail.linear) - tail.shift
    beyond = _beyond_exactly(levels, prob, gap, square) if is_exact(prob) else _beyond(levels, prob)
    likely, rises = -np.log(np.array(beyond, prob.dtype)), levels > 0
    if not rises.any():
        return (Sides(0, 0),)
    return _together(levels[rises], likely[rises])


def _together(levels: Array, likely: Array) -> Several:
    """An inequality for each entry; floats are compared at once."""
    return tuple(map(Sides, levels, likely)) if is_exact(levels) else Columns(levels, likely)


def _short_of(gap: Array, most: Any) -> Sides:
    """Nothing violates the claim at any delta: the share of the largest gap that is possible can still be climbed."""
    return Sides(max(gap), most) if most > 0 else Sides(0, 0)


def rising_sides(gap: Array, prob: Array, params: tuple[Any, ...], threshold: Threshold, most: Any = 0) -> Several:
    r"""The same where a sequence violates exactly when $gap > threshold(params, L)$, $L = \log\frac1\delta$: increasing
    in L, each sequence by itself, in the arithmetic of its arguments, and without an inverse in closed form. `params`
    are numbers or arrays over the sequences.

    $L_o$ is found in floats by sections of sixteen, from below, and then is a number like any other: whatever it is,
    that the sequences which violate at $\delta = e^{-L_o}$ have a probability of at most $\delta$ is an instance of the
    claim.
    In exact arithmetic only those four $L_o$ are judged that look worst in floats.
    """
    gap, prob, *rest = where(prob > 0, gap, prob, *params)
    params, chances = tuple(rest), approximate(prob)
    lowest = threshold(params, gap * 0 + (exact(2.0**LOW) if is_exact(gap) else 2.0**LOW))
    if not (lowest >= -np.inf).all():  # a root of a negative number: exact arithmetic says so
        return (Sides(np.nan, np.nan),)
    levels = _sectioned(approximate(gap), approximate(params), threshold)
    beyond, tried = _beyond(levels, chances), np.flatnonzero(levels > 0)
    if not len(tried):
        return (_short_of(gap, most),)
    if not is_exact(prob):
        return _together(levels[tried], -np.log(beyond[tried]))
    with np.errstate(divide="ignore"):  # of a ball that is 0 in floats
        worst = tried[np.argsort(np.log(beyond[tried]) / levels[tried])[-4:]]
    return tuple(_violation_at(exact(float(levels[o])), gap, prob, params, threshold) for o in worst)


def _violation_at(L: Any, gap: Array, prob: Array, params: tuple[Any, ...], threshold: Threshold) -> Sides:
    """The claim at one L, exactly."""
    beyond = sum(prob[gap > threshold(params, 0 * gap + L)])
    return Sides(L, -np.log(beyond)) if beyond > 0 else Sides(0, 0)


def _threshold(params: tuple[Any, ...], L: Any) -> Any:
    r"""That of a `Tail`."""
    square, linear, shift = params
    return root(square * (L + shift)) + linear * (L + shift)


def _sectioned(gap: Array, params: tuple[Any, ...], threshold: Threshold) -> Array:
    r"""For every sequence the largest L of $[2^{LOW}, 2^{HIGH}]$ with a gap beyond the threshold, a little below it; 0
    where there is none. In floats, and of so few digits that the last place of a machine's powers does not show."""
    low, ahead = gap * 0 + LOW, np.arange(1.0, 16.0)[:, None]
    for step in (HIGH - LOW) / 16.0 ** np.arange(1, 13):  # a loop of many short steps would cost more than the numbers
        low = low + step * (gap > threshold(params, 2.0 ** (low + step * ahead))).sum(axis=0)
    mantissa, order = np.frexp(2.0**low * (1 - 2.0**-40))
    return np.where(low > LOW, np.ldexp(np.floor(mantissa * 2.0**DIGITS), order - DIGITS), 0.0)


def _levels(gap: Array, square: Array, linear: Any) -> Array:
    r"""For every sequence the root L of $gap = \sqrt{square \cdot L} + linear \cdot L$; an L beyond every -log P if all
    of that is 0."""
    if not linear > 0:
        return np.array([g * g / s if s > 0 else 2**HIGH + 0 * g for g, s in zip(gap, square, strict=True)], gap.dtype)
    reach = (np.sqrt(square + 4 * linear * gap) - np.sqrt(square)) / (2 * linear)
    return np.asarray(reach * reach)


def _beyond(levels: Array, prob: Array) -> Array:
    r"""$P(L \ge L_o)$ for every o. Equal levels may differ by a rounding: what is so close counts as beyond."""
    order = np.argsort(-levels)
    reached = np.searchsorted(-levels[order], -levels * (1 - 2.0**-40), side="right")
    return np.cumsum(prob[order])[reached - 1]


def _beyond_exactly(levels: Array, prob: Array, gap: Array, square: Array) -> list[Any]:
    """The same without rounding: equal data gives equal levels, which balls could not see."""

    def reaches(i: int, o: int) -> bool:
        return bool((gap[i] == gap[o] and square[i] == square[o]) or levels[i] >= levels[o])

    everyone = range(len(prob))
    return [sum(prob[i] for i in everyone if reaches(i, o)) for o in everyone]


# games -------------------------------------------------------------------------------------------------------------
def short_tree(draw: Draw) -> tuple[int, int, int]:
    """How many losses there are, how many come, and how many histories that makes: all of them are listed, at
    most 256 to the end."""
    count = draw.integer(1, 3)
    T = draw.size("T", (6, 6, 3)[count - 1], (12, 8, 5)[count - 1])
    return count, T, sum(count**t for t in range(T))


def sampled_game(draw: Draw, bend: bool = False, longest: int = 6) -> Instance:
    r"""A mixture, a learner and $\theta^\ast$: T = 1 .. 6 with every history free, or T up to $2^{longest}$ for a
    learner that stays where it is."""
    long = draw.boolean()
    # of a long game all frequencies are listed
    count, T, nodes = (2, 1 << draw.integer(1, longest), 1) if long else short_tree(draw)
    return Instance(M=random_mixture(draw, count, bend), points=draw.unit(nodes), star=draw.unit(), T=T, long=long)


def squares(M: Mixture) -> Mixture:
    r"""The losses $(\theta - z_k)^2$: their excess over the best is 4-self-bounded."""
    none = 0 * M.p
    return M._replace(base=none, slope=none, bend=none + 1, corner=none)


def least_loss(M: Mixture, k: int) -> Any:
    r"""$\min_\theta\ell_k(\theta)$."""
    alone = 0 * M.p
    alone[k] = alone[k] + 1
    return on(loss_at, M.p)(M, k, on(minimiser, M.p)(M, alone))


def in_unit(values: Any) -> Any:
    """How far values are from leaving [0, 1]."""
    return min(min(values), 1 - max(values))


def probable(p: Array) -> Any:
    """The margin of probabilities: none is negative, and they sum to 1 (up to the rounding of floats)."""
    gap = abs(sum(p) - 1)
    return min(min(p), gap - gap if gap * 2**40 < 1 else -gap)


def slope_bound(M: Mixture) -> Any:
    r"""A bound G of the slopes of all losses on [0, 1]."""
    parts = zip(M.slope, M.bend, M.corner, M.z, strict=True)
    return max(abs(s) + 2 * b * (z if 2 * z > 1 else 1 - z) + c for s, b, c, z in parts)


def self_bounding_margin(M: Mixture, weights: Array, rho: Any, best: Any = None) -> Any:
    r"""The least $\rho Ef(\theta) - \mathrm{Var}f(\theta)$, $f = \ell$ or $\ell - \ell(best)$, at $\theta = 0, \frac12,
    1$, up to the rounding of floats: at other $\theta$ the generators answer for it."""
    every = np.arange(len(M.p))[:, None]
    values = pure(loss_at)(M, every, np.arange(3) * (0 * rho + 1) / 2)
    if best is not None:
        values = values - pure(loss_at)(M, every, best)
    mean, blur = weights @ values, rho * (weights @ abs(values)) + weights @ values**2
    return min(rho * mean - weights @ (values - mean) ** 2 + 64 * on(rounding, rho)(rho) * blur)


ACTIONS = Assumption(r"\theta_t,\theta^\ast\in[0,1]", lambda x: in_unit([*x.points, x.star]))
CONVEX = Assumption(r"\ell\ \text{convex}", lambda x: min(min(x.M.bend), min(x.M.corner)))
PROBABLE = Assumption(r"p_k\ge0,\ \sum_kp_k=1", lambda x: probable(x.M.p))
GAME = (PROBABLE, CONVEX, ACTIONS)
