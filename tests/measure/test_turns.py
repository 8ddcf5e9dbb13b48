"""Single head movements: those planted are found, each once, with its size."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.packets import flagged_at, packets

N = 4000


def moved(axis: str, *moves: tuple[int, float], **more) -> pd.DataFrame:
    """Return packets in which an angle moves there and back, 6 packets each way, from some rows."""
    draws = np.random.default_rng(2)
    angle = draws.normal(0, 0.04, N)
    push = np.zeros(N)
    for at, size in moves:
        angle[at : at + 13] += size * (1 - np.abs(np.arange(13) - 6) / 6)
        push[at : at + 2] += np.sign(size) * 3
    level = {"pitch": 10, "yaw": 355}[axis]
    acc, own = {"pitch": ("accZ", 16), "yaw": ("accX", 0)}[axis]
    columns = {
        axis: np.round(angle + level, 2) % 360 if axis == "yaw" else angle + level,
        acc: np.rint(own + push),
    }
    return packets(N, columns | more, jitter_us=0)


@pytest.mark.parametrize("axis", ["pitch", "yaw"])
def test_a_movement_there_and_back_is_two_of_its_size(axis):
    found = el.posture.turns(moved(axis, (1000, 18.0), (2000, -40.0)))
    found = found[found["axis"] == axis]
    np.testing.assert_allclose(found["size_deg"], [18, -18, -40, 40], atol=0.4)
    assert found["duration_s"].between(0.2, 0.4).all()
    assert found["counted"].all()
    assert found["peak_g"].isna().all()


def test_no_movement_is_found_at_rest_or_below_5_degrees():
    assert el.posture.turns(moved("yaw")).empty
    assert el.posture.turns(moved("yaw", (1000, 4.0))).empty


def test_a_slow_lean_is_no_movement():
    lean = np.interp(np.arange(N), [0, 1000, 1200, N], [0, 0, 40, 40])  # 4 degrees per second
    assert el.posture.turns(packets(N, {"pitch": lean}, jitter_us=0)).empty


def test_a_lost_packet_within_a_movement_does_not_cut_it_in_two():
    frame = moved("yaw", (1000, 30.0))
    found = el.posture.turns(frame.drop(frame.index[[1003, 1009]]))
    np.testing.assert_allclose(found["size_deg"], [30, -30], atol=0.4)


def test_peaks_of_007_to_03_g_count_and_stronger_or_shorter_ones_do_not():
    push = np.zeros(N)
    push[[500, 501]] = 3  # 0.19 G
    push[[900, 901]] = 6  # 0.38 G
    push[1300] = 3
    push[[1700, 1701]] = -2  # 0.12 G
    found = el.posture.turns(packets(N, {"accX": push}, jitter_us=0, seed=1), method="peaks")
    found = found[found["axis"] == "yaw"]
    np.testing.assert_allclose(found["peak_g"], [3 / 16, -2 / 16])
    assert found["size_deg"].isna().all()


def test_steps_shake_the_head_and_unworn_eyewear_moves_without_one():
    off = flagged_at(N, 2050).astype(float)
    frame = moved("yaw", (1000, 18), (2000, 18), walking=flagged_at(N, 1005), fitError=off)
    peaks = el.posture.turns(frame, method="peaks")
    peaks = peaks[peaks["axis"] == "yaw"]
    assert peaks["reason"].tolist() == ["walking", "not worn"]
    assert not peaks["counted"].any()
    angles = el.posture.turns(frame)
    assert angles["reason"].tolist() == ["", "", "not worn", "not worn"]


@pytest.mark.slow("a day of 20 Hz rows is simulated")
def test_movements_planted_in_a_day_are_found():
    asked = {"log": "current_data", "seed": 5}
    frame, truth = (
        el.simulate("2026-10-20", 1, **asked),
        el.simulate_truth("2026-10-20", 1, **asked),
    )
    for method, least in (("angles", 0.99), ("peaks", 0.97)):
        found = el.posture.turns(frame, method=method)
        for axis, kind in (("pitch", "nod"), ("yaw", "turn")):
            planted = truth.index[truth["kind"] == kind]
            own = found.index[found["axis"] == axis]
            at = own.searchsorted(planted - pd.Timedelta("300ms"))
            near = own[np.minimum(at, len(own) - 1)] - planted
            hits = (abs(near) <= pd.Timedelta("600ms")).sum()
            ways = 2 if method == "angles" else 1
            assert hits / len(planted) >= least
            assert len(own) <= 1.01 * ways * len(planted)
