"""Show and clear the cache."""

from os import PathLike

import pandas as pd

from eyelog.access.cache.day_file import stored_files
from eyelog.disk.home import home_dir
from eyelog.disk.sqlite import remove, size
from eyelog.errors import ConfigurationError

__all__ = ["cache_info", "clear_cache"]


def cache_info(home: str | PathLike[str] | None = None) -> pd.DataFrame:
    """Return the contents of the cache, one row per account and service.

    Parameters
    ----------
    home : path, optional
        The folder of eyelog; by default EYELOG_HOME, else the platform's data folder.

    Returns
    -------
    DataFrame
        ``account``, ``base_url``, ``days`` (counted per log), ``pages``, ``bytes`` (of the file),
        ``oldest`` and ``newest`` (when the days were fetched, UTC, microseconds). For a file that
        cannot be read, ``account`` is its name and ``days`` is 0.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from eyelog.access.cache.cache_info import cache_info
    >>> with TemporaryDirectory() as home:
    ...     cache_info(home).columns.tolist()
    ['account', 'base_url', 'days', 'pages', 'bytes', 'oldest', 'newest']
    """
    names = ["account", "base_url", "days", "pages", "bytes", "oldest", "newest"]
    rows = []
    for file in stored_files(home_dir(home)):
        contents = file.summary() or {"account": file.path.name, "base_url": "", "days": 0}
        rows.append({**contents, "bytes": size(file.path)})
    table = pd.DataFrame(rows, columns=names)
    counts = ["days", "pages", "bytes"]
    table[counts] = table[counts].fillna(0).astype("int64")
    for name in ("oldest", "newest"):
        stamps = pd.to_datetime(table[name].astype("float64"), unit="s", utc=True)
        table[name] = stamps.dt.as_unit("us")
    return table.sort_values(["account", "base_url"], ignore_index=True)


def clear_cache(home: str | PathLike[str] | None = None, account: str | None = None) -> int:
    """Delete cached answers, and the files that were set aside as damaged.

    Parameters
    ----------
    home : path, optional
        The folder of eyelog; by default EYELOG_HOME, else the platform's data folder.
    account : str, optional
        Delete only this account's, at every service. By default all.

    Returns
    -------
    int
        The bytes freed.

    Raises
    ------
    ConfigurationError
        If a file cannot be deleted.
    """
    try:
        return sum(remove(file.path) for file in stored_files(home_dir(home), account))
    except OSError as error:
        raise ConfigurationError(
            f"cannot delete the cache file {error.filename}: {error.strerror}; check the folder's"
            " permissions"
        ) from error
