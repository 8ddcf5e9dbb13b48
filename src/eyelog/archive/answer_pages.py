"""Pages of answers as one table of the archive, without a frame in between.

A frame of every page, and a table of every frame, would cost more than reading the answers.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyelog.answers.page import Page, joined_column, rows_kept
from eyelog.archive.arrow_tables import STAMP, plain_array, schema_of
from eyelog.catalogue import catalogue
from eyelog.frame import warn_unknown

__all__ = ["table_of_pages"]


def table_of_pages(pages: Sequence[Page], log: str) -> pa.Table:
    """Return the records of some pages, sorted by stamp; of several with the same stamp, the last.

    It has every field of the catalogue, and after them the unknown fields that have a value, with a
    warning.
    """
    filled = [page for page in pages if page.n]
    unknown = sorted({name for page in pages for name in page.unknown})
    warn_unknown(log, unknown)
    if not filled:
        return schema_of(log).empty_table()
    stamps = np.concatenate([page.stamps for page in filled])
    fields = list(schema_of(log))
    arrays: list[pa.Array | pa.ChunkedArray] = [pa.array(stamps.view(np.int64)).cast(STAMP)]
    arrays += [_known(filled, field, log) for field in fields if field.name != "date"]
    for name in unknown:
        values = plain_array(joined_column(filled, name, ""))
        if values.null_count < len(values):
            fields.append(pa.field(name, values.type))
            arrays.append(values)
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    kept = rows_kept(stamps)
    return table if kept is None else table.take(pa.array(kept))


def _known(pages: Sequence[Page], field: pa.Field, log: str) -> pa.Array | pa.ChunkedArray:
    name, dtype = field.name, catalogue(log)[field.name].dtype
    columns = [page.columns.get(name) for page in pages]
    if all(isinstance(column, pa.Array) for column in columns):
        return pa.chunked_array(columns, field.type)  # an Arrow stream: nothing is copied
    values = joined_column(pages, name, dtype)
    if pa.types.is_boolean(field.type):
        return pa.array(values == 1, mask=np.isnan(values))
    return pa.array(values, field.type, from_pandas=True)
