"""The tables of a study: each wearer's days as the library has them, and none lost unsaid."""

import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import LOGS
from eyelog.service.staff.study_tables import months_of_study, study_tables

SIXTY = LOGS[1]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    archive = el.Archive(tmp_path_factory.mktemp("tables") / "archive")
    for seed, name in enumerate(("ada", "bea", "cyd")):
        frame = el.simulate("2026-10-30", 4, log=SIXTY, tz="Asia/Tokyo", seed=seed)
        archive.write(SIXTY, frame, account=name)
        archive.set_zones(el.Zones("Asia/Tokyo"), account=name)
    return str(archive.path)


def tables(archive: str, accounts: list[str], month: str) -> dict[str, pd.DataFrame]:
    whole = io.BytesIO(b"".join(study_tables(archive, accounts, month)))
    with zipfile.ZipFile(whole) as box:
        assert box.testzip() is None
        texts = {name: box.read(name).decode() for name in box.namelist()}
    return {name: pd.read_csv(io.StringIO(text)) for name, text in texts.items() if text}


def test_the_days_are_those_of_daily_in_the_month_of_the_wearers_clock(archive: str) -> None:
    found = tables(archive, ["ada", "bea"], "2026-11")[f"daily-{SIXTY}-2026-11.csv"]
    assert list(found["account"]) == ["ada", "ada", "bea", "bea"]
    assert list(found["day"]) == ["2026-11-01", "2026-11-02"] * 2
    whole = el.daily(el.Archive(archive).read(SIXTY, account="bea"))
    assert list(found["worn_h"][2:]) == pytest.approx(list(whole["worn_h"][-2:]))
    assert list(found.columns[2:]) == list(whole.columns)


def test_the_months_are_those_of_the_study_alone(archive: str) -> None:
    assert months_of_study(archive, ["ada"]) == ["2026-11", "2026-10"]
    assert months_of_study(archive, ["dan"]) == []


def test_a_wearer_who_cannot_be_read_is_left_out_with_the_reason(
    archive: str, tmp_path: Path
) -> None:
    copy = el.Archive(tmp_path / "copy")
    frame = el.Archive(archive).read(SIXTY, account="ada")
    for name in ("ada", "bea"):
        copy.write(SIXTY, frame, account=name)
    for file in Path(copy.path).glob(f"log={SIXTY}/account=ada/month=*/*.parquet"):
        file.write_bytes(file.read_bytes()[:-100])
    found = tables(str(copy.path), ["ada", "bea"], "2026-10")
    assert set(found[f"daily-{SIXTY}-2026-10.csv"]["account"]) == {"bea"}
    left = found["left_out.csv"].iloc[0]
    assert (left["account"], left["log"]) == ("ada", SIXTY)
    assert str(copy.path) not in left["reason"]
