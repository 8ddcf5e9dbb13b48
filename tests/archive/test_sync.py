"""A sync requests what can have changed, keeps what came, and reports each day."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support import faulty, live
from support.logs import LOGS
from support.paged import Paged
from support.processes import killed_at
from support.records import records
from support.syncing import (
    END,
    FIFTEEN,
    SIXTY,
    START,
    ago,
    asked_days,
    client_of,
    files,
    ledger,
    states,
)


def logged_in(service: live.Live, home: Path, account: str, **options: Any) -> el.Client:
    application = el.Application(service.client_id, service.client_secret, service.redirect_uri)
    client = el.Client(service.url, application=application, account=account, home=home, **options)
    client.exchange(service.code(account))
    return client


def on_day(day: str, then: Callable[[faulty.Request], faulty.Answer], script: Paged) -> Any:
    """A script that answers one day in another way."""

    def answer(request: faulty.Request) -> faulty.Answer:
        return (then if request.query["date_from"].startswith(day) else script)(request)

    return answer


@pytest.mark.slow("a service is synced, served and fetched again")
def test_what_is_synced_and_served_again_is_fetched_equal(tmp_path: Path, home: Path) -> None:
    tz, first, last = "Europe/Berlin", "2024-10-26", "2024-10-27"  # the second has 25 hours
    wearers = {
        name: [el.simulate(first, 2, log=log, seed=seed, tz=tz) for log in LOGS]
        for seed, name in enumerate(["anna", "ben"])
    }
    original: dict[tuple[str, str], pd.DataFrame] = {}
    copy = el.Archive(tmp_path / "copy")
    with live.service(tmp_path / "original", wearers) as service:
        for name in wearers:
            with logged_in(service, home, name, tz=tz) as client:
                for log in LOGS:
                    report = copy.sync(client, log, first, last)
                    assert set(report["state"]) == {"fetched"}
                    original[name, log] = getattr(client, log)(first, last)
                    assert report["records"].sum() == len(original[name, log])
    with live.service(tmp_path / "copy", {name: [] for name in wearers}) as service:
        for name in wearers:
            with logged_in(service, home / "other", name, tz=tz) as client:
                for log in LOGS:
                    again = getattr(client, log)(first, last)
                    assert len(again) > 2000
                    assert_frame_equal(again, original[name, log])
                    assert_frame_equal(copy.read(log, first, last, account=name, tz=tz), again)
    assert not original["anna", SIXTY].equals(original["ben", SIXTY])


def test_no_secret_and_nothing_readable_by_others_is_left_in_the_archive(
    tmp_path: Path, home: Path, archive: el.Archive
) -> None:
    frame = records(SIXTY, "2024-03-01", 2000)
    with (
        live.service(tmp_path / "served", {"anna": [frame]}) as service,
        logged_in(service, home, "anna") as client,
    ):
        token = client.credentials.token
        assert token is not None
        archive.sync(client, SIXTY, "2024-03-01", "2024-03-03")
        secrets = [service.client_secret, token.access_token, str(token.refresh_token)]
    kept = [path for path in Path(archive.path).rglob("*") if path.is_file()]
    assert len(kept) == 4  # the month, the list, the ledger, the lock
    for path in kept:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert not any(secret.encode() in path.read_bytes() for secret in secrets)
    for path in (each for each in Path(archive.path).rglob("*") if each.is_dir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.usefixtures("within_one_hour")
def test_a_recent_day_is_requested_again_and_replaced_whole(
    home: Path, archive: el.Archive
) -> None:
    day, before = ago(2), ago(20)
    script = Paged(size=50, holds=lambda stamp: stamp.hour < 12)
    with faulty.server(script) as there:
        client = client_of(there, home)
        archive.sync(client, SIXTY, before, before)
        assert archive.sync(client, SIXTY, day, day)["records"].tolist() == [12]
        same = archive.sync(client, SIXTY, before, day)
        assert states(same)[before] == states(same)[day] == "unchanged"
        assert same.set_index("day")["asked"][[before, day]].tolist() == [False, True]
        # The phone has synced: more hours, other values, and one record is no longer there.
        script.holds = lambda stamp: stamp.hour != 3
        script.value = lambda *_: 7.0
        grown = archive.sync(client, SIXTY, day, day).iloc[0]
    assert (grown["state"], grown["records"], grown["removed"]) == ("fetched", 23, 1)
    found = archive.read(SIXTY, day, day)
    assert found.index.hour.tolist() == [hour for hour in range(24) if hour != 3]
    assert set(found["stp_s"]) == {7.0}
    assert len(archive.read(SIXTY, before, before)) == 12


@pytest.mark.usefixtures("within_one_hour")
def test_replacing_a_day_leaves_the_midnight_that_closes_it_to_the_next_day(
    home: Path, archive: el.Archive
) -> None:
    day, after = ago(3), ago(2)
    script = Paged(size=50, every=3 * 3600)
    with faulty.server(script) as there:
        client = client_of(there, home, tz="Asia/Tokyo")
        archive.sync(client, SIXTY, day, after)
        script.holds = lambda stamp: stamp.hour not in (0, 3)
        report = archive.sync(client, SIXTY, day, day)
    assert report[["records", "removed"]].iloc[0].tolist() == [6, 2]
    found = archive.read(SIXTY, day, after, tz="Asia/Tokyo")
    wanted = pd.date_range(day, periods=16, freq="3h", tz="Asia/Tokyo")[2:]
    assert found.index.tolist() == wanted.tolist()


@pytest.mark.usefixtures("within_one_hour")
def test_days_to_come_and_days_the_zone_skipped_are_not_requested(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    with client_of(there, home, tz="Pacific/Apia") as client:
        skipped = archive.sync(client, SIXTY, "2011-12-29", "2011-12-31")
        assert skipped["state"].tolist() == ["fetched", "empty", "fetched"]
        assert skipped["reason"].tolist() == ["", "the zone skipped this day", ""]
        assert len(archive.sync(client, SIXTY, "2011-12-30", "2011-12-30")) == 0
        future = archive.sync(client, SIXTY, ago(1), ago(-9)).set_index("day")
    assert future.loc[ago(-5), ["state", "asked"]].tolist() == ["empty", False]
    assert future.loc[ago(-5), "reason"] == "it has not begun"
    assert future.loc[ago(1), "state"] == "fetched"
    assert max(asked_days(there)) <= ago(-1)


def test_imported_records_stay_beside_those_of_the_first_sync(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    imported = records(SIXTY, "2024-03-01 00:30", 3).iloc[[0, 2]]
    archive.write(SIXTY, imported, account="me")
    report = archive.sync(client_of(there, home), SIXTY, START, START)
    assert report[["state", "records", "removed"]].iloc[0].tolist() == ["fetched", 24, 0]
    found = archive.read(SIXTY, START, START)
    assert len(found) == 26
    assert_frame_equal(found.loc[imported.index], imported)


@pytest.mark.usefixtures("within_one_hour")
def test_an_answer_without_records_removes_nothing(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    day = ago(1)
    archive.sync(client_of(there, home), SIXTY, day, day)
    before = files(archive)
    there.script = Paged(holds=lambda _: False)
    row = archive.sync(client_of(there, home), SIXTY, day, day).iloc[0]
    assert (row["state"], row["records"], row["removed"]) == ("empty", 0, 0)
    assert row["reason"] == "the 24 record(s) of the archive are kept"
    assert files(archive) == before


def test_one_failed_day_does_not_lose_the_others_and_is_requested_next(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    whole = there.script
    fault = faulty.error(500, "broken", "the record is broken", retry_after="0")
    bad = on_day("2024-03-04", lambda _: faulty.html(), Paged(size=50))
    there.script = on_day("2024-03-02", lambda _: fault, bad)
    report = archive.sync(client_of(there, home), SIXTY, START, END).set_index("day")
    failed = ["2024-03-02", "2024-03-04"]
    assert report.index[report["state"] == "failed"].tolist() == failed
    assert report.loc[failed, "records"].isna().all()
    assert "500 Internal Server Error" in report.loc["2024-03-02", "reason"]
    assert "HTML" in report.loc["2024-03-04", "reason"]
    assert not report["reason"].str.contains("\n").any()
    assert len(archive.read(SIXTY, START, END)) == 3 * 24
    there.script = whole
    since = there.count()
    assert archive.sync(client_of(there, home), SIXTY, START, END)["records"].sum() == 5 * 24
    assert asked_days(there, since) == failed


@pytest.mark.parametrize("workers", [1, 4])
def test_a_token_that_ends_stops_at_once_and_keeps_what_came(
    home: Path, archive: el.Archive, workers: int
) -> None:
    paged = Paged(size=50)

    def script(request: faulty.Request) -> faulty.Answer:
        over = request.query.get("date_from", "") >= "2024-03-04"
        return faulty.error(401, "invalid_token") if over else paged(request)

    with faulty.server(script) as there:
        client = client_of(there, home, workers=workers)
        with pytest.raises(el.AuthorizationError, match="eyelog login"):
            archive.sync(client, SIXTY, START, "2024-03-20")
        assert len(set(asked_days(there))) <= 3 + workers
        there.script = paged
        report = archive.sync(client, SIXTY, START, "2024-03-20")
    assert report["asked"].tolist() == [False] * 3 + [True] * 17


def test_what_cannot_work_is_an_error_before_any_request(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    with pytest.raises(el.ConfigurationError, match="offline"):
        archive.sync(client_of(there, home, offline=True), SIXTY, START, END)
    with pytest.raises(el.ConfigurationError, match="did you mean"):
        archive.sync(client_of(there, home), "computed", START, END)
    with pytest.raises(el.ConfigurationError, match="starts after it ends"):
        archive.sync(client_of(there, home), SIXTY, END, START)
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        archive.sync(client_of(there, home, token=None), SIXTY, START, END)
    assert there.count() == 0
    assert not Path(archive.path).exists()


def test_a_place_that_cannot_be_written_is_a_one_line_error(
    there: faulty.Server, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(el.ArchiveError, match="file") as caught:
        el.Archive(tmp_path / "file" / "archive").sync(client_of(there, home), SIXTY, START, END)
    assert "\n" not in str(caught.value)


def test_stamps_outside_the_asked_days_are_kept_with_a_warning(
    home: Path, archive: el.Archive
) -> None:
    stray = {SIXTY: {"9": [{"date": "2023-01-01T09:00:00Z", "stp_s": 5}]}, "cursor": None}
    outside = pytest.warns(el.EyelogWarning, match=r"1 record\(s\) with a stamp outside")
    with faulty.server(faulty.answer(stray)) as there, outside:
        report = archive.sync(client_of(there, home), SIXTY, START, START)
    assert report["state"].tolist() == ["empty"]
    assert len(archive.read(SIXTY, "2023-01-01", "2023-01-01")) == 1


def test_what_every_month_repeats_is_said_once_and_no_filter_of_warnings_changes(
    home: Path, archive: el.Archive
) -> None:
    script, during = Paged(), []

    def novel(request: faulty.Request) -> faulty.Answer:
        during.append(list(warnings.filters))  # those that all threads share
        given = script(request)
        return replace(given, body=given.body.replace(b'"stp_s"', b'"novel"'))

    with faulty.server(novel) as there, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        archive.sync(client_of(there, home), SIXTY, "2024-03-30", "2024-04-07")
    said = [str(each.message) for each in caught]
    assert [text for text in said if "novel" in text] == said
    assert len(said) == 1
    assert during == [before] * len(during)


# Days that were brought are noted per service and zone, and requested again only when due


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


# A sync survives kills, interrupts and company: real processes, a real socket


posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


SYNCING = """
import sys
import eyelog as el
url, home, archive, log, start, end = sys.argv[1:]
client = el.Client(url, application=None, token=el.Token("access-token-of-tests"), home=home)
el.Archive(archive).sync(client, log, start, end)
"""


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SYNCING, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.002)


@posix
@pytest.mark.parametrize(
    "kills", [2, pytest.param(4, marks=pytest.mark.slow("a process is killed at many moments"))]
)
def test_a_sync_killed_at_any_moment_continues_where_it_was(
    tmp_path: Path, archive: el.Archive, kills: int
) -> None:
    days = [str(date(2023, 1, 1) + timedelta(days=n)) for n in range(24 * kills)]
    arguments = (str(tmp_path / "home"), archive.path, FIFTEEN, days[0], days[-1])
    with faulty.server(Paged(size=50)) as there:
        for n in range(kills):
            noted = _noted(archive)
            since = there.count()
            # The first four days are written at once, and then a month at a time.
            assert killed_at((33, 12, 20, 8)[n], SYNCING, there.url, *arguments)
            assert not set(asked_days(there, since)) & noted, "a day that was noted is asked again"
            assert noted <= _noted(archive)
            assert n == 0 or noted, "no kill came after a chunk: the test shows nothing"
            assert len(archive.verify()) == 0
            if _noted(archive):
                held = archive.read(FIFTEEN, days[0], days[-1])
                counts = Counter(held.index.strftime("%Y-%m-%d"))
                assert {counts[day] for day in _noted(archive)} == {24}
        assert not killed_at(10_000, SYNCING, there.url, *arguments)
    with faulty.server(Paged(size=50)) as there:
        other = el.Archive(tmp_path / "other")
        other.sync(client_of(there, tmp_path / "home"), FIFTEEN, days[0], days[-1])
    assert [body for body, _ in files(archive).values()] == [
        body for body, _ in files(other).values()
    ]
    assert not list(Path(archive.path).rglob("*.tmp"))


def _noted(archive: el.Archive) -> set[str]:
    path = ledger(archive, FIFTEEN)
    sources = json.loads(path.read_text()) if path.exists() else {}
    return {day for days in sources.values() for day in days}


@posix
def test_an_interrupt_keeps_the_days_that_came(tmp_path: Path, archive: el.Archive) -> None:
    paged = Paged(size=50)

    def script(request: faulty.Request) -> faulty.Answer:
        late = request.query["date_from"] >= "2024-03-15"
        return faulty.slow({}, 60) if late else paged(request)

    with faulty.server(script) as there:
        child = start(there.url, str(tmp_path / "home"), archive.path, SIXTY, START, "2024-03-30")
        wait_for(lambda: there.count() >= 15)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
        assert "KeyboardInterrupt" in errors
        there.script = paged
        sources = json.loads(ledger(archive).read_text())
        assert 4 <= len(next(iter(sources.values()))) < 30
        report = archive.sync(client_of(there, tmp_path / "home"), SIXTY, START, "2024-03-30")
    assert report["asked"].sum() == 30 - len(next(iter(sources.values())))


@pytest.mark.slow("processes race")
def test_two_that_sync_at_once_lose_nothing(tmp_path: Path, archive: el.Archive) -> None:
    home = str(tmp_path / "home")
    with faulty.server(Paged(size=50)) as there:
        both = [
            start(there.url, home, archive.path, FIFTEEN, start_day, end_day)
            for start_day, end_day in (("2024-03-01", "2024-03-24"), ("2024-03-10", "2024-04-05"))
        ]
        for each in both:
            _, errors = each.communicate(timeout=60)
            assert (each.returncode, errors) == (0, "")
        client = client_of(there, tmp_path / "home")
        report = archive.sync(client, FIFTEEN, "2024-03-01", "2024-04-05")
    assert not report["asked"].any()
    assert len(archive.read(FIFTEEN, "2024-03-01", "2024-04-05")) == 36 * 24


def test_a_sync_holds_one_month_whatever_its_length(tmp_path: Path, archive: el.Archive) -> None:
    paged, written = Paged(size=50), dict[str, int]()

    def script(request: faulty.Request) -> faulty.Answer:
        month = request.query["date_from"][:7]
        written.setdefault(month, len(list(Path(archive.path).rglob("*.parquet"))))
        return paged(request)

    with faulty.server(script) as there:
        client = client_of(there, tmp_path / "home")
        archive.sync(client, FIFTEEN, "2023-01-01", "2023-04-30")
    assert list(written.values()) == [0, 1, 2, 3]  # when the first day of each was asked for
