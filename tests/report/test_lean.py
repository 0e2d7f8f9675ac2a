"""HTML without what its standard lets a page leave out: every parser reads the same document."""

from __future__ import annotations

import pytest
from nesting import read, same_document
from test_page import evil_outcome
from toy import outcomes

from arubatheory.papers.aruba import ARUBA
from arubatheory.report.lean import lean
from arubatheory.report.outcome import Outcome
from arubatheory.report.page import Beside, page


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
        ("<math><msub><mi>a</mi><mn>1</mn></msub></math>", "<math><msub><mi>a</mi><mn>1</mn></msub></math>"),
        ("<section><dl><dt>a</dt><dd>b</dd></dl></section>c", "<section><dl><dt>a<dd>b</dl></section>c"),
        ('<img src="data:image/svg+xml,%3Csvg>%3C/svg>"/>', '<img src="data:image/svg+xml,%3Csvg>%3C/svg>"/>'),
        ('<a href="data:x,%3Csvg">a</a>', "<a href=data:x,%3Csvg>a</a>"),
        ("<script>a > 1 && f('</p>')</script>", "<script>a > 1 && f('</p>')</script>"),
    ],
)
def test_what_a_parser_puts_back_is_left_out_and_nothing_else(page: str, short: str) -> None:
    assert lean(page) == short


@pytest.mark.parametrize(
    "wrong",
    [
        "<math><msub><mi>a</mi><mn>1</msub></math>",
        "<aside><section>a</aside>",
        "<p><code>a<p>b</code>",
        "<ul><li><b>a<li>b</b></ul>",
        "<div>a",
        "<div/>",
        "a</p>",
    ],
)
def test_what_no_standard_lets_a_page_leave_out_is_seen(wrong: str) -> None:
    with pytest.raises(AssertionError):
        read(wrong)


@pytest.mark.parametrize("found", [outcomes(), [evil_outcome()], []], ids=["toys", "hostile", "empty"])
def test_a_lean_page_is_the_same_document(found: list[Outcome]) -> None:
    same_document(page(found, Beside(ARUBA)))
