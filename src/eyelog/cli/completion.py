"""`eyelog completion`: a script that lets a shell complete commands with the Tab key.

The script contains every completion, so a shell need not start Python at each Tab.
"""

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import Any, Final

from eyelog.catalogue import known_logs

__all__ = ["add_commands"]

_HOW: Final = """\
Print a script that lets a shell complete the commands, options and logs of eyelog with the Tab
key. To have it in every new shell, add one line to the shell's start file:
  bash: echo 'eval "$(eyelog completion bash)"' >> ~/.bashrc
  zsh:  echo 'eval "$(eyelog completion zsh)"' >> ~/.zshrc"""

Parsers = dict[str, argparse.ArgumentParser]
Cases = dict[tuple[str, bool], list[str]]  # (words offered, whether files are too) -> commands
_FILES: Final = {"FILE...", "PATH", "PATH...", "FILE", "DIR"}


def add_commands(commands: Any, build_parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the command of this module; `build_parser` returns the parser of all commands."""
    completion = commands.add_parser(
        "completion",
        help="complete commands with Tab, in bash or zsh",
        description=_HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    completion.add_argument("shell", choices=tuple(_SCRIPTS), metavar="SHELL", help="bash or zsh")
    completion.set_defaults(run=_completion, build_parser=build_parser)


def _completion(args: argparse.Namespace) -> int:
    parsers = dict(_parsers("eyelog", args.build_parser()))
    script = _SCRIPTS[args.shell]
    for place, lines in {
        "COMMANDS": _pattern(parsers.keys() - {"eyelog"}),
        "VALUES": _values(parsers),
        "WORDS": _words(parsers),
    }.items():
        script = script.replace(f"@{place}@", lines)
    print(script, end="")
    return 0


def _parsers(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, Any]]:
    """Yield each command as it is typed, such as ``eyelog archive verify``, with its parser."""
    yield path, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _parsers(f"{path} {name}", below)


def _pattern(texts: Any) -> str:
    """Return a pattern of a shell's `case` that fits each of the texts."""
    return "|".join(shlex.quote(text) for text in sorted(texts))


def _choices(action: argparse.Action) -> list[str]:
    """Return the values that can be completed: those of a list, or the names of the logs."""
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    return list(known_logs()) if "LOG" in str(action.metavar or "").split() else []


def _values(parsers: Parsers) -> str:
    """Return the cases of the options that take a value: one of some words, or else a file."""
    cases: Cases = {}
    for path, parser in parsers.items():
        for action in parser._actions:
            if action.option_strings and action.nargs != 0:
                named = [f"{path} {option}" for option in action.option_strings]
                words = " ".join(_choices(action))
                cases.setdefault((words, not words), []).extend(named)
    return _lines(cases)


def _words(parsers: Parsers) -> str:
    """Return the cases of the commands: the options, and the words that are not files."""
    cases: Cases = {}
    for path, parser in parsers.items():
        options = [name for action in parser._actions for name in action.option_strings]
        places = [action for action in parser._actions if not action.option_strings]
        words = [word for action in places for word in _choices(action)]
        files = any(_FILES & set(str(action.metavar or "").split()) for action in places)
        cases.setdefault((" ".join([*words, *options]), files), []).append(path)
    return _lines(cases)


def _lines(cases: Cases) -> str:
    """Return the cases as lines that set what is offered, and whether files are."""
    return "\n".join(
        f"    {_pattern(paths)}) offered={shlex.quote(words)}{' files=yes' if files else ''} ;;"
        for (words, files), paths in cases.items()
    )


_BASH: Final = """\
# Completion of eyelog for bash; made by `eyelog completion bash`.
_eyelog() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=eyelog offered= files= choice at
    for ((at = 1; at < COMP_CWORD; at++)); do
        case "$command ${COMP_WORDS[at]}" in
        @COMMANDS@) command+=" ${COMP_WORDS[at]}" ;;
        esac
    done
    COMPREPLY=()
    case "$command $before" in
@VALUES@
    *)
        case "$command" in
@WORDS@
        esac
        ;;
    esac
    for choice in $(compgen -W "$offered" -- "$word"); do
        # Options only once they are begun: the other words, and files, come first.
        [[ $choice != -* || $word == -* ]] && COMPREPLY+=("$choice")
    done
    if [[ $files && $word != -* ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r choice; do COMPREPLY+=("$choice"); done < <(compgen -f -- "$word")
    fi
}
complete -F _eyelog eyelog
"""

_ZSH: Final = """\
# Completion of eyelog for zsh; made by `eyelog completion zsh`.
_eyelog() {
    local word=${words[CURRENT]} before=${words[CURRENT-1]}
    local command=eyelog offered= files= at
    for ((at = 2; at < CURRENT; at++)); do
        case "$command ${words[at]}" in
        @COMMANDS@) command+=" ${words[at]}" ;;
        esac
    done
    case "$command $before" in
@VALUES@
    *)
        case "$command" in
@WORDS@
        esac
        ;;
    esac
    local -a all=(${=offered})
    [[ $word == -* ]] || all=(${all:#-*})
    (( $#all )) && compadd -- $all
    [[ -z $files || $word == -* ]] || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _eyelog eyelog
"""

_SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH}
