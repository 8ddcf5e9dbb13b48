"""Checks for an operator around a change: the state's file, and whether it matches the archive.

Nothing is changed here: open permissions stay as they are, so that somebody can notice them.
"""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from eyelog.archive.account import prune
from eyelog.archive.place import open_place
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from eyelog.errors import ConfigurationError, EyelogError, counted, listed
from eyelog_service import ended
from eyelog_service.accounts import is_readable_on_the_way
from eyelog_service.audit import FILE_NAME
from eyelog_service.backup import interrupted, unfinished_backup
from eyelog_service.ended import outdated
from eyelog_service.erase import in_words, revived
from eyelog_service.grants import Registry
from eyelog_service.state import VERSION, State, StateBusy, StateFault, refuse_other, run

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
    registry.state.require()
    findings = [_place(registry), *_free_space(registry)]
    whole = _whole(registry.state)
    findings += [*whole, *_files(registry)]
    archive, names = _archive(registry.archive)
    findings.append(archive)
    if text := interrupted(registry.folder):
        findings.append(Finding("restore", "wrong", text))
    if not registry.state.in_database and (folder := unfinished_backup(registry)):
        text = f"{folder} is of a backup that was killed: the next one, or erase, removes it"
        findings.append(Finding("unfinished backup", "wrong", text))
    findings.append(_descriptors())
    if any(finding.result == "wrong" for finding in whole):
        text = "not checked, because the state cannot be relied on"
        return [*findings, Finding("accounts", "wrong", text)]
    try:
        findings += _accounts(registry, names)
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


def _found(
    check: str, faults: str, well: str, result: Literal["note", "wrong"] = "wrong"
) -> Finding:
    """Return what is wrong, or (no text) that all is well."""
    return Finding(check, result, faults) if faults else Finding(check, "ok", well)


def descriptors_left(*, of_most: bool = False) -> int:
    """Return how many more files and connections this process may open.

    With `of_most`, if it asks for as many as it may, as a service does.
    """
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[of_most]
        if limit == resource.RLIM_INFINITY:
            return sys.maxsize
        return limit - len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (names are enough)
    except ImportError:
        return sys.maxsize  # on Windows
    except OSError as error:
        return 0 if error.errno in (errno.EMFILE, errno.ENFILE) else sys.maxsize  # or on macOS


def _descriptors() -> Finding:
    """Check how many files and connections a service may open that starts as this command does."""
    left = descriptors_left(of_most=True)
    text = f"{left:,} may be opened" if left < sys.maxsize else "as many as are needed"
    few = f"only {text}: raise LimitNOFILE, or ulimit -n" if left < _LEAST_DESCRIPTORS else ""
    return _found("descriptors", few, text, "note")


def _not_checked(check: str) -> Finding:
    return Finding(check, "wrong", "not checked, because the archive cannot be read")


def _place(registry: Registry) -> Finding:
    """Check who can read and replace the state."""
    state = registry.state
    if state.in_database:
        text = f"{state.name} is reached unencrypted: add ?sslmode=verify-full to its address"
        return _found("state database", "" if state.is_encrypted() else text, state.name, "note")
    file = state.file
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
    text = f"{file}: {'; '.join(faults)}" if faults else ""
    return _found("state file", text, f"{file}, {file.stat().st_size / 1000:,.0f} kB, private")


def _free_space(registry: Registry) -> Iterator[Finding]:
    folders = [folder for folder in (registry.folder, registry.state_folder) if folder.is_dir()]
    for folder in {folder.stat().st_dev: folder for folder in folders}.values():
        free = shutil.disk_usage(folder).free
        text = f"{free / 1e6:,.1f} MB left on the disk of {folder}: free some, or requests fail"
        well = f"{free / 1e9:,.1f} GB left on the disk of {folder}"
        yield _found("free space", text if free < _LEAST_FREE else "", well)


def _whole(state: State) -> list[Finding]:
    """Check the tables and the key, and that a file is sound, without changing anything."""
    faults: list[str] = []
    try:
        with state.opened() as db:
            if not state.in_database:  # whose pages are checked by its own means
                faults = list(db.exec_driver_sql("PRAGMA integrity_check(3)").scalars())
            key = run(db, "SELECT value FROM meta WHERE name = 'signing_key'").scalar()
        version, missing = state.version() or 0, state.missing_columns()
    except (StateFault, UnicodeDecodeError) as error:
        if state.in_database:  # it cannot be reached: that is no damage
            raise
        return [Finding("integrity", "wrong", f"{error}; restore a copy")]
    findings = []
    if faults:
        damage = f"the file is damaged ({'; '.join(faults)}): restore a copy"
        findings = [_found("integrity", damage if faults != ["ok"] else "", "no damage found")]
    refused = ""
    try:
        refuse_other(version)
        if missing:
            refused = f"the state lacks {listed(missing)}: restore a copy"
    except ConfigurationError as refusal:
        refused = str(refusal)
    findings.append(_found("schema", refused, f"version {version}"))
    if version <= VERSION:  # of tables of a newer release nobody here knows what else is in them
        text = "there is none, or it is too short: eyelog service rotate-key makes another"
        findings.append(_found("signing key", text if len(key or b"") < 32 else "", "present"))
    return findings


