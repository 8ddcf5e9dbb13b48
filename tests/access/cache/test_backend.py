"""The cache keeps whole days, checked, per account, and never a secret; a bad file is a miss."""

import contextlib
import os
import pickle
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests_cache import DEFAULT_IGNORED_PARAMS

import eyelog as el
from eyelog.access.cache.backend import DayCache, cached_session
from eyelog.access.cache.contents import cache_info, clear_cache
from eyelog.access.cache.day_file import (
    Answer,
    DayFile,
    Entry,
    day_file,
    pack,
    stored_files,
    unpack,
)
from eyelog.access.cache.lifetime import day_key, lifetime
from eyelog.clock import windows
from eyelog.disk import sqlite
from support import faulty
from support.paged import Paged

URL = "http://127.0.0.1:1"
DAY_ARGUMENTS = ("computed_data", date(2020, 1, 1), "UTC")
posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture
def file(tmp_path: Path) -> DayFile:
    return day_file(tmp_path, "anna", URL)


def entry(key: str = "k", *, fetched: float = 1000.0, expires: float | None = None) -> Entry:
    return Entry(key, "computed_data", "2026-10-24", fetched, expires)


def page(text: str = "body") -> bytes:
    return pack(Answer(200, "application/json", text.encode()))


def bodies(file: DayFile, key: str = "k") -> list[bytes]:
    answers = [unpack(blob) for blob in (file.pages(key) or {}).values()]
    return [answer.body for answer in answers if answer is not None]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


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


def test_a_day_that_lacks_a_page_is_no_day(file: DayFile) -> None:
    file.write(entry(), {"a": page("1"), "b": page("2")})
    with closing(sqlite3.connect(file.path)) as db, db:
        db.execute("DELETE FROM pages WHERE page_key = 'a'")
    assert file.pages("k") is None


def test_what_was_never_stored_is_a_miss_and_makes_no_file(file: DayFile) -> None:
    assert file.pages("k") is None
    assert file.stored(["k"], at=None) == set()
    assert file.summary() is None
    assert not file.path.exists()


def test_fresh_days_are_told_from_old_ones(file: DayFile) -> None:
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


# Age

DAY = date(2026, 10, 25)
TZ = "Europe/Berlin"  # this day lasts 25 hours, to 23:00 UTC
END = datetime(2026, 10, 25, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "empty", "age"),
    [
        (END - timedelta(seconds=1), False, timedelta(minutes=5)),
        (END - timedelta(seconds=1), True, timedelta(minutes=5)),
        (END, False, timedelta(hours=6)),
        (END + timedelta(days=7, seconds=-1), False, timedelta(hours=6)),
        (END + timedelta(days=7), False, None),
        (END + timedelta(days=3000), False, None),
        (END, True, timedelta(hours=1)),
        (END + timedelta(days=3000), True, timedelta(hours=1)),
    ],
)
def test_a_day_stays_fresh_as_long_as_it_is_settled(
    asked: datetime, empty: bool, age: timedelta | None
) -> None:
    assert lifetime(DAY, TZ, asked=asked, empty=empty) == age


# Whose


def test_account_service_log_fields_and_windows_all_make_another_key() -> None:
    one = tuple(windows("2026-10-24", "2026-10-24", "Asia/Tokyo"))
    other = tuple(windows("2026-10-24", "2026-10-24", "UTC"))
    keys = {
        day_key("anna", URL, "computed_data", one, None),
        day_key("ben", URL, "computed_data", one, None),
        day_key("anna", "http://127.0.0.1:2", "computed_data", one, None),
        day_key("anna", URL, "standard_mode_logs", one, None),
        day_key("anna", URL, "computed_data", other, None),
        day_key("anna", URL, "computed_data", one, ("stp",)),
        day_key("anna", URL, "computed_data", one, ("stp", "cad")),
    }
    assert len(keys) == 7


def test_zones_that_agree_on_a_day_share_it() -> None:
    keys = {
        day_key("anna", URL, "computed_data", tuple(windows("2026-01-05", "2026-01-05", tz)), None)
        for tz in ("UTC", "Europe/London", "Africa/Abidjan")
    }
    assert len(keys) == 1


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
    done = _python(script, str(tmp_path), URL)
    assert done.startswith("False\n")
    assert "cannot be written" in done
    assert bodies(file) == [b"old"]
    assert file.pages("big") is None
    assert file.write(entry("next"), {"a": page("next")})


