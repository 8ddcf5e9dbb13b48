"""The first and last steps of every summary: judge and group; a table with its provenance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.grouped.groups import By, Groups, group_by, several_keys, with_columns
from eyelog.analysis.grouped.opening import Opened
from eyelog.analysis.grouped.reductions import ratio
from eyelog.analysis.quality.evidence import Evidence, seconds_of
from eyelog.analysis.quality.flags import judged_columns
from eyelog.analysis.quality.reasons import Reason, applies
from eyelog.analysis.series.arrays import Arrays, Floats, Table, numbers
from eyelog.catalogue import catalogue, log_named, role
from eyelog.clock import LocalClock, first_and_last_day
from eyelog.errors import ConfigurationError
from eyelog.frame import (
    BIN_WIDTH,
    OFFSET,
    STORED,
    bin_widths,
    is_resampled,
    require,
)
from eyelog.provenance import derived

__all__ = [
    "BIN_COLUMNS",
    "CLOSING",
    "MOVES",
    "TOTAL",
    "WEIGHT",
    "Prepared",
    "as_counts",
    "counted_column",
    "counted_s",
    "coverage",
    "lone_rows",
    "needed",
    "prepare",
    "records_of",
    "row_seconds",
    "summary_table",
    "time_weights",
    "trusted",
    "trusted_frame",
    "weight_values",
    "whole_sum",
    "whole_values",
]

# Whether a bin has only the record at the midnight that closes it: a day with only such a bin has
# no records.
CLOSING = "closing_alone"
# The columns that `eyelog.resample` writes about its bins.
BIN_COLUMNS = (
    "pace_steps", "pace_min", "blink_n", "blink_min", "valid_min", "walking_min",
    "n", "recorded_min", "exposure_min", "coverage", BIN_WIDTH, CLOSING,
)  # fmt: skip
# Further columns of bins, only if their values do not show it: the whole sum of a field whose sum
# is missing for low coverage, and the weight behind a value that some records lack.
TOTAL, WEIGHT = "_total", "_weight"
# Roles in the catalogue whose movements are given per worn hour.
MOVES = ("eye_moves_horizontal", "eye_moves_vertical", "head_moves_pitch", "head_moves_yaw")
# The roles of fields that are evidence against others, besides the fields of kind "wear".
_EVIDENCE = ("walking", "tilt_sideways", "tilt_fore_aft")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A frame that is sorted, judged and grouped.

    Attributes
    ----------
    opened : Opened
        The frame as it was given, and how it is to be read.
    frame : Arrays
        The judged columns.
    groups : Groups
        The groups of the summary.
    records : array of float64
        How many records each row represents: 1, or the ``n`` of a resampled frame.
    whole : Arrays
        The same rows before judging, with all columns.
    known : Evidence
        The evidence in them.
    row_s : array of float64
        Seconds of each row.
    clock : LocalClock
        The wearer's clock.
    """

    opened: Opened
    frame: Arrays
    groups: Groups
    records: Floats
    whole: Arrays
    known: Evidence
    row_s: Floats
    clock: LocalClock

    @property
    def log(self) -> str:
        """The log of the frame."""
        return self.opened.log

    @property
    def index(self) -> pd.DatetimeIndex:
        """The stamps of the frame."""
        return cast(pd.DatetimeIndex, self.frame.index)

    def values(self, name: str) -> Floats:
        """Return a column as float64."""
        return numbers(self.frame[name])

    def seconds(self) -> Arrays:
        """Return how many seconds of each row were recorded, worn, valid and walked."""
        return seconds_of(self.known)

    def coverage(self, present: npt.NDArray[np.bool_]) -> Floats:
        """Return the share of the expected records of each group that are `present`."""
        return coverage(present, self.records, self.groups, self.log)

    def minutes(self, present: npt.NDArray[np.bool_]) -> Floats:
        """Return the minutes of the records of each group that are `present`."""
        records = _sum(np.where(present, self.records, 0.0), self.groups)
        return np.nan_to_num(records) * log_named(self.log).interval_s / 60.0


def coverage(present: npt.NDArray[np.bool_], records: Floats, groups: Groups, log: str) -> Floats:
    """Return the `present` records of each group / the records that fit into its time."""
    counted = np.nan_to_num(_sum(np.where(present, records, 0.0), groups))
    # Records are not aligned with the clock, so a bin can contain one more than fits into it.
    return np.minimum(ratio(counted, groups.seconds / log_named(log).interval_s), 1.0)


def _sum(values: Floats, groups: Groups) -> Floats:
    out = np.zeros(len(groups))
    filled = groups.filled
    if len(filled):
        out[filled] = np.add.reduceat(groups.arrange(values), groups.bounds[filled])
    return out


