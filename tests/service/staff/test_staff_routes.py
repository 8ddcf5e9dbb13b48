"""The page of the staff: who may see it, which wearers it has, and what nobody can see there."""

import io
import json
import re
import zipfile
from html import unescape

import pandas as pd
import pytest
import requests

from eyelog.service.audit import FILE_NAME
from support.account_page import Visitor, signed, title
from support.live import STANDARD, Live
from support.login_page import PASSWORD
from support.uploads import csv


def log_in(visitor: Visitor, name: str, password: str = PASSWORD) -> requests.Response:
    return visitor.send(visitor.open(), "log-in", name=name, password=password)


def words(page: requests.Response) -> str:
    return unescape(
        " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page.text, flags=re.DOTALL).split())
    )


@pytest.mark.parametrize(
    ("name", "heading", "seen"),
    [
        ("kim", "Study sleep", {"ada", "bea"}),
        ("lee", "Study work", {"cyd"}),
        ("root", "All studies", {"ada", "bea", "cyd", "dan"}),
    ],
)
def test_staff_see_the_wearers_of_their_study_and_an_admin_all(
    visitor: Visitor, name: str, heading: str, seen: set[str]
) -> None:
    page = log_in(visitor, name)
    assert (page.status_code, title(page)) == (200, heading)
    rows = set(re.findall(r'<th scope="row">(\w+)</th>', page.text))
    assert rows == seen
    for other in {"ada", "bea", "cyd", "dan", "kim", "lee", "root"} - seen - {name}:
        assert other not in words(page).split()


def test_the_page_says_who_has_stopped_and_who_has_sent_nothing(visitor: Visitor) -> None:
    text = words(log_in(visitor, "kim"))
    assert "Stopped 1: ada" in text  # the records are of October
    assert "Nothing yet 1: bea" in text
    assert "ada stopped " in text
    assert "2026-10-24 01:00" in text


@pytest.mark.slow
def test_uploads_are_listed_with_who_sent_what_and_when(there: Live, visitor: Visitor) -> None:
    for name in ("bea", "cyd"):
        headers = {"Authorization": f"Bearer {there.registry.grants.issue_upload_token(name)}"}
        sent = requests.post(f"{there.url}/v1/records", data=csv(), headers=headers, timeout=60)
        assert sent.status_code == 200
    text = words(log_in(visitor, "kim"))
    assert re.search(r"Who sent what .*2026-\d\d-\d\d \d\d:\d\d bea 1 0\.0 MB 60 Tables", text)


@pytest.mark.parametrize("name", ["ada", "dan"])
def test_a_wearer_does_not_get_in(visitor: Visitor, name: str) -> None:
    page = log_in(visitor, name)
    assert page.status_code == 403
    assert "This page is for the staff of a study" in words(page)
    assert "Log in as staff" in visitor.open().text


def test_a_session_of_another_page_is_none_here(there: Live, visitor: Visitor) -> None:
    wearer = Visitor(there)
    wearer.log_in("kim")  # staff have an account page too
    session = wearer.session.cookies.get("eyelog_session")
    cookies = {"eyelog_staff_session": session or "", "eyelog_session": session or ""}
    page = requests.get(visitor.url, cookies=cookies, headers={"Accept": "text/html"}, timeout=30)
    assert "Log in as staff" in page.text
    log_in(visitor, "kim")
    staff = visitor.session.cookies.get("eyelog_staff_session")
    cookies = {"eyelog_session": staff or ""}
    page = requests.get(f"{there.url}/account", cookies=cookies, timeout=30)
    assert "Log in to your account" in page.text


def test_wrong_passwords_count_as_on_every_page(visitor: Visitor) -> None:
    page = log_in(visitor, "kim", "a guess")
    assert (page.status_code, title(page)) == (400, "Wrong name or password")
    for _ in range(6):
        page = log_in(visitor, "kim", "a guess")
    assert page.status_code == 429


def test_somebody_who_is_no_longer_staff_is_out_at_once(there: Live, visitor: Visitor) -> None:
    log_in(visitor, "kim")
    there.registry.accounts.disable("kim")
    assert "Log in as staff" in visitor.open().text
    there.registry.accounts.enable("kim")
    log_in(visitor, "kim")
    form = signed(visitor.open())
    there.registry.accounts.remove("kim")
    page = visitor.post({"form": form, "do": "download", "month": "2026-10"})
    assert page.status_code == 403


@pytest.mark.usefixtures("in_processes")
def test_the_tables_have_a_row_per_wearer_and_day_of_the_own_study(
    there: Live, visitor: Visitor
) -> None:
    page = log_in(visitor, "kim")
    answer = visitor.send(page, "download", month="2026-10")
    assert answer.headers["Content-Type"] == "application/zip"
    assert 'filename="eyelog-study-2026-10.zip"' in answer.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as box:
        table = pd.read_csv(box.open(f"daily-{STANDARD}-2026-10.csv"))
    assert list(table["account"]) == ["ada"]
    assert list(table["day"]) == ["2026-10-24"]
    assert list(table["n"]) == [60]
    refused = visitor.send(visitor.open(), "download", month="2026-09")
    assert (refused.status_code, title(refused)) == (400, "There are no tables")
    lines = [json.loads(line) for line in (there.archive / FILE_NAME).read_text().splitlines()]
    events = [(line["event"], line.get("month")) for line in lines if line.get("account") == "kim"]
    assert events[-2:] == [("login", None), ("study_download", "2026-10")]


def test_no_secret_of_anybody_is_on_the_page(there: Live, visitor: Visitor) -> None:
    tokens = there.login("ada")
    upload = there.registry.grants.issue_upload_token("ada")
    text = log_in(visitor, "kim").text
    for secret in (*tokens.values(), upload, there.client_id, there.client_secret, PASSWORD):
        if isinstance(secret, str) and len(secret) > 8:
            assert secret not in text
    for name in ("password", "token"):
        assert name not in words(visitor.open()).lower()


def test_the_form_of_another_login_or_site_is_refused(there: Live, visitor: Visitor) -> None:
    log_in(visitor, "kim")
    form = {"form": signed(visitor.open()), "do": "download", "month": "2026-10"}
    assert visitor.post(form, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert visitor.post(form | {"do": "withdraw"}).status_code == 400
    assert visitor.post(form | {"form": "made up"}).status_code == 400


def test_after_a_logout_every_copy_of_the_session_is_void(there: Live, visitor: Visitor) -> None:
    log_in(visitor, "kim")
    copied = dict(visitor.session.cookies)
    visitor.send(visitor.open(), "log-out")
    page = requests.get(visitor.url, cookies=copied, headers={"Accept": "text/html"}, timeout=30)
    assert "Log in as staff" in page.text


@pytest.mark.slow
def test_pages_of_wearers_beyond_the_last_show_the_last(there: Live, visitor: Visitor) -> None:
    log_in(visitor, "kim")
    for asked in ("?page=7", "?page=0", "?page=x", "?page=%D9%A3", "?page=9999999999"):
        page = visitor.open(asked)
        assert (page.status_code, title(page)) == (200, "Study sleep")
