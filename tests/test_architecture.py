"""The house keeps its shape: imports point backwards, each heavy library has one door, modules stay readable."""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from arubatheory import papers
from tests import house, mutation
from tests.house import MODULES, PACKAGE, ROOT, imports, parse

LAYERS = (
    *("sources", "arithmetic", "kernel", "problems", "convex", "learners", "untried", "own", "statements", "papers"),
    *("engines", "prove", "crosscheck", "report", "scaffold", "testing", "plugin", "cli"),
)
DOORS = {
    "numba": {"kernel"},
    "flint": {"arithmetic", "prove"},
    "cmaes": {"engines.climb"},
    "hypothesis": {"problems.coarse", "testing"},  # testing: strategies for a user's own @given
    "latex2mathml": {"report.formula"},
    "jinja2": {"report.markup"},
    "packaging": {"report.doctor"},
    "rich": {"report.table"},
    "sqlite3": {"report.store"},
    "scipy": {"problems", "learners", "engines", "prove.dual", "prove.sums", "statements.growth", "statements.chance"},
    "matplotlib": set(),
    "pylatexenc": {"scaffold.latex"},
    "PEPit": {"engines.pep_games", "prove.pep"},
    "cvxpy": {"engines.pep_games", "prove.pep"},
    "clarabel": {"prove.dual"},
}
LONGEST = 450
BUDGETS = {  # code lines; a number only falls, unless an issue names new parts
    "laboratory": 12_302,
    "prove": 4_809,
    "crosscheck": 691,
    "own": 1_521,
    "convex": 1_283,
    "learners": 3_484,
    "papers/aruba": 11_149,
    "papers/classics": 1_079,
    "doors": 122,
    "scaffold": 464,
}
TOGETHER = 36_902
CHECKERS = {"certificate cells paths": 293, "boxes chains shifts slopes others": 727}  # code lines of prove/check_*.py
PRACTICE = 2_188  # code lines of practice/, which is no room of the package
FARTHEST = 40  # lines from a label to the code of its sides
GENERATED = {".venv", ".git", ".cache", "out", "build", "dist", "__pycache__", ".hypothesis"}
GENERATED |= {".mypy_cache", ".ruff_cache", ".pytest_cache"}

SOURCES = [
    path
    for top in ("arubatheory", "figures", "practice", "verification", "benchmarks", "tests")
    for path in sorted((ROOT / top).rglob("*.py"))
]


def name_of(path: Path) -> str:
    """`engines.check` for arubatheory/engines/check.py; "" for the package itself."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(name: str) -> int:
    """The place of a module in the chain of imports."""
    first = name.partition(".")[0]
    return len(LAYERS) - 1 if first == "__main__" else LAYERS.index(first)


def ours(tree: ast.AST) -> Iterator[str]:
    """The layers of this package that a module imports from."""
    for name in imports(tree):
        package, _, rest = name.partition(".")
        if package == "arubatheory" and rest.partition(".")[0] in LAYERS:
            yield rest


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def forward_imports(name: str, tree: ast.AST) -> list[str]:
    """What a module imports from layers above its own."""
    return [other for other in ours(tree) if layer_of(other) > layer_of(name)]


def closed_doors(name: str, tree: ast.AST) -> list[str]:
    """The guarded libraries that a module imports although it is not among their doors."""
    used = {library.partition(".")[0] for library in imports(tree)} & set(DOORS)
    return sorted(lib for lib in used if not any(name == door or name.startswith(door + ".") for door in DOORS[lib]))


def undocumented(tree: ast.Module) -> list[str]:
    """The public functions and classes of a module without a docstring; the module itself counts as well."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    missing = [node.name for node in public if not ast.get_docstring(node)]
    return missing if not tree.body or ast.get_docstring(tree) else ["the module", *missing]


def found_in(paths: Iterable[Path], find: Callable[[Path], list[str]]) -> dict[str, list[str]]:
    """What is found in each of the files in which anything is."""
    return {relative(path): found for path in paths if (found := find(path))}


def test_imports_point_backwards() -> None:
    inner = [path for path in MODULES if name_of(path)]
    assert found_in(inner, lambda path: forward_imports(name_of(path), parse(path))) == {}


def test_each_library_has_its_door() -> None:
    assert found_in(MODULES, lambda path: closed_doors(name_of(path), parse(path))) == {}


def test_the_package_never_imports_what_is_not_packaged() -> None:
    beside = {"figures", "practice", "verification", "tests"}
    assert found_in(MODULES, lambda path: sorted({n.partition(".")[0] for n in imports(parse(path))} & beside)) == {}


def test_public_names_have_docstrings() -> None:
    described = [path for path in SOURCES if "tests" not in path.relative_to(ROOT).parts]
    assert found_in(described, lambda path: undocumented(parse(path))) == {}


def test_modules_stay_readable() -> None:
    assert found_in(SOURCES, lambda path: path.read_text(encoding="utf-8").splitlines()[LONGEST:]) == {}


def test_the_laboratory_knows_no_paper() -> None:
    laboratory = [path for path in MODULES if name_of(path).split(".")[0] != "papers"]
    rooms = {f"arubatheory.papers.{name}" for name in papers.names()}  # importing the loader, `papers`, names none

    def known(path: Path) -> list[str]:
        return [name for name in imports(parse(path)) if ".".join(name.split(".")[:3]) in rooms]

    assert found_in(laboratory, known) == {}


# the rules of the house -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("room", house.ROOMS)
def test_each_room_keeps_its_budget(room: str) -> None:
    assert house.size(room) <= BUDGETS[room]


