"""A wearer's data as a zip file: whole, importable, bounded, and nobody else's."""

import io
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
from eyelog.archive.months import month_path
from eyelog.archive.store import Archive, place_of
from eyelog.cli import main
from eyelog.service import bounds
from eyelog.service.account import download
from support import live
from support.account_page import Visitor, signed, title
from support.live import COMPUTED, STANDARD, Live
from support.login_page import PASSWORD
from support.processes import python
from support.records import records

FIRST, LAST = "2026-10-31", "2026-11-01"
LOOSE = {"check_names": False, "exact": False}


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
        whole = Archive(visitor.there.archive).read(log, FIRST, LAST, account="ada")
        pdt.assert_frame_equal(Archive(tmp_path / "again").read(log, FIRST, LAST), whole)
        pdt.assert_frame_equal(el.read(file, log=log), whole)
    assert el.read(file, log=COMPUTED)["lat"].notna().any()


def test_each_file_is_the_one_that_an_export_writes(visitor: Visitor, tmp_path: Path) -> None:
    file = saved(visitor.send(visitor.log_in(), "download"), tmp_path)
    with zipfile.ZipFile(file) as box:
        for log, days in ((COMPUTED, (FIRST, FIRST)), (STANDARD, (FIRST, FIRST))):
            target = tmp_path / f"{log}.csv"
            archive = Archive(visitor.there.archive)
            archive.export(log, *days, target, account="ada", location=True)
            assert box.read(f"{log}-2026-10.csv") == target.read_bytes()


def text_of(visitor: Visitor, tmp_path: Path) -> pd.Series:
    """Return the dates of the 60-second log as they are written in the zip file."""
    with zipfile.ZipFile(saved(visitor.send(visitor.log_in(), "download"), tmp_path)) as box:
        return pd.read_csv(box.open(f"{STANDARD}-2026-10.csv"), dtype="str")["date"]


def test_dates_are_written_on_the_clock_that_the_archive_knows_of_the_wearer(
    visitor: Visitor, frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    trip = el.Zones([("", "Asia/Tokyo"), ("2026-10-31T21:00:00Z", "America/New_York")])
    Archive(visitor.there.archive).set_zones(trip, account="ada")
    written = text_of(visitor, tmp_path)
    instants = frames[STANDARD].index[: len(written)]
    pdt.assert_index_equal(pd.DatetimeIndex(pd.to_datetime(written, utc=True)), instants, **LOOSE)
    away = instants > "2026-10-31T21:00Z"
    assert set(written[~away].str[-6:]) == {"+09:00"}
    assert set(written[away].str[-6:]) == {"-04:00"}


def test_dates_are_in_utc_and_say_so_where_no_zone_is_known(
    visitor: Visitor, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.delenv("EYELOG_TZ")
    assert text_of(visitor, tmp_path).str.endswith("+00:00").all()
    assert "Times are in UTC, because no time zone is known for you." in visitor.open().text


def test_the_page_names_the_clock_of_the_download_and_outlives_zones_that_are_damaged(
    visitor: Visitor,
) -> None:
    archive = Archive(visitor.there.archive)
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


def test_a_wearer_without_records_is_offered_none(visitor: Visitor) -> None:
    page = visitor.log_in("nobody")
    assert "There are no records of yours here yet." in page.text
    assert 'value="download"' not in page.text
    assert zipfile.ZipFile(io.BytesIO(visitor.send(page, "download").content)).namelist() == []


def test_the_page_says_what_there_is_and_that_it_has_the_place(visitor: Visitor) -> None:
    page = visitor.log_in()
    assert "October 2026 to November 2026" in page.text
    assert "<strong>where you were</strong>" in page.text


def test_a_damaged_month_gives_a_page_and_no_part_of_a_file(visitor: Visitor) -> None:
    page = visitor.log_in()
    place = place_of(Archive(visitor.there.archive))
    month = Path(visitor.there.archive, month_path(place, STANDARD, "ada", "2026-11"))
    content = bytearray(month.read_bytes())
    content[-20:-8] = bytes(12)
    month.write_bytes(content)
    answer = visitor.send(page, "download")
    assert (answer.status_code, title(answer)) == (500, "Your data cannot be downloaded")
    assert str(month) not in answer.text
    assert visitor.send(page, "download").status_code == 500  # and not "under way already"


def test_a_fault_on_the_way_breaks_the_download_off(visitor: Visitor, monkeypatch) -> None:
    page = visitor.log_in()
    whole = download.csv_pieces

    def fails(place, log, account, month, zones):
        yield from whole(place, log, account, month, zones)
        if month == "2026-11":
            raise el.ArchiveError("the disk is gone")

    monkeypatch.setattr(download, "csv_pieces", fails)
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        visitor.send(page, "download")
    monkeypatch.undo()
    assert visitor.send(page, "download").status_code == 200


def test_a_long_download_outlasts_the_time_of_a_request(visitor: Visitor, monkeypatch) -> None:
    monkeypatch.setattr(bounds, "REQUEST_SECONDS", 1.5)
    whole = download.csv_pieces

    def slow(place, log, account, month, zones):
        for piece in whole(place, log, account, month, zones):
            time.sleep(0.2)
            yield piece

    page = visitor.log_in()
    monkeypatch.setattr(download, "csv_pieces", slow)
    begun = time.monotonic()
    answer = visitor.send(page, "download")
    assert time.monotonic() - begun > 1.5
    assert len(zipfile.ZipFile(io.BytesIO(answer.content)).namelist()) == 4


def test_one_download_of_a_wearer_runs_at_a_time_and_ends_when_the_browser_goes(
    visitor: Visitor, monkeypatch
) -> None:
    page = visitor.log_in()
    going, gone = threading.Event(), threading.Event()
    whole = download.csv_pieces

    def endless(place, log, account, month, zones):
        yield from whole(place, log, account, month, zones)
        going.set()
        while not gone.is_set():
            yield b"\n" * 1_000_000

    monkeypatch.setattr(download, "csv_pieces", endless)
    form = {"form": signed(page), "do": "download"}
    with visitor.session.post(visitor.url, form, stream=True, timeout=30) as first:
        assert first.status_code == 200
        assert going.wait(10)
        busy = visitor.post(form)
        assert (busy.status_code, title(busy)) == (503, "The download cannot begin now")
        assert "under way already" in busy.text
    monkeypatch.undo()
    deadline = time.monotonic() + 20
    while visitor.post(form).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    gone.set()


def test_a_download_that_took_too_long_to_begin_is_not_under_way_for_ever(
    visitor: Visitor, monkeypatch
) -> None:
    page = visitor.log_in()
    whole = download._zipped

    def slow(folder: Path, account: str) -> Iterator[bytes]:
        time.sleep(0.6)
        yield from whole(folder, account)

    monkeypatch.setattr(bounds, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(download, "_zipped", slow)
    assert visitor.send(page, "download").status_code == 503
    monkeypatch.undo()
    assert visitor.send(page, "download").status_code == 200


@pytest.mark.slow
def test_a_year_takes_no_more_memory_than_some_days(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for month in range(1, 13):
        archive.write(COMPUTED, records(COMPUTED, f"2025-{month:02}-01", 28 * 5760), account="ada")
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from eyelog.service.account.download import _zipped\n"
        "rss = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10\n"
        "before = rss()\n"
        "size = sum(map(len, _zipped(Path(sys.argv[1]), 'ada')))\n"
        "print(size >> 20, rss() - before)\n"
    )
    size_mb, more_mb = map(int, python(program, str(tmp_path)).stdout.split())
    assert size_mb > 50
    assert more_mb < 250
