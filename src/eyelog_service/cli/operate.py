"""The commands of the service's operator: accounts, applications, tokens, the key, a check."""

import csv
import getpass
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from eyelog.cli.command import command
from eyelog.cli.erasing import ELSEWHERE, erase_records, led_elsewhere, print_erasure
from eyelog.cli.output import note, one_line, print_json
from eyelog.errors import ConfigurationError, counted, listed
from eyelog_service.cli.settings import Places, Settings, warn_of_password

if TYPE_CHECKING:
    from eyelog.archive.store import Archive
    from eyelog.clock import Zones
    from eyelog_service.auth.ending import Ended
    from eyelog_service.auth.registry import Registry
    from eyelog_service.check import Finding


_INVITED_DAYS: Final = 14
_ON_THIS_MACHINE: Final = "http://127.0.0.1:8765"
_LONGEST_LINE: Final = 8192  # bytes of a password on stdin; 1,024 characters are allowed


service = click.Group(
    "service",
    help="Manage the service: accounts, applications, tokens."
    "\n\nA running service notices every change within a second. What is changed here is written to"
    " the audit log beside the state.",
)
action = partial(command, of=service)


# What the actions share.


def _audit(registry: "Registry", event: str, **what: Any) -> None:
    """Write what the operator did to the audit log."""
    from eyelog_service.audit import Audit

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
    from eyelog.measure.sheet import Heading, Sheet

    heads = [Heading(text, text, is_text=True, is_extra=text == "Added") for text in headings]
    return Sheet(heads, [[one_line(cell) for cell in row] for row in rows]).text(more="--json")


def _show(headings: Sequence[str], rows: Sequence[Sequence[str]], *, none: str) -> None:
    if rows:
        print(_table(headings, rows))
    else:
        note(none)


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


@action
def add_account(name: str, places: Places, *, password_stdin: bool = False) -> None:
    """Add a wearer who can log in.

    Without a password the account can only log in with a code of issue-code.

    Parameters
    ----------
    password_stdin
        Read the password, at least 8 characters, from the first line of stdin.
    """
    settings = places.settings()
    registry = settings.registry(existing=False)
    registry.accounts.add(name, _password() if password_stdin else None)
    _audit(registry, "add_account", account=name, password=password_stdin)
    note(f"Account {name!r} added.")


@action
def add_accounts(
    file: Path, places: Places, *, invite: Path | None = None, base_url: str | None = None
) -> None:
    """Add the wearers of a CSV file, all or none.

    Its columns are name, password, study and zone. All but the name may be empty.

    Parameters
    ----------
    file : FILE
    invite : LINKS
        Write a new CSV file, which only you can read, with a link for each account without a
        password: with it the wearer chooses one, once, within 14 days.
    base_url : URL
        The address of the service in these links.  [default: EYELOG_BASE_URL]
    """
    settings = places.settings()
    from eyelog.home import new_file
    from eyelog_service.auth.secrets import new_token
    from eyelog_service.wearers_file import read_wearers

    listed = read_wearers(file)
    registry, archive = settings.registry(existing=False), settings.open_archive()
    new = [one.account for one in listed]
    zones = _zones_to_set(archive, {one.account.name: one.zone for one in listed if one.zone})
    if invite is None:
        registry.accounts.add_all(new)
    else:
        address = _address(base_url)
        codes = {one.name: new_token() for one in new if one.password is None}
        links = [(name, f"{address}/invitation?code={codes[name]}") for name in codes]
        try:
            # The links first: an account whose link is lost cannot be invited again.
            with new_file(invite) as sink:
                sink.write(_csv([("name", "link"), *links]))
        except FileExistsError:
            raise ConfigurationError(
                f"{invite} exists already: name a new file for the links"
            ) from None
        try:
            registry.accounts.add_all(new, codes)
        except BaseException:
            invite.unlink(missing_ok=True)
            raise
    for name, zone in zones.items():
        archive.set_zones(zone, account=name)
    _audit(
        registry,
        "add_accounts",
        accounts=len(new),
        invited=invite is not None,
        zones=len(zones),
    )
    note(f"{counted(len(new), 'account')} added.")
    if invite is not None:
        note(
            f"{len(links)} links are in {invite}. Each works once, until {_INVITED_DAYS} days"
            " have passed: give every wearer their own, then delete the file."
        )


