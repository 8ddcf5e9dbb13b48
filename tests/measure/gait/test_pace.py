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


def test_the_limit_of_steady_walking_is_an_argument() -> None:
    shorter = el.Limits(min_walked_for_pace="40s")
    assert el.gait.pace(minutes([49], [98]), limits=shorter)["pace_spm"].tolist() == [120]


def test_nobody_walking_is_no_pace_and_not_a_pace_of_zero() -> None:
    for frame in (walked([0, 0]), minutes([0, 0], [0, 0])):
        row = el.gait.pace(frame).iloc[0]
        assert np.isnan(row["pace_spm"])
        assert row[["n", "exposure_min"]].tolist() == [0, 0]


def test_fields_that_lack_are_named() -> None:
    with pytest.raises(el.FieldError, match=r"gait.pace needs 'cad'"):
        el.gait.pace(frame_of(EYES, {"stp": [1]}).drop(columns="cad"))
    with pytest.raises(el.FieldError, match="no step classes"):
        el.gait.speed_classes(walked([1]))
    with pytest.raises(el.MixedLogsError):
        el.gait.pace(walked([1]).assign(wea_s=60.0))
