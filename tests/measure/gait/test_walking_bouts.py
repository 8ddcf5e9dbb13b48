"""Walking bouts: where they begin and end, and what they say of the gait."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, MINUTES, frame_of


def walked(steps: list[float], cadence: float = 120.0) -> pd.DataFrame:
    return frame_of(EYES, {"stp": steps, "cad": [cadence if s else np.nan for s in steps]})


def test_a_pause_within_a_bout_is_part_of_it() -> None:
    frame = walked([0, 30, 30, 0, 30, 0, 0, 30, 0])
    one, two = (el.gait.bouts(frame, max_pause=p, min_length="15s") for p in ("30s", "15s"))
    assert one["duration_min"].tolist() == [7 / 4]
    assert two["duration_min"].tolist() == [1.0, 0.25]
    assert [f"{label:%M:%S}" for label in two["start"]] == ["00:15", "01:45"]
    assert [f"{label:%M:%S}" for label in two["end"]] == ["01:15", "02:00"]
    assert two["steps"].tolist() == [90, 30]
    assert two["n"].tolist() == [3, 1]


def test_a_bout_shorter_than_the_shortest_is_left_out() -> None:
    assert len(el.gait.bouts(walked([30, 30, 0, 0]), min_length="1min")) == 0
    assert len(el.gait.bouts(walked([30, 30, 30, 30]), min_length="1min")) == 1


def test_a_gap_in_the_data_ends_a_bout() -> None:
    frame = walked([30] * 6)
    gapped = frame.drop(frame.index[2])
    table = el.gait.bouts(gapped, max_pause="10min", min_length="0s")
    assert table["duration_min"].tolist() == [0.5, 0.75]


def test_eyewear_that_is_off_ends_a_bout() -> None:
    frame = walked([30] * 6)
    frame["isl"] = pd.array([False, False, True, False, False, False], dtype="boolean")
    table = el.gait.bouts(frame, max_pause="10min", min_length="0s")
    assert table["duration_min"].tolist() == [0.5, 0.75]


def test_no_walk_gives_an_empty_table_of_the_same_shape() -> None:
    for frame in (el.sample(), el.sample(MINUTES)):
        full = el.gait.bouts(frame)
        for none in (el.gait.bouts(frame.iloc[:0]), el.gait.bouts(frame, min_length="9h")):
            assert len(none) == 0
            assert none.dtypes.equals(full.dtypes)


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([0.0, 0.0, 20.0, 30.0, np.nan]), min_size=1, max_size=40),
    st.integers(0, 4),
    st.integers(1, 4),
)
def test_bouts_are_the_runs_that_a_plain_loop_finds(
    steps: list[float], pause: int, least: int
) -> None:
    found: list[tuple[int, int]] = []
    first = last = -1
    for i, taken in enumerate([*steps, np.nan]):
        too_long = taken > 0 and i - last - 1 > pause
        if first >= 0 and (np.isnan(taken) or too_long):
            found.append((first, last))
            first = -1
        if taken > 0:
            first, last = (i if first < 0 else first), i
    kept = [(a, b) for a, b in found if b - a + 1 >= least]
    table = el.gait.bouts(walked(steps), max_pause=f"{15 * pause}s", min_length=f"{15 * least}s")
    frame = walked(steps)
    starts = [(stamp - frame.index[0]).total_seconds() / 15 + 1 for stamp in table["start"]]
    ends = [(stamp - frame.index[0]).total_seconds() / 15 for stamp in table["end"]]
    assert list(zip(starts, ends, strict=True)) == kept


def test_a_bout_shows_pace_vibration_landing_and_symmetry() -> None:
    sides = {"st_r": 0.52, "st_l": 0.46, "sa_xr": 2, "sa_xl": 1, "sa_zr": 4, "sa_zl": 3}
    frame = walked([30] * 4).assign(**{k: float(v) for k, v in sides.items()})
    row = el.gait.bouts(frame).iloc[0]
    assert row["pace_spm"] == pytest.approx(120)
    assert row["sway_sideways_cm"] == 1.5
    assert row["sway_vertical_cm"] == 3.5
    assert np.isnan(row["sway_fore_aft_cm"])
    assert row["landing_g"] == pytest.approx(0.49)
    assert row["landing_symmetry"] == pytest.approx(12.2448980)


def test_the_exposure_of_a_bout_is_the_time_that_its_steps_took() -> None:
    frame = frame_of(EYES, {"stp": [10, 30, 40, 10], "cad": [120, 120, 120, None]})
    bout = el.gait.bouts(frame).iloc[0]
    # 5 s, 15 s, at most 15 s, and not known without a cadence
    assert bout["exposure_min"] == pytest.approx(35 / 60)
    assert bout["exposure_min"] / 60 == pytest.approx(el.daily(frame)["walking_h"].iloc[0])


def test_without_a_cadence_the_time_walked_is_not_known() -> None:
    frame = frame_of(EYES, {"stp": [10] * 4}).drop(columns="cad")
    assert el.gait.bouts(frame)["exposure_min"].isna().all()