def _address(base_url: str | None) -> str:
    """Return the address of the service without a slash at its end."""
    address = base_url or os.environ.get("EYELOG_BASE_URL", "")
    if not address.startswith(("https://", "http://")):
        raise ConfigurationError(
            "the links need the address of the service: pass --base-url https://logs.example.org"
        )
    return address.rstrip("/")


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


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


def _chosen(
    registry: "Registry", name: str | None, csv: Path | None, all_in: str | None
) -> dict[str, str]:
    """Return the accounts that a command is for: one by its name, those of a file or a study.

    With each comes the zone that the file gives it, otherwise an empty text.
    """
    if sum(each is not None for each in (name, csv, all_in)) != 1:
        raise click.UsageError("say which accounts: one of NAME, --csv FILE and --all-in STUDY")
    if all_in is not None:
        return dict.fromkeys(registry.accounts.in_study(all_in), "")
    if csv is None:
        zones = {str(name): ""}
    else:
        from eyelog_service.wearers_file import read_wearers

        zones = {one.account.name: one.zone for one in read_wearers(csv)}
    registry.accounts.check([*zones])
    return zones


@action
def list_accounts(places: Places, *, study: str | None = None, json: bool = False) -> None:
    """List the accounts, and who has access.

    Parameters
    ----------
    study : STUDY
        Only the accounts of this study.
    """
    settings = places.settings()
    registry = settings.registry()
    access: dict[str, dict[str, float | None]] = {}
    for token in registry.grants.issued():
        used = access.setdefault(token.account, {})
        used[token.client_id] = max(used.get(token.client_id) or 0, token.last_used or 0) or None
    accounts = registry.accounts.all()
    if study is not None:
        members = set(registry.accounts.in_study(study))
        accounts = [one for one in accounts if one.name in members]
    last = {
        name: max((at for at in used.values() if at is not None), default=None)
        for name, used in access.items()
    }
    if json:
        print_json(
            [
                {
                    "account": one.name,
                    "password": one.has_password,
                    "disabled": one.disabled,
                    "study": one.study,
                    "added": _stamp(one.added),
                    "applications": len(access.get(one.name, ())),
                    "last_used": _stamp(last.get(one.name)),
                }
                for one in accounts
            ]
        )
        return
    has_studies = any(one.study for one in accounts)
    rows = [
        [
            one.name,
            "disabled" if one.disabled else "password" if one.has_password else "by code only",
            *([one.study] if has_studies else []),
            _day(one.added),
            f"{len(access.get(one.name, ()))}",
            _minute(last.get(one.name)),
        ]
        for one in accounts
    ]
    headings = [
        "Account",
        "Login",
        *(["Study"] if has_studies else []),
        "Added",
        "Applications",
        "Last used (UTC)",
    ]
    _show(headings, rows, none="There is no account yet: eyelog service add-account NAME.")


@action
def set_password(name: str, places: Places, *, password_stdin: bool = False) -> None:
    """Give an account another password.

    Tokens stay valid; `eyelog service revoke --account NAME` ends them.

    Parameters
    ----------
    password_stdin
        Read the password, at least 8 characters, from the first line of stdin; it has no other
        way in.
    """
    if not password_stdin:
        raise click.UsageError("the password comes from stdin: add --password-stdin")
    settings = places.settings()
    registry = settings.registry()
    registry.accounts.find(name)  # before stdin is read
    registry.accounts.set_password(name, _password())
    _audit(registry, "set_password", account=name)
    note(
        f"Account {name!r} has another password. Its tokens stay valid:"
        f" {_typed(settings, 'revoke', '--account', name)} ends them."
    )


def _switched(
    settings: Settings,
    step: Literal["disable", "enable"],
    name: str | None,
    csv: Path | None,
    all_in: str | None,
) -> list[str]:
    """Disable or enable the accounts that a command is for, and return their names."""
    registry = settings.registry()
    names = [*_chosen(registry, name, csv, all_in)]
    switch = registry.accounts.disable if step == "disable" else registry.accounts.enable
    switch(*names)
    for each in names:
        _audit(registry, step, account=each)
    return names


