"""The history of a frame is small, JSON-safe, and a step on one frame changes no other."""

import json
import pickle

import pandas as pd

from eyelog.provenance import KEY, derived, history, record, stated_log


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


def test_a_table_made_from_a_frame_continues_its_history_and_leaves_it_alone() -> None:
    frame = record(pd.DataFrame({"a": [1.0]}), "fetch", log="computed_data")
    frame.attrs["study"] = "sleep"
    table = pd.DataFrame({"n": [1]})
    assert derived(table, frame, "daily", interval_s=None) is table
    assert history(table) == [{"step": "fetch"}, {"step": "daily", "interval_s": None}]
    assert stated_log(table) == "computed_data"
    assert table.attrs["study"] == "sleep"
    assert history(frame) == [{"step": "fetch"}]


def test_other_attributes_of_the_frame_stay() -> None:
    frame = pd.DataFrame()
    frame.attrs["mine"] = 1
    assert record(frame, "fetch").attrs["mine"] == 1


def test_the_list_of_steps_is_a_copy() -> None:
    frame = record(pd.DataFrame(), "fetch")
    history(frame).clear()
    assert len(history(frame)) == 1


def test_copies_and_columns_share_one_history_and_a_step_changes_no_other_table() -> None:
    table = record(pd.DataFrame({"a": [1.0]}), "made", log="computed_data")
    copy, column = table.copy(), table["a"]
    assert copy.attrs["eyelog"] is table.attrs["eyelog"] is column.attrs["eyelog"]
    record(copy, "changed")
    assert [step["step"] for step in history(table)] == ["made"]
    assert [step["step"] for step in history(copy)] == ["made", "changed"]


def test_a_history_goes_through_pickle_and_json() -> None:
    table = record(pd.DataFrame({"a": [1.0]}), "made", log="computed_data")
    assert history(pickle.loads(pickle.dumps(table))) == history(table)
    assert json.loads(json.dumps(table.attrs)) == table.attrs
