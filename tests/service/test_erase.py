"""An account that is erased leaves neither its name nor its values in any file."""

import json
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import quote

import pytest
import requests

import eyelog as el
from eyelog.archive.account import Noted, note_days
from eyelog.archive.place import check_account
from eyelog.archive.store import place_of
from eyelog.clock import as_zones
from eyelog.fetch.cache import DayCache
from eyelog.fetch.client import days_of
from eyelog.fetch.oauth import TokenFile
from eyelog_service.audit import Audit
from eyelog_service.state import State
from support import live
from support.live import AUDIT
from support.operating import Operator
from support.parquet import flip_byte
from support.records import records

STANDARD = live.STANDARD
NAMES = [
    "anna",
    "Anna Müller",
    "../../etc",
    ".",
    "a/b\\c",
    "-x",
    "名前",
    'quote"d',
    "%41nna",
    "tab\there",
    "x" * 64,
    "account=eve",
]


def fill(folder: Path, home: Path, name: str) -> list[bytes]:
    """Leave traces of a wearer everywhere; return pieces of files that have the values."""
    archive = el.Archive(folder)
    archive.write(STANDARD, records(STANDARD, "2026-10-31 20:00", 600, seed=3), account=name)
    archive.write(live.COMPUTED, records(live.COMPUTED, "2026-10-20", 500, seed=4), account=name)
    synced = {date(2026, 10, 20): Noted(datetime.now(UTC), 1440)}
    note_days(place_of(archive), STANDARD, name, "http://there UTC", synced)
    months = sorted(folder.rglob("*.parquet"))
    own = [path for path in months if path.read_bytes()]
    flip_byte(own[0], "date")
    archive.repair()
    (own[-1].parent.parent / ".zones.v1.json").write_text(json.dumps({"account": name}))
    (own[-1].parent / ".2026-10.0123456789abcdef.tmp").write_bytes(own[-1].read_bytes())
    part = check_account(name)
    for place in (folder, folder / ".before-restore" / "20261101T000000"):
        for what, text in ((".events", "headache after lunch"), (".zones", "Asia/Tokyo of hers")):
            (place / what).mkdir(parents=True, exist_ok=True)
            for file in (f"account={part}.v1.csv", f".account={part}.v1.csv.01234567.tmp"):
                (place / what / file).write_text(text)
    pieces = [b"headache after lunch", b"Asia/Tokyo of hers"]
    pieces += [
        path.read_bytes()[at : at + 48] for path in folder.rglob("*.parquet") for at in (1000, 3000)
    ]
    for url in ("http://one", "http://two"):
        store = TokenFile(home, name, url)
        store.save(el.Token("access-of-the-wearer", "refresh-of-the-wearer"))
        with store.lock():
            pass
        cache = DayCache(home, name, url)
        (day,) = days_of(STANDARD, "2024-10-20", "2024-10-20", as_zones("UTC"), None)
        begun = datetime.now(UTC)
        cache.store(day, cache.asking(requests.Session()), begun=begun, empty=False)
    return pieces


def with_service(folder: Path, state: Path, name: str) -> Operator:
    """Set up a service that has a wearer's name in all of its files."""
    operator = Operator(folder, state)
    operator.add(name, password="correct horse")
    application = operator.application(live.REDIRECT)
    with live.running(folder, state=state) as url:
        there = live.Live(url, folder, *application)
        for _ in range(3):
            code = operator.code(name, there.client_id, live.REDIRECT)
            assert there.exchange(code).status_code == 200
    operator.code(name, there.client_id, live.REDIRECT)
    audit = Audit(state)
    audit.write("login", account=name, application=there.client_id, address="192.0.2.1")
    audit.write("admin.revoke", operator="root", account=name, tokens=2, who=[name, "bea"])
    audit.write("login", account="bea")
    audit.file.with_name(f"{AUDIT}.1").write_bytes(audit.file.read_bytes())
    with audit.file.open("ab") as file:  # a disk that was full
        file.write(json.dumps({"event": "login", "account": name}).encode()[:-1] + b"\n")
    return operator


def spellings(name: str) -> list[bytes]:
    texts = {name, json.dumps(name)[1:-1], quote(name, safe=""), quote(name)}
    return [text.encode() for text in texts if len(text) > 3]


