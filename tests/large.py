r"""A campaign of 10^5 units and a store of 10^6 verdicts, at full size: the parent's memory, and times.

    python -m tests.large [--statements N] [--shards N] [--jobs N] [--executor WHERE] [--verdicts N] [--root FOLDER]

Prints what a unit costs the parent, which alone writes the store, and how many workers that keeps busy. Exit 1 if the
parent grows by more than `GROWTH` MB after the first tenth of the units. In the `--root` of an earlier run that was
stopped, the campaign goes on and the store is filled on. The same at a small size, without a clock:
tests/test_large.py.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from arubatheory.cli import main as command
from arubatheory.engines.executors import PROCESSES
from arubatheory.engines.source import Source
from arubatheory.engines.units import Unit
from arubatheory.engines.verdict import Status, Verdict
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.outcome import Outcome
from arubatheory.report.session import STORE, Event, Settings, run
from arubatheory.report.store import Store
from arubatheory.report.table import Watch
from arubatheory.sources import source_digest
from arubatheory.statements.effort import ENGINES
from tests.toy import user_file, verdict, witness

GROWTH = 16
SHARD = 2  # evaluations of a unit
VERBS = ("show thm:ftrlomd", "doctor", "report")


def campaign(
    root: Path, statements: int, shards: int, jobs: int, progress: Callable[[Event], None], executor: str = PROCESSES
) -> list[Outcome]:
    """So many cheap statements, each in so many units of `SHARD` evaluations; every tenth of them is false."""
    ENGINES["search"] = ENGINES["search"]._replace(shard=SHARD, longest=0)
    root.mkdir(parents=True, exist_ok=True)
    file = root / "bounds.py"
    file.write_text(user_file({f"my:s{k:05d}": 2 + (k % 10 == 0) for k in range(statements)}))
    settings = Settings(root, ("search",), str(shards * SHARD), jobs=jobs, source=Source(file), executor=executor)
    return run([settings.trial(s) for s in settings.source.statements().values()], settings, progress)


def heavy(label: str, seed: int) -> Verdict:
    """A verdict with a witness of about a kilobyte, which shares nothing with another."""
    made = witness(label, seed=seed, instance={"x": {"array": [f"{seed + 1}/{k + 2}" for k in range(40)]}})
    return verdict(label, Status.SURVIVED, engine="search", seed=seed, worst=made, digest=source_digest())


def fill(store: Store, labels: Sequence[str], count: int) -> None:
    """A store of so many units, and a verdict of each statement."""
    for k in range(store.finished(), count):
        label = labels[k % len(labels)]
        store.keep(Unit(label, "search", SHARD, k), heavy(label, k), 1.0)
    for k, label in enumerate(labels):
        store.settle(heavy(label, k))


class Memory:
    """The most memory that the parent has had, and its time a unit, after each twentieth of a campaign."""

    def __init__(self) -> None:
        self.watch, self.start, self.seen = Watch(quiet=True), time.perf_counter(), {0: 0.0}

    def __call__(self, event: Event) -> None:
        """One more unit."""
        self.watch(event)
        if event.done % max(1, event.of // 20) == 0:
            last, now = max(self.seen), time.perf_counter()
            self.seen[event.done] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            each = (now - self.start) / (event.done - last) * 1000
            print(f"{event.done:>9,} units {self.seen[event.done]:7.1f} MB {each:7.2f} ms a unit", flush=True)
            self.start = now

    def growth(self) -> float:
        """How much memory grew after the first tenth."""
        of = max(self.seen)
        return self.seen[of] - next(mb for done, mb in self.seen.items() if done >= of / 10)


@contextlib.contextmanager
def timed(what: str) -> Iterator[list[float]]:
    """Print how long it took, and how much of that this process computed; yields a list that gets the latter."""
    start, busy, spent = time.perf_counter(), time.process_time(), list[float]()
    yield spent
    spent.append(time.process_time() - busy)
    print(f"{what:<40} {time.perf_counter() - start:8.2f} s, {spent[0]:8.2f} s of this process", flush=True)


def large_campaign(root: Path, statements: int, shards: int, jobs: int, executor: str) -> float:
    """Run a campaign, and again when it is finished; the growth in MB."""
    memory, units = Memory(), statements * shards
    with timed(f"a campaign of {units:,} units") as spent:
        campaign(root, statements, shards, jobs, memory, executor)
    size = sum(path.stat().st_size for path in root.glob(f"{STORE}*"))
    print(f"a unit: {spent[0] / units * 1000:.2f} ms of the parent's CPU, {size / units:,.0f} bytes of store")
    print(f"with units of a second, the parent is the limit from {units / spent[0]:,.0f} workers on")
    with timed("the same again, all units stored"):
        campaign(root, statements, shards, jobs, Memory())
    return memory.growth()


def large_store(root: Path, verdicts: int) -> None:
    """Fill the store of the paper, and use it as every verb does."""
    path, labels = root / STORE, ARUBA.labels
    with timed(f"{verdicts:,} verdicts kept"), Store(path, "large") as store:
        fill(store, labels, verdicts)
    print(f"{path.stat().st_size / 1e6:,.0f} MB")
    with timed("open"):
        store = Store(path, "large")
    with timed("finished"):
        store.finished()
    with timed("1,000 units looked up"):
        for k in range(0, verdicts, max(1, verdicts // 1000)):
            assert store.done(Unit(labels[k % len(labels)], "search", SHARD, k))
    store.close()
    for verb in VERBS:
        with timed(verb), contextlib.redirect_stdout(io.StringIO()):
            command([*verb.split(), "--root", str(root)])


def main() -> int:
    """Both, at the size asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.large", description=(__doc__ or "").splitlines()[0])
    for name, size in (("statements", 1000), ("shards", 100), ("jobs", 2), ("verdicts", 10**6)):
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--executor", default=PROCESSES)
    parser.add_argument("--root", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = args.root or Path(folder)
        growth = large_campaign(root / "campaign", args.statements, args.shards, args.jobs, args.executor)
        large_store(root / "store", args.verdicts)
    print(f"the parent grew by {growth:.1f} MB after the first tenth of the units")
    return int(growth > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
