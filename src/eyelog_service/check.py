"""Checks for an operator around a change: the state's file, and whether it matches the archive.

Nothing is changed here: an old state is not brought up to date, and open permissions stay as they
are, so that somebody can notice them.
"""

import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from eyelog.archive.account import named_accounts, prune, traces
from eyelog.archive.place import Place, open_place
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from eyelog.errors import ConfigurationError, EyelogError, counted, listed
from eyelog_service.audit import FILE_NAME
from eyelog_service.auth import ended
from eyelog_service.auth.accounts import is_readable_on_the_way
from eyelog_service.auth.ended import is_erased, revived
from eyelog_service.auth.ending import outdated
from eyelog_service.auth.registry import Registry
from eyelog_service.auth.state import State, StateBusy, StateFault
from eyelog_service.auth.tables import VERSION, expected_columns, refuse_other, run
from eyelog_service.backup import interrupted, unfinished_backup
from eyelog_service.status import descriptors_left

_LEAST_DESCRIPTORS: Final = 1024
_LEAST_FREE: Final = 100_000_000
"""Free bytes below which an operator must act: a month of one wearer takes up to 10 MB."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one check.

    Attributes
    ----------
    check : str
        What was checked.
    result : {"ok", "note", "wrong"}
        A note is worth knowing, but may be intended.
    text : str
        The finding, and what to do about it.
    """

    check: str
    result: Literal["ok", "note", "wrong"]
    text: str


def check_service(registry: Registry) -> list[Finding]:
    """Return the findings about the state of a service and its archive, in a fixed order.

    Raises
    ------
    ConfigurationError
        If there is no state, or another program has it locked.
    """
    registry.require_state()
    in_database = registry.state.in_database
    state = _database(registry.state) if in_database else [_permissions(registry)]
    by_disk = {registry.state_folder.stat().st_dev: registry.state_folder}
    if registry.folder.is_dir():
        by_disk.setdefault(registry.folder.stat().st_dev, registry.folder)
    findings = [*state, *map(_free_space, by_disk.values())]
    whole = _whole(registry.state)
    findings += whole
    beside = registry.folder.exists() and registry.folder.samefile(registry.state_folder)
    if in_database or not beside:
        findings.append(_other_state(registry))
    findings.append(_audit_log(registry.state_folder))
    archive, names = _archive(registry.archive)
    findings.append(archive)
    if text := interrupted(registry.folder):
        findings.append(Finding("restore", "wrong", text))
    if not in_database and (folder := unfinished_backup(registry)):
        text = f"{folder} is of a backup that was killed: the next one, or erase, removes it"
        findings.append(Finding("unfinished backup", "wrong", text))
    findings.append(_descriptors())
    if any(finding.result == "wrong" for finding in whole):
        text = "not checked, because the state cannot be relied on"
        return [*findings, Finding("accounts", "wrong", text)]
    try:
        findings += _accounts(registry, names)
        findings += _applications(registry)
        # What needs the archive of an object store that does not answer.
        unread = names is None and isinstance(registry.archive, str)
        findings += [_not_checked("retention")] if unread else _retention(registry)
        findings.append(_outdated(registry))
        findings.append(_not_checked("list of ends") if unread else _list_of_ends(registry))
        findings.append(_not_checked("ended before") if unread else _ended_before(registry))
    except StateBusy:
        raise
    except EyelogError as error:
        findings.append(Finding("accounts", "wrong", str(error)))
    return findings


def _descriptors() -> Finding:
    """Check how many files and connections a service may open that starts as this command does."""
    left = descriptors_left(of_most=True)
    text = f"{left:,} may be opened" if left < sys.maxsize else "as many as are needed"
    if left < _LEAST_DESCRIPTORS:
        return Finding("descriptors", "note", f"only {text}: raise LimitNOFILE, or ulimit -n")
    return Finding("descriptors", "ok", text)


def _not_checked(check: str) -> Finding:
    return Finding(check, "wrong", "not checked, because the archive cannot be read")


def _permissions(registry: Registry) -> Finding:
    file = registry.state.file
    status = file.lstat()
    faults = []
    if stat.S_ISLNK(status.st_mode):
        faults.append("it is a symbolic link: move the file itself here")
    elif os.name == "posix":
        if status.st_mode & 0o077:
            faults.append(f"others can read it or write it: chmod 600 {file}")
        if status.st_uid != os.geteuid():
            faults.append("it belongs to another user: run the service and its commands as one")
        if file.parent.stat().st_mode & 0o022:
            faults.append(f"others can replace it: chmod go-w {file.parent}")
    if not os.access(file, os.R_OK | os.W_OK):
        faults.append("it cannot be read and written")
    if faults:
        return Finding("state file", "wrong", f"{file}: {'; '.join(faults)}")
    return Finding("state file", "ok", f"{file}, {file.stat().st_size / 1000:,.0f} kB, private")


