"""The history of a frame is small, JSON-safe and never shared between frames."""

import json

import pandas as pd

from eyelog.provenance import KEY, history, record, stated_log


def test_a_fresh_frame_has_no_history_and_states_no_log() -> None:
    frame = pd.DataFrame()
    assert history(frame) == []
    assert stated_log(frame) is None


def test_steps_are_kept_oldest_first_with_log_and_account() -> None:
    frame = record(pd.DataFrame(), "fetch", log="computed_data", account="anna", days=3)
    assert record(frame, "mask", allow=["SATURATED"]) is frame
    assert history(frame) == [
        {"step": "fetch", "days": 3},
        {"step": "mask", "allow": ["SATURATED"]},
    ]
    assert stated_log(frame) == "computed_data"
    assert frame.attrs[KEY]["account"] == "anna"
    assert json.loads(json.dumps(frame.attrs)) == frame.attrs


def test_a_step_on_a_copy_leaves_the_history_of_the_original_alone() -> None:
    first = record(pd.DataFrame({"a": [1.0]}), "fetch", log="computed_data")
    second = record(first.copy(), "mask")
    third = record(first["a"].copy(), "take")
    assert [step["step"] for step in history(first)] == ["fetch"]
    assert [step["step"] for step in history(second)] == ["fetch", "mask"]
    assert [step["step"] for step in history(third)] == ["fetch", "take"]
    assert stated_log(third) == "computed_data"


def test_other_attributes_of_the_frame_stay() -> None:
    frame = pd.DataFrame()
    frame.attrs["mine"] = 1
    assert record(frame, "fetch").attrs["mine"] == 1


def test_the_list_of_steps_is_a_copy() -> None:
    frame = record(pd.DataFrame(), "fetch")
    history(frame).clear()
    assert len(history(frame)) == 1
