"""Means standardised for the time of day."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.laws import examples
from support.series import hourly

days = st.lists(st.floats(0, 100).map(lambda v: round(v, 3)), min_size=48, max_size=48)


holes = st.lists(st.booleans(), min_size=48, max_size=48).filter(any)


def test_a_day_that_is_wholly_observed_has_one_mean_and_no_doubt() -> None:
    found = el.compare.standardised_mean(hourly(range(24)), possible=(0, 23))
    assert found.crude == found.standardised == found.lower == found.upper == 11.5
    assert (found.hours, found.share, found.coverage, found.reason) == (24, 1.0, 1.0, "")


def test_hours_that_were_worn_more_often_do_not_weigh_more() -> None:
    # 9 to 11 on each of three days, 12 on one only: crude (9*10 + 1*50) / 10, standardised per hour
    frame = pd.concat([hourly([10.0, 10, 10], start=f"2026-10-{d} 09:00") for d in (19, 20, 21)])
    frame = pd.concat([frame, hourly([50.0], start="2026-10-21 12:00")])
    found = el.compare.standardised_mean(frame, possible=(0, 100))
    assert (found.crude, found.standardised) == (14.0, 20.0)
    assert (found.hours, found.least_n, found.n) == (4, 1, 10)


def test_unobserved_hours_and_the_share_of_the_day_are_named() -> None:
    found = el.compare.standardised_mean(hourly(range(24)).iloc[7:23], possible=(0, 23))
    assert found.share == pytest.approx(16 / 24)
    assert "0 to 6, 23" in found.reason
    assert "66.7%" in found.reason


def test_a_reference_day_weighs_the_hours() -> None:
    series = hourly(range(24))
    assert el.compare.standardised_mean(series, reference={9: 3, 10: 1}).standardised == 9.25
    usual = el.rhythm.profile(series)["n"]
    assert el.compare.standardised_mean(series, reference=usual).standardised == 11.5
    part = el.compare.standardised_mean(series.iloc[:10], reference={9: 3, 10: 1})
    assert (part.standardised, part.share) == (9.0, 0.75)
    none = el.compare.standardised_mean(series.iloc[:5], reference={9: 1}, possible=(0, 100))
    assert np.isnan(none.standardised)
    assert (none.lower, none.upper, none.share) == (0.0, 100.0, 0.0)
    assert "none of the hours" in none.reason


@given(days, holes)
@examples(60)
def test_the_bounds_hold_the_truth_whatever_the_reason_for_not_wearing(values, worn) -> None:
    whole = hourly(values)
    seen = whole.where(np.array(worn))
    truth = el.compare.standardised_mean(whole, possible=(0, 100)).standardised
    found = el.compare.standardised_mean(seen, possible=(0, 100))
    assert found.lower - 1e-9 <= truth <= found.upper + 1e-9
    assert found.upper - found.lower == pytest.approx(100 * (1 - found.coverage), abs=1e-9)
    assert found.lower - 1e-9 <= found.standardised <= found.upper + 1e-9
    assert found.coverage == pytest.approx(sum(worn) / 48)


@given(days, holes, st.floats(0.1, 50), st.floats(-100, 100))
@examples(60)
def test_another_unit_and_zero_carry_over_to_all_of_it(values, worn, scale, shift) -> None:
    seen = hourly(values).where(np.array(worn))
    one = el.compare.standardised_mean(seen, possible=(0, 100))
    two = el.compare.standardised_mean(
        seen * scale + shift, possible=(shift, 100 * scale + shift + 1e-9)
    )
    for name in ("crude", "standardised", "lower", "upper"):
        expected = getattr(one, name) * scale + shift
        assert getattr(two, name) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@given(days, holes)
@examples(40)
def test_missing_values_answer_like_missing_rows_between_the_first_and_the_last(
    values, worn
) -> None:
    worn = [True, *worn[1:-1], True]
    series = hourly(values)
    masked = series.where(np.array(worn))
    dropped = series[np.array(worn)]
    one, two = (el.compare.standardised_mean(s, possible=(0, 100)) for s in (masked, dropped))
    if (np.diff(dropped.index) == pd.Timedelta("1h")).mean() > 0.5:  # the step can still be told
        assert one == pytest.approx(two)


def test_the_range_of_the_field_gives_the_bounds_of_a_frame() -> None:
    frame = el.sample()
    found = el.compare.standardised_mean(frame, "sc_fcs")
    assert (found.limit_low, found.limit_high) == (0, 100)
    assert found.lower < found.standardised < found.upper
    assert 15 <= found.hours <= 18
    binned = el.resample(frame, "10min")
    assert el.compare.standardised_mean(binned["sc_fcs"]).limit_high == 100
    assert np.isnan(el.compare.standardised_mean(binned["stp"]).upper)
    assert "single interval" in el.compare.standardised_mean(binned["stp"]).reason


def test_values_at_the_ends_of_the_catalogue_are_within_it() -> None:
    found = el.compare.standardised_mean(hourly([0.0, 100.0] * 12, name="sc_fcs"))
    assert (found.limit_low, found.limit_high) == (0, 100)
    assert (found.lower, found.upper, found.reason) == (50.0, 50.0, "")


def test_the_room_begins_with_the_day_of_the_first_value() -> None:
    evening = hourly([5.0], start="2026-10-19 23:00")
    found = el.compare.standardised_mean(
        pd.concat([evening, hourly([5.0] * 24, start="2026-10-20")]), possible=(0, 10)
    )
    assert found.coverage == pytest.approx(25 / 48)
    above = el.compare.standardised_mean(
        pd.concat([evening, hourly([5.0] * 24, start="2026-10-20")]), possible=(2, 10)
    )
    assert (above.lower, above.upper) == pytest.approx(
        ((5 * 25 + 2 * 23) / 48, (5 * 25 + 10 * 23) / 48)
    )


def test_a_state_lies_between_never_and_always() -> None:
    found = el.compare.standardised_mean(hourly(range(24)) > 11)
    assert (found.standardised, found.limit_low, found.limit_high) == (0.5, 0, 1)
    assert el.compare.standardised_mean(el.sample(), "isl").limit_high == 1


def test_values_outside_the_limits_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="outside possible=0 to 10"):
        el.compare.standardised_mean(hourly(range(24)), possible=(0, 10))
    with pytest.raises(el.ConfigurationError, match="values from 0 to 23 lie outside"):
        el.compare.standardised_mean(hourly(range(24)), possible=(5, 30))
    for value in (-5.0, 105.0):
        beyond = el.compare.standardised_mean(hourly([value, 50.0] * 12, name="sc_fcs"))
        assert "outside the catalogue" in beyond.reason


def test_a_day_whose_clocks_change_has_its_own_hours() -> None:
    for start, hours in (("2026-10-25", 25), ("2026-03-29", 23)):
        whole = hourly([1.0] * hours, start=start, tz="Europe/Berlin")
        found = el.compare.standardised_mean(whole, possible=(0, 2))
        assert found.coverage == pytest.approx(1 if hours == 25 else 23 / 24)
        assert found.standardised == 1.0


def test_the_midnight_that_closes_the_last_day_opens_no_new_one() -> None:
    index = pd.date_range("2026-10-19", "2026-10-19 23:59", freq="min", tz="Asia/Tokyo")
    found = el.compare.standardised_mean(pd.Series(1.0, index=index), possible=(0, 1))
    assert found.coverage == pytest.approx(1)


def test_what_cannot_be_standardised_is_missing_with_a_reason() -> None:
    cases = {
        "no value": hourly([np.nan] * 24),
        "no value was": hourly([]),
        "single stamp": hourly([1.0]),
        "further apart than an hour": hourly(range(96)).iloc[::24],
    }
    for says, series in cases.items():
        found = el.compare.standardised_mean(series, possible=(0, 100))
        assert np.isnan([found.standardised, found.lower, found.upper]).all()
        assert says in found.reason
    assert "give possible=" in el.compare.standardised_mean(hourly(range(24))).reason


def test_wear_at_lively_hours_moves_the_crude_mean_and_not_the_standardised_one() -> None:
    frame = el.simulate("2026-10-05", 14, log="standard_mode_logs", seed=5)
    moves = el.mask(frame, el.flag(frame))["hm_yo"]
    moves.attrs = {}  # as one of another sensor
    truth = el.compare.standardised_mean(moves)
    usual = el.rhythm.profile(moves)["mean"]
    still = usual.index[usual < usual.median()]
    chance = np.random.default_rng(1).random(len(moves))
    seen = moves.where(~moves.index.hour.isin(still) | (chance < 0.2))
    found = el.compare.standardised_mean(seen)
    assert found.crude - truth.standardised > 0.3
    assert abs(found.standardised - truth.standardised) < 0.1
    assert found.lower <= truth.standardised <= found.upper


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: el.compare.standardised_mean(s[::-1]), "stamps in order"),
        (lambda s: el.compare.standardised_mean(s, possible=(5, 1)), "possible"),
        (lambda s: el.compare.standardised_mean(s, reference={24: 1}), "0 to 23"),
        (lambda s: el.compare.standardised_mean(s, reference={3: -1}), "0 or more"),
        (lambda s: el.compare.standardised_mean(s, reference={3: float("inf"), 4: 1}), "0 or more"),
        (lambda s: el.compare.standardised_mean(s.to_frame()), "one Series"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        call(hourly(range(24)))
