"""One part of a cohort: one wearer and month, or one wearer's whole range, computed anywhere.

The range of a wearer who travels is never cut. Where the clock goes back over midnight, each of two
months has a piece of the other; and how long a day of travel was depends on the last record before
the flight, however long ago that was.

A part carries everything that a worker needs, and answers with an outcome, never with an error.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import chain
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog.archive.export import LOCATION, names_location
from eyelog.archive.lists import fingerprint, months
from eyelog.archive.store import Archive, place_of
from eyelog.arrow_tables import frame_of, instant_us, month_edges
from eyelog.clock import (
    DAY,
    SECOND,
    as_tzinfo,
    day_start,
    days_with_records,
    time_of_day,
)
from eyelog.cohort.dataset import Dataset, Made
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
    tz: str | None  # the zone of all wearers; None where they live in several
    covariates: Mapping[str, Any]
    out: Dataset | None
    version: str
    function: Callable[[pd.DataFrame], Any] | None = None  # None: the daily summary
    function_key: str = ""
    fields: tuple[str, ...] | str | None = "daily"
    meta: pd.DataFrame | None = None
    limits: Limits = DEFAULT
    day_starts: str | None = None

    def opens(self, day: date, place: tzinfo) -> datetime:
        """Return the instant at which a day of a wearer in a zone starts."""
        return day_start(day, place, time_of_day(self.day_starts))


@dataclass(frozen=True, slots=True)
class WearerMonth:
    """One wearer and local month (None: the whole range), and which records it needs.

    `own` and `around` are the first and the last instant of its own records, and of those that it
    reads, so that what reaches over a midnight is known.
    """

    study: Study
    wearer: Wearer
    month: str | None
    own: Span
    around: Span


@dataclass(frozen=True, slots=True)
class MonthOutcome:
    """The outcome of a part."""

    account: str
    month: str | None
    state: str  # done, unchanged or failed
    days: int = 0
    inputs: str = ""
    reason: str = ""
    has_rows: bool = False
    left_out: tuple[str, ...] = ()  # fields that say where the wearer was
    rows: pd.DataFrame | None = None  # not yet with account and covariates


def plan(
    study: Study, wearer: Wearer, first: datetime | None, last: datetime | None
) -> list[WearerMonth]:
    """Return the parts of one wearer within the requested range, in order."""
    if wearer.tz.vary:
        stored = months(place_of(study.archive), study.log, wearer.account)
        edges = [_utc(us) for name in stored for us in month_edges(name)]
        return _whole(study, wearer, _clip((edges[0], edges[-1]), first, last)) if edges else []
    lived = _months_lived(study, wearer)
    if not lived:
        return []
    place = as_tzinfo(wearer.tz)
    spans = {m: tuple(study.opens(day, place) for day in _month_days(m)) for m in lived}
    if study.function is not None:
        return _whole(study, wearer, _clip((spans[lived[0]][0], spans[lived[-1]][1]), first, last))
    parts, reach = [], AROUND + timedelta(seconds=study.limits.seconds("min_run"))
    for month, (opens, closes) in spans.items():
        own = _clip((opens, closes), first, last)
        around = _clip((opens - reach, closes + reach), first, last)
        if own[0] <= own[1]:
            parts.append(WearerMonth(study, wearer, month, own, around))
    return parts


def _whole(study: Study, wearer: Wearer, span: Span) -> list[WearerMonth]:
    """Return the one part of a wearer whose range is not cut, unless it is empty."""
    return [WearerMonth(study, wearer, None, span, span)] if span[0] <= span[1] else []


def _clip(span: Span, first: datetime | None, last: datetime | None) -> Span:
    opens = span[0] if first is None else max(span[0], first)
    closes = span[1] if last is None else min(span[1], last)
    return opens, closes


def _months_lived(study: Study, wearer: Wearer) -> list[str]:
    """Return the local months in whose days a wearer can have records, in order."""
    place, lived = as_tzinfo(wearer.tz), set()
    earlier = DAY if study.day_starts else 0 * DAY  # a night belongs to the date before it
    for name in months(place_of(study.archive), study.log, wearer.account):
        first = datetime.fromisoformat(f"{name}-01").replace(tzinfo=UTC)
        after = (first + 31 * DAY).replace(day=1)
        for instant in (first - earlier, first, after - SECOND):
            lived.add(f"{instant.astimezone(place):%Y-%m}")
    return sorted(lived)


def _utc(us: int) -> datetime:
    return datetime.fromtimestamp(us / 1e6, UTC)


def _month_days(month: str) -> tuple[date, date]:
    """Return the first day of a month and of the next one."""
    first = date.fromisoformat(f"{month}-01")
    return first, (first + 31 * DAY).replace(day=1)


def compute(part: WearerMonth) -> MonthOutcome:
    """Compute one part, unless the result has it from the same input already."""
    wearer = part.wearer
    try:
        return _computed(part)
    except Exception as error:  # noqa: BLE001 - of whatever kind, it is this wearer's alone
        kind = "" if isinstance(error, EyelogError) else f"{type(error).__name__}: "
        reason = f"{kind}{error}"
        return MonthOutcome(wearer.account, part.month, "failed", reason=" ".join(reason.split()))


def _computed(part: WearerMonth) -> MonthOutcome:
    study, account, month = part.study, part.wearer.account, part.month
    out = study.out
    made = _made(part) if out is not None else None
    if out is not None and made is not None:
        old = out.made(account, month)
        if old is not None and _same(old, made, part):
            return MonthOutcome(account, month, "unchanged", old.days, _inputs(part), has_rows=True)
    frame = _read(part)
    if not len(frame) or not _reaches_into(part, frame):
        return MonthOutcome(account, month, "done")
    rows, days, left_out = (_of_days if study.function is None else _of_function)(part, frame)
    rows = of_cohort(rows, study)
    done = MonthOutcome(
        account, month, "done", days, _inputs(part), has_rows=len(rows) > 0, left_out=left_out
    )
    if out is None or made is None:
        return replace(done, rows=rows)
    if done.has_rows:
        table = of_wearers([(part.wearer, rows)], study)
        out.write(account, month, table, replace(made, edges=_edges(part), days=days))
    return done


def _read(part: WearerMonth) -> pd.DataFrame:
    """Return the records that a part needs; for the daily summary, without a copy of them."""
    study, account, tz = part.study, part.wearer.account, part.wearer.tz
    if study.function is not None:
        return study.archive.read(
            study.log, *part.around, account=account, fields=study.fields, tz=tz
        )
    table = study.archive.read_arrow(study.log, *part.around, account=account, fields="daily")
    return in_zones(frame_of(table, tz.home, share=True), tz)


def _reaches_into(part: WearerMonth, frame: pd.DataFrame) -> bool:
    """Return whether there may be records of the part's own month, not only around it.

    The record that closes the month before is often the only one in the file of a month.
    """
    if part.month is None:
        return True
    place = as_tzinfo(part.wearer.tz)
    opens, closes = (part.study.opens(day, place) for day in _month_days(part.month))
    return bool(frame.index[-1] > opens and frame.index[0] <= closes)


def _of_days(part: WearerMonth, frame: pd.DataFrame) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Return the days of the month, each complete, and their number."""
    study = part.study
    table = daily(frame, log=study.log, limits=study.limits, day_starts=study.day_starts)
    table.attrs = {}  # pandas copies it at each access of a column
    if part.month is not None:
        first, after = map(pd.Timestamp, _month_days(part.month))
        table = table[(table.index >= first) & (table.index < after)]
    return table, len(table), ()


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
        levels = [_without_zone(level, level.name in LOCAL_DATES) for level in _levels(table.index)]
        table.index = pd.MultiIndex.from_arrays(levels) if len(levels) > 1 else levels[0]
    table.attrs = {}
    return table


