import stat
from pathlib import Path

import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.archive.parquet import layout
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, catalogue, catalogue_version
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


def test_files_are_in_hive_folders_by_log_account_and_month_of_utc(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-11-01 08:00", 100, tz="Asia/Tokyo"), account="me")
    root = Path(archive.path)
    found = sorted(str(path.relative_to(root)) for path in root.rglob("*.parquet"))
    assert found == [
        f"log={SIXTY}/account=me/month=2026-10/data.parquet",
        f"log={SIXTY}/account=me/month=2026-11/data.parquet",
    ]


def test_nobody_else_may_read_the_files(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    for path in [Path(archive.path), *Path(archive.path).rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


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
    place = layout.open_place("memory://names")
    if all(name.isprintable() for name in (first, second)):
        folders = [layout.folder(place, SIXTY, name).lower() for name in (first, second)]
        assert (folders[0] == folders[1]) == (first == second)


@pytest.mark.parametrize("log", LOGS)
def test_the_schema_is_the_catalogues_whatever_columns_are_written(
    archive: Archive, log: str
) -> None:
    archive.write(log, records(log, "2026-10-24", 3)[["bl"]], account="me")
    (path,) = Path(archive.path).rglob("*.parquet")
    schema = pq.read_schema(path)
    assert schema.names == list(catalogue(log))
    wanted = {"float64": "double", "boolean": "bool", "string": "string"}
    for field in list(catalogue(log).values())[1:]:
        assert str(schema.field(field.name).type) == wanted[field.dtype]
    assert str(schema.field("date").type) == "timestamp[us, tz=UTC]"


def test_each_file_states_what_it_is_but_not_when_it_was_written(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="Änna")
    (path,) = Path(archive.path).rglob("*.parquet")
    said = pq.read_schema(path).metadata
    assert {key.decode(): value.decode() for key, value in said.items()} == {
        "eyelog.log": SIXTY,
        "eyelog.account": "Änna",
        "eyelog.catalogue": catalogue_version(),
        "eyelog.version": layout.version("eyelog"),
    }


def test_a_folder_that_is_not_a_month_or_has_no_file_is_skipped(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-24", 3), account="me")
    home = Path(archive.path, f"log={SIXTY}")
    for name in ("account=me/month=2026-13", "account=me/month=2026-11", "account=you", "notes"):
        (home / name).mkdir()
    assert archive.accounts() == ["me"]
    assert len(archive.read(SIXTY, "2026-10-01", "2026-12-31")) == 3


def test_errors_of_the_disk_become_one_line() -> None:
    with (
        pytest.raises(el.ArchiveError, match=r"^cannot do this: No space left on device$"),
        layout.archive_errors("do this"),
    ):
        raise OSError(28, "No space left on device")


def test_groups_cut_a_month_into_four_days() -> None:
    edges = layout.group_edges("2026-02", 4)
    first, after = layout.month_edges("2026-02")
    assert (edges[0], edges[-1], len(edges)) == (first, after, 8)
