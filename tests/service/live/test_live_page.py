"""The page of `eyelog listen`: its numbers, what it refuses, and in a real browser."""

import errno
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from websockets.sync.client import connect

import eyelog as el
from support.chromium import DESK, PHONE, chromium, needs_chromium
from support.livesocket import ListeningHere, listening, listening_here, packet

pytestmark = pytest.mark.filterwarnings("ignore:unknown fields")


@pytest.fixture
def there(tmp_path: Path) -> Iterator[ListeningHere]:
    devices = {"left": "bob & co"}
    with listening_here(tmp_path / "archive", account="anna", devices=devices) as running:
        yield running


def ask(
    there: ListeningHere, target: str, method: str = "GET", body: str = "", **headers: str
) -> tuple[int, str, Message]:
    connection = http.client.HTTPConnection(there.page.removeprefix("http://"), timeout=10)
    named = {name.capitalize(): value for name, value in headers.items()}
    try:
        connection.request(method, target, body, named)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers
    finally:
        connection.close()


def marked(there: ListeningHere, label: str, account: str = "anna", **headers: str) -> int:
    form = urlencode({"account": account, "label": label})
    return ask(there, "/mark", "POST", form, **({"origin": there.page} | headers))[0]


def diary(there: ListeningHere) -> Path:
    return there.archive / ".live" / "account=anna" / "diary.csv"


def test_the_page_names_its_accounts_and_runs_its_own_script_alone(there: ListeningHere) -> None:
    there.send([{"a": 1}], path="/left")
    there.wait_for("end of bob & co")
    status, text, headers = ask(there, "/")
    assert status == 200
    assert '<span id="account">anna</span>' in text
    assert "bob &amp; co" in text
    assert "default-src 'none'; script-src 'sha256-" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert ask(there, "/?account=bob+%26+co")[0] == 200
    for target in ("/?account=eve", "/elsewhere", "//[?account=anna", "/news?account=eve"):
        assert ask(there, target)[0] == 404


def test_a_request_by_another_name_or_from_another_page_is_refused(there: ListeningHere) -> None:
    port = there.page.rsplit(":", 1)[1]
    for target in ("/", "/news"):
        for host in (f"evil.example:{port}", f"localhost:{port}", "127.0.0.1"):
            assert ask(there, target, host=host)[0] == 403
        assert ask(there, target, origin="http://evil.example")[0] == 403
    assert marked(there, "a", host=f"evil.example:{port}") == 403
    for origin in ("http://evil.example", "null"):
        assert marked(there, "a", origin=origin) == 403
    assert ask(there, "/mark", "POST", "label=a")[0] == 403  # without an origin
    assert marked(there, "  ") == 400
    assert marked(there, "a", account="eve") == 404
    form = urlencode({"label": "a" * 9_000})
    status, text, headers = ask(there, "/mark", "POST", form, origin=there.page)
    assert (status, text) == (413, "the body is larger than 8 KB\n")
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    # Neither label nor account of a mark is taken from an address.
    assert ask(there, "/mark?label=q", "POST", origin=there.page)[0] == 400
    assert (
        ask(there, "/mark?account=anna", "POST", "label=a&account=eve", origin=there.page)[0] == 404
    )
    assert not diary(there).exists()


def test_the_head_of_the_page_can_be_asked_for_alone(there: ListeningHere) -> None:
    assert ask(there, "/", "HEAD")[:2] == (200, "")
    assert ask(there, "/elsewhere", "HEAD")[0] == 404
    assert ask(there, "/", "HEAD", host="evil.example")[0] == 403


def test_a_mark_that_is_half_sent_does_not_hold_up_what_is_recorded_at_the_end(
    there: ListeningHere,
) -> None:
    page = there.page.removeprefix("http://")
    head = (
        f"POST /mark HTTP/1.1\r\nHost: {page}\r\nOrigin: {there.page}\r\nContent-Length: 7\r\n\r\n"
    )
    with connect(there.address, proxy=None) as phone, socket.socket() as browser:
        phone.send(json.dumps(packet(1)))
        there.wait_for("from anna")
        browser.connect(("127.0.0.1", int(page.rpartition(":")[2])))
        browser.sendall(head.encode() + b"label")
        assert ask(there, "/")[0] == 200  # the server has read what came before
        there.loop.call_soon_threadsafe(there.end.set)
        there.wait_for("end of anna")
        browser.sendall(b"=a")
        assert browser.recv(1_000).startswith(b"HTTP/1.1 200")
    assert any("longest time" in line for line in there.stop())


