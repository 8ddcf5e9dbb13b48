"""The cache keeps whole days, sealed and private; a file that is not whole is a miss."""

import os
import pickle
import stat
import subprocess
import sys
import textwrap
import time
import warnings
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.fetch.cache import DayCache, cache_info, clear_cache, lifetime, stored_files
from support import faulty
from support.fetching import client_of, day_files, head_of, rewrite
from support.paged import Paged

LOG = "standard_mode_logs"
URL = "http://127.0.0.1:1"
posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


def fetched(there: faulty.Server, home: Path, **options: Any) -> pd.DataFrame:
    with client_of(there, home, **options) as client:
        return client.standard_mode_logs("2024-03-01", "2024-03-02")


# One file is one day


def test_each_day_of_each_log_and_choice_of_fields_is_a_file(
    there: faulty.Server, home: Path
) -> None:
    fetched(there, home)
    with client_of(there, home) as client:
        client.standard_mode_logs("2024-03-01", "2024-03-01", fields=["stp_s"])
        client.standard_mode_logs("2024-03-01", "2024-03-01", tz="Asia/Tokyo")
        client.computed_data("2024-03-01", "2024-03-01")
    names = [path.name[:30] for path in day_files(home)]
    assert len(set(day_files(home))) == len(names) == 5
    assert cache_info(home)["days"].tolist() == [3]  # two of one log, one of the other


def test_zones_that_agree_on_a_day_share_it(there: faulty.Server, home: Path) -> None:
    for tz in ("UTC", "Europe/London", "Africa/Abidjan"):
        fetched(there, home, tz=tz)
    assert len(day_files(home)) == 2


def test_no_secret_and_no_address_reaches_a_file(there: faulty.Server, home: Path) -> None:
    fetched(there, home)
    for path in day_files(home):
        head = head_of(path)
        assert set(head) == {
            *("account", "base_url", "log", "day", "asked", "fields", "pages", "fetched"),
            "expires",
        }
        content = path.read_bytes()
        for secret in (b"of-tests", b"/v2/users", b"cursor="):
            assert secret not in content


def test_a_body_comes_back_byte_for_byte(home: Path) -> None:
    body = f'{{"{LOG}": {{"1": [{{"date":"2024-03-01T01:00:00Z", "stp_s" : 1.10}}]}}}}\n'.encode()
    with faulty.server(faulty.Answer(200, body)) as there, client_of(there, home) as client:
        client.standard_mode_logs("2024-03-01", "2024-03-01")
    kept: list[bytes] = []
    rewrite(day_files(home)[0], lambda _, pages: kept.extend(pages.values()))
    assert kept == [body]


NAMES = [
    *("anna", "Anna", "ANNA", "anna ", "an/na", "an\\na", "../anna", "änna", "a\u0308nna", "安奈"),
    *("CON", "nul", ".", "a" * 500, "a" * 501, "anna\n", "anna\x00", "🙂", "me", "%61nna"),
]


def test_any_text_makes_a_folder_that_no_other_account_has(tmp_path: Path) -> None:
    folders = [DayCache(tmp_path, name, URL).folder for name in NAMES]
    assert len({folder.name.lower() for folder in folders}) == len(NAMES)
    for folder in folders:
        assert folder.parent == tmp_path / "cache"
        assert folder.name.isascii()
        assert len(folder.name) < 120
        assert not set(folder.name) & set('/\\:*?"<>| %\0')


@posix
def test_files_are_0600_and_folders_0700_whatever_the_umask(
    there: faulty.Server, home: Path
) -> None:
    old = os.umask(0)
    try:
        fetched(there, home)
    finally:
        os.umask(old)
    assert {stat.S_IMODE(path.stat().st_mode) for path in day_files(home)} == {0o600}
    folders = (home, home / "cache", day_files(home)[0].parent)
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


@posix
def test_a_symbolic_link_is_not_written_through(
    there: faulty.Server, home: Path, tmp_path: Path
) -> None:
    fetched(there, home)
    target = tmp_path / "precious"
    path = day_files(home)[0]
    path.rename(target)
    path.symlink_to(target)
    before = target.read_bytes()
    with client_of(there, home) as client:
        client.standard_mode_logs("2024-03-01", "2024-03-02", refresh=True)
    assert target.read_bytes() == before
    assert not path.is_symlink()


