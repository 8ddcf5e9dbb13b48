"""Tables as text, and files that are written whole or not at all."""

import errno
import io
import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eyelog.cli import main
from eyelog.cli.output import check_ending, emit, note, records, show
from eyelog.errors import ConfigurationError
from support.commands import RANGE


def test_a_full_disk_is_reported_with_the_file(of_ada, capsys, monkeypatch, tmp_path) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", full)
    path = tmp_path / "days.csv"
    assert main(["daily", "computed_data", *RANGE, *of_ada, "-o", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"cannot write {path}: No space left on device" in error
    assert list(tmp_path.iterdir()) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_a_note_is_wrapped_between_words(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    note("computed_data from a-folder-with-a-long-name: 18,772 records, 2026-10-19 to 2026-10-23")
    lines = terminal.getvalue().splitlines()
    assert [len(line) <= 40 for line in lines] == [True] * 3
    assert lines[1] == "a-folder-with-a-long-name: 18,772"


def test_stamps_keep_their_own_offset_in_json_and_durations_are_seconds() -> None:
    days = pd.date_range("2025-10-20", periods=2, freq="D", tz="Asia/Tokyo", name="day")
    table = pd.DataFrame({"longest": pd.to_timedelta([90, None], unit="s")}, index=days)
    assert records(table) == [
        {"day": "2025-10-20T00:00:00+09:00", "longest": 90.0},
        {"day": "2025-10-21T00:00:00+09:00", "longest": None},
    ]


def test_a_summary_is_printed_under_labels_with_days_as_rows(capsys) -> None:
    days = pd.date_range("2025-10-20", periods=2, freq="D", tz="Asia/Tokyo", name="day")
    table = pd.DataFrame({"steps": [10.0, np.nan], "worn_h": [1.04, 0.0]}, index=days)
    show(table)
    assert capsys.readouterr().out.splitlines() == [
        "Day         Steps  Worn",
        "2025                  h",
        "Mon 20 Oct     10   1.0",
        "Tue 21 Oct      \N{EN DASH}   0.0",
        "Time zone: Asia/Tokyo.",
    ]


def test_a_program_reads_names_and_whole_numbers(capsys) -> None:
    emit(pd.DataFrame({"worn_h": [1.04]}), as_json=True, index=False)
    assert json.loads(capsys.readouterr().out) == [{"worn_h": 1.04}]


def test_a_name_with_another_ending_is_refused_with_those_that_work() -> None:
    with pytest.raises(ConfigurationError, match=r"x\.xlsx: .* \.png, \.svg or \.pdf"):
        check_ending(Path("x.xlsx"), (".png", ".svg", ".pdf"))