def time_weights(time: Arrays, kind: str, records: Floats) -> Floats:
    """Return the weights of bins for fields of a kind without their own weight.

    Resting eye data are weighted by valid time, measurements on the head by worn time, the rest by
    records. If that time is 0 or missing, a value still has a small weight, so that unjudged values
    do not vanish.
    """
    noun = {"static": "valid_s", "motion": "worn_s", "gait": "worn_s"}.get(kind)
    spent = records if noun is None else numbers(time[noun])
    if noun == "valid_s" and np.isnan(spent).all():
        spent = numbers(time["worn_s"])
    if np.isnan(spent).all():
        spent = records
    return np.nan_to_num(spent) + 1e-9 * records


def trusted(
    table: Arrays, evidence: Evidence, opened: Opened, *, allow: Reason | None = None
) -> Arrays:
    """Return the judged columns of `table`; bins and masked values have been judged already.

    Raises
    ------
    ConfigurationError
        If they are not to be judged, and have not been: no number can be computed from marks that
        are not measurements, or from values of time in which the eyewear was not worn.
    """
    if evidence.resampled or evidence.masked:
        return table
    if opened.judge:
        return judged_columns(table, evidence, allow=allow)
    refuse_unmasked(table, evidence, what=opened.purpose)
    columns = {name: _without_infinities(table[name]) for name in table.columns}
    return Arrays(columns, table.index, table.attrs)


def trusted_frame(opened: Opened, names: Iterable[str]) -> pd.DataFrame:
    """Return the columns that `names` and their judgement need, judged as by `trusted`."""
    frame = opened.frame[needed(opened.frame, opened.log, names)]
    frame.attrs = dict(opened.frame.attrs)
    evidence = replace(opened, frame=frame).evidence()
    return trusted(evidence.frame, evidence, opened).frame()


def refuse_unmasked(table: Arrays, evidence: Evidence, *, what: str) -> None:
    """Raise `ConfigurationError` if the values of records were clearly not judged."""
    fields = catalogue(evidence.log)
    unworn = evidence.against.get(Reason.UNWORN)
    for name in table.columns:
        field = fields.get(str(name))
        if field is None or field.value_type in ("str", "bool"):
            continue
        values = numbers(table[name])
        words = f"the invalid value {field.invalid_value}"
        bad = values == field.invalid_value if field.invalid_value is not None else None
        if bad is None or not bad.any():
            if unworn is None or Reason.UNWORN not in applies(field, evidence.log):
                continue
            words, bad = (
                "values of time in which the eyewear was not worn,",
                unworn & (values != 0),
            )
            bad &= ~np.isnan(values)
        if bad.any():
            raise ConfigurationError(
                f"{what} with judge=False: {name!r} holds {words} {int(bad.sum())} times. Leave out"
                " judge=False, or mask first: eyelog.mask(frame, eyelog.flag(frame))"
            )


def _without_infinities(column: Any) -> Any:
    if column.dtype != np.float64 or not np.isinf(column).any():
        return column
    return np.where(np.isinf(column), np.nan, column)


def needed(frame: Table, log: str, names: Iterable[str]) -> list[str]:
    """Return the columns of the frame that `names` and their judgement need."""
    by_name = catalogue(log)
    chosen = set(names) | set(role(log, *_EVIDENCE))
    chosen |= {weight for name in names if name in by_name for weight in by_name[name].weight}
    chosen |= {name for name, field in by_name.items() if field.kind == "wear"}
    chosen |= {STORED, BIN_WIDTH}  # these columns show what is masked, and what is a bin
    return [str(name) for name in frame.columns if name in chosen]


def records_of(frame: Table) -> Floats:
    """Return how many records each row represents."""
    if is_resampled(frame) and "n" in frame.columns:
        return numbers(frame["n"])
    return np.broadcast_to(1.0, len(frame))  # one number in memory, not one per row


def row_seconds(frame: Table, log: str) -> Floats:
    """Return the seconds of each row."""
    if is_resampled(frame):
        return bin_widths(frame)
    return np.broadcast_to(float(log_named(log).interval_s), len(frame))


def lone_rows(frame: Table) -> npt.NDArray[np.bool_] | None:
    """Return which bins have only the record at the midnight that closes them; None for records.

    `eyelog.resample` states them in a column: a day with only such a bin has no records.
    """
    if not is_resampled(frame):
        return None
    if CLOSING not in frame.columns:
        return np.zeros(len(frame), dtype=bool)
    return numbers(frame[CLOSING]) > 0


def whole_values(frame: Table, name: Any) -> Floats:
    """Return the whole sums of a field: in bins they may be in a separate column.

    Only some of the bins in a table may have been made with that column.
    """
    values = numbers(frame[name])
    if f"{name}{TOTAL}" not in frame.columns:
        return values
    whole = numbers(frame[f"{name}{TOTAL}"])
    return np.where(np.isnan(whole), values, whole)


