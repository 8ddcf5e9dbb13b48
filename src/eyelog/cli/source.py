"""Where a command's records come from: one rule for all commands.

Files given: those files. An archive given, or records of the account in the default archive: the
archive. Otherwise the service. One line on stderr says which it was.
"""

import os
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from eyelog.catalogue import LOGS, check_log, check_served, either_log, known_logs, near
from eyelog.cli.output import note
from eyelog.errors import ConfigurationError, EyelogWarning, listed
from eyelog.home import matching

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.archive.store import Archive
    from eyelog.clock import Zones

ALL: Final = "all"
_DAY: Final = re.compile(r"\d{4}-\d\d?-\d\d?(T\S+)?")
_LOGS_IN_WORDS: Final = either_log(str)


def open_archive(path: str | None) -> "Archive":
    """Return the archive of the option ``--archive``, by default that of the home."""
    from eyelog.archive.store import Archive

    return Archive(path or None)


def zones_or_none(tz: str | None, archive: str | None, account: str) -> "Zones | str | None":
    """Return the zones for asking the service: the option's, or those that the archive knows."""
    return tz if tz is not None else open_archive(archive).zones(account)


@dataclass(frozen=True)
class Source:
    """The records that a command line names, and how its files are written.

    Parameters
    ----------
    words : {FILE... | LOG} [START END]
    archive : DIR
        Read this archive.  [default: that in EYELOG_HOME, if it has the account]
    account : A
        Whose records.  [default: me]
    """

    words: tuple[str, ...] = ()
    log: str | None = None
    wearer: str | None = None
    device: str | None = None
    clock: Literal["first", "last"] | None = None
    dayfirst: bool | None = None
    encoding: str | None = None
    archive: str | None = None
    account: str | None = None
    tz: str | None = None
    offline: bool = False
    refresh: bool = False

    def read(self) -> "pd.DataFrame":
        """Return the frame of the one log that is named."""
        frames = self.read_logs(both=False)
        if len(frames) > 1:
            raise ConfigurationError(f"these files have several logs: add --log {_LOGS_IN_WORDS}")
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
        paths, logs, start, end = self._named(both=both)
        opens = start
        if start is not None and days_before and not (self.offline or self.refresh):
            opens = _day_before(start, days_before)
        if paths:
            frames, origin = self._from_files(paths, opens, end)
        elif self.offline or self.refresh or (archive := self._archive(logs)) is None:
            frames, origin = self._from_service(logs, start, end)
        else:
            frames, origin = self._from_archive(archive, logs, opens, end, fields)
        if both or len(frames) == 1:
            for log, frame in frames.items():
                asked = frame
                if start is not None and end is not None and opens != start:
                    asked = _between(frame, start, end)
                said = said_of(log, asked, origin, zone_given=self.tz is not None)
                earlier = len(asked) < len(frame)
                note(f"{said} Compared with the days from {opens} on." if earlier else said)
        return frames

    @property
    def start(self) -> str | None:
        """The first day that is asked for; None if all are."""
        return self._days()[0]

    def is_empty(self) -> bool:
        """Return whether the command line names no records at all."""
        return self == Source()

    def _days(self) -> tuple[str | None, str | None]:
        """Return the range: the last two words, if they are days."""
        days = [*takewhile(_is_day, reversed(self.words[-2:]))][::-1]
        if len(days) == 1:
            raise click.UsageError("a range has a first and a last day: for one day, give it twice")
        return (days[0], days[1]) if days else (None, None)

    def _named(
        self, *, both: bool
    ) -> tuple[tuple[str, ...], tuple[str, ...], str | None, str | None]:
        """Return the paths or the logs that the words name, and the range."""
        start, end = self._days()
        words = list(self.words if start is None else self.words[:-2])
        if self.log is not None:
            check_log(self.log)
        names = (*known_logs(), ALL) if both else known_logs()
        if not words and both:
            words = [self.log or ALL]
        if not words:
            raise click.UsageError("give files, or LOG [START END]")
        if len(words) == 1 and words[0] in names:
            for option in ("log", "wearer", "device"):
                if getattr(self, option) not in (None, words[0]):
                    raise click.UsageError(f"--{option} chooses among files: leave it out")
            if self.archive is not None and (self.offline or self.refresh):
                raise click.UsageError(
                    "--offline and --refresh ask the service, --archive does not: leave one out"
                )
            if Path(words[0]).exists():
                note(f"{words[0]} is taken as the name of the log: for the file type ./{words[0]}")
            return (), LOGS if words[0] == ALL else (words[0],), start, end
        if self.archive is not None or self.offline or self.refresh:
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
        return tuple(words), (), start, end

    def _from_files(self, paths: tuple[str, ...], start: str | None, end: str | None) -> "Origin":
        from eyelog.frame import record
        from eyelog.read.head import Reader, asked_zones
        from eyelog.read.read import read_logs

        reader = Reader(
            asked_zones(self.tz),
            log=self.log,
            wearer=self.wearer,
            device=self.device,
            clock=self.clock,
            dayfirst=self.dayfirst,
            encoding=self.encoding,
            beside=False,
        )
        frames, notes = read_logs(paths, reader)
        for text in notes:
            warnings.warn(text, EyelogWarning, stacklevel=2)
        if start is not None and end is not None:
            frames = {log: _between(frame, start, end) for log, frame in frames.items()}
        if self.account is not None:
            for frame in frames.values():
                record(frame, "source", account=self.account)
        return frames, paths[0] if len(paths) == 1 else f"{len(paths)} paths, {paths[0]} and on"

    def _archive(self, logs: tuple[str, ...]) -> "Archive | None":
        """Return the archive to read: the one named, or the default one if it has the account."""
        archive, account = open_archive(self.archive), self.account or "me"
        if self.archive is not None or any(account in archive.accounts(log) for log in logs):
            return archive
        if os.environ.get("EYELOG_BASE_URL", "").strip():
            return None
        held = archive.accounts()
        unset = "EYELOG_BASE_URL, the address of a service, is not set"
        if account in held:
            raise ConfigurationError(
                f"the archive {archive.path} has no {logs[0]} of account {account!r}, only the"
                f" other log, and {unset}"
            )
        if held:
            raise ConfigurationError(
                f"the archive {archive.path} has no account {account!r}{near(account, held)}: add"
                f" --account with one that it has ({listed(held)}), or set EYELOG_BASE_URL to ask a"
                " service"
            )
        raise ConfigurationError(
            f"nothing to read: the archive {archive.path} is empty and {unset}. Give files in place"
            f" of the log, or first `eyelog import FILES --account {account}`"
        )

    def _from_archive(
        self,
        archive: "Archive",
        logs: tuple[str, ...],
        start: str | None,
        end: str | None,
        fields: Callable[[str], Iterable[str]] | None,
    ) -> "Origin":
        account = self.account or "me"
        held = [log for log in logs if account in archive.accounts(log)] or logs
        frames = {
            log: archive.read(
                log, start, end, account=account, tz=self.tz, fields=fields and fields(log)
            )
            for log in held
        }
        return frames, f"the archive {archive.path}, account {account!r}"

    def _from_service(self, logs: tuple[str, ...], start: str | None, end: str | None) -> "Origin":
        if start is None or end is None:
            raise ConfigurationError(
                f"the service needs a range: {logs[0]} START END, such as {logs[0]} 2026-10-24"
                " 2026-10-30 (files and the archive need none)"
            )
        return ask_service(
            logs,
            start,
            end,
            account=self.account or "me",
            tz=self.tz,
            archive=self.archive,
            offline=self.offline,
            refresh=self.refresh,
        )


