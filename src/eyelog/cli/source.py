"""Where a command's records come from: one rule for all commands.

Files given: those files. An archive given, or records of the account in the default archive: the
archive. Otherwise the service. One line on stderr says which it was.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from eyelog.catalogue import LOGS, check_log, check_served, either_log, known_logs, near
from eyelog.cli.output import note
from eyelog.errors import ConfigurationError, counted, listed, warn
from eyelog.home import matching

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.archive.store import Archive
    from eyelog.clock import Zones

ALL: Final = "all"
_DAY: Final = re.compile(r"\d{4}-\d\d?-\d\d?(T\S+)?")

Origin = tuple["dict[str, pd.DataFrame]", str]  # the frames by log, and where from in words


def open_archive(path: str | None) -> "Archive":
    """Return the archive of the option ``--archive``, by default that of the home."""
    from eyelog.archive.store import Archive

    return Archive(path or None)


def zones_or_none(tz: str | None, archive: str | None, account: str) -> "Zones | str | None":
    """Return the zones for asking the service: the option's, or those that the archive knows."""
    return tz if tz is not None else open_archive(archive).zones(account)


@dataclass(frozen=True)
class Files:
    """Whose files they are, and how they are written.

    Parameters
    ----------
    account : A
        Whose records.  [default: me]
    """

    wearer: str | None = None
    device: str | None = None
    clock: Literal["first", "last"] | None = None
    dayfirst: bool | None = None
    encoding: str | None = None
    account: str | None = None
    tz: str | None = None

    def events(self, path: Path | None, frame: "pd.DataFrame") -> "pd.DataFrame | None":
        """Return the diary in a file, if one is given; its times are local to the frame's zone."""
        from eyelog.frame import zones_of
        from eyelog.read.diary import read_events

        if path is None:
            return None
        zones, dayfirst = zones_of(frame), self.dayfirst
        return read_events(path, tz=zones, dayfirst=dayfirst, encoding=self.encoding)


