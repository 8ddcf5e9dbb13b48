"""Writing survives kills, other writers and full disks: real processes, real files."""

import os
import pickle
import re
import resource
import socket
import stat
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from fnmatch import fnmatch
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.importing import import_files
from support.logs import LOGS
from support.records import records
from support.stores import object_store
from support.syncing import files

FIFTEEN, SIXTY = LOGS


def whole(archive: el.Archive, log: str = SIXTY, account: str = "me") -> pd.DataFrame:
    return archive.read(log, "1970-01-01", "2099-12-31", account=account)


def at(*stamps: str, **values: list[float]) -> pd.DataFrame:
    index = pd.DatetimeIndex(list(stamps), tz="UTC").as_unit("us").rename("date")
    return pd.DataFrame({k: np.array(v, "float64") for k, v in values.items()}, index=index)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tz", ["UTC", "Asia/Tokyo", "Europe/Berlin"])
def test_what_is_written_reads_back_equal_in_any_zone(
    archive: el.Archive, log: str, tz: str
) -> None:
    frame = records(log, "2026-10-24 20:00", 900, tz=tz)
    archive.write(log, frame, account="me")
    found = archive.read(log, "2026-10-24", "2026-10-26", tz=tz)
    assert_frame_equal(found, frame)
    assert str(found.index.tz) == tz
    assert found.index.unit == "us"


def test_fields_are_returned_exactly_and_in_catalogue_order(archive: el.Archive) -> None:
    frame = records(FIFTEEN, "2026-10-24", 10)
    archive.write(FIFTEEN, frame, account="me")
    found = archive.read(FIFTEEN, "2026-10-24", "2026-10-24", fields=["vld", "gw", "stp", "date"])
    assert_frame_equal(found, frame[["stp", "vld", "gw"]])
    with pytest.raises(el.FieldError, match=r"did you mean 'stp'"):
        archive.read(FIFTEEN, "2026-10-24", "2026-10-24", fields=["step"])


def test_days_are_inclusive_local_days_and_stamps_select(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 5 * 1440), account="me")
    found = archive.read(SIXTY, "2026-10-02", date(2026, 10, 3), tz="Asia/Tokyo")
    assert found.index[0].isoformat() == "2026-10-02T00:00:00+09:00"
    assert found.index[-1].isoformat() == "2026-10-03T23:59:00+09:00"
    assert len(found) == 2 * 1440


def test_a_local_day_of_25_hours_is_read_whole(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3 * 1440), account="me")
    assert len(archive.read(SIXTY, "2026-10-25", "2026-10-25", tz="Europe/Berlin")) == 25 * 60


def test_the_last_second_is_included_whole(archive: el.Archive) -> None:
    stamps = ["2026-10-24 09:59:59", "2026-10-24 10:00:00.5", "2026-10-24 10:00:01"]
    archive.write(SIXTY, at(*stamps, bl=[1, 2, 3]), account="me")
    first = datetime(2026, 10, 24, 9, 59, 59, tzinfo=UTC)
    last = datetime(2026, 10, 24, 10, 0, 0, tzinfo=UTC)
    assert archive.read(SIXTY, first, last)["bl"].tolist() == [1, 2]
    assert archive.read(SIXTY, last, last)["bl"].tolist() == [2]


class TestMissing:
    def test_an_unknown_log_zone_or_range_is_refused(self, archive: el.Archive) -> None:
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 1), account="me")
        with pytest.raises(el.ConfigurationError, match="did you mean 'standard_mode_logs'"):
            archive.read("standard_mode_log", "2026-10-24", "2026-10-24")
        with pytest.raises(el.ConfigurationError, match="unknown time zone"):
            archive.read(SIXTY, "2026-10-24", "2026-10-24", tz="Asia/Tokio")
        with pytest.raises(el.ConfigurationError, match="starts after it ends"):
            archive.read(SIXTY, "2026-10-24", "2026-10-23")
        with pytest.raises(el.ConfigurationError, match="has no time zone"):
            archive.read(SIXTY, datetime(2026, 10, 24), "2026-10-25")  # noqa: DTZ001 (the point)


