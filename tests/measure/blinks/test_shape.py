"""Strength, duration and bursts of blinks."""

import numpy as np
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of
from support.packets import flagged_at, packets


def test_strength_and_its_sds_are_those_of_all_blinks() -> None:
    groups = [[90.0, 110.0, 130.0], [60.0, 80.0], [100.0]]
    frame = frame_of(
        EYES,
        {
            "bk_n": [len(g) for g in groups],
            "bkh_av": [np.mean(g) for g in groups],
            "bkh_sd": [np.std(g) for g in groups],
        },
    )
    row = el.blinks.strength(frame).iloc[0]
    every = np.concatenate(groups)
    assert row["strength_uv"] == pytest.approx(every.mean())
    assert row["strength_sd_total_uv"] == pytest.approx(every.std())
    assert row["n"] == 6
    assert row["exposure_min"] == 0.75


def test_the_duration_of_the_15_second_log_has_no_sd_within() -> None:
    frame = frame_of(EYES, {"bk_n": [1, 3], "bkw_av": [100.0, 140.0]})
    row = el.blinks.duration(frame).iloc[0]
    assert row["duration_ms"] == 130
    assert row[["duration_sd_ms", "duration_sd_total_ms"]].isna().all()


def test_bursts_are_counted_per_blink() -> None:
    frame = frame_of(MINUTES, {"sc_bk_n": [10, 30, 0], "sc_bkg_n": [1, 7, 0]})
    row = el.blinks.bursts(frame).iloc[0]
    assert row[["burst_share", "bursts", "n", "exposure_min"]].tolist() == [0.2, 8, 40, 3]


def test_of_single_blinks_strength_and_duration_are_those_of_the_blinks_that_count() -> None:
    frame = packets(24_000, {"noiseStatus": flagged_at(24_000, *range(3000, 3200))}, seed=4)
    single = el.blinks.events(frame)
    counted = single[single["counted"]]
    for made, name, column in (
        (el.blinks.strength(frame), "strength_uv", "strength"),
        (el.blinks.duration(frame), "duration_ms", "closed_ms"),
    ):
        row = made.iloc[0]
        noun, unit = name.rsplit("_", 1)
        assert row[name] == pytest.approx(counted[column].mean())
        assert row[f"{noun}_sd_total_{unit}"] == pytest.approx(counted[column].std())
        assert np.isnan(row[f"{noun}_sd_{unit}"])
        assert row["n"] == len(counted)
        assert row["exposure_min"] == pytest.approx((24_000 - 220) / 1200, abs=0.01)


def test_a_burst_is_a_run_of_blinks_each_within_a_second_of_the_one_before() -> None:
    rows = [100, 110, 125, 200, 300, 315, 400]
    there = flagged_at(1200, *rows)
    noisy = flagged_at(1200, 305)  # hides whether 315 follows 300
    frame = packets(
        1200,
        {"blinkStrength": there * 80.0, "blinkSpeed": there * 120.0, "noiseStatus": noisy},
        jitter_us=0,
    )
    row = el.blinks.bursts(frame).iloc[0]
    assert row["bursts"] == 1
    assert row["n"] == 6  # that of row 315 is noisy
    assert row["burst_share"] == pytest.approx(1 / 6)
    by_minute = el.blinks.bursts(frame, by="1min")
    assert by_minute["bursts"].sum() == 1


def test_without_evidence_of_wear_blinks_are_still_counted() -> None:
    frame = packets(2400, seed=4).drop(columns="fitError")
    with pytest.warns(el.EyelogWarning, match="fitError"):
        row = el.blinks.bursts(frame).iloc[0]
    with pytest.warns(el.EyelogWarning, match="fitError"):
        assert el.blinks.strength(frame)["n"].iloc[0] == row["n"] > 0
    assert row["exposure_min"] == 2
