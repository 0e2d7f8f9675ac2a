"""False siblings of the statements in papers/aruba/e_batch/chernoff.py."""

from tests.power.siblings.changes import lowered

SIBLINGS = {
    "clm:chernoff": [(lowered(1, 4), None)],
    "clm:chernoff/diameter": [(lowered(1, 8), None)],
    "clm:chernoff/proof-1": [(lowered(1, 8), None)],
    "clm:chernoff/proof-2/corrected": [(lowered(1, 4), None)],
    "clm:chernoff/proof-3/corrected": [(lowered(1, 16), None)],
}
