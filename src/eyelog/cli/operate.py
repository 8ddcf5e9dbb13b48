"""The commands of the service's operator: accounts, applications, tokens, the key, a check."""

import argparse
import csv
import getpass
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from eyelog.cli.erasing import (
    ELSEWHERE,
    add_arguments,
    erase_records,
    erase_stored,
    led_elsewhere,
    print_protocol,
)
from eyelog.cli.output import add_json, note, one_line
from eyelog.cli.settings import add_settings, with_settings
from eyelog.cli.source import (
    archive_path,
    open_archive,
    service_places,
    warn_of_password,
)
from eyelog.errors import ConfigurationError, listed

if TYPE_CHECKING:
    from eyelog.archive.store import Archive
    from eyelog.clock import Zones
    from eyelog.service.auth.ending import Ended
    from eyelog.service.auth.registry import Registry
    from eyelog.service.check import Finding

__all__ = ["add_commands"]

_INVITED_DAYS: Final = 14
_LONGEST_LINE: Final = 8192  # bytes of a password on stdin; 1,024 characters are allowed


def add_commands(commands: Any) -> None:
    """Add the command `service` with its actions."""
    service = commands.add_parser(
        "service",
        help="manage the service: accounts, applications, tokens",
        description="Manage the service of an archive. A running service notices every change"
        " within a second. What is changed here is written to the audit log beside the state.",
    )
    actions = service.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_accounts(actions)
    _add_applications(actions)
    _add_tokens(actions)
    _add_upkeep(actions)


def _action(
    actions: Any,
    name: str,
    run: Callable[[argparse.Namespace], int | None],
    text: str,
    more: str = "",
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}.{more and ' '}{more}"
    )
    add_settings(parser, ("archive", "state", "local"))
    parser.set_defaults(run=with_settings(run))
    return parser


def _add_accounts(actions: Any) -> None:
    account = _action(
        actions,
        "add-account",
        _add_account,
        "add a wearer who can log in",
        "Without a password the account can only log in with a code of issue-code.",
    )
    account.add_argument("name", metavar="NAME", help="the account's name")
    _add_password(account, required=False)

    several = _action(
        actions,
        "add-accounts",
        _add_accounts_of_file,
        "add the wearers of a CSV file, all or none",
        "Its columns are name, password, study, role (wearer, staff or admin) and zone. All but the"
        " name may be empty.",
    )
    several.add_argument("file", type=Path, metavar="FILE", help="the CSV file")
    several.add_argument(
        "--invite",
        type=Path,
        metavar="LINKS",
        help="write a new CSV file, which only you can read, with a link for each account without a"
        f" password: with it the wearer chooses one, once, within {_INVITED_DAYS} days",
    )
    several.add_argument(
        "--base-url",
        metavar="URL",
        help="the address of the service in these links (default: EYELOG_BASE_URL)",
    )

    listed = _action(
        actions, "list-accounts", _list_accounts, "list the accounts, and who has access"
    )
    listed.add_argument("--study", metavar="STUDY", help="only the accounts of this study")
    add_json(listed)

    password = _action(
        actions,
        "set-password",
        _set_password,
        "give an account another password",
        "Tokens stay valid; `eyelog service revoke --account NAME` ends them.",
    )
    password.add_argument("name", metavar="NAME", help="the account's name")
    _add_password(password, required=True)

    for name, run, text, more in (
        (
            "disable",
            _disable,
            "refuse every login and token of accounts",
            "Nothing is deleted: enable makes logins and tokens valid again.",
        ),
        ("enable", _enable, "allow disabled accounts again", ""),
        (
            "remove-account",
            _remove_account,
            "remove accounts with their tokens",
            "Their records stay in the archive.",
        ),
        (
            "set-zone",
            _set_zone,
            "set the time zone of wearers",
            "Every command that reads the archive takes their local days from it.",
        ),
    ):
        parser = _action(actions, name, run, text, more)
        parser.add_argument("name", nargs="?", metavar="NAME", help="the account's name")
        _add_several(parser)
    parser.add_argument(
        "--tz",
        metavar="Z",
        help="the zone, such as Asia/Tokyo, or a .csv file with the columns from and tz; may be"
        " left out with --csv, if that file has the column zone",
    )

    erase = _action(
        actions,
        "erase",
        _erase,
        "delete everything of one account, and list what cannot be reached",
        "Its login, tokens and counts, its records in the archive, and what the folder of eyelog"
        " (EYELOG_HOME) has of it. In the audit log a pseudonym replaces the name.",
    )
    add_arguments(erase)


def _add_several(parser: argparse.ArgumentParser) -> None:
    """Let a command take many accounts instead of one."""
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="all accounts in the column name of a CSV file"
    )
    parser.add_argument("--all-in", metavar="STUDY", help="all accounts of a study")
    parser.set_defaults(usage=parser.error)


