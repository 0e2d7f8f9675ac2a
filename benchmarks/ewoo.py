r"""epsilon-EWOO: the compiled path against scipy's quad, and its accuracy against mpmath.

    python benchmarks/ewoo.py [--repetitions N]

The game is that of cor:ewoo with D = 1, alpha_t = 1, B_t uniform, eps = T^(-1/4) and the corollary's gamma. Peers:

* quad on the sufficient statistics: both integrals of an action by `scipy.integrate.quad` at its default tolerance, the
  integrand compiled C (`cc -O3 -march=native`) behind a LowLevelCallable, its exponent shifted to the maximum;
* literal quad: the same two integrals of the exponential of the summed losses, each a numpy sum over all past rounds.

Repetitions are interleaved, medians are compared. Then the relative errors against mpmath over sqrt(pq) and hi/lo.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
from _rows import agree
from _timing import measure
from scipy import LowLevelCallable
from scipy.integrate import quad

from arubatheory.arithmetic import Array
from arubatheory.learners.ewoo import eps_ewoo, exp_concavity, truncated_mean

T = 10_000
SAMPLE = 50
TARGETS = {"quad, C integrand": 30.0, "literal quad": 3000.0}
SOURCE = r"""
#include <math.h>
double mass(int n, double *x, void *u) { double *c = u; return exp(c[2] - c[0] / x[0] - c[1] * x[0]); }
double moment(int n, double *x, void *u) { return x[0] * mass(n, x, u); }
"""


def game(rounds: int) -> tuple[Array, float, float]:
    """B, eps and gamma of T rounds."""
    eps = rounds**-0.25
    return np.random.default_rng(0).uniform(0, 1, rounds), eps, exp_concavity(1.0, 1.0, eps)


def statistics_of(B: Array, eps: float, gamma: float, t: int) -> tuple[float, float]:
    """(p, q) before round t."""
    return gamma * math.fsum(B[:t] ** 2 + eps**2), gamma * t


def compile_integrands(folder: Path) -> tuple[Any, Any]:
    """The two integrands as C functions; a clear message and exit code 2 where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        print(
            "benchmarks/ewoo.py needs a C compiler named cc on the path (Debian: apt-get install gcc)", file=sys.stderr
        )
        sys.exit(2)
    source, library = folder / "ewoo.c", folder / "ewoo.so"
    source.write_text(SOURCE)
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
    subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    for function in (loaded.mass, loaded.moment):
        function.restype = ctypes.c_double
        function.argtypes = (ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
    return loaded.mass, loaded.moment


def quad_in_c(integrands: tuple[Any, Any]) -> Callable[[float, float, float, float], float]:
    """One action from the sufficient statistics; the callables are made once and read their numbers from a buffer."""
    data = (ctypes.c_double * 3)()
    mass, moment = (LowLevelCallable(f, ctypes.cast(data, ctypes.c_void_p)) for f in integrands)

    def action(p: float, q: float, lo: float, hi: float) -> float:
        peak = min(max(math.sqrt(p / q), lo), hi)
        data[:] = (p, q, p / peak + q * peak)
        return quad(moment, lo, hi)[0] / quad(mass, lo, hi)[0]

    return action


def literal_quad(B: Array, eps: float, gamma: float, lo: float, hi: float) -> float:
    """One action from the losses themselves, as def:ewoo is written."""
    squares = B**2 + eps**2

    def weight(x: float) -> float:
        return math.exp(-gamma * float(np.sum(squares / x + x)))

    mass = quad(weight, lo, hi)[0]
    return quad(lambda x: x * weight(x), lo, hi)[0] / mass if mass > 0 else math.nan


def reference(p: float, q: float, lo: float, hi: float) -> Any:
    """The mean by mpmath: tanh-sinh quadrature in log x between points where the density is below e^-80."""
    with mp.workdps(30):
        a, b, low, high = map(mp.mpf, (p, q, lo, hi))
        mode = min(max((1 + mp.sqrt(1 + 4 * a * b)) / (2 * b), low), high)
        P, g = a / mode, 1 if low < mode < high else b * mode - a / mode

        def density(v: Any) -> Any:
            d = mp.expm1(v)
            return mp.exp(v - g * d - P * d * d * mp.exp(-v))

        def end(sign: int, limit: Any) -> Any:
            far = 1 / (1 + abs(g) + mp.sqrt(P)) / 8
            while far < limit and density(sign * far) > mp.exp(-80):
                far *= mp.mpf("1.3")
            return sign * min(far, limit)

        left, right = end(-1, mp.log(mode / low) if low > 0 else mp.inf), end(1, mp.log(high / mode))
        cuts = [left, left / 2, left / 4, mp.mpf(0), right / 4, right / 2, right]
        cuts = [v for k, v in enumerate(cuts) if k == 0 or v > cuts[k - 1]]
        if len(cuts) == 1:
            return mode
        mass = mp.quad(density, cuts)
        return mode * (1 + mp.quad(lambda v: density(v) * mp.expm1(v), cuts) / mass)


def growth(repetitions: int) -> None:
    """The cost of an action as the horizon grows."""
    print("cost per action, compiled path (both domains of the paper)")
    for domain in ("appendix", "main"):
        for rounds in (100, 1000, 10_000, 100_000, 1_000_000):
            B, eps, gamma = game(rounds)
            calls = max(1, 20_000 // rounds)

            def run(B: Array = B, eps: float = eps, gamma: float = gamma, n: int = calls, domain: str = domain) -> None:
                for _ in range(n):
                    eps_ewoo(B, 1.0, 1.0, eps, gamma=gamma, domain=domain)

            run()
            seconds = measure({"ours": run}, min(repetitions, 9))["ours"] / (rounds * calls)
            print(f"   {domain:9s} T = {rounds:8d}   {seconds * 1e9:8.1f} ns/action")


def peers(integrands: tuple[Any, Any], repetitions: int) -> None:
    """Ratios to quad, per action, at T = 10^4."""
    B, eps, gamma = game(T)
    hi = math.hypot(1.0, eps)
    rounds = np.linspace(T // 10, T - 1, SAMPLE).astype(int)
    pairs = [statistics_of(B, eps, gamma, int(t)) for t in rounds]
    ours = eps_ewoo(B, 1.0, 1.0, eps, gamma=gamma).actions[:, 0]
    in_c = quad_in_c(integrands)
    contestants: dict[str, Callable[[], Any]] = {
        "compiled path": lambda: eps_ewoo(B, 1.0, 1.0, eps, gamma=gamma).actions,
        "quad, C integrand": lambda: [in_c(p, q, eps, hi) for p, q in pairs],
        "literal quad": lambda: literal_quad(B[: T - 1], eps, gamma, eps, hi),
    }
    counts = {"compiled path": T, "quad, C integrand": SAMPLE, "literal quad": 1}
    last = reference(*statistics_of(B, eps, gamma, T - 1), eps, hi)
    answers = {
        "compiled path": ours[T - 1],
        "quad, C integrand": in_c(*pairs[-1], eps, hi),
        "literal quad": literal_quad(B[: T - 1], eps, gamma, eps, hi),
    }
    agree("mpmath", [answers["compiled path"]], [float(last)], 1e-12)
    agree("quad, C integrand", [answers["compiled path"]], [answers["quad, C integrand"]], 1e-9)
    agree("literal quad", [answers["compiled path"]], [answers["literal quad"]], 1e-5)  # it is wrong by 1e-6
    median = measure(contestants, repetitions)
    cost = {name: seconds / counts[name] for name, seconds in median.items()}
    print(f"\nan action at T = {T}: against quad")
    for name, seconds in cost.items():
        error = float(abs(mp.mpf(float(answers[name])) / last - 1))
        note = ""
        if name in TARGETS:
            note = f"   compiled path is {seconds / cost['compiled path']:9.1f} x faster (target >= {TARGETS[name]:g})"
        print(f"   {name:18s} {seconds * 1e9:14.1f} ns/action   relative error {error:8.1e}{note}")


def literal_errors() -> None:
    """What a literal quad answers as the rounds add up."""
    print("\nrelative error in round T")
    for rounds in (100, 1000, 10_000, 100_000, 1_000_000):
        B, eps, gamma = game(rounds)
        hi = math.hypot(1.0, eps)
        want = reference(*statistics_of(B, eps, gamma, rounds - 1), eps, hi)
        ours = eps_ewoo(B, 1.0, 1.0, eps, gamma=gamma).actions[-1, 0]
        theirs = literal_quad(B[:-1], eps, gamma, eps, hi)
        errors = [float(abs(mp.mpf(float(x)) / want - 1)) for x in (ours, theirs)]
        print(f"   T = {rounds:8d}   compiled path {errors[0]:8.1e}   literal quad {errors[1]:8.1e}")


def accuracy() -> None:
    """The largest relative error against mpmath over five places of the mode, for each sqrt(pq) and hi/lo."""
    ratios = (1 + 1e-9, 1 + 1e-3, 2.0, 1e3, 1e6, 1e12, math.inf)
    print("\nlargest relative error of truncated_mean against mpmath; rows sqrt(pq), columns hi/lo (inf: lo = 0)")
    print(" " * 10 + "".join(f"{name:>10s}" for name in ("1+1e-9", "1+1e-3", "2", "1e3", "1e6", "1e12", "inf")))
    for power in range(-12, 13, 4):
        row = []
        for ratio in ratios:
            lo = 1 / ratio
            scale = math.log(ratio) if ratio < math.inf else 12 * math.log(10)
            places = [math.exp(-scale * (1 - where)) for where in (-0.5, 0.05, 0.5, 0.95, 1.5)]
            cases = [(10.0**power * peak, 10.0**power / peak, lo, 1.0) for peak in places]
            row.append(max(float(abs(mp.mpf(truncated_mean(*case)) / reference(*case) - 1)) for case in cases))
        print(f"   1e{power:+03d}   " + "".join(f"{e:10.1e}" for e in row))


def main() -> None:
    """Print costs, ratios and errors."""
    parser = argparse.ArgumentParser(description="epsilon-EWOO: compiled path, quad and mpmath side by side")
    parser.add_argument("--repetitions", type=int, default=21)
    repetitions = max(parser.parse_args().repetitions, 1)
    growth(repetitions)
    with tempfile.TemporaryDirectory() as folder:
        peers(compile_integrands(Path(folder)), repetitions)
    literal_errors()
    accuracy()


if __name__ == "__main__":
    main()
