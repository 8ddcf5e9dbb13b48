"""Stamps, zones and days: each second in one window, the days of the wearer's clock."""

import copy
import pickle
import socket
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eyelog as el
from eyelog.clock import (
    as_tzinfo,
    day_start,
    instant_range,
    known_zones,
    parse_rfc3339,
    parse_stamps,
    zone,
    zones_of_offsets,
)
from eyelog.fetch.client import Window, windows

SECOND = timedelta(seconds=1)
SOURCE = Path(el.__file__).parent


ZONES = sorted(available_timezones() - {"localtime", "Factory"})


# Half-hour shifts, shifts at midnight, skipped and repeated days, quarter-hour offsets.
ODD_ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
    "Asia/Beirut",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "Antarctica/Troll",
    "America/St_Johns",
    "Asia/Tokyo",
    "UTC",
]


zones = st.sampled_from(ODD_ZONES) | st.sampled_from(ZONES)


days = st.dates(date(1975, 1, 1), date(2037, 12, 30))


instants = st.datetimes(
    datetime(1975, 1, 1),  # noqa: DTZ001 # the strategy adds the zone
    datetime(2037, 12, 30),  # noqa: DTZ001 # likewise
    timezones=st.just(UTC),
).map(lambda stamp: stamp.replace(microsecond=0))


def keeps_the_rule(window: Window) -> bool:
    first, last = window.start, window.end
    return (
        first.date() == last.date() == window.day
        and first.utcoffset() == last.utcoffset() == first.astimezone(zone(window.tz)).utcoffset()
        and last.utcoffset() == last.astimezone(zone(window.tz)).utcoffset()
        and timedelta(0) <= last - first <= timedelta(hours=23, minutes=59, seconds=59)
    )


def seconds_covered(found: list[Window]) -> timedelta:
    return sum((w.end - w.start + SECOND for w in found), timedelta(0))


@given(start=days, length=st.integers(0, 40), tz=zones)
@example(start=date(2026, 10, 25), length=0, tz="Europe/Berlin")
@example(start=date(2026, 3, 29), length=0, tz="Europe/Berlin")
@example(start=date(2011, 12, 29), length=2, tz="Pacific/Apia")
@example(start=date(2026, 4, 5), length=0, tz="Australia/Lord_Howe")
@example(start=date(2018, 11, 4), length=0, tz="America/Sao_Paulo")
def test_windows_keep_the_rule_and_cover_each_second_of_the_days_once(
    start: date, length: int, tz: str
) -> None:
    end = start + timedelta(days=length)
    found = windows(start, end, tz)
    assert all(keeps_the_rule(window) for window in found)
    for before, after in pairwise(found):
        assert after.start - before.end == SECOND
    place = zone(tz)
    first, last = day_start(start, place), day_start(end + timedelta(days=1), place)
    assert seconds_covered(found) == last - first
    if found:
        assert (found[0].start, found[-1].end) == (first, last - SECOND)


@given(first=instants, seconds=st.integers(0, 5 * 86_400), tz=zones)
def test_windows_cover_a_range_of_instants_to_the_second(
    first: datetime, seconds: int, tz: str
) -> None:
    last = first + timedelta(seconds=seconds)
    found = windows(first, last, tz)
    assert all(keeps_the_rule(window) for window in found)
    assert (found[0].start, found[-1].end) == (first, last)
    assert seconds_covered(found) == last - first + SECOND


def test_a_day_of_25_hours_takes_two_windows_and_one_of_23_hours_too() -> None:
    long = windows("2026-10-25", "2026-10-25", "Europe/Berlin")
    assert [(w.start.isoformat(), w.end.isoformat()) for w in long] == [
        ("2026-10-25T00:00:00+02:00", "2026-10-25T02:59:59+02:00"),
        ("2026-10-25T02:00:00+01:00", "2026-10-25T23:59:59+01:00"),
    ]
    short = windows("2026-03-29", "2026-03-29", "Europe/Berlin")
    assert [(w.start.isoformat(), w.end.isoformat()) for w in short] == [
        ("2026-03-29T00:00:00+01:00", "2026-03-29T01:59:59+01:00"),
        ("2026-03-29T03:00:00+02:00", "2026-03-29T23:59:59+02:00"),
    ]
    assert {w.day for w in long} == {date(2026, 10, 25)}
    assert {w.day for w in short} == {date(2026, 3, 29)}


def test_a_day_that_the_zone_skipped_has_no_window() -> None:
    assert windows("2011-12-30", "2011-12-30", "Pacific/Apia") == []


def test_instants_with_a_fraction_take_only_the_whole_seconds_inside() -> None:
    first = datetime(2026, 10, 24, 9, 0, 0, 500_000, tzinfo=UTC)
    last = datetime(2026, 10, 24, 9, 0, 9, 500_000, tzinfo=UTC)
    assert instant_range(first, last, "UTC") == (
        first.replace(second=1, microsecond=0),
        last.replace(microsecond=0),
    )


def test_a_naive_datetime_is_refused_and_says_what_to_give() -> None:
    naive = datetime(2026, 10, 24, 9)  # noqa: DTZ001 # that is the point
    with pytest.raises(el.ConfigurationError, match="no time zone"):
        windows(naive, "2026-10-24")
    with pytest.raises(el.ConfigurationError, match="2026-10-24T09:00:00"):
        windows("2026-10-24T09:00:00", "2026-10-24")


@pytest.mark.parametrize("name", ["UTC+9", "UTC+24:00", "UTC+0900", "+09:00", "UTC+09:60"])
def test_another_spelling_of_an_offset_is_refused(name: str) -> None:
    with pytest.raises(el.ConfigurationError, match="unknown time zone"):
        el.Zones(name)


MEANT = {
    "JST": "'Asia/Tokyo'",
    "pst": "'America/Los_Angeles'",
    "IST": "'Asia/Kolkata', 'Europe/Dublin' or 'Asia/Jerusalem'",
    "CEST": "'Europe/Berlin' or 'Europe/Paris'",
    "Tokyo": "'Asia/Tokyo'",
    "new york": "'America/New_York'",
    "UTC+9": "'UTC+09:00'",
    "-0330": "'UTC-03:30'",
    "GMT+1": "'UTC+01:00'",
}


@pytest.mark.parametrize("name", MEANT)
def test_what_people_call_a_zone_leads_to_its_name(name: str) -> None:
    with pytest.raises(el.ConfigurationError) as error:
        el.Zones(name)
    assert f"unknown time zone {name!r} (did you mean {MEANT[name]}?)" in str(error.value)


def test_every_zone_that_an_abbreviation_leads_to_exists() -> None:
    table = pd.read_csv(SOURCE / "zonenames.csv")
    assert {*table["zone"]} <= available_timezones() | {"UTC"}


@pytest.mark.parametrize(
    ("day", "tz", "utc"),
    [
        (date(2011, 12, 30), "Pacific/Apia", "2011-12-30T10:00:00+00:00"),
        (date(1994, 12, 31), "Pacific/Kiritimati", "1994-12-31T10:00:00+00:00"),
        (date(1993, 8, 21), "Pacific/Kwajalein", "1993-08-21T12:00:00+00:00"),
    ],
)
def test_a_day_that_the_zone_skipped_starts_where_the_next_one_does(
    day: date, tz: str, utc: str
) -> None:
    starts = [day_start(day + timedelta(days=n), ZoneInfo(tz)) for n in (-1, 0, 1)]
    assert starts[1] == starts[2] == datetime.fromisoformat(utc)
    assert starts[1] - starts[0] == timedelta(days=1)


TRIP = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])


def stamps(*texts: str) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(pd.to_datetime(list(texts), utc=True))


def test_a_zone_holds_from_the_midnight_of_its_date_or_from_an_instant() -> None:
    index = stamps("2026-10-22T03:59:59Z", "2026-10-22T04:00:00Z", "2026-10-22T04:00:01Z")
    assert TRIP.offset_min(index).tolist() == [540.0, 540.0, -240.0]
    zones = el.Zones([("2026-10-20", "Asia/Tokyo"), ("2026-10-22T00:00Z", "America/New_York")])
    index = stamps("2020-01-01T00:00:00Z", "2026-10-22T00:00:00Z", "2026-10-22T00:00:01Z")
    assert zones.offset_min(index).tolist() == [540.0, 540.0, -240.0]
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


def test_the_clock_of_a_journey_reaches_to_the_last_instant_and_is_shown_in_one_line() -> None:
    clock = as_tzinfo(TRIP)
    assert datetime.max.replace(tzinfo=UTC).astimezone(clock).utcoffset() == timedelta(hours=-5)
    assert repr(clock) == "Asia/Tokyo, America/New_York"


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


