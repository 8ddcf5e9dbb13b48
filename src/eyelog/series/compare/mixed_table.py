"""Many wearers in one long table, ready for mixed models."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.checks import names_of
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.frame import ACCOUNT, in_pandas, record, takes_tables
from eyelog.judge.arrays import MISSING, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import is_measured
from eyelog.measure.daily import daily
from eyelog.series.observed import one_log

# The data behind a daily table; all its other numbers are outcomes.
CONTEXT: Final = ("n", "coverage", "recorded_h", "worn_h", "valid_h", "walking_h")
CONTEXT_ENDS: Final = ("_n", "_exposure_min", "_low", "_high")


@takes_tables
def mixed_table(
    frames: Mapping[str, pd.DataFrame] | pd.DataFrame,
    *,
    outcomes: str | Sequence[str] | None = None,
    covariates: str | Sequence[str] | None = None,
    exposure: str = "worn_h",
    limits: Limits | None = None,
) -> pd.DataFrame:
    """Return one row per wearer and day, ready for mixed models.

    Parameters
    ----------
    frames : mapping of str to DataFrame, or DataFrame
        For each wearer a frame of one log (which is summarised by `eyelog.daily`) or a daily table,
        all of the same log. Or the table of `eyelog.cohort.daily`: ``account`` and ``day`` in its
        index, or as columns.
    outcomes : str or sequence of str, optional
        Columns of the daily tables. Default: every number in them other than exposures, counts of
        values, intervals and covariates.
    covariates : str or sequence of str, optional
        Columns to carry along unchanged, such as the group and the age of a wearer. Default: the
        columns of your own that hold text, labels, booleans or integers; name others, such as an
        age with decimals.
    exposure : str
        The column of the daily tables with the time over which the outcome was observed: hours
        (``"worn_h"``), or minutes if the name ends in ``_min`` (``"blink_exposure_min"``).
    limits : Limits, optional
        The limits that `eyelog.daily` follows where it summarises a frame, see `eyelog.Limits`.

    Returns
    -------
    DataFrame
        Sorted by wearer and day, one row each. Columns: ``account`` (string), ``day`` (the local
        date as a naive timestamp, since wearers live in different zones), int64 ``n`` (records)
        and float64 ``coverage`` of the day if the tables have them, float64 ``exposure_h`` and
        ``log_exposure_h`` (its logarithm: the offset of a model of counts; missing if the exposure
        is 0). Then for each outcome x, in its own unit, float64 ``x``, ``x_wearer_mean`` (mean of
        the wearer's days) and ``x_within`` (the day less that mean). Last, the covariates.

    Raises
    ------
    MixedLogsError
        If the wearers' tables are of different logs.
    FieldError
        If no table has an outcome, or one has no exposure.
    ConfigurationError
        If `frames` is not a mapping of wearers to tables, or is empty.

    Notes
    -----
    A wearer's mean and the deviation from it separate differences between wearers from variation
    within a wearer (Curran & Bauer 2011, Annual Review of Psychology 62:583); a raw daily value as
    a predictor mixes both. A column that one wearer's table lacks is missing for that wearer.
    Wearers without days have no row.

    Examples
    --------
    >>> import eyelog as el
    >>> log = "standard_mode_logs"
    >>> people = {f"p{i}": el.simulate("2026-10-19", 2, log=log, seed=i) for i in range(2)}
    >>> table = el.compare.mixed_table(people, outcomes="head_moves_yaw_per_h")
    >>> table["account"].tolist(), "head_moves_yaw_per_h_within" in table
    (['p0', 'p0', 'p1', 'p1'], True)
    """
    if isinstance(frames, pd.DataFrame):
        frames = _of_cohort(frames)
    if not isinstance(frames, Mapping) or not frames:
        raise ConfigurationError("mixed_table takes a mapping such as {'ann': frame, 'bob': frame}")
    days = {str(account): _days(str(account), frame, limits) for account, frame in frames.items()}
    if len(days) < len(frames):
        raise ConfigurationError("mixed_table: two wearers have the same name as text")
    log = one_log(*days.values(), what="mixed_table")
    lacking = [account for account, table in days.items() if exposure not in table.columns]
    if lacking:
        raise FieldError(
            f"mixed_table: no column {exposure!r} of exposure for {', '.join(lacking)}"
        )
    carried = _covariates(days, covariates, outcomes)
    chosen = _outcomes(days, outcomes, carried)
    rows = [_rows(account, days[account], chosen, exposure, carried) for account in sorted(days)]
    table = pd.concat(rows, ignore_index=True)
    table["account"] = table["account"].astype("string")
    return record(
        table,
        "compare.mixed_table",
        log=log,
        wearers=len(days),
        outcomes=chosen,
        covariates=carried,
        exposure=exposure,
    )


def _of_cohort(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the days of each wearer of a cohort."""
    names = [ACCOUNT, "day"]
    if set(names) <= {*table.columns, *table.index.names} and list(table.index.names) != names:
        attrs = table.attrs
        inside = [name for name in table.index.names if name in names]
        table = table.reset_index(inside) if inside else table
        table = table.set_index(names)
        table.attrs = attrs
    if list(table.index.names) != names:
        raise ConfigurationError(
            "mixed_table takes a cohort's days, indexed by account and day, as eyelog.cohort.daily"
            f" returns them, not a table indexed by {' and '.join(map(str, table.index.names))}"
        )
    days = {}
    for account, part in table.groupby(level=ACCOUNT):
        days[str(account)] = part.droplevel(ACCOUNT)
        days[str(account)].attrs = dict(table.attrs)
    return days


def _days(account: str, frame: Any, limits: Limits | None) -> pd.DataFrame:
    """Return the daily table of one wearer."""
    frame = in_pandas(frame)
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError(f"mixed_table: {account!r} needs a frame or a daily table")
    if frame.index.name == "day":
        if limits is not None:
            raise ConfigurationError(
                f"mixed_table: limits judge records, and {account!r} has days already: give limits"
                " to eyelog.daily"
            )
        table = frame
    else:
        try:
            table = daily(frame, limits=limits)
        except MixedLogsError as error:
            raise MixedLogsError(f"{account!r}: {error}") from None
        except ConfigurationError as error:
            raise ConfigurationError(f"{account!r}: {error}") from None
    if not isinstance(table.index, pd.DatetimeIndex) or table.index.has_duplicates:
        raise ConfigurationError(f"mixed_table: the table of {account!r} needs one row per day")
    return table


def _covariates(
    days: Mapping[str, pd.DataFrame],
    names: str | Sequence[str] | None,
    outcomes: str | Sequence[str] | None,
) -> list[str]:
    """Return the columns to carry along unchanged, in the order of the tables."""
    columns = dict.fromkeys(str(name) for table in days.values() for name in table.columns)
    if names is not None:
        chosen = names_of(names, "covariates")
        lacking = [name for name in chosen if name not in columns]
        if lacking:
            raise FieldError(
                f"mixed_table: no wearer's daily table has {', '.join(lacking)} as a covariate"
            )
        return chosen
    outcome_names = set(names_of(outcomes or (), "outcomes"))
    return [
        name
        for name in columns
        if name not in outcome_names
        and not is_measured(name)
        and all(
            not pd.api.types.is_float_dtype(table[name].dtype)
            for table in days.values()
            if name in table.columns
        )
    ]


def _outcomes(
    days: Mapping[str, pd.DataFrame], names: str | Sequence[str] | None, carried: Sequence[str]
) -> list[str]:
    """Return the outcome columns, in the order of the tables."""
    columns = dict.fromkeys(str(name) for table in days.values() for name in table.columns)
    if names is None:
        return [
            name
            for name in columns
            if name not in CONTEXT
            and name not in carried
            and not name.endswith(CONTEXT_ENDS)
            and all(
                pd.api.types.is_float_dtype(table[name].dtype)
                for table in days.values()
                if name in table.columns
            )
        ]
    chosen = names_of(names, "outcomes")
    unknown = [name for name in chosen if name not in columns]
    if unknown or not chosen:
        raise FieldError(
            f"mixed_table: no wearer's daily table has {', '.join(unknown) or 'an outcome'}"
        )
    return chosen


def _rows(
    account: str,
    table: pd.DataFrame,
    outcomes: Sequence[str],
    exposure: str,
    carried: Sequence[str],
) -> pd.DataFrame:
    """Return the rows of one wearer."""
    table = table.sort_index()
    index = pd.DatetimeIndex(table.index)
    hours = numbers(table[exposure]) / (60.0 if exposure.endswith("_min") else 1.0)
    data: dict[str, Any] = {
        "account": np.full(len(table), account, dtype=object),
        "day": index.tz_localize(None).normalize().as_unit("us"),
    }
    data |= {name: table[name].to_numpy() for name in ("n", "coverage") if name in table.columns}
    data["exposure_h"] = hours
    some = hours > 0
    data["log_exposure_h"] = np.where(some, np.log(np.where(some, hours, 1.0)), np.nan)
    for name in outcomes:
        none = np.full(len(table), np.nan)
        values = numbers(table[name]) if name in table.columns else none
        present = np.isfinite(values)
        mean = float(values[present].mean()) if present.any() else MISSING
        data[name] = np.where(present, values, np.nan)
        data[f"{name}_wearer_mean"] = np.full(len(table), mean)
        data[f"{name}_within"] = data[name] - mean
    for name in carried:
        data[name] = table[name].array if name in table.columns else [None] * len(table)
    return pd.DataFrame(data)
