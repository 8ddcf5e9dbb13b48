"""The state of each row, against its definition and against the hours of coverage."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.judge.records import STATES
from support.reasons import seconds


def fifteen(**columns: list[object]) -> pd.DataFrame:
    """Rows that are usable but for the columns given."""
    n = len(next(iter(columns.values())))
    index = pd.date_range("2025-01-06 09:00:15", periods=n, freq="15s", tz="Asia/Tokyo")
    usable = {"isl": False, "vld": True, "stp": 0.0, "nis_time": 0.0, "tl_xav": 0.0, "tl_yav": 0.0}
    frame = pd.DataFrame({name: [value] * n for name, value in usable.items()} | columns)
    frame = frame.astype({"isl": "boolean", "vld": "boolean"}).set_index(index.as_unit("us"))
    return frame.rename_axis("date")


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ({"stp": [0.0]}, "usable"),
        ({"stp": [3.0]}, "walking"),
        ({"nis_time": [3.0]}, "usable"),
        ({"nis_time": [4.0]}, "noisy"),
        ({"vld": [False]}, "noisy"),
        ({"tl_xav": [46.0]}, "off pose"),
        ({"tl_yav": [-46.0]}, "off pose"),
        ({"isl": [True]}, "not worn"),
        ({"stp": [3.0], "nis_time": [9.0], "vld": [False]}, "walking"),
        ({"stp": [3.0], "tl_xav": [60.0]}, "off pose"),
        ({"isl": [True], "tl_xav": [60.0], "stp": [3.0], "nis_time": [9.0]}, "not worn"),
    ],
)
def test_a_row_has_the_first_state_that_holds(columns, state) -> None:
    assert el.states(fifteen(**columns), log="computed_data").tolist() == [state]


@pytest.mark.parametrize("missing", ["isl", "vld", "stp", "nis_time"])
def test_a_row_that_lacks_evidence_has_no_state_unless_other_evidence_decides(missing: str) -> None:
    frame = fifteen(stp=[0.0, 0.0, 0.0])
    frame.loc[frame.index[:2], missing] = pd.NA if missing in ("isl", "vld") else np.nan
    frame.loc[frame.index[1], "tl_xav"] = 60.0
    found = el.states(frame, log="computed_data")
    assert found.isna().tolist() == [True, False, False]
    assert found.tolist()[1:] == ["off pose", "usable"]


@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_usable_rows_are_those_that_coverage_counts_as_valid(log: str) -> None:
    frame = el.simulate("2025-01-06", 3, log=log, tz="Asia/Tokyo")
    found, time = el.states(frame), seconds(frame)
    assert ((found == "usable") == (time["valid_s"] > 0)).all()
    assert set(found.dropna()) == set(STATES)
    table = el.coverage(frame)
    if log == "computed_data":
        assert (found == "usable").sum() * 15 / 3600 == pytest.approx(table["valid_h"].sum())


@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_a_masked_frame_has_the_same_states(log: str) -> None:
    frame = el.simulate("2025-01-06", 2, log=log, tz="Asia/Tokyo")
    masked = el.mask(frame, el.flag(frame))
    pd.testing.assert_series_equal(el.states(masked), el.states(frame))


def test_blinks_can_speak_for_wear() -> None:
    frame = fifteen(isl=[True, True]).assign(bk_n=[2.0, 0.0])
    limits = el.Limits(wear="blinks")
    assert el.states(frame, log="computed_data", limits=limits).tolist() == ["usable", "not worn"]


def test_a_frame_without_wear_is_refused_and_other_evidence_is_asked_for() -> None:
    frame = fifteen(stp=[0.0])
    with pytest.raises(el.FieldError, match="states needs 'isl'"):
        el.states(frame.drop(columns="isl"), log="computed_data")
    with pytest.warns(el.EyelogWarning, match="NOISY \\(nis_time\\)"):
        el.states(frame.drop(columns="nis_time"), log="computed_data")
