"""The daily summary, by hand, on simulated days, and against their truth."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, at, frame_of
from support.logs import history


def test_a_day_by_hand() -> None:
    n = 40
    frame = frame_of(
        EYES,
        {
            "re_u": [1] * n,
            "re_d": [1] * n,
            "re_r": [3] * n,
            "re_l": [0] * n,
            "hm_po": [2] * n,
            "hm_yo": [4] * n,
            "bki_n": [5] * n,
            "bki_sum": [15.0] * n,
            "bk_n": [1, 3] * (n // 2),
            "bkh_av": [100.0, 140.0] * (n // 2),
            "bkh_sd": [10.0] * n,
            "bkw_av": [120.0] * n,
            "sc_fcs": [80, -1, 50, 60] * (n // 4),
        },
    )
    day = el.daily(frame).iloc[0]
    assert day["n"] == 40
    assert day["coverage"] == pytest.approx(600 / 86_400)
    assert day[["recorded_h", "worn_h", "valid_h"]].tolist() == [pytest.approx(1 / 6)] * 3
    assert day[["walking_h", "steps"]].tolist() == [0, 0]
    assert str(day["first_worn"]) == "2026-10-20 10:00:00+00:00"
    assert str(day["last_worn"]) == "2026-10-20 10:10:00+00:00"
    assert day["blink_rate_per_min"] == pytest.approx(20)
    assert day["blink_rate_low"] < 20 < day["blink_rate_high"]
    assert day[["blink_n", "blink_exposure_min"]].tolist() == [200, 10]
    assert day["blink_strength_uv"] == 130
    assert day["blink_strength_sd_uv"] == pytest.approx(10)
    assert day["blink_duration_ms"] == 120
    assert day["eye_moves_per_h"] == pytest.approx(5 * 240)
    assert day["eye_moves_horizontal_per_h"] == pytest.approx(3 * 240)
    assert day["head_moves_yaw_per_h"] == pytest.approx(4 * 240)
    assert day["tilt_fore_aft_deg"] == pytest.approx(10)
    assert day["sc_fcs_n"] == 30
    assert day["sc_fcs_mean"] == pytest.approx(190 / 3)
    assert day["sc_fcs_high_share"] == pytest.approx(2 / 3)


def test_wear_that_ends_after_midnight_ends_the_day_at_midnight() -> None:
    frame = at(
        frame_of(MINUTES, {"hm_po": [1, 1]}, tz="Asia/Tokyo"),
        ["2026-10-19T14:59:30Z", "2026-10-19T15:00:30Z"],
    )
    days = el.daily(frame, limits=el.Limits(min_run="2min"))
    assert days["last_worn"].tolist() == [pd.Timestamp("2026-10-20", tz="Asia/Tokyo")]
    assert el.daily(frame)["first_worn"].isna().all()
    with pytest.raises(el.ConfigurationError, match="min_run"):
        el.Limits(min_run="-1min")


def test_too_little_coverage_takes_values_but_leaves_the_day_and_its_times() -> None:
    frame = frame_of(EYES, {"hm_po": [2] * 40, "hm_yo": [2] * 40})
    day = el.daily(frame, min_coverage=0.5).iloc[0]
    assert day["recorded_h"] == pytest.approx(1 / 6)
    assert day[["steps", "head_moves_yaw_per_h", "tilt_fore_aft_deg"]].isna().all()
    assert history(el.daily(frame, min_coverage=0.5))[-1]["min_coverage"] == 0.5


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["stp", "cad"], ["n", "coverage", "recorded_h", "walking_h", "steps"]),
        (["sc_fcs"], ["n", "coverage", "recorded_h", "sc_fcs_mean", "sc_fcs_high_share"]),
    ],
)
def test_a_frame_of_few_fields_gives_what_it_holds(names: list[str], expected: list[str]) -> None:
    assert set(expected) <= set(el.daily(el.sample()[names]).columns)
    assert "worn_h" not in el.daily(el.sample()[names]).columns


def test_a_day_may_start_in_the_evening_and_is_named_by_the_date_on_which_it_opens() -> None:
    frame = el.simulate("2026-10-24", 3, log=MINUTES, tz="Europe/Berlin")
    opens = frame.index - pd.Timedelta("1min")
    nights = el.daily(frame, day_starts="18:00")
    shifted = (opens.tz_localize(None) - pd.Timedelta("18h")).normalize()
    counts = pd.Series(1, shifted).groupby(level=0).sum()
    assert nights["n"].tolist() == counts[nights.index].tolist()
    # The clocks go back in the night from the 24th to the 25th.
    day = nights.loc["2026-10-24"]
    assert day["recorded_h"] / day["coverage"] == pytest.approx(25)
    wide = el.intervals(frame, "1h", day_starts="18:00")
    columns = [name for name in nights if name not in ("first_worn", "last_worn")]
    columns.remove("blink_rate_slope_per_h")
    pd.testing.assert_frame_equal(el.daily(wide, day_starts="18:00")[columns], nights[columns])


@pytest.mark.parametrize(
    ("every", "ask"),
    [
        ("W", el.daily),
        ("1D", lambda table: el.daily(table, day_starts="18:00")),
        ("1h", lambda table: el.daily(table, day_starts="18:30")),
        ("1h", lambda table: el.daily(table.tz_convert("Asia/Kolkata"))),
        ("1D", lambda table: el.summary(table, by="hour")),
        ("1h", lambda table: el.blinks.rate(table, by="10min")),
        ("1h", lambda table: el.coverage(table, by="90min")),
        ("W", lambda table: el.summary(table, by=["weekday"])),
        ("W", lambda table: el.summary(table, by=["day", "weekend"])),
        ("1D", lambda table: el.intervals(table, "1D", day_starts="18:00")),
    ],
)
def test_intervals_are_not_counted_where_only_their_beginning_lies(every, ask) -> None:
    wide = el.intervals(el.sample(MINUTES), every)
    with pytest.raises(el.ConfigurationError, match="do not fit into"):
        ask(wide)


def test_intervals_have_room_for_columns_of_ones_own_by_which_they_are_grouped() -> None:
    hours = el.intervals(el.sample(MINUTES), "1h")
    part = np.where(hours.index.hour < 12, "morning", "afternoon")
    own = hours.assign(part=part, since=pd.Timestamp("2026-10-19"), kind=pd.Categorical(part))
    pd.testing.assert_frame_equal(el.daily(own), el.daily(hours))
    by_column, by_array = el.summary(own, by="part"), el.summary(hours, by=part)
    np.testing.assert_array_equal(by_column["n"], by_array["n"])
    np.testing.assert_array_equal(by_column["steps"], by_array["steps"])
    with pytest.raises(el.ConfigurationError, match=r"'steps' holds .*to_numeric"):
        el.daily(hours.assign(steps=hours["steps"].astype(str)))


def test_columns_of_ones_own_with_the_names_of_eyelog_are_refused_in_one_line() -> None:
    frame = el.sample(MINUTES)
    with pytest.raises(el.ConfigurationError, match="'between' holds 'meals', not clock times"):
        el.daily(frame.assign(between="meals"))
    for table in (frame.assign(recorded_s=60.0), el.intervals(frame, "1h").drop(columns="width_s")):
        with pytest.raises(el.FieldError, match=r"lacks 'width_s'.*: keep all of them, or"):
            el.daily(table)


def test_three_rows_many_years_apart_cost_what_three_rows_cost() -> None:
    frame = at(
        frame_of(MINUTES, {"hm_po": [1] * 3}),
        ["2000-01-01T12:00:00Z", "2000-01-01T12:01:00Z", "2026-01-01T12:00:00Z"],
    )
    assert el.daily(frame)["n"].tolist() == [2, 1]
    assert len(el.intervals(frame, "10min")) == 3
    assert el.summary(frame, by="1h")["n"].tolist() == [1, 1, 1]
