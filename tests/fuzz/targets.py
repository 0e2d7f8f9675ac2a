"""What is fuzzed: every public function, class and method of the package, but what is left out here for a reason."""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import arubatheory

# Modules and names (`module` or `module.name`, without the package's name) that are not called.
LEFT_OUT = {
    "crosscheck": "tries the package itself: `doctor --deep` hands it nothing of a user's",
    "papers": "the statements of one paper, whose instances are drawn and never handed over; tests/power tries them",
    "report": "what the verbs show: reached by the verbs, of which every one is fuzzed",
    "cli": "reached by `main`, which is fuzzed with words instead of values",
    "scaffold": "reads a paper's source: reached by the verb `new`, which is fuzzed",
    "plugin": "called by pytest",
    "statements.blame": "tells of errors that others have raised",
    "__main__": "runs the command when it is imported",
    "sources": "reads the package's own files",
    "kernel": "compiles functions at import; nobody hands data to it",
    "convex.hindsight.grows": "called by `ftl` and `ftrl`, with losses that they have checked",
    "convex.problem.closed_form": "called by `ftl` and `ftrl`, with a problem that they have made",
    "convex.enclosure": "twins of kernels: called by `hindsight` alone, with a Problem that it has made",
    "learners.flat_leaders": "a twin of a kernel: called by `leaders` alone, with checked losses",
    "learners.carried.led": "called by `ftrl` and its state, after their checks",
    "learners.trajectory.finite": "called by learners, with what they have played and its sum",
    "learners.ftl.play_ftl": "called by `ftl` and the games, after their checks",
    "learners.ftl.found_leaders": "called by `ftl` and its state, after their checks",
    "learners.ftl.checked_curvature": "called by `ftl` and its state: the check itself",
    "learners.ewoo.action_after": "called by the state of `ewoo`, with what it has read",
    "learners.eps_ftl.leaders": "called by `eps_ftl` and the games, after their checks",
    "learners.eps_ftl.game_values": "called by `eps_ftl` and the games, after their checks",
    "learners.running_means.running_means": "called by `bregman_ftl` and the games, after their checks",
    "learners.leader_steps.with_one_more": "called by the state of `ftl` and `ftrl`, with what it has read",
    "learners.leader_steps.Leading": "a base without a step: each method is fuzzed in those that have one",
    "learners.linear_tasks": "twins of kernels: called by `meta_learn`, after its checks",
    "learners.algorithm1.learn_functions": "called by `meta_learn`, after its checks",
    "learners.algorithm1.sigmas_of": "called by `meta_learn`, after its checks",
    "learners.matrix_steps.in_norm": "called by learners with what they have checked",
    "learners.matrix_steps.diagonal": "called by learners with what they have checked",
    "learners.stepped.Learner": "a base without a step: each method is fuzzed in those that have one",
    "learners.compiled_rounds": "called by `play`, with a learner and losses that are checked",
    "learners.stepped.played_quickly": "called by `play`, with a learner and losses that are checked",
    "learners.stepped.played_as_functions": "called by the whole-sequence forms, with a learner they have made",
    "problems.tasks.as_data": "called with tasks that are read",
    "problems.own.steps": "asks a user's objects: what they answer is checked, tests/problems/test_own.py tries it",
    "problems.own.compiled": "asks a user's functions, where Python does not have to",
    "problems.own.least": "called by `hindsight`, with what it has read",
    "problems.own.rounds": "asks a user's functions: what they answer is checked, tests/problems/test_own.py tries it",
    "problems.own.sets.p_norm": "called with arrays that are read",
    "problems.own.sets.point": "reads for its callers, which are fuzzed",
    "problems.own.sets.Intersection": "takes its parts by place, any number of them",
    "own": "names of other modules",
    "learners.runs": "plays what its callers have checked",
    "learners.many_runs": "called by `meta_learn`, with what it has read",
    "learners.ewoo_exact": "twins of kernels: called by the games in exact numbers alone",
    "learners.ftrl.enclosed_ftrl": "a twin of a kernel, which has no argument of a user's",
    "learners.preconditioned.metric": "called with a checked preconditioner, by what plays it",
    "learners.preconditioned.metric_of_inverse": "called with a checked matrix, by what plays it",
    "learners.preconditioned.play_preconditioned": "documented as unvalidated: `preconditioned_omd` is what checks",
    "learners.preconditioner.whole": "called with factors that a decomposition has made",
    "learners.preconditioner.from_matrix": "called by `preconditioner`, after its checks",
    "learners.matrix_mean.mean_of_triangles": "called with the triangles of a state, by what keeps it",
    "learners.meta.best_actions": "called by `meta_learn`, after its checks",
    "learners.running_means.positive_weights": "called with the number of rounds that was read",
    "learners.trees": "called by `Aruba` alone, which hands over what it is given: fuzzed there",
    "problems.arguments.checked_rates": "called by learners whose signatures are checked",
    "problems.arguments.checked_runs": "called by learners whose signatures are checked",
    "problems.arguments.check_regularizers": "called by learners whose signatures are checked",
    "problems.scalar": "scalars inside kernels and their exact twins: arithmetic, not arguments",
    "problems.linear": "called with matrices that are checked already",
    "statements.functions": "parts of statements: their arguments are drawn instances",
    "statements.games": "parts of statements: their arguments are drawn instances",
    "statements.claim": "decorates the functions of a paper when its modules are imported",
    "statements.untrusted": "reads files, tried with the other files",
    "statements.readings": "reads the table of a paper: a file, tried with the other files",
    "statements.items": "reads the table of a paper: a file, tried with the other files",
    "statements.paper": "reads the modules of a paper: files, tried with the other files",
    "statements.effort.starts": "called by a campaign, after `budget_of`",
    "statements.effort.possible": "called by `budget_of` with a number",
    "statements.core.all_sides": "calls a user's function: what that raises is its own",
    "statements.growth.grows": "a decorator of a paper's functions",
    "statements.core.check_numbers": "calls a user's function: what that returns is its own",
    "statements.core.Columns": "two arrays of sides that the games of a paper have computed",
    "statements.core.estimated": "always raises Undecided: the sides of a claim without any",
    "statements.core.equality": "makes a tuple of whatever it is given",
    "statements.core.each_equal": "makes tuples of whatever it is given",
    "statements.core.statements_in": "looks through the names of a module",
    "statements.core.Statement.sides": "the sides that a statement has unless it is given others",
    "arithmetic.Exact": "an algebra: operands, not arguments, which tests/test_arithmetic.py tries",
    "arithmetic.Counter": "takes nothing",
    "arithmetic.ball": "an operand of that algebra",
    "arithmetic.midpoint": "an operand of that algebra",
    "arithmetic.enclosure": "an operand of that algebra",
    "arithmetic.at_real": "a part of exact twins",
    "arithmetic.integral": "a part of exact twins",
    "arithmetic.regularized_beta": "a part of exact twins",
    "arithmetic.approximate": "a picture of what is exact already",
    "arithmetic.wrapped": "a part of exact twins",
    "arithmetic.sure": "a part of exact twins: calls what they wrote there",
    "engines": "called by a campaign with what it has made, or with files: tried with the other files",
    "prove": "called with statements, with problems that PEPit has made, or with files; tests/prove tries bad ones",
    "problems.numbers.in_floats": "called with what a reader has read",
    "problems.numbers.spread": "called with what a reader has read",
    "problems.numbers.zeros_like": "called with what a reader has read",
    "problems.numbers.in_common": "called with what a reader has read",
    "problems.numbers.shaped": "called with what a reader has read",
    "problems.signatures": "decorates functions when their modules are imported",
    "problems.coarse.CoarseDraw": "a reader of engines: what it inherits is fuzzed in `problems.draw`",
    "problems.coarse.LenientDraw": "a reader of engines: what it inherits is fuzzed in `problems.draw`",
    "problems.duals": "numbers and a reader of one engine: tests/problems/test_duals.py tries them",
    "problems.rows": "a reader of one engine, of tapes that it drew: tests/problems/test_rows.py tries it",
    "problems.coarse.HypothesisDraw": "asks Hypothesis: what it answers is fuzzed as the other readers are",
    "problems.draw.Draw": "a base without numbers: each method is fuzzed by its readers",
}
# Of what is left out, what users call themselves.
KEPT = (
    *("engines.check.check", "engines.search.search", "engines.rate.rate", "engines.simulate.simulate"),
    *("engines.exact.certify", "engines.units.units_of", "engines.worst_case.find_game"),
)


