"""Files of the 20 Hz log, as the apps have written them since 2019."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.importing.intake import import_files
from support.frames import frame_of
from support.loggerfiles import logger_csv
from support.packets import CURRENT, packets

EYES = "computed_data"
HEADER = (
    "date,blinkSpeed,blinkStrength,eyeMoveUp,eyeMoveDown,eyeMoveLeft,eyeMoveRight,roll,pitch,yaw,"
    "accX,accY,accZ,walking,noiseStatus,fitError,powerLeft,sequenceNumber,"
)


def text_of(frame: pd.DataFrame, *, dates: str = "Z", truths: tuple[str, str] = ("0", "1")) -> str:
    """Return rows as the Logger app writes them: a comma at the end of the header alone."""
    lines = [HEADER]
    for at, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        stamp = at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}{dates}"
        cells = [truths[int(v)] if isinstance(v, bool | np.bool_) else f"{v:g}" for v in row]
        lines.append(",".join([stamp, *cells]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("truths", [("0", "1"), ("false", "true")])
def test_a_file_of_the_app_is_read_as_it_was_written(
    tmp_path: Path, truths: tuple[str, str]
) -> None:
    frame = packets(50)
    path = tmp_path / "20261020-100000_CDC000000001_currentData.csv"
    path.write_text(text_of(frame, truths=truths))
    pd.testing.assert_frame_equal(el.read(path, tz="UTC"), frame, check_freq=False)
    pd.testing.assert_frame_equal(el.read_logger_csv(path, tz="UTC"), frame, check_freq=False)


def test_the_sample_of_2021_is_read_with_its_zone_blanks_and_other_columns(tmp_path: Path) -> None:
    lines = [
        "id,index,date,blinkSpeed,blinkStrength,isWalking,noiseStatus,seqNo",
        "7,0,2019/08/22 07:34:26.673, 0, 0,false,false, 254",
        "7,1,2019/08/22 07:34:26.703, 120, 61,true,false, 255",
        "7,2,2019/08/22 07:34:26.763, 0, 0,false,true, 0",
    ]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(el.ConfigurationError, match="tz"):
        el.read(path)
    with pytest.warns(el.EyelogWarning, match="unknown fields"):
        frame = el.read(path, tz="Asia/Tokyo")
    assert str(frame.index[0]) == "2019-08-22 07:34:26.673000+09:00"
    assert frame["blinkSpeed"].tolist() == [0, 120, 0]
    assert frame["walking"].tolist() == [False, True, False]
    assert frame["sequenceNumber"].tolist() == [254, 255, 0]


def test_pieces_of_a_recording_are_joined(tmp_path: Path) -> None:
    frame = packets(300)
    for i in range(3):
        name = f"20261020-10000{i}_CDC000000001_currentData_m5.csv"
        (tmp_path / name).write_text(text_of(frame.iloc[100 * i : 100 * (i + 1)]))
    pd.testing.assert_frame_equal(el.read(tmp_path, tz="UTC"), frame, check_freq=False)


def test_beside_another_log_it_is_read_only_if_it_is_asked_for(tmp_path: Path) -> None:
    frame = packets(50)
    (tmp_path / "x_currentData.csv").write_text(text_of(frame))
    (tmp_path / "x_logicIndexData.csv").write_text(
        logger_csv(frame_of(EYES, {"bk_n": [3]}), EYES, names=["bk_n"])
    )
    with pytest.warns(el.EyelogWarning, match="left out: 1 file of another kind: 1 with 20 Hz"):
        assert len(el.read(tmp_path, tz="UTC")) == 1
    with pytest.warns(el.EyelogWarning, match="left out: 1 file of another kind: 1 with 20 Hz"):
        assert len(el.read(tmp_path, log=EYES, tz="UTC")) == 1
    asked = el.read(tmp_path, log=CURRENT, tz="UTC")
    pd.testing.assert_frame_equal(asked, frame, check_freq=False)
    (tmp_path / "x_logicIndexData.csv").unlink()
    assert len(el.read(tmp_path, tz="UTC")) == 50


def test_even_stamps_are_asked_for_and_say_how_far_they_moved(tmp_path: Path) -> None:
    frame = packets(600, jitter_us=20_000)
    path = tmp_path / "x_currentData.csv"
    path.write_text(text_of(frame))
    with pytest.warns(el.EyelogWarning, match=r"made even: half of them .* ms, the farthest by 2"):
        read = el.read(path, tz="UTC", stamp="even")
    assert np.diff(read.index.asi8) == pytest.approx(50_000, rel=0.01)
    assert np.abs((read.index - frame.index).total_seconds()).max() < 0.025
    pd.testing.assert_frame_equal(read.reset_index(drop=True), frame.reset_index(drop=True))
    with pytest.raises(el.ConfigurationError, match="'received' or 'even'"):
        el.read(path, stamp="end")
    path.write_text(logger_csv(frame_of(EYES, {"bk_n": [3]}), EYES, names=["bk_n"]))
    with pytest.raises(el.ConfigurationError, match="15-second log are stamped by the eyewear"):
        el.read(path, tz="UTC", stamp="even")
    path.write_text(text_of(frame))
    with pytest.raises(el.ConfigurationError, match="needs the numbers of the packets"):
        el.read(path, tz="UTC", fields=["roll"], stamp="even")


def test_an_import_keeps_all_logs_of_a_folder(tmp_path: Path) -> None:
    frame = packets(500, jitter_us=24_000)
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "x_currentData.csv").write_text(text_of(frame))
    (folder / "x_logicIndexData.csv").write_text(
        logger_csv(frame_of(EYES, {"bk_n": [3]}), EYES, names=["bk_n"])
    )
    archive = el.Archive(tmp_path / "archive")
    for status in ("imported", "nothing new"):
        reports = import_files(archive, [folder], tz="UTC")
        assert [report.status for report in reports] == [status, status]
    back = archive.read(CURRENT, tz="UTC")
    pd.testing.assert_frame_equal(back, frame, check_freq=False)
    assert archive.verify().empty
    inventory = archive.inventory().set_index("log")
    assert inventory.loc[CURRENT, "gaps"] == 0


def test_files_of_two_devices_in_the_same_time_are_refused(tmp_path: Path) -> None:
    one = packets(20 * 1200, jitter_us=24_000)
    other = packets(20 * 1200, jitter_us=24_000, seed=2)
    for device, frame in (("CDC000000001", one), ("CDC000000002", other)):
        shifted = frame.set_axis(frame.index + pd.Timedelta(13 * int(device[-1]), "ms"))
        (tmp_path / f"20261020-100000_{device}_currentData.csv").write_text(text_of(shifted))
    with pytest.raises(el.ConfigurationError, match=r"cover the same time twice|other values"):
        el.read(tmp_path, tz="UTC")
