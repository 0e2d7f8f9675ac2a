"""The mutants of a source: one small change each, known by what is changed and where, without lines."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterator
from typing import NamedTuple

SWAPS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitXor: (ast.BitAnd,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "larger": "smaller", "smaller": "larger"}
SILENT = (ast.JoinedStr, ast.Assert)  # messages, and what only a checker of types reads


class Mutant(NamedTuple):
    """One change: bytes [start, end) of a file become `new`; `name` says what is changed and where, without lines."""

    path: str
    function: str
    line: int
    start: int
    end: int
    old: str
    new: str
    statement: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}  arubatheory/{self.path}:{self.line} {self.function}\n    {self.old}  ->  {self.new}"


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    seen: dict[tuple[str, ...], int] = {}
    for function, statement, node, new in _changes(ast.parse(source), "", ""):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        old = " ".join(source[start:end].decode().split())
        key = (path, function, statement, old, new)
        seen[key] = seen.get(key, 0) + 1
        name = hashlib.sha256(repr((*key, seen[key])).encode()).hexdigest()[:10]
        found.append(Mutant(path, function, node.lineno, start, end, old, new, statement, name))
    return found


def _changes(node: ast.AST, function: str, statement: str) -> Iterator[tuple[str, str, ast.expr | ast.stmt, str]]:
    if isinstance(node, SILENT) or getattr(node, "name", "") == "__repr__":
        return
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    if isinstance(node, ast.expr | ast.stmt):
        if isinstance(node, ast.stmt):
            header = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
            statement = ast.unparse(node) if not hasattr(node, "body") else " ".join(map(ast.unparse, header))
        for new in _replacements(node):
            yield function, statement, node, new
    test = getattr(node, "test", None)
    if isinstance(test, ast.Name | ast.Attribute | ast.Call) and ast.unparse(test) != "TYPE_CHECKING":
        yield function, statement, test, f"(not {ast.unparse(test)})"
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "op", "ops") or isinstance(node, ast.Raise):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child, function, statement)


def _replacements(node: ast.expr | ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.expr):
        yield from _expressions(node)
    elif isinstance(node, ast.AugAssign):
        yield from (ast.unparse(_with(node, op=swap())) for swap in SWAPS.get(type(node.op), ()))
        yield "pass"
    elif _can_go(node):
        yield "pass"
    elif isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None):
        yield "return None"
    elif isinstance(node, ast.Break | ast.Continue):
        yield "continue" if isinstance(node, ast.Break) else "break"


def _can_go(node: ast.stmt) -> bool:
    """Whether a statement may be left out without a name being missed."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant | ast.Yield)
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple)
    )


def _expressions(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for swap in SWAPS[type(op)]:
                yield f"({ast.unparse(_with(node, ops=[*node.ops[:k], swap(), *node.ops[k + 1 :]]))})"
    elif isinstance(node, ast.BinOp | ast.BoolOp):
        yield from (f"({ast.unparse(_with(node, op=swap()))})" for swap in SWAPS.get(type(node.op), ()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(_with(node, body=node.orelse, orelse=node.body))})"
    elif isinstance(node, ast.Constant):
        yield from _constants(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in NAMES:
            yield ast.unparse(_with(node, func=ast.Name(NAMES[node.func.id], ast.Load())))
        elif node.func.id == "abs":
            yield f"({ast.unparse(node.args[0])})"
        elif node.func.id == "range" and len(node.args) < 3:
            yield f"{ast.unparse(node)}[:-1]"


def _constants(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield str(value + 1)
        if value == 1:
            yield "0"
    elif isinstance(value, float):
        yield repr(2 * value or 1.0)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