class Target(NamedTuple):
    """What is called: its name without the package's, and the class whose instances are its receivers, if any."""

    name: str
    function: Callable[..., Any]
    receiver: type | None = None


def all_modules() -> list[str]:
    """The modules and packages, without the package's name."""
    found = pkgutil.walk_packages(arubatheory.__path__, "arubatheory.", onerror=lambda name: None)
    return [module.name.partition(".")[2] for module in found]


def names_of(module: str) -> list[str]:
    """A module and what it defines, as they stand in `LEFT_OUT`."""
    path = Path(str(arubatheory.__file__)).parent.joinpath(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    inner = [(node.name, field) for node in defined for field in getattr(node, "body", [])]
    members = [
        f"{name}.{f.target.id}" for name, f in inner if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)
    ]
    return [module, *(f"{module}.{name}" for name in (*(node.name for node in defined), *members))]


def _modules() -> Iterator[ModuleType]:
    for name in all_modules():
        module = importlib.import_module(f"arubatheory.{name}") if reason(name) is None else None
        if module is not None and not hasattr(module, "__path__"):
            yield module


def reason(name: str) -> str | None:
    """Why `name` is left out: by itself, or with what it belongs to."""
    parts = name.split(".")
    wider = [".".join(parts[:k]) for k in range(len(parts), 0, -1)]
    if any(place in KEPT for place in wider) or any(kept.startswith(f"{name}.") for kept in KEPT):
        return None
    return next((LEFT_OUT[place] for place in wider if place in LEFT_OUT), None)


