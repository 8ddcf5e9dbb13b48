"""What is planted in a simulated day of the 20 Hz log is found again."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el

DAY = ("2026-10-19", 1)


@pytest.fixture(scope="module")
def day() -> tuple[pd.DataFrame, pd.DataFrame]:
    asked = {"log": "current_data", "seed": 3, "tz": "Europe/Berlin"}
    return el.simulate(*DAY, **asked), el.simulate_truth(*DAY, **asked)


@pytest.mark.slow("a day of 20 Hz rows is simulated")
def test_planted_blinks_are_found_and_lost_packets_are_counted(day) -> None:
    frame, truth = day
    planted = truth[truth["kind"] == "blink"]
    found = el.blinks.events(frame)
    hits = len(pd.DatetimeIndex(planted["row"].dropna()).intersection(found.index))
    assert 2 * hits / (len(planted) + len(found)) >= 0.99
    gaps = el.gaps(frame)
    assert (gaps["kind"] == "lost").sum() == (truth["kind"] == "loss").sum()


@pytest.mark.slow("a day of 20 Hz rows is simulated")
def test_with_5_percent_of_the_packets_lost_most_blinks_are_found(day) -> None:
    frame, truth = day
    kept = np.random.default_rng(1).random(len(frame)) >= 0.05
    planted = truth[truth["kind"] == "blink"]
    found = el.blinks.events(frame[kept])
    hits = len(pd.DatetimeIndex(planted["row"].dropna()).intersection(found.index))
    assert 2 * hits / (len(planted) + len(found)) >= 0.95


@pytest.mark.slow("a day of 20 Hz rows is simulated")
def test_the_15_second_log_and_the_20_hz_log_tell_one_story(day) -> None:
    frame, _ = day
    single = el.daily(frame).iloc[0]
    counted = el.daily(el.simulate(*DAY, seed=3, tz="Europe/Berlin")).iloc[0]
    assert single["steps"] == pytest.approx(counted["steps"], rel=0.01)
    assert single["worn_h"] == pytest.approx(counted["worn_h"], rel=0.02)
    assert single["blink_rate_per_min"] == pytest.approx(counted["blink_rate_per_min"], rel=0.05)
    assert single["blink_duration_ms"] == pytest.approx(counted["blink_duration_ms"], rel=0.02)