def _database(state: State) -> list[Finding]:
    if state.is_encrypted():
        return [Finding("state database", "ok", state.name)]
    text = f"{state.name} is reached unencrypted: add ?sslmode=verify-full to its address"
    return [Finding("state database", "note", text)]


def _free_space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE:
        text = f"{free / 1e6:,.1f} MB left on the disk of {folder}: free some, or requests fail"
        return Finding("free space", "wrong", text)
    return Finding("free space", "ok", f"{free / 1e9:,.1f} GB left on the disk of {folder}")


def _whole(state: State) -> list[Finding]:
    """Check the tables and the key, and that a file is sound, without changing anything."""
    faults: list[str] = []
    try:
        with state.opened() as db:
            if not state.in_database:  # whose pages are checked by its own means
                faults = list(db.exec_driver_sql("PRAGMA integrity_check(3)").scalars())
            key = run(db, "SELECT value FROM meta WHERE name = 'signing_key'").scalar()
        version, columns = state.version() or 0, state.columns()
    except (StateFault, UnicodeDecodeError) as error:
        if state.in_database:  # it cannot be reached: that is no damage
            raise
        return [Finding("integrity", "wrong", f"{error}; restore a copy")]
    findings = []
    if faults and faults != ["ok"]:
        damage = f"the file is damaged ({'; '.join(faults)}): restore a copy"
        findings.append(Finding("integrity", "wrong", damage))
    elif faults:
        findings.append(Finding("integrity", "ok", "no damage found"))
    findings.append(_schema(version, columns))
    # Of tables of a newer release nobody here knows what else is in them.
    return findings if version > VERSION else [*findings, _key(key)]


def _schema(version: int, present: set[tuple[str, str]]) -> Finding:
    try:
        refuse_other(version)
    except ConfigurationError as refusal:
        return Finding("schema", "wrong", str(refusal))
    if missing := expected_columns() - present:
        names = listed([".".join(pair) for pair in sorted(missing)])
        return Finding("schema", "wrong", f"the state lacks {names}: restore a copy")
    if version < VERSION:
        text = f"version {version} of {VERSION}: it is brought up to date when it is next used"
        return Finding("schema", "note", text)
    return Finding("schema", "ok", f"version {version}")


def _key(key: bytes | None) -> Finding:
    if key is None or len(key) < 32:
        text = "there is none, or it is too short: eyelog service rotate-key makes another"
        return Finding("signing key", "wrong", text)
    return Finding("signing key", "ok", "present")


def _other_state(registry: Registry) -> Finding:
    other = registry.folder / registry.state.file.name
    if other.exists():
        text = (
            f"the archive has another one, {other}, with password hashes and a key: a service"
            " without --state uses that; delete one of the two"
        )
        return Finding("state apart", "wrong", text)
    return Finding("state apart", "ok", "the archive holds no password hash and no key")


def _audit_log(folder: Path) -> Finding:
    file = folder / FILE_NAME
    if not os.path.lexists(file):
        return Finding("audit log", "note", f"{file} does not exist: nothing happened yet")
    if file.is_symlink() or not os.access(file, os.W_OK):
        return Finding("audit log", "wrong", f"{file} cannot be written: events are lost")
    if os.name == "posix" and file.stat().st_mode & 0o077:
        return Finding("audit log", "wrong", f"others can read {file}: chmod 600 {file}")
    return Finding("audit log", "ok", f"{file}, {file.stat().st_size / 1000:,.0f} kB, private")


def _archive(folder: Path | str) -> tuple[Finding, set[str] | None]:
    """Return whether the archive can be read, and the accounts that have records."""
    place = open_place(folder)
    if isinstance(folder, Path) and not folder.is_dir():
        text = f"there is no folder {folder}: eyelog simulate, import and sync make an archive"
        return Finding("archive", "wrong", text), None
    try:
        if not place.local:
            place.require_store()
        names = set(Archive(folder).accounts())
    except EyelogError as error:
        return Finding("archive", "wrong", str(error)), None
    closed = list(_unreadable(folder)) if isinstance(folder, Path) else []
    if closed:
        text = f"{len(closed)} files or folders cannot be read: {listed(closed)}"
        return Finding("archive", "wrong", text), None
    count = counted(len(names), "account")
    text = f"{place.name}, records of {count} (eyelog archive verify checks the records themselves)"
    return Finding("archive", "ok", text), names


def _unreadable(folder: Path) -> Iterator[str]:
    for log in LOGS:
        for parent, folders, files in os.walk(folder / f"log={log}"):
            for name in (*folders, *files):
                path = os.path.join(parent, name)  # noqa: PTH118 (there may be 100,000)
                if not name.startswith(".") and not os.access(path, os.R_OK):
                    yield path


def _accounts(registry: Registry, with_records: set[str] | None) -> Iterator[Finding]:
    accounts = registry.accounts.all()
    names = {one.name for one in accounts}
    yield Finding("accounts", "ok", f"{len(names)}")
    if with_records is None:
        return
    yield _noted(
        "accounts without records", names - with_records, "a wearer who logs in finds nothing"
    )
    yield _noted(
        "records without account",
        with_records - names,
        "nobody can ask for them: eyelog service add-account NAME",
    )


