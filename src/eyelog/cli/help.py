"""The parser of `eyelog` itself: the first page of its help, and how its commands are parsed."""

import argparse
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

from eyelog.cli.terminal import headed, shaped

__all__ = ["Program"]

_JOBS: Final = {
    "try it": "eyelog demo",
    "read my files": "eyelog daily FOLDER --log computed_data --tz Asia/Tokyo",
    "one report": "eyelog report FOLDER --tz Asia/Tokyo -o report.html",
    "ask a service": "eyelog login, then eyelog fetch LOG START END -o week.csv",
    "run a service": "eyelog serve --archive DIR",
}
_GROUPS: Final = {
    "Results": ("daily", "plot", "report", "cohort"),
    "Records": (
        *("import", "watch", "listen", "archive", "login", "logout", "fetch", "sync", "cache"),
    ),
    "Service": ("serve", "service", "push"),
    "Trial": ("demo", "simulate", "simulate-cohort", "replay"),
    "Help": ("fields", "cite", "doctor", "completion"),
}


# How argparse begins its message about missing words.
_MISSING: Final = "the following arguments are required: "


def _name(action: argparse.Action) -> str:
    """Return an action's name as argparse's messages write it."""
    return "/".join(action.option_strings) or str(action.metavar or action.dest)


class _Version(argparse.Action):
    """Print the version, looked up only on request: the look-up takes longer than the parser."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"eyelog {version('eyelog')}")
        parser.exit()


class _Command(argparse.ArgumentParser):
    """A parser that takes options anywhere between the words of a command.

    argparse fills optional words (FILE..., LOG [START END]) only if they are together before or
    after all options: ``plot timeline -o a.png week.csv`` would fail. The parser of the named
    command is in the namespace as ``parser``.
    """

    _intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the known arguments; the intermixed parsing itself calls this again."""
        if self._intermixed:
            return super().parse_known_args(args, namespace)
        # The intermixed parsing treats what follows "--" as options: "-x" may be an account.
        if self._subparsers is not None or "--" in (args or ()):
            namespace_of, others = super().parse_known_args(args, namespace)
        else:
            namespace_of, others = self._parse_intermixed(args, namespace)
        if not hasattr(namespace_of, "parser"):  # the innermost command is done first
            namespace_of.parser = self
        return namespace_of, others

    def _parse_intermixed(self, args: Any, namespace: Any) -> Any:
        """Parse options first, then words; a wrong word is refused before a missing option."""
        needed = [action for action in self._actions if action.option_strings and action.required]
        self._intermixed = True
        for action in needed:
            action.required = False
        try:
            parsed, others = self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixed = False
            for action in needed:
                action.required = True
        missing = [
            _name(action) for action in needed if getattr(parsed, action.dest) == action.default
        ]
        if missing:
            self.error(f"{_MISSING}{', '.join(missing)}")
        return parsed, others

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is not one of the choices, and name the nearest choice."""
        if action.choices is None or value in action.choices:
            return
        from eyelog.catalogue import near

        choices = [str(choice) for choice in action.choices]
        raise argparse.ArgumentError(
            action, f"unknown {value!r}{near(value, choices)}: choose from {', '.join(choices)}"
        )

    def error(self, message: str) -> NoReturn:
        """Exit with one line, which says what any missing words are for."""
        names = message.removeprefix(_MISSING).split(", ")
        if message.startswith(_MISSING):
            wanted = [self._wanted(action) for action in self._actions if _name(action) in names]
            explained = any(":" in each for each in wanted)
            message = f"missing {('; and ' if explained else ' and ').join(wanted)}"
        self.print_usage(sys.stderr)
        self.exit(2, f"{shaped(f'{self.prog}: error: {message}', sys.stderr)}\n")

    def print_help(self, file: Any = None) -> None:
        """Print the help, with bold headings on a terminal."""
        file = sys.stdout if file is None else file
        file.write(headed(self.format_help(), file))

    @staticmethod
    def _wanted(action: argparse.Action) -> str:
        if not action.option_strings:
            return _name(action)
        what = f": {action.help.split(';')[0]}" if action.help else ""
        return f"{action.option_strings[0]} {action.metavar or action.dest.upper()}{what}"


class Program(_Command):
    """The parser of `eyelog`, whose help opens with the usual jobs and fits a screen."""

    def __init__(self) -> None:
        super().__init__(prog="eyelog", usage="eyelog [-h | --version] COMMAND ...")
        self.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if value not in (action.choices or ()) and Path(value).exists():
            raise argparse.ArgumentError(
                action,
                f"{value!r} is not a command: for the files there, type eyelog daily {value}",
            )
        super()._check_value(action, value)

    def add_commands(self) -> Any:
        """Return the object that commands are added to."""
        self._commands = self.add_subparsers(
            prog=self.prog, metavar="COMMAND", required=True, parser_class=_Command
        )
        return self._commands

    @property
    def commands(self) -> dict[str, str]:
        """What each command does, by its name."""
        return {action.dest: action.help or "" for action in self._commands._choices_actions}

    def format_help(self) -> str:
        """Return the first page: five usual jobs, and every command in its group."""
        lines = [f"usage: {self.usage}", "", "Five usual jobs:"]
        lines += [f"  {job:15}{command}" for job, command in _JOBS.items()]
        lines += ["", "Commands (eyelog COMMAND --help explains each):"]
        for group, names in _GROUPS.items():
            for name in names:
                head = group if name == names[0] else ""
                lines.append(f"  {head:9}{name:16}{self.commands[name]}")
        return "\n".join(lines) + "\n"
