r"""Appendix B, Strongly Convex Coupling: thm:coupling, its two parts and the displays of its proof.

The theorem takes C from $\|\theta\|_A \le C \|\theta\|_B$ for $\theta \in \Theta$; its proof needs it for differences
of points of $\Theta$. Where $\Theta$ is far from the origin the two have little to do with each other:
on $\{1\} \times [-h, h]$ the norm $\sqrt{x^2 + K^2 y^2}$ is nearly l2, and differences see K. The coupled sequences
are those of `pairing`.
"""

from __future__ import annotations

from typing import Any

from arubatheory.arithmetic import Array
from arubatheory.kernel import on
from arubatheory.papers.aruba.games.coupled_leaders import (
    COMPARATOR,
    GAME,
    QUADRATIC,
    actions_of,
    compared_game,
    convex_game,
    drops,
    drops_of,
    lipschitz_game,
    magnitudes,
    on_differences,
    on_the_domain,
    pairs_of,
    slopes_at,
)
from arubatheory.papers.aruba.games.leaders import root
from arubatheory.statements.core import Instance, Sides, Statement


# the theorem -------------------------------------------------------------------------------------------------------
def _bound(pairs: Array, C: Any, rows: Array) -> Any:
    r"""$2C\sum_t g_t g'_t/(\alpha_t + 2\alpha_{1:t-1})$ from the squares of C, g and g'."""
    return 2 * sum(root(C * (g * h)) / row[5] for (g, h), row in zip(pairs, rows, strict=True))


def _coupled(pairs: Any, constant: Any) -> Any:
    def sides(x: Instance) -> Sides:
        rows = drops_of(x)
        bound = _bound(pairs(x), constant(x), rows)
        return Sides(sum(rows[:, 0]), bound, sum(rows[:, 2]) + bound)

    return sides


# the proof ---------------------------------------------------------------------------------------------------------
def _compared(constant: Any) -> Any:
    def sides(x: Instance) -> Sides:
        C, row = constant(x), drops_of(x)[-1]
        lhs, rhs = root(row[3]), root(C * row[4])
        return Sides(lhs, rhs, lhs + rhs + magnitudes(x) * (1 + C))

    return sides


def _stable(x: Instance) -> Sides:
    C, row = on_differences(x), drops_of(x)[-1]
    lhs, rhs = root(C * row[4]), 2 * root(C * pairs_of(x)[-1, 1]) / row[5]
    return Sides(lhs, rhs, lhs + rhs + magnitudes(x) * (1 + C))


def _leads(x: Instance) -> Sides:
    actions = actions_of(x)
    rows = on(drops, x.phi)(x.losses, x.alpha, x.center, x.k, x.P, x.q, actions, x.comparator, x.A, x.B)
    return Sides(sum(rows[:, 0]), sum(rows[:, 1]), sum(rows[:, 2]))


def _lengths(rows: Array, pairs: Array) -> Any:
    r"""$\sum_t g_t \|\theta_t - \theta_{t+1}\|_A$."""
    return sum(root(g * row[3]) for (g, _), row in zip(pairs, rows, strict=True))


def _descended(pairs: Any) -> Any:
    def sides(x: Instance) -> Sides:
        rows, found = drops_of(x), pairs(x)
        lengths = _lengths(rows, found)
        slopes = sum(root(g) for g, _ in found) + sum(x.alpha) * x.k
        return Sides(sum(rows[:, 1]), lengths, sum(rows[:, 2]) + lengths + slopes * magnitudes(x))

    return sides


def _bounded(pairs: Any) -> Any:
    def sides(x: Instance) -> Sides:
        rows, found = drops_of(x), pairs(x)
        lengths, bound = _lengths(rows, found), _bound(found, on_differences(x), rows)
        # a gradient at theta_t near c_t is a small difference: alpha_t times the magnitudes is its yardstick
        size = magnitudes(x)
        slopes = sum(root(g) for g, _ in found) + x.k * sum(x.alpha) * size
        steep = sum((root(h) + sum(x.alpha) * size) / row[5] for (_, h), row in zip(found, rows, strict=True))
        return Sides(lengths, bound, lengths + bound + slopes * (size + root(on_differences(x)) * steep))

    return sides


