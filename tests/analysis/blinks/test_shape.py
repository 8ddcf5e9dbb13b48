"""Strength, duration and bursts of blinks."""

import numpy as np
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of


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