@posix
def test_a_folder_that_cannot_be_made_is_noted(tmp_path: Path) -> None:
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
    assert _python(script, str(file.path), code=-signal.SIGKILL) == "spilled\n"
    assert file.path.with_name(file.path.name + "-journal").exists()
    assert file.path.stat().st_size > before
    assert bodies(file) == [b"old", b"old"]


# requests-cache


def test_a_request_outside_a_walk_is_not_stored(file: DayFile) -> None:
    with faulty.server(faulty.answer({})) as there, cached_session(DayCache(file)) as session:
        for _ in range(2):
            assert session.get(there.url).status_code == 200
        assert there.count() == 2
    assert not file.path.exists()


def test_a_day_is_stored_when_it_is_committed_and_then_answers_requests(file: DayFile) -> None:
    cache = DayCache(file)
    with faulty.server(faulty.answer({"n": 1})) as there, cached_session(cache) as session:
        with cache.collecting("k", *DAY_ARGUMENTS) as pending:
            session.get(there.url, params={"cursor": "a"})
            session.get(there.url, params={"cursor": "b"})
            assert file.pages("k") is None
            assert pending.commit(empty=False)
        with cache.answering("k"):
            assert len(cache.responses) == len(list(cache.responses)) == 2
            hit = session.get(there.url, params={"cursor": "b"}, only_if_cached=True)
            assert (hit.from_cache, hit.json(), hit.headers["Content-Type"]) == (
                True,
                {"n": 1},
                "application/json",
            )
        assert there.count() == 2


def test_outside_a_day_the_cache_is_empty(file: DayFile) -> None:
    cache = DayCache(file)
    with faulty.server(faulty.answer({"n": 1})) as there, cached_session(cache) as session:
        with cache.collecting("k", *DAY_ARGUMENTS) as pending:
            session.get(there.url)
            pending.commit(empty=False)
        assert len(cache.responses) == 0
        assert session.get(there.url, only_if_cached=True).status_code == 504
        with cache.answering("another day"):
            assert session.get(there.url, only_if_cached=True).status_code == 504
        assert there.count() == 1


def test_a_walk_that_fails_stores_nothing(file: DayFile) -> None:
    cache = DayCache(file)
    with faulty.server(faulty.answer({})) as there, cached_session(cache) as session:
        with contextlib.suppress(el.AnswerError), cache.collecting("k", *DAY_ARGUMENTS):
            session.get(there.url)
            raise el.AnswerError("not the documented shape")
        session.get(there.url)
    assert not file.path.exists()


def test_a_walk_never_takes_a_page_from_the_store(file: DayFile) -> None:
    cache = DayCache(file)
    answers = [faulty.answer({"n": n}) for n in range(3)]
    with faulty.server(*answers) as there, cached_session(cache) as session:
        for n in range(3):
            with cache.collecting("k", *DAY_ARGUMENTS) as pending:
                assert session.get(there.url).json() == {"n": n}
                pending.commit(empty=False)
        with cache.answering("k"):
            assert session.get(there.url, only_if_cached=True).json() == {"n": 2}


@pytest.mark.parametrize("status", [301, 400, 401, 404, 429, 500, 503])
def test_an_error_is_never_stored(file: DayFile, status: int) -> None:
    cache = DayCache(file)
    with (
        faulty.server(faulty.error(status)) as there,
        cached_session(cache) as session,
        cache.collecting("k", *DAY_ARGUMENTS) as pending,
    ):
        session.get(there.url, allow_redirects=False)
        assert pending.pages == {}


def test_a_post_is_never_stored_and_no_secret_reaches_the_file(file: DayFile) -> None:
    cache = DayCache(file)
    body = {"access_token": "tok-en", "refresh_token": "re-fresh"}
    with (
        faulty.server(faulty.answer(body), faulty.answer({})) as there,
        cached_session(cache) as session,
        cache.collecting("k", *DAY_ARGUMENTS) as pending,
    ):
        session.post(there.url, data={"client_secret": "s3cret"})
        assert pending.pages == {}
        session.get(
            there.url,
            params={"access_token": "tok-en", "code": "c0de"},
            headers={"authorization": "Bearer tok-en", "Cookie": "a=c00kie"},
        )
        pending.commit(empty=False)
    content = file.path.read_bytes()
    assert bodies(file) == [b"{}"]
    for secret in (b"tok-en", b"re-fresh", b"s3cret", b"c0de", b"c00kie"):
        assert secret not in content


