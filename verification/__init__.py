r"""The trial of the whole paper: `python -m verification`, or one section at a time by the script named after it.

Settings stand in `campaign.toml`; any option of `arubatheory verify` may be added on the command line and wins.
`ledger.csv` holds the verdicts we stand by, `witnesses/` every counterexample on record.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import starmap
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from arubatheory.cli import main
from arubatheory.cli.codes import NOTHING, USAGE
from arubatheory.papers.aruba import ARUBA
from arubatheory.statements.untrusted import read_text

X = TypeVar("X")
HOME = Path(__file__).resolve().parent
SETTINGS = HOME / "campaign.toml"
PASSED = {"budget": str | int, "seed": int, "jobs": int, "executor": str, "timeout": int | float}
KEYS = {"engines": list, **PASSED, "page": str}


def settings(path: Path = SETTINGS) -> dict[str, Any]:
    """The settings of a campaign. Raises ValueError naming the file and a key that is unknown or of a wrong type."""
    try:
        found = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error
    for key, value in found.items():
        if key not in KEYS:
            raise ValueError(f"{path}: unknown setting {key!r}; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]) or isinstance(value, bool):
            raise ValueError(f"{path}: the setting {key} has a wrong type, got {value!r}")
    return found


def arguments(found: dict[str, Any], root: Path) -> list[str]:
    """The settings as arguments of `arubatheory verify`, without the page."""
    line = ["verify", "--root", str(root)]
    for engine in found.get("engines", []):
        line += ["--engine", str(engine)]
    for key in PASSED:
        if key in found:
            line += [f"--{key}", str(found[key])]
    return line


def shared(function: Callable[..., X], plan: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[X]:
    """The function of each entry of the plan, in its order, by so many processes. Raises ValueError for jobs < 1."""
    if jobs < 1:
        raise ValueError(f"jobs must be >= 1, got {jobs}")
    if jobs == 1:
        yield from starmap(function, plan)
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            yield from pool.map(function, *zip(*plan, strict=True))


def root() -> Path:
    """The folder that holds verification/, as a relative path where it is the current one."""
    return Path(".") if HOME.parent == Path.cwd() else HOME.parent


def campaign(extra: Sequence[str] = ()) -> int:
    """The whole paper: table, page, and the page's location as the last line. The exit code is that of `verify`."""
    try:
        found = settings()
    except ValueError as error:
        print(f"verification: error: {error}", file=sys.stderr)
        return USAGE
    page = ["--page", str(root() / found.get("page", "out/index.html"))]
    return main([*arguments(found, root()), *page, *extra])


def section(script: str, extra: Sequence[str] | None = None) -> int:
    """One section of the paper, named by its script: `background.py` tries the statements of `background.tex`."""
    name = Path(script).stem
    slugs = [item.slug for item in ARUBA.items if item.file == f"{name}.tex"]
    if not slugs:
        raise ValueError(f"script must be named after a section of the paper, got {name!r}")
    tried = _with_statements(slugs)
    print(f"{name}: {len(tried)} of {len(slugs)} items have a statement")
    if not tried:
        print(f"nothing to run yet; to come: {', '.join(slugs)}")
        return NOTHING
    return main([*arguments(settings(), root()), *tried, *(sys.argv[1:] if extra is None else extra)])


def _with_statements(slugs: Sequence[str]) -> list[str]:
    tried = {found.slug for s in ARUBA.statements if (found := ARUBA.item_of(s.label))}
    return [slug for slug in slugs if slug in tried]
