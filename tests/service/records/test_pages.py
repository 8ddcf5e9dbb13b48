"""One page after the other: the shape of an answer, its cursor, its compression, and its limit."""

import gzip
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pandas as pd
import pytest
import requests
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support import live
from support.live import COMPUTED, STANDARD, Live
from support.logs import columns
from support.records import records
from support.replies import DAY, records_of, refusal


def test_archived_records_are_returned_value_for_value(there: Live, token: str) -> None:
    made = records(COMPUTED, "2026-10-24 00:00:15", 720)
    got = [
        r for page in there.walk(COMPUTED, *DAY, token=token) for r in records_of(page, COMPUTED)
    ]
    assert [r["date"] for r in got] == [stamp.isoformat() for stamp in made.index]
    for name in columns(COMPUTED):
        wanted = [None if pd.isna(value) else value for value in made[name]]
        assert [r[name] for r in got] == wanted, name


def test_a_stamp_between_seconds_keeps_its_fraction_and_its_place(tmp_path: Path) -> None:
    stamps = ["10:00:00", "10:00:00.250", "10:59:59.999999", "11:00:00"]
    index = pd.DatetimeIndex([f"2026-10-24T{s}Z" for s in stamps], name="date").as_unit("us")
    frame = records(STANDARD, "2026-10-24 10:00", 4).set_axis(index)
    with live.service(tmp_path / "a", {"ada": [frame]}, page_size=1) as there:
        window = ("2026-10-24T10:00:00Z", "2026-10-24T10:59:59Z")
        token = there.login("ada")["access_token"]
        pages = there.walk(STANDARD, *window, token=token, fields="date")
    assert [records_of(page, STANDARD) for page in pages] == [
        [{"date": "2026-10-24T10:00:00+00:00"}],
        [{"date": "2026-10-24T10:00:00.250000+00:00"}],
        [{"date": "2026-10-24T10:59:59.999999+00:00"}],
    ]


@pytest.mark.parametrize(
    ("offset", "written", "hour"),
    [
        ("Z", "+00:00", "1"),
        ("+00:00", "+00:00", "1"),
        ("+09:00", "+09:00", "10"),
        ("+0900", "+09:00", "10"),
        ("+05:45", "+05:45", "6"),
        ("-01:30", "-01:30", "23"),
    ],
)
def test_dates_and_hours_are_in_the_offset_of_the_request(
    there: Live, token: str, offset: str, written: str, hour: str
) -> None:
    zone = f"{written[:3]}:{written[4:]}" if written != "+00:00" else "UTC"
    local = pd.Timestamp("2026-10-24T01:00:00Z").tz_convert(zone).strftime("%Y-%m-%dT%H:%M:%S")
    body = there.get(STANDARD, local + offset, local + offset, token=token, fields="date").json()
    assert body == {STANDARD: {hour: [{"date": local + written}]}, "cursor": None}


def test_each_account_gets_its_own_records_of_each_log(there: Live, token: str) -> None:
    bea = there.login("bea")["access_token"]
    window = ("2026-10-24T00:00:00Z", "2026-10-24T00:30:00Z")
    mine = there.get(STANDARD, *window, token=token).json()
    hers = there.get(STANDARD, *window, token=bea).json()
    assert len(records_of(mine, STANDARD)) == len(records_of(hers, STANDARD)) == 30
    assert mine != hers
    assert there.get(COMPUTED, *DAY, token=bea).json() == {COMPUTED: {}, "cursor": None}


