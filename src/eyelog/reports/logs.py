"""What a report is about: the logs of one wearer, and the tables that several sections read."""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, time
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.analysis.series.inference import Median, median
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
from eyelog.figures.week import FULL_DAY_H
from eyelog.frame import (
    OFFSET,
    OWN_COLUMNS,
    clock_of,
    in_pandas,
    is_resampled,
    log_of,
    one_source,
    stamps,
    zones_of,
)
from eyelog.judge.flag import flag, mask
from eyelog.judge.limits import DEFAULT, Limits, chosen_limits, limit
from eyelog.judge.recipes import attrition
from eyelog.measure.coverage import coverage
from eyelog.measure.daily import daily, weekly
from eyelog.measure.events20 import recompute
from eyelog.measure.resample import resample
from eyelog.provenance import KEY
from eyelog.reports.findings import COLUMNS, Findings, findings

COUNTED_WORN_H: Final = limit(COMPUTED_DATA, "counted_day").value
# Control characters and lone surrogates, which pages and figures cannot contain, and marks that
# would reverse the direction of the text after a name.
UNWRITABLE: Final = ("Cc", "Cs", "Cn", "Zl", "Zp")
TURNING: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Details of a history that are text and do not name a person, file or place.
SPOKEN: Final = (
    *("step", "start", "end", "tz", "every", "stamp", "wear", "fields", "limits"),
    *("recipe", "allow", "off_pose", "closing_alone"),
)
# The 60-second log first: the eyewear keeps it while no phone is near, so it has fewer gaps.
ORDER: Final = (STANDARD_MODE_LOGS, COMPUTED_DATA)


