"""What people do with a table before they pass it on; none of it changes what the table says.

How a table is read back is what a person would type, written once: `back`.
"""

import io
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

AT_ONCE = "several at once"
ADDED = "mood"  # the column of a questionnaire

Table = Any  # a DataFrame or a Series


@dataclass(frozen=True)
class Treatment:
    """A way to treat a table, and what has to be done first for it to be possible."""

    treat: Callable[[Table], Table | None]  # None: not possible for such a table
    first: Callable[[Table], Table] = lambda table: table


def cleared(table: Table) -> Table:
    copy = table.copy()
    copy.attrs = {}
    return copy


def halves(table: Table) -> Table:
    half = len(table) // 2
    return pd.concat([table.iloc[:half], table.iloc[half:]])


def flat(table: Table) -> pd.DataFrame:
    """Return a table with its index as columns: what is written to a file or a data base."""
    frame = table.to_frame(table.name or "value") if isinstance(table, pd.Series) else table
    return frame.reset_index()


def back(read: pd.DataFrame, table: Table) -> Table:
    """Return what was read as the table that was written, as a person would type it.

    Dates, instants and durations get back their types and zones, reasons theirs (they would be
    values otherwise), and the index is set. Nothing else: numbers, truth values and text stay as
    the format returns them.
    """
    as_written = flat(table)
    for name, old in as_written.items():
        if isinstance(old.dtype, pd.DatetimeTZDtype):
            read[name] = pd.to_datetime(read[name], format="ISO8601", utc=True).dt.tz_convert(
                old.dt.tz
            )
        elif old.dtype.kind == "M":
            read[name] = pd.to_datetime(read[name], format="ISO8601")
        elif old.dtype.kind == "m":
            read[name] = pd.to_timedelta(read[name])
        elif old.dtype.kind == "u":
            read[name] = read[name].astype(old.dtype)
    levels = list(as_written.columns[: table.index.nlevels])
    read = read.set_index(levels if len(levels) > 1 else levels[0])
    read.index.names = table.index.names
    if isinstance(table, pd.Series):
        return read.iloc[:, 0].rename(table.name)
    return read


def without_empty_text(table: Table) -> Table:
    """Return a table without columns of empty text, which CSV does not tell from missing text."""
    if isinstance(table, pd.Series):
        return table
    empty = [name for name in table.columns if table[name].eq("").fillna(False).any()]
    return table.drop(columns=empty) if empty else table


def through_csv(table: Table) -> Table:
    text = flat(table).to_csv(index=False)
    return back(pd.read_csv(io.StringIO(text)), table)


def through_parquet(table: Table) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        if isinstance(table, pd.Series):
            table.to_frame(table.name or "value").to_parquet(path)
            return pd.read_parquet(path).iloc[:, 0].rename(table.name)
        table.to_parquet(path)
        return pd.read_parquet(path)


def through_plain_parquet(table: Table) -> Table:
    """Return a table from a Parquet file that knows nothing of pandas."""
    stored = pa.Table.from_pandas(flat(table), preserve_index=False).replace_schema_metadata(None)
    buffer = io.BytesIO()
    pq.write_table(stored, buffer)
    return back(pq.read_table(io.BytesIO(buffer.getvalue())).to_pandas(), table)


def through_polars(table: Table) -> Table:
    import polars as pl

    return back(pl.from_pandas(flat(table)).to_pandas(), table)


def through_duckdb(table: Table) -> Table:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("written", pa.Table.from_pandas(flat(table), preserve_index=False))
        return back(connection.sql("SELECT * FROM written").df(), table)


def _dated(table: Table) -> bool:
    return isinstance(table, pd.DataFrame) and isinstance(table.index, pd.DatetimeIndex)


def _of_days(table: pd.DataFrame) -> bool:
    return table.index.name in ("day", "week")


