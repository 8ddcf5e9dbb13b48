"""The commands of the service's operator about accounts, applications and tokens."""

import csv as csv_module
import io
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from eyelog.cli.erasing import erase_records, print_erasure
from eyelog.cli.output import note, one_line, print_json
from eyelog.errors import ConfigurationError, counted
from eyelog_service.cli.serve import Places, action, noted

if TYPE_CHECKING:
    from eyelog_service.grants import Registry


_INVITED_DAYS: Final = 14
_ON_THIS_MACHINE: Final = "http://127.0.0.1:8765"
_LONGEST_LINE: Final = 8192  # bytes of a password on stdin; 1,024 characters are allowed
# The instants of a list, and what stands where there is none.
_UNSTAMPED: Final = {
    "added": "unknown",
    "issued": "unknown",
    "last_used": "never",
    "expires": "never",
}


# What the actions share.


def _password() -> str:
    """Return the first line of stdin, which has to be UTF-8 as the login page sends it."""
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    line = stream.readline(_LONGEST_LINE) if stream is not None else ""
    try:
        text: str = line.decode() if isinstance(line, bytes) else line
    except UnicodeDecodeError:
        raise ConfigurationError("the password on stdin is not text in UTF-8") from None
    return text.rstrip("\r\n")


def _list(
    rows: Sequence[dict[str, Any]], *, none: str, json: bool, extra: Sequence[str] = ("added",)
) -> None:
    """Print rows as JSON, or as a table of their keys; without rows, say what to do.

    The columns `extra` are left out of a table that is too wide.
    """
    if json:
        stamps = [{name: _stamp(row[name]) for name in _UNSTAMPED if name in row} for row in rows]
        print_json([row | stamped for row, stamped in zip(rows, stamps, strict=True)])
    elif not rows:
        note(none)
    else:
        from eyelog.measure.sheet import Heading, Sheet

        titles = {name: name.replace("_", " ").capitalize() for name in rows[0]}
        heads = [
            Heading(title, title, is_text=True, is_extra=name in extra)
            for name, title in titles.items()
        ]
        table = [[_cell(name, value) for name, value in row.items()] for row in rows]
        print(Sheet(heads, table).text(more="--json"))


def _cell(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name in _UNSTAMPED:
        form = "%Y-%m-%d %H:%M UTC" if name == "last_used" else "%Y-%m-%d"
        return _stamp(value, form) or _UNSTAMPED[name]
    return one_line(str(value))


def _stamp(seconds: float | None, form: str = "%Y-%m-%dT%H:%M:%SZ") -> str | None:
    return None if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):{form}}"


def _say_ended(ended: list[Any], *, what: str) -> None:
    """Print which tokens ended, one line per account and application."""
    for one in ended:
        name = f"{one.name!r} ({one.client_id})" if one.name else one.client_id
        whose = f"application {name}" if name else "of its own devices"
        kinds = ((one.refresh, "refresh"), (one.access, "access" if name else "upload"))
        counts = " and ".join(counted(count, f"{kind} token") for count, kind in kinds if count)
        print(f"ended: {counts} of account {one.account!r}, {whose}")
    if not ended:
        print(f"ended: no token; {what} had none that could be used")


def _tokens(ended: list[Any], account: str | None = None) -> int:
    """Return how many tokens ended (of an account)."""
    return sum(one.refresh + one.access for one in ended if account in (None, one.account))


