"""The folders of accounts: every name has its own, and one process at a time writes into it."""

import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pandas as pd
import pytest
from filelock import FileLock

import eyelog as el
from support.command import main
from support.importing import import_files
from support.logs import LOGS
from support.operating import Operator
from support.parquet import month_file
from support.records import records

FIFTEEN, SIXTY = LOGS


ODD = [
    "Anna",
    "anna",
    "a/b",
    "..",
    "a b",
    "ä",
    "a%2Fb",
    "x@y.org",
    "con",
    ".",
    "日本",
    "a=b",
    "007",
]


def test_any_account_name_is_restored_and_none_escapes_the_archive(archive: el.Archive) -> None:
    for number, account in enumerate(ODD):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 1, seed=number), account=account)
    assert archive.accounts() == sorted(ODD)
    folders = {path.name for path in Path(archive.path, f"log={SIXTY}").iterdir()}
    assert len({name.lower() for name in folders}) == len(ODD)
    assert {path.name for path in Path(archive.path).iterdir()} == {f"log={SIXTY}", ".months"}


def test_two_spellings_of_a_name_are_one_account(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="andr\u00e9")
    archive.write(SIXTY, records(SIXTY, "2026-10-25", 3), account="andre\u0301")
    assert archive.accounts() == ["andr\u00e9"]
    assert len(archive.read(SIXTY, account="andre\u0301", tz="UTC")) == 6
    archive.erase("andre\u0301")
    assert archive.accounts() == []


@pytest.mark.parametrize("name", ["", None, 7, "\ud800", "ä" * 50])
def test_what_cannot_be_the_name_of_an_account_is_refused(archive: el.Archive, name: str) -> None:
    with pytest.raises(el.ConfigurationError, match=r"not an account|not valid text|too long"):
        archive.set_zones("Asia/Tokyo", account=name)


def test_who_waits_too_long_for_a_folder_is_told_so(
    archive: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count(step=60)
    monkeypatch.setattr(time, "perf_counter", lambda: next(seconds))
    Path(archive.path, ".months").mkdir(parents=True)
    with (
        FileLock(Path(archive.path, ".months", "account=ada.lock")),
        pytest.raises(el.ArchiveError, match="another process has been writing"),
    ):
        archive.set_zones("Asia/Tokyo", account="ada")


def test_unfinished_files_of_an_account_go_and_those_of_others_stay(archive: el.Archive) -> None:
    left = []
    for account in ("ada", "bea"):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account=account)
        month = month_file(archive.path, "2026-10", account=account)
        left.append(month.with_name(".2026-10.0123.tmp"))
        left[-1].write_bytes(b"unfinished")
    archive.set_zones("Asia/Tokyo", account="ada")  # whoever writes sweeps
    assert [path.exists() for path in left] == [False, True]
    assert archive.accounts() == ["ada", "bea"]


# The zones that the archive keeps of each account, and what reads them


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


def test_the_file_of_zones_is_a_table_of_zones_and_no_tool_takes_it_for_data(
    tmp_path: Path,
) -> None:
    archive = el.Archive(tmp_path)
    archive.set_zones(TRIP, account="anna")
    assert el.Zones(Path(archive.path, ".zones/account=anna.v1.csv")) == TRIP
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
    assert len(archive.read(LOG, frame.index[10], frame.index[-1])) == len(frame) - 10


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


# Events in an archive: kept with the account, whole, and gone with it


FAST = "date,type,subType,value\n2026-10-20T10:00:00+0900,fastHeadMotion,left,2\n"


