"""A sheet of an Excel workbook as the CSV that Excel would save, for the readers of CSV."""

import csv
import io
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

from eyelog.archive.importing.kinds import AS_CSV
from eyelog.errors import ArchiveError

__all__ = ["missing_reader", "sheets_as_csv"]

_HALF_MS: Final = timedelta(microseconds=500)


def missing_reader() -> str:
    """Return what to do if the package that reads workbooks is not installed, otherwise nothing."""
    try:
        import openpyxl  # noqa: F401 - only whether it is there
    except ImportError:
        return f"an Excel workbook: `pip install 'eyelog[excel]'` to read it, or {AS_CSV}"
    return ""


def sheets_as_csv(path: Path, *, days: bool = False) -> dict[str, bytes]:
    """Return the sheets that have a cell, as CSV in UTF-8, by name.

    Dates are written as ``YYYY-MM-DD hh:mm:ss``, to the millisecond that Excel can hold. Formulas
    are read as the value that they had when the workbook was saved. With `days`, a cell that shows
    a date without a clock time is that date.

    Raises
    ------
    ArchiveError
        If the workbook is damaged.
    """
    import openpyxl

    sheets = {}
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            for sheet in book.worksheets:
                text = io.StringIO(newline="")
                writer = csv.writer(text, lineterminator="\n")
                if days:
                    for row in sheet.iter_rows():
                        writer.writerow([_cell(cell.value, day=_is_day(cell)) for cell in row])
                else:  # several times as fast
                    for row in sheet.iter_rows(values_only=True):
                        writer.writerow([_cell(value) for value in row])
                if text.getvalue().strip(",\n"):
                    sheets[str(sheet.title)] = text.getvalue().encode()
        finally:
            book.close()
    except Exception as error:  # a damaged workbook raises anything: the package checks little
        raise ArchiveError(
            f"it is a damaged Excel workbook ({type(error).__name__}): {AS_CSV}"
        ) from error
    return sheets


def _is_day(cell: Any) -> bool:
    """Return whether a cell shows a date alone; Excel itself knows only instants."""
    from openpyxl.styles.numbers import is_datetime

    return isinstance(cell.value, datetime) and is_datetime(cell.number_format) == "date"


def _cell(value: Any, *, day: bool = False) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        if day and value.time() == time():
            return value.date().isoformat()
        stamp = value + _HALF_MS  # a fraction of a day, as Excel has it, is off by less
        stamp = stamp.replace(microsecond=stamp.microsecond // 1000 * 1000)
        return stamp.isoformat(sep=" ", timespec="milliseconds" if stamp.microsecond else "seconds")
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
