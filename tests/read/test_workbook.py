"""A sheet of an Excel workbook is read as the CSV that Excel would save of it."""

import io
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el

openpyxl = pytest.importorskip("openpyxl")  # writes them
pytest.importorskip("python_calamine")

FRAME = el.sample().iloc[:200]


def save(path: Path, **sheets: pd.DataFrame) -> Path:
    """Write tables as a person has them in Excel: local dates without a zone."""
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        for name, frame in sheets.items():
            local = frame.set_axis(frame.index.tz_localize(None), axis=0)
            local.reset_index().to_excel(book, sheet_name=name, index=False)
    return path


def test_a_workbook_is_read_like_the_csv_of_its_sheet(tmp_path: Path) -> None:
    book = save(tmp_path / "morning.xlsx", Sheet1=FRAME)
    csv = tmp_path / "morning.csv"
    local = FRAME.set_axis(FRAME.index.tz_localize(None), axis=0)
    local.to_csv(csv, index_label="date", date_format="%Y-%m-%d %H:%M:%S")
    one, other = (el.read(path, tz="Asia/Tokyo") for path in (book, csv))
    assert_frame_equal(one, other, check_names=True)
    assert len(one) == len(FRAME)
    kept = one.columns.drop("gw")  # no spreadsheet tells an empty text from a missing one
    assert_frame_equal(one[kept], FRAME[kept], check_freq=False)


def test_dates_keep_their_milliseconds_and_texts_are_read_as_in_a_csv(
    tmp_path: Path,
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["date", "stp", "vld"])
    book.active.append([pd.Timestamp("2026-10-21 10:00:00.250").to_pydatetime(), 3.0, True])
    book.active.append([pd.Timestamp("2026-10-22").to_pydatetime(), 4.5, None])
    book.active.append(["2026-10-22T09:00:00+0900", "5", "FALSE"])  # text, as a CSV has it
    path = tmp_path / "a.xlsx"
    book.save(path)
    frame = el.read(path, tz="Asia/Tokyo")
    assert [f"{at:%d %H:%M:%S.%f}" for at in frame.index] == [
        "21 10:00:00.250000",
        "22 00:00:00.000000",
        "22 09:00:00.000000",
    ]
    assert frame["stp"].tolist() == [3.0, 4.5, 5.0]
    assert frame["vld"].tolist() == [True, pd.NA, False]


def test_of_merged_cells_the_first_has_the_value_and_a_chart_is_no_table(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["My week", None, None], ["date", "stp", "cad"]):
        sheet.append(row)
    for minute in range(4):
        sheet.append([f"2026-10-22T09:00:{15 * minute:02}+09:00", minute, 7])
    sheet.merge_cells("A1:C1")
    sheet.merge_cells("C3:C6")
    book.create_chartsheet("chart")
    book.save(tmp_path / "a.xlsx")
    with pytest.warns(el.EyelogWarning, match="line 2, and what comes before the header"):
        frame = el.read(tmp_path / "a.xlsx")
    assert frame["stp"].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert frame["cad"].count() == 1


def test_a_workbook_that_unpacks_to_far_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("xl/workbook.xml", "<x/>")
        box.writestr("xl/worksheets/sheet1.xml", io.BytesIO(bytes(40 << 20)).read())
    with pytest.raises(el.EyelogError, match="unpacks to more than 500 times its size"):
        el.read(path)


def test_without_the_package_the_message_says_what_to_install_or_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = save(tmp_path / "morning.xlsx", Sheet1=FRAME.iloc[:5])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(el.EyelogError, match=r"pip install 'eyelog\[excel\]'.*CSV UTF-8"):
        el.read(book)
