"""A backup is complete and read back; a restore loses nothing, and says what lives again."""

import errno
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

import eyelog as el
from eyelog.cli.main import main
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.service import backup
from eyelog.service.app import create_app
from eyelog.service.audit import FILE_NAME, Audit
from eyelog.service.auth import ended
from eyelog.service.auth.grants import Bearer
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.restored import revived
from eyelog.service.backup import back_up, interrupted, restore
from eyelog.service.check import check_service
from support import live
from support.records import records

STANDARD = live.STANDARD


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)


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
    assert registry.grants.revoke(single, Bearer("cyd", client_id))
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
    with pytest.raises(ConfigurationError, match="is damaged"):
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


def test_a_backup_that_would_lack_what_a_link_leads_to_is_refused(
    registry: Registry, tmp_path: Path
) -> None:
    home = registry.folder / f"log={STANDARD}" / "account=ada"
    (home / "month=2026-10" / "data.parquet").rename(tmp_path / "elsewhere")
    (home / "month=2026-10" / "data.parquet").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match=r"data\.parquet is a link"):
        back_up(registry, tmp_path / "backup")
    home.rename(tmp_path / "ada")
    home.symlink_to(tmp_path / "ada")
    with pytest.raises(ArchiveError, match="account=ada is a link"):
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
        "archive/.together-0.json",
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
    with pytest.raises(ConfigurationError, match="damaged: it names"):
        restore(Registry(tmp_path / "new", tmp_path / "new"), tmp_path / "backup")
    assert set(tmp_path.rglob("*")) == before


def test_a_name_that_no_disk_takes_is_refused(registry: Registry, tmp_path: Path) -> None:
    back_up(registry, tmp_path / "backup")
    listing(tmp_path / "backup", "archive/\ud800")
    with pytest.raises(ConfigurationError, match="cannot be read"):
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
    with pytest.raises(ConfigurationError, match=f"{in_backup} is a link"):
        restore(elsewhere, tmp_path / "backup")
    in_backup.unlink()
    (tmp_path / "backup" / "archive" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "backup" / "archive" / name).write_bytes(body)
    with pytest.raises(ConfigurationError, match=f"{in_archive} is a link"):
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
    with pytest.raises(ConfigurationError, match=r"newer eyelog \(version 99"):
        back_up(registry, tmp_path / "another")
    with pytest.raises(ConfigurationError, match=r"newer eyelog \(version 99"):
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
    with pytest.raises(ConfigurationError, match=r"newer eyelog \(version 99"):
        restore(Registry(tmp_path / "new"), tmp_path / "backup")
    assert not (tmp_path / "new").exists()


def test_a_damaged_state_is_replaced(registry: Registry, tmp_path: Path) -> None:
    back_up(registry, tmp_path / "backup")
    registry.state.file.write_bytes(b"no database")
    restore(registry, tmp_path / "backup")
    assert Registry(registry.folder, registry.state_folder).accounts.names() == [
        "ada",
        "bea",
        "cyd",
    ]


def test_what_is_not_a_backup_is_refused(registry: Registry, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a backup"):
        restore(registry, tmp_path)
    with pytest.raises(ConfigurationError, match="which is copied"):
        back_up(registry, registry.folder / "backup")
    with pytest.raises(ConfigurationError, match="not empty"):
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
    for name in ("ada", "bea", "cyd"):
        frame = records(STANDARD, "2026-10-21", 60)
        el.Archive(registry.folder).write(STANDARD, frame, account=name)
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
    with pytest.raises(ConfigurationError, match="did not finish"):
        create_app(registry.folder, state=registry.state_folder)
    restore(registry, tmp_path / "backup")
    assert interrupted(registry.folder) is None
    for name in ("ada", "bea", "cyd"):
        assert len(el.Archive(registry.folder).read(STANDARD, account=name)) == 60
    create_app(registry.folder, state=registry.state_folder)


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
