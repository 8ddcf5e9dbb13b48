"""A new month file: sorted groups of four days, sealed, and whole or not there."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import eyelog as el
from eyelog.archive.arrow_tables import frame_of, schema_of, table_of
from eyelog.archive.parquet.month_file import open_file
from eyelog.archive.parquet.new_month import new_month
from eyelog.archive.place import open_place
from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS
from support.records import records

FIFTEEN, SIXTY = LOGS


def test_a_file_holds_sorted_groups_of_four_days_with_checksums(archive: Archive) -> None:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 31 * 1440), account="me")
    (path,) = Path(archive.path).rglob("*.parquet")
    meta = pq.read_metadata(path)
    assert [meta.row_group(n).num_rows for n in range(8)] == [4 * 1440] * 7 + [3 * 1440]
    chunks = [meta.row_group(0).column(n) for n in range(meta.num_columns)]
    assert {chunk.compression for chunk in chunks} == {"ZSTD"}
    assert not any("BYTE_STREAM_SPLIT" in chunk.encodings for chunk in chunks)
    assert "DELTA_BINARY_PACKED" in chunks[0].encodings
    assert meta.row_group(0).sorting_columns == (pq.SortingColumn(0),)


def test_groups_are_counted_read_back_as_they_were_given_and_empty_ones_left_out(
    tmp_path: Path,
) -> None:
    frame = records(SIXTY, "2026-10-01", 30)
    schema, path = schema_of(SIXTY), tmp_path / "new" / "month"
    table = table_of(frame, SIXTY).cast(schema)
    with new_month(path, schema, SIXTY, "ada") as write_group:
        assert [write_group(table.slice(at, n)) for at, n in ((0, 10), (10, 0), (10, 20))] == [
            10, 0, 20
        ]  # fmt: skip
    with open_file(open_place(tmp_path), str(path)) as file:
        assert file.content is not None  # it is sealed
        assert [group.rows for group in file.groups] == [10, 20]
        assert file.edges() == (int(frame.index.asi8[0]), int(frame.index.asi8[-1]))
        first, last = file.edges()
        assert file.stamps(first + 1, last).tolist() == frame.index.asi8[1:-1].tolist()
        assert file.rows(schema, first, last + 1).equals(table)
        assert frame_of(file.rows(schema, first, last + 1), "UTC").equals(frame)


def test_a_file_that_was_not_finished_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "month"
    with pytest.raises(KeyError), new_month(path, schema_of(SIXTY), SIXTY, "ada"):
        raise KeyError
    with pytest.raises(el.ArchiveError), open_file(open_place(tmp_path), str(path)):
        pass
