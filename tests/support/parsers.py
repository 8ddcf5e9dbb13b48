"""The command line's parsers, by the words that select them."""

import argparse
from collections.abc import Iterator
from functools import cache

from eyelog.cli.main import build_parser

__all__ = ["Command", "commands"]

Command = tuple[str, ...]


def _below(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help for choice in action._choices_actions}
            for name, below in action.choices.items():
                yield name, helps.get(name) or "", below


@cache
def commands() -> dict[Command, tuple[str, argparse.ArgumentParser]]:
    """Return the help line and the parser of each command, such as ``("archive", "verify")``."""
    todo: list[tuple[Command, argparse.ArgumentParser]] = [((), build_parser())]
    table = {}
    while todo:
        path, parser = todo.pop()
        for name, line, below in _below(parser):
            table[(*path, name)] = (line, below)
            todo.append(((*path, name), below))
    return table
