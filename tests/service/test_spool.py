import subprocess
import sys
from pathlib import Path

import pytest

import eyelog as el
from eyelog_service.uploads import UPLOADS, Spool
from support.records import records

HOLDS = """
import sys
from pathlib import Path
from eyelog_service.uploads import Spool
with Spool(Path(sys.argv[1])).folder("ada") as (folder, _):
    (folder / "body").write_text("half a body")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_private_and_gone_in_the_end(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    with spool.folder("ada") as (folder, _), spool.folder("ada") as (other, _):
        assert folder != other
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "body").write_bytes(bytes(100))
        assert spool.bytes_of("ada") == 100
        assert spool.bytes_of("bea") == 0
    assert not folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="one process serves there")
def test_only_folders_of_dead_processes_are_cleaned_up(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        spool = Spool(tmp_path)
        assert spool.clean_up() == []
        assert (folder / "body").exists()
        process.kill()
        process.wait()
        assert spool.clean_up() == ["ada"]
    assert not folder.exists()
    assert spool.clean_up() == []


def test_what_an_earlier_version_kept_of_files_in_parts_is_removed(tmp_path: Path) -> None:
    part = tmp_path / UPLOADS / "account=ada" / "0f3a.100.part"
    part.parent.mkdir(parents=True)
    part.write_text("half a body")
    assert Spool(tmp_path).clean_up() == []
    assert not part.parent.exists()


def test_an_erasure_removes_what_came_in_and_verify_does_not_mind_it(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    archive.write("standard_mode_logs", records("standard_mode_logs", "2026-10-24", 9), account="a")
    left = tmp_path / UPLOADS / "account=a" / "0123" / "body"
    left.parent.mkdir(parents=True)
    left.write_text("half a body")
    assert len(archive.verify()) == 0
    assert archive.accounts() == ["a"]
    assert str(left) in archive.erase("a")["path"].tolist()
    assert not left.parent.parent.exists()
