"""The ways to read a blink rate: their sums, their exposure, and the bins that carry both."""

import warnings

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.analysis.blinks.readings import rate_fields, reading_of, readings
from eyelog.errors import ConfigurationError, FieldError
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
    with pytest.raises(ConfigurationError, match="method must be 'gaps' for 'computed_data'"):
        el.blinks.rate(gaps([12.0], [6]), method="counts")
    with pytest.raises(ConfigurationError, match="'counts' or 'exponential' or 'mean' or 'rms'"):
        el.blinks.rate(minutes([3.0], [10]), method="gaps")


def test_bins_have_the_rate_and_the_exposure_of_their_records() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        bins = el.resample(frame, "1h", min_coverage=1)
        whole, pooled = (el.blinks.rate(f, by="1D").drop(columns="coverage") for f in (frame, bins))
        pd.testing.assert_frame_equal(pooled, whole, check_index_type=False)
    narrow = el.resample(minutes([3.0] * 60, [10] * 60), "1h")
    with pytest.raises(FieldError, match="'lc_bk_n'"):  # bins know no other usable time
        el.blinks.rate(narrow, method="rms")


def test_the_default_is_weak_counts_and_readings_of_gaps_are_strict() -> None:
    assert reading_of(MINUTES).details == {"method": "counts", "cleansing": "weak"}
    assert reading_of(MINUTES, "rms").details == {"method": "rms", "cleansing": "strong"}
    assert reading_of(EYES).details == {"method": "gaps"}
    assert len(set(readings(MINUTES))) == 8


def test_a_reading_names_its_fields() -> None:
    assert rate_fields(reading_of(MINUTES)) == ["val_s", "nis_s", "lc_bk_n"]
    assert rate_fields(reading_of(EYES)) == ["bki_n", "bki_sum"]
    assert rate_fields(reading_of(EYES), resampled=True)[-2:] == ["blink_n", "blink_min"]


def test_every_reading_of_bins_is_that_of_their_records() -> None:
    frame = el.sample(MINUTES)
    frame = frame.assign(sc_bki_av=frame["sc_bki_av"].mask(np.arange(len(frame)) % 7 == 0))
    frame.attrs = dict(el.sample(MINUTES).attrs)
    bins = el.resample(frame, "10min", min_coverage=0)
    columns = ["rate_per_min", "low", "high", "n", "exposure_min"]
    whole, pooled = (el.blinks.cleansings(f, by="1D")[columns] for f in (frame, bins))
    whole = whole.drop(index="mean", level="method")  # bins hold root mean squares
    pd.testing.assert_frame_equal(pooled, whole, rtol=1e-9)
    with pytest.raises(ConfigurationError, match="from before resample"):
        el.blinks.rate(bins, method="mean")
