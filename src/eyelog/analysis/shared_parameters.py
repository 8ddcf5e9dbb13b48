"""The parameters and errors that most summaries or figures share, described here once."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from eyelog.docstrings import put_words

__all__ = ["ERRORS", "WORDS", "shared_parameters"]

Function = TypeVar("Function", bound=Callable[..., Any])

ERRORS: Final = {
    "FieldError": """\
FieldError
    If the frame lacks a field it needs.""",
    "MixedLogsError": """\
MixedLogsError
    If the frame has fields of both logs.""",
    "ConfigurationError": """\
ConfigurationError
    If an argument is not valid.""",
}
"""Errors of every summary of a frame."""

WORDS: Final = {
    "by": """\
by : None, str, Series or array
    None: one row for all. ``"hour"``, ``"weekday"`` (0 is Monday), ``"weekend"`` (``weekday``
    or ``weekend``) or ``"week"`` (ISO weeks, from Monday). A pandas frequency (``"1h"``,
    ``"1D"``): bins with records. The name of a column, a Series or an array: a label for
    each row (the context).""",
    "of": """\
of : {"minutes", "wearer"}
    What the result is about: these minutes, or the wearer, with these days as a sample of the
    wearer's days. For the wearer it comes with an interval.""",
    "cleansing": """\
cleansing : {"strong", "weak"}
    60-second log: use the strictly or the lightly cleansed blinks.""",
    "limits": """\
limits : Limits, optional
    What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.""",
    "judge": """\
judge : bool
    First mask the values that `eyelog.flag` flags.""",
    "stamp": """\
stamp : {"end", "start"}
    Whether a stamp closes or opens its interval.""",
    "log": """\
log : str, optional
    The log, if neither the provenance nor the columns show it.""",
    "ax": """\
ax : Axes, optional
    The Axes to draw on; a new figure by default.""",
    "title": """\
title : str, optional
    Replaces the title that names wearer, log and days; ``""`` for none.""",
    **ERRORS,
}


def shared_parameters(function: Function) -> Function:
    """Put the words into the docstring of a function, replacing its references."""
    return put_words(function, WORDS)
