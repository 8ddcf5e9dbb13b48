"""The facts of one wearer's report: page one, sections, figures and method read nothing else."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from functools import cache, cached_property, partial
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np
import pandas as pd

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, columns, log_named, summarised
from eyelog.clock import (
    LocalClock,
    days_with_records,
    instant_range,
    local_days,
    microseconds,
    time_of_day,
)
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.week import FULL_DAY_H
from eyelog.frame import (
    KEY,
    OFFSET,
    OWN_COLUMNS,
    clock_of,
    in_pandas,
    is_resampled,
    log_of,
    one_source,
    stamps,
    stated_account,
    zones_of,
)
from eyelog.judge.arrays import Bools, numbers
from eyelog.judge.limits import DEFAULT, Limits, chosen_limits, limit
from eyelog.measure.gait import peak_cadences
from eyelog.reports.findings import COLUMNS, Findings, findings
from eyelog.reports.parts import Empty
from eyelog.series.inference import Median, median

COUNTED_WORN_H: Final = limit(COMPUTED_DATA, "counted_day").value
# For each log, the recipe whose losses are most informative about the eyes.
RECIPE: Final = {COMPUTED_DATA: "mind", STANDARD_MODE_LOGS: "eye"}
PURPOSE: Final = {"mind": "scores", "eye": "eye movements"}
# Control characters and lone surrogates, which pages and figures cannot contain, and marks that
# would reverse the direction of the text after a name.
UNWRITABLE: Final = ("Cc", "Cs", "Cn", "Zl", "Zp")
TURNING: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Details of a history that are text and do not name a person, file or place.
SPOKEN: Final = (
    *("step", "start", "end", "tz", "every", "stamp", "wear", "fields", "limits"),
    *("recipe", "allow", "off_pose", "closing_alone"),
)
NUMBERS: Final = (int, float, type(None))  # what else of a history names nobody
# The busiest minutes of a day by how many they are
PEAKS: Final[Mapping[str, int]] = MappingProxyType(
    {f"Busiest {n} min (steps per min)".replace(" 1 min", " minute"): n for n in (1, 30, 60)}
)
# The 60-second log first: the eyewear keeps it while no phone is near, so it has fewer gaps.
ORDER: Final = (STANDARD_MODE_LOGS, COMPUTED_DATA)
# What the facts keep: several parts of a page read it
KEPT: Final = ("hours", "reasons", "masked", "attrition", "days", "counted", "quantities", "usual")


@dataclass(eq=False)
class Logs:
    """The facts of a report: one log or both of one wearer, each table made when it is needed.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        The frame of each log.
    name : str
        The wearer's name in the report; empty if unknown.
    limits : Limits
        What counts as worn, noisy, walking, in pose, and as a day that counts.
    single : DataFrame, optional
        The rows of the 20 Hz log.
    derived : collection of str
        The logs whose frames were made from these rows.
    earlier : mapping of str to DataFrame, optional
        The frames of the days before, with which these days are compared.
    day_starts : str, optional
        When a day starts, by default at midnight.
    """

    frames: Mapping[str, pd.DataFrame]
    name: str
    limits: Limits = DEFAULT
    single: pd.DataFrame | None = None
    derived: Collection[str] = ()
    earlier: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    day_starts: str | None = None

    def __post_init__(self) -> None:
        self.frames = {log: self.frames[log] for log in ORDER if log in self.frames}
        self.lead = next(iter(self.frames))  # the log that figures show if both could be shown
        self.border = self.day_starts or "midnight"
        self.counted_h = self.limits.seconds("min_day") / 3600.0  # worn so long, a day counts
        self.options: dict[str, Any] = {"limits": self.limits, "day_starts": self.day_starts}
        for name in KEPT:
            setattr(self, name, cache(getattr(self, name)))

    # What was recorded, and when.

    def clock(self, log: str) -> LocalClock:
        """Return the clock that shows the dates of a log's days."""
        frame = self.frames[log]
        index = stamps(frame, what="report")
        return clock_of(frame, log=log).set_back(self.day_starts, microseconds(index))

    @cached_property
    def zone(self) -> str:
        """The zone whose days are reported, in words where it varies."""
        frame = self.frames[self.lead]
        return "local time" if OFFSET in frame else str(stamps(frame, what="report").tz)

    @cached_property
    def calendar(self) -> pd.DatetimeIndex:
        """Each local day from the first record of either log to the last, as in the tables."""
        days = [_days_of(frame, self.clock(log)) for log, frame in self.frames.items()]
        return pd.date_range(
            min(of_log[0] for of_log in days), max(of_log[-1] for of_log in days), freq="D"
        )

    @property
    def called(self) -> list[str]:
        """What the logs are called in the head of the report."""
        made = [
            f"{LOG_WORDS[log]} made from it" if log in self.derived else LOG_WORDS[log]
            for log in self.frames
        ]
        return made if self.single is None else [LOG_WORDS[log_of(self.single)], *made]

    def of_blinks(self, log: str) -> tuple[pd.DataFrame, str]:
        """Return the best frame for the blinks of a log, and what it is called."""
        if log in self.derived and self.single is not None:
            return self.single, LOG_WORDS[log_of(self.single)]
        return self.to_summarise(log), LOG_WORDS[log]

    def to_summarise(self, log: str) -> pd.DataFrame:
        """Return the frame that summaries take: already judged, unless wear is read from blinks.

        Blinks that show wear count as such even where they are masked.
        """
        return self.frames[log] if self.limits.wear == "blinks" else self.masked(log)

    # What was lost.

    def hours(self, log: str) -> pd.DataFrame:
        """Return recorded, worn, usable and walking hours of every day, including empty ones."""
        return el.coverage(self.frames[log], **self.options)

    @cached_property
    def totals(self) -> dict[str, float]:
        """The hours worn, usable and walking in the leading log, missing if nothing shows them."""
        table = self.hours(self.lead)[["worn_h", "valid_h", "walking_h"]]
        return {str(name): float(total) for name, total in table.sum(min_count=1).items()}

    def reasons(self, log: str) -> pd.DataFrame:
        """Return the reasons against each value."""
        return el.flag(self.frames[log], limits=self.limits)

    def reasons_of_fields(self, log: str) -> pd.DataFrame:
        """Return the reasons against the values of fields alone."""
        table = self.reasons(log)
        fields = [name for name in table.columns if name not in OWN_COLUMNS]
        return table if len(fields) == len(table.columns) else table[fields]

    def masked(self, log: str) -> pd.DataFrame:
        """Return the values that are not flagged, judged once for all sections."""
        return el.mask(self.frames[log], self.reasons(log))

    def attrition(self, log: str, recipe: str) -> pd.DataFrame:
        """Return how many records each condition of a recipe removes."""
        return el.attrition(self.frames[log], recipe=recipe, limits=self.limits)

    # The days.

    def days(self, log: str) -> pd.DataFrame:
        """Return the daily summary; with blinks as counted one by one, if they were."""
        table = el.daily(self.to_summarise(log), **self.options)
        if log not in self.derived:
            return table
        counted = self.single_days
        names = [name for name in map(str, counted) if "blink" in name]
        return table.assign(**{name: counted[name].reindex(table.index) for name in names})

    @cached_property
    def single_days(self) -> pd.DataFrame:
        """The daily summary of the 20 Hz log."""
        if self.single is None:
            raise ConfigurationError("there is no 20 Hz log in this report")
        return el.daily(self.single, **self.options)

    def counted(self, log: str) -> pd.DataFrame:
        """Return the days that were worn long enough to represent the day."""
        table = self.days(log)
        return table[worn_for(table, self.counted_h)] if "worn_h" in table else table

    def require_days(self, log: str, needed: int = 1) -> int:
        """Return how many days count, or raise `Empty` if they are fewer than needed."""
        have, days = len(self.counted(log)), len(self.calendar)
        if have < needed:
            raise Empty(
                f"days worn for {self.counted_h:g} h or more: {have} of {days},"
                f" and it takes {needed}"
            )
        return have

    def with_column(self, name: str, otherwise: str) -> str:
        """Return the first log whose days have a column, or raise `Empty` for the reason given."""
        for log in self.frames:
            if name in self.days(log):
                return log
        raise Empty(otherwise)

    def quantities(self, log: str) -> pd.DataFrame:
        """Return what the counted days have a median of: their columns, and the busiest minutes."""
        table, frame = self.counted(log), self.to_summarise(log)
        if "steps" not in table:
            return table
        peaks = zip(PEAKS, peak_cadences(frame, PEAKS.values(), **self.options), strict=True)
        return table.assign(**{name: of["peak_spm"].reindex(table.index) for name, of in peaks})

    def usual(self, log: str, column: str) -> Median:
        """Return the median of the counted days, with its interval."""
        return median(self.quantities(log).get(column, pd.Series([])))

    # These days against the wearer's own.

    @cached_property
    def compared(self) -> pd.DataFrame:
        """The days of page one: the daily summary of the leading log, with the days before.

        Scores, which only the 15-second log has, are those of the days on which it was worn for
        long enough to count.
        """
        table = self._with_days_before(self.lead)
        for log in self.frames:
            scores = [name for name in COLUMNS if name not in table]
            other = self._with_days_before(log)
            if scores and "worn_h" in other:
                kept = other.loc[
                    worn_for(other, FULL_DAY_H), [name for name in scores if name in other]
                ]
                table = table.assign(**kept.reindex(table.index))
        return table

    def _with_days_before(self, log: str) -> pd.DataFrame:
        before, table = self.earlier.get(log), self.days(log)
        if before is None:
            return table
        earlier = el.daily(before, **self.options)
        joined: pd.DataFrame = pd.concat([earlier[earlier.index < self.calendar[0]], table])
        return joined

    @cached_property
    def findings(self) -> Findings:
        """What stands out in the counted days of the leading log."""
        table = self.compared
        if "worn_h" in table:
            table = table[worn_for(table, self.counted_h)]
        return findings(table, since=self.calendar[0])

    @cached_property
    def full(self) -> "pd.Series[bool]":
        """Which of these days, and of those before, were worn for long enough to be compared."""
        table = self.compared
        worn = table["worn_h"] if "worn_h" in table else pd.Series(np.nan, index=table.index)
        return worn >= FULL_DAY_H

    @cached_property
    def shown(self) -> "pd.Series[bool]":
        """Which of the days that are compared are days of the page."""
        index = self.compared.index
        return pd.Series(index >= self.calendar[0], index=index)

    @property
    def full_days(self) -> tuple[int, int]:
        """How many of these days, and of those before, were worn for long enough to be compared."""
        return int(self.full[self.shown].sum()), int(self.full[~self.shown].sum())

    @cached_property
    def looks(self) -> tuple[int, int]:
        """How many daily values could be compared, and how many are outside their range."""
        outside = [table["outside"] for table in self.findings.days.values()]
        return (
            sum(int(of.notna().sum()) for of in outside),
            sum(int(of.sum()) for of in outside),
        )

    @property
    def is_compared(self) -> bool:
        """Whether a daily value, or these days as a whole, could be compared with others."""
        periods = self.findings.periods.values()
        return self.looks[0] > 0 or any(np.isfinite(period.p) for period in periods)