def _add_password(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--password-stdin",
        action="store_true",
        required=required,
        help="read the password, at least 8 characters, from the first line of stdin",
    )


def _add_applications(actions: Any) -> None:
    application = _action(
        actions,
        "add-application",
        _add_application,
        "register an application and print its id and secret",
    )
    application.add_argument(
        "--redirect-uri", required=True, metavar="URI", help="where logins return to"
    )
    application.add_argument(
        "--name", default="", metavar="TEXT", help="what the login page calls the application"
    )
    add_json(application)

    listed = _action(actions, "list-applications", _list_applications, "list the applications")
    add_json(listed)

    rotated = _action(
        actions,
        "rotate-secret",
        _rotate_secret,
        "replace an application's secret, and print the new one",
        "The old secret ends at once. Tokens stay valid, but only the new secret refreshes them.",
    )
    _add_application_word(rotated)
    add_json(rotated)

    removed = _action(
        actions, "remove-application", _remove_application, "remove an application with its tokens"
    )
    _add_application_word(removed)


def _add_application_word(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("application", metavar="APPLICATION", help="its client id or its name")


def _add_tokens(actions: Any) -> None:
    code = _action(
        actions, "issue-code", _issue_code, "print a grant code, for a login without a browser"
    )
    code.add_argument("--account", required=True, metavar="A", help="who grants access")
    code.add_argument("--client-id", required=True, metavar="ID", help="the application's id")
    code.add_argument(
        "--redirect-uri", required=True, metavar="URI", help="the application's redirect URI"
    )

    upload = _action(
        actions,
        "upload-token",
        _upload_token,
        "print a new upload token of a wearer, once",
        "With it a program (eyelog push) can add records to the account, and read nothing. It ends"
        " when it was not used for a year, with `eyelog service revoke`, or on the wearer's page.",
    )
    upload.add_argument("name", metavar="NAME", help="the account's name")

    listed = _action(
        actions,
        "list-tokens",
        _list_tokens,
        "list the tokens that can be used",
        "Tokens themselves are never shown. A refresh token lasts for a year after its last use.",
    )
    add_json(listed)

    revoke = _action(
        actions,
        "revoke",
        _revoke,
        "end tokens at once, such as those on a lost laptop",
        "With both --account and --application, only that application's access to that account"
        " ends.",
    )
    revoke.add_argument("--account", metavar="A", help="every token of this account")
    revoke.add_argument(
        "--application", metavar="APPLICATION", help="every token of this application (id or name)"
    )
    revoke.add_argument("--all", action="store_true", help="every token of the service")
    _add_several(revoke)


def _add_upkeep(actions: Any) -> None:
    _action(
        actions,
        "rotate-key",
        _rotate_key,
        "replace the key that signs cursors, forms and cookies",
        "Do so when somebody may have read the state file. Tokens stay valid.",
    )
    retention = _action(
        actions,
        "set-retention",
        _set_retention,
        "set for how many days a study keeps records",
        "Nothing is deleted now: prune deletes what is older.",
    )
    retention.add_argument("study", metavar="STUDY", help="the study's name")
    retention.add_argument("days", metavar="DAYS", help="the days, such as 730d, or forever")
    prune = _action(
        actions,
        "prune",
        _prune,
        "delete the months that are older than a study keeps its records",
        "Of each study that has a retention (set-retention), or of all accounts with --older-than."
        " A month goes as a whole, when all of it is older. What it prints is the protocol.",
    )
    prune.add_argument(
        "--older-than",
        metavar="DAYS",
        help="the age in days, such as 730d, whatever the studies keep",
    )
    prune.add_argument("--all-in", metavar="STUDY", help="only the accounts of a study")
    prune.add_argument(
        "--dry-run", action="store_true", help="list what would be removed, change nothing"
    )
    add_json(prune)

    copy = _action(
        actions,
        "copy-state",
        _copy_state,
        "copy the state from its file into a database, which several hosts can share",
        "Stop the service before. The database has to be empty; the file stays as it is.",
    )
    copy.add_argument("to", metavar="TO", help="the database, postgresql://USER@HOST/NAME")

    backup = _action(
        actions,
        "backup",
        _backup,
        "copy the state, the audit log and the archive while the service runs",
        "The copy is read back and checked. It holds health data, password hashes and a key:"
        " encrypt it.",
    )
    backup.add_argument("to", metavar="TO", help="a folder that does not exist yet, or is empty")
    add_json(backup)

    restored = _action(
        actions,
        "restore",
        _restore,
        "put a backup back, after checking it whole",
        "Stop the service before. Files that differ are set aside, files that the backup lacks"
        " stay, and the records of accounts that were erased since are left out.",
    )
    restored.add_argument("source", metavar="FROM", help="a folder that backup has made")
    add_json(restored)

    again = _action(
        actions,
        "after-restore",
        _after_restore,
        "end what a restored state has revived: revoked tokens, removed accounts",
        "Ends are noted in the archive, where putting back the state does not lose them.",
    )
    add_json(again)

    printed = actions.add_parser(
        "print-config",
        help="print a settings file, or one for systemd, nginx, logrotate, docker or compose",
        description="Print the file that the documentation shows: the settings (eyelog.toml), or"
        " that of a program around the service. Change its paths and the name of the machine before"
        " use.",
    )
    printed.add_argument(
        "program",
        choices=["settings", "systemd", "nginx", "logrotate", "docker", "compose"],
        help="the settings, or which program's file",
    )
    printed.set_defaults(run=_print_config)

    check = _action(
        actions,
        "check",
        _check,
        "check the state, the archive, and whether they match",
        "Also prints each setting in force, and where it comes from. Changes nothing; the exit"
        " status is 1 if something is wrong.",
    )
    add_json(check)


# What the actions share.


def _registry(args: argparse.Namespace, *, existing: bool = True) -> "Registry":
    from eyelog.service.auth.registry import Registry

    registry = Registry(*service_places(args))
    if existing:
        registry.require_state()
    return registry


def _audit(registry: "Registry", event: str, **what: Any) -> None:
    """Write what the operator did to the audit log."""
    from eyelog.service.audit import Audit

    try:
        operator = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name
        operator = None
    Audit(registry.state_folder).write(f"admin.{event}", operator=operator, **what)


def _password() -> str:
    """Return the first line of stdin, which has to be UTF-8 as the login page sends it."""
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    line = stream.readline(_LONGEST_LINE) if stream is not None else ""
    try:
        text: str = line.decode() if isinstance(line, bytes) else line
    except UnicodeDecodeError:
        raise ConfigurationError("the password on stdin is not text in UTF-8") from None
    return text.rstrip("\r\n")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    from eyelog.analysis.sheet import Heading, Sheet

    heads = [Heading(text, text, is_text=True, is_extra=text == "Added") for text in headings]
    return Sheet(heads, [[one_line(cell) for cell in row] for row in rows]).text(more="--json")


def _show(headings: Sequence[str], rows: Sequence[Sequence[str]], *, none: str) -> None:
    if rows:
        print(_table(headings, rows))
    else:
        note(none)


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=1))


