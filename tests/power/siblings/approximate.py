"""False siblings of the statements of appendix F on approximate meta-updates, and of rem:oracle."""

from arubatheory.papers.aruba.f_growth import fixed, learning
from arubatheory.papers.aruba.games.approximate import ENTROPY, QUARTIC, diameter_squared, eps_game
from arubatheory.statements.core import Sides
from arubatheory.statements.functions import root
from tests.power.siblings.changes import lowered, with_rhs


def of_kind(kind):
    """Games of thm:fixed in the general case."""
    return lambda draw: eps_game(draw, kinds=(kind,))


def half_of_the_first_round(x, s):
    """kappa D^2 / 2 in place of kappa D^2."""
    c = fixed.terms(x).c
    return s.rhs - c.kappa / x.eps * diameter_squared(x) * x.sigma[0] / 2 - x.eps * x.sigma[0]


def _learned(x):
    return learning.learned(x)


def one_deviation(x, s):
    """kappa nu V sigma_{1:T} in place of kappa (nu + 1) V sigma_{1:T}."""
    k = _learned(x)
    return s.rhs - k.c.kappa * k.V * sum(x.sigma)


def printed_first_round(x, s):
    """2 kappa D + eps, as printed, in place of kappa D^2 / V."""
    k = _learned(x)
    needed = learning._needed_first(x, k, k.V)
    return s.rhs - needed + learning._printed_first(x, k)


def no_first_round_at_v(x, s):
    """Without kappa D^2 sigma_1 / v."""
    return s.rhs - learning._needed_first(x, _learned(x), x.rate)


def two_thirds_of_kappa(x, s):
    """3/2 kappa + 1/2 in place of 2 kappa + 1/2."""
    return s.rhs - x.kappa * x.D / 2


def of_the_third_display(x, s):
    """2 kappa + 1/2 halved."""
    k = _learned(x)
    return s.rhs - (4 * k.c.kappa + 1) / 4 * root(diameter_squared(x)) * x.sigma[0]


def first_of(share):
    """Only the first inequality, its right side times 1 - share."""

    def change(sides):
        def false(x):
            s = next(iter(sides(x)))
            return Sides(s.lhs, s.rhs - s.rhs * share[0] / share[1])

        return false

    return change


SIBLINGS = {
    "asu:general/deviation": [(lowered(1, 10), None)],
    "asu:general/kappa": [(lowered(1, 8), None)],
    "asu:general/nu": [(lowered(1, 8), None)],
    "asu:general/squares": [(lowered(1, 16), None)],
    "thm:fixed/ftl/nice": [(lowered(1, 4), None), (with_rhs(half_of_the_first_round), None)],
    "thm:fixed/ftl/corrected": [
        (lowered(1, 2), None),
        (lowered(19, 20), of_kind(QUARTIC)),
        (lowered(19, 20), of_kind(ENTROPY)),
    ],
    "thm:fixed/aogd/corrected": [(lowered(2, 3), None)],
    "thm:fixed/ftl/proof-1/corrected": [(lowered(1, 16), None)],
    "thm:fixed/ftl/proof-2": [(lowered(1, 8), None)],
    "thm:fixed/ftl/proof-3": [(lowered(1, 16), None)],
    "thm:fixed/ftl/proof-4/corrected": [(lowered(1, 4), None), (lowered(19, 20), of_kind(QUARTIC))],
    "thm:fixed/ftl/proof-5": [(lowered(1, 16), None)],
    "thm:learning/ftl/cheating-regret": [(lowered(1, 3), None), (with_rhs(one_deviation), None)],
    "thm:learning/ftl/corrected": [(lowered(1, 3), None), (with_rhs(printed_first_round), None)],
    "thm:learning/ftl/corrected-any-v": [(lowered(1, 3), None), (with_rhs(no_first_round_at_v), None)],
    "thm:learning/aogd/corrected": [(lowered(1, 2), None)],
    "thm:learning/ftl/proof-1/corrected": [(lowered(1, 16), None)],
    "thm:learning/ftl/proof-2": [(lowered(1, 8), None)],
    "thm:learning/ftl/proof-3/one-round/corrected": [(with_rhs(two_thirds_of_kappa), None)],
    "thm:learning/ftl/proof-3/corrected": [(with_rhs(of_the_third_display), None)],
    "thm:learning/ftl/proof-4/corrected": [(first_of((1, 4)), None)],
    "thm:learning/ftl/proof-5": [(lowered(1, 16), None)],
    "thm:learning/ftl/proof-6": [(lowered(1, 16), None)],
    "rem:oracle/last/ftrl": [(lowered(3, 4), None)],
    "rem:oracle/last/independent": [(lowered(3, 4), None)],
    "rem:oracle/average/ftrl/corrected": [(lowered(3, 4), None)],
    "rem:oracle/average/independent": [(lowered(3, 4), None)],
    "rem:oracle/average/ftrl/independent": [(lowered(3, 4), None)],
    "rem:oracle/last/corrected": [(lowered(1, 4), None)],
    "text:approx-o1/corrected": [(lowered(1, 4), None)],
    "text:approx-o1/parentheses": [(lowered(1, 4), None)],
}