def worn_for(table: pd.DataFrame, hours: float) -> Bools:
    """Return which days were worn for so many hours; those of unknown wear were not."""
    return np.asarray(numbers(table["worn_h"]) >= hours)


def _days_of(frame: pd.DataFrame, clock: LocalClock) -> pd.DatetimeIndex:
    """Return the local days with records, in order; a midnight alone does not make its day one."""
    index = stamps(frame, what="report")
    days = days_with_records(index, clock=clock)
    return days if len(days) else local_days(index, clock=clock)


def fields_reported(log: str) -> Sequence[str]:
    """Return the fields that a report takes: others would count among the values that were lost."""
    return columns(log) if log_named(log).numbers_packets else summarised(log)


def as_logs(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame] | Iterable[pd.DataFrame],
    *,
    name: str | None = None,
    limits: Limits | None = None,
    since: str | date | None = None,
    day_starts: str | None = None,
) -> Logs:
    """Return the logs that were passed, or raise if they cannot make one wearer's report.

    With `since`, a local day, the records before it are only compared with. Days start at
    midnight, or when `day_starts` says.

    Raises
    ------
    ConfigurationError
        If no frame was passed, a frame is empty or resampled, or the frames have different zones
        or wearers.
    MixedLogsError
        If two frames are of the same log, or a frame is not of the log it was passed as.
    """
    at = time_of_day(day_starts)
    by_log: dict[str, pd.DataFrame] = {}
    for stated, frame in _pairs(frames):
        log = log_of(frame, stated)
        if log in by_log:
            raise MixedLogsError(
                f"report takes one frame of each log, and two are {log!r}: join them first"
                " (pandas.concat), or report each alone"
            )
        by_log[log] = _reported(frame, log)
    chosen = chosen_limits(limits, next(iter(by_log.values()))) if by_log else DEFAULT
    packets = next((log for log in by_log if log_named(log).numbers_packets), None)
    rows = None if packets is None else by_log.pop(packets)
    derived = [] if rows is None or COMPUTED_DATA in by_log else [COMPUTED_DATA]
    by_log |= {log: el.recompute(cast(Any, rows), limits=chosen) for log in derived}
    if not by_log:
        raise ConfigurationError("report needs a frame of one log, or of both")
    by_log = {log: frame for log, frame in by_log.items() if len(frame)}
    if not by_log:
        if packets is None or rows is None or rows.empty:
            raise ConfigurationError("there are no records to report")
        raise ConfigurationError(
            f"there is nothing to report: the {len(rows):,} rows of the {LOG_WORDS[packets]} are"
            " not even one interval of 15 s"
        )
    every = [*by_log.values(), *([] if rows is None else [rows])]
    zones = {str(stamps(frame, what="report").tz) for frame in every}
    accounts = set(map(stated_account, every)) - {None}
    for what, found, advice in (
        ("in different zones", zones, "bring both into one, frame.tz_convert('Asia/Tokyo')"),
        ("of different wearers", accounts, "make one report for each"),
    ):
        if len(found) > 1:
            names = ", ".join(sorted(map(str, found)))
            raise ConfigurationError(f"the frames are {what} ({names}): {advice}")
    called = next(iter(accounts), None) if name is None else name
    if called is not None:
        # One line of text, without control characters and direction marks
        no = {c for c in str(called) if unicodedata.category(c) in UNWRITABLE or c in TURNING}
        called = " ".join("".join(" " if c in no else c for c in str(called)).split())
        under = partial(_under, name=called, hides=name is not None)
        by_log = {log: under(frame) for log, frame in by_log.items()}
        rows = None if rows is None else under(rows)
    earlier: dict[str, pd.DataFrame] = {}
    if since is not None:
        parts = {log: _cut(frame, since, at) for log, frame in by_log.items()}
        by_log = {log: after for log, (_, after) in parts.items() if len(after)}
        earlier = {log: before for log, (before, _) in parts.items() if len(before)}
        rows = None if rows is None else _cut(rows, since, at)[1]
        if not by_log:
            raise ConfigurationError(
                f"there are no records from {since} on, where the report begins"
            )
    return Logs(
        by_log,
        name=called or "",
        limits=chosen,
        single=rows,
        derived=derived,
        earlier=earlier,
        day_starts=day_starts,
    )


