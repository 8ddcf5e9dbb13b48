"""Figures that a reader can zoom into and brush: an overview of the days, and the course of a log.

Needs the extra ``interactive`` (Bokeh). Its script and all values are in the page, which still
loads nothing from the network; the still figures of the report are there for print.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.analysis.columns import column as column_of
from eyelog.analysis.quality.states import STATES, states
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.catalogue import catalogue
from eyelog.clock import DAY_US, microseconds
from eyelog.errors import ConfigurationError
from eyelog.figures.defaults import DEFAULT_FIELDS
from eyelog.figures.labels import duration_words, label_of
from eyelog.figures.named import meaning_of
from eyelog.figures.ribbon import row_starts, state_codes
from eyelog.figures.style import COLOURS
from eyelog.frame import clock_of, interval_seconds, stamps
from eyelog.reports.logs import Logs
from eyelog.reports.section_parts import Empty

if TYPE_CHECKING:
    from bokeh.models import ColumnDataSource, DatetimeTickFormatter
    from bokeh.models.annotations import Title
    from bokeh.plotting import figure as Plot  # noqa: N812 - it is a class

__all__ = ["Explorable", "explorable", "require_bokeh"]

WIDTHS: Final = ("1min", "5min", "15min", "1h", "6h")
MOST_BINS: Final = 12_000
"""Points of a line; more would make the page large and the browser slow."""
MOST_FIELDS: Final = 4
MOST_DAYS: Final = 16
"""Days with a name beside the overview; of more, every second or third has one."""
ROW_SHARE: Final = 0.84  # how much of the height of a day its row takes
LEGEND_COLUMNS: Final = 3
DAY_MS: Final = DAY_US / 1000
PLACE: Final = "explorable"
"""The id of the element that the browser draws into."""
_ID: Final = re.compile(r'"p(\d+)"')


@dataclass(frozen=True)
class Explorable:
    """What the page needs to show the figures.

    Attributes
    ----------
    library : str
        The script that draws.
    item : str
        The figures with their values, as JSON that can be put into a script element.
    place : str
        The id of the element to draw into.
    about : str
        What is shown, in words.
    """

    library: str
    item: str
    place: str
    about: str


def require_bokeh() -> None:
    """Raise `ConfigurationError` unless the extra is installed."""
    try:
        import bokeh  # noqa: F401
    except ImportError:
        raise ConfigurationError(
            "figures to zoom and brush need Bokeh: pip install 'eyelog[interactive]'"
        ) from None


def explorable(logs: Logs) -> Explorable:
    """Return the figures of the leading log of a report."""
    require_bokeh()
    from bokeh.embed import json_item
    from bokeh.layouts import column, gridplot
    from bokeh.resources import Resources

    log = logs.lead
    every = _width(logs, log)
    *panels, strip = _course(logs, log, every)
    course = gridplot(
        [[panel] for panel in panels], sizing_mode="stretch_width", toolbar_location="right"
    )
    shown = column(_overview(logs, log), course, strip, sizing_mode="stretch_width")
    text = json.dumps(json_item(shown, cast(Any, PLACE)), separators=(",", ":"))
    return Explorable(
        library="\n".join(Resources(mode="inline", components=["bokeh"], log_level="error").js_raw),
        item=_numbered(text).replace("<", "\\u003c"),
        place=PLACE,
        about=(
            "Above, the state of the eyewear on each day; below, values in bins of"
            f" {duration_words(pd.Timedelta(every).total_seconds())}. Choose a tool at the right to"
            " zoom with a box or the wheel; drag the shaded span of the lowest panel to move"
            " through the days."
        ),
    )


def _numbered(text: str) -> str:
    """Number the parts of the figures from 1, so that equal records give equal pages."""
    numbers: dict[str, int] = {}
    return _ID.sub(lambda match: f'"p{numbers.setdefault(match[1], len(numbers) + 1)}"', text)


def _width(logs: Logs, log: str) -> str:
    """Return the finest width of bins with which a line has few enough points."""
    shortest = interval_seconds(logs.frames[log], log)
    whole = len(logs.calendar) * DAY_US / 1e6
    fitting = (
        width
        for width in WIDTHS
        if (seconds := pd.Timedelta(width).total_seconds()) >= shortest
        and whole / seconds <= MOST_BINS
    )
    return next(fitting, WIDTHS[-1])


def _overview(logs: Logs, log: str) -> "Plot":
    """Return the panel of a row per day, with its states by the hour."""
    from bokeh.models import AdaptiveTicker, NumeralTickFormatter, Range1d
    from bokeh.plotting import figure

    runs = _runs(logs, log)
    first, last = _ms(logs.calendar[0]) - 0.6 * DAY_MS, _ms(logs.calendar[-1]) + 0.6 * DAY_MS
    plot = figure(
        height=int(np.clip(60 + 22 * len(logs.calendar), 160, 520)),
        sizing_mode="stretch_width",
        title=_title("State of the eyewear"),
        x_axis_label="Time of day (h)",
        x_range=Range1d(start=0, end=24, bounds=(0, 24)),
        y_range=Range1d(start=last, end=first, bounds=(first, last)),
        y_axis_type="datetime",
        tools="xpan,xwheel_zoom,box_zoom,reset,hover",
        tooltips=[("", "@state"), ("from", "@from_h{00.00} h"), ("to", "@to_h{00.00} h")],
    )
    sides: Any = {"left": "from_h", "right": "to_h", "top": "top", "bottom": "bottom"}
    for name in (*STATES, "not known"):
        of_state = runs[runs["state"] == name]
        if not of_state.empty:
            source = _source(of_state)
            plot.quad(**sides, source=source, color=COLOURS[name], legend_label=name)
    plot.quad(
        **sides,
        source=_source(_whole_days(logs)),
        level="underlay",  # it shows where no state lies on it
        fill_color=COLOURS["no record"],
        line_color=None,
        hatch_pattern="right_diagonal_line",
        hatch_color=COLOURS["hatch"],
        hatch_weight=0.6,
        hatch_scale=6,
        legend_label="no record",
    )
    plot.hover.renderers = cast(Any, plot.renderers[:-1])
    _style(plot)
    plot.xaxis.ticker = AdaptiveTicker(
        base=24, mantissas=[1, 2, 3, 6, 12], desired_num_ticks=4, num_minor_ticks=0
    )
    plot.xaxis.formatter = NumeralTickFormatter(format="00.[00]")
    plot.yaxis.formatter = _dates()
    plot.yaxis.ticker = [_ms(day) for day in logs.calendar[:: -(-len(logs.calendar) // MOST_DAYS)]]
    plot.legend.click_policy = "hide"
    # Three columns are as wide as a phone has room for: what does not fit is cut off, not wrapped.
    plot.legend.ncols = LEGEND_COLUMNS
    plot.legend.location = "top_left"
    plot.legend.update(label_text_font_size="11px", glyph_width=14, glyph_height=14)
    plot.legend.update(padding=4, margin=0, spacing=4, label_standoff=4, border_line_color=None)
    plot.add_layout(plot.legend[0], "below")
    return plot


def _runs(logs: Logs, log: str) -> pd.DataFrame:
    """Return stretches of one state within a day, in hours of the wearer's clock."""
    frame = logs.frames[log]
    series = states(frame, limits=logs.limits)
    index = stamps(frame, what="report")
    us = microseconds(index)
    clock = clock_of(frame, log=log)
    close = clock.wall_us(us - 1) + 1
    day = (close - 1) // DAY_US
    to_h = (close - day * DAY_US) / 3.6e9
    length_h = (us - row_starts(us, interval_seconds(frame, log))) / 3.6e9
    from_h = np.maximum(to_h - length_h, 0.0)
    codes = state_codes(series)
    if not len(us):
        return pd.DataFrame({"state": [], "from_h": [], "to_h": [], "top": [], "bottom": []})
    begins = np.append(
        True,
        (np.diff(codes) != 0) | (np.diff(day) != 0) | (np.abs(from_h[1:] - to_h[:-1]) > 1e-6),
    )
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(us)) - 1
    middle = day[starts] * DAY_MS
    names = np.array([*STATES, "not known"], dtype=object)
    return pd.DataFrame(
        {
            "state": names[codes[starts]],
            "from_h": from_h[starts],
            "to_h": to_h[ends],
            "top": middle - ROW_SHARE * DAY_MS / 2,
            "bottom": middle + ROW_SHARE * DAY_MS / 2,
        }
    )


