"""Whatever file is imported, it is read, read with a note, or refused with the reason."""

import warnings
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.importing import import_files
from support.kindsoffiles import KINDS, MINUTES, Kind
from support.loggerfiles import FIFTEEN, TEN


def imported(archive: el.Archive, kind: Kind) -> pd.DataFrame:
    """Return what is in the archive, in the fields that the file has values of."""
    frame = archive.read(kind.log, "2026-10-20", "2026-10-22", tz="Asia/Tokyo")
    wanted = TEN if kind.log == FIFTEEN else MINUTES
    names = [name for name in wanted.columns if frame[name].notna().any()]
    return frame[names]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_kind_of_file_is_read_or_refused_with_the_reason(
    archive: el.Archive, tmp_path: Path, kind: Kind
) -> None:
    path = tmp_path / "file"
    path.write_bytes(kind.content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (report,) = import_files(archive, [path], **dict(kind.options))
    notes = "; ".join(str(each.message) for each in caught)
    assert all(each.category is el.EyelogWarning for each in caught)
    assert report.read == report.kept + report.repeated + report.conflicts + report.refused
    if kind.result in ("refused", "empty"):
        assert (report.status, report.kept) == (kind.result, 0)
        assert notes == ""
        assert pd.Series([report.reason]).str.contains(kind.says).all(), report.reason
        assert bool(report.reason) is (kind.result == "refused")
        assert "\n" not in report.reason
        assert not Path(archive.path).exists()
        return
    assert (report.status, report.kept) == ("imported" if kind.rows else "nothing new", kind.rows)
    assert bool(notes) is (kind.result == "note"), notes
    assert pd.Series([notes]).str.contains(kind.says).all(), notes
    if kind.rows:
        frame = imported(archive, kind)
        wanted = (TEN if kind.log == FIFTEEN else MINUTES).iloc[: kind.rows]
        assert_frame_equal(frame, wanted[list(frame.columns)], check_freq=False)
        assert len(frame.columns) >= 1