@action
def disable(
    places: Places, name: str | None = None, *, csv: Path | None = None, all_in: str | None = None
) -> None:
    """Refuse every login and token of accounts.

    Nothing is deleted: enable makes logins and tokens valid again.
    """
    settings = places.settings()
    names = _switched(settings, "disable", name, csv, all_in)
    if name is None:
        note(
            f"{counted(len(names), 'account')} disabled: logins and tokens are refused until"
            " enable."
        )
        return
    note(
        f"Account {name!r} is disabled: logins and tokens are refused until"
        f" {_typed(settings, 'enable', name)}."
    )


@action
def enable(
    places: Places, name: str | None = None, *, csv: Path | None = None, all_in: str | None = None
) -> None:
    """Allow disabled accounts again."""
    settings = places.settings()
    names = _switched(settings, "enable", name, csv, all_in)
    if name is None:
        note(f"{counted(len(names), 'account')} enabled: logins and tokens are valid again.")
        return
    note(f"Account {name!r} is enabled: its logins and tokens are valid again.")


@action
def remove_account(
    places: Places, name: str | None = None, *, csv: Path | None = None, all_in: str | None = None
) -> None:
    """Remove accounts with their tokens.

    Their records stay in the archive.
    """
    settings = places.settings()
    registry = settings.registry()
    names = _chosen(registry, name, csv, all_in)
    by_name = _by_account(registry.accounts.remove(*names))
    for account in names:
        ended = by_name.get(account, [])
        _audit(registry, "remove_account", account=account, **_counts(ended))
        print(one_line(f"removed: account {account!r}"))
        if ended or name is not None:
            _say_ended(ended, what="the account")
    if name is None:
        note("Their records stay in the archive: eyelog service erase deletes those of one wearer.")
        return
    folders = _folders_of(settings, name)
    if folders:
        note(
            f"The records of {name!r} stay in the archive: {', '.join(folders)}."
            f" {_typed(settings, 'erase', name)} deletes them and every other trace; an account of"
            " the same name could read them again."
        )
    else:
        note(f"The archive has no records of {name!r}.")


@action
def set_zone(
    places: Places,
    name: str | None = None,
    *,
    csv: Path | None = None,
    all_in: str | None = None,
    tz: str | None = None,
) -> None:
    """Set the time zone of wearers.

    Every command that reads the archive takes their local days from it.

    Parameters
    ----------
    tz : Z
        The zone, such as Asia/Tokyo, or a .csv file with the columns from and tz; may be left out
        with --csv, if that file has the column zone.
    """
    settings = places.settings()
    from eyelog.clock import FILE_ZONE, as_zones

    registry, archive = settings.registry(), settings.open_archive()
    given = _chosen(registry, name, csv, all_in)
    if tz is not None:
        given = dict.fromkeys(given, tz)
    if without := [account for account, zone in given.items() if not zone]:
        raise ConfigurationError(
            f"no zone is given for {without[0]!r}: pass --tz, or --csv with the column zone"
        )
    if tz == FILE_ZONE:
        raise ConfigurationError("'file' is for the dates of files: give the zone, as Asia/Tokyo")
    zones = {who: as_zones(zone, what="an archive") for who, zone in given.items()}
    for account, zone in zones.items():
        archive.set_zones(zone, account=account)
        _audit(registry, "set_zone", account=account)
        print(one_line(f"{account}: {zone}"))


@action
def erase(account: str, places: Places, *, dry_run: bool = False, json: bool = False) -> None:
    """Delete everything of one account.

    What cannot be reached is listed.

    Its login, tokens and counts, its records in the archive, and what the folder of eyelog
    (EYELOG_HOME) has of it. In the audit log a pseudonym replaces the name.

    Parameters
    ----------
    account : ACCOUNT
    """
    settings = places.settings()
    from eyelog_service.erase import erase_account, out_of_reach

    registry = settings.registry(existing=False)
    # The login first: nobody can then request records that are half gone.
    erased = erase_account(registry, account, dry_run=dry_run)
    units = {"audit log": "lines", "coming in": "files", "unfinished backup": "folder"}
    rows = [(one.what, one.path, one.count, units.get(one.what, "rows")) for one in erased]
    archive = str(settings.archive)
    rows += erase_records(account, archive, dry_run=dry_run)
    if rows and not dry_run:
        _audit(registry, "erase", places=len(rows))
    print_erasure(account, archive, rows, out_of_reach(registry), dry_run=dry_run, json=json)


