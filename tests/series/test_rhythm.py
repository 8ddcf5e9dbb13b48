"""Rhythm: published definitions, identities, and refusals where the night is unknown."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.series import hourly


def test_the_active_windows_go_around_midnight() -> None:
    level = [5.0 if (h >= 20 or h < 6) else 1.0 for h in range(24)] * 3
    assert el.rhythm.most_active(hourly(level))[:2] == (5.0, 20.0)
    least = el.rhythm.least_active(hourly(level), night_worn=True)
    assert least.mean == 1.0


def test_the_active_windows_use_the_step_of_the_series() -> None:
    index = pd.date_range("2026-10-19", periods=288, freq="10min", tz="UTC")
    of_day = index.hour * 60 + index.minute
    series = pd.Series(((of_day >= 450) & (of_day < 1050)).astype(float), index=index)
    assert el.rhythm.most_active(series)[:2] == (1.0, 7.5)


def test_rows_of_two_hours_leave_the_window_as_many_hours_as_those_of_one() -> None:
    level = pd.Series(
        [3.0 if 8 <= hour < 18 else 1.0 for hour in range(0, 24, 2)] * 3,
        index=pd.date_range("2026-10-19", periods=36, freq="2h", tz="UTC"),
    )
    assert el.rhythm.most_active(level)[:2] == (3.0, 8.0)


@pytest.mark.parametrize("name", ["least_active", "relative_amplitude", "sleep_regularity"])
def test_what_needs_the_night_refuses_where_it_was_not_observed(name) -> None:
    day = hourly([float(h % 2) for h in range(96)]).between_time("07:00", "23:00")
    found = getattr(el.rhythm, name)(day)
    assert np.isnan(found[0])
    assert "night was not observed" in found.reason


def test_a_night_of_zeros_is_not_taken_for_rest() -> None:
    day = [0.0] * 7 + [float(3 + h % 5) for h in range(16)] + [0.0]
    found = el.rhythm.relative_amplitude(hourly(day * 4))
    assert np.isnan(found.ra)
    assert "a single value throughout" in found.reason
    assert el.rhythm.relative_amplitude(hourly(day * 4), night_worn=True).ra == 1.0


def test_windows_start_where_their_first_interval_opens() -> None:
    level = hourly(([1.0] * 8 + [2.0] * 10 + [0.0] * 5 + [1.0]) * 3)
    assert el.rhythm.most_active(level).start == 8.0
    assert el.rhythm.least_active(level, night_worn=True).start == 18.0


def test_the_night_is_that_of_the_intervals_and_not_of_their_stamps() -> None:
    # Worn from 00:00 to 07:00 on every day, but for the last hour of the night.
    day = hourly(np.arange(96) % 5)
    seen = day[~np.isin(day.index.hour, [5])]
    assert "05:00" in el.rhythm.least_active(seen).reason
    assert "04:00" in el.rhythm.least_active(seen.shift(freq="-1h")).reason


@pytest.mark.parametrize(("last", "known"), [("19:30", False), ("20:30", True)])
def test_the_most_active_hours_need_three_hours_in_which_they_could_lie_elsewhere(
    last, known
) -> None:
    seen = hourly(np.random.default_rng(1).normal(size=24 * 7)).between_time("08:00", last)
    found = el.rhythm.most_active(seen)
    assert np.isfinite(found.mean) == known
    assert ("leave a window of 10 h only 2 h" in found.reason) != known
    # The five least active hours have room in both.
    assert np.isfinite(el.rhythm.least_active(seen, night_worn=True).mean)


def test_hours_apart_from_the_others_give_the_window_no_room() -> None:
    series = hourly(np.random.default_rng(1).normal(size=24 * 7))
    hour = series.index.hour
    seen = series[((hour >= 8) & (hour < 19)) | (hour == 3) | (hour == 5) | (hour == 22)]
    assert "only 1 h" in el.rhythm.most_active(seen).reason


def test_local_hours_are_those_of_the_series_own_zone() -> None:
    series = hourly([float(8 <= (h + 9) % 24 < 18) for h in range(72)])
    assert el.rhythm.most_active(series.tz_convert("Asia/Tokyo")).start == 8.0


def test_a_profile_shows_how_many_days_each_hour_is_based_on() -> None:
    table = el.rhythm.profile(hourly(range(30)), by="hour")
    assert table.loc[3, ["mean", "n", "days"]].tolist() == [15.0, 2, 2]
    assert table.loc[20, "days"] == 1


def test_weekdays_of_a_daily_table_are_exposed_as_long_as_they_were_worn() -> None:
    frame = el.simulate("2026-10-19", 8, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    days = el.daily(frame)
    table = el.rhythm.profile(days, "steps", by="weekday")
    expected = days["worn_h"].groupby(days.index.day_of_week).sum()
    np.testing.assert_allclose(table["exposure_h"], expected)


def test_an_hour_that_stands_out_on_every_day_has_a_p_for_all_hours_looked_at() -> None:
    table = el.rhythm.profile(hourly([float(h % 24 == 9) for h in range(240)]))
    # None of the 999 shifts of ten days puts all of them on one hour: (1 + 0) / 1000, for 24 hours.
    expected = [0.024 if hour == 9 else 1.0 for hour in range(24)]
    np.testing.assert_allclose(table["p"], expected)


def test_missing_states_are_left_out_of_regularity() -> None:
    states = hourly(([1.0] * 8 + [0.0] * 16) * 3)
    states.iloc[30:40] = np.nan
    found = el.rhythm.sleep_regularity(states, night_worn=True)
    assert found.sri == 100
    assert found.pairs == 48 - 20


def test_opposite_days_have_the_lowest_regularity() -> None:
    states = hourly([1.0] * 24 + [0.0] * 24)
    assert el.rhythm.sleep_regularity(states, night_worn=True).sri == -100


days = st.lists(
    st.floats(min_value=-1e3, max_value=1e3, allow_nan=False).map(lambda v: round(v, 3)),
    min_size=24,
    max_size=24,
).filter(lambda day: np.ptp(day) > 0.01)


@given(days, st.integers(min_value=2, max_value=6))
def test_identical_days_have_a_stability_of_one(day, repeats) -> None:
    found = el.rhythm.interdaily_stability(hourly(day * repeats))
    assert found.stability == pytest.approx(1, abs=1e-9)
    assert (found.per_day, found.n, found.days) == (24, 24 * repeats, repeats)


@pytest.mark.slow("many drawn series")
@given(st.lists(days, min_size=2, max_size=5), st.floats(0.1, 50), st.floats(-100, 100))
def test_stability_and_variability_do_not_depend_on_unit_or_zero(days_, scale, shift) -> None:
    series = hourly(np.concatenate(days_))
    other = series * scale + shift
    for name, attribute in (
        ("interdaily_stability", "stability"),
        ("intradaily_variability", "iv"),
    ):
        measure = getattr(el.rhythm, name)
        first = getattr(measure(series), attribute)
        assert getattr(measure(other), attribute) == pytest.approx(first, rel=1e-6)


def test_alternating_values_have_a_variability_of_four() -> None:
    found = el.rhythm.intradaily_variability(hourly([0, 1] * 36))
    assert found.iv == pytest.approx(4)
    assert found.pairs == 71


def test_a_difference_across_a_gap_is_no_pair() -> None:
    whole = hourly([0, 1] * 24)
    holed = whole.drop(whole.index[10:13])
    assert el.rhythm.intradaily_variability(holed).pairs == 43
    masked = whole.copy()
    masked.iloc[10:13] = np.nan
    assert el.rhythm.intradaily_variability(masked).pairs == 43


def test_the_waking_window_counts_only_the_hours_that_were_observed() -> None:
    series = hourly(list(range(24)) * 4).between_time("08:00", "21:00")
    assert el.rhythm.interdaily_stability(series).per_day == 14
    assert el.rhythm.interdaily_stability(series).stability == pytest.approx(1)
    by_the_clock = el.rhythm.interdaily_stability(series, periods=24)
    assert by_the_clock.stability == pytest.approx(14 / 24)


def test_one_day_has_no_stability_and_says_so() -> None:
    found = el.rhythm.interdaily_stability(hourly(range(24)))
    assert np.isnan(found.stability)
    assert "two days" in found.reason


def test_a_table_of_days_has_no_daily_pattern_and_says_so() -> None:
    found = el.rhythm.interdaily_stability(el.daily(el.sample()), "steps")
    assert np.isnan([found.stability, found.corrected, found.p]).all()
    assert found.reason.startswith("fewer than two hours of the day")


def test_the_indices_of_the_day_are_those_of_pyactigraphy_where_definitions_meet() -> None:
    # pyActigraphy 1.2.2, pyActigraphy.metrics.metrics on hourly values without a gap,
    # x = default_rng(11).gamma(2, 10, 120): _intradaily_variability(x), _interdaily_stability(x),
    # both with ddof 1; _lmx(x, "5h") and _lmx(x, "10h", lowest=False).
    iv, is_, l5, m10 = 2.145791511847918, 0.2568056771569837, 16.467656341917145, 23.450869402473963
    x = hourly(np.random.default_rng(11).gamma(2, 10, 120))
    assert el.rhythm.intradaily_variability(x).iv == pytest.approx(iv * 120 / 119)
    assert el.rhythm.interdaily_stability(x).stability == pytest.approx(
        is_ * (23 / 24) * (120 / 119)
    )
    assert el.rhythm.least_active(x).mean == pytest.approx(l5)
    assert el.rhythm.most_active(x).mean == pytest.approx(m10)
    assert el.rhythm.relative_amplitude(x).ra == pytest.approx((m10 - l5) / (m10 + l5))


@pytest.mark.parametrize(
    "name",
    ["interdaily_stability", "intradaily_variability", "most_active", "least_active", "cosinor"],
)
def test_a_series_without_values_gives_missing_with_a_reason(name) -> None:
    for series in (hourly([]), hourly([np.nan] * 48)):
        found = getattr(el.rhythm, name)(series)
        assert np.isnan(found[0])
        assert found.reason
        assert found.n == 0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: el.rhythm.cosinor(s[::-1]), "stamps in order"),
        (lambda s: el.rhythm.most_active(s, hours=24), "between 0 and 24"),
        (lambda s: el.rhythm.interdaily_stability(s, periods=12), "observed"),
        (lambda s: el.rhythm.sleep_regularity(s), "states"),
        (lambda s: el.rhythm.profile(s.to_frame()), "one Series"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        call(hourly(range(48)))


def test_the_hours_of_one_day_are_one_day_though_the_last_one_closes_at_midnight() -> None:
    assert el.rhythm.interdaily_stability(hourly(range(24))).days == 1
    assert el.rhythm.interdaily_stability(hourly(range(24)).shift(freq="1h")).days == 2


def test_noise_of_few_days_has_the_stability_that_it_states_and_none_when_corrected() -> None:
    generator = np.random.default_rng(4)
    found = [
        el.rhythm.interdaily_stability(hourly(generator.normal(size=24 * 3))) for _ in range(60)
    ]
    seen, noise, corrected, p = (
        np.array([getattr(one, name) for one in found])
        for name in ("stability", "noise", "corrected", "p")
    )
    assert seen.mean() == pytest.approx(1 / 3, abs=0.02)
    assert noise.mean() == pytest.approx(seen.mean(), abs=0.02)
    assert corrected.mean() == pytest.approx(0, abs=0.03)
    assert (p < 0.05).mean() < 0.15


def test_identical_days_are_one_after_correction_whatever_the_hours_divided_by() -> None:
    series = hourly(list(range(24)) * 4).between_time("08:00", "21:00")
    for periods in ("observed", 24):
        found = el.rhythm.interdaily_stability(series, periods=periods)
        assert found.corrected == pytest.approx(1)
        assert 0 < found.noise < found.stability
        assert found.p == pytest.approx(1 / 1001, abs=0.002)


def test_the_same_seed_shifts_the_days_alike() -> None:
    series = hourly(np.random.default_rng(5).normal(size=96))
    one, same, other = (el.rhythm.interdaily_stability(series, seed=s) for s in (1, 1, 2))
    assert one == same
    assert one.noise != other.noise


def test_hours_seen_once_each_compare_nothing() -> None:
    series = hourly(np.random.default_rng(5).normal(size=48))
    apart = series.iloc[[8, 9, 10, 24 + 15, 24 + 16]]
    found = el.rhythm.interdaily_stability(apart)
    assert np.isnan(found.corrected)
    assert found.p == 1
    assert "no hour of the day was observed on two days" in found.reason
