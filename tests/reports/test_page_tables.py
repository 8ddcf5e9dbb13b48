"""Tables of a page: what is read, and the whole table to download."""

import io

import pandas as pd
import pytest

import eyelog as el
from eyelog.reports.parts import page_table


def test_the_file_holds_the_whole_table() -> None:
    days = el.daily(el.sample())
    back = pd.read_csv(io.StringIO(page_table(days, "Days", "days", names=["worn_h"]).csv))
    assert list(back.columns) == ["day", *days.columns]
    assert back["worn_h"].tolist() == pytest.approx(days["worn_h"].tolist(), rel=1e-8)
    assert back["day"][0] == "2026-10-19"
