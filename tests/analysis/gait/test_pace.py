"""Pace, walking bouts, busiest minutes, step classes, symmetry, day totals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from support.frames import EYES, MINUTES, at, frame_of


def walked(steps: list[float], cadence: float = 120.0) -> pd.DataFrame:
    return frame_of(EYES, {"stp": steps, "cad": [cadence if s else np.nan for s in steps]})


def minutes(seconds: list[float], steps: list[float]) -> pd.DataFrame:
    nothing = [0.0] * len(steps)
    classes = {"stp_fst": nothing, "stp_mid": steps, "stp_slw": nothing, "stp_vsl": nothing}
    return frame_of(MINUTES, classes | {"stp_s": seconds})


def test_pace_is_steps_over_time_walked_in_minutes_of_steady_walking() -> None:
    row = el.gait.pace(minutes([60, 50, 49, 0], [120, 80, 90, 0])).iloc[0]
    assert row["pace_spm"] == pytest.approx(200 * 60 / 110)
    assert row["n"] == 2
    assert row["exposure_min"] == pytest.approx(110 / 60)
    assert row["coverage"] == 1


def test_the_limit_of_steady_walking_is_an_argument() -> None:
    assert el.gait.pace(minutes([49], [98]), min_walked_s=40)["pace_spm"].tolist() == [120]


def test_all_four_classes_of_steps_make_the_pace() -> None:
    frame = frame_of(
        MINUTES, {"stp_fst": [10], "stp_mid": [20], "stp_slw": [30], "stp_vsl": [40], "stp_s": [60]}
    )
    assert el.gait.pace(frame)["pace_spm"].tolist() == [100]


def test_cadences_average_over_the_time_they_took() -> None:
    frame = frame_of(EYES, {"stp": [30, 15, 0], "cad": [120.0, 60.0, np.nan]})
    row = el.gait.pace(frame).iloc[0]
    assert row["pace_spm"] == pytest.approx(45 / 0.5)
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 0.5, 1]


def test_nobody_walking_is_no_pace_and_not_a_pace_of_zero() -> None:
    for frame in (walked([0, 0]), minutes([0, 0], [0, 0])):
        row = el.gait.pace(frame).iloc[0]
        assert np.isnan(row["pace_spm"])
        assert row[["n", "exposure_min"]].tolist() == [0, 0]


def test_the_pace_by_day_is_that_of_the_daily_summary() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        by_day, days = el.gait.pace(frame, by="1D"), el.daily(frame)
        np.testing.assert_array_equal(by_day["pace_spm"], days["pace_spm"])
        np.testing.assert_array_equal(by_day["exposure_min"], days["pace_exposure_min"])


def test_the_pace_of_a_simulated_wearer_is_the_planted_one() -> None:
    truth = el.simulate_truth("2026-10-19", 5, seed=2)
    planted = (truth["pace_spm"] * truth["walking_min"]).sum() / truth["walking_min"].sum()
    found = el.gait.pace(el.simulate("2026-10-19", 5, seed=2))["pace_spm"].iloc[0]
    assert found == pytest.approx(planted, rel=0.01)


def test_fields_that_lack_are_named() -> None:
    with pytest.raises(FieldError, match=r"gait.pace needs 'cad'"):
        el.gait.pace(frame_of(EYES, {"stp": [1]}))
    with pytest.raises(FieldError, match="no step classes"):
        el.gait.speed_classes(walked([1]))
    with pytest.raises(MixedLogsError):
        el.gait.pace(walked([1]).assign(wea_s=60.0))


def test_a_pause_within_a_bout_is_part_of_it() -> None:
    frame = walked([0, 30, 30, 0, 30, 0, 0, 30, 0])
    one, two = (el.gait.bouts(frame, max_pause=p, min_length="15s") for p in ("30s", "15s"))
    assert one["duration_min"].tolist() == [7 / 4]
    assert two["duration_min"].tolist() == [1.0, 0.25]
    assert [f"{label:%M:%S}" for label in two["start"]] == ["00:15", "01:45"]
    assert [f"{label:%M:%S}" for label in two["end"]] == ["01:15", "02:00"]
    assert two["steps"].tolist() == [90, 30]
    assert two["n"].tolist() == [3, 1]


def test_a_bout_shorter_than_asked_is_none() -> None:
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


def test_a_bout_tells_pace_vibration_landing_and_symmetry() -> None:
    sides = {"st_r": 0.52, "st_l": 0.46, "sa_xr": 2, "sa_xl": 1, "sa_zr": 4, "sa_zl": 3}
    frame = walked([30] * 4).assign(**{k: float(v) for k, v in sides.items()})
    row = el.gait.bouts(frame).iloc[0]
    assert row["pace_spm"] == pytest.approx(120)
    assert row["sway_sideways_cm"] == 1.5
    assert row["sway_vertical_cm"] == 3.5
    assert np.isnan(row["sway_fore_aft_cm"])
    assert row["landing_g"] == pytest.approx(0.49)
    assert row["landing_symmetry"] == pytest.approx(12.2448980)


def test_no_walk_gives_an_empty_table_of_the_same_shape() -> None:
    for frame in (el.sample(), el.sample(MINUTES)):
        full = el.gait.bouts(frame)
        for none in (el.gait.bouts(frame.iloc[:0]), el.gait.bouts(frame, min_length="9h")):
            assert len(none) == 0
            assert none.dtypes.equals(full.dtypes)


def test_what_needs_single_intervals_refuses_bins() -> None:
    bins = el.resample(el.sample(), "10min")
    for ask in (el.gait.bouts, el.gait.peak_cadence):
        with pytest.raises(ConfigurationError, match="resampled"):
            ask(bins)


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


def test_peak_cadence_is_the_mean_of_the_busiest_minutes() -> None:
    frame = minutes([60.0] * 5, [100, 50, 120, 0, 80])
    for k, expected in ((1, 120), (2, 110), (5, 70)):
        row = el.gait.peak_cadence(frame, minutes=k).iloc[0]
        assert row[["peak_spm", "n", "exposure_min"]].tolist() == [expected, 5, 5]
    assert np.isnan(el.gait.peak_cadence(frame, minutes=6)["peak_spm"].iloc[0])


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


@pytest.mark.parametrize("options", [{"minutes": 0}, {"minutes": 1.5}, {"min_coverage": 0}])
def test_peak_cadence_refuses_what_makes_no_sense(options: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError):
        el.gait.peak_cadence(walked([1]), **options)  # type: ignore[arg-type]


def test_step_classes_are_shares_of_all_steps() -> None:
    frame = frame_of(
        MINUTES,
        {"stp_fst": [10, 0], "stp_mid": [20, 0], "stp_slw": [30, 0], "stp_vsl": [40, 0]},
    )
    row = el.gait.speed_classes(frame).iloc[0]
    assert row["steps"] == 100
    assert row.filter(like="share_").tolist() == [0.1, 0.2, 0.3, 0.4]
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 2, 1]


def test_symmetry_of_the_published_example() -> None:
    index, ratio, angle = el.gait.symmetry(5.2, 4.6)
    assert index == pytest.approx(12.2448980, abs=1e-7)
    assert ratio == pytest.approx(5.2 / 4.6)
    # Zifchock et al. 2008: (45 - atan(4.6 / 5.2)) / 90
    assert angle == pytest.approx(100 * (45 - np.degrees(np.arctan(4.6 / 5.2))) / 90)


def test_symmetry_is_unsigned_unless_asked() -> None:
    assert tuple(el.gait.symmetry(4.6, 5.2)) == pytest.approx(tuple(el.gait.symmetry(5.2, 4.6)))
    signed = el.gait.symmetry(4.6, 5.2, signed=True)
    assert signed.index == pytest.approx(-12.2448980)
    assert signed.ratio == pytest.approx(4.6 / 5.2)
    assert signed.angle < 0


def test_equal_sides_are_symmetric_and_missing_sides_are_missing() -> None:
    assert tuple(el.gait.symmetry(3.0, 3.0)) == (0.0, 1.0, 0.0)
    for sides in ((np.nan, 1.0), (0.0, 0.0), (-1.0, 2.0)):
        assert np.isnan(el.gait.symmetry(*sides)).all()


def test_sides_that_are_series_are_compared_row_by_row() -> None:
    right, left = pd.Series([5.2, np.nan], index=["a", "b"]), pd.Series([4.6, 1], index=["a", "b"])
    found = el.gait.symmetry(right, left)
    assert found.index.round(7).tolist()[0] == 12.244898
    assert np.isnan(found.index["b"])
    assert found.angle.index.tolist() == ["a", "b"]


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0.1, 10))
def test_symmetry_does_not_depend_on_the_unit(right: float, left: float, unit: float) -> None:
    np.testing.assert_allclose(
        el.gait.symmetry(right, left),
        el.gait.symmetry(right * unit, left * unit),
        rtol=1e-6,
        atol=1e-9,
    )
