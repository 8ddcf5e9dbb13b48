"""The days before a report are what its days are compared with."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.reports.logs import as_logs
from support.command import main
from support.reported import SIXTY

SINCE, TZ = "2026-10-26", "Asia/Tokyo"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-08-24", 70, log=SIXTY, seed=7, tz=TZ)


def test_days_before_change_nothing_but_what_days_are_compared_with(frame: pd.DataFrame) -> None:
    with_days_before = as_logs(frame, since=SINCE)
    start = pd.Timestamp(SINCE, tz=TZ)
    alone = as_logs(frame[frame.index > start])
    pd.testing.assert_frame_equal(with_days_before.days(SIXTY), alone.days(SIXTY))
    pd.testing.assert_frame_equal(with_days_before.hours(SIXTY), alone.hours(SIXTY))
    assert with_days_before.calendar.equals(alone.calendar)


def test_a_first_day_after_all_records_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(el.ConfigurationError, match="no records from 2027-01-01 on"):
        as_logs(frame, since="2027-01-01")


def test_days_that_start_in_the_evening_are_those_of_all_tables_and_pictures(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    logs = as_logs(frame[frame.index > pd.Timestamp("2026-10-12", tz=TZ)], day_starts="18:00")
    whole = el.daily(logs.frames[SIXTY], day_starts="18:00")
    assert logs.days(SIXTY).index.equals(whole.index)
    assert logs.days(SIXTY)["steps"].tolist() == whole["steps"].tolist()
    assert logs.calendar.tolist() == whole.index.tolist()
    assert logs.hours(SIXTY).index.tolist() == whole.index.tolist()
    later = as_logs(frame, since=SINCE, day_starts="18:00")
    assert later.frames[SIXTY].index[0] == pd.Timestamp(f"{SINCE} 18:01", tz=TZ)
    page = el.report(
        logs.frames[SIXTY], tmp_path / "night.html", sections=["trust"], day_starts="18:00"
    ).read_text()
    for words in ("from 18:00 to 18:00", "State (18:00 to 18:00)", '"day_starts": "18:00"'):
        assert words in page or words.replace('"', "&#34;") in page, words
    with pytest.raises(el.ConfigurationError, match="write it as 18:00"):
        el.report(frame, tmp_path / "night.html", day_starts="evening")


def test_the_command_reads_the_days_before_from_the_archive(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    el.Archive(tmp_path / "a").write(SIXTY, frame, account="me")
    out = tmp_path / "week.html"
    words = ["report", SIXTY, SINCE, "2026-11-01", "--archive", str(tmp_path / "a"), "--glance"]
    assert main([*words, "--tz", TZ, "--day-starts", "00:00", "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "2026-10-26 to 2026-11-01" in said
    assert "Compared with the days from 2026-08-31 on." in said
    assert "own 56 days before" in out.read_text()
