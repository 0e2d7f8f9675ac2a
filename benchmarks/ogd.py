r"""Online gradient descent on the unit ball, linear losses: the kernel against C and against a plain numpy loop.

    python benchmarks/ogd.py [--repetitions N]

All peers do the same job on the same arrays: they read the gradients (m, d), weights and offsets, and write the
actions and values out. Repetitions are interleaved, medians are compared. *Lazy* is OMD as def:omd prints it, *greedy*
the projected step of Zinkevich; only the greedy learner has a square root and a division on its serial chain.

The straightforward C loop is what one writes first (a pass for the norm, one for action and value, one for the step);
the unrolled one reads each gradient once, in one pass with four accumulators. Both: `cc -O3 -march=native`, without
-ffast-math.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import measure

from arubatheory.arithmetic import Array
from arubatheory.learners.mirror_descent import play_greedy_ogd, play_omd
from arubatheory.problems.domains import ball
from arubatheory.problems.losses import losses
from arubatheory.problems.regularizers import euclidean

ETA = 0.1
SIZES = {10: 20000, 1000: 1000}
TARGETS = {("numpy", 10): 150.0, ("straightforward C", 10): 1.2, ("unrolled C", 1000): 1.8}
SOURCE = r"""
#include <math.h>
#define ARGS long m, long d, const double *restrict a, const double *restrict b, const double *restrict w, \
    const double *restrict c, double r, const double *restrict phi, double eta, int lazy, \
    double *restrict s, double *restrict actions, double *restrict values

void straightforward(ARGS) {
    for (long j = 0; j < d; j++) s[j] = phi[j] - c[j];
    for (long i = 0; i < m; i++) {
        const double *g = a + i * d;
        double *x = actions + i * d;
        double square = 0, dot = 0;
        for (long j = 0; j < d; j++) square += s[j] * s[j];
        double k = square > r * r ? r / sqrt(square) : 1;
        for (long j = 0; j < d; j++) { x[j] = c[j] + k * s[j]; dot += g[j] * x[j]; }
        values[i] = w[i] * (dot - b[i]);
        double kept = lazy ? 1 : k, step = eta * w[i];
        for (long j = 0; j < d; j++) s[j] = kept * s[j] - step * g[j];
    }
}

