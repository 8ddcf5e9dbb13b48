"""One part of a cohort: one wearer and month, or one wearer's whole range, computed anywhere.

The range of a wearer who travels is never cut. Where the clock goes back over midnight, each of two
months has a piece of the other; and how long a day of travel was depends on the last record before
the flight, however long ago that was.

A part carries everything that a worker needs, and answers with an outcome, never with an error.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.archive.export import LOCATION, names_location
from eyelog.archive.lists import fingerprint, months
from eyelog.archive.store import Archive, place_of
from eyelog.arrow_tables import frame_of, instant_us, month_edges
from eyelog.clock import DAY, SECOND, as_tzinfo, day_start, days_with_records, time_of_day
from eyelog.cohort.dataset import Dataset
from eyelog.cohort.wearers import Wearer
from eyelog.errors import ConfigurationError, EyelogError
from eyelog.frame import in_zones
from eyelog.judge.limits import DEFAULT, Limits
from eyelog.measure.daily import daily
from eyelog.measure.groups import is_whole

Span = tuple[datetime, datetime]

# The runs of wear that hold the first and the last wear of a day last `min_run` (5 minutes) or
# more, even across midnights: the only way in which a day depends on records of other days.
AROUND: Final = timedelta(minutes=10)
SECOND_US: Final = 1_000_000
LOCAL_DATES: Final = ("day", "week")


@dataclass(frozen=True, slots=True)
class Study:
    """What all parts of a run have in common."""

    archive: Archive
    log: str
    _: KW_ONLY
    function: Callable[[pd.DataFrame], Any] | None = None  # None: the daily summary
    function_key: str = ""
    function_name: str = ""
    fields: tuple[str, ...] | str | None = "daily"
    meta: pd.DataFrame | None = None
    limits: Limits = DEFAULT
    day_starts: str | None = None
    # What a run adds
    tz: str | None = None  # the zone of all wearers; None where they live in several
    covariates: Mapping[str, Any] = field(default_factory=dict)
    out: Dataset | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class WearerMonth:
    """One wearer and local month (None: the whole range), and which records it needs.

    `around` is the first and the last instant that it reads: more than the month, so that what
    reaches over a midnight is known.
    """

    study: Study
    wearer: Wearer
    month: str | None
    around: Span


@dataclass(frozen=True, slots=True)
class MonthOutcome:
    """The outcome of a part."""

    account: str
    month: str | None
    state: str  # done, unchanged or failed
    days: int = 0
    files: str = ""  # a digest of those that were read
    reason: str = ""
    has_rows: bool = False
    left_out: tuple[str, ...] = ()  # fields that say where the wearer was
    rows: pd.DataFrame | None = None  # not yet with account and covariates


def plan(
    study: Study, wearer: Wearer, first: datetime | None, last: datetime | None
) -> list[WearerMonth]:
    """Return the parts of one wearer within the requested range, in order."""
    place, starts = as_tzinfo(wearer.tz), time_of_day(study.day_starts)
    stored = months(place_of(study.archive), study.log, wearer.account)
    edges = [tuple(datetime.fromtimestamp(us / 1e6, UTC) for us in month_edges(m)) for m in stored]
    if wearer.tz.vary or study.function is not None:
        whole = _clip((edges[0][0], edges[-1][1]), first, last) if edges else None
        return [] if whole is None else [WearerMonth(study, wearer, None, whole)]
    earlier = DAY if study.day_starts else 0 * DAY  # a night belongs to the date before it
    lived = {
        f"{instant.astimezone(place):%Y-%m}"
        for opens, closes in edges
        for instant in (opens - earlier, opens, closes - SECOND)
    }
    parts, reach = [], AROUND + timedelta(seconds=study.limits.seconds("min_run"))
    for month in sorted(lived):
        opens, closes = (day_start(day, place, starts) for day in _month_days(month))
        around = _clip((opens - reach, closes + reach), first, last)
        if around is not None and _clip((opens, closes), first, last) is not None:
            parts.append(WearerMonth(study, wearer, month, around))
    return parts


def _clip(span: Span, first: datetime | None, last: datetime | None) -> Span | None:
    """Return what of a span is requested, if anything."""
    opens = span[0] if first is None else max(span[0], first)
    closes = span[1] if last is None else min(span[1], last)
    return (opens, closes) if opens <= closes else None


def _month_days(month: str) -> tuple[date, date]:
    """Return the first day of a month and of the next one."""
    first = date.fromisoformat(f"{month}-01")
    return first, (first + 31 * DAY).replace(day=1)


def compute(part: WearerMonth) -> MonthOutcome:
    """Compute one part, unless the result has it from the same input already."""
    study, wearer, month = part.study, part.wearer, part.month
    outcome = MonthOutcome(wearer.account, month, "done")
    try:
        files, made_from = _digests(part)
        if study.out is not None:
            days = study.out.days_made_from(made_from, wearer.account, month)
            if days is not None:
                return replace(outcome, state="unchanged", days=days, files=files, has_rows=True)
        archive, tz, left_out = study.archive, wearer.tz, tuple[str, ...]()
        where: dict[str, Any] = {"account": wearer.account, "fields": study.fields}
        if study.function is None:  # without a copy of the records
            table = archive.read_arrow(study.log, *part.around, **where)
            frame = in_zones(frame_of(table, tz.home, share=True), tz)
        else:
            frame = archive.read(study.log, *part.around, **where, tz=tz)
        if not len(frame):
            return outcome
        if study.function is None:
            rows = daily(frame, log=study.log, limits=study.limits, day_starts=study.day_starts)
            rows.attrs = {}  # pandas copies it at each access of a column
            if month is not None:  # each day is complete
                first, after = map(pd.Timestamp, _month_days(month))
                rows = rows[(rows.index >= first) & (rows.index < after)]
            days = len(rows)
        else:
            rows, days, left_out = _of_function(part, frame)
        rows = of_cohort(rows, study)
        found = len(rows) > 0
        done = replace(outcome, days=days, files=files, has_rows=found, left_out=left_out)
        if study.out is None:
            return replace(done, rows=rows)
        if found:
            table = of_wearers([(wearer, rows)], study)
            study.out.write(wearer.account, month, table, made_from, days)
        return done
    except Exception as error:  # noqa: BLE001 - of whatever kind, it is this wearer's alone
        kind = "" if isinstance(error, EyelogError) else f"{type(error).__name__}: "
        return failed_part(part, " ".join(f"{kind}{error}".split()))


def failed_part(part: WearerMonth, reason: str) -> MonthOutcome:
    """Return the outcome of a part that has failed."""
    return MonthOutcome(part.wearer.account, part.month, "failed", reason=reason)


def _digests(part: WearerMonth) -> tuple[str, str]:
    """Return a digest of the files that a part reads, and one of all that it is computed from."""
    study, wearer = part.study, part.wearer
    span = instant_us(part.around[0]), instant_us(part.around[1]) + SECOND_US
    files = digest(fingerprint(place_of(study.archive), study.log, wearer.account, span))
    return files, digest(
        files,
        *(study.version, study.function_key, study.log, study.tz, study.fields, study.day_starts),
        study.limits.details(),
        None if study.meta is None else study.meta.dtypes.astype(str).to_dict(),
        wearer.said,
        part.month,
        [instant.isoformat() for instant in part.around],
    )


def digest(*parts: Any) -> str:
    """Return a digest of what can be written as JSON or as text."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def of_cohort(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Return a table of one wearer in the zone of the cohort; the table is changed."""
    taken = {"account", *study.covariates} & {*map(str, (*table.index.names, *table.columns))}
    if taken:
        raise ConfigurationError(
            f"the result has a column {min(taken)!r} of its own: rename that of the wearers"
        )
    if study.tz is None:
        for name, dtype in table.dtypes.items():
            if isinstance(dtype, pd.DatetimeTZDtype):
                table[name] = table[name].dt.tz_convert("UTC")
        levels = _levels(table.index)
        for place, level in enumerate(levels):
            if isinstance(level, pd.DatetimeIndex) and level.tz is not None:
                local = level.name in LOCAL_DATES
                levels[place] = (
                    level.tz_localize(None).normalize() if local else level.tz_convert("UTC")
                )
        table.index = pd.MultiIndex.from_arrays(levels) if len(levels) > 1 else levels[0]
    table.attrs = {}
    return table


def _levels(index: pd.Index) -> list[pd.Index]:
    return [index.get_level_values(place) for place in range(index.nlevels)]


def of_wearers(tables: Sequence[tuple[Wearer, pd.DataFrame]], study: Study) -> pd.DataFrame:
    """Return the rows of all tables with account and covariates."""
    names = tables[0][1].index.names
    if any(table.index.names != names for _, table in tables):
        return pd.concat([of_wearers([each], study) for each in tables])
    rows = pd.concat([table for _, table in tables])
    lengths = [len(table) for _, table in tables]
    accounts = np.array([wearer.account for wearer, _ in tables], dtype=object).repeat(lengths)
    index = pd.Index(accounts, dtype="str", name="account")
    if names != [None]:  # it has an index of its own
        index = pd.MultiIndex.from_arrays([index, *_levels(rows.index)], names=["account", *names])
    rows = rows.set_axis(index)
    for name, dtype in study.covariates.items():
        values = np.empty(len(tables), dtype=object)
        values[:] = [dict(wearer.covariates)[name] for wearer, _ in tables]
        rows[name] = pd.array(values.repeat(lengths), dtype=dtype)
    return rows


def _of_function(
    part: WearerMonth, frame: pd.DataFrame
) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Return the result of the function for the wearer's frame, days read, and columns left out."""
    study = part.study
    result = cast(Callable[[pd.DataFrame], Any], study.function)(frame)
    days = len(days_with_records(cast(pd.DatetimeIndex, frame.index)))
    table = _table_of(result)
    if table is not result or is_whole(table.index):
        table = table.reset_index(drop=True)  # one row
    else:
        names = [str(name) if name is not None else "row" for name in table.index.names]
        table = table.rename_axis(index=names)
    left_out: tuple[str, ...] = ()
    if not names_location(study.fields) and study.meta is None:
        left_out = tuple(sorted(LOCATION.intersection(map(str, table.columns))))
        table = table.drop(columns=list(left_out))
    if study.meta is not None:
        if list(table.columns) != list(study.meta.columns):
            raise ConfigurationError(
                f"the function returned the columns {', '.join(map(str, table.columns))}, where"
                f" meta has {', '.join(map(str, study.meta.columns))}"
            )
        table = table.astype(study.meta.dtypes.to_dict())
    return table, days, left_out


def _table_of(result: Any) -> pd.DataFrame:
    """Return a table as it is, a named result as one row, a number as one value."""
    if isinstance(result, pd.DataFrame):
        return result
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        values = result._asdict()
    elif isinstance(result, Mapping) or (
        isinstance(result, pd.Series) and not isinstance(result.index, pd.DatetimeIndex)
    ):
        values = {str(name): value for name, value in result.items()}
    elif isinstance(result, bool | int | float | str | np.generic):
        values = {"value": result}
    else:
        raise ConfigurationError(
            f"the function returned a {type(result).__name__}: return a table, a named result or a"
            " number"
        )
    return pd.DataFrame({name: [value] for name, value in values.items()})