def _whole_days(logs: Logs) -> pd.DataFrame:
    """Return the rows of all days, from midnight to midnight."""
    middle = np.array([_ms(day) for day in logs.calendar])
    high = ROW_SHARE * DAY_MS / 2
    return pd.DataFrame(
        {"from_h": 0.0, "to_h": 24.0, "top": middle - high, "bottom": middle + high}
    )


def _course(logs: Logs, log: str, every: str) -> list["Plot"]:
    """Return a panel for each field, on one axis of time, and the strip to brush beneath."""
    from bokeh.models import Range1d, RangeTool
    from bokeh.plotting import figure

    bins = logs.bins(log, every)
    seconds = pd.Timedelta(every).total_seconds()
    wall = clock_of(bins, log=log).wall_us(microseconds(stamps(bins, what="report")) - 1) / 1000
    at = wall - seconds * 500  # the middle of the bin
    names = _fields(log, bins)
    if not names:
        raise Empty("The frame has no field that is drawn over time.")
    values = _measured(bins, names)
    source = _source(pd.DataFrame({"at": at, **values}))
    first, last = (float(at[0]), float(at[-1])) if len(at) else (0.0, 1.0)
    shown = Range1d(start=max(first, last - 2 * DAY_MS), end=last, bounds=(first, last))
    panels = []
    for name in names:
        label = label_of(log, name, seconds=seconds)
        colour = COLOURS[meaning_of(column_of(name, log=log))]
        plot = figure(
            height=150,
            sizing_mode="stretch_width",
            title=_title(label),
            x_range=shown,
            x_axis_type="datetime",
            tools="xpan,xwheel_zoom,xbox_zoom,reset,hover",
            tooltips=[("", "@at{%a %-d %b %H:%M}"), (label, f"@{name}{{0.[00]}}")],
        )
        plot.hover.formatters = {"@at": "datetime"}
        plot.line("at", name, source=source, color=colour, line_width=1.2)
        plot.xaxis.formatter = _dates("\n")
        panels.append(_style(plot))
    strip = figure(
        height=110,
        sizing_mode="stretch_width",
        title=_title("All days"),
        x_range=Range1d(start=first, end=last, bounds=(first, last)),
        x_axis_type="datetime",
        tools="",
        toolbar_location=None,
    )
    strip.line("at", names[0], source=source, color=COLOURS["interval"], line_width=0.8)
    strip.xaxis.formatter = _dates("\n")
    strip.yaxis.visible = False
    brush = RangeTool(x_range=shown)
    brush.overlay.fill_color = COLOURS["reference"]
    brush.overlay.fill_alpha = 0.15
    strip.add_tools(brush)
    return [*panels, _style(strip)]


