"""One hostile call and what may come of it: a result without NaN, or an error that names the argument and its value."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
import pickle
import random
import re
import resource
import signal
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from arubatheory import learners
from arubatheory.kernel import compiled
from tests.fuzz.bad_values import changed
from tests.fuzz.good_values import STATEFUL, WORLDS, arguments, receiver
from tests.fuzz.targets import Target, targets

SECONDS = 60 if compiled() else 5  # of processor time, a compiler's too: a call that takes longer hangs
MEMORY = 6 << 30  # bytes of addresses: a call that asks for more gets a MemoryError, which is a failure
FIXED = (
    "name",
    "bound",
    "words",
    "above",
    "least",
    "most",
    "in_exact",
)  # what a caller's own code writes, not its data
SHOWS = re.compile(r"\bgot\b|\b\w+=\S|the tape (holds|ran out)")  # how a message comes to the value
# NaN that is meant.
NAN = {
    "learners.transfer.meta_train": "without `playing` there are no regrets",
    **dict.fromkeys(
        ("problems.matrices.psd_margin", "problems.matrices.largest_eigenvalue", "problems.matrices.spectral_norm"),
        "is asked about what a statement has computed, which may have overflowed",
    ),
    **dict.fromkeys(
        (f"problems.plain_math.{name}" for name in ("sqrt", "log", "exp", "solve", "inverse", "norm_at_most")),
        "is asked about what a statement has computed, and says so where that has no real value",
    ),
    "statements.chance.at_worst": "is asked about what a statement has computed, which may have overflowed",
    "problems.numbers.as_items": "reads whatever is there, for those who look at it",
    **{f"problems.draw.{reader}Draw.array": "is given what was drawn" for reader in ("Random", "Grid", "Tape")},
    **{f"problems.draw.{reader}Draw.choice": "hands back what it is given" for reader in ("Random", "Grid", "Tape")},
}


class Hang(BaseException):
    """A call took longer than `SECONDS`."""


class Failure(NamedTuple):
    """A call that came to no good end: its number, which makes it again, and what was wrong."""

    index: int
    name: str
    kind: str
    detail: str


def _alarm(signum: int, frame: Any) -> None:
    raise Hang


def shown(value: Any) -> str:
    """A short text of any value, however it is made."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}: {type(error).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= 90 else f"{text[:87]}..."


def _snapshot(given: dict[str, Any]) -> dict[str, bytes]:
    found = {}
    for name, value in given.items():
        if name not in STATEFUL and name != "out" and not _is_vast(value) and not isinstance(value, Iterator):
            try:
                found[name] = pickle.dumps(_plain(value))
            except Exception:
                continue
    return found


def _plain(value: Any) -> Any:
    """What pickles alike as long as nothing is changed: a mask is shared until it is shown."""
    if isinstance(value, Iterator):
        return None
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return (value.data, np.ma.getmaskarray(value)) if isinstance(value, np.ma.MaskedArray) else value


def _is_vast(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.size > 10**6


def has_nan(value: Any, depth: int = 4) -> bool:
    """Whether a result holds NaN, in arrays, tuples, lists, dicts and attributes."""
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and not _is_vast(value) and bool(np.isnan(value).any())
    if depth == 0:
        return False
    if isinstance(value, dict):
        return any(has_nan(x, depth - 1) for x in value.values())
    return isinstance(value, tuple | list) and any(has_nan(x, depth - 1) for x in value)


def _documentation(target: Target) -> str:
    """What is written of a function, its class, and the functions whose errors it says it has."""
    texts = [inspect.getdoc(target.function) or "", inspect.getdoc(target.receiver) or ""]
    scope = {**vars(learners), **getattr(inspect.unwrap(target.function), "__globals__", {})}
    words = [word.rpartition(".") for word in re.findall(r"`([\w.]+)`", " ".join(texts))]
    named = (getattr(scope.get(home, target.receiver), name, scope.get(name)) for home, _, name in words)
    return "\n".join([*texts, *(inspect.getdoc(x) or "" for x in named if callable(x))])


def _complaint(error: Exception, target: Target, given: dict[str, Any]) -> str | None:
    """What is wrong with an error, or None: other kinds than ValueError and TypeError are as the documentation says."""
    if not isinstance(error, ValueError | TypeError):
        written = _documentation(target)
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind is not Exception]
        return None if any(kind in written for kind in kinds) else type(error).__name__
    text, names = str(error), {*inspect.signature(target.function).parameters, str(given.get("name", ""))}
    names |= {name[:-1] for name in names if name.endswith("s")}  # one of several
    if "draw" in given:
        names.add("tape")  # the draw's, which may not fit
    if target.receiver is not None:
        names |= set(inspect.signature(target.receiver).parameters)
    if not any(re.search(rf"\b{re.escape(name)}\b", text) for name in names if name):
        return f"{type(error).__name__} without the argument's name"
    if "np." in text and "np." not in repr(given):
        return f"{type(error).__name__} with a value as numpy writes it"
    return None if SHOWS.search(text) else f"{type(error).__name__} without the value"


