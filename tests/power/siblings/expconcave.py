"""False siblings of the statements in papers/aruba/c_dynamic/expconcave.py."""

from arubatheory.kernel import on
from arubatheory.papers.aruba.c_dynamic import expconcave
from arubatheory.statements.core import Sides
from tests.power.siblings.changes import lowered


def larger_gamma(sides):
    """3/2 of the gamma."""

    def false(x):
        three, gamma = on(expconcave.concavity_sides, x.D), 3 * expconcave.gamma_of(x) / 2
        return Sides(*three(expconcave.regularised_loss(x), x.x, x.y, x.part, gamma))

    return false


SIBLINGS = {
    "prp:expconcave/lipschitz": [(lowered(1, 3), None)],
    "prp:expconcave/exp-concave": [(larger_gamma, None)],
    "prp:expconcave/exp-concave/criterion": [(lowered(1, 3), None)],
    "prp:expconcave/proof-1": [(lowered(1, 8), None)],
    "prp:expconcave/proof-2": [(lowered(1, 64), None)],
    "prp:expconcave/proof-3": [(lowered(1, 64), None)],
    "prp:expconcave/proof-4/corrected": [(lowered(1, 64), None)],
    "prp:expconcave/proof-5": [(lowered(1, 16), None)],
    "prp:expconcave/proof-6": [(lowered(1, 16), None)],
    "prp:expconcave/proof-7": [(lowered(1, 16), None)],
    "prp:expconcave/proof-8": [(lowered(1, 16), None)],
    "prp:expconcave/proof-9": [(lowered(1, 16), None)],
    "prp:expconcave/proof-10": [(lowered(1, 16), None)],
}
