"""Any table of the library in readable form: labels, units, rounded numbers, few columns."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from eyelog.catalogue import catalogue, known_logs
from eyelog.checks import names_of
from eyelog.clock import LocalClock, microseconds
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import require_frame, takes_tables
from eyelog.measure.columns import Column, choose, column, table_of
from eyelog.measure.groups import WEEKDAYS
from eyelog.measure.sheet import NOTHING, Heading, Sheet, decimals, number_text, p_text

ALL: Final = "all"
FEW: Final = 10  # tables with no more columns are shown whole
_NO_LOSS: Final = ("reason", "damaged", "tz")  # an absence that need not be mentioned
WEEK_H: Final = 168.0
LONGEST_DAY_H: Final = 26.0  # the clocks go back
MOST_ROWS: Final = 10_000  # more than anyone reads


@takes_tables
def readable(table: pd.DataFrame, *, columns: str | Iterable[str] | None = None) -> Sheet:
    """Return a readable form of a table: labels with units, rounded numbers, few columns first.

    Parameters
    ----------
    table : DataFrame
        As from `eyelog.daily`, `eyelog.weekly`, `eyelog.coverage`, `eyelog.explain`,
        `eyelog.attrition`, `Archive.inventory`, `eyelog.blinks.rate` or any other table of the
        library. Columns of your own are shown under their names.
    columns : str or iterable of str, optional
        Groups (``"wear"``, ``"gait"``, ``"eyes"``, ``"head"``, ``"scores"``) or names of columns,
        or ``"all"``. Default: the most important ones, about ten of a daily table. Columns without
        any value are left out unless they are named.

    Returns
    -------
    Sheet
        Shows as a table in a notebook and prints as aligned text. ``.table`` is a DataFrame of
        text with labels as columns; ``.text(width)`` and ``.html()`` return it for a terminal or a
        page. The time zone, and a note on columns left out by default, are below it.

    Raises
    ------
    ConfigurationError
        If `table` is not a DataFrame, has several columns of one name, or more than 10,000 rows.
    FieldError
        If `columns` names something that is neither a column of the table nor a group.

    Notes
    -----
    Only for reading: compute with the table itself. Numbers are rounded to meaningful digits, such
    as hours to 0.1, and hours above 0 are never shown as 0.0 but as <0.1. The time 24:00 is the
    midnight that closes a day; a dash is a missing value.

    Examples
    --------
    >>> import eyelog as el
    >>> days = el.daily(el.sample())
    >>> print(el.readable(days.head(3), columns=["worn_h", "steps", "blink_rate_per_min"]).text(60))
    Day         Worn  Steps  Blinks
    2026           h           /min
    Mon 19 Oct  12.6  5,934    13.4
    Tue 20 Oct   2.8    303    15.4
    Wed 21 Oct  12.4  4,935    15.2
    """
    require_frame(table, what="readable", wanted="a table")
    if isinstance(table.columns, pd.MultiIndex) or not table.columns.is_unique:
        raise ConfigurationError("readable takes a table whose columns have different names")
    if len(table) > MOST_ROWS:
        raise ConfigurationError(
            f"readable shows at most {MOST_ROWS:,} rows, not {len(table):,}: summarise the records"
            " first, such as with eyelog.daily, or take table.head()"
        )
    step, name = table_of(table.columns, table.index.names), str(table.index.names[-1])
    period = name if name in ("day", "week") else ""  # otherwise hours are plain hours
    if name == "day" and "expected_h" in table.columns:  # rows of several days: named by the first
        longest = float(pd.to_numeric(table["expected_h"], errors="coerce").max())
        if abs(longest - WEEK_H) <= 2:
            period = "week"
        elif longest > LONGEST_DAY_H:
            period = ""
    about = {name: column(str(name), table=step, period=period) for name in table.columns}
    wanted = None if columns is None else names_of(columns, "columns")
    empty = [name for name in table.columns if len(table) and _is_empty(table, name, about[name])]
    shown = _chosen(table, wanted, about, empty, step)
    notes = [] if len(table) else ["There are no rows."]
    dtypes = [*table[shown].dtypes, table.index.dtype]
    zones = {str(dtype.tz): None for dtype in dtypes if isinstance(dtype, pd.DatetimeTZDtype)}
    if zones:
        notes.append(f"Time zone: {' and '.join(zones)}.")
    if wanted in (None, [ALL]):
        # A remark that all rows share is shown once below them; an empty one is left out.
        remarks: list[Any] = [*table["reason"].unique()] if "reason" in shown else []
        if len(remarks) == 1 and remarks[0] and isinstance(remarks[0], str):
            shown.remove("reason")
            notes.append(f"Remark: {remarks[0].rstrip('.')}.")
        nothing = len([name for name in empty if name not in (*shown, *_NO_LOSS)])
        if nothing:
            has = "column has" if nothing == 1 else "columns have"
            notes.append(f"{nothing} more {has} nothing to show.")
    parts: list[tuple[Heading, list[str]]] = []
    # Rows that are only counted have no names.
    if not (isinstance(table.index, pd.RangeIndex) and table.index.name is None and shown):
        parts.append(_index(table))
    if table.index.name == "field":
        label = Heading("Label", "Label", is_text=True, is_extra=True)
        parts.append((label, [column(name).label for name in parts[0][1]]))
    parts += [_column(table, name, about[name]) for name in shown]
    left_out = set(table.columns) - {*shown, *empty, *_NO_LOSS} if wanted is None else ()
    rows = [list(row) for row in zip(*(texts for _, texts in parts), strict=True)]
    return Sheet([heading for heading, _ in parts], rows, notes=notes, left_out=len(left_out))


def _is_empty(table: pd.DataFrame, name: Any, about: Column) -> bool:
    """Return whether a column has nothing to show in any row."""
    values = table[name]
    if about.group == "faults" or (about.group == "reasons" and name.isupper()):
        return not (values != 0).any()
    if isinstance(values.dtype, pd.StringDtype) or values.dtype == object:
        return not values.dropna().astype(str).ne("").any()  # a false beside gaps is no gap
    # A count of values is meaningless if no row has a value to count.
    mean = f"{str(name).removesuffix('_n')}_mean"
    if str(name).endswith("_n") and mean in table.columns:
        return bool(table[mean].isna().all())
    return bool(values.isna().all())


def _chosen(
    table: pd.DataFrame,
    wanted: Sequence[str] | None,
    about: dict[Any, Column],
    empty: Sequence[Any],
    step: str,
) -> list[Any]:
    """Return the columns to show, in the order of the table."""
    names = list(table.columns)
    filled = [name for name in names if name not in empty]
    if wanted == [ALL] or (wanted is None and len(filled) <= FEW):
        return filled
    if wanted is None:
        # Fields, and the user's own columns, are the subject of their table.
        fields = {field for log in known_logs() for field in catalogue(log)}
        few = [n for n in filled if about[n].few or n in fields or about[n].label == str(n)]
        return few or filled
    try:
        chosen = choose([str(name) for name in names], wanted, table=step)
    except FieldError as error:
        raise FieldError(f"{error}; or 'all'") from None
    return [name for name in names if str(name) in chosen and (name in filled or name in wanted)]


def _index(table: pd.DataFrame) -> tuple[Heading, list[str]]:
    """Return the heading and the texts of the index."""
    index = table.index
    name = "" if index.name is None else str(index.name)
    if isinstance(index, pd.MultiIndex):
        words = ", ".join(str(level) for level in index.names)
        return Heading(words, words), [", ".join(map(_label_text, key)) for key in index]
    if isinstance(index, pd.DatetimeIndex):
        stamps = pd.Series(index)
        if name == "week":
            return Heading("Week", "Week"), [f"{stamp:%G-W%V}" for stamp in index]
        year = _one_year(stamps)
        if name != "day":
            return Heading("Time", "Time", year, year), _stamp_texts(stamps, year)
        month = " %b" if year else " %b %Y"
        return Heading("Day", "Day", year, year), _dates(stamps, "%a ", month)
    numbered = pd.api.types.is_integer_dtype(index.dtype)
    if name == "hour" and numbered:
        return Heading("Hour", "Hour"), [f"{int(hour):02}:00" for hour in index]
    if name == "weekday" and numbered:
        return Heading("Weekday", "Weekday"), [WEEKDAYS[int(day)] for day in index]
    return Heading(name.capitalize(), name.capitalize()), [str(label) for label in index]


def _column(table: pd.DataFrame, name: Any, about: Column) -> tuple[Heading, list[str]]:
    """Return the heading and the texts of one column."""
    values = table[name]
    unit, is_text = about.unit, False
    if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
        clock = _clock_texts(values, table.index)
        unit = "" if clock else _one_year(values)
        texts = clock or _stamp_texts(values, unit, coarse=about.digits == 0)
    elif values.dtype.kind == "m":
        texts = [NOTHING if pd.isna(value) else duration_text(value) for value in values]
    elif name == "bytes":
        texts = [size_text(value) for value in values]
    elif infer_dtype(values, skipna=True) == "boolean":  # also of dtype object, as read from CSV
        texts = [NOTHING if pd.isna(value) else "yes" if value else "no" for value in values]
    elif pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        places = decimals(numbers, about.digits)
        below = bool((numbers[~np.isnan(numbers)] >= 0).all())
        texts = [
            p_text(value, places) if name == "p" else number_text(value, places, below=below)
            for value in numbers
        ]
    else:
        is_text = True
        missing = (pd.api.types.is_scalar(value) and pd.isna(value) for value in values)
        texts = [
            NOTHING if is_missing else str(value)
            for value, is_missing in zip(values, missing, strict=True)
        ]
    # In a few characters: hours of a day are "h", "per h worn" is "/h".
    brief = "" if unit == "0 to 1" else unit
    for long in (" per day", " per week", "per day", "per week", " worn"):
        brief = brief.removesuffix(long)
    brief = brief.replace("steps per ", "/").replace("per ", "/")
    return Heading(about.label, about.short, unit, brief, str(name), is_text, about.group), texts


def _one_year(values: pd.Series) -> str:
    """Return the year of all stamps, or an empty text if they span several years."""
    years = values.dropna().dt.year.unique()
    return str(years[0]) if len(years) == 1 else ""


def _label_text(label: Any) -> str:
    """Return a label as text; midnights without a zone are dates."""
    if isinstance(label, pd.Timestamp) and label.tz is None and label == label.normalize():
        return f"{label:%Y-%m-%d}"
    return str(label)


def _stamp_texts(values: pd.Series, year: str, *, coarse: bool = False) -> list[str]:
    """Return day and time of stamps; coarse ones without weekday and seconds."""
    stamps = values.dropna()
    seconds = not coarse and bool((stamps.dt.second != 0).any())
    after = f" %b {'' if year else '%Y '}%H:%M{':%S' if seconds else ''}"
    return _dates(values, "" if coarse else "%a ", after)


def _dates(stamps: pd.Series, before: str, after: str) -> list[str]:
    """Return stamps as text, the day without a leading zero between its formats."""
    return [
        NOTHING if pd.isna(at) else f"{at.strftime(before)}{at.day}{at.strftime(after)}"
        for at in stamps
    ]


def _clock_texts(values: pd.Series, index: pd.Index) -> list[str]:
    """Return times of day where each lies in the day that names its row; otherwise nothing.

    The midnight that closes the day is 24:00.
    """
    if index.name != "day" or not isinstance(index, pd.DatetimeIndex):
        return []
    given = values.notna().to_numpy()
    opens, shown = index[given], pd.DatetimeIndex(values[given])
    # A calendar date opens where the clock shows its midnight.
    after = shown.tz_localize(None) - opens if opens.tz is None else shown - opens
    if not ((after >= pd.Timedelta(0)) & (after <= pd.Timedelta(25, "h"))).all():
        return []
    return [
        NOTHING
        if pd.isna(value)
        else "24:00"
        if value.date() > day.date()
        else value.strftime("%H:%M")
        for value, day in zip(values, index, strict=True)
    ]


def duration_text(value: pd.Timedelta) -> str:
    """Return "2 d 03 h", "1 h 05 min", "4 min 15 s" or "15 s"."""
    seconds = round(value.total_seconds())
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    if days:
        return f"{days} d {hours:02} h"
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def size_text(size: float) -> str:
    """Return a number of bytes as "12.0 kB"."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def on_clock(table: pd.DataFrame, clock: LocalClock) -> pd.DataFrame:
    """Return a table whose instants are what the wearer's clock showed, for people to read."""
    shown = table.copy()
    for name, dtype in table.dtypes.items():
        if isinstance(dtype, pd.DatetimeTZDtype):
            stamps = table[name].dropna()
            # What ends at the moment of a change ends on the earlier clock.
            ends = int(str(name).startswith("last"))
            wall = clock.wall_us(microseconds(pd.DatetimeIndex(stamps)) - ends) + ends
            shown[name] = pd.Series(wall.view("M8[us]"), index=stamps.index).reindex(table.index)
    return shown
