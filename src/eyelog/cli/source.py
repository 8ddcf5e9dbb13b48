"""Where a command's records come from: one rule for all commands.

Paths given: those files. An archive given, or records of the account in the default archive: the
archive. Otherwise the service. One line on stderr says which it was.
"""

import argparse
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from eyelog.catalogue import LOGS, check_log, check_served, either_log, known_logs, near
from eyelog.cli.output import note
from eyelog.disk.files import matching
from eyelog.errors import ConfigurationError, EyelogWarning, listed

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.archive.store import Archive
    from eyelog.clock import Zones

__all__ = [
    "add_account",
    "add_archive",
    "add_fields",
    "add_range",
    "add_source",
    "add_zone",
    "archive_path",
    "command_of",
    "field_list",
    "open_archive",
    "read_service",
    "read_source",
    "read_sources",
    "read_with_days_before",
    "service_places",
    "zones_or_none",
]

ALL: Final = "all"
_DAY: Final = re.compile(r"\d{4}-\d\d?-\d\d?(T\S+)?")
# A day as people also write it: 21.10.2026, 10/21/2026, 2026/10/21, 20261021.
_OTHER_DAY: Final = re.compile(r"\d{1,4}([./-])\d\d?\1\d{1,4}|\d{8}")
_EITHER: Final = either_log(str)


# The arguments that commands share.


