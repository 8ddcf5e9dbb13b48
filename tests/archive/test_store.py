import pickle
import warnings
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog import frame as frames
from eyelog import provenance
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, columns
from support.records import records

FIFTEEN, SIXTY = LOGS


def whole(archive: Archive, log: str = SIXTY, account: str = "me") -> pd.DataFrame:
    return archive.read(log, "1970-01-01", "2099-12-31", account=account)


def contents(archive: Archive) -> dict[str, tuple[bytes, int]]:
    files = sorted(Path(archive.path).rglob("*.parquet"))
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def at(*stamps: str, **values: list[float]) -> pd.DataFrame:
    index = pd.DatetimeIndex(list(stamps), tz="UTC").as_unit("us").rename("date")
    return pd.DataFrame({k: np.array(v, "float64") for k, v in values.items()}, index=index)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("tz", ["UTC", "Asia/Tokyo", "Europe/Berlin"])
def test_what_is_written_reads_back_equal_in_any_zone(archive: Archive, log: str, tz: str) -> None:
    frame = records(log, "2026-10-24 20:00", 900, tz=tz)
    archive.write(log, frame, account="me")
    found = archive.read(log, "2026-10-24", "2026-10-26", tz=tz)
    assert_frame_equal(found, frame)
    assert str(found.index.tz) == tz
    assert found.index.unit == "us"


def test_a_simulated_wearer_reads_back_equal(archive: Archive) -> None:
    for log in LOGS:
        frame = el.simulate("2026-10-30", 3, log=log, tz="Asia/Tokyo")
        archive.write(log, frame, account="me")
        first, last = frame.index[0], frame.index[-1]
        assert_frame_equal(archive.read(log, first, last, tz="Asia/Tokyo"), frame)


def test_fields_are_returned_exactly_and_in_catalogue_order(archive: Archive) -> None:
    frame = records(FIFTEEN, "2026-10-24", 10)
    archive.write(FIFTEEN, frame, account="me")
    found = archive.read(FIFTEEN, "2026-10-24", "2026-10-24", fields=["vld", "gw", "stp", "date"])
    assert_frame_equal(found, frame[["stp", "vld", "gw"]])
    with pytest.raises(el.FieldError, match=r"did you mean 'stp'"):
        archive.read(FIFTEEN, "2026-10-24", "2026-10-24", fields=["step"])


def test_days_are_inclusive_local_days_and_stamps_select(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 5 * 1440), account="me")
    found = archive.read(SIXTY, "2026-10-02", date(2026, 10, 3), tz="Asia/Tokyo")
    assert found.index[0].isoformat() == "2026-10-02T00:00:00+09:00"
    assert found.index[-1].isoformat() == "2026-10-03T23:59:00+09:00"
    assert len(found) == 2 * 1440


def test_a_local_day_of_25_hours_is_read_whole(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3 * 1440), account="me")
    assert len(archive.read(SIXTY, "2026-10-25", "2026-10-25", tz="Europe/Berlin")) == 25 * 60


def test_the_last_second_is_included_whole(archive: Archive) -> None:
    stamps = ["2026-10-24 09:59:59", "2026-10-24 10:00:00.5", "2026-10-24 10:00:01"]
    archive.write(SIXTY, at(*stamps, bl=[1, 2, 3]), account="me")
    first = datetime(2026, 10, 24, 9, 59, 59, tzinfo=UTC)
    last = datetime(2026, 10, 24, 10, 0, 0, tzinfo=UTC)
    assert archive.read(SIXTY, first, last)["bl"].tolist() == [1, 2]
    assert archive.read(SIXTY, last, last)["bl"].tolist() == [2]


def test_a_range_without_records_is_an_empty_frame_of_the_same_shape(archive: Archive) -> None:
    archive.write(FIFTEEN, records(FIFTEEN, "2026-10-24", 10), account="me")
    for day in ("2026-10-25", "2031-01-01"):
        found = archive.read(FIFTEEN, day, day, tz="Asia/Tokyo")
        assert_frame_equal(found, frames.empty(FIFTEEN, tz="Asia/Tokyo"))
        some = archive.read(FIFTEEN, day, day, fields=["stp", "isl"])
        assert_frame_equal(some, frames.empty(FIFTEEN, names=["stp", "isl"]))


