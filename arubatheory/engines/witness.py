r"""Witnesses as data: an instance in rationals as JSON, and back.

A number is {"number": "3/4"} (a ball: {"ball": "1.41 +/- 1e-30"}, for the eye only), an array {"array": [...], "shape":
[...]}, a named tuple {"type": "Losses", "fields": {...}}; integers, booleans, strings are themselves, a "kind" tells
lists and arrays of booleans. Reading one back needs the statement: its generator says which named tuples there are.
"""

from __future__ import annotations

import contextlib
import functools
import json
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from arubatheory.arithmetic import FIRST_BITS, LAST_BITS, Exact, precision
from arubatheory.engines.evaluation import evaluated
from arubatheory.engines.exact import BrokenAssumption, Certificate, brief, certify_instance, in_floats, ratio_of, show
from arubatheory.engines.statistics import measured_sides
from arubatheory.engines.verdict import Witness
from arubatheory.problems.draw import RandomDraw, Tape, TapeDraw
from arubatheory.sources import source_digest
from arubatheory.statements.core import Instance, NotAnInstance, Statement, all_sides
from arubatheory.statements.untrusted import check, rational, short

RUNS = 16  # of what refutes, in floats: they must not differ
TEMPLATES = 64  # draws, before one that is an instance of its claim is given up


def encode(value: Any) -> Any:
    """The JSON form of one part of an instance; a TypeError names what has none."""
    if isinstance(value, Exact | Fraction):
        return {"number" if isinstance(value, Fraction) or value.is_rational else "ball": show(value)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuO":
        shape = list(value.shape)
        if value.dtype == object:
            return {"array": [show(x) for x in value.ravel().tolist()], "shape": shape}
        kind = {"kind": "booleans"} if value.dtype.kind == "b" else {}
        return {"integers": [int(x) for x in value.ravel()], "shape": shape, **kind}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = dict(zip(value._fields, value, strict=True))
        return {"type": type(value).__name__, "fields": {k: encode(v) for k, v in fields.items()}}
    if isinstance(value, tuple | list | range):
        return {"items": [encode(v) for v in value], **({"kind": "list"} if isinstance(value, list) else {})}
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    raise TypeError(f"an instance may not hold a {type(value).__name__}, but exact numbers and lists: {value!r:.99}")


def decode(data: Any, types: dict[str, type]) -> Any:
    """The exact value that `encode` wrote; a ValueError says what is corrupt."""
    if isinstance(data, bool | int | str) or data is None:
        return data
    if not isinstance(data, dict):
        raise ValueError(f"corrupt witness: cannot read the value {short(data)}")
    if "number" in data:
        return Exact(rational(data["number"]))
    if "array" in data or "integers" in data:
        return _array(data)
    if "items" in data:
        check(data["items"], list[Any], "items")
        return (list if data.get("kind") == "list" else tuple)(decode(v, types) for v in data["items"])
    if isinstance(data.get("type"), str) and data["type"] in types and isinstance(data.get("fields"), dict):
        return types[data["type"]](**{k: decode(v, types) for k, v in data["fields"].items()})
    raise ValueError(f"corrupt witness: cannot read the value {short(data)}")


def _array(data: dict[str, Any]) -> np.ndarray:
    check(data.get("shape"), list[int], "shape")
    if "integers" in data:
        check(data["integers"], list[int], "integers")
        kind = np.bool_ if data.get("kind") == "booleans" else np.int64
        return np.array(data["integers"], dtype=kind).reshape(data["shape"])
    check(data["array"], list[str], "array")
    out = np.empty(len(data["array"]), dtype=object)
    out[:] = [Exact(rational(x)) for x in data["array"]]
    return out.reshape(data["shape"])


def _types(value: Any) -> dict[str, type]:
    if not isinstance(value, tuple | list):
        return {}
    inside = {name: kind for part in value for name, kind in _types(part).items()}
    return inside | ({type(value).__name__: type(value)} if hasattr(value, "_fields") else {})


def encode_instance(instance: Instance) -> dict[str, Any]:
    """The named parts of an exact instance as JSON."""
    return {name: encode(value) for name, value in vars(instance).items()}


def decode_instance(data: dict[str, Any], statement: Statement) -> Instance:
    """The exact instance of a witness of `statement`; raises ValueError where the data is corrupt or does not fit."""
    parts, types = _template(statement)
    if not isinstance(data, dict) or set(data) != parts:
        got, needed = short(sorted(data) if isinstance(data, dict) else data), sorted(parts)
        raise ValueError(f"corrupt witness: {statement.label} needs the parts {needed}, got {got}")
    try:
        return Instance(**{name: decode(value, types) for name, value in data.items()})
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"corrupt witness: {str(error).removeprefix('corrupt witness: ')}") from error


@functools.lru_cache(maxsize=64)
def _template(statement: Statement) -> tuple[set[str], dict[str, type]]:
    """The names of the parts of an instance of a statement, and the types that they are made of."""
    for seed in range(TEMPLATES):
        with contextlib.suppress(NotAnInstance):
            parts = vars(statement.instance(RandomDraw(np.random.default_rng(seed))))
            return set(parts), _types(tuple(parts.values()))
    raise ValueError(f"{statement.label}: none of {TEMPLATES} draws is an instance of the claim")