def files_with(parts: list[bytes], *roots: Path) -> list[str]:
    return [
        f"{path}: {part!r}"
        for root in roots
        for path in root.rglob("*")
        for part in parts
        if part in str(path).encode() or (path.is_file() and part in path.read_bytes())
    ]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_an_erased_account_is_left(tmp_path: Path, home: Path, name: str) -> None:
    folder, state = tmp_path / "archive", tmp_path / "state"
    pieces = fill(folder, home, name)
    if can_log_in := name.isprintable():
        operator = with_service(folder, state, name)
    else:
        operator = Operator(folder, state)
        operator.add("bea")
    before = files(tmp_path)
    planned = operator.ask("erase", "--dry-run", "--", name)
    after = files(tmp_path)
    assert {path for path in before if path.name != ".lock"} <= after.keys()
    assert all(after[path] == content for path, content in before.items())

    protocol = operator.ask("erase", "--", name)
    assert protocol["removed"] == planned["removed"]
    kinds = {row["what"] for row in protocol["removed"]}
    assert kinds >= {"month", "damaged month", "ledger", "file", "token", "cache"}
    assert kinds >= {"events", "zones"}
    assert not can_log_in or kinds >= {"state: account", "state: token", "state: code", "audit log"}
    assert any("backups" in text for text in protocol["not_reached"])
    found = files_with([*spellings(name), *pieces], tmp_path, home)
    # The name of this folder comes from the test.
    assert [
        text for text in found if "/archive" in text or "/state" in text or "home" in text
    ] == []
    assert list(folder.rglob("log=*")) == []
    assert operator.ask("erase", "--", name)["removed"] == []


def files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def anna(tmp_path: Path) -> Operator:
    """Who runs a service that has Anna in all of its files."""
    return with_service(tmp_path / "archive", tmp_path / "archive", "anna")


def test_the_audit_log_keeps_its_lines_under_one_pseudonym(tmp_path: Path, anna: Operator) -> None:
    log = tmp_path / "archive" / AUDIT
    before = [json.loads(line) for line in log.read_bytes().splitlines()[:-1]]
    kinds = {one["what"] for one in anna.ask("erase", "anna")["removed"]}
    assert kinds >= {"audit log", "state: account"}
    after = [json.loads(line) for line in log.read_bytes().splitlines()[: len(before)]]
    (pseudonym,) = {event["account"] for event in after if "account" in event} - {"bea"}
    assert pseudonym.startswith("erased-")
    for kept in ("event", "time", "address"):
        assert [event.get(kept) for event in after] == [event.get(kept) for event in before]
    assert [event["who"] for event in after if "who" in event] == [[pseudonym, "bea"]]
    assert (log.stat().st_mode & 0o777) == 0o600


def test_a_line_that_is_written_while_the_state_is_rewritten_is_renamed_as_well(
    tmp_path: Path, anna: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewriting = State.rewrite

    def rewrite(state: State) -> None:
        Audit(tmp_path / "archive").write("upload", account="anna")
        rewriting(state)

    monkeypatch.setattr(State, "rewrite", rewrite)
    anna("erase", "anna")
    assert b"anna" not in (tmp_path / "archive" / AUDIT).read_bytes()


def test_the_others_keep_everything(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "archive"
    fill(folder, home, "anna")
    operator = with_service(folder, folder, "anna")
    operator.add("anna2", password="correct horse")
    el.Archive(folder).write(STANDARD, records(STANDARD, "2026-10-20", 50), account="anna2")
    TokenFile(home, "anna2", "http://one").save(el.Token("kept", "kept"))
    TokenFile(home, "Anna", "http://one").save(el.Token("kept", "kept"))
    operator("erase", "anna")
    assert operator.accounts() == ["anna2"]
    assert el.Archive(folder).accounts() == ["anna2"]
    assert len(list((home / "tokens").glob("*.json"))) == 2
    assert len(operator.ask("list-applications")) == 1
    assert operator.findings()["integrity"][0] == "ok"


def make_newer(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "_service.sqlite")) as db, db:
        db.execute("PRAGMA user_version = 99")


def test_a_state_of_a_newer_release_is_refused_before_anything_is_changed(
    tmp_path: Path, home: Path
) -> None:
    folder = tmp_path / "archive"
    fill(folder, home, "anna")
    operator = with_service(folder, folder, "anna")
    make_newer(folder)
    before = files(tmp_path)
    for more in ((), ("--dry-run",)):
        assert "written by a newer" in operator.refused("erase", "anna", *more)
    assert files(tmp_path) == before


def test_a_state_that_a_newer_release_takes_over_meanwhile_is_left_alone(
    tmp_path: Path, anna: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "archive"
    monkeypatch.setattr("eyelog_service.ended.append", lambda *_, **__: make_newer(folder))
    assert "_service.sqlite was written by a newer" in anna.refused("erase", "anna")
    with closing(sqlite3.connect(folder / "_service.sqlite")) as db:
        assert db.execute("SELECT name FROM account").fetchall() == [("anna",)]


def test_no_event_is_lost_while_a_log_is_rewritten(tmp_path: Path, operator: Operator) -> None:
    folder = tmp_path / "archive"
    operator.add("bea")
    stop = threading.Event()
    counts = [0, 0]

    def write(at: int) -> None:
        audit = Audit(folder)
        while not stop.is_set():
            audit.write("refresh", account=f"writer-{at}", number=counts[at])
            counts[at] += 1

    threads = [threading.Thread(target=write, args=(at,)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    for number in range(10):
        Audit(folder).write("login", account=f"anna{number}")
        operator("erase", f"anna{number}")
    stop.set()
    for thread in threads:
        thread.join()
    log = (folder / AUDIT).read_bytes()
    for at in (0, 1):
        assert log.count(b'"writer-%d"' % at) == counts[at]
    assert log.count(b"erased-") == 10
