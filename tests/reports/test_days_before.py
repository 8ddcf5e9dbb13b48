"""The days before a report are what its days are compared with."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.cli.main import main
from eyelog.reports.answer import answer
from eyelog.reports.logs import as_logs
from support.reported import FIFTEEN, SIXTY

SINCE, TZ = "2026-10-26", "Asia/Tokyo"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-08-24", 70, log=SIXTY, seed=7, tz=TZ)


def test_a_week_has_a_usual_range_by_the_days_before_it(frame: pd.DataFrame) -> None:
    alone = as_logs(el.simulate(SINCE, 7, log=SIXTY, seed=7, tz=TZ))
    assert answer(alone).facts[2].value == "nothing yet"
    made = as_logs(frame, since=SINCE)
    first = answer(made)
    assert first.facts[2].value == "own 56 days before"
    assert first.facts[2].remark.endswith(" of them count")
    judged = made.findings.days["steps"]
    assert judged.index[0] == pd.Timestamp(SINCE)
    kinds = judged["compared_with"].tolist()
    assert kinds == ["weekdays"] * 5 + ["weekends"] * 2


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


def test_a_score_stands_on_page_one_beside_the_60_second_log() -> None:
    frames = {
        log: el.simulate("2026-10-19", 14, log=log, seed=4, tz=TZ) for log in (FIFTEEN, SIXTY)
    }
    made = as_logs(frames)
    assert "sc_fcs_mean" in made.findings.days
    titles = [ax.get_title(loc="left") for ax in answer(made).picture.draw()]
    assert "Focus, mean (score)" in titles


def test_the_command_reads_the_days_before_from_the_archive(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    el.Archive(tmp_path / "a").write(SIXTY, frame, account="me")
    out = tmp_path / "week.html"
    words = ["report", SIXTY, SINCE, "2026-11-01", "--archive", str(tmp_path / "a"), "--glance"]
    assert main([*words, "--tz", TZ, "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "2026-10-26 to 2026-11-01" in said
    assert "Compared with the days from 2026-08-31 on." in said
    assert "own 56 days before" in out.read_text()


@pytest.mark.parametrize(
    ("start", "days", "said"),
    [
        ("2026-10-05", 14, "Mon 5 to Sun 18 Oct 2026, "),
        ("2026-10-31", 2, "Sat 31 Oct to Sun 1 Nov 2026, "),
        ("2026-10-05", 1, "Mon 5 Oct 2026, "),
    ],
)
def test_the_head_names_the_weekdays_of_the_first_and_the_last_day(
    start: str, days: int, said: str, tmp_path: Path
) -> None:
    made = el.simulate(start, days, log=SIXTY, seed=7, tz=TZ)
    page = el.report(made, tmp_path / "page.html", glance=True).read_text()
    assert f'<p class="about">{said}' in page
