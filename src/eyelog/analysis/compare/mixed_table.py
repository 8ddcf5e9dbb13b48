"""Many wearers in one long table, ready for mixed models."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.analysis.daily import daily
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.observed import one_log
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.provenance import history, record

__all__ = ["mixed_table"]

MISSING: Final = float("nan")
# The data behind a daily table; all its other numbers are outcomes.
CONTEXT: Final = ("n", "coverage", "recorded_h", "worn_h", "valid_h", "walking_h")
CONTEXT_ENDS: Final = ("_n", "_exposure_min", "_low", "_high")


@one_warning()
def mixed_table(
    frames: Mapping[str, pd.DataFrame] | pd.DataFrame,
    *,
    outcomes: str | Sequence[str] | None = None,
    exposure: str = "worn_h",
) -> pd.DataFrame:
    """Return one row per wearer and day, ready for mixed models.

    Parameters
    ----------
    frames : mapping of str to DataFrame, or DataFrame
        For each wearer a frame of one log (which is summarised by `eyelog.daily`) or a daily table,
        all of the same log. Or the table of `eyelog.cohort.daily`, whose accounts are the wearers.
    outcomes : str or sequence of str, optional
        Columns of the daily tables. Default: every number in them other than exposures, counts of
        values and intervals.
    exposure : str
        The column of the daily tables with the time over which the outcome was observed: hours
        (``"worn_h"``), or minutes if the name ends in ``_min`` (``"blink_exposure_min"``).

    Returns
    -------
    DataFrame
        Sorted by wearer and day, one row each. Columns: ``account`` (string), ``day`` (the local
        date as a naive timestamp, since wearers live in different zones), int64 ``n`` (records)
        and float64 ``coverage`` of the day if the tables have them, float64 ``exposure_h`` and
        ``log_exposure_h`` (its logarithm: the offset of a model of counts; missing if the exposure
        is 0). Then for each outcome x, in its own unit, float64 ``x``, ``x_wearer_mean`` (mean of
        the wearer's days) and ``x_within`` (the day less that mean). Last, the columns of a
        cohort's table about its wearers, such as their group.

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
    Person mean and deviation from it separate differences between wearers from variation within a
    wearer (Curran & Bauer 2011, Annual Review of Psychology 62:583); a raw daily value as a
    predictor mixes both. A column that one wearer's table lacks is missing for that wearer. Persons
    without data have no row; the provenance names them.

    Examples
    --------
    >>> import eyelog as el
    >>> log = "standard_mode_logs"
    >>> people = {f"p{i}": el.simulate("2026-10-19", 2, log=log, seed=i) for i in range(2)}
    >>> table = el.compare.mixed_table(people, outcomes="head_moves_yaw_per_h")
    >>> table["account"].tolist(), "head_moves_yaw_per_h_within" in table
    (['p0', 'p0', 'p1', 'p1'], True)
    """
    covariates = pd.DataFrame()
    if isinstance(frames, pd.DataFrame) and "account" in frames.index.names:
        frames, covariates = _of_cohort(frames)
    if not isinstance(frames, Mapping) or not frames:
        raise ConfigurationError("mixed_table takes a mapping such as {'ann': frame, 'bob': frame}")
    days = {str(wearer): _days(str(wearer), frame) for wearer, frame in frames.items()}
    if len(days) < len(frames):
        raise ConfigurationError("mixed_table: two wearers have the same name as text")
    log = one_log(*days.values(), what="mixed_table")
    lacking = [wearer for wearer, table in days.items() if exposure not in table.columns]
    if lacking:
        raise FieldError(
            f"mixed_table: no column {exposure!r} of exposure for {', '.join(lacking)}"
        )
    chosen = _outcomes(days, outcomes)
    rows = [_rows(wearer, days[wearer], chosen, exposure) for wearer in sorted(days)]
    table = pd.concat(rows, ignore_index=True)
    table["account"] = table["account"].astype("string")
    for name in covariates.columns:
        table[name] = covariates[name].reindex(table["account"]).array
    empty = [wearer for wearer in sorted(days) if not len(days[wearer])]
    return record(
        table,
        "compare.mixed_table",
        log=log,
        wearers=len(days),
        without_days=empty,
        outcomes=chosen,
        exposure=exposure,
    )


def _of_cohort(table: pd.DataFrame) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Return the days of each wearer of a cohort, and one row per wearer with its other columns."""
    if list(table.index.names) != ["account", "day"]:
        raise ConfigurationError(
            "mixed_table takes a cohort's days, indexed by account and day, as eyelog.cohort.daily"
            f" returns them, not a table indexed by {' and '.join(map(str, table.index.names))}"
        )
    stated = [name for step in history(table) for name in step.get("covariates", ())]
    numeric = pd.api.types.is_numeric_dtype
    times = pd.api.types.is_datetime64_any_dtype
    labels = [n for n in table.columns if not numeric(table[n].dtype) and not times(table[n].dtype)]
    covariates = [name for name in table.columns if name in {*stated, *labels}]
    days = {}
    for account, part in table.drop(columns=covariates).groupby(level="account"):
        days[str(account)] = part.droplevel("account")
        days[str(account)].attrs = dict(table.attrs)
    return days, table[covariates].groupby(level="account").first()


def _days(wearer: str, frame: Any) -> pd.DataFrame:
    """Return the daily table of one wearer."""
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError(f"mixed_table: {wearer!r} needs a frame or a daily table")
    if any(step["step"] == "daily" for step in history(frame)) or frame.index.name == "day":
        table = frame
    else:
        try:
            table = daily(frame)
        except MixedLogsError as error:
            raise MixedLogsError(f"{wearer!r}: {error}") from None
        except ConfigurationError as error:
            raise ConfigurationError(f"{wearer!r}: {error}") from None
    if not isinstance(table.index, pd.DatetimeIndex) or table.index.has_duplicates:
        raise ConfigurationError(f"mixed_table: the table of {wearer!r} needs one row per day")
    return table


def _outcomes(days: Mapping[str, pd.DataFrame], names: str | Sequence[str] | None) -> list[str]:
    """Return the outcome columns, in the order of the tables."""
    there = dict.fromkeys(str(name) for table in days.values() for name in table.columns)
    if names is None:
        return [
            name
            for name in there
            if name not in CONTEXT
            and not name.endswith(CONTEXT_ENDS)
            and all(
                pd.api.types.is_float_dtype(table[name].dtype)
                for table in days.values()
                if name in table.columns
            )
        ]
    chosen = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in there]
    if unknown or not chosen:
        raise FieldError(
            f"mixed_table: no wearer's daily table has {', '.join(unknown) or 'an outcome'}"
        )
    return chosen


def _rows(wearer: str, table: pd.DataFrame, outcomes: Sequence[str], exposure: str) -> pd.DataFrame:
    """Return the rows of one wearer."""
    table = table.sort_index()
    index = pd.DatetimeIndex(table.index)
    hours = numbers(table[exposure]) / (60.0 if exposure.endswith("_min") else 1.0)
    data: dict[str, Any] = {
        "account": np.full(len(table), wearer, dtype=object),
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
    return pd.DataFrame(data)
