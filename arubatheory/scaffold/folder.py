r"""The folder of a paper: its items, a module of stubs for each section, a README and a workflow that keeps the ledger.

A stub is no statement. To put an item on trial, write its game and its sides, and `claim` in the place of `stub`.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path

from arubatheory.report.files import replace_text
from arubatheory.scaffold.contents import Contents, Section, SourceItem
from arubatheory.scaffold.latex import LatexError
from arubatheory.statements.items import COLUMNS

WIDTH = 110  # of the lines of a source that is quoted in a comment
WORDS = 3  # of a section's title that its module is named by


def files(contents: Contents, name: str) -> dict[str, str]:
    """The files of the folder `name`, by their paths in it."""
    modules = dict(zip(_modules(contents.sections), contents.sections, strict=True))
    keys = _keys(contents.sections)
    rows = ["\t".join(COLUMNS), *(_row(item, keys[i]) for i, s in enumerate(contents.sections) for item in s.items)]
    said = {"NAME": name, "TITLE": contents.title or name, "ITEMS": str(len(contents.items))}
    said["REFERENCE"] = contents.authors or "its authors"
    return {
        "items.tsv": "\n".join(rows) + "\n",
        "__init__.py": _package(contents, said, list(modules), keys),
        **{f"{module}.py": _module(section) for module, section in modules.items()},
        "README.md": _filled("README.md", said),
        ".github/workflows/verify.yml": _filled("verify.yml", said),
        ".pre-commit-config.yaml": _filled("pre-commit.yaml", said),
    }


def write(contents: Contents, folder: Path) -> list[Path]:
    """Write the folder; the files written. Raises LatexError where it has something in it already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LatexError(f"{folder} is there already: name another folder as DIR, or move it away")
    made = {folder / name: text for name, text in files(contents, folder.resolve().name).items()}
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, text)
    return list(made)


def _filled(template: str, said: dict[str, str]) -> str:
    text = resources.files("arubatheory.scaffold").joinpath("templates", template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda found: said[found[1]], text)


# items and sections ------------------------------------------------------------------------------------------------
def _keys(sections: Sequence[Section]) -> list[str]:
    """What names a section in the table of items: its file, and its number where the file has several."""
    files = [s.file for s in sections]
    return [s.file if files.count(s.file) == 1 else f"{s.file}, section {s.number or 0}" for s in sections]


def _row(item: SourceItem, key: str) -> str:
    note = item.title if item.labelled else f"{item.title} (no label in the source)".strip()
    return "\t".join(" ".join(cell.split()) for cell in (key, item.kind, item.number, item.slug, "", note))


def _modules(sections: Sequence[Section]) -> Iterator[str]:
    """The name of each section's module, from its number and the first words of its title."""
    used = set[str]()
    for section in sections:
        words = re.findall(r"[a-z0-9]+", section.title.lower())[:WORDS]
        number = section.number.replace(".", "_").lower()
        name = "_".join([f"s{number}" if number[:1].isdigit() else number or "s0", *words])
        while name in used:
            name += "_"
        used.add(name)
        yield name


# text --------------------------------------------------------------------------------------------------------------
def _package(contents: Contents, said: dict[str, str], modules: list[str], keys: list[str]) -> str:
    pairs = zip(keys, contents.sections, strict=True)
    sections = "".join(f"    {quoted(key)}: ({quoted(_heading(s))}, {quoted(s.title)}),\n" for key, s in pairs)
    macros = "".join(f"    {quoted(name)}: {raw(text)},\n" for name, text in contents.macros.items())
    filled = {"SECTIONS": sections, "MODULES": "".join(f"    {quoted(m)},\n" for m in modules), "MACROS": macros}
    return _filled("package.txt", {key: quoted(value) for key, value in said.items()} | filled)


def _heading(section: Section) -> str:
    if not section.number:
        return "Front matter"
    return f"{'Section' if section.number[0].isdigit() else 'Appendix'} {section.number}"


def _module(section: Section) -> str:
    """The module of a section: a stub for each item, below what the source says."""
    used = set[str]()
    head = _filled("module.txt", {"HEADING": f"{section.number} {section.title}".strip().replace('"""', "'''")})
    return head + "".join(_stub(item, used) for item in section.items)


def _stub(item: SourceItem, used: set[str]) -> str:
    name = _function(item.slug, used)
    said = f"{item.kind} {item.number}".strip().capitalize() + (f": {item.title}" if item.title else "")
    source = "".join(f"#   {line}\n" for line in _lines(item.source))
    return (
        f"\n\n# {item.slug}, line {item.line} of {item.file}:\n{source}"
        f"@stub({quoted(item.slug)}, {raw(item.formula)})\n"
        f"def {name}(x: Instance) -> Sides:\n    {raw(said + '.', docstring=True)}\n    raise NotImplementedError\n"
    )


def _function(slug: str, used: set[str]) -> str:
    """A name for the function of an item that its module has not used."""
    name = re.sub(r"\W+", "_", slug.partition(":")[2] or slug, flags=re.ASCII).strip("_") or "item"
    name = f"item_{name}" if name[:1].isdigit() or keyword.iskeyword(name) else name
    while name in used:
        name += "_"
    used.add(name)
    return name


def _lines(source: str) -> Iterator[str]:
    """A source in lines that fit into a comment."""
    for line in filter(None, (line.strip() for line in source.split("\n"))):
        while len(line) > WIDTH:
            cut = line.rfind(" ", 0, WIDTH)
            cut = cut if cut > 0 else WIDTH
            yield line[:cut]
            line = line[cut:].strip()
        yield line


def quoted(text: str) -> str:
    """A text in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def raw(text: str, docstring: bool = False) -> str:
    """A text as Python writes it: raw, so that formulas read as they are, wherever it can be."""
    quote = '"""' if docstring else '"' if '"' not in text else "'"
    if quote in text or text.endswith(("\\", quote[0])) or not text.isprintable():
        return quoted(text)
    return f"{'r' if chr(92) in text else ''}{quote}{text}{quote}"
