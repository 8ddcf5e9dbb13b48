"""Single blinks: how strong and how long they are, and how many come in bursts."""

from typing import Any, Final, NamedTuple, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.each_blink import event_fields, has_single_blinks, single_blinks
from eyelog.analysis.blinks.gaps import Cleansing, burst_fields, shape_fields
from eyelog.analysis.grouped.groups import By
from eyelog.analysis.grouped.opening import FrameOptions, Opened, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import (
    combined_sd,
    mean,
    ratio,
    sample_sd,
    total,
    weighted_mean,
)
from eyelog.analysis.grouped.summary import (
    Prepared,
    as_counts,
    prepare,
    summary_table,
    weight_values,
)
from eyelog.analysis.limits import limit
from eyelog.analysis.series.arrays import Bools, Floats
from eyelog.catalogue import log_named, role
from eyelog.clock import microseconds
from eyelog.errors import FieldError

__all__ = ["bursts", "duration", "strength"]


class Quantity(NamedTuple):
    """A quantity of blinks: the noun and the unit of its columns, its name of a single blink."""

    noun: str
    unit: str
    of_single: str

    def columns(
        self, mean: Floats, *, within: Floats, between: Floats, total: Floats
    ) -> dict[str, Any]:
        """Return its mean and SDs by the names of their columns."""
        sd = f"{self.noun}_sd"
        return {
            f"{self.noun}_{self.unit}": mean,
            f"{sd}_{self.unit}": within,
            f"{sd}_between_{self.unit}": between,
            f"{sd}_total_{self.unit}": total,
        }


QUANTITIES: Final = {
    "strength": Quantity("strength", "uv", "strength"),
    "duration": Quantity("duration", "ms", "closed_ms"),
}


def _exposure(prepared: Prepared, counted: Bools, number: Floats) -> dict[str, Any]:
    """Return n, exposure and coverage of the rows that are `counted`."""
    return {
        "n": as_counts(total(np.where(counted, number, 0.0), prepared.groups)),
        "exposure_min": prepared.minutes(counted),
        "coverage": prepared.coverage(counted),
    }


def _of_shape(opened: Opened, by: By, part: str, cleansing: Cleansing) -> pd.DataFrame:
    """Return the summary of one of the `QUANTITIES` of blinks."""
    which, quantity = opened.log, QUANTITIES[part]
    if has_single_blinks(which):
        prepared = prepare(opened, event_fields(which), by)
        data = _of_single_blinks(prepared, quantity)
    else:
        names = shape_fields(which, cleansing)
        average, spread, number = names[part], names.get(f"{part}_sd"), names["count"]
        fields = [name for name in (number, average, spread) if name is not None]
        prepared = prepare(opened, fields, by)
        data = _of_averages(prepared, quantity, average, spread, number)
    return summary_table(data, prepared, cleansing=_used(which, cleansing))


def _of_averages(
    prepared: Prepared, quantity: Quantity, average: str, spread: str | None, number: str
) -> dict[str, Any]:
    """Return mean and SDs of a quantity, from its averages over the blinks of each record."""
    values, blinks = prepared.values(average), prepared.values(number)
    # Without blinks no average is expected: such a record counts as covered.
    counted = ~np.isnan(blinks) & (~np.isnan(values) | (blinks == 0))
    weights = weight_values(prepared.frame, average, [number])  # in bins, those with an average
    # A record without an SD is left out of every SD: within and between use the same records.
    sd = np.zeros(len(values)) if spread is None else prepared.values(spread)
    parts = combined_sd(sd, values, weights, prepared.groups)
    none = np.full(len(prepared.groups), np.nan)
    return quantity.columns(
        weighted_mean(values, weights, prepared.groups),
        within=none if spread is None else parts.within,
        between=parts.between,
        total=none if spread is None else parts.total,
    ) | _exposure(prepared, counted, blinks)


def _of_single_blinks(prepared: Prepared, quantity: Quantity) -> dict[str, Any]:
    """Return mean and SD of a quantity of the blinks that count."""
    events = single_blinks(prepared.known, microseconds(prepared.index))
    values = np.full(len(prepared.index), np.nan)
    values[events.rows[events.counted]] = getattr(events, quantity.of_single)[events.counted]
    ones = np.where(np.isnan(values), np.nan, 1.0)
    none = np.full(len(prepared.groups), np.nan)
    return quantity.columns(
        mean(values, prepared.groups),
        within=none,
        between=none,
        total=sample_sd(values, prepared.groups),
    ) | _exposure(prepared, _usable(prepared), np.nan_to_num(ones))


def _usable(prepared: Prepared) -> Bools:
    """Return the rows in which a single blink would have counted."""
    strength, closed_ms = (prepared.values(name) for name in event_fields(prepared.log))
    return ~np.isnan(strength + closed_ms)


