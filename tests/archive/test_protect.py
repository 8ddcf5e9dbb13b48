"""Files that an older eyelog wrote get the checksums of new ones, unless they are damaged."""

import stat
from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.ledger import Noted, note_days
from eyelog.archive.store import place_of
from eyelog.catalogue import LOGS
from eyelog.cli.main import main
from support.parquet import flip_byte, without_seal
from support.records import records

SIXTY = LOGS[1]


@pytest.fixture
def old(archive: el.Archive) -> el.Archive:
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    for path in Path(archive.path).rglob("*.parquet"):
        without_seal(path)
    return archive


def month_file(archive: el.Archive, month: str) -> Path:
    return Path(archive.path, f"log={SIXTY}", "account=me", f"month={month}", "data.parquet")


def test_verify_lists_what_is_not_protected_and_protect_changes_it(old: el.Archive) -> None:
    frame = old.read(SIXTY)
    problems = old.verify()
    assert problems["month"].tolist() == ["2026-10", "2026-11"]
    assert problems["problem"].str.startswith("not protected yet: `eyelog archive protect`").all()
    assert len(old.repair()) == 0
    done = old.protect()
    assert done["month"].tolist() == ["2026-10", "2026-11"]
    assert done.dtypes.astype(str).unique().tolist() == ["string"]
    assert len(old.verify()) == len(old.protect()) == 0
    assert_frame_equal(old.read(SIXTY), frame)
    assert stat.S_IMODE(month_file(old, "2026-10").stat().st_mode) == 0o600
    assert list(Path(old.path).rglob("*.tmp")) == []


def test_a_protected_file_is_the_one_that_would_be_written_today(
    old: el.Archive, tmp_path: Path
) -> None:
    old.protect()
    new = el.Archive(tmp_path / "new")
    new.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    for month in ("2026-10", "2026-11"):
        assert month_file(old, month).read_bytes() == month_file(new, month).read_bytes()


def test_a_write_that_changes_a_month_protects_it(old: el.Archive) -> None:
    old.write(SIXTY, records(SIXTY, "2026-11-20", 1), account="me")
    assert old.verify()["month"].tolist() == ["2026-10"]


def test_a_damaged_file_and_one_of_another_program_are_left_alone(old: el.Archive) -> None:
    flip_byte(month_file(old, "2026-10"), "bl")
    other = month_file(old, "2026-11")
    pd.read_parquet(other).to_parquet(other, index=False)
    before = [month_file(old, month).read_bytes() for month in ("2026-10", "2026-11")]
    assert len(old.protect()) == 0
    assert [month_file(old, month).read_bytes() for month in ("2026-10", "2026-11")] == before


def test_a_file_with_fewer_records_than_a_sync_brought_is_not_protected(
    old: el.Archive,
) -> None:
    noted = {date(2026, 10, 30): Noted(datetime(2026, 11, 5, tzinfo=UTC), 1440)}
    there = (place_of(old), SIXTY, "me", "http://there", "UTC")
    note_days(*there, noted)
    assert old.verify()["problem"].str.startswith("not protected").all()
    noted = {date(2026, 10, 31): Noted(datetime(2026, 11, 5, tzinfo=UTC), 1441)}
    note_days(*there, noted)
    problems = old.verify()["problem"].tolist()
    assert problems[0] == "it has 1440 records of 2026-10-31, and a sync brought 1441"
    assert old.protect()["month"].tolist() == ["2026-11"]
    assert old.repair()["sync_again"].tolist() == ["2026-10-30 to 2026-10-31"]


def test_an_archive_elsewhere_is_protected_too(old: el.Archive) -> None:
    there = el.Archive("memory://to-protect")
    fs, root = there._place.fs, there._place.root
    for path in Path(old.path).rglob("*.parquet"):
        target = f"{root}/{path.relative_to(old.path)}"
        fs.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
        fs.pipe_file(target, path.read_bytes())
    assert len(there.verify()) == 2
    assert len(there.protect()) == 2
    assert len(there.verify()) == 0
    assert_frame_equal(there.read(SIXTY), old.read(SIXTY))
    (first, _) = fs.find(root)
    content = bytearray(fs.cat_file(first))
    content[-2000] ^= 1
    fs.pipe_file(first, bytes(content))
    with pytest.raises(el.ArchiveError, match="`eyelog archive repair`"):
        there.read(SIXTY)


def test_the_command_line_says_how_to_protect_and_does_it(
    old: el.Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", "verify", "--archive", old.path]) == 0
    out, err = capsys.readouterr()
    assert out.count("not protected yet") == 2
    assert "2 files are" in err
    assert "`eyelog archive protect` adds the checksum" in err
    assert main(["archive", "protect", "--archive", old.path]) == 0
    assert "2 files are now protected" in capsys.readouterr().err
    assert main(["archive", "verify", "--archive", old.path]) == 0
    assert "No damage found" in capsys.readouterr().err
    assert main(["archive", "protect", "--archive", old.path]) == 0
    assert "Nothing was left to protect" in capsys.readouterr().err
