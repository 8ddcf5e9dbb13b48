"""The records of two wearers or two devices never become one log."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.importing import import_files
from support.loggerfiles import FIFTEEN, SIXTY, logger_csv

DAY = {log: el.simulate("2026-10-24", 1, log=log, seed=1) for log in (FIFTEEN, SIXTY)}
OTHER = {log: el.simulate("2026-10-24", 1, log=log, seed=2) for log in (FIFTEEN, SIXTY)}
KIND = {FIFTEEN: "logicIndexData", SIXTY: "summaryData"}
ONE, TWO = "CDC000000001", "CDC000000002"


def save(folder: Path, frame: pd.DataFrame, device: str, log: str = SIXTY) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{frame.index[0]:%Y%m%d-%H%M%S}_{device}_{KIND[log]}.csv"
    path.write_text(logger_csv(frame, log))
    return path


def shifted(frame: pd.DataFrame, seconds: float) -> pd.DataFrame:
    return frame.set_axis(frame.index + pd.Timedelta(seconds, "s"))


# Files read together


@pytest.mark.parametrize("log", [FIFTEEN, SIXTY])
@pytest.mark.parametrize("seconds", [1, 7, 14])
def test_two_devices_at_the_same_time_are_an_error_that_says_what_to_do(
    tmp_path: Path, log: str, seconds: int
) -> None:
    files = [
        save(tmp_path, DAY[log], ONE, log),
        save(tmp_path, shifted(DAY[log], seconds), TWO, log),
    ]
    with pytest.raises(el.ConfigurationError) as caught:
        el.read(files)
    said = str(caught.value)
    assert all(path.name in said for path in files)
    assert f"(devices {ONE} and {TWO})" in said
    assert " h from 2026-10-2" in said
    assert " to " in said
    assert f"device='{ONE}'" in said
    assert "\n" not in said
    hours = float(said.partition("twice, ")[2].partition(" h ")[0])
    recorded = len(DAY[log]) * (15 if log == FIFTEEN else 60) / 3600
    assert hours == pytest.approx(recorded, rel=0.03)


def test_a_saved_frame_remembers_its_device(tmp_path: Path) -> None:
    frame = el.read(save(tmp_path, DAY[SIXTY], ONE))
    frame.to_parquet(tmp_path / "saved.parquet")
    shutil.rmtree(tmp_path / "x", ignore_errors=True)
    read = el.read(tmp_path / "saved.parquet", device=ONE)
    assert len(read) == len(frame)
    with pytest.raises(el.ConfigurationError, match=f"no file is of the device '{TWO}'"):
        el.read(tmp_path / "saved.parquet", device=TWO)


def test_one_log_twice_and_shifted_is_an_error_without_devices_too(tmp_path: Path) -> None:
    for name, seconds in (("a", 0), ("b", 7)):
        path = tmp_path / f"{name}.csv"
        path.write_text(logger_csv(shifted(DAY[SIXTY], seconds), SIXTY))
    with pytest.raises(el.ConfigurationError, match=r"a\.csv and b\.csv cover the same time twice"):
        el.read(tmp_path)


def test_two_wearers_on_the_same_stamps_are_an_error(tmp_path: Path) -> None:
    save(tmp_path / "P01", DAY[SIXTY], ONE)
    save(tmp_path / "P02", OTHER[SIXTY], ONE)
    with pytest.raises(el.ConfigurationError, match=r"other values on 1,4\d\d of the 1,440 stamps"):
        el.read([tmp_path / "P01", tmp_path / "P02"])
    lines = logger_csv(OTHER[SIXTY], SIXTY).partition("\n")[2]
    both = tmp_path / "both.csv"
    both.write_text(logger_csv(DAY[SIXTY], SIXTY) + lines)
    with pytest.raises(el.ConfigurationError, match=r"both\.csv has other values on 1,4"):
        el.read(both)


@pytest.mark.slow("many drawn files")
def test_connections_repeats_and_corrections_are_no_mixture(tmp_path: Path) -> None:
    frame = DAY[FIFTEEN]
    for number, begin in enumerate(range(0, 1200, 20)):  # autosaved: each part repeats some rows
        save(tmp_path, shifted(frame.iloc[begin : begin + 24], 0.0), ONE, FIFTEEN)
        assert number < 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = el.read(tmp_path)
    assert len(read) == 1204
    corrected = frame.iloc[:1000].assign(
        stp=np.where(np.arange(1000) < 30, 99.0, frame["stp"][:1000])
    )
    (tmp_path / "z.csv").write_text(logger_csv(corrected, FIFTEEN))
    with pytest.warns(el.EyelogWarning, match="different values"):
        assert el.read(tmp_path)["stp"].iloc[0] == 99.0


@pytest.mark.slow("many drawn files")
def test_each_connection_may_begin_before_the_last_interval_ended(tmp_path: Path) -> None:
    frame, late = DAY[FIFTEEN], 0.0
    for begin in range(0, 2000, 20):
        late -= 5.0  # each file begins 5 s too early: 100 times, 500 s together
        save(tmp_path, shifted(frame.iloc[begin : begin + 20], late), ONE, FIFTEEN)
    assert len(el.read(tmp_path)) == 2000


# An account of an archive


def contents(archive: el.Archive) -> dict[Path, bytes]:
    files = Path(archive.path).rglob("*")
    return {path: path.read_bytes() for path in files if path.suffix == ".parquet"}


@pytest.mark.parametrize("dry_run", [True, False])
def test_another_wearer_is_not_imported_until_replace(
    archive: el.Archive, tmp_path: Path, dry_run: bool
) -> None:
    import_files(archive, [save(tmp_path / "P01", DAY[SIXTY], ONE)])
    before = contents(archive)
    files = [save(tmp_path / "P02", OTHER[log], TWO, log) for log in (FIFTEEN, SIXTY)]
    with pytest.raises(el.ConfigurationError) as caught:
        import_files(archive, files, dry_run=dry_run)
    said = str(caught.value)
    assert f"{files[1].name} has other values on 1,4" in said
    assert "replace=True; nothing was imported" in said
    assert contents(archive) == before  # nor the log that is new to the account
    if not dry_run:
        [_, report] = import_files(archive, files, replace=True)
        assert report.conflicts > 1400
        steps = archive.read(SIXTY)["stp_s"]
        assert steps.tolist() == OTHER[SIXTY]["stp_s"].tolist()


def test_another_device_is_never_imported_between_the_records_of_an_account(
    archive: el.Archive, tmp_path: Path
) -> None:
    import_files(archive, [save(tmp_path, DAY[SIXTY], ONE)])
    other = save(tmp_path / "b", shifted(DAY[SIXTY], 7), TWO)
    for replace in (False, True):
        with pytest.raises(el.ConfigurationError, match=r"what 'me' holds and .* same time"):
            import_files(archive, [other], replace=replace)
    assert len(archive.read(SIXTY)) == len(DAY[SIXTY])
    assert import_files(archive, [other], account="b")[0].kept == len(DAY[SIXTY])


@pytest.mark.parametrize("second", [OTHER[SIXTY], shifted(OTHER[SIXTY], 7)])
def test_two_persons_in_one_import_are_refused_where_the_account_is_new(
    archive: el.Archive, tmp_path: Path, second: pd.DataFrame
) -> None:
    save(tmp_path / "in", DAY[SIXTY], ONE)
    save(tmp_path / "in", second, TWO)
    for replace in (False, True):
        with pytest.raises(el.ConfigurationError, match=r"account=.* nothing was imported"):
            import_files(archive, [tmp_path / "in"], replace=replace)
    assert archive.accounts() == []
    [left, taken] = import_files(archive, [tmp_path / "in"], device=TWO)
    assert (left.status, left.kept, taken.status) == ("left out", 0, "imported")
    assert archive.read(SIXTY).index[0] == second.index[0]


@pytest.mark.slow("many drawn files")
def test_short_files_of_another_wearer_are_found_together(
    archive: el.Archive, tmp_path: Path
) -> None:
    archive.write(SIXTY, DAY[SIXTY], account="me")
    for begin in range(0, 400, 5):  # 5 minutes each
        save(tmp_path / "in", OTHER[SIXTY].iloc[begin : begin + 5], ONE)
    with pytest.raises(el.ConfigurationError, match=r"other values on \d+ of the 400 stamps"):
        import_files(archive, [tmp_path / "in"])


def test_a_written_frame_of_somebody_else_is_refused(archive: el.Archive) -> None:
    archive.write(SIXTY, DAY[SIXTY], account="me")
    before = contents(archive)
    with pytest.raises(el.ConfigurationError, match=r"on 1,4.*'me' holds.*replace=True"):
        archive.write(SIXTY, OTHER[SIXTY], account="me")
    for replace in (False, True):
        with pytest.raises(el.ConfigurationError, match="cover the same time twice"):
            archive.write(SIXTY, shifted(OTHER[SIXTY], 7), account="me", replace=replace)
    assert contents(archive) == before
    assert archive.write(SIXTY, OTHER[SIXTY], account="me", replace=True).changed > 1400
    whole = archive.write(SIXTY, DAY[SIXTY], account="me", days=["2026-10-24", "2026-10-25"])
    assert whole.changed > 1400
    assert archive.write(SIXTY, DAY[SIXTY], account="me") == (0, 0, 0)


@pytest.mark.parametrize("waiting", [1, 1_000_000])
def test_files_of_one_device_may_repeat_a_stamp_wherever_they_wait(
    archive: el.Archive, tmp_path: Path, waiting_in_memory: Callable[[int], None], waiting: int
) -> None:
    waiting_in_memory(waiting)
    halves = DAY[SIXTY].iloc[:701], DAY[SIXTY].iloc[700:]
    files = [save(tmp_path, half, ONE) for half in halves]
    one, two = import_files(archive, files)
    assert (one.kept, two.kept, two.repeated) == (701, len(halves[1]) - 1, 1)
    other = halves[1].iloc[:20].assign(bl=1.0)
    back = save(tmp_path / "back", shifted(other, -300), ONE)
    with pytest.raises(el.ConfigurationError, match=rf"clock of the device {ONE} was set back by"):
        import_files(el.Archive(tmp_path / "b"), [files[0], back])
    with pytest.warns(el.EyelogWarning, match="the last pass was taken, and 6 records"):
        kept = import_files(el.Archive(tmp_path / "b"), [files[0], back], clock="last")
    assert sum(report.kept for report in kept) == 701 + 14
