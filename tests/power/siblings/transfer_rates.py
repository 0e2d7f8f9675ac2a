"""False siblings of the statements in papers/aruba/e_batch/batch_bounds.py and batch_proofs.py."""

from arubatheory.papers.aruba.e_batch import batch_bounds as transfer_bounds
from tests.power.siblings.changes import lowered
from tests.power.siblings.online_to_batch import steeper


def with_constant(sides, *more, printed=1):
    """A constant that is a fiftieth of G, in the place of one that is a few times G."""
    return lambda _: lambda x: sides(x, *more, 50 * printed)


SMALLER = [(lowered(1, 10), None)]
LEARNED = [(with_constant(transfer_bounds.learned_rate, printed=2), None)]
SIBLINGS = {
    "cor:statistical/known-variance": [(with_constant(transfer_bounds.known_variance, 0, printed=4), None)],
    "cor:statistical/learned-rate": LEARNED,
    "cor:scbatch": [(with_constant(transfer_bounds.known_variance, 0, printed=4), None)],
    "cor:scbatch/explicit": [(with_constant(transfer_bounds.explicit), None)],
    "cor:scbatch/explicit/proof-1": [(lowered(3, 4), None)],
    "cor:scbatch/explicit/proof-2": [(steeper(16), None)],
    "cor:batch": LEARNED,
    "cor:batch/proof-1": SMALLER,
    "cor:batch/proof-1/state": SMALLER,
    "cor:batch/proof-1/state/entropy/corrected": SMALLER,
    "cor:scbatch/proof-1/corrected": SMALLER,
    "cor:scbatch/proof-2": SMALLER,
    "cor:scbatch/proof-3": [(lowered(9, 10), None)],
    "cor:scbatch/proof-3/corrected": [(lowered(9, 10), None)],
    "cor:batch/proof-2": [(lowered(19, 20), None)],
    "cor:batch/proof-3": SMALLER,
}