@dataclass(frozen=True)
class Chosen:
    """The accounts that a command is for: one by its name, those of a file or of a study."""

    name: str | None = field(default=None, metadata={"word": True})
    csv: Path | None = None
    all_in: str | None = None

    def zones(self, registry: "Registry") -> dict[str, str]:
        """Return the accounts, and the zone that the file gives each, otherwise an empty text."""
        if sum(each is not None for each in (self.name, self.csv, self.all_in)) != 1:
            text = "say which accounts: one of NAME, --csv FILE and --all-in STUDY"
            raise click.UsageError(text)
        if self.all_in is not None:
            return dict.fromkeys(registry.accounts.in_study(self.all_in), "")
        zones = {str(self.name): ""}
        if self.csv is not None:
            from eyelog_service.accounts import read_wearers

            zones = {one.name: one.zone for one in read_wearers(self.csv)}
        registry.accounts.check([*zones])
        return zones


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
    registry = places.registry(existing=False)
    registry.accounts.add(name, _password() if password_stdin else None)
    noted(registry, "add_account", account=name, password=password_stdin)
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
    registry, archive = places.registry(existing=False), places.open_archive()
    from eyelog.clock import as_zones
    from eyelog_service.accounts import read_wearers
    from eyelog_service.state import new_token

    new = read_wearers(file)
    zones = {}  # that the archive does not know yet
    for name, text in ((one.name, one.zone) for one in new if one.zone):
        zone, stored = as_zones(text, what="a list of wearers"), archive.zones(name)
        if stored is None:
            zones[name] = zone
        elif stored != zone:
            raise ConfigurationError(
                f"account {name!r} lives in {stored} in the archive, not in {zone}: eyelog service"
                " set-zone changes it"
            )
    codes = {one.name: new_token() for one in new if one.password is None}
    if invite is None:
        registry.accounts.add_all(new)
    else:
        _write_links(invite, codes, base_url)
        try:
            registry.accounts.add_all(new, codes)
        except BaseException:
            invite.unlink(missing_ok=True)
            raise
    for name, zone in zones.items():
        archive.set_zones(zone, account=name)
    invited = invite is not None
    noted(registry, "add_accounts", accounts=len(new), invited=invited, zones=len(zones))
    note(f"{counted(len(new), 'account')} added.")
    if invited:
        note(
            f"{len(codes)} links are in {invite}. Each works once, until {_INVITED_DAYS} days"
            " have passed: give every wearer their own, then delete the file."
        )


def _write_links(file: Path, codes: dict[str, str], base_url: str | None) -> None:
    """Write the links before the accounts: one whose link is lost cannot be invited again."""
    from eyelog.home import new_file

    address = base_url or os.environ.get("EYELOG_BASE_URL", "")
    if not address.startswith(("https://", "http://")):
        raise ConfigurationError(
            "the links need the address of the service: pass --base-url https://logs.example.org"
        )
    begin = f"{address.rstrip('/')}/invitation?code="
    links = [(name, begin + code) for name, code in codes.items()]
    text = io.StringIO()
    csv_module.writer(text, lineterminator="\n").writerows([("name", "link"), *links])
    try:
        with new_file(file) as sink:
            sink.write(text.getvalue().encode())
    except FileExistsError:
        raise ConfigurationError(f"{file} exists already: name a new file for the links") from None


@action
def list_accounts(places: Places, *, study: str | None = None, json: bool = False) -> None:
    """List the accounts, and who has access.

    Parameters
    ----------
    study : STUDY
        Only the accounts of this study.
    """
    registry = places.registry()
    applications: dict[str, set[str]] = {}
    used: dict[str, float] = {}
    for token in registry.grants.issued():
        if token.client_id:  # otherwise it is an upload token
            applications.setdefault(token.account, set()).add(token.client_id)
        used[token.account] = max(used.get(token.account, 0), token.last_used or 0)
    members = None if study is None else registry.accounts.in_study(study)
    rows = [
        {
            "account": one.name,
            "password": bool(one.has_password),
            "disabled": bool(one.disabled),
            "study": one.study,
            "added": one.added,
            "applications": len(applications.get(one.name, ())),
            "last_used": used.get(one.name) or None,
        }
        for one in registry.accounts.all()
        if members is None or one.name in members
    ]
    _list(rows, none="There is no account yet: eyelog service add-account NAME.", json=json)


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
    registry = places.registry()
    registry.accounts.find(name)  # before stdin is read
    registry.accounts.set_password(name, _password())
    noted(registry, "set_password", account=name)
    note(
        f"Account {name!r} has another password. Its tokens stay valid:"
        f" {places.typed('revoke', '--account', name)} ends them."
    )