def _files(registry: Registry) -> Iterator[Finding]:
    """Check what is beside the archive and the state."""
    apart = registry.state_folder
    if registry.state.in_database or not (
        registry.folder.exists() and registry.folder.samefile(apart)
    ):
        other = registry.folder / registry.state.file.name
        text = (
            f"the archive has another one, {other}, with password hashes and a key: a service"
            " without --state uses that; delete one of the two"
        )
        well = "the archive holds no password hash and no key"
        yield _found("state apart", text if other.exists() else "", well)
    file = apart / FILE_NAME
    if not os.path.lexists(file):
        yield Finding("audit log", "note", f"{file} does not exist: nothing happened yet")
        return
    text = ""
    if file.is_symlink() or not os.access(file, os.W_OK):
        text = f"{file} cannot be written: events are lost"
    elif os.name == "posix" and file.stat().st_mode & 0o077:
        text = f"others can read {file}: chmod 600 {file}"
    yield _found("audit log", text, f"{file}, {file.stat().st_size / 1000:,.0f} kB, private")


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
    """Check the accounts and the applications."""
    names = set(registry.accounts.names())
    yield Finding("accounts", "ok", f"{len(names)}")
    if with_records is not None:
        for check, odd, meaning in (
            (
                "accounts without records",
                names - with_records,
                "a wearer who logs in finds nothing",
            ),
            (
                "records without account",
                with_records - names,
                "nobody can ask for them: eyelog service add-account NAME",
            ),
        ):
            text = f"{len(odd)}: {listed(sorted(odd))}; {meaning}" if odd else ""
            yield _found(check, text, "none", "note")
    applications = registry.applications.all()
    yield Finding("applications", "ok", f"{len(applications)}")
    open_ones = [
        f"{one.label} ({one.redirect_uri})"
        for one in applications
        if is_readable_on_the_way(one.redirect_uri)
    ]
    advice = "codes can be read on the way; register an https address instead"
    text = f"{listed(open_ones)}: {advice}" if open_ones else ""
    yield _found("redirect URIs", text, "https, or on the wearer's own machine")


def _outdated(registry: Registry) -> Finding:
    count = outdated(registry.state)
    text = f"{count:,} to delete: a running service does so within an hour of the next refresh"
    return _found("expired rows", text if count else "", "none to delete", "note")


def _list_of_ends(registry: Registry) -> Finding:
    """Check the list by which a restored state is known: what it has lost, nobody ends again."""
    text = ""
    try:
        if damaged := ended.damage(registry.archive):
            text = (
                f"{counted(len(damaged), 'damaged line')} ({listed(damaged)}): what was ended there"
                " may live again in a restored state, unnoticed; put an undamaged copy of the list"
                " back, or end it again (revoke, disable, remove, erase) and delete the line"
            )
    except EyelogError as error:
        text = f"{error}: what ended may live again, unnoticed"
    return _found("list of ends", text, "each end that was noted can be read")


def _ended_before(registry: Registry) -> Finding:
    found = revived(registry)
    texts = [text] if (text := in_words(found)) else []
    if found["with_records"]:
        texts.append(f"records of {counted(len(found['with_records']), 'account')} erased since")
    doubt = ""
    if unsure := found["unsure"]:
        doubt = (
            f"{counted(len(unsure), 'account')} ({listed(unsure)}) erased before, with"
            " files whose dates are older than that: they were put back, or the clock was set back;"
            " eyelog archive erase NAME erases all records of an account, if they were put back"
        )
    if not texts:
        return _found("ended before", doubt, "nothing lives again that had ended", "note")
    text = (
        f"restored from an earlier state: {', '.join(texts)}: eyelog service after-restore"
        " ends them"
    )
    return Finding("ended before", "wrong", "; ".join(filter(None, (text, doubt))))


def _retention(registry: Registry) -> Iterator[Finding]:
    """Yield for each study with a retention whether it has kept something for longer."""
    members, place = registry.accounts.by_study(), open_place(registry.archive)
    for study, days in registry.accounts.retention().items():
        before, accounts = datetime.now(UTC) - timedelta(days=days), set(members.get(study, []))
        old = prune(place, before, accounts=accounts, dry_run=True)
        kept = f"study {study!r} keeps records for {days:,} days"
        text = f"{kept}, and {len(old):,} files are older: eyelog service prune deletes them"
        yield _found("retention", text if old else "", f"{kept}, and nothing is older", "note")
