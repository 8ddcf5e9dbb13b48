"""The wearer of each row, in the index or in a column."""

import pandas as pd
import pytest

import eyelog as el
from eyelog.analysis.compare.wearer_of_row import with_account


def test_accounts_in_the_index_become_a_column_and_others_stay() -> None:
    plain = pd.DataFrame({"y": [1.0, 2.0], "account": ["a", "b"]})
    assert with_account(plain, what="f") is plain
    indexed = plain.assign(day=1).set_index(["account", "day"])
    indexed.attrs = {"eyelog": {"log": "computed_data"}}
    found = with_account(indexed, what="f")
    assert found["account"].tolist() == ["a", "b"]
    assert found.attrs == indexed.attrs
    assert list(indexed.columns) == ["y"]


def test_accounts_that_differ_between_index_and_column_are_refused() -> None:
    table = pd.DataFrame({"account": ["b", "a"]}, index=pd.Index(["a", "b"], name="account"))
    with pytest.raises(el.ConfigurationError, match="f: 'account' is in the index and"):
        with_account(table, what="f")
