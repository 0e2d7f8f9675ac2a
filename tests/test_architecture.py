"""The house keeps its shape: imports point backwards, each heavy library has one door, modules stay readable."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "arubatheory"
LAYERS = (
    *("arithmetic", "kernel", "problems", "convex", "learners", "untried", "statements", "papers"),
    *("engines", "report", "testing", "cli"),
)
DOORS = {
    "numba": {"kernel"},
    "flint": {"arithmetic"},
    "cmaes": {"engines.search"},
    "hypothesis": {"problems.draw", "engines.check", "testing"},  # testing: strategies for a user's own @given
    "latex2mathml": {"report.formula"},
    "rich": {"report.table"},
    "sqlite3": {"report.store"},
    "scipy": {"problems", "learners", "engines", "statements.growth", "statements.chance"},
    "matplotlib": set(),
    "PEPit": {"engines.pep_games"},
    "cvxpy": {"engines.pep_games"},
}
LONGEST = 450
GENERATED = {".venv", ".git", ".cache", "out", "build", "dist", "__pycache__", ".hypothesis"}
GENERATED |= {".mypy_cache", ".ruff_cache", ".pytest_cache"}

MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = [
    path
    for top in ("arubatheory", "figures", "verification", "benchmarks", "tests")
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


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, at the top or inside a function; `from p import q` gives p and p.q."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(tree: ast.AST) -> Iterator[str]:
    """The layers of this package that a module imports from."""
    for name in imports(tree):
        package, _, rest = name.partition(".")
        if package == "arubatheory" and rest.partition(".")[0] in LAYERS:
            yield rest


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


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


@pytest.mark.parametrize("path", [p for p in MODULES if name_of(p)], ids=relative)
def test_imports_point_backwards(path: Path) -> None:
    assert forward_imports(name_of(path), parse(path)) == []


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_each_library_has_its_door(path: Path) -> None:
    assert closed_doors(name_of(path), parse(path)) == []


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_the_package_never_imports_what_is_not_packaged(path: Path) -> None:
    assert not {name.partition(".")[0] for name in imports(parse(path))} & {"figures", "verification", "tests"}


@pytest.mark.parametrize("path", [p for p in SOURCES if "tests" not in p.relative_to(ROOT).parts], ids=relative)
def test_public_names_have_docstrings(path: Path) -> None:
    assert undocumented(parse(path)) == []


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_modules_stay_readable(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


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
    assert forward_imports("learners.leader", forward) == ["engines", "engines.check"]
    assert forward_imports("cli", forward) == []
    assert forward_imports("kernel", ast.parse("from arubatheory import problems")) == ["problems"]
    assert closed_doors("learners.leader", ast.parse("import numba.core\nfrom cmaes import CMA")) == ["cmaes", "numba"]
    assert closed_doors("kernel", ast.parse("from numba import config")) == []
    assert undocumented(ast.parse('"""Doc."""\ndef f(): ...\ndef _g(): ...\nclass C:\n    """Doc."""')) == ["f"]
    assert MACHINE.search("see " + "/home" + "/someone") and INDEX.search("pip --" + "index-url=x")
