r"""Novikoff, On convergence proofs for perceptrons, 1962: at most $(R/\gamma)^2$ mistakes.

On trial: SURVIVED at quick and standard (0.6 s, 5.6 s).
"""

from arubatheory import Assumption, Draw, Instance, Sides
from arubatheory.arithmetic import Array
from arubatheory.kernel import kernel, on
from arubatheory.papers.classics.claim import claim


def game(draw: Draw) -> Instance:
    r"""Examples $z_t$ (times their labels) with $\langle z_t, u\rangle = m_t > 0$ for a unit vector u."""
    T, d = draw.size("T", 12), draw.size("d", 3)
    u, z, m = draw.sphere(d), draw.real(-1, 1, (T, d)), draw.positive(-8, 0, T)
    for t in range(T):
        z[t] = z[t] + (m[t] - z[t] @ u) * u
    return Instance(z=z, u=u)


@kernel
def mistakes(z):  # type: ignore[no-untyped-def]
    r"""[exact] How often $\langle w, z_t\rangle \le 0$, where w is the sum of the $z_t$ of earlier mistakes."""
    w, count = 0 * z[0], 0
    for t in range(z.shape[0]):
        inner = 0 * w[0]
        for i in range(w.shape[0]):
            inner = inner + w[i] * z[t, i]
        if inner <= 0:
            count = count + 1
            for i in range(w.shape[0]):
                w[i] = w[i] + z[t, i]
    return count


def margins(x: Instance) -> Array:
    r"""$\langle z_t, u\rangle$."""
    inner: Array = x.z @ x.u
    return inner


@claim(
    "thm:perceptron",
    r"M\le\frac{R^2}{\gamma^2},\quad R=\max_t\|z_t\|,\ \gamma=\min_t\langle z_t,u\rangle,\ \|u\|=1",
    game,
    (Assumption(r"\gamma>0", lambda x: margins(x).min()),),
)
def sides(x: Instance) -> Sides:
    r"""The perceptron's mistakes.

    True. On trial times $\gamma^2$: all is rational."""
    gamma = margins(x).min()
    return Sides(on(mistakes, x.z)(x.z) * gamma * gamma, (x.z * x.z).sum(axis=1).max())
