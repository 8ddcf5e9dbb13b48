"""A table for reading: widths, headings, numbers, HTML."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.measure.sheet import Heading, Sheet, decimals, number_text, p_text

DASH = "\N{EN DASH}"
WEEK = Sheet(
    [
        Heading("Day", "Day", "2026", "2026"),
        Heading("Worn", "Worn", "h per day", "h", "worn_h"),
        Heading("Blink rate", "Blink rate", "per min", "/min", "blink_rate_per_min"),
        Heading("Remark", "Remark", is_text=True, name="reason"),
    ],
    [["Mon 19 Oct", "12.6", "13.4", "<b>fine & dry</b>"], ["Tue 20 Oct", "2.8", DASH, ""]],
    notes=["Time zone: Asia/Tokyo."],
)


def test_numbers_are_set_to_the_right_and_words_to_the_left() -> None:
    assert WEEK.text(80).splitlines() == [
        "Day         Worn  Blink rate  Remark",
        "2026           h        /min",
        "Mon 19 Oct  12.6        13.4  <b>fine & dry</b>",
        f"Tue 20 Oct   2.8           {DASH}",
        "Time zone: Asia/Tokyo.",
    ]


def test_headings_and_text_are_broken_between_words_where_there_is_little_room() -> None:
    assert WEEK.text(41).splitlines()[:4] == [
        "                  Blink",
        "Day         Worn   rate  Remark",
        "2026           h   /min",
        "Mon 19 Oct  12.6   13.4  <b>fine &",
    ]


@given(width=st.integers(1, 120), rows=st.integers(0, 5), columns=st.integers(1, 9))
def test_no_line_is_wider_than_asked_unless_one_column_alone_is(width, rows, columns) -> None:
    headings = [Heading("Day", "Day"), *[Heading(f"c{i}", f"c{i} of it") for i in range(columns)]]
    sheet = Sheet(headings, [["Mon 19 Oct", *["1,234.5"] * columns]] * rows)
    widest = len("Mon 19 Oct") + 1 + len("1,234.5")
    lines = sheet.text(width).splitlines()
    assert max(map(len, lines)) <= max(width, widest)
    assert all(f"c{i}" in sheet.text(width) for i in range(columns))


def test_columns_that_do_not_fit_follow_below_group_by_group() -> None:
    headings = [Heading("Day", "Day")]
    headings += [Heading(name, name, group=name[0]) for name in ("a-one", "a-two", "b-one")]
    text = Sheet(headings, [["Monday", "1", "2", "3"]]).text(20)
    assert text.splitlines() == [
        *("Day     a-one  a-two", "Monday      1      2"),
        "",
        *("Day     b-one", "Monday      3"),
    ]


def test_a_last_column_of_words_follows_below_a_table_that_fits_without_it() -> None:
    headings = [Heading("Day", "Day")]
    headings += [Heading(name, name, group=name[0]) for name in ("a-one", "a-two", "b-one")]
    headings.append(Heading("Events", "Events", is_text=True))
    text = Sheet(headings, [["Monday", "1", "2", "3", "a walk along the river"]]).text(28)
    assert text.splitlines() == [
        *("Day     a-one  a-two  b-one", "Monday      1      2      3"),
        "",
        *("Day     Events", "Monday  a walk along the", "        river"),
    ]


def test_what_is_left_out_is_counted_with_what_to_type() -> None:
    sheet = Sheet(WEEK.headings, WEEK.rows, left_out=2)
    assert sheet.text(80).endswith('2 more columns: columns="all" shows them.')
    assert sheet.text(80, more="--all").endswith("2 more columns: --all shows them.")
    assert sheet.text(80, more="").endswith("2 more columns.")


def test_the_cells_are_a_table_of_text_under_labels_with_units() -> None:
    table = WEEK.table
    assert list(table.columns) == ["Worn (h per day)", "Blink rate (per min)", "Remark"]
    assert table.index.name == "Day (2026)"
    assert table.loc["Mon 19 Oct", "Worn (h per day)"] == "12.6"


def test_the_html_is_a_real_table_with_headings_and_without_foreign_markup() -> None:
    page = WEEK.html()
    table = ET.fromstring(re.search("<table.*</table>", page, re.DOTALL)[0])
    assert [cell.get("scope") for cell in table.iter("th")] == ["col"] * 4 + ["row"] * 2
    assert [cell.get("title") for cell in table.iter("th")][1] == "worn_h"
    assert "".join(table.find("tbody/tr/td[3]").itertext()) == "<b>fine & dry</b>"
    assert "<b>" not in page
    assert "http" not in page


def test_a_long_table_shows_its_ends_where_it_is_displayed_and_all_where_it_is_printed() -> None:
    sheet = Sheet([Heading("Row", "Row")], [[str(i)] for i in range(100)])
    with pd.option_context("display.max_rows", 10):
        assert repr(sheet).splitlines()[5:8] == ["4", "…", "95"]
        assert sheet._repr_html_().count("<tr>") == 1 + 11
    assert len(str(sheet).splitlines()) == 101


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (6412.0, 0, "6,412"),
        (0.04, 1, "<0.1"),
        (0.0, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (-1.25, 1, "-1.2"),
        (np.nan, 1, DASH),
        (np.inf, 1, "∞"),
        (pd.NA, 1, DASH),
    ],
)
def test_a_number_is_rounded_and_what_is_above_0_never_reads_as_0(value, places, text) -> None:
    assert number_text(value, places, below=True) == text


def test_where_numbers_can_be_negative_a_small_one_is_0() -> None:
    assert number_text(0.004, 2) == "0.00"


def test_a_p_value_is_never_0() -> None:
    assert p_text(0.0, 3) == "<0.001"
    assert p_text(0.04, 3) == "0.040"
    assert p_text(np.nan, 3) == DASH


@pytest.mark.parametrize(
    ("values", "places"),
    [([123.4], 0), ([12.34], 1), ([0.0123], 4), ([3.0, 40.0], 0), ([np.nan], 0), ([1e-12], 6)],
)
def test_without_known_digits_numbers_have_three_that_count(values, places) -> None:
    assert decimals(np.array(values), None) == places
    assert decimals(np.array(values), 2) == 2
