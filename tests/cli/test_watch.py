"""`eyelog watch` as a program: it imports what settles, and knows it after a kill."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eyelog.cli import main
from support.uploads import csv


@contextmanager
def watching(archive: Path, folder: Path, *more: str) -> Iterator["subprocess.Popen[str]"]:
    words = ["watch", str(folder), "--archive", str(archive), "--settled", "0.5", *more]
    with subprocess.Popen(
        [sys.executable, "-m", "eyelog", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_files_are_imported_as_they_arrive_and_not_again_after_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "drive"
    folder.mkdir()
    (folder / "a.csv").write_bytes(csv())
    with watching(tmp_path / "archive", folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"imported  {folder}/a.csv: 60 of 60 rows\n"
    (folder / "b.csv").write_bytes(csv(start="2026-11-01 00:01"))
    with watching(tmp_path / "archive", folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"imported  {folder}/b.csv: 60 of 60 rows\n"


def test_what_differs_from_the_archive_is_said_with_its_line_and_replaced_on_demand(
    tmp_path: Path,
) -> None:
    text = "date,wea_s\n2026-10-24T09:00:00Z,{}\n"
    (tmp_path / "a.csv").write_text(text.format(60))
    archive, folder = tmp_path / "archive", tmp_path / "drive"
    assert main(["import", str(tmp_path / "a.csv"), "--archive", str(archive)]) == 0
    folder.mkdir()
    (folder / "b.csv").write_text(text.format(59))
    with watching(archive, folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == (
            f"nothing new  {folder}/b.csv: 0 of 1 rows (other values than stored, which stay:"
            " line 2 (wea_s); --replace writes those of the file)\n"
        )
    with watching(archive, folder, "--replace") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == (
            f"imported  {folder}/b.csv: 1 of 1 rows, 1 with other values than before\n"
        )


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, capsys) -> None:
    assert main(["watch", str(tmp_path / "no"), "--archive", str(tmp_path / "archive")]) == 1
    assert "there is no folder" in capsys.readouterr().err
