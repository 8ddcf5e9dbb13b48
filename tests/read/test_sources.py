"""The files behind a path, and what a compressed file may not do."""

import gzip
import io
import json
import os
import zipfile
from functools import partial
from pathlib import Path

import pytest

import eyelog as el
from eyelog.read import files as module
from eyelog.read.files import InputFile, input_files, opened
from support.loggerfiles import zipped

SECOND = "it is packed a second time, or as 7z, RAR, bzip2, xz or zstd: unpack it first"
CSV = "date,fitDuration\n2026-10-21T00:00:00Z,60\n"


def read(*paths: Path) -> dict[str, str]:
    """Return the content of each file, or why it cannot be read."""
    found = {}
    for source in input_files(paths):
        name = source.name.replace(str(paths[0].parent), "").lstrip("/")
        try:
            with opened(source) as content:
                found[name] = "empty" if content.is_empty else f"text {len(content.text())}"
        except el.ArchiveError as error:
            found[name] = str(error)
    return found


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    assert len(list(input_files([path, tmp_path, tmp_path / "a.csv"]))) == 1


def test_a_link_is_refused_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret line one")
    (tmp_path / "folder").mkdir()
    for link in ("link.csv", "folder/link.csv"):
        (tmp_path / link).symlink_to(tmp_path / "secret.txt")
    for given in ("link.csv", "folder"):
        (found,) = input_files([tmp_path / given])
        assert (found.open, found.trouble) == (None, "it is a link: give the file itself")


def test_what_is_not_a_file_is_named_and_never_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "pipe.csv")
    (folder / "loop").symlink_to(folder)
    (folder / "gone.csv").symlink_to(folder / "nowhere")
    found = read(folder)
    assert "not a regular file" in found["folder/pipe.csv"]
    assert "a link to a folder" in found["folder/loop"]
    assert "it is a link" in found["folder/gone.csv"]


def test_a_zip_file_stands_for_its_members_and_writes_nothing(tmp_path: Path) -> None:
    inner = zipped({"x.csv": CSV})
    members = {
        "../../evil.csv": CSV,
        "s/a.csv": CSV,
        "s/a.csv.gz": gzip.compress(CSV.encode()),
        "s/inner.zip": inner,
        "s/\x1b[2Jclear.csv": CSV,
        "__MACOSX/s/._a.csv": "x",
        "s/empty.csv": "",
    }
    path = tmp_path / "box" / "session.zip"
    path.parent.mkdir()
    path.write_bytes(zipped(members))
    size = f"text {len(CSV)}"
    assert read(path) == {
        "session.zip: ../../evil.csv": size,
        "session.zip: s/?[2Jclear.csv": size,
        "session.zip: s/a.csv": size,
        "session.zip: s/a.csv.gz": size,
        "session.zip: s/empty.csv": "empty",
        "session.zip: s/inner.zip": SECOND,
    }
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["box", "session.zip"]


def test_a_zip_bomb_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 1_000_000)
    monkeypatch.setattr(module, "_LARGEST_ZIP", 1_500_000)
    content = CSV.encode() + b"0" * 1_200_000
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "b.zip").write_bytes(zipped({"1.csv": content, "2.csv": content}))
    (tmp_path / "c.zip").write_bytes(zipped({"1.csv": content}))
    found = read(tmp_path)
    short = {name.rpartition("/")[2]: what for name, what in found.items()}
    assert "unpacks to more" in short["a.csv.gz"]
    assert short["b.zip"].startswith("it has more than")
    assert "unpacks to more" in short["c.zip: 1.csv"]


def test_a_zip_of_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MEMBERS", 3)
    (tmp_path / "a.zip").write_bytes(zipped({f"{i}.csv": CSV for i in range(4)}))
    assert list(read(tmp_path / "a.zip").values()) == ["it has more than 3 files or 8 GB: split it"]


def damaged(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def test_damaged_and_foreign_packed_files_are_named(tmp_path: Path) -> None:
    whole = zipped({"a.csv": CSV * 50})
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.find(b"PK\x01\x02") + 8] |= 1
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as box:
        box.writestr("a.csv", CSV)
    workbook = zipped({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"})
    files = {
        "cut.zip": whole[:-30],
        "crc.zip": damaged(stored.getvalue(), 60),
        "locked.zip": bytes(locked),
        "headless.gz": gzip.compress(CSV.encode() * 50)[:9],
        "in.zip": zipped({"book.xlsx": workbook, "box.zip": zipped({"a.csv": CSV})}),
        "book.xlsx.gz": gzip.compress(workbook),
        "twice.gz": gzip.compress(gzip.compress(CSV.encode())),
        "book.xlsx": workbook,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    found = {name.rpartition("/")[2]: what for name, what in read(tmp_path).items()}
    assert "damaged zip file" in found["cut.zip"]
    assert "it cannot be read: Bad CRC-32" in found["crc.zip: a.csv"]
    assert "encrypted" in found["locked.zip: a.csv"]
    assert "it cannot be read" in found["headless.gz"]
    assert found["in.zip: book.xlsx"] == SECOND
    assert found["in.zip: box.zip"] == SECOND
    assert found["book.xlsx.gz"] == SECOND
    assert "unpack it first" in found["twice.gz"]
    pytest.importorskip("python_calamine")
    assert "a damaged Excel workbook (CalamineError): open it in the spread" in found["book.xlsx"]


def test_an_answer_that_breaks_off_in_its_only_line_is_refused_as_such(tmp_path: Path) -> None:
    records = [{"date": f"2026-10-21T{at // 60:02}:{at % 60:02}:00Z"} for at in range(600)]
    path = tmp_path / "answer.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"computed_data": {"9": records}}).encode())[:-99])
    with pytest.raises(el.ArchiveError, match="it breaks off before the end of its first line"):
        el.read(path)


def test_a_line_of_megabytes_is_unpacked_too() -> None:
    long = b'{"a": "' + b"0123456789" * 600_000 + b'"}'
    packed = gzip.compress(long, 1)
    with opened(InputFile("a.csv.gz", partial(io.BytesIO, packed), size=len(packed))) as content:
        assert content.text() == long
        assert content.notes == []
