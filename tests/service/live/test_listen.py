"""The server of `eyelog listen`, with real senders: what comes is in the archive, and in no other.

It runs as a program where a test is about its options, its signals, its end or what it prints; the
other tests would spend nearly all their time on starting it.
"""

import errno
import gzip
import json
import os
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import eyelog as el
from support.command import main
from support.livesocket import listening, listening_here, packet

CURRENT = "current_data"
MOST_CONNECTIONS = 32
pytestmark = pytest.mark.filterwarnings(
    "ignore:unknown fields", "ignore:.*:eyelog.errors.EyelogWarning"
)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def rows(archive: Path, account: str = "anna", log: str = CURRENT) -> int:
    return len(el.Archive(archive).read(log, account=account, tz="UTC"))


def files(archive: Path, ending: str = ".jsonl") -> list[Path]:
    return sorted(archive.glob(f".live/account=*/*{ending}"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tls-key", "key.pem"], "give --tls-cert too"),
        (["--tls-cert", "nowhere.pem"], "cannot use the certificate nowhere.pem"),
        (["--device", "anna"], "--device is NAME=ACCOUNT, not 'anna'"),
        (["--device", "left="], "--device is NAME=ACCOUNT, not 'left='"),
        (["--port", "65536"], "--port is a number from 0 to 65535, not 65536"),
        (["--host", "192.0.2.1"], "cannot listen at 192.0.2.1, port 5000"),
        (["--account", ""], "is not an account"),
        (["--path", "a/b"], "a secret path is one word"),
        (["--archive", "memory://live"], "only a local archive can be listened into"),
    ],
)
def test_a_wrong_option_is_one_line(
    archive: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["listen", "--archive", str(archive), *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_what_the_app_sends_is_in_the_archive_when_the_program_ends(archive: Path) -> None:
    with listening(archive, "--account", "anna", "--host", "0.0.0.0") as there:
        assert "0.0.0.0" not in there.address  # a phone cannot call it
        code = [line for line in there.said() if set(line) & set("▀▄█")]
        assert {len(line) for line in code} == {33}  # version 2 has 25 modules, and a margin
        assert any("not encrypted" in line for line in there.said())
        there.send([packet(number) for number in range(300)])
        said = there.stop()
    assert any("300 current_data, 0 malformed" in line for line in said)
    frame = el.Archive(archive).read(CURRENT, account="anna", tz="UTC")
    assert frame["index"].tolist() == list(range(300))
    assert frame["pitch"].eq(-3.5).all()


def test_heartbeats_are_no_data_and_malformed_messages_are_counted(archive: Path) -> None:
    bad = ["no JSON", "[]", "{", b"\xff\xff", '{"a": NaN}', "\u0000", "{}"]
    bad.append(json.dumps({f"key{number}": 1 for number in range(1_000)}))
    good = [packet(number) for number in range(20)]
    with listening_here(archive, account="anna") as there:
        there.send(["", {"heartbeat": 1}, *good[:10], *bad, {"heartbeat": True}, *good[10:]])
        said = there.stop()
    assert "end of anna (127.0.0.1): 20 current_data, 9 malformed" in said
    assert rows(archive) == 20


def test_a_message_is_one_line_of_its_values_with_the_stamp_of_its_receiver(archive: Path) -> None:
    sent = [
        packet(1) | {"received": "2001-01-01T00:00:00Z"},
        b'{"place": {"x": 1,\r\n "y": [2,\n 3]}, "much": 12345678901234567890.125}',
    ]
    with (
        listening_here(archive, account="anna") as there,
        connect(there.address, proxy=None) as phone,
    ):
        for message in sent:
            phone.send(message if isinstance(message, bytes) else json.dumps(message))
        there.wait_for_lines(2)  # at once
        (first, second), (log, other) = there.raw(), files(archive)
        assert {first.pop("received")[:4], second.pop("received")[:4]}.isdisjoint({"2001"})
        assert first == packet(1)
        assert second["place"] == {"x": 1, "y": [2, 3]}
        assert b"12345678901234567890.125" in other.read_bytes()
        assert [path.stat().st_mode & 0o777 for path in (log, log.parent)] == [0o600, 0o700]


@pytest.mark.slow("a thousand messages are sent at the pace that is read")
def test_a_sender_of_ever_new_keys_ends_in_malformed_messages(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        there.send([{f"key{number}": 1} for number in range(1_002)])
        said = there.stop()
    assert any(line.endswith("1,000 other, 2 malformed") for line in said)


def test_files_end_at_a_size_and_other_kinds_are_kept_beside_the_archive(archive: Path) -> None:
    place = json.dumps({"latitude": 35.7, "longitude": 139.7, "speed": "x" * 60_000})
    with (
        listening_here(archive, account="anna") as there,
        connect(there.address, proxy=None) as phone,
    ):
        for _ in range(290):
            phone.send(place)
        there.wait_for("kept for anna: messages of other kinds in ")  # while it is connected
        phone.close()
        there.stop()
    lines = [gzip.decompress(path.read_bytes()).count(b"\n") for path in files(archive, ".gz")]
    assert (len(lines), sum(lines)) == (2, 290)
    assert el.Archive(archive).accounts() == []
    assert files(archive) == []


def test_what_comes_is_secured_within_a_second_and_not_twice(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync
    with (
        listening_here(archive, account="anna") as there,
        connect(there.address, proxy=None) as phone,
    ):
        phone.send(json.dumps(packet(1)))
        there.wait_for_lines(1)
        time.sleep(1.0)
        monkeypatch.setattr(os, "fsync", lambda handle: synced.append(handle) or sync(handle))
        phone.send(json.dumps(packet(2)))
        time.sleep(1.5)
        assert len(synced) == 1
        phone.close()
        said = there.stop()
    (wait,) = [line for line in said if line.startswith("longest time from a message to the disk")]
    assert float(wait.split()[-2]) < 5


def test_a_disk_that_secures_no_file_ends_the_connection_and_the_next_start_imports(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with (
        listening_here(archive, account="anna") as there,
        connect(there.address, proxy=None) as phone,
    ):
        phone.send(json.dumps({"place": "x" * 60_000}))
        there.wait_for_lines(1)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with suppress(ConnectionClosed):
                for _ in range(1_000):  # more than a file takes
                    phone.send(json.dumps({"place": "x" * 60_000}))
            there.wait_for("end of anna")
        there.stop()
        assert any("cannot write what anna" in line for line in there.said())
    with listening_here(archive, account="anna") as again:
        again.wait_for("kept for anna: messages of other kinds in ")


def test_a_full_disk_leaves_whole_lines_that_the_next_start_imports(archive: Path) -> None:
    with listening(archive, "--account", "anna") as there:
        psutil.Process(there.process.pid).rlimit(psutil.RLIMIT_FSIZE, (3000, 3000))
        with connect(there.address, proxy=None) as phone:
            for number in range(40):
                phone.send(json.dumps(packet(number)))
            with pytest.raises(ConnectionClosed) as closed:
                phone.recv(timeout=60)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1011
        there.stop()
        assert any("cannot write what anna" in line for line in there.said())
    (path,) = files(archive)
    kept = path.read_bytes().count(b"\n")
    assert path.read_bytes().endswith(b"}\n")
    with listening_here(archive, account="anna") as again:
        again.wait_for(f"imported into anna: {kept} of {kept} rows")
    assert rows(archive) == kept


def test_a_start_imports_what_waits_and_changes_nothing_that_was_imported(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        there.send([packet(number) for number in range(40)])
        there.stop()
    (packed,) = files(archive, ".gz")
    path = packed.with_suffix("")
    content = gzip.decompress(packed.read_bytes())
    path.write_bytes(content)  # as if a kill came between the import and the end of the packing
    half = path.with_name(f".{path.name}.gz.0123456789abcdef.tmp")
    half.write_bytes(b"half")
    with listening_here(archive, account="anna") as there:
        there.wait_for("imported into anna: 0 of 40 rows")
        assert main(["listen", "--archive", str(archive), "--port", "0"]) == 1  # one at a time
    assert not half.exists()
    path.write_bytes(content + content.split(b"\n")[0][:50])  # a kill cut the last line off
    with listening_here(archive, account="anna") as there:
        there.wait_for("imported into anna: 0 of 41 rows")
    assert rows(archive) == 40
    el.Archive(archive).erase("anna")
    assert not path.parent.exists()


def test_second_glasses_without_a_label_get_an_account_of_their_own(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        with connect(there.address, proxy=None) as first:
            first.send(json.dumps(packet(1)))
            there.wait_for("current_data from anna (")
            there.send([packet(number) for number in range(5)])
            there.wait_for("current_data from anna-2 (")  # while the first is there
            first.send(json.dumps(packet(2)))
        said = there.stop()
    assert [rows(archive), rows(archive, "anna-2")] == [2, 5]
    (warning,) = [line for line in said if "warning: other glasses" in line]
    assert "'anna-2'" in warning
    assert "--device 127.0.0.1=ACCOUNT" in warning


def test_a_label_by_address_names_every_connection_from_there(archive: Path) -> None:
    with listening_here(archive, devices={"127.0.0.1": "bob"}) as there:
        there.send([packet(1)])
        there.stop()
    assert rows(archive, "bob") == 1


def test_who_does_not_know_the_secret_is_refused(archive: Path) -> None:
    devices = {"left": "bob"}
    with listening_here(archive, account="anna", secret="s3cret", devices=devices) as there:
        for path in ("", "/", "/s3cre", "/left", "/left/s3cret"):
            with pytest.raises(InvalidStatus) as refused:
                connect(there.address + path, proxy=None)
            assert refused.value.response.status_code == 404
        there.send([packet(1)], path="/s3cret")
        there.send([packet(1), packet(2)], path="/s3cret/left")
        there.stop()
    assert [rows(archive), rows(archive, "bob")] == [1, 2]


def test_a_web_page_of_another_origin_is_refused(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        own: Any = there.address.replace("ws://", "http://")
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
        there.wait_for("end of nobody yet")
        stack.enter_context(connect(there.address, proxy=None))


@pytest.mark.slow("a time limit is waited for")
def test_a_silent_handshake_is_dropped_after_ten_seconds(archive: Path) -> None:
    with listening_here(archive, dry_run=True) as there:
        host, port = there.address.removeprefix("ws://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as silent:
            start = time.monotonic()
            assert silent.recv(1) == b""
            assert time.monotonic() - start > 9


@pytest.mark.slow("minutes of 20 Hz rows are sent")
def test_a_sender_that_is_too_fast_waits_and_loses_nothing(archive: Path) -> None:
    with listening_here(archive, account="anna") as there:
        with connect(there.address, proxy=None) as sender:
            start = time.monotonic()
            for number in range(600):
                sender.send(json.dumps(packet(number)))
            there.wait_for_lines(600)
            assert time.monotonic() - start > 1.9  # 200 at once, then 200 a second
        there.stop()
    assert rows(archive) == 600


def test_a_phone_that_comes_again_goes_on_in_its_account(archive: Path) -> None:
    with (
        listening_here(archive, account="anna") as there,
        connect(there.address, proxy=None, ping_interval=None) as lost,
    ):
        lost.send(json.dumps(packet(1)))
        there.wait_for("current_data from anna (")
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
    with listening(archive, *options, "--path", "s3cret") as there:
        assert there.address.startswith("wss://127.0.0.1:")
        assert there.address.endswith("/s3cret")
        assert any("Only this computer" in line for line in there.said())
        trust = ssl.create_default_context(cafile=str(cert))
        with connect(there.address, proxy=None, ssl=trust) as sender:
            sender.send(json.dumps(packet(1)))
        there.stop()
    assert rows(archive) == 1
