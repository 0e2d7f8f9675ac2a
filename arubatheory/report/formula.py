r"""LaTeX formulas as MathML that browsers draw without a script.

latex2mathml knows neither a paper's macros nor MathML Core (no `mathvariant`, no guessing of fences), and it lets
unknown commands, `\operatorname*`, `aligned` and stray `&` through silently. So macros are expanded first, aligned
rows are converted cell by cell, the result is parsed and repaired, and what it could not read is an error.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping
from functools import partial
from itertools import accumulate, pairwise
from xml.etree import ElementTree

from markupsafe import Markup

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
MACROS = {  # what any paper may write; its own commands come with it
    "argmin": r"\operatorname{argmin}",
    "argmax": r"\operatorname{argmax}",
    "textrm": r"\text",
    **dict.fromkeys(("dfrac", "tfrac"), r"\frac"),
    **dict.fromkeys(("lVert", "rVert"), r"\|"),
    **dict.fromkeys(("lvert", "rvert"), "|"),
    **dict.fromkeys(("displaystyle", "nonumber"), ""),
    "implies": r"\quad\Longrightarrow\quad",
    "iff": r"\quad\Longleftrightarrow\quad",
}
LIMITS = {"min", "max", "sup", "inf", "lim", "argmin", "argmax"}
NAMES = {"argmin": "arg\u2009min", "argmax": "arg\u2009max"}
FUNCTION = re.compile(r"(?!min$|max$|sup$|inf$|lim$|argm)[A-Za-z]{2,}")
FENCES = {"‖", "|", "⟨", "⟩"}
BRACKETS = {"(", ")", "[", "]", "{", "}"}  # stretch by themselves
WIDE = {"1em": "\u2003", "2em": "\u2003\u2003"}
ROWLIKE = {"math", "mtd", "msqrt"}  # group their children as a row does
ALPHABETS = {  # with the letters that Unicode has elsewhere
    "bold": {},
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}
# What may stand in an element: \href, \style, \class, ... would put in what they are given.
ATTRIBUTES = {
    *("accent", "accentunder", "columnalign", "columnspacing", "depth", "display", "displaystyle", "fence", "form"),
    *("height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "rowspacing"),
    *("rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width"),
}
ROWS = re.compile(r"\\begin\{(aligned|align\*?|gathered|split|eqnarray\*?)\}(.*?)\\end\{\1\}", re.S)


class FormulaError(ValueError):
    """A formula that cannot be turned into MathML; the message names the part that could not be read."""


def expand(latex: str, macros: Mapping[str, str]) -> str:
    r"""The formula without a paper's macros, `\operatorname*`, mathematics inside `\text`, or non-breaking `~`."""
    latex = re.sub(r"\\(operatorname\*|mathop)", r"\\operatorname", latex).replace(r"arg\,m", "argm")
    latex = latex.replace("~", r"\ ").replace("||", r"\|")
    latex = re.sub(r"\\left\s*\\\|", r"\\left\\Vert ", re.sub(r"\\right\s*\\\|", r"\\right\\Vert ", latex))
    for _ in range(8):
        known = re.sub(r"\\([A-Za-z]+)", partial(_macro, MACROS | {**macros}), latex)
        if known == latex:
            break
        latex = known
    return re.sub(r"\\text\{([^{}]*)\}", _text, latex)


def _macro(macros: Mapping[str, str], match: re.Match[str]) -> str:
    if match[1] not in macros:
        return match[0]
    body = macros[match[1]]
    # \R_T and \Breg x must not merge with what follows; a command of letters must not swallow a letter.
    return body + " " if re.search(r"\\[A-Za-z]+$", body) else body


def _text(match: re.Match[str]) -> str:
    return "".join(p if i % 2 else rf"\text{{{p}}}" for i, p in enumerate(match[1].split("$")) if p)


def mathml(latex: str, display: bool = False, macros: Mapping[str, str] = MACROS) -> str:
    r"""The `<math>` element of a formula (without dollar signs). Raises FormulaError for what it cannot read."""
    _check_braces(latex)
    element = _rows(expand(latex, macros), display)
    element.attrib.pop("display", None)
    if display:
        element.set("display", "block")
    _repair(element, display)
    left = re.search(r"\\\S*|[&$]", "".join(element.itertext()))
    if left:
        raise FormulaError(f"cannot turn {left[0]!r} into MathML, in the formula {latex!r}")
    _ungroup(element)
    return ElementTree.tostring(element, encoding="unicode").replace(" />", "/>")


