"""Pace, walking bouts, busiest minutes, step classes, symmetry, day totals."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of


def walked(steps: list[float], cadence: float = 120.0) -> pd.DataFrame:
    return frame_of(EYES, {"stp": steps, "cad": [cadence if s else np.nan for s in steps]})


def minutes(seconds: list[float], steps: list[float]) -> pd.DataFrame:
    nothing = [0.0] * len(steps)
    classes = {"stp_fst": nothing, "stp_mid": steps, "stp_slw": nothing, "stp_vsl": nothing}
    return frame_of(MINUTES, classes | {"stp_s": seconds})


def test_pace_is_steps_over_time_walked_in_minutes_of_steady_walking() -> None:
    row = el.gait.pace(minutes([60, 50, 49, 0], [120, 80, 90, 0])).iloc[0]
    assert row["pace_spm"] == pytest.approx(200 * 60 / 110)
    assert row["n"] == 2
    assert row["exposure_min"] == pytest.approx(110 / 60)
    assert row["coverage"] == 1


def test_the_limit_of_steady_walking_is_an_argument() -> None:
    shorter = el.Limits(min_walked_for_pace="40s")
    assert el.gait.pace(minutes([49], [98]), limits=shorter)["pace_spm"].tolist() == [120]


def test_all_four_classes_of_steps_make_the_pace() -> None:
    frame = frame_of(
        MINUTES, {"stp_fst": [10], "stp_mid": [20], "stp_slw": [30], "stp_vsl": [40], "stp_s": [60]}
    )
    assert el.gait.pace(frame)["pace_spm"].tolist() == [100]


def test_cadences_average_over_the_time_they_took() -> None:
    frame = frame_of(EYES, {"stp": [30, 15, 0], "cad": [120.0, 60.0, np.nan]})
    row = el.gait.pace(frame).iloc[0]
    assert row["pace_spm"] == pytest.approx(45 / 0.5)
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 0.5, 1]


def test_nobody_walking_is_no_pace_and_not_a_pace_of_zero() -> None:
    for frame in (walked([0, 0]), minutes([0, 0], [0, 0])):
        row = el.gait.pace(frame).iloc[0]
        assert np.isnan(row["pace_spm"])
        assert row[["n", "exposure_min"]].tolist() == [0, 0]


def test_the_pace_by_day_is_that_of_the_daily_summary() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        by_day, days = el.gait.pace(frame, by="1D"), el.daily(frame)
        np.testing.assert_allclose(by_day["pace_spm"], days["pace_spm"])
        np.testing.assert_allclose(by_day["exposure_min"], days["pace_exposure_min"])


def test_the_pace_of_a_simulated_wearer_is_the_planted_one() -> None:
    truth = el.simulate_truth("2026-10-19", 5, seed=2)
    planted = (truth["pace_spm"] * truth["walking_min"]).sum() / truth["walking_min"].sum()
    found = el.gait.pace(el.simulate("2026-10-19", 5, seed=2))["pace_spm"].iloc[0]
    assert found == pytest.approx(planted, rel=0.01)


def test_fields_that_lack_are_named() -> None:
    with pytest.raises(el.FieldError, match=r"gait.pace needs 'cad'"):
        el.gait.pace(frame_of(EYES, {"stp": [1]}).drop(columns="cad"))
    with pytest.raises(el.FieldError, match="no step classes"):
        el.gait.speed_classes(walked([1]))
    with pytest.raises(el.MixedLogsError):
        el.gait.pace(walked([1]).assign(wea_s=60.0))
