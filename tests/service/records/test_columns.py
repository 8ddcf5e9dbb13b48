"""The service answers in columns where a client asks for them, and in JSON everywhere else."""

import pyarrow as pa
import pytest
import requests
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.access import day_fetcher, walk
from eyelog.access.cache.day_file import unpack
from eyelog.answers.arrow import ARROW
from eyelog.answers.decode import decode_page
from eyelog.archive.store import Archive
from eyelog.service.records import group_cache
from eyelog.service.records.query import parse_query
from eyelog.service.records.windows import Windows
from support import live
from support.live import COMPUTED, REDIRECT, STANDARD, Live
from support.records import records
from support.replies import DAY, records_of


def ask(there: Live, token: str, accept: str | None, **more: str) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}"} | ({} if accept is None else {"Accept": accept})
    return requests.get(
        f"{there.url}/v2/users/me/official/{STANDARD}",
        params={"date_from": DAY[0], "date_to": DAY[1], **more},
        headers=headers,
        timeout=30,
    )


@pytest.mark.parametrize(
    ("accept", "columns"),
    [
        (ARROW, True),
        (f"{ARROW}, application/json;q=0.5", True),
        (f"application/json;q=0.2, {ARROW};q=0.3", True),
        (f"application/json, {ARROW};q=0.9", False),
        (f"{ARROW};q=0", False),
        ("application/json", False),
        ("*/*", False),
        ("application/*", False),
        ("text/html", False),
        ("", False),
        (None, False),
    ],
)
def test_only_a_client_that_prefers_columns_gets_them(
    there: Live, token: str, accept: str | None, columns: bool
) -> None:
    answer = ask(there, token, accept)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == (ARROW if columns else "application/json")
    assert "Accept" in answer.headers["Vary"].split(", ")
    assert (answer.links.get("alternate", {}).get("type") == ARROW) is not columns


def test_the_records_are_the_same_in_both_forms(there: Live, token: str) -> None:
    page = decode_page(ask(there, token, ARROW).content, STANDARD)
    assert page.cursor is None
    walked = there.walk(STANDARD, *DAY, token=token)
    assert page.n == sum(len(records_of(body, STANDARD)) for body in walked)


def test_a_cursor_of_one_form_continues_in_the_other(there: Live, token: str) -> None:
    first = ask(there, token, None).json()
    rest = decode_page(ask(there, token, ARROW, cursor=first["cursor"]).content, STANDARD)
    whole = decode_page(ask(there, token, ARROW).content, STANDARD)
    assert len(records_of(first, STANDARD)) + rest.n == whole.n
    assert (rest.stamps == whole.stamps[-rest.n :]).all()


def test_exactly_the_fields_asked_for_are_columns(there: Live, token: str) -> None:
    body = ask(there, token, ARROW, fields="bl,date").content
    assert pa.ipc.open_stream(body).schema.names == ["date", "bl"]
    assert pa.ipc.open_stream(ask(there, token, ARROW, fields="bl").content).schema.names == ["bl"]


def test_errors_are_json_whatever_the_client_prefers(there: Live, token: str) -> None:
    refused = ask(there, token, ARROW, fields="nothing")
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")
    assert ask(there, "x" * 43, ARROW).json()["error"] == "invalid_token"


def client(there: Live, home: object, token: str, **more: object) -> el.Client:
    return el.Client(
        there.url,
        application=el.Application(there.client_id, there.client_secret, REDIRECT),
        token=el.Token(token),
        home=home,
        **more,
    )


