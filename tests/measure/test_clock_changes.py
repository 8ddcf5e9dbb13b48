"""Local days and hours at every change of every clock and on a journey, and days as dates."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import MINUTES, frame_of
from support.laws import examples

ZONES = sorted(available_timezones() - {"Factory", "localtime"})
COUNTS = {"stp_fst": 1, "stp_mid": 0, "stp_slw": 0, "stp_vsl": 0, "lc_bk_n": 9}
EVERY = pd.date_range("1990-01-01", "2038-01-01", freq="6h", tz="UTC")


@cache
def changes(tz: str) -> list[pd.Timestamp]:
    """Return the instants from 1990 to 2037 at which the clock of a zone changes."""

    def ahead(stamps: pd.DatetimeIndex) -> np.ndarray:
        return (stamps.tz_convert(ZoneInfo(tz)).tz_localize(None) - stamps.tz_localize(None)).asi8

    found = []
    for at in np.flatnonzero(np.diff(ahead(EVERY))):
        minutes = pd.date_range(EVERY[at], EVERY[at + 1], freq="min")
        found += minutes[1:][np.diff(ahead(minutes)) != 0].tolist()
    return found


def around(change: pd.Timestamp, tz: str, minutes: int = 6 * 60) -> pd.DataFrame:
    """Return records of every minute of some hours before and after a change."""
    start = change - pd.Timedelta(minutes, "min")
    frame = frame_of(MINUTES, {name: [n] * (2 * minutes) for name, n in COUNTS.items()})
    index = pd.date_range(
        start + pd.Timedelta(1, "min"), periods=2 * minutes, freq="min", unit="us", name="date"
    )
    return frame.set_axis(index.tz_convert(ZoneInfo(tz)))


def minutes_of(day: pd.Timestamp, tz: str) -> int:
    """Return the minutes of a date, by looking at the clock at every minute around it."""
    start = pd.Timestamp(day, tz="UTC") - pd.Timedelta(2, "D")
    every = pd.date_range(start, periods=5 * 1440, freq="min").tz_convert(ZoneInfo(tz))
    return int((every.tz_localize(None).normalize() == day).sum())


def check(tz: str, change: pd.Timestamp) -> None:
    frame = around(change, tz)
    wall = (frame.index - pd.Timedelta(1, "min")).tz_localize(None)
    days = el.daily(frame, columns=["n", "recorded_h", "coverage"])
    assert days.index.tolist() == sorted(set(wall.normalize()))
    assert days["n"].tolist() == pd.Series(wall.normalize()).value_counts().sort_index().tolist()
    table = el.coverage(frame)
    assert table["recorded_h"].sum() == pytest.approx(12.0)
    assert (table["expected_h"] * 60).round(6).tolist() == [minutes_of(d, tz) for d in table.index]
    for every in ("10min", "1h", "1D"):
        bins = el.resample(frame, every, min_coverage=0)
        assert bins.index.is_monotonic_increasing
        assert bins.index.is_unique
        assert bins["n"].sum() == len(frame)
        added = el.daily(el.intervals(frame, every))[days.columns]
        pd.testing.assert_frame_equal(added, days)
    assert not len(el.gaps(frame))
    assert not len(el.gaps(el.intervals(frame, "1D")))
    hours = el.blinks.rate(frame, by="hour")
    assert hours["n"].sum() == 9 * len(frame)
    assert hours.index.tolist() == sorted(set(wall.hour))
    both = el.gait.pace(frame, by=["hour", "weekday"])
    assert set(both.index) == set(zip(wall.hour, wall.day_of_week, strict=True))
    el.rhythm.profile(frame, "stp_fst", by="hour")


@given(st.sampled_from(ZONES), st.integers(0, 200))
@examples(8)  # hundreds are tried by the slow test below
def test_no_change_of_a_clock_loses_or_invents_time(tz: str, number: int) -> None:
    if every := changes(tz):
        check(tz, every[number % len(every)])


def kinds() -> list[tuple[str, pd.Timestamp]]:
    """Return a change of each kind: its offsets, its local times, its weekday and its month.

    Years and zones that have these in common have the same hours and days around the change.
    """
    found: dict[tuple[object, ...], tuple[str, pd.Timestamp]] = {}
    for tz in ZONES:
        for change in changes(tz):
            sides = [
                (change + pd.Timedelta(side, "s")).tz_convert(ZoneInfo(tz)) for side in (-1, 0)
            ]
            clock = [(side.utcoffset(), side.time()) for side in sides]
            key = *clock, sides[1].day_of_week, sides[1].month
            found.setdefault(key, (tz, change))
    return list(found.values())


@pytest.mark.slow("hundreds of zones and changes of their clocks are tried")
@pytest.mark.parametrize("part", range(2))
def test_changes_of_clocks_since_1990_lose_and_invent_no_time(part: int) -> None:
    for tz, change in kinds()[part::8]:
        check(tz, change)


@pytest.mark.parametrize(
    ("tz", "instant"),
    [
        ("America/Sao_Paulo", "2018-11-04T03:00Z"),
        ("America/Sao_Paulo", "2018-02-18T02:00Z"),
        ("Pacific/Apia", "2011-12-30T10:00Z"),
        ("America/St_Johns", "2009-11-01T02:31Z"),
        ("Asia/Beirut", "2026-03-28T22:00Z"),
        ("Australia/Lord_Howe", "2026-04-04T15:00Z"),
    ],
)
def test_clocks_that_change_at_midnight_and_over_a_whole_day_lose_no_time(
    tz: str, instant: str
) -> None:
    check(tz, pd.Timestamp(instant))


def journey(offsets: list[int], start: str = "2026-03-02T15:00Z", hours: int = 96) -> pd.DataFrame:
    """Return records of every minute of a wearer whose offset changes in equal parts."""
    n = hours * 60
    frame = frame_of(MINUTES, {name: [count] * n for name, count in COUNTS.items()}, start=start)
    frame = frame.tz_convert("Asia/Tokyo").rename_axis("date")
    frame["utc_offset_min"] = np.repeat(offsets, n // len(offsets)).astype(float)
    return frame


def test_a_wearer_with_two_days_in_tokyo_and_two_in_new_york_has_these_days() -> None:
    frame = journey([540, -300])
    days = el.daily(frame)
    assert [f"{day:%d}" for day in days.index] == ["03", "04", "05", "06"]
    # From midnight in Tokyo, after two days, it is ten in the morning of the day before.
    table = el.coverage(frame)
    assert table["expected_h"].tolist() == [24.0, 38.0, 24.0, 24.0]
    assert table["recorded_h"].tolist() == [24.0, 38.0, 24.0, 10.0]
    assert days["recorded_h"].tolist() == table["recorded_h"].tolist()
    assert days["first_worn"].dt.tz is not None


def test_bins_of_a_journey_carry_the_offset_and_have_its_days() -> None:
    frame = journey([540, -300])
    bins = el.intervals(frame, "1h")
    assert bins["utc_offset_min"].value_counts().to_dict() == {540.0: 48, -300.0: 48}
    columns = ["n", "coverage", "recorded_h", "steps"]
    pd.testing.assert_frame_equal(el.daily(bins)[columns], el.daily(frame)[columns])
    again = el.intervals(bins, "6h")
    pd.testing.assert_frame_equal(el.daily(again)[columns], el.daily(frame)[columns])


def test_hours_weekdays_and_clock_times_of_a_journey_are_those_of_its_clock() -> None:
    frame = journey([540, -300])
    assert el.blinks.rate(frame, by="hour")["n"].tolist() == [9 * 4 * 60] * 24
    noon = el.between_time(frame, "12:00", "13:00")
    assert len(noon) == 4 * 60
    ahead = pd.to_timedelta(noon["utc_offset_min"].to_numpy(), unit="min")
    assert set((noon.index.tz_convert("UTC") + ahead).hour) == {12, 13}


def test_a_date_that_comes_twice_on_a_flight_west_has_the_hours_of_both() -> None:
    # Two hours into the 4th in Tokyo the clock is set back to the 3rd, and shows the 4th again.
    frame = journey([540, -300], start="2026-03-02T15:00Z", hours=52)
    table = el.coverage(frame)
    assert table["recorded_h"].sum() == pytest.approx(52.0)
    assert table["expected_h"].tolist() == [24.0 + 12.0, 2.0 + 24.0] or len(table) == 2
    days = el.daily(frame)
    assert days.index.is_unique
    assert days["n"].sum() == len(frame)
    moments = (days["last_worn"] >= days["first_worn"]).tolist()
    assert all(moments)


def test_the_offset_changes_where_the_first_record_with_it_opens() -> None:
    frame = journey([540, 600], start="2026-03-02T13:58Z", hours=2)
    # At 14:58 UTC it is two minutes to midnight in Tokyo, and two minutes to one further east.
    assert el.daily(frame)["n"].tolist() == [60, 60]


def test_an_offset_that_no_clock_has_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="minutes east of UTC"):
        el.daily(journey([540, 54000]))


# Bins of less than a day keep the clock of a wearer who travels


OF_JOURNEY = el.Zones(
    pd.DataFrame({"from": ["2026-10-01", "2026-10-04"], "tz": ["Asia/Tokyo", "America/New_York"]})
)
SUMMARIES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "coverage": lambda frame: el.coverage(frame, by="1h"),
    "blinks.rate": lambda frame: el.blinks.rate(frame, by="1h"),
    "gait.pace": lambda frame: el.gait.pace(frame, by="1h"),
    "posture.spread": lambda frame: el.posture.spread(frame, by="1h"),
    "posture.head_movements": lambda frame: el.posture.head_movements(frame, by="1h"),
}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-10-01", 7, log="standard_mode_logs", seed=3, tz=OF_JOURNEY)


@pytest.mark.parametrize("name", [name for name in SUMMARIES if name != "coverage"])
def test_bins_of_an_hour_state_the_wearers_clock_as_intervals_do(
    name: str, frame: pd.DataFrame
) -> None:
    table = SUMMARIES[name](frame)
    bins = el.intervals(frame, "1h")
    assert table["utc_offset_min"].notna().all()
    both = table.index.intersection(bins.index)
    assert len(both) > 100
    assert (table.loc[both, "utc_offset_min"] == bins.loc[both, "utc_offset_min"]).all()


@pytest.mark.parametrize("name", SUMMARIES)
def test_without_a_journey_and_for_days_there_is_no_clock_to_state(
    name: str, frame: pd.DataFrame
) -> None:
    here = el.simulate("2026-10-01", 2, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
    assert "utc_offset_min" not in SUMMARIES[name](here)
    assert "utc_offset_min" not in el.blinks.rate(frame, by="1D")
    assert "utc_offset_min" not in el.coverage(frame)


def test_an_average_day_has_the_hours_of_the_wearers_clock(frame: pd.DataFrame) -> None:
    hourly = el.blinks.rate(frame, by="1h")
    average = el.rhythm.profile(hourly, "rate_per_min", by="hour")
    local = hourly.index.tz_convert("UTC") + pd.to_timedelta(
        hourly["utc_offset_min"].to_numpy(), "min"
    )
    known = hourly["rate_per_min"].notna().to_numpy()
    counts = pd.Series(local.hour[known]).value_counts()
    n = average.loc[average["n"] > 0, "n"]
    np.testing.assert_array_equal(n, counts.reindex(n.index))


# Days are dates: they join with questionnaires, and survive files and other libraries


NINE = el.simulate("2025-03-17", 9, log="standard_mode_logs", tz="Europe/Berlin", seed=2)
DAYS = el.daily(NINE)
FORM = pd.DataFrame(
    {"day": pd.to_datetime(["2025-03-18", "2025-03-19"]), "sleepy": [3, 7]}
).set_index("day")


def test_days_and_weeks_are_dates_without_a_zone() -> None:
    assert str(DAYS.index.dtype) == "datetime64[us]"
    assert str(el.weekly(NINE).index.dtype) == "datetime64[us]"
    assert DAYS.index[0] == pd.Timestamp("2025-03-17")
    assert str(DAYS["first_worn"].dtype) == "datetime64[us, Europe/Berlin]"


def test_a_questionnaire_joins_on_the_day() -> None:
    assert DAYS.join(FORM)["sleepy"].dropna().index.tolist() == FORM.index.tolist()
    merged = DAYS.reset_index().merge(FORM.reset_index(), on="day")
    assert merged["sleepy"].tolist() == [3, 7]


def test_csv_has_the_date_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "days.csv"
    DAYS.to_csv(path)
    assert path.read_text().splitlines()[1].startswith("2025-03-17,")
    back = pd.read_csv(path, index_col="day", parse_dates=["day"])
    assert back.index.tolist() == DAYS.index.tolist()
    weeks = el.weekly(back)
    assert weeks["steps"].tolist() == pytest.approx(el.weekly(NINE)["steps"].tolist())


def test_midnights_of_an_older_file_are_read_as_their_dates() -> None:
    old = DAYS.copy()
    old.index = old.index.tz_localize("Europe/Berlin")
    pd.testing.assert_frame_equal(el.weekly(old), el.weekly(DAYS))


def test_weeks_of_days_have_the_totals_of_weeks_of_records() -> None:
    exact = ["days", "days_counted", "n", "recorded_h", "worn_h", "valid_h", "walking_h", "steps"]
    exact += ["pace_spm", "blink_rate_per_min", "blink_rate_low", "blink_n"]
    pd.testing.assert_frame_equal(el.weekly(DAYS)[exact], el.weekly(NINE)[exact])


def test_what_is_not_of_days_is_refused_in_weeks_of_days() -> None:
    with pytest.raises(el.ConfigurationError, match="several rows for 2025-03-17"):
        el.weekly(pd.concat([DAYS, DAYS]))
    with pytest.raises(el.ConfigurationError, match="weeks already"):
        el.weekly(el.weekly(DAYS))
    with pytest.raises(el.ConfigurationError, match="xs"):
        el.weekly(pd.concat({"anna": DAYS}, names=["account"]))


def test_every_day_of_the_range_has_a_row_or_none_has() -> None:
    dates = (NINE.index - pd.Timedelta(1, "us")).strftime("%Y-%m-%d")
    frame = NINE[~dates.isin(["2025-03-19", "2025-03-20"])]
    assert len(el.daily(frame)) == 7
    days = el.daily(frame, complete=True)
    assert days.index.tolist() == pd.date_range("2025-03-17", periods=9).tolist()
    empty = days.loc["2025-03-19":"2025-03-20"]
    assert empty[["n", "coverage"]].to_numpy().tolist() == [[0, 0], [0, 0]]
    assert empty[["recorded_h", "steps", "blink_rate_per_min", "first_worn"]].isna().all(axis=None)
    assert days["n"].dtype == "int64"


def test_several_keys_make_the_combinations_that_have_records() -> None:
    both = el.blinks.rate(NINE, by=["hour", "weekend"])
    assert both.index.names == ["hour", "weekend"]
    assert both.groupby("hour")["n"].sum().tolist() == el.blinks.rate(NINE, by="hour")["n"].tolist()
    one = el.blinks.rate(NINE, by=["hour"])
    pd.testing.assert_frame_equal(one, el.blinks.rate(NINE, by="hour"))