def _stamp(seconds: float | None) -> str | None:
    """Return an instant as text for programs."""
    if seconds is None:
        return None
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _day(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _minute(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def _say_ended(ended: "list[Ended]", *, what: str) -> None:
    """Print which tokens ended, one line per account and application."""
    for one in ended:
        name = f"{one.name!r} ({one.client_id})" if one.name else one.client_id
        whose = f"application {name}" if name else "of its own devices"
        kind = "access" if name else "upload"
        counts = [
            f"{count} {what_kind} token{'s' if count > 1 else ''}"
            for count, what_kind in ((one.refresh, "refresh"), (one.access, kind))
            if count
        ]
        print(f"ended: {' and '.join(counts)} of account {one.account!r}, {whose}")
    if not ended:
        print(f"ended: no token; {what} had none that could be used")


def _by_account(ended: "list[Ended]") -> "dict[str, list[Ended]]":
    ends: dict[str, list[Ended]] = {}
    for one in ended:
        ends.setdefault(one.account, []).append(one)
    return ends


def _counts(ended: "list[Ended]") -> dict[str, int]:
    return {"tokens": sum(one.refresh + one.access for one in ended)}


# Accounts.


def _add_account(args: argparse.Namespace) -> None:
    registry = _registry(args, existing=False)
    registry.accounts.add(args.name, _password() if args.password_stdin else None)
    _audit(registry, "add_account", account=args.name, password=args.password_stdin)
    note(f"Account {args.name!r} added.")


def _add_accounts_of_file(args: argparse.Namespace) -> None:
    from eyelog.disk.files import new_file
    from eyelog.service.auth.secrets import new_token
    from eyelog.service.wearers_file import read_wearers

    listed = read_wearers(args.file)
    registry, archive = _registry(args, existing=False), open_archive(args)
    new = [one.account for one in listed]
    zones = _zones_to_set(archive, {one.account.name: one.zone for one in listed if one.zone})
    if args.invite is None:
        registry.accounts.add_all(new)
    else:
        address = _address(args)
        codes = {one.name: new_token() for one in new if one.password is None}
        links = [(name, f"{address}/invitation?code={codes[name]}") for name in codes]
        try:
            # The links first: an account whose link is lost cannot be invited again.
            with new_file(args.invite) as sink:
                sink.write(_csv([("name", "link"), *links]))
        except FileExistsError:
            raise ConfigurationError(
                f"{args.invite} exists already: name a new file for the links"
            ) from None
        try:
            registry.accounts.add_all(new, codes)
        except BaseException:
            args.invite.unlink(missing_ok=True)
            raise
    for name, zone in zones.items():
        archive.set_zones(zone, account=name)
    _audit(
        registry,
        "add_accounts",
        accounts=len(new),
        invited=args.invite is not None,
        zones=len(zones),
    )
    note(f"{_accounts(len(new))} added.")
    if args.invite is not None:
        note(
            f"{len(links)} links are in {args.invite}. Each works once, until {_INVITED_DAYS} days"
            " have passed: give every wearer their own, then delete the file."
        )


def _address(args: argparse.Namespace) -> str:
    """Return the address of the service without a slash at its end."""
    address: str = args.base_url or os.environ.get("EYELOG_BASE_URL", "")
    if not address.startswith(("https://", "http://")):
        raise ConfigurationError(
            "the links need the address of the service: pass --base-url https://logs.example.org"
        )
    return address.rstrip("/")


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _accounts(count: int) -> str:
    return "1 account" if count == 1 else f"{count:,} accounts"


def _zones_to_set(archive: "Archive", zones: dict[str, str]) -> "dict[str, Zones]":
    """Return the zones of wearers that the archive does not know yet; refuse a different zone."""
    from eyelog.clock import as_zones

    wanted = {name: as_zones(zone, what="a list of wearers") for name, zone in zones.items()}
    for name, zone in wanted.items():
        if (stored := archive.zones(name)) not in (None, zone):
            raise ConfigurationError(
                f"account {name!r} lives in {stored} in the archive, not in {zone}: eyelog service"
                " set-zone changes it"
            )
    return {name: zone for name, zone in wanted.items() if archive.zones(name) is None}


def _chosen(args: argparse.Namespace, registry: "Registry", name: str | None) -> dict[str, str]:
    """Return the accounts that a command is for: one by its name, those of a file or a study.

    With each comes the zone that the file gives it, otherwise an empty text.
    """
    if sum(each is not None for each in (name, args.csv, args.all_in)) != 1:
        args.usage("say which accounts: one of NAME, --csv FILE and --all-in STUDY")
    if args.all_in is not None:
        return dict.fromkeys(registry.accounts.in_study(args.all_in), "")
    if args.csv is None:
        zones = {str(name): ""}
    else:
        from eyelog.service.wearers_file import read_wearers

        zones = {one.account.name: one.zone for one in read_wearers(args.csv)}
    registry.accounts.check([*zones])
    return zones


def _list_accounts(args: argparse.Namespace) -> None:
    registry = _registry(args)
    access: dict[str, dict[str, float | None]] = {}
    for token in registry.grants.issued():
        used = access.setdefault(token.account, {})
        used[token.client_id] = max(used.get(token.client_id) or 0, token.last_used or 0) or None
    accounts = registry.accounts.all()
    if args.study is not None:
        members = set(registry.accounts.in_study(args.study))
        accounts = [one for one in accounts if one.name in members]
    last = {
        name: max((at for at in used.values() if at is not None), default=None)
        for name, used in access.items()
    }
    if args.json:
        _print_json(
            [
                {
                    "account": one.name,
                    "password": one.has_password,
                    "disabled": one.disabled,
                    "study": one.study,
                    "role": one.role,
                    "added": _stamp(one.added),
                    "applications": len(access.get(one.name, ())),
                    "last_used": _stamp(last.get(one.name)),
                }
                for one in accounts
            ]
        )
        return
    has_studies = any(one.study or one.role != "wearer" for one in accounts)
    rows = [
        [
            one.name,
            "disabled" if one.disabled else "password" if one.has_password else "by code only",
            *([one.study, one.role] if has_studies else []),
            _day(one.added),
            f"{len(access.get(one.name, ()))}",
            _minute(last.get(one.name)),
        ]
        for one in accounts
    ]
    studies = ["Study", "Role"] if has_studies else []
    headings = ["Account", "Login", *studies, "Added", "Applications", "Last used (UTC)"]
    _show(headings, rows, none="There is no account yet: eyelog service add-account NAME.")


def _set_password(args: argparse.Namespace) -> None:
    registry = _registry(args)
    registry.accounts.find(args.name)  # before stdin is read
    registry.accounts.set_password(args.name, _password())
    _audit(registry, "set_password", account=args.name)
    note(
        f"Account {args.name!r} has another password. Its tokens stay valid:"
        f" {_typed(args, 'revoke', '--account', args.name)} ends them."
    )


def _switched(args: argparse.Namespace, step: Literal["disable", "enable"]) -> list[str]:
    """Disable or enable the accounts that a command is for, and return their names."""
    registry = _registry(args)
    names = [*_chosen(args, registry, args.name)]
    switch = registry.accounts.disable if step == "disable" else registry.accounts.enable
    switch(*names)
    for name in names:
        _audit(registry, step, account=name)
    return names


def _disable(args: argparse.Namespace) -> None:
    names = _switched(args, "disable")
    if args.name is None:
        note(f"{_accounts(len(names))} disabled: logins and tokens are refused until enable.")
        return
    note(
        f"Account {args.name!r} is disabled: logins and tokens are refused until"
        f" {_typed(args, 'enable', args.name)}."
    )


def _enable(args: argparse.Namespace) -> None:
    names = _switched(args, "enable")
    if args.name is None:
        note(f"{_accounts(len(names))} enabled: logins and tokens are valid again.")
        return
    note(f"Account {args.name!r} is enabled: its logins and tokens are valid again.")


def _remove_account(args: argparse.Namespace) -> None:
    registry = _registry(args)
    names = _chosen(args, registry, args.name)
    by_name = _by_account(registry.accounts.remove(*names))
    for name in names:
        ended = by_name.get(name, [])
        _audit(registry, "remove_account", account=name, **_counts(ended))
        print(one_line(f"removed: account {name!r}"))
        if ended or args.name is not None:
            _say_ended(ended, what="the account")
    if args.name is None:
        note("Their records stay in the archive: eyelog service erase deletes those of one wearer.")
        return
    folders = _folders_of(args, args.name)
    if folders:
        note(
            f"The records of {args.name!r} stay in the archive: {', '.join(folders)}."
            f" {_typed(args, 'erase', args.name)} deletes them and every other trace; an account of"
            " the same name could read them again."
        )
    else:
        note(f"The archive has no records of {args.name!r}.")


def _set_zone(args: argparse.Namespace) -> None:
    from eyelog.clock import FILE_ZONE, as_zones

    registry, archive = _registry(args), open_archive(args)
    given = _chosen(args, registry, args.name)
    if args.name is None:  # staff have no records
        wearers = {one.name for one in registry.accounts.all() if one.role == "wearer"}
        given = {name: zone for name, zone in given.items() if name in wearers}
    if args.tz is not None:
        given = dict.fromkeys(given, args.tz)
    if without := [name for name, zone in given.items() if not zone]:
        raise ConfigurationError(
            f"no zone is given for {without[0]!r}: pass --tz, or --csv with the column zone"
        )
    if args.tz == FILE_ZONE:
        raise ConfigurationError("'file' is for the dates of files: give the zone, as Asia/Tokyo")
    zones = {name: as_zones(zone, what="an archive") for name, zone in given.items()}
    for name, zone in zones.items():
        archive.set_zones(zone, account=name)
        _audit(registry, "set_zone", account=name)
        print(one_line(f"{name}: {zone}"))


def _erase(args: argparse.Namespace) -> None:
    from eyelog.service.erase import erase_account, out_of_reach

    registry = _registry(args, existing=False)
    # The login first: nobody can then request records that are half gone.
    erased = erase_account(registry, args.account, dry_run=args.dry_run)
    units = {"audit log": "lines", "coming in": "files"}
    rows = [(one.what, one.path, one.count, units.get(one.what, "rows")) for one in erased]
    rows += erase_records(args)
    rows += erase_stored(args)
    if rows and not args.dry_run:
        _audit(registry, "erase", places=len(rows))
    print_protocol(args, rows, out_of_reach(registry))


def _folders_of(args: argparse.Namespace, account: str) -> list[str]:
    """Return the folders with records of an account."""
    from eyelog.archive.account_folders import folder
    from eyelog.archive.months import months
    from eyelog.archive.place import open_place
    from eyelog.catalogue import known_logs

    place = open_place(open_archive(args).path)
    return [folder(place, log, account) for log in known_logs() if months(place, log, account)]


def _shown(state: str) -> str:
    """Return the state of a service without a password."""
    from eyelog.service.auth.state import is_database, shown_database

    return shown_database(state) if is_database(state) else state


def _typed(args: argparse.Namespace, *words: str) -> str:
    """Return a command on the same service, as it is typed."""
    options = [
        ("--archive", args.archive),
        ("--state", _shown(args.state or "")),
        ("--local", args.local),
    ]
    places = [word for option, value in options if value for word in (option, value)]
    return f"`{shlex.join(['eyelog', 'service', words[0], *places, *words[1:]])}`"


# Applications.


def _exports(client_id: str, secret: str, redirect_uri: str) -> str:
    """Return the settings of an application as lines for a shell."""
    settings = {
        "EYELOG_CLIENT_ID": client_id,
        "EYELOG_CLIENT_SECRET": secret,
        "EYELOG_REDIRECT_URI": redirect_uri,
    }
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in settings.items())


def _add_application(args: argparse.Namespace) -> None:
    registry = _registry(args, existing=False)
    client_id, secret = registry.applications.add(args.redirect_uri, name=args.name)
    _audit(registry, "add_application", application=client_id, name=args.name or None)
    if args.json:
        application = {
            "client_id": client_id,
            "client_secret": secret,
            "redirect_uri": args.redirect_uri,
            "name": args.name,
        }
        print(json.dumps(application))
        return
    print("# The address of the service, which eyelog serve prints when it starts:")
    print("# export EYELOG_BASE_URL=http://127.0.0.1:8765")
    print(_exports(client_id, secret, args.redirect_uri))
    note("Keep the secret now: it is not shown again.")


def _list_applications(args: argparse.Namespace) -> None:
    registry = _registry(args)
    wearers: dict[str, set[str]] = {}
    for token in registry.grants.issued():
        wearers.setdefault(token.client_id, set()).add(token.account)
    applications = registry.applications.all()
    if args.json:
        _print_json(
            [
                asdict(one)
                | {"added": _stamp(one.added), "accounts": len(wearers.get(one.client_id, ()))}
                for one in applications
            ]
        )
        return
    rows = [
        [
            one.name or "(no name)",
            one.client_id,
            one.redirect_uri,
            f"{len(wearers.get(one.client_id, ()))}",
            _day(one.added),
        ]
        for one in applications
    ]
    headings = ["Name", "Client id", "Redirect URI", "Accounts", "Added"]
    none = "There is no application yet: eyelog service add-application --redirect-uri URI."
    _show(headings, rows, none=none)


def _rotate_secret(args: argparse.Namespace) -> None:
    registry = _registry(args)
    application = registry.applications.find(args.application)
    secret = registry.applications.rotate_secret(application.client_id)
    _audit(registry, "rotate_secret", application=application.client_id)
    if args.json:
        print(json.dumps({"client_id": application.client_id, "client_secret": secret}))
        return
    print(f"export EYELOG_CLIENT_SECRET={shlex.quote(secret)}")
    note(
        f"Application {application.label!r} has another secret, and the old one ended. Keep it now:"
        " it is not shown again."
    )


def _remove_application(args: argparse.Namespace) -> None:
    registry = _registry(args)
    application = registry.applications.find(args.application)
    ended = registry.applications.remove(application.client_id)
    _audit(
        registry,
        "remove_application",
        application=application.client_id,
        name=application.name or None,
        **_counts(ended),
    )
    print(f"removed: application {application.label!r}")
    _say_ended(ended, what="the application")


# Tokens.


def _issue_code(args: argparse.Namespace) -> None:
    registry = _registry(args, existing=False)
    code = registry.grants.issue_code(args.account, args.client_id, args.redirect_uri)
    application = registry.applications.find(args.client_id)
    _audit(registry, "issue_code", account=args.account, application=application.client_id)
    print(code)


def _upload_token(args: argparse.Namespace) -> None:
    registry = _registry(args)
    token = registry.grants.issue_upload_token(args.name)
    _audit(registry, "upload_token", account=args.name)
    print(token)
    if sys.stdout.isatty():
        note("This token is shown only now. Whoever has it can add records to the account.")


def _list_tokens(args: argparse.Namespace) -> None:
    tokens = _registry(args).grants.issued()
    if args.json:
        _print_json(
            [
                {
                    "account": one.account,
                    "client_id": one.client_id,
                    "name": one.name,
                    "kind": one.kind,
                    "issued": _stamp(one.issued),
                    "last_used": _stamp(one.last_used),
                    "expires": _stamp(one.expires),
                }
                for one in tokens
            ]
        )
        return
    rows = [
        [
            one.account,
            one.name or one.client_id or "(upload token)",
            one.kind,
            _day(one.issued),
            _minute(one.last_used),
            _day(one.expires),
        ]
        for one in tokens
    ]
    headings = ["Account", "Application", "Kind", "Issued", "Last used (UTC)", "Expires"]
    _show(headings, rows, none="No token can be used: nobody is logged in.")


def _revoke(args: argparse.Namespace) -> None:
    several = args.csv is not None or args.all_in is not None
    if args.all and (args.account is not None or args.application is not None or several):
        args.usage("--all goes with no other choice")
    if not (args.all or several or args.account is not None or args.application is not None):
        args.usage(
            "say what to end: --account A, --csv FILE, --all-in STUDY, --application APPLICATION or"
            " --all"
        )
    registry = _registry(args)
    application = args.application and registry.applications.find(args.application)
    client_id = application.client_id if application else None
    if several:
        names = [*_chosen(args, registry, args.account)]
        by_name = _by_account(registry.grants.revoke_all(accounts=names, client_id=client_id))
        for name in names:
            ended = by_name.get(name, [])
            _audit(registry, "revoke", account=name, application=client_id, **_counts(ended))
            if ended:
                _say_ended(ended, what="the account")
        note("Codes not exchanged yet have ended too. The wearers have to log in again.")
        return
    whose = args.account
    accounts = None if whose is None else [whose]
    ended = registry.grants.revoke_all(accounts=accounts, client_id=client_id)
    _audit(registry, "revoke", account=whose, application=client_id, **_counts(ended))
    what = " and ".join(
        text
        for text in (
            f"account {args.account!r}" if args.account is not None else "",
            f"application {application.label!r}" if application else "",
        )
        if text
    )
    _say_ended(ended, what=what or "the service")
    if args.account is not None and application is None:
        note(
            f"Codes not exchanged yet and sessions in browsers have ended too. {args.account!r} has"
            " to log in again. If the password may be known,"
            f" {_typed(args, 'set-password', args.account, '--password-stdin')} sets another."
        )
    else:
        note("Codes not exchanged yet have ended too. The wearers have to log in again.")


# The key, and a check.


def _rotate_key(args: argparse.Namespace) -> None:
    registry = _registry(args)
    registry.rotate_key()
    _audit(registry, "rotate_key")
    print("ended: cursors, open login pages, sessions in browsers and marks of known browsers")
    note(
        "The signing key was replaced; a running service uses the new one within a second. A fetch"
        " that was under way fails and has to be started again. Tokens stay valid."
    )


def _days_of(text: str, what: str) -> int:
    """Return the number of days of a text such as 730d."""
    days = re.fullmatch(r"([1-9]\d{0,4})d", text)
    if days is None:
        raise ConfigurationError(f"{what} takes a number of days such as 730d, not {text!r}")
    return int(days[1])


def _set_retention(args: argparse.Namespace) -> None:
    days = None if args.days == "forever" else _days_of(args.days, "a study's retention")
    registry = _registry(args)
    registry.retention.set(args.study, days)
    _audit(registry, "set_retention", study=args.study, days=days)
    if days is None:
        note(f"Study {args.study!r} keeps its records forever.")
        return
    note(
        f"Study {args.study!r} keeps its records for {days:,} days."
        f" {_typed(args, 'prune', '--dry-run')} shows which are older."
    )


def _kept_days(args: argparse.Namespace, registry: "Registry") -> list[tuple[str | None, int]]:
    """Return the studies to prune, None for the whole archive, and how many days each keeps."""
    if args.older_than is not None:
        return [(args.all_in, _days_of(args.older_than, "--older-than"))]
    kept: list[tuple[str | None, int]] = list(registry.retention.days().items())
    if args.all_in is not None:
        registry.accounts.in_study(args.all_in)  # a misspelt name has its own message
        kept = [(study, days) for study, days in kept if study == args.all_in]
    if not kept:
        nothing = (
            "no study has a retention"
            if args.all_in is None
            else f"study {args.all_in!r} has no retention"
        )
        raise ConfigurationError(
            f"{nothing}: give --older-than 730d, or set one with"
            f" {_typed(args, 'set-retention', args.all_in or 'STUDY', '730d')}"
        )
    return kept


def _prune(args: argparse.Namespace) -> None:
    from eyelog.archive.erase import named_accounts
    from eyelog.archive.place import open_place
    from eyelog.archive.prune import prune

    registry = _registry(args)
    place = open_place(registry.archive)
    now = datetime.now(UTC)
    pruned = []
    kept_days = _kept_days(args, registry)
    members = registry.accounts.by_study()
    # The study of removed accounts is unknown; their records may have to be deleted too.
    left = set() if args.older_than or args.all_in else named_accounts(place)
    for study, days in kept_days:
        before = now - timedelta(days=days)
        accounts = None if study is None else set(members.get(study, []))
        left -= accounts or set()
        removed = prune(place, before, accounts=accounts, dry_run=args.dry_run)
        if removed and not args.dry_run:
            _audit(registry, "prune", study=study, days=days, files=len(removed))
        pruned.append((study, days, before, removed))
    every = [(one.what, one.path) for *_, removed in pruned for one in removed]
    beyond = [*led_elsewhere(every), *ELSEWHERE]
    if args.json:
        protocol = {
            "dry_run": args.dry_run,
            "pruned": [
                {
                    "study": study,
                    "days": days,
                    "before": f"{before:%Y-%m-%dT%H:%M:%SZ}",
                    "removed": [asdict(one) for one in removed],
                }
                for study, days, before, removed in pruned
            ],
            "without_retention": sorted(left),
            "not_reached": beyond,
        }
        _print_json(protocol)
        return
    did = "would remove" if args.dry_run else "removed"
    for study, days, before, removed in pruned:
        whose = "all accounts" if study is None else f"study {study!r}"
        print(one_line(f"{whose}: kept for {days:,} days, since {before:%Y-%m-%d %H:%M} UTC"))
        for one in removed:
            print(one_line(f"{did}: {one.what}, {one.bytes:,} bytes: {one.path}"))
    if left:
        names = listed(sorted(left))
        print(one_line(f"not pruned: {_accounts(len(left))} without a retention: {names}"))
    for text in beyond:
        print(one_line(f"not reached: {text}"))
    if not any(removed for *_, removed in pruned):
        note("No month is older.")


def _copy_state(args: argparse.Namespace) -> None:
    from eyelog.service.auth.state import State
    from eyelog.service.auth.state_copy import copy_state

    registry = _registry(args)
    warn_of_password(args.to)
    target = State(registry.archive, args.to, registry.state_folder)
    for table, rows in copy_state(registry.state, target).items():
        print(f"{table}: {rows:,} {'row' if rows == 1 else 'rows'}")
    _audit(registry, "copy_state", to=target.name)
    note(
        f"The state is in {target.name} now, and every row was read back. Name it in the settings"
        f" (state = ...), start the service, and remove {registry.state.file} when all is well:"
        " it has password hashes and a key."
    )


def _backup(args: argparse.Namespace) -> None:
    from eyelog.service.backup import back_up

    registry = _registry(args)
    made = back_up(registry, Path(args.to))
    _audit(registry, "backup", files=made.files)
    if args.json:
        _print_json(asdict(made))
    else:
        print(f"backed up: {made.files:,} files, {made.bytes:,} bytes, read back, in {made.folder}")
    if isinstance(registry.archive, str):
        note(
            f"The archive {open_archive(args).path} is not in it: copy the bucket by its own means."
        )
    if made.damaged:
        months = "1 month is" if made.damaged == 1 else f"{made.damaged} months are"
        note(
            f"{months} damaged, in the backup as in the archive: eyelog archive verify lists them."
        )


def _restore(args: argparse.Namespace) -> None:
    from eyelog.service.backup import restore

    registry = _registry(args, existing=False)
    done = restore(registry, Path(args.source))
    _audit(registry, "restore", made=done.made, files=done.put_back)
    if args.json:
        _print_json(asdict(done))
    else:
        print(f"restored: {done.put_back:,} files of the backup of {done.made}")
        for path in done.set_aside:
            print(f"set aside: {one_line(path)}")
        for count, what in (
            (done.kept, "kept: {} files of the archive that the backup does not have"),
            (done.erased, "left out: {} files of accounts that were erased since"),
        ):
            if count:
                print(what.format(f"{count:,}"))
    note(
        f"Next, {_typed(args, 'after-restore')} ends what had ended since the backup, and"
        f" {_typed(args, 'check')} checks the whole. Passwords and the secrets of applications are"
        " those of the backup."
    )


def _after_restore(args: argparse.Namespace) -> None:
    from eyelog.service.auth.restored import end_again
    from eyelog.service.check import erased_with_records
    from eyelog.service.erase import erase_account, erased_names

    registry = _registry(args)
    archive = open_archive(args)
    records = erased_with_records(registry)
    names = sorted({*records, *erased_names(registry)})
    ended = end_again(registry)
    for name in names:
        erase_account(registry, name, dry_run=False)
    for name in records:
        archive.erase(name)
    counts = {
        "tokens": len(ended.tokens),
        "accounts": len(ended.accounts),
        "applications": len(ended.applications),
        "disabled": len(ended.enabled),
        "invitations": len(ended.invitations),
        "erased": len(names),
    }
    if any(counts.values()):
        _audit(registry, "after_restore", **counts)
    if args.json:
        _print_json(counts)
        return
    for name in ended.accounts:
        if name not in names:
            print(f"removed: account {name!r}")
    for name in ended.enabled:
        print(f"disabled: account {name!r}")
    for client_id in ended.applications:
        print(f"removed: application {client_id}")
    if ended.tokens:
        print(f"ended: {len(ended.tokens)} token{'s' if len(ended.tokens) > 1 else ''}")
    if ended.invitations:
        print(
            f"ended: {len(ended.invitations)} invitation{'s' if len(ended.invitations) > 1 else ''}"
        )
    if names:
        print(f"erased: {len(names)} account{'s' if len(names) > 1 else ''}")
    if not any(counts.values()):
        note("Nothing lives again that had ended.")


def _print_config(args: argparse.Namespace) -> None:
    from eyelog.service.configuration import configuration

    print(configuration(args.program), end="")


def _settings_in_force(args: argparse.Namespace) -> Iterator["Finding"]:
    """Yield each setting of a service that starts now, and where it comes from."""
    from eyelog.service.check import Finding

    unset = {"archive": archive_path(args)} | dict.fromkeys(
        ("state", "local"), "the archive's folder"
    )
    for name, (value, origin) in args.in_force.items():
        shown = unset.get(name, "none") if value in (None, "") else value
        if name == "state":
            shown = _shown(str(shown))
        yield Finding(f"setting {name}", "ok", f"{shown} ({origin})")


def _check(args: argparse.Namespace) -> None:
    from eyelog.service.check import check_service

    findings = [*check_service(_registry(args)), *_settings_in_force(args)]
    if args.json:
        _print_json([asdict(finding) for finding in findings])
    else:
        width = max(len(finding.check) for finding in findings)
        for finding in findings:
            print(f"{finding.result:<5}  {finding.check:<{width}}  {one_line(finding.text)}")
    wrong = sum(finding.result == "wrong" for finding in findings)
    if wrong:
        checks = "1 check" if wrong == 1 else f"{wrong} checks"
        raise ConfigurationError(f"{checks} of the service found something wrong: see above")