@dataclass(frozen=True)
class Source(Files):
    """The records that a command line names, and how its files are written.

    Parameters
    ----------
    words : {FILE... | LOG} [START END]
    archive : DIR
        Read this archive.  [default: that in EYELOG_HOME, if it has the account]
    """

    words: tuple[str, ...] = ()
    log: str | None = None
    archive: str | None = None
    offline: bool = False
    refresh: bool = False

    def read(self) -> "pd.DataFrame":
        """Return the frame of the one log that is named."""
        frames = self.read_logs(both=False)
        if len(frames) > 1:
            raise ConfigurationError(f"these files have several logs: add --log {either_log(str)}")
        return next(iter(frames.values()))

    def read_logs(
        self,
        fields: Callable[[str], Iterable[str]] | None = None,
        *,
        both: bool = True,
        days_before: int = 0,
    ) -> "dict[str, pd.DataFrame]":
        """Return the frames, by log; if `both`, of both logs where the words name none.

        `fields` returns the fields of a log that are enough; only an archive can leave the others
        out. `days_before` are read beside the range, from files and an archive.
        """
        from eyelog.clock import DAY, parse_day

        paths, logs = self._named(both=both)
        start, end = opens, _ = self.days
        asks = self.offline or self.refresh
        if start is not None and days_before and not asks:
            opens = str(parse_day(start[:10]) - days_before * DAY)
        if paths:
            found: Origin | None = self._from_files(paths, opens, end)
        else:
            found = None if asks else self._from_archive(logs, opens, end, fields)
        frames, origin = found or self.from_service(logs, start, end)
        for log, frame in frames.items() if both or len(frames) == 1 else ():
            asked = frame if opens == start else _between(frame, start, end)
            said = said_of(log, asked, origin, zone_given=self.tz is not None)
            earlier = f" Compared with the days from {opens} on." if len(asked) < len(frame) else ""
            note(said + earlier)
        return frames

    @property
    def days(self) -> tuple[str | None, str | None]:
        """The range that is asked for: the last two words, if they are days."""
        days = [*takewhile(_is_day, reversed(self.words[-2:]))][::-1]
        if len(days) == 1:
            raise click.UsageError("a range has a first and a last day: for one day, give it twice")
        return (days[0], days[1]) if days else (None, None)

    def _named(self, *, both: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the paths or the logs that the words name."""
        words = self.words if self.days[0] is None else self.words[:-2]
        names = (*known_logs(), ALL) if both else known_logs()
        asks = self.offline or self.refresh
        if self.log is not None:
            check_log(self.log)
        if both:
            words = words or (self.log or ALL,)
        if not words:
            raise click.UsageError("give files, or LOG [START END]")
        word = words[0]
        if len(words) > 1 or word not in names:
            if self.archive is not None or asks:
                raise click.UsageError(
                    "--archive, --offline and --refresh go with LOG [START END], not with files"
                )
            for word in words:
                if not matching(Path(word)):
                    hint = "" if word in names else near(word, names)
                    raise ConfigurationError(
                        f"there is no file or folder {word!r}{hint}: nothing was read;"
                        " give files and folders, with --log if they have both logs, or one of"
                        f" {', '.join(names)}; then days, such as 2026-10-21 2026-10-24"
                    )
            return words, ()
        for option in ("log", "wearer", "device"):
            if getattr(self, option) not in (None, word):
                raise click.UsageError(f"--{option} chooses among files: leave it out")
        if self.archive is not None and asks:
            raise click.UsageError(
                "--offline and --refresh ask the service, --archive does not: leave one out"
            )
        if Path(word).exists():
            note(f"{word} is taken as the name of the log: for the file type ./{word}")
        return (), LOGS if word == ALL else (word,)

    def _from_files(self, paths: tuple[str, ...], start: str | None, end: str | None) -> Origin:
        from eyelog.frame import record
        from eyelog.read.head import Reader
        from eyelog.read.read import read_logs

        names = ("device", "clock", "dayfirst", "encoding")
        how: dict[str, Any] = {name: getattr(self, name) for name in names}
        reader = Reader(self.tz, self.log, self.wearer, **how, beside=False)
        frames, notes = read_logs(paths, reader)
        for text in notes:
            warn(text)
        frames = {log: _between(frame, start, end) for log, frame in frames.items()}
        if self.account is not None:
            for frame in frames.values():
                record(frame, "source", account=self.account)
        return frames, paths[0] if len(paths) == 1 else f"{len(paths)} paths, {paths[0]} and on"

    def _from_archive(
        self,
        logs: tuple[str, ...],
        start: str | None,
        end: str | None,
        fields: Callable[[str], Iterable[str]] | None,
    ) -> Origin | None:
        """Return what the archive has; None if it has nothing and there is a service to ask."""
        archive, account = open_archive(self.archive), self.account or "me"
        held = [log for log in logs if account in archive.accounts(log)]
        if not held and self.archive is None:
            if os.environ.get("EYELOG_BASE_URL", "").strip():
                return None
            others = archive.accounts(logs[0])
            advice = f"first `eyelog import FILES --account {account}`"
            if others:
                advice = f"add --account with one that it has ({listed(others)})"
            raise ConfigurationError(
                f"the archive {archive.path} has no {logs[0]} of account {account!r}"
                f"{near(account, others)}: {advice}, give files in place of the log, or set"
                " EYELOG_BASE_URL to ask a service"
            )
        frames = {
            log: archive.read(
                log, start, end, account=account, tz=self.tz, fields=fields and fields(log)
            )
            for log in held or logs
        }
        return frames, f"the archive {archive.path}, account {account!r}"

    def from_service(
        self,
        logs: Iterable[str],
        start: str | None,
        end: str | None,
        fields: list[str] | None = None,
    ) -> Origin:
        """Return what the service has, or its cache."""
        from eyelog.fetch.client import connect

        account = self.account or "me"
        if start is None or end is None:
            raise ConfigurationError(
                "the service needs a range: LOG START END, such as computed_data 2026-10-24"
                " 2026-10-30 (files and the archive need none)"
            )
        zones = zones_or_none(self.tz, self.archive, account)
        client = connect(account=account, tz=zones, offline=self.offline)
        frames = {
            log: getattr(client, check_served(log))(start, end, fields=fields, refresh=self.refresh)
            for log in logs
        }
        place = "the cache of the service" if self.offline else "the service"
        return frames, f"{place} {client.base_url}, account {account!r}"


def _is_day(word: str) -> bool:
    return bool(_DAY.fullmatch(word)) and not Path(word).exists()


def _between(frame: "pd.DataFrame", start: str | None, end: str | None) -> "pd.DataFrame":
    """Return the records of a range of the wearer's days."""
    import pandas as pd

    from eyelog.clock import SECOND, instant_range
    from eyelog.frame import zones_of

    if start is None or end is None:
        return frame
    first, last = instant_range(start, end, zones_of(frame))
    inside = (frame.index >= pd.Timestamp(first)) & (frame.index < pd.Timestamp(last + SECOND))
    return frame[inside].copy()


def said_of(log: str, frame: "pd.DataFrame", origin: str, *, zone_given: bool) -> str:
    """Return the line that says what was read, from where, and of which days."""
    import pandas as pd

    from eyelog.clock import days_with_records
    from eyelog.frame import OFFSET, clock_of

    index = pd.DatetimeIndex(frame.index)
    days = days_with_records(index, clock=clock_of(frame, log=log))
    text = f"{log} from {origin}: {counted(len(frame), 'record')}"
    if len(days):
        text += f", {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}"
        without = (days[-1] - days[0]).days + 1 - len(days)
        text += f" ({without} of these days without records)" if without else ""
    follow = f"are local to {index.tz}"
    if OFFSET in frame.columns:
        follow = "follow the wearer's clock, whose zone changes"
    return f"{text}. Days {follow}{'' if zone_given else ' (--tz for another zone)'}."
