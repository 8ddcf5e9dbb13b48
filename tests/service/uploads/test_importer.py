"""The process of an import: its answers, its faults, its end."""

import errno
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eyelog as el
from eyelog_service import uploads
from eyelog_service.uploads import Failed, import_apart, import_upload
from eyelog_service.web import Problem
from support.uploads import FIFTEEN, SIXTY, csv


@pytest.fixture
def told(tmp_path: Path) -> dict[str, Any]:
    folder = tmp_path / "files"
    (folder / "1").mkdir(parents=True)
    (folder / "1" / "a.csv").write_bytes(csv())
    return {
        "archive": str(tmp_path / "archive"),
        "account": "ada",
        "erased": 0,
        "folder": str(folder),
        "files": [str(folder / "1" / "a.csv")],
        "replace": False,
        "tz": None,
    }


def apart(told: dict[str, Any], tmp_path: Path, **more: Any) -> dict[str, Any]:
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        return import_apart(told, temporary=tmp_path, locks=[handle], **more)
    finally:
        os.close(handle)


def test_the_process_answers_as_the_function_does(told: dict[str, Any], tmp_path: Path) -> None:
    assert apart(told, tmp_path)["new"] == 60
    assert apart(told, tmp_path) == import_upload(**told)
    Path(told["files"][0]).write_text("no log\n1\n")
    with pytest.raises(Problem, match=r"^a.csv: ") as refused:
        apart(told, tmp_path)
    assert refused.value.status == 422


def test_a_fault_is_told_by_its_place_without_any_value(
    told: dict[str, Any], tmp_path: Path
) -> None:
    told["files"] = [{"SECRET": 1}]  # no path
    with pytest.raises(Failed) as failed:
        apart(told, tmp_path)
    assert "in import_upload" in str(failed.value)
    assert "SECRET" not in str(failed.value)


def test_an_import_that_takes_too_long_is_ended(told: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Failed, match="ended early"):
        apart(told, tmp_path, seconds=0.05)
    assert not (tmp_path / "archive").exists()


def test_conflicts_are_listed_up_to_a_thousand(
    told: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_MOST_CONFLICTS", 2)
    import_upload(**told)
    table = pd.read_csv(told["files"][0])
    table.loc[[3, 5], ["bl", "wea_s"]] += 0.25
    table.to_csv(told["files"][0], index=False)
    (answer,) = import_upload(**told)["files"]
    assert [each["line"] for each in answer["conflicts"]] == [5, 5]
    assert answer["more_conflicts"] == 1


def test_a_full_disk_is_507_and_a_busy_archive_503(
    told: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(cause: OSError | None) -> Any:
        def fails(*_: Any, **__: Any) -> None:
            raise el.ArchiveError("cannot write") from cause

        return fails

    for cause, status in ((OSError(errno.ENOSPC, "full"), 507), (None, 503)):
        monkeypatch.setattr(uploads, "import_files", failing(cause))
        with pytest.raises(Problem) as refused:
            import_upload(**told)
        assert refused.value.status == status


def test_both_logs_of_an_upload_are_written(told: dict[str, Any]) -> None:
    other = Path(told["folder"]) / "2" / "b.csv"
    other.parent.mkdir()
    other.write_bytes(csv(FIFTEEN, "2026-10-31 23:59", 100))
    assert import_upload(**{**told, "files": [*told["files"], str(other)]})["new"] == 160
    archive = el.Archive(told["archive"])
    assert len(archive.read(FIFTEEN, account="ada", tz="UTC")) == 100
    assert len(archive.read(SIXTY, account="ada", tz="UTC")) == 60
