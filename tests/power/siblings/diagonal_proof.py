"""False siblings of the statements in papers/aruba/d_geometry/diagftl_proof.py."""

from arubatheory.papers.aruba.d_geometry import diagftl_proof as proof
from tests.power.siblings.bregman import times
from tests.power.siblings.changes import lowered, with_rhs


def without_what_is_learned(i, s):
    """Round 0 alone."""
    return proof.missing(i)


SIBLINGS = {
    "prp:diagftl/proof-1": [(lowered(1, 16), None)],
    "prp:diagftl/proof-2": [(lowered(1, 16), None)],
    "prp:diagftl/proof-3": [(lowered(1, 16), None)],
    "prp:diagftl/proof-4": [(lowered(1, 16), None)],
    "prp:diagftl/proof-5/corrected": [(times(1, 4), None)],
    "prp:diagftl/proof-6": [(lowered(1, 16), None)],
    "prp:diagftl/proof-7": [(lowered(1, 16), None)],
    "prp:diagftl/proof-8": [(lowered(1, 16), None)],
    "prp:diagftl/proof-9": [(lowered(1, 16), None)],
    "prp:diagftl/proof-10": [(times(1, 2), None)],
    "prp:diagftl/proof-11": [(times(1, 8), None)],
    "prp:diagftl/proof-12": [(times(1, 2), None)],
    "prp:diagftl/proof-13": [(lowered(1, 16), None)],
    "prp:diagftl/proof-14": [(lowered(1, 16), None)],
    "prp:diagftl/proof-15/corrected": [(with_rhs(without_what_is_learned), None)],
    "prp:diagftl/proof-16": [(lowered(1, 16), None)],
    "prp:diagftl/proof-17": [(lowered(1, 16), None)],
    "prp:diagftl/proof-18": [(lowered(1, 16), None)],
}
