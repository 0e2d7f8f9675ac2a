"""False siblings of the statements in papers/aruba/e_batch/o2bexp.py."""

from arubatheory.papers.aruba.e_batch import o2bexp as transfer
from tests.power.siblings.changes import lowered
from tests.power.siblings.online_to_batch import steeper


def without(claim, halves):
    """The bound without TAR_T or RUB_T."""
    return lambda _: lambda x: claim(x, halves, lambda p, average: 0 * average)


SMALLER = [(lowered(1, 8), None)]
SIBLINGS = {
    "thm:o2bexp/tar": [(without(transfer.from_random_state, 16), None)],
    "thm:o2bexp/tar/realised": [(steeper(512), None)],
    "thm:o2bexp/tar/sharper": [(steeper(128), None)],
    "thm:o2bexp/rub": [(without(transfer.from_average_state, 16), None)],
    "thm:o2bexp/rub/realised": [(steeper(128), None)],
    "thm:o2bexp/constant-2": [(without(transfer.from_average_state, 4), None)],
    "thm:o2bexp/constant-2/realised": [(steeper(32), None)],
    "thm:o2bexp/constant-2/sharper": [(steeper(8), None)],
    "thm:statistical/1": [(without(transfer.from_average_state, 16), None)],
    "thm:statistical/1/realised": [(steeper(128), None)],
    "thm:o2bexp/proof-1": SMALLER,
    "thm:o2bexp/proof-2": SMALLER,
    "thm:o2bexp/proof-3/corrected": [(lowered(1, 64), None)],
    "thm:o2bexp/proof-4/corrected": SMALLER,
    "thm:o2bexp/proof-5": [(steeper(256), None)],
    "thm:o2bexp/proof-6": SMALLER,
    "text:eight-by-two": [(steeper(64), None)],
}
