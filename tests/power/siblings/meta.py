"""False siblings of the statements in papers/aruba/c_dynamic/general.py."""

from arubatheory.kernel import on
from arubatheory.papers.aruba.c_dynamic import general as meta
from arubatheory.papers.aruba.games.tasks import deviation, play
from arubatheory.problems.scalar import larger
from arubatheory.statements.core import Sides
from tests.power.siblings.changes import lowered


def one_deviation(sides):
    """V sigma_{1:T} in place of 2 V sigma_{1:T}."""

    def false(x):
        found = sides(x)
        if isinstance(found, Sides):  # no task has a gradient: nothing to compare
            return found
        p = play(x)
        return found[1]._replace(rhs=found[1].rhs - deviation(p) * sum(p.sigma))

    return false


def realised(sides):
    """SIM's realised regret at V, which need not be non-increasing."""

    def false(x):
        found = sides(x)
        if isinstance(found, Sides):
            return found
        p, upper = play(x), found[1].lhs
        V, init = deviation(p), meta.init_regret(p)
        if V == 0:
            return found[1]
        regret = upper - sum(meta.sim_loss(p.at_phi, V, p.sigma))
        return found[1]._replace(rhs=meta.bound(p, regret, on(larger, init)(init, 0 * init)))

    return false


def without_init(sides):
    """The second line without the regret of INIT."""

    def false(x):
        p, s = play(x), sides(x)
        return s._replace(rhs=s.rhs - meta.init_regret(p) / x.rate)

    return false


SIBLINGS = {
    "eq:auxregret": [(lowered(1, 10), None)],
    "thm:general/ftrl": [(lowered(7, 8), None)],
    "thm:general": [(one_deviation, None), (realised, None)],
    "thm:general/proof-1": [(lowered(1, 10), None)],
    "thm:general/proof-2": [(without_init, None)],
    "thm:general/proof-3": [(lowered(1, 10), None)],
    "thm:app:general": [(one_deviation, None), (realised, None)],
    "text:min-average": [(lowered(1, 10), None)],
    "text:tar-below-rub": [(lowered(4, 5), None)],
    "text:v-below-dstar/at-most": [(lowered(4, 5), None)],
    "text:v-below-dstar/at-most/divergence": [(lowered(4, 5), None)],
    "text:v-below-dstar/outlier": [(lowered(1, 5), None)],
    "text:finit-lipschitz": [(lowered(1, 2), None)],
}
