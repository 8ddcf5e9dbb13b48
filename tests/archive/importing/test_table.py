"""A saved table comes back as the frame it was, or the error says what to type."""

from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.catalogue import LOGS
from eyelog.provenance import history, stated_log

FIFTEEN, SIXTY = LOGS


@pytest.mark.parametrize("log", LOGS)
def test_a_parquet_file_gives_the_frame_back(tmp_path: Path, log: str) -> None:
    frame = el.sample(log).iloc[:100]
    frame.to_parquet(tmp_path / "a.parquet")
    assert_frame_equal(el.read_table(tmp_path / "a.parquet"), frame, check_freq=False)


def test_a_csv_file_gives_the_values_back_in_utc(tmp_path: Path) -> None:
    frame = el.sample(FIFTEEN).iloc[:100].drop(columns=["gw"])
    frame.to_csv(tmp_path / "a.csv")
    table = el.read_table(tmp_path / "a.csv", log=FIFTEEN)
    assert str(table.index.tz) == "UTC"
    assert_frame_equal(table.tz_convert(frame.index.tz), frame, check_freq=False)


def test_the_zone_is_that_of_the_file_unless_another_is_given(tmp_path: Path) -> None:
    frame = el.sample(SIXTY).iloc[:10]
    frame.to_parquet(tmp_path / "a.parquet")
    assert str(el.read_table(tmp_path / "a.parquet").index.tz) == str(frame.index.tz)
    table = el.read_table(tmp_path / "a.parquet", tz="Europe/Berlin")
    assert str(table.index.tz) == "Europe/Berlin"
    assert (table.index == frame.index).all()


def test_the_history_names_the_file(tmp_path: Path) -> None:
    el.sample(SIXTY).iloc[:10].to_parquet(tmp_path / "a.parquet")
    table = el.read_table(tmp_path / "a.parquet")
    assert stated_log(table) == SIXTY
    assert (history(table)[-1]["step"], history(table)[-1]["file"]) == ("read", "a.parquet")


def test_a_missing_file_is_answered_with_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match=r"`eyelog fetch \.\.\. -o a\.csv` makes one"):
        el.read_table(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("content", ["", "stp\n3\n", "date,stp\nnoon,3\n"])
def test_a_foreign_file_is_named(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(el.ConfigurationError, match=f"{name} is not a table of `eyelog fetch`"):
        el.read_table(tmp_path / name)


def test_a_table_of_the_other_log_is_refused(tmp_path: Path) -> None:
    el.sample(SIXTY).iloc[:10].to_parquet(tmp_path / "a.parquet")
    with pytest.raises(el.MixedLogsError):
        el.read_table(tmp_path / "a.parquet", log=FIFTEEN)


def test_a_table_without_stamps_in_its_index_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"stp": [3.0], "isl": [True]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(el.ConfigurationError, match="DatetimeIndex"):
        el.read_table(tmp_path / "a.parquet", log=FIFTEEN)