class Fuzz:
    """Calls from a seed: call k is the same whatever was called before."""

    def __init__(self, seed: int = 0, only: str = "", hostile: bool = True) -> None:
        self.seed, self.hostile = seed, hostile
        self.targets = [t for t in targets() if only in t.name]
        self.count: Counter[str] = Counter()
        self.succeeded: Counter[str] = Counter()

    def prepared(self, k: int) -> tuple[Target, Any, dict[str, Any], list[str]]:
        """The target of call k, its receiver, its arguments, and which of them are hostile."""
        target = self.targets[k % len(self.targets)]
        rng, choose = np.random.default_rng([self.seed, k]), random.Random(f"{self.seed} {k}")
        world = WORLDS[choose.randrange(len(WORLDS))]
        given = arguments(target.function, target.name, world, rng)
        method = target.name.rpartition(".")[2]
        made = None if target.receiver is None else receiver(target.receiver, world, rng, method)
        names = [name for name in given if name not in FIXED]
        bad = choose.sample(names, min(len(names), 1 + (choose.random() < 0.25))) if self.hostile else []
        wrong = {name: changed(given[name], choose) for name in bad}
        if isinstance(wrong.get("budget"), int) and wrong["budget"] > 1000:
            wrong["budget"] = 2**70  # a budget that is not too large takes its time
        return target, made, {**given, **wrong}, bad

    def call(self, k: int) -> Failure | None:
        """Make call k."""
        target, made, given, bad = self.prepared(k)
        before = _snapshot(given)
        self.count[target.name] += 1
        outcome, detail = self._outcome(target, ([] if made is None else [made]), given)
        if outcome is None:
            after = _snapshot({name: given[name] for name in before})
            moved = [name for name in before if after.get(name) != before[name]]
            if not moved:
                return None
            outcome, detail = f"changed {moved[0]}", ""
        where = ", ".join(f"{'*' if name in bad else ''}{name}={shown(value)}" for name, value in given.items())
        return Failure(k, target.name, outcome, f"{detail[:160]} <- {where}")

    def _outcome(self, target: Target, made: list[Any], given: dict[str, Any]) -> tuple[str | None, str]:
        """What is wrong with what comes of a call, if anything, and a text of it."""
        signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)  # again: an exception in a callback of the collector is lost
        try:
            try:
                result = target.function(*made, **given)
                if isinstance(result, Iterator):
                    result = list(itertools.islice(result, 100))
            except Exception as error:
                return _complaint(error, target, given), str(error)
            self.succeeded[target.name] += 1
            nan = target.name not in NAN and has_nan(result)
            return ("NaN" if nan else None), shown(result)
        except Hang:
            return f"took longer than {SECONDS} s", ""
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def run(self, calls: Iterable[int]) -> list[Failure]:
        """Make these calls."""
        with limited(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return [failure for k in calls if (failure := self.call(k)) is not None]


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Time and memory are limited, each a `Hang` or a MemoryError beyond."""
    before, memory = signal.signal(signal.SIGPROF, _alarm), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, memory[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, memory)
        signal.signal(signal.SIGPROF, before)


def report(failures: list[Failure], most: int = 3) -> str:
    """The failures by function and kind, each kind with a few calls."""
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        groups.setdefault((failure.name, failure.kind), []).append(failure)
    lines = []
    for (name, kind), found in sorted(groups.items(), key=lambda group: -len(group[1])):
        lines.append(f"{len(found):6} {name}: {kind}")
        lines += [f"         call {f.index}: {f.detail}" for f in found[:most]]
    return "\n".join(lines)
