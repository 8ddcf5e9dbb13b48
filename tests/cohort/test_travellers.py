"""Wearers who travel, in a cohort of several zones: the days of their own clock."""

from itertools import pairwise

import pandas as pd
import pandas.testing as pdt
import pytest

import eyelog as el

LOG = "standard_mode_logs"
TOKYO, NEW_YORK = "Asia/Tokyo", "America/New_York"

TRIPS = {
    "within a month": ("2026-10-20", [("", TOKYO), ("2026-10-22", NEW_YORK)]),
    "at the first of a month": ("2026-10-30", [("", TOKYO), ("2026-11-01", NEW_YORK)]),
    # Tokyo had begun November, in which the plane lands in October again.
    "back over the end of a month": (
        "2026-10-30",
        [("", TOKYO), ("2026-10-31T18:00:00Z", NEW_YORK)],
    ),
    # New York had not ended October when the clock goes on to November.
    "ahead over the end of a month": (
        "2026-10-30",
        [("", NEW_YORK), ("2026-10-31T20:00:00Z", TOKYO)],
    ),
}


def trip(name: str) -> tuple[el.Zones, pd.DataFrame]:
    """Return the zones of a trip, and the records of four days on the clock of the wearer."""
    first, rows = TRIPS[name]
    zones = el.Zones(rows)
    return zones, el.simulate(first, 4, log=LOG, tz=zones)


def cohort(tmp_path, frame: pd.DataFrame, zones: el.Zones) -> el.Archive:
    archive = el.Archive(tmp_path / "archive")
    archive.write(LOG, frame, account="anna")
    archive.set_zones(zones, account="anna")
    for account, tz in (("ben", TOKYO), ("carl", NEW_YORK)):
        archive.write(LOG, el.simulate("2026-10-31", 2, log=LOG, tz=tz), account=account)
        archive.set_zones(tz, account=account)
    return archive


def expected(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the daily summary of the wearer's own frame, instants in UTC as in a cohort."""
    table = el.daily(frame)
    for name, dtype in table.dtypes.items():
        if isinstance(dtype, pd.DatetimeTZDtype):
            table[name] = table[name].dt.tz_convert("UTC")
    table.attrs = {}
    return table


@pytest.mark.parametrize("name", TRIPS)
def test_a_traveller_has_the_same_days_in_a_cohort_as_alone(tmp_path, name: str) -> None:
    zones, frame = trip(name)
    archive = cohort(tmp_path, frame, zones)
    table = el.cohort.daily(archive, LOG, workers=1)
    assert table.groupby("account").size()[["ben", "carl"]].tolist() == [2, 2]
    pdt.assert_frame_equal(table.loc["anna"], expected(frame), check_freq=False)
    assert table.loc["anna"].index.is_unique


def test_two_days_in_tokyo_and_two_in_new_york_are_four_days(tmp_path) -> None:
    zones, frame = trip("within a month")
    table = el.cohort.daily(cohort(tmp_path, frame, zones), LOG, workers=1).loc["anna"]
    assert [f"{day:%m-%d}" for day in table.index] == ["10-20", "10-21", "10-22", "10-23"]
    hours = (table["recorded_h"] / table["coverage"]).round(6)
    assert hours.tolist() == [24, 24, 37, 24]  # 13 hours in Tokyo, then a day in New York


def test_a_clock_that_is_unknown_between_two_records_is_read_as_in_the_whole_frame(
    tmp_path,
) -> None:
    zones, frame = trip("at the first of a month")
    gap = frame[(frame.index < "2026-10-31T10:00Z") | (frame.index > "2026-11-01T12:00Z")]
    table = el.cohort.daily(cohort(tmp_path, gap, zones), LOG, workers=1)
    pdt.assert_frame_equal(table.loc["anna"], expected(gap), check_freq=False)


def test_a_dataset_of_a_traveller_has_the_same_days_and_follows_new_records(tmp_path) -> None:
    zones, frame = trip("back over the end of a month")
    archive = cohort(tmp_path, frame[:3000], zones)
    out = tmp_path / "out"
    reports = [el.cohort.daily(archive, LOG, out=out, workers=1) for _ in range(2)]
    assert [set(report["state"]) for report in reports] == [{"done"}, {"unchanged"}]
    archive.write(LOG, frame, account="anna")
    report = el.cohort.daily(archive, LOG, out=out, workers=1).set_index("account")
    assert report["state"].to_dict() == {"anna": "done", "ben": "unchanged", "carl": "unchanged"}
    days = pd.read_parquet(out).loc["anna"]
    assert days.index.tolist() == el.daily(frame).index.tolist()
    assert all(before < after for before, after in pairwise(days.index))


def test_the_last_records_of_a_traveller_may_be_of_an_older_date_than_those_before(
    tmp_path,
) -> None:
    zones, frame = trip("back over the end of a month")
    until = frame[frame.index < "2026-10-31T23:00Z"]  # no record is of November in UTC
    table = el.cohort.daily(cohort(tmp_path, until, zones), LOG, workers=1)
    pdt.assert_frame_equal(table.loc["anna"], expected(until), check_freq=False)
    assert table.loc["anna", "n"].sum() == len(until)


@pytest.mark.parametrize("range_", [("2026-10-31", "2026-11-01"), ("2026-11-01", None)])
def test_a_range_of_a_traveller_is_that_of_the_archive(tmp_path, range_) -> None:
    zones, frame = trip("at the first of a month")
    archive = cohort(tmp_path, frame, zones)
    table = el.cohort.daily(archive, LOG, *range_, workers=1).loc["anna"]
    alone = archive.read(LOG, range_[0], range_[1] or "2026-11-30", account="anna")
    pdt.assert_frame_equal(table, expected(alone), check_freq=False)
