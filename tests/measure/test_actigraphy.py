"""Counts per epoch, checked against what GGIR and pyActigraphy ask of a file."""

import stat
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.logs import LOGS

FIFTEEN, SIXTY = LOGS
TOKYO = el.sample(FIFTEEN)


def read_as_pyactigraphy(path: Path) -> pd.DataFrame:
    """Read a file as the docstring says, into what pyActigraphy's BaseRaw takes."""
    table = pd.read_csv(path, comment="#")
    table.index = pd.to_datetime(table["Date"] + " " + table["Time"])
    even = table.asfreq(table.index[1] - table.index[0])
    assert len(even) == len(table)  # nothing was missing, nothing came twice
    return even


def test_a_count_is_the_sum_of_the_records_of_its_epoch(tmp_path: Path) -> None:
    table = read_as_pyactigraphy(el.export_actigraphy(TOKYO, tmp_path / "a.csv", epoch="5min"))
    judged = el.mask(TOKYO, el.flag(TOKYO))["stp"]
    checked = 0
    for opens, count in table["Activity"].dropna().iloc[::50].items():
        inside = opens.tz_localize("Asia/Tokyo")
        opening = judged.index - pd.Timedelta("15s")
        records = judged[(opening >= inside) & (opening < inside + pd.Timedelta("5min"))]
        assert count == records.sum()
        assert records.notna().sum() >= 10
        checked += 1
    assert checked > 10
    of_half = el.resample(TOKYO, "5min")["stp"]
    counted = judged.notna().groupby((judged.index - pd.Timedelta("15s")).floor("5min")).sum()
    assert table["Activity"].sum() == of_half[counted[counted >= 10].index].sum() > 10_000


def test_time_not_worn_is_missing_and_not_zero(tmp_path: Path) -> None:
    table = read_as_pyactigraphy(el.export_actigraphy(TOKYO, tmp_path / "a.csv"))
    night = table.between_time("02:00", "04:00")
    assert night["Activity"].isna().all()
    assert (table["Activity"] == 0).any()


def test_a_frame_masked_with_other_limits_is_refused(tmp_path: Path) -> None:
    strict = el.Limits(min_worn_for_steps="55s")
    frame = el.sample(SIXTY)
    masked = el.mask(frame, el.flag(frame, limits=strict))
    with pytest.raises(el.ConfigurationError, match="pass limits="):
        el.export_actigraphy(masked, tmp_path / "a.csv", field="steps")
    path = el.export_actigraphy(masked, tmp_path / "a.csv", field="steps", limits=strict)
    again = el.export_actigraphy(frame, tmp_path / "b.csv", field="steps", limits=strict)
    assert path.read_text() == again.read_text()


def test_times_are_those_at_which_epochs_open(tmp_path: Path) -> None:
    index = pd.date_range("2026-10-24 10:00:15", periods=8, freq="15s", tz="UTC", name="date")
    quiet = {"isl": False, "vld": True, "nis_time": 0.0, "tl_xav": 0.0, "tl_yav": 0.0, "cad": 90.0}
    frame = pd.DataFrame({"stp": [1.0, 2, 3, 4, 5, 6, 7, 8], **quiet}, index=index.as_unit("us"))
    table = read_as_pyactigraphy(el.export_actigraphy(frame, tmp_path / "a.csv"))
    assert table["Activity"].dropna().to_dict() == {
        pd.Timestamp("2026-10-24 10:00"): 10.0,
        pd.Timestamp("2026-10-24 10:01"): 26.0,
    }
    assert len(table) == 1440


@pytest.mark.parametrize("start", ["2026-10-24", "2026-03-28"])
def test_every_epoch_has_one_length_also_where_the_clocks_change(
    tmp_path: Path, start: str
) -> None:
    frame = el.simulate(start, 3, log=SIXTY, tz="Europe/Berlin")
    with pytest.warns(el.EyelogWarning, match="the clocks change"):
        path = el.export_actigraphy(frame, tmp_path / "a.csv", field="stp_slw")
    table = read_as_pyactigraphy(path)
    hours = 73 if start == "2026-10-24" else 71
    assert len(table) == hours * 60
    offset = "+0200" if start == "2026-10-24" else "+0100"
    stamps = pd.to_datetime(table.index.strftime(f"%Y-%m-%d %H:%M:%S{offset}"))
    counts = el.resample(frame, "1min")["stp_slw"].dropna()
    found = table["Activity"].set_axis(stamps).dropna()
    assert found.sum() == counts.sum()
    assert (found.index == counts.index).all()


def test_the_file_is_private_and_says_what_it_holds(tmp_path: Path) -> None:
    path = el.export_actigraphy(TOKYO, tmp_path / "a.csv", epoch="15min")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().splitlines()[0] == (
        "# eyelog: stp (Steps, count per epoch of 900 s), Asia/Tokyo, UTC+09:00"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"field": "cad"}, el.FieldError, "'cad' is not a field of 'computed_data' that is summed"),
        ({"field": "step"}, el.FieldError, "did you mean 'stp'"),
        ({"epoch": "20s"}, el.ConfigurationError, "whole multiple of 15 s"),
        ({"epoch": "7min"}, el.ConfigurationError, "divides 15 minutes"),
        ({"epoch": "1h"}, el.ConfigurationError, "divides 15 minutes"),
        ({"epoch": 60}, el.ConfigurationError, "epoch"),
        ({"path": "a.txt"}, el.ConfigurationError, "end its name with .csv"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, arguments, error, says) -> None:
    given = {"path": "a.csv", **arguments}
    target = tmp_path / given.pop("path")
    with pytest.raises(error, match=says):
        el.export_actigraphy(TOKYO.iloc[:100], target, **given)
    assert list(tmp_path.glob("a*")) == []
