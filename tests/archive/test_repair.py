"""Damaged months are set aside whole, and what they had can be got again."""

import stat
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support import faulty
from support.logs import LOGS
from support.parquet import flip_byte, month_file
from support.records import records
from support.syncing import client_of

FIFTEEN, SIXTY = LOGS


@pytest.fixture
def two_months(archive: el.Archive) -> el.Archive:
    archive.write(SIXTY, records(SIXTY, "2026-10-29", 6 * 1440), account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 50), account="me")
    return archive


def test_an_unreadable_month_moves_whole_and_privately(two_months: el.Archive) -> None:
    path = month_file(two_months.path, "2026-10", log=SIXTY)
    path.write_bytes(path.read_bytes()[:-50])
    path.chmod(0o644)
    content = path.read_bytes()
    (row,) = two_months.repair().to_dict("records")
    assert (row["account"], row["log"], row["month"]) == ("me", SIXTY, "2026-10")
    assert row["problem"]
    aside = Path(row["aside"])
    assert aside.read_bytes() == content
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    inside = aside.relative_to(two_months.path)
    assert inside.parts[0] == ".damaged"
    for folder in list(inside.parents)[:-1]:
        assert stat.S_IMODE((Path(two_months.path) / folder).stat().st_mode) == 0o700
    assert not path.parent.exists()
    assert len(two_months.verify()) == 0
    assert two_months.read(SIXTY, "2026-10-29", "2026-11-30").index[0].month == 11
    assert len(two_months.repair()) == 0


def test_a_second_repair_keeps_what_the_first_set_aside(two_months: el.Archive) -> None:
    for _ in range(2):
        week = records(SIXTY, "2026-10-29", 100)
        two_months.write(SIXTY, week, account="me", replace=True)
        month_file(two_months.path, "2026-10", log=SIXTY).write_bytes(b"damage")
        assert len(two_months.repair()) == 1
    assert len(list((Path(two_months.path) / ".damaged").rglob("*.parquet"))) == 2


def test_a_list_that_is_gone_or_damaged_is_made_again(two_months: el.Archive) -> None:
    for day in range(1, 4):
        two_months.write(
            SIXTY, records(SIXTY, f"2026-11-{day:02}", 1440, seed=3), account="me", replace=True
        )
    before = two_months.read(SIXTY, tz="UTC")
    (path,) = Path(two_months.path, ".months").glob("*.csv")
    whole = path.read_bytes()
    for spoilt in (None, b"", whole[:-20], whole.replace(b"2026-10", b"2026-09", 1)):
        path.unlink() if spoilt is None else path.write_bytes(spoilt)
        with pytest.raises(el.ArchiveError, match=r"list of the months .* is (gone|damaged)"):
            two_months.read(SIXTY, tz="UTC")
        with pytest.raises(el.ArchiveError, match=r"list of the months"):
            two_months.write(SIXTY, records(SIXTY, "2026-11-09", 3), account="me")
        assert two_months.verify()["problem"].str.contains("the list of the months").all()
        assert len(two_months.repair()) == 1
        assert two_months.read(SIXTY, tz="UTC").equals(before)
        assert len(two_months.verify()) == 0


def test_an_earlier_version_that_was_put_back_counts_after_a_repair(
    two_months: el.Archive,
) -> None:
    path = month_file(two_months.path, "2026-10", log=SIXTY)
    name, body = path.name, path.read_bytes()
    before = two_months.read(SIXTY, tz="UTC")
    two_months.write(SIXTY, records(SIXTY, "2026-10-29", 10, seed=5), account="me", replace=True)
    month_file(two_months.path, "2026-10", log=SIXTY).unlink()
    path.with_name(name).write_bytes(body)
    with pytest.raises(el.ArchiveError, match="it is gone"):
        two_months.write(SIXTY, records(SIXTY, "2026-10-29", 10), account="me")
    assert len(two_months.repair()) == 1
    pd.testing.assert_frame_equal(two_months.read(SIXTY, tz="UTC"), before)
    assert len(two_months.verify()) == 0


