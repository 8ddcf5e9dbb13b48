"""`eyelog.cohort.daily` and `apply`: from the files of an archive to one table, or to a dataset."""

import hashlib
import inspect
import json
import os
import pickle
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import partial
from importlib.metadata import version
from types import CodeType
from typing import Any, Final

import pandas as pd

from eyelog.archive.place import archive_errors
from eyelog.archive.store import Archive
from eyelog.catalogue import catalogue_version, check_fields
from eyelog.checks import names_of
from eyelog.clock import Zone, Zones, as_zones, instant_range, time_of_day
from eyelog.cohort import study as studies
from eyelog.cohort.dataset import open_dataset
from eyelog.cohort.schedule import run
from eyelog.cohort.study import MonthOutcome, Span, Study, Wearer, digest
from eyelog.errors import ConfigurationError, listed, warn
from eyelog.frame import record, takes_tables
from eyelog.home import progress_line
from eyelog.judge.limits import Limits, chosen_limits

Instant = str | date | datetime

NAMED: Final = 10
REPORT: Final = {"account": "str", "state": "str", "days": "int64", "reason": "str"}


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
    study = Study(archive, log, limits=chosen_limits(limits), day_starts=day_starts)
    return _run("cohort.daily", study, start, end, accounts, tz, wearers, out, scheduler, workers)


