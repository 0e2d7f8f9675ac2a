r"""The games of `prove.games` that claims of the paper are, by label, in a part of their scope or ("= ") in all of it:
the table `provable.tsv`.

The games are played in an inner product norm, by translation from the origin, by scaling with step size 1 or with all
strengths $\alpha_t = 1$; a claim about a single t is tried at the last one, before which equal strengths add up.
"""

from __future__ import annotations

from pathlib import Path

from arubatheory.statements.untrusted import read_text

_, *ROWS = read_text(Path(__file__).with_suffix(".tsv")).splitlines()
GAMES: dict[str, str] = dict(row.split("\t") for row in ROWS)