def test_a_frame_that_was_read_can_be_changed(archive: Archive) -> None:
    frame = records(FIFTEEN, "2026-10-24", 10, missing=0)
    archive.write(FIFTEEN, frame, account="me")
    found = archive.read(FIFTEEN, "2026-10-24", "2026-10-24")
    for name in found.columns:
        found.iloc[0, found.columns.get_loc(name)] = pd.NA if name in ("isl", "vld", "gw") else 7.0
    assert_frame_equal(archive.read(FIFTEEN, "2026-10-24", "2026-10-24"), frame)


def test_the_provenance_shows_where_a_frame_comes_from(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 10), account="anna")
    found = archive.read(SIXTY, "2026-10-24", "2026-10-24", account="anna", tz="Asia/Tokyo")
    assert provenance.stated_log(found) == SIXTY
    assert found.attrs["eyelog"]["account"] == "anna"
    (step,) = provenance.history(found)
    assert step == {
        "step": "archive",
        "start": "2026-10-23T15:00:00Z",
        "end": "2026-10-24T14:59:59Z",
    }


class TestMissing:
    def test_an_empty_archive_says_so(self, archive: Archive) -> None:
        assert archive.accounts() == []
        with pytest.raises(el.ArchiveError, match="is empty: write, import or sync into it"):
            whole(archive)

    def test_the_error_for_an_unknown_account_lists_the_others(self, archive: Archive) -> None:
        for account in ("anna", "bert"):
            archive.write(SIXTY, records(SIXTY, "2026-10-24", 1), account=account)
        with pytest.raises(el.ArchiveError, match=r"'ana'.*mean 'anna'\?\); it has 'anna', 'b"):
            whole(archive, account="ana")

    def test_the_error_for_a_missing_log_lists_those_of_the_account(self, archive: Archive) -> None:
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 1), account="me")
        with pytest.raises(el.ArchiveError, match=f"no '{FIFTEEN}' of 'me', only '{SIXTY}'"):
            whole(archive, log=FIFTEEN)
        assert archive.accounts() == archive.accounts(SIXTY) == ["me"]
        assert archive.accounts(FIFTEEN) == []

    def test_an_unknown_log_zone_or_range_is_refused(self, archive: Archive) -> None:
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
    def test_a_frame_of_the_other_log_is_refused(self, archive: Archive) -> None:
        with pytest.raises(el.MixedLogsError):
            archive.write(SIXTY, records(FIFTEEN, "2026-10-24", 3), account="me")
        assert archive.accounts() == []

    def test_a_naive_index_is_refused(self, archive: Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 3)
        with pytest.raises(el.ConfigurationError, match="time-zone aware"):
            archive.write(SIXTY, frame.tz_localize(None), account="me")

    def test_a_missing_stamp_is_refused(self, archive: Archive) -> None:
        frame = at("2026-10-24", "NaT", bl=[1, 2])
        with pytest.raises(el.ConfigurationError, match="a stamp of the frame is missing"):
            archive.write(SIXTY, frame, account="me")

    def test_an_account_whose_name_is_not_valid_is_refused(self, archive: Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 3)
        for account in ("", "x" * 500, "\udc80"):
            with pytest.raises(el.ConfigurationError, match="account"):
                archive.write(SIXTY, frame, account=account)


