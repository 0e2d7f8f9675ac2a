r"""FTL on quadratics, AOGD, FTL on Bregman divergences and eps-FTL: nanoseconds a round and coordinate.

    python benchmarks/leaders.py [--repetitions N]

Every learner here does O(d) work a round, so what it cannot beat is memory: it reads d numbers a round and writes d
(eps-FTL reads two and writes two). The bound is measured in the same run: numpy copies an array of that size into a new
one, which, as for the learners, has to be mapped first. The kernels are measured, and `ftl` with its validation and
values beside its kernel. The peers are the straightforward numpy loops of the definitions. Repetitions are interleaved,
medians are compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import measure

from arubatheory.arithmetic import Array
from arubatheory.learners import ftl
from arubatheory.learners.eps_ftl import game_values, leaders
from arubatheory.learners.ftl import play_ftl
from arubatheory.learners.ogd import play_aogd
from arubatheory.learners.running_means import running_means
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean

SIZES = {10: 100_000, 1000: 2_000}
ROUNDS = 1_000_000  # of eps-FTL


def numpy_ftl(c: Array, phi: Array) -> Array:
    """The mean of the centres so far, round after round."""
    actions, s = np.empty_like(c), np.zeros(c.shape[1])
    actions[0] = phi
    for t in range(1, len(c)):
        s = s + c[t - 1]
        actions[t] = s / t
    return actions


def numpy_aogd(c: Array, phi: Array, radius: float) -> Array:
    """The projected step of size 1/t."""
    actions, x = np.empty_like(c), phi
    for t in range(len(c)):
        actions[t] = x
        x = x - (x - c[t]) / (t + 1)
        norm = np.sqrt(x @ x)
        if norm > radius:
            x = x * (radius / norm)
    return actions


def numpy_eps_ftl(B: Array, alpha: Array, eps: float, first: float) -> Array:
    """The root of the mean of B^2 + eps^2 so far."""
    actions, a, b = np.empty_like(B), 0.0, 0.0
    actions[0] = first
    for t in range(1, len(B)):
        a += alpha[t - 1] * (B[t - 1] ** 2 + eps**2)
        b += alpha[t - 1]
        actions[t] = np.sqrt(a / b)
    return actions


def show(learner: str, d: int, cells: int, ours: float, numpy: float, copy: float) -> None:
    """One line of the table."""
    print(
        f"{learner:22s} d = {d:5d}   {ours / cells * 1e9:8.2f} ns a round and coordinate   "
        f"{ours / copy:6.1f} x the copy's time   {numpy / ours:7.1f} x faster than numpy"
    )


def vectors(d: int, m: int, repetitions: int) -> None:
    """The learners on points of R^d."""
    rng = np.random.default_rng(0)
    c, phi, domain = rng.normal(size=(m, d)) / np.sqrt(d), np.zeros(d), ball(np.zeros(d), 2.0)
    L, alpha, R = losses("linear", 0, weight=0, ridge=1, c=c), np.ones(m), euclidean(d)
    runs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "FTL on quadratics": (
            lambda: play_ftl(L, domain, phi, R, 0 * alpha, c, 1).actions[:-1],
            lambda: numpy_ftl(c, phi),
        ),
        "  with values, checked": (lambda: ftl(L, domain, phi).actions, lambda: numpy_ftl(c, phi)),
        "FTL on divergences": (lambda: running_means(c, alpha, phi)[:-1], lambda: numpy_ftl(c, phi)),
        "AOGD": (lambda: play_aogd(L, domain, phi, alpha).actions, lambda: numpy_aogd(c, phi, 2.0)),
    }
    for name, (ours, peer) in runs.items():
        np.testing.assert_allclose(ours(), peer(), rtol=0, atol=1e-9, err_msg=name)
        median = measure({"ours": ours, "numpy": peer, "copy": c.copy}, repetitions)
        show(name, d, m * d, *median.values())


def scalars(repetitions: int) -> None:
    """eps-FTL on a long sequence."""
    rng = np.random.default_rng(1)
    D, eps = 2.0, 0.1
    B, alpha = D * rng.random(ROUNDS), rng.random(ROUNDS) + 0.5
    source, first = np.stack([B, alpha]), float(np.hypot(D, eps))

    def ours() -> Array:
        actions = leaders(B, alpha, eps, first, first, first)[:-1]
        game_values(B, alpha, actions)
        return actions

    def peer() -> Array:
        return numpy_eps_ftl(B, alpha, eps, first)

    np.testing.assert_allclose(ours(), peer(), rtol=1e-9)
    median = measure({"ours": ours, "numpy": peer, "copy": source.copy}, repetitions)
    show("eps-FTL", 1, ROUNDS, *median.values())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="leaders: kernels, numpy loops and a copy of memory side by side")
    parser.add_argument("--repetitions", type=int, default=11)
    repetitions = max(parser.parse_args().repetitions, 1)
    for d, m in SIZES.items():
        vectors(d, m, repetitions)
    scalars(min(repetitions, 5))


if __name__ == "__main__":
    main()
