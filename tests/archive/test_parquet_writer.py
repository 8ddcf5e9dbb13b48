"""What the Parquet files of eyelog have in common: their types, encodings and metadata."""

from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from eyelog.archive.arrow_tables import schema_of
from eyelog.archive.parquet_writer import parquet_writer
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, catalogue, catalogue_version
from support.records import records

FIFTEEN, SIXTY = LOGS


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
        "eyelog.version": version("eyelog"),
    }


def test_an_empty_table_is_a_whole_file_of_its_log_and_account(tmp_path: Path) -> None:
    path = tmp_path / "empty.parquet"
    with parquet_writer(path, schema_of(FIFTEEN), FIFTEEN, "ada"):
        pass
    found = pq.read_table(path)
    assert found.num_rows == 0
    assert found.column_names == list(catalogue(FIFTEEN))
    assert found.schema.metadata[b"eyelog.account"] == b"ada"