class TestMerging:
    def test_late_records_are_merged_in_order(self, archive: Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 300)
        archive.write(SIXTY, frame.iloc[100:200], account="me")
        archive.write(SIXTY, frame.iloc[::3], account="me")
        archive.write(SIXTY, frame, account="me")
        assert_frame_equal(whole(archive), frame)

    def test_of_one_stamp_the_later_write_wins_and_nothing_else_is_lost(
        self, archive: Archive
    ) -> None:
        archive.write(SIXTY, at("2026-10-24", "2026-10-25", bl=[1, 2], hm_yo=[3, 4]), account="me")
        archive.write(SIXTY, at("2026-10-25", "2026-10-26", bl=[5, np.nan]), account="me")
        found = whole(archive)
        assert found["bl"].tolist()[:2] == [1, 5]
        # The second frame has no head movements.
        assert found["hm_yo"].tolist()[:2] == [3, 4]
        assert found.iloc[2].isna().all()

    def test_a_missing_value_of_a_new_record_replaces_the_old_value(self, archive: Archive) -> None:
        archive.write(SIXTY, at("2026-10-24", bl=[1]), account="me")
        archive.write(SIXTY, at("2026-10-24", bl=[np.nan]), account="me")
        assert whole(archive)["bl"].isna().all()

    def test_stated_days_become_what_the_frame_has_of_them(self, archive: Archive) -> None:
        old = records(SIXTY, "2026-10-30", 4 * 1440, seed=1, tz="Asia/Tokyo")
        archive.write(SIXTY, old, account="me")
        new = records(SIXTY, "2026-11-01", 1440, seed=2, tz="Asia/Tokyo").iloc[::2]
        archive.write(SIXTY, new, account="me", days=["2026-11-01"])
        found = archive.read(SIXTY, "2026-10-30", "2026-11-02", tz="Asia/Tokyo")
        days = [old.loc["2026-10-30":"2026-10-31"], new, old.loc["2026-11-02":"2026-11-02"]]
        assert_frame_equal(found, pd.concat(days), check_freq=False)

    def test_a_stated_day_without_records_is_emptied(self, archive: Archive) -> None:
        old = records(SIXTY, "2026-10-31", 2 * 1440)
        archive.write(SIXTY, old, account="me")
        archive.write(SIXTY, old.iloc[:0], account="me", days=["2026-11-01"])
        assert_frame_equal(whole(archive), old.loc["2026-10-31":"2026-10-31"])
        archive.write(SIXTY, old.iloc[:0], account="me", days="2026-10-31")
        assert archive.accounts() == []

    def test_an_empty_frame_changes_and_creates_nothing(self, archive: Archive) -> None:
        archive.write(SIXTY, frames.empty(SIXTY), account="me")
        assert not Path(archive.path).exists()

    def test_unsorted_rows_are_sorted_and_the_last_of_repeated_ones_counts(
        self, archive: Archive
    ) -> None:
        frame = records(SIXTY, "2026-10-24", 50)
        jumbled = pd.concat([frame.iloc[25:], frame.iloc[::-1]])
        archive.write(SIXTY, jumbled, account="me")
        assert_frame_equal(whole(archive), frame)

    def test_the_input_is_not_changed(self, archive: Archive) -> None:
        frame = records(SIXTY, "2026-10-24", 50).iloc[::-1]
        before = frame.copy(deep=True)
        archive.write(SIXTY, frame, account="me")
        assert_frame_equal(frame, before)


