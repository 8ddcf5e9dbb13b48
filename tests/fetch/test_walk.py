"""A walk follows the cursor to its end, or raises; days go side by side."""

import itertools
import json
import tempfile
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.fetch.client import Stopped, side_by_side
from support import faulty
from support.fetching import client_of

LOG = "standard_mode_logs"
BEGIN = datetime(2026, 10, 23, 15, tzinfo=UTC)
homes = itertools.count()


def record(minute: int, value: float) -> dict[str, Any]:
    return {"date": (BEGIN + timedelta(minutes=minute)).isoformat(), "stp_s": value}


def body(records: list[dict[str, Any]], cursor: object = None, hour: int = 0) -> bytes:
    return json.dumps({LOG: {str(hour): records}, "cursor": cursor}).encode()


class Script:
    """Answers in order, the last one again and again; keeps what was asked."""

    def __init__(self, *bodies: bytes) -> None:
        self.bodies = list(bodies)
        self.asked: list[dict[str, str]] = []

    def __call__(self, request: faulty.Request) -> faulty.Answer:
        self.asked.append(request.query)
        return faulty.Answer(200, self.bodies[min(len(self.asked), len(self.bodies)) - 1])


def walked(script: Script, home: Path, *, fields: Sequence[str] = ("stp_s",)) -> pd.DataFrame:
    with (
        faulty.server(script) as there,
        client_of(there, home / str(next(homes)), tz="Asia/Tokyo", account="anna") as client,
    ):
        return client.standard_mode_logs("2026-10-24", "2026-10-24", fields=fields)


@pytest.mark.parametrize(
    "end", [{"cursor": None}, {"cursor": ""}, {}], ids=["null", "empty", "missing"]
)
def test_a_walk_ends_at_a_null_an_empty_or_no_cursor(home: Path, end: dict[str, Any]) -> None:
    script = Script(
        body([record(1, 1)], "a"), json.dumps({LOG: {"0": [record(2, 2)]}, **end}).encode()
    )
    assert walked(script, home)["stp_s"].tolist() == [1.0, 2.0]
    assert len(script.asked) == 2


def test_all_parameters_but_the_cursor_stay_the_same_along_a_walk(home: Path) -> None:
    script = Script(body([], "a"), body([], "b+/="), body([]))
    walked(script, home, fields=["stp_s", "bl"])
    steady = {
        "date_from": "2026-10-24T00:00:00+09:00",
        "date_to": "2026-10-24T23:59:59+09:00",
        "fields": "date,stp_s,bl",
    }
    assert script.asked == [steady, {**steady, "cursor": "a"}, {**steady, "cursor": "b+/="}]
    assert list(script.asked[1])[:-1] == list(script.asked[0])


def test_an_empty_page_with_a_new_cursor_goes_on(home: Path) -> None:
    script = Script(body([], "a"), body([], "b"), body([record(1, 7)]))
    assert walked(script, home)["stp_s"].tolist() == [7.0]


def test_three_empty_pages_in_a_row_with_new_cursors_end_the_walk_with_an_error(home: Path) -> None:
    script = Script(body([], "a"), body([], "b"), body([], "c"), body([record(1, 7)]))
    with pytest.raises(el.AnswerError, match=r"page 3: 3 empty pages in a row.*operator"):
        walked(script, home)
    assert len(script.asked) == 3


def test_empty_pages_that_are_not_in_a_row_do_not_end_a_walk(home: Path) -> None:
    empty = [body([], "a"), body([], "b")]
    script = Script(*empty, body([record(1, 7)], "c"), body([], "d"), body([], "e"), body([]))
    assert walked(script, home)["stp_s"].tolist() == [7.0]


def test_a_walk_of_more_than_500_pages_ends_with_an_error(home: Path) -> None:
    script = Script(*(body([record(n % 1440, n)], f"c{n}") for n in range(600)))
    with pytest.raises(el.AnswerError, match="no end after 500 pages"):
        walked(script, home)
    assert len(script.asked) == 500