ACTIVITY = (
    "date,stationary,walking,running,automotive,cycling,unknown,confidence\n"
    "2026-10-20T01:00:00Z,1,0,0,0,0,0,2\n2026-10-20T02:00:00Z,0,1,0,0,0,0,2\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "recording"
    made.mkdir()
    (made / "a_fastHeadMotion.csv").write_text(FAST)
    (made / "a_motionActivity.csv").write_text(ACTIVITY)
    return made


def test_events_are_kept_of_the_files_that_are_sound_and_go_with_the_account(tmp_path, folder):
    (folder / "b_fastHeadMotion.csv").write_text(FAST.replace("2026-10-20T10", "nonsense"))
    archive = el.Archive(tmp_path / "archive")
    reports = import_files(archive, [folder], account="anna", dry_run=True)
    assert [r.status for r in reports] == ["to import", "to import", "refused"]
    assert not (tmp_path / "archive").exists()
    reports = import_files(archive, [folder], account="anna")
    assert [r.status for r in reports] == ["imported", "imported", "refused"]
    assert "line 2" in reports[-1].reason
    assert len(archive.events("anna")) == 3
    assert "events" in archive.erase("anna")["what"].tolist()
    assert archive.events("anna").empty


def test_events_of_writers_at_the_same_time_are_all_kept(tmp_path):
    archive = el.Archive(tmp_path / "archive")
    starts = pd.date_range("2026-10-20", periods=12, freq="h", tz="UTC")
    events = pd.DataFrame({"start": starts, "end": starts, "label": "a"})
    with ThreadPoolExecutor(3) as pool:
        added = pool.map(lambda at: archive.add_events(events.iloc[[at]]), range(12))
    assert list(added) == [1] * 12
    assert len(archive.events()) == 12


def test_damage_is_found_and_named(tmp_path, folder):
    archive = el.Archive(tmp_path / "archive")
    archive.write("computed_data", el.sample(), account="me")
    import_files(archive, [folder])
    assert archive.verify().empty
    (path,) = (tmp_path / "archive" / ".events").glob("account=me*.csv")
    path.write_text("start,end\n1,2\n")
    assert "its first line is not start,end,label,kind,value" in archive.verify()["problem"].iloc[0]
    with pytest.raises(el.ArchiveError, match="it is damaged"):
        archive.events()


def test_what_is_no_table_of_events_is_refused_in_one_line(tmp_path):
    archive = el.Archive(tmp_path / "archive")
    with pytest.raises(el.ConfigurationError, match="start, end and label"):
        archive.add_events(el.sample())
    naive = pd.DataFrame({"start": pd.to_datetime(["2026-10-20"]), "end": pd.NaT, "label": "a"})
    with pytest.raises(el.ConfigurationError, match="times with a zone"):
        archive.add_events(naive)
    start = naive["start"].dt.tz_localize("UTC")
    good = naive.assign(start=start, end=start)
    with pytest.raises(el.ConfigurationError, match="'value' of the events needs numbers"):
        archive.add_events(good.assign(value=["abc"]))
    with pytest.raises(el.ConfigurationError, match="the column 'label' twice"):
        archive.add_events(pd.concat([good, good[["label"]]], axis=1))
    assert archive.events().empty


# The archive deletes everything that lies in the folders of an account, and nothing else


STANDARD = LOGS[1]


def test_an_archive_elsewhere_is_erased_too() -> None:
    archive = el.Archive("memory://to-erase")
    for name in ("anna", "bea"):
        archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account=name)
    assert archive.erase("anna", dry_run=True)["what"].tolist() == ["list of months", "month"]
    assert archive.erase("anna")["what"].tolist() == ["list of months", "month"]
    assert archive.accounts() == ["bea"]
    assert len(archive.erase("anna")) == 0


def test_a_link_is_removed_and_what_it_leads_to_is_not(archive: el.Archive, tmp_path: Path) -> None:
    archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account="anna")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "data.parquet").write_bytes(b"kept")
    home = Path(archive.path, f"log={STANDARD}", "account=anna")
    (home / "month=2026-11").symlink_to(tmp_path / "elsewhere")
    archive.erase("anna")
    assert not home.exists()
    assert (tmp_path / "elsewhere" / "data.parquet").read_bytes() == b"kept"