class TestUnknownFields:
    def write(self, archive: Archive, frame: pd.DataFrame) -> None:
        with pytest.warns(el.EyelogWarning, match="unknown fields"):
            archive.write(SIXTY, frame, account="me")

    def test_they_are_kept_last_with_a_warning(self, archive: Archive) -> None:
        frame = at("2026-10-24", "2026-10-25", bl=[1, 2]).assign(
            zz=["a", None], aa=[1.5, np.nan], mm=[True, False], oo=[{"a": 1}, 3]
        )
        self.write(archive, frame)
        with pytest.warns(el.EyelogWarning, match="aa, mm, oo, zz"):
            found = whole(archive)
        assert list(found.columns) == [*columns(SIXTY), "aa", "mm", "oo", "zz"]
        assert found["aa"].iloc[0] == 1.5
        assert found["mm"].tolist() == [True, False]
        assert found["oo"].tolist() == ['{"a": 1}', "3"]
        assert found["zz"].tolist() == ["a", pd.NA]

    def test_a_list_of_fields_leaves_them_out_without_a_warning(self, archive: Archive) -> None:
        self.write(archive, at("2026-10-24", bl=[1]).assign(zz=["a"]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = archive.read(SIXTY, "2026-10-24", "2026-10-24", fields=["bl"])
        assert list(found.columns) == ["bl"]

    def test_where_their_types_differ_both_are_kept_as_text(self, archive: Archive) -> None:
        self.write(archive, at("2026-10-24", bl=[1]).assign(zz=["a"]))
        self.write(archive, at("2026-10-25", bl=[1]).assign(zz=[2.5]))
        self.write(archive, at("2026-11-25", bl=[1]).assign(zz=[True]))
        with pytest.warns(el.EyelogWarning):
            assert whole(archive)["zz"].tolist() == ["a", "2.5", "true"]

    def test_records_that_lack_them_do_not_remove_them(self, archive: Archive) -> None:
        self.write(archive, at("2026-10-24", bl=[1]).assign(zz=["a"]))
        archive.write(SIXTY, at("2026-10-24", bl=[2]), account="me")
        with pytest.warns(el.EyelogWarning):
            found = whole(archive)
        assert found[["bl", "zz"]].iloc[0].tolist() == [2, "a"]


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
        at_once, in_parts = Archive(home / "a"), Archive(home / "b")
        at_once.write(SIXTY, frame, account="me")
        for part in data.draw(st.permutations(range(4))):
            order = data.draw(st.randoms(use_true_random=False))
            rows = np.flatnonzero(owner == part).tolist()
            order.shuffle(rows)
            in_parts.write(SIXTY, frame.iloc[rows], account="me")
        assert_frame_equal(whole(in_parts), frame, check_freq=False)
        first, second = contents(at_once), contents(in_parts)
        assert [data for data, _ in first.values()] == [data for data, _ in second.values()]

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
        archive = Archive(tmp_path_factory.mktemp("values"))
        archive.write(FIFTEEN, frame, account="me")
        if values:
            found = archive.read(FIFTEEN, "1970-01-01", "2099-12-31", fields=["stp", "isl", "gw"])
            assert_frame_equal(found, frame.sort_index())
        before = contents(archive)
        archive.write(FIFTEEN, frame.iloc[::-1], account="me")
        assert contents(archive) == before


def test_the_fingerprint_of_a_range_changes_only_when_its_months_are_written(
    archive: Archive,
) -> None:
    october = "2026-10-24", "2026-10-31"
    new_year = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    keys = [archive.fingerprint(SIXTY, *span, account="me") for span in (october, new_year)]
    assert keys == [(None,), (None, None)]
    frame = records(SIXTY, "2026-10-24", 3)
    archive.write(SIXTY, frame, account="me")
    first = archive.fingerprint(SIXTY, *october, account="me")
    assert first != keys[0]
    archive.write(SIXTY, frame, account="me")
    archive.write(SIXTY, frame, account="other")
    archive.write(SIXTY, records(SIXTY, "2026-11-01", 3), account="me")
    assert archive.fingerprint(SIXTY, *october, account="me") == first
    assert archive.fingerprint(SIXTY, *new_year, account="me") == keys[1]
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3, seed=1), account="me")
    assert archive.fingerprint(SIXTY, *october, account="me") != first


def test_an_archive_travels_to_another_process(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    again = pickle.loads(pickle.dumps(archive))
    assert again.path == archive.path
    assert len(whole(again)) == 3
    assert repr(again) == repr(archive)


def test_a_path_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="archive's path cannot be used"):
        Archive("nosuch://somewhere")


def test_an_open_range_is_all_there_is(archive: Archive) -> None:
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


def test_the_repr_says_what_the_archive_has(archive: Archive) -> None:
    assert repr(archive) == f"<Archive {archive.path!r}: empty>"
    for account, day in (("me", "2026-10-24"), ("anna", "2026-11-02")):
        archive.write(SIXTY, records(SIXTY, day, 3), account=account)
    assert repr(archive) == (
        f"<Archive {archive.path!r}: {SIXTY} of 2 accounts, 2026-10-24 to 2026-11-02>"
    )


def test_without_a_path_it_is_the_archive_of_the_home(home: Path) -> None:
    assert Archive().path == str(home / "archive")
