"""Worn, walking and valid intervals, and the seconds of each row."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import EYES, MINUTES, frame_of, frames
from support.reasons import judged, seconds


def known(column: pd.Series) -> list[float | None]:
    return [None if np.isnan(value) else value for value in column]


def test_worn_is_the_verdict_of_the_eyewear_and_missing_without_one():
    frame = frame_of(EYES, {"isl": [False, True, None]})
    assert known(seconds(frame)["worn_s"]) == [15, 0, None]
    times = seconds(frame_of(MINUTES, {"wea_s": [60, 20, 19, None, 99]}))
    assert known(times["worn_s"]) == [60, 20, 19, None, None]
    assert known(times["valid_s"]) == [60, 20, 0, None, None]


def test_any_step_is_walking():
    frame = frame_of(EYES, {"stp": [0, 1, 5, None], "cad": [0, 100, 100, 100]})
    assert known(seconds(frame)["walking_s"]) == [0, pytest.approx(0.6), 3, None]
    assert known(seconds(frame)["valid_s"]) == [15, 0, 0, None]
    minutes = seconds(frame_of(MINUTES, {"stp_s": [0, 1]}))
    assert known(minutes["walking_s"]) == [0, 1]
    assert known(minutes["valid_s"]) == [60, 0]


def test_valid_is_worn_and_usable_at_rest():
    frame = frame_of(
        EYES, {"vld": [True, True, False, True, None], "isl": [False, True, False, None, True]}
    )
    assert known(seconds(frame)["valid_s"]) == [15, 0, 0, None, 0]
    frame = frame_of(
        MINUTES,
        {"wea_s": [60, 10, 60, 60, 60], "nis_s": [10, 0, 11, 0, None], "stp_s": [0, 0, 0, 1, 0]},
    )
    assert known(seconds(frame)["valid_s"]) == [60, 0, 0, 0, None]


def test_seconds_of_the_fifteen_second_log_are_whole_intervals_but_for_those_walked():
    frame = frame_of(EYES, {"isl": [False, True, None], "stp": [0, 0, 3], "cad": [0, 0, 90]})
    found = seconds(frame)
    assert found["recorded_s"].tolist() == [15, 15, 15]
    assert found["worn_s"].tolist()[:2] == [15, 0]
    assert np.isnan(found["worn_s"].iloc[2])
    # Whether eyewear was worn that nobody says was worn, nobody knows: its steps count nowhere.
    assert found["walking_s"].fillna(-1).tolist() == [0, -1, -1]
    walks = frame_of(EYES, {"stp": [3, 28, 30, 3, 3], "cad": [90, 112, 100, 0, None]})
    assert seconds(walks)["walking_s"].fillna(-1).tolist() == [2, 15, 15, -1, -1]
    assert seconds(walks.drop(columns="cad"))["walking_s"].isna().all()


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_stored_eyewear_is_not_worn_and_what_it_walks_counts_nowhere(log):
    worn_s = 15.0 if log == EYES else 60.0
    tilt = {"tl_xav": [0.0, -72.0, 0.0, None], "tl_yav": [10.0, 10.0, 91.0, None]}
    found = seconds(frame_of(log, tilt))
    assert found["worn_s"].tolist() == [worn_s, 0, 0, worn_s]
    assert found["valid_s"].tolist() == [worn_s, 0, 0, worn_s]
    assert found["walking_s"].fillna(-1).tolist() == [0, -1, -1, 0]


def test_a_masked_frame_knows_when_the_eyewear_was_stored_in_any_part_of_it():
    tilt = [0.0, -72.0, -72.0, 0.0, -72.0]
    frame = frame_of(MINUTES, {"tl_xav": tilt, "wea_s": [60, 60, 19, 19, 60], "hm_po": [1] * 5})
    masked = el.mask(frame, el.flag(frame))
    assert masked["tl_xav"].notna().tolist() == [True, False, False, False, False]
    assert seconds(masked)["worn_s"].tolist() == [60, 0, 0, 19, 0]
    assert seconds(masked.iloc[2:])["worn_s"].tolist() == [0, 19, 0]
    again = el.mask(masked, el.flag(masked))
    few = again[["wea_s", "stored", "state", "worn_s", "limits"]]
    assert seconds(few)["worn_s"].tolist() == [60, 0, 0, 19, 0]
    with pytest.raises(el.ConfigurationError, match="has lost 'state', 'worn_s', 'limits', which"):
        el.daily(again[["wea_s", "stored"]])


@pytest.mark.parametrize(
    ("log", "blinks"), [(EYES, {"bk_n": [1, 0, 4, None]}), (MINUTES, {"sc_bk_n": [1, 0, 4, None]})]
)
def test_blinks_in_pose_are_worn_where_they_are_asked(log, blinks):
    off = {"isl": [True] * 4} if log == EYES else {"wea_s": [3] * 4, "val_s": [50] * 4}
    frame = frame_of(log, {**off, **blinks, "tl_xav": [0, 0, 72, 0]})
    whole = 15 if log == EYES else 50
    device = 0 if log == EYES else 3
    assert seconds(frame)["worn_s"].tolist() == [device, device, 0, device]
    by_blinks = seconds(frame, limits=el.Limits(wear="blinks"))
    assert by_blinks["worn_s"].tolist() == [whole, device, 0, device]
    with pytest.raises(el.ConfigurationError, match="'device' or 'blinks'"):
        el.Limits(wear="both")


def test_seconds_of_the_sixty_second_log_are_those_it_measured():
    frame = frame_of(MINUTES, {"wea_s": [60, 12], "stp_s": [0, 7], "nis_s": [0, 0]})
    found = seconds(frame)
    assert found["worn_s"].tolist() == [60, 12]
    # 12 seconds of wear are no worn minute, and what it walked counts nowhere.
    assert found["walking_s"].fillna(-1).tolist() == [0, -1]
    assert found["valid_s"].tolist() == [60, 0]


def test_a_time_without_its_evidence_is_missing_and_not_0():
    found = seconds(frame_of(EYES, {"sc_fcs": [50]}, calm=False))
    assert found["recorded_s"].tolist() == [15]
    assert found[["worn_s", "valid_s", "walking_s"]].isna().all(axis=None)


def test_a_row_in_which_every_value_is_missing_has_no_recorded_time():
    frame = frame_of(MINUTES, {"wea_s": [60, None], "hm_po": [1, None]}, calm=False)
    assert seconds(frame)["recorded_s"].tolist() == [60, 0]


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_the_simulated_wearer_has_the_same_seconds_masked_and_unmasked(log):
    frame = el.sample(log).iloc[:4000]
    assert_frame_equal(seconds(judged(frame)), seconds(frame))


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@given(frames())
def test_masking_never_changes_the_time_that_was_worn_valid_or_walked(frame):
    nouns = ["worn_s", "valid_s", "walking_s"]
    assert_frame_equal(seconds(judged(frame))[nouns], seconds(frame)[nouns])


def test_a_masked_frame_needs_no_evidence_beside_what_masking_has_kept():
    frame = el.sample("computed_data")
    masked = el.mask(frame, el.flag(frame))
    states = el.states(masked)
    changed = masked.assign(nis_time="lost", vld="lost")
    pd.testing.assert_series_equal(el.states(changed), states)


def test_eyewear_that_was_stored_stays_so_in_a_masked_frame_in_any_order():
    frame = frame_of(EYES, {"tl_xav": [0, 80, 80, 0, 80, 0], "stp": [0] * 6})
    shuffled = frame.iloc[[3, 1, 5, 0, 4, 2]]
    masked = el.mask(shuffled, el.flag(shuffled)).sort_index()
    assert known(seconds(masked)["worn_s"]) == [15, 0, 0, 15, 0, 15]


def test_minutes_half_a_minute_apart_are_two_sources_and_not_two_hours_in_one():
    index = pd.date_range("2026-10-20 10:00:30", periods=120, freq="30s", tz="UTC", unit="us")
    frame = frame_of(MINUTES, {"hm_po": [1] * 120}).set_axis(index.rename("date"))
    for count in (el.daily, el.coverage, el.states):
        with pytest.raises(
            el.ConfigurationError, match=r"one wearer and device, .* overlap by 60 min"
        ):
            count(frame)


@pytest.mark.parametrize(
    ("wear", "walk", "walked"),
    [(20, 60, None), (29, 60, None), (30, 60, 30), (45, 60, 45), (60, 7, 7), (60, 0, 0)],
)
def test_a_minute_walks_at_most_as_long_as_it_was_worn_and_asks_for_half_a_minute_of_wear(
    wear, walk, walked
):
    found = seconds(frame_of(MINUTES, {"wea_s": [wear], "stp_s": [walk]}))
    assert found["worn_s"].tolist() == [wear]
    assert known(found["walking_s"]) == [walked]


@given(frames())
@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
def test_no_row_walks_longer_than_it_was_worn_and_none_is_worn_longer_than_recorded(frame):
    found = seconds(frame)
    worn = found["worn_s"].notna()
    assert (found["walking_s"].fillna(0)[worn] <= found["worn_s"][worn]).all()
    assert (found["valid_s"].fillna(0)[worn] <= found["worn_s"][worn]).all()


@pytest.mark.parametrize(("log", "walk"), [(EYES, "stp"), (MINUTES, "stp_s")])
def test_steps_at_or_under_walking_above_are_no_walking_time(log, walk):
    rows = {walk: [0, 4, 5, 20]} | ({"cad": [0, 60, 60, 80]} if log == EYES else {})
    frame = frame_of(log, rows)
    found = seconds(frame, limits=el.Limits(walking_above=4))["walking_s"]
    assert found.tolist() == ([0, 0, 5, 15] if log == EYES else [0, 0, 5, 20])
    assert seconds(frame)["walking_s"].tolist()[1] == 4
