"""Step times: their mean, and how much they vary between records."""

import numpy as np
import pytest

import eyelog as el
from support.frames import frame_of

EYES, MINUTES = "computed_data", "standard_mode_logs"


def test_the_step_time_is_the_inverse_of_the_pace() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        by_day, pace = el.gait.step_time(frame, by="1D"), el.gait.pace(frame, by="1D")
        np.testing.assert_allclose(by_day["step_time_ms"], 60_000 / pace["pace_spm"])
        np.testing.assert_array_equal(by_day["exposure_min"], pace["exposure_min"])
        cv = by_day["step_time_sd_between_ms"] / by_day["step_time_ms"]
        np.testing.assert_allclose(by_day["step_time_cv_between"], cv)
        np.testing.assert_array_equal(
            by_day["step_time_cv_between"], el.daily(frame)["step_time_cv_between"]
        )


def test_the_spread_weighs_each_record_by_its_steps() -> None:
    # 10 steps of 1 s, 30 steps of 0.5 s: mean 25 / 40 s
    frame = frame_of(EYES, {"stp": [10, 30], "cad": [60, 120], "isl": [False, False]})
    walked = el.gait.step_time(frame).loc["all"]
    assert walked["step_time_ms"] == pytest.approx(625)
    spread = (10 * 375.0**2 + 30 * 125.0**2) / 40
    assert walked["step_time_sd_between_ms"] == pytest.approx(spread**0.5)
    assert walked["n"] == 40


def test_one_record_has_a_step_time_and_no_spread() -> None:
    frame = frame_of(EYES, {"stp": [20, 0], "cad": [100, 0], "isl": [False, False]})
    walked = el.gait.step_time(frame).loc["all"]
    assert walked["step_time_ms"] == pytest.approx(600)
    assert np.isnan(walked[["step_time_sd_between_ms", "step_time_cv_between"]].to_numpy()).all()


def test_a_day_without_walking_has_no_step_time() -> None:
    frame = frame_of(EYES, {"stp": [0, 0], "cad": [0, 0], "isl": [False, False]})
    row = el.gait.step_time(frame).loc["all"]
    assert row["n"] == 0
    assert np.isnan(row["step_time_ms"])
