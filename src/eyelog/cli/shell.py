"""Messages of the library, which address a Python user, in the words of the command line.

An error or a warning knows which argument (``tz='Asia/Tokyo'``) and which function
(``eyelog.fields('computed_data')``) it mentions. In a shell these are an option and a command; all
other words stay as they are.
"""

import argparse
import ast
import re
from collections.abc import Collection
from shlex import quote
from typing import Final

from eyelog.errors import spelled

__all__ = ["in_a_shell", "options_of"]

# An argument whose option has another name.
_OPTION_OF: Final = {"fields": "--field", "out": "--output"}


def options_of(parser: argparse.ArgumentParser) -> frozenset[str]:
    """Return the long options of a command."""
    return frozenset(
        name
        for action in parser._actions
        for name in action.option_strings
        if name.startswith("--")
    )


def in_a_shell(
    text: str, *, options: Collection[str], commands: Collection[str], typed: str = ""
) -> str:
    """Return a message with the options and commands to type in place of Python.

    Parameters
    ----------
    text : str
        A message of the library, with marks (`eyelog.errors.marked`).
    options : collection of str
        The long options of the command that is running. An argument that has none stays as it is.
    commands : collection of str
        The names of all commands.
    typed : str
        The command that is running, to which the first and the last day can be added.

    Examples
    --------
    >>> from eyelog.errors import argument, call
    >>> text = f"tz=5.csv: give {argument('tz', 'Asia/Tokyo')}, {call('fields', 'computed_data')}"
    >>> in_a_shell(text, options={"--tz"}, commands={"fields"})
    'tz=5.csv: give --tz Asia/Tokyo, `eyelog fields computed_data`'
    """

    def spell(part: str) -> str:
        if part.startswith("eyelog."):
            name, _, values = part.removeprefix("eyelog.").removesuffix(")").partition("(")
            words = [quote(str(value)) for value in ast.literal_eval(f"[{values}]")]
            return f"`{' '.join(['eyelog', name, *words])}`" if name in commands else part
        if part.startswith("frame["):
            days = re.findall(r"\d{4}-\d\d-\d\d", part)
            return f"`{' '.join([typed, *days])}`" if typed else part
        name, _, value = part.partition("=")
        dashed = name.replace("_", "-")
        option = f"--no-{dashed}" if value == "False" else f"--{dashed}"
        if option not in options:
            option = _OPTION_OF.get(name, "")
        if option not in options:
            return part
        if value in ("", "True", "False"):
            return option
        return f"{option} {quote(str(ast.literal_eval(value)))}"

    return spelled(text, spell)
