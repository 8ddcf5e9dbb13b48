"""The busiest minutes of a day and the classes of its steps."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, at, frame_of


def walked(steps: list[float], cadence: float = 120.0) -> pd.DataFrame:
    return frame_of(EYES, {"stp": steps, "cad": [cadence if s else np.nan for s in steps]})


def minutes(seconds: list[float], steps: list[float]) -> pd.DataFrame:
    nothing = [0.0] * len(steps)
    classes = {"stp_fst": nothing, "stp_mid": steps, "stp_slw": nothing, "stp_vsl": nothing}
    return frame_of(MINUTES, classes | {"stp_s": seconds})


def test_what_needs_single_intervals_refuses_bins() -> None:
    bins = el.intervals(el.sample(), "10min")
    for ask in (el.gait.bouts, el.gait.peak_cadence):
        with pytest.raises(el.ConfigurationError, match="records"):
            ask(bins)


def test_peak_cadence_is_the_mean_of_the_busiest_minutes() -> None:
    frame = minutes([60.0] * 5, [100, 50, 120, 0, 80])
    for k, expected in ((1, 120), (2, 110), (5, 70)):
        row = el.gait.peak_cadence(frame, minutes=k).iloc[0]
        assert row[["peak_spm", "n", "exposure_min"]].tolist() == [expected, 5, 5]
    assert np.isnan(el.gait.peak_cadence(frame, minutes=6)["peak_spm"].iloc[0])


def test_peak_cadence_takes_the_30_busiest_minutes_unless_told() -> None:
    frame = minutes([60.0] * 40, [100.0] * 30 + [40.0] * 10)
    row = el.gait.peak_cadence(frame).iloc[0]
    assert row["peak_spm"] == 100
    assert el.gait.peak_cadence(frame, minutes=31)["peak_spm"].iloc[0] < 100
    assert el.gait.peak_cadence(frame.iloc[11:])["peak_spm"].isna().all()  # 29 minutes


def test_quarters_of_a_minute_make_its_steps_and_half_a_minute_makes_none() -> None:
    frame = walked([30, 30, 25, 25, 30, 30])
    row = el.gait.peak_cadence(frame, minutes=1).iloc[0]
    assert row[["peak_spm", "n"]].tolist() == [110, 1]


def test_the_busiest_minute_before_midnight_belongs_to_the_day_that_ends() -> None:
    frame = at(
        minutes([60.0] * 3, [100, 110, 50]),
        ["2026-10-20T23:59:00Z", "2026-10-21T00:00:00Z", "2026-10-21T00:01:00Z"],
    )
    assert el.gait.peak_cadence(frame, minutes=1)["peak_spm"].tolist() == [110, 50]


@pytest.mark.parametrize("options", [{"minutes": 0}, {"minutes": 1.5}, {"min_coverage": 0}])
def test_peak_cadence_refuses_what_makes_no_sense(options: dict[str, float]) -> None:
    with pytest.raises(el.ConfigurationError):
        el.gait.peak_cadence(walked([1]), **options)  # type: ignore[arg-type]


def test_step_classes_are_shares_of_all_steps() -> None:
    frame = frame_of(
        MINUTES,
        {"stp_fst": [10, 0], "stp_mid": [20, 0], "stp_slw": [30, 0], "stp_vsl": [40, 0]},
    )
    row = el.gait.speed_classes(frame).iloc[0]
    assert row["steps"] == 100
    assert row.filter(like="share_").tolist() == [0.1, 0.2, 0.3, 0.4]
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 2, 1]
