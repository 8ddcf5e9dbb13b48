"""Tables of a page: what is read, and the whole table to download."""

import base64
import io

import pandas as pd
import pytest

import eyelog as el
from eyelog.reports.parts import page_table


def test_the_link_holds_the_whole_table() -> None:
    days = el.daily(el.sample())
    kind, _, code = page_table(days, "Days", "days", names=["worn_h"]).link.partition(",")
    assert kind == "data:text/csv;charset=utf-8;base64"
    back = pd.read_csv(io.BytesIO(base64.b64decode(code)))
    assert list(back.columns) == ["day", *days.columns]
    assert back["worn_h"].tolist() == pytest.approx(days["worn_h"].tolist(), rel=1e-8)
    assert back["day"][0] == "2026-10-19"
