"""Sphinx settings: Markdown pages, a reference from the docstrings, formulas as MathML; nothing is fetched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]
# Uncompiled kernels are ordinary functions, with signatures and docstrings that autodoc can read.
os.environ["NUMBA_DISABLE_JIT"] = "1"

import arubatheory  # noqa: E402  (after the line above)

project, author = "arubatheory", "The arubatheory authors"
copyright = "2026, the arubatheory authors; BSD-3-Clause"
version = release = arubatheory.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml", "docstrings", "paper", "gallery"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_ext"]
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True

# Every public name of this package must be found. Those of other libraries would have to be looked up by network, and
# aliases of types and type variables have no entry of their own.
LIBRARIES = (
    "collections|concurrent|flint|fractions|hypothesis|jinja2|markupsafe|matplotlib|np|numpy|packaging|pathlib|rich"
)
LIBRARIES += "|types|typing|xml"
ALIASES = "AnyDomain|AnyLosses|AnyRegularizer|Array|Build|DataObject|Fraction|Monomial|Path|Preconditioner|Terms"
nitpick_ignore_regex = [
    (r"py:.*", rf"({LIBRARIES})\..*"),
    (r"py:.*", ALIASES),
    (r"py:.*", r"arubatheory(\.\w+)*\.(_\w+|[A-Z])"),
    (r"py:class", r"(dict|tuple)\[.*"),  # a signature with the default `<factory>` of a dataclass is split at commas
]
nitpicky = True

html_theme = "furo"
html_title = f"arubatheory {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
