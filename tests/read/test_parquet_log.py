"""A Parquet file of a log: what was saved comes back, and any other table is named."""

from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.loggerfiles import SIXTY


def test_a_masked_frame_stays_masked_through_pandas_and_is_no_file_of_records(
    tmp_path: Path,
) -> None:
    frame = el.sample()[:5760]
    masked = el.mask(frame, el.flag(frame))
    masked.to_parquet(tmp_path / "a.parquet")
    masked.to_csv(tmp_path / "a.csv")
    assert_frame_equal(el.daily(pd.read_parquet(tmp_path / "a.parquet")), el.daily(masked))
    for name in ("a.parquet", "a.csv"):
        with pytest.raises(el.ArchiveError, match=r"a masked frame, not records .*pandas\.read_"):
            el.read(tmp_path / name)


FRAME = el.sample().iloc[:400]
TABLES = {
    "bins": (lambda: el.resample(FRAME, "10min"), "a table of eyelog.resample, not records"),
    "Intervals": (lambda: el.intervals(FRAME, "10min"), "a table of eyelog.intervals, not records"),
    "reasons": (lambda: el.flag(FRAME), "a table of eyelog.flag, not records"),
    "days": (lambda: el.daily(FRAME), "a table of eyelog.daily, not records"),
    "another": (
        lambda: pd.DataFrame({"a": [1]}, index=pd.DatetimeIndex(["2026-10-21T00Z"], name="date")),
        r"without fields of a log \(a, date\)",
    ),
    "no stamps": (lambda: pd.DataFrame({"stp": [1.0]}), "without a column 'date' of stamps"),
    "no zone": (lambda: FRAME.tz_localize(None), "stamps have no zone"),
    "a wrong kind": (lambda: FRAME.assign(stp="many"), "its column 'stp' is .*numbers"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_holds_no_records_is_named(tmp_path: Path, name: str) -> None:
    make, words = TABLES[name]
    make().to_parquet(tmp_path / "a.parquet")
    with pytest.raises(el.ArchiveError, match=words):
        el.read(tmp_path / "a.parquet")


def test_a_row_without_a_stamp_costs_one_row(tmp_path: Path) -> None:
    frame = FRAME[["stp", "cad"]].set_axis(FRAME.index.where(FRAME.index > FRAME.index[0]))
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.warns(el.EyelogWarning, match=r"left out 1 of 400 .*row 1: 'date' is missing"):
        assert len(el.read(tmp_path / "a.parquet")) == 399


def test_a_table_that_says_it_is_of_the_other_log_is_refused(tmp_path: Path) -> None:
    frame = FRAME.copy()
    frame.attrs = {"eyelog": {"log": SIXTY}}
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(el.MixedLogsError, match="said to be of 'standard_mode_logs'"):
        el.read(tmp_path / "a.parquet")
