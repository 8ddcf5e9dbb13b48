"""The commands that fill and inspect the archive: import, sync, archive."""

import argparse
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyelog.catalogue import known_logs
from eyelog.cli.erasing import add_arguments, erase_records, erase_stored, print_protocol
from eyelog.cli.output import add_json, add_location, emit, note, one_line, show
from eyelog.cli.source import (
    add_account,
    add_archive,
    add_fields,
    add_range,
    add_zone,
    field_list,
    open_archive,
    zones_or_none,
)
from eyelog.errors import ArchiveError, AuthorizationError, ConfigurationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.archive.importing.intake import FileReport

__all__ = ["add_commands"]

SHOWN: Final = 10


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    importing = commands.add_parser("import", help="put files into the archive")
    importing.add_argument(
        "paths",
        type=Path,
        nargs="+",
        metavar="PATH",
        help="CSV and Parquet files of a log, saved answers (JSON), or folders and zip files of"
        " these",
    )
    add_archive(importing)
    add_account(importing)
    importing.add_argument(
        "--tz",
        metavar="Z",
        help="the wearer's time zone, such as Asia/Tokyo, which the archive keeps; dates written"
        " without an offset are in it; for a wearer who travels, a .csv file with the columns from"
        " and tz; or the word file, for the offset that each date is written with (default: the"
        " account's in the archive, else EYELOG_TZ)",
    )
    whose = importing.add_mutually_exclusive_group()
    whose.add_argument(
        "--wearer",
        metavar="ID",
        help="only the rows of this wearer: by the column user_id, or by a Parquet file's account",
    )
    whose.add_argument(
        "--split-wearers",
        action="store_true",
        help="the rows of each wearer into the account of that name",
    )
    importing.add_argument(
        "--device", metavar="ID", help="only the files with this device in their names"
    )
    importing.add_argument(
        "--replace",
        action="store_true",
        help="write other values over those that the account has",
    )
    importing.add_argument(
        "--dry-run", action="store_true", help="report what would be imported, change nothing"
    )
    add_json(importing)
    importing.set_defaults(run=_import)

    _add_sync(commands)

    archive = commands.add_parser("archive", help="what is in the archive, and what is damaged")
    archive.set_defaults(run=_inventory, archive=None, json=False)
    actions = archive.add_subparsers(title="actions", metavar="ACTION")

    for name, run, text in (
        ("inventory", _inventory, "list accounts, logs, days, records, gaps"),
        ("verify", _verify, "check every file for damage"),
        ("protect", _protect, "add checksums to files that an older eyelog wrote"),
        ("repair", _repair, "set damaged months aside, and say which days to get again"),
    ):
        action = actions.add_parser(name, help=text)
        add_archive(action)
        add_json(action)
        action.set_defaults(run=run)

    zone = actions.add_parser(
        "set-zone",
        help="set the time zone of a wearer",
        description="Set the time zone of a wearer. Every command that reads the account from the"
        " archive takes its local days from it, unless --tz names another zone.",
    )
    zone.add_argument("account", metavar="ACCOUNT", help="the wearer's account")
    zone.add_argument(
        "zone",
        metavar="ZONE",
        help="a time zone such as Asia/Tokyo; for a wearer who travels, a .csv file with the"
        " columns from and tz",
    )
    zone.add_argument(
        "--from",
        dest="since",
        metavar="DATE",
        help="the first local day in this zone, such as 2026-10-22; days before it keep the zone"
        " that they have (default: the zone holds for all days)",
    )
    add_archive(zone)
    zone.set_defaults(run=_set_zone)

    erase = actions.add_parser(
        "erase",
        help="delete everything of one account, and list what cannot be reached",
        description="Delete everything that the archive and the folder of eyelog (EYELOG_HOME) have"
        " of one account: months, damaged months, ledgers, tokens, caches. What a service knows of"
        " the account is deleted by eyelog service erase.",
    )
    add_archive(erase)
    add_arguments(erase)
    erase.set_defaults(run=_erase)

    export = actions.add_parser("export", help="write records to CSV, Parquet or JSON answers")
    add_range(export, logs=", ".join(known_logs()))
    export.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="PATH",
        help="a .csv, a .parquet, or a folder for one JSON answer per day",
    )
    add_archive(export)
    add_account(export)
    add_zone(export)
    add_fields(export)
    add_location(export)
    export.set_defaults(run=_export)