class Logs:
    """One log or both of one wearer; each table is made when it is first needed.

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

    def __init__(
        self,
        frames: Mapping[str, pd.DataFrame],
        *,
        name: str,
        limits: Limits = DEFAULT,
        single: pd.DataFrame | None = None,
        derived: Collection[str] = (),
        earlier: Mapping[str, pd.DataFrame] = MappingProxyType({}),
        day_starts: str | None = None,
    ) -> None:
        self.frames = {log: frames[log] for log in ORDER if log in frames}
        self.earlier, self.day_starts = earlier, day_starts
        self.single, self.derived = single, frozenset(derived)
        self.name, self.limits = name, limits
        self._made: dict[tuple[str, str], pd.DataFrame] = {}
        self._usual: dict[tuple[str, str], Median] = {}

    @property
    def lead(self) -> str:
        """The log that figures show if both could be shown."""
        return next(iter(self.frames))

    @property
    def counted_h(self) -> float:
        """The hours of wear from which on a day counts."""
        return self.limits.seconds("min_day") / 3600.0

    @property
    def border(self) -> str:
        """When a day ends and the next one starts, in words."""
        return self.day_starts or "midnight"

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

    def days(self, log: str) -> pd.DataFrame:
        """Return the daily summary."""
        return self._once("days", log, lambda _: self._daily(log))

    def _daily(self, log: str) -> pd.DataFrame:
        """Return the daily summary; with blinks as counted one by one, if they were."""
        table = daily(self.to_summarise(log), limits=self.limits, day_starts=self.day_starts)
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
        return daily(self.single, limits=self.limits, day_starts=self.day_starts)

    def of_blinks(self, log: str) -> tuple[pd.DataFrame, str]:
        """Return the best frame for the blinks of a log, and what it is called."""
        if log in self.derived and self.single is not None:
            return self.single, log_named(log_of(self.single)).words
        return self.to_summarise(log), log_named(log).words

    @property
    def called(self) -> list[str]:
        """What the logs are called in the head of the report."""
        made = [
            f"{log_named(log).words} made from it" if log in self.derived else log_named(log).words
            for log in self.frames
        ]
        return made if self.single is None else [log_named(log_of(self.single)).words, *made]

    def weeks(self, log: str) -> pd.DataFrame:
        """Return the weekly summary of the counted days."""
        options: dict[str, Any] = {"limits": self.limits, "day_starts": self.day_starts}
        return self._once("weeks", log, lambda _: weekly(self.to_summarise(log), **options))

    def counted(self, log: str) -> pd.DataFrame:
        """Return the days that were worn long enough to represent the day."""
        return self._once("counted", log, lambda _: self._counted(log))

    def _counted(self, log: str) -> pd.DataFrame:
        table = self.days(log)
        if "worn_h" not in table:
            return table
        return table[numbers(table["worn_h"]) >= self.counted_h]

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
                counts = numbers(other["worn_h"]) >= FULL_DAY_H
                kept = other.loc[counts, [name for name in scores if name in other]]
                table = table.assign(**kept.reindex(table.index))
        return table

    def _with_days_before(self, log: str) -> pd.DataFrame:
        before, table = self.earlier.get(log), self.days(log)
        if before is None:
            return table
        options: dict[str, Any] = {"limits": self.limits, "day_starts": self.day_starts}
        earlier = self._once("before", log, lambda _: daily(before, **options))
        joined: pd.DataFrame = pd.concat([earlier[earlier.index < table.index[0]], table])
        return joined

    @cached_property
    def findings(self) -> Findings:
        """What stands out in the counted days of the leading log."""
        table = self.compared
        if "worn_h" in table:
            table = table[numbers(table["worn_h"]) >= self.counted_h]
        return findings(table, since=self.days(self.lead).index[0])

    def usual(self, log: str, column: str) -> Median:
        """Return the median of the counted days, with its interval."""
        if (log, column) not in self._usual:
            table = self.counted(log)
            values = table[column] if column in table else pd.Series([])
            self._usual[log, column] = median(values)
        return self._usual[log, column]

    def hours(self, log: str) -> pd.DataFrame:
        """Return recorded, worn, usable and walking hours of every day, including empty ones."""
        options: dict[str, Any] = {"limits": self.limits, "day_starts": self.day_starts}
        return self._once("hours", log, lambda frame: coverage(frame, **options))

    def reasons(self, log: str) -> pd.DataFrame:
        """Return the reasons against each value."""
        return self._once("reasons", log, lambda frame: flag(frame, limits=self.limits))

    def reasons_of_fields(self, log: str) -> pd.DataFrame:
        """Return the reasons against the values of fields alone."""
        table = self.reasons(log)
        fields = [name for name in table.columns if name not in OWN_COLUMNS]
        return table if len(fields) == len(table.columns) else table[fields]

    def masked(self, log: str) -> pd.DataFrame:
        """Return the values that are not flagged, judged once for all sections."""
        return self._once("masked", log, lambda frame: mask(frame, self.reasons(log)))

    def attrition(self, log: str, recipe: str) -> pd.DataFrame:
        """Return how many records each condition of a recipe removes."""
        return self._once(
            f"attrition of {recipe}",
            log,
            lambda frame: attrition(frame, recipe=recipe, limits=self.limits),
        )

    def to_summarise(self, log: str) -> pd.DataFrame:
        """Return the frame that summaries take: already judged, unless wear is read from blinks.

        Blinks that show wear count as such even where they are masked.
        """
        return self.frames[log] if self.limits.wear == "blinks" else self.masked(log)

    def bins(self, log: str, every: str) -> pd.DataFrame:
        """Return the bins of one width."""
        options: dict[str, Any] = {"limits": self.limits, "min_coverage": 0.5}
        return self._once(every, log, lambda _: resample(self.to_summarise(log), every, **options))

    def _once(
        self, what: str, log: str, make: Callable[[pd.DataFrame], pd.DataFrame]
    ) -> pd.DataFrame:
        if (what, log) not in self._made:
            self._made[what, log] = make(self.frames[log])
        return self._made[what, log]


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
    frames_by_log: dict[str, pd.DataFrame] = {}
    single: dict[str, pd.DataFrame] = {}
    for stated, frame in _pairs(frames):
        log = log_of(frame, stated)
        if log in frames_by_log or log in single:
            raise MixedLogsError(
                f"report takes one frame of each log, and two are {log!r}: join them first"
                " (pandas.concat), or report each alone"
            )
        if is_resampled(frame):
            raise ConfigurationError(
                "report takes records, and this frame is resampled: pass the frame that it was"
                " made from"
            )
        one_source(frame, what="report")
        fields = set(fields_reported(log))
        own = [name for name in frame.columns if name in fields or name in OWN_COLUMNS]
        if len(frame) and fields.isdisjoint(own):
            raise ConfigurationError(
                f"the frame of the {log_named(log).words} has none of the fields that a report"
                f" takes, such as those of eyelog.fields({log!r}, of='daily')"
            )
        (single if log_named(log).numbers_packets else frames_by_log)[log] = frame[own]
    chosen = next(
        (chosen_limits(limits, frame) for frame in (*frames_by_log.values(), *single.values())),
        DEFAULT,
    )
    derived = _derive(frames_by_log, single, chosen)
    rows = next(iter(single.values()), None)
    if not frames_by_log:
        raise ConfigurationError("report needs a frame of one log, or of both")
    empty = [log for log, frame in frames_by_log.items() if frame.empty]
    if len(empty) == len(frames_by_log):
        if rows is None or rows.empty:
            raise ConfigurationError("there are no records to report")
        words = log_named(next(iter(single))).words
        raise ConfigurationError(
            f"there is nothing to report: the {len(rows):,} rows of the {words} are not even one"
            " interval of 15 s"
        )
    for log in empty:
        del frames_by_log[log]
    every = (*frames_by_log.values(), *single.values())
    zones = {str(stamps(frame, what="report").tz) for frame in every}
    if len(zones) > 1:
        raise ConfigurationError(
            f"the frames are in different zones ({', '.join(sorted(zones))}): bring both into one,"
            " frame.tz_convert('Asia/Tokyo')"
        )
    accounts = {
        account
        for frame in every
        if (account := frame.attrs.get(KEY, {}).get("account")) is not None
    }
    if len(accounts) > 1:
        raise ConfigurationError(
            f"the frames are of different wearers ({', '.join(sorted(accounts))}): make one report"
            " for each"
        )
    earlier: dict[str, pd.DataFrame] = {}
    if since is not None:
        frames_by_log, earlier = _split(frames_by_log, since, at)
        rows = None if rows is None else _cut(rows, since, at)[1]
    called = next(iter(accounts), None) if name is None else name
    if called is not None:
        called = _one_line(str(called))
    if called is not None:
        under = _called if name is None else _renamed
        frames_by_log = {log: under(frame, called) for log, frame in frames_by_log.items()}
        rows = None if rows is None else under(rows, called)
        earlier = {log: under(frame, called) for log, frame in earlier.items()}
    return Logs(
        frames_by_log,
        name=called or "",
        limits=chosen,
        single=rows,
        derived=derived,
        earlier=earlier,
        day_starts=day_starts,
    )


def _split(
    frames: Mapping[str, pd.DataFrame], since: str | date, at: time
) -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]:
    """Return the records from a local day on, and those before it, of each log that has any."""
    parts = {log: _cut(frame, since, at) for log, frame in frames.items()}
    later = {log: after for log, (_, after) in parts.items() if len(after)}
    if not later:
        raise ConfigurationError(f"there are no records from {since} on, where the report begins")
    return later, {log: before for log, (before, _) in parts.items() if len(before)}


def _cut(frame: pd.DataFrame, since: str | date, at: time) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the records before a local day, and from it on; midnight closes the day before."""
    index = stamps(frame, what="report")
    first = pd.Timestamp(instant_range(since, since, zones_of(frame), at=at)[0])
    return frame[index <= first], frame[index > first]


