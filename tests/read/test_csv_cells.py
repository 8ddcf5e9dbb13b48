"""Cells become values whatever a writer did to the CSV; a wrong one is reported by its line."""

import warnings
from collections.abc import Callable

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.frame import history
from support.loggerfiles import (
    FIFTEEN,
    HOURS,
    TEN,
    Put,
    logger_csv,
    logger_part,
)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", ",\n", 1),
        lambda text: text.replace("\n", ",\n"),
        lambda text: text.replace("\n", ",,,\r\n", 1),
        lambda text: text.replace(",", " , ").replace("\n", "\t\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "\n \n" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace(",,", ",NaN,").replace(",,", ",null,"),
        lambda text: text.split("\n", 1)[0].upper() + "\n" + text.split("\n", 1)[1],
    ],
    ids=[
        "CRLF", "CR", "BOM", "comma after the header", "comma after every line", "three commas",
        "spaces", "blank lines", "blank lines first", "no last line end", "NaN and null",
        "capitals",
    ],
)  # fmt: skip
def test_what_writers_do_to_csv_changes_no_value(put: Put, change: Callable[[str], str]) -> None:
    path = put(change(logger_csv(TEN, FIFTEEN)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = el.read(path)
    assert_frame_equal(logger_part(frame, FIFTEEN), logger_part(TEN, FIFTEEN), check_freq=False)
    step = history(frame)[-1]
    assert (step["rows"], step["kept"], step["refused"]) == (10, 10, 0)


def test_bytes_that_are_not_text_lose_only_their_line(put: Put) -> None:
    lines = logger_csv(HOURS[FIFTEEN], FIFTEEN).encode().splitlines()
    lines[3] = lines[3] + b"\xff"
    lines.append(b"\x83\x65\x83\x58\x83\x67")
    with pytest.warns(el.EyelogWarning, match=r"left out 2 of .*line 4: it is not UTF-8.*1 more"):
        frame = el.read(put(b"\n".join(lines)))
    assert len(frame) == len(HOURS[FIFTEEN]) - 1


def test_a_cell_that_is_not_a_value_is_missing_and_names_the_field(put: Put) -> None:
    rows = ["2026-10-21T00:00:15Z,3,0", "2026-10-21T00:00:30Z,1-2,0", "2026-10-21T00:00:45Z,1,2",
            "2026-10-21T00:01:00Z,inf,1", "2026-10-21T00:01:15Z,1_0,1"]  # fmt: skip
    reasons = (
        r"left 4 cells .*line 3: 'stp' is '1-2', not a number \(and 2 more\); line 4: 'isl' is '2',"
        " neither true nor false"
    )
    with pytest.warns(el.EyelogWarning, match=reasons):
        frame = el.read(put("\n".join(["date,stp,isl", *rows])))
    assert frame["stp"].fillna(-1).tolist() == [3, -1, 1, -1, -1]
    assert frame["isl"].tolist() == [False, False, pd.NA, True, True]