def _applications(registry: Registry) -> Iterator[Finding]:
    applications = registry.applications.all()
    yield Finding("applications", "ok", f"{len(applications)}")
    open_ones = [
        f"{one.label} ({one.redirect_uri})"
        for one in applications
        if is_readable_on_the_way(one.redirect_uri)
    ]
    if open_ones:
        text = (
            f"{listed(open_ones)}: codes can be read on the way; register an https address instead"
        )
        yield Finding("redirect URIs", "wrong", text)
    else:
        yield Finding("redirect URIs", "ok", "https, or on the wearer's own machine")


def _outdated(registry: Registry) -> Finding:
    count = outdated(registry.state)
    if count:
        text = f"{count:,} to delete: a running service does so within an hour of the next refresh"
        return Finding("expired rows", "note", text)
    return Finding("expired rows", "ok", "none to delete")


def _list_of_ends(registry: Registry) -> Finding:
    """Check the list by which a restored state is known: what it has lost, nobody ends again."""
    try:
        damaged = ended.damage(registry.archive)
    except EyelogError as error:
        return Finding("list of ends", "wrong", f"{error}: what ended may live again, unnoticed")
    if damaged:
        text = (
            f"{counted(len(damaged), 'damaged line')} ({listed(damaged)}):"
            " what was ended there may live again in a restored state, unnoticed; put an undamaged"
            " copy of the list back, or end it again (revoke, disable, remove, erase) and delete"
            " the line"
        )
        return Finding("list of ends", "wrong", text)
    return Finding("list of ends", "ok", "each end that was noted can be read")


def _ended_before(registry: Registry) -> Finding:
    texts = [text] if (text := revived(registry).text) else []
    back, unsure = _with_older_records(registry)
    if back:
        texts.append(f"records of {counted(len(back), 'account')} erased since")
    doubt = ""
    if unsure:
        doubt = (
            f"{counted(len(unsure), 'account')} ({listed(unsure)}) erased before, with files whose"
            " dates are older than that: they were put back, or the clock was set back; eyelog"
            " archive erase NAME erases all records of an account, if they were put back"
        )
    if texts:
        text = (
            f"restored from an earlier state: {', '.join(texts)}: eyelog service after-restore"
            " ends them"
        )
        return Finding("ended before", "wrong", "; ".join(filter(None, (text, doubt))))
    if doubt:
        return Finding("ended before", "note", doubt)
    return Finding("ended before", "ok", "nothing lives again that had ended")


def _retention(registry: Registry) -> Iterator[Finding]:
    """Yield for each study with a retention whether it has kept something for longer."""
    members = registry.accounts.by_study()
    for study, days in registry.retention.days().items():
        before, accounts = datetime.now(UTC) - timedelta(days=days), members.get(study, [])
        old = prune(open_place(registry.archive), before, accounts=set(accounts), dry_run=True)
        kept = f"study {study!r} keeps records for {days:,} days"
        if old:
            text = f"{kept}, and {len(old):,} files are older: eyelog service prune deletes them"
            yield Finding("retention", "note", text)
        else:
            yield Finding("retention", "ok", f"{kept}, and nothing is older")


def erased_with_records(registry: Registry) -> list[str]:
    """Return the accounts that were erased and have older records or events again, sorted."""
    return _with_older_records(registry)[0]


def _with_older_records(registry: Registry) -> tuple[list[str], list[str]]:
    """Return the accounts that were erased and have older files; those of which it is not sure.

    Nobody knows whose the files are if an account of that name was added after the erasure: the
    clock may have been set back since. An erasure that is still to come by the clock shows it.
    """
    last = {
        note.account: note.at for note in ended.notes(registry.archive) if note.what == "erased"
    }
    if not last:
        return [], []
    added = {one.name: one.added for one in registry.accounts.all()}
    sure, unsure = list[str](), list[str]()
    for name in sorted(named_accounts(open_place(registry.archive))):
        at = last.get(ended.account_digest(name))
        if at is None or not _lives_again(registry, name):
            continue
        added_again = name in added and not is_erased(registry, name, since=added[name])
        (unsure if added_again or at > time.time() else sure).append(name)
    return sure, unsure


def _lives_again(registry: Registry, account: str) -> bool:
    """Return whether an account that was erased has records that are older than that."""
    place = open_place(registry.archive)
    times = (_written(place, one.path) for one in traces(place, account))
    return is_erased(registry, account, since=min(times, default=0))


def _written(place: Place, path: str) -> float:
    return Path(path).lstat().st_mtime if place.local else place.fs.modified(path).timestamp()


def _noted(check: str, names: set[str], meaning: str) -> Finding:
    if not names:
        return Finding(check, "ok", "none")
    return Finding(check, "note", f"{len(names)}: {listed(sorted(names))}; {meaning}")
