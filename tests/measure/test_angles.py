"""Angles of the 20 Hz log: wraps, drift and humps go, and no movement goes with them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.packets import flagged_at, packets

N = 12_000  # 10 minutes


def yaw(values: np.ndarray) -> pd.DataFrame:
    """Return packets whose yaw has these values, on the circle and in hundredths of a degree."""
    return packets(len(values), {"yaw": np.round(values, 2) % 360}, jitter_us=0)


def noise(n: int = N, seed: int = 1) -> np.ndarray:
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
    angle = corrected(yaw(180 + drift * np.arange(N) / 20 + noise()))
    assert abs(speed(angle)) < 0.02
    assert np.ptp(angle) < 12  # over 10 minutes


def test_drift_of_each_connection_is_its_own():
    one = yaw(100 + 0.5 * np.arange(N) / 20 + noise())
    other = yaw(200 - 0.3 * np.arange(N) / 20 + noise(seed=2))
    both = pd.concat([one, other.set_axis(one.index + pd.Timedelta("1h"))])
    angle = corrected(both)
    assert abs(speed(angle[:N])) < 0.02
    assert abs(speed(angle[N:])) < 0.02
    assert angle[0] == pytest.approx(one["yaw"].iloc[0])
    assert angle[N] == pytest.approx(other["yaw"].iloc[0])


def test_drift_is_found_beneath_turns_that_come_back_and_one_that_lasts():
    path = noise()
    for at in range(300, N - 40, 400):
        path[at : at + 20] += 30 * np.sin(np.linspace(0, np.pi, 20))
    path += np.interp(np.arange(N), [0, N // 2, N // 2 + 10, N], [0, 0, 60, 60])
    angle = corrected(yaw(180 + 0.5 * np.arange(N) / 20 + path))
    np.testing.assert_allclose(angle - angle[0], path - path[0], atol=0.02 * N / 20)
    assert np.ptp(angle[300:320]) == pytest.approx(30, abs=1)
    assert abs(speed(angle[: N // 2])) < 0.02


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
    frame = yaw(180 + 0.5 * np.arange(N) / 20 + noise())
    kept = np.random.default_rng(3).random(N) >= 0.05
    angle = corrected(frame[kept])
    np.testing.assert_allclose(angle, corrected(frame)[kept], atol=2)
    assert abs(speed(angle)) < 0.02


def test_an_angle_is_missing_where_the_eyewear_was_off_or_reports_none():
    values = np.full(N, 180.0)
    frame = packets(N, {"yaw": values, "fitError": flagged_at(N, 500).astype(float)}, jitter_us=0)
    frame.iloc[1000, frame.columns.get_loc("yaw")] = np.nan
    frame.iloc[1100, frame.columns.get_loc("yaw")] = 400.0  # out of range
    missing = np.flatnonzero(np.isnan(corrected(frame)))
    assert missing.tolist() == [*range(400, 501), 1000, 1100]


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(st.integers(-9, 9), min_size=3, max_size=60), start=st.integers(0, 359))
def test_whatever_the_start_the_path_is_the_same(steps, start):
    path = np.cumsum(np.repeat(steps, 3)).astype(float)
    one, other = corrected(yaw(path)), corrected(yaw(path + start))
    np.testing.assert_allclose(other - other[0], one - one[0], atol=1e-6)
