"""The archive deletes everything that lies in the folders of an account, and nothing else."""

from pathlib import Path

import pytest

import eyelog as el
from support.command import main
from support.logs import LOGS
from support.records import records

STANDARD = LOGS[1]


def test_an_archive_elsewhere_is_erased_too() -> None:
    archive = el.Archive("memory://to-erase")
    for name in ("anna", "bea"):
        archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account=name)
    assert archive.erase("anna", dry_run=True)["what"].tolist() == ["list of months", "month"]
    assert archive.erase("anna")["what"].tolist() == ["list of months", "month"]
    assert archive.accounts() == ["bea"]
    assert len(archive.erase("anna")) == 0


def test_a_link_is_removed_and_what_it_leads_to_is_not(archive: el.Archive, tmp_path: Path) -> None:
    archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account="anna")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "data.parquet").write_bytes(b"kept")
    home = Path(archive.path, f"log={STANDARD}", "account=anna")
    (home / "month=2026-11").symlink_to(tmp_path / "elsewhere")
    archive.erase("anna")
    assert not home.exists()
    assert (tmp_path / "elsewhere" / "data.parquet").read_bytes() == b"kept"


def on_a_larger_disk(archive: el.Archive, tmp_path: Path) -> Path:
    """Move the folder of a log elsewhere and leave a link, as somebody does whose disk is full."""
    log = Path(archive.path, f"log={STANDARD}")
    log.rename(tmp_path / "larger")
    log.symlink_to(tmp_path / "larger")
    return tmp_path / "larger"


def test_a_log_on_a_larger_disk_is_erased_too(archive: el.Archive, tmp_path: Path) -> None:
    for name in ("anna", "bea"):
        archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account=name)
    larger = on_a_larger_disk(archive, tmp_path)
    assert archive.erase("anna")["what"].tolist() == ["list of months", "month"]
    assert [path.name for path in larger.iterdir()] == ["account=bea"]
    assert archive.accounts() == ["bea"]
    archive.erase("bea")
    assert list(larger.iterdir()) == []
    archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account="bea")
    assert archive.accounts() == ["bea"]


def test_what_a_removed_link_led_to_is_named(
    archive: el.Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive.write(STANDARD, records(STANDARD, "2026-10-20", 50), account="anna")
    home = Path(archive.path, f"log={STANDARD}", "account=anna")
    home.rename(tmp_path / "elsewhere")
    home.symlink_to(tmp_path / "elsewhere")
    assert main(["archive", "erase", "anna", "--archive", archive.path]) == 0
    assert f"not reached: {tmp_path / 'elsewhere'}, to which" in capsys.readouterr().out
    assert not home.is_symlink()
