import stat
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from eyelog.archive.parquet import layout
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, catalogue, catalogue_version
from support.records import records

FIFTEEN, SIXTY = LOGS


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
