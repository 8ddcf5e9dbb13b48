"""Messages of the library, which address a Python user, in the words of the command line.

The library's messages name the argument to give (``tz='Asia/Tokyo'``) or the function to call
(``eyelog.fields('computed_data')``). In a shell these are an option and a command. This is the one
place that translates them; a command's options come from its parser.
"""

import argparse
import re
from collections.abc import Collection
from typing import Final

__all__ = ["in_a_shell", "options_of"]

# An argument whose option has another name.
_OPTION_OF: Final = {"fields": "--field", "out": "--output"}
# tz='Asia/Tokyo', offline=True, wearer= - but not the folder account=anna of a path, nor a query.
_ARGUMENT: Final = re.compile(
    r"(?<![\w./\\?&{])([a-z][a-z_]*)=('[^']*'|\"[^\"]*\"|True|False|\d+(?:\.\d+)?)?(?=[\s,;:.)]|$)"
)
_CALL: Final = re.compile(r"\b(?:eyelog|el)\.([a-z_]+)\(((?:'[^']*'|\"[^\"]*\"|[\w., ])*)\)")


def options_of(parser: argparse.ArgumentParser) -> frozenset[str]:
    """Return the long options of a command."""
    return frozenset(
        name
        for action in parser._actions
        for name in action.option_strings
        if name.startswith("--")
    )


def in_a_shell(text: str, *, options: Collection[str], commands: Collection[str]) -> str:
    """Return a message with the options and commands to type in place of Python.

    Parameters
    ----------
    text : str
        A message of the library.
    options : collection of str
        The long options of the command that is running. An argument that has none stays as it is.
    commands : collection of str
        The names of all commands.

    Examples
    --------
    >>> text = "give the zone, such as tz='Asia/Tokyo': eyelog.fields('computed_data') lists them"
    >>> in_a_shell(text, options={"--tz"}, commands={"fields"})
    'give the zone, such as --tz Asia/Tokyo: `eyelog fields computed_data` lists them'
    """

    def option(match: re.Match[str]) -> str:
        name, value = match.groups()
        named = f"--{name.replace('_', '-')}"
        if named not in options:
            named = _OPTION_OF.get(name, "")
        if named not in options or value == "False":
            return match[0]
        return named if value in (None, "True") else f"{named} {_word(value)}"

    def call(match: re.Match[str]) -> str:
        name, arguments = match.groups()
        if name not in commands:
            return match[0]
        words = [_word(part.strip()) for part in arguments.split(",") if part.strip()]
        return f"`{' '.join(['eyelog', name, *words])}`"

    return _ARGUMENT.sub(option, _CALL.sub(call, text))


def _word(value: str) -> str:
    """Return a Python value as a word of a shell: without its quotes, if no space needs them."""
    bare = value.strip("'\"")
    return value if " " in bare or not bare else bare
