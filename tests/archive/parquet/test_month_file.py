"""A month file read back: large ones column by column, and by processes that end at once."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive import months
from eyelog.archive.parquet import month_file
from eyelog.catalogue import COMPUTED_DATA as LOG
from support.processes import python
from support.records import records


@pytest.mark.parametrize("sealed", [True, False])
def test_a_large_month_read_column_by_column_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sealed: bool
) -> None:
    archive, frame = el.Archive(tmp_path), records(LOG, "2026-10-24", 50)
    archive.write(LOG, frame, account="ada")
    (month,) = tmp_path.rglob("*.parquet")
    if not sealed:
        pq.write_table(pq.read_table(month), month)
    whole = archive.read(LOG, account="ada", tz="UTC")
    monkeypatch.setattr(month_file, "_MANY_VALUES", 10)
    monkeypatch.setattr(months, "_LARGE_FRAME", 10)
    assert_frame_equal(archive.read(LOG, account="ada", tz="UTC"), whole)
    assert_frame_equal(
        archive.read(LOG, account="ada", tz="UTC", fields=["stp", "isl"]), whole[["stp", "isl"]]
    )


MANY_EXITS = """
import os, sys
import eyelog as el

archive, statuses = el.Archive(sys.argv[1]), []
for _ in range(400):
    if not (child := os.fork()):
        break
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if child:
    print({status: statuses.count(status) for status in statuses})
else:
    assert len(archive.verify()) == 0  # and it ends at once
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_process_that_ends_after_a_read_is_not_aborted(tmp_path: Path) -> None:
    el.Archive(tmp_path).write(LOG, el.simulate("2026-10-19", 2, log=LOG), account="ada")
    assert python(MANY_EXITS, str(tmp_path)).stdout.strip() == "{0: 400}"
