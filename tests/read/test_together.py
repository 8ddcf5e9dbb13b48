"""Files, folders and zip files become one frame: nothing is lost, and nothing is silently wrong."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.answers import encode_answer
from support.importing import import_files
from support.loggerfiles import FIFTEEN, HOURS, SIXTY, TEN, logger_csv
from support.logs import LOGS, history

EVENTS = "date,type,subType,value\n"
JUNK = "date,accX,accY\n1,2,3\n"


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Raise on a warning, unless the test expects it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def save(folder: Path, frame: pd.DataFrame, kind: str) -> Path:
    """Save a frame of the 15-second log as a file of one kind."""
    path = folder / f"log.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "json":
        path.write_bytes(encode_answer(frame, FIFTEEN))
    else:
        path.write_text(logger_csv(frame, FIFTEEN))
    return path


@pytest.mark.slow("many drawn sets of files")
@given(data=st.data())
def test_reading_files_is_importing_them_and_reading_the_archive(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("files")
    for number in range(data.draw(st.integers(1, 4))):
        low, high = sorted(data.draw(st.tuples(st.integers(0, 60), st.integers(0, 60))))
        part = HOURS[FIFTEEN].iloc[low : high + 1].copy()
        if data.draw(st.booleans()):
            # More would be the records of somebody else.
            part["stp"] = np.where(np.arange(len(part)) % 7 == 0, number, np.nan)
        kind = data.draw(st.sampled_from(["parquet", "json", "csv"]))
        save(folder, part, kind).rename(folder / f"{number}.{kind}")
    archive = el.Archive(folder / "archive.d")
    import_files(archive, sorted(path for path in folder.iterdir() if path.is_file()))
    stored = archive.read(FIFTEEN, tz="Asia/Tokyo")
    files = sorted(path for path in folder.iterdir() if path.is_file())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = el.read(files, tz="Asia/Tokyo")
    assert_frame_equal(read, stored[list(read.columns)], check_freq=False)
    assert stored.drop(columns=list(read.columns)).isna().all(axis=None)


def test_a_later_file_counts_but_a_missing_value_never_replaces_one(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("date,stp,cad\n2026-10-21T09:00:15Z,3,100\n")
    (tmp_path / "2.csv").write_text("date,stp,cad\n2026-10-21T09:00:15Z,4,\n")
    with pytest.warns(el.EyelogWarning, match=r"different values .*2\.csv \(1 record\)"):
        read = el.read(tmp_path)
    assert read.iloc[0].tolist() == [4.0, 100.0]
    assert history(read)[-1]["conflicts"] == 1


def test_a_file_that_differs_from_two_earlier_ones_is_named_once(tmp_path: Path) -> None:
    one, two = ([f"2026-10-21T{hour}:0{at}:15Z,3" for at in range(9)] for hour in ("09", "10"))
    changed = [row.replace(",3", ",5") for row in one[3:] + two[:4]]
    for number, rows in enumerate([one, two, one[:3] + changed + two[4:]]):
        (tmp_path / f"{number}.csv").write_text("\n".join(["date,stp", *rows, ""]))
    with pytest.warns(el.EyelogWarning, match=r"was taken: \S*2\.csv \(10 records\)$"):
        el.read(tmp_path)


def test_the_files_may_have_both_logs_if_one_is_chosen(tmp_path: Path) -> None:
    for log in LOGS:
        (tmp_path / f"{log}.csv").write_text(logger_csv(HOURS[log], log))
    with pytest.raises(el.ConfigurationError, match="several logs: pass log='computed_data'"):
        el.read(tmp_path)
    for log in LOGS:
        assert len(el.read(tmp_path, log=log)) == len(HOURS[log])
    assert len(el.read(tmp_path, fields=["stp"])) == len(HOURS[FIFTEEN])
    with pytest.raises(el.ArchiveError, match=r"no file of 'computed_data' .* only of another"):
        el.read(tmp_path / f"{SIXTY}.csv", log=FIFTEEN)
    (tmp_path / f"{FIFTEEN}.csv").write_text(JUNK)  # what the app writes beside it is no log
    with pytest.raises(el.ArchiveError, match=r"no file of 'computed_data' .* only of another"):
        el.read(tmp_path, log=FIFTEEN)


def test_a_field_that_no_file_has_is_said(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("date,stp\n2026-10-21T09:00:15Z,3\n")
    with pytest.warns(el.EyelogWarning, match="no file has the fields cad of 'computed_data'"):
        assert list(el.read(path, fields=["stp", "cad"]).columns) == ["stp"]
    with pytest.raises(el.FieldError, match="did you mean"):
        el.read(path, fields=["stq"])


# The zone


def test_stamps_in_two_offsets_need_a_zone(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("date,stp\n2026-10-24T09:00:15+02:00,3\n2026-10-26T09:00:15+01:00,3\n")
    with pytest.raises(el.ConfigurationError, match=r"2 zones \(\+01:00, \+02:00\).*tz='"):
        el.read(path)
    assert el.read(path, tz="Europe/Berlin").index.hour.tolist() == [9, 9]


# What is left out, or wrong


def test_files_that_are_not_logs_are_left_out_with_a_warning(tmp_path: Path) -> None:
    save(tmp_path, TEN, "csv")
    (tmp_path / "x_currentData.csv").write_text(JUNK)
    (tmp_path / "notes.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "nothing.csv").write_bytes(b"")
    with (
        pytest.warns(el.EyelogWarning, match="left out 2 files .*PDF.*: it has 20 Hz"),
    ):
        assert len(el.read(tmp_path)) == len(TEN)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no file in"),
        ({"a.csv": JUNK}, "1 of its 1 lines are not records"),
        ({"a.csv": EVENTS}, "head-motion events"),
        (
            {"a.csv": EVENTS, "b.txt": "hello"},
            r"no file of a log in .*a\.csv: it has head-motion .*b\.txt: it has no line",
        ),
        ({"a.csv": "", "b.csv": " \n"}, "nothing but empty files"),
    ],
)
def test_nothing_usable_is_an_error(tmp_path: Path, files: dict[str, str], words: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(el.ArchiveError, match=words):
        el.read(tmp_path)


@pytest.mark.parametrize("paths", [None, 3, [], [3], "nope.csv"])
def test_what_is_not_a_path_is_refused(paths: object) -> None:
    with pytest.raises(el.ConfigurationError):
        el.read(paths)  # type: ignore[arg-type]


def test_the_files_of_several_accounts_are_never_one_frame(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    for account in ("anna", "ben"):
        archive.write(FIFTEEN, TEN, account=account)
    assert len(el.read(tmp_path, wearer="ben")) == len(TEN)
    with pytest.raises(el.ConfigurationError, match=r"wearer 'zoe', only of 'anna', 'ben'"):
        el.read(tmp_path, wearer="zoe")
    with pytest.raises(el.ConfigurationError, match=r"several accounts \(anna, ben\)"):
        el.read(tmp_path)
    assert len(el.read(tmp_path / f"log={FIFTEEN}" / "account=anna")) == len(TEN)


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_open_file_is_refused_by_its_kind(tmp_path: Path, mode: str) -> None:
    (tmp_path / "log.csv").write_text("date,stepCount\n")
    with (tmp_path / "log.csv").open(mode) as file:
        for given in (file, [file]):
            with pytest.raises(el.ConfigurationError, match=r"read takes a path, not a \w*(IO|Re)"):
                el.read(given)
    with pytest.raises(el.ConfigurationError, match="read takes a path, not a bytes"):
        el.read(b"log.csv")
