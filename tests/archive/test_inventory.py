from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.logs import LOGS
from support.records import records

FIFTEEN, SIXTY = LOGS


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
