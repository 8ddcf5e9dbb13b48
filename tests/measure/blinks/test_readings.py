"""The ways to read a blink rate: their sums, their exposure, and the bins that carry both."""

import warnings

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.blinks import gaps, minutes
from support.frames import EYES, MINUTES, frame_of


def test_root_mean_squares_are_a_lower_bound_and_exponential_gaps_are_not() -> None:
    frame = minutes([3.0, 6.0], [10, 5])
    found = {
        kind: el.blinks.rate(frame, limits=el.Limits(min_valid="0s"), method=kind).iloc[0]
        for kind in ("rms", "exponential", "mean")
    }
    gap = np.sqrt((10 * 9 + 5 * 36) / 15)
    assert found["rms"]["rate_per_min"] == pytest.approx(60 / gap)
    assert found["mean"]["rate_per_min"] == pytest.approx(60 * 15 / (30 + 30))
    assert found["exponential"]["rate_per_min"] == pytest.approx(60 / gap * np.sqrt(2))
    assert found["rms"]["rate_per_min"] <= found["mean"]["rate_per_min"]
    # The exposure is the time measured without noise, never what the gaps would add up to.
    assert [row["exposure_min"] for row in found.values()] == [2, 2, 2]


def test_the_default_of_the_60_second_log_counts_blinks_and_does_not_warn() -> None:
    frame = frame_of(MINUTES, {"lc_bk_n": [10, 20, 0, None], "nis_s": [0, 6, 0, 0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = el.blinks.rate(frame, limits=el.Limits(min_valid="0s")).iloc[0]
    assert row["rate_per_min"] == pytest.approx(30 / 2.9)
    assert row[["n", "exposure_min", "coverage"]].tolist() == [30, 2.9, 0.75]


def test_minutes_without_a_gap_have_no_rate_by_gaps_and_say_so() -> None:
    row = el.blinks.rate(minutes([3.0] * 5, [0] * 5), method="rms").iloc[0]
    assert np.isnan(row["rate_per_min"])
    assert row["reason"] == "no gap was measured in 5 usable minutes"


def test_a_method_of_the_other_log_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="method must be 'gaps' for 'computed_data'"):
        el.blinks.rate(gaps([12.0], [6]), method="counts")
    with pytest.raises(el.ConfigurationError, match="'counts' or 'exponential' or 'mean' or 'rms'"):
        el.blinks.rate(minutes([3.0], [10]), method="gaps")


def test_every_reading_of_intervals_is_that_of_their_records() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        whole, wide = (el.blinks.rate(f, by="day") for f in (frame, el.intervals(frame, "1h")))
        pd.testing.assert_frame_equal(wide, whole, rtol=1e-9)
    frame = el.sample(MINUTES)
    frame = frame.assign(sc_bki_av=frame["sc_bki_av"].mask(np.arange(len(frame)) % 7 == 0))
    whole, wide = (el.blinks.cleansings(f, by="day") for f in (frame, el.intervals(frame, "1h")))
    pd.testing.assert_frame_equal(wide, whole, rtol=1e-9)