@action
def disable(places: Places, chosen: Chosen) -> None:
    """Refuse every login and token of accounts.

    Nothing is deleted: enable makes logins and tokens valid again.
    """
    until = "enable" if chosen.name is None else places.typed("enable", chosen.name)
    done = f"disabled: logins and tokens are refused until {until}."
    _switch(places.registry(), "disable", chosen, done)


@action
def enable(places: Places, chosen: Chosen) -> None:
    """Allow disabled accounts again."""
    done = "enabled: logins and tokens are valid again."
    _switch(places.registry(), "enable", chosen, done)


def _switch(registry: "Registry", what: str, chosen: Chosen, done: str) -> None:
    names = [*chosen.zones(registry)]
    getattr(registry.accounts, what)(*names)
    for name in names:
        noted(registry, what, account=name)
    who = f"Account {names[0]!r}" if len(names) == 1 else counted(len(names), "account")
    note(f"{who} {done}")


@action
def remove_account(places: Places, chosen: Chosen) -> None:
    """Remove accounts with their tokens.

    Their records stay in the archive.
    """
    registry, name = places.registry(), chosen.name
    names = chosen.zones(registry)
    ended = registry.accounts.remove(*names)
    for account in names:
        of_account = [one for one in ended if one.account == account]
        noted(registry, "remove_account", account=account, tokens=_tokens(of_account))
        print(one_line(f"removed: account {account!r}"))
        if of_account or name is not None:
            _say_ended(of_account, what="the account")
    erases = places.typed("erase", name or "NAME")
    note(
        f"The records stay in the archive. {erases} deletes those of a wearer and every other"
        " trace; an account of the same name could read them again."
    )


@action
def set_zone(places: Places, chosen: Chosen, *, tz: str | None = None) -> None:
    """Set the time zone of wearers.

    Every command that reads the archive takes their local days from it.

    Parameters
    ----------
    tz : Z
        The zone, such as Asia/Tokyo, or a .csv file with the columns from and tz; may be left out
        with --csv, if that file has the column zone.
    """
    registry, archive = places.registry(), places.open_archive()
    from eyelog.clock import FILE_ZONE, as_zones

    given = chosen.zones(registry)
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
        noted(registry, "set_zone", account=account)
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
    registry = places.registry(existing=False)
    from eyelog_service.erase import erase_account, out_of_reach

    # The login first: nobody can then request records that are half gone.
    erased = erase_account(registry, account, dry_run=dry_run)
    units = {"audit log": "lines", "coming in": "files", "unfinished backup": "folder"}
    rows = [(one.what, one.path, one.count, units.get(one.what, "rows")) for one in erased]
    archive = str(places.archive_path)
    rows += erase_records(account, archive, dry_run=dry_run)
    if rows and not dry_run:
        noted(registry, "erase", places=len(rows))
    print_erasure(account, archive, rows, out_of_reach(registry), dry_run=dry_run, json=json)


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
    registry = places.registry(existing=False)
    client_id, secret = registry.applications.add(redirect_uri, name=name)
    noted(registry, "add_application", application=client_id, name=name or None)
    made = {"client_id": client_id, "client_secret": secret, "redirect_uri": redirect_uri}
    if json:
        print_json(made | {"name": name})
        return
    exports = {"base_url": os.environ.get("EYELOG_BASE_URL") or _ON_THIS_MACHINE, **made}
    for variable, value in exports.items():  # no comments: zsh takes them for commands
        print(f"export EYELOG_{variable.upper()}={shlex.quote(value)}")
    note(
        "Keep the secret now: it is not shown again. Change the address if it is not the service's."
    )