def _import(args: argparse.Namespace) -> int:
    from eyelog.archive.importing.intake import OTHER_KIND, import_files
    from eyelog.archive.importing.kinds import counted_kinds

    archive = open_archive(args)
    reports = import_files(
        archive,
        args.paths,
        account=args.account,
        tz=args.tz,
        wearer=args.wearer,
        split_wearers=args.split_wearers,
        device=args.device,
        replace=args.replace,
        dry_run=args.dry_run,
    )
    if not reports:
        raise ConfigurationError("these paths contain no file: nothing was imported")
    if args.json:
        emit(_table(reports), as_json=True, index=False)
    else:
        shown = [report for report in reports if report.status != OTHER_KIND]
        print(_listed(shown, accounts=args.split_wearers))
    kept = sum(report.kept for report in reports)
    # Files overlap, so together they can have more rows than the archive then has records.
    were = "would be" if args.dry_run else "was" if kept == 1 else "were"
    written = " (dry run: nothing was written)" if args.dry_run else ""
    accounts = list(dict.fromkeys(report.account for report in reports if report.kept))
    owner = f"{len(accounts)} accounts" if len(accounts) > 1 else (
        f"account {(accounts or [args.account])[0]!r}"
    )  # fmt: skip
    rows = "row" if kept == 1 else "rows"
    note(f"{kept:,} {rows} {were} new to {owner} in {archive.path}{written}")
    if kinds := [report.kind for report in reports if report.status == OTHER_KIND]:
        note(counted_kinds(kinds))
    refused = [report for report in reports if report.status == "refused"]
    for report in refused:
        note(f"refused {report.file}: {args.spelled(report.fault)}")
    if refused:
        others = "the others are imported" if kept and not args.dry_run else "see above"
        files = (
            f"{len(refused)} of {len(reports)} files were" if len(reports) > 1 else "the file was"
        )
        raise ArchiveError(f"{files} refused ({others})")
    return 0


def _listed(reports: "list[FileReport]", *, accounts: bool) -> str:
    """Return what happened to each file, as lines of the terminal's width."""
    from eyelog.analysis.sheet import Heading, Sheet

    # Counts that are 0 for every file are not shown: --json has every count of every file.
    counts = {"read": "Rows", "kept": "New", "conflicts": "Conflicts", "refused": "Refused"}
    shown = [
        name
        for name in counts
        if name in ("read", "kept") or any(getattr(report, name) for report in reports)
    ]
    cells = [
        [
            _log_of(report),
            report.status,
            *([report.account] if accounts else []),
            *(f"{getattr(report, name):,}" for name in shown),
        ]
        for report in reports
    ]
    headings = [
        *(Heading(text, text) for text in ("Log", "Result", *(["Account"] if accounts else []))),
        *(Heading(counts[name], counts[name]) for name in shown),
    ]
    rest = sum(
        2 + max(len(heading.short), *(len(row[i]) for row in cells))
        for i, heading in enumerate(headings)
    )
    width = shutil.get_terminal_size((80, 24)).columns
    names = _short_names([report.file for report in reports], max(20, width - rest))
    rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return Sheet([Heading("File", "File"), *headings], rows).text(width)


def _log_of(report: "FileReport") -> str:
    """Return the interval of a log, ``events``, or nothing for another file."""
    from eyelog.catalogue import log_named

    if report.log:
        return f"{log_named(report.log).interval_s:g} s"
    return "events" if report.kind else ""


def _short_names(names: list[str], width: int) -> list[str]:
    """Return names without the folder that they share, long ones without their middle."""
    folder = os.path.commonpath([os.path.dirname(name) for name in names])  # noqa: PTH120 - as text
    names = [name.removeprefix(folder).lstrip("/\\") if folder else name for name in names]
    names = [one_line(name) for name in names]
    head = (width - 3) // 2
    return [
        name if len(name) <= width else f"{name[:head]}...{name[-(width - head - 3) :]}"
        for name in names
    ]


