"""The contents of the cache are shown and cleared by account."""

from datetime import UTC, datetime
from pathlib import Path

from eyelog.access.cache.cache_info import cache_info, clear_cache
from eyelog.access.cache.day_file import (
    DayFile,
    Entry,
    day_file,
    stored_files,
)
from support.cached import URL, bodies, entry, page


def test_the_cache_shows_its_contents_and_can_be_cleared_by_account(tmp_path: Path) -> None:
    assert len(cache_info(tmp_path)) == 0
    for name, pages in (("anna", 1), ("ben", 3)):
        file = day_file(tmp_path, name, URL)
        for key in ("one", "two"):
            made = {f"{key}{n}": page() for n in range(pages)}
            file.write(Entry(key, "computed_data", f"2026-10-{len(key)}", 1e9, None), made)
        file.write(Entry("three", "standard_mode_logs", "2026-10-3", 2e9, None), {"c": page()})
    table = cache_info(tmp_path)
    assert table["account"].tolist() == ["anna", "ben"]
    assert table["base_url"].tolist() == [URL, URL]
    assert table["days"].tolist() == [2, 2]
    assert table["pages"].tolist() == [3, 7]
    assert table["bytes"].tolist() == [file.path.stat().st_size for file in stored_files(tmp_path)]
    assert table["oldest"].tolist() == [datetime.fromtimestamp(1e9, UTC)] * 2
    assert table["newest"].tolist() == [datetime.fromtimestamp(2e9, UTC)] * 2

    assert clear_cache(tmp_path, "anna") == table["bytes"][0]
    assert cache_info(tmp_path)["account"].tolist() == ["ben"]
    assert clear_cache(tmp_path, "nobody") == 0
    assert clear_cache(tmp_path) == table["bytes"][1]
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_damaged_file_is_shown_by_its_name_and_cleared(tmp_path: Path) -> None:
    file = day_file(tmp_path, "anna", URL)
    file.path.parent.mkdir()
    file.path.write_bytes(b"no database")
    table = cache_info(tmp_path)
    assert table["account"].tolist() == [file.path.name]
    assert table["days"].tolist() == [0]
    assert clear_cache(tmp_path, "anna") == 11
    assert not file.path.exists()


def test_an_account_cleared_elsewhere_is_simply_empty(file: DayFile, tmp_path: Path) -> None:
    file.write(entry(), {"a": page("old")})
    clear_cache(tmp_path)
    assert file.pages("k") is None
    assert file.write(entry(), {"a": page("new")})
    assert bodies(file) == [b"new"]
    assert file.notes == {}
