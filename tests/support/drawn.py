"""Tables to draw, and what a figure shows, read back from its artists."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.dates import date2num

import eyelog as el


def artists(ax: Axes, name: str) -> list[Any]:
    """Return the artists of an Axes with a label, or whose labels begin so; of bars each one."""
    every = {str(one.get_label()): one for one in (*ax.get_children(), *ax.containers)}
    found = [every[name]] if name in every else [every[it] for it in every if it.startswith(name)]
    return [part for one in found for part in (one if isinstance(one, tuple) else (one,))]


def one(ax: Axes, name: str) -> Any:
    """Return the one artist with a label."""
    (artist,) = artists(ax, name)
    return artist


def xy(ax: Axes, name: str) -> tuple[list[float], list[float]]:
    """Return the x and y of the one line with a label; NaN breaks it."""
    x, y = one(ax, name).get_data()
    return np.asarray(x, dtype=float).tolist(), np.asarray(y, dtype=float).tolist()


def points(ax: Axes, name: str, first: str | None = None) -> list[list[float]]:
    """Return the places of the points with a label, along days as `days_from` the first."""
    places = np.array(one(ax, name).get_offsets(), dtype=float)
    if first is not None:
        places[:, 0] = days_from(first, places[:, 0])
    return places.tolist()


def days_from(first: str, x: Any) -> Any:
    """Return places along an axis of days in days from the middle of the first."""
    return np.asarray(x, dtype=float) - float(date2num(np.datetime64(f"{first}T12:00")))


def heights(ax: Axes, name: str) -> list[float]:
    """Return the heights of the bars with a label."""
    return [float(bar.get_height()) for bar in artists(ax, name)]


def spans(ax: Axes, name: str) -> list[tuple[float, float]]:
    """Return where along x the parts of a shade with a label begin and end."""
    boxes = [path.get_extents() for path in one(ax, name).get_paths()]
    return [(float(box.x0), float(box.x1)) for box in boxes]


def colour_of(ax: Axes, name: str) -> str:
    """Return the colour that the legend gives to a label."""
    return to_hex(artists(ax, name)[0].get_facecolor())


def legend_of(ax: Axes) -> list[str]:
    """Return the labels of the artists of a figure, each once."""
    every = [each for one in ax.figure.figure.axes for each in (one, *one.child_axes)]
    return list(dict.fromkeys(name for one in every for name in one.get_legend_handles_labels()[1]))


def note_of(ax: Axes) -> str:
    """Return the text above the legend of one of eyelog's own figures, in one line."""
    return str(ax.figure.figure.legends[0].get_title().get_text()).replace("\n", " ")


def title_of(ax: Axes) -> str:
    """Return the title of the figure of an Axes."""
    return str(ax.figure.figure.get_suptitle())


def counted_minutes(days: list[str]) -> pd.DataFrame:
    """Every minute of some local days, as if masked; stp_mid counts the rows."""
    index = pd.DatetimeIndex(
        [stamp for day in days for stamp in pd.date_range(f"{day} 00:01", periods=1440, freq="min")]
    )
    index = index.tz_localize("Asia/Tokyo").as_unit("us").rename("date")
    counts = np.arange(len(index), dtype="float64")
    return pd.DataFrame({"stored": False, "stp_mid": counts}, index=index)


def notes(number: int, first: str = "2026-10-19 07:00", days: float = 6.5) -> pd.DataFrame:
    """Notes of a diary, which are moments at even distances over some days."""
    step = pd.Timedelta(days=days) / number
    start = pd.date_range(first, periods=number, freq=step.floor("min"), tz="Asia/Tokyo")
    label = [f"note number {place} about something" for place in range(number)]
    end = pd.DatetimeIndex([pd.NaT] * number, tz="Asia/Tokyo")
    return pd.DataFrame({"start": start, "end": end, "label": label})


def states_of(runs: list[tuple[str, str, str]], *, tz: str = "Asia/Tokyo") -> pd.Series:
    """Return the states of minutes: each run is (state, stamp of its first, stamp of its last)."""
    parts = [
        pd.Series(state or None, index=pd.date_range(first, last, freq="min", tz=tz), dtype="str")
        for state, first, last in runs
    ]
    series = pd.concat(parts).rename("state")
    series.index = pd.DatetimeIndex(series.index).as_unit("us").rename("date")
    made = el.states(el.sample("standard_mode_logs")[:1])
    series = series.astype(made.dtype)
    series.attrs = made.attrs
    return series
