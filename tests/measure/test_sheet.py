"""A table for reading: widths, headings, numbers, HTML."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el

DASH = "\N{EN DASH}"
DAYS = pd.DatetimeIndex(["2026-10-19", "2026-10-20"], name="day")
WEEK = pd.DataFrame(
    {
        "worn_h": [12.62, 2.8],
        "blink_rate_per_min": [13.4, np.nan],
        "remark": ["<b>fine & dry</b>", ""],
    },
    index=DAYS,
)


def test_numbers_are_set_to_the_right_and_words_to_the_left() -> None:
    lines = el.readable(WEEK, columns="all").text(80).splitlines()
    assert lines[2].split() == ["Mon", "19", "Oct", "12.6", "13.4", "<b>fine", "&", "dry</b>"]
    assert lines[3].split()[-1] == DASH
    ends = [re.search(word, line).end() for word, line in (("12.6", lines[2]), (" 2.8", lines[3]))]  # type: ignore[union-attr]
    assert ends[0] == ends[1]
    assert lines[0].index("remark") == lines[2].index("<b>")


@given(width=st.integers(1, 120), rows=st.integers(0, 5), columns=st.integers(1, 9))
def test_no_line_is_wider_than_asked_unless_one_column_alone_is(
    width: int, rows: int, columns: int
) -> None:
    days = pd.date_range("2026-10-19", periods=rows, name="day")
    table = pd.DataFrame({f"c{i} of it": [1234.0] * rows for i in range(columns)}, index=days)
    lines = el.readable(table, columns="all").text(width).splitlines()
    widest = len("Mon 19 Oct") + 1 + len("1,234")
    if rows:
        assert max(map(len, lines)) <= max(width, widest)
        assert all(f"c{i}" in "\n".join(lines) for i in range(columns))


def test_columns_that_do_not_fit_follow_below() -> None:
    table = pd.DataFrame({"a-one": [1], "a-two": [2], "b-one": [3]}, index=DAYS[:1])
    blocks = el.readable(table, columns="all").text(22).split("\n\n")
    assert len(blocks) == 2
    assert all(block.splitlines()[-1].startswith("Mon 19 Oct") for block in blocks)


def test_the_html_is_a_real_table_with_headings_and_without_foreign_markup() -> None:
    page = el.readable(WEEK, columns="all").html()
    table = ET.fromstring(re.search("<table.*</table>", page, re.DOTALL)[0])  # type: ignore[index]
    assert [cell.get("scope") for cell in table.iter("th")] == ["col"] * 4 + ["row"] * 2
    assert [cell.get("title") for cell in table.iter("th")][1] == "worn_h"
    assert "".join(table.find("tbody/tr/td[3]").itertext()) == "<b>fine & dry</b>"  # type: ignore[union-attr]
    assert "<b>" not in page
    assert "http" not in page


def test_a_long_table_shows_its_ends_where_it_is_displayed_and_all_where_it_is_printed() -> None:
    sheet = el.readable(pd.DataFrame({"x": range(100)}))
    with pd.option_context("display.max_rows", 10):
        assert "…" in repr(sheet)
        assert sheet._repr_html_().count("<tr>") == 1 + 11
    assert len(str(sheet).splitlines()) == 101


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("steps", 6412.0, "6,412"),
        ("worn_h", 0.04, "<0.1"),
        ("worn_h", 0.0, "0.0"),
        ("worn_h", np.nan, DASH),
        ("tilt_fore_aft_deg", -0.04, "0.0"),
        ("tilt_fore_aft_deg", -1.25, "-1.2"),
        ("own", np.inf, "∞"),
        ("p", 0.0, "<0.001"),
        ("p", 0.04, "0.040"),
        # Without known digits numbers have three that count.
        ("own", 123.4, "123"),
        ("own", 12.34, "12.3"),
        ("own", 0.0123, "0.0123"),
    ],
)
def test_a_number_is_rounded_and_what_is_above_0_never_reads_as_0(
    name: str, value: float, text: str
) -> None:
    table = pd.DataFrame({name: [value], "n": [1]}, index=DAYS[:1])
    assert el.readable(table, columns=[name]).rows[0][1] == text
