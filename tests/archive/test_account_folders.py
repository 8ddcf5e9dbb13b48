"""The folders of accounts: every name has its own, and one process at a time writes into it."""

from pathlib import Path

import pyarrow.dataset as ds
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.archive import account_folders
from eyelog.archive.account_folders import check_account, folder, locked, remove_leftovers
from eyelog.archive.place import open_place
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
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


def test_any_account_name_is_restored_and_none_escapes_the_archive(archive: Archive) -> None:
    for number, account in enumerate(ODD):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 1, seed=number), account=account)
    assert archive.accounts() == sorted(ODD)
    folders = {path.name for path in Path(archive.path, f"log={SIXTY}").iterdir()}
    assert len({name.lower() for name in folders}) == len(ODD)
    assert {path.name for path in Path(archive.path).iterdir()} == {f"log={SIXTY}"}


def test_other_tools_see_the_account_names_as_they_are(archive: Archive) -> None:
    for account in ("x@y.org", "a/b", "日本"):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 2), account=account)
    table = ds.dataset(archive.path, partitioning="hive").to_table(["account", "log", "month"])
    assert set(table["account"].to_pylist()) == {"x@y.org", "a/b", "日本"}
    assert set(table["month"].to_pylist()) == {"2026-10"}


@given(first=st.text(min_size=1, max_size=20), second=st.text(min_size=1, max_size=20))
def test_two_names_never_share_a_folder_even_where_case_is_ignored(first: str, second: str) -> None:
    place = open_place("memory://names")
    if all(name.isprintable() for name in (first, second)):
        folders = [folder(place, SIXTY, name).lower() for name in (first, second)]
        assert (folders[0] == folders[1]) == (first == second)


@pytest.mark.parametrize("name", ["", None, 7, "\ud800", "ä" * 50])
def test_what_cannot_be_the_name_of_an_account_is_refused(name: str) -> None:
    with pytest.raises(el.ConfigurationError, match=r"not an account|not valid text|too long"):
        check_account(name)


def test_who_waits_too_long_for_a_folder_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = open_place(tmp_path)
    home = Path(folder(place, SIXTY, "ada"))
    home.mkdir(parents=True)
    monkeypatch.setattr(account_folders, "WAIT_S", 0.1)
    with (
        FileLock(home / ".lock"),
        pytest.raises(el.ArchiveError, match="another process has been writing"),
        locked(place, SIXTY, "ada"),
    ):
        pass


def test_unfinished_files_of_an_account_go_and_those_of_others_stay(archive: Archive) -> None:
    left = []
    for account in ("ada", "bea"):
        archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account=account)
        (month,) = Path(archive.path).rglob(f"account={account}/month=2026-10/data.parquet")
        left.append(month.with_name(".data.parquet.0123.tmp"))
        left[-1].write_bytes(b"unfinished")
    remove_leftovers(open_place(archive.path), "ada")
    assert [path.exists() for path in left] == [False, True]
    assert archive.accounts() == ["ada", "bea"]
