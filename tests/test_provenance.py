"""The history of a frame is small, JSON-safe, and a step on one frame changes no other."""

import json
import pickle

import pandas as pd

from eyelog.provenance import history, record, stated_log


def test_a_step_on_a_copy_leaves_the_history_of_the_original_alone() -> None:
    first = record(pd.DataFrame({"a": [1.0]}), "fetch", log="computed_data")
    second = record(first.copy(), "mask")
    third = record(first["a"].copy(), "take")
    assert [step["step"] for step in history(first)] == ["fetch"]
    assert [step["step"] for step in history(second)] == ["fetch", "mask"]
    assert [step["step"] for step in history(third)] == ["fetch", "take"]
    assert stated_log(third) == "computed_data"


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
