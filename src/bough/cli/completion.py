"""`bough completion`: a script, made from the parser and the registry, that lets a shell complete commands, options
and names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from ..estimators.systems import SYSTEMS
from ..registry import KINDS, plugins
from ..tables.built_in import BUILT_IN
from .commands import SHELVES
from .compare import CHOSEN
from .terminal import Output

BASH = """\
_bough() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands}" -- "$cur"))
    return
  fi
  case "$prev" in
{values}
  esac
  case "${{COMP_WORDS[1]}}" in
{options}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case "$cur" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$cur")) ;; esac
}}
complete -o filenames -F _bough bough
"""


def completion(args: argparse.Namespace, out: Output) -> None:
    """Print a script that lets a shell complete commands, options and names."""
    text = SHELLS[args.shell](args.commands)
    out.result(text.removesuffix("\n"))
    out.facts({"shell": args.shell, "script": text})


def names_for(option: str) -> list[str]:
    """The names that may stand behind an option."""
    kind = option.removeprefix("--")
    if kind in KINDS:
        return list(plugins()[kind])
    return [*SYSTEMS, *CHOSEN] if kind == "system" else []


def options_of(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """The long options of a command, with the values that are known."""
    found = {}
    for action in parser._actions:
        for option in action.option_strings:
            if option.startswith("--"):
                found[option] = [str(c) for c in action.choices] if action.choices else names_for(option)
    return found


def words_of(command: str) -> list[str]:
    """What may stand behind a command besides files and options."""
    if command == "list":
        return list(SHELVES)
    if command == "completion":
        return list(SHELLS)
    return list(BUILT_IN) if command in ("fit", "predict", "why-not", "report", "compare") else []


def bash(commands: Mapping[str, argparse.ArgumentParser]) -> str:
    known = {o: v for p in commands.values() for o, v in options_of(p).items() if v}
    return BASH.format(
        commands=" ".join(commands),
        values="\n".join(
            f'    {o}) COMPREPLY=($(compgen -W "{" ".join(v)}" -- "$cur")); return ;;' for o, v in sorted(known.items())
        ),
        options="\n".join(
            f'    {c}) words="{" ".join([*words_of(c), *options_of(p)])}" ;;' for c, p in commands.items()
        ),
    )


def zsh(commands: Mapping[str, argparse.ArgumentParser]) -> str:
    return f"autoload -U +X compinit bashcompinit && compinit && bashcompinit\n{bash(commands)}"


def fish(commands: Mapping[str, argparse.ArgumentParser]) -> str:
    lines = [f"complete -c bough -n __fish_use_subcommand -f -a {c}" for c in commands]
    for c, p in commands.items():
        here = f"complete -c bough -n '__fish_seen_subcommand_from {c}'"
        lines += [f"{here} -a '{' '.join(words_of(c))}'"] if words_of(c) else []
        for option, values in options_of(p).items():
            lines.append(f"{here} -l {option[2:]}" + (f" -x -a '{' '.join(values)}'" if values else ""))
    return "\n".join([*lines, ""])


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