# Damage


@given(at=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), kept=st.floats(0, 1))
@settings(max_examples=20)
def test_a_flipped_bit_or_a_cut_is_a_miss_and_never_another_answer(
    tmp_path_factory: pytest.TempPathFactory, at: float, bit: int, kept: float
) -> None:
    home = tmp_path_factory.mktemp("home")
    with faulty.server(Paged(size=100)) as there:
        frame = fetched(there, home)
        path = day_files(home)[0]
        content = bytearray(path.read_bytes())
        content[int(at * len(content))] ^= 1 << bit
        for damaged in (bytes(content), bytes(content[: int(kept * len(content))])):
            path.write_bytes(damaged)
            before = there.count()
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                assert_frame_equal(fetched(there, home), frame)
            # About one bit in 500 means nothing to zstd: what the file says is then the same.
            flipped = len(damaged) == len(content)
            assert there.count() - before == len(warned) == (0 if flipped and not warned else 1)
            assert all("is damaged: its day is requested again" in str(w.message) for w in warned)


class Mine:
    """What a doctored file would carry."""

    ran = False

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return setattr, (Mine, "ran", True)


def test_a_doctored_file_runs_no_code(there: faulty.Server, home: Path) -> None:
    fetched(there, home)
    day_files(home)[0].write_bytes(pickle.dumps(Mine()))
    with pytest.warns(el.EyelogWarning, match="damaged"):
        fetched(there, home)
    assert not Mine.ran


def test_a_day_copied_from_another_account_or_another_day_is_a_miss(
    there: faulty.Server, home: Path
) -> None:
    for account in ("anna", "ben"):
        fetched(there, home, account=account)
    anna, anna_next, ben, _ = sorted(day_files(home), key=lambda path: path.parent.name)
    for copied in (anna, anna_next):
        ben.write_bytes(copied.read_bytes())
        count = there.count()
        with pytest.warns(el.EyelogWarning, match="damaged"):
            fetched(there, home, account="ben")
        assert there.count() == count + 3


def test_an_answer_that_is_no_longer_valid_is_asked_for_again(
    there: faulty.Server, home: Path
) -> None:
    frame = fetched(there, home)

    def spoil(_: dict[str, Any], pages: dict[str, bytes]) -> None:
        pages[next(iter(pages))] = b"<html>"

    rewrite(day_files(home)[0], spoil)
    assert_frame_equal(fetched(there, home), frame)
    assert there.count() == 6 + 3


def test_a_day_fetched_by_a_clock_that_ran_ahead_is_asked_for_again(
    there: faulty.Server, home: Path
) -> None:
    fetched(there, home)
    rewrite(day_files(home)[0], lambda head, _: head.update(fetched=9e9))
    fetched(there, home)
    assert there.count() == 6 + 3
    rewrite(day_files(home)[0], lambda head, _: head.update(fetched=9e9))
    fetched(there, home, offline=True)


