"""The blink rate: published numbers, laws, and planted truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.blinks import gaps, minutes
from support.frames import EYES, MINUTES, frame_of


@pytest.mark.parametrize("method", ["counts", "mean", "rms", "exponential"])
@pytest.mark.parametrize("evidence", ["val_s", "nis_s"])
@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")  # how means of one minute are read
def test_a_minute_whose_usable_time_is_unknown_costs_that_minute(evidence, method) -> None:
    frame = el.sample("standard_mode_logs")
    whole = el.blinks.rate(frame, method=method, by="day")
    usable = el.mask(frame, el.flag(frame))["lc_bki_n"] > 0
    frame.loc[frame.index[usable][100], evidence] = np.nan
    holed = el.blinks.rate(frame, method=method, by="day")
    lost = whole["exposure_min"] - holed["exposure_min"]
    assert lost.between(0, 1).all()
    assert holed["rate_per_min"].to_numpy() == pytest.approx(whole["rate_per_min"], rel=0.02)


def test_without_gaps_the_rate_is_missing_and_not_0() -> None:
    row = el.blinks.rate(gaps([0.0] * 40, [0] * 40), limits=el.Limits(min_valid="0min")).iloc[0]
    assert np.isnan(row["rate_per_min"])
    assert row[["n", "exposure_min", "coverage"]].tolist() == [0, 0, 1]


def test_all_methods_and_cleansings_stand_side_by_side() -> None:
    frame = (
        minutes([3.0] * 20, [10] * 20)
        .join(minutes([2.0] * 20, [15] * 20, "lc_")[["lc_bki_av", "lc_bki_n"]])
        .assign(sc_bk_n=12.0, lc_bk_n=16.0)
    )
    table = el.blinks.cleansings(frame)
    assert table.index.names == ["group", "method", "cleansing"]
    assert table["rate_per_min"].loc["all"].to_dict() == {
        ("counts", "strong"): pytest.approx(12),
        ("counts", "weak"): pytest.approx(16),
        ("exponential", "strong"): pytest.approx(20 * np.sqrt(2)),
        ("exponential", "weak"): pytest.approx(30 * np.sqrt(2)),
        ("mean", "strong"): pytest.approx(20),
        ("mean", "weak"): pytest.approx(30),
        ("rms", "strong"): pytest.approx(20),
        ("rms", "weak"): pytest.approx(30),
    }
    by_hour = el.blinks.cleansings(frame, by="hour")
    for method, cleansing in table.loc["all"].index:
        alone = el.blinks.rate(frame, by="hour", method=method, cleansing=cleansing)
        beside = by_hour.xs((method, cleansing), level=("method", "cleansing"))
        pd.testing.assert_frame_equal(beside, alone)


def test_the_rate_by_hour_of_day_and_by_context() -> None:
    frame = gaps([15.0] * 480, [3] * 240 + [6] * 240)
    by_hour = el.blinks.rate(frame, by="hour")
    assert by_hour.index.tolist() == [10, 11]
    assert by_hour["rate_per_min"].tolist() == [12, 24]
    assert by_hour["coverage"].tolist() == [1, 1]
    context = ["desk", "meal"] * 240
    by_context = el.blinks.rate(frame, by=context)
    assert by_context["rate_per_min"].tolist() == [18, 18]
    pd.testing.assert_frame_equal(
        el.blinks.rate(frame, by=pd.Series(context, index=frame.index)), by_context
    )


def test_a_frame_without_gaps_is_refused_and_names_their_fields() -> None:
    with pytest.raises(el.FieldError, match=r"blinks.rate needs 'bki_sum"):
        el.blinks.rate(frame_of(EYES, {"bki_n": [1]}))
    with pytest.raises(el.FieldError, match="'lc_bki_n', 'lc_bki_av'"):
        el.blinks.rate(minutes([3.0], [10]), cleansing="weak", method="rms")
    with pytest.raises(el.FieldError, match="'val_s', 'nis_s', 'lc_bk_n'"):
        el.blinks.rate(frame_of(MINUTES, {"sc_bk_n": [1]}, calm=False))


def test_bursts_and_cleansings_of_the_15_second_log_are_refused() -> None:
    for ask in (el.blinks.bursts, el.blinks.cleansings):
        with pytest.raises(el.FieldError, match="60-second log"):
            ask(gaps([12.0], [6]))


def test_noise_is_not_corrected_where_its_intervals_are_masked() -> None:
    frame = el.sample()
    reasons = el.flag(frame)
    with pytest.raises(el.ConfigurationError, match="from before mask"):
        el.blinks.rate(el.mask(frame, reasons), correct_noise=True)
    wide = el.blinks.rate(el.intervals(frame, "1h"), correct_noise=True)
    narrow = el.blinks.rate(frame, correct_noise=True)
    # The coverage is of the time between the first row and the last: whole hours here.
    drop = {"columns": "coverage"}
    pd.testing.assert_frame_equal(wide.drop(**drop), narrow.drop(**drop))


def test_noise_without_a_quiet_interval_is_not_corrected_and_says_so() -> None:
    frame = gaps([12.0] * 40, [6] * 40).assign(nis_time=2.0)
    row = el.blinks.rate(frame, correct_noise=True).iloc[0]
    assert row[["rate_per_min", "low", "high", "noise_per_min"]].isna().all()
    assert row["reason"].startswith("no quiet interval")


def test_counts_have_nothing_to_correct_for_noise() -> None:
    with pytest.raises(el.ConfigurationError, match="method='exponential'"):
        el.blinks.rate(el.sample(MINUTES), correct_noise=True)


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.integers(0, 13), st.floats(0.5, 40).map(lambda x: round(x, 1))),
        min_size=1,
        max_size=20,
    ),
    st.integers(2, 9),
)
def test_twice_the_gaps_in_the_same_time_is_twice_the_rate(
    rows: list[tuple[int, float]], factor: int
) -> None:
    n, s = [float(a) for a, _ in rows], [b if a else 0.0 for a, b in rows]
    options = {"limits": el.Limits(min_valid="0s")}
    once = el.blinks.rate(gaps(s, n), **options)
    more = el.blinks.rate(gaps(s, [a * factor for a in n]), **options)
    np.testing.assert_allclose(more["rate_per_min"], once["rate_per_min"] * factor)
    np.testing.assert_allclose(more["exposure_min"], once["exposure_min"])
