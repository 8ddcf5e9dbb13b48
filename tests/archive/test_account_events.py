"""Events in an archive: kept with the account, whole, and gone with it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.importing import import_files

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


def test_a_dry_run_writes_nothing(tmp_path, folder):
    archive = el.Archive(tmp_path / "archive")
    reports = import_files(archive, [folder], dry_run=True)
    assert {r.status for r in reports} == {"to import"}
    assert archive.events().empty
    assert not (tmp_path / "archive").exists()


def test_a_damaged_event_file_is_refused_and_the_others_are_kept(tmp_path, folder):
    (folder / "b_fastHeadMotion.csv").write_text(FAST.replace("2026-10-20T10", "nonsense"))
    archive = el.Archive(tmp_path / "archive")
    reports = import_files(archive, [folder])
    assert [r.status for r in reports] == ["imported", "imported", "refused"]
    assert "line 2" in reports[-1].reason
    assert len(archive.events()) == 3


def test_events_of_writers_at_the_same_time_are_all_kept(tmp_path):
    archive = el.Archive(tmp_path / "archive")
    starts = pd.date_range("2026-10-20", periods=12, freq="h", tz="UTC")
    events = pd.DataFrame({"start": starts, "end": starts, "label": "a"})
    with ThreadPoolExecutor(3) as pool:
        added = pool.map(lambda at: archive.add_events(events.iloc[[at]]), range(12))
    assert list(added) == [1] * 12
    assert len(archive.events()) == 12


def test_events_are_private_and_go_with_the_account(tmp_path, folder):
    archive = el.Archive(tmp_path / "archive")
    import_files(archive, [folder], account="anna")
    (path,) = (tmp_path / "archive").rglob("account=anna*.csv")
    assert path.stat().st_mode & 0o077 == 0
    removed = archive.erase("anna")
    assert "events" in removed["what"].tolist()
    assert not path.exists()
    assert archive.events("anna").empty


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