def _levels(index: pd.Index) -> list[pd.Index]:
    return [index.get_level_values(place) for place in range(index.nlevels)]


def of_wearers(tables: Sequence[tuple[Wearer, pd.DataFrame]], study: Study) -> pd.DataFrame:
    """Return the rows of all tables with account and covariates.

    The index is made once: `pandas.concat` would unite the indexes of the tables one by one.
    """
    first = tables[0][1]
    names = first.index.names
    if any(table.index.names != names for _, table in tables):
        return pd.concat([of_wearers([each], study) for each in tables])
    lengths = [len(table) for _, table in tables]
    accounts = np.array([wearer.account for wearer, _ in tables], dtype=object)
    index = pd.Index(accounts.repeat(lengths), dtype="str", name="account")
    if first.index.names != [None]:  # it has an index of its own
        columns = zip(*(_levels(table.index) for _, table in tables), strict=True)
        levels = [level.append(list(others)) for level, *others in columns]
        index = pd.MultiIndex.from_arrays([index, *levels], names=["account", *names])
    rows = pd.concat([table for _, table in tables], ignore_index=True).set_axis(index)
    for name, dtype in study.covariates.items():
        each = [[dict(wearer.covariates)[name]] * len(table) for wearer, table in tables]
        rows[name] = pd.array(list(chain.from_iterable(each)), dtype=dtype)
    return rows


