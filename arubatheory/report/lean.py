r"""A well-formed page as HTML of fewer bytes, which a browser reads as the same document.

The standard of HTML lets out what is left out here, so that any parser of it puts it back: end tags that what follows
implies, quotes around plain values, the slash of elements that hold nothing.
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
NAMESPACE = ' xmlns="http://www.w3.org/1999/xhtml"'


def lean(page: str) -> str:
    """The page with nothing in it that a parser of HTML puts back by itself."""
    plain = TAG.sub(lambda tag: VALUE.sub(_value, EMPTY.sub(">", tag[0])), page.replace(NAMESPACE, "", 1))
    return ENDS.sub("", plain)


def _value(found: re.Match[str]) -> str:
    return f"={found[1]}" if found[1] else ""
