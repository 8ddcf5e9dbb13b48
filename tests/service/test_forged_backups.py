"""Links, forged lists and states of a newer release, in a backup and in what it replaces."""

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.backup import back_up, interrupted, restore
from eyelog_service.grants import Registry
from support import live
from support.records import records

STANDARD = live.STANDARD


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    registry.accounts.add("ada", "correct horse")
    frame = records(STANDARD, "2026-10-20", 60)
    el.Archive(tmp_path / "archive").write(STANDARD, frame, account="ada")
    return registry


def test_a_backup_that_would_lack_what_a_link_leads_to_is_refused(
    registry: Registry, tmp_path: Path
) -> None:
    home = registry.folder / f"log={STANDARD}" / "account=ada"
    (month,) = home.rglob("*.parquet")
    month.rename(tmp_path / "elsewhere")
    month.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(el.ConfigurationError, match=rf"{month.name} is a link"):
        back_up(registry, tmp_path / "backup")
    home.rename(tmp_path / "ada")
    home.symlink_to(tmp_path / "ada")
    with pytest.raises(el.ConfigurationError, match="account=ada is a link"):
        back_up(registry, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def listing(backup: Path, name: str, body: bytes = b"pwned\n") -> None:
    """Name one more file in the list of a backup, as its true content would be."""
    content = json.loads((backup / "backup.json").read_bytes())
    content["files"][name] = [len(body), sha256(body).hexdigest()]
    (backup / "backup.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    "inside",
    [
        "archive//{}/pwned",
        "state//{}/pwned",
        "state/../pwned",
        "archive/log=x/../../pwned",
        "archive/./pwned",
        "archive/",
        "archive",
        "pwned",
        "archive/nul\0",
        "archive/_ended.jsonl",
        "archive/_Ended.jsonl",
        "archive/_restoring.json",
        "archive/_service.sqlite",
        "state/pwned",
        "state/_service.d/pwned",
    ],
)
def test_a_list_that_names_what_no_backup_has_is_refused(tmp_path: Path, inside: str) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    registry.accounts.add("ada")
    back_up(registry, tmp_path / "backup")
    listing(tmp_path / "backup", inside.format(tmp_path))
    before = set(tmp_path.rglob("*"))
    with pytest.raises(el.ConfigurationError, match="damaged: it names"):
        restore(Registry(tmp_path / "new", tmp_path / "new"), tmp_path / "backup")
    assert set(tmp_path.rglob("*")) == before


def test_a_name_that_no_disk_takes_is_refused(registry: Registry, tmp_path: Path) -> None:
    back_up(registry, tmp_path / "backup")
    listing(tmp_path / "backup", "archive/\ud800")
    with pytest.raises(el.ConfigurationError, match="cannot be read"):
        restore(registry, tmp_path / "backup")


def test_files_of_others_in_the_archive_are_restored_whatever_their_names(
    registry: Registry, tmp_path: Path
) -> None:
    names = {
        "_ended.jsonl.old",
        "a\nb",
        "readme.txt",
        "_ENDED",
        b"\xff".decode(errors="surrogateescape"),
    }
    for name in names:
        (registry.folder / name).write_bytes(b"kept")
    (registry.folder / "_Service.notes").write_bytes(b"not of the archive")
    back_up(registry, tmp_path / "backup")
    restore(Registry(tmp_path / "new", tmp_path / "new-state"), tmp_path / "backup")
    assert {path.name for path in (tmp_path / "new").iterdir() if path.is_file()} == names


@pytest.mark.parametrize("link", ["log=x/account=ada", "log=x/account=ada/data.parquet"])
def test_links_in_a_backup_and_in_what_it_replaces_are_refused(tmp_path: Path, link: str) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    registry.accounts.add("ada")
    back_up(registry, tmp_path / "backup")
    name, body = "log=x/account=ada/data.parquet", b"pwned\n"
    listing(tmp_path / "backup", f"archive/{name}", body)
    outside = tmp_path / "outside"
    if link == name:
        outside.write_bytes(body)
    else:
        outside.mkdir()
        (outside / "data.parquet").write_bytes(body)
    in_backup, in_archive = (tmp_path / "backup" / "archive" / link, tmp_path / "new" / link)
    for path in (in_backup, in_archive):
        path.parent.mkdir(parents=True)
        path.symlink_to(outside)
    elsewhere = Registry(tmp_path / "new", tmp_path / "new-state")
    with pytest.raises(el.ConfigurationError, match=f"{in_backup} is a link"):
        restore(elsewhere, tmp_path / "backup")
    in_backup.unlink()
    (tmp_path / "backup" / "archive" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "backup" / "archive" / name).write_bytes(body)
    with pytest.raises(el.ConfigurationError, match=f"{in_archive} is a link"):
        restore(elsewhere, tmp_path / "backup")
    assert not elsewhere.state.file.exists()


def of_a_newer_release(state: Path) -> bytes:
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("PRAGMA user_version = 99")
    return state.read_bytes()


def test_a_state_of_a_newer_release_is_neither_backed_up_nor_replaced(
    registry: Registry, tmp_path: Path
) -> None:
    back_up(registry, tmp_path / "backup")
    newer = of_a_newer_release(registry.state.file)
    with pytest.raises(el.ConfigurationError, match=r"newer eyelog \(version 99"):
        back_up(registry, tmp_path / "another")
    with pytest.raises(el.ConfigurationError, match=r"newer eyelog \(version 99"):
        restore(registry, tmp_path / "backup")
    assert registry.state.file.read_bytes() == newer
    assert not (tmp_path / "another").exists()
    assert interrupted(registry.folder) is None


def test_a_backup_with_a_state_of_a_newer_release_is_not_restored(
    registry: Registry, tmp_path: Path
) -> None:
    back_up(registry, tmp_path / "backup")
    state = tmp_path / "backup" / "state" / registry.state.file.name
    body = of_a_newer_release(state)
    listing(tmp_path / "backup", f"state/{state.name}", body)
    with pytest.raises(el.ConfigurationError, match=r"newer eyelog \(version 99"):
        restore(Registry(tmp_path / "new"), tmp_path / "backup")
    assert not (tmp_path / "new").exists()
