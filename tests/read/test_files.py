"""Whatever file is given, packed or not, is read, read with a note, or refused with the reason."""

import gzip
import json
import os
import warnings
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.importing import import_files
from support.kindsoffiles import KINDS, MINUTES, Kind
from support.loggerfiles import FIFTEEN, TEN, zipped


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
        assert "ask again" not in report.reason
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


# The files behind a path, and what a compressed file may not do


SECOND = "it is packed a second time, or as 7z, RAR, bzip2, xz or zstd: unpack it first"
CSV = "date,fitDuration\n2026-10-21T00:00:00Z,60\n"


def found(folder: Path, path: Path) -> dict[str, str]:
    """Return what an import says of each file: the reason, otherwise the status."""
    reports = import_files(el.Archive(folder / "archive"), [path])
    names = (each.file.removeprefix(str(path)).lstrip(":/ ") for each in reports)
    return {name: each.reason or each.status for name, each in zip(names, reports, strict=True)}


def test_a_file_given_twice_is_read_once(archive: el.Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    assert len(import_files(archive, [path, tmp_path, tmp_path / "a.csv"])) == 1


def test_what_is_not_a_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret line one")
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop").symlink_to(folder)
    (folder / "gone.csv").symlink_to(folder / "nowhere")
    (folder / "link.csv").symlink_to(tmp_path / "secret.txt")
    assert found(tmp_path, folder) == {
        "loop": "it is a link to a folder: give that folder itself",
        "gone.csv": "it is a link: give the file itself",
        "link.csv": "it is a link: give the file itself",
        "pipe.csv": "it is not a regular file",
    }


def test_a_zip_file_stands_for_its_members_and_writes_nothing(tmp_path: Path) -> None:
    members = {
        "../../evil.csv": CSV,
        "s/a.csv": CSV,
        "s/a.csv.gz": gzip.compress(CSV.encode()),
        "s/inner.zip": zipped({"x.csv": CSV}),
        "s/\x1b[2Jclear.csv": CSV,
        "__MACOSX/s/._a.csv": "x",
        "s/empty.csv": "",
    }
    path = tmp_path / "box" / "session.zip"
    path.parent.mkdir()
    path.write_bytes(zipped(members))
    assert found(tmp_path, path) == {
        "../../evil.csv": "imported",
        "s/?[2Jclear.csv": "nothing new",
        "s/a.csv": "nothing new",
        "s/a.csv.gz": "nothing new",
        "s/empty.csv": "empty",
        "s/inner.zip": SECOND,
    }
    assert sorted(each.name for each in tmp_path.glob("*")) == ["archive", "box"]


def test_what_unpacks_to_far_more_than_a_log_is_not_read_to_its_end(
    tmp_path: Path, little_room: None
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    content = CSV.encode() + b"0" * 1_200_000
    (folder / "a.csv.gz").write_bytes(gzip.compress(content))
    (folder / "b.zip").write_bytes(zipped({"1.csv": content, "2.csv": content}))
    (folder / "c.zip").write_bytes(zipped({"1.csv": content}))
    (folder / "d.zip").write_bytes(zipped({f"{i}.csv": CSV for i in range(4)}))
    said = found(tmp_path, folder)
    assert said["b.zip"] == said["d.zip"] == "it has more than 3 files or 0 GB: split it"
    assert "unpacks to more" in said["a.csv.gz"]
    assert "unpacks to more" in said["c.zip: 1.csv"]


def test_an_answer_that_breaks_off_in_its_only_line_is_refused_as_such(tmp_path: Path) -> None:
    records = [{"date": f"2026-10-21T{at // 60:02}:{at % 60:02}:00Z"} for at in range(600)]
    path = tmp_path / "answer.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"computed_data": {"9": records}}).encode())[:-99])
    with pytest.raises(el.ArchiveError, match="it breaks off before the end of its first line"):
        el.read(path)
