r"""Online learners against independent losses, with every probability computed.

The T losses are drawn from a distribution with K losses. An online learner is a map from histories to actions, so it is
a tree: one action for each of the $1 + K + \dots + K^{T-1}$ histories, all of them free. Every one of the $K^T$
sequences is listed with its probability, and "with probability $1-\delta$" becomes an inequality between two numbers.
For long games the learner stays where it is and K = 2: then only the number of times that the second loss came matters,
and the probabilities are binomial. Long games in which it looks at what it has paid are those of `stopping_games`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, approximate, exact, is_exact
from arubatheory.kernel import kernel, on
from arubatheory.problems.draw import Draw
from arubatheory.problems.mixtures import Mixture, loss_at, minimiser, random_mixture, weighted_loss
from arubatheory.statements.core import Assumption, Instance, Sides
from arubatheory.statements.functions import root

LOW, HIGH = -60, 20  # binary orders of log(1/delta) between which levels are sought
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


@kernel
def list_tree(M: Mixture, points: Array, star: Any, T: int) -> Listed:
    r"""[exact] All sequences against the learner with these actions, one for each history."""
    K = M.p.shape[0]
    n = K**T
    prob, paid, risk = np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype)
    compared, least, average = np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype)
    zero = star - star
    for o in range(n):
        counts = np.zeros(K, M.p.dtype)
        chance, middle = 1 + zero, zero
        first, width, code, rest = 0, 1, 0, n
        for _ in range(T):
            rest //= K
            k = (o // rest) % K
            x = points[first + code]
            chance = chance * M.p[k]
            paid[o] = paid[o] + loss_at(M, k, x)
            risk[o] = risk[o] + weighted_loss(M, M.p, x)
            compared[o] = compared[o] + loss_at(M, k, star)
            counts[k] = counts[k] + 1 + zero
            middle = middle + x
            first, code = first + width, code * K + k
            width *= K
        prob[o] = chance
        least[o] = weighted_loss(M, counts, minimiser(M, counts))
        average[o] = weighted_loss(M, M.p, middle / T)
    return Listed(prob, paid, risk, compared, least, average)


@kernel
def list_counts(M: Mixture, x: Any, star: Any, T: int) -> Listed:
    r"""[exact] The learner that plays x always, against K = 2 losses: sequences by how often the second one came."""
    n = T + 1
    prob, paid, risk = np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype)
    compared, least, average = np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype)
    zero = star - star
    first, second = np.zeros(n, M.p.dtype), np.zeros(n, M.p.dtype)  # powers of the two probabilities
    first[0], second[0] = 1 + zero, 1 + zero
    for c in range(T):
        first[c + 1], second[c + 1] = first[c] * M.p[0], second[c] * M.p[1]
    ways = 1 + zero
    for c in range(n):
        prob[c] = ways * first[T - c] * second[c]
        ways = ways * (T - c) / (c + 1)
        counts = np.zeros(2, M.p.dtype)
        counts[0], counts[1] = T - c + zero, c + zero
        paid[c], compared[c] = weighted_loss(M, counts, x), weighted_loss(M, counts, star)
        risk[c] = T * weighted_loss(M, M.p, x)
        least[c] = weighted_loss(M, counts, minimiser(M, counts))
        average[c] = weighted_loss(M, M.p, x)
    return Listed(prob, paid, risk, compared, least, average)


def listed(x: Instance) -> Listed:
    """The sequences of losses of a game, with what the learner pays on them."""
    if x.long:
        return on(list_counts, x.star)(x.M, x.points[0], x.star, x.T)
    return on(list_tree, x.star)(x.M, x.points, x.star, x.T)


def mean_over(values: Array, prob: Array) -> Any:
    r"""$\sum_o p_o x_o$."""
    return sum(prob * values)


class Tail(NamedTuple):
    r"""Of each sequence: it violates the claim at $\delta$ exactly when $gap > \sqrt{square \cdot L} + linear \cdot L$,
    $L = shift + \log\frac1\delta$. `size` is the sum of the magnitudes added in gap, where thresholds may be small."""

    gap: Array
    square: Array
    linear: Any
    shift: Any
    size: Any = 0


class Rising(NamedTuple):
    r"""Of each sequence: it violates the claim at $\delta$ exactly when $gap > threshold(params, L)$, $L =
    \log\frac1\delta$: increasing in L, each sequence by itself, and in the arithmetic of its arguments. `params`
    are numbers or arrays over the sequences; `size` is the sum of the magnitudes added in gap."""

    gap: Array
    params: tuple[Any, ...]
    threshold: Callable[[tuple[Any, ...], Any], Array]
    size: Any


def tail_sides(tail: Tail, prob: Array) -> tuple[Sides, ...]:
    r"""$P(\text{violation at }\delta) \le \delta$ for all $\delta\in(0,1)$ at once.

    Sequence o violates exactly where $\log\frac1\delta < L_o$. Just above $\delta = e^{-L_o}$ all sequences with
    $L \ge L_o$ violate, so that the claim is $L_o \le -\log P(L \ge L_o)$ for every $L_o > 0$. In exact arithmetic
    many sequences are left to `rising_sides`.
    """
    happens = prob > 0
    kept = np.flatnonzero(happens & (tail.gap > 0))
    if not len(kept):
        return (_short_of(tail.gap[happens], tail.size),)
    if is_exact(prob) and len(kept) > FEW:
        return rising_sides(Rising(tail.gap, (tail.square, tail.linear, tail.shift), _threshold, tail.size), prob)
    prob, gap, square = prob[kept], tail.gap[kept], tail.square[kept]
    levels = np.array([_level(g, s, tail.linear) - tail.shift for g, s in zip(gap, square, strict=True)], prob.dtype)
    beyond = _beyond_exactly(levels, prob, gap, square) if is_exact(prob) else _beyond(levels, prob)
    blur = tail.size / gap
    sides = [_tail_at(levels[o], beyond[o], len(prob), blur[o]) for o in range(len(prob)) if levels[o] > 0]
    return tuple(sides) or (Sides(0, 0, 1),)


def _short_of(gap: Array, size: Any) -> Sides:
    """Nothing violates the claim at any delta: the largest gap relative to its size is what search can climb from."""
    return Sides(max(gap), size, size) if size > 0 else Sides(0, 0, 1)


def rising_sides(tail: Rising, prob: Array) -> tuple[Sides, ...]:
    r"""The same for thresholds that have no inverse in closed form.

    $L_o$ is found in floats by bisection, from below, and then is a number like any other: whatever it is, that the
    sequences which violate at $\delta = e^{-L_o}$ have a probability of at most $\delta$ is an instance of the claim.
    In exact arithmetic only those four $L_o$ are judged that look worst in floats.
    """
    happens = prob > 0
    prob, gap = prob[happens], tail.gap[happens]
    params = tuple(a[happens] if isinstance(a, np.ndarray) else a for a in tail.params)
    lowest = tail.threshold(params, gap * 0 + exact(2.0**LOW) if is_exact(gap) else gap * 0 + 2.0**LOW)
    chances, gaps = approximate(prob), approximate(gap)
    levels = _bisected(gaps, approximate(params), tail.threshold)
    beyond = _beyond(levels, chances)
    if not is_exact(prob) and np.isnan(lowest).any():  # a root of a negative number: exact arithmetic will say so
        return (Sides(np.nan, np.nan, np.nan),)
    tried = np.flatnonzero(levels > 0)
    if not len(tried):
        return (_short_of(gap, tail.size),)
    if not is_exact(prob):
        return tuple(_tail_at(levels[o], beyond[o], len(prob), tail.size / gap[o]) for o in tried)
    with np.errstate(divide="ignore"):  # of a ball that is 0 in floats
        worst = tried[np.argsort(np.log(beyond[tried]) / levels[tried])[-4:]]
    return tuple(_violation_at(tail, params, gap, prob, levels[o]) for o in worst)


def _threshold(params: tuple[Any, ...], L: Any) -> Any:
    r"""That of a `Tail`."""
    square, linear, shift = params
    return root(square * (L + shift)) + linear * (L + shift)


def _bisected(gap: Array, params: tuple[Any, ...], threshold: Callable[[tuple[Any, ...], Any], Array]) -> Array:
    r"""For every sequence the largest L of $[2^{LOW}, 2^{HIGH}]$ with a gap beyond the threshold, a little below it; 0
    where there is none. In floats."""
    low, high = gap * 0 + LOW, gap * 0 + HIGH
    for _ in range(48):
        middle = (low + high) / 2
        past = gap > threshold(params, 2.0**middle)
        low, high = np.where(past, middle, low), np.where(past, high, middle)
    return np.where(low > LOW, 2.0**low * (1 - 2.0**-40), 0.0)


def _violation_at(tail: Rising, params: tuple[Any, ...], gap: Array, prob: Array, level: float) -> Sides:
    """The claim at one L, exactly."""
    L = exact(float(level))
    beyond = sum(prob[gap > tail.threshold(params, 0 * gap + L)])
    return _tail_at(L, beyond, len(prob), 0) if beyond > 0 else Sides(0, 0, 1)


def _level(gap: Any, square: Any, linear: Any) -> Any:
    r"""The root L of $gap = \sqrt{square \cdot L} + linear \cdot L$; if all of that is 0, an L beyond every -log P."""
    if not linear > 0:
        return gap * gap / square if square > 0 else 2**HIGH + 0 * gap
    reach = (root(square + 4 * linear * gap) - root(square)) / (2 * linear)
    return reach * reach


def _tail_at(level: Any, beyond: Any, n: int, blur: Any) -> Sides:
    rhs = -np.log(beyond)
    # The sum of n probabilities is off by as many roundings, and its logarithm by that much relative to it; a level is
    # about the square of a gap, which is off by its own size.
    return Sides(level, rhs, level + rhs + n / beyond + 2 * level * blur)


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


def sampled_game(draw: Draw, bend: bool = False, longest: int = 6) -> Instance:
    r"""A mixture, a learner and $\theta^\ast$: T = 1 .. 6 with every history free, or T up to $2^{longest}$ for a
    learner that stays where it is."""
    long = draw.boolean()
    if long:
        count, T = 2, 1 << draw.integer(1, longest)
        nodes = 1
    else:
        count = draw.integer(1, 3)
        T = draw.integer(1, (6, 6, 3)[count - 1])
        nodes = sum(count**t for t in range(T))
    return Instance(M=random_mixture(draw, count, bend), points=draw.unit(nodes), star=draw.unit(), T=T, long=long)


def in_unit(values: Any) -> Any:
    """How far values are from leaving [0, 1]."""
    return min(min(values), 1 - max(values))


def sums_to_one(p: Array) -> Any:
    r"""0 if the probabilities sum to 1 (up to the rounding of floats), negative if not."""
    gap = abs(sum(p) - 1)
    return gap - gap if gap * 2**40 < 1 else -gap


def slope_bound(M: Mixture) -> Any:
    r"""A bound G of the slopes of all losses on [0, 1]."""
    parts = zip(M.slope, M.bend, M.corner, M.z, strict=True)
    return max(abs(s) + 2 * b * (z if 2 * z > 1 else 1 - z) + c for s, b, c, z in parts)


ACTIONS = Assumption(r"\theta_t,\theta^\ast\in[0,1]", lambda x: min(in_unit(x.points), x.star, 1 - x.star))
CONVEX = Assumption(r"\ell\ \text{convex}", lambda x: min(min(x.M.bend), min(x.M.corner)))
PROBABLE = Assumption(r"p_k\ge0,\ \sum_kp_k=1", lambda x: min(min(x.M.p), sums_to_one(x.M.p)))
GAME = (PROBABLE, CONVEX, ACTIONS)
