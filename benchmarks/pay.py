r"""Do the sharper forms pay? Algorithms 1 and 2 with the paper's choices against ours.

    python benchmarks/pay.py [--tasks T] [--seeds N]     # docs/theorems/pay.md

*Geometry*: the worlds of `geometry.py`, T tasks of m = 10 noisy quadratics in ten dimensions. Diagonal and full-matrix
learners with the choices of thm:diagonal, of the paper's experiments (p = 1) and of thm:fullmatrix, against those of
thm:diagonal/sharp and thm:fullmatrix/sharp, which are told the diameter D of the ball and the largest gradient G over
it. *Similarity*: the families of problems/tasks.py, FTL of starts with eps-EWOO or eps-FTL; regret and upper
bound are those of one run, the two guarantees are the printed one (as corrected) and cor:epsewoo/sharp or
cor:epsftl/sharp, as they read for equal weights. Everything on average over the tasks, with the 95 % interval of the
mean over the seeds.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from adapting import explicit
from geometry import WORLDS, M, World, play, world
from scipy.stats import t as student

from arubatheory.learners.meta import eps_ewoo_rate, eps_ftl_rate, mean, meta_learn
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import subgradient
from arubatheory.problems.regularizers import euclidean
from arubatheory.problems.tasks import FAMILIES
from arubatheory.untried.geometry_meta import Rule, full_matrix, per_coordinate

SPREAD = 0.3  # V of the families
Choice = Callable[[int, int, float, float], Rule]
CHOICES: dict[str, Choice] = {
    "diagonal, ε = 1, ζ = √m, p = 2/5 (thm:diagonal)": lambda d, T, D, G: per_coordinate(d, 1.0, math.sqrt(M), 0.4),
    "diagonal, ε = ζ = 1, p = 1 (experiments)": lambda d, T, D, G: per_coordinate(d, 1.0, 1.0, 1.0),
    "diagonal, ε = 1, ζ = √m, once": lambda d, T, D, G: per_coordinate(d, 1.0, math.sqrt(M), math.inf),
    "diagonal, ε = D/2, ζ = G√(m/2), once (ours)": lambda d, T, D, G: per_coordinate(
        d, D / 2, G * math.sqrt(M / 2), math.inf
    ),
    "matrix, ε = T^(-1/8), ζ = ε√m (thm:fullmatrix)": lambda d, T, D, G: full_matrix(
        d, T**-0.125, math.sqrt(M) * T**-0.125
    ),
    "matrix, ε = 1, ζ = √m, once": lambda d, T, D, G: full_matrix(d, 1.0, math.sqrt(M), p=math.inf),
    "matrix, ε = D/2, ζ = G√(m/2), once (ours)": lambda d, T, D, G: full_matrix(
        d, D / 2, G * math.sqrt(M / 2), p=math.inf
    ),
}


def interval(values: list[float]) -> str:
    """The mean and half the width of its 95 % interval."""
    x = np.array(values)
    half = student.ppf(0.975, len(x) - 1) * x.std(ddof=1) / math.sqrt(len(x)) if len(x) > 1 else math.nan
    return f"{x.mean():.3f} ± {half:.3f}"


def sizes(w: World) -> tuple[float, float]:
    """The diameter of the ball that `play` takes, and the largest gradient over it: of ½‖x − c‖² it is x − c."""
    radius, L, origin = 1.01 * float(np.linalg.norm(w.optima, axis=1).max()) + 1, w.tasks.losses, np.zeros(len(w.basis))
    farthest = max(float(np.linalg.norm(subgradient(L, i, origin))) for i in range(len(L.b)))
    return 2 * radius, farthest + radius


def geometries(T: int, seeds: range) -> None:
    """A table for each world."""
    for key, words in WORLDS.items():
        print(f"\nOptimal actions vary {words}; T = {T}, {len(seeds)} seeds\n")
        print("| choice | average regret | average bound |\n|---|---|---|")
        worlds = [world(key, T, seed) for seed in seeds]
        for name, choice in CHOICES.items():
            runs = [play(w, choice(w.optima.shape[1], T, *sizes(w))) for w in worlds]
            told = (interval([r.average_regret for r in runs]), interval([r.average_upper for r in runs]))
            print(f"| {name} | {' | '.join(told)} |", flush=True)


def sharper(V: float, radius: float, eps: float, T: int, learning: float, times: int) -> float:
    r"""cor:epsftl/sharp or cor:epsewoo/sharp over $\sigma T$, what SIM learns in `learning`."""
    v = math.sqrt(V * V + radius * radius / T * (math.log(T) / 2 + 2.789))
    return min(eps * eps / v, times * eps) + learning / T + 2 * v


def guarantees(sim: str, T: int, V: float, radius: float, eps: float) -> tuple[float, float]:
    """The printed guarantee (with the corrected 2 eps of EWOO) and ours, over sigma T."""
    D, harmonic = 2 * radius, float((1 / np.arange(1, T + 1)).sum())
    if sim == "ε-EWOO":
        price = D / 2 * max(D**2 / eps**2, 1) * (1 + math.log(T + 1))
        return explicit(np.ones(T), V, D, eps) / T, sharper(V, radius, eps, T, price, 2)
    printed = (min(eps * eps / V, eps) if V > 0 else eps) + 2 * D * max(D**3 / eps**3, 1) * harmonic / T
    printed += math.sqrt(8 * D * D * T * harmonic) / T + 2 * V
    return printed, sharper(V, radius, eps, T, D**4 / (4 * eps**3) * harmonic + D * D / (2 * eps), 1)


def similarity(T: int, seeds: range) -> None:
    """A line for each family and rule."""
    print(f"\nSimilar tasks; T = {T}, V = {SPREAD}, in units of σ, {len(seeds)} seeds\n")
    print("| family | SIM | average regret | average bound | printed | ours |\n|---|---|---|---|---|---|")
    for family, make in FAMILIES.items():
        for sim, power in (("ε-EWOO", 0.25), ("ε-FTL", 0.2)):
            regret, upper, printed, ours = [], [], [], []
            for seed in seeds:
                made = make(np.random.default_rng(seed), T, 10, 2, V=SPREAD, center=[0.5, 0.0])
                radius = 1.01 * float(np.linalg.norm(made.optima, axis=1).max())
                eps = 2 * radius * T**-power
                rule = (eps_ewoo_rate if sim == "ε-EWOO" else eps_ftl_rate)(2 * radius, eps)
                domain, R = ball(np.zeros(2), radius), euclidean(2)
                played = meta_learn(made.tasks, domain, R, mean(np.zeros(2)), rule, optima=made.optima)
                mass = played.sigma.sum()
                V = math.sqrt(((made.optima - made.optima.mean(axis=0)) ** 2).sum() / T / 2)
                both = guarantees(sim, T, V, radius, eps)
                for found, value in zip((printed, ours), both, strict=True):
                    found.append(value)
                regret.append(float(played.regret.sum() / mass))
                upper.append(float(played.upper.sum() / mass))
            print(f"| {family} | {sim} | {' | '.join(map(interval, (regret, upper, printed, ours)))} |", flush=True)


def main() -> None:
    """Print all tables in Markdown."""
    parser = argparse.ArgumentParser(description="the paper's choices against those of the sharper theorems")
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    geometries(given.tasks, range(given.seeds))
    similarity(given.tasks, range(given.seeds))


if __name__ == "__main__":
    main()
