"""The commands that get, keep and give records: archive, service and trial."""

import os
import shlex
import sys
import tempfile
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

import eyelog as el
from eyelog.catalogue import LOGS, check_log, log_named
from eyelog.cli import output as out
from eyelog.cli.command import command
from eyelog.cli.erasing import erase_records, print_erasure
from eyelog.cli.output import note, one_line, print_json, print_list, print_table, records
from eyelog.cli.source import ALL, Files, Source, open_archive, said_of, zones_or_none
from eyelog.errors import ArchiveError, AuthorizationError, ConfigurationError, EyelogError, counted

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.read.head import FileReport


# The service, an account at it, and its cache.


@command
def fetch(
    log: str,
    start: str,
    end: str,
    *,
    account: str = "me",
    tz: str | None = None,
    offline: bool = False,
    refresh: bool = False,
    fields: list[str] | None = None,
    output: Path | None = None,
    location: bool = False,
    json: bool = False,
) -> None:
    """Fetch a log from the service as a table.

    LOG is computed_data or standard_mode_logs; START and END are local days, such as 2026-10-24,
    and END is included.

    Parameters
    ----------
    offline
        Read only the cache.
    refresh
        Fetch again what is cached.
    output : PATH
        Write a .parquet, a .csv, or a folder with one JSON answer per day, not to stdout.
    """
    from eyelog.archive import export

    if output is not None:
        export.check_target(output)
    source = Source(account=account, tz=tz, offline=offline, refresh=refresh)
    frames, origin = source.from_service([check_log(log)], start, end, fields)
    frame = frames[log]
    note(said_of(log, frame, origin, zone_given=tz is not None))
    if not (location or export.names_location(fields)):
        frame = export.without_location(frame)
    if output is not None:
        export.export_frame(frame, output)
        note(f"{len(frame)} records written to {output}")
    elif json:
        print_json(records(frame))
    else:
        export.print_csv(frame, sys.stdout.buffer)


@command
def sync(
    log: str,
    start: str,
    end: str,
    *,
    account: str = "me",
    tz: str | None = None,
    archive: str | None = None,
    json: bool = False,
) -> None:
    """Bring an archive up to date from the service.

    LOG is computed_data, standard_mode_logs, or all; START and END are local days, END included.
    """
    import pandas as pd

    logs = LOGS if log == ALL else (check_log(log),)
    store = open_archive(archive)
    reports = []
    with el.connect(account=account, tz=zones_or_none(tz, archive, account)) as client:
        for each in logs:
            try:
                report = store.sync(client, each, start, end)
            except AuthorizationError:
                note("Stopped: every other day would fail too. The days before are kept.")
                raise
            report.insert(0, "log", each)
            reports.append(report)
    days = pd.concat(reports, ignore_index=True)
    if json:
        print_json(records(days))
    else:
        counts = pd.crosstab(days["log"], days["state"])
        sums = days.groupby("log")[["asked", "records", "removed"]].sum()
        table = counts.assign(days=counts.sum(axis=1)).join(sums)
        print_table(table.loc[:, (table != 0).any()])
        lines = []
        notable = days[(days["state"] == "failed") | (days["removed"] > 0)]
        for row in notable.to_dict("records"):
            removed = f"removed {row['removed']} record(s) that the service no longer has"
            lines.append(f"{row['log']} {row['day']} {row['state']}: {row['reason'] or removed}")
        out.note_first(lines, "days")
    failed = int((days["state"] == "failed").sum())
    if failed:
        raise EyelogError(
            f"{failed} of {len(days)} days failed; the others are in {store.path}: run the same"
            " command again to request what is missing"
        )


@command
def login(*, account: str = "me", code: str | None = None, no_browser: bool = False) -> None:
    """Let eyelog read an account's logs.

    Parameters
    ----------
    account : A
        Name to keep the token under.
    code : CODE
        A grant code, for machines without a browser.
    no_browser
        Print the address instead of opening it.
    """
    from eyelog.fetch.cache import cache_info
    from eyelog.fetch.oauth import login

    client = el.connect(account=account)
    if code is not None:
        client.exchange(code)
    else:
        paste = sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
        login(client.credentials, open_browser=not no_browser, paste=paste)
    note(f"Logged in. Only you can read the token of account {account!r}.")
    stored = cache_info()
    # The service's addresses are the same for every wearer: only the user knows who logged in.
    if ((stored["account"] == account) & (stored["base_url"] == client.base_url)).any():
        note(
            f"Days cached earlier for {account!r} are kept. If this is another wearer, run"
            f" `eyelog cache clear --account {account}`, or log in under another --account."
        )


