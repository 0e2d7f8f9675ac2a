r"""The games of the engine `worst_case` whose bounds are those of thm:ftrlomd and thm:ftlaogd: which statement each is
of, and what its value leaves open."""

from __future__ import annotations

LABELS = {
    "lazy OGD": "thm:ftrlomd/omd",
    "greedy OGD": "thm:ftrlomd/omd",
    "FTRL": "thm:ftrlomd/ftrl",
    "FTL": "thm:ftlaogd/ftl",
    "AOGD": "thm:ftlaogd/aogd",
}
EQUAL = "all alpha_t equal"
NOT_TIGHT = f"{EQUAL}; not interpolated exactly: the worst case may be smaller, but not below that of quadratic losses"
CAVEATS = {
    "greedy OGD": "the theorem speaks of lazy OGD; greedy OGD is measured against the same bound",
    "quadratic": EQUAL,
    "strongly convex": NOT_TIGHT,
}


def caveat(learner: str, losses: str) -> str:
    """What the value of a learner on a class of losses leaves open; empty where it is the theorem's."""
    return CAVEATS.get(losses) or CAVEATS.get(learner, "")