REFUSED = {
    "the other log": (records(FIFTEEN, "2026-10-24", 3), el.MixedLogsError, "log"),
    "no zone": (
        records(SIXTY, "2026-10-24", 3).tz_localize(None),
        el.ConfigurationError,
        "time-zone aware",
    ),
    "no stamp": (
        at("2026-10-24", "NaT", bl=[1, 2]),
        el.ConfigurationError,
        "a stamp of the frame is missing",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_frame_that_cannot_be_written_is_refused(archive: el.Archive, what: str) -> None:
    frame, error, match = REFUSED[what]
    with pytest.raises(error, match=match):
        archive.write(SIXTY, frame, account="me")
    assert archive.accounts() == []


class TestMerging:
    def test_of_one_stamp_the_later_write_wins_and_nothing_else_is_lost(
        self, archive: el.Archive
    ) -> None:
        archive.write(SIXTY, at("2026-10-24", "2026-10-25", bl=[1, 2], hm_yo=[3, 4]), account="me")
        archive.write(SIXTY, at("2026-10-25", "2026-10-26", bl=[5, np.nan]), account="me")
        found = whole(archive)
        assert found["bl"].tolist()[:2] == [1, 5]
        # The second frame has no head movements.
        assert found["hm_yo"].tolist()[:2] == [3, 4]
        assert found.iloc[2].isna().all()

    def test_a_missing_value_of_a_new_record_replaces_the_old_value(
        self, archive: el.Archive
    ) -> None:
        archive.write(SIXTY, at("2026-10-24", bl=[1]), account="me")
        archive.write(SIXTY, at("2026-10-24", bl=[np.nan]), account="me")
        assert whole(archive)["bl"].isna().all()

    def test_stated_days_become_what_the_frame_has_of_them(self, archive: el.Archive) -> None:
        old = records(SIXTY, "2026-10-30", 4 * 1440, seed=1, tz="Asia/Tokyo")
        archive.write(SIXTY, old, account="me")
        new = records(SIXTY, "2026-11-01", 1440, seed=2, tz="Asia/Tokyo").iloc[::2]
        archive.write(SIXTY, new, account="me", days=["2026-11-01"])
        found = archive.read(SIXTY, "2026-10-30", "2026-11-02", tz="Asia/Tokyo")
        days = [old.loc["2026-10-30":"2026-10-31"], new, old.loc["2026-11-02":"2026-11-02"]]
        assert_frame_equal(found, pd.concat(days), check_freq=False)

    def test_an_empty_frame_changes_and_creates_nothing(self, archive: el.Archive) -> None:
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 0), account="me")
        assert not Path(archive.path).exists()

    def test_the_input_is_not_changed(self, archive: el.Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 50).iloc[::-1]
        before = frame.copy(deep=True)
        archive.write(SIXTY, frame, account="me")
        assert_frame_equal(frame, before)