@takes_tables
def apply(
    archive: Archive,
    function: Callable[[pd.DataFrame], Any],
    *,
    log: str,
    meta: pd.DataFrame | Mapping[str, Any] | None = None,
    fields: Iterable[str] | str | None = None,
    start: Instant | None = None,
    end: Instant | None = None,
    accounts: Iterable[str] | None = None,
    tz: Zone | None = None,
    out: str | os.PathLike[str] | None = None,
    scheduler: Any = None,
    workers: int | None = None,
    wearers: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return what a function computes from each wearer's frame, in parallel.

    Parameters
    ----------
    archive : Archive
        As for `eyelog.cohort.daily`.
    function : callable
        Takes the frame of one wearer, all months in order, in the wearer's zone. Returns a table, a
        named result (such as that of `eyelog.rhythm.cosinor`), a mapping, or a number. Several
        processes need a function that Python can pickle; a lambda is fine.
    log : {"computed_data", "standard_mode_logs"}
        The 15-second or the 60-second log.
    meta : DataFrame or mapping of str to dtype, optional
        The columns that each result has, and their dtypes. A wearer with other columns fails. Also
        the shape of a cohort without results.
    fields : iterable of str or str, optional
        Read only these fields, or those of a summary, see `eyelog.fields`. Default: all.
    start, end, accounts, tz, out, scheduler, workers, wearers
        As for `eyelog.cohort.daily`.

    Returns
    -------
    DataFrame
        Without `out`, sorted by account. A table gives its rows, indexed by ``account`` and its
        own index, or one row per wearer where it has a single group of all records (as
        `eyelog.blinks.rate` without `by`); a named result or a mapping gives one row per wearer, a
        column per field; a number gives one row with the column ``value``. Then the columns of
        `wearers`.

        With `out`, the report of `eyelog.cohort.daily`.

    Raises
    ------
    ConfigurationError, ArchiveError, EyelogError
        As from `eyelog.cohort.daily`; also if `function` cannot be called or `meta` is not valid.

    Warns
    -----
    EyelogWarning
        As from `eyelog.cohort.daily`. Also if columns ``lat`` and ``lng`` are left out.

    Notes
    -----
    One task computes one wearer, whose whole range is in memory: name the `fields` that are used.
    An error in `function` affects only its wearer and is reported with its reason. A wearer without
    records in the range is not passed to it.

    Where the wearers were (columns ``lat`` and ``lng``) is left out of the result unless `fields`
    or `meta` names it. The function itself sees these fields.

    With `out`, a wearer is computed again where records, arguments, the function's own source, or
    values that it was made with have changed. Functions that it calls and global values are not
    considered: choose a different `out` after changing those.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import eyelog as el
    >>> archive, log = el.Archive(mkdtemp()), "standard_mode_logs"
    >>> _ = el.cohort.simulate(archive, 2, start="2026-10-19", days=3, log=log, tz="Asia/Tokyo")
    >>> rates = el.cohort.apply(archive, el.blinks.rate, log=log, fields="blinks")
    >>> rates["rate_per_min"].between(10, 20)
    account
    w0001    True
    w0002    True
    Name: rate_per_min, dtype: bool
    """
    if not callable(function):
        raise ConfigurationError(
            f"apply takes a function of a wearer's frame, not a {type(function).__name__}"
        )
    if fields is not None and not isinstance(fields, str):
        fields = tuple(names_of(fields, "fields"))
    if meta is not None and not isinstance(meta, pd.DataFrame | Mapping):
        raise ConfigurationError(
            f"meta takes a DataFrame or a mapping of columns to dtypes, not a {type(meta).__name__}"
        )
    shape = meta.iloc[:0] if isinstance(meta, pd.DataFrame) else None
    if isinstance(meta, Mapping):
        try:
            shape = pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in meta.items()})
        except TypeError as error:
            raise ConfigurationError(f"meta: {error}") from None
    key = _key(function)
    study = Study(archive, log, function=function, function_key=key, fields=fields, meta=shape)
    return _run("cohort.apply", study, start, end, accounts, tz, wearers, out, scheduler, workers)


def _run(
    what: str,
    study: Study,
    start: Instant | None,
    end: Instant | None,
    accounts: Iterable[str] | None,
    tz: Zone | None,
    wearers: pd.DataFrame | None,
    out: str | os.PathLike[str] | None,
    scheduler: Any,
    workers: int | None,
) -> pd.DataFrame:
    """Compute the parts of a cohort; return their table, or with `out` the report."""
    archive, log, at = (
        studies.check_archive(study.archive),
        study.log,
        time_of_day(study.day_starts),
    )
    people, covariates = studies.roster(archive, log, accounts=accounts, tz=tz, wearers=wearers)
    if study.fields is not None:
        check_fields(log, study.fields)
    about: dict[str, Any] = {"covariates": list(covariates), "limits": study.limits.details()}
    if study.day_starts is not None:
        about["day_starts"] = study.day_starts
    dataset = None
    if out is not None:
        rows = record(pd.DataFrame(), what, log=log, **about)
        dataset = open_dataset(out, attrs=json.dumps(rows.attrs))
    of = f"{version('eyelog')}, catalogue {catalogue_version()}"
    places = {name for wearer in people for _, name in wearer.tz.rows}
    home = places.pop() if len(places) == 1 else None  # they live in several, or one travels
    study = replace(study, tz=home, covariates=covariates, out=dataset, version=of)
    if study.function is None:
        studies.no_rows(study)  # the names of covariates are checked before anything is computed
    computed = [wearer for wearer in people if not wearer.absent]
    asked = {wearer.tz: _span(start, end, wearer.tz, at) for wearer in people}
    with archive_errors(f"list the archive {archive.path}"):
        parts = [
            part for wearer in computed for part in studies.plan(study, wearer, asked[wearer.tz])
        ]
    recipe = {
        "what": what,
        "function": "" if study.function is None else _name(study.function),
        "log": log,
        "archive": archive.path,
        "accounts": None if accounts is None else [wearer.account for wearer in people],
        "start": None if start is None else str(start),
        "end": None if end is None else str(end),
        "tz": None if tz is None else str(tz) if isinstance(tz, str) else repr(as_zones(tz)),
        "fields": study.fields,
        **about,
        "wearers": None if wearers is None else digest([wearer.said for wearer in people]),
        "versions": {
            "catalogue": catalogue_version(),
            **{name: version(name) for name in ("eyelog", "numpy", "pandas", "pyarrow")},
        },
    }
    outcomes = []
    label = f"{what} of {len(computed):,} wearers"
    unit = "wearer" if any(part.month is None for part in parts) else "month"
    with nullcontext() if dataset is None else dataset.locked():
        if dataset is not None:
            dataset.begin(recipe)
        with progress_line(len(parts), label, unit=unit) as done:
            where = {"scheduler": scheduler, "workers": workers, "killed": studies.failed_part}
            for outcome in run(studies.compute, parts, **where):
                outcomes.append(outcome)
                done()
        left_out = sorted({name for outcome in outcomes for name in outcome.left_out})
        if left_out:
            warn(
                f"left out where the wearers were ({', '.join(left_out)}): ask for it by naming"
                f" these fields in fields="
            )
        # The order in which the parts end does not affect the result.
        outcomes.sort(key=lambda outcome: (outcome.account, outcome.month or ""))
        report = _report(people, outcomes)
        broken = report[report["state"] == "failed"]
        failed = dict(zip(broken["account"], broken["reason"], strict=True))
        kept = [one for one in outcomes if one.account not in failed]
        # Of all files that were read, so that two results can be compared.
        read = sorted((one.account, one.month or "", one.files) for one in outcomes if one.files)
        if dataset is not None:
            dataset.keep_only((one.account, one.month) for one in kept if one.has_rows)
            dataset.finish({**recipe, "inventory": digest(read)}, report)
            return report
    if failed:
        reasons = (f"{account!r} ({reason})" for account, reason in failed.items())
        warn(
            f"{len(failed)} of {len(report)} wearers failed and are left out:"
            f" {listed(reasons, NAMED, between='; ')}"
        )
    by_account = {wearer.account: wearer for wearer in people}
    made = [(by_account[one.account], one.rows) for one in kept if one.rows is not None]
    used = [part for part in made if len(part[1])] or made[:1]
    table = studies.of_wearers(used, study) if used else studies.no_rows(study)
    table.attrs = {}
    return record(
        table,
        what,
        log=log,
        interval_s=None,
        wearers=len(report),
        **about,
        without_days=report.loc[report["days"] == 0, "account"].tolist(),
        failed=failed,
        inventory=digest(read),
    )


def _span(start: Instant | None, end: Instant | None, tz: Zones, at: time) -> Span:
    """Return the first and last instant of a range that may be open at either end."""
    first, last = (end if start is None else start), (start if end is None else end)
    opens, closes = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    if first is not None and last is not None:
        edges = instant_range(first, last, tz, at=at)
        opens, closes = opens if start is None else edges[0], closes if end is None else edges[1]
    return opens, closes


def _report(people: Sequence[Wearer], outcomes: Iterable[MonthOutcome]) -> pd.DataFrame:
    """Return one row per wearer."""
    of: dict[str, list[MonthOutcome]] = {wearer.account: [] for wearer in people}
    for outcome in outcomes:
        of[outcome.account].append(outcome)
    rows = []
    for wearer in people:
        parts = of[wearer.account]
        days = sum(part.days for part in parts)
        failed = next((part for part in parts if part.state == "failed"), None)
        state, reason = "done", ""
        if wearer.absent:
            state, reason = "failed" if wearer.unknown else "done", wearer.absent
        elif failed is not None:
            where = "" if failed.month is None else f"{failed.month}: "
            state, days, reason = "failed", 0, f"{where}{failed.reason}"
        elif not any(part.has_rows for part in parts):
            reason = "" if days else "no records in this range"
        elif not any(part.state == "done" and part.has_rows for part in parts):
            state = "unchanged"
        rows.append((wearer.account, state, days, reason))
    return pd.DataFrame(rows, columns=list(REPORT)).astype(REPORT)


def _name(function: Any) -> str:
    """Return the name of a function; for one made by `partial`, that of the function it calls."""
    while isinstance(function, partial):
        function = function.func
    kind = type(function)
    name = getattr(function, "__qualname__", kind.__qualname__)
    return f"{getattr(function, '__module__', kind.__module__)}.{name}"


def _key(function: Any) -> str:
    """Return a digest of a function: its source, and the values that it was made with."""
    parts = [_name(function)]
    while isinstance(function, partial):
        parts += map(_value_key, (*function.args, *sorted(function.keywords.items())))
        function = function.func
    closure = getattr(function, "__closure__", None) or ()
    made_with = [cell.cell_contents for cell in closure]
    made_with += [getattr(function, name, None) for name in ("__defaults__", "__kwdefaults__")]
    parts += map(_value_key, made_with)
    if inspect.isfunction(function):
        parts.append(_code_key(function.__code__))  # several lambdas may share a line of source
    with suppress(OSError, TypeError):
        parts.append(inspect.getsource(function))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _value_key(value: Any) -> str:
    """Return a digest of a value; one that cannot be identified never equals itself."""
    if inspect.isfunction(value) or isinstance(value, partial):
        return _key(value)
    try:
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception:  # noqa: BLE001 - pickle raises whatever the object does
        return secrets.token_hex()


def _code_key(code: CodeType) -> str:
    """Return what a function does, without the places of its parts in memory."""
    constants = [
        _code_key(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts
    ]
    return repr((code.co_code.hex(), code.co_names, constants))
