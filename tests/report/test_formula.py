"""Formulas become MathML that parses, with nothing of LaTeX left in it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from arubatheory import PAPER
from arubatheory.papers.aruba import ARUBA
from arubatheory.report.formula import MACROS, FormulaError, formula, mathml, prose

FORMULAS = (
    r"\R_T\le\frac{\Breg_R(\theta^\ast||\phi)}\eta+\eta G^2T",
    r"\U_t(\phi,\eta)=\frac1{2\eta}\|\theta_t^\ast-\phi\|_2^2+\eta G^2m",
    r"\bar x=\frac{1}{\alpha_{1:n}}\sum_{i=1}^n\alpha_ix_i=\argmin_{y\in S}\sum_{i=1}^n\alpha_i\Breg_f(x_i||y)",
    r"f(x)-f(y)\le\|\nabla f(x)\|_\ast\|x-y\|~\forall~x,y\in S",
    r"\TAR_T\le\RUB_T\le o_T(1)+\min_x\frac1T\sum_{t=1}^T\U_t(x)",
    r"\fsim_t(v)=\left(\frac{\Breg_R(\theta_t^\ast||\phi_t)}v+v\right)G_t\sqrt{m_t}",
    r"\finit_t(\phi)\le\Rinit_T(\Psi)+\Rsim_T(v)",
    r"\E_{x\sim\mathcal D}\Proj_\Theta(x)\succeq\Tr(A)\log\det X",
    r"\begin{aligned}a&\le b\\&=-c\end{aligned}",
    r"\operatorname*{arg\,min}_{x\in S}f(x)+\operatorname{Conv}(S)",
    r"\tilde{\mathcal O}\left(\min\left\{\frac{1+\frac1V}{\sqrt T},\frac1{\sqrt[4]T}\right\}+V\right)\sqrt m",
    r"\begin{cases}a&\text{if $x>0$}\\b&\text{else}\end{cases}",
    r"\left\|x\right\|_{A,\ast}\qquad\lVert x\rVert\implies a<b",
)


def texts(markup: str) -> str:
    return "".join(ElementTree.fromstring(markup).itertext())


@pytest.mark.parametrize("display", [True, False])
@pytest.mark.parametrize("latex", FORMULAS)
def test_formulas_of_the_paper_become_mathml(latex: str, display: bool) -> None:
    markup = mathml(latex, display, ARUBA.macros)
    assert not re.search(r"\\|\$|&(?!\w+;|#\d+;)", texts(markup))
    assert "mathvariant" not in re.sub(r'mathvariant="normal"', "", markup)
    assert ('display="block"' in markup) == display


@pytest.mark.parametrize("name", [*MACROS, *ARUBA.macros])
def test_every_macro_is_known(name: str) -> None:
    latex = (
        rf"\{name}{{x}}_t" if name in ("sr", "textrm") else rf"\{name}{{1}}{{2}}" if "frac" in name else rf"a\{name} b"
    )
    assert "\\" not in texts(mathml(latex, macros=ARUBA.macros))


def test_every_formula_of_the_statements_is_drawn() -> None:
    macros = ARUBA.macros
    for s in PAPER:
        pieces = [formula(s.latex, macros=macros), prose(s.title, macros), prose(s.note, macros)]
        for piece in [*pieces, *(formula(a.latex, False, macros) for a in s.assumptions)]:
            assert 'class="source"' not in piece, s.label
            assert "\\" not in texts(f"<p>{piece}</p>"), s.label


@pytest.mark.parametrize("latex", [r"\unheard x", r"a & b", r"\frac{a", r"\operatorname{\unheard}", r"a \\ b & c"])
def test_what_cannot_be_read_is_an_error_not_garbage(latex: str) -> None:
    with pytest.raises(FormulaError, match=r"cannot turn .* into MathML"):
        mathml(latex)


@pytest.mark.parametrize("latex", [r"\href{javascript:alert(1)}{x}", r"\style{color:red}{x}", r"\class{a}{x}"])
def test_no_attribute_comes_from_a_formula(latex: str) -> None:
    with pytest.raises(FormulaError, match=r"cannot turn what sets (href|style|class) into MathML"):
        mathml(latex)
    assert "<math" not in formula(latex)


def test_words_take_the_wide_spaces_beside_them_and_a_number_its_colon() -> None:
    markup = mathml(r"x\quad\text{for}\quad y_{1:t}\quad z\qquad\text{else}")
    assert "<mtext>\u2003for\u2003</mtext>" in markup and "<mtext>\u2003\u2003else</mtext>" in markup
    assert markup.count('<mspace width="1em"/>') == 1 and "<mrow><mn>1:</mn><mi>t</mi></mrow>" in markup
    assert "<mi>log\u2009</mi><mi>n</mi>" in mathml(r"\log n") and "<mi>log</mi>" in mathml(r"\log(n)")


def test_a_macro_stops_where_its_name_ends() -> None:
    assert "ℬ" in texts(mathml(r"\Breg x", macros=ARUBA.macros))
    assert texts(mathml(r"\Tr X", macros=ARUBA.macros)).startswith("Tr")
    assert "¯" in mathml(r"\RUB_T", macros=ARUBA.macros) and "𝐔" in mathml(r"\RUB_T", macros=ARUBA.macros)
    assert "ℝ" in mathml(r"\mathbb R")


def test_limits_stand_below_in_a_displayed_formula_only() -> None:
    assert "<munder>" in mathml(r"\argmin_{x}f", display=True)
    assert "<munder>" not in mathml(r"\argmin_{x}f", display=False)
    assert "arg\u2009min" in texts(mathml(r"\argmin_{x}f"))


def test_rows_become_a_table() -> None:
    table = ElementTree.fromstring(mathml(FORMULAS[8])).findall(".//{*}mtr")
    assert [len(row) for row in table] == [2, 2]


def test_words_around_mathematics() -> None:
    assert formula("every $x$ with <b>").startswith("every <math")
    assert "&lt;b&gt;" in formula("every $x$ with <b>")
    assert prose("costs 5 $ & more") == "costs 5 $ &amp; more"
    assert formula(r"$$\R_T$$") == formula(r"\R_T")


def test_an_unreadable_formula_is_shown_as_its_source() -> None:
    assert formula(r"\unheard<x>") == '<code class="source">\\unheard&lt;x&gt;</code>'