def _derive(
    frames: dict[str, pd.DataFrame], single: Mapping[str, pd.DataFrame], limits: Limits
) -> list[str]:
    """Add the 15-second log made from single rows, unless it was passed; return what was added."""
    if COMPUTED_DATA in frames:
        return []
    for rows in single.values():
        frames[COMPUTED_DATA] = recompute(rows, limits=limits)
        return [COMPUTED_DATA]
    return []


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


def _one_line(name: str) -> str:
    """Return a name as one line of text: without control characters and direction marks."""
    kept = (" " if unicodedata.category(c) in UNWRITABLE or c in TURNING else c for c in name)
    return " ".join("".join(kept).split())


def _called(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the frame under the name written in the report, with its history unchanged."""
    entry = dict(frame.attrs.get(KEY, {}))
    if entry.get("account") in (None, name):
        return frame
    out = frame.copy(deep=False)
    out.attrs = {KEY: entry | {"account": name}}
    return out


def _renamed(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the frame under another name, its history without details that may contain a name."""
    out = frame.copy(deep=False)
    entry = dict(frame.attrs.get(KEY, {}))
    entry["account"] = name
    entry["history"] = [_nameless(step) for step in entry.get("history", [])]
    out.attrs = {KEY: entry}
    return out


def _nameless(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step with numbers, stamps, zones and fields, but no paths, accounts or addresses."""
    return {
        key: value
        for key, value in step.items()
        if key in SPOKEN or isinstance(value, int | float | None)
    }