@action
def list_applications(places: Places, *, json: bool = False) -> None:
    """List the applications."""
    registry = places.registry()
    wearers: dict[str, set[str]] = {}
    for token in registry.grants.issued():
        wearers.setdefault(token.client_id, set()).add(token.account)
    rows = [
        {name: getattr(one, name) for name in ("client_id", "name", "redirect_uri", "added")}
        | {"accounts": len(wearers.get(one.client_id, ()))}
        for one in registry.applications.all()
    ]
    none = "There is no application yet: eyelog service add-application --redirect-uri URI."
    _list(rows, none=none, json=json)


@action
def rotate_secret(application: str, places: Places, *, json: bool = False) -> None:
    """Replace the secret of an application, and print it.

    APPLICATION is its client id or its name. The old secret ends at once. Tokens stay valid, but
    only the new secret refreshes them.
    """
    registry = places.registry()
    details = registry.applications.find(application)
    secret = registry.applications.rotate_secret(details.client_id)
    noted(registry, "rotate_secret", application=details.client_id)
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
    registry = places.registry()
    details = registry.applications.find(application)
    ended = registry.applications.remove(details.client_id)
    name, tokens = details.name or None, _tokens(ended)
    noted(registry, "remove_application", application=details.client_id, name=name, tokens=tokens)
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
    registry = places.registry(existing=False)
    code = registry.grants.issue_code(account, client_id, redirect_uri)
    application = registry.applications.find(client_id)
    noted(registry, "issue_code", account=account, application=application.client_id)
    print(code)


@action
def upload_token(name: str, places: Places) -> None:
    """Print a new upload token of a wearer, once.

    With it a program (eyelog push) can add records to the account, and read nothing. It ends when
    it was not used for a year, with `eyelog service revoke`, or on the wearer's page.
    """
    registry = places.registry()
    token = registry.grants.issue_upload_token(name)
    noted(registry, "upload_token", account=name)
    print(token)
    if sys.stdout.isatty():
        note("This token is shown only now. Whoever has it can add records to the account.")


@action
def list_tokens(places: Places, *, json: bool = False) -> None:
    """List the tokens that can be used.

    Tokens themselves are never shown.
    """
    rows = [one._asdict() for one in places.registry().grants.issued()]
    if not json:
        for row in rows:
            row["name"] = row["name"] or row["client_id"] or "(upload token)"
    none, extra = "No token can be used: nobody is logged in.", ("client_id", "issued", "scope")
    _list(rows, none=none, extra=extra, json=json)


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
    some = any(each is not None for each in (account, csv, all_in))
    if all_ and (some or application is not None):
        raise click.UsageError("--all goes with no other choice")
    if not (all_ or some or application is not None):
        raise click.UsageError(
            "say what to end: --account A, --csv FILE, --all-in STUDY, --application APPLICATION or"
            " --all"
        )
    registry = places.registry()
    details = None if application is None else registry.applications.find(application)
    client_id = details.client_id if details else None
    names = [*Chosen(account, csv, all_in).zones(registry)] if some else None
    ended = registry.grants.revoke_all(accounts=names, client_id=client_id)
    for name in [None] if names is None else names:
        tokens = _tokens(ended, name)
        noted(registry, "revoke", account=name, application=client_id, tokens=tokens)
    if ended or (csv is None and all_in is None):
        whose = [f"account {account!r}"] if account is not None else []
        whose += [f"application {details.label!r}"] if details else []
        _say_ended(ended, what=" and ".join(whose) or "the service")
    if account is not None and application is None:
        sets = places.typed("set-password", account, "--password-stdin")
        note(
            f"Codes not exchanged yet and sessions in browsers have ended too. {account!r} has"
            f" to log in again. If the password may be known, {sets} sets another."
        )
    else:
        note("Codes not exchanged yet have ended too. The wearers have to log in again.")
