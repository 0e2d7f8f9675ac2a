r"""Playing into arrays: one sequence, or n of them side by side.

A batch is a leading axis: of the losses, the domain, the start or the parameters, each of length n or 1 (then it serves
all runs); without any leading axis it is one run. Where a core is idle, runs of a batch are played by two threads, in
parts of some milliseconds each, so that a thread that waits for a core leaves the rest to the other.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from arubatheory.arithmetic import Array, Exact, is_exact
from arubatheory.kernel import borrowing, on
from arubatheory.learners.trajectory import Trajectory, finite
from arubatheory.problems.arguments import Runs
from arubatheory.problems.domains import Domain
from arubatheory.problems.losses import Losses, observe

LOAD = Path("/proc/loadavg")  # Linux's, whose fourth word says how many threads run or wait for a core, and of how many
PART = 1 << 20  # numbers that a thread reads before it asks for more: some milliseconds
ABREAST = 8  # runs that are played in turn, round by round, where one would wait for its own square root


def each_of(play: Any) -> Any:
    r"""[exact] The kernel that plays runs from `start` on, one for each row of `values`, by a borrowing kernel `play`.

    That is given losses, domain, start and rates (p,) of one run, `work` (3, d) to write on, and the actions and values
    to fill; actions of one row are to hold the last action only.
    """

    @borrowing
    def play_each(
        L: Losses, domain: Domain, phi: Array, rates: Array, work: Array, start: int, actions: Array, values: Array
    ) -> None:
        own = work[: 3 * phi.shape[1]].reshape(3, phi.shape[1])
        for k in range(values.shape[0]):
            n = start + k
            i, j, p, q = n % L.b.shape[0], n % domain.low.shape[0], n % phi.shape[0], n % rates.shape[0]
            losses = Losses(L.link[i], L.a[i], L.b[i], L.weight[i], L.ridge[i], L.c[i], L.kink[i])
            over = Domain(domain.kind, domain.low[j], domain.high[j], domain.center[j], domain.radius[j])
            play(losses, over, phi[p], rates[q], own, actions[k], values[k])

    return play_each


def rounds_of(step: Any) -> Any:
    r"""[exact] The kernel that writes the actions (m, d) and values (m,) of one run, with a step of `compiled_rounds`
    and its rates; see `each_of`."""

    @borrowing
    def play(L: Losses, domain: Domain, phi: Array, rates: Any, work: Array, actions: Array, values: Array) -> None:
        theta, g, memory = work[0], work[1], work[2]
        for j in range(theta.shape[0]):
            theta[j], memory[j] = phi[j], 0 * phi[j]
        for t in range(L.a.shape[0]):
            row = t if actions.shape[0] > 1 else 0
            for j in range(theta.shape[0]):
                actions[row, j] = theta[j]
            values[t] = observe(L, t, theta, g)
            step(domain, 0, phi, rates, t, theta, g, memory)

    return play


def room(runs: Runs, actions: bool, out: Trajectory | None) -> Trajectory:
    """Where a play is written: `out`, or new arrays.

    They are made by numpy and not in a kernel: numpy asks the system for huge pages, and a page fault for every 4 KB
    takes longer than the rounds that fill it.
    """
    *lead, d = runs.shape
    shapes = (*lead, d) if actions else (*lead[:-1], 0, d), tuple(lead), tuple(lead)
    dtype = runs.losses.a.dtype
    if out is None:
        return Trajectory(*(np.empty(shape, dtype) for shape in shapes))
    given: dict[str, Any] = {"the losses": runs.losses, "the domain": runs.domain[1:]}
    for name, array, shape in zip(Trajectory._fields, out, shapes, strict=True):
        _check_room(f"out.{name}", array, shape, dtype)
        for what, arrays in given.items():
            if any(np.may_share_memory(array, x) for x in arrays):
                raise ValueError(f"out.{name} must not share memory with {what}, got shape {array.shape}")
        given[f"out.{name}"] = (array,)
    return out


def _check_room(name: str, array: Any, shape: Any, dtype: Any) -> None:
    if not isinstance(array, np.ndarray) or array.shape != shape:
        raise ValueError(f"{name} must be an array of shape {shape}, got {getattr(array, 'shape', array)!r}")
    if array.dtype != dtype:
        raise ValueError(f"{name} must have dtype {dtype}, got {array.dtype} (shape {array.shape})")
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError(f"{name} must be C-ordered and writeable, got strides {array.strides} for shape {shape}")


# A kernel as one of `each_of` for losses and domains of one kind, and what it is given of the runs, then the gaps
# (n, m) to fill. It returns the sum of the values that it has played, which is not finite where it left the range of
# floats or met another loss.
Quick = tuple[Any, tuple[Any, ...]]


def played(
    name: str, play: Any, runs: Runs, rates: Array, actions: bool, out: Trajectory | None, quick: Quick | None = None
) -> Trajectory:
    r"""The trajectory of a kernel of `each_of` with `rates` (p,) or (n or 1, p), or of a quick one while that can."""
    found = room(runs, actions, out)
    total = _fill(quick[0], (*quick[1], found.gap.reshape(-1, runs.shape[-2])), runs, found) if quick else None
    if total is None or not (isinstance(total, Exact) or math.isfinite(total)):
        _fill(play, (*runs[:3], np.atleast_2d(rates)), runs, found)  # starts and rates are copies: `out` may be theirs
        found.gap[...], total = 0 * runs.losses.b.flat[0], None
    return finite(name, found, total)


def _fill(play: Any, given: tuple[Any, ...], runs: Runs, found: Trajectory) -> Any:
    """Plays runs into arrays, those of actions without rows for values only; the sum of what the parts return."""
    (m, d), n = runs.shape[-2:], found.values.size // runs.shape[-2]
    rows = found.actions.reshape(n, m, d) if found.actions.size else np.empty((n, 1, d), found.actions.dtype)
    values, sums = found.values.reshape(n, m), list[Any]()

    def part(start: int, stop: int) -> None:
        work = np.empty((2 * d + 4) * ABREAST, found.actions.dtype)
        with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what `finite` reports
            sums.append(on(play, runs.phi)(*given, work, start, rows[start:stop], values[start:stop]))

    in_parts(part, n, m * d, 1 if is_exact(values) else 2)
    return None if None in sums else sum(sums)


def in_parts(part: Callable[[int, int], None], n: int, size: int, threads: int) -> None:
    """Runs `part` over all of range(n), in parts of about PART numbers of which a run reads `size`; this thread and
    another, where a core has nothing else to do, take the next one that is left."""
    starts = range(0, n, max(1, PART // size))
    if len(starts) < 2 or threads < 2 or not _spare():
        part(0, n)
        return
    left = iter(starts)  # of a range: no two threads are given the same

    def work() -> None:
        for start in left:
            part(start, min(start + starts.step, n))

    other = _other().submit(work)
    work()
    if not other.cancel():  # as it is where nothing was left for it to begin
        other.result()


@functools.cache
def _other() -> ThreadPoolExecutor:
    """One thread that is kept: to start one is to wait for it, and on a busy machine that takes longer than a part."""
    os.register_at_fork(after_in_child=_other.cache_clear)  # where there is no such thread
    return ThreadPoolExecutor(1)


def _spare() -> bool:
    """Whether a core beside this thread's has nothing to do, as far as the system tells: where others leave two threads
    less than two cores, the one that waits for its turn makes the other wait, and both may be later than one alone."""
    cores = os.cpu_count() or 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    with contextlib.suppress(OSError, LookupError, ValueError):
        return usable > 1 and int(LOAD.read_text().split()[3].partition("/")[0]) < cores
    return usable > 1
