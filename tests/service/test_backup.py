"""A backup is complete and read back; a restore loses nothing, and says what lives again."""

import errno
import json
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

import eyelog as el
from eyelog_service import backup, ended
from eyelog_service.app import create_app
from eyelog_service.audit import FILE_NAME, Audit
from eyelog_service.backup import back_up, interrupted, restore
from eyelog_service.check import check_service
from eyelog_service.erase import revived
from eyelog_service.grants import Bearer, Registry
from support import live
from support.command import main
from support.records import records

STANDARD = live.STANDARD


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)


@pytest.fixture(params=[False, True], ids=["state in the archive", "state apart"])
def registry(tmp_path: Path, request: pytest.FixtureRequest) -> Registry:
    registry = Registry(tmp_path / "archive", tmp_path / "state" if request.param else None)
    for name in ("ada", "bea", "cyd"):
        registry.accounts.add(name, "correct horse")
        frame = records(STANDARD, "2026-10-20", 60)
        el.Archive(tmp_path / "archive").write(STANDARD, frame, account=name)
    Audit(registry.state_folder).write("login", account="ada")
    return registry


def tokens(registry: Registry, client_id: str, account: str) -> tuple[str, str]:
    code = registry.grants.issue_code(account, client_id, live.REDIRECT)
    return registry.grants.exchange(code, client_id, live.REDIRECT, None)


def words(registry: Registry) -> list[str]:
    return ["--archive", str(registry.folder), "--state", str(registry.state_folder)]


def finding(registry: Registry) -> str:
    (text,) = [one.text for one in check_service(registry) if one.check == "ended before"]
    return text


def test_a_backup_is_restored_on_an_empty_machine(registry: Registry, tmp_path: Path) -> None:
    made = back_up(registry, tmp_path / "backup")
    assert made.damaged == 0
    assert not list(tmp_path.glob("backup/archive/**/_service*"))
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "backup").rglob("*"))
    elsewhere = Registry(tmp_path / "new" / "archive", tmp_path / "new" / "state")
    done = restore(elsewhere, tmp_path / "backup")
    assert (done.put_back, done.set_aside, done.kept, done.erased) == (made.files, [], 0, 0)
    assert elsewhere.accounts.names() == registry.accounts.names()
    assert elsewhere.accounts.check_login("ada", "correct horse")
    assert elsewhere.signing_key() == registry.signing_key()
    there = el.Archive(tmp_path / "new" / "archive")
    assert there.read(STANDARD, account="bea").equals(
        el.Archive(registry.folder).read(STANDARD, account="bea")
    )
    assert (tmp_path / "new" / "state" / FILE_NAME).exists()
    assert restore(elsewhere, tmp_path / "backup").put_back == 0


