"""A backup is complete and read back; a restore loses nothing, also killed, and follows no link."""

import errno
import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from filelock import FileLock, Timeout

import eyelog as el
from support import live
from support.live import AUDIT, REDIRECT, STANDARD, Live
from support.login_page import PASSWORD
from support.operating import Operator
from support.processes import killed_at
from support.records import records

NAMES = ["ada", "bea", "cyd"]


class Lab:
    """A service with three wearers, its folders, and where its backup is."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder, self.state = folder, state
        self.backup = folder.with_name("backup")
        self.operator = Operator(folder, state)
        self.archive = el.Archive(folder)

    def write(self, name: str, day: str) -> None:
        self.archive.write(STANDARD, records(STANDARD, day, 60), account=name)

    def back_up(self) -> dict[str, int]:
        made: dict[str, int] = self.operator.ask("backup", self.backup)
        return made

    def restore(self) -> dict[str, list[str]]:
        done: dict[str, list[str]] = self.operator.ask("restore", self.backup)
        return done

    def refuses(self, verb: str = "restore", folder: Path | None = None) -> str:
        return self.operator.refused(verb, folder or self.backup)

    def ended_before(self) -> str:
        return self.operator.findings()["ended before"][1]


@pytest.fixture(params=[True, False], ids=["state apart", "state in the archive"])
def lab(tmp_path: Path, request: pytest.FixtureRequest) -> Lab:
    archive = tmp_path / "archive"
    made = Lab(archive, tmp_path / "state" if request.param else archive)
    made.operator.add(*NAMES, password=PASSWORD)
    for name in NAMES:
        made.write(name, "2026-10-20")
    return made


apart = pytest.mark.parametrize("lab", [True], indirect=True, ids=[""])


@contextmanager
def running(lab: Lab) -> Iterator[Live]:
    """Run the service; an application is registered."""
    application = lab.operator.application(REDIRECT)
    with live.running(lab.folder, state=lab.state) as url:
        yield Live(url, lab.folder, *application)


def login(lab: Lab, there: Live, account: str = "ada") -> str:
    answer = there.exchange(lab.operator.code(account, there.client_id, REDIRECT))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


def test_a_backup_is_restored_on_an_empty_machine(lab: Lab, tmp_path: Path) -> None:
    made = lab.back_up()
    assert made["damaged"] == 0
    assert not list(lab.backup.glob("archive/**/_service*"))
    assert all(path.stat().st_mode & 0o077 == 0 for path in lab.backup.rglob("*"))
    new = Lab(tmp_path / "new" / "archive", tmp_path / "new" / "state")
    new.backup = lab.backup
    done = new.restore()
    assert (done["put_back"], done["set_aside"]) == (made["files"], [])
    assert (done["kept"], done["erased"]) == (0, 0)
    assert (new.state / AUDIT).exists()
    whole = lab.archive.read(STANDARD, account="bea")
    assert new.archive.read(STANDARD, account="bea").equals(whole)
    assert new.operator.ask("list-accounts") == lab.operator.ask("list-accounts")
    keys = []
    for state in (lab.state, new.state):
        with closing(sqlite3.connect(state / "_service.sqlite")) as db:
            keys.append(db.execute("SELECT * FROM meta WHERE name = 'signing_key'").fetchall())
    assert keys[0] == keys[1] != []
    assert new.restore()["put_back"] == 1  # the log, which has the first restore


def test_what_ended_after_a_backup_is_said_and_ended_again(lab: Lab) -> None:
    with running(lab) as there:
        token = login(lab, there)
        lab.back_up()
        lab.operator("revoke", "--account", "ada")
        lab.operator("remove-account", "bea")
        # As somebody would do it who does not know the command.
        shutil.copy(lab.backup / "state" / "_service.sqlite", lab.state / "_service.sqlite")
        assert there.opens(token)
        assert "2 tokens revoked since, 1 account removed since" in lab.ended_before()
        assert lab.operator.run("check").code == 1
        lab.operator("after-restore")
        assert there.why_refused(token) == "the access token is revoked"
    assert lab.operator.accounts() == ["ada", "cyd"]
    assert lab.ended_before() == "nothing lives again that had ended"


def test_an_erased_account_does_not_come_back(lab: Lab) -> None:
    for name in ("ada", "bea"):
        at = [pd.Timestamp("2026-10-20T10:00Z")]
        event = pd.DataFrame({"start": at, "end": at, "label": [f"{name}s headache"]})
        lab.archive.add_events(event, account=name)
    lab.back_up()
    lab.operator("erase", "ada")
    assert lab.restore()["erased"] == 2  # the month and the events
    assert len(lab.archive.events(account="bea")) == 1
    assert lab.archive.accounts() == ["bea", "cyd"]
    assert "1 account removed since" in lab.ended_before()
    assert "erased: 1 account" in lab.operator("after-restore")
    assert lab.operator.accounts() == ["bea", "cyd"]
    # Records that somebody copies back by hand are noticed, too.
    for path in (lab.backup / "archive").glob("log=*/account=ada"):
        shutil.copytree(path, lab.folder / path.parent.name / path.name)
    assert "records of 1 account erased since" in lab.ended_before()
    lab.operator("after-restore")
    # So is a diary alone.
    diary = ".events/account=ada.v1.csv"
    shutil.copy2(lab.backup / "archive" / diary, lab.folder / diary)
    assert "records of 1 account erased since" in lab.ended_before()
    lab.operator("after-restore")
    assert lab.archive.accounts() == ["bea", "cyd"]
    found = [
        path
        for root in {lab.folder, lab.state}
        for path in root.rglob("*")
        if path.is_file() and any(p in path.read_bytes() for p in (b'"ada"', b"adas headache"))
    ]
    assert found == []


@apart
def test_a_name_that_was_used_again_before_the_backup_is_restored(lab: Lab) -> None:
    lab.operator("erase", "ada")
    lab.operator.add("ada")
    lab.write("ada", "2026-10-21")
    lab.archive.set_zones("Asia/Tokyo", account="ada")
    lab.back_up()
    for path in (*lab.folder.glob("log=*"), lab.folder / ".zones"):
        shutil.rmtree(path)
    assert lab.restore()["erased"] == 0
    assert len(lab.archive.read(STANDARD, account="ada")) == 60
    assert str(lab.archive.zones(account="ada")) == "Asia/Tokyo"
    assert lab.ended_before() == "nothing lives again that had ended"


@apart
def test_a_clock_that_was_set_back_after_an_erasure_deletes_no_records(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = time.time
    with monkeypatch.context() as ahead:
        ahead.setattr(time, "time", lambda: true() + 86_400)
        for name in ("ada", "bea"):
            lab.operator("erase", name)
    lab.operator.add("ada")
    for name in ("ada", "bea"):  # bea has records and no account
        lab.write(name, "2026-10-21")
    assert "2 accounts (ada, bea) erased before, with files" in lab.ended_before()
    assert "Nothing lives again" in lab.operator.run("after-restore").err
    lab.back_up()
    shutil.rmtree(lab.folder / f"log={STANDARD}")
    lab.restore()
    assert lab.archive.accounts() == NAMES
    assert lab.operator.accounts() == ["ada", "cyd"]
    monkeypatch.setattr(time, "time", lambda: true() + 2 * 86_400)  # the day has come
    lab.operator.add("bea")
    lab.operator("after-restore")
    assert lab.archive.accounts() == NAMES


@apart
def test_what_is_erased_while_a_backup_is_written_does_not_come_back(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify = el.Archive.verify

    def erase_meanwhile(copy: el.Archive) -> pd.DataFrame:  # when everything was copied
        lab.operator("erase", "ada")
        return verify(copy)

    with monkeypatch.context() as patch:
        patch.setattr(el.Archive, "verify", erase_meanwhile)
        lab.back_up()
    assert lab.restore()["erased"] == 1
    assert lab.archive.accounts() == ["bea", "cyd"]


def test_a_restore_sets_aside_what_it_replaces_and_keeps_the_rest(lab: Lab) -> None:
    lab.back_up()
    lab.write("ada", "2026-10-21")
    lab.write("ada", "2026-11-21")
    lab.operator.add("dan")
    done = lab.restore()
    assert [Path(path).exists() for path in done["set_aside"]] == [True, True]
    assert done["kept"] == 1
    assert len(lab.archive.read(STANDARD, account="ada")) == 120
    assert lab.operator.accounts() == NAMES
    logs = sorted(lab.state.glob(f"{AUDIT}*"))
    assert len(logs) == 2
    assert b'"dan"' in logs[0].read_bytes()
    assert b'"dan"' not in logs[1].read_bytes()
    assert lab.archive.accounts() == NAMES
    assert len(lab.archive.verify()) == 0


@apart
@pytest.mark.parametrize("inside", ["archive/**/*.parquet", "state/*.sqlite", "state/*.jsonl"])
def test_a_damaged_backup_is_not_restored(lab: Lab, inside: str) -> None:
    lab.back_up()
    path = next(iter(lab.backup.glob(inside)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    lab.operator.add("dan")
    assert "is damaged" in lab.refuses()
    assert "dan" in lab.operator.accounts()


@apart
def test_a_log_on_a_larger_disk_is_backed_up_and_restored(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = lab.folder / f"log={STANDARD}"
    log.rename(tmp_path / "larger")
    log.symlink_to(tmp_path / "larger")
    made = lab.back_up()
    lab.write("ada", "2026-10-21")
    shutil.rmtree(log / "account=bea")
    replace = Path.replace

    def replace_on_one_disk(path: Path, to: Path) -> Path:
        if path.parent != to.parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return replace(path, to)

    monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EXDEV, "")))
    monkeypatch.setattr(Path, "replace", replace_on_one_disk)
    aside = lab.restore()["set_aside"]
    assert [Path(path).exists() for path in aside] == [True, True]  # the month and the state
    assert log.is_symlink()
    assert [len(lab.archive.read(STANDARD, account=name)) for name in ("ada", "bea")] == [60, 60]
    new = Lab(tmp_path / "new", tmp_path / "new")
    new.backup = lab.backup
    assert new.restore()["put_back"] == made["files"]


@apart
def test_what_is_not_a_backup_or_no_place_for_one_is_refused(lab: Lab, tmp_path: Path) -> None:
    assert "is not a backup" in lab.refuses(folder=tmp_path)
    assert "which is copied" in lab.refuses("backup", lab.folder / "backup")
    assert "not empty" in lab.refuses("backup", tmp_path)


@apart
def test_a_backup_is_consistent_while_the_service_writes(lab: Lab) -> None:
    stop = threading.Event()
    with running(lab) as there:
        codes = [lab.operator.code("ada", there.client_id, REDIRECT) for _ in range(60)]

        def work() -> None:
            for number in range(10_000):
                if stop.is_set():
                    return
                if codes:
                    there.exchange(codes.pop())
                frame = records(STANDARD, "2026-10-21", 5, seed=number)
                lab.archive.write(STANDARD, frame, account="ada")

        thread = threading.Thread(target=work)
        thread.start()
        try:
            for number in range(3):
                folder = lab.backup.with_name(f"backup-{number}")
                assert lab.operator.ask("backup", folder)["damaged"] == 0
                with closing(sqlite3.connect(folder / "state" / "_service.sqlite")) as db:
                    sql = "SELECT origin, count(*) FROM token GROUP BY origin"
                    assert {count for _, count in db.execute(sql)} <= {2}
                log = (folder / "state" / AUDIT).read_bytes()
                assert all(json.loads(line) for line in log.splitlines())
        finally:
            stop.set()
            thread.join()


# Killed: the old or the new is left, and a repeat works.


@apart
def test_a_restore_that_was_killed_half_way_is_said_until_it_is_repeated(lab: Lab) -> None:
    lab.back_up()
    shutil.rmtree(lab.folder / f"log={STANDARD}")
    moments = iter(range(3, 200))
    while not (lab.folder / "_restoring.json").exists():
        assert killed(next(moments), "restore", lab, lab.backup)
    result, said = lab.operator.findings()["restore"]
    assert (result, "run eyelog service restore with it again" in said) == ("wrong", True)
    with pytest.raises(el.ConfigurationError, match="did not finish"), running(lab):
        pass
    lab.restore()
    assert "restore" not in lab.operator.findings()
    for name in NAMES:
        assert len(lab.archive.read(STANDARD, account=name)) == 60
    with running(lab):
        pass


@apart
def test_what_a_killed_backup_has_left_is_said_until_it_is_removed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, other = lab.backup.with_name(".backup.unfinished"), lab.backup.with_name("other")
    moments = iter(range(3, 200))
    while not left.exists():
        assert killed(next(moments), "backup", lab, lab.backup)
    acquire, looks = FileLock.acquire, iter(["a check has the lock"])

    def acquire_later(lock: FileLock, *arguments: Any, **options: Any) -> Any:
        if lock.lock_file.startswith(str(lab.state)) and next(looks, ""):
            raise Timeout(lock.lock_file)
        return acquire(lock, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(FileLock, "acquire", acquire_later)
        lab.operator.run("backup", other)
    assert left.exists() == ("unfinished backup" in lab.operator.findings())
    verify = el.Archive.verify

    def forget_meanwhile(copy: el.Archive) -> pd.DataFrame:
        (lab.state / "_service.backing-up").unlink()
        return verify(copy)

    monkeypatch.setattr(el.Archive, "verify", forget_meanwhile)
    lab.back_up()
    assert not left.exists()
    assert "unfinished backup" not in lab.operator.findings()


def test_what_a_killed_backup_has_left_and_nobody_can_remove_stays_named(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = lab.backup.with_name(".backup.unfinished")
    moments = iter(range(3, 200))
    while not left.exists():
        assert killed(next(moments), "backup", lab, lab.backup)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda *_, **__: None)
        assert f"remove {left}" in lab.operator.refused("backup", lab.backup)
    assert "unfinished backup" in lab.operator.findings()


COMMAND = "from eyelog.cli import main; sys.exit(main(sys.argv[1:]))"
MOMENTS = [0, 1, 3, 9, 20, 45, 80, 100_000]  # the last one lets it end by itself


def killed(moment: int, verb: str, lab: Lab, backup: Path) -> bool:
    return killed_at(moment, COMMAND, "service", verb, *lab.operator.places, str(backup))


def contents(*folders: Path) -> dict[str, bytes]:
    """Return the files that a backup or a restore is to bring back."""
    return {
        f"{folder.name}/{path.relative_to(folder)}": path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if (path.name == "_service.sqlite" or path.suffix == ".parquet")
        and ".before-restore" not in path.parts
    }


@pytest.fixture
def many(tmp_path: Path) -> Lab:
    """A service with 40 wearers."""
    made = Lab(tmp_path / "archive", tmp_path / "state")
    names = [f"w{number}" for number in range(40)]
    (tmp_path / "wearers.csv").write_text("\n".join(["name", *names]))
    made.operator("add-accounts", tmp_path / "wearers.csv")
    for name in names:
        made.write(name, "2026-10-20")
    return made


@pytest.mark.slow("a process is killed at many moments")
def test_a_killed_backup_is_whole_or_not_there_and_a_repeat_works(
    many: Lab, tmp_path: Path
) -> None:
    for moment in MOMENTS[:-1]:
        assert killed(moment, "backup", many, tmp_path / f"backup-{moment}")
        left = [str(path) for path in tmp_path.glob(".backup*")]  # the one before is gone
        found = many.operator.findings().get("unfinished backup")
        assert (found is not None) == (len(left) == 1)
        assert found is None or (found[0] == "wrong" and left[0] in found[1])
    assert not killed(MOMENTS[-1], "backup", many, many.backup)
    assert "unfinished backup" not in many.operator.findings()
    new = Lab(tmp_path / "new", tmp_path / "new-state")
    new.backup = many.backup
    new.restore()  # reads all of it
    assert new.operator.accounts() == many.operator.accounts()
    assert len(new.archive.verify()) == 0
    assert [path.name for path in tmp_path.glob(".backup*")] == []


@pytest.mark.slow("a process is killed at many moments")
def test_a_killed_restore_leaves_the_old_or_the_new_and_a_repeat_works(
    many: Lab, tmp_path: Path
) -> None:
    many.back_up()
    new = contents(many.backup / "archive", many.backup / "state")
    for number in range(40):
        many.write(f"w{number}", "2026-10-21")
    many.operator.add("dan")
    old = contents(many.folder, many.state)
    assert len(old.keys() - new.keys()) >= 40  # each wearer has more
    kept = tmp_path / "kept"
    kept.mkdir()
    for folder in (many.folder, many.state):
        shutil.copytree(folder, kept / folder.name)
    half = 0
    for moment in MOMENTS:
        for folder in (many.folder, many.state):
            shutil.rmtree(folder)
            shutil.copytree(kept / folder.name, folder)
        was_killed = killed(moment, "restore", many, many.backup)
        now = contents(many.folder, many.state)
        assert all(body in (old.get(name), new.get(name)) for name, body in now.items())
        if "restore" not in many.operator.findings():
            assert now in ((old, new) if was_killed else (new,))
            continue
        half += 1
        many.restore()
        assert contents(many.folder, many.state) == new
        assert not list(tmp_path.rglob("*.tmp"))
        assert len(many.archive.verify()) == 0
    assert half > 3


# Links, forged lists and states of a newer release, in a backup and in what it replaces.


@apart
def test_a_backup_that_would_lack_what_a_link_leads_to_is_refused(lab: Lab, tmp_path: Path) -> None:
    home = lab.folder / f"log={STANDARD}" / "account=ada"
    (month,) = home.rglob("*.parquet")
    month.rename(tmp_path / "elsewhere")
    month.symlink_to(tmp_path / "elsewhere")
    assert f"{month.name} is a link" in lab.refuses("backup")
    home.rename(tmp_path / "ada")
    home.symlink_to(tmp_path / "ada")
    assert "account=ada is a link" in lab.refuses("backup")
    assert not lab.backup.exists()


def listing(backup: Path, name: str, body: bytes = b"pwned\n") -> None:
    """Name one more file in the list of a backup, as its true content would be."""
    content = json.loads((backup / "backup.json").read_bytes())
    content["files"][name] = [len(body), sha256(body).hexdigest()]
    (backup / "backup.json").write_text(json.dumps(content))


@apart
def test_a_list_that_names_what_no_backup_has_is_refused(lab: Lab, tmp_path: Path) -> None:
    lab.back_up()
    whole = (lab.backup / "backup.json").read_bytes()
    new = Lab(tmp_path / "new", tmp_path / "new")
    new.backup = lab.backup
    for inside in (
        f"archive//{tmp_path}/pwned",
        f"state//{tmp_path}/pwned",
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
    ):
        listing(lab.backup, inside)
        before = set(tmp_path.rglob("*"))
        assert "damaged: it names" in new.refuses(), inside
        assert set(tmp_path.rglob("*")) == before
        (lab.backup / "backup.json").write_bytes(whole)
    listing(lab.backup, "archive/\ud800")  # a name that no disk takes
    assert "cannot be read" in new.refuses()


@apart
def test_files_of_others_in_the_archive_are_restored_whatever_their_names(
    lab: Lab, tmp_path: Path
) -> None:
    odd = b"\xff".decode(errors="surrogateescape")
    names = {"_ended.jsonl.old", "a\nb", "readme.txt", "_ENDED", odd}
    for name in names:
        (lab.folder / name).write_bytes(b"kept")
    (lab.folder / "_Service.notes").write_bytes(b"not of the archive")
    lab.back_up()
    new = Lab(tmp_path / "new", tmp_path / "new-state")
    new.backup = lab.backup
    new.restore()
    assert {path.name for path in new.folder.iterdir() if path.is_file()} == names


@apart
@pytest.mark.parametrize("link", ["log=x/account=ada", "log=x/account=ada/data.parquet"])
def test_links_in_a_backup_and_in_what_it_replaces_are_refused(
    lab: Lab, tmp_path: Path, link: str
) -> None:
    lab.back_up()
    name, body = "log=x/account=ada/data.parquet", b"pwned\n"
    listing(lab.backup, f"archive/{name}", body)
    outside = tmp_path / "outside"
    if link == name:
        outside.write_bytes(body)
    else:
        outside.mkdir()
        (outside / "data.parquet").write_bytes(body)
    new = Lab(tmp_path / "new", tmp_path / "new-state")
    new.backup = lab.backup
    in_backup, in_archive = lab.backup / "archive" / link, new.folder / link
    for path in (in_backup, in_archive):
        path.parent.mkdir(parents=True)
        path.symlink_to(outside)
    assert f"{in_backup} is a link" in new.refuses()
    in_backup.unlink()
    (lab.backup / "archive" / name).parent.mkdir(exist_ok=True)
    (lab.backup / "archive" / name).write_bytes(body)
    assert f"{in_archive} is a link" in new.refuses()
    assert not (new.state / "_service.sqlite").exists()


def of_a_newer_release(state: Path) -> bytes:
    with closing(sqlite3.connect(state)) as db, db:
        db.execute("PRAGMA user_version = 99")
    return state.read_bytes()


@apart
def test_a_state_of_a_newer_release_is_neither_backed_up_nor_replaced_nor_restored(
    lab: Lab, tmp_path: Path
) -> None:
    lab.back_up()
    newer = of_a_newer_release(lab.state / "_service.sqlite")
    for verb, folder in (("backup", tmp_path / "another"), ("restore", lab.backup)):
        assert "newer eyelog (version 99" in lab.refuses(verb, folder)
    assert (lab.state / "_service.sqlite").read_bytes() == newer
    assert not (tmp_path / "another").exists()
    assert not (lab.folder / "_restoring.json").exists()
    body = of_a_newer_release(lab.backup / "state" / "_service.sqlite")
    listing(lab.backup, "state/_service.sqlite", body)
    new = Lab(tmp_path / "new", tmp_path / "new")
    new.backup = lab.backup
    assert "newer eyelog (version 99" in new.refuses()
    assert not (tmp_path / "new").exists()
