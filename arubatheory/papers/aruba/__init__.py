r"""Adaptive Gradient-Based Meta-Learning Methods (Khodak, Balcan and Talwalkar, NeurIPS 2019, arXiv:1906.02717).

`ARUBA` describes the paper without importing any mathematics: its items (`items.tsv`), the modules of its sections,
named as the paper's sections are, and the macros of its formulas.
"""

from __future__ import annotations

from pathlib import Path

from arubatheory.statements.items import read_items
from arubatheory.statements.paper import Paper

SECTIONS = {  # by the file of the paper's source
    "aruba.tex": ("Sections 2 and 3", "regret-upper-bounds, similar tasks, dynamic environments"),
    "adaptive.tex": ("Section 4", "adapting to the inter-task geometry"),
    "statistical.tex": ("Section 5", "statistical learning-to-learn, fast rates and high probability"),
    "empirical.tex": ("Section 6", "empirical results"),
    "background.tex": ("Appendix A", "background and results for online convex optimization"),
    "coupling.tex": ("Appendix B", "strongly convex coupling"),
    "dynamic.tex": ("Appendix C", "adaptive and dynamic guarantees"),
    "geometry.tex": ("Appendix D", "adapting to the inter-task geometry"),
    "batch.tex": ("Appendix E", "online-to-batch conversion for task-averaged regret"),
    "similarity.tex": ("Appendix F", "adapting to task-similarity under parameter growth"),
    "details.tex": ("Appendix G", "experimental details"),
    "ours": ("Beyond the paper", "what is sharper and replaces no item of it"),
}
MODULES = (  # the modules of a folder, as they follow one another in the paper's order
    ("s3_similarity", "regret_upper_bound"),
    ("a_background", "convexity ftrlomd ftlaogd mokhtari ewoo"),
    ("b_coupling", "btl_stability cdual_scmin coupling"),
    ("c_dynamic", "expconcave ewoo"),
    ("b_coupling", "bregman bregman_kinks ftl"),
    ("s3_similarity", "fsim"),
    ("c_dynamic", "general epsftl_epsewoo dynamic"),
    ("s3_similarity", "similarity_rates dynamic_rates kink_rates"),
    ("f_growth", "assumption fixed learning learning_proof oracle quadraticgrowth"),
    ("c_dynamic", "tie_break"),
    ("s6_empirical", "algorithm2 variants adagrad"),
    ("d_geometry", "powersum opconvex diagftl diagftl_proof diagonal diagonal_rates matrixftl matrixftl_proof"),
    ("d_geometry", "matrixftl_chain fullmatrix fullmatrix_rates"),
    ("s4_adaptive", "matrix"),
    ("a_background", "online_to_batch selfbounding"),
    ("e_batch", "o2bexp chernoff o2bwhp o2b upper_bounds batch_bounds batch_proofs batch_scbatch"),
    ("s5_statistical", "sampled"),
    ("sharper", "potential coordinates diagonal full_matrix similarity environments ewoo kinks statistics"),
)
OPERATORS = "FTRL OMD FTL AOGD OGD EWOO SIM TASK Conv Proj Diag diag Tr conv dom"
MACROS = {
    "R": r"\mathbf{R}",
    "U": r"\mathbf{U}",
    "Q": r"\mathcal{Q}",
    "E": r"\mathbb{E}",
    "TAR": r"\bar{\mathbf{R}}",
    "RUB": r"\bar{\mathbf{U}}",
    "Breg": r"\mathcal{B}",
    "DYN": r"\operatorname{INIT}",
    "finit": r"f^{\text{init}}",
    "fsim": r"f^{\text{sim}}",
    "Rinit": r"\mathbf{U}^{\text{init}}",
    "Rsim": r"\mathbf{U}^{\text{sim}}",
    "sr": r"\sqrt",
    "sd": r"\dots",
}
ARUBA = Paper(
    name="aruba",
    title="Adaptive Gradient-Based Meta-Learning Methods",
    reference="Khodak, Balcan and Talwalkar, NeurIPS 2019, arXiv:1906.02717",
    items=read_items(Path(__file__).with_name("items.tsv"), defining=("eq:auxregret", "eq:ewoo", "eq:percoord")),
    sections=SECTIONS,
    modules=tuple(f"{__name__}.{folder}.{module}" for folder, names in MODULES for module in names.split()),
    own=read_items(Path(__file__).with_name("ours.tsv")),
    home=Path(__file__).parent,
    folder=Path("verification"),
    macros=MACROS | {name: rf"\operatorname{{{name}}}" for name in OPERATORS.split()},
)
