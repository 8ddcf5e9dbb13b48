"""The server of `eyelog listen`, with real senders.

It runs as a program where a test is about its options, its signals, its end or what it prints; the
other tests would spend nearly all their time on starting it.
"""

import json
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import eyelog as el
from eyelog_service.live import MOST_CONNECTIONS
from support.livesocket import (
    Listening,
    ListeningHere,
    listening,
    listening_here,
    packet,
)

CURRENT = "current_data"
pytestmark = pytest.mark.filterwarnings("ignore:unknown fields")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def rows(archive: Path, account: str = "anna", log: str = CURRENT) -> int:
    return len(el.Archive(archive).read(log, account=account, tz="UTC"))


def wait_for(there: Listening | ListeningHere, text: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not any(text in line for line in there.said()):
        assert time.monotonic() < deadline, there.said()
        time.sleep(0.02)


def wait_for_lines(there: Listening, n: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while len(there.raw()) < n:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_the_app_sends_is_in_the_archive_when_the_program_ends(archive: Path) -> None:
    with listening(archive, "--account", "anna") as there:
        there.send([packet(number) for number in range(300)])
        said = there.stop()
    assert "end of anna (127.0.0.1): 300 current_data, 0 malformed" in said
    frame = el.Archive(archive).read(CURRENT, account="anna", tz="UTC")
    assert frame["index"].tolist() == list(range(300))
    assert frame["pitch"].eq(-3.5).all()


def test_heartbeats_are_no_data_and_malformed_messages_are_counted(archive: Path) -> None:
    bad = ["no JSON", "[]", "{", b"\xff\xff", '{"a": NaN}', "\u0000"]
    good = [packet(number) for number in range(20)]
    with listening_here(archive, account="anna") as there:
        there.send(["", {"heartbeat": 1}, *good[:10], *bad, {"heartbeat": True}, *good[10:]])
        said = there.stop()
    assert "end of anna (127.0.0.1): 20 current_data, 7 malformed" in said
    assert rows(archive) == 20


def test_second_glasses_without_a_label_get_an_account_of_their_own(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        with connect(there.address, proxy=None) as first:
            first.send(json.dumps(packet(1)))
            wait_for(there, "current_data from anna (")
            there.send([packet(number) for number in range(5)])
            wait_for(there, "current_data from anna-2 (")  # while the first is there
            first.send(json.dumps(packet(2)))
        said = there.stop()
    assert rows(archive) == 2
    assert rows(archive, "anna-2") == 5
    (warning,) = [line for line in said if "warning: other glasses" in line]
    assert "'anna-2'" in warning
    assert "--device 127.0.0.1=ACCOUNT" in warning


def test_a_label_by_address_names_every_connection_from_there(archive: Path) -> None:
    with listening_here(archive, devices={"127.0.0.1": "bob"}) as there:
        there.send([packet(1)])
        there.stop()
    assert rows(archive, "bob") == 1


def test_who_does_not_know_the_secret_is_refused(archive: Path) -> None:
    with listening(
        archive, "--account", "anna", "--path", "s3cret", "--device", "left=bob"
    ) as there:
        assert there.address.endswith("/s3cret")
        bare = there.address.removesuffix("/s3cret")
        for path in ("", "/", "/s3cre", "/left", "/left/s3cret"):
            with pytest.raises(InvalidStatus) as refused:
                connect(bare + path, proxy=None)
            assert refused.value.response.status_code == 404
        there.send([packet(1)])
        there.send([packet(1), packet(2)], path="/left")
        there.stop()
    assert [rows(archive), rows(archive, "bob")] == [1, 2]


def test_a_web_page_of_another_origin_is_refused(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        own = there.address.replace("ws://", "http://")
        with connect(there.address, proxy=None, origin=own) as page:
            page.send(json.dumps(packet(1)))
        for other in ("http://evil.example", "null", own + "1"):
            with pytest.raises(InvalidStatus) as refused:
                connect(there.address, proxy=None, origin=other)
            assert refused.value.response.status_code == 403
        there.stop()
    assert rows(archive) == 1


def test_a_message_over_64_kb_ends_its_connection_and_no_other(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        with connect(there.address, proxy=None) as other:
            other.send(json.dumps(packet(1)))
            with connect(there.address, proxy=None) as huge:
                huge.send(json.dumps({"blinkSpeed": "1" * (65_536 - 18)}))  # just not too large
                huge.send(json.dumps({"blinkSpeed": "1" * 65_536}))
                with pytest.raises(ConnectionClosed) as closed:
                    huge.recv(timeout=10)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
            other.send(json.dumps(packet(2)))
        said = there.stop()
    assert any(line.endswith("1 current_data, 1 malformed") for line in said)
    assert rows(archive) == 2


def test_one_connection_too_many_is_refused_until_one_ends(archive: Path) -> None:
    with listening_here(archive, dry_run=True) as there, ExitStack() as stack:
        several = [
            stack.enter_context(connect(there.address, proxy=None)) for _ in range(MOST_CONNECTIONS)
        ]
        with pytest.raises(InvalidStatus) as refused:
            stack.enter_context(connect(there.address, proxy=None))
        assert refused.value.response.status_code == 503
        several[0].close()
        wait_for(there, "end of nobody yet")
        stack.enter_context(connect(there.address, proxy=None))


@pytest.mark.slow("a time limit is waited for")
def test_a_silent_handshake_is_dropped_after_ten_seconds(archive: Path) -> None:
    with listening(archive, "--dry-run") as there:
        host, port = there.address.removeprefix("ws://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as silent:
            start = time.monotonic()
            assert silent.recv(1) == b""
            assert time.monotonic() - start > 9


@pytest.mark.slow("minutes of 20 Hz rows are sent")
def test_a_sender_that_is_too_fast_waits_and_loses_nothing(archive: Path) -> None:
    with listening(archive, "--account", "anna") as there:
        with connect(there.address, proxy=None) as sender:
            start = time.monotonic()
            for number in range(600):
                sender.send(json.dumps(packet(number)))
            wait_for_lines(there, 600)
            assert time.monotonic() - start > 1.9  # 200 at once, then 200 a second
        there.stop()
    assert rows(archive) == 600


@pytest.mark.slow("a process is killed at many moments")
def test_what_a_killed_program_left_is_imported_at_the_next_start(archive: Path) -> None:
    with (
        listening(archive, "--account", "anna") as there,
        connect(there.address, proxy=None) as sender,
    ):
        for number in range(30):
            sender.send(json.dumps(packet(number)))
        wait_for_lines(there, 30)
        there.process.kill()
        there.process.wait()
    with listening(archive, "--account", "anna") as there:
        wait_for(there, "imported into anna: 30 of 30 rows")
        there.stop()
    assert rows(archive) == 30


@pytest.mark.slow("two programs are started")
def test_a_second_program_on_one_archive_is_refused(archive: Path) -> None:
    with (
        listening(archive),
        pytest.raises(AssertionError, match="another eyelog listen"),
        listening(archive),
    ):
        pass


def test_a_phone_that_comes_again_goes_on_in_its_account(archive: Path) -> None:
    with (
        listening_here(archive, account="anna") as there,
        connect(there.address, proxy=None, ping_interval=None) as lost,
    ):
        lost.send(json.dumps(packet(1)))
        wait_for(there, "current_data from anna (")
        lost.protocol.data_to_send = list  # it answers no more, as out of the network
        there.send([packet(2), packet(3)])
        said = there.stop()
    assert rows(archive) == 3, said
    assert not any("other glasses" in line for line in said)


def test_an_encrypted_server_serves_wss(archive: Path, tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
        *("-keyout", str(key), "-out", str(cert)),
    ]
    subprocess.run(made, check=True, capture_output=True)
    options = ["--account", "anna", "--tls-cert", str(cert), "--tls-key", str(key)]
    with listening(archive, *options) as there:
        assert there.address.startswith("wss://127.0.0.1:")
        trust = ssl.create_default_context(cafile=str(cert))
        with connect(there.address, proxy=None, ssl=trust) as sender:
            sender.send(json.dumps(packet(1)))
        there.stop()
    assert rows(archive) == 1
