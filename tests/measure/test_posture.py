"""Head movements per worn hour, zones of tilt, and its spread."""

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
