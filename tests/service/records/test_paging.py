"""One page after the other: the shape of an answer, and the cursor of the next page."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.catalogue import catalogue
from eyelog.frame import empty
from eyelog_service.records import Cursors, Windows, answer, parse_query
from eyelog_service.web import Problem
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
    frame = empty(STANDARD).reindex(index)
    with live.service(tmp_path / "a", {"ada": [frame]}, page_size=1) as there:
        token = there.login("ada")["access_token"]
        pages = there.walk(
            STANDARD,
            "2026-10-24T10:00:00Z",
            "2026-10-24T10:59:59Z",
            token=token,
            fields="date",
        )
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
    stamp = pd.Timestamp("2026-10-24T01:00:00Z").tz_convert(
        f"{written[:3]}:{written[4:]}" if written != "+00:00" else "UTC"
    )
    local = stamp.strftime("%Y-%m-%dT%H:%M:%S")
    body = there.get(STANDARD, local + offset, local + offset, token=token, fields="date").json()
    assert body == {STANDARD: {hour: [{"date": local + written}]}, "cursor": None}


def test_an_account_with_one_log_has_no_data_in_the_other(there: Live) -> None:
    bea = there.login("bea")["access_token"]
    assert there.get(COMPUTED, *DAY, token=bea).json() == {COMPUTED: {}, "cursor": None}
    assert there.get(STANDARD, *DAY, token=bea).json()[STANDARD]


def test_each_account_gets_its_own_records(there: Live, token: str) -> None:
    bea = there.login("bea")["access_token"]
    window = ("2026-10-24T00:00:00Z", "2026-10-24T00:30:00Z")
    mine = there.get(STANDARD, *window, token=token).json()
    hers = there.get(STANDARD, *window, token=bea).json()
    assert len(records_of(mine, STANDARD)) == len(records_of(hers, STANDARD)) == 30
    assert mine != hers


def test_a_cursor_of_a_changed_request_is_refused(there: Live, token: str) -> None:
    page = there.get(STANDARD, *DAY, token=token, fields="date,bl").json()
    cursor = page["cursor"]
    same = {"token": token, "fields": "date,bl", "cursor": cursor}
    assert there.get(STANDARD, *DAY, **same).status_code == 200
    changed: list[tuple[str, tuple[str, str], dict[str, str]]] = [
        (STANDARD, DAY, same | {"fields": "bl,date"}),
        (STANDARD, DAY, {"token": token, "cursor": cursor}),
        (STANDARD, (DAY[0], "2026-10-24T23:59:58+00:00"), same),
        (STANDARD, ("2026-10-24T00:00:01+00:00", DAY[1]), same),
        (STANDARD, ("2026-10-24T00:00:00Z", "2026-10-24T23:59:59Z"), same),
        (COMPUTED, DAY, same),
        (STANDARD, DAY, same | {"token": there.login("bea")["access_token"]}),
    ]
    for log, window, more in changed:
        refusal(there.get(log, *window, **more), "invalid_cursor")


def test_a_cursor_that_the_service_did_not_issue_is_refused(there: Live, token: str) -> None:
    cursor = there.get(STANDARD, *DAY, token=token).json()["cursor"]
    forged = [
        "",
        "x",
        "0",
        cursor[:-1],
        cursor + "A",
        cursor.swapcase(),
        "." + cursor,
        Cursors(lambda: b"another key" * 3).make(("ada",), 0),
        "\x00",
        "é",
    ]
    for each in forged:
        refusal(there.get(STANDARD, *DAY, token=token, cursor=each), "invalid_cursor")


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Windows:
    root = tmp_path_factory.mktemp("pages") / "archive"
    frame = records(STANDARD, "2026-10-24 21:30", 47)
    archive = el.Archive(root)
    archive.write(STANDARD, frame.drop(frame.index[[3, 4, 20]]), account="ada")
    return Windows(root)


@settings(max_examples=40)
@given(
    page_size=st.integers(1, 50),
    start=st.integers(0, 60),
    length=st.integers(0, 60),
    fields=st.sets(st.sampled_from(list(catalogue(STANDARD))), max_size=4),
)
def test_the_pages_of_a_range_add_up_to_the_range(
    windows: Windows, page_size: int, start: int, length: int, fields: set[str]
) -> None:
    first = pd.Timestamp("2026-10-24T21:20:00Z") + pd.Timedelta(start, "min")
    last = min(first + pd.Timedelta(length, "min"), pd.Timestamp("2026-10-24T23:59:59Z"))
    pairs = [("date_from", first.isoformat()), ("date_to", last.isoformat())]
    pairs += [("fields", ",".join(sorted(fields)))] if fields else []
    cursors = Cursors(lambda: b"k" * 32)

    def walk(size: int) -> list[dict[str, Any]]:
        pages: list[dict[str, Any]] = []
        while not pages or pages[-1]["cursor"]:
            more = [("cursor", pages[-1]["cursor"])] if pages else []
            query = parse_query(STANDARD, [*pairs, *more])
            body = answer(windows, "ada", query, cursors=cursors, page_size=size)
            pages.append(json.loads(body))
        return pages

    (whole,) = walk(1000)
    parts = walk(page_size)
    joined: dict[str, list[Any]] = {}
    for page in parts:
        for hour, listed in page[STANDARD].items():
            joined.setdefault(hour, []).extend(listed)
    assert joined == whole[STANDARD]
    assert list(joined) == list(whole[STANDARD])
    counts = [len(records_of(page, STANDARD)) for page in parts]
    assert all(count == page_size for count in counts[:-1])
    assert len(parts) == 1 or counts[-1] > 0


@given(cursor=st.text(max_size=80))
def test_random_text_is_never_a_cursor(cursor: str) -> None:
    with pytest.raises(Problem, match="did not issue the cursor"):
        Cursors(lambda: b"k" * 32).read(cursor, ("ada",))


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
