"""A sync requests what can have changed, keeps what came, and reports each day."""

import stat
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support import faulty, live
from support.logs import LOGS
from support.paged import Paged
from support.records import records
from support.syncing import END, SIXTY, START, ago, asked_days, client_of, files, states


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
