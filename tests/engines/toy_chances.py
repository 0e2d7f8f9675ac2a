"""Claims about a sample whose truth is known, in a file that the campaign can load as a user's."""

from __future__ import annotations

import math
from types import SimpleNamespace

from arubatheory.statements.chance import Chance
from arubatheory.statements.core import Statement


def hoeffding(label, constant):
    r"""$P(q - \hat q_T > (c \log(1/\delta)/T)^{1/2}) \le \delta$ of T Bernoulli draws: true for c = 1/2."""

    def excess(x, rng, n):
        gap = float(x.q) - rng.binomial(x.T, float(x.q), n) / x.T
        return gap - math.sqrt(constant * math.log(1 / x.delta) / x.T)

    def instance(draw):
        return SimpleNamespace(q=draw.unit(), T=draw.choice((16, 64, 256)), delta=draw.number(1, draw.choice((5, 20))))

    chance = Chance(excess, delta=lambda x: float(x.delta))
    return Statement(label=label, kind="claim", latex="y", instance=instance, chance=chance, engines=("simulate",))


ALL = tuple(hoeffding(f"toy:chance-{k}", c) for k, c in enumerate((0.5, 0.05, 0.6, 0.02)))
