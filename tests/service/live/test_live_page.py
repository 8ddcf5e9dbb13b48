"""The page of `eyelog listen`: in a real browser, and what it refuses."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.sync.client import connect

import eyelog as el
from eyelog_service.live_page import LivePage, Recent
from support.chromium import DESK, PHONE, chromium, needs_chromium
from support.livesocket import listening, packet


@pytest.fixture
def page(tmp_path: Path) -> Iterator[LivePage]:
    page = LivePage(
        el.Archive(tmp_path / "archive"), "anna", {"anna": Recent(), "bob & co": Recent()}
    )
    page.start(0)
    yield page
    page.stop()


def ask(
    page: LivePage, target: str, method: str = "GET", body: str = "", **headers: str
) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection(page.address.removeprefix("http://"), timeout=10)
    named = {name.capitalize(): value for name, value in headers.items()}
    try:
        connection.request(method, target, body, named)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.headers)
    finally:
        connection.close()


def marked(page: LivePage, label: str, account: str = "anna", **headers: str) -> int:
    form = urlencode({"account": account, "label": label})
    return ask(page, "/mark", "POST", form, **({"origin": page.address} | headers))[0]


def test_the_page_names_its_accounts_and_runs_its_own_script_alone(page: LivePage) -> None:
    status, text, headers = ask(page, "/")
    assert status == 200
    assert '<span id="account">anna</span>' in text
    assert "bob &amp; co" in text
    assert "default-src 'none'; script-src 'sha256-" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert ask(page, "/?account=bob+%26+co")[0] == 200
    assert ask(page, "/?account=eve")[0] == 404
    assert ask(page, "/elsewhere")[0] == 404
    assert ask(page, "//[?account=anna")[0] == 404


def test_a_request_by_another_name_or_from_another_page_is_refused(page: LivePage) -> None:
    port = page.address.rsplit(":", 1)[1]
    for target in ("/", "/news"):
        for host in (f"evil.example:{port}", f"localhost:{port}", "127.0.0.1"):
            assert ask(page, target, host=host)[0] == 403
        assert ask(page, target, origin="http://evil.example")[0] == 403
    assert marked(page, "a", host=f"evil.example:{port}") == 403
    for origin in ("http://evil.example", "null"):
        assert marked(page, "a", origin=origin) == 403
    assert ask(page, "/mark", "POST", "label=a")[0] == 403  # without an origin
    assert not page.diary("anna").path.exists()


def test_an_event_without_a_label_or_of_nobody_is_refused(page: LivePage) -> None:
    assert marked(page, "  ") == 400
    assert marked(page, "a", account="eve") == 404
    assert marked(page, "a" * 10_000) == 413
    page.keeps_diary = False
    assert marked(page, "a") == 400
    assert not page.diary("anna").path.exists()


def test_marks_of_several_readers_are_whole_lines(page: LivePage) -> None:
    threads = [threading.Thread(target=marked, args=(page, f"event {n}")) for n in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    events = el.read_events(page.diary("anna").path, tz="UTC")
    assert sorted(events["label"]) == sorted(f"event {n}" for n in range(20))


def test_the_news_are_those_of_now(page: LivePage) -> None:
    (status, first, headers), (_, second, _) = [ask(page, "/news?account=anna") for _ in range(2)]
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert headers["Cache-Control"] == "no-store"
    news = json.loads(first)
    assert news["recent"] is None
    assert news["disk_gb"] > 0
    assert datetime.fromisoformat(news["now"]) < datetime.fromisoformat(json.loads(second)["now"])
    assert ask(page, "/news?account=eve")[0] == 404


def test_a_port_that_is_taken_gives_way_to_a_free_one(page: LivePage, tmp_path: Path) -> None:
    other = LivePage(el.Archive(tmp_path / "archive"), "anna", {})
    port = int(page.address.rsplit(":", 1)[1])
    assert other.start(port) != page.address
    other.stop()


@needs_chromium
@pytest.mark.slow("a real browser shows the page")
def test_the_page_in_a_browser_shows_what_comes_and_marks_events(tmp_path: Path) -> None:
    with listening(tmp_path / "archive", "--account", "anna") as there, chromium() as browser:
        (address,) = [line.split()[-1] for line in there.said() if "http://" in line]
        with connect(there.address, proxy=None) as sender:
            for number in range(1_000):
                sender.send(json.dumps(packet(number, walking=int(number == 500))))
            browser.open(f"{address}/", width=DESK)
            deadline = time.monotonic() + 60
            while browser.run("return document.getElementById('steps').textContent") != "1":
                assert time.monotonic() < deadline, browser.console()
                time.sleep(0.1)
            browser.run(
                "document.getElementById('label').value = 'lights on';"
                "document.querySelector('#mark button').click()"
            )
            while "lights on" not in browser.run(
                "return document.getElementById('marks').innerText"
            ):
                assert time.monotonic() < deadline, browser.console()
                time.sleep(0.1)
            assert browser.run("return document.querySelectorAll('#chart rect').length") > 1
            assert browser.axe() == []
            assert browser.layout_faults() == []
            assert {one.rsplit(":", 1)[0] for one in browser.requests()} == {"http://127.0.0.1"}
            for dark in (False, True):
                browser.open(f"{address}/", width=PHONE, dark=dark)
                time.sleep(1.5)
                assert browser.axe() == []
                assert browser.layout_faults() == []
                assert not browser.scrolls_sideways()
            assert browser.console() == []
        there.stop()
    (path,) = (tmp_path / "archive").glob(".live/account=anna/diary.csv")
    assert el.read_events(path, tz="UTC")["label"].tolist() == ["lights on"]
