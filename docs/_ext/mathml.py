"""Formulas of the pages as MathML, by the same module that renders the statements: no script, no font, no network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from arubatheory.papers.aruba import ARUBA
from arubatheory.report.formula import FormulaError, mathml

LOG = logging.getLogger(__name__)


def _rendered(node: nodes.math | nodes.math_block, display: bool) -> str:
    latex = re.sub(r"\\arg\\(min|max)", r"\\operatorname*{arg\\,\1}", node.astext())
    try:
        return mathml(latex, display, ARUBA.macros)
    except FormulaError as error:
        LOG.warning(str(error), location=node)
        return "<code></code>"


def visit_math(self: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    self.body.append(_rendered(node, display=False))
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    self.body.append(f'<div class="math">{_rendered(node, display=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
