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
}
MODULES = (
    "s3_similarity.regret_upper_bound",
    "a_background.convexity",
    "a_background.ftrlomd",
    "a_background.ftlaogd",
    "a_background.mokhtari",
    "a_background.ewoo",
    "b_coupling.btl_stability",
    "b_coupling.cdual_scmin",
    "b_coupling.coupling",
    "c_dynamic.expconcave",
    "c_dynamic.ewoo",
    "b_coupling.bregman",
    "b_coupling.bregman_kinks",
    "b_coupling.ftl",
    "s3_similarity.fsim",
    "c_dynamic.general",
    "c_dynamic.epsftl_epsewoo",
    "s3_similarity.rates",
    "s3_similarity.kink_rates",
    "f_growth.fixed_learning",
    "f_growth.quadraticgrowth",
    "c_dynamic.tie_break",
    "s6_empirical.algorithm2",
    "d_geometry.powersum",
    "d_geometry.opconvex",
    "d_geometry.diagftl",
    "d_geometry.diagonal",
    "d_geometry.matrixftl",
    "d_geometry.fullmatrix",
    "s4_adaptive.matrix",
    "a_background.online_to_batch",
    "a_background.selfbounding",
    "e_batch.o2bexp",
    "e_batch.chernoff",
    "e_batch.o2bwhp",
    "e_batch.o2b",
    "e_batch.upper_bounds",
    "e_batch.batch_scbatch",
    "s5_statistical.sampled",
)
OPERATORS = (
    "FTRL",
    "OMD",
    "FTL",
    "AOGD",
    "OGD",
    "EWOO",
    "SIM",
    "TASK",
    "Conv",
    "Proj",
    "Diag",
    "diag",
    "Tr",
    "conv",
    "dom",
)
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
    modules=tuple(f"{__name__}.{module}" for module in MODULES),
    macros=MACROS | {name: rf"\operatorname{{{name}}}" for name in OPERATORS},
)
