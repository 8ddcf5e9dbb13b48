"""Files of the 20 Hz log, as the apps have written them since 2019."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.frames import frame_of
from support.loggerfiles import logger_csv
from support.packets import packets

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
    pd.testing.assert_frame_equal(el.read(path, tz="UTC"), frame, check_freq=False)


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
    with pytest.raises(el.ConfigurationError, match="15-second log have none"):
        el.read(path, tz="UTC", stamp="even")
    path.write_text(text_of(frame))
    with pytest.raises(el.ConfigurationError, match="and needs their numbers"):
        el.read(path, tz="UTC", fields=["roll"], stamp="even")


def test_files_of_two_devices_in_the_same_time_are_refused(tmp_path: Path) -> None:
    one = packets(20 * 1200, jitter_us=24_000)
    other = packets(20 * 1200, jitter_us=24_000, seed=2)
    for device, frame in (("CDC000000001", one), ("CDC000000002", other)):
        shifted = frame.set_axis(frame.index + pd.Timedelta(13 * int(device[-1]), "ms"))
        (tmp_path / f"20261020-100000_{device}_currentData.csv").write_text(text_of(shifted))
    with pytest.raises(el.ConfigurationError, match=r"cover the same time twice|other values"):
        el.read(tmp_path, tz="UTC")