def _offered(module: ModuleType) -> Iterator[tuple[str, Any]]:
    short = module.__name__.partition(".")[2]
    kernels = _kernels(module)
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
        if own and callable(value) and name not in kernels and reason(f"{short}.{name}") is None:
            yield f"{short}.{name}", value


@cache
def _kernels(module: ModuleType) -> frozenset[str]:
    """The names of a module under `@kernel`, `@standing`, `@borrowing`, `@apart` or `@twin`, compiled or not: they
    check nothing, they are called inside kernels, by functions that do."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    under = {f.name: tuple(map(ast.unparse, f.decorator_list)) for f in functions}
    marks = ("kernel", "standing", "borrowing", "apart", "twin")
    return frozenset(name for name, decorators in under.items() if any(d.startswith(marks) for d in decorators))


def _of_class(name: str, kind: type) -> Iterator[Target]:
    if issubclass(kind, tuple | enum.Enum | BaseException):
        return
    yield Target(name, kind)
    bases = [b for b in kind.__mro__ if b is kind or b.__name__.startswith("_") or reason(_short(b)) is not None]
    for method in dict.fromkeys(m for base in bases for m, value in vars(base).items() if inspect.isfunction(value)):
        if not method.startswith("_") and reason(f"{name}.{method}") is None:
            yield Target(f"{name}.{method}", getattr(kind, method), kind)


def _short(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".partition(".")[2]


@cache
def targets() -> tuple[Target, ...]:
    """All of them, in the order of their modules."""
    found: list[Target] = []
    for module in _modules():
        for name, value in _offered(module):
            if inspect.isclass(value):
                found += _of_class(name, value)
            elif inspect.isfunction(value):
                found.append(Target(name, value))
    return tuple(found)
