r"""Claims about a random sample: $P(\text{lhs} > \text{rhs}) \le \delta$, or $E[\text{lhs} - \text{rhs}] \le 0$.

Where the sample space is finite and small, its outcomes are listed with their probabilities and both sides are exact
numbers (`at_worst`, `binomial_tail`): such a claim is an inequality like any other, and check and search refute it.
Where it is not, replicates are drawn (engine "simulate") and only an interval at a stated error level can speak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import Array, Exact, is_exact, regularized_beta
from arubatheory.kernel import on
from arubatheory.problems.numbers import as_items, as_numbers, check_count, in_common, real
from arubatheory.problems.scalar import smaller
from arubatheory.problems.signatures import typed
from arubatheory.statements.core import Instance, Sides


class Chance(NamedTuple):
    r"""`excess(instance, rng, n)`: n independent replicates (n,) of lhs - rhs.

    With `delta(instance)` the claim is $P(\text{excess} > 0) \le \delta$; with `reach(instance)`, a number that
    $|\text{excess}|$ never passes, it is $E[\text{excess}] \le 0$.
    """

    excess: Callable[[Instance, np.random.Generator, int], Array]
    delta: Callable[[Instance], float] | None = None
    reach: Callable[[Instance], float] | None = None


@typed
def binomial_tail(count: int, n: int, p: Any) -> Any:
    r"""$P(X \le count)$ for X binomial with n trials of probability $p \in [0, 1]$: a float, or a ball for an exact p.

    Raises ValueError for a count outside $\{0, \dots, n\}$ or a p outside [0, 1].
    """
    if not 0 <= count <= n:
        raise ValueError(f"count must be between 0 and n = {n}, got {count!r}")
    real("n", n, most=2**53)
    p = real("p", p, least=0, most=1, in_exact=isinstance(p, Exact))
    if count == n or p == 0:
        return 1 + 0 * p
    if p == 1:
        return 0 * p
    if isinstance(p, Exact):
        return regularized_beta(1 - p, n - count, count + 1)

    from scipy.special import betainc  # at first use: few statements need it, and every process would wait for it

    return float(betainc(n - count, count + 1, 1 - p))


@typed
def at_worst(
    excess: Array, price: Array, prob: Array, bound: Callable[[Any, Any], Any], share: int = 1
) -> tuple[Sides, ...]:
    r"""$P(\text{excess} > bound(price, \delta)) \le \delta/share$ for all $\delta \in (0, 1)$, where bound grows with
    the price, falls in $\delta$ and does not jump, from outcomes (n,): all or some of what can happen.

    Outcomes with an excess of at least e and a price of at most u have a probability P; if the claim failed on one of
    them at $\delta = share \cdot P$, it would fail on all of them just below. So it implies
    $e \le bound(u, share \cdot P)$. (Where prices are not ordered as the excesses are, that is necessary only.)
    """
    check_count("share", share)
    excess, price, prob = (_computed(*x) for x in (("excess", excess), ("price", price), ("prob", prob)))
    excess, price = in_common(excess, price, "excess and price")
    prob, excess = in_common(prob, excess, "prob and excess")
    prob, price = in_common(prob, price, "prob and price")
    if not excess.size == price.size == prob.size > 0:
        raise ValueError(f"excess, price and prob must have one length, got {excess!r}, {price!r} and {prob!r}")
    possible = [o for o in range(len(prob)) if prob[o] > 0]
    if not possible:
        return (Sides(0 * prob[0], 0 * prob[0]),)
    kept = [o for o in possible if excess[o] > 0] or [max(possible, key=lambda o: excess[o])]
    excess, price, prob = excess[kept], price[kept], prob[kept]
    sides = []
    for e, u in zip(excess, price, strict=True):
        as_bad = ((excess >= e - _blur(excess)) & (price <= u + _blur(price))).astype(bool)
        delta = sum(prob[as_bad]) * share
        sides.append(Sides(e, bound(u, on(smaller, delta)(delta, 0 * delta + 1))))
    return tuple(sides)


def _computed(name: str, value: Any) -> Array:
    """A vector of what a statement has computed: floats need not be finite."""
    items = as_items(name, value)
    if items.ndim != 1:
        raise ValueError(f"{name} must be a vector, got {value!r}")
    return items.astype(np.float64) if items.dtype.kind == "f" else as_numbers(name, items)


def _blur(values: Array) -> Any:
    """How far floats may be apart that rounding parted, beside the largest of them; exact numbers not at all."""
    return 0 if is_exact(values) else 2.0**-40 * abs(values).max()