def on_a_larger_disk(archive: el.Archive, tmp_path: Path) -> Path:
    """Move the folder of a log elsewhere and leave a link, as somebody does whose disk is full."""
    log = Path(archive.path, f"log={STANDARD}")
    log.rename(tmp_path / "larger")
    log.symlink_to(tmp_path / "larger")
    return tmp_path / "larger"


def test_a_log_on_a_larger_disk_is_erased_too(archive: el.Archive, tmp_path: Path) -> None:
    for name in ("anna", "bea"):
        archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account=name)
    larger = on_a_larger_disk(archive, tmp_path)
    assert archive.erase("anna")["what"].tolist() == ["list of months", "month"]
    assert [path.name for path in larger.iterdir()] == ["account=bea"]
    assert archive.accounts() == ["bea"]
    archive.erase("bea")
    assert list(larger.iterdir()) == []
    archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account="bea")
    assert archive.accounts() == ["bea"]


def test_what_a_removed_link_led_to_is_named(
    archive: el.Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account="anna")
    home = Path(archive.path, f"log={STANDARD}", "account=anna")
    home.rename(tmp_path / "elsewhere")
    home.symlink_to(tmp_path / "elsewhere")
    assert main(["archive", "erase", "anna", "--archive", archive.path]) == 0
    assert f"not reached: {tmp_path / 'elsewhere'}, to which" in capsys.readouterr().out
    assert not home.is_symlink()


# Old months go as a whole, wherever they lie in the archive; nothing younger does


NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def operator(archive: el.Archive, tmp_path: Path) -> Operator:
    """Who runs a service on the archive, and has its state elsewhere."""
    made = Operator(archive.path, tmp_path / "state")
    made.add("somebody")
    return made


def pruned(operator: Operator, *words: str, before: datetime = NOVEMBER) -> list[dict[str, Any]]:
    """Return what ``eyelog service prune`` removes that is older than a time of this day."""
    days = (datetime.now(UTC) - before).days
    (found,) = operator.ask("prune", "--older-than", f"{days}d", *words)["pruned"]
    return found["removed"]


def fill(archive: el.Archive) -> None:
    for name in ("anna", "Bea B"):
        for day in ("2026-09-30", "2026-10-31", "2026-11-02"):
            archive.write(STANDARD, records(STANDARD, day, 50), account=name)


def stems(found: list[dict[str, Any]]) -> list[str]:
    return [Path(one["path"]).parent.name for one in found]


def test_old_events_in_a_file_of_no_account_are_pruned_too(
    archive: el.Archive, operator: Operator
) -> None:
    fill(archive)
    start = pd.date_range("2026-10-01", periods=1, tz="UTC")
    archive.add_events(pd.DataFrame({"start": start, "end": start, "label": "a"}), account="anna")
    (events,) = Path(archive.path, ".events").iterdir()
    events.rename(events.with_name("notes.v1.csv"))
    assert [one["what"] for one in pruned(operator)].count("events") == 1
    assert not events.parent.exists()


def test_a_month_goes_when_its_last_instant_is_older(
    archive: el.Archive, operator: Operator
) -> None:
    fill(archive)
    earlier = pruned(operator, "--dry-run", before=datetime(2026, 10, 31, tzinfo=UTC))
    assert stems(earlier) == ["month=2026-09"] * 2
    assert stems(pruned(operator, "--dry-run")) == ["month=2026-09", "month=2026-10"] * 2
    assert len(archive.read(STANDARD, account="anna", tz="UTC")) == 150
    assert len(pruned(operator)) == 4
    for name in ("anna", "Bea B"):
        assert len(archive.read(STANDARD, account=name, tz="UTC")) == 50
    assert pruned(operator) == []
    assert len(archive.verify()) == 0


