"""The command line as a page, made from the parser: what each command takes."""

import argparse
from collections.abc import Iterator

from eyelog.cli.main import build_parser

__all__ = ["command_line_page", "commands"]

_SYNOPSIS_WIDTH = 88


def command_line_page() -> str:
    """Return the page of all commands, as Markdown."""
    lines = [
        "# The command line",
        "",
        "Every command, its arguments and options. `eyelog COMMAND --help` shows the same in a"
        " terminal. Tables go to stdout, progress and messages to stderr. The exit status is 0 when"
        " the job is done, 1 after a failure with one line that says why, 2 for a usage error, and"
        " 130 after Ctrl-C.",
        "",
    ]
    for words, summary, parser in commands():
        lines += _command(words, summary, parser)
    return "\n".join(lines).rstrip() + "\n"


def commands() -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Yield each command that does something: its words, what it does, its parser."""
    yield from _below("eyelog", "", build_parser())


def _below(
    words: str, summary: str, parser: argparse.ArgumentParser
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups or not groups[0].required:
        yield words, summary, parser
    for group in groups:
        about = {choice.dest: choice.help or "" for choice in group._choices_actions}
        for name, child in group.choices.items():
            if name in about:  # an alias has no line of its own
                yield from _below(f"{words} {name}", about[name], child)


def _command(words: str, summary: str, parser: argparse.ArgumentParser) -> list[str]:
    """Return the section of one command."""
    lines = [
        f"({words.replace(' ', '-')})=",
        f"## `{words}`",
        "",
        *([f"{summary[0].upper()}{summary[1:]}.", ""] if summary else []),
        "```text",
        *_synopsis(parser),
        "```",
        "",
    ]
    if parser.description and parser.description != summary:
        lines += [parser.description, ""]
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
            lines += _argument(action, parser)
    if parser.epilog:
        lines += [parser.epilog, ""]
    return lines


def _synopsis(parser: argparse.ArgumentParser) -> list[str]:
    formatter = parser._get_formatter()
    formatter._width = _SYNOPSIS_WIDTH
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    first, *rest = formatter.format_help().strip().removeprefix("usage: ").splitlines()
    return [first, *(line.removeprefix(" " * len("usage: ")) for line in rest)]


def _argument(action: argparse.Action, parser: argparse.ArgumentParser) -> list[str]:
    formatter = parser._get_formatter()
    if action.option_strings:
        value = "" if action.nargs == 0 else f" {formatter._format_args(action, _metavar(action))}"
        name = ", ".join(f"{option}{value}" for option in action.option_strings)
    else:
        name = _metavar(action)
    text = formatter._expand_help(action) if action.help else ""
    return [f"`{name}`", f": {text}", ""] if text and text != argparse.SUPPRESS else []


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper() if action.option_strings else action.dest
