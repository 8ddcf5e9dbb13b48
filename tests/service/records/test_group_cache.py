"""A row group is decoded once for the days that are cut from it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyelog.archive.store import Archive
from eyelog.catalogue import columns
from eyelog.service.records import group_cache
from eyelog.service.records.group_cache import GroupCache
from eyelog.service.records.query import parse_query
from eyelog.service.records.windows import Windows
from support import live
from support.live import STANDARD
from support.records import records

OF_EIGHT = pa.table({"a": [1.0]})


def test_threads_that_want_one_table_have_it_read_once():
    groups, reads, begun = GroupCache(), [], threading.Event()

    def read():
        reads.append(1)
        begun.wait(0.2)
        return OF_EIGHT

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: groups.get("k", read), range(8)))
    assert len(reads) == 1
    assert all(table is OF_EIGHT for table in found)


def test_an_error_is_raised_and_not_kept():
    groups = GroupCache()

    def fails():
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        groups.get("k", fails)
    assert groups.get("k", lambda: OF_EIGHT) is OF_EIGHT


def test_what_was_asked_for_longest_ago_goes_first(monkeypatch):
    monkeypatch.setattr(group_cache, "_KEPT_BYTES", 2 * OF_EIGHT.nbytes)
    groups, reads = GroupCache(), []
    for key in ("a", "b", "a", "c", "a", "b"):
        groups.get(key, lambda key=key: reads.append(key) or OF_EIGHT)
    assert reads == ["a", "b", "c", "b"]
    assert groups._bytes == 2 * OF_EIGHT.nbytes


def test_processes_share_the_memory(monkeypatch):
    monkeypatch.setattr(group_cache, "_KEPT_BYTES", 4 * OF_EIGHT.nbytes)
    groups = GroupCache(processes=2)
    for key in "abc":
        groups.get(key, lambda: OF_EIGHT)
    assert list(groups._kept) == ["b", "c"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("groups") / "a"
    frame = records(STANDARD, "2026-09-30", 1600)
    every = pd.date_range("2026-09-30", periods=1600, freq="30min", tz="UTC", name="date")
    frames = [frame.set_axis(every.as_unit("us"))]
    live.make(path, {"ada": frames})
    return path, Windows(path), Archive(path)


@settings(max_examples=25, deadline=None)
@given(
    hours=st.integers(0, 60 * 24),
    offset=st.integers(-12, 14),
    seconds=st.tuples(st.integers(0, 86_399), st.integers(0, 86_399)),
)
def test_a_window_has_the_records_of_the_archive_wherever_groups_end(
    archive, hours, offset, seconds
):
    _, windows, whole = archive
    day = datetime(2026, 9, 29, tzinfo=UTC) + timedelta(hours=hours)
    edges = [
        f"{day:%Y-%m-%d}T{timedelta(seconds=s)!s:0>8}{offset:+03d}:00" for s in sorted(seconds)
    ]
    query = parse_query(STANDARD, list(zip(("date_from", "date_to"), edges, strict=True)))
    found = windows.read(query, "ada")
    expected = whole.read_arrow(
        STANDARD, query.start, query.end, account="ada", fields=columns(STANDARD)
    )
    assert found.combine_chunks().equals(expected.combine_chunks())