def _check_braces(latex: str) -> None:
    """latex2mathml closes forgotten braces where it likes."""
    braces = re.findall(r"[{}]", re.sub(r"\\.", "", latex, flags=re.S))
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in braces)]
    if min(depths) < 0 or depths[-1]:
        raise FormulaError(f"cannot turn unbalanced braces into MathML, in the formula {latex!r}")


def _ungroup(element: ElementTree.Element) -> None:
    """Groups that hold one element only give way to it, and attributes that draw nothing go."""
    for i, child in enumerate(element):
        while child.tag == "mrow" and len(child) == 1 and not child.attrib:
            child = element[i] = child[0]
        _ungroup(child)
    if element.tag in ROWLIKE and len(element) == 1 and element[0].tag == "mrow" and not element[0].attrib:
        element[:] = list(element[0])
    if element.tag == "mo":
        element.attrib.pop("fence", None)  # draws nothing
        if element.text == "¯":
            element.attrib.pop("stretchy", None)  # as it does anyway
        if element.text in BRACKETS and element.get("stretchy") == "true":
            element.attrib = {k: v for k, v in element.attrib.items() if k not in ("stretchy", "form")}


def _rows(latex: str, display: bool) -> ElementTree.Element:
    """Convert with every aligned environment set aside and put back as a table."""
    tables: list[ElementTree.Element] = []

    def aside(match: re.Match[str]) -> str:
        tables.append(_table(match[2], display))
        return rf"\text{{@{len(tables) - 1}@}}"

    latex = ROWS.sub(aside, latex)
    element = _convert(latex, display)
    for parent in list(element.iter()):
        for i, child in enumerate(parent):
            slot = re.fullmatch(r"@(\d+)@", child.text or "")
            if slot:
                parent[i] = tables[int(slot[1])]
    return element


def _table(body: str, display: bool) -> ElementTree.Element:
    table = ElementTree.Element("mtable", {"class": "rows", "displaystyle": "true"})
    for line in re.split(r"\\\\(?:\[[^]]*\])?", body):
        if not line.strip():
            continue
        row = ElementTree.SubElement(table, "mtr")
        for cell in line.split("&"):
            entry = ElementTree.SubElement(row, "mtd")
            entry.extend(_convert("{}" + cell if cell.strip() else "{}", display))
    return table


@functools.lru_cache(maxsize=512)
def _source(latex: str, display: bool) -> str:
    from latex2mathml.converter import convert

    try:
        return str(convert(latex, display="block" if display else "inline"))
    except Exception as error:  # latex2mathml raises its own, plain and index errors for one unbalanced brace
        reason = type(error).__name__
        raise FormulaError(f"cannot turn the formula {latex!r} into MathML: {reason}") from error


def _convert(latex: str, display: bool) -> ElementTree.Element:
    source = _source(latex, display).replace("<mi>&</mi>", "<mi>&amp;</mi>")
    try:
        element = ElementTree.fromstring(source)
    except ElementTree.ParseError as error:
        raise FormulaError(f"cannot turn the formula {latex!r} into MathML: {error}") from error
    for node in element.iter():
        node.tag = node.tag.removeprefix(f"{{{NAMESPACE}}}")
    element.attrib.pop("xmlns", None)
    foreign = sorted({name for node in element.iter() for name in node.attrib} - ATTRIBUTES)
    if foreign:
        raise FormulaError(f"cannot turn what sets {', '.join(foreign)} into MathML, in the formula {latex!r}")
    return element


def _repair(element: ElementTree.Element, display: bool) -> None:
    for node in list(element.iter()):
        _merge_letters(node)
        if node.tag in ("msub", "msubsup") and display and _name(node[0]) in LIMITS:
            node.tag = {"msub": "munder", "msubsup": "munderover"}[node.tag]
        if node.get("width") == "negativethinmathspace":
            node.set("width", "-0.167em")
    for node in element.iter():
        if node.tag in ("mi", "mo", "mn", "mtext"):
            _repair_token(node)
    for node in list(element.iter()):
        _space_functions(node)
        _join(node)


def _join(row: ElementTree.Element) -> None:
    r"""One element of words and the `\quad` around them, and of a number and the colon after it."""
    for left, right in pairwise(list(row)) if row.tag in ROWLIKE | {"mrow"} else ():
        before, after = _words(left), _words(right)
        if before and after and "mtext" in (left.tag, right.tag):
            right.tag, right.text, right.attrib = "mtext", before + after, {}
            row.remove(left)
        elif left.tag == "mn" and (right.tag, right.text) == ("mi", ":"):
            right.tag, right.text = "mn", f"{left.text}:"
            row.remove(left)


