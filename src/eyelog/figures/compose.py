"""Whole figures of a log from its raw frame, which is judged and summarised before it is drawn."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eyelog.analysis import baseline, gait, rhythm
from eyelog.analysis.daily import daily
from eyelog.analysis.events import labels_by_day
from eyelog.analysis.quality.evidence import has_evidence
from eyelog.analysis.quality.flags import flag, mask
from eyelog.analysis.quality.recipes import attrition
from eyelog.analysis.quality.states import states
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.resample import resample
from eyelog.catalogue import field, near
from eyelog.errors import ConfigurationError, argument
from eyelog.figures.actogram import plot_actogram
from eyelog.figures.attrition import plot_attrition
from eyelog.figures.bouts import plot_bouts
from eyelog.figures.change import plot_change
from eyelog.figures.daily import plot_daily
from eyelog.figures.day import plot_day
from eyelog.figures.defaults import DEFAULT_FIELDS, DEFAULT_RECIPE, KINDS, STATE
from eyelog.figures.distribution import plot_distribution
from eyelog.figures.drawing import panels, unmanaged
from eyelog.figures.heatmap import plot_heatmap, with_steps
from eyelog.figures.overview import plot_overview
from eyelog.figures.profile import plot_profile
from eyelog.figures.quality import plot_quality
from eyelog.figures.rhythm import plot_rhythm
from eyelog.figures.timeline import plot_timeline
from eyelog.figures.week import plot_week
from eyelog.frame import clock_of, is_resampled, log_of, one_source, require, require_frame

__all__ = ["compose_figure"]

STEPS: Final = "steps"  # of all classes, which are fields of their own in one of the logs
OF_STEPS: Final = ("heatmap", "profile")
CHANGE: Final = "change"
OF_DAYS: Final = ("daily", CHANGE)  # draw columns of the daily summary
OF_ONE: Final = (CHANGE, "actogram")
WEEKEND: Final = "weekend"
EVENTS: Final = "events"
CELL: Final = "10min"
HOUR: Final = "1h"
PACE: Final = "pace_spm"
PANEL_MM: Final = 45.0
WITH_STRIP_MM: Final = 62.0  # a panel with a strip of hours or days beneath it

Drawn = Axes | np.ndarray[Any, np.dtype[np.object_]]


@one_warning()
def compose_figure(
    frame: pd.DataFrame,
    kind: str,
    *,
    fields: Sequence[str] | None = None,
    events: pd.DataFrame | None = None,
    at: str | pd.Timestamp | None = None,
    by: str | None = None,
) -> Figure:
    """Draw one kind of figure of a log, with a title and one panel per field where needed.

    Values are judged first with the default limits, so rejected values are not drawn.

    Parameters
    ----------
    frame : DataFrame
        A raw frame of either log.
    kind : str
        What to draw: ``"overview"`` (the state of the eyewear, a row per day), ``"timeline"``
        (fields along time), ``"day"`` (one or two fields over each day in full), ``"quality"``
        (the reasons against values along time), ``"attrition"`` (the records that a recipe leaves,
        ``mind`` or ``eye``), ``"heatmap"`` (fields by day and time of day in cells of 10 minutes),
        ``"daily"`` (values of the daily summary), ``"profile"`` (the usual day of fields),
        ``"rhythm"`` (the average day of fields by the hour, with active hours and cosinor),
        ``"distribution"`` (how often values of fields occur), ``"bouts"`` (of walking), ``"week"``
        (the last seven days, each against the own usual range), ``"change"`` (a column of the daily
        summary in two periods or conditions) or ``"actogram"`` (many days below each other: the
        state of the eyewear, or a field).
    fields : sequence of str, optional
        Columns of the frame, or of the daily summary (daily, change); by default a choice that
        suits the log. Overview, quality, attrition, bouts and week take none, change and actogram
        one.
    events : DataFrame, optional
        A diary, as `eyelog.read_events` returns it, to shade (timeline, day), to mark (week,
        actogram) or to compare by (change).
    at : date, optional
        The first day of the second period (change).
    by : str, optional
        Instead of `at`, what the days are compared by (change): a column of the daily summary with
        two values, ``"weekend"`` (weekdays and weekends), or ``"events"`` (days with two different
        labels in the diary; others are left out).

    Returns
    -------
    Figure
        A matplotlib Figure that pyplot does not manage, so it need not be closed.

    Raises
    ------
    ConfigurationError
        If there is no such kind, the frame has no rows, or fields, events, `at` or `by` are given
        to a kind that takes none, or too many.
    FieldError
        If the log has no such field, or the frame or the summary lacks it.

    See Also
    --------
    eyelog.plot_overview, eyelog.plot_timeline, eyelog.plot_day, eyelog.plot_quality :
        The same figures from your own tables.

    Examples
    --------
    >>> import eyelog as el
    >>> figure = el.compose_figure(el.sample("standard_mode_logs"), "overview")
    >>> figure.get_suptitle()
    '60-second log · 19 to 25 Oct 2026'
    """
    if kind not in KINDS:
        raise ConfigurationError(
            f"unknown kind of figure {kind!r}{near(kind, KINDS)}: use one of {', '.join(KINDS)}"
        )
    require_frame(frame, what="compose_figure", wanted="a frame of records")
    if frame.empty:
        raise ConfigurationError("there are no records to draw")
    log = log_of(frame)
    one_source(frame, what="compose_figure")
    names = _named(frame, kind, log, fields) if fields else _default(frame, kind, log)
    options: dict[str, Any] = {}
    if kind == CHANGE:
        options = {"at": at, "by": by, "events": events}
    elif at is not None or by is not None:
        given = argument("at" if by is None else "by")
        raise ConfigurationError(
            f"the figure {kind!r} compares no days: leave out {given}, or draw {CHANGE}"
        )
    elif events is not None:
        if kind not in SHADED:
            raise ConfigurationError(
                f"the figure {kind!r} shades no events: leave out {argument('events')}, or draw"
                f" {', '.join(SHADED[:-1])} or {SHADED[-1]}"
            )
        options = {"events": events}
    with unmanaged():
        drawn = DRAW[kind](frame, names, **options)
    ax = drawn if isinstance(drawn, Axes) else drawn[0]
    return cast(Figure, ax.get_figure(root=True))


def _named(frame: pd.DataFrame, kind: str, log: str, fields: Sequence[str]) -> list[str]:
    """Return the named fields, or raise if one cannot be drawn: none is left out silently."""
    if kind not in DEFAULT_FIELDS[log]:
        raise ConfigurationError(
            f"the figure {kind!r} takes no fields: leave out {argument('fields')}"
        )
    if kind not in OF_DAYS:
        named = [name for name in fields if name != STEPS or kind not in OF_STEPS]
        for name in named:
            if name not in frame.columns:
                field(log, name)
        require(frame, named, purpose=f"the {kind}")
    if kind == "day" and len(fields) > 2:
        raise ConfigurationError(f"the figure 'day' takes one or two fields, not {len(fields)}")
    if kind in OF_ONE and len(fields) > 1:
        raise ConfigurationError(f"the figure {kind!r} takes one field, not {len(fields)}")
    return list(fields)


def _default(frame: pd.DataFrame, kind: str, log: str) -> list[str]:
    names = DEFAULT_FIELDS[log].get(kind, ())
    if kind != "timeline":
        return list(names)
    stated = has_evidence(frame, "worn", log=log) and not is_resampled(frame)
    present = {*frame.columns, *([STATE] if stated else [])}
    return [name for name in names if name in present]


def _overview(frame: pd.DataFrame, _: list[str]) -> Drawn:
    return plot_overview(frame)


def _timeline(frame: pd.DataFrame, names: list[str], events: pd.DataFrame | None = None) -> Drawn:
    clean = mask(frame, flag(frame))
    if STATE in names and STATE not in clean.columns:
        attrs = clean.attrs
        clean = clean.assign(**{STATE: states(frame)})
        clean.attrs = attrs
    return plot_timeline(clean, fields=names, events=events)


def _day(frame: pd.DataFrame, names: list[str], events: pd.DataFrame | None = None) -> Drawn:
    second = names[1] if len(names) > 1 else None
    table = frame if is_resampled(frame) else resample(frame, CELL)
    state = None if is_resampled(frame) else states(frame)
    return plot_day(table, names[0], second=second, states=state, events=events)


def _quality(frame: pd.DataFrame, _: list[str]) -> Drawn:
    return plot_quality(frame)


def _attrition(frame: pd.DataFrame, _: list[str]) -> Drawn:
    return plot_attrition(attrition(frame, recipe=DEFAULT_RECIPE[log_of(frame)]))


def _heatmap(frame: pd.DataFrame, names: list[str]) -> Drawn:
    return _stacked(plot_heatmap, resample(frame, CELL), names)


def _daily(frame: pd.DataFrame, names: list[str]) -> Drawn:
    made = _stacked(plot_daily, daily(frame), names, foot_mm=WITH_STRIP_MM)
    # All panels are of the same days: one strip of hours, at the foot, is enough.
    for ax in made[:-1]:
        for strip in list(ax.child_axes):
            strip.remove()
        ax.spines["bottom"].set_visible(True)
    return made


def _profile(frame: pd.DataFrame, names: list[str]) -> Drawn:
    def plot(table: pd.DataFrame, name: str, *, ax: Axes) -> Axes:
        return plot_profile(rhythm.profile(table, name), ax=ax)

    table = resample(frame, CELL)
    if STEPS in names and STEPS not in table.columns:
        table = with_steps(table, log_of(frame))
    return _stacked(plot, table, names, height_mm=WITH_STRIP_MM)


def _rhythm(frame: pd.DataFrame, names: list[str]) -> Drawn:
    def plot(table: pd.DataFrame, name: str, *, ax: Axes) -> Axes:
        return plot_rhythm(
            rhythm.profile(table, name),
            most_active=rhythm.most_active(table, name),
            least_active=rhythm.least_active(table, name),
            cosinor=rhythm.cosinor(table, name),
            ax=ax,
        )

    return _stacked(plot, resample(frame, HOUR), names)


def _distribution(frame: pd.DataFrame, names: list[str]) -> Drawn:
    def plot(table: pd.DataFrame, name: str, *, ax: Axes) -> Axes:
        usual = baseline.typical_value(table, name)
        return plot_distribution(table[name], typical=usual, ax=ax)

    clean = frame if is_resampled(frame) else mask(frame, flag(frame))
    return _stacked(plot, clean, names, sharex=False)


def _bouts(frame: pd.DataFrame, _: list[str]) -> Drawn:
    return plot_bouts(gait.bouts(frame), column=PACE)


def _week(frame: pd.DataFrame, _: list[str], events: pd.DataFrame | None = None) -> Drawn:
    return plot_week(daily(frame), states=frame, events=events)


def _change(
    frame: pd.DataFrame,
    names: list[str],
    *,
    at: str | pd.Timestamp | None,
    by: str | None,
    events: pd.DataFrame | None,
) -> Drawn:
    if (events is not None) != (by == EVENTS):
        raise ConfigurationError(
            f"the figure {CHANGE!r} compares days by their labels in a diary: give both"
            f" {argument('events')} and {argument('by', EVENTS)}, or neither"
        )
    table = daily(frame)
    attrs = table.attrs
    if by == WEEKEND:
        is_weekend = pd.DatetimeIndex(table.index).day_of_week >= 5
        table = table.assign(**{WEEKEND: np.where(is_weekend, "weekend", "weekday")})
    elif events is not None:
        labels = labels_by_day(pd.DatetimeIndex(table.index), events, clock_of(frame))
        table = table.assign(**{EVENTS: pd.Series(labels, table.index, dtype="str")})
        table[EVENTS] = table[EVENTS].where(table[EVENTS] != "")
    table.attrs = attrs
    return plot_change(table, names[0], at=at, by=by)


def _actogram(frame: pd.DataFrame, names: list[str], events: pd.DataFrame | None = None) -> Drawn:
    if not names:
        return plot_actogram(states(frame), events=events)
    clean = frame if is_resampled(frame) else mask(frame, flag(frame))
    return plot_actogram(clean[names[0]], events=events)


def _stacked(
    plot: Callable[..., Axes],
    table: pd.DataFrame,
    names: list[str],
    *,
    height_mm: float = PANEL_MM,
    foot_mm: float | None = None,
    sharex: bool = True,
) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Draw a figure of one panel once per field, one above the other."""
    heights = [height_mm] * (len(names) - 1) + [foot_mm or height_mm]
    made = panels(heights, sharex=sharex)
    for ax, name in zip(made, names, strict=True):
        plot(table, name, ax=ax)
        if sharex:
            ax.label_outer()
    if sharex:
        for strip in (strip for ax in made[:-1] for strip in ax.child_axes):
            strip.tick_params(labelbottom=False)
            strip.set_xlabel("")
    return made


SHADED: Final = ("timeline", "day", "week", "actogram")
DRAW: Final[Mapping[str, Callable[..., Drawn]]] = MappingProxyType(
    {
        "overview": _overview,
        "timeline": _timeline,
        "day": _day,
        "quality": _quality,
        "attrition": _attrition,
        "heatmap": _heatmap,
        "daily": _daily,
        "profile": _profile,
        "rhythm": _rhythm,
        "distribution": _distribution,
        "bouts": _bouts,
        "week": _week,
        CHANGE: _change,
        "actogram": _actogram,
    }
)
"""The function that draws each kind: from the raw frame and the fields to its Axes."""