def test_an_archive_elsewhere_is_repaired_too() -> None:
    archive = el.Archive("memory://to-repair")
    archive.write(SIXTY, records(SIXTY, "2026-10-29", 100), account="me")
    place = archive._place
    (path,) = place.fs.find(f"{place.root}/log={SIXTY}")
    place.fs.pipe_file(path, b"PAR1 damage")
    (row,) = archive.repair().to_dict("records")
    assert place.fs.cat_file(row["aside"]) == b"PAR1 damage"
    assert archive.accounts() == []


def test_a_sync_finds_damage_that_the_stamps_do_not_show_and_goes_on(
    there: faulty.Server, home: Path, archive: el.Archive
) -> None:
    client = client_of(there, home)
    archive.sync(client, SIXTY, "2024-03-30", "2024-03-31")
    path, *_ = sorted(Path(archive.path).glob("log=*/*/month=2024-03/*"))
    flip_byte(path, "stp_s")
    before = path.read_bytes()
    report = archive.sync(client, SIXTY, "2024-03-29", "2024-04-02")
    assert report["state"].tolist() == ["failed", "failed", "failed", "fetched", "fetched"]
    assert path.read_bytes() == before
    assert len(archive.read(SIXTY, "2024-04-01", "2024-04-02")) == 48


def test_a_damaged_day_of_a_month_that_is_over_stops_no_later_write(archive: el.Archive) -> None:
    for number, day in enumerate(("2026-10-01", "2026-10-02")):
        archive.write(SIXTY, records(SIXTY, day, 1440, seed=number), account="me")
    (path,) = Path(archive.path).rglob("2026-10-02.*.parquet")
    flip_byte(path, "bl")
    archive.write(SIXTY, records(SIXTY, "2026-11-01", 1440), account="me")
    assert len(archive.read(SIXTY, "2026-11-01", "2026-11-30", tz="UTC")) == 1440
    assert archive.repair()["month"].tolist() == ["2026-10"]
    archive.write(SIXTY, records(SIXTY, "2026-11-02", 1440), account="me")
    assert len(archive.read(SIXTY, tz="UTC")) == 3 * 1440


def test_it_lists_days_records_gaps_and_bytes_of_each_log_of_each_account(
    archive: el.Archive,
) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    # Two gaps, one of them across the edge of the months; a late record is not a gap.
    late = frame.index.to_series().add(pd.Timedelta("20s")).where(frame.index.minute == 7)
    frame.index = pd.DatetimeIndex(late.fillna(frame.index.to_series()), name="date")
    holed = frame.drop(frame.loc["2026-10-31 23:50":"2026-11-01 00:10"].index)
    holed = holed.drop(holed.loc["2026-11-02 08":"2026-11-02 09"].index)
    archive.write(SIXTY, holed, account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 100), account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 100), account="anna")
    table = archive.inventory()
    assert table[["account", "log", "days", "records", "gaps"]].values.tolist() == [
        ["anna", FIFTEEN, 1, 100, 0],
        ["me", FIFTEEN, 1, 100, 0],
        ["me", SIXTY, 4, len(holed), 2],
    ]
    assert table["first"][2] == pd.Timestamp("2026-10-30", tz="UTC")
    assert table["last"][2] == holed.index[-1]
    sizes = [path.stat().st_size for path in Path(archive.path).rglob("*.parquet")]
    assert table["bytes"].sum() == sum(sizes)


def test_a_damaged_month_is_reported_and_the_rest_is_counted(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="me")
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 100), account="me")
    for path in Path(archive.path).rglob("month=2026-10/*.parquet"):
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.warns(el.EyelogWarning, match="2026-10 is damaged and not counted") as caught:
        table = archive.inventory()
    assert len(caught) == 2
    assert table[["log", "days", "records", "damaged"]].values.tolist() == [
        [FIFTEEN, 0, 0, 1], [SIXTY, 2, 2880, 1]
    ]  # fmt: skip
    assert table["first"].isna().tolist() == [True, False]
