"""The zones that the archive keeps of each account, and what reads them."""

from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.account_zones import zones_path
from eyelog.archive.store import place_of

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
    path = Path(zones_path(place_of(archive), "anna"))
    assert path.stat().st_mode & 0o077 == 0
    assert el.Zones(path) == TRIP
    assert archive.accounts() == []
    assert len(archive.inventory()) == 0
    assert len(archive.verify()) == len(archive.protect()) == len(archive.repair()) == 0


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


def test_one_zone_adds_no_column(tmp_path, travelled) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="me")
    archive.set_zones("Asia/Tokyo")
    assert "utc_offset_min" not in archive.read(LOG)
    assert "utc_offset_min" not in archive.read(LOG, tz="UTC")


def test_a_wearer_who_travels_has_the_four_days_of_the_calendar(tmp_path, travelled) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="me")
    archive.set_zones(TRIP)
    dates = [f"2026-10-{day}" for day in range(20, 24)]
    assert local_dates(archive.read(LOG)) == dates
    # A range selects by stamp: it includes the record that opens its first day.
    for day in dates:
        frame = archive.read(LOG, day, day)
        assert local_dates(frame[frame.index > frame.index[0]]) == [day]


def test_daily_of_a_wearer_who_travels_has_four_rows(travelled) -> None:
    table = el.daily(travelled)
    assert [f"{day:%Y-%m-%d}" for day in table.index] == [f"2026-10-{d}" for d in range(20, 24)]


def test_without_any_zone_one_warning_says_so_and_how_to_set_it(
    tmp_path, travelled, monkeypatch
) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="anna b")
    monkeypatch.delenv("EYELOG_TZ")
    with pytest.warns(el.EyelogWarning) as caught:
        frame = archive.read(LOG, account="anna b")
    (warning,) = caught
    assert str(warning.message) == (
        "no zone is known for account 'anna b': days are UTC days; set it with"
        " `eyelog archive set-zone 'anna b' Asia/Tokyo`, or set EYELOG_TZ"
    )
    assert warning.filename == __file__
    assert str(frame.index.tz) == "UTC"
    monkeypatch.setenv("EYELOG_TZ", "Asia/Seoul")
    assert str(archive.read(LOG, account="anna b").index.tz) == "Asia/Seoul"


def test_the_archive_refuses_the_offsets_of_files_which_it_does_not_keep(
    tmp_path, travelled
) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="me")
    with pytest.raises(el.ConfigurationError, match="has none: give the zone"):
        archive.read(LOG, tz="file")


def test_damaged_zones_are_reported_and_written_again(tmp_path) -> None:
    archive = el.Archive(tmp_path)
    archive.set_zones(TRIP, account="anna")
    path = Path(zones_path(place_of(archive), "anna"))
    path.write_text("from,tz\n,Asia/Tok")
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


def test_the_column_of_offsets_is_never_stored(tmp_path, travelled) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="me")
    assert "utc_offset_min" not in archive.read(LOG, tz="Asia/Tokyo")


def test_the_inventory_shows_the_zones(tmp_path, travelled) -> None:
    archive = el.Archive(tmp_path)
    archive.write(LOG, travelled, account="me")
    assert archive.inventory()["tz"].isna().all()
    archive.set_zones(TRIP)
    assert archive.inventory()["tz"].tolist() == ["Asia/Tokyo, America/New_York"]
