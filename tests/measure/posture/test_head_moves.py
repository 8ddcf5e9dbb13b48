"""Head movements per worn hour."""

import numpy as np
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of


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


def test_head_movements_per_worn_hour_need_the_evidence_of_wear() -> None:
    frame = frame_of(EYES, {"hm_po": [1], "hm_yo": [1]}, calm=False)
    with pytest.raises(el.FieldError, match=r"head_movements needs 'isl"):
        el.posture.head_movements(frame)
    with pytest.raises(el.FieldError, match="tl_xav"):
        el.posture.relative_tilt(frame_of(EYES, {"tl_yav": [1.0]}, calm=False))
    with pytest.raises(el.MixedLogsError):
        el.posture.zones(frame.assign(tl_yav=1.0, wea_s=60.0))