def _folders_of(settings: Settings, account: str) -> list[str]:
    """Return the folders with records of an account."""
    from eyelog.archive.lists import months
    from eyelog.archive.place import folder, open_place
    from eyelog.catalogue import known_logs

    place = open_place(settings.archive)
    return [folder(place, log, account) for log in known_logs() if months(place, log, account)]


def _shown(state: str) -> str:
    """Return the state of a service without a password."""
    from eyelog_service.auth.state import is_database, shown_database

    return shown_database(state) if is_database(state) else state


def _typed(settings: Settings, *words: str) -> str:
    """Return a command on the same service, as it is typed."""
    options = [
        ("--archive", settings["archive"]),
        ("--state", _shown(settings["state"] or "")),
        ("--local", settings["local"]),
    ]
    places = [word for option, value in options if value for word in (option, value)]
    return f"`{shlex.join(['eyelog', 'service', words[0], *places, *words[1:]])}`"


# Applications.


@action
def add_application(
    places: Places, *, redirect_uri: str, name: str = "", json: bool = False
) -> None:
    """Register an application and print its id and secret.

    Parameters
    ----------
    redirect_uri : URI
        Where logins return to.
    name : TEXT
        What the login page calls the application.
    """
    settings = places.settings()
    registry = settings.registry(existing=False)
    client_id, secret = registry.applications.add(redirect_uri, name=name)
    _audit(registry, "add_application", application=client_id, name=name or None)
    if json:
        application = {
            "client_id": client_id,
            "client_secret": secret,
            "redirect_uri": redirect_uri,
            "name": name,
        }
        print_json(application)
        return
    exports = {
        "EYELOG_BASE_URL": os.environ.get("EYELOG_BASE_URL") or _ON_THIS_MACHINE,
        "EYELOG_CLIENT_ID": client_id,
        "EYELOG_CLIENT_SECRET": secret,
        "EYELOG_REDIRECT_URI": redirect_uri,
    }
    for name, value in exports.items():  # no comments: zsh takes them for commands
        print(f"export {name}={shlex.quote(value)}")
    note(
        "Keep the secret now: it is not shown again. Change the address if it is not the service's."
    )


@action
def list_applications(places: Places, *, json: bool = False) -> None:
    """List the applications."""
    settings = places.settings()
    registry = settings.registry()
    wearers: dict[str, set[str]] = {}
    for token in registry.grants.issued():
        wearers.setdefault(token.client_id, set()).add(token.account)
    applications = registry.applications.all()
    if json:
        print_json(
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


@action
def rotate_secret(application: str, places: Places, *, json: bool = False) -> None:
    """Replace the secret of an application, and print it.

    APPLICATION is its client id or its name. The old secret ends at once. Tokens stay valid, but
    only the new secret refreshes them.
    """
    settings = places.settings()
    registry = settings.registry()
    details = registry.applications.find(application)
    secret = registry.applications.rotate_secret(details.client_id)
    _audit(registry, "rotate_secret", application=details.client_id)
    if json:
        print_json({"client_id": details.client_id, "client_secret": secret})
        return
    print(f"export EYELOG_CLIENT_SECRET={shlex.quote(secret)}")
    note(
        f"Application {details.label!r} has another secret, and the old one ended. Keep it now:"
        " it is not shown again."
    )


@action
def remove_application(application: str, places: Places) -> None:
    """Remove an application with its tokens.

    APPLICATION is its client id or its name.
    """
    settings = places.settings()
    registry = settings.registry()
    details = registry.applications.find(application)
    ended = registry.applications.remove(details.client_id)
    _audit(
        registry,
        "remove_application",
        application=details.client_id,
        name=details.name or None,
        **_counts(ended),
    )
    print(f"removed: application {details.label!r}")
    _say_ended(ended, what="the application")


# Tokens.


@action
def issue_code(places: Places, *, account: str, client_id: str, redirect_uri: str) -> None:
    """Print a grant code, for a login without a browser.

    Parameters
    ----------
    account : A
        Who grants access.
    client_id : ID
        The application's id.
    redirect_uri : URI
        The application's redirect URI.
    """
    settings = places.settings()
    registry = settings.registry(existing=False)
    code = registry.grants.issue_code(account, client_id, redirect_uri)
    application = registry.applications.find(client_id)
    _audit(registry, "issue_code", account=account, application=application.client_id)
    print(code)


@action
def upload_token(name: str, places: Places) -> None:
    """Print a new upload token of a wearer, once.

    With it a program (eyelog push) can add records to the account, and read nothing. It ends when
    it was not used for a year, with `eyelog service revoke`, or on the wearer's page.
    """
    settings = places.settings()
    registry = settings.registry()
    token = registry.grants.issue_upload_token(name)
    _audit(registry, "upload_token", account=name)
    print(token)
    if sys.stdout.isatty():
        note("This token is shown only now. Whoever has it can add records to the account.")


@action
def list_tokens(places: Places, *, json: bool = False) -> None:
    """List the tokens that can be used.

    Tokens themselves are never shown.
    """
    settings = places.settings()
    tokens = settings.registry().grants.issued()
    if json:
        print_json(
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
            "never" if one.expires is None else _day(one.expires),
        ]
        for one in tokens
    ]
    headings = ["Account", "Application", "Kind", "Issued", "Last used (UTC)", "Expires"]
    _show(headings, rows, none="No token can be used: nobody is logged in.")


