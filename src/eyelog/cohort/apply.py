"""Any function of one wearer's frame, for every wearer of an archive."""

import hashlib
import inspect
import os
import pickle
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from types import CodeType
from typing import Any

import pandas as pd

from eyelog.archive.store import Archive
from eyelog.checks import names_of
from eyelog.clock import Zone
from eyelog.cohort.study_run import Instant, run_study
from eyelog.cohort.wearer_months import Study
from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables


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
    return run_study(
        "cohort.apply",
        Study(
            archive,
            log,
            function=function,
            function_key=_key(function),
            function_name=_name(function),
            fields=fields,
            meta=_prototype(meta),
        ),
        start,
        end,
        accounts=accounts,
        tz=tz,
        out=out,
        scheduler=scheduler,
        workers=workers,
        wearers=wearers,
    )


def _prototype(meta: Any) -> pd.DataFrame | None:
    """Return an empty table of the columns of a result."""
    if meta is None or isinstance(meta, pd.DataFrame):
        return None if meta is None else meta.iloc[:0]
    if not isinstance(meta, Mapping):
        raise ConfigurationError(
            f"meta takes a DataFrame or a mapping of columns to dtypes, not a {type(meta).__name__}"
        )
    try:
        return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in meta.items()})
    except TypeError as error:
        raise ConfigurationError(f"meta: {error}") from None


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
