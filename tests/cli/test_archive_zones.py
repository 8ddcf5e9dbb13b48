"""The zone of an account on the command line: kept by import, set-zone and simulate, then used."""

import json
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main

LOG = "standard_mode_logs"


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    path = tmp_path / "trip.csv"
    path.write_text("from,tz\n,Asia/Tokyo\n2026-10-22,America/New_York\n")
    return path


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """Three days of a wearer in Tokyo, with dates that have no offset."""
    frame = el.simulate("2026-10-20", 3, log=LOG, tz="Asia/Tokyo")
    path = tmp_path / "20261020-000000_CDC000000001_summaryData.csv"
    frame.tz_localize(None).reset_index().to_csv(path, index=False)
    return path


def days(capsys, *words: str) -> list[str]:
    """Return the days of `eyelog daily`, and check that stderr has no traceback."""
    capsys.readouterr()
    assert main(["daily", LOG, "--json", *words]) == 0
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return [row["day"][:10] for row in json.loads(out)]


@pytest.mark.filterwarnings("default")
def test_an_import_in_another_zone_leaves_the_zone_and_says_so(exported, capsys) -> None:
    el.Archive().set_zones("Asia/Seoul")
    assert main(["import", str(exported), "--tz", "Asia/Tokyo"]) == 0
    assert "knows account 'me' in Asia/Seoul, which stays as it is" in capsys.readouterr().err
    assert el.Archive().zones() == el.Zones("Asia/Seoul")


def test_an_import_takes_the_zones_that_the_files_show(tmp_path, trip) -> None:
    source = el.Archive(tmp_path / "source")
    source.write(LOG, el.simulate("2026-10-20", 4, log=LOG, tz=trip), account="me")
    source.set_zones(trip)
    (path,) = source.export(LOG, "2026-10-20", "2026-10-23", tmp_path / "all.csv")
    assert main(["import", str(path), "--tz", "file"]) == 0
    zones = el.Archive().zones()
    assert str(zones) == "UTC+09:00, UTC-04:00"
    there = source.read(LOG, "2026-10-20", "2026-10-23")
    assert zones.offset_min(there.index).tolist() == there["utc_offset_min"].tolist()


@pytest.mark.filterwarnings("default")
def test_without_a_zone_the_command_says_once_how_to_set_it(exported, capsys, monkeypatch) -> None:
    assert main(["import", str(exported), "--tz", "Asia/Tokyo", "--dry-run"]) == 0
    frame = el.simulate("2026-10-20", 1, log=LOG)
    el.Archive().write(LOG, frame, account="me")
    el.Archive().write("computed_data", el.simulate("2026-10-20", 1), account="me")
    monkeypatch.delenv("EYELOG_TZ")
    capsys.readouterr()
    assert main(["report", "-o", str(exported.with_suffix(".html"))]) == 0
    err = capsys.readouterr().err
    assert err.count("no zone is known for account 'me': days are UTC days") == 1
    assert "`eyelog archive set-zone me Asia/Tokyo`" in err
    monkeypatch.setenv("EYELOG_TZ", "Asia/Tokyo")
    capsys.readouterr()
    assert main(["daily", LOG]) == 0
    assert "no zone" not in capsys.readouterr().err


def test_set_zone_sets_adds_and_shows(capsys, trip) -> None:
    assert main(["archive", "set-zone", "anna", "Asia/Tokyo"]) == 0
    assert main(["archive", "set-zone", "anna", "America/New_York", "--from", "2026-10-22"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "2026-10-22  America/New_York"
    assert "has no records of 'anna' yet" in err
    assert el.Archive().zones("anna") == el.Zones(trip)
    assert main(["archive", "set-zone", "anna", str(trip)]) == 0
    assert main(["archive", "set-zone", "anna", "Asia/Seoul"]) == 0
    assert el.Archive().zones("anna") == el.Zones("Asia/Seoul")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["archive", "set-zone", "anna", "Berlin"], "did you mean 'Europe/Berlin'?"),
        (["archive", "set-zone", "anna", "UTC", "--from", "22.10.2026"], "is not a day"),
        (["archive", "set-zone", "anna", "nowhere.csv"], "cannot read the zones in nowhere.csv"),
        (["archive", "set-zone", "anna", "file"], "give the zone"),
        (["simulate", "--start", "2026-10-20", "--days", "1", "--tz", "file"], "give the zone"),
        (["daily", LOG, "--tz", "file"], "give the zone, such as tz='Asia/Tokyo'"),
    ],
)
def test_a_zone_that_cannot_be_used_is_an_error_of_one_line(words, message, capsys) -> None:
    el.Archive().write(LOG, el.simulate("2026-10-20", 1, log=LOG), account="me")
    assert main(words) == 1
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_simulated_wearer_keeps_the_zones_and_travels(trip, capsys) -> None:
    start = ["simulate", "--start", "2026-10-20", "--days", "4"]
    assert main([*start, "--tz", str(trip)]) == 0
    assert el.Archive().zones() == el.Zones(trip)
    assert "utc_offset_min" in el.Archive().read(LOG)
    capsys.readouterr()
    assert main([*start, "--tz", "Asia/Tokyo"]) == 1
    assert "lives in Asia/Tokyo, America/New_York" in capsys.readouterr().err


def test_the_inventory_as_json_has_the_zone(capsys) -> None:
    assert main(["simulate", "--start", "2026-10-20", "--days", "1", "--tz", "Asia/Tokyo"]) == 0
    capsys.readouterr()
    assert main(["archive", "list", "--json"]) == 0
    assert {row["tz"] for row in json.loads(capsys.readouterr().out)} == {"Asia/Tokyo"}


def test_a_range_of_files_is_of_the_wearers_clock(tmp_path, trip, capsys) -> None:
    path = tmp_path / "trip.parquet"
    el.simulate("2026-10-20", 4, log=LOG, tz=trip).to_parquet(path)
    capsys.readouterr()
    assert main(["daily", str(path), "2026-10-23", "2026-10-23", "--tz", str(trip)]) == 0
    err = capsys.readouterr().err
    assert "2026-10-23 to 2026-10-23. Days follow the wearer's clock" in err
    records = pd.read_parquet(path)
    local = records.index.tz_convert("America/New_York")
    inside = (local >= "2026-10-23 00:00") & (local < "2026-10-24 00:00")
    assert f"{int(inside.sum()):,} records" in err


def test_the_days_of_a_traveller_are_shown_on_the_wearers_clock(trip, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["simulate", "--start", "2026-10-20", "--days", "4", "--tz", str(trip)]) == 0
    capsys.readouterr()
    assert main(["daily", LOG]) == 0
    out, err = capsys.readouterr()
    out = out.splitlines()
    assert err.splitlines()[-1] == "Times are those of the wearer's clock, whose zone changes."
    table = el.daily(el.Archive().read(LOG))
    home = table["last_worn"].dt.strftime("%H:%M").tolist()
    away = table["last_worn"].dt.tz_convert("America/New_York").dt.strftime("%H:%M").tolist()
    shown = [line.split()[7] for line in out[2:6]]
    assert shown == [*home[:2], *away[2:]]
    assert main(["daily", LOG, "--json"]) == 0
    (*_, last) = json.loads(capsys.readouterr().out)
    assert last["last_worn"].endswith("+09:00")  # for programs: instants, with their offset
