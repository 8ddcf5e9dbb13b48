"""Gaps between blinks: their fields, how they pool, and what noise does to them."""

import numpy as np
import pytest

import eyelog as el
from eyelog.analysis.blinks.gaps import burst_fields, gap_fields, shape_fields
from eyelog.errors import ConfigurationError
from support.blinks import gaps, minutes, poisson_wearer
from support.frames import EYES, MINUTES


def test_a_length_without_gaps_is_left_over_in_the_buffer_and_does_not_count() -> None:
    frame = gaps([12.0, 99.0], [6, 0])
    assert el.blinks.rate(frame, judge=False)["exposure_min"].tolist() == [0.2]


def test_a_minute_without_gaps_needs_no_average() -> None:
    frame = minutes([3.0, np.nan], [10, 0])
    row = el.blinks.rate(frame, limits=el.Limits(min_valid="0s"), method="mean").iloc[0]
    assert row[["rate_per_min", "coverage"]].tolist() == [20.0, 1.0]


def test_an_unknown_cleansing_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'strong' or 'weak'"):
        el.blinks.rate(minutes([3.0], [9]), cleansing="mild")  # type: ignore[arg-type]


def test_the_correction_removes_the_bias_of_noise() -> None:
    frame = poisson_wearer(12.0, 3.0, 3000, seed=1)
    crude = el.blinks.rate(frame).iloc[0]
    fair = el.blinks.rate(frame, correct_noise=True).iloc[0]
    assert crude["rate_per_min"] == pytest.approx(15.0, rel=0.03)
    assert fair["noise_per_min"] == pytest.approx(3.0, rel=0.08)
    assert fair["rate_per_min"] == pytest.approx(12.0, rel=0.03)


@pytest.mark.parametrize(("cleansing", "prefix"), [("strong", "sc_"), ("weak", "lc_")])
def test_each_cleansing_has_its_own_fields(cleansing: str, prefix: str) -> None:
    assert gap_fields(MINUTES, cleansing) == (f"{prefix}bki_n", f"{prefix}bki_av")
    assert burst_fields(MINUTES, cleansing) == (f"{prefix}bk_n", f"{prefix}bkg_n")
    assert shape_fields(MINUTES, cleansing) == {
        "count": f"{prefix}bk_n",
        "strength": f"{prefix}bkh_av",
        "strength_sd": f"{prefix}bkh_sd",
        "duration": f"{prefix}bkw_av",
        "duration_sd": f"{prefix}bkw_sd",
    }


def test_the_15_second_log_has_the_same_fields_for_both_cleansings() -> None:
    for cleansing in ("strong", "weak"):
        assert gap_fields(EYES, cleansing) == ("bki_n", "bki_sum")
        assert shape_fields(EYES, cleansing) == {
            "count": "bk_n",
            "strength": "bkh_av",
            "strength_sd": "bkh_sd",
            "duration": "bkw_av",
        }
