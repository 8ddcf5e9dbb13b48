"""`eyelog completion`: a script that lets a shell complete commands with the Tab key.

shtab writes it from the parser of all commands; this module says which arguments are files or logs.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any, Final

from eyelog.catalogue import LOGS, known_logs

__all__ = ["add_commands"]

_HOW: Final = """\
Print a script that lets a shell complete the commands, options and logs of eyelog with the Tab
key. To have it in every new shell, add one line to the shell's start file:
  bash: echo 'eval "$(eyelog completion bash)"' >> ~/.bashrc
  zsh:  echo 'eval "$(eyelog completion zsh)"' >> ~/.zshrc"""

_SHELLS: Final = ("bash", "zsh")
_FILES: Final = {"FILE...", "PATH", "PATH...", "FILE", "DIR"}
_LOGS: Final = " ".join(known_logs())
_SERVED: Final = " ".join(LOGS)
# What a place of a command offers, by the name of a function of the script.
_OFFERS: Final = {
    "logs": {"bash": "_eyelog_logs", "zsh": f"({_LOGS})"},
    "logs of the service": {"bash": "_eyelog_served_logs", "zsh": f"({_SERVED})"},
    "logs and files": {"bash": "_eyelog_logs_and_files", "zsh": "_eyelog_logs_and_files"},
}
_FUNCTIONS: Final = {
    "bash": f"""\
_eyelog_logs() {{ compgen -W "{_LOGS}" -- "$1"; }}
_eyelog_served_logs() {{ compgen -W "{_SERVED}" -- "$1"; }}
_eyelog_logs_and_files() {{ _eyelog_logs "$1"; compgen -f -- "$1"; }}
""",
    "zsh": f"""\
_eyelog_logs_and_files() {{ compadd -- {_LOGS}; _files }}
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
""",
}


def add_commands(commands: Any, build_parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the command of this module; `build_parser` returns the parser of all commands."""
    completion = commands.add_parser(
        "completion",
        help="complete commands with Tab, in bash or zsh",
        description=_HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    completion.add_argument("shell", choices=_SHELLS, metavar="SHELL", help="bash or zsh")
    completion.set_defaults(run=_completion, build_parser=build_parser)


def _completion(args: argparse.Namespace) -> int:
    import shtab  # only this command needs it

    parser = args.build_parser()
    for action in _actions(parser):
        words = set(str(action.metavar or "").split())
        if action.choices is not None:
            continue
        if "LOG" in words:
            offer: Any = _OFFERS[_offered(action, files=bool(_FILES & words))]
        elif _FILES & words or _takes_any(action):
            offer = shtab.FILE
        else:
            continue
        action.complete = offer  # type: ignore[attr-defined] # where shtab looks for it
    print(shtab.complete(parser, args.shell, preamble=_FUNCTIONS[args.shell]), end="")
    return 0


def _offered(action: argparse.Action, *, files: bool) -> str:
    """Return what the place of a log offers: those of the service if its help names them alone."""
    if files:
        return "logs and files"
    named = {log for log in known_logs() if log in str(action.help)}
    return "logs of the service" if named == set(LOGS) else "logs"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a command and of those below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


def _takes_any(action: argparse.Action) -> bool:
    """Return whether an option takes a value, so perhaps a file."""
    return bool(action.option_strings) and action.nargs != 0
