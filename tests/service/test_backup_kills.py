"""Backups and restores that are killed leave the old or the new, and a repeat works."""

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import eyelog as el
from eyelog.service.auth.registry import Registry
from eyelog.service.backup import back_up, interrupted, restore
from support import live
from support.records import records

STANDARD = live.STANDARD


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    registry.accounts.add("ada", "correct horse")
    frame = records(STANDARD, "2026-10-20", 60)
    el.Archive(tmp_path / "archive").write(STANDARD, frame, account="ada")
    return registry


def words(registry: Registry) -> list[str]:
    return ["--archive", str(registry.folder), "--state", str(registry.state_folder)]


def command(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "eyelog", "service", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def killed_at_random(draws: random.Random, longest_s: float, *words: str) -> bool:
    """Run a command and kill it; return whether it was quicker."""
    with command(*words) as process:
        try:
            return process.wait(timeout=draws.uniform(0.3, longest_s)) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return False


def contents(*folders: Path) -> dict[str, bytes]:
    """Return the files that a backup or a restore is to bring back."""
    return {
        f"{folder.name}/{path.relative_to(folder)}": path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.name in ("_service.sqlite", "data.parquet") and ".before-restore" not in path.parts
    }


def fill(registry: Registry, *, day: str = "2026-10-20") -> None:
    """Give an archive records of 40 wearers, so that there is time to kill a command."""
    for number in range(40):
        if f"w{number}" not in registry.accounts.names():
            registry.accounts.add(f"w{number}")
        frame = records(STANDARD, day, 30, seed=number)
        el.Archive(registry.folder).write(STANDARD, frame, account=f"w{number}")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_backup_is_whole_or_not_there_and_a_repeat_works(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    fill(registry)
    target, draws = tmp_path / "backup", random.Random(25)
    with command("backup", *words(registry), str(tmp_path / "first")) as process:
        started = time.monotonic()
        assert process.wait(timeout=60) == 0
        took = time.monotonic() - started
    outcomes = []
    for number in range(30):
        outcomes.append(
            killed_at_random(draws, took * 1.2, "backup", *words(registry), str(target))
        )
        if target.exists():
            elsewhere = Registry(tmp_path / f"a{number}", tmp_path / f"s{number}")
            restore(elsewhere, target)  # reads all of it
            assert elsewhere.accounts.names() == registry.accounts.names()
            assert len(el.Archive(elsewhere.folder).verify()) == 0
            shutil.rmtree(target)
    assert set(outcomes) == {True, False}
    assert back_up(registry, target).damaged == 0
    assert [path.name for path in tmp_path.glob(".backup*")] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_restore_leaves_the_old_or_the_new_and_a_repeat_works(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "archive", tmp_path / "state")
    fill(registry)
    back_up(registry, tmp_path / "backup")
    new = contents(tmp_path / "backup" / "archive", tmp_path / "backup" / "state")
    fill(registry, day="2026-10-21")
    registry.accounts.add("dan")
    old = contents(registry.folder, registry.state_folder)
    assert {name for name in old if old[name] != new.get(name)} == set(old) >= set(new)
    draws, source = random.Random(25), str(tmp_path / "backup")
    kept = tmp_path / "kept"
    kept.mkdir()
    for folder in (registry.folder, registry.state_folder):
        shutil.copytree(folder, kept / folder.name)
    with command("restore", *words(registry), source) as process:
        started = time.monotonic()
        assert process.wait(timeout=60) == 0
        took = time.monotonic() - started
    half = 0
    for _ in range(30):
        for folder in (registry.folder, registry.state_folder):
            shutil.rmtree(folder)
            shutil.copytree(kept / folder.name, folder)
        ended_itself = killed_at_random(draws, took * 1.2, "restore", *words(registry), source)
        now = contents(registry.folder, registry.state_folder)
        assert all(now[name] in (old[name], new.get(name)) for name in old)
        if interrupted(registry.folder) is None:
            assert now in (old, new)
            assert now == new or not ended_itself
            continue
        half += 1
        restore(registry, tmp_path / "backup")
        assert contents(registry.folder, registry.state_folder) == new
        assert not list(tmp_path.rglob("*.tmp"))
        assert len(el.Archive(registry.folder).verify()) == 0
    assert half
