"""Who of a study wore the eyewear when: numbers that agree with the tables of the library."""

import base64
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from eyelog.service.staff.study_wear import DAYS, StudyWear, Wear, study_wear

FIFTEEN, SIXTY = LOGS
NOW = pd.Timestamp("2026-10-25", tz="UTC").timestamp()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ada wears it to the end; Bea stopped; Cyd has the 15-second log alone; Dan has nothing."""
    archive = Archive(tmp_path_factory.mktemp("study") / "archive")
    for name, log, start, days, tz in (
        ("ada", SIXTY, "2026-10-05", 20, "Asia/Tokyo"),
        ("bea", SIXTY, "2026-10-05", 12, "America/New_York"),
        ("cyd", FIFTEEN, "2026-10-20", 4, "Asia/Tokyo"),
    ):
        archive.write(log, el.simulate(start, days, log=log, tz=tz), account=name)
        archive.set_zones(el.Zones(tz), account=name)
    return str(archive.path)


def study(archive: str, shown: list[str]) -> StudyWear:
    accounts = ["ada", "bea", "cyd", "dan"]
    parts = study_wear(archive, accounts, shown, NOW)
    return msgspec.json.decode(b"".join(parts), type=StudyWear)


def by_name(found: StudyWear) -> dict[str, Wear]:
    return {one.account: one for one in found.wearers}


def test_the_numbers_of_a_wearer_are_those_of_daily(archive: str) -> None:
    ada = by_name(study(archive, ["ada"]))["ada"]
    frame = el.Archive(archive).read(SIXTY, account="ada")
    last = frame.index[-1]
    table = el.daily(frame[frame.index > last - pd.Timedelta(days=DAYS)])
    assert ada.last_record == last.timestamp()
    assert ada.days_worn == len(table) == DAYS
    assert ada.worn_h == pytest.approx(table["worn_h"].mean())
    assert ada.usable == pytest.approx(table["valid_h"].sum() / table["worn_h"].sum())


def test_who_stopped_and_who_sent_nothing_is_of_the_whole_study(archive: str) -> None:
    found = study(archive, ["ada"])
    assert (found.stopped, found.nothing) == (["bea"], ["dan"])
    assert [one.account for one in found.wearers] == ["ada"]


def test_days_are_counted_within_the_last_of_the_study(archive: str) -> None:
    bea = by_name(study(archive, ["bea"]))["bea"]
    assert bea.days_worn is not None
    assert 5 <= bea.days_worn <= 7


def test_a_wearer_without_the_60_second_log_has_numbers_and_is_not_drawn(archive: str) -> None:
    found = study(archive, ["ada", "cyd", "dan"])
    assert by_name(found)["cyd"].worn_h
    assert by_name(found)["dan"].days_worn is None
    assert found.not_drawn == 2
    assert base64.b64decode(found.picture).startswith(b"\x89PNG")
    assert study(archive, ["cyd"]).not_drawn == 0  # alone, the 15-second log is drawn


def test_rows_follow_what_the_clock_of_each_wearer_shows(
    archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[str, Any] = {}
    monkeypatch.setattr(
        "eyelog.service.staff.study_wear._picture", lambda states: drawn.update(states) or ""
    )
    study(archive, ["bea"])
    own = el.Archive(archive).read(SIXTY, account="bea").index
    assert drawn["bea"].index[-1].tz_localize(None) == own[-1].tz_localize(None)
    assert str(own.tz) == "America/New_York"


def test_a_wearer_whose_records_cannot_be_read_is_named_and_keeps_nobody_from_the_page(
    archive: str, tmp_path: Path
) -> None:
    copy = el.Archive(tmp_path / "copy")
    frame = el.Archive(archive).read(SIXTY, account="ada")
    for name in ("ada", "bea"):
        copy.write(SIXTY, frame, account=name)
    (file,) = Path(copy.path).glob(f"log={SIXTY}/account=bea/month=*/*.parquet")
    file.write_bytes(file.read_bytes()[:-100])
    found = by_name(study(str(copy.path), ["ada", "bea"]))
    assert (found["ada"].fault, found["bea"].fault) == (False, True)
    assert found["ada"].days_worn == DAYS


def test_a_study_without_records_has_no_picture(tmp_path: Path) -> None:
    found = study(str(tmp_path), ["ada", "dan"])
    assert (found.picture, found.nothing) == ("", ["ada", "bea", "cyd", "dan"])