# the statements ----------------------------------------------------------------------------------------------------
REGRET = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta^\ast)"
DESCENT = r"\sum_{t=1}^T\ell_t(\theta_t)-\ell_t(\theta_{t+1})"
STEP = r"\|\theta_t-\theta_{t+1}\|"
SLOPES = r"\|\nabla_t\|_{A,\ast}\|\nabla_t'\|_{B,\ast}"
BOUNDS = {
    "lipschitz": r"2C\sum_{t=1}^T\frac{G_tG_t'}{\alpha_t+2\alpha_{1:t-1}}",
    "convex": r"2C\sum_{t=1}^T\frac{" + SLOPES + r"}{\alpha_t+2\alpha_{1:t-1}}",
}
ON_THETA = r"\|\theta\|_A\le C\|\theta\|_B\ \forall\ \theta\in\Theta"
ON_ALL = r"\|\theta\|_A\le C\|\theta\|_B\ \forall\ \theta\in\mathbb R^d"
PARTS = {
    "lipschitz": ("Regret of FTL on Lipschitz losses by coupling", lipschitz_game, pairs_of, GAME),
    "convex": ("Regret of FTL on convex losses by coupling", convex_game, slopes_at, (*GAME, QUADRATIC)),
}
FALLS = (
    r"C is taken where the theorem takes it, on $\Theta$; the proof applies it to $\theta_t-\theta_{t+1}$, which is a "
    r"difference of points of $\Theta$ and may be a much longer vector in A than in B."
)
BEST = r" Of all $\theta^\ast$ the worst is tried, $\theta_{T+1}$."
LAST = "Tried for $t=T$: the first t losses are a game of their own."
LEMMAS = ("lem:btl", "lem:stability")


def _theorem(part: str) -> tuple[Statement, Statement]:
    title, instance, pairs, game = PARTS[part]
    label, claim = f"thm:coupling/{part}", REGRET + r"\le" + BOUNDS[part] + r",\quad "
    printed = Statement(
        label=label, kind="theorem", number="B.1", title=title, latex=claim + ON_THETA, instance=instance,
        sides=_coupled(pairs, on_the_domain), assumptions=game, part_of="thm:coupling", uses=("def:ftl", *LEMMAS),
        note=FALLS + BEST,
    )  # fmt: skip
    corrected = Statement(
        label=f"{label}/corrected", kind="theorem", number="B.1", title=f"{title}, C for all vectors",
        latex=claim + ON_ALL, instance=instance, sides=_coupled(pairs, on_differences), assumptions=game,
        part_of="thm:coupling", corrects=(label,), uses=("def:ftl", *LEMMAS),
        note=r"It is enough that $\|\theta-\phi\|_A\le C\|\theta-\phi\|_B$ for $\theta,\phi\in\Theta$." + BEST,
    )  # fmt: skip
    return printed, corrected


def _proof(part: str, n: str, title: str, latex: str, sides: Any, **more: Any) -> Statement:
    _, instance, _, game = PARTS[part]
    instance, game = more.pop("instance", instance), more.pop("assumptions", game)
    return Statement(
        label=f"thm:coupling/{part}/proof-{n}", kind="proof step", number="B.1", title=title, latex=latex,
        instance=instance, sides=sides, assumptions=game, step_of=f"thm:coupling/{part}", **more,
    )  # fmt: skip


COMPARED = STEP + r"_A\le C" + STEP + r"_B,\quad "
LENGTHS = r"\sum_{t=1}^TG_t" + STEP + "_A"
SLOPE_LENGTHS = r"\sum_{t=1}^T\|\nabla_t\|_{A,\ast}" + STEP + "_A"
STEPS = (
    _proof("lipschitz", "1", "From norm A to norm B", COMPARED + ON_THETA, _compared(on_the_domain),
           note=f"{LAST} {FALLS}"),
    _proof("lipschitz", "1/corrected", "From norm A to norm B, C for all vectors", COMPARED + ON_ALL,
           _compared(on_differences), corrects=("thm:coupling/lipschitz/proof-1",), note=LAST),
    _proof("lipschitz", "2", "Stability of the coupled sequence",
           "C" + STEP + r"_B\le\frac{2CG_t'}{\alpha_t+2\alpha_{1:t-1}}", _stable, uses=("lem:stability",), note=LAST),
    _proof("lipschitz", "3", "Be the leader", REGRET + r"\le" + DESCENT, _leads, uses=("lem:btl",),
           instance=compared_game, assumptions=(*GAME, COMPARATOR)),
    _proof("lipschitz", "4", "Lipschitz losses", DESCENT + r"\le" + LENGTHS, _descended(pairs_of)),
    _proof("lipschitz", "5", "The steps bounded", LENGTHS + r"\le" + BOUNDS["lipschitz"] + r",\quad " + ON_ALL,
           _bounded(pairs_of), note="With C for all vectors; as printed it falls with the first display."),
    _proof("convex", "1", "Convex losses", DESCENT + r"\le" + SLOPE_LENGTHS, _descended(slopes_at),
           uses=("clm:cdual",)),
    _proof("convex", "2", "The steps bounded", SLOPE_LENGTHS + r"\le" + BOUNDS["convex"] + r",\quad " + ON_ALL,
           _bounded(slopes_at), uses=("lem:stability",),
           note="With C for all vectors; as printed it falls with the first display of the other part."),
)  # fmt: skip

STATEMENTS = (*_theorem("lipschitz"), *_theorem("convex"), *STEPS)
