r"""Zheng, Huang and Kwok, Communication-efficient distributed blockwise momentum SGD with error-feedback, NeurIPS 2019.

Error feedback with steps $\eta_t$: $p_t=g_t+\frac{\eta_{t-1}}{\eta_t}e_t$, $e_{t+1}=p_t-C(p_t)$, where
$\|C(p)-p\|^2\le(1-\delta)\|p\|^2$; a second compressor follows on the server. In the proof of theorem 1; refuted by
Phuong and Phong (Communication-efficient distributed SGD with error-feedback, revisited, arXiv 2003.04706).

On trial: REFUTED at quick and standard (0.4 s, 3.3 s); /fixed-step SURVIVED at quick and standard (0.5 s, 6.4 s).
"""

from typing import Any

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim

BOUND = r"\|\tilde e_t+e_t\|^2\le\frac{8(1-\delta)G^2}{\delta^2}\left(1+\frac{16}{\delta^2}\right)"
GIVEN = (Assumption(r"|g_t|\le G", lambda x: x.G - abs(x.g).max()),)


def game(draw: Draw) -> Instance:
    r"""Slopes, what the compressors $C(p) = c_tp$ keep with $(1 - c_t)^2 \le 1 - \delta$, and steps."""
    T, G, lost = draw.size("T", 12), draw.positive(-4, 4), draw.unit()
    g, kept, rates = G * draw.real(-1, 1, T), 1 - lost * draw.real(-1, 1, (2, T)), draw.positive(-4, 4, T)
    return Instance(g=g, G=G, lost=lost, kept=kept, rates=rates)


@kernel
def errors(g, kept, rates):  # type: ignore[no-untyped-def]
    r"""[exact] The worker's and the server's error after all rounds."""
    e, server = 0 * g[0], 0 * g[0]
    for t in range(g.shape[0]):
        ratio = rates[t - 1] / rates[t] if t > 0 else 0 * g[0]
        p = g[t] + ratio * e
        q = kept[0, t] * p + ratio * server
        e, server = p - kept[0, t] * p, q - kept[1, t] * q
    return e, server


def bound(x: Instance, rates: Any) -> Sides:
    r"""$\delta^4(e + \tilde e)^2 \le 8(1 - \delta)G^2(\delta^2 + 16)$."""
    e, server = on(errors, x.g)(x.g, x.kept, rates)
    delta = 1 - x.lost * x.lost
    return Sides(delta**4 * (e + server) ** 2, 8 * (1 - delta) * x.G * x.G * (delta * delta + 16))


@claim("lem:error-feedback", BOUND, game, GIVEN)
def any_steps(x: Instance) -> Sides:
    r"""The error of two-way error feedback, any steps.

    False: the ratio of steps may blow the error up, and the bound does not see it."""
    return bound(x, x.rates)


@claim("lem:error-feedback/fixed-step", BOUND + r",\quad\eta_t=\eta", game, GIVEN)
def fixed_step(x: Instance) -> Sides:
    r"""The same for a fixed step.

    True."""
    return bound(x, 0 * x.rates + 1)
