r"""How near cor:ewoo/sharp is attained: all $B_t = 0$, T rounds of weight 1, and the best action near 0.

    python benchmarks/ewoo_root.py     # docs/theorems/similarity.md, S7

$x_t$ is the mean of the density $\exp(-\gamma(t-1)(x-\varepsilon)^2/x)$ on $[\varepsilon, \sqrt{D^2+\varepsilon^2}]$,
by the trapezoidal rule on the part that has weight. Prints regret beyond $\varepsilon T$, over the right side and over
its root.
"""

from __future__ import annotations

import numpy as np

POINTS, BLOCK, WIDTH = 1201, 4096, 12
RATIOS, LENGTHS = (0.3, 0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 3), (2**8, 2**12, 2**16)


def excess(ratio: float, T: int) -> tuple[float, float]:
    r"""$\sum_tx_t-\varepsilon T$ at $D = ratio$, $\varepsilon = 1$, over the right side and over its root."""
    mu, high, total = max(ratio**2, 1), np.hypot(ratio, 1), 0.0
    gamma = 2 / (ratio * mu)
    for first in range(0, T, BLOCK):
        a = gamma * np.arange(first, min(first + BLOCK, T))[:, None]
        z = np.minimum(high - 1, WIDTH / np.sqrt(np.maximum(a, 1e-9))) * np.linspace(0, 1, POINTS)
        density = np.exp(-a * z**2 / (1 + z))
        density[:, [0, -1]] /= 2
        total += float(((density * z).sum(axis=1) / density.sum(axis=1)).sum())
    root = float(np.sqrt(2 / np.pi * ratio * mu * T))
    return total / (root + ratio * mu * (1 + np.log(T + 1)) / 2), total / root


def main() -> None:
    """Print the ratios."""
    for ratio in RATIOS:
        for T in LENGTHS:
            bound, root = excess(ratio, T)
            print(f"D = {ratio} eps, T = {T}: {bound:.3f} of the bound, {root:.3f} of its root")


if __name__ == "__main__":
    main()
