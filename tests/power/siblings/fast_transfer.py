"""False siblings of the statements in papers/aruba/e_batch/o2b.py."""

from functools import partial

from arubatheory.papers.aruba.e_batch.o2b import groups, regrets
from tests.power.siblings.changes import lowered


def without_rub(sides, every=False):
    """Free of charge is what every sequence of tasks pays for its upper bounds: RUB counts only as far as it exceeds
    the least average of any sequence."""

    def false(x):
        t = groups(x, every)
        least = min([u for p, u in zip(t.prob, t.realised, strict=True) if p > 0], default=0 * t.bound)
        return tuple(s._replace(lhs=s.lhs + least) for s in sides(x))

    return false


def without_regret(sides):
    """R counts only as far as it exceeds the least of any sequence."""

    def false(x):
        t = groups(x)
        least = min([r for p, r in zip(t.prob, regrets(x), strict=True) if p > 0], default=0 * t.bound)
        return tuple(s._replace(lhs=s.lhs + least) for s in sides(x))

    return false


FREE = [(without_rub, None)]
FREE_ON_EVERY_SAMPLE = [(partial(without_rub, every=True), None)]
SIBLINGS = {
    "thm:statistical/3/corrected": FREE,
    "thm:statistical/3/regret": [(without_regret, None)],
    "thm:statistical/3-in-2/corrected": FREE_ON_EVERY_SAMPLE,
    "thm:o2b/expectation/corrected": FREE,
    "thm:o2b/expectation/regret": [(without_regret, None)],
    "thm:o2b/self-bounded/corrected": FREE_ON_EVERY_SAMPLE,
    "thm:o2b/proof-1": [(lowered(1, 8), None)],
    "thm:o2b/proof-2/corrected": FREE,
}
