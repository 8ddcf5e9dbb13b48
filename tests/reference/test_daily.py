"""Every column of the daily summary, held against the written-out definition."""

import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from reference.days import daily
from reference.held import agree, quietly
from reference.rows import EYES, MINUTES
from reference.strategies import examples, in_five_zones

both = st.sampled_from([EYES, MINUTES])
any_frame = both.flatmap(lambda log: st.tuples(st.just(log), in_five_zones(log)))
eyes_frame = st.tuples(st.just(EYES), in_five_zones(EYES))
minutes_frame = st.tuples(st.just(MINUTES), in_five_zones(MINUTES))
Drawn = tuple[str, pd.DataFrame]

RECORDED = ["n", "coverage", "recorded_h"]
HOURS = ["worn_h", "valid_h", "walking_h"]
BLINKS = ["blink_rate_per_min", "blink_rate_low", "blink_rate_high", "blink_n"]
BLINKS += ["blink_exposure_min"]
SHAPE = ["blink_strength_uv", "blink_strength_sd_uv", "blink_duration_ms"]
EYE_MOVES = ["eye_moves_per_h", "eye_moves_horizontal_per_h", "eye_moves_vertical_per_h"]
HEAD_MOVES = ["head_moves_pitch_per_h", "head_moves_yaw_per_h"]
TILT = ["tilt_fore_aft_deg", "tilt_sideways_deg"]
PACE = ["pace_spm", "pace_exposure_min"]
SCORES = [
    f"{name}_{part}"
    for name in ("zone", "calm", "sc_npt", "sc_fcs", "sc_slp_std")
    for part in ("mean", "high_share", "n")
]


def hold(columns: list[str], drawn: Drawn) -> None:
    log, frame = drawn
    found = quietly(el.daily, frame, log=log)
    expected = daily(frame, log)
    assert list(found.index) == sorted(expected)
    # No minute that tells a pace, no gap that tells a rate: 0 and missing say the same.
    for name in {"pace_exposure_min", "blink_exposure_min"} & set(columns):
        found[name] = found[name].fillna(0.0)
    agree(expected, found, columns)


@examples(25)
@given(any_frame)
def test_recorded_time_shape_tilt_and_head_are_the_defined_ones(drawn: Drawn) -> None:
    hold([*RECORDED, *SHAPE, *TILT, *HEAD_MOVES], drawn)


@examples(10)
@given(eyes_frame)
def test_blinks_steps_and_scores_of_the_fifteen_second_log_are_the_defined_ones(
    drawn: Drawn,
) -> None:
    hold([*BLINKS, "steps", *SCORES], drawn)


@examples(10)
@given(any_frame)
def test_eye_movements_are_per_hour_of_the_intervals_that_count_them(drawn: Drawn) -> None:
    hold(EYE_MOVES, drawn)


@examples(10)
@given(minutes_frame)
def test_blinks_of_the_minute_log_are_counts_over_usable_seconds(drawn: Drawn) -> None:
    hold(BLINKS, drawn)


@examples(10)
@given(minutes_frame)
def test_steps_of_the_minute_log_ask_for_thirty_seconds_of_wear(drawn: Drawn) -> None:
    hold(["steps"], drawn)


@examples(10)
@given(any_frame)
def test_pace_takes_upright_walking(drawn: Drawn) -> None:
    hold(PACE, drawn)


@examples(25)
@given(any_frame)
def test_slope_of_the_blink_rate_and_variation_of_steps_are_the_defined_ones(drawn: Drawn) -> None:
    hold(["blink_rate_slope_per_h", "step_time_cv_between"], drawn)


@pytest.mark.parametrize("column", HOURS)
@examples(10)
@given(any_frame)
def test_hours_are_the_defined_ones(column: str, drawn: Drawn) -> None:
    hold([column], drawn)


@examples(10)
@given(any_frame)
def test_first_and_last_wear_need_five_minutes_of_it(drawn: Drawn) -> None:
    hold(["first_worn", "last_worn"], drawn)


@examples(10)
@given(any_frame, st.sampled_from([0, 60, 120, 601]))
def test_the_least_wear_can_be_chosen(drawn: Drawn, seconds: int) -> None:
    log, frame = drawn
    found = quietly(el.daily, frame, limits=el.Limits(min_run=f"{seconds}s"))
    agree(daily(frame, log, least_wear_s=seconds), found, ["first_worn", "last_worn"])


IN_ORDER = {"first_worn", "last_worn", "blink_rate_slope_per_h"}


@examples(25)
@given(any_frame, st.sampled_from(["5min", "10min", "1h", "1D"]))
def test_days_of_intervals_of_any_width_are_those_of_the_records(drawn: Drawn, every: str) -> None:
    log, frame = drawn
    records = quietly(el.daily, frame, log=log)
    made = el.daily(quietly(el.intervals, frame, every, log=log))
    # What needs the order of the records within a day is exact to the width.
    columns = [name for name in records.columns if name not in IN_ORDER]
    pd.testing.assert_frame_equal(made[columns], records[columns], rtol=1e-9, atol=1e-9)


@examples(10)
@given(any_frame, st.sampled_from(["5min", "10min"]))
def test_intervals_of_parts_stored_and_put_together_give_the_same_days(
    drawn: Drawn, every: str
) -> None:
    log, frame = drawn
    half = len(frame) // 2
    parts = [quietly(el.intervals, part, every, log=log) for part in (frame[:half], frame[half:])]
    whole = pd.concat([part for part in parts if len(part)])
    stored = io.BytesIO()
    whole.sample(frac=1, random_state=1).to_parquet(stored)
    wider = el.intervals(pd.read_parquet(stored), "1h")
    expected = quietly(el.daily, frame, log=log)
    # Stale blink statistics and overlaps are found beside their neighbours, which a cut parts.
    columns = ["n", "steps", "pace_spm", "tilt_fore_aft_deg"]
    inner = expected.index
    pd.testing.assert_frame_equal(el.daily(wider)[columns], expected[columns].loc[inner])


@pytest.mark.slow("many drawn frames")
@examples(75)
@given(any_frame)
def test_every_column_is_the_defined_one_on_many_frames(drawn: Drawn) -> None:
    log, _ = drawn
    columns = [*RECORDED, *HOURS, *BLINKS, *SHAPE, *EYE_MOVES, *HEAD_MOVES, *TILT, *PACE, "steps"]
    columns += ["first_worn", "last_worn", *(SCORES if log == EYES else [])]
    hold(columns, drawn)