@command
def logout(*, account: str = "me") -> None:
    """Withdraw eyelog's access, and delete the token here."""
    client = el.connect(account=account)
    try:
        client.revoke()
    except el.RequestError as fault:
        if not client.credentials.forget():
            raise
        raise el.RequestError(
            f"the token of account {account!r} is deleted on this machine, but the service was not"
            f" told ({fault}): until you withdraw the access at {client.base_url}/account, a copy"
            " of the token can be used"
        ) from None
    note(f"Logged out {account!r}: the access is withdrawn, and the token is deleted.")


@command
def cache(
    action: Literal["info", "clear"] = "info", *, account: str | None = None, json: bool = False
) -> None:
    """Show or clear the days that fetches have stored.

    Parameters
    ----------
    action : [info|clear]
    account : A
        Clear only this account.
    """
    from eyelog.fetch.cache import cache_info, clear_cache

    if action == "clear":
        note(f"Cleared {clear_cache(account=account):,} bytes.")
        return
    print_table(cache_info(), json=json, empty="The cache is empty.")


# The archive.


@command
def import_(
    paths: tuple[Path, ...],
    files: Files,
    *,
    archive: str | None = None,
    split_wearers: bool = False,
    replace: bool = False,
    dry_run: bool = False,
    json: bool = False,
) -> None:
    """Put files into the archive.

    A PATH is a CSV or Parquet file of a log, saved answers (JSON), or a folder or zip file of
    these.

    Parameters
    ----------
    paths : PATH...
    tz : Z
        The wearer's time zone, such as Asia/Tokyo, which the archive keeps; dates written without
        an offset are in it; for a wearer who travels, a .csv file with the columns from and tz; or
        the word file, for the offset that each date is written with.
        [default: the account's in the archive, else EYELOG_TZ]
    split_wearers
        The rows of each wearer into the account of that name.
    replace
        Write other values over those that the account has.
    dry_run
        Report what would be imported, change nothing.
    """
    from eyelog.archive.intake import OTHER_KIND, import_files
    from eyelog.read.format import counted_kinds

    if files.wearer is not None and split_wearers:
        raise click.UsageError("--wearer takes one wearer, --split-wearers all: give one of them")
    store = open_archive(archive)
    options: dict[str, Any] = {**vars(files), "account": files.account or "me"}
    options |= {"split_wearers": split_wearers, "replace": replace, "dry_run": dry_run}
    reports = import_files(store, paths, **options)
    if not reports:
        raise ConfigurationError("these paths contain no file: nothing was imported")
    shown = [report for report in reports if report.status != OTHER_KIND]
    if json:
        print_json([_as_json(report) for report in reports])
    elif shown:
        print_table(_import_table(shown, accounts=split_wearers))
    # Files overlap, so together they can have more rows than the archive then has records.
    kept = sum(report.kept for report in reports)
    replaced = sum(report.replaced for report in reports)
    accounts = sorted({report.account for report in reports if report.kept + report.replaced})
    owner = f"account {(accounts or [options['account']])[0]!r}"
    if len(accounts) > 1:
        owner = counted(len(accounts), "account")
    were = "would be" if dry_run else "was" if kept == 1 else "were"
    over = f", and {replaced:,} with other values than before" if replaced else ""
    written = " (dry run: nothing was written)" if dry_run else ""
    note(f"{counted(kept, 'row')} {were} new to {owner} in {store.path}{over}{written}")
    if kinds := [report.kind for report in reports if report.status == OTHER_KIND]:
        note(counted_kinds(kinds))
    refused = [report for report in reports if report.status == "refused"]
    for report in refused:
        note(f"refused {report.file}: {report.reason}")
    if refused:
        others = "the others are imported" if kept + replaced and not dry_run else "see above"
        were = (
            f"{len(refused)} of {len(reports)} files were" if len(reports) > 1 else "the file was"
        )
        raise ArchiveError(f"{were} refused ({others})")


def _import_table(reports: "list[FileReport]", *, accounts: bool) -> "pd.DataFrame":
    """Return what happened to each file, without the folder that they share."""
    import pandas as pd

    folder = os.path.commonpath([os.path.dirname(report.file) for report in reports])  # noqa: PTH120 - as text
    names = {"file": "File", "log": "Log", "status": "Result", "account": "Account"}
    rare = {"repeated": "Repeated", "conflicts": "Conflicts", "refused": "Left out"}
    names |= {"read": "Rows", "kept": "New"} | rare
    table = pd.DataFrame([{name: getattr(report, name) for name in names} for report in reports])
    table["file"] = [one_line(file.removeprefix(folder).lstrip("/\\")) for file in table["file"]]
    table["log"] = [
        f"{log_named(report.log).interval_s:g} s" if report.log else "events" * bool(report.kind)
        for report in reports
    ]
    # Counts that are 0 for every file are not shown: --json has every count of every file.
    left_out = [name for name in rare if not table[name].any()]
    return table.drop(columns=[*left_out, *([] if accounts else ["account"])]).rename(columns=names)


