"""Blink rate, shape and bursts: published numbers, laws, and planted truth."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.errors import ConfigurationError, EyelogWarning, FieldError, MixedLogsError
from support.frames import EYES, MINUTES, frame_of

RATE = ["rate_per_min", "low", "high", "n", "exposure_min", "coverage"]


def gaps(sums: list[float], numbers: list[float]) -> pd.DataFrame:
    return frame_of(EYES, {"bki_sum": sums, "bki_n": numbers})


def minutes(averages: list[float], numbers: list[float], prefix: str = "sc_") -> pd.DataFrame:
    return frame_of(MINUTES, {f"{prefix}bki_av": averages, f"{prefix}bki_n": numbers})


def test_the_rate_pools_gaps_and_is_no_mean_of_rates() -> None:
    table = el.blinks.rate(gaps([12.0, 30.0, 9.0], [6, 3, 9]), min_valid="0min")
    assert list(table.columns) == RATE
    row = table.iloc[0]
    assert row["rate_per_min"] == pytest.approx(21.1764706, abs=1e-7)
    assert row[["n", "exposure_min", "coverage"]].tolist() == [18, 0.85, 1]
    # Exact limits of a Poisson count of 18, 95 %: 10.668 and 28.448
    assert row["low"] == pytest.approx(10.668 / 0.85, abs=1e-3)
    assert row["high"] == pytest.approx(28.448 / 0.85, abs=1e-3)


def test_below_the_least_valid_time_there_is_no_rate_but_what_there_is_is_told() -> None:
    row = el.blinks.rate(gaps([12.0, 30.0, 9.0], [6, 3, 9])).iloc[0]
    assert row[["rate_per_min", "low", "high"]].isna().all()
    assert row[["n", "exposure_min"]].tolist() == [18, 0.85]
    assert el.blinks.rate(gaps([15.0] * 12, [1] * 12))["rate_per_min"].tolist() == [4.0]


def test_no_gap_is_no_rate_and_not_a_rate_of_zero() -> None:
    row = el.blinks.rate(gaps([0.0] * 40, [0] * 40), min_valid="0min").iloc[0]
    assert np.isnan(row["rate_per_min"])
    assert row[["n", "exposure_min", "coverage"]].tolist() == [0, 0, 1]


def test_a_length_without_gaps_is_an_old_buffer_and_counts_nothing() -> None:
    frame = gaps([12.0, 99.0], [6, 0])
    assert el.blinks.rate(frame, judge=False)["exposure_min"].tolist() == [0.2]


def test_invalid_moving_and_unworn_intervals_do_not_count() -> None:
    frame = gaps([12.0] * 4, [6, 7, 8, 9]).assign(
        vld=pd.array([True, False, True, True], dtype="boolean"),
        stp=[0.0, 0.0, 20.0, 0.0],
        isl=pd.array([False, False, False, True], dtype="boolean"),
    )
    row = el.blinks.rate(frame).iloc[0]
    assert row[["n", "coverage"]].tolist() == [6, 0.25]


def test_the_minute_log_takes_its_gaps_for_root_mean_squares_and_warns() -> None:
    frame = minutes([3.0, 6.0], [10, 5])
    with pytest.warns(EyelogWarning, match="lower bound"):
        table = el.blinks.rate(frame, min_valid="0s")
    gap = np.sqrt((10 * 9 + 5 * 36) / 15)
    assert table["rate_per_min"].tolist() == [pytest.approx(60 / gap)]
    assert table["exposure_min"].tolist() == [pytest.approx(15 * gap / 60)]


def test_the_reader_of_the_warning_can_say_what_the_gaps_are() -> None:
    frame = minutes([3.0, 6.0], [10, 5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {
            kind: el.blinks.rate(frame, min_valid="0s", gaps=kind)["rate_per_min"].iloc[0]
            for kind in ("rms", "exponential", "mean")
        }
    assert found["mean"] == pytest.approx(60 * 15 / (30 + 30))
    assert found["exponential"] == pytest.approx(found["rms"] * np.sqrt(2))
    assert found["rms"] <= found["mean"]


def test_a_minute_without_gaps_has_no_average_and_loses_nothing() -> None:
    frame = minutes([3.0, np.nan], [10, 0])
    row = el.blinks.rate(frame, min_valid="0s", gaps="mean").iloc[0]
    assert row[["rate_per_min", "coverage"]].tolist() == [20.0, 1.0]


def test_both_cleansings_stand_side_by_side() -> None:
    frame = minutes([3.0] * 20, [10] * 20).join(
        minutes([2.0] * 20, [15] * 20, "lc_")[["lc_bki_av", "lc_bki_n"]]
    )
    row = el.blinks.cleansings(frame).iloc[0]
    assert row[["strong_rate_per_min", "weak_rate_per_min", "difference_per_min"]].tolist() == [
        pytest.approx(20),
        pytest.approx(30),
        pytest.approx(10),
    ]
    weak = el.blinks.rate(frame, cleansing="weak", gaps="rms")
    assert weak["n"].tolist() == [300]


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


def test_the_rate_by_day_is_that_of_the_daily_summary() -> None:
    frame = el.sample()
    by_day, days = el.blinks.rate(frame, by="1D"), el.daily(frame)
    assert by_day.index.equals(days.index)
    for mine, its in (("rate_per_min", "rate_per_min"), ("low", "rate_low"), ("n", "n")):
        np.testing.assert_array_equal(by_day[mine], days[f"blink_{its}"])


def test_bins_of_the_rate_are_stamped_by_their_end() -> None:
    frame = gaps([15.0] * 240, [3] * 240)
    table = el.blinks.rate(frame, by="30min")
    assert [f"{label:%H:%M}" for label in table.index] == ["10:30", "11:00"]


def test_pooled_bins_equal_the_whole() -> None:
    frame = el.sample()
    by_bin, whole = el.blinks.rate(frame, by="1h"), el.blinks.rate(frame)
    assert by_bin["n"].sum() == whole["n"].iloc[0]
    assert by_bin["exposure_min"].sum() == pytest.approx(whole["exposure_min"].iloc[0])


def test_a_frame_without_the_gaps_is_refused_by_their_names() -> None:
    with pytest.raises(FieldError, match=r"blinks.rate needs 'bki_sum"):
        el.blinks.rate(frame_of(EYES, {"bki_n": [1]}))
    with pytest.raises(FieldError, match="'lc_bki_n', 'lc_bki_av'"):
        el.blinks.rate(minutes([3.0], [10]), cleansing="weak", gaps="rms")


def test_what_the_15_second_log_cannot_say_is_refused() -> None:
    for ask in (el.blinks.bursts, el.blinks.cleansings):
        with pytest.raises(FieldError, match="60-second log"):
            ask(gaps([12.0], [6]))


def test_the_two_logs_in_one_frame_are_refused() -> None:
    with pytest.raises(MixedLogsError):
        el.blinks.rate(gaps([12.0], [6]).assign(wea_s=60.0))


@pytest.mark.parametrize(
    "options",
    [
        {"min_valid": "soon"},
        {"min_valid": "-1min"},
        {"gaps": "median"},
        {"by": "fortnight"},
        {"stamp": "middle"},
    ],
)
def test_arguments_that_make_no_sense_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        el.blinks.rate(gaps([12.0], [6]), **options)  # type: ignore[arg-type]


def test_a_cleansing_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="'strong' or 'weak'"):
        el.blinks.rate(minutes([3.0], [9]), cleansing="mild", gaps="rms")  # type: ignore[arg-type]


def test_noise_is_not_corrected_in_bins() -> None:
    bins = el.resample(el.sample(), "10min")
    with pytest.raises(ConfigurationError, match="before resample"):
        el.blinks.rate(bins, correct_noise=True)


def test_strength_and_its_sds_are_those_of_all_blinks() -> None:
    groups = [[90.0, 110.0, 130.0], [60.0, 80.0], [100.0]]
    frame = frame_of(
        EYES,
        {
            "bk_n": [len(g) for g in groups],
            "bkh_av": [np.mean(g) for g in groups],
            "bkh_sd": [np.std(g) for g in groups],
        },
    )
    row = el.blinks.strength(frame).iloc[0]
    every = np.concatenate(groups)
    assert row["strength_uv"] == pytest.approx(every.mean())
    assert row["strength_sd_total_uv"] == pytest.approx(every.std())
    assert row["n"] == 6
    assert row["exposure_min"] == 0.75


def test_the_duration_of_the_15_second_log_has_no_sd_within() -> None:
    frame = frame_of(EYES, {"bk_n": [1, 3], "bkw_av": [100.0, 140.0]})
    row = el.blinks.duration(frame).iloc[0]
    assert row["duration_ms"] == 130
    assert row[["duration_sd_ms", "duration_sd_total_ms"]].isna().all()


def test_bursts_are_counted_per_blink() -> None:
    frame = frame_of(MINUTES, {"sc_bk_n": [10, 30, 0], "sc_bkg_n": [1, 7, 0]})
    row = el.blinks.bursts(frame).iloc[0]
    assert row[["burst_share", "bursts", "n", "exposure_min"]].tolist() == [0.2, 8, 40, 3]


@pytest.mark.parametrize("log", [EYES, MINUTES])
@pytest.mark.parametrize("name", ["rate", "strength", "duration", "effective_n", "bursts"])
def test_no_rows_give_a_table_of_the_same_shape(log: str, name: str) -> None:
    if log == EYES and name == "bursts":
        return
    frame = el.sample(log)
    options = {"gaps": "rms"} if name == "rate" else {}
    ask = getattr(el.blinks, name)
    for by in (None, "1D", "hour"):
        full, none = ask(frame, by=by, **options), ask(frame.iloc[:0], by=by, **options)
        assert none.dtypes.equals(full.dtypes)
        assert len(none) == (1 if by is None else 0)


def poisson_wearer(rate: float, noise: float, minutes_: int, seed: int) -> pd.DataFrame:
    """Blinks and noise onsets at constant rates per minute; noise lasts no time."""
    rng = np.random.default_rng(seed)
    end = minutes_ * 60.0
    blinks = np.cumsum(rng.exponential(60 / rate, int(2 * rate * minutes_) + 50))
    blinks = blinks[blinks < end]
    onsets = np.sort(rng.uniform(0, end, rng.poisson(noise * minutes_)))
    length = np.diff(blinks)
    kept = np.searchsorted(onsets, blinks[1:]) == np.searchsorted(onsets, blinks[:-1])
    row = (blinks[1:] // 15).astype(int)
    n = minutes_ * 4
    noisy = np.bincount((onsets // 15).astype(int), minlength=n) > 0
    return frame_of(
        EYES,
        {
            "bki_n": np.bincount(row[kept], minlength=n).tolist(),
            "bki_sum": np.bincount(row[kept], weights=length[kept], minlength=n).tolist(),
            "nis_time": (noisy * 0.5).tolist(),
        },
    )


def test_the_correction_takes_off_the_bias_of_noise() -> None:
    frame = poisson_wearer(12.0, 3.0, 3000, seed=1)
    crude = el.blinks.rate(frame).iloc[0]
    fair = el.blinks.rate(frame, correct_noise=True).iloc[0]
    assert crude["rate_per_min"] == pytest.approx(15.0, rel=0.03)
    assert fair["noise_per_min"] == pytest.approx(3.0, rel=0.08)
    assert fair["rate_per_min"] == pytest.approx(12.0, rel=0.03)


def test_independent_gaps_are_worth_about_their_number() -> None:
    frame = poisson_wearer(15.0, 0.0, 3000, seed=2)
    row = el.blinks.effective_n(frame, block="5min", draws=2000).iloc[0]
    assert row["n_effective"] == pytest.approx(row["n"], rel=0.25)


def test_gaps_that_repeat_are_worth_less_than_their_number() -> None:
    frame = poisson_wearer(15.0, 0.0, 1000, seed=3)
    twice = frame.loc[frame.index.repeat(2)].iloc[: len(frame)].set_axis(frame.index)
    first, second = (el.blinks.effective_n(f).iloc[0]["n_effective"] for f in (frame, twice))
    assert second < 0.75 * first


def test_few_blocks_give_no_effective_n() -> None:
    row = el.blinks.effective_n(gaps([12.0] * 80, [6] * 80)).iloc[0]
    assert row["blocks"] < 10
    assert row[["n_effective", "low", "high"]].isna().all()


def test_the_same_seed_draws_the_same_answer() -> None:
    frame = poisson_wearer(15.0, 0.0, 300, seed=4)
    same = [el.blinks.effective_n(frame, seed=7) for _ in range(2)]
    pd.testing.assert_frame_equal(*same)
    with pytest.raises(ConfigurationError, match="at least 100"):
        el.blinks.effective_n(frame, draws=10)


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_the_rate_of_a_simulated_wearer_comes_near_the_planted_one(log: str) -> None:
    where = {"log": log, "seed": 6, "tz": "Asia/Tokyo"}
    frame = el.simulate("2026-10-19", 7, **where)
    truth = el.simulate_truth("2026-10-19", 7, **where)
    blinked = truth["blink_rate_per_min"] * truth["blink_min"]
    planted = blinked.sum() / truth["blink_min"].sum()
    shape = {} if log == EYES else {"gaps": "exponential"}
    found = el.blinks.rate(frame, correct_noise=True, **shape)["rate_per_min"].iloc[0]
    # Rest is what can be measured, and the planted rate is that of the whole day.
    assert found == pytest.approx(planted, rel=0.1)


@pytest.mark.slow
def test_the_interval_holds_the_planted_rate_at_its_level() -> None:
    held = []
    for seed in range(300):
        frame = poisson_wearer(10.0, 0.0, 60, seed=1000 + seed)
        row = el.blinks.rate(frame).iloc[0]
        held.append(row["low"] <= 10.0 <= row["high"])
    # 300 trials at 95 %: within about three standard errors
    assert 0.91 <= np.mean(held) <= 0.985


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.floats(0.5, 40).map(lambda x: round(x, 1))),
        min_size=1,
        max_size=20,
    ),
    st.integers(2, 9),
)
def test_twice_the_gaps_in_the_same_time_is_twice_the_rate(
    rows: list[tuple[int, float]], factor: int
) -> None:
    n, s = [float(a) for a, _ in rows], [b if a else 0.0 for a, b in rows]
    once = el.blinks.rate(gaps(s, n), min_valid="0s", judge=False)
    more = el.blinks.rate(gaps(s, [a * factor for a in n]), min_valid="0s", judge=False)
    np.testing.assert_allclose(more["rate_per_min"], once["rate_per_min"] * factor)
    np.testing.assert_allclose(more["exposure_min"], once["exposure_min"])
