"""A page shows the archive as it is on disk, and reads only the months of its window."""

import os
from pathlib import Path

import eyelog as el
from support import live
from support.live import COMPUTED, STANDARD
from support.records import records
from support.replies import DAY, records_of


def test_what_is_written_is_served_at_once(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}, page_size=10) as there:
        token = there.login("ada")["access_token"]
        ask = {"token": token, "fields": "bl"}
        before = there.get(STANDARD, *DAY, **ask).json()
        changed = frame[["bl"]] * 0 + 3.0
        archive = el.Archive(there.archive)
        archive.write(STANDARD, changed.fillna(3.0), account="ada", replace=True)
        after = there.get(STANDARD, *DAY, **ask).json()
    assert before != after
    assert {r["bl"] for r in records_of(after, STANDARD)} == {3}


def test_a_damaged_month_is_a_500_that_reveals_no_path(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}) as there:
        token = there.login("ada")["access_token"]
        for file in there.archive.rglob("*.parquet"):
            os.truncate(file, file.stat().st_size // 2)
        answer = there.get(STANDARD, *DAY, token=token)
        assert answer.status_code == 500
        assert answer.json()["error"] == "server_error"
        assert str(tmp_path) not in answer.text
        assert token not in answer.text
        ok = there.get(COMPUTED, *DAY, token=token)
        assert ok.json() == {COMPUTED: {}, "cursor": None}
