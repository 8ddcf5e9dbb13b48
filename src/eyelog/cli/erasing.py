"""The erasure of an account, and its protocol: what was removed, and what eyelog cannot reach."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from eyelog.cli.output import note, one_line, print_json
from eyelog.cli.source import open_archive
from eyelog.errors import ArchiveError

Removed = tuple[str, str, int, str]  # what, path, how many, of what

ELSEWHERE: Final = (
    "backups and snapshots of the disk, and the free space of a disk that is not encrypted",
    "exported and downloaded files, reports, tables and figures made from the records",
    "access logs: those of the proxy, rotated ones, and those that eyelog 0.3 wrote",
    "other machines: tokens, caches and archives of those who were given access",
)


def erase_records(account: str, archive: str | None, *, dry_run: bool) -> list[Removed]:
    """Erase an account from the archive, and its tokens and cache from the folder of eyelog."""
    from eyelog.fetch.cache import clear_cache, stored_files
    from eyelog.fetch.oauth import token_files
    from eyelog.home import home_dir

    home = home_dir()
    table = open_archive(archive).erase(account, dry_run=dry_run)
    tokens, cached = token_files(home, account), stored_files(home, account)
    removed = [*table[["what", "path", "bytes"]].itertuples(index=False, name=None)]
    for what, paths in (("token", tokens), ("cache", cached)):
        removed += [(what, str(path), path.lstat().st_size) for path in paths]
    if not dry_run:
        for path in tokens:
            path.unlink(missing_ok=True)
        clear_cache(home, account)
    return [(*row, "bytes") for row in removed]


def led_elsewhere(removed: Iterable[tuple[str, str]]) -> list[str]:
    """Return, of what was removed and from where, to what links led: that is still there."""
    from eyelog.archive.account import LINK

    return [
        f"{what.removeprefix(LINK)}, to which the link {path} leads"
        for what, path in removed
        if what.startswith(LINK)
    ]


def print_erasure(
    account: str,
    archive: str | None,
    removed: Sequence[Removed],
    out_of_reach: Sequence[str] = (),
    *,
    dry_run: bool,
    json: bool,
) -> None:
    """Print what was removed, and what was not."""
    links = led_elsewhere((what, path) for what, path, *_ in removed)
    default = _default_archive(account, archive, dry_run=dry_run)
    beyond = [*default, *out_of_reach, *links, *ELSEWHERE]
    if json:
        rows = [{"what": what, "path": path, unit: n} for what, path, n, unit in removed]
        protocol = {"account": account, "dry_run": dry_run, "removed": rows, "not_reached": beyond}
        print_json(protocol)
        return
    did = "would remove" if dry_run else "removed"
    for what, path, count, unit in removed:
        verb = did if what != "audit log" else did.replace("remove", "rename")
        print(one_line(f"{verb}: {what}, {count:,} {unit}: {path}"))
    for text in beyond:
        print(one_line(f"not reached: {text}"))
    if not removed:
        note(f"Nothing of account {account!r} was found.")
    elif dry_run:
        note("Dry run: nothing was changed.")
    else:
        note(f"Account {account!r} is erased from what eyelog can reach: keep this protocol.")


def _default_archive(account: str, archive: str | None, *, dry_run: bool) -> list[str]:
    """Return how to erase the account from the archive in the folder of eyelog, if it is there."""
    from eyelog.archive.account import traces
    from eyelog.archive.place import open_place
    from eyelog.home import home_dir

    default = open_place(home_dir() / "archive")
    command = shlex.join(["eyelog", "archive", "erase", "--archive", default.root, "--", account])
    try:
        # Nothing is left in it if it is the one that was erased, whatever the way to it.
        found = bool(traces(default, account))
    except ArchiveError as error:
        return [f"the archive of EYELOG_HOME ({error}): then {command}"]
    if dry_run and found and (erased := Path(open_archive(archive).path)).exists():
        found = not erased.samefile(default.root)
    return [f"the archive of EYELOG_HOME, which has the account too: {command}"] * found
