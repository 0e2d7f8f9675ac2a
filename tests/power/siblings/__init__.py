"""False siblings, a module for each module of statements: SIBLINGS maps the label of a true statement to its changes.

A change is (change of the sides, other generator or None); of a claim that is tried on replicates, (change of its
chance, ...).
"""

import importlib
import pkgutil
from dataclasses import replace

from arubatheory import PAPER

BY_LABEL = {s.label: s for s in PAPER}
SIBLINGS = {}
for module in pkgutil.iter_modules(__path__):
    if module.name != "changes":
        SIBLINGS |= importlib.import_module(f"{__name__}.{module.name}").SIBLINGS


def siblings():
    for label, changes in SIBLINGS.items():
        true = BY_LABEL[label]
        for n, (change, instance) in enumerate(changes, start=1):
            false = replace(true, label=f"{label}/false-{n}", instance=instance or true.instance)
            if true.chance is None:
                yield replace(false, sides=change(true.sides))
            else:
                chance = change(true.chance)
                yield replace(false, chance=chance)
