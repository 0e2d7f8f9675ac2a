r"""A certificate: the claim, the scope it is proved in, and the exact numbers that prove it, as JSON.

Nothing in a file is believed. `prove.check_certificate` verifies the algebra and needs neither this package nor a
solver; `replay` rebuilds the problem from the statement and compares.
"""

from __future__ import annotations

import base64
import json
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from arubatheory.engines.verdict import PART, SMALL, WHOLE, Scope
from arubatheory.statements.untrusted import LARGEST, RecordError, check, parse_json, rational, read_text, short

SECONDS = 30.0  # for one certificate
GRAM, ALGEBRA, BOXES = METHODS = ("gram", "algebra", "boxes")
KINDS = {"label": str, "digest": str, "method": str, "scope": str, "shape": dict[str, Any], "slack": str}
KINDS["data"] = dict[str, Any]


class Proof(NamedTuple):
    r"""What is proved: the claim `label`, computed with the sources of `digest`, within `scope`.

    `scope` says it in words and `shape` as data; it is never larger than what was checked. With a `slack` s > 0 the
    right side is multiplied by 1 + s. `data` is what the `method` ("gram", "algebra" or "boxes") checks, every number
    an integer or a text "p/q".
    """

    label: str
    digest: str
    method: str
    scope: str
    shape: dict[str, Any]
    slack: Fraction
    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """As a dictionary of what JSON can hold."""
        return {**self._asdict(), "slack": str(self.slack)}

    def text(self) -> str:
        """As the text of a file."""
        return json.dumps(self.to_json(), separators=(",", ":")) + "\n"

    @property
    def extent(self) -> str:
        """Whether all of the claim is proved, a part of it with sizes of 2 and more, or small sizes only."""
        if self.shape.get("whole") and not self.slack:
            return WHOLE
        return PART if self.method == GRAM or is_shaped(self.shape) else SMALL

    @property
    def said(self) -> Scope:
        """What a verdict says of it."""
        packed = base64.b64encode(zlib.compress(self.text().encode(), 9)).decode()
        return Scope(self.method, self.extent, self.scope, self.shape, str(self.slack), packed)


def unpacked(scope: Scope) -> str:
    """The text of a certificate that a verdict holds. Raises ValueError for one that is none."""
    try:
        return zlib.decompressobj().decompress(base64.b64decode(scope.packed, validate=True), LARGEST).decode()
    except (ValueError, zlib.error) as error:
        raise ValueError(f"packed must be a certificate, got {short(scope.packed)}: {error}") from None


def is_shaped(shape: dict[str, Any]) -> bool:
    """Whether some cell has every size, an integer drawn from 1 on, at 2 or more, and a real that is free."""
    return any(
        any(low != high for low, high in reals) and all(low != 1 or high == 1 or k >= 2 for low, high, k, *_ in asked)
        for asked, reals in zip(shape["asked"], shape["reals"], strict=True)
    )


class Unproved(NamedTuple):
    """No certificate: why not, the least slack at which there is one (None: none was found), and the largest share of
    the paths of some cell that are proved, which proves nothing of the claim."""

    reason: str
    best: Fraction | None = None
    closed: float = 0.0


def read(path: Path) -> Proof:
    """The certificate in a file; raises RecordError, which is a ValueError, naming a file that is corrupt."""
    try:
        return proof_of(parse_json(read_text(path)))
    except FileNotFoundError:
        raise RecordError(f"there is no certificate file {str(path)!r}") from None
    except (ValueError, RecursionError) as error:
        raise RecordError(f"corrupt certificate file {str(path)!r}: {error}") from error


def proof_of(data: Any) -> Proof:
    """The certificate that a JSON object is; a ValueError names a field that is none of its kind."""
    check(data, dict[str, Any], "it")
    for name in sorted(data.keys() ^ KINDS.keys()):
        raise ValueError(f"{name} is {'missing' if name in KINDS else 'no field of it'}")
    for name, kind in KINDS.items():
        check(data[name], kind, name)
    if data["method"] not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {short(data['method'])}")
    slack = rational(data["slack"])
    if slack < 0:
        raise ValueError(f"slack must be >= 0, got {short(data['slack'])}")
    return Proof(**{**data, "slack": slack})