def _table(reports: "list[FileReport]") -> "pd.DataFrame":
    import pandas as pd

    table = pd.DataFrame([vars(report) for report in reports])
    table = table.drop(columns=["fault", "differing", "kind"])
    for name in ("first", "last"):
        stamps = [getattr(report, name) for report in reports]
        texts = [None if stamp is None else f"{stamp:%Y-%m-%dT%H:%M:%SZ}" for stamp in stamps]
        table[name] = pd.Series(texts, dtype="str")
    return table


def _inventory(args: argparse.Namespace) -> int:
    archive = open_archive(args)
    table = archive.inventory()
    damaged = int(table["damaged"].sum())
    if args.json:
        emit(table, as_json=True, index=False)
    elif len(table):
        # Not all columns fit into 80 characters: damage matters more than size. Zones belong to the
        # wearer, not to one log, so they are below.
        logs = table.drop(columns=["tz", "bytes"] if damaged else "tz")
        for name in ("first", "last"):
            logs[name] = logs[name].dt.tz_localize(None)
        show(logs)
        print("The first and the last record are in UTC.\n")
        print(_zones(table.drop_duplicates("account")))
    else:
        note(f"The archive {archive.path} is empty.")
    if damaged:
        raise ArchiveError(
            f"{_damaged_months(damaged)} in the archive {archive.path}, not counted above:"
            " `eyelog archive repair` sets damaged months aside"
        )
    return 0


def _zones(accounts: "pd.DataFrame") -> str:
    """Return the zone of each account as lines of text."""
    names = [one_line(account) for account in accounts["account"]]
    width = max(map(len, ["Account", *names]))
    unknown = "not known: `eyelog archive set-zone` sets it"
    zones = accounts["tz"].fillna(unknown)
    lines = [f"{name:{width}}  {zone}" for name, zone in zip(names, zones, strict=True)]
    return "\n".join([f"{'Account':{width}}  Time zone of the wearer", *lines])


def _set_zone(args: argparse.Namespace) -> int:
    from eyelog.clock import FILE_ZONE, as_zones

    archive = open_archive(args)
    if args.zone == FILE_ZONE:
        raise ConfigurationError(
            "'file' is for the dates of files: give the zone, such as Asia/Tokyo, or a .csv file of"
            " zones"
        )
    zones, old = as_zones(args.zone, what="an archive"), archive.zones(args.account)
    if args.since is not None:
        if zones.vary or len(zones.rows) > 1:
            raise ConfigurationError(
                "a file of zones says from when each holds: leave out --from, or name one zone"
            )
        if old is None:
            zones = type(zones)([(args.since, zones.home)])
            note(
                f"No zone of {args.account!r} was known: the days before {args.since} are in"
                f" {zones} too."
            )
        else:
            zones = old.with_zone(zones.home, args.since)
    archive.set_zones(zones, account=args.account)
    print(repr(zones))
    if args.account not in archive.accounts():
        note(f"The archive {archive.path} has no records of {args.account!r} yet.")
    return 0


def _verify(args: argparse.Namespace) -> int:
    from eyelog.archive.damage import NOT_PROTECTED

    archive = open_archive(args)
    problems = archive.verify()
    if args.json:
        emit(problems, as_json=True, index=False)
    for row in () if args.json else problems.to_dict("records"):
        of = f"{row['log']} of {row['account']!r}, {row['month']}" if row["log"] else "zones"
        print(one_line(f"{of}: {row['problem']}"))
        print(f"  file            {row['file']}")
    bare = int((problems["problem"] == NOT_PROTECTED).sum())
    if bare:
        note(
            f"{_files(bare)} in the archive {archive.path} not protected yet against damage to"
            " the footer: `eyelog archive protect` adds the checksum, as does any write that"
            " changes the month."
        )
    damaged = len(problems) - bare
    if damaged:
        problems_found = "1 problem" if damaged == 1 else f"{damaged} problems"
        raise ArchiveError(
            f"{problems_found} found in the archive {archive.path}:"
            " `eyelog archive repair` sets damaged months aside"
        )
    note(f"No damage found in the archive {archive.path}.")
    return 0