@with_frame_options
def strength(
    frame: pd.DataFrame,
    *,
    by: By = None,
    cleansing: Cleansing = "strong",
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the mean blink strength, weighted by the number of blinks, with its spread.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with blink count, mean strength and its SD (``bk_n``, ``bkh_av``,
        ``bkh_sd``; with the prefix of the cleansing in the 60-second log), or of the 20 Hz log.
    by, cleansing, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``strength_uv`` (uV-equivalent), ``strength_sd_uv`` (typical SD within intervals),
        ``strength_sd_between_uv`` (SD of the means of intervals), ``strength_sd_total_uv`` (SD of
        all blinks taken together), int64 ``n`` (blinks), float64 ``exposure_min`` (minutes of
        records in which blinks could be judged) and ``coverage`` (share of the expected records).

    Notes
    -----
    SDs pool as sqrt(sum(n s^2) / sum(n)). The variance of all blinks is the square of that plus
    the variance between the intervals, sum(n (m - M)^2) / sum(n). Intervals without an SD are left
    out of all three SDs, so that their squares always add up. In the 20 Hz log blinks are single:
    there is one SD, that of all blinks that count (with n - 1), and the other two are missing.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.blinks.strength(el.sample(), by="1D")
    >>> bool((table["strength_sd_total_uv"] >= table["strength_sd_between_uv"]).all())
    True
    """
    opened = open_frame(frame, "blinks.strength", **options)
    return _of_shape(opened, by, "strength", cleansing)


@with_frame_options
def duration(
    frame: pd.DataFrame,
    *,
    by: By = None,
    cleansing: Cleansing = "strong",
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the mean blink duration, weighted by the number of blinks, with its spread.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with blink count and mean duration (``bk_n``, ``bkw_av``); in the
        60-second log with the prefix of the cleansing, and the SD ``bkw_sd``; or one of the 20 Hz
        log.
    by, cleansing, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        That of `eyelog.blinks.strength`, with float64 ``duration_ms``, ``duration_sd_ms``,
        ``duration_sd_between_ms`` and ``duration_sd_total_ms`` instead of the strengths. The
        15-second log has no SD within an interval, so ``duration_sd_ms`` and
        ``duration_sd_total_ms`` are missing there.

    Examples
    --------
    >>> import eyelog as el
    >>> el.blinks.duration(el.sample("standard_mode_logs"))["duration_ms"].between(90, 250).all()
    np.True_
    """
    opened = open_frame(frame, "blinks.duration", **options)
    return _of_shape(opened, by, "duration", cleansing)


@with_frame_options
def bursts(
    frame: pd.DataFrame,
    *,
    by: By = None,
    cleansing: Cleansing = "strong",
    **options: Unpack[FrameOptions],
) -> pd.DataFrame:
    """Return the burst share: bursts (several blinks within a second) per blink.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with ``bk_n`` and ``bkg_n`` of the cleansing, or of the 20 Hz
        log.
    by, cleansing, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``burst_share`` (bursts / blinks; missing without blinks), int64 ``bursts``, int64 ``n``
        (blinks), float64 ``exposure_min`` (minutes of records in which both were counted) and
        ``coverage`` (share of the expected records).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs, or is the 15-second log, which counts no bursts.

    Notes
    -----
    In the 20 Hz log a burst is a run of blinks that count, each within a second of the one before
    (`eyelog.blinks.blinks`).

    Examples
    --------
    >>> import eyelog as el
    >>> float(el.blinks.bursts(el.sample("standard_mode_logs"))["burst_share"].iloc[0]) < 0.5
    True
    """
    opened = open_frame(frame, "blinks.bursts", **options)
    which = opened.log
    single = has_single_blinks(which)
    if not single and not role(which, "burst_count"):
        raise FieldError(
            "blinks.bursts needs the 60-second log or the 20 Hz log: the 15-second log counts no"
            " bursts"
        )
    fields = [*event_fields(which)] if single else burst_fields(which, cleansing)
    prepared = prepare(opened, fields, by)
    if single:
        blinks, burst_counts, counted = _single_bursts(prepared)
    else:
        blinks, burst_counts = (prepared.values(name) for name in fields)
        counted = ~np.isnan(blinks + burst_counts)
    number = total(np.where(counted, burst_counts, 0.0), prepared.groups)
    data = {
        "burst_share": ratio(number, total(np.where(counted, blinks, 0.0), prepared.groups)),
        "bursts": as_counts(number),
    } | _exposure(prepared, counted, blinks)
    return summary_table(data, prepared, cleansing=_used(which, cleansing))


def _single_bursts(prepared: Prepared) -> tuple[Floats, Floats, Bools]:
    """Return which rows hold a blink that counts, which open a burst, and which are usable."""
    events = single_blinks(prepared.known, microseconds(prepared.index))
    at = events.rows[events.counted]
    close = limit(prepared.log, "burst").keeps(events.interval_s[events.counted])
    opens = np.append(close[1:], False)[: len(at)] & ~close
    blinks, bursts = np.zeros(len(prepared.index)), np.zeros(len(prepared.index))
    blinks[at], bursts[at[opens]] = 1.0, 1.0
    return blinks, bursts, _usable(prepared)


def _used(log: str, cleansing: str) -> str | None:
    return cleansing if log_named(log).has_cleansings else None
