"""False siblings of the statements in statements/adaptive.py."""

from tests.power.siblings.changes import lowered

# The constants of learning are far from tight: in a few hundred games check gets within a twentieth of the bound.
SIBLINGS = {
    "cor:epsftl/explicit": [(lowered(19, 20), None)],
    "cor:epsewoo/explicit": [(lowered(9, 10), None)],
}
