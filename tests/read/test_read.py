"""One file becomes one frame, with its whole history and the name of the file in every error."""

from pandas.testing import assert_frame_equal

import eyelog as el
from support.loggerfiles import (
    long_fields,
)
from support.logs import LOGS, columns
from support.paths import DATASETS


def test_the_sample_files_of_the_logger_app_equal_the_sample() -> None:
    for log, kind in zip(LOGS, ("logicIndexData", "summaryData"), strict=True):
        frame = el.read(DATASETS / f"20261021-080000_CDC000000001_{kind}.csv", tz="Asia/Tokyo")
        wanted = el.sample(log).loc["2026-10-21 08:00":"2026-10-21 12:00"]
        names = long_fields(log)
        assert_frame_equal(frame[names], wanted[names], check_freq=False)
        assert list(frame.columns) == [name for name in columns(log) if name in names]
        assert frame.attrs["eyelog"]["log"] == log
