"""Days that were brought are noted per service and zone, and requested again only when due."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsspec
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support import faulty
from support.paged import Paged
from support.syncing import (
    END,
    SIXTY,
    START,
    asked_days,
    client_of,
    files,
    ledger,
    states,
)


def test_settled_days_are_requested_once(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    first = archive.sync(client_of(there, home), SIXTY, START, END)
    assert first["state"].tolist() == ["fetched"] * 5
    assert first["records"].tolist() == [24] * 5
    assert first["asked"].all()
    before = files(archive)
    again = archive.sync(client_of(there, home), SIXTY, "2024-02-29", END)
    assert states(again) == {"2024-02-29": "fetched", **dict.fromkeys(states(first), "unchanged")}
    assert again["asked"].tolist() == [True] + [False] * 5
    assert asked_days(there) == ["2024-02-29", *states(first)]
    assert before.items() <= files(archive).items()


def test_days_without_records_are_noted_and_requested_again_after_an_hour(
    home: Path, archive: el.Archive
) -> None:
    script = Paged(size=50, holds=lambda stamp: stamp.day == 3)
    with faulty.server(script) as there:
        client = client_of(there, home)
        first = archive.sync(client, SIXTY, START, END)
        assert states(first)["2024-03-03"] == "fetched"
        assert list(states(first).values()).count("empty") == 4
        again = archive.sync(client, SIXTY, START, END)
        assert (again["asked"].any(), again["records"].sum(), there.count()) == (False, 24, 5)
        assert again["reason"].str.contains("it had no record at").sum() == 4
        asked = datetime.now(UTC) - timedelta(hours=1, minutes=1)
        sources = json.loads(ledger(archive).read_text())
        for noted in next(iter(sources.values())).values():
            noted[0] = asked.isoformat()
        ledger(archive).write_text(json.dumps(sources))
        script.holds = lambda _: True
        grown = archive.sync(client, SIXTY, START, END)
        assert there.count() == 9
    assert Counter(states(grown).values()) == {"fetched": 4, "unchanged": 1}


def test_a_day_of_another_zone_or_service_is_another_day(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    archive.sync(client_of(there, home), SIXTY, "2024-02-29", "2024-03-06")
    before = files(archive)
    report = archive.sync(client_of(there, home, tz="Asia/Tokyo"), SIXTY, START, END)
    assert (report["asked"].all(), set(report["state"])) == (True, {"unchanged"})
    with faulty.server(Paged(size=50)) as other:
        assert archive.sync(client_of(other, home), SIXTY, START, END)["asked"].all()
    assert files(archive) == before
    assert not archive.sync(client_of(there, home), SIXTY, START, END)["asked"].any()


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": {"2024-03-01": ["x"]}}', b"\xff"])
def test_a_damaged_ledger_costs_only_requests(
    there: faulty.Server, home: Path, archive: el.Archive, body: bytes
) -> None:
    archive.sync(client_of(there, home), SIXTY, START, END)
    before = files(archive)
    ledger(archive).write_bytes(body)
    with pytest.warns(el.EyelogWarning, match="damaged, so the days noted in it are requested"):
        report = archive.sync(client_of(there, home), SIXTY, START, END)
    assert (report["asked"].all(), set(report["state"])) == (True, {"unchanged"})
    assert files(archive) == before
    assert not archive.sync(client_of(there, home), SIXTY, START, END)["asked"].any()


@pytest.mark.usefixtures("within_one_hour")
def test_a_note_from_the_future_is_not_trusted(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    archive.sync(client_of(there, home), SIXTY, START, START)
    text = ledger(archive).read_text()
    year = str(datetime.now(UTC).year)
    ledger(archive).write_text(text.replace(f'["{year}', '["2300'))
    assert archive.sync(client_of(there, home), SIXTY, START, START)["asked"].all()


def test_a_month_that_was_deleted_is_requested_again(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    archive.sync(client_of(there, home), SIXTY, "2024-02-28", "2024-03-02")
    whole = archive.read(SIXTY, "2024-02-28", "2024-03-02")
    (path,) = (each for each in files(archive) if "2024-02" in str(each))
    path.unlink()
    report = archive.sync(client_of(there, home), SIXTY, "2024-02-28", "2024-03-02")
    assert list(states(report).values()) == ["failed", "failed", "unchanged", "unchanged"]
    assert archive.repair()["sync_again"].tolist() == ["2024-02-28 to 2024-02-29"]
    report = archive.sync(client_of(there, home), SIXTY, "2024-02-28", "2024-03-02")
    assert list(states(report).values()) == ["fetched", "fetched", "unchanged", "unchanged"]
    assert_frame_equal(archive.read(SIXTY, "2024-02-28", "2024-03-02"), whole)


def test_an_archive_in_memory_is_synced_and_remembers(there: faulty.Server, home: Path) -> None:
    place = el.Archive("memory://synced")
    try:
        assert place.sync(client_of(there, home), SIXTY, START, END)["records"].sum() == 120
        assert not place.sync(client_of(there, home), SIXTY, START, END)["asked"].any()
        assert len(place.read(SIXTY, START, END)) == 120
    finally:
        fsspec.filesystem("memory").rm("/synced", recursive=True)
