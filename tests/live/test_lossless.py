"""What comes live is not lost: programs that are killed, many senders at once, fuzzed messages."""

import json
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from eyelog.archive.store import Archive
from support.livesocket import Listening, listening, packet

CURRENT = "current_data"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unknown fields")]


def send_steadily(
    address: str, stop: threading.Event, sent: list[float], rate: float = 20.0
) -> None:
    """Send packets until told to stop, or until the server is gone; note when each was sent."""
    try:
        with connect(address, proxy=None, close_timeout=None) as connection:
            start = time.monotonic()
            while not stop.is_set():
                message = json.dumps(packet(len(sent)))
                connection.send(message)
                sent.append(time.monotonic())
                time.sleep(max(0.0, start + len(sent) / rate - time.monotonic()))
    except (ConnectionClosed, OSError):
        return


def test_twenty_kills_lose_at_most_a_second_each(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    expected, lost = 0, []
    draws = np.random.default_rng(1)
    for _ in range(20):
        with listening(archive, "--account", "anna") as there:
            sent: list[float] = []
            stop = threading.Event()
            sender = threading.Thread(target=send_steadily, args=(there.address, stop, sent, 100.0))
            sender.start()
            time.sleep(draws.uniform(0.3, 2.5))
            there.process.kill()
            killed = time.monotonic()
            there.process.wait()
            stop.set()
            sender.join()
            newest = max(archive.glob(".live/account=anna/*.jsonl"))
            kept = newest.read_bytes().count(b"\n")
            before = sum(each < killed for each in sent)
            lost.append(before - kept)
            assert all(at > killed - 1 for at in sent[kept:before])
            expected += kept
    with listening(archive, "--account", "anna") as there:
        there.stop()
    assert len(Archive(archive).read(CURRENT, account="anna", tz="UTC")) == expected
    assert max(lost) <= 100, lost
    assert expected > 1_000


def longest_wait(there: Listening) -> float:
    (line,) = [line for line in there.said() if line.startswith("longest time")]
    found = re.search(r"([\d.]+) s$", line)
    assert found is not None
    return float(found[1])


def test_twenty_senders_for_a_minute_lose_no_row_and_wait_less_than_a_second(
    tmp_path: Path,
) -> None:
    archive = tmp_path / "archive"
    labels = [word for n in range(20) for word in ("--device", f"g{n}=wearer-{n}")]
    with listening(archive, *labels) as there:
        stop = threading.Event()
        sent: list[list[float]] = [[] for _ in range(20)]
        senders = [
            threading.Thread(target=send_steadily, args=(f"{there.address}/g{n}", stop, sent[n]))
            for n in range(20)
        ]
        for each in senders:
            each.start()
        time.sleep(60)
        stop.set()
        for each in senders:
            each.join()
        there.stop()
        assert longest_wait(there) < 1  # of all messages, so of 99 % too
    for n in range(20):
        frame = Archive(archive).read(CURRENT, account=f"wearer-{n}", tz="UTC")
        assert frame["index"].tolist() == list(range(len(sent[n])))
        assert len(frame) > 1_100


def test_fuzzed_messages_harm_nobody(tmp_path: Path) -> None:
    draws = np.random.default_rng(2)
    good = json.dumps(packet(1)).encode()

    def fuzzed() -> bytes:
        data = bytearray(good)
        for _ in range(draws.integers(1, 8)):
            at = int(draws.integers(len(data)))
            match draws.integers(3):
                case 0:
                    data[at] = draws.integers(256)
                case 1:
                    del data[at : at + int(draws.integers(20))]
                case _:
                    data[at:at] = draws.bytes(int(draws.integers(1, 9)))
            data = data or bytearray(b"x")
        return bytes(data)

    with listening(tmp_path / "archive", "--account", "anna", "--device", "bad=bob") as there:
        with connect(there.address, proxy=None) as wearer:
            wearer.send(good)
            for _ in range(5):  # over several connections, as fast as each is read
                there.send([fuzzed() for _ in range(2_000)], path="/bad")
            wearer.send(good)
        said = there.stop()
    assert not any("Traceback" in line for line in said)
    counts = [re.findall(r"([\d,]+) (?:current_data|other|malformed)", line) for line in said]
    assert sum(int(n.replace(",", "")) for line in counts for n in line) == 10_002
    assert len(Archive(tmp_path / "archive").read(CURRENT, account="anna", tz="UTC")) == 2
