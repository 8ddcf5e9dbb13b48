"""Gaps between blinks: their fields, how they pool, and what noise does to them."""

import numpy as np
import pytest

import eyelog as el
from support.blinks import gaps, minutes, poisson_wearer


def test_a_length_without_gaps_is_left_over_in_the_buffer_and_does_not_count() -> None:
    frame = gaps([12.0, 99.0], [6, 0])
    assert el.blinks.rate(frame)["exposure_min"].tolist() == [0.2]


def test_a_minute_without_gaps_needs_no_average() -> None:
    frame = minutes([3.0, np.nan], [10, 0])
    row = el.blinks.rate(frame, limits=el.Limits(min_valid="0s"), method="mean").iloc[0]
    assert row[["rate_per_min", "coverage"]].tolist() == [20.0, 1.0]


def test_an_unknown_cleansing_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="'strong' or 'weak'"):
        el.blinks.rate(minutes([3.0], [9]), cleansing="mild")  # type: ignore[arg-type]


def test_the_correction_removes_the_bias_of_noise() -> None:
    frame = poisson_wearer(12.0, 3.0, 3000, seed=1)
    crude = el.blinks.rate(frame).iloc[0]
    fair = el.blinks.rate(frame, correct_noise=True).iloc[0]
    assert crude["rate_per_min"] == pytest.approx(15.0, rel=0.03)
    assert fair["noise_per_min"] == pytest.approx(3.0, rel=0.08)
    assert fair["rate_per_min"] == pytest.approx(12.0, rel=0.03)
