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

any_frame = st.sampled_from([EYES, MINUTES]).flatmap(
    lambda log: st.tuples(st.just(log), in_five_zones(log))
)
Drawn = tuple[str, pd.DataFrame]

COLUMNS = ["n", "coverage", "recorded_h", "worn_h", "valid_h", "walking_h", "steps"]
COLUMNS += ["first_worn", "last_worn"]  # which need five minutes of wear
COLUMNS += ["pace_spm", "pace_exposure_min", "step_time_cv_between"]
COLUMNS += ["blink_rate_per_min", "blink_rate_low", "blink_rate_high", "blink_n"]
COLUMNS += ["blink_exposure_min", "blink_rate_slope_per_h"]
COLUMNS += ["blink_strength_uv", "blink_strength_sd_uv", "blink_duration_ms"]
COLUMNS += ["eye_moves_per_h", "eye_moves_horizontal_per_h", "eye_moves_vertical_per_h"]
COLUMNS += ["head_moves_pitch_per_h", "head_moves_yaw_per_h"]
COLUMNS += ["tilt_fore_aft_deg", "tilt_sideways_deg"]
SCORES = [
    f"{name}_{part}"
    for name in ("zone", "calm", "sc_npt", "sc_fcs", "sc_slp_std")
    for part in ("mean", "high_share", "n")
]


def hold(drawn: Drawn) -> None:
    log, frame = drawn
    columns = [*COLUMNS, *(SCORES if log == EYES else [])]
    found = quietly(el.daily, frame, log=log)
    expected = daily(frame, log)
    assert list(found.index) == sorted(expected)
    # No minute that tells a pace, no gap that tells a rate: 0 and missing say the same.
    for name in ("pace_exposure_min", "blink_exposure_min"):
        found[name] = found[name].fillna(0.0)
    agree(expected, found, columns)


@examples(40)
@given(any_frame)
def test_every_column_is_the_defined_one(drawn: Drawn) -> None:
    hold(drawn)


@pytest.mark.slow("many drawn frames")
@examples(75)
@given(any_frame)
def test_every_column_is_the_defined_one_on_many_frames(drawn: Drawn) -> None:
    hold(drawn)


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
