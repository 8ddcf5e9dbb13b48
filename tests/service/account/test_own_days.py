"""What wearers see of their own records: their last days, each as it came in."""

import base64
from pathlib import Path

import msgspec
import pytest

import eyelog as el
from eyelog_service.wearer_page import DAYS, OwnDays, last_days, own_days, own_report
from support.logs import LOGS


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ada has 34 days of both logs in Tokyo, over the turn of a month; Bea has nothing."""
    archive = el.Archive(tmp_path_factory.mktemp("days") / "archive")
    for log in LOGS:
        frame = el.simulate("2026-10-20", 34, log=log, tz="Asia/Tokyo")
        archive.write(log, frame, account="ada")
    archive.set_zones(el.Zones("Asia/Tokyo"), account="ada")
    return str(archive.path)


@pytest.mark.slow("months are simulated and served")
def test_each_log_has_its_last_days_by_the_wearers_clock(archive: str) -> None:
    shown = msgspec.json.decode(own_days(archive, "ada"), type=list[OwnDays])
    assert [one.interval_s for one in shown] == [15, 60]
    sixty = el.Archive(archive).read(LOGS[1], account="ada")
    daily = el.daily(sixty).iloc[-DAYS:].iloc[::-1]
    days = shown[1].days
    assert [one.date for one in days] == [f"{day:%Y-%m-%d}" for day in daily.index]
    assert (len(days), days[0].date, days[-1].date) == (DAYS, "2026-11-22", "2026-10-26")
    assert [one.records for one in days] == list(daily["n"])
    assert [one.worn_h for one in days] == pytest.approx(list(daily["worn_h"]))
    assert base64.b64decode(shown[0].picture).startswith(b"\x89PNG")


def test_fewer_days_than_that_are_all_shown(archive: str) -> None:
    assert len(el.daily(last_days(archive, "ada", 3)[LOGS[1]])) == 3
    assert len(el.daily(last_days(archive, "ada", 400)[LOGS[1]])) == 34


def test_an_account_without_records_has_no_days(archive: str) -> None:
    assert own_days(archive, "bea") == b"[]"


@pytest.mark.slow("a report is made")
def test_the_report_is_that_of_the_last_days(archive: str, tmp_path: Path) -> None:
    page = own_report(archive, "ada")
    el.report(last_days(archive, "ada"), tmp_path / "report.html")
    assert page == (tmp_path / "report.html").read_bytes()
