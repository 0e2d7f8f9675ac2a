"""HTML without what its parser puts back; that a browser reads the same document is seen in test_chromium."""

from __future__ import annotations

import pytest

from arubatheory.report.lean import lean


@pytest.mark.parametrize(
    ("page", "short"),
    [
        ("<p>a</p><p>b</p><div><p>c</p></div>", "<p>a<p>b<div><p>c</div>"),
        ("<p>a</p><code>b</code><p>c</p>text", "<p>a</p><code>b</code><p>c</p>text"),
        ("<ul><li>a</li><li>b</li></ul>", "<ul><li>a<li>b</ul>"),
        ("<tr><td>a</td><td></td></tr></tbody></table>", "<tr><td>a<td></table>"),
        ('<a href="#12" title="two words">b</a>', '<a href=#12 title="two words">b</a>'),
        ('<a download="" href="x">b</a><option value="">c</option>', "<a download href=x>b</a><option value>c"),
        ("a<br/>b", "a<br>b"),
        ('<path d="M0"/><use href="#a" x="1"/>', '<path d="M0"/><use href=#a x="1"/>'),
        ('<i title="a=b" id="1">x = &#34;y&#34; </i>', '<i title="a=b" id=1>x = &#34;y&#34; </i>'),
        ('<html lang="en" xmlns="http://www.w3.org/1999/xhtml">', "<html lang=en>"),
        ("<math><msub><mi>a</mi><mn>1</mn></msub></math>", "<math><msub><mi>a</mi><mn>1</math>"),
        ("<section><dl><dd>a</dd></dl></section>b", "<section><dl><dd>a</section>b"),
        ('<img src="data:image/svg+xml,%3Csvg>%3C/svg>"/>', '<img src="data:image/svg+xml,<svg></svg>"/>'),
        ('<a href="data:x,%3Csvg">a</a>', "<a href=data:x,%3Csvg>a</a>"),
        ("<script>a > 1 && f('</p>')</script>", "<script>a > 1 && f('</p>')</script>"),
    ],
)
def test_what_a_parser_puts_back_is_left_out_and_nothing_else(page: str, short: str) -> None:
    assert lean(page) == short


def test_an_end_tag_closes_the_innermost_element_of_its_name_only() -> None:
    """So each of that name stays, and the others go."""
    nested = "<math><msub><mi>a</mi><mrow><msub><mi>b</mi><mi>c</mi></msub></mrow></msub><mo>+</mo></math>"
    assert lean(nested) == "<math><msub><mi>a</mi><mrow><msub><mi>b</mi><mi>c</msub></msub><mo>+</math>"
    assert lean("<div><section><div>a</div></section></div>b") == "<div><section><div>a</div></div>b"


def test_a_formula_and_a_block_end_each_for_itself() -> None:
    assert lean("<div><math><mi>a</mi></math></div>") == "<div><math><mi>a</math></div>"
