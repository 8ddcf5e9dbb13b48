"""The file keeps whole days, checked and private; a damaged file is a miss."""

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.access.cache.day_file import (
    Answer,
    DayFile,
    day_file,
    pack,
    unpack,
)
from eyelog.disk import sqlite
from support.cached import URL, bodies, entry, mode, page, run_python

posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


# One answer


@given(body=st.binary(max_size=300), kind=st.text(max_size=20))
def test_an_answer_comes_back_byte_for_byte(body: bytes, kind: str) -> None:
    answer = Answer(200, kind, body)
    assert unpack(pack(answer)) == answer


@given(body=st.binary(max_size=60), at=st.integers(0, 200), bit=st.integers(0, 7))
def test_a_damaged_answer_is_a_miss_and_never_another_answer(
    body: bytes, at: int, bit: int
) -> None:
    blob = bytearray(pack(Answer(200, "application/json", body)))
    blob[at % len(blob)] ^= 1 << bit
    assert unpack(bytes(blob)) in (None, Answer(200, "application/json", body))


@pytest.mark.parametrize("blob", [b"", b"x", b"\x28\xb5\x2f\xfd", page()[:-5]])
def test_half_an_answer_is_a_miss(blob: bytes) -> None:
    assert unpack(blob) is None


class Mine:
    """What a doctored file would carry."""

    ran = False

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return setattr, (Mine, "ran", True)


def test_a_doctored_file_runs_no_code(file: DayFile) -> None:
    file.write(entry(), {"p": pickle.dumps(Mine())})
    assert bodies(file) == []
    assert not Mine.ran


# Days


def test_a_day_comes_back_whole_and_in_the_order_of_its_walk(file: DayFile) -> None:
    pages = {f"p{n}": page(str(n)) for n in (3, 1, 2)}
    assert file.write(entry(), pages)
    assert bodies(file) == [b"3", b"1", b"2"]
    assert file.notes == {}


def test_a_day_replaces_what_it_was_and_leaves_no_page_behind(file: DayFile) -> None:
    file.write(entry(), {"a": page("1"), "b": page("2")})
    file.write(entry(), {"c": page("3")})
    assert bodies(file) == [b"3"]
    with closing(sqlite3.connect(file.path)) as db:
        assert db.execute("SELECT page_key FROM pages").fetchall() == [("c",)]


def test_a_day_without_all_its_pages_is_a_miss(file: DayFile) -> None:
    file.write(entry(), {"a": page("1"), "b": page("2")})
    with closing(sqlite3.connect(file.path)) as db, db:
        db.execute("DELETE FROM pages WHERE page_key = 'a'")
    assert file.pages("k") is None


def test_a_day_never_stored_is_a_miss_and_makes_no_file(file: DayFile) -> None:
    assert file.pages("k") is None
    assert file.stored(["k"], at=None) == set()
    assert file.summary() is None
    assert not file.path.exists()


def test_fresh_days_are_distinguished_from_old_ones(file: DayFile) -> None:
    file.write(entry("ever"), {"a": page()})
    file.write(entry("hour", expires=4600.0), {"b": page()})
    keys = ["ever", "hour", "never"]
    assert file.stored(keys, at=1001.0) == {"ever", "hour"}
    assert file.stored(keys, at=4600.0) == {"ever"}
    assert file.stored(keys, at=None) == {"ever", "hour"}


def test_a_day_fetched_by_a_clock_that_ran_ahead_is_asked_again(file: DayFile) -> None:
    file.write(entry(fetched=9e9), {"a": page()})
    assert file.stored(["k"], at=2e9) == set()
    assert file.stored(["k"], at=None) == {"k"}


NAMES = [
    "anna",
    "Anna",
    "ANNA",
    "anna ",
    "an/na",
    "an\\na",
    "../anna",
    "änna",
    "a\u0308nna",
    "安奈",
]


NAMES += ["CON", "nul", ".", "a" * 500, "a" * 501, "anna\n", "anna\x00", "🙂", "me", "%61nna"]