def test_a_cursor_of_a_changed_request_is_refused(there: Live, token: str) -> None:
    page = there.get(STANDARD, *DAY, token=token, fields="date,bl").json()
    same = {"token": token, "fields": "date,bl", "cursor": page["cursor"]}
    assert there.get(STANDARD, *DAY, **same).status_code == 200
    changed: list[tuple[str, tuple[str, str], dict[str, str]]] = [
        (STANDARD, DAY, same | {"fields": "bl,date"}),
        (STANDARD, DAY, {"token": token, "cursor": page["cursor"]}),
        (STANDARD, (DAY[0], "2026-10-24T23:59:58+00:00"), same),
        (STANDARD, ("2026-10-24T00:00:01+00:00", DAY[1]), same),
        (STANDARD, ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z"), same),
        (COMPUTED, DAY, same),
        (STANDARD, DAY, same | {"token": there.login("bea")["access_token"]}),
    ]
    for log, window, more in changed:
        refusal(there.get(log, *window, **more), "invalid_cursor")


@given(text=st.text(max_size=80))
@settings(max_examples=15)
def test_a_cursor_that_the_service_did_not_issue_is_refused(
    there: Live, token: str, text: str
) -> None:
    cursor = there.get(STANDARD, *DAY, token=token).json()["cursor"]
    forged = [cursor[:-1], cursor + "A", cursor.swapcase(), "." + cursor, "\x00", ""]
    for each in (text.encode("utf-8", "replace").decode(), *forged):
        refusal(there.get(STANDARD, *DAY, token=token, cursor=each), "invalid_cursor")


def test_a_record_that_arrives_late_shifts_no_page(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 60)
    late = frame.index[[2, 3, 40, 41]]
    with live.service(tmp_path / "a", {"ada": [frame.drop(late)]}, page_size=20) as there:
        token = there.login("ada")["access_token"]
        first = there.get(STANDARD, *DAY, token=token).json()
        el.Archive(there.archive).write(STANDARD, frame.loc[late], account="ada")
        dates = [r["date"] for r in records_of(first, STANDARD)]
        cursor = first["cursor"]
        while cursor:
            page = there.get(STANDARD, *DAY, token=token, cursor=cursor).json()
            dates += [r["date"] for r in records_of(page, STANDARD)]
            cursor = page["cursor"]
    # Of the late ones, those behind the reader are missed, those ahead are there; none twice.
    wanted = frame.drop(late[:2]).index
    assert dates == [stamp.isoformat() for stamp in wanted]


# Windows: as the archive is on disk, wherever its pieces end.


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[int, Live], str]]:
    """A month of half hours over the end of another, served in pages of several sizes."""
    folder = tmp_path_factory.mktemp("pages") / "a"
    frame = records(STANDARD, "2026-09-30", 1600)
    every = pd.date_range("2026-09-30", periods=1600, freq="30min", tz="UTC", name="date")
    frame = frame.set_axis(every.as_unit("us"))
    _, *application = live.make(folder, {"ada": [frame.drop(frame.index[[3, 4, 20]])]})
    with ExitStack() as services:
        there = {
            size: Live(
                services.enter_context(live.running(folder, page_size=size)),
                folder,
                *application,
            )
            for size in (1, 7, 48, 1000)
        }
        yield there, there[1].login("ada")["access_token"]


@settings(max_examples=25)
@given(
    size=st.sampled_from([1, 7, 48]),
    hours=st.integers(0, 60 * 24),
    offset=st.integers(-12, 14),
    seconds=st.tuples(st.integers(0, 86_399), st.integers(0, 86_399)),
    fields=st.sets(st.sampled_from(["date", *columns(STANDARD)]), max_size=4),
)
def test_the_pages_of_a_range_add_up_to_what_the_archive_has(
    wide: tuple[dict[int, Live], str],
    size: int,
    hours: int,
    offset: int,
    seconds: tuple[int, int],
    fields: set[str],
) -> None:
    services, token = wide
    day = datetime(2026, 9, 29, tzinfo=UTC) + timedelta(hours=hours)
    window = [
        f"{day:%Y-%m-%d}T{timedelta(seconds=s)!s:0>8}{offset:+03d}:00" for s in sorted(seconds)
    ]
    asked = {"fields": ",".join(sorted(fields))} if fields else {}
    (whole,) = services[1000].walk(STANDARD, *window, token=token, **asked)
    pages = services[size].walk(STANDARD, *window, token=token, **asked)
    assert [r for page in pages for r in records_of(page, STANDARD)] == records_of(whole, STANDARD)
    hours_of = list(dict.fromkeys(hour for page in pages for hour in page[STANDARD]))
    assert hours_of == list(whole[STANDARD])
    counts = [len(records_of(page, STANDARD)) for page in pages]
    assert all(count == size for count in counts[:-1])
    assert len(pages) == 1 or counts[-1] > 0
    stored = el.Archive(services[1].archive).read(STANDARD, account="ada", tz="UTC")
    start, end = map(pd.Timestamp, window)
    if not fields or "date" in fields:
        dates = [pd.Timestamp(r["date"]) for r in records_of(whole, STANDARD)]
        assert dates == list(stored.loc[start:end].index)


def test_pieces_that_are_not_kept_any_more_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog_service.records._KEPT_BYTES", 300_000)
    read, reads = el.Archive.read_arrow, list[int]()

    def count(*arguments: Any, **options: Any) -> Any:
        reads[-1] += 1
        return read(*arguments, **options)

    monkeypatch.setattr(el.Archive, "read_arrow", count)
    frames = [records(STANDARD, f"2026-10-{day:02} 00:01", 200) for day in range(1, 26)]
    with live.service(tmp_path / "a", {"ada": frames}) as there:
        token = there.login("ada")["access_token"]
        for day in (*range(1, 26), 25, 1):
            reads.append(0)
            edges = f"2026-10-{day:02}T00:00:00Z", f"2026-10-{day:02}T23:59:59Z"
            page = there.get(STANDARD, *edges, token=token).json()
            assert len(records_of(page, STANDARD)) == 200
    assert sum(reads[:25]) < 25  # a piece has four days
    assert reads[25:] == [0, 1]