def test_the_librarys_own_list_of_ignored_parameters_is_kept(file: DayFile) -> None:
    ignored = cached_session(DayCache(file)).settings.ignored_parameters
    assert set(DEFAULT_IGNORED_PARAMS) <= set(ignored)
    assert "client_secret" in ignored


def test_an_old_answer_never_stands_in_for_an_error(file: DayFile) -> None:
    settings = cached_session(DayCache(file)).settings
    assert settings.stale_if_error is False
    assert settings.cache_control is False


# What the command line shows and clears


def test_the_cache_tells_what_it_holds_and_can_be_cleared_by_account(tmp_path: Path) -> None:
    assert len(cache_info(tmp_path)) == 0
    for name, pages in (("anna", 1), ("ben", 3)):
        file = day_file(tmp_path, name, URL)
        for key in ("one", "two"):
            made = {f"{key}{n}": page() for n in range(pages)}
            file.write(Entry(key, "computed_data", f"2026-10-{len(key)}", 1e9, None), made)
        file.write(Entry("three", "standard_mode_logs", "2026-10-3", 2e9, None), {"c": page()})
    table = cache_info(tmp_path)
    assert table["account"].tolist() == ["anna", "ben"]
    assert table["base_url"].tolist() == [URL, URL]
    assert table["days"].tolist() == [2, 2]
    assert table["pages"].tolist() == [3, 7]
    assert table["bytes"].tolist() == [file.path.stat().st_size for file in stored_files(tmp_path)]
    assert table["oldest"].tolist() == [datetime.fromtimestamp(1e9, UTC)] * 2
    assert table["newest"].tolist() == [datetime.fromtimestamp(2e9, UTC)] * 2

    assert clear_cache(tmp_path, "anna") == table["bytes"][0]
    assert cache_info(tmp_path)["account"].tolist() == ["ben"]
    assert clear_cache(tmp_path, "nobody") == 0
    assert clear_cache(tmp_path) == table["bytes"][1]
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_file_is_shown_by_its_name_and_cleared(tmp_path: Path) -> None:
    file = day_file(tmp_path, "anna", URL)
    file.path.parent.mkdir()
    file.path.write_bytes(b"no database")
    table = cache_info(tmp_path)
    assert table["account"].tolist() == [file.path.name]
    assert table["days"].tolist() == [0]
    assert clear_cache(tmp_path, "anna") == 11
    assert not file.path.exists()


def test_an_account_cleared_elsewhere_is_simply_empty(file: DayFile, tmp_path: Path) -> None:
    file.write(entry(), {"a": page("old")})
    clear_cache(tmp_path)
    assert file.pages("k") is None
    assert file.write(entry(), {"a": page("new")})
    assert bodies(file) == [b"new"]
    assert file.notes == {}


# Killed


REFRESHER = """
    import sys
    import eyelog as el
    token = el.Token("access-token-of-tests")
    client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
    print("begun", flush=True)
    while True:
        client.standard_mode_logs("2024-03-01", "2024-03-08", refresh=True)
"""


def walk_number(_: datetime, walk: int) -> float:
    return walk


@posix
def test_a_refresh_killed_at_any_moment_leaves_each_day_wholly_old_or_new(tmp_path: Path) -> None:
    script = Paged(size=8, value=walk_number, delay=0.001)
    with faulty.server(script) as there:
        token = el.Token("access-token-of-tests")
        client = el.Client(there.url, application=None, token=token, home=tmp_path)
        client.standard_mode_logs("2024-03-01", "2024-03-08")
        mixed, seen = 0, {0.0}
        for n in range(4):
            command = [sys.executable, "-c", textwrap.dedent(REFRESHER), there.url, str(tmp_path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
                assert child.stdout is not None
                assert child.stdout.readline() == b"begun\n"
                before = there.count()
                while there.count() < before + 10 + 7 * n:
                    time.sleep(0.003)
                child.kill()
            offline = el.Client(there.url, application=None, home=tmp_path, offline=True)
            frame = offline.standard_mode_logs("2024-03-01", "2024-03-08")
            assert len(frame) == 8 * 24
            walks = frame["stp_s"].groupby(frame.index.date).nunique()
            assert walks.tolist() == [1] * 8
            mixed += 0 < len(seen & set(frame["stp_s"])) < 8
            seen = set(frame["stp_s"])
        assert mixed, "no kill came between two days: the test shows nothing"


def _python(script: str, *arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout
