"""Windows satisfy the service's range rule and cover each second exactly once."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eyelog as el
from eyelog.clock import (
    Window,
    day_start,
    instant_range,
    local_days,
    names_called,
    windows,
    zone,
)

SECOND = timedelta(seconds=1)
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
        and first.utcoffset() == last.utcoffset()
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


@given(start=days, length=st.integers(0, 10), tz=zones)
def test_the_offset_of_a_window_is_the_zones_own_at_both_its_ends(
    start: date, length: int, tz: str
) -> None:
    # Offsets with seconds (Monrovia before 1972) cannot be written in RFC 3339: none since 1975.
    for window in windows(start, start + timedelta(days=length), tz):
        for edge in (window.start, window.end):
            assert edge.utcoffset() == edge.astimezone(zone(tz)).utcoffset()


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
        zone(name)


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
        zone(name)
    assert f"unknown time zone {name!r} (did you mean {MEANT[name]}?)" in str(error.value)


def test_every_zone_that_an_abbreviation_leads_to_exists() -> None:
    assert {
        name for names in names_called().values() for name in names
    } <= available_timezones() | {"UTC"}


def test_the_record_of_midnight_belongs_to_the_day_that_ended() -> None:
    index = pd.DatetimeIndex(
        ["2026-10-24 00:00:00", "2026-10-24 00:00:15", "2026-10-25 00:00:00"], tz="Asia/Tokyo"
    )
    days_of = local_days(index)
    assert [stamp.date().isoformat() for stamp in days_of] == [
        "2026-10-23",
        "2026-10-24",
        "2026-10-24",
    ]
    assert days_of.tz is None
    assert local_days(index, stamp="start")[0].date() == date(2026, 10, 24)


def test_days_are_told_also_where_midnight_does_not_exist() -> None:
    # Beirut goes from 23:59:59 to 01:00:00.
    index = pd.DatetimeIndex(["2026-03-29 02:00:00"], tz="Asia/Beirut")
    assert local_days(index)[0].isoformat() == "2026-03-29T00:00:00"
    assert day_start(date(2026, 3, 29), ZoneInfo("Asia/Beirut")) == datetime(
        2026, 3, 28, 22, tzinfo=UTC
    )


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