def test_what_is_written_is_served_at_once_and_damage_reveals_no_path(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}, page_size=10) as there:
        token = there.login("ada")["access_token"]
        ask = {"token": token, "fields": "bl"}
        before = there.get(STANDARD, *DAY, **ask).json()
        changed = (frame[["bl"]] * 0 + 3.0).fillna(3.0)
        el.Archive(there.archive).write(STANDARD, changed, account="ada", replace=True)
        after = there.get(STANDARD, *DAY, **ask).json()
        assert before != after
        assert {r["bl"] for r in records_of(after, STANDARD)} == {3}
        for file in there.archive.rglob("*.parquet"):
            os.truncate(file, file.stat().st_size // 2)
        answer = there.get(STANDARD, *DAY, token=token)
        assert (answer.status_code, answer.json()["error"]) == (500, "server_error")
        assert str(tmp_path) not in answer.text
        assert token not in answer.text
        ok = there.get(COMPUTED, *DAY, token=token)
        assert ok.json() == {COMPUTED: {}, "cursor": None}


# Compression, as the client accepts it.


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("gzip, deflate, zstd", "zstd"),
        ("gzip;q=1.0, zstd;q=0.5", "gzip"),
        ("gzip;q=0, zstd;q=0", None),
        ("*", "zstd"),
        ("br, *;q=0", None),
        ("identity", None),
        ("gzip;q=x", None),
        ("", None),
    ],
)
def test_a_page_is_compressed_as_the_client_accepts(
    there: Live, token: str, accepts: str, coding: str | None
) -> None:
    ask = {"date_from": DAY[0], "date_to": DAY[1], "fields": "date,bl,tl_xav"}
    url = f"{there.url}/v2/users/me/official/{STANDARD}"
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": accepts}
    with requests.get(url, params=ask, headers=headers, stream=True, timeout=30) as got:
        raw = got.raw.read(decode_content=False)
        assert got.headers.get("Content-Encoding") == coding
        assert "Accept-Encoding" in got.headers["Vary"]
        assert got.headers["Cache-Control"].startswith("private")
    plain = {"gzip": gzip.decompress, "zstd": zstandard.decompress}.get(coding or "", bytes)(raw)
    assert len(records_of(json.loads(plain), STANDARD)) == 100
    if coding:
        assert len(raw) < len(plain) / 3
    small = there.get(STANDARD, DAY[0], DAY[0], token=token)
    assert "Content-Encoding" not in small.headers


# How many an account may ask for in an hour: counted exactly, by all processes, and told.


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, ten seconds after a full hour until a test changes it."""
    now = [time.time() // 3600 * 3600 + 3610]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


@pytest.mark.parametrize("per_hour", [1, 7, 40])
@pytest.mark.parametrize("processes", [1, 3])
def test_exactly_so_many_requests_are_allowed(
    tmp_path: Path, clock: list[float], per_hour: int, processes: int
) -> None:
    _, *application = live.make(tmp_path / "a", {"ada": [], "bea": []})
    with ExitStack() as services:
        there = [
            Live(
                services.enter_context(live.running(tmp_path / "a", requests_per_hour=per_hour)),
                tmp_path / "a",
                *application,
            )
            for _ in range(processes)
        ]
        ada, bea = (there[0].login(name)["access_token"] for name in ("ada", "bea"))
        answers = [
            there[turn % processes].get(STANDARD, *DAY, token=ada) for turn in range(per_hour + 30)
        ]
        allowed = [answer for answer in answers if answer.status_code == 200]
        assert len(allowed) == per_hour
        if processes == 1:
            left = [int(answer.headers["X-RateLimit-Remaining"]) for answer in answers]
            assert left == [*reversed(range(per_hour)), *[0] * 30]
        refused = answers[-1]
        assert (refused.status_code, refused.json()["error"]) == (429, "rate_limit_exceeded")
        assert int(refused.headers["Retry-After"]) == 3590
        assert int(refused.headers["X-RateLimit-Reset"]) == clock[0] + 3590
        assert there[0].get(STANDARD, *DAY, token=bea).status_code == 200
        clock[0] += 3600
        assert there[-1].get(STANDARD, *DAY, token=ada).status_code == 200


def test_only_those_without_a_share_wait_for_a_locked_state_also_into_the_next_hour(
    tmp_path: Path, clock: list[float]
) -> None:
    wearers: dict[str, list[pd.DataFrame]] = {"ada": [], "bea": []}
    with live.service(tmp_path / "a", wearers, requests_per_hour=1000) as there:
        ada, bea = (there.login(name)["access_token"] for name in wearers)
        assert there.get(STANDARD, *DAY, token=ada).status_code == 200
        answers: list[requests.Response] = []
        waiting = Thread(target=lambda: answers.append(there.get(STANDARD, *DAY, token=bea)))
        with closing(sqlite3.connect(there.archive / "_service.sqlite")) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting.start()
            time.sleep(0.3)
            assert there.get(STANDARD, *DAY, token=ada).status_code == 200
            assert answers == []
            clock[0] += 3600
        waiting.join()
    assert answers[0].status_code == 200
    assert int(answers[0].headers["X-RateLimit-Reset"]) == clock[0] // 3600 * 3600 + 3600
