"""Blinks of intervals: rate, its readings and correction, strength, duration, bursts."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of
from support.packets import flagged_at, packets


def gaps(sums: list[float], numbers: list[float]) -> pd.DataFrame:
    """Return a frame of the 15-second log with total and number of gaps."""
    return frame_of(EYES, {"bki_sum": sums, "bki_n": numbers})


def minutes(averages: list[float], numbers: list[float], prefix: str = "sc_") -> pd.DataFrame:
    """Return a frame of the 60-second log with mean and number of gaps of one cleansing."""
    return frame_of(MINUTES, {f"{prefix}bki_av": averages, f"{prefix}bki_n": numbers})


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


@pytest.mark.parametrize(("noun", "sd"), [("strength", "lc_bkh_sd"), ("duration", "lc_bkw_sd")])
def test_a_spread_that_one_cleansing_lacks_is_not_that_of_the_other(noun, sd) -> None:
    frame = el.sample(MINUTES).drop(columns=sd)
    lost = getattr(el.blinks, noun)(frame, cleansing="weak").filter(regex="_sd_(uv|ms|total)")
    assert lost.shape == (1, 2)
    assert lost.isna().all(axis=None)
    kept = getattr(el.blinks, noun)(frame).filter(regex="_sd_(uv|ms|total)")
    assert kept.notna().all(axis=None)


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
    with pytest.raises(el.FieldError, match="'lc_bki_av', 'lc_bki_n'"):
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


def test_the_duration_of_the_15_second_log_has_no_sd_within() -> None:
    frame = frame_of(EYES, {"bk_n": [1, 3], "bkw_av": [100.0, 140.0]})
    row = el.blinks.duration(frame).iloc[0]
    assert row["duration_ms"] == 130
    assert row[["duration_sd_ms", "duration_sd_total_ms"]].isna().all()


def test_bursts_are_counted_per_blink() -> None:
    frame = frame_of(MINUTES, {"sc_bk_n": [10, 30, 0], "sc_bkg_n": [1, 7, 0]})
    row = el.blinks.bursts(frame).iloc[0]
    assert row[["burst_share", "bursts", "n", "exposure_min"]].tolist() == [0.2, 8, 40, 3]


def test_of_single_blinks_strength_and_duration_are_those_of_the_blinks_that_count() -> None:
    frame = packets(24_000, {"noiseStatus": flagged_at(24_000, *range(3000, 3200))}, seed=4)
    single = el.blinks.events(frame)
    counted = single[single["counted"]]
    for made, name, column in (
        (el.blinks.strength(frame), "strength_uv", "strength"),
        (el.blinks.duration(frame), "duration_ms", "closed_ms"),
    ):
        row = made.iloc[0]
        noun, unit = name.rsplit("_", 1)
        assert row[name] == pytest.approx(counted[column].mean())
        assert row[f"{noun}_sd_total_{unit}"] == pytest.approx(counted[column].std())
        assert np.isnan(row[f"{noun}_sd_{unit}"])
        assert row["n"] == len(counted)
        assert row["exposure_min"] == pytest.approx((24_000 - 220) / 1200, abs=0.01)


def test_a_burst_is_a_run_of_blinks_each_within_a_second_of_the_one_before() -> None:
    rows = [100, 110, 125, 200, 300, 315, 400]
    there = flagged_at(1200, *rows)
    noisy = flagged_at(1200, 305)  # hides whether 315 follows 300
    frame = packets(
        1200,
        {"blinkStrength": there * 80.0, "blinkSpeed": there * 120.0, "noiseStatus": noisy},
        jitter_us=0,
    )
    row = el.blinks.bursts(frame).iloc[0]
    assert row["bursts"] == 1
    assert row["n"] == 6  # that of row 315 is noisy
    assert row["burst_share"] == pytest.approx(1 / 6)
    by_minute = el.blinks.bursts(frame, by="1min")
    assert by_minute["bursts"].sum() == 1


def test_without_evidence_of_wear_blinks_are_still_counted() -> None:
    frame = packets(2400, seed=4).drop(columns="fitError")
    with pytest.warns(el.EyelogWarning, match="fitError"):
        row = el.blinks.bursts(frame).iloc[0]
    with pytest.warns(el.EyelogWarning, match="fitError"):
        assert el.blinks.strength(frame)["n"].iloc[0] == row["n"] > 0
    assert row["exposure_min"] == 2