@pytest.mark.parametrize("cursors", [["a"], ["a", "b", "a"], ["a", "b", "b"]])
def test_a_cursor_that_comes_again_raises(home: Path, cursors: list[str]) -> None:
    script = Script(*(body([record(1, 1)], cursor) for cursor in cursors))
    with pytest.raises(el.AnswerError, match=r"account 'anna', 2026-10-24T00.*repeats a cursor"):
        walked(script, home)
    assert len(script.asked) <= len(cursors) + 1


def test_a_page_that_is_no_answer_raises_and_says_which_page(home: Path) -> None:
    script = Script(body([record(1, 1)], "a"), b"<html>")
    with pytest.raises(el.AnswerError, match=r"account 'anna'.* to 2026-10-24T23.*, page 2"):
        walked(script, home)


@st.composite
def walks(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Records in the order of their pages, and pages that hold them: hours in any order.

    Three empty pages in a row, which end a walk, do not occur: a cut repeats at most twice.
    """
    minutes = draw(st.lists(st.integers(0, 1439), max_size=30, unique=True))
    values = draw(st.lists(st.integers(0, 60), min_size=len(minutes), max_size=len(minutes)))
    records = [record(minute, value) for minute, value in zip(minutes, values, strict=True)]
    cuts = sorted(draw(st.lists(st.integers(0, len(records)), max_size=3, unique=True)) * 2)
    edges = [0, *cuts, len(records)]
    pages = []
    for n, (low, high) in enumerate(pairwise(edges)):
        hours = {str(hour): [each] for hour, each in enumerate(records[low:high])}
        order = draw(st.permutations(sorted(hours)))
        cursor = f"c{n}" if n < len(edges) - 2 else None
        pages.append(json.dumps({LOG: {key: hours[key] for key in order}, "cursor": cursor}))
    return records, [page.encode() for page in pages]


@given(walk=walks())
@settings(max_examples=15)
def test_a_paged_walk_equals_one_page_whatever_the_cuts_and_the_order_of_hours(
    walk: tuple[list[dict[str, Any]], list[bytes]],
) -> None:
    records, pages = walk
    with tempfile.TemporaryDirectory() as folder:
        found = walked(Script(*pages), Path(folder))
        assert_frame_equal(found, walked(Script(body(records)), Path(folder)))
    expected = {each["date"]: each["stp_s"] for each in records}
    assert len(found) == len(expected)
    assert found.index.is_monotonic_increasing
    for stamp, value in expected.items():
        assert found.loc[stamp, "stp_s"] == value


def test_results_come_in_the_order_of_the_tasks_whichever_ends_first() -> None:
    def work(n: int, _: threading.Event) -> int:
        time.sleep(0.02 * (5 - n))
        return n * n

    calls: list[int] = []
    found = side_by_side(range(5), work, workers=5, done=lambda _: calls.append(1))
    assert found == [0, 1, 4, 9, 16]
    assert len(calls) == 5
    assert side_by_side([], work, workers=3) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_tasks_run_at_once_than_there_are_workers(workers: int) -> None:
    guard = threading.Lock()
    running = [0, 0]

    def work(_: int, __: threading.Event) -> None:
        with guard:
            running[0] += 1
            running[1] = max(running)
        time.sleep(0.01)
        with guard:
            running[0] -= 1

    side_by_side(range(12), work, workers=workers)
    assert running == [0, workers]


def test_the_first_error_ends_all_and_nothing_more_is_begun() -> None:
    begun: list[int] = []
    stopped = threading.Event()

    def work(n: int, stop: threading.Event) -> None:
        begun.append(n)
        if n == 1:
            raise el.ServerFault("the service failed")
        if stop.wait(5):
            stopped.set()
            raise Stopped

    with pytest.raises(el.ServerFault, match="the service failed"):
        side_by_side(range(50), work, workers=3)
    assert stopped.wait(5)
    assert len(begun) <= 3
