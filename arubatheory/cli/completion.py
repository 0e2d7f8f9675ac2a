r"""Completion scripts for bash, zsh and fish, made from the parser itself: verbs, options, and the paper's labels.

A script is static text: completing never starts Python. Labels contain a colon, at which bash breaks words; the script
puts them together again by itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from arubatheory.cli.parser import VERBS, verb_parsers

LABELS, FILES, FOLDERS = "labels", "files", "folders"
VALUES = {
    "engine": "check search rate simulate",
    "budget": "quick standard deep",
    "patterns": LABELS,
    "label": LABELS,
    "root": FOLDERS,
    "file": FILES,
    "page": FILES,
    "output": FILES,
    "witness": FILES,
}
"""What the value of an option or an argument may be, by its name in the parser: words, or one of the three kinds."""


class Choice(NamedTuple):
    """An option (or, without a flag, the arguments) of a verb, and what it takes: None for nothing, "" for anything."""

    flag: str
    takes: str | None
    text: str


def script(shell: str, labels: Sequence[str]) -> str:
    """The completion script of a shell. Raises ValueError for a shell that has none."""
    if shell not in SCRIPTS:
        raise ValueError(f"shell must be one of {', '.join(SCRIPTS)}, got {shell!r}")
    return SCRIPTS[shell](list(labels))


def choices() -> dict[str, list[Choice]]:
    """The options and the arguments of each verb."""
    return {name: [c for action in sub._actions for c in _choices(action)] for name, sub in verb_parsers().items()}


def _choices(action: argparse.Action) -> Iterator[Choice]:
    values = " ".join(action.choices) if action.choices else VALUES.get(action.dest, "")
    takes = None if action.nargs == 0 else values
    for flag in [f for f in action.option_strings if f.startswith("--")] or [""]:
        yield Choice(flag, takes, action.help or "")


def _cases(taken: Callable[[str], str], indent: str) -> list[str]:
    """One branch of a `case` for every option with a value."""
    return [
        f"{indent}'{verb} {c.flag}') {taken(c.takes)}; return ;;"
        for verb, options in choices().items()
        for c in options
        if c.flag and c.takes is not None
    ]


def _arguments(verb: str) -> str:
    return next((c.takes or "" for c in choices()[verb] if not c.flag), "")


# bash --------------------------------------------------------------------------------------------------------------
BASH = """\
# bash completion of arubatheory, made by `arubatheory completion bash`
_arubatheory_labels="{labels}"
_arubatheory_words() {{
  local found
  COMPREPLY=()
  while IFS= read -r found; do
    # bash breaks words at a colon and wants the rest only
    [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]] && found=${{found#"${{cur%"${{cur##*:}}"}}"}}
    COMPREPLY+=("$found")
  done < <(compgen "$@" -- "$cur")
}}
_arubatheory() {{
  local line=${{COMP_LINE:0:COMP_POINT}} cur="" verb previous
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    cur=${{words[${{#words[@]}}-1]}}
    unset "words[${{#words[@]}}-1]"
  fi
  verb=${{words[1]-}} previous=${{words[${{#words[@]}}-1]}}
  if (( ${{#words[@]}} == 1 )); then _arubatheory_words -W '{verbs} --help --version'; return; fi
  case "$verb $previous" in
{values}
  esac
  case $verb in
{arguments}
  esac
}}
complete -F _arubatheory arubatheory
"""


def _bash_taken(takes: str) -> str:
    known = {LABELS: '-W "$_arubatheory_labels"', FILES: "-f", FOLDERS: "-d", "": "-W ''"}
    return "_arubatheory_words " + known.get(takes, f"-W '{takes}'")


def _bash(labels: list[str]) -> str:
    branches = [
        f"    {verb}) if [[ $cur == -* ]]; then _arubatheory_words -W '{' '.join(c.flag for c in options if c.flag)}'; "
        f"else {_bash_taken(_arguments(verb))}; fi ;;"
        for verb, options in choices().items()
    ]
    return BASH.format(
        labels=" ".join(labels),
        verbs=" ".join(VERBS),
        values="\n".join(_cases(_bash_taken, "    ")),
        arguments="\n".join(branches),
    )


# zsh ---------------------------------------------------------------------------------------------------------------
ZSH = """\
#compdef arubatheory
# zsh completion of arubatheory, made by `arubatheory completion zsh`
_arubatheory() {{
  local -a verbs options labels
  labels=({labels})
  if (( CURRENT == 2 )); then
    verbs=({verbs})
    _describe command verbs
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
{values}
  esac
  case $words[2] in
{arguments}
  esac
}}
if [[ $funcstack[1] == _arubatheory ]]; then _arubatheory "$@"; else compdef _arubatheory arubatheory; fi
"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _zsh_taken(takes: str) -> str:
    known = {LABELS: "compadd -a labels", FILES: "_files", FOLDERS: "_files -/", "": "true"}
    return known.get(takes, f"compadd {takes}")


def _zsh(labels: list[str]) -> str:
    branches = []
    for verb, options in choices().items():
        described = " ".join(_quoted(f"{c.flag}:{c.text}") for c in options if c.flag)
        branches.append(
            f"    {verb}) if [[ $PREFIX == -* ]]; then options=({described}); _describe option options; "
            f"else {_zsh_taken(_arguments(verb))}; fi ;;"
        )
    return ZSH.format(
        labels=" ".join(map(_quoted, labels)),
        verbs=" ".join(_quoted(f"{k}:{v.text}") for k, v in VERBS.items()),
        values="\n".join(_cases(_zsh_taken, "    ")),
        arguments="\n".join(branches),
    )


# fish --------------------------------------------------------------------------------------------------------------
def _fish_taken(takes: str | None) -> str:
    known = {LABELS: '-x -a "$__arubatheory_labels"', FILES: "-r -F", FOLDERS: "-x -a '(__fish_complete_directories)'"}
    return "" if takes is None else "-x" if not takes else known.get(takes, f"-x -a '{takes}'")


def _fish(labels: list[str]) -> str:
    lines = [
        "# fish completion of arubatheory, made by `arubatheory completion fish`",
        f"set -g __arubatheory_labels {' '.join(map(_quoted, labels))}",
        "complete -c arubatheory -f",
        *(f"complete -c arubatheory -n __fish_use_subcommand -a {k} -d {_quoted(v.text)}" for k, v in VERBS.items()),
    ]
    for verb, options in choices().items():
        for c in options:
            flag = f"-l {c.flag[2:]} -d {_quoted(c.text)} " if c.flag else ""
            taken = _fish_taken(c.takes).replace("-r -F", "-F") if not c.flag else _fish_taken(c.takes)
            lines.append(f"complete -c arubatheory -n '__fish_seen_subcommand_from {verb}' {flag}{taken}".rstrip())
    return "\n".join(lines) + "\n"


SCRIPTS: dict[str, Callable[[list[str]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