def merged(table: Table) -> Table | None:
    """Return a table with the answers of a questionnaire: by day, or the last one before."""
    if not _dated(table) or _is_reasons(table):
        return None
    name = str(table.index.name or "date")
    stamps = table.index if _of_days(table) else table.index[:: max(len(table) // 5, 1)]
    answers = pd.DataFrame({name: stamps[1:], ADDED: np.arange(len(stamps) - 1) % 5 + 1.0})
    if _of_days(table):
        return flat(table).merge(answers, on=name, how="left").set_index(name)
    return pd.merge_asof(flat(table), answers, on=name).set_index(name)


def joined(table: Table) -> Table | None:
    """Return a daily table joined with a questionnaire that has some of its dates, as text."""
    if not _dated(table) or not _of_days(table):
        return None
    days = [f"{day:%Y-%m-%d}" for day in table.index[1:]]
    text = pd.DataFrame({"when": days, ADDED: range(len(days))}).to_csv(index=False)
    answers = pd.read_csv(io.StringIO(text), index_col="when", parse_dates=True)
    return table.join(answers)


def beside(table: Table) -> Table | None:
    """Return a table with a column put beside it by `pd.concat`."""
    if not _dated(table) or _is_reasons(table) or table.index.has_duplicates:
        return None
    other = pd.Series(np.arange(len(table)) % 7.0, table.index, name=ADDED)
    return pd.concat([table, other], axis=1)


def _is_reasons(table: pd.DataFrame) -> bool:
    return all(getattr(dtype, "kind", "O") == "u" for dtype in table.dtypes)


def reordered(table: Table) -> Table | None:
    return table[table.columns[::-1]] if isinstance(table, pd.DataFrame) else None


def _unlike(table: Table, index: pd.Index) -> Table:
    copy = table.copy()
    copy.index = index
    return copy


def longest_regular(table: Table) -> Table:
    """Return the longest stretch of a table whose stamps lie equally far apart."""
    if not isinstance(table.index, pd.DatetimeIndex) or len(table) < 3:
        return table
    steps = np.diff(table.index.as_unit("us").asi8)
    breaks = np.flatnonzero(steps != np.median(steps))
    edges = np.concatenate([[-1], breaks, [len(steps)]])
    widest = int(np.argmax(np.diff(edges)))
    return table.iloc[edges[widest] + 1 : edges[widest + 1] + 1]


def with_freq(table: Table) -> Table | None:
    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 3:
        return None
    try:
        return _unlike(table, pd.DatetimeIndex(index, freq="infer"))
    except ValueError:
        return None


def in_nanoseconds(table: Table) -> Table | None:
    if not isinstance(table.index, pd.DatetimeIndex):
        return None
    return _unlike(table, table.index.as_unit("ns"))


def _in_time(table: Table) -> bool:
    """Return whether the index of a table tells the order of its rows."""
    return isinstance(table.index, pd.DatetimeIndex) or "day" in table.index.names


def reversed_rows(table: Table) -> Table | None:
    return table.iloc[::-1] if _in_time(table) else None


def shuffled_rows(table: Table) -> Table | None:
    return table.sample(frac=1, random_state=1) if _in_time(table) else None


def at_once(table: Table) -> Table:
    """Return a table after several treatments, one after the other."""
    for treat in (halves, through_csv, merged, reordered, shuffled_rows):
        treated = treat(table)
        table = table if treated is None else treated
    return table


def pickled(table: Table) -> Table:
    return pickle.loads(pickle.dumps(table.copy()))


TREATMENTS: dict[str, Treatment] = {
    "without attrs": Treatment(cleared),
    "halves put together": Treatment(halves),
    "through CSV": Treatment(through_csv, without_empty_text),
    "through Parquet": Treatment(through_parquet),
    "through plain Parquet": Treatment(through_plain_parquet),
    "through polars": Treatment(through_polars),
    "through DuckDB": Treatment(through_duckdb),
    "merged with a questionnaire": Treatment(merged),
    "joined with a questionnaire": Treatment(joined),
    "beside another column": Treatment(beside),
    "columns reordered": Treatment(reordered),
    "with freq": Treatment(with_freq, longest_regular),
    "in nanoseconds": Treatment(in_nanoseconds),
    "rows reversed": Treatment(reversed_rows),
    "rows shuffled": Treatment(shuffled_rows),
    "pickled": Treatment(pickled),
    AT_ONCE: Treatment(at_once, without_empty_text),
}
