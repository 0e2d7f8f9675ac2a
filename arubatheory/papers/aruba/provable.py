r"""The games of `prove.games` that claims of the paper are, by label, in a part of their scope or ("= ") in all of it.

The games are played in an inner product norm, by translation from the origin, by scaling with step size 1 or with all
strengths $\alpha_t = 1$; a claim about a single t is tried at the last one, before which equal strengths add up.
"""

from __future__ import annotations

GAMES = {
    "eq:omdregret/bound": "lazy OGD, largest constant",
    "eq:regret": "OMD and FTRL",
    "thm:ftrlomd/omd": "lazy OGD",
    "thm:ftrlomd/ftrl": "FTRL",
    "thm:ftlaogd/ftl": "FTL",
    "thm:ftlaogd/aogd": "AOGD",
    "lem:btl": "be the leader",
    "lem:btl/nonconvex": "be the leader",
    "lem:stability": "stability",
    "lem:stability/any-subgradient": "stability, any subgradient",
    "lem:stability/proof-1": "growth at the leader",
    "lem:stability/proof-2": "growth before",
    "lem:stability/proof-3": "fall of the last loss",
    "lem:stability/proof-4": "slope of the last loss",
    "clm:cdual": "slope",
    "clm:scmin": "growth",
    "def:bregman:app/nonnegative": "= divergence nonnegative",
    "def:bregman:app/strongly-convex": "divergence above",
    "def:bregman:app/strongly-smooth": "divergence below",
    "def:bregman:app/convexity": "divergence convex",
    "clm:mean/corrected": "mean",
    "clm:mean/proof-1": "mean identity",
    "prp:bregman/bound/corrected": "means of the past",
    "prp:bregman/proof-2": "= half square",
    "prp:bregman/proof-4": "mean",
    "text:tie-break": "one of two",
    "text:tie-break/outside": "= one of two",
    "text:v-below-dstar/at-most": "spread",
    "text:v-below-dstar/at-most/divergence": "largest divergence",
    "text:v-below-dstar/outlier": "outlier",
    "rem:oracle/last/ftrl": "regularised leader",
}