def _pairs(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame] | Iterable[pd.DataFrame],
) -> list[tuple[str | None, pd.DataFrame]]:
    if isinstance(frames, pd.DataFrame):
        return [(None, frames)]
    if isinstance(frames, Mapping):
        return [(log, in_pandas(frame)) for log, frame in frames.items()]
    try:
        return [(None, in_pandas(frame)) for frame in frames]
    except TypeError:
        raise ConfigurationError(
            "report takes a frame, or both logs as a list or {log: frame}, not a"
            f" {type(frames).__name__}"
        ) from None


def _reported(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return the fields of a frame that a report takes."""
    if is_resampled(frame):
        raise ConfigurationError(
            "report takes records, and this frame is resampled: pass the frame that it was made"
            " from"
        )
    one_source(frame, what="report")
    fields = set(fields_reported(log))
    own = [name for name in frame.columns if name in fields or name in OWN_COLUMNS]
    if len(frame) and fields.isdisjoint(own):
        raise ConfigurationError(
            f"the frame of the {LOG_WORDS[log]} has none of the fields that a report takes, such"
            f" as those of eyelog.fields({log!r}, of='daily')"
        )
    in_order = frame.index.is_monotonic_increasing
    return frame[own] if in_order else frame[own].sort_index()


def _cut(frame: pd.DataFrame, since: str | date, at: time) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the records before a local day, and from it on; midnight closes the day before."""
    index = stamps(frame, what="report")
    first = pd.Timestamp(instant_range(since, since, zones_of(frame), at=at)[0])
    return frame[index <= first], frame[index > first]


def _under(frame: pd.DataFrame, name: str, *, hides: bool) -> pd.DataFrame:
    """Return the frame under the name written in the report.

    A name that hides the account leaves of the history no detail that may contain one: numbers,
    stamps, zones and fields, but no paths, accounts or addresses.
    """
    entry = dict(frame.attrs.get(KEY, {}))
    if not hides and entry.get("account") in (None, name):
        return frame
    if hides:
        entry["history"] = [
            {key: of for key, of in step.items() if key in SPOKEN or isinstance(of, NUMBERS)}
            for step in entry.get("history", [])
        ]
    out = frame.copy(deep=False)
    out.attrs = {KEY: entry | {"account": name}}
    return out
