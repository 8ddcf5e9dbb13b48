"""The daily summary of every wearer of an archive."""

import os
from collections.abc import Iterable
from typing import Any

import pandas as pd

from eyelog.archive.store import Archive
from eyelog.clock import Zone
from eyelog.cohort.study_run import Instant, run_study
from eyelog.cohort.wearer_months import Study
from eyelog.frame import takes_tables
from eyelog.judge.limits import Limits, chosen_limits


@takes_tables
def daily(
    archive: Archive,
    log: str,
    start: Instant | None = None,
    end: Instant | None = None,
    *,
    limits: Limits | None = None,
    day_starts: str | None = None,
    accounts: Iterable[str] | None = None,
    tz: Zone | None = None,
    out: str | os.PathLike[str] | None = None,
    scheduler: Any = None,
    workers: int | None = None,
    wearers: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return `eyelog.daily` of every wearer of an archive, in parallel and month by month.

    Parameters
    ----------
    archive : Archive
        Where the records are: on this machine, or on any storage that fsspec can open.
    log : {"computed_data", "standard_mode_logs"}
        The 15-second or the 60-second log.
    start, end : str, date or aware datetime, optional
        Inclusive local days of each wearer (``"2026-10-24"``), or instants. Default: all records.
    limits : Limits, optional
        What counts as worn, noisy and walking, see `eyelog.Limits`; the same for all wearers.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night; a day is named by the
        date on which it starts, also in `start` and `end`. By default midnight.
    accounts : iterable of str, optional
        Whose records; by default all that the archive and `wearers` have.
    tz : str, Zones, or a table or .csv file of zones, optional
        The zone or zones (`eyelog.Zones`) of wearers whose zone `wearers` does not have. By default
        those that the archive has for each account, otherwise that of the setting EYELOG_TZ,
        otherwise UTC, with a warning.
    out : str or path, optional
        A folder, or a URL that fsspec can open, for the result as a Parquet dataset. Then the
        report is returned instead of the table.
    scheduler : str or dask.distributed.Client, optional
        A Dask cluster: its address (``"tcp://10.0.0.1:8786"``) or a client of it. The workers need
        to reach the archive and `out`. Default: processes on this machine.
    workers : int, optional
        How many processes on this machine; by default one per core, and none besides this one if
        there is little to do.
    wearers : DataFrame, optional
        One row per wearer, with a column ``account`` (or an index of that name). The column ``tz``
        is each wearer's zone. All columns but ``account`` (groups, age, ...) are added to the
        wearer's rows.

    Returns
    -------
    DataFrame
        Without `out`, one row per wearer and local day, sorted. Index ``account`` and ``day``, the
        local date of the wearer's own clock. Columns as in `eyelog.daily`, in the same units
        (stamps are in UTC where there are several zones), then those of `wearers`.

        With `out`, one row per wearer: ``account``, ``state`` (``"done"``, ``"unchanged"`` if the
        files were there already, or ``"failed"``), ``days`` (int64, days with records) and
        ``reason`` (why it failed, or why there are no days).

    Raises
    ------
    ConfigurationError
        If the extra ``cohort`` is not installed, an argument is not valid, or `out` contains
        something else.
    ArchiveError
        If the archive has nothing of this log or cannot be listed, `out` cannot be written, or
        another run writes there.
    EyelogError
        If no worker can start, or the cluster is gone.

    Warns
    -----
    EyelogWarning
        Names wearers that failed (without `out`), and wearers that are missing from `wearers`.

    See Also
    --------
    eyelog.cohort.apply : The same for any function of a wearer's frame.
    eyelog.cohort.summary : Groups, percentiles of wearers, and what was lost.
    eyelog.cohort.differences : Differences between groups, with intervals.
    eyelog.report_cohort : The report of a study, as one file.

    Notes
    -----
    One task computes one month of one wearer, so memory does not grow with the cohort. It reads the
    columns that `eyelog.daily` needs, and a margin around the month (``min_run`` and 10 minutes),
    so that days at its edge are complete. A wearer who travels (`eyelog.Zones`) is one task,
    because the clock may go back to a month that it has left. The table depends neither on the
    number of workers nor on the order in which they finish. A wearer who cannot be read has no rows
    at all.

    ``pandas.read_parquet(out)`` reads a dataset. Each of its files is put in place as a whole and
    says what it was computed from: the same call resumes where a stopped run left off, and over an
    archive that has grown it computes only the months whose files, or whose neighbour's files,
    changed. The dataset always has exactly what the last call requested; files of other wearers and
    months are removed. ``_recipe.json`` beside them has the arguments, the versions and a digest of
    the files that were read.

    In a script, calls with several processes belong under ``if __name__ == "__main__":``. On Linux,
    the first such call also starts a server process that has imported eyelog, which takes a second;
    workers are forks of it. It takes some 90 MB and ends with your program.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import eyelog as el
    >>> archive, log = el.Archive(mkdtemp()), "standard_mode_logs"
    >>> people = el.cohort.simulate(archive, 2, start="2026-10-19", days=7, log=log)
    >>> table = el.cohort.daily(archive, log, wearers=people)
    >>> table.groupby("account").size().to_dict()
    {'w0001': 7, 'w0002': 7}
    """
    return run_study(
        "cohort.daily",
        Study(archive, log, limits=chosen_limits(limits), day_starts=day_starts),
        start,
        end,
        accounts=accounts,
        tz=tz,
        out=out,
        scheduler=scheduler,
        workers=workers,
        wearers=wearers,
    )