Origin = tuple["dict[str, pd.DataFrame]", str]


def ask_service(
    logs: Iterable[str],
    start: str,
    end: str,
    *,
    account: str,
    tz: str | None,
    archive: str | None = None,
    offline: bool,
    refresh: bool,
    fields: list[str] | None = None,
) -> Origin:
    """Return the frames of logs from the service, by log, and where they came from in words."""
    from eyelog.fetch.client import connect

    client = connect(account=account, tz=zones_or_none(tz, archive, account), offline=offline)
    frames = {
        log: getattr(client, check_served(log))(start, end, fields=fields, refresh=refresh)
        for log in logs
    }
    place = "the cache of the service" if offline else "the service"
    return frames, f"{place} {client.base_url}, account {account!r}"


def _is_day(word: str) -> bool:
    return bool(_DAY.fullmatch(word)) and not Path(word).exists()


def _day_before(start: str, days: int) -> str:
    """Return the day so many days before one; a wrong one is left to whoever reads."""
    from datetime import date, timedelta

    try:
        return str(date.fromisoformat(start[:10]) - timedelta(days=days))
    except (ValueError, OverflowError):
        return start


def _between(frame: "pd.DataFrame", start: str, end: str) -> "pd.DataFrame":
    import pandas as pd

    from eyelog import clock
    from eyelog.frame import zones_of

    index = pd.DatetimeIndex(frame.index)
    first, last = clock.instant_range(start, end, zones_of(frame))
    after = pd.Timestamp(last + clock.SECOND)
    return frame[(index >= pd.Timestamp(first)) & (index < after)].copy()


def said_of(log: str, frame: "pd.DataFrame", origin: str, *, zone_given: bool) -> str:
    """Return the line that says what was read, from where, and of which days."""
    import pandas as pd

    from eyelog.clock import local_days
    from eyelog.frame import OFFSET

    index = pd.DatetimeIndex(frame.index)
    count = len(index)
    text = f"{log} from {origin}: {count:,} {'record' if count == 1 else 'records'}"
    travels = OFFSET in frame.columns
    if travels and count:  # as the wearer's clock showed them
        ahead = pd.to_timedelta(frame[OFFSET].to_numpy(), unit="min")
        index = (index.tz_convert("UTC").tz_localize(None) + ahead).tz_localize("UTC")
    if count:
        # As a range selects: the record of 00:00:00 comes with the day that it opens, and at the
        # end of the records it closes the last day. Alone it does not make a day.
        first = index[0].tz_localize(None).normalize()
        last = max(local_days(index[-1:])[0], first)
        days = local_days(index[index != index.normalize()]).unique()
        without = (last - first).days + 1 - max(len(days), 1)
        text += f", {first:%Y-%m-%d} to {last:%Y-%m-%d}"
        text += f" ({without} of these days without records)" if without > 0 else ""
    advice = "" if zone_given else " (--tz for another zone)"
    if travels:
        return f"{text}. Days follow the wearer's clock, whose zone changes{advice}."
    return f"{text}. Days are local to {index.tz}{advice}."
