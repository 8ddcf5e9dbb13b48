"""The commands of the service's operator about the whole: its key, copies, retention, a check."""

import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from eyelog.cli.erasing import ELSEWHERE, led_elsewhere
from eyelog.cli.output import note, one_line, print_json
from eyelog.errors import ConfigurationError, counted, listed
from eyelog_service.cli.serve import Places, action, noted, shown_state, warn_of_password

if TYPE_CHECKING:
    from eyelog_service.grants import Registry


@action
def rotate_key(places: Places) -> None:
    """Replace the key that signs cursors and cookies.

    Do so when somebody may have read the state file. Tokens stay valid.
    """
    registry = places.registry()
    registry.rotate_key()
    noted(registry, "rotate_key")
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
    kept = None if days == "forever" else _days_of(days, "a study's retention")
    registry = places.registry()
    registry.accounts.set_retention(study, kept)
    noted(registry, "set_retention", study=study, days=kept)
    shows = f"{places.typed('prune', '--dry-run')} shows which are older."
    kept_for = "forever." if kept is None else f"for {kept:,} days. {shows}"
    note(f"Study {study!r} keeps its records {kept_for}")


def _kept_days(
    places: Places, registry: "Registry", older_than: str | None, all_in: str | None
) -> list[tuple[str | None, int]]:
    """Return the studies to prune, None for the whole archive, and how many days each keeps."""
    if older_than is not None:
        return [(all_in, _days_of(older_than, "--older-than"))]
    if all_in is not None:
        registry.accounts.in_study(all_in)  # a misspelt name has its own message
    every = registry.accounts.retention()
    kept = [(study, days) for study, days in every.items() if all_in in (None, study)]
    if not kept:
        whose = "no study has a" if all_in is None else f"study {all_in!r} has no"
        raise ConfigurationError(
            f"{whose} retention: give --older-than 730d, or set one with"
            f" {places.typed('set-retention', all_in or 'STUDY', '730d')}"
        )
    return [*kept]


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
    registry = places.registry()
    from eyelog.archive.account import named_accounts, prune
    from eyelog.archive.place import open_place

    place = open_place(registry.archive)
    now = datetime.now(UTC)
    pruned: list[dict[str, Any]] = []
    kept_days = _kept_days(places, registry, older_than, all_in)
    members = registry.accounts.by_study()
    # The study of removed accounts is unknown; their records may have to be deleted too.
    left = set() if older_than or all_in else named_accounts(place)
    for study, days in kept_days:
        before = now - timedelta(days=days)
        accounts = None if study is None else set(members.get(study, []))
        left -= accounts or set()
        removed = prune(place, before, accounts=accounts, dry_run=dry_run)
        if removed and not dry_run:
            noted(registry, "prune", study=study, days=days, files=len(removed))
        pruned.append(
            {
                "study": study,
                "days": days,
                "before": f"{before:%Y-%m-%dT%H:%M:%SZ}",
                "removed": [one._asdict() for one in removed],
            }
        )
    every = [one for of_study in pruned for one in of_study["removed"]]
    beyond = [*led_elsewhere((one["what"], one["path"]) for one in every), *ELSEWHERE]
    if json:
        protocol = {"dry_run": dry_run, "pruned": pruned}
        print_json(protocol | {"without_retention": sorted(left), "not_reached": beyond})
        return
    did = "would remove" if dry_run else "removed"
    lines = []
    for one in pruned:
        whose = "all accounts" if one["study"] is None else f"study {one['study']!r}"
        lines.append(f"{whose}: kept for {one['days']:,} days, since {one['before']}")
        lines += [
            f"{did}: {file['what']}, {file['bytes']:,} bytes: {file['path']}"
            for file in one["removed"]
        ]
    if left:
        names = listed(sorted(left))
        lines.append(f"not pruned: {counted(len(left), 'account')} without a retention: {names}")
    for line in (*lines, *(f"not reached: {text}" for text in beyond)):
        print(one_line(line))
    if not every:
        note("No month is older.")


