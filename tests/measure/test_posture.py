"""Head movements per worn hour, tilt with its zones and its spread, and angles of single rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, MINUTES, frame_of
from support.laws import examples
from support.packets import flagged_at, packets


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


def test_head_movements_per_worn_hour_need_the_evidence_of_wear() -> None:
    frame = frame_of(EYES, {"hm_po": [1], "hm_yo": [1]}, calm=False)
    with pytest.raises(el.FieldError, match=r"head_movements needs 'isl"):
        el.posture.head_movements(frame)
    with pytest.raises(el.FieldError, match="tl_xav"):
        el.posture.relative_tilt(frame_of(EYES, {"tl_yav": [1.0]}, calm=False))
    with pytest.raises(el.MixedLogsError):
        el.posture.zones(frame.assign(tl_yav=1.0, wea_s=60.0))


def test_zones_share_the_time_with_a_tilt() -> None:
    frame = frame_of(EYES, {"tl_yav": [-20.0, 0.0, 14.9, 15.0, 50.0, np.nan, 91.0, 10.0]})
    table = el.posture.zones(frame)
    assert table.loc["0 to 15", ["share", "n", "exposure_min"]].tolist() == [0.5, 3, 0.75]
    assert table.loc["15 to 30", "n"] == 1
    assert table.loc["45 and above", "n"] == 1  # 91 degrees is stored eyewear
    assert table["share"].sum() == pytest.approx(1)
    assert table["coverage"].unique().tolist() == [0.75]


def test_zones_can_have_other_edges_and_be_relative_to_the_own_median() -> None:
    frame = frame_of(EYES, {"tl_yav": [20.0, 21.0, 22.0, 40.0]})
    own = el.posture.zones(frame, reference="median", edges=[-5, 5])
    assert own["n"].to_dict() == {"below -5": 0, "-5 to 5": 3, "5 and above": 1}


def test_without_tilt_the_shares_are_missing_and_not_0() -> None:
    table = el.posture.zones(frame_of(EYES, {"tl_yav": [np.nan]}))
    assert table["share"].isna().all()
    assert table["n"].sum() == 0


def test_the_tilt_relative_to_the_own_median_crosses_180_degrees() -> None:
    frame = frame_of(EYES, {"tl_xav": [179.0, -179.0, -177.0], "tl_yav": [10.0, 20.0, 30.0]})
    table = el.posture.relative_tilt(frame, limits=el.Limits(tilt_sideways_deg=(-180, 180)))
    assert table["tl_xav"].tolist() == [-2.0, 0.0, 2.0]
    assert table["tl_yav"].tolist() == [-10.0, 0.0, 10.0]


def test_spread_separates_fidgeting_from_changes_of_posture() -> None:
    frame = frame_of(
        EYES,
        {"tl_yav": [5.0, 15.0], "tl_ysd": [3.0, 3.0], "tl_xav": [0.0, 0.0], "tl_xsd": [1.0, 7.0]},
    )
    row = el.posture.spread(frame).iloc[0]
    assert row[["fore_aft_within", "fore_aft_between"]].tolist() == [3.0, pytest.approx(5.0)]
    assert row["fore_aft_total"] == pytest.approx(np.sqrt(34))
    assert row[["sideways_within", "sideways_between"]].tolist() == [5.0, pytest.approx(0.0)]
    assert row[["n", "exposure_min", "coverage"]].tolist() == [2, 0.5, 1]


def test_a_log_without_averages_of_the_tilt_is_refused_with_the_logs_that_have_them() -> None:
    with pytest.raises(el.FieldError, match="15-second log or 60-second log has"):
        el.posture.spread(packets(600))


# Tilt from gravity: known leans are found, and their SD is that of the rows


N = 1200


def leaning(fore_aft: np.ndarray | float, sideways: np.ndarray | float = 0.0, **more):
    """Return packets of a head with this tilt in degrees, whose accelerations are not rounded."""
    tilt, lean = np.radians(fore_aft) + np.zeros(N), np.radians(sideways) + np.zeros(N)
    columns = {
        "accX": 16 * np.sin(lean),
        "accY": 16 * np.cos(lean) * np.sin(tilt),
        "accZ": 16 * np.cos(lean) * np.cos(tilt),
    }
    return packets(N, columns | more, jitter_us=0)


@examples(30)
@given(fore_aft=st.floats(-89, 89), sideways=st.floats(-80, 80), upright=st.sampled_from([16, -16]))
def test_a_steady_tilt_is_found_without_spread_whatever_upright_eyewear_states(
    fore_aft, sideways, upright
):
    frame = leaning(fore_aft, sideways)
    made = el.posture.tilt(frame.assign(accZ=frame["accZ"] * upright / 16)).loc["all"]
    assert made["fore_aft_deg"] == pytest.approx(fore_aft, abs=1e-6)
    assert made["sideways_deg"] == pytest.approx(sideways, abs=1e-6)
    assert made["fore_aft_sd_deg"] == pytest.approx(0, abs=1e-6)
    assert made["n"] == N
    assert made["exposure_min"] == pytest.approx(1)


def test_the_spread_is_that_of_the_rows_after_smoothing_half_a_second():
    tilt = np.where(np.arange(N) < N // 2, 10.0, 30.0)
    made = el.posture.tilt(leaning(tilt)).loc["all"]
    assert made["fore_aft_deg"] == pytest.approx(20, abs=0.1)
    assert made["fore_aft_sd_deg"] == pytest.approx(10, abs=0.1)
    shaken = 20 + 5 * np.where(np.arange(N) % 2, 1, -1)  # gone within half a second
    assert el.posture.tilt(leaning(shaken)).loc["all", "fore_aft_sd_deg"] < 1


def test_a_course_has_a_row_per_bin():
    made = el.posture.tilt(leaning(np.arange(N) / 60), by="1s")
    assert len(made) == 60
    np.testing.assert_allclose(np.diff(made["fore_aft_deg"])[1:-1], 1 / 3, atol=0.01)


def test_time_off_the_head_is_left_out():
    off = flagged_at(N, *range(600, N)).astype(float)
    made = el.posture.tilt(leaning(np.where(np.arange(N) < 500, 10, 80), fitError=off)).loc["all"]
    assert made["fore_aft_deg"] == pytest.approx(10, abs=0.1)
    assert made["n"] == 500


def test_a_head_that_hangs_straight_down_does_not_turn_over_when_its_vertical_axis_changes_sign():
    noise = np.random.default_rng(1).normal(0, 1, N)
    frame = packets(N, {"accX": 0 * noise, "accY": 16 + 0 * noise, "accZ": noise})
    made = el.posture.tilt(frame).loc["all"]
    assert made["fore_aft_deg"] == pytest.approx(90, abs=3)
    assert made["fore_aft_sd_deg"] < 3


def test_weightless_eyewear_has_no_tilt():
    frame = packets(N, {name: np.zeros(N) for name in ("accX", "accY", "accZ")})
    assert el.posture.tilt(frame).loc["all"].isna().tolist()[:4] == [True] * 4


# Angles of the 20 Hz log: wraps, drift and humps go, and no movement goes with them


TEN_MIN = 12_000  # 10 minutes


def yaw(values: np.ndarray) -> pd.DataFrame:
    """Return packets whose yaw has these values, on the circle and in hundredths of a degree."""
    return packets(len(values), {"yaw": np.round(values, 2) % 360}, jitter_us=0)


def noise(n: int = TEN_MIN, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.04, n)


def corrected(frame: pd.DataFrame) -> np.ndarray:
    return el.posture.angles(frame)["yaw_deg"].to_numpy()


def speed(angle: np.ndarray) -> float:
    """Return the median speed over a minute, in degrees per second."""
    return float(np.median((angle[1200:] - angle[:-1200]) / 60))


def test_an_angle_goes_on_where_it_wraps():
    turn = np.interp(np.arange(400), [0, 100, 130, 260, 290, 400], [350, 350, 390, 390, 350, 350])
    angle = corrected(yaw(turn))
    np.testing.assert_allclose(angle, turn, atol=0.02)


@pytest.mark.parametrize("drift", [0.5, -0.5, 0.05, 3.0])
def test_drift_is_removed_to_two_hundredths_of_a_degree_per_second(drift):
    angle = corrected(yaw(180 + drift * np.arange(TEN_MIN) / 20 + noise()))
    assert abs(speed(angle)) < 0.02
    assert np.ptp(angle) < 12  # over 10 minutes


def test_drift_of_each_connection_is_its_own():
    one = yaw(100 + 0.5 * np.arange(TEN_MIN) / 20 + noise())
    other = yaw(200 - 0.3 * np.arange(TEN_MIN) / 20 + noise(seed=2))
    both = pd.concat([one, other.set_axis(one.index + pd.Timedelta("1h"))])
    angle = corrected(both)
    assert abs(speed(angle[:TEN_MIN])) < 0.02
    assert abs(speed(angle[TEN_MIN:])) < 0.02
    assert angle[0] == pytest.approx(one["yaw"].iloc[0])
    assert angle[TEN_MIN] == pytest.approx(other["yaw"].iloc[0])


def test_drift_is_found_beneath_turns_that_come_back_and_one_that_lasts():
    path = noise()
    for at in range(300, TEN_MIN - 40, 400):
        path[at : at + 20] += 30 * np.sin(np.linspace(0, np.pi, 20))
    path += np.interp(
        np.arange(TEN_MIN),
        [0, TEN_MIN // 2, TEN_MIN // 2 + 10, TEN_MIN],
        [0, 0, 60, 60],
    )
    angle = corrected(yaw(180 + 0.5 * np.arange(TEN_MIN) / 20 + path))
    np.testing.assert_allclose(angle - angle[0], path - path[0], atol=0.02 * TEN_MIN / 20)
    assert np.ptp(angle[300:320]) == pytest.approx(30, abs=1)
    assert abs(speed(angle[: TEN_MIN // 2])) < 0.02


def test_a_hump_is_gone_and_a_turn_of_the_same_size_stays():
    hump = np.where(np.arange(400) >= 200, 1.5, 0.0)
    assert np.ptp(corrected(yaw(180 + hump))) < 0.02
    turn = np.interp(np.arange(400), [0, 200, 205, 400], [0, 0, 1.5, 1.5])
    assert np.ptp(corrected(yaw(180 + turn))) == pytest.approx(1.5, abs=0.02)


def test_slow_changes_of_posture_are_not_taken_for_drift():
    draws = np.random.default_rng(4)
    knots = np.zeros(241)  # every 15 s; drawn back to 0
    for i in range(1, 241):
        knots[i] = 0.9 * knots[i - 1] + draws.normal(0, 4)
    lean = np.interp(np.arange(72_000), np.arange(241) * 300, knots)
    frame = packets(72_000, {"pitch": np.round(lean, 2)}, jitter_us=0)
    angle = el.posture.angles(frame)["pitch_deg"].to_numpy()
    assert np.abs(angle - lean).max() < 10


def test_lost_packets_change_no_velocity():
    frame = yaw(180 + 0.5 * np.arange(TEN_MIN) / 20 + noise())
    kept = np.random.default_rng(3).random(TEN_MIN) >= 0.05
    angle = corrected(frame[kept])
    np.testing.assert_allclose(angle, corrected(frame)[kept], atol=2)
    assert abs(speed(angle)) < 0.02


def test_an_angle_is_missing_where_the_eyewear_was_off_or_reports_none():
    values = np.full(TEN_MIN, 180.0)
    frame = packets(
        TEN_MIN,
        {"yaw": values, "fitError": flagged_at(TEN_MIN, 500).astype(float)},
        jitter_us=0,
    )
    frame.iloc[1000, frame.columns.get_loc("yaw")] = np.nan
    frame.iloc[1100, frame.columns.get_loc("yaw")] = 400.0  # out of range
    missing = np.flatnonzero(np.isnan(corrected(frame)))
    assert missing.tolist() == [*range(400, 501), 1000, 1100]


@examples(25)
@given(steps=st.lists(st.integers(-9, 9), min_size=3, max_size=60), start=st.integers(0, 359))
def test_whatever_the_start_the_path_is_the_same(steps, start):
    path = np.cumsum(np.repeat(steps, 3)).astype(float)
    one, other = corrected(yaw(path)), corrected(yaw(path + start))
    np.testing.assert_allclose(other - other[0], one - one[0], atol=1e-6)