def _words(node: ElementTree.Element) -> str:
    """The text of words, or of a wide space; empty for anything else."""
    return node.text or "" if node.tag == "mtext" else WIDE.get(node.get("width", ""), "")


def _space_functions(row: ElementTree.Element) -> None:
    r"""A thin space after `\log`, `\det` and other names of functions unless a bracket follows."""
    for name, following in pairwise(row) if row.tag in ("mrow", "math", "mtd") else ():
        named = name.tag in ("mi", "mo") and FUNCTION.fullmatch(name.text or "")
        if named and _name(following)[:1] not in ("(", "[", "{", ")", ",", ""):
            name.text = f"{name.text}\u2009"


def _name(node: ElementTree.Element) -> str:
    return "".join(node.itertext())


def _merge_letters(node: ElementTree.Element) -> None:
    r"""`\mathrm{init}` comes as one element a letter; make it a word."""
    letters = list(node)
    if len(letters) > 1 and all(c.tag == "mi" and c.get("mathvariant") == "normal" for c in letters):
        letters[0].text = "".join(c.text or "" for c in letters)
        for child in letters[1:]:
            node.remove(child)


def _repair_token(node: ElementTree.Element) -> None:
    text = node.text or ""
    variant = node.attrib.pop("mathvariant", "")
    if variant in ALPHABETS:
        node.text = "".join(_styled(c, variant) for c in text)
    elif variant == "normal" and len(text) == 1:
        node.set("mathvariant", "normal")
    unstretched = node.get("stretchy") == "false" or (text in FENCES and "stretchy" not in node.attrib)
    if unstretched and (text in FENCES or text in BRACKETS):
        node.tag, node.attrib = "mi", {}  # neither stretched nor padded, and half as long as an operator that says so
    elif text in FENCES:
        node.tag = "mo"
        # A fence in the middle of a row is read as infix and padded; it is part of its operand.
        node.attrib.update({"lspace": "0", "rspace": "0"})
    elif node.tag == "mo" and text.isalpha() and len(text) > 1 and text not in LIMITS:
        node.tag = "mi"
    elif text in LIMITS:
        node.tag, node.text = "mo", NAMES.get(text, text)
        node.attrib.update({"lspace": "0.17em", "rspace": "0.17em"})
    elif node.tag == "mi" and len(text) == 1 and unicodedata.category(text) in ("Sm", "Po"):
        node.tag = "mo" if text != ":" else "mi"  # 1:t is one index, not a relation


def _styled(letter: str, style: str) -> str:
    """The letter in a mathematical alphabet of Unicode; itself where the alphabet lacks it."""
    if letter in ALPHABETS[style]:
        return ALPHABETS[style][letter]
    try:
        case = {"Lu": "CAPITAL ", "Ll": "SMALL "}.get(unicodedata.category(letter), "")
        name = unicodedata.name(letter).split()[-1]
        return unicodedata.lookup(f"MATHEMATICAL {style.upper()} {case or 'DIGIT '}{name}")
    except (KeyError, ValueError):
        return letter


def pieces(text: str) -> list[str]:
    """Words and formulas in turn, which dollar signs part; all of it as words where one has no other."""
    found = re.split(r"\$\$?", text)
    return found if len(found) % 2 else [text]


def prose(text: str, macros: Mapping[str, str] = MACROS) -> Markup:
    r"""Escaped HTML of a sentence; what stands between dollar signs becomes MathML, or its source if unreadable."""
    return Markup().join(_formula_or_source(p, False, macros) if i % 2 else p for i, p in enumerate(pieces(text)))


def _formula_or_source(latex: str, display: bool, macros: Mapping[str, str]) -> Markup:
    try:
        return Markup(mathml(latex, display, macros))
    except FormulaError:
        return Markup('<code class="source">{}</code>').format(latex)


def formula(latex: str, display: bool = True, macros: Mapping[str, str] = MACROS) -> Markup:
    r"""HTML of a formula as a statement holds it: bare LaTeX, or words around `$...$`; its source if unreadable."""
    bare = latex.strip()
    for mark in ("$$", "$"):
        if bare.startswith(mark) and bare.endswith(mark) and bare.count("$") == 2 * len(mark):
            bare = bare[len(mark) : -len(mark)]
    return prose(bare, macros) if is_prose(bare) else _formula_or_source(bare, display, macros)


def is_prose(latex: str) -> bool:
    r"""Whether it is words around formulas, and not one formula, which may have such words inside `\text`."""
    return "$" in latex and not re.search(r"\\text(rm)?\{[^{}]*\$", latex)