@action
def copy_state(to: str, places: Places) -> None:
    """Copy the state into a database for several hosts.

    TO is the database, postgresql://USER@HOST/NAME. Stop the service before. The database has to be
    empty; the file stays as it is.
    """
    registry = places.registry()
    from eyelog_service.state import copy_state

    warn_of_password(to)
    target, copied = copy_state(registry.state, to)
    for table, rows in copied.items():
        print(f"{table}: {counted(rows, 'row')}")
    noted(registry, "copy_state", to=target.name)
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
    registry = places.registry()
    from eyelog_service.backup import back_up

    made = back_up(registry, to)
    noted(registry, "backup", files=made.files)
    if json:
        print_json(asdict(made))
    else:
        print(f"backed up: {made.files:,} files, {made.bytes:,} bytes, read back, in {made.folder}")
    if isinstance(registry.archive, str):
        path = places.open_archive().path
        note(f"The archive {path} is not in it: copy the bucket by its own means.")
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
    registry = places.registry(existing=False)
    from eyelog_service.backup import restore

    done = restore(registry, source)
    noted(registry, "restore", made=done.made, files=done.put_back)
    if json:
        print_json(asdict(done))
    else:
        print(f"restored: {done.put_back:,} files of the backup of {done.made}")
        for path in done.set_aside:
            print(f"set aside: {one_line(path)}")
        if done.kept:
            print(f"kept: {done.kept:,} files of the archive that the backup does not have")
        if done.erased:
            print(f"left out: {done.erased:,} files of accounts that were erased since")
    note(
        f"Next, {places.typed('after-restore')} ends what had ended since the backup, and"
        f" {places.typed('check')} checks the whole. Passwords and the secrets of applications"
        " are those of the backup."
    )


@action
def after_restore(places: Places, *, json: bool = False) -> None:
    """End again what a restored state has revived.

    That is: revoked tokens, removed accounts and applications, used invitations.

    Ends are noted in the archive, where putting back the state does not lose them.
    """
    registry = places.registry()
    from eyelog_service.erase import end_again

    ended = end_again(registry)
    kinds = ("tokens", "accounts", "applications", "disabled", "invitations", "erased")
    counts = {kind: len(ended[kind]) for kind in kinds}
    if any(counts.values()):
        noted(registry, "after_restore", **counts)
    if json:
        print_json(counts)
        return
    gone = [name for name in ended["accounts"] if name not in ended["erased"]]
    lines = [f"removed: account {name!r}" for name in gone]
    lines += [f"disabled: account {name!r}" for name in ended["disabled"]]
    lines += [f"removed: application {client_id}" for client_id in ended["applications"]]
    for did, kind, noun in (
        ("ended", "tokens", "token"),
        ("ended", "invitations", "invitation"),
        ("erased", "erased", "account"),
    ):
        lines += [f"{did}: {counted(counts[kind], noun)}"] * bool(counts[kind])
    for line in lines:
        print(line)
    if not lines:
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
    template = Path(__file__).parents[1] / "templates" / f"{program}.txt"
    print(template.read_text("utf-8"), end="")


@action
def check(places: Places, *, json: bool = False) -> None:
    """Check the state, the archive, and whether they match.

    Also prints each setting in force, and where it comes from. Changes nothing; the exit status is
    1 if something is wrong.
    """
    registry = places.registry()
    from eyelog_service.check import Finding, check_service

    findings = [*check_service(registry)]
    beside = "the archive's folder"
    unset = {"archive": str(places.archive_path), "state": beside, "local": beside}
    for name, (value, origin) in places.in_force.items():
        shown = unset.get(name, "none") if value in (None, "") else value
        if name == "state":
            shown = shown_state(str(shown))
        findings.append(Finding(f"setting {name}", "ok", f"{shown} ({origin})"))
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        width = max(len(finding.check) for finding in findings)
        for finding in findings:
            print(f"{finding.result:<5}  {finding.check:<{width}}  {one_line(finding.text)}")
    if wrong := sum(finding.result == "wrong" for finding in findings):
        checks = counted(wrong, "check")
        raise ConfigurationError(f"{checks} of the service found something wrong: see above")
