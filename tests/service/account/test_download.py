"""A wearer's data as a zip file: whole, importable, bounded, and nobody else's."""

import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pandas.testing as pdt
import pytest
import requests

import eyelog as el
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
    (months,) = (visitor.there.archive / ".months").glob("account=ada.*csv")
    months.write_text("damaged")
    shown = visitor.session.get(visitor.url, headers={"Accept": "text/html"}, timeout=30)
    assert (shown.status_code, title(shown)) == (500, "Your records cannot be read")
    assert "Please tell the person who runs this service." in shown.text


def test_a_download_too_slow_to_begin_is_refused_by_a_page_and_not_under_way_for_ever(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, hasty: Callable[[], Any]
) -> None:
    page, opens = visitor.log_in(), zipfile.ZipFile.open

    def slowly(*how: Any, **more: Any) -> Any:
        time.sleep(0.4)
        return opens(*how, **more)

    with hasty(), monkeypatch.context() as slow:
        slow.setattr(zipfile.ZipFile, "open", slowly)
        answer = visitor.send(page, "download")
    assert (answer.status_code, title(answer)) == (503, "The service cannot answer now")
    assert "took too long" in answer.text
    assert visitor.send(page, "download").status_code == 200


@pytest.mark.slow("months are downloaded by a slow reader")
def test_one_download_of_a_wearer_runs_at_a_time_in_small_parts_and_ends_with_its_browser(
    visitor: Visitor,
) -> None:
    archive = el.Archive(visitor.there.archive)
    for month in (7, 8):
        archive.write(COMPUTED, records(COMPUTED, f"2025-{month:02}-01", 20 * 5760), account="ada")
    form = {"form": signed(visitor.log_in()), "do": "download"}
    with visitor.session.post(visitor.url, form, stream=True, timeout=60) as first:
        assert first.status_code == 200
        parts = first.iter_content(None)
        sizes = [len(next(parts)) for _ in range(3)]
        busy = visitor.post(form)
        assert (busy.status_code, title(busy)) == (503, "The download cannot begin now")
        assert "under way already" in busy.text
    deadline = time.monotonic() + 60
    while (whole := visitor.post(form)).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert max(sizes) < len(whole.content) / 4
    with visitor.session.post(visitor.url, form, stream=True, timeout=60) as broken:
        parts = broken.iter_content(None)
        next(parts)
        month_file(archive.path, "2026-11", log=STANDARD, account="ada").unlink()
        with pytest.raises(requests.exceptions.ChunkedEncodingError):  # no part passes for all
            list(parts)
