"""False siblings of the statements in papers/aruba/e_batch/upper_bounds.py."""

from tests.power.siblings.changes import lowered

SMALLER = [(lowered(1, 10), None)]
SIBLINGS = {
    "text:upper-bound-bounded": SMALLER,
    "text:upper-bound-bounded/regret": [(lowered(4, 5), None)],
    "text:ewoo-bounded": SMALLER,
    "text:ewoo-bounded/corrected": SMALLER,
    "text:fixed-rate-strongly-convex": SMALLER,
    "text:ogd-constants/bounded": [(lowered(1, 2), None)],
    "text:ogd-constants/lipschitz": [(lowered(3, 4), None)],
    "text:ogd-constants/strongly-convex": SMALLER,
}
