"""False siblings of the statements in papers/aruba/sharper/*.py: nine tenths of what is attained, else less."""

from tests.power.siblings.changes import lowered

ATTAINED = (
    *("ours:g1", "ours:g1/proof-1", "ours:g1/proof-2", "ours:g2/triangle", "ours:g2/length", "ours:g2/proof-1"),
    *("ours:g2/proof-2", "ours:g2/order", "ours:g6", "ours:g6/solves", "ours:g6/proof-1", "prp:diagftl/sharp/lower"),
    *(f"prp:diagftl/sharp/proof-{n}" for n in range(1, 6)),
    *(f"thm:diagonal/sharp/{part}" for part in ("proof-1", "proof-2", "lower")),
    *(f"prp:matrixftl/sharp/{part}" for part in ("proof-1", "proof-2")),
    "thm:fullmatrix/sharp/proof-1",
    *("thm:general/sharp", "thm:general/sharp/gain", "ours:s2", "ours:s2/closed", "prp:ftl/sharp"),
    *("prp:ftl/sharp/proof-1", "prp:ftl/sharp/proof-2", "cor:dynamic/sharp", "cor:dynamic/sharp/proof-1"),
    "cor:dynamic/sharp/proof-2",
    *(
        "text:v-below-dstar/sharp",
        "thm:o2bwhp/sharp/proof-1",
        "thm:similarity/sharp/lower",
        "clm:chernoff/sharp",
        "clm:chernoff/sharp/proof-1",
        "thm:o2bexp/constant-2/sharper/proof-1",
        "cor:scbatch/sharp/proof-1",
    ),
)
LOWERED = {
    "prp:diagftl/sharp": (2, 3),
    "thm:diagonal/sharp": (7, 8),
    "prp:matrixftl/sharp": (2, 3),
    "prp:matrixftl/sharp/once": (1, 3),
    "thm:fullmatrix/sharp": (4, 5),
    "thm:similarity/sharp/window": (1, 3),
    "prp:quadraticgrowth/sharp/proof-1": (9, 10),
    "cor:epsftl/sharp": (1, 3),
    "cor:epsewoo/sharp": (9, 10),
    "cor:ewoo/sharp": (2, 3),
    "cor:scbatch/sharp/lower": (1, 10),
    "thm:o2bexp/sharp/lower": (1, 3),
    "thm:o2bsb/sharp/near": (3, 4),
    "thm:o2bsb/sharp/near/proof-1": (1, 10),
    "thm:o2bsb/sharp/proof-2": (1, 10),
    "cor:ewoo/sharp/proof-1": (1, 3),
    "cor:ewoo/sharp/proof-2": (1, 5),
    "cor:ewoo/sharp/proof-3": (1, 10),
    "cor:ewoo/sharp/proof-4": (1, 10),
    "prp:quadraticgrowth/sharp": (3, 5),
    "thm:o2bsb/sharp": (2, 3),
    "thm:o2bsb/sharp/proof-1": (1, 5),
    "thm:o2bwhp/sharp": (5, 6),
    "cor:scbatch/sharp": (14, 15),
    "ours:s2/proof-1": (1, 10),
}
SIBLINGS = {label: [(lowered(1, 10), None)] for label in ATTAINED}
SIBLINGS |= {label: [(lowered(*parts), None)] for label, parts in LOWERED.items()}
