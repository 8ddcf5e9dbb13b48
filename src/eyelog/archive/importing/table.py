"""A table that was saved from a frame, read back as the frame."""

import os

import pandas as pd

from eyelog.disk.files import path_of
from eyelog.errors import ConfigurationError
from eyelog.frame import conform, log_of
from eyelog.provenance import record

__all__ = ["read_table"]


def read_table(
    path: str | os.PathLike[str], *, log: str | None = None, tz: str | None = None
) -> pd.DataFrame:
    """Read a table of one log from a Parquet or CSV file, as ``eyelog fetch -o`` writes it.

    Parameters
    ----------
    path : str or path
        A ``.parquet`` file with stamps in its index (also one of ``frame.to_parquet``); any other
        name is CSV with a column ``date``.
    log : {"computed_data", "standard_mode_logs"}, optional
        The log of the table; by default it follows from the columns.
    tz : str, optional
        IANA zone of the index; by default that of the file (a CSV file is in UTC).

    Returns
    -------
    DataFrame
        Index ``date`` (aware, sorted, unique, microseconds); the columns of the file in catalogue
        order with the catalogue's dtypes, unknown columns last.

    Raises
    ------
    ConfigurationError
        If there is no such file, it is not a table of a log, or the zone is not valid.
    MixedLogsError
        If the table is of the other log, or has fields of both.

    Warns
    -----
    EyelogWarning
        If columns are not in the catalogue (they are kept).

    See Also
    --------
    eyelog.read_logger_csv : Files of the Logger app, with lines that may be damaged.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "week.parquet"
    ...     el.sample("computed_data").to_parquet(path)
    ...     frame = el.read_table(path)
    >>> str(frame.index.tz), frame["stp"].dtype
    ('Asia/Tokyo', dtype('float64'))
    """
    file = path_of(path, what="read_table")
    if not file.is_file():
        raise ConfigurationError(f"no file {file}: `eyelog fetch ... -o {file.name}` makes one")
    try:
        if file.suffix == ".parquet":
            table = pd.read_parquet(file)
        else:
            table = pd.read_csv(file, index_col="date")
            table.index = pd.to_datetime(table.index, utc=True, format="ISO8601")
    except (ValueError, TypeError, OSError) as error:  # pandas raises any of them at a foreign file
        raise ConfigurationError(
            f"{file.name} is not a table of `eyelog fetch`: {error}"
        ) from error
    log = log_of(table, log)
    return record(conform(table, log, tz=tz), "read", log=log, file=file.name)
