"""The zones of a wearer: the table, the offsets of stamps, and the days of the wearer's clock."""

import copy
import pickle
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.clock import (
    as_tzinfo,
    instant_range,
    known_zones,
    windows,
    zones_of_offsets,
)

TRIP = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])


def stamps(*texts: str) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(pd.to_datetime(list(texts), utc=True))


def test_a_date_holds_from_its_midnight_in_the_new_zone() -> None:
    index = stamps("2026-10-22T03:59:59Z", "2026-10-22T04:00:00Z", "2026-10-22T04:00:01Z")
    assert TRIP.offset_min(index).tolist() == [540.0, 540.0, -240.0]


def test_an_instant_holds_from_that_instant() -> None:
    zones = el.Zones([("", "Asia/Tokyo"), ("2026-10-21T18:00:00-04:00", "America/New_York")])
    index = stamps("2026-10-21T22:00:00Z", "2026-10-21T22:00:01Z")
    assert zones.offset_min(index).tolist() == [540.0, -240.0]


def test_the_first_zone_also_holds_before_its_date() -> None:
    zones = el.Zones([("2026-10-20", "Asia/Tokyo"), ("2026-10-22", "Asia/Seoul")])
    assert zones.offset_min(stamps("2020-01-01T00:00:00Z")).tolist() == [540.0]
    assert zones.home == "Asia/Tokyo"


SINCE = [None, "2026-10-22"]
NAMES = ["Asia/Tokyo", "America/New_York"]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"from": SINCE, "tz": NAMES}),
        pd.DataFrame({"from": pd.to_datetime(SINCE), "tz": NAMES}),
        [(None, NAMES[0]), (date(2026, 10, 22), NAMES[1])],
        TRIP,
        TRIP.to_frame(),
    ],
)
def test_every_way_of_writing_the_same_zones_gives_equal_zones(table) -> None:
    zones = el.Zones(table)
    assert zones == TRIP
    assert hash(zones) == hash(TRIP)


def test_zones_survive_copies_and_processes_and_cannot_be_changed() -> None:
    assert pickle.loads(pickle.dumps(TRIP)) == copy.deepcopy(TRIP) == TRIP
    assert as_tzinfo(pickle.loads(pickle.dumps(TRIP))) == as_tzinfo(TRIP)
    with pytest.raises(AttributeError):
        TRIP.rows = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("Tokyo", "did you mean 'Asia/Tokyo'"),
        ("nowhere.csv", "cannot read the zones in nowhere.csv: No such file"),
        ([("", "Asia/Tokyo"), ("", "Asia/Seoul")], "row 2: only the first zone may have no date"),
        ([("", "Asia/Tokyo"), ("22.10.2026", "Asia/Seoul")], "row 2: '22.10.2026' is not a day"),
        ([("", "Asia/Tokyo"), ("2026-10-22", "Berlin")], "row 2: unknown time zone 'Berlin'"),
        (
            [("2026-10-22", "Asia/Tokyo"), ("2026-10-21", "Asia/Seoul")],
            "row 2 (2026-10-21, Asia/Seoul) does not begin after the row before it",
        ),
        ([("", "Asia/Tokyo"), (pd.Timestamp("2026-10-22 09:00"), "Asia/Seoul")], "has no offset"),
        (pd.DataFrame({"date": ["x"], "tz": ["y"]}), "needs the columns from and tz"),
        ([], "no zone is given"),
        (7, "not int"),
        (["Asia/Tokyo"], "not list"),
    ],
)
def test_zones_that_cannot_be_right_are_refused_in_one_line(table, message) -> None:
    with pytest.raises(el.ConfigurationError) as caught:
        el.Zones(table)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_without_the_two_columns_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "trip.csv"
    path.write_text("Asia/Tokyo\n")
    with pytest.raises(
        el.ConfigurationError, match=r"trip\.csv: a table of zones needs the columns from and tz"
    ):
        el.Zones(path)


def test_a_flight_east_makes_a_short_day() -> None:
    zones = el.Zones([("", "America/New_York"), ("2026-10-22", "Asia/Tokyo")])
    first, last = instant_range("2026-10-21", "2026-10-21", zones)
    assert (first, last) == (
        datetime(2026, 10, 21, 4, tzinfo=UTC),
        datetime(2026, 10, 21, 14, 59, 59, tzinfo=UTC),
    )


def test_windows_of_a_journey_cover_every_second_once_in_one_offset_each() -> None:
    found = windows("2026-10-20", "2026-10-23", TRIP)
    ends = [window.end for window in found]
    assert [w.start for w in found[1:]] == [end + pd.Timedelta(1, "s") for end in ends[:-1]]
    assert (found[0].start, found[-1].end) == instant_range("2026-10-20", "2026-10-23", TRIP)
    assert [w.start.isoformat()[-6:] for w in found] == ["+09:00"] * 3 + ["-04:00"] * 2


def test_offsets_of_records_become_zones_that_give_them_back() -> None:
    index = stamps(*(f"2026-10-22T0{hour}:00:00Z" for hour in range(8)))
    minutes = np.array([540.0] * 3 + [-240.0] * 4 + [330.0])
    zones = zones_of_offsets(index, minutes)
    assert zones.offset_min(index).tolist() == minutes.tolist()
    assert str(zones) == "UTC+09:00, UTC-04:00, UTC+05:30"


def test_the_zone_given_comes_first_then_that_stored_then_the_setting_then_utc(monkeypatch) -> None:
    monkeypatch.setenv("EYELOG_TZ", "Europe/Berlin")
    seoul = el.Zones("Asia/Seoul")
    assert known_zones("Asia/Tokyo", whose="account 'a'", stored=seoul).home == "Asia/Tokyo"
    assert known_zones(None, whose="account 'a'", stored=seoul).home == "Asia/Seoul"
    assert known_zones(None, whose="account 'a'").home == "Europe/Berlin"
    monkeypatch.setenv("EYELOG_TZ", "Berlin")
    with pytest.raises(el.ConfigurationError, match="EYELOG_TZ: unknown time zone"):
        known_zones(None, whose="account 'a'")
    monkeypatch.delenv("EYELOG_TZ")
    with pytest.warns(el.EyelogWarning, match="no zone is known for account 'a': days are UTC"):
        assert known_zones(None, whose="account 'a'").home == "UTC"


def test_the_hash_of_zones_does_not_depend_on_the_process() -> None:
    code = "import eyelog as el; print(repr(el.Zones([('', 'UTC'), ('2026-10-22', 'Asia/Seoul')])))"
    texts = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    }
    assert len(texts) == 1
