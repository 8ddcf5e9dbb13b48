"""A row with the states of several days side by side, each from 0 to 24 h, and their diary."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from eyelog.clock import DAY_US, LocalClock, local_days, microseconds
from eyelog.errors import ConfigurationError
from eyelog.figures import events as marks
from eyelog.figures import ribbon
from eyelog.figures.axes import Entry, patch
from eyelog.figures.calendar_axis import skipped_hours
from eyelog.figures.tables import require_order, row_seconds, stamps
from eyelog.judge.arrays import Floats
from eyelog.judge.limits import Limits

STATES_MM: Final = 14.0

COLUMN_MIN: Final = 30  # at one column of a journal a day is 9 mm wide
# The recorded share of a column from which on no hatching is seen above it
SEEN: Final = 0.95


class DayStates(NamedTuple):
    """The states of some days."""

    days: pd.DatetimeIndex
    shares: Floats
    """Of shape (days, columns, states): the share of each half-hour that each state took."""
    clock: LocalClock


def states_of_days(
    states: pd.Series | pd.DataFrame,
    days: pd.DatetimeIndex,
    *,
    limits: Limits | None = None,
    day_starts: str | None = None,
    what: str,
) -> DayStates:
    """Return the states of some local days of one wearer.

    Parameters
    ----------
    states : Series or DataFrame
        The result of `eyelog.states`, or the frame.
    days : DatetimeIndex
        The dates, in order.
    limits : Limits, optional
        The limits by which a frame is judged.
    day_starts : str, optional
        When a day starts, by default at midnight.
    what : str
        The name of the figure, for errors.
    """
    judged = ribbon.judged(states, limits=limits, what=what)
    series = judged.states
    index = stamps(series.index, what=f"{what} of states")
    require_order(index, what=what, name="states")
    clock = LocalClock(index.tz) if judged.clock is None else judged.clock
    clock = clock.set_back(day_starts, microseconds(index))
    seconds = row_seconds(series, None) if judged.seconds is None else judged.seconds
    ribbon.at_most_a_minute(seconds, what=what)
    rows = days.get_indexer(local_days(index, clock=clock))
    mine = rows >= 0
    if not mine.any():
        raise ConfigurationError(
            f"{what} has states from {index[0]:%Y-%m-%d} to {index[-1]:%Y-%m-%d}, and none from"
            f" {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}: pass those of the same records"
        )
    codes = ribbon.state_codes(series)[mine]
    shares = ribbon.day_shares(
        index[mine], codes, rows[mine], len(days), seconds, clock, column_min=COLUMN_MIN
    )
    return DayStates(days, shares, clock)


def draw_state_row(ax: Axes, drawn: DayStates, reach: float) -> list[Entry]:
    """Draw each day as stacked shares of half-hours, hatched without records; return a legend.

    Parameters
    ----------
    ax : Axes
        The Axes, on which the day ``days[i]`` is at ``i``.
    drawn : DayStates
        The states.
    reach : float
        Half the width of a day.
    """
    edges = np.linspace(-reach, reach, drawn.shares.shape[1] + 1)
    for place, day in enumerate(drawn.days):
        ribbon.hatched(ax, 0.0, 1.0, left=place - reach, right=place + reach)
        ribbon.stack(ax, drawn.shares[place], ribbon.NAMES, place + edges)
        skipped = skipped_hours(day, drawn.clock)
        if skipped is not None:
            left, right = (place - reach + 2 * reach * hour / 24 for hour in skipped)
            cover = Rectangle((left, 0.0), right - left, 1.0, facecolor="white", linewidth=0)
            cover.set(label="_skipped", zorder=2)
            ax.add_patch(cover)
    ax.set_ylim(0.0, 1.0)
    ax.yaxis.set_visible(False)
    ax.spines[["left", "bottom"]].set_visible(False)
    taken = drawn.shares.sum(axis=(0, 1))
    names = [name for name, share in zip(ribbon.NAMES, taken, strict=True) if share]
    recorded = drawn.shares.sum(axis=2)
    entries = [patch(name) for name in names]
    if (recorded < SEEN).any():
        entries.append(patch("no record"))
    return entries


def draw_diary(
    ax: Axes, drawn: DayStates, events: Sequence[tuple[int, int | None, str]], reach: float
) -> tuple[list[Entry], str]:
    """Draw events above the states of their days; return a legend, and the key to their numbers.

    Parameters
    ----------
    ax : Axes
        The Axes of `draw_state_row`.
    drawn : DayStates
        The states.
    events : sequence of (int, int or None, str)
        The events, as of `eyelog.figures.events.event_us`.
    reach : float
        Half the width of a day.
    """
    spans: list[tuple[float, float | None, str]] = []
    shown = []
    for event in events:
        *_, end, label = event
        parts = [
            (place, part)
            for place, day in enumerate(drawn.days)
            for part in marks.parts_of_day(event, day, drawn.clock)
        ]
        for number, (place, ends) in enumerate(parts):
            left, right = (place - reach + 2 * reach * us / DAY_US for us in ends)
            spans.append((left, None if end is None else right, "" if number else label))
        if parts:
            shown.append(event)
    key = marks.draw_lane(ax, spans, floor=1.0, unit_mm=STATES_MM)
    return marks.entries(shown, shaded=False), key
