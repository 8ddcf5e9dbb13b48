"""A stored day answers while it is whole and fresh; otherwise the service is asked again."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.fetch.cache import cache_info
from support import faulty
from support.fetching import client_of, day_files, head_of, let_expire, rewrite
from support.paged import Paged

LOG = "standard_mode_logs"


posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)


# What is asked, and what is not


def test_the_second_fetch_of_the_same_closed_days_makes_no_request(
    there: faulty.Server, home: Path
) -> None:
    first = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-05")
    asked = there.count()
    assert asked == 5 * 3
    again = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-05")
    assert there.count() == asked
    assert_frame_equal(first, again)
    assert first.attrs == again.attrs
    part = client_of(there, home).standard_mode_logs("2024-03-02", "2024-03-03")
    assert there.count() == asked
    assert_frame_equal(part, first["2024-03-02":"2024-03-03"])


def test_cached_days_survive_the_rotation_of_the_token_and_need_none(
    there: faulty.Server, home: Path
) -> None:
    first = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-02")
    asked = there.count()
    for token in (el.Token("another-token"), None):
        found = client_of(there, home, token=token).standard_mode_logs("2024-03-01", "2024-03-02")
        assert_frame_equal(found, first)
    assert there.count() == asked
    content = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    for secret in (b"access-token-of-tests", b"refresh-token-of-tests", b"cookie-of-tests"):
        assert secret not in content
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        client_of(there, home, token=None).standard_mode_logs("2024-03-03", "2024-03-03")
    assert there.count() == asked


def test_refresh_always_asks(there: faulty.Server, home: Path) -> None:
    client = client_of(there, home)
    for n in (1, 2, 3):
        client.standard_mode_logs("2024-03-01", "2024-03-01", refresh=True)
        assert there.count() == 3 * n


def test_two_services_never_see_each_others_cache(there: faulty.Server, home: Path) -> None:
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")
    with faulty.server(Paged(holds=lambda _: False)) as other:
        assert len(client_of(other, home).standard_mode_logs("2024-03-01", "2024-03-01")) == 0
    assert len(cache_info(home)) == 2


# Offline


@pytest.mark.usefixtures("within_one_hour")
def test_offline_answers_from_the_cache_whatever_its_age(home: Path) -> None:
    with faulty.server(Paged()) as server:
        today = datetime.now(UTC).date()
        frame = client_of(server, home).standard_mode_logs(today - timedelta(days=2), today)
    let_expire(home)
    offline = client_of(server, home, token=None, offline=True)
    assert_frame_equal(offline.standard_mode_logs(today - timedelta(days=2), today), frame)
    assert repr(offline) == (
        f"<Client '{server.url}', account 'me', days of UTC: offline, 3 days cached>"
    )


def test_offline_names_all_missing_days(there: faulty.Server, home: Path) -> None:
    client_of(there, home).standard_mode_logs("2024-03-03", "2024-03-04")
    asked = there.count()
    offline = client_of(there, home, offline=True)
    with pytest.raises(el.NotCached, match=r"8 day\(s\).*2024-03-01.*and 3 more") as caught:
        offline.standard_mode_logs("2024-03-01", "2024-03-10")
    expected = [f"2024-03-{n:02}" for n in (1, 2, 5, 6, 7, 8, 9, 10)]
    assert list(caught.value.missing) == expected
    with pytest.raises(el.NotCached, match="with these fields"):
        offline.standard_mode_logs("2024-03-03", "2024-03-04", fields=["stp_s"])
    assert there.count() == asked


def test_offline_names_an_unreadable_day_too(there: faulty.Server, home: Path) -> None:
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-03")
    spoil(day_files(home)[1])
    with pytest.raises(el.NotCached, match="is damaged") as caught:
        client_of(there, home, offline=True).standard_mode_logs("2024-03-01", "2024-03-03")
    assert caught.value.missing == ("2024-03-02",)


# Age


@pytest.mark.usefixtures("within_one_hour")
def test_an_old_answer_is_asked_again_and_replaced(there: faulty.Server, home: Path) -> None:
    today = datetime.now(UTC).date()
    client = client_of(there, home)
    client.standard_mode_logs(today, today)
    asked = there.count()
    client.standard_mode_logs(today, today)
    assert there.count() == asked
    let_expire(home)
    client.standard_mode_logs(today, today)
    assert there.count() == 2 * asked
    assert cache_info(home)["days"].tolist() == [1]


@pytest.mark.usefixtures("within_one_hour")
def test_how_long_a_day_stays_fresh_follows_from_its_age_and_whether_it_holds_anything(
    home: Path,
) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    days = [today - timedelta(days=n) for n in (0, 3, 30, 31)]
    with faulty.server(Paged(holds=lambda stamp: stamp.date() != days[3].date())) as server:
        client = client_of(server, home)
        for day in days:
            client.standard_mode_logs(day.date(), day.date())
    heads = [head_of(path) for path in day_files(home)]
    found = {head["day"]: head["expires"] and head["expires"] - head["fetched"] for head in heads}
    ages = [found[str(day.date())] for day in days]
    assert ages[2] is None
    assert [ages[0], ages[1], ages[3]] == pytest.approx([300, 6 * 3600, 3600])


# Faults


FAULTS = {
    "an HTML page": faulty.html(),
    "an empty body": faulty.empty(),
    "half a body": faulty.unframed_half({LOG: {"1": []}, "cursor": None}),
    "another log": faulty.answer({"computed_data": {}, "cursor": None}),
    "an error with 200": faulty.answer({"error": "oops", "error_description": "no"}),
    "hours that are no lists": faulty.answer({LOG: {"1": {}}, "cursor": None}),
    "a record without a date": faulty.answer({LOG: {"1": [{"stp_s": 1}]}, "cursor": None}),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_body_that_is_not_an_answer_raises_and_is_not_stored(
    home: Path, fault: faulty.Answer
) -> None:
    with faulty.server(fault) as server:
        with pytest.raises(el.AnswerError, match="account 'me', 2024-03-01T00:00:00"):
            client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-01")
        server.script = Paged()
        assert len(client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-01")) == 24
    assert len(cache_info(home)) == 1


def test_a_cursor_that_repeats_raises_and_stores_nothing(home: Path) -> None:
    with faulty.server(faulty.answer({LOG: {}, "cursor": "again"})) as server:
        with pytest.raises(el.AnswerError, match="repeats a cursor"):
            client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-01")
        assert server.count() == 2
    assert len(cache_info(home)) == 0


def test_days_fetched_before_a_failure_stay_and_are_not_asked_again(home: Path) -> None:
    paged = Paged()

    def breaks(request: faulty.Request) -> faulty.Answer:
        broken = request.query["date_from"].startswith("2024-03-04")
        return faulty.error(403) if broken else paged(request)

    with faulty.server(breaks) as server:
        with pytest.raises(el.Refused):
            client_of(server, home, workers=1).standard_mode_logs("2024-03-01", "2024-03-06")
        server.script = paged
        server.requests.clear()
        frame = client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-06")
        assert len(frame) == 6 * 24
        days = {seen.query["date_from"][8:10] for seen in server.requests}
        assert days == {"04", "05", "06"}


def test_a_refresh_that_fails_raises_and_leaves_the_stored_day_as_it_was(
    there: faulty.Server, home: Path
) -> None:
    client = client_of(there, home)
    frame = client.standard_mode_logs("2024-03-01", "2024-03-01")
    paged, there.script = there.script, lambda _: faulty.error(403)
    with pytest.raises(el.Refused):
        client.standard_mode_logs("2024-03-01", "2024-03-01", refresh=True)

    def half_way(request: faulty.Request) -> faulty.Answer:
        return faulty.html() if "cursor" in request.query else paged(request)

    there.script = half_way
    with pytest.raises(el.AnswerError):
        client.standard_mode_logs("2024-03-01", "2024-03-01", refresh=True)
    offline = client_of(there, home, offline=True)
    assert_frame_equal(offline.standard_mode_logs("2024-03-01", "2024-03-01"), frame)


def test_a_stored_day_that_cannot_be_read_is_asked_again_whole(
    there: faulty.Server, home: Path
) -> None:
    frame = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-02")
    asked = there.count()
    spoil(day_files(home)[1])
    with pytest.warns(el.EyelogWarning, match="is damaged: its day is requested again") as caught:
        again = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-02")
    assert [warning.filename for warning in caught] == [__file__]
    assert there.count() == asked + 3
    assert_frame_equal(again, frame)
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-02")
    assert there.count() == asked + 3


def test_a_stored_chain_that_lacks_its_end_is_asked_again(there: faulty.Server, home: Path) -> None:
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")

    def lose_the_last(head: dict[str, Any], pages: dict[str, bytes]) -> None:
        pages.popitem()
        head["pages"] = len(pages)

    rewrite(day_files(home)[0], lose_the_last)
    assert len(client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")) == 24
    assert there.count() == 6


def test_a_cache_that_cannot_be_written_costs_a_warning_not_the_data(
    there: faulty.Server, home: Path
) -> None:
    home.mkdir()
    (home / "cache").write_text("in the way")
    with pytest.warns(el.EyelogWarning, match="cannot be"):
        frame = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-02")
    assert len(frame) == 48


def test_a_page_out_of_place_makes_the_whole_day_a_miss(there: faulty.Server, home: Path) -> None:
    frame = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")
    for at, other in ((1, 2), (0, 1), (0, 2)):
        count = there.count()

        def copy(
            _: dict[str, Any], pages: dict[str, bytes], at: int = at, other: int = other
        ) -> None:
            keys = list(pages)
            pages[keys[at]] = pages[keys[other]]

        rewrite(day_files(home)[0], copy)
        again = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")
        assert there.count() == count + 3
        assert_frame_equal(again, frame)


def test_a_stored_part_of_a_day_never_answers_for_the_whole_day(
    there: faulty.Server, home: Path
) -> None:
    client = client_of(there, home, tz="Europe/Berlin")
    # The clock goes back at 03:00 that day: the part is the first window of the whole day.
    part = client.standard_mode_logs("2024-10-27T00:00:00+02:00", "2024-10-27T02:59:59+02:00")
    assert len(part) == 3
    count = there.count()
    assert len(client.standard_mode_logs("2024-10-27", "2024-10-27")) == 25
    assert there.count() == count + 1 + 3
    offline = client_of(there, home, tz="Europe/Berlin", offline=True)
    assert len(offline.standard_mode_logs("2024-10-27", "2024-10-27")) == 25
    assert len(offline.standard_mode_logs("2024-10-27T00:00:00+02:00", "2024-10-27T02:59:59+02:00"))


def test_only_fresh_questions_reach_the_service_and_they_pass_its_caches(
    there: faulty.Server, home: Path
) -> None:
    client = client_of(there, home)
    client.standard_mode_logs("2024-03-01", "2024-03-01")
    assert {seen.headers["cache-control"] for seen in there.requests} == {"no-cache"}


# Threads, processes, signals


@pytest.mark.parametrize("workers", [1, 4])
def test_as_many_days_are_asked_for_at_once_as_there_are_workers(home: Path, workers: int) -> None:
    pages, guard, met = Paged(size=100), threading.Lock(), threading.Event()
    under_way, most = 0, 0

    def at_once(request: faulty.Request) -> faulty.Answer:
        nonlocal under_way, most
        with guard:
            under_way += 1
            most = max(most, under_way)
            if under_way == workers:
                met.set()
        met.wait(2)  # an answer waits for the other workers' requests
        with guard:
            under_way -= 1
        return pages(request)

    with faulty.server(at_once) as server:
        client = client_of(server, home, workers=workers)
        client.standard_mode_logs("2024-03-01", "2024-03-20")
    assert most == workers


@posix
def test_a_client_works_on_in_a_forked_child(there: faulty.Server, home: Path) -> None:
    client = client_of(there, home)
    client.standard_mode_logs("2024-03-01", "2024-03-01")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            frame = client.standard_mode_logs("2024-03-01", "2024-03-04")
            os._exit(0 if len(frame) == 96 else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    asked = there.count()
    assert len(client.standard_mode_logs("2024-03-01", "2024-03-04")) == 96
    assert there.count() == asked
    assert len(client.standard_mode_logs("2024-03-05", "2024-03-05")) == 24


INTERRUPTED = """
    import sys
    import eyelog as el
    token = el.Token("access-token-of-tests")
    client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
    try:
        client.standard_mode_logs("2024-01-01", "2024-12-31")
    except KeyboardInterrupt:
        sys.exit(7)
