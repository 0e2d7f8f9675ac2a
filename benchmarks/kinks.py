r"""What a kink costs, in numbers: the least that similar tasks cost over the printed bound, as d grows.

    python benchmarks/kinks.py     # docs/theorems/kinks.md

The game of thm:similarity/sharp/lower at kappa = 1, c = 2/d, T = d^4: the lower bound of the average
regret-upper-bound over $V + \rho(T, V)$ of thm:similarity, without constants, in balls; and over $100 D^2 (1 + \log T)$
times that, which is refuted where it exceeds 1.
"""

from __future__ import annotations

from arubatheory.arithmetic import Exact, precision
from arubatheory.papers.aruba.sharper.kinks import NAMED, quotient

SIZES = (*(10**k for k in range(1, 7)), 10**9, 10**12, 10**15)
BITS = 128


def main() -> None:
    """Print the table in Markdown."""
    print("| d | over V + ρ | over √d | with logarithms and 400 | refuted |\n|---|---|---|---|---|")
    with precision(BITS):
        for d in map(Exact, SIZES):
            ratio = quotient(d)
            named = ratio / (4 * NAMED * (1 + 4 * d.log()))
            cells = (ratio, ratio / d.sqrt(), named)
            refuted = "certified" if named > 1 else "no"
            print(f"| {d.v} | {' | '.join(x.v.str(6, radius=False) for x in cells)} | {refuted} |")


if __name__ == "__main__":
    main()
