"""What a person does with the tables in pandas and elsewhere gives the right number, or an error.

The right numbers are computed here from the raw sample, by the definitions and without eyelog.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import frame_of
from support.paths import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")

TOKYO = "Asia/Tokyo"
RAW = pd.read_parquet(ROOT / "datasets" / "standard_mode_logs.parquet")
IN_POSE = RAW["tl_xav"].between(-45, 45) & RAW["tl_yav"].between(-45, 90)
STEPS = RAW[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum(axis=1)
DAY = (RAW.index - pd.Timedelta("1us")).tz_localize(None).normalize()  # a stamp closes its minute
WALKED = IN_POSE & (RAW["wea_s"] >= 30) & (RAW["stp_s"] >= 50) & (RAW["tl_yav"] < 45)

RIGHT_STEPS = STEPS.where(IN_POSE & (RAW["wea_s"] >= 30)).groupby(DAY).sum()
RIGHT_WORN_H = RAW["wea_s"].where(IN_POSE).groupby(DAY).sum() / 3600
RIGHT_PACE = STEPS[WALKED].sum() / RAW["stp_s"][WALKED].sum() * 60


def test_the_right_numbers_are_those_that_were_published() -> None:
    assert RIGHT_STEPS.iloc[0] == 5867
    assert RIGHT_WORN_H.iloc[0] == pytest.approx(12.955, abs=1e-3)
    assert RIGHT_WORN_H.sum() == pytest.approx(78.92, abs=5e-3)
    assert round(RIGHT_PACE, 2) == 114.32


@pytest.fixture(scope="module")
def minutes() -> pd.DataFrame:
    return el.sample("standard_mode_logs")


def in_halves(frame: pd.DataFrame, make: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    first = frame.index <= pd.Timestamp("2026-10-22", tz=TOKYO)
    return pd.concat([make(frame[first]), make(frame[~first])])


def check_days(days: pd.DataFrame) -> None:
    assert days["steps"].to_numpy() == pytest.approx(RIGHT_STEPS.to_numpy())
    assert days["worn_h"].to_numpy() == pytest.approx(RIGHT_WORN_H.to_numpy())


def test_what_is_made_in_halves_has_the_steps_the_worn_hours_and_the_pace_of_the_records(
    minutes: pd.DataFrame,
) -> None:
    bins = in_halves(minutes, lambda part: el.intervals(part, "10min"))
    check_days(el.daily(bins))
    assert el.gait.pace(bins)["pace_spm"].iloc[0] == pytest.approx(RIGHT_PACE)
    check_days(el.daily(in_halves(minutes, lambda part: el.mask(part, el.flag(part)))))


def sparse_minutes() -> "pd.Series[float]":
    """Return one minute in ten, in the first hour two that follow one another, without history."""
    stamps = pd.date_range("2026-10-20 08:00", periods=600, freq="min", tz=TOKYO, name="date")
    each = np.arange(600)
    kept = stamps[each % 10 < np.where(each < 60, 2, 1)]
    return pd.Series(np.arange(len(kept)) % 7.0, kept, name="value")


def test_a_sparse_series_does_not_lengthen_its_rows() -> None:
    typical = el.baseline.typical_value(sparse_minutes())
    assert typical.exposure_h == pytest.approx(66 / 60)


def test_an_episode_of_five_minutes_lasts_five_minutes_between_sparse_rows() -> None:
    five = pd.date_range("2026-10-20 12:00", periods=5, freq="min", tz=TOKYO)
    others = pd.date_range("2026-10-20 13:00", periods=20, freq="28min", tz=TOKYO)
    index = five.append(others).rename("date")
    condition = pd.Series(np.arange(25) < 5, index)
    assert el.episodes(condition)["duration_min"].tolist() == [5.0]


def test_an_hour_has_no_two_hours_of_wear() -> None:
    frame = frame_of("standard_mode_logs", {"bl": [5.0] * 120}, tz=TOKYO)
    stamps = pd.date_range("2026-10-20 12:00:30", periods=120, freq="30s", tz=TOKYO, unit="us")
    frame.index = stamps.rename("date")
    frame.attrs = {}
    try:
        worn_h = el.daily(frame)["worn_h"].sum()
    except el.EyelogError:
        return  # two sources of records, which is the other right answer
    assert worn_h <= 1 + 1e-9


def test_a_minute_is_walked_no_longer_than_it_is_worn() -> None:
    frame = frame_of("standard_mode_logs", {"wea_s": [20.0] * 30 + [40.0] * 30})
    frame["stp_s"] = 60.0
    days = el.daily(frame)
    assert days["worn_h"].iloc[0] == pytest.approx(0.5)
    # A minute with less than 30 s of wear has no steps, so it has no walking either.
    assert days["walking_h"].iloc[0] == pytest.approx(30 * 40 / 3600)


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    """Two weeks of a wearer in Berlin, over a change of the clocks."""
    log = "standard_mode_logs"
    return el.daily(el.simulate("2025-03-17", 14, log=log, seed=5, tz="Europe/Berlin"))


DATES = [f"2025-03-{day}" for day in range(17, 31)]


def test_the_days_of_a_table_are_dates(days: pd.DataFrame) -> None:
    assert days.index.name == "day"
    assert days.index.tz is None
    assert [f"{day:%Y-%m-%d}" for day in days.index] == DATES
    assert (days.index == days.index.normalize()).all()


def test_duckdb_reads_the_local_dates_from_parquet(days: pd.DataFrame, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    days.to_parquet(tmp_path / "days.parquet")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.sql(
            f"SELECT CAST(day AS DATE) FROM '{tmp_path / 'days.parquet'}' ORDER BY day"
        ).fetchall()
    assert [str(row[0]) for row in rows] == DATES


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("America/Sao_Paulo", "2018-11-04"),
        ("America/Havana", "2024-03-10"),
        ("Asia/Beirut", "2022-03-27"),
        ("America/Santiago", "2022-09-11"),
    ],
)
def test_a_day_without_a_midnight_is_counted_through_intervals_too(zone: str, day: str) -> None:
    first = pd.Timestamp(day) - pd.Timedelta("2D")
    frame = el.simulate(first.date(), 4, log="standard_mode_logs", seed=4, tz=zone)
    opens = pd.Timestamp(day).tz_localize(zone, nonexistent="shift_forward")
    # The record that closes the day before is alone in its bin.
    lone = frame[(frame.index < opens - pd.Timedelta("2h")) | (frame.index >= opens)]
    assert opens in lone.index
    for each in (frame, lone):
        direct, through = el.daily(each), el.daily(el.intervals(each, "10min"))
        assert list(direct.index) == list(through.index)
        assert through["steps"].to_numpy() == pytest.approx(direct["steps"].to_numpy())
