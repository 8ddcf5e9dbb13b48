"""Values of a file that differ from stored ones are found again with their lines."""

from pathlib import Path

import pytest

import eyelog as el
from eyelog.archive.importing.chosen_files import asked_zones
from eyelog.archive.importing.conflicts import conflicts_of
from eyelog.archive.importing.intake import import_files
from eyelog.archive.importing.sources import input_files
from support.records import records

STANDARD = "standard_mode_logs"


@pytest.mark.parametrize(("most", "shown", "more"), [(10, 2, 0), (1, 1, 1)])
def test_conflicts_are_named_by_line_and_field_in_order(
    tmp_path: Path, most: int, shown: int, more: int
) -> None:
    archive = el.Archive(tmp_path / "archive")
    frame = records(STANDARD, "2026-10-24 00:01", 20)
    archive.write(STANDARD, frame, account="ada")
    changed = frame.copy()
    column = changed.columns.get_loc("wea_s")
    for row in (3, 7):
        changed.iloc[row, column] = 1.0 + changed.iloc[row, column] % 30
    path = tmp_path / "log.csv"
    changed.to_csv(path)
    (report,) = import_files(archive, [path], account="ada", tz="UTC", keep_stored=True)
    (file,) = input_files([path])
    found, others = conflicts_of(file, report, asked_zones("UTC"), most)
    lines = [(one.line, one.field) for one in found]
    assert lines == [(5, "wea_s"), (9, "wea_s")][:shown]  # the head of the file is line 1
    assert others == more
    assert found[0].date == "2026-10-24T00:04:00Z"
    kept = archive.read(STANDARD, account="ada", tz="UTC")["wea_s"]
    assert kept.equals(frame["wea_s"].set_axis(kept.index))