def _as_json(report: "FileReport") -> dict[str, Any]:
    inner = ("differing", "kind", "notes", "lines")
    row = {name: value for name, value in vars(report).items() if name not in inner}
    ends = {name: row[name] and f"{row[name]:%Y-%m-%dT%H:%M:%SZ}" for name in ("first", "last")}
    return row | ends


archive = click.Group("archive", help="What is in the archive, and what is damaged.")


@partial(command, called="list", of=archive)
def archive_list(*, archive: str | None = None, json: bool = False) -> None:
    """List accounts, logs, days, records, gaps."""
    store = open_archive(archive)
    table = store.inventory()
    damaged = int(table["damaged"].sum())
    # Not all columns fit into 80 characters: damage matters more than size. Zones belong to the
    # wearer, not to one log, so they are below.
    shown = out.without_zones(table.drop(columns=["tz", "bytes"] if damaged else "tz"))
    empty = f"The archive {store.path} is empty."
    print_table(table if json else shown, json=json, empty=empty)
    if len(table) and not json:
        print("The first and the last record are in UTC.\n")
        zones = (
            table.drop_duplicates("account")
            .set_index("account")["tz"]
            .fillna("not known: `eyelog archive set-zone` sets it")
        )
        print_list([("Account", "Time zone of the wearer"), *zones.items()])
    if damaged:
        raise ArchiveError(
            f"{counted(damaged, 'damaged month')} in the archive {store.path}, not counted above:"
            " `eyelog archive repair` sets damaged months aside"
        )


@partial(command, called="verify", of=archive)
def archive_verify(*, archive: str | None = None, json: bool = False) -> None:
    """Check every file for damage."""
    from eyelog.archive.place import OF_OLD

    store = open_archive(archive)
    problems = store.verify()
    if json:
        print_json(records(problems))
    else:
        for row in problems.to_dict("records"):
            of = f"{row['log']} of {row['account']!r}, {row['month']}" if row["log"] else "zones"
            print_list([("file", row["file"])], title=f"{of}: {row['problem']}")
    old = int((problems["problem"] == OF_OLD).sum())
    if old:
        files = "1 file is" if old == 1 else f"{old} files are"
        note(
            f"{files} in the archive {store.path} of an older eyelog, and sound: any write that"
            " changes the month writes it anew."
        )
    damaged = len(problems) - old
    if damaged:
        raise ArchiveError(
            f"{counted(damaged, 'problem')} found in the archive {store.path}:"
            " `eyelog archive repair` sets damaged months aside"
        )
    note(f"No damage found in the archive {store.path}.")


@partial(command, called="repair", of=archive)
def archive_repair(*, archive: str | None = None, json: bool = False) -> None:
    """Set damaged months aside, and say which days to get again."""
    store = open_archive(archive)
    table = store.repair()
    if json:
        print_json(records(table))
    elif not len(table):
        note(f"No damage found in the archive {store.path}: nothing was changed.")
    for row in () if json else table.to_dict("records"):
        facts = {
            "set aside in": row["aside"],
            "sync again": row["sync_again"] or "nothing",
            "import again": row["import_again"] or "nothing",
        }
        title = f"{row['log']} of {row['account']!r}, {row['month']}: {row['problem']}"
        print_list(((f"  {what}", fact) for what, fact in facts.items()), title=title)


@partial(command, called="set-zone", of=archive)
def archive_set_zone(
    account: str, zone: str, *, from_: str | None = None, archive: str | None = None
) -> None:
    """Set the time zone of a wearer.

    Every command that reads the account from the archive takes its local days from it, unless --tz
    names another zone. ZONE is one such as Asia/Tokyo; for a wearer who travels, a .csv file with
    the columns from and tz.

    Parameters
    ----------
    account : ACCOUNT
    from_ : DATE
        The first local day in this zone, such as 2026-10-22; days before it keep the zone that they
        have.  [default: the zone holds for all days]
    """
    from eyelog.clock import as_zones

    store = open_archive(archive)
    zones, old = as_zones(zone, what="an archive"), store.zones(account)
    if from_ is not None:
        if zones.vary or len(zones.rows) > 1:
            raise ConfigurationError(
                "a file of zones says from when each holds: leave out --from, or name one zone"
            )
        if old is None:
            zones = type(zones)([(from_, zones.home)])
            note(f"No zone of {account!r} was known: the days before {from_} are in {zones} too.")
        else:
            zones = old.with_zone(zones.home, from_)
    store.set_zones(zones, account=account)
    print(repr(zones))
    if account not in store.accounts():
        note(f"The archive {store.path} has no records of {account!r} yet.")


