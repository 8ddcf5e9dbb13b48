"""Who takes part in a cohort, and its parts: one wearer and month, or one wearer's whole range.

The range of a wearer who travels is never cut. Where the clock goes back over midnight, each of two
months has a piece of the other; and how long a day of travel was depends on the last record before
the flight, however long ago that was.

A part carries everything that a worker needs, and answers with an outcome, never with an error.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog import clock
from eyelog.archive.export import LOCATION, names_location
from eyelog.archive.lists import fingerprint, months
from eyelog.archive.store import Archive, place_of
from eyelog.arrow_tables import frame_of, instant_us, month_edges
from eyelog.catalogue import check_log, needed
from eyelog.checks import names_of
from eyelog.clock import DAY, SECOND, Zone, Zones, as_tzinfo, as_zones, day_start, known_zones
from eyelog.cohort.dataset import Dataset
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, counted, warn
from eyelog.frame import empty, in_zones
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
class Wearer:
    """One wearer: the account, the zone of the days, and the row of the table of wearers."""

    account: str
    tz: Zones
    covariates: tuple[tuple[str, Any], ...] = ()
    absent: str = ""  # why there is nothing to read
    unknown: bool = False  # requested by name, but not in the archive

    @property
    def said(self) -> tuple[Any, ...]:
        """What the rows of the wearer depend on, as text."""
        covariates = [(name, repr(value)) for name, value in self.covariates]
        return self.account, repr(self.tz), covariates


def check_archive(archive: Any) -> Archive:
    """Return the archive, or raise `ConfigurationError` where something else was passed."""
    if not isinstance(archive, Archive):
        raise ConfigurationError(
            f"a cohort is read from an archive, not from a {type(archive).__name__}: pass"
            " el.Archive(path)"
        )
    return archive


def roster(
    archive: Archive,
    log: str,
    *,
    accounts: Iterable[str] | None,
    tz: Zone | None,
    wearers: pd.DataFrame | None,
) -> tuple[list[Wearer], Mapping[str, Any]]:
    """Return who is to be read, sorted by account, and their covariates with the dtypes.

    These are those requested, otherwise all in the archive and in the table.

    Raises
    ------
    ConfigurationError
        If a zone is unknown, or the table of wearers is not one row per account.
    ArchiveError
        If the archive cannot be listed, or has nothing of this log.

    Warns
    -----
    EyelogWarning
        If wearers are missing from the table.
    """
    check_log(log)
    given = None if tz is None else as_zones(tz, what="an archive")
    archived = set(archive.accounts(log))
    table = None if wearers is None else one_row_each(wearers)
    if accounts is None and not archived:
        raise ArchiveError(
            f"the archive {archive.path} has no {log!r}: write, import or sync into it"
        )
    wanted = archived | set(() if table is None else table.index)
    if accounts is not None:
        names = names_of(accounts, "accounts")
        if wrong := [name for name in names if not name or not _is_text(name)]:
            raise ConfigurationError(f"accounts must be names such as 'me', not {wrong[0]!r}")
        if not names:
            raise ConfigurationError("accounts names nobody: leave it out for all wearers")
        wanted = set(names)
    if table is not None and (missing := sorted(wanted - set(table.index))):
        shown = ", ".join(map(repr, missing[:10])) + (", ..." if len(missing) > 10 else "")
        warn(f"{len(missing)} wearer(s) without a row in the table of wearers: {shown}")
    people = pd.DataFrame(index=sorted(wanted)) if table is None else table.reindex(sorted(wanted))
    zones: dict[str, Zones | None] = {}
    rows: dict[str, dict[str, Any]] = {}
    for account in people.index:
        values = people.loc[account].to_dict()
        row = {name: None if pd.isna(value) else value for name, value in values.items()}
        rows[account] = row
        if row.get("tz") is not None:
            try:
                zones[account] = as_zones(str(row["tz"]), what="an archive")
            except EyelogError as error:
                raise ConfigurationError(f"the table of wearers, {account!r}: {error}") from None
        elif account in archived and given is None:
            zones[account] = archive.zones(account)
        else:
            zones[account] = given or Zones("UTC")
    unknown = [account for account in zones if zones[account] is None]
    if unknown:  # reported once for all of them
        others = f" and {counted(len(unknown) - 1, 'other account')}" if unknown[1:] else ""
        last = known_zones(
            None,
            whose=f"account {unknown[0]!r}{others}",
            remedy="set it with `eyelog archive set-zone ACCOUNT ZONE`, or pass tz='Asia/Tokyo'",
        )
        zones |= dict.fromkeys(unknown, last)
    chosen = []
    for account, row in rows.items():
        place = zones[account] or Zones("UTC")
        row |= {"tz": str(place)} if "tz" in row else {}
        absent = "" if account in archived else f"no {log} records in the archive"
        named = bool(absent) and accounts is not None
        chosen.append(Wearer(account, place, tuple(row.items()), absent, named))
    return chosen, dict(people.dtypes)


def _is_text(name: Any) -> bool:
    """Return whether a value is text that can be written into a file."""
    return isinstance(name, str) and name.encode(errors="ignore").decode() == name


def one_row_each(wearers: Any) -> pd.DataFrame:
    """Return the table of wearers indexed by account."""
    if not isinstance(wearers, pd.DataFrame):
        raise ConfigurationError(
            "wearers takes a DataFrame with one row per wearer and a column 'account', not"
            f" a {type(wearers).__name__}"
        )
    if "account" in wearers.columns:
        table = wearers.set_index("account")
    elif wearers.index.name == "account":
        table = wearers
    else:
        raise ConfigurationError("the table of wearers has no column 'account'")
    if not all(_is_text(str(account)) for account in table.index):
        raise ConfigurationError("the table of wearers has an account that is not valid text")
    index = table.index.astype("str")
    if table.index.hasnans or (index == "").any():
        raise ConfigurationError("the table of wearers has a row without an account")
    if index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise ConfigurationError(
            f"the table of wearers has several rows for {twice!r}: keep one row per wearer"
        )
    if not table.columns.is_unique or not all(isinstance(name, str) for name in table.columns):
        raise ConfigurationError("the columns of the table of wearers need one name each")
    return table.set_axis(index)


# The parts


@dataclass(frozen=True, slots=True)
class Study:
    """What all parts of a run have in common."""

    archive: Archive
    log: str
    _: KW_ONLY
    function: Callable[[pd.DataFrame], Any] | None = None  # None: the daily summary
    function_key: str = ""
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


def plan(study: Study, wearer: Wearer, asked: Span) -> list[WearerMonth]:
    """Return the parts of one wearer within the range that is asked for, in order."""
    place, starts = as_tzinfo(wearer.tz), clock.time_of_day(study.day_starts)
    stored = months(place_of(study.archive), study.log, wearer.account)
    edges = [tuple(datetime.fromtimestamp(us / 1e6, UTC) for us in month_edges(m)) for m in stored]
    if wearer.tz.vary or study.function is not None:
        whole = _clip(edges[0][0], edges[-1][1], asked) if edges else None
        return [] if whole is None else [WearerMonth(study, wearer, None, whole)]
    earlier = DAY if study.day_starts else 0 * DAY  # a night belongs to the date before it
    lived = {
        f"{instant.astimezone(place):%Y-%m}"
        for opens, closes in edges
        for instant in (opens - earlier, opens, closes - SECOND)
    }
    parts, reach = [], AROUND + timedelta(seconds=study.limits.seconds("min_run"))
    for month in sorted(lived):
        first = date.fromisoformat(f"{month}-01")
        after = (first + 31 * DAY).replace(day=1)
        opens, closes = (day_start(day, place, starts) for day in (first, after))
        around = _clip(opens - reach, closes + reach, asked)
        if around is not None and _clip(opens, closes, asked) is not None:
            parts.append(WearerMonth(study, wearer, month, around))
    return parts


def _clip(opens: datetime, closes: datetime, asked: Span) -> Span | None:
    """Return what of a span is asked for, if anything."""
    opens, closes = max(opens, asked[0]), min(closes, asked[1])
    return (opens, closes) if opens <= closes else None


def compute(part: WearerMonth) -> MonthOutcome:
    """Compute one part, unless the result has it from the same input already."""
    study, wearer, month = part.study, part.wearer, part.month
    outcome = MonthOutcome(wearer.account, month, "done")
    try:
        span = instant_us(part.around[0]), instant_us(part.around[1]) + SECOND_US
        files = digest(fingerprint(place_of(study.archive), study.log, wearer.account, span))
        made_from = digest(
            files,
            *(study.version, study.function_key, study.log, study.tz, study.fields),
            study.day_starts,
            study.limits.details(),
            None if study.meta is None else study.meta.dtypes.astype(str).to_dict(),
            wearer.said,
            part.month,
            [instant.isoformat() for instant in part.around],
        )
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
            rows = rows if month is None else rows.loc[month:month]  # each day is complete
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
        levels = [table.index.get_level_values(place) for place in range(table.index.nlevels)]
        for place, level in enumerate(levels):
            if isinstance(level, pd.DatetimeIndex) and level.tz is not None:
                local = level.name in LOCAL_DATES
                levels[place] = (
                    level.tz_localize(None).normalize() if local else level.tz_convert("UTC")
                )
        table.index = pd.MultiIndex.from_arrays(levels) if len(levels) > 1 else levels[0]
    table.attrs = {}
    return table


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
        levels = [rows.index.get_level_values(place) for place in range(rows.index.nlevels)]
        index = pd.MultiIndex.from_arrays([index, *levels], names=["account", *names])
    rows = rows.set_axis(index)
    for name, dtype in study.covariates.items():
        values = np.empty(len(tables), dtype=object)
        values[:] = [dict(wearer.covariates)[name] for wearer, _ in tables]
        rows[name] = pd.array(values.repeat(lengths), dtype=dtype)
    return rows


def _of_function(
    part: WearerMonth, frame: pd.DataFrame
) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Return the result of the function for the wearer's frame, days read, and columns left out.

    A table is the result as it is, a named result one row, and a number one value.
    """
    study = part.study
    result = cast(Callable[[pd.DataFrame], Any], study.function)(frame)
    days = len(clock.days_with_records(cast(pd.DatetimeIndex, frame.index)))
    if isinstance(result, tuple) and hasattr(result, "_asdict"):
        result = result._asdict()
    elif isinstance(result, bool | int | float | str | np.generic):
        result = {"value": result}
    is_series = isinstance(result, pd.Series) and not isinstance(result.index, pd.DatetimeIndex)
    table = result
    if is_series or isinstance(result, Mapping):
        table = pd.DataFrame({str(name): [value] for name, value in result.items()})
    elif not isinstance(result, pd.DataFrame):
        raise ConfigurationError(
            f"the function returned a {type(result).__name__}: return a table, a named result or a"
            " number"
        )
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


def no_rows(study: Study) -> pd.DataFrame:
    """Return the table of a cohort without days, in the shape of every other."""
    tz = "UTC" if study.tz is None else study.tz
    nobody = Wearer("", Zones(tz), tuple((name, None) for name in study.covariates))
    if study.function is None:
        frame = empty(study.log, tz=tz, names=needed("daily", log=study.log))
        table = daily(frame, log=study.log, limits=study.limits, day_starts=study.day_starts)
    else:
        table = pd.DataFrame() if study.meta is None else study.meta.copy(deep=False)
    return of_wearers([(nobody, of_cohort(table, study))], study)