def test_the_house_keeps_its_budget() -> None:
    assert sum(map(house.size, house.ROOMS)) <= TOGETHER


@pytest.mark.parametrize("files", CHECKERS)
def test_what_checks_a_certificate_can_be_read(files: str) -> None:
    paths = [PACKAGE / "prove" / f"check_{file}.py" for file in files.split()]
    assert sum(map(house.code_lines, paths)) <= CHECKERS[files]


def test_practice_keeps_its_budget() -> None:
    assert sum(map(house.code_lines, (ROOT / "practice").rglob("*.py"))) <= PRACTICE


def test_functions_are_short() -> None:
    lengths = sorted(f.length for f in house.functions())
    assert statistics.median(lengths) <= 5 and lengths[int(0.9 * len(lengths))] <= 13
    assert [f for f in house.functions() if f.length > (45 if f.is_kernel else 30)] == []


def test_files_import_in_no_circle() -> None:
    assert house.circles(house.graph()) == []


def test_nothing_is_written_twice() -> None:
    assert house.equal_bodies() == []


def test_a_class_name_stands_for_one_thing() -> None:
    assert {name: places for name, places in house.classes().items() if len(places) > 1} == {}


def test_every_label_stands_literally_over_its_sides() -> None:
    found = list(house.claimed())
    shipped = [s.label for name in papers.names() for s in papers.paper(name).statements]
    assert sorted(c.label for c in found) == sorted(shipped)
    distances = [c.distance for c in found if c.distance is not None]
    assert statistics.median(distances) <= 12
    assert [c for c in found if c.distance is not None and c.distance > FARTHEST] == []


def test_what_is_shipped_is_on_trial_or_says_that_it_is_not() -> None:
    edges = house.graph()
    tried = house.reached((name for name in edges if ".papers." in name), edges)
    shipped = [name for name in edges if name.startswith("arubatheory.learners.")]
    assert [name for name in shipped if name not in tried] == []
    untried = [name for name in edges if name.startswith("arubatheory.untried.")]
    assert [name for name in untried if name in tried] == []


def test_no_public_name_is_there_for_its_test_alone() -> None:
    used = " ".join(p.read_text(encoding="utf-8") for p in text_files() if is_use(p))
    counts = Counter(re.findall(r"\w+", used))
    assert [name for name in public_names() if counts[name] < 2] == []


def is_use(path: Path) -> bool:
    """A source or a page that a user reads, not a test."""
    return path.suffix in {".py", ".md", ".toml"} and "tests" not in path.relative_to(ROOT).parts


def public_names() -> list[str]:
    """Public functions and classes of the package that are not claims."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    nodes = [node for path in MODULES for node in parse(path).body if isinstance(node, kinds)]
    claims = [d for n in nodes for d in n.decorator_list if "claim" in ast.unparse(d)]
    return [n.name for n in nodes if not n.name.startswith("_") and not set(n.decorator_list) & set(claims)]


def test_the_formatter_has_no_exceptions() -> None:
    assert [relative(path) for path in SOURCES if "fmt: " + "skip" in path.read_text(encoding="utf-8")] == []


MACHINE = re.compile(r"(?<![\w.~])/(?:home|root|Users|work)/\w")
INDEX = re.compile(r"https?://[^ \"]*/simple|--(?:extra-)?index-url|^ *(?:index|registry) *=", re.MULTILINE)


def text_files() -> Iterator[Path]:
    """The files of the source tree, made ones left out."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and not GENERATED & set(parts) and not any(part.endswith(".egg-info") for part in parts):
            yield path


def test_no_file_names_one_machine_or_one_package_index() -> None:
    found = []
    for path in text_files():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        hits = [*MACHINE.findall(text), *INDEX.findall(text), *([str(ROOT)] if str(ROOT) in text else [])]
        found += [f"{relative(path)}: {hit}" for hit in hits]
    assert found == []


def test_constraints_are_plain_versions() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines and all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", line) for line in lines)


def test_the_checks_above_can_fail() -> None:
    forward = ast.parse("def f():\n    from arubatheory.engines import check\n")
    assert forward_imports("learners.ftrl", forward) == ["engines", "engines.check"]
    assert forward_imports("cli", forward) == []
    assert forward_imports("kernel", ast.parse("from arubatheory import problems")) == ["problems"]
    assert closed_doors("learners.ftrl", ast.parse("import numba.core\nfrom cmaes import CMA")) == ["cmaes", "numba"]
    assert closed_doors("kernel", ast.parse("from numba import config")) == []
    assert undocumented(ast.parse('"""Doc."""\ndef f(): ...\ndef _g(): ...\nclass C:\n    """Doc."""')) == ["f"]
    assert found_in([ROOT / "a.py", ROOT / "b.py"], lambda path: ["x"] * (path.stem == "b")) == {"b.py": ["x"]}
    assert house.circles({"a": {"b"}, "b": {"a"}, "c": {"a"}}) == ["a", "b"]
    twice = "def f(a, b):\n    c = a + b\n    return c * c\ndef g(x, y):\n    z = x + y\n    return z * z\n"
    first, second = ast.parse(twice).body
    assert isinstance(first, ast.FunctionDef) and isinstance(second, ast.FunctionDef)
    assert house.body_of(first) == house.body_of(second)
    assert MACHINE.search("see " + "/home" + "/someone") and INDEX.search("pip --" + "index-url=x")


def test_every_module_that_is_mutated_has_its_tests():
    assert mutation.unlisted() == []
    named = {name for names in mutation.TESTS.values() for name in names.split()}
    assert [name for name in sorted(named) if not (ROOT / "tests" / name).is_file()] == []
