"""A sheet of an Excel workbook is read as the CSV that Excel would save of it."""

import io
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.importing.intake import import_files
from eyelog.archive.importing.workbook import sheets_as_csv

openpyxl = pytest.importorskip("openpyxl")

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


def test_each_sheet_is_a_file_of_its_own(tmp_path: Path) -> None:
    book = save(tmp_path / "both.xlsx", morning=FRAME.iloc[:100], noon=FRAME.iloc[100:])
    archive = el.Archive(tmp_path / "archive")

    reports = import_files(archive, [book], tz="Asia/Tokyo")
    assert [report.file.rpartition("/")[2] for report in reports] == [
        "both.xlsx: morning",
        "both.xlsx: noon",
    ]
    assert sum(report.kept for report in reports) == 200


def test_stamps_keep_their_milliseconds_and_lose_the_noise_of_a_fraction_of_a_day(
    tmp_path: Path,
) -> None:
    book = openpyxl.Workbook()
    book.active.append(["date", "stp", "vld"])
    book.active.append([pd.Timestamp("2026-10-21 10:00:00.250").to_pydatetime(), 3.0, True])
    book.active.append([46316.41684027778, 4.5, None])  # a number, not formatted as a date
    path = tmp_path / "a.xlsx"
    book.save(path)
    (content,) = sheets_as_csv(path).values()
    assert content.decode().splitlines() == [
        "date,stp,vld",
        "2026-10-21 10:00:00.250,3,true",
        "46316.41684027778,4.5,",
    ]


def test_a_workbook_that_unpacks_to_far_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("xl/workbook.xml", "<x/>")
        box.writestr("xl/worksheets/sheet1.xml", io.BytesIO(bytes(40 << 20)).read())
    with pytest.raises(el.EyelogError, match="unpacks to far more than a log can have"):
        el.read(path)


def test_without_the_package_the_message_says_what_to_install_or_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = save(tmp_path / "morning.xlsx", Sheet1=FRAME.iloc[:5])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(el.EyelogError, match=r"pip install 'eyelog\[excel\]'.*CSV UTF-8"):
        el.read(book)
