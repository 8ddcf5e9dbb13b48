"""The commands of the command line, by the words that select them, and how one is parsed."""

from functools import cache
from typing import Any

import click

from eyelog.cli.main import program

Command = tuple[str, ...]


@cache
def commands() -> dict[Command, click.Command]:
    """Return each command, such as that of ``("archive", "verify")``."""
    todo: list[tuple[Command, click.Group]] = [((), program)]
    table: dict[Command, click.Command] = {}
    while todo:
        path, group = todo.pop()
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            table[*path, name] = command
            if isinstance(command, click.Group):
                todo.append(((*path, name), command))
    return table


def parsed(words: list[str]) -> dict[str, Any]:
    """Return the words and options of a call, without running it; a wrong one raises UsageError."""
    command: click.Command = program
    context = command.make_context("eyelog", list(words))
    while isinstance(command, click.Group):
        name, below, rest = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert below is not None
        command, context = below, below.make_context(name, rest, parent=context)
    return context.params
