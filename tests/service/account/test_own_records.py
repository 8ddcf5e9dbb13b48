"""Records on the account page: sent with a form, seen per day, reported, and deleted."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import eyelog as el
from support import live
from support.account_page import Visitor, signed, title
from support.live import AUDIT, STANDARD, Live
from support.login_page import PASSWORD
from support.logs import LOGS
from support.uploads import csv, spooled, stored

FILES = "files"


def send(
    visitor: Visitor, *files: tuple[str, bytes], form: str | None = None, **headers: str
) -> requests.Response:
    """Send files as the form of the page does."""
    fields = [("form", (None, form or signed(visitor.open()))), ("do", (None, "send"))]
    parts: Any = [*fields, *((FILES, file) for file in files)]
    return visitor.session.post(visitor.url, files=parts, headers=headers, timeout=60)


def words(page: requests.Response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page.text).split())


def test_files_of_the_form_are_imported_and_the_page_says_what_became_of_each(
    there: Live, visitor: Visitor
) -> None:
    visitor.log_in("bea")
    page = send(visitor, ("week.csv", csv()), ("notes.txt", b"dear diary\n"))
    assert (page.status_code, title(page)) == (200, "60 new records arrived")
    assert "week.csv: 60 records, 60 new" in words(page)
    assert "notes.txt: not taken: " in words(page)
    assert stored(there, "bea") == {STANDARD: 60}
    again = send(visitor, ("week.csv", csv()))
    assert title(again) == "Nothing new arrived: the records were here before"
    audit = (there.archive / AUDIT).read_text()
    assert '"event": "upload", "account": "bea"' in audit
    assert spooled(there) == []


def test_stored_values_stay_and_the_page_says_how_many_differ(
    there: Live, visitor: Visitor
) -> None:
    visitor.log_in("bea")
    send(visitor, ("week.csv", csv(n=5)))
    before = el.Archive(there.archive).read(STANDARD, account="bea", tz="UTC")
    page = send(visitor, ("other.csv", csv(n=5, seed=9)))
    assert "other values than stored before, which stay" in words(page)
    after = el.Archive(there.archive).read(STANDARD, account="bea", tz="UTC")
    assert after.where(before.notna()).equals(before)


def test_what_is_refused_is_said_beside_the_field_and_kept_nowhere(
    there: Live, visitor: Visitor
) -> None:
    visitor.log_in("bea")
    for file, status, said in (
        (("", b""), 400, "The body has no file, or only empty ones."),
        (("notes.txt", b"dear diary\n"), 422, "Notes.txt: it has no line"),
    ):
        page = send(visitor, file)
        assert (page.status_code, said in words(page)) == (status, True)
    big = {"form": signed(visitor.open()), "do": "withdraw", "grant": "x" * 70_000}
    assert visitor.post(big).status_code == 413  # which is no upload, and small
    assert stored(there, "bea") == {}
    assert spooled(there) == []


def test_only_the_wearers_own_form_sends_files(there: Live, visitor: Visitor) -> None:
    refused = send(visitor, ("week.csv", csv()))  # not logged in
    assert (refused.status_code, title(refused)[:22]) == (403, "Your session has ended")
    visitor.log_in("bea")
    other = Visitor(there)
    other.log_in("ada")
    foreign = signed(other.open())
    for headers, form in (
        ({"Sec-Fetch-Site": "cross-site"}, None),
        ({"Origin": "https://example.org"}, None),
        ({}, foreign),
        ({}, "made up"),
    ):
        page = send(visitor, ("week.csv", csv()), form=form, **headers)
        assert page.status_code in (400, 403), headers
    assert stored(there, "bea") == {}
    assert spooled(there) == []


@pytest.fixture
def wide(tmp_path: Path) -> Iterator[Live]:
    """Ada has 34 days of both logs in Tokyo, over the turn of a month; nobody has nothing."""
    frames = [el.simulate("2026-10-20", 34, log=log, tz="Asia/Tokyo") for log in LOGS]
    wearers = {"ada": frames, "nobody": []}
    with live.service(tmp_path / "wide", wearers, password=PASSWORD) as running:
        el.Archive(running.archive).set_zones("Asia/Tokyo", account="ada")
        yield running


@pytest.mark.slow("months are simulated and served")
def test_the_days_are_the_last_ones_of_the_wearer_who_asks(wide: Live) -> None:
    visitor, nobody = Visitor(wide), Visitor(wide)
    assert "Log in to your account" in visitor.open("?show=days").text
    visitor.log_in("ada")
    page = visitor.open("?show=days")
    assert title(page) == "What arrived per day"
    assert 'src="data:image/png;base64,' in page.text
    shown = re.findall(r"(2026-\d\d-\d\d) ([\d,]+) ([\d.]+) ", words(page))
    assert len(shown) == 2 * 28
    for log, days in zip(LOGS, (shown[:28], shown[28:]), strict=True):
        daily = el.daily(el.Archive(wide.archive).read(log, account="ada")).iloc[-28:].iloc[::-1]
        assert [day for day, *_ in days] == [f"{day:%Y-%m-%d}" for day in daily.index]
        assert [int(n.replace(",", "")) for _, n, _ in days] == list(daily["n"])
        assert [float(hours) for *_, hours in days] == pytest.approx(
            list(daily["worn_h"]), abs=0.051
        )
    nobody.log_in("nobody")
    assert "There are no records of yours here yet." in words(nobody.open("?show=days"))


@pytest.mark.slow("a report is made")
def test_the_report_is_a_file_about_the_wearer_who_asks(
    there: Live, visitor: Visitor, patient: None
) -> None:
    page = visitor.log_in("ada")
    report = visitor.send(page, "report")
    assert re.fullmatch(
        r'attachment; filename="eyelog-report-\d{4}-\d\d-\d\d.html"',
        report.headers["Content-Disposition"],
    )
    assert report.headers["Cache-Control"] == "no-store"
    assert report.text.startswith("<!doctype html>")
    assert "ada" in report.text
    nobody = Visitor(there)
    assert nobody.send(nobody.log_in("nobody"), "report").status_code == 404


def test_deleting_needs_the_password_and_leaves_nothing_of_the_name(
    there: Live, visitor: Visitor
) -> None:
    tokens = there.login("ada")
    page = visitor.log_in("ada")
    for given, said in (("", "Enter your password."), ("a guess", "The password is wrong.")):
        page = visitor.send(page, "delete", password=given)
        assert (page.status_code, title(page)) == (400, said.rstrip("."))
    assert stored(there, "ada") == {STANDARD: 60}
    page = visitor.send(visitor.open(), "delete", password=PASSWORD)
    assert (page.status_code, title(page)) == (200, "Everything is deleted")
    assert stored(there, "ada") == {}
    assert "Log in to your account" in visitor.open().text
    assert not there.opens(tokens["access_token"])
    assert there.operator.accounts() == ["bea", "nobody"]
    left = [
        path
        for path in there.archive.rglob("*")
        if "=ada" in path.name or (path.is_file() and b'"ada"' in path.read_bytes())
    ]
    assert left == []
    assert '"event": "erase"' in (there.archive / AUDIT).read_text()
