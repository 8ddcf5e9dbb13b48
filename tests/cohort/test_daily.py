"""The days of a cohort are those of each wearer."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.cohorts import ACCOUNTS, SIXTY, damage
from support.logs import LOGS
from support.records import records

TOKYO, NEW_YORK = "Asia/Tokyo", "America/New_York"


@pytest.mark.parametrize("tz", ["Asia/Tokyo", "UTC", "America/New_York"])
def test_the_table_is_that_of_each_wearer_alone(kept: el.Archive, tz: str) -> None:
    table = el.cohort.daily(kept, SIXTY, tz=tz, workers=1)
    assert table.index.names == ["account", "day"]
    assert sorted(ACCOUNTS) == list(table.index.levels[0])
    for account in ACCOUNTS:
        frame = kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account, tz=tz)
        assert_frame_equal(table.loc[account], el.daily(frame), check_exact=True)


@pytest.mark.parametrize("log", LOGS)
def test_values_of_any_kind_over_months_and_clock_changes_are_those_of_the_whole_frame(
    tmp_path: Path, log: str
) -> None:
    archive, tz = el.Archive(tmp_path / "a"), "Europe/Berlin"
    frame = records(log, "2026-10-24", 9 * 86_400 // (15 if log == LOGS[0] else 60), tz=tz)
    archive.write(log, frame, account="me")
    table = el.cohort.daily(archive, log, tz=tz, workers=1)
    whole = el.daily(archive.read(log, "2026-10-01", "2026-11-30", tz=tz))
    assert_frame_equal(table.loc["me"], whole, check_exact=True)


def test_wear_that_lasts_over_the_end_of_a_month_counts_on_both_days(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "a")
    frame = el.simulate("2026-09-30", 2, log=SIXTY, seed=1)
    stamps = frame.index
    worn = (stamps > "2026-09-30 23:57") & (stamps <= "2026-10-01 00:03")
    frame["wea_s"] = np.where(worn, 60.0, 0.0)
    frame["tl_xav"], frame["tl_yav"] = 0.0, 0.0
    archive.write(SIXTY, frame, account="me")
    table = el.cohort.daily(archive, SIXTY, workers=1).loc["me"]
    assert str(table["first_worn"].iloc[0]) == "2026-09-30 23:57:00+00:00"
    assert str(table["last_worn"].iloc[1]) == "2026-10-01 00:03:00+00:00"


def test_each_wearer_has_the_days_of_the_own_zone(kept: el.Archive, wearers: pd.DataFrame) -> None:
    table = el.cohort.daily(kept, SIXTY, wearers=wearers, workers=1)
    assert str(table.index.dtypes["day"]) == "datetime64[us]"
    for account, tz, group, age in wearers.itertuples(index=False):
        whole = el.daily(kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account, tz=tz))
        rows = table.loc[account]
        assert rows.index.equals(whole.index.tz_localize(None))  # type: ignore[attr-defined]
        assert (rows["first_worn"] == whole["first_worn"].to_numpy()).all()
        assert_frame_equal(
            rows[["steps", "worn_h", "blink_rate_per_min"]].reset_index(drop=True),
            whole[["steps", "worn_h", "blink_rate_per_min"]].reset_index(drop=True),
            check_exact=True,
        )
        assert set(rows["group"]) == {group}
        assert set(rows["age"]) == {age}


def test_a_broken_wearer_is_named_with_the_reason_and_the_rest_is_done(
    archive: el.Archive, expected: pd.DataFrame
) -> None:
    damage(archive, "ann")
    with pytest.warns(el.EyelogWarning, match=r"1 of 3 wearers failed .*'ann' \(.*cannot read"):
        table = el.cohort.daily(archive, SIXTY, tz="Asia/Tokyo", workers=1)
    assert_frame_equal(table, expected.drop(index="ann", level="account"), check_exact=True)
    assert list(table.attrs["eyelog"]["history"][-1]["failed"]) == ["ann"]


def test_a_range_without_records_gives_a_table_of_the_same_shape(kept: el.Archive) -> None:
    table = el.cohort.daily(kept, SIXTY, start="2030-01-01", end="2030-01-02", workers=1)
    full = el.cohort.daily(kept, SIXTY, workers=1)
    assert len(table) == 0
    assert table.dtypes.equals(full.dtypes)
    assert table.index.dtypes.equals(full.index.dtypes)


def test_processes_give_the_same_table(kept: el.Archive, expected: pd.DataFrame) -> None:
    table = el.cohort.daily(kept, SIXTY, tz="Asia/Tokyo", workers=2)
    assert_frame_equal(table, expected, check_exact=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"log": "other"}, "other"),
        ({"tz": "Mars"}, "unknown time zone"),
        ({"start": "2026-10-02", "end": "2026-10-01"}, "swap the two"),
        ({"start": "yesterday"}, "not a"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 2, "scheduler": "tcp://127.0.0.1:1"}, "one of the two"),
        ({"out": 3}, "out takes a path"),
        ({"out": "nothing://x"}, "out='nothing://x' cannot be used"),
        ({"wearers": 3}, "one row per wearer"),
        ({"accounts": [3]}, "names such as"),
        ({"wearers": pd.DataFrame({"account": ["ann"], "steps": [1]})}, "'steps' of its own"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*without a row")
def test_a_wrong_argument_is_one_line(
    kept: el.Archive, arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(el.EyelogError, match=said):
        el.cohort.daily(kept, **{"log": SIXTY, **arguments})  # type: ignore[arg-type]


def test_limits_are_those_of_all_wearers_and_decide_what_is_computed_again(
    kept: el.Archive, tmp_path: Path
) -> None:
    limits = el.Limits(min_worn="50s", min_run="30min")
    table = el.cohort.daily(kept, SIXTY, tz="UTC", workers=1, limits=limits)
    for account in ACCOUNTS:
        frame = kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account, tz="UTC")
        assert_frame_equal(table.loc[account], el.daily(frame, limits=limits), check_exact=True)
    out = tmp_path / "out"
    el.cohort.daily(kept, SIXTY, workers=1, out=out)
    states = [
        set(el.cohort.daily(kept, SIXTY, workers=1, out=out, limits=one)["state"])
        for one in (limits, limits, None)
    ]
    assert states == [{"done"}, {"unchanged"}, {"done"}]
    with pytest.raises(el.ConfigurationError, match=r"limits must be eyelog.Limits"):
        el.cohort.daily(kept, SIXTY, workers=1, limits="8h")


def test_days_that_start_in_the_evening_are_those_of_each_wearer(
    kept: el.Archive, wearers: pd.DataFrame
) -> None:
    call = partial(el.cohort.daily, kept, SIXTY, wearers=wearers, day_starts="18:00", workers=1)
    table = call()
    for account, tz, _, _ in wearers.itertuples(index=False):
        frame = kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account, tz=tz)
        whole, rows = el.daily(frame, day_starts="18:00"), table.loc[account]
        assert rows.index.tolist() == whole.index.tolist()
        assert_frame_equal(rows[["steps", "worn_h"]], whole[["steps", "worn_h"]])
    first = str(table.index.get_level_values("day").sort_values()[3].date())
    part = call(start=first, end=first)
    assert part["n"].min() > 1000  # the record that closes the last day is stamped after it
    assert set(part.index.get_level_values("day")) == {pd.Timestamp(first)}


# Wearers who travel have the days of their own clock.

TRIPS = {
    "within a month": ("2026-10-20", [("", TOKYO), ("2026-10-22", NEW_YORK)]),
    "at the first of a month": ("2026-10-30", [("", TOKYO), ("2026-11-01", NEW_YORK)]),
    # Tokyo had begun November, in which the plane lands in October again.
    "back over its end": ("2026-10-30", [("", TOKYO), ("2026-10-31T18:00:00Z", NEW_YORK)]),
    # New York had not ended October when the clock goes on to November.
    "ahead over its end": ("2026-10-30", [("", NEW_YORK), ("2026-10-31T20:00:00Z", TOKYO)]),
}


def trip(name: str) -> tuple[el.Zones, pd.DataFrame]:
    """Return the zones of a trip, and the records of four days on the clock of the wearer."""
    first, rows = TRIPS[name]
    zones = el.Zones(rows)
    return zones, el.simulate(first, 4, log=SIXTY, tz=zones)


def travelling(tmp_path: Path, frame: pd.DataFrame, zones: el.Zones) -> el.Archive:
    """Return an archive of one who travels and one who does not."""
    archive = el.Archive(tmp_path / "archive")
    at_home = el.simulate("2026-10-31", 2, log=SIXTY, tz=NEW_YORK)
    for account, written, tz in (("anna", frame, zones), ("ben", at_home, NEW_YORK)):
        archive.write(SIXTY, written, account=account)
        archive.set_zones(tz, account=account)
    return archive


def alone(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the daily summary of the wearer's own frame, instants in UTC as in a cohort."""
    table = el.daily(frame)
    for name, dtype in table.dtypes.items():
        if isinstance(dtype, pd.DatetimeTZDtype):
            table[name] = table[name].dt.tz_convert("UTC")
    table.attrs = {}
    return table


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        *((name, lambda stamps: stamps == stamps) for name in TRIPS),
        # The clock is unknown between two records.
        (
            "at the first of a month",
            lambda stamps: (stamps < "2026-10-31T10:00Z") | (stamps > "2026-11-01T12:00Z"),
        ),
        # No record is of November in UTC.
        ("back over its end", lambda stamps: stamps < "2026-10-31T23:00Z"),
    ],
)
def test_a_traveller_has_the_same_days_in_a_cohort_as_alone(
    tmp_path: Path, name: str, kept: Callable[[pd.DatetimeIndex], np.ndarray]
) -> None:
    zones, frame = trip(name)
    frame = frame[kept(frame.index)]
    table = el.cohort.daily(travelling(tmp_path, frame, zones), SIXTY, workers=1)
    assert len(table.loc["ben"]) == 2
    assert_frame_equal(table.loc["anna"], alone(frame), check_freq=False)
    assert table.loc["anna", "n"].sum() == len(frame)
    assert table.loc["anna"].index.is_unique
    if name == "within a month":
        hours = (table.loc["anna", "recorded_h"] / table.loc["anna", "coverage"]).round(6)
        assert hours.tolist() == [24, 24, 37, 24]  # 13 hours in Tokyo, then a day in New York