def _measured(bins: pd.DataFrame, names: Sequence[str]) -> dict[str, Floats]:
    """Return the values of the bins in which something could be measured.

    The 60-second log counts 0 seconds of walking while nobody wears the eyewear.
    """
    unworn = numbers(bins["exposure_min"]) == 0
    return {
        name: np.where(unworn, np.nan, numbers(bins[name])).astype(np.float32) for name in names
    }


def _fields(log: str, bins: pd.DataFrame) -> list[str]:
    """Return the fields of a timeline that measure the wearer: not what only judges the others."""
    documented = catalogue(log)
    usual = [
        name for name in DEFAULT_FIELDS[log]["timeline"] if name in documented and name in bins
    ]
    measured = [
        name
        for name in usual
        if documented[name].kind != "wear" and documented[name].dtype == "float64"
    ]
    return measured[:MOST_FIELDS]


def _style(plot: "Plot") -> "Plot":
    """Give a panel the look of the report's other figures."""
    for axis in plot.axis:
        axis.axis_line_color = axis.major_tick_line_color = COLOURS["axis"]
        axis.minor_tick_line_color = None
        axis.major_label_text_color = axis.axis_label_text_color = COLOURS["text"]
        axis.axis_label_text_font_style = "normal"
    plot.grid.grid_line_color = COLOURS["grid"]
    plot.outline_line_color = None
    plot.toolbar.logo = None
    return plot


def _dates(between: str = " ") -> "DatetimeTickFormatter":
    """Name days as the report does; in two lines, they keep apart along the axis of a phone."""
    from bokeh.models import DatetimeTickFormatter

    day = f"%a{between}%-d %b"
    return DatetimeTickFormatter(hours="%H:%M", days=day, months=day, context=None)


def _title(text: str) -> "Title":
    from bokeh.models.annotations import Title

    return Title(text=text, text_font_size="13px", text_color=COLOURS["text"])


def _source(table: pd.DataFrame) -> "ColumnDataSource":
    from bokeh.models import ColumnDataSource

    return ColumnDataSource({str(name): table[name].to_numpy() for name in table})


def _ms(day: pd.Timestamp) -> float:
    return float(day.value) / 1e6
