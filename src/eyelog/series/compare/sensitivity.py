"""Whether a result depends on the limits: the same call under several of them."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.limits import Limits

CHOICES: Final = (
    Limits(),
    Limits(wear="blinks"),
    Limits(max_noise="1s"),
    Limits(min_worn="30s"),
    Limits(walking_above=2),
)


@takes_tables
def sensitivity(
    frame: pd.DataFrame,
    function: Callable[..., Any],
    *,
    limits: Iterable[Limits] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Return what a function answers under several limits, and how far the answer moves.

    Parameters
    ----------
    frame : DataFrame
        Records of one log that have not been masked.
    function : callable
        Called as ``function(frame, limits=..., **options)``: a function of the library, such as
        `eyelog.blinks.rate`, or your own, which passes `limits` on. It returns a number, a named
        tuple, a Series of numbers or a table; a table counts by the means of its columns.
    limits : iterable of Limits, optional
        The choices; the others are compared with the first. By default the documented limits, wear
        shown by blinks too, and stricter limits for noise, wear and walking.
    **options
        Further arguments of the function.

    Returns
    -------
    DataFrame
        One row per choice. Index ``limits``: what differs from the documented limits, as text. A
        float64 column for each number that the function answers, and after each
        ``<name>_moved``, its difference from the first row, in the unit of the number.

    Raises
    ------
    ConfigurationError
        If there are fewer than two choices, `function` cannot be called with ``limits=``, or its
        answer has no numbers.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample()
    >>> choices = [el.Limits(), el.Limits(wear="blinks")]
    >>> table = el.compare.sensitivity(frame, el.blinks.rate, limits=choices)
    >>> table.index.tolist(), table["rate_per_min_moved"].round(2).tolist()[0]
    (['Limits()', "Limits(wear='blinks')"], 0.0)
    """
    choices = list(CHOICES if limits is None else limits if isinstance(limits, Iterable) else ())
    if len(choices) < 2 or not all(isinstance(choice, Limits) for choice in choices):
        raise ConfigurationError(
            "sensitivity: limits takes two or more eyelog.Limits(...), the usual one first"
        )
    if not callable(function):
        raise ConfigurationError(
            "sensitivity takes a function, such as eyelog.blinks.rate, not what it returned"
        )
    answers = []
    for choice in choices:
        try:
            answer = function(frame, limits=choice, **options)
        except TypeError as error:
            raise ConfigurationError(
                f"sensitivity: {getattr(function, '__name__', function)!r} cannot be called as"
                f" function(frame, limits=...): {error}"
            ) from error
        answers.append(_numbers(answer))
    table = pd.DataFrame(answers, index=pd.Index(map(repr, choices), name="limits"))
    if not len(table.columns):
        raise ConfigurationError("sensitivity: the function answered without any number")
    moved = (table - table.iloc[0]).add_suffix("_moved")
    both = [name for column in table.columns for name in (column, f"{column}_moved")]
    return table.join(moved)[both].astype(np.float64)


def _numbers(answer: Any) -> dict[str, float]:
    """Return the numbers of an answer by name."""
    if isinstance(answer, pd.DataFrame):
        answer = answer.select_dtypes("number").mean()
    if isinstance(answer, pd.Series):
        answer = answer.to_dict()
    elif hasattr(answer, "_asdict"):
        answer = answer._asdict()
    elif not isinstance(answer, dict):
        answer = {"value": answer}
    return {
        str(name): float(value)
        for name, value in answer.items()
        if isinstance(value, int | float | np.number) and not isinstance(value, bool)
    }