def test_a_disk_that_does_not_answer_holds_up_no_recording(
    there: ListeningHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answers = threading.Event(), threading.Event()

    def hang(_: Path) -> None:
        asked.set()
        answers.wait(60)
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr("shutil.disk_usage", hang)
    shown: list[dict[str, object]] = []
    browser = threading.Thread(target=lambda: shown.append(news(there)))
    browser.start()
    try:
        assert asked.wait(60)
        there.send([packet(1)])
        there.wait_for("end of anna")
    finally:
        answers.set()
        browser.join()
    assert (shown[0]["disk_gb"], shown[0]["messages"]) == (None, 1)


def test_a_dry_run_keeps_no_diary(tmp_path: Path) -> None:
    with listening_here(tmp_path / "archive", account="anna", dry_run=True) as there:
        assert marked(there, "a") == 400
    assert not (tmp_path / "archive").exists()


def test_marks_of_several_readers_are_whole_lines(there: ListeningHere) -> None:
    threads = [threading.Thread(target=marked, args=(there, f"event {n}")) for n in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    events = el.read_events(diary(there), tz="UTC")
    assert sorted(events["label"]) == sorted(f"event {n}" for n in range(20))
    assert diary(there).stat().st_mode & 0o777 == 0o600


def test_neither_an_empty_diary_nor_damaged_zones_keep_a_mark_or_a_message_out(
    there: ListeningHere, capsys: pytest.CaptureFixture[str]
) -> None:
    diary(there).parent.mkdir(parents=True)
    diary(there).touch()  # as a full disk leaves it
    for account in ("anna", "bob & co"):
        el.Archive(there.archive).set_zones("Asia/Tokyo", account=account)
    assert marked(there, "lights on") == 200
    for path in (there.archive / ".zones").iterdir():
        path.write_text("[")
    assert marked(there, "lights off") == 200
    there.send([{"a": 1}], path="/left")
    there.wait_for("end of bob & co")
    assert "bob & co (127.0.0.1): 1 other, 0 malformed" in "".join(there.said())
    assert "events of anna are marked in UTC: " in capsys.readouterr().err
    events = el.read_events(diary(there), tz="UTC")
    assert events["label"].tolist() == ["lights on", "lights off"]
    offsets = [line.partition(",")[0][-6:] for line in diary(there).read_text().splitlines()]
    assert offsets[1:] == ["+09:00", "+00:00"]


def news(there: ListeningHere) -> dict[str, object]:
    status, text, headers = ask(there, "/news?account=anna")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert headers["Cache-Control"] == "no-store"
    found: dict[str, object] = json.loads(text)
    return found


def test_the_numbers_are_those_of_a_count_by_hand_of_the_same_messages(
    there: ListeningHere,
) -> None:
    assert news(there)["recent"] is None
    draws = np.random.default_rng(3)
    rows = [
        packet(
            number,
            blinkSpeed=120 * (number % 60 == 0),
            blinkStrength=80,
            walking=int(draws.random() < 0.01),
            noiseStatus=int(number < 10),
            accY=int(draws.integers(-8, 9)),
        )
        for number in range(600)
        if number not in (7, 8, 300)
    ]
    there.send([*rows, "malformed", {"type": "a", "subType": "b", "value": 1}])
    there.wait_for("end of anna")
    shown = news(there)
    assert (shown["messages"], shown["kinds"], shown["malformed"]) == (598, 2, 1)
    recent: dict = shown["recent"]  # type: ignore[assignment,type-arg]
    assert (recent["lost"], recent["packets"], recent["battery"]) == (3, 600, 4)
    assert recent["steps"] == sum(filter(None, recent["steps_by"]))
    assert recent["steps"] == sum(row["walking"] for row in rows)
    noise = sum(0.05 * row["noiseStatus"] for row in rows)
    assert recent["noise_s"] == sum(filter(None, recent["noise"])) == pytest.approx(noise)
    assert recent["worn_s"] == pytest.approx(597 * 0.05, abs=0.01)
    assert {len(recent[name]) for name in ("states", "noise", "steps_by", "tilt")} == {40}
    assert {*filter(None, recent["states"])} <= {"usable", "walking", "noisy"}
    ahead = np.degrees(np.arctan2(sum(r["accY"] for r in rows), sum(r["accZ"] for r in rows)))
    assert np.mean([each for each in recent["tilt"] if each is not None]) == pytest.approx(
        ahead, abs=3
    )


def test_what_is_older_than_ten_minutes_leaves_the_page(
    there: ListeningHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.send([packet(number) for number in range(20)])
    there.wait_for("end of anna")
    for minutes, is_there in ((9, True), (11, False)):

        class Later(datetime):
            @classmethod
            def now(cls, tz: Any = None, ahead: int = minutes) -> datetime:
                return datetime.now(tz) + timedelta(minutes=ahead)

        monkeypatch.setattr("eyelog_service.live_page.datetime", Later)
        shown = news(there)
        assert (shown["messages"], shown["recent"] is not None) == (20, is_there)


@pytest.mark.slow("seconds of 20 Hz rows are sent by the clock")
def test_the_rate_is_blinks_over_usable_time(there: ListeningHere) -> None:
    with connect(there.address, proxy=None) as phone:
        for number in range(420):
            blink = {"blinkSpeed": 120 * (number % 60 == 0), "blinkStrength": 80}
            phone.send(json.dumps(packet(number, **blink)))
            time.sleep(0.05)
        recent: dict = news(there)["recent"]  # type: ignore[assignment,type-arg]
    assert recent["rate"]["rate_per_min"] == pytest.approx(20, abs=4)
    assert recent["rate"]["low"] < 20 < recent["rate"]["high"]
    assert recent["minutes"][-1]["ago_s"] > -30


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