def test_a_client_asks_for_columns_once_it_has_seen_them_offered(tmp_path, monkeypatch) -> None:
    frames = [records(COMPUTED, "2026-10-24 00:00:15", 1200)]
    seen = []
    with live.service(tmp_path / "a", {"ada": frames}, page_size=100) as there:
        decode = walk.decode_page
        monkeypatch.setattr(
            walk,
            "decode_page",
            lambda body, *a, **k: seen.append(body[:1]) or decode(body, *a, **k),
        )
        token = there.login("ada")["access_token"]
        with client(there, tmp_path / "home", token) as taro:
            fetched = taro.computed_data("2026-10-24", "2026-10-24")
            assert seen == [b"{", b"\xff"]
            again = taro.computed_data("2026-10-24", "2026-10-24")
        with client(there, tmp_path / "another", token) as hana:
            of_another = hana.computed_data("2026-10-24", "2026-10-24")
            assert seen[2:] == [b"\xff", b"{", b"\xff"]  # from the cache; a client that asks anew
        with client(there, tmp_path / "home", token, offline=True) as offline:
            stored = offline.computed_data("2026-10-24", "2026-10-24")
    expected = Archive(tmp_path / "a").read(COMPUTED, "2026-10-24", "2026-10-24", account="ada")
    for frame in (fetched, again, of_another, stored):
        assert_frame_equal(frame, expected)


def forms(client_: el.Client) -> list[set[str]]:
    """The content types of the stored pages of each day."""
    file = client_._fetcher.file
    days = {key for (key,) in file._read("SELECT key FROM days")}
    found = []
    for key in sorted(days):
        pages = (file.pages(key) or {}).values()
        found.append({page.content_type for blob in pages if (page := unpack(blob))})
    return found


@pytest.mark.parametrize("workers", [1, 4])
def test_the_pages_of_a_stored_day_have_one_form(tmp_path, workers) -> None:
    # A day of 25 hours is two windows; a short day is one page, which is taken as it came.
    frames = [records(COMPUTED, "2026-10-24 00:00:15", 7000), records(COMPUTED, "2026-10-28", 9)]
    with live.service(tmp_path / "a", {"ada": frames}, page_size=100) as there:
        token = there.login("ada")["access_token"]
        with client(there, tmp_path / "home", token, workers=workers, tz="Europe/Berlin") as taro:
            first = taro.computed_data("2026-10-28", "2026-10-28")
            assert len(first) == 9
            assert len(forms(taro)) == 1
            rest = taro.computed_data("2026-10-24", "2026-10-26")
            assert all(len(form) == 1 for form in forms(taro))
            assert sum({ARROW} == form for form in forms(taro)) == 3
    expected = Archive(tmp_path / "a").read(
        COMPUTED, "2026-10-24", "2026-10-26", account="ada", tz="Europe/Berlin"
    )
    assert_frame_equal(rest, expected)


def test_a_day_stored_in_json_is_read_as_it_is_and_replaced_whole(tmp_path, monkeypatch) -> None:
    frames = [records(STANDARD, "2026-10-24 00:01", 350)]
    with live.service(tmp_path / "a", {"ada": frames}, page_size=100) as there:
        token = there.login("ada")["access_token"]
        with monkeypatch.context() as json_only, client(there, tmp_path / "h", token) as taro:
            json_only.setattr(day_fetcher, "ARROW", "application/x-nothing")
            before = taro.standard_mode_logs("2026-10-24", "2026-10-24")
            assert forms(taro) == [{"application/json"}]
        with client(there, tmp_path / "h", token) as taro:
            assert_frame_equal(taro.standard_mode_logs("2026-10-24", "2026-10-24"), before)
            assert forms(taro) == [{"application/json"}]
            after = taro.standard_mode_logs("2026-10-24", "2026-10-24", refresh=True)
            assert forms(taro) == [{ARROW}]
    assert_frame_equal(after, before)


def test_what_the_service_keeps_is_bounded_by_bytes(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(group_cache, "_KEPT_BYTES", 300_000)
    frames = [records(STANDARD, f"2026-10-{day:02} 00:01", 200) for day in range(1, 26)]
    live.make(tmp_path / "a", {"ada": frames})
    windows = Windows(tmp_path / "a")
    for day in range(1, 26):
        edges = f"2026-10-{day:02}T00:00:00Z", f"2026-10-{day:02}T23:59:59Z"
        pairs = list(zip(("date_from", "date_to"), edges, strict=True))
        assert len(windows.read(parse_query(STANDARD, pairs), "ada")) == 200
        assert windows._groups._bytes <= 300_000
    assert 1 <= len(windows._groups._kept) < 7
