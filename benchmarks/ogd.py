r"""`omd` and `greedy_ogd` on the unit ball under linear losses, against C and against reading the gradients once.

    python benchmarks/ogd.py [--sweeps N]

What is measured are the public calls, checks included. C (`cc -O3 -march=native -ffast-math`) does the same in one pass
over the gradients and writes the same outputs: into arrays that numpy makes inside the clock, or into the same ones
again, as `out=` does. *Lazy* is OMD as def:omd prints it, *greedy* the projected step of Zinkevich; only the greedy
learner has a square root and a division on its serial chain.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _rows import Peers, agree, contest, row, sweeps_asked

from arubatheory.learners import Trajectory, greedy_ogd, omd
from arubatheory.problems.domains import Domain, ball
from arubatheory.problems.losses import Losses, losses
from arubatheory.problems.regularizers import euclidean

ETA = 0.1
SOURCE = r"""
#include <math.h>
void play(long m, long d, const double *restrict a, const double *restrict b, const double *restrict w,
          const double *restrict c, double r, const double *restrict phi, double eta, int lazy,
          double *restrict s, double *restrict actions, double *restrict values, double *restrict gap) {
    double square = 0;
    for (long j = 0; j < d; j++) { s[j] = phi[j] - c[j]; square += s[j] * s[j]; }
    for (long i = 0; i < m; i++) {
        const double *restrict g = a + i * d;
        double *restrict x = actions + i * d;
        double k = square > r * r ? r / sqrt(square) : 1, kept = lazy ? 1 : k, step = eta * w[i], dot = 0, sum = 0;
        for (long j = 0; j < d; j++) {
            double x_j = c[j] + k * s[j], y_j = kept * s[j] - step * g[j];
            x[j] = x_j; s[j] = y_j; dot += g[j] * x_j; sum += y_j * y_j;
        }
        values[i] = w[i] * (dot - b[i]);
        gap[i] = 0;
        square = sum;
    }
}
"""


def compiled(folder: Path) -> Any:
    """The C function, or None, with a line that says so, where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("the rows against C are left out: there is no C compiler named cc on the path")
        return None
    source, library = folder / "ogd.c", folder / "ogd.so"
    source.write_text(SOURCE)
    flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library)).play


def in_c(function: Any, L: Losses, domain: Domain, lazy: bool) -> Callable[..., Trajectory]:
    """A call of the C function that makes its outputs with numpy, or writes to `out`."""
    m, d = L.a.shape
    phi, s = np.zeros(d), np.empty(d)
    given = [ctypes.c_void_p(x.ctypes.data) for x in (L.a, L.b, L.weight, domain.center)]

    def run(out: Trajectory | None = None) -> Trajectory:
        into = Trajectory(np.empty((m, d)), np.empty(m), np.empty(m)) if out is None else out
        written = [ctypes.c_void_p(x.ctypes.data) for x in (s, *into)]
        start = ctypes.c_void_p(phi.ctypes.data)
        radius, eta = ctypes.c_double(float(domain.radius[0])), ctypes.c_double(ETA)
        function(ctypes.c_long(m), ctypes.c_long(d), *given, radius, start, eta, ctypes.c_int(lazy), *written)
        return into

    return run


def problem(m: int, d: int) -> tuple[Losses, Domain]:
    """Linear losses with random gradients, on the unit ball."""
    return losses("linear", np.random.default_rng(0).normal(size=(m, d))), ball(np.zeros(d), 1.0)


def learner(L: Losses, domain: Domain, lazy: bool) -> Callable[..., Trajectory]:
    """The public call."""
    phi, R = np.zeros(L.a.shape[1]), euclidean(L.a.shape[1])
    if lazy:
        return lambda **options: omd(L, domain, R, phi, ETA, **options)
    return lambda **options: greedy_ogd(L, domain, phi, ETA, **options)


def against_c(function: Any, lazy: bool, sweeps: int) -> None:
    """The rows for d = 10, T = 10^6."""
    L, domain = problem(10**6, 10)
    name, call, peer = ("omd" if lazy else "greedy_ogd"), learner(L, domain, lazy), in_c(function, L, domain, lazy)
    ours, theirs = call(), peer()
    agree("C", ours, theirs, 1e-7)
    new, again = f"{name}()", f"{name}(out=)"
    peers: Peers = {new: call, "C, new arrays": peer}
    peers |= {again: lambda: call(out=ours), "C, same arrays": lambda: peer(theirs)}
    found = contest(peers, sweeps)
    row("d = 10, T = 1e6, linear losses, ball", new, ["C, new arrays"], found, 1.2)
    row("d = 10, T = 1e6, linear losses, ball", again, ["C, same arrays"], found, 1.05)


def against_reading(function: Any, lazy: bool, sweeps: int) -> None:
    """The rows for d = 1000, T = 5 10^4, and what C reaches that writes the same."""
    L, domain = problem(50_000, 1000)
    name, call = ("omd" if lazy else "greedy_ogd"), learner(L, domain, lazy)
    out = call()
    agree("actions=False", [out.values], [call(actions=False).values])
    again, bare = f"{name}(out=)", f"{name}(actions=False)"
    peers: Peers = {again: lambda: call(out=out), bare: lambda: call(actions=False), "reading": lambda: L.a.sum()}
    reaches: dict[str, float | None] = {again: 2.5, bare: 1.8}
    if function is not None:
        peer = in_c(function, L, domain, lazy)
        agree("C", call(actions=False)[1:2], [peer(out).values], 1e-7)
        peers["C, same arrays"], reaches["C, same arrays"] = lambda: peer(out), None
    found = contest(peers, sweeps)
    for ours, reach in reaches.items():
        row("d = 1000, T = 5e4, linear losses, ball", ours, ["reading"], found, reach)


def main() -> None:
    """Print the rows."""
    sweeps = sweeps_asked("OGD on the unit ball: public calls, C and reading side by side")
    with tempfile.TemporaryDirectory() as folder:
        function = compiled(Path(folder))
        for lazy in (True, False):
            if function is not None:
                against_c(function, lazy, sweeps)
            against_reading(function, lazy, sweeps)


if __name__ == "__main__":
    main()