def whole_sum(frame: Table, names: Sequence[str]) -> Floats:
    """Return the sum of fields in each row by their whole sums, missing if one of them is."""
    return cast(Floats, sum(whole_values(frame, name) for name in names))


def weight_values(frame: Table, name: str, weights: Sequence[str]) -> Floats:
    """Return the weight of a field's values in each row, whether or not the value is there.

    In bins it is the weight behind the value, if some of their records had no value.
    """
    usual = whole_sum(frame, weights)
    if f"{name}{WEIGHT}" not in frame.columns:
        return usual
    behind = numbers(frame[f"{name}{WEIGHT}"])
    return np.where(np.isnan(behind), usual, behind)


def counted_column(part: str) -> str:
    """Return the column of bins with the minutes in which movements could be counted."""
    return f"{part}_min"


def counted_s(frame: Table, part: str, time: Arrays) -> Floats:
    """Return the seconds of each row in which movements of the eyes or the head could be counted.

    For records this is the worn time. Bins have a separate column if it differs from their valid
    time (eyes) or their worn time (head).
    """
    eyes = part.startswith("eye") and is_resampled(frame)
    usual = numbers(time["valid_s" if eyes else "worn_s"])
    if counted_column(part) not in frame.columns:
        return usual
    counted = numbers(frame[counted_column(part)]) * 60.0
    return np.where(np.isnan(counted), usual, counted)


def prepare(
    opened: Opened,
    names: Iterable[str],
    by: By = None,
    *,
    optional: Iterable[str] = (),
    allow: Reason | None = None,
) -> Prepared:
    """Judge and group a frame for a summary of `names`.

    Reasons in `allow` do not remove a value; the default is that of `eyelog.mask`.

    Raises
    ------
    FieldError
        If the frame lacks one of `names`.
    ConfigurationError
        If `by` cannot be used.
    """
    frame, which, order = opened.frame, opened.log, opened.order
    names = list(names)
    require(frame, names, purpose=opened.purpose)
    extra = [name for name in frame.columns if name in BIN_COLUMNS]
    if is_resampled(frame):
        extra += [name for name in frame.columns if str(name).endswith(WEIGHT)]
    by = with_columns(by, frame)
    by_stamp = isinstance(by, pd.Series) and isinstance(by.index, pd.DatetimeIndex)
    labels = by is not None and not isinstance(by, str) and not several_keys(by, len(frame))
    if order is not None and labels and not by_stamp:
        by = pd.Series(by).reset_index(drop=True).take(order)
    columns = [*needed(frame, which, [*names, *optional]), *extra]
    row_s = row_seconds(frame, which)
    clock = opened.clock()
    groups = group_by(
        opened.index(),
        by,
        interval_s=row_s,
        stamp=opened.stamp,
        lone=lone_rows(frame),
        clock=clock,
        columns=map(str, frame.columns),
    )
    evidence = opened.evidence()
    whole = evidence.frame
    # Values of bins that are missing for low coverage are still in their sums.
    data = {
        name: whole_values(whole, name) if f"{name}{TOTAL}" in whole.columns else whole[name]
        for name in columns
    }
    table = trusted(Arrays(data, whole.index, whole.attrs), evidence, opened, allow=allow)
    return Prepared(opened, table, groups, records_of(whole), whole, evidence, row_s, clock)


def summary_table(data: Mapping[str, Any], prepared: Prepared, **details: Any) -> pd.DataFrame:
    """Return the columns `data` with the groups as index, and the step in the provenance.

    Groups are not intervals of one length, so the provenance no longer states one. Where the zone
    varies, bins of less than a day keep the wearer's clock, ``utc_offset_min``.
    """
    opened, groups, clock = prepared.opened, prepared.groups, prepared.clock
    table = pd.DataFrame(dict(data), index=groups.labels)
    if clock.tz is None and isinstance(groups.labels, pd.DatetimeIndex):
        offsets = groups.offsets_min(clock)
        table = table if offsets is None else table.assign(**{OFFSET: offsets})
    known = {
        "stamp": opened.stamp,
        "limits": opened.limits.details(),
        "tz": None if clock.tz is None else str(clock.tz),
        "days": first_and_last_day(prepared.index, stamp=opened.stamp, clock=clock),
    }
    return derived(
        table, prepared.frame, opened.purpose, log=opened.log, interval_s=None, **known | details
    )


def as_counts(values: Floats) -> npt.NDArray[np.int64]:
    """Return counts as int64; missing is 0."""
    return np.rint(np.nan_to_num(values)).astype(np.int64)