def test_any_text_makes_a_file_name_that_no_other_account_has(tmp_path: Path) -> None:
    paths = [day_file(tmp_path, name, URL).path for name in NAMES]
    assert len({path.name.lower() for path in paths}) == len(NAMES)
    for path in paths:
        assert path.parent == tmp_path / "cache"
        assert path.name.isascii()
        assert len(path.name) < 120
        assert not set(path.name) & set('/\\:*?"<>| %\0')


def test_two_services_have_two_files_for_one_account(tmp_path: Path) -> None:
    one, other = day_file(tmp_path, "anna", URL), day_file(tmp_path, "anna", URL + "/lab")
    one.write(entry(), {"a": page("of one")})
    assert other.pages("k") is None
    assert one.path != other.path


# The file


@posix
def test_file_and_journal_are_0600_and_the_folders_0700(tmp_path: Path) -> None:
    file = day_file(tmp_path / "home", "anna", URL)
    old = os.umask(0)
    try:
        file.write(entry(), {"a": page()})
        seen = {}
        with closing(sqlite3.connect(file.path, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("DELETE FROM pages")
            db.execute("DELETE FROM days")
            seen = {path.name: mode(path) for path in file.path.parent.iterdir()}
    finally:
        os.umask(old)
    assert set(seen.values()) == {0o600}
    assert len(seen) == 2
    assert mode(file.path.parent) == mode(file.path.parent.parent) == 0o700


@posix
def test_a_file_that_others_could_read_is_closed_to_them(file: DayFile) -> None:
    file.write(entry(), {"a": page()})
    file.path.chmod(0o644)
    file.write(entry("other"), {"b": page()})
    assert mode(file.path) == 0o600


@posix
def test_a_symbolic_link_is_not_written_through(file: DayFile, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_bytes(b"")
    file.path.parent.mkdir(parents=True)
    file.path.symlink_to(target)
    assert not file.write(entry(), {"a": page()})
    assert target.read_bytes() == b""
    assert "cannot be written" in file.notes["written"]


@pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_damaged_file_is_a_miss_and_set_aside_when_next_written(
    file: DayFile, damage: bytes
) -> None:
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(damage)
    journal = file.path.with_name(file.path.name + "-journal")
    journal.write_bytes(b"an old journal")
    assert file.pages("k") is None
    assert "is damaged" in file.notes["damaged"]
    assert file.path.read_bytes() == damage
    assert file.write(entry(), {"a": page("new")})
    assert bodies(file) == [b"new"]
    assert not journal.exists()
    assert file.path.with_name(file.path.name + ".damaged").read_bytes() == damage
    assert "set aside" in file.notes["damaged"]
    assert "\n" not in file.notes["damaged"]


def test_a_schema_that_cannot_be_read_as_text_is_damage_too(file: DayFile) -> None:
    assert file.write(entry(), {"a": page("old")})
    whole = file.path.read_bytes()
    assert b"CREATE TABLE days" in whole
    file.path.write_bytes(whole.replace(b"CREATE TABLE days", b"CREATE\xf0TABLE days"))
    assert file.pages("k") is None
    assert "is damaged" in file.notes["damaged"]
    assert file.write(entry(), {"a": page("new")})
    assert bodies(file) == [b"new"]


def test_a_file_with_other_tables_is_set_aside(file: DayFile) -> None:
    file.path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file.path)) as db, db:
        db.execute("CREATE TABLE days (something TEXT)")
    assert file.pages("k") is None
    assert file.write(entry(), {"a": page("new")})
    assert bodies(file) == [b"new"]


def test_damage_in_the_middle_costs_no_more_than_some_days(file: DayFile) -> None:
    for n in range(20):
        file.write(entry(f"k{n}"), {"p": pack(Answer(200, "", os.urandom(20_000)))})
    raw = bytearray(file.path.read_bytes())
    middle = len(raw) // 2
    raw[middle : middle + 200] = os.urandom(200)
    file.path.write_bytes(raw)
    whole = [n for n in range(20) if len(bodies(file, f"k{n}")) == 1]
    assert 15 <= len(whole) < 20


def test_another_process_that_holds_the_file_is_waited_for_but_not_for_ever(
    file: DayFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.2)
    file.write(entry(), {"a": page("old")})
    hold = """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("BEGIN EXCLUSIVE")
        print("held", flush=True)
        sys.stdin.read()
    """
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(hold), str(file.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        begun = time.monotonic()
        assert file.pages("k") is None
        assert not file.write(entry(), {"a": page("new")})
        assert time.monotonic() - begun < 3
        assert "another process held it" in file.notes["busy"]
        holder.stdin.close()
    assert bodies(file) == [b"old"]


def test_many_threads_write_and_read_at_once(file: DayFile) -> None:
    def work(own: int) -> None:
        for n in range(10):
            file.write(entry(f"k{own}"), {"a": page(f"{own}"), "b": page(f"{own}.{n}")})
            assert bodies(file, f"k{own}")[0] == str(own).encode()

    threads = [threading.Thread(target=work, args=(own,)) for own in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.notes == {}
    assert [bodies(file, f"k{own}")[1] for own in range(8)] == [
        f"{own}.9".encode() for own in range(8)
    ]


@posix
def test_many_processes_of_many_threads_share_a_file(file: DayFile) -> None:
    script = """
        import sys, threading
        from pathlib import Path
        from eyelog.access.cache.day_file import Answer, DayFile, Entry, pack, unpack
        file = DayFile(Path(sys.argv[1]), "anna", "http://127.0.0.1:1")
        def work(own):
            for n in range(12):
                entry = Entry(f"k{n}", "computed_data", "2026-10-24", 1.0, None)
                pages = {str(at): pack(Answer(200, own, b"x" * 5000)) for at in range(5)}
                assert file.write(entry, pages), file.notes
                pages = file.pages(f"k{n}")
                assert pages, file.notes
                assert len({unpack(blob).content_type for blob in pages.values()}) == 1
        threads = [threading.Thread(target=work, args=(sys.argv[2] + str(n),)) for n in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(file.notes)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(file.path)]
    running = [
        subprocess.Popen(
            [*command, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for name in "abc"
    ]
    for each in running:
        assert each.communicate(timeout=120) == ("{}\n", "")
    with closing(sqlite3.connect(file.path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("SELECT count(*) FROM owner").fetchall() == [(1,)]
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name]


@posix
def test_a_full_disk_is_noted_and_what_was_there_stays(tmp_path: Path) -> None:
    file = day_file(tmp_path, "anna", URL)
    file.write(entry(), {"a": page("old")})
    script = """
        import os, resource, signal, sys
        from pathlib import Path
        from eyelog.access.cache.day_file import Answer, Entry, day_file, pack
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        file = day_file(Path(sys.argv[1]), "anna", sys.argv[2])
        body = pack(Answer(200, "", os.urandom(500_000)))
        print(file.write(Entry("big", "computed_data", "2026-10-25", 1.0, None), {"b": body}))
        print(file.notes)
    """
    done = run_python(script, str(tmp_path), URL)
    assert done.startswith("False\n")
    assert "cannot be written" in done
    assert bodies(file) == [b"old"]
    assert file.pages("big") is None
    assert file.write(entry("next"), {"a": page("next")})


@posix
def test_a_folder_that_cannot_be_created_is_noted(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    file = day_file(tmp_path, "anna", URL)
    assert file.pages("k") is None
    assert not file.write(entry(), {"a": page()})
    assert file.notes
    assert all("cannot be" in note for note in file.notes.values())


@posix
def test_a_writer_killed_in_its_transaction_leaves_the_day_as_it_was(file: DayFile) -> None:
    file.write(entry(), {"a": page("old"), "b": page("old")})
    script = """
        import os, sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("PRAGMA cache_size = 1")
        db.execute("PRAGMA cache_spill = 1")
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE pages SET body = randomblob(300000)")
        print("spilled", flush=True)
        os.kill(os.getpid(), 9)
    """
    before = file.path.stat().st_size
    assert run_python(script, str(file.path), code=-signal.SIGKILL) == "spilled\n"
    assert file.path.with_name(file.path.name + "-journal").exists()
    assert file.path.stat().st_size > before
    assert bodies(file) == [b"old", b"old"]
