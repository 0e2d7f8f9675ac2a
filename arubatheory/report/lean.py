r"""A well-formed page as HTML of fewer bytes, which a browser reads as the same document.

A parser of HTML puts back what is left out here: end tags that what follows implies, quotes around plain values, the
slash of elements that hold nothing. It closes all that is inside of what ends, so that of end tags in a row those of
the last name do, in a formula and among blocks; a validator asks for the others, and no browser needs them.
"""

from __future__ import annotations

import re

BLOCK = "p|div|ol|ul|dl|h[1-6]|aside|section|article|footer|header|figure|details|table|nav|main|pre|form"
ENDS = re.compile(  # </p> only where a block begins, or what holds the paragraph ends
    rf"</(?:li|dt|dd|td|th|tr|thead|tbody|option)>|</p>(?=<(?:{BLOCK})[ >]|</(?:div|section|article|aside|footer|header"
    r"|details|main)>)"
)
TAG = re.compile(r"<[A-Za-z][^<>]*>")  # a well-formed page has neither bracket in a value or a script
VALUE = re.compile(r"""="(?:([^\s"'`=<>]+)|)"(?=[ >])""")
EMPTY = re.compile(r"(?<=<br|<hr)/>")
NESTED = "div|dl|ol|ul|aside|section|article|figcaption|figure|details"
INNER = re.compile(rf"(?:</m[a-z]+>)+</(m[a-z]+)>|(?:</(?:{NESTED})>)+</({NESTED})>")
IMAGE = re.compile(r'"data:image/svg\+xml,[^"]*"')
NAMESPACE = ' xmlns="http://www.w3.org/1999/xhtml"'


def lean(page: str) -> str:
    """The page with nothing in it that a parser of HTML puts back by itself."""
    plain = TAG.sub(lambda tag: VALUE.sub(_value, EMPTY.sub(">", tag[0])), page.replace(NAMESPACE, "", 1))
    short = INNER.sub(_outer, ENDS.sub("", plain))
    return IMAGE.sub(lambda image: image[0].replace("%3C", "<"), short)


def _value(found: re.Match[str]) -> str:
    return f"={found[1]}" if found[1] else ""


def _outer(ends: re.Match[str]) -> str:
    """Of end tags in a row those of the last one's name: each closes the innermost element that has it."""
    last = f"</{ends[1] or ends[2]}>"
    return last * ends[0].count(last)
