"""The house in numbers: code lines, functions, bodies, classes, imports, labels (`python -m tests.house`)."""

from __future__ import annotations

import ast
import functools
import io
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "arubatheory"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = {
    "own": (
        *("own.py", "problems/own"),
        *(
            f"learners/{name}.py"
            for name in (
                "stepped",
                "compiled_rounds",
                "descents",
                "leader_steps",
                "interval_steps",
                "matrix_steps",
                "algorithm1",
            )
        ),
    ),
    "laboratory": (
        *("sources.py", "arithmetic.py", "kernel", "problems", "statements"),
        *("engines", "report", "cli", "testing.py"),
    ),
    "prove": ("prove",),
    "crosscheck": ("crosscheck",),
    "convex": ("convex",),
    "learners": ("learners", "untried"),
    "papers/aruba": ("papers/aruba",),
    "papers/classics": ("papers/classics",),
    "scaffold": ("scaffold", "plugin.py"),
    "doors": ("__init__.py", "__main__.py", "papers/__init__.py"),
}
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def docstring_lines(node: ast.AST) -> set[int]:
    """The lines of the docstring of one definition, or of the module."""
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
        return set()
    first = body[0].value
    is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
    return set(range(body[0].lineno, (body[0].end_lineno or 0) + 1)) if is_text else set()


@cache
def code_lines(path: Path) -> int:
    """Lines that hold code: docstrings of definitions, comments and blank lines do not count."""
    text, held = path.read_text(encoding="utf-8"), set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(parse(path)):
        if isinstance(node, Definition | ast.Module):
            held -= docstring_lines(node)
    return len(held)


def room_of(path: Path) -> str:
    """The room that a module of the package belongs to."""
    inside = path.relative_to(PACKAGE).as_posix()
    for room, parts in ROOMS.items():
        if any(inside == part or inside.startswith(f"{part}/") for part in parts):
            return room
    raise ValueError(f"no room for {inside}: name one in tests/house.py, with a budget")


@functools.cache
def size(room: str) -> int:
    """The code lines of a room."""
    return sum(code_lines(path) for path in MODULES if room_of(path) == room)


class Function(NamedTuple):
    """A function: where it is, its length without its docstring, and whether it is a kernel."""

    path: Path
    name: str
    length: int
    is_kernel: bool


def functions(paths: Iterable[Path] = MODULES) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    for path in paths:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1 - len(docstring_lines(node))
                marks = [ast.unparse(d) for d in node.decorator_list]
                words = ("kernel", "standing", "borrowing", "apart", "twin")
                kernel = any(word in mark for mark in marks for word in words)
                yield Function(path, node.name, length, kernel)


class _Renamed(ast.NodeTransformer):
    """Arguments and local names by the order in which they are met; docstrings and annotations left out."""

    def __init__(self, local: set[str]) -> None:
        self.local, self.names = local, {}  # type: ignore[var-annotated]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.local:
            return node
        return ast.Name(self.names.setdefault(node.id, f"v{len(self.names)}"), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.names.setdefault(node.arg, f"v{len(self.names)}"))


def body_of(node: ast.FunctionDef) -> str:
    """What a function does, after renaming: two functions with equal bodies are one."""
    local = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    local |= {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    fresh = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(fresh, ast.FunctionDef)
    statements = fresh.body[1:] if docstring_lines(fresh) else fresh.body
    renamed = _Renamed(local)
    head = renamed.visit(fresh.args)
    return ast.dump(head) + "".join(ast.dump(renamed.visit(s)) for s in statements)


def equal_bodies(paths: Iterable[Path] = MODULES) -> list[list[str]]:
    """Groups of functions that say the same in more than two lines."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef) and _lines(node) > 2:
                found.setdefault(body_of(node), []).append(f"{path.relative_to(ROOT).as_posix()}:{node.name}")
    return [names for names in found.values() if len(names) > 1]


def _lines(node: ast.FunctionDef) -> int:
    statements = node.body[1:] if docstring_lines(node) else node.body
    return (node.end_lineno or 0) - statements[0].lineno + 1 if statements else 0


def classes(paths: Iterable[Path] = MODULES) -> dict[str, list[str]]:
    """Where each class name stands."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    return found


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, at the top or inside a function; `from p import q` gives p and p.q."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(path: Path) -> str:
    """`arubatheory.engines.check` for arubatheory/engines/check.py."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def graph(paths: Iterable[Path] = MODULES) -> dict[str, set[str]]:
    """Which module of the package imports which, late imports included."""
    by_name = {dotted(path): path for path in paths}
    return {name: {i for i in imports(parse(path)) if i in by_name and i != name} for name, path in by_name.items()}


def reached(start: Iterable[str], edges: dict[str, set[str]]) -> set[str]:
    """The modules that these import, directly or through others, themselves included."""
    found, open_ = set(), list(start)
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += edges[name]
    return found


def circles(edges: dict[str, set[str]]) -> list[str]:
    """The modules that import themselves through others."""
    return sorted(name for name in edges if name in reached(edges[name], edges))


class Claim(NamedTuple):
    """A label where it is claimed, and how far below (or above) it the code of its sides begins."""

    label: str
    place: str
    distance: int | None


def claimed(paths: Iterable[Path] = MODULES) -> Iterator[Claim]:
    """Every `claim("label", ...)`; the distance is None where the sides live in another module."""
    for path in paths:
        tree = parse(path)
        defined = {n.name: n.lineno for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        below = {id(d): n.lineno for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) for d in n.decorator_list}
        over = {id(n.func): n.args[0] for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args}
        for node in ast.walk(tree):
            label = _label(node)
            if label is not None:
                end = below.get(id(node)) or _defined(over.get(id(node)), defined)
                place = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"  # type: ignore[attr-defined]
                yield Claim(label, place, None if end is None else abs(end - node.lineno))  # type: ignore[attr-defined]


def _label(node: ast.AST) -> str | None:
    """The label of a call of `claim`, or of something made of it, whose first argument is a literal with a slug."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "claim" and node.args):
        return None
    first = node.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _defined(sides: ast.AST | None, defined: dict[str, int]) -> int | None:
    """Where the function that is handed over, or the last one named in the expression, is defined."""
    if sides is None:
        return None
    if isinstance(sides, ast.Lambda):
        return sides.lineno
    named = [defined[n.id] for n in ast.walk(sides) if isinstance(n, ast.Name) and n.id in defined]
    return named[-1] if named else None


def main() -> None:
    """Print the house: code lines by folder, by room and in all."""
    folders: dict[str, int] = {}
    for path in MODULES:
        folder = path.parent.relative_to(ROOT).as_posix()
        folders[folder] = folders.get(folder, 0) + code_lines(path)
    for folder, lines in folders.items():
        print(f"{lines:7,} {folder}")
    print()
    for room in ROOMS:
        print(f"{size(room):7,} {room}")
    print(f"{sum(map(size, ROOMS)):7,} together")


if __name__ == "__main__":
    main()