@action
def revoke(
    places: Places,
    *,
    account: str | None = None,
    application: str | None = None,
    all_: bool = False,
    csv: Path | None = None,
    all_in: str | None = None,
) -> None:
    """End tokens at once, such as those on a lost laptop.

    With both --account and --application, only that application's access to that account ends.

    Parameters
    ----------
    account : A
        Every token of this account.
    application : APPLICATION
        Every token of this application (id or name).
    all_
        Every token of the service.
    """
    settings = places.settings()
    several = csv is not None or all_in is not None
    if all_ and (account is not None or application is not None or several):
        raise click.UsageError("--all goes with no other choice")
    if not (all_ or several or account is not None or application is not None):
        raise click.UsageError(
            "say what to end: --account A, --csv FILE, --all-in STUDY, --application APPLICATION or"
            " --all"
        )
    registry = settings.registry()
    details = None if application is None else registry.applications.find(application)
    client_id = details.client_id if details else None
    if several:
        names = [*_chosen(registry, account, csv, all_in)]
        by_name = _by_account(registry.grants.revoke_all(accounts=names, client_id=client_id))
        for name in names:
            ended = by_name.get(name, [])
            _audit(registry, "revoke", account=name, application=client_id, **_counts(ended))
            if ended:
                _say_ended(ended, what="the account")
        note("Codes not exchanged yet have ended too. The wearers have to log in again.")
        return
    whose = account
    accounts = None if whose is None else [whose]
    ended = registry.grants.revoke_all(accounts=accounts, client_id=client_id)
    _audit(registry, "revoke", account=whose, application=client_id, **_counts(ended))
    what = " and ".join(
        text
        for text in (
            f"account {account!r}" if account is not None else "",
            f"application {details.label!r}" if details else "",
        )
        if text
    )
    _say_ended(ended, what=what or "the service")
    if account is not None and application is None:
        note(
            f"Codes not exchanged yet and sessions in browsers have ended too. {account!r} has"
            " to log in again. If the password may be known,"
            f" {_typed(settings, 'set-password', account, '--password-stdin')} sets another."
        )
    else:
        note("Codes not exchanged yet have ended too. The wearers have to log in again.")


# The key, and a check.


@action
def rotate_key(places: Places) -> None:
    """Replace the key that signs cursors and cookies.

    Do so when somebody may have read the state file. Tokens stay valid.
    """
    settings = places.settings()
    registry = settings.registry()
    registry.rotate_key()
    _audit(registry, "rotate_key")
    print("ended: cursors, open login pages and sessions in browsers")
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


@action
def set_retention(study: str, days: str, places: Places) -> None:
    """Set for how many days a study keeps records.

    STUDY is the study's name, DAYS such as 730d, or forever. Nothing is deleted now: prune deletes
    what is older.
    """
    settings = places.settings()
    kept = None if days == "forever" else _days_of(days, "a study's retention")
    registry = settings.registry()
    registry.retention.set(study, kept)
    _audit(registry, "set_retention", study=study, days=kept)
    if kept is None:
        note(f"Study {study!r} keeps its records forever.")
        return
    note(
        f"Study {study!r} keeps its records for {kept:,} days."
        f" {_typed(settings, 'prune', '--dry-run')} shows which are older."
    )