void unrolled(ARGS) {
    double square = 0;
    for (long j = 0; j < d; j++) { s[j] = phi[j] - c[j]; square += s[j] * s[j]; }
    for (long i = 0; i < m; i++) {
        const double *g = a + i * d;
        double *x = actions + i * d;
        double k = square > r * r ? r / sqrt(square) : 1, kept = lazy ? 1 : k, step = eta * w[i];
        double dot[4] = {0, 0, 0, 0}, sum[4] = {0, 0, 0, 0};
        long j = 0;
        for (; j + 4 <= d; j += 4)
            for (int l = 0; l < 4; l++) {
                double x_l = c[j + l] + k * s[j + l], y_l = kept * s[j + l] - step * g[j + l];
                x[j + l] = x_l; s[j + l] = y_l;
                dot[l] += g[j + l] * x_l; sum[l] += y_l * y_l;
            }
        for (; j < d; j++) {
            double x_j = c[j] + k * s[j], y_j = kept * s[j] - step * g[j];
            x[j] = x_j; s[j] = y_j; dot[0] += g[j] * x_j; sum[0] += y_j * y_j;
        }
        values[i] = w[i] * ((dot[0] + dot[1]) + (dot[2] + dot[3]) - b[i]);
        square = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
"""


def compile_peers(folder: Path) -> ctypes.CDLL:
    """The C peers as a shared library; a clear message and exit code 2 where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("benchmarks/ogd.py needs a C compiler named cc on the path (Debian: apt-get install gcc)")
    source, library = folder / "ogd.c", folder / "ogd.so"
    source.write_text(SOURCE)
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"cc could not compile the C peers:\n{done.stderr}")
    return ctypes.CDLL(str(library))


def c_loop(function: Any, problem: tuple[Any, ...], lazy: bool) -> Callable[[], tuple[Array, Array]]:
    """A call of a C peer that allocates its outputs, as the kernel does."""
    L, domain, phi = problem
    m, d = L.a.shape
    address = [ctypes.c_void_p(x.ctypes.data) for x in (L.a, L.b, L.weight, domain.center)]
    start, radius = ctypes.c_void_p(phi.ctypes.data), ctypes.c_double(float(domain.radius[0]))

    def run() -> tuple[Array, Array]:
        s, actions, values = np.empty(d), np.empty((m, d)), np.empty(m)
        outputs = [ctypes.c_void_p(x.ctypes.data) for x in (s, actions, values)]
        size = (ctypes.c_long(m), ctypes.c_long(d))
        function(*size, *address, radius, start, ctypes.c_double(ETA), ctypes.c_int(lazy), *outputs)
        return actions, values

    return run


def numpy_loop(problem: tuple[Any, ...], lazy: bool) -> Callable[[], tuple[Array, Array]]:
    """What one writes in numpy: one round after the other."""
    L, domain, phi = problem
    c, r = domain.center, float(domain.radius[0])

    def run() -> tuple[Array, Array]:
        s, actions, values = phi - c, np.empty(L.a.shape), np.empty(len(L.a))
        for i in range(len(L.a)):
            norm = np.sqrt(s @ s)
            x = s if norm <= r else s * (r / norm)
            actions[i] = c + x
            values[i] = L.weight[i] * (L.a[i] @ actions[i] - L.b[i])
            s = (s if lazy else x) - ETA * L.weight[i] * L.a[i]
        return actions, values

    return run


def compare(library: ctypes.CDLL, d: int, m: int, lazy: bool, repetitions: int) -> None:
    """One table row per peer."""
    rng = np.random.default_rng(0)
    L, domain, phi = losses("linear", rng.normal(size=(m, d))), ball(np.zeros(d), 1.0), np.zeros(d)
    R, problem = euclidean(d), (L, domain, phi)
    ours = (lambda: play_omd(L, domain, R, phi, ETA)) if lazy else (lambda: play_greedy_ogd(L, domain, phi, ETA))
    peers: dict[str, Callable[[], Any]] = {
        "kernel": ours,
        "straightforward C": c_loop(library.straightforward, problem, lazy),
        "unrolled C": c_loop(library.unrolled, problem, lazy),
        "numpy": numpy_loop(problem, lazy),
    }
    for name, run in peers.items():
        actions, values = run()[:2]
        np.testing.assert_allclose(actions, ours()[0], rtol=0, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(values, ours()[1], rtol=0, atol=1e-9 * d, err_msg=name)
    median = measure(peers, repetitions)
    learner = "lazy OMD" if lazy else "greedy OGD"
    for name, seconds in median.items():
        ratio = seconds / median["kernel"] if name == "numpy" else median["kernel"] / seconds
        wanted = TARGETS.get((name, d))
        target = "" if wanted is None else f"   (target {'>=' if name == 'numpy' else '<='} {wanted:g})"
        what = "x faster than numpy" if name == "numpy" else "x its time"
        note = "" if name == "kernel" else f"kernel is {ratio:8.2f} {what}{target}"
        print(f"d = {d:5d}   {learner:10s}   {name:18s} {seconds / m * 1e9:10.1f} ns/round   {note}")


def main() -> None:
    """Print the comparison for d = 10 and d = 1000, lazy and greedy."""
    parser = argparse.ArgumentParser(description="OGD on the unit ball: kernel, C and numpy side by side")
    parser.add_argument("--repetitions", type=int, default=21)
    repetitions = max(parser.parse_args().repetitions, 1)
    with tempfile.TemporaryDirectory() as folder:
        library = compile_peers(Path(folder))
        for d, m in SIZES.items():
            for lazy in (True, False):
                compare(library, d, m, lazy, repetitions)


if __name__ == "__main__":
    main()
