"""Changes of a statement's sides that make false siblings of many."""

from arubatheory.kernel import on
from arubatheory.problems.constants import lipschitz_squared
from arubatheory.problems.regularizers import bregman
from arubatheory.statements.core import Sides
from arubatheory.statements.functions import root


def with_rhs(change):
    """The sides with the right-hand side replaced by change(instance, sides)."""
    return lambda sides: lambda x: (lambda s: s._replace(rhs=change(x, s)))(sides(x))


def doubled_lhs(sides):
    return lambda x: sides(x)._replace(lhs=2 * sides(x).lhs)


def reversed_inequality(sides):
    return lambda x: (lambda s: Sides(s.rhs, s.lhs))(sides(x))


def quarter_of_the_gradient_term(x, s):
    """B/eta + eta G^2 T / 4: below the true constant 1/2."""
    return s.rhs - 3 * x.eta * sum(lipschitz_squared(x.losses, x.domain, x.R)) / 4


def no_divergence_term(x, s):
    return s.rhs - on(bregman, x.phi)(x.R, x.comparator, x.phi) / x.eta


def squared_mean_of_lipschitz_constants(x, s):
    """(mean G_t)^2 where the mean of G_t^2 belongs."""
    squares = lipschitz_squared(x.losses, x.domain, x.R)
    mean = sum(root(g) for g in squares) / len(squares)
    return s.rhs - x.eta * (sum(squares) - len(squares) * mean * mean)


def largest_g_quarter(x, s):
    return s.rhs - 3 * x.eta * max(lipschitz_squared(x.losses, x.domain, x.R)) * len(x.losses.b) / 4


def lowered(parts, of):
    """Every right-hand side lowered by parts/of of its size."""

    def change(sides):
        def false(x):
            found = sides(x)
            each = (found,) if isinstance(found, Sides) else tuple(found)
            return tuple(s if type(s.rhs) is int else s._replace(rhs=s.rhs - abs(s.rhs) * parts / of) for s in each)

        return false

    return change
