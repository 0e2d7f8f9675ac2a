"""Hostile calls by a command: `python -m tests.fuzz --calls 100000`, in the mode that numba's variables ask for."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time

from tests.fuzz import verbs
from tests.fuzz.calls import Fuzz, report


def main() -> int:
    """Exit code 1 for a call that came to no good end."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the names of what is called")
    parser.add_argument("--most", type=int, default=2, help="calls shown of each kind of failure")
    parser.add_argument("--good", action="store_true", help="good arguments only")
    args = parser.parse_args()
    os.chdir(tempfile.mkdtemp())
    fuzz, start = Fuzz(args.seed, args.only, not args.good), time.perf_counter()
    failures = fuzz.run(range(args.first, args.first + args.calls))
    if not args.only and not args.good:
        failures += verbs.run(range(args.calls // 100), args.seed)
    print(report(failures, args.most), flush=True)
    seconds, good = time.perf_counter() - start, sum(fuzz.succeeded.values())
    print(
        f"{args.calls} calls of {len(fuzz.targets)} functions, {seconds:.0f} s: {good} results, {len(failures)} failed"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
