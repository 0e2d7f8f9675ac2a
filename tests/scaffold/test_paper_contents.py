"""A paper's contents are read from its source: numbers as LaTeX prints them, and errors with file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arubatheory.papers.aruba import ARUBA
from arubatheory.scaffold.contents import Contents, contents
from arubatheory.scaffold.latex import LatexError

SOURCE = Path(__file__).parent / "aruba" / "main.tex"  # the paper's items, without proofs and what stands between them
THEOREMS = "\\newtheorem{thm}{Theorem}\n\\newtheorem{lem}[thm]{Lemma}\n\\newtheorem*{rk}{Remark}\n"
Read = Callable[..., Contents]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def written(text: str, **files: str) -> Contents:
        for name, body in {"paper": text, **files}.items():
            (tmp_path / f"{name}.tex").write_text(body)
        return contents(tmp_path / "paper.tex")

    return written


def listed(found: Contents) -> list[tuple[str, str, str]]:
    return [(item.kind, item.number, item.slug) for item in found.items]


def test_the_items_of_a_whole_paper_are_those_of_its_table() -> None:
    found = contents(SOURCE)
    table = [item for item in ARUBA.items if item.kind != "claim in text"]
    assert len(found.items) == len(table) == 75
    for item, row in zip(found.items, table, strict=True):
        assert (item.file, item.kind, item.number) == (row.file, row.kind, row.number)
        assert item.slug == row.slug if item.labelled else item.slug.endswith(f":{row.number}")
    assert sum(item.labelled for item in found.items) == 67
    assert (found.title, found.authors) == (ARUBA.title, "Mikhail Khodak")
    assert {"Breg": r"\mathcal B", "DYN": r"\operatorname{INIT}"}.items() <= found.macros.items()
    assert [s.number for s in found.sections] == [*"23456", *"ABCDEF"]


def test_a_source_without_labels_is_numbered(read: Read) -> None:
    text = "\\section{One}\n\\begin{thm}[Main {\\em one}]Let $x\\le 1$, $y$.\\end{thm}\n\\begin{lem}$$a$$\\end{lem}"
    found = read(THEOREMS + text + "\\begin{rk}r\\end{rk}\\begin{rk}r\\end{rk}")
    assert listed(found) == [
        ("theorem", "1", "thm:1"),
        ("lemma", "2", "lem:2"),
        ("remark", "", "rem:1"),
        ("remark", "", "rem:2"),
    ]
    first, second, *_ = found.items
    assert (first.title, first.line, first.formula, second.formula) == ("Main one", 5, r"x\le 1", "a")
    assert not any(item.labelled for item in found.items)


@pytest.mark.parametrize(
    ("declared", "text", "numbers"),
    [
        ("\\newtheorem{t}{T}[section]", "\\section{A} T \\section*{B} T \\section{C} T", "1.1 1.2 2.1"),
        (
            "\\newtheorem{t}{T}[subsection]",
            "\\section{A}\\subsection{B} T \\section{C}\\subsection{D} T",
            "1.1.1 2.1.1",
        ),
        ("\\newtheorem{t}{T}[section]", "\\chapter{A}\\section{B} T \\chapter{C}\\section{D} T", "1.1.1 2.1.1"),
        ("\\newtheorem{t}{T}\\numberwithin{t}{section}", "\\section{A} T \\appendix\\section{B} T", "1.1 A.1"),
        ("\\declaretheorem[name=X,numberwithin=section]{t}", "\\section{A} T T", "1.1 1.2"),
        ("\\declaretheorem{s}\\declaretheorem[sibling=s]{t}", "\\section{A}\\begin{s}\\end{s} T", "1 2"),
        ("", "\\begin{theorem}\\end{theorem}\\begin{lemma}\\end{lemma}\\begin{theorem}\\end{theorem}", "1 1 2"),
    ],
)
def test_numbers_are_those_that_are_printed(read: Read, declared: str, text: str, numbers: str) -> None:
    found = read(declared + text.replace(" T", "\\begin{t}\\end{t}"))
    assert [item.number for item in found.items] == numbers.split()


def test_labelled_equations_and_algorithms_are_items(read: Read) -> None:
    text = "\\begin{align}a&\\le b\\label{eq:a}\\\\\nc&=d\\label{eq:b}\\end{align}\\begin{equation}x\\end{equation}"
    inner = "\\begin{thm}\\begin{equation}\\label{eq:c}x\\end{equation}\\label{thm:x}\\end{thm}"
    found = read(f"{THEOREMS}{text}{inner}\\begin{{algorithm}}\\caption{{\\label{{alg:x}}A}}\\end{{algorithm}}")
    assert [item.slug for item in found.items] == ["eq:a", "eq:b", "thm:x", "eq:c", "alg:x"]
    assert found.items[0].formula == r"\begin{aligned}a&\le b\\ c&=d\end{aligned}"


@pytest.mark.parametrize(
    ("used", "formula"),
    [
        (r"\norm{x}_2\le1", r"\|x\|_2\le1"),
        (r"\norm{\norm{x}y}\le\ip xy", r"\|\|x\|y\|\le\langle x,y\rangle"),
        (r"\ip{a}{\frac{b}{c}}\le\normal", r"\langle a,\frac{b}{c}\rangle\le\normal"),
        (r"a\le\loop1", None),
    ],
)
def test_macros_with_arguments_are_expanded(read: Read, used: str, formula: str | None) -> None:
    macros = r"\newcommand{\norm}[1]{\|#1\|}\newcommand\ip[2]{\langle #1,#2\rangle}\newcommand{\loop}[1]{\loop{#1}}"
    (item,) = read(f"{THEOREMS}{macros}\\begin{{thm}}$${used}$$\\end{{thm}}").items
    assert item.formula == formula or (formula is None and item.formula.startswith(r"a\le"))


def test_what_tex_passes_over_is_no_item(read: Read) -> None:
    over = "% \\begin{thm}\n\\verb|{|\\begin{verbatim}\n\\begin{thm}\n\\end{verbatim}\n"
    over += "\\begin{comment}\n{{\n\\end{comment}\n"
    found = read(f"{THEOREMS}{over}\\iffalse\n\\begin{{thm}}\n\\fi\\let\\old\\section\n\\begin{{thm}}x\\end{{thm}}")
    assert [(item.number, item.line) for item in found.items] == [("1", 14)]


@pytest.mark.parametrize(
    ("text", "files", "message"),
    [
        ("\n\\begin{thm}\n$x\n\\end{thm}", {}, "paper.tex, line 7: Unexpected closing environment: 'thm'"),
        ("\\begin{thm}\n\\end{lem}", {}, "paper.tex, line 5: Unexpected mismatching closing environment: 'lem'"),
        ("\\begin{thm} {", {}, "paper.tex, line 4: Unexpected end of stream"),
        ("\\input{part}", {"part": "\n\n}"}, "part.tex, line 3: Unexpected mismatching closing brace"),
        ("\n\\input{none}", {}, "paper.tex, line 5: there is no file 'none' to read"),
        ("\\input{part}", {"part": "\\input{paper}"}, "part.tex: it reads paper.tex again, which reads it"),
        (
            "\\begin{thm}\\label{a}\\end{thm}\n" * 2,
            {},
            "line 5: the label 'a' is given twice, first in paper.tex, line 4",
        ),
        ("words", {}, "paper.tex: it has no theorem environment, and no labelled equation or algorithm"),
        ("{" * 3000, {}, "paper.tex: its braces and environments are nested too deep"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(read: Read, text: str, files: dict[str, str], message: str) -> None:
    with pytest.raises(LatexError) as error:
        read(THEOREMS + text, **files)
    assert message in str(error.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "latin.tex").write_bytes(b"\\begin{thm}\xff")
    for name, message in (("latin", "can't decode byte"), ("none", "there is no file")):
        with pytest.raises(LatexError, match=message):
            contents(tmp_path / f"{name}.tex")
