"""False siblings of the statements in papers/aruba/e_batch/o2bwhp.py."""

from arubatheory.papers.aruba.e_batch import o2bwhp as sb
from arubatheory.papers.aruba.games.trigger import REALISED, RUB, TAR, VALID
from tests.power.siblings.changes import lowered
from tests.power.siblings.online_to_batch import steeper


def without_deviation(params, L):
    """The training tasks are taken for all tasks, and their bound for what it bounds."""
    bound, _, _, rho = params
    return sb.self_bounding_terms(bound, rho, L) - (3 * rho + 2) * L


def without_last_term(params, L):
    """cor:o2bsb without the term that is there however small the regret of the fresh sample is."""
    return sb.fresh(params, L) - (3 * params[2] + 2) * sb.half(L)


def without_regret(params, L):
    """The deviation at every level alone."""
    return sb.fresh_at_every_level((0 * params[0], *params[1:]), L)


def with_threshold(part, reading, threshold):
    return lambda _: lambda x: sb.transferred(x, part, reading, threshold)


SIBLINGS = {
    "thm:o2bwhp/tar/corrected": [(with_threshold(TAR, VALID, without_deviation), None)],
    "thm:o2bwhp/rub/corrected": [(with_threshold(RUB, VALID, without_deviation), None)],
    "thm:o2bwhp/rub/corrected/worst-sample": [(with_threshold(RUB, REALISED, without_deviation), None)],
    "thm:o2bwhp/proof-1/corrected": [(lambda _: lambda x: sb.first_line(x, without_last_term, VALID), None)],
    "thm:o2bwhp/proof-1/corrected/realised": [(lambda _: lambda x: sb.first_line(x, without_regret, REALISED), None)],
    "thm:o2bwhp/proof-2": [(lowered(1, 8), None)],
    "thm:o2bwhp/proof-3": [(steeper(64), None)],
    "thm:statistical/2/corrected": [(with_threshold(RUB, VALID, without_deviation), None)],
}
