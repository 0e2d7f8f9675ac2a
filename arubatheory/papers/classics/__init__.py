r"""The gallery: theorems of online learning and first-order optimisation by other authors, as a second paper on trial.

True ones, others that are false as printed, and false folklore: one file each, which reads from top to bottom. The
first word of a note says what is known, True, False or Open; what the engines say stands in `verification/classics/`.
"""

from __future__ import annotations

from pathlib import Path

from arubatheory.statements.items import read_items
from arubatheory.statements.paper import Paper

SECTIONS = {  # what stands in the first column of items.tsv
    "online": ("Online learning", "regret of gradient methods, experts, adaptive methods"),
    "descent": ("First-order optimisation", "gradient methods for one convex function, and games"),
    "lemmas": ("Lemmas", "inequalities that proofs rest on"),
}
HOME = Path(__file__).parent
ITEMS = read_items(HOME / "items.tsv")
CLASSICS = Paper(
    name="classics",
    title="Classics of online learning and first-order optimisation",
    reference="each file names its own",
    items=ITEMS,
    sections=SECTIONS,
    modules=tuple(f"{__name__}.{item.note}" for item in ITEMS),
    home=HOME,
    folder=Path("verification") / "classics",
)
