"""The first picture of every analysis: the state of the eyewear, a row per wearer and day."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.clock import LocalClock, local_days
from eyelog.figures import axes, dates, marks, ribbon, tables
from eyelog.figures.labels import short_names, title_of
from eyelog.frame import OFFSET
from eyelog.judge.arrays import Ints
from eyelog.judge.limits import Limits

# Rows of the image per day: enough to keep the colours of neighbouring days apart.
MOST_IMAGE_ROWS: Final = 1200
MOST_ROWS_APART: Final = 60  # with more rows than this, rows touch
MOST_NAMED_DAYS: Final = 40  # with more rows, many wearers are named, and their days are not
MOST_CHARACTERS: Final = 40  # for a wearer's name over the rows, in one column of a journal


class Rows(NamedTuple):
    """The rows of the figure: the wearer and day of each, and the row of each record or -1."""

    names: list[str]
    days: list[pd.DatetimeIndex]
    firsts: list[int]
    of_record: Ints
    n: int


@axes.plot_function
def plot_overview(
    states: pd.Series | pd.DataFrame,
    *,
    limits: Limits | None = None,
    day_starts: str | None = None,
    patterns: bool = False,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw the state of the eyewear, one row per wearer and day, from 00 to 24.

    The first picture of every analysis: when the eyewear was worn, which records can be used, and
    where there are none (hatched).

    Parameters
    ----------
    states : DataFrame or Series
        A frame of either log, not resampled, or the result of `eyelog.states` for it. For several
        wearers put their states together, in one zone:
        ``pd.concat({"anna": states_of_anna, "ben": states_of_ben}, names=["account"])``. For a
        wearer whose zone varies, the frame: its column ``utc_offset_min`` holds the wearer's clock.
    limits : Limits, optional
        The limits by which a frame is judged.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night; by default midnight.
    patterns : bool
        Whether noisy is dotted and off pose crossed, for print in grey: of all states these two
        have the most similar greys.
    ax : Axes, optional
        The Axes to draw on; a new figure by default, whose height follows the number of rows.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With one image. Its columns are the minutes of the day; each day has several rows, as many
        as every other. Every day from a wearer's first to the last has a row;
        with several wearers, a blank row precedes those of each. The colour of a minute is the mean
        of its states, its opacity the share of it that was recorded. Records without neighbours are
        6 minutes wide, so that they are seen; the legend then says so.

    Raises
    ------
    ConfigurationError
        If these are neither states nor a frame of records, there are no rows, a record lasts longer
        than a minute, `limits` are given for states, or these are states of a wearer whose zone
        varies.

    Notes
    -----
    Time is local clock time: on the day on which the clocks go back, the repeated hour shows the
    mean of both passes; on the day on which they go forward, the hour that does not exist is left
    blank. The same applies to the hours that a flight west repeats and a flight east skips.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_overview(el.sample("standard_mode_logs"))
    >>> [text.get_text() for text in ax.get_yticklabels()][:2]
    ['Mon 19 Oct', 'Tue 20 Oct']
    >>> ax.images[0].get_array().shape[1]
    1440
    """
    what = "plot_overview"
    judged = ribbon.judged(states, limits=limits, day_starts=day_starts, what=what)
    clock, index = judged.clock, judged.stamps
    accounts: Any = np.zeros(len(index), dtype=np.int64)
    if isinstance(judged.states.index, pd.MultiIndex):
        accounts = judged.states.index.get_level_values(0)
    rows = _rows(index, accounts, clock)
    judged, of_record = judged.of_rows(rows.of_record >= 0), rows.of_record[rows.of_record >= 0]
    shares, note = ribbon.widened(ribbon.day_shares(judged, of_record, rows.n))
    ax = axes.on(ax, height_mm=max(12.0, min(5.0 * rows.n, 80 + 0.15 * rows.n)))
    repeats = max(1, min(24, MOST_IMAGE_ROWS // rows.n))
    colours = np.repeat(ribbon.colours(shares), repeats, axis=0)
    ribbon.image(ax, colours, (0, 24, rows.n - 0.5, -0.5))
    if patterns:
        ribbon.patterned(ax, shares, range(rows.n))
    for days, first in zip(rows.days, rows.firsts, strict=True):
        ribbon.hatched(ax, first - 0.5, first + len(days) - 0.5, left=0, right=24)
        dates.blank_skipped_hours(ax, days, clock, first)
    if rows.n <= MOST_ROWS_APART:
        borders = np.arange(rows.n + 1) - 0.5
        ax.barh(borders, 24, height=0.2, color="white", linewidth=0, zorder=2)
    ax.set_ylim(rows.n - 0.5, -0.5)
    zone = None if isinstance(states, pd.DataFrame) and OFFSET in states else index.tz
    dates.hours_axis(ax, zone, day_starts=day_starts)
    _name_rows(ax, rows)
    marks.bare(ax, "left")
    many = f"{len(rows.names)} wearers" if len(rows.names) > 1 else None
    days = local_days(judged.stamps, clock=clock)
    ribbon.explain(ax, judged.codes, patterns=patterns)
    ours = title_of(judged.states, wearer=many, days=days, zone=False)
    axes.finish(ax, ours, title, legend=legend, note=note)
    return ax


def _rows(index: pd.DatetimeIndex, accounts: Any, clock: LocalClock) -> Rows:
    """Assign a row to every day from a wearer's first to the last; separate several wearers."""
    names, days, firsts, n = list(dict.fromkeys(accounts)), [], [], 0
    of_record = np.full(len(index), -1)
    for name in names:
        mine = np.flatnonzero(accounts == name)
        kept, every, place = tables.on_days(index[mine], clock)
        firsts.append(n + (len(names) > 1))
        of_record[mine[kept]] = firsts[-1] + place
        n = firsts[-1] + len(every)
        days.append(every)
    return Rows([str(name) for name in names], days, firsts, of_record, n)


def _name_rows(ax: Axes, rows: Rows) -> None:
    """Name the days of one wearer, or the wearers, and their days if there is room."""
    several = len(rows.names) > 1
    if several and rows.n > MOST_NAMED_DAYS:
        middles = [
            first + (len(of) - 1) / 2 for first, of in zip(rows.firsts, rows.days, strict=True)
        ]
        axes.name_rows(ax, middles, rows.names)
        return
    dates.day_rows_axis(ax, rows.days, rows.firsts)
    names = short_names(rows.names, MOST_CHARACTERS) if several else []
    for name, first in zip(names, rows.firsts, strict=False):
        ax.text(0, first - 0.75, name, weight="bold", ha="left", va="center")