def _kept_days(
    settings: Settings, registry: "Registry", older_than: str | None, all_in: str | None
) -> list[tuple[str | None, int]]:
    """Return the studies to prune, None for the whole archive, and how many days each keeps."""
    if older_than is not None:
        return [(all_in, _days_of(older_than, "--older-than"))]
    kept: list[tuple[str | None, int]] = list(registry.retention.days().items())
    if all_in is not None:
        registry.accounts.in_study(all_in)  # a misspelt name has its own message
        kept = [(study, days) for study, days in kept if study == all_in]
    if not kept:
        nothing = (
            "no study has a retention" if all_in is None else f"study {all_in!r} has no retention"
        )
        raise ConfigurationError(
            f"{nothing}: give --older-than 730d, or set one with"
            f" {_typed(settings, 'set-retention', all_in or 'STUDY', '730d')}"
        )
    return kept


@action
def prune(
    places: Places,
    *,
    older_than: str | None = None,
    all_in: str | None = None,
    dry_run: bool = False,
    json: bool = False,
) -> None:
    """Delete months older than a study keeps its records.

    Of each study that has a retention (set-retention), or of all accounts with --older-than. A
    month goes as a whole, when all of it is older. What it prints is the protocol.

    Parameters
    ----------
    older_than : DAYS
        The age in days, such as 730d, whatever the studies keep.
    all_in : STUDY
        Only the accounts of a study.
    """
    settings = places.settings()
    from eyelog.archive.account import named_accounts, prune
    from eyelog.archive.place import open_place

    registry = settings.registry()
    place = open_place(registry.archive)
    now = datetime.now(UTC)
    pruned = []
    kept_days = _kept_days(settings, registry, older_than, all_in)
    members = registry.accounts.by_study()
    # The study of removed accounts is unknown; their records may have to be deleted too.
    left = set() if older_than or all_in else named_accounts(place)
    for study, days in kept_days:
        before = now - timedelta(days=days)
        accounts = None if study is None else set(members.get(study, []))
        left -= accounts or set()
        removed = prune(place, before, accounts=accounts, dry_run=dry_run)
        if removed and not dry_run:
            _audit(registry, "prune", study=study, days=days, files=len(removed))
        pruned.append((study, days, before, removed))
    every = [(one.what, one.path) for *_, removed in pruned for one in removed]
    beyond = [*led_elsewhere(every), *ELSEWHERE]
    if json:
        protocol = {
            "dry_run": dry_run,
            "pruned": [
                {
                    "study": study,
                    "days": days,
                    "before": f"{before:%Y-%m-%dT%H:%M:%SZ}",
                    "removed": [one._asdict() for one in removed],
                }
                for study, days, before, removed in pruned
            ],
            "without_retention": sorted(left),
            "not_reached": beyond,
        }
        print_json(protocol)
        return
    did = "would remove" if dry_run else "removed"
    for study, days, before, removed in pruned:
        whose = "all accounts" if study is None else f"study {study!r}"
        print(one_line(f"{whose}: kept for {days:,} days, since {before:%Y-%m-%d %H:%M} UTC"))
        for one in removed:
            print(one_line(f"{did}: {one.what}, {one.bytes:,} bytes: {one.path}"))
    if left:
        names = listed(sorted(left))
        print(one_line(f"not pruned: {counted(len(left), 'account')} without a retention: {names}"))
    for text in beyond:
        print(one_line(f"not reached: {text}"))
    if not any(removed for *_, removed in pruned):
        note("No month is older.")


@action
def copy_state(to: str, places: Places) -> None:
    """Copy the state into a database for several hosts.

    TO is the database, postgresql://USER@HOST/NAME. Stop the service before. The database has to be
    empty; the file stays as it is.
    """
    settings = places.settings()
    from eyelog_service.auth.state import State, copy_state

    registry = settings.registry()
    warn_of_password(to)
    target = State(registry.archive, to, registry.state_folder)
    for table, rows in copy_state(registry.state, target).items():
        print(f"{table}: {rows:,} {'row' if rows == 1 else 'rows'}")
    _audit(registry, "copy_state", to=target.name)
    note(
        f"The state is in {target.name} now, and every row was read back. Name it in the settings"
        f" (state = ...), start the service, and remove {registry.state.file} when all is well:"
        " it has password hashes and a key."
    )


