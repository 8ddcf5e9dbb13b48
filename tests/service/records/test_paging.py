"""One page after the other: the shape of an answer, and the cursor of the next page."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, catalogue, columns
from eyelog.frame import empty
from eyelog.service.records.paging import Cursors, answer
from eyelog.service.records.query import parse_query
from eyelog.service.records.windows import Windows
from eyelog.service.responses import Problem
from eyelog.service.server import running
from support import live
from support.live import COMPUTED, STANDARD, Live
from support.records import records
from support.replies import DAY, records_of, refusal


@pytest.mark.parametrize("log", LOGS)
def test_an_answer_has_the_documented_shape(there: Live, token: str, log: str) -> None:
    body = there.get(log, *DAY, token=token).json()
    assert list(body) == [log, "cursor"]
    assert isinstance(body["cursor"], str)
    for hour, listed in body[log].items():
        assert hour == str(int(hour))
        for record in listed:
            assert int(record["date"][11:13]) == int(hour)
            assert list(record) == list(catalogue(log))


@pytest.mark.parametrize("log", LOGS)
def test_every_value_has_the_type_of_its_field_or_is_null(
    there: Live, token: str, log: str
) -> None:
    kinds = {"int": (int, float), "float": (int, float), "bool": bool, "str": str}
    seen = set()
    for page in there.walk(log, *DAY, token=token):
        for record in records_of(page, log):
            for name, field in catalogue(log).items():
                if name != "date" and record[name] is not None:
                    assert isinstance(record[name], kinds[field.value_type]), (name, record[name])
                    assert isinstance(record[name], bool) == (field.value_type == "bool")
                    seen.add(name)
    assert seen == set(columns(log))


def test_archived_records_are_returned_value_for_value(there: Live, token: str) -> None:
    made = records(COMPUTED, "2026-10-24 00:00:15", 720)
    got = [
        r for page in there.walk(COMPUTED, *DAY, token=token) for r in records_of(page, COMPUTED)
    ]
    assert [r["date"] for r in got] == [stamp.isoformat() for stamp in made.index]
    for name in columns(COMPUTED):
        wanted = [None if pd.isna(value) else value for value in made[name]]
        assert [r[name] for r in got] == wanted, name


def test_whole_numbers_are_written_whole_and_no_number_is_nan(tmp_path: Path) -> None:
    frame = empty(STANDARD).reindex(
        pd.date_range("2026-10-24 10:00", periods=4, freq="min", tz="UTC", name="date")
    )
    frame["bl"] = [5.0, np.nan, 2.5, -0.0]
    frame["tl_xav"] = [5.0, np.nan, 0.1 + 0.2, -1e-7]
    frame["st_r"] = [np.inf, -np.inf, 1e300, 1.0]
    with live.service(tmp_path / "a", {"ada": [frame]}) as there:
        text = there.get(
            STANDARD, *DAY, token=there.login("ada")["access_token"], fields="bl,tl_xav,st_r"
        ).text
    assert text == (
        '{"standard_mode_logs":{"10":['
        '{"bl":5,"st_r":null,"tl_xav":5.0},'
        '{"bl":null,"st_r":null,"tl_xav":null},'
        '{"bl":2.5,"st_r":1e300,"tl_xav":0.30000000000000004},'
        '{"bl":0,"st_r":1.0,"tl_xav":-1e-7}]},"cursor":null}'
    )


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


@pytest.mark.parametrize("log", LOGS)
def test_no_data_is_an_empty_object_and_no_cursor(there: Live, token: str, log: str) -> None:
    nothing = {log: {}, "cursor": None}
    for day in ("2020-01-01", "0002-01-01", "1969-12-31", "9998-12-31"):
        window = f"{day}T00:00:00+14:00", f"{day}T23:59:59+14:00"
        assert there.get(log, *window, token=token).json() == nothing
    newcomer = there.login("nobody")["access_token"]
    assert there.get(log, *DAY, token=newcomer).json() == nothing


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


def test_the_last_page_has_no_cursor_even_if_it_is_full(there: Live, token: str) -> None:
    window = ("2026-10-24T00:01:00Z", "2026-10-24T01:40:00Z")  # 100 records: one page
    body = there.get(STANDARD, *window, token=token).json()
    assert (len(records_of(body, STANDARD)), body["cursor"]) == (100, None)
    longer = there.get(STANDARD, window[0], "2026-10-24T01:41:00Z", token=token).json()
    assert len(records_of(longer, STANDARD)) == 100
    assert longer["cursor"]


def test_a_cursor_needs_no_escaping_in_an_address(there: Live, token: str) -> None:
    cursor = there.get(STANDARD, *DAY, token=token).json()["cursor"]
    assert requests.utils.quote(cursor, safe="") == cursor


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


def test_a_cursor_survives_a_new_token_and_a_restart(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}, page_size=20) as there:
        tokens = there.login("ada")
        cursor = there.get(STANDARD, *DAY, token=tokens["access_token"]).json()["cursor"]
    with running(tmp_path / "a", page_size=20) as url:
        again = live.Live(url, there.archive, there.registry, there.client_id, there.client_secret)
        token = again.refresh(tokens["refresh_token"]).json()["access_token"]
        page = again.get(STANDARD, *DAY, token=token, cursor=cursor)
    assert len(records_of(page.json(), STANDARD)) == 10


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Windows:
    root = tmp_path_factory.mktemp("pages") / "archive"
    frame = records(STANDARD, "2026-10-24 21:30", 47)
    archive = Archive(root)
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
        Archive(there.archive).write(STANDARD, frame.loc[late], account="ada")
        dates = [r["date"] for r in records_of(first, STANDARD)]
        cursor = first["cursor"]
        while cursor:
            page = there.get(STANDARD, *DAY, token=token, cursor=cursor).json()
            dates += [r["date"] for r in records_of(page, STANDARD)]
            cursor = page["cursor"]
    # Of the late ones, those behind the reader are missed, those ahead are there; none twice.
    wanted = frame.drop(late[:2]).index
    assert dates == [stamp.isoformat() for stamp in wanted]