def make_witness(
    statement: Statement, tape: Tape, certificate: Certificate, found_by: str, seed: int, note: str = ""
) -> Witness:
    """The record of one certified trial."""
    sides, instance = certificate.sides, certificate.instance
    ratio, measure = (None, "undefined") if sides is None else ratio_of(sides)
    return Witness(
        label=statement.label,
        found_by=found_by,
        seed=seed,
        digest=source_digest(),
        tape={"integers": list(tape.integers), "units": list(tape.units)},
        instance={} if instance is None else encode_instance(instance),
        lhs="undefined" if sides is None else brief(sides.lhs),
        rhs="undefined" if sides is None else brief(sides.rhs),
        ratio=ratio,
        measure=measure,
        certified=certificate.outcome,
        bits=certificate.bits,
        margins={latex: brief(margin) for latex, margin in certificate.margins.items()},
        note=note or certificate.reason,
    )


def check_again(witness: Witness, statement: Statement, certificate: Certificate) -> None:
    """Raises ValueError for a witness of `certificate` that is another each time, or none with integers that do not
    wrap around."""
    instance = statement.instance(TapeDraw(_tape(witness)))
    seen = {evaluated(statement, instance) for _ in range(RUNS)}
    if len(seen) > 1 or not redraws(witness, statement):
        raise ValueError("sides must be the same each time: no change in place (x = x + 1), no chance")
    parts = vars(certificate.instance or Instance())
    whole = {k: v.astype(object) for k, v in parts.items() if isinstance(v, np.ndarray) and v.dtype.kind in "iu"}
    with contextlib.suppress(TypeError, IndexError):  # no index is such an integer
        if whole and certify_instance(statement, Instance(**parts | whole)).outcome != certificate.outcome:
            raise ValueError("an array of integers leaves 64 bits, where numpy's wrap around: use int(k)")


def redraws(witness: Witness, statement: Statement) -> bool:
    """Whether the generator makes the stored instance from the stored draws.

    Only then do the assumptions hold by construction: margins alone do not show that a loss is convex, say.
    """
    return _drawn(witness, statement)[1] == witness.instance


def _drawn(witness: Witness, statement: Statement) -> tuple[Instance, dict[str, Any] | None]:
    """The instance that the generator makes from the stored draws, and its JSON form; none where they do not fit."""
    try:
        with precision(FIRST_BITS):  # as `certify` draws it
            instance = statement.instance(TapeDraw(_tape(witness), exact=True))
        return instance, encode_instance(instance)
    except (ValueError, TypeError, KeyError):
        return Instance(), None


def _tape(witness: Witness) -> Tape:
    return Tape(list(witness.tape["integers"]), list(witness.tape["units"]))


def _frame(data: Any) -> str:
    """What of an encoded instance is no rational number: its parts and shapes, integers and words."""

    def emptied(data: Any) -> Any:
        if isinstance(data, dict):
            return {k: len(v) if k == "array" else emptied(v) for k, v in data.items() if k != "number"}
        return [emptied(entry) for entry in data] if isinstance(data, list) else data

    return json.dumps(emptied(data), sort_keys=True)  # 1, 1.0 and true are three things there


class Replay(NamedTuple):
    """A witness looked at again: both sides now, whether they are what the file says (None: floats, which are not
    compared), and whether the file's draws make its instance."""

    outcome: str
    lhs: str
    rhs: str
    ratio: float | None
    bits: int
    margins: dict[str, str]
    agrees: bool | None
    redrawn: bool


def replay(witness: Witness, statement: Statement, exact: bool = True, last_bits: int = LAST_BITS) -> Replay:
    r"""Evaluate the stored instance again, in exact arithmetic or (`exact=False`) in floats.

    In floats the outcome is "float": a comparison of floats certifies nothing. Numbers may be others than those that
    the stored draws make, but what steers loops and indices may not. Raises ValueError for a witness of another
    statement or a corrupt one, `BrokenAssumption` if an assumption fails on the stored instance.
    """
    if witness.label != statement.label:
        raise ValueError(f"the witness belongs to {witness.label!r}, not to {statement.label!r}")
    instance, drawn = _drawn(witness, statement)
    redrawn = drawn == witness.instance
    instance = instance if redrawn else decode_instance(witness.instance, statement)  # a ball stands in no file
    if drawn is None or _frame(drawn) != _frame(witness.instance):
        raise ValueError("corrupt witness: its draws do not make an instance with these parts, shapes and integers")
    try:
        return _evaluated(witness, statement, instance, exact, last_bits)._replace(redrawn=redrawn)
    except Exception as error:
        if redrawn or isinstance(error, BrokenAssumption):
            raise
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"corrupt witness: its instance cannot be evaluated ({reason})") from error


def _evaluated(witness: Witness, statement: Statement, instance: Instance, exact: bool, last_bits: int) -> Replay:
    if exact and witness.certified != "float":
        seen = certify_instance(statement, instance, witness.bits if witness.certified == "undecided" else last_bits)
        lhs, rhs = ("undefined",) * 2 if seen.sides is None else (brief(seen.sides.lhs), brief(seen.sides.rhs))
        ratio = None if seen.sides is None else ratio_of(seen.sides)[0]
        margins = {k: brief(v) for k, v in seen.margins.items()}
        agrees = (seen.outcome, lhs, rhs, ratio) == (witness.certified, witness.lhs, witness.rhs, witness.ratio)
        return Replay(seen.outcome, lhs, rhs, ratio, seen.bits, margins, agrees, True)
    floats = in_floats(instance)
    with np.errstate(all="ignore"):  # other numbers than those drawn may be infinite here
        if witness.certified == "float" and (statement.growth or statement.chance):
            sides = measured_sides(statement, floats)
        else:
            sides = max(all_sides(statement, floats), key=lambda s: ratio_of(s)[0])
        margins = {a.latex: str(a.margin(floats)) for a in statement.assumptions}
    return Replay("float", str(sides.lhs), str(sides.rhs), ratio_of(sides)[0], 0, margins, None, True)