def test_months_that_were_set_aside_go_too_and_links_only_themselves(
    archive: el.Archive, operator: Operator, tmp_path: Path
) -> None:
    fill(archive)
    home = Path(archive.path, f"log={STANDARD}", "account=anna")
    for aside in (".damaged", ".before-restore/20261101T000000Z"):
        old = Path(archive.path, aside, f"log={STANDARD}", "account=anna", "month=2026-09")
        old.mkdir(parents=True)
        (old / "data.parquet").write_bytes(b"old")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "data.parquet").write_bytes(b"kept")
    (home / "month=2020-01").symlink_to(tmp_path / "elsewhere")
    assert len(pruned(operator)) == 7
    assert not list(Path(archive.path).rglob("month=2026-09"))
    assert not (home / "month=2020-01").is_symlink()
    assert (tmp_path / "elsewhere" / "data.parquet").read_bytes() == b"kept"


def test_packed_files_of_live_recordings_go_when_they_are_older(
    archive: el.Archive, operator: Operator
) -> None:
    folder = Path(archive.path) / ".live" / "account=anna"
    folder.mkdir(parents=True)
    for name in ("old.jsonl.gz", "new.jsonl.gz", "waiting.jsonl"):
        (folder / name).write_bytes(b"{}")
        age = datetime(2026, 10 if name != "new.jsonl.gz" else 12, 1, tzinfo=UTC).timestamp()
        os.utime(folder / name, (age, age))
    (found,) = pruned(operator, "--dry-run")
    assert (found["what"], Path(found["path"]).name) == ("live recording", "old.jsonl.gz")
    assert len(list(folder.iterdir())) == 3
    pruned(operator)
    assert sorted(path.name for path in folder.iterdir()) == ["new.jsonl.gz", "waiting.jsonl"]


def test_a_log_on_a_larger_disk_is_pruned_and_a_link_deeper_down_is_refused(
    archive: el.Archive, operator: Operator, tmp_path: Path
) -> None:
    fill(archive)
    before = len(pruned(operator, "--dry-run"))
    larger = on_a_larger_disk(archive, tmp_path)
    assert len(pruned(operator, "--dry-run")) == before
    (larger / "account=anna").rename(tmp_path / "anna")
    (larger / "account=anna").symlink_to(tmp_path / "anna")
    refused = operator.refused("prune", "--older-than", "1d")
    assert "account=anna is a link" in refused


@pytest.mark.parametrize("where", ["a folder", "an object store"])
def test_only_what_belongs_to_some_accounts_goes(where: str, tmp_path: Path) -> None:
    # The folder is named like that of an account which is not one of them.
    path = tmp_path / "account=anna" if where == "a folder" else "memory://account=anna/of-some"
    archive = el.Archive(path)
    fill(archive)
    for name in ("anna", "Bea B"):
        diary = pd.DataFrame(
            {
                "start": pd.to_datetime(["2026-09-01"], utc=True),
                "end": pd.to_datetime([None], utc=True),
                "label": ["coffee"],
            }
        )
        archive.add_events(diary, account=name)
    operator = Operator(archive.path, tmp_path / "state")
    table = tmp_path / "accounts.csv"
    table.write_text("name,study\nBea B,of some\nnobody,of some\n")
    operator("add-accounts", table)
    removed = pruned(operator, "--all-in", "of some")
    assert sorted(one["what"] for one in removed) == ["events", "month", "month"]
    assert all("anna/" not in one["path"].partition("account=anna")[2] for one in removed)
    kept = {name: len(archive.read(STANDARD, account=name, tz="UTC")) for name in ("anna", "Bea B")}
    assert kept == {"anna": 150, "Bea B": 50}
    assert [len(archive.events(name)) for name in ("anna", "Bea B")] == [1, 0]
    operator("set-retention", "of some", "1d")
    for name in ("Bea B", "nobody"):
        operator("remove-account", name)
    (of_nobody,) = operator.ask("prune")["pruned"]  # the study has no account any more
    assert (of_nobody["study"], of_nobody["removed"]) == ("of some", [])
