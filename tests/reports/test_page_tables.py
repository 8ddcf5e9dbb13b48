"""Tables of a page: what is read, and the whole table to download."""

import base64
import io

import pandas as pd
import pytest

import eyelog as el
from eyelog.analysis.sheet import NOTHING
from eyelog.reports.page_tables import PageTable, page_table


def test_a_table_has_labels_units_and_rounded_numbers() -> None:
    table = page_table(el.daily(el.sample()), "Days", "days", names=["worn_h", "steps"])
    assert table.headers == [("Day", "2026"), ("Worn", "h per day"), ("Steps", "per day")]
    assert table.rows[0] == ["Mon 19 Oct", "12.6", "5,934"]
    assert table.numeric == [False, True, True]


def test_a_share_is_a_percentage_to_read_and_a_share_in_the_file() -> None:
    days = pd.DataFrame({"coverage": [0.5, 0.997, None]}, index=pd.Index(["a", "b", "c"]))
    table = page_table(days, "Days", "days")
    assert [row[1] for row in table.rows] == ["50 %", "over 99 %", NOTHING]
    assert table.headers[1] == ("Coverage", "")
    assert "b,0.997" in table.csv


def test_columns_without_a_value_are_not_shown_but_are_in_the_file() -> None:
    days = el.daily(el.sample()).assign(steps=float("nan"))
    table = page_table(days, "Days", "days", names=["worn_h", "steps", "nothing"])
    assert [label for label, _ in table.headers] == ["Day", "Worn"]
    assert "steps" in table.csv.splitlines()[0]


def test_the_link_holds_the_whole_table() -> None:
    days = el.daily(el.sample())
    kind, _, code = page_table(days, "Days", "days", names=["worn_h"]).link.partition(",")
    assert kind == "data:text/csv;charset=utf-8;base64"
    back = pd.read_csv(io.BytesIO(base64.b64decode(code)))
    assert list(back.columns) == ["day", *days.columns]
    assert back["worn_h"].tolist() == pytest.approx(days["worn_h"].tolist(), rel=1e-8)
    assert back["day"][0] == "2026-10-19"


def test_durations_are_seconds_in_the_file() -> None:
    table = pd.DataFrame({"duration": [pd.Timedelta("90s")]}, index=pd.Index(["a"], name="gap"))
    assert page_table(table, "Gaps", "gaps").csv == "gap,duration\na,90\n"


def test_cells_of_numbers_and_their_intervals_stand_to_the_right() -> None:
    rows = [["Worn", "12.4 (10 to 13)", "yes", "under 1 %"], ["Steps", NOTHING, "no", "40 %"]]
    table = PageTable.of("A", ["a", "b", "c", "d"], rows, "a", pd.DataFrame({"a": [1]}))
    assert table.numeric == [False, True, False, True]
