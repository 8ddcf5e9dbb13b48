"""Numbers, intervals, days and lists in the words of a sentence, and the sentences themselves.

The sentences are macros in the text files of `templates/`, a section sign between paragraphs (the
rows of a table) and a bar between the parts of one (its cells). Both may be in names from the data,
where they part nothing.
Spaces and line ends are free; no line ends before a full stop, a comma or a closing bracket.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import pandas as pd
from jinja2 import Environment, FunctionLoader, StrictUndefined

from eyelog.figures.labels import LOG_WORDS, range_words
from eyelog.measure.columns import column
from eyelog.measure.sheet import NOTHING, decimals, number_text, p_text

MISSING: Final = NOTHING
SHARE: Final = "0 to 1"
NOUNS: Final = {  # where the label of a column is no noun, or a plural
    "worn_h": "Time worn",
    "walking_h": "Time walking",
    "steps": "Number of steps",
    "eye_moves_per_h": "Rate of eye movements",
    "head_moves_yaw_per_h": "Rate of head turns (yaw)",
}
PARAGRAPH: Final = "\N{SECTION SIGN}"
BAR: Final = "\ue000"  # the bar of a template, which no name from the data contains
_HELD: Final = str.maketrans({"|": "\ue001", PARAGRAPH: "\ue002"})  # while sentences are parted
_PARTED: Final = str.maketrans({"|": BAR, "\ue001": "|", "\ue002": PARAGRAPH})
_LOOSE: Final = re.compile(r"\s*\n\s*(?=[,;:)]|\.(?!\d))|(?<=\()\s*\n\s*")


def number(value: float, digits: int | None = None) -> str:
    """Return a number with the given decimals, or three significant digits, as in the tables."""
    return number_text(value, decimals(np.array([value], dtype=np.float64), digits))


def whole(value: float) -> str:
    """Return a number without decimals."""
    return number(value, 0)


def hours(value: float) -> str:
    """Return a length of time in whole hours, or in minutes where it is under two hours."""
    minutes = value * 60
    if pd.isna(minutes):
        return MISSING
    if minutes >= 120:
        return f"{number(value, 0)} h"
    return f"{number(minutes, 0 if minutes >= 10 or minutes == round(minutes) else 1)} min"


def percent(share: float) -> str:
    """Return a share as a percentage that is 0 or 100 only if the share is exactly 0 or 1."""
    if pd.isna(share):
        return MISSING
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 < share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def range_of(low: float, high: float, digits: int | None = None) -> str:
    """Return an interval: ``9.8 to 13.4``, or a dash if there is none."""
    if pd.isna(low) or pd.isna(high):
        return MISSING
    return f"{number(low, digits)} to {number(high, digits)}"


def interval(low: float, high: float, digits: int | None = None, of: str = "this wearer") -> str:
    """Return a 95 % interval with what it is of; empty if there is none, or no width."""
    if pd.isna(low) or pd.isna(high) or low == high:
        return ""
    return f"95 % interval {range_of(low, high, digits)}, of {of}".removesuffix(", of ")


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number of things: ``1 day``, ``2 days``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def joined(parts: Sequence[str]) -> str:
    """Return a list in words: ``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def day(stamp: pd.Timestamp, *, year: bool = False) -> str:
    """Return a day in words: ``Mon 20 Oct``."""
    return f"{stamp:%a} {stamp.day} {stamp:%b}{f' {stamp.year}' if year else ''}"


def moment(stamp: pd.Timestamp) -> str:
    """Return a stamp in words: ``Mon 20 Oct 2026 07:30``."""
    return f"{day(stamp, year=True)} {stamp:%H:%M}"


def time_of_day(hours: float) -> str:
    """Return hours after midnight as a clock shows them: ``07:30``."""
    if pd.isna(hours):
        return MISSING
    minutes = round(hours * 60) % (24 * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def unit_of(name: str, log: str | None = None) -> str:
    """Return the unit of one day's value as a sentence has it."""
    unit = column(name, log=log).unit
    return "" if unit in (SHARE, "score") else unit.removesuffix("per day").strip()


def noun(name: str) -> str:
    """Return the name of a quantity as the subject of a sentence, in the singular."""
    return NOUNS.get(name, column(name).label)


def without_advice(reason: str) -> str:
    """Return a reason without the advice on what to type, which is useless in a report."""
    return reason.partition(": eyewear")[0].partition(": pass ")[0]


def places(*values: float, most: int | None = None) -> int:
    """Return the decimals that numbers beside each other have, at most so many."""
    digits = decimals(np.array(values, dtype=np.float64), None)
    return digits if most is None else min(digits, most)


def p_cell(value: float) -> str:
    """Return a p value in a table."""
    return p_text(value, 3)


def p_words(value: float) -> str:
    """Return a p value in words: ``p = 0.012``, ``p < 0.001``."""
    text = p_text(value, 3)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def capital(text: str) -> str:
    """Return a text that begins a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def text_of(name: str) -> str:
    """Return the text of a file of `templates/`."""
    return files("eyelog.reports").joinpath("templates", name).read_text("utf-8").strip()


def templates(**options: Any) -> Environment:
    """Return the templates, by the names of one file or several that are read as one."""
    return Environment(  # noqa: S701 - the page escapes the text
        undefined=StrictUndefined,
        loader=FunctionLoader(lambda names: "\n".join(map(text_of, names.split()))),
        **options,
    )


@cache
def _macros(template: str) -> Any:
    """Return the macros of a file of `templates/`, which may call those of ``shared.txt``."""
    known: tuple[Callable[..., str], ...] = (
        *(number, whole, hours, percent, range_of, interval, joined, day, moment, time_of_day),
        *(capital, without_advice, p_words, p_cell),
    )
    environment = templates(
        finalize=lambda value: value.translate(_HELD) if isinstance(value, str) else value
    )
    environment.filters |= {one.__name__: one for one in known} | {"known": pd.notna}
    environment.tests["known"] = pd.notna
    environment.globals |= {"column": column, "unit_of": unit_of, "noun": noun, "count": count}
    environment.globals |= {"places": places, "MISSING": MISSING}
    environment.globals |= {"range_words": range_words, "called": lambda log: LOG_WORDS[log]}
    return environment.get_template(f"shared.txt {template}.txt").module


def said(what: str, /, **facts: Any) -> list[str]:
    """Return the paragraphs of a macro, ``"wearer.days"`` of ``wearer.txt``, filled in."""
    template, _, macro = what.partition(".")
    text = getattr(_macros(template), macro)(**facts)
    tidy = (" ".join(_LOOSE.sub("", part).split()) for part in text.split(PARAGRAPH))
    return [part.translate(_PARTED) for part in tidy if part]


def sentence(what: str, /, **facts: Any) -> str:
    """Return a macro of the templates as one paragraph."""
    return " ".join(said(what, **facts))


def rows(what: str, /, **facts: Any) -> list[list[str]]:
    """Return the paragraphs of a macro, each as its parts, which bars keep apart."""
    return [[part.strip() for part in line.split(BAR)] for line in said(what, **facts)]
