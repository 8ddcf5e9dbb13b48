"""What a terminal needs in a text: breaks between words, and colour where it has colour."""

import os
import re
import shutil
import textwrap
from types import MappingProxyType
from typing import Final, TextIO

__all__ = ["headed", "shaped"]

_WORST: Final = re.compile(r"^(eyelog[^:]*: )(error|warning)(?=:)")
_HEADING: Final = re.compile(r"^(usage|[A-Z]?[a-z][a-z ]*)(?=:)", re.MULTILINE)
_STYLES: Final = MappingProxyType({"error": "1;31", "warning": "1;33", "heading": "1"})


def shaped(line: str, stream: TextIO) -> str:
    """Return a line for a stream: wrapped and with a coloured "error" or "warning" if it shows.

    Files and pipes get the line as it is.
    """
    if not stream.isatty():
        return line
    width = shutil.get_terminal_size().columns
    text = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    if not _has_colour(stream):
        return text
    return _WORST.sub(lambda match: match[1] + _in(match[2], match[2]), text)


def headed(text: str, stream: TextIO) -> str:
    """Return a help text with bold headings, where the stream shows them."""
    if not _has_colour(stream) or "\x1b" in text:  # Python 3.14 writes its own
        return text
    return _HEADING.sub(lambda match: _in(match[0], "heading"), text)


def _has_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colour, and colour was not switched off."""
    return (
        stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


def _in(text: str, style: str) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"