def test_a_file_of_zones_may_be_written_in_any_way_and_without_its_columns_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "trip.csv"
    for text in (
        '"from";"tz"\n;"Asia/Tokyo"\n2026-10-22;"America/New_York"\n',
        "tz,from,why\nAsia/Tokyo,,\nAmerica/New_York,2026-10-22,x\n",
        "from\ttz\n\tAsia/Tokyo\n2026-10-22\tAmerica/New_York\n",
        "tz,from\nAsia/Tokyo\n,\nAmerica/New_York,2026-10-22,\n",
        ",,\nfrom,tz\n,Asia/Tokyo,home\n2026-10-22,America/New_York,away,x\n",
    ):
        path.write_text(text, encoding="utf-8-sig")
        assert el.Zones(path) == TRIP
    for text in ("Asia/Tokyo\n", "", ",,\n"):
        path.write_text(text)
        with pytest.raises(el.ConfigurationError, match=r"trip\.csv: a table of zones needs"):
            el.Zones(path)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/z.csv", "s3://bucket/z.csv"])
def test_zones_are_never_fetched(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("a connection is made"))
    with pytest.raises(el.ConfigurationError, match=r"z\.csv: No such file"):
        el.Zones(address)


def test_a_day_opens_at_one_where_midnight_does_not_exist() -> None:
    # Beirut goes from 23:59:59 to 01:00:00.
    opens = day_start(date(2026, 3, 29), ZoneInfo("Asia/Beirut"))
    assert opens == datetime(2026, 3, 28, 22, tzinfo=UTC)


def test_a_flight_east_makes_a_short_day_and_one_west_a_long_one() -> None:
    zones = el.Zones([("", "America/New_York"), ("2026-10-22", "Asia/Tokyo")])
    first, last = instant_range("2026-10-21", "2026-10-21", zones)
    assert (first, last) == (
        datetime(2026, 10, 21, 4, tzinfo=UTC),
        datetime(2026, 10, 21, 14, 59, 59, tzinfo=UTC),
    )
    found = windows("2026-10-20", "2026-10-23", TRIP)
    assert all(keeps_the_rule(window) for window in found)
    assert all(after.start - before.end == SECOND for before, after in pairwise(found))
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


# A day from either edge of the calendar, so that every offset can be had.
moments = st.datetimes(timezones=st.just(UTC)).filter(lambda stamp: 1 < stamp.year < 9999)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-W43-6T09:00:00Z", "2026-10-24T09:00:00Z\0", "2026-10-24T090000+0900"),
        *("2026-10-24T09:00:00,5Z", "2026-10-24T09:00:00 Z", "2026-10-24T09:00:00+09"),
        *("2026-10-24T09:00:0\u0665Z", "2026-10-24T09:00:60Z", "2026-02-29T09:00:00Z"),
        *("2026-10-24T09:00:00Z\ud800", None),
    ],
)
def test_what_python_takes_but_rfc_3339_does_not_is_refused(text: str | None) -> None:
    with pytest.raises(el.ConfigurationError, match="RFC 3339"):
        parse_rfc3339(text)
    with pytest.raises(el.ConfigurationError, match="RFC 3339"):
        parse_stamps(["2026-10-24T09:00:00Z", text])


def written(stamp: datetime, form: str) -> str:
    text = stamp.replace(tzinfo=None).isoformat()
    sign = stamp.isoformat(timespec="seconds")[19:]
    return text + {"Z": "Z", "+hh:mm": sign, "+hhmm": sign.replace(":", "")}[form]


@given(
    st.lists(
        st.datetimes(
            timezones=st.integers(-1439, 1439).map(lambda m: timezone(timedelta(minutes=m)))
        ),
        max_size=5,
    ),
    st.lists(st.sampled_from(["Z", "+hh:mm", "+hhmm"]), min_size=1, max_size=2),
    st.booleans(),
)
def test_many_stamps_at_once_are_read_as_one_by_one(
    stamps: list[datetime], forms: list[str], fractions: bool
) -> None:
    if not fractions:
        stamps = [stamp.replace(microsecond=0) for stamp in stamps]
    texts = [written(stamp, forms[i % len(forms)]) for i, stamp in enumerate(stamps)]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    expected = [(parse_rfc3339(text) - epoch) // timedelta(microseconds=1) for text in texts]
    assert parse_stamps(texts).astype(int).tolist() == expected


@given(stamp=moments, minutes=st.integers(-14 * 60, 14 * 60))
def test_writing_and_reading_a_stamp_gives_it_back(stamp: datetime, minutes: int) -> None:
    local = stamp.astimezone(timezone(timedelta(minutes=minutes)))
    assert parse_rfc3339(local.isoformat()) == stamp
    assert parse_rfc3339(local.isoformat()).utcoffset() == timedelta(minutes=minutes)
