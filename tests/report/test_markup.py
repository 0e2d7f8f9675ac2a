"""Templates: what is sent of their lines, and that nothing goes through unescaped."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from arubatheory.papers.aruba import ARUBA
from arubatheory.report.markup import asset, environment, text


def drawn(source: str, **names: object) -> str:
    return environment(ARUBA, **names).from_string(source).render()


def test_a_line_break_is_a_blank_between_words_and_nothing_beside_a_tag() -> None:
    assert drawn("<p>\n  one\n  two <b>three</b>\n</p>\n") == "<p>one two <b>three</b></p>"
    assert drawn("{% for x in 'ab' %}\n  {{ x }}\n  <i/>\n{% endfor %}") == "a<i/>b<i/>"


def test_what_is_given_is_escaped_and_formulas_are_drawn_with_the_papers_macros() -> None:
    assert drawn("<p title='{{ x }}'>{{ x }}</p>", x="<'&") == "<p title='&lt;&#39;&amp;'>&lt;&#39;&amp;</p>"
    assert drawn("{{ x | prose }}", x=r"<b> $\Breg$") == "&lt;b&gt; <math><mi>ℬ</mi></math>"
    assert drawn("{{ x | formula }}", x=r"\unheard<") == '<code class="source">\\unheard&lt;</code>'
    assert "source" in environment(None).from_string(r"{{ '\\Breg' | formula }}").render()


def test_a_name_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        drawn("{{ nothing }}")


def test_plain_text_is_not_escaped_and_keeps_its_lines() -> None:
    assert text(x="<&").from_string("{% if x %}\n{{ x }}\n{% endif %}\nend").render() == "<&\nend"


def test_the_script_and_the_style_are_files() -> None:
    assert asset("page.js").startswith('"use strict";') and asset("page.css").startswith(":root {")
