"""False siblings of the statements in c_dynamic/epsftl_epsewoo.py and c_dynamic/dynamic.py of papers/aruba."""

from arubatheory.papers.aruba.c_dynamic import dynamic
from arubatheory.papers.aruba.games import adaptive
from tests.power.siblings.changes import lowered, with_rhs


def twice_the_divergence(x, s):
    """2 V in place of 4 V, as printed: two tasks in turn around a fixed reference."""
    return s.rhs - 2 * dynamic.deviation_of(x, x.psi) * sum(x.sigma)


def three_times_the_reference(x, s):
    """3 sum f_t(psi_t) in place of 4."""
    return s.rhs - adaptive.spread_about(x, x.psi)


def without_the_path(x, s):
    """sigma_max D^2 / 2, whatever the path."""
    return s.rhs - max(x.sigma) * x.D * adaptive.path_of(x.star)


def half_of_the_share(sides):
    """Half of the way to the parameter in place of the whole of it."""

    def false(x):
        x.share = x.share / 2
        found = sides(x)
        x.share = 2 * x.share
        gap = x.share / 2 * (x.hat[0] - x.phi)
        return found._replace(lhs=found.lhs + gap @ gap)

    return false


# The constants of learning are far from tight: in a few hundred games check gets within a twentieth of the bound.
SIBLINGS = {
    "cor:epsftl/explicit": [(lowered(19, 20), None)],
    "cor:epsewoo/explicit/corrected": [(lowered(49, 50), None)],
    "cor:dynamic/explicit/corrected": [(lowered(19, 20), None)],
    "cor:dynamic/explicit/minimisers/corrected": [(lowered(49, 50), None)],
    "cor:dynamic/proof-1/minimisers": [(lowered(1, 3), None)],
    "cor:dynamic/proof-1/corrected": [(with_rhs(three_times_the_reference), None)],
    "text:dynamic-adaptive/reptile": [(half_of_the_share, None)],
    "text:dynamic-adaptive/fedavg": [(half_of_the_share, None)],
    "text:dynamic-adaptive/price": [(lowered(19, 20), None)],
}