@action
def backup(to: Path, places: Places, *, json: bool = False) -> None:
    """Copy the state and the archive while the service runs.

    The audit log comes with the state. TO is a folder that does not exist yet, or is empty. The
    copy is read back and checked. It holds health data, password hashes and a key: encrypt it.

    Parameters
    ----------
    to : TO
    """
    settings = places.settings()
    from eyelog_service.backup import back_up

    registry = settings.registry()
    made = back_up(registry, Path(to))
    _audit(registry, "backup", files=made.files)
    if json:
        print_json(asdict(made))
    else:
        print(f"backed up: {made.files:,} files, {made.bytes:,} bytes, read back, in {made.folder}")
    if isinstance(registry.archive, str):
        note(
            f"The archive {settings.open_archive().path} is not in it: copy the bucket by its own"
            " means."
        )
    if made.damaged:
        months = "1 month is" if made.damaged == 1 else f"{made.damaged} months are"
        note(
            f"{months} damaged, in the backup as in the archive: eyelog archive verify lists them."
        )


@action
def restore(source: Path, places: Places, *, json: bool = False) -> None:
    """Put a backup back, after checking it whole.

    FROM is a folder that backup has made. Stop the service before. Files that differ are set aside,
    files that the backup lacks stay, and the records of accounts that were erased since are left
    out.

    Parameters
    ----------
    source : FROM
    """
    settings = places.settings()
    from eyelog_service.backup import restore

    registry = settings.registry(existing=False)
    done = restore(registry, Path(source))
    _audit(registry, "restore", made=done.made, files=done.put_back)
    if json:
        print_json(asdict(done))
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
        f"Next, {_typed(settings, 'after-restore')} ends what had ended since the backup, and"
        f" {_typed(settings, 'check')} checks the whole. Passwords and the secrets of applications"
        " are those of the backup."
    )


@action
def after_restore(places: Places, *, json: bool = False) -> None:
    """End again what a restored state has revived.

    That is: revoked tokens, removed accounts and applications, used invitations.

    Ends are noted in the archive, where putting back the state does not lose them.
    """
    settings = places.settings()
    from eyelog_service.auth.restored import end_again
    from eyelog_service.check import erased_with_records
    from eyelog_service.erase import erase_account, erased_names

    registry = settings.registry()
    archive = settings.open_archive()
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
    if json:
        print_json(counts)
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


@action
def print_config(
    program: Literal["settings", "systemd", "nginx", "logrotate", "docker", "compose"],
) -> None:
    """Print a settings file, or one for nginx and others.

    Prints the file that the documentation shows: the settings (eyelog.toml), or that of a program
    around the service. Change its paths and the name of the machine before use.

    Parameters
    ----------
    program : [settings|systemd|nginx|logrotate|docker|compose]
    """
    from eyelog_service.configuration import configuration

    print(configuration(program), end="")


def _settings_in_force(settings: Settings) -> Iterator["Finding"]:
    """Yield each setting of a service that starts now, and where it comes from."""
    from eyelog_service.check import Finding

    unset = {"archive": str(settings.archive)} | dict.fromkeys(
        ("state", "local"), "the archive's folder"
    )
    for name, (value, origin) in settings.in_force.items():
        shown = unset.get(name, "none") if value in (None, "") else value
        if name == "state":
            shown = _shown(str(shown))
        yield Finding(f"setting {name}", "ok", f"{shown} ({origin})")


@action
def check(places: Places, *, json: bool = False) -> None:
    """Check the state, the archive, and whether they match.

    Also prints each setting in force, and where it comes from. Changes nothing; the exit status is
    1 if something is wrong.
    """
    settings = places.settings()
    from eyelog_service.check import check_service

    findings = [*check_service(settings.registry()), *_settings_in_force(settings)]
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        width = max(len(finding.check) for finding in findings)
        for finding in findings:
            print(f"{finding.result:<5}  {finding.check:<{width}}  {one_line(finding.text)}")
    wrong = sum(finding.result == "wrong" for finding in findings)
    if wrong:
        checks = "1 check" if wrong == 1 else f"{wrong} checks"
        raise ConfigurationError(f"{checks} of the service found something wrong: see above")
