"""A row group is decoded once for the days that are cut from it."""

from datetime import UTC, datetime, timedelta

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog_service.records import PieceCache, Windows, parse_query
from support import live
from support.live import STANDARD
from support.logs import columns
from support.records import records

OF_EIGHT = pa.table({"a": [1.0]})


def test_processes_share_the_memory(monkeypatch):
    monkeypatch.setattr("eyelog_service.records._KEPT_BYTES", 4 * OF_EIGHT.nbytes)
    groups = PieceCache(processes=2)
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
    return path, Windows(path), el.Archive(path)


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


def test_what_the_service_keeps_is_bounded_by_bytes(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("eyelog_service.records._KEPT_BYTES", 300_000)
    frames = [records(STANDARD, f"2026-10-{day:02} 00:01", 200) for day in range(1, 26)]
    live.make(tmp_path / "a", {"ada": frames})
    windows = Windows(tmp_path / "a")
    for day in range(1, 26):
        edges = f"2026-10-{day:02}T00:00:00Z", f"2026-10-{day:02}T23:59:59Z"
        pairs = list(zip(("date_from", "date_to"), edges, strict=True))
        assert len(windows.read(parse_query(STANDARD, pairs), "ada")) == 200
        assert windows._pieces._bytes <= 300_000
    assert 1 <= len(windows._pieces._kept) < 7
