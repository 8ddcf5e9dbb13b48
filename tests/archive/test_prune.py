"""Old months go as a whole, wherever they lie in the archive; nothing younger does."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.account import prune
from eyelog.archive.place import open_place
from support.logs import LOGS
from support.records import records

STANDARD = LOGS[1]
NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC)


def fill(archive: el.Archive) -> None:
    for name in ("anna", "Bea B"):
        for day in ("2026-09-30", "2026-10-31", "2026-11-02"):
            archive.write(STANDARD, records(STANDARD, day, 50), account=name)


def stems(found: list[object]) -> list[str]:
    return [Path(one.path).parent.name for one in found]  # type: ignore[attr-defined]


def test_a_month_goes_when_its_last_instant_is_older(archive: el.Archive) -> None:
    fill(archive)
    place = open_place(archive.path)
    earlier = datetime(2026, 10, 31, 23, 59, tzinfo=UTC)
    assert stems(prune(place, earlier, dry_run=True)) == ["month=2026-09"] * 2
    assert stems(prune(place, NOVEMBER, dry_run=True)) == ["month=2026-09", "month=2026-10"] * 2
    assert len(archive.read(STANDARD, account="anna", tz="UTC")) == 150
    assert len(prune(place, NOVEMBER)) == 4
    for name in ("anna", "Bea B"):
        assert len(archive.read(STANDARD, account=name, tz="UTC")) == 50
    assert prune(place, NOVEMBER) == []
    assert len(archive.verify()) == 0


def test_months_that_were_set_aside_go_too_and_links_only_themselves(
    archive: el.Archive, tmp_path: Path
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
    assert len(prune(open_place(archive.path), NOVEMBER)) == 7
    assert not list(Path(archive.path).rglob("month=2026-09"))
    assert not (home / "month=2020-01").is_symlink()
    assert (tmp_path / "elsewhere" / "data.parquet").read_bytes() == b"kept"


def test_packed_files_of_live_recordings_go_when_they_are_older(archive: el.Archive) -> None:
    folder = Path(archive.path) / ".live" / "account=anna"
    folder.mkdir(parents=True)
    for name in ("old.jsonl.gz", "new.jsonl.gz", "waiting.jsonl"):
        (folder / name).write_bytes(b"{}")
        age = datetime(2026, 10 if name != "new.jsonl.gz" else 12, 1, tzinfo=UTC).timestamp()
        os.utime(folder / name, (age, age))
    place = open_place(archive.path)
    found = prune(place, NOVEMBER, dry_run=True)
    assert [(one.what, Path(one.path).name) for one in found] == [
        ("live recording", "old.jsonl.gz")
    ]
    assert len(list(folder.iterdir())) == 3
    prune(place, NOVEMBER)
    assert sorted(path.name for path in folder.iterdir()) == ["new.jsonl.gz", "waiting.jsonl"]


def test_a_log_on_a_larger_disk_is_pruned_and_a_link_deeper_down_is_refused(
    archive: el.Archive, tmp_path: Path
) -> None:
    fill(archive)
    before = len(prune(open_place(archive.path), NOVEMBER, dry_run=True))
    log = Path(archive.path, f"log={STANDARD}")
    log.rename(tmp_path / "larger")
    log.symlink_to(tmp_path / "larger")
    assert len(prune(open_place(archive.path), NOVEMBER, dry_run=True)) == before
    (tmp_path / "larger" / "account=anna").rename(tmp_path / "anna")
    (tmp_path / "larger" / "account=anna").symlink_to(tmp_path / "anna")
    with pytest.raises(el.ArchiveError, match="account=anna is a link"):
        prune(open_place(archive.path), NOVEMBER)


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
    removed = prune(open_place(archive.path), NOVEMBER, accounts={"Bea B", "nobody"})
    assert sorted(one.what for one in removed) == ["events", "month", "month"]
    assert all("anna/" not in one.path.partition("account=anna")[2] for one in removed)
    kept = {name: len(archive.read(STANDARD, account=name, tz="UTC")) for name in ("anna", "Bea B")}
    assert kept == {"anna": 150, "Bea B": 50}
    assert [len(archive.events(name)) for name in ("anna", "Bea B")] == [1, 0]
    assert prune(open_place(archive.path), NOVEMBER, accounts=set()) == []
