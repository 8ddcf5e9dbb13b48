"""A wearer's data as a zip file: whole, importable, bounded, and nobody else's."""

import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pandas.testing as pdt
import pytest
import requests

import eyelog as el
from eyelog_service import wearer_page, web
from support import live
from support.account_page import Visitor, signed, title
from support.command import main
from support.live import COMPUTED, STANDARD, Live
from support.login_page import PASSWORD
from support.parquet import month_file
from support.records import records

FIRST, LAST = "2026-10-31", "2026-11-01"


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    """Both logs over the end of a month."""
    return {
        COMPUTED: records(COMPUTED, f"{FIRST} 20:00", 1500),
        STANDARD: records(STANDARD, f"{FIRST} 20:00", 400, seed=2),
    }


@pytest.fixture
def there(tmp_path: Path, frames: dict[str, pd.DataFrame], _cheap_hashes: None) -> Iterator[Live]:
    wearers = {"ada": list(frames.values()), "bea": [frames[STANDARD][:9]], "nobody": []}
    with live.service(tmp_path / "archive", wearers, password=PASSWORD) as running:
        yield running


def saved(answer: requests.Response, folder: Path) -> Path:
    assert answer.status_code == 200, answer.text
    file = folder / "data.zip"
    file.write_bytes(answer.content)
    with zipfile.ZipFile(file) as box:
        assert box.testzip() is None
    return file


def test_the_zip_file_is_taken_back_value_for_value(
    visitor: Visitor, frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    answer = visitor.send(visitor.log_in(), "download")
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="eyelog-2')
    file = saved(answer, tmp_path)
    assert zipfile.ZipFile(file).namelist() == [
        f"{log}-{month}.csv" for log in frames for month in ("2026-10", "2026-11")
    ]
    assert main(["import", str(file), "--archive", str(tmp_path / "again")]) == 0
    for log in frames:
        whole = el.Archive(visitor.there.archive).read(log, FIRST, LAST, account="ada")
        pdt.assert_frame_equal(el.Archive(tmp_path / "again").read(log, FIRST, LAST), whole)
        pdt.assert_frame_equal(el.read(file, log=log), whole)
    assert el.read(file, log=COMPUTED)["lat"].notna().any()


def text_of(visitor: Visitor, tmp_path: Path) -> pd.Series:
    """Return the dates of the 60-second log as they are written in the zip file."""
    with zipfile.ZipFile(saved(visitor.send(visitor.log_in(), "download"), tmp_path)) as box:
        return pd.read_csv(box.open(f"{STANDARD}-2026-10.csv"), dtype="str")["date"]


def test_dates_are_in_utc_and_say_so_where_no_zone_is_known(
    visitor: Visitor, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.delenv("EYELOG_TZ")
    assert text_of(visitor, tmp_path).str.endswith("+00:00").all()
    assert "Times are in UTC, because no time zone is known for you." in visitor.open().text


def test_the_page_names_the_clock_of_the_download_and_outlives_zones_that_are_damaged(
    visitor: Visitor,
) -> None:
    archive = el.Archive(visitor.there.archive)
    archive.set_zones("Asia/Tokyo", account="ada")
    assert "Times follow your clock (Asia/Tokyo)." in visitor.log_in().text
    (file,) = Path(archive.path, ".zones").glob("*ada*")
    file.write_text("no zones")
    page = visitor.open()
    assert "Times" not in page.text
    assert visitor.send(page, "download").status_code == 500


def test_a_wearer_gets_the_own_data_alone(visitor: Visitor, tmp_path: Path) -> None:
    file = saved(visitor.send(visitor.log_in("bea"), "download"), tmp_path)
    assert len(el.read(file)) == 9


def test_a_damaged_month_gives_a_page_and_no_part_of_a_file(visitor: Visitor) -> None:
    page = visitor.log_in()
    month = month_file(visitor.there.archive, "2026-11", log=STANDARD, account="ada")
    content = bytearray(month.read_bytes())
    content[-20:-8] = bytes(12)
    month.write_bytes(content)
    answer = visitor.send(page, "download")
    assert (answer.status_code, title(answer)) == (500, "Your data cannot be downloaded")
    assert str(month) not in answer.text
    assert visitor.send(page, "download").status_code == 500  # and not "under way already"


def test_a_fault_on_the_way_breaks_the_download_off(visitor: Visitor, monkeypatch) -> None:
    page = visitor.log_in()
    whole = wearer_page.csv_pieces

    def fails(place, log, account, month, zones):
        yield from whole(place, log, account, month, zones)
        if month == "2026-11":
            raise el.ArchiveError("the disk is gone")

    monkeypatch.setattr(wearer_page, "csv_pieces", fails)
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        visitor.send(page, "download")
    monkeypatch.undo()
    assert visitor.send(page, "download").status_code == 200


def test_one_download_of_a_wearer_runs_at_a_time_and_ends_when_the_browser_goes(
    visitor: Visitor, monkeypatch
) -> None:
    page = visitor.log_in()
    going, gone = threading.Event(), threading.Event()
    whole = wearer_page.csv_pieces

    def endless(place, log, account, month, zones):
        yield from whole(place, log, account, month, zones)
        going.set()
        while not gone.is_set():
            yield b"\n" * 1_000_000

    monkeypatch.setattr(wearer_page, "csv_pieces", endless)
    form = {"form": signed(page), "do": "download"}
    with visitor.session.post(visitor.url, form, stream=True, timeout=30) as first:
        assert first.status_code == 200
        assert going.wait(60)
        busy = visitor.post(form)
        assert (busy.status_code, title(busy)) == (503, "The download cannot begin now")
        assert "under way already" in busy.text
    monkeypatch.undo()
    deadline = time.monotonic() + 60
    while visitor.post(form).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    gone.set()


def test_a_download_that_took_too_long_to_begin_is_not_under_way_for_ever(
    visitor: Visitor, monkeypatch
) -> None:
    page = visitor.log_in()
    whole = wearer_page._zipped

    def slow(folder: Path, account: str) -> Iterator[bytes]:
        time.sleep(0.6)
        yield from whole(folder, account)

    monkeypatch.setattr(web, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(wearer_page, "_zipped", slow)
    assert visitor.send(page, "download").status_code == 503
    monkeypatch.undo()
    assert visitor.send(page, "download").status_code == 200


def test_a_download_is_made_in_small_parts(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    for month in (9, 10):
        archive.write(COMPUTED, records(COMPUTED, f"2025-{month:02}-01", 10 * 5760), account="ada")
    parts = [len(part) for part in wearer_page._zipped(tmp_path, "ada")]
    assert max(parts) < sum(parts) / 4  # of four days