def _files(count: int) -> str:
    return "1 file is" if count == 1 else f"{count} files are"


def _protect(args: argparse.Namespace) -> int:
    archive = open_archive(args)
    table = archive.protect()
    if args.json or len(table):
        emit(table, as_json=args.json, index=False)
    if len(table):
        note(f"{_files(len(table))} now protected in the archive {archive.path}.")
    else:
        note(f"Nothing was left to protect in the archive {archive.path}.")
    return 0


def _repair(args: argparse.Namespace) -> int:
    archive = open_archive(args)
    table = archive.repair()
    if args.json:
        emit(table, as_json=True, index=False)
    elif not len(table):
        note(f"No damage found in the archive {archive.path}: nothing was changed.")
    for row in () if args.json else table.to_dict("records"):
        print(f"{row['log']} of {row['account']!r}, {row['month']}: {row['problem']}")
        print(f"  set aside in    {row['aside']}")
        print(f"  sync again      {row['sync_again'] or 'nothing'}")
        print(f"  import again    {row['import_again'] or 'nothing'}")
    return 0


def _erase(args: argparse.Namespace) -> int:
    rows = [*erase_records(args), *erase_stored(args)]
    service = "a service of this archive: eyelog service erase removes its account, tokens and name"
    print_protocol(args, rows, [service])
    return 0


def _damaged_months(count: int) -> str:
    return "1 damaged month" if count == 1 else f"{count} damaged months"


def _export(args: argparse.Namespace) -> int:
    files = open_archive(args).export(
        args.log,
        args.start,
        args.end,
        args.output,
        account=args.account,
        fields=field_list(args.fields),
        tz=args.tz,
        location=args.location,
    )
    for path in files:
        print(path)
    return 0


def _add_sync(commands: Any) -> None:
    sync = commands.add_parser("sync", help="bring an archive up to date from the service")
    add_range(sync, logs="computed_data, standard_mode_logs, or all")
    add_account(sync)
    add_zone(sync)
    add_archive(sync)
    add_json(sync)
    sync.set_defaults(run=_sync)


def _sync(args: argparse.Namespace) -> int:
    import pandas as pd

    from eyelog.access.client import connect
    from eyelog.catalogue import LOGS, check_log

    logs = LOGS if args.log == "all" else (check_log(args.log),)
    archive = open_archive(args)
    reports = []
    with connect(account=args.account, tz=zones_or_none(args)) as client:
        for log in logs:
            try:
                report = archive.sync(client, log, args.start, args.end)
            except AuthorizationError:
                note("Stopped: every other day would fail too. The days before are kept.")
                raise
            report.insert(0, "log", log)
            reports.append(report)
    whole = pd.concat(reports, ignore_index=True)
    if args.json:
        emit(whole, as_json=True, index=False)
    else:
        _show(whole, logs)
    failed = whole[whole["state"] == "failed"]
    if len(failed):
        raise EyelogError(
            f"{len(failed)} of {len(whole)} days failed; the others are in {archive.path}: run the"
            " same command again to request what is missing"
        )
    return 0


def _show(whole: "pd.DataFrame", logs: tuple[str, ...]) -> None:
    """Print how many days are in which state, and the days that failed or lost records."""
    import pandas as pd

    from eyelog.archive.sync import STATES

    counts = pd.crosstab(whole["log"], whole["state"]).reindex(
        index=list(logs), columns=list(STATES), fill_value=0
    )
    sums = whole.groupby("log")[["asked", "records", "removed"]].sum().reindex(list(logs))
    emit(counts.assign(days=counts.sum(axis=1), **sums).reset_index(), as_json=False, index=False)
    notable = whole[(whole["state"] == "failed") | (whole["removed"] > 0)]
    for row in notable.head(SHOWN).to_dict("records"):
        removed = f"removed {row['removed']} record(s) that the service no longer has"
        note(f"{row['log']} {row['day']} {row['state']}: {row['reason'] or removed}")
    if len(notable) > SHOWN:
        note(f"... and {len(notable) - SHOWN} more days (--json lists them all)")
