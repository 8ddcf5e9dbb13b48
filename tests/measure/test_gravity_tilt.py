"""Tilt from gravity: known leans are found, and their SD is that of the rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.packets import flagged_at, packets

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


@settings(max_examples=30, deadline=None)
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