@posix
def test_a_full_disk_is_noted_and_what_was_there_stays(there: faulty.Server, home: Path) -> None:
    script = """
        import resource, signal, sys, warnings
        import eyelog as el
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        warnings.simplefilter("always")
        token = el.Token("access-token-of-tests")
        client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2])
        client.standard_mode_logs("2024-03-01", "2024-03-01")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        print(len(client.standard_mode_logs("2024-03-01", "2024-03-02", refresh=True)))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), there.url, str(home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "48\n"
    assert "cannot be written" in done.stderr
    assert len(list(home.rglob("cache/*/*"))) == 1
    with client_of(there, home, offline=True) as client:
        assert len(client.standard_mode_logs("2024-03-01", "2024-03-01")) == 24


def test_the_cache_of_an_earlier_version_is_emptied_with_one_line(
    there: faulty.Server, home: Path
) -> None:
    folder = DayCache(home, "me", there.url).folder
    earlier = folder.with_name(folder.name + ".v1.sqlite")
    folder.parent.mkdir(parents=True)
    earlier.write_bytes(b"SQLite format 3\0")
    assert cache_info(home)["account"].tolist() == [earlier.name]
    with pytest.raises(el.NotCached, match="an earlier version of eyelog"):
        fetched(there, home, offline=True)
    with pytest.warns(el.EyelogWarning, match="of an earlier version: it was emptied") as caught:
        fetched(there, home)
    assert len(caught) == 1
    assert not earlier.exists()
    fetched(there, home)


# How long a day stays fresh

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
    assert lifetime(DAY, TZ, begun=asked, empty=empty) == age


# The contents


def test_the_cache_shows_its_contents_and_can_be_cleared_by_account(
    there: faulty.Server, home: Path
) -> None:
    assert len(cache_info(home)) == 0
    before = pd.Timestamp.now("UTC")
    for account in ("ben", "anna"):
        fetched(there, home, account=account)
    table = cache_info(home)
    assert table["account"].tolist() == ["anna", "ben"]
    assert table["base_url"].tolist() == [there.url] * 2
    assert table["days"].tolist() == [2, 2]
    assert table["pages"].tolist() == [6, 6]
    assert table["bytes"].sum() == sum(path.stat().st_size for path in stored_files(home))
    assert (table["oldest"] >= before).all()
    assert (table["newest"] >= table["oldest"]).all()
    assert str(table["oldest"].dtype) == "datetime64[us, UTC]"

    assert clear_cache(home, "anna") == table["bytes"][0]
    assert cache_info(home)["account"].tolist() == ["ben"]
    assert clear_cache(home, "nobody") == 0
    assert clear_cache(home) == table["bytes"][1]
    assert list((home / "cache").iterdir()) == []
    fetched(there, home)


def test_a_damaged_file_is_shown_by_its_folder_and_cleared(
    there: faulty.Server, home: Path
) -> None:
    fetched(there, home)
    for path in day_files(home):
        path.write_bytes(b"no day")
    table = cache_info(home)
    assert table["account"].tolist() == [day_files(home)[0].parent.name]
    assert table["days"].tolist() == [0]
    assert clear_cache(home) == 12


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


@pytest.mark.slow("a process is killed at many moments")
@posix
def test_a_refresh_killed_at_any_moment_leaves_each_day_wholly_old_or_new(home: Path) -> None:
    script = Paged(size=8, value=walk_number, delay=0.001)
    with faulty.server(script) as there:
        client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-08")
        mixed, seen = 0, {0.0}
        for n in range(0, 12, 2):
            command = [sys.executable, "-c", textwrap.dedent(REFRESHER), there.url, str(home)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
                assert child.stdout is not None
                assert child.stdout.readline() == b"begun\n"
                before = there.count()
                while there.count() < before + 10 + 3 * n:
                    time.sleep(0.003)
                child.kill()
            offline = client_of(there, home, offline=True)
            frame = offline.standard_mode_logs("2024-03-01", "2024-03-08")
            assert len(frame) == 8 * 24
            walks = frame["stp_s"].groupby(frame.index.date).nunique()
            assert walks.tolist() == [1] * 8
            mixed += 0 < len(seen & set(frame["stp_s"])) < 8
            seen = set(frame["stp_s"])
        assert mixed, "no kill came between two days: the test shows nothing"


@posix
def test_three_processes_of_many_threads_share_a_cache(home: Path) -> None:
    script = """
        import sys, warnings
        import eyelog as el
        warnings.simplefilter("error")
        token = el.Token("access-token-of-tests")
        client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
        for _ in range(6):
            frame = client.standard_mode_logs("2024-03-01", "2024-03-08", refresh=True)
            assert (frame["stp_s"].groupby(frame.index.date).nunique() == 1).all()
            again = client.standard_mode_logs("2024-03-01", "2024-03-08")
            assert (again["stp_s"].groupby(again.index.date).nunique() == 1).all()
    """
    with faulty.server(Paged(size=8, value=walk_number)) as there:
        command = [sys.executable, "-c", textwrap.dedent(script), there.url, str(home)]
        running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        for each in running:
            assert each.communicate(timeout=120)[1] == ""
            assert each.returncode == 0
    assert len(list(home.rglob("cache/*/*"))) == 8