def _without_zone(level: pd.Index, local: bool) -> pd.Index:
    """Return stamps as those of wearers in several zones: local dates, or stamps in UTC."""
    if not isinstance(level, pd.DatetimeIndex) or level.tz is None:
        return level
    return level.tz_localize(None).normalize() if local else level.tz_convert("UTC")


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


def _made(part: WearerMonth) -> Made:
    """Return what the part is computed from, before anything is read."""
    study, wearer = part.study, part.wearer
    place = place_of(study.archive)

    def key(span: tuple[int, int]) -> str:
        return _digest(fingerprint(place, study.log, wearer.account, span))

    arguments = _digest(
        study.version,
        study.function_key,
        study.log,
        repr(wearer.tz),
        study.tz,
        [(name, repr(value)) for name, value in wearer.covariates],
        [instant.isoformat() for instant in (*part.own, *part.around)],
        study.fields,
        study.limits.details(),
        study.day_starts,
        None if study.meta is None else study.meta.dtypes.astype(str).to_dict(),
    )
    files = key(_us(part.around))
    months = files if part.month is None else key(month_edges(part.month))
    return Made(arguments, files, months, edges="", days=0)


def _same(old: Made, new: Made, part: WearerMonth) -> bool:
    """Return whether the rows of a file are still those that would be computed.

    Where only a neighbouring month has grown, the records around the month decide.
    """
    if old.arguments != new.arguments or old.months != new.months:
        return False
    return old.files == new.files or (part.month is not None and old.edges == _edges(part))


def _edges(part: WearerMonth) -> str:
    """Return a digest of the records that are read from the files of other months."""
    if part.month is None:
        return ""
    study, edges = part.study, []
    low, high = (_utc(us) for us in month_edges(part.month))
    opens, closes = part.around
    for first, last in ((opens, min(low - SECOND, closes)), (max(high, opens), closes)):
        if first <= last:
            frame = study.archive.read(
                study.log,
                first,
                last,
                account=part.wearer.account,
                fields=study.fields,
                tz="UTC",
            )
            edges.append(pd.util.hash_pandas_object(frame).to_numpy().tobytes().hex())
    return _digest(edges)


def _inputs(part: WearerMonth) -> str:
    """Return a digest of the files that the part's own records are in."""
    study, account = part.study, part.wearer.account
    place, span = place_of(study.archive), _us(part.own)
    return _digest(fingerprint(place, study.log, account, (span[0], span[1] - SECOND_US)))


def _us(span: Span) -> tuple[int, int]:
    return instant_us(span[0]), instant_us(span[1]) + SECOND_US


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()
