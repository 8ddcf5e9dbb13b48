import pickle
import stat
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.logs import LOGS
from support.records import records

FIFTEEN, SIXTY = LOGS


def whole(archive: el.Archive, log: str = SIXTY, account: str = "me") -> pd.DataFrame:
    return archive.read(log, "1970-01-01", "2099-12-31", account=account)


def contents(archive: el.Archive) -> dict[str, tuple[bytes, int]]:
    files = sorted(Path(archive.path).rglob("*.parquet"))
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


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


class TestFramesThatCannotBeWritten:
    def test_a_frame_of_the_other_log_is_refused(self, archive: el.Archive) -> None:
        with pytest.raises(el.MixedLogsError):
            archive.write(SIXTY, records(FIFTEEN, "2026-10-24", 3), account="me")
        assert archive.accounts() == []

    def test_a_naive_index_is_refused(self, archive: el.Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 3)
        with pytest.raises(el.ConfigurationError, match="time-zone aware"):
            archive.write(SIXTY, frame.tz_localize(None), account="me")

    def test_a_missing_stamp_is_refused(self, archive: el.Archive) -> None:
        frame = at("2026-10-24", "NaT", bl=[1, 2])
        with pytest.raises(el.ConfigurationError, match="a stamp of the frame is missing"):
            archive.write(SIXTY, frame, account="me")


class TestMerging:
    def test_late_records_are_merged_in_order(self, archive: el.Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 300)
        archive.write(SIXTY, frame.iloc[100:200], account="me")
        archive.write(SIXTY, frame.iloc[::3], account="me")
        archive.write(SIXTY, frame, account="me")
        assert_frame_equal(whole(archive), frame)

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
    @settings(max_examples=10)
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

    @settings(max_examples=20)
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
        before = contents(archive)
        archive.write(FIFTEEN, frame.iloc[::-1], account="me")
        assert contents(archive) == before


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
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    for path in [Path(archive.path), *Path(archive.path).rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
