r"""How tight are the regret bounds? What is claimed, what a semidefinite program says, what search finds.

    python -m verification.worst_case [--rounds N] [--evaluations N] [--jobs N] [--seed S] [--output FILE]

For every game of `engines.worst_case.GAMES` and n = 1..8 rounds: the worst ratio regret/bound by semidefinite
programming, and the worst that `search` finds in the statement restricted to exactly that game: n rounds, its class of
losses, at most three dimensions. Writes verification/worst_case.csv, which `arubatheory show` prints. The exit code is
1, and nothing is written, if search found more than a program allows: then one of the two routes is wrong.

Needs the extra `worst-case`. A game whose statement the paper's list does not have yet gets no `found`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402  (it reads the variables when it is first imported)

from arubatheory.engines.search import search  # noqa: E402
from arubatheory.engines.worst_case import GAMES, Game, worst_case  # noqa: E402
from arubatheory.kernel import on  # noqa: E402
from arubatheory.learners.mirror_descent import play_greedy_ogd  # noqa: E402
from arubatheory.papers.aruba import ARUBA  # noqa: E402
from arubatheory.papers.aruba.worst_cases import LABELS, caveat  # noqa: E402
from arubatheory.problems.domains import BOUNDED, SPACE  # noqa: E402
from arubatheory.problems.draw import Draw  # noqa: E402
from arubatheory.problems.losses import ABSOLUTE, DISTANCE, HINGE, LINEAR, Losses, random_losses  # noqa: E402
from arubatheory.problems.random_domains import random_domain, random_point  # noqa: E402
from arubatheory.problems.regularizers import EUCLIDEAN, Regularizer  # noqa: E402
from arubatheory.report.worst_cases import TABLE, WorstCase  # noqa: E402
from arubatheory.statements.core import Instance, Sides, Statement  # noqa: E402
from arubatheory.statements.games import ALL_LINKS, LIPSCHITZ_LINKS, regret_bound  # noqa: E402
from verification import shared  # noqa: E402

ROUNDS, EVALUATIONS, SEED = 8, 40_000, 1
# Every action is a convex program of its own: fewer evaluations by this factor.
SLOW = {("FTRL", "convex"): 4, ("FTL", "strongly convex"): 8}
MAX_DIMENSION = 3
FLAT_LINKS = (LINEAR, ABSOLUTE, HINGE, DISTANCE)  # piecewise linear: all strong convexity is that of the ridge
CONTRADICTION = 1e-6


def statement_of(game: Game, n: int) -> Statement | None:
    """The game's statement, restricted to n rounds and its class of losses; None if the paper's list has it not."""
    base = ARUBA.statement(LABELS[game.learner])
    if base is None:
        return None
    drawn = _strongly_convex(game, n) if game.logarithmic else _lipschitz(game, n)
    sides = _greedy if game.learner == "greedy OGD" else base.sides
    label = f"{base.label}/{game.learner}-{game.losses}-{n}".replace(" ", "-")
    return replace(base, label=label, instance=drawn, sides=sides)


def _greedy(x: Instance) -> Sides:
    actions = on(play_greedy_ogd, x.phi)(x.losses, x.domain, x.phi, x.eta).actions
    return regret_bound(x, actions, x.comparator)


def _lipschitz(game: Game, n: int) -> Callable[[Draw], Instance]:
    """Linear losses over any domain; convex ones of every link that is Lipschitz over it."""

    def instance(draw: Draw) -> Instance:
        d = draw.integer(1, MAX_DIMENSION)
        domain = random_domain(draw, d)
        links = (LINEAR,) if game.losses == "linear" else LIPSCHITZ_LINKS if domain.kind == SPACE else ALL_LINKS
        return Instance(
            domain=domain,
            R=Regularizer(EUCLIDEAN, draw.zeros((d, d))),
            phi=random_point(domain, draw),
            losses=random_losses(draw, n, d, domain, links, ridge=False),
            eta=draw.positive(),
            comparator=random_point(domain, draw),
        )

    return instance


def _strongly_convex(game: Game, n: int) -> Callable[[Draw], Instance]:
    r"""$\frac12\|\cdot - c_t\|^2$ with any $c_t$, or with piecewise linear losses added; every $\alpha_t$ is 1."""

    def instance(draw: Draw) -> Instance:
        d = draw.integer(1, MAX_DIMENSION)
        domain = random_domain(draw, d, BOUNDED)
        ones = draw.array([draw.number(1)] * n)
        if game.losses == "quadratic":
            zero, flat = draw.zeros((n, d)), draw.zeros(n)
            centers = draw.real(-1, 1, (n, d)) * draw.positive()
            drawn = Losses(np.full(n, LINEAR), zero, flat, flat, ones, centers, flat)
        else:
            drawn = random_losses(draw, n, d, domain, FLAT_LINKS, ridge=False)._replace(ridge=ones)
        return Instance(
            losses=drawn,
            domain=domain,
            R=Regularizer(EUCLIDEAN, draw.zeros((d, d))),
            phi=random_point(domain, draw),
            comparator=random_point(domain, draw),
            share=ones,
            alpha=draw.zeros(n),
            center=drawn.c,
        )

    return instance


def row(i: int, n: int, evaluations: int = EVALUATIONS, seed: int = SEED) -> WorstCase:
    """One row of the table: game number i of `GAMES` in n rounds."""
    game = GAMES[i]
    found = worst_case(game.learner, game.losses, n)
    statement = statement_of(game, n)
    spent = evaluations // SLOW.get((game.learner, game.losses), 1) if statement else 0
    worst = search(statement, spent, seed).worst_ratio if statement else None
    rebuilt = found.rebuilt.ratio if found.rebuilt else None
    label, open_question = LABELS[game.learner], caveat(game.learner, game.losses)
    return WorstCase(
        label, game.learner, game.losses, n, 1.0, found.value, game.kind, rebuilt, worst, spent, open_question
    )


def rows(rounds: int, evaluations: int, seed: int, jobs: int) -> Iterator[WorstCase]:
    """The table in order, computed by `jobs` processes."""
    plan = [(i, n, evaluations, seed) for i in range(len(GAMES)) for n in range(1, rounds + 1)]
    return shared(row, plan, jobs)


def contradicts(entry: WorstCase) -> bool:
    """Whether search found more than the semidefinite program allows."""
    return entry.found is not None and entry.found > entry.sdp + CONTRADICTION


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m verification.worst_case", description=__doc__)
    for name, default in (("rounds", ROUNDS), ("evaluations", EVALUATIONS), ("seed", SEED), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parents[1] / TABLE.location(ARUBA))
    given = parser.parse_args(arguments)
    for name in ("rounds", "evaluations", "jobs"):
        if getattr(given, name) < 1:
            parser.error(f"{name} must be >= 1, got {getattr(given, name)}")
    table = []
    print(f"{'learner':11s}{'losses':17s}{'n':>2s}{'SDP':>10s}{'rebuilt':>10s}{'found':>10s}{'share':>8s}  kind")
    for entry in rows(given.rounds, given.evaluations, given.seed, given.jobs):
        table.append(entry)
        print(_line(entry), flush=True)
    wrong = [entry for entry in table if contradicts(entry)]
    if wrong:
        print(f"search found more than the program allows, nothing is written: {wrong}", file=sys.stderr)
        return 1
    TABLE.write(given.output, table)
    print(f"wrote {given.output}")
    return 0


def _line(entry: WorstCase) -> str:
    shown = "".join(f"{value:10.6f}" if value is not None else f"{'-':>10s}" for value in (entry.rebuilt, entry.found))
    share = "-" if entry.found is None else f"{entry.found / entry.sdp:.2%}"
    return f"{entry.learner:11s}{entry.losses:17s}{entry.n:2d}{entry.sdp:10.6f}{shown}{share:>8s}  {entry.kind}"


if __name__ == "__main__":
    sys.exit(main())