def add_archive(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the archive to a command."""
    parser.add_argument(
        "--archive", metavar="DIR", help="the archive (default: archive in EYELOG_HOME)"
    )


def add_account(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the account to a command."""
    parser.add_argument("--account", default="me", metavar="A", help="whose records (default: me)")


def add_zone(
    parser: argparse.ArgumentParser,
    *,
    default: str = "the account's in the archive, else EYELOG_TZ, else UTC, with a warning",
    files: bool = False,
) -> None:
    """Add the option that names the zone of the wearer; `files` may show it themselves."""
    own = "; or the word file, for the offset that each date is written with" if files else ""
    parser.add_argument(
        "--tz",
        metavar="Z",
        help="the wearer's time zone, such as Asia/Tokyo; for a wearer who travels, a .csv file"
        f" with the columns from and tz{own} (default: {default})",
    )


def zones_or_none(args: argparse.Namespace) -> "Zones | str | None":
    """Return the zones for asking the service: the option's, or those that the archive knows."""
    if args.tz is not None:
        return str(args.tz)
    from eyelog.archive.store import Archive

    archive = Archive(getattr(args, "archive", None) or None)
    return archive.zones(args.account or "me")


def add_fields(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--fields`` of a command that reads only these, see `field_list`."""
    parser.add_argument(
        "--fields",
        metavar="A,B",
        help="only these fields, or those of a summary: daily, steps, ...",
    )


def add_range(parser: argparse.ArgumentParser, *, logs: str = " or ".join(LOGS)) -> None:
    """Add LOG START END to a command that needs all three."""
    parser.add_argument("log", metavar="LOG", help=logs)
    parser.add_argument("start", metavar="START", help="first local day, such as 2026-10-24")
    parser.add_argument("end", metavar="END", help="last local day, included")


def add_source(parser: argparse.ArgumentParser, *, both: bool = False, after: str = "") -> None:
    """Add FILES or LOG [START END] to a command, and the options that choose the records.

    With `both` the command takes both logs, and reads both if no word is given. `after` is the word
    that comes before these, if any.
    """
    words = f"{after} {{FILE... | LOG}} [START END]".strip()
    parser.usage = f"{parser.prog} [OPTIONS] {words}"
    logs = " or ".join([*known_logs(), *([ALL] if both else [])])
    parser.add_argument(
        "words",
        nargs="*",
        metavar="FILE... | LOG",
        help="files, folders or zip files of a log; or the name of a log in the archive or the"
        f" service ({logs}); then the first and the last day, unless you want all days",
    )
    parser.add_argument("--log", metavar="LOG", help="which log to take if the files have both")
    parser.add_argument(
        "--wearer",
        metavar="ID",
        help="only the rows of this wearer: by the column user_id, or by a Parquet file's account",
    )
    parser.add_argument(
        "--device", metavar="ID", help="only the files with this device in their names"
    )
    parser.add_argument(
        "--archive",
        nargs="?",
        const="",
        metavar="DIR",
        help="read the archive (default: that in EYELOG_HOME, if it has the account)",
    )
    parser.add_argument("--account", metavar="A", help="whose records (default: me)")
    add_zone(
        parser,
        default="the zone of the files, or the account's in the archive, else EYELOG_TZ, else UTC,"
        " with a warning",
        files=True,
    )
    parser.add_argument(
        "--offline", action="store_true", help="read what was fetched from the service before"
    )
    parser.add_argument(
        "--refresh", action="store_true", help="fetch again from the service what is cached"
    )
    parser.set_defaults(usage=parser.error, both=both)


def field_list(text: str | None) -> list[str] | None:
    """Return the names in a text such as ``a,b``; None stays None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def archive_path(args: argparse.Namespace) -> Path:
    """Return the folder that the option of `add_archive` names, by default that of the home."""
    if args.archive and ":" in args.archive:  # perhaps a URL
        return Path(open_archive(args).path)
    from eyelog.disk.home import home_dir

    # Without pandas, which an operator's command does not need.
    folder = Path(args.archive).expanduser() if args.archive else home_dir() / "archive"
    return Path(os.path.abspath(folder))  # noqa: PTH100 (as the archive does: links stay)


def service_archive(args: argparse.Namespace) -> Path | str:
    """Return the folder of a service's archive, or its URL in an object store."""
    return str(args.archive) if "://" in (args.archive or "") else archive_path(args)


def service_places(args: argparse.Namespace) -> tuple[Path | str, str | None, str | None]:
    """Return the archive, the state and the folder of this host, as the settings of a service say.

    A line on stderr warns about a password that others on this machine can read.
    """
    state, origin = args.in_force["state"]
    if state is not None:
        warn_of_password(state, origin)
    return service_archive(args), state, args.local


def warn_of_password(state: str, origin: str | None = None) -> None:
    """Warn on stderr about a password in the address of a database that others can read.

    Parameters
    ----------
    state : str
        A folder, or the address of a database.
    origin : str, optional
        The option or the file of settings that names it; by default it was typed.
    """
    from eyelog.service.auth.state import has_password, is_database, shown_database

    if not is_database(state) or not has_password(state):
        return
    database = shown_database(state)
    instead = "put it into the file that PGPASSFILE names, as every program of Postgres does"
    if origin in (None, "--state"):
        note(f"eyelog: warning: a list of processes shows the password of {database}: {instead}")
    elif Path(origin).is_file() and Path(origin).stat().st_mode & 0o007:
        note(
            f"eyelog: warning: others can read the password of {database}: chmod 640 {origin}, or"
            f" {instead}"
        )


def open_archive(args: argparse.Namespace) -> "Archive":
    """Return the archive that the option of `add_archive` names, by default that of the home."""
    from eyelog.archive.store import Archive

    return Archive(args.archive or None)


# The records that the words of a command request.


@dataclass(frozen=True)
class _Asked:
    """What the words request: files, or logs of an archive or service; and the range."""

    paths: tuple[str, ...]
    logs: tuple[str, ...]
    start: str | None
    end: str | None
    before: str | None = None
    """The day to read from, if earlier days are wanted beside the range."""

    @property
    def opens(self) -> str | None:
        """The first day to read from files or an archive."""
        return self.before or self.start


def read_source(args: argparse.Namespace) -> "pd.DataFrame":
    """Return the frame of the one log that the arguments of `add_source` request."""
    frames = read_sources(args)
    if len(frames) > 1:
        raise ConfigurationError(f"these files have several logs: add --log {_EITHER}")
    return next(iter(frames.values()))


def read_sources(
    args: argparse.Namespace, fields: Callable[[str], Iterable[str]] | None = None
) -> "dict[str, pd.DataFrame]":
    """Return the frames, by log, that the arguments of `add_source` request.

    `fields` returns the fields of a log that are enough; only an archive can leave the others out.
    """
    return _read(args, _asked(args), fields)


def read_with_days_before(
    args: argparse.Namespace, fields: Callable[[str], Iterable[str]], days: int
) -> "tuple[dict[str, pd.DataFrame], str | None]":
    """Return the frames as `read_sources` does, with the days before, and the first day asked for.

    The days before are those of files and an archive; a service is not asked for more. The first
    day is None if all days are asked for.
    """
    source = _asked(args)
    if source.start is not None and not (args.offline or args.refresh):
        source = replace(source, before=_days_before(source.start, days))
    return _read(args, source, fields), source.start


def _read(
    args: argparse.Namespace,
    source: _Asked,
    fields: Callable[[str], Iterable[str]] | None,
) -> "dict[str, pd.DataFrame]":
    if source.paths:
        frames, origin = _from_files(args, source)
    elif args.offline or args.refresh:
        frames, origin = _from_service(args, source)
    elif (archive := _archive(args, source)) is not None:
        frames, origin = _from_archive(args, source, archive, fields)
    else:
        frames, origin = _from_service(args, source)
    if args.both or len(frames) == 1:
        for log, frame in frames.items():
            asked, earlier = frame, ""
            if source.before is not None and source.start is not None and source.end is not None:
                asked = _between(frame, source.start, source.end)
                if len(asked) < len(frame):
                    earlier = f" Compared with the days from {source.before} on."
            said = _said(log, asked, origin, zone_given=args.tz is not None)
            note(f"{said}{earlier}")
    return frames


def _days_before(start: str, days: int) -> str:
    """Return the day so many days before one; a wrong one is left to whoever reads."""
    from datetime import date, timedelta

    try:
        return str(date.fromisoformat(start[:10]) - timedelta(days=days))
    except (ValueError, OverflowError):
        return start


def _asked(args: argparse.Namespace) -> _Asked:
    words: list[str] = list(args.words)
    if args.log is not None:
        check_log(args.log)
    if args.archive in known_logs():
        args.usage(
            f"--archive takes {args.archive!r} for its folder: put --archive last, or before"
            " another option"
        )
    if words and words[0] in (*known_logs(), ALL):
        return _of_log(args, words[0], words[1:])
    if not words and args.both:
        return _of_log(args, args.log or ALL, [])
    if not words:
        args.usage("give files, or LOG [START END]")
    start = end = None
    days = [bool(_DAY.fullmatch(word)) and not Path(word).exists() for word in words]
    if days[0]:
        args.usage(f"name files or a log before the days: {known_logs()[0]} {' '.join(words)}")
    if days[-2:] == [True, True]:
        *words, start, end = words
    elif days[-1]:
        args.usage("a range has a first and a last day: for one day, give it twice")
    if args.archive is not None or args.offline or args.refresh:
        args.usage("--archive, --offline and --refresh go with LOG [START END], not with files")
    for word in words:
        if not matching(Path(word)):
            _no_file(args, word, words)
    return _Asked(tuple(words), (), start, end)


def _of_log(args: argparse.Namespace, log: str, days: list[str]) -> _Asked:
    if len(days) not in (0, 2):
        at = f": for the file type {os.path.join('.', log)}" if Path(log).exists() else ""  # noqa: PTH118 - Path drops the dot
        args.usage(
            f"after the log {log} come the first and the last day, or nothing{at}"
            if len(days) != 1
            else "a range has a first and a last day: for one day, give it twice"
        )
    if args.log not in (None, log):
        args.usage(f"--log chooses among files: leave it out after the log {log}")
    if log == ALL and not args.both:
        args.usage(f"this command takes one log: {_EITHER}")
    if args.wearer is not None:
        args.usage("--wearer chooses among the rows of files: an --account is of one wearer")
    if args.device is not None:
        args.usage("--device chooses among files: leave it out after a log")
    if args.archive is not None and (args.offline or args.refresh):
        args.usage("--offline and --refresh ask the service, --archive does not: leave one out")
    if Path(log).exists():
        note(f"{log} is taken as the name of the log: for the file here type ./{log}")
    start, end = days or (None, None)
    return _Asked((), LOGS if log == ALL else (log,), start, end)


def command_of(args: argparse.Namespace, *, words: Sequence[str] | None = None) -> str:
    """Return the command as it is typed, with other words in place of its own, without days."""
    own = [word for word in args.words if not _DAY.fullmatch(word)] if words is None else words
    figure = [args.figure] if getattr(args, "figure", None) else []
    named = [
        part
        for option in ("archive", "account")
        if getattr(args, option, None) not in (None, "me")
        for part in (f"--{option}", str(getattr(args, option)))
    ]
    return " ".join([args.parser.prog, *(quote(str(word)) for word in (*figure, *own, *named))])


def _no_file(args: argparse.Namespace, word: str, words: Sequence[str]) -> None:
    """Raise for one of the words that is not a path; it may be a log, or a misspelt one."""
    named = [name for name in (*known_logs(), ALL) if name in words and not Path(name).exists()]
    paths = [each for each in words if matching(Path(each))]
    days = [each for each in args.words if each not in words]
    if named and paths:
        chosen = [] if named[0] == ALL else ["--log", named[0]]
        typed = command_of(args, words=[*paths, *days, *chosen])
        raise ConfigurationError(
            f"there is no file or folder {word}: for the log {named[0]} of {paths[0]} type"
            f" `{typed}`"
        )
    if named:
        typed = command_of(args, words=[named[0], *days])
        raise ConfigurationError(
            f"there is no file or folder {word}: for the log {named[0]} of the archive, or of a"
            f" service, leave out {word}: `{typed}`"
        )
    log = near(word, (*known_logs(), ALL))
    if log and os.sep not in word:
        raise ConfigurationError(f"there is no file or folder {word!r}, and no such log{log}")
    if _OTHER_DAY.fullmatch(word):
        raise ConfigurationError(
            f"{word} is neither a file nor a day: write days as year-month-day, such as 2026-10-21"
        )
    raise ConfigurationError(f"there is no file or folder {word}: nothing was read")


Origin = tuple["dict[str, pd.DataFrame]", str]


def _from_files(args: argparse.Namespace, source: _Asked) -> Origin:
    from eyelog import provenance
    from eyelog.archive.importing.together import read_logs

    frames, notes = read_logs(
        source.paths, log=args.log, tz=args.tz, wearer=args.wearer, device=args.device
    )
    for text in notes:
        warnings.warn(text, EyelogWarning, stacklevel=2)
    if source.opens is not None and source.end is not None:
        frames = {log: _between(frame, source.opens, source.end) for log, frame in frames.items()}
    if args.account is not None:
        for frame in frames.values():
            provenance.record(frame, "source", account=args.account)
    paths = source.paths
    return frames, paths[0] if len(paths) == 1 else f"{len(paths)} paths, {paths[0]} and on"


def _between(frame: "pd.DataFrame", start: str, end: str) -> "pd.DataFrame":
    import pandas as pd

    from eyelog import clock
    from eyelog.frame import zones_of

    index = pd.DatetimeIndex(frame.index)
    first, last = clock.instant_range(start, end, zones_of(frame))
    after = pd.Timestamp(last + clock.SECOND)
    return frame[(index >= pd.Timestamp(first)) & (index < after)].copy()


def _archive(args: argparse.Namespace, source: _Asked) -> "Archive | None":
    """Return the archive to read: the one named, or the default one if it has the account."""
    archive = open_archive(args)
    account = args.account or "me"
    if args.archive is not None or any(account in archive.accounts(log) for log in source.logs):
        return archive
    if not os.environ.get("EYELOG_BASE_URL", "").strip():
        raise ConfigurationError(_nothing(archive, account, source.logs))
    return None


def _nothing(archive: "Archive", account: str, logs: tuple[str, ...]) -> str:
    """Return what to type if neither the default archive nor a service can answer."""
    held = archive.accounts()
    if account in held:
        return (
            f"the archive {archive.path} has no {logs[0]} of account {account!r}, only the other"
            " log, and EYELOG_BASE_URL, the address of a service, is not set"
        )
    if held:
        return (
            f"the archive {archive.path} has no account {account!r}{near(account, held)}: add"
            f" --account with one that it has ({listed(held)}), or set EYELOG_BASE_URL"
            " to ask a service"
        )
    return (
        f"nothing to read: the archive {archive.path} is empty and EYELOG_BASE_URL, the address of"
        " a service, is not set. Give files in place of the log, or first"
        f" `eyelog import FILES --account {account}`"
    )


def _from_archive(
    args: argparse.Namespace,
    source: _Asked,
    archive: "Archive",
    fields: Callable[[str], Iterable[str]] | None,
) -> Origin:
    account = args.account or "me"
    logs = [log for log in source.logs if account in archive.accounts(log)] or source.logs
    frames = {
        log: archive.read(
            log,
            source.opens,
            source.end,
            account=account,
            tz=args.tz,
            fields=fields and fields(log),
        )
        for log in logs
    }
    return frames, f"the archive {archive.path}, account {account!r}"


def _from_service(args: argparse.Namespace, source: _Asked) -> Origin:
    if source.start is None or source.end is None:
        raise ConfigurationError(
            f"the service needs a range: {source.logs[0]} START END, such as {source.logs[0]}"
            " 2026-10-24 2026-10-30 (files and the archive need none)"
        )
    from eyelog.access.client import connect

    account = args.account or "me"
    client = connect(account=account, tz=zones_or_none(args), offline=args.offline)
    frames = {
        log: getattr(client, check_served(log))(source.start, source.end, refresh=args.refresh)
        for log in source.logs
    }
    place = "the cache of the service" if args.offline else "the service"
    return frames, f"{place} {client.base_url}, account {account!r}"


def read_service(args: argparse.Namespace, *, fields: list[str] | None) -> "pd.DataFrame":
    """Return the frame that the arguments of `add_range` request from the service."""
    from eyelog.access.client import connect

    check_log(args.log)
    client = connect(account=args.account, tz=zones_or_none(args), offline=args.offline)
    fetch = getattr(client, check_served(args.log))
    frame: pd.DataFrame = fetch(args.start, args.end, fields=fields, refresh=args.refresh)
    place = "the cache of the service" if args.offline else "the service"
    origin = f"{place} {client.base_url}, account {args.account!r}"
    note(_said(args.log, frame, origin, zone_given=args.tz is not None))
    return frame


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _days_of(index: "pd.DatetimeIndex") -> str:
    """Return the first and the last day of sorted records, and how many days have none."""
    from eyelog.clock import local_days

    # As a range selects: the record of 00:00:00 comes with the day that it opens, and at the end of
    # the records it closes the last day. Alone it does not make a day.
    first = index[0].tz_localize(None).normalize()
    last = max(local_days(index[-1:])[0], first)
    days = local_days(index[index != index.normalize()]).unique()
    without = (last - first).days + 1 - max(len(days), 1)
    text = f", {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{text} ({without} of these days without records)" if without > 0 else text


def _said(log: str, frame: "pd.DataFrame", origin: str, *, zone_given: bool) -> str:
    """Return the line that says what was read, and from where."""
    import pandas as pd

    from eyelog.frame import OFFSET

    index = pd.DatetimeIndex(frame.index)
    text = f"{log} from {origin}: {_records(len(index))}"
    travels = OFFSET in frame.columns
    if travels and len(index):  # as the wearer's clock showed them
        ahead = pd.to_timedelta(frame[OFFSET].to_numpy(), unit="min")
        index = (index.tz_convert("UTC").tz_localize(None) + ahead).tz_localize("UTC")
    if len(index):
        text += _days_of(index)
    advice = "" if zone_given else " (--tz for another zone)"
    if travels:
        return f"{text}. Days follow the wearer's clock, whose zone changes{advice}."
    return f"{text}. Days are local to {index.tz}{advice}."