"""


@posix
def test_an_interrupt_ends_a_fetch_at_once_and_keeps_its_days(home: Path) -> None:
    paged = Paged()

    def stalls(request: faulty.Request) -> faulty.Answer:
        slow = request.query["date_from"] >= "2024-01-10"
        return faulty.slow({}, 30) if slow else paged(request)

    with faulty.server(stalls) as server:
        command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), server.url, str(home)]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as child:
            while server.count() < 9 * 3 + 4 and child.poll() is None:
                time.sleep(0.01)
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            _, shown = child.communicate(timeout=20)
            assert (child.returncode, shown) == (7, b"")
        offline = client_of(server, home, offline=True)
        assert len(offline.standard_mode_logs("2024-01-01", "2024-01-09")) == 9 * 24


def test_no_progress_line_is_shown_where_nobody_looks(
    there: faulty.Server, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-03")
    assert capfd.readouterr() == ("", "")


def test_progress_can_be_forced_on_and_goes_to_stderr(
    there: faulty.Server, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client_of(there, home, progress=True, account="anna").standard_mode_logs(
        "2024-03-01", "2024-03-03"
    )
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "standard_mode_logs of anna" in shown.err
    assert "0/3" in shown.err
    client_of(there, home, progress=False).standard_mode_logs("2024-03-01", "2024-03-03")
    assert capsys.readouterr() == ("", "")