@pytest.mark.parametrize("range_", [("2026-10-31", "2026-11-01"), ("2026-11-01", None)])
def test_a_range_of_a_traveller_is_that_of_the_archive(
    tmp_path: Path, range_: tuple[str, str | None]
) -> None:
    zones, frame = trip("at the first of a month")
    archive = travelling(tmp_path, frame, zones)
    table = el.cohort.daily(archive, SIXTY, *range_, workers=1).loc["anna"]
    read = archive.read(SIXTY, range_[0], range_[1] or "2026-11-30", account="anna")
    assert_frame_equal(table, alone(read), check_freq=False)


def test_a_dataset_of_a_traveller_follows_new_records_and_a_changed_zone(tmp_path: Path) -> None:
    zones, frame = trip("back over its end")
    archive = travelling(tmp_path, frame[:3000], zones)

    def states() -> list[str]:
        return el.cohort.daily(archive, SIXTY, out=tmp_path / "out", workers=1)["state"].tolist()

    assert [states(), states()] == [["done"] * 2, ["unchanged"] * 2]
    archive.write(SIXTY, frame, account="anna")
    assert states() == ["done", "unchanged"]
    days = pd.read_parquet(tmp_path / "out").loc["anna"]
    assert days.index.tolist() == el.daily(frame).index.tolist()
    assert days.index.is_monotonic_increasing
    archive.set_zones(zones.to_frame(), account="anna")
    assert states() == ["unchanged", "unchanged"]
    # The same names in the same order, from another day: other days.
    archive.set_zones([("", TOKYO), ("2026-11-01", NEW_YORK)], account="anna")
    assert states() == ["done", "unchanged"]
