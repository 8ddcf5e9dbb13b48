"""The command line as a page, made from the commands: what each takes."""

import re
from collections.abc import Iterator

import click

from eyelog.cli.main import program

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
    for words, command in commands():
        lines += _section(words, command)
    return "\n".join(lines).rstrip() + "\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command that does something: its words, and itself."""
    yield from _below("eyelog", program)


def _below(words: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _below(f"{words} {name}", command)
        elif command is not None:
            yield f"{words} {name}", command


def _section(words: str, command: click.Command) -> list[str]:
    """Return the section of one command."""
    context = click.Context(command, info_name=words, max_content_width=_SYNOPSIS_WIDTH)
    lines = [
        f"({words.replace(' ', '-')})=",
        f"## `{words}`",
        "",
        command.help or "",
        "",
        "```text",
        command.get_usage(context).removeprefix("Usage: "),
        "```",
        "",
    ]
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None:
            name, text = record
            lines += [f"`{name}`", f": {re.sub(r'  +', ' ', text)}", ""]
    return lines