class TestLaws:
    @settings(max_examples=5)
    @given(data=st.data())
    def test_any_split_in_any_order_equals_writing_at_once(
        self, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        step = data.draw(st.sampled_from(["1min", "11h"]))
        stamps = pd.date_range("2026-10-30", periods=60, freq=step, tz="UTC")
        frame = records(SIXTY, "2026-10-30", 60).set_axis(stamps.as_unit("us").rename("date"))
        owner = np.array(data.draw(st.lists(st.integers(0, 3), min_size=60, max_size=60)))
        home = tmp_path_factory.mktemp("split")
        at_once, in_parts = el.Archive(home / "a"), el.Archive(home / "b")
        at_once.write(SIXTY, frame, account="me")
        for part in data.draw(st.permutations(range(4))):
            order = data.draw(st.randoms(use_true_random=False))
            rows = np.flatnonzero(owner == part).tolist()
            order.shuffle(rows)
            in_parts.write(SIXTY, frame.iloc[rows], account="me")
        assert_frame_equal(whole(in_parts), frame, check_freq=False)

    @settings(max_examples=10)
    @given(
        values=st.lists(
            st.tuples(
                st.integers(0, 4_000_000_000_000_000),
                st.one_of(st.none(), st.floats(allow_nan=False)),
                st.one_of(st.none(), st.booleans()),
                st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=5)),
            ),
            max_size=20,
            unique_by=lambda row: row[0],
        )
    )
    def test_any_values_read_back_equal_and_writing_again_touches_nothing(
        self, values: list[tuple[int, float, bool, str]], tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        index = pd.DatetimeIndex(np.array([v[0] for v in values], "M8[us]"), tz="UTC", name="date")
        frame = pd.DataFrame(
            {
                "stp": np.array([np.nan if v[1] is None else v[1] for v in values], "float64"),
                "isl": pd.array([v[2] for v in values], "boolean"),
                "gw": pd.array([v[3] for v in values], "string"),
            },
            index=index,
        )
        archive = el.Archive(tmp_path_factory.mktemp("values"))
        archive.write(FIFTEEN, frame, account="me")
        if values:
            found = archive.read(FIFTEEN, "1970-01-01", "2099-12-31", fields=["stp", "isl", "gw"])
            assert_frame_equal(found, frame.sort_index())
        before = files(archive)
        archive.write(FIFTEEN, frame.iloc[::-1], account="me")
        assert files(archive) == before


def test_an_archive_travels_to_another_process(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    again = pickle.loads(pickle.dumps(archive))
    assert again.path == archive.path
    assert len(whole(again)) == 3
    assert repr(again) == repr(archive)


def test_an_open_range_is_all_there_is(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 3000), account="me")
    every = archive.read(SIXTY, tz="Asia/Tokyo")
    assert len(every) == 3000
    first, last = every.index[0], every.index[-1]
    assert len(archive.read(SIXTY, first, last)) == 3000
    days = len(archive.read(SIXTY, "2026-10-31")), len(archive.read(SIXTY, end="2026-10-30"))
    assert sum(days) == 3000
    assert every.attrs["eyelog"]["history"][-1] == {
        "step": "archive",
        "start": f"{first.tz_convert('UTC'):%Y-%m-%dT%H:%M:%SZ}",
        "end": f"{last.tz_convert('UTC'):%Y-%m-%dT%H:%M:%SZ}",
    }
    with pytest.raises(el.ArchiveError, match="no account 'you'"):
        archive.read(SIXTY, account="you")


@pytest.mark.parametrize(("before", "after"), [("tired", 1.5), (1.5, "tired")])
def test_an_unknown_field_may_be_text_once_and_numbers_another_time(
    archive: el.Archive, before: object, after: object
) -> None:
    frame = records(SIXTY, "2026-10-24", 30)
    with pytest.warns(el.EyelogWarning, match="unknown fields .*: mood"):
        archive.write(SIXTY, frame.assign(mood=before), account="me")
    with pytest.warns(el.EyelogWarning, match="unknown fields .*: mood"):
        done = archive.write(SIXTY, frame.assign(mood=after).iloc[:3], account="me")
    assert done == (0, 3, 0)
    with pytest.warns(el.EyelogWarning, match="unknown fields .*: mood"):
        again = archive.read(SIXTY, tz="UTC")
    assert again["mood"].tolist() == [str(after)] * 3 + [str(before)] * 27


def test_nobody_else_may_read_the_files(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-24", 3)
    archive.write(SIXTY, frame, account="me")
    archive.set_zones("Asia/Tokyo")
    archive.add_events(pd.DataFrame({"start": frame.index, "end": frame.index, "label": "a"}))
    assert len(list(Path(archive.path).rglob("account=me.v1.csv"))) == 3
    for path in [Path(archive.path), *Path(archive.path).rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


# Writing survives kills, other writers and full disks: real processes, real files


def test_threads_that_write_at_the_same_time_lose_nothing(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-31 20:00", 480)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: archive.write(SIXTY, frame.iloc[n::12], account="me"), range(12)))
    assert_frame_equal(archive.read(SIXTY, "2026-10-31", "2026-11-01"), frame)


def test_writing_the_same_records_again_touches_no_file(archive: el.Archive) -> None:
    frame = records(FIFTEEN, "2026-10-30", 4 * 5760)
    archive.write(FIFTEEN, frame, account="me")
    before = files(archive)
    archive.write(FIFTEEN, frame, account="me")
    archive.write(FIFTEEN, frame.iloc[100:9000:3], account="me")
    archive.write(FIFTEEN, frame.loc["2026-10-31"], account="me", days=["2026-10-31"])
    assert files(archive) == before


def test_a_write_returns_how_many_records_were_added_changed_and_removed(
    archive: el.Archive,
) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    assert archive.write(SIXTY, frame, account="me") == (5760, 0, 0)
    assert archive.write(SIXTY, frame, account="me") == (0, 0, 0)
    changed = frame.copy()
    changed.iloc[10:13, changed.columns.get_loc("bl")] = 3.25
    changed.iloc[-1, changed.columns.get_loc("bl")] = float("nan")
    frame.iloc[-1, frame.columns.get_loc("bl")] = 1.0
    archive.write(SIXTY, frame.iloc[-1:], account="me")
    assert archive.write(SIXTY, changed, account="me").changed == 4
    fewer = changed.drop(changed.loc["2026-10-31"].index[100:])
    late = records(SIXTY, "2026-11-30", 2)
    both = pd.concat([fewer, late])
    days = ["2026-10-31", "2026-11-01", "2026-12-24"]
    assert archive.write(SIXTY, both, account="me", days=days) == (2, 0, 1340)
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-12-31"), both)
    assert archive.write(SIXTY, both.iloc[:0], account="me", days=["2026-11-30"]).removed == 2
    assert {path.parent.name for path in files(archive)} == {"month=2026-10", "month=2026-11"}


def test_only_days_and_months_that_change_are_written(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    archive.write(SIXTY, frame, account="me")
    before = files(archive)
    frame.iloc[-1, frame.columns.get_loc("bl")] = 3.0
    archive.write(SIXTY, frame, account="me")
    assert [path.name[:12] for path in files(archive) if path not in before] == ["2026-11-02.2"]
    frame.iloc[0, frame.columns.get_loc("bl")] = 3.0
    archive.write(SIXTY, frame, account="me")
    assert min(path.name[:12] for path in files(archive)).startswith("2026-10.2.")
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-11-30"), frame)


def test_a_change_of_many_days_writes_the_month_as_one_file(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 20 * 1440).iloc[::30]
    for day in ("2026-10-01", "2026-10-02", "2026-10-03"):
        archive.write(SIXTY, frame.loc[day], account="me")
    assert len(files(archive)) == 3
    archive.write(SIXTY, frame, account="me")
    assert [path.name[:8] for path in files(archive)] == ["2026-10."]
    assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-10-31"), frame)


def test_a_frame_that_is_read_may_be_written_to(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 10), account="me")
    for fields in (None, ["bl"]):
        frame = archive.read(SIXTY, account="me", fields=fields)
        frame.loc[frame.index[0], "bl"] = 7.0
        assert frame["bl"].iloc[0] == 7.0


def test_a_full_disk_is_a_one_line_error_and_changes_nothing(archive: el.Archive) -> None:
    old = records(FIFTEEN, "2026-10-31", 2 * 5760, seed=1)
    archive.write(FIFTEEN, old.iloc[:100], account="me")
    before = files(archive)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))  # Python ignores SIGXFSZ
    try:
        with pytest.raises(el.ArchiveError) as caught:
            archive.write(FIFTEEN, old, account="me")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert re.fullmatch(
        rf"cannot write {archive.path}/log={FIFTEEN}/account=me/month=2026-1.+: File too large",
        str(caught.value),
    )
    assert files(archive) == before
    assert not list(Path(archive.path).rglob("*.tmp"))
    archive.write(FIFTEEN, old, account="me")
    assert_frame_equal(archive.read(FIFTEEN, "2026-10-31", "2026-11-01"), old)


def test_a_change_of_many_large_months_opens_few_files(archive: el.Archive) -> None:
    months = pd.date_range("2020-01-01", periods=24, freq="MS", tz="UTC")
    texts = [np.random.default_rng(at).bytes(1_200_000).hex() for at in range(len(months))]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (len(list(Path("/dev/fd").iterdir())) + 20, limits[1])
    )
    try:
        with pytest.warns(el.EyelogWarning, match="unknown"):
            archive.write(SIXTY, pd.DataFrame({"note": texts}, months), account="me")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert len(files(archive)) == len(months)


@pytest.mark.parametrize("instant", ["9999-12-31", "0001-01-01", "9999-12-31T23:59:59-09:00"])
def test_a_range_outside_the_years_is_refused(archive: el.Archive, instant: str) -> None:
    with pytest.raises(el.ConfigurationError, match="outside the years 1 to 9999"):
        archive.read(SIXTY, start=instant, account="bert", tz="Asia/Tokyo")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_archive_is_read_but_not_written(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 3)
    archive.write(SIXTY, frame, account="me")
    folders = [path for path in Path(archive.path).rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert_frame_equal(archive.read(SIXTY, "2026-10-01", "2026-10-01"), frame)
        with pytest.raises(el.ArchiveError, match="Permission denied"):
            archive.write(SIXTY, records(SIXTY, "2026-10-01", 3, seed=2), account="me")
    finally:
        for folder in folders:
            folder.chmod(0o700)


# Archives that are not on a local disk: memory, and an object store on 127.0.0.1


@pytest.fixture
def memory() -> Iterator[str]:
    url = f"memory://{uuid.uuid4().hex}"
    yield url
    fsspec.filesystem("memory").rm(url, recursive=True)


@pytest.fixture
def bucket() -> Iterator[str]:
    with object_store() as url:
        yield url


def live_through(url: str, tmp_path: Path) -> None:
    """Do with an archive at `url` what is done with a local one, and compare the two."""
    archive, local = el.Archive(url), el.Archive(tmp_path / "local")
    with pytest.raises(el.ArchiveError, match="is empty"):
        archive.read(SIXTY, "2026-10-30", "2026-10-30")
    frame = records(SIXTY, "2026-10-30", 4 * 1440, tz="Asia/Tokyo")
    other = records(FIFTEEN, "2026-10-30", 3000)
    for each in (archive, local):
        each.write(SIXTY, frame.iloc[::2], account="a/ä")
        each.write(SIXTY, frame, account="a/ä")
        each.write(FIFTEEN, other, account="me")
        each.write(SIXTY, frame.iloc[:10], account="gone")
        each.write(SIXTY, frame.iloc[:0], account="gone", days=["2026-10-30"])
    assert archive.accounts() == ["a/ä", "me"]
    found = archive.read(SIXTY, "2026-10-30", "2026-11-02", account="a/ä", tz="Asia/Tokyo")
    assert_frame_equal(found, frame)
    assert_frame_equal(
        archive.read(FIFTEEN, "2026-10-30", "2026-10-30", fields=["stp"]), other[["stp"]]
    )
    assert_frame_equal(archive.inventory(), local.inventory())
    assert len(archive.verify()) == 0
    with pytest.raises(el.ArchiveError, match="it has 'a/ä', 'me'"):
        archive.read(SIXTY, "2026-10-30", "2026-10-30", account="you")
    made = archive.export(FIFTEEN, *["2026-10-30"] * 2, tmp_path / "day.csv", location=True)
    assert made == [tmp_path / "day.csv"]
    # Another process sees what is there now, not what was there when it last listed the archive.
    el.Archive(url).write(SIXTY, frame, account="new")
    assert archive.accounts(SIXTY) == ["a/ä", "new"]


def test_an_archive_lives_in_memory(memory: str, tmp_path: Path) -> None:
    live_through(memory, tmp_path)


def test_a_reader_whose_files_are_replaced_after_it_listed_them_meets_the_new_ones(
    memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    el.Archive(memory).write(SIXTY, frame, account="me")
    changed, cat_file = frame.assign(bl=3.0), MemoryFileSystem.cat_file
    waiting = [changed]

    def cat_late(fs: MemoryFileSystem, path: str, **options: int) -> bytes:
        if path.endswith(".parquet") and waiting:
            el.Archive(memory).write(SIXTY, waiting.pop(), account="me", replace=True)
        content: bytes = cat_file(fs, path, **options)
        return content

    monkeypatch.setattr(MemoryFileSystem, "cat_file", cat_late)
    found = el.Archive(memory).read(SIXTY, "2026-10-01", "2026-11-30", account="me", tz="UTC")
    assert_frame_equal(found, changed)
    waiting.append(frame)
    assert len(el.Archive(memory).verify()) == 0
    assert not waiting


@pytest.mark.parametrize(
    ("full", "written", "said"),
    [
        ("log=*account=bea*", [], "is full$"),
        (
            ".months/account=bea*",
            ["ann"],
            "is full; the records of 'ann' are written: import again",
        ),
    ],
)
def test_an_import_half_done_in_a_store_is_taken_up_by_the_next(
    memory: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    full: str,
    written: list[str],
    said: str,
) -> None:
    frame = records(SIXTY, "2026-10-30", 100)
    pd.concat([frame.assign(user_id=name) for name in ("ann", "bea")]).to_csv(tmp_path / "log.csv")
    archive, pipe_file = el.Archive(memory), MemoryFileSystem.pipe_file
    for name in written:  # which has a version that is replaced
        archive.write(SIXTY, frame.iloc[:10], account=name)

    def pipe(fs: MemoryFileSystem, path: str, body: bytes, **options: int) -> None:
        if body.count(SIXTY.encode()) and fnmatch(path, f"*/{full}"):
            raise OSError("the store is full")
        pipe_file(fs, path, body, **options)

    with monkeypatch.context() as patch:
        patch.setattr(MemoryFileSystem, "pipe_file", pipe)
        with pytest.raises(el.ArchiveError, match=rf"account=bea.*: the store {said}"):
            import_files(archive, [tmp_path / "log.csv"], split_wearers=True)
    assert archive.accounts() == written
    assert archive.verify().empty
    import_files(archive, [tmp_path / "log.csv"], split_wearers=True)
    assert [len(whole(archive, account=name)) for name in ("ann", "bea")] == [100, 100]
    assert archive.verify().empty


@pytest.mark.slow("an object store is started")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:botocore")
def test_an_archive_lives_in_an_object_store(bucket: str, tmp_path: Path) -> None:
    live_through(bucket, tmp_path)
    with pytest.raises(el.ArchiveError, match="there is no 'no-such-bucket', create it first"):
        el.Archive("s3://no-such-bucket/x").write(
            SIXTY, records(SIXTY, "2026-10-30", 1), account="me"
        )


@pytest.mark.slow("a store's time limit is waited for")
def test_a_store_that_does_not_answer_is_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "made-up")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up-too")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    with pytest.raises(el.ArchiveError, match=r"cannot list the archive s3://wearers/x: .+"):
        el.Archive("s3://wearers/x").accounts()


def test_a_folder_that_is_copied_whole_into_a_store_is_the_same_archive(
    tmp_path: Path, memory: str
) -> None:
    local, account = el.Archive(tmp_path), "a/ä"
    frame = records(SIXTY, "2026-10-30", 4 * 1440, tz="Asia/Tokyo")
    local.write(SIXTY, frame, account=account)
    local.set_zones("Asia/Tokyo", account=account)
    fsspec.filesystem("memory").put(f"{tmp_path}/", memory, recursive=True)
    assert_frame_equal(
        el.Archive(memory).read(SIXTY, account=account), local.read(SIXTY, account=account)
    )
    assert len(el.Archive(memory).verify()) == 0
