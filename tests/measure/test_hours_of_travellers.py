"""Bins of less than a day keep the clock of a wearer who travels."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import eyelog as el

ZONES = el.Zones(
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
    return el.simulate("2026-10-01", 7, log="standard_mode_logs", seed=3, tz=ZONES)


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
