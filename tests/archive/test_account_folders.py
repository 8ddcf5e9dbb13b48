"""The folders of accounts: every name has its own, and one process at a time writes into it."""

from pathlib import Path

import pytest
from filelock import FileLock

import eyelog as el
from support.logs import LOGS
from support.parquet import month_file
from support.records import records

FIFTEEN, SIXTY = LOGS

ODD = [
    "Anna",
    "anna",
    "a/b",
    "..",
    "a b",
    "ä",
    "a%2Fb",
    "x@y.org",
    "con",
    ".",
    "日本",
    "a=b",
    "007",
]


def test_any_account_name_is_restored_and_none_escapes_the_archive(archive: el.Archive) -> None:
    for number, account in enumerate(ODD):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 1, seed=number), account=account)
    assert archive.accounts() == sorted(ODD)
    folders = {path.name for path in Path(archive.path, f"log={SIXTY}").iterdir()}
    assert len({name.lower() for name in folders}) == len(ODD)
    assert {path.name for path in Path(archive.path).iterdir()} == {f"log={SIXTY}", ".months"}


def test_two_spellings_of_a_name_are_one_account(archive: el.Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="andr\u00e9")
    archive.write(SIXTY, records(SIXTY, "2026-10-25", 3), account="andre\u0301")
    assert archive.accounts() == ["andr\u00e9"]
    assert len(archive.read(SIXTY, account="andre\u0301", tz="UTC")) == 6
    archive.erase("andre\u0301")
    assert archive.accounts() == []


@pytest.mark.parametrize("name", ["", None, 7, "\ud800", "ä" * 50])
def test_what_cannot_be_the_name_of_an_account_is_refused(archive: el.Archive, name: str) -> None:
    with pytest.raises(el.ConfigurationError, match=r"not an account|not valid text|too long"):
        archive.set_zones("Asia/Tokyo", account=name)


def test_who_waits_too_long_for_a_folder_is_told_so(
    archive: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog.archive.lists.WAIT_S", 0.1)
    Path(archive.path, ".months").mkdir(parents=True)
    with (
        FileLock(Path(archive.path, ".months", "account=ada.lock")),
        pytest.raises(el.ArchiveError, match="another process has been writing"),
    ):
        archive.set_zones("Asia/Tokyo", account="ada")


def test_unfinished_files_of_an_account_go_and_those_of_others_stay(archive: el.Archive) -> None:
    left = []
    for account in ("ada", "bea"):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account=account)
        month = month_file(archive.path, "2026-10", account=account)
        left.append(month.with_name(".2026-10.0123.tmp"))
        left[-1].write_bytes(b"unfinished")
    archive.set_zones("Asia/Tokyo", account="ada")  # whoever writes sweeps
    assert [path.exists() for path in left] == [False, True]
    assert archive.accounts() == ["ada", "bea"]