def test_what_ended_after_a_backup_is_said_and_ended_again(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client_id, _ = registry.applications.add(live.REDIRECT)
    other_id, _ = registry.applications.add(live.REDIRECT)
    access, _ = tokens(registry, client_id, "ada")
    kept, _ = tokens(registry, client_id, "cyd")
    single, _ = tokens(registry, client_id, "cyd")
    tokens(registry, client_id, "bea")
    tokens(registry, other_id, "cyd")
    assert finding(registry) == "nothing lives again that had ended"
    back_up(registry, tmp_path / "backup")

    registry.grants.revoke_all(accounts=["ada"])
    registry.accounts.remove("bea")
    registry.accounts.disable("cyd")
    registry.applications.remove(other_id)
    assert registry.grants.revoke(single, client_id, "cyd")
    assert finding(registry) == "nothing lives again that had ended"
    names = (registry.folder / ended.FILE_NAME).read_bytes()
    assert b'"ada"' not in names
    assert b'"bea"' not in names

    # As somebody would do it who does not know the command.
    shutil.copy(tmp_path / "backup" / "state" / registry.state.file.name, registry.state.file)
    assert finding(registry) == (
        "restored from an earlier state: 7 tokens revoked since, 1 account removed since,"
        " 1 account disabled since, 1 application removed since: eyelog service after-restore ends"
        " them"
    )
    assert isinstance(registry.grants.bearer(access), Bearer)
    assert main(["service", "check", *words(registry)]) == 1
    assert main(["service", "after-restore", "--json", *words(registry)]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["tokens"] == 7
    assert registry.grants.bearer(access) == "the access token is revoked"
    assert registry.grants.bearer(single) == "the access token is revoked"
    assert registry.grants.bearer(kept) == "the account of the access token is disabled"
    assert registry.accounts.names() == ["ada", "cyd"]
    assert [one.client_id for one in registry.applications.all()] == [client_id]
    assert finding(registry) == "nothing lives again that had ended"
    registry.accounts.enable("cyd")
    assert isinstance(registry.grants.bearer(kept), Bearer)
    assert not revived(registry)
    tokens(registry, client_id, "ada")  # a new login is not ended
    assert not revived(registry)


def test_an_erased_account_does_not_come_back(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = el.Archive(registry.folder)
    for name in ("ada", "bea"):
        at = [pd.Timestamp("2026-10-20T10:00Z")]
        event = pd.DataFrame({"start": at, "end": at, "label": [f"{name}s headache"]})
        archive.add_events(event, account=name)
    back_up(registry, tmp_path / "backup")
    assert main(["service", "erase", "ada", *words(registry)]) == 0
    done = restore(registry, tmp_path / "backup")
    assert done.erased == 2  # the month and the events
    assert len(archive.events(account="bea")) == 1
    assert el.Archive(registry.folder).accounts() == ["bea", "cyd"]
    assert "1 account removed since" in finding(registry)
    assert main(["service", "after-restore", *words(registry)]) == 0
    assert "erased: 1 account" in capsys.readouterr().out
    assert registry.accounts.names() == ["bea", "cyd"]
    # Records that somebody copies back by hand are noticed, too.
    for path in (tmp_path / "backup" / "archive").glob("log=*/account=ada"):
        shutil.copytree(path, registry.folder / path.parent.name / path.name)
    assert "records of 1 account erased since" in finding(registry)
    assert main(["service", "after-restore", *words(registry)]) == 0
    # So is a diary alone.
    diary = ".events/account=ada.v1.csv"
    shutil.copy2(tmp_path / "backup" / "archive" / diary, registry.folder / diary)
    assert "records of 1 account erased since" in finding(registry)
    assert main(["service", "after-restore", *words(registry)]) == 0
    assert el.Archive(registry.folder).accounts() == ["bea", "cyd"]
    found = [
        path
        for root in {registry.folder, registry.state_folder}
        for path in root.rglob("*")
        if path.is_file() and any(p in path.read_bytes() for p in (b'"ada"', b"adas headache"))
    ]
    assert found == []


def test_a_name_that_was_used_again_before_the_backup_is_restored(
    registry: Registry, tmp_path: Path
) -> None:
    archive = el.Archive(registry.folder)
    assert main(["service", "erase", "ada", *words(registry)]) == 0
    registry.accounts.add("ada")
    frame = records(STANDARD, "2026-10-21", 60)
    archive.write(STANDARD, frame, account="ada")
    archive.set_zones("Asia/Tokyo", account="ada")
    back_up(registry, tmp_path / "backup")
    for path in (*registry.folder.glob("log=*"), registry.folder / ".zones"):
        shutil.rmtree(path)
    assert restore(registry, tmp_path / "backup").erased == 0
    assert len(archive.read(STANDARD, account="ada")) == 60
    assert str(archive.zones(account="ada")) == "Asia/Tokyo"
    assert finding(registry) == "nothing lives again that had ended"


def test_a_clock_that_was_set_back_after_an_erasure_deletes_no_records(
    registry: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    archive, true = el.Archive(registry.folder), time.time
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: true() + 86_400)
        for name in ("ada", "bea"):
            assert main(["service", "erase", name, *words(registry)]) == 0
    registry.accounts.add("ada")
    for name in ("ada", "bea"):  # bea has records and no account
        archive.write(STANDARD, records(STANDARD, "2026-10-21", 60), account=name)
    assert "2 accounts (ada, bea) erased before, with files" in finding(registry)
    assert main(["service", "after-restore", *words(registry)]) == 0
    assert "Nothing lives again" in capsys.readouterr().err
    back_up(registry, tmp_path / "backup")
    shutil.rmtree(registry.folder / f"log={STANDARD}")
    restore(registry, tmp_path / "backup")
    assert archive.accounts() == ["ada", "bea", "cyd"]
    assert registry.accounts.names() == ["ada", "cyd"]
    monkeypatch.setattr(time, "time", lambda: true() + 2 * 86_400)  # the day has come
    registry.accounts.add("bea")
    assert main(["service", "after-restore", *words(registry)]) == 0
    assert archive.accounts() == ["ada", "bea", "cyd"]


def test_what_is_erased_while_a_backup_is_written_does_not_come_back(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy_then_erase(registry: Registry, target: Path) -> dict[str, tuple[int, str]]:
        files = copy_all(registry, target)
        assert main(["service", "erase", "ada", *words(registry)]) == 0
        return files

    copy_all = backup._copy_all
    monkeypatch.setattr(backup, "_copy_all", copy_then_erase)
    back_up(registry, tmp_path / "backup")
    assert restore(registry, tmp_path / "backup").erased == 1
    assert el.Archive(registry.folder).accounts() == ["bea", "cyd"]


def test_a_restore_sets_aside_what_it_replaces_and_keeps_the_rest(
    registry: Registry, tmp_path: Path
) -> None:
    back_up(registry, tmp_path / "backup")
    archive = el.Archive(registry.folder)
    archive.write(STANDARD, records(STANDARD, "2026-10-21", 60), account="ada")
    archive.write(STANDARD, records(STANDARD, "2026-11-21", 60), account="ada")
    registry.accounts.add("dan", "correct horse")
    Audit(registry.state_folder).write("login", account="bea")
    done = restore(registry, tmp_path / "backup")
    assert len(done.set_aside) == 2
    assert all(Path(path).exists() for path in done.set_aside)
    assert done.kept == 1
    assert len(archive.read(STANDARD, account="ada")) == 120
    assert registry.accounts.names() == ["ada", "bea", "cyd"]
    logs = sorted(registry.state_folder.glob(f"{FILE_NAME}*"))
    assert len(logs) == 2
    assert b"bea" in logs[0].read_bytes()
    assert archive.accounts() == ["ada", "bea", "cyd"]
    assert len(archive.verify()) == 0


@pytest.mark.parametrize("inside", ["archive", "state"])
def test_a_damaged_backup_is_not_restored(registry: Registry, tmp_path: Path, inside: str) -> None:
    back_up(registry, tmp_path / "backup")
    path = max((tmp_path / "backup" / inside).rglob("*.[ps]*"), key=lambda each: each.is_file())
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    registry.accounts.add("dan", "correct horse")
    with pytest.raises(el.ConfigurationError, match="is damaged"):
        restore(registry, tmp_path / "backup")
    assert "dan" in registry.accounts.names()


def test_a_log_on_a_larger_disk_is_backed_up_and_restored(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = registry.folder / f"log={STANDARD}"
    log.rename(tmp_path / "larger")
    log.symlink_to(tmp_path / "larger")
    made = back_up(registry, tmp_path / "backup")
    archive = el.Archive(registry.folder)
    archive.write(STANDARD, records(STANDARD, "2026-10-21", 60), account="ada")
    shutil.rmtree(log / "account=bea")
    replace = Path.replace

    def replace_on_one_disk(path: Path, to: Path) -> Path:
        if path.parent != to.parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return replace(path, to)

    monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EXDEV, "")))
    monkeypatch.setattr(Path, "replace", replace_on_one_disk)
    aside = restore(registry, tmp_path / "backup").set_aside
    assert [Path(path).exists() for path in aside] == [True, True]  # the month and the state
    assert log.is_symlink()
    assert [len(archive.read(STANDARD, account=name)) for name in ("ada", "bea")] == [60, 60]
    assert restore(Registry(tmp_path / "new"), tmp_path / "backup").put_back == made.files


def test_what_is_not_a_backup_is_refused(registry: Registry, tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="is not a backup"):
        restore(registry, tmp_path)
    with pytest.raises(el.ConfigurationError, match="which is copied"):
        back_up(registry, registry.folder / "backup")
    with pytest.raises(el.ConfigurationError, match="not empty"):
        back_up(registry, tmp_path)


def test_a_backup_is_consistent_while_the_service_writes(
    registry: Registry, tmp_path: Path
) -> None:
    client_id, _ = registry.applications.add(live.REDIRECT)
    stop = threading.Event()

    def work() -> None:
        audit, number = Audit(registry.state_folder), 0
        archive = el.Archive(registry.folder)
        while not stop.is_set():
            tokens(registry, client_id, "ada")
            audit.write("refresh", account="ada", number=number)
            archive.write(STANDARD, records(STANDARD, "2026-10-21", 5, seed=number), account="ada")
            number += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for number in range(5):
            folder = tmp_path / f"backup-{number}"
            assert back_up(registry, folder).damaged == 0
            with closing(sqlite3.connect(folder / "state" / registry.state.file.name)) as db:
                rows = db.execute("SELECT origin, count(*) FROM token GROUP BY origin").fetchall()
            assert {count for _, count in rows} <= {2}
            log = (folder / "state" / FILE_NAME).read_bytes()
            assert all(json.loads(line) for line in log.splitlines())
    finally:
        stop.set()
        thread.join()


def test_a_restore_that_was_killed_half_way_is_said_until_it_is_repeated(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(registry, tmp_path / "backup")
    shutil.rmtree(registry.folder / f"log={STANDARD}")
    put, calls = backup._put, []

    def killed(source: Path, target: Path) -> None:
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(target)
        put(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_put", killed)
        with pytest.raises(KeyboardInterrupt):
            restore(registry, tmp_path / "backup")
    said = [one.text for one in check_service(registry) if one.check == "restore"]
    assert said == [interrupted(registry.folder)]
    assert "run eyelog service restore with it again" in said[0]
    with pytest.raises(el.ConfigurationError, match="did not finish"):
        create_app(registry.folder, state=registry.state_folder)
    restore(registry, tmp_path / "backup")
    assert interrupted(registry.folder) is None
    for name in ("ada", "bea", "cyd"):
        assert len(el.Archive(registry.folder).read(STANDARD, account=name)) == 60
    create_app(registry.folder, state=registry.state_folder)