@partial(command, called="export", of=archive)
def archive_export(
    log: str,
    start: str,
    end: str,
    *,
    output: Path,
    archive: str | None = None,
    account: str = "me",
    tz: str | None = None,
    fields: list[str] | None = None,
    location: bool = False,
) -> None:
    """Write records to CSV, Parquet or JSON answers.

    START and END are local days, such as 2026-10-24; END is included.

    Parameters
    ----------
    output : PATH
        A .csv, a .parquet, or a folder for one JSON answer per day.
    """
    store = open_archive(archive)
    for path in store.export(
        log, start, end, output, account=account, tz=tz, fields=fields, location=location
    ):
        print(path)


@partial(command, called="erase", of=archive)
def archive_erase(
    account: str, *, archive: str | None = None, dry_run: bool = False, json: bool = False
) -> None:
    """Delete everything of one account, and list what cannot be reached.

    Deletes what the archive and the folder of eyelog (EYELOG_HOME) have of the account: months,
    damaged months, ledgers, tokens, caches. What a service knows of the account is deleted by
    eyelog service erase.

    Parameters
    ----------
    account : ACCOUNT
    """
    removed = erase_records(account, archive, dry_run=dry_run)
    service = "a service of this archive: eyelog service erase removes its account, tokens and name"
    print_erasure(account, archive, removed, [service], dry_run=dry_run, json=json)


# A simulated wearer.


@command
def simulate(
    *,
    start: str,
    days: int,
    archive: str | None = None,
    account: str = "me",
    seed: int = 0,
    tz: str | None = None,
) -> None:
    """Write a simulated wearer into an archive.

    Parameters
    ----------
    days : N
        How many days.
    account : A
        Name of the wearer.
    seed : N
        Which wearer; the same seed is always the same person.
    """
    from eyelog.clock import as_zones
    from eyelog.frame import OFFSET

    store = open_archive(archive)
    own = "give the simulated wearer an --account of its own"
    stored = store.zones(account)
    setting = os.environ.get("EYELOG_TZ", "").strip()
    zones = as_zones(tz or stored or setting or "UTC", what="a simulated wearer")
    if stored not in (None, zones):
        raise ConfigurationError(
            f"account {account!r} lives in {stored} in the archive {store.path}: {own}"
        )
    frames = {log: el.simulate(start, days, log=log, seed=seed, tz=zones) for log in LOGS}
    for log, frame in frames.items():
        made = frame.tz_convert("UTC").drop(columns=OFFSET, errors="ignore")
        if account in store.accounts(log):
            first, last = (stamp.to_pydatetime() for stamp in made.index[[0, -1]])
            before = store.read(log, first, last, account=account, tz="UTC")[list(made.columns)]
            if not before.equals(made[made.index.isin(before.index)]):
                raise ConfigurationError(
                    f"account {account!r} has other records of {log!r} on these days in the archive"
                    f" {store.path}: {own}"
                )
    for log, frame in frames.items():
        store.write(log, frame, account=account)
        note(f"{log}: {len(frame)} records of {account!r} in {store.path}")
    store.set_zones(zones, account=account)


@command
def demo(*, output: Path = Path("demo-output")) -> None:
    """Run the main job on a simulated wearer.

    Parameters
    ----------
    output : DIR
        Folder for the records, tables and figures.
    """
    from eyelog.cli.main import program
    from eyelog.embedded import register, serve

    if output.exists() and not output.is_dir():
        raise ConfigurationError(
            f"{output} is a file: give --output a folder for the tables and figures"
        )
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="eyelog-demo-") as folder:
        archive = f"{folder}/archive"
        application, code = register(archive, "me")
        output.mkdir(parents=True, exist_ok=True)
        try:
            # The user's own token would go to the demo's service.
            for name in before:
                if name.startswith("EYELOG_") and name != "EYELOG_DEBUG":
                    del os.environ[name]
            with serve(archive) as base_url:
                os.environ |= {
                    "EYELOG_HOME": folder,
                    "EYELOG_BASE_URL": base_url,
                    "EYELOG_CLIENT_ID": application.client_id,
                    "EYELOG_CLIENT_SECRET": application.client_secret,
                    "EYELOG_REDIRECT_URI": application.redirect_uri,
                }
                for line in _text("steps").splitlines():
                    if not line.startswith(" "):
                        print(f"\n{line}")
                        continue
                    words = shlex.split(line)
                    words = [w.format(archive=archive, code=code, output=output) for w in words]
                    print(f"    $ eyelog {shlex.join(words)}", flush=True)
                    program.main(words, prog_name="eyelog", standalone_mode=False)
        finally:
            os.environ.clear()
            os.environ.update(before)
    print(f"\n{_text('done').format(output=output)}", end="")


def _text(name: str) -> str:
    return files("eyelog.cli").joinpath(f"demo-{name}.txt").read_text("utf-8")


COMMANDS: Final = {
    each.name: each
    for each in (import_, archive, login, logout, fetch, sync, cache, demo, simulate)
}
