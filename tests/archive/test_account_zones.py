"""The zones that the archive keeps of each account, and what reads them."""

from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest

import eyelog as el

LOG = "standard_mode_logs"
TRIP = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])


@pytest.fixture(scope="module")
def travelled() -> pd.DataFrame:
    """Two days in Tokyo, then two in New York."""
    return el.simulate("2026-10-20", 4, log=LOG, tz=TRIP)


def local_dates(frame: pd.DataFrame) -> list[str]:
    """Group by the column alone: which dates the wearer's clock showed."""
    wall = frame.index.tz_convert("UTC").tz_localize(None)
    wall += pd.to_timedelta(frame["utc_offset_min"].to_numpy(), unit="min") - pd.Timedelta(1, "us")
    return sorted({f"{day:%Y-%m-%d}" for day in wall})


def test_the_stamps_of_a_traveller_choose_a_range(tmp_path: Path, travelled: pd.DataFrame) -> None:
    archive = el.Archive(tmp_path)
    archive.set_zones(TRIP, account="me")
    archive.write(LOG, travelled, account="me")
    found = archive.read(LOG, travelled.index[10], travelled.index[-1], account="me")
    assert len(found) == len(travelled) - 10


@pytest.mark.parametrize("where", ["folder", "memory"])
def test_zones_are_kept_and_read_back(tmp_path: Path, where: str) -> None:
    archive = el.Archive(tmp_path if where == "folder" else f"memory://{uuid4().hex}")
    assert archive.zones("anna") is None
    archive.set_zones(TRIP, account="anna")
    archive.set_zones("Asia/Seoul", account="Anna B")
    assert archive.zones("anna") == TRIP
    assert archive.zones("Anna B") == el.Zones("Asia/Seoul")
    archive.erase("anna")
    assert archive.zones("anna") is None
    assert archive.zones("Anna B") == el.Zones("Asia/Seoul")


def test_the_file_is_private_and_no_tool_takes_it_for_data(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    archive.set_zones(TRIP, account="anna")
    path = Path(archive.path, ".zones/account=anna.v1.csv")
    assert path.stat().st_mode & 0o077 == 0
    assert el.Zones(path) == TRIP
    assert archive.accounts() == []
    assert len(archive.inventory()) == 0
    assert len(archive.verify()) == len(archive.repair()) == 0


def test_a_read_without_tz_changes_the_clock_and_no_instant(tmp_path, travelled) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="me")
    in_utc = archive.read(LOG, tz="UTC")
    archive.set_zones(TRIP)
    frame = archive.read(LOG)
    assert frame.index.equals(in_utc.index.tz_convert("Asia/Tokyo"))
    assert str(frame.index.tz) == "Asia/Tokyo"
    assert list(frame.columns)[-1] == "utc_offset_min"
    pd.testing.assert_frame_equal(
        frame.drop(columns="utc_offset_min").tz_convert("UTC"), in_utc, check_freq=False
    )
    assert frame["utc_offset_min"].dtype == "float64"


@pytest.mark.parametrize("damage", [",Asia/Tok", ',"' + "x" * 200_000], ids=["cut", "no end"])
def test_damaged_zones_are_reported_and_written_again(tmp_path, damage: str) -> None:
    archive = el.Archive(tmp_path)
    archive.set_zones(TRIP, account="anna")
    path = Path(archive.path, ".zones/account=anna.v1.csv")
    path.write_text(f"from,tz\n{damage}")
    with pytest.raises(el.ArchiveError, match="set-zone anna ZONE"):
        archive.zones("anna")
    (row,) = archive.verify().to_dict("records")
    assert row["account"] == "anna"
    assert row["file"] == str(path)
    archive.set_zones(TRIP, account="anna")
    assert len(archive.verify()) == 0


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_an_export_is_read_back_on_the_same_clock(tmp_path, travelled, name) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write(LOG, travelled, account="me")
    archive.set_zones(TRIP)
    (path,) = archive.export(LOG, "2026-10-21", "2026-10-22", tmp_path / name)
    back, frame = el.read(path, tz="file"), archive.read(LOG, "2026-10-21", "2026-10-22")
    assert back.index.equals(frame.index.tz_convert(back.index.tz))
    assert back["utc_offset_min"].tolist() == frame["utc_offset_min"].tolist()
    assert local_dates(back) == local_dates(frame)


@pytest.mark.parametrize("tz", ["Asia/Tokyo", "Europe/Berlin"])
def test_a_frame_brings_its_zone_for_an_account_without_one(tmp_path: Path, tz: str) -> None:
    archive = el.Archive(tmp_path)
    frame = el.sample(LOG).tz_convert(tz)
    archive.write(LOG, frame, account="anna")
    assert str(archive.zones("anna")) == tz
    assert str(archive.read(LOG, account="anna").index.tz) == tz
    archive.write(LOG, frame.tz_convert("Asia/Seoul"), account="anna")
    assert str(archive.zones("anna")) == tz  # it stays until it is set


def test_a_frame_of_a_traveller_keeps_the_clock(tmp_path: Path, travelled) -> None:
    there, here = el.Archive(tmp_path / "there"), el.Archive(tmp_path / "here")
    there.write(LOG, travelled, account="me")
    there.set_zones(TRIP)
    frame = there.read(LOG)
    assert frame["utc_offset_min"].nunique() == 2
    here.write(LOG, frame, account="me")
    again = here.read(LOG)
    assert again["utc_offset_min"].tolist() == frame["utc_offset_min"].tolist()
    assert len(el.daily(again)) == len(el.daily(frame))
