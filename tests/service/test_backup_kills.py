"""Backups and restores that are killed leave the old or the new, and a repeat works."""

import shutil
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.backup import back_up, interrupted, restore, unfinished_backup
from eyelog_service.grants import Registry
from support import live
from support.processes import killed_at
from support.records import records

STANDARD = live.STANDARD


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)


COMMAND = "from eyelog.cli import main; sys.exit(main(sys.argv[1:]))"
MOMENTS = [0, 1, 3, 9, 20, 45, 80, 100_000]  # the last one lets it end by itself


def killed(moment: int, verb: str, registry: Registry, backup: Path) -> bool:
    words = ["--archive", str(registry.folder), "--state", str(registry.state_folder), str(backup)]
    return killed_at(moment, COMMAND, "service", verb, *words)


def contents(*folders: Path) -> dict[str, bytes]:
    """Return the files that a backup or a restore is to bring back."""
    return {
        f"{folder.name}/{path.relative_to(folder)}": path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if (path.name == "_service.sqlite" or path.suffix == ".parquet")
        and ".before-restore" not in path.parts
    }


def fill(registry: Registry, *, day: str = "2026-10-20") -> None:
    """Give an archive records of 40 wearers."""
    for number in range(40):
        if f"w{number}" not in registry.accounts.names():
            registry.accounts.add(f"w{number}")
        frame = records(STANDARD, day, 30, seed=number)
        el.Archive(registry.folder).write(STANDARD, frame, account=f"w{number}")


@pytest.mark.slow("a process is killed at many moments")
def test_a_killed_backup_is_whole_or_not_there_and_a_repeat_works(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    fill(registry)
    target = tmp_path / "backup"
    for moment in MOMENTS[:-1]:
        assert killed(moment, "backup", registry, tmp_path / f"backup-{moment}")
        left = [str(path) for path in tmp_path.glob(".backup*")]
        assert [unfinished_backup(registry)] == (left or [None])  # the one before is gone
    assert not killed(MOMENTS[-1], "backup", registry, target)
    assert unfinished_backup(registry) is None
    elsewhere = Registry(tmp_path / "a", tmp_path / "s")
    restore(elsewhere, target)  # reads all of it
    assert elsewhere.accounts.names() == registry.accounts.names()
    assert len(el.Archive(elsewhere.folder).verify()) == 0
    assert [path.name for path in tmp_path.glob(".backup*")] == []


@pytest.mark.slow("a process is killed at many moments")
def test_a_killed_restore_leaves_the_old_or_the_new_and_a_repeat_works(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    fill(registry)
    back_up(registry, tmp_path / "backup")
    new = contents(tmp_path / "backup" / "archive", tmp_path / "backup" / "state")
    fill(registry, day="2026-10-21")
    registry.accounts.add("dan")
    old = contents(registry.folder, registry.state_folder)
    assert len(old.keys() - new.keys()) >= 40  # each wearer has more
    kept = tmp_path / "kept"
    kept.mkdir()
    for folder in (registry.folder, registry.state_folder):
        shutil.copytree(folder, kept / folder.name)
    half = 0
    for moment in MOMENTS:
        for folder in (registry.folder, registry.state_folder):
            shutil.rmtree(folder)
            shutil.copytree(kept / folder.name, folder)
        was_killed = killed(moment, "restore", registry, tmp_path / "backup")
        now = contents(registry.folder, registry.state_folder)
        assert all(body in (old.get(name), new.get(name)) for name, body in now.items())
        if interrupted(registry.folder) is None:
            assert now in ((old, new) if was_killed else (new,))
            continue
        half += 1
        restore(registry, tmp_path / "backup")
        assert contents(registry.folder, registry.state_folder) == new
        assert not list(tmp_path.rglob("*.tmp"))
        assert len(el.Archive(registry.folder).verify()) == 0
    assert half > 3
