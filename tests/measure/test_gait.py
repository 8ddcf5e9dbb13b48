"""Pace, step times, bouts, busiest minutes, classes and symmetry."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, MINUTES, at, frame_of
from support.laws import examples


def walked(steps: list[float], cadence: float = 120.0) -> pd.DataFrame:
    return frame_of(EYES, {"stp": steps, "cad": [cadence if s else np.nan for s in steps]})


def minutes(seconds: list[float], steps: list[float]) -> pd.DataFrame:
    nothing = [0.0] * len(steps)
    classes = {"stp_fst": nothing, "stp_mid": steps, "stp_slw": nothing, "stp_vsl": nothing}
    return frame_of(MINUTES, classes | {"stp_s": seconds})


def test_the_limit_of_steady_walking_is_an_argument() -> None:
    shorter = el.Limits(min_walked_for_pace="40s")
    assert el.gait.pace(minutes([49], [98]), limits=shorter)["pace_spm"].tolist() == [120]


def test_fields_that_lack_are_named() -> None:
    with pytest.raises(el.FieldError, match=r"gait.pace needs 'cad'"):
        el.gait.pace(frame_of(EYES, {"stp": [1]}).drop(columns="cad"))
    with pytest.raises(el.FieldError, match="no step classes"):
        el.gait.speed_classes(walked([1]))
    # Intervals that do not show their log: the fields of the log that has classes are named.
    table = el.intervals(walked([1]), "1h")[["width_s", "n", "recorded_s", "span_s", "before_n"]]
    with pytest.raises(el.FieldError, match="'stp_fst', 'stp_mid', 'stp_slw', 'stp_vsl'"):
        el.gait.speed_classes(table)
    with pytest.raises(el.MixedLogsError):
        el.gait.pace(walked([1]).assign(wea_s=60.0))


def test_what_needs_single_intervals_refuses_bins() -> None:
    bins = el.intervals(el.sample(), "10min")
    for ask in (el.gait.bouts, el.gait.peak_cadence):
        with pytest.raises(el.ConfigurationError, match="records"):
            ask(bins)


def test_peak_cadence_is_the_mean_of_the_busiest_minutes() -> None:
    frame = minutes([60.0] * 5, [100, 50, 120, 0, 80])
    for k, expected in ((1, 120), (2, 110), (5, 70)):
        row = el.gait.peak_cadence(frame, minutes=k).iloc[0]
        assert row[["peak_spm", "n", "exposure_min"]].tolist() == [expected, 5, 5]
    assert np.isnan(el.gait.peak_cadence(frame, minutes=6)["peak_spm"].iloc[0])


def test_peak_cadence_takes_the_30_busiest_minutes_unless_told() -> None:
    frame = minutes([60.0] * 40, [100.0] * 30 + [40.0] * 10)
    row = el.gait.peak_cadence(frame).iloc[0]
    assert row["peak_spm"] == 100
    assert el.gait.peak_cadence(frame, minutes=31)["peak_spm"].iloc[0] < 100
    assert el.gait.peak_cadence(frame.iloc[11:])["peak_spm"].isna().all()  # 29 minutes


def test_quarters_of_a_minute_make_its_steps_and_half_a_minute_makes_none() -> None:
    frame = walked([30, 30, 25, 25, 30, 30])
    row = el.gait.peak_cadence(frame, minutes=1).iloc[0]
    assert row[["peak_spm", "n"]].tolist() == [110, 1]


def test_the_busiest_minute_before_midnight_belongs_to_the_day_that_ends() -> None:
    frame = at(
        minutes([60.0] * 3, [100, 110, 50]),
        ["2026-10-20T23:59:00Z", "2026-10-21T00:00:00Z", "2026-10-21T00:01:00Z"],
    )
    assert el.gait.peak_cadence(frame, minutes=1)["peak_spm"].tolist() == [110, 50]


def test_step_classes_are_shares_of_all_steps() -> None:
    frame = frame_of(
        MINUTES,
        {"stp_fst": [10, 0], "stp_mid": [20, 0], "stp_slw": [30, 0], "stp_vsl": [40, 0]},
    )
    row = el.gait.speed_classes(frame).iloc[0]
    assert row["steps"] == 100
    assert row.filter(like="share_").tolist() == [0.1, 0.2, 0.3, 0.4]
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 2, 1]


def test_the_step_time_is_the_inverse_of_the_pace() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        by_day, pace = el.gait.step_time(frame, by="1D"), el.gait.pace(frame, by="1D")
        np.testing.assert_allclose(by_day["step_time_ms"], 60_000 / pace["pace_spm"])
        np.testing.assert_array_equal(by_day["exposure_min"], pace["exposure_min"])
        cv = by_day["step_time_sd_between_ms"] / by_day["step_time_ms"]
        np.testing.assert_allclose(by_day["step_time_cv_between"], cv)
        np.testing.assert_array_equal(
            by_day["step_time_cv_between"], el.daily(frame)["step_time_cv_between"]
        )


def test_the_spread_weighs_each_record_by_its_steps() -> None:
    # 10 steps of 1 s, 30 steps of 0.5 s: mean 25 / 40 s
    frame = frame_of(EYES, {"stp": [10, 30], "cad": [60, 120], "isl": [False, False]})
    walked = el.gait.step_time(frame).loc["all"]
    assert walked["step_time_ms"] == pytest.approx(625)
    spread = (10 * 375.0**2 + 30 * 125.0**2) / 40
    assert walked["step_time_sd_between_ms"] == pytest.approx(spread**0.5)
    assert walked["n"] == 40


def test_one_record_has_a_step_time_and_no_spread() -> None:
    frame = frame_of(EYES, {"stp": [20, 0], "cad": [100, 0], "isl": [False, False]})
    walked = el.gait.step_time(frame).loc["all"]
    assert walked["step_time_ms"] == pytest.approx(600)
    assert np.isnan(walked[["step_time_sd_between_ms", "step_time_cv_between"]].to_numpy()).all()


def test_a_day_without_walking_has_no_step_time() -> None:
    frame = frame_of(EYES, {"stp": [0, 0], "cad": [0, 0], "isl": [False, False]})
    row = el.gait.step_time(frame).loc["all"]
    assert row["n"] == 0
    assert np.isnan(row["step_time_ms"])


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


@examples(30)
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


def test_symmetry_of_the_published_example() -> None:
    index, ratio, angle = el.gait.symmetry(5.2, 4.6)
    assert index == pytest.approx(12.2448980, abs=1e-7)
    assert ratio == pytest.approx(5.2 / 4.6)
    # Zifchock et al. 2008: (45 - atan(4.6 / 5.2)) / 90
    assert angle == pytest.approx(100 * (45 - np.degrees(np.arctan(4.6 / 5.2))) / 90)


def test_symmetry_is_unsigned_by_default() -> None:
    assert tuple(el.gait.symmetry(4.6, 5.2)) == pytest.approx(tuple(el.gait.symmetry(5.2, 4.6)))
    signed = el.gait.symmetry(4.6, 5.2, signed=True)
    assert signed.index == pytest.approx(-12.2448980)
    assert signed.ratio == pytest.approx(4.6 / 5.2)
    assert signed.angle < 0


def test_equal_sides_are_symmetric_and_missing_sides_are_missing() -> None:
    assert tuple(el.gait.symmetry(3.0, 3.0)) == (0.0, 1.0, 0.0)
    for sides in ((np.nan, 1.0), (0.0, 0.0), (-1.0, 2.0)):
        assert np.isnan(el.gait.symmetry(*sides)).all()


def test_sides_that_are_series_of_one_index_are_compared_label_by_label() -> None:
    right, left = pd.Series([5.2, np.nan], index=["a", "b"]), pd.Series([4.6, 1], index=["a", "b"])
    found = el.gait.symmetry(right, left)
    assert found.index.round(7).tolist()[0] == 12.244898
    assert np.isnan(found.index["b"])
    assert found.angle.index.tolist() == ["a", "b"]


def test_labels_of_one_side_alone_are_left_out_and_the_right_side_gives_the_order() -> None:
    right = pd.Series([4.0, 5.2, 9.0], index=["b", "a", "x"])
    left = pd.Series([7.0, 4.6, 4.0], index=["y", "a", "b"])
    found = el.gait.symmetry(right, left)
    assert pd.Series(found.index).round(7).to_dict() == {"b": 0.0, "a": 12.244898}


def test_stamps_of_two_zones_meet_at_the_same_instant() -> None:
    index = pd.date_range("2026-10-19", periods=3, freq="h", tz="UTC")
    right, left = pd.Series(5.2, index=index), pd.Series(4.6, index=index.tz_convert("Asia/Tokyo"))
    found = pd.Series(el.gait.symmetry(right, left[::-1]).index)
    assert found.round(7).tolist() == [12.244898] * 3
    assert found.index.equals(index)


@pytest.mark.parametrize("labels", [["c", "d"], ["a", "a"]])
def test_labels_that_do_not_pair_are_refused(labels: list[str]) -> None:
    with pytest.raises(el.ConfigurationError, match="labels"):
        el.gait.symmetry(pd.Series([1.0, 2.0], index=["a", "b"]), pd.Series([1.0, 2], index=labels))
