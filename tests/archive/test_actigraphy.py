"""Counts per epoch, checked against what GGIR and pyActigraphy ask of a file."""

import stat
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import LOGS

FIFTEEN, SIXTY = LOGS
TOKYO = el.sample(FIFTEEN)


class Epochs(NamedTuple):
    """What a program has read: the first epoch's opening, the epoch's seconds, the counts."""

    start: pd.Timestamp
    seconds: float
    counts: np.ndarray
    names: list[str]


def read_as_ggir(path: Path, tz: str) -> Epochs:
    """Read a file as GGIR's documentation says of ``actiwatch_csv``.

    The epochs are numbered from 1 in the first column; they are found from line 1000 on. The names
    of the columns stand two lines above the first epoch and are recognised by their parts. The
    time of the first epoch and the distance of the next three give all times; NA is missing.
    """
    lines = path.read_text().splitlines()
    at = 1000
    number, following = (int(lines[i].split(",")[0]) for i in (at, at + 1))
    assert following == number + 1
    first = at + 1 - number
    assert lines[first].split(",")[0] == "1"
    header = [name.lower() for name in lines[first - 2].split(",")]
    column = {
        key: next(i for i, name in enumerate(header) if key in name)
        for key in ("date", "time", "activity", "wear")
    }
    cells = [line.split(",") for line in lines[first:]]
    clock = [f"{row[column['date']]} {row[column['time']]}" for row in cells[:4]]
    times = pd.to_datetime(clock, format="%Y-%m-%d %H:%M:%S").tz_localize(tz)
    counts = [row[column["activity"]] for row in cells]
    values = np.array([np.nan if text == "NA" else float(text) for text in counts])
    return Epochs(times[0], float(np.diff(times.asi8).mean()) / 1e6, values, header)


def read_as_pyactigraphy(path: Path) -> pd.DataFrame:
    """Read a file as the docstring says, into what pyActigraphy's BaseRaw takes."""
    table = pd.read_csv(path, comment="#")
    table.index = pd.to_datetime(table["Date"] + " " + table["Time"])
    even = table.asfreq(table.index[1] - table.index[0])
    assert len(even) == len(table)  # nothing was missing, nothing came twice
    return even


def test_ggir_finds_epochs_names_times_and_counts(tmp_path: Path) -> None:
    path = el.export_actigraphy(TOKYO, tmp_path / "steps.csv")
    read = read_as_ggir(path, "Asia/Tokyo")
    assert read.start == pd.Timestamp("2026-10-19", tz="Asia/Tokyo")
    assert read.seconds == 60
    # It takes the first epoch to open one of its windows of 15 minutes.
    assert read.start.timestamp() % 900 == 0
    assert len(read.counts) == 7 * 1440
    # With one column left beside date and time, the names would be lost: nonwear is the second.
    kept = [
        n for n in read.names if any(part in n for part in ("time", "date", "activity", "wear"))
    ]
    assert len(kept) == 4


def test_pyactigraphy_gets_a_series_of_constant_frequency_and_a_mask(tmp_path: Path) -> None:
    path = el.export_actigraphy(TOKYO, tmp_path / "steps.csv")
    table = read_as_pyactigraphy(path)
    assert table.index.freq == pd.Timedelta("1min")
    assert table["Activity"].dtype == np.float64
    assert set(table["Nonwear"]) == {0, 1}
    assert (table["Activity"].isna() == (table["Nonwear"] == 1)).all()


def test_a_count_is_the_sum_of_the_records_of_its_epoch(tmp_path: Path) -> None:
    table = read_as_pyactigraphy(el.export_actigraphy(TOKYO, tmp_path / "a.csv", epoch="5min"))
    judged = el.mask(TOKYO, el.flag(TOKYO))["stp"]
    checked = 0
    for opens, count in table["Activity"].dropna().iloc[::50].items():
        inside = opens.tz_localize("Asia/Tokyo")
        records = judged[(judged.index > inside) & (judged.index <= inside + pd.Timedelta("5min"))]
        assert count == records.sum()
        assert records.notna().sum() >= 10
        checked += 1
    assert checked > 10
    total = el.resample(TOKYO, "5min")["stp"].sum()
    assert table["Activity"].sum() == total > 10_000


def test_time_not_worn_is_missing_and_not_zero(tmp_path: Path) -> None:
    table = read_as_pyactigraphy(el.export_actigraphy(TOKYO, tmp_path / "a.csv"))
    night = table.between_time("02:00", "04:00")
    assert night["Activity"].isna().all()
    assert (table["Activity"] == 0).any()


@pytest.mark.parametrize("limits", [el.Limits(wear="blinks"), el.Limits(min_worn_for_steps="55s")])
def test_own_limits_decide_which_epochs_count(tmp_path: Path, limits: el.Limits) -> None:
    frame = el.sample(SIXTY)
    usual = el.export_actigraphy(frame, tmp_path / "usual.csv", field="steps").read_text()
    own = el.export_actigraphy(frame, tmp_path / "own.csv", field="steps", limits=limits)
    assert own.read_text() != usual
    bins = el.resample(frame, "1min", limits=limits)[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]]
    counts = pd.read_csv(own, comment="#")["Activity"]
    assert counts.sum() == bins.sum(axis=1, min_count=4).sum()


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


def test_the_60_second_log_counts_the_field_that_is_named(tmp_path: Path) -> None:
    frame = el.sample(SIXTY)
    table = read_as_pyactigraphy(el.export_actigraphy(frame, tmp_path / "a.csv", field="stp_slw"))
    assert table["Activity"].sum() == el.resample(frame, "1min")["stp_slw"].sum() > 0


@pytest.mark.parametrize("log", LOGS)
def test_steps_are_all_steps_of_either_log(tmp_path: Path, log: str) -> None:
    frame = el.sample(log)
    path = el.export_actigraphy(frame, tmp_path / "a.csv", field="steps")
    fields = ["stp"] if log == FIFTEEN else ["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]
    assert f"{' + '.join(fields)} (Steps, count per epoch of 60 s)" in path.read_text()
    total = el.resample(frame, "1min")[fields].sum().sum()
    assert read_as_pyactigraphy(path)["Activity"].sum() == total > 0


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
    found = table["Activity"].set_axis(stamps + pd.Timedelta("1min")).dropna()
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


def test_a_frame_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="no record"):
        el.export_actigraphy(TOKYO.iloc[:0], tmp_path / "a.csv")
