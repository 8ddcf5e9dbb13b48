"""Words that the docstrings of several functions share: written once, and seen by all readers.

In the source, a docstring refers to a function that has the same parameters or errors:

    limits, judge, stamp, log
        As in `eyelog.daily`.

In its place `help`, IPython and the documentation show the words. Errors that every function of a
kind raises need not be named in it at all.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

__all__ = ["add_errors", "put_words"]

Function = TypeVar("Function", bound=Callable[..., Any])

_RAISES: Final = re.compile(r"^( *)Raises\n\1-{6}\n", re.MULTILINE)
# The next of these sections of numpydoc follows the errors.
_AFTER: Final = re.compile(
    r"^( *)(Warns|Warnings|See Also|Notes|References|Examples)\n\1-{3,}\n", re.MULTILINE
)


def put_words(function: Function, words: Mapping[str, str]) -> Function:
    """Replace the references to parameters and errors with the words for them.

    A reference is replaced if there are words for all of its names.

    Parameters
    ----------
    function : callable
        Its docstring is changed.
    words : mapping of str to str
        The entry of each parameter or error, as in a docstring.
    """
    if function.__doc__ is None:  # python -OO removes it
        return function
    names = "|".join(words)
    reference = re.compile(
        rf"^( *)((?:{names})(?:, (?:{names}))*)\n\1    As in `eyelog\.[\w.]+`\.$", re.MULTILINE
    )
    function.__doc__ = reference.sub(
        lambda match: _indented((words[name] for name in match[2].split(", ")), match[1]),
        function.__doc__,
    )
    return function


def add_errors(function: Function, errors: Mapping[str, str]) -> Function:
    """Add the errors to the docstring that it does not describe itself.

    Parameters
    ----------
    function : callable
        Its docstring is changed.
    errors : mapping of str to str
        The entry of each error, as in a docstring.
    """
    if function.__doc__ is None:
        return function
    text = function.__doc__
    after = _AFTER.search(text)
    if after is None:
        raise ValueError(f"the docstring of {function.__name__} has no section after the errors")
    section = _RAISES.search(text)
    if section is None:
        indent, at = after[1], after.start()
        entries = _indented(errors.values(), indent)
        added = f"{indent}Raises\n{indent}------\n{entries}\n\n"
    else:
        indent, at = section[1], section.end()
        own = re.findall(rf"^{indent}(\w.*)$", text[at : after.start()], re.MULTILINE)
        named = {name for entry in own for name in entry.split(", ")}
        missing = [entry for name, entry in errors.items() if name not in named]
        added = _indented(missing, indent) + "\n" if missing else ""
    function.__doc__ = text[:at] + added + text[at:]
    return function


def _indented(entries: Iterable[str], indent: str) -> str:
    return textwrap.indent("\n".join(entries), indent)
