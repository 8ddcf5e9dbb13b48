"""Angles on the circle, pooled SDs, zones, own median, head movements."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from support.frames import EYES, MINUTES, frame_of

EXAMPLE = [350, 10, 20, 5, 355, 2, 30]
angles = st.lists(st.floats(-180, 180).map(lambda x: round(x, 2)), min_size=1, max_size=20)


def test_circular_mean_and_sd_of_the_published_example() -> None:
    # scipy.stats.circmean / circstd(EXAMPLE, high=360) give the same
    assert el.posture.circular_mean(EXAMPLE) == pytest.approx(7.38355499, abs=1e-8)
    assert el.posture.circular_sd(EXAMPLE) == pytest.approx(12.9414923, abs=1e-7)


def test_missing_angles_are_left_out_and_no_angle_has_no_mean() -> None:
    assert el.posture.circular_mean([np.nan, 350, 10]) == pytest.approx(0, abs=1e-9)
    for none in ([], [np.nan], pd.Series([], dtype="Float64"), pd.Series([pd.NA], dtype="Float64")):
        assert np.isnan(el.posture.circular_mean(none))
        assert np.isnan(el.posture.circular_sd(none))
        assert np.isnan(el.posture.circular_median(none))


def test_angles_that_point_nowhere_have_no_mean() -> None:
    assert np.isnan(el.posture.circular_mean([0, 180]))
    assert el.posture.circular_sd([0, 90, 180, 270]) == np.inf


def test_one_angle_has_no_spread() -> None:
    assert el.posture.circular_sd([123.4]) == 0.0


def test_words_are_no_angles() -> None:
    for ask in (el.posture.circular_mean, el.posture.circular_sd, el.posture.circular_median):
        with pytest.raises(ConfigurationError, match="numbers, in degrees"):
            ask(["north"])


@given(angles, st.floats(-720, 720).map(round))
def test_turning_all_angles_turns_the_mean_and_leaves_the_spread(
    degrees: list[float], turn: float
) -> None:
    before = el.posture.circular_mean(degrees)
    after = el.posture.circular_mean([x + turn for x in degrees])
    length = np.hypot(*(f(np.deg2rad(degrees)).mean() for f in (np.cos, np.sin)))
    if length > 1e-6:
        assert abs((after - before - turn + 180) % 360 - 180) < 1e-4
        assert el.posture.circular_sd([x + turn for x in degrees]) == pytest.approx(
            el.posture.circular_sd(degrees), abs=1e-3
        )


@given(angles)
def test_mean_and_sd_are_those_of_scipy(degrees: list[float]) -> None:
    length = np.hypot(*(f(np.deg2rad(degrees)).mean() for f in (np.cos, np.sin)))
    if length > 1e-3:
        mean = stats.circmean(degrees, high=180, low=-180)
        assert abs((el.posture.circular_mean(degrees) - mean + 180) % 360 - 180) < 1e-6
        sd = np.rad2deg(stats.circstd(np.deg2rad(degrees)))
        assert el.posture.circular_sd(degrees) == pytest.approx(sd, abs=1e-4)


@given(st.lists(st.lists(st.integers(-50, 50), min_size=1, max_size=5), min_size=1, max_size=5))
def test_the_pooled_sd_of_parts_is_the_sd_of_the_whole(parts: list[list[int]]) -> None:
    found = el.posture.pooled_sd(
        [np.std(part) for part in parts],
        mean=[np.mean(part) for part in parts],
        n=[len(part) for part in parts],
    )
    assert found.total == pytest.approx(np.std(np.concatenate(parts)), abs=1e-6)
    assert np.hypot(found.within, found.between) == pytest.approx(found.total)


def test_without_means_only_the_sd_within_is_known() -> None:
    within, between, total = el.posture.pooled_sd([3.0, 4.0])
    assert within == pytest.approx(np.sqrt(12.5))
    assert np.isnan([between, total]).all()
    with pytest.raises(ConfigurationError, match="same length"):
        el.posture.pooled_sd([1.0], n=[1, 2])


def test_zones_share_the_time_of_known_tilt() -> None:
    frame = frame_of(EYES, {"tl_yav": [-20.0, 0.0, 14.9, 15.0, 50.0, np.nan, 91.0, 10.0]})
    table = el.posture.zones(frame)
    assert table.loc["0 to 15", ["share", "n", "exposure_min"]].tolist() == [0.5, 3, 0.75]
    assert table.loc["15 to 30", "n"] == 1
    assert table.loc["45 and above", "n"] == 1  # 91 degrees is stored eyewear
    assert table["share"].sum() == pytest.approx(1)
    assert table["coverage"].unique().tolist() == [0.75]


def test_zones_can_be_cut_elsewhere_and_against_the_own_median() -> None:
    frame = frame_of(EYES, {"tl_yav": [20.0, 21.0, 22.0, 40.0]})
    own = el.posture.zones(frame, reference="median", edges=[-5, 5])
    assert own["n"].to_dict() == {"below -5": 0, "-5 to 5": 3, "5 and above": 1}


def test_no_tilt_is_no_share_and_not_a_share_of_zero() -> None:
    table = el.posture.zones(frame_of(EYES, {"tl_yav": [np.nan]}))
    assert table["share"].isna().all()
    assert table["n"].sum() == 0


@pytest.mark.parametrize(
    "options",
    [{"edges": []}, {"edges": [5, 5]}, {"edges": [0, 200]}, {"field": "stp"}, {"reference": "me"}],
)
def test_zones_refuse_what_makes_no_sense(options: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        el.posture.zones(el.sample(), **options)  # type: ignore[arg-type]


def test_the_tilt_against_the_own_median_goes_over_the_turn() -> None:
    frame = frame_of(EYES, {"tl_xav": [179.0, -179.0, -177.0], "tl_yav": [10.0, 20.0, 30.0]})
    table = el.posture.relative_tilt(frame, judge=False)
    assert table["tl_xav"].tolist() == [-2.0, 0.0, 2.0]
    assert table["tl_yav"].tolist() == [-10.0, 0.0, 10.0]


def test_spread_tells_fidgeting_from_changes_of_posture() -> None:
    frame = frame_of(
        EYES,
        {"tl_yav": [5.0, 15.0], "tl_ysd": [3.0, 3.0], "tl_xav": [0.0, 0.0], "tl_xsd": [1.0, 7.0]},
    )
    row = el.posture.spread(frame).iloc[0]
    assert row[["forward_within", "forward_between"]].tolist() == [3.0, pytest.approx(5.0)]
    assert row["forward_total"] == pytest.approx(np.sqrt(34))
    assert row[["sideways_within", "sideways_between"]].tolist() == [5.0, pytest.approx(0.0)]
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 0.5, 1]


def test_head_movements_are_per_worn_hour_with_typical_values() -> None:
    frame = frame_of(
        MINUTES,
        {"hm_po": list(range(11)), "hm_yo": [2] * 11, "wea_s": [60.0] * 10 + [0.0]},
    )
    row = el.posture.head_movements(frame).iloc[0]
    assert row["pitch_per_h"] == pytest.approx(45 * 6)
    assert row["yaw_per_h"] == pytest.approx(120)
    assert row["pitch_p90"] == pytest.approx(np.quantile(range(10), 0.9))
    assert row["pitch_p99"] == pytest.approx(np.quantile(range(10), 0.99))
    assert row[["n", "exposure_min"]].tolist() == [10, 10]
    assert row["coverage"] == pytest.approx(10 / 11)


def test_head_movements_by_day_are_those_of_the_daily_summary() -> None:
    for log in (EYES, MINUTES):
        frame = el.sample(log)
        by_day, days = el.posture.head_movements(frame, by="1D"), el.daily(frame)
        np.testing.assert_allclose(by_day["yaw_per_h"], days["head_moves_yaw_per_h"])


def test_head_movements_per_worn_hour_need_to_know_wear() -> None:
    frame = frame_of(EYES, {"hm_po": [1], "hm_yo": [1]}, calm=False)
    with pytest.raises(FieldError, match=r"head_movements needs 'isl"):
        el.posture.head_movements(frame)
    with pytest.raises(FieldError, match="tl_xav"):
        el.posture.relative_tilt(frame_of(EYES, {"tl_yav": [1.0]}, calm=False))
    with pytest.raises(MixedLogsError):
        el.posture.zones(frame.assign(tl_yav=1.0, wea_s=60.0))


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_no_rows_give_tables_of_the_same_shape(log: str) -> None:
    frame = el.sample(log)
    for ask in (el.posture.head_movements, el.posture.spread):
        for by in (None, "1h", "hour"):
            full, none = ask(frame, by=by), ask(frame.iloc[:0], by=by)
            assert none.dtypes.equals(full.dtypes)
            assert len(none) == (by is None)
    full, none = el.posture.zones(frame), el.posture.zones(frame.iloc[:0])
    assert none.dtypes.equals(full.dtypes)
    assert none.index.equals(full.index)
